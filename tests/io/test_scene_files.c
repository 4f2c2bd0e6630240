// Scene files: a scene read back is the scene that was written, to the bit and to the letter; every
// error says where it is.
#include <percuss/force.h>
#include <percuss/joint.h>
#include <percuss/motion.h>
#include <percuss/parts.h>
#include <percuss/rotation.h>
#include <percuss/save.h>
#include <percuss/scene.h>
#include <percuss/strength.h>
#include <percuss/touching.h>

#include <stdio.h>

#include "support.h"

// ---- scenes in C and as text -------------------------------------------------------------------

static pcs_scene *parse(const char *text)
{
    pcs_scene *scene;
    CK_OK(pcs_scene_parse(NULL, text, strlen(text), "scene.json", &scene));
    return scene;
}

static const char *scratch(const char *name)
{
    static _Thread_local char path[600];
    snprintf(path, sizeof path, "%s-%s", PERCUSS_TEST_SCRATCH, name);
    return path;
}

// the text of a scene file for the model; the caller frees
static char *written(const pcs_scene *scene)
{
    const char *path = scratch("scene.json");
    CK_OK(pcs_scene_write(scene, path));
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    char *text = calloc(1, 1 << 20);
    ck_assert_ptr_nonnull(text);
    const size_t size = fread(text, 1, (1 << 20) - 1, f);
    ck_assert(size > 0 && size < (1 << 20) - 1);
    fclose(f);
    remove(path);
    return text;
}

// the hash of the state after n steps of h
static unsigned long long hash_after(const pcs_model *m, double h, int n)
{
    pcs_state *state;
    pcs_work *work;
    CK_OK(pcs_state_create(m, &state));
    CK_OK(pcs_work_create(m, &work));
    for (int i = 0; i < n; ++i) {
        pcs_step_report report;
        CK_OK(pcs_step(m, state, work, h, &report));
        ck_assert(report.committed);
    }
    const unsigned long long hash = pcs_state_hash(state);
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    return hash;
}

// written, read, and written again: the same text, the same steps
static void expect_round_trip(const pcs_scene *scene)
{
    char *first = written(scene);
    pcs_scene *again = parse(first);
    char *second = written(again);
    ck_assert_str_eq(first, second);
    ck_assert_uint_eq(pcs_model_hash(scene->model), pcs_model_hash(again->model));
    ck_assert_uint_eq(hash_after(scene->model, 0.005, 60), hash_after(again->model, 0.005, 60));
    free(first);
    free(second);
    pcs_scene_destroy(again);
}

// numbers that need all their digits
static void random_vector(test_random *r, int n, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = random_between(r, -1, 1);
    }
}

// bodies of every shape above a floor that is added between them, names, groups, joints
static pcs_scene *random_scene(uint64_t seed)
{
    test_random r = random_seed(seed);
    pcs_scene *scene;
    CK_OK(pcs_scene_create(NULL, &scene));
    CK_OK(pcs_scene_describe(scene, "a \"heap\" \\ of\nthings", "of no use"));
    pcs_model *m = scene->model;
    pcs_material material[2];
    for (int i = 0; i < 2; ++i) {
        const pcs_material_def def = {random_unit(&r), 0, random_unit(&r)};
        CK_OK(pcs_model_add_material(m, &def, &material[i]));
    }
    CK_OK(pcs_model_set_material_name(m, material[1], "rubber"));
    const pcs_law law = pcs_law_newton_coulomb(0.1, 0, random_unit(&r));
    CK_OK(pcs_model_set_pair_law(m, material[0], material[1], &law));
    const double normal[3] = {random_between(&r, -0.1, 0.1), 0, 1};
    pcs_system body[8];
    for (int i = 0; i < 8; ++i) {
        const pcs_shape kinds[] = {pcs_shape_sphere(0.1 + 0.1 * random_unit(&r)),
                                   pcs_shape_box(0.2, 0.3 * random_unit(&r) + 0.1, 0.1),
                                   pcs_shape_capsule(0.1, random_unit(&r)),
                                   pcs_shape_cylinder(0.1, 0.3)};
        pcs_shape shape = kinds[i % 4];
        pcs_body_def def = pcs_body_def_default();
        random_vector(&r, 3, def.position);
        def.position[2] += 1 + i;
        random_vector(&r, 4, def.orientation);
        random_vector(&r, 3, def.velocity);
        random_vector(&r, 3, def.omega);
        def.mass = 0.5 + random_unit(&r);
        def.fixed = i == 7;
        if (i == 3) CK_OK(pcs_model_add_solid(m, &def, 1, &shape, 700, material[0], &body[i]));
        if (i != 3) CK_OK(pcs_model_add_body(m, &def, &body[i]));
        if (i == 4) {
            const pcs_shape floor = pcs_shape_half_space(normal, -0.3);
            CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &floor, material[1]));
        }
        random_vector(&r, 4, shape.orientation);
        if (i != 3) CK_OK(pcs_model_add_shape(m, body[i], &shape, material[i % 2]));
    }
    CK_OK(pcs_model_set_system_name(m, body[2], "the \"third\""));
    CK_OK(pcs_model_set_groups(m, body[5], 2, ~2u));
    CK_OK(pcs_model_set_enabled(m, body[6], false));
    pcs_interaction_def joint = pcs_interaction_def_default();
    double p[3];
    random_vector(&r, 3, p);
    joint.relation = pcs_relation_distance(p, p, 2.5);
    joint.system1 = body[0];
    joint.system2 = body[2];
    joint.law = pcs_law_newton_impact(0.5);
    CK_OK(pcs_model_add_interaction(m, &joint, NULL));
    pcs_scheme scheme = pcs_scheme_default();
    scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    scheme.solver.as.nsgs.order = PCS_NSGS_ORDER_SHUFFLE;
    scheme.solver.max_iters = 100;
    scheme.accept_unconverged = true;
    scheme.halvings = 0;
    scheme.max_sweeps = 150;
    CK_OK(pcs_model_set_scheme(m, &scheme));
    scene->settings = (pcs_scene_settings){.h = 0.005,
                                           .t_end = 0.3,
                                           .rest_speed = 0.1,
                                           .box = true,
                                           .box_low = {-9, -9, -9},
                                           .box_high = {9, 9, 9},
                                           .box_body = body[2]};
    return scene;
}

TEST(a_scene_read_back_is_the_one_that_was_written)
{
    for (uint64_t seed = 1; seed <= TEST_FEW(3, 20); ++seed) {
        pcs_scene *scene = random_scene(seed);
        expect_round_trip(scene);
        pcs_scene_destroy(scene);
    }
}

TEST(a_metric_is_the_one_that_its_word_names)
{
    static const char *const word[] = {[PCS_METRIC_MASS] = "mass",
                                       [PCS_METRIC_V] = "v",
                                       [PCS_METRIC_Q] = "q",
                                       [PCS_METRIC_Q1] = "q1"};
    for (int k = 0; k < 4; ++k) {
        char text[80];
        const int size = snprintf(
            text, sizeof text, "{\"percuss_scene\": 1, \"scheme\": {\"metric\": \"%s\"}}", word[k]);
        pcs_scene *scene;
        CK_OK(pcs_scene_parse(NULL, text, (size_t)size, NULL, &scene));
        ck_assert_int_eq((int)pcs_model_scheme(scene->model).metric, k);
        expect_round_trip(scene);
        pcs_scene_destroy(scene);
    }
}

TEST(a_scene_as_text_is_the_one_in_C)
{
    static const char text[] = "{\"percuss_scene\": 1, \"materials\": [{\"e\": 0.9}],"
                               " \"bodies\": [{\"density\": 1100, \"material\": 1, \"shapes\":"
                               "   [{\"kind\": \"sphere\", \"radius\": 0.1}]}],"
                               " \"world\": {\"material\": 1, \"shapes\":"
                               "   [{\"kind\": \"half_space\", \"normal\": [0, 0, 1],"
                               "     \"offset\": -1, \"number\": 1}]}}";
    const pcs_shape plane = pcs_shape_half_space((double[]){0, 0, 1}, -1),
                    sphere = pcs_shape_sphere(0.1);
    const pcs_body_def def = pcs_body_def_default();
    pcs_model *m;
    pcs_material rubber;
    CK_OK(pcs_model_create(NULL, &m));
    CK_OK(pcs_model_add_material(m, &(pcs_material_def){.e = 0.9}, &rubber));
    CK_OK(pcs_model_add_solid(m, &def, 1, &sphere, 1100, rubber, NULL));
    CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &plane, rubber));
    pcs_scene *scene = parse(text);
    ck_assert_uint_eq(hash_after(scene->model, 0.005, 200), hash_after(m, 0.005, 200));
    pcs_scene_destroy(scene);
    pcs_model_destroy(m);
}

// every kind of motion and generator, geometries given by numbers, a load, a Lagrangian system
static const char all_kinds[] =
    "{\"percuss_scene\": 1, \"materials\": [{\"name\": \"r\", \"mu\": 0.8}],"
    "\"geometries\": ["
    "{\"kind\": \"mesh\", \"name\": \"tet\", \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, "
    "1]],"
    " \"triangles\": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]},"
    "{\"kind\": \"hull\", \"name\": \"gem\", \"points\": [[0.1, 0, 0], [-0.1, 0.1, 0],"
    " [-0.1, -0.1, 0], [0, 0, 0.1], [0, 0, -0.1]]},"
    "{\"kind\": \"height_field\", \"name\": \"hills\", \"dx\": 0.5, \"dy\": 0.4,"
    " \"heights\": [[0, 0.1, 0], [0.1, 0, 0.03]]}],"
    "\"world\": {\"material\": \"r\", \"shapes\": [{\"kind\": \"half_space\"},"
    " {\"kind\": \"mesh\", \"geometry\": \"tet\", \"position\": [3, 0, 0]},"
    " {\"kind\": \"height_field\", \"geometry\": \"hills\", \"position\": [-4, -1, 0.1]}]},"
    "\"bodies\": ["
    "{\"name\": \"belt\", \"motion\": {\"belt\": [0.4, 0, 0]}, \"position\": [0, 0, 0.1],"
    " \"shapes\": [{\"kind\": \"box\", \"size\": [3, 0.6, 0.2], \"material\": \"r\"}]},"
    "{\"motion\": {\"speed\": 2, \"axis\": [0, 1, 0], \"centre\": [0, 2, 1.1]},"
    " \"position\": [0, 2, 1], \"shapes\": [{\"kind\": \"cylinder\", \"radius\": 0.3,"
    " \"length\": 0.2}]},"
    "{\"motion\": {\"amplitude\": [0, 0, 0.1], \"frequency\": 0.5,"
    " \"polynomial\": [[0, 0, 0], [0, 0, 0.1]], \"swing\": 0.1, \"swing_frequency\": 1},"
    " \"position\": [2, 2, 1], \"shapes\": [{\"kind\": \"box\", \"size\": [1, 1, 0.1]}]},"
    "{\"motion\": {\"table\": [[0, 0, 5, 1], [0.1, 1, 5, 1], [0.2, 1, 6, 1]]},"
    " \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},"
    "{\"motion\": {}, \"position\": [9, 9, 9]},"
    "{\"mass\": 2, \"position\": [-1, 0, 0.31], \"shapes\": [{\"kind\": \"hull\","
    " \"geometry\": \"gem\", \"material\": \"r\"}]},"
    "{\"mass\": 1, \"position\": [0, -3, 2], \"load\": {\"force\": [1, 0, 12],"
    " \"body_torque\": [0, 0, 0.01], \"damping\": 0.5}, \"shapes\": [{\"kind\": \"sphere\","
    " \"radius\": 0.1}]},"
    "{\"kind\": \"lagrangian\", \"name\": \"spring\", \"mass_matrix\": [[1, 0], [0, 2]],"
    " \"stiffness\": [[10, -5], [-5, 5]], \"damping\": [[0.1, 0], [0.2, 0.1]], \"q\": [0.1, 0],"
    " \"forces\": [0, 1]},"
    "{\"kind\": \"ring\", \"count\": 3, \"radius\": 1, \"position\": [0, -6, 0.1],"
    " \"orientation\": {\"axis\": [0, 0, 1], \"angle\": 0.2}, \"bodies\": [{\"kind\": \"stack\","
    " \"count\": 2, \"spacing\": [0, 0, 0.2], \"turn\": 0.3, \"bodies\": [{\"name\": \"b\","
    " \"density\": 500, \"shapes\": [{\"kind\": \"box\", \"size\": [0.3, 0.2, 0.2],"
    " \"material\": \"r\"}]}]}]}],"
    "\"interactions\": [{\"kind\": \"linear\", \"bodies\": [\"spring\"],"
    " \"coefficients\": [1, -1], \"law\": {\"kind\": \"newton_impact\"}, \"offset\": 0.5},"
    " {\"kind\": \"rope\", \"bodies\": [6], \"at2\": [-1, 0, 1], \"length\": 0.8},"
    " {\"kind\": \"ball\", \"bodies\": [\"b 0 1\", \"b 1 0\"], \"at\": [0, -6, 0.4],"
    " \"enabled\": false}]}";

