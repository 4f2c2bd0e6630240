// Projection of the trial's positions onto its constraints (theory 8): linearise the gaps at the
// current q, solve one MLCP step in the chosen metric, update, renormalise, evaluate again.
// Velocities are not touched. Only the systems that the rows touch take part.
#include "step/step.h"

#include <float.h>
#include <string.h>

#include "linalg/bsr.h"

// the part of the state that the rows touch, numbered locally
typedef struct local_part {
    int n;        // systems
    int *system;  // n, increasing
    int *q_start; // n + 1
    int *v_start; // n + 1
    int *column;  // per system of the model: its local number, -1
    int n_quat;
    int *quat; // n_quat
} local_part;

static pcs_status take_local(const trial *t, int n, candidate **row, pcs_arena *mem, local_part *L)
{
    const pcs_model *m = t->m;
    const size_t ns = (size_t)m->n_systems;
    *L = (local_part){0};
    L->system = PCS_TAKE(mem, ns, int);
    L->q_start = PCS_TAKE(mem, ns + 1, int);
    L->v_start = PCS_TAKE(mem, ns + 1, int);
    L->column = PCS_TAKE(mem, ns, int);
    L->quat = PCS_TAKE(mem, ns, int);
    if (!L->system || !L->q_start || !L->v_start || !L->column || !L->quat) {
        return pcs_fail_memory("projection");
    }
    for (size_t i = 0; i < ns; ++i) {
        L->column[i] = -1;
    }
    for (int i = 0; i < n; ++i) {
        if (row[i]->J1) L->column[row[i]->sys1] = 0;
        if (row[i]->J2) L->column[row[i]->sys2] = 0;
    }
    L->q_start[0] = L->v_start[0] = 0;
    for (int i = 0; i < m->n_systems; ++i) {
        if (L->column[i] < 0) continue;
        const model_system *s = &m->system[i];
        const int k = L->n++;
        L->column[i] = k;
        L->system[k] = i;
        L->q_start[k + 1] = L->q_start[k] + s->nq;
        L->v_start[k + 1] = L->v_start[k] + s->nv;
        if (s->kind == SYSTEM_BODY) L->quat[L->n_quat++] = L->q_start[k] + 3;
    }
    return PCS_OK;
}

// T and the mass of the local part at q
static pcs_status take_metric(const trial *t, const local_part *L, pcs_arena *mem, pcs_bsr *T,
                              pcs_mass **M)
{
    const pcs_model *m = t->m;
    const size_t n = (size_t)L->n;
    size_t t_values = 0, m_values = 0;
    for (int k = 0; k < L->n; ++k) {
        const model_system *s = &m->system[L->system[k]];
        t_values += (size_t)s->nq * (size_t)s->nv;
        m_values += (size_t)s->nv * (size_t)s->nv;
    }
    *T = (pcs_bsr){.m = L->n, .n = L->n, .row = L->q_start, .col = L->v_start};
    T->ptr = PCS_TAKE(mem, n + 1, int);
    T->idx = PCS_TAKE(mem, n, int);
    T->off = PCS_TAKE(mem, n, size_t);
    T->val = PCS_TAKE(mem, t_values, double);
    size_t *off = PCS_TAKE(mem, n + 1, size_t);
    block_lu F = {.nb = L->n, .start = L->v_start, .off = off};
    F.lu = PCS_TAKE(mem, m_values, double);
    F.piv = PCS_TAKE(mem, (size_t)L->v_start[L->n], int);
    if (!T->ptr || !T->idx || !T->off || !T->val || !off || !F.lu || !F.piv) {
        return pcs_fail_memory("projection");
    }

    size_t at = 0;
    T->ptr[0] = 0;
    off[0] = 0;
    for (int k = 0; k < L->n; ++k) {
        const model_system *s = &m->system[L->system[k]];
        const double *q = t->q + s->q_at;
        T->ptr[k + 1] = k + 1;
        T->idx[k] = k;
        T->off[k] = at;
        if (s->kind == SYSTEM_BODY) {
            pcs_body_T(q, T->val + at);
        } else {
            memset(T->val + at, 0, (size_t)s->nq * (size_t)s->nv * sizeof(double));
            for (int i = 0; i < s->nv; ++i) {
                T->val[at + (size_t)i * ((size_t)s->nv + 1)] = 1;
            }
        }
        at += (size_t)s->nq * (size_t)s->nv;
        PCS_TRY(system_mass(s, q, F.lu + off[k]));
        off[k + 1] = off[k] + (size_t)s->nv * (size_t)s->nv;
    }
    const int bad = block_lu_factor(&F);
    if (bad >= 0) {
        return pcs_fail(PCS_ERR_SINGULAR, "projection: the mass of system %d is singular",
                        L->system[bad] + 1);
    }
    return mass_in_arena(&F, mem, M);
}

