// The functions of packs.h for builds without vectors. Such builds make no packs, so that their
// functions are never called.
#include "bodies/packs.h"

void packs_make(const prepared *p, rigid_pack *c)
{
    (void)p, (void)c;
}

double packs_visit(const prepared *p, const rigid_pack *c, int n, double *spare, double *y,
                   double *r)
{
    (void)p, (void)c, (void)n, (void)spare, (void)y, (void)r;
    return 0;
}

void packs_push(const prepared *p, const rigid_pack *c, double *spare, const double *r, double *y)
{
    (void)p, (void)c, (void)spare, (void)r, (void)y;
}

bool packs_measure(const rigid_pack *c, const double *spare, const double *y, const double *r,
                   double *u, measure_sums *out)
{
    (void)c, (void)spare, (void)y, (void)r, (void)u, (void)out;
    return false;
}

double packs_visit_round(const round_pack *c, int n, double *spare, double *y, double *r)
{
    (void)c, (void)n, (void)spare, (void)y, (void)r;
    return 0;
}

void packs_push_round(const round_pack *c, double *spare, const double *r, double *y)
{
    (void)c, (void)spare, (void)r, (void)y;
}

bool packs_measure_round(const round_pack *c, const double *spare, const double *y, const double *r,
                         double *u, measure_sums *out)
{
    (void)c, (void)spare, (void)y, (void)r, (void)u, (void)out;
    return false;
}

void packs_extrapolate(double b, size_t n, double *restrict x, double *restrict before)
{
    for (size_t i = 0; i < n; ++i) {
        const double now = x[i];
        x[i] = now + b * (now - before[i]);
        before[i] = now;
    }
}
