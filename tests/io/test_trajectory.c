// Trajectories: the recorded states are those of the run; a file whose writer is killed at any
// write opens with every complete frame; a sentence reports any failure to write or read.
#define _DEFAULT_SOURCE
#define _POSIX_C_SOURCE 200809L
#include <percuss/parts.h>
#include <percuss/strength.h>
#include <percuss/trajectory.h>

#include <errno.h>
#include <fcntl.h>
#include <hdf5.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "damaged_hdf5.h"
#include "recorded.h"
#include "scene.h"
#include "support.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/trajectory"
#define RUN    FOLDER "/run.h5"

// ---- the program dies at its k-th write

static long writes, last_write = -1;

// these replace the functions of the C library, for HDF5 too
PCS_API ssize_t pwrite(int file, const void *bytes, size_t n, off_t at);
PCS_API ssize_t pwrite64(int file, const void *bytes, size_t n, off_t at);

ssize_t pwrite(int file, const void *bytes, size_t n, off_t at)
{
    if (writes++ == last_write) raise(SIGKILL);
    return syscall(SYS_pwrite64, file, bytes, n, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t n, off_t at)
{
    return pwrite(file, bytes, n, at);
}

// ---- the time that the recorder sees passes at once, so that a test need not wait

static long passed; // s

PCS_API int clock_gettime(clockid_t clock, struct timespec *t);

int clock_gettime(clockid_t clock, struct timespec *t)
{
    const int failed = (int)syscall(SYS_clock_gettime, clock, t);
    if (!failed) t->tv_sec += passed;
    return failed;
}

// ---- a scene with every part: bodies of all kinds of shapes, joints, a Lagrangian system

static pcs_geometry *hull, *mesh, *field;

static void geometries(void)
{
    const double points[18] = {0.1, 0, 0, -0.1, 0, 0, 0, 0.1, 0, 0, -0.1, 0, 0, 0, 0.1, 0, 0, -0.1};
    const double corner[12] = {-9, -9, -1, 9, -9, -1, 9, 9, -1, -9, 9, -1};
    const int triangle[6] = {0, 1, 2, 0, 2, 3};
    const double height[6] = {-2, -2, -1.9, -2, -2.5, -2};
    CK_OK(pcs_geometry_create_hull(NULL, 6, points, &hull));
    CK_OK(pcs_geometry_create_mesh(NULL, 4, corner, 2, triangle, &mesh));
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 0.5, 0.25, height, &field));
}

static int lift(void *user, double t, double q[7], double v[6])
{
    (void)user;
    const double pose[7] = {3, 0, 0.1 * t, 1, 0, 0, 0}, rate[6] = {0, 0, 0.1};
    memcpy(q, pose, sizeof pose);
    memcpy(v, rate, sizeof rate);
    return 0;
}

static void open_all(scene *s)
{
    scene_random_rough(s, 3, 0.5);
    s->scheme = pcs_scheme_default();
    const double at[3] = {2, 0, 0.5};
    const pcs_system gem = scene_ball(s, 1, 0.1, at, NULL);
    scene_rough(s, gem, pcs_shape_hull(hull), 0, 0, 0.3);
    scene_shape(s, (pcs_system){0}, pcs_shape_mesh(mesh), 0);
    scene_shape(s, (pcs_system){0}, pcs_shape_height_field(field), 0);
    pcs_body_def def = pcs_body_def_default();
    pcs_system table;
    def.motion = lift;
    CK_OK(pcs_model_add_body(s->m, &def, &table));
    scene_shape(s, table, pcs_shape_cylinder(0.2, 0.1), 0);
    const double mass = 1, one = 1;
    pcs_lagrangian_def slider = pcs_lagrangian_def_default();
    pcs_system added;
    slider.n = 1;
    slider.mass = &mass;
    CK_OK(pcs_model_add_lagrangian(s->m, &slider, &added));
    CK_OK(pcs_model_add_interaction(
        s->m,
        &(pcs_interaction_def){
            pcs_relation_linear(1, &one, 0.5), pcs_law_newton_impact(0.5), added, {0}},
        NULL));
    const pcs_joint_kind kinds[] = {PCS_JOINT_SCREW, PCS_JOINT_GEAR};
    for (int i = 0; i < 2; ++i) {
        pcs_joint_def joint = pcs_joint_def_default(kinds[i]);
        joint.system1 = gem;
        joint.system2 = table;
        joint.point1[0] = 0.2;
        joint.pitch = 0.1;
        joint.teeth[0] = 3, joint.teeth[1] = -7;
        pcs_interaction id;
        CK_OK(pcs_model_add_joint(s->m, &joint, &id));
        CK_OK(pcs_model_set_interaction_enabled(s->m, id, false));
        CK_OK(pcs_model_set_strength(s->m, id, (pcs_strength){40 + i, i == 0 ? INFINITY : 3}));
        const pcs_joint_limits limits = {id, 1, -1, 2, 0.3};
        CK_OK(pcs_model_add_joint_limits(s->m, &limits, &id));
        CK_OK(pcs_model_set_interaction_enabled(s->m, id, false));
    }
    CK_OK(pcs_model_set_system_name(s->m, gem, "gem \"<&>\" \xc3\xa9"));
    CK_OK(pcs_model_set_shape_name(s->m, 0, "first"));
    scene_start(s);
}

