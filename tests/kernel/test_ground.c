// Convex shapes on meshes and height fields: a flat floor of triangles is equal to a half-space,
// the surface of a convex body to this body from outside, a height field to the mesh of its
// triangles.
#include "scene.h"
#include "surfaces.h"

#include "rotation/rotation.h"

static surface_lists lists;

static pcs_shape random_solid(test_random *r, int kind)
{
    pcs_shape s = pcs_shape_sphere(random_between(r, 0.1, 0.4));
    if (kind == 1) {
        s = pcs_shape_box(random_between(r, 0.1, 0.8), random_between(r, 0.1, 0.8),
                          random_between(r, 0.1, 0.8));
    }
    if (kind == 2) s = pcs_shape_cylinder(random_between(r, 0.1, 0.4), random_between(r, 0.1, 0.8));
    if (kind == 3) s = pcs_shape_capsule(random_between(r, 0.1, 0.3), random_between(r, 0.1, 0.8));
    if (random_unit(r) < 0.7) random_place(r, &s);
    return s;
}

// every contact of a is also in b, at the same place with the same gap and normal
static void within(const contacts *a, const contacts *b, double tol)
{
    for (int i = 0; i < a->n; ++i) {
        double least = INFINITY;
        for (int j = 0; j < b->n; ++j) {
            double d[3], n[3];
            v3_sub(a->gap[i].P1, b->gap[j].P1, d);
            v3_sub(a->gap[i].N, b->gap[j].N, n);
            least = fmin(least, v3_norm(d) + v3_norm(n) + fabs(a->gap[i].g - b->gap[j].g));
        }
        ck_assert_msg(least <= tol, "contact %d of %d at (%g, %g, %g), gap %g, is nowhere in %d", i,
                      a->n, a->gap[i].P1[0], a->gap[i].P1[1], a->gap[i].P1[2], a->gap[i].g, b->n);
    }
}

static const double axes[5][4] = {{1, 0, 0, 0},
                                  {0.6, 0.8, 0, 0},
                                  {0.5, 0.5, 0.5, 0.5},
                                  {0.70710678118654752, 0, 0.70710678118654752, 0},
                                  {0.8, 0, 0, 0.6}};

TEST(flat_floor_is_a_half_space)
{
    test_random r = random_seed(31);
    const double up[3] = {0, 0, 1};
    const pcs_shape plane = pcs_shape_half_space(up, 0);
    static contacts a, b;
    for (int k = 0; k < TEST_DRAWS(600); ++k) {
        if (k % 20 == 0) flat_floor(&r, k % 40 == 0 ? 1 : 12, 4, &lists);
        pcs_geometry *g = make_mesh(&lists);
        pcs_shape floor = pcs_shape_mesh(g);
        const int kind = k % 3;
        const pcs_shape s = random_solid(&r, kind);
        double q[7];
        random_pose(&r, 1, q);
        if (k % 2) memcpy(q + 3, axes[k / 2 % 5], 4 * sizeof *q);

        // a shape at a height where it just touches, a little above, a little below
        q[2] = 5;
        const double fall = pair_gap(&s, q, &plane, NULL, 10);
        q[2] -= fall;
        const double offset[] = {0, 1e-9, -1e-9, 1e-3, -1e-3, 0.02, -0.02};
        q[2] += offset[k % 7];
        find_contacts(&s, q, &plane, NULL, 0.03, &a);
        find_contacts(&s, q, &floor, NULL, 0.03, &b);
        ck_assert_int_eq(a.n, b.n);
        within(&a, &b, 1e-12);
        within(&b, &a, 1e-12);
        pcs_geometry_destroy(g);
    }
}

// the gap of a sphere and of a box beside the surface of a box is that of the box itself
TEST(surface_of_a_box_is_the_box_from_outside)
{
    test_random r = random_seed(32);
    int apart = 0, overlaps = 0;
    for (int k = 0; k < TEST_DRAWS(1500); ++k) {
        pcs_shape box = pcs_shape_box(0.6, 0.8, 1);
        box_surface(box.half, 1 + k % 3, &lists);
        pcs_geometry *g = make_mesh(&lists);
        const pcs_shape mesh = pcs_shape_mesh(g);
        const pcs_shape s = random_solid(&r, k % 2);
        double q1[7], q2[7];
        random_pose(&r, 1, q1);
        random_pose(&r, 0.2, q2);
        const double want = pair_gap(&s, q1, &box, q2, 10);
        const double got = pair_gap(&s, q1, &mesh, q2, 10);
        if (want > 0) {
            apart += 1;
            CK_NEAR(got, want, 1e-12);
        } else if (want > -0.02) {
            overlaps += 1;
            CK_NEAR(got, want, 1e-9);
        }
        pcs_geometry_destroy(g);
    }
    ck_assert_int_ge(apart, TEST_DRAWS(300));
    ck_assert_int_ge(overlaps, TEST_DRAWS(10));
}