TEST(all_kinds_survive_a_file)
{
    pcs_scene *scene = parse(all_kinds);
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
}

// a vehicle with its pose and its fins, as pcs_model_add_vehicle makes it and as text
TEST(a_vehicle_survives_a_file)
{
    pcs_scene *scene;
    pcs_vehicle_def def = pcs_vehicle_def_default();
    const double angles[] = {-1, -0.5, 0.3, 0, 0, 0.01, 1, 0.5, 0.3};
    pcs_vehicle *vehicle;
    CK_OK(pcs_scene_create(NULL, &scene));
    pcs_vehicle_ride *ride = pcs_scene_alloc(scene, sizeof *ride);
    ck_assert_ptr_nonnull(ride);
    def.mass_matrix[1] = def.mass_matrix[6] = 0.1;
    def.current[1] = 0.2;
    def.n_fins = 3;
    def.fin[2].area = 0.01;
    def.foil.table = angles;
    def.foil.rows = 3;
    CK_OK(pcs_vehicle_create(NULL, &def, &vehicle));
    CK_OK(pcs_scene_keep_vehicle(scene, vehicle));
    *ride = (pcs_vehicle_ride){.vehicle = vehicle, .command = {3, {0.1, 0, -0.05}}};
    const double x[] = {0, 0, -5, 0.9, 0.1, -0.3, 0.2, 1, 0.1, 0, 0.1, 0, 0.3};
    CK_OK(pcs_model_add_vehicle(scene->model, ride, x, NULL));
    expect_round_trip(scene);

    // without fins
    ride = pcs_scene_alloc(scene, sizeof *ride);
    ck_assert_ptr_nonnull(ride);
    def.n_fins = 0;
    CK_OK(pcs_vehicle_create(NULL, &def, &vehicle));
    CK_OK(pcs_scene_keep_vehicle(scene, vehicle));
    *ride = (pcs_vehicle_ride){.vehicle = vehicle};
    CK_OK(pcs_model_add_vehicle(scene->model, ride, x, NULL));
    expect_round_trip(scene);
    pcs_scene_destroy(scene);

    // the default pose
    scene =
        parse("{\"percuss_scene\": 1, \"bodies\": [{\"vehicle\": {}, \"velocity\": [1, 0, 0]}]}");
    pcs_model *m;
    pcs_vehicle_ride usual = {.vehicle = NULL};
    const double start[13] = {0, 0, 0, 1, 0, 0, 0, 1};
    def = pcs_vehicle_def_default();
    CK_OK(pcs_vehicle_create(NULL, &def, &vehicle));
    usual.vehicle = vehicle;
    CK_OK(pcs_model_create(NULL, &m));
    CK_OK(pcs_model_add_vehicle(m, &usual, start, NULL));
    ck_assert_uint_eq(hash_after(scene->model, 0.01, 100), hash_after(m, 0.01, 100));
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
    pcs_model_destroy(m);
    pcs_vehicle_destroy(vehicle);
}

// ---- generators --------------------------------------------------------------------------------

// the hash after some steps of a scene with these bodies above a floor
static unsigned long long hash_of_bodies(const char *bodies)
{
    static char text[60000];
    snprintf(text, sizeof text,
             "{\"percuss_scene\": 1, \"world\": {\"shapes\": [{\"kind\": \"half_space\"}]},"
             " \"bodies\": [%s]}",
             bodies);
    pcs_scene *scene = parse(text);
    const unsigned long long hash = hash_after(scene->model, 0.005, 40);
    pcs_scene_destroy(scene);
    return hash;
}

#define CUBE "\"density\": 900, \"shapes\": [{\"kind\": \"box\", \"size\": [0.2, 0.3, 0.1]}]"

TEST(a_lattice_is_its_bodies)
{
    char one_by_one[8000];
    size_t used = 0;
    for (int n = 0; n < 24; ++n) {
        const int i = n % 4, j = n / 4 % 3, k = n / 12;
        used +=
            (size_t)snprintf(one_by_one + used, sizeof one_by_one - used,
                             "%s{\"position\": [%.17g, %.17g, %.17g], " CUBE "}", n > 0 ? ", " : "",
                             0.5 + (0.31 * i + k % 2 * 0.07), -1 + 0.37 * j, 0.2 + 0.13 * k);
    }
    ck_assert_uint_eq(hash_of_bodies(one_by_one),
                      hash_of_bodies("{\"kind\": \"lattice\", \"counts\": [4, 3, 2],"
                                     " \"spacing\": [0.31, 0.37, 0.13], \"shift\": [0.07, 0, 0],"
                                     " \"position\": [0.5, -1, 0.2], \"bodies\": [{" CUBE "}]}"));
}

TEST(a_ring_looks_outwards)
{
    enum { N = 7 };
    char text[1000];
    snprintf(text, sizeof text,
             "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"count\": %d,"
             " \"radius\": 2, \"position\": [1, 2, 3], \"start\": 0.4,"
             " \"bodies\": [{\"name\": \"stone\", \"position\": [0.5, 0, 0.1],"
             " \"velocity\": [1, 0, 0]}]}]}",
             N);
    pcs_scene *scene = parse(text);
    for (int i = 0; i < N; ++i) {
        const double angle = 0.4 + 2 * acos(-1) * i / N, c = cos(angle), s = sin(angle);
        char name[20];
        pcs_system stone;
        pcs_body_def def;
        snprintf(name, sizeof name, "stone %d", i);
        CK_OK(pcs_model_find_system(scene->model, name, &stone));
        CK_OK(pcs_model_body(scene->model, stone, &def));
        CK_NEAR(def.position[0], 1 + 2.5 * c, 1e-14);
        CK_NEAR(def.position[1], 2 + 2.5 * s, 1e-14);
        CK_NEAR(def.position[2], 3.1, 1e-14);
        CK_NEAR(def.velocity[0], c, 1e-14);
        CK_NEAR(def.velocity[1], s, 1e-14);
    }
    pcs_scene_destroy(scene);
}

TEST(jitter_stays_in_its_bounds_and_follows_its_seed)
{
    static const char *const seeds[] = {"1", "2", "1"};
    double x[3][100][7];
    for (int run = 0; run < 3; ++run) {
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"stack\", \"count\": 100,"
                 " \"spacing\": [0, 0, 1], \"jitter\": 0.1, \"tumble\": true, \"seed\": %s,"
                 " \"bodies\": [{}]}]}",
                 seeds[run]);
        pcs_scene *scene = parse(text);
        for (int i = 0; i < 100; ++i) {
            pcs_body_def def;
            CK_OK(pcs_model_body(scene->model, (pcs_system){i + 1}, &def));
            memcpy(x[run][i], def.position, sizeof def.position);
            memcpy(x[run][i] + 3, def.orientation, sizeof def.orientation);
            CK_NEAR(def.position[0], 0, 0.1);
            CK_NEAR(def.position[2], i, 0.1);
            CK_NEAR(pcs_quat_norm(def.orientation), 1, 1e-15);
        }
        pcs_scene_destroy(scene);
    }
    ck_assert_mem_eq(x[0], x[2], sizeof x[0]);
    ck_assert_mem_ne(x[0], x[1], sizeof x[0]);
}

// ---- a run by its settings ---------------------------------------------------------------------

static pcs_scene_end end_of(const char *stop, double *t)
{
    char text[600];
    snprintf(text, sizeof text,
             "{\"percuss_scene\": 1, \"world\": {\"shapes\": [{\"kind\": \"half_space\"}]},"
             " \"bodies\": [{\"position\": [0, 0, 1], \"shapes\": [{\"kind\": \"sphere\","
             " \"radius\": 0.5}]}], \"run\": {\"h\": 0.01, \"t_end\": 2, \"stop\": {%s}}}",
             stop);
    pcs_scene *scene = parse(text);
    pcs_state *state;
    pcs_work *work;
    pcs_scene_end end;
    CK_OK(pcs_state_create(scene->model, &state));
    CK_OK(pcs_work_create(scene->model, &work));
    CK_OK(pcs_scene_run(scene, state, work, NULL, NULL, &end, NULL));
    *t = state->t;
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_scene_destroy(scene);
    return end;
}

TEST(a_run_ends_when_a_condition_holds)
{
    double t;
    ck_assert_int_eq(end_of("", &t), PCS_SCENE_END_TIME);
    CK_NEAR(t, 2, 1e-9);
    ck_assert_int_eq(end_of("\"steps\": 7", &t), PCS_SCENE_END_STEPS);
    CK_NEAR(t, 0.07, 1e-9);
    // falls 0.5 m in sqrt(2 0.5 / g), then rests; the step that ends the fall counts
    const double fall = sqrt(1 / 9.81);
    ck_assert_int_eq(end_of("\"rest\": {\"speed\": 0.001, \"time\": 0.5}", &t), PCS_SCENE_END_REST);
    CK_NEAR(t, fall + 0.5, 0.03);
    ck_assert_int_eq(end_of("\"leaves\": {\"low\": [-1, -1, 0.8], \"high\": [1, 1, 2]}", &t),
                     PCS_SCENE_END_BOX);
    CK_NEAR(t, sqrt(2 * 0.2 / 9.81), 0.011);
}

// ---- interactions of generators ----------------------------------------------------------------

#define LINK "\"density\": 900, \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.04}]"

// the hash after some steps of the bodies and interactions
static unsigned long long hash_of_chain(const char *bodies, const char *interactions)
{
    static char text[60000];
    snprintf(text, sizeof text, "{\"percuss_scene\": 1, \"bodies\": [%s], \"interactions\": [%s]}",
             bodies, interactions);
    pcs_scene *scene = parse(text);
    const unsigned long long hash = hash_after(scene->model, 0.005, 40);
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
    return hash;
}

