// Force elements in trajectories: definitions and names come back to the bit, every frame has what
// pcs_state_force says of its state, also of callbacks and prescribed motions, exports and the
// replay page have them, and files of older versions, without them, open.
#define _POSIX_C_SOURCE 200809L // getline
#include <percuss/export.h>
#include <percuss/force.h>
#include <percuss/parts.h>
#include <percuss/replay.h>

#include <float.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "damaged_hdf5.h"
#include "recorded.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/force_frames"
#define RUN    FOLDER "/run.h5"

enum { SPRING, TORSION, BUSHING, GRAVITY, CALLBACK, SHAKEN, OFF, FORCES, STEPS = 8 };

static void before(void)
{
    make_empty_folder(FOLDER);
}

TEST_AROUND(before, NULL)

static int pull(void *user, double t, const double *q1, const double *v1, const double *q2,
                const double *v2, double *F1, double *F2)
{
    (void)user, (void)v1, (void)v2;
    for (int i = 0; i < 3; ++i) {
        F1[i] = (1 + t) * (q2[i] - q1[i]);
        F2[i] = -F1[i];
    }
    return 0;
}

static int shake(void *user, double t, double pose[7], double v[6])
{
    (void)user;
    const double place[7] = {3, 0, 1 + 0.1 * sin(7 * t), 1, 0, 0, 0};
    const double velocity[6] = {0, 0, 0.7 * cos(7 * t), 0, 0, 0};
    memcpy(pose, place, sizeof place);
    memcpy(v, velocity, sizeof velocity);
    return 0;
}

static pcs_force_def definition(int kind, pcs_system one, pcs_system two)
{
    static const pcs_force_kind kinds[FORCES] = {
        PCS_FORCE_SPRING, PCS_FORCE_TORSION, PCS_FORCE_BUSHING, PCS_FORCE_GRAVITY,
        PCS_FORCE_USER,   PCS_FORCE_SPRING,  PCS_FORCE_SPRING};
    pcs_force_def d = pcs_force_def_default(kinds[kind]);
    d.system1 = one;
    d.system2 = two;
    // a model keeps the members that the kind names
    if (d.kind == PCS_FORCE_SPRING || d.kind == PCS_FORCE_TORSION) {
        d.stiffness = 40 + kind;
        d.damping = 0.3;
    }
    if (d.kind == PCS_FORCE_SPRING) d.length = 0.7;
    if (d.kind == PCS_FORCE_GRAVITY) d.strength = 1.5;
    if (d.kind == PCS_FORCE_TORSION) {
        d.axis[0] = 1;
        d.axis[2] = 2;
        d.angle = 0.2;
    } else if (d.kind != PCS_FORCE_USER) {
        d.p1[1] = 0.1;
        d.p2[0] = 0.2;
    }
    if (d.kind == PCS_FORCE_BUSHING) {
        d.frame1[1] = 0.4;
        d.frame2[3] = 0.5;
        for (int i = 0; i < 6; ++i) {
            d.K[7 * i] = 10 + i;
            d.D[7 * i] = 1 + 0.1 * i;
        }
    }
    d.force = d.kind == PCS_FORCE_USER ? pull : NULL;
    return d;
}

// what pcs_state_force says of the recorded states
typedef struct seen {
    pcs_force_result of[STEPS + 1][FORCES];
    int frames;
} seen;

static int look(void *user, const pcs_model *m, const pcs_state *st, pcs_work *wk,
                const pcs_step_report *report)
{
    seen *s = user;
    (void)wk, (void)report;
    for (int i = 0; i < FORCES; ++i) {
        CK_OK(pcs_state_force(m, st, (pcs_force){i + 1}, &s->of[s->frames][i]));
    }
    s->frames += 1;
    return 0;
}

typedef struct watchers {
    pcs_recorder *recorder;
    seen *seen;
} watchers;

static int both(void *user, const pcs_model *m, const pcs_state *st, pcs_work *wk,
                const pcs_step_report *report)
{
    const watchers *w = user;
    return look(w->seen, m, st, wk, report) || pcs_recorder_observe(w->recorder, m, st, wk, report);
}

static void record(seen *s, pcs_force_def given[FORCES])
{
    scene sc = scene_open();
    sc.scheme = pcs_scheme_default();
    const pcs_system a = scene_ball(&sc, 1, 0.1, (double[]){0, 0, 1}, (double[]){1, 0.5, 0});
    const pcs_system b = scene_ball(&sc, 2, 0.1, (double[]){1, 0, 1}, NULL);
    pcs_body_def driven = pcs_body_def_default();
    driven.motion = shake;
    const pcs_system shaker = scene_add(&sc, &driven);
    for (int i = 0; i < FORCES; ++i) {
        const pcs_system two = i == SHAKEN ? shaker : i == SPRING ? (pcs_system){0} : b;
        given[i] = definition(i, a, two);
        CK_OK(pcs_model_add_force(sc.m, &given[i], NULL));
    }
    CK_OK(pcs_model_set_force_name(sc.m, (pcs_force){SPRING + 1}, "main spring"));
    CK_OK(pcs_model_set_force_enabled(sc.m, (pcs_force){OFF + 1}, false));
    scene_start(&sc);
    watchers w = {.seen = s};
    CK_OK(pcs_recorder_open(RUN, sc.m, NULL, &w.recorder));
    CK_OK(pcs_run(sc.m, sc.st, sc.wk, 0.01, 0.01 * STEPS, both, &w, NULL));
    CK_OK(pcs_recorder_close(w.recorder));
    scene_close(&sc);
}

