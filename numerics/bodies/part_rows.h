// An island with the rows of its blocks as a sparse H: the form in which methods that are the same
// for W and for bodies (ipm, admm) solve it. Their iterates are tracked on its terms, which measure
// r on the velocities.
#ifndef BODIES_PART_ROWS_H
#define BODIES_PART_ROWS_H

#include "bodies/task.h"

typedef struct part_rows {
    part p;
    pcs_global_problem g; // M is A; f is null
    global_terms terms;   // terms.local: the cones, q, and the diagonal blocks of W
} part_rows;

pcs_status part_rows_open(const island_task *t, pcs_arena *arena, part_rows *out);

// ready for track_measure on the terms; false: the arena is too small
bool part_rows_track(island_task *t, part_rows *x, const pcs_solver_opts *o, pcs_arena *arena,
                     solver_track *out);

// Ends the track: r, u and v of the island, and its report with `units`
pcs_status part_rows_close(island_task *t, part_rows *x, const solver_track *track, double units);

#endif
