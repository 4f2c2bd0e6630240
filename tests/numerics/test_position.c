// The position projection on scenes of this file: balls and body points against planes, distances
// between points of two bodies, with the gradient of theory 5.1 or the unnormalised one of 8.3.
#include "support.h"

#include <percuss/numerics.h>

#include "linalg/lu.h"

enum { BODIES = 5, ROWS = 12, NQ = 7 * BODIES, NV = 6 * BODIES };

static const pcs_metric metrics[4] = {PCS_METRIC_MASS, PCS_METRIC_V, PCS_METRIC_Q, PCS_METRIC_Q1};

// ---- quaternions -------------------------------------------------------------------------------

static void product(const double a[4], const double b[4], double c[4])
{
    c[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    c[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    c[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    c[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static double square(int n, const double *x)
{
    double s = 0;
    for (int i = 0; i < n; ++i) {
        s += x[i] * x[i];
    }
    return s;
}

// Im(Q (0, p) B*): the sums of it over all (Q, B) pairs give rotations and their derivatives
static void sandwich(const double Q[4], const double p[3], const double B[4], double out[3])
{
    const double v[4] = {0, p[0], p[1], p[2]}, conjugate[4] = {B[0], -B[1], -B[2], -B[3]};
    double t[4], r[4];
    product(Q, v, t);
    product(t, conjugate, r);
    memcpy(out, r + 1, 3 * sizeof *out);
}

// a = R(Q / |Q|) p, or Q p Q* when raw; J = da/dQ (3 x 4, columns)
static void rotate(const double Q[4], const double p[3], bool raw, double a[3], double J[12])
{
    const double s = raw ? 1 : square(4, Q);
    sandwich(Q, p, Q, a);
    for (int c = 0; c < 3; ++c) {
        a[c] /= s;
    }
    for (int i = 0; i < 4; ++i) {
        double e[4] = {0}, left[3], right[3];
        e[i] = 1;
        sandwich(e, p, Q, left);
        sandwich(Q, p, e, right);
        for (int c = 0; c < 3; ++c) {
            J[c + 3 * i] = (left[c] + right[c] - (raw ? 0 : 2 * Q[i] * a[c])) / s;
        }
    }
}

// ---- scenes ------------------------------------------------------------------------------------

typedef struct row {
    pcs_cone kind;
    int a, b;            // bodies; b = -1: the plane n . x = d
    double pa[3], pb[3]; // body frame
    double n[3], d;      // d: of the plane, or the distance asked for
} row;

typedef struct scene {
    int nb, m;
    row row[ROWS];
    double q[NQ], mass[BODIES], J[BODIES][9];
    bool raw;
} scene;

// gaps and dense dg/dq (m x 7 nb)
static void evaluate(const scene *s, double *g, double *C)
{
    const int m = s->m;
    memset(C, 0, (size_t)m * 7 * (size_t)s->nb * sizeof *C);
    for (int i = 0; i < m; ++i) {
        const row *r = &s->row[i];
        double a[3], b[3] = {0}, Ja[12], Jb[12], n[3];
        const double *qa = s->q + 7 * r->a;
        rotate(qa + 3, r->pa, s->raw, a, Ja);
        for (int c = 0; c < 3; ++c) {
            a[c] += qa[c];
            n[c] = r->n[c];
        }
        if (r->b < 0) {
            g[i] = n[0] * a[0] + n[1] * a[1] + n[2] * a[2] - r->d;
        } else {
            const double *qb = s->q + 7 * r->b;
            rotate(qb + 3, r->pb, s->raw, b, Jb);
            for (int c = 0; c < 3; ++c) {
                b[c] += qb[c];
                n[c] = a[c] - b[c];
            }
            const double length = sqrt(square(3, n));
            g[i] = length - r->d;
            for (int c = 0; c < 3; ++c) {
                n[c] /= length;
            }
        }
        for (int side = 0; side < 2; ++side) {
            const int body = side == 0 ? r->a : r->b;
            if (body < 0) continue;
            const double sign = side == 0 ? 1 : -1, *Js = side == 0 ? Ja : Jb;
            double *c = C + i + (size_t)m * 7 * (size_t)body;
            for (int k = 0; k < 3; ++k) {
                c[(size_t)m * (size_t)k] += sign * n[k];
                for (int l = 0; l < 4; ++l) {
                    c[(size_t)m * (size_t)(3 + l)] += sign * n[k] * Js[k + 3 * l];
                }
            }
        }
    }
}

// the scene as a position problem; its pointers lead into this struct
typedef struct setup {
    pcs_position_problem p;
    pcs_bsr C, T;
    double g[ROWS], dense[ROWS * NQ], tval[BODIES * 42], mval[BODIES * 36];
    int c_row[ROWS + 1], q_start[BODIES + 1], v_start[BODIES + 1], c_ptr[ROWS + 1];
    int c_idx[ROWS * BODIES], t_ptr[BODIES + 1], t_idx[BODIES], quat[BODIES], size[BODIES];
    size_t c_off[ROWS * BODIES], t_off[BODIES];
    double c_val[ROWS * NQ];
    pcs_cone kind[ROWS];
    pcs_mass_matrix *M;
} setup;

static void prepare(const scene *s, setup *o)
{
    memset(o, 0, sizeof *o);
    evaluate(s, o->g, o->dense);
    for (int b = 0; b <= s->nb; ++b) {
        o->q_start[b] = 7 * b;
        o->v_start[b] = o->t_ptr[b] = 6 * b;
        o->t_ptr[b] = b;
    }

    // block rows of one row each; only the bodies touched
    size_t at = 0;
    for (int i = 0; i < s->m; ++i) {
        o->kind[i] = s->row[i].kind;
        o->c_row[i + 1] = i + 1;
        o->c_ptr[i + 1] = o->c_ptr[i];
        for (int b = 0; b < s->nb; ++b) {
            if (s->row[i].a != b && s->row[i].b != b) continue;
            o->c_idx[o->c_ptr[i + 1]] = b;
            o->c_off[o->c_ptr[i + 1]++] = at;
            for (int c = 0; c < 7; ++c) {
                o->c_val[at++] = o->dense[i + s->m * (7 * b + c)];
            }
        }
    }
    for (int b = 0; b < s->nb; ++b) {
        // T = diag(1, Q o (0, .) / 2)
        double *t = o->tval + 42 * b;
        const double *Q = s->q + 7 * b + 3;
        o->t_idx[b] = b;
        o->t_off[b] = (size_t)(42 * b);
        o->quat[b] = 7 * b + 3;
        o->size[b] = 6;
        for (int c = 0; c < 3; ++c) {
            double e[4] = {0}, r[4];
            e[c + 1] = 0.5;
            product(Q, e, r);
            t[c + 7 * c] = 1;
            memcpy(t + 7 * (3 + c) + 3, r, sizeof r);
            o->mval[36 * b + 7 * c] = s->mass[b];
            for (int l = 0; l < 3; ++l) {
                o->mval[36 * b + (3 + l) + 6 * (3 + c)] = s->J[b][l + 3 * c];
            }
        }
    }
    o->C = (pcs_bsr){s->m, s->nb, o->c_row, o->q_start, o->c_ptr, o->c_idx, o->c_off, o->c_val};
    o->T = (pcs_bsr){s->nb, s->nb, o->q_start, o->v_start, o->t_ptr, o->t_idx, o->t_off, o->tval};
    CK_OK(pcs_mass_matrix_create_blocks(NULL, s->nb, o->size, o->mval, &o->M));
    o->p = (pcs_position_problem){.m = s->m,
                                  .kind = o->kind,
                                  .g = o->g,
                                  .C = &o->C,
                                  .T = &o->T,
                                  .M = o->M,
                                  .nq = 7 * s->nb,
                                  .q = s->q,
                                  .n_quat = s->nb,
                                  .quat = o->quat};
}

static pcs_solver_opts exact(void)
{
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_LEMKE);
    o.tol = 1e-13;
    return o;
}

// one step; the gaps before it go to g
static pcs_report step(const scene *s, pcs_metric metric, double *L, double *dq)
{
    setup o;
    pcs_report report;
    const pcs_solver_opts opts = exact();
    prepare(s, &o);
    CK_OK(pcs_solve_position_alloc(NULL, &o.p, metric, &opts, L, dq, &report));
    pcs_mass_matrix_destroy(o.M);
    return report;
}

// random bodies, masses, tilted inertias and rows; about half of the rows violated by 0.1
static scene random_scene(test_random *rng, int nb, int m, double equalities)
{
    scene s = {.nb = nb, .m = m};
    for (int b = 0; b < nb; ++b) {
        for (int c = 0; c < 3; ++c) {
            s.q[7 * b + c] = 3 * b * (c == 0) + random_normal(rng);
        }
        random_quaternion(rng, s.q + 7 * b + 3);
        s.mass[b] = random_between(rng, 0.5, 5);
        double A[9];
        for (int c = 0; c < 9; ++c) {
            A[c] = random_normal(rng);
        }
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                s.J[b][i + 3 * j] = i == j;
                for (int k = 0; k < 3; ++k) {
                    s.J[b][i + 3 * j] += 0.3 * A[i + 3 * k] * A[j + 3 * k];
                }
            }
        }
    }
    for (int i = 0; i < m; ++i) {
        row *r = &s.row[i];
        r->kind = random_unit(rng) < equalities ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
        r->a = i % nb;
        r->b = nb > 1 && random_unit(rng) < 0.5 ? (i + 1) % nb : -1;
        double length = 0;
        for (int c = 0; c < 3; ++c) {
            r->pa[c] = 0.7 * random_normal(rng);
            r->pb[c] = 0.7 * random_normal(rng);
            r->n[c] = random_normal(rng);
            length += r->n[c] * r->n[c];
        }
        for (int c = 0; c < 3; ++c) {
            r->n[c] /= sqrt(length);
        }
    }
    double g[ROWS], C[ROWS * NQ];
    evaluate(&s, g, C);
    for (int i = 0; i < m; ++i) {
        s.row[i].d = g[i] + random_between(rng, -0.1, 0.1);
    }
    return s;
}

static void advance(scene *s, const double *dq)
{
    int quat[BODIES];
    for (int i = 0; i < 7 * s->nb; ++i) {
        s->q[i] += dq[i];
    }
    for (int b = 0; b < s->nb; ++b) {
        quat[b] = 7 * b + 3;
    }
    CK_OK(pcs_position_normalise(s->nb, quat, s->q));
}

static double violation(const scene *s)
{
    double g[ROWS], C[ROWS * NQ];
    pcs_cone kind[ROWS];
    evaluate(s, g, C);
    for (int i = 0; i < s->m; ++i) {
        kind[i] = s->row[i].kind;
    }
    return pcs_position_violation(s->m, kind, g);
}

// ---- tests -------------------------------------------------------------------------------------

TEST(gradients_are_tangent_and_correct)
{
    test_random rng = random_seed(1);
    for (int trial = 0; trial < 50; ++trial) {
        scene s = random_scene(&rng, 1 + trial % BODIES, ROWS, 0.3);
        double g[ROWS], C[ROWS * NQ], up[ROWS], down[ROWS], D[ROWS * NQ];
        evaluate(&s, g, C);
        for (int i = 0; i < s.m; ++i) {
            for (int b = 0; b < s.nb; ++b) {
                double radial = 0;
                for (int c = 3; c < 7; ++c) {
                    radial += C[i + s.m * (7 * b + c)] * s.q[7 * b + c];
                }
                CK_NEAR(radial, 0, 1e-14);
            }
        }
        for (int j = 0; j < 7 * s.nb; ++j) {
            const double q = s.q[j], h = 1e-6;
            s.q[j] = q + h;
            evaluate(&s, up, D);
            s.q[j] = q - h;
            evaluate(&s, down, D);
            s.q[j] = q;
            for (int i = 0; i < s.m; ++i) {
                CK_NEAR((up[i] - down[i]) / (2 * h), C[i + s.m * j], 1e-8);
            }
        }
    }
}

// theory 8.3: with gradients of degree 0 the three geometric metrics take the same step
TEST(q_q1_and_V_coincide_on_the_unit_sphere)
{
    test_random rng = random_seed(2);
    for (int trial = 0; trial < 60; ++trial) {
        const int nb = 1 + trial % BODIES;
        const scene s = random_scene(&rng, nb, nb == 1 ? 4 : 2 + 2 * nb, 0.3);
        double L[3][ROWS], dq[3][NQ], size = 0;
        for (int k = 0; k < 3; ++k) {
            const pcs_report r = step(&s, metrics[k + 1], L[k], dq[k]);
            ck_assert_int_eq(r.outcome, PCS_OUTCOME_CONVERGED);
        }
        for (int i = 0; i < s.m; ++i) {
            size = fmax(size, fabs(L[0][i]));
        }
        for (int j = 0; j < 7 * nb; ++j) {
            CK_NEAR(dq[0][j], dq[1][j], 1e-14 * (1 + 20 * size));
            CK_NEAR(dq[0][j], dq[2][j], 1e-14 * (1 + 20 * size));
        }
    }
}

// the smallest 1/2 d^T X d with g + J d obeying its rows, by trying every active set; d has n
// entries
static bool least_step(int n, const double *X, int m, const double *J, const double *g,
                       const pcs_cone *kind, double *best)
{
    enum { BIG = NQ + ROWS + BODIES };
    static double A[BIG * BIG], x[BIG];
    static int piv[BIG];
    double least = INFINITY;
    for (int mask = 0; mask < 1 << m; ++mask) {
        int on[ROWS + BODIES], k = 0;
        bool valid = true;
        for (int i = 0; i < m; ++i) {
            if (mask >> i & 1) on[k++] = i;
            if (!(mask >> i & 1) && kind[i] == PCS_CONE_EQUALITY) valid = false;
        }
        if (!valid || k > n) continue;
        const int size = n + k;
        memset(A, 0, sizeof A);
        memset(x, 0, sizeof x);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                A[i + size * j] = X[i + n * j];
            }
        }
        for (int i = 0; i < k; ++i) {
            x[n + i] = -g[on[i]];
            for (int j = 0; j < n; ++j) {
                A[(n + i) + size * j] = A[j + size * (n + i)] = J[on[i] + m * j];
            }
        }
        if (!lu_factor(size, A, piv)) continue;
        lu_solve(size, A, piv, x);

        double objective = 0;
        for (int i = 0; i < m && valid; ++i) {
            double w = g[i];
            for (int j = 0; j < n; ++j) {
                w += J[i + m * j] * x[j];
            }
            valid = w >= -1e-9;
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                objective += 0.5 * x[i] * X[i + n * j] * x[j];
            }
        }
        if (valid && objective < least) {
            least = objective;
            memcpy(best, x, (size_t)n * sizeof *x);
        }
    }
    return isfinite(least);
}

