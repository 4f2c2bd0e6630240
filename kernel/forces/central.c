// Forces along the line between two points: springs with dampers, and gravity.
//
// d = P1 - P2, l = |d|, n = d / l, u = dd/dt: tension f(l, n . u), force -f n on system 1 at P1 and
// f n on system 2 at P2. With f_l = df/dl and c = df/d(dl/dt) the derivative of -f n is
//
//     -Kp dd - Cp du,   Kp = f_l n n^T + (f / l) (I - n n^T) + (c / l) n (u - (n . u) n)^T,
//                       Cp = c n n^T.
//
// A spring without length has the force -stiffness d, also where d = 0. In velocities, with the
// lever r = P - G in inertial components and a rotation da (inertial),
//
//     dP = dx + da x r,   du = dv + R domega x r + da x (omega x r),
//     dM = R^T ( r x (dF - da x F) ).
#include "forces/forces.h"

#include <string.h>

#include "rotation/pose.h"

// one end: lever and velocity of the point, inertial
typedef struct end_point {
    const double *q;                        // null: the world
    double R[9], P[3], r[3], u[3], spin[3]; // spin: u - velocity of G
} end_point;

typedef struct line {
    end_point end[2];
    double n[3], u[3], along; // along = n . u
    double l, f, f_l, c;      // tension and its derivatives
    double elastic;           // the part of f with a potential
    double over;              // f / l, or its limit
    double V;
} line;

static void set_end(const double p[3], const force_side *s, end_point *e)
{
    *e = (end_point){.q = s->q};
    pose_point(s->q, p, e->P);
    if (!s->q) return;
    double omega[3];
    quat_matrix(s->q + 3, e->R);
    v3_sub(e->P, s->q, e->r);
    m3_mul(e->R, s->v + 3, omega);
    v3_cross(omega, e->r, e->spin);
    v3_along(s->v, 1, e->spin, e->u);
}

static pcs_status set_line(const pcs_model *m, const model_force *f, const force_side side[2],
                           line *a)
{
    const pcs_force_def *def = &f->def;
    double d[3];
    set_end(def->p1, &side[0], &a->end[0]);
    set_end(def->p2, &side[1], &a->end[1]);
    v3_sub(a->end[0].P, a->end[1].P, d);
    v3_sub(a->end[0].u, a->end[1].u, a->u);
    a->l = v3_unit(d, a->n);
    a->along = v3_dot(a->n, a->u);
    const bool gravity = def->kind == PCS_FORCE_GRAVITY;
    if (!(a->l > 0) && (gravity || def->length > 0)) {
        char words[PART_WORDS];
        return pcs_fail_range(PCS_ERR_ARG,
                              "step: the points of %s meet at (%g, %g, %g), where its force has no"
                              " direction",
                              force_words(m, f, words), a->end[0].P[0], a->end[0].P[1],
                              a->end[0].P[2]);
    }
    if (gravity) {
        a->elastic = def->strength / (a->l * a->l);
        a->f_l = -2 * a->elastic / a->l;
        a->over = a->elastic / a->l;
        a->V = -def->strength / a->l;
        a->c = 0;
        a->f = a->elastic;
        return PCS_OK;
    }
    const double stretch = a->l - def->length;
    a->elastic = def->stiffness * stretch;
    a->f_l = def->stiffness;
    a->c = def->damping;
    a->f = a->elastic + a->c * a->along;
    a->V = 0.5 * def->stiffness * stretch * stretch;
    // without length f / l is the stiffness, but for the damper
    const double damping = a->l > 0 ? a->c * a->along / a->l : 0;
    a->over = (def->length > 0 ? a->elastic / a->l : def->stiffness) + damping;
    return PCS_OK;
}

