// Large joined blocks. They are one matrix of sparse blocks together, so that a chain or a net
// costs about as much per body as a small one. Where contacts touch few of its systems, T, the
// contact problem gets these as one dense block, the Schur complement
//
//     A_T = (P A^-1 P^T)^-1,   P: the rows of T,
//
// and all others follow from the impulses, v = v_free + A^-1 H^T r. Where they touch many, it gets
// all systems with the sparse matrix.
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
    if (!couple_joins(m, f) || posed_element(m, f)) return false;
    for (int e = 0; e < 2; ++e) {
        pair[e] = m->system[f->system[e]].block;
    }
    return is_in(t->joined, pair[0]);
}

// ---- the pattern --------------------------------------------------------------------------------

// unknowns of a system with sparse matrices that are one node
enum { UNKNOWNS = 6 };

static int nodes_of(const trial *t, int b)
{
    return couple_is_split(t->m, t->joined, b) ? (width_of(t->m, b) + UNKNOWNS - 1) / UNKNOWNS : 1;
}

// the node of velocity i of a block of the model, and its place there
static int node_of(const trial *t, const coupling *c, int b, int i, int *within)
{
    const int part = couple_is_split(t->m, c, b) ? i / UNKNOWNS : 0;
    *within = i - UNKNOWNS * part;
    return c->node[b] + part;
}

// pairs of nodes: `count` has how many each node has, or their places in `neighbour`
typedef struct pair_list {
    int *count, *neighbour;
} pair_list;

static void add_pair(const pair_list *to, int node, int other)
{
    if (to->neighbour) {
        to->neighbour[to->count[node]++] = other;
    } else {
        to->count[node + 2] += 1;
    }
}

// all nodes that an element between poses connects
static void visit_ends(const trial *t, const coupled_end *end, const pair_list *to)
{
    int node[2 * COUPLED_COLUMNS], n = 0, within;
    for (int e = 0; e < 2; ++e) {
        for (int i = 0; end[e].block >= 0 && i < end[e].n; ++i) {
            const int next = node_of(t, t->joined, end[e].block, end[e].column[i], &within);
            if (n == 0 || node[n - 1] != next) node[n++] = next;
        }
    }
    for (int x = 0; x < n; ++x) {
        for (int y = 0; y < n; ++y) {
            if (node[x] != node[y]) add_pair(to, node[x], node[y]);
        }
    }
}

// the nodes of a system with sparse matrices
static void visit_rows(const trial *t, int b, const pair_list *to)
{
    const envelope *M = &t->m->system[t->m->block_system[b]].sparse->M;
    for (int i = 0; i < M->n; i += UNKNOWNS) {
        int low = i;
        for (int k = i; k < M->n && k < i + UNKNOWNS; ++k) {
            if (M->first[k] < low) low = M->first[k];
        }
        const int node = t->joined->node[b] + i / UNKNOWNS;
        for (int k = t->joined->node[b] + low / UNKNOWNS; k < node; ++k) {
            add_pair(to, node, k);
            add_pair(to, k, node);
        }
    }
}

static void visit_pairs(const trial *t, const pair_list *to)
{
    const coupling *c = t->joined;
    for (int i = 0; i < t->m->n_forces; ++i) {
        int pair[2];
        if (pair_of(t, &t->m->force[i], pair)) {
            add_pair(to, c->node[pair[0]], c->node[pair[1]]);
            add_pair(to, c->node[pair[1]], c->node[pair[0]]);
        } else if (c->end) {
            visit_ends(t, &c->end[2 * (size_t)i], to);
        }
    }
    for (int b = 0; c->split && b < t->m->n_blocks; ++b) {
        if (couple_is_split(t->m, c, b)) visit_rows(t, b, to);
    }
}

