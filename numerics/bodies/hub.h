// Solves joints alone, also where many of them act on one body.
#ifndef BODIES_HUB_H
#define BODIES_HUB_H

#include "bodies/bodies.h"

// r with H v + shift = 0 to rounding, v = v_free + A^-1 H^T r; of several solutions the one of
// least norm, each block in units of its scale. All blocks are equalities. v: v_free on entry, the
// velocity that belongs to r on return; r, u (n) and the measure, without the rounding, are
// written. *units is the cost, in visits of a block by a sweep. PCS_ERR_UNSUPPORTED when
// factorisation fails
pcs_status bodies_joints(const bodies_problem *b, pcs_arena work, double *v, double *r, double *u,
                         pcs_measure *m, double *units);

#endif
