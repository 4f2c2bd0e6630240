// Large joined blocks. They are one sparse matrix together, factorised by Cholesky or LU (a
// pcs_mass_matrix), so that a chain or a net costs about as much per body as a small one. The
// contact problem knows dense blocks: of the sparse one it gets the systems T that its contacts
// touch, with the Schur complement
//
//     A_T = (P A^-1 P^T)^-1,   P: the rows of T,
//
// and all others follow from the impulses, v = v_free + A^-1 H^T r.
#include "step/couple.h"

#include <string.h>

static int width_of(const pcs_model *m, int b)
{
    return m->block_start[b + 1] - m->block_start[b];
}

static bool is_in(const coupling *c, int b)
{
    return c->of[b] == c->sparse;
}

// both blocks of an element, when it couples two of the sparse block
static bool pair_of(const trial *t, const model_force *f, int pair[2])
{
    const pcs_model *m = t->m;
    if (!couple_joins(m, f)) return false;
    for (int e = 0; e < 2; ++e) {
        pair[e] = m->system[f->system[e]].block;
    }
    return is_in(t->joined, pair[0]);
}

// ---- the pattern --------------------------------------------------------------------------------

// adds one to count[pair + 1] of both directions, or puts the pairs there
static void visit_pairs(const trial *t, bool place, int *count, int *neighbour)
{
    for (int i = 0; i < t->m->n_forces; ++i) {
        int pair[2];
        if (!pair_of(t, &t->m->force[i], pair)) continue;
        for (int e = 0; e < 2; ++e) {
            if (place) {
                neighbour[count[pair[e]]++] = pair[1 - e];
            } else {
                count[pair[e] + 2] += 1;
            }
        }
    }
}

// The neighbours of each block: sorted by two passes of a counting sort, each once, itself among
// them
static pcs_status find_neighbours(const trial *t, pcs_arena *mem, coupling *c)
{
    const size_t n = (size_t)t->m->n_blocks, pairs = 2 * (size_t)t->m->n_forces;
    int *first = PCS_TAKE(mem, n + 2, int), *list = PCS_TAKE(mem, pairs + n, int);
    pcs_arena scratch = *mem;
    int *from = PCS_TAKE(&scratch, n + 2, int), *unsorted = PCS_TAKE(&scratch, pairs + n, int);
    int *last = PCS_TAKE(&scratch, n, int);
    if (!first || !list || !from || !unsorted || !last) return pcs_fail_memory("step: forces");
    memset(from, 0, (n + 2) * sizeof *from);
    visit_pairs(t, false, from, NULL);
    for (size_t b = 0; b < n; ++b) {
        from[b + 2] += is_in(c, (int)b);
        from[b + 2] += from[b + 1];
    }
    for (size_t b = 0; b < n; ++b) {
        if (is_in(c, (int)b)) unsorted[from[b + 1]++] = (int)b;
    }
    visit_pairs(t, true, from + 1, unsorted);
    // from[b] .. from[b + 1] are now those of block b; the relation is symmetric
    memset(first, 0, (n + 2) * sizeof *first);
    memcpy(first + 1, from, (n + 1) * sizeof *first);
    for (size_t b = 0; b < n; ++b) {
        for (int k = from[b]; k < from[b + 1]; ++k) {
            list[first[unsorted[k] + 1]++] = (int)b;
        }
    }
    // without those that come twice
    int at = 0, begin = 0;
    for (size_t b = 0; b < n; ++b) {
        const int end = first[b + 1];
        first[b] = at;
        for (int k = begin; k < end; ++k) {
            if (at > first[b] && list[at - 1] == list[k]) continue;
            list[at++] = list[k];
        }
        begin = end;
    }
    first[n] = at;
    c->first = first;
    c->neighbour = list;
    return PCS_OK;
}

pcs_status sparse_begin(const trial *t, pcs_arena *mem, coupling *c)
{
    const pcs_model *m = t->m;
    PCS_TRY(find_neighbours(t, mem, c));
    const int from = c->start[c->sparse], n = c->start[c->sparse + 1] - from;
    size_t entries = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        for (int k = c->first[b]; k < c->first[b + 1]; ++k) {
            entries += (size_t)width_of(m, b) * (size_t)width_of(m, c->neighbour[k]);
        }
    }
    pcs_csc *A = &c->A;
    *A = (pcs_csc){.m = n, .n = n};
    A->p = PCS_TAKE(mem, (size_t)n + 1, int);
    A->i = PCS_TAKE(mem, entries, int);
    A->x = PCS_TAKE(mem, entries, double);
    c->top = PCS_TAKE(mem, (size_t)c->first[m->n_blocks], int);
    if (!A->p || !A->i || !A->x || !c->top) return pcs_fail_memory("step: forces");
    int at = 0, column = 0;
    A->p[0] = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        for (int j = 0; is_in(c, b) && j < width_of(m, b); ++j) {
            const int begin = at;
            for (int k = c->first[b]; k < c->first[b + 1]; ++k) {
                const int row = c->neighbour[k];
                c->top[k] = at - begin;
                for (int i = 0; i < width_of(m, row); ++i) {
                    A->i[at++] = c->place[row] - from + i;
                }
            }
            A->p[++column] = at;
        }
    }
    return PCS_OK;
}

