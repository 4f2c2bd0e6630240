// Relations: joints against complex steps of formulas written here, linear relations, callbacks
// that fail.
#include "rotations.h"

#include <percuss/kinematics.h>
#include <percuss/parts.h>
#include <percuss/relation.h>

#include "complex_step.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(4000)

// the gap of a built-in relation on complex poses, by formulas of its own
static void joint_gap(const pcs_relation *relation, const cplx *z1, const cplx *z2, cplx g[3])
{
    cplx P1[3], P2[3], w[3];
    z_point(z1, relation->data, P1);
    z_point(z2, relation->data + 3, P2);
    for (int i = 0; i < 3; ++i) {
        w[i] = P1[i] - P2[i];
        g[i] = w[i];
    }
    if (relation->dim == 1) g[0] = csqrt(z_dot(w, w)) - relation->data[6];
}

TEST(joints_against_the_complex_step)
{
    test_random r = random_seed(17);
    for (int n = 0; n < DRAWS; ++n) {
        double q1[7], q2[7], p1[3], p2[3], g[3], C1[21], C2[21];
        random_pose(&r, q1);
        random_pose(&r, q2);
        random_vector(&r, p1, 3);
        random_vector(&r, p2, 3);
        const pcs_relation relation =
            n % 2 ? pcs_relation_ball_joint(p1, p2) : pcs_relation_distance(p1, p2, 0.7);
        const bool world = n % 3 == 0;
        const double *pose2 = world ? NULL : q2;
        CK_OK(pcs_relation_gap(&relation, q1, pose2, g));
        CK_OK(pcs_relation_gradient(&relation, 7, q1, world ? 0 : 7, pose2, C1, world ? NULL : C2));

        cplx z[14], zg[3];
        step_poses(q1, pose2, 0, z);
        joint_gap(&relation, z, world ? NULL : z + 7, zg);
        if (!(creal(zg[0]) + 0.7 > 0.05) && relation.dim == 1) continue;
        for (int row = 0; row < relation.dim; ++row) {
            CK_NEAR(g[row], creal(zg[row]), 1e-14);
        }
        for (int i = 0; i < (world ? 7 : 14); ++i) {
            step_poses(q1, pose2, i, z);
            joint_gap(&relation, z, world ? NULL : z + 7, zg);
            const double *C = i < 7 ? C1 + relation.dim * i : C2 + relation.dim * (i - 7);
            for (int row = 0; row < relation.dim; ++row) {
                CK_NEAR(C[row], cimag(zg[row]) / STEP, 1e-13 * (1 + largest(C1, 7 * relation.dim)));
            }
        }
        const double tol = 1e-14 * (1 + largest(C1, 7 * relation.dim));
        expect_not_radial(relation.dim, C1 + 3 * relation.dim, q1 + 3, tol);
    }
}

TEST(distance_of_coincident_points_has_no_gradient)
{
    const double p[3] = {0.1, 0.2, 0.3}, q1[7] = {0.5, 0, 0, 1, 0, 0, 0};
    const double q2[7] = {0.6, 0.2, 0.3, 1, 0, 0, 0};
    const pcs_relation relation = pcs_relation_distance(p, (double[]){0, 0, 0}, 1);
    double g, C1[7], C2[7];
    CK_OK(pcs_relation_gap(&relation, q1, q2, &g));
    CK_NEAR(g, -1, 1e-15);
    CK_FAILS(pcs_relation_gradient(&relation, 7, q1, 7, q2, C1, C2), PCS_ERR_CALLBACK);
    ck_assert(strstr(pcs_error_text(), "at the same place") &&
              !strstr(pcs_error_text(), "callback"));
}

TEST(linear_relation_is_linear)
{
    for (int n = 1; n <= 7; ++n) {
        double c[7], q[7], g, C[7], expected = 0.25;
        for (int i = 0; i < n; ++i) {
            c[i] = i + 1;
            q[i] = 1.0 / (i + 2);
            expected += c[i] * q[i];
        }
        pcs_relation relation = pcs_relation_linear(n, c, 0.25);
        memset(c, 0, sizeof c); // copied, not kept
        CK_OK(pcs_relation_gap(&relation, q, NULL, &g));
        CK_NEAR(g, expected, 1e-15);
        CK_OK(pcs_relation_gradient(&relation, n, q, 0, NULL, C, NULL));
        for (int i = 0; i < n; ++i) {
            CK_NEAR(C[i], i + 1, 0);
        }
    }
    const double c[8] = {0};
    double g;
    const pcs_relation none[] = {pcs_relation_linear(0, c, 0), pcs_relation_linear(8, c, 0),
                                 pcs_relation_linear(3, NULL, 0)};
    for (int i = 0; i < 3; ++i) {
        CK_FAILS(pcs_relation_gap(&none[i], c, NULL, &g), PCS_ERR_ARG);
    }
}

TEST(linear_contact_is_linear)
{
    for (int n = 1; n <= 7; ++n) {
        double c[7], t[7], q[7], g[2], place = 0;
        for (int i = 0; i < n; ++i) {
            c[i] = i + 1;
            t[i] = 3 - 2 * i;
            q[i] = 1.0 / (i + 2);
            place += t[i] * q[i];
        }
        pcs_relation one = pcs_relation_linear(n, c, 0.25);
        pcs_relation both = pcs_relation_linear_contact(n, c, 0.25, t);
        memset(t, 0, sizeof t); // copied, not kept
        ck_assert_int_eq(both.dim, 2);
        CK_OK(pcs_relation_gap(&one, q, NULL, g));
        const double first = g[0];
        CK_OK(pcs_relation_gap(&both, q, NULL, g));
        ck_assert_double_eq(g[0], first);
        CK_NEAR(g[1], place, 1e-15);
        CK_OK(pcs_relation_check(&both, n, q, 0, NULL));
        ck_assert_int_eq(pcs_relation_kind_of(&both), PCS_RELATION_LINEAR);
    }
    const double c[8] = {1};
    double g[2];
    const pcs_relation none[] = {
        pcs_relation_linear_contact(0, c, 0, c), pcs_relation_linear_contact(8, c, 0, c),
        pcs_relation_linear_contact(3, NULL, 0, c), pcs_relation_linear_contact(3, c, 0, NULL)};
    for (int i = 0; i < 4; ++i) {
        CK_FAILS(pcs_relation_gap(&none[i], c, NULL, g), PCS_ERR_ARG);
    }
}

