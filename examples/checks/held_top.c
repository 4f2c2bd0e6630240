// With a = J3 spin / I1, b = 2 m g l / I1, I1 about the tip, and the axis e:
//
//     du/dt^2 = f(u) = b (u0 - u) (u - u1) (u2 - u),   u = u1 + (u0 - u1) sn^2(n t + K),
//     n = sqrt(b (u2 - u1)) / 2, m = (u0 - u1) / (u2 - u1).
//
// The force is m (l e'' + g e_z), and u'' = f'(u) / 2, e.e'' = -|e'|^2 = -b (u0 - u) by the energy,
// (e_z x e).e'' = d/dt a (u0 - u) by the moment about the vertical.
#include "checks/held_top.h"

#include <math.h>

#include "elliptic.h"

typedef struct cubic {
    double a, b, u0, u1, u2;
} cubic;

static cubic cubic_of(const heavy_top *top)
{
    const double I1 = top->J1 + top->mass * top->arm * top->arm;
    cubic p = {.a = top->J3 * top->spin / I1,
               .b = 2 * top->mass * top->gravity * top->arm / I1,
               .u0 = cos(top->tilt)};
    const double c = p.a * p.a / (2 * p.b);
    p.u2 = c + sqrt(c * c - 2 * c * p.u0 + 1);
    p.u1 = (2 * c * p.u0 - 1) / p.u2;
    return p;
}

double held_top_cosine(const heavy_top *top, double t)
{
    const cubic p = cubic_of(top);
    const double span = p.u2 - p.u1, n = 0.5 * sqrt(p.b * span);
    double sn, cn, dn;
    jacobi(n * t, (p.u0 - p.u1) / span, (p.u2 - p.u0) / span, &sn, &cn, &dn);
    return p.u1 + (p.u0 - p.u1) * (cn / dn) * (cn / dn); // sn(K + x) = cn / dn
}

held_reaction held_top_reaction(const heavy_top *top, double u, double udot)
{
    const cubic p = cubic_of(top);
    const double x = p.u0 - u, y = u - p.u1, z = p.u2 - u;
    const double second = 0.5 * p.b * (x * z - x * y - y * z); // f' / 2
    const double ml = top->mass * top->arm, mg = top->mass * top->gravity;
    return (held_reaction){
        .vertical = mg + ml * second, .axial = mg * u - ml * p.b * x, .across = -ml * p.a * udot};
}
