// The velocities that impulses other than those of a step give its bodies, for the paths of
// confirm.c. Joints answer such impulses: without the push of a contact a plate on a slider must
// not get the spin with which the slider opposed this push. The bodies that joints connect with
// each other, a group, have
//
//     R(v) = p + J^T r,   J v + shift = 0   for all rows J of their joints.
//
// The rows are linear, and R nearly so: with A at v' and b = J v + shift, steps of J A^-1 J^T dr =
// -b are added to r until b is small. A without force elements is near enough for that.
#include "step/jointed.h"

#include <string.h>

#include "solver/solver.h"
#include "step/couple.h"

// largest number of steps, their tolerance, and the part of the units that is left for each
#define ANSWERS     8
#define ANSWER_TOL  1e-9
#define ANSWER_PART 0.125

// b relative to the velocities of the group: small enough; the most with which joints count as kept
#define ANSWERED 1e-6
#define KEPT     1e-3

static bool is_joint(const trial *t, int i)
{
    const candidate *c = &t->list.c[i];
    return c->active && c->at >= 0 && t->list.k[i].cone == PCS_CONE_EQUALITY;
}

static int side_of(const bodies_block *k)
{
    return k->sys[0] >= 0 ? k->sys[0] : k->sys[1];
}

// sorts the items with a group by it; start: n + 1, zeros on entry
static void sort(int n, int items, const int *of, int *start, int *out)
{
    for (int i = 0; i < items; ++i) {
        if (of[i] >= 0) start[of[i] + 1] += 1;
    }
    for (int g = 0; g < n; ++g) {
        start[g + 1] += start[g];
    }
    for (int i = 0; i < items; ++i) {
        if (of[i] >= 0) out[start[of[i]]++] = i;
    }
    memmove(start + 1, start, (size_t)n * sizeof *start);
    start[0] = 0;
}

pcs_status jointed_find(const trial *t, pcs_arena *mem, jointed *out)
{
    const size_t nb = (size_t)t->m->n_blocks;
    int n = 0, any = 0;
    *out = (jointed){.n = 0};
    // interactions come first
    while (n < t->list.n && t->list.c[n].joint) {
        any += is_joint(t, n++);
    }
    if (any == 0) return PCS_OK;
    out->group = PCS_TAKE(mem, nb, int);
    out->start = PCS_TAKE(mem, nb + 1, int);
    out->block = PCS_TAKE(mem, nb, int);
    out->joint_start = PCS_TAKE(mem, nb + 1, int);
    out->joint = PCS_TAKE(mem, (size_t)n, int);
    out->pushed = PCS_TAKE(mem, 2 * nb, bool);
    pcs_arena scratch = *mem;
    int *up = PCS_TAKE(&scratch, nb, int), *of = PCS_TAKE(&scratch, (size_t)n, int);
    if (!out->group || !out->start || !out->block || !out->joint_start || !out->joint ||
        !out->pushed || !up || !of) {
        return pcs_fail_memory("step: paths");
    }
    out->loose = out->pushed + nb;
    memset(out->pushed, 0, 2 * nb * sizeof(bool));
    for (size_t b = 0; b < nb; ++b) {
        up[b] = (int)b;
        out->group[b] = -1;
    }
    memset(out->start, 0, (nb + 1) * sizeof(int));
    memset(out->joint_start, 0, (nb + 1) * sizeof(int));
    for (int i = 0; i < n; ++i) {
        const int *sys = t->list.k[i].sys;
        if (!is_joint(t, i) || sys[0] < 0 || sys[1] < 0) continue;
        const int one = island_root(up, sys[0]), two = island_root(up, sys[1]);
        up[one > two ? one : two] = one > two ? two : one;
    }
    for (int i = 0; i < n; ++i) {
        const int side = is_joint(t, i) ? side_of(&t->list.k[i]) : -1;
        if (side >= 0 && out->group[island_root(up, side)] < 0) {
            out->group[island_root(up, side)] = out->n++;
        }
        of[i] = side < 0 ? -1 : out->group[island_root(up, side)];
    }
    for (size_t b = 0; b < nb; ++b) {
        out->group[b] = out->group[island_root(up, (int)b)];
    }
    sort(out->n, (int)nb, out->group, out->start, out->block);
    sort(out->n, n, of, out->joint_start, out->joint);
    return PCS_OK;
}

// ---- velocities -------------------------------------------------------------------------------

// The velocities that p gives block b; linear: R at v'
static pcs_status set_block(const trial *t, int b, bool linear, const double *p, pcs_arena mem,
                            double *v)
{
    const int at = t->m->block_start[b], end = t->m->block_start[b + 1];
    if (t->joined) {
        PCS_TRY(couple_solve_block(t, b, p, mem, v + at));
    } else {
        memcpy(v + at, p + at, (size_t)(end - at) * sizeof *v);
        block_lu_solve(&t->solution.lu, b, v + at);
    }
    for (int i = at; i < end; ++i) {
        v[i] += t->solution.v_free[i];
    }
    return linear ? PCS_OK : step_part_velocity(t, b, p + at, mem, v + at);
}

// the joints of a group, on its systems alone
typedef struct answer {
    bodies_problem problem;
    block_lu A;
    double *v, *b, *r, *u; // v: zeros
} answer;

