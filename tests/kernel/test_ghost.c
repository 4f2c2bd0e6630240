// Contacts that are not there: a body that passes another one moves as if it were alone, thin walls
// stop fast bodies, and edges between neighbours in one plane have no effect.
#include "scene.h"
#include "scheme_list.h"
#include "surfaces.h"

#include "linalg/m3.h"

#include <math.h>
#include <string.h>

// ---- shapes -----------------------------------------------------------------------------------

typedef struct shapes {
    pcs_geometry *hull, *mesh, *field;
} shapes;

static void shapes_open(shapes *s)
{
    static surface_lists box;
    const double half[3] = {0.5, 0.5, 0.5};
    double p[12][3], heights[25] = {0};
    for (int i = 0; i < 12; ++i) {
        const double a = acos(-1) * i / 6;
        p[i][0] = 0.5 * cos(a), p[i][1] = 0.5 * sin(a), p[i][2] = i % 2 ? 0.5 : -0.5;
    }
    CK_OK(pcs_geometry_create_hull(NULL, 12, p[0], &s->hull));
    box_surface(half, 3, &box);
    s->mesh = make_mesh(&box);
    CK_OK(pcs_geometry_create_height_field(NULL, 5, 5, 0.25, 0.25, heights, &s->field));
}

static void shapes_close(shapes *s)
{
    pcs_geometry_destroy(s->hull);
    pcs_geometry_destroy(s->mesh);
    pcs_geometry_destroy(s->field);
}

// a shape of 1 m about the origin; the top of each is at z = 0.5, of the height field at z = 0
static pcs_shape unit_shape(const shapes *s, int kind)
{
    switch (kind) {
    case SPHERE:
        return pcs_shape_sphere(0.5);
    case BOX:
        return pcs_shape_box(1, 1, 1);
    case CAPSULE:
        return pcs_shape_capsule(0.25, 0.5);
    case CYLINDER:
        return pcs_shape_cylinder(0.5, 1);
    case HULL:
        return pcs_shape_hull(s->hull);
    case MESH:
        return pcs_shape_mesh(s->mesh);
    default: {
        pcs_shape out = pcs_shape_height_field(s->field);
        out.position[0] = out.position[1] = -0.5;
        return out;
    }
    }
}

// the moving shape: a tenth of that size
static pcs_shape small_shape(const shapes *s, int kind, pcs_geometry **own)
{
    pcs_shape out = unit_shape(s, kind);
    *own = NULL;
    out.radius *= 0.1;
    for (int i = 0; i < 3; ++i) {
        out.half[i] *= 0.1;
    }
    if (kind == HULL) {
        double p[12][3];
        for (int i = 0; i < 12; ++i) {
            const double a = acos(-1) * i / 6;
            p[i][0] = 0.05 * cos(a), p[i][1] = 0.05 * sin(a), p[i][2] = i % 2 ? 0.05 : -0.05;
        }
        CK_OK(pcs_geometry_create_hull(NULL, 12, p[0], own));
        out = pcs_shape_hull(*own);
    }
    return out;
}

// ---- passing by -------------------------------------------------------------------------------

typedef struct flight {
    int which;
    pcs_scheme scheme;
    int kind, obstacle;
    double e, x[3], Q[4], v[3], omega[3], gravity, h;
    int steps;
} flight;

// the velocity of the moving body, past the obstacle or, with `alone`, without it
static void fly(const shapes *sh, const flight *f, bool alone, double v[6], double q[7])
{
    scene s = scene_open();
    s.scheme = f->scheme;
    pcs_geometry *own;
    const pcs_shape shape = small_shape(sh, f->kind, &own);
    const double edges[3] = {0.1, 0.1, 0.1};
    const pcs_system b = scene_box(&s, 1, edges, f->x, f->Q, f->v, f->omega);
    scene_gravity(&s, 0, 0, -f->gravity);
    scene_shape(&s, b, shape, f->e);
    if (!alone) {
        pcs_shape fixed = unit_shape(sh, f->obstacle);
        if (f->obstacle != FIELD) fixed.position[2] = -0.5;
        scene_shape(&s, (pcs_system){0}, fixed, f->e);
    }
    scene_start(&s);
    for (int i = 0; i < f->steps; ++i) {
        scene_step(&s, f->h);
    }
    memcpy(v, scene_v(&s, b), 6 * sizeof *v);
    memcpy(q, scene_q(&s, b), 7 * sizeof *q);
    scene_close(&s);
    pcs_geometry_destroy(own);
}

static void check_not_touched(const shapes *sh, const flight *f, const char *what)
{
    double with[6], without[6], q_with[7], q_without[7];
    fly(sh, f, false, with, q_with);
    fly(sh, f, true, without, q_without);
    for (int i = 0; i < 7; ++i) {
        ck_assert_msg(fabs(q_with[i] - q_without[i]) <= 1e-12,
                      "scheme %d: %s: %s past a %s, e = %g, h = %g: q[%d] is %.17g, not %.17g",
                      f->which, what, kind_name[f->kind], kind_name[f->obstacle], f->e, f->h, i,
                      q_with[i], q_without[i]);
    }
    for (int i = 0; i < 6; ++i) {
        ck_assert_msg(fabs(with[i] - without[i]) <= 1e-12,
                      "scheme %d: %s: %s past a %s, e = %g, h = %g: v[%d] is %.17g, not %.17g",
                      f->which, what, kind_name[f->kind], kind_name[f->obstacle], f->e, f->h, i,
                      with[i], without[i]);
    }
}

// a body passes over the top, at 50 m/s, at any phase of the step; upright, so that the clearance
// is known
TEST_OF_SCHEMES(over_the_edge)
{
    shapes sh;
    shapes_open(&sh);
    const flight base = {
        .which = which, .scheme = scheme_of(which), .Q = {1, 0, 0, 0}, .v = {50, 0, 0}};
    for (int kind = 0; kind < BODIES; ++kind) {
        for (int obstacle = 0; obstacle < KINDS; ++obstacle) {
            for (int phase = 0; phase < TEST_DRAWS(8); ++phase) {
                for (int c = 0; c < 3; ++c) {
                    flight f = base;
                    f.kind = kind;
                    f.obstacle = obstacle;
                    f.e = phase % 2 ? 0.5 : 0;
                    f.h = phase < 4 ? 1e-3 : 4e-3;
                    const double clearance = c == 0 ? 1e-2 : c == 1 ? 1e-3 : 1e-5;
                    f.x[0] = -1.2 - phase * 0.125 * f.h * 50;
                    f.x[1] = 0.013 * phase;
                    f.x[2] = 0.05 + clearance;
                    f.steps = (int)(2.4 / (50 * f.h));
                    check_not_touched(&sh, &f, "over the edge");
                }
            }
        }
    }
    shapes_close(&sh);
}

