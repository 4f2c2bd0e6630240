// ParaView 5.12 and later: all frames in one HDF5 file, in the layout VTKHDF 2.0 of VTK ("PolyData"
// with "Steps"). NAME.vtkhdf has the bodies that move, NAME-fixed.vtkhdf the others,
// NAME-contacts.vtkhdf the contacts and NAME-forces.vtkhdf the force elements: they are files of
// their own because arrays belong to all points of a file.
//
// Every set is a table to which each frame adds its rows. Offsets in /VTKHDF/Steps are the first
// rows of a frame. Triangles and constant arrays are stored once, at offset 0. The contacts of a
// frame are one cell, even if there are none: readers count skipped cells in different ways, which
// agree if every frame has one.
#define _POSIX_C_SOURCE 200809L // open
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "export/export_job.h"
#include "export/vtk_data.h"
#include "problem_file/assemble.h"
#include "problem_file/new_file.h"
#include "trajectory/h5_tables.h"
#include "trajectory/superblock.h"

// the topologies of PolyData, in their order
enum { VERTICES, LINES, POLYGONS, STRIPS, TOPOLOGIES };
static const char *const topology_names[TOPOLOGIES] = {"Vertices", "Lines", "Polygons", "Strips"};

// tables: four for each topology; rows and offsets for each array
enum {
    TIMES,
    PART_OFFSETS,
    PART_COUNTS,
    POINT_OFFSETS,
    CELL_OFFSETS,
    CORNER_OFFSETS,
    POINT_COUNTS,
    POINTS,
    TOPOLOGY,
    CELL_COUNTS = 0, // after TOPOLOGY + 4 * topology
    CORNER_COUNTS,
    ENDS,
    CORNERS,
    ARRAY = TOPOLOGY + 4 * TOPOLOGIES,
    TABLES = ARRAY + 2 * VTK_ARRAYS
};

enum { PATH_ROOM = 80, RESERVE_BYTES = 1 << 22, CHUNK_BYTES = 1 << 17 };

typedef struct vtkhdf {
    const export_job *job;
    char name[4096];
    new_file file;
    int descriptor; // descriptor of the superblock, or -1
    int64_t reserved;
    h5_file h5;
    char path[TABLES][PATH_ROOM];
    table_def def[TABLES];
    int width[TABLES];
    table table[TABLES];
    long steps;     // final number of steps
    int64_t points; // points written so far
} vtkhdf;

// ---- the tables --------------------------------------------------------------------------------

static void define(vtkhdf *v, int which, const char *group, const char *name, const char *units,
                   column_type type, int width)
{
    snprintf(v->path[which], PATH_ROOM, "/VTKHDF/%s%s", group, name);
    v->def[which] = (table_def){.path = v->path[which], .units = units, .type = type};
    v->width[which] = width;
}

static void define_tables(vtkhdf *v, const vtk_data *d)
{
    define(v, TIMES, "Steps/", "Values", "s", COLUMN_F64, 1);
    define(v, PART_OFFSETS, "Steps/", "PartOffsets", "1", COLUMN_I64, 1);
    define(v, PART_COUNTS, "Steps/", "NumberOfParts", "1", COLUMN_I64, 1);
    define(v, POINT_OFFSETS, "Steps/", "PointOffsets", "1", COLUMN_I64, 1);
    define(v, CELL_OFFSETS, "Steps/", "CellOffsets", "1", COLUMN_I64, TOPOLOGIES);
    define(v, CORNER_OFFSETS, "Steps/", "ConnectivityIdOffsets", "1", COLUMN_I64, TOPOLOGIES);
    define(v, POINT_COUNTS, "", "NumberOfPoints", "1", COLUMN_I64, 1);
    define(v, POINTS, "", "Points", "m", COLUMN_F32, 3);
    for (int i = 0; i < TOPOLOGIES; ++i) {
        char group[PATH_ROOM / 2];
        const int at = TOPOLOGY + 4 * i;
        snprintf(group, sizeof group, "%s/", topology_names[i]);
        define(v, at + CELL_COUNTS, group, "NumberOfCells", "1", COLUMN_I64, 1);
        define(v, at + CORNER_COUNTS, group, "NumberOfConnectivityIds", "1", COLUMN_I64, 1);
        define(v, at + ENDS, group, "Offsets", "1", COLUMN_I64, 1);
        define(v, at + CORNERS, group, "Connectivity", "1", COLUMN_I64, 1);
    }
    for (int i = 0; i < d->n_arrays; ++i) {
        const vtk_array *a = &d->array[i];
        define(v, ARRAY + 2 * i, "PointData/", a->name, a->units,
               a->whole ? COLUMN_I32 : COLUMN_F32, a->width);
        define(v, ARRAY + 2 * i + 1, "Steps/PointDataOffsets/", a->name, "1", COLUMN_I64, 1);
    }
}

