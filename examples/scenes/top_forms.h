// One heavy top in three formulations, each as x' = f(t, x).
#ifndef EXAMPLES_SCENES_TOP_FORMS_H
#define EXAMPLES_SCENES_TOP_FORMS_H

#include <percuss/smooth.h>

#include "checks/top_motion.h"
#include "scenes/quaternion_body.h"
#include "scenes/simulation.h"

typedef enum top_form {
    TOP_QUATERNION, // Newton-Euler about the tip: x = (Q, omega)
    TOP_JOINT,      // a free body and a ball joint by multipliers: x = (X, Q, X', omega)
    TOP_ANGLES,     // Lagrange: x = (theta, phi, psi, theta', phi', psi'), R = Rz Ry Rz
    TOP_FORMS
} top_form;

const char *top_form_name(top_form form);

typedef struct top_system {
    top_form form;
    heavy_top top; // its tip held
    quaternion_body body;
    simulation joint; // scene and state of TOP_JOINT
    pcs_smooth *smooth;
    pcs_lagrange *lagrange;
    pcs_ode ode;
    double x0[13]; // leans along x, its axis turning about the vertical
} top_system;

// `hold`: of the joint. Release with top_close also when it failed.
pcs_status top_open(top_system *s, top_form form, const heavy_top *top, double turn,
                    const pcs_smooth_def *hold);
void top_close(top_system *s);

// the observed quantities of a state
typedef struct top_look {
    double Q[4], omega[3];
    double e[3], udot;           // the axis; rate of e[2]
    double energy, p_phi, p_psi; // about the vertical, about the axis
    double norm;                 // of Q as it is in the state
    double tip, tip_speed;       // of the joint, m, m/s
} top_look;

top_look top_see(const top_system *s, const double *x);

// the force of the joint on the tip, inertial; TOP_JOINT only
pcs_status top_reaction(const top_system *s, double t, const double *x, double F[3]);

#endif
