// Mass, centre of mass and inertia of shapes and of several together (theory 3.4).
#include <percuss/shape.h>

#include <string.h>

#include "base/base.h"
#include "collide/geometry.h"
#include "collide/moments.h"
#include "rotation/pose.h"

static const double pi = 0x1.921fb54442d18p+1;

// volume, centre and inertia of density 1 about it, in the frame of the shape
typedef struct solid {
    double volume, centre[3], J[9];
} solid;

// of density 1 about the centre, from the moments of a surface
static pcs_status solid_of_moments(const moments *m, solid *out)
{
    if (!(m->volume > 0)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_shape_mass: the volume of the surface is %g m^3; its triangles must be"
                        " counter-clockwise from outside",
                        m->volume);
    }
    double C[9], d[3];
    out->volume = m->volume;
    for (int i = 0; i < 3; ++i) {
        d[i] = m->first[i] / m->volume;
        out->centre[i] = m->origin[i] + d[i];
    }
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            C[i + 3 * j] = m->second[i + 3 * j] - m->volume * d[i] * d[j];
        }
    }
    for (int i = 0; i < 9; ++i) {
        out->J[i] = (i % 4 == 0 ? C[0] + C[4] + C[8] : 0) - C[i];
    }
    return PCS_OK;
}

static pcs_status solid_of_mesh(const mesh_geometry *g, solid *out)
{
    if (!g->closed) {
        return pcs_fail(PCS_ERR_ARG, "pcs_shape_mass: the mesh is not closed: every edge must join"
                                     " two triangles that are turned the same way");
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

static pcs_status solid_of_hull(const pcs_geometry *g, solid *out)
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

static pcs_status solid_of(const pcs_shape *s, solid *out)
{
    const double r = s->radius, length = 2 * s->half[2];
    memset(out, 0, sizeof *out);
    switch (s->kind) {
    case PCS_SPHERE:
        out->volume = 4 * pi / 3 * r * r * r;
        pcs_inertia_sphere(out->volume, r, out->J);
        return PCS_OK;
    case PCS_BOX:
        out->volume = 8 * s->half[0] * s->half[1] * s->half[2];
        pcs_inertia_box(out->volume, 2 * s->half[0], 2 * s->half[1], length, out->J);
        return PCS_OK;
    case PCS_CAPSULE:
        out->volume = pi * r * r * (length + 4 * r / 3);
        pcs_inertia_capsule(out->volume, r, length, out->J);
        return PCS_OK;
    case PCS_CYLINDER:
        out->volume = pi * r * r * length;
        pcs_inertia_cylinder(out->volume, r, length, out->J);
        return PCS_OK;
    case PCS_HALF_SPACE:
        return pcs_fail(PCS_ERR_ARG, "pcs_shape_mass: a half-space has no finite mass");
    case PCS_HEIGHT_FIELD:
        return pcs_fail(PCS_ERR_ARG, "pcs_shape_mass: a height field has no underside and so no"
                                     " mass");
    case PCS_MESH:
        return solid_of_mesh(&s->geometry->of.mesh, out);
    case PCS_HULL:
        return solid_of_hull(s->geometry, out);
    }
    return pcs_fail(PCS_ERR_ARG, "pcs_shape_mass: kind %d is unknown", (int)s->kind);
}

// S = R J R^T
static void turn_inertia(const double R[9], const double J[9], double S[9])
{
    double RJ[9], Rt[9];
    m3_mul_m3(R, J, RJ);
    for (int i = 0; i < 9; ++i) {
        Rt[i] = R[i / 3 + 3 * (i % 3)];
    }
    m3_mul_m3(RJ, Rt, S);

    // symmetric to the last bit
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < j; ++i) {
            S[i + 3 * j] = S[j + 3 * i] = 0.5 * (S[i + 3 * j] + S[j + 3 * i]);
        }
    }
}

// J += m (|d|^2 I - d d^T)
static void add_parallel_axes(double m, const double d[3], double J[9])
{
    const double square = v3_dot(d, d);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            J[i + 3 * j] += m * ((i == j ? square : 0) - d[i] * d[j]);
        }
    }
}

pcs_status pcs_shape_mass(const pcs_shape *shape, double density, double *mass, double com[3],
                          double J[9])
{
    if (!mass || !com || !J) {
        return pcs_fail(PCS_ERR_ARG, "pcs_shape_mass: a place for a result is null");
    }
    PCS_TRY(pcs_shape_check(shape));
    if (!(density > 0) || !isfinite(density)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_shape_mass: the density is %g kg/m^3; it must be positive and finite",
                        density);
    }

    solid s;
    PCS_TRY(solid_of(shape, &s));
    const double m = density * s.volume;
    double R[9], turned[9], at[3], moved[3];
    quat_matrix(shape->orientation, R);
    turn_inertia(R, s.J, turned);
    m3_mul(R, s.centre, moved);
    v3_along(shape->position, 1, moved, at);
    for (int i = 0; i < 9; ++i) {
        turned[i] *= density;
    }
    if (!(m > 0) || !isfinite(m) || !pcs_all_finite(turned, 9) || !pcs_all_finite(at, 3)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_shape_mass: the mass is %g kg; the shape is too small or too large to"
                        " be weighed in doubles",
                        m);
    }
    *mass = m;
    memcpy(J, turned, sizeof turned);
    v3_copy(at, com);
    return PCS_OK;
}

pcs_status pcs_mass_of_shapes(int n, const pcs_shape *shapes, const double *densities, double *mass,
                              double com[3], double J[9])
{
    if (!shapes || !densities || !mass || !com || !J) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_of_shapes: an argument is null");
    }
    if (n < 1) {
        return pcs_fail(PCS_ERR_ARG, "pcs_mass_of_shapes: there are %d shapes; give at least one",
                        n);
    }

    double m, c[3], Jc[9], all = 0, centre[3] = {0}, total[9] = {0};
    for (int k = 0; k < n; ++k) {
        PCS_TRY(pcs_shape_mass(&shapes[k], densities[k], &m, c, Jc));

        // what there is and what is added, both about their common centre
        double d[3];
        v3_sub(c, centre, d);
        const double share = m / (all + m);
        add_parallel_axes(all * share, d, total);
        for (int i = 0; i < 9; ++i) {
            total[i] += Jc[i];
        }
        v3_along(centre, share, d, centre);
        all += m;
    }
    if (!isfinite(all) || !pcs_all_finite(total, 9) || !pcs_all_finite(centre, 3)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_mass_of_shapes: the mass of %g kg and its inertia are too"
                        " large for doubles",
                        all);
    }
    *mass = all;
    v3_copy(centre, com);
    memcpy(J, total, sizeof total);
    return PCS_OK;
}
