// Primal-dual interior point on a product of self-dual cones. With the rows of a Coulomb block
// scaled by D = s diag(1/mu, 1, 1) its cone K and the dual of K both become Q = { x_N >= |x_T| }:
//
//     z = A x + b + |z_T| e_N,   x o z = sigma comp e,   x, z in the interior of Q
//
// (z = 0 and x free on equality rows, no |z_T| on unilateral ones, two half lines in a box, below).
// With F^2 x = z the scaling of Nesterov and Todd and G = e_N z_T' / |z_T| (0 where the shift lags)
// each iteration solves
//
//     (A + (1 - G) F^2) dx = (1 - G) c - (A x + b),   dz = c - F^2 dx - z
//     c = sigma comp x^-1 - F (F x \ (F dx' o F^-1 dz'))
//
// twice with one factorisation: first with sigma = 0 and without second-order term; then with sigma
// = the cube of the part of comp that this step (dx', dz') leaves, and with the term. The step goes
// a fraction of the distance to the boundary. Two things give the last digits (cone/jordan.h):
// points store their distance from the boundary, and the whole step is computed in the frames in
// which F is diagonal. Since z_N - |z_T| is u_N, which is linear in x, z moves along (u_N, z_T)
// where the shift is differentiated, and a full step leaves no residual.
#include "solver/ipm.h"

#include <string.h>

#include "cone/cone.h"
#include "cone/jordan.h"

// bounds of the centring
#define SIGMA_LOW  1e-6
#define SIGMA_HIGH 0.9
// comp of a start near r: this many times the largest error squared, and at least NEAR_LEAST
#define NEAR_PART  10.0
#define NEAR_LEAST 1e-6
// The residual of a step is a part of the right side or of the step: this many times comp, between
// these bounds. It is far below x o z, and the next step removes it
#define PART      1e-3
#define PART_LOW  1e-13
#define PART_HIGH 1e-10
// With friction, after a step below SHORT some x o z are far below the others, and further steps
// become shorter. All are then brought to RECENTRED comp, unless comp is below ROUNDED, where
// rounding shortens the steps
#define SHORT     0.1
#define RECENTRED 10.0
#define ROUNDED   1e-12

size_t ipm_bytes(int n, int nb)
{
    const size_t rows = (size_t)n, blocks = (size_t)nb;
    return self_dual_bytes(n, nb) + 5 * solver_bytes(rows, sizeof(double)) +
           5 * solver_bytes(blocks, sizeof(double)) + solver_bytes(2 * blocks, sizeof(double)) +
           solver_bytes(3 * blocks, sizeof(double));
}

bool ipm_take(ipm *w, const pcs_ipm_opts *o, int n, int nb, const pcs_block *block,
              pcs_arena *arena)
{
    *w = (ipm){.o = *o};
    if (!self_dual_take(&w->k, n, nb, block, arena)) return false;
    double **vector[] = {&w->x, &w->z, &w->dx, &w->dz, &w->Ax};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = PCS_TAKE(arena, (size_t)n, double);
        if (!*vector[i]) return false;
    }
    w->gx = PCS_TAKE(arena, (size_t)nb, double);
    w->gz = PCS_TAKE(arena, (size_t)nb, double);
    w->frame = PCS_TAKE(arena, 2 * (size_t)nb, double);
    w->e = PCS_TAKE(arena, 3 * (size_t)nb, double);
    w->box.gap = PCS_TAKE(arena, (size_t)nb, double);
    w->box.z = PCS_TAKE(arena, (size_t)nb, double);
    w->box.dz = PCS_TAKE(arena, (size_t)nb, double);
    return w->gx && w->gz && w->frame && w->e && w->box.gap && w->box.z && w->box.dz;
}

// ---- boxes -------------------------------------------------------------------------------------