// The neighbours of each node: sorted by two passes of a counting sort, each once, itself among
// them
static pcs_status find_neighbours(const trial *t, pcs_arena *mem, coupling *c)
{
    const size_t n = (size_t)c->nodes;
    int *first = PCS_TAKE(mem, n + 2, int), *from = PCS_TAKE(mem, n + 2, int);
    if (!first || !from) return pcs_fail_memory("step: forces");
    memset(from, 0, (n + 2) * sizeof *from);
    visit_pairs(t, &(pair_list){from, NULL});
    for (size_t b = 0; b < n; ++b) {
        from[b + 2] += 1 + from[b + 1];
    }
    const size_t entries = (size_t)from[n + 1];
    int *list = PCS_TAKE(mem, entries, int);
    pcs_arena scratch = *mem;
    int *unsorted = PCS_TAKE(&scratch, entries, int);
    if (!list || !unsorted) return pcs_fail_memory("step: forces");
    for (size_t b = 0; b < n; ++b) {
        unsorted[from[b + 1]++] = (int)b;
    }
    visit_pairs(t, &(pair_list){from + 1, unsorted});
    // from[b] .. from[b + 1] are now those of node b; the relation is symmetric
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

// The order of elimination, kept in the work until the pattern changes
static pcs_status find_order(const trial *t, pcs_arena scratch, const coupling *c)
{
    step_pattern *kept = &t->work->pattern;
    const size_t n = (size_t)c->nodes, pairs = (size_t)c->first[n];
    const pcs_env *env = &t->work->env;
    if (kept->nodes == c->nodes && memcmp(kept->first, c->first, (n + 1) * sizeof *c->first) == 0 &&
        memcmp(kept->neighbour, c->neighbour, pairs * sizeof *c->first) == 0) {
        return PCS_OK;
    }
    step_pattern_release(env, kept);
    kept->first = pcs_env_alloc(env, 2 * n + 1 + pairs, sizeof *kept->first);
    if (!kept->first) return pcs_fail_memory("step: forces");
    kept->order = kept->first + n + 1;
    kept->neighbour = kept->order + n;
    memcpy(kept->first, c->first, (n + 1) * sizeof *c->first);
    memcpy(kept->neighbour, c->neighbour, pairs * sizeof *c->first);
    PCS_TRY(block_sparse_order(c->nodes, c->first, c->neighbour, scratch, kept->order));
    kept->nodes = c->nodes;
    return PCS_OK;
}

int couple_sparse_elements(const trial *t)
{
    int n = 0, pair[2];
    for (int i = 0; t->joined && t->joined->sparse >= 0 && i < t->m->n_forces; ++i) {
        n += pair_of(t, &t->m->force[i], pair);
    }
    return n;
}

void step_pattern_release(const pcs_env *env, step_pattern *p)
{
    pcs_env_free(env, p->first);
    *p = (step_pattern){0};
}

pcs_status sparse_begin(const trial *t, pcs_arena *mem, coupling *c)
{
    const pcs_model *m = t->m;
    size_t nodes = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        if (is_in(c, b)) nodes += (size_t)nodes_of(t, b);
    }
    c->node = PCS_TAKE(mem, (size_t)m->n_blocks, int);
    c->node_start = PCS_TAKE(mem, nodes + 1, int);
    if (!c->node || !c->node_start) return pcs_fail_memory("step: forces");
    c->node_start[0] = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        c->node[b] = is_in(c, b) ? c->nodes : -1;
        c->split = c->split || couple_is_split(m, c, b);
        const int width = width_of(m, b), parts = nodes_of(t, b);
        for (int k = 0; is_in(c, b) && k < parts; ++k) {
            const int w = parts == 1 ? width : k < parts - 1 ? UNKNOWNS : width - UNKNOWNS * k;
            c->node_start[c->nodes + 1] = c->node_start[c->nodes] + w;
            c->nodes += 1;
        }
    }
    PCS_TRY(posed_ends(t, mem, c));
    PCS_TRY(find_neighbours(t, mem, c));
    PCS_TRY(find_order(t, *mem, c));
    return block_sparse_take(c->nodes, c->node_start, c->first, c->neighbour,
                             t->work->pattern.order, mem, &c->A);
}

void sparse_clear(coupling *c)
{
    const block_sparse *A = &c->A;
    const int last = A->first[A->n] - 1, w = A->start[A->n] - A->start[A->n - 1];
    const int high = A->start[A->index[last] + 1] - A->start[A->index[last]];
    memset(A->val, 0, (A->at[last] + (size_t)w * (size_t)high) * sizeof *A->val);
}

