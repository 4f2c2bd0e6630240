// Shared by the files that confirm contacts: the contacts that take part, and the least overlap.
#ifndef STEP_CONFIRM_H
#define STEP_CONFIRM_H

#include "step/step.h"

// a property of a contact
typedef bool contact_fn(const trial *t, const candidate *c);

// true when it is one of shapes, active and not refuted
contact_fn contact_takes_part;

// true for a contact of two spheres: deep overlaps have the normal of the first touch, too
contact_fn contact_of_spheres;

// relative to the size of a shape: largest closed gap at q_k; least slop
#define CLOSED 1e-6

// Contacts that a coarse pass has confirmed are tested again after the next pass, but only where an
// impulse changes a speed by more than this fraction: each change costs a solution of the whole
// problem.
#define LATE 0.05

// m: overlap that does not count (slop): what the projection leaves, at least CLOSED of the smaller
// shape
double contact_slop(const trial *t, const candidate *c);

// refutes contacts with `acts` that another shape covers, or that are on an inner edge of a surface
// with a contact `lies` (inner.c)
pcs_status inner_edges(const trial *t, contact_fn *acts, contact_fn *lies, pcs_arena mem,
                       candidates *list, int *left_out);

#endif