// A box |x| <= b is two half lines: with the gaps g = b + x (in gx) and g' = b - x (in box.gap),
//
//     A x + b - z + z' = 0,   g z = g' z' = sigma comp      z in z and gz, z' in box.z
//
// so that dz = c - z - (z / g) dx and dz' = c' - z' + (z' / g') dx, and the diagonal of the system
// has z / g + z' / g'. Of the gaps the smaller one is moved, the other one follows.

static bool is_box(const ipm *w, int b)
{
    return w->k.bound[b] > 0;
}

// x from the smaller gap, which keeps its digits
static double box_place(double bound, double low, double high)
{
    return low < high ? low - bound : bound - high;
}

// brings x and z, z' to g z = g' z' = t, x near y
static void set_box(ipm *w, int b, double y, double t)
{
    const double bound = w->k.bound[b];
    const double low = soc_smooth(bound + y, t).a, high = soc_smooth(bound - y, t).a;
    w->gx[b] = low < high ? fmin(low, bound) : 2 * bound - fmin(high, bound);
    w->box.gap[b] = low < high ? 2 * bound - fmin(low, bound) : fmin(high, bound);
    w->gz[b] = t / w->gx[b];
    w->box.z[b] = t / w->box.gap[b];
    w->z[w->k.block[b].row] = w->gz[b];
    w->x[w->k.block[b].row] = box_place(bound, w->gx[b], w->box.gap[b]);
}

static void box_right_side(ipm *w, int b, double target, bool corrected)
{
    const int i = w->k.block[b].row;
    const double low = w->gx[b], high = w->box.gap[b];
    double c = target / low, other = target / high;
    if (corrected) {
        c -= w->dx[i] * w->dz[i] / low;
        other += w->dx[i] * w->box.dz[b] / high;
    }
    w->dx[i] = c - other - w->Ax[i];
    w->dz[i] = c - w->gz[b];
    w->box.dz[b] = other - w->box.z[b];
}

static double box_longest(const ipm *w, int b, double a)
{
    const int i = w->k.block[b].row;
    const double value[4] = {w->gx[b], w->box.gap[b], w->gz[b], w->box.z[b]};
    const double rate[4] = {w->dx[i], -w->dx[i], w->dz[i], w->box.dz[b]};
    for (int c = 0; c < 4; ++c) {
        if (rate[c] < 0 && -value[c] / rate[c] < a) a = -value[c] / rate[c];
    }
    return a;
}

// g z + g' z' after a step
static double box_comp(const ipm *w, int b, double h)
{
    const int i = w->k.block[b].row;
    return (w->gx[b] + h * w->dx[i]) * (w->gz[b] + h * w->dz[i]) +
           (w->box.gap[b] - h * w->dx[i]) * (w->box.z[b] + h * w->box.dz[b]);
}

static void box_advance(ipm *w, int b)
{
    const int i = w->k.block[b].row;
    const double low = w->gx[b] + w->step * w->dx[i], high = w->box.gap[b] - w->step * w->dx[i];
    const double bound = w->k.bound[b];
    // the larger gap follows from the smaller one
    w->gx[b] = low < high ? low : 2 * bound - high;
    w->box.gap[b] = low < high ? 2 * bound - low : high;
    w->gz[b] += w->step * w->dz[i];
    w->z[i] = w->gz[b];
    w->box.z[b] += w->step * w->box.dz[b];
    w->x[i] = box_place(bound, w->gx[b], w->box.gap[b]);
}

// ---- the iterate -------------------------------------------------------------------------------

void ipm_begin(ipm *w, const double *s, const double *q)
{
    self_dual_begin(&w->k, s, q);
    for (int b = 0; b < w->k.nb; ++b) {
        const pcs_block *k = &w->k.block[b];
        for (int c = 0; c < k->dim; ++c) {
            w->x[k->row + c] = w->z[k->row + c] = c == 0 && w->k.dim[b] > 0;
        }
        w->gx[b] = w->gz[b] = 1;
        if (is_box(w, b)) set_box(w, b, 0, 1);
    }
}

