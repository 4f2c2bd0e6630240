// Contacts of capsules, boxes and hulls in motion and in special positions: gaps that go through
// zero, their gradient, sizes that differ by a factor of 100, nearly parallel faces, shapes in the
// same place, many vertices, invalid poses.
#include "support.h"

#include <stdio.h>

#include <percuss/rotation.h>

#include "cloud.h"
#include "collide/geometry.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

static const double still[7] = {0, 0, 0, 1, 0, 0, 0};

static double gap_at(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    pcs_feature f[PCS_FEATURES_MAX];
    ck_assert_int_gt(pcs_collide(s1, q1, s2, q2, 100, PCS_FEATURES_MAX, f), 0);
    return feature_gap(&f[0], q1, q2).g;
}

// two shapes of the k-th pair of kinds at random poses; released by the caller
static void random_shapes(test_random *r, int k, pcs_shape *s1, double q1[7], double spread1,
                          pcs_shape *s2, double q2[7], double spread2)
{
    *s1 = random_shape(r, pairs[k % PAIRS][0], 1);
    *s2 = random_shape(r, pairs[k % PAIRS][1], 1);
    random_pose(r, q1, spread1);
    random_pose(r, q2, spread2);
}

// Along a line the signed gap changes by no more than the distance, and in a rotation by no more
// than the displacement of the farthest point: true of distances and of depths, so also where
// features change
TEST(gaps_are_continuous)
{
    test_random r = random_seed(1);
    for (int k = 0; k < TEST_DRAWS(140); ++k) {
        pcs_shape s1, s2;
        double q1[7], q2[7], d[3], w[4], before = NAN;
        random_shapes(&r, k, &s1, q1, 1, &s2, q2, 0.2);
        for (int i = 0; i < 3; ++i) {
            d[i] = -2 * q1[i]; // through the other shape
        }
        random_quaternion(&r, w);
        const int steps = 400;
        for (int i = 0; i <= steps; ++i) {
            const double gap = gap_at(&s1, q1, &s2, q2);
            const double way = v3_norm(d) / steps + 4.0 * 0.5 * 2 / steps;
            if (i > 0) {
                ck_assert_msg(fabs(gap - before) <= way, "case %d: jump by %g, way %g", k,
                              gap - before, way);
            }
            before = gap;
            v3_along(q1, 1.0 / steps, d, q1);
            const double turn[4] = {1, 0.5 / steps, -0.3 / steps, 0.2 / steps};
            double Q[4];
            pcs_quat_mul(turn, q1 + 3, Q);
            memcpy(q1 + 3, Q, sizeof Q);
        }
        release(&s1);
        release(&s2);
    }
}

// Through zero and through the radii: steps of 1e-9 change the gap by as much
TEST(gaps_go_straight_through_zero)
{
    test_random r = random_seed(2);
    for (int k = 0; k < TEST_DRAWS(400); ++k) {
        pcs_shape s1, s2;
        double q1[7], q2[7];
        random_shapes(&r, k, &s1, q1, 0.9, &s2, q2, 0.1);
        pcs_feature f[PCS_FEATURES_MAX];
        ck_assert_int_gt(pcs_collide(&s1, q1, &s2, q2, 100, PCS_FEATURES_MAX, f), 0);
        const pcs_gap c = feature_gap(&f[0], q1, q2);
        const double radii = f[0].radius1 + f[0].radius2;

        // along the normal the gap changes by the distance while the cores are apart; vertices and
        // edges without a radius may have a shorter direction of separation, or pass each other
        if (c.g + radii > 1e-3) {
            for (int i = -5; i <= 5; ++i) {
                double at[7];
                memcpy(at, q1, sizeof at);
                v3_along(q1, i * 1e-9 - c.g, c.N, at);
                const double g = gap_at(&s1, at, &s2, q2);
                if (i >= 0 || radii > 0) {
                    CK_NEAR(g, i * 1e-9, 1e-12);
                } else {
                    ck_assert_msg(fabs(g) <= -i * 1e-9 + 1e-12, "gap %g at %g", g, i * 1e-9);
                }
            }
        }
        release(&s1);
        release(&s2);
    }
}

