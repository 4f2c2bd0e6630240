// Recording: frames go to the tables of an HDF5 file that is readable at any moment.
//
// HDF5's mode for one writer and many readers (SWMR) writes a row before the length of its table,
// and the parts of its index from below: a reader finds tables that are complete up to their
// lengths, at any moment; the lengths differ between tables. The row of `time` is written last for
// every frame, so its length is the number of complete frames. The superblock says that a program
// writes; this is corrected after the start (superblock.h), since otherwise a file whose writer was
// killed could not be opened without a tool.
//
// The file is made in memory, stored under another name, and renamed when it is ready for frames.
// It is locked (flock, shared) from then on; replacing a file of this name needs an exclusive lock.
#define _DEFAULT_SOURCE // flock
#define _POSIX_C_SOURCE 200809L
#include <percuss/save.h>
#include <percuss/trajectory.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/links.h"
#include "trajectory/frames.h"
#include "trajectory/layout.h"
#include "trajectory/superblock.h"

// recorded data is written when this many seconds have passed since the last write, or this many
// bytes wait: frames that are slow to compute are written at once, fast ones share the cost of
// writing. A killed program loses at most this time of computing.
#define WRITE_AFTER 0.05
enum { WRITE_BYTES = 1 << 18, CHUNK_BYTES = 1 << 14, NAME_ROOM = 4096 };

// Frames of at least this many bytes are compressed, each as one chunk. A compressed chunk cannot
// grow in place, so that smaller frames would be written many times.
enum { COMPRESS_BYTES = 4096 };

// the file grows by this part, a quarter
enum { RESERVE_BYTES = 1 << 20, MOST_RESERVED = 1 << 26 };

// rows that wait to be written
typedef struct pending {
    unsigned char *row;
    long n, room;
} pending;

enum { STEPS = FRAME_TABLES, CONTACTS, FORCES, TABLES };

struct pcs_recorder {
    pcs_env env;
    pcs_recorder_def def;
    char path[NAME_ROOM]; // path of the file, for sentences and for closing
    h5_file file;
    int descriptor; // descriptor for the lock and the superblock, or -1
    int64_t reserved;
    table table[TABLES];
    pending wait[TABLES];
    int nq, nv, driven;                  // numbers of q, v and the velocities of prescribed motions
    int forces;                          // number of force elements
    long frames, steps, contacts, since; // steps since the last frame
    double t0, next;                     // times of the cadence dt
    double written;                      // s, last time at which rows were written
    size_t waiting;                      // bytes
    pcs_status status;                   // status of the first failure
    char sentence[400];
};

