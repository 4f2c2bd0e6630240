// Shared by the tests of contact detection: random poses, checks that hold for any set of features,
// and a check that a feature follows its gap when the bodies move.
#ifndef KERNEL_CONTACTS_H
#define KERNEL_CONTACTS_H

#include "support.h"

#include <percuss/kernel.h>

#include "linalg/m3.h"
#include "rotation/pose.h"

enum { CONTACTS_MAX = 256 };

typedef struct contacts {
    pcs_feature f[CONTACTS_MAX];
    pcs_gap gap[CONTACTS_MAX];
    int n;
} contacts;

static inline void random_vector(test_random *r, double low, double high, double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = random_between(r, low, high);
    }
}

static inline void random_direction(test_random *r, double u[3])
{
    double length;
    do {
        random_vector(r, -1, 1, u);
        length = v3_norm(u);
    } while (length < 0.1 || length > 1);
    v3_scale(1 / length, u, u);
}

static inline void random_pose(test_random *r, double spread, double q[7])
{
    random_vector(r, -spread, spread, q);
    random_quaternion(r, q + 3);
}

// gives the shape a random pose in its body
static inline void random_place(test_random *r, pcs_shape *s)
{
    random_vector(r, -0.4, 0.4, s->position);
    random_quaternion(r, s->orientation);
    for (int i = 0; i < 4; ++i) {
        s->orientation[i] *= 1.5;
    }
}

// the hull of the eight vertices of a box; the caller destroys it
static inline pcs_shape hull_of_box(const pcs_shape *box, pcs_geometry **g)
{
    double x[8][3];
    for (int v = 0; v < 8; ++v) {
        for (int i = 0; i < 3; ++i) {
            x[v][i] = v >> i & 1 ? box->half[i] : -box->half[i];
        }
    }
    CK_OK(pcs_geometry_create_hull(NULL, 8, x[0], g));
    pcs_shape s = *box;
    s.kind = PCS_SHAPE_HULL;
    s.geometry = *g;
    return s;
}

// all contacts, with checks that hold for any shapes: the count is the returned one, the closest
// comes first, unit normals that agree with n2, gaps within reach, points apart along the normal,
// no id twice
static inline void find_contacts(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                                 const double *q2, double reach, contacts *c)
{
    c->n = pcs_collide(s1, q1, s2, q2, reach, CONTACTS_MAX, c->f);
    ck_assert_int_ge(c->n, 0);
    ck_assert_int_le(c->n, CONTACTS_MAX);
    double least = INFINITY;
    for (int i = 0; i < c->n; ++i) {
        pcs_gap *k = &c->gap[i];
        pcs_feature_gap(&c->f[i], q1, q2, k);
        ck_assert_msg(isfinite(k->g), "gap %g", k->g);
        ck_assert_msg(k->g <= reach + 1e-13, "gap %g beyond the reach %g", k->g, reach);
        CK_NEAR(v3_norm(k->N), 1, 1e-14);
        double n2[3], apart[3];
        pose_direction(q2, c->f[i].n2, n2);
        ck_assert_msg(v3_dot(n2, k->N) > 0.999, "kind %d: the normal is off", (int)c->f[i].kind);
        v3_sub(k->P1, k->P2, apart);
        for (int j = 0; j < 3; ++j) {
            CK_NEAR(apart[j], k->g * k->N[j], 1e-13);
        }
        for (int j = 0; j < i; ++j) {
            ck_assert_msg(c->f[i].id != c->f[j].id, "contacts %d and %d share the id %u", j, i,
                          c->f[i].id);
        }
        least = fmin(least, k->g);
    }
    if (c->n > 0) CK_NEAR(c->gap[0].g, least, 1e-13);
}

// the gap of the pair; infinite when out of reach
static inline double pair_gap(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                              const double *q2, double reach)
{
    static contacts c;
    find_contacts(s1, q1, s2, q2, reach, &c);
    return c.n > 0 ? c.gap[0].g : INFINITY;
}

// q moved by h along the velocity v (inertial, omega body)
static inline void moved(const double q[7], double h, const double v[6], double out[7])
{
    pcs_body_advance(q, h, v, PCS_QUAT_UPDATE_EXP, out);
}

// Moves body 1 by h and compares the gap of the first contact, extrapolated, with the gap found
// again: they agree up to curvature h^2. Returns false if the pair is out of reach
static inline bool follows_gap(test_random *r, const pcs_shape *s1, const double *q1,
                               const pcs_shape *s2, const double *q2, double reach, double h,
                               double *error)
{
    static contacts c;
    find_contacts(s1, q1, s2, q2, reach, &c);
    if (c.n == 0) return false;
    double v[6], q[7];
    random_direction(r, v);
    random_direction(r, v + 3);
    moved(q1, h, v, q);
    pcs_gap kept;
    pcs_feature_gap(&c.f[0], q, q2, &kept);
    *error = fabs(kept.g - pair_gap(s1, q, s2, q2, reach + 2));
    return true;
}

#endif
