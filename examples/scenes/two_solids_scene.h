// Two solids at the moment of contact: spheres, a box on the ground or on another with a corner, an
// edge or a face, two boxes edge across edge. The contact is always at z = 0, the normal points up,
// the first solid is above.
#ifndef EXAMPLES_SCENES_TWO_SOLIDS_SCENE_H
#define EXAMPLES_SCENES_TWO_SOLIDS_SCENE_H

#include <stdbool.h>

#include <percuss/shape.h>

#define SOLIDS_WORDS "all|spheres|corner|edge|face|box-corner|box-edge|box-face|space"
enum { ALL, SPHERES, CORNER, EDGE, FACE, BOX_CORNER, BOX_EDGE, BOX_FACE, SPACE, SCENES };
extern const char *const solids_name[SCENES];

typedef struct solid {
    bool fixed;
    double mass, inertia[3]; // principal moments
    double x[3], Q[4];       // centre, orientation body to inertial
    double v[3], omega[3];   // inertial frame, body frame
} solid;

typedef struct touch_point {
    double P[3], N[3]; // inertial; N from the second into the first
} touch_point;

#define MOST_TOUCHES 4

typedef struct solids_def {
    double mass[2];    // kg
    double radius[2];  // of the spheres, m
    double size[2][3]; // edges of the boxes, m
    double speed,
        sideways;   // of the first, m/s; a free second moves in the opposite direction half as fast
    double spin[2]; // rad/s
} solids_def;

typedef struct scene {
    int kind;
    bool ground; // the second is a half-space
    solid body[2];
    pcs_shape shape[2];
    int n;
    touch_point contact[MOST_TOUCHES]; // where they touch
} scene;

// Spins are about oblique axes, or, for a motion in closed form, about a principal axis each.
scene solids_make(const solids_def *def, int kind, bool principal);

// the pose of a solid t seconds ago: closed form if it spins about a principal axis
solid solid_before(const solid *now, double t);

// true when the points of contact lie on the upper face of the second box
bool solids_fit(const scene *s);

// the smallest gap between the two at poses q, in reach or not
double solids_gap(const scene *s, double q[2][7]);

#endif