double *sparse_slot(const trial *t, int row, int column, size_t *stride)
{
    const coupling *c = t->joined;
    const int *p = c->A.p + c->place[column] - c->start[c->sparse];
    int low = c->first[column], high = c->first[column + 1] - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (c->neighbour[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    PCS_ASSERT(c->neighbour[low] == row);
    *stride = (size_t)(p[1] - p[0]);
    return c->A.x + p[0] + c->top[low];
}

pcs_status sparse_factorise(const trial *t)
{
    pcs_work *wk = t->work;
    pcs_mass_matrix_destroy(wk->coupled);
    wk->coupled = NULL;
    const pcs_status status = pcs_mass_matrix_create_sparse(&wk->env, &t->joined->A, &wk->coupled);
    if (status != PCS_ERR_SINGULAR) return status;
    int b = 0;
    while (!is_in(t->joined, b)) {
        ++b;
    }
    return step_singular(t, b);
}

// ---- the contact problem ------------------------------------------------------------------------

// places of the systems that the problem touches, in the layout that is solved
static void lay_out_touched(const trial *t, const bodies_problem *problem, coupling *c)
{
    const pcs_model *m = t->m;
    for (int b = 0; b < m->n_blocks; ++b) {
        c->solved_place[b] = is_in(c, b) ? -1 : 0;
    }
    for (int i = 0; i < problem->nb; ++i) {
        for (int e = 0; e < 2; ++e) {
            if (problem->block[i].sys[e] >= 0) c->solved_place[problem->block[i].sys[e]] = 0;
        }
    }
    int touched = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        if (!is_in(c, b) || c->solved_place[b] < 0) continue;
        c->solved_place[b] = touched;
        touched += width_of(m, b);
    }
    for (int j = 0; j < c->n; ++j) {
        const int width = j == c->sparse ? touched : c->start[j + 1] - c->start[j];
        c->solved_start[j + 1] = c->solved_start[j] + width;
    }
    for (int b = 0; b < m->n_blocks; ++b) {
        const int j = c->of[b];
        if (j != c->sparse) c->solved_place[b] = c->place[b] - c->start[j];
        if (c->solved_place[b] >= 0) c->solved_place[b] += c->solved_start[j];
    }
}

// the Schur complement of the touched systems, into the last block of the factors; S: n x n
static pcs_status condense(const trial *t, int n, double *x, double *S, coupling *c)
{
    const pcs_model *m = t->m;
    const int from = c->start[c->sparse], to = c->solved_start[c->sparse];
    const size_t all = (size_t)c->A.n, width = (size_t)n;
    for (int b = 0; b < m->n_blocks; ++b) {
        for (int k = 0; is_in(c, b) && c->solved_place[b] >= 0 && k < width_of(m, b); ++k) {
            memset(x, 0, all * sizeof *x);
            x[c->place[b] - from + k] = 1;
            PCS_TRY(pcs_mass_matrix_solve(t->work->coupled, x, x));
            double *column = S + width * (size_t)(c->solved_place[b] - to + k);
            for (int d = 0; d < m->n_blocks; ++d) {
                if (!is_in(c, d) || c->solved_place[d] < 0) continue;
                memcpy(column + c->solved_place[d] - to, x + c->place[d] - from,
                       (size_t)width_of(m, d) * sizeof *x);
            }
        }
    }
    return PCS_OK;
}

// A = S^-1
static bool invert(int n, double *S, int *piv, double *A)
{
    const size_t width = (size_t)n, off = 0;
    block_lu F = {.nb = 1, .start = (const int[]){0, n}, .off = &off, .lu = S, .piv = piv};
    if (!block_lu_factor_one(&F, 0)) return false;
    for (size_t k = 0; k < width; ++k) {
        double *column = A + width * k;
        memset(column, 0, width * sizeof *column);
        column[k] = 1;
        block_lu_solve(&F, 0, column);
    }
    return true;
}

pcs_status sparse_problem(const trial *t, const bodies_problem *problem, pcs_arena *mem)
{
    coupling *c = t->joined;
    const size_t blocks = (size_t)t->m->n_blocks, n = (size_t)c->n;
    c->solved_place = PCS_TAKE(mem, blocks, int);
    c->solved_start = PCS_TAKE(mem, n + 1, int);
    size_t *off = PCS_TAKE(mem, n, size_t);
    if (!c->solved_place || !c->solved_start || !off) return pcs_fail_memory("step: forces");
    c->solved_start[0] = 0;
    lay_out_touched(t, problem, c);

    // all other blocks keep their factors; those of the touched systems follow them
    const int width = c->solved_start[c->sparse + 1] - c->solved_start[c->sparse];
    const size_t square = (size_t)width * (size_t)width, room = c->values + square;
    double *lu = PCS_TAKE(mem, 2 * room, double);
    int *piv = PCS_TAKE(mem, (size_t)c->solved_start[c->n], int);
    pcs_arena scratch = *mem;
    double *S = PCS_TAKE(&scratch, square, double), *x = PCS_TAKE(&scratch, (size_t)c->A.n, double);
    if (!lu || !piv || !S || !x) return pcs_fail_memory("step: forces");
    memcpy(lu, c->F.lu, c->values * sizeof *lu);
    memcpy(lu + room, c->F.val, c->values * sizeof *lu);
    for (int j = 0; j < c->n; ++j) {
        off[j] = j == c->sparse ? c->values : c->off[j];
        if (j == c->sparse) continue;
        memcpy(piv + c->solved_start[j], c->F.piv + c->start[j],
               (size_t)(c->start[j + 1] - c->start[j]) * sizeof *piv);
    }
    c->solved = c->F;
    c->solved.start = c->solved_start;
    c->solved.off = off;
    c->solved.lu = lu;
    c->solved.val = lu + room;
    c->solved.piv = piv;
    if (width == 0) return PCS_OK;
    PCS_TRY(condense(t, width, x, S, c));
    const bool good = invert(width, S, piv + c->solved_start[c->sparse], lu + c->values) &&
                      block_lu_factor_one(&c->solved, c->sparse);
    return good ? PCS_OK
                : pcs_fail_range(PCS_ERR_SINGULAR, "step: contacts of systems on force elements"
                                                   " have a singular matrix");
}