// falling past the side of a shelf with a clearance of 1 mm
TEST_OF_SCHEMES(past_a_shelf)
{
    shapes sh;
    shapes_open(&sh);
    for (int kind = 0; kind < BODIES; ++kind) {
        for (int obstacle = 0; obstacle < KINDS; ++obstacle) {
            for (int phase = 0; phase < TEST_DRAWS(6); ++phase) {
                flight f = {.which = which,
                            .scheme = scheme_of(which),
                            .kind = kind,
                            .obstacle = obstacle,
                            .gravity = 9.81};
                f.Q[0] = 1;
                f.e = phase % 2 ? 0.5 : 0;
                f.h = 5e-3;
                f.x[0] = 0.551;
                f.x[2] = 0.3 + 0.002 * phase;
                f.v[2] = -3;
                f.steps = 30;
                check_not_touched(&sh, &f, "past a shelf");
            }
        }
    }
    shapes_close(&sh);
}

// rotating, with a clearance of 0.2 mm to the ball around it
TEST_OF_SCHEMES(rotating_bodies_pass)
{
    shapes sh;
    shapes_open(&sh);
    test_random r = {77};
    for (int kind = 0; kind < BODIES; ++kind) {
        for (int obstacle = 0; obstacle < KINDS; ++obstacle) {
            for (int k = 0; k < TEST_DRAWS(6); ++k) {
                flight f = {
                    .which = which, .scheme = scheme_of(which), .kind = kind, .obstacle = obstacle};
                for (int i = 0; i < 4; ++i) {
                    f.Q[i] = random_between(&r, -1, 1);
                }
                for (int i = 0; i < 3; ++i) {
                    f.omega[i] = random_between(&r, -40, 40);
                }
                f.e = k % 2 ? 0.5 : 0;
                f.h = 2e-3;
                f.v[0] = 20;
                f.v[1] = random_between(&r, -2, 2);
                f.x[0] = -0.8 - 0.003 * k;
                f.x[2] = 0.05 * sqrt(3) + 2e-4;
                f.steps = 40;
                check_not_touched(&sh, &f, "turning");
            }
        }
    }
    shapes_close(&sh);
}

// A cube that rotates about a level axis passes over a plane: an edge descends to 0.2 mm above it
// and rises again within a step, and a row that is linear in the rotation predicts an overlap. The
// lowest edge is 1/sqrt(2) of the length of an edge below the centre.
TEST_OF_SCHEMES(rotating_over_a_plane)
{
    pcs_scheme scheme = scheme_of(which);
    const double tols[2] = {scheme.solver.tol, 1e-4};
    for (int k = 0; k < 12; ++k) {
        scene s = scene_open();
        s.scheme = scheme;
        s.scheme.solver.tol = tols[k / 6];
        if (which == 1) s.scheme.gamma = 1.5;
        scene_gravity(&s, 0, 0, 0);
        // about the x axis, with the diagonal of the y z plane upright at the time `upright`
        const double h = 4e-3, rate = 30, edge = 0.1, upright = (1.05 + 0.07 * k) * h;
        const double angle = acos(-1) / 4 - rate * upright, clearance = 2e-4;
        const double Q[4] = {cos(angle / 2), sin(angle / 2)};
        const double x[3] = {0, 0, edge / sqrt(2) + clearance}, v[3] = {40, 0, 0};
        const pcs_system b =
            scene_box(&s, 1, (double[3]){edge, edge, edge}, x, Q, v, (double[3]){rate, 0, 0});
        scene_shape(&s, b, pcs_shape_box(edge, edge, edge), k % 2 ? 0.5 : 0);
        scene_ground(&s, 0);
        scene_start(&s);
        for (int i = 0; i < 4; ++i) {
            scene_step(&s, h);
            const double *now = scene_v(&s, b);
            ck_assert_msg(fabs(now[0] - 40) + fabs(now[2]) + fabs(now[3] - rate) <= 1e-11,
                          "scheme %d, k = %d: v_z is %g, omega_x %g", which, k, now[2], now[3]);
        }
        scene_close(&s);
    }
}

// The same with much friction: the normal part of an impulse that the row predicts is mu times
// smaller than the tangential one, and lost in the tolerance of the solver
TEST_OF_SCHEMES(rotating_over_a_rough_plane)
{
    const double mu[4] = {1e3, 1e6, 1e9, 1e12}, h = 4e-3, rate = 30, edge = 0.1, clearance = 2e-4;
    for (int k = 0; k < 48; ++k) {
        scene s = scene_open();
        s.scheme = scheme_of(which);
        if (which == 1) s.scheme.gamma = 1.5;
        scene_gravity(&s, 0, 0, 0);
        const double upright = (1.05 + 0.07 * (k / 8)) * h, angle = acos(-1) / 4 - rate * upright;
        const double Q[4] = {cos(angle / 2), sin(angle / 2)}, along = k % 2 ? 8 : -8;
        const double x[3] = {0, 0, edge / sqrt(2) + clearance}, v[3] = {1, along, 0};
        const pcs_system b =
            scene_box(&s, 1, (double[3]){edge, edge, edge}, x, Q, v, (double[3]){rate, 0, 0});
        const pcs_shape ground = pcs_shape_half_space((double[3]){0, 0, 1}, 0);
        scene_rough(&s, b, pcs_shape_box(edge, edge, edge), 0, 0, mu[k / 2 % 4]);
        scene_rough(&s, (pcs_system){0}, ground, 0, 0, mu[k / 2 % 4]);
        scene_start(&s);
        for (int i = 0; i < 4; ++i) {
            scene_step(&s, h);
            const double *now = scene_v(&s, b);
            ck_assert_msg(fabs(now[1] - along) + fabs(now[2]) + fabs(now[3] - rate) <= 1e-11,
                          "scheme %d, k = %d, step %d: v_y is %g, v_z %g, omega_x %g", which, k, i,
                          now[1], now[2], now[3]);
        }
        scene_close(&s);
    }
}