TEST(a_chain_is_its_links_and_joints)
{
    char links[4000], joints[4000];
    size_t n = 0, k = 0;
    for (int i = 0; i < 6; ++i) {
        n += (size_t)snprintf(links + n, sizeof links - n,
                              "%s{\"name\": \"link %d\", \"position\": [%.17g, 0, 2], " LINK "}",
                              i > 0 ? ", " : "", i, i * 0.125);
        if (i < 5) {
            k += (size_t)snprintf(joints + k, sizeof joints - k,
                                  "{\"kind\": \"ball\", \"bodies\": [%d, %d], \"at\":"
                                  " [%.17g, 0, 2]}, ",
                                  i + 1, i + 2, i * 0.125 + 0.0625);
        }
    }
    static const char hung[] = "{\"kind\": \"ball\", \"bodies\": [\"link 0\"], \"at\": [0, 0, 2]}";
    snprintf(joints + k, sizeof joints - k, "%s", hung);
    ck_assert_uint_eq(
        hash_of_chain(links, joints),
        hash_of_chain("{\"kind\": \"stack\", \"count\": 6, \"spacing\": [0.125, 0, 0],"
                      " \"position\": [0, 0, 2], \"bodies\": [{\"name\": \"link\", " LINK "}],"
                      " \"interactions\": [{\"kind\": \"ball\", \"bodies\": [\"link\", \"link\"],"
                      " \"next\": [1], \"at\": [0.0625, 0, 0]}]}",
                      hung));
}

// the interactions of bodies in a generator
static int joints_of(const char *generator)
{
    char text[2000];
    snprintf(text, sizeof text, "{\"percuss_scene\": 1, \"bodies\": [%s]}", generator);
    pcs_scene *scene = parse(text);
    const int n = pcs_model_interaction_count(scene->model);
    pcs_scene_destroy(scene);
    return n;
}

#define KNOT \
    "\"bodies\": [{\"name\": \"k\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"interactions\": "
#define TO(next) "{\"kind\": \"rope\", \"bodies\": [\"k\", \"k\"], \"next\": " next "}"

TEST(a_net_joins_every_pair_of_neighbours)
{
    // nx ny nz copies have (nx - 1) ny nz neighbours along x, and so on
    static const char net[] =
        "{\"kind\": \"lattice\", \"counts\": [5, 4, 3],"
        " \"spacing\": [1, 1, 1], " KNOT "[" TO("[1]") ", " TO("[0, 1]") ", " TO("[0, 0, -1]") "]}";
    ck_assert_int_eq(joints_of(net), 4 * 4 * 3 + 5 * 3 * 3 + 5 * 4 * 2);
#define RING(more) "{\"kind\": \"ring\", \"radius\": 2, " more ", " KNOT "[" TO("[1]") "]}"
    ck_assert_int_eq(joints_of(RING("\"count\": 7")), 7);
    ck_assert_int_eq(joints_of(RING("\"count\": 7, \"turn\": 3")), 6);
    // further than a whole turn is a part of a turn, in both directions
#define STAR(next) "{\"kind\": \"ring\", \"radius\": 2, \"count\": 7, " KNOT "[" TO(next) "]}"
    ck_assert_int_eq(joints_of(STAR("[100]")), 7);
    ck_assert_int_eq(joints_of(STAR("[-3]")), 7);
    // the first body may be outside: a hub and all copies but the first
    static const char fan[] =
        "{\"name\": \"hub\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
        " {\"kind\": \"stack\", \"count\": 5, \"spacing\": [1, 0, 0], " KNOT "[{\"kind\": \"rope\","
        " \"bodies\": [\"hub\", \"k\"], \"next\": [1], \"length\": 9}]}";
    ck_assert_int_eq(joints_of(fan), 4);
}

// names are those of the copy, then of the copies around it, then of the scene
TEST(names_are_looked_for_from_inside_out)
{
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"count\": 2, \"radius\": 3,"
        " \"interactions\": [{\"name\": \"hold\", \"kind\": \"ball\","
        "   \"bodies\": [\"post\", \"leaf 1\"], \"at\": [0, 0.25, 0.5]},"
        "  {\"name\": \"hang\", \"kind\": \"rope\", \"bodies\": [\"post\"], \"at2\": [0, 0, 2]}],"
        " \"bodies\": [{\"name\": \"post\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
        "  {\"kind\": \"stack\", \"count\": 2, \"spacing\": [0, 0, 1],"
        "   \"bodies\": [{\"name\": \"leaf\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
        "   \"interactions\": [{\"name\": \"twig\", \"kind\": \"rope\", \"length\": 9,"
        "     \"bodies\": [\"leaf\", \"post\"]}, {\"name\": \"root\", \"kind\": \"rope\","
        "     \"length\": 9, \"bodies\": [\"leaf\", \"ground\"]}]}]},"
        " {\"name\": \"ground\", \"position\": [0, 0, -1], \"mass\": 1, \"inertia\": [1, 1, 1]}]}");
    static const struct {
        const char *joint, *first, *second;
    } wanted[] = {{"twig 0 1", "leaf 0 1", "post 0"},
                  {"twig 1 0", "leaf 1 0", "post 1"},
                  {"root 1 1", "leaf 1 1", "ground"},
                  {"hold 1", "post 1", "leaf 1 1"},
                  {"hang 0", "post 0", "world"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
        pcs_interaction id;
        pcs_interaction_def def;
        CK_OK(pcs_model_find_interaction(scene->model, wanted[i].joint, &id));
        CK_OK(pcs_model_interaction(scene->model, id, &def));
        ck_assert_str_eq(pcs_model_system_name(scene->model, def.system1), wanted[i].first);
        ck_assert_str_eq(pcs_model_system_name(scene->model, def.system2), wanted[i].second);
    }

    // points are of the frame of the copy, also those of the world: the second one is at x = -3,
    // turned by pi
    pcs_interaction id;
    pcs_interaction_def def;
    CK_OK(pcs_model_find_interaction(scene->model, "hold 1", &id));
    CK_OK(pcs_model_interaction(scene->model, id, &def));
    expect_same(def.relation.data, (const double[]){0, 0.25, 0.5, 0, 0.25, -0.5}, 6, 1e-15);
    CK_OK(pcs_model_find_interaction(scene->model, "hang 1", &id));
    CK_OK(pcs_model_interaction(scene->model, id, &def));
    expect_same(def.relation.data, (const double[]){0, 0, 0, -3, 0, 2, 2}, 7, 1e-15);
    pcs_scene_destroy(scene);
}

TEST(a_copy_turns_its_loads_and_numbers_its_shapes)
{
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"count\": 4, \"radius\": 1,"
        " \"bodies\": [{\"name\": \"b\", \"density\": 1, \"load\": {\"force\": [3, 1, 2],"
        "   \"torque\": [0, 5, 1], \"body_force\": [1, 0, 0]},"
        "   \"shapes\": [{\"name\": \"lid\", \"kind\": \"sphere\", \"radius\": 0.1}]}]}]}");
    pcs_body_def def;
    CK_OK(pcs_model_body(scene->model, (pcs_system){2}, &def)); // turned by pi / 2
    const pcs_load *load = def.user;
    expect_same(load->force, (const double[]){-1, 3, 2}, 3, 1e-15);
    expect_same(load->torque, (const double[]){-5, 0, 1}, 3, 1e-15);
    expect_same(load->body_force, (const double[]){1, 0, 0}, 3, 0);
    int shape;
    CK_OK(pcs_model_find_shape(scene->model, "lid 3", &shape));
    ck_assert_int_eq(shape, 3);
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
}

// every kind of joint comes back with its frames; those given at the start close
TEST(joints_of_every_kind)
{
    static const char *const kind[] = {"hinge",  "slider", "cylindrical",   "fixed", "universal",
                                       "planar", "screw",  "point_on_line", "gear"};
    for (size_t k = 0; k < sizeof kind / sizeof *kind; ++k) {
        const bool gear = strcmp(kind[k], "gear") == 0, screw = strcmp(kind[k], "screw") == 0;
        for (int own = 0; own < 2; ++own) {
            char text[1000];
            snprintf(
                text, sizeof text,
                "{\"percuss_scene\": 1, \"bodies\": ["
                "{\"name\": \"a\", \"position\": [0.1, 0.2, 0.3], \"orientation\":"
                " {\"axis\": [1, 2, 3], \"angle\": 1}},"
                "{\"name\": \"b\", \"position\": [1, 0, 0]}],"
                "\"interactions\": [{\"kind\": \"%s\", \"bodies\": [\"a\", \"b\"], %s%s%s}]}",
                kind[k],
                own    ? "\"point1\": [1, 2, 3], \"axes2\": {\"axis\": [0, 0, 1], \"angle\": 0.2},"
                         "\"arm\": 0.3, \"enabled\": false"
                : gear ? "\"at1\": [0, 0, 0], \"at2\": [0.5, 0, 0], \"axis\": [0, 0, 1]"
                       : "\"at\": [0.4, 0, 0], \"axis\": [0, 0, 1], \"across\": [1, 1, 0]",
                screw ? ", \"pitch\": -0.2" : "", gear ? ", \"teeth\": [20, -31]" : "");
            pcs_scene *scene = parse(text);
            pcs_joint_def def;
            CK_OK(pcs_model_joint(scene->model, (pcs_interaction){1}, &def));
            ck_assert(def.arm > 0 && def.pitch == (screw ? -0.2 : 0));
            ck_assert(def.teeth[0] == (gear ? 20 : 0) && def.teeth[1] == (gear ? -31 : 0));
            pcs_state *state;
            pcs_joint_state now;
            CK_OK(pcs_state_create(scene->model, &state));
            CK_OK(pcs_state_joint(scene->model, state, NULL, (pcs_interaction){1}, &now));
            if (!own) CK_NEAR(now.violation, 0, 1e-15);
            pcs_state_destroy(state);
            expect_round_trip(scene);
            pcs_scene_destroy(scene);
        }
    }
}

// joints and springs of a body with a motion are placed where the motion has it at the start
TEST(joints_of_bodies_with_a_motion)
{
    static const char *const motion[] = {
        "\"amplitude\": [0.1, 0.2, 0.3], \"frequency\": 2, \"phase\": 1, \"axis\": [1, 2, 3],"
        " \"swing\": 0.5, \"swing_frequency\": 1, \"swing_phase\": 0.7",
        "\"table\": [[0, 3, 2, 1, 0.5, 0.5, 0.5, 0.5], [1, 3, 2, 1, 1, 0, 0, 0]]"};
    static const char *const kind[] = {"ball", "hinge", "fixed", "distance", "torsion"};
    for (int k = 0; k < 10; ++k) {
        const bool apart = k / 2 == 3, torsion = k / 2 == 4;
        char text[1000];
        snprintf(text, sizeof text,
                 "{\"percuss_scene\": 1, \"bodies\": ["
                 "{\"name\": \"a\", \"position\": [1, 0, 0]}, {\"name\": \"b\", \"motion\": {%s}}],"
                 "\"interactions\": [{\"kind\": \"%s\", \"bodies\": [\"b\", \"a\"], %s%s}]}",
                 motion[k % 2], kind[k / 2],
                 apart     ? "\"at1\": [0, 0, 1], \"at2\": [0, 2, 1]"
                 : torsion ? "\"stiffness\": 1"
                           : "\"at\": [0.4, 0.5, 0.6]",
                 k / 2 == 1 || k / 2 == 2 || torsion ? ", \"axis\": [1, 2, 3]" : "");
        pcs_scene *scene = parse(text);
        pcs_state *state;
        CK_OK(pcs_state_create(scene->model, &state));
        if (torsion) {
            pcs_force_def def;
            double axis[3];
            CK_OK(pcs_model_force(scene->model, (pcs_force){1}, &def));
            pcs_quat_rotate(pcs_state_q(scene->model, state, (pcs_system){2}) + 3, def.axis, axis);
            for (int i = 0; i < 3; ++i) {
                CK_NEAR(axis[i], i + 1, 1e-14);
            }
        } else {
            double g[6];
            pcs_interaction_def def;
            CK_OK(pcs_model_interaction(scene->model, (pcs_interaction){1}, &def));
            const double *q1 = pcs_state_q(scene->model, state, (pcs_system){2});
            const double *q2 = pcs_state_q(scene->model, state, (pcs_system){1});
            CK_OK(pcs_relation_gap(&def.relation, q1, q2, g));
            for (int i = 0; i < def.relation.dim; ++i) {
                CK_NEAR(g[i], 0, 1e-14);
            }
        }
        pcs_state_destroy(state);
        expect_round_trip(scene);
        pcs_scene_destroy(scene);
    }
}

