// Exports: tables hold the numbers of the trajectory to the bit; every point of a VTKHDF file lies
// on the shape of its body in that frame; what cannot be written leaves what was there. The .pvd
// that is left is read by VTK (tests/export/read_vtk).
#define _POSIX_C_SOURCE 200809L // lstat, symlink, fork
#include <percuss/export.h>
#include <percuss/meshes.h>
#include <percuss/parts.h>
#include <percuss/rotation.h>

#include <dirent.h>
#include <float.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linalg/m3.h"
#include "problem_file/csv_table.h"
#include "recorded.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/export"
#define RUN    FOLDER "/run.h5"
#define NAME   "gem \"<b>\" & 'x' ]]> =1+1 \xc3\xa9"

enum { STEPS = 30, BODIES = 5, SPRING = 6 };

static void before(void)
{
    make_empty_folder(FOLDER);
}

TEST_AROUND(before, NULL)

// ---- a trajectory with all shapes

static pcs_geometry *made[3]; // hull, mesh, field

static void make_geometries(void)
{
    const double points[24] = {-.1, -.1, -.1, .1, -.1, -.1, -.1, .1,  -.1, .1, .1, -.1,
                               -.1, -.1, .1,  .1, -.1, .1,  -.1, .15, .1,  .1, .1, .1};
    const double vertex[12] = {-3, -3, -1, 3, -3, -1, 3, 3, -1, -3, 3, -1};
    const int triangle[6] = {0, 1, 2, 0, 2, 3};
    const double height[6] = {-2, -2, -1.9, -2, -2.5, -2};
    CK_OK(pcs_geometry_create_hull(NULL, 8, points, &made[0]));
    CK_OK(pcs_geometry_create_mesh(NULL, 4, vertex, 2, triangle, &made[1]));
    CK_OK(pcs_geometry_create_height_field(NULL, 3, 2, 0.5, 0.25, height, &made[2]));
}

static pcs_system solid(scene *s, const char *name, pcs_shape shape, double x, double z)
{
    pcs_body_def def = pcs_body_def_default();
    pcs_system body;
    def.position[0] = x;
    def.position[2] = z;
    def.velocity[0] = 0.3;
    def.omega[1] = 1.5;
    def.omega[2] = -0.5;
    CK_OK(pcs_model_add_solid(s->m, &def, 1, &shape, 1000, (pcs_material){0}, &body));
    CK_OK(pcs_model_set_system_name(s->m, body, name));
    return body;
}

static void record(bool contacts)
{
    scene s = scene_open();
    pcs_shape off = pcs_shape_box(0.2, 0.1, 0.1);
    off.position[0] = 0.05;
    off.orientation[0] = 1;
    off.orientation[1] = 2;
    s.scheme = pcs_scheme_default();
    make_geometries();
    scene_gravity(&s, 0, 0, -9.81);
    scene_shape(&s, (pcs_system){0}, pcs_shape_half_space((double[]){0, 0, 1}, 0), 0.5);
    scene_shape(&s, (pcs_system){0}, pcs_shape_mesh(made[1]), 0);
    scene_shape(&s, (pcs_system){0}, pcs_shape_height_field(made[2]), 0);
    solid(&s, NAME, pcs_shape_sphere(0.1), 0, 0.1);
    solid(&s, "box", off, 1, 0.3);
    solid(&s, "capsule", pcs_shape_capsule(0.1, 0.2), 2, 0.3);
    solid(&s, "cylinder", pcs_shape_cylinder(0.1, 0.2), 3, 0.11);
    solid(&s, "hull", pcs_shape_hull(made[0]), 4, 0.2);
    pcs_lagrangian_def spring = pcs_lagrangian_def_default();
    spring.n = 1;
    spring.q0 = (double[]){0.25};
    spring.mass = (double[]){2};
    spring.stiffness = (double[]){30};
    scene_add_lagrangian(&s, &spring);
    scene_start(&s);
    pcs_recorder_def def = pcs_recorder_def_default();
    def.contacts = contacts;
    record_run(&s, RUN, &def, 5e-3, 5e-3 * STEPS);
    scene_close(&s);
}

static void release(void)
{
    for (int i = 0; i < 3; ++i) {
        pcs_geometry_destroy(made[i]);
    }
}

