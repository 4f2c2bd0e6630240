// Tables as comma-separated values: a head line with names and units, and numbers that read back as
// the same doubles.
#include <percuss/solver_table.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "export/export_job.h"
#include "problem_file/csv_table.h"
#include "problem_file/new_file.h"
#include "trajectory/layout.h"

static void put_head(FILE *out, size_t n, const char *const *name)
{
    for (size_t i = 0; i < n; ++i) {
        csv_text(out, i == 0, name[i]);
    }
    csv_end(out);
}

static void put_reals(FILE *out, int n, const double *x)
{
    for (int i = 0; i < n; ++i) {
        csv_real(out, 0, x[i]);
    }
}

static void put_floats(FILE *out, int n, const double *x)
{
    for (int i = 0; i < n; ++i) {
        csv_float(out, 0, x[i]);
    }
}

static const char *name_of(const export_job *job, int system)
{
    return pcs_model_system_name(job->model, (pcs_system){system});
}

// ---- bodies ------------------------------------------------------------------------------------

static pcs_status write_bodies(const export_job *job, FILE *out)
{
    static const char *const head[] = {
        "frame",    "t [s]",    "body",       "name",       "x [m]",      "y [m]",
        "z [m]",    "q0",       "q1",         "q2",         "q3",         "vx [m/s]",
        "vy [m/s]", "vz [m/s]", "w1 [rad/s]", "w2 [rad/s]", "w3 [rad/s]", "kinetic [J]"};
    put_head(out, sizeof head / sizeof *head, head);
    for (long k = 0; k < job->frames && !ferror(out); ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(job, k, &frame));
        for (int body = 1; body < job->bodies; ++body) {
            double v[6];
            if (pcs_model_is_lagrangian(job->model, (pcs_system){body})) continue;
            int q;
            pcs_trajectory_place(job->trajectory, (pcs_system){body}, &q, NULL);
            job_velocity(job, &frame, body, v);
            csv_int(out, 1, frame_chosen(&job->choice, k));
            csv_real(out, 0, frame.t);
            csv_int(out, 0, body);
            csv_text(out, 0, name_of(job, body));
            put_reals(out, 7, frame.q + q);
            put_reals(out, 6, v);
            csv_real(out, 0, job_kinetic(job, body, v));
            csv_end(out);
        }
    }
    return PCS_OK;
}

// ---- coordinates of Lagrangian systems ---------------------------------------------------------

static pcs_status write_coordinates(const export_job *job, FILE *out)
{
    static const char *const head[] = {"frame", "t [s]", "system", "name", "i", "q", "v"};
    put_head(out, sizeof head / sizeof *head, head);
    for (long k = 0; k < job->frames && !ferror(out); ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(job, k, &frame));
        for (int system = 1; system < job->bodies; ++system) {
            int q, v;
            pcs_lagrangian_def def;
            if (!pcs_model_is_lagrangian(job->model, (pcs_system){system})) continue;
            PCS_TRY(pcs_model_lagrangian(job->model, (pcs_system){system}, &def));
            pcs_trajectory_place(job->trajectory, (pcs_system){system}, &q, &v);
            for (int i = 0; i < def.n; ++i) {
                csv_int(out, 1, frame_chosen(&job->choice, k));
                csv_real(out, 0, frame.t);
                csv_int(out, 0, system);
                csv_text(out, 0, name_of(job, system));
                csv_int(out, 0, i);
                csv_real(out, 0, frame.q[q + i]);
                csv_real(out, 0, frame.v[v + i]);
                csv_end(out);
            }
        }
    }
    return PCS_OK;
}

// ---- contacts ----------------------------------------------------------------------------------

