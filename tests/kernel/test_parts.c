// The parts of a model: names, definitions that are read back, disabled parts.
#include "scene.h"

#include <stdio.h>
#include <string.h>

#include <percuss/parts.h>

// ---- names --------------------------------------------------------------------------------------

TEST(a_name_finds_its_part)
{
    scene s = scene_open();
    const double at[3] = {0, 0, 1};
    const pcs_system a = scene_ball(&s, 1, 0.1, at, NULL), b = scene_ball(&s, 1, 0.1, at, NULL);
    scene_shape(&s, a, pcs_shape_sphere(0.1), 0.5);
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = pcs_relation_ball_joint(at, at);
    def.system1 = a;
    pcs_interaction joint;
    CK_OK(pcs_model_add_interaction(s.m, &def, &joint));

    // the same name for different kinds
    CK_OK(pcs_model_set_system_name(s.m, a, "crate"));
    CK_OK(pcs_model_set_shape_name(s.m, 0, "crate"));
    CK_OK(pcs_model_set_material_name(s.m, (pcs_material){1}, "crate"));
    CK_OK(pcs_model_set_interaction_name(s.m, joint, "crate"));
    pcs_system system = {-1};
    pcs_material material = {-1};
    pcs_interaction interaction = {-1};
    int shape = -1;
    CK_OK(pcs_model_find_system(s.m, "crate", &system));
    CK_OK(pcs_model_find_shape(s.m, "crate", &shape));
    CK_OK(pcs_model_find_material(s.m, "crate", &material));
    CK_OK(pcs_model_find_interaction(s.m, "crate", &interaction));
    ck_assert_int_eq(system.id, a.id);
    ck_assert_int_eq(shape, 0);
    ck_assert_int_eq(material.id, 1);
    ck_assert_int_eq(interaction.id, joint.id);
    ck_assert_str_eq(pcs_model_system_name(s.m, a), "crate");
    ck_assert_str_eq(pcs_model_shape_name(s.m, 0), "crate");
    ck_assert_str_eq(pcs_model_material_name(s.m, material), "crate");
    ck_assert_str_eq(pcs_model_interaction_name(s.m, joint), "crate");

    // a name twice within a kind, again for the same part, an empty name, a part that does not
    // exist
    CK_SAYS(pcs_model_set_system_name(s.m, b, "crate"), PCS_ERR_ARG, "crate");
    ck_assert_str_eq(pcs_model_system_name(s.m, b), "");
    CK_OK(pcs_model_set_system_name(s.m, a, pcs_model_system_name(s.m, a)));
    CK_FAILS(pcs_model_find_system(s.m, "", &system), PCS_ERR_ARG);
    CK_FAILS(pcs_model_find_system(s.m, "Crate", &system), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_system_name(s.m, (pcs_system){3}, "x"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_system_name(s.m, (pcs_system){-1}, "x"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_shape_name(s.m, 1, "x"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_interaction_name(s.m, (pcs_interaction){0}, "x"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_system_name(s.m, a, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_system_name(NULL, a, "x"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_find_system(s.m, "crate", NULL), PCS_ERR_ARG);
    ck_assert_str_eq(pcs_model_system_name(s.m, (pcs_system){77}), "");
    ck_assert_str_eq(pcs_model_shape_name(NULL, 0), "");

    // the world and the default material
    CK_OK(pcs_model_find_system(s.m, "world", &system));
    ck_assert_int_eq(system.id, 0);
    CK_OK(pcs_model_find_material(s.m, "default", &material));
    ck_assert_int_eq(material.id, 0);
    ck_assert_str_eq(pcs_model_system_name(s.m, (pcs_system){0}), "world");
    CK_FAILS(pcs_model_set_system_name(s.m, (pcs_system){0}, "x"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_system_name(s.m, b, "world"), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_material_name(s.m, (pcs_material){0}, "x"), PCS_ERR_ARG);
    scene_close(&s);
}

// random additions, removals and changes of names, against a plain list
TEST(names_come_and_go)
{
    enum { n = 60, words = 90 };
    test_random r = random_seed(11);
    scene s = scene_open();
    int has[n + 1]; // index of the word, -1: none
    for (int i = 1; i <= n; ++i) {
        scene_ball(&s, 1, 0.1, (double[3]){i, 0, 0}, NULL);
        has[i] = -1;
    }
    for (int k = 0; k < TEST_DRAWS(3000); ++k) {
        const int id = 1 + (int)(n * random_unit(&r)), word = (int)(words * random_unit(&r)) - 5;
        char name[20] = "";
        if (word >= 0) snprintf(name, sizeof name, "word %d", word);
        int owner = 0;
        for (int i = 1; i <= n && word >= 0; ++i) {
            if (has[i] == word) owner = i;
        }
        if (owner == 0 || owner == id) {
            CK_OK(pcs_model_set_system_name(s.m, (pcs_system){id}, name));
            has[id] = word < 0 ? -1 : word;
        } else {
            CK_FAILS(pcs_model_set_system_name(s.m, (pcs_system){id}, name), PCS_ERR_ARG);
        }
        for (int i = 1; i <= n; ++i) {
            char expected[20] = "";
            pcs_system found = {-1};
            if (has[i] >= 0) {
                snprintf(expected, sizeof expected, "word %d", has[i]);
                CK_OK(pcs_model_find_system(s.m, expected, &found));
                ck_assert_int_eq(found.id, i);
            }
            ck_assert_str_eq(pcs_model_system_name(s.m, (pcs_system){i}), expected);
        }
    }
    scene_close(&s);
}

TEST(names_that_are_refused)
{
    static const char *const bad[] = {
        "a\nb",  "tab\t",    "\x7f",         "\x1b[31m",     "\xc2\x85",         "\xff",
        "\xc3",  "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x80\xa8",
        "ok\x01"};
    static const char *const good[] = {
        "a", "Stütze <3> \"links\" & 'rechts'", "\xf0\x9f\x93\xa6", " ", "\xe7\x9f\xb3", "a/b.c:d"};
    scene s = scene_open();
    const pcs_system a = scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    CK_OK(pcs_model_set_system_name(s.m, a, "before"));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        CK_FAILS(pcs_model_set_system_name(s.m, a, bad[i]), PCS_ERR_ARG);
        ck_assert_str_eq(pcs_model_system_name(s.m, a), "before");
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
        pcs_system found = {0};
        CK_OK(pcs_model_set_system_name(s.m, a, good[i]));
        CK_OK(pcs_model_find_system(s.m, good[i], &found));
        ck_assert_int_eq(found.id, a.id);
    }
    scene_close(&s);
}

static int refuse(void *user, pcs_system system1, int shape1, pcs_system system2, int shape2)
{
    return -1;
}

static int fail_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    return 7;
}

// the message names the one of several bodies whose callback fails
TEST(errors_of_callbacks_name_the_body)
{
    scene s = scene_open();
    scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    pcs_body_def def = pcs_body_def_default();
    def.force = fail_force;
    const pcs_system b = scene_add(&s, &def);
    for (int i = 0; i < 20; ++i) {
        scene_ball(&s, 1, 0.1, (double[3]){1 + i, 0, 0}, NULL);
    }
    CK_OK(pcs_model_set_system_name(s.m, b, "buoy"));
    scene_start(&s);
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report), PCS_ERR_CALLBACK,
            "body 2 'buoy' returned 7");
    scene_close(&s);
}

// a sentence about parts shows their names beside their numbers; a long one is cut
TEST(errors_use_names)
{
    scene s = scene_open();
    const pcs_system a = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
    scene_ground(&s, 0);
    CK_OK(pcs_model_set_shape_name(s.m, 0, "ball"));
    char longest[400];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    CK_OK(pcs_model_set_shape_name(s.m, 1, longest));
    CK_OK(pcs_model_set_filter(s.m, refuse, NULL));
    scene_start(&s);
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report), PCS_ERR_CALLBACK,
            "shapes 0 'ball' and 1 'xxx");
    ck_assert_msg(strstr(pcs_error_text(), "xxx...'") != NULL, "%s", pcs_error_text());
    // a shape without a name has that of its body
    CK_OK(pcs_model_set_system_name(s.m, a, "globe"));
    CK_OK(pcs_model_set_shape_name(s.m, 0, ""));
    CK_OK(pcs_model_set_shape_name(s.m, 1, ""));
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report), PCS_ERR_CALLBACK,
            "shapes 0 of 'globe' and 1");
    CK_OK(pcs_model_set_filter(s.m, NULL, NULL));
    const double *q = pcs_state_q(s.m, s.st, a);
    memset((double *)q + 3, 0, 4 * sizeof *q);
    CK_OK(pcs_model_set_system_name(s.m, a, "marble"));
    CK_SAYS(pcs_step(s.m, s.st, s.wk, 1e-3, &s.report), PCS_ERR_ARG, "system 1 'marble'");
    scene_close(&s);
}

