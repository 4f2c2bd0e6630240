// Joints: second order with rows at the middle of the step; chains, nets and closed loops of any
// length, solved and projected to the last digit.
#include "smooth_scene.h"

static const pcs_system world = {0};

static void join(scene *s, pcs_relation relation, pcs_system a, pcs_system b)
{
    const pcs_interaction_def def = {relation, pcs_law_equality(), a, b};
    CK_OK(pcs_model_add_interaction(s->m, &def, NULL));
}

// ---- a pendulum in closed form ------------------------------------------------------------------

// the amplitude of Jacobi's elliptic functions, am(u | k^2), by the arithmetic-geometric mean; K(k)
static double amplitude(double u, double k, double *K)
{
    double a[32] = {1}, c[32] = {k}, b = sqrt(1 - k * k);
    int n = 0;
    for (; fabs(c[n]) > 1e-16 && n < 30; ++n) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
    }
    *K = 0.5 * 3.14159265358979323846 / a[n];
    double phi = exp2(n) * a[n] * u;
    for (; n > 0; --n) {
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    }
    return phi;
}

// the angle at time t of a pendulum released at `angle`: sin(angle / 2) sn(K - rate t)
static double pendulum_angle(double angle, double rate, double t)
{
    const double k = sin(0.5 * angle);
    double K;
    amplitude(0, k, &K);
    return 2 * asin(k * sin(amplitude(K - rate * t, k, &K)));
}

typedef struct swinging {
    double l, rate; // m from the pivot to G; 1/s
} swinging;

// a box on a ball joint at the origin, released at an angle about y
static swinging open_pendulum(scene *s, double angle)
{
    const double edges[3] = {0.1, 0.2, 0.6}, l = 0.3, mass = 2;
    const double Q[4] = {cos(0.5 * angle), 0, -sin(0.5 * angle), 0}, top[3] = {0, 0, l};
    const double x[3] = {l * sin(angle), 0, -l * cos(angle)};
    double J[9];
    memcpy(J, pcs_inertia_box(mass, edges[0], edges[1], edges[2]).J, sizeof J);
    *s = scene_open();
    join(s, pcs_relation_ball_joint(top, (double[3]){0, 0, 0}),
         scene_box(s, mass, edges, x, Q, NULL, NULL), world);
    return (swinging){l, sqrt(mass * G * l / (J[4] + mass * l * l))};
}

// restitution of a material that no shape has, or of a shape that nothing can touch, changes no bit
TEST(restitution_that_cannot_act_changes_nothing)
{
    double end[3][7];
    for (int k = 0; k < 3; ++k) {
        scene s;
        open_pendulum(&s, 2);
        s.scheme = pcs_scheme_default();
        const double x[3] = {5, 0, 0}, e = k == 2 ? 0.5 : 0;
        const pcs_system pendulum = {1};
        scene_shape(&s, pendulum, pcs_shape_box(0.1, 0.2, 0.6), 0);
        const pcs_system ball = scene_solid_ball(&s, 1, 0.1, x, (double[]){0, 0, 0}, e);
        CK_OK(pcs_model_set_groups(s.m, ball, 1, 0));
        pcs_material_def rubber = pcs_material_def_default();
        rubber.e = 0.5;
        if (k == 1) CK_OK(pcs_model_add_material(s.m, &rubber, &(pcs_material){0}));
        scene_start(&s);
        for (int i = 0; i < 200; ++i) {
            scene_step(&s, 0.005);
        }
        memcpy(end[k], scene_q(&s, pendulum), sizeof end[k]);
        ck_assert(k == 0 || memcmp(end[0], end[k], sizeof end[k]) == 0);
        scene_close(&s);
    }
}