// adds the force `tension` along the line to both systems
static void pull(const line *a, double tension, const force_side side[2], double *F)
{
    for (int e = 0; e < 2; ++e) {
        if (side[e].n == 0) continue;
        const end_point *p = &a->end[e];
        double *to = F + (e == 0 ? 0 : side[0].n), force[3], moment[3];
        v3_scale(e == 0 ? -tension : tension, a->n, force);
        v3_cross(p->r, force, moment);
        v3_copy(force, to);
        m3_mul_t(p->R, moment, to + 3);
    }
}

pcs_status central_evaluate(const pcs_model *m, const model_force *f, const force_side side[2],
                            force_sum F, double *V, force_measure *out)
{
    line a;
    PCS_TRY(set_line(m, f, side, &a));
    pull(&a, a.elastic, side, F.conservative);
    pull(&a, a.f - a.elastic, side, F.other);
    if (V) *V = a.V;
    if (out) *out = (force_measure){.length = a.l, .speed = a.along, .force = a.f};
    return PCS_OK;
}

// a motion of one end: of G and of the axes (inertial), or of the velocities
typedef struct variation {
    double d[3], u[3], turn[3];
} variation;

// dF on system 1 for a variation of d and u
static void vary_force(const line *a, const variation *w, double dF[3])
{
    const double dn = v3_dot(a->n, w->d), un = v3_dot(a->n, w->u);
    double swing = 0;
    for (int i = 0; i < 3; ++i) {
        swing += (a->u[i] - a->along * a->n[i]) * w->d[i];
    }
    const double df = a->f_l * dn + a->c * un + (a->l > 0 ? a->c * swing / a->l : 0);
    for (int i = 0; i < 3; ++i) {
        dF[i] = -df * a->n[i] - a->over * (w->d[i] - dn * a->n[i]);
    }
    // where l = 0 there is no n, and the spring is isotropic
}

// the column of -dF for a variation of the motion of end e, whose axes turn by `turn`
static void set_column(const line *a, const force_side side[2], int e, const variation *w,
                       double *column)
{
    double dF[3];
    vary_force(a, w, dF);
    for (int to = 0; to < 2; ++to) {
        if (side[to].n == 0) continue;
        const double sign = to == 0 ? 1 : -1;
        double *c = column + (to == 0 ? 0 : side[0].n), moment[3], force[3], x[3];
        v3_scale(sign, dF, force);
        v3_scale(-1, force, c);
        if (to == e) {
            double F[3];
            v3_scale(-sign * a->f, a->n, F);
            v3_cross(w->turn, F, x);
            v3_along(force, -1, x, force);
        }
        v3_cross(a->end[to].r, force, moment);
        m3_mul_t(a->end[to].R, moment, c + 3);
        v3_scale(-1, c + 3, c + 3);
    }
}

pcs_status central_jacobian(const pcs_model *m, const model_force *f, const force_side side[2],
                            double *K, double *D)
{
    line a;
    PCS_TRY(set_line(m, f, side, &a));
    const int N = side[0].n + side[1].n;
    for (int e = 0, at = 0; e < 2; at += side[e].n, ++e) {
        const end_point *p = &a.end[e];
        const double sign = e == 0 ? 1 : -1;
        for (int j = 0; j < side[e].n; ++j) {
            // the motion of a unit velocity, as a displacement and as a velocity
            variation move = {{0}, {0}, {0}}, speed = {{0}, {0}, {0}};
            if (j < 3) {
                move.d[j] = sign;
            } else {
                v3_copy(p->R + 3 * (j - 3), move.turn);
                v3_cross(move.turn, p->r, move.d);
                v3_cross(move.turn, p->spin, move.u);
                v3_scale(sign, move.d, move.d);
                v3_scale(sign, move.u, move.u);
            }
            v3_copy(move.d, speed.u);
            set_column(&a, side, e, &move, K + (size_t)N * (size_t)(at + j));
            set_column(&a, side, e, &speed, D + (size_t)N * (size_t)(at + j));
        }
    }
    return PCS_OK;
}
