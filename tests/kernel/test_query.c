// Rays and distances against every kind of shape: closed forms, and points sampled on the surfaces.
#include "scene.h"

#include <float.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/query.h>

enum { KINDS = 8 };

typedef struct zoo {
    pcs_geometry *hull, *mesh, *field;
    pcs_shape shape[KINDS]; // by kind
    double cloud[3 * 30];
} zoo;

// height over (x, y) of the field: a plane in each of two triangles per cell
static double bump(int i, int j)
{
    return 0.1 * sin(1.3 * i) + 0.07 * cos(2.1 * j + i);
}

static void zoo_open(zoo *z)
{
    test_random r = random_seed(4);
    for (int i = 0; i < 90; ++i) {
        z->cloud[i] = random_unit(&r) - 0.5;
    }
    CK_OK(pcs_geometry_create_hull(NULL, 30, z->cloud, &z->hull));

    // the mesh: the surface of the box |x| <= 0.5, |y| <= 0.3, |z| <= 0.2, twelve triangles
    double v[24];
    for (int k = 0; k < 8; ++k) {
        v[3 * k] = k & 1 ? 0.5 : -0.5;
        v[3 * k + 1] = k & 2 ? 0.3 : -0.3;
        v[3 * k + 2] = k & 4 ? 0.2 : -0.2;
    }
    static const int t[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                              2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    CK_OK(pcs_geometry_create_mesh(NULL, 8, v, 12, t, &z->mesh));
    double heights[6 * 7];
    for (int j = 0; j < 7; ++j) {
        for (int i = 0; i < 6; ++i) {
            heights[i + 6 * j] = bump(i, j);
        }
    }
    CK_OK(pcs_geometry_create_height_field(NULL, 6, 7, 0.2, 0.15, heights, &z->field));
    z->shape[PCS_SHAPE_SPHERE] = pcs_shape_sphere(0.4);
    z->shape[PCS_SHAPE_HALF_SPACE] = pcs_shape_half_space((double[3]){0.3, -0.2, 1}, 0.1);
    z->shape[PCS_SHAPE_BOX] = pcs_shape_box(1, 0.6, 0.4);
    z->shape[PCS_SHAPE_CAPSULE] = pcs_shape_capsule(0.2, 0.7);
    z->shape[PCS_SHAPE_CYLINDER] = pcs_shape_cylinder(0.3, 0.5);
    z->shape[PCS_SHAPE_HULL] = pcs_shape_hull(z->hull);
    z->shape[PCS_SHAPE_MESH] = pcs_shape_mesh(z->mesh);
    z->shape[PCS_SHAPE_HEIGHT_FIELD] = pcs_shape_height_field(z->field);
}

static void zoo_close(zoo *z)
{
    pcs_geometry_destroy(z->hull);
    pcs_geometry_destroy(z->mesh);
    pcs_geometry_destroy(z->field);
}

// a model of one fixed body with one shape, both rotated at random
static void pose_one(scene *s, const pcs_shape *shape, test_random *r)
{
    *s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    def.fixed = true;
    for (int i = 0; i < 3; ++i) {
        def.position[i] = 2 * random_unit(r) - 1;
    }
    for (int i = 0; i < 4; ++i) {
        def.orientation[i] = 2 * random_unit(r) - 1;
    }
    const pcs_system b = scene_add(s, &def);
    pcs_shape own = *shape;
    own.position[1] += 0.3;
    CK_OK(pcs_model_add_shape(s->m, b, &own, (pcs_material){0}));
    scene_start(s);
}

static void turn_back(const double Q[4], const double x[3], double y[3])
{
    pcs_quat_rotate((double[4]){Q[0], -Q[1], -Q[2], -Q[3]}, x, y);
}

// x of the inertial frame in that of the shape
static void into_shape(const scene *s, const double x[3], double y[3])
{
    pcs_model_shape_def def;
    CK_OK(pcs_model_shape(s->m, 0, &def));
    const double *q = pcs_state_read_q(s->m, s->st, (pcs_system){1});
    double a[3];
    for (int i = 0; i < 3; ++i) {
        a[i] = x[i] - q[i];
    }
    turn_back(q + 3, a, y);
    for (int i = 0; i < 3; ++i) {
        a[i] = y[i] - def.shape.position[i];
    }
    turn_back(def.shape.orientation, a, y);
}

// negative inside, zero on the surface, positive outside; of a surface the height above it (the box
// of the mesh: as of the box)
static double level(const zoo *z, int kind, const double x[3])
{
    const double r2 = x[0] * x[0] + x[1] * x[1];
    switch (kind) {
    case PCS_SHAPE_SPHERE:
        return sqrt(r2 + x[2] * x[2]) - 0.4;
    case PCS_SHAPE_HALF_SPACE:
        return x[2];
    case PCS_SHAPE_BOX:
    case PCS_SHAPE_MESH:
        return fmax(fabs(x[0]) - 0.5, fmax(fabs(x[1]) - 0.3, fabs(x[2]) - 0.2));
    case PCS_SHAPE_CAPSULE: {
        const double over = fmax(0, fabs(x[2]) - 0.35);
        return sqrt(r2 + over * over) - 0.2;
    }
    case PCS_SHAPE_CYLINDER:
        return fmax(sqrt(r2) - 0.3, fabs(x[2]) - 0.25);
    case PCS_SHAPE_HULL: {
        // the depth over all planes through three points with the others on one side
        const double *p = z->cloud;
        double most = -1;
        for (int a = 0; a < 30; ++a) {
            for (int b = 0; b < 30; ++b) {
                for (int c = 0; c < 30; ++c) {
                    if (a == b || b == c || a == c) continue;
                    double e[3], f[3], n[3];
                    for (int i = 0; i < 3; ++i) {
                        e[i] = p[3 * b + i] - p[3 * a + i];
                        f[i] = p[3 * c + i] - p[3 * a + i];
                    }
                    for (int i = 0; i < 3; ++i) {
                        n[i] = e[(i + 1) % 3] * f[(i + 2) % 3] - e[(i + 2) % 3] * f[(i + 1) % 3];
                    }
                    const double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
                    bool top = true;
                    for (int k = 0; k < 30 && top; ++k) {
                        double h = 0;
                        for (int i = 0; i < 3; ++i) {
                            h += n[i] * (p[3 * k + i] - p[3 * a + i]) / size;
                        }
                        top = h < 1e-12;
                    }
                    double h = 0;
                    for (int i = 0; i < 3; ++i) {
                        h += n[i] * (x[i] - p[3 * a + i]) / size;
                    }
                    if (top) most = fmax(most, h);
                }
            }
        }
        return most;
    }
    default: {
        const double u = x[0] / 0.2, v = x[1] / 0.15;
        const int i = (int)fmin(fmax(floor(u), 0), 4), j = (int)fmin(fmax(floor(v), 0), 5);
        const double a = u - i, b = v - j, z0 = bump(i, j), z3 = bump(i + 1, j + 1);
        const double ground = a >= b ? z0 + a * (bump(i + 1, j) - z0) + b * (z3 - bump(i + 1, j))
                                     : z0 + b * (bump(i, j + 1) - z0) + a * (z3 - bump(i, j + 1));
        return x[2] - ground;
    }
    }
}

static bool over_field(const double x[3])
{
    return x[0] >= 0 && x[0] <= 1 && x[1] >= 0 && x[1] <= 0.9;
}

// the hit is on the surface, and no sample of the ray before it is inside; where nothing is hit, no
// sample is inside
TEST(a_ray_ends_on_the_first_surface)
{
    zoo z;
    zoo_open(&z);
    test_random r = random_seed(21);
    for (int kind = 0; kind < KINDS; ++kind) {
        const int rays = kind == PCS_SHAPE_HULL ? TEST_DRAWS(60) : TEST_DRAWS(3000);
        const int samples = kind == PCS_SHAPE_HULL ? 6 : 40;
        int hits = 0;
        for (int k = 0; k < rays; ++k) {
            scene s;
            pose_one(&s, &z.shape[kind], &r);
            pcs_ray ray = pcs_ray_default();
            const double *q = pcs_state_read_q(s.m, s.st, (pcs_system){1});
            for (int i = 0; i < 3; ++i) {
                ray.from[i] = 4 * random_unit(&r) - 2;
                ray.along[i] = q[i] + 1.4 * random_unit(&r) - 0.7 - ray.from[i];
            }
            ray.reach = 5;
            const double size = sqrt(ray.along[0] * ray.along[0] + ray.along[1] * ray.along[1] +
                                     ray.along[2] * ray.along[2]);
            pcs_hit hit;
            CK_OK(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit));
            const bool found = hit.shape == 0;
            hits += found;
            double x[3], y[3], first = 0;
            if (found && hit.distance > 0) {
                into_shape(&s, hit.point, y);
                ck_assert_double_lt(fabs(level(&z, kind, y)), 1e-13 * 40);
                double norm = 0, facing = 0;
                for (int i = 0; i < 3; ++i) {
                    norm += hit.normal[i] * hit.normal[i];
                    facing += hit.normal[i] * ray.along[i];
                }
                CK_NEAR(norm, 1, 1e-13);
                if (kind < PCS_SHAPE_MESH) ck_assert_double_le(facing, 1e-12);

                // the level set rises along the normal
                for (int i = 0; i < 3; ++i) {
                    x[i] = hit.point[i] + 1e-6 * hit.normal[i];
                }
                into_shape(&s, x, y);
                ck_assert_double_gt(level(&z, kind, y), 1e-8);
            }
            for (int i = 0; i < samples; ++i) {
                const double t =
                    (found ? hit.distance : ray.reach) * (i + random_unit(&r)) / samples;
                for (int c = 0; c < 3; ++c) {
                    x[c] = ray.from[c] + t * ray.along[c] / size;
                }
                into_shape(&s, x, y);
                const bool field = kind == PCS_SHAPE_HEIGHT_FIELD;
                if (field && !over_field(y)) {
                    first = 0;
                    continue;
                }
                const double here = level(&z, kind, y);
                if (kind >= PCS_SHAPE_MESH) {
                    // the ray never crosses the surface
                    ck_assert_msg(!(here * first < 0), "kind %d ray %d", kind, k);
                    first = here;
                } else {
                    ck_assert_msg(here > -1e-12 || (found && hit.distance == 0), "kind %d", kind);
                }
            }
            scene_close(&s);
        }
        ck_assert_msg(hits > rays / 16, "kind %d: %d hits", kind, hits);
    }
    zoo_close(&z);
}

