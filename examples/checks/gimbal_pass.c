// A free body of revolution turns about R J omega at |J omega| / J_across, and about its own axis
// at the rest of omega (checks/norm_ways). That axis is the first one here.
#include "checks/gimbal_pass.h"

#include <math.h>
#include <string.h>

#include <percuss/rotation.h>

quaternion_body pass_body(const gimbal_pass *p)
{
    return (quaternion_body){.J = {p->along, p->across, p->across}};
}

// the constant direction, cone + miss from straight down
static void direction(const gimbal_pass *p, double d[3])
{
    d[0] = sin(p->cone + p->miss);
    d[1] = 0;
    d[2] = -cos(p->cone + p->miss);
}

void pass_at(const gimbal_pass *p, double t, double x[7])
{
    double d[3], Q0[4], back[4], in_body[3], about_L[4], about_nose[4], half[4];
    direction(p, d);
    // the nose starts in the same plane, 2 cone + miss from straight down
    pcs_quat_from_zyx(p->roll, 2 * atan(1) - (2 * p->cone + p->miss), 0, Q0);
    pcs_quat_conj(Q0, back);
    pcs_quat_rotate(back, d, in_body);
    const double L = p->rate * p->across;
    const double omega[3] = {L * in_body[0] / p->along, L * in_body[1] / p->across,
                             L * in_body[2] / p->across};
    const double own = (1 - p->along / p->across) * omega[0], turned = p->rate * t;
    pcs_quat_exp((const double[]){turned * d[0], turned * d[1], turned * d[2]}, about_L);
    pcs_quat_exp((const double[]){own * t, 0, 0}, about_nose);
    pcs_quat_mul(about_L, Q0, half);
    pcs_quat_mul(half, about_nose, x);
    const double c = cos(own * t), s = sin(own * t);
    x[4] = omega[0];
    x[5] = c * omega[1] + s * omega[2];
    x[6] = c * omega[2] - s * omega[1];
}

void pass_start(const gimbal_pass *p, double x[7])
{
    pass_at(p, 0, x);
}

double pass_period(const gimbal_pass *p)
{
    return 8 * atan(1) / p->rate;
}

double pass_yaw_rate(const gimbal_pass *p)
{
    return p->rate * sin(p->cone) / sin(p->miss);
}