// Against the surface of a convex solid, whole or finely divided, a shape near an edge or a vertex
// has the gap that it has against the solid, with no jump where the two touch.
TEST(convex_surface_is_its_solid_at_edges_and_vertices)
{
    test_random r = random_seed(39);
    static const double offset[] = {1e-3,  1e-6,  1e-12, 0,     -1e-12, -1e-9,
                                    -1e-6, -1e-5, -1e-4, -1e-3, -1e-2};
    for (int k = 0; k < TEST_DRAWS(600); ++k) {
        const double half[3] = {0.3, 0.4, 0.5};
        if (k % 4 == 3) {
            icosphere(1, &lists);
        } else {
            box_surface(half, k % 4 == 2 ? 6 : 1 + k % 4, &lists);
        }
        pcs_geometry *g = make_mesh(&lists), *gs, *gh;
        CK_OK(pcs_geometry_create_hull(NULL, lists.nv, lists.vertex[0], &gs));
        const pcs_shape mesh = pcs_shape_mesh(g), solid = pcs_shape_hull(gs);
        pcs_shape cube = pcs_shape_box(0.4, 0.5, 0.6), hull = hull_of_box(&cube, &gh);
        const int kind = k % 5;
        const pcs_shape s = kind == 4 ? hull : random_solid(&r, kind);
        double q[7], at[3];
        random_pose(&r, 1.5, q);
        contacts c;
        find_contacts(&s, q, &solid, NULL, 10, &c);
        if (c.n > 0 && c.gap[0].g > 0) {
            v3_copy(q, at);
            for (int i = 0; i < (int)(sizeof offset / sizeof *offset); ++i) {
                // where a rim touches, its normal is rounding
                if (kind == 2 && fabs(offset[i]) < 1e-7) continue;
                v3_along(at, offset[i] - c.gap[0].g, c.gap[0].N, q);
                const double want = pair_gap(&s, q, &solid, NULL, 0.1);
                contacts m;
                find_contacts(&s, q, &mesh, NULL, 0.1, &m);
                ck_assert_int_ge(m.n, 1);
                const double got = m.gap[0].g;
                if (kind != 2) {
                    CK_NEAR(got, want, 2e-9);
                    continue;
                }

                // a cylinder and a hull may not find their shortest way apart; this one is one
                ck_assert(got >= want - 1e-8);
                v3_along(q, -got, m.gap[0].N, q);
                ck_assert(pair_gap(&s, q, &solid, NULL, 0.1) >= -1e-8);
            }
        }
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(gs);
        pcs_geometry_destroy(gh);
    }
}

// Large boxes and cylinders beside a small closed surface: where a face of it is in reach, points
// of them are below its plane, outside its border. There is no overlap.
TEST(nothing_is_beneath_a_surface_beside_the_shape)
{
    test_random r = random_seed(36);
    for (int k = 0; k < TEST_DRAWS(2000); ++k) {
        const double half[3] = {random_between(&r, 0.02, 0.05), random_between(&r, 0.02, 0.05),
                                random_between(&r, 0.02, 0.05)};
        box_surface(half, 1 + k % 3, &lists);
        pcs_geometry *g = make_mesh(&lists);
        const pcs_shape mesh = pcs_shape_mesh(g), large = random_solid(&r, 1 + k % 2);
        const pcs_shape solid = pcs_shape_box(2 * half[0], 2 * half[1], 2 * half[2]);
        double q[7];
        random_pose(&r, 0.3, q);
        const double want = pair_gap(&large, q, &solid, NULL, 1), tol = k % 2 ? 1e-9 : 1e-12;
        if (want > 0) CK_NEAR(pair_gap(&large, q, &mesh, NULL, 1), want, tol);
        pcs_geometry_destroy(g);
    }
}

TEST(box_as_a_hull_is_the_box)
{
    test_random r = random_seed(38);
    static contacts a, b;
    for (int k = 0; k < TEST_DRAWS(400); ++k) {
        const pcs_shape box = random_solid(&r, 1);
        pcs_geometry *g, *gh;
        if (k % 2) {
            icosphere(1, &lists);
        } else {
            flat_floor(&r, 6, 1, &lists);
        }
        g = make_mesh(&lists);
        const pcs_shape mesh = pcs_shape_mesh(g), hull = hull_of_box(&box, &gh);
        double q1[7], q2[7];
        random_pose(&r, 1, q1);
        random_pose(&r, 0.3, q2);
        find_contacts(&box, q1, &mesh, q2, 0.1, &a);
        find_contacts(&hull, q1, &mesh, q2, 0.1, &b);
        ck_assert_int_eq(a.n == 0, b.n == 0);
        if (a.n > 0) CK_NEAR(a.gap[0].g, b.gap[0].g, 1e-9);
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(gh);
    }
}

TEST(features_follow_their_gap)
{
    test_random r = random_seed(33);
    icosphere(1, &lists);
    pcs_geometry *g = make_mesh(&lists);
    const pcs_shape mesh = pcs_shape_mesh(g);
    const double h = 1e-6;
    for (int k = 0; k < TEST_DRAWS(1000); ++k) {
        const pcs_shape s = random_solid(&r, k % 4);
        double q1[7], q2[7], error;
        random_pose(&r, 1.2, q1);
        random_pose(&r, 0.1, q2);
        const double gap = pair_gap(&s, q1, &mesh, q2, 10);
        if (!(gap > 1e-3 && gap < 0.5)) continue;
        if (follows_gap(&r, &s, q1, &mesh, q2, 0.5, h, &error)) {
            // the gap of a cylinder, whose closest points are iterated, is good to 1e-9
            CK_NEAR(error, 0, (k % 4 == 2 ? 1e-9 : 1e-11) / fmin(gap, 1));
        }
    }
    pcs_geometry_destroy(g);
}

TEST(height_field_is_the_mesh_of_its_triangles)
{
    test_random r = random_seed(34);
    enum { NX = 9, NY = 7 };
    static double h[NX * NY];
    static contacts a, b;
    const double dx = 0.3, dy = 0.4;
    for (int k = 0; k < TEST_DRAWS(600); ++k) {
        lists.nv = lists.nt = 0;
        const double rough = k % 3 == 0 ? 0 : k % 3 == 1 ? 0.01 : 0.3;
        for (int j = 0; j < NY; ++j) {
            for (int i = 0; i < NX; ++i) {
                h[i + NX * j] = 0.2 * i - 0.1 * j + random_between(&r, -rough, rough);
                add_vertex(&lists, i * dx, j * dy, h[i + NX * j]);
            }
        }
        for (int j = 0; j + 1 < NY; ++j) {
            for (int i = 0; i + 1 < NX; ++i) {
                const int at = i + NX * j;
                add_triangle(&lists, at, at + 1, at + NX + 1);
                add_triangle(&lists, at, at + NX + 1, at + NX);
            }
        }
        pcs_geometry *gm = make_mesh(&lists), *gf;
        CK_OK(pcs_geometry_create_height_field(NULL, NX, NY, dx, dy, h, &gf));
        const pcs_shape mesh = pcs_shape_mesh(gm), field = pcs_shape_height_field(gf);
        const pcs_shape s = random_solid(&r, k % 4);
        double q1[7], q2[7];
        random_pose(&r, 1.2, q1);
        random_pose(&r, 0.3, q2);
        find_contacts(&s, q1, &mesh, q2, 0.3, &a);
        find_contacts(&s, q1, &field, q2, 0.3, &b);
        ck_assert_int_eq(a.n, b.n);
        within(&a, &b, 1e-9);
        pcs_geometry_destroy(gm);
        pcs_geometry_destroy(gf);
    }
}