// closed forms along the axis, on the first surface
TEST(rays_straight_down)
{
    static const double top[KINDS] = {0.4, 0, 0.2, 0.55, 0.25, 0, 0.2, 0};
    zoo z;
    zoo_open(&z);
    z.shape[PCS_SHAPE_HALF_SPACE] = pcs_shape_half_space((double[3]){0, 0, 1}, 0);
    scene s = scene_open();
    for (int kind = 0; kind < KINDS; ++kind) {
        if (kind == PCS_SHAPE_HULL || kind == PCS_SHAPE_HEIGHT_FIELD) continue;
        pcs_model *m;
        pcs_state *st;
        CK_OK(pcs_model_create(NULL, &m));
        CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &z.shape[kind], (pcs_material){0}));
        CK_OK(pcs_state_create(m, &st));
        pcs_ray ray = pcs_ray_default();
        pcs_hit hit;
        ray.from[2] = 3;
        ray.along[2] = -7;
        CK_OK(pcs_state_cast_rays(m, st, 1, &ray, &hit));
        CK_NEAR(hit.distance, 3 - top[kind], 1e-15 * 8);
        ck_assert(hit.shape == 0 && hit.system.id == 0 && hit.normal[2] == 1);
        ray.reach = 3 - top[kind] - 1e-9;
        CK_OK(pcs_state_cast_rays(m, st, 1, &ray, &hit));
        ck_assert(hit.shape == -1 && hit.distance == ray.reach);
        ray.reach = INFINITY;
        ray.along[2] = 1;
        CK_OK(pcs_state_cast_rays(m, st, 1, &ray, &hit));
        ck_assert(hit.shape == -1);
        pcs_state_destroy(st);
        pcs_model_destroy(m);
    }
    scene_close(&s);
    zoo_close(&z);
}