TEST(a_pendulum_of_second_order)
{
    const double angle = 2, t_end = 3;
    double place[4], energy[4];
    for (int k = 0; k < 4; ++k) {
        scene s;
        const swinging p = open_pendulum(&s, angle);
        s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
        scene_start(&s);
        const double start = scene_kinetic(&s) + scene_potential(&s);
        const int steps = 200 << k;
        for (int i = 0; i < steps; ++i) {
            scene_step(&s, t_end / steps);
            scene_check_step(&s);
        }
        const double now = pendulum_angle(angle, p.rate, t_end);
        place[k] = hypot(s.st->q[0] - p.l * sin(now), s.st->q[2] + p.l * cos(now));
        energy[k] = fabs(scene_kinetic(&s) + scene_potential(&s) - start);
        scene_close(&s);
    }
    CK_NEAR(observed_order(4, place), 2, 0.1);
    ck_assert_double_ge(observed_order(4, energy), 2);
    ck_assert_double_le(place[3], 1e-4);
    ck_assert_double_le(energy[3], 1e-5);
}

// ---- chains -------------------------------------------------------------------------------------

enum { LINK = 1 }; // the ids of links follow one another

static const double link_length = 0.1;

// n rods of 1 kg from the origin along x on ball joints, the first one on the world
static void add_links(scene *s, int n)
{
    const double edges[3] = {link_length, 0.02, 0.02}, front[3] = {-0.5 * link_length, 0, 0};
    const double back[3] = {0.5 * link_length, 0, 0}, origin[3] = {0};
    for (int i = 0; i < n; ++i) {
        const double x[3] = {(i + 0.5) * link_length, 0, 0};
        const pcs_system b = scene_box(s, 1, edges, x, NULL, NULL, NULL);
        join(s, pcs_relation_ball_joint(front, i > 0 ? back : origin), b,
             i > 0 ? (pcs_system){b.id - 1} : world);
    }
}

// A chain that falls from the horizontal keeps its energy with an error of at least second order,
// and for a long time to a hundredth of its initial energy where the tip moves like that of a whip,
// with and without projection; with rows at q_k it loses a third of it in the same steps
TEST(a_chain_keeps_its_energy)
{
    double error[4];
    for (int k = 0; k < 4; ++k) {
        scene s = scene_open();
        s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
        add_links(&s, 20);
        scene_start(&s);
        const double start = scene_potential(&s);
        const int steps = 200 << k;
        for (int i = 0; i < steps; ++i) {
            scene_step(&s, 0.8 / steps);
        }
        error[k] = fabs(scene_kinetic(&s) + scene_potential(&s) - start);
        scene_close(&s);
    }
    ck_assert_double_ge(observed_order(4, error), 2);

    for (int projected = 0; projected < 2; ++projected) {
        scene s = scene_open();
        s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
        s.scheme.projection = projected ? PCS_PROJECTION_DIRECT : PCS_PROJECTION_NONE;
        add_links(&s, 20);
        scene_start(&s);
        const double start = scene_potential(&s), drop = 20 * G * 20 * 0.5 * link_length;
        for (int i = 0; i < TEST_FEW(300, 10000); ++i) {
            scene_step(&s, 5e-4);
        }
        CK_NEAR(scene_kinetic(&s) + scene_potential(&s), start, 0.01 * drop);
        scene_close(&s);
    }
}

// A chain whose tip rotates by a radian in a step is not resolved by the step, but neither joints
// nor projection may add energy: the energy at the end is the initial energy, or the projection has
// added it
TEST(long_steps_do_not_feed_a_chain)
{
    const double steps[3] = {0.02, 0.01, 0.005};
    for (int k = 0; k < TEST_FEW(1, 3); ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        add_links(&s, 20);
        scene_start(&s);
        const double start = scene_kinetic(&s) + scene_potential(&s);
        double projected = 0, swing = 0;
        for (int i = 0; i < (int)(5 / steps[k]); ++i) {
            scene_step(&s, steps[k]);
            ck_assert(s.report.committed);
            projected += s.report.energy.projection;
            swing = fmax(swing, s.report.energy.kinetic_after);
            const double now = scene_kinetic(&s) + scene_potential(&s);
            ck_assert_msg(now - start <= fmax(0, projected) + 0.05 * swing,
                          "%g s: %g J from %g J, %g J by the projection", s.st->t, now, start,
                          projected);
        }
        scene_close(&s);
    }
}

