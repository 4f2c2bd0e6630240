// The pilots: they compute the commands of the vehicle.
//
// With z up and y to the left a positive pitch is nose down. Deflected by d, a fin at the angle
// gamma pushes along d (0, -sin gamma, cos gamma) behind O: the nose goes down with d cos gamma and
// to the left with d sin gamma, and the hull rolls to starboard with d.
#include "scenes/auv_pilot.h"

#include <percuss/root.h>

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

// goal: heading and depth, by the waypoints if there are any
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

static void share_out(const auv_pilot *p, double stern, double rudder, double aileron, double *fin)
{
    for (int k = 0; k < AUV_FINS; ++k) {
        fin[k] = stern * cos(p->fin_angle[k]) + rudder * sin(p->fin_angle[k]) + aileron;
    }
}

// ---- the trim

// unknowns: pitch, velocity of O (body axes), stern planes, rudder, ailerons
enum { PITCH, VELOCITY, STERN = VELOCITY + 3, RUDDER, AILERON, UNKNOWNS };

typedef struct balance {
    const pcs_vehicle *vehicle;
    const auv_pilot *pilot;
} balance;

// the accelerations, and the vertical speed
static int unbalanced(void *user, const double *y, double *f)
{
    const balance *b = user;
    double x[PCS_VEHICLE_STATE_SIZE] = {0}, rate[PCS_VEHICLE_STATE_SIZE];
    pcs_vehicle_command command = {.thrust = b->pilot->thrust};
    pcs_quat_from_zyx(0, y[PITCH], b->pilot->heading, x + 3);
    memcpy(x + 7, y + VELOCITY, 3 * sizeof *x);
    share_out(b->pilot, y[STERN], y[RUDDER], y[AILERON], command.deflection);
    const pcs_status status = pcs_vehicle_rates(b->vehicle, 0, x, &command, rate);
    if (status != PCS_OK) return (int)status;
    memcpy(f, rate + 7, 6 * sizeof *f);
    f[6] = rate[2];
    return 0;
}

pcs_status auv_trim(const pcs_vehicle *vehicle, auv_pilot *p, bool *found)
{
    *found = false;
    balance b = {vehicle, p};
    const pcs_map map = {.n = UNKNOWNS, .m = UNKNOWNS, .f = unbalanced, .user = &b};
    double y[UNKNOWNS] = {0};
    pcs_root_report report;
    pcs_arena work;
    // a start that has the speed, so that the fins have an effect
    if (pcs_vehicle_terminal_surge(vehicle, p->thrust, y + VELOCITY) != PCS_OK) return PCS_OK;
    PCS_TRY(pcs_arena_create(NULL, pcs_root_solve_bytes(UNKNOWNS), &work));
    const pcs_status status = pcs_root_solve(&map, NULL, work, y, &report);
    pcs_arena_destroy(NULL, &work);
    if (status != PCS_OK) return PCS_OK; // not defined there: no trim
    if (report.outcome != PCS_ROOT_CONVERGED || !(fabs(y[PITCH]) <= p->most_pitch)) return PCS_OK;
    for (int k = STERN; k < UNKNOWNS; ++k) {
        if (!(fabs(y[k]) <= p->most_fin)) return PCS_OK;
    }
    p->trim_pitch = y[PITCH];
    p->trim_stern = y[STERN];
    p->trim_rudder = y[RUDDER];
    p->trim_aileron = y[AILERON];
    *found = true;
    return PCS_OK;
}

// ---- the pilot

int auv_by_pilot(void *user, double t, const double *x, double *u)
{
    (void)t;
    auv_pilot *p = user;
    decide(p, x);
    double roll, pitch, yaw;
    pcs_quat_to_zyx(x + 3, &roll, &pitch, &yaw);
    const double *omega = x + 10;

    const double off = remainder(p->heading - yaw, 8 * atan(1));
    const double rudder =
        within(p->trim_rudder + p->heading_gain * off - p->yaw_gain * omega[2], p->most_fin);
    double rate[3];
    pcs_quat_rotate(x + 3, x + 7, rate);
    const double off_depth = p->depth_gain * (x[2] - p->depth) + p->sink_gain * rate[2];
    const double dive = within(p->trim_pitch + off_depth, p->most_pitch);
    const double stern =
        within(p->trim_stern + p->pitch_gain * (dive - pitch) - p->pitch_rate_gain * omega[1],
               p->most_fin);
    const double aileron = within(
        p->trim_aileron - p->roll_gain * roll - p->roll_rate_gain * omega[0], 0.5 * p->most_fin);

    u[0] = p->thrust;
    share_out(p, stern, rudder, aileron, u + 1);
    return 0;
}
