// Force elements in the theta scheme. An element of two moving systems adds
//
//     h theta D + h^2 theta^2 K,   D = -dF/dv,  K = -(dF/dq) T,
//
// to the iteration matrix A, also outside of its diagonal. Systems that elements connect therefore
// share one joined block of A; all other systems keep their own. The contact problem is solved on
// the joined blocks, with rows of contacts as wide as these.
//
// The first iterate starts from the forces linearised at the start of the step,
//
//     F(q', v') = F(q_k, v_k) - K h v_k - ...,
//
// and not from those at q_k + h v_k, which a stiff spring never reaches. Linear elements need no
// second iterate.
#include "step/couple.h"

#include <float.h>
#include <string.h>

// part of a force that is rounding of the coordinates
#define ROUNDING (4 * DBL_EPSILON)

// ---- the joined blocks --------------------------------------------------------------------------

static int block_of(const pcs_model *m, const model_force *f, int e)
{
    return f->system[e] < 0 ? -1 : m->system[f->system[e]].block;
}

// up: of each block of the model
static void join_blocks(const pcs_model *m, int *up)
{
    for (int b = 0; b < m->n_blocks; ++b) {
        up[b] = b;
    }
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        const int one = block_of(m, f, 0), two = block_of(m, f, 1);
        if (one < 0 || two < 0 || !force_acts(m, f)) continue;
        const int a = island_root(up, one), b = island_root(up, two);
        up[a > b ? a : b] = a > b ? b : a;
    }
}

// velocities of a joined block that is still factorised as a dense matrix; larger ones together are
// a sparse one
enum { DENSE_MOST = 192 };

// joins all large blocks, and those of systems with sparse matrices, into one; its root is their
// first system, -1: there is none
static int join_large(const pcs_model *m, int *up, int *width)
{
    int root = -1;
    memset(width, 0, (size_t)m->n_blocks * sizeof *width);
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        width[island_root(up, b)] += m->block_start[b + 1] - m->block_start[b];
        if (s->sparse && s->forces > 0) width[island_root(up, b)] += DENSE_MOST + 1;
    }
    for (int b = 0; b < m->n_blocks; ++b) {
        const bool alone = width[b] == m->block_start[b + 1] - m->block_start[b];
        if (up[b] != b || alone || width[b] <= DENSE_MOST) continue;
        if (root < 0) root = b;
        up[b] = root;
    }
    return root;
}

// places of the velocities and of the values of the joined blocks; numbers them in the order of
// their first systems
static size_t lay_out(const pcs_model *m, int *up, int large, coupling *c)
{
    for (int b = 0; b < m->n_blocks; ++b) {
        const int root = island_root(up, b);
        if (root == b) {
            c->members[c->n] = 0;
            c->of[b] = c->n++;
        }
        c->of[b] = c->of[root];
        c->members[c->of[b]] += 1;
    }
    c->sparse = large < 0 ? -1 : c->of[large];
    memset(c->start, 0, ((size_t)c->n + 1) * sizeof *c->start);
    for (int b = 0; b < m->n_blocks; ++b) {
        c->place[b] = c->start[c->of[b] + 1]; // within the joined block
        c->start[c->of[b] + 1] += m->block_start[b + 1] - m->block_start[b];
    }
    for (int j = 0; j < c->n; ++j) {
        c->start[j + 1] += c->start[j];
    }
    size_t values = 0;
    for (int b = 0; b < m->n_blocks; ++b) {
        const int j = c->of[b];
        const size_t width = (size_t)(c->start[j + 1] - c->start[j]);
        const bool first = c->place[b] == 0;
        c->place[b] += c->start[j];
        if (!first) continue;
        c->off[j] = values;
        if (j == c->sparse) continue;
        values +=
            c->members[j] > 1 ? width * width : system_factor_size(&m->system[m->block_system[b]]);
    }
    return values;
}