TEST(a_small_capacity_returns_the_count_that_is_needed)
{
    // a table on the peaks of rough ground
    test_random r = random_seed(35);
    double h[400];
    for (int k = 0; k < 400; ++k) {
        h[k] = random_between(&r, 0, 0.3);
    }
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_height_field(NULL, 20, 20, 0.1, 0.1, h, &g));
    const pcs_shape mesh = pcs_shape_height_field(g), box = pcs_shape_box(3, 3, 0.2);
    static contacts c;
    const double q[7] = {1, 1, 0.4, 1, 0, 0, 0};
    find_contacts(&box, q, &mesh, NULL, 0.3, &c);
    const int n = c.n;
    ck_assert_int_gt(n, 20);
    pcs_feature f[CONTACTS_MAX];
    for (int capacity = 0; capacity < n; ++capacity) {
        f[capacity].kind = (pcs_feature_kind)-1;
        ck_assert_int_ge(pcs_collide(&box, q, &mesh, NULL, 0.3, capacity, capacity ? f : NULL), n);
        ck_assert_int_eq((int)f[capacity].kind, -1);
    }
    pcs_geometry_destroy(g);
}

// no result contains a NaN, and a shape without a position has no contact, whatever the triangles
TEST(invalid_numbers_give_no_invalid_contact)
{
    test_random r = random_seed(36);
    static contacts c;
    for (int k = 0; k < TEST_DRAWS(1500); ++k) {
        lists.nv = lists.nt = 0;
        for (int i = 0; i < 12; ++i) {
            double x[3];
            random_vector(&r, -1, 1, x);

            // flat, thin and coincident ones among them
            const int copy = (int)(random_unit(&r) * i);
            if (random_unit(&r) < 0.2) x[2] = 0;
            if (i > 0 && random_unit(&r) < 0.3) {
                v3_along(lists.vertex[copy], random_unit(&r) < 0.5 ? 0 : 1e-9, x, x);
            }
            add_vertex(&lists, x[0], x[1], x[2]);
        }
        for (int t = 0; t < 20; ++t) {
            add_triangle(&lists, (int)(12 * random_unit(&r)), (int)(12 * random_unit(&r)),
                         (int)(12 * random_unit(&r)));
        }
        pcs_geometry *g;
        if (pcs_geometry_create_mesh(NULL, lists.nv, lists.vertex[0], lists.nt, lists.triangle[0],
                                     &g)) {
            continue;
        }
        const pcs_shape mesh = pcs_shape_mesh(g), s = random_solid(&r, k % 4);
        double q[7];
        random_pose(&r, 1, q);
        find_contacts(&s, q, &mesh, NULL, 0.1, &c);

        const double bad[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30, 1e300};
        for (int i = 0; i < 6; ++i) {
            double p[7];
            memcpy(p, q, sizeof p);
            p[k % 3] = bad[i];
            ck_assert_int_eq(pcs_collide(&s, p, &mesh, NULL, 0.1, CONTACTS_MAX, c.f), 0);
            ck_assert_int_eq(pcs_collide(&mesh, p, &s, q, 0.1, CONTACTS_MAX, c.f), 0);
        }
        q[3 + k % 4] = NAN;
        ck_assert_int_eq(pcs_collide(&s, q, &mesh, NULL, 0.1, CONTACTS_MAX, c.f), 0);
        pcs_geometry_destroy(g);
    }
}

// A closed surface wound the other way is a room: what is outside of it, however near, touches
// nothing, neither the walls behind it nor those beside it that it is in front of.
TEST(a_room_is_not_felt_from_outside)
{
    test_random r = random_seed(45);
    const double half[3] = {0.3, 0.4, 0.5};
    int near = 0;
    for (int k = 0; k < TEST_DRAWS(1000); ++k) {
        if (k % 4 == 3) {
            icosphere(1, &lists);
        } else {
            box_surface(half, 1 + k % 4, &lists);
        }
        for (int t = 0; t < lists.nt; ++t) {
            const int first = lists.triangle[t][0];
            lists.triangle[t][0] = lists.triangle[t][1];
            lists.triangle[t][1] = first;
        }
        pcs_geometry *g = make_mesh(&lists), *gs, *gh;
        CK_OK(pcs_geometry_create_hull(NULL, lists.nv, lists.vertex[0], &gs));
        const pcs_shape room = pcs_shape_mesh(g), solid = pcs_shape_hull(gs);
        const pcs_shape cube = pcs_shape_box(0.4, 0.5, 0.6), hull = hull_of_box(&cube, &gh);
        const pcs_shape s = k % 5 == 4 ? hull : random_solid(&r, k % 5);
        double q[7];
        contacts c;
        random_pose(&r, 1.5, q);
        find_contacts(&s, q, &solid, NULL, 10, &c);
        if (c.n > 0 && c.gap[0].g > 0) {
            v3_along(q, 1e-3 - c.gap[0].g, c.gap[0].N, q);
            near += 1;
            ck_assert_int_eq(pcs_collide(&s, q, &room, NULL, 0.1, CONTACTS_MAX, c.f), 0);
        }
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(gs);
        pcs_geometry_destroy(gh);
    }
    ck_assert_int_ge(near, TEST_DRAWS(500));
}

// ---- prisms -----------------------------------------------------------------------------------

// n flat sides about the x axis, seen from inside, each of 2 m triangles
static void pipe_surface(int n, int m, double length, double R, surface_lists *s)
{
    s->nv = s->nt = 0;
    for (int j = 0; j <= m; ++j) {
        for (int i = 0; i < n; ++i) {
            const double a = 2 * acos(-1) * i / n;
            add_vertex(s, length * j / m, R * cos(a), R * sin(a));
        }
    }
    for (int k = 0; k < n * m; ++k) {
        const int a = k, b = k % n == n - 1 ? k + 1 - n : k + 1;
        add_triangle(s, a, a + n, b);
        add_triangle(s, b, a + n, b + n);
    }
}

