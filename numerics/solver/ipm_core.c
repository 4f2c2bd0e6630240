// Primal-dual interior point on a product of self-dual cones. With the rows of a Coulomb block
// scaled by D = s diag(1/mu, 1, 1) its cone K and the dual of K both become Q = { x_N >= |x_T| }:
//
//     z = A x + b + |z_T| e_N,   x o z = sigma comp e,   x, z in the interior of Q
//
// (z = 0 and x free on equality rows, no |z_T| on unilateral ones). With F2 x = z the scaling of
// Nesterov and Todd and G = e_N z_T' / |z_T| (0 where the shift lags) each iteration solves
//
//     (A + (I - G) F2) dx = (I - G) c - (A x + b + |z_T| e_N - z),   c = sigma comp x^-1 - z
//     dz = c - F2 dx
//
// twice with one factorisation: sigma = 0 tells how much complementarity a plain step would take
// away, and its cube is the centring of the second. Both go a fraction of the way to the boundary.
#include "solver/ipm.h"

#include <string.h>

#include "cone/jordan.h"

// proximal weight of equality rows on the unit diagonal
#define EQUALITY_WEIGHT 1e-10
// weight that holds tangential rows without friction at zero
#define FLAT_WEIGHT 1e30
// bounds of the centring
#define SIGMA_LOW  1e-6
#define SIGMA_HIGH 0.9

size_t ipm_bytes(int n, int nb)
{
    const size_t rows = (size_t)n, blocks = (size_t)nb;
    return solver_bytes(blocks, sizeof(int)) + 8 * solver_bytes(rows, sizeof(double)) +
           2 * solver_bytes(blocks, sizeof(double)) +
           2 * solver_bytes(BLOCK_SYSTEM_STRIDE * blocks, sizeof(double));
}

bool ipm_take(ipm *w, const pcs_ipm_opts *o, int n, int nb, const pcs_block *block,
              pcs_arena *arena)
{
    *w = (ipm){.block = block, .n = n, .nb = nb, .o = *o};
    double **vector[] = {&w->D, &w->b, &w->x, &w->z, &w->dx, &w->dz, &w->res, &w->rhs};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = PCS_TAKE(arena, (size_t)n, double);
        if (!*vector[i]) return false;
    }
    w->dim = PCS_TAKE(arena, (size_t)nb, int);
    w->gx = PCS_TAKE(arena, (size_t)nb, double);
    w->gz = PCS_TAKE(arena, (size_t)nb, double);
    w->F2 = PCS_TAKE(arena, BLOCK_SYSTEM_STRIDE * (size_t)nb, double);
    w->C = PCS_TAKE(arena, BLOCK_SYSTEM_STRIDE * (size_t)nb, double);
    return w->dim && w->gx && w->gz && w->F2 && w->C;
}

static void begin_block(ipm *w, int b, const double *s)
{
    const pcs_block *k = &w->block[b];
    const int i = k->row;
    w->dim[b] = k->cone == PCS_EQUALITY ? 0 : k->cone == PCS_UNILATERAL || ipm_flat(k) ? 1 : k->dim;
    w->cones += w->dim[b] > 0;
    if (w->dim[b] > 1) w->second = false;

    double mean = 0;
    for (int c = 0; c < w->dim[b]; ++c) {
        mean += s[i + c] / (c == 0 && w->dim[b] > 1 ? k->mu * k->mu : 1) / w->dim[b];
    }
    for (int c = 0; c < k->dim; ++c) {
        w->D[i + c] = 1 / sqrt(c < w->dim[b] ? mean : s[i + c]);
        w->x[i + c] = w->z[i + c] = c == 0 && w->dim[b] > 0;
    }
    if (w->dim[b] > 1) w->D[i] /= k->mu;
    w->gx[b] = w->gz[b] = 1;
}

