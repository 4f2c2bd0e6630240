// Contacts that are not there: a body that passes another one moves as if it were alone, thin walls
// stop fast bodies, and edges between neighbours in one plane have no effect.
#include "scene.h"
#include "surfaces.h"

#include <math.h>
#include <string.h>

// ---- shapes -----------------------------------------------------------------------------------

enum { SPHERE, BOX, CAPSULE, CYLINDER, HULL, MESH, FIELD, KINDS, BODIES = MESH };

static const char *const kind_name[KINDS] = {"sphere", "box",  "capsule",     "cylinder",
                                             "hull",   "mesh", "height field"};

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

enum { SCHEMES = 8 };

static pcs_scheme scheme_of(int which)
{
    pcs_scheme s = pcs_scheme_dense(1e-8, 0.1);
    if (which == 0) return s;
    if (which == SCHEMES - 1) return pcs_scheme_default();
    s = pcs_scheme_moreau_jean();
    switch (which) {
    case 1:
        break;
    case 2:
        s.gamma = 1;
        s.theta = 1;
        s.projection = PCS_PROJECTION_DIRECT;
        break;
    case 3:
        s.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
        break;
    case 4:
        s.projection = PCS_PROJECTION_COMBINED;
        break;
    case 5:
        s.projection = PCS_PROJECTION_COMBINED_EQUALITY;
        break;
    default:
        s.theta = 1;
        s.activation = PCS_ACTIVATION_SPECULATIVE;
        s.projection = PCS_PROJECTION_DIRECT;
        break;
    }
    return s;
}

// runs the test with each scheme; `which` is the number of the scheme
#define TEST_OF_SCHEMES(name)               \
    static void name##_with(int which);     \
    TEST(name)                              \
    {                                       \
        for (int k = 0; k < SCHEMES; ++k) { \
            name##_with(k);                 \
        }                                   \
    }                                       \
    static void name##_with(int which)

// over the top, at 50 m/s, at any phase of the step; upright, so that the clearance is known
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
TEST_OF_SCHEMES(turning_bodies_pass)
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
TEST_OF_SCHEMES(turning_over_a_plane)
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

// between two boxes: no row of one box may stop the plate because of the other
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

// A capsule that rotates by some radians in a step: the velocity of its end at the start of the
// step has no relation to the wall, and at the end of the step the capsule is behind the wall.
TEST(thin_walls_hold_what_spins)
{
    for (int k = 0; k < 20; ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, 0);
        pcs_body_def def = pcs_body_def_default();
        const double Q[4] = {0.663808, 0.589583, 0.325071, 0.325698}, v[3] = {5.188, -18, -5.67};
        const double omega[3] = {-12.9, -897.5 + 0.05 * k, 104.6};
        def.position[0] = -0.0272;
        memcpy(def.orientation, Q, sizeof Q);
        memcpy(def.velocity, v, sizeof v);
        memcpy(def.omega, omega, sizeof omega);
        def.inertia[0] = 1.604e-4;
        def.inertia[4] = 1.233e-4;
        def.inertia[8] = 9.724e-5;
        pcs_system b;
        CK_OK(pcs_model_add_body(s.m, &def, &b));
        scene_shape(&s, b, pcs_shape_capsule(0.010852, 0.028916), 0.5);
        pcs_shape wall = pcs_shape_cylinder(20, 0.00247);
        wall.orientation[2] = 1; // its axis along x
        scene_shape(&s, (pcs_system){0}, wall, 0.5);
        scene_start(&s);
        for (int i = 0; i < 4; ++i) {
            scene_step(&s, 0.00968566);
            ck_assert_msg(scene_q(&s, b)[0] < 0.012, "%d: x = %g", k, scene_q(&s, b)[0]);
        }
        scene_close(&s);
    }
}

// A ball grazes the edge of a box by `depth`: the normal there is that of the closed form, and the
// ball loses its velocity along this normal, wherever the step starts.
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
                scene_step(&s, h);
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

// ---- inner edges ------------------------------------------------------------------------------

enum { BOXES, HULLS, TURNED, SUNK, FIXED_BODIES, MESHES, FIELDS, COMPOUND, FLOORS };

// a box of 0.5 x 2 x 1 m
static pcs_geometry *mesh_tile(void)
{
    static surface_lists box;
    const double half[3] = {0.25, 1, 0.5};
    box_surface(half, 2, &box);
    return make_mesh(&box);
}

