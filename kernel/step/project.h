// What a projection acts on, and one linearised step of it: dq so that g + C dq obeys the rows.
#ifndef STEP_PROJECT_H
#define STEP_PROJECT_H

#include "step/step.h"

typedef struct project_set {
    int n;
    candidate **row; // n
    int rows;        // gaps of them all
    pcs_cone *kind;  // rows
} project_set;

// at most `steps` linearised steps on the active candidates and joints of a trial
pcs_status step_project_rounds(trial *t, int steps, pcs_arena mem, pcs_step_report *out);

// shortest dq (nq) in the mass metric, on the velocities of bodies: any number of rows
pcs_status project_in_mass(trial *t, const project_set *set, const double *g,
                           const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                           pcs_outcome *outcome);
// and in any other, with rows written out
pcs_status project_in_metric(const trial *t, const project_set *set, const double *g,
                             const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                             pcs_outcome *outcome);

#endif
