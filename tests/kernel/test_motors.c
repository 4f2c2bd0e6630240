// Prescribed coordinates and motors of joints: their gradients, their motion, and their efforts
// against closed forms.
#include "scene.h"

#include <string.h>

#include <percuss/joint.h>

#include "rotations.h"

#define PI 3.14159265358979323846
#define G  9.81

static const pcs_system world = {0};
static const pcs_interaction none = {0};
static const double e_x[3] = {1, 0, 0}, e_z[3] = {0, 0, 1}, origin[3] = {0};

static pcs_interaction place(scene *s, pcs_joint_kind kind, pcs_system one, pcs_system two,
                             const double at[3], const double z[3])
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    pcs_interaction out;
    def.system1 = one;
    def.system2 = two;
    CK_OK(pcs_model_place_joint(s->m, at, z, NULL, &def));
    CK_OK(pcs_model_add_joint(s->m, &def, &out));
    return out;
}

static pcs_joint_state joint_now(const scene *s, pcs_interaction joint)
{
    pcs_joint_state out;
    CK_OK(pcs_state_joint(s->m, s->st, s->wk, joint, &out));
    return out;
}

static double effort_of(const scene *s, pcs_interaction motor)
{
    double out;
    CK_OK(pcs_work_joint_effort(s->wk, motor, &out));
    return out;
}

// a callback with the same function as numbers
static int swing(void *user, double t, double *f, double *df)
{
    return pcs_time_function_at(user, t, f, df) == PCS_OK ? 0 : 1;
}

// ---- prescribed coordinates ----------------------------------------------------------------------

TEST(coordinates_have_true_gradients)
{
    test_random r = random_seed(61);
    static const struct {
        pcs_joint_kind kind;
        int coordinate;
    } of[] = {{PCS_JOINT_HINGE, 0},  {PCS_JOINT_SLIDER, 0}, {PCS_JOINT_UNIVERSAL, 1},
              {PCS_JOINT_PLANAR, 1}, {PCS_JOINT_GEAR, 0},   {PCS_JOINT_DISTANCE, 0}};
    for (int n = 0; n < TEST_DRAWS(600); ++n) {
        pcs_joint_def def = pcs_joint_def_default(of[n % 6].kind);
        random_vector(&r, def.point1, 3);
        random_vector(&r, def.point2, 3);
        random_long(&r, def.axes1);
        random_long(&r, def.axes2);
        def.arm = random_between(&r, 0.2, 3);
        def.length = 1;
        const pcs_relation relation =
            pcs_relation_joint_coordinate(&def, none, of[n % 6].coordinate);
        double q1[7], q2[7], g;
        random_pose(&r, q1);
        random_pose(&r, q2);
        CK_OK(pcs_relation_gap(&relation, q1, q2, &g));
        if (fabs(g) > 3 * def.arm && n % 6 != 1 && n % 6 != 3) continue; // near a whole turn
        CK_OK(pcs_relation_check(&relation, 7, q1, 7, q2));
        CK_OK(pcs_relation_check(&relation, 7, q1, 0, NULL));
    }
}

// A rod whose angle is prescribed needs the moment I f'' + m g l cos f: with the default scheme and
// with the textbook one, by numbers and by a callback, over more than a turn
TEST(a_prescribed_crank)
{
    const double mass = 2, length = 0.8, l = 0.4, thick = 0.1, edges[3] = {length, thick, thick},
                 at[3] = {l, 0, 0}, down[3] = {0, -G, 0};
    const double I = mass * (length * length + thick * thick) / 12 + mass * l * l;
    pcs_time_function f = {.rate = 3, .amplitude = 0.4, .frequency = 5};
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        if (k < 2) s.scheme = pcs_scheme_default();
        const double v0 = f.rate + f.amplitude * f.frequency, v[3] = {0, v0 * l, 0},
                     omega[3] = {0, 0, v0};
        const pcs_system rod = scene_box(&s, mass, edges, at, NULL, v, omega);
        CK_OK(pcs_model_set_gravity(s.m, down));
        pcs_joint_motor motor = {.joint = place(&s, PCS_JOINT_HINGE, rod, world, origin, e_z),
                                 .target = f,
                                 .limit = INFINITY};
        if (k % 2 == 1) motor.target = (pcs_time_function){.fn = swing, .user = &f};
        pcs_interaction drive;
        CK_OK(pcs_model_add_joint_motor(s.m, &motor, &drive));
        scene_start(&s);
        const double h = 1e-3;
        double error = 0, work = 0, done = 0;
        for (int i = 0; i < 2500; ++i) {
            const double t = h * (i + 0.5);
            double angle, speed;
            CK_OK(pcs_time_function_at(&f, t, &angle, &speed));
            scene_step(&s, h);
            const double bend = -f.amplitude * f.frequency * f.frequency * sin(f.frequency * t);
            const double moment = I * bend + mass * G * l * cos(angle);
            error = fmax(error, fabs(effort_of(&s, drive) - moment));
            work += h * moment * speed;
            done += s.report.energy.prescribed;
            const pcs_joint_state now = joint_now(&s, motor.joint);
            CK_OK(pcs_time_function_at(&f, s.st->t, &angle, &speed));
            ck_assert_double_le(fabs(remainder(now.position[0] - angle, 2 * PI)),
                                k < 2 ? 1e-9 : 1e-4);
            scene_check_ledger(&s);
        }
        ck_assert_double_le(error, 0.01 * mass * G * l);
        CK_NEAR(done, work, (k < 2 ? 1e-4 : 0.03) * fabs(work)); // the textbook leaves joints open
        scene_close(&s);
    }
}

// one coordinate of a body, and of a Lagrangian system: f'' and the weight give the reaction
TEST(a_prescribed_coordinate_of_a_body)
{
    const pcs_time_function f = {.offset = 0.5, .amplitude = 0.2, .frequency = 3};
    const double x[3] = {0, 0, 0.5}, v[3] = {1, 0, 0.6}, edges[3] = {1, 1, 1}, height = 0.5,
                 lift = 0.6;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system box = scene_box(&s, 2, edges, x, NULL, v, NULL);
    const pcs_lagrangian_def column = {
        .n = 1, .mass = (double[]){3}, .load = (double[]){-3 * G}, .q0 = &height, .v0 = &lift};
    const pcs_system mass = scene_add_lagrangian(&s, &column);
    pcs_relation of_box = pcs_relation_linear(7, (double[7]){0, 0, 1}, 0);
    pcs_relation of_mass = pcs_relation_linear(1, (double[1]){1}, 0);
    of_box.time = of_mass.time = f;
    const pcs_interaction one = scene_join(&s, of_box, pcs_law_equality(), box, world);
    scene_join(&s, of_mass, pcs_law_equality(), mass, world);
    scene_start(&s);
    const double h = 1e-3;
    for (int i = 0; i < 1000; ++i) {
        scene_step(&s, h);
        const double t = h * (i + 0.5), bend = -0.2 * 9 * sin(3 * t),
                     now = 0.5 + 0.2 * sin(3 * s.st->t);
        const pcs_body_frame frame = {.body = box, .inertial = true};
        double wrench[6];
        CK_OK(pcs_work_reaction(s.wk, one, &frame, wrench));
        if (i > 0)
            CK_NEAR(wrench[2] / h, 2 * (G + bend), 1e-4); // v0 is exact, later ones are means
        CK_NEAR(scene_q(&s, box)[2], now, 1e-9);
        CK_NEAR(scene_q(&s, mass)[0], now, 1e-9);
        CK_NEAR(scene_q(&s, box)[0], s.st->t, 1e-9); // the other coordinates stay free
    }
    scene_close(&s);
}

