// Few bodies with many contacts: hyperstatic faces with friction, whose gaps fit a plane only to
// 1e-8. Contacts that slip by so little decide which of them carry the load, and sweeps do not
// arrive.
#include <percuss/bodies.h>

#include <math.h>

#include "scratch.h"

// ---- a gripper ---------------------------------------------------------------------------------

// A cube between a fixed jaw and one on a slider, which a limited motor presses on the cube: 10
// blocks, 30 rows, 12 velocities. The motor is a box
enum { CORNERS = 4, BLOCKS = 2 * CORNERS + 2, ROWS = 6 * CORNERS + 6 };

typedef struct gripper {
    pcs_bodies_problem b;
    pcs_bodies_block block[BLOCKS];
    double A[12], R[18], v_free[12], shift[ROWS], rail[30], motor[6];
} gripper;

// contacts of the cube at x = side EDGE: with the hand, or with the jaw, whose centre is at x = JAW
#define EDGE 0.03
#define JAW  0.04
static void add_face(gripper *g, test_random *rng, int side, double misfit)
{
    for (int k = 0; k < CORNERS; ++k) {
        const double x = side * EDGE, y = k % 2 ? EDGE : -EDGE, z = k / 2 ? EDGE : -EDGE;
        const double angle = random_between(rng, 0, 6), c = cos(angle), s = sin(angle);
        const int i = k + (side > 0 ? CORNERS : 0);
        g->block[i] = (pcs_bodies_block){.cone = PCS_CONE_COULOMB,
                                         .dim = 3,
                                         .row = 3 * i,
                                         .mu = 0.9,
                                         .sys = {0, side > 0 ? 1 : -1},
                                         .F = {-side, 0, 0, 0, c, s, 0, side * s, -side * c},
                                         .core = {{x, y, z}, {x - JAW, y, z}}};
        g->shift[3 * i] = random_between(rng, -misfit, misfit);
    }
}

// v_free is what the cube would do in the step without the jaws. speed: that of the motor, m/s
static void make_gripper(gripper *g, test_random *rng, double misfit, double speed)
{
    static const int start[3] = {0, 6, 12};
    static const unsigned char kind[2] = {PCS_MASS_DIAGONAL, PCS_MASS_DIAGONAL};
    static const size_t off[2] = {0, 6};
    *g = (gripper){
        .A = {0.16, 0.16, 0.16, 9.6e-5, 9.6e-5, 9.6e-5, 0.1, 0.1, 0.1, 6e-5, 3.3e-5, 3.3e-5}};
    add_face(g, rng, -1, misfit);
    add_face(g, rng, 1, misfit);
    // the slider leaves the first velocity of the jaw, which the motor drives
    for (int c = 0; c < 5; ++c) {
        g->rail[c + 5 * (c + 1)] = 1;
    }
    g->motor[0] = 1;
    g->block[2 * CORNERS] = (pcs_bodies_block){.cone = PCS_CONE_EQUALITY,
                                               .dim = 5,
                                               .row = 6 * CORNERS,
                                               .sys = {1, -1},
                                               .rows = {g->rail, NULL}};
    g->block[2 * CORNERS + 1] = (pcs_bodies_block){.cone = PCS_CONE_BOX,
                                                   .dim = 1,
                                                   .row = 6 * CORNERS + 5,
                                                   .mu = 8e-3,
                                                   .sys = {1, -1},
                                                   .rows = {g->motor, NULL}};
    g->shift[6 * CORNERS + 5] = speed;
    for (int i = 0; i < 12; ++i) {
        g->v_free[i] = random_between(rng, -1e-2, 1e-2);
    }
    for (int i = 0; i < 18; ++i) {
        g->R[i] = i % 9 % 4 == 0;
    }
    g->b = (pcs_bodies_problem){.n = ROWS,
                                .nb = BLOCKS,
                                .block = g->block,
                                .shift = g->shift,
                                .ns = 2,
                                .start = start,
                                .kind = kind,
                                .off = off,
                                .A = g->A,
                                .R = g->R,
                                .v_free = g->v_free};
}

// units per block, as those of a time step
#define UNITS 28000

// solved within the budget of a step, also by the measure of the local form
TEST(a_gripper_is_solved_in_a_step)
{
    test_random rng = random_seed(5);
    for (int n = 0; n < 60; ++n) {
        reset();
        gripper g;
        make_gripper(&g, &rng, pow(10, random_between(&rng, -9, -5)), n % 2 ? 1 : 1e6);
        double v[12], r[ROWS] = {0}, u[ROWS];
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
        o.tol = 1e-8;
        pcs_report report;
        CK_OK(pcs_solve_bodies(NULL, &g.b, &o, UNITS * BLOCKS, (pcs_watch){0}, v, r, u, &report));
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "draw %d: %g", n,
                      report.measure.residual);
        pcs_problem local;
        pcs_measure m;
        CK_OK(pcs_bodies_condense(&g.b, &arena, &local));
        pcs_problem_measure(&local, r, u, &m);
        ck_assert_double_le(m.residual, 2 * o.tol);
        // the motor does not reach its speed
        CK_NEAR(r[ROWS - 1], -g.block[BLOCKS - 1].mu, 1e-9 * g.block[BLOCKS - 1].mu);
    }
}