static void same_numbers(int n, const double *x, const double *y)
{
    for (int i = 0; i < n; ++i) {
        CK_NEAR(x[i], y[i], FLT_EPSILON * fabs(y[i]));
    }
}

TEST(definitions_come_back)
{
    seen s = {0};
    pcs_force_def given[FORCES], d;
    pcs_trajectory *t;
    bool enabled;
    record(&s, given);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    ck_assert_int_eq(pcs_trajectory_force_count(t), FORCES);
    for (int i = 0; i < FORCES; ++i) {
        CK_OK(pcs_trajectory_force(t, (pcs_force){i + 1}, &d, &enabled));
        ck_assert_int_eq(d.kind, given[i].kind);
        ck_assert_int_eq(d.system1.id, given[i].system1.id);
        ck_assert_int_eq(d.system2.id, given[i].system2.id);
        ck_assert_int_eq(enabled, i != OFF);
        ck_assert_str_eq(pcs_trajectory_force_name(t, (pcs_force){i + 1}),
                         i == SPRING ? "main spring" : "");
        expect_same(d.p1, given[i].p1, 3, 0);
        expect_same(d.p2, given[i].p2, 3, 0);
        expect_same(d.axis, given[i].axis, 3, 0);
        expect_same(&d.stiffness, &given[i].stiffness, 5, 0); // and the four after it
        if (i != BUSHING) continue;
        expect_same(d.frame1, given[i].frame1, 4, 0);
        expect_same(d.frame2, given[i].frame2, 4, 0);
        expect_same(d.K, given[i].K, 36, 0);
        expect_same(d.D, given[i].D, 36, 0);
    }
    CK_FAILS(pcs_trajectory_force(t, (pcs_force){0}, &d, NULL), PCS_ERR_ARG);
    CK_SAYS(pcs_trajectory_force(t, (pcs_force){FORCES + 1}, &d, NULL), PCS_ERR_ARG,
            "no force element 8");
    ck_assert_str_eq(pcs_trajectory_force_name(t, (pcs_force){FORCES + 1}), "");
    pcs_trajectory_close(t);
}

TEST(frames_have_the_forces_of_their_states)
{
    seen s = {0};
    pcs_force_def given[FORCES];
    pcs_trajectory *t;
    record(&s, given);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    ck_assert_int_eq(pcs_trajectory_info_of(t).frames, STEPS + 1);
    for (int k = STEPS; k >= 0; --k) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        ck_assert_int_eq(frame.force_count, FORCES);
        for (int i = 0; i < FORCES; ++i) {
            const pcs_force_result *x = &frame.force[i], *y = &s.of[k][i];
            // the first five members are numbers, and the others arrays
            same_numbers(5, &x->length, &y->length);
            same_numbers(6, x->strain, y->strain);
            same_numbers(6, x->stress, y->stress);
            same_numbers(6, x->F1, y->F1);
            same_numbers(6, x->F2, y->F2);
            same_numbers(3, x->P1, y->P1);
            same_numbers(3, x->P2, y->P2);
        }
        // the shaker moves, though the stored model has it fixed
        if (k > 0) ck_assert_double_ne(frame.force[SHAKEN].P2[2], s.of[0][SHAKEN].P2[2]);
        ck_assert_double_eq(frame.force[OFF].F1[0], 0);
    }
    pcs_trajectory_close(t);
}

// ---- exports -----------------------------------------------------------------------------------

static int lines_with(const char *path, const char *words)
{
    char *line = NULL;
    size_t room = 0;
    int n = 0;
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s is missing", path);
    while (getline(&line, &room, f) > 0) {
        n += strstr(line, words) != NULL;
    }
    free(line);
    fclose(f);
    return n;
}