// ---- motors with limits --------------------------------------------------------------------------

// a body that turns about z of the world with inertia `inertia`; gravity along z
static pcs_system flywheel(scene *s, double inertia, double spin, pcs_interaction *hinge)
{
    pcs_body_def def = pcs_body_def_default();
    def.mass = 3;
    const double J[9] = {2 * inertia, 0, 0, 0, 2 * inertia, 0, 0, 0, inertia};
    memcpy(def.inertia, J, sizeof J);
    def.omega[2] = spin;
    const pcs_system wheel = scene_add(s, &def);
    *hinge = place(s, PCS_JOINT_HINGE, wheel, world, origin, e_z);
    return wheel;
}

// w = tau t / I until the target, exactly in every step but the one in which it arrives; then the
// motor needs no moment. The work of the motor is the kinetic energy
TEST(a_limited_motor_starts_a_flywheel)
{
    const double I = 0.8, tau = 2.5, target = 4, h = 1e-3;
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        if (k == 0) s.scheme = pcs_scheme_default();
        pcs_joint_motor motor = pcs_joint_motor_default((pcs_interaction){0});
        const pcs_system wheel = flywheel(&s, I, 0, &motor.joint);
        motor.of_speed = true;
        motor.target.offset = target;
        motor.limit = tau;
        pcs_interaction drive;
        CK_OK(pcs_model_add_joint_motor(s.m, &motor, &drive));
        scene_start(&s);
        double work = 0;
        for (int i = 1; i <= 2000; ++i) {
            scene_step(&s, h);
            scene_check_ledger(&s);
            const double t = h * i, speed = fmin(target, tau * t / I);
            work += s.report.energy.prescribed;
            CK_NEAR(scene_v(&s, wheel)[5], speed, 1e-9 * target);
            if (tau * t < I * target) CK_NEAR(effort_of(&s, drive), tau, 1e-9 * tau);
            if (tau * (t - h) > I * target) CK_NEAR(effort_of(&s, drive), 0, 1e-7 * tau);
            CK_NEAR(work, 0.5 * I * speed * speed, 1e-8 * target);
            const pcs_contact *c;
            bool listed = false;
            for (int n = scene_contacts(&s, &c); n > 0; --n, ++c) {
                if (c->interaction != drive.id) continue;
                listed = true;
                // an angle: its impulse is a moment times h, its velocity that to the target, rad/s
                CK_NEAR(c->r[0], h * effort_of(&s, drive), 1e-14);
                CK_NEAR(c->u[0], speed - target, 1e-9 * target);
                if (tau * t < I * target) ck_assert(c->status == PCS_CONTACT_SLIDE);
                if (tau * (t - h) > I * target) ck_assert(c->status == PCS_CONTACT_STICK);
            }
            ck_assert(listed);
        }
        scene_close(&s);
    }
}

// A target that is never reached asks for a constant moment. With the inertias I1 and I2 of two
// wheels, and teeth 2 : 1, the first has the angular acceleration M / (I1 + 4 I2), and the force at
// the teeth is 2 I2 of it over the radius. A step that has converged has these to the tolerance of
// its solver, relative to the speeds that the wheels have, however far the target is
TEST(a_far_target_hides_no_error)
{
    const double M = 0.5, edges[3] = {0.3, 0.3, 0.1}, thin[3] = {0.2, 0.2, 0.05},
                 first[3] = {0, 0, 0}, second[3] = {0.5, 0, 0}, back[3] = {-1, 0, 0};
    const double I1 = 2 * (0.09 + 0.09) / 12, I2 = (0.04 + 0.04) / 12, radius = 0.5 / 3;
    const double rate = M / (I1 + 4 * I2), tooth = I2 * 2 * rate / radius;
    for (int k = 0; k < 8; ++k) {
        scene s = scene_open();
        s.scheme = k % 2 == 0 ? pcs_scheme_default() : pcs_scheme_dense(1e-8, 0.1);
        scene_gravity(&s, 0, -G, 0);
        const pcs_system wheel = scene_box(&s, 2, edges, first, NULL, NULL, NULL);
        const pcs_system pinion = scene_box(&s, 1, thin, second, NULL, NULL, NULL);
        pcs_joint_motor motor =
            pcs_joint_motor_default(place(&s, PCS_JOINT_HINGE, wheel, world, first, e_z));
        const pcs_interaction hinge = place(&s, PCS_JOINT_HINGE, pinion, world, second, e_z);
        pcs_joint_def gear = pcs_joint_def_default(PCS_JOINT_GEAR);
        gear.system1 = wheel;
        gear.system2 = pinion;
        gear.teeth[0] = 20;
        gear.teeth[1] = 10;
        CK_OK(pcs_joint_axes(e_z, e_x, gear.axes1));
        CK_OK(pcs_joint_axes(e_z, back, gear.axes2));
        CK_OK(pcs_model_add_joint(s.m, &gear, NULL));
        motor.of_speed = true;
        motor.target.offset = pow(10, 2 + k / 2 * 2);
        motor.limit = M;
        CK_OK(pcs_model_add_joint_motor(s.m, &motor, NULL));
        scene_start(&s);
        for (int i = 1; i <= 200; ++i) {
            scene_step(&s, 1e-3);
            const double speed = rate * 1e-3 * i;
            const pcs_joint_state a = joint_now(&s, motor.joint), b = joint_now(&s, hinge);
            CK_NEAR(a.speed[0], speed, 2e-8);
            CK_NEAR(b.speed[0], -2 * a.speed[0], 1e-7);
            CK_NEAR(hypot(a.force1[0], a.force1[1]), 2 * G + tooth, 2e-4);
            CK_NEAR(hypot(b.force1[0], b.force1[1]), G - tooth, 2e-4);
        }
        scene_close(&s);
    }
}