// Past the top of the obstacle on a parabola that gravity bends away from it (the weight acts
// upwards): the tangent at the start of a step leads into the obstacle. The lowest point lies
// between two steps, or is that of a polygon above the parabola.
TEST_OF_SCHEMES(a_parabola_turns_in_time)
{
    shapes sh;
    shapes_open(&sh);
    for (int kind = 0; kind < BODIES; ++kind) {
        for (int phase = 0; phase < TEST_DRAWS(10); ++phase) {
            flight f = {.which = which,
                        .scheme = scheme_of(which),
                        .kind = kind,
                        .obstacle = phase % KINDS,
                        .Q = {1, 0, 0, 0},
                        .gravity = -9.81};
            const double down = 0.9 + 0.03 * phase;
            f.e = phase % 2 ? 0.5 : 0;
            f.h = 1e-2;
            f.v[0] = 1;
            f.v[2] = -down;
            f.x[0] = -0.1;
            f.x[2] = 0.05 + 1e-5 + down * down / (2 * 9.81);
            f.steps = 20;
            check_not_touched(&sh, &f, "turned by gravity");
        }
    }
    shapes_close(&sh);
}

// the least height of the corners of a box over z = 0 on n steps of its motion without contacts:
// the rotation is uniform within a step
static double least_height(const double edges[3], int n, double (*q)[7])
{
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
        double back[4], by[4], turn[3];
        pcs_quat_conj(q[i] + 3, back);
        pcs_quat_mul(back, q[i + 1] + 3, by);
        pcs_quat_log(by, turn);
        for (int k = 0; k < 8 * 400; ++k) {
            const double s = k / 8 / 399.0, w[3] = {s * turn[0], s * turn[1], s * turn[2]};
            double Q[4], to[3], x[3];
            pcs_quat_exp(w, by);
            pcs_quat_mul(q[i] + 3, by, Q);
            for (int c = 0; c < 3; ++c) {
                to[c] = (k >> c & 1 ? 0.5 : -0.5) * edges[c];
            }
            pcs_quat_rotate(Q, to, x);
            least = fmin(least, x[2] + q[i][2] + s * (q[i + 1][2] - q[i][2]));
        }
    }
    return least;
}

typedef struct tumble {
    pcs_scheme scheme;
    double height, Q[4], v[3], omega[3], h, e;
    int steps;
} tumble;

// a plate that tumbles freely, above a plane or alone: q after each step, v at the end
static void tumble_on(const tumble *f, bool alone, double (*q)[7], double v[6])
{
    scene s = scene_open();
    s.scheme = f->scheme;
    const double edges[3] = {0.3, 0.2, 0.05}, x[3] = {0, 0, f->height};
    const pcs_system b = scene_box(&s, 1, edges, x, f->Q, f->v, f->omega);
    scene_gravity(&s, 0, 0, 0);
    scene_shape(&s, b, pcs_shape_box(edges[0], edges[1], edges[2]), f->e);
    if (!alone) scene_ground(&s, f->e);
    scene_start(&s);
    memcpy(q[0], scene_q(&s, b), sizeof q[0]);
    for (int i = 0; i < f->steps; ++i) {
        scene_step(&s, f->h);
        memcpy(q[i + 1], scene_q(&s, b), sizeof q[0]);
    }
    memcpy(v, scene_v(&s, b), 6 * sizeof *v);
    scene_close(&s);
}

// A plate whose inertia has no symmetry comes down to 0.2 mm above a plane as it tumbles, and rises
// again: its rotation without the rows differs from the rotation with them by more than a linear
// change.
static void plate_tumbles(int which, pcs_quat_update update)
{
    test_random r = {91};
    const double edges[3] = {0.3, 0.2, 0.05};
    for (int k = 0; k < TEST_DRAWS(40); ++k) {
        tumble f = {.scheme = scheme_of(which), .h = 1e-2, .steps = 8, .height = 1};
        f.scheme.update = update;
        f.e = k % 2 ? 0.5 : 0;
        for (int i = 0; i < 4; ++i) {
            f.Q[i] = random_between(&r, -1, 1);
        }
        for (int i = 0; i < 3; ++i) {
            f.omega[i] = random_between(&r, -40, 40);
        }
        f.v[0] = 20;
        double with[9][7], without[9][7], v_with[6], v_without[6];
        tumble_on(&f, true, without, v_without);
        f.height += 2e-4 - least_height(edges, f.steps, without);
        tumble_on(&f, true, without, v_without);
        tumble_on(&f, false, with, v_with);
        for (int i = 0; i < 6; ++i) {
            const double tol = 100 * f.scheme.newton_tol * 80;
            ck_assert_msg(fabs(v_with[i] - v_without[i]) <= tol,
                          "scheme %d, update %d, %d: v[%d] is %.17g, not %.17g", which, update, k,
                          i, v_with[i], v_without[i]);
        }
    }
}

TEST_OF_SCHEMES(a_plate_tumbles_over)
{
    plate_tumbles(which, PCS_QUAT_UPDATE_EXP);
    plate_tumbles(which, PCS_QUAT_UPDATE_ADD);
}

// A plate passes over a box, 15 times its size in a step. A row that is not there would let it turn
// by many revolutions in the step, which Newton's loop cannot follow: it leaves before that
// matters, and the step is not divided.
TEST_OF_SCHEMES(a_plate_passes_at_once)
{
    test_random r = {17};
    const double edges[3] = {0.05, 0.04, 0.01}, h = 1e-2;
    for (int k = 0; k < TEST_DRAWS(60); ++k) {
        double Q[4], omega[3], v[2][6];
        const double x[3] = {-1.3 - 0.01 * k, 0, 0.5 * v3_norm(edges) + 2e-4};
        for (int i = 0; i < 4; ++i) {
            Q[i] = random_between(&r, -1, 1);
            if (i < 3) omega[i] = random_between(&r, -20, 20);
        }
        for (int alone = 0; alone < 2; ++alone) {
            scene s = scene_open();
            s.scheme = scheme_of(which);
            s.scheme.halvings = 4;
            scene_gravity(&s, 0, 0, 0);
            const pcs_system b = scene_box(&s, 1, edges, x, Q, (double[3]){77, 0, 0}, omega);
            scene_shape(&s, b, pcs_shape_box(edges[0], edges[1], edges[2]), 0.5);
            pcs_shape obstacle = pcs_shape_box(0.2, 0.2, 0.2);
            obstacle.position[2] = alone ? -9 : -0.1;
            scene_shape(&s, (pcs_system){0}, obstacle, 0.5);
            scene_start(&s);
            for (int i = 0; i < 4; ++i) {
                scene_step(&s, h);
                ck_assert_int_eq(s.report.substeps, 1);
            }
            memcpy(v[alone], scene_v(&s, b), sizeof v[alone]);
            scene_close(&s);
        }
        for (int i = 0; i < 6; ++i) {
            ck_assert_msg(fabs(v[0][i] - v[1][i]) <= 1e-11,
                          "scheme %d, %d: v[%d] is %.17g, not %.17g", which, k, i, v[0][i],
                          v[1][i]);
        }
    }
}

