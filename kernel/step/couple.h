// Force elements in a step: systems that they connect share one block of the iteration matrix.
#ifndef STEP_COUPLE_H
#define STEP_COUPLE_H

#include "forces/forces.h"
#include "linalg/block_sparse.h"
#include "step/step.h"

// more unknowns of one end make a dense matrix of a system with sparse matrices
enum { COUPLED_COLUMNS = 192 };

// the unknowns of a system that move one end of an element; block -1: nothing moves it
typedef struct coupled_end {
    int block, n, *column;
} coupled_end;

// The joined blocks of A, in the order of their first systems. Null in a trial without force
// elements
typedef struct coupling {
    int n;
    int *of, *place; // per block of the model: joined block, first place in the joined order
    int *members;    // per joined block: blocks of the model in it
    int *start;      // n + 1, places of the velocities of each joined block
    size_t *off;
    unsigned char *kind;
    double *R; // 9 each, of blocks with one body that are solved
    block_lu F;
    size_t values; // numbers of the dense blocks
    // the systems that share large blocks, as one sparse one (couple_sparse.c)
    int sparse;             // joined block, or -1
    int nodes, *node;       // its blocks; per block of the model the first of them, or -1
    bool split;             // a system with sparse matrices has several of them
    coupled_end *end;       // 2 per element on such systems (couple_posed.c), or null
    int *node_start;        // nodes + 1: their places in its vector
    int *first, *neighbour; // per node: those in its columns, ascending
    block_sparse A;
    // the blocks that the contact problem is solved on: those above, but of the sparse one the
    // systems that contacts touch, or each of its systems
    block_lu solved;
    bool apart;                       // each of its systems
    int *solved_of;                   // per block of the model
    int *solved_start, *solved_place; // place -1: not touched
    int *solved_column;               // of systems with sparse matrices, per velocity of the model
                                      // its place, or -1; null: there are none
    system_force at_start;            // forces of all elements at the start
    double *rounding;                 // per velocity: square of the rounding of their forces in R
} coupling;

// the joined blocks of a step, from the arena
pcs_status couple_begin(const trial *t, pcs_arena *mem, coupling **out);
// the pattern of the sparse block; where the values of two systems are in it, and the distance of
// their columns; its factors, in the work
pcs_status sparse_begin(const trial *t, pcs_arena *mem, coupling *c);
void sparse_clear(coupling *c);
double *sparse_slot(const trial *t, int row, int column, size_t *stride);
// the number of velocity i of a block of the model and velocity j of another one
double *sparse_number(const trial *t, const coupling *c, int row, int i, int column, int j);
// the values of a system with sparse matrices
void sparse_put(const trial *t, int b, coupling *c);
// The squares of the rounding of an element in R, from that of its coordinates and velocities, one
// for each velocity of its sides
void couple_rounding(const trial *t, const model_force *f, const force_side side[2],
                     const double *K, const double *D, double *square);
// Elements with a body that a system with sparse matrices carries: those of couple.c for all others
bool posed_element(const pcs_model *m, const model_force *f);
pcs_status posed_ends(const trial *t, pcs_arena *mem, coupling *c);
pcs_status posed_predict(const trial *t, const model_force *f, const force_side side[2],
                         pcs_arena mem, force_sum F);
pcs_status posed_add(const trial *t, const model_force *f, const force_side side[2], pcs_arena mem,
                     coupling *c);
pcs_status sparse_factorise(const trial *t);
// the blocks that the contact problem is solved on
pcs_status sparse_problem(const trial *t, const bodies_problem *problem, pcs_arena *mem);
// forces at t_k, into at_start
pcs_status couple_start(const trial *t, pcs_arena mem);
// adds those on a system to F
void couple_add_start(const trial *t, const model_system *s, system_force F);
// adds the forces at the end to F1 and R; `first`: linearised at the start
pcs_status couple_evaluate(const trial *t, bool first, pcs_arena mem, motion *end);
// factors of all joined blocks
pcs_status couple_factorise(const trial *t, pcs_arena mem);
// x = A^-1 x for all systems, in the order of the model; x = the part of block b of A^-1 p
pcs_status couple_solve(const trial *t, pcs_arena mem, double *x);
pcs_status couple_solve_block(const trial *t, int b, const double *p, pcs_arena mem, double *x);
// The problem on the joined blocks becomes the one to be solved, with v in their order; velocities
// back to the order of the model
pcs_status couple_problem(const trial *t, const bodies_problem *problem, double *v, pcs_arena *mem,
                          solution *to, double **joined_v);
pcs_status couple_velocities(const trial *t, const solution *s, pcs_arena mem, double *joined_v,
                             double *v);
// true for a system with sparse matrices, which several nodes of the sparse block have
bool couple_is_split(const pcs_model *m, const coupling *c, int b);
// number of elements within the sparse block: its factors cost as much as many contacts
int couple_sparse_elements(const trial *t);
// true when an element connects two moving systems
bool couple_joins(const pcs_model *m, const model_force *f);
// The energy that the spring and the damper of a torsional spring or a bushing add in the step, and
// the sum of its potentials at both ends; 0 for other elements. *jumps: its angle does
pcs_status couple_gain(const trial *t, const model_force *f, pcs_arena mem, double *gain,
                       double *energy, bool *jumps);
// adds the potentials
pcs_status couple_ledger(const trial *t, pcs_energy *e);

#endif