// A motor without a limit drives a ram on its rail at a given speed, which pushes a cube along the
// floor into a wall: a step that reaches the wall has no solution. The faces that close on the cube
// are parallel up to rounding: it does not escape between them at a huge speed. The sentence names
// the motor, and the proof costs less than a search
TEST(a_motor_without_limit_stops_at_a_wall)
{
    const double speed = 0.5, e[2] = {0, 0.3}, a[3] = {0.1, 0.1, 0.1}, b[3] = {0.1, 0.1, 0.08};
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_rough(&s, world, pcs_shape_half_space(e_z, -0.05), e[k], 0, 0.5);
        scene_rough(&s, world, pcs_shape_half_space((double[]){-1, 0, 0}, -0.3), e[k], 0, 0.5);
        const double back[3] = {0, 0, 0.05}, front[3] = {0.15, 0, 0};
        const pcs_system ram = scene_box(&s, 0.4, b, back, NULL, NULL, NULL);
        scene_rough(&s, ram, pcs_shape_box(b[0], b[1], b[2]), e[k], 0, 0.5);
        const pcs_system cube = scene_box(&s, 0.8, a, front, NULL, NULL, NULL);
        scene_rough(&s, cube, pcs_shape_box(a[0], a[1], a[2]), e[k], 0, 0.5);
        pcs_joint_motor motor =
            pcs_joint_motor_default(place(&s, PCS_JOINT_SLIDER, ram, world, back, e_x));
        pcs_interaction drive;
        motor.of_speed = true;
        motor.target.offset = speed;
        CK_OK(pcs_model_add_joint_motor(s.m, &motor, &drive));
        CK_OK(pcs_model_set_interaction_name(s.m, drive, "drive"));
        scene_start(&s);
        pcs_run_report run;
        CK_FAILS(pcs_run(s.m, s.st, s.wk, 1e-3, 1, NULL, NULL, &run), PCS_ERR_STEP);
        ck_assert_int_eq(run.outcome, PCS_OUTCOME_INFEASIBLE);
        ck_assert_msg(strstr(pcs_error_text(), "'drive'") && strstr(pcs_error_text(), "contradict"),
                      "%s", pcs_error_text());
        ck_assert_ptr_null(strstr(pcs_error_text(), "smaller steps"));
        ck_assert_double_lt(run.last.units, 2e6);
        // it has pushed the cube to the wall
        ck_assert_double_le(scene_q(&s, cube)[0], 0.25 + 1e-6);
        ck_assert_double_ge(scene_q(&s, cube)[0], 0.25 - 2 * speed * 1e-3);
        scene_close(&s);
    }
}

// a motor of an angle or a length with a given speed, or of a position that moves with it
static void drive_joint(scene *s, pcs_interaction joint, double speed, bool of_speed, double limit)
{
    pcs_joint_motor motor = pcs_joint_motor_default(joint);
    pcs_interaction out;
    motor.of_speed = of_speed;
    motor.target =
        of_speed ? (pcs_time_function){.offset = speed} : (pcs_time_function){.rate = speed};
    motor.limit = limit;
    CK_OK(pcs_model_add_joint_motor(s->m, &motor, &out));
}

// Nothing but its motor moves a body at rest, in one step past the middle of a thin wall, or past
// all of it. The wall holds it all the same: with a limit it stops there, without one the step has
// no solution
TEST(a_motor_starts_no_body_through_a_wall)
{
    const double a[3] = {0.05, 0.4, 0.2}, b[3] = {0.4, 0.02, 0.2}, h = 5e-3;
    for (int k = 0; k < 16; ++k) {
        const bool turns = k % 2 == 1, ends = k / 2 % 2 == 1, of_speed = k < 8;
        const double speed = (turns ? 100 : of_speed ? 46 : 27) * (k / 4 % 2 == 0 ? 1 : 2);
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const double *size = turns ? b : a;
        const pcs_system arm = scene_box(&s, 1, size, origin, NULL, NULL, NULL);
        scene_rough(&s, arm, pcs_shape_box(size[0], size[1], size[2]), 0, 0, 0.3);
        pcs_shape wall = turns ? pcs_shape_cylinder(0.01, 0.4) : pcs_shape_box(0.01, 0.4, 0.4);
        wall.position[0] = turns ? 0.15 : 0.1;
        wall.position[1] = turns ? 0.03 : 0;
        scene_rough(&s, world, wall, 0, 0, 0.3);
        const pcs_interaction joint = turns ? place(&s, PCS_JOINT_HINGE, arm, world, origin, e_z)
                                            : place(&s, PCS_JOINT_SLIDER, arm, world, origin, e_x);
        // without contact the mean of its speeds moves it to 0.115 or 0.23 m, by 0.25 or 0.5 rad;
        // a position, in half of the step not to the wall, to 0.135 or 0.27 m, by 0.5 or 1 rad
        drive_joint(&s, joint, speed, of_speed, ends ? INFINITY : 1e4);
        scene_start(&s);
        CK_OK(pcs_step(s.m, s.st, s.wk, h, &s.report));
        ck_assert_int_eq(s.report.outcome, ends ? PCS_OUTCOME_INFEASIBLE : PCS_OUTCOME_CONVERGED);
        const double stop = turns ? atan2(0.03, 0.15) - asin(0.02 / hypot(0.03, 0.15)) : 0.07;
        ck_assert_double_eq_tol(joint_now(&s, joint).position[0], ends ? 0 : stop, 1e-3);
        scene_close(&s);
    }
}

// A target out of reach asks for a constant moment, and costs no order: the energy is the work of
// the motor, and does not know how far the target is. A wheel on a carrier that turns about a point
TEST(a_target_out_of_reach_is_a_moment)
{
    const double axis[3] = {0, 0.6, 0.8}, off[3] = {0.3, 0, 0}, h = 2e-3;
    double K[2];
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        pcs_body_def def = pcs_body_def_default();
        memcpy(def.inertia, (double[9]){0.1, 0, 0, 0, 0.08, 0, 0, 0, 0.12}, sizeof def.inertia);
        const pcs_system carrier = scene_add(&s, &def);
        memcpy(def.inertia, (double[9]){0.02, 0, 0, 0, 0.02, 0, 0, 0, 0.03}, sizeof def.inertia);
        memcpy(def.position, off, sizeof off);
        const pcs_system wheel = scene_add(&s, &def);
        place(&s, PCS_JOINT_BALL, carrier, world, origin, e_z);
        const pcs_interaction hinge = place(&s, PCS_JOINT_HINGE, wheel, carrier, off, axis);
        drive_joint(&s, hinge, k == 0 ? 100 : 1e6, true, 2);
        scene_start(&s);
        double work = 0;
        for (int i = 0; i < 300; ++i) {
            scene_step(&s, h);
            scene_check_ledger(&s);
            work += s.report.energy.prescribed;
        }
        K[k] = scene_kinetic(&s);
        ck_assert_double_gt(K[k], 10);
        CK_NEAR(K[k], work, 1e-3 * K[k]);
        scene_close(&s);
    }
    CK_NEAR(K[1], K[0], 1e-6 * K[0]);
}

// a ball that falls beside a wheel with a far target rebounds as it does alone: the error of
// velocities below which nothing rebounds is not that of the target
TEST(a_ball_bounces_beside_a_far_target)
{
    double top[2] = {0};
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, -G);
        scene_ground(&s, 0.9);
        const double x[3] = {5, 0, 1.1};
        const pcs_system ball = scene_solid_ball(&s, 1, 0.1, x, NULL, 0.9);
        pcs_joint_motor motor = pcs_joint_motor_default((pcs_interaction){0});
        flywheel(&s, 0.8, 0, &motor.joint);
        motor.of_speed = true;
        motor.target.offset = 1e8;
        motor.limit = 1;
        if (k == 1) CK_OK(pcs_model_add_joint_motor(s.m, &motor, NULL));
        scene_start(&s);
        for (int i = 0; i < 900; ++i) {
            scene_step(&s, 1e-3);
            if (i > 500) top[k] = fmax(top[k], scene_q(&s, ball)[2] - 0.1);
        }
        scene_close(&s);
    }
    CK_NEAR(top[0], 0.81, 2e-3);
    CK_NEAR(top[1], top[0], 1e-6);
}