static pcs_status create_tables(vtkhdf *v)
{
    static const char *const groups[] = {
        "/VTKHDF",        "/VTKHDF/Vertices",  "/VTKHDF/Lines", "/VTKHDF/Polygons",
        "/VTKHDF/Strips", "/VTKHDF/PointData", "/VTKHDF/Steps", "/VTKHDF/Steps/PointDataOffsets",
    };
    const int version[2] = {2, 0}, steps = (int)v->steps;
    for (size_t i = 0; i < sizeof groups / sizeof *groups; ++i) {
        PCS_TRY(h5_put_group(&v->h5, groups[i]));
    }
    PCS_TRY(h5_tag_ints(&v->h5, "/VTKHDF", "Version", 2, version));
    PCS_TRY(h5_tag_words(&v->h5, "/VTKHDF", "Type", "PolyData"));
    PCS_TRY(h5_tag_ints(&v->h5, "/VTKHDF/Steps", "NSteps", 1, &steps));
    for (int i = 0; i < TABLES; ++i) {
        if (v->width[i] == 0) continue;
        const int rows = i < POINTS ? 1024 : CHUNK_BYTES / (8 * v->width[i]);
        PCS_TRY(table_create(&v->h5, &v->def[i], v->width[i], rows, i >= POINTS));
    }
    return PCS_OK;
}

// ---- the file ----------------------------------------------------------------------------------

// reserves the disk space before HDF5 writes: HDF5 may crash after a write that fails
static pcs_status reserve(vtkhdf *v, size_t bytes)
{
    const int64_t end = table_file_size(&v->h5) + 2 * (int64_t)bytes + RESERVE_BYTES;
    if (end <= v->reserved) return PCS_OK;
    errno = 0;
    const int64_t size = end + end / 8;
    if (!superblock_reserve(v->descriptor, v->reserved, size)) {
        return fail_named(v->name, PCS_ERR_FILE, "it cannot be made longer: %s", strerror(errno));
    }
    v->reserved = size;
    return PCS_OK;
}

static pcs_status store_start(vtkhdf *v)
{
    sink s = sink_begin(NULL);
    pcs_status status = h5_create_growing(v->name, &v->h5);
    if (status != PCS_OK) return status;
    status = create_tables(v);
    if (status == PCS_OK) status = h5_image(&v->h5, &s);
    if (status == PCS_OK && s.failed) status = pcs_fail_memory("pcs_trajectory_export");
    h5_close(&v->h5);
    v->h5.id = 0;
    if (status == PCS_OK) {
        superblock_seal(s.bytes, s.size);
        fwrite(s.bytes, 1, s.size, v->file.f);
        v->reserved = (int64_t)s.size;
        status = new_file_check(&v->file);
    }
    sink_end(&s);
    return status;
}

static pcs_status begin(vtkhdf *v, const vtk_data *d)
{
    define_tables(v, d);
    PCS_TRY(new_file_begin(v->name, &v->file));
    if (v->file.name[0] == '\0') {
        return fail_named(v->name, PCS_ERR_FILE, "it is not a file, which HDF5 needs");
    }
    PCS_TRY(store_start(v));
    v->descriptor = open(v->file.name, O_RDWR | O_CLOEXEC);
    if (v->descriptor < 0) {
        return fail_named(v->name, PCS_ERR_FILE, "it cannot be written: %s", strerror(errno));
    }
    PCS_TRY(h5_open_growing(v->file.name, v->name, &v->h5));
    for (int i = 0; i < TABLES; ++i) {
        if (v->width[i] > 0) PCS_TRY(table_open(&v->h5, &v->def[i], v->width[i], &v->table[i]));
    }
    return reserve(v, 0);
}