// limits refer to their joint by name, in generators that of the copy, or by number
TEST(limits_of_joints)
{
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"count\": 3, \"radius\": 1,"
        " \"bodies\": [{\"name\": \"b\", \"density\": 1, \"shapes\":"
        "   [{\"kind\": \"box\", \"size\": [0.1, 0.2, 0.3]}]}], \"interactions\": ["
        "  {\"kind\": \"hinge\", \"name\": \"pin\", \"bodies\": [\"b\"], \"at\": [0, 0, 0.5],"
        "   \"axis\": [0, 1, 0]},"
        "  {\"kind\": \"limits\", \"joint\": \"pin\", \"low\": -0.1, \"high\": 0.3, \"e\": 0.4}]},"
        " {\"name\": \"c\"}], \"interactions\": [{\"kind\": \"slider\", \"bodies\": [\"c\"]},"
        "  {\"kind\": \"limits\", \"joint\": 7, \"low\": -0.5}]}");
    for (int id = 1; id <= 8; ++id) {
        pcs_joint_limits limits;
        const pcs_status status =
            pcs_model_joint_limits(scene->model, (pcs_interaction){id}, &limits);
        ck_assert_int_eq(status == PCS_OK, id % 2 == 0);
        if (status != PCS_OK) continue;
        ck_assert_int_eq(limits.joint.id, id - 1);
        ck_assert(limits.low == (id == 8 ? -0.5 : -0.1) && limits.e == (id == 8 ? 0 : 0.4));
    }
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
}

// motors and friction of a joint, a winch, and a motor with the target 0
TEST(what_acts_in_joints)
{
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}], "
        "\"interactions\": ["
        "  {\"kind\": \"hinge\", \"name\": \"pin\", \"bodies\": [\"a\"], \"axis\": [0, 1, 0]},"
        "  {\"kind\": \"motor\", \"joint\": \"pin\", \"target\": {\"amplitude\": 2, \"frequency\": "
        "3}},"
        "  {\"kind\": \"motor\", \"joint\": 1, \"of_speed\": true, \"limit\": 5,"
        "   \"target\": {\"offset\": 4}},"
        "  {\"kind\": \"friction\", \"joint\": \"pin\", \"limit\": 0.5, \"mu\": 0.2, \"radius\": "
        "0.1},"
        "  {\"kind\": \"rope\", \"bodies\": [\"a\", \"b\"], \"length\": 1, \"target\": {\"rate\": "
        "-0.1}},"
        "  {\"kind\": \"motor\", \"joint\": \"pin\", \"limit\": 3}]}");
    pcs_joint_motor motor;
    pcs_joint_friction friction;
    pcs_interaction_def def;
    CK_OK(pcs_model_joint_motor(scene->model, (pcs_interaction){2}, &motor));
    ck_assert(motor.target.amplitude == 2 && motor.target.frequency == 3 && isinf(motor.limit));
    CK_OK(pcs_model_joint_motor(scene->model, (pcs_interaction){3}, &motor));
    ck_assert(motor.of_speed && motor.target.offset == 4);
    CK_NEAR(motor.limit, 5, 1e-14);
    CK_OK(pcs_model_joint_friction(scene->model, (pcs_interaction){4}, &friction));
    CK_NEAR(friction.limit, 0.5, 1e-15);
    CK_NEAR(friction.mu * friction.radius, 0.02, 1e-16);
    CK_OK(pcs_model_interaction(scene->model, (pcs_interaction){5}, &def));
    ck_assert(def.relation.time.rate == -0.1);
    CK_OK(pcs_model_joint_motor(scene->model, (pcs_interaction){6}, &motor));
    ck_assert(!motor.of_speed && motor.target.offset == 0);
    CK_NEAR(motor.limit, 3, 1e-14);
    CK_SAYS(pcs_model_joint_friction(scene->model, (pcs_interaction){6}, &friction), PCS_ERR_ARG,
            "no friction");
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
}

// what joints and ropes bear
TEST(interactions_that_break)
{
    pcs_scene *scene =
        parse("{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\"}],"
              " \"interactions\": ["
              "  {\"kind\": \"fixed\", \"bodies\": [\"a\"], \"break_force\": 20,"
              "   \"break_moment\": 3},"
              "  {\"kind\": \"rope\", \"bodies\": [\"a\", \"b\"], \"length\": 1,"
              "   \"break_force\": 7},"
              "  {\"kind\": \"ball\", \"bodies\": [\"b\"]}]}");
    static const double expected[3][2] = {{20, 3}, {7, INFINITY}, {INFINITY, INFINITY}};
    for (int i = 0; i < 3; ++i) {
        const pcs_strength s = pcs_model_strength(scene->model, (pcs_interaction){i + 1});
        ck_assert(s.force == expected[i][0] && s.moment == expected[i][1]);
    }
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
    static const char off[] = "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}],"
                              " \"interactions\": [{\"kind\": \"fixed\", \"bodies\": [\"a\"],"
                              " \"break_force\": 0}]}";
    CK_SAYS(pcs_scene_parse(NULL, off, strlen(off), "scene.json", &scene), PCS_ERR_FORMAT,
            "break_force");
}

// z and x of both frames of a bushing are the given directions at the start, in a rotated copy, too
TEST(a_bushing_has_an_axis)
{
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\", \"orientation\": [0.5, 0.5, -0.5, "
        "0.5]},"
        " {\"name\": \"b\", \"orientation\": [0.6, 0, 0.8, 0]}, {\"kind\": \"stack\", \"count\": 1,"
        "  \"spacing\": [0, 0, 0], \"orientation\": [0.8, 0.6, 0, 0], \"bodies\": [{\"name\": "
        "\"c\"}],"
        "  \"interactions\": [{\"kind\": \"bushing\", \"bodies\": [\"c\"], \"axis\": [0, 3, 4], "
        "\"K\":"
        "   [1, 1, 1, 1, 1, 1]}]}],"
        " \"interactions\": [{\"kind\": \"bushing\", \"bodies\": [\"a\", \"b\"], \"axis\": [0, 3, "
        "4],"
        "  \"across\": [2, 0, 0], \"K\": [1, 2, 3, 4, 5, 6]}]}");
    for (int f = 1; f <= 2; ++f) {
        pcs_force_def def;
        CK_OK(pcs_model_force(scene->model, (pcs_force){f}, &def));
        // that of the copy is first: its axis is turned by the generator, about x
        const double expected[3] = {0, f == 1 ? 0.28 * 0.6 - 0.96 * 0.8 : 0.6,
                                    f == 1 ? 0.96 * 0.6 + 0.28 * 0.8 : 0.8};
        for (int k = 0; k < 2; ++k) {
            const double *axes = k == 0 ? def.frame1 : def.frame2;
            const pcs_system system = k == 0 ? def.system1 : def.system2;
            pcs_body_def body = pcs_body_def_default();
            if (system.id > 0) CK_OK(pcs_model_body(scene->model, system, &body));
            double own[3], z[3], x[3];
            pcs_quat_rotate(axes, (double[]){0, 0, 1}, own);
            pcs_quat_rotate(body.orientation, own, z);
            pcs_quat_rotate(axes, (double[]){1, 0, 0}, own);
            pcs_quat_rotate(body.orientation, own, x);
            for (int i = 0; i < 3; ++i) {
                ck_assert_double_eq_tol(z[i], expected[i], 1e-14);
                ck_assert(f == 1 || fabs(x[i] - (i == 0)) < 1e-14);
            }
        }
    }
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
    static const char both[] =
        "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"interactions\": [{\"kind\":"
        " \"bushing\", \"bodies\": [\"a\"], \"axis\": [0, 0, 1], \"axes2\": [1, 0, 0, 0]}]}";
    CK_SAYS(pcs_scene_parse(NULL, both, strlen(both), "scene.json", &scene), PCS_ERR_FORMAT,
            "both axis and axes2");
}

// A ball with one coordinate, whose sphere touches the floor, moves as the same free body; two
// angles place a double pendulum, in a generator, too
TEST(lagrangian_systems_carry_bodies)
{
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"scheme\": {\"base\": \"moreau_jean\"}, \"materials\": [{\"e\": "
        "0.5}],"
        " \"world\": {\"material\": 1, \"shapes\": [{\"kind\": \"half_space\"}]}, \"bodies\": ["
        " {\"kind\": \"lagrangian\", \"name\": \"z\", \"mass_matrix\": [[2]], \"forces\": [-19.62],"
        "  \"q\": [0.25]},"
        " {\"carrier\": \"z\", \"position\": [0, 0, 0.25], \"moves\": [{\"slide\": [0, 0, 2], "
        "\"by\": [1]}],"
        "  \"material\": 1, \"shapes\": [{\"kind\": \"sphere\", \"radius\": 0.1}]},"
        " {\"mass\": 2, \"position\": [5, 0, 0.5], \"material\": 1, \"shapes\": [{\"kind\": "
        "\"sphere\","
        "  \"radius\": 0.1}]},"
        " {\"kind\": \"stack\", \"count\": 2, \"spacing\": [0, 5, 0], \"position\": [0, 9, 0],"
        "  \"orientation\": {\"axis\": [0, 0, 1], \"angle\": 1.5707963267948966}, \"bodies\": ["
        "  {\"kind\": \"lagrangian\", \"name\": \"angles\", \"mass_matrix\": [[1, 0], [0, 1]],"
        "   \"q\": [0.3, -0.8], \"v\": [1, 2]},"
        "  {\"name\": \"bob\", \"carrier\": \"angles\", \"position\": [0, 0, -3], \"moves\": ["
        "   {\"turn\": [0, -1, 0], \"centre\": [0, 0, 0], \"by\": [1, 0]},"
        "   {\"turn\": [0, -1, 0], \"centre\": [0, 0, -2], \"by\": [-1, 1]}]}]}]}");
    expect_round_trip(scene);
    pcs_state *state;
    pcs_work *work;
    CK_OK(pcs_state_create(scene->model, &state));
    CK_OK(pcs_work_create(scene->model, &work));
    for (int i = 0; i < 200; ++i) {
        CK_OK(pcs_step(scene->model, state, work, 2e-3, NULL));
        const double *ball = pcs_state_read_q(scene->model, state, (pcs_system){2}),
                     *body = pcs_state_read_q(scene->model, state, (pcs_system){3});
        ck_assert_double_eq_tol(ball[2], body[2], 1e-12);
    }
    // angles from -z to x, turned by the generator to y
    for (int copy = 0; copy < 2; ++copy) {
        const double *q = pcs_state_read_q(scene->model, state, (pcs_system){4 + 2 * copy}),
                     *x = pcs_state_read_q(scene->model, state, (pcs_system){5 + 2 * copy});
        ck_assert_double_eq_tol(x[0], -5 * copy, 1e-12);
        ck_assert_double_eq_tol(x[1], 9 + 2 * sin(q[0]) + sin(q[1]), 1e-12);
        ck_assert_double_eq_tol(x[2], -2 * cos(q[0]) - cos(q[1]), 1e-12);
    }
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_scene_destroy(scene);
}

