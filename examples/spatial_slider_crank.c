// Three bodies, three ball joints and one slider against minimal coordinates.
//
// A crank of length l turns about a ball joint at the origin, a rod of length L joins its end P to
// a block, which slides along the line y = c, z = 0. The model has 18 velocities and 14 rows. Bars
// are symmetric about their axes and begin without spin about them, so that none arises: two
// coordinates are left. With p, q (stereographic, from the highest point of the sphere)
//
//     P = l (2 p, 2 q, p^2 + q^2 - 1) / (p^2 + q^2 + 1),  s = P_x + sqrt(L^2 - (P_y - c)^2 - P_z^2)
//
// are the end of the crank and the place of the block; with the directions d of crank and rod, the
// velocities w of their centres and the moments of inertia I across the axes
//
//     T = 1/2 sum (m w^2 + I d'^2) + 1/2 m_block s'^2,  U = (m_crank / 2 + m_rod / 2) g P_z.
//
// The equations of this Lagrangian are integrated to 1e-12. The steps are of second order: halving
// h divides the error by four.
#include "args.h"
#include "checks/refined.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"

#include <percuss/inertia.h>
#include <percuss/integration.h>
#include <percuss/mechanics.h>

#include <complex.h>
#include <math.h>
#include <string.h>

#define HEADER "t,x,y,z,s,s_dot,force"
#define COLUMNS \
    "write every step: time, end of the crank, place and speed of the block, its guide's force"
#define WIDTH 0.04 // of the bars, m
#define BLOCK 0.1  // edge, m

typedef struct settings {
    run_settings run;
    double mass[3], length[2], offset; // kg, m, m
    double tilt, aside;                // rad, of the crank at the start
} settings;

// the end of the crank and the place of the block at the start
static void start(const settings *set, double P[3], double *s)
{
    const double l = set->length[0], L = set->length[1];
    P[0] = l * sin(set->tilt) * cos(set->aside);
    P[1] = l * sin(set->tilt) * sin(set->aside);
    P[2] = -l * cos(set->tilt);
    const double y = P[1] - set->offset;
    *s = P[0] + sqrt(L * L - y * y - P[2] * P[2]);
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.gravity = 9.81, .scheme = pcs_scheme_default(), .h = 2e-3, .t_end = 1.5},
        .mass = {1, 1, 1},
        .length = {0.4, 0.7},
        .offset = 0.1,
        .tilt = 1.2,
        .aside = 0.9};
    args a = {.about = "Three bodies with three ball joints and one slider, against the same "
                       "motion in minimal coordinates.",
              .table = COLUMNS};
    args_positive(&a, "--crank-mass", &set->mass[0], 5, "kg", "mass of the crank");
    args_positive(&a, "--rod-mass", &set->mass[1], 5, "kg", "mass of the rod");
    args_positive(&a, "--block-mass", &set->mass[2], 5, "kg", "mass of the block");
    args_real(&a, "--crank", &set->length[0], 0.2, 0.6, "m", "length of the crank");
    args_real(&a, "--rod", &set->length[1], 0.3, 2, "m", "length of the rod");
    args_real(&a, "--offset", &set->offset, -0.3, 0.3, "m", "distance of the line from the origin");
    args_real(&a, "--tilt", &set->tilt, -1.5, 1.5, "rad", "of the crank from the vertical");
    args_real(&a, "--aside", &set->aside, -1.5, 1.5, "rad", "of the crank out of the plane y = 0");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    if (set->length[0] + fabs(set->offset) > 0.98 * set->length[1]) {
        args_refuse("--rod %g m does not reach the line everywhere: crank and offset must be less "
                    "than 0.98 of it",
                    set->length[1]);
    }
    set->run.scheme.solver.tol = 1e-12;
    set->run.scheme.proj_tol = 1e-12;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double origin[3] = {0}, x[3] = {1, 0, 0};
    double P[3], end[3] = {0, set->offset, 0};
    pcs_system crank, rod, block;
    start(set, P, &end[0]);
    PCS_TRY(run_scene(&set->run, "Three bodies with three ball joints and one slider.", out));
    pcs_model *model = (*out)->model;
    bar arm = {.mass = set->mass[0], .width = WIDTH};
    memcpy(arm.b, P, sizeof P);
    PCS_TRY(mechanism_bar(model, &arm, &crank));
    memcpy(arm.a, P, sizeof P);
    memcpy(arm.b, end, sizeof end);
    arm.mass = set->mass[1];
    PCS_TRY(mechanism_bar(model, &arm, &rod));
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(set->mass[2], BLOCK, BLOCK, BLOCK));
    memcpy(def.position, end, sizeof end);
    const pcs_shape cube = pcs_shape_box(BLOCK, BLOCK, BLOCK);
    PCS_TRY(pcs_model_add_body(model, &def, &block));
    PCS_TRY(pcs_model_add_shape(model, block, &cube, (pcs_material){0}));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_BALL, crank, (pcs_system){0}, origin, x, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_BALL, rod, crank, P, x, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_BALL, block, rod, end, x, NULL));
    // the guide passes the origin of x, from which s counts
    pcs_joint_def guide = pcs_joint_def_default(PCS_JOINT_SLIDER);
    guide.system1 = block;
    guide.point2[1] = set->offset;
    PCS_TRY(pcs_joint_axes(x, NULL, guide.axes1));
    PCS_TRY(pcs_joint_axes(x, NULL, guide.axes2));
    return pcs_model_add_joint(model, &guide, NULL);
}