static size_t width(const trial *t, int system, bool coordinates)
{
    const model_system *s = &t->m->system[system];
    return (size_t)(coordinates ? s->nq : s->nv);
}

// the rows at q, in velocity coordinates (CT) or in coordinates (C)
static pcs_status take_rows(const trial *t, int n, candidate **row, const local_part *L,
                            bool coordinates, pcs_arena *mem, pcs_bsr *out)
{
    row_source *source = PCS_TAKE(mem, (size_t)n, row_source);
    if (!source) return pcs_fail_memory("projection");
    for (int i = 0; i < n; ++i) {
        const candidate *c = row[i];
        const size_t dim = (size_t)candidate_gaps(c);
        double *A[2] = {NULL, NULL}, *J[2] = {NULL, NULL};
        for (int side = 0; side < 2; ++side) {
            const int system = side == 0 ? c->sys1 : c->sys2;
            if (!(side == 0 ? c->J1 : c->J2)) continue;
            J[side] = PCS_TAKE(mem, dim * width(t, system, false), double);
            A[side] = coordinates ? PCS_TAKE(mem, dim * width(t, system, true), double) : J[side];
            if (!J[side] || !A[side]) return pcs_fail_memory("projection");
        }
        PCS_TRY(candidate_rows(t->m, c, (int)dim, t->q, *mem, J[0], J[1], coordinates ? A[0] : NULL,
                               coordinates ? A[1] : NULL));
        source[i] = (row_source){A[0] ? L->column[c->sys1] : -1, A[1] ? L->column[c->sys2] : -1,
                                 (int)dim, A[0], A[1]};
    }
    return stack_rows(n, source, L->n, coordinates ? L->q_start : L->v_start, mem, out);
}

static pcs_status gaps(const trial *t, int n, candidate **row, pcs_arena mem, double *g)
{
    for (int i = 0; i < n; ++i) {
        PCS_TRY(candidate_gap(t->m, row[i], t->q, mem, g));
        g += candidate_gaps(row[i]);
    }
    return PCS_OK;
}

// q + dq of the local part, renormalised; false if a quaternion vanished or a number is not finite
static bool move(const trial *t, const local_part *L, const double *dq)
{
    for (int k = 0; k < L->n; ++k) {
        const model_system *s = &t->m->system[L->system[k]];
        double *q = t->q + s->q_at;
        for (int i = 0; i < s->nq; ++i) {
            q[i] += dq[L->q_start[k] + i];
        }
        if (!pcs_all_finite(q, (size_t)s->nq) || !system_normalize(s, q)) return false;
    }
    return true;
}

static double largest_coordinate(const trial *t, const local_part *L)
{
    double largest = 0;
    for (int k = 0; k < L->n; ++k) {
        const model_system *s = &t->m->system[L->system[k]];
        for (int i = 0; i < s->nq; ++i) {
            largest = fmax(largest, fabs(t->q[s->q_at + i]));
        }
    }
    return largest;
}