// stores the geometry that it makes in *own
static void lay_floor(scene *s, int floor, double gap, double e, pcs_geometry **own)
{
    *own = NULL;
    if (floor == SUNK) {
        // a plate sunk into the ground
        pcs_shape plate = pcs_shape_box(0.5, 0.7, 0.1);
        plate.position[0] = 0.9;
        plate.position[2] = -0.05;
        scene_shape(s, (pcs_system){0}, plate, e);
        scene_ground(s, e);
        return;
    }
    if (floor == HULLS) {
        const double p[8][3] = {{-0.25, -1, 0}, {0.25, -1, 0}, {-0.25, 1, 0}, {0.25, 1, 0},
                                {-0.3, -1, -1}, {0.3, -1, -1}, {-0.3, 1, -1}, {0.3, 1, -1}};
        CK_OK(pcs_geometry_create_hull(NULL, 8, p[0], own));
    } else if (floor == MESHES) {
        *own = mesh_tile();
    } else if (floor == FIELDS) {
        const double heights[15] = {0};
        CK_OK(pcs_geometry_create_height_field(NULL, 3, 5, 0.25, 0.5, heights, own));
    }
    pcs_system body = {0};
    pcs_body_def fixed = pcs_body_def_default();
    fixed.fixed = true;
    if (floor == COMPOUND) CK_OK(pcs_model_add_body(s->m, &fixed, &body));
    for (int i = -4; i < 12; ++i) {
        pcs_shape tile = pcs_shape_box(0.5, 2, 1);
        double x[3] = {i * (0.5 + gap), 0, -0.5};
        if (floor == HULLS) {
            tile = pcs_shape_hull(*own);
            x[2] = 0;
        } else if (floor == MESHES) {
            tile = pcs_shape_mesh(*own);
        } else if (floor == FIELDS) {
            tile = pcs_shape_height_field(*own);
            x[0] -= 0.25, x[1] = -1, x[2] = 0;
        } else if (floor == TURNED) {
            // wide boxes that overlap their neighbours, rotated about z
            tile = pcs_shape_box(0.6, 3, 1);
            const double a = i % 2 ? 0.05 : -0.03;
            tile.orientation[0] = cos(a / 2);
            tile.orientation[3] = sin(a / 2);
        }
        if (floor == FIXED_BODIES) {
            memcpy(fixed.position, x, sizeof x);
            CK_OK(pcs_model_add_body(s->m, &fixed, &body));
        } else {
            memcpy(tile.position, x, sizeof x);
        }
        scene_shape(s, body, tile, e);
    }
}

enum { PLAIN, TWO_PARTS }; // of one shape, or of two shapes side by side

// the sliding shape, 0.2 m long and 0.1 m high (a sphere: 0.2 m), on z = 0
static pcs_system put_slider(scene *s, int kind, int parts, double x0, double speed, double e)
{
    const double edges[3] = {0.2, 0.2, 0.1}, v[3] = {speed, 0, 0};
    const double x[3] = {x0, 0.01, kind == SPHERE ? 0.1 : 0.05};
    if (kind == SPHERE) {
        const pcs_system b = scene_solid_ball(s, 1, 0.1, x, v, e);
        return b;
    }
    const pcs_system b = scene_box(s, 1, edges, x, NULL, v, NULL);
    for (int i = 0; i <= parts; ++i) {
        pcs_shape shape = pcs_shape_box(parts ? 0.1 : 0.2, 0.2, 0.1);
        if (kind == CYLINDER) shape = pcs_shape_cylinder(0.1, 0.1);
        if (parts) shape.position[0] = i ? 0.05 : -0.05;
        scene_shape(s, b, shape, e);
    }
    return b;
}

typedef struct slide {
    int which, floor, kind, parts;
    double gap, speed, e, h, tol;
} slide;

// slides without friction over 1.6 m of floor
static void slide_over(const slide *f)
{
    scene s = scene_open();
    s.scheme = scheme_of(f->which);
    pcs_geometry *own;
    lay_floor(&s, f->floor, f->gap, f->e, &own);
    const pcs_system b = put_slider(&s, f->kind, f->parts, 0.1, f->speed, f->e);
    scene_start(&s);
    const int steps = (int)(fmin(4, 1.6 / f->speed) / f->h);
    for (int i = 0; i < steps; ++i) {
        scene_step(&s, f->h);
    }
    ck_assert_msg(fabs(scene_v(&s, b)[0] - f->speed) <= f->tol * f->speed,
                  "scheme %d, floor %d, gap %g, %s of %d, speed %g, e %g, h %g: %.9g m/s, z %g",
                  f->which, f->floor, f->gap, kind_name[f->kind], 1 + f->parts, f->speed, f->e,
                  f->h, scene_v(&s, b)[0], scene_q(&s, b)[2]);
    scene_close(&s);
    pcs_geometry_destroy(own);
}

