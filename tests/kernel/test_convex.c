// The distance of convex cores against a search of all pairs of features (apart) and of all axes
// (overlapping) of random tetrahedra, and against the boxes of box_box.c.
#include "support.h"

#include <percuss/features.h>
#include <percuss/rotation.h>
#include <percuss/shape.h>

#include "collide/convex.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

typedef double points[4][3];

static void random_vector(test_random *r, double low, double high, double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = random_between(r, low, high);
    }
}

static convex core_of(const double *x, int n)
{
    return (convex){.kind = CONVEX_POINTS, .points = x, .n = n};
}

// core 2 rotated at random, its centre at t
static convex_pair random_pair(test_random *r, const double t[3])
{
    convex_pair p;
    double q[4];
    random_quaternion(r, q);
    quat_matrix(q, p.R);
    v3_copy(t, p.t);
    return p;
}

static void in_frame_1(const convex_pair *p, points in, points out)
{
    for (int i = 0; i < 4; ++i) {
        m3_mul(p->R, in[i], out[i]);
        v3_along(out[i], 1, p->t, out[i]);
    }
}

// ---- distances one by one

static double point_segment(const double x[3], const double a[3], const double b[3])
{
    double e[3], d[3], c[3];
    v3_sub(b, a, e);
    v3_sub(x, a, d);
    const double t = fmin(1, fmax(0, v3_dot(d, e) / v3_dot(e, e)));
    v3_along(a, t, e, c);
    v3_sub(x, c, d);
    return v3_norm(d);
}

static double point_triangle(const double x[3], const double a[3], const double b[3],
                             const double c[3])
{
    double ab[3], ac[3], n[3], d[3], side[3];
    const double *corner[4] = {a, b, c, a};
    v3_sub(b, a, ab);
    v3_sub(c, a, ac);
    v3_cross(ab, ac, n);
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
        double e[3];
        v3_sub(corner[k + 1], corner[k], e);
        v3_sub(x, corner[k], d);
        v3_cross(e, d, side);
        inside = inside && v3_dot(side, n) >= 0;
    }
    if (inside) return fabs(v3_dot(n, d)) / v3_norm(n);
    return fmin(point_segment(x, a, b), fmin(point_segment(x, b, c), point_segment(x, c, a)));
}

// two segments: the common normal of the lines where its feet are on both, else through an end of
// one
static double segment_segment(const double a[3], const double b[3], const double c[3],
                              const double d[3])
{
    double u[3], v[3], w[3], n[3], x[3];
    v3_sub(b, a, u);
    v3_sub(d, c, v);
    v3_sub(c, a, w);
    v3_cross(u, v, n);
    const double nn = v3_dot(n, n);
    v3_cross(w, v, x);
    const double s = v3_dot(x, n) / nn;
    v3_cross(w, u, x);
    const double t = v3_dot(x, n) / nn;
    if (s >= 0 && s <= 1 && t >= 0 && t <= 1) return fabs(v3_dot(w, n)) / sqrt(nn);
    return fmin(fmin(point_segment(a, c, d), point_segment(b, c, d)),
                fmin(point_segment(c, a, b), point_segment(d, a, b)));
}

// two tetrahedra that are apart
static double tetrahedra_distance(points a, points b)
{
    double least = INFINITY;
    for (int f = 0; f < 4; ++f) {
        const int i = (f + 1) % 4, j = (f + 2) % 4, k = (f + 3) % 4;
        for (int v = 0; v < 4; ++v) {
            least = fmin(least, point_triangle(a[v], b[i], b[j], b[k]));
            least = fmin(least, point_triangle(b[v], a[i], a[j], a[k]));
        }
    }
    for (int e = 0; e < 16; ++e) {
        for (int f = 0; f < 16; ++f) {
            if (e / 4 >= e % 4 || f / 4 >= f % 4) continue;
            least = fmin(least, segment_segment(a[e / 4], a[e % 4], b[f / 4], b[f % 4]));
        }
    }
    return least;
}

// the distance by which u, of any length, separates 1 and 2
static double apart_along(points a, points b, const double u[3])
{
    double most1 = -INFINITY, least2 = INFINITY;
    for (int i = 0; i < 4; ++i) {
        most1 = fmax(most1, v3_dot(u, a[i]));
        least2 = fmin(least2, v3_dot(u, b[i]));
    }
    return (least2 - most1) / v3_norm(u);
}

