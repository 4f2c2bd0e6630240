// What checks want to know of a run: sums and worst values over its steps, and how far bodies have
// moved, overlap and weigh.
//
//     run_tally tally = {0};
//     PCS_TRY(pcs_run(model, state, work, h, t_end, run_tally_step, &tally, NULL));
#ifndef EXAMPLES_CHECKS_RUN_TALLY_H
#define EXAMPLES_CHECKS_RUN_TALLY_H

#include <percuss/kernel.h>

// All zero at first.
typedef struct run_tally {
    long steps, iterations, contacts; // sums over the steps
    long loose;                       // steps that did not converge
    double overlap;                   // m, deepest at the end of a step
    double rise;                      // J, largest gain of kinetic + potential energy in a step,
                                      // without the work of the projection
    double closure;                   // J, worst of the energy ledgers
    double start, energy;             // J, kinetic + potential: at the start of the run, now
    double drift;                     // J, largest |energy - start|
    double open;                      // m, worst violation of a joint, also at the start
    double residual;                  // worst of the velocity problems
    pcs_state *mark; // gets a copy of the state after so many steps as `mark_at`; or null
    long mark_at;
} run_tally;

// The observer for pcs_run, `tally` a run_tally; other observers call it first.
int run_tally_step(void *tally, const pcs_model *model, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report);

// m, of the centre of the body that is farthest from where it was `then`
double tally_moved(const pcs_model *model, const pcs_state *then, const pcs_state *now);

// m, deepest overlap of all pairs of shapes, found without the broad phase and the contacts of the
// steps
pcs_status tally_overlap(const pcs_model *model, const pcs_state *state, double *deepest);

// N, sum of the weights of all bodies
double tally_weight(const pcs_model *model);

// N, the mean force of a shape of the world on all bodies in the last step
pcs_status tally_support(const pcs_work *work, int shape, double F[3]);

#endif