TEST(the_step_is_the_smallest_in_its_metric)
{
    test_random rng = random_seed(3);
    for (int trial = 0; trial < 40; ++trial) {
        const int nb = 1 + trial % 3;
        scene s = random_scene(&rng, nb, nb == 1 ? 4 : 6, 0.3);
        s.raw = trial % 2; // any gradient is a valid problem
        setup o;
        prepare(&s, &o);
        for (int k = 0; k < 4; ++k) {
            double L[ROWS], dq[NQ];
            const pcs_report r = step(&s, metrics[k], L, dq);
            ck_assert_int_eq(r.outcome, PCS_OUTCOME_CONVERGED);

            // the same programme, dense
            const bool velocities = k < 2;
            const int n = velocities ? 6 * nb : 7 * nb, m = k == 3 ? s.m + nb : s.m;
            double X[NQ * NQ] = {0}, J[(ROWS + BODIES) * NQ] = {0}, g[ROWS + BODIES], d[NQ];
            double dense[NQ * NV] = {0}, want[NQ] = {0};
            pcs_cone kind[ROWS + BODIES];
            pcs_bsr_to_dense(&o.T, dense);
            for (int i = 0; i < m; ++i) {
                g[i] = i < s.m ? o.g[i] : sqrt(square(4, s.q + 7 * (i - s.m) + 3)) - 1;
                kind[i] = i < s.m ? s.row[i].kind : PCS_CONE_EQUALITY;
                for (int j = 0; j < n; ++j) {
                    if (i >= s.m) {
                        J[i + m * j] = j / 7 == i - s.m && j % 7 >= 3 ? s.q[j] : 0;
                    } else if (!velocities) {
                        J[i + m * j] = o.dense[i + s.m * j];
                    } else {
                        for (int l = 0; l < 7 * nb; ++l) {
                            J[i + m * j] += o.dense[i + s.m * l] * dense[l + 7 * nb * j];
                        }
                    }
                }
            }
            for (int i = 0; i < n; ++i) {
                for (int j = 0; j < n; ++j) {
                    if (k == 0) {
                        X[i + n * j] =
                            i / 6 == j / 6 ? o.mval[36 * (i / 6) + i % 6 + 6 * (j % 6)] : 0;
                    } else if (k == 1) {
                        for (int l = 0; l < 7 * nb; ++l) {
                            X[i + n * j] += dense[l + 7 * nb * i] * dense[l + 7 * nb * j];
                        }
                    } else {
                        X[i + n * j] = i == j;
                    }
                }
            }
            ck_assert(least_step(n, X, m, J, g, kind, d));
            for (int i = 0; i < 7 * nb; ++i) {
                if (!velocities) want[i] = d[i];
                for (int j = 0; velocities && j < n; ++j) {
                    want[i] += dense[i + 7 * nb * j] * d[j];
                }
                CK_NEAR(dq[i], want[i], 1e-9);
            }
        }
        pcs_mass_matrix_destroy(o.M);
    }
}

