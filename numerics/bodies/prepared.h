// The blocks of one island as the sweeps read them, in the order of the visits. The unknowns are
// the changes y = A^-1 H^T r of the velocities, angular ones in the inertial frame, so that
//
//     u = q + H y,   q = H v_free + shift
//
// and the rounding of v_free does not enter u.
#ifndef BODIES_PREPARED_H
#define BODIES_PREPARED_H

#include <stdatomic.h>

#include "base/lanes.h"
#include "bodies/bodies.h"
#include "local/coulomb.h"
#include "local/equality.h"

// the contents of an island: numbers of its blocks and systems in b, places of the systems in the
// island
typedef struct island {
    const bodies_problem *b;
    int nb, ns;
    const int *block, *sys;
    const int *place; // null: the island is one block, its systems in the order of its sides
    pcs_far far;      // norms of its q; zero: |q|
} island;

// A^-1 of a rigid body, its rotational block in the inertial frame
typedef struct body_inverse {
    double m;    // inverse mass
    double K[9]; // inverse of the rotational block
} body_inverse;

// Coulomb, levers along N alone, A of both bodies isotropic: W_ii = diag(wN, wT, wT). Spheres.
// Memory limits the speed of large piles: t2 = N x t1 is computed at every visit, and W_ii is not
// stored.
typedef struct round_contact {
    double N[3], t1[3], q[3];
    double c[2];   // levers along N
    double m[2];   // inverse masses
    double jc[2];  // c times the inverse inertias
    double iN, iT; // 1 / wN, 1 / wT
    double mu;
    int at[2]; // first velocity in y; -1: cannot move
    int row;   // first entry of r, in the order of the visits
} round_contact;

// LANES round contacts without a common moving body, visited together in vector registers: lane by
// lane the arithmetic of a round_contact. s: that of the visits
typedef struct round_pack {
    lanes N[3], t1[3], q[3], c[2], m[2], jc[2], iN, iT, mu, s;
    int at[2][LANES];
    int n;   // lanes in use; the others stay open
    int row; // first entry of r: N of all lanes, then T1, then T2
} round_pack;

// Coulomb, any two rigid bodies
typedef struct rigid_contact {
    double F[9], core[2][3], along[2], q[3];
    contact law;
    int at[2], row;
} rigid_contact;

// LANES rigid contacts with friction and without a common moving body, visited together in vector
// registers. t2 = N x t1; K of the bodies is read at every visit.
typedef struct rigid_pack {
    lanes N[3], t1[3], q[3], core[2][3], along[2];
    lanes W[9], mu, s; // the inverse of W is computed at every visit: memory limits large heaps
    int at[2][LANES];
    int n;          // lanes in use; the others stay open
    bool isotropic; // K of every body is K[0] times the identity
    int row;        // first entry of r: N of all lanes, then T1, then T2
} rigid_pack;

// one unilateral row between systems of at most ROW_WIDTH velocities, padded with zeros
enum { ROW_WIDTH = 6 };
typedef struct single_row {
    double J[2][ROW_WIDTH], Y[2][ROW_WIDTH];
    double q, inverse;
    int at[2], row;
} single_row;

// any other block: rows J and Y = A^-1 J^T of both sides
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

enum {
    VISIT_PACK,
    VISIT_ROUND_PACK,
    VISIT_ROUND,
    VISIT_RIGID,
    VISIT_ROW,
    VISIT_GENERAL,
    VISIT_KINDS
};

static inline bool visit_is_packed(int kind)
{
    return kind == VISIT_PACK || kind == VISIT_ROUND_PACK;
}

typedef struct visit {
    int kind, index; // place in the array of that kind; of a lane: LANES times the place of its
                     // pack, plus the lane
} visit;

// velocities in y start at multiples of this many numbers: each body has its own cache line
enum { LINE = 8 };

typedef struct prepared {
    island of;
    threads *team;
    const int *cluster; // clusters + 1, into the visits: a thread takes whole clusters
    int clusters;
    int n;       // number of rows, including those of unused lanes
    int *number; // number in b of the block of each visit
    int *slot;   // new numbers of the systems, which the arrays below use; null: unchanged
    int *sys;    // ns, number in b
    visit *unit; // nb
    rigid_pack *pack;
    round_pack *round_pack;
    round_contact *round;
    rigid_contact *rigid;
    single_row *single;
    general_block *general;
    int kinds[VISIT_KINDS];
    double *s;          // nb, 1 / rho of theory 7.7 in the order of the visits
    body_inverse *body; // by prepared_body, rigid bodies only; first one of zeros
    atomic_uchar *frame;
    int *at; // ns + 1: first velocity of each system in y
} prepared;

// A^-1 of the body whose velocities start at `at`; zero for -1, a side that cannot move
static inline body_inverse *prepared_body(const prepared *p, int at)
{
    return &p->body[(at + LINE) / (unsigned)LINE];
}

// How the velocity of a system is represented in the sweeps.
enum {
    FRAME_OWN,      // unchanged
    FRAME_INERTIAL, // a rigid body with any A: angular velocity in the inertial frame
    FRAME_RIGID,    // the same, and mass and rotation are decoupled: `body` holds A^-1
    FRAME_ISOTROPIC // the same, and the rotational block is K[0] times the identity
};

// order: blocks by their number in the island, cluster by cluster (the clusters keep their blocks,
// and packs come first in each); rank: order of the systems in y, or null. v_free and the start r
// are those of the whole problem; r decides which contacts are packed together. The result has the
// same bits for any team
pcs_status prepared_make(const island *of, const int *order, const int *cluster, int clusters,
                         int *rank, const double *v_free, const double *r, threads *team,
                         pcs_arena *arena, prepared *out);

// The same for one block, in memory of its own and without a team; y has ONE_SIZE numbers. The
// struct has pointers into itself: do not copy it.
enum { ONE_SIZE = 2 * LINE };
typedef struct prepared_one {
    prepared p;
    int block, number, sys[2], at[3];
    atomic_uchar frame[2];
    visit unit;
    double s;
    body_inverse body[3];
    union {
        round_contact round;
        rigid_contact rigid;
        single_row single;
    } of;
} prepared_one;

// false for a general block, and for a block between a system and itself
bool prepared_make_one(const bodies_problem *b, int block, const double *v_free, prepared_one *out);

// the first row of visit k <= nb
int prepared_row(const prepared *p, int k);

// v = v_free + y for the systems of the island, both of the whole problem
void prepared_add(const prepared *p, const double *v_free, const double *y, double *v);

// copy between the order of the visits and the rows of the whole problem; gathered impulses are
// projected on K
void prepared_gather(const prepared *p, const double *whole, double *mine);
void prepared_scatter(const prepared *p, const double *mine, double *whole);

#endif