double *sparse_slot(const trial *t, int row, int column, size_t *stride)
{
    const coupling *c = t->joined;
    *stride = (size_t)width_of(t->m, row);
    return block_sparse_entry(&c->A, c->node[row], c->node[column]);
}

double *sparse_number(const trial *t, const coupling *c, int row, int i, int column, int j)
{
    int at, by;
    const int x = node_of(t, c, row, i, &at), y = node_of(t, c, column, j, &by);
    return block_sparse_entry(&c->A, x, y) + at + (c->node_start[x + 1] - c->node_start[x]) * by;
}

void sparse_put(const trial *t, int b, coupling *c)
{
    const int system = t->m->block_system[b];
    const model_sparse *s = t->m->system[system].sparse;
    const double a = t->h * step_force_part(t, system);
    for (int i = 0; i < s->M.n; ++i) {
        size_t k = s->row[i];
        for (int j = s->first[i]; j <= i; ++j, ++k) {
            const double x = s->M.val[k] + (s->D.val ? a * s->D.val[k] : 0) +
                             (s->K.val ? a * a * s->K.val[k] : 0);
            *sparse_number(t, c, b, i, b, j) += x;
            if (j < i) *sparse_number(t, c, b, j, b, i) += x;
        }
    }
}

pcs_status sparse_factorise(const trial *t)
{
    if (block_sparse_factor(&t->joined->A)) return PCS_OK;
    int b = 0;
    while (!is_in(t->joined, b)) {
        ++b;
    }
    return step_singular(t, b);
}

// ---- the contact problem with the systems that contacts touch -----------------------------------

// marks the unknowns of systems with sparse matrices that contacts touch
static pcs_status find_columns(const trial *t, const bodies_problem *problem, pcs_arena *mem,
                               coupling *c)
{
    const pcs_model *m = t->m;
    c->solved_column = NULL;
    if (!c->split) return PCS_OK;
    c->solved_column = PCS_TAKE(mem, (size_t)m->nv, int);
    if (!c->solved_column) return pcs_fail_memory("step: forces");
    for (int i = 0; i < m->nv; ++i) {
        c->solved_column[i] = -1;
    }
    for (int i = 0; i < problem->nb; ++i) {
        const bodies_block *k = &problem->block[i];
        for (int e = 0; e < 2; ++e) {
            const int b = k->sys[e];
            if (b < 0 || !couple_is_split(m, c, b)) continue;
            pcs_arena scratch = *mem;
            const size_t numbers = (size_t)k->dim * (size_t)width_of(m, b);
            double *J = PCS_TAKE(&scratch, numbers, double);
            if (!J) return pcs_fail_memory("step: forces");
            bodies_rows(problem, i, e, J);
            for (size_t x = 0; x < numbers; ++x) {
                if (J[x] != 0) c->solved_column[m->block_start[b] + (int)(x / (size_t)k->dim)] = 0;
            }
        }
    }
    return PCS_OK;
}

// the place of velocity k of block b among those that are solved, or -1
static int place_of(const trial *t, const coupling *c, int b, int k)
{
    if (couple_is_split(t->m, c, b)) return c->solved_column[t->m->block_start[b] + k];
    return c->solved_place[b] < 0 ? -1 : c->solved_place[b] + k;
}

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
    c->solved_start[0] = 0;
    for (int j = 0; j < c->sparse; ++j) {
        c->solved_start[j + 1] = c->solved_start[j] + c->start[j + 1] - c->start[j];
    }
    int touched = c->solved_start[c->sparse];
    for (int b = 0; b < m->n_blocks; ++b) {
        c->solved_of[b] = c->of[b];
        if (!is_in(c, b) || c->solved_place[b] < 0) continue;
        c->solved_place[b] = touched;
        if (!couple_is_split(m, c, b)) touched += width_of(m, b);
        for (int i = m->block_start[b]; couple_is_split(m, c, b) && i < m->block_start[b + 1];
             ++i) {
            if (c->solved_column[i] >= 0) c->solved_column[i] = touched++;
        }
    }
    c->solved_start[c->sparse + 1] = touched;
    for (int j = c->sparse + 1; j < c->n; ++j) {
        c->solved_start[j + 1] = c->solved_start[j] + c->start[j + 1] - c->start[j];
    }
    for (int b = 0; b < m->n_blocks; ++b) {
        const int j = c->of[b];
        if (j != c->sparse) c->solved_place[b] = c->solved_start[j] + c->place[b] - c->start[j];
    }
}