TEST(mass_metric_keeps_the_centre_of_mass)
{
    test_random rng = random_seed(4);
    double worst_V = 0;
    for (int trial = 0; trial < 20; ++trial) {
        // one distance between two bodies, too short
        scene s = random_scene(&rng, 2, 1, 0);
        s.row[0].b = 1;
        double g[1], C[NQ];
        s.row[0].d = 0;
        evaluate(&s, g, C);
        s.row[0].d = g[0] + 0.1;
        for (int k = 0; k < 2; ++k) {
            double L[1], dq[NQ];
            ck_assert_int_eq(step(&s, metrics[k], L, dq).outcome, PCS_OUTCOME_CONVERGED);
            for (int c = 0; c < 3; ++c) {
                const double moved = s.mass[0] * dq[c] + s.mass[1] * dq[7 + c];
                if (k == 0) CK_NEAR(moved, 0, 1e-15);
                if (k == 1) worst_V = fmax(worst_V, fabs(moved));
            }
        }
    }
    ck_assert_double_gt(worst_V, 1e-3);
}

// a ball of radius R pressed delta into the plane z = 0; the foot point is frozen in the body
static scene ball(test_random *rng, double R, double delta)
{
    scene s = {.nb = 1, .m = 1, .mass = {1}, .J = {{1, 0, 0, 0, 1, 0, 0, 0, 1}}};
    s.q[2] = R - delta;
    random_quaternion(rng, s.q + 3);
    s.row[0] = (row){.kind = PCS_CONE_UNILATERAL, .a = 0, .b = -1, .n = {0, 0, 1}};
    return s;
}

