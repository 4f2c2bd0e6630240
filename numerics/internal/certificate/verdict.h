// The status of one block, from r and u, and its distance from another status.
#ifndef CERTIFICATE_VERDICT_H
#define CERTIFICATE_VERDICT_H

#include <percuss/certificate.h>

// the set of impulses that are complementary to the velocity of a block
typedef enum allowed {
    ALLOW_NOTHING, // r = 0
    ALLOW_NORMAL,  // r_N >= 0, r_T = 0
    ALLOW_RAY,     // r_N (1, mu e), r_N >= 0
    ALLOW_CONE,    // K
    ALLOW_ALL      // R^d
} allowed;

typedef struct verdict {
    pcs_contact_status status;
    double margin;   // a velocity
    allowed allowed; // set of an undecided block: that of all its possible statuses
    double e[2];     // ALLOW_RAY: a unit vector against the slip
    double slip;     // |u_T|
    double push;     // s r_N
} verdict;

// s converts an impulse to a velocity; error is that of s r and u
PCS_API verdict verdict_of(const pcs_block *k, double s, double error, const double *r,
                           const double *u);

// the set of an undecided block
allowed verdict_doubt(const pcs_block *k, const verdict *v, double error);

#endif