static void before(void)
{
    mkdir(PERCUSS_TEST_SCRATCH, 0777);
    mkdir(FOLDER, 0777);
    ck_assert_int_eq(system("rm -f " FOLDER "/*"), 0); // a killed test may leave it
    geometries();
}

static void after(void)
{
    pcs_geometry_destroy(hull);
    pcs_geometry_destroy(mesh);
    pcs_geometry_destroy(field);
}

TEST_AROUND(before, after)

enum { MOST = 64 };

// the states of a run, kept beside the recorder
typedef struct copies {
    pcs_recorder *recorder;
    int n, every, steps;
    double t[MOST], *q[MOST], *v[MOST];
    unsigned long long hash[MOST];
    pcs_contact *contact[MOST];
    int contacts[MOST];
    pcs_step_report report[MOST];
} copies;

static void *copy_of(const void *x, size_t bytes)
{
    void *out = malloc(bytes + 1);
    ck_assert(out != NULL);
    if (bytes > 0) memcpy(out, x, bytes);
    return out;
}

static int keep(void *user, const pcs_model *m, const pcs_state *st, pcs_work *wk,
                const pcs_step_report *report)
{
    copies *c = user;
    if (report) c->report[c->steps++] = *report;
    if (c->steps % c->every == 0) {
        const int k = c->n++;
        const pcs_contact *list = NULL;
        int n = 0;
        if (report) CK_OK(pcs_work_contacts(wk, &n, &list));
        c->t[k] = st->t;
        c->q[k] = copy_of(st->q, (size_t)st->nq * sizeof(double));
        c->v[k] = copy_of(st->v, (size_t)st->nv * sizeof(double));
        c->hash[k] = pcs_state_hash(st);
        c->contacts[k] = 0;
        c->contact[k] = copy_of(list, (size_t)n * sizeof *list);
        for (int i = 0; i < n; ++i) {
            if (list[i].active) c->contact[k][c->contacts[k]++] = list[i];
        }
    }
    return pcs_recorder_observe(c->recorder, m, st, wk, report);
}

static void copies_free(copies *c)
{
    for (int k = 0; k < c->n; ++k) {
        free(c->q[k]);
        free(c->v[k]);
        free(c->contact[k]);
    }
}

static void same_contact(const pcs_contact *a, const pcs_contact *b)
{
    ck_assert_int_eq(a->system1.id, b->system1.id);
    ck_assert_int_eq(a->system2.id, b->system2.id);
    ck_assert_int_eq(a->shape1, b->shape1);
    ck_assert_int_eq(a->shape2, b->shape2);
    ck_assert_int_eq(a->interaction, b->interaction);
    ck_assert_int_eq(a->row, b->row);
    ck_assert_int_eq(a->status, b->status);
    ck_assert_uint_eq(a->feature, b->feature);
    // seven digits: half a unit of the last place of a float
    const double digits = 6e-8;
    CK_NEAR(a->law.mu, b->law.mu, digits * fabs(a->law.mu));
    CK_NEAR(a->gap, b->gap, digits * fabs(a->gap));
    CK_NEAR(a->gap_end, b->gap_end, digits * fabs(a->gap_end));
    for (int i = 0; i < 3; ++i) {
        CK_NEAR(a->P1[i], b->P1[i], digits * fabs(a->P1[i]));
        CK_NEAR(a->P2[i], b->P2[i], digits * fabs(a->P2[i]));
        CK_NEAR(a->r[i], b->r[i], digits * fabs(a->r[i]) + 1e-40);
        CK_NEAR(a->u[i], b->u[i], digits * fabs(a->u[i]) + 1e-40);
    }
    for (int i = 0; i < 9; ++i) {
        CK_NEAR(a->F[i], b->F[i], 4 * digits);
    }
}

static void same_steps(pcs_trajectory *t, const copies *c)
{
    pcs_step_report report[MOST];
    double time[MOST];
    ck_assert_int_eq(pcs_trajectory_info_of(t).steps, c->steps);
    CK_OK(pcs_trajectory_read_steps(t, 0, c->steps, time, report));
    for (int i = 0; i < c->steps; ++i) {
        const pcs_step_report *a = &c->report[i], *b = &report[i];
        ck_assert_int_eq(a->outcome, b->outcome);
        ck_assert_int_eq(a->active, b->active);
        ck_assert_int_eq(a->projection_iters, b->projection_iters);
        ck_assert(a->solve.measure.residual == b->solve.measure.residual);
        ck_assert_mem_eq(&a->energy, &b->energy, sizeof a->energy);
        for (int k = 0; k < PCS_DOUBT_COUNT; ++k) {
            ck_assert_int_eq(a->doubt[k].count, b->doubt[k].count);
        }
    }
}

