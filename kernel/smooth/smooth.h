// Private side of the models as smooth systems.
#ifndef SMOOTH_SMOOTH_H
#define SMOOTH_SMOOTH_H

#include <percuss/smooth.h>

#include "model/model.h"

// an interaction that is a constraint
typedef struct smooth_joint {
    int interaction; // index
    int sys1, sys2;  // indices; sys2 -1: the world
    int row;         // its first row
} smooth_joint;

struct pcs_smooth {
    pcs_env env;
    const pcs_model *model;
    pcs_smooth_def def;
    int nq, nv, m;
    bool driven; // some joint connects a body with prescribed motion
    int n_joints;
    smooth_joint *joint;
    pcs_constrained *inner; // system of q and v; bodies with prescribed motion do not move in its q
    pcs_ode inner_ode;

    double *memory; // memory of the arrays below
    double *q;      // nq: coordinates of an evaluation, prescribed motions at their poses
    double *driven_q, *driven_v, *driven_a; // 7, 6, 6 per body with prescribed motion
    double *C1, *C2;                        // dim x nq, gradients of a joint
    double *J;                              // dim x nv, rows of one system
    double *q1, *q2, *qdot1, *qdot2;        // data of a joint, for differences
    double *rate;                           // dim, rates of a joint
    double *lambda;                         // m
    double *force[3];                       // nv of one system
    double *M;                              // nv x nv of one system
    double *element;                        // 4 nv, forces of one force element
};

// callbacks of `inner`, user a pcs_smooth: joints.c
int smooth_phi(void *user, double t, const double *q, double *phi);
int smooth_A(void *user, double t, const double *q, double *A);
int smooth_phi_t(void *user, double t, const double *q, double *phi_t);
int smooth_gamma(void *user, double t, const double *q, const double *v, double *gamma);

// poses and velocities of prescribed motions at t
pcs_status smooth_drive(pcs_smooth *sys, double t, double *driven_q, double *driven_v);

#endif
