// The doubts of a run: overlaps at the start, steps that are too long, steps committed unsolved,
// contacts that add energy; in the report with their numbers, in the log once, and none in a run
// without reason.
#include "rotations.h"
#include "scene.h"

#include <percuss/joint.h>

#include <stdio.h>
#include <string.h>

typedef struct heard {
    int n, unsolved;
    char last[512];
} heard;

static void hear(pcs_log_level level, const char *message, void *user)
{
    heard *h = user;
    h->n += level == PCS_LOG_WARNING;
    h->unsolved += strstr(message, "committed but not solved") != NULL;
    snprintf(h->last, sizeof h->last, "%s", message);
}

static void open_heard(scene *s, heard *h)
{
    *s = scene_open();
    pcs_model_destroy(s->m);
    *h = (heard){0};
    s->env.log = hear;
    s->env.log_user = h;
    CK_OK(pcs_model_create(&s->env, &s->m));
    s->scheme = pcs_scheme_default();
}

static pcs_system add_cube(scene *s, double edge, const double x[3], const double v[3], double mu)
{
    const double edges[3] = {edge, edge, edge};
    const pcs_system cube = scene_box(s, 1, edges, x, NULL, v, NULL);
    scene_rough(s, cube, pcs_shape_box(edge, edge, edge), 0, 0, mu);
    return cube;
}

static void run(scene *s, double h, double t_end, pcs_run_report *report)
{
    CK_OK(pcs_run(s->m, s->st, s->wk, h, t_end, NULL, NULL, report));
}

static void silent(const pcs_run_report *report, const heard *h)
{
    ck_assert_msg(report->doubts[0] == '\0', "%s", report->doubts);
    for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
        ck_assert_int_eq(report->doubt[k].count, 0);
    }
    ck_assert_msg(h->n == 0, "%d warnings, the last: %s", h->n, h->last);
}

// bodies that lie, slide, fall and land correctly give no doubt, in any scheme
TEST(runs_without_reason_have_no_doubt)
{
    for (int k = 0; k < 4; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        if (k % 2) s.scheme = pcs_scheme_moreau_jean();
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.5);
        add_cube(&s, 0.1, (double[]){0, 0, 0.05}, NULL, 0.5);
        if (k >= 2) {
            add_cube(&s, 0.1, (double[]){1, 0, 0.05}, (double[]){1, 0, 0}, 0.5);
            add_cube(&s, 0.1, (double[]){0.03, 0.02, 0.2}, NULL, 0.5);
        }
        scene_start(&s);
        pcs_run_report report;
        run(&s, 5e-3, k >= 2 ? 5 : 100, &report);
        silent(&report, &h);
        scene_close(&s);
    }
}

// pcs_doubt_text knows no model: it has the numbers of the parts
TEST(a_doubt_has_words_without_a_model)
{
    for (int kind = 0; kind < PCS_DOUBT_COUNT; ++kind) {
        const int few = kind == PCS_DOUBT_UNSOLVED ? 1 : 5;
        const pcs_doubt d = {.count = 1, .value = 0.01, .limit = 0.05, .one = few - 1, .two = few};
        char text[PCS_DOUBT_TEXT_SIZE];
        pcs_doubt_text((pcs_doubt_kind)kind, &d, text);
        ck_assert_int_gt(strlen(text), 0);
        if (kind == PCS_DOUBT_OVERLAP) ck_assert_ptr_nonnull(strstr(text, "shapes 4 and 5"));
    }
}

TEST(overlaps_at_the_start_are_said_once)
{
    const double depth[3] = {0.005, 0.03, 0.09};
    for (int k = 0; k < 3; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        scene_gravity(&s, 0, 0, 0);
        for (int i = 0; i < 3; ++i) {
            add_cube(&s, 0.1, (double[]){0, 0, (0.1 - depth[k]) * i}, NULL, 0);
        }
        scene_start(&s);
        pcs_run_report report;
        run(&s, 5e-3, 0.5, &report);
        if (k == 0) {
            silent(&report, &h);
        } else {
            const pcs_doubt *d = &report.doubt[PCS_DOUBT_OVERLAP];
            ck_assert_int_eq(d->count, 1);
            CK_NEAR(d->value, depth[k], 1e-12);
            CK_NEAR(d->limit, 0.1, 1e-15);
            ck_assert_int_eq(d->two - d->one, 1);
            ck_assert_int_eq(h.n, 1);
            ck_assert_msg(strstr(h.last, k == 1 ? "0.03 m" : "0.09 m") != NULL, "%s", h.last);
            ck_assert_msg(strstr(report.doubts, h.last) == report.doubts, "%s", report.doubts);
        }
        scene_close(&s);
    }
}

