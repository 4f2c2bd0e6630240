// Contacts that add energy. What the impulses r of an island do, M (v' - v_free) = H^T r, is
//
//     K(v') - K(v_free) = 1/2 r^T (u_free + u') = r^T u' - 1/2 r^T W r,
//
// in sum over its contacts: they pass energy on to each other, so that one of them alone may gain.
// For e = 0 the sum is never positive, as r_N u'_N = 0 and r_T . u'_T <= 0; with Newton's law it
// may be: several contacts at once, or friction.
#include "step/step.h"

#include <string.h>

// the first system of those that contacts hold together; on the way, ways are halved
static int first_of(int *up, int i)
{
    while (up[i] != i) {
        up[i] = up[up[i]];
        i = up[i];
    }
    return i;
}

static bool is_contact(const candidate *c)
{
    return c->active && c->law.kind != PCS_LAW_EQUALITY;
}

// the system that tells which island a contact belongs to
static int moving_side(const pcs_model *m, const candidate *c)
{
    return system_moves(m, c->sys1) ? c->sys1 : c->sys2;
}

static void join_islands(const trial *t, int *up)
{
    for (int i = 0; i < t->m->n_systems; ++i) {
        up[i] = i;
    }
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!c->active || !system_moves(t->m, c->sys1) || !system_moves(t->m, c->sys2)) continue;
        const int one = first_of(up, c->sys1), two = first_of(up, c->sys2);
        up[one > two ? one : two] = one > two ? two : one;
    }
}

// 1/2 r . (u_free + u')
static double work_of(const trial *t, int i, double *u)
{
    const candidate *c = &t->list.c[i];
    double work = 0;
    candidate_velocity(t, i, t->v_free, c->drive, u);
    for (int j = 0; j < c->dim; ++j) {
        work += 0.5 * (u[j] + c->u[j]) * c->r[j];
    }
    return work;
}

pcs_status step_gains(const trial *t, pcs_arena mem, double energy, double part, pcs_doubt *d)
{
    if (!t->v_free || t->rows == 0) return PCS_OK;
    const size_t n = (size_t)t->m->n_systems;
    int *up = PCS_TAKE(&mem, n, int), *worst = PCS_TAKE(&mem, n, int);
    double *sum = PCS_TAKE(&mem, n, double), *most = PCS_TAKE(&mem, n, double);
    double *u = PCS_TAKE(&mem, (size_t)t->rows, double);
    if (!up || !worst || !sum || !most || !u) return pcs_fail_memory("step: the doubts");
    memset(sum, 0, n * sizeof *sum);
    memset(most, 0, n * sizeof *most);
    join_islands(t, up);
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        if (!is_contact(c)) continue;
        const int island = first_of(up, moving_side(t->m, c));
        const double work = work_of(t, i, u);
        sum[island] += work;
        if (!(work > most[island])) continue;
        most[island] = work;
        worst[island] = i;
    }
    for (size_t k = 0; k < n; ++k) {
        if (!(sum[k] > part * energy)) continue;
        const candidate *c = &t->list.c[worst[k]];
        const bool shapes = c->interaction < 0;
        doubt_add(d, sum[k], energy, shapes ? c->key.shape1 : -1,
                  shapes ? c->key.shape2 : c->interaction + 1);
    }
    return PCS_OK;
}
