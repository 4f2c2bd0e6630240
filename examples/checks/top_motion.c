// With u the cosine of the tilt, u0 at the start, a = J3 spin / I1, b = 2 m g arm / I1:
//
//     du/dt^2 (1 + k (1 - u^2)) = b (u0 - u) (u - u1) (u2 - u),  dphi/dt = a (u0 - u) / (1 - u^2),
//
// u1, u2 = c -+ sqrt(c^2 - 2 c u0 + 1), c = a^2 / 2b. k = 0 for a tip that is held; m arm^2 / I1 on
// a smooth floor, whose centre of mass moves. With u = u1 + (u0 - u1) sin^2 s the integrals over a
// period are those of smooth periodic functions: the midpoint rule converges faster than any power.
#include "checks/top_motion.h"

#include <math.h>

heavy_top top_default(void)
{
    return (heavy_top){.mass = 0.5,
                       .J1 = 4e-4,
                       .J3 = 6e-4,
                       .arm = 0.04,
                       .spin = 150,
                       .tilt = 0.5,
                       .gravity = 9.81};
}

static double inertia_across(const heavy_top *top)
{
    return top->floor ? top->J1 : top->J1 + top->mass * top->arm * top->arm;
}

double top_precession(const heavy_top *top)
{
    const double A = inertia_across(top) * cos(top->tilt), B = top->J3 * top->spin;
    const double C = top->mass * top->gravity * top->arm;
    return 2 * C / (B + copysign(sqrt(B * B - 4 * A * C), B)); // the root that does not cancel
}

nutation top_nutation(const heavy_top *top)
{
    enum { POINTS = 400 };
    const double I1 = inertia_across(top), a = top->J3 * top->spin / I1;
    const double b = 2 * top->mass * top->gravity * top->arm / I1, c = a * a / (2 * b);
    const double k = top->floor ? top->mass * top->arm * top->arm / I1 : 0;
    const double u0 = cos(top->tilt), root = sqrt(c * c - 2 * c * u0 + 1);
    const double u2 = c + root, u1 = (2 * c * u0 - 1) / u2;
    nutation n = {.lowest = u1};
    const double quarter = 2 * atan(1);
    for (int i = 0; i < POINTS; ++i) {
        const double sine = sin((i + 0.5) / POINTS * quarter), u = u1 + (u0 - u1) * sine * sine;
        const double dt = 4 * sqrt((1 + k * (1 - u * u)) / (b * (u2 - u))) * quarter / POINTS;
        n.period += dt;
        n.turn += dt * a * (u0 - u) / (1 - u * u);
    }
    return n;
}
