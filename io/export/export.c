// Exports of a trajectory: the definition is checked, a first pass over the frames finds the bodies
// that move and their range, the shapes become triangles, and the format writes.
#include "export/export_job.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <percuss/rotation.h>

#include "base/base.h"
#include "linalg/m3.h"

// default tolerance, as a part of a radius: smaller for formats that store triangles once than for
// those that repeat them in every frame
#define FINE   0.02
#define COARSE 0.1

static const struct {
    const char *ending;
    double tolerance; // default tolerance
    pcs_status (*write)(const export_job *job);
} formats[PCS_EXPORT_COUNT] = {
    [PCS_EXPORT_CSV] = {"csv", 0, export_csv},
    [PCS_EXPORT_PVD] = {"pvd", COARSE, export_pvd},
    [PCS_EXPORT_VTKHDF] = {"vtkhdf", COARSE, export_vtkhdf},
    [PCS_EXPORT_GLTF] = {"glb", FINE, export_gltf},
    [PCS_EXPORT_USD] = {"usda", FINE, export_usd},
};

pcs_export_def pcs_export_def_default(void)
{
    return (pcs_export_def){.last = -1, .every = 1, .contacts = true};
}

const char *pcs_export_ending(pcs_export_kind kind)
{
    return kind >= 0 && kind < PCS_EXPORT_COUNT ? formats[kind].ending : "";
}

pcs_status pcs_export_kind_of(const char *path, pcs_export_kind *out)
{
    if (!path || !out) return pcs_fail(PCS_ERR_ARG, "pcs_export_kind_of: an argument is null");
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    if (dot && slash && dot < slash) dot = NULL;
    for (int kind = 0; kind < PCS_EXPORT_COUNT && dot; ++kind) {
        if (strcasecmp(dot + 1, formats[kind].ending) != 0) continue;
        *out = (pcs_export_kind)kind;
        return PCS_OK;
    }
    return pcs_fail(PCS_ERR_ARG,
                    "%s: its ending names no format; it must be .csv, .pvd, .vtkhdf, .glb or .usda",
                    path);
}

// ---- the frames --------------------------------------------------------------------------------

static pcs_status choose_frames(export_job *job)
{
    const pcs_export_def *d = &job->def;
    const long all = pcs_trajectory_info_of(job->trajectory).frames;
    if (all == 0)
        return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_export: the trajectory has no frame");
    const long last = d->last == -1 ? all - 1 : d->last;
    if (d->first < 0 || last < d->first || last >= all) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_trajectory_export: frames %ld to %ld; the trajectory has %ld, from 0",
                        d->first, last, all);
    }
    if (all > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "pcs_trajectory_export: too many frames");
    if (d->every < 1) {
        return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_export: every is %d; it must be at least 1",
                        d->every);
    }
    if (d->tolerance != 0 && !(d->tolerance >= 1e-6 && d->tolerance <= 0.5)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_trajectory_export: the tolerance is %g of a radius; it must be 0, "
                        "or 1e-6 to 0.5",
                        d->tolerance);
    }
    if (!((unsigned)d->table < PCS_EXPORT_TABLE_COUNT)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_export: there is no table %d", (int)d->table);
    }
    job->choice = (frame_choice){d->first, last, d->every};
    job->frames = frames_chosen(&job->choice);
    return PCS_OK;
}

static pcs_status survey(export_job *job)
{
    job->moves = calloc((size_t)job->bodies, sizeof *job->moves);
    job->first = calloc((size_t)job->bodies, sizeof *job->first);
    if (!job->moves || !job->first) return pcs_fail_memory("pcs_trajectory_export");
    for (long k = 0; k < job->frames; ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(job, k, &frame));
        for (int body = 0; body < job->bodies; ++body) {
            double pose[7];
            job_pose(job, &frame, body, pose);
            if (k == 0) memcpy(job->first[body], pose, sizeof pose);
            if (memcmp(job->first[body], pose, sizeof pose) != 0) job->moves[body] = true;
            for (int i = 0; i < 3; ++i) {
                const bool begin = k == 0 && body == 0;
                job->low[i] = begin ? pose[i] : fmin(job->low[i], pose[i]);
                job->high[i] = begin ? pose[i] : fmax(job->high[i], pose[i]);
            }
        }
    }
    return PCS_OK;
}

// ---- the shapes --------------------------------------------------------------------------------

static int compare_bodies(const void *one, const void *two)
{
    const export_shape *a = one, *b = two;
    return a->body != b->body ? (a->body > b->body) - (a->body < b->body)
                              : (a->number > b->number) - (a->number < b->number);
}

