// Joints under tension. The rows of a joint are those of one configuration, and so is the direction
// of its force lambda. A rotation of a body by phi rotates the lever d of the joint, and the moment
// of the force changes by -K phi,
//
//     K = (d . lambda) I - 1/2 (d lambda^T + lambda d^T),   summed over the ball joints of a body:
//
// a tension S at both ends of a link of length l acts as a spring S l against its rotation. Light
// links under a large tension oscillate with sqrt(K / J) h > 2, and rows that do not rotate in the
// step are then unstable. In the middle of the actual motion of the step they are rotated further
// by h/4 (omega' - omega_k), which is a term of the iteration matrix:
//
//     (J + h^2/4 K+) (omega' - omega_k) = ...
//
// It is the term of the implicit midpoint rule, of second order and stable for any h; over many
// steps its work is a difference of 1/8 h^2 omega^T K omega. K+ is the positive part: a joint under
// pressure does not reduce the inertia. lambda is that of the last step or, in islands without
// contacts, which cost little to solve again, that of this step.
#include "step/step.h"

#include <string.h>

#include "linalg/m3.h"
#include "relations/joint.h"

// part of the inertia, (omega h / 2)^2, up to which a step resolves the motion
#define RESOLVED 0.25
// velocities are solved again when the stiffness changes by this part of the inertia, stiffness
// included
#define CHANGE 1e-2

// S += (d . p) I - 1/2 (d p^T + p d^T), with the impulse p in body axes
static void add_joint(const double d[3], const double p[3], double S[9])
{
    const double along = v3_dot(d, p);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            S[i + 3 * j] += (i == j ? along : 0) - 0.5 * (d[i] * p[j] + p[i] * d[j]);
        }
    }
}

// S becomes the positive part of h/4 S - RESOLVED J
static pcs_status keep_stiff(const model_system *s, double h, double S[9])
{
    double k[3], axes[9];
    for (int i = 0; i < 9; ++i) {
        // the rounding asymmetry of J may be large relative to a small difference
        const double J = 0.5 * (s->J[i] + s->J[i / 3 + 3 * (i % 3)]);
        S[i] = 0.25 * h * S[i] - RESOLVED * J;
    }
    PCS_TRY(pcs_inertia_principal(S, k, axes));
    memset(S, 0, 9 * sizeof *S);
    for (int a = 0; a < 3; ++a) {
        for (int j = 0; j < 3 && k[a] > 0; ++j) {
            for (int i = 0; i < 3; ++i) {
                S[i + 3 * j] += k[a] * axes[i + 3 * a] * axes[j + 3 * a];
            }
        }
    }
    return PCS_OK;
}

// the two points of an active ball joint, or null
static const double *ball_points(const trial *t, const candidate *c)
{
    if (c->interaction < 0 || c->law.kind != PCS_LAW_EQUALITY || !c->active) return NULL;
    return relation_joint_points(&t->m->interaction[c->interaction].relation);
}

// adds a joint with the impulse r to the bodies of both sides
static void add_impulse(const trial *t, const candidate *c, const double points[6],
                        const double r[3], double *stiff)
{
    for (int side = 0; side < 2; ++side) {
        const int system = side == 0 ? c->sys1 : c->sys2;
        if (!system_moves(t->m, system) || t->m->system[system].kind != SYSTEM_BODY) continue;
        const size_t b = (size_t)t->m->system[system].block;
        double p[3];
        m3_mul_t(t->rotation_k + 9 * b, r, p);
        if (side == 1) v3_scale(-1, p, p);
        add_joint(points + 3 * side, p, stiff + 9 * b);
    }
}

// true when S differs from the one before by more than a part of the inertia of the body
static bool differs(const model_system *s, const double *before, const double *S)
{
    double change = 0, size = 0;
    for (int i = 0; i < 9; ++i) {
        change = fmax(change, fabs(S[i] - before[i]));
        size = fmax(size, s->J[i] + before[i]);
    }
    return change > CHANGE * size;
}

pcs_status step_tension(const trial *t, bool again, pcs_arena *mem, double **stiff, bool *changed)
{
    const pcs_model *m = t->m;
    const size_t n = 9 * (size_t)m->n_blocks;
    double *S = NULL;
    *changed = false;
    for (int i = 0; i < t->list.n; ++i) {
        const candidate *c = &t->list.c[i];
        const double *points = ball_points(t, c);
        if (!points) continue;
        if (!S) {
            S = PCS_TAKE(mem, n, double);
            if (!S) return pcs_fail_memory("step: joints under tension");
            memset(S, 0, n * sizeof *S);
        }
        add_impulse(t, c, points, c->r, S);
    }
    for (int b = 0; S && b < m->n_blocks; ++b) {
        const model_system *s = &m->system[m->block_system[b]];
        if (s->kind != SYSTEM_BODY) continue;
        double *of = S + 9 * (size_t)b;
        for (int i = 0; i < 9; ++i) {
            if (system_locks(s, 3 + i % 3) || system_locks(s, 3 + i / 3)) of[i] = 0;
        }
        PCS_TRY(keep_stiff(s, t->h, of));
        const bool free = step_in_middle(t, m->block_system[b]);
        *changed = *changed || (again && free && differs(s, *stiff + 9 * (size_t)b, of));
    }
    if (!again || *changed) *stiff = S;
    return PCS_OK;
}

double step_tension_work(const trial *t, int b)
{
    const double *stiff = trial_stiffness(t, b);
    if (!stiff) return 0;
    const int at = t->m->block_start[b] + 3;
    const double *v_k = t->st->v + at, *v = t->end.v + at;
    double work = 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            work -= 0.5 * (v[i] + v_k[i]) * stiff[i + 3 * j] * (v[j] - v_k[j]);
        }
    }
    return work;
}
