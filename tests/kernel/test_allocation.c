// A warm step allocates no memory: over the steps 100 to 200 of each scene the environment gets no
// request, but for a step that has more contacts than all before, or comes to another solver of
// `auto`: rounding decides which corners the combined projections add.
#include "scene.h"

static const double h = 2e-3;

static void expect_no_allocation(scene *s)
{
    scene_start(s);
    int touching = 0, most = 0;
    unsigned seen = 0; // the solvers that have ended a step
    for (int i = 0; i < 200; ++i) {
        const long before = s->memory->allocated;
        ck_assert_int_gt(before, 0);
        scene_step(s, h);
        const unsigned solver = 1u << s->report.solve.solver;
        const bool warm = i >= 100 && s->report.active <= most && seen & solver;
        seen |= solver;
        if (s->report.active > most) most = s->report.active;
        touching += warm && most > 0;
        ck_assert_msg(!warm || s->memory->allocated == before, "step %d: %ld allocations", i,
                      s->memory->allocated - before);
    }
    ck_assert_int_gt(touching, 90);
}

static const pcs_projection projections[] = {
    PCS_PROJECTION_NONE, PCS_PROJECTION_DIRECT, PCS_PROJECTION_DIRECT_HYSTERESIS,
    PCS_PROJECTION_COMBINED, PCS_PROJECTION_COMBINED_EQUALITY};

static void box_at(scene *s, double z)
{
    const double edges[3] = {0.2, 0.3, 0.1}, x[3] = {0, 0, z};
    const pcs_system box = scene_box(s, 1, edges, x, NULL, NULL, NULL);
    scene_shape(s, box, pcs_shape_box(edges[0], edges[1], edges[2]), 0);
}

// each scene with every projection; `check`, which may be null, gets the last step and the index of
// the projection
static void expect_none_of(void (*build)(scene *), void (*check)(scene *, int projection))
{
    for (int i = 0; i < 5; ++i) {
        scene s = scene_open();
        s.scheme.projection = projections[i];
        build(&s);
        expect_no_allocation(&s);
        if (check) check(&s, i);
        scene_close(&s);
    }
}

static void ball(scene *s)
{
    scene_ground(s, 0.8);
    scene_solid_ball(s, 1, 0.1, (double[3]){0, 0, 0.101}, NULL, 0.8);
}

static void box(scene *s)
{
    scene_ground(s, 0);
    box_at(s, 0.05);
}

static void on_four_vertices(scene *s, int projection)
{
    ck_assert_int_eq(s->report.active, 4);
}

static void two_boxes(scene *s)
{
    box(s);
    box_at(s, 0.15);
}

static void on_each_other(scene *s, int projection)
{
    ck_assert_int_ge(s->report.active, 7);
}

static void slope(scene *s, double mu, double x)
{
    s->scheme.solver.tol = 1e-9;
    scene_rough(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, mu);
    scene_gravity(s, x, 1, -9);
}

static void sliding_box_and_ball(scene *s)
{
    slope(s, 0.1, 3);
    box_at(s, 0.05);
    scene_rough_ball(s, 1, 0.1, (double[3]){2, 0, 0.1}, (double[3]){1, 1, 0}, 0, 0, 0.3);
}

// three boxes in stacked contact that stick
static void sticking_stack(scene *s)
{
    slope(s, 0.5, 1);
    for (int k = 0; k < 3; ++k) {
        const double edges[3] = {0.2, 0.3, 0.1}, x[3] = {0, 0, 0.05 + 0.1 * k};
        const pcs_system b = scene_box(s, 1, edges, x, NULL, NULL, NULL);
        scene_rough(s, b, pcs_shape_box(edges[0], edges[1], edges[2]), 0, 0, 0.5);
    }
}

// active contacts of each box of a stack with the shape beneath it; shape 0 is the ground
static void count_corners(const scene *s, int corners[3])
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    corners[0] = corners[1] = corners[2] = 0;
    for (int i = 0; i < n; ++i) {
        const int upper = c[i].shape1 > c[i].shape2 ? c[i].shape1 : c[i].shape2;
        corners[upper - 1] += c[i].active;
    }
}