// p with R(Q) p = -R n
static void freeze_foot(scene *s, double R)
{
    const double conjugate[4] = {s->q[3], -s->q[4], -s->q[5], -s->q[6]}, foot[3] = {0, 0, -R};
    sandwich(conjugate, foot, conjugate, s->row[0].pa);
}

// theory 8.3: with the raw gradient the correction both lifts the ball and inflates Q; 4 R^2 / (1 +
// 4 R^2) of the gap is left after every step. The unit row, V and the right gradient lift at once
TEST(raw_gradient_contracts_slowly)
{
    test_random rng = random_seed(5);
    const double radius[3] = {0.1, 1, 10};
    for (int k = 0; k < 3; ++k) {
        const double R = radius[k], factor = 4 * R * R / (1 + 4 * R * R);
        scene s = ball(&rng, R, 0.05);
        s.raw = true;
        for (int it = 0; it < 5; ++it) {
            double L[1], dq[7];
            freeze_foot(&s, R);
            const double before = s.q[2] - R;
            ck_assert_int_eq(step(&s, PCS_METRIC_Q, L, dq).outcome, PCS_OUTCOME_CONVERGED);
            advance(&s, dq);
            CK_NEAR((s.q[2] - R) / before, factor, 1e-14 * (1 + R / fabs(before)));
        }
        for (int raw = 0; raw < 2; ++raw) {
            for (int metric = 0; metric < 4; ++metric) {
                if (raw && metrics[metric] == PCS_METRIC_Q) continue;
                double L[1], dq[7];
                scene t = ball(&rng, R, 0.05);
                t.raw = raw;
                freeze_foot(&t, R);
                ck_assert_int_eq(step(&t, metrics[metric], L, dq).outcome, PCS_OUTCOME_CONVERGED);
                advance(&t, dq);
                CK_NEAR(t.q[2] - R, 0, 1e-14 * (1 + R));
            }
        }
    }
}

