// Convex hulls, and the pairs of spheres, capsules, boxes and hulls; cloud.h says how a gap is
// proved.
#include "support.h"

#include <stdio.h>

#include <percuss/inertia.h>
#include <percuss/rotation.h>

#include "cloud.h"
#include "collide/broad.h"
#include "collide/geometry.h"
#include "linalg/m3.h"
#include "rotation/pose.h"

static const proof strict = {1e-13, 2e-12, 2e-12};

// ---- making hulls

TEST(a_cube_has_six_faces)
{
    // a cube with points inside, on faces, on edges, and twice
    double x[300];
    test_random r = random_seed(1);
    for (int order = 0; order < 20; ++order) {
        int n = 0;
        for (int i = 0; i < 27; ++i) {
            x[3 * n] = i % 3 - 1;
            x[3 * n + 1] = i / 3 % 3 - 1;
            x[3 * n++ + 2] = i / 9 - 1;
        }
        for (int i = 0; i < 40; ++i) {
            random_vector(&r, -1, 1, x + 3 * n++);
        }
        for (int i = 0; i < 30; ++i) {
            memcpy(x + 3 * n++, x + 3 * i, 3 * sizeof *x);
        }
        for (int i = n - 1; i > 0; --i) {
            const int j = (int)(random_unit(&r) * (i + 1));
            double t[3];
            memcpy(t, x + 3 * i, sizeof t);
            memcpy(x + 3 * i, x + 3 * j, sizeof t);
            memcpy(x + 3 * j, t, sizeof t);
        }
        pcs_geometry *g = hull_of(n, x);
        const polyhedron *h = &g->of.hull;
        ck_assert_int_eq(h->n_vertices, 8);
        ck_assert_int_eq(h->n_edges, 12);
        ck_assert_int_eq(h->n_faces, 6);
        for (int f = 0; f < 6; ++f) {
            ck_assert_int_eq(h->first[f + 1] - h->first[f], 4);
            CK_NEAR(h->offset[f], 1, 1e-15);
        }
        pcs_geometry_destroy(g);
    }
}

// everything that polyhedron.h says of the arrays
static void check_polyhedron(const polyhedron *h)
{
    ck_assert_int_eq(h->n_vertices - h->n_edges + h->n_faces, 2);
    for (int f = 0; f < h->n_faces; ++f) {
        CK_NEAR(v3_norm(polyhedron_normal(h, f)), 1, 1e-15);
        double most = -INFINITY;
        for (int v = 0; v < h->n_vertices; ++v) {
            most = fmax(most, v3_dot(polyhedron_normal(h, f), polyhedron_vertex(h, v)));
        }
        CK_NEAR(most, h->offset[f], 1e-11 * h->extent);
        for (int k = h->first[f]; k < h->first[f + 1]; ++k) {
            const int a = h->corner[k];
            const int b = h->corner[k + 1 < h->first[f + 1] ? k + 1 : h->first[f]];
            const int *e = h->edge + 4 * h->side[k];
            const bool up = e[0] == a;
            ck_assert_int_eq(e[!up], a);
            ck_assert_int_eq(e[up], b);
            ck_assert_int_eq(e[up ? 2 : 3], f);
            ck_assert_int_eq(polyhedron_edge(h, a, b), h->side[k]);
            CK_NEAR(v3_dot(polyhedron_normal(h, f), polyhedron_vertex(h, a)), h->offset[f],
                    1e-11 * h->extent);
        }
    }
    for (int v = 0; v < h->n_vertices; ++v) {
        for (int k = h->about[v]; k < h->about[v + 1]; ++k) {
            const int *e = h->edge + 4 * h->spoke[k];
            ck_assert((e[0] == v && e[1] == h->next[k]) || (e[1] == v && e[0] == h->next[k]));
        }
        ck_assert_int_ge(h->about[v + 1] - h->about[v], 3);
    }
}

