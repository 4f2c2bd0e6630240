// An underwater vehicle in the simulator: the records, two kinds of physics, the log.
//
// Command record: thrust (N), then the deflection of each of four fins (rad). State record of the
// smooth physics: (X, Q, nu) or (X, Euler angles, nu), then the work (J) that damping, lateral
// force, thruster and fins have done since the start, integrated with the rest.
#ifndef EXAMPLES_SCENES_AUV_SCENE_H
#define EXAMPLES_SCENES_AUV_SCENE_H

#include "csv.h"

#include <percuss/kernel.h>

enum {
    AUV_FINS = 4,
    AUV_COMMANDS = 1 + AUV_FINS,
    AUV_RECORD = PCS_VEHICLE_STATE_SIZE + 1, // the longest state record
    AUV_WORK = PCS_VEHICLE_STATE_SIZE,       // where in a row of the track the work is
    AUV_TOLD = AUV_RECORD,                   // and the command
    AUV_ROW = AUV_RECORD + AUV_COMMANDS
};

#define AUV_COLUMNS                                                                        \
    "run,t,x,y,z,roll,pitch,yaw,u,v,w,p,q,r,thrust,fin1,fin2,fin3,fin4,kinetic,potential," \
    "work"

// contents of a state record
typedef enum auv_form {
    AUV_QUATERNION, // X, Q, nu, work
    AUV_EULER,      // X, roll pitch yaw, nu, work
    AUV_BODY        // q, v of a model: X, Q, velocity of O (inertial), omega
} auv_form;

// ---- physics

// settings of the integrator of the smooth system
typedef struct auv_method {
    const pcs_tableau *tableau;
    double h;   // s, fixed step; with tol the first one
    double tol; // 0: fixed steps; else rtol, and a hundredth of it as atol
    bool cut;   // steps end where a component of nu or the angle of attack of a fin is zero
} auv_method;

// Release with pcs_physics_release. The vehicle is borrowed.
pcs_status auv_smooth(const pcs_vehicle *vehicle, const auv_method *method, auv_form form,
                      pcs_physics *out);

// ---- runs

// The log of the display: AUV_ROW numbers for each of n times. Written also to `out`.
typedef struct auv_track {
    int n, room;
    double *t, *row;
    const pcs_vehicle *vehicle;
    auv_form form;
    csv *out;         // or null
    const char *name; // of the run
} auv_track;

typedef struct auv_sim {
    double h;      // s, one interval of the physics
    double period; // s, of control and display
    double t_end;  // s
    pcs_control_fn control;
    void *pilot; // passed to it
} auv_sim;

// Goes from x (X, Q, nu) with all commands zero until the control speaks. `track` is opened by
// auv_track_open and records the motion, up to a failure if there is one.
pcs_status auv_run(const auv_sim *sim, const pcs_physics *physics, const double *x,
                   auv_track *track);

pcs_status auv_track_open(auv_track *track, const pcs_vehicle *vehicle, auv_form form,
                          const char *name, const auv_sim *sim, csv *out);
void auv_track_close(auv_track *track);

// the row of number i; i = -1 is the last
const double *auv_row(const auv_track *track, int i);

// Root mean square of the distance of two tracks over their first n times. Not a number when one of
// them is shorter.
typedef struct auv_apart {
    double position; // of X, m
    double rest;     // of (Q, nu): 1, m/s, rad/s alike
    double rotation; // of (v, w, omega) alone: small numbers, which rounding spares the longest
} auv_apart;
auv_apart auv_distance(const auv_track *a, const auv_track *b, int n);

// What damping and the drag of fins have kinks at the zeros of: number i < 6 is that component of
// nu, the others are the angles of attack of the fins (rad), all relative to the water.
enum { AUV_KINKS = 6 + AUV_FINS };
double auv_kink(const pcs_vehicle *vehicle, const double Q[4], const double nu[6], const double *u,
                int i);

#endif