void ipm_begin(ipm *w, const double *s, const double *q)
{
    w->cones = 0;
    w->second = true;
    for (int b = 0; b < w->nb; ++b) {
        begin_block(w, b, s);
    }
    w->size = 0;
    for (int i = 0; i < w->n; ++i) {
        w->b[i] = w->D[i] * q[i];
        if (fabs(w->b[i]) > w->size) w->size = fabs(w->b[i]);
    }
    if (!(w->size > 0)) w->size = 1;
    for (int i = 0; i < w->n; ++i) {
        w->b[i] /= w->size;
    }
    // no complementarity: the boundary and the barrier are empty
    if (w->cones == 0) w->cones = 1;
}

// res = A x + b + |z_T| e_N - z, and comp
static void residual(ipm *w, const ipm_space *space)
{
    space->mul(space->user, w->x, w->res);
    double sum = 0;
    for (int b = 0; b < w->nb; ++b) {
        const int i = w->block[b].row, d = w->dim[b];
        for (int c = 0; c < w->block[b].dim; ++c) {
            w->res[i + c] += w->b[i + c] - w->z[i + c];
            // a tangent without friction: u_T is free
            if (d == 1 && c > 0) w->res[i + c] = 0;
        }
        if (d == 0) continue;
        if (d > 1) w->res[i] = w->res[i] + soc_tangent(d, w->z + i);
        sum += soc_dot(d, w->x + i, w->gx[b], w->z + i, w->gz[b]);
    }
    w->comp = sum / w->cones;
}

// e_N z_T' / |z_T|, its row; zero where the shift lags
static void shift_gradient(const ipm *w, int b, double g[3])
{
    const int d = w->dim[b];
    const double *z = w->z + w->block[b].row;
    const double t = soc_tangent(d, z);
    g[0] = g[1] = g[2] = 0;
    for (int c = 1; c < d && t > 0 && w->o.shift == PCS_SHIFT_DIFFERENTIATED; ++c) {
        g[c] = z[c] / t;
    }
}

// C = (I - G) F2 + regularisation
static void weigh_block(ipm *w, int b)
{
    const pcs_block *k = &w->block[b];
    const int d = w->dim[b], i = k->row;
    double *C = w->C + BLOCK_SYSTEM_STRIDE * (size_t)b;
    double *F2 = w->F2 + BLOCK_SYSTEM_STRIDE * (size_t)b;
    if (d == 0) {
        C[0] = EQUALITY_WEIGHT;
        return;
    }
    soc_scaling(d, w->x + i, w->gx[b], w->z + i, w->gz[b], F2);
    if (d == 1) {
        memset(C, 0, (size_t)k->dim * (size_t)k->dim * sizeof *C);
        C[0] = F2[0] + w->o.regularisation;
        for (int c = 1; c < k->dim; ++c) {
            C[c + k->dim * c] = FLAT_WEIGHT;
        }
        return;
    }
    double g[3];
    shift_gradient(w, b, g);
    for (int j = 0; j < d; ++j) {
        double sum = 0;
        for (int c = 0; c < d; ++c) {
            C[c + d * j] = F2[c + d * j];
            sum += g[c] * F2[c + d * j];
        }
        C[d * j] -= sum;
        C[j + d * j] += w->o.regularisation;
    }
}

// The step for centring `target`. The complementary part c stays in dz until dz = c - F2 dx
static bool direction(ipm *w, const ipm_space *space, double target, bool corrected)
{
    memset(w->rhs, 0, (size_t)w->n * sizeof *w->rhs);
    for (int b = 0; b < w->nb; ++b) {
        const int i = w->block[b].row, d = w->dim[b];
        double c[3] = {0}, g[3], sum = 0;
        if (d > 0) soc_inverse(d, w->x + i, w->gx[b], c);
        shift_gradient(w, b, g);
        for (int l = 0; l < d; ++l) {
            const double second = corrected ? w->dx[i] * w->dz[i] / w->x[i] : 0;
            c[l] = target * c[l] - second - w->z[i + l];
            sum += g[l] * c[l];
        }
        for (int l = 0; l < w->block[b].dim; ++l) {
            if (l < d) w->rhs[i + l] = c[l];
            w->dz[i + l] = l < d ? c[l] : 0;
            w->rhs[i + l] -= w->res[i + l];
        }
        w->rhs[i] -= sum;
    }
    memcpy(w->dx, w->rhs, (size_t)w->n * sizeof *w->dx);
    if (!space->solve(space->user, w->C, w->dx)) return false;
    for (int b = 0; b < w->nb; ++b) {
        const int i = w->block[b].row, d = w->dim[b];
        const double *F2 = w->F2 + BLOCK_SYSTEM_STRIDE * (size_t)b;
        for (int j = 0; j < d; ++j) {
            for (int c = 0; c < d; ++c) {
                w->dz[i + c] -= F2[c + d * j] * w->dx[i + j];
            }
        }
        for (int c = d; d > 0 && c < w->block[b].dim; ++c) {
            w->dx[i + c] = 0;
        }
    }
    return true;
}

