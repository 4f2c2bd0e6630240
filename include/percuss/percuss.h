/// @file
/// The core of percuss: shapes, a model, its state and its steps, the contact problem and its
/// solvers, and problem files. Everything else has headers of its own, by subject (doc/api.md):
/// joints in <percuss/joint.h>, springs in <percuss/force.h>; <percuss/kernel.h> includes all of
/// the kernel.
#ifndef PERCUSS_PERCUSS_H
#define PERCUSS_PERCUSS_H

#include <percuss/base.h>
#include <percuss/model.h>
#include <percuss/problem.h>
#include <percuss/problem_file.h>
#include <percuss/relation.h>
#include <percuss/shape.h>
#include <percuss/solver.h>
#include <percuss/state.h>
#include <percuss/step.h>

#endif