// ---- definitions returned -----------------------------------------------------------------------

// adds to `to` everything that the functions return of `from`
static void rebuild(const pcs_model *from, pcs_model *to)
{
    double g[3];
    pcs_model_gravity(from, g);
    CK_OK(pcs_model_set_gravity(to, g));
    const pcs_scheme scheme = pcs_model_scheme(from);
    CK_OK(pcs_model_set_scheme(to, &scheme));
    void *user;
    const pcs_combine_fn combine = pcs_model_combine(from, &user);
    CK_OK(pcs_model_set_combine(to, combine, user));
    const pcs_filter_fn filter = pcs_model_filter(from, &user);
    CK_OK(pcs_model_set_filter(to, filter, user));
    const int materials = pcs_model_material_count(from);
    for (int i = 1; i < materials; ++i) {
        pcs_material_def def;
        CK_OK(pcs_model_material(from, (pcs_material){i}, &def));
        CK_OK(pcs_model_add_material(to, &def, NULL));
    }
    for (int i = 0; i < materials; ++i) {
        for (int j = i; j < materials; ++j) {
            pcs_law law;
            if (!pcs_model_pair_law(from, (pcs_material){j}, (pcs_material){i}, &law)) continue;
            CK_OK(pcs_model_set_pair_law(to, (pcs_material){i}, (pcs_material){j}, &law));
        }
    }
    for (int i = 1; i <= pcs_model_system_count(from); ++i) {
        const pcs_system system = {i};
        if (pcs_model_is_lagrangian(from, system)) {
            pcs_lagrangian_def def;
            CK_OK(pcs_model_lagrangian(from, system, &def));
            CK_OK(pcs_model_add_lagrangian(to, &def, NULL));
        } else {
            pcs_body_def def;
            CK_OK(pcs_model_body(from, system, &def));
            CK_OK(pcs_model_add_body(to, &def, NULL));
        }
        CK_OK(pcs_model_set_enabled(to, system, pcs_model_enabled(from, system)));
        CK_OK(pcs_model_set_system_name(to, system, pcs_model_system_name(from, system)));
    }
    for (int i = 0; i < pcs_model_shape_count(from); ++i) {
        pcs_model_shape_def def;
        CK_OK(pcs_model_shape(from, i, &def));
        CK_OK(pcs_model_add_shape(to, def.system, &def.shape, def.material));
        CK_OK(pcs_model_set_shape_groups(to, i, def.group, def.mask));
        CK_OK(pcs_model_set_shape_enabled(to, i, pcs_model_shape_enabled(from, i)));
    }
    for (int i = 1; i <= pcs_model_interaction_count(from); ++i) {
        const pcs_interaction id = {i};
        pcs_interaction_def def;
        CK_OK(pcs_model_interaction(from, id, &def));
        CK_OK(pcs_model_add_interaction(to, &def, NULL));
        if (def.law.kind == PCS_LAW_EQUALITY) {
            CK_OK(pcs_model_set_touching(to, id, pcs_model_touching(from, id)));
        }
        CK_OK(pcs_model_set_interaction_enabled(to, id, pcs_model_interaction_enabled(from, id)));
    }
}