// onto edges and corners that triangles share: the ray hits every one
TEST(no_ray_slips_between_triangles)
{
    zoo z;
    zoo_open(&z);
    test_random r = random_seed(31);
    pcs_model *m;
    pcs_state *st;
    CK_OK(pcs_model_create(NULL, &m));
    CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &z.shape[PCS_SHAPE_HEIGHT_FIELD],
                              (pcs_material){0}));
    CK_OK(pcs_state_create(m, &st));
    for (int k = 0; k < TEST_DRAWS(4000); ++k) {
        const int i = 1 + k % 4, j = 1 + (k / 4) % 5, to = k % 3;
        const double t = k % 7 == 0 ? 0 : random_unit(&r);
        const double u = i + (to != 1) * t, v = j + (to != 0) * t;
        const double end[3] = {0.2 * u, 0.15 * v,
                               (1 - t) * bump(i, j) + t * bump(i + (to != 1), j + (to != 0))};
        pcs_ray ray = pcs_ray_default();
        for (int c = 0; c < 3; ++c) {
            ray.from[c] = end[c] + (c == 2 ? 3 : 0.4 * random_unit(&r) - 0.2);
            ray.along[c] = end[c] - ray.from[c];
        }
        pcs_hit hit;
        CK_OK(pcs_state_cast_rays(m, st, 1, &ray, &hit));
        ck_assert_int_eq(hit.shape, 0);
        const double *d = ray.along;
        ck_assert_double_le(hit.distance, 1.001 * sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]));
    }
    // beside the field, with a reach without end: no hit at infinity
    pcs_ray ray = pcs_ray_default();
    pcs_hit hit;
    ray.from[0] = -1;
    ray.along[2] = -1;
    CK_OK(pcs_state_cast_rays(m, st, 1, &ray, &hit));
    ck_assert_int_eq(hit.shape, -1);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
    zoo_close(&z);
}