pcs_status couple_begin(const trial *t, pcs_arena *mem, coupling **out)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)m->n_blocks, nv = (size_t)m->nv;
    coupling *c = *out = PCS_TAKE(mem, 1, coupling);
    int *room = PCS_TAKE(mem, 4 * n + 1 + nv, int);
    size_t *off = PCS_TAKE(mem, n, size_t);
    unsigned char *kind = PCS_TAKE(mem, n, unsigned char);
    double *start = PCS_TAKE(mem, 3 * nv, double);
    pcs_arena scratch = *mem;
    int *up = PCS_TAKE(&scratch, n, int), *width = PCS_TAKE(&scratch, n, int);
    if (!c || !width || !room || !off || !kind || !start || !up)
        return pcs_fail_memory("step: forces");
    *c = (coupling){.of = room,
                    .place = room + n,
                    .members = room + 2 * n,
                    .start = room + 3 * n,
                    .off = off,
                    .kind = kind,
                    .at_start = {start, start + nv, start},
                    .rounding = start + 2 * nv};
    join_blocks(m, up);
    const size_t values = c->values = lay_out(m, up, join_large(m, up, width), c);
    const envelope **of = PCS_TAKE(mem, n, const envelope *);
    double *lu = PCS_TAKE(mem, 2 * values, double);
    c->R = PCS_TAKE(mem, 9 * n, double);
    if (!lu || !c->R || !of) return pcs_fail_memory("step: forces");
    for (size_t b = 0; b < n; ++b) {
        of[c->of[b]] = t->work->sparse[b];
    }
    c->F = (block_lu){.nb = c->n,
                      .start = c->start,
                      .off = off,
                      .lu = lu,
                      .piv = room + 4 * n + 1,
                      .kind = kind,
                      .val = lu + values,
                      .of = of};
    c->solved = c->F;
    c->solved_of = c->of;
    c->solved_start = c->start;
    c->solved_place = c->place;
    return c->sparse < 0 ? PCS_OK : sparse_begin(t, mem, c);
}

// where the values of two systems of one joined block are, and the distance of their columns
static double *slot_of(const trial *t, int row, int column, size_t *stride)
{
    const coupling *c = t->joined;
    const int j = c->of[row];
    if (j == c->sparse) return sparse_slot(t, row, column, stride);
    *stride = (size_t)(c->start[j + 1] - c->start[j]);
    return c->F.lu + c->off[j] + (c->place[row] - c->start[j]) +
           *stride * (size_t)(c->place[column] - c->start[j]);
}

// copies velocities, or impulses, from the order of the model to that of the joined blocks, or back
static void reorder(const trial *t, const int *place, bool back, double *model, double *joined)
{
    const coupling *c = t->joined;
    for (int b = 0; b < t->m->n_blocks; ++b) {
        if (place[b] < 0) continue; // not in this order
        if (place == c->solved_place && c->solved_column && couple_is_split(t->m, c, b)) {
            for (int i = t->m->block_start[b]; i < t->m->block_start[b + 1]; ++i) {
                if (c->solved_column[i] < 0) continue;
                if (back) model[i] = joined[c->solved_column[i]];
                if (!back) joined[c->solved_column[i]] = model[i];
            }
            continue;
        }
        double *one = model + t->m->block_start[b], *two = joined + place[b];
        const size_t bytes =
            (size_t)(t->m->block_start[b + 1] - t->m->block_start[b]) * sizeof *one;
        memcpy(back ? one : two, back ? two : one, bytes);
    }
}

// ---- forces -------------------------------------------------------------------------------------

// the sides of an element at the start of the step, or at its end. `predicted`: moving systems at
// the start and driven ones at the end
static void sides_in_step(const trial *t, const model_force *f, bool end, bool predicted,
                          force_side side[2])
{
    const pcs_model *m = t->m;
    const double *driven[2] = {NULL, NULL};
    for (int e = 0; e < 2; ++e) {
        if (f->system[e] >= 0) driven[e] = driven_velocity(t, f->system[e], end || predicted);
    }
    force_sides(m, f, end ? t->end.q_force : t->q_force, end ? t->end.v : t->st->v, driven, side);
    for (int e = 0; e < 2; ++e) {
        if (!driven[e]) continue;
        const int other = f->system[1 - e];
        if (t->ahead && other >= 0 && t->ahead[other]) {
            side[e].q = driven_behind(t, f->system[e], end || predicted);
        } else if (predicted) {
            side[e].q = t->end.q_force + m->system[f->system[e]].q_at;
        }
    }
}