pcs_recorder_def pcs_recorder_def_default(void)
{
    return (pcs_recorder_def){.every = 1, .contacts = true};
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ---- the file ----------------------------------------------------------------------------------

static pcs_status fail_path(const char *path, const char *what)
{
    return fail_named(path, PCS_ERR_FILE, "%s: %s", what, strerror(errno));
}

static pcs_status put_text(h5_file *f, const char *path, const char *words)
{
    return h5_put_words(f, path, words ? words : "");
}

static pcs_status write_head(pcs_recorder *r, const pcs_model *m)
{
    h5_file *f = &r->file;
    const int version = LAYOUT_VERSION;
    const uint64_t seed = r->def.seed;
    const int32_t closed = 0;
    PCS_TRY(h5_put_group(f, "/provenance"));
    PCS_TRY(put_text(f, "/provenance/format", LAYOUT_FORMAT));
    PCS_TRY(h5_put_ints(f, "/provenance/format_version", 1, &version));
    PCS_TRY(put_text(f, "/provenance/percuss", pcs_version()));
    PCS_TRY(put_text(f, "/provenance/title", r->def.title));
    PCS_TRY(put_text(f, "/provenance/scene", r->def.scene));
    PCS_TRY(table_put(f, "/provenance/seed", "1", COLUMN_U64, 1, 1, &seed));
    PCS_TRY(table_put(f, "/provenance/closed", "1", COLUMN_I32, 1, 1, &closed));
    return model_tables_write(f, m);
}

static int clamp(size_t x, int low, int high)
{
    return x < (size_t)low ? low : x > (size_t)high ? high : (int)x;
}

// number of entries in a row; 0 for a model in which nothing can move
static int frame_width(const pcs_recorder *r, int which)
{
    return which == FRAME_Q          ? r->nq
           : which == FRAME_V        ? r->nv
           : which == FRAME_DRIVEN_V ? r->driven
                                     : 1;
}

static pcs_status create_tables(pcs_recorder *r)
{
    h5_file *f = &r->file;
    const size_t frame = ((size_t)r->nq + (size_t)r->nv + (size_t)r->driven) * sizeof(double);
    const bool compress = frame >= COMPRESS_BYTES;
    PCS_TRY(h5_put_group(f, "/frames"));
    for (int i = 0; i < FRAME_TABLES; ++i) {
        const int width = frame_width(r, i);
        if (width == 0) continue;
        const bool large = i == FRAME_Q || i == FRAME_V || i == FRAME_DRIVEN_V;
        const int rows = large ? clamp(CHUNK_BYTES / (frame + 1), 1, 256) : 1024;
        PCS_TRY(table_create(f, &layout_frame[i], width, rows, large && compress));
    }
    PCS_TRY(table_create(f, &layout_steps, 1, 32, false));
    if (r->forces > 0) PCS_TRY(table_create(f, &layout_forces, 1, compress ? 512 : 64, compress));
    return table_create(f, &layout_contacts, 1, compress ? 512 : 64, compress);
}

// makes the file long enough before HDF5 writes at most `bytes` more
static pcs_status reserve(pcs_recorder *r, size_t bytes)
{
    const int64_t end = table_file_size(&r->file) + 2 * (int64_t)bytes + RESERVE_BYTES;
    if (end <= r->reserved) return PCS_OK;
    errno = 0;
    const int64_t more = end / 4 < MOST_RESERVED ? end / 4 : MOST_RESERVED, size = end + more;
    if (!superblock_reserve(r->descriptor, r->reserved, size)) {
        return fail_path(r->path, "it cannot be made longer");
    }
    r->reserved = size;
    return PCS_OK;
}

// Replaces a file that no other process has open.
static pcs_status take_place(const pcs_recorder *r, const char *temporary)
{
    const int old = open(r->path, O_RDONLY | O_CLOEXEC);
    if (old < 0 && errno != ENOENT) return fail_path(r->path, "it cannot be replaced");
    if (old < 0) {
        // the first of two recorders that start at once gets the name
        if (link(temporary, r->path) == 0) return unlink(temporary), PCS_OK;
        if (errno == EEXIST) {
            return fail_named(r->path, PCS_ERR_FILE,
                              "another process has just created it; choose another name");
        }
        return rename(temporary, r->path) == 0 ? PCS_OK
                                               : fail_path(r->path, "it cannot be created");
    }
    pcs_status status = PCS_OK;
    struct stat there, held;
    if (flock(old, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        status = fail_named(r->path, PCS_ERR_FILE,
                            "another process writes or reads it; choose another name, or wait");
    } else if (fstat(old, &held) != 0 || stat(r->path, &there) != 0 ||
               there.st_ino != held.st_ino) {
        status = fail_named(r->path, PCS_ERR_FILE,
                            "another process has just replaced it; choose another name");
    } else if (!S_ISREG(held.st_mode) || access(r->path, W_OK) != 0) {
        if (S_ISREG(held.st_mode)) {
            status = fail_path(r->path, "it cannot be replaced");
        } else {
            status = fail_named(r->path, PCS_ERR_FILE, "it is not a file; choose another name");
        }
    } else if (rename(temporary, r->path) != 0) {
        status = fail_path(r->path, "it cannot be replaced");
    }
    close(old);
    return status;
}

// writes the complete file without frames to the descriptor
static pcs_status store_start(pcs_recorder *r, const pcs_model *m)
{
    PCS_TRY(h5_create_growing(r->path, &r->file));
    sink s = sink_begin(NULL);
    pcs_status status = write_head(r, m);
    if (status == PCS_OK) status = create_tables(r);
    if (status == PCS_OK) status = h5_image(&r->file, &s);
    if (status == PCS_OK && s.failed) status = pcs_fail_memory("pcs_recorder_open");
    h5_close(&r->file);
    if (status == PCS_OK) superblock_seal(s.bytes, s.size);
    errno = 0;
    for (size_t at = 0; at < s.size && status == PCS_OK;) {
        const ssize_t n = write(r->descriptor, s.bytes + at, s.size - at);
        if (n > 0) at += (size_t)n;
        if (n < 0 && errno != EINTR) status = fail_path(r->path, "it cannot be written");
    }
    r->reserved = (int64_t)s.size;
    sink_end(&s);
    return status;
}

static pcs_status open_tables(pcs_recorder *r)
{
    for (int i = 0; i < FRAME_TABLES; ++i) {
        const int width = frame_width(r, i);
        if (width == 0) continue;
        PCS_TRY(table_open(&r->file, &layout_frame[i], width, &r->table[i]));
    }
    PCS_TRY(table_open(&r->file, &layout_steps, 1, &r->table[STEPS]));
    if (r->forces > 0) PCS_TRY(table_open(&r->file, &layout_forces, 1, &r->table[FORCES]));
    return table_open(&r->file, &layout_contacts, 1, &r->table[CONTACTS]);
}

static pcs_status start_file(pcs_recorder *r, const pcs_model *m, const char *temporary)
{
    r->descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (r->descriptor < 0) return fail_path(r->path, "it cannot be written");
    PCS_TRY(store_start(r, m));
    PCS_TRY(h5_open_growing(temporary, r->path, &r->file));
    PCS_TRY(open_tables(r));
    // file systems without locks are used without a lock
    (void)flock(r->descriptor, LOCK_SH | LOCK_NB);
    PCS_TRY(reserve(r, 0));
    return take_place(r, temporary);
}

static void release(pcs_recorder *r)
{
    for (int i = 0; i < TABLES; ++i) {
        table_close(&r->table[i]);
        pcs_env_free(&r->env, r->wait[i].row);
    }
    if (r->file.id > 0) h5_close(&r->file);
    if (r->descriptor >= 0) {
        superblock_trim(r->descriptor);
        close(r->descriptor);
    }
    const pcs_env env = r->env;
    pcs_env_free(&env, r);
}

// number of coordinates and velocities in the states of a model, and of its prescribed motions
static pcs_status measure(const pcs_model *m, int *nq, int *nv, int *driven)
{
    pcs_state *state;
    PCS_TRY(pcs_state_create(m, &state));
    *nq = state->nq;
    *nv = state->nv;
    pcs_state_destroy(state);
    *driven = 0;
    for (int id = 1; id <= pcs_model_system_count(m); ++id) {
        pcs_body_def def;
        if (pcs_model_is_lagrangian(m, (pcs_system){id})) continue;
        PCS_TRY(pcs_model_body(m, (pcs_system){id}, &def));
        if (def.motion || def.carrier.id > 0) *driven += 6;
    }
    return PCS_OK;
}

pcs_status pcs_recorder_open(const char *path, const pcs_model *m, const pcs_recorder_def *def,
                             pcs_recorder **out)
{
    if (out) *out = NULL;
    if (!path || !m || !out) return pcs_fail(PCS_ERR_ARG, "pcs_recorder_open: an argument is null");
    const pcs_recorder_def d = def ? *def : pcs_recorder_def_default();
    if (d.every < 1 || !(d.dt >= 0) || !isfinite(d.dt)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_recorder_open: every is %d and dt %g s; every must be at least 1 and"
                        " dt not negative",
                        d.every, d.dt);
    }
    pcs_recorder *r = pcs_env_alloc(NULL, 1, sizeof *r);
    if (!r) return pcs_fail_memory("pcs_recorder_open");
    r->def = d;
    r->descriptor = -1;
    errno = 0;
    char temporary[NAME_ROOM + 32];
    int stream;
    if (!links_end(path, r->path, sizeof r->path, &stream) || stream >= 0) {
        const pcs_status status =
            stream < 0 ? fail_path(path, "it cannot be written")
                       : fail_named(path, PCS_ERR_FILE, "it is not a file; choose another name");
        release(r);
        return status;
    }
    snprintf(temporary, sizeof temporary, "%s.part-%ld", r->path, (long)getpid());
    r->forces = pcs_model_force_count(m);
    pcs_status status = measure(m, &r->nq, &r->nv, &r->driven);
    if (status == PCS_OK) status = start_file(r, m, temporary);
    if (status != PCS_OK) {
        const bool made = r->descriptor >= 0; // else the file is of another thread
        release(r);
        if (made) unlink(temporary);
        return status;
    }
    r->written = now();
    *out = r;
    return PCS_OK;
}

// ---- frames ------------------------------------------------------------------------------------

// memory for n more waiting rows of a table; null when there is none
static void *more_rows(pcs_recorder *r, int k, long n)
{
    pending *w = &r->wait[k];
    const size_t row = r->table[k].row_bytes;
    if (w->n + n > w->room) {
        const long room = 2 * (w->n + n) + 16;
        unsigned char *bigger = pcs_env_alloc(&r->env, (size_t)room, row);
        if (!bigger) return NULL;
        if (w->n > 0) memcpy(bigger, w->row, (size_t)w->n * row);
        pcs_env_free(&r->env, w->row);
        w->row = bigger;
        w->room = room;
    }
    unsigned char *at = w->row + (size_t)w->n * row;
    w->n += n;
    r->waiting += (size_t)n * row;
    return at;
}

static pcs_status add_row(pcs_recorder *r, int k, const void *row)
{
    if (r->table[k].row_bytes == 0) return PCS_OK; // q or v of a model that has none
    void *at = more_rows(r, k, 1);
    if (!at) return pcs_fail_memory("pcs_recorder_observe");
    memcpy(at, row, r->table[k].row_bytes);
    return PCS_OK;
}

static void narrow_some(int n, const double *x, float *out)
{
    for (int i = 0; i < n; ++i) {
        out[i] = as_float(x[i]);
    }
}

static void narrow(const double x[3], float out[3])
{
    narrow_some(3, x, out);
}

static pcs_status add_contacts(pcs_recorder *r, pcs_work *work)
{
    int n;
    const pcs_contact *c;
    PCS_TRY(pcs_work_contacts(work, &n, &c));
    long active = 0;
    for (int i = 0; i < n; ++i) {
        active += c[i].active;
    }
    if (active == 0) return PCS_OK;
    contact_row *row = more_rows(r, CONTACTS, active);
    if (!row) return pcs_fail_memory("pcs_recorder_observe");
    for (int i = 0; i < n; ++i, ++c) {
        if (!c->active) continue;
        *row = (contact_row){.system1 = c->system1.id,
                             .system2 = c->system2.id,
                             .shape1 = c->shape1,
                             .shape2 = c->shape2,
                             .interaction = c->interaction,
                             .row = c->row,
                             .status = (int32_t)c->status,
                             .feature = c->feature,
                             .mu = (float)c->law.mu,
                             .gap = (float)c->gap,
                             .gap_end = (float)c->gap_end};
        narrow(c->P1, row->P1);
        narrow(c->P2, row->P2);
        narrow(c->F, row->normal);
        narrow(c->F + 3, row->tangent);
        narrow(c->r, row->r);
        narrow(c->u, row->u);
        ++row;
    }
    r->contacts += active;
    return PCS_OK;
}

// What the force elements do in this state. One that cannot be evaluated here (its callback fails,
// or its points meet) has no values: the next step fails, but the frame is a state all the same.
static pcs_status add_forces(pcs_recorder *r, const pcs_model *m, const pcs_state *state)
{
    if (r->forces == 0) return PCS_OK;
    if (pcs_model_force_count(m) < r->forces) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_recorder_observe: the model has %d force elements, the file has %d: a"
                        " trajectory keeps the model it began with",
                        pcs_model_force_count(m), r->forces);
    }
    force_row *row = more_rows(r, FORCES, r->forces);
    if (!row) return pcs_fail_memory("pcs_recorder_observe");
    for (int i = 0; i < r->forces; ++i, ++row) {
        pcs_force_result now;
        *row = (force_row){.force = i + 1};
        if (pcs_state_force(m, state, (pcs_force){i + 1}, &now) != PCS_OK) {
            now.length = now.speed = now.force = now.energy = now.power = NAN;
        }
        row->length = as_float(now.length);
        row->speed = as_float(now.speed);
        row->tension = as_float(now.force);
        row->energy = as_float(now.energy);
        row->power = as_float(now.power);
        narrow(now.P1, row->P1);
        narrow(now.P2, row->P2);
        narrow_some(6, now.F1, row->F1);
        narrow_some(6, now.F2, row->F2);
        narrow_some(6, now.strain, row->strain);
        narrow_some(6, now.stress, row->stress);
    }
    return PCS_OK;
}