static void put_contact(const export_job *job, const pcs_contact *c, FILE *out)
{
    // an interaction has rows instead of points
    static const double none[3] = {NAN, NAN, NAN};
    const bool shapes = c->interaction == 0;
    double impulse[3];
    contact_impulse(c, impulse);
    csv_int(out, 0, c->system1.id);
    csv_int(out, 0, c->system2.id);
    csv_text(out, 0, name_of(job, c->system1.id));
    csv_text(out, 0, name_of(job, c->system2.id));
    csv_int(out, 0, c->shape1);
    csv_int(out, 0, c->shape2);
    csv_int(out, 0, c->interaction);
    csv_int(out, 0, c->row);
    csv_int(out, 0, (long)c->feature);
    csv_text(out, 0, pcs_contact_status_text(c->status));
    csv_float(out, 0, c->law.mu);
    csv_float(out, 0, c->gap);
    csv_float(out, 0, c->gap_end);
    put_floats(out, 3, shapes ? c->P1 : none);
    put_floats(out, 3, shapes ? c->P2 : none);
    put_floats(out, 3, shapes ? c->F : none);
    put_floats(out, 3, c->r);
    put_floats(out, 3, c->u);
    put_floats(out, 3, shapes ? impulse : none);
    csv_end(out);
}

static pcs_status write_contacts(const export_job *job, FILE *out)
{
    static const char *const head[] = {
        "frame",       "t [s]",       "system1",  "system2",  "name1",     "name2",     "shape1",
        "shape2",      "interaction", "row",      "feature",  "status",    "mu",        "gap [m]",
        "gap_end [m]", "P1x [m]",     "P1y [m]",  "P1z [m]",  "P2x [m]",   "P2y [m]",   "P2z [m]",
        "nx",          "ny",          "nz",       "rN [N s]", "rT1 [N s]", "rT2 [N s]", "uN [m/s]",
        "uT1 [m/s]",   "uT2 [m/s]",   "rx [N s]", "ry [N s]", "rz [N s]"};
    put_head(out, sizeof head / sizeof *head, head);
    for (long k = 0; k < job->frames && !ferror(out); ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(job, k, &frame));
        for (int i = 0; i < frame.contact_count; ++i) {
            csv_int(out, 1, frame_chosen(&job->choice, k));
            csv_real(out, 0, frame.t);
            put_contact(job, &frame.contact[i], out);
        }
    }
    return PCS_OK;
}

// ---- force elements ----------------------------------------------------------------------------

static void put_force(const export_job *job, int id, const pcs_force_def *def,
                      const pcs_force_result *f, FILE *out)
{
    static const double none[6] = {NAN, NAN, NAN, NAN, NAN, NAN};
    const bool bushing = def->kind == PCS_FORCE_BUSHING;
    csv_int(out, 0, id);
    csv_text(out, 0, pcs_trajectory_force_name(job->trajectory, (pcs_force){id}));
    csv_text(out, 0, pcs_force_kind_word(def->kind));
    csv_int(out, 0, def->system1.id);
    csv_int(out, 0, def->system2.id);
    csv_text(out, 0, name_of(job, def->system1.id));
    csv_text(out, 0, name_of(job, def->system2.id));
    // a bushing has a strain in place of a length, and a callback only its loads
    const bool has_length = !bushing && def->kind != PCS_FORCE_USER;
    put_floats(out, 3, has_length ? (double[]){f->length, f->speed, f->force} : none);
    put_floats(out, 2, (double[]){f->energy, f->power});
    put_floats(out, 3, f->P1);
    put_floats(out, 3, f->P2);
    put_floats(out, 6, f->F1);
    put_floats(out, 6, f->F2);
    put_floats(out, 6, bushing ? f->strain : none);
    put_floats(out, 6, bushing ? f->stress : none);
    csv_end(out);
}