static pcs_status end(vtkhdf *v, pcs_status status)
{
    for (int i = 0; i < TABLES; ++i) {
        table_close(&v->table[i]);
    }
    if (v->h5.id > 0) h5_close(&v->h5);
    if (v->descriptor >= 0) {
        superblock_trim(v->descriptor);
        close(v->descriptor);
    }
    const pcs_status ended = new_file_end(&v->file, status == PCS_OK);
    return status == PCS_OK ? ended : status;
}

// ---- frames ------------------------------------------------------------------------------------

static pcs_status add(vtkhdf *v, int which, size_t rows, const void *x)
{
    return table_append(&v->h5, &v->table[which], (long)rows, x);
}

static pcs_status add_count(vtkhdf *v, int which, int64_t x)
{
    return add(v, which, 1, &x);
}

// the cells of one topology: n of them, each with this many corners
static pcs_status add_cells(vtkhdf *v, int topology, int64_t n, int64_t each, const int32_t *corner)
{
    const int at = TOPOLOGY + 4 * topology;
    int64_t *x = malloc((size_t)(n * (each > 1 ? each : 1) + 1) * sizeof *x);
    if (!x) return pcs_fail_memory("pcs_trajectory_export");
    for (int64_t i = 0; i <= n; ++i) {
        x[i] = each * i;
    }
    pcs_status status = add(v, at + ENDS, (size_t)n + 1, x);
    for (int64_t i = 0; i < n * each; ++i) {
        x[i] = corner[i];
    }
    if (status == PCS_OK) status = add(v, at + CORNERS, (size_t)(n * each), x);
    if (status == PCS_OK) status = add_count(v, at + CELL_COUNTS, n);
    if (status == PCS_OK) status = add_count(v, at + CORNER_COUNTS, n * each);
    free(x);
    return status;
}

// A part: the points and cells of a frame. All frames share a part with triangles or lines.
static pcs_status add_part(vtkhdf *v, const vtk_data *d)
{
    for (int i = 0; i < TOPOLOGIES; ++i) {
        if (i == VERTICES && d->cell_points == 1) {
            PCS_TRY(add_cells(v, i, 1, d->n_points, d->corner));
        } else if ((i == POLYGONS && d->cell_points == 3) || (i == LINES && d->cell_points == 2)) {
            PCS_TRY(add_cells(v, i, d->n_cells, d->cell_points, d->corner));
        } else {
            PCS_TRY(add_cells(v, i, 0, 0, NULL));
        }
    }
    return add_count(v, POINT_COUNTS, d->n_points);
}

static pcs_status add_frame(vtkhdf *v, long k, double t, const vtk_data *d)
{
    const bool shared = d->cell_points > 1;
    const int64_t part = shared ? 0 : k;
    // all contacts are one cell in a frame
    const int64_t cells[TOPOLOGIES] = {[VERTICES] = shared ? 0 : k};
    const int64_t corners[TOPOLOGIES] = {[VERTICES] = shared ? 0 : v->points};
    size_t bytes = (size_t)d->n_points * 12 + (k == part ? (size_t)d->n_cells * 32 : 0);
    for (int i = 0; i < d->n_arrays; ++i) {
        bytes += 4 * (size_t)d->array[i].width * (size_t)d->n_points;
    }
    PCS_TRY(reserve(v, bytes));
    if (k == 0 || !shared) PCS_TRY(add_part(v, d));
    PCS_TRY(add_count(v, PART_OFFSETS, part));
    PCS_TRY(add_count(v, PART_COUNTS, 1));
    PCS_TRY(add_count(v, POINT_OFFSETS, v->points));
    PCS_TRY(add(v, CELL_OFFSETS, 1, cells));
    PCS_TRY(add(v, CORNER_OFFSETS, 1, corners));
    PCS_TRY(add(v, POINTS, (size_t)d->n_points, d->point));
    for (int i = 0; i < d->n_arrays; ++i) {
        const vtk_array *a = &d->array[i];
        const bool again = a->stays && k > 0;
        if (!again) PCS_TRY(add(v, ARRAY + 2 * i, (size_t)d->n_points, a->row));
        PCS_TRY(add_count(v, ARRAY + 2 * i + 1, a->stays ? 0 : v->points));
    }
    v->points += d->n_points;
    return add(v, TIMES, 1, &t);
}