static pcs_status write_waiting(pcs_recorder *r)
{
    PCS_TRY(reserve(r, r->waiting));
    // contacts and steps first, the times of the frames last
    static const int order[TABLES] = {CONTACTS,   FORCES,     STEPS,
                                      FRAME_Q,    FRAME_V,    FRAME_DRIVEN_V,
                                      FRAME_STEP, FRAME_HASH, FRAME_CONTACTS_END,
                                      FRAME_TIME};
    for (int i = 0; i < TABLES; ++i) {
        const int k = order[i];
        if (r->wait[k].n == 0) continue;
        PCS_TRY(table_append(&r->file, &r->table[k], r->wait[k].n, r->wait[k].row));
        PCS_TRY(table_flush(&r->file, &r->table[k]));
        r->wait[k].n = 0;
    }
    r->waiting = 0;
    r->written = now();
    return PCS_OK;
}

// the velocities of prescribed motions and of carried bodies, which a state has not
static pcs_status add_driven(pcs_recorder *r, const pcs_model *m, const pcs_state *state)
{
    if (r->driven == 0) return PCS_OK;
    double *v = more_rows(r, FRAME_DRIVEN_V, 1);
    if (!v) return pcs_fail_memory("pcs_recorder_observe");
    int at = 0;
    for (int id = 1; id <= pcs_model_system_count(m); ++id) {
        pcs_body_def def;
        if (pcs_model_is_lagrangian(m, (pcs_system){id})) continue;
        PCS_TRY(pcs_model_body(m, (pcs_system){id}, &def));
        if (!(def.motion || def.carrier.id > 0) || at == r->driven) continue;
        PCS_TRY(pcs_state_velocity(m, state, (pcs_system){id}, v + at));
        at += 6;
    }
    if (at == r->driven) return PCS_OK;
    return pcs_fail(PCS_ERR_SIZE,
                    "pcs_recorder_observe: the model has %d prescribed motions, the file has %d: a "
                    "trajectory keeps the systems it began with",
                    at / 6, r->driven / 6);
}

