// A run of steps, until a time is reached, the observer stops it, or a step fails.
#include "step/step.h"

#include <float.h>
#include <stdio.h>

#include "linalg/m3.h"

// relative difference below which times are equal: sums of steps have rounding errors
#define SAME_TIME 1e-12

// True where contacts rebound: with friction such a problem may have no solution, for any step size
// (doc/certificate.md)
bool step_model_rebounds(const pcs_model *m)
{
    bool any = false;
    for (int i = 0; i < m->n_materials; ++i) {
        any = any || m->material[i].e > 0;
    }
    for (int i = 0; i < m->n_pair_laws; ++i) {
        any = any || m->pair_law[i].law.e > 0;
    }
    return any;
}

// True where bodies are driven: what they wedge may have no solution with friction, for any step
// size, and no proof of it by normals
static bool drives(const pcs_model *m)
{
    for (int i = 0; i < m->n_systems; ++i) {
        if (m->system[i].motion) return true;
    }
    return false;
}

// the sentence of a step that failed
static pcs_status give_up(const pcs_model *m, const pcs_work *wk, double t, long step,
                          const pcs_step_report *last)
{
    char why[STEP_WHY];
    step_why(wk, last, why);
    // constraints that contradict each other do so for any step size; contacts that rebound at once
    // may do so one after another
    const bool none = last->solve.outcome == PCS_OUTCOME_INFEASIBLE && !step_model_rebounds(m);
    const bool smaller = !(wk->closing > 0) && last->conflicts == 0 && !none &&
                         (step > 1 || last->projection_outcome == PCS_OUTCOME_CONVERGED);
    const bool wedges = smaller && last->solve.outcome != PCS_OUTCOME_CONVERGED && drives(m);
    return pcs_fail(PCS_ERR_STEP, "pcs_run: step %ld, from t = %g s, is %s%s%s", step, t, why,
                    wedges    ? "; smaller steps may help, unless driven bodies wedge others: what"
                                " friction holds there has no solution"
                    : smaller ? "; smaller steps may help"
                              : "",
                    smaller && step_model_rebounds(m)
                        ? ", or e = 0: what rebounds from several contacts at once, with friction,"
                          " may have no solution"
                        : "");
}

// The energies that projections add and that joints take, and the energy at work: kinetic energy
// (common.c), the change of the potential, and the work of gravity over the size of the bodies
typedef struct run_energy {
    double added, taken, kinetic, low, high;
    long adding, taking; // steps
} run_energy;

// part of the energy at work that makes a doubt
#define MUCH 0.1
// of the kinetic energy: steps that change less by rounding do not count
#define NOISE 1e-12

// steps that correct large errors have other doubts
static void count_energy(const pcs_work *wk, const pcs_step_report *step, run_energy *sum)
{
    const pcs_energy *e = &step->energy;
    const pcs_doubt *d = step->doubt;
    sum->kinetic = fmax(sum->kinetic, wk->kinetic);
    if (d[PCS_DOUBT_OVERLAP].count == 0 && d[PCS_DOUBT_JOINT].count == 0) {
        const double noise = NOISE * sum->kinetic;
        sum->added += e->projection;
        sum->adding += e->projection > noise;
        // the energy taken from lifted islands is no loss
        sum->taken -= e->joints + e->projection;
        sum->taking += e->joints < -noise;
    }
    sum->low = fmin(sum->low, fmin(e->potential_before, e->potential_after));
    sum->high = fmax(sum->high, fmax(e->potential_before, e->potential_after));
}

static double energy_at_work(const pcs_model *m, const run_energy *sum)
{
    double at_work = fmax(sum->kinetic, sum->high - sum->low);
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (s->kind != SYSTEM_BODY || !system_moves(m, i)) continue;
        at_work += s->mass * v3_norm(m->gravity) * system_size(s);
    }
    return at_work;
}

// a doubt of a run, in the report and in the log
static void doubt_energy(const pcs_model *m, pcs_doubt_kind kind, pcs_doubt d, pcs_run_report *out)
{
    if (d.count == 0 || !(d.value > MUCH * d.limit)) return;
    out->doubt[kind] = d;
    char text[PCS_DOUBT_TEXT_SIZE];
    doubt_text(m, kind, &d, text);
    pcs_env_log(&m->env, PCS_LOG_WARNING, "%s", text);
}

static void doubt_energies(const pcs_model *m, const run_energy *sum, double t0,
                           pcs_run_report *out)
{
    if (sum->adding + sum->taking == 0) return;
    const double at_work = energy_at_work(m, sum);
    doubt_energy(m, PCS_DOUBT_PROJECTION,
                 (pcs_doubt){.count = sum->adding, .value = sum->added, .limit = at_work, .t = t0},
                 out);
    doubt_energy(m, PCS_DOUBT_LOSS,
                 (pcs_doubt){.count = sum->taking, .value = sum->taken, .limit = at_work, .t = t0},
                 out);
}

