// Mass properties of common solids, from their textbook integrals (theory 3.4). Differences of
// nearly equal powers are written as products.
#include "mass/inertia.h"

#include <percuss/shape.h>

#include "base/base.h"
#include "mass/moments.h"

static const double pi = 0x1.921fb54442d18p+1;

static pcs_status check_sizes(const char *where, double density, int n, const double *sizes)
{
    if (!(density > 0) || !isfinite(density)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the density is %g; it must be positive and finite", where,
                        density);
    }
    for (int i = 0; i < n; ++i) {
        if (sizes[i] > 0 && isfinite(sizes[i])) continue;
        return pcs_fail(PCS_ERR_ARG, "%s: size number %d is %g m; it must be positive and finite",
                        where, i, sizes[i]);
    }
    return PCS_OK;
}

static pcs_status check_hollow(const char *where, double outer, double inner)
{
    if (inner >= 0 && inner < outer) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "%s: inner radius %.15g m, outer %.15g m; 0 <= inner < outer is required",
                    where, inner, outer);
}

// a solid with its centre at `along` on the axis and moments about the centre
static pcs_status finish(const char *where, double m, int axis, double along, double about_axis,
                         double across, pcs_inertia *out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: out is null", where);
    if (axis < 0 || axis > 2) {
        return pcs_fail(PCS_ERR_ARG, "%s: the axis is %d; x, y and z are 0, 1 and 2", where, axis);
    }
    pcs_inertia b = {.m = m};
    b.G[axis] = along;
    for (int i = 0; i < 3; ++i) {
        b.J[4 * i] = i == axis ? about_axis : across;
    }
    if (!(m > 0) || !isfinite(m) || !pcs_all_finite(b.J, 9)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the mass is %g kg; it must be positive and within the range of doubles", where, m);
    }
    *out = b;
    return PCS_OK;
}

static pcs_status finish_diagonal(const char *where, double m, double x, double y, double z,
                                  pcs_inertia *out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: out is null", where);
    pcs_inertia b = {.m = m, .J = {x, 0, 0, 0, y, 0, 0, 0, z}};
    if (!(m > 0) || !isfinite(m) || !pcs_all_finite(b.J, 9)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the mass is %g kg; it must be positive and within the range of doubles", where, m);
    }
    *out = b;
    return PCS_OK;
}

// ---- balls

pcs_status pcs_solid_sphere(double density, double radius, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_sphere";
    PCS_TRY(check_sizes(where, density, 1, &radius));
    const double m = density * 4 * pi / 3 * radius * radius * radius, j = 0.4 * m * radius * radius;
    return finish_diagonal(where, m, j, j, j, out);
}

// (R^5 - r^5)/(R^3 - r^3) = (R^4 + R^3 r + R^2 r^2 + R r^3 + r^4)/(R^2 + R r + r^2)
pcs_status pcs_solid_hollow_sphere(double density, double outer, double inner, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_hollow_sphere";
    PCS_TRY(check_sizes(where, density, 1, &outer));
    PCS_TRY(check_hollow(where, outer, inner));
    const double x = inner / outer, three = 1 + x + x * x, five = three + x * x * x * (1 + x);
    const double m = density * 4 * pi / 3 * outer * outer * (outer - inner) * three;
    const double j = 0.4 * m * outer * outer * (five / three);
    return finish_diagonal(where, m, j, j, j, out);
}

// 2/5 m r^2 about any axis through the origin, 9/64 m r^2 less across at 3/8 r
pcs_status pcs_solid_hemisphere(double density, double radius, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_hemisphere";
    PCS_TRY(check_sizes(where, density, 1, &radius));
    const double m = density * 2 * pi / 3 * radius * radius * radius, k = m * radius * radius;
    return finish(where, m, axis, 0.375 * radius, 0.4 * k, 83.0 / 320 * k, out);
}

pcs_status pcs_solid_ellipsoid(double density, double a, double b, double c, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_ellipsoid";
    const double sizes[3] = {a, b, c};
    PCS_TRY(check_sizes(where, density, 3, sizes));
    const double m = density * 4 * pi / 3 * a * b * c, k = m / 5;
    return finish_diagonal(where, m, k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b),
                           out);
}

pcs_status pcs_thin_sphere(double density, double radius, pcs_inertia *out)
{
    static const char where[] = "pcs_thin_sphere";
    PCS_TRY(check_sizes(where, density, 1, &radius));
    const double m = density * 4 * pi * radius * radius, j = 2.0 / 3 * m * radius * radius;
    return finish_diagonal(where, m, j, j, j, out);
}

// ---- boxes

pcs_status pcs_solid_box(double density, double a, double b, double c, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_box";
    const double sizes[3] = {a, b, c};
    PCS_TRY(check_sizes(where, density, 3, sizes));
    const double m = density * a * b * c;
    const pcs_inertia solid = pcs_inertia_box(m, a, b, c);
    return finish_diagonal(where, m, solid.J[0], solid.J[4], solid.J[8], out);
}

pcs_status pcs_thin_plate(double density, double a, double b, pcs_inertia *out)
{
    static const char where[] = "pcs_thin_plate";
    const double sizes[2] = {a, b};
    PCS_TRY(check_sizes(where, density, 2, sizes));
    const double m = density * a * b;
    const pcs_inertia solid = pcs_inertia_box(m, a, b, 0);
    return finish_diagonal(where, m, solid.J[0], solid.J[4], solid.J[8], out);
}