// In a pipe with flat sides every normal is perpendicular to its axis: on the edges within a side,
// on those between two sides, and on the vertices of both.
TEST(normals_in_a_pipe_have_no_part_along_it)
{
    test_random r = random_seed(42);
    static contacts c;
    int near = 0;
    for (int k = 0; k < TEST_DRAWS(2000); ++k) {
        pipe_surface(5 + k % 12, 1 + k % 9, 4, 0.9, &lists); // any shape has room in it
        pcs_geometry *g, *hull = NULL;
        CK_OK(pcs_geometry_create_mesh(NULL, lists.nv, lists.vertex[0], lists.nt, lists.triangle[0],
                                       &g));
        const pcs_shape pipe = pcs_shape_mesh(g);
        pcs_shape s = random_solid(&r, k % 5);
        if (k % 5 == 4) {
            const pcs_shape box = random_solid(&r, 1);
            s = hull_of_box(&box, &hull);
        }
        memset(s.position, 0, sizeof s.position);
        double q[7];
        random_pose(&r, 0.02, q);
        q[0] += 2;
        if (k % 3 == 0) memcpy(q + 3, axes[k / 2 % 5], 4 * sizeof *q);
        const double offset[] = {0, 1e-9, -1e-9, 1e-6, -1e-6, 1e-3, -1e-3};
        for (int i = 0; i < 3; ++i) {
            q[2] -= pair_gap(&s, q, &pipe, NULL, 10) + (i == 2 ? offset[k % 7] : 0);
        }
        find_contacts(&s, q, &pipe, NULL, 0.03, &c);
        for (int i = 0; i < c.n; ++i) {
            ck_assert_msg(fabs(c.gap[i].N[0]) < 1e-15, "shape %d, contact %d: %g", k, i,
                          c.gap[i].N[0]);
        }
        near += c.n > 0;
        pcs_geometry_destroy(hull);
        pcs_geometry_destroy(g);
    }
    ck_assert_int_ge(near, TEST_DRAWS(1000));
}

// Triangles that bend by less than counts as an edge leave no gap between them: a ball above an
// edge or a vertex touches, as far as it is from the lowest or the highest triangle.
TEST(nearly_flat_triangles_leave_no_gap)
{
    test_random r = random_seed(43);
    const double bend = 2e-7;
    for (int k = 0; k < TEST_DRAWS(400); ++k) {
        flat_floor(&r, 6, 3, &lists);
        for (int i = 0; i < lists.nv; ++i) {
            lists.vertex[i][2] = random_between(&r, 0, 0.1) * bend;
        }
        pcs_geometry *g = make_mesh(&lists);
        const pcs_shape floor = pcs_shape_mesh(g), ball = pcs_shape_sphere(2);
        for (int i = 0; i < 10; ++i) {
            const int at = (int)(lists.nt * random_unit(&r));
            const double *one = lists.vertex[lists.triangle[at][0]];
            const double *two = lists.vertex[lists.triangle[at][1]];
            double q[7] = {0, 0, 2.0001, 1, 0, 0, 0}, along = i % 2 ? random_unit(&r) : 0;
            for (int j = 0; j < 2; ++j) {
                q[j] = one[j] + along * (two[j] - one[j]) + random_between(&r, -2, 2) * bend;
            }
            if (fabs(q[0]) > 2.9 || fabs(q[1]) > 2.9) continue;
            CK_NEAR(pair_gap(&ball, q, &floor, NULL, 0.01), 1e-4, bend);
        }
        pcs_geometry_destroy(g);
    }
}

// ---- moving -----------------------------------------------------------------------------------

// a box or a cylinder thrown flat over rough triangles in one plane moves as on the plane
static void slides_alike(test_random *r, int kind)
{
    const double up[3] = {0, 0, 1}, h = 2e-3;
    flat_floor(r, 12, 2, &lists);
    pcs_geometry *g = make_mesh(&lists);
    pcs_shape s = kind == 1 ? pcs_shape_box(0.3, 0.2, 0.1) : pcs_shape_sphere(0.1);
    if (kind == 2) s = pcs_shape_cylinder(0.1, 0.3);
    const pcs_shape floor[2] = {pcs_shape_half_space(up, 0), pcs_shape_mesh(g)};
    scene two[2];
    pcs_system b[2];
    for (int i = 0; i < 2; ++i) {
        two[i] = scene_open();
        const double density = 100;
        pcs_shape about_G;
        pcs_body_def def = pcs_body_def_default();
        CK_OK(pcs_body_def_of_shapes(1, &s, &density, &def, &about_G));
        def.position[0] = -1;
        def.position[1] = -0.4;
        def.position[2] = kind == 1 ? 0.05 : 0.1;
        if (kind == 2) memcpy(def.orientation, axes[3], sizeof def.orientation);
        def.velocity[0] = kind == 2 ? 0 : 2;
        def.velocity[1] = kind == 2 ? 2 : 1;
        CK_OK(pcs_model_add_body(two[i].m, &def, &b[i]));
        scene_rough(&two[i], b[i], about_G, 0, 0, 0.4);
        scene_rough(&two[i], (pcs_system){0}, floor[i], 0, 0, 0.4);
        scene_start(&two[i]);
    }
    for (int k = 0; k < 200; ++k) {
        scene_step(&two[0], h);
        scene_step(&two[1], h);
        ck_assert_int_eq(two[0].report.active, two[1].report.active);
    }
    for (int i = 0; i < 7; ++i) {
        CK_NEAR(scene_q(&two[1], b[1])[i], scene_q(&two[0], b[0])[i], 1e-9);
        if (i < 6) CK_NEAR(scene_v(&two[1], b[1])[i], scene_v(&two[0], b[0])[i], 1e-9);
    }
    ck_assert(scene_q(&two[0], b[0])[1] > -0.3);
    scene_close(&two[0]);
    scene_close(&two[1]);
    pcs_geometry_destroy(g);
}

