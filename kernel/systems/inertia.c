// Inertia of solids about their centre (theory 3.4): J = int (|r|^2 I - r r^T) dm.
#include <percuss/shape.h>

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