// the same ball with its centre fixed: the raw gradient inflates the quaternion without end, with
// Q1 the solver reports infeasible
TEST(fixed_centre_is_infeasible_with_unit_rows)
{
    test_random rng = random_seed(6);
    scene s = ball(&rng, 1, 0.05);
    s.raw = true;
    freeze_foot(&s, 1);
    setup o;
    prepare(&s, &o);
    for (int c = 0; c < 3; ++c) {
        o.c_val[c] = 0;
    }
    double L[1], dq[7];
    pcs_report r;
    const pcs_solver_opts opts = exact();
    CK_OK(pcs_solve_position_alloc(NULL, &o.p, PCS_METRIC_Q1, &opts, L, dq, &r));
    ck_assert_int_eq(r.outcome, PCS_OUTCOME_INFEASIBLE);
    for (int c = 0; c < 7; ++c) {
        ck_assert(isfinite(dq[c]));
    }
    CK_OK(pcs_solve_position_alloc(NULL, &o.p, PCS_METRIC_Q, &opts, L, dq, &r));
    ck_assert_int_eq(r.outcome, PCS_OUTCOME_CONVERGED);
    const double z = s.q[2];
    advance(&s, dq);
    CK_NEAR(s.q[2], z, 0);
    pcs_mass_matrix_destroy(o.M);
}

