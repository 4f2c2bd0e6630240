// A box in free flight over the ground z = 0, as smooth differential equations.
#ifndef EXAMPLES_CHECKS_FREE_BOX_H
#define EXAMPLES_CHECKS_FREE_BOX_H

#include <stdbool.h>

#include <percuss/base.h>

// pose q = (x, Q) and velocity v = (of the centre, inertial; omega, body axes)
typedef struct free_box {
    double mass, size[3], gravity;
    double J[3]; // principal moments, along the edges
} free_box;

free_box free_box_make(double mass, const double size[3], double gravity);

// vertex i = 0 .. 7, inertial: bit k of i says which end of edge k; and the height of the lowest
void free_box_vertex(const free_box *box, const double q[7], int i, double P[3]);
double free_box_lowest(const free_box *box, const double q[7]);

// kinetic energy, and with it that of gravity, J; R J omega, inertial
double free_box_kinetic(const free_box *box, const double v[6]);
double free_box_energy(const free_box *box, const double q[7], const double v[6]);
void free_box_spin(const free_box *box, const double q[7], const double v[6], double L[3]);

// state at the end of a flight
typedef struct free_flight {
    double t, q[7], v[6];
    int vertex; // that reached the ground; -1: none, the time asked for was reached
    long steps;
} free_flight;

// From q, v at t = 0 by Dormand-Prince to t_end, or until the first vertex comes down to z = 0.
pcs_status free_box_fly(const free_box *box, double rtol, const double q[7], const double v[6],
                        double t_end, free_flight *out);

#endif