static pcs_status list_shapes(export_job *job)
{
    const int n = pcs_model_shape_count(job->model);
    job->shape = calloc((size_t)n + 1, sizeof *job->shape);
    if (!job->shape) return pcs_fail_memory("pcs_trajectory_export");
    for (int i = 0; i < n; ++i) {
        pcs_model_shape_def def;
        if (!pcs_model_shape_enabled(job->model, i)) continue;
        PCS_TRY(pcs_model_shape(job->model, i, &def));
        export_shape *s = &job->shape[job->n_shapes++];
        *s = (export_shape){.number = i, .body = def.system.id, .material = def.material.id};
        memcpy(s->pose, def.shape.position, sizeof def.shape.position);
        memcpy(s->pose + 3, def.shape.orientation, sizeof def.shape.orientation);
        PCS_TRY(pcs_quat_normalise(s->pose + 3));
    }
    qsort(job->shape, (size_t)job->n_shapes, sizeof *job->shape, compare_bodies);
    return PCS_OK;
}

// the data on which the surface of a shape depends
typedef struct pattern {
    pcs_shape shape;
    int at; // place in job->shape
} pattern;

static int compare_reals(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_patterns(const void *one, const void *two)
{
    const pcs_shape *a = &((const pattern *)one)->shape, *b = &((const pattern *)two)->shape;
    int order = (a->kind > b->kind) - (a->kind < b->kind);
    if (order == 0) order = (a->geometry > b->geometry) - (a->geometry < b->geometry);
    if (order == 0) order = compare_reals(a->radius, b->radius);
    for (int i = 0; i < 3 && order == 0; ++i) {
        order = compare_reals(a->half[i], b->half[i]);
    }
    return order;
}

// the face of a half-space covers the range of bodies, plus its size
static face_part part_of_face(const export_job *job, const export_shape *s)
{
    double pose[7], middle[3], local[3], size = 0;
    pose_join(job->first[s->body], s->pose, pose);
    for (int i = 0; i < 3; ++i) {
        middle[i] = (job->low[i] + job->high[i]) / 2 - pose[i];
        size += pow(job->high[i] - job->low[i], 2);
    }
    double back[4];
    pcs_quat_conj(pose + 3, back);
    pcs_quat_rotate(back, middle, local);
    return (face_part){{local[0], local[1]}, fmax(1, sqrt(size))};
}

static pcs_status make_surfaces(export_job *job)
{
    const size_t n = (size_t)job->n_shapes;
    pattern *list = calloc(n + 1, sizeof *list);
    job->surface = calloc(n + 1, sizeof *job->surface);
    pcs_status status = list && job->surface ? PCS_OK : pcs_fail_memory("pcs_trajectory_export");
    for (int i = 0; i < job->n_shapes && status == PCS_OK; ++i) {
        pcs_model_shape_def def;
        status = pcs_model_shape(job->model, job->shape[i].number, &def);
        list[i] = (pattern){def.shape, i};
    }
    if (status == PCS_OK) qsort(list, n, sizeof *list, compare_patterns);
    for (size_t i = 0; i < n && status == PCS_OK; ++i) {
        export_shape *s = &job->shape[list[i].at];
        const bool plane = list[i].shape.kind == PCS_SHAPE_HALF_SPACE;
        if (i == 0 || plane || compare_patterns(&list[i - 1], &list[i]) != 0) {
            const face_part part = plane ? part_of_face(job, s) : (face_part){{0, 0}, 1};
            status = surface_of_shape(&list[i].shape, job->def.tolerance, &part,
                                      &job->surface[job->n_surfaces++]);
        }
        s->surface = job->n_surfaces - 1;
    }
    free(list);
    return status;
}

// ---- the export ------------------------------------------------------------------------------

static void release(export_job *job)
{
    for (int i = 0; i < job->n_surfaces; ++i) {
        surface_release(&job->surface[i]);
    }
    free(job->surface);
    free(job->shape);
    free(job->moves);
    free(job->first);
}

pcs_status pcs_trajectory_export(pcs_trajectory *trajectory, pcs_export_kind kind,
                                 const pcs_export_def *def, const char *path, long *frames)
{
    if (!trajectory || !path) {
        return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_export: the trajectory or the path is null");
    }
    if (!((unsigned)kind < PCS_EXPORT_COUNT)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_export: there is no format %d", (int)kind);
    }
    export_job job = {.trajectory = trajectory,
                      .model = pcs_trajectory_model(trajectory),
                      .path = path,
                      .ending = formats[kind].ending,
                      .def = def ? *def : pcs_export_def_default()};
    job.bodies = pcs_model_system_count(job.model) + 1;
    pcs_status status = choose_frames(&job);
    if (job.def.tolerance == 0) job.def.tolerance = formats[kind].tolerance;
    if (status == PCS_OK && kind != PCS_EXPORT_CSV) {
        status = survey(&job);
        if (status == PCS_OK) status = list_shapes(&job);
        if (status == PCS_OK) status = make_surfaces(&job);
    }
    if (status == PCS_OK) status = formats[kind].write(&job);
    if (status == PCS_OK && frames) *frames = job.frames;
    release(&job);
    return status;
}