// counts the doubts of a step
static void count_doubts(const pcs_step_report *step, pcs_run_report *out)
{
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        pcs_doubt one = step->doubt[k];
        one.count = one.count > 0;
        doubt_join(&one, &out->doubt[k]);
    }
}

// writes the sentences of the doubts
static void say_doubts(const pcs_model *m, pcs_run_report *out)
{
    size_t at = 0;
    for (int k = 0; k < PCS_DOUBT_COUNT && at < sizeof out->doubts; ++k) {
        const pcs_doubt *d = &out->doubt[k];
        char text[PCS_DOUBT_TEXT_SIZE];
        if (d->count == 0) continue;
        doubt_text(m, (pcs_doubt_kind)k, d, text);
        at += (size_t)snprintf(out->doubts + at, sizeof out->doubts - at, "%s%s (%ld of %ld steps)",
                               at > 0 ? "; " : "", text, d->count, out->steps);
    }
}

// The end of a step of h from t. Multiples of h are counted, so that sums of h do not drift; they
// depend on t and h alone, so that a run that is split anywhere has the same times.
static double next_time(double t, double h)
{
    const double n = floor(t / h + 0.5);
    return n * h == t ? (n + 1) * h : t + h;
}

// the steps after the first call of the observer
static pcs_status go(const pcs_model *m, pcs_state *st, pcs_work *wk, double h, double t_end,
                     pcs_observer_fn observer, void *user, run_energy *sum, pcs_run_report *out)
{
    const double count = floor((t_end - st->t) / h + 0.5);
    for (long k = 1; (double)k <= count; ++k) {
        const double t = next_time(st->t, h);
        PCS_TRY(pcs_step(m, st, wk, h, &out->last));
        if (!out->last.committed) {
            out->outcome = out->last.outcome;
            return give_up(m, wk, st->t, k, &out->last);
        }
        st->t = t;
        out->steps = k;
        out->breaks += out->last.breaks;
        count_doubts(&out->last, out);
        count_energy(wk, &out->last, sum);
        if (observer && observer(user, m, st, wk, &out->last) != 0) return PCS_OK;
    }
    out->outcome = PCS_OUTCOME_CONVERGED;
    return PCS_OK;
}

static pcs_status check_times(double t, double h, double t_end)
{
    if (!(h > 0) || !isfinite(h) || !isfinite(t_end)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_run: h is %g s and t_end %g s; h must be positive and"
                        " both finite",
                        h, t_end);
    }
    const double duration = t_end - t, rounding = SAME_TIME * fmax(fabs(t), fabs(t_end));
    if (duration < -rounding) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_run: t_end is %.15g s, before the time of the state, %.15g s: it is the time"
            " to stop at, not how long to run",
            t_end, t);
    }
    const double last = fmax(fabs(t), fabs(t_end));
    if (duration > 0 && h < STEP_TICKS * DBL_EPSILON * last) {
        return step_refuse_time("pcs_run", fabs(t) > fabs(t_end) ? t : t_end, h);
    }
    // a run ends within half a step of t_end; but no step is as long as the whole time
    if (duration > rounding && h > 2 * duration && h > fabs(t_end)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_run: from t = %.15g s to t_end = %.15g s it is less than half a step of"
            " h = %g s: are h and t_end exchanged?",
            t, t_end, h);
    }
    return PCS_OK;
}

pcs_status pcs_run(const pcs_model *m, pcs_state *st, pcs_work *wk, double h, double t_end,
                   pcs_observer_fn observer, void *user, pcs_run_report *report)
{
    pcs_run_report own;
    pcs_run_report *out = report ? report : &own;
    *out =
        (pcs_run_report){.outcome = PCS_OUTCOME_STOPPED, .last = {.outcome = PCS_OUTCOME_STOPPED}};
    PCS_TRY(step_check("pcs_run", m, st, wk));
    PCS_TRY(check_times(st->t, h, t_end));
    out->last = (pcs_step_report){.outcome = PCS_OUTCOME_CONVERGED};
    if (observer && observer(user, m, st, wk, NULL) != 0) return PCS_OK;
    wk->kinetic = 0;
    run_energy sum = {.low = INFINITY, .high = -INFINITY};
    const double t0 = st->t;
    const pcs_status status = go(m, st, wk, h, t_end, observer, user, &sum, out);
    doubt_energies(m, &sum, t0, out);
    say_doubts(m, out);
    return status;
}