// With the target 0 a limited motor holds its coordinate there: it is no friction, which would stop
// the wheel elsewhere. Each reads back as what it is, and the work of a motor is prescribed
TEST(a_motor_with_the_target_zero_is_no_friction)
{
    const double h = 1e-3;
    for (int k = 0; k < 4; ++k) {
        const bool of_speed = k == 1, dry = k == 3;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pcs_joint_motor motor = pcs_joint_motor_default((pcs_interaction){0}), read;
        pcs_joint_friction friction;
        const pcs_system wheel = flywheel(&s, 0.8, 1, &motor.joint);
        motor.of_speed = of_speed;
        motor.limit = k == 2 ? 1 : 1e4;
        friction = (pcs_joint_friction){.joint = motor.joint, .limit = motor.limit};
        pcs_interaction it;
        CK_OK(dry ? pcs_model_add_joint_friction(s.m, &friction, &it)
                  : pcs_model_add_joint_motor(s.m, &motor, &it));
        if (dry) {
            CK_SAYS(pcs_model_joint_motor(s.m, it, &read), PCS_ERR_ARG, "no motor");
            CK_OK(pcs_model_joint_friction(s.m, it, &friction));
        } else {
            CK_SAYS(pcs_model_joint_friction(s.m, it, &friction), PCS_ERR_ARG, "no friction");
            CK_OK(pcs_model_joint_motor(s.m, it, &read));
            ck_assert(read.of_speed == of_speed);
            CK_NEAR(read.limit, motor.limit, 1e-12 * motor.limit);
        }
        scene_start(&s);
        for (int i = 0; i < 5; ++i) {
            const double before = joint_now(&s, motor.joint).position[0];
            scene_step(&s, h);
            const double angle = joint_now(&s, motor.joint).position[0];
            const pcs_energy *e = &s.report.energy;
            const double work = dry ? e->tangential : e->prescribed;
            CK_NEAR(work, e->kinetic_after - e->kinetic_before, 1e-12);
            if (k == 0) CK_NEAR(angle, 0, 1e-12);
            if (of_speed || dry) CK_NEAR(scene_v(&s, wheel)[5], 0, 1e-9);
            if (k == 2) CK_NEAR(effort_of(&s, it), -motor.limit, 1e-9);
            const pcs_contact *c;
            for (int n = scene_contacts(&s, &c); n > 0; --n, ++c) {
                if (c->interaction != it.id) continue;
                CK_NEAR(c->gap, before, 1e-12);
                CK_NEAR(c->gap_end, angle, 1e-12);
            }
        }
        scene_close(&s);
    }
}

// the position at the end of each step is the target where the limit allows it
TEST(a_limited_motor_reaches_a_position)
{
    const double I = 0.8, h = 1e-3;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_joint_motor motor = pcs_joint_motor_default((pcs_interaction){0}), read;
    flywheel(&s, I, 1, &motor.joint); // the speed of the target
    motor.target = (pcs_time_function){.amplitude = 0.5, .frequency = 2};
    motor.limit = 2; // N m, of which the motion needs 1.6
    pcs_interaction drive;
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, &drive));
    CK_OK(pcs_model_joint_motor(s.m, drive, &read));
    CK_NEAR(read.limit, motor.limit, 1e-9);
    scene_start(&s);
    for (int i = 1; i <= 1000; ++i) {
        scene_step(&s, h);
        double angle;
        CK_OK(pcs_time_function_at(&motor.target, s.st->t, &angle, NULL));
        const double off = joint_now(&s, motor.joint).position[0] - angle;
        CK_NEAR(off, 0, 1e-9);
        CK_NEAR(effort_of(&s, drive), -I * 2 * sin(2 * s.st->t), 0.01 * motor.limit);
    }
    scene_close(&s);
}

// two motors on one wheel: the stronger one holds its speed against the moment of the weaker one;
// equal ones share the moment; without limits they contradict each other, and a step says so
// in tiny steps the way to the target is rounding, of the angle and of the time: the motor has the
// speed of its target, and not rounding / h
TEST(a_motor_in_tiny_steps)
{
    for (int k = 0; k < 14; ++k) {
        const double h = pow(10, -6 - k / 2), t = 3, rate = 1;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const double edges[3] = {0.3, 0.2, 0.1}, spin[3] = {0, 0, rate};
        const pcs_system b = scene_box(&s, 2, edges, origin, NULL, NULL, spin);
        const pcs_interaction hinge = place(&s, PCS_JOINT_HINGE, b, world, origin, e_z);
        pcs_joint_motor def = pcs_joint_motor_default(hinge);
        def.target = (pcs_time_function){.offset = -rate * t, .rate = rate};
        def.limit = k % 2 ? 50 : INFINITY;
        CK_OK(pcs_model_add_joint_motor(s.m, &def, NULL));
        scene_start(&s);
        s.st->t = t;
        for (int i = 0; i < 60; ++i) {
            scene_step(&s, h);
            CK_NEAR(scene_v(&s, b)[5], rate, 1e-12);
        }
        scene_close(&s);
    }
}

TEST(motors_that_fight)
{
    const double I = 0.8, h = 1e-3;
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pcs_joint_motor motor = pcs_joint_motor_default((pcs_interaction){0});
        const pcs_system wheel = flywheel(&s, I, 1, &motor.joint);
        pcs_interaction strong, weak;
        motor.of_speed = true;
        motor.target.offset = 1;
        motor.limit = k == 0 ? 5 : INFINITY;
        CK_OK(pcs_model_add_joint_motor(s.m, &motor, &strong));
        motor.target.offset = -1;
        motor.limit = k == 0 ? 2 : INFINITY;
        CK_OK(pcs_model_add_joint_motor(s.m, &motor, &weak));
        scene_start(&s);
        if (k == 0) {
            for (int i = 0; i < 100; ++i) {
                scene_step(&s, h);
                CK_NEAR(scene_v(&s, wheel)[5], 1, 1e-9);
                CK_NEAR(effort_of(&s, strong), 2, 1e-6);
                CK_NEAR(effort_of(&s, weak), -2, 1e-6);
            }
        } else {
            pcs_step_report report;
            CK_OK(pcs_step(s.m, s.st, s.wk, h, &report));
            ck_assert(!report.committed && report.outcome != PCS_OUTCOME_CONVERGED);
            CK_SAYS(pcs_step(s.m, s.st, s.wk, h, NULL), PCS_ERR_STEP, "velocity problem");
        }
        scene_close(&s);
    }
}

// ---- dry friction --------------------------------------------------------------------------------

static pcs_interaction rub(scene *s, pcs_interaction joint, double limit, double mu, double radius)
{
    const pcs_joint_friction friction = {
        .joint = joint, .limit = limit, .mu = mu, .radius = radius};
    pcs_interaction out;
    CK_OK(pcs_model_add_joint_friction(s->m, &friction, &out));
    return out;
}

