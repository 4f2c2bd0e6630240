// Meshes and height fields: accepted and refused ones, and their mass.
#include "surfaces.h"

static const double pi = 3.14159265358979323846;

static pcs_inertia weigh(const pcs_shape *s)
{
    pcs_inertia w;
    CK_OK(pcs_inertia_of_shape(s, 2, &w));
    return w;
}

TEST(closed_box_has_the_mass_of_the_box)
{
    test_random r = random_seed(21);
    static surface_lists lists;
    for (int n = 1; n <= 5; ++n) {
        pcs_shape box = pcs_shape_box(0.4, 1.2, 0.7);
        box_surface(box.half, n, &lists);
        pcs_geometry *g = make_mesh(&lists);
        pcs_shape mesh = pcs_shape_mesh(g);
        random_place(&r, &box);
        memcpy(mesh.position, box.position, sizeof box.position);
        memcpy(mesh.orientation, box.orientation, sizeof box.orientation);
        const pcs_inertia a = weigh(&box), b = weigh(&mesh);
        CK_NEAR(a.m, b.m, 1e-14);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(a.G[i], b.G[i], 1e-14);
        }
        for (int i = 0; i < 9; ++i) {
            CK_NEAR(a.J[i], b.J[i], 1e-14);
        }
        pcs_geometry_destroy(g);
    }
}

// volume and inertia of the icosphere approach those of the sphere with the square of the edge
TEST(icosphere_has_nearly_the_mass_of_the_sphere)
{
    static surface_lists lists;
    double error[4];
    for (int n = 0; n < 4; ++n) {
        icosphere(n, &lists);
        pcs_geometry *g = make_mesh(&lists);
        const pcs_shape mesh = pcs_shape_mesh(g);
        const pcs_inertia w = weigh(&mesh);
        CK_NEAR(v3_norm(w.G), 0, 1e-15);
        CK_NEAR(w.J[0], w.J[4], 1e-14);
        CK_NEAR(w.J[0], w.J[8], 1e-14);
        CK_NEAR(w.J[1], 0, 1e-15);
        error[n] = 1 - w.m / (8 * pi / 3);
        ck_assert(error[n] > 0);
        if (n > 0) CK_NEAR(error[n - 1] / error[n], 4, 1.0 / n);
        pcs_geometry_destroy(g);
    }
}

TEST(only_closed_surfaces_have_a_mass)
{
    test_random r = random_seed(22);
    static surface_lists lists;
    pcs_inertia b;
    flat_floor(&r, 3, 1, &lists);
    pcs_geometry *g = make_mesh(&lists);
    pcs_shape s = pcs_shape_mesh(g);
    CK_FAILS(pcs_inertia_of_shape(&s, 1, &b), PCS_ERR_ARG);
    pcs_geometry_destroy(g);

    // reversed; one triangle reversed; one missing
    const double half[3] = {1, 1, 1};
    for (int k = 0; k < 3; ++k) {
        box_surface(half, 2, &lists);
        for (int t = 0; t < (k == 0 ? lists.nt : k == 1); ++t) {
            const int other = lists.triangle[t][0];
            lists.triangle[t][0] = lists.triangle[t][1];
            lists.triangle[t][1] = other;
        }
        lists.nt -= k == 2;
        g = make_mesh(&lists);
        s = pcs_shape_mesh(g);
        CK_FAILS(pcs_inertia_of_shape(&s, 1, &b), PCS_ERR_ARG);
        pcs_geometry_destroy(g);
    }

    const double h[4] = {0, 0, 0, 1};
    CK_OK(pcs_geometry_create_height_field(NULL, 2, 2, 1, 1, h, &g));
    s = pcs_shape_height_field(g);
    CK_FAILS(pcs_inertia_of_shape(&s, 1, &b), PCS_ERR_ARG);
    pcs_geometry_destroy(g);
}

