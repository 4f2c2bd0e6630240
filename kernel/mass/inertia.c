// Inertia of solids about their centre (theory 3.4): J = int (|r|^2 I - r r^T) dm.
#include <percuss/inertia.h>

#include <string.h>

static void diagonal(double x, double y, double z, double J[9])
{
    memset(J, 0, 9 * sizeof *J);
    J[0] = x;
    J[4] = y;
    J[8] = z;
}

void pcs_inertia_sphere(double mass, double radius, double J[9])
{
    const double j = 0.4 * mass * radius * radius;
    diagonal(j, j, j, J);
}

void pcs_inertia_box(double mass, double a, double b, double c, double J[9])
{
    const double k = mass / 12;
    diagonal(k * (b * b + c * c), k * (a * a + c * c), k * (a * a + b * b), J);
}

void pcs_inertia_cylinder(double mass, double radius, double length, double J[9])
{
    const double r2 = radius * radius;
    const double across = mass * (3 * r2 + length * length) / 12;
    diagonal(across, across, 0.5 * mass * r2, J);
}

// the core and two half spheres, whose centres of mass are 3 r / 8 beyond its ends
void pcs_inertia_capsule(double mass, double radius, double length, double J[9])
{
    const double r = radius, L = length, core = mass * L / (L + 4 * r / 3), caps = mass - core;
    const double across =
        core * (3 * r * r + L * L) / 12 + caps * (0.4 * r * r + L * L / 4 + 3 * L * r / 8);
    diagonal(across, across, core * r * r / 2 + caps * 0.4 * r * r, J);
}