// memory for the forces of an element
static pcs_status take_force(const trial *t, const model_force *f, const force_side side[2],
                             pcs_arena *mem, force_sum *F)
{
    const size_t N = (size_t)side[0].n + (size_t)side[1].n;
    F->conservative = PCS_TAKE(mem, 2 * N + force_room(t->m, f), double);
    if (!F->conservative) return pcs_fail_memory("step: forces");
    F->other = F->conservative + N;
    F->room = F->other + N;
    return PCS_OK;
}

// adds the forces of an element to those of its moving systems, and -part times them to R, if it is
// not null
static void add_forces(const trial *t, const model_force *f, const force_side side[2], force_sum F,
                       system_force to, double *R)
{
    for (int e = 0, k = 0; e < 2; k += side[e].n, ++e) {
        if (!system_moves(t->m, f->system[e])) continue;
        const int at = t->m->system[f->system[e]].v_at;
        const double part = t->h * step_force_part(t, f->system[e]);
        const model_system *s = &t->m->system[f->system[e]];
        for (int i = 0; i < side[e].n; ++i) {
            if (system_locks(s, i)) continue;
            to.conservative[at + i] += F.conservative[k + i];
            to.other[at + i] += F.other[k + i];
            if (R) R[at + i] -= part * (F.conservative[k + i] + F.other[k + i]);
        }
    }
}

void couple_add_start(const trial *t, const model_system *s, system_force F)
{
    const system_force own = force_at(t->joined->at_start, s->v_at);
    for (int i = 0; i < s->nv; ++i) {
        F.conservative[i] += own.conservative[i];
        F.other[i] += own.other[i];
    }
}

// K and D of an element, from the arena
static pcs_status take_jacobian(const trial *t, const model_force *f, const force_side side[2],
                                pcs_arena *mem, double **K, double **D)
{
    const size_t N = (size_t)side[0].n + (size_t)side[1].n;
    *K = PCS_TAKE(mem, 2 * N * N, double);
    double *work = PCS_TAKE(mem, force_work(t->m, f, side), double);
    if (!*K || !work) return pcs_fail_memory("step: forces");
    *D = *K + N * N;
    return force_jacobian(t->m, f, t->st->t + t->h, side, work, *K, *D);
}

// F -= K h v_k, with v_k of the systems that move
static pcs_status predict(const trial *t, const model_force *f, const force_side side[2],
                          pcs_arena mem, force_sum F)
{
    const int N = side[0].n + side[1].n;
    double *K, *D;
    PCS_TRY(take_jacobian(t, f, side, &mem, &K, &D));
    for (int e = 0, k = 0; e < 2; ++e) {
        const bool moves = system_moves(t->m, f->system[e]);
        for (int j = 0; j < side[e].n; ++j, ++k) {
            const double d = moves ? t->h * side[e].v[j] : 0;
            for (int i = 0; i < N && d != 0; ++i) {
                F.conservative[i] -= K[i + (size_t)N * (size_t)k] * d;
            }
        }
    }
    return PCS_OK;
}

// adds the forces of all elements, with the sides of sides_in_step
static pcs_status add_elements(const trial *t, bool end, bool predicted, pcs_arena mem,
                               system_force to, double *R)
{
    const pcs_model *m = t->m;
    const double time = end || predicted ? t->st->t + t->h : t->st->t;
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        if (!force_acts(m, f)) continue;
        pcs_arena scope = mem;
        force_side side[2];
        force_sum F;
        sides_in_step(t, f, end, predicted, side);
        PCS_TRY(take_force(t, f, side, &scope, &F));
        PCS_TRY(force_evaluate(m, f, time, side, F, NULL));
        if (predicted && posed_element(m, f)) {
            PCS_TRY(posed_predict(t, f, side, scope, F));
        } else if (predicted) {
            PCS_TRY(predict(t, f, side, scope, F));
        }
        add_forces(t, f, side, F, to, R);
    }
    return PCS_OK;
}

// rad: change of an angle in a step beyond what its rates explain, that is a jump or the passage of
// a place where it has no value
#define JUMP 0.1