// y = x - z of a block at z = A x + b + |z_T| e_N, with A x in Ax
static void offset(const ipm *w, int b, double y[3])
{
    const int i = w->k.block[b].row, d = w->k.dim[b];
    double z[3] = {0};
    for (int c = 0; c < d; ++c) {
        z[c] = w->Ax[i + c] + w->k.b[i + c];
    }
    z[0] += soc_tangent(d, z);
    for (int c = 0; c < d; ++c) {
        y[c] = w->x[i + c] - z[c];
    }
}

// |x - P(y)|^2, P the projection on the cone: zero in a solution
static double square_of_error(const ipm *w, int b, const double *y)
{
    const int d = w->k.dim[b];
    const double *x = w->x + w->k.block[b].row;
    double p[3], sum = 0;
    memcpy(p, y, (size_t)d * sizeof *p);
    if (is_box(w, b)) {
        p[0] = cone_project_box(w->k.bound[b], p[0]);
    } else if (d == 1) {
        p[0] = cone_project_unilateral(p[0]);
    } else {
        cone_project_coulomb(d, 1, p);
    }
    for (int c = 0; c < d; ++c) {
        sum += (x[c] - p[c]) * (x[c] - p[c]);
    }
    return sum;
}

// x and z of a block with x - z = y and x o z = t e
static void set_block(ipm *w, int b, const double *y, double t)
{
    const int i = w->k.block[b].row, d = w->k.dim[b];
    if (is_box(w, b)) {
        set_box(w, b, y[0], t);
        return;
    }
    const double length = soc_tangent(d, y);
    const soc_pair low = soc_smooth(y[0] - length, t), high = soc_smooth(y[0] + length, t);
    w->gx[b] = low.a;
    w->gz[b] = high.b;
    const double share = length > 0 ? 1 / (high.s + low.s) : 0;
    w->x[i] = d == 1 ? low.a : 0.5 * (low.a + high.a);
    w->z[i] = d == 1 ? low.b : 0.5 * (low.b + high.b);
    for (int c = 1; c < d; ++c) {
        w->x[i + c] = y[c] * share * (low.a + high.a);
        w->z[i + c] = -y[c] * share * (low.b + high.b);
    }
}

void ipm_begin_near(ipm *w, const self_dual_space *space, const double *r)
{
    double worst = 0, y[3];
    for (int i = 0; i < w->k.n; ++i) {
        w->x[i] = r[i] / w->k.size / w->k.D[i];
    }
    space->mul(space->user, w->x, w->Ax);
    for (int b = 0; b < w->k.nb; ++b) {
        if (w->k.dim[b] == 0) continue;
        offset(w, b, y);
        worst = fmax(worst, square_of_error(w, b, y));
    }
    const double t = fmin(1, fmax(NEAR_LEAST, NEAR_PART * worst));
    for (int b = 0; b < w->k.nb; ++b) {
        if (w->k.dim[b] == 0) continue;
        offset(w, b, y);
        set_block(w, b, y, t);
    }
}

static bool lagged(const ipm *w)
{
    return w->o.shift == PCS_IPM_SHIFT_LAGGED;
}

// true when the gap of z, which is u_N where the shift is differentiated, changes linearly along
// the step
static bool straight(const ipm *w)
{
    return !lagged(w);
}

// G = p g' of the shift |z_T| e_N in the frame: p is e_N, g the unit tangent of z; zero where the
// shift lags
static void shift_gradient(const ipm *w, int b, double p[3], double g[3])
{
    const int d = w->k.dim[b];
    if (d < 2 || lagged(w)) return;
    const soc_angle a = soc_angle_of(d, w->frame + 2 * (size_t)b, w->z + w->k.block[b].row);
    if (!(a.length > 0)) return;
    p[0] = p[1] = SOC_HALF;
    g[0] = SOC_HALF * a.c;
    g[1] = -SOC_HALF * a.c;
    g[2] = a.s;
}