// the same on a level field from above and from below, where volumes are exactly zero
TEST(rays_onto_the_lines_of_a_grid)
{
    const double heights[16] = {0};
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_height_field(NULL, 4, 4, 0.5, 0.25, heights, &g));
    const pcs_shape field = pcs_shape_height_field(g);
    pcs_model *m;
    pcs_state *st;
    CK_OK(pcs_model_create(NULL, &m));
    CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &field, (pcs_material){0}));
    CK_OK(pcs_state_create(m, &st));
    for (int i = 0; i <= 12; ++i) {
        for (int j = 0; j <= 12; ++j) {
            for (int side = -1; side <= 1; side += 2) {
                pcs_ray ray = pcs_ray_default();
                ray.from[0] = 0.125 * i;
                ray.from[1] = 0.0625 * j;
                ray.from[2] = 2 * side;
                ray.along[2] = -side;
                pcs_hit hit;
                CK_OK(pcs_state_cast_rays(m, st, 1, &ray, &hit));
                ck_assert(hit.shape == 0 && hit.distance == 2 && hit.normal[2] == 1);
            }
        }
    }
    pcs_state_destroy(st);
    pcs_model_destroy(m);
    pcs_geometry_destroy(g);
}

// many shapes, many rays: the result is that of each ray against each shape alone; masks, ignored
// systems, and disabled parts
TEST(rays_in_a_crowd)
{
    enum { balls = 40, rays = 200 };
    test_random r = random_seed(77);
    scene s = scene_open();
    double c[balls][3];
    for (int i = 0; i < balls; ++i) {
        for (int k = 0; k < 3; ++k) {
            c[i][k] = 4 * random_unit(&r) - 2;
        }
        scene_solid_ball(&s, 1, 0.3, c[i], NULL, 0);
        CK_OK(pcs_model_set_shape_groups(s.m, i, 1u << i % 3, ~0u));
    }
    CK_OK(pcs_model_set_enabled(s.m, (pcs_system){5}, false));
    CK_OK(pcs_model_set_shape_enabled(s.m, 8, false));
    scene_start(&s);
    pcs_ray ray[rays];
    pcs_hit hit[rays];
    int hits = 0;
    for (int k = 0; k < rays; ++k) {
        ray[k] = pcs_ray_default();
        ray[k].mask = k % 2 ? ~0u : 3u;
        ray[k].ignore.id = 1 + k % balls;
        for (int i = 0; i < 3; ++i) {
            ray[k].from[i] = 6 * random_unit(&r) - 3;
            ray[k].along[i] = 2 * random_unit(&r) - 1;
        }
    }
    CK_OK(pcs_state_cast_rays(s.m, s.st, rays, ray, hit));
    for (int k = 0; k < rays; ++k) {
        const double *d = ray[k].along, dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        double best = INFINITY;
        int which = -1;
        for (int i = 0; i < balls; ++i) {
            if (i == 4 || i == 8 || i + 1 == ray[k].ignore.id || !(1u << i % 3 & ray[k].mask)) {
                continue;
            }
            double b = 0, cc = -0.09;
            for (int j = 0; j < 3; ++j) {
                b += (c[i][j] - ray[k].from[j]) * d[j];
                cc += (c[i][j] - ray[k].from[j]) * (c[i][j] - ray[k].from[j]);
            }
            const double root = b * b - cc * dd;
            double t = root < 0 ? INFINITY : (b - sqrt(root)) / sqrt(dd);
            if (cc <= 0) t = 0;
            if (t >= 0 && t < best) {
                best = t;
                which = i;
            }
        }
        ck_assert_int_eq(hit[k].shape, which);
        if (which >= 0) CK_NEAR(hit[k].distance, best, 1e-12);
        hits += which >= 0;
    }
    ck_assert_int_gt(hits, rays / 8);
    scene_close(&s);
}

