// libFuzzer target: a good trajectory with any numbers changed, and any sets cut or removed, is
// read or refused with a sentence, no pointer of the result leaves its array, and what was read is
// written as a page or by one of the exports. The input is a
// list of changes of twelve bytes: the set, the change, the place, and eight bytes of a number;
// HDF5 itself does not survive random bytes. fuzz_problem_file.c says how to build and run it; no
// seeds are needed. Its files are in the current folder.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>
#include <percuss/export.h>
#include <percuss/meshes.h>
#include <percuss/motion.h>
#include <percuss/parts.h>
#include <percuss/replay.h>
#include <percuss/trajectory.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define GOOD "fuzz_trajectory_good.h5"
#define BAD  "fuzz_trajectory_bad.h5"

static const char *const sets[] = {
    "/frames/time",
    "/frames/q",
    "/frames/v",
    "/frames/driven_v",
    "/frames/step",
    "/frames/hash",
    "/frames/contacts_end",
    "/contacts",
    "/steps",
    "/model/systems",
    "/model/shapes",
    "/model/materials",
    "/model/interactions",
    "/model/scheme",
    "/model/solver_options",
    "/model/gravity",
    "/model/hash",
    "/model/system_names",
    "/model/shape_names",
    "/model/geometries/0/vertices",
    "/model/geometries/0/triangles",
    "/provenance/format",
    "/provenance/format_version",
    "/provenance/closed",
    "/provenance/seed",
    "/provenance/title",
};
enum { SETS = sizeof sets / sizeof *sets };

static void must(pcs_status status)
{
    if (status == PCS_OK) return;
    fprintf(stderr, "%s\n", pcs_error_text());
    abort();
}

// a hull and a ball on the ground, the ball on a string, and a ball that follows a motion
static void make_good(void)
{
    const double corner[12] = {0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2};
    const pcs_shape ground = pcs_shape_half_space((double[]){0, 0, 1}, -0.3),
                    ball = pcs_shape_sphere(0.1);
    pcs_geometry *hull;
    pcs_model *m;
    pcs_state *state;
    pcs_work *work;
    pcs_recorder *recorder;
    pcs_system id;
    pcs_body_def def = pcs_body_def_default();
    must(pcs_geometry_create_hull(NULL, 4, corner, &hull));
    const pcs_shape gem = pcs_shape_hull(hull);
    must(pcs_model_create(NULL, &m));
    must(pcs_model_add_shape(m, (pcs_system){0}, &ground, (pcs_material){0}));
    must(pcs_model_add_solid(m, &def, 1, &gem, 1000, (pcs_material){0}, NULL));
    def.position[0] = 1;
    must(pcs_model_add_solid(m, &def, 1, &ball, 1000, (pcs_material){0}, &id));
    must(pcs_model_set_system_name(m, id, "ball"));
    const pcs_interaction_def string = {
        pcs_relation_distance((double[3]){0}, (double[]){1, 0, 1}, 1), pcs_law_equality(), id, {0}};
    must(pcs_model_add_interaction(m, &string, NULL));
    pcs_motion lift = pcs_motion_default();
    lift.polynomial[1][2] = 1;
    def.motion = pcs_motion_follow;
    def.user = &lift;
    must(pcs_model_add_body(m, &def, &id));
    must(pcs_model_add_shape(m, id, &ball, (pcs_material){0}));
    must(pcs_state_create(m, &state));
    must(pcs_work_create(m, &work));
    must(pcs_recorder_open(GOOD, m, NULL, &recorder));
    must(pcs_run(m, state, work, 0.02, 0.5, pcs_recorder_observe, recorder, NULL));
    must(pcs_recorder_close(recorder));
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_model_destroy(m);
    pcs_geometry_destroy(hull);
}

static void copy_good(void)
{
    static char bytes[1 << 20];
    static size_t size;
    if (size == 0) {
        make_good();
        FILE *f = fopen(GOOD, "rb");
        if (f) size = fread(bytes, 1, sizeof bytes, f);
        if (f) fclose(f);
    }
    FILE *f = fopen(BAD, "wb");
    if (!f || size == 0 || fwrite(bytes, 1, size, f) != size) abort();
    fclose(f);
}

// replaces eight bytes of the numbers of a set, from place `at` on
static void change_numbers(hid_t set, unsigned at, const uint8_t bytes[8])
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const size_t all = (size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type);
    char *x = calloc(all + 8, 1);
    if (x && all > 0 && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0) {
        memcpy(x + at * 4 % all, bytes, 8);
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
    }
    free(x);
    H5Sclose(space);
    H5Tclose(type);
}

static void change(hid_t file, const uint8_t c[12])
{
    const char *path = sets[c[0] % SETS];
    if (c[1] % 8 == 0) {
        H5Ldelete(file, path, H5P_DEFAULT);
        return;
    }
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0) return;
    if (c[1] % 8 == 1) {
        hsize_t rows[2] = {c[4], 7};
        H5Dset_extent(set, rows);
    } else {
        change_numbers(set, c[2] + 256u * c[3], c + 4);
    }
    H5Dclose(set);
}

// reads everything that the functions return; the sanitizers watch
static double follow(pcs_trajectory *t)
{
    const pcs_trajectory_info info = pcs_trajectory_info_of(t);
    const pcs_model *m = pcs_trajectory_model(t);
    double sum = (double)strlen(info.title);
    for (long k = 0; k < info.frames; ++k) {
        pcs_trajectory_frame f;
        if (pcs_trajectory_read_frame(t, k, &f) != PCS_OK) continue;
        for (int i = 0; i < f.nq; ++i) {
            sum += f.q[i];
        }
        for (int i = 0; i < f.contact_count; ++i) {
            pcs_model_shape_def d;
            const int shape = f.contact[i].shape1;
            if (shape >= 0 && pcs_model_shape(m, shape, &d) != PCS_OK) abort();
            sum += f.contact[i].r[0];
        }
    }
    for (long k = 0; k < info.steps; ++k) {
        pcs_step_report report;
        if (pcs_trajectory_read_steps(t, k, 1, NULL, &report) == PCS_OK) {
            sum += (double)strlen(pcs_outcome_text(report.outcome));
        }
    }
    return sum;
}

// the page, or an export
static void write(pcs_trajectory *t, size_t which)
{
    const pcs_export_kind kind = (pcs_export_kind)(which % (PCS_EXPORT_COUNT + 1));
    char name[40];
    pcs_status status;
    if (kind == PCS_EXPORT_COUNT) {
        status = pcs_replay_write(t, NULL, "fuzz_trajectory.html", NULL);
    } else {
        snprintf(name, sizeof name, "fuzz_trajectory.%s", pcs_export_ending(kind));
        status = pcs_trajectory_export(t, kind, NULL, name, NULL);
    }
    if (status != PCS_OK && pcs_error_text()[0] == '\0') abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    copy_good();
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(BAD, H5F_ACC_RDWR, H5P_DEFAULT);
    if (file < 0) abort();
    for (size_t at = 0; at + 12 <= size; at += 12) {
        change(file, data + at);
    }
    H5Fclose(file);
    pcs_trajectory *t;
    if (pcs_trajectory_open(NULL, BAD, &t) != PCS_OK) {
        if (pcs_error_text()[0] == '\0') abort();
        return 0;
    }
    const double sum = follow(t);
    write(t, size);
    pcs_trajectory_close(t);
    return sum == 0.1234567 ? -1 : 0;
}