static pcs_trajectory *opened(void)
{
    pcs_trajectory *t;
    CK_OK(pcs_trajectory_open(NULL, RUN, &t));
    return t;
}

static int files_in(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);
    ck_assert(folder != NULL);
    for (const struct dirent *e; (e = readdir(folder));) {
        n += e->d_name[0] != '.';
    }
    closedir(folder);
    return n;
}

// ---- tables

enum { FIELDS = 80 };

typedef struct csv {
    FILE *f;
    char line[4000], *field[FIELDS];
    char head_line[4000], *head[FIELDS];
    int n;
} csv;

static csv csv_open(const char *path)
{
    csv c = {.f = fopen(path, "r")};
    ck_assert_msg(c.f != NULL, "%s is missing", path);
    return c;
}

static bool csv_next(csv *c)
{
    if (!fgets(c->line, sizeof c->line, c->f)) return false;
    const int n = csv_split(c->line, FIELDS, c->field);
    ck_assert_int_eq(n, c->n);
    return true;
}

static void csv_head(csv *c)
{
    ck_assert(fgets(c->head_line, sizeof c->head_line, c->f));
    c->n = csv_split(c->head_line, FIELDS, c->head);
    ck_assert_int_gt(c->n, 0);
}

static const char *words(const csv *c, const char *column)
{
    for (int i = 0; i < c->n; ++i) {
        if (strcmp(c->head[i], column) == 0) return c->field[i];
    }
    ck_abort_msg("there is no column '%s'", column);
}

static double real(const csv *c, const char *column)
{
    return strtod(words(c, column), NULL);
}

static void check_bodies(pcs_trajectory *t)
{
    static const char *const q[] = {"x [m]", "y [m]", "z [m]", "q0", "q1", "q2", "q3"};
    static const char *const v[] = {"vx [m/s]",   "vy [m/s]",   "vz [m/s]",
                                    "w1 [rad/s]", "w2 [rad/s]", "w3 [rad/s]"};
    csv c = csv_open(FOLDER "/out-bodies.csv");
    csv_head(&c);
    for (long k = 0; k < pcs_trajectory_info_of(t).frames; ++k) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        int spring;
        pcs_trajectory_place(t, (pcs_system){SPRING}, NULL, &spring);
        double kinetic = pow(frame.v[spring], 2);
        for (int body = 1; body <= BODIES; ++body) {
            int at_q, at_v;
            ck_assert(csv_next(&c));
            pcs_trajectory_place(t, (pcs_system){body}, &at_q, &at_v);
            ck_assert_double_eq(real(&c, "frame"), (double)k);
            ck_assert_double_eq(real(&c, "body"), body);
            ck_assert_double_eq(real(&c, "t [s]"), frame.t);
            ck_assert_str_eq(words(&c, "name"),
                             pcs_model_system_name(pcs_trajectory_model(t), (pcs_system){body}));
            for (int i = 0; i < 7; ++i) {
                ck_assert_double_eq(real(&c, q[i]), frame.q[at_q + i]);
            }
            for (int i = 0; i < 6; ++i) {
                ck_assert_double_eq(real(&c, v[i]), frame.v[at_v + i]);
            }
            kinetic += real(&c, "kinetic [J]");
        }
        // the ledger of the step has the same energy
        if (frame.step > 0) {
            pcs_step_report report;
            CK_OK(pcs_trajectory_read_steps(t, frame.step - 1, 1, NULL, &report));
            CK_NEAR(kinetic, report.energy.kinetic_after, 1e-13 * kinetic);
        }
    }
    ck_assert(!csv_next(&c));
    fclose(c.f);
}

