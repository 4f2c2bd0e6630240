// Random shapes and poses, and checks of their contacts, for the tests of contact detection.
#ifndef KERNEL_COLLIDE_CHECKS_H
#define KERNEL_COLLIDE_CHECKS_H

#include "support.h"

#include <percuss/features.h>
#include <percuss/rotation.h>
#include <percuss/shape.h>

#include "linalg/m3.h"
#include "rotation/pose.h"

static inline pcs_gap feature_gap(const pcs_feature *f, const double *q1, const double *q2)
{
    pcs_gap out;
    pcs_feature_gap(f, q1, q2, &out);
    return out;
}

// each is finite, within reach and differs from the others; its normals agree, with `least` as the
// smallest cosine, unless the cores meet
static inline void check_features(const pcs_feature *f, int n, const double *q1, const double *q2,
                                  double reach, double tol, double least)
{
    ck_assert_int_ge(n, 1);
    ck_assert_int_le(n, PCS_FEATURES_MAX);
    for (int i = 0; i < n; ++i) {
        const pcs_gap c = feature_gap(&f[i], q1, q2);
        ck_assert_msg(isfinite(c.g), "gap %g", c.g);
        CK_NEAR(v3_norm(c.N), 1, 1e-14);
        CK_NEAR(v3_norm(f[i].n2), 1, 1e-14);
        ck_assert_msg(c.g <= reach + tol, "gap %g beyond the reach %g", c.g, reach);
        double n2[3];
        pose_direction(q2, f[i].n2, n2);
        const bool meet = fabs(c.g + f[i].radius1 + f[i].radius2) < tol;
        ck_assert_msg(meet || v3_dot(n2, c.N) > least, "kind %d: normal off by %g", (int)f[i].kind,
                      acos(v3_dot(n2, c.N)));
        for (int k = 0; k < i; ++k) {
            ck_assert_msg(f[i].id != f[k].id, "features %d and %d share the id %u", i, k, f[i].id);
        }
    }
}

// checks every member of a set; returns the smallest gap
static inline pcs_gap check_set(const pcs_feature *f, int n, const double *q1, const double *q2,
                                double reach)
{
    check_features(f, n, q1, q2, reach, 1e-14, 0.999);
    pcs_gap least = {.g = INFINITY};
    for (int i = 0; i < n; ++i) {
        const pcs_gap c = feature_gap(&f[i], q1, q2);
        if (c.g < least.g) least = c;
    }
    CK_NEAR(feature_gap(&f[0], q1, q2).g, least.g, 1e-13);
    return least;
}

// three statements, since the compiler chooses the order in which arguments are evaluated
static inline void random_vector(test_random *r, double low, double high, double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = random_between(r, low, high);
    }
}

static inline void random_pose(test_random *r, double q[7], double spread)
{
    random_quaternion(r, q + 3);
    const double length = random_between(r, 0.5, 2);
    random_vector(r, -spread, spread, q);
    for (int i = 3; i < 7; ++i) {
        q[i] *= length;
    }
}

// gives a shape a random pose in its body, sometimes the identity
static inline void random_local_pose(test_random *r, pcs_shape *s)
{
    double q[7];
    if (random_unit(r) < 0.3) return;
    random_pose(r, q, 0.4);
    memcpy(s->position, q, sizeof s->position);
    memcpy(s->orientation, q + 3, sizeof s->orientation);
}

static inline pcs_shape random_sphere(test_random *r)
{
    pcs_shape s = pcs_shape_sphere(random_between(r, 0.1, 0.5));
    random_local_pose(r, &s);
    return s;
}

static inline pcs_shape random_box(test_random *r)
{
    pcs_shape s = pcs_shape_box(1, 1, 1);
    random_vector(r, 0.1, 0.5, s.half);
    random_local_pose(r, &s);
    return s;
}

static inline pcs_shape random_half_space(test_random *r)
{
    double n[3];
    random_vector(r, -1, 1, n);
    pcs_shape s = pcs_shape_half_space(n, random_normal(r));
    random_local_pose(r, &s);
    return s;
}

// origin and axes of a shape, inertial
typedef struct placed {
    double x[3], R[9];
} placed;

