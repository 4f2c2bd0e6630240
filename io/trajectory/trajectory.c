// Reading trajectories. A file is not trusted: types, lengths, places and numbers are checked
// before they are returned.
#include <percuss/solver_table.h>
#include <percuss/trajectory.h>

#include <math.h>
#include <string.h>

#include "base/base.h"
#include "linalg/m3.h"
#include "problem_file/assemble.h"
#include "trajectory/layout.h"

struct pcs_trajectory {
    pcs_env env;
    pcs_pool pool; // memory of texts and the index
    h5_file file;
    table q, v, driven_v, contacts, forces, steps;
    stored_model stored;
    pcs_trajectory_info info;
    int nq, nv;
    int *q_at, *v_at; // places of every system in q and v

    // the index, per frame
    double *time;
    int64_t *step, *end;
    uint64_t *hash;

    // the frame that was read last, and room for rows
    double *frame_q, *frame_v, *frame_driven_v;
    pcs_contact *contact;
    int contact_room;
    contact_row *row;
    pcs_force_result *force;
    force_row *force_rows;
    step_row *step_rows;
    long step_room;
};

static pcs_status fail(const pcs_trajectory *t, const char *what)
{
    return fail_named(t->file.name, PCS_ERR_FORMAT, "%s", what);
}

static pcs_status no_memory(void)
{
    return pcs_fail_memory("pcs_trajectory");
}

// ---- opening -----------------------------------------------------------------------------------

static pcs_status read_text(pcs_trajectory *t, const char *path, const char **out)
{
    PCS_TRY(h5_words(&t->file, path, &t->pool, out));
    if (!*out) return fail_named(t->file.name, PCS_ERR_FORMAT, "%s: it is not a text", path);
    return PCS_OK;
}

static pcs_status read_whole(pcs_trajectory *t, const char *path, column_type type, void *x)
{
    const table_def def = {.path = path, .type = type};
    table set;
    pcs_status status = table_open(&t->file, &def, 1, &set);
    if (status == PCS_OK && set.rows != 1) {
        status = fail_named(t->file.name, PCS_ERR_FORMAT, "%s: it is not one number", path);
    }
    if (status == PCS_OK) status = table_read(&t->file, &set, 0, 1, x);
    table_close(&set);
    return status;
}

static pcs_status read_provenance(pcs_trajectory *t)
{
    const char *format = NULL;
    int version;
    int32_t closed;
    uint64_t seed, hash;
    PCS_TRY(h5_words(&t->file, "/provenance/format", &t->pool, &format));
    if (!format || strcmp(format, LAYOUT_FORMAT) != 0) {
        return fail(t, "it is an HDF5 file, but not a trajectory of percuss");
    }
    PCS_TRY(h5_int(&t->file, "/provenance/format_version", &version));
    if (version != LAYOUT_VERSION) {
        return fail_named(t->file.name, PCS_ERR_FORMAT,
                          "it is a trajectory in version %d of the layout; this percuss reads "
                          "version %d",
                          version, LAYOUT_VERSION);
    }
    PCS_TRY(read_text(t, "/provenance/percuss", &t->info.version));
    PCS_TRY(read_text(t, "/provenance/title", &t->info.title));
    PCS_TRY(read_text(t, "/provenance/scene", &t->info.scene));
    PCS_TRY(read_text(t, "/model/solver_options", &t->info.solver_options));
    PCS_TRY(read_whole(t, "/provenance/seed", COLUMN_U64, &seed));
    PCS_TRY(read_whole(t, "/provenance/closed", COLUMN_I32, &closed));
    PCS_TRY(read_whole(t, "/model/hash", COLUMN_U64, &hash));
    t->info.seed = seed;
    t->info.closed = closed == 1;
    t->info.model_hash = hash;
    return PCS_OK;
}

