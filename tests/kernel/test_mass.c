// Mass properties against integrals over slices, against each other, and against the parallel-axes
// theorem evaluated here.
#include "support.h"

#include <percuss/kernel.h>

#include "linalg/m3.h"
#include "mass/moments.h"

static const double pi = 3.14159265358979323846;

static pcs_inertia weigh(const pcs_shape *s, double density)
{
    pcs_inertia w;
    CK_OK(pcs_inertia_of_shape(s, density, &w));
    return w;
}

static pcs_inertia weigh_all(int n, const pcs_shape *s, const double *density)
{
    pcs_inertia w;
    CK_OK(pcs_inertia_of_shapes(n, s, density, &w));
    return w;
}

static void near(const pcs_inertia *a, const pcs_inertia *b, double tol)
{
    CK_NEAR(a->m, b->m, tol * b->m);
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(a->G[i], b->G[i], tol * (1 + v3_norm(b->G)));
    }
    for (int i = 0; i < 9; ++i) {
        CK_NEAR(a->J[i], b->J[i], tol * (b->J[0] + b->J[4] + b->J[8]));
    }
}

// a random pose and its rotation
static void put(test_random *r, pcs_shape *s, double R[9])
{
    random_quaternion(r, s->orientation);
    pcs_quat_to_matrix(s->orientation, R);
    for (int i = 0; i < 4; ++i) {
        s->orientation[i] *= 1.7;
    }
    for (int i = 0; i < 3; ++i) {
        s->position[i] = random_between(r, -2, 2);
    }
}

// a body of revolution about z by its slices, Gauss with three points on each of n pieces of
// [low, high]: exact for polynomials of degree 5
typedef double profile_fn(const pcs_shape *s, double z); // radius^2 at height z

static pcs_inertia by_slices(const pcs_shape *s, profile_fn *square, int n, const double *ends)
{
    static const double at[3] = {-0.7745966692414834, 0, 0.7745966692414834};
    static const double weight[3] = {5.0 / 9, 8.0 / 9, 5.0 / 9};
    pcs_inertia w = {0};
    for (int k = 0; k < n; ++k) {
        const double middle = (ends[k] + ends[k + 1]) / 2, half = (ends[k + 1] - ends[k]) / 2;
        for (int g = 0; g < 3; ++g) {
            const double z = middle + half * at[g], r2 = square(s, z), dm = half * weight[g] * pi;
            w.m += dm * r2;
            w.J[8] += dm * r2 * r2 / 2;
            w.J[0] += dm * (r2 * r2 / 4 + z * z * r2);
        }
    }
    w.J[4] = w.J[0];
    return w;
}

static double of_cylinder(const pcs_shape *s, double z)
{
    return s->radius * s->radius;
}

static double of_capsule(const pcs_shape *s, double z)
{
    const double beyond = fmax(0, fabs(z) - s->half[2]);
    return s->radius * s->radius - beyond * beyond;
}

TEST(cylinder_and_capsule_by_slices)
{
    test_random r = random_seed(1);
    for (int k = 0; k < 50; ++k) {
        const double radius = random_between(&r, 0.1, 2), length = random_between(&r, 0.1, 3);
        const double L = length / 2, ends[4] = {-L - radius, -L, L, L + radius};
        const pcs_shape c = pcs_shape_cylinder(radius, length);
        const pcs_shape p = pcs_shape_capsule(radius, length);
        const pcs_inertia wc = weigh(&c, 1), wp = weigh(&p, 1);
        const pcs_inertia sc = by_slices(&c, of_cylinder, 1, ends + 1);
        const pcs_inertia sp = by_slices(&p, of_capsule, 3, ends);
        near(&wc, &sc, 1e-14);
        near(&wp, &sp, 1e-14);

        double J[9];
        memcpy(J, pcs_inertia_cylinder(wc.m, radius, length).J, sizeof J);
        CK_NEAR(J[0], sc.J[0], 1e-14 * J[0]);
        memcpy(J, pcs_inertia_capsule(wp.m, radius, length).J, sizeof J);
        CK_NEAR(J[8], sp.J[8], 1e-14 * J[8]);
    }
}

