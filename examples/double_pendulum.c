// One or two rods on hinges or ball joints against minimal coordinates.
//
// Two rods have 12 velocities, two hinges 10 rows, two ball joints 6: these leave the plane free,
// but nothing drives the rods out of it. With the angles a, b of the rods from the vertical,
// lengths l, L, masses m, M, moments of inertia I, J about the centres of mass, and k = M l L / 2,
// the same motion obeys
//
//     (I + m l^2/4 + M l^2) a'' + k cos(a - b) b'' = -k sin(a - b) b'^2 - (m/2 + M) g l sin a
//     k cos(a - b) a'' + (J + M L^2/4) b''         =  k sin(a - b) a'^2 - M/2 g L sin b
//
// which is integrated to 1e-12. For one rod M = 0. The steps are of second order: halving h divides
// the error by four.
#include "args.h"
#include "checks/refined.h"
#include "example.h"
#include "flags/run_flags.h"

#include <percuss/integration.h>
#include <percuss/joint.h>

#include <math.h>
#include <string.h>

#define HEADER  "t,a,b,a_dot,b_dot,force"
#define COLUMNS "write every step: time, angles of the rods, their rates, force in the first joint"
#define WIDTH   0.04 // of the rods, m

typedef struct settings {
    run_settings run;
    double mass[2], length[2], angle[2]; // kg, m, rad
    int rods;                            // 1 or 2
    int joint;                           // 0: hinges, 1: ball joints
} settings;

static bool is_simple(const settings *set)
{
    return set->rods == 1;
}

static pcs_inertia rod_inertia(const settings *set, int rod)
{
    return pcs_inertia_box(set->mass[rod], WIDTH, WIDTH, set->length[rod]);
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set =
        (settings){.run = {.gravity = 9.81, .scheme = pcs_scheme_default(), .h = 2e-3, .t_end = 2},
                   .mass = {1, 0.7},
                   .length = {0.6, 0.4},
                   .angle = {1.2, 0.4},
                   .rods = 2};
    args a = {.about =
                  "One or two rods on hinges or ball joints, against the same motion in minimal "
                  "coordinates.",
              .table = COLUMNS};
    args_real(&a, "--mass1", &set->mass[0], 0.2, 5, "kg", "mass of the first rod");
    args_real(&a, "--mass2", &set->mass[1], 0.2, 5, "kg", "mass of the second rod");
    args_real(&a, "--length1", &set->length[0], 0.2, 2, "m", "length of the first rod");
    args_real(&a, "--length2", &set->length[1], 0.2, 2, "m", "length of the second rod");
    args_real(&a, "--angle1", &set->angle[0], -1.3, 1.3, "rad", "of the first rod at the start");
    args_real(&a, "--angle2", &set->angle[1], -1.3, 1.3, "rad", "of the second rod at the start");
    args_int(&a, "--rods", &set->rods, 1, 2, "a simple or a double pendulum");
    args_choice(&a, "--joint", &set->joint, "hinge|ball", "what holds the rods");
    run_parse(&a, &set->run, 0, argc, argv);
    set->run.scheme.solver.tol = 1e-12;
}

static pcs_status add_rod(pcs_model *model, const settings *set, int rod, const double top[3],
                          pcs_joint_def *joint)
{
    const double y[3] = {0, 1, 0}, down[3] = {0, 0, -0.5 * set->length[rod]};
    pcs_body_def def = pcs_body_def_of_inertia(rod_inertia(set, rod));
    PCS_TRY(pcs_quat_from_axis_angle(y, set->angle[rod], def.orientation));
    pcs_quat_rotate(def.orientation, down, def.position);
    for (int i = 0; i < 3; ++i) {
        def.position[i] += top[i];
    }
    PCS_TRY(pcs_model_add_body(model, &def, &joint->system1));
    const pcs_shape box = pcs_shape_box(WIDTH, WIDTH, set->length[rod]);
    PCS_TRY(pcs_model_add_shape(model, joint->system1, &box, (pcs_material){0}));
    joint->point1[2] = 0.5 * set->length[rod];
    if (joint->kind == PCS_JOINT_HINGE) {
        PCS_TRY(pcs_joint_axes(y, NULL, joint->axes1));
        PCS_TRY(pcs_joint_axes(y, NULL, joint->axes2));
    }
    return pcs_model_add_joint(model, joint, NULL);
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    static const char *const title[2][2] = {
        {"A rod swings on a hinge.", "A rod swings on a ball joint."},
        {"Two rods swing on hinges.", "Two rods swing on ball joints."}};
    PCS_TRY(run_scene(&set->run, title[set->rods - 1][set->joint], out));
    const pcs_joint_kind kind = set->joint ? PCS_JOINT_BALL : PCS_JOINT_HINGE;
    pcs_joint_def first = pcs_joint_def_default(kind), second = first;
    const double origin[3] = {0}, l = set->length[0];
    const double end[3] = {-l * sin(set->angle[0]), 0, -l * cos(set->angle[0])};
    PCS_TRY(add_rod((*out)->model, set, 0, origin, &first));
    if (is_simple(set)) return PCS_OK;
    second.system2 = first.system1;
    second.point2[2] = -0.5 * l;
    return add_rod((*out)->model, set, 1, end, &second);
}

