// Joints between two frames: one table of kinds, made of few primitives.
#ifndef RELATIONS_JOINT_KINDS_H
#define RELATIONS_JOINT_KINDS_H

#include <percuss/joint.h>

#include "relations/joint.h"

// true for a relation made by pcs_relation_joint, ball and distance joints excluded, and for limits
bool joint_is(const pcs_relation *relation);
// true for limits only; these without their restitution
bool joint_is_limits(const pcs_relation *relation);
void joint_read_limits(const pcs_relation *relation, pcs_joint_limits *out);

// true for a coordinate of a joint; the joint that it belongs to and its number
bool joint_is_coordinate(const pcs_relation *relation);
void joint_read_coordinate(const pcs_relation *relation, pcs_interaction *joint, int *number);
// id of the joint that limits, a motor or friction belong to; 0 for other relations
int joint_of_coordinate(const pcs_relation *relation);
// rows per unit of what they hold: the arm for the row of an angle, else 1; *turn: the row after a
// whole turn, 0 where there are none
double joint_row_size(const pcs_relation *relation, double *turn);

// number of the first rows of a joint that hold positions: their impulse is the force
int joint_force_rows(const pcs_relation *relation);

// true when its first three rows are P1 - P2, as of a ball joint
bool joint_holds_points(const pcs_relation *relation);

// frames and parameters of a joint relation, ball and distance joints included; false for others
bool joint_read(const pcs_relation *relation, pcs_joint_def *out);

// PCS_ERR_ARG for frames or parameters that are not valid
pcs_status joint_check(const pcs_relation *relation);

// sum of the rows as relation_convective
void joint_convective(const pcs_relation *relation, const relation_side *side1,
                      const relation_side *side2, double *gamma);

// the free coordinates of a kind and their rates; returns how many
int joint_coordinates(const pcs_joint_def *def, const relation_side *side1,
                      const relation_side *side2, double position[4], double speed[4]);

// cosine of the angle between two axes that the joint holds parallel, and its three axes if it
// holds all; the smallest of them, 1 where it holds none
double joint_alignment(const pcs_joint_def *def, const double *q1, const double *q2);

const char *joint_word(pcs_joint_kind kind);

#endif