static void check_contacts(pcs_trajectory *t)
{
    static const char *const r[] = {"rN [N s]", "rT1 [N s]", "rT2 [N s]"};
    static const char *const point[] = {"P1x [m]", "P1y [m]", "P1z [m]"};
    csv c = csv_open(FOLDER "/out-contacts.csv");
    int n = 0;
    csv_head(&c);
    for (long k = 0; k < pcs_trajectory_info_of(t).frames; ++k) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        for (int i = 0; i < frame.contact_count; ++i, ++n) {
            const pcs_contact *contact = &frame.contact[i];
            ck_assert(csv_next(&c));
            ck_assert_double_eq(real(&c, "frame"), (double)k);
            ck_assert_double_eq(real(&c, "system1"), contact->system1.id);
            ck_assert_double_eq(real(&c, "shape2"), contact->shape2);
            ck_assert_double_eq((float)real(&c, "gap [m]"), contact->gap);
            ck_assert_int_le(strlen(words(&c, "mu")), strlen("-1.23456789e-10"));
            ck_assert_str_eq(words(&c, "status"), pcs_contact_status_text(contact->status));
            for (int j = 0; j < 3; ++j) {
                ck_assert_double_eq((float)real(&c, r[j]), contact->r[j]);
                ck_assert_double_eq((float)real(&c, point[j]), contact->P1[j]);
            }
            const double impulse = pow(real(&c, "rx [N s]"), 2) + pow(real(&c, "ry [N s]"), 2) +
                                   pow(real(&c, "rz [N s]"), 2);
            // the frame has seven digits
            CK_NEAR(sqrt(impulse), v3_norm(contact->r), 1e-6 * v3_norm(contact->r));
        }
    }
    ck_assert_int_gt(n, 0);
    ck_assert(!csv_next(&c));
    fclose(c.f);
}

static void check_coordinates(pcs_trajectory *t)
{
    csv c = csv_open(FOLDER "/out-coordinates.csv");
    csv_head(&c);
    for (long k = 0; k < pcs_trajectory_info_of(t).frames; ++k) {
        pcs_trajectory_frame frame;
        int q, v;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        pcs_trajectory_place(t, (pcs_system){SPRING}, &q, &v);
        ck_assert(csv_next(&c));
        ck_assert_double_eq(real(&c, "system"), SPRING);
        ck_assert_double_eq(real(&c, "q"), frame.q[q]);
        ck_assert_double_eq(real(&c, "v"), frame.v[v]);
    }
    ck_assert(!csv_next(&c));
    fclose(c.f);
}

static void check_steps(pcs_trajectory *t)
{
    csv c = csv_open(FOLDER "/out-steps.csv");
    csv_head(&c);
    for (long i = 0; i < pcs_trajectory_info_of(t).steps; ++i) {
        pcs_step_report report;
        double time;
        CK_OK(pcs_trajectory_read_steps(t, i, 1, &time, &report));
        ck_assert(csv_next(&c));
        ck_assert_double_eq(real(&c, "step"), (double)i + 1);
        ck_assert_double_eq(real(&c, "t [s]"), time);
        ck_assert_str_eq(words(&c, "outcome"), pcs_outcome_text(report.outcome));
        ck_assert_double_eq(real(&c, "active"), report.active);
        ck_assert_double_eq(real(&c, "residual"), report.solve.measure.residual);
        ck_assert_double_eq(real(&c, "potential_after [J]"), report.energy.potential_after);
        ck_assert_double_eq(real(&c, "closure [J]"), report.energy.closure);
    }
    ck_assert(!csv_next(&c));
    fclose(c.f);
}

TEST(tables_have_the_numbers_of_the_trajectory)
{
    record(true);
    pcs_trajectory *t = opened();
    long frames;
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_CSV, NULL, FOLDER "/out.csv", &frames));
    ck_assert_int_eq(frames, STEPS + 1);
    check_bodies(t);
    check_coordinates(t);
    check_contacts(t);
    check_steps(t);
    ck_assert_int_eq(files_in(FOLDER), 5);
    pcs_trajectory_close(t);
    release();
}

TEST(one_table_and_some_frames)
{
    record(true);
    pcs_trajectory *t = opened();
    pcs_export_def def = pcs_export_def_default();
    long frames;
    def.table = PCS_EXPORT_TABLE_STEPS;
    def.first = 4;
    def.last = 11;
    def.every = 3;
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_CSV, &def, FOLDER "/out.csv", &frames));
    ck_assert_int_eq(frames, 4); // 4 7 10 11
    ck_assert_int_eq(files_in(FOLDER), 2);
    csv c = csv_open(FOLDER "/out.csv");
    csv_head(&c);
    for (int step = 5; step <= 11; ++step) {
        ck_assert(csv_next(&c));
        ck_assert_double_eq(real(&c, "step"), step);
    }
    ck_assert(!csv_next(&c));
    fclose(c.f);
    def.table = PCS_EXPORT_TABLE_BODIES;
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_CSV, &def, FOLDER "/out.csv", &frames));
    c = csv_open(FOLDER "/out.csv");
    csv_head(&c);
    for (int k = 0; k < 4; ++k) {
        for (int body = 1; body <= BODIES; ++body) {
            ck_assert(csv_next(&c));
            ck_assert_double_eq(real(&c, "frame"), k < 3 ? 4 + 3 * k : 11);
        }
    }
    ck_assert(!csv_next(&c));
    fclose(c.f);
    pcs_trajectory_close(t);
    release();
}