// ---- distances ----------------------------------------------------------------------------------

// distances from a point: closed forms where they exist, and the nearest of many points of the
// surface
TEST(the_distance_of_a_point)
{
    zoo z;
    zoo_open(&z);
    test_random r = random_seed(5);
    for (int kind = 0; kind < KINDS; ++kind) {
        for (int k = 0; k < TEST_DRAWS(200); ++k) {
            scene s;
            pose_one(&s, &z.shape[kind], &r);
            const pcs_shape point = pcs_shape_sphere(0);
            pcs_probe probe = pcs_probe_of(&point);
            double y[3], foot[3];
            const double *q = pcs_state_read_q(s.m, s.st, (pcs_system){1});
            for (int i = 0; i < 3; ++i) {
                probe.q[i] = q[i] + 3 * random_unit(&r) - 1.5;
            }
            into_shape(&s, probe.q, y);
            const bool surface = kind >= PCS_SHAPE_MESH;
            const bool beneath = level(&z, kind == PCS_SHAPE_HULL ? PCS_SHAPE_SPHERE : kind, y) < 0;
            pcs_closest out;
            CK_OK(pcs_state_closest(s.m, s.st, &probe, &out));
            if (surface && (beneath || (kind == PCS_SHAPE_HEIGHT_FIELD && !over_field(y)))) {
                scene_close(&s);
                continue;
            }
            ck_assert_msg(out.shape2 == 0, "kind %d draw %d: (%g %g %g)", kind, k, y[0], y[1],
                          y[2]);
            ck_assert_int_eq(out.system2.id, 1);
            ck_assert_int_eq(out.system1.id, -1);

            // the points are on their shapes, and the line between them is along the normal
            for (int i = 0; i < 3; ++i) {
                CK_NEAR(out.P1[i] - out.P2[i], out.distance * out.normal[i], 1e-13);
                CK_NEAR(out.P1[i], probe.q[i], 1e-13);
            }
            into_shape(&s, out.P2, foot);
            if (kind != PCS_SHAPE_HULL) {
                ck_assert_double_lt(fabs(level(&z, kind, foot)), 1e-12);
                // the level function of these is the distance where they are round or flat
                if (kind <= PCS_SHAPE_HALF_SPACE || kind == PCS_SHAPE_CAPSULE) {
                    CK_NEAR(out.distance, level(&z, kind, y), 1e-13);
                }
            }
            if (kind == PCS_SHAPE_BOX || kind == PCS_SHAPE_MESH) {
                double square = 0;
                const double half[3] = {0.5, 0.3, 0.2};
                for (int i = 0; i < 3; ++i) {
                    square += pow(fmax(0, fabs(y[i]) - half[i]), 2);
                }
                if (square > 0) CK_NEAR(out.distance, sqrt(square), 1e-12);
            }
            if (kind == PCS_SHAPE_CYLINDER) {
                const double a = fmax(0, hypot(y[0], y[1]) - 0.3), b = fmax(0, fabs(y[2]) - 0.25);
                if (a + b > 0) CK_NEAR(out.distance, hypot(a, b), 1e-12);
            }
            // no point of the hull, and none of the field, is nearer
            for (int i = 0; i < 300 && out.distance > 0; ++i) {
                double x[3], d = 0;
                if (kind == PCS_SHAPE_HULL) {
                    const int a = (int)(30 * random_unit(&r)), b = (int)(30 * random_unit(&r));
                    const double t = random_unit(&r);
                    for (int c = 0; c < 3; ++c) {
                        x[c] = (1 - t) * z.cloud[3 * a + c] + t * z.cloud[3 * b + c];
                    }
                } else if (kind == PCS_SHAPE_HEIGHT_FIELD) {
                    x[0] = random_unit(&r);
                    x[1] = 0.9 * random_unit(&r);
                    x[2] = 0;
                    x[2] = -level(&z, kind, x);
                } else {
                    break;
                }
                for (int c = 0; c < 3; ++c) {
                    d += (x[c] - y[c]) * (x[c] - y[c]);
                }
                ck_assert_double_ge(sqrt(d), out.distance - 1e-12);
            }
            // reach
            if (out.distance > 1e-3) {
                pcs_closest none;
                probe.reach = 0.999 * out.distance;
                CK_OK(pcs_state_closest(s.m, s.st, &probe, &none));
                ck_assert(none.shape2 == -1 && none.distance == probe.reach);
                probe.reach = 1.001 * out.distance;
                CK_OK(pcs_state_closest(s.m, s.st, &probe, &none));
                CK_NEAR(none.distance, out.distance, 1e-12);
            }
            scene_close(&s);
        }
    }
    zoo_close(&z);
}

