// See vtk_data.h.
#include "export/vtk_data.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/rotation.h>

#include "base/base.h"

enum { NORMAL, BODY, SHAPE, MATERIAL, VELOCITY, SPIN, KINETIC, BODY_ARRAYS };
static const vtk_array body_arrays[BODY_ARRAYS] = {
    [NORMAL] = {"Normals", "1", 3, false, false, NULL},
    [BODY] = {"body", "1", 1, true, true, NULL},
    [SHAPE] = {"shape", "1", 1, true, true, NULL},
    [MATERIAL] = {"material", "1", 1, true, true, NULL},
    [VELOCITY] = {"velocity", "m/s", 3, false, false, NULL},
    [SPIN] = {"angular_velocity", "rad/s", 3, false, false, NULL},
    [KINETIC] = {"kinetic_energy", "J", 1, false, false, NULL},
};

enum { ONE, TWO, STATUS, GAP, AXIS, IMPULSE, PRESS, SLIP, FRICTION, CONTACT_ARRAYS };
static const vtk_array contact_arrays[CONTACT_ARRAYS] = {
    [ONE] = {"body1", "1", 1, true, false, NULL},
    [TWO] = {"body2", "1", 1, true, false, NULL},
    [STATUS] = {"status", "1", 1, true, false, NULL},
    [GAP] = {"gap", "m", 1, false, false, NULL},
    [AXIS] = {"normal", "1", 3, false, false, NULL},
    [IMPULSE] = {"impulse", "N s", 3, false, false, NULL},
    [PRESS] = {"normal_impulse", "N s", 1, false, false, NULL},
    [SLIP] = {"velocity", "m/s", 3, false, false, NULL},
    [FRICTION] = {"mu", "1", 1, false, false, NULL},
};

enum { ELEMENT, KIND, END_BODY, LENGTH, SPEED, TENSION, ENERGY, POWER, LOAD, FORCE_ARRAYS };
static const vtk_array force_arrays[FORCE_ARRAYS] = {
    [ELEMENT] = {"element", "1", 1, true, true, NULL},
    [KIND] = {"kind", "1", 1, true, true, NULL},
    [END_BODY] = {"body", "1", 1, true, true, NULL},
    [LENGTH] = {"length", "m", 1, false, false, NULL},
    [SPEED] = {"speed", "m/s", 1, false, false, NULL},
    [TENSION] = {"force", "N", 1, false, false, NULL},
    [ENERGY] = {"energy", "J", 1, false, false, NULL},
    [POWER] = {"power", "W", 1, false, false, NULL},
    [LOAD] = {"load", "N", 3, false, false, NULL},
};

void vtk_data_release(vtk_data *d)
{
    for (int i = 0; i < d->n_arrays; ++i) {
        free(d->array[i].row);
    }
    free(d->point);
    free(d->corner);
    *d = (vtk_data){0};
}

static pcs_status make_room(vtk_data *d, size_t points, size_t cells, int n_arrays,
                            const vtk_array *arrays)
{
    if (points > INT_MAX / 3 || cells > INT_MAX / 3) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_trajectory_export: a frame has %zu points and %zu cells, more than "
                        "can be written; a larger tolerance makes them fewer",
                        points, cells);
    }
    d->n_points = (int)points;
    d->n_cells = (int)cells;
    d->point = malloc(3 * points * sizeof *d->point + 1);
    d->corner = malloc((size_t)d->cell_points * cells * sizeof *d->corner + 1);
    bool whole = d->point && d->corner;
    for (int i = 0; i < n_arrays && whole; ++i) {
        d->array[i] = arrays[i];
        d->array[i].row = malloc(4 * (size_t)arrays[i].width * points + 1);
        d->n_arrays = i + 1;
        whole = d->array[i].row != NULL;
    }
    return whole ? PCS_OK : pcs_fail_memory("pcs_trajectory_export");
}

static void put_real(vtk_data *d, int which, int point, double x)
{
    ((float *)d->array[which].row)[point] = as_float(x);
}

static void put_vector(vtk_data *d, int which, int point, const double x[3])
{
    for (int i = 0; i < 3; ++i) {
        put_real(d, which, 3 * point + i, x[i]);
    }
}

static void put_whole(vtk_data *d, int which, int point, int x)
{
    ((int32_t *)d->array[which].row)[point] = x;
}

// ---- bodies ------------------------------------------------------------------------------------

static bool is_one(const export_job *job, bool moving, int shape)
{
    return job->moves[job->shape[shape].body] == moving;
}

pcs_status vtk_bodies_create(const export_job *job, bool moving, vtk_data *out)
{
    size_t points = 0, cells = 0;
    *out = (vtk_data){.cell_points = 3};
    for (int i = 0; i < job->n_shapes; ++i) {
        const surface *s = &job->surface[job->shape[i].surface];
        if (!is_one(job, moving, i)) continue;
        points += (size_t)s->n_vertices;
        cells += (size_t)s->n_triangles;
    }
    PCS_TRY(make_room(out, points, cells, BODY_ARRAYS, body_arrays));
    int point = 0, corner = 0;
    for (int i = 0; i < job->n_shapes; ++i) {
        const export_shape *shape = &job->shape[i];
        const surface *s = &job->surface[shape->surface];
        if (!is_one(job, moving, i)) continue;
        for (int k = 0; k < 3 * s->n_triangles; ++k) {
            out->corner[corner++] = point + s->triangle[k];
        }
        for (int v = 0; v < s->n_vertices; ++v, ++point) {
            put_whole(out, BODY, point, shape->body);
            put_whole(out, SHAPE, point, shape->number);
            put_whole(out, MATERIAL, point, shape->material);
        }
    }
    return PCS_OK;
}