// the end of the crank, place and speed of the block; the force of its guide
static pcs_status read(const pcs_model *model, const pcs_state *state, pcs_work *work, double *y)
{
    pcs_joint_def pin;
    pcs_joint_state guide;
    PCS_TRY(pcs_model_joint(model, (pcs_interaction){2}, &pin));
    PCS_TRY(pcs_state_joint(model, state, work, (pcs_interaction){4}, &guide));
    const double *q = pcs_state_read_q(model, state, pin.system2);
    pcs_quat_rotate(q + 3, pin.point2, y);
    for (int i = 0; i < 3; ++i) {
        y[i] += q[i];
    }
    y[3] = guide.position[0];
    y[4] = guide.speed[0];
    const double *F = guide.force2;
    y[5] = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    return PCS_OK;
}

// ---- minimal coordinates -------------------------------------------------------------------------

// P and s, and their rates, of x = (p, q) and its rate v
static void reach(const settings *set, const pcs_complex x[2], const pcs_complex v[2],
                  pcs_complex P[4], pcs_complex rate[4])
{
    const double l = set->length[0], L = set->length[1];
    const pcs_complex n = x[0] * x[0] + x[1] * x[1] + 1, n_rate = 2 * (x[0] * v[0] + x[1] * v[1]);
    for (int i = 0; i < 3; ++i) {
        const pcs_complex up = i < 2 ? 2 * x[i] : n - 2, up_rate = i < 2 ? 2 * v[i] : n_rate;
        P[i] = l * up / n;
        rate[i] = l * (up_rate - up * n_rate / n) / n;
    }
    const pcs_complex y = P[1] - set->offset, along = csqrt(L * L - y * y - P[2] * P[2]);
    P[3] = P[0] + along;
    rate[3] = rate[0] - (y * rate[1] + P[2] * rate[2]) / along;
}

static int lagrangian(void *user, double t, const pcs_complex *x, const pcs_complex *v,
                      pcs_complex *out)
{
    (void)t;
    const settings *set = user;
    const double l = set->length[0], L = set->length[1], *m = set->mass;
    const double J[2] = {pcs_inertia_box(m[0], WIDTH, WIDTH, l).J[0],
                         pcs_inertia_box(m[1], WIDTH, WIDTH, L).J[0]};
    pcs_complex P[4], rate[4], T = 0.5 * m[2];
    reach(set, x, v, P, rate);
    T *= rate[3] * rate[3];
    for (int i = 0; i < 3; ++i) {
        const pcs_complex other = i == 0 ? rate[3] : 0, across = (other - rate[i]) / L;
        const pcs_complex centre = 0.5 * (other + rate[i]);
        T += 0.5 * (m[0] / 4 + J[0] / (l * l)) * rate[i] * rate[i];
        T += 0.5 * (m[1] * centre * centre + J[1] * across * across);
    }
    *out = T - 0.5 * (m[0] + m[1]) * set->run.gravity * P[2];
    return 0;
}

// x = (p, q, p', q') at the end, by an integrator that the caller destroys
static pcs_status advance(const settings *set, pcs_lagrange *minimal, pcs_integrator **run)
{
    double P[3], s;
    pcs_ode ode;
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    start(set, P, &s);
    const double l = set->length[0], x[4] = {P[0] / (l - P[2]), P[1] / (l - P[2]), 0, 0};
    PCS_TRY(pcs_lagrange_ode(minimal, &ode));
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, run));
    PCS_TRY(pcs_integrator_start(*run, 0, x));
    return pcs_integrator_advance(*run, set->run.t_end, NULL);
}

static pcs_status integrate(const settings *set, double exact[5])
{
    const pcs_lagrange_def def = {.n = 2, .L_complex = lagrangian, .user = (void *)set};
    pcs_lagrange *minimal = NULL;
    pcs_integrator *run = NULL;
    PCS_TRY(pcs_lagrange_create(NULL, &def, &minimal));
    const pcs_status status = advance(set, minimal, &run);
    if (status == PCS_OK) {
        const double *x = pcs_integrator_x(run);
        pcs_complex P[4], rate[4];
        reach(set, (const pcs_complex[]){x[0], x[1]}, (const pcs_complex[]){x[2], x[3]}, P, rate);
        for (int i = 0; i < 4; ++i) {
            exact[i] = creal(P[i]);
        }
        exact[4] = creal(rate[3]);
    }
    pcs_integrator_destroy(run);
    pcs_lagrange_destroy(minimal);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    double exact[5];
    refined r = {.n = 5, .others = 1, .read = read, .out = out};
    PCS_TRY(integrate(set, exact));
    PCS_TRY(refined_run(&r, build, set));
    *c = checks_begin();
    const double size = set->length[0] + set->length[1];
    check_second_order(c, "places, speed (m, m/s)", &r, exact, 0.01 * size);
    check_joined(c, &r, 1e-12 * (1 + size),
                 (set->mass[0] + set->mass[1]) * set->run.gravity * size);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
