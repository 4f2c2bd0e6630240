// Private side of the point contact: levers GP = P - G, inertial components.
#ifndef RELATIONS_CONTACT_H
#define RELATIONS_CONTACT_H

#include <stdbool.h>
#include <stddef.h>

#include <percuss/contact.h>
#include <percuss/features.h>

// The pose of a body with its rotation matrix, which all features of the body share. Zeroed it is
// the world
typedef struct feature_pose {
    const double *q; // null: the world
    bool turned;     // R is known
    double R[9];
} feature_pose;

// sets a pose to q, whose numbers do not change while it is used
static inline void feature_pose_at(feature_pose *at, const double *q)
{
    if (at->q == q) return;
    at->q = q;
    at->turned = false;
}

// pcs_feature_gap at two poses
void feature_gap(const pcs_feature *f, feature_pose *one, feature_pose *two, pcs_gap *out);

// dP/dQ (3 x 4) from the lever GP of a body-fixed point
void lever_gradient(const double Q[4], const double GP[3], double dPdQ[12]);

// (N^T dP/dQ) (1 x 4) from the moment GP x N
void moment_gradient(const double Q[4], const double moment[3], double row[4]);

// the unit vector of a - b, two computed points, and their distance; zero and 0 when they
// coincide up to their rounding
double apart(const double a[3], const double b[3], double unit[3]);

#endif