// the places of the coordinates and velocities of every system
static pcs_status place_systems(pcs_trajectory *t)
{
    const pcs_model *m = t->stored.model;
    const int n = pcs_model_system_count(m);
    t->q_at = POOL_TAKE(&t->pool, (size_t)n, int);
    t->v_at = POOL_TAKE(&t->pool, (size_t)n, int);
    if (!t->q_at || !t->v_at) return no_memory();
    for (int i = 0; i < n; ++i) {
        const pcs_system id = {i + 1};
        pcs_lagrangian_def lagrangian;
        pcs_body_def body;
        int nq = 7, nv = 6;
        if (pcs_model_is_lagrangian(m, id)) {
            PCS_TRY(pcs_model_lagrangian(m, id, &lagrangian));
            nq = nv = lagrangian.n;
        } else {
            PCS_TRY(pcs_model_body(m, id, &body));
            if (body.fixed) nv = 0;
        }
        t->q_at[i] = t->nq;
        t->v_at[i] = nv > 0 ? t->nv : -1;
        t->nq += nq;
        t->nv += nv;
    }
    t->frame_q = POOL_TAKE(&t->pool, (size_t)t->nq, double);
    t->frame_v = POOL_TAKE(&t->pool, (size_t)t->nv, double);
    t->frame_driven_v = POOL_TAKE(&t->pool, 6 * (size_t)t->stored.n_driven, double);
    return t->frame_q && t->frame_v && t->frame_driven_v ? PCS_OK : no_memory();
}

// One column of the index: the first `least` rows, which must exist, or all rows when it is
// negative. *rows is the number of existing rows.
static pcs_status read_index(pcs_trajectory *t, int which, long least, long *rows, void *out)
{
    table set;
    void *x = NULL;
    pcs_status status = table_open(&t->file, &layout_frame[which], 1, &set);
    *rows = status == PCS_OK ? set.rows : 0;
    const long n = least < 0 ? *rows : least;
    if (status == PCS_OK && n > *rows) {
        status = fail_named(t->file.name, PCS_ERR_SIZE, "%s: it has %ld rows for %ld frames",
                            layout_frame[which].path, *rows, n);
    }
    if (status == PCS_OK) {
        x = pool_take_array(&t->pool, (size_t)n + 1, set.row_bytes);
        status = x ? table_read(&t->file, &set, 0, n, x) : no_memory();
    }
    table_close(&set);
    memcpy(out, &x, sizeof x);
    return status;
}

static pcs_status check_index(const pcs_trajectory *t)
{
    for (long k = 0; k < t->info.frames; ++k) {
        const bool ordered = k == 0 ? t->step[k] >= 0 && t->end[k] >= 0
                                    : t->step[k] >= t->step[k - 1] && t->end[k] >= t->end[k - 1];
        if (isfinite(t->time[k]) && ordered && t->end[k] <= t->contacts.rows &&
            t->step[k] <= t->steps.rows) {
            continue;
        }
        return fail_named(
            t->file.name, PCS_ERR_FORMAT,
            "frame %ld has a time, a number of steps or of contacts that is not valid", k);
    }
    return PCS_OK;
}

static pcs_status open_tables(pcs_trajectory *t)
{
    const h5_file *f = &t->file;
    long n, rows;
    // the times first: all other tables then have at least as many rows
    PCS_TRY(read_index(t, FRAME_TIME, -1, &n, &t->time));
    PCS_TRY(read_index(t, FRAME_CONTACTS_END, n, &rows, &t->end));
    PCS_TRY(read_index(t, FRAME_HASH, n, &rows, &t->hash));
    PCS_TRY(read_index(t, FRAME_STEP, n, &rows, &t->step));
    if (t->nv > 0) PCS_TRY(table_open(f, &layout_frame[FRAME_V], t->nv, &t->v));
    if (t->nq > 0) PCS_TRY(table_open(f, &layout_frame[FRAME_Q], t->nq, &t->q));
    const table_def *driven = &layout_frame[FRAME_DRIVEN_V];
    if (t->stored.n_driven > 0 && table_width(f, driven->path) > 0) {
        PCS_TRY(table_open(f, driven, 6 * t->stored.n_driven, &t->driven_v));
        if (t->driven_v.rows < n) return fail(t, "/frames/driven_v has fewer rows than times");
    }
    if (t->stored.n_forces > 0 && h5_has(f, layout_forces.path)) {
        PCS_TRY(table_open(f, &layout_forces, 1, &t->forces));
        if (t->forces.rows / t->stored.n_forces < n) {
            return fail(t, "/forces has fewer rows than there are force elements in all frames");
        }
        t->force = POOL_TAKE(&t->pool, (size_t)t->stored.n_forces, pcs_force_result);
        t->force_rows = POOL_TAKE(&t->pool, (size_t)t->stored.n_forces, force_row);
        if (!t->force || !t->force_rows) return no_memory();
    }
    PCS_TRY(table_open(f, &layout_steps, 1, &t->steps));
    PCS_TRY(table_open(f, &layout_contacts, 1, &t->contacts));
    if ((t->nv > 0 && t->v.rows < n) || (t->nq > 0 && t->q.rows < n)) {
        return fail(t, "/frames: q or v have fewer rows than there are times");
    }
    t->info.frames = n;
    t->info.steps = t->steps.rows;
    return check_index(t);
}

