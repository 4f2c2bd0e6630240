// A flyball governor: a shaft that turns freely, two arms with balls, a sleeve and a spring.
//
// The arms hang from hinges at the distance c from the axis, at the angle a from the vertical; rods
// without mass, as distance joints, connect the balls to the sleeve, which slides on the shaft. In
// the minimal coordinates a and the angle of the shaft the Lagrangian is
//
//     L = 1/2 I(a) w^2 + 1/2 A a'^2 + 1/2 m_sleeve z'^2 - V(a),   z = -l cos a - sqrt(L^2 - l^2
//     sin^2 a),
//
// with I the moment of inertia about the axis, A that of both arms about their hinges, and V the
// energy of gravity and of the spring. The governor turns steadily with the rate w at the angle
// where I'(a) w^2 / 2 = V'(a). Let go beside it, it oscillates, and the shaft slows down where the
// balls are far out: I w is constant. The equations of L are integrated to 1e-12.
#include "args.h"
#include "checks/refined.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"

#include <percuss/force.h>
#include <percuss/inertia.h>
#include <percuss/integration.h>
#include <percuss/mechanics.h>
#include <percuss/touching.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>

#define HEADER "t,angle,angle_rate,rate,sleeve"
#define COLUMNS \
    "write every step: time, angle of an arm, its rate, rate of the shaft, height of the sleeve"
#define WIDTH  0.02 // of the arms and the shaft, m
#define SLEEVE 0.06 // edge, m

typedef struct settings {
    run_settings run;
    double arm, rod, hinge, radius;       // lengths l, L, c; of the balls, m
    double arm_mass, ball, sleeve, shaft; // kg
    double stiffness, length;             // of the spring from the sleeve to the hinges: N/m, m
    double rate, steady, beside;          // rad/s; rad: the angle, and by how much the start is off
    pcs_lagrange *minimal;
} settings;

// ---- minimal coordinates -------------------------------------------------------------------------

static int lagrangian(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                      pcs_complex *out)
{
    (void)t;
    const settings *set = user;
    const double l = set->arm, m = set->arm_mass, M = set->ball, g = set->run.gravity;
    const pcs_inertia rod = pcs_inertia_box(m, WIDTH, WIDTH, l);
    const double own = pcs_inertia_sphere(M, set->radius).J[0];
    const double fixed = pcs_inertia_box(set->sleeve, SLEEVE, SLEEVE, SLEEVE).J[8] +
                         pcs_inertia_box(set->shaft, WIDTH, WIDTH, set->rod).J[8];
    const pcs_complex s = csin(q[0]), c = ccos(q[0]);
    const pcs_complex middle = set->hinge + 0.5 * l * s, end = set->hinge + l * s;
    const pcs_complex across = rod.J[8] * c * c + rod.J[0] * s * s;
    const pcs_complex about = fixed + 2 * (across + m * middle * middle + M * end * end + own);
    const double A = 2 * (rod.J[0] + m * l * l / 4 + M * l * l + own);
    const pcs_complex along = csqrt(set->rod * set->rod - l * l * s * s), z = -l * c - along;
    const pcs_complex z_rate = (l * s + l * l * s * c / along) * v[0];
    const pcs_complex stretch = -z - set->length;
    const pcs_complex V = -2 * (m / 2 + M) * g * l * c + set->sleeve * g * z +
                          0.5 * set->stiffness * stretch * stretch;
    *out = 0.5 * (about * v[1] * v[1] + A * v[0] * v[0] + set->sleeve * z_rate * z_rate) - V;
    return 0;
}

// the force on the angle in steady motion
static pcs_status pull(const settings *set, double angle, double *force)
{
    const double q[2] = {angle, 0}, v[2] = {0, set->rate};
    double M[4], F[2];
    PCS_TRY(pcs_lagrange_equations(set->minimal, 0, q, v, M, F));
    *force = F[0];
    return PCS_OK;
}

// by bisection: outwards below the steady angle, inwards above
static pcs_status find_steady(settings *set)
{
    double low = 0.1, high = 1.3, force;
    PCS_TRY(pull(set, low, &force));
    if (!(force > 0)) args_refuse("--rate %g rad/s is too slow: the arms stay in", set->rate);
    PCS_TRY(pull(set, high, &force));
    if (!(force < 0)) args_refuse("--rate %g rad/s is too fast: the arms are level", set->rate);
    for (int k = 0; k < 60; ++k) {
        set->steady = 0.5 * (low + high);
        PCS_TRY(pull(set, set->steady, &force));
        *(force > 0 ? &low : &high) = set->steady;
    }
    return PCS_OK;
}