// A pendulum with the constant moment tau swings about the angles -+ tau / (m g l) (small angles):
// each half swing ends 2 tau / (m g l) nearer, until it sticks. The friction takes what the ledger
// loses
TEST(a_pendulum_with_dry_friction)
{
    const double mass = 1, l = 0.4, start = 0.05, h = 1e-3, edges[3] = {0.1, 0.1, 0.1};
    const double tau = 0.006 * mass * G * l, step = 2 * tau / (mass * G * l);
    const double at[3] = {l * sin(start), -l * cos(start), 0}, down[3] = {0, -G, 0};
    double Q[4];
    CK_OK(pcs_quat_from_axis_angle(e_z, start, Q));
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system bob = scene_box(&s, mass, edges, at, Q, NULL, NULL);
    CK_OK(pcs_model_set_gravity(s.m, down));
    const pcs_interaction pivot = place(&s, PCS_JOINT_HINGE, bob, world, origin, e_z);
    const pcs_interaction dry = rub(&s, pivot, tau, 0, 0);
    scene_start(&s);
    double before = 0, end = start, lost = 0;
    const double E = scene_kinetic(&s) + scene_potential(&s);
    int swings = 0;
    for (int i = 0; i < 6000; ++i) {
        scene_step(&s, h);
        scene_check_ledger(&s);
        lost += s.report.energy.tangential;
        const double angle = atan2(scene_q(&s, bob)[0], -scene_q(&s, bob)[1]);
        const double speed = scene_v(&s, bob)[5];
        if (before * speed < 0 || (before != 0 && fabs(speed) < 1e-9)) {
            CK_NEAR(fabs(angle), end - step, 1e-3 * start);
            end = fabs(angle);
            ++swings;
        }
        before = fabs(speed) < 1e-9 ? 0 : speed;
    }
    ck_assert_int_eq(swings, 4); // 0.05 -> 0.038 -> 0.026 -> 0.014 -> 0.002, where it sticks
    CK_NEAR(scene_v(&s, bob)[5], 0, 1e-12);
    CK_NEAR(effort_of(&s, dry), mass * G * scene_q(&s, bob)[0], 1e-6 * tau);
    CK_NEAR(lost, scene_kinetic(&s) + scene_potential(&s) - E, 1e-4 * fabs(lost));
    scene_close(&s);
}

// a shaft of radius r that carries N slows down by mu r N / I, and stays at rest
TEST(a_loaded_shaft_slows_down)
{
    const double I = 0.8, mu = 0.2, radius = 0.05, spin = 0.05, h = 1e-3, down[3] = {0, -G, 0};
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        if (k == 0) s.scheme = pcs_scheme_default();
        pcs_interaction hinge;
        const pcs_system wheel = flywheel(&s, I, spin, &hinge);
        CK_OK(pcs_model_set_gravity(s.m, down));
        const pcs_interaction dry = rub(&s, hinge, 0, mu, radius);
        scene_start(&s);
        const double slope = mu * radius * 3 * G / I;
        for (int i = 1; i <= 300; ++i) {
            scene_step(&s, h);
            scene_check_ledger(&s);
            CK_NEAR(scene_v(&s, wheel)[5], fmax(0, spin - slope * h * i), 1e-7);
            ck_assert_double_le(s.report.friction_residual, 1e-8);
        }
        CK_NEAR(effort_of(&s, dry), 0, 1e-9);
        scene_close(&s);
    }
}

// the moment is mu r |R| with the force R of the same step, also where R varies fast
TEST(friction_is_loaded_by_the_force_of_its_step)
{
    const double mass = 2, l = 0.3, mu = 0.3, radius = 0.04, h = 1e-3, edges[3] = {0.6, 0.1, 0.1},
                 at[3] = {l, 0, 0}, down[3] = {0, -G, 0};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system rod = scene_box(&s, mass, edges, at, NULL, NULL, NULL);
    CK_OK(pcs_model_set_gravity(s.m, down));
    const pcs_interaction pivot = place(&s, PCS_JOINT_HINGE, rod, world, origin, e_z);
    const pcs_interaction dry = rub(&s, pivot, 0, mu, radius);
    scene_start(&s);
    for (int i = 0; i < 400; ++i) {
        scene_step(&s, h);
        const pcs_joint_state now = joint_now(&s, pivot);
        const double R = hypot(hypot(now.force1[0], now.force1[1]), now.force1[2]);
        const double moment = effort_of(&s, dry), speed = now.speed[0];
        if (fabs(speed) > 0.01) CK_NEAR(moment, -copysign(mu * radius * R, speed), 1e-6 * mu * R);
        ck_assert_double_le(fabs(moment), mu * radius * R * (1 + 1e-6));
    }
    scene_close(&s);
}

// a chain of n rods whose bearings have friction, and a motor on the first; s is not yet started
static void rough_chain(scene *s, test_random *r, int n, double mu, double radius,
                        pcs_interaction *hinge, pcs_interaction *dry)
{
    const double edges[3] = {0.3, 0.1, 0.1}, down[3] = {0, -G, 0};
    pcs_system before = world;
    for (int i = 0; i < n; ++i) {
        const double x[3] = {0.3 * i + 0.15, 0, 0}, at[3] = {0.3 * i, 0, 0};
        const pcs_system rod = scene_box(s, random_between(r, 0.5, 5), edges, x, NULL, NULL, NULL);
        hinge[i] = place(s, PCS_JOINT_HINGE, rod, before, at, e_z);
        dry[i] = rub(s, hinge[i], 0.01, mu, radius);
        before = rod;
    }
    pcs_joint_motor motor = pcs_joint_motor_default(hinge[0]);
    motor.of_speed = true;
    motor.target.offset = 20;
    motor.limit = 50;
    CK_OK(pcs_model_add_joint_motor(s->m, &motor, NULL));
    CK_OK(pcs_model_set_gravity(s->m, down));
}

// Bearings as large as the bodies, where the bound of a solve is far from that of the next one. All
// steps converge, and then every moment obeys the law with the force of the same step
TEST(converged_steps_have_solved_their_bearings)
{
    test_random r = random_seed(17);
    for (int k = 0; k < TEST_FEW(6, 30); ++k) {
        scene s = scene_open();
        if (k % 2 == 1) s.scheme = pcs_scheme_default();
        s.scheme.accept_unconverged = true;
        s.scheme.halvings = 0;
        const int n = 1 + k % 4;
        const double mu = random_between(&r, 0.1, 2), radius = random_between(&r, 0.01, 0.2);
        pcs_interaction hinge[4], dry[4];
        rough_chain(&s, &r, n, mu, radius, hinge, dry);
        scene_start(&s);
        for (int i = 0; i < 100; ++i) {
            scene_step(&s, 1e-3);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_double_le(s.report.friction_residual, s.scheme.solver.tol);
            for (int j = 0; j < n; ++j) {
                const pcs_joint_state now = joint_now(&s, hinge[j]);
                const double R = hypot(hypot(now.force1[0], now.force1[1]), now.force1[2]);
                const double most = 0.01 + mu * radius * R, moment = effort_of(&s, dry[j]);
                ck_assert_double_le(fabs(moment), most * (1 + 1e-4) + 1e-5);
            }
        }
        scene_close(&s);
    }
}

