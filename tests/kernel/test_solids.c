// Solids against clouds of mass elements: quadrature points whose weights integrate polynomials of
// the second degree exactly have the same mass, centre and inertia. Meshes against the tetrahedra
// that they consist of.
#include "support.h"

#include <percuss/kernel.h>

#include "elements.h"
#include "linalg/m3.h"

#define DRAWS TEST_DRAWS(300)

// Gauss with three points: degree 5
static const double node[3] = {-0.7745966692414834, 0, 0.7745966692414834};
static const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};

// int over [low, high]: point k and its weight
static double gauss(int k, double low, double high, double *w)
{
    *w = 0.5 * (high - low) * weight[k];
    return 0.5 * (low + high) + 0.5 * (high - low) * node[k];
}

// a solid of revolution about z at the parameters s, t: distance from the axis, height, and area of
// the section per ds dt
typedef struct section {
    double low[2], high[2]; // of s and t; s of the torus is an angle
    bool round;
    void (*at)(const double *size, double s, double t, double *rho, double *z, double *area);
} section;

// round the axis and, for a torus, round s: equal steps, exact for trigonometric polynomials
static pcs_inertia revolve(const section *S, const double *size)
{
    enum { ROUND = 8 };
    cloud c = {.n = 0};
    const int ns = S->round ? ROUND : 3;
    for (int i = 0; i < ns; ++i) {
        for (int j = 0; j < 3; ++j) {
            double ws = 2 * PI / ROUND, wt, rho, z, area;
            const double s = S->round ? ws * i : gauss(i, S->low[0], S->high[0], &ws);
            const double t = gauss(j, S->low[1], S->high[1], &wt);
            S->at(size, s, t, &rho, &z, &area);
            for (int k = 0; k < ROUND; ++k) {
                const double a = 2 * PI * k / ROUND;
                add_element(&c, 2 * PI / ROUND * rho * area * ws * wt, rho * cos(a), rho * sin(a),
                            z);
            }
        }
    }
    return weigh(&c);
}

// size: outer, inner. s the cosine of the polar angle, t the radius
static void ball(const double *size, double s, double t, double *rho, double *z, double *area)
{
    *rho = t * sqrt(1 - s * s);
    *z = t * s;
    *area = t / sqrt(1 - s * s);
}

static void tube(const double *size, double s, double t, double *rho, double *z, double *area)
{
    *rho = t;
    *z = s;
    *area = 1;
}

// size: radius, height. t is the fraction of the radius at that height
static void cone(const double *size, double s, double t, double *rho, double *z, double *area)
{
    const double radius = size[0] * (1 - s / size[1]);
    *rho = t * radius;
    *z = s;
    *area = radius;
}

// size: major. s is the angle along the section
static void torus(const double *size, double s, double t, double *rho, double *z, double *area)
{
    *rho = size[0] + t * cos(s);
    *z = t * sin(s);
    *area = t;
}

// the body about z with its axis moved to x, y or z
static pcs_inertia along(const pcs_inertia *b, int axis)
{
    pcs_inertia out = {.m = b->m};
    for (int i = 0; i < 3; ++i) {
        const int k = (axis + 1 + i) % 3;
        out.G[k] = b->G[i];
        out.J[4 * k] = b->J[4 * i];
    }
    return out;
}