static pcs_status add_frame(pcs_recorder *r, const pcs_model *m, const pcs_state *state,
                            pcs_work *work, bool stepped)
{
    if (state->nq != r->nq || state->nv != r->nv) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_recorder_observe: the state has %d coordinates and %d velocities, the"
                        " file has %d and %d: a trajectory keeps the systems it began with",
                        state->nq, state->nv, r->nq, r->nv);
    }
    if (stepped && r->def.contacts) PCS_TRY(add_contacts(r, work));
    const uint64_t hash = pcs_state_hash(state);
    const int64_t step = r->steps, end = r->contacts;
    PCS_TRY(add_row(r, FRAME_Q, state->q));
    PCS_TRY(add_row(r, FRAME_V, state->v));
    PCS_TRY(add_driven(r, m, state));
    PCS_TRY(add_forces(r, m, state));
    PCS_TRY(add_row(r, FRAME_STEP, &step));
    PCS_TRY(add_row(r, FRAME_HASH, &hash));
    PCS_TRY(add_row(r, FRAME_CONTACTS_END, &end));
    PCS_TRY(add_row(r, FRAME_TIME, &state->t));
    r->frames += 1;
    r->since = 0;
    return PCS_OK;
}

static pcs_status add_step(pcs_recorder *r, double t, const pcs_step_report *report)
{
    step_row row;
    layout_put_step(t, report, &row);
    PCS_TRY(add_row(r, STEPS, &row));
    r->steps += 1;
    r->since += 1;
    return PCS_OK;
}