// ---- minimal coordinates -------------------------------------------------------------------------

// x = (a, b, a', b')
static int minimal(void *user, double t, const double *x, double *xdot)
{
    (void)t;
    const settings *set = user;
    const double g = set->run.gravity, l = set->length[0], L = set->length[1], m = set->mass[0],
                 M = is_simple(set) ? 0 : set->mass[1];
    const double one = rod_inertia(set, 0).J[4] + m * l * l / 4 + M * l * l;
    const double two = rod_inertia(set, 1).J[4] + M * L * L / 4;
    const double c = 0.5 * M * l * L * cos(x[0] - x[1]), s = 0.5 * M * l * L * sin(x[0] - x[1]);
    const double f1 = -s * x[3] * x[3] - (m / 2 + M) * g * l * sin(x[0]);
    const double f2 = s * x[2] * x[2] - M / 2 * g * L * sin(x[1]);
    const double det = one * two - c * c;
    xdot[0] = x[2];
    xdot[1] = x[3];
    xdot[2] = (two * f1 - c * f2) / det;
    xdot[3] = (one * f2 - c * f1) / det;
    return 0;
}

static pcs_status integrate(const settings *set, double t_end, double x[4])
{
    const pcs_ode ode = {.n = 4, .f = minimal, .user = (void *)set};
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    pcs_integrator *run;
    memcpy(x, (const double[]){set->angle[0], set->angle[1], 0, 0}, 4 * sizeof *x);
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &run));
    pcs_status status = pcs_integrator_start(run, 0, x);
    if (status == PCS_OK) status = pcs_integrator_advance(run, t_end, NULL);
    if (status == PCS_OK) memcpy(x, pcs_integrator_x(run), 4 * sizeof *x);
    pcs_integrator_destroy(run);
    return status;
}

// ---- steps ---------------------------------------------------------------------------------------

// angle from the vertical and rate of a rod, which moves in the plane of x and z
static void read_rod(const pcs_model *model, const pcs_state *state, int rod, double *angle,
                     double *rate)
{
    const double *q = pcs_state_read_q(model, state, (pcs_system){1 + rod});
    const double *v = pcs_state_read_v(model, state, (pcs_system){1 + rod});
    *angle = 2 * atan2(q[5], q[3]);
    *rate = v[4];
}

// angles, their rates, and the force in the first joint; the rod that a simple pendulum does not
// have stays where it is
static pcs_status read(const pcs_model *model, const pcs_state *state, pcs_work *work, double *y)
{
    const bool both = pcs_model_system_count(model) > 1;
    pcs_joint_state first;
    PCS_TRY(pcs_state_joint(model, state, work, (pcs_interaction){1}, &first));
    read_rod(model, state, 0, &y[0], &y[2]);
    y[1] = y[3] = 0;
    if (both) read_rod(model, state, 1, &y[1], &y[3]);
    const double *F = first.force1;
    y[4] = sqrt(F[0] * F[0] + F[1] * F[1] + F[2] * F[2]);
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const double turn = 8 * atan(1);
    double exact[4];
    refined r = {.n = 4, .others = 1, .read = read, .out = out};
    PCS_TRY(integrate(set, set->run.t_end, exact));
    if (is_simple(set)) exact[1] = exact[3] = 0;
    PCS_TRY(refined_run(&r, build, set));
    for (int k = 0; k < REFINED_RUNS; ++k) {
        for (int i = 0; i < 2; ++i) {
            r.y[k][i] = exact[i] + remainder(r.y[k][i] - exact[i], turn);
        }
    }
    *c = checks_begin();
    const double l = set->length[0] + set->length[1];
    check_second_order(c, "angles, rates (rad, rad/s)", &r, exact, 0.05);
    check_joined(c, &r, 1e-9 * l, (set->mass[0] + set->mass[1]) * set->run.gravity * l);
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