static pcs_status write_forces(const export_job *job, FILE *out)
{
    static const char *const head[] = {
        "frame",       "t [s]",         "force",         "name",         "kind",
        "system1",     "system2",       "name1",         "name2",        "length [m]",
        "speed [m/s]", "tension [N]",   "energy [J]",    "power [W]",    "P1x [m]",
        "P1y [m]",     "P1z [m]",       "P2x [m]",       "P2y [m]",      "P2z [m]",
        "F1x [N]",     "F1y [N]",       "F1z [N]",       "M1x [N m]",    "M1y [N m]",
        "M1z [N m]",   "F2x [N]",       "F2y [N]",       "F2z [N]",      "M2x [N m]",
        "M2y [N m]",   "M2z [N m]",     "strain1 [m]",   "strain2 [m]",  "strain3 [m]",
        "strain4",     "strain5",       "strain6",       "stress1 [N]",  "stress2 [N]",
        "stress3 [N]", "stress4 [N m]", "stress5 [N m]", "stress6 [N m]"};
    put_head(out, sizeof head / sizeof *head, head);
    for (long k = 0; k < job->frames && !ferror(out); ++k) {
        pcs_trajectory_frame frame;
        PCS_TRY(job_read(job, k, &frame));
        for (int i = 0; i < frame.force_count; ++i) {
            pcs_force_def def;
            PCS_TRY(pcs_trajectory_force(job->trajectory, (pcs_force){i + 1}, &def, NULL));
            csv_int(out, 1, frame_chosen(&job->choice, k));
            csv_real(out, 0, frame.t);
            put_force(job, i + 1, &def, &frame.force[i], out);
        }
    }
    return PCS_OK;
}

// ---- steps: the columns of a trajectory file ---------------------------------------------------

static void put_step_head(FILE *out)
{
    // of the one column with several numbers, by pcs_doubt_kind
    static const char *const doubt[STEP_DOUBTS] = {"_overlap", "_travel", "_unsolved",
                                                   "_gain",    "_joint",  "_projection"};
    csv_text(out, 1, "step");
    for (int i = 0; i < layout_steps.n_columns; ++i) {
        const column *c = &layout_steps.column[i];
        for (int k = 0; k < c->n; ++k) {
            char name[80];
            const char *kind = c->n > 1 ? doubt[k] : "";
            const bool plain = *c->units == '\0' || strcmp(c->units, "1") == 0;
            snprintf(name, sizeof name, plain ? "%s%s" : "%s%s [%s]", c->name, kind, c->units);
            csv_text(out, 0, name);
        }
    }
    csv_end(out);
}

static const char *solver_name(int32_t kind)
{
    for (int i = 0; i < pcs_solver_count(); ++i) {
        if ((int32_t)pcs_solver_at(i)->kind == kind) return pcs_solver_at(i)->name;
    }
    return "";
}

static void put_count(const column *c, int32_t x, FILE *out)
{
    if (strstr(c->name, "outcome")) {
        csv_text(out, 0, pcs_outcome_text((pcs_outcome)x));
    } else if (strcmp(c->name, "solver") == 0) {
        csv_text(out, 0, solver_name(x));
    } else {
        csv_int(out, 0, x);
    }
}

static void put_step(long number, const step_row *row, FILE *out)
{
    csv_int(out, 1, number);
    for (int i = 0; i < layout_steps.n_columns; ++i) {
        const column *c = &layout_steps.column[i];
        for (int k = 0; k < c->n; ++k) {
            const char *at = (const char *)row + c->at;
            double real;
            int32_t count;
            if (c->type == COLUMN_F64) {
                memcpy(&real, at + (size_t)k * sizeof real, sizeof real);
                csv_real(out, 0, real);
            } else {
                memcpy(&count, at + (size_t)k * sizeof count, sizeof count);
                put_count(c, count, out);
            }
        }
    }
    csv_end(out);
}