TEST(flat_triangles_have_no_effect)
{
    test_random r = random_seed(37);
    for (int kind = 0; kind < 3; ++kind) {
        slides_alike(&r, kind);
    }
}

// A body of density 1000 falls onto a surface. In no step may the projection move it by `most`:
// there is a contact wherever it would overlap by the end of the step
static void falls_held(test_random *r, int number, pcs_shape shape, pcs_shape ground,
                       const double x[3], double most)
{
    const double density = 1000, h = 5e-3;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_body_def def = pcs_body_def_default();
    CK_OK(pcs_body_def_of_shapes(1, &shape, &density, &def, &shape));
    v3_copy(x, def.position);
    for (int i = 0; i < 3; ++i) {
        def.velocity[i] = random_between(r, -0.5, 0.5);
        def.omega[i] = random_between(r, -3, 3);
    }
    random_quaternion(r, def.orientation);
    const pcs_system b = scene_add(&s, &def);
    scene_rough(&s, b, shape, 0, 0, 0.4);
    scene_rough(&s, (pcs_system){0}, ground, 0, 0, 0.4);
    scene_start(&s);
    for (double *q = scene_q(&s, b); s.st->t < 1.2 && q[2] > -1;) {
        double before[3], moved[3];
        v3_copy(q, before);
        scene_step(&s, h);
        v3_along(before, h, scene_v(&s, b), before);
        v3_sub(q, before, moved);
        ck_assert_msg(v3_norm(moved) < most, "body %d, t = %g: %g m", number, s.st->t,
                      v3_norm(moved));
    }
    scene_close(&s);
}

// cubes fall onto the surface of a larger one and tip over its edges
TEST(what_tips_over_an_edge_is_held_by_it)
{
    test_random r = random_seed(40);
    const double half[3] = {0.5, 0.5, 0.5};
    for (int k = 0; k < 24; ++k) {
        box_surface(half, k % 2 ? 6 : 1, &lists);
        pcs_geometry *g = make_mesh(&lists);
        const double x[3] = {random_between(&r, -0.7, 0.7), random_between(&r, -0.7, 0.7), 1.1};
        falls_held(&r, k, pcs_shape_box(0.5, 0.5, 0.5), pcs_shape_mesh(g), x, 2e-3);
        pcs_geometry_destroy(g);
    }
}

// corners of hulls slide into steep valleys: they are above the triangle across only when they are
// beyond the edge
TEST(what_slides_into_a_valley_is_held_by_both_sides)
{
    enum { SIDE = 21 };
    test_random r = random_seed(41);
    for (int k = 0; k < 60; ++k) {
        double heights[SIDE * SIDE], p[12][3];
        for (int i = 0; i < SIDE * SIDE; ++i) {
            heights[i] = random_between(&r, -0.12, 0.12);
        }
        for (int i = 0; i < 36; ++i) {
            p[i / 3][i % 3] = random_between(&r, -0.25, 0.25);
        }
        pcs_geometry *g, *hull;
        CK_OK(pcs_geometry_create_height_field(NULL, SIDE, SIDE, 0.25, 0.25, heights, &g));
        CK_OK(pcs_geometry_create_hull(NULL, 12, p[0], &hull));
        const double x[3] = {random_between(&r, 2, 3), random_between(&r, 2, 3), 1};
        falls_held(&r, k, k % 3 ? pcs_shape_hull(hull) : pcs_shape_box(0.4, 0.3, 0.2),
                   pcs_shape_height_field(g), x, 4e-3);
        pcs_geometry_destroy(hull);
        pcs_geometry_destroy(g);
    }
}

// Without friction a body in a pipe with flat sides keeps its speed along it to rounding, whatever
// it meets: in landings, on its rolls from side to side, and over the seams of each side.
TEST(speed_along_a_pipe_is_kept)
{
    test_random r = random_seed(44);
    const double h = 5e-3;
    for (int k = 0; k < 20; ++k) {
        const double density = 1000;
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pipe_surface(16, 8, 20, 0.5, &lists);
        pcs_geometry *g = make_mesh(&lists);
        pcs_shape shape = k % 4 == 1   ? pcs_shape_box(0.15, 0.1, 0.1)
                          : k % 4 == 2 ? pcs_shape_cylinder(0.08, 0.12)
                          : k % 4 == 3 ? pcs_shape_capsule(0.08, 0.1)
                                       : pcs_shape_sphere(0.1);
        pcs_body_def def = pcs_body_def_default();
        CK_OK(pcs_body_def_of_shapes(1, &shape, &density, &def, &shape));
        random_vector(&r, -0.2, 0.2, def.position);
        random_vector(&r, -2, 2, def.velocity);
        random_vector(&r, -3, 3, def.omega);
        random_quaternion(&r, def.orientation);
        def.position[0] = 1;
        def.velocity[0] = random_between(&r, 1, 6);
        const pcs_system b = scene_add(&s, &def);
        scene_rough(&s, b, shape, k % 8 < 4 ? 0 : 0.5, 0, 0);
        scene_rough(&s, (pcs_system){0}, pcs_shape_mesh(g), k % 8 < 4 ? 0 : 0.5, 0, 0);
        scene_start(&s);
        while (s.st->t < 3) {
            scene_step(&s, h);
            CK_NEAR(scene_v(&s, b)[0], def.velocity[0], 1e-13);
        }
        scene_close(&s);
        pcs_geometry_destroy(g);
    }
}