// whatever the budget leaves, an unsolved step names the larger of the residuals that are too large
TEST(an_unsolved_step_names_the_larger_residual)
{
    int frictions = 0, velocities = 0;
    for (double budget = 50; budget < 2e4; budget *= 1.3) {
        scene s = scene_open();
        test_random r = random_seed(5);
        s.scheme = pcs_scheme_default();
        s.scheme.accept_unconverged = true;
        s.scheme.halvings = 0;
        s.scheme.budget = budget;
        pcs_interaction hinge[4], dry[4];
        rough_chain(&s, &r, 4, 1, 0.13, hinge, dry);
        scene_start(&s);
        for (int i = 0; i < 40; ++i) {
            scene_step(&s, 1e-3);
            const double tol = s.scheme.solver.tol, friction = s.report.friction_residual,
                         residual = s.report.solve.measure.residual;
            const pcs_doubt *d = &s.report.doubt[PCS_DOUBT_UNSOLVED];
            if (s.report.outcome == PCS_OUTCOME_CONVERGED) {
                ck_assert_int_eq(d->count, 0);
                ck_assert_double_le(fmax(friction, residual), tol);
                continue;
            }
            if (fmax(friction, residual) <= tol) continue; // the projection, or Newton's loop
            CK_NEAR(d->value, fmax(friction, residual), 0);
            CK_NEAR(d->limit, tol, 0);
            char text[PCS_DOUBT_TEXT_SIZE];
            pcs_doubt_text(PCS_DOUBT_UNSOLVED, d, text);
            frictions += strstr(text, "joint friction") != NULL;
            velocities += strstr(text, "velocities") != NULL;
        }
        scene_close(&s);
    }
    ck_assert_int_gt(frictions, 0);
    ck_assert_int_gt(velocities, 0);
}

// a slide inclined by 30 degrees holds with mu above tan 30, and else slides as a block on a plane
TEST(a_rough_slide)
{
    const double x[3] = {0}, along[3] = {cos(PI / 6), sin(PI / 6), 0}, edges[3] = {0.6, 0.1, 0.1},
                 down[3] = {0, -G, 0};
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const pcs_system box = scene_box(&s, 2, edges, x, NULL, NULL, NULL);
        CK_OK(pcs_model_set_gravity(s.m, down));
        const pcs_interaction guide = place(&s, PCS_JOINT_SLIDER, box, world, origin, along);
        const double rough = k == 0 ? 0.6 : 0.4;
        rub(&s, guide, 0, rough, 0);
        scene_start(&s);
        for (int i = 0; i < 200; ++i) {
            scene_step(&s, 1e-3);
        }
        const double a = k == 0 ? 0 : -G * (sin(PI / 6) - rough * cos(PI / 6));
        CK_NEAR(joint_now(&s, guide).speed[0], 0.2 * a, 1e-6);
        scene_close(&s);
    }
}

// A bead on an inclined wire, which may turn about it: friction of its displacement, loaded by the
// force across
TEST(a_rough_wire)
{
    const double along[3] = {cos(PI / 6), sin(PI / 6), 0}, rough = 0.4;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system bead = scene_ball(&s, 2, 0.1, origin, origin);
    CK_OK(pcs_model_set_gravity(s.m, (double[]){0, -G, 0}));
    const pcs_interaction wire = place(&s, PCS_JOINT_POINT_ON_LINE, bead, world, origin, along);
    rub(&s, wire, 0, rough, 0);
    scene_start(&s);
    for (int i = 0; i < 200; ++i) {
        scene_step(&s, 1e-3);
    }
    const double a = -G * (sin(PI / 6) - rough * cos(PI / 6));
    CK_NEAR(joint_now(&s, wire).speed[0], 0.2 * a, 1e-6);
    scene_close(&s);
}

// A spherical bearing with friction, of a universal joint and a hinge with a light body between
// them: a ball that spins about the hinge slows down by M / I and stops, and so about another axis
TEST(a_spherical_bearing_of_three_angles)
{
    static const double e_y[3] = {0, 1, 0};
    const double M = 0.3, spin = TEST_FEW(0.2, 1), light = 1e-3;
    for (int k = 0; k < 2; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        const double omega[3] = {k == 0 ? 0 : spin, 0, k == 0 ? spin : 0};
        const pcs_system cross = scene_ball(&s, light, 0.1, origin, origin);
        const pcs_system ball = scene_ball(&s, 1, 0.5, origin, origin);
        pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_UNIVERSAL);
        pcs_interaction at[2];
        joint.system1 = cross;
        CK_OK(pcs_model_place_joint(s.m, origin, e_y, e_x, &joint));
        CK_OK(pcs_model_add_joint(s.m, &joint, &at[0]));
        at[1] = place(&s, PCS_JOINT_HINGE, ball, cross, origin, e_z);
        for (int c = 0; c < 3; ++c) {
            const pcs_joint_friction dry = {.joint = at[c / 2], .coordinate = c % 2, .limit = M};
            CK_OK(pcs_model_add_joint_friction(s.m, &dry, NULL));
        }
        scene_start(&s);
        memcpy(scene_v(&s, ball) + 3, omega, sizeof omega);
        if (k == 1) memcpy(scene_v(&s, cross) + 3, omega, sizeof omega);
        const double I = 0.4 * 0.25 + (k == 1 ? 0.4 * light * 0.01 : 0);
        for (int i = 1; i <= (int)(400 * spin); ++i) {
            scene_step(&s, 1e-3);
            const double *w = scene_v(&s, ball) + 3;
            CK_NEAR(w[k == 0 ? 2 : 0], fmax(0, spin - M / I * 1e-3 * i), 1e-6);
        }
        scene_close(&s);
    }
}

// ---- displacements on bodies that turn -------------------------------------------------------------