// the largest step in [0, 1] that keeps x and z at a fraction of their distance from the boundary
static double longest(const ipm *w)
{
    double a = 1 / w->o.step_fraction;
    for (int b = 0; b < w->nb; ++b) {
        const int i = w->block[b].row, d = w->dim[b];
        if (d == 0) continue;
        a = soc_max_step(d, w->x + i, w->gx[b], w->dx + i, a);
        a = soc_max_step(d, w->z + i, w->gz[b], w->dz + i, a);
    }
    return fmin(1, w->o.step_fraction * a);
}

// x'z / cones after a step
static double comp_after(const ipm *w, double a)
{
    double sum = 0;
    for (int b = 0; b < w->nb; ++b) {
        const int i = w->block[b].row;
        for (int c = 0; c < w->dim[b]; ++c) {
            sum += (w->x[i + c] + a * w->dx[i + c]) * (w->z[i + c] + a * w->dz[i + c]);
        }
    }
    return sum / w->cones;
}

bool ipm_iterate(ipm *w, const ipm_space *space)
{
    residual(w, space);
    if (!isfinite(w->comp)) return false;
    for (int b = 0; b < w->nb; ++b) {
        weigh_block(w, b);
    }
    if (!space->factor(space->user, w->C) || !direction(w, space, 0, false)) return false;

    const double ratio = w->comp > 0 ? fmax(comp_after(w, longest(w)), 0) / w->comp : 0;
    double sigma = ratio * ratio * ratio;
    if (!w->second) sigma = fmin(SIGMA_HIGH, fmax(sigma, SIGMA_LOW));
    if (!direction(w, space, sigma * w->comp, w->second)) return false;
    w->step = longest(w);
    if (!isfinite(w->step) || !pcs_all_finite(w->dx, (size_t)w->n) ||
        !pcs_all_finite(w->dz, (size_t)w->n)) {
        return false;
    }
    for (int b = 0; b < w->nb; ++b) {
        const int i = w->block[b].row, d = w->dim[b];
        if (d > 0) {
            soc_move(d, w->x + i, &w->gx[b], w->step, w->dx + i);
            soc_move(d, w->z + i, &w->gz[b], w->step, w->dz + i);
        }
        for (int c = 0; d == 0 && c < w->block[b].dim; ++c) {
            w->x[i + c] += w->step * w->dx[i + c];
        }
    }
    return true;
}

void ipm_impulse(const ipm *w, bool settled, double *r)
{
    for (int b = 0; b < w->nb; ++b) {
        const pcs_block *k = &w->block[b];
        const int i = k->row, d = w->dim[b];
        const double *x = w->x + i;
        for (int c = 0; c < k->dim; ++c) {
            r[i + c] = x[c] * w->size * w->D[i + c];
        }
        if (!settled || d == 0) continue;
        const double t = soc_tangent(d, x);
        if (x[0] <= w->gz[b]) {
            // open: u_N is positive
            memset(r + i, 0, (size_t)k->dim * sizeof *r);
        } else if (w->gx[b] < t && w->gx[b] < soc_tangent(d, w->z + i)) {
            // slides: r is on the boundary
            r[i] = t * w->size * w->D[i];
        }
    }
}

double ipm_largest(const ipm *w)
{
    double most = 0;
    for (int i = 0; i < w->n; ++i) {
        if (fabs(w->x[i]) > most) most = fabs(w->x[i]);
    }
    return most;
}