// true when the cadence requires a frame; advances its next time
static bool is_due(pcs_recorder *r, double t)
{
    if (r->frames == 0) {
        r->t0 = t;
        r->next = 1;
        return true;
    }
    if (r->def.dt == 0) return r->since >= r->def.every;
    // a step that ends within rounding of the time has reached it
    const double reached = (t - r->t0) / r->def.dt + 1e-9;
    if (reached < r->next) return false;
    r->next = floor(reached) + 1;
    return true;
}

// the first failure, which closing tells
static void remember(pcs_recorder *r, pcs_status status)
{
    r->status = status;
    snprintf(r->sentence, sizeof r->sentence, "%s", pcs_error_text());
}

static pcs_status record(pcs_recorder *r, const pcs_model *m, const pcs_state *state,
                         pcs_work *work, const pcs_step_report *report, bool always)
{
    if (r->status != PCS_OK) return pcs_fail(r->status, "%s", r->sentence);
    if (report && !report->committed) return PCS_OK;
    pcs_status status = report ? add_step(r, state->t, report) : PCS_OK;
    if (status == PCS_OK && (is_due(r, state->t) || always)) {
        status = add_frame(r, m, state, work, report != NULL);
    }
    if (status == PCS_OK && (r->waiting >= WRITE_BYTES || now() - r->written >= WRITE_AFTER)) {
        status = write_waiting(r);
    }
    if (status != PCS_OK) remember(r, status);
    return status;
}

