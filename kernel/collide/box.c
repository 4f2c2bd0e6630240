// A box against a half-space: its vertices within reach of the plane. Vertex v of 0..7 has the
// coordinate +half[i] where bit i of v is set; that number is the id. With n the normal and c the
// centre, a vertex stands at
//     g = n . (c - a) + sum_i +-half_i (n . axis_i)
#include "collide/collide.h"

#include "base/base.h"
#include "rotation/pose.h"

int collide_box_half_space(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                           const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    double n2[3], n[3];
    const double centre = shape_over_plane(s1, q1, s2, q2, n2, n);

    // the normal along the axes of the box, times the half edges
    double m[3];
    shape_direction(s1, q1, n, m);
    for (int i = 0; i < 3; ++i) {
        m[i] *= s1->half[i];
    }
    if (!(centre - fabs(m[0]) - fabs(m[1]) - fabs(m[2]) <= reach)) return 0;

    int count = 0, lowest = 0;
    double least = INFINITY;
    for (int v = 0; v < 8; ++v) {
        const double g =
            centre + (v & 1 ? m[0] : -m[0]) + (v & 2 ? m[1] : -m[1]) + (v & 4 ? m[2] : -m[2]);
        if (!(g <= reach)) continue;
        if (g < least) {
            least = g;
            lowest = count;
        }

        pcs_feature *f = &out[count++];
        *f = shape_on_plane(s2, n2, (unsigned)v, 0);
        const double p[3] = {v & 1 ? s1->half[0] : -s1->half[0], v & 2 ? s1->half[1] : -s1->half[1],
                             v & 4 ? s1->half[2] : -s1->half[2]};
        quat_turn(s1->orientation, 1, p, f->p1);
        v3_along(f->p1, 1, s1->position, f->p1);
    }

    // the lowest first, the others by number
    if (lowest > 0) {
        const pcs_feature f = out[lowest];
        for (int k = lowest; k > 0; --k) {
            out[k] = out[k - 1];
        }
        out[0] = f;
    }
    return count;
}