static int add_projected(void *user, const pcs_model *m, const pcs_state *st, pcs_work *wk,
                         const pcs_step_report *step)
{
    (void)m, (void)st, (void)wk;
    if (step) *(double *)user += step->energy.projection;
    return 0;
}

// Where the projection lifts a chain in every step, a run has a doubt with what it adds: a level
// chain between two walls, at long steps; a chain that swings has none
TEST(a_projection_that_lifts_is_a_doubt)
{
    for (int walls = 0; walls < 2; ++walls) {
        enum { N = 20 };
        const double back[3] = {0.5 * link_length, 0, 0}, far[3] = {N * link_length, 0, 0};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        add_links(&s, N);
        if (walls) join(&s, pcs_relation_ball_joint(back, far), (pcs_system){N}, world);
        scene_start(&s);
        pcs_run_report report;
        double projected = 0;
        CK_OK(pcs_run(s.m, s.st, s.wk, 0.02, 2, add_projected, &projected, &report));
        const pcs_doubt *d = &report.doubt[PCS_DOUBT_PROJECTION];
        const bool said = strstr(report.doubts, "the projection of positions adds") != NULL;
        ck_assert_int_eq(d->count > 0, said);
        ck_assert_msg(said == walls, "%d: %g J", walls, projected);
        if (walls) CK_NEAR(d->value, projected, 1e-9 * projected);
        scene_close(&s);
    }
}

// Rods that all hang on one plate: W couples each with all others. Nothing moves, the joint that
// holds the plate bears all, and memory grows with the number of rods, not with its square
TEST(many_joints_on_one_body)
{
    size_t bytes[2];
    for (int k = 0; k < 2; ++k) {
        const int side = k == 0 ? 10 : 20, n = side * side;
        const double edge = 0.2 * side, plate[3] = {edge, edge, 0.1}, rod[3] = {0.02, 0.02, 0.1};
        const double top[3] = {0, 0, 0.05}, zero[3] = {0}, h = 5e-3;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const pcs_system hub = scene_box(&s, 50, plate, zero, NULL, NULL, NULL);
        join(&s, pcs_relation_ball_joint(zero, zero), hub, world);
        for (int i = 0; i < n; ++i) {
            const double at[3] = {0.2 * (i % side + 0.5) - 0.5 * edge,
                                  0.2 * (i / side + 0.5) - 0.5 * edge, 0};
            const double x[3] = {at[0], at[1], -0.05};
            join(&s, pcs_relation_ball_joint(top, at), scene_box(&s, 1, rod, x, NULL, NULL, NULL),
                 hub);
        }
        scene_start(&s);
        for (int i = 0; i < 3; ++i) {
            scene_step(&s, h);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        }
        bytes[k] = pcs_work_held(s.wk);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 3 * (n + 1));
        double weight = 0;
        for (int i = 0; i < 3; ++i) {
            weight = hypot(weight, c[i].r[0]);
        }
        CK_NEAR(weight, (50 + n) * G * h, 1e-9 * n);
        for (int i = 0; i < s.st->nv; ++i) {
            ck_assert_double_le(fabs(s.st->v[i]), 1e-10);
        }
        scene_close(&s);
    }
    ck_assert_msg(bytes[1] <= 5 * bytes[0], "%zu and %zu bytes", bytes[0], bytes[1]);
}

