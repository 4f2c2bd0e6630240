/// @file
/// All of the numerics library.
#ifndef PERCUSS_NUMERICS_H
#define PERCUSS_NUMERICS_H

#include <percuss/base.h>
#include <percuss/bodies.h>
#include <percuss/bsr.h>
#include <percuss/certificate.h>
#include <percuss/global.h>
#include <percuss/linalg.h>
#include <percuss/lti.h>
#include <percuss/mechanics.h>
#include <percuss/ode.h>
#include <percuss/plant.h>
#include <percuss/position.h>
#include <percuss/problem.h>
#include <percuss/root.h>
#include <percuss/solver.h>
#include <percuss/solver_table.h>
#include <percuss/tableau.h>

#endif