// a plate slides between two boxes: no row of one box may stop it because of the other
TEST_OF_SCHEMES(through_a_slot)
{
    for (int phase = 0; phase < 10; ++phase) {
        scene s = scene_open();
        s.scheme = scheme_of(which);
        scene_gravity(&s, 0, 0, 0);
        const pcs_system b = scene_solid_ball(&s, 1, 0.05, (double[3]){-0.9 - 0.003 * phase, 0, 0},
                                              (double[3]){30, 0, 0}, 0.5);
        for (int side = -1; side <= 1; side += 2) {
            pcs_shape wall = pcs_shape_box(0.2, 0.5, 1);
            wall.position[1] = side * 0.301;
            scene_shape(&s, (pcs_system){0}, wall, 0.5);
        }
        scene_start(&s);
        for (int i = 0; i < 60; ++i) {
            scene_step(&s, 1e-3);
        }
        ck_assert(scene_v(&s, b)[0] == 30 && scene_v(&s, b)[1] == 0);
        scene_close(&s);
    }
}

// A box slides under a fixed beam, on a floor or on a rail. Its floor or its joint must not lift it
// to the beam in the search for what it meets: the speed is that without the beam, v - mu g t
TEST_OF_SCHEMES(under_a_beam)
{
    static const double clear[3][2] = {{0.002, 0.0002}, {0.005, 0.001}, {0.01, 0.003}};
    const double mu = 0.2, speed = 1.5, half[3] = {0.1, 0.1, 0.02};
    for (int k = 0; k < 3 * 2 * 2 * TEST_DRAWS(8); ++k) {
        const double h = clear[k % 3][0], gap = clear[k % 3][1], e = k / 3 % 2 ? 0.5 : 0;
        const bool rail = k / 6 % 2;
        const double edges[3] = {2 * half[0], 2 * half[1], 2 * half[2]};
        const double x0 = 0.1 - 0.02 * (k / 12) / TEST_DRAWS(8);
        const double x[3] = {x0, 0, half[2]}, v[3] = {speed, 0, 0};
        scene s = scene_open();
        s.scheme = scheme_of(which);
        pcs_shape beam = pcs_shape_box(0.5, 0.3, 0.02);
        beam.position[0] = 0.5;
        beam.position[2] = 0.05 + gap;
        scene_rough(&s, (pcs_system){0}, beam, e, 0, mu);
        const pcs_system b = scene_box(&s, 3, edges, x, NULL, v, NULL);
        scene_rough(&s, b, pcs_shape_box(edges[0], edges[1], edges[2]), e, 0, mu);
        if (rail) {
            const double along[3] = {1, 0, 0};
            pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_SLIDER);
            def.system1 = b;
            CK_OK(pcs_model_place_joint(s.m, x, along, NULL, &def));
            CK_OK(pcs_model_add_joint(s.m, &def, NULL));
        } else {
            scene_rough(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), e, 0,
                        mu);
        }
        scene_start(&s);
        const double loss = rail ? 0 : mu * 9.81;
        while (scene_q(&s, b)[0] < 0.35) {
            scene_step(&s, h);
            const double left = speed - loss * s.st->t;
            ck_assert_msg(fabs(scene_v(&s, b)[0] - left) <= 1e-6 * speed,
                          "scheme %d, h %g, gap %g, e %g, rail %d, x0 %g: %g, not %g", which, h,
                          gap, e, rail, x0, scene_v(&s, b)[0], left);
        }
        scene_close(&s);
    }
}

// the angular velocity of a door after each of n steps, past a fixed post or, with `alone`, without
static void swing(const pcs_scheme *scheme, uint64_t seed, double e, bool alone, int n, double *w)
{
    test_random r = random_seed(seed);
    const double L = random_between(&r, 0.3, 1.2), t = random_between(&r, 0.02, 0.08);
    const double H = random_between(&r, 0.1, 1), play = random_between(&r, 2e-4, 3e-3);
    const double turn = random_between(&r, 0.01, 0.05), h = random_between(&r, 1e-3, 1e-2);
    const double rate = turn / h, at = random_between(&r, 3, 6) * turn + 0.1, p = 0.05;
    const double x[3] = {0.5 * L + 0.02, 0, 0}, z[3] = {0, 0, 1}, origin[3] = {0};
    const double edges[3] = {L, t, H}, v[3] = {0, rate * x[0], 0}, omega[3] = {0, 0, rate};
    scene s = scene_open();
    s.scheme = *scheme;
    scene_gravity(&s, 0, 0, 0);
    const pcs_system door = scene_box(&s, 5, edges, x, NULL, v, omega);
    scene_rough(&s, door, pcs_shape_box(L, t, H), e, 0, 0.2);
    // beyond its end, or above it
    const bool beyond = seed % 2;
    const double far = beyond ? hypot(L + 0.02, 0.5 * t) + play + p : 0.6 * L;
    pcs_shape post = beyond ? pcs_shape_cylinder(p, 1) : pcs_shape_sphere(p);
    post.position[0] = far * cos(at);
    post.position[1] = far * sin(at);
    post.position[2] = (beyond ? 0 : 0.5 * H + p + play) + (alone ? 100 : 0);
    scene_rough(&s, (pcs_system){0}, post, e, 0, 0.2);
    pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    hinge.system1 = door;
    CK_OK(pcs_model_place_joint(s.m, origin, z, NULL, &hinge));
    CK_OK(pcs_model_add_joint(s.m, &hinge, NULL));
    scene_start(&s);
    for (int i = 0; i < n; ++i) {
        scene_step(&s, h);
        w[i] = scene_v(&s, door)[5];
    }
    scene_close(&s);
}

