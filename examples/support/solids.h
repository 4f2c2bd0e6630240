// Two solids as they touch: spheres, a box on the ground or on another with a corner, an edge or a
// face, two boxes edge across edge. Always at z = 0, the normal up, the first solid above.
#ifndef EXAMPLES_SOLIDS_H
#define EXAMPLES_SOLIDS_H

#include "hand.h"

#include <percuss/shape.h>

#define SOLIDS_WORDS "all|spheres|corner|edge|face|box-corner|box-edge|box-face|space"
enum { ALL, SPHERES, CORNER, EDGE, FACE, BOX_CORNER, BOX_EDGE, BOX_FACE, SPACE, SCENES };
extern const char *const solids_name[SCENES];

typedef struct solids_def {
    double mass[2];         // kg
    double radius[2];       // of the spheres, m
    double size[2][3];      // edges of the boxes, m
    double speed, sideways; // of the first, m/s; a free second comes the other way half as fast
    double spin[2];         // rad/s
} solids_def;

typedef struct scene {
    int kind;
    bool ground; // the second is a half-space
    hand_body body[2];
    pcs_shape shape[2];
    int n;
    hand_contact contact[HAND_MOST];
} scene;

// Spins are about oblique axes, or, for a motion in closed form, about a principal axis each.
scene solids_make(const solids_def *def, int kind, bool principal);

// whether the points of contact lie on the upper face of the second box
bool solids_fit(const scene *s);

#endif