static int swing(void *user, double t, double q[7], double v[6])
{
    memcpy(q, (double[7]){0.3 * sin(t), 0, 0, 1, 0, 0, 0}, 7 * sizeof *q);
    memcpy(v, (double[6]){0.3 * cos(t)}, 6 * sizeof *v);
    return 0;
}

// beyond scene_random: orientations whose length is not 1, an inertia from shapes, added mass, a
// Lagrangian system, a driven body, disabled parts, groups, a pair law
static void add_others(scene *s)
{
    pcs_body_def def = pcs_body_def_default();
    pcs_system b[4];
    memcpy(def.position, (double[3]){3, 0, 1}, sizeof def.position);
    memcpy(def.orientation, (double[4]){0.3, 0.7, -2, 0.1}, sizeof def.orientation);
    CK_OK(pcs_model_add_body(s->m, &def, &b[0]));
    pcs_shape box = pcs_shape_box(0.3, 0.2, 0.1);
    memcpy(box.orientation, (double[4]){0.1, 0.2, 0.3, 0.35}, sizeof box.orientation);
    scene_rough(s, b[0], box, 0.1, 0, 0.4);
    scene_shape(s, b[0], pcs_shape_capsule(0.03, 0.5), 0);

    def.position[0] = 4;
    for (int i = 0; i < 6; ++i) {
        def.added_mass[7 * i] = 0.3 + 0.1 * i;
    }
    memcpy(def.inertia, (double[9]){0.1, 0, 0, 0, 0.11, 0, 0, 0, 0.12}, sizeof def.inertia);
    memcpy(def.omega, (double[3]){1, 2, 3}, sizeof def.omega);
    CK_OK(pcs_model_add_body(s->m, &def, &b[1]));
    scene_shape(s, b[1], pcs_shape_sphere(0.2), 0);
    def = pcs_body_def_default();
    def.motion = swing;
    CK_OK(pcs_model_add_body(s->m, &def, &b[2]));
    scene_rough(s, b[2], pcs_shape_box(8, 1, 0.1), 0, 0, 0.6);
    def = pcs_body_def_default();
    def.position[2] = 2;
    CK_OK(pcs_model_add_body(s->m, &def, &b[3]));
    scene_shape(s, b[3], pcs_shape_sphere(0.2), 0);
    CK_OK(pcs_model_set_enabled(s->m, b[3], false));

    const double M[4] = {2, 0.1, 0.1, 1}, K[4] = {50, 3, 3, 20}, load[2] = {1, -1};
    pcs_lagrangian_def lagrangian = pcs_lagrangian_def_default();
    lagrangian.n = 2;
    lagrangian.q0 = lagrangian.load = load;
    lagrangian.mass = M;
    lagrangian.stiffness = lagrangian.damping = K;
    const pcs_system l = scene_add_lagrangian(s, &lagrangian);
    pcs_interaction_def joint = pcs_interaction_def_default();
    joint.relation = pcs_relation_linear(2, M, -0.1);
    joint.law = pcs_law_newton_impact(0.5);
    joint.system1 = l;
    CK_OK(pcs_model_add_interaction(s->m, &joint, NULL));
    joint.relation = pcs_relation_distance(M, M, 0.7);
    joint.law = pcs_law_equality();
    joint.system1 = b[0];
    joint.system2 = b[1];
    pcs_interaction off;
    CK_OK(pcs_model_add_interaction(s->m, &joint, NULL));
    CK_OK(pcs_model_set_touching(s->m, (pcs_interaction){pcs_model_interaction_count(s->m)}, true));
    joint.relation = pcs_relation_ball_joint(K, M);
    CK_OK(pcs_model_add_interaction(s->m, &joint, &off));
    CK_OK(pcs_model_set_interaction_enabled(s->m, off, false));
    CK_OK(pcs_model_set_shape_enabled(s->m, pcs_model_shape_count(s->m) - 3, false));
    CK_OK(pcs_model_set_shape_groups(s->m, 1, 3, 5));
    const pcs_law law = pcs_law_newton_coulomb(0.2, 0, 0.9);
    CK_OK(pcs_model_set_pair_law(s->m, (pcs_material){2}, (pcs_material){1}, &law));
    CK_OK(pcs_model_set_system_name(s->m, l, "plant"));
}