// The predictive rule keeps all four corners of a face. The end-of-step rule of the combined
// projections takes the corners that would overlap; rounding may leave one out: on a slope the load
// is off the middle of the face, and three corners are needed.
static void sticks(scene *s, int projection)
{
    int corners[3];
    count_corners(s, corners);
    for (int k = 0; k < 3; ++k) {
        if (projection < 3) ck_assert_int_eq(corners[k], 4);
        ck_assert_int_ge(corners[k], 3);
    }
    for (int k = 0; k < s->st->nv; ++k) {
        CK_NEAR(s->st->v[k], 0, 1e-8);
    }
}

TEST(bodies_on_the_ground)
{
    expect_none_of(ball, NULL);
    expect_none_of(box, on_four_vertices);
    expect_none_of(two_boxes, on_each_other);
}

TEST(bodies_on_a_slope)
{
    expect_none_of(sliding_box_and_ball, NULL);
    expect_none_of(sticking_stack, sticks);
}

static int pull(void *user, double t, const double q[7], const double v[6], double F[6])
{
    for (int i = 0; i < 3; ++i) {
        F[i] = -100 * q[i] - v[i];
    }
    return 0;
}

// a chain on springs that is factorised as a matrix of sparse blocks
static void chain_on_springs(scene *s)
{
    scene_ground(s, 0.3);
    pcs_system before = {0};
    for (int i = 0; i < 40; ++i) {
        const double x[3] = {0.3 * i, 0, 0.1 + 0.001 * (i % 2)};
        const pcs_system next = scene_solid_ball(s, 1, 0.1, x, NULL, 0.3);
        pcs_force_def f = pcs_force_def_default(PCS_FORCE_SPRING);
        f.system1 = next;
        f.system2 = before;
        f.stiffness = 1e4;
        f.length = 0.3;
        if (i > 0) CK_OK(pcs_model_add_force(s->m, &f, NULL));
        before = next;
    }
}

TEST(many_bodies_on_springs)
{
    scene s = scene_open();
    chain_on_springs(&s);
    expect_no_allocation(&s);
    scene_close(&s);
}

// the gyroscopic term, a force without Jacobian, a joint and a Lagrangian system
TEST(a_mechanism)
{
    scene s = scene_open();
    s.scheme.projection = PCS_PROJECTION_DIRECT;
    s.scheme.configuration = PCS_CONFIGURATION_ITERATE;
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(1, 0.1, 0.2, 0.3));
    def.position[0] = 1;
    def.omega[0] = 1;
    def.omega[1] = 10;
    def.force = pull;
    const pcs_system body = scene_add(&s, &def);
    const double p[3] = {0.1, 0, 0}, anchor[3] = {1.1, 0, 0}, one = 1, stiffness = 50;
    scene_join(&s, pcs_relation_ball_joint(p, anchor), pcs_law_equality(), body, (pcs_system){0});
    pcs_lagrangian_def slider = {.n = 1, .mass = &one, .stiffness = &stiffness, .v0 = &one};
    CK_OK(pcs_model_add_lagrangian(s.m, &slider, NULL));
    expect_no_allocation(&s);
    scene_close(&s);
}

// the same for functions other than the step
TEST(impact_and_projection)
{
    scene s = scene_open();
    scene_ground(&s, 0.5);
    box_at(&s, 0.049);
    scene_start(&s);
    long before = 0;
    for (int i = 0; i < 20; ++i) {
        if (i == 10) before = s.memory->allocated;
        s.st->v[2] = -1;
        s.st->q[2] = 0.049;
        pcs_report report;
        CK_OK(pcs_impact(s.m, s.st, s.wk, 1e-2, &report));
        CK_NEAR(s.st->v[2], 0.5, 1e-12);
        pcs_step_report projected;
        CK_OK(pcs_project(s.m, s.st, s.wk, &projected));
        ck_assert(projected.committed);
        CK_NEAR(s.st->q[2], 0.05, 1e-9);
    }
    ck_assert_int_eq(s.memory->allocated, before);
    scene_close(&s);
}