// the definition of a body contains mass and inertia, with the centre of mass at G
TEST(mass_properties_make_a_body)
{
    pcs_inertia solid = pcs_inertia_box(3, 0.1, 0.2, 0.3);
    solid.G[1] = 0.7;
    const pcs_body_def def = pcs_body_def_of_inertia(solid);
    ck_assert(def.mass == 3 && def.orientation[0] == 1);
    expect_same(def.inertia, solid.J, 9, 0);
    expect_same(def.position, solid.G, 3, 0);
}

TEST(capsule_without_a_core_is_a_sphere)
{
    const pcs_shape p = pcs_shape_capsule(0.7, 1e-300), s = pcs_shape_sphere(0.7);
    const pcs_inertia wp = weigh(&p, 3), ws = weigh(&s, 3);
    near(&wp, &ws, 1e-15);
    CK_NEAR(ws.m, 3 * 4 * pi / 3 * 0.343, 1e-15);
}

TEST(pose_moves_the_centre_and_turns_the_axes)
{
    test_random r = random_seed(2);
    for (int k = 0; k < 100; ++k) {
        pcs_shape s = pcs_shape_box(0.3, 0.7, 1.1);
        const pcs_inertia plain = weigh(&s, 5);
        double R[9], RJ[9], Rt[9];
        put(&r, &s, R);
        pcs_inertia want = {.m = plain.m};
        v3_copy(s.position, want.G);
        for (int i = 0; i < 9; ++i) {
            Rt[i] = R[i / 3 + 3 * (i % 3)];
        }
        m3_mul_m3(R, plain.J, RJ);
        m3_mul_m3(RJ, Rt, want.J);
        const pcs_inertia got = weigh(&s, 5);
        near(&got, &want, 1e-14);
        for (int i = 0; i < 9; ++i) {
            ck_assert(got.J[i] == got.J[i / 3 + 3 * (i % 3)]);
        }
    }
}

TEST(pieces_of_a_box_make_the_box)
{
    test_random r = random_seed(3);
    for (int k = 0; k < 50; ++k) {
        pcs_shape whole = pcs_shape_box(1.2, 0.8, 0.5), piece[8];
        const double cut[3] = {random_between(&r, 0.1, 1), random_between(&r, 0.1, 0.7),
                               random_between(&r, 0.1, 0.4)};
        double R[9], density[8];
        put(&r, &whole, R);
        for (int v = 0; v < 8; ++v) {
            double edge[3], at[3], moved[3];
            for (int i = 0; i < 3; ++i) {
                const double all = 2 * whole.half[i];
                edge[i] = v >> i & 1 ? all - cut[i] : cut[i];
                at[i] = (v >> i & 1 ? cut[i] : 0) + edge[i] / 2 - whole.half[i];
            }
            piece[v] = pcs_shape_box(edge[0], edge[1], edge[2]);
            memcpy(piece[v].orientation, whole.orientation, sizeof whole.orientation);
            m3_mul(R, at, moved);
            v3_along(whole.position, 1, moved, piece[v].position);
            density[v] = 2.5;
        }
        const pcs_inertia one = weigh(&whole, 2.5), sum = weigh_all(8, piece, density);
        near(&sum, &one, 1e-14);
    }
}

// two balls on a stick: J_G = sum J + m d^2 across, by hand
TEST(dumbbell_by_hand)
{
    pcs_shape ball[2] = {pcs_shape_sphere(0.5), pcs_shape_sphere(0.5)};
    ball[0].position[0] = 3;
    ball[1].position[0] = -1;
    const double density[2] = {1, 3}, m = 4 * pi / 3 * 0.125, d = 4;
    const pcs_inertia w = weigh_all(2, ball, density);
    CK_NEAR(w.m, 4 * m, 1e-14);
    CK_NEAR(w.G[0], 0, 1e-15);
    CK_NEAR(w.J[0], 0.4 * 4 * m * 0.25, 1e-14);
    CK_NEAR(w.J[4], 0.4 * 4 * m * 0.25 + 0.75 * m * d * d, 1e-13);
    CK_NEAR(w.J[8], w.J[4], 1e-14);
}