// an inelastic impact in the first step corrects velocities that do not obey the joint; they do not
// return
TEST(initial_velocities_that_break_a_joint_are_corrected)
{
    const double h = 1e-3, apart = 0.7;
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    const double edges[3] = {0.1, 0.2, 0.6}, top[3] = {0, 0, 0.3}, x[3] = {0, 0, -0.3};
    const double v[3] = {-0.9, 0, -apart}, omega[3] = {0, 3, 0};
    join(&s, pcs_relation_ball_joint(top, (double[3]){0, 0, 0}),
         scene_box(&s, 2, edges, x, NULL, v, omega), world);
    scene_start(&s);
    const double before = scene_kinetic(&s);
    scene_step(&s, h);
    scene_check_step(&s);
    // the radial impulse acts through G: it takes 1/2 m apart^2
    const double after = scene_kinetic(&s);
    CK_NEAR(after, before - apart * apart, 2 * apart * 3 * apart * h);
    for (int i = 0; i < 100; ++i) {
        double up[3], u[3];
        scene_step(&s, h);
        pcs_quat_rotate(s.st->q + 3, (double[3]){0, 0, 0.3}, up);
        double spin[3];
        pcs_quat_rotate(s.st->q + 3, s.st->v + 3, spin);
        v3_cross(spin, up, u);
        v3_along(s.st->v, 1, u, u);
        // H v at the end of a step, of second order: h^2 / 4 times the third derivative, 0.3 3^3
        if (i > 5) ck_assert_double_le(v3_norm(u), h * h * 0.3 * 27);
    }
    CK_NEAR(scene_kinetic(&s), after, 1e-4 * after);
    scene_close(&s);
}

// a pendulum against a wall: Newton's law holds on the frozen normal wherever the rows of the joint
// are evaluated, and the joint holds during the impact
TEST(joints_do_not_change_the_law_of_an_impact)
{
    static const pcs_configuration at[2] = {PCS_CONFIGURATION_START, PCS_CONFIGURATION_MIDDLE};
    for (int k = 0; k < 2; ++k) {
        const double e = 0.6;
        scene s;
        open_pendulum(&s, 1.2);
        s.scheme.configuration = at[k];
        scene_shape(&s, (pcs_system){1}, pcs_shape_sphere(0.05), e);
        scene_shape(&s, world, pcs_shape_half_space((double[3]){1, 0, 0}, -0.05), e);
        scene_start(&s);
        int impacts = 0;
        for (int i = 0; i < 3000; ++i) {
            scene_step(&s, 1e-3);
            scene_check_step(&s);
            const pcs_contact *c;
            const int n = scene_contacts(&s, &c);
            for (int j = 0; j < n; ++j) {
                if (c[j].law.kind == PCS_LAW_EQUALITY || !(c[j].r[0] > 0)) continue;
                impacts += s.v_before[0] < -0.1;
                CK_NEAR(c[j].u[0], -e * s.v_before[0], 1e-10);
            }
            CK_NEAR(s.report.energy.joints, 0, k == 0 ? 0.05 : 2e-3);
        }
        ck_assert_int_ge(impacts, 3);
        scene_close(&s);
    }
}

// ---- any length ---------------------------------------------------------------------------------

// worst gap of the joints of the last step
static double widest_gap(scene *s)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        if (c[i].law.kind == PCS_LAW_EQUALITY) worst = fmax(worst, fabs(c[i].gap_end));
    }
    return worst;
}