TEST(iterations_converge_quadratically)
{
    test_random rng = random_seed(7);
    int converged = 0, tried = 0;
    for (int trial = 0; trial < 60; ++trial) {
        const int nb = 1 + trial % BODIES;
        const scene start = random_scene(&rng, nb, nb == 1 ? 3 : 2 + nb, trial % 3 * 0.5);
        for (int k = 0; k < 4; ++k) {
            scene s = start;
            double error = violation(&s), largest = 0;
            int it = 0;
            for (; it < 12 && !(error <= 1e-12); ++it) {
                double L[ROWS], dq[NQ];
                ck_assert_int_eq(step(&s, metrics[k], L, dq).outcome, PCS_OUTCOME_CONVERGED);

                // the length of a quaternion is second order in the step: dq is tangent
                double size = 0;
                for (int b = 0; b < nb; ++b) {
                    const double *d = dq + 7 * b + 3, *Q = s.q + 7 * b + 3;
                    double next[4];
                    for (int c = 0; c < 4; ++c) {
                        next[c] = Q[c] + d[c];
                    }
                    CK_NEAR(sqrt(square(4, next)) - 1, 0, square(4, d) / 2 + 1e-13);
                }
                size = square(7 * nb, dq);
                advance(&s, dq);
                error = violation(&s);
                largest = fmax(largest, error / (size + 1e-13));
            }
            ++tried;
            converged += it <= 6 && error <= 1e-12;
            ck_assert_double_lt(largest, 30); // error after <= c |dq|^2
        }
    }
    ck_assert_int_ge(converged, tried - 6);
}

TEST(CT_given_or_computed_is_the_same)
{
    test_random rng = random_seed(8);
    for (int trial = 0; trial < 10; ++trial) {
        const int nb = 1 + trial % BODIES;
        const scene s = random_scene(&rng, nb, 2 + nb, 0.3);
        setup o;
        prepare(&s, &o);
        double val[ROWS * NV], L[2][ROWS], dq[2][NQ];
        size_t off[ROWS * BODIES], at = 0;
        pcs_bsr CT = o.C;
        CT.col = o.v_start;
        CT.val = val;
        CT.off = off;
        for (int k = 0; k < o.c_ptr[s.m]; ++k) {
            off[k] = at;
            for (int c = 0; c < 6; ++c) {
                val[at] = 0;
                for (int l = 0; l < 7; ++l) {
                    val[at] += o.c_val[7 * k + l] * o.tval[42 * o.c_idx[k] + l + 7 * c];
                }
                ++at;
            }
        }
        const pcs_solver_opts opts = exact();
        for (int k = 0; k < 2; ++k) {
            pcs_report r;
            o.p.C = &o.C;
            o.p.CT = NULL;
            CK_OK(pcs_solve_position_alloc(NULL, &o.p, metrics[k], &opts, L[0], dq[0], &r));
            o.p.C = NULL;
            o.p.CT = &CT;
            CK_OK(pcs_solve_position_alloc(NULL, &o.p, metrics[k], &opts, L[1], dq[1], &r));
            for (int j = 0; j < 7 * nb; ++j) {
                CK_NEAR(dq[0][j], dq[1][j], 1e-14);
            }
        }
        pcs_mass_matrix_destroy(o.M);
    }
}

