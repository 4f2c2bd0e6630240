// The blocks of one island as the sweeps read them, in the order of the visits. Unknowns are the
// changes y = A^-1 H^T r of the velocities, angular ones in the inertial frame, so that
//
//     u = q + H y,   q = H v_free + shift
//
// and no rounding of v_free enters u.
#ifndef BODIES_PREPARED_H
#define BODIES_PREPARED_H

#include <stdatomic.h>

#include "bodies/bodies.h"
#include "local/coulomb.h"
#include "local/equality.h"

// what an island consists of: numbers of blocks and systems in b, places of systems in the island
typedef struct island {
    const bodies_problem *b;
    int nb, ns;
    const int *block, *sys;
    const int *place;
} island;

// A^-1 of a rigid body, its rotational block in the inertial frame
typedef struct body_inverse {
    double m;    // of the mass
    double K[9]; // of the rotational block
} body_inverse;

// Coulomb, levers along N alone, A of both bodies isotropic: W_ii = diag(wN, wT, wT). Spheres.
// Large piles wait for memory: t2 = N x t1 is made anew at every visit, and W_ii itself is not
// needed.
typedef struct round_contact {
    double N[3], t1[3], q[3];
    double c[2];   // levers along N
    double m[2];   // inverse masses
    double jc[2];  // c times the inverse inertias
    double iN, iT; // 1 / wN, 1 / wT
    double mu;
    int at[2]; // where the velocities start in y; -1: cannot move
    int row;   // where r starts, in the order of the visits
} round_contact;

// Coulomb, any two rigid bodies
typedef struct rigid_contact {
    double F[9], core[2][3], along[2], q[3];
    contact law;
    int at[2], sys[2], row;
} rigid_contact;

// one unilateral row between systems of at most ROW_WIDTH velocities, padded with zeros
enum { ROW_WIDTH = 6 };
typedef struct single_row {
    double J[2][ROW_WIDTH], Y[2][ROW_WIDTH];
    double q, inverse;
    int at[2], row;
} single_row;

// everything else: rows J and Y = A^-1 J^T of both sides
typedef struct general_block {
    pcs_cone cone;
    int dim, row;
    int at[2], width[2];
    double *J[2], *Y[2]; // dim x width, width x dim
    double *q, *scratch; // dim, 3 dim
    double inverse;      // unilateral
    equality e;
    contact law;
} general_block;

enum { VISIT_ROUND, VISIT_RIGID, VISIT_ROW, VISIT_GENERAL, VISIT_KINDS };

typedef struct visit {
    int kind, index; // in the array of that kind
} visit;

// velocities in y start at multiples of this many numbers: a cache line per body
enum { LINE = 8 };

// blocks that a thread takes together while they are prepared, copied in and out
enum { PREPARED_PIECE = 256 };

typedef struct prepared {
    island of;
    threads *team;
    int n;       // rows
    int *number; // of the visits: blocks by their number in b
    int *row;    // first rows of the pieces
    int *slot;   // of the systems of the island, by which those below are numbered; null: their own
    int *sys;    // ns, number in b
    visit *unit; // nb
    round_contact *round;
    rigid_contact *rigid;
    single_row *single;
    general_block *general;
    int kinds[VISIT_KINDS];
    double *s;          // nb, 1 / rho of theory 7.7 in the order of the visits
    body_inverse *body; // ns, rigid bodies only
    atomic_uchar *frame;
    int *at;         // ns + 1: where systems start in y
    double per_unit; // a power of two near 1 / the largest |q_i|; 1 when q = 0
} prepared;

// How the velocity of a system is swept.
enum {
    FRAME_OWN,      // as it is
    FRAME_TURNED,   // a rigid body with any A: angular velocity in the inertial frame
    FRAME_RIGID,    // the same, mass and rotation apart: `body` holds A^-1
    FRAME_ISOTROPIC // and its rotational block is K[0] times the identity
};

// order: blocks by their number in the island; rank: systems in the order in which they are to lie
// in y, or null. v_free of the whole problem. The same bits for any team
pcs_status prepared_make(const island *of, const int *order, int *rank, const double *v_free,
                         threads *team, pcs_arena *arena, prepared *out);

// the first row of visit k <= nb
int prepared_row(const prepared *p, int k);

// v = v_free + y for the systems of the island, both of the whole problem
void prepared_add(const prepared *p, const double *v_free, const double *y, double *v);

// between the order of the visits and the rows of the whole problem; what is gathered is projected
// on K
void prepared_gather(const prepared *p, const double *whole, double *mine);
void prepared_scatter(const prepared *p, const double *mine, double *whole);

#endif