// a motor at its limit pushes no harder where its target is far: paths arrive as with a near one
TEST(a_far_target_changes_no_unit)
{
    test_random rng = random_seed(6);
    for (int n = 0; n < 20; ++n) {
        gripper g;
        make_gripper(&g, &rng, 1e-8, 1e6);
        double v[12], r[ROWS] = {0}, u[ROWS];
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_HOMOTOPY);
        o.tol = 1e-8;
        pcs_report report;
        CK_OK(pcs_solve_bodies(NULL, &g.b, &o, INFINITY, (pcs_watch){0}, v, r, u, &report));
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "draw %d: %g", n,
                      report.measure.residual);
    }
}

// ---- rings -------------------------------------------------------------------------------------

// Rings that land on a floor and on each other, round a rod: RIM contacts below each, and ROUND
// with the rod, most of them still apart. 576 rows, 18 velocities
enum { RINGS = 3, RIM = 16, ROUND = 48, PER_RING = RIM + ROUND, RING_BLOCKS = RINGS * PER_RING };

typedef struct rings {
    pcs_bodies_problem b;
    pcs_bodies_block block[RING_BLOCKS];
    double A[6 * RINGS], R[9 * RINGS], v_free[6 * RINGS], shift[3 * RING_BLOCKS];
} rings;

// units per block, less than those of a time step
#define RING_UNITS 6000.0

static void make_rings(rings *g, test_random *rng, double misfit)
{
    static const int start[RINGS + 1] = {0, 6, 12, 18};
    static const unsigned char kind[RINGS] = {PCS_MASS_DIAGONAL, PCS_MASS_DIAGONAL,
                                              PCS_MASS_DIAGONAL};
    static const size_t off[RINGS] = {0, 6, 12};
    *g = (rings){.b = {.n = 3 * RING_BLOCKS,
                       .nb = RING_BLOCKS,
                       .block = g->block,
                       .shift = g->shift,
                       .ns = RINGS,
                       .start = start,
                       .kind = kind,
                       .off = off,
                       .A = g->A,
                       .R = g->R,
                       .v_free = g->v_free}};
    const double radius = 0.035, height = 0.02;
    for (int i = 0; i < RING_BLOCKS; ++i) {
        const int ring = i / PER_RING, k = i % PER_RING;
        const bool rim = k < RIM;
        const double a = rim ? 2 * 3.141592653589793 * k / RIM : random_between(rng, 0, 6.283);
        const double c = cos(a), s = sin(a),
                     z = rim ? -height : random_between(rng, -height, height);
        pcs_bodies_block *b = &g->block[i];
        *b = (pcs_bodies_block){
            .cone = PCS_CONE_COULOMB,
            .dim = 3,
            .row = 3 * i,
            .mu = 0.47,
            .sys = {ring, rim && ring > 0 ? ring - 1 : -1},
            .F = {0, 0, 1, c, s, 0, -s, c, 0},
            .core = {{radius * c, radius * s, z}, {radius * c, radius * s, height}}};
        if (!rim) {
            const double F[9] = {c, s, 0, 0, 0, 1, s, -c, 0};
            for (int j = 0; j < 9; ++j) {
                b->F[j] = F[j];
            }
        }
        g->shift[3 * i] = rim ? random_between(rng, -misfit, misfit) : random_between(rng, 0, 0.3);
    }
    for (int k = 0; k < RINGS; ++k) {
        const double A[6] = {0.3, 0.3, 0.3, 2.5e-4, 2.5e-4, 4e-4};
        for (int j = 0; j < 6; ++j) {
            g->A[6 * k + j] = A[j];
            g->v_free[6 * k + j] = random_between(rng, -1, 1) * (j < 3 ? 0.3 : 5);
        }
        g->v_free[6 * k + 2] -= 1.5;
        g->v_free[6 * k + 5] += 15;
        for (int j = 0; j < 9; ++j) {
            g->R[9 * k + j] = j % 4 == 0;
        }
    }
}

TEST(rings_are_solved_in_a_step)
{
    test_random rng = random_seed(8);
    for (int n = 0; n < 12; ++n) {
        rings g;
        make_rings(&g, &rng, pow(10, random_between(&rng, -9, -5)));
        double v[6 * RINGS], r[3 * RING_BLOCKS] = {0}, u[3 * RING_BLOCKS];
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
        o.tol = 1e-8;
        pcs_report report;
        CK_OK(pcs_solve_bodies(NULL, &g.b, &o, RING_UNITS * RING_BLOCKS, (pcs_watch){0}, v, r, u,
                               &report));
        ck_assert_msg(report.outcome == PCS_OUTCOME_CONVERGED, "draw %d: %g", n,
                      report.measure.residual);
    }
}
