// Mass, centre of mass and inertia of shapes and of several together (theory 3.4).
#include <percuss/inertia.h>

#include <string.h>

#include "base/base.h"
#include "collide/geometry.h"
#include "mass/inertia.h"
#include "mass/moments.h"
#include "rotation/pose.h"

static const double pi = 0x1.921fb54442d18p+1;

// Each function that fills `out` does so for density 1, in the frame of the shape.

static pcs_status solid_of_moments(const moments *m, pcs_inertia *out)
{
    if (!(m->volume > 0)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_inertia_of_shape: the volume of the surface is %g m^3; its triangles must be"
            " counter-clockwise from outside",
            m->volume);
    }
    out->m = m->volume;
    moments_centre(m, out->G, out->J);
    return PCS_OK;
}

static pcs_status solid_of_mesh(const mesh_geometry *g, pcs_inertia *out)
{
    if (!g->closed) {
        return pcs_fail(PCS_ERR_ARG, "pcs_inertia_of_shape: the mesh is not closed: every edge "
                                     "must join two triangles of the same orientation");
    }
    moments m = {.volume = 0};
    for (int i = 0; i < 3; ++i) {
        m.origin[i] = 0.5 * (g->node->low[i] + g->node->high[i]);
    }
    for (int t = 0; t < g->n_triangles; ++t) {
        const int *corner = g->triangle + 3 * (size_t)t;
        moments_add(&m, g->vertex + 3 * (size_t)corner[0], g->vertex + 3 * (size_t)corner[1],
                    g->vertex + 3 * (size_t)corner[2]);
    }
    return solid_of_moments(&m, out);
}

static pcs_status solid_of_hull(const pcs_geometry *g, pcs_inertia *out)
{
    const polyhedron *h = &g->of.hull;
    moments m = {.volume = 0};
    for (int i = 0; i < 3; ++i) {
        m.origin[i] = 0.5 * (g->low[i] + g->high[i]);
    }
    for (int f = 0; f < h->n_faces; ++f) {
        const int *corner = h->corner + h->first[f];
        for (int k = 1; k + 1 < h->first[f + 1] - h->first[f]; ++k) {
            moments_add(&m, polyhedron_vertex(h, corner[0]), polyhedron_vertex(h, corner[k]),
                        polyhedron_vertex(h, corner[k + 1]));
        }
    }
    return solid_of_moments(&m, out);
}

static pcs_status solid_of(const pcs_shape *s, pcs_inertia *out)
{
    const double r = s->radius, length = 2 * s->half[2];
    memset(out, 0, sizeof *out);
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        *out = pcs_inertia_sphere(4 * pi / 3 * r * r * r, r);
        return PCS_OK;
    case PCS_SHAPE_BOX:
        *out = pcs_inertia_box(8 * s->half[0] * s->half[1] * s->half[2], 2 * s->half[0],
                               2 * s->half[1], length);
        return PCS_OK;
    case PCS_SHAPE_CAPSULE:
        *out = pcs_inertia_capsule(pi * r * r * (length + 4 * r / 3), r, length);
        return PCS_OK;
    case PCS_SHAPE_CYLINDER:
        *out = pcs_inertia_cylinder(pi * r * r * length, r, length);
        return PCS_OK;
    case PCS_SHAPE_HALF_SPACE:
        return pcs_fail(PCS_ERR_ARG, "pcs_inertia_of_shape: a half-space has no finite mass");
    case PCS_SHAPE_HEIGHT_FIELD:
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_inertia_of_shape: a height field has no underside and so no"
                        " mass");
    case PCS_SHAPE_MESH:
        return solid_of_mesh(&s->geometry->of.mesh, out);
    case PCS_SHAPE_HULL:
        return solid_of_hull(s->geometry, out);
    }
    return pcs_fail(PCS_ERR_ARG, "pcs_inertia_of_shape: kind %d is unknown", (int)s->kind);
}

pcs_status pcs_inertia_of_shape(const pcs_shape *shape, double density, pcs_inertia *out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_inertia_of_shape: out is null");
    PCS_TRY(pcs_shape_check(shape));
    if (!(density > 0) || !isfinite(density)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_inertia_of_shape: the density is %g kg/m^3; it must be positive and finite",
            density);
    }

    pcs_inertia s, b;
    PCS_TRY(solid_of(shape, &s));
    b.m = density * s.m;
    double R[9], moved[3];
    quat_matrix(shape->orientation, R);
    inertia_turn(R, s.J, b.J);
    m3_mul(R, s.G, moved);
    v3_along(shape->position, 1, moved, b.G);
    for (int i = 0; i < 9; ++i) {
        b.J[i] *= density;
    }
    if (!(b.m > 0) || !isfinite(b.m) || !pcs_all_finite(b.J, 9) || !pcs_all_finite(b.G, 3)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_inertia_of_shape: the mass is %g kg; the shape is too small or too "
                        "large for double precision",
                        b.m);
    }
    *out = b;
    return PCS_OK;
}

pcs_status pcs_inertia_of_shapes(int n, const pcs_shape *shapes, const double *densities,
                                 pcs_inertia *out)
{
    if (!shapes || !densities || !out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_inertia_of_shapes: an argument is null");
    }
    if (n < 1) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_inertia_of_shapes: there are %d shapes; give at least one", n);
    }

    pcs_inertia all = {0}, part;
    for (int k = 0; k < n; ++k) {
        PCS_TRY(pcs_inertia_of_shape(&shapes[k], densities[k], &part));
        inertia_join(&all, &part);
    }
    if (!isfinite(all.m) || !pcs_all_finite(all.J, 9) || !pcs_all_finite(all.G, 3)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_inertia_of_shapes: the mass of %g kg and its inertia exceed the range of doubles",
            all.m);
    }
    *out = all;
    return PCS_OK;
}
