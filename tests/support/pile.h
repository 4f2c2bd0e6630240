// Contact problems of bodies for the tests of numerics/bodies: piles of spheres, towers of boxes,
// chains, and mixtures with joints and Lagrangian systems.
#ifndef SUPPORT_PILE_H
#define SUPPORT_PILE_H

#include "bodies/bodies.h"
#include "support.h"

typedef struct pile {
    bodies_problem b;
    double *v_free; // A.start[A.nb]
    double *mass;   // as v: the diagonal of the mass, where it is diagonal
    double *x;      // 3 per system: where the body is
} pile;

typedef enum pile_kind {
    PILE_SPHERES, // a jittered lattice on the ground, some contacts still apart
    PILE_BOXES,   // towers of boxes, four contacts a face, pushed
    PILE_MIXED,   // spheres and boxes, joints between some, planar and frictionless contacts,
                  // Lagrangian systems of several widths on rows
    PILE_LOOSE,   // many small islands of all these
    PILE_HEAVY,   // a tower of boxes, each ten times heavier than the one below
    PILE_COUNT
} pile_kind;

// about n blocks; memory from malloc, released by pile_free
pile pile_make(pile_kind kind, int n, uint64_t seed);
void pile_free(pile *p);

#endif