TEST(surface_of_a_box_gives_the_box)
{
    // faces as fans of four corners, counter-clockwise from outside
    static const int face[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                   {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    test_random r = random_seed(4);
    for (int k = 0; k < 50; ++k) {
        pcs_shape s = pcs_shape_box(0.4, 1.3, 0.9);
        double R[9], corner[8][3];
        put(&r, &s, R);
        for (int v = 0; v < 8; ++v) {
            double x[3], y[3];
            for (int i = 0; i < 3; ++i) {
                x[i] = v >> i & 1 ? s.half[i] : -s.half[i];
            }
            m3_mul(R, x, y);
            v3_along(s.position, 1, y, corner[v]);
        }
        moments m = {.origin = {0.1, 0.2, -0.3}};
        for (int f = 0; f < 6; ++f) {
            for (int t = 1; t < 3; ++t) {
                moments_add(&m, corner[face[f][0]], corner[face[f][t]], corner[face[f][t + 1]]);
            }
        }

        // second moments about the centre: the inertia of density 1
        const pcs_inertia w = weigh(&s, 1);
        double C[9], d[3];
        CK_NEAR(m.volume, w.m, 1e-14);
        for (int i = 0; i < 3; ++i) {
            d[i] = m.first[i] / m.volume;
            CK_NEAR(m.origin[i] + d[i], w.G[i], 1e-13);
        }
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                C[i + 3 * j] = m.second[i + 3 * j] - m.volume * d[i] * d[j];
            }
        }
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < 3; ++i) {
                CK_NEAR((i == j ? C[0] + C[4] + C[8] : 0) - C[i + 3 * j], w.J[i + 3 * j], 1e-13);
            }
        }
    }
}

TEST(a_body_of_shapes_stands_where_its_shapes_were)
{
    test_random r = random_seed(5);
    for (int k = 0; k < 50; ++k) {
        pcs_shape part[3] = {pcs_shape_box(1, 0.2, 0.3), pcs_shape_cylinder(0.2, 0.5),
                             pcs_shape_capsule(0.1, 1)},
                  about_G[3];
        const double density[3] = {1000, 500, 2000};
        double R[9];
        for (int i = 0; i < 3; ++i) {
            put(&r, &part[i], R);
        }
        pcs_body_def def = pcs_body_def_default();
        random_quaternion(&r, def.orientation);
        def.position[1] = 3;
        const pcs_body_def before = def;
        CK_OK(pcs_body_def_of_shapes(3, part, density, &def, about_G));

        const pcs_inertia w = weigh_all(3, part, density);
        const pcs_inertia c = weigh_all(3, about_G, density);
        CK_NEAR(v3_norm(c.G), 0, 1e-14);
        CK_NEAR(def.mass, w.m, 0);
        double at[3], then[3];
        for (int i = 0; i < 9; ++i) {
            CK_NEAR(def.inertia[i], w.J[i], 0);
        }
        for (int i = 0; i < 3; ++i) {
            pcs_quat_rotate(before.orientation, part[i].position, then);
            pcs_quat_rotate(def.orientation, about_G[i].position, at);
            for (int j = 0; j < 3; ++j) {
                CK_NEAR(at[j] + def.position[j], then[j] + before.position[j], 1e-14);
            }
        }

        // the result may replace the argument, and a model accepts it
        CK_OK(pcs_body_def_of_shapes(3, about_G, density, &def, about_G));
        pcs_model *m;
        pcs_system b;
        CK_OK(pcs_model_create(NULL, &m));
        CK_OK(pcs_model_add_body(m, &def, &b));
        for (int i = 0; i < 3; ++i) {
            CK_OK(pcs_model_add_shape(m, b, &about_G[i], (pcs_material){0}));
        }
        pcs_model_destroy(m);
    }
}