TEST(a_model_is_rebuilt_from_its_own_data)
{
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        scene s, copy;
        scene_random_rough(&s, seed, 0.5);
        add_others(&s);
        scene_start(&s);
        copy = scene_open();
        rebuild(s.m, copy.m);
        CK_OK(pcs_state_create(copy.m, &copy.st));
        CK_OK(pcs_work_create(copy.m, &copy.wk));
        for (int k = 0; k < 40; ++k) {
            ck_assert_uint_eq(pcs_state_hash(s.st), pcs_state_hash(copy.st));
            CK_OK(pcs_step(s.m, s.st, s.wk, 2e-3, &s.report));
            CK_OK(pcs_step(copy.m, copy.st, copy.wk, 2e-3, &copy.report));
        }
        ck_assert_uint_eq(pcs_state_hash(s.st), pcs_state_hash(copy.st));
        ck_assert(s.st->t > 0.05);
        pcs_system plant;
        CK_OK(pcs_model_find_system(copy.m, "plant", &plant));
        scene_close(&s);
        scene_close(&copy);
    }
}

TEST(relations_return_their_kind_and_numbers)
{
    const double a[3] = {1, 2, 3}, b[3] = {4, 5, 6};
    const pcs_relation distance = pcs_relation_distance(a, b, 7),
                       ball = pcs_relation_ball_joint(a, b), linear = pcs_relation_linear(2, a, 9);
    const pcs_relation rope = pcs_relation_rope(a, b, 7);
    ck_assert_int_eq(pcs_relation_kind_of(&rope), PCS_RELATION_ROPE);
    pcs_relation own = ball;
    own.has_data = false;
    ck_assert_int_eq(pcs_relation_kind_of(&distance), PCS_RELATION_DISTANCE);
    ck_assert_int_eq(pcs_relation_kind_of(&ball), PCS_RELATION_BALL_JOINT);
    ck_assert_int_eq(pcs_relation_kind_of(&linear), PCS_RELATION_LINEAR);
    ck_assert_int_eq(pcs_relation_kind_of(&own), PCS_RELATION_USER);
    ck_assert_int_eq(pcs_relation_kind_of(NULL), PCS_RELATION_USER);
    for (int i = 0; i < 3; ++i) {
        ck_assert(distance.data[i] == a[i] && distance.data[3 + i] == b[i]);
        ck_assert(ball.data[i] == a[i] && ball.data[3 + i] == b[i]);
    }
    ck_assert(distance.data[6] == 7);
    ck_assert(linear.data[0] == 2 && linear.data[1] == a[0] && linear.data[3] == 9);
}