static void same_frames(pcs_trajectory *t, const copies *c, long frames)
{
    for (long k = frames - 1; k >= 0; --k) {
        pcs_trajectory_frame f;
        CK_OK(pcs_trajectory_read_frame(t, k, &f));
        ck_assert(f.t == c->t[k] && pcs_trajectory_times(t)[k] == f.t);
        ck_assert(f.hash == c->hash[k]);
        ck_assert_int_eq(f.step, k * c->every);
        ck_assert_mem_eq(f.q, c->q[k], (size_t)f.nq * sizeof(double));
        ck_assert_mem_eq(f.v, c->v[k], (size_t)f.nv * sizeof(double));
        ck_assert_int_eq(f.contact_count, c->contacts[k]);
        for (int i = 0; i < f.contact_count; ++i) {
            same_contact(&c->contact[k][i], &f.contact[i]);
        }
    }
}

TEST(frames_are_the_states_to_the_bit)
{
    for (int every = 1; every <= 3; every += 2) {
        scene s;
        open_all(&s);
        copies c = {.every = every};
        const pcs_recorder_def def = {.every = every,
                                      .contacts = true,
                                      .seed = 1ull << 63,
                                      .title = "a\ttitle",
                                      .scene = "{}"};
        CK_OK(pcs_recorder_open(RUN, s.m, &def, &c.recorder));
        CK_OK(pcs_run(s.m, s.st, s.wk, 5e-3, 0.15, keep, &c, NULL));
        ck_assert_int_eq(pcs_recorder_frames(c.recorder), c.n);
        CK_OK(pcs_recorder_close(c.recorder));
        ck_assert_int_eq(c.n, 30 / every + 1);

        pcs_trajectory *t;
        CK_OK(pcs_trajectory_open(&s.env, RUN, &t));
        const pcs_trajectory_info info = pcs_trajectory_info_of(t);
        ck_assert_int_eq(info.frames, c.n);
        ck_assert(info.closed && info.seed == 1ull << 63);
        ck_assert(info.model_hash == pcs_model_hash(s.m));
        ck_assert_str_eq(info.title, "a\ttitle");
        ck_assert_str_eq(info.scene, "{}");
        ck_assert_str_eq(info.version, pcs_version());
        same_frames(t, &c, info.frames);
        same_steps(t, &c);
        pcs_trajectory_close(t);
        copies_free(&c);
        scene_close(&s);
    }
}

static bool same_geometry(const pcs_geometry *a, const pcs_geometry *b)
{
    const double *x = NULL, *y = NULL;
    const int *p = NULL, *q = NULL;
    if (!a || !b) return a == b;
    const int n = pcs_geometry_vertices(a, &x), k = pcs_geometry_triangles(a, &p);
    int nx = 0, ny = 0, mx = 0, my = 0;
    double dx = 0, dy = 0, ex = 0, ey = 0;
    if (pcs_geometry_kind(a) != pcs_geometry_kind(b)) return false;
    if (pcs_geometry_heights(a, &nx, &ny, &dx, &dy, &x)) {
        return pcs_geometry_heights(b, &mx, &my, &ex, &ey, &y) && nx == mx && ny == my &&
               dx == ex && dy == ey && memcmp(x, y, (size_t)(nx * ny) * sizeof *x) == 0;
    }
    return n == pcs_geometry_vertices(b, &y) && k == pcs_geometry_triangles(b, &q) &&
           memcmp(x, y, (size_t)n * 3 * sizeof *x) == 0 &&
           (k == 0 || memcmp(p, q, (size_t)k * 3 * sizeof *p) == 0);
}

static void same_places(const scene *s, const pcs_trajectory *t)
{
    for (int id = 1; id <= pcs_model_system_count(s->m); ++id) {
        int q, v;
        const pcs_system system = {id};
        pcs_trajectory_place(t, system, &q, &v);
        const double *at = pcs_state_read_v(s->m, s->st, system);
        ck_assert_int_eq(q, (int)(pcs_state_read_q(s->m, s->st, system) - s->st->q));
        ck_assert_int_eq(v, at ? (int)(at - s->st->v) : -1);
    }
}

// a body that rises ever faster and turns about its own axis
static int screw(void *user, double t, double q[7], double v[6])
{
    const double angle = *(const double *)user * t;
    const double pose[7] = {1, 0, t * t, cos(angle / 2), 0, 0, sin(angle / 2)};
    const double rate[6] = {0, 0, 2 * t, 0, 0, *(const double *)user};
    memcpy(q, pose, sizeof pose);
    memcpy(v, rate, sizeof rate);
    return 0;
}

