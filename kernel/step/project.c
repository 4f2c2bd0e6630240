// Projection of the trial's positions onto its constraints (theory 8): linearise the gaps at the
// current q, solve one MLCP step in the chosen metric, update, normalise, evaluate again.
// Velocities do not change.
#include "step/project.h"

#include <float.h>
#include <string.h>

#include <percuss/position.h>

#include "model/carried.h"

// problems with at most this many rows are solved to the last digit
#define FEW_ROWS 64
// units of the solver for a problem with joints: some tens of factorisations of W
#define BUDGET 1500

// tolerance of linearised problems of joints alone, and of all whose joints depend on each other:
// factors solve them to rounding anyway, but where rows depend on each other no solution is exact,
// and the next iteration closes what is left
#define LINEAR_TOL 1e-3
// joints alone agree when a linear problem leaves less than this part of their gaps: their rounding
#define AGREED 1e-11

static pcs_status gaps(const trial *t, const project_set *set, pcs_arena mem, double *g)
{
    for (int i = 0; i < set->n; ++i) {
        PCS_TRY(candidate_gap(t->m, set->row[i], t->end.q, mem, g));
        g[0] += set->row[i]->left;
        g += candidate_gaps(set->row[i]);
    }
    return PCS_OK;
}

bool project_move(const pcs_model *m, const double *dq, double *q_all)
{
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        double *q = q_all + s->q_at;
        bool moved = false;
        for (int i = 0; i < s->nq; ++i) {
            moved = moved || dq[s->q_at + i] != 0;
            q[i] += dq[s->q_at + i];
        }
        if (moved && (!pcs_all_finite(q, (size_t)s->nq) || !system_normalise(s, q))) return false;
    }
    return model_carry(m, q_all) == PCS_OK;
}

void project_add(project_set *set, candidate *c)
{
    set->row[set->n++] = c;
    set->rows += candidate_gaps(c);
    set->joints = set->joints || c->law.kind == PCS_LAW_EQUALITY;
}

double project_coordinate(const trial *t, int system)
{
    double largest = 0;
    if (!system_can_move(t->m, system)) return 0;
    const model_system *s = &t->m->system[system];
    for (int k = 0; k < s->nq; ++k) {
        const double x = fabs(t->end.q[s->q_at + k]);
        if (x > largest) largest = x;
    }
    return largest;
}

// largest coordinate of the systems of the rows
static double largest_coordinate(const trial *t, const project_set *set)
{
    double largest = 0;
    for (int i = 0; i < set->n; ++i) {
        const candidate *c = set->row[i];
        largest = fmax(largest, project_coordinate(t, c->pose1));
        largest = fmax(largest, project_coordinate(t, c->pose2));
    }
    return largest;
}

// tolerance of the linearised problem for gaps that may be violated by tol: the residual of its
// solution is the error of the gaps, relative to |g|
static double worth_solving(const project_set *set, const double *g, double tol)
{
    double square = 0;
    for (int i = 0; i < set->rows; ++i) {
        square += g[i] * g[i];
    }
    return fmin(1e-2, fmax(1e-12, 0.3 * tol / sqrt(square)));
}

static double violated_by(const project_set *set, const double *g)
{
    return pcs_position_violation(set->rows, set->kind, g);
}

static bool has_joints_only(const project_set *set)
{
    for (int i = 0; i < set->rows; ++i) {
        if (set->kind[i] != PCS_CONE_EQUALITY) return false;
    }
    return true;
}

pcs_solver_opts project_options(const project_set *set, const double *g, double tol)
{
    const bool few = set->rows <= FEW_ROWS;
    pcs_solver_opts opts =
        pcs_solver_opts_default(few || set->joints ? PCS_SOLVER_AUTO : PCS_SOLVER_NSGS);
    opts.tol = few ? 1e-12 : worth_solving(set, g, tol);
    if (has_joints_only(set)) opts.tol = LINEAR_TOL;
    if (!few) opts.max_iters = set->joints ? BUDGET : PROJECT_SWEEPS;
    return opts;
}

