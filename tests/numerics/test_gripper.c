// A gripper: a cube between a fixed jaw and one on a slider, which a limited motor presses on the
// cube. 14 blocks, 30 rows, 12 velocities: the faces are hyperstatic with friction, and the motor
// is a box. Gaps that fit a plane only to 1e-8 leave contacts that slip by so little, and decide
// which of them carry the load.
#include <percuss/bodies.h>

#include <math.h>

#include "scratch.h"

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