// angle, its rate, rate of the shaft and height of the sleeve at the end
static pcs_status advance(const settings *set, pcs_integrator **run, double exact[4])
{
    pcs_ode ode;
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    PCS_TRY(pcs_lagrange_ode(set->minimal, &ode));
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, run));
    PCS_TRY(pcs_integrator_start(*run, 0,
                                 (const double[]){set->steady + set->beside, 0, 0, set->rate}));
    PCS_TRY(pcs_integrator_advance(*run, set->run.t_end, NULL));
    const double *x = pcs_integrator_x(*run), s = set->arm * sin(x[0]);
    exact[0] = x[0];
    exact[1] = x[2];
    exact[2] = x[3];
    exact[3] = -set->arm * cos(x[0]) - sqrt(set->rod * set->rod - s * s);
    return PCS_OK;
}

// ---- the model -----------------------------------------------------------------------------------

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){
        .run = {.gravity = 9.81, .scheme = pcs_scheme_default(), .h = 4e-3, .t_end = 1.5},
        .arm = 0.3,
        .rod = 0.4,
        .hinge = 0.05,
        .radius = 0.05,
        .arm_mass = 0.5,
        .ball = 2,
        .sleeve = 1,
        .shaft = 2,
        .stiffness = 200,
        .length = 0.6,
        .rate = 9,
        .beside = 0.2};
    args a = {.about = "A flyball governor: its steady angle, and its motion beside it.",
              .table = COLUMNS};
    args_real(&a, "--rate", &set->rate, 7, 12, "rad/s", "of the shaft at the start");
    args_real(&a, "--beside", &set->beside, -0.3, 0.3, "rad", "start off the steady angle");
    args_positive(&a, "--ball", &set->ball, 1.5, "kg", "mass of a ball");
    args_positive(&a, "--stiffness", &set->stiffness, 2, "N/m", "of the spring");
    run_parse(&a, &set->run, 0, argc, argv);
    set->run.scheme.solver.tol = 1e-12;
    set->run.scheme.proj_tol = 1e-12;
}

// a body that turns with the shaft, at x beside its axis
static pcs_status add_turning(pcs_model *model, const settings *set, pcs_inertia inertia, double x,
                              double z, const pcs_shape *shape, pcs_system *out)
{
    pcs_body_def def = pcs_body_def_of_inertia(inertia);
    def.position[0] = x;
    def.position[2] = z;
    def.velocity[1] = set->rate * x;
    def.omega[2] = set->rate;
    PCS_TRY(pcs_model_add_body(model, &def, out));
    PCS_TRY(pcs_model_add_shape(model, *out, shape, (pcs_material){0}));
    return pcs_model_set_groups(model, *out, 0, 0);
}

