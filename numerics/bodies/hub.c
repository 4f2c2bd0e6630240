// Solves joints alone: H v + shift = 0 with v = v_free + A^-1 H^T r. Where one body has many
// joints, W couples every pair of them, while the masses stay sparse. With u = H v + shift and a
// large C
//
//     (A + H^T C H) d = -H^T C u,   r <- r - C (u + H d),   v <- v + d
//
// removes all of u except its part in eigenvectors of W with eigenvalues below 1 / C, and converges
// in two or three such steps. The factors have a block row per body, in an order that puts hubs
// last: time and memory are proportional to the number of joints. A + H^T C H is definite also
// where rows depend on one another; r starts at zero and stays in the range of C H.
#include "bodies/hub.h"

#include <string.h>

#include "bodies/finish.h"
#include "bodies/finish_system.h"

// C in units of 1 / W_ii, and the relative tolerance of the linear systems
#define STIFF      1e8
#define LINEAR_TOL 1e-10
// largest number of steps; a step that leaves more than this part of |u| is the last
#define STEPS 30
#define LEAST 0.5

typedef struct hub {
    const bodies_problem *b;
    finish_system s;
    double *d, *g;    // nv
    double *best, *t; // n
} hub;

// t = C x
static void times_C(hub *w, const double *x)
{
    for (int i = 0; i < w->b->nb; ++i) {
        const bodies_block *k = &w->b->block[i];
        for (int j = k->row; j < k->row + k->dim; ++j) {
            w->t[j] = w->s.C[SLOPES * (size_t)i] * x[j];
        }
    }
}

// one step from r with its u; false when the linear system cannot be solved
static bool improve(hub *w, const double *u, double *r)
{
    const bodies_problem *b = w->b;
    times_C(w, u);
    memset(w->g, 0, (size_t)w->s.nv * sizeof *w->g);
    finish_impulses(&w->s, w->t, w->g);
    if (finish_system_solve(&w->s, w->g, LINEAR_TOL, w->d) < 0) return false;
    finish_rows(&w->s, w->d, w->t);
    for (int i = 0; i < b->n; ++i) {
        w->t[i] = u[i] - w->t[i];
    }
    times_C(w, w->t);
    for (int i = 0; i < b->n; ++i) {
        r[i] -= w->t[i];
    }
    return true;
}

static pcs_status take(hub *w, const double *v_free, pcs_arena *work)
{
    const size_t nv = (size_t)w->b->A->start[w->b->A->nb], n = (size_t)w->b->n;
    w->d = PCS_TAKE(work, nv, double);
    w->g = PCS_TAKE(work, nv, double);
    w->best = PCS_TAKE(work, n, double);
    w->t = PCS_TAKE(work, n, double);
    if (!w->d || !w->g || !w->best || !w->t) return pcs_fail_memory("contacts");
    PCS_TRY(finish_system_take(&w->s, w->b, v_free, work));
    memset(w->s.B, 0, SLOPES * (size_t)w->b->nb * sizeof *w->s.B);
    memset(w->s.C, 0, SLOPES * (size_t)w->b->nb * sizeof *w->s.C);
    for (int i = 0; i < w->b->nb; ++i) {
        w->s.B[SLOPES * (size_t)i] = w->s.C[SLOPES * (size_t)i] = STIFF / w->s.scale[i];
    }
    return PCS_OK;
}

pcs_status bodies_joints(const bodies_problem *b, pcs_arena work, double *v, double *r, double *u,
                         pcs_measure *m, double *units)
{
    const size_t n = (size_t)b->n;
    hub w = {.b = b};
    pcs_status status = take(&w, v, &work);
    *units = 0;
    if (status == PCS_OK && finish_system_factor(&w.s) != CHOL_GOOD) {
        status = pcs_fail(PCS_ERR_UNSUPPORTED, "contacts: joints without factors");
    }
    if (status != PCS_OK) {
        finish_system_end(&w.s);
        return status;
    }
    double factor, iteration;
    finish_system_cost(&w.s, &factor, &iteration);
    *units = factor;

    memset(r, 0, n * sizeof *r);
    finish_system_measure(&w.s, r, v, u, m);
    double before = INFINITY;
    for (int k = 0; k < STEPS && m->norm_u > 0 && m->norm_u <= LEAST * before; ++k) {
        memcpy(w.best, r, n * sizeof *r);
        before = m->norm_u;
        *units += iteration;
        if (!improve(&w, u, r)) break;
        finish_system_measure(&w.s, r, v, u, m);
    }
    if (!(m->norm_u <= before)) {
        memcpy(r, w.best, n * sizeof *r);
        finish_system_measure(&w.s, r, v, u, m);
    }
    finish_system_end(&w.s);
    return PCS_OK;
}