TEST(shapes_without_mass_are_refused)
{
    const double up[3] = {0, 0, 1}, density[2] = {1, -1};
    pcs_inertia b = {.m = 7, .G = {7}, .J = {7}};
    pcs_shape s[2] = {pcs_shape_sphere(1), pcs_shape_sphere(1)};
    const pcs_shape floor = pcs_shape_half_space(up, 0), none = pcs_shape_sphere(0);
    const pcs_shape huge = pcs_shape_sphere(1e150), tiny = pcs_shape_sphere(1e-150);
    CK_FAILS(pcs_inertia_of_shape(&floor, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shape(&none, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shape(&huge, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shape(&tiny, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shape(NULL, 1, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shape(s, 1, NULL), PCS_ERR_ARG);
    const double bad[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; ++i) {
        CK_FAILS(pcs_inertia_of_shape(s, bad[i], &b), PCS_ERR_ARG);
    }
    CK_FAILS(pcs_inertia_of_shapes(2, s, density, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shapes(0, s, density, &b), PCS_ERR_ARG);
    CK_FAILS(pcs_inertia_of_shapes(1, NULL, density, &b), PCS_ERR_ARG);

    pcs_body_def def = pcs_body_def_default();
    CK_FAILS(pcs_body_def_of_shapes(1, s, density, NULL, s), PCS_ERR_ARG);
    CK_FAILS(pcs_body_def_of_shapes(1, s, density, &def, NULL), PCS_ERR_ARG);
    memset(def.orientation, 0, sizeof def.orientation);
    CK_FAILS(pcs_body_def_of_shapes(1, s, density, &def, s), PCS_ERR_ARG);
    ck_assert(b.m == 7 && b.G[0] == 7 && b.J[0] == 7 && def.mass == 1);
}

// ---- masses without inertia --------------------------------------------------------------------

// kinetic energy of a body of a model that rotates with omega, over 1/2
static double twice_energy(pcs_model *m, const double omega[3])
{
    pcs_state *st;
    double energy;
    CK_OK(pcs_state_create(m, &st));
    memcpy(st->v + 3, omega, 3 * sizeof *omega);
    CK_OK(pcs_state_kinetic_energy(m, st, &energy));
    pcs_state_destroy(st);
    return 2 * energy;
}

// with the mass alone the inertia is that of the shapes, whatever their order and number
TEST(a_mass_is_spread_over_the_shapes)
{
    test_random r = random_seed(12);
    for (int k = 0; k < 20; ++k) {
        const double mass = 1000 * random_between(&r, 1e-6, 1);
        const pcs_shape box = pcs_shape_box(0.3, 0.2, 0.1);
        pcs_shape part[3] = {pcs_shape_capsule(0.05, 0.4), pcs_shape_sphere(0.2), box};
        part[1].position[0] = 0.3;
        part[2].position[0] = -0.3;
        const int n = 1 + k % 3;
        const double one[3] = {1, 1, 1}, omega[3] = {random_normal(&r), 1, -2};
        pcs_inertia all;
        double want = 0;
        CK_OK(pcs_inertia_of_shapes(n, part, one, &all));
        for (int i = 0; i < 9; ++i) {
            want += mass / all.m * all.J[i] * omega[i % 3] * omega[i / 3];
        }
        for (int turn = 0; turn < 2; ++turn) {
            pcs_model *m;
            pcs_system body;
            pcs_body_def def = pcs_body_def_default();
            def.mass = mass;
            CK_OK(pcs_model_create(NULL, &m));
            CK_OK(pcs_model_add_body(m, &def, &body));
            for (int i = 0; i < n; ++i) {
                const pcs_shape *s = &part[turn ? n - 1 - i : i];
                CK_OK(pcs_model_add_shape(m, body, s, (pcs_material){0}));
            }
            CK_NEAR(twice_energy(m, omega), want, 1e-13 * want);
            pcs_model_destroy(m);
        }
    }
}

// a shape without volume is refused where the inertia would come from it, and nothing is added
TEST(a_mass_without_volume_is_refused)
{
    pcs_model *m;
    pcs_system body;
    const pcs_body_def def = pcs_body_def_default();
    CK_OK(pcs_model_create(NULL, &m));
    CK_OK(pcs_model_add_body(m, &def, &body));
    const pcs_shape plane = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    CK_FAILS(pcs_model_add_shape(m, body, &plane, (pcs_material){0}), PCS_ERR_ARG);
    ck_assert_int_eq(pcs_model_shape_count(m), 0);
    pcs_model_destroy(m);
}

// one call: the shapes stay at the given places, and determine mass and inertia
TEST(a_solid_is_its_shapes)
{
    test_random r = random_seed(13);
    for (int k = 0; k < 20; ++k) {
        pcs_model *m;
        pcs_state *st;
        pcs_system solid, fixed;
        CK_OK(pcs_model_create(NULL, &m));
        pcs_shape part[2] = {pcs_shape_box(0.3, 0.2, 0.1), pcs_shape_sphere(0.15)};
        const double density = random_between(&r, 1, 8000), both[2] = {density, density};
        for (int i = 0; i < 3; ++i) {
            part[0].position[i] = random_normal(&r);
            part[1].position[i] = random_normal(&r);
        }
        pcs_body_def def = pcs_body_def_default();
        def.mass = 77; // is ignored
        for (int i = 0; i < 4; ++i) {
            def.orientation[i] = random_normal(&r);
        }
        pcs_inertia all;
        double R[9], at[3], energy;
        CK_OK(pcs_inertia_of_shapes(2, part, both, &all));
        CK_OK(pcs_model_add_solid(m, &def, 2, part, density, (pcs_material){0}, &solid));
        ck_assert_int_eq(pcs_model_shape_count(m), 2);
        CK_OK(pcs_state_create(m, &st));
        double *q = pcs_state_q(m, st, solid), *v = pcs_state_v(m, st, solid);
        pcs_quat_to_matrix(q + 3, R);
        m3_mul(R, all.G, at);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(q[i], at[i], 1e-13);
            v[i] = i + 1;
        }
        CK_OK(pcs_state_kinetic_energy(m, st, &energy));
        CK_NEAR(energy, 7 * all.m, 1e-12 * all.m);
        pcs_state_destroy(st);

        // a fixed body does not move, for any shapes
        const pcs_shape plane = pcs_shape_half_space((double[]){0, 0, 1}, 0);
        def.fixed = true;
        CK_OK(pcs_model_add_solid(m, &def, 1, &plane, 1, (pcs_material){0}, &fixed));

        // refused as a whole
        def.fixed = false;
        const int systems = pcs_model_system_count(m), shapes = pcs_model_shape_count(m);
        const pcs_shape bad[2] = {part[0], plane};
        CK_FAILS(pcs_model_add_solid(m, &def, 2, bad, 1, (pcs_material){0}, NULL), PCS_ERR_ARG);
        CK_FAILS(pcs_model_add_solid(m, &def, 2, part, 0, (pcs_material){0}, NULL), PCS_ERR_ARG);
        CK_FAILS(pcs_model_add_solid(m, &def, 2, part, 1, (pcs_material){9}, NULL), PCS_ERR_ARG);
        CK_FAILS(pcs_model_add_solid(m, &def, 0, part, 1, (pcs_material){0}, NULL), PCS_ERR_ARG);
        ck_assert_int_eq(pcs_model_system_count(m), systems);
        ck_assert_int_eq(pcs_model_shape_count(m), shapes);
        pcs_model_destroy(m);
    }
}

// adds the point mass m at x: m (|x|^2 I - x x^T)
static void add_point(double m, const double x[3], double J[9])
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            J[i + 3 * j] += m * ((i == j) * v3_dot(x, x) - x[i] * x[j]);
        }
    }
}

TEST(inertia_by_quadrature)
{
    // two Gauss points per edge are exact for second moments of a box
    const double edges[3] = {0.3, 0.5, 1.1};
    double J[9], sum[9] = {0};
    memcpy(J, pcs_inertia_box(6, edges[0], edges[1], edges[2]).J, sizeof J);
    for (int corner = 0; corner < 8; ++corner) {
        double x[3];
        for (int i = 0; i < 3; ++i) {
            x[i] = (corner >> i & 1 ? 0.5 : -0.5) * edges[i] / sqrt(3);
        }
        add_point(6.0 / 8, x, sum);
    }
    expect_same(J, sum, 9, 1e-15);

    // the six axis points are exact for second moments of a shell; shells weigh 3 s^2 ds, three
    // Gauss points along the radius are exact for s^4
    memset(sum, 0, sizeof sum);
    memcpy(J, pcs_inertia_sphere(6, 0.7).J, sizeof J);
    const double node[3] = {0.5 - sqrt(0.15), 0.5, 0.5 + sqrt(0.15)};
    const double weight[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    for (int k = 0; k < 3; ++k) {
        for (int side = 0; side < 6; ++side) {
            double x[3] = {0};
            x[side % 3] = (side < 3 ? 0.7 : -0.7) * node[k];
            add_point(6 * weight[k] * 3 * node[k] * node[k] / 6, x, sum);
        }
    }
    expect_same(J, sum, 9, 1e-15);
}