// solids with two equal directions of separation: the run has a doubt, with the depth
TEST(ambiguous_projections_are_reported)
{
    const pcs_shape ball = pcs_shape_sphere(0.1), plate = pcs_shape_box(1, 1, 0.04),
                    box = pcs_shape_box(0.2, 0.2, 0.2), rod = pcs_shape_capsule(0.05, 0.2);
    const struct {
        pcs_shape moves, stays;
        double x[3], depth, thin;
    } all[] = {{ball, ball, {0}, 0.2, 0.2},
               {ball, plate, {0}, 0.12, 0.04},
               {box, box, {0}, 0.2, 0.2},
               {box, box, {0.15, 0, 0.15}, 0.05, 0.2},
               {rod, rod, {0}, 0.1, 0.1}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        scene_gravity(&s, 0, 0, 0);
        scene_shape(&s, scene_ball(&s, 1, 0.1, all[k].x, NULL), all[k].moves, 0);
        scene_shape(&s, (pcs_system){0}, all[k].stays, 0);
        scene_start(&s);
        pcs_run_report report;
        run(&s, 1e-3, 0.02, &report);
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_OVERLAP];
        ck_assert_int_eq(d->count, 1);
        CK_NEAR(d->value, all[k].depth, 1e-9);
        CK_NEAR(d->limit, all[k].thin, 1e-15);
        ck_assert_ptr_nonnull(strstr(report.doubts, "a guess"));
        scene_close(&s);
    }
}

// a doubt needs another shape to meet
TEST(steps_longer_than_a_body_are_said)
{
    for (int k = 0; k < 4; ++k) {
        const int wall = k % 2;
        const bool follows = k > 1; // else the centre may pass the centre of the wall
        const double most = follows ? 0.1 : 0.5 * (0.1 + 0.02);
        scene s;
        heard h;
        open_heard(&s, &h);
        s.scheme = follows ? pcs_scheme_default() : pcs_scheme_moreau_jean();
        scene_gravity(&s, 0, 0, 0);
        if (wall) scene_shape(&s, (pcs_system){0}, pcs_shape_box(0.02, 2, 2), 0);
        const double x[3] = {-2.5, 0, 0}, v[3] = {100, 0, 0};
        const pcs_system ball = scene_solid_ball(&s, 1, 0.05, x, v, 0);
        scene_start(&s);
        pcs_run_report report;
        run(&s, 1e-2, 0.1, &report);
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_TRAVEL];
        if (!wall) {
            silent(&report, &h);
        } else {
            ck_assert_int_ge(d->count, 1);
            CK_NEAR(d->value, 1, 1e-12);
            CK_NEAR(d->limit, most, 1e-15);
            ck_assert_int_eq(d->one, ball.id);
            // the ball ends within the wall with the other scheme
            ck_assert_int_eq(h.n, follows ? 1 : 2);
            const char *const words = follows ? "10 times smaller" : "17 times smaller";
            ck_assert_msg(strstr(report.doubts, words) != NULL, "%s", report.doubts);
        }
        scene_close(&s);
    }
}

// What is hit: a shape of the world, of a fixed body, a thin plate that rests, or a plate of a
// motion that hits the ball
enum { OF_WORLD, OF_FIXED, OF_FREE, OF_MOTION, TARGETS };

static int fly(void *user, double t, double q[7], double v[6])
{
    (void)user;
    memcpy(q, (double[7]){-5 + 100 * t, 0, 0, 1}, 7 * sizeof *q);
    memcpy(v, (double[6]){100}, 6 * sizeof *v);
    return 0;
}

static void put_target(scene *s, int target, int *shape, pcs_system *on)
{
    *on = (pcs_system){0};
    pcs_body_def def = pcs_body_def_default();
    pcs_shape plate = pcs_shape_box(0.02, 2, 2);
    if (target == OF_FREE) {
        *on = scene_box(s, 5, (double[]){0.02, 2, 2}, (double[3]){0}, NULL, NULL, NULL);
    } else if (target != OF_WORLD) {
        def.fixed = target == OF_FIXED;
        if (target == OF_MOTION) def.motion = fly;
        *on = scene_add(s, &def);
    }
    *shape = pcs_model_shape_count(s->m);
    scene_shape(s, *on, plate, 0);
}

static void put_ball(scene *s, int target, int *shape, pcs_system *on)
{
    const double x[3] = {target == OF_MOTION ? 0 : -5, 0.1, 0}, v[3] = {100, 0, 0};
    *shape = pcs_model_shape_count(s->m);
    *on = scene_solid_ball(s, 1, 0.05, x, target == OF_MOTION ? NULL : v, 0);
    CK_OK(pcs_model_set_system_name(s->m, *on, "ball"));
}

// balls that rest beside the way, before and after the others in the order of bodies
static void put_near(scene *s, double z)
{
    for (int i = 0; i < 3; ++i) {
        scene_solid_ball(s, 1, 0.03, (double[]){-0.5 + 0.5 * i, 0.1, z}, NULL, 0);
    }
}