// one triangle, seen from the corner that is not on it, spans it (moments.h)
pcs_status pcs_solid_tetrahedron(double density, const double corners[12], pcs_inertia *out)
{
    static const char where[] = "pcs_solid_tetrahedron";
    PCS_TRY(check_sizes(where, density, 0, NULL));
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: out is null", where);
    if (!pcs_all_finite(corners, 12)) {
        return pcs_fail(PCS_ERR_ARG, "%s: a corner is not finite", where);
    }
    moments m = {.volume = 0};
    v3_copy(corners, m.origin);
    moments_add(&m, corners + 3, corners + 6, corners + 9);
    if (m.volume < 0) {
        m = (moments){.volume = 0};
        v3_copy(corners, m.origin);
        moments_add(&m, corners + 3, corners + 9, corners + 6);
    }
    if (!(m.volume > 0)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the four corners lie in one plane", where);
    }
    pcs_inertia b;
    moments_centre(&m, b.G, b.J);
    b.m = density * m.volume;
    for (int i = 0; i < 9; ++i) {
        b.J[i] *= density;
    }
    if (!(b.m > 0) || !isfinite(b.m) || !pcs_all_finite(b.J, 9)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the mass is %g kg; it must be positive and within the range of doubles", where,
            b.m);
    }
    *out = b;
    return PCS_OK;
}

// ---- solids of revolution

pcs_status pcs_solid_cylinder(double density, double radius, double length, int axis,
                              pcs_inertia *out)
{
    static const char where[] = "pcs_solid_cylinder";
    const double sizes[2] = {radius, length};
    PCS_TRY(check_sizes(where, density, 2, sizes));
    const double m = density * pi * radius * radius * length;
    const pcs_inertia solid = pcs_inertia_cylinder(m, radius, length);
    return finish(where, m, axis, 0, solid.J[8], solid.J[0], out);
}

pcs_status pcs_solid_tube(double density, double outer, double inner, double length, int axis,
                          pcs_inertia *out)
{
    static const char where[] = "pcs_solid_tube";
    const double sizes[2] = {outer, length}, r2 = outer * outer + inner * inner;
    PCS_TRY(check_sizes(where, density, 2, sizes));
    PCS_TRY(check_hollow(where, outer, inner));
    const double m = density * pi * (outer - inner) * (outer + inner) * length;
    return finish(where, m, axis, 0, m * r2 / 2, m * (3 * r2 + length * length) / 12, out);
}

pcs_status pcs_thin_tube(double density, double radius, double length, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_thin_tube";
    const double sizes[2] = {radius, length}, r2 = radius * radius;
    PCS_TRY(check_sizes(where, density, 2, sizes));
    const double m = density * 2 * pi * radius * length;
    return finish(where, m, axis, 0, m * r2, m * (6 * r2 + length * length) / 12, out);
}

pcs_status pcs_solid_cone(double density, double radius, double height, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_cone";
    const double sizes[2] = {radius, height}, r2 = radius * radius;
    PCS_TRY(check_sizes(where, density, 2, sizes));
    const double m = density * pi / 3 * r2 * height;
    return finish(where, m, axis, height / 4, 0.3 * m * r2, 3 * m * (4 * r2 + height * height) / 80,
                  out);
}

pcs_status pcs_solid_capsule(double density, double radius, double length, int axis,
                             pcs_inertia *out)
{
    static const char where[] = "pcs_solid_capsule";
    PCS_TRY(check_sizes(where, density, 1, &radius));
    if (!(length >= 0) || !isfinite(length)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the length is %g m; it must be finite, 0 or more", where,
                        length);
    }
    const double m = density * pi * radius * radius * (length + 4 * radius / 3);
    const pcs_inertia solid = pcs_inertia_capsule(m, radius, length);
    return finish(where, m, axis, 0, solid.J[8], solid.J[0], out);
}

pcs_status pcs_solid_torus(double density, double major, double minor, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_solid_torus";
    const double sizes[2] = {major, minor};
    PCS_TRY(check_sizes(where, density, 2, sizes));
    if (!(minor <= major)) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: radius %g m of the ring, %g m of its section; the section "
                        "must not reach beyond the axis",
                        where, major, minor);
    }
    const double m = density * 2 * pi * pi * major * minor * minor;
    const double R2 = major * major, r2 = minor * minor;
    return finish(where, m, axis, 0, m * (R2 + 0.75 * r2), m * (R2 / 2 + 0.625 * r2), out);
}

pcs_status pcs_thin_disc(double density, double radius, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_thin_disc";
    PCS_TRY(check_sizes(where, density, 1, &radius));
    const double m = density * pi * radius * radius, k = m * radius * radius;
    return finish(where, m, axis, 0, k / 2, k / 4, out);
}

pcs_status pcs_thin_ring(double density, double radius, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_thin_ring";
    PCS_TRY(check_sizes(where, density, 1, &radius));
    const double m = density * 2 * pi * radius, k = m * radius * radius;
    return finish(where, m, axis, 0, k, k / 2, out);
}

pcs_status pcs_thin_rod(double density, double length, int axis, pcs_inertia *out)
{
    static const char where[] = "pcs_thin_rod";
    PCS_TRY(check_sizes(where, density, 1, &length));
    const double m = density * length;
    return finish(where, m, axis, 0, 0, m * length * length / 12, out);
}