// A door swings past a fixed post with a little play, with and without restitution: its hinge holds
// it, wherever the ghost of the post would push it
TEST(a_door_passes_a_post)
{
    enum { STEPS = 24 };
    for (int k = 0; k < 2 * TEST_DRAWS(80); ++k) {
        double with[STEPS], without[STEPS];
        const double e = k % 4 < 3 ? 0.5 : 0;
        const int which = k / 4 % 2 ? 0 : SCHEMES - 1;
        const pcs_scheme scheme = scheme_of(which);
        swing(&scheme, (uint64_t)k, e, true, STEPS, without);
        swing(&scheme, (uint64_t)k, e, false, STEPS, with);
        for (int i = 0; i < STEPS; ++i) {
            ck_assert_msg(fabs(with[i] - without[i]) <= 1e-6 * without[0],
                          "scheme %d, door %d, e %g, step %d: %g, not %g", which, k, e, i, with[i],
                          without[i]);
        }
    }
}

static int drive_plate(void *user, double t, double q[7], double v[6])
{
    const double *speed = user;
    memset(q, 0, 7 * sizeof *q);
    memset(v, 0, 6 * sizeof *v);
    q[0] = *speed * t;
    q[2] = -0.05;
    q[3] = 1;
    v[0] = *speed;
    return 0;
}

// A box lies on a plate that moves and passes a fixed beam above with a little play: the plate is
// driven, on a rail, or on one on a rail. The box keeps its speed
TEST(carried_under_a_beam)
{
    for (int k = 0; k < 3 * TEST_DRAWS(160); ++k) {
        test_random r = random_seed((uint64_t)k);
        double speed = random_between(&r, 0.3, 3);
        const double play = random_between(&r, 2e-4, 5e-3), h = random_between(&r, 1e-3, 1e-2);
        const double e = k / 3 % 2 ? 0.5 : 0, half = random_between(&r, 0.03, 0.1), mu = 0.3;
        const double tall = random_between(&r, 0.02, 0.1), flat[3] = {0.6, 0.4, 0.1};
        const double edges[3] = {2 * half, 2 * half, 2 * tall}, v[3] = {speed, 0, 0};
        const double floor = k % 3 == 2 ? 0.1 : 0;
        const double x[3] = {0, 0, floor + tall}, under[3] = {0, 0, -0.05}, along[3] = {1, 0, 0};
        const int which = k / 6 % 2 ? 0 : SCHEMES - 1;
        scene s = scene_open();
        s.scheme = scheme_of(which);
        pcs_system plate;
        if (k % 3 == 0) {
            pcs_body_def def = pcs_body_def_default();
            def.motion = drive_plate;
            def.user = &speed;
            plate = scene_add(&s, &def);
        } else {
            plate = scene_box(&s, random_between(&r, 0.5, 10), flat, under, NULL, v, NULL);
        }
        if (k % 3 > 0) {
            pcs_joint_def rail = pcs_joint_def_default(PCS_JOINT_SLIDER);
            rail.system1 = plate;
            CK_OK(pcs_model_place_joint(s.m, under, along, NULL, &rail));
            CK_OK(pcs_model_add_joint(s.m, &rail, NULL));
        }
        if (k % 3 == 2) {
            const double between[3] = {0, 0, 0.05};
            scene_rough(&s, plate, pcs_shape_box(flat[0], flat[1], flat[2]), e, 0, mu);
            plate = scene_box(&s, random_between(&r, 0.5, 10), flat, between, NULL, v, NULL);
        }
        scene_rough(&s, plate, pcs_shape_box(flat[0], flat[1], flat[2]), e, 0, mu);
        const pcs_system b = scene_box(&s, random_between(&r, 0.2, 5), edges, x, NULL, v, NULL);
        scene_rough(&s, b, pcs_shape_box(edges[0], edges[1], edges[2]), e, 0, mu);
        pcs_shape beam = pcs_shape_box(0.1, 1, 0.1);
        beam.position[0] = half + 0.05 + random_between(&r, 1, 4) * h * speed;
        beam.position[2] = floor + 2 * tall + play + 0.05;
        scene_rough(&s, (pcs_system){0}, beam, e, 0, mu);
        scene_start(&s);
        for (int i = 0; i < 12; ++i) {
            scene_step(&s, h);
            ck_assert_msg(fabs(scene_v(&s, b)[0] - speed) <= 1e-5 * speed,
                          "scheme %d, box %d, e %g, step %d: %g, not %g", which, k, e, i,
                          scene_v(&s, b)[0], speed);
        }
        scene_close(&s);
    }
}

// two balls that pass each other in the air
TEST_OF_SCHEMES(balls_pass_each_other)
{
    for (int phase = 0; phase < 10; ++phase) {
        scene s = scene_open();
        s.scheme = scheme_of(which);
        scene_gravity(&s, 0, 0, 0);
        pcs_system b[2];
        for (int i = 0; i < 2; ++i) {
            const double side = i == 0 ? -1 : 1;
            b[i] = scene_ball(&s, 1 + i, 0.05,
                              (double[3]){side * (0.5 + 0.004 * phase), side * 0.0501, 0},
                              (double[3]){-side * 25, 0, 0});
            scene_shape(&s, b[i], pcs_shape_sphere(0.05), 0.8);
        }
        scene_start(&s);
        for (int i = 0; i < 40; ++i) {
            scene_step(&s, 1e-3);
        }
        for (int i = 0; i < 2; ++i) {
            ck_assert(scene_v(&s, b[i])[0] == (i == 0 ? 25 : -25) && scene_v(&s, b[i])[1] == 0);
        }
        scene_close(&s);
    }
}

// ---- hits -------------------------------------------------------------------------------------

// 100 m/s against a wall of 2 cm with steps of 10 ms, which are a metre long
TEST(thin_walls_hold)
{
    shapes sh;
    shapes_open(&sh);
    test_random r = {5};
    for (int kind = 0; kind < BODIES; ++kind) {
        for (int k = 0; k < 12; ++k) {
            scene s = scene_open();
            s.scheme = scheme_of(k % 2 ? 0 : k % 4 ? SCHEMES - 2 : SCHEMES - 1);
            pcs_geometry *own;
            const pcs_shape shape = small_shape(&sh, kind, &own);
            double Q[4] = {1, 0, 0, 0}, omega[3] = {0};
            for (int i = 0; k > 3 && i < 4; ++i) {
                Q[i] = random_between(&r, -1, 1);
                if (i < 3) omega[i] = random_between(&r, -20, 20);
            }
            const double edges[3] = {0.1, 0.1, 0.1};
            const double x[3] = {-1.5 - 0.09 * k, random_between(&r, -0.5, 0.5), 0};
            const pcs_system b = scene_box(&s, 1, edges, x, Q, (double[3]){100, 0, 0}, omega);
            scene_gravity(&s, 0, 0, 0);
            const double e = k % 3 ? 0 : 0.5;
            scene_shape(&s, b, shape, e);
            scene_shape(&s, (pcs_system){0}, pcs_shape_box(0.02, 4, 4), e);
            scene_start(&s);
            for (int i = 0; i < 8; ++i) {
                scene_step(&s, 1e-2);
                ck_assert_msg(scene_q(&s, b)[0] < 0, "%s %d: through the wall, x = %g",
                              kind_name[kind], k, scene_q(&s, b)[0]);
            }
            ck_assert(scene_v(&s, b)[0] < 1);
            scene_close(&s);
            pcs_geometry_destroy(own);
        }
    }
    shapes_close(&sh);
}