#define WHOLE_TURN 6.28318530717958648

// the largest change of the angles of an element that their rates do not explain; a bushing only
// jumps, by a whole turn
static double jump_of(const trial *t, const model_force *f, double part, const force_measure end[2])
{
    double most = 0;
    if (f->def.kind == PCS_FORCE_TORSION) {
        const double rate = (1 - part) * end[0].speed + part * end[1].speed;
        return fabs(end[1].length - end[0].length - t->h * rate);
    }
    for (int i = 3; i < 6; ++i) {
        const double change = fabs(end[1].strain[i] - end[0].strain[i]);
        most = fmax(most, change > 0.5 * WHOLE_TURN ? change : 0);
    }
    return most;
}

pcs_status couple_gain(const trial *t, const model_force *f, pcs_arena mem, double *gain,
                       double *energy, bool *jumps)
{
    const bool turns = f->def.kind == PCS_FORCE_TORSION || f->def.kind == PCS_FORCE_BUSHING;
    *gain = *energy = 0;
    *jumps = false;
    if (!turns || f->carried || !force_acts(t->m, f)) return PCS_OK;
    force_side side[2][2];
    force_sum F[2];
    force_measure measure[2];
    double V[2], work = 0, damping = 0;
    for (int end = 0; end < 2; ++end) {
        sides_in_step(t, f, end, false, side[end]);
        PCS_TRY(take_force(t, f, side[end], &mem, &F[end]));
        strain_evaluate(f, side[end], F[end], &V[end], &measure[end]);
    }
    const int mover = f->system[system_moves(t->m, f->system[0]) ? 0 : 1];
    const double part = step_force_part(t, mover);
    *jumps = jump_of(t, f, part, measure) > JUMP;
    for (int e = 0, k = 0; e < 2; ++e) {
        for (int i = 0; i < side[0][e].n; ++i, ++k) {
            const double v = 0.5 * (side[0][e].v[i] + side[1][e].v[i]);
            work += t->h * v * ((1 - part) * F[0].conservative[k] + part * F[1].conservative[k]);
            damping += t->h * v * ((1 - part) * F[0].other[k] + part * F[1].other[k]);
        }
    }
    *gain = V[1] - V[0] + work + fmax(0, damping);
    *energy = V[0] + V[1];
    return PCS_OK;
}

pcs_status couple_start(const trial *t, pcs_arena mem)
{
    const system_force to = t->joined->at_start;
    memset(to.conservative, 0, 2 * (size_t)t->m->nv * sizeof(double));
    return add_elements(t, false, false, mem, to, NULL);
}

pcs_status couple_evaluate(const trial *t, bool first, pcs_arena mem, motion *end)
{
    return add_elements(t, !first, first, mem, end->F1, end->R);
}

// ---- the iteration matrix -----------------------------------------------------------------------

// the largest coordinate of a carried body
static double largest_position(const trial *t, int system)
{
    if (system < 0) return 0;
    const double *x = t->end.q + t->m->system[system].q_at;
    return fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
}

void couple_rounding(const trial *t, const model_force *f, const force_side side[2],
                     const double *K, const double *D, double *square)
{
    const int N = side[0].n + side[1].n;
    double far = 0, part = 0;
    for (int e = 0; e < 2; ++e) {
        if (f->system[e] < 0) continue;
        const model_system *s = &t->m->system[f->system[e]];
        const int n = s->kind == SYSTEM_LAGRANGIAN ? s->nq : 3;
        for (int i = 0; i < n; ++i) {
            far = fmax(far, fabs(side[e].q[i]));
        }
        const int mover = system_mover(t->m, f->pose[e]);
        if (t->m->system[mover].nv > 0) part = t->h * step_force_part(t, mover);
    }
    for (int e = 0; e < 2; ++e) {
        const double *p = e == 0 ? f->def.p1 : f->def.p2;
        if (f->def.kind != PCS_FORCE_USER) far = fmax(far, v3_norm(p));
        if (f->pose[e] != f->system[e]) far = fmax(far, largest_position(t, f->pose[e]));
    }
    memset(square, 0, (size_t)N * sizeof *square);
    const double least = part * ROUNDING;
    for (int e = 0, k = 0; e < 2; ++e) {
        const bool pose = f->system[e] >= 0 && t->m->system[f->system[e]].kind != SYSTEM_LAGRANGIAN;
        for (int j = 0; j < side[e].n; ++j, ++k) {
            const double size = pose && j >= 3 ? 1 : far;
            for (int i = 0; i < N; ++i) {
                const size_t at = (size_t)i + (size_t)N * (size_t)k;
                const double x = least * K[at] * size, y = least * D[at] * side[e].v[j];
                square[i] += x * x + y * y;
            }
        }
    }
}