// the larger of two; NaN if one is NaN
static double worse(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

void project_worst(double by, int one, int two, pcs_step_report *out)
{
    if (!(by > out->violation_after) && !isnan(by)) return;
    out->violation_after = by;
    out->violation_one = one;
    out->violation_two = two;
}

void project_remember(pcs_step_report *out, double residual, pcs_outcome outcome)
{
    out->projection_iters += 1;
    out->projection_solve = outcome;
    out->projection_residual = worse(residual, out->projection_residual);
}

static pcs_status solve_linear(const trial *t, const project_set *set, const double *g,
                               const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                               pcs_report *report)
{
    if (t->m->scheme.metric == PCS_METRIC_MASS) {
        return project_in_mass(t, set, g, opts, mem, dq, report);
    }
    return project_in_metric(t, set, g, opts, mem, dq, report);
}

// true when joints of the set make a loop: then their rows may depend on each other
static bool has_loop(const trial *t, const project_set *set, int *parent)
{
    for (int i = 0; i <= t->m->n_systems; ++i) {
        parent[i] = i;
    }
    for (int i = 0; i < set->n; ++i) {
        const candidate *c = set->row[i];
        if (c->law.kind != PCS_LAW_EQUALITY) continue;
        const int world = t->m->n_systems;
        const int one = island_root(parent, system_moves(t->m, c->sys1) ? c->sys1 : world);
        const int two = island_root(parent, system_moves(t->m, c->sys2) ? c->sys2 : world);
        if (one == two) return true;
        parent[two] = one;
    }
    return false;
}

// Rows of joints that depend on each other contradict each other by the square of what is left of
// them. Alone they are solved by least squares, but together with unilateral rows they have no
// solution, and every solver would search for it in vain. Therefore the joints are solved alone
// first, and what that leaves is subtracted from their gaps: of joints that agree the rounding of
// the gaps, which may be more than a tolerance relative to them. *out is g where nothing is left
static pcs_status agreed_gaps(const trial *t, const project_set *set, const double *g,
                              pcs_arena *mem, double *dq, const double **out, bool *agree,
                              pcs_outcome *outcome)
{
    *out = g;
    *agree = true;
    *outcome = PCS_OUTCOME_CONVERGED;
    int *parent = PCS_TAKE(mem, (size_t)t->m->n_systems + 1, int);
    if (!parent) return pcs_fail_memory("projection");
    if (!set->joints || has_joints_only(set) || !has_loop(t, set, parent)) return PCS_OK;
    double *agreed = PCS_TAKE(mem, (size_t)set->rows, double);
    pcs_arena scratch = *mem;
    double *g_E = PCS_TAKE(&scratch, (size_t)set->rows, double);
    project_set joints = {.row = PCS_TAKE(&scratch, (size_t)set->n, candidate *),
                          .kind = PCS_TAKE(&scratch, (size_t)set->rows, pcs_cone),
                          .w = PCS_TAKE(&scratch, (size_t)set->rows, double)};
    if (!agreed || !g_E || !joints.row || !joints.kind || !joints.w) {
        return pcs_fail_memory("projection");
    }
    memcpy(agreed, g, (size_t)set->rows * sizeof *g);
    for (int i = 0, at = 0; i < set->n; ++i) {
        const int n = candidate_gaps(set->row[i]);
        if (set->row[i]->law.kind == PCS_LAW_EQUALITY) {
            memcpy(g_E + joints.rows, g + at, (size_t)n * sizeof *g);
            project_add(&joints, set->row[i]);
        }
        at += n;
    }
    double most = 0, left = 0;
    for (int i = 0; i < joints.rows; ++i) {
        joints.kind[i] = PCS_CONE_EQUALITY;
        most = fmax(most, fabs(g_E[i]));
    }
    if (most == 0) return PCS_OK;

    const pcs_solver_opts opts = project_options(&joints, g_E, t->proj_tol);
    pcs_report report;
    PCS_TRY(solve_linear(t, &joints, g_E, &opts, scratch, dq, &report));
    for (int i = 0; i < joints.rows; ++i) {
        left = fmax(left, fabs(joints.w[i]));
    }
    if (!(left > 0)) return PCS_OK;
    for (int i = 0, at = 0, k = 0; i < set->n; ++i) {
        const int n = candidate_gaps(set->row[i]);
        const bool joint = set->row[i]->law.kind == PCS_LAW_EQUALITY;
        for (int j = 0; joint && j < n; ++j) {
            agreed[at + j] -= joints.w[k++];
        }
        at += n;
    }
    *agree = left <= AGREED * most;
    if (!*agree) *outcome = report.outcome;
    *out = agreed;
    return PCS_OK;
}

pcs_status project_linear(const trial *t, const project_set *set, const double *g,
                          const pcs_solver_opts *opts, pcs_arena mem, double *dq,
                          pcs_step_report *out, pcs_outcome *outcome)
{
    pcs_report report;
    pcs_outcome joints;
    const double *agreed;
    bool agree;
    PCS_TRY(agreed_gaps(t, set, g, &mem, dq, &agreed, &agree, &joints));
    pcs_solver_opts enough = *opts;
    if (!agree) {
        enough.tol = fmax(opts->tol, worth_solving(set, g, LINEAR_TOL * violated_by(set, g)));
    }
    PCS_TRY(solve_linear(t, set, agreed, &enough, mem, dq, &report));
    *outcome = report.outcome == PCS_OUTCOME_CONVERGED ? joints : report.outcome;
    project_remember(out, report.measure.residual, *outcome);
    return PCS_OK;
}

static void find_worst(const project_set *set, const double *g, pcs_step_report *out)
{
    out->violation_after = 0;
    for (int i = 0, k = 0; i < set->n; ++i) {
        const candidate *c = set->row[i];
        const int n = candidate_gaps(c);
        const bool shapes = c->interaction < 0;
        project_worst(pcs_position_violation(n, &set->kind[k], &g[k]), shapes ? c->key.shape1 : -1,
                      shapes ? c->key.shape2 : c->interaction + 1, out);
        k += n;
    }
}

static pcs_status iterate(const trial *t, const project_set *set, int steps, double *g,
                          pcs_arena mem, double *q, pcs_step_report *out)
{
    out->projection_outcome = PCS_OUTCOME_MAX_ITERS;
    pcs_outcome last = PCS_OUTCOME_CONVERGED;
    double before = INFINITY;
    pcs_solver_opts opts = {.kind = PCS_SOLVER_AUTO};
    double *dq = PCS_TAKE(&mem, (size_t)t->m->nq, double);
    if (!dq) return pcs_fail_memory("projection");

    // far from the origin the rounding error of a gap is larger
    const double tol = fmax(t->proj_tol, 4 * DBL_EPSILON * largest_coordinate(t, set));
    for (int it = 0;; ++it) {
        PCS_TRY(gaps(t, set, mem, g));
        step_spend(t->work, set->rows);
        find_worst(set, g, out);
        if (it == 0) out->violation_before = out->violation_after;
        if (out->violation_after <= tol) {
            out->projection_outcome = PCS_OUTCOME_CONVERGED;
            return PCS_OK;
        }
        // a linearised problem without solution (redundant rows that differ by rounding, or rows
        // that contradict each other) still gives a step, which is taken as long as it helps
        if (last != PCS_OUTCOME_CONVERGED && opts.kind == PCS_SOLVER_AUTO &&
            !(out->violation_after <= 0.5 * before)) {
            out->projection_outcome = last;
            return PCS_OK;
        }
        if (it == steps) return PCS_OK;
        // at least one step: violations that stay make the next time steps dearer
        if (it > 0 && step_over(t->work, 1, &out->projection_outcome)) return PCS_OK;
        before = out->violation_after;

        opts = project_options(set, g, tol);
        PCS_TRY(project_linear(t, set, g, &opts, mem, dq, out, &last));
        if (!project_move(t->m, dq, q)) {
            out->projection_outcome = PCS_OUTCOME_DIVERGED;
            return PCS_OK;
        }
    }
}

void step_keep_free(const trial *t, motion *end)
{
    end->q_free = end->q_room;
    for (int k = 0; k < t->n_runs; ++k) {
        const trial_run *run = &t->run[k];
        memcpy(end->q_free + run->q, end->q + run->q, (size_t)run->nq * sizeof(double));
    }
}

pcs_status project_joints(const trial *t, project_set *set, int steps, pcs_arena mem, double *q,
                          pcs_step_report *out)
{
    set->kind = PCS_TAKE(&mem, (size_t)set->rows, pcs_cone);
    double *g = PCS_TAKE(&mem, (size_t)set->rows, double);
    if (!set->kind || !g) return pcs_fail_memory("projection");
    for (int i = 0; i < set->rows; ++i) {
        set->kind[i] = PCS_CONE_EQUALITY;
    }
    return iterate(t, set, steps, g, mem, q, out);
}

// true when only the plane of a contact is violated at q': the shapes are apart, beside each other
static pcs_status is_beside(const trial *t, candidate *c, pcs_arena mem, bool *beside)
{
    const pcs_model *m = t->m;
    *beside = false;
    if (c->interaction >= 0) return PCS_OK;
    contact_gap(m, c, t->end.q, c->g_end);
    if (!(c->g_end[0] < 0)) return PCS_OK;
    pcs_feature *f;
    int n;
    PCS_TRY(pair_features(m, c->key.shape1, c->key.shape2, system_q(m, c->pose1, t->end.q),
                          system_q(m, c->pose2, t->end.q), 0, &mem, &f, &n));
    *beside = n == 0;
    return PCS_OK;
}

// m: overlap of a contact that rebounds which its own motion opens before the next step predicts
// its gap. The projection leaves this overlap: otherwise a lift would add energy at the start of
// every flight, and the body would never rest.
static double left_open(const trial *t, candidate *c)
{
    const pcs_scheme *s = &t->m->scheme;
    if (pcs_scheme_activation(s) != PCS_ACTIVATION_PREDICTIVE) return 0;
    if (c->law.kind == PCS_LAW_EQUALITY || !(c->law.e > 0)) return 0;
    candidate_velocity(t, (int)(c - t->list.c), t->end.v, c->drive, c->u);
    return fmax(0, fmax(1, s->gamma) * t->h * c->u[0]);
}

pcs_status step_project(const trial *t, project_rows which, pcs_arena mem, candidates *list,
                        double *q, pcs_step_report *out)
{
    const pcs_model *m = t->m;
    out->projection_outcome = PCS_OUTCOME_CONVERGED;
    project_set set = {.row = PCS_TAKE(&mem, (size_t)list->n, candidate *)};
    if (!set.row) return pcs_fail_memory("projection");
    for (int i = 0; i < list->n; ++i) {
        candidate *c = &list->c[i];
        if (c->law.kind == PCS_LAW_LIMITED) continue;
        bool taken =
            c->active || (c->law.kind == PCS_LAW_EQUALITY && which != PROJECT_ACTIVE_AS_EQUALITIES);
        if (!taken && which == PROJECT_ACTIVE_AND_VIOLATED) {
            PCS_TRY(candidate_gap(m, c, t->end.q, mem, c->g_end));
            taken = c->g_end[0] < 0 && (c->interaction >= 0 || (c->overlaps && !c->refuted));
        }
        bool beside = false;
        if (taken && which != PROJECT_ACTIVE_AS_EQUALITIES) {
            PCS_TRY(is_beside(t, c, mem, &beside));
        }
        if (!taken || beside) continue;
        c->left = left_open(t, c);
        project_add(&set, c);
    }
    if (set.n == 0) return PCS_OK;

    set.kind = PCS_TAKE(&mem, (size_t)set.rows, pcs_cone);
    double *g = PCS_TAKE(&mem, (size_t)set.rows, double);
    if (!set.kind || !g) return pcs_fail_memory("projection");
    for (int i = 0, k = 0; i < set.n; ++i) {
        const bool equal =
            set.row[i]->law.kind == PCS_LAW_EQUALITY || which == PROJECT_ACTIVE_AS_EQUALITIES;
        for (int j = 0; j < candidate_gaps(set.row[i]); ++j) {
            set.kind[k++] = equal ? PCS_CONE_EQUALITY : PCS_CONE_UNILATERAL;
        }
    }
    PCS_TRY(iterate(t, &set, m->scheme.proj_max, g, mem, q, out));
    return project_conflicts(t, mem, out);
}