// the shapes of a body about G, and the radius of a ball that holds them
static double put_spinner(scene *s, pcs_system b, test_random *r, int parts, double size, double e)
{
    double far = 0;
    for (int i = 0; i < parts; ++i) {
        const int kind = (int)random_between(r, 0, 3);
        const double radius = size * random_between(r, 0.1, 0.3), length = size;
        pcs_shape shape = kind == 0   ? pcs_shape_capsule(radius, length)
                          : kind == 1 ? pcs_shape_cylinder(radius, length)
                                      : pcs_shape_box(radius, 2 * radius, length);
        for (int k = 0; k < 4; ++k) {
            shape.orientation[k] = random_between(r, -1, 1);
            if (k < 3 && parts > 1) shape.position[k] = size * random_between(r, -0.3, 0.3);
        }
        far = fmax(far, v3_norm(shape.position) + 0.5 * length + 2 * radius);
        scene_shape(s, b, shape, e);
    }
    return far;
}

// What an impact lets turn by some radians in a step: what its end does at the start of the step
// says nothing about the wall, and the end of the step finds the body behind the wall, at its back.
TEST(thin_walls_hold_what_spins)
{
    test_random r = {1};
    for (int k = 0; k < TEST_FEW(16, 400); ++k) {
        scene s = scene_open();
        s.scheme = k % 2 ? pcs_scheme_default() : pcs_scheme_dense(1e-8, 0.1);
        scene_gravity(&s, 0, 0, 0);
        const double size = random_between(&r, 0.03, 0.1), e = k % 4 < 3 ? 0 : 0.5;
        const double v[3] = {random_between(&r, 10, 150), random_between(&r, -30, 30),
                             random_between(&r, -30, 30)};
        const double h = random_between(&r, 2e-3, 1e-2), thick = random_between(&r, 2e-3, 1e-2);
        const double x[3] = {-2 * size - random_between(&r, 0, 2) * h * v[0], 0, 0};
        double Q[4], omega[3];
        for (int i = 0; i < 4; ++i) {
            Q[i] = random_between(&r, -1, 1);
            if (i < 3) omega[i] = random_between(&r, -400, 400);
        }
        const pcs_system b =
            scene_box(&s, 1, (double[3]){size, 0.8 * size, 0.6 * size}, x, Q, v, omega);
        const int parts = 1 + k % 3;
        const double far = put_spinner(&s, b, &r, parts, size, e);
        scene_shape(&s, (pcs_system){0}, pcs_shape_box(thick, 40, 40), e);
        scene_start(&s);
        for (int i = 0; i < 6; ++i) {
            const double left = s.report.penetration;
            scene_step(&s, h);
            ck_assert_double_le(s.report.penetration_before, left + 1e-9);
            ck_assert_msg(scene_q(&s, b)[0] < far, "%d: x = %g m", k, scene_q(&s, b)[0]);
            // each pass follows the path of a pair once
            const pcs_contact *all;
            ck_assert_int_le(scene_contacts(&s, &all), 10 * parts * PCS_FEATURES_MAX);
        }
        scene_close(&s);
    }
}

// A beam, or a tub of five boxes, turns by 0.1 to 1 rad in a step beside rails. Rows at the places
// where it meets them have gaps that follow from its path: none says that the shapes overlap at the
// start of the step, or by more than they do there.
TEST(what_turns_fast_is_apart_until_it_meets)
{
    enum { PARTS = 5, RAILS = 3 };
    const double L = 0.5, tol = 1e-9;
    for (int k = 0; k < TEST_FEW(40, 400); ++k) {
        test_random r = random_seed((uint64_t)k);
        scene s = scene_open();
        s.scheme = pcs_scheme_dense(1e-8, 0.1);
        s.scheme.halvings = 0; // q is where the step starts, and not where a part of it does
        s.scheme.accept_unconverged = true; // wedged bodies that rebound may have no solution
        const double h = random_between(&r, 1e-3, 1e-2), turn = random_between(&r, 0.1, 1);
        const double e = k % 2 ? 0.5 : 0, half = random_between(&r, 0, 4);
        const double x[3] = {0, 0, random_between(&r, 0.1, 1) * L},
                     edges[3] = {L, 0.3 * L, 0.5 * L};
        const double v[3] = {random_between(&r, -2, 2), 0, random_between(&r, -5, 0)};
        const double Q[4] = {cos(half), 0, sin(half), 0};
        const pcs_system b = scene_box(&s, 1, edges, x, Q, v, (double[3]){0, turn / h, 0});
        pcs_shape part[PARTS + RAILS];
        const int parts = k % 4 < 2 ? 1 : PARTS;
        double apart = INFINITY;
        for (int i = 0; i < parts + RAILS; ++i) {
            // its bottom, its ends, its sides; the rails
            const int end = i == 1 ? 1 : i == 2 ? -1 : 0, side = i == 3 ? 1 : i == 4 ? -1 : 0;
            part[i] = i == 0
                          ? pcs_shape_box(L, 0.3 * L, 0.05 * L)
                          : pcs_shape_box(end ? 0.05 * L : L, side ? 0.05 * L : 0.3 * L, 0.4 * L);
            part[i].position[0] = 0.5 * L * end;
            part[i].position[1] = 0.15 * L * side;
            part[i].position[2] = i == 0 ? 0 : 0.2 * L;
            if (i >= parts) {
                part[i] = pcs_shape_box(random_between(&r, 0.02, 0.3) * L, 4 * L, 0.1 * L);
                part[i].position[0] = random_between(&r, -1, 1) * L;
                part[i].position[2] = random_between(&r, -0.6, 0) * L;
            }
            scene_shape(&s, i < parts ? b : (pcs_system){0}, part[i], e);
        }
        scene_start(&s);
        for (int i = 0; i < parts * RAILS; ++i) {
            apart = fmin(apart, pair_gap(&part[i / RAILS], scene_q(&s, b), &part[parts + i % RAILS],
                                         NULL, 10));
        }
        for (int i = 0; i < 8 && apart > 0; ++i) {
            double q[7], deep = 0;
            memcpy(q, scene_q(&s, b), sizeof q);
            scene_step(&s, h);
            const pcs_contact *all;
            const int n = scene_contacts(&s, &all);
            for (int c = 0; c < n; ++c) {
                const double g = pair_gap(&part[all[c].shape1], q, &part[all[c].shape2], NULL, 10);
                deep = fmax(deep, -g);
                ck_assert_msg(all[c].gap >= fmin(0, g) - tol, "%d, step %d: %g m, not %g m", k, i,
                              all[c].gap, g);
            }
            ck_assert_double_le(s.report.penetration_before, deep + tol);
            ck_assert(deep > 1e-3 || s.report.doubt[PCS_DOUBT_OVERLAP].count == 0);
        }
        scene_close(&s);
    }
}