TEST(memory_is_counted_and_failures_leave_nothing)
{
    test_random rng = random_seed(9);
    const scene s = random_scene(&rng, 3, 8, 0.3);
    setup o;
    prepare(&s, &o);
    double L[ROWS], dq[NQ];
    pcs_report r;
    for (int k = 0; k < 4; ++k) {
        for (int kind = 0; kind < 2; ++kind) {
            const pcs_solver_opts opts =
                pcs_solver_opts_default(kind ? PCS_SOLVER_LEMKE : PCS_SOLVER_AUTO);
            size_t bytes, peak = 0;
            CK_OK(pcs_solve_position_bytes(NULL, &o.p, metrics[k], &opts, &bytes));
            pcs_arena arena;
            CK_OK(pcs_arena_create(NULL, bytes, &arena));
            arena.peak = &peak;
            CK_OK(pcs_solve_position(&o.p, metrics[k], &opts, arena, L, dq, &r));
            ck_assert_uint_le(peak, bytes);

            // growing to the recorded demand ends
            size_t size = 64;
            int rounds = 0;
            for (;; ++rounds) {
                pcs_arena small = arena;
                small.size = size;
                peak = 0;
                if (pcs_solve_position(&o.p, metrics[k], &opts, small, L, dq, &r) == PCS_OK) break;
                ck_assert_uint_gt(peak, size);
                size = peak;
            }
            ck_assert_int_lt(rounds, 30);
            pcs_arena_destroy(NULL, &arena);
        }
        for (long fail = 0;; ++fail) {
            test_memory memory = {.fail_at = fail};
            const pcs_env env = test_env(&memory);
            const pcs_status status =
                pcs_solve_position_alloc(&env, &o.p, metrics[k], NULL, L, dq, &r);
            ck_assert_int_eq(memory.live, 0);
            if (status == PCS_OK) break;
            ck_assert_int_eq(status, PCS_ERR_MEMORY);
            ck_assert_int_lt(fail, 30);
        }
    }
    pcs_mass_matrix_destroy(o.M);
}

TEST(bad_input_is_refused_with_a_sentence)
{
    test_random rng = random_seed(10);
    const scene s = random_scene(&rng, 2, 3, 0.3);
    setup o;
    double L[ROWS], dq[NQ];
    pcs_report r;
#define STEP(metric) pcs_solve_position_alloc(NULL, &o.p, metric, NULL, L, dq, &r)
#define AGAIN        (pcs_mass_matrix_destroy(o.M), prepare(&s, &o))
    prepare(&s, &o);
    CK_FAILS(pcs_solve_position_alloc(NULL, NULL, PCS_METRIC_Q, NULL, L, dq, &r), PCS_ERR_ARG);
    CK_FAILS(STEP((pcs_metric)7), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_position_alloc(NULL, &o.p, PCS_METRIC_Q, NULL, L, NULL, &r), PCS_ERR_ARG);
    CK_FAILS(pcs_solve_position_alloc(NULL, &o.p, PCS_METRIC_Q, NULL, L, dq, NULL), PCS_ERR_ARG);
    o.g[1] = NAN;
    CK_FAILS(STEP(PCS_METRIC_MASS), PCS_ERR_ARG);
    AGAIN;
    o.c_val[0] = NAN;
    CK_FAILS(STEP(PCS_METRIC_Q), PCS_ERR_ARG);
    AGAIN;
    o.p.M = NULL;
    CK_FAILS(STEP(PCS_METRIC_MASS), PCS_ERR_ARG);
    CK_OK(STEP(PCS_METRIC_V));
    o.p.M = o.M;
    o.p.T = NULL;
    CK_FAILS(STEP(PCS_METRIC_V), PCS_ERR_ARG);
    CK_OK(STEP(PCS_METRIC_Q));
    AGAIN;
    o.p.nq = 13;
    CK_FAILS(STEP(PCS_METRIC_Q), PCS_ERR_SIZE);
    CK_FAILS(STEP(PCS_METRIC_V), PCS_ERR_SIZE);
    AGAIN;
    o.quat[1] = 11;
    CK_FAILS(STEP(PCS_METRIC_Q1), PCS_ERR_SIZE);
    o.quat[1] = 5; // across two bodies
    CK_FAILS(STEP(PCS_METRIC_Q1), PCS_ERR_SIZE);
    AGAIN;
    o.kind[0] = (pcs_cone)9;
    CK_FAILS(STEP(PCS_METRIC_Q), PCS_ERR_ARG);
    AGAIN;
    memset(o.tval, 0, sizeof o.tval);
    CK_FAILS(STEP(PCS_METRIC_V), PCS_ERR_SINGULAR);
    AGAIN;
    o.t_idx[0] = 1;
    CK_FAILS(STEP(PCS_METRIC_V), PCS_ERR_ARG);
    AGAIN;
    double q[NQ] = {0};
    o.p.q = q;
    CK_FAILS(STEP(PCS_METRIC_Q1), PCS_ERR_ARG);
    pcs_mass_matrix_destroy(o.M);

    // the projection has nothing to do
    const pcs_position_problem none = {.nq = 7};
    for (int k = 0; k < 4; ++k) {
        CK_OK(pcs_solve_position_alloc(NULL, &none, metrics[k], NULL, NULL, dq, &r));
        ck_assert_int_eq(r.outcome, PCS_OUTCOME_CONVERGED);
        ck_assert(dq[0] == 0);
    }
}