// a geometry created again from the data it returns gives the same data and the same contacts
static void same_geometry(const pcs_geometry *g, const pcs_geometry *h, pcs_shape a, pcs_shape b)
{
    const double *x, *y;
    const int *s, *t;
    ck_assert_int_eq(pcs_geometry_kind(g), pcs_geometry_kind(h));
    const int n = pcs_geometry_vertices(g, &x), m = pcs_geometry_triangles(g, &s);
    ck_assert_int_eq(n, pcs_geometry_vertices(h, &y));
    ck_assert_int_eq(m, pcs_geometry_triangles(h, &t));
    if (n > 0) ck_assert_mem_eq(x, y, 3 * (size_t)n * sizeof *x);
    if (m > 0) ck_assert_mem_eq(s, t, 3 * (size_t)m * sizeof *s);
    test_random r = random_seed(5);
    const pcs_shape box = pcs_shape_box(0.4, 0.3, 0.5);
    for (int k = 0; k < 200; ++k) {
        double q[7];
        for (int i = 0; i < 7; ++i) {
            q[i] = 2 * random_unit(&r) - 0.5;
        }
        pcs_feature f[64], e[64];
        memset(f, 0, sizeof f);
        memset(e, 0, sizeof e);
        const int found = pcs_collide(&box, q, &a, NULL, 0.5, 64, f);
        ck_assert_int_eq(found, pcs_collide(&box, q, &b, NULL, 0.5, 64, e));
        for (int i = 0; i < found && i < 64; ++i) {
            ck_assert_uint_eq(f[i].id, e[i].id);
            ck_assert_mem_eq(f[i].p2, e[i].p2, sizeof f[i].p2);
            ck_assert_mem_eq(f[i].d2, e[i].d2, sizeof f[i].d2);
        }
    }
}