// ---- the files ---------------------------------------------------------------------------------

static pcs_status write_bodies(vtkhdf *v, bool moving, vtk_data *d)
{
    // bodies that do not move are the same at all times
    v->steps = moving ? v->job->frames : 1;
    PCS_TRY(begin(v, d));
    for (long k = 0; k < v->steps; ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(v->job, k, &frame));
        vtk_bodies_fill(v->job, moving, &frame, d);
        PCS_TRY(add_frame(v, k, frame.t, d));
    }
    return PCS_OK;
}

static pcs_status write_contacts(vtkhdf *v)
{
    vtk_data d;
    v->steps = v->job->frames;
    pcs_status status = vtk_contacts_create(&(pcs_trajectory_frame){0}, &d);
    if (status == PCS_OK) status = begin(v, &d);
    for (long k = 0; k < v->job->frames && status == PCS_OK; ++k) {
        pcs_trajectory_frame frame;
        vtk_data_release(&d);
        status = job_read(v->job, k, &frame);
        if (status == PCS_OK) status = vtk_contacts_create(&frame, &d);
        if (status == PCS_OK) status = add_frame(v, k, frame.t, &d);
    }
    vtk_data_release(&d);
    return status;
}

static pcs_status write_forces(vtkhdf *v, vtk_data *d)
{
    v->steps = v->job->frames;
    PCS_TRY(begin(v, d));
    for (long k = 0; k < v->steps; ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(v->job, k, &frame));
        vtk_forces_fill(v->job, &frame, d);
        PCS_TRY(add_frame(v, k, frame.t, d));
    }
    return PCS_OK;
}

typedef enum what { MOVING, FIXED, CONTACTS, FORCES } what;

static pcs_status write_file(const export_job *job, what which)
{
    vtk_data d = {0};
    vtkhdf *v = calloc(1, sizeof *v);
    if (!v) return pcs_fail_memory("pcs_trajectory_export");
    v->job = job;
    v->descriptor = -1;
    static const char *const names[] = {
        [MOVING] = "", [FIXED] = "-fixed", [CONTACTS] = "-contacts", [FORCES] = "-forces"};
    const char *name = names[which];
    pcs_status status = PCS_OK;
    if (which == MOVING) {
        snprintf(v->name, sizeof v->name, "%s", job->path);
    } else {
        status = job_name_beside(job, "", name, ".vtkhdf", sizeof v->name, v->name);
    }
    if (status == PCS_OK && which == CONTACTS) {
        status = end(v, write_contacts(v));
    } else if (status == PCS_OK) {
        const bool forces = which == FORCES;
        status = forces ? vtk_forces_create(job, &d) : vtk_bodies_create(job, which == MOVING, &d);
        if (status == PCS_OK && (which == MOVING || d.n_points > 0)) {
            status = end(v, forces ? write_forces(v, &d) : write_bodies(v, which == MOVING, &d));
        } else if (status == PCS_OK) {
            status = job_remove_beside(job, "", name, ".vtkhdf");
        }
    }
    vtk_data_release(&d);
    free(v);
    return status;
}

pcs_status export_vtkhdf(const export_job *job)
{
    PCS_TRY(write_file(job, FIXED));
    if (job->def.contacts) PCS_TRY(write_file(job, CONTACTS));
    PCS_TRY(write_file(job, FORCES));
    PCS_TRY(write_file(job, MOVING));
    return job->def.contacts ? PCS_OK : job_remove_beside(job, "", "-contacts", ".vtkhdf");
}