// chains that swing: velocities to their tolerance, and positions to 1e-12 m by two or three
// linearisations, in every metric and from one link to thousands
TEST(chains_of_any_length)
{
    static const struct {
        int links, steps;
        pcs_metric metric;
    } of[] = {{1, 20, PCS_METRIC_MASS},   {22, 20, PCS_METRIC_Q1},    {80, 40, PCS_METRIC_MASS},
              {80, 10, PCS_METRIC_V},     {80, 10, PCS_METRIC_Q},     {80, 10, PCS_METRIC_Q1},
              {200, 40, PCS_METRIC_MASS}, {1000, 3, PCS_METRIC_V},    {1000, 3, PCS_METRIC_Q1},
              {3000, 2, PCS_METRIC_MASS}, {10000, 2, PCS_METRIC_MASS}};
    for (size_t k = 0; k < sizeof of / sizeof *of; ++k) {
        if (of[k].links > TEST_DRAWS(10000)) continue;
        scene s = scene_open();
        s.scheme.projection = PCS_PROJECTION_DIRECT;
        s.scheme.metric = of[k].metric;
        s.scheme.proj_tol = 1e-12;
        s.scheme.solver.tol = 1e-10;
        add_links(&s, of[k].links);
        scene_start(&s);
        for (int i = 0; i < of[k].steps; ++i) {
            scene_step(&s, 2e-3);
            ck_assert_double_le(widest_gap(&s), 1e-12);
            ck_assert_int_le(s.report.projection_iters, 3);
            ck_assert_double_le(s.report.solve.measure.residual, 1e-10);
        }
        scene_close(&s);
    }
}

// the memory of a chain per link does not depend on its length
TEST(memory_in_proportion_to_the_links)
{
    double first = 0;
    for (int n = 100; n <= TEST_DRAWS(1000); n *= 3) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        add_links(&s, n);
        scene_start(&s);
        scene_step(&s, 2e-3);
        const double held = (double)pcs_work_held(s.wk) / n;
        if (n == 100) first = held;
        ck_assert_msg(held <= 1.5 * first, "%d links: %g bytes a link, 100 links: %g", n, held,
                      first);
        scene_close(&s);
    }
}

// links that spin about the chain, with different moments of inertia about every axis: A and W are
// unsymmetric, and a solution exists for more rows than a dense matrix may have
TEST(a_chain_of_spinning_links)
{
    const int n = TEST_DRAWS(2000);
    const double edges[3] = {link_length, 0.02, 0.06}, front[3] = {-0.5 * link_length, 0, 0};
    const double back[3] = {0.5 * link_length, 0, 0}, origin[3] = {0};
    scene s = scene_open();
    s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    s.scheme.projection = PCS_PROJECTION_DIRECT;
    s.scheme.proj_tol = 1e-12;
    s.scheme.solver.tol = 1e-10;
    for (int i = 0; i < n; ++i) {
        const double x[3] = {(i + 0.5) * link_length, 0, 0}, omega[3] = {30 + i % 5, 0, 0};
        const pcs_system b = scene_box(&s, 1, edges, x, NULL, NULL, omega);
        join(&s, pcs_relation_ball_joint(front, i > 0 ? back : origin), b,
             i > 0 ? (pcs_system){b.id - 1} : world);
    }
    scene_start(&s);
    const double start = scene_kinetic(&s) + scene_potential(&s);
    for (int i = 0; i < 5; ++i) {
        scene_step(&s, 2e-3);
        scene_check_step(&s);
        ck_assert_double_le(widest_gap(&s), 1e-12);
        ck_assert_int_eq(s.report.solve.solver, PCS_SOLVER_DIRECT);
    }
    CK_NEAR(scene_kinetic(&s) + scene_potential(&s), start, 1e-6 * start);
    scene_close(&s);
}

// the impulses of a chain that hangs are the weights below it, through thousands of joints
TEST(a_hanging_chain_carries_its_weight)
{
    const int n = TEST_DRAWS(5000);
    const double h = 1e-3;
    scene s = scene_open();
    s.scheme.projection = PCS_PROJECTION_DIRECT;
    s.scheme.proj_tol = 1e-12;
    s.scheme.solver.tol = 1e-10;
    scene_gravity(&s, G, 0, 0); // along the links
    add_links(&s, n);
    scene_start(&s);
    for (int k = 0; k < 2; ++k) {
        scene_step(&s, h);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 3 * n);
        for (int i = 0; i < n; ++i) {
            // sums of n weights, each with its rounding
            CK_NEAR(c[3 * i].r[0], -(n - i) * G * h, 1e-9 * n * G * h);
        }
        ck_assert_double_le(widest_gap(&s), 1e-12);
    }
    scene_close(&s);
}