TEST(hulls_are_closed)
{
    test_random r = random_seed(2);
    static double x[3 * 1000];
    for (int k = 0; k < TEST_DRAWS(200); ++k) {
        const int n = k < 3 ? 1000 : 4 + k % 60;
        const double size = pow(10, random_between(&r, -6, 6));
        for (int i = 0; i < n; ++i) {
            double *p = x + 3 * i;
            random_vector(&r, -1, 1, p);
            if (k % 3 == 0) v3_unit(p, p);              // all of them vertices
            if (k % 3 == 1) p[i % 3] = round(p[i % 3]); // many in a few planes
            v3_scale(size, p, p);
            if (k % 2) p[0] += 3 * size;
        }
        pcs_geometry *g = hull_of(n, x);
        check_polyhedron(&g->of.hull);
        if (k % 3 == 0) ck_assert_int_eq(g->of.hull.n_vertices, n);

        // the same in any order of the points
        for (int i = n - 1; i > 0; --i) {
            const int j = (int)(random_unit(&r) * (i + 1));
            double t[3];
            v3_copy(x + 3 * i, t);
            v3_copy(x + 3 * j, x + 3 * i);
            v3_copy(t, x + 3 * j);
        }
        pcs_geometry *again = hull_of(n, x);
        const polyhedron *a = &g->of.hull, *b = &again->of.hull;
        ck_assert_int_eq(a->n_vertices, b->n_vertices);
        ck_assert_int_eq(a->n_edges, b->n_edges);
        ck_assert_int_eq(a->n_faces, b->n_faces);
        ck_assert_mem_eq(a->vertex, b->vertex, 3 * (size_t)a->n_vertices * sizeof *a->vertex);
        ck_assert_mem_eq(a->normal, b->normal, 3 * (size_t)a->n_faces * sizeof *a->normal);
        ck_assert_mem_eq(a->edge, b->edge, 4 * (size_t)a->n_edges * sizeof *a->edge);
        pcs_geometry_destroy(again);
        pcs_geometry_destroy(g);
    }
}