// the gaps of the features have the gradient of the signed gap: after a small motion and rotation
// they agree to second order
TEST(features_follow_the_gap)
{
    test_random r = random_seed(3);
    int compared = 0, off = 0;
    for (int k = 0; k < TEST_DRAWS(1400); ++k) {
        pcs_shape s1, s2;
        double q1[7], q2[7];
        random_shapes(&r, k, &s1, q1, 0.6, &s2, q2, 0.2);
        for (int i = 3; i < 7; ++i) {
            q1[i] /= sqrt(q1[3] * q1[3] + q1[4] * q1[4] + q1[5] * q1[5] + q1[6] * q1[6]);
        }
        pcs_feature f[PCS_FEATURES_MAX];
        ck_assert_int_gt(pcs_collide(&s1, q1, &s2, q2, 100, PCS_FEATURES_MAX, f), 0);
        const double e = 1e-6;
        for (int dof = 0; dof < 6; ++dof) {
            double at[7];
            memcpy(at, q1, sizeof at);
            if (dof < 3) {
                at[dof] += e;
            } else {
                double turn[4] = {1, 0, 0, 0}, Q[4];
                turn[dof - 2] = e / 2;
                pcs_quat_mul(turn, q1 + 3, Q);
                memcpy(at + 3, Q, sizeof Q);
            }
            // a change of features within the step is rare, and makes a large difference
            const double there = gap_at(&s1, at, &s2, q2), own = feature_gap(&f[0], at, q2).g;
            compared += 1;
            off += fabs(there - own) > 1e-10;
            ck_assert_msg(fabs(there - own) < 1e-5, "case %d: gap %g, features %g", k, there, own);
        }
        release(&s1);
        release(&s2);
    }
    ck_assert_msg(off * 100 <= compared, "%d of %d off", off, compared);
}

static void scale_shape(pcs_shape *s, double by)
{
    s->radius *= by;
    for (int i = 0; i < 3; ++i) {
        s->half[i] *= by;
        s->position[i] *= by;
    }
}

// a body of a hundredth of the size of the other, near its surface or inside
TEST(sizes_differ)
{
    static const proof loose = {1e-12, 1e-10, 1e-10};
    test_random r = random_seed(4);
    for (int k = 0; k < TEST_DRAWS(700); ++k) {
        const double ratio = pow(10, random_between(&r, 0, 2));
        pcs_shape s1 = random_shape(&r, pairs[k % PAIRS][0], 1);
        pcs_shape s2 = random_shape(&r, pairs[k % PAIRS][1], 1);
        pcs_geometry *big = NULL;
        if (s2.kind == PCS_SHAPE_HULL) {
            const polyhedron *h = &s2.geometry->of.hull;
            double x[3 * POINTS_MAX];
            for (int i = 0; i < 3 * h->n_vertices; ++i) {
                x[i] = ratio * h->vertex[i];
            }
            big = hull_of(h->n_vertices, x);
            release(&s2);
            s2.geometry = big;
        }
        scale_shape(&s2, ratio);
        double q1[7], q2[7];
        random_pose(&r, q1, 0.5 * ratio);
        random_pose(&r, q2, 0.2 * ratio);
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, q2, 1000, PCS_FEATURES_MAX, f);
        prove_set(&s1, q1, &s2, q2, 1000, f, n > 0, &loose);
        release(&s1);
        release(&s2);
    }
}