static void check_driven(bool stored, double spin)
{
    pcs_trajectory *t;
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    for (long k = 0; k < pcs_trajectory_info_of(t).frames; ++k) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        ck_assert((frame.driven_v != NULL) == stored);
        double still[6], free_body[6], slow[6], fast[6], none[6];
        ck_assert(!pcs_trajectory_velocity(t, &frame, (pcs_system){1}, still));
        ck_assert(pcs_trajectory_velocity(t, &frame, (pcs_system){2}, slow));
        ck_assert(pcs_trajectory_velocity(t, &frame, (pcs_system){3}, free_body));
        ck_assert(pcs_trajectory_velocity(t, &frame, (pcs_system){4}, fast));
        ck_assert(!pcs_trajectory_velocity(t, &frame, (pcs_system){5}, none));
        for (int i = 0; i < 6; ++i) {
            ck_assert_double_eq(still[i], 0);
            ck_assert_double_eq(free_body[i], frame.v[i]);
            ck_assert(isnan(none[i]));
            ck_assert(stored || (isnan(slow[i]) && isnan(fast[i])));
        }
        if (!stored) continue;
        // the derivatives of the poses in the frame: z = t^2
        ck_assert_double_eq(slow[2], 2 * frame.t);
        ck_assert_double_eq(fast[2], 2 * frame.t);
        ck_assert_double_eq(slow[5], spin);
        ck_assert_double_eq(fast[5], 3 * spin);
    }
    pcs_trajectory_close(t);
}

TEST(bodies_with_a_prescribed_motion_have_its_velocity)
{
    double spin = 2, faster = 6;
    scene s = scene_open();
    pcs_body_def still = pcs_body_def_default(), slow = still, fast = still;
    still.fixed = true;
    slow.motion = fast.motion = screw;
    slow.user = &spin;
    fast.user = &faster;
    scene_add(&s, &still);
    scene_add(&s, &slow);
    scene_ball(&s, 1, 0.1, (double[]){3, 0, 1}, (double[]){1, 2, 3});
    scene_add(&s, &fast);
    scene_start(&s);
    record_run(&s, RUN, NULL, 0.01, 0.1);
    scene_close(&s);
    check_driven(true, spin);

    // a file of a percuss that did not store them
    const hid_t file = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert_int_ge(H5Ldelete(file, "/frames/driven_v", H5P_DEFAULT), 0);
    H5Fclose(file);
    check_driven(false, spin);
}

TEST(the_model_comes_back_with_its_parts)
{
    scene s;
    pcs_recorder *recorder;
    pcs_trajectory *t;
    open_all(&s);
    CK_OK(pcs_model_set_shape_enabled(s.m, 1, false));
    pcs_scheme scheme = pcs_model_scheme(s.m);
    scheme.max_sweeps = 1000000000;
    CK_OK(pcs_model_set_scheme(s.m, &scheme));
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_recorder_close(recorder));
    CK_OK(pcs_trajectory_open(&s.env, RUN, &t));
    const pcs_model *m = pcs_trajectory_model(t);
    ck_assert_int_eq(pcs_trajectory_info_of(t).frames, 0);
    ck_assert_int_eq(pcs_model_scheme(m).max_sweeps, 1000000000);
    ck_assert(!pcs_model_scheme(m).accept_unconverged);
    ck_assert_int_eq(pcs_model_system_count(m), pcs_model_system_count(s.m));
    for (int id = 1; id <= pcs_model_system_count(m); ++id) {
        const pcs_system system = {id};
        pcs_inertia a, b;
        ck_assert_str_eq(pcs_model_system_name(m, system), pcs_model_system_name(s.m, system));
        ck_assert_int_eq(pcs_model_is_lagrangian(m, system), pcs_model_is_lagrangian(s.m, system));
        if (pcs_model_inertia(s.m, system, &a) != PCS_OK) continue;
        CK_OK(pcs_model_inertia(m, system, &b));
        ck_assert(a.m == b.m);
        ck_assert_mem_eq(a.J, b.J, sizeof a.J);
    }
    ck_assert_int_eq(pcs_model_shape_count(m), pcs_model_shape_count(s.m));
    for (int i = 0; i < pcs_model_shape_count(m); ++i) {
        pcs_model_shape_def a, b;
        CK_OK(pcs_model_shape(s.m, i, &a));
        CK_OK(pcs_model_shape(m, i, &b));
        ck_assert_str_eq(pcs_model_shape_name(m, i), pcs_model_shape_name(s.m, i));
        ck_assert_int_eq(pcs_model_shape_enabled(m, i), i != 1);
        ck_assert(a.system.id == b.system.id && a.material.id == b.material.id);
        ck_assert(a.shape.kind == b.shape.kind && a.shape.radius == b.shape.radius);
        ck_assert(a.group == b.group && a.mask == b.mask);
        ck_assert_mem_eq(a.shape.position, b.shape.position, sizeof a.shape.position);
        ck_assert_mem_eq(a.shape.orientation, b.shape.orientation, sizeof a.shape.orientation);
        ck_assert_mem_eq(a.shape.half, b.shape.half, sizeof a.shape.half);
        ck_assert(same_geometry(a.shape.geometry, b.shape.geometry));
    }
    ck_assert_int_eq(pcs_model_interaction_count(m), pcs_model_interaction_count(s.m));
    for (int id = 1; id <= pcs_model_interaction_count(m); ++id) {
        pcs_interaction_def a, b;
        CK_OK(pcs_model_interaction(s.m, (pcs_interaction){id}, &a));
        CK_OK(pcs_model_interaction(m, (pcs_interaction){id}, &b));
        ck_assert(pcs_relation_kind_of(&a.relation) == pcs_relation_kind_of(&b.relation));
        ck_assert(a.system1.id == b.system1.id && a.law.e == b.law.e && a.law.kind == b.law.kind);
        ck_assert_mem_eq(a.relation.data, b.relation.data, sizeof a.relation.data);
    }
    same_places(&s, t);
    pcs_trajectory_close(t);
    scene_close(&s);
}