// the Schur complement of what is touched, into S: n x n
static void condense(const trial *t, int n, double *x, double *S, coupling *c)
{
    const pcs_model *m = t->m;
    const int from = c->start[c->sparse], to = c->solved_start[c->sparse];
    const size_t all = (size_t)c->node_start[c->nodes], width = (size_t)n;
    for (int b = 0; b < m->n_blocks; ++b) {
        for (int k = 0; is_in(c, b) && c->solved_place[b] >= 0 && k < width_of(m, b); ++k) {
            if (place_of(t, c, b, k) < 0) continue;
            memset(x, 0, all * sizeof *x);
            x[c->place[b] - from + k] = 1;
            block_sparse_solve(&c->A, x);
            double *column = S + width * (size_t)(place_of(t, c, b, k) - to);
            for (int d = 0; d < m->n_blocks; ++d) {
                if (!is_in(c, d) || c->solved_place[d] < 0) continue;
                for (int i = 0; i < width_of(m, d); ++i) {
                    const int place = place_of(t, c, d, i);
                    if (place >= 0) column[place - to] = x[c->place[d] - from + i];
                }
            }
        }
    }
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

static pcs_status singular(void)
{
    return pcs_fail_range(PCS_ERR_SINGULAR, "step: contacts of systems on force elements have a"
                                            " singular matrix");
}

static pcs_status solve_touched(const trial *t, pcs_arena *mem, coupling *c)
{
    const size_t n = (size_t)c->n;
    size_t *off = PCS_TAKE(mem, n, size_t);
    if (!off) return pcs_fail_memory("step: forces");

    // all other blocks keep their factors; those of the touched systems follow them
    const int width = c->solved_start[c->sparse + 1] - c->solved_start[c->sparse];
    const size_t square = (size_t)width * (size_t)width, room = c->values + square;
    double *lu = PCS_TAKE(mem, 2 * room, double);
    int *piv = PCS_TAKE(mem, (size_t)c->solved_start[c->n], int);
    pcs_arena scratch = *mem;
    double *S = PCS_TAKE(&scratch, square, double);
    double *x = PCS_TAKE(&scratch, (size_t)c->node_start[c->nodes], double);
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
    condense(t, width, x, S, c);
    const bool good = invert(width, S, piv + c->solved_start[c->sparse], lu + c->values) &&
                      block_lu_factor_one(&c->solved, c->sparse);
    return good ? PCS_OK : singular();
}

// ---- with all systems ---------------------------------------------------------------------------

// The systems that are solved, in the order of their first velocities: each of the sparse block,
// and all other joined blocks. first: per joined block its number
static void lay_out_all(const trial *t, int *first, coupling *c)
{
    const pcs_model *m = t->m;
    int n = 0;
    c->solved_start[0] = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        const int j = c->of[b], within = c->place[b] - c->start[j];
        if (is_in(c, b) || within == 0) {
            const int width = is_in(c, b) ? width_of(m, b) : c->start[j + 1] - c->start[j];
            c->solved_start[n + 1] = c->solved_start[n] + width;
            first[j] = n++;
        }
        c->solved_of[b] = first[j];
        c->solved_place[b] = c->solved_start[first[j]] + (is_in(c, b) ? 0 : within);
    }
    c->solved.nb = n;
}

// block b of the sparse block as block s of the factors: those of ((A^-1)_bb)^-1, with the values
// of A
static bool put_system(coupling *c, int node, int s, double *room)
{
    block_lu *F = &c->solved;
    const size_t w = (size_t)(F->start[s + 1] - F->start[s]), square = w * w;
    memcpy(room, block_sparse_inverse(&c->A, node), square * sizeof *room);
    const bool good =
        invert((int)w, room, F->piv + F->start[s], F->lu + F->off[s]) && block_lu_factor_one(F, s);
    memcpy(F->val + F->off[s], block_sparse_entry(&c->A, node, node), square * sizeof *room);
    return good;
}

