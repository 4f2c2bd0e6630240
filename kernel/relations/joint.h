// What the built-in relations expect of the systems they are given.
#ifndef RELATIONS_JOINT_H
#define RELATIONS_JOINT_H

#include <percuss/relation.h>

// coordinates that each system of a built-in relation must have (0: as many as it likes, a
// relation by callbacks)
int relation_coordinates(const pcs_relation *relation);

#endif
