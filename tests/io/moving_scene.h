// A recorded run for the tests of exports: every kind of shape, bodies that fall, spin, rest and
// stay, joints, a Lagrangian system, and names that would do harm where they are not escaped.
#ifndef TESTS_MOVING_SCENE_H
#define TESTS_MOVING_SCENE_H

#include <percuss/trajectory.h>

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

#endif
