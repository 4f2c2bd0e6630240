// Inertia of solids about their centre (theory 3.4): J = int (|r|^2 I - r r^T) dm.
#include <percuss/inertia.h>

static pcs_inertia diagonal(double mass, double x, double y, double z)
{
    return (pcs_inertia){.m = mass, .J = {[0] = x, [4] = y, [8] = z}};
}

pcs_inertia pcs_inertia_sphere(double mass, double radius)
{
    const double j = 0.4 * mass * radius * radius;
    return diagonal(mass, j, j, j);
}

pcs_inertia pcs_inertia_box(double mass, double a, double b, double c)
{
    const double k = mass / 12;
    return diagonal(mass, k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b));
}

pcs_inertia pcs_inertia_cylinder(double mass, double radius, double length)
{
    const double r2 = radius * radius;
    const double across = mass * (3 * r2 + length * length) / 12;
    return diagonal(mass, across, across, 0.5 * mass * r2);
}

// the core and two half spheres, whose centres of mass are 3 r / 8 beyond its ends
pcs_inertia pcs_inertia_capsule(double mass, double radius, double length)
{
    const double r = radius, L = length, core = mass * L / (L + 4 * r / 3), caps = mass - core;
    const double across =
        core * (3 * r * r + L * L) / 12 + caps * (0.4 * r * r + L * L / 4 + 3 * L * r / 8);
    return diagonal(mass, across, across, core * r * r / 2 + caps * 0.4 * r * r);
}