// A ball hits a rod or a box, which is thrown over a second one that was out of its reach. In the
// step of the impact they overlap at the end, or have passed each other, and features that face
// each other there overlap at the start. But the shapes are apart until they meet: no contact says
// otherwise.
TEST(what_an_impact_throws_is_apart_until_it_meets)
{
    const double tol = 1e-9;
    for (int k = 0; k < TEST_FEW(60, 600); ++k) {
        test_random r = random_seed((uint64_t)k);
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        s.scheme.halvings = 0; // q is where the step starts, and not where a part of it does
        s.scheme.accept_unconverged = true; // rods that turn by radians may lock
        const double L = random_between(&r, 0.2, 0.4), d = random_between(&r, 0.04, 0.08);
        const double R = 0.05, h = random_between(&r, 5e-3, 2e-2), v = random_between(&r, 5, 20);
        const double edges[3] = {d, d, L}, still[3] = {0};
        pcs_system b[3];
        pcs_shape part[3];
        double at = 0;
        scene_gravity(&s, 0, 0, 0);
        for (int i = 0; i < 2; ++i) {
            double Q[4] = {1, 0, 0, 0};
            for (int c = 1; c < 4; ++c) {
                Q[c] = (k % 2 ? 0.5 : 0.02) * random_between(&r, -1, 1);
            }
            part[i] = k % 3 ? pcs_shape_cylinder(0.5 * d, L) : pcs_shape_box(d, d, L);
            const double x[3] = {at, random_between(&r, -0.2, 0.2) * d, 0};
            b[i] = scene_box(&s, 1, edges, x, Q, still, still);
            scene_shape(&s, b[i], part[i], 0);
            at += random_between(&r, 2, 4) * d;
        }
        const double from[3] = {-R - d - random_between(&r, 0, 1) * v * h,
                                random_between(&r, -0.3, 0.3) * d,
                                random_between(&r, -0.4, 0.4) * L};
        part[2] = pcs_shape_sphere(R);
        b[2] = scene_solid_ball(&s, random_between(&r, 1, 30), R, from, (double[3]){v, 0, 0}, 0);
        scene_start(&s);
        for (int i = 0; i < 4; ++i) {
            double q[3][7], deep = 0;
            for (int c = 0; c < 3; ++c) {
                memcpy(q[c], scene_q(&s, b[c]), sizeof q[c]);
            }
            scene_step(&s, h);
            const pcs_contact *all;
            const int n = scene_contacts(&s, &all);
            for (int c = 0; c < n; ++c) {
                const int one = all[c].shape1, two = all[c].shape2;
                const double g = pair_gap(&part[one], q[one], &part[two], q[two], 10);
                deep = fmax(deep, -g);
                ck_assert_msg(all[c].gap >= fmin(0, g) - tol, "%d, step %d: %g m, not %g m", k, i,
                              all[c].gap, g);
            }
            ck_assert_double_le(s.report.penetration_before, deep + tol);
            ck_assert(deep > 1e-3 || s.report.doubt[PCS_DOUBT_OVERLAP].count == 0);
        }
        scene_close(&s);
    }
}

// A ball grazes the edge of a box by `depth`: the normal there is that of the closed form, and the
// ball loses its velocity along this normal, wherever the step starts. The gap of the row is that
// along this normal.
TEST(a_graze_has_its_own_normal)
{
    const double R = 0.05, v = 50, h = 1e-3;
    for (int phase = 0; phase < 10; ++phase) {
        for (int k = 0; k < 3; ++k) {
            const double depth = k == 0 ? 1e-3 : k == 1 ? 5e-3 : 2e-2, e = k == 1 ? 0.5 : 0;
            scene s = scene_open();
            s.scheme = pcs_scheme_dense(1e-10, 0.1);
            scene_gravity(&s, 0, 0, 0);
            const double x[3] = {-1.2 - 0.1 * phase * h * v, 0, R - depth};
            const pcs_system b = scene_solid_ball(&s, 1, R, x, (double[3]){v, 0, 0}, e);
            pcs_shape fixed = pcs_shape_box(1, 1, 1);
            fixed.position[2] = -0.5;
            scene_shape(&s, (pcs_system){0}, fixed, e);
            scene_start(&s);
            for (int i = 0; i < 40; ++i) {
                double from[3];
                v3_sub(scene_q(&s, b), (double[3]){-0.5, 0, 0}, from);
                scene_step(&s, h);
                const pcs_contact *c;
                for (int n = scene_contacts(&s, &c); n-- > 0;) {
                    // from the edge to the ball, at the start of the step
                    if (c[n].r[0] > 0) CK_NEAR(c[n].gap, v3_dot(c[n].F, from) - R, 1e-9);
                }
            }
            // N = (-sin a, cos a) with cos a = (R - depth) / R; v' = v - (1 + e) (v . N) N. The row
            // is made at an overlap of proj_tol, where d cos a = proj_tol / R; where its normal
            // differs from that of q_k by less than 0.1 rad, the approach is only reduced to the
            // remaining gap
            const double c = (R - depth) / R, sn = sqrt(1 - c * c);
            const double vn = -v * sn, vx = v + (1 + e) * vn * sn, vz = -(1 + e) * vn * c;
            const double tol = fmax(0.005 * v, 4 * (1 + e) * v * s.scheme.proj_tol / (R * sn));
            CK_NEAR(scene_v(&s, b)[0], vx, tol);
            CK_NEAR(scene_v(&s, b)[2], vz, tol);
            scene_close(&s);
        }
    }
}