// Ax = A x + b, and comp
static void evaluate(ipm *w, const self_dual_space *space)
{
    space->mul(space->user, w->x, w->Ax);
    double sum = 0;
    for (int b = 0; b < w->k.nb; ++b) {
        const int i = w->k.block[b].row, d = w->k.dim[b];
        for (int c = 0; c < w->k.block[b].dim; ++c) {
            w->Ax[i + c] += w->k.b[i + c];
            // a tangent without friction: u_T is free
            if (d == 1 && c > 0) w->Ax[i + c] = 0;
        }
        if (is_box(w, b)) sum += w->box.gap[b] * w->box.z[b];
        if (d == 1) sum += w->gx[b] * w->gz[b];
        if (d > 1) sum += soc_dot(d, w->x + i, w->gx[b], w->z + i, w->gz[b]);
    }
    w->comp = sum / w->k.cones;
}

// C = (1 - G) F2 + regularisation, in the frame
static void weigh_block(ipm *w, int b)
{
    const pcs_block *k = &w->k.block[b];
    const int d = w->k.dim[b], i = k->row, n = k->dim;
    double *C = w->k.C + BLOCK_SYSTEM_STRIDE * (size_t)b,
           *Q = w->k.Q + BLOCK_SYSTEM_STRIDE * (size_t)b;
    double *t = w->frame + 2 * (size_t)b, *e = w->e + 3 * (size_t)b;
    if (d == 0) {
        C[0] = EQUALITY_WEIGHT;
        return;
    }
    if (is_box(w, b)) {
        e[0] = w->gz[b] / w->gx[b] + w->box.z[b] / w->box.gap[b];
    } else {
        soc_scaling(d, w->x + i, w->gx[b], w->z + i, w->gz[b], t, e);
    }
    memset(C, 0, BLOCK_SYSTEM_STRIDE * sizeof *C);
    if (d == 1) {
        memset(Q, 0, BLOCK_SYSTEM_STRIDE * sizeof *Q);
        for (int c = 0; c < n; ++c) {
            Q[c + n * c] = 1;
            C[c + n * c] = c == 0 ? e[0] + w->o.regularisation : FLAT_WEIGHT;
        }
        return;
    }
    soc_frame(d, t, Q);
    double p[3] = {0}, g[3] = {0};
    shift_gradient(w, b, p, g);
    for (int j = 0; j < d; ++j) {
        for (int c = 0; c < d; ++c) {
            C[c + d * j] = ((c == j) - p[c] * g[j]) * e[j];
        }
        C[j + d * j] += w->o.regularisation;
    }
}

// Mehrotra's second-order term F (lambda \\ (F dx o F^-1 dz)), lambda = F x, in the frame
static void second_order(int d, const double *e, const double *x, const double *dx,
                         const double *dz, double out[3])
{
    if (d == 1) {
        out[0] = dx[0] * dz[0] / x[0];
        return;
    }
    double a[3] = {0}, b[3] = {0}, l[3] = {0}, y[3], root[3] = {0};
    for (int c = 0; c < d; ++c) {
        root[c] = sqrt(e[c]);
        a[c] = root[c] * dx[c];
        b[c] = dz[c] / root[c];
        l[c] = root[c] * x[c];
    }
    soc_product(a, b, y);
    soc_divide(l, y, out);
    for (int c = 0; c < d; ++c) {
        out[c] *= root[c];
    }
}