// a disk that rolls upright without slipping keeps its speed and its height
TEST(disk_rolls_smoothly)
{
    const double up[3] = {0, 0, 1}, h = 5e-3, R = 0.1, density = 1000;
    scene s = scene_open();
    pcs_shape disk = pcs_shape_cylinder(R, 0.02);
    pcs_body_def def = pcs_body_def_default();
    CK_OK(pcs_body_def_of_shapes(1, &disk, &density, &def, &disk));
    def.position[2] = R;
    memcpy(def.orientation, axes[3], sizeof def.orientation); // its axis along x
    def.velocity[1] = 1;
    def.omega[2] = -1 / R;
    const pcs_system b = scene_add(&s, &def);
    scene_rough(&s, b, disk, 0, 0, 0.5);
    scene_rough(&s, (pcs_system){0}, pcs_shape_half_space(up, 0), 0, 0, 0.5);
    scene_start(&s);
    const double energy = scene_kinetic(&s);
    for (int k = 0; k < 400; ++k) {
        scene_step(&s, h);
        CK_NEAR(scene_q(&s, b)[2], R, 1e-12);
        CK_NEAR(scene_kinetic(&s), energy, 1e-12);
    }
    CK_NEAR(scene_q(&s, b)[1], 400 * h, 1e-10);
    scene_close(&s);
}

// A cylinder stands on the floor of a valley, deep in its slope: its lowest points over the two are
// different, and both faces push, whatever the rotation of the cylinder by rounding.
TEST(a_standing_cylinder_feels_both_sides_of_a_valley)
{
    const double slope = 0.4, deep = 0.1, half = 0.1, R = 0.2;
    const double heights[6] = {0, 0, tan(slope), 0, 0, tan(slope)};
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 1, 1, heights, &g));
    pcs_shape field = pcs_shape_height_field(g), cylinder = pcs_shape_cylinder(R, 2 * half);
    field.position[0] = -1;
    field.position[1] = -0.43;
    for (int k = 0; k < 9; ++k) {
        const double q[7] = {deep - R, 0, half, 1, (k % 3 - 1) * 1e-15, (k / 3 - 1) * 1e-15, 0};
        contacts c;
        find_contacts(&cylinder, q, &field, NULL, 0.01, &c);
        double flat = INFINITY, steep = INFINITY;
        for (int i = 0; i < c.n; ++i) {
            double *least = c.gap[i].N[2] > 0.999 ? &flat : &steep;
            *least = fmin(*least, c.gap[i].g);
        }
        CK_NEAR(flat, 0, 1e-13);
        CK_NEAR(steep, -deep * sin(slope), 1e-13);
    }
    pcs_geometry_destroy(g);
}

// ---- valleys ----------------------------------------------------------------------------------

// the planes of a valley or a corner: inward unit normals N and distances from the origin
typedef struct planes {
    int n;
    double N[3][3], at[3];
} planes;

static const double overlaps[5] = {0, 1e-9, 1e-8, 1e-6, 1e-5};

// z = |x| tan(slope) for |x|, |y| <= 1, 2 n x n cells
static void valley_surface(double slope, int n, bool field, pcs_shape *ground, pcs_geometry **g,
                           planes *p)
{
    enum { SIDE = 21 };
    double h[SIDE * SIDE];
    const int nx = 2 * n + 1;
    lists.nv = lists.nt = 0;
    for (int k = 0; k < nx * (n + 1); ++k) {
        const double x = (double)(k % nx - n) / n, y = 2.0 * (k / nx) / n - 1;
        h[k] = fabs(x) * tan(slope);
        add_vertex(&lists, x, y, h[k]);
        if (k % nx == nx - 1 || k / nx == n) continue;
        add_triangle(&lists, k, k + 1, k + nx + 1);
        add_triangle(&lists, k, k + nx + 1, k + nx);
    }
    if (field) {
        CK_OK(pcs_geometry_create_height_field(NULL, nx, n + 1, 1.0 / n, 2.0 / n, h, g));
        *ground = pcs_shape_height_field(*g);
        ground->position[0] = ground->position[1] = -1;
    } else {
        *g = make_mesh(&lists);
        *ground = pcs_shape_mesh(*g);
    }
    *p = (planes){
        .n = 2, .N = {{sin(slope), 0, cos(slope)}, {-sin(slope), 0, cos(slope)}}, .at = {0, 0}};
}

// the inside of a cube with edges 2
static void room_surface(int n, pcs_shape *ground, pcs_geometry **g)
{
    const double half[3] = {1, 1, 1};
    box_surface(half, n, &lists);
    for (int t = 0; t < lists.nt; ++t) {
        const int first = lists.triangle[t][0];
        lists.triangle[t][0] = lists.triangle[t][1];
        lists.triangle[t][1] = first;
    }
    *g = make_mesh(&lists);
    *ground = pcs_shape_mesh(*g);
}

enum { POINTED_KINDS = 5, POINTED_MAX = 8 };

typedef struct pointed {
    pcs_shape shape;
    pcs_geometry *hull;
    double vertex[POINTED_MAX][3];
    int n; // 0: the cylinder
} pointed;

// a box, the same as a hull, a tetrahedron, an octahedron, a cylinder
static void pointed_solid(int kind, double a, pointed *s)
{
    const double b = a / sqrt(2);
    s->hull = NULL;
    s->n = kind < 2 ? 8 : kind == 2 ? 4 : kind == 3 ? 6 : 0;
    for (int k = 0; k < s->n; ++k) {
        // the tetrahedron has every other corner of the cube
        const int corner = kind == 2 ? k ^ (k & 1 ? 4 : 0) ^ (k & 2 ? 4 : 0) : k;
        for (int i = 0; i < 3; ++i) {
            s->vertex[k][i] = kind == 3         ? (k / 2 == i ? (k % 2 ? a : -a) : 0)
                              : corner >> i & 1 ? b
                                                : -b;
        }
    }
    if (kind == 0) s->shape = pcs_shape_box(2 * b, 2 * b, 2 * b);
    if (kind == 4) s->shape = pcs_shape_cylinder(b, 2 * b);
    if (kind == 0 || kind == 4) return;
    CK_OK(pcs_geometry_create_hull(NULL, s->n, s->vertex[0], &s->hull));
    s->shape = pcs_shape_hull(s->hull);
}

// the least height of the shape over the plane through the origin with the normal N
static double least_height(const pointed *s, const double q[7], const double N[3])
{
    double least = INFINITY, own[3];
    quat_turn(q + 3, -1, N, own);
    if (s->n == 0)
        least = -s->shape.half[2] * fabs(own[2]) - s->shape.radius * hypot(own[0], own[1]);
    for (int k = 0; k < s->n; ++k) {
        least = fmin(least, v3_dot(own, s->vertex[k]));
    }
    return v3_dot(N, q) + least;
}