TEST(geometries_come_back)
{
    test_random r = random_seed(8);
    double cloud[3 * 40];
    for (int i = 0; i < 3 * 40; ++i) {
        cloud[i] = random_unit(&r);
    }
    const double *x;
    const int *corner;
    pcs_geometry *g, *h;
    CK_OK(pcs_geometry_create_hull(NULL, 40, cloud, &g));
    const int n = pcs_geometry_vertices(g, &x);
    ck_assert(n > 4 && n <= 40);
    CK_OK(pcs_geometry_create_hull(NULL, n, x, &h));
    same_geometry(g, h, pcs_shape_hull(g), pcs_shape_hull(h));
    ck_assert(!pcs_geometry_heights(g, NULL, NULL, NULL, NULL, NULL));
    pcs_geometry_destroy(g);
    pcs_geometry_destroy(h);

    // a vertex twice, one that no triangle has, a triangle without area
    const double v[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0.3, 0, 1, 0, 1, 0, 0, 7, 7, 7};
    const int t[9] = {0, 1, 2, 0, 2, 3, 1, 4, 2};
    CK_OK(pcs_geometry_create_mesh(NULL, 6, v, 3, t, &g));
    ck_assert_int_eq(pcs_geometry_vertices(g, &x), 6);
    ck_assert_int_eq(pcs_geometry_triangles(g, &corner), 2);
    CK_OK(pcs_geometry_create_mesh(NULL, 6, x, 2, corner, &h));
    same_geometry(g, h, pcs_shape_mesh(g), pcs_shape_mesh(h));
    pcs_geometry_destroy(g);
    pcs_geometry_destroy(h);

    const double heights[6] = {0, 0.1, 0.3, 0.2, 0, 0.1}, *z;
    int nx, ny;
    double dx, dy;
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 0.5, 0.7, heights, &g));
    ck_assert(pcs_geometry_heights(g, &nx, &ny, &dx, &dy, &z));
    ck_assert(nx == 3 && ny == 2 && dx == 0.5 && dy == 0.7);
    ck_assert_mem_eq(z, heights, sizeof heights);
    CK_OK(pcs_geometry_create_height_field(NULL, nx, ny, dx, dy, z, &h));
    same_geometry(g, h, pcs_shape_height_field(g), pcs_shape_height_field(h));
    pcs_geometry_destroy(g);
    pcs_geometry_destroy(h);
}