static pcs_status iterate(trial *t, int n, candidate **row, const local_part *L, int rows,
                          const pcs_cone *kind, double *g, pcs_arena mem, pcs_step_report *out)
{
    const pcs_scheme *scheme = &t->m->scheme;
    const bool in_q = scheme->metric == PCS_METRIC_Q || scheme->metric == PCS_METRIC_Q1;
    pcs_solver_opts opts = pcs_solver_defaults(PCS_AUTO);
    opts.tol = 1e-12;
    out->projection_outcome = PCS_MAX_ITERS;
    pcs_outcome last = PCS_CONVERGED;
    double before = INFINITY;

    // far from the origin a gap is a difference of large numbers
    const double tol = fmax(scheme->proj_tol, 4 * DBL_EPSILON * largest_coordinate(t, L));
    for (int it = 0;; ++it) {
        pcs_arena scope = mem;
        PCS_TRY(gaps(t, n, row, scope, g));
        out->violation_after = pcs_position_violation(rows, kind, g);
        if (it == 0) out->violation_before = out->violation_after;
        if (out->violation_after <= tol) {
            out->projection_outcome = PCS_CONVERGED;
            return PCS_OK;
        }
        // a linearised problem without solution (redundant rows that disagree by rounding, or
        // rows that contradict one another) still gives a step; it counts while it helps
        if (last != PCS_CONVERGED && !(out->violation_after <= 0.5 * before)) {
            out->projection_outcome = last;
            return PCS_OK;
        }
        if (it == scheme->proj_max) return PCS_OK;
        before = out->violation_after;

        pcs_bsr A, T;
        pcs_mass *M;
        PCS_TRY(take_rows(t, n, row, L, in_q, &scope, &A));
        PCS_TRY(take_metric(t, L, &scope, &T, &M));
        const int nq = L->q_start[L->n];
        double *q = PCS_TAKE(&scope, (size_t)nq, double);
        double *dq = PCS_TAKE(&scope, (size_t)nq, double);
        double *Lambda = PCS_TAKE(&scope, (size_t)rows, double);
        if (!q || !dq || !Lambda) return pcs_fail_memory("projection");
        for (int k = 0; k < L->n; ++k) {
            const model_system *s = &t->m->system[L->system[k]];
            memcpy(q + L->q_start[k], t->q + s->q_at, (size_t)s->nq * sizeof *q);
        }

        const pcs_position_problem p = {.m = rows,
                                        .kind = kind,
                                        .g = g,
                                        .C = in_q ? &A : NULL,
                                        .CT = in_q ? NULL : &A,
                                        .T = &T,
                                        .M = M,
                                        .nq = nq,
                                        .q = q,
                                        .n_quat = L->n_quat,
                                        .quat = L->quat};
        pcs_report report;
        PCS_TRY(pcs_position_step(&p, scheme->metric, &opts, scope, Lambda, dq, &report));
        out->projection_iters += 1;
        last = report.outcome;
        if (!move(t, L, dq)) {
            out->projection_outcome = PCS_DIVERGED;
            return PCS_OK;
        }
    }
}

void step_keep_free(trial *t)
{
    t->q_free = t->q_room;
    memcpy(t->q_free, t->q, (size_t)t->m->nq * sizeof(double));
}

pcs_status step_project(trial *t, project_rows which, pcs_arena mem, pcs_step_report *out)
{
    const pcs_model *m = t->m;
    out->projection_outcome = PCS_CONVERGED;
    candidate **row = PCS_TAKE(&mem, (size_t)t->list.n, candidate *);
    if (!row) return pcs_fail_memory("projection");
    int n = 0, rows = 0;
    for (int i = 0; i < t->list.n; ++i) {
        candidate *c = &t->list.c[i];
        bool taken =
            c->active || (c->law.kind == PCS_LAW_EQUALITY && which != PROJECT_ACTIVE_AS_EQUALITIES);
        if (!taken && which == PROJECT_ACTIVE_AND_VIOLATED) {
            PCS_TRY(candidate_gap(m, c, t->q, mem, c->g_end));
            taken = c->g_end[0] < 0;
        }
        if (!taken) continue;
        row[n++] = c;
        rows += candidate_gaps(c);
    }
    if (n == 0) return PCS_OK;

    pcs_cone *kind = PCS_TAKE(&mem, (size_t)rows, pcs_cone);
    double *g = PCS_TAKE(&mem, (size_t)rows, double);
    if (!kind || !g) return pcs_fail_memory("projection");
    for (int i = 0, k = 0; i < n; ++i) {
        const bool equal =
            row[i]->law.kind == PCS_LAW_EQUALITY || which == PROJECT_ACTIVE_AS_EQUALITIES;
        for (int j = 0; j < candidate_gaps(row[i]); ++j) {
            kind[k++] = equal ? PCS_EQUALITY : PCS_UNILATERAL;
        }
    }
    local_part L;
    PCS_TRY(take_local(t, n, row, &mem, &L));
    return iterate(t, n, row, &L, rows, kind, g, mem, out);
}