// the largest s(u) over all normals of faces and products of edges, in both directions
static double tetrahedra_separation(points a, points b)
{
    double most = -INFINITY;
    for (int e = 0; e < 16; ++e) {
        for (int f = 0; f < 32; ++f) {
            // both edges of one body, or one of each
            const int i = e / 4, j = e % 4, k = f % 16 / 4, l = f % 4;
            double d1[3], d2[3], u[3];
            if (i >= j || k >= l) continue;
            for (int which = 0; which < 3; ++which) {
                v3_sub(which < 2 ? a[j] : b[j], which < 2 ? a[i] : b[i], d1);
                v3_sub(which == 0 ? a[l] : b[l], which == 0 ? a[k] : b[k], d2);
                v3_cross(d1, d2, u);
                // edges of one body without a common corner span no face
                if (which != 1 && i != k && i != l && j != k && j != l) continue;
                if (!(v3_norm(u) > 1e-12)) continue;
                const double back[3] = {-u[0], -u[1], -u[2]};
                most = fmax(most, fmax(apart_along(a, b, u), apart_along(a, b, back)));
            }
        }
    }
    return most;
}

// checks of every answer: both points on the surfaces of their cores, g their distance
static void check_gap(const convex *c1, const convex *c2, const convex_pair *p,
                      const convex_gap *out, double tol)
{
    double back[3], to[3];
    CK_NEAR(v3_norm(out->u), 1, 1e-14);
    v3_sub(out->x2, out->x1, to);
    CK_NEAR(v3_dot(to, out->u), out->distance, tol);
    v3_along(to, -out->distance, out->u, back);
    ck_assert_msg(v3_norm(back) <= tol, "points off the normal by %g", v3_norm(back));
    CK_NEAR(convex_separation(c1, c2, p, out->u, NULL, NULL), out->distance, tol);
    CK_NEAR(out->g, out->distance - c1->radius - c2->radius, 1e-15);
}

TEST(tetrahedra)
{
    test_random r = random_seed(1);
    int apart = 0, inside = 0;
    for (int k = 0; k < TEST_DRAWS(5000); ++k) {
        points x1, x2, x2in1;
        double t[3];
        for (int i = 0; i < 4; ++i) {
            random_vector(&r, -1, 1, x1[i]);
            random_vector(&r, -1, 1, x2[i]);
        }
        random_vector(&r, -1.5, 1.5, t);
        const convex_pair p = random_pair(&r, t);
        in_frame_1(&p, x2, x2in1);

        convex c1 = core_of(x1[0], 4), c2 = core_of(x2[0], 4);
        c1.radius = k % 2 ? 0.3 : 0;
        c2.radius = k % 3 ? 0.2 : 0;
        convex_gap out;
        ck_assert(convex_distance(&c1, &c2, &p, 100, &out));
        const double s = tetrahedra_separation(x1, x2in1);
        if (s > 1e-9) {
            ck_assert(!out.overlap);
            CK_NEAR(out.distance, tetrahedra_distance(x1, x2in1), 1e-14);
            check_gap(&c1, &c2, &p, &out, 1e-13);
            ck_assert(!convex_distance(&c1, &c2, &p, out.g - 1e-12, &out));
            apart += 1;
        } else if (s < -1e-9) {
            ck_assert(out.overlap);
            CK_NEAR(out.distance, s, 1e-9);
            check_gap(&c1, &c2, &p, &out, 1e-9);
            inside += 1;
        }
    }
    ck_assert_int_gt(apart, TEST_DRAWS(1000));
    ck_assert_int_gt(inside, TEST_DRAWS(500));
}

