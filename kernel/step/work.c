// Work memory: an arena that grows to the demand of the largest step so far.
#include "step/skip.h"
#include "step/still.h"

#include <float.h>

#define MOST_THREADS 256

// memory for the factors of systems with sparse matrices
static bool begin_sparse(const pcs_model *m, pcs_work *wk)
{
    wk->sparse = pcs_env_alloc(&m->env, (size_t)m->n_blocks, sizeof *wk->sparse);
    wk->sparse_mass = pcs_env_alloc(&m->env, (size_t)m->n_blocks, sizeof *wk->sparse_mass);
    for (int b = 0; wk->sparse && wk->sparse_mass && b < m->n_blocks; ++b) {
        const model_sparse *s = m->system[m->block_system[b]].sparse;
        if (!s) continue;
        const int n = s->M.n;
        wk->sparse_mass[b] = &s->factor;
        wk->sparse[b] = pcs_env_alloc(&m->env, 1, sizeof **wk->sparse);
        if (!wk->sparse[b]) return false;
        wk->sparse_blocks = b + 1;
        *wk->sparse[b] = s->M;
        wk->sparse[b]->val = pcs_env_alloc(&m->env, s->row[n], sizeof(double));
        if (!wk->sparse[b]->val) return false;
    }
    return wk->sparse && wk->sparse_mass;
}

static void end_sparse(const pcs_env *env, pcs_work *wk)
{
    for (int b = 0; b < wk->sparse_blocks; ++b) {
        if (wk->sparse[b]) pcs_env_free(env, wk->sparse[b]->val);
        pcs_env_free(env, wk->sparse[b]);
    }
    pcs_env_free(env, wk->sparse);
    pcs_env_free(env, (void *)wk->sparse_mass);
}

pcs_status pcs_work_create(const pcs_model *m, pcs_work **out)
{
    if (!m || !out) return pcs_fail(PCS_ERR_ARG, "pcs_work_create: an argument is null");
    *out = NULL;
    pcs_work *wk = pcs_env_alloc(&m->env, 1, sizeof *wk);
    if (!wk) return pcs_fail_memory("pcs_work_create");
    wk->env = m->env;
    wk->owner = m;
    wk->n_systems = m->n_systems;
    wk->nv = m->nv;
    wk->linear_h = NAN;

    size_t values = 0;
    wk->linear_off = pcs_env_alloc(&m->env, (size_t)m->n_blocks, sizeof(size_t));
    for (int b = 0; b < m->n_blocks && wk->linear_off; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const bool linear = s->kind == SYSTEM_LAGRANGIAN && s->linear && !s->sparse;
        wk->linear_off[b] = linear ? values : SIZE_MAX;
        if (linear) values += (size_t)s->nv * (size_t)s->nv;
    }
    wk->linear_bytes = 2 * values * sizeof(double) + (size_t)m->nv * sizeof(int) +
                       (size_t)m->n_blocks * sizeof(size_t);
    wk->linear_lu = pcs_env_alloc(&m->env, 2 * values, sizeof(double));
    if (wk->linear_lu) wk->linear_val = wk->linear_lu + values;
    wk->linear_piv = pcs_env_alloc(&m->env, (size_t)m->nv, sizeof(int));
    wk->linear_theta = pcs_env_alloc(&m->env, (size_t)m->n_blocks, sizeof(double));
    const bool sparse = begin_sparse(m, wk);
    const size_t bytes = 16384 + 1024 * (size_t)m->n_systems + 64 * (size_t)m->nv;
    const pcs_status status = pcs_arena_create(&m->env, bytes, &wk->arena);
    if (status != PCS_OK || !wk->linear_off || !wk->linear_lu || !wk->linear_piv ||
        !wk->linear_theta || !sparse) {
        pcs_work_destroy(wk);
        return pcs_fail_memory("pcs_work_create");
    }
    *out = wk;
    return PCS_OK;
}