TEST(planar_bodies_have_a_plane)
{
    pcs_scene *scene =
        parse("{\"percuss_scene\": 1, \"bodies\": [{\"plane\": \"xz\", \"density\": 9, \"omega\": "
              "[0, 2, 0],"
              "  \"orientation\": {\"axis\": [0, 1, 0], \"angle\": 0.3}, \"shapes\":"
              "   [{\"kind\": \"box\", \"size\": [0.1, 0.2, 0.3]}]}, {\"plane\": \"xy\"}, {}]}");
    const pcs_plane plane[3] = {PCS_PLANE_XZ, PCS_PLANE_XY, PCS_PLANE_NONE};
    for (int i = 0; i < 3; ++i) {
        pcs_body_def def;
        CK_OK(pcs_model_body(scene->model, (pcs_system){i + 1}, &def));
        ck_assert_int_eq(def.plane, plane[i]);
    }
    expect_round_trip(scene);
    pcs_scene_destroy(scene);
    static const char off[] =
        "{\"percuss_scene\": 1, \"bodies\": [{\"plane\": \"xz\", \"omega\": [1, 0, 0]}]}";
    CK_SAYS(pcs_scene_parse(NULL, off, strlen(off), "scene.json", &scene), PCS_ERR_FORMAT,
            "leaves its plane");
}

TEST(planar_shapes_are_those_of_C)
{
    // an L of two rectangles, and a disk, a rectangle and a polygon of one body each
    pcs_scene *scene = parse(
        "{\"percuss_scene\": 1, \"plane\": \"xz\", \"world\": {\"shapes\":"
        "  [{\"kind\": \"half_space\"}, {\"kind\": \"rectangle\", \"edges\": [0.1, 1]}]},"
        " \"bodies\": [{\"position\": [1, 2, 3], \"density\": 50, \"shapes\": ["
        "   {\"kind\": \"rectangle\", \"edges\": [0.6, 0.2], \"position\": [0.3, 0, 0.1]},"
        "   {\"kind\": \"rectangle\", \"edges\": [0.4, 0.2], \"position\": [0.1, 0, 0.4],"
        "    \"orientation\": {\"axis\": [0, 1, 0], \"angle\": 1.5707963267948966}}]},"
        "  {\"density\": 7, \"shapes\": [{\"kind\": \"disk\", \"radius\": 0.3}]},"
        "  {\"density\": 7, \"position\": [4, 0, 4],"
        "    \"shapes\": [{\"kind\": \"rectangle\", \"edges\": [0.3, 0.5]}]},"
        "  {\"density\": 7, \"position\": [9, 0, 1], \"orientation\": [0.6, 0, 0.8, 0], \"shapes\":"
        "    [{\"kind\": \"polygon\", \"corners\": [[0, 0], [0.5, 0.1], [0.4, 0.7]]}]},"
        "  {\"plane\": \"none\", \"position\": [0, 0, 9]}]}");
    pcs_model *m;
    pcs_body_def def = pcs_body_def_default(), own;
    CK_OK(pcs_model_create(NULL, &m));
    def.plane = PCS_PLANE_XZ;
    CK_OK(pcs_model_add_disk(m, &def, 0.3, 7, (pcs_material){0}, NULL));
    memcpy(def.position, (double[]){4, 0, 4}, sizeof def.position);
    CK_OK(pcs_model_add_rectangle(m, &def, 0.3, 0.5, 7, (pcs_material){0}, NULL));
    memcpy(def.position, (double[]){9, 0, 1}, sizeof def.position);
    memcpy(def.orientation, (double[]){0.6, 0, 0.8, 0}, sizeof def.orientation);
    CK_OK(pcs_model_add_polygon(m, &def, 3, (double[]){0, 0, 0.5, 0.1, 0.4, 0.7}, 7,
                                (pcs_material){0}, NULL));
    for (int i = 1; i <= 3; ++i) {
        CK_OK(pcs_model_body(m, (pcs_system){i}, &own));
        CK_OK(pcs_model_body(scene->model, (pcs_system){i + 1}, &def));
        ck_assert_int_eq(def.plane, PCS_PLANE_XZ);
        ck_assert_double_eq_tol(def.mass, own.mass, 1e-14);
        ck_assert_double_eq_tol(def.inertia[4], own.inertia[4], 1e-14);
        for (int k = 0; k < 3; ++k) {
            ck_assert_double_eq_tol(def.position[k], own.position[k], 1e-14);
        }
    }
    // closed form of the L: 6 kg at (0.3, 0.1) and 4 kg at (0.1, 0.4)
    CK_OK(pcs_model_body(scene->model, (pcs_system){1}, &def));
    const double J = 6 * (0.36 + 0.04) / 12 + 4 * (0.04 + 0.16) / 12 + 2.4 * (0.04 + 0.09);
    ck_assert_double_eq_tol(def.mass, 10, 1e-13);
    ck_assert_double_eq_tol(def.position[0], 1.22, 1e-14);
    ck_assert_double_eq(def.position[1], 2);
    ck_assert_double_eq_tol(def.position[2], 3.22, 1e-14);
    ck_assert_double_eq_tol(def.inertia[4], J, 1e-13);
    CK_OK(pcs_model_body(scene->model, (pcs_system){5}, &def));
    ck_assert_int_eq(def.plane, PCS_PLANE_NONE);
    char *text = written(scene);
    static const char *const words[] = {"\"disk\"", "\"rectangle\"", "\"polygon\"", "\"corners\""};
    for (int i = 0; i < 4; ++i) {
        ck_assert_ptr_nonnull(strstr(text, words[i]));
    }
    ck_assert_ptr_null(strstr(text, "\"points\""));
    free(text);
    expect_round_trip(scene);
    pcs_model_destroy(m);
    pcs_scene_destroy(scene);
}

// random copies stay in the plane of their generator, and a ring lies in it
TEST(generators_stay_in_their_plane)
{
    for (int plane = PCS_PLANE_XY; plane <= PCS_PLANE_YZ; ++plane) {
        char text[600];
        snprintf(
            text, sizeof text,
            "{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"plane\": \"%s\","
            " \"count\": 5, \"radius\": 2, \"start\": 0.3, \"bodies\": [{\"kind\": \"lattice\","
            "  \"counts\": [1, 2, 2], \"spacing\": [0, 0, 0], \"jitter\": 0.1, \"tumble\": true,"
            "  \"bodies\": [{\"density\": 1, \"shapes\": [{\"kind\": \"polygon\","
            "   \"corners\": [[0, 0], [0.1, 0], [0, 0.1]]}]}]}]}]}",
            plane == PCS_PLANE_XY   ? "xy"
            : plane == PCS_PLANE_XZ ? "xz"
                                    : "yz");
        pcs_scene *scene = parse(text);
        const int normal = plane == PCS_PLANE_XY ? 2 : plane == PCS_PLANE_XZ ? 1 : 0;
        const double *shared = NULL;
        ck_assert_int_eq(pcs_model_system_count(scene->model), 20);
        for (int i = 1; i <= 20; ++i) {
            pcs_body_def def;
            pcs_model_shape_def shape;
            const double *x;
            CK_OK(pcs_model_body(scene->model, (pcs_system){i}, &def));
            ck_assert_int_eq(def.plane, plane);
            double away = 0;
            for (int k = 0; k < 3; ++k) {
                away += def.position[k] * def.position[k];
            }
            ck_assert(def.position[normal] == 0 && fabs(sqrt(away) - 2) < 0.3);
            // all copies share the data of one polygon
            CK_OK(pcs_model_shape(scene->model, i - 1, &shape));
            ck_assert_int_eq(pcs_geometry_vertices(shape.shape.geometry, &x), 6);
            ck_assert(!shared || x == shared);
            shared = x;
        }
        pcs_scene_destroy(scene);
    }
}

// ---- errors ------------------------------------------------------------------------------------

// the text, and the refusal: line, column, path, and words of the sentence
// a scene of a body and a Lagrangian system with these interactions
#define TWO(interactions)                                                                 \
    "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"L\", \"kind\": " \
    "\"lagrangian\","                                                                     \
    " \"mass_matrix\": [[1]]}], \"interactions\": [" interactions "]}"