TEST(solids_of_revolution_by_quadrature)
{
    test_random r = random_seed(1);
    for (int n = 0; n < DRAWS; ++n) {
        const double R = random_between(&r, 0.2, 2), L = random_between(&r, 0.1, 3);
        const double inner = n % 5 ? random_between(&r, 0, R) : 0, rho = random_between(&r, 0.1, 9);
        const int axis = n % 3;
        const double size[2] = {R, L}, major[1] = {R + inner};
        const section S[] = {
            {{-1, inner}, {1, R}, false, ball},
            {{-1, 0}, {1, R}, false, ball},
            {{0, 0}, {1, R}, false, ball},
            {{-L / 2, 0}, {L / 2, R}, false, tube},
            {{-L / 2, inner}, {L / 2, R}, false, tube},
            {{0, 0}, {L, 1}, false, cone},
            {{0, 0}, {0, R}, true, torus},
        };
        pcs_inertia b[7], expected;
        CK_OK(pcs_solid_hollow_sphere(rho, R, inner, &b[0]));
        CK_OK(pcs_solid_sphere(rho, R, &b[1]));
        CK_OK(pcs_solid_hemisphere(rho, R, axis, &b[2]));
        CK_OK(pcs_solid_cylinder(rho, R, L, axis, &b[3]));
        CK_OK(pcs_solid_tube(rho, R, inner, L, axis, &b[4]));
        CK_OK(pcs_solid_cone(rho, R, L, axis, &b[5]));
        CK_OK(pcs_solid_torus(rho, R + inner, R, axis, &b[6]));
        for (int k = 0; k < 7; ++k) {
            expected = revolve(&S[k], k == 6 ? major : size);
            CK_OK(pcs_inertia_set_mass(&expected, rho * expected.m));
            expected = along(&expected, axis);
            expect_body(&b[k], &expected, 2e-14);
            CK_OK(pcs_inertia_check(&b[k]));
        }

        // a capsule is a cylinder and two half balls, one of them reversed
        pcs_inertia parts[3], whole;
        CK_OK(pcs_solid_cylinder(rho, R, L, axis, &parts[0]));
        CK_OK(pcs_solid_hemisphere(rho, R, axis, &parts[1]));
        double up[7] = {0, 0, 0, 1, 0, 0, 0}, down[7] = {0};
        up[axis] = L / 2;
        down[axis] = -L / 2;
        down[3 + 1 + (axis + 1) % 3] = 1; // about an axis across
        pcs_inertia_transform(down, &parts[1], &parts[2]);
        pcs_inertia_transform(up, &parts[1], &parts[1]);
        CK_OK(pcs_inertia_combine(3, parts, &whole));
        CK_OK(pcs_solid_capsule(rho, R, L, axis, &b[0]));
        expect_body(&b[0], &whole, 2e-14);
    }
}

TEST(boxes_ellipsoids_and_tetrahedra_by_quadrature)
{
    test_random r = random_seed(2);
    for (int n = 0; n < DRAWS; ++n) {
        const double a = random_between(&r, 0.1, 2), b = random_between(&r, 0.1, 2),
                     c = random_between(&r, 0.1, 2);
        cloud box = {.n = 0}, ellipsoid = {.n = 0};
        for (int i = 0; i < 27; ++i) {
            double w[3];
            const double x = gauss(i % 3, -a / 2, a / 2, w),
                         y = gauss(i / 3 % 3, -b / 2, b / 2, w + 1),
                         z = gauss(i / 9, -c / 2, c / 2, w + 2);
            add_element(&box, w[0] * w[1] * w[2], x, y, z);
        }
        // the ball of radius 1, stretched
        for (int i = 0; i < 9; ++i) {
            double wr, wu;
            const double t = gauss(i % 3, 0, 1, &wr), u = gauss(i / 3, -1, 1, &wu);
            for (int k = 0; k < 8; ++k) {
                const double phi = 2 * PI * k / 8, s = t * sqrt(1 - u * u);
                add_element(&ellipsoid, a * b * c * t * t * wr * wu * 2 * PI / 8, a * s * cos(phi),
                            b * s * sin(phi), c * t * u);
            }
        }
        pcs_inertia got, expected = weigh(&box);
        CK_OK(pcs_solid_box(1, a, b, c, &got));
        expect_body(&got, &expected, 1e-14);
        expected = weigh(&ellipsoid);
        CK_OK(pcs_solid_ellipsoid(1, a, b, c, &got));
        expect_body(&got, &expected, 1e-14);

        // four points of Gauss in a tetrahedron: degree 2
        double corner[12];
        random_vector(&r, corner, 12);
        double e[3][3], edges[9];
        for (int k = 0; k < 3; ++k) {
            v3_sub(corner + 3 * (k + 1), corner, e[k]);
            v3_copy(e[k], edges + 3 * k);
        }
        const double volume = fabs(m3_det(edges)) / 6;
        cloud tetrahedron = {.n = 0};
        for (int k = 0; k < 4; ++k) {
            double x[3] = {0};
            for (int j = 0; j < 4; ++j) {
                const double share = j == k ? 0.5854101966249685 : 0.1381966011250105;
                v3_along(x, share, corner + 3 * j, x);
            }
            add_element(&tetrahedron, 3 * volume / 4, x[0], x[1], x[2]);
        }
        expected = weigh(&tetrahedron);
        CK_OK(pcs_solid_tetrahedron(3, corner, &got));
        if (volume > 1e-3) expect_body(&got, &expected, 1e-12);
    }
}

