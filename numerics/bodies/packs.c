// Chooses the functions for the vector registers of the machine.
#include "bodies/packs.h"

#include "bodies/packs_wide.h"

static bool wide(void)
{
#ifdef PERCUSS_AVX2
    return __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

#ifndef PERCUSS_AVX2
#define packs_extrapolate_avx2   packs_extrapolate_plain
#define packs_make_avx2          packs_make_plain
#define packs_visit_avx2         packs_visit_plain
#define packs_push_avx2          packs_push_plain
#define packs_measure_avx2       packs_measure_plain
#define packs_visit_round_avx2   packs_visit_round_plain
#define packs_push_round_avx2    packs_push_round_plain
#define packs_measure_round_avx2 packs_measure_round_plain
#endif

void packs_make(const prepared *p, rigid_pack *c)
{
    (wide() ? packs_make_avx2 : packs_make_plain)(p, c);
}

double packs_visit(const prepared *p, const rigid_pack *c, int n, double *spare, double *y,
                   double *r)
{
    return (wide() ? packs_visit_avx2 : packs_visit_plain)(p, c, n, spare, y, r);
}

void packs_push(const prepared *p, const rigid_pack *c, double *spare, const double *r, double *y)
{
    (wide() ? packs_push_avx2 : packs_push_plain)(p, c, spare, r, y);
}

bool packs_measure(const rigid_pack *c, const double *spare, const double *y, const double *r,
                   double *u, measure_sums *out)
{
    return (wide() ? packs_measure_avx2 : packs_measure_plain)(c, spare, y, r, u, out);
}

double packs_visit_round(const round_pack *c, int n, double *spare, double *y, double *r)
{
    return (wide() ? packs_visit_round_avx2 : packs_visit_round_plain)(c, n, spare, y, r);
}

void packs_push_round(const round_pack *c, double *spare, const double *r, double *y)
{
    (wide() ? packs_push_round_avx2 : packs_push_round_plain)(c, spare, r, y);
}

bool packs_measure_round(const round_pack *c, const double *spare, const double *y, const double *r,
                         double *u, measure_sums *out)
{
    return (wide() ? packs_measure_round_avx2 : packs_measure_round_plain)(c, spare, y, r, u, out);
}

void packs_extrapolate(double b, size_t n, double *restrict x, double *restrict before)
{
    (wide() ? packs_extrapolate_avx2 : packs_extrapolate_plain)(b, n, x, before);
}