// moves a shape to the given overlaps with two planes, and to y, or with three planes
static void put_into(const pointed *s, const planes *p, const double overlap[3], double y,
                     double q[7])
{
    q[0] = q[2] = 0;
    q[1] = p->n == 2 ? y : 0;
    double cross[3], t[3] = {0, 0, 0};
    const double along_y[3] = {0, 1, 0};
    const double *N[3] = {p->N[0], p->N[1], p->n == 2 ? along_y : p->N[2]};
    for (int i = 0; i < 3; ++i) {
        v3_cross(N[(i + 1) % 3], N[(i + 2) % 3], cross);
        const double by = i < p->n ? p->at[i] - overlap[i] - least_height(s, q, N[i]) : 0;
        v3_along(t, by / v3_dot(cross, N[i]), cross, t);
    }
    v3_along(q, 1, t, q);
}

// the deepest overlap with the planes
static double overlap_of(const pointed *s, const planes *p, const double q[7])
{
    double deepest = 0;
    for (int i = 0; i < p->n; ++i) {
        deepest = fmax(deepest, p->at[i] - least_height(s, q, p->N[i]));
    }
    return deepest;
}

// In a valley and in a corner of three walls the free space is above all planes: however little or
// much a vertex or an edge overlaps with them, each has a contact with the overlap with its plane.
TEST(what_is_beneath_both_sides_of_a_valley_touches_both)
{
    test_random r = random_seed(61);
    for (int k = 0; k < TEST_DRAWS(2500); ++k) {
        pcs_geometry *g;
        pcs_shape ground;
        planes p;
        pointed s;
        if (k % 3 < 2) {
            const double slope = random_between(&r, 0.1, 1.2);
            valley_surface(slope, 1 + k % 5, k % 3, &ground, &g, &p);
        } else {
            room_surface(1 + k % 4, &ground, &g);
            p = (planes){.n = 3, .N = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .at = {-1, -1, -1}};
            random_quaternion(&r, ground.orientation);
            for (int i = 0; i < 3; ++i) {
                quat_turn(ground.orientation, 1, p.N[i], p.N[i]);
            }
        }
        pointed_solid(k / 3 % POINTED_KINDS, random_between(&r, 0.05, 0.2), &s);
        double overlap[3], q[7] = {0};
        for (int i = 0; i < 3; ++i) {
            overlap[i] = overlaps[(int)random_between(&r, 0, 4.999)];
        }
        random_quaternion(&r, q + 3);
        if (k % 7 == 0) memcpy(q + 3, (double[4]){cos(0.4), 0, sin(0.4), 0}, 4 * sizeof *q);
        put_into(&s, &p, overlap, random_between(&r, -0.6, 0.6), q);
        contacts c;
        find_contacts(&s.shape, q, &ground, NULL, 0.01, &c);
        for (int i = 0; i < p.n; ++i) {
            double least = INFINITY;
            for (int j = 0; j < c.n; ++j) {
                if (v3_dot(c.gap[j].N, p.N[i]) > 1 - 1e-12) least = fmin(least, c.gap[j].g);
            }
            ck_assert_msg(fabs(least + overlap[i]) < 1e-12, "draw %d, plane %d: gap %g, overlap %g",
                          k, i, least, overlap[i]);
        }
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(s.hull);
    }
}

// The walls of a room with an outside, 0.1 m thick: a shape that overlaps with one side has the
// contacts that it has with this side alone. Nothing beyond a wall is in the valleys of the other.
TEST(a_thick_wall_keeps_its_sides_apart)
{
    test_random r = random_seed(63);
    const double outer[3] = {1.1, 1.1, 1.1};
    for (int k = 0; k < TEST_DRAWS(600); ++k) {
        pcs_geometry *g, *sides[2], *solid;
        pcs_shape side[2];
        static surface_lists shell;
        static contacts alone, both;
        pointed s;
        const bool inside = k % 2;
        box_surface(outer, 1 + k % 3, &shell);
        sides[0] = make_mesh(&shell);
        side[0] = pcs_shape_mesh(sides[0]);
        room_surface(1 + k % 4, &side[1], &sides[1]);
        const int first = shell.nv;
        for (int v = 0; v < lists.nv; ++v) {
            add_vertex(&shell, lists.vertex[v][0], lists.vertex[v][1], lists.vertex[v][2]);
        }
        for (int t = 0; t < lists.nt; ++t) {
            add_triangle(&shell, first + lists.triangle[t][0], first + lists.triangle[t][1],
                         first + lists.triangle[t][2]);
        }
        g = make_mesh(&shell);
        box_surface(outer, 1, &shell);
        CK_OK(pcs_geometry_create_hull(NULL, shell.nv, shell.vertex[0], &solid));
        const pcs_shape wall = pcs_shape_mesh(g), full = pcs_shape_hull(solid);
        pointed_solid(k / 2 % (POINTED_KINDS - 1), 0.4, &s);
        double q[7] = {0}, overlap[3];
        random_quaternion(&r, q + 3);
        for (int i = 0; i < 3; ++i) {
            overlap[i] = overlaps[(int)random_between(&r, 0, 4.999)];
        }
        if (inside) {
            const planes p = {.n = 3, .N = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .at = {-1, -1, -1}};
            put_into(&s, &p, overlap, 0, q);
        } else {
            contacts c;
            random_vector(&r, -1.6, 1.6, q);
            q[k / 2 % 3] = 1.7;
            find_contacts(&s.shape, q, &full, NULL, 10, &c);
            if (c.n > 0) v3_along(q, -overlap[0] - c.gap[0].g, c.gap[0].N, q);
        }
        find_contacts(&s.shape, q, &side[inside], NULL, 0.05, &alone);
        find_contacts(&s.shape, q, &wall, NULL, 0.05, &both);
        ck_assert_int_gt(alone.n, 0);
        ck_assert_msg(alone.n == both.n, "draw %d: %d contacts alone, %d", k, alone.n, both.n);
        within(&alone, &both, 1e-9);
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(sides[0]);
        pcs_geometry_destroy(sides[1]);
        pcs_geometry_destroy(solid);
        pcs_geometry_destroy(s.hull);
    }
}