TEST(seams_are_not_felt)
{
    for (int floor = 0; floor < FLOORS; ++floor) {
        for (int k = 0; k < TEST_DRAWS(8); ++k) {
            slide f = {.floor = floor, .kind = k % 2 ? BOX : SPHERE, .parts = k % 2 && k & 2};
            f.e = k & 2 ? 0.5 : 0;
            f.speed = k & 4 ? 0.3 : 2;
            f.h = f.speed > 1 ? 1e-3 : 5e-3;
            f.tol = 1e-7;
            slide_over(&f);
            f.h = 5e-3;
            slide_over(&f);

            // A ball dips into a gap of width w by w^2 / 8 R; the impact on its other edge takes at
            // most (1 + e) v (w / R)^2 / 2
            f.gap = 1e-4;
            if (f.kind == SPHERE) f.tol = 1e-5;
            slide_over(&f);
        }
    }
}

// boxes, bodies of two parts, balls and standing cylinders; a ball with e > 0 rises from the floor
// a little under some rules, and lands on the next tile
TEST(seams_are_not_felt_in_any_scheme)
{
    for (int which = 0; which < SCHEMES; ++which) {
        for (int floor = 0; floor < FLOORS; ++floor) {
            slide f = {.which = which, .floor = floor, .kind = BOX, .speed = 2, .tol = 1e-6};
            f.parts = (which + floor) % 2;
            f.h = 5e-3;
            slide_over(&f);
            f.parts = PLAIN;
            f.kind = (which + floor) % 2 ? CYLINDER : SPHERE;
            slide_over(&f);
            f.kind = SPHERE;
            f.e = 0.5;
            slide_over(&f);
        }
    }
}

// ---- steps down and ramps -----------------------------------------------------------------------

// each tile lies 0.1 mm lower than the previous one: no speed is lost, and the gain is no more than
// the energy of the drop
TEST(steps_down_take_no_speed)
{
    for (int which = 0; which < SCHEMES; ++which) {
        // active contacts as equalities: they would hold the body on both tiles
        if (which == 5) continue;
        for (int kind = 0; kind < 2; ++kind) {
            scene s = scene_open();
            s.scheme = scheme_of(which);
            for (int i = -1; i < 6; ++i) {
                pcs_shape tile = pcs_shape_box(0.5, 2, 1);
                tile.position[0] = 0.5 * i;
                tile.position[2] = -0.5 - 1e-4 * i;
                scene_shape(&s, (pcs_system){0}, tile, 0);
            }
            const pcs_system b = put_slider(&s, kind ? CYLINDER : BOX, PLAIN, 0.1, 2, 0);
            scene_start(&s);
            for (int i = 0; i < 160; ++i) {
                scene_step(&s, 5e-3);
            }
            const double most = sqrt(4 + 2 * 9.81 * 4e-4);
            ck_assert_msg(scene_v(&s, b)[0] > 2 - 1e-3 && scene_v(&s, b)[0] < most,
                          "scheme %d, %d: %.9g m/s", which, kind, scene_v(&s, b)[0]);
            scene_close(&s);
        }
    }
}

enum { TILTED_BOX, WEDGE, FIELD_RAMP, MESH_RAMP, RAMPS };