// Upright, on an edge, or with edges along each other; tilted by 0 to 1e-5; apart or overlapping by
// 1e-12 to 1e-3, or exactly touching
TEST(nearly_degenerate)
{
    // a normal within 1e-6 of that of a face counts as the normal of the face, and a vertex up to
    // 1e-7 of the size outside its outline counts as over it
    static const proof loose = {5e-7, 1e-9, 2e-6};
    static const double tilts[] = {0, 1e-15, 1e-12, 1e-9, 1e-7, 1e-5};
    test_random r = random_seed(5);
    pcs_shape shapes[] = {pcs_shape_hull(box_hull(1, 1, 1)), pcs_shape_box(1, 1, 1),
                          pcs_shape_capsule(0.2, 0.6)};
    int near = 0;
    for (int k = 0; k < TEST_DRAWS(3000); ++k) {
        const pcs_shape *s1 = &shapes[k % 3], *s2 = &shapes[k / 3 % 2];
        if (s1->kind == PCS_SHAPE_BOX && s2->kind == PCS_SHAPE_BOX) continue;
        const double tilt = tilts[k / 6 % 6], quarter = 0.78539816339744831;
        const double roll = k / 36 % 2 ? quarter : 0, yaw = k / 72 % 2 ? quarter : 0;
        double q1[7] = {0}, q2[7] = {0, 0, 0, 1, 0, 0, 0};
        const double about_x[4] = {cos(roll / 2), sin(roll / 2), 0, 0};
        const double about_z[4] = {cos(yaw / 2), tilt * random_unit(&r), tilt * random_unit(&r),
                                   sin(yaw / 2)};
        // relative to the other, also about its edge
        if (k / 144 % 2) memcpy(q2 + 3, about_x, sizeof about_x);
        pcs_quat_mul(about_z, about_x, q1 + 3);
        if (k / 288 % 2) {
            // capsules lie
            const double lie[4] = {sqrt(0.5), 0, sqrt(0.5), 0};
            double Q[4];
            pcs_quat_mul(q1 + 3, lie, Q);
            memcpy(q1 + 3, Q, sizeof Q);
        }
        const double sign = (int)(3 * random_unit(&r)) - 1;
        random_vector(&r, -0.3, 0.3, q1);
        q1[0] = k % 5 ? q1[0] : 0;
        q1[2] = 2;
        pcs_feature f[PCS_FEATURES_MAX];
        const double g = gap_at(s1, q1, s2, q2);
        q1[2] -= g;
        q1[2] -= gap_at(s1, q1, s2, q2) - sign * pow(10, random_between(&r, -12, -3));

        const int n = pcs_collide(s1, q1, s2, q2, 0.01, PCS_FEATURES_MAX, f);
        if (n == 0) continue;
        prove_set(s1, q1, s2, q2, 0.01, f, n, &loose);
        near += 1;
    }
    ck_assert_int_gt(near, TEST_DRAWS(2000));
    release(&shapes[0]);
}

TEST(faces_have_all_their_corners)
{
    // a prism of twelve sides on another, rotated: their outlines cross at 24 corners, of which 16
    // are kept
    double x[72];
    for (int i = 0; i < 24; ++i) {
        const double a = 0.52359877559829882 * (i % 12);
        x[3 * i] = cos(a);
        x[3 * i + 1] = sin(a);
        x[3 * i + 2] = i < 12 ? -0.5 : 0.5;
    }
    pcs_shape prism = pcs_shape_hull(hull_of(24, x));
    ck_assert_int_eq(prism.geometry->of.hull.n_faces, 14);
    pcs_feature f[PCS_FEATURES_MAX];
    for (int k = 0; k < 100; ++k) {
        const double turn = 0.01 * k, gap = k % 3 == 0 ? 1e-4 : k % 3 == 1 ? 0 : -1e-4;
        const double q[7] = {0, 0, 1 + gap, cos(turn), 0, 0, sin(turn)};
        const int n = pcs_collide(&prism, q, &prism, still, 0.01, PCS_FEATURES_MAX, f);
        ck_assert_int_ge(n, 12);
        double reach[4] = {0, 0, 0, 0};
        for (int i = 0; i < n; ++i) {
            const pcs_gap c = feature_gap(&f[i], q, still);
            CK_NEAR(c.g, gap, 1e-14);
            CK_NEAR(c.N[2], 1, 1e-14);
            for (int d = 0; d < 4; ++d) {
                reach[d] = fmax(reach[d], d % 2 ? c.P1[d / 2] : -c.P1[d / 2]);
            }
        }
        for (int d = 0; d < 4; ++d) {
            ck_assert_msg(reach[d] > 0.9, "turn %g: the contacts reach only %g", turn, reach[d]);
        }
    }

    // a capsule along a face has two points, over an edge one of them where the face ends
    const pcs_shape capsule = pcs_shape_capsule(0.1, 0.8), box = pcs_shape_box(1, 1, 1);
    const double lie = sqrt(0.5);
    for (int k = 0; k < 20; ++k) {
        const double shift = k < 10 ? 0 : 0.4, tilt = 1e-3 * (k % 10);
        const double q[7] = {shift, 0, 0.6, lie, 0, lie + tilt, 0};
        ck_assert_int_eq(pcs_collide(&capsule, q, &box, NULL, 0.01, PCS_FEATURES_MAX, f), 2);
        const double x1 = feature_gap(&f[0], q, NULL).P1[0], x2 = feature_gap(&f[1], q, NULL).P1[0];
        CK_NEAR(fabs(x1 - x2), shift > 0 ? 0.5 : 0.8, 0.01);
        CK_NEAR(fmax(x1, x2), shift > 0 ? 0.5 : 0.4, 0.01);
    }

    // a capsule parallel to it: the ends of their common part, with separate ids
    for (int k = 0; k < 20; ++k) {
        const double q[7] = {0.02, 0.2 * (k % 10) - 0.9, 0.2 + 1e-3 * k, 1, 0, 0, 0};
        const double q2[7] = {0, 0, 0, lie, lie, 0, 0}, p[7] = {q[0], q[1], q[2], lie, lie, 0, 0};
        const int n = pcs_collide(&capsule, p, &capsule, q2, 0.1, PCS_FEATURES_MAX, f);
        ck_assert_int_eq(n, fabs(q[1]) < 0.8 ? 2 : 1);
        if (n == 2) ck_assert_uint_ne(f[0].id, f[1].id);
    }
    release(&prism);
}