TEST(parts_that_do_not_exist)
{
    scene s = scene_open();
    const pcs_system a = scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    pcs_body_def body = {.mass = 77};
    pcs_lagrangian_def lagrangian;
    pcs_material_def material;
    pcs_model_shape_def shape;
    pcs_interaction_def interaction;
    pcs_inertia inertia;
    CK_FAILS(pcs_model_body(s.m, (pcs_system){2}, &body), PCS_ERR_ARG);
    CK_FAILS(pcs_model_body(s.m, (pcs_system){0}, &body), PCS_ERR_ARG);
    CK_FAILS(pcs_model_body(NULL, a, &body), PCS_ERR_ARG);
    CK_FAILS(pcs_model_body(s.m, a, NULL), PCS_ERR_ARG);
    ck_assert(body.mass == 77);
    CK_FAILS(pcs_model_lagrangian(s.m, a, &lagrangian), PCS_ERR_ARG);
    CK_FAILS(pcs_model_material(s.m, (pcs_material){1}, &material), PCS_ERR_ARG);
    CK_FAILS(pcs_model_shape(s.m, 0, &shape), PCS_ERR_ARG);
    CK_FAILS(pcs_model_interaction(s.m, (pcs_interaction){1}, &interaction), PCS_ERR_ARG);
    CK_FAILS(pcs_model_inertia(s.m, (pcs_system){0}, &inertia), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_shape_enabled(s.m, 0, false), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_shape_enabled(NULL, 0, false), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_interaction_enabled(s.m, (pcs_interaction){1}, false), PCS_ERR_ARG);
    CK_FAILS(pcs_model_set_interaction_enabled(NULL, (pcs_interaction){1}, false), PCS_ERR_ARG);
    ck_assert(!pcs_model_shape_enabled(s.m, 0) && !pcs_model_touching(s.m, (pcs_interaction){1}));
    ck_assert(!pcs_model_interaction_enabled(s.m, (pcs_interaction){1}));
    ck_assert_int_eq(pcs_model_interaction_count(NULL), 0);
    ck_assert_int_eq(pcs_model_material_count(NULL), 0);
    ck_assert(!pcs_model_filter(s.m, NULL) && !pcs_model_combine(s.m, NULL));

    // the inertia in use: that of the shapes, if there are any
    pcs_body_def def = pcs_body_def_default();
    def.mass = 3;
    pcs_system b;
    double J[9];
    CK_OK(pcs_model_add_body(s.m, &def, &b));
    scene_shape(&s, b, pcs_shape_sphere(0.5), 0);
    CK_OK(pcs_model_inertia(s.m, b, &inertia));
    memcpy(J, pcs_inertia_sphere(3, 0.5).J, sizeof J);
    for (int i = 0; i < 9; ++i) {
        ck_assert_double_eq_tol(inertia.J[i], J[i], 1e-14);
    }
    CK_OK(pcs_model_body(s.m, b, &body));
    ck_assert(body.inertia[0] == 0 && body.mass == 3);
    scene_close(&s);
}

// ---- switched off -------------------------------------------------------------------------------

// a pendulum that is released falls freely; attached again at its place, it hangs
TEST(an_interaction_switched_off_does_not_act)
{
    scene s = scene_open();
    const double top[3] = {0, 0, 1}, up[3] = {0, 0, 0.5};
    pcs_system ball[2];
    pcs_interaction joint[2];
    for (int i = 0; i < 2; ++i) {
        ball[i] = scene_ball(&s, 1, 0.1, (double[3]){3 * i, 0, 0.5}, NULL);
        pcs_interaction_def def = pcs_interaction_def_default();
        const double hook[3] = {3 * i, 0, top[2]};
        def.relation = pcs_relation_ball_joint(up, hook);
        def.system1 = ball[i];
        CK_OK(pcs_model_add_interaction(s.m, &def, &joint[i]));
    }
    scene_start(&s);
    const double h = 1e-3;
    for (int k = 0; k < 50; ++k) {
        scene_step(&s, h);
    }
    CK_OK(pcs_model_set_interaction_enabled(s.m, joint[0], false));
    const double z0 = scene_q(&s, ball[0])[2];
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, h);
        ck_assert_int_eq(s.report.active, 1);
        const pcs_contact *c;
        ck_assert_int_eq(scene_contacts(&s, &c), 3);
        ck_assert_int_eq(c[0].interaction, joint[1].id);
    }
    const double t = 100 * h;
    ck_assert_double_eq_tol(scene_v(&s, ball[0])[2], -9.81 * t, 1e-12);
    ck_assert_double_eq_tol(scene_q(&s, ball[0])[2], z0 - 0.5 * 9.81 * t * t, 1e-12);
    ck_assert_double_eq_tol(scene_q(&s, ball[1])[2], 0.5, 1e-6);
    memset(scene_v(&s, ball[0]), 0, 6 * sizeof(double));
    scene_q(&s, ball[0])[2] = 0.5;
    CK_OK(pcs_model_set_interaction_enabled(s.m, joint[0], true));
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, h);
    }
    ck_assert_double_eq_tol(scene_q(&s, ball[0])[2], 0.5, 1e-6);
    scene_close(&s);
}