void pcs_work_destroy(pcs_work *wk)
{
    if (!wk || wk->busy) return;
    const pcs_env env = wk->env;
    pcs_arena_destroy(&env, &wk->arena);
    pcs_arena_destroy(&env, &wk->assembled);
    pcs_arena_destroy(&env, &wk->listed);
    events_release(&wk->events, &env);
    threads_destroy(wk->team);
    pcs_state_destroy(wk->backup);
    pcs_state_destroy(wk->start);
    step_pattern_release(&env, &wk->pattern);
    kept_release(&env, &wk->kept);
    still_release(&env, &wk->still);
    skip_release(&env, &wk->skip);
    end_sparse(&env, wk);
    pcs_env_free(&env, wk->linear_off);
    pcs_env_free(&env, wk->linear_lu);
    pcs_env_free(&env, wk->linear_piv);
    pcs_env_free(&env, wk->linear_theta);
    pcs_env_free(&env, wk);
}

size_t pcs_work_held(const pcs_work *wk)
{
    return wk ? sizeof *wk + wk->linear_bytes + wk->arena.size + wk->assembled.size +
                    wk->listed.size + events_held(&wk->events) + kept_bytes(&wk->kept) +
                    still_bytes(&wk->still) + skip_bytes(&wk->skip)
              : 0;
}

size_t pcs_work_step_bytes(const pcs_work *wk)
{
    return wk ? wk->peak : 0;
}

pcs_status pcs_work_set_threads(pcs_work *wk, int count)
{
    if (!wk) return pcs_fail(PCS_ERR_ARG, "pcs_work_set_threads: the work is null");
    if (wk->busy) {
        return pcs_fail(PCS_ERR_ARG, "pcs_work_set_threads: a step with this work is under way;"
                                     " set the threads between steps");
    }
    if (count < 1 || count > MOST_THREADS) {
        return pcs_fail(PCS_ERR_ARG, "pcs_work_set_threads: %d threads; 1 to %d can share a step",
                        count, MOST_THREADS);
    }
    if (threads_count(wk->team) == count) return PCS_OK;
    threads *team = NULL;
    if (count > 1) PCS_TRY(threads_create(&wk->env, count, &team));
    threads_destroy(wk->team);
    wk->team = team;
    return PCS_OK;
}

pcs_status pcs_work_set_capture(pcs_work *wk, pcs_velocity_solve_fn fn, void *user)
{
    if (!wk) return pcs_fail(PCS_ERR_ARG, "pcs_work_set_capture: the work is null");
    if (wk->busy) {
        return pcs_fail(PCS_ERR_ARG, "pcs_work_set_capture: a step with this work is under way;"
                                     " set the capture between steps");
    }
    wk->capture.fn = fn;
    wk->capture.user = user;
    return PCS_OK;
}

pcs_status pcs_work_set_watch(pcs_work *wk, pcs_watch watch)
{
    if (!wk) return pcs_fail(PCS_ERR_ARG, "pcs_work_set_watch: the work is null");
    wk->watch = watch;
    return PCS_OK;
}

// bytes: largest margin of an arena that grows by more than a quarter
#define MARGIN_MOST ((size_t)1 << 28)

void work_begin(pcs_work *wk)
{
    wk->rest.known = false;
    wk->contact = NULL;
    wk->n_contacts = 0;
    wk->list.n = 0;
    wk->braked = NULL;
    wk->skips = false;
    wk->model = NULL;
    wk->problem.n = 0;
    wk->v_free = NULL;
    wk->is_assembled = false;
    wk->cause[0] = '\0';
    wk->budget.spent = wk->budget.from; // an attempt that ran out of memory spends nothing
    wk->capture.solve = 0;
    wk->peak = 0;
    wk->arena.used = 0;
    wk->arena.peak = &wk->peak;
    wk->busy = true;
    atomic_fetch_add(wk->owner->busy, 1);
}

bool work_end(pcs_work *wk, pcs_status *status)
{
    atomic_fetch_sub(wk->owner->busy, 1);
    wk->busy = false;
    if (*status == PCS_ERR_MEMORY && wk->skip.again) {
        wk->skip.again = false;
        *status = PCS_OK;
        return true;
    }
    if (*status != PCS_ERR_MEMORY || wk->peak <= wk->arena.size) return false;

    // Grows to the demand with a margin, as later stages have not asked yet: each method behind the
    // sweeps needs more, and what comes before it would be made again. Pages that nobody writes
    // take no memory. The old arena is released first, since nothing in it is needed
    const size_t little = wk->peak / 4 + 4096, much = 3 * wk->peak;
    const size_t margin = much > little && much < MARGIN_MOST ? much : little;
    pcs_arena_destroy(&wk->env, &wk->arena);
    *status = pcs_arena_create(&wk->env, wk->peak + margin, &wk->arena);
    if (*status != PCS_OK) *status = pcs_arena_create(&wk->env, wk->peak + little, &wk->arena);
    return *status == PCS_OK;
}

