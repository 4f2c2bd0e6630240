// A recorded run for the tests of exports: every kind of shape, bodies that fall, spin, rest and
// stay, joints, a Lagrangian system, and names that would do harm where they are not escaped.
#ifndef TESTS_MOVING_SCENE_H
#define TESTS_MOVING_SCENE_H

#include <percuss/export.h>

#define MOVING_NAME "it's \"`id`\" </script> \\ @x ${y} \xc3\xa9"

enum {
    MOVING_STEPS = 80,
    MOVING_BALL = 1, // has MOVING_NAME
    MOVING_TWIN,     // has the same sphere, and joints
    MOVING_SPINNER,  // turns fast: its shapes are a capsule, and a box away from G
    MOVING_CYLINDER, // lies and never moves
    MOVING_HULL,
    MOVING_FIXED,      // a mesh
    MOVING_LAGRANGIAN, // has no pose
    MOVING_BODIES = MOVING_LAGRANGIAN
};

// writes the trajectory; `g` is gravity
void moving_scene_record(const char *path, double gx, double gy, double gz);
// exports that trajectory
void moving_scene_export(const char *path, pcs_export_kind kind, const pcs_export_def *def,
                         const char *out);
// its export fails and names the file
void moving_scene_not_written(const char *path, pcs_export_kind kind, const char *out);

// the pose of a body in an exported file, t seconds after its first frame; Q of any length
typedef void (*moving_pose_fn)(const void *file, int body, double t, double x[3], double Q[4]);
// every so many frames of the trajectory, from `first`, the file shows the bodies at their poses
void moving_scene_compare(const char *path, moving_pose_fn shown, const void *file, long first,
                          int every);

#endif