// The right side of a block with a cone of d of its n rows; dz is the complementary part c - z
static inline void right_side(ipm *w, int b, int d, int n, double target, bool corrected)
{
    const int i = w->k.block[b].row;
    double x[3], z[3], c[3] = {0}, p[3] = {0}, g[3] = {0}, second[3] = {0}, sum = 0;
    const double *t = w->frame + 2 * (size_t)b, *e = w->e + 3 * (size_t)b;
    soc_enter(d, t, w->x + i, w->gx[b], x);
    soc_enter(d, t, w->z + i, w->gz[b], z);
    soc_invert(d, x, soc_det(d, w->x + i, w->gx[b]), c);
    if (corrected) second_order(d, e, x, w->dx + i, w->dz + i, second);
    shift_gradient(w, b, p, g);
    for (int l = 0; l < d; ++l) {
        c[l] = target * c[l] - second[l];
        sum += g[l] * c[l];
    }
    // (1 - G) c - (A x + b), minus |z_T| e_N where the shift lags
    const double *Q = w->k.Q + BLOCK_SYSTEM_STRIDE * (size_t)b;
    const double lag = lagged(w) ? soc_tangent(d, w->z + i) : 0;
    for (int l = 0; l < n; ++l) {
        double Ax = 0;
        for (int k = 0; k < n; ++k) {
            Ax += Q[k + n * l] * (w->Ax[i + k] + (k == 0 ? lag : 0));
        }
        w->dx[i + l] = l < d ? c[l] - p[l] * sum - Ax : 0;
        w->dz[i + l] = l < d ? c[l] - z[l] : 0;
    }
}

// The step for centring `target`
static bool direction(ipm *w, const self_dual_space *space, double target, bool corrected)
{
    const double enough = fmax(PART_LOW, fmin(PART_HIGH, PART * w->comp));
    for (int b = 0; b < w->k.nb; ++b) {
        const int i = w->k.block[b].row, d = w->k.dim[b], n = w->k.block[b].dim;
        if (d == 3) {
            right_side(w, b, 3, 3, target, corrected); // unrolled
            continue;
        }
        if (is_box(w, b)) {
            box_right_side(w, b, target, corrected);
            continue;
        }
        if (d > 0) {
            right_side(w, b, d, n, target, corrected);
            continue;
        }
        for (int l = 0; l < n; ++l) {
            w->dx[i + l] = -w->Ax[i + l];
            w->dz[i + l] = 0;
        }
    }
    if (!space->solve(space->user, w->k.C, enough, w->dx)) return false;
    for (int b = 0; b < w->k.nb; ++b) {
        const int i = w->k.block[b].row, d = w->k.dim[b];
        const double *e = w->e + 3 * (size_t)b;
        if (is_box(w, b)) {
            w->dz[i] -= w->gz[b] / w->gx[b] * w->dx[i];
            w->box.dz[b] += w->box.z[b] / w->box.gap[b] * w->dx[i];
            continue;
        }
        for (int c = 0; c < w->k.block[b].dim && d > 0; ++c) {
            if (c < d) w->dz[i + c] -= e[c] * w->dx[i + c];
            if (c >= d) w->dx[i + c] = 0;
        }
    }
    return true;
}

// the largest step in [0, 1] that keeps x and z at a fraction of their distance from the boundary
static double longest(const ipm *w)
{
    double a = 1 / w->o.step_fraction;
    for (int b = 0; b < w->k.nb; ++b) {
        const int i = w->k.block[b].row, d = w->k.dim[b];
        if (d == 0) continue;
        if (is_box(w, b)) {
            a = box_longest(w, b, a);
            continue;
        }
        const double *t = w->frame + 2 * (size_t)b;
        const soc_angle x = soc_angle_of(d, t, w->x + i), z = soc_angle_of(d, t, w->z + i);
        a = soc_max_step(d, w->gx[b], x, w->dx + i, a);
        if (straight(w)) {
            const double rate = soc_gap_rate(d, z, w->dz + i);
            if (rate < 0 && -w->gz[b] / rate < a) a = -w->gz[b] / rate;
        } else {
            a = soc_max_step(d, w->gz[b], z, w->dz + i, a);
        }
    }
    return fmin(1, w->o.step_fraction * a);
}

// x'z / cones after a step
static double comp_after(const ipm *w, double h)
{
    double sum = 0;
    for (int b = 0; b < w->k.nb; ++b) {
        const int i = w->k.block[b].row, d = w->k.dim[b];
        if (d == 0) continue;
        if (is_box(w, b)) {
            sum += box_comp(w, b, h);
            continue;
        }
        const double *t = w->frame + 2 * (size_t)b;
        double x[3], z[3], gx = w->gx[b], gz = w->gz[b];
        memcpy(x, w->x + i, (size_t)d * sizeof *x);
        memcpy(z, w->z + i, (size_t)d * sizeof *z);
        soc_move(d, t, x, &gx, h, w->dx + i, false);
        soc_move(d, t, z, &gz, h, w->dz + i, straight(w));
        sum += soc_dot(d, x, gx, z, gz);
    }
    return sum / w->k.cones;
}

