// Lemke's method: hard and cycling examples of the literature, hyperstatic problems, proofs that
// there is no solution, agreement with enumeration.
#include "support.h"

#include <percuss/numerics.h>

enum { MOST = 128 };

// solves an MLCP, checks that the report is true, and returns it
static pcs_report run(pcs_solver kind, int n, const pcs_cone *cone, const double *M,
                      const double *q, double *z)
{
    double w[MOST] = {0};
    pcs_report report;
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    for (int i = 0; i < n; ++i) {
        z[i] = 0;
    }
    CK_OK(pcs_solve_mlcp(n, cone, M, q, &o, z, w, &report));
    for (int i = 0; i < n; ++i) {
        ck_assert(isfinite(z[i]) && isfinite(w[i]));
    }
    ck_assert_int_eq(report.outcome == PCS_OUTCOME_CONVERGED, report.measure.residual <= o.tol);
    return report;
}

static const pcs_cone unilateral[MOST] = {
#define U8                                                                              \
    PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, \
        PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL, PCS_CONE_UNILATERAL
    U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8, U8};

// Murty's matrix: lower triangular, 1 on the diagonal, 2 below; Lemke with the covering vector of
// the literature visits 2^n bases. The solution is r = e_1
TEST(murty_is_solved)
{
    for (int n = 1; n <= 14; ++n) {
        for (int transposed = 0; transposed < 2; ++transposed) {
            double M[14 * 14] = {0}, q[14], z[14];
            for (int i = 0; i < n; ++i) {
                q[i] = -1;
                for (int j = 0; j <= i; ++j) {
                    M[transposed ? j + n * i : i + n * j] = i == j ? 1 : 2;
                }
            }
            const pcs_report report = run(PCS_SOLVER_LEMKE, n, unilateral, M, q, z);
            ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
            for (int i = 0; i < n; ++i) {
                CK_NEAR(z[i], i == (transposed ? n - 1 : 0), 1e-14);
            }
        }
    }
}

// the circulant P-matrix of Murty and Kostreva, on which pivoting methods cycle when ties are
// broken carelessly: every ratio of the first step ties
TEST(cycling_examples_end)
{
    const double K[9] = {1, 0, 2, 2, 1, 0, 0, 2, 1}, qk[3] = {-1, -1, -1};
    double z[5];
    pcs_report report = run(PCS_SOLVER_LEMKE, 3, unilateral, K, qk, z);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(z[i], 1.0 / 3, 1e-15);
    }

    // every ratio ties, at every step
    double M[25], q[5];
    for (int i = 0; i < 5; ++i) {
        q[i] = -1;
        for (int j = 0; j < 5; ++j) {
            M[i + 5 * j] = i == j ? 1 : -0.25;
        }
    }
    report = run(PCS_SOLVER_LEMKE, 5, unilateral, M, q, z);
    ck_assert(report.outcome == PCS_OUTCOME_INFEASIBLE);
    for (int i = 0; i < 5; ++i) {
        M[6 * i] = 1.25;
    }
    report = run(PCS_SOLVER_LEMKE, 5, unilateral, M, q, z);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    for (int i = 0; i < 5; ++i) {
        CK_NEAR(z[i], 4, 1e-13);
    }
}

// a box on its four corners: rank 3 and every row ties
TEST(hyperstatic_box_is_carried)
{
    const double H[4][3] = {{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};
    double M[16], q[4] = {-1, -1, -1, -1}, z[4], total = 0, roll = 0, pitch = 0;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            M[i + 4 * j] = H[i][0] * H[j][0] + 3 * H[i][1] * H[j][1] + 3 * H[i][2] * H[j][2];
        }
    }
    const pcs_report report = run(PCS_SOLVER_LEMKE, 4, unilateral, M, q, z);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    for (int i = 0; i < 4; ++i) {
        total += z[i];
        roll += H[i][1] * z[i];
        pitch += H[i][2] * z[i];
    }
    CK_NEAR(total, 1, 1e-14);
    CK_NEAR(roll, 0, 1e-14);
    CK_NEAR(pitch, 0, 1e-14);
}