void vtk_bodies_fill(const export_job *job, bool moving, const pcs_trajectory_frame *frame,
                     vtk_data *d)
{
    int point = 0;
    for (int i = 0; i < job->n_shapes; ++i) {
        const export_shape *shape = &job->shape[i];
        const surface *s = &job->surface[shape->surface];
        if (!is_one(job, moving, i)) continue;
        double body[7], pose[7], v[6], spin[3];
        job_pose(job, frame, shape->body, body);
        job_velocity(job, frame, shape->body, v);
        pose_join(body, shape->pose, pose);
        pcs_quat_rotate(body + 3, v + 3, spin);
        const double kinetic = job_kinetic(job, shape->body, v);
        for (int k = 0; k < s->n_vertices; ++k, ++point) {
            double x[3], n[3];
            pose_apply(pose, s->vertex + 3 * (size_t)k, x);
            pcs_quat_rotate(pose + 3, s->normal + 3 * (size_t)k, n);
            for (int c = 0; c < 3; ++c) {
                d->point[3 * (size_t)point + c] = as_float(x[c]);
            }
            put_vector(d, NORMAL, point, n);
            put_vector(d, VELOCITY, point, v);
            put_vector(d, SPIN, point, spin);
            put_real(d, KINETIC, point, kinetic);
        }
    }
}

// ---- contacts ----------------------------------------------------------------------------------

pcs_status vtk_contacts_create(const pcs_trajectory_frame *frame, vtk_data *out)
{
    size_t n = 0;
    *out = (vtk_data){.cell_points = 1};
    for (int i = 0; i < frame->contact_count; ++i) {
        n += frame->contact[i].interaction == 0;
    }
    PCS_TRY(make_room(out, n, n, CONTACT_ARRAYS, contact_arrays));
    for (int i = 0, point = 0; i < frame->contact_count; ++i) {
        const pcs_contact *c = &frame->contact[i];
        double x[3], impulse[3], slip[3];
        if (c->interaction != 0) continue;
        contact_point(c, x);
        contact_impulse(c, impulse);
        for (int k = 0; k < 3; ++k) {
            out->point[3 * (size_t)point + k] = as_float(x[k]);
            slip[k] = c->F[k] * c->u[0] + c->F[k + 3] * c->u[1] + c->F[k + 6] * c->u[2];
        }
        out->corner[point] = point;
        put_whole(out, ONE, point, c->system1.id);
        put_whole(out, TWO, point, c->system2.id);
        put_whole(out, STATUS, point, (int)c->status);
        put_real(out, GAP, point, c->gap);
        put_vector(out, AXIS, point, c->F);
        put_vector(out, IMPULSE, point, impulse);
        put_real(out, PRESS, point, c->r[0]);
        put_vector(out, SLIP, point, slip);
        put_real(out, FRICTION, point, c->law.mu);
        ++point;
    }
    return PCS_OK;
}

// ---- force elements ----------------------------------------------------------------------------

pcs_status vtk_forces_create(const export_job *job, vtk_data *out)
{
    const int n = pcs_trajectory_force_count(job->trajectory);
    size_t lines = 0;
    pcs_force_def def;
    *out = (vtk_data){.cell_points = 2};
    for (int id = 1; id <= n; ++id) {
        lines += force_has_line(job->trajectory, (pcs_force){id}, &def);
    }
    PCS_TRY(make_room(out, 2 * lines, lines, FORCE_ARRAYS, force_arrays));
    for (int id = 1, point = 0; id <= n; ++id) {
        if (!force_has_line(job->trajectory, (pcs_force){id}, &def)) continue;
        for (int end = 0; end < 2; ++end, ++point) {
            out->corner[point] = point;
            put_whole(out, ELEMENT, point, id);
            put_whole(out, KIND, point, (int)def.kind);
            put_whole(out, END_BODY, point, end == 0 ? def.system1.id : def.system2.id);
        }
    }
    return PCS_OK;
}

void vtk_forces_fill(const export_job *job, const pcs_trajectory_frame *frame, vtk_data *d)
{
    pcs_force_def def;
    for (int i = 0, point = 0; i < frame->force_count; ++i) {
        const pcs_force_result *f = &frame->force[i];
        if (!force_has_line(job->trajectory, (pcs_force){i + 1}, &def)) continue;
        for (int end = 0; end < 2; ++end, ++point) {
            for (int k = 0; k < 3; ++k) {
                d->point[3 * (size_t)point + k] = as_float(end == 0 ? f->P1[k] : f->P2[k]);
            }
            put_real(d, LENGTH, point, f->length);
            put_real(d, SPEED, point, f->speed);
            put_real(d, TENSION, point, f->force);
            put_real(d, ENERGY, point, f->energy);
            put_real(d, POWER, point, f->power);
            put_vector(d, LOAD, point, end == 0 ? f->F1 : f->F2);
        }
    }
}