TEST(a_cadence_in_seconds_takes_the_first_step_that_reaches_it)
{
    scene s = scene_open();
    pcs_recorder *recorder;
    pcs_trajectory *t;
    scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    scene_start(&s);
    const pcs_recorder_def def = {.every = 1, .dt = 0.1, .contacts = true};
    CK_OK(pcs_recorder_open(RUN, s.m, &def, &recorder));
    CK_OK(pcs_run(s.m, s.st, s.wk, 0.03, 1.2, pcs_recorder_observe, recorder, NULL));
    CK_OK(pcs_recorder_close(recorder));
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    const long n = pcs_trajectory_info_of(t).frames;
    ck_assert_int_eq(n, 13);
    for (long k = 0; k < n; ++k) {
        const double time = pcs_trajectory_times(t)[k];
        ck_assert(time >= 0.1 * (double)k - 1e-9 && time < 0.1 * (double)k + 0.03);
    }
    pcs_trajectory_close(t);
    scene_close(&s);
}

// the first failure stays, and closing tells it
TEST(null_arguments_of_the_observer_are_refused)
{
    pcs_recorder *recorder;
    scene s = scene_open();
    scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    scene_start(&s);
    ck_assert_int_ne(pcs_recorder_observe(NULL, s.m, s.st, s.wk, NULL), 0);
    ck_assert_ptr_nonnull(strstr(pcs_error_text(), "the recorder is null"));
    static const char *const words[] = {"the model is null", "the state is null",
                                        "the work of a step is null"};
    const pcs_step_report report = {.committed = true};
    for (int i = 0; i < 3; ++i) {
        CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
        ck_assert_int_ne(pcs_recorder_observe(recorder, i == 0 ? NULL : s.m, i == 1 ? NULL : s.st,
                                              i == 2 ? NULL : s.wk, &report),
                         0);
        ck_assert_int_eq(pcs_recorder_close(recorder), PCS_ERR_ARG);
        ck_assert_ptr_nonnull(strstr(pcs_error_text(), words[i]));
    }
    scene_close(&s);
}