TEST(exports_have_force_elements)
{
    seen s = {0};
    pcs_force_def given[FORCES];
    pcs_trajectory *t;
    pcs_export_def def = pcs_export_def_default();
    record(&s, given);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_CSV, &def, FOLDER "/run.csv", NULL));
    ck_assert_int_eq(lines_with(FOLDER "/run-forces.csv", ","), 1 + FORCES * (STEPS + 1));
    ck_assert_int_eq(lines_with(FOLDER "/run-forces.csv", ",main spring,spring,1,0,"), STEPS + 1);
    FILE *f = fopen(FOLDER "/run-forces.csv", "r");
    char line[8192];
    ck_assert(f && fgets(line, sizeof line, f) && fgets(line, sizeof line, f));
    fclose(f);
    double length, speed, tension;
    ck_assert_int_eq(
        sscanf(line, "0,0,1,main spring,spring,1,0,,world,%lf,%lf,%lf", &length, &speed, &tension),
        3);
    CK_NEAR(length, s.of[0][SPRING].length, 2e-7);
    CK_NEAR(tension, s.of[0][SPRING].force, 2e-7 * fabs(tension));

    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, &def, FOLDER "/run.pvd", NULL));
    ck_assert_int_eq(lines_with(FOLDER "/run-forces.pvd", "forces-"), STEPS + 1);
    ck_assert_int_eq(lines_with(FOLDER "/run-frames/forces-000003.vtp", "NumberOfLines=\"7\""), 1);
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_VTKHDF, &def, FOLDER "/run.vtkhdf", NULL));
    ck_assert_int_eq(access(FOLDER "/run-forces.vtkhdf", R_OK), 0);
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_USD, &def, FOLDER "/run.usda", NULL));
    ck_assert_int_eq(lines_with(FOLDER "/run.usda", "def BasisCurves \"forces\""), 1);
    CK_OK(pcs_replay_write(t, NULL, FOLDER "/run.html", NULL));
    ck_assert_int_ge(lines_with(FOLDER "/run.html", "\"name\":\"main spring\""), 1);
    pcs_trajectory_close(t);
}

// ---- other files -------------------------------------------------------------------------------

static void unlink_set(const char *path)
{
    const hid_t f = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert(f >= 0 && H5Ldelete(f, path, H5P_DEFAULT) >= 0);
    H5Fclose(f);
}

TEST(files_without_forces_open)
{
    seen s = {0};
    pcs_force_def given[FORCES];
    pcs_trajectory *t;
    pcs_trajectory_frame frame;
    record(&s, given);
    unlink_set("/forces"); // values only
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    ck_assert_int_eq(pcs_trajectory_force_count(t), FORCES);
    CK_OK(pcs_trajectory_read_frame(t, STEPS, &frame));
    ck_assert_int_eq(frame.force_count, 0);
    pcs_trajectory_close(t);
    unlink_set("/model/forces");
    unlink_set("/model/force_names");
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    ck_assert_int_eq(pcs_trajectory_force_count(t), 0);
    CK_OK(pcs_trajectory_read_frame(t, STEPS, &frame));
    ck_assert_int_eq(frame.contact_count, 0);
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, FOLDER "/run.pvd", NULL));
    ck_assert_int_ne(access(FOLDER "/run-forces.pvd", R_OK), 0);
    pcs_trajectory_close(t);
}

// replaces a number of one column in all rows of a table
static void damage(const char *path, const char *column, int n, double x)
{
    const hid_t f = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(f, path, H5P_DEFAULT), space = H5Dget_space(set);
    const hsize_t rows = (hsize_t)H5Sget_simple_extent_npoints(space), dims = (hsize_t)n;
    const hid_t number =
        n > 1 ? H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &dims) : H5Tcopy(H5T_NATIVE_DOUBLE);
    const hid_t type = H5Tcreate(H5T_COMPOUND, H5Tget_size(number));
    double *value = calloc(rows * dims, sizeof *value);
    H5Tinsert(type, column, 0, number);
    for (size_t i = 0; i < rows * dims; ++i) {
        value[i] = x;
    }
    ck_assert(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    free(value);
    H5Tclose(type);
    H5Tclose(number);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(f);
}

TEST(damaged_forces_are_refused)
{
    static const struct {
        const char *path, *column, *words;
        int n;
        double x;
        bool frame; // found when a frame is read
    } list[] = {
        {"/model/forces", "kind", "row 0 has a kind", 1, 77, false},
        {"/model/forces", "system1", "row 0 has a kind, a system", 1, 99, false},
        {"/model/forces", "stiffness", "number that is not", 1, NAN, false},
        {"/model/bushings", "force", "/model/bushings: row 0", 1, -1, false},
        {"/model/bushings", "K", "/model/bushings: row 0", 36, INFINITY, false},
        {"/forces", "force", "not of force element 2", 1, 1, true},
        {"/forces", "P2", "a point that is not", 3, NAN, true},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; ++i) {
        seen s = {0};
        pcs_force_def given[FORCES];
        pcs_trajectory *t = NULL;
        pcs_trajectory_frame frame;
        record(&s, given);
        damage(list[i].path, list[i].column, list[i].n, list[i].x);
        if (!list[i].frame) {
            CK_SAYS(pcs_trajectory_open(NULL, RUN, &t), PCS_ERR_FORMAT, list[i].words);
            continue;
        }
        CK_OK(pcs_trajectory_open(NULL, RUN, &t));
        CK_SAYS(pcs_trajectory_read_frame(t, 2, &frame), PCS_ERR_FORMAT, list[i].words);
        pcs_trajectory_close(t);
    }
}

// a value that does not exist is NaN, and the frame is readable
TEST(elements_without_a_value)
{
    seen s = {0};
    pcs_force_def given[FORCES];
    pcs_trajectory *t;
    pcs_trajectory_frame frame;
    record(&s, given);
    damage("/forces", "tension", 1, NAN);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    CK_OK(pcs_trajectory_read_frame(t, 1, &frame));
    ck_assert(isnan(frame.force[SPRING].force));
    pcs_trajectory_close(t);
}