// the factors of all systems that are solved
static pcs_status put_systems(const trial *t, pcs_arena *mem, coupling *c)
{
    const pcs_model *m = t->m;
    block_lu *F = &c->solved;
    size_t values = c->values, widest = 0;
    for (int k = 0; k < c->nodes; ++k) {
        const size_t w = (size_t)(c->node_start[k + 1] - c->node_start[k]);
        values += w * w;
        if (w > widest) widest = w;
    }
    const size_t n = (size_t)F->nb;
    size_t *off = PCS_TAKE(mem, n, size_t);
    int *node = PCS_TAKE(mem, n, int), *of_node = PCS_TAKE(mem, (size_t)c->nodes, int);
    unsigned char *kind = PCS_TAKE(mem, n, unsigned char);
    const envelope **of = PCS_TAKE(mem, n, const envelope *);
    double *lu = PCS_TAKE(mem, 2 * values, double);
    int *piv = PCS_TAKE(mem, (size_t)m->nv, int);
    PCS_TRY(block_sparse_invert(&c->A, mem));
    pcs_arena scratch = *mem;
    double *room = PCS_TAKE(&scratch, widest * widest, double);
    if (!off || !node || !of_node || !kind || !of || !lu || !piv || !room)
        return pcs_fail_memory("step: forces");
    *F = (block_lu){.nb = F->nb,
                    .start = c->solved_start,
                    .off = off,
                    .lu = lu,
                    .piv = piv,
                    .kind = kind,
                    .val = lu + values,
                    .of = of,
                    .joined = &c->A,
                    .node = node,
                    .of_node = of_node};
    memcpy(lu, c->F.lu, c->values * sizeof *lu);
    memcpy(F->val, c->F.val, c->values * sizeof *lu);
    values = c->values;
    for (int b = 0; b < m->n_blocks; ++b) {
        const int s = c->solved_of[b], j = c->of[b], w = F->start[s + 1] - F->start[s];
        node[s] = c->node[b];
        if (!is_in(c, b)) {
            off[s] = c->off[j];
            kind[s] = c->kind[j];
            of[s] = c->F.of[j];
            memcpy(piv + F->start[s], c->F.piv + c->start[j], (size_t)w * sizeof *piv);
            continue;
        }
        off[s] = values;
        values += (size_t)w * (size_t)w;
        kind[s] = BLOCK_DENSE;
        of[s] = NULL;
        of_node[node[s]] = s;
        if (!put_system(c, node[s], s, room)) return singular();
    }
    return PCS_OK;
}

// the rotations of the systems that are solved
static void put_rotations(const trial *t, const double *R, coupling *c)
{
    for (int b = 0; b < t->m->n_blocks; ++b) {
        memcpy(c->R + 9 * (size_t)c->solved_of[b], R + 9 * (size_t)b, 9 * sizeof *R);
    }
}

// Contacts on at most this many velocities are solved with their Schur complement, and all where a
// system with sparse matrices takes part
enum { TOUCHED_MOST = 48 };

pcs_status sparse_problem(const trial *t, const bodies_problem *problem, pcs_arena *mem)
{
    coupling *c = t->joined;
    const size_t n = (size_t)t->m->n_blocks;
    c->solved_of = PCS_TAKE(mem, n, int);
    c->solved_place = PCS_TAKE(mem, n, int);
    c->solved_start = PCS_TAKE(mem, n + 1, int);
    pcs_arena scratch = *mem;
    int *first = PCS_TAKE(&scratch, (size_t)c->n, int);
    if (!c->solved_of || !c->solved_place || !c->solved_start || !first)
        return pcs_fail_memory("step: forces");
    PCS_TRY(find_columns(t, problem, mem, c));
    lay_out_touched(t, problem, c);
    const int touched = c->solved_start[c->sparse + 1] - c->solved_start[c->sparse];
    c->apart = touched > TOUCHED_MOST && !c->split;
    if (!c->apart) return solve_touched(t, mem, c);
    lay_out_all(t, first, c);
    PCS_TRY(put_systems(t, mem, c));
    put_rotations(t, problem->R, c);
    return PCS_OK;
}
