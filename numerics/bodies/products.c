// Products with H and its blocks, from frames and levers: u = H v, p = H^T r, W_ii.
#include "bodies/bodies.h"

#include <string.h>

#include "cone/cone.h"
#include "linalg/bsr.h"
#include "linalg/m3.h"

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

void bodies_block_impulse(const bodies_block *k, const int *start, const double *R, const double *r,
                          double *p)
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
                    ps[j] += k->rows[s][a + k->dim * j] * r[a];
                }
            }
            continue;
        }
        double moment[3], body[3];
        v3_cross(k->core[s], force, moment);
        v3_along(moment, k->along[s], turn, moment);
        m3_mul_t(R + 9 * (size_t)k->sys[s], moment, body);
        for (int i = 0; i < 3; ++i) {
            ps[i] += s == 0 ? force[i] : -force[i];
            ps[3 + i] += s == 0 ? body[i] : -body[i];
        }
    }
}

void bodies_impulses(const bodies_problem *b, const double *r, double *p)
{
    memset(p, 0, (size_t)b->A->start[b->A->nb] * sizeof *p);
    for (int i = 0; i < b->nb; ++i) {
        bodies_block_impulse(&b->block[i], b->A->start, b->R, r + b->block[i].row, p);
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

// z = J^T r of d rows; where d is a constant the compiler unrolls the inner loop
static inline void force(int d, int n, const double *restrict J, const double *restrict r,
                         double *restrict z)
{
    for (int j = 0; j < n; ++j) {
        z[j] = 0;
        for (int a = 0; a < d; ++a) {
            z[j] += J[a + d * j] * r[a];
        }
    }
}

// sum += |J| v of d rows
static inline void add_absolute(int d, int n, const double *restrict J, const double *restrict v,
                                double *restrict sum)
{
    for (int j = 0; j < n; ++j) {
        for (int a = 0; a < d; ++a) {
            sum[a] += fabs(J[a + d * j]) * v[j];
        }
    }
}

typedef struct loading {
    const bodies_problem *b;
    double *v;   // |v_free| plus |A^-1 J^T r| of all sides
    double *J;   // rows of the side `made`
    double *z;   // as long as the widest system
    double *sum; // as long as the tallest block
    int made;    // 2 block + side; -1: none
} loading;

static void make_rows(loading *l, int block, int side)
{
    if (l->made == 2 * block + side) return;
    bodies_rows(l->b, block, side, l->J);
    l->made = 2 * block + side;
}

// v += |A^-1 J^T r| of a side
static void add_velocity(loading *l, int block, int side, const double *r)
{
    const int d = l->b->block[block].dim, sys = l->b->block[block].sys[side];
    const int n = width(l->b->A->start, sys);
    double *v = l->v + l->b->A->start[sys];
    make_rows(l, block, side);
    if (d == 1) {
        force(1, n, l->J, r, l->z);
    } else if (d == 3) {
        force(3, n, l->J, r, l->z);
    } else {
        force(d, n, l->J, r, l->z);
    }
    block_lu_solve(l->b->A, sys, l->z);
    for (int j = 0; j < n; ++j) {
        v[j] += fabs(l->z[j]);
    }
}

// sum += |J| v of a side
static void add_rows(loading *l, int block, int side)
{
    const int d = l->b->block[block].dim, sys = l->b->block[block].sys[side];
    const int n = width(l->b->A->start, sys);
    const double *v = l->v + l->b->A->start[sys];
    make_rows(l, block, side);
    if (d == 1) {
        add_absolute(1, n, l->J, v, l->sum);
    } else if (d == 3) {
        add_absolute(3, n, l->J, v, l->sum);
    } else {
        add_absolute(d, n, l->J, v, l->sum);
    }
}

double bodies_load(const bodies_problem *b, const double *v_free, const double *r, pcs_arena work)
{
    const int *start = b->A->start;
    const int nv = start[b->A->nb];
    int widest = 6, tallest = 1;
    for (int i = 0; i < b->A->nb; ++i) {
        if (width(start, i) > widest) widest = width(start, i);
    }
    for (int i = 0; i < b->nb; ++i) {
        if (b->block[i].dim > tallest) tallest = b->block[i].dim;
    }
    loading l = {.b = b, .made = -1};
    const size_t n = (size_t)nv, w = (size_t)widest, d = (size_t)tallest;
    l.v = PCS_TAKE(&work, n + w + w * d + d, double);
    if (!l.v) return -1;
    l.z = l.v + n;
    l.J = l.z + w;
    l.sum = l.J + w * d;
    for (int i = 0; i < nv; ++i) {
        l.v[i] = v_free ? fabs(v_free[i]) : 0;
    }
    for (int i = 0; i < b->nb; ++i) {
        for (int s = 0; s < 2; ++s) {
            if (b->block[i].sys[s] >= 0) add_velocity(&l, i, s, r + b->block[i].row);
        }
    }
    double square = 0;
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        for (int a = 0; a < k->dim; ++a) {
            l.sum[a] = v_free ? fabs(b->shift[k->row + a]) : 0;
        }
        for (int s = 0; s < 2; ++s) {
            if (k->sys[s] >= 0) add_rows(&l, i, s);
        }
        for (int a = 0; a < k->dim; ++a) {
            square += l.sum[a] * l.sum[a];
        }
    }
    return sqrt(square);
}

// ---- the measure -------------------------------------------------------------------------------

void bodies_natural(const bodies_problem *b, const double *scale, const double *r, const double *u,
                    double *F)
{
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        const double s = scale ? scale[i] : 1, *ri = r + k->row, *ui = u + k->row;
        double *f = F + k->row;
        if (k->cone == PCS_CONE_EQUALITY) {
            memcpy(f, ui, (size_t)k->dim * sizeof *f);
        } else if (k->cone == PCS_CONE_UNILATERAL) {
            f[0] = cone_min(s * ri[0], ui[0]);
        } else {
            cone_natural_coulomb(k->dim, k->mu, s, ri, ui, f);
        }
    }
}
