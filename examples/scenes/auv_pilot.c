// The pilots: they compute the commands of the vehicle.
//
// With z up and y to the left a positive pitch is nose down. Deflected by d, a fin at the angle
// gamma pushes along d (0, -sin gamma, cos gamma) behind O: the nose goes down with d cos gamma and
// to the left with d sin gamma, and the hull rolls to starboard with d.
#include "scenes/auv_pilot.h"

#include <math.h>
#include <string.h>

int auv_by_table(void *user, double t, const double *x, double *u)
{
    (void)x;
    const auv_table *table = user;
    for (int i = 0; i < table->n; ++i) {
        const double *row = table->row + (size_t)i * AUV_CELLS;
        if (row[0] <= t + 1e-9) memcpy(u, row + 1, AUV_COMMANDS * sizeof *u);
    }
    return 0;
}

static double within(double x, double most)
{
    return fmax(-most, fmin(most, x));
}

// where to: heading and depth, by the waypoints if there are any
static void decide(auv_pilot *p, const double X[3])
{
    while (p->next < p->n) {
        const double *to = p->point[p->next];
        const double d[3] = {to[0] - X[0], to[1] - X[1], to[2] - X[2]};
        if (sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) > p->radius) {
            p->heading = atan2(d[1], d[0]);
            p->depth = to[2];
            return;
        }
        p->next += 1;
    }
}

int auv_by_pilot(void *user, double t, const double *x, double *u)
{
    (void)t;
    auv_pilot *p = user;
    decide(p, x);
    double roll, pitch, yaw;
    pcs_quat_to_zyx(x + 3, &roll, &pitch, &yaw);
    const double *omega = x + 10;

    const double off = remainder(p->heading - yaw, 8 * atan(1));
    const double rudder = within(p->heading_gain * off - p->yaw_gain * omega[2], p->most_fin);
    double rate[3];
    pcs_quat_rotate(x + 3, x + 7, rate);
    const double dive =
        within(p->depth_gain * (x[2] - p->depth) + p->sink_gain * rate[2], p->most_pitch);
    const double stern =
        within(p->pitch_gain * (dive - pitch) - p->pitch_rate_gain * omega[1], p->most_fin);
    const double aileron =
        within(-p->roll_gain * roll - p->roll_rate_gain * omega[0], 0.5 * p->most_fin);

    u[0] = p->thrust;
    for (int k = 0; k < AUV_FINS; ++k) {
        u[1 + k] = stern * cos(p->fin_angle[k]) + rudder * sin(p->fin_angle[k]) + aileron;
    }
    return 0;
}