// spheres at rest: almost all recorded numbers are zeros, which need hardly any bytes in the file
TEST(a_file_much_smaller_than_its_frames_is_read)
{
    enum { BALLS = 300 };
    const int frames = TEST_FEW(200, 500);
    scene s = scene_open();
    pcs_recorder *recorder;
    pcs_trajectory *t;
    struct stat file;
    for (int i = 0; i < BALLS; ++i) {
        scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    }
    scene_start(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    for (int k = 0; k < frames; ++k) {
        CK_OK(pcs_recorder_add(recorder, s.m, s.st, s.wk, NULL));
    }
    CK_OK(pcs_recorder_close(recorder));
    ck_assert_int_eq(stat(RUN, &file), 0);
    ck_assert_int_gt((long)s.st->nv * 8 * frames, 16 * file.st_size);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    ck_assert_int_eq(pcs_trajectory_info_of(t).frames, frames);
    pcs_trajectory_frame last;
    CK_OK(pcs_trajectory_read_frame(t, frames - 1, &last));
    ck_assert_mem_eq(last.q, s.st->q, (size_t)last.nq * sizeof(double));
    pcs_trajectory_close(t);
    scene_close(&s);
}

// ---- killed

// records in a process that is killed at its k-th write; false when the process ended before that
// write
static bool killed_at(long k, bool close)
{
    const pid_t child = fork();
    ck_assert(child >= 0);
    if (child == 0) {
        scene s;
        pcs_recorder *recorder;
        writes = 0;
        last_write = k;
        open_all(&s);
        if (pcs_recorder_open(RUN, s.m, NULL, &recorder) != PCS_OK) _exit(3);
        for (int i = 0; i < 4; ++i) {
            pcs_step_report report;
            if (i > 0 && pcs_step(s.m, s.st, s.wk, 5e-3, &report) != PCS_OK) _exit(3);
            passed += 1; // so that every step is written
            if (pcs_recorder_add(recorder, s.m, s.st, s.wk, i > 0 ? &report : NULL) != PCS_OK) {
                _exit(3);
            }
        }
        if (close && pcs_recorder_close(recorder) != PCS_OK) _exit(3);
        _exit(0);
    }
    int status;
    ck_assert(waitpid(child, &status, 0) == child);
    ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

// true when HDF5 opens it like any other file
static bool opens_plainly(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(RUN, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0) H5Fclose(file);
    return file >= 0;
}

TEST(a_writer_that_is_killed_leaves_all_complete_frames)
{
    scene s;
    copies c = {.every = 1};
    open_all(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &c.recorder));
    CK_OK(pcs_run(s.m, s.st, s.wk, 5e-3, 0.015, keep, &c, NULL));
    CK_OK(pcs_recorder_close(c.recorder));
    unlink(RUN);

    // the first write after which the file exists: before, it has another name
    long k = 0;
    while (killed_at(k, true) && access(RUN, F_OK) != 0) {
        k += TEST_FEW(16, 4);
    }
    long had = -1, files = 0;
    for (bool more = true; more; k += TEST_FEW(7, 1)) {
        unlink(RUN);
        more = killed_at(k, true);
        pcs_trajectory *t;
        if (access(RUN, F_OK) != 0) continue;
        CK_OK(pcs_trajectory_open(NULL, RUN, &t));
        const pcs_trajectory_info info = pcs_trajectory_info_of(t);
        ck_assert_msg(info.frames >= had, "write %ld: %ld frames, then %ld", k, had, info.frames);
        had = info.frames;
        same_frames(t, &c, info.frames);
        pcs_trajectory_close(t);
        // except at the last writes, which close it
        if (info.frames < 4) ck_assert_msg(opens_plainly(), "write %ld", k);
        files += 1;
    }
    ck_assert_int_eq(had, 4);
    ck_assert_int_ge(files, TEST_FEW(5, 60));
    copies_free(&c);
    scene_close(&s);
}

// ---- refused

static pcs_status start(const char *path, const scene *s)
{
    pcs_recorder *recorder;
    const pcs_status status = pcs_recorder_open(path, s->m, NULL, &recorder);
    if (status == PCS_OK) CK_OK(pcs_recorder_close(recorder));
    return status;
}

static unsigned long long sum_of(const char *path)
{
    unsigned long long sum = 0;
    FILE *f = fopen(path, "rb");
    ck_assert(f != NULL);
    for (int c; (c = fgetc(f)) != EOF;) {
        sum = 31 * sum + (unsigned long long)c;
    }
    fclose(f);
    return sum;
}

TEST(a_file_that_cannot_be_replaced_stays_as_it_was)
{
    scene s;
    open_all(&s);
    CK_OK(start(RUN, &s));
    const unsigned long long sum = sum_of(RUN);
    CK_FAILS(start(FOLDER "/none/run.h5", &s), PCS_ERR_FILE);
    CK_FAILS(start(FOLDER, &s), PCS_ERR_FILE);
    CK_FAILS(start("/dev/null", &s), PCS_ERR_FILE);

    // a disk that is full
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small = {8000, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    ck_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CK_FAILS(start(RUN, &s), PCS_ERR_FILE);
    ck_assert(setrlimit(RLIMIT_FSIZE, &old) == 0);
    ck_assert(sum_of(RUN) == sum);

    // two recorders of one file
    pcs_recorder *first, *second;
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &first));
    CK_FAILS(pcs_recorder_open(RUN, s.m, NULL, &second), PCS_ERR_FILE);
    ck_assert(strstr(pcs_error_text(), "another process"));
    pcs_trajectory *t;
    CK_OK(pcs_trajectory_open(NULL, RUN, &t)); // during the recording
    ck_assert(!pcs_trajectory_info_of(t).closed);
    pcs_trajectory_close(t);
    CK_OK(pcs_recorder_close(first));
    CK_OK(start(RUN, &s));
    scene_close(&s);

    // no part file remains, and no part file of others is removed
    ck_assert_int_eq(system("test $(ls " FOLDER " | grep -c part) = 0"), 0);
    char other[200];
    snprintf(other, sizeof other, RUN ".part-%ld", (long)getpid());
    fclose(fopen(other, "w"));
    open_all(&s);
    CK_FAILS(start(RUN, &s), PCS_ERR_FILE);
    scene_close(&s);
    ck_assert_int_eq(access(other, F_OK), 0);
    unlink(other);
}