// A body that stands on an edge or a vertex in a valley, with its centre of mass above it, has
// contact forces that carry its weight, whatever the overlap.
TEST(contacts_in_a_valley_carry_the_weight)
{
    const double diagonal = 0.5 * acos(1 / sqrt(3)), part = sin(diagonal) / sqrt(2);
    const double stands[POINTED_KINDS][4] = {{cos(acos(-1) / 8), 0, sin(acos(-1) / 8), 0},
                                             {cos(diagonal), part, -part, 0},
                                             {cos(diagonal), part, -part, 0},
                                             {1, 0, 0, 0},
                                             {cos(acos(-1) / 8), 0, sin(acos(-1) / 8), 0}};
    const double h = 2e-3, density = 1000;
    for (int k = 0; k < 2 * POINTED_KINDS * 5 * 2; ++k) {
        const int kind = k / 2 % POINTED_KINDS;
        pcs_geometry *g;
        pcs_shape ground;
        planes p;
        pointed body;
        valley_surface(k / 50 ? 0.6 : 0.2, 3, k % 2, &ground, &g, &p);
        pointed_solid(kind, 0.1, &body);
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pcs_body_def def = pcs_body_def_default();
        CK_OK(pcs_body_def_of_shapes(1, &body.shape, &density, &def, &body.shape));
        double q[7] = {0}, overlap[3] = {0};
        memcpy(q + 3, stands[kind], sizeof stands[kind]);
        overlap[0] = overlap[1] = overlaps[k / 10 % 5] * cos(k / 50 ? 0.6 : 0.2);
        put_into(&body, &p, overlap, 0.1, q);
        v3_copy(q, def.position);
        memcpy(def.orientation, q + 3, sizeof def.orientation);
        const pcs_system b = scene_add(&s, &def);
        scene_rough(&s, b, body.shape, 0, 0, 1);
        scene_rough(&s, (pcs_system){0}, ground, 0, 0, 1);
        scene_start(&s);
        for (int i = 0; i < 5; ++i) {
            scene_step(&s, h);
            const double speed = v3_norm(scene_v(&s, b));
            ck_assert_msg(speed < 1e-7 * 9.81 * h, "case %d: %g m/s", k, speed);
            ck_assert_msg(fabs(s.report.penetration - overlap[0]) < 1e-10,
                          "case %d: penetration %g", k, s.report.penetration);
        }
        scene_close(&s);
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(body.hull);
    }
}

static int turns(void *user, double t, double q[7], double v[6])
{
    const double *w = user, *start = w + 3, speed = v3_norm(w), half = 0.5 * speed * t;
    const double Q[4] = {cos(half), sin(half) * w[0] / speed, sin(half) * w[1] / speed,
                         sin(half) * w[2] / speed};
    memset(q, 0, 3 * sizeof *q);
    memset(v, 0, 3 * sizeof *v);
    quat_mul(Q, start, q + 3);
    quat_turn(q + 3, -1, w, v + 3);
    return 0;
}

// Bodies that drop into a valley, or move in a room that rests or turns, stay above all planes: at
// no end of a step is one deeper beneath any of them than the report says.
TEST(nothing_leaves_a_valley_or_a_room)
{
    test_random r = random_seed(62);
    for (int k = 0; k < TEST_DRAWS(60); ++k) {
        const int kind = 2 + k / 3 % 2, mode = k % 3;
        const double density = 1000, h = 4e-3;
        pcs_geometry *g;
        pcs_shape ground;
        planes p = {0};
        pointed body;
        double turn[7] = {0, 0, 0, 1, 0, 0, 0};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        pcs_body_def def = pcs_body_def_default();
        pointed_solid(k % 7 == 0 ? 0 : kind, 0.1, &body);
        CK_OK(pcs_body_def_of_shapes(1, &body.shape, &density, &def, &body.shape));
        random_quaternion(&r, def.orientation);
        random_vector(&r, -3, 3, def.omega);
        const pcs_system b = scene_add(&s, &def);
        pcs_system on = {0};
        const double mu = 0.3 * (k / 2 % 3);
        if (mode == 0) {
            valley_surface(random_between(&r, 0.2, 1), 3, k % 2, &ground, &g, &p);
        } else {
            room_surface(1 + k % 3, &ground, &g);
            random_vector(&r, -1, 1, turn);
            v3_scale(mode == 2 ? 1 : 1e-9, turn, turn);
            random_quaternion(&r, turn + 3);
            pcs_body_def room = pcs_body_def_default();
            room.motion = turns;
            room.user = turn;
            on = scene_add(&s, &room);
        }
        scene_rough(&s, b, body.shape, 0, 0, mu);
        scene_rough(&s, on, ground, 0, 0, mu);
        scene_start(&s);
        double *q = scene_q(&s, b);
        q[2] = mode == 0 ? 0.3 : 0;
        while (s.st->t < 1.2 && fabs(q[0]) < 0.8 && fabs(q[1]) < 0.8) {
            scene_step(&s, h);
            double own[7];
            memcpy(own, q, sizeof own);
            if (mode > 0) {
                // the walls around the body, in its frame
                const double *room = scene_q(&s, on);
                double x[3];
                quat_turn(room + 3, -1, q, x);
                p.n = 3;
                for (int i = 0; i < 3; ++i) {
                    double N[3] = {0, 0, 0};
                    N[i] = x[i] > 0 ? -1 : 1;
                    quat_turn(room + 3, 1, N, p.N[i]);
                    p.at[i] = -1;
                }
            }
            const double deep = overlap_of(&body, &p, own);
            ck_assert_msg(deep <= s.report.penetration + 1e-9 && deep < 1e-4,
                          "draw %d, t = %g: overlap %g, penetration %g", k, s.st->t, deep,
                          s.report.penetration);
        }
        scene_close(&s);
        pcs_geometry_destroy(g);
        pcs_geometry_destroy(body.hull);
    }
}