TEST(bad_points_are_refused)
{
    double x[60];
    pcs_geometry *g;
    test_random r = random_seed(3);
    for (int i = 0; i < 20; ++i) {
        random_vector(&r, -1, 1, x + 3 * i);
    }
    CK_FAILS(pcs_geometry_create_hull(NULL, 3, x, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_hull(NULL, 0, x, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_hull(NULL, -5, x, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_hull(NULL, 20, NULL, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_hull(NULL, 20, x, NULL), PCS_ERR_ARG);
    static const double wrong[] = {NAN, INFINITY, -INFINITY, 1e31};
    for (int k = 0; k < 4; ++k) {
        const double kept = x[17];
        x[17] = wrong[k];
        CK_FAILS(pcs_geometry_create_hull(NULL, 20, x, &g), PCS_ERR_ARG);
        ck_assert_ptr_null(g);
        x[17] = kept;
    }

    // points in a plane, on a line, at one point: exactly, rotated, and nearly
    for (int k = 0; k < 60; ++k) {
        double y[60], Q[4];
        random_quaternion(&r, Q);
        for (int i = 0; i < 20; ++i) {
            const double thin = k < 20 ? 0 : 1e-10 * x[3 * i];
            const double flat[3] = {k % 3 == 2 ? thin : x[3 * i], k % 3 >= 1 ? thin : x[3 * i + 1],
                                    thin};
            quat_turn(Q, 1, flat, y + 3 * i);
            if (k % 3 == 2 && k >= 20) v3_scale(0, flat, y + 3 * i);
        }
        CK_FAILS(pcs_geometry_create_hull(NULL, 20, y, &g), PCS_ERR_ARG);
    }

    // one point so far away that the others count as one
    x[0] = 1e30;
    CK_FAILS(pcs_geometry_create_hull(NULL, 20, x, &g), PCS_ERR_ARG);
    pcs_geometry_destroy(NULL);
    pcs_shape s = pcs_shape_hull(NULL);
    CK_FAILS(pcs_shape_check(&s), PCS_ERR_ARG);
}

TEST(memory_runs_out)
{
    test_random r = random_seed(4);
    double x[60];
    for (int i = 0; i < 20; ++i) {
        random_vector(&r, -1, 1, x + 3 * i);
    }
    for (long k = 0;; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_geometry *g;
        const pcs_status status = pcs_geometry_create_hull(&env, 20, x, &g);
        if (status == PCS_OK) pcs_geometry_destroy(g);
        ck_assert_int_eq(memory.live, 0);
        if (status == PCS_OK) break;
        ck_assert_int_eq(status, PCS_ERR_MEMORY);
    }
}

TEST(mass_and_bounds)
{
    // a cube as a hull; random bounds against all vertices
    pcs_geometry *g = box_hull(1, 2, 3);
    const pcs_shape s = pcs_shape_hull(g), box = pcs_shape_box(1, 2, 3);
    CK_OK(pcs_shape_check(&s));
    pcs_inertia a, b;
    CK_OK(pcs_inertia_of_shape(&s, 7, &a));
    CK_OK(pcs_inertia_of_shape(&box, 7, &b));
    CK_NEAR(a.m, b.m, 1e-13);
    for (int i = 0; i < 9; ++i) {
        CK_NEAR(a.J[i], b.J[i], 1e-13);
        CK_NEAR(a.G[i % 3], 0, 1e-15);
    }
    pcs_geometry_destroy(g);

    test_random r = random_seed(5);
    for (int k = 0; k < 100; ++k) {
        pcs_geometry *h = random_hull(&r, 4 + k % 37, 1);
        pcs_shape t = pcs_shape_hull(h);
        double q[7], low[3], high[3];
        random_pose(&r, q, 1);
        random_vector(&r, -1, 1, t.position);
        random_quaternion(&r, t.orientation);
        bool unbounded;
        collide_bounds(&t, q, 0, low, high, &unbounded);
        const cloud c = cloud_of(&t, q);
        for (int i = 0; i < 3; ++i) {
            double least = INFINITY, most = -INFINITY;
            for (int v = 0; v < c.n; ++v) {
                least = fmin(least, c.x[v][i]);
                most = fmax(most, c.x[v][i]);
            }
            CK_NEAR(low[i], least, 1e-14);
            CK_NEAR(high[i], most, 1e-14);
        }
        pcs_geometry_destroy(h);
    }
}

// ---- pairs

static void prove_pairs(int which)
{
    const pcs_shape_kind *kinds = pairs[which];
    test_random r = random_seed(10 + (uint64_t)which);
    int seen[6] = {0}, touching = 0, deep = 0;
    for (int k = 0; k < TEST_DRAWS(1500); ++k) {
        pcs_shape s1 = random_shape(&r, kinds[0], 1), s2 = random_shape(&r, kinds[1], 1);
        double q1[7], q2[7];
        random_pose(&r, q1, k % 2 ? 0.4 : 0.8);
        random_pose(&r, q2, k % 2 ? 0.4 : 0.8);
        const double *world = k % 3 ? q2 : NULL, reach = random_between(&r, -0.1, 1);
        pcs_feature f[PCS_FEATURES_MAX];
        const int n = pcs_collide(&s1, q1, &s2, world, reach, PCS_FEATURES_MAX, f);
        if (n > 0) {
            const pcs_gap c = prove_set(&s1, q1, &s2, world, reach, f, n, &strict);
            check_swap(&s1, q1, &s2, world, reach);
            seen[f[0].kind] += 1;
            touching += 1;
            deep += c.g < 0;

            // the reach is respected from both sides
            pcs_feature few[PCS_FEATURES_MAX];
            ck_assert_int_eq(pcs_collide(&s1, q1, &s2, world, c.g - 1e-11, PCS_FEATURES_MAX, few),
                             0);
            ck_assert_int_gt(pcs_collide(&s1, q1, &s2, world, c.g + 1e-11, PCS_FEATURES_MAX, few),
                             0);
        } else {
            // some direction separates them
            ck_assert_int_gt(pcs_collide(&s1, q1, &s2, world, 100, PCS_FEATURES_MAX, f), 0);
            const pcs_gap c = prove_set(&s1, q1, &s2, world, 100, f, 1, &strict);
            ck_assert(c.g > reach - 1e-12);
        }
        release(&s1);
        release(&s2);
    }
    if (getenv("COLLIDE_VERBOSE")) {
        printf("pair %d: %d touch, %d overlap; kinds %d %d %d %d %d %d\n", which, touching, deep,
               seen[0], seen[1], seen[2], seen[3], seen[4], seen[5]);
    }
    ck_assert_int_gt(touching, TEST_DRAWS(500) - 20);
    ck_assert_int_gt(deep, TEST_DRAWS(200) - 20);
}

TEST(random_pairs_have_a_proof)
{
    for (int which = 0; which < PAIRS; ++which) {
        prove_pairs(which);
    }
}

TEST(capsule_and_hull_on_a_plane)
{
    test_random r = random_seed(20);
    for (int k = 0; k < TEST_DRAWS(2000); ++k) {
        pcs_shape s = random_shape(&r, k % 2 ? PCS_SHAPE_HULL : PCS_SHAPE_CAPSULE, 1);
        double n[3], q[7];
        random_vector(&r, -1, 1, n);
        const pcs_shape plane = pcs_shape_half_space(n, random_normal(&r));
        random_pose(&r, q, 1);
        const cloud c = cloud_of(&s, q);
        double z[3], to[3], least = INFINITY;
        int within = 0;
        quat_z_axis(plane.orientation, z);
        const double reach = random_between(&r, -0.5, 1);
        for (int v = 0; v < c.n; ++v) {
            v3_sub(c.x[v], plane.position, to);
            const double g = v3_dot(z, to) - c.radius;
            least = fmin(least, g);
            within += g <= reach;
        }
        pcs_feature f[PCS_FEATURES_MAX];
        ck_assert_int_eq(pcs_collide(&s, q, &plane, NULL, reach, PCS_FEATURES_MAX, f), within);
        if (within > 0) {
            CK_NEAR(feature_gap(&f[0], q, NULL).g, least, 1e-14);
            check_swap(&s, q, &plane, NULL, reach);
        }
        release(&s);
    }
}

static int sized(const void *one, const void *two)
{
    const double *a = one, *b = two;
    return (*a > *b) - (*a < *b);
}

// Two boxes as boxes, as hulls and as one of each: the same gap, the same number of contacts with
// the same gaps
TEST(boxes_as_hulls)
{
    test_random r = random_seed(21);
    int most = 0;
    for (int k = 0; k < TEST_DRAWS(3000); ++k) {
        double e[3], d[3], q1[7], q2[7];
        random_vector(&r, 0.3, 1, e);
        random_vector(&r, 0.3, 1, d);
        random_pose(&r, q1, 0.5);
        random_pose(&r, q2, 0.5);
        if (k % 2) {
            // upright on top of each other, nearly or exactly, a little apart or overlapping
            const double tilts[] = {0, 1e-12, 1e-9, 1e-7, 1e-3, 0.02};
            const double tilt = tilts[k / 2 % 6], turn = k % 4 == 1 ? random_between(&r, 0, 3) : 0;
            const double Q[4] = {cos(turn), tilt * random_unit(&r), tilt * random_unit(&r),
                                 sin(turn)};
            memcpy(q1 + 3, Q, sizeof Q);
            memcpy(q2 + 3, (double[4]){1, 0, 0, 0}, sizeof Q);
            q1[2] = q2[2] + (e[2] + d[2]) / 2 +
                    (k % 8 < 4 ? 1 : -1) * pow(10, random_between(&r, -12, -2));
        }
        pcs_shape boxes[2] = {pcs_shape_box(e[0], e[1], e[2]), pcs_shape_box(d[0], d[1], d[2])};
        pcs_shape hulls[2] = {pcs_shape_hull(box_hull(e[0], e[1], e[2])),
                              pcs_shape_hull(box_hull(d[0], d[1], d[2]))};
        pcs_feature f[PCS_FEATURES_MAX], h[PCS_FEATURES_MAX];
        const double reach = 0.05;
        const int n = pcs_collide(&boxes[0], q1, &boxes[1], q2, reach, PCS_FEATURES_MAX, f);
        const pcs_shape *const as[3][2] = {
            {&hulls[0], &hulls[1]}, {&boxes[0], &hulls[1]}, {&hulls[0], &boxes[1]}};
        for (int which = 0; which < 3; ++which) {
            const int m =
                pcs_collide(as[which][0], q1, as[which][1], q2, reach, PCS_FEATURES_MAX, h);
            ck_assert_msg((m > 0) == (n > 0), "case %d: %d against %d", k, m, n);
            if (n == 0) continue;
            CK_NEAR(feature_gap(&h[0], q1, q2).g, feature_gap(&f[0], q1, q2).g, 2e-12);
            if (k % 2 && (k / 2 % 6 == 0 || k / 2 % 6 > 3)) {
                ck_assert_msg(m == n, "case %d, as %d: %d contacts, not %d", k, which, m, n);
            }
            if (k % 2 && k / 2 % 6 == 0) {
                double a[PCS_FEATURES_MAX], b[PCS_FEATURES_MAX];
                for (int i = 0; i < n; ++i) {
                    const pcs_gap x = feature_gap(&f[i], q1, q2), y = feature_gap(&h[i], q1, q2);
                    a[i] = x.P1[0] + 10 * x.P1[1];
                    b[i] = y.P1[0] + 10 * y.P1[1];
                    CK_NEAR(x.g, y.g, 1e-14);
                }
                qsort(a, (size_t)n, sizeof *a, sized);
                qsort(b, (size_t)n, sizeof *b, sized);
                expect_same(a, b, n, 1e-12);
            }
            if (m > most) most = m;
        }
        release(&hulls[0]);
        release(&hulls[1]);
    }
    ck_assert_int_ge(most, 7);
}