// ---- VTKHDF

// all numbers of a set, as doubles; rows to *rows
static double *numbers(hid_t file, const char *path, int *rows, int *width)
{
    hsize_t size[2] = {0, 1};
    const hid_t set = H5Dopen2(file, path, H5P_DEFAULT), space = H5Dget_space(set);
    ck_assert_msg(set >= 0, "%s is missing", path);
    H5Sget_simple_extent_dims(space, size, NULL);
    double *x = calloc(size[0] * size[1] + 1, sizeof *x);
    ck_assert(x && (size[0] == 0 ||
                    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0));
    H5Sclose(space);
    H5Dclose(set);
    if (rows) *rows = (int)size[0];
    if (width) *width = (int)size[1];
    return x;
}

// distance of a point from the surface of a shape, in the frame of the shape
static double off_surface(const pcs_shape *s, const double x[3])
{
    const double round = hypot(x[0], x[1]);
    double worst = -INFINITY;
    switch (s->kind) {
    case PCS_SHAPE_SPHERE:
        return fabs(v3_norm(x) - s->radius);
    case PCS_SHAPE_BOX:
        for (int i = 0; i < 3; ++i) {
            worst = fmax(worst, fabs(x[i]) - s->half[i]);
        }
        return fabs(worst);
    case PCS_SHAPE_CAPSULE:
        return fabs(hypot(round, fmax(0, fabs(x[2]) - s->half[2])) - s->radius);
    case PCS_SHAPE_CYLINDER:
        return fabs(fmax(round - s->radius, fabs(x[2]) - s->half[2]));
    case PCS_SHAPE_HALF_SPACE:
        return fabs(x[2]);
    default:
        break;
    }
    const double *vertex;
    const int n = pcs_geometry_vertices(s->geometry, &vertex);
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
        double d[3];
        v3_sub(x, vertex + 3 * (size_t)i, d);
        least = fmin(least, v3_norm(d));
    }
    return least;
}

static void check_point(pcs_trajectory *t, const pcs_trajectory_frame *frame, int shape,
                        const double *point)
{
    pcs_model_shape_def def;
    int at;
    CK_OK(pcs_model_shape(pcs_trajectory_model(t), shape, &def));
    pcs_trajectory_place(t, def.system, &at, NULL);
    double x[3], Q[4], back[4], local[3], in_shape[3];
    v3_sub(point, frame->q + at, x);
    pcs_quat_conj(frame->q + at + 3, back);
    pcs_quat_rotate(back, x, local);
    v3_sub(local, def.shape.position, x);
    memcpy(Q, def.shape.orientation, sizeof Q);
    CK_OK(pcs_quat_normalise(Q));
    pcs_quat_conj(Q, back);
    pcs_quat_rotate(back, x, in_shape);
    // points are floats
    ck_assert_double_lt(off_surface(&def.shape, in_shape), 2e-6);
}