// the description of a table, for readers of the file
static bool says(const char *path, const char *words)
{
    char *about = NULL;
    const hid_t file = H5Fopen(RUN, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t made = H5Aopen_by_name(file, path, "about", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t type = H5Aget_type(made);
    ck_assert_int_ge(H5Aread(made, type, &about), 0);
    const bool found = strstr(about, words) != NULL;
    H5free_memory(about);
    H5Tclose(type);
    H5Aclose(made);
    H5Fclose(file);
    return found;
}

TEST(the_file_names_every_kind_of_interaction)
{
    scene s = scene_open();
    const int kinds[] = {PCS_RELATION_USER,   PCS_RELATION_DISTANCE,  PCS_RELATION_BALL_JOINT,
                         PCS_RELATION_LINEAR, PCS_RELATION_ROPE,      PCS_RELATION_JOINT,
                         PCS_RELATION_LIMITS, PCS_RELATION_COORDINATE};
    static const char *const name[] = {"of the user", "distance", "ball joint", "linear",
                                       "rope",        "a joint",  "limits",     "a coordinate"};
    scene_ball(&s, 1, 0.1, (double[3]){0}, NULL);
    scene_start(&s);
    CK_OK(start(RUN, &s));
    scene_close(&s);
    for (int i = 0; i < 8; ++i) {
        char words[40];
        snprintf(words, sizeof words, "%d %s", kinds[i], name[i]);
        ck_assert_msg(says("/model/interactions", words), "%s", words);
    }
}

// relations with more numbers than a row of their table, beside one that fits
TEST(linear_contacts_of_many_coordinates_come_back)
{
    enum { N = 7 };
    scene s = scene_open();
    double mass[N * N] = {0}, c[3][N], t[3][N];
    test_random r = random_seed(11);
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    pcs_system many;
    for (int i = 0; i < N; ++i) {
        mass[(N + 1) * i] = 1;
        for (int k = 0; k < 3; ++k) {
            c[k][i] = random_between(&r, -1, 1);
            t[k][i] = random_between(&r, -1, 1);
        }
    }
    def.mass = mass;
    const int n[3] = {N, 3, 4};
    for (int k = 0; k < 3; ++k) {
        def.n = n[k];
        for (int i = 0; i < n[k] * n[k]; ++i) {
            mass[i] = i % (n[k] + 1) == 0;
        }
        CK_OK(pcs_model_add_lagrangian(s.m, &def, &many));
        CK_OK(pcs_model_add_interaction(
            s.m,
            &(pcs_interaction_def){pcs_relation_linear_contact(n[k], c[k], 0.5 + k, t[k]),
                                   pcs_law_newton_coulomb(0.5, 0, 0.3),
                                   many,
                                   {0}},
            NULL));
    }
    scene_start(&s);
    CK_OK(start(RUN, &s));
    pcs_trajectory *run;
    CK_OK(pcs_trajectory_open(NULL, RUN, &run));
    const pcs_model *m = pcs_trajectory_model(run);
    for (int k = 0; k < 3; ++k) {
        pcs_interaction_def a, b;
        CK_OK(pcs_model_interaction(s.m, (pcs_interaction){k + 1}, &a));
        CK_OK(pcs_model_interaction(m, (pcs_interaction){k + 1}, &b));
        ck_assert_int_eq(pcs_relation_kind_of(&b.relation), PCS_RELATION_LINEAR);
        ck_assert_int_eq(b.relation.dim, 2);
        ck_assert_mem_eq(a.relation.data, b.relation.data, (2 + 2 * (size_t)n[k]) * sizeof(double));
    }
    pcs_trajectory_close(run);
    scene_close(&s);
}

// motors with the target 0, of a position and of a speed, with a limit and without, and friction
TEST(motors_and_friction_stay_what_they_are)
{
    scene s = scene_open();
    pcs_body_def def = pcs_body_def_default();
    pcs_joint_def hinge = pcs_joint_def_default(PCS_JOINT_HINGE);
    pcs_interaction joint;
    hinge.system1 = scene_add(&s, &def);
    CK_OK(pcs_model_add_joint(s.m, &hinge, &joint));
    pcs_joint_motor motor = pcs_joint_motor_default(joint);
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, NULL));
    motor.limit = 2;
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, NULL));
    motor.of_speed = true;
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, NULL));
    const pcs_joint_friction dry = {.joint = joint, .limit = 2};
    CK_OK(pcs_model_add_joint_friction(s.m, &dry, NULL));
    scene_start(&s);
    CK_OK(start(RUN, &s));
    pcs_trajectory *run;
    CK_OK(pcs_trajectory_open(NULL, RUN, &run));
    const pcs_model *m = pcs_trajectory_model(run);
    for (int id = 2; id <= 5; ++id) {
        pcs_joint_friction friction;
        const bool is_motor = id < 5;
        if (is_motor) {
            CK_OK(pcs_model_joint_motor(m, (pcs_interaction){id}, &motor));
            ck_assert(motor.of_speed == (id == 4) && motor.limit == (id == 2 ? INFINITY : 2));
        }
        ck_assert(is_motor !=
                  (pcs_model_joint_friction(m, (pcs_interaction){id}, &friction) == PCS_OK));
    }
    pcs_trajectory_close(run);
    scene_close(&s);
}

