// Products with H and its blocks, from frames and levers: u = H v, p = H^T r, W_ii.
#include "bodies/bodies.h"

#include <math.h>
#include <string.h>

#include "linalg/bsr.h"
#include "linalg/m3.h"
#include "problem/measure.h"

static int width(const int *start, int sys)
{
    return start[sys + 1] - start[sys];
}

void bodies_block_velocity(const bodies_block *k, const int *start, const double *R,
                           const double *v, double *u)
{
    memset(u, 0, (size_t)k->dim * sizeof *u);
    for (int s = 0; s < 2; ++s) {
        if (k->sys[s] < 0) continue;
        const double *vs = v + start[k->sys[s]];
        if (k->rows[s]) {
            block_addmul(k->dim, width(start, k->sys[s]), k->rows[s], vs, u);
            continue;
        }
        double omega[3], at[3];
        m3_mul(R + 9 * (size_t)k->sys[s], vs + 3, omega);
        v3_cross(omega, k->core[s], at);
        v3_along(vs, 1, at, at);
        const double sign = s == 0 ? 1 : -1;
        u[0] += sign * v3_dot(k->F, at);
        if (k->dim > 1) {
            u[1] += sign * (v3_dot(k->F + 3, at) + k->along[s] * v3_dot(k->F + 6, omega));
        }
        if (k->dim > 2) {
            u[2] += sign * (v3_dot(k->F + 6, at) - k->along[s] * v3_dot(k->F + 3, omega));
        }
    }
}

void bodies_block_constant(const bodies_problem *b, int block, const double *v_free, double *q)
{
    const bodies_block *k = &b->block[block];
    bodies_block_velocity(k, b->A->start, b->R, v_free, q);
    for (int i = 0; i < k->dim; ++i) {
        q[i] += b->shift[k->row + i];
    }
}

// p += J^T r, or with `sizes` the absolute values of its terms
static inline void add_impulse(const bodies_block *k, const int *start, const double *R,
                               const double *r, bool sizes, double *p)
{
    double force[3] = {0}, turn[3] = {0};
    const bool rigid = (k->sys[0] >= 0 && !k->rows[0]) || (k->sys[1] >= 0 && !k->rows[1]);
    if (rigid) {
        for (int j = 0; j < k->dim; ++j) {
            v3_along(force, r[j], k->F + 3 * (size_t)j, force);
        }
        if (k->dim > 1) v3_along(turn, r[1], k->F + 6, turn);
        if (k->dim > 2) v3_along(turn, -r[2], k->F + 3, turn);
    }
    for (int s = 0; s < 2; ++s) {
        if (k->sys[s] < 0) continue;
        double *ps = p + start[k->sys[s]];
        if (k->rows[s]) {
            const int n = width(start, k->sys[s]);
            for (int j = 0; j < n; ++j) {
                for (int a = 0; a < k->dim; ++a) {
                    const double term = k->rows[s][a + k->dim * j] * r[a];
                    ps[j] += sizes ? fabs(term) : term;
                }
            }
            continue;
        }
        double moment[3], body[3];
        v3_cross(k->core[s], force, moment);
        v3_along(moment, k->along[s], turn, moment);
        m3_mul_t(R + 9 * (size_t)k->sys[s], moment, body);
        for (int i = 0; i < 3; ++i) {
            ps[i] += sizes ? fabs(force[i]) : s == 0 ? force[i] : -force[i];
            ps[3 + i] += sizes ? fabs(body[i]) : s == 0 ? body[i] : -body[i];
        }
    }
}

void bodies_block_impulse(const bodies_block *k, const int *start, const double *R, const double *r,
                          double *p)
{
    add_impulse(k, start, R, r, false, p);
}

void bodies_impulses(const bodies_problem *b, const double *r, double *p)
{
    memset(p, 0, (size_t)b->A->start[b->A->nb] * sizeof *p);
    for (int i = 0; i < b->nb; ++i) {
        bodies_block_impulse(&b->block[i], b->A->start, b->R, r + b->block[i].row, p);
    }
}