// fails where a number of the state cannot be computed with
static pcs_status check_numbers(const char *name, const pcs_model *m, const pcs_state *st)
{
    if (!isfinite(st->t)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the time of the state is not finite", name);
    }
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        const double *q = st->q + s->q_at, *v = st->v + s->v_at;
        const size_t nq = (size_t)s->nq, nv = (size_t)s->nv;
        if (model_in_range(q, nq) && model_in_range(v, nv)) continue;
        char who[PART_WORDS];
        part_words(m, PART_SYSTEM, "system ", i + 1, who);
        if (!pcs_all_finite(q, nq) || !pcs_all_finite(v, nv)) {
            return pcs_fail(PCS_ERR_ARG, "%s: the state of %s holds a number that is not finite",
                            name, who);
        }
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the state of %s has a number beyond %g, whose products overflow", name,
                        who, MODEL_LARGEST);
    }
    return PCS_OK;
}

// off a rotation about the normal, relative: more is no rounding
#define TILTED 1e-9

// a user may write any numbers into a state
static pcs_status check_planes(const char *name, const pcs_model *m, const pcs_state *st)
{
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (s->plane == PCS_PLANE_NONE) continue;
        const double *Q = st->q + s->q_at + 3, *v = st->v + s->v_at;
        const int normal = plane_normal(s->plane);
        double off = 0;
        bool leaves = false;
        for (int k = 0; k < BODY_NV; ++k) {
            leaves = leaves || (system_locks(s, k) && v[k] != 0);
            if (k < 3 && k != normal) off = fmax(off, fabs(Q[1 + k]));
        }
        if (!leaves && !(off > TILTED * fmax(fabs(Q[0]), fabs(Q[1 + normal])))) continue;
        char who[PART_WORDS];
        part_words(m, PART_SYSTEM, "body ", i + 1, who);
        if (leaves) {
            return pcs_fail(PCS_ERR_ARG,
                            "%s: %s is planar, and its velocity in the state leaves its plane: only"
                            " omega[%d] and the two velocities in the plane may differ from 0",
                            name, who, normal);
        }
        return pcs_fail(PCS_ERR_ARG,
                        "%s: %s is planar, and its orientation in the state is not a rotation about"
                        " the %c axis, the normal of its plane",
                        name, who, "xyz"[normal]);
    }
    return PCS_OK;
}

pcs_status step_refuse_time(const char *name, double t, double h)
{
    const double rounding = DBL_EPSILON * fabs(t);
    return pcs_fail(
        PCS_ERR_ARG,
        "%s: h is %g s, but times near %.15g s are rounded to %.2g s: the time would not"
        " pass. Take h of at least %.2g s, or count the time from a later zero",
        name, h, t, rounding, STEP_TICKS * rounding);
}

pcs_status step_check(const char *name, const pcs_model *m, const pcs_state *st, const pcs_work *wk)
{
    if (!m || !st || !wk) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", name);
    if (wk->busy) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: a step with this work is under way; a callback cannot use it for another step",
            name);
    }
    if (wk->owner != m) {
        return pcs_fail(PCS_ERR_ARG, "%s: the work was made for another model", name);
    }
    if (st->nq != m->nq || st->nv != m->nv || wk->n_systems != m->n_systems || wk->nv != m->nv) {
        return pcs_fail(PCS_ERR_SIZE,
                        "%s: the state has %d coordinates, the work is for %d systems and the "
                        "model has %d and %d; extend the state (pcs_state_extend) and create the "
                        "work after the last system is added",
                        name, st->nq, wk->n_systems, m->nq, m->n_systems);
    }
    // the systems are searched only for the one to name
    const bool good =
        model_in_range(st->q, (size_t)st->nq) && model_in_range(st->v, (size_t)st->nv);
    if (!good || !isfinite(st->t)) return check_numbers(name, m, st);
    return m->n_planar > 0 ? check_planes(name, m, st) : PCS_OK;
}
