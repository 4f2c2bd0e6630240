// Block-diagonal LU factors in an arena, and the Delassus operator from them. The step uses
// these directly; <percuss/linalg.h> wraps them as pcs_mass_matrix.
#ifndef LINALG_MASS_H
#define LINALG_MASS_H

#include "base/base.h"
#include "linalg/envelope.h"
#include <percuss/linalg.h>

// The structure of a block, so that bodies cost less than a full 6x6.
enum {
    BLOCK_DENSE,    // LU with partial pivoting
    BLOCK_DIAGONAL, // 6x6: lu[i] is the i-th diagonal entry
    BLOCK_RIGID,    // 6x6: lu[0] the mass, lu[1..9] the LU factors of the rotational 3x3 block
    BLOCK_ENVELOPE  // factors elsewhere, no numbers in lu
};

struct block_sparse;

// LU factors of a block-diagonal matrix. Block b covers rows start[b] .. start[b + 1] - 1. The
// values before factorisation are kept where there is room for them: at the same places as the
// factors, of a rigid block the mass and the 3x3 block. A diagonal block has its values in lu.
typedef struct block_lu {
    int nb;
    const int *start;          // nb + 1
    const size_t *off;         // nb, start of block b in lu
    double *lu;                // the blocks, factorised in place
    int *piv;                  // start[nb]; a rigid block uses its first three
    const unsigned char *kind; // nb, or null: all dense
    double *val;               // values, or null: not kept
    const envelope *const *of; // nb, factors of the envelope blocks; null where there are none
    // Where `joined` is not null, blocks with node[b] >= 0 are those of a sparse matrix, which has
    // entries between them: lu has the factors of the inverse of their block of A^-1, so that
    // block_lu_solve of one of them is what its own impulse does to it
    const struct block_sparse *joined;
    const int *node;    // nb: its block there, or -1; ascending
    const int *of_node; // and back
} block_lu;

// factorises every block in place; the index of the first singular block, or -1
PCS_API int block_lu_factor(block_lu *F);

// factorises block b alone; false when it is singular
PCS_API bool block_lu_factor_one(block_lu *F, int b);

// the values of block b, which are kept: n x n, column-major, n its rows
void block_lu_values(const block_lu *F, int b, double *A);

// x = M^-1 x for block b only, x of its size
PCS_API void block_lu_solve(const block_lu *F, int b, double *x);

// x = A^-1 x for all blocks
PCS_API void block_lu_solve_all(const block_lu *F, double *x);

// W = H M^-1 H^T from the arena; block columns of H are the blocks of F, of which none are joined
pcs_status delassus_blocks(const pcs_bsr *H, const block_lu *F, pcs_arena *arena, pcs_bsr *W);

// the factors of a block-diagonal mass, joined or not, or null
const block_lu *mass_blocks(const pcs_mass_matrix *mass);

// a pcs_mass_matrix around factors that live in an arena; nothing to destroy. pcs_mass_matrix_mul
// and pcs_mass_matrix_to_csc need the values that F keeps
PCS_API pcs_status mass_in_arena(const block_lu *F, pcs_arena *arena, pcs_mass_matrix **out);

#endif
