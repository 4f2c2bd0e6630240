// The pilots of the vehicle: a table of commands, a course to keep, a row of waypoints.
#ifndef EXAMPLES_SCENES_AUV_PILOT_H
#define EXAMPLES_SCENES_AUV_PILOT_H

#include "scenes/auv_scene.h"

enum { AUV_CELLS = 1 + AUV_COMMANDS, MOST_WAYPOINTS = 32 };

// rows of AUV_CELLS numbers: time (s, ascending), command from then on
typedef struct auv_table {
    int n;
    const double *row;
} auv_table;

// the control of the simulator for a table; zeros before the first row
int auv_by_table(void *table, double t, const double *x, double *u);

// Proportional and derivative laws about the trim. Rudder, stern planes and ailerons (rad) are
// shared out to the fins by the angles at which they stand.
typedef struct auv_pilot {
    double thrust;          // N
    double heading, depth;  // rad; z, m: where to go when there are no waypoints
    double heading_gain;    // rad of rudder per rad
    double yaw_gain;        // and per rad/s
    double depth_gain;      // rad of pitch per m
    double sink_gain;       // and per m/s
    double most_pitch;      // rad
    double pitch_gain;      // rad of stern planes per rad
    double pitch_rate_gain; // and per rad/s
    double roll_gain;       // rad of ailerons per rad
    double roll_rate_gain;  // and per rad/s
    double most_fin;        // rad, of rudder and of stern planes
    double fin_angle[AUV_FINS];
    // the deflection that keeps the course without a deviation (auv_trim), rad
    double trim_pitch, trim_stern, trim_rudder, trim_aileron;

    int n; // waypoints; 0: keep heading and depth
    double point[MOST_WAYPOINTS][3];
    double radius; // m, within which one has been passed
    int next;      // the current target; n: after the last
} auv_pilot;

// The trim of a vehicle with the thrust and the heading of the pilot: no acceleration, no roll and
// a constant depth. Not found, and zero, where there is none within the limits of the pilot.
pcs_status auv_trim(const pcs_vehicle *vehicle, auv_pilot *pilot, bool *found);

// the control of the simulator for a pilot with quaternion records; after the last waypoint it
// keeps the course it had
int auv_by_pilot(void *pilot, double t, const double *x, double *u);

#endif