// adds an element to the joined block of its systems
static pcs_status add_element(const trial *t, const model_force *f, pcs_arena mem, coupling *c)
{
    const pcs_model *m = t->m;
    force_side side[2];
    double *K, *D;
    sides_in_step(t, f, t->end.moved, !t->end.moved, side);
    if (posed_element(m, f)) return posed_add(t, f, side, mem, c);
    PCS_TRY(take_jacobian(t, f, side, &mem, &K, &D));
    const int N = side[0].n + side[1].n;
    double *square = PCS_TAKE(&mem, (size_t)N, double);
    if (!square) return pcs_fail_memory("step: forces");
    couple_rounding(t, f, side, K, D, square);
    for (int row = 0, i0 = 0; row < 2; i0 += side[row].n, ++row) {
        if (!system_moves(m, f->system[row])) continue;
        for (int i = 0; i < side[row].n; ++i) {
            c->rounding[m->system[f->system[row]].v_at + i] += square[i0 + i];
        }
        const double a = t->h * step_force_part(t, f->system[row]);
        for (int to = 0, k0 = 0; to < 2; k0 += side[to].n, ++to) {
            if (!system_moves(m, f->system[to])) continue;
            size_t width;
            double *A = slot_of(t, block_of(m, f, row), block_of(m, f, to), &width);
            const model_system *s = &m->system[f->system[row]], *by = &m->system[f->system[to]];
            for (int k = 0; k < side[to].n; ++k) {
                for (int i = 0; !system_locks(by, k) && i < side[row].n; ++i) {
                    if (system_locks(s, i)) continue;
                    const size_t at = (size_t)(i0 + i) + (size_t)N * (size_t)(k0 + k);
                    A[(size_t)i + width * (size_t)k] += a * D[at] + a * a * K[at];
                }
            }
        }
    }
    return PCS_OK;
}

// puts the values of a system into its joined block
static pcs_status put_values(const trial *t, int b, pcs_arena mem)
{
    const size_t n = (size_t)(t->m->block_start[b + 1] - t->m->block_start[b]);
    double *A = PCS_TAKE(&mem, n * n, double);
    if (!A) return pcs_fail_memory("step: forces");
    PCS_TRY(step_block_values(t, b, mem, A));
    size_t stride;
    double *to = slot_of(t, b, b, &stride);
    for (size_t k = 0; k < n; ++k) {
        memcpy(to + stride * k, A + n * k, n * sizeof *A);
    }
    return PCS_OK;
}

pcs_status couple_factorise(const trial *t, pcs_arena mem)
{
    const pcs_model *m = t->m;
    coupling *c = t->joined;
    memset(c->rounding, 0, (size_t)m->nv * sizeof *c->rounding);
    if (c->sparse >= 0) sparse_clear(c);
    for (int b = 0; b < m->n_blocks; ++b) {
        const int j = c->of[b];
        if (m->system[m->block_system[b]].forces == 0) {
            PCS_TRY(step_block_factors(t, b, mem, &c->F, c->kind, j));
            continue;
        }
        const size_t width = (size_t)(c->start[j + 1] - c->start[j]);
        if (c->place[b] == c->start[j]) {
            c->kind[j] = BLOCK_DENSE;
            if (j != c->sparse) memset(c->F.lu + c->off[j], 0, width * width * sizeof(double));
        }
        if (couple_is_split(m, c, b)) {
            sparse_put(t, b, c);
        } else {
            PCS_TRY(put_values(t, b, mem));
        }
    }
    for (int i = 0; i < m->n_forces; ++i) {
        if (force_acts(m, &m->force[i])) PCS_TRY(add_element(t, &m->force[i], mem, c));
    }
    for (int b = 0; b < m->n_blocks; ++b) {
        const bool first = c->place[b] == c->start[c->of[b]];
        if (!first || m->system[m->block_system[b]].forces == 0) continue;
        if (c->of[b] == c->sparse) continue;
        if (!block_lu_factor_one(&c->F, c->of[b])) return step_singular(t, b);
    }
    return c->sparse < 0 ? PCS_OK : sparse_factorise(t);
}

