// The functions of packs.h for one kind of registers.
#ifndef BODIES_PACKS_WIDE_H
#define BODIES_PACKS_WIDE_H

#include "bodies/sweep_blocks.h"

#define PACKS_DECLARE(suffix)                                                                    \
    void packs_make_##suffix(const prepared *p, rigid_pack *c);                                  \
    double packs_visit_##suffix(const prepared *p, const rigid_pack *c, int n, double *spare,    \
                                double *y, double *r);                                           \
    void packs_push_##suffix(const prepared *p, const rigid_pack *c, double *spare,              \
                             const double *r, double *y);                                        \
    bool packs_measure_##suffix(const rigid_pack *c, const double *spare, const double *y,       \
                                const double *r, double *u, measure_sums *out);                  \
    double packs_visit_round_##suffix(const round_pack *c, int n, double *spare, double *y,      \
                                      double *r);                                                \
    void packs_push_round_##suffix(const round_pack *c, double *spare, const double *r,          \
                                   double *y);                                                   \
    bool packs_measure_round_##suffix(const round_pack *c, const double *spare, const double *y, \
                                      const double *r, double *u, measure_sums *out);            \
    void packs_extrapolate_##suffix(double b, size_t n, double *restrict x, double *restrict before)

PACKS_DECLARE(plain);
PACKS_DECLARE(avx2);

#endif