// the body that moves is named, and the shape that it may pass, in any order of the bodies; those
// beside its way do not count
TEST(what_moves_too_far_is_named)
{
    for (int k = 0; k < 4 * TARGETS; ++k) {
        const int target = k / 4;
        scene s;
        heard h;
        open_heard(&s, &h);
        if (k % 2) s.scheme = pcs_scheme_moreau_jean();
        scene_gravity(&s, 0, 0, 0);
        int wall, ball;
        pcs_system on, of;
        const double aside = target == OF_MOTION ? 3 : 0.2; // the plate is large
        put_near(&s, aside);
        if (k % 4 < 2) put_target(&s, target, &wall, &on);
        put_ball(&s, target, &ball, &of);
        if (k % 4 >= 2) put_target(&s, target, &wall, &on);
        put_near(&s, -aside);
        scene_start(&s);
        pcs_run_report report;
        run(&s, 1e-2, 0.1, &report);
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_TRAVEL];
        const bool hits = target == OF_MOTION;
        ck_assert_int_ge(d->count, 1);
        CK_NEAR(d->value, 1, 1e-12);
        ck_assert_msg(d->one == (hits ? on.id : of.id), "%d: %s", k, report.doubts);
        ck_assert_msg(d->two == (hits ? ball : wall), "%d: %s", k, report.doubts);
        char words[80];
        snprintf(words, sizeof words,
                 hits ? "moves 1 m relative to shape %d of 'ball'"
                      : "'ball' moves 1 m relative to shape %d",
                 d->two);
        ck_assert_msg(strstr(report.doubts, words) != NULL, "%d: %s", k, report.doubts);
        scene_close(&s);
    }
}

static int turn_round(void *user, double t, double *q, double *v)
{
    (void)user;
    const double R = 2, w = 100, c = cos(w * t), d = sin(w * t);
    memcpy(q, (double[7]){R * c, R * d, 0, cos(w * t / 2), 0, 0, sin(w * t / 2)}, 7 * sizeof *q);
    memcpy(v, (double[6]){-R * w * d, R * w * c, 0, 0, 0, w}, 6 * sizeof *v);
    return 0;
}

// the tangents of an arc of 1 rad lead past a body on the arc
TEST(what_moves_on_an_arc_is_named)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    scene_solid_ball(&s, 1, 0.05, (double[]){2 * cos(0.5), 2 * sin(0.5), 0}, NULL, 0);
    pcs_body_def def = pcs_body_def_default();
    def.motion = turn_round;
    const pcs_system driven = scene_add(&s, &def);
    scene_shape(&s, driven, pcs_shape_sphere(0.05), 0);
    scene_start(&s);
    pcs_step_report report;
    CK_OK(pcs_step(s.m, s.st, s.wk, 1e-2, &report));
    ck_assert_int_eq(report.doubt[PCS_DOUBT_TRAVEL].count, 1);
    ck_assert_int_eq(report.doubt[PCS_DOUBT_TRAVEL].one, driven.id);
    scene_close(&s);
}

static int turn_in_place(void *user, double t, double *q, double *v)
{
    const double w = *(const double *)user;
    memcpy(q, (double[7]){0, 0, 0, cos(w * t / 2), 0, 0, sin(w * t / 2)}, 7 * sizeof *q);
    memcpy(v, (double[6]){0, 0, 0, 0, 0, w}, 6 * sizeof *v);
    return 0;
}