static const struct {
    const char *text, *where, *words;
} wrong[] = {
    {"", "scene.json:1:0", "not JSON"},
    {"{", "scene.json:1:1", "not JSON"},
    {"[]", "scene.json:1:1", "must be an object"},
    {"{}", "scene.json:1:1", "percuss_scene"},
    {"{\"percuss_scene\": 2}", "scene.json:1:19: percuss_scene", "it must be 1"},
    {"{\"percuss_scene\": 1,\n  \"bodys\": []}", "scene.json:2:3: bodys", "did you mean 'bodies'"},
    {"{\"percuss_scene\": 1,\n // x\n \"bodies\": []}", "scene.json:2:", "description"},
    {"{\"percuss_scene\": 1, \"gravity\": [0, 0, NaN]}", "scene.json:1:", "finite"},
    {"{\"percuss_scene\": 1, \"gravity\": [0, 0, 1e999]}", "scene.json:1:", "overflow"},
    {"{\"percuss_scene\": 1, \"gravity\": [0, 0]}", "scene.json:1:33: gravity", "must have 3"},
    {"{\"percuss_scene\": 1, \"gravity\": [0, 0, \"down\"]}", "scene.json:1:40: gravity[2]",
     "a number (m/s^2)"},
    {"{\"percuss_scene\": 1, \"percuss_scene\": 1}", "scene.json:1:", "duplicate"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"mass\": 1},\n {\"mass\": -1}]}",
     "scene.json:2:11: bodies[1].mass", "above 0 kg"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"sphare\"}]}]}",
     "bodies[0].shapes[0].kind", "did you mean 'sphere'"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"sphere\"}]}]}",
     "bodies[0].shapes[0]", "'radius' is missing"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1,"
     " \"size\": [1, 1, 1]}]}]}",
     "bodies[0].shapes[0].size", "belongs to the kind box"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"interactions\": [{\"kind\": "
     "\"hinge\","
     " \"bodies\": [\"a\"], \"at\": [0, 0, 0], \"axis\": [0, 0, 0]}]}",
     "interactions[0]", "needs a direction"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"interactions\": [{\"kind\": "
     "\"hinge\","
     " \"bodies\": [\"a\"], \"axes1\": [1, 0, 0, 0], \"axis\": [0, 0, 1]}]}",
     "interactions[0]", "both axis and axes1"},
    {"{\"percuss_scene\": 1, \"interactions\": [{\"kind\": \"limits\", \"joint\": \"x\"}]}",
     "interactions[0].joint", "no interaction has the name 'x'"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"interactions\": [{\"kind\": "
     "\"limits\", \"joint\": \"x\"}, {\"kind\": \"hinge\", \"name\": \"x\", \"bodies\": [\"a\"]}]}",
     "interactions[0].joint", "'x' stands later in the file"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"density\": 1}]}", "bodies[0]", "no shapes"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lagrangian\", \"mass_matrix\": [[1]]}, "
     "{\"carrier\": 1, \"mass\": 2}]}",
     "bodies[1]", "a carrier and mass"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lagrangian\", \"mass_matrix\": [[1]]}, "
     "{\"carrier\": 1, \"moves\": [{\"slide\": [1, 0, 0],"
     " \"by\": [1, 2]}]}]}",
     "bodies[1].moves[0].by", "2 coefficients; the carrier has 1"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lagrangian\", \"mass_matrix\": [[1]]}, "
     "{\"carrier\": 1, \"moves\": [{\"slide\": [1, 0, 0],"
     " \"turn\": [1, 0, 0], \"by\": [1]}]}]}",
     "bodies[1].moves[0]", "either slide or turn"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lagrangian\", \"mass_matrix\": [[1]]}, "
     "{\"carrier\": 1, \"moves\": [{\"turn\": [0, 0, 0],"
     " \"by\": [1]}]}]}",
     "bodies[1]", "move 0 needs a direction"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}, {\"carrier\": 1}]}", "bodies[1].carrier",
     "no Lagrangian system"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"material\": \"wood\", \"shapes\": [{\"kind\": "
     "\"sphere\", "
     "\"radius\": 1}]}]}",
     "bodies[0].material", "no material has the name 'wood'"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"moves\": []}]}", "bodies[0]", "no carrier"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"disk\", \"radius\": 1}]}]}",
     "bodies[0].shapes[0]", "give the body, or the file, its plane"},
    {"{\"percuss_scene\": 1, \"plane\": \"xy\", \"bodies\": [{\"density\": 1, \"shapes\": "
     "[{\"kind\":"
     " \"disk\", \"radius\": 1}, {\"kind\": \"box\", \"size\": [1, 1, 1]}]}]}",
     "bodies[0]", "per area of 1 shapes and per volume of 1"},
    {"{\"percuss_scene\": 1, \"plane\": \"xy\", \"bodies\": [{\"density\": 1, \"shapes\": "
     "[{\"kind\":"
     " \"disk\", \"radius\": 1, \"position\": [0, 0, 1]}]}]}",
     "bodies[0]", "does not lie in the plane"},
    {"{\"percuss_scene\": 1, \"plane\": \"xy\", \"bodies\": [{\"shapes\": [{\"kind\": \"polygon\","
     " \"corners\": [[0, 0], [1, 0], [0.1, 0.1], [0, 1]]}]}]}",
     "bodies[0].shapes[0]", "use several shapes"},
    {"{\"percuss_scene\": 1, \"plane\": \"xy\", \"bodies\": [{\"shapes\": [{\"kind\": \"polygon\","
     " \"corners\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}]}]}",
     "bodies[0].shapes[0].corners[0]", "2"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"inertia\": [1, 2]}]}", "bodies[0].inertia", "9"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"inertia\": [1, 1, 9]}]}", "bodies[0]", "moment"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"inertia\": [0, 0, 0]}]}", "bodies[0].inertia",
     "leave it out"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"a\"}]}", "bodies[1]",
     "has the name"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"orientation\": [0, 0, 0, 0]}]}",
     "bodies[0].orientation", "no rotation"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"crate\"}], \"interactions\": [{\"kind\":"
     " \"ball\", \"bodies\": [\"crat\"]}]}",
     "interactions[0].bodies[0]", "did you mean 'crate'"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}], \"interactions\": [{\"kind\": \"ball\","
     " \"bodies\": [2]}]}",
     "interactions[0].bodies[0]", "the last one is 1"},
    {"{\"percuss_scene\": 1, \"scheme\": {\"theta\": 0.5, \"activation\": \"speculative\"}}",
     "scheme", "1:32: scheme: activation is speculative and theta is 0.5"},
    {"{\"percuss_scene\": 1, \"scheme\": {\"projection\": \"combined\", \"activation\":"
     " \"predictive\"}}",
     "scheme", "goes with end_of_step only: set activation = automatic"},
    {"{\"percuss_scene\": 1, \"scheme\": {\"solver\": {\"kind\": \"nsg\"}}}", "scheme.solver.kind",
     "did you mean 'nsgs'"},
    {"{\"percuss_scene\": 1, \"scheme\": {\"solver\": {\"kind\": \"nsgs\", \"order\": \"odd\"}}}",
     "scheme.solver.order", "order"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"mesh\", \"geometry\":"
     " \"ship\"}]}]}",
     "bodies[0].shapes[0]", "no geometry has the name"},
    {"{\"percuss_scene\": 1, \"geometries\": [{\"kind\": \"mesh\", \"name\": \"open\","
     " \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"triangles\": [[0, 1, 2]]}]}",
     "geometries[0]", "not closed"},
    {"{\"percuss_scene\": 1, \"geometries\": [{\"kind\": \"mesh\", \"name\": \"sock\","
     " \"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], \"triangles\": [[0, 1, 2],"
     " [0, 3, 1], [1, 3, 2], [0, 2, 3]]}]}",
     "geometries[0]", "inside out"},
    {"{\"percuss_scene\": 1, \"geometries\": [{\"kind\": \"mesh\", \"name\": \"m\","
     " \"points\": [[0, 0, 0]], \"triangles\": [[0, 0, 1]]}]}",
     "geometries[0].triangles[0][2]", "no vertex 1"},
    {"{\"percuss_scene\": 1, \"geometries\": [{\"kind\": \"hull\", \"name\": \"h\","
     " \"file\": \"no/such.obj\"}]}",
     "geometries[0].file", "cannot be opened"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lattice\", \"counts\": [1000, 1000,"
     " 1000], \"spacing\": [1, 1, 1], \"bodies\": [{\"mass\": 0}]}]}",
     "bodies[0].bodies[0].mass", "above 0"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lattice\", \"counts\": [1000000, 1000000,"
     " 1000000], \"spacing\": [1, 1, 1], \"bodies\": []}]}",
     "bodies[0].bodies", "more than 1000000 copies"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"motion\": {\"velocity\": [1, 0, 0],"
     " \"polynomial\": [[0, 0, 0]]}}]}",
     "bodies[0].motion", "give one of them"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"motion\": {\"frequency\": 2}}]}", "bodies[0].motion",
     "its frequency has no effect without amplitude"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"motion\": {\"amplitude\": [0, 0, 1]}}]}",
     "bodies[0].motion", "its amplitude has no effect without frequency"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"motion\": {\"speed\": 1, \"swing_phase\": 2}}]}",
     "bodies[0].motion", "its swing_phase has no effect without swing"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"motion\": {\"swing\": 1}}]}", "bodies[0].motion",
     "its swing has no effect without swing_frequency"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"motion\": {\"table\": [[1, 0, 0, 0], [0, 0, 0,"
     " 0]]}}]}",
     "bodies[0].motion", "not after"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lagrangian\", \"mass_matrix\": [[1]],"
     " \"q\": [1, 2]}]}",
     "bodies[0].q", "mass_matrix makes it 1"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"shapes\": [{\"kind\": \"sphere\", \"radius\": 1,"
     " \"number\": 5}]}]}",
     "bodies[0]", "number 5"},
    {"{\"percuss_scene\": 1, \"geometries\": [{\"kind\": \"height_field\", \"name\": \"g\", "
     "\"dx\": 1,"
     " \"dy\": 1, \"heights\": [[0, 0], [0, 0]]}],\n \"bodies\": [{}, {\"name\": \"sledge\","
     " \"shapes\": [{\"kind\": \"height_field\", \"geometry\": \"g\"}]}]}",
     "scene.json:2:17: bodies[1]", "'sledge'"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}], \"interactions\": [{\"kind\": \"spring\","
     " \"bodies\": [1], \"at2\": [1, 0, 0], \"stiffness\": -1}]}",
     "interactions[0].stiffness", "at least 0"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}], \"interactions\": [{\"kind\": \"spring\","
     " \"bodies\": [1], \"stiffness\": 1, \"length\": 1}]}",
     "interactions[0]", "points meet"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}], \"interactions\": [{\"kind\": \"torsion\","
     " \"bodies\": [1], \"axis\": [0, 0, 0], \"stiffness\": 1}]}",
     "interactions[0]", "axis"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}], \"interactions\": [{\"kind\": \"bushing\","
     " \"bodies\": [1], \"K\": [1, 2]}]}",
     "interactions[0]", "6, the diagonal, or 36"},
    {"{\"percuss_scene\": 1, \"bodies\": [{}, {}], \"interactions\": [{\"kind\": \"ball\","
     " \"bodies\": [1, 2], \"next\": [1]}]}",
     "interactions[0].next", "of a generator"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 2, " KNOT
     "[{\"kind\": \"ball\", \"bodies\": [\"k\"], \"next\": [1]}]}]}",
     "bodies[0].interactions[0].next", "one name"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 2, " KNOT
     "[" TO("[0]") "]}]}",
     "bodies[0].interactions[0].next", "the copy itself"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 2, " KNOT
     "[" TO("[1, 0]") "]}]}",
     "bodies[0].interactions[0].next", "a ring or a stack have one"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 12, " KNOT
     "[" TO("[-12]") "]}]}",
     "bodies[0].interactions[0].next", "the copy itself: a whole turn is 12"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 1, " KNOT
     "[" TO("[1]") "]}]}",
     "bodies[0].interactions[0].next", "a whole turn is 1"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 21,"
     " \"turn\": 3, " KNOT "[" TO("[21]") "]}]}",
     "bodies[0].interactions[0].next", "no copy is 21 further than another: there are 21;"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"lattice\", \"counts\": [5, 1, 3],"
     " \"spacing\": [1, 1, 1], " KNOT "[" TO("[0, 1]") "]}]}",
     "bodies[0].interactions[0].next", "there is 1 along y"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 2, " KNOT
     "[{\"kind\": \"ball\", \"bodies\": [\"k\", \"world\"], \"next\": [1]}]}]}",
     "bodies[0].interactions[0].next", "none of the copies"},
    // outside, by its number
    {"{\"percuss_scene\": 1, \"bodies\": [{}, {\"kind\": \"ring\", \"radius\": 1, \"count\": "
     "2, " KNOT "[{\"kind\": \"ball\", \"bodies\": [\"k\", 1], \"next\": [1]}]}]}",
     "bodies[1].interactions[0].next", "none of the copies"},
    // the name is that of the generator around it
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"stack\", \"count\": 2, \"spacing\": [1, 0, "
     "0],"
     " \"bodies\": [{\"name\": \"post\"}, {\"kind\": \"ring\", \"radius\": 1, \"count\": 2, " KNOT
     "[{\"kind\": \"ball\", \"bodies\": [\"k\", \"post\"], \"next\": [1]}]}]}]}",
     "bodies[0].bodies[1].interactions[0].next", "none of the copies"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"kind\": \"ring\", \"radius\": 1, \"count\": 2, " KNOT
     "[{\"kind\": \"ball\", \"bodies\": [\"x\", \"k\"]}]}]}",
     "bodies[0].interactions[0].bodies[0]", "no body has the name 'x'"},
    // in words of a scene, with the names of its bodies
    {TWO("{\"kind\": \"ball\", \"bodies\": [\"world\", \"a\"]}"), "interactions[0].bodies",
     "the first body is the world; name"},
    {TWO("{\"kind\": \"hinge\", \"axis\": [0, 0, 1], \"bodies\": [\"a\", \"a\"]}"),
     "interactions[0].bodies", "both bodies are 'a'"},
    {TWO("{\"kind\": \"spring\", \"bodies\": [\"a\", \"L\"]}"), "interactions[0].bodies[1]",
     "'L' is a Lagrangian system"},
    {TWO("{\"kind\": \"linear\", \"coefficients\": [1], \"bodies\": [\"L\", \"a\"]}"),
     "interactions[0].bodies", "name no second one"},
    {TWO("{\"kind\": \"linear\", \"coefficients\": [1, 0, 0, 1, 0, 0, 0], \"bodies\": [\"a\"]}"),
     "interactions[0]", "of the quaternion of body 1 'a'"},
    {TWO("{\"kind\": \"rope\", \"length\": 0, \"bodies\": [\"a\"]}"), "interactions[0]",
     "a ball joint holds two points together"},
    {TWO("{\"kind\": \"hinge\", \"axis\": [0, 0, 0], \"bodies\": [\"a\"]}"), "interactions[0]",
     "the axis is (0, 0, 0)"},
    {TWO("{\"kind\": \"rope\", \"length\": 1, \"bodies\": [\"a\"], \"name\": \"r\"}, {\"kind\":"
         " \"limits\", \"joint\": \"r\", \"low\": 0, \"high\": 1}"),
     "interactions[1].joint", "has no coordinates"},
    {TWO("{\"kind\": \"rope\", \"length\": 1, \"bodies\": [\"a\"], \"touching\": true}"),
     "interactions[0]", "contacts between its bodies"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\\nb\"}]}", "bodies[0]", "control"},
    {"{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\\u0000b\"}]}", "scene.json:1:", "NUL"},
    {"{\"percuss_scene\": 1, \"run\": {\"h\": 0}}", "scene.json:1:35: run.h", "above 0 s"},
};