pcs_status pcs_trajectory_open(const pcs_env *env, const char *path, pcs_trajectory **out)
{
    if (out) *out = NULL;
    if (!path || !out) return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_open: an argument is null");
    pcs_trajectory *t = pcs_env_alloc(env, 1, sizeof *t);
    if (!t) return no_memory();
    if (env) t->env = *env;
    t->pool = pool_begin(env);
    char *name = POOL_TAKE(&t->pool, strlen(path) + 1, char);
    pcs_status status = name ? PCS_OK : no_memory();
    if (name) memcpy(name, path, strlen(path) + 1);
    if (status == PCS_OK) status = h5_open_file(name, &t->file);
    if (status == PCS_OK) status = read_provenance(t);
    if (status == PCS_OK) status = model_tables_read(&t->file, env, &t->pool, &t->stored);
    if (status == PCS_OK) status = place_systems(t);
    if (status == PCS_OK) status = open_tables(t);
    if (status != PCS_OK) {
        pcs_trajectory_close(t);
        return status;
    }
    *out = t;
    return PCS_OK;
}

bool pcs_trajectory_fits(const char *path)
{
    h5_file file;
    const char *format = NULL;
    if (!path || h5_open_file(path, &file) != PCS_OK) return false;
    pcs_pool pool = pool_begin(NULL);
    const bool fits = h5_words(&file, "/provenance/format", &pool, &format) == PCS_OK && format &&
                      strcmp(format, LAYOUT_FORMAT) == 0;
    pool_release(&pool);
    h5_close(&file);
    return fits;
}

void pcs_trajectory_close(pcs_trajectory *t)
{
    if (!t) return;
    table_close(&t->q);
    table_close(&t->v);
    table_close(&t->driven_v);
    table_close(&t->contacts);
    table_close(&t->forces);
    table_close(&t->steps);
    if (t->file.id > 0) h5_close(&t->file);
    model_tables_release(&t->env, &t->stored);
    pcs_env_free(&t->env, t->contact);
    pcs_env_free(&t->env, t->row);
    pcs_env_free(&t->env, t->step_rows);
    pool_release(&t->pool);
    const pcs_env env = t->env;
    pcs_env_free(&env, t);
}

// ---- readers ------------------------------------------------------------------------------------

pcs_trajectory_info pcs_trajectory_info_of(const pcs_trajectory *t)
{
    return t ? t->info
             : (pcs_trajectory_info){.version = "", .title = "", .scene = "", .solver_options = ""};
}

const pcs_model *pcs_trajectory_model(const pcs_trajectory *t)
{
    return t ? t->stored.model : NULL;
}

int pcs_trajectory_force_count(const pcs_trajectory *t)
{
    return t ? t->stored.n_forces : 0;
}

static const stored_force *find_force(const pcs_trajectory *t, pcs_force force)
{
    return force.id >= 1 && force.id <= pcs_trajectory_force_count(t)
               ? &t->stored.force[force.id - 1]
               : NULL;
}

pcs_status pcs_trajectory_force(const pcs_trajectory *t, pcs_force force, pcs_force_def *out,
                                bool *enabled)
{
    const stored_force *f = find_force(t, force);
    if (!f || !out) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_trajectory_force: there is no force element %d, or an argument is"
                        " null; the trajectory has %d, from 1",
                        force.id, pcs_trajectory_force_count(t));
    }
    *out = f->def;
    if (enabled) *enabled = f->enabled;
    return PCS_OK;
}

const char *pcs_trajectory_force_name(const pcs_trajectory *t, pcs_force force)
{
    const stored_force *f = find_force(t, force);
    return f ? f->name : "";
}

const double *pcs_trajectory_times(const pcs_trajectory *t)
{
    return t ? t->time : NULL;
}

void pcs_trajectory_place(const pcs_trajectory *t, pcs_system system, int *q, int *v)
{
    const bool there = t && system.id >= 1 && system.id <= pcs_model_system_count(t->stored.model);
    if (q) *q = there ? t->q_at[system.id - 1] : -1;
    if (v) *v = there ? t->v_at[system.id - 1] : -1;
}