// A body turns in place beside a ball, and its shape sweeps 5 cm of an arc of 1 m in a step:
// further than the thickness where this is 4 cm, also with a thick shape in the middle of the body,
// and not where it is 6 cm. Shapes that turn about their own middle do not move.
TEST(a_shape_off_the_centre_travels_on_its_arc)
{
    enum { THIN, WITH_HUB, THICK, CENTRED, SPUN_CYLINDER, ALONG_AXIS, CASES };
    static const bool named[CASES] = {[THIN] = true, [WITH_HUB] = true};
    const double w = 50, h = 1e-3;
    for (int k = 0; k < 2 * CASES; ++k) {
        const int c = k / 2;
        const bool driven = k % 2 == 1;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        pcs_body_def def = pcs_body_def_default();
        double speed = w;
        def.mass = 10;
        for (int i = 0; i < 3; ++i) {
            def.inertia[4 * i] = 5;
        }
        def.omega[2] = w;
        if (driven) {
            def.motion = turn_in_place;
            def.user = &speed;
        }
        const pcs_system turner = scene_add(&s, &def);
        const double radius = c == THICK ? 0.03 : 0.02;
        const double far = c == CENTRED ? 0 : 1;
        pcs_shape shape = pcs_shape_sphere(radius);
        if (c == SPUN_CYLINDER) shape = pcs_shape_cylinder(1, 0.04);
        shape.position[c == ALONG_AXIS ? 2 : 0] = c == SPUN_CYLINDER ? 0 : far;
        scene_shape(&s, turner, shape, 0);
        if (c == WITH_HUB) scene_shape(&s, turner, pcs_shape_sphere(0.2), 0);
        // the ball in its way; its shape is thicker than the way
        const double gap = 0.01, reach = radius + 0.1 + gap;
        double x[3] = {far, reach, 0};
        if (c == CENTRED) x[0] = 0;
        if (c == ALONG_AXIS) memcpy(x, (double[]){0, reach, 1}, sizeof x);
        if (c == SPUN_CYLINDER) memcpy(x, (double[]){0, 1.1 + gap, 0}, sizeof x);
        scene_solid_ball(&s, 1, 0.1, x, NULL, 0);
        scene_start(&s);
        pcs_step_report report;
        CK_OK(pcs_step(s.m, s.st, s.wk, h, &report));
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_TRAVEL];
        // the thickness that counts is that of a body that forces move
        const bool doubt = named[c] && !driven;
        ck_assert_msg((d->count > 0) == doubt, "case %d, driven %d: %ld", c, driven, d->count);
        if (doubt) {
            ck_assert_int_eq(d->one, turner.id);
            CK_NEAR(d->value, w * h, 1e-9);
            CK_NEAR(d->limit, 2 * radius, 1e-12);
            ck_assert_int_eq(d->two, c == WITH_HUB ? 2 : 1);
        }
        scene_close(&s);
    }
    // the driven shape sweeps through a free ball that is thinner than its way
    for (int k = 0; k < 2; ++k) {
        double speed = w;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        pcs_body_def def = pcs_body_def_default();
        def.motion = turn_in_place;
        def.user = &speed;
        const pcs_system turner = scene_add(&s, &def);
        pcs_shape shape = pcs_shape_sphere(0.1);
        shape.position[0] = 1;
        scene_shape(&s, turner, shape, 0);
        const double radius = k == 0 ? 0.02 : 0.03;
        scene_solid_ball(&s, 1, radius, (double[]){1, 0.11 + radius, 0}, NULL, 0);
        scene_start(&s);
        pcs_step_report report;
        CK_OK(pcs_step(s.m, s.st, s.wk, h, &report));
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_TRAVEL];
        ck_assert_int_eq(d->count, k == 0);
        if (k == 0) ck_assert_int_eq(d->one, turner.id);
        scene_close(&s);
    }
}

// a solver whose iterations are limited: every such step counts, and the worst residual is reported
TEST(steps_taken_unsolved_are_counted)
{
    scene s;
    heard h;
    open_heard(&s, &h);
    scene_gravity(&s, 0, 0, 0);
    s.scheme.accept_unconverged = true;
    s.scheme.halvings = 0;
    scene_unsolvable(&s, 1);
    scene_start(&s);
    long unsolved = 0;
    double worst = 0;
    for (int k = 0; k < 20; ++k) {
        CK_OK(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report));
        const pcs_doubt *d = &s.report.doubt[PCS_DOUBT_UNSOLVED];
        ck_assert_int_eq(d->count, s.report.outcome != PCS_OUTCOME_CONVERGED);
        unsolved += d->count;
        worst = fmax(worst, d->value);
    }
    ck_assert_int_gt(unsolved, 0);
    ck_assert(worst > 1e-15);
    ck_assert_int_eq(h.unsolved, 1);
    scene_close(&s);
}

// Three balls that touch. The larger restitution is that of a contact: 1 for the first two, which
// meet at 1 m/s, 0 for the others, which separate at `apart` and move together after the impact.
// halves: each is two bodies on the same place that a joint holds together
static void put_balls(scene *s, heard *h, double apart, bool halves)
{
    open_heard(s, h);
    scene_gravity(s, 0, 0, 0);
    s->scheme = pcs_scheme_moreau_jean();
    s->scheme.active_tol = 1e-3;
    const double v[3] = {1, 0, apart};
    for (int i = 0; i < 3; ++i) {
        const double x[3] = {i, 0, 0}, vi[3] = {v[i], 0, 0};
        const double mass = halves ? 0.5 : 1;
        pcs_joint_def joint = pcs_joint_def_default(PCS_JOINT_FIXED);
        joint.system1 = scene_solid_ball(s, mass, 0.5, x, vi, i == 0);
        if (!halves) continue;
        joint.system2 = scene_ball(s, mass, 0.5, x, vi);
        CK_OK(pcs_model_place_joint(s->m, x, (double[]){0, 0, 1}, NULL, &joint));
        CK_OK(pcs_model_add_joint(s->m, &joint, NULL));
    }
}