#undef TWO

TEST(an_error_says_where_it_is_and_what_to_write)
{
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        pcs_scene *scene;
        const pcs_status status =
            pcs_scene_parse(NULL, wrong[i].text, strlen(wrong[i].text), "scene.json", &scene);
        ck_assert_msg(status != PCS_OK, "%s is read", wrong[i].text);
        ck_assert_ptr_null(scene);
        const char *said = pcs_error_text();
        ck_assert_msg(strncmp(said, "scene.json:", 11) == 0 && strstr(said, wrong[i].where) &&
                          strstr(said, wrong[i].words),
                      "%s: '%s' and '%s' are not in: %s", wrong[i].text, wrong[i].where,
                      wrong[i].words, said);
        static const char *const foreign[] = {"pcs_", "PCS_", "system1", "system 1"};
        for (int k = 0; k < 4; ++k) {
            ck_assert_msg(!strstr(said, foreign[k]), "%s is no word of a scene: %s", foreign[k],
                          said);
        }
    }
}

// some editors put three bytes before the text
TEST(a_byte_order_mark_is_skipped)
{
    static const char good[] =
        "\xEF\xBB\xBF{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}]}";
    static const char bad[] = "\xEF\xBB\xBF{\"percuss_scene\": 1, \"bodys\": []}";
    pcs_scene *scene;
    CK_OK(pcs_scene_parse(NULL, good, sizeof good - 1, NULL, &scene));
    ck_assert_int_eq(pcs_model_system_count(scene->model), 1);
    pcs_scene_destroy(scene);
    CK_FAILS(pcs_scene_parse(NULL, bad, sizeof bad - 1, "f", &scene), PCS_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "f:1:"));
}

// jansson accepts it between two tokens
TEST(a_byte_that_is_zero_is_refused)
{
    static const char text[] = "{\"percuss_scene\": 1, \"gravity\": [0, 0 \0, 0],\n \"x\": 1}";
    pcs_scene *scene;
    CK_FAILS(pcs_scene_parse(NULL, text, sizeof text - 1, NULL, &scene), PCS_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "zero"));
}

static int no_force(void *user, double t, const double q[7], const double v[6], double F[6])
{
    memset(F, 0, 6 * sizeof *F);
    return 0;
}

// two bodies with these interactions, and a stack of beads on springs
static pcs_scene *with_forces(const char *interactions)
{
    char text[4000];
    snprintf(
        text, sizeof text,
        "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}, {\"name\": \"b\", \"position\":"
        " [2, 0, 0]}, {\"kind\": \"stack\", \"count\": 5, \"spacing\": [0, 0, 1], \"bodies\":"
        " [{\"name\": \"bead\"}], \"interactions\": [{\"kind\": \"spring\", \"bodies\": [\"bead\","
        " \"bead\"], \"next\": [1], \"stiffness\": 10}]}], \"interactions\": [%s]}",
        interactions);
    pcs_scene *scene = parse(text);
    expect_round_trip(scene);
    return scene;
}

TEST(force_elements_are_read_and_written)
{
    pcs_scene *scene = with_forces(
        "{\"kind\": \"spring\", \"name\": \"leg\", \"bodies\": [\"a\", \"b\"], \"at1\": [1,"
        " 0, 0], \"at2\": [1, 1, 0], \"stiffness\": 100, \"damping\": 2, \"enabled\": false},"
        "{\"kind\": \"torsion\", \"bodies\": [\"a\"], \"axis\": [0, 0, 1], \"stiffness\": 3,"
        " \"angle\": 0.5},"
        "{\"kind\": \"bushing\", \"bodies\": [\"a\", \"b\"], \"at\": [1, 0, 0], \"K\": [1, 2,"
        " 3, 4, 5, 6], \"axes2\": [0, 0, 0, 1]},"
        "{\"kind\": \"gravity\", \"bodies\": [\"a\", \"b\"], \"strength\": 7}");
    const pcs_model *m = scene->model;
    pcs_force_def def;
    // four springs of the stack, then those of the list
    ck_assert_int_eq(pcs_model_force_count(m), 8);
    ck_assert_int_eq(pcs_model_interaction_count(m), 0);
    for (int id = 1; id <= 8; ++id) {
        CK_OK(pcs_model_force(m, (pcs_force){id}, &def));
        const bool spring = def.kind == PCS_FORCE_SPRING;
        if (spring) CK_NEAR(def.length, 1, 1e-15); // that at the start
    }
    pcs_force leg;
    CK_OK(pcs_model_find_force(m, "leg", &leg));
    ck_assert(!pcs_model_force_enabled(m, leg));
    CK_OK(pcs_model_force(m, leg, &def));
    CK_NEAR(def.p1[0], 1, 0);
    CK_NEAR(def.p2[0], -1, 0);
    CK_NEAR(def.p2[1], 1, 0);
    pcs_scene_destroy(scene);
    static const char *const bad[][2] = {{"", "it has no axis"},
                                         {", \"axis\": [0, 0, 1], \"axis1\": [0, 0, 1]", "both"}};
    for (int i = 0; i < 2; ++i) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"percuss_scene\": 1, \"bodies\": [{\"name\": \"a\"}], \"interactions\": ["
                 "{\"kind\": \"torsion\", \"bodies\": [\"a\"], \"stiffness\": 3%s}]}",
                 bad[i][0]);
        CK_SAYS(pcs_scene_parse(NULL, text, strlen(text), "scene.json", &scene), PCS_ERR_FORMAT,
                bad[i][1]);
    }
}

// The model that is read has the same hash, though the body is turned: its checkpoint fits. Members
// that a kind ignores do not count
TEST(force_elements_keep_their_bits)
{
    test_random r = random_seed(4);
    for (int k = 0; k < 40; ++k) {
        pcs_scene *scene;
        CK_OK(pcs_scene_create(NULL, &scene));
        pcs_body_def body = pcs_body_def_default();
        random_quaternion(&r, body.orientation);
        const pcs_force_kind kinds[] = {PCS_FORCE_SPRING, PCS_FORCE_TORSION, PCS_FORCE_BUSHING,
                                        PCS_FORCE_GRAVITY};
        pcs_force_def f = pcs_force_def_default(kinds[k % 4]);
        CK_OK(pcs_model_add_body(scene->model, &body, &f.system1));
        f.stiffness = f.strength = f.length = f.K[0] = 1 + random_unit(&r);
        random_vector(&r, 3, f.axis);
        random_vector(&r, 3, f.p1);
        random_quaternion(&r, f.frame1);
        CK_OK(pcs_model_add_force(scene->model, &f, NULL));
        expect_round_trip(scene);
        pcs_scene_destroy(scene);
    }
}

// ---- members at zero, at their defaults and elsewhere --------------------------------------------

// n numbers, each of them zero half of the time
static void some(test_random *r, double low, double high, int n, double *x)
{
    for (int i = 0; i < n; ++i) {
        x[i] = random_unit(r) < 0.5 ? 0 : random_between(r, low, high);
    }
}

static bool perhaps(test_random *r)
{
    return random_unit(r) < 0.5;
}

static int one_of(test_random *r, int n)
{
    return (int)(n * random_unit(r));
}

static double any(test_random *r, double low, double high)
{
    double x;
    some(r, low, high, 1, &x);
    return x;
}

static void perhaps_turn(test_random *r, double Q[4])
{
    if (perhaps(r)) random_quaternion(r, Q);
}

// members that the kind ignores are set, too
static pcs_status add_any_force(test_random *r, pcs_model *m, pcs_system one, pcs_system two)
{
    pcs_force_def f = pcs_force_def_default((pcs_force_kind)one_of(r, PCS_FORCE_USER));
    f.system1 = one;
    f.system2 = two;
    f.stiffness = any(r, 0, 10);
    f.damping = any(r, 0, 3);
    f.length = any(r, 0, 3);
    f.angle = any(r, -2, 2);
    f.strength = any(r, -1, 1);
    some(r, -1, 1, 3, f.axis);
    some(r, -1, 1, 3, f.p1);
    some(r, -1, 1, 3, f.p2);
    perhaps_turn(r, f.frame1);
    perhaps_turn(r, f.frame2);
    for (int i = 0; i < 6; ++i) {
        some(r, 0, 9, 1, &f.K[7 * i]);
        some(r, 0, 9, 1, &f.D[7 * i]);
    }
    f.K[1] = f.K[6] = perhaps(r) ? 0.5 * fmin(f.K[0], f.K[7]) : 0;
    pcs_force id;
    const pcs_status status = pcs_model_add_force(m, &f, &id);
    return status == PCS_OK ? pcs_model_set_force_enabled(m, id, perhaps(r)) : status;
}

static pcs_time_function any_time(test_random *r)
{
    return (pcs_time_function){.offset = any(r, -1, 1),
                               .rate = any(r, -1, 1),
                               .amplitude = any(r, -1, 1),
                               .frequency = any(r, 0, 3),
                               .phase = any(r, -1, 1)};
}

