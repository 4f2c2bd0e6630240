// A growing polytope; see polytope.h.
#include "collide/polytope.h"

#include <math.h>
#include <stddef.h>

#include "linalg/m3.h"

// relative to the size: heights that rounding makes, the least height of the first tetrahedron
static const double height_noise = 1e-14, flat = 1e-12;

static bool add_face(polytope *p, int i, int j, int k)
{
    if (p->n_faces == POLYTOPE_FACES) return false;
    polytope_face *f = &p->face[p->n_faces++];
    double a[3], b[3];
    *f = (polytope_face){.at = {i, j, k}};
    v3_sub(p->w[j], p->w[i], a);
    v3_sub(p->w[k], p->w[i], b);
    v3_cross(a, b, f->n);

    // a face without an area bounds nothing
    f->closed = !(v3_unit(f->n, f->n) > p->eps * p->eps);
    f->d = v3_dot(f->n, p->w[i]);
    return true;
}

bool polytope_begin(polytope *p, double w[4][3], double size)
{
    static const int side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    double a[3], b[3], c[3], n[3];
    v3_sub(w[1], w[0], a);
    v3_sub(w[2], w[0], b);
    v3_sub(w[3], w[0], c);
    v3_cross(a, b, n);
    p->n_points = 4;
    p->n_faces = 0;
    p->eps = height_noise * size;
    const double height = v3_unit(n, n) > 0 ? v3_dot(n, c) : 0;
    if (!(fabs(height) > flat * size)) return false;
    for (int i = 0; i < 4; ++i) {
        v3_copy(w[i], p->w[i]);
    }
    for (int k = 0; k < 4; ++k) {
        const int *at = side[k];
        add_face(p, at[0], at[height > 0 ? 2 : 1], at[height > 0 ? 1 : 2]);
    }
    return true;
}

polytope_face *polytope_nearest(polytope *p)
{
    polytope_face *best = NULL;
    for (int f = 0; f < p->n_faces; ++f) {
        if (!p->face[f].closed && (!best || p->face[f].d < best->d)) best = &p->face[f];
    }
    return best;
}

bool polytope_add(polytope *p, const double w[3])
{
    // the faces that the point sees go; the sides that only one of them has remain
    int side[POLYTOPE_FACES][2], n = 0;
    if (p->n_points == POLYTOPE_POINTS) return false;
    for (int f = 0; f < p->n_faces;) {
        const polytope_face *seen = &p->face[f];
        if (!(v3_dot(seen->n, w) - seen->d > p->eps)) {
            ++f;
            continue;
        }
        for (int k = 0; k < 3; ++k) {
            const int from = seen->at[k], to = seen->at[k == 2 ? 0 : k + 1];
            int same = 0;
            while (same < n && !(side[same][0] == to && side[same][1] == from)) {
                ++same;
            }
            if (same < n) {
                --n;
                side[same][0] = side[n][0];
                side[same][1] = side[n][1];
            } else if (n == POLYTOPE_FACES) {
                return false;
            } else {
                side[n][0] = from;
                side[n++][1] = to;
            }
        }
        p->face[f] = p->face[--p->n_faces];
    }
    if (n == 0) return true;
    const int at = p->n_points++;
    v3_copy(w, p->w[at]);
    for (int k = 0; k < n; ++k) {
        if (!add_face(p, side[k][0], side[k][1], at)) return false;
    }
    return true;
}
