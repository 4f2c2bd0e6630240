// Contacts that are not there: a body that passes another one moves as if it were alone, fast
// bodies are stopped by thin walls, and the edges between neighbours that lie in one plane are not
// felt.
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

// a shape of 1 m about the origin; the top of all is at z = 0.5 but for the height field, z = 0
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

// what flies: a tenth of that
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

// the velocity of what flies, past the obstacle or (kind < 0) alone
static void fly(const shapes *sh, const flight *f, bool alone, double v[6], double q[7])
{
    scene s;
    scene_open(&s);
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

// over the top, at 50 m/s, at any phase of the step; upright, so that the clearance is known
static void over_the_edge_with(int which)
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

START_TEST(over_the_edge)
{
    for (int which = 0; which < SCHEMES; ++which) {
        over_the_edge_with(which);
    }
}
END_TEST

// falling past the side of a shelf with a clearance of 1 mm
static void past_a_shelf_with(int which)
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

START_TEST(past_a_shelf)
{
    for (int which = 0; which < SCHEMES; ++which) {
        past_a_shelf_with(which);
    }
}
END_TEST

// turning, with the ball round it 0.2 mm clear
static void turning_bodies_pass_with(int which)
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

START_TEST(turning_bodies_pass)
{
    for (int which = 0; which < SCHEMES; ++which) {
        turning_bodies_pass_with(which);
    }
}
END_TEST

// between two boxes: neither may hold it up for the sake of the other
static void through_a_slot_with(int which)
{
    for (int phase = 0; phase < 10; ++phase) {
        scene s;
        scene_open(&s);
        s.scheme = scheme_of(which);
        scene_gravity(&s, 0, 0, 0);
        const pcs_system b =
            scene_ball(&s, 1, 0.05, (double[3]){-0.9 - 0.003 * phase, 0, 0}, (double[3]){30, 0, 0});
        scene_shape(&s, b, pcs_shape_sphere(0.05), 0.5);
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

START_TEST(through_a_slot)
{
    for (int which = 0; which < SCHEMES; ++which) {
        through_a_slot_with(which);
    }
}
END_TEST

// two balls that pass each other in the air
static void balls_pass_each_other_with(int which)
{
    for (int phase = 0; phase < 10; ++phase) {
        scene s;
        scene_open(&s);
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

START_TEST(balls_pass_each_other)
{
    for (int which = 0; which < SCHEMES; ++which) {
        balls_pass_each_other_with(which);
    }
}
END_TEST

// ---- hits -------------------------------------------------------------------------------------

// 100 m/s against a wall of 2 cm with steps of 10 ms, which are a metre long
START_TEST(thin_walls_hold)
{
    shapes sh;
    shapes_open(&sh);
    test_random r = {5};
    for (int kind = 0; kind < BODIES; ++kind) {
        for (int k = 0; k < 12; ++k) {
            scene s;
            scene_open(&s);
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
END_TEST

// A ball grazes the edge of a box by `depth`: the normal there is that of the closed form, and the
// ball loses what that normal takes, whatever the phase of the step.
START_TEST(a_graze_has_its_own_normal)
{
    const double R = 0.05, v = 50, h = 1e-3;
    for (int phase = 0; phase < 10; ++phase) {
        for (int k = 0; k < 3; ++k) {
            const double depth = k == 0 ? 1e-3 : k == 1 ? 5e-3 : 2e-2, e = k == 1 ? 0.5 : 0;
            scene s;
            scene_open(&s);
            s.scheme = pcs_scheme_dense(1e-10, 0.1);
            scene_gravity(&s, 0, 0, 0);
            const double x[3] = {-1.2 - 0.1 * phase * h * v, 0, R - depth};
            const pcs_system b = scene_ball(&s, 1, R, x, (double[3]){v, 0, 0});
            scene_shape(&s, b, pcs_shape_sphere(R), e);
            pcs_shape fixed = pcs_shape_box(1, 1, 1);
            fixed.position[2] = -0.5;
            scene_shape(&s, (pcs_system){0}, fixed, e);
            scene_start(&s);
            for (int i = 0; i < 40; ++i) {
                scene_step(&s, h);
            }
            // N = (-sin a, cos a) with cos a = (R - depth) / R; v' = v - (1 + e) (v . N) N. The row
            // is made at an overlap of proj_tol, where d cos a = proj_tol / R; where its normal is
            // that of q_k to 0.1 rad the approach is only cut to the gap that is left
            const double c = (R - depth) / R, sn = sqrt(1 - c * c);
            const double vn = -v * sn, vx = v + (1 + e) * vn * sn, vz = -(1 + e) * vn * c;
            const double tol = fmax(0.005 * v, 4 * (1 + e) * v * s.scheme.proj_tol / (R * sn));
            CK_NEAR(scene_v(&s, b)[0], vx, tol);
            CK_NEAR(scene_v(&s, b)[2], vz, tol);
            scene_close(&s);
        }
    }
}
END_TEST

// ---- inner edges ------------------------------------------------------------------------------

enum { BOXES, HULLS, TURNED, SUNK, FIXED_BODIES, FLOORS };

// takes the hull that it makes for *own
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
    }
    for (int i = -4; i < 12; ++i) {
        pcs_shape tile = floor == HULLS ? pcs_shape_hull(*own) : pcs_shape_box(0.5, 2, 1);
        const double x[3] = {i * (0.5 + gap), 0, floor == HULLS ? 0 : -0.5};
        if (floor == TURNED) {
            // wide ones that reach into each other, turned about z
            tile = pcs_shape_box(0.6, 3, 1);
            const double a = i % 2 ? 0.05 : -0.03;
            tile.orientation[0] = cos(a / 2);
            tile.orientation[3] = sin(a / 2);
        }
        pcs_system body = {0};
        if (floor == FIXED_BODIES) {
            pcs_body_def def = pcs_body_def_default();
            def.fixed = true;
            memcpy(def.position, x, sizeof x);
            CK_OK(pcs_model_add_body(s->m, &def, &body));
        } else {
            memcpy(tile.position, x, sizeof x);
        }
        scene_shape(s, body, tile, e);
    }
}

// without friction, over 1.6 m of floor
static void slide_over(int floor, double gap, int kind, double speed, double e, double h,
                       double tol)
{
    scene s;
    scene_open(&s);
    s.scheme = pcs_scheme_dense(1e-8, 0.1);
    pcs_geometry *own;
    lay_floor(&s, floor, gap, e, &own);
    const double edges[3] = {0.2, 0.2, 0.1}, v[3] = {speed, 0, 0};
    const double x[3] = {0.1, 0.01, kind == SPHERE ? 0.1 : 0.05};
    pcs_system b;
    if (kind == SPHERE) {
        b = scene_ball(&s, 1, 0.1, x, v);
        scene_shape(&s, b, pcs_shape_sphere(0.1), e);
    } else {
        b = scene_box(&s, 1, edges, x, NULL, v, NULL);
        scene_shape(&s, b, pcs_shape_box(0.2, 0.2, 0.1), e);
    }
    scene_start(&s);
    const int steps = (int)(fmin(4, 1.6 / speed) / h);
    for (int i = 0; i < steps; ++i) {
        scene_step(&s, h);
    }
    ck_assert_msg(fabs(scene_v(&s, b)[0] - speed) <= tol * speed,
                  "floor %d, gap %g, %s, speed %g, e %g, h %g: %.9g m/s, z %g", floor, gap,
                  kind_name[kind], speed, e, h, scene_v(&s, b)[0], scene_q(&s, b)[2]);
    scene_close(&s);
    pcs_geometry_destroy(own);
}

START_TEST(seams_are_not_felt)
{
    for (int floor = 0; floor < FLOORS; ++floor) {
        for (int k = 0; k < TEST_DRAWS(8); ++k) {
            const int kind = k % 2 ? BOX : SPHERE;
            const double e = k & 2 ? 0.5 : 0, speed = k & 4 ? 0.3 : 2;
            slide_over(floor, 0, kind, speed, e, speed > 1 ? 1e-3 : 5e-3, 1e-7);
            slide_over(floor, 0, kind, speed, e, 5e-3, 1e-7);

            // A ball dips into a gap of width w by w^2 / 8 R; the impact on its other edge takes at
            // most (1 + e) v (w / R)^2 / 2
            slide_over(floor, 1e-4, kind, speed, e, 5e-3, kind == BOX ? 1e-7 : 1e-5);
        }
    }
}
END_TEST

PCS_TEST_MAIN("ghost", over_the_edge, past_a_shelf, turning_bodies_pass, through_a_slot,
              balls_pass_each_other, thin_walls_hold, a_graze_has_its_own_normal,
              seams_are_not_felt)