// a joint, and limits, a motor or friction on one of its coordinates
static pcs_status add_any_joint(test_random *r, pcs_model *m, pcs_system one, pcs_system two)
{
    pcs_joint_def j = pcs_joint_def_default((pcs_joint_kind)one_of(r, PCS_JOINT_KIND_COUNT));
    j.system1 = one;
    j.system2 = two;
    some(r, -1, 1, 3, j.point1);
    some(r, -1, 1, 3, j.point2);
    perhaps_turn(r, j.axes1);
    perhaps_turn(r, j.axes2);
    j.pitch = any(r, 0.1, 1);
    j.teeth[0] = 3;
    j.teeth[1] = perhaps(r) ? 8 : -9;
    j.length = any(r, 0.1, 3);
    j.arm = any(r, 0.1, 1);
    pcs_interaction id;
    pcs_status status = pcs_model_add_joint(m, &j, &id);
    if (status != PCS_OK) return status;
    CK_OK(pcs_model_set_interaction_enabled(m, id, perhaps(r)));
    if (perhaps(r)) CK_OK(pcs_model_set_touching(m, id, perhaps(r)));
    const pcs_strength strength = {perhaps(r) ? INFINITY : random_between(r, 1, 9),
                                   perhaps(r) ? INFINITY : random_between(r, 1, 9)};
    if (perhaps(r)) status = pcs_model_set_strength(m, id, strength);
    if (status != PCS_OK) return status;
    const int coordinate = one_of(r, 3);
    switch (one_of(r, 4)) {
    case 0: {
        const pcs_joint_limits limits = {.joint = id,
                                         .coordinate = coordinate,
                                         .low = any(r, -1, 0),
                                         .high = perhaps(r) ? INFINITY : any(r, 0.5, 1),
                                         .e = any(r, 0, 1)};
        return pcs_model_add_joint_limits(m, &limits, NULL);
    }
    case 1: {
        const pcs_joint_motor motor = {.joint = id,
                                       .coordinate = coordinate,
                                       .target = any_time(r),
                                       .of_speed = perhaps(r),
                                       .limit = perhaps(r) ? INFINITY : any(r, 0, 5)};
        return pcs_model_add_joint_motor(m, &motor, NULL);
    }
    case 2: {
        const pcs_joint_friction friction = {.joint = id,
                                             .coordinate = coordinate,
                                             .limit = any(r, 0, 2),
                                             .mu = any(r, 0, 1),
                                             .radius = any(r, 0, 1)};
        return pcs_model_add_joint_friction(m, &friction, NULL);
    }
    default:
        return PCS_OK;
    }
}

static pcs_status add_any_relation(test_random *r, pcs_model *m, pcs_system one, pcs_system two)
{
    pcs_interaction_def def = pcs_interaction_def_default();
    double p1[3], p2[3], c[7], t[7];
    some(r, -1, 1, 3, p1);
    some(r, -1, 1, 3, p2);
    def.system1 = one;
    def.system2 = two;
    const pcs_law laws[] = {def.law, pcs_law_newton_impact(any(r, 0, 1)),
                            pcs_law_newton_coulomb(any(r, 0, 1), any(r, 0, 1), any(r, 0, 1))};
    def.law = laws[one_of(r, 3)];
    const double length = any(r, 0.1, 3);
    switch (one_of(r, 4)) {
    case 0:
        def.relation = pcs_relation_distance(p1, p2, length);
        def.relation.time = perhaps(r) ? any_time(r) : def.relation.time;
        break;
    case 1:
        def.relation = pcs_relation_rope(p1, p2, length);
        break;
    case 2:
        def.relation = pcs_relation_ball_joint(p1, p2);
        break;
    default: {
        pcs_lagrangian_def two_masses = pcs_lagrangian_def_default();
        const double mass[] = {1, 0, 0, 2};
        two_masses.n = 2;
        two_masses.mass = mass;
        two_masses.stiffness = perhaps(r) ? mass : NULL;
        CK_OK(pcs_model_add_lagrangian(m, &two_masses, &def.system1));
        def.system2 = (pcs_system){0};
        some(r, -1, 1, 2, c);
        some(r, -1, 1, 2, t);
        def.relation = perhaps(r) ? pcs_relation_linear(2, c, any(r, -1, 1))
                                  : pcs_relation_linear_contact(2, c, any(r, -1, 1), t);
    }
    }
    pcs_interaction id;
    const pcs_status status = pcs_model_add_interaction(m, &def, &id);
    return status == PCS_OK ? pcs_model_set_interaction_enabled(m, id, perhaps(r)) : status;
}

// a body with the data of its callbacks, which the scene keeps, and shapes
static pcs_status add_any_body(test_random *r, pcs_scene *scene, pcs_system *out)
{
    pcs_model *m = scene->model;
    pcs_body_def def = pcs_body_def_default();
    some(r, -1, 1, 3, def.position);
    some(r, -1, 1, 3, def.velocity);
    some(r, -1, 1, 3, def.omega);
    perhaps_turn(r, def.orientation);
    def.mass = perhaps(r) ? 1 : random_between(r, 0.1, 2);
    for (int i = 0; i < 3 && perhaps(r); ++i) {
        def.inertia[0] = def.inertia[4] = def.inertia[8] = 1;
        def.inertia[4 * i] = random_between(r, 1, 1.5);
        def.inertia[1] = def.inertia[3] = any(r, -0.1, 0.1);
    }
    for (int i = 0; i < 6 && one_of(r, 3) == 0; ++i) {
        def.added_mass[7 * i] = any(r, 0, 1);
    }
    if (one_of(r, 4) == 0) {
        def.plane = (pcs_plane)(1 + one_of(r, 3));
        memset(def.added_mass, 0, sizeof def.added_mass);
        def.orientation[0] = 1;
        memset(def.orientation + 1, 0, 3 * sizeof(double));
        memset(def.velocity, 0, sizeof def.velocity);
        memset(def.omega, 0, sizeof def.omega);
    }
    def.fixed = one_of(r, 4) == 0;
    pcs_load *load = pcs_scene_alloc(scene, sizeof *load);
    pcs_motion *motion = pcs_scene_alloc(scene, sizeof *motion);
    ck_assert(load && motion);
    *load = (pcs_load){.damping = any(r, 0, 1), .angular_damping = any(r, 0, 1)};
    some(r, -1, 1, 3, load->force);
    some(r, -1, 1, 3, load->body_torque);
    *motion = pcs_motion_default();
    some(r, -1, 1, 3, motion->position);
    some(r, -1, 1, 3, motion->centre);
    some(r, -1, 1, 3, motion->amplitude);
    some(r, -1, 1, 3, motion->belt);
    some(r, -1, 1, 6, motion->polynomial[0]);
    some(r, -1, 1, 2, motion->angle);
    perhaps_turn(r, motion->orientation);
    motion->frequency = any(r, 0, 2);
    motion->swing = any(r, 0, 2);
    motion->swing_frequency = any(r, 0, 2);
    motion->phase = any(r, 0, 2);
    if (one_of(r, 4) == 0) {
        def.motion = pcs_motion_follow;
        def.user = motion;
        def.plane = PCS_PLANE_NONE;
    } else if (perhaps(r)) {
        def.force = pcs_load_act;
        def.user = load;
    }
    PCS_TRY(pcs_model_add_body(m, &def, out));
    CK_OK(pcs_model_set_enabled(m, *out, one_of(r, 8) > 0));
    const int shapes = one_of(r, 3);
    for (int k = 0; k < shapes; ++k) {
        const double normal[3] = {any(r, -1, 1), any(r, -1, 1), 1};
        const pcs_shape kinds[] = {pcs_shape_sphere(random_between(r, 0.1, 1)),
                                   pcs_shape_box(1, random_between(r, 0.1, 1), 1),
                                   pcs_shape_capsule(0.1, random_between(r, 0.1, 1)),
                                   pcs_shape_cylinder(0.1, random_between(r, 0.1, 1)),
                                   pcs_shape_half_space(normal, any(r, -1, 1))};
        pcs_shape shape = kinds[one_of(r, def.fixed ? 5 : 4)];
        some(r, -1, 1, 3, shape.position);
        perhaps_turn(r, shape.orientation);
        const pcs_material_def stuff = {any(r, 0, 1), any(r, 0, 1), any(r, 0, 1)};
        pcs_material material = {0};
        if (perhaps(r)) CK_OK(pcs_model_add_material(m, &stuff, &material));
        PCS_TRY(pcs_model_add_shape(m, *out, &shape, material));
        if (perhaps(r)) {
            CK_OK(pcs_model_set_shape_enabled(m, pcs_model_shape_count(m) - 1, false));
        }
    }
    if (shapes > 0 && perhaps(r))
        CK_OK(pcs_model_set_groups(m, *out, 1u << one_of(r, 3), ~(unsigned)one_of(r, 3)));
    return PCS_OK;
}

// a spring of length 0 is not one of the distance at the start: it pulls
TEST(a_spring_of_length_zero_pulls)
{
    pcs_scene *scene;
    CK_OK(pcs_scene_create(NULL, &scene));
    pcs_body_def body = pcs_body_def_default();
    pcs_force_def f = pcs_force_def_default(PCS_FORCE_SPRING);
    body.position[0] = 2;
    CK_OK(pcs_model_add_body(scene->model, &body, &f.system1));
    f.stiffness = 3;
    CK_OK(pcs_model_add_force(scene->model, &f, NULL));
    char *text = written(scene);
    pcs_scene *again = parse(text);
    CK_OK(pcs_model_force(again->model, (pcs_force){1}, &f));
    ck_assert_double_eq(f.length, 0);
    expect_round_trip(scene);
    free(text);
    pcs_scene_destroy(again);
    pcs_scene_destroy(scene);
}

// Of models with these the one that is read has the same hash, and the same text again. A step
// would tell less: most members have no effect on it
TEST(members_come_back_whether_they_are_zero_or_not)
{
    int made = 0;
    for (uint64_t seed = 1; seed <= TEST_FEW(60, 150); ++seed) {
        test_random r = random_seed(seed);
        pcs_scene *scene, *again;
        pcs_system body[2] = {{0}, {0}};
        CK_OK(pcs_scene_create(NULL, &scene));
        bool good = true;
        for (int i = 0; i < 2; ++i) {
            good = good && add_any_body(&r, scene, &body[i]) == PCS_OK;
        }
        if (perhaps(&r)) body[1] = (pcs_system){0};
        const int kind = one_of(&r, 4);
        if (good && kind == 0) good = !add_any_force(&r, scene->model, body[0], body[1]);
        if (good && kind == 1) good = !add_any_joint(&r, scene->model, body[0], body[1]);
        if (good && kind == 2) good = !add_any_relation(&r, scene->model, body[0], body[1]);
        if (good) {
            char *first = written(scene);
            ++made;
            const pcs_status status =
                pcs_scene_parse(NULL, first, strlen(first), "scene.json", &again);
            ck_assert_msg(status == PCS_OK, "seed %d: %s\n%s", (int)seed, pcs_error_text(), first);
            char *second = written(again);
            ck_assert_str_eq(first, second);
            ck_assert_msg(pcs_model_hash(scene->model) == pcs_model_hash(again->model),
                          "seed %d is another model after\n%s", (int)seed, first);
            free(first);
            free(second);
            pcs_scene_destroy(again);
        }
        pcs_scene_destroy(scene);
    }
    ck_assert_int_gt(made, TEST_FEW(20, 50));
}

TEST(a_callback_cannot_be_written)
{
    pcs_scene *scene;
    CK_OK(pcs_scene_create(NULL, &scene));
    pcs_body_def def = pcs_body_def_default();
    def.force = no_force;
    pcs_system body;
    CK_OK(pcs_model_add_body(scene->model, &def, &body));
    CK_OK(pcs_model_set_system_name(scene->model, body, "kite"));
    CK_FAILS(pcs_scene_write(scene, scratch("none.json")), PCS_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "body 1 'kite' has a force"));
    pcs_scene_destroy(scene);
}

TEST(every_allocation_of_a_reader_may_fail)
{
    pcs_scene *scene = random_scene(7);
    char *text = written(scene);
    pcs_scene_destroy(scene);
    bool done = false;
    for (long k = 0; !done; ++k) {
        test_memory memory = {.fail_at = k};
        const pcs_env env = test_env(&memory);
        const pcs_status status = pcs_scene_parse(&env, text, strlen(text), NULL, &scene);
        done = status == PCS_OK;
        if (!done) ck_assert_msg(status == PCS_ERR_MEMORY, "%ld: %s", k, pcs_error_text());
        pcs_scene_destroy(scene);
        ck_assert_int_eq(memory.live, 0);
    }
    free(text);
}