// writes the steps between the first and the last chosen frame
static pcs_status write_steps(const export_job *job, FILE *out)
{
    enum { PART = 256 };
    pcs_trajectory_frame frame;
    PCS_TRY(job_read(job, 0, &frame));
    long at = job->choice.first == 0 ? 0 : frame.step;
    PCS_TRY(job_read(job, job->frames - 1, &frame));
    const bool whole = job->choice.last == pcs_trajectory_info_of(job->trajectory).frames - 1;
    const long end = whole ? pcs_trajectory_info_of(job->trajectory).steps : frame.step;
    put_step_head(out);
    pcs_step_report *report = calloc(PART, sizeof *report);
    pcs_status status = report ? PCS_OK : pcs_fail_memory("pcs_trajectory_export");
    while (at < end && status == PCS_OK && !ferror(out)) {
        double t[PART];
        const long n = end - at < PART ? end - at : PART;
        status = pcs_trajectory_read_steps(job->trajectory, at, n, t, report);
        for (long i = 0; i < n && status == PCS_OK; ++i) {
            step_row row;
            layout_put_step(t[i], &report[i], &row);
            put_step(++at, &row, out);
        }
    }
    free(report);
    return status;
}

// ---- files -------------------------------------------------------------------------------------

static const struct {
    const char *name;
    pcs_status (*write)(const export_job *job, FILE *out);
} tables[PCS_EXPORT_TABLE_COUNT] = {
    [PCS_EXPORT_TABLE_BODIES] = {"bodies", write_bodies},
    [PCS_EXPORT_TABLE_COORDINATES] = {"coordinates", write_coordinates},
    [PCS_EXPORT_TABLE_CONTACTS] = {"contacts", write_contacts},
    [PCS_EXPORT_TABLE_STEPS] = {"steps", write_steps},
    [PCS_EXPORT_TABLE_FORCES] = {"forces", write_forces},
};

static bool is_asked(const export_job *job, int which)
{
    bool lagrangian = false;
    for (int i = 1; i < job->bodies && !lagrangian; ++i) {
        lagrangian = pcs_model_is_lagrangian(job->model, (pcs_system){i});
    }
    if (job->def.table != PCS_EXPORT_TABLE_ALL) return which == (int)job->def.table;
    return (which != PCS_EXPORT_TABLE_COORDINATES || lagrangian) &&
           (which != PCS_EXPORT_TABLE_CONTACTS || job->def.contacts) &&
           (which != PCS_EXPORT_TABLE_FORCES || pcs_trajectory_force_count(job->trajectory) > 0);
}

static pcs_status write_table(const export_job *job, int which, char name[4096], new_file *file)
{
    const bool one = job->def.table != PCS_EXPORT_TABLE_ALL;
    if (!one) PCS_TRY(job_name_beside(job, "-", tables[which].name, ".csv", 4096, name));
    PCS_TRY(new_file_begin(one ? job->path : name, file));
    return tables[which].write(job, file->f);
}

// all files are written before the first one takes its place
pcs_status export_csv(const export_job *job)
{
    char name[PCS_EXPORT_TABLE_COUNT][4096];
    new_file *file = calloc(PCS_EXPORT_TABLE_COUNT, sizeof *file);
    if (!file) return pcs_fail_memory("pcs_trajectory_export");
    pcs_status status = PCS_OK;
    for (int i = 1; i < PCS_EXPORT_TABLE_COUNT && status == PCS_OK; ++i) {
        if (is_asked(job, i)) status = write_table(job, i, name[i], &file[i]);
        if (status == PCS_OK && file[i].f) status = new_file_check(&file[i]);
    }
    for (int i = 1; i < PCS_EXPORT_TABLE_COUNT; ++i) {
        const pcs_status ended = new_file_end(&file[i], status == PCS_OK);
        if (status == PCS_OK) status = ended;
    }
    for (int i = 1; i < PCS_EXPORT_TABLE_COUNT && status == PCS_OK; ++i) {
        if (is_asked(job, i) || job->def.table != PCS_EXPORT_TABLE_ALL) continue;
        status = job_remove_beside(job, "-", tables[i].name, ".csv");
    }
    free(file);
    return status;
}
