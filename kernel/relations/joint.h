// The conditions of the built-in relations on their systems.
#ifndef RELATIONS_JOINT_H
#define RELATIONS_JOINT_H

#include <percuss/relation.h>

// coordinates that each system of a built-in relation must have (0: any number, for a relation by
// callbacks)
int relation_coordinates(const pcs_relation *relation);

// true when a linear relation has coefficients beyond the centre of mass of a rigid body
bool relation_uses_quaternion(const pcs_relation *relation);

// PCS_ERR_ARG for parameters of a built-in relation that are not finite, or with which it has no
// gradient: a distance that is not positive, a linear relation of zeros only
pcs_status relation_check(const pcs_relation *relation);

// true for f = 0 at all times
bool time_is_zero(const pcs_time_function *f);
// true where its function of time counts: that of a motor also where it is zero
bool relation_has_time(const pcs_relation *relation);

// the two points that the first three rows of a built-in joint hold together, one after the other,
// each in the frame of its system; null for other relations
const double *relation_joint_points(const pcs_relation *relation);

// one system of a relation in motion: pose, velocity (null: at rest) and acceleration (null: none);
// q null: the world
typedef struct relation_side {
    const double *q, *v, *a;
} relation_side;

// The second derivative of a built-in relation between bodies along their motions, the terms in
// accelerations not given left out; false for relations by callbacks and for linear ones
bool relation_convective(const pcs_relation *relation, const relation_side *side1,
                         const relation_side *side2, double *gamma);

#endif
