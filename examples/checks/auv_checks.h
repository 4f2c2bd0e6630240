// Checks of the vehicle: open loop, under control, on the floor.
#ifndef EXAMPLES_CHECKS_AUV_CHECKS_H
#define EXAMPLES_CHECKS_AUV_CHECKS_H

#include "checks.h"
#include "flags/auv_flags.h"

enum { MOST_LEVELS = 9 };

// one case to run many times: a vehicle, its start, its pilot
typedef struct auv_case {
    const settings *set;
    const pcs_vehicle *vehicle;
    const char *name;
    double x0[PCS_VEHICLE_STATE_SIZE];
    double t_end;
    const auv_table *table;
    auv_pilot pilot; // used when there is no table
} auv_case;

auv_case auv_case_make(const settings *set, const pcs_vehicle *vehicle, const char *name,
                       double t_end);

// Runs it; track must be closed, also after an error. The pilot restarts; `end`, if not null,
// is the pilot as it is at the end.
pcs_status auv_case_run(const auv_case *c, const auv_method *method, auv_form form, csv *out,
                        auv_track *track, auv_pilot *end);

// the method of the flags, with its longest step
auv_method auv_chosen(const settings *set);

// The case by Gauss' method of order 8 with a quarter of --h and steps that end at kinks. `track`
// is to be closed.
pcs_status auv_reference(const auv_case *c, auv_form form, auv_track *track);

// Runs the case by the method that was chosen, and its first --tend seconds by that of the
// reference, and checks one against the other.
typedef pcs_status auv_check_fn(const auv_case *c, const auv_track *track,
                                const auv_track *reference, checks *list);
pcs_status auv_compare(const auv_case *c, auv_check_fn *check, csv *out, checks *list);

// errors, and how far the energy balance is off
typedef struct auv_levels {
    int n, order;
    double h[MOST_LEVELS], balance[MOST_LEVELS];
    auv_apart error[MOST_LEVELS];
    double observed, slope; // order of (v, w, omega): of the shortest three, and of all
} auv_levels;

// Halves h --study times, compares the first --tend seconds with the reference and prints a line
// each.
pcs_status auv_study(const auv_case *c, const pcs_tableau *tableau, const auv_track *reference,
                     auv_levels *out);

// the rows of the order and of the error that is reached
void auv_check_levels(const auv_case *c, const auv_levels *levels, const auv_track *reference,
                      const char *method, checks *list);

// largest |E - E0 - work| over a track, J
double auv_balance(const auv_track *track);

// True when nothing turns or lifts the level vehicle as it goes straight ahead with centred fins,
// in still water: null, or else why not.
const char *auv_not_straight(const pcs_vehicle_def *def);

// number of sign changes of a quantity with a kink between the rows of the track
int auv_sign_changes(const auv_track *track);

// the three parts; each prints its table of checks
pcs_status auv_open_loop(const settings *set, csv *out, checks *list);
pcs_status auv_under_control(const settings *set, bool waypoints, csv *out, checks *list);
pcs_status auv_touch_down(const settings *set, csv *out, checks *list);

// the scene of the last part with its first command held, for settings
pcs_status auv_dive(const void *user, pcs_scene **out);

#endif