// An arm that turns about y at 10 rad/s, and on it a body of 1 kg at 0.5 m, joined with its z along
// the arm (planar: along y). The speed along the arm is `speed`
static pcs_interaction spin(scene *s, pcs_joint_kind kind, double speed, pcs_system *collar,
                            pcs_interaction *pivot)
{
    static const double e_y[3] = {0, 1, 0}, at[3] = {0.5, 0, 0};
    scene_gravity(s, 0, 0, 0);
    pcs_body_def def = pcs_body_def_default();
    def.mass = 10;
    memcpy(def.inertia, (double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof def.inertia);
    def.omega[1] = 10;
    const pcs_system arm = scene_add(s, &def);
    def.mass = 1;
    memcpy(def.inertia, (double[9]){0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.022}, sizeof def.inertia);
    memcpy(def.position, at, sizeof at);
    def.velocity[0] = speed;
    def.velocity[2] = -5;
    *collar = scene_add(s, &def);
    *pivot = place(s, PCS_JOINT_HINGE, arm, world, origin, e_y);
    if (kind != PCS_JOINT_SCREW)
        return place(s, kind, *collar, arm, at, kind == PCS_JOINT_PLANAR ? e_y : e_x);
    pcs_joint_def screw = pcs_joint_def_default(kind);
    pcs_interaction out;
    screw.system1 = *collar;
    screw.system2 = arm;
    screw.pitch = 0.3;
    CK_OK(pcs_model_place_joint(s->m, at, e_x, NULL, &screw));
    CK_OK(pcs_model_add_joint(s->m, &screw, &out));
    return out;
}

static double radius_of(scene *s, pcs_system collar)
{
    return hypot(scene_q(s, collar)[0], scene_q(s, collar)[2]);
}

static const pcs_joint_kind on_arm[] = {PCS_JOINT_SLIDER, PCS_JOINT_CYLINDRICAL, PCS_JOINT_PLANAR,
                                        PCS_JOINT_POINT_ON_LINE};

// What friction or a motor of speed 0 holds stays where it is while it turns, and keeps its energy,
// where theta is 1/2. Schemes: default, with parts that may rebound, that of Moreau and Jean, the
// same with rows in the middle
TEST(what_sticks_stays_on_an_arm_that_turns)
{
    for (int k = 0; k < 16; ++k) {
        const int what = k % 4, scheme = k / 4;
        scene s = scene_open();
        if (scheme < 2) s.scheme = pcs_scheme_default();
        if (scheme == 3) s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
        pcs_system collar;
        pcs_interaction pivot;
        const pcs_joint_kind kind = what == 0   ? on_arm[scheme]
                                    : what == 3 ? PCS_JOINT_SCREW
                                                : PCS_JOINT_SLIDER;
        const pcs_interaction rail = spin(&s, kind, 0, &collar, &pivot);
        if (scheme == 1) scene_shape(&s, collar, pcs_shape_sphere(0.05), 0.5);
        if (what == 0 || what == 3) {
            for (int c = 0; c < (kind == PCS_JOINT_PLANAR ? 3 : 1); ++c) {
                const pcs_joint_friction dry = {.joint = rail, .coordinate = c, .limit = 1e4};
                CK_OK(pcs_model_add_joint_friction(s.m, &dry, NULL));
            }
        } else {
            drive_joint(&s, rail, 0, true, what == 1 ? 1e4 : INFINITY);
        }
        scene_start(&s);
        const double K = scene_kinetic(&s);
        for (int i = 0; i < 200; ++i) {
            scene_step(&s, 2e-3);
            scene_check_ledger(&s);
        }
        CK_NEAR(radius_of(&s, collar), 0.5, what == 3 ? 2e-4 : 1e-5);
        CK_NEAR(scene_kinetic(&s), K, what == 3 ? 5e-2 : 2e-3);
        scene_close(&s);
    }
}

// Where the island keeps theta = 1, as with a motor that has a position to reach, rows are those at
// q_k: at q_m the motor would be a couple, and brake the arm that turns
TEST(a_motor_of_a_position_brakes_no_arm)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_system collar;
    pcs_interaction pivot;
    const pcs_interaction rail = spin(&s, PCS_JOINT_SLIDER, 0, &collar, &pivot);
    drive_joint(&s, rail, 0, false, 1e4);
    scene_start(&s);
    const double K = scene_kinetic(&s);
    for (int i = 0; i < 1000; ++i) {
        scene_step(&s, 2e-3);
    }
    CK_NEAR(scene_kinetic(&s), K, 2e-3 * K);
    scene_close(&s);
}

// Friction F lets a collar slide outwards, r'' = w^2 r - F / m while the arm has the speed w: the
// error is of second order. The friction takes F times the way
TEST(a_collar_slides_on_an_arm_that_turns)
{
    const double w = 10, F = 30, a = F / (w * w), r0 = 0.5, t = 0.1;
    const double r = a + (r0 - a) * cosh(w * t);
    double error[3];
    for (int k = 0; k < 3; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pcs_system collar;
        pcs_interaction pivot;
        const pcs_interaction rail = spin(&s, PCS_JOINT_SLIDER, 0, &collar, &pivot);
        drive_joint(&s, pivot, w, false, INFINITY);
        const pcs_joint_friction dry = {.joint = rail, .limit = F};
        CK_OK(pcs_model_add_joint_friction(s.m, &dry, NULL));
        scene_start(&s);
        double lost = 0;
        const int n = 25 << k;
        for (int i = 0; i < n; ++i) {
            scene_step(&s, t / n);
            scene_check_ledger(&s);
            ck_assert_double_le(s.report.energy.tangential, 1e-12);
            lost -= s.report.energy.tangential;
        }
        error[k] = fabs(radius_of(&s, collar) - r);
        CK_NEAR(lost, F * (r - r0), 0.01 * F * (r - r0));
        scene_close(&s);
    }
    ck_assert_double_le(error[0], 1e-4);
    ck_assert_double_gt(observed_order(3, error), 1.8);
}

// Thrown inwards with the speed u, it stops at sqrt((r0 + a)^2 - (u / w)^2) - a, and stays there:
// F is twice what holds it
TEST(a_collar_stops_on_an_arm_that_turns)
{
    const double w = 10, F = 100, a = F / (w * w), r0 = 0.5, u = 2;
    const double stop = sqrt((r0 + a) * (r0 + a) - (u / w) * (u / w)) - a;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_system collar;
    pcs_interaction pivot;
    const pcs_interaction rail = spin(&s, PCS_JOINT_SLIDER, -u, &collar, &pivot);
    drive_joint(&s, pivot, w, false, INFINITY);
    const pcs_joint_friction dry = {.joint = rail, .limit = F};
    CK_OK(pcs_model_add_joint_friction(s.m, &dry, NULL));
    scene_start(&s);
    for (int i = 0; i < 300; ++i) {
        scene_step(&s, 1e-3);
        scene_check_ledger(&s);
        ck_assert_double_le(s.report.energy.tangential, 1e-6);
        if (i >= 30) CK_NEAR(radius_of(&s, collar), stop, 2e-5);
    }
    CK_NEAR(joint_now(&s, rail).speed[0], 0, 1e-3);
    scene_close(&s);
}

// ---- mixed problems ------------------------------------------------------------------------------