TEST(thin_bodies_are_limits)
{
    const double tiny = 1e-7, R = 0.7, L = 1.3;
    for (int axis = 0; axis < 3; ++axis) {
        pcs_inertia thin, thick;
        CK_OK(pcs_thin_tube(2, R, L, axis, &thin));
        CK_OK(pcs_solid_tube(2 / tiny, R + tiny / 2, R - tiny / 2, L, axis, &thick));
        expect_body(&thick, &thin, 1e-9); // the difference of the radii has nine digits
        CK_OK(pcs_thin_disc(2, R, axis, &thin));
        CK_OK(pcs_solid_cylinder(2 / tiny, R, tiny, axis, &thick));
        expect_body(&thick, &thin, 1e-13);
        CK_OK(pcs_thin_rod(2, L, axis, &thin));
        CK_OK(pcs_solid_cylinder(2 / (PI * tiny * tiny), tiny, L, axis, &thick));
        expect_body(&thick, &thin, 1e-13);
        ck_assert(pcs_inertia_check(&thin) == PCS_ERR_SINGULAR);
        CK_OK(pcs_thin_ring(2, R, axis, &thin));
        CK_OK(pcs_solid_torus(2 / (PI * tiny * tiny), R, tiny, axis, &thick));
        expect_body(&thick, &thin, 1e-13);
    }
    pcs_inertia thin, thick;
    CK_OK(pcs_thin_sphere(2, R, &thin));
    CK_OK(pcs_solid_hollow_sphere(2 / tiny, R + tiny / 2, R - tiny / 2, &thick));
    expect_body(&thick, &thin, 1e-9);
    CK_OK(pcs_thin_plate(2, R, L, &thin));
    CK_OK(pcs_solid_box(2 / tiny, R, L, tiny, &thick));
    expect_body(&thick, &thin, 1e-13);
}

