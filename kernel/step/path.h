// The paths of two bodies through a step, and the first meeting of their shapes on them.
#ifndef STEP_PATH_H
#define STEP_PATH_H

#include "step/step.h"

typedef struct body_path {
    const double *q; // pose at the start; null: the world
    double d[6];     // translation (m, inertial) and rotation vector (rad, body axes)
} body_path;

// q = the pose at 0 <= s <= 1
void path_pose(const body_path *p, double s, double q[7]);

// the path from q_k of a system with the velocities v at the end of the step (nv of the model)
pcs_status path_of(const trial *t, int system, const double *v, pcs_arena mem, body_path *out);

// a pair of shapes on the paths of their bodies
typedef struct pair_meeting {
    int shape1, shape2;
    body_path path1, path2;
    bool meets;
    int looks;           // collision queries that this took
    double s;            // where, and:
    double q1[7], q2[7]; // the poses there
    int n; // number of features there that may close on the rest of the path, with gaps from
    pcs_feature *f; // -depth on; the first is the closest
} pair_meeting;

// the paths of the two bodies of a contact with these velocities; the other fields are zero
pcs_status path_of_pair(const trial *t, const candidate *c, const double *v, pcs_arena mem,
                        pair_meeting *m);

// The first s at which the shapes overlap by depth (m; negative: come as near as -depth): sets
// `meets` and the fields after it. The features are from the arena.
pcs_status path_meet(const trial *t, double depth, pcs_arena *mem, pair_meeting *m);

// bound on the distance that the rotations on both paths move a surface point (m)
double path_rotation(const trial *t, const pair_meeting *m);

typedef enum meeting_row {
    MEETING_PLAIN,
    MEETING_AT_ONCE,   // its law acts on u' even if a gap remains
    MEETING_OF_CENTRES // without levers: holds the centres, however the bodies rotate
} meeting_row;

// adds feature f of a meeting on paths with the velocities v to the list
pcs_status step_add_meeting(const trial *t, const pair_meeting *m, const pcs_feature *f,
                            const double *v, meeting_row row, pcs_arena *mem, candidates *list);

#endif