void bodies_impulse_sizes(const bodies_problem *b, const double *r, double *size)
{
    memset(size, 0, (size_t)b->A->start[b->A->nb] * sizeof *size);
    for (int i = 0; i < b->nb; ++i) {
        add_impulse(&b->block[i], b->A->start, b->R, r + b->block[i].row, true, size);
    }
}

void bodies_diagonal(const bodies_problem *b, int block, double *Z, double *W)
{
    const bodies_block *k = &b->block[block];
    const int d = k->dim;
    memset(W, 0, (size_t)d * (size_t)d * sizeof *W);
    for (int s = 0; s < 2; ++s) {
        if (k->sys[s] < 0) continue;
        const int n = width(b->A->start, k->sys[s]);
        // columns of J^T; then A^-1 of each
        double *J = Z + (size_t)n * (size_t)d;
        bodies_rows(b, block, s, J);
        for (int a = 0; a < d; ++a) {
            for (int j = 0; j < n; ++j) {
                Z[j + n * a] = J[a + d * j];
            }
            block_lu_solve(b->A, k->sys[s], Z + (size_t)n * (size_t)a);
            for (int j = 0; j < n; ++j) {
                for (int c = 0; c < d; ++c) {
                    W[c + d * a] += J[c + d * j] * Z[j + n * a];
                }
            }
        }
    }
}

pcs_status bodies_masses(const bodies_problem *b, pcs_arena *mem, problem_masses *out)
{
    double *both = PCS_TAKE(mem, (size_t)b->nb, double);
    double *least = PCS_TAKE(mem, (size_t)b->nb, double);
    if (!both || !least) return pcs_fail_memory("contacts");
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        both[i] = 0;
        least[i] = INFINITY;
        for (int s = 0; s < 2 && k->cone != PCS_CONE_BOX; ++s) {
            if (k->sys[s] < 0) continue;
            pcs_arena scope = *mem;
            const size_t n = (size_t)width(b->A->start, k->sys[s]), d = (size_t)k->dim;
            double *J = PCS_TAKE(&scope, n * d, double), *x = PCS_TAKE(&scope, n, double), one = 0;
            if (!J || !x) return pcs_fail_memory("contacts");
            bodies_rows(b, i, s, J);
            for (size_t j = 0; j < n; ++j) {
                x[j] = J[d * j];
            }
            block_lu_solve(b->A, k->sys[s], x);
            for (size_t j = 0; j < n; ++j) {
                one += J[d * j] * x[j];
            }
            both[i] += one;
            if (one > 0) least[i] = fmin(least[i], one);
        }
    }
    *out = (problem_masses){both, least};
    return PCS_OK;
}

pcs_status bodies_scales(const bodies_problem *b, pcs_arena mem, double *scale)
{
    double most = 0;
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        const size_t d = (size_t)k->dim;
        size_t wide = 0;
        for (int side = 0; side < 2; ++side) {
            if (k->sys[side] < 0) continue;
            const size_t w = (size_t)width(b->A->start, k->sys[side]);
            if (w > wide) wide = w;
        }
        pcs_arena scope = mem;
        double *Z = PCS_TAKE(&scope, 2 * d * wide, double), *W = PCS_TAKE(&scope, d * d, double);
        if (!Z || !W) return pcs_fail_memory("contacts");
        bodies_diagonal(b, i, Z, W);
        double trace = 0;
        for (size_t a = 0; a < d; ++a) {
            trace += W[a * (d + 1)];
        }
        scale[i] = trace;
        if (trace > most) most = trace;
    }
    for (int i = 0; i < b->nb; ++i) {
        const double trace = scale[i] > 0 ? scale[i] : most;
        scale[i] = trace > 0 ? trace / b->block[i].dim : 1;
    }
    return PCS_OK;
}

// ---- the load ----------------------------------------------------------------------------------