static void put_three(scene *s, heard *h, double apart)
{
    put_balls(s, h, apart, false);
}

static void open_three(scene *s, heard *h, double apart)
{
    put_three(s, h, apart);
    scene_start(s);
}

// Newton's law at several contacts at once may add energy: each place is named once, with the gain
TEST(gains_are_named_once_for_each_contact)
{
    for (int i = 0; i < 10; ++i) {
        scene s;
        heard h;
        // relative energy with W^-1 ~ [2 1; 1 2]: (u1^2 + u1 u2 + u2^2) / 3, from (-1, a) to (1, 0)
        const double a = 0.05 + 0.05 * i, gain = (1 - (1 - a + a * a)) / 3;
        open_three(&s, &h, a);
        // the same impact repeated, from a restored state
        pcs_state *start;
        CK_OK(pcs_state_create(s.m, &start));
        CK_OK(pcs_state_copy(s.st, start));
        for (int k = 0; k < 10; ++k) {
            CK_OK(pcs_state_copy(start, s.st));
            scene_step(&s, 1e-3);
            const pcs_doubt *d = &s.report.doubt[PCS_DOUBT_GAIN];
            ck_assert_int_eq(d->count, 1);
            CK_NEAR(d->value, gain, 1e-8);
            ck_assert(d->one == 1 && d->two == 2); // pressed by gravity while they separate
            ck_assert_int_eq(h.n, 1);
        }
        pcs_state_destroy(start);
        scene_close(&s);
    }
}

// the gain of bodies in two halves is that of whole ones
TEST(joints_within_bodies_change_no_gain)
{
    for (int i = 0; i < 10; ++i) {
        scene s;
        heard h;
        const double a = 0.05 + 0.05 * i, gain = (1 - (1 - a + a * a)) / 3;
        put_balls(&s, &h, a, true);
        scene_start(&s);
        scene_step(&s, 1e-3);
        const pcs_doubt *d = &s.report.doubt[PCS_DOUBT_GAIN];
        ck_assert_int_eq(d->count, 1);
        CK_NEAR(d->value, gain, 1e-8);
        scene_close(&s);
    }
}

// A pendulum comes to rest on a stop with restitution. In one of the last steps it leaves the stop,
// and its weight presses it back, by its hinge: no gain, as without a joint
TEST(a_pendulum_that_comes_to_rest_on_a_stop_gains_nothing)
{
    const double restitution[] = {0, 0.1, 0.3, 0.5};
    for (int k = 0; k < 12; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        const double w = 0.1 + 0.37 * k, l = 0.5, edges[3] = {0.3, 0.2, 0.2};
        const pcs_system bob = scene_box(&s, 1, edges, (double[]){l, 0, 0}, NULL,
                                         (double[]){0, 0, w * l}, (double[]){0, -w, 0});
        pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
        pcs_joint_limits stop = {.low = -1, .high = 0.5, .e = restitution[k % 4]};
        hinge.system1 = bob;
        CK_OK(pcs_model_place_joint(s.m, (double[3]){0}, (double[]){0, 1, 0}, NULL, &hinge));
        CK_OK(pcs_model_add_joint(s.m, &hinge, &stop.joint));
        CK_OK(pcs_model_add_joint_limits(s.m, &stop, NULL));
        scene_start(&s);
        pcs_run_report report;
        run(&s, 2e-3, 2, &report);
        silent(&report, &h);
        ck_assert(fabs(scene_v(&s, bob)[4]) <= 1e-6); // at rest
        scene_close(&s);
    }
}

// a body on a slider along x; with `motor` one that pushes with the force `limit` at any speed
static void put_on_slider(scene *s, pcs_system body, bool motor, double limit)
{
    const double e_x[3] = {1, 0, 0}, origin[3] = {0};
    pcs_joint_def slider = pcs_joint_def_default(PCS_JOINT_SLIDER);
    pcs_joint_motor drive = pcs_joint_motor_default((pcs_interaction){0});
    slider.system1 = body;
    CK_OK(pcs_model_place_joint(s->m, origin, e_x, NULL, &slider));
    CK_OK(pcs_model_add_joint(s->m, &slider, &drive.joint));
    drive.of_speed = true;
    drive.target.offset = limit < 0 ? -1e3 : 1e3;
    drive.limit = fabs(limit);
    if (motor) CK_OK(pcs_model_add_joint_motor(s->m, &drive, NULL));
}