// a joint prevents contacts of its bodies while it is enabled
TEST(bodies_of_a_joint_switched_off_touch)
{
    scene s = scene_open();
    scene_gravity(&s, 0, 0, 0);
    pcs_system ball[2];
    for (int i = 0; i < 2; ++i) {
        ball[i] = scene_ball(&s, 1, 0.1, (double[3]){0.15 * i, 0, 0}, NULL);
        scene_shape(&s, ball[i], pcs_shape_sphere(0.1), 0);
    }
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = pcs_relation_ball_joint((double[3]){0.15, 0, 0}, (double[3]){0});
    def.system1 = ball[0];
    def.system2 = ball[1];
    pcs_interaction joint;
    CK_OK(pcs_model_add_interaction(s.m, &def, &joint));
    scene_start(&s);
    scene_step(&s, 1e-3);
    ck_assert_int_eq(s.report.candidates, 1);
    CK_OK(pcs_model_set_interaction_enabled(s.m, joint, false));
    scene_step(&s, 1e-3);
    const pcs_contact *c;
    ck_assert_int_eq(scene_contacts(&s, &c), 1);
    ck_assert_int_eq(c->shape1, 0);
    scene_close(&s);
}

// of a body on two feet one is disabled: the body stands on the other foot, and falls without both
TEST(a_shape_switched_off_touches_nothing)
{
    scene s = scene_open();
    const pcs_system b = scene_solid_ball(&s, 1, 0.1, (double[3]){0, 0, 0.1}, NULL, 0);
    scene_shape(&s, b, pcs_shape_sphere(0.05), 0);
    scene_ground(&s, 0);
    s.scheme = pcs_scheme_default();
    scene_start(&s);
    scene_step(&s, 1e-3);
    const pcs_contact *c;
    int n = scene_contacts(&s, &c);
    ck_assert(n >= 1 && c->shape1 == 0);
    CK_OK(pcs_model_set_shape_enabled(s.m, 0, false));
    for (int k = 0; k < 200; ++k) {
        scene_step(&s, 1e-3);
        n = scene_contacts(&s, &c);
        for (int i = 0; i < n; ++i) {
            ck_assert_int_eq(c[i].shape1, 1);
        }
    }
    ck_assert_double_eq_tol(scene_q(&s, b)[2], 0.05, 1e-4);
    CK_OK(pcs_model_set_shape_enabled(s.m, 1, false));
    const double z0 = scene_q(&s, b)[2], v0 = scene_v(&s, b)[2];
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, 1e-3);
        ck_assert_int_eq(s.report.candidates, 0);
    }
    ck_assert_double_eq_tol(scene_v(&s, b)[2], v0 - 9.81 * 0.1, 1e-12);
    ck_assert_double_lt(scene_q(&s, b)[2], z0);

    // enabled again, it acts as before
    scene_q(&s, b)[2] = 0.1;
    memset(scene_v(&s, b), 0, 6 * sizeof(double));
    CK_OK(pcs_model_set_shape_enabled(s.m, 0, true));
    for (int k = 0; k < 100; ++k) {
        scene_step(&s, 1e-3);
    }
    ck_assert_double_eq_tol(scene_q(&s, b)[2], 0.1, 1e-4);
    scene_close(&s);
}