bool pcs_trajectory_velocity(const pcs_trajectory *t, const pcs_trajectory_frame *frame,
                             pcs_system body, double v[6])
{
    const bool there = t && body.id >= 0 && body.id <= pcs_model_system_count(t->stored.model) &&
                       !pcs_model_is_lagrangian(t->stored.model, body);
    const int at = there && body.id > 0 ? t->v_at[body.id - 1] : -1;
    const int driven = there && body.id > 0 ? t->stored.driven[body.id - 1] : -1;
    for (int i = 0; i < 6; ++i) {
        v[i] = !there || !frame  ? NAN
               : at >= 0         ? frame->v[at + i]
               : driven < 0      ? 0
               : frame->driven_v ? frame->driven_v[6 * driven + i]
                                 : NAN;
    }
    return at >= 0 || driven >= 0;
}

static pcs_status make_room(pcs_trajectory *t, int contacts)
{
    if (contacts <= t->contact_room) return PCS_OK;
    pcs_env_free(&t->env, t->contact);
    pcs_env_free(&t->env, t->row);
    const int room = contacts + contacts / 2;
    t->contact = pcs_env_alloc(&t->env, (size_t)room, sizeof *t->contact);
    t->row = pcs_env_alloc(&t->env, (size_t)room, sizeof *t->row);
    t->contact_room = t->contact && t->row ? room : 0;
    return t->contact_room > 0 ? PCS_OK : no_memory();
}

static void widen_some(int n, const float *x, double *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = x[i];
    }
}

static void widen(const float x[3], double out[3])
{
    widen_some(3, x, out);
}

static bool sound_contact(const pcs_trajectory *t, const contact_row *r)
{
    const pcs_model *m = t->stored.model;
    const int systems = pcs_model_system_count(m), shapes = pcs_model_shape_count(m);
    const float *x = &r->mu;
    const bool shape = r->shape1 >= 0;
    for (size_t i = 0; i < (sizeof *r - offsetof(contact_row, mu)) / sizeof *x; ++i) {
        if (!isfinite(x[i])) return false;
    }
    return r->system1 >= 0 && r->system1 <= systems && r->system2 >= 0 && r->system2 <= systems &&
           (shape
                ? r->shape1 < shapes && r->shape2 >= 0 && r->shape2 < shapes && r->interaction == 0
                : r->shape1 == -1 && r->shape2 == -1 && r->interaction >= 1 &&
                      r->interaction <= pcs_model_interaction_count(m)) &&
           r->row >= 0 && r->status >= PCS_CONTACT_OPEN && r->status <= PCS_CONTACT_UNDECIDED;
}

static void widen_contact(const contact_row *r, pcs_contact *c)
{
    *c = (pcs_contact){.system1 = {r->system1},
                       .system2 = {r->system2},
                       .shape1 = r->shape1,
                       .shape2 = r->shape2,
                       .interaction = r->interaction,
                       .row = r->row,
                       .feature = r->feature,
                       .law = {.mu = r->mu},
                       .active = true,
                       .status = (pcs_contact_status)r->status,
                       .gap = r->gap,
                       .gap_end = r->gap_end};
    widen(r->P1, c->P1);
    widen(r->P2, c->P2);
    widen(r->normal, c->F);
    widen(r->tangent, c->F + 3);
    v3_cross(c->F, c->F + 3, c->F + 6);
    widen(r->r, c->r);
    widen(r->u, c->u);
}

static pcs_status read_contacts(pcs_trajectory *t, long number, pcs_trajectory_frame *out)
{
    const int64_t first = number > 0 ? t->end[number - 1] : 0, n = t->end[number] - first;
    if (n > INT32_MAX / 2) return fail(t, "a frame has more contacts than an int can count");
    PCS_TRY(make_room(t, (int)n));
    PCS_TRY(table_read(&t->file, &t->contacts, (long)first, (long)n, t->row));
    for (int i = 0; i < (int)n; ++i) {
        if (!sound_contact(t, &t->row[i])) {
            return fail_named(t->file.name, PCS_ERR_FORMAT,
                              "/contacts: row %lld points nowhere, or has a number that is not "
                              "finite",
                              (long long)first + i);
        }
        widen_contact(&t->row[i], &t->contact[i]);
    }
    out->contact_count = (int)n;
    out->contact = t->contact;
    return PCS_OK;
}

