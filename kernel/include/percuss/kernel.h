/// @file
/// All of the kernel library and of what it builds on.
#ifndef PERCUSS_KERNEL_H
#define PERCUSS_KERNEL_H

#include <percuss/body.h>
#include <percuss/contact.h>
#include <percuss/euler.h>
#include <percuss/features.h>
#include <percuss/force.h>
#include <percuss/inertia.h>
#include <percuss/joint.h>
#include <percuss/meshes.h>
#include <percuss/model.h>
#include <percuss/motion.h>
#include <percuss/numerics.h>
#include <percuss/parts.h>
#include <percuss/planar.h>
#include <percuss/query.h>
#include <percuss/relation.h>
#include <percuss/rigid.h>
#include <percuss/rotation.h>
#include <percuss/save.h>
#include <percuss/shape.h>
#include <percuss/simulator.h>
#include <percuss/smooth.h>
#include <percuss/state.h>
#include <percuss/step.h>
#include <percuss/strength.h>
#include <percuss/touching.h>
#include <percuss/vehicle.h>

#endif