static void check_moving(pcs_trajectory *t, hid_t file)
{
    int rows, triangles;
    double *time = numbers(file, "/VTKHDF/Steps/Values", &rows, NULL);
    ck_assert_int_eq(rows, (int)pcs_trajectory_info_of(t).frames);
    double *part = numbers(file, "/VTKHDF/Steps/PartOffsets", NULL, NULL),
           *parts = numbers(file, "/VTKHDF/Steps/NumberOfParts", NULL, NULL),
           *first = numbers(file, "/VTKHDF/Steps/PointOffsets", NULL, NULL),
           *count = numbers(file, "/VTKHDF/NumberOfPoints", NULL, NULL),
           *point = numbers(file, "/VTKHDF/Points", NULL, NULL),
           *shape = numbers(file, "/VTKHDF/PointData/shape", NULL, NULL),
           *shape_at = numbers(file, "/VTKHDF/Steps/PointDataOffsets/shape", NULL, NULL),
           *cells = numbers(file, "/VTKHDF/Polygons/NumberOfCells", NULL, NULL),
           *ends = numbers(file, "/VTKHDF/Polygons/Offsets", NULL, NULL),
           *corner = numbers(file, "/VTKHDF/Polygons/Connectivity", &triangles, NULL);
    for (int k = 0; k < rows; ++k) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        ck_assert_double_eq(time[k], frame.t);
        ck_assert_double_eq(parts[k], 1);
        const int n = (int)count[(int)part[k]];
        for (int i = 0; i < n; ++i) {
            const double *x = point + 3 * ((size_t)first[k] + (size_t)i);
            check_point(t, &frame, (int)shape[(int)shape_at[k] + i], x);
        }
    }
    const int n = (int)cells[0];
    ck_assert_int_eq(3 * n, triangles);
    for (int i = 0; i <= n; ++i) {
        ck_assert_double_eq(ends[i], 3 * i);
    }
    for (int i = 0; i < 3 * n; ++i) {
        ck_assert_double_lt(corner[i], count[0]);
    }
    double *const all[] = {time,  part,     parts, first, count, point,
                           shape, shape_at, cells, ends,  corner};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
}

static void check_contact_points(pcs_trajectory *t, hid_t file)
{
    double *first = numbers(file, "/VTKHDF/Steps/PointOffsets", NULL, NULL),
           *part = numbers(file, "/VTKHDF/Steps/PartOffsets", NULL, NULL),
           *count = numbers(file, "/VTKHDF/NumberOfPoints", NULL, NULL),
           *cells = numbers(file, "/VTKHDF/Vertices/NumberOfCells", NULL, NULL),
           *ends = numbers(file, "/VTKHDF/Vertices/Offsets", NULL, NULL),
           *press = numbers(file, "/VTKHDF/PointData/normal_impulse", NULL, NULL);
    for (int k = 0; k < pcs_trajectory_info_of(t).frames; ++k) {
        pcs_trajectory_frame frame;
        CK_OK(pcs_trajectory_read_frame(t, k, &frame));
        ck_assert_double_eq(part[k], k);
        ck_assert_double_eq(count[k], frame.contact_count);
        // one cell with all of them
        ck_assert_double_eq(cells[k], 1);
        ck_assert_double_eq(ends[2 * k], 0);
        ck_assert_double_eq(ends[2 * k + 1], frame.contact_count);
        for (int i = 0; i < frame.contact_count; ++i) {
            ck_assert_double_eq(press[(int)first[k] + i], frame.contact[i].r[0]);
        }
    }
    double *const all[] = {first, part, count, cells, ends, press};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        free(all[i]);
    }
}

TEST(points_of_vtkhdf_lie_on_the_shapes)
{
    record(true);
    pcs_trajectory *t = opened();
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_VTKHDF, NULL, FOLDER "/out.vtkhdf", NULL));
    ck_assert_int_eq(files_in(FOLDER), 4);
    hid_t file = H5Fopen(FOLDER "/out.vtkhdf", H5F_ACC_RDONLY, H5P_DEFAULT);
    ck_assert(file >= 0);
    check_moving(t, file);
    H5Fclose(file);
    file = H5Fopen(FOLDER "/out-contacts.vtkhdf", H5F_ACC_RDONLY, H5P_DEFAULT);
    ck_assert(file >= 0);
    check_contact_points(t, file);
    H5Fclose(file);
    pcs_trajectory_close(t);
    release();
}

// ---- ParaView; the last test leaves its files for tests/export/read_vtk