// rods in a closed ring, two ball joints where one suffices: more rows than rank, and the same
// motion as with one
TEST(loops_and_redundant_joints)
{
    const double pi = 3.14159265358979323846;
    const double edges[3] = {link_length, 0.02, 0.02}, front[3] = {-0.5 * link_length, 0, 0};
    const double back[3] = {0.5 * link_length, 0, 0};
    for (int k = 0; k < 4; ++k) {
        const int n = k < 2 ? 8 : TEST_FEW(60, 200);
        pcs_state *end[2];
        scene s[2];
        for (int twice = 0; twice < 2; ++twice) {
            scene *w = &s[twice];
            *w = scene_open();
            w->scheme.projection = PCS_PROJECTION_DIRECT;
            w->scheme.metric = k % 2 ? PCS_METRIC_V : PCS_METRIC_MASS;
            w->scheme.configuration = k < 2 ? PCS_CONFIGURATION_MIDDLE : PCS_CONFIGURATION_START;
            w->scheme.proj_tol = 1e-12;
            w->scheme.solver.tol = 1e-10;
            const double R = 0.5 * link_length / tan(pi / n);
            for (int i = 0; i < n; ++i) {
                const double a = 2 * pi * i / n, x[3] = {R * sin(a), 0, -R * cos(a)};
                const double Q[4] = {cos(0.5 * a), 0, -sin(0.5 * a), 0};
                const double v[3] = {0, i % 3, 0};
                const pcs_system b = scene_box(w, 1, edges, x, Q, v, NULL);
                for (int j = 0; i > 0 && j <= twice; ++j) {
                    join(w, pcs_relation_ball_joint(front, back), b, (pcs_system){b.id - 1});
                }
            }
            join(w, pcs_relation_ball_joint(front, back), (pcs_system){1}, (pcs_system){n});
            join(w, pcs_relation_ball_joint((double[3]){0, 0, 0}, (double[3]){0, 0, -R}),
                 (pcs_system){1}, world);
            scene_start(w);
            for (int i = 0; i < 30; ++i) {
                scene_step(w, 2e-3);
                ck_assert_double_le(widest_gap(w), 1e-12);
                ck_assert_int_le(w->report.projection_iters, 4);
            }
            end[twice] = w->st;
        }
        CK_NEAR(furthest(end[0], end[1]), 0, 1e-7);
        scene_close(&s[0]);
        scene_close(&s[1]);
    }
}

// a tolerance that no double can meet: a residual of rounding counts as solved, in one island and
// in many
TEST(velocities_to_their_rounding)
{
    for (int k = 0; k < 6; ++k) {
        const double tol[3] = {1e-14, 1e-15, 1e-16}, o[3] = {0};
        scene s = scene_open();
        s.scheme.configuration = k < 3 ? PCS_CONFIGURATION_START : PCS_CONFIGURATION_MIDDLE;
        s.scheme.projection = PCS_PROJECTION_DIRECT;
        s.scheme.solver.tol = tol[k % 3];
        add_links(&s, 7);
        for (int i = 0; i < 5; ++i) {
            const double hook[3] = {0.4 * i, 1, 0.3}, x[3] = {0.4 * i + 0.3, 1, 0.3};
            const double v[3] = {0, 0.1 * i, 1};
            join(&s, pcs_relation_distance(o, hook, 0.3), scene_ball(&s, 1 + i, 0.1, x, v), world);
        }
        scene_start(&s);
        for (int i = 0; i < 100; ++i) {
            scene_step(&s, 3e-3);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_double_le(s.report.solve.measure.residual, 1e-13);
        }
        scene_close(&s);
    }
}

