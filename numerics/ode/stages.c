// Creates the data of Newton's method on implicit stages: groups of stages, their matrices, memory.
#include "ode/implicit.h"

#include <string.h>

#define LARGEST_SYSTEM 30000

static void find_groups(const pcs_integrator *run, ode_stages *st)
{
    const pcs_tableau *tab = run->tableau;
    const int s = run->s;
    st->groups = st->factors = 0;
    for (int i = 0; i < s;) {
        int last = i;
        for (int r = i; r <= last; ++r) {
            for (int j = last + 1; j < s; ++j) {
                if (tab->A[(size_t)s * r + j] != 0) last = j;
            }
        }
        stage_group *g = &st->group[st->groups++];
        *g = (stage_group){.first = i, .size = last - i + 1, .factor = -1};
        const double gamma = tab->A[(size_t)s * i + i];
        if (g->size > 1 || gamma != 0 || run->kind != ODE_EXPLICIT_FORM) {
            for (int k = 0; k < st->factors && g->size == 1; ++k) {
                if (st->factor[k].size == 1 && st->factor[k].gamma == gamma) g->factor = k;
            }
            if (g->factor < 0) {
                g->factor = st->factors++;
                st->factor[g->factor] = (stage_factor){.size = g->size, .gamma = gamma};
            }
        }
        if (g->size * st->N > st->largest) st->largest = g->size * st->N;
        i = last + 1;
    }
    st->distinct = true;
    for (int i = 0; i < s; ++i) {
        for (int j = 0; j < i; ++j) {
            if (fabs(tab->c[i] - tab->c[j]) < 1e-6) st->distinct = false;
        }
    }
}

static void take_part(ode_stages *st, pcs_arena *a)
{
    algebraic_part *part = &st->part;
    const size_t m = (size_t)part->map.n;
    TAKE_DOUBLES(a, m, &part->y, &part->f, &part->dy, &part->row, &part->size);
    part->lu = PCS_TAKE(a, m * m, double);
    part->piv = PCS_TAKE(a, m, int);
    part->map.x_scale = part->size;
}

static pcs_arena part_of(pcs_arena *a, size_t bytes)
{
    unsigned char *base = pcs_arena_take(a, bytes);
    return (pcs_arena){.base = base, .size = base ? bytes : 0};
}

static void take_arrays(const pcs_integrator *run, ode_stages *st, pcs_arena *a)
{
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, s = (size_t)run->s, N = (size_t)st->N;
    const size_t args = (size_t)st->map.n, most = (size_t)st->largest;
    TAKE_DOUBLES(a, args, &st->arg, &st->size);
    st->map.x_scale = st->size;
    st->x_complex = PCS_TAKE(a, n, pcs_complex);
    TAKE_DOUBLES(a, N * args, &st->J, &st->J_stage);
    TAKE_DOUBLES(a, n, &st->x_J, &st->X, &st->xdot_end);
    TAKE_DOUBLES(a, s * N, &st->V, &st->V0);
    TAKE_DOUBLES(a, most, &st->dV, &st->R, &st->v_scale);
    st->weight = PCS_TAKE(a, s, double);
    st->K_last = PCS_TAKE(a, n * s, double);
    st->Z_last = PCS_TAKE(a, nz * s, double);
    st->z_seen = PCS_TAKE(a, nz, double);
    for (int k = 0; k < st->factors; ++k) {
        const size_t m = (size_t)st->factor[k].size * N;
        st->factor[k].lu = PCS_TAKE(a, m * m, double);
        st->factor[k].piv = PCS_TAKE(a, m, int);
    }
    take_part(st, a);
    const size_t root = pcs_root_solve_bytes(st->largest),
                 part = pcs_root_solve_bytes(st->part.map.n);
    st->scratch = part_of(a, root > part ? root : part);
    st->scratch_J = part_of(a, pcs_jacobian_bytes(st->N, st->map.n));
}

// the size below which a number counts as small: atol / rtol, at most 1
static double small_of(const pcs_ode_opts *o, double atol)
{
    return o->rtol > 0 && atol > 0 && atol < o->rtol ? atol / o->rtol : 1;
}

static void set_sizes(const pcs_integrator *run, ode_stages *st)
{
    const int n = run->n, nz = run->nz, at_x = st->map.n - n - nz;
    for (int i = 0; i < st->map.n; ++i) {
        st->size[i] = small_of(&run->opts, run->opts.atol);
    }
    for (int i = 0; i < n; ++i) {
        st->size[at_x + i] = small_of(&run->opts, run->atol[i]);
    }
    for (int i = 0; i < st->part.map.n; ++i) {
        st->part.size[i] = small_of(&run->opts, run->opts.atol);
    }
}

pcs_status ode_stages_create(pcs_integrator *run)
{
    PCS_TRY(system_check(run));
    const size_t s = (size_t)run->s;
    ode_stages *st = pcs_env_alloc(&run->env, 1, sizeof *st);
    if (!st) return pcs_fail_memory("pcs_integrator_create");
    run->stages = st;
    st->group = pcs_env_alloc(&run->env, s, sizeof *st->group);
    st->factor = pcs_env_alloc(&run->env, s, sizeof *st->factor);
    if (!st->group || !st->factor) return pcs_fail_memory("pcs_integrator_create");
    PCS_TRY(system_describe(run, st));
    if ((double)st->N * run->s > LARGEST_SYSTEM) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_integrator_create: %d stages of %d unknowns are beyond the %d that "
                        "dense factors are meant for",
                        run->s, st->N, LARGEST_SYSTEM);
    }
    st->explicit_tableau =
        run->kind == ODE_SEMI_EXPLICIT_FORM && pcs_tableau_is_explicit(run->tableau);
    find_groups(run, st);
    if (st->explicit_tableau) {
        // only z is unknown
        st->factors = 0;
        st->largest = 0;
    }
    pcs_arena count = {0};
    take_arrays(run, st, &count);
    PCS_TRY(pcs_arena_create(&run->env, count.used, &st->arena));
    pcs_arena memory = st->arena;
    take_arrays(run, st, &memory);
    set_sizes(run, st);
    return PCS_OK;
}

void ode_stages_destroy(pcs_integrator *run)
{
    ode_stages *st = run->stages;
    if (!st) return;
    pcs_arena_destroy(&run->env, &st->arena);
    pcs_env_free(&run->env, st->group);
    pcs_env_free(&run->env, st->factor);
    pcs_env_free(&run->env, st);
    run->stages = NULL;
}

void ode_stages_accepted(pcs_integrator *run)
{
    ode_stages *st = run->stages;
    const size_t n = (size_t)run->n, nz = (size_t)run->nz, s = (size_t)run->s;
    memcpy(st->K_last, run->K, n * s * sizeof *run->K);
    if (nz > 0) memcpy(st->Z_last, run->Z, nz * s * sizeof *run->Z);
    st->h_of_last = run->h_tried;
    if (run->kind == ODE_IMPLICIT_FORM) memcpy(run->xdot, st->xdot_end, n * sizeof *run->xdot);
    for (size_t i = 0; i < nz; ++i) {
        st->z_seen[i] = fmax(st->z_seen[i], fabs(run->z[i]));
    }
}