static char *slurp(const char *path)
{
    FILE *f = fopen(path, "rb");
    ck_assert(f != NULL);
    char *bytes = calloc(1, 1 << 20);
    ck_assert(bytes && fread(bytes, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return bytes;
}

// a floor whose corners are beyond the largest float
TEST(numbers_beyond_floats_are_the_largest)
{
    const double height[4] = {0};
    scene s = scene_open();
    pcs_geometry *field;
    pcs_recorder *recorder;
    CK_OK(pcs_geometry_create_height_field(NULL, 2, 2, 1e39, 1, height, &field));
    scene_shape(&s, (pcs_system){0}, pcs_shape_height_field(field), 0);
    scene_start(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_recorder_add(recorder, s.m, s.st, s.wk, NULL));
    CK_OK(pcs_recorder_close(recorder));
    scene_close(&s);
    pcs_geometry_destroy(field);
    pcs_trajectory *t = opened();
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_VTKHDF, NULL, FOLDER "/out.vtkhdf", NULL));
    pcs_trajectory_close(t);
    const hid_t file = H5Fopen(FOLDER "/out-fixed.vtkhdf", H5F_ACC_RDONLY, H5P_DEFAULT);
    int rows;
    double *x = numbers(file, "/VTKHDF/Points", &rows, NULL), most = 0;
    for (int i = 0; i < 3 * rows; ++i) {
        most = fmax(most, fabs(x[i]));
    }
    ck_assert_double_eq(most, FLT_MAX);
    free(x);
    H5Fclose(file);
}

TEST(a_folder_of_frames_is_replaced_whole)
{
    record(true);
    pcs_trajectory *t = opened();
    pcs_export_def def = pcs_export_def_default();
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, FOLDER "/out.pvd", NULL));
    ck_assert_int_eq(files_in(FOLDER "/out-frames"), 2 * (STEPS + 1) + 1);
    ck_assert_int_eq(files_in(FOLDER), 4);
    // fewer frames leave none of the old ones
    def.every = 10;
    def.contacts = false;
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, &def, FOLDER "/out.pvd", NULL));
    ck_assert_int_eq(files_in(FOLDER "/out-frames"), 5);
    // a folder of something else stays as it is
    FILE *other = fopen(FOLDER "/out-frames/thesis.tex", "w");
    ck_assert(other && fclose(other) == 0);
    char *old = slurp(FOLDER "/out.pvd");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, FOLDER "/out.pvd", NULL), PCS_ERR_FILE,
            "would be replaced");
    ck_assert_int_eq(files_in(FOLDER "/out-frames"), 6);
    ck_assert_int_eq(files_in(FOLDER), 3);
    char *now = slurp(FOLDER "/out.pvd");
    ck_assert_str_eq(old, now);
    free(old);
    free(now);
    pcs_trajectory_close(t);
    release();
}

static bool is_there(const char *path)
{
    struct stat s;
    return lstat(path, &s) == 0;
}

// a process of the same number may have been killed here
TEST(left_over_folders_are_passed_by)
{
    record(false);
    pcs_trajectory *t = opened();
    static const char *const ending[] = {"tmp", "old"};
    for (int i = 0; i < 2; ++i) {
        char name[200], file[220];
        snprintf(name, sizeof name, FOLDER "/out-frames.percuss-%ld-0.%s", (long)getpid(),
                 ending[i]);
        snprintf(file, sizeof file, "%s/moving-000000.vtp", name);
        ck_assert_int_eq(mkdir(name, 0777), 0);
        FILE *f = fopen(file, "w");
        ck_assert(f && fclose(f) == 0);
    }
    for (int i = 0; i < 2; ++i) {
        CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, FOLDER "/out.pvd", NULL));
    }
    // the trajectory, two lists, the frames and what was there
    ck_assert_int_eq(files_in(FOLDER), 6);
    pcs_trajectory_close(t);
    release();
}

// the list of a link is beside the frames that it names
TEST(an_output_that_is_a_link)
{
    record(true);
    pcs_trajectory *t = opened();
    pcs_export_def def = pcs_export_def_default();
    def.contacts = false;
    mkdir(FOLDER "/far", 0777);
    ck_assert_int_eq(symlink("far/real.pvd", FOLDER "/link.pvd"), 0);
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, &def, FOLDER "/link.pvd", NULL));
    char *list = slurp(FOLDER "/far/real.pvd");
    ck_assert(strstr(list, "file=\"real-frames/moving-000000.vtp\""));
    free(list);
    ck_assert(is_there(FOLDER "/far/real-frames/moving-000000.vtp"));
    ck_assert_int_eq(files_in(FOLDER), 3);
    ck_assert_int_eq(files_in(FOLDER "/far"), 2);
    pcs_trajectory_close(t);
    release();
}