// a floor to x = 0.75 m, and from there a ramp of the angle a
static void lay_ramp(scene *s, int ramp, double a, pcs_geometry **own)
{
    const double x0 = 0.75, rise = 2 * tan(a);
    const pcs_system world = {0};
    *own = NULL;
    pcs_shape shape;
    if (ramp == FIELD_RAMP) {
        double heights[6 * 3];
        for (int i = 0; i < 18; ++i) {
            heights[i] = fmax(0, i % 6 - 1) * rise / 2;
        }
        CK_OK(pcs_geometry_create_height_field(NULL, 6, 3, 1, 1, heights, own));
        shape = pcs_shape_height_field(*own);
        shape.position[0] = x0 - 1;
        shape.position[1] = -1;
        scene_shape(s, world, shape, 0);
        return;
    }
    if (ramp == MESH_RAMP) {
        const double v[6][3] = {{-1, -1, 0}, {-1, 1, 0},         {x0, -1, 0},
                                {x0, 1, 0},  {x0 + 2, -1, rise}, {x0 + 2, 1, rise}};
        const int t[4][3] = {{0, 2, 1}, {1, 2, 3}, {2, 4, 3}, {3, 4, 5}};
        CK_OK(pcs_geometry_create_mesh(NULL, 6, v[0], 4, t[0], own));
        scene_shape(s, world, pcs_shape_mesh(*own), 0);
        return;
    }
    for (int i = -2; i < 2; ++i) {
        shape = pcs_shape_box(0.5, 2, 1);
        shape.position[0] = 0.5 * i;
        shape.position[2] = -0.5;
        scene_shape(s, world, shape, 0);
    }
    if (ramp == WEDGE) {
        const double p[8][3] = {{x0, -1, 0},        {x0, 1, 0},       {x0 + 2, -1, rise},
                                {x0 + 2, 1, rise},  {x0, -1, -0.5},   {x0, 1, -0.5},
                                {x0 + 2, -1, -0.5}, {x0 + 2, 1, -0.5}};
        CK_OK(pcs_geometry_create_hull(NULL, 8, p[0], own));
        shape = pcs_shape_hull(*own);
    } else {
        shape = pcs_shape_box(2, 2, 1);
        shape.position[0] = x0 + cos(a) + 0.5 * sin(a);
        shape.position[2] = sin(a) - 0.5 * cos(a);
        shape.orientation[0] = cos(a / 2);
        shape.orientation[2] = -sin(a / 2);
    }
    scene_shape(s, world, shape, 0);
}

// The velocity along x after the body meets the ramp. A ball keeps the component along the ramp. A
// body of 0.2 x 0.1 m gets p1 at its front along the normal of the ramp and p2 at its back along
// that of the floor; both points come to rest along the normal (e = 0).
static double after_ramp(int kind, double a, double v)
{
    const double s = sin(a), c = cos(a), l = 0.1, d = 0.05, I = (0.2 * 0.2 + 0.1 * 0.1) / 12;
    if (kind == SPHERE) return v * c * c;
    // moments about y of (-s, 0, c) at (l, 0, -d) and of (0, 0, 1) at (-l, 0, -d)
    const double m1 = d * s - l * c, m2 = l;
    const double W11 = 1 + m1 * m1 / I, W12 = c + m1 * m2 / I, W22 = 1 + m2 * m2 / I;
    return v - s * (s * v * W22 / (W11 * W22 - W12 * W12));
}

// at any phase, on the plane of the floor or 20 um within it, as a projection may leave it
TEST(ramps_are_met_on_their_tops)
{
    const double v = 2, h = 5e-3;
    for (int which = 0; which < SCHEMES; ++which) {
        // active contacts as equalities: they would hold the body on floor and ramp at once
        if (which == 5) continue;
        for (int k = 0; k < RAMPS * 3 * 3; ++k) {
            const int ramp = k % RAMPS, phase = k / RAMPS % 3, kind = k / RAMPS / 3;
            const double a = phase == 2 ? 0.2 : 0.1;
            scene s = scene_open();
            s.scheme = scheme_of(which);
            pcs_geometry *own;
            lay_ramp(&s, ramp, a, &own);
            const int body = kind == 0 ? SPHERE : kind == 1 ? BOX : CYLINDER;
            const pcs_system b = put_slider(&s, body, PLAIN, 0.5 + 0.0031 * phase, v, 0);
            scene_start(&s);
            if (phase) scene_q(&s, b)[2] -= 2e-5;
            const double front = body == SPHERE ? -0.1 * tan(a / 2) : 0.1;
            while (scene_q(&s, b)[0] + front < 0.77) {
                scene_step(&s, h);
                ck_assert_msg(scene_v(&s, b)[0] > 0.5 * v,
                              "scheme %d, ramp %d, phase %d, %s: %g m/s", which, ramp, phase,
                              kind_name[body], scene_v(&s, b)[0]);
            }
            // gravity adds at most g sin(a) in each of the four steps on the ramp
            const double tol = 0.005 * v + 5 * h * 9.81 * sin(a);
            ck_assert_msg(fabs(scene_v(&s, b)[0] - after_ramp(body, a, v)) <= tol,
                          "scheme %d, ramp %d, phase %d, %s: %.9g m/s, not %.9g", which, ramp,
                          phase, kind_name[body], scene_v(&s, b)[0], after_ramp(body, a, v));
            scene_close(&s);
            pcs_geometry_destroy(own);
        }
    }
}