// a callback that returns the values in its user data
typedef enum misbehave { BEHAVE, FAIL, GIVE_NAN, GIVE_INFINITY, FORGET } misbehave;

static int give(void *user, double *out)
{
    const misbehave how = *(const misbehave *)user;
    if (how == FAIL) return 3;
    if (how != FORGET) out[0] = how == GIVE_NAN ? NAN : how == GIVE_INFINITY ? INFINITY : 1;
    out[1] = 2;
    return 0;
}

static int gap_as_told(void *user, const double *q1, const double *q2, double *g)
{
    return give(user, g);
}

static int gradient_as_told(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    if (C2) C2[0] = C2[1] = 0;
    return give(user, C1);
}

TEST(callbacks_are_not_trusted)
{
    misbehave how = BEHAVE;
    const pcs_relation relation = {
        .dim = 2, .gap = gap_as_told, .gradient = gradient_as_told, .user = &how};
    const double q = 0;
    double g[2], C1[2], C2[2];
    CK_OK(pcs_relation_gap(&relation, &q, NULL, g));
    CK_OK(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, C2));
    CK_NEAR(g[1], 2, 0);
    for (how = FAIL; how <= FORGET; ++how) {
        g[0] = C1[0] = 0; // the value that FORGET leaves unwritten
        CK_FAILS(pcs_relation_gap(&relation, &q, NULL, g), PCS_ERR_CALLBACK);
        if (how == FORGET) {
            CK_OK(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, C2));
            CK_NEAR(C1[0], 0, 0); // gradients are zero at the call
        } else {
            CK_FAILS(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, C2), PCS_ERR_CALLBACK);
        }
    }

    pcs_relation bad = relation;
    how = BEHAVE;
    bad.gap = NULL;
    CK_FAILS(pcs_relation_gap(&bad, &q, NULL, g), PCS_ERR_ARG);
    bad = relation;
    bad.dim = 0;
    CK_FAILS(pcs_relation_gap(&bad, &q, NULL, g), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gap(NULL, &q, NULL, g), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gap(&relation, NULL, NULL, g), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gradient(&relation, 1, &q, 1, &q, C1, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_gradient(&relation, 1, &q, 0, NULL, C1, C2), PCS_ERR_ARG);
}

// ---- the check of gradients --------------------------------------------------------------------

// a circle about the origin, with an entry of its gradient wrong by `user`
static int circle(void *user, const double *q1, const double *q2, double *g)
{
    g[0] = q1[0] - (q2 ? q2[1] : 0);
    g[1] = sqrt(q1[0] * q1[0] + q1[1] * q1[1]) - 1;
    return 0;
}

static int circle_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    const double r = sqrt(q1[0] * q1[0] + q1[1] * q1[1]);
    C1[0] = 1;
    C1[1] = q1[0] / r;
    C1[3] = q1[1] / r + *(const double *)user;
    if (C2) C2[2] = -1;
    return 0;
}

TEST(a_wrong_gradient_is_found)
{
    double wrong = 0;
    const double q1[2] = {0.6, -0.3}, q2[2] = {5, 7};
    const pcs_relation relation = {
        .dim = 2, .gap = circle, .gradient = circle_gradient, .user = &wrong};
    CK_OK(pcs_relation_check(&relation, 2, q1, 2, q2));
    CK_OK(pcs_relation_check(&relation, 2, q1, 0, NULL));
    wrong = 1e-7;
    CK_SAYS(pcs_relation_check(&relation, 2, q1, 2, q2), PCS_ERR_CALLBACK,
            "row 1, coordinate 1 of system 1");
    wrong = 0.5;
    CK_SAYS(pcs_relation_check(&relation, 2, q1, 2, q2), PCS_ERR_CALLBACK, "gives 0.0527864");
    wrong = NAN;
    CK_SAYS(pcs_relation_check(&relation, 2, q1, 2, q2), PCS_ERR_CALLBACK, "not finite");
    CK_FAILS(pcs_relation_check(NULL, 2, q1, 2, q2), PCS_ERR_ARG);
    CK_FAILS(pcs_relation_check(&relation, 2, q1, 0, q2), PCS_ERR_ARG);

    // those of the library hold at any pose
    test_random r = random_seed(41);
    for (int n = 0; n < 200; ++n) {
        double pose1[7], pose2[7], p1[3], p2[3];
        random_pose(&r, pose1);
        random_pose(&r, pose2);
        random_vector(&r, p1, 3);
        random_vector(&r, p2, 3);
        const pcs_relation of[] = {pcs_relation_ball_joint(p1, p2),
                                   pcs_relation_distance(p1, p2, 0.5),
                                   pcs_relation_rope(p1, p2, 0.5)};
        for (int i = 0; i < 3; ++i) {
            CK_OK(pcs_relation_check(&of[i], 7, pose1, 7, pose2));
            CK_OK(pcs_relation_check(&of[i], 7, pose1, 0, NULL));
        }
    }
}
