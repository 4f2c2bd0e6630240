// Operations on packs of rigid contacts, in the widest available registers: every lane does the
// arithmetic of one contact, so that the bits do not depend on the registers.
#ifndef BODIES_PACKS_H
#define BODIES_PACKS_H

#include "bodies/sweep_blocks.h"

// computes W, its inverse and s of a pack from its other fields
void packs_make(const prepared *p, rigid_pack *c);

// solves `n` packs, one after another; as blocks_visit
double packs_visit(const prepared *p, const rigid_pack *c, int n, double *spare, double *y,
                   double *r);

// y += A^-1 H^T r of a pack
void packs_push(const prepared *p, const rigid_pack *c, double *spare, const double *r, double *y);

// u = q + H y of a pack, and all sums except those on request; false where the violation needs a
// more careful evaluation and is not in its sum
bool packs_measure(const prepared *p, const rigid_pack *c, const double *spare, const double *y,
                   const double *r, double *u, block_sums *out);

#endif