// A grain of a tonne-millimetre model far from its joint: the moments of the impulse about G
// cancel, and the rounding of the rotation that they leave is all of u. It counts as solved
TEST(a_grain_far_from_its_joint)
{
    for (int k = 0; k < 6; ++k) {
        const double l[3] = {200, 1000, 2000}, angle = 0.5, length = l[k % 3], h = 2e-3;
        scene s = scene_open();
        s.scheme = pcs_scheme_moreau_jean();
        if (k >= 3) s.scheme.projection = PCS_PROJECTION_DIRECT;
        scene_gravity(&s, 0, 0, -9810);
        pcs_body_def def = pcs_body_def_default();
        def.mass = 1e-3;
        def.position[0] = length * sin(angle);
        def.position[2] = -length * cos(angle);
        const pcs_system bob = scene_add(&s, &def);
        const double hook[3] = {-def.position[0], 0, -def.position[2]}, zero[3] = {0};
        join(&s, pcs_relation_ball_joint(hook, zero), bob, world);
        scene_start(&s);
        for (int i = 0; i < 50; ++i) {
            scene_step(&s, h);
            ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
            if (i > 0) continue;
            // the pivot is at rest in the axes of the start
            const double *v = scene_v(&s, bob);
            CK_NEAR(v[0] + v[4] * hook[2], 0, 1e-6 * 9810 * h);
            CK_NEAR(v[2] - v[4] * hook[0], 0, 1e-6 * 9810 * h);
        }
        scene_close(&s);
    }
}

// ---- ropes --------------------------------------------------------------------------------------

// A ball falls from its hook, where the rope has no direction: free for up to a second, then the
// rope stops it (e = 0) or reverses its velocity (e = 1), and it never moves further away than the
// rope is long. The scheme is of first order there.
TEST(a_rope_is_slack_and_then_taut)
{
    for (int e = 0; e <= 1; ++e) {
        const double o[3] = {0}, length = 1, h = 1e-3;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const pcs_system ball = scene_ball(&s, 2, 0.1, o, NULL);
        scene_join(&s, pcs_relation_rope(o, o, length), pcs_law_newton_impact(e), ball, world);
        scene_start(&s);
        const double fall = sqrt(2 * length / 9.81);
        double lowest = 0;
        for (int i = 0; i * h < 1.5 * fall; ++i) {
            scene_step(&s, h);
            const double z = scene_q(&s, ball)[2], t = s.st->t;
            lowest = fmin(lowest, z);
            if (t < fall - h) CK_NEAR(z, -0.5 * 9.81 * t * t, 9.81 * h * t);
        }
        CK_NEAR(lowest, -length, e == 0 ? 1e-4 : 9.81 * fall * h);
        if (e == 0) CK_NEAR(scene_v(&s, ball)[2], 0, 1e-9);
        // half the way up it has the speed that it had half the way down
        if (e == 1) CK_NEAR(scene_v(&s, ball)[2], 9.81 * 0.5 * fall, 3 * 9.81 * h);
        scene_close(&s);
    }
}

// ---- joints and contacts ------------------------------------------------------------------------

// a chain that hangs from the origin and falls on a floor, without friction: 900 joint rows and the
// contacts of the links that lie, in one problem that is solved in every step
TEST(a_chain_that_falls_on_a_floor)
{
    const int n = TEST_DRAWS(300);
    scene s = scene_open();
    s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
    s.scheme.projection = PCS_PROJECTION_DIRECT;
    s.scheme.solver.tol = 1e-10;
    scene_shape(&s, world, pcs_shape_half_space((double[3]){0, 0, 1}, -0.03), 0);
    add_links(&s, n);
    for (int i = 1; i <= n; ++i) {
        scene_shape(&s, (pcs_system){i}, pcs_shape_capsule(0.01, 0.5 * link_length), 0);
    }
    scene_start(&s);
    int lying = 0;
    for (int i = 0; i < 80; ++i) {
        scene_step(&s, 2e-3);
        ck_assert_double_le(widest_gap(&s), 1e-10);
        ck_assert_double_le(s.report.penetration, 2e-3); // half a step at the speed of the fall
        lying = s.report.active > lying ? s.report.active : lying;
    }
    ck_assert_int_gt(lying, n + n / 2);
    scene_close(&s);
}