// the arm on the side of x > 0 or x < 0, its ball, and the rod to the sleeve
static pcs_status add_arm(pcs_model *model, const settings *set, double side, pcs_system shaft,
                          pcs_system sleeve)
{
    const double y[3] = {0, 1, 0}, angle = set->steady + set->beside;
    const double hinge = side * set->hinge, x = hinge + side * set->arm * sin(angle);
    const double z = -set->arm * cos(angle);
    const pcs_shape sphere = pcs_shape_sphere(set->radius);
    const bar arm = {.a = {hinge},
                     .b = {x, 0, z},
                     .va = {0, set->rate * hinge},
                     .vb = {0, set->rate * x},
                     .spin = -set->rate * cos(angle),
                     .mass = set->arm_mass,
                     .width = WIDTH};
    pcs_system body, ball;
    PCS_TRY(mechanism_bar(model, &arm, &body));
    PCS_TRY(
        add_turning(model, set, pcs_inertia_sphere(set->ball, set->radius), x, z, &sphere, &ball));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, body, shaft, arm.a, y, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_FIXED, ball, body, arm.b, y, NULL));
    pcs_joint_def rod = pcs_joint_def_default(PCS_JOINT_DISTANCE);
    rod.system1 = ball;
    rod.system2 = sleeve;
    rod.point2[0] = hinge;
    rod.length = set->rod;
    return pcs_model_add_joint(model, &rod, NULL);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double axis[3] = {0, 0, 1}, origin[3] = {0};
    const double angle = set->steady + set->beside, s = set->arm * sin(angle);
    const double z = -set->arm * cos(angle) - sqrt(set->rod * set->rod - s * s);
    const pcs_shape pole = pcs_shape_box(WIDTH, WIDTH, set->rod);
    const pcs_shape cube = pcs_shape_box(SLEEVE, SLEEVE, SLEEVE);
    pcs_force_def spring = pcs_force_def_default(PCS_FORCE_SPRING);
    pcs_system shaft, sleeve;
    PCS_TRY(run_scene(&set->run, "A flyball governor oscillates about its steady angle.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(add_turning(model, set, pcs_inertia_box(set->shaft, WIDTH, WIDTH, set->rod), 0, 0,
                        &pole, &shaft));
    PCS_TRY(add_turning(model, set, pcs_inertia_box(set->sleeve, SLEEVE, SLEEVE, SLEEVE), 0, z,
                        &cube, &sleeve));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_HINGE, shaft, (pcs_system){0}, origin, axis, NULL));
    PCS_TRY(mechanism_joint(model, PCS_JOINT_SLIDER, sleeve, shaft, origin, axis, NULL));
    PCS_TRY(add_arm(model, set, 1, shaft, sleeve));
    PCS_TRY(add_arm(model, set, -1, shaft, sleeve));
    spring.system1 = sleeve;
    spring.system2 = shaft;
    spring.stiffness = set->stiffness;
    spring.length = set->length;
    return pcs_model_add_force(model, &spring, NULL);
}

static pcs_status read(const pcs_model *model, const pcs_state *state, pcs_work *work, double *y)
{
    (void)work;
    // the arm from its hinge to its ball: (sin, 0, -cos) in the axes of the shaft
    const double *arm = pcs_state_read_q(model, state, (pcs_system){3});
    double d[3];
    pcs_joint_state shaft, hinge;
    PCS_TRY(pcs_state_joint(model, state, NULL, (pcs_interaction){1}, &shaft));
    PCS_TRY(pcs_state_joint(model, state, NULL, (pcs_interaction){3}, &hinge));
    pcs_quat_rotate(arm + 3, (const double[]){0, 0, 1}, d);
    y[0] = acos(-d[2]);
    y[1] = -hinge.speed[0];
    y[2] = shaft.speed[0];
    y[3] = pcs_state_read_q(model, state, (pcs_system){2})[2];
    return PCS_OK;
}

// ---- checks --------------------------------------------------------------------------------------

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    double exact[4];
    pcs_integrator *smooth = NULL;
    const pcs_status status = advance(set, &smooth, exact);
    pcs_integrator_destroy(smooth);
    if (status != PCS_OK) return status;
    settings still = *set; // at the steady angle nothing moves
    still.beside = 0;
    still.run.t_end = 0.2 * set->run.t_end;
    refined rest = {.n = 4, .read = read}, r = {.n = 4, .read = read, .out = out};
    printf("steady at %.6f rad\n", set->steady);
    PCS_TRY(refined_run(&rest, build, &still));
    PCS_TRY(refined_run(&r, build, set));
    *c = checks_begin();
    const double step = set->rate * set->run.h, angle = (4 * rest.y[2][0] - rest.y[1][0]) / 3;
    check_value(c, "steady angle (rad)", rest.y[0][0], set->steady, 0.2 * step * step);
    check_value(c, "steady angle, extrapolated", angle, set->steady, 1e-6);
    check_second_order(c, "angle, rates, sleeve", &r, exact, 0.05);
    check_joined(c, &r, 1e-11, (set->ball + set->sleeve) * set->run.gravity);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    const pcs_lagrange_def def = {.n = 2, .L_complex = lagrangian, .user = &set};
    pcs_status status = pcs_lagrange_create(NULL, &def, &set.minimal);
    if (status == PCS_OK) status = find_steady(&set);
    const int code = status == PCS_OK ? example_run_scene(build, run, &set, &set.run, HEADER)
                                      : say_error(args_program(), status);
    pcs_lagrange_destroy(set.minimal);
    return code;
}