// resting and drifting, the ids of the contacts stay
TEST(ids_are_stable)
{
    pcs_shape hull = pcs_shape_hull(box_hull(1, 1, 1));
    pcs_feature f[PCS_FEATURES_MAX], before[PCS_FEATURES_MAX];
    test_random r = random_seed(6);
    int n0 = 0;
    for (int k = 0; k < 300; ++k) {
        double q[7] = {0.2 + 1e-4 * k, 0.1, 1, 1, 0, 0, 0.3};
        q[2] += 1e-7 * random_normal(&r);
        q[4] += 1e-8 * random_normal(&r);
        q[5] += 1e-8 * random_normal(&r);
        const int n = pcs_collide(&hull, q, &hull, still, 0.01, PCS_FEATURES_MAX, f);
        for (int i = 0; i < n && k > 0; ++i) {
            bool known = false;
            for (int j = 0; j < n0; ++j) {
                known = known || before[j].id == f[i].id;
            }
            ck_assert_msg(known, "step %d: id %x is new", k, f[i].id);
        }
        if (k > 0) ck_assert_int_eq(n, n0);
        n0 = n;
        memcpy(before, f, sizeof f);
    }
    release(&hull);
}

TEST(shapes_in_one_place)
{
    test_random r = random_seed(7);
    for (int k = 0; k < TEST_DRAWS(200); ++k) {
        pcs_shape s1 = random_shape(&r, pairs[k % PAIRS][0], 1);
        pcs_shape s2 = k % 2 ? s1 : random_shape(&r, pairs[k % PAIRS][1], 1);
        double q[7];
        random_pose(&r, q, 1);
        pcs_feature f[PCS_FEATURES_MAX], again[PCS_FEATURES_MAX];
        memset(s1.position, 0, sizeof s1.position);
        memset(s2.position, 0, sizeof s2.position);
        const int n = pcs_collide(&s1, q, &s2, q, 9, PCS_FEATURES_MAX, f);
        static const proof loose = {1e-12, 1e-9, 1e-9};
        prove_set(&s1, q, &s2, q, 9, f, n, &loose);
        ck_assert_int_eq(pcs_collide(&s1, q, &s2, q, 9, PCS_FEATURES_MAX, again), n);
        for (int i = 0; i < n; ++i) {
            ck_assert_mem_eq(f[i].n2, again[i].n2, sizeof f[i].n2);
        }
        if (k % 2 == 0) release(&s2);
        release(&s1);
    }
}