// Chains of balls that slide on the floor along their length and sideways: every step is solved
// within its budget, at a cost and with a memory that grow with the number of links
TEST(chains_that_slide)
{
    static const double mu[] = {0.1, 0.3, 1};
    const int most = TEST_FEW(90, 1000);
    double held = 0;
    for (int k = 0; k < 6; ++k) {
        const int n = k < 3 ? most / 3 : most;
        const double apart = 0.1, r = 0.04, half[3] = {0.5 * apart, 0, 0};
        const double back[3] = {-half[0], 0, 0};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_rough(&s, world, pcs_shape_half_space((double[3]){0, 0, 1}, 0), 0, 0, mu[k % 3]);
        pcs_system before = world;
        for (int i = 0; i < n; ++i) {
            const double x[3] = {apart * i, 0, r}, v[3] = {2, 0.2 * sin(0.1 * i), 0};
            const pcs_system b = scene_rough_ball(&s, 0.3, r, x, v, 0, 0, mu[k % 3]);
            if (i > 0) join(&s, pcs_relation_ball_joint(back, half), b, before);
            before = b;
        }
        scene_start(&s);
        for (int i = 0; i < TEST_FEW(2, 5); ++i) {
            scene_step(&s, 5e-3);
            ck_assert_int_eq(s.report.solve.outcome, PCS_OUTCOME_CONVERGED);
            ck_assert_int_eq(s.report.substeps, 1);
            ck_assert_double_le(s.report.units, 3e4 * n);
        }
        const double now = (double)pcs_work_held(s.wk) / n;
        if (k < 3) held = fmax(held, now);
        // small islands may use dense matrices
        const bool small = n < 300;
        ck_assert_msg(small || now <= 2 * held, "%d links: %g bytes a link, before %g", n, now,
                      held);
        scene_close(&s);
    }
}

// a net of balls on rods without mass that falls on a ball
TEST(a_net_falls_on_a_ball)
{
    enum { SIDE = 12 };
    const double o[3] = {0}, apart = 0.1;
    scene s = scene_open();
    s.scheme.projection = PCS_PROJECTION_DIRECT;
    s.scheme.solver.tol = 1e-10;
    const double middle[3] = {0.55, 0.55, -0.5};
    const pcs_body_def def = {
        .fixed = true, .position = {middle[0], middle[1], middle[2]}, .orientation = {1, 0, 0, 0}};
    const pcs_system ball = scene_add(&s, &def);
    scene_shape(&s, ball, pcs_shape_sphere(0.46), 0);
    for (int i = 0; i < SIDE * SIDE; ++i) {
        const double x[3] = {apart * (i % SIDE), apart * (i / SIDE), 0}; // NOLINT
        const pcs_system b = scene_solid_ball(&s, 0.1, 0.02, x, NULL, 0);
        if (i % SIDE > 0) {
            join(&s, pcs_relation_distance(o, o, apart), b, (pcs_system){b.id - 1});
        }
        if (i >= SIDE) {
            join(&s, pcs_relation_distance(o, o, apart), b, (pcs_system){b.id - SIDE});
        }
    }
    scene_start(&s);
    int most = 0;
    for (int i = 0; i < TEST_DRAWS(150); ++i) {
        scene_step(&s, 2e-3);
        ck_assert_double_le(widest_gap(&s), 1e-10);
        const int contacts = s.report.active - 2 * SIDE * (SIDE - 1);
        most = contacts > most ? contacts : most;
    }
    if (TEST_DRAWS(150) == 150) ck_assert_int_gt(most, 10);
    scene_close(&s);
}
