// The command line of auv.
#ifndef EXAMPLES_FLAGS_AUV_FLAGS_H
#define EXAMPLES_FLAGS_AUV_FLAGS_H

#include "flags/run_flags.h"
#include "scenes/auv_pilot.h"

typedef enum auv_control { AUV_NONE, AUV_HEADING, AUV_WAYPOINTS, AUV_ALL } auv_control;

// touching down and what follows
typedef struct auv_floor {
    double excess, mu;               // N, of weight over buoyancy; friction
    double altitude;                 // m, of the hull at the start
    double radius, length;           // m, of the hull: a capsule, its length without the caps
    double h, theta, tol;            // s; of the scheme; of the velocity problems
    double thrust, dive;             // N, rad: going down
    double t_stop, t_stick, t_slide; // s: thrust off, thrust below and above what friction holds
    double t_end;
    double stick, slide; // thrust over mu (W - B)
} auv_floor;

typedef struct settings {
    pcs_vehicle_def def;
    double x0[PCS_VEHICLE_STATE_SIZE];

    const char *method;
    pcs_tableau *tableau;
    double h, tol, period;
    bool cut;
    int study;
    double order_within, reach; // of the orders; error of the shortest steps

    int control; // auv_control
    auv_table table;
    double t_end, surge;
    auv_pilot pilot;
    double t_heading, t_waypoints, heading_within;
    bool floor;
    auv_floor down;
    run_settings run; // of the scene: table and files

    double *commands, *foil; // what was read from files, or null
} settings;

// Reads the flags, to be released with release_flags; or prints why not and ends the program.
void read_flags(settings *set, int argc, char **argv);
void release_flags(settings *set);

// Reads numbers from a text of `columns` cells a line, separated by commas; empty lines, lines that
// begin with # and one that names the columns are passed over. *rows (to be freed) has n rows; a
// table that cannot be read ends the program.
void read_table(const char *path, int columns, const char *what, double **rows, int *n);

#endif
