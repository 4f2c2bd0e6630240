// Solutions of the problems of pile.c, and checks of their reports.
#include "answer.h"

answer answer_new(const pile *p, const double *r)
{
    const size_t nv = (size_t)p->b.A->start[p->b.A->nb], n = (size_t)p->b.n;
    answer a = {.v = calloc(nv + 1, sizeof(double)),
                .r = calloc(n + 1, sizeof(double)),
                .u = calloc(n + 1, sizeof(double))};
    memcpy(a.v, p->v_free, nv * sizeof(double));
    if (r) memcpy(a.r, r, n * sizeof(double));
    return a;
}

void answer_free(answer *a)
{
    free(a->v);
    free(a->r);
    free(a->u);
}

pcs_solver_opts options(pcs_solver kind, double tol)
{
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    o.tol = tol;
    return o;
}

size_t answer_room(const pile *p)
{
    return ((size_t)1 << 20) + ((size_t)1 << 17) * (size_t)p->b.nb;
}

answer answer_from(const pile *p, const pcs_solver_opts *o, threads *team, const double *r)
{
    answer a = answer_new(p, r);
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(p), &arena));
    CK_OK(bodies_solve(&p->b, o, (pcs_watch){0}, INFINITY, team, arena, a.v, a.r, a.u, &a.report));
    pcs_arena_destroy(NULL, &arena);
    return a;
}

double expect_honest(const pile *p, const answer *a)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, answer_room(p), &arena));
    pcs_arena work = arena;
    pcs_problem q;
    CK_OK(bodies_assemble(&p->b, p->v_free, &work, &q));
    double *u = PCS_TAKE(&work, (size_t)q.n + 1, double);
    pcs_measure m;
    pcs_problem_measure(&q, a->r, u, &m);
    const pcs_measure *is = &a->report.solve.measure;

    // a heavy body on light ones: the terms of u are more than ten times as large as u. Products
    // elsewhere in the code estimate its rounding from other sums
    const double noise = m.rounding + is->rounding;
    CK_NEAR(m.residual, is->residual, 1e-12 + 1e-6 * m.residual + noise / m.norm_q);
    CK_NEAR(m.natural_map, is->natural_map, 1e-12 + 1e-6 * m.natural_map + noise);
    CK_NEAR(m.norm_wr, is->norm_wr, 1e-11 * m.norm_q);
    CK_NEAR(m.norm_q, is->norm_q, 1e-12 * m.norm_q);
    CK_NEAR(m.norm_r, is->norm_r, 1e-12 * m.norm_r);
    CK_NEAR(m.norm_u, is->norm_u, 1e-11 * m.norm_q);
    for (int i = 0; i < q.n; ++i) {
        CK_NEAR(u[i], a->u[i], 1e-11 * m.norm_q);
    }
    for (int i = 0; i < p->b.nb; ++i) {
        const bodies_block *k = &p->b.block[i];
        double from_v[6];
        bodies_block_velocity(k, p->b.A->start, p->b.R, a->v, from_v);
        for (int j = 0; j < k->dim; ++j) {
            CK_NEAR(from_v[j] + p->b.shift[k->row + j], a->u[k->row + j], 1e-11 * m.norm_q);
        }
    }
    pcs_arena_destroy(NULL, &arena);
    return m.residual;
}
