// Bodies made of mass elements, as a reference for mass properties.
#ifndef KERNEL_ELEMENTS_H
#define KERNEL_ELEMENTS_H

#include "rotations.h"

#include <percuss/inertia.h>

#include "linalg/m3.h"

static inline void expect_body(const pcs_inertia *a, const pcs_inertia *b, double tol)
{
    const double moments = b->J[0] + b->J[4] + b->J[8], length = sqrt(moments / b->m);
    CK_NEAR(a->m, b->m, tol * b->m);
    expect_same(a->G, b->G, 3, tol * (v3_norm(b->G) + length));
    expect_same(a->J, b->J, 9, tol * moments);
}

enum { CLOUD_MAX = 1024 };

typedef struct cloud {
    int n;
    double m[CLOUD_MAX], x[3 * CLOUD_MAX];
} cloud;

static inline void add_element(cloud *c, double m, double x, double y, double z)
{
    ck_assert(c->n < CLOUD_MAX);
    c->m[c->n] = m;
    c->x[3 * c->n] = x;
    c->x[3 * c->n + 1] = y;
    c->x[3 * c->n + 2] = z;
    c->n += 1;
}

static inline pcs_inertia weigh(const cloud *c)
{
    pcs_inertia b;
    CK_OK(pcs_inertia_of_points(c->n, c->m, c->x, &b));
    return b;
}

static inline cloud random_cloud(test_random *r, int n)
{
    cloud c = {.n = 0};
    for (int i = 0; i < n; ++i) {
        add_element(&c, random_between(r, 0.1, 2), random_normal(r), random_normal(r),
                    random_normal(r));
    }
    return c;
}

#endif
