// Boxes in a row, each joined to the next by rods, that start in violation: their lowest corners in
// the floor z >= 0 (unilateral), their ball joints apart (bilateral), or both.
#ifndef EXAMPLES_SCENES_ROW_OF_BOXES_H
#define EXAMPLES_SCENES_ROW_OF_BOXES_H

#include <percuss/kernel.h>

enum { MOST_BODIES = 5, NQ = 7 * MOST_BODIES, NV = 6 * MOST_BODIES, ROWS = 11 * MOST_BODIES };
enum { UNILATERAL, BILATERAL, BOTH, KINDS };
extern const char *const boxes_kind[KINDS];
extern const double boxes_edge[3]; // m

typedef struct boxes_def {
    int n, seed;
    double sink, apart; // m
    double tilt;        // rad
} boxes_def;

typedef struct row_of_boxes {
    int kind, n;
    double mass[MOST_BODIES], inertia[MOST_BODIES][9];
    double q[NQ];             // in violation
    double anchor[3];         // of the joint of a single body with the world
    double left[3], right[3]; // where joints are, body frame
} row_of_boxes;

// places and tilts drawn from the seed
row_of_boxes boxes_make(const boxes_def *def, int kind);

// The floor as a relation defined by the user: the heights of the eight corners of a box, and C =
// dg/dq1 (8 x 7, column-major). Percuss could see them from shapes, but then only corners near the
// floor.
int corner_heights(void *user, const double *q1, const double *q2, double *g);
int corner_gradients(void *user, const double *q1, const double *q2, double *C1, double *C2);

// all constraints at a configuration, as a position step needs them: dense, column-major
typedef struct constraints {
    int m;
    pcs_cone kind[ROWS];
    double g[ROWS];      // gaps
    double C[ROWS * NQ]; // dg/dq, m x 7n, from gradients of points
    double T[NQ * NV];   // dq/dt = T v, 7n x 6n
} constraints;

void boxes_evaluate(const row_of_boxes *s, const double *q, constraints *at);

// the mass, 6n x 6n
void boxes_mass(const row_of_boxes *s, double M[NV * NV]);

// distances that the bodies have moved
typedef struct distance {
    double moved, turned;  // largest of a centre, m; of an orientation, rad
    double centre_of_mass; // m
} distance;

distance boxes_distance(const row_of_boxes *s, const double *a, const double *b);

#endif