// a file of an earlier export would be taken for a part of this one
TEST(no_file_of_an_earlier_export_is_left)
{
    record(true);
    pcs_trajectory *t = opened();
    pcs_export_def def = pcs_export_def_default();
    for (int kind = PCS_EXPORT_CSV; kind <= PCS_EXPORT_VTKHDF; ++kind) {
        char out[100], contacts[100];
        const char *ending = pcs_export_ending((pcs_export_kind)kind);
        snprintf(out, sizeof out, FOLDER "/out.%s", ending);
        snprintf(contacts, sizeof contacts, FOLDER "/out-contacts.%s", ending);
        def.contacts = true;
        CK_OK(pcs_trajectory_export(t, (pcs_export_kind)kind, &def, out, NULL));
        ck_assert(is_there(contacts));
        def.contacts = false;
        CK_OK(pcs_trajectory_export(t, (pcs_export_kind)kind, &def, out, NULL));
        ck_assert(!is_there(contacts));
    }
    pcs_trajectory_close(t);
    release();
}

static int count_words(const char *text, const char *word)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, word)); s += strlen(word)) {
        n += 1;
    }
    return n;
}

static bool export_often(bool contacts)
{
    pcs_export_def def = pcs_export_def_default();
    def.contacts = contacts;
    def.every = contacts ? 1 : 10;
    pcs_trajectory *t;
    bool good = pcs_trajectory_open(NULL, RUN, &t) == PCS_OK;
    for (int i = 0; i < TEST_FEW(4, 40) && good; ++i) {
        good = pcs_trajectory_export(t, PCS_EXPORT_PVD, &def, FOLDER "/out.pvd", NULL) == PCS_OK;
    }
    if (good) pcs_trajectory_close(t);
    return good;
}

// list, frames and list of contacts are of the one that ended last
TEST(two_exports_of_one_name_do_not_mix)
{
    record(true);
    const pid_t child = fork();
    if (child == 0) _exit(export_often(true) ? 0 : 1);
    const bool good = export_often(false);
    int status;
    ck_assert(waitpid(child, &status, 0) == child && WIFEXITED(status));
    ck_assert_msg(good, "%s", pcs_error_text());
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    char *list = slurp(FOLDER "/out.pvd");
    const bool contacts = is_there(FOLDER "/out-contacts.pvd");
    const int moving = count_words(list, "moving-");
    ck_assert_int_eq(moving, contacts ? STEPS + 1 : STEPS / 10 + 1);
    ck_assert_int_eq(files_in(FOLDER "/out-frames"), (contacts ? 2 : 1) * moving + 1);
    ck_assert_int_eq(files_in(FOLDER), contacts ? 4 : 3);
    free(list);
    release();
}

// ---- what cannot be done

TEST(requests_that_make_no_sense_are_refused)
{
    record(false);
    pcs_trajectory *t = opened();
    pcs_export_def def = pcs_export_def_default();
    pcs_export_kind kind;
    const char *out = FOLDER "/out.csv";
    CK_SAYS(pcs_trajectory_export(NULL, PCS_EXPORT_CSV, NULL, out, NULL), PCS_ERR_ARG, "null");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_COUNT, NULL, out, NULL), PCS_ERR_ARG, "no format");
    def.first = STEPS + 1;
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_CSV, &def, out, NULL), PCS_ERR_ARG, "31, from 0");
    def = pcs_export_def_default();
    def.every = 0;
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_CSV, &def, out, NULL), PCS_ERR_ARG, "at least 1");
    def = pcs_export_def_default();
    def.tolerance = NAN;
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_PVD, &def, out, NULL), PCS_ERR_ARG, "1e-6 to 0.5");
    ck_assert_int_eq(files_in(FOLDER), 1);
    CK_SAYS(pcs_export_kind_of("a.b/out", &kind), PCS_ERR_ARG, ".vtkhdf");
    CK_OK(pcs_export_kind_of("a/out.PVD", &kind));
    ck_assert_int_eq(kind, PCS_EXPORT_PVD);
    for (int i = 0; i < PCS_EXPORT_COUNT; ++i) {
        char name[20];
        snprintf(name, sizeof name, "x.%s", pcs_export_ending((pcs_export_kind)i));
        CK_OK(pcs_export_kind_of(name, &kind));
        ck_assert_int_eq(kind, i);
    }
    pcs_trajectory_close(t);
    release();
}