TEST(bad_surfaces_are_refused)
{
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 2, 0, 0};
    const int good[3] = {0, 1, 2}, line[6] = {0, 1, 3, 1, 1, 2}, beyond[3] = {0, 1, 4},
              below[3] = {-1, 1, 2}, mixed[9] = {0, 1, 3, 0, 1, 2, 2, 2, 2};
    pcs_geometry *g;
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 1, good, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, NULL, 1, good, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 1, NULL, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 2, x, 1, good, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 0, good, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 1 << 30, good, &g), PCS_ERR_SIZE);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 2, line, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 1, beyond, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_mesh(NULL, 4, x, 1, below, &g), PCS_ERR_ARG);
    ck_assert_ptr_null(g);
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e80};
    for (int k = 0; k < 4; ++k) {
        double y[9];
        memcpy(y, x, sizeof y);
        y[5] = bad[k];
        CK_FAILS(pcs_geometry_create_mesh(NULL, 3, y, 1, good, &g), PCS_ERR_ARG);
        CK_FAILS(pcs_geometry_create_height_field(NULL, 3, 3, 1, 1, y, &g), PCS_ERR_ARG);
        CK_FAILS(pcs_geometry_create_height_field(NULL, 3, 3, k == 3 ? -1 : bad[k], 1, x, &g),
                 PCS_ERR_ARG);
    }
    CK_FAILS(pcs_geometry_create_height_field(NULL, 1, 3, 1, 1, x, &g), PCS_ERR_SIZE);
    CK_FAILS(pcs_geometry_create_height_field(NULL, 1 << 15, 1 << 15, 1, 1, x, &g), PCS_ERR_SIZE);
    CK_FAILS(pcs_geometry_create_height_field(NULL, 2, 2, 0, 1, x, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_height_field(NULL, 2, 2, 1, 1, NULL, &g), PCS_ERR_ARG);
    CK_FAILS(pcs_geometry_create_height_field(NULL, 2, 2, 1, 1, x, NULL), PCS_ERR_ARG);

    // triangles without an area are left out, the others stay
    CK_OK(pcs_geometry_create_mesh(NULL, 4, x, 3, mixed, &g));
    pcs_shape s = pcs_shape_mesh(g);
    CK_OK(pcs_shape_check(&s));
    s.kind = PCS_SHAPE_HEIGHT_FIELD;
    CK_FAILS(pcs_shape_check(&s), PCS_ERR_ARG);
    s.geometry = NULL;
    CK_FAILS(pcs_shape_check(&s), PCS_ERR_ARG);
    pcs_geometry_destroy(g);
    pcs_geometry_destroy(NULL);
}

TEST(surfaces_cannot_move)
{
    const double h[4] = {0, 0, 0, 1};
    pcs_geometry *g;
    CK_OK(pcs_geometry_create_height_field(NULL, 2, 2, 1, 1, h, &g));
    const pcs_shape s = pcs_shape_height_field(g);
    pcs_model *m;
    pcs_system ball, table;
    CK_OK(pcs_model_create(NULL, &m));
    pcs_body_def def = pcs_body_def_default();
    CK_OK(pcs_model_add_body(m, &def, &ball));
    def.fixed = true;
    CK_OK(pcs_model_add_body(m, &def, &table));
    CK_FAILS(pcs_model_add_shape(m, ball, &s, (pcs_material){0}), PCS_ERR_ARG);
    CK_OK(pcs_model_add_shape(m, table, &s, (pcs_material){0}));
    CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &s, (pcs_material){0}));
    pcs_model_destroy(m);
    pcs_geometry_destroy(g);
}

// memory that runs out at any place leaves nothing behind
TEST(memory_may_run_out)
{
    static surface_lists lists;
    const double half[3] = {1, 1, 1}, h[4] = {0};
    box_surface(half, 2, &lists);
    for (int k = 0;; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        pcs_geometry *mesh = NULL, *field = NULL;
        const pcs_status one = pcs_geometry_create_mesh(&env, lists.nv, lists.vertex[0], lists.nt,
                                                        lists.triangle[0], &mesh);
        const pcs_status two = pcs_geometry_create_height_field(&env, 2, 2, 1, 1, h, &field);
        ck_assert(one == PCS_OK || (one == PCS_ERR_MEMORY && !mesh));
        ck_assert(two == PCS_OK || (two == PCS_ERR_MEMORY && !field));
        pcs_geometry_destroy(mesh);
        pcs_geometry_destroy(field);
        ck_assert_int_eq((int)memory.live, 0);
        if (one == PCS_OK && two == PCS_OK) break;
        ck_assert_int_lt(k, 100);
    }
}