static inline placed place(const pcs_shape *s, const double *q)
{
    placed p;
    pose_point(q, s->position, p.x);
    quat_matrix(s->orientation, p.R);
    for (int j = 0; j < 3; ++j) {
        pose_direction(q, p.R + 3 * j, p.R + 3 * j);
    }
    return p;
}

// the same contacts with the bodies exchanged
static inline void check_swap(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                              const double *q2, double reach)
{
    // the ids of these name features of one shape alone, whichever comes first
    const bool of_one = s1->kind == PCS_SHAPE_SPHERE || s2->kind == PCS_SHAPE_HALF_SPACE;
    pcs_feature f[PCS_FEATURES_MAX], b[PCS_FEATURES_MAX];
    const int n = pcs_collide(s1, q1, s2, q2, reach, PCS_FEATURES_MAX, f);
    ck_assert_int_eq(pcs_collide(s2, q2, s1, q1, reach, 0, NULL), n);
    if (n > 1) {
        b[n - 1].kind = (pcs_feature_kind)-1;
        ck_assert_int_eq(pcs_collide(s2, q2, s1, q1, reach, n - 1, b), n);
        ck_assert_int_eq((int)b[n - 1].kind, -1);
    }
    ck_assert_int_eq(pcs_collide(s2, q2, s1, q1, reach, PCS_FEATURES_MAX, b), n);
    for (int i = 0; i < n; ++i) {
        const pcs_gap there = feature_gap(&f[i], q1, q2), back = feature_gap(&b[i], q2, q1);
        if (of_one) ck_assert_uint_eq(f[i].id, b[i].id);
        CK_NEAR(there.g, back.g, 1e-14);
        for (int c = 0; c < 3; ++c) {
            CK_NEAR(there.N[c], -back.N[c], 1e-14);
            CK_NEAR(there.P1[c], back.P2[c], 1e-14);
            CK_NEAR(there.P2[c], back.P1[c], 1e-14);
        }
    }
}

// signed distance of a point to a box, both in the frame of the box
static inline double point_to_box(const double c[3], const double half[3])
{
    double far2 = 0, inner = -INFINITY;
    for (int i = 0; i < 3; ++i) {
        const double d = fabs(c[i]) - half[i];
        far2 += d > 0 ? d * d : 0;
        inner = fmax(inner, d);
    }
    return inner > 0 ? sqrt(far2) : inner;
}

// the pose after a rigid motion of everything
static inline void carry(const double by[7], const double q[7], double out[7])
{
    double Q[4];
    pcs_quat_mul(by + 3, q + 3, Q);
    pose_point(by, q, out);
    memcpy(out + 3, Q, sizeof Q);
}

// two random shapes at random poses; sometimes the second belongs to the world, whose pose is null
typedef struct shape_pair {
    pcs_shape s1, s2;
    double q1[7], q2[7];
    const double *world; // of the second, or null
    placed b;            // the second
    double to[3];        // from the origin of the second to that of the first, inertial
} shape_pair;

static inline void random_pair(shape_pair *p, test_random *r, pcs_shape (*first)(test_random *),
                               pcs_shape (*second)(test_random *), double spread1, double spread2,
                               bool in_world)
{
    p->s1 = first(r);
    p->s2 = second(r);
    random_pose(r, p->q1, spread1);
    random_pose(r, p->q2, spread2);
    p->world = in_world ? NULL : p->q2;
    p->b = place(&p->s2, p->world);
    v3_sub(place(&p->s1, p->q1).x, p->b.x, p->to);
}

// The contacts of a pair with a known gap: one where the gap is within reach, else none. Returns
// whether there is one, and the contact.
static inline bool expect_gap(const shape_pair *p, double g, double reach, double tol, pcs_gap *c)
{
    pcs_feature f[PCS_FEATURES_MAX];
    const int n = pcs_collide(&p->s1, p->q1, &p->s2, p->world, reach, PCS_FEATURES_MAX, f);
    ck_assert_int_eq(n, g <= reach);
    if (n == 0) return false;
    *c = check_set(f, n, p->q1, p->world, reach);
    CK_NEAR(c->g, g, tol);
    check_swap(&p->s1, p->q1, &p->s2, p->world, reach);
    return true;
}

#endif