static pcs_status begin(const trial *t, const jointed *j, int g, pcs_arena *mem, answer *out)
{
    const pcs_model *m = t->m;
    const int ns = j->start[g + 1] - j->start[g], nb = j->joint_start[g + 1] - j->joint_start[g];
    int *number = PCS_TAKE(mem, (size_t)m->n_blocks, int);
    int *start = PCS_TAKE(mem, (size_t)ns + 1, int);
    size_t *off = PCS_TAKE(mem, (size_t)ns, size_t), values = 0;
    unsigned char *kind = PCS_TAKE(mem, (size_t)ns, unsigned char);
    const envelope **of = PCS_TAKE(mem, (size_t)ns, const envelope *);
    double *R = PCS_TAKE(mem, 9 * (size_t)ns, double);
    bodies_block *block = PCS_TAKE(mem, (size_t)nb, bodies_block);
    if (!number || !start || !off || !kind || !of || !R || !block) {
        return pcs_fail_memory("step: paths");
    }
    start[0] = 0;
    for (int k = 0; k < ns; ++k) {
        const int b = j->block[j->start[g] + k];
        const model_system *s = &m->system[m->block_system[b]];
        number[b] = k;
        start[k + 1] = start[k] + s->nv;
        off[k] = values;
        values += system_factor_size(s);
        of[k] = s->sparse ? t->work->sparse[b] : NULL;
        memcpy(R + 9 * (size_t)k, t->rotation + 9 * (size_t)b, 9 * sizeof *R);
    }
    int rows = 0;
    for (int k = 0; k < nb; ++k) {
        const int i = j->joint[j->joint_start[g] + k];
        block[k] = t->list.k[i];
        block[k].row = rows;
        rows += block[k].dim;
        for (int side = 0; side < 2; ++side) {
            if (block[k].sys[side] >= 0) block[k].sys[side] = number[block[k].sys[side]];
        }
    }
    const size_t nv = (size_t)start[ns];
    out->A = (block_lu){.nb = ns, .start = start, .off = off, .kind = kind, .of = of};
    out->A.lu = PCS_TAKE(mem, values, double);
    out->A.val = PCS_TAKE(mem, values, double);
    out->A.piv = PCS_TAKE(mem, nv, int);
    out->v = PCS_TAKE(mem, nv, double);
    out->b = PCS_TAKE(mem, 3 * (size_t)rows, double);
    if (!out->A.lu || !out->A.val || !out->A.piv || !out->v || !out->b) {
        return pcs_fail_memory("step: paths");
    }
    out->r = out->b + rows;
    out->u = out->r + rows;
    for (int k = 0; k < ns; ++k) {
        PCS_TRY(step_block_factors(t, j->block[j->start[g] + k], *mem, &out->A, kind, k));
    }
    out->problem = (bodies_problem){
        .n = rows, .nb = nb, .block = block, .shift = out->b, .A = &out->A, .R = R};
    return PCS_OK;
}

// b of the joints of a group; returns its largest number
static double left_of(const trial *t, const jointed *j, int g, const double *v, double *b)
{
    double most = 0;
    for (int k = j->joint_start[g], row = 0; k < j->joint_start[g + 1]; ++k) {
        const int i = j->joint[k], dim = t->list.k[i].dim;
        bodies_block_velocity(&t->list.k[i], t->m->block_start, t->rotation, v, b + row);
        for (int a = 0; a < dim; ++a, ++row) {
            b[row] += t->solution.shift[t->list.c[i].at + a];
            most = fmax(most, fabs(b[row]));
        }
    }
    return most;
}

// adds the impulses of joints that answer b to p
static pcs_status push(const trial *t, const jointed *j, int g, const answer *a, pcs_arena mem,
                       double *p)
{
    pcs_solver_opts opts = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    opts.tol = ANSWER_TOL;
    step_limit_seconds(t->work, &opts);
    memset(a->v, 0, (size_t)a->A.start[a->A.nb] * sizeof *a->v);
    memset(a->r, 0, (size_t)a->problem.n * sizeof *a->r);
    bodies_report report;
    PCS_TRY(bodies_solve(&a->problem, &opts, (pcs_watch){0}, ANSWER_PART * step_units(t->work, 1),
                         NULL, mem, a->v, a->r, a->u, &report));
    step_spend(t->work, report.units);
    for (int k = j->joint_start[g], row = 0; k < j->joint_start[g + 1]; ++k) {
        const bodies_block *of = &t->list.k[j->joint[k]];
        bodies_block_impulse(of, t->m->block_start, t->rotation, a->r + row, p);
        row += of->dim;
    }
    return PCS_OK;
}

// the largest velocity of a group in the step
static double fastest(const trial *t, const jointed *j, int g)
{
    double most = 0;
    for (int k = j->start[g]; k < j->start[g + 1]; ++k) {
        const int b = j->block[k];
        for (int i = t->m->block_start[b]; i < t->m->block_start[b + 1]; ++i) {
            most = fmax(most, fmax(fabs(t->end.v[i]), fabs(t->st->v[i])));
        }
    }
    return most;
}

static pcs_status set_group(const trial *t, jointed *j, int g, pcs_arena mem, double *p, double *v)
{
    const double most = fastest(t, j, g);
    double left = INFINITY;
    answer a;
    PCS_TRY(begin(t, j, g, &mem, &a));
    for (int n = 0; n <= ANSWERS; ++n) {
        // the first b is that of impulses without answer, which may give any spin
        for (int k = j->start[g]; k < j->start[g + 1]; ++k) {
            PCS_TRY(set_block(t, j->block[k], n == 0, p, mem, v));
        }
        left = left_of(t, j, g, v, a.b);
        if ((n > 0 && left <= ANSWERED * most) || n == ANSWERS || !isfinite(left)) break;
        PCS_TRY(push(t, j, g, &a, mem, p));
    }
    j->pushed[g] = false;
    j->loose[g] = !(left <= KEPT * most);
    return PCS_OK;
}

pcs_status jointed_velocity(const trial *t, jointed *j, int b, pcs_arena mem, double *p, double *v)
{
    const int g = jointed_group(j, b);
    return g < 0 ? set_block(t, b, false, p, mem, v) : set_group(t, j, g, mem, p, v);
}
