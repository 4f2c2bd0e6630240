// Impulses for the velocities that step_pay_lifts takes (lift.c): M dv of bodies as wrenches of
// their joints, N s and N m s, the force inertial, the moment about G in body axes.
//
// The rows of a joint need not be able to give this impulse, since it opposes a motion that they
// leave free: the weight of a chain that is stretched between two walls. So the wrenches are those
// of joints without any freedom, with six rows J at a point that both sides have in common:
//
//     J^T w = M dv,
//
// the impulses of the problem J v = 0 that starts from -A^-1 M dv, with any A: where an island
// keeps its momentum, or a fixed body holds it, the solution is v = 0. Of w in closed loops the
// solver takes the least.
#include "step/project.h"

#include <string.h>

#include "relations/joint.h"
#include "rotation/pose.h"
#include "step/rest.h"

// tolerance of that problem, and the part of the units that are left for it
#define BRAKE_TOL  1e-12
#define BRAKE_PART 0.5

// the first candidate of an interaction that is a joint of a body that has lost velocity
static bool is_braked(const trial *t, int i, const double *lost)
{
    const candidate *c = &t->list.c[i];
    if (!c->active || c->law.kind != PCS_LAW_EQUALITY) return false;
    if (i > 0 && c[-1].interaction == c->interaction) return false;
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!system_moves(t->m, system)) continue;
        const model_system *s = &t->m->system[system];
        if (s->kind == SYSTEM_BODY && !step_is_zero(lost + s->v_at, BODY_NV)) return true;
    }
    return false;
}

// Six rows of one side: the velocity of P and the angular velocity, inertial, the latter times a
// length of the model
static void lock_side(const trial *t, int system, const double P[3], double sign, double J[36])
{
    const model_system *s = &t->m->system[system];
    const double *q = t->end.q + s->q_at;
    double R[9], d[3], at[3];
    quat_matrix(q + 3, R);
    v3_sub(P, q, d);
    memset(J, 0, 36 * sizeof *J);
    for (int j = 0; j < 3; ++j) {
        const double *e = R + 3 * j;
        if (!system_locks(s, j)) J[7 * j] = sign;
        if (system_locks(s, 3 + j)) continue;
        v3_cross(e, d, at);
        v3_scale(sign, at, J + 6 * (3 + j));
        v3_scale(sign * t->size, e, J + 6 * (3 + j) + 3);
    }
}

static pcs_status lock(const trial *t, int i, pcs_arena *mem, bodies_block *k)
{
    const pcs_model *m = t->m;
    const candidate *c = &t->list.c[i];
    const double *points = relation_joint_points(&m->interaction[c->interaction].relation);
    const double *q1 = system_q(m, c->pose1, t->end.q), *q2 = system_q(m, c->pose2, t->end.q);
    double P[3];
    if (points) {
        pose_point(q1, points, P);
    } else {
        v3_copy(q1 ? q1 : q2, P);
    }
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!system_moves(m, system) || m->system[system].kind != SYSTEM_BODY) continue;
        double *J = PCS_TAKE(mem, 36, double);
        if (!J) return pcs_fail_memory("projection");
        lock_side(t, system, P, side == 0 ? 1 : -1, J);
        k->sys[side] = m->system[system].block;
        k->rows[side] = J;
    }
    return PCS_OK;
}

// the impulses on both sides of a joint by its rows
static void wrenches(const bodies_block *k, const double *w, double out[12])
{
    for (int side = 0; side < 2; ++side) {
        for (int j = 0; k->sys[side] >= 0 && j < BODY_NV; ++j) {
            for (int a = 0; a < 6; ++a) {
                out[6 * side + j] += k->rows[side][a + 6 * j] * w[a];
            }
        }
    }
}

// -A^-1 of the impulses of bodies
static void start_from(const trial *t, const block_lu *A, const double *lost, double *v)
{
    const pcs_model *m = t->m;
    memset(v, 0, (size_t)m->nv * sizeof *v);
    for (int b = 0; b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        const double *of = lost + s->v_at;
        if (s->kind != SYSTEM_BODY || step_is_zero(of, BODY_NV)) continue;
        v3_scale(-1, of, v + s->v_at);
        v3_scale(-1, of + 3, v + s->v_at + 3);
        block_lu_solve(A, b, v + s->v_at);
    }
}

pcs_status step_brake(trial *t, pcs_arena *mem, const double *lost)
{
    const pcs_model *m = t->m;
    int joints = 0, n = 0;
    // interactions come first
    while (joints < t->list.n && t->list.c[joints].joint) {
        n += is_braked(t, joints++, lost);
    }
    double *of_joint = PCS_TAKE(mem, 12 * (size_t)joints, double);
    if (!of_joint) return pcs_fail_memory("projection");
    memset(of_joint, 0, 12 * (size_t)joints * sizeof *of_joint);
    t->braked = of_joint;

    pcs_arena scope = *mem;
    bodies_block *block = PCS_TAKE(&scope, (size_t)n, bodies_block);
    double *v = PCS_TAKE(&scope, (size_t)m->nv, double);
    double *w = PCS_TAKE(&scope, 18 * (size_t)n, double);
    block_lu A;
    if (!block || !v || !w) return pcs_fail_memory("projection");
    memset(w, 0, 18 * (size_t)n * sizeof *w);
    PCS_TRY(project_masses(t, NULL, &scope, &A));
    for (int i = 0, k = 0; i < joints; ++i) {
        if (!is_braked(t, i, lost)) continue;
        block[k] =
            (bodies_block){.cone = PCS_CONE_EQUALITY, .dim = 6, .row = 6 * k, .sys = {-1, -1}};
        PCS_TRY(lock(t, i, &scope, &block[k++]));
    }
    start_from(t, &A, lost, v);
    const bodies_problem p = {.n = 6 * n,
                              .nb = n,
                              .block = block,
                              .shift = w + 12 * (size_t)n,
                              .A = &A,
                              .R = t->rotation};
    pcs_solver_opts opts = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    bodies_report report;
    opts.tol = BRAKE_TOL;
    step_limit_seconds(t->work, &opts);
    PCS_TRY(bodies_solve(&p, &opts, (pcs_watch){0}, BRAKE_PART * step_units(t->work, 1),
                         t->work->team, scope, v, w, w + 6 * (size_t)n, &report));
    step_spend(t->work, report.units);
    for (int i = 0, k = 0; i < joints; ++i) {
        if (!is_braked(t, i, lost)) continue;
        wrenches(&block[k], w + 6 * (size_t)k, of_joint + 12 * (size_t)i);
        k += 1;
    }
    return PCS_OK;
}