static void advance(ipm *w)
{
    for (int b = 0; b < w->k.nb; ++b) {
        const int i = w->k.block[b].row, d = w->k.dim[b];
        const double *t = w->frame + 2 * (size_t)b;
        if (is_box(w, b)) {
            box_advance(w, b);
            continue;
        }
        if (d > 0) {
            soc_move(d, t, w->x + i, &w->gx[b], w->step, w->dx + i, false);
            soc_move(d, t, w->z + i, &w->gz[b], w->step, w->dz + i, straight(w));
        }
        for (int c = 0; d == 0 && c < w->k.block[b].dim; ++c) {
            w->x[i + c] += w->step * w->dx[i + c];
        }
    }
}

// brings all blocks to x o z = t e, and keeps x - z: what this leaves of the equation, the next
// steps remove
static void recentre(ipm *w, double t)
{
    for (int b = 0; b < w->k.nb; ++b) {
        double y[3] = {0};
        const int i = w->k.block[b].row, d = w->k.dim[b];
        for (int c = 0; c < d; ++c) {
            y[c] = w->x[i + c] - w->z[i + c];
        }
        if (is_box(w, b)) y[0] += w->box.z[b];
        if (d > 0) set_block(w, b, y, t);
    }
}

bool ipm_iterate(ipm *w, const self_dual_space *space)
{
    evaluate(w, space);
    if (!isfinite(w->comp)) return false;
    for (int b = 0; b < w->k.nb; ++b) {
        weigh_block(w, b);
    }
    if (!space->factor(space->user, w->k.Q, w->k.C) || !direction(w, space, 0, false)) return false;

    const double ratio = w->comp > 0 ? comp_after(w, longest(w)) / w->comp : 0;
    double sigma = ratio * ratio * ratio;
    if (!w->k.half_lines) sigma = fmin(SIGMA_HIGH, fmax(sigma, SIGMA_LOW));
    if (!direction(w, space, sigma * w->comp, true)) return false;
    w->step = longest(w);
    if (!isfinite(w->step) || !pcs_all_finite(w->dx, (size_t)w->k.n) ||
        !pcs_all_finite(w->dz, (size_t)w->k.n)) {
        return false;
    }
    advance(w);
    if (w->step < SHORT && w->comp > ROUNDED && !w->k.half_lines) recentre(w, RECENTRED * w->comp);
    return true;
}

void ipm_impulse(const ipm *w, bool settled, double *r)
{
    for (int b = 0; b < w->k.nb; ++b) {
        const pcs_block *k = &w->k.block[b];
        const int i = k->row, d = w->k.dim[b];
        const double *x = w->x + i;
        for (int c = 0; c < k->dim; ++c) {
            r[i + c] = x[c] * w->k.size * w->k.D[i + c];
        }
        if (is_box(w, b)) {
            // x is in the box, its last digit may not be
            r[i] = cone_project_box(k->mu, r[i]);
            if (settled && w->gx[b] <= w->gz[b]) r[i] = -k->mu;
            if (settled && w->box.gap[b] <= w->box.z[b]) r[i] = k->mu;
            continue;
        }
        if (!settled || d == 0) continue;
        const double t = soc_tangent(d, x);
        if (x[0] <= w->gz[b]) {
            // open: u_N is positive
            memset(r + i, 0, (size_t)k->dim * sizeof *r);
        } else if (w->gx[b] < t && w->gx[b] < soc_tangent(d, w->z + i)) {
            // slides: r is on the boundary
            r[i] = t * w->k.size * w->k.D[i];
        }
    }
}