int pcs_recorder_observe(void *recorder, const pcs_model *m, const pcs_state *state, pcs_work *work,
                         const pcs_step_report *report)
{
    pcs_recorder *r = recorder;
    if (r && m && state && (!report || work)) {
        return record(r, m, state, work, report, false) != PCS_OK;
    }
    const pcs_status status = pcs_fail(PCS_ERR_ARG, "pcs_recorder_observe: the %s is null",
                                       !r       ? "recorder"
                                       : !m     ? "model"
                                       : !state ? "state"
                                                : "work of a step");
    if (r && r->status == PCS_OK) remember(r, status);
    return 1;
}

pcs_status pcs_recorder_add(pcs_recorder *r, const pcs_model *m, const pcs_state *state,
                            pcs_work *work, const pcs_step_report *report)
{
    if (!r || !m || !state || (report && !work)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_recorder_add: an argument is null");
    }
    return record(r, m, state, work, report, true);
}

long pcs_recorder_frames(const pcs_recorder *r)
{
    return r ? r->frames : 0;
}

pcs_status pcs_recorder_close(pcs_recorder *r)
{
    if (!r) return PCS_OK;
    const int32_t closed = 1;
    pcs_status status = r->status;
    if (status != PCS_OK) pcs_fail(status, "%s", r->sentence);
    if (status == PCS_OK) status = write_waiting(r);
    if (status == PCS_OK) {
        status = table_replace(&r->file, "/provenance/closed", COLUMN_I32, &closed);
    }
    release(r);
    return status;
}
