// Support points of convex cores; see convex.h.
#include "collide/convex.h"

#include <math.h>
#include <stddef.h>

#include "linalg/m3.h"

static double along(const convex *c, int i, const double d[3])
{
    return v3_dot(c->points + 3 * (size_t)i, d);
}

static int search_all(const convex *c, const double d[3])
{
    int best = 0;
    double most = along(c, 0, d);
    for (int i = 1; i < c->n; ++i) {
        const double s = along(c, i, d);
        if (s > most) {
            most = s;
            best = i;
        }
    }
    return best;
}

// moves from vertex to better neighbour: on a convex polyhedron the vertex without a better one is
// the top
static int climb(const convex *c, const double d[3])
{
    int best = 0;
    double most = along(c, 0, d);
    for (int at = -1; at != best;) {
        at = best;
        for (int k = c->first[at]; k < c->first[at + 1]; ++k) {
            const double s = along(c, c->next[k], d);
            if (s > most) {
                most = s;
                best = c->next[k];
            }
        }
    }
    return best;
}

void convex_support(const convex *c, const double d[3], double x[3], int *index)
{
    *index = 0;
    switch (c->kind) {
    case CONVEX_POINT:
        x[0] = x[1] = x[2] = 0;
        return;
    case CONVEX_SEGMENT:
        *index = d[2] >= 0;
        x[0] = x[1] = 0;
        x[2] = *index ? c->half[2] : -c->half[2];
        return;
    case CONVEX_BOX:
        for (int i = 0; i < 3; ++i) {
            x[i] = d[i] >= 0 ? c->half[i] : -c->half[i];
            *index |= (d[i] >= 0) << i;
        }
        return;
    case CONVEX_CYLINDER: {
        const double r = hypot(d[0], d[1]);
        *index = -1;
        x[0] = r > 0 ? c->disc * (d[0] / r) : 0;
        x[1] = r > 0 ? c->disc * (d[1] / r) : 0;
        x[2] = d[2] >= 0 ? c->half[2] : -c->half[2];
        return;
    }
    case CONVEX_POINTS:
        *index = c->first ? climb(c, d) : search_all(c, d);
        v3_copy(c->points + 3 * (size_t)*index, x);
        return;
    }
}

double convex_extent(const convex *c)
{
    double most = 0;
    switch (c->kind) {
    case CONVEX_POINT:
        return 0;
    case CONVEX_SEGMENT:
        return c->half[2];
    case CONVEX_BOX:
        return v3_norm(c->half);
    case CONVEX_CYLINDER:
        return hypot(c->disc, c->half[2]);
    case CONVEX_POINTS:
        for (int i = 0; i < c->n; ++i) {
            const double *x = c->points + 3 * (size_t)i;
            most = fmax(most, v3_dot(x, x));
        }
        return sqrt(most);
    }
    return 0;
}

void convex_corner_against(const convex *c1, const convex *c2, const convex_pair *p,
                           const double v[3], convex_corner *out)
{
    const double back[3] = {-v[0], -v[1], -v[2]};
    double v2[3], x2[3], rotated[3];
    convex_support(c1, back, out->a, &out->i1);
    m3_mul_t(p->R, v, v2);
    convex_support(c2, v2, x2, &out->i2);
    m3_mul(p->R, x2, rotated);
    v3_along(p->t, 1, rotated, out->b);
    v3_sub(out->a, out->b, out->w);
}

double convex_separation(const convex *c1, const convex *c2, const convex_pair *p,
                         const double u[3], double x1[3], double x2[3])
{
    const double back[3] = {-u[0], -u[1], -u[2]};
    convex_corner c;
    convex_corner_against(c1, c2, p, back, &c);
    if (x1) v3_copy(c.a, x1);
    if (x2) v3_copy(c.b, x2);
    return -v3_dot(u, c.w);
}