// Limited motors add no energy by contacts beyond what the same forces add. A box that moves away
// from a wall is pushed back onto it within the step; three balls have an impact that gains.
TEST(motors_are_doubted_as_forces_are)
{
    test_random r = random_seed(5);
    for (int k = 0; k < 20; ++k) {
        const double F = random_between(&r, 10, 400), away = random_between(&r, 0.1, 0.9) * F;
        const double speed = random_between(&r, 0.1, 0.9) * 1e-3 * (F - away);
        double gain[2];
        for (int motor = 0; motor < 2; ++motor) {
            scene s;
            heard h;
            open_heard(&s, &h);
            const double edges[3] = {1, 1, 1}, x[3] = {-1, 0, 0}, v[3] = {-speed, 0, 0};
            const pcs_system box = scene_box(&s, 1, edges, x, NULL, v, NULL);
            scene_gravity(&s, motor ? -away : F - away, 0, 0);
            scene_shape(&s, box, pcs_shape_box(1, 1, 1), 0);
            scene_shape(&s, (pcs_system){0}, pcs_shape_box(1, 1, 1), 0);
            put_on_slider(&s, box, motor, F);
            scene_start(&s);
            scene_step(&s, 1e-3);
            CK_NEAR(scene_v(&s, box)[0], 0, 1e-7);
            ck_assert_int_eq(s.report.doubt[PCS_DOUBT_GAIN].count, 0);
            scene_close(&s);

            put_three(&s, &h, 0.3);
            scene_gravity(&s, motor ? 0 : F - away, 0, 0);
            for (int i = 1; i <= 3; ++i) {
                put_on_slider(&s, (pcs_system){i}, motor, F - away);
            }
            scene_start(&s);
            scene_step(&s, 1e-3);
            ck_assert_int_eq(s.report.doubt[PCS_DOUBT_GAIN].count, 1);
            gain[motor] = s.report.doubt[PCS_DOUBT_GAIN].value;
            scene_close(&s);
        }
        CK_NEAR(gain[1], gain[0], 1e-8);
    }
}

// a rod that lands on its end at 45 degrees and slides slowly: friction against the sliding adds
// energy when nothing is lost along the normal, and the doubt has the gain of K and V together
TEST(friction_that_adds_energy_is_doubted)
{
    int gains = 0;
    for (int i = 0; i < 41; ++i) {
        scene s;
        heard h;
        open_heard(&s, &h);
        scene_gravity(&s, 0, 0, 0);
        s.scheme = pcs_scheme_moreau_jean();
        s.scheme.active_tol = 1e-3;
        s.scheme.solver.tol = 1e-12;
        const double Q[4] = {cos(PI / 8), 0, sin(PI / 8), 0}, edges[3] = {0.02, 0.02, 1};
        const double c = 0.5 * sqrt(0.5), v[3] = {0.05 * (i - 20), 0, -1};
        const pcs_system rod =
            scene_box(&s, 1, edges, (double[]){c, 0, c + 0.01}, Q, v, (double[]){0, 0, 0});
        scene_rough(&s, rod, pcs_shape_capsule(0.01, 1), 1, 0, 2);
        scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0);
        scene_start(&s);
        scene_step(&s, 1e-4);
        const double gain = s.report.energy.kinetic_after - s.report.energy.kinetic_before;
        const pcs_doubt *d = &s.report.doubt[PCS_DOUBT_GAIN];
        ck_assert_int_eq(s.report.active, 1);
        if (fabs(gain) > 1e-6) ck_assert_int_eq(d->count, gain > 0);
        if (d->count > 0) CK_NEAR(d->value, gain, 1e-8);
        gains += gain > 1e-6;
        scene_close(&s);
    }
    ck_assert_int_gt(gains, 5);
    ck_assert_int_lt(gains, 35);
}

// A strong motor turns an arm on its hinge, at 6 rad/s, against a wall on which it bounces. Hinge,
// motor and contact have large impulses, and the works of each at the velocity of the start cancel:
// the hinge adds nothing
TEST(an_arm_pressed_to_a_wall_gains_no_energy)
{
    for (int k = 0; k < 4; ++k) {
        const double e = 0.2 * (k + 1), limit = k % 2 == 0 ? 5000 : 500;
        scene s;
        heard h;
        open_heard(&s, &h);
        const double edges[3] = {0.03, 0.1, 0.3}, x[3] = {0, 0, -0.15}, y[3] = {0, 1, 0};
        const pcs_system arm = scene_box(&s, 0.45, edges, x, NULL, NULL, NULL);
        scene_rough(&s, arm, pcs_shape_box(0.03, 0.1, 0.3), e, 0, 0.8);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){-1, 0, 0}, -0.2), e, 0,
                    0.8);
        pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
        pcs_joint_motor drive = pcs_joint_motor_default((pcs_interaction){0});
        hinge.system1 = arm;
        CK_OK(pcs_model_place_joint(s.m, (double[]){0, 0, 0}, y, NULL, &hinge));
        CK_OK(pcs_model_add_joint(s.m, &hinge, &drive.joint));
        drive.of_speed = true;
        drive.target.offset = -6;
        drive.limit = limit;
        CK_OK(pcs_model_add_joint_motor(s.m, &drive, NULL));
        scene_start(&s);
        int touched = 0;
        for (int i = 0; i < 300; ++i) {
            scene_step(&s, 1e-3);
            touched += s.report.energy.normal != 0;
            ck_assert_int_eq(s.report.doubt[PCS_DOUBT_GAIN].count, 0);
        }
        ck_assert_int_gt(touched, 20);
        scene_close(&s);
    }
}