// x = A^-1 x of one joined block
static void solve_joined(const trial *t, int j, double *x)
{
    if (j == t->joined->sparse) {
        block_sparse_solve(&t->joined->A, x);
    } else {
        block_lu_solve(&t->joined->F, j, x);
    }
}

pcs_status couple_solve(const trial *t, pcs_arena mem, double *x)
{
    double *y = PCS_TAKE(&mem, (size_t)t->m->nv, double);
    if (!y) return pcs_fail_memory("step: forces");
    reorder(t, t->joined->place, false, x, y);
    for (int j = 0; j < t->joined->n; ++j) {
        solve_joined(t, j, y + t->joined->start[j]);
    }
    reorder(t, t->joined->place, true, x, y);
    return PCS_OK;
}

pcs_status couple_solve_block(const trial *t, int b, const double *p, pcs_arena mem, double *x)
{
    const coupling *c = t->joined;
    const int *start = t->m->block_start, j = c->of[b];
    const int from = c->start[j], width = c->start[j + 1] - from;
    double *y = PCS_TAKE(&mem, (size_t)width, double);
    if (!y) return pcs_fail_memory("step: forces");
    for (int k = 0; k < t->m->n_blocks; ++k) {
        if (c->of[k] != j) continue;
        memcpy(y + c->place[k] - from, p + start[k], (size_t)(start[k + 1] - start[k]) * sizeof *y);
    }
    solve_joined(t, j, y);
    memcpy(x, y + c->place[b] - from, (size_t)(start[b + 1] - start[b]) * sizeof *y);
    return PCS_OK;
}

// ---- the contact problem ------------------------------------------------------------------------

// the rows of one side in the columns of its joined block, added to `to`
static void add_rows(const trial *t, const bodies_problem *problem, int i, int side, double *J,
                     double *to)
{
    const bodies_block *k = &problem->block[i];
    const int b = k->sys[side], j = t->joined->solved_of[b];
    const size_t dim = (size_t)k->dim;
    const size_t n = (size_t)(t->m->block_start[b + 1] - t->m->block_start[b]);
    bodies_rows(problem, i, side, J);
    if (couple_is_split(t->m, t->joined, b)) {
        for (size_t c = 0; c < n; ++c) {
            const int place = t->joined->solved_column[(size_t)t->m->block_start[b] + c];
            for (size_t a = 0; place >= 0 && a < dim; ++a) {
                to[a + dim * (size_t)(place - t->joined->solved_start[j])] += J[a + dim * c];
            }
        }
        return;
    }
    to += dim * (size_t)(t->joined->solved_place[b] - t->joined->solved_start[j]);
    for (size_t x = 0; x < dim * n; ++x) {
        to[x] += J[x];
    }
}

// a block of the problem on the joined blocks
static pcs_status join_block(const trial *t, const bodies_problem *problem, int i, pcs_arena *mem,
                             bodies_block *out)
{
    const coupling *c = t->joined;
    const bodies_block *k = &problem->block[i];
    *out = *k;
    for (int e = 0; e < 2; ++e) {
        const int b = k->sys[e];
        if (b < 0) continue;
        const int j = out->sys[e] = c->solved_of[b];
        const int n = t->m->block_start[b + 1] - t->m->block_start[b];
        const bool sparse = c->of[b] == c->sparse;
        if (sparse ? c->apart : c->members[c->of[b]] == 1) continue;
        // both sides of one joined block become one side
        const bool again = e == 1 && k->sys[0] >= 0 && c->solved_of[k->sys[0]] == j;
        const size_t size = (size_t)k->dim * (size_t)(c->solved_start[j + 1] - c->solved_start[j]);
        double *rows = again ? (double *)(uintptr_t)out->rows[0] : PCS_TAKE(mem, size, double);
        pcs_arena scope = *mem;
        double *J = PCS_TAKE(&scope, (size_t)k->dim * (size_t)n, double);
        if (!rows || !J) return pcs_fail_memory("step: forces");
        if (!again) memset(rows, 0, size * sizeof *rows);
        add_rows(t, problem, i, e, J, rows);
        out->rows[e] = again ? NULL : rows;
        if (again) out->sys[e] = -1;
    }
    return PCS_OK;
}