// v += |A^-1 J^T r| of a block, both sides; t: zeros before and after. With J, its scratch, no less
// than |A^-1 |J|^T |r||: the moments of r about G may cancel, as in a joint far from G that only
// pulls, and their rounding may not
static void add_velocities(const bodies_problem *b, int block, const double *r, double *t,
                           double *J, double *v)
{
    const bodies_block *k = &b->block[block];
    const int *start = b->A->start, d = k->dim;
    bodies_block_impulse(k, start, b->R, r, t);
    for (int e = 0; e < 2; ++e) {
        const int s = k->sys[e];
        if (s < 0) continue;
        const int n = width(start, s);
        double *terms = J ? J + (size_t)d * (size_t)n : NULL;
        if (J) bodies_rows(b, block, e, J);
        for (int j = 0; J && j < n; ++j) {
            terms[j] = 0;
            for (int a = 0; a < d; ++a) {
                terms[j] += fabs(J[a + d * j]) * fabs(r[a]);
            }
        }
        if (J) block_lu_solve(b->A, s, terms);
        block_lu_solve(b->A, s, t + start[s]);
        for (int j = 0; j < n; ++j) {
            const double one = fabs(t[start[s] + j]), all = J ? fabs(terms[j]) : 0;
            v[start[s] + j] += all > one ? all : one;
            t[start[s] + j] = 0;
        }
    }
}

// sum += |J| v of d rows; where d is a constant the compiler unrolls the inner loop
static inline void add_absolute(int d, int n, const double *restrict J, const double *restrict v,
                                double *restrict sum)
{
    for (int j = 0; j < n; ++j) {
        for (int a = 0; a < d; ++a) {
            sum[a] += fabs(J[a + d * j]) * v[j];
        }
    }
}

double bodies_load(const bodies_problem *b, const double *v_free, double most, const double *r,
                   pcs_arena work)
{
    const int *start = b->A->start, nv = start[b->A->nb];
    int widest = 6, tallest = 1;
    for (int i = 0; i < b->A->nb; ++i) {
        if (width(start, i) > widest) widest = width(start, i);
    }
    for (int i = 0; i < b->nb; ++i) {
        if (b->block[i].dim > tallest) tallest = b->block[i].dim;
    }
    const size_t n = (size_t)nv, w = (size_t)widest, d = (size_t)tallest;
    double *v = PCS_TAKE(&work, 2 * n + w * (d + 1) + d, double);
    if (!v) return -1;
    double *t = v + n, *J = t + n, *sum = J + w * (d + 1);
    for (int i = 0; i < 2 * b->nb; ++i) {
        const int s = b->block[i / 2].sys[i % 2];
        for (int j = s < 0 ? 0 : start[s]; s >= 0 && j < start[s + 1]; ++j) {
            v[j] = v_free ? fabs(v_free[j]) : 0;
            t[j] = 0;
        }
    }
    for (int i = 0; i < b->nb; ++i) {
        add_velocities(b, i, r + b->block[i].row, t, v_free ? J : NULL, v);
    }
    squares load = {0};
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        for (int a = 0; a < k->dim; ++a) {
            sum[a] = v_free ? fabs(b->shift[k->row + a]) : 0;
        }
        for (int e = 0; e < 2; ++e) {
            if (k->sys[e] < 0) continue;
            const int from = start[k->sys[e]], columns = width(start, k->sys[e]);
            bodies_rows(b, i, e, J);
            if (k->dim == 1) {
                add_absolute(1, columns, J, v + from, sum);
            } else if (k->dim == 3) {
                add_absolute(3, columns, J, v + from, sum);
            } else {
                add_absolute(k->dim, columns, J, v + from, sum);
            }
        }
        for (int a = 0; a < k->dim && v_free; ++a) {
            const double shift = fabs(b->shift[k->row + a]), others = sum[a] - shift;
            if (shift > others + most) sum[a] = others + (others + most);
        }
        squares_add(&load, (size_t)k->dim, sum);
    }
    return squares_root(&load);
}

