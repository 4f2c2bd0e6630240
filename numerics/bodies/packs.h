// Operations on packs of contacts, in the widest available registers: every lane does the
// arithmetic of one contact, so that the bits do not depend on the registers.
#ifndef BODIES_PACKS_H
#define BODIES_PACKS_H

#include "bodies/sweep_blocks.h"

// computes W and s of a pack from its other fields
void packs_make(const prepared *p, rigid_pack *c);

// solves `n` packs, one after another; as blocks_visit
double packs_visit(const prepared *p, const rigid_pack *c, int n, double *spare, double *y,
                   double *r);

// y += A^-1 H^T r of a pack
void packs_push(const prepared *p, const rigid_pack *c, double *spare, const double *r, double *y);

// u = q + H y of a pack; adds it to *out as measure_velocity and measure_add_violation do with one
// lane after another. False where a lane needs these functions themselves: then u = H y, and
// nothing has been added
bool packs_measure(const rigid_pack *c, const double *spare, const double *y, const double *r,
                   double *u, measure_sums *out);

// the same for packs of round contacts
double packs_visit_round(const round_pack *c, int n, double *spare, double *y, double *r);
void packs_push_round(const round_pack *c, double *spare, const double *r, double *y);
bool packs_measure_round(const round_pack *c, const double *spare, const double *y, const double *r,
                         double *u, measure_sums *out);

// x becomes x + b (x - before), before becomes x
void packs_extrapolate(double b, size_t n, double *restrict x, double *restrict before);

#endif