pcs_status couple_problem(const trial *t, const bodies_problem *problem, double *v, pcs_arena *mem,
                          solution *to, double **joined_v)
{
    const coupling *c = t->joined;
    const size_t nv = (size_t)t->m->nv;
    if (c->sparse >= 0) PCS_TRY(sparse_problem(t, problem, mem));
    bodies_problem *out = PCS_TAKE(mem, 1, bodies_problem);
    bodies_block *block = PCS_TAKE(mem, (size_t)problem->nb, bodies_block);
    *joined_v = PCS_TAKE(mem, 2 * nv, double);
    if (!out || !block || !*joined_v) return pcs_fail_memory("step: forces");
    to->solved = out;
    to->solved_free = *joined_v + nv;
    reorder(t, c->solved_place, false, v, *joined_v);
    memcpy(to->solved_free, *joined_v, nv * sizeof *v);
    for (int b = 0; !c->apart && b < t->m->n_blocks; ++b) {
        // of several bodies none is read
        memcpy(c->R + 9 * (size_t)c->of[b], problem->R + 9 * (size_t)b, 9 * sizeof(double));
    }
    for (int i = 0; i < problem->nb; ++i) {
        PCS_TRY(join_block(t, problem, i, mem, &block[i]));
    }
    *out = *problem;
    out->block = block;
    out->A = &c->solved;
    out->R = c->R;
    return PCS_OK;
}

pcs_status couple_velocities(const trial *t, const solution *s, pcs_arena mem, double *joined_v,
                             double *v)
{
    const coupling *c = t->joined;
    if (c->sparse >= 0 && !c->apart) {
        // those of the sparse block by all impulses on it
        double *p = PCS_TAKE(&mem, (size_t)t->m->nv, double);
        if (!p) return pcs_fail_memory("step: forces");
        bodies_impulses(&s->problem, s->r, p);
        PCS_TRY(couple_solve(t, mem, p));
        for (int b = 0; b < t->m->n_blocks; ++b) {
            for (int i = t->m->block_start[b];
                 c->of[b] == c->sparse && i < t->m->block_start[b + 1]; ++i) {
                v[i] = s->v_free[i] + p[i];
            }
            if (c->of[b] == c->sparse) continue;
            memcpy(v + t->m->block_start[b], joined_v + c->solved_place[b],
                   (size_t)(t->m->block_start[b + 1] - t->m->block_start[b]) * sizeof *v);
        }
        return PCS_OK;
    }
    reorder(t, c->solved_place, true, v, joined_v);
    return PCS_OK;
}

// ---- islands and energy -------------------------------------------------------------------------

bool couple_is_split(const pcs_model *m, const coupling *c, int b)
{
    return c->of[b] == c->sparse && m->system[m->block_system[b]].sparse;
}

bool couple_joins(const pcs_model *m, const model_force *f)
{
    return block_of(m, f, 0) >= 0 && block_of(m, f, 1) >= 0 && force_acts(m, f);
}

pcs_status couple_ledger(const trial *t, pcs_energy *e)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_forces; ++i) {
        const model_force *f = &m->force[i];
        double before, after, projected;
        PCS_TRY(force_potential(m, f, t->st->q, &before));
        PCS_TRY(force_potential(m, f, t->end.q_free ? t->end.q_free : t->end.q, &after));
        projected = after;
        if (t->end.q_free) PCS_TRY(force_potential(m, f, t->end.q, &projected));
        e->potential_before += before;
        e->potential_after += projected;
        e->integrator += after - before;
        e->projection += projected - after;
    }
    return PCS_OK;
}