// ---- far targets -------------------------------------------------------------------------------

static double size(const double x[3])
{
    return fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
}

// The rows of |J||v| of a block; of rigid bodies, whose rows are unit vectors with a lever, no less
static void speeds(const bodies_problem *b, int block, const double *v_free, double *sum)
{
    const bodies_block *k = &b->block[block];
    memset(sum, 0, (size_t)k->dim * sizeof *sum);
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        const double *v = v_free + b->A->start[k->sys[e]], *J = k->rows[e];
        const int n = J ? width(b->A->start, k->sys[e]) : 0;
        const double lever = J ? 0 : v3_norm(k->core[e]) + fabs(k->along[e]);
        const double speed = J ? 0 : size(v) + lever * size(v + 3);
        for (int a = 0; a < k->dim; ++a) {
            sum[a] += speed;
        }
        for (int j = 0; j < n; ++j) {
            for (int a = 0; a < k->dim; ++a) {
                sum[a] += fabs(J[a + k->dim * j] * v[j]);
            }
        }
    }
}

// the largest sum of |J v| over the rows of a block; J and sum are scratch
static double largest_velocity(const bodies_problem *b, int block, const double *v_free, double *J,
                               double *sum)
{
    const bodies_block *k = &b->block[block];
    double most = 0;
    memset(sum, 0, (size_t)k->dim * sizeof *sum);
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        const double *v = v_free + b->A->start[k->sys[e]];
        bodies_rows(b, block, e, J);
        for (int j = 0; j < width(b->A->start, k->sys[e]); ++j) {
            for (int a = 0; a < k->dim; ++a) {
                sum[a] += fabs(J[a + k->dim * j] * v[j]);
            }
        }
    }
    for (int a = 0; a < k->dim; ++a) {
        most = fmax(most, sum[a]);
    }
    return most;
}

pcs_status bodies_find_far(const bodies_problem *b, int nb, const int *blocks, const double *v_free,
                           pcs_arena work, pcs_far *out)
{
    double shift = 0;
    *out = (pcs_far){0};
    for (int i = 0; i < nb; ++i) {
        const pcs_block k = bodies_cone(&b->block[blocks ? blocks[i] : i]);
        shift = fmax(shift, far_shift(&k, b->shift + k.row));
    }

    size_t wide = 1, tall = 1;
    for (int i = 0; i < nb; ++i) {
        const bodies_block *k = &b->block[blocks ? blocks[i] : i];
        for (int e = 0; e < 2; ++e) {
            const size_t w = k->sys[e] < 0 ? 0 : (size_t)width(b->A->start, k->sys[e]);
            if (w > wide) wide = w;
        }
        if ((size_t)k->dim > tall) tall = (size_t)k->dim;
    }
    double *J = PCS_TAKE(&work, 2 * tall * wide, double);
    double *sum = PCS_TAKE(&work, tall, double);
    if (!J || !sum) return pcs_fail_memory("contacts");
    far_sums s = {0};
    for (int i = 0; i < nb; ++i) {
        const int block = blocks ? blocks[i] : i;
        speeds(b, block, v_free, sum);
        squares_add(&s.rows, (size_t)b->block[block].dim, sum);
    }
    for (int i = 0; i < nb && far_may_be(shift, s.velocity); ++i) {
        const int block = blocks ? blocks[i] : i;
        s.velocity = fmax(s.velocity, largest_velocity(b, block, v_free, J, sum));
    }
    for (int i = 0; i < nb && far_may_be(shift, s.velocity); ++i) {
        const int block = blocks ? blocks[i] : i;
        const pcs_block k = bodies_cone(&b->block[block]);
        double scale = 0;
        if (k.cone == PCS_CONE_BOX) bodies_diagonal(b, block, J, &scale);
        bodies_block_constant(b, block, v_free, sum);
        far_add(&s, &k, scale, sum);
    }
    *out = far_close(&s);
    return PCS_OK;
}