// Hulls of many vertices: the certificates of separated ones; for overlapping ones no random
// direction has a smaller depth, and after a displacement along the normal they are apart
TEST(many_vertices)
{
    test_random r = random_seed(8);
    static double x[3 * 400];
    pcs_shape s[3];
    static const int count[3] = {50, 120, 400};
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < count[k]; ++i) {
            random_vector(&r, -1, 1, x + 3 * i);
            v3_unit(x + 3 * i, x + 3 * i);
            x[3 * i] *= 0.7;
        }
        s[k] = pcs_shape_hull(hull_of(count[k], x));
    }
    for (int k = 0; k < TEST_DRAWS(600); ++k) {
        const pcs_shape *a = &s[k % 3], *b = &s[k / 3 % 3];
        double q1[7], q2[7], d[3], n2[3];
        random_pose(&r, q1, 0.1);
        random_pose(&r, q2, 0.1);
        random_vector(&r, -1, 1, d);
        v3_unit(d, d);
        v3_along(q2, 0.3 + 1.7 * random_unit(&r), d, q1);
        pcs_feature f[PCS_FEATURES_MAX];
        const double g = gap_at(a, q1, b, q2);

        // moves them to a chosen gap, often a tiny one
        ck_assert_int_gt(pcs_collide(a, q1, b, q2, 100, PCS_FEATURES_MAX, f), 0);
        const pcs_gap c = feature_gap(&f[0], q1, q2);
        const double wanted =
            k % 4 == 0 ? g : (k % 4 == 1 ? 1 : -1) * pow(10, random_between(&r, -12, -2));
        v3_along(q1, wanted - g, c.N, q1);
        ck_assert_int_gt(pcs_collide(a, q1, b, q2, 100, PCS_FEATURES_MAX, f), 0);
        const pcs_gap at = feature_gap(&f[0], q1, q2);
        ck_assert(isfinite(at.g));
        // the depth is no more than the gap along the axis, and no worse than the axis that made
        // the pose
        ck_assert_msg(at.g >= wanted - 1e-12 || g > 0, "case %d: %g for %g", k, at.g, wanted);
        pose_direction(q2, f[0].n2, n2);
        CK_NEAR(v3_dot(n2, at.N), 1, 1e-6);

        // a displacement along the normal by a little more than the depth: apart by at least the
        // rest
        double out[7];
        memcpy(out, q1, sizeof out);
        v3_along(q1, 1e-6 - at.g, at.N, out);
        const double after = gap_at(a, out, b, q2);
        ck_assert_msg(after >= 1e-6 - 1e-9, "case %d: gap %g, after moving out %g", k, at.g, after);
        check_swap(a, q1, b, q2, 0.01);
    }
    for (int k = 0; k < 3; ++k) {
        release(&s[k]);
    }
}

TEST(invalid_poses_have_no_contacts)
{
    test_random r = random_seed(9);
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int k = 0; k < 2 * PAIRS; ++k) {
        pcs_shape s1 = random_shape(&r, pairs[k % PAIRS][0], 1);
        pcs_shape s2 = random_shape(&r, pairs[k % PAIRS][1], 1);
        pcs_feature f[PCS_FEATURES_MAX];
        for (int i = 0; i < 7; ++i) {
            for (int w = 0; w < (i < 3 ? 4 : 1); ++w) {
                double q[7] = {0.1, 0.2, 0.3, 1, 0, 0, 0};
                q[i] = wrong[w];
                // the quaternion of the pose of a sphere has no effect if the sphere is at the
                // origin
                const double *p = k < PAIRS ? q : still, *o = k < PAIRS ? still : q;
                const int n = pcs_collide(&s1, p, &s2, o, 1, PCS_FEATURES_MAX, f);
                for (int m = 0; m < n; ++m) {
                    ck_assert(isfinite(feature_gap(&f[m], p, o).g));
                }
                if (i < 3) ck_assert_int_eq(n, 0);
            }
        }
        // a pose far away is still valid
        const double far[7] = {1e30, 0, 0, 1, 0, 0, 0};
        ck_assert_int_eq(pcs_collide(&s1, far, &s2, still, 1, PCS_FEATURES_MAX, f), 0);
        release(&s1);
        release(&s2);
    }
}
