// With s the angle of the axis e from the vertical z, u the steepest direction in the disc and
// t = e x u, the axis turning about z at W:
//
//     z = cos s e + sin s u, w = W sin s u + w3 e, GP = -R u - c e (P lowest point of the rim),
//     no slip: v = V t with V = w3 R - W c sin s, so the centre goes round a circle of radius V /
//     W, moments: W sin s (A W cos s - C w3) = m [ W V (R sin s + c cos s) + g (R cos s - c sin s)
//     ].
//
// Given W and s this is linear in V. Friction carries m W V, the normal force m g.
#include "checks/rolling.h"

#include <math.h>

rolling rolling_steady(const disc *d)
{
    const double cs = sin(d->lean), sn = cos(d->lean); // of the angle of the axis: s = pi/2 - lean
    const double W = d->turn, m = d->mass;
    const double arm = m * d->gravity * (d->R * cs - d->c * sn);
    const double whirl = W * W * sn * (d->A * cs - d->C * d->c * sn / d->R);
    const double drive = W * (d->C * sn / d->R + m * (d->R * sn + d->c * cs));
    rolling r = {.speed = (whirl - arm) / drive};
    r.radius = fabs(r.speed / W);
    r.spin = (r.speed + W * d->c * sn) / d->R;
    r.friction = fabs(W * r.speed) / d->gravity;

    // axes of the body (u', t', e) with e = (sn, 0, cs): a turn by s about y; u = (-cs, 0, sn) =
    // -x'
    const double half = 0.5 * (2 * atan(1) - d->lean);
    r.Q[0] = cos(half);
    r.Q[2] = sin(half);
    r.omega[0] = -W * sn;
    r.omega[2] = r.spin;
    // t = e x u = (0, -1, 0); the centre lies at (V / W) (t x z) from the middle of its circle
    r.v[1] = -r.speed;
    r.x[0] = -r.speed / W;
    r.x[2] = d->R * sn + d->c * cs;
    return r;
}
