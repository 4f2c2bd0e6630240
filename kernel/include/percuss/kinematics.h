/// @file
/// Rotations, rigid motions, bodies, mass properties and the geometry of a contact, without a
/// model.
#ifndef PERCUSS_KINEMATICS_H
#define PERCUSS_KINEMATICS_H

#include <percuss/body.h>
#include <percuss/contact.h>
#include <percuss/euler.h>
#include <percuss/inertia.h>
#include <percuss/rigid.h>
#include <percuss/rotation.h>

#endif
