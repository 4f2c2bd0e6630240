// A model as time steps and as a smooth system: shared by the tests of both.
#ifndef KERNEL_SMOOTH_SCENE_H
#define KERNEL_SMOOTH_SCENE_H

#include "scene.h"
#include "smooth.h"

#include <complex.h>

#include <percuss/smooth.h>

#include "linalg/m3.h"

#define G 9.81

static inline pcs_smooth *smooth_of(const pcs_model *m, const pcs_smooth_def *def)
{
    pcs_smooth *sys = NULL;
    CK_OK(pcs_smooth_create(NULL, m, def, &sys));
    return sys;
}

static inline void integrate(pcs_smooth *sys, double t_end, double rtol, double *x)
{
    pcs_ode ode;
    CK_OK(pcs_smooth_ode(sys, &ode));
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = rtol;
    opts.atol = 0.01 * rtol;
    pcs_integrator *run = smooth_run(&ode, &opts, 0, x);
    CK_OK(pcs_integrator_advance(run, t_end, NULL));
    memcpy(x, pcs_integrator_x(run), (size_t)ode.n * sizeof *x);
    pcs_integrator_destroy(run);
}

static inline double furthest(const pcs_state *a, const pcs_state *b)
{
    double most = 0;
    for (int i = 0; i < a->nq; ++i) {
        most = fmax(most, fabs(a->q[i] - b->q[i]));
    }
    for (int i = 0; i < a->nv; ++i) {
        most = fmax(most, fabs(a->v[i] - b->v[i]));
    }
    return most;
}

// fine <- fine + factor (fine - coarse)
static inline void extrapolate(double factor, const pcs_state *coarse, pcs_state *fine)
{
    for (int i = 0; i < fine->nq; ++i) {
        fine->q[i] += factor * (fine->q[i] - coarse->q[i]);
    }
    for (int i = 0; i < fine->nv; ++i) {
        fine->v[i] += factor * (fine->v[i] - coarse->v[i]);
    }
}

// The state of the scene at t_end by both: Moreau-Jean steps with theta = 1/2, from n to 8 n of
// them, converge to the smooth solution at the given order, and their extrapolation at the next
// order. The order is 2 without joints; with joints it is 1 where H is that of the start of a step.
static inline void expect_same_motion(scene *s, double t_end, int n, int order, double tol)
{
    pcs_smooth *sys = smooth_of(s->m, NULL);
    const int size = pcs_smooth_size(sys);
    double *x = calloc((size_t)size, sizeof *x), error[4], better[3];
    CK_OK(pcs_smooth_from_state(sys, s->st, x));
    pcs_state *end, *run[4];
    CK_OK(pcs_state_create(s->m, &end));
    integrate(sys, t_end, 1e-11, x);
    CK_OK(pcs_smooth_to_state(sys, t_end, x, end));
    for (int k = 0; k < 4; ++k) {
        CK_OK(pcs_state_create(s->m, &run[k]));
        CK_OK(pcs_state_copy(s->st, run[k]));
        const int steps = n << k;
        for (int i = 0; i < steps; ++i) {
            pcs_step_report report;
            CK_OK(pcs_step(s->m, run[k], s->wk, t_end / steps, &report));
        }
        error[k] = furthest(run[k], end);
    }
    CK_NEAR(observed_order(4, error), order, 0.1);
    for (int k = 3; k > 0; --k) {
        extrapolate(1 / (exp2(order) - 1), run[k - 1], run[k]);
        better[k - 1] = furthest(run[k], end);
    }
    ck_assert_double_le(better[2], tol);
    ck_assert_double_ge(observed_order(3, better), order + 0.8);
    for (int k = 0; k < 4; ++k) {
        pcs_state_destroy(run[k]);
    }
    pcs_state_destroy(end);
    pcs_smooth_destroy(sys);
    free(x);
}

// the same with the rows of joints at the middle: order 2
static inline void expect_same_motion_from_middle(scene *s, double t_end, int n, double tol)
{
    s->scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    CK_OK(pcs_model_set_scheme(s->m, &s->scheme));
    expect_same_motion(s, t_end, n, 2, tol);
}

static inline double smooth_energy(const scene *s, const pcs_smooth *sys, double t, const double *x)
{
    double K, V;
    CK_OK(pcs_smooth_to_state(sys, t, x, s->st));
    CK_OK(pcs_state_kinetic_energy(s->m, s->st, &K));
    CK_OK(pcs_state_potential_energy(s->m, s->st, &V));
    return K + V;
}

#endif
