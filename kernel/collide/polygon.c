// Cutting polygons; see polygon.h.
#include "collide/polygon.h"

#include <math.h>

#include "linalg/m3.h"

static polygon_corner *append(polygon *p)
{
    return p->n < POLYGON_MAX ? &p->at[p->n++] : &p->at[POLYGON_MAX - 1];
}

void polygon_cut(const polygon *in, const double normal[3], double offset, double snap, int label,
                 polygon *out)
{
    out->n = 0;
    for (int i = 0; i < in->n; ++i) {
        const polygon_corner *a = &in->at[i], *b = &in->at[i + 1 < in->n ? i + 1 : 0];
        const double da = v3_dot(normal, a->x) - offset, db = v3_dot(normal, b->x) - offset;
        if (da <= snap) *append(out) = *a;
        if ((da <= snap) == (db <= snap)) continue;

        // a corner that the snap kept may be beyond the plane: then the cut is at the corner
        const double s = fmin(1, fmax(0, da / (da - db)));
        polygon_corner *c = append(out);
        for (int k = 0; k < 3; ++k) {
            c->x[k] = a->x[k] + s * (b->x[k] - a->x[k]);
        }
        c->vertex = -1;
        c->side = da <= snap ? label : a->side;
    }
}