TEST(normalise_and_violation)
{
    const int quat[2] = {0, 5};
    double q[9] = {3, 0, 4, 0, 7, 1e-200, 0, 0, 1e-200};
    CK_OK(pcs_position_normalise(2, quat, q));
    CK_NEAR(q[0], 0.6, 1e-16);
    CK_NEAR(q[4], 7, 0);
    CK_NEAR(q[5], sqrt(0.5), 1e-15);
    CK_FAILS(pcs_position_normalise(2, NULL, q), PCS_ERR_ARG);

    // one bad quaternion: nothing is changed
    double bad[9] = {2, 0, 0, 0, 0, 0, 0, 0, 0};
    CK_FAILS(pcs_position_normalise(2, quat, bad), PCS_ERR_ARG);
    CK_NEAR(bad[0], 2, 0);
    bad[6] = NAN;
    CK_FAILS(pcs_position_normalise(2, quat, bad), PCS_ERR_ARG);

    const pcs_cone kind[3] = {PCS_CONE_EQUALITY, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL};
    CK_NEAR(pcs_position_violation(3, kind, (double[]){0.1, 5, -0.3}), 0.3, 0);
    CK_NEAR(pcs_position_violation(3, kind, (double[]){-0.4, INFINITY, -0.3}), 0.4, 0);
    CK_NEAR(pcs_position_violation(0, NULL, NULL), 0, 0);
    ck_assert(isnan(pcs_position_violation(3, kind, (double[]){0, NAN, -1})));
}

// one row violated by a little, another open by a metre: the residual is relative to the metre, but
// the violated row is closed completely
TEST(an_open_row_hides_no_violation)
{
    double one[4] = {1, 0, 0, 1};
    unsigned char buffer[1024];
    pcs_arena arena = {.base = buffer, .size = sizeof buffer};
    pcs_bsr C;
    CK_OK(pcs_bsr_from_dense(2, 2, one, &arena, &C));
    const pcs_cone kind[2] = {PCS_CONE_EQUALITY, PCS_CONE_UNILATERAL};
    for (double violation = 1e-3; violation > 1e-12; violation /= 10) {
        const double g[2] = {-violation, 1};
        const pcs_position_problem p = {.m = 2, .kind = kind, .g = g, .C = &C, .nq = 2};
        double Lambda[2], dq[2];
        pcs_report report;
        CK_OK(pcs_solve_position_alloc(NULL, &p, PCS_METRIC_Q, NULL, Lambda, dq, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
        CK_NEAR(dq[0], violation, 1e-14);
        CK_NEAR(dq[1], 0, 0);
    }
}
