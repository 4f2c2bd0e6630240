// Solves the contact problem of bodies. W is assembled.
#include "bodies/bodies.h"

// v += A^-1 H^T r
static pcs_status add_impulses(const bodies_problem *b, const double *r, pcs_arena mem, double *v)
{
    const block_lu *A = b->A;
    double *p = PCS_TAKE(&mem, (size_t)A->start[A->nb], double);
    if (!p) return pcs_fail_memory("contacts");
    bodies_impulses(b, r, p);
    for (int s = 0; s < A->nb; ++s) {
        block_lu_solve(A, s, p + A->start[s]);
    }
    for (int i = 0; i < A->start[A->nb]; ++i) {
        v[i] += p[i];
    }
    return PCS_OK;
}

pcs_status bodies_solve(const bodies_problem *b, const pcs_solver_opts *o, threads *team,
                        pcs_arena work, double *v, double *r, double *u, bodies_report *out)
{
    (void)team;
    *out = (bodies_report){.islands = 1, .largest = b->nb};
    pcs_problem p;
    PCS_TRY(bodies_assemble(b, v, &work, &p));
    PCS_TRY(pcs_solve(&p, o, (pcs_watch){0}, work, r, u, &out->solve));
    return add_impulses(b, r, work, v);
}