TEST(a_disk_that_fills_ends_the_run_and_keeps_its_frames)
{
    scene s;
    pcs_recorder *recorder;
    pcs_trajectory *t;
    pcs_run_report report;
    open_all(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_run(s.m, s.st, s.wk, 5e-3, 0.05, pcs_recorder_observe, recorder, NULL));
    passed += 1;
    CK_OK(pcs_recorder_add(recorder, s.m, s.st, s.wk, NULL));
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit old, small;
    struct stat file;
    ck_assert(stat(RUN, &file) == 0);
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = (rlim_t)file.st_size; // the frames recorded before the failure are in the file
    ck_assert(setrlimit(RLIMIT_FSIZE, &small) == 0);
    CK_OK(pcs_run(s.m, s.st, s.wk, 5e-3, 20, pcs_recorder_observe, recorder, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_STOPPED);
    CK_FAILS(pcs_recorder_close(recorder), PCS_ERR_FILE);
    ck_assert(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    ck_assert_int_ge(pcs_trajectory_info_of(t).frames, 11);
    pcs_trajectory_close(t);
    scene_close(&s);
}

TEST(files_that_are_not_trajectories_are_refused)
{
    scene s;
    pcs_trajectory *t;
    open_all(&s);
    CK_OK(start(RUN, &s));
    scene_close(&s);
    CK_FAILS(pcs_trajectory_open(NULL, FOLDER "/none.h5", &t), PCS_ERR_FILE);
    CK_FAILS(pcs_trajectory_open(NULL, FOLDER, &t), PCS_ERR_FILE);
    ck_assert_int_eq(mkfifo(FOLDER "/pipe", 0666), 0);
    CK_SAYS(pcs_trajectory_open(NULL, FOLDER "/pipe", &t), PCS_ERR_FILE, "not a file");
    ck_assert(!pcs_trajectory_fits(FOLDER "/pipe"));
    CK_FAILS(pcs_trajectory_open(NULL, PERCUSS_TEST_DATA "/fc3d_dense.dat", &t), PCS_ERR_FORMAT);

    // another version, and an HDF5 file of another kind
    const hid_t file = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t set = H5Dopen2(file, "/provenance/format_version", H5P_DEFAULT);
    const int later = 2;
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &later);
    H5Dclose(set);
    H5Fclose(file);
    CK_FAILS(pcs_trajectory_open(NULL, RUN, &t), PCS_ERR_FORMAT);
    ck_assert_msg(strstr(pcs_error_text(), "version 2"), "%s", pcs_error_text());
    H5Fclose(H5Fcreate(RUN, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    CK_FAILS(pcs_trajectory_open(NULL, RUN, &t), PCS_ERR_FORMAT);
    ck_assert_ptr_null(t);
}

// replaces a set by an empty one
static void make_empty(const char *path, int rank, const hsize_t *size)
{
    const hid_t file = H5Fopen(RUN, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert_int_ge(H5Ldelete(file, path, H5P_DEFAULT), 0);
    const hid_t space = H5Screate_simple(rank, size, NULL);
    const hid_t set =
        H5Dcreate2(file, path, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert(set >= 0);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(file);
}

TEST(a_height_field_without_heights_is_refused)
{
    scene s = scene_open();
    pcs_trajectory *t;
    scene_shape(&s, (pcs_system){0}, pcs_shape_height_field(field), 0);
    scene_start(&s);
    CK_OK(start(RUN, &s));
    scene_close(&s);
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    pcs_trajectory_close(t);
    for (int rank = 1; rank <= 2; ++rank) {
        make_empty("/model/geometries/0/heights", rank, (hsize_t[2]){2, 0});
        CK_FAILS(pcs_trajectory_open(NULL, RUN, &t), PCS_ERR_FORMAT);
        ck_assert_msg(strstr(pcs_error_text(), "/heights"), "%s", pcs_error_text());
    }
}

TEST(a_file_that_is_cut_or_damaged_is_read_or_refused)
{
    scene s;
    pcs_recorder *recorder;
    open_all(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_run(s.m, s.st, s.wk, 5e-3, 0.03, pcs_recorder_observe, recorder, NULL));
    CK_OK(pcs_recorder_close(recorder));
    scene_close(&s);
    FILE *f = fopen(RUN, "rb");
    static unsigned char good[1 << 20], bad[1 << 20];
    const size_t size = fread(good, 1, sizeof good, f);
    fclose(f);
    ck_assert(size > 10000 && size < sizeof good);
    test_random r = random_seed(5);
    const int draws = TEST_FEW(40, 1500);
    test_memory memory = {.fail_at = -1};
    const pcs_env env = test_env(&memory);
    for (int i = 0; i < draws; ++i) {
        // the lower part has the types and shapes of the sets
        memcpy(bad, good, size);
        size_t length = size;
        const size_t at = (size_t)(random_unit(&r) * (double)size * (i % 2 ? 1 : 0.3));
        if (i % 4 == 0) {
            length = at;
        } else {
            bad[at] = (unsigned char)(bad[at] ^ (1u << i % 8));
        }
        f = fopen(RUN, "wb");
        ck_assert(fwrite(bad, 1, length, f) == length);
        fclose(f);
        pcs_trajectory *t;
        // HDF5 does not release all of its memory for a damaged file; only memory of percuss is
        // counted
        H5garbage_collect();
        __lsan_disable();
        if (pcs_trajectory_open(&env, RUN, &t) != PCS_OK) {
            ck_assert(pcs_error_text()[0] != '\0');
            __lsan_enable();
            ck_assert_int_eq(memory.live, 0);
            continue;
        }
        for (long k = 0; k < pcs_trajectory_info_of(t).frames; ++k) {
            pcs_trajectory_frame frame;
            if (pcs_trajectory_read_frame(t, k, &frame) == PCS_OK) continue;
            ck_assert(pcs_error_text()[0] != '\0');
        }
        pcs_trajectory_close(t);
        __lsan_enable();
        ck_assert_int_eq(memory.live, 0);
    }
}