// contacts of a heap pass energy on to each other; together they add none, and nothing is said
TEST(heaps_do_not_gain_energy)
{
    for (int k = TEST_FEW(3, 0); k < 4; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        test_random r = random_seed(20 + (uint64_t)k);
        scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0, 0, 0.5);
        for (int i = 0; i < 24; ++i) {
            const double x[3] = {0.2 * (i % 2) + 0.02 * random_unit(&r),
                                 0.2 * (i / 2 % 2) + 0.02 * random_unit(&r), 0.2 + 0.25 * (i / 4)};
            const double edges[3] = {0.1, 0.15, 0.2};
            const pcs_system b = i % 2 ? scene_box(&s, 3, edges, x, NULL, NULL, NULL)
                                       : scene_ball(&s, 1.4, 0.07, x, NULL);
            scene_rough(&s, b, i % 2 ? pcs_shape_box(0.1, 0.15, 0.2) : pcs_shape_sphere(0.07),
                        k == 3 ? 0.3 : 0, 0, 0.2 * k);
        }
        scene_start(&s);
        pcs_run_report report;
        run(&s, 5e-3, 1, &report);
        ck_assert_msg(report.doubt[PCS_DOUBT_GAIN].count == 0, "%s", report.doubts);
        scene_close(&s);
    }
}

// a joint that is open at the start, of bodies with shapes and without, gives one doubt, and so
// does a joint of a scheme that lets it drift
TEST(joints_that_are_off_are_said_once)
{
    for (int k = 0; k < 6; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        const double off = k < 2 ? 0 : k < 4 ? 0.05 : 0.3, edges[3] = {0.04, 0.04, 1};
        const pcs_system rod =
            scene_box(&s, 1, edges, (double[]){0.6 * off, 0.8 * off, -0.5}, NULL, NULL, NULL);
        if (k % 2) scene_shape(&s, rod, pcs_shape_box(0.04, 0.04, 1), 0);
        pcs_interaction_def def = pcs_interaction_def_default();
        pcs_interaction joint;
        def.relation = pcs_relation_ball_joint((double[]){0, 0, 0.5}, (double[]){0, 0, 0});
        def.system1 = rod;
        CK_OK(pcs_model_add_interaction(s.m, &def, &joint));
        scene_start(&s);
        pcs_run_report report;
        run(&s, 5e-3, 0.5, &report);
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_JOINT];
        if (off == 0) {
            silent(&report, &h);
        } else {
            ck_assert_int_eq(d->count, 1);
            CK_NEAR(d->value, off, 1e-12);
            ck_assert_int_eq(d->two, joint.id);
            ck_assert_msg(strstr(report.doubts, off > 0.1 ? "0.3 m" : "0.05 m") != NULL, "%s",
                          report.doubts);
            ck_assert_int_eq(h.n, 1);
        }
        scene_close(&s);
    }
}

// what closes a joint that drifts depends on the scheme
TEST(a_drifting_joint_is_closed_by_a_projection_only_if_there_is_one)
{
    for (int k = 0; k < 2; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        s.scheme = pcs_scheme_moreau_jean();
        s.scheme.projection = k == 0 ? PCS_PROJECTION_NONE : PCS_PROJECTION_DIRECT;
        pcs_interaction_def def = pcs_interaction_def_default();
        const double off = k == 0 ? 0 : 0.3, edges[3] = {0.04, 0.04, 1};
        def.system1 = scene_box(&s, 1, edges, (double[]){0.5 + off, 0, 0}, NULL, NULL, NULL);
        def.relation = pcs_relation_ball_joint((double[]){-0.5, 0, 0}, (double[]){0, 0, 0});
        CK_OK(pcs_model_add_interaction(s.m, &def, NULL));
        scene_start(&s);
        pcs_run_report report;
        run(&s, 0.02, 2, &report);
        ck_assert_int_gt(report.doubt[PCS_DOUBT_JOINT].count, 0);
        const bool jumps = strstr(report.doubts, "closes it, by a jump") != NULL;
        ck_assert_msg(jumps == (k == 1), "%s", report.doubts);
        scene_close(&s);
    }
}

