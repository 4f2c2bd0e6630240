// With 2K = w.Jw and L = |Jw|, and L^2 >= 2K I_2 (the body circles its third axis):
//
//     w_1 = p_1 cn, w_2 = p_2 sn, w_3 = p_3 dn of (n t + const),
//     n^2 = (I_3 - I_2) (L^2 - 2K I_1) / (I_1 I_2 I_3),
//     m = (I_2 - I_1) (2K I_3 - L^2) / ((I_3 - I_2) (L^2 - 2K I_1)).
//
// Otherwise the first and the third axis change places. Landau and Lifshitz, Mechanics, 37. The
// differences are written in omega(0), where they do not cancel.
#include "checks/free_top.h"

#include "elliptic.h"

#include <math.h>

free_top free_top_make(const double I[3], double spin, double wobble, bool about_first)
{
    free_top top = {.I = {I[0], I[1], I[2]}, .about_first = about_first};
    const double near = about_first ? I[0] : I[2], far = about_first ? I[2] : I[0];
    // at omega = spin e_2 + wobble e_near: |L^2 - 2K I_far| and |2K I_near - L^2|
    const double w = wobble * wobble, s = spin * spin;
    const double A = near * fabs(near - far) * w + I[1] * fabs(I[1] - far) * s;
    const double B = I[1] * fabs(near - I[1]) * s;
    top.rate = sqrt(fabs(near - I[1]) * A / (I[0] * I[1] * I[2]));
    top.m = fabs(I[1] - far) * B / (fabs(near - I[1]) * A);
    // 1 - m without cancelling: the part of A with the wobble
    top.m1 = near * fabs(near - far) * w / A;
    top.peak[about_first ? 2 : 0] = sqrt(B / (far * fabs(near - far)));
    top.peak[1] = spin;
    top.peak[about_first ? 0 : 2] = sqrt(A / (near * fabs(near - far)));
    return top;
}

void free_top_omega(const free_top *top, double t, double omega[3])
{
    // t = 0 is a quarter of a period in: sn(K + u) = cd u, cn(K + u) = -k' sd u, dn(K + u) = k' nd
    // u
    double sn, cn, dn;
    jacobi(top->rate * t, top->m, top->m1, &sn, &cn, &dn);
    const double k1 = sqrt(top->m1);
    const int near = top->about_first ? 0 : 2, far = 2 - near;
    omega[far] = -top->peak[far] * k1 * sn / dn; // falls at first, by Euler's equations
    omega[1] = top->peak[1] * cn / dn;
    omega[near] = top->peak[near] * k1 / dn;
}

double free_top_flip(const free_top *top)
{
    return 2 * elliptic_K(top->m1) / top->rate;
}