// bodies of several shapes: the least over all pairs; a distance is the same from both sides
TEST(the_distance_of_two_bodies)
{
    test_random r = random_seed(9);
    for (int k = 0; k < TEST_DRAWS(100); ++k) {
        scene s = scene_open();
        double c[2][3][3], radius[2][3];
        for (int b = 0; b < 2; ++b) {
            const pcs_system body = scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
            for (int i = 0; i < 3; ++i) {
                radius[b][i] = 0.1 + 0.2 * random_unit(&r);
                pcs_shape ball = pcs_shape_sphere(radius[b][i]);
                for (int j = 0; j < 3; ++j) {
                    ball.position[j] = c[b][i][j] = 2 * random_unit(&r) + 1.5 * b * (j == 0);
                }
                scene_shape(&s, body, ball, 0);
            }
        }
        scene_start(&s);
        double best = INFINITY;
        for (int i = 0; i < 9; ++i) {
            double d = 0;
            for (int j = 0; j < 3; ++j) {
                d += pow(c[0][i / 3][j] - c[1][i % 3][j], 2);
            }
            best = fmin(best, sqrt(d) - radius[0][i / 3] - radius[1][i % 3]);
        }
        pcs_closest out, back;
        CK_OK(pcs_state_distance(s.m, s.st, (pcs_system){1}, (pcs_system){2}, INFINITY, &out));
        CK_OK(pcs_state_distance(s.m, s.st, (pcs_system){2}, (pcs_system){1}, INFINITY, &back));
        CK_NEAR(out.distance, best, 1e-13);
        CK_NEAR(back.distance, best, 1e-13);
        ck_assert(out.shape1 == back.shape2 && out.shape2 == back.shape1 && out.shape1 < 3);
        for (int j = 0; j < 3; ++j) {
            CK_NEAR(out.normal[j], -back.normal[j], 1e-12);
        }
        scene_close(&s);
    }
}

