// A generated family of friction problems: scenes of family_kinds.c with masses, friction and loads
// drawn from fixed seeds. The same bits on every machine, in the global form and condensed.
//
// Every member has a solution. Most carry the certificate of Acary, Cadoux, Lemarechal and Malick
// (ZAMM 91, 2011): a velocity `away` with H away in the interior of K* on every contact, zero on
// joints; then H v + w is there too for a multiple v of it, whatever f and w are (w is zero on
// joints). The others are made from their solution: r and u that obey the law are drawn, and w
// follows.
#ifndef BENCH_FAMILY_H
#define BENCH_FAMILY_H

#include <stdbool.h>
#include <stdint.h>

#include <percuss/global.h>

typedef enum family_load {
    FAMILY_REST,   // gravity
    FAMILY_SLIDE,  // gravity on a slope about as steep as mu
    FAMILY_PUSH,   // gravity and a random push on every body
    FAMILY_IMPACT, // everything falls and tumbles; w = e u_N of what approaches
    FAMILY_SHAKE,  // gravity, and the ground moves
    FAMILY_LOADS
} family_load;

extern const char *const family_load_name[FAMILY_LOADS];

typedef struct family_member {
    char name[32]; // kind and size asked for: "wall-150"; "wall-150b", "wall-850c" with other draws
    const char *kind; // "wall"
    family_load load;
    bool planted;   // constructed from its solution
    int contacts;   // unilateral and Coulomb blocks
    int bodies;     //
    int freedom;    // rank W is at most this: 6 per body that is touched, 3 in the plane
    double mu[2];   // smallest and largest
    double mass[2]; //
    double e;       // restitution of FAMILY_IMPACT
    pcs_global_problem g;
    pcs_problem p;                // condensed by family_condense; empty before
    const double *M;              // 36 per body, column-major: the blocks of g.M
    const double *away;           // 6 per body, or null where planted
    const double *r;              // a solution of g and p where planted, else null
    struct family_memory *memory; // private
} family_member;

// The members, and those with 114 more of 600 to 5000 contacts after them
int family_count(void);
int family_count_all(void);

// Member i of family_count_all() in the global form; and its approximate number of contacts without
// constructing it.
void family_create(int i, family_member *out);
const char *family_kind(int i);
int family_size(int i);

// Also the local form.
void family_condense(family_member *m);
// Rank of W, dense: for small members. W must have been condensed.
int family_rank(const family_member *m);

// A number for all bits of M, H, f, w, mu: equal on every machine.
uint64_t family_hash(const family_member *m);
void family_destroy(family_member *m);

#endif
