// What one block does, from r and u, and how far it is from doing something else.
#ifndef CERTIFICATE_VERDICT_H
#define CERTIFICATE_VERDICT_H

#include <percuss/certificate.h>

// the impulses that are complementary to the velocity of a block
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
    allowed allowed; // of an undecided block: all its possible statuses
    double e[2];     // of ALLOW_RAY: a unit vector against the slip
    double slip;     // |u_T|
    double push;     // s r_N
} verdict;

// s makes a velocity of an impulse; error is that of s r and u
PCS_API verdict verdict_of(const pcs_block *k, double s, double error, const double *r,
                           const double *u);

// what an undecided block is allowed
allowed verdict_doubt(const pcs_block *k, const verdict *v, double error);

#endif
