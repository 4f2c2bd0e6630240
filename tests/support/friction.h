// Families of friction problems for the tests of solvers and for the bench.
#ifndef SUPPORT_FRICTION_H
#define SUPPORT_FRICTION_H

#include "problems.h"

typedef enum friction {
    FRICTION_DENSE,     // W = G G' / m + I/10, mu from 0 to 1.2, modes mixed; solution constructed
    FRICTION_SKEWED,    // the same plus a skew part
    FRICTION_DEFICIENT, // W of half rank; solution constructed
    FRICTION_PLANAR,    // as FRICTION_DENSE with blocks of two rows
    FRICTION_MIXED,     // equality, unilateral and both kinds of Coulomb blocks; constructed
    FRICTION_SPHERES,   // a pyramid of spheres on the ground, pushed; block-sparse H M^-1 H'
    FRICTION_BOXES,     // a tower of boxes, four contacts between two: rank W = 6 of 12 per box
    FRICTION_GYRO, // the tower with an unsymmetric perturbation of 1e-3 in the blocks of bodies
    FRICTION_COUNT
} friction;

extern const char *const friction_name[FRICTION_COUNT];

// Problem `seed` of a family with about nc contacts, from the arena. *solution (n) is one, or null
// where none was constructed (one exists in all families).
pcs_problem friction_problem(friction f, int nc, uint64_t seed, pcs_arena *arena,
                             double **solution);

// bytes of arena that suffice
size_t friction_bytes(friction f, int nc);

// |r - P(r - s(u)) / ...| of theory 7.7 for a whole problem, W dense, in the plain form
double slow_residual(const pcs_problem *p, const double *r, pcs_arena arena);

// Extreme k: four contacts of a family, with q, mu or W multiplied by a size from 1e-300 to 1e300
// (mu made so large)
enum { FRICTION_EXTREMES = 6 * 3 * FRICTION_COUNT };
pcs_problem friction_extreme(int k, pcs_arena *arena);

// columns N, T1, T2 from a unit normal
void frame_of(const double N[3], double F[9]);

#endif
