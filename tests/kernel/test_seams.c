// Edges between neighbours have no effect: seams between tiles of a floor, steps down, the foot of
// a ramp, and the seams of a trough.
#include "scheme_list.h"
#include "surfaces.h"

#include <math.h>
#include <string.h>

enum { BOXES, HULLS, ROTATED, SUNK, FIXED_BODIES, MESHES, FIELDS, COMPOUND, FLOORS };

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
        } else if (floor == ROTATED) {
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
static pcs_system put_slider(scene *s, int kind, int parts, double x0, double z0, double speed,
                             double e)
{
    const double edges[3] = {0.2, 0.2, 0.1}, v[3] = {speed, 0, 0};
    const double x[3] = {x0, 0.01, z0 + (kind == SPHERE ? 0.1 : 0.05)};
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
    double gap, height, speed, e, h, tol;
} slide;

// slides without friction over 1.6 m of floor
static void slide_over(const slide *f)
{
    scene s = scene_open();
    s.scheme = scheme_of(f->which);
    pcs_geometry *own;
    lay_floor(&s, f->floor, f->gap, f->e, &own);
    const pcs_system b = put_slider(&s, f->kind, f->parts, 0.1, f->height, f->speed, f->e);
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
            if ((which + floor) % TEST_FEW(5, 1)) continue; // each scheme and each floor
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

// What falls on a floor from 0.2 mm, and rebounds, lands on tiles and on seams. A row that is made
// above a seam has the normal of an edge; the body meets the face beside it.
TEST(seams_are_not_felt_in_landings)
{
    for (int which = 0; which < SCHEMES; ++which) {
        for (int floor = 0; floor < FLOORS; ++floor) {
            for (int k = 0; k < TEST_FEW(1, 9); k += 2) {
                slide f = {.which = which, .floor = floor, .speed = 2, .tol = 1e-6};
                f.kind = k % 3 == 0 ? SPHERE : k % 3 == 1 ? BOX : CYLINDER;
                f.e = 0.5 * (k / 3);
                f.height = 2e-4 + 3e-5 * k;
                f.h = 5e-3;
                slide_over(&f);
            }
        }
    }
}

// A capsule or a cylinder lies on tiles, its axis nearly along their seams, or across them at some
// angle: the edges that its side crosses do not carry it.
TEST(seams_are_not_felt_by_what_lies)
{
    static const int floors[] = {BOXES, HULLS, ROTATED, FIXED_BODIES};
    for (int which = 0; which < SCHEMES; ++which) {
        for (int k = 0; k < TEST_FEW(4, 24); ++k) {
            const int floor = floors[k % 4];
            const double R = 0.05, v[3] = {2, 0, 0}, x[3] = {0.1, 0.01, R};
            const double a = 0.02 * (k / 4), quarter[4] = {sqrt(0.5), sqrt(0.5), 0, 0};
            const double about_z[4] = {cos(a / 2), 0, 0, sin(a / 2)};
            double Q[4];
            scene s = scene_open();
            s.scheme = scheme_of(which);
            pcs_geometry *own;
            lay_floor(&s, floor, 0, 0, &own);
            pcs_quat_mul(about_z, quarter, Q);
            const pcs_system b = scene_box(&s, 1, (double[3]){0.1, 0.1, 0.2}, x, Q, v, NULL);
            scene_shape(&s, b, k % 2 ? pcs_shape_capsule(R, 0.2) : pcs_shape_cylinder(R, 0.2), 0);
            scene_start(&s);
            for (int i = 0; i < 300; ++i) {
                scene_step(&s, 2e-3);
            }
            ck_assert_msg(fabs(scene_v(&s, b)[0] - 2) <= 2e-7,
                          "scheme %d, floor %d, %s at %g rad: %.9g m/s", which, floor,
                          k % 2 ? "capsule" : "cylinder", a, scene_v(&s, b)[0]);
            scene_close(&s);
            pcs_geometry_destroy(own);
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
            const pcs_system b = put_slider(&s, kind ? CYLINDER : BOX, PLAIN, 0.1, 0, 2, 0);
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

// a box at any phase, on the plane of the floor or 20 um within it, as a projection may leave it
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
            const pcs_system b = put_slider(&s, body, PLAIN, 0.5 + 0.0031 * phase, 0, v, 0);
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

// What stands on a floor, or is sunk into it, stops a body that slides on the floor, at once (e =
// 0, and it does not turn): a wall, or a pillar before the middle of the body, of 1 mm or of 0.3 m,
// in line with the body or turned about z. Its faces come out of the floor, its edges at the floor
// not
TEST(what_stands_on_a_floor_stops_bodies)
{
    for (int k = 0; k < 2 * 32; ++k) {
        const int which = k % 2 ? SCHEMES - 1 : 0, j = k / 2; // others overlap by v h
        if (j % TEST_FEW(5, 1)) continue;
        const double high = j & 1 ? 1e-3 : 0.3, sunk = j & 2 ? 0.1 : 0, wide = j & 4 ? 1 : 0.05;
        const double a = j & 8 ? 0.03 : 0, x0 = 0.75;
        const int kind = j & 16 ? CYLINDER : BOX;
        scene s = scene_open();
        s.scheme = scheme_of(which);
        pcs_geometry *own;
        lay_floor(&s, BOXES, 0, 0, &own);
        pcs_shape wall = pcs_shape_box(0.2, wide, high + sunk);
        wall.position[0] = x0 + 0.1 * cos(a) + 0.5 * wide * sin(fabs(a));
        wall.position[1] = 0.01;
        wall.position[2] = 0.5 * (high - sunk);
        wall.orientation[0] = cos(a / 2);
        wall.orientation[3] = sin(a / 2);
        scene_shape(&s, (pcs_system){0}, wall, 0);
        const pcs_system b = put_slider(&s, kind, PLAIN, 0.5 + 0.0031 * (j % 5), 0, 2, 0);
        scene_start(&s);
        if (j % 3) scene_q(&s, b)[2] -= 2e-5;
        for (int i = 0; i < 60; ++i) {
            scene_step(&s, 5e-3);
            pcs_closest c;
            CK_OK(pcs_state_distance(s.m, s.st, b, (pcs_system){0}, 0.01, &c));
            ck_assert_msg(scene_q(&s, b)[0] < x0 && c.distance > -1e-4, "scheme %d, %d: x %g, %g m",
                          which, j, scene_q(&s, b)[0], c.distance);
        }
        scene_close(&s);
    }
}

// ---- troughs ------------------------------------------------------------------------------------

enum { TROUGH_BOXES, TROUGH_BODIES, TROUGH_MESH, TROUGHS };

// Faces of a trough about the y axis: tangents of a circle, corners at 1 m from its centre, each
// turned by a against the one before
typedef struct trough {
    int kind;
    double a, low, high; // from the angle `low` to `high`, of which 0 is the lowest place
} trough;

// the angle of the middle of the face that is nearest to `angle`
static double middle_of_face(const trough *f, double angle)
{
    return f->low + f->a * (floor((angle - f->low) / f->a) + 0.5);
}

static pcs_geometry *lay_trough(scene *s, const trough *f)
{
    const int n = (int)((f->high - f->low) / f->a);
    if (f->kind == TROUGH_MESH) {
        static double v[800][3];
        static int t[800][3];
        ck_assert_int_le(2 * n + 2, 800);
        for (int i = 0; i <= 2 * n + 1; ++i) {
            const double b = f->low + i / 2 * f->a;
            const double x[3] = {sin(b), i % 2 - 0.5, -cos(b)};
            memcpy(v[i], x, sizeof x);
            const int up[3] = {i, i + 2, i + 1}, down[3] = {i, i + 1, i + 2};
            memcpy(t[i], i % 2 ? down : up, sizeof up);
        }
        pcs_geometry *own;
        CK_OK(pcs_geometry_create_mesh(NULL, 2 * n + 2, v[0], 2 * n, t[0], &own));
        scene_shape(s, (pcs_system){0}, pcs_shape_mesh(own), 0);
        return own;
    }
    for (int i = 0; i < n; ++i) {
        const double b = f->low + (i + 0.5) * f->a, far = cos(f->a / 2) + 0.1;
        const double x[3] = {far * sin(b), 0, -far * cos(b)},
                     Q[4] = {cos(b / 2), 0, -sin(b / 2), 0};
        pcs_shape box = pcs_shape_box(2 * sin(f->a / 2), 1, 0.2);
        pcs_system on = {0};
        if (f->kind == TROUGH_BODIES) {
            pcs_body_def fixed = pcs_body_def_default();
            fixed.fixed = true;
            memcpy(fixed.position, x, sizeof x);
            memcpy(fixed.orientation, Q, sizeof Q);
            CK_OK(pcs_model_add_body(s->m, &fixed, &on));
        } else {
            memcpy(box.position, x, sizeof x);
            memcpy(box.orientation, Q, sizeof Q);
        }
        scene_shape(s, on, box, 0);
    }
    return NULL;
}

// a slider of mass 1 kg, its centre at `up` over the middle of the face at the angle b
static pcs_system put_into_trough(scene *s, pcs_shape shape, bool across, double b, double up,
                                  double speed)
{
    const double x[3] = {(1 - up) * sin(b), 0.013, -(1 - up) * cos(b)},
                 v[3] = {speed * cos(b), 0, speed * sin(b)}, edges[3] = {0.2, 0.4, 0.2},
                 about_x[4] = {sqrt(0.5), sqrt(0.5), 0, 0},
                 about_y[4] = {cos(b / 2), 0, -sin(b / 2), 0};
    const pcs_system on = scene_box(s, 1, edges, x, across ? about_x : about_y, v, NULL);
    scene_shape(s, on, shape, 0);
    return on;
}

// A round body without friction keeps on each seam the part of its velocity along the next face:
// cos^2 a of its kinetic energy. On faces the weight works, and with theta = 1 each step loses
// (h g sin b)^2 / 2. Nothing else takes energy.
TEST(a_trough_takes_what_its_seams_take)
{
    const double R = 0.1, pi = acos(-1);
    const int faces[4] = {16, 64, 256, 1024};
    for (int k = 0; k < 4 * 3 * TROUGHS * 2; ++k) {
        const int n = faces[k % 4], body = k / 4 % 3, kind = k / 12 % TROUGHS;
        const double g = k / 12 / TROUGHS ? 9.81 : 0;
        const double h = n < 1024 ? 1e-3 : 5e-4, v0 = 2;
        const trough f = {
            .kind = kind, .a = pi / n, .low = -1, .high = -1 + fmin(1.9, 90 * pi / n)};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        scene_gravity(&s, 0, 0, -g);
        pcs_geometry *own = lay_trough(&s, &f);
        const pcs_shape shapes[3] = {pcs_shape_sphere(R), pcs_shape_capsule(R, 0.4),
                                     pcs_shape_cylinder(R, 0.4)};
        double b = middle_of_face(&f, f.low + fmin(0.2, 10.5 * f.a));
        const double apothem = cos(f.a / 2) - R;
        const pcs_system on = put_into_trough(&s, shapes[body], true, b, 1 - apothem, v0);
        scene_start(&s);
        const double before = scene_kinetic(&s) + scene_potential(&s);
        // to the middle half of a face near the other end
        double at = b;
        for (int i = 0;
             at < f.high - fmin(0.4, 20 * f.a) || fabs(at - middle_of_face(&f, at)) > f.a / 4;
             ++i) {
            ck_assert_int_lt(i, 2000);
            scene_step(&s, h);
            at = atan2(scene_q(&s, on)[0], -scene_q(&s, on)[2]);
        }
        double lost = 0, slopes = 0, square = v0 * v0;
        for (double half = 0.5; b < at - f.a / 2; b += f.a, half = 0.5) {
            // from the middle of this face to that of the next one
            for (int part = 0; part < 2; ++part) {
                const double slope = -g * sin(b + part * f.a),
                             l = half * 2 * apothem * tan(f.a / 2);
                const double next = square + 2 * slope * l;
                slopes += 0.5 * slope * slope * h * 2 * l / (sqrt(square) + sqrt(next));
                square = next;
                if (part == 1) continue;
                lost += 0.5 * square * pow(sin(f.a), 2);
                square *= pow(cos(f.a), 2);
            }
        }
        const double took = before - scene_kinetic(&s) - scene_potential(&s);
        // the projection leaves overlaps, from which it may lift a body
        double tol = 1e-4 * lost;
        if (g > 0) tol = 0.06 * (lost + slopes) + 1e-3;
        if (g == 0 && kind == TROUGH_MESH && body > 0 && n > 64) tol = 0.2 * lost;
        ck_assert_msg(fabs(took - lost - slopes) <= tol,
                      "%d faces, kind %d, body %d, g %g: %.9g J, not %.9g", n, kind, body, g, took,
                      lost + slopes);
        scene_close(&s);
        pcs_geometry_destroy(own);
    }
}

// Without a projection each seam leaves an overlap of up to v h a, and they add up. Edges push a
// ball out that is deeper than 1e-3 of its size
TEST(a_ball_without_projection_does_not_sink)
{
    const double R = 0.1, h = 1e-3, v0 = 2;
    const trough f = {.kind = TROUGH_BOXES, .a = acos(-1) / 256, .low = -0.5, .high = 0.5};
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    lay_trough(&s, &f);
    const double b = middle_of_face(&f, -0.4);
    const pcs_system on =
        put_into_trough(&s, pcs_shape_sphere(R), true, b, 1 - cos(f.a / 2) + R, v0);
    scene_start(&s);
    for (int i = 0; i < 350; ++i) {
        scene_step(&s, h);
        pcs_closest c;
        CK_OK(pcs_state_distance(s.m, s.st, on, (pcs_system){0}, 0.01, &c));
        ck_assert_double_gt(c.distance, -1e-3 * R - 2 * v0 * h * f.a);
    }
    ck_assert_double_gt(scene_q(&s, on)[0], 0.2);
    scene_close(&s);
}

// a box of sharp edges, which slides on two of them, loses nothing at the edges between boxes that
// it does not lose between the faces of a mesh
TEST(a_trough_of_boxes_takes_what_a_mesh_takes)
{
    const double pi = acos(-1), v0 = 2, h = 1e-3;
    for (int k = 0; k < 3; ++k) {
        double kept[TROUGHS];
        for (int kind = 0; kind < TROUGHS; ++kind) {
            const int n = k == 0 ? 64 : k == 1 ? 256 : 1024;
            const trough f = {.kind = kind, .a = pi / n, .low = -0.4, .high = 0.4 + 2 * pi / n};
            scene s = scene_open();
            s.scheme = pcs_scheme_default();
            scene_gravity(&s, 0, 0, 0);
            pcs_geometry *own = lay_trough(&s, &f);
            const double b = middle_of_face(&f, -0.2), far = cos(f.a / 2);
            const pcs_system on = put_into_trough(&s, pcs_shape_box(0.2, 0.4, 0.2), false, b,
                                                  1.1 - sqrt(far * far - 0.01), v0);
            scene_start(&s);
            const double before = scene_kinetic(&s);
            for (int i = 0; i < 180; ++i) {
                scene_step(&s, h);
            }
            kept[kind] = scene_kinetic(&s) / before;
            ck_assert_double_lt(fabs(scene_q(&s, on)[0]), 0.4);
            scene_close(&s);
            pcs_geometry_destroy(own);
        }
        for (int kind = 0; kind < TROUGHS; ++kind) {
            ck_assert_msg(fabs(kept[kind] - kept[TROUGH_MESH]) <= 0.01, "%d, kind %d: %g, not %g",
                          k, kind, kept[kind], kept[TROUGH_MESH]);
        }
    }
}

// ---- parts of bodies ---------------------------------------------------------------------------

static pcs_shape at(pcs_shape s, double x, double y, double z)
{
    s.position[0] = x;
    s.position[1] = y;
    s.position[2] = z;
    return s;
}

// a bucket of four boxes hangs by its lid over a fixed rail; a ball lies on its bottom
static void hang_bucket(scene *s)
{
    static const double part[4][6] = {{0, 0, 0.4, 0.5, 0.5, 0.1},
                                      {0.2, 0, 0, 0.1, 0.5, 0.7},
                                      {-0.2, 0, 0, 0.1, 0.5, 0.7},
                                      {0, 0, -0.4, 0.5, 0.5, 0.1}};
    const double edges[3] = {0.5, 0.5, 0.9}, x[3] = {0, 0, 0.6}, ball[3] = {0, 0, 0.35};
    scene_rough(s, (pcs_system){0}, at(pcs_shape_box(0.1, 0.6, 0.1), 0, 0, 0.9), 0, 0, 0.5);
    const pcs_system b = scene_box(s, 50, edges, x, NULL, NULL, NULL);
    for (int i = 0; i < 4; ++i) {
        const double *p = part[i];
        scene_rough(s, b, at(pcs_shape_box(p[3], p[4], p[5]), p[0], p[1], p[2]), 0, 0, 0.5);
    }
    scene_rough_ball(s, 4, 0.1, ball, NULL, 0, 0, 0.5);
}

// two balls of a body lie on a ledge, two on a ramp below it
static void put_on_ledge(scene *s)
{
    const double edges[3] = {0.8, 0.8, 0.3}, x[3] = {0.1, 0, 0.6}, a = 0.35;
    pcs_shape ramp = at(pcs_shape_box(1.2, 2, 0.2), 0.6, 0, 0);
    ramp.orientation[0] = cos(a / 2);
    ramp.orientation[2] = -sin(a / 2);
    scene_rough(s, (pcs_system){0}, at(pcs_shape_box(0.9, 2, 0.5), -0.5, 0, 0.25), 0, 0, 0.8);
    scene_rough(s, (pcs_system){0}, ramp, 0, 0, 0.8);
    const pcs_system b = scene_box(s, 20, edges, x, NULL, NULL, NULL);
    for (int i = 0; i < 4; ++i) {
        const double front = i < 2 ? 0.3 : -0.3, side = i % 2 ? 0.3 : -0.3;
        scene_rough(s, b, at(pcs_shape_sphere(0.1), front, side, i < 2 ? -0.25 : 0), 0, 0, 0.8);
    }
}

// a body with four balls: two lie on a shelf, two on the edge of another one of the same height
static void put_on_shelves(scene *s)
{
    const double R = 0.03, over = 0.01 * R, drop = R - sqrt(R * R - over * over);
    const double edges[3] = {0.3, 0.2, 0.06}, x[3] = {0, 0, R - drop / 2}, a = drop / 0.2;
    const double Q[4] = {cos(a / 2), 0, sin(a / 2), 0};
    scene_rough(s, (pcs_system){0}, at(pcs_shape_box(0.06, 0.4, 0.05), -0.1, 0, -0.025), 0, 0, 0.3);
    scene_rough(s, (pcs_system){0}, at(pcs_shape_box(0.06, 0.4, 0.05), 0.07 - over, 0, -0.025), 0,
                0, 0.3);
    const pcs_system b = scene_box(s, 1, edges, x, Q, NULL, NULL);
    for (int i = 0; i < 4; ++i) {
        const double y = i % 2 ? 0.1 : -0.1;
        scene_rough(s, b, at(pcs_shape_sphere(R), i < 2 ? 0.1 : -0.1, y, 0), 0, 0, 0.3);
    }
}

// What a part of a body touches is no inner edge of a floor on which another part lies: it carries
// its load, and the bodies come to rest
TEST(every_part_of_a_body_carries)
{
    const double h = 2e-3;
    for (int k = 0; k < 3 * SCHEMES; ++k) {
        const int which = k / 3;
        scene s = scene_open();
        s.scheme = scheme_of(which);
        if (k % 3 == 0) hang_bucket(&s);
        if (k % 3 == 1) put_on_ledge(&s);
        if (k % 3 == 2) put_on_shelves(&s);
        scene_start(&s);
        const double before = scene_potential(&s);
        for (int i = 0; i < 400; ++i) {
            scene_step(&s, h);
        }
        // nothing lifts a body; one without its contact would fall at g h after one step
        ck_assert_msg(scene_potential(&s) <= before + 1e-4, "scene %d, scheme %d: %g J more", k % 3,
                      which, scene_potential(&s) - before);
        ck_assert_msg(scene_kinetic(&s) <= 1e-8, "scene %d, scheme %d: %g J", k % 3, which,
                      scene_kinetic(&s));
        scene_close(&s);
    }
}