// boxes on one another, four corners each: 4 rows and rank 3 per box, many ties. The bottom carries
// all of them
TEST(a_tower_is_carried)
{
    enum { boxes = 24, n = 4 * boxes, nv = 3 * boxes };
    double *H = calloc((size_t)n * nv, sizeof *H), *W = calloc((size_t)n * n, sizeof *W);
    double q[n] = {0}, z[n], total = 0;
    const double weight = 0.01, inverse_inertia = 6;
    ck_assert(H && W);
    for (int i = 0; i < n; ++i) {
        const int b = i / 4;
        const double x = i & 1 ? 0.5 : -0.5, y = i & 2 ? 0.5 : -0.5;
        const double row[3] = {1, y, -x};
        for (int c = 0; c < 3; ++c) {
            H[i + n * (3 * b + c)] = row[c];
            if (b > 0) H[i + n * (3 * b - 3 + c)] = -row[c];
        }
        q[i] = b > 0 ? 0 : -weight;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            for (int l = 0; l < nv; ++l) {
                W[i + n * j] += H[i + n * l] * H[j + n * l] * (l % 3 ? inverse_inertia : 1);
            }
        }
    }
    const pcs_report report = run(PCS_SOLVER_LEMKE, n, unilateral, W, q, z);
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    ck_assert_double_lt(report.measure.residual, 1e-12);
    for (int i = 0; i < 4; ++i) {
        total += z[i];
    }
    CK_NEAR(total, weight * boxes, 1e-12);
    free(H);
    free(W);
}

TEST(infeasible_is_proved)
{
    double z[4];

    // W = 0 and q < 0
    const double zero[4] = {0}, q[2] = {1, -1};
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 2, unilateral, zero, q, z).outcome,
                     PCS_OUTCOME_INFEASIBLE);

    // W = 0 and q >= 0: r = 0
    const double good[2] = {1, 0};
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 2, unilateral, zero, good, z).outcome,
                     PCS_OUTCOME_CONVERGED);

    // rank 1: the two rows pull against each other
    const double M[4] = {1, -1, -1, 1}, q2[2] = {-1, -1};
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 2, unilateral, M, q2, z).outcome,
                     PCS_OUTCOME_INFEASIBLE);

    // equalities that contradict each other, and two equal ones
    const pcs_cone kind[3] = {PCS_CONE_EQUALITY, PCS_CONE_UNILATERAL, PCS_CONE_EQUALITY};
    const double E[9] = {1, 0, 1, 0, 1, 0, 1, 0, 1}, q3[3] = {1, -1, 2}, q4[3] = {1, -1, 1};
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 3, kind, E, q3, z).outcome, PCS_OUTCOME_INFEASIBLE);
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 3, kind, E, q4, z).outcome, PCS_OUTCOME_CONVERGED);
    CK_NEAR(z[0] + z[2], -1, 1e-14);
    CK_NEAR(z[1], 1, 1e-14);

    // nearly singular is not singular: r = (1, 1e13)
    const double tiny[4] = {1, 0, 0, 1e-13}, q5[2] = {-1, -1};
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 2, unilateral, tiny, q5, z).outcome,
                     PCS_OUTCOME_CONVERGED);
    CK_NEAR(z[1], 1e13, 1);
}

// a bimatrix game (Lemke-Howson): not monotone, and with the usual covering vectors the method ends
// on a ray
TEST(bimatrix_game_is_solved)
{
    const double M[16] = {0, 0, 10, 20, 0, 0, 30, 15, 10, 20, 0, 0, 30, 15, 0, 0};
    const double q[4] = {-1, -1, -1, -1};
    double z[4];
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 4, unilateral, M, q, z).outcome, PCS_OUTCOME_CONVERGED);
}

// feasible, without a solution: W is not monotone, so a ray proves nothing
TEST(a_ray_without_proof_is_not_called_infeasible)
{
    // w1 = z2 - 1 >= 0 requires z2 > 0, but w2 = z1 + z2 is not 0 then
    const double M[4] = {0, 1, 1, 1}, q[2] = {-1, 0};
    double z[2];
    const pcs_outcome end = run(PCS_SOLVER_LEMKE, 2, unilateral, M, q, z).outcome;
    ck_assert(end != PCS_OUTCOME_CONVERGED && end != PCS_OUTCOME_INFEASIBLE);

    // w1 = 1 - z2, w2 = z2 - 1: z2 = 1 and any z1 with z1 w1 = 0
    const double S[4] = {0, 0, -1, 1}, s[2] = {1, -1};
    ck_assert_int_eq(run(PCS_SOLVER_LEMKE, 2, unilateral, S, s, z).outcome, PCS_OUTCOME_CONVERGED);

    // w1 + w2 = -1
    const double N[4] = {-1, 1, 1, -1}, p[2] = {1, -2};
    ck_assert_int_ne(run(PCS_SOLVER_LEMKE, 2, unilateral, N, p, z).outcome, PCS_OUTCOME_CONVERGED);
}