// NaN stands for no value; a point is always there
static pcs_status read_forces(pcs_trajectory *t, long number, pcs_trajectory_frame *out)
{
    const int n = t->force ? t->stored.n_forces : 0;
    if (n == 0) return PCS_OK;
    PCS_TRY(table_read(&t->file, &t->forces, number * n, n, t->force_rows));
    for (int i = 0; i < n; ++i) {
        const force_row *r = &t->force_rows[i];
        pcs_force_result *f = &t->force[i];
        *f = (pcs_force_result){.length = r->length,
                                .speed = r->speed,
                                .force = r->tension,
                                .energy = r->energy,
                                .power = r->power};
        widen(r->P1, f->P1);
        widen(r->P2, f->P2);
        widen_some(6, r->F1, f->F1);
        widen_some(6, r->F2, f->F2);
        widen_some(6, r->strain, f->strain);
        widen_some(6, r->stress, f->stress);
        if (r->force == i + 1 && pcs_all_finite(f->P1, 3) && pcs_all_finite(f->P2, 3)) continue;
        return fail_named(t->file.name, PCS_ERR_FORMAT,
                          "/forces: row %ld is not of force element %d, or has a point that is not"
                          " finite",
                          number * n + i, i + 1);
    }
    out->force_count = n;
    out->force = t->force;
    return PCS_OK;
}

pcs_status pcs_trajectory_read_frame(pcs_trajectory *t, long number, pcs_trajectory_frame *out)
{
    if (!t || !out) return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_read_frame: an argument is null");
    *out = (pcs_trajectory_frame){0};
    if (number < 0 || number >= t->info.frames) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_trajectory_read_frame: there is no frame %ld; the file has %ld, from 0", number,
            t->info.frames);
    }
    if (t->nq > 0) PCS_TRY(table_read(&t->file, &t->q, number, 1, t->frame_q));
    if (t->nv > 0) PCS_TRY(table_read(&t->file, &t->v, number, 1, t->frame_v));
    const bool driven = t->driven_v.width > 0;
    const size_t driven_size = driven ? 6 * (size_t)t->stored.n_driven : 0;
    if (driven) PCS_TRY(table_read(&t->file, &t->driven_v, number, 1, t->frame_driven_v));
    if (!pcs_all_finite(t->frame_driven_v, driven_size) ||
        !pcs_all_finite(t->frame_q, (size_t)t->nq) || !pcs_all_finite(t->frame_v, (size_t)t->nv)) {
        return fail_named(t->file.name, PCS_ERR_FORMAT,
                          "frame %ld: a coordinate or a velocity is not finite", number);
    }
    pcs_trajectory_frame f = {.t = t->time[number],
                              .step = (long)t->step[number],
                              .hash = t->hash[number],
                              .nq = t->nq,
                              .nv = t->nv,
                              .q = t->frame_q,
                              .v = t->frame_v,
                              .driven_v = driven ? t->frame_driven_v : NULL};
    PCS_TRY(read_contacts(t, number, &f));
    PCS_TRY(read_forces(t, number, &f));
    *out = f;
    return PCS_OK;
}

static bool is_outcome(int32_t x)
{
    return x >= PCS_OUTCOME_CONVERGED && x <= PCS_OUTCOME_INFEASIBLE;
}

static bool sound_step(const step_row *r)
{
    const double *energy = (const double *)&r->energy;
    return isfinite(r->t) && is_outcome(r->outcome) && is_outcome(r->solve_outcome) &&
           is_outcome(r->projection_outcome) && r->solver >= PCS_SOLVER_AUTO &&
           r->solver < pcs_solver_count() &&
           pcs_all_finite(energy, sizeof r->energy / sizeof *energy);
}

pcs_status pcs_trajectory_read_steps(pcs_trajectory *t, long first, long n, double *time,
                                     pcs_step_report *out)
{
    if (!t || (n > 0 && !out)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_trajectory_read_steps: an argument is null");
    }
    if (first < 0 || n < 0 || first > t->info.steps || n > t->info.steps - first) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_trajectory_read_steps: there are no steps %ld to %ld; the file has "
                        "%ld, from 0",
                        first, first + n - 1, t->info.steps);
    }
    if (n > t->step_room) {
        pcs_env_free(&t->env, t->step_rows);
        t->step_room = 0;
        t->step_rows = pcs_env_alloc(&t->env, (size_t)n, sizeof *t->step_rows);
        if (!t->step_rows) return no_memory();
        t->step_room = n;
    }
    PCS_TRY(table_read(&t->file, &t->steps, first, n, t->step_rows));
    for (long i = 0; i < n; ++i) {
        const step_row *row = &t->step_rows[i];
        if (!sound_step(row)) {
            return fail_named(
                t->file.name, PCS_ERR_FORMAT,
                "/steps: row %ld has an outcome, a solver or a number that is not valid",
                first + i);
        }
        if (time) time[i] = row->t;
        layout_get_step(row, &out[i]);
    }
    return PCS_OK;
}