TEST(bad_solids_are_refused)
{
    pcs_inertia b;
    CK_FAILS(pcs_solid_sphere(0, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_sphere(1, NAN, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_sphere(1, 1e200, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_sphere(1, 1e-200, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_hollow_sphere(1, 1, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_hollow_sphere(1, 1, NAN, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_hemisphere(1, 1, 3, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_ellipsoid(1, 1, 1, -1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_box(1, 1, INFINITY, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_cylinder(1, 1, 0, 2, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_tube(1, 1, -0.1, 1, 2, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_cone(-1, 1, 1, 2, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_solid_capsule(1, 1, -1, 2, &b), PCS_ERR_ARG);
    CK_OK(pcs_solid_capsule(1, 1, 0, 2, &b));
    CK_FAILS(pcs_solid_torus(1, 1, 2, 2, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_thin_rod(1, 1, -1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_thin_plate(1, 0, 1, &b), PCS_ERR_ARG);
    const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    CK_FAILS(pcs_solid_tetrahedron(1, flat, &b), PCS_ERR_ARG);
    CK_OK(pcs_solid_sphere(1, 1, &b));
    CK_FAILS(pcs_inertia_set_mass(&b, 0), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_set_mass(&b, NAN), PCS_ERR_ARG);
    const double m[2] = {1, -1}, none[2] = {0, 0}, x[6] = {0, 0, 0, 1, 1, NAN};
    CK_FAILS(pcs_inertia_of_points(2, m, flat, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_points(2, none, flat, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_points(2, m, x, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_points(0, m, x, &b), PCS_ERR_ARG);
}

// ---- meshes

static const double cube_vertex[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0,
                                       0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1};
static const int cube_triangle[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                      2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

enum { RINGS = 7, STEPS = 9, STAR_V = RINGS * STEPS + 2, STAR_T = 2 * RINGS * STEPS };

// a closed surface that is visible from the origin as a whole, at random distances
static void random_star(test_random *r, double v[3 * STAR_V], int t[3 * STAR_T])
{
    int n = 0;
    for (int i = 0; i < STAR_V; ++i) {
        const double theta = i < STAR_V - 2    ? PI * (1 + i / STEPS) / (RINGS + 1.0)
                             : i == STAR_V - 1 ? PI
                                               : 0;
        const double phi = 2 * PI * (i % STEPS) / STEPS, d = random_between(r, 0.5, 2);
        v[3 * i] = d * sin(theta) * cos(phi);
        v[3 * i + 1] = d * sin(theta) * sin(phi);
        v[3 * i + 2] = d * cos(theta);
    }
    for (int j = 0; j < STEPS; ++j) {
        const int next = (j + 1) % STEPS, last = (RINGS - 1) * STEPS;
        const int caps[6] = {STAR_V - 2, j, next, STAR_V - 1, last + next, last + j};
        memcpy(t + n, caps, sizeof caps);
        n += 6;
        for (int i = 0; i + 1 < RINGS; ++i) {
            const int a = i * STEPS + j, b = i * STEPS + next;
            const int two[6] = {a, a + STEPS, b, b, a + STEPS, b + STEPS};
            memcpy(t + n, two, sizeof two);
            n += 6;
        }
    }
    ck_assert(n == 3 * STAR_T);
}

TEST(meshes_are_their_tetrahedra)
{
    test_random r = random_seed(3);
    for (int n = 0; n < TEST_DRAWS(50); ++n) {
        double v[3 * STAR_V];
        int t[3 * STAR_T];
        random_star(&r, v, t);
        pcs_inertia mesh, part[STAR_T], sum;
        CK_OK(pcs_inertia_of_mesh(STAR_V, v, STAR_T, t, 2.5, &mesh));
        for (int k = 0; k < STAR_T; ++k) {
            double corner[12] = {0};
            for (int i = 0; i < 3; ++i) {
                v3_copy(v + 3 * t[3 * k + i], corner + 3 * (i + 1));
            }
            CK_OK(pcs_solid_tetrahedron(2.5, corner, &part[k]));
        }
        CK_OK(pcs_inertia_combine(STAR_T, part, &sum));
        expect_body(&mesh, &sum, 1e-13);
        CK_OK(pcs_inertia_check(&mesh));

        // the geometry of contact detection has the same mass
        pcs_geometry *g;
        CK_OK(pcs_geometry_create_mesh(NULL, STAR_V, v, STAR_T, t, &g));
        const pcs_shape shape = pcs_shape_mesh(g);
        CK_OK(pcs_inertia_of_shape(&shape, 2.5, &sum));
        expect_body(&mesh, &sum, 1e-13);
        pcs_geometry_destroy(g);

        // the mesh at another place, and as a list of triangles with vertices of their own
        double q[7], soup[9 * STAR_T];
        int own[3 * STAR_T];
        random_vector(&r, q, 3);
        random_long(&r, q + 3);
        for (int k = 0; k < 3 * STAR_T; ++k) {
            pcs_pose_point(q, v + 3 * t[k], soup + 3 * k);
            own[k] = k;
        }
        CK_OK(pcs_inertia_of_mesh(3 * STAR_T, soup, STAR_T, own, 2.5, &sum));
        pcs_inertia_transform(q, &mesh, &mesh);
        expect_body(&sum, &mesh, 1e-13);
    }
}

TEST(cubes_with_cavities_and_touching_edges)
{
    // eight vertices outside, eight inside a third as large, rotated
    double v[48];
    int t[72];
    pcs_inertia cube, hole, expected, got;
    memcpy(v, cube_vertex, sizeof cube_vertex);
    memcpy(t, cube_triangle, sizeof cube_triangle);
    for (int i = 0; i < 24; ++i) {
        v[24 + i] = 0.25 + cube_vertex[i] / 3;
    }
    for (int k = 0; k < 12; ++k) {
        t[36 + 3 * k] = 8 + cube_triangle[3 * k];
        t[37 + 3 * k] = 8 + cube_triangle[3 * k + 2];
        t[38 + 3 * k] = 8 + cube_triangle[3 * k + 1];
    }
    CK_OK(pcs_inertia_of_mesh(8, cube_vertex, 12, cube_triangle, 3, &cube));
    CK_OK(pcs_solid_box(3, 1, 1, 1, &expected));
    expected.G[0] = expected.G[1] = expected.G[2] = 0.5;
    expect_body(&cube, &expected, 1e-15);
    CK_OK(pcs_inertia_of_mesh(16, v, 24, t, 3, &got));
    CK_OK(pcs_solid_box(3, 1.0 / 3, 1.0 / 3, 1.0 / 3, &hole));
    hole.G[0] = hole.G[1] = hole.G[2] = 0.25 + 1.0 / 6;
    CK_OK(pcs_inertia_remove(&cube, &hole, &expected));
    expect_body(&got, &expected, 1e-14);
    CK_OK(pcs_inertia_combine(2, (pcs_inertia[]){expected, hole}, &got));
    expect_body(&got, &cube, 1e-14);

    // a list of triangles in which zeros have either sign
    double soup[108];
    int own[36];
    for (int k = 0; k < 36; ++k) {
        for (int i = 0; i < 3; ++i) {
            const double x = cube_vertex[3 * cube_triangle[k] + i];
            soup[3 * k + i] = x == 0 && k % 2 ? -0.0 : x;
        }
        own[k] = k;
    }
    CK_OK(pcs_inertia_of_mesh(36, soup, 12, own, 3, &got));
    expect_body(&got, &cube, 0);

    // two cubes that share one edge: four triangles meet there
    for (int i = 0; i < 24; ++i) {
        v[24 + i] = cube_vertex[i] + (i % 3 != 2);
    }
    for (int k = 0; k < 36; ++k) {
        t[36 + k] = 8 + cube_triangle[k];
    }
    CK_OK(pcs_inertia_of_mesh(16, v, 24, t, 3, &got));
    CK_NEAR(got.m, 6, 1e-14);
    CK_NEAR(got.G[0], 1, 1e-15);
    CK_NEAR(got.G[2], 0.5, 1e-15);
}

TEST(bad_meshes_are_refused)
{
    double v[24];
    int t[36];
    pcs_inertia b;
    memcpy(v, cube_vertex, sizeof v);
    memcpy(t, cube_triangle, sizeof t);
    CK_FAILS(pcs_inertia_of_mesh(8, v, 11, t, 1, &b), PCS_ERR_ARG);
    ck_assert(strstr(pcs_error_text(), "not closed") && strstr(pcs_error_text(), "triangle"));

    t[1] = 1;
    t[2] = 2; // one triangle reversed
    CK_SAYS(pcs_inertia_of_mesh(8, v, 12, t, 1, &b), PCS_ERR_ARG, "orientation");

    for (int k = 0; k < 12; ++k) {
        t[3 * k + 1] = cube_triangle[3 * k + 2];
        t[3 * k + 2] = cube_triangle[3 * k + 1];
    }
    CK_SAYS(pcs_inertia_of_mesh(8, v, 12, t, 1, &b), PCS_ERR_ARG, "inside out");

    memcpy(t, cube_triangle, sizeof t);
    for (int i = 0; i < 8; ++i) {
        v[3 * i + 2] = v[3 * i]; // pressed into a plane
    }
    CK_SAYS(pcs_inertia_of_mesh(8, v, 12, t, 1, &b), PCS_ERR_ARG, "no volume");

    memcpy(v, cube_vertex, sizeof v);
    CK_FAILS(pcs_inertia_of_mesh(8, v, 12, t, 0, &b), PCS_ERR_ARG);
    CK_SAYS(pcs_inertia_of_mesh(7, v, 12, t, 1, &b), PCS_ERR_ARG, "vertex 7");
    CK_FAILS(pcs_inertia_of_mesh(8, v, 0, t, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_mesh(8, NULL, 12, t, 1, &b), PCS_ERR_ARG);
    t[5] = -1;
    CK_FAILS(pcs_inertia_of_mesh(8, v, 12, t, 1, &b), PCS_ERR_ARG);
    t[5] = 3;
    v[7] = NAN;
    CK_FAILS(pcs_inertia_of_mesh(8, v, 12, t, 1, &b), PCS_ERR_ARG);
    v[7] = 1e160;
    CK_FAILS(pcs_inertia_of_mesh(8, v, 12, t, 1, &b), PCS_ERR_ARG);
    v[7] = 1;
    CK_OK(pcs_inertia_of_mesh(8, v, 12, t, 1, &b));

    // a missing or reversed triangle of a larger mesh is found
    test_random r = random_seed(4);
    double sv[3 * STAR_V];
    int st[3 * STAR_T], work[3 * STAR_T];
    random_star(&r, sv, st);
    for (int k = 0; k < STAR_T; ++k) {
        memcpy(work, st, sizeof work);
        work[3 * k] = st[3 * k + 1];
        work[3 * k + 1] = st[3 * k];
        CK_FAILS(pcs_inertia_of_mesh(STAR_V, sv, STAR_T, work, 1, &b), PCS_ERR_ARG);
        memcpy(work + 3 * k, st + 3 * (STAR_T - 1), 3 * sizeof *work);
        if (k == STAR_T - 1) continue;
        CK_FAILS(pcs_inertia_of_mesh(STAR_V, sv, STAR_T - 1, work, 1, &b), PCS_ERR_ARG);
    }
}