TEST(queries_that_are_refused)
{
    scene s = scene_open();
    const pcs_system a = scene_solid_ball(&s, 1, 0.1, (double[3]){0}, NULL, 0);
    scene_start(&s);
    pcs_ray ray = pcs_ray_default();
    pcs_hit hit;
    pcs_closest out;
    const pcs_shape ball = pcs_shape_sphere(0.1), none = {0};
    pcs_probe probe = pcs_probe_of(&ball), bad = pcs_probe_of(&none);
    CK_FAILS(pcs_state_cast_rays(NULL, s.st, 1, &ray, &hit), PCS_ERR_ARG);
    CK_FAILS(pcs_state_cast_rays(s.m, NULL, 1, &ray, &hit), PCS_ERR_ARG);
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, 1, NULL, &hit), PCS_ERR_ARG);
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, -1, &ray, &hit), PCS_ERR_ARG);
    CK_OK(pcs_state_cast_rays(s.m, s.st, 0, NULL, NULL));
    ray.along[2] = 0;
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit), PCS_ERR_ARG);
    ray.along[2] = NAN;
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit), PCS_ERR_ARG);
    ray = pcs_ray_default();
    ray.reach = 0;
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit), PCS_ERR_ARG);
    bad.shape.orientation[0] = 0;
    CK_FAILS(pcs_state_closest(s.m, s.st, &bad, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_state_closest(s.m, s.st, NULL, &out), PCS_ERR_ARG);
    probe.q[3] = 0;
    CK_FAILS(pcs_state_closest(s.m, s.st, &probe, &out), PCS_ERR_ARG);
    probe = pcs_probe_of(&ball);
    probe.reach = NAN;
    CK_FAILS(pcs_state_closest(s.m, s.st, &probe, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_state_distance(s.m, s.st, a, a, 1, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_state_distance(s.m, s.st, a, (pcs_system){2}, 1, &out), PCS_ERR_ARG);
    CK_OK(pcs_state_distance(s.m, s.st, a, (pcs_system){0}, 1, &out));
    ck_assert(out.shape2 == -1 && out.shape1 == -1);

    // a model that has grown
    scene_ball(&s, 1, 0.1, (double[3]){1, 0, 0}, NULL);
    ray = pcs_ray_default();
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit), PCS_ERR_SIZE);
    CK_OK(pcs_state_extend(s.m, s.st));
    CK_OK(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit));
    ck_assert(hit.shape == 0 && hit.distance == 0 && hit.normal[2] == -1);
    memset(pcs_state_q(s.m, s.st, a) + 3, 0, 4 * sizeof(double));
    CK_FAILS(pcs_state_cast_rays(s.m, s.st, 1, &ray, &hit), PCS_ERR_ARG);
    scene_close(&s);
}