TEST(a_trajectory_without_a_frame_is_refused)
{
    scene s = scene_open();
    pcs_recorder *recorder;
    scene_start(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_recorder_close(recorder));
    scene_close(&s);
    pcs_trajectory *t = opened();
    for (int kind = 0; kind < PCS_EXPORT_COUNT; ++kind) {
        CK_SAYS(pcs_trajectory_export(t, (pcs_export_kind)kind, NULL, FOLDER "/out", NULL),
                PCS_ERR_ARG, "has no frame");
    }
    ck_assert_int_eq(files_in(FOLDER), 1);
    pcs_trajectory_close(t);
}

// nothing has a shape, nothing touches, nothing moves
TEST(an_empty_scene_is_exported)
{
    scene s = scene_open();
    pcs_recorder *recorder;
    scene_start(&s);
    CK_OK(pcs_recorder_open(RUN, s.m, NULL, &recorder));
    CK_OK(pcs_recorder_add(recorder, s.m, s.st, s.wk, NULL));
    CK_OK(pcs_recorder_close(recorder));
    scene_close(&s);
    pcs_trajectory *t = opened();
    FILE *old = fopen(FOLDER "/out-fixed.vtkhdf", "w");
    ck_assert(old && fclose(old) == 0);
    for (int kind = 0; kind < PCS_EXPORT_COUNT; ++kind) {
        long frames = 0;
        CK_OK(pcs_trajectory_export(t, (pcs_export_kind)kind, NULL, FOLDER "/out", &frames));
        ck_assert_int_eq(frames, 1);
    }
    ck_assert(!is_there(FOLDER "/out-fixed.vtkhdf"));
    pcs_trajectory_close(t);
}

TEST(what_cannot_be_written_leaves_nothing)
{
    record(true);
    pcs_trajectory *t = opened();
    pcs_export_def def = pcs_export_def_default();
    for (int kind = PCS_EXPORT_CSV; kind <= PCS_EXPORT_VTKHDF; ++kind) {
        char out[100];
        snprintf(out, sizeof out, FOLDER "/none/out.%s", pcs_export_ending((pcs_export_kind)kind));
        CK_FAILS(pcs_trajectory_export(t, (pcs_export_kind)kind, NULL, out, NULL), PCS_ERR_FILE);
    }
    // a folder in the place of the file
    mkdir(FOLDER "/out.pvd", 0777);
    mkdir(FOLDER "/out-steps.csv", 0777);
    mkdir(FOLDER "/out.vtkhdf", 0777);
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, FOLDER "/out.pvd", NULL), PCS_ERR_FILE,
            "directory");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_CSV, NULL, FOLDER "/out.csv", NULL), PCS_ERR_FILE,
            "directory");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_VTKHDF, NULL, FOLDER "/out.vtkhdf", NULL),
            PCS_ERR_FILE, "directory");
    def.table = PCS_EXPORT_TABLE_BODIES;
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_CSV, &def, "/dev/full", NULL), PCS_ERR_FILE,
            "No space left");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, "/dev/full", NULL), PCS_ERR_FILE,
            "not a file");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_VTKHDF, NULL, "/dev/full", NULL), PCS_ERR_FILE, "");
    CK_SAYS(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL,
                                  FOLDER "/a\x01"
                                         "b.pvd",
                                  NULL),
            PCS_ERR_FILE, "control character");
    // the trajectory and the three folders; of vtkhdf its other files, which are whole
    ck_assert_int_le(files_in(FOLDER), 6);
    ck_assert_int_eq(system("ls " FOLDER " | grep -q -e tmp -e percuss"), 256);
    pcs_trajectory_close(t);
    release();
}

TEST(files_for_a_reader_of_vtk)
{
    record(true);
    pcs_trajectory *t = opened();
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_CSV, NULL, FOLDER "/out.csv", NULL));
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_PVD, NULL, FOLDER "/out <&\"'>.pvd", NULL));
    CK_OK(pcs_trajectory_export(t, PCS_EXPORT_VTKHDF, NULL, FOLDER "/out.vtkhdf", NULL));
    pcs_trajectory_close(t);
    release();
}