// Four bars with four hinges lie on a rough floor, and a limited motor drives one against another:
// equality rows of which three are redundant, unilateral, box and Coulomb blocks in one solve. What
// the motor gives is kinetic energy, or lost by the friction of the floor and of the joints
TEST(a_driven_four_bar_on_a_rough_floor)
{
    const double h = 1e-3, half = 0.05, thick = 0.1, mu = 0.3;
    static const double corner[4][3] = {{0, 0, 0.05}, {0, 1, 0.05}, {2, 1.5, 0.05}, {2, 0, 0.05}};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_system bar[4];
    pcs_interaction hinge[4];
    double weight = 0;
    for (int k = 0; k < 4; ++k) {
        const double *a = corner[k], *b = corner[(k + 1) % 4], x = b[0] - a[0], y = b[1] - a[1];
        const double length = hypot(x, y), mass = k == 3 ? 20 : 2 * length,
                     edges[3] = {length, thick, thick},
                     at[3] = {0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]), half};
        double Q[4];
        CK_OK(pcs_quat_from_axis_angle(e_z, atan2(y, x), Q));
        bar[k] = scene_box(&s, mass, edges, at, Q, NULL, NULL);
        scene_rough(&s, bar[k], pcs_shape_box(length, thick, thick), 0, 0, mu);
        weight += mass * G;
    }
    scene_rough(&s, world, pcs_shape_half_space(e_z, 0), 0, 0, mu);
    scene_gravity(&s, 0, 0, -G);
    for (int k = 0; k < 4; ++k) {
        hinge[k] = place(&s, PCS_JOINT_HINGE, bar[k], bar[(k + 3) % 4], corner[k], e_z);
        if (k > 0) rub(&s, hinge[k], 0.02, 0.1, 0.01);
    }
    const pcs_joint_limits stops = {hinge[3], 0, -1, 1, 0};
    CK_OK(pcs_model_add_joint_limits(s.m, &stops, NULL));
    pcs_joint_motor motor = pcs_joint_motor_default(hinge[0]);
    motor.of_speed = true;
    motor.target.offset = -1;
    motor.limit = 60;
    pcs_interaction drive;
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, &drive));
    scene_start(&s);
    double given = 0, lost = 0;
    const int steps = TEST_FEW(50, 200);
    for (int i = 0; i < steps; ++i) {
        scene_step(&s, h);
        scene_check_ledger(&s);
        ck_assert_msg(s.report.outcome == PCS_OUTCOME_CONVERGED, "step %d: %s, residual %g", i,
                      pcs_outcome_text(s.report.outcome), s.report.solve.measure.residual);
        given += s.report.energy.prescribed;
        lost -= s.report.energy.tangential;
        ck_assert_double_le(s.report.energy.tangential, 1e-9);
        double load = 0;
        const pcs_contact *c;
        for (int n = scene_contacts(&s, &c); n > 0; --n, ++c) {
            if (c->interaction == 0) load += c->r[0];
        }
        CK_NEAR(load / h, weight, 1e-3 * weight);
        for (int k = 0; k < 4; ++k) {
            ck_assert_double_le(joint_now(&s, hinge[k]).violation, 1e-9);
        }
        const double effort = effort_of(&s, drive);
        ck_assert_double_le(fabs(effort), motor.limit * (1 + 1e-9));
        if (effort > -0.999 * motor.limit) CK_NEAR(joint_now(&s, hinge[0]).speed[0], -1, 1e-6);
    }
    CK_NEAR(given, lost + scene_kinetic(&s), 1e-3 * given);
    ck_assert_double_gt(lost, 0.1 * given);
    scene_close(&s);
}

static int no_number(void *user, double t, double *f, double *df)
{
    (void)user;
    *f = *df = t > 0.015 ? NAN : 0;
    return 0;
}

TEST(prescribed_coordinates_that_are_refused)
{
    scene s = scene_open();
    const double edges[3] = {1, 1, 1}, x[3] = {0, 0, 0};
    const pcs_system box = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
    const pcs_system other = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
    pcs_joint_motor motor = {.joint = place(&s, PCS_JOINT_HINGE, box, world, origin, e_z),
                             .coordinate = 1,
                             .limit = INFINITY},
                    again;
    CK_SAYS(pcs_model_add_joint_motor(s.m, &motor, NULL), PCS_ERR_ARG, "hinge has no coordinate 1");
    motor.coordinate = 0;
    motor.target.rate = NAN;
    CK_SAYS(pcs_model_add_joint_motor(s.m, &motor, NULL), PCS_ERR_ARG, "not finite");
    motor.joint = place(&s, PCS_JOINT_BALL, box, other, origin, e_z);
    motor.target.rate = 1;
    CK_SAYS(pcs_model_add_joint_motor(s.m, &motor, NULL), PCS_ERR_ARG, "rotation vector");
    CK_SAYS(pcs_model_joint_motor(s.m, motor.joint, &again), PCS_ERR_ARG, "no motor");
    pcs_joint_def bar = pcs_joint_def_default(PCS_JOINT_DISTANCE);
    bar.system1 = box;
    bar.point2[0] = bar.length = 1;
    pcs_joint_friction held = {.limit = 1};
    CK_OK(pcs_model_add_joint(s.m, &bar, &held.joint));
    motor.joint = held.joint;
    CK_SAYS(pcs_model_add_joint_motor(s.m, &motor, NULL), PCS_ERR_ARG, "holds its only coordinate");
    CK_SAYS(pcs_model_add_joint_friction(s.m, &held, NULL), PCS_ERR_ARG, "holds its only");
    const pcs_joint_limits stops = {.joint = held.joint, .low = 0.5, .high = 2};
    CK_SAYS(pcs_model_add_joint_limits(s.m, &stops, NULL), PCS_ERR_ARG, "holds its only");
    motor.joint = place(&s, PCS_JOINT_BALL, box, other, origin, e_z);
    pcs_relation ball = pcs_relation_ball_joint(x, x);
    ball.time.rate = 1;
    const pcs_interaction_def many = {ball, pcs_law_equality(), box, other};
    CK_SAYS(pcs_model_add_interaction(s.m, &many, NULL), PCS_ERR_ARG, "only one row");
    pcs_joint_friction friction = {.joint = place(&s, PCS_JOINT_HINGE, other, world, origin, e_z),
                                   .mu = -1},
                       same;
    CK_SAYS(pcs_model_add_joint_friction(s.m, &friction, NULL), PCS_ERR_ARG, "mu -1");
    friction.mu = 0.1;
    friction.radius = 0;
    CK_SAYS(pcs_model_add_joint_friction(s.m, &friction, NULL), PCS_ERR_ARG, "radius");
    friction.mu = 0.3;
    friction.radius = 0.02;
    friction.limit = 0.5;
    pcs_interaction dry;
    CK_OK(pcs_model_add_joint_friction(s.m, &friction, &dry));
    CK_OK(pcs_model_joint_friction(s.m, dry, &same));
    CK_NEAR(same.limit, 0.5, 1e-15);
    CK_NEAR(same.mu * same.radius, 0.006, 1e-17);
    CK_SAYS(pcs_model_joint_friction(s.m, friction.joint, &same), PCS_ERR_ARG, "no friction");
    CK_OK(pcs_model_set_interaction_enabled(s.m, friction.joint, false));
    double effort;
    motor.joint = place(&s, PCS_JOINT_SLIDER, other, world, origin, e_x);
    motor.target = (pcs_time_function){.fn = no_number};
    pcs_interaction drive;
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, &drive));
    CK_OK(pcs_model_joint_motor(s.m, drive, &again));
    ck_assert(again.joint.id == motor.joint.id && again.target.fn == no_number);
    scene_start(&s);
    scene_step(&s, 0.01);
    CK_SAYS(pcs_work_joint_effort(s.wk, motor.joint, &effort), PCS_ERR_ARG, "no motor");
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 0.01, NULL), PCS_ERR_CALLBACK, "function of time");
    scene_close(&s);
}