// Two wheels on hinges whose gears begin to mesh: I1 w1 and I2 w2 of the closed form, and half of
// the energy is lost within two steps. The rounding of later steps is no loss
TEST(steps_that_lose_rounding_do_not_count)
{
    scene s;
    heard h;
    open_heard(&s, &h);
    scene_gravity(&s, 0, 0, 0);
    const double I[2] = {0.1, 0.4}, zero[3] = {0}, up[3] = {0, 0, 1};
    pcs_joint_def gear = pcs_joint_def_default(PCS_JOINT_GEAR);
    pcs_system wheel[2];
    for (int i = 0; i < 2; ++i) {
        pcs_body_def def = pcs_body_def_default();
        def.position[0] = 0.3 * i;
        for (int c = 0; c < 3; ++c) {
            def.inertia[4 * c] = I[i];
        }
        if (i == 0) def.omega[2] = 6;
        wheel[i] = scene_add(&s, &def);
        pcs_joint_def axle = pcs_joint_def_default(PCS_JOINT_HINGE);
        axle.system1 = wheel[i];
        CK_OK(pcs_model_place_joint(s.m, i == 0 ? zero : def.position, up, NULL, &axle));
        CK_OK(pcs_model_add_joint(s.m, &axle, NULL));
    }
    gear.system1 = wheel[0];
    gear.system2 = wheel[1];
    gear.teeth[0] = 10;
    gear.teeth[1] = 20;
    CK_OK(pcs_model_add_joint(s.m, &gear, NULL));
    scene_start(&s);
    pcs_run_report report;
    run(&s, 4e-3, 2, &report);
    const double w = 6 * I[0] / (I[0] + I[1] / 4), K = 0.5 * I[0] * 36;
    CK_NEAR(scene_v(&s, wheel[0])[5], w, 1e-12);
    CK_NEAR(scene_v(&s, wheel[1])[5], -w / 2, 1e-12);
    const pcs_doubt *d = &report.doubt[PCS_DOUBT_LOSS];
    CK_NEAR(d->value, K - 0.5 * (I[0] + I[1] / 4) * w * w, 1e-9);
    ck_assert_int_ge(d->count, 1);
    ck_assert_int_le(d->count, 2);
    scene_close(&s);
}

// a rope that is too short at the start closes as a joint does; one that goes taut in the run does
// so without a jump, and without a projection it overshoots, which is no doubt
TEST(a_rope_that_is_too_short_is_said_once)
{
    const double length[] = {0.5, 1.5, 1, 0.99999, 1.5}, zero[3] = {0}, up[3] = {0, 0, 1};
    for (int k = 0; k < 5; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        const pcs_system bob = scene_solid_ball(&s, 1, 0.1, zero, NULL, 0);
        const pcs_law law = {.kind = PCS_LAW_NEWTON_IMPACT};
        const pcs_interaction rope =
            scene_join(&s, pcs_relation_rope(zero, up, length[k]), law, bob, (pcs_system){0});
        if (k == 4) s.scheme = pcs_scheme_moreau_jean();
        scene_start(&s);
        pcs_run_report report;
        run(&s, 5e-3, 0.5, &report);
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_JOINT];
        if (k > 0) {
            silent(&report, &h);
        } else {
            ck_assert_int_eq(d->count, 1);
            CK_NEAR(d->value, 0.5, 1e-12);
            ck_assert_int_eq(d->two, rope.id);
            ck_assert_msg(strstr(report.doubts, "0.5 m") != NULL, "%s", report.doubts);
        }
        scene_close(&s);
    }
}

// a mass that does not fit the inertia, a missing inertia, a centre of mass outside: one message,
// and none for consistent settings
TEST(unlikely_bodies_are_said_once)
{
    const char *word[] = {"",
                          "do both belong",
                          "do both belong",
                          "neither inertia nor shapes",
                          "0.3 m from its position",
                          ""};
    for (int k = 0; k < 6; ++k) {
        scene s;
        heard h;
        open_heard(&s, &h);
        scene_gravity(&s, 0, 0, 0);
        pcs_body_def def = pcs_body_def_default();
        pcs_system ball;
        pcs_shape shape = pcs_shape_sphere(0.1);
        def.mass = 1000;
        if (k == 1) memcpy(def.inertia, pcs_inertia_sphere(1, 0.1).J, sizeof def.inertia);
        if (k == 2) def = pcs_body_def_of_inertia(pcs_inertia_sphere(1000, 1));
        if (k == 4) shape.position[0] = 0.3;
        if (k == 5) def = pcs_body_def_of_inertia(pcs_inertia_sphere(1000, 0.05));
        CK_OK(pcs_model_add_body(s.m, &def, &ball));
        if (k != 3) CK_OK(pcs_model_add_shape(s.m, ball, &shape, (pcs_material){0}));
        scene_start(&s);
        scene_step(&s, 1e-3);
        scene_step(&s, 1e-3);
        ck_assert_int_eq(h.n, word[k][0] != '\0');
        ck_assert_msg(strstr(h.last, word[k]) != NULL, "%s", h.last);
        scene_close(&s);
    }
}