// boxes of very different sizes near contact: box_box.c has the answer to 1e-13
static void check_box_pair(test_random *r, double ratio, double gap, bool flat, double tilt)
{
    pcs_shape s1 = pcs_shape_box(1, 1, 1), s2 = s1;
    random_vector(r, 0.2, 1, s1.half);
    random_vector(r, 0.2 * ratio, ratio, s2.half);
    double q[7] = {0, 0, 0, 1, 0, 0, 0};
    if (flat) {
        const double a = random_between(r, 0, 3);
        q[3] = cos(a);
        q[6] = sin(a);
        q[4] = tilt;
    } else {
        random_quaternion(r, q + 3);
    }
    random_vector(r, -1, 1, q);
    const double size = 3 * (1 + ratio);
    for (int i = 0; i < 3; ++i) {
        q[i] *= flat ? 0.3 : size;
    }
    if (flat) q[2] = s1.half[2] + s2.half[2] + gap;

    convex c1 = {.kind = CONVEX_BOX}, c2 = {.kind = CONVEX_BOX};
    v3_copy(s1.half, c1.half);
    v3_copy(s2.half, c2.half);
    convex_pair p;
    quat_matrix(q + 3, p.R);
    v3_copy(q, p.t);

    // a pose that is not flat: moved along the line of centres until the gap is the wanted one
    pcs_feature f[PCS_FEATURES_MAX];
    pcs_gap expected;
    ck_assert_int_gt(pcs_collide(&s1, NULL, &s2, q, 100 * size, PCS_FEATURES_MAX, f), 0);
    pcs_feature_gap(&f[0], NULL, q, &expected);
    if (!flat) {
        v3_along(p.t, expected.g - gap, expected.N, p.t);
        v3_copy(p.t, q);
        ck_assert_int_gt(pcs_collide(&s1, NULL, &s2, q, 100 * size, PCS_FEATURES_MAX, f), 0);
        pcs_feature_gap(&f[0], NULL, q, &expected);
    }

    convex_gap out;
    ck_assert(convex_distance(&c1, &c2, &p, 100 * size, &out));
    // boxes nearer than 1e-13 of their size touch
    const double tol = expected.g > 0 ? 1e-13 * size : 1e-9 * size;
    ck_assert_msg(fabs(out.g - expected.g) <= tol + 1e-12 * tilt,
                  "gap %.17g, boxes say %.17g, off by %g (asked for %g, ratio %g)", out.g,
                  expected.g, out.g - expected.g, gap, ratio);
    CK_NEAR(v3_norm(out.u), 1, 1e-14);
}

TEST(boxes_near_contact)
{
    static const double gaps[] = {1, 1e-2,  1e-4,  1e-6,  1e-8,  1e-10,  1e-12,
                                  0, -1e-2, -1e-4, -1e-6, -1e-8, -1e-10, -1e-12};
    static const double ratios[] = {1, 0.01, 100};
    test_random r = random_seed(2);
    for (int k = 0; k < TEST_DRAWS(200); ++k) {
        for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g) {
            for (int m = 0; m < 3; ++m) {
                check_box_pair(&r, ratios[m], gaps[g], false, 0);
                check_box_pair(&r, ratios[m], gaps[g], true, 0);
                check_box_pair(&r, ratios[m], gaps[g], true, 1e-9);
            }
        }
    }
}

TEST(coincident_cores_have_a_normal)
{
    const convex cores[] = {
        {.kind = CONVEX_POINT, .radius = 1},
        {.kind = CONVEX_SEGMENT, .half = {0, 0, 1}, .radius = 0.5},
        {.kind = CONVEX_BOX, .half = {1, 2, 3}},
        {.kind = CONVEX_CYLINDER, .half = {0, 0, 1}, .disc = 1},
    };
    const convex_pair same = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .t = {0, 0, 0}};
    static const double depth[] = {0, 0, 2, 2};
    for (int i = 0; i < 4; ++i) {
        convex_gap out;
        ck_assert(convex_distance(&cores[i], &cores[i], &same, 0, &out));
        CK_NEAR(v3_norm(out.u), 1, 1e-14);
        CK_NEAR(out.distance, -depth[i], i == 3 ? 1e-6 : 1e-9);
    }
}

TEST(nan_has_no_contact)
{
    const convex box = {.kind = CONVEX_BOX, .half = {1, 2, 3}};
    const double bad[] = {NAN, INFINITY};
    for (int k = 0; k < 24; ++k) {
        convex_pair p = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .t = {0, 0, 0}};
        convex_gap out;
        *(k % 12 < 3 ? &p.t[k % 12] : &p.R[k % 12 - 3]) = bad[k / 12];
        ck_assert(!convex_distance(&box, &box, &p, 1, &out));
    }
}
