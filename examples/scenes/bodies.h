// Rigid spheres and boxes above planes, as plain numbers: a scene of many bodies that does not
// depend on any engine. SI units; quaternions scalar first; angular velocities in body axes.
#ifndef EXAMPLES_SCENES_BODIES_H
#define EXAMPLES_SCENES_BODIES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rigid {
    bool fixed;
    double radius;         // m, of a sphere; 0: a box
    double half[3];        // m, half edges of a box
    double mass;           // kg
    double inertia[3];     // kg m^2, principal moments, along the body axes
    double position[3];    // of G
    double orientation[4]; // body to inertial, unit
    double velocity[3], omega[3];
} rigid;

enum { MOST_PLANES = 5 };

typedef struct bodies {
    int n;
    rigid *body;
    int planes;
    double plane[MOST_PLANES][4]; // outward of the solid: it is n . x <= d, (n, d), n unit
    double gravity[3];
    double mu;         // everywhere; restitution is 0
    double h;          // s
    int steps;         // the scene lasts
    int perturb_at;    // step before which bodies_perturb is called, or -1
    double still_from; // s, the time since which nothing should move; INFINITY: no such claim
    double size;       // m, to which overlaps are compared: a diameter, an edge
} bodies;

// n bodies at rest, all zero but for their orientation, and nothing else; false: no memory
bool bodies_create(bodies *s, int n);

// Accepts zeroed.
void bodies_destroy(bodies *s);

// Makes a body a solid sphere or box of a density (kg/m^3).
void rigid_sphere(rigid *b, double radius, double density);
void rigid_box(rigid *b, double hx, double hy, double hz, double density);

// the half-space n . x <= d
void bodies_add_plane(bodies *s, double nx, double ny, double nz, double d);

// xorshift64, started at 88172645463325252: uniform in [0, 1), the same on every machine
typedef struct draws {
    unsigned long long s;
} draws;
draws draws_begin(void);
double draw(draws *from);

// Moves and pushes every body that is not fixed, by at most 1e-3 m in each direction (never down:
// what stands on a floor must not be pushed into it) and 1e-2 m/s and 1e-2 rad/s. q has 7 and v 6
// entries for every body, also for the fixed ones.
void bodies_perturb(const bodies *s, double *q, double *v);

#ifdef __cplusplus
}
#endif

#endif