// an equality may be written with either sign, and combined with others
TEST(signs_of_equalities_do_not_matter)
{
    test_random rng = random_seed(11);
    enum { n = 8, ne = 3 };
    for (int trial = 0; trial < 200; ++trial) {
        // W positive semidefinite with W_EE = 0: a quadratic programme with equality constraints
        double W[n * n] = {0}, q[n], z[n];
        for (int i = ne; i < n; ++i) {
            for (int j = ne; j < n; ++j) {
                for (int k = 0; k < 3; ++k) {
                    W[i + n * j] += sin(i * (k + 1.0) + trial) * sin(j * (k + 1.0) + trial);
                }
            }
        }
        for (int i = 0; i < ne; ++i) {
            const double sign = random_unit(&rng) < 0.5 ? -1 : 1;
            q[i] = 0;
            for (int j = ne; j < n; ++j) {
                const double a = random_normal(&rng);
                W[i + n * j] = sign * a;
                W[j + n * i] = -a;
                q[i] -= sign * a * 0.5; // z = 1/2 is feasible
            }
        }
        for (int j = ne; j < n; ++j) {
            q[j] = random_unit(&rng); // bounded below
        }
        pcs_cone kind[n];
        for (int i = 0; i < n; ++i) {
            kind[i] = i < ne ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
        }
        ck_assert_int_eq(run(PCS_SOLVER_LEMKE, n, kind, W, q, z).outcome, PCS_OUTCOME_CONVERGED);
    }
}

// random problems of every shape: positive definite, semidefinite of any rank with consistent or
// random q, unsymmetric, skew, indefinite; equality rows anywhere. enum is the reference
TEST(agrees_with_enumeration)
{
    test_random rng = random_seed(5);
    int solved = 0, refuted = 0, other = 0, doubts = 0;
    for (int trial = 0; trial < 4000; ++trial) {
        const int n = 1 + (int)(7 * random_unit(&rng)), rank = (int)(random_unit(&rng) * (n + 1));
        const int shape = trial % 5;
        double H[64], M[64] = {0}, q[8], v[8], z[8];
        pcs_cone kind[8];
        for (int i = 0; i < 64; ++i) {
            H[i] = random_normal(&rng);
            if (trial % 7 == 0) H[i] = round(H[i]); // ties
        }
        for (int i = 0; i < 8; ++i) {
            v[i] = random_normal(&rng);
            if (trial % 7 == 0) v[i] = round(v[i]);
        }
        for (int i = 0; i < n; ++i) {
            kind[i] = random_unit(&rng) < 0.3 ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
            q[i] = 0;
            for (int k = 0; k < rank; ++k) {
                q[i] += H[i + 8 * k] * v[k];
                for (int j = 0; j < n; ++j) {
                    M[i + n * j] += H[i + 8 * k] * H[j + 8 * k];
                }
            }
            if (trial % 3 == 0) q[i] = v[i];
        }
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const double skew = H[i + 8 * j] - H[j + 8 * i];
                if (shape == 2) M[i + n * j] += skew;
                if (shape == 3) M[i + n * j] = skew;
                if (shape == 4) M[i + n * j] = H[i + 8 * j];
            }
        }
        const pcs_report l = run(PCS_SOLVER_LEMKE, n, kind, M, q, z);
        const pcs_report e = run(PCS_SOLVER_ENUM, n, kind, M, q, z);
        solved += e.outcome == PCS_OUTCOME_CONVERGED;
        refuted += e.outcome == PCS_OUTCOME_INFEASIBLE;

        // a proof is never contradicted
        ck_assert(!(l.outcome == PCS_OUTCOME_INFEASIBLE && e.outcome == PCS_OUTCOME_CONVERGED));
        ck_assert(!(e.outcome == PCS_OUTCOME_INFEASIBLE && l.outcome == PCS_OUTCOME_CONVERGED));
        // monotone: both decide, but enum may reject a proof because of large entries
        doubts += e.outcome == PCS_OUTCOME_STALLED && l.outcome == PCS_OUTCOME_INFEASIBLE;
        if (shape < 4 && !(e.outcome == PCS_OUTCOME_STALLED && l.outcome == PCS_OUTCOME_INFEASIBLE))
            ck_assert_msg(l.outcome == e.outcome, "trial %d: lemke %s, enum %s", trial,
                          pcs_outcome_text(l.outcome), pcs_outcome_text(e.outcome));
        other += l.outcome != e.outcome;
    }
    ck_assert_int_gt(solved, 1500);
    ck_assert_int_gt(refuted, 500);
    ck_assert_int_lt(other, 200);
    ck_assert_int_lt(doubts, 10);
}
