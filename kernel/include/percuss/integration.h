/// @file
/// Smooth motion: Runge-Kutta methods, systems of differential equations, Lagrangians and
/// constraints, plants and linear systems, a model as a smooth system, the simulator.
#ifndef PERCUSS_INTEGRATION_H
#define PERCUSS_INTEGRATION_H

#include <percuss/lti.h>
#include <percuss/mechanics.h>
#include <percuss/ode.h>
#include <percuss/plant.h>
#include <percuss/root.h>
#include <percuss/simulator.h>
#include <percuss/smooth.h>
#include <percuss/tableau.h>

#endif