// A ball that touches a fixed one just before the end of a step has the normal of that touch, as at
// any other time of the step: v' = v - 2 (v . N) N, to 0.01 rad of N
TEST(a_late_touch_has_its_own_normal)
{
    static const double late[6] = {0.5, 0.9, 0.99, 0.996, 0.999, 0.9999};
    const double R = 0.05, A = 0.2, v = 10, h = 1e-3, aside = 0.85 * (R + A);
    const double before = sqrt((R + A) * (R + A) - aside * aside);
    for (int k = 0; k < 6; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        const double x[3] = {-before - v * h * (4 + late[k]), 0, aside};
        const pcs_system b = scene_solid_ball(&s, 1, R, x, (double[3]){v, 0, 0}, 1);
        scene_shape(&s, (pcs_system){0}, pcs_shape_sphere(A), 1);
        scene_start(&s);
        for (int i = 0; i < 10; ++i) {
            scene_step(&s, h);
        }
        const double N[3] = {-before / (R + A), 0, aside / (R + A)}, vn = v * N[0];
        const double *now = scene_v(&s, b);
        CK_NEAR(now[0], v - 2 * vn * N[0], 0.025 * v);
        CK_NEAR(now[2], -2 * vn * N[2], 0.025 * v);
        scene_close(&s);
    }
}

static pcs_shape tossed_shape(int kind, double size)
{
    if (kind == 0) return pcs_shape_sphere(0.5 * size);
    if (kind == 1) return pcs_shape_box(size, 0.8 * size, 0.7 * size);
    if (kind == 2) return pcs_shape_capsule(size / 3, size);
    return pcs_shape_cylinder(0.5 * size, size);
}

// One body lies on a floor, or flies, and another one falls on it at an angle: the first rests by
// theta = 1, the second moves by theta = 1/2. The numbers of the bodies change nothing. The gap of
// two balls is that of their centres along N, which the step closes, unless its law acts at once.
TEST(an_impact_does_not_depend_on_the_order_of_the_bodies)
{
    enum { STEPS = 150 };
    const double h = 2e-3, still[3] = {0};
    int impacts = 0;
    for (int k = 0; k < TEST_FEW(64, 400); ++k) {
        double v[2][12] = {{0}}, most = 0;
        int last[2] = {-1, -1};
        for (int order = 0; order < 2; ++order) {
            test_random r = random_seed((uint64_t)k);
            scene s = scene_open();
            s.scheme = pcs_scheme_default();
            s.scheme.solver.tol = 1e-12;
            const bool lies = k % 4 > 0, balls = k % 8 < 4;
            const double mu = k % 2 ? 0.5 : 0;
            double x[2][3] = {{0}}, Q[4], fall[3], omega[3], size[2], mass[2];
            pcs_shape part[2];
            pcs_system b[2];
            for (int i = 0; i < 2; ++i) {
                size[i] = random_between(&r, 0.06, 0.12);
                mass[i] = pow(10, random_between(&r, -2, 1));
                part[i] = tossed_shape(balls ? 0 : (int)random_between(&r, 0, 4), size[i]);
            }
            for (int i = 0; i < 4; ++i) {
                Q[i] = random_between(&r, -1, 1);
                if (i == 3) break;
                x[1][i] = i < 2 ? random_between(&r, -0.05, 0.05) : 0.2;
                fall[i] = i < 2 ? random_between(&r, -0.3, 0.3) : random_between(&r, -1.5, 0);
                omega[i] = balls ? 0 : random_between(&r, -4, 4);
            }
            // capsules lie on their side
            const double turn = part[0].kind == PCS_SHAPE_CAPSULE ? sqrt(0.5) : 1;
            const double flat[4] = {turn, sqrt(1 - turn * turn), 0, 0};
            x[0][2] =
                part[0].kind == PCS_SHAPE_SPHERE || turn < 1 ? part[0].radius : part[0].half[2];
            for (int i = 0; i < 2; ++i) {
                const int of = order ? 1 - i : i;
                const double edges[3] = {size[of], size[of], size[of]};
                b[of] = scene_box(&s, mass[of], edges, x[of], of ? Q : flat, of ? fall : still,
                                  of ? omega : still);
                scene_rough(&s, b[of], part[of], 0, 0, mu);
            }
            const double up[3] = {0, 0, 1};
            if (lies) scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(up, 0), 0, 0, mu);
            scene_start(&s);
            for (int i = 0; i < STEPS && last[order] < 0; ++i) {
                double from[3], to[3];
                v3_sub(scene_q(&s, b[1]), scene_q(&s, b[0]), from);
                scene_step(&s, h);
                v3_sub(scene_q(&s, b[1]), scene_q(&s, b[0]), to);
                const pcs_contact *c;
                for (int n = scene_contacts(&s, &c); n-- > 0;) {
                    if (!c[n].system1.id || !c[n].system2.id || !(c[n].r[0] > 0)) continue;
                    last[order] = i;
                    if (!balls) continue;
                    const double sign = c[n].system1.id == b[1].id ? 1 : -1;
                    const double both = 0.5 * (size[0] + size[1]);
                    CK_NEAR(c[n].gap, sign * v3_dot(c[n].F, from) - both, 1e-12);
                    // it acts at once, or ends at 0 along N; beside N the balls move by less than h
                    // times 3 m/s
                    if (fabs(c[n].u[0]) < 1e-9) continue;
                    CK_NEAR(sign * v3_dot(c[n].F, to), both, 1e-9);
                    ck_assert_double_le(v3_norm(to) - both, 2 * (3 * h) * (3 * h) / both);
                }
            }
            for (int i = 0; i < 12; ++i) {
                v[order][i] = scene_v(&s, b[i / 6])[i % 6] * (i % 6 < 3 ? 1 : size[i / 6]);
                most = fmax(most, fabs(v[order][i]));
            }
            scene_close(&s);
        }
        ck_assert_int_eq(last[0], last[1]);
        impacts += last[0] >= 0;
        for (int i = 0; i < 12; ++i) {
            ck_assert_msg(fabs(v[0][i] - v[1][i]) <= 1e-9 * most, "%d: v %d is %g and %g", k, i,
                          v[0][i], v[1][i]);
        }
    }
    ck_assert_int_ge(impacts, 40);
}
