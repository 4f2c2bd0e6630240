// A run that is split at any step ends with the bits of the run that is not; a checkpoint that does
// not belong to the model, or has changed, is refused.
#define _POSIX_C_SOURCE 200809L
#include <percuss/checkpoint.h>
#include <percuss/parts.h>
#include <percuss/query.h>
#include <percuss/save.h>

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "scene.h"
#include "support.h"

#define FOLDER PERCUSS_TEST_SCRATCH "/checkpoint"
#define POINT  FOLDER "/point"

enum { STEPS = 40 };

static const double h = 5e-3, t_end = 0.2;

static void before(void)
{
    mkdir(PERCUSS_TEST_SCRATCH, 0777);
    mkdir(FOLDER, 0777);
    unlink(POINT); // a killed test may leave a pipe here, which would block the writer
}

static void after(void)
{
}

TEST_AROUND(before, after)

static void open_scheme(scene *s, const pcs_scheme *scheme)
{
    scene_random_rough(s, 7, 0.4);
    s->scheme = *scheme;
    scene_start(s);
    CK_OK(pcs_work_watch_events(s->wk, true));
}

// the record of a run at each of its steps
typedef struct course {
    int n, every; // a checkpoint every so many steps
    unsigned long long hash[STEPS + 1];
    double pressed[STEPS + 1]; // sum of the impulses of its events
    int events[STEPS + 1];
    int divided; // steps
} course;

static int follow(void *user, const pcs_model *m, const pcs_state *st, pcs_work *wk,
                  const pcs_step_report *report)
{
    course *c = user;
    if (report) c->n += 1;
    if (report) c->divided += report->substeps > 1;
    c->hash[c->n] = pcs_state_hash(st);
    const pcs_contact_event *event;
    if (report) {
        CK_OK(pcs_work_events(wk, &c->events[c->n], &event));
        c->pressed[c->n] = 0;
        for (int i = 0; i < c->events[c->n]; ++i) {
            c->pressed[c->n] += event[i].normal + 7 * event[i].begins + 31 * event[i].ends;
        }
    }
    if (c->every > 0 && c->n % c->every == 0) {
        char path[200];
        snprintf(path, sizeof path, POINT "-%d", c->n);
        CK_OK(pcs_checkpoint_write(path, m, st, c->n));
    }
    return 0;
}

// runs it whole, then again from every checkpoint, with model, state and work made again; returns
// the number of divided steps
static int expect_same_bits(const pcs_scheme *scheme, double t0)
{
    scene s;
    course whole = {.every = TEST_FEW(20, 10)};
    open_scheme(&s, scheme);
    s.st->t = t0;
    CK_OK(pcs_run(s.m, s.st, s.wk, h, t0 + t_end, follow, &whole, NULL));
    scene_close(&s);
    ck_assert_int_eq(whole.n, STEPS);
    for (int k = 0; k < STEPS; k += whole.every) {
        char path[200];
        pcs_checkpoint_info info;
        course part = {.n = k};
        snprintf(path, sizeof path, POINT "-%d", k);
        open_scheme(&s, scheme);
        CK_OK(pcs_checkpoint_read(path, s.m, s.st, &info));
        ck_assert_int_eq(info.steps, k);
        ck_assert(info.hash == whole.hash[k] && info.t == s.st->t);
        CK_OK(pcs_run(s.m, s.st, s.wk, h, t0 + t_end, follow, &part, NULL));
        ck_assert_int_eq(part.n, STEPS);
        for (int i = k; i <= STEPS; ++i) {
            ck_assert_msg(part.hash[i] == whole.hash[i], "from step %d: step %d differs", k, i);
            if (i == k) continue; // no step was made
            ck_assert_int_eq(part.events[i], whole.events[i]);
            ck_assert(part.pressed[i] == whole.pressed[i]);
        }
        scene_close(&s);
    }
    return whole.divided;
}

TEST(a_run_that_is_split_has_the_same_bits)
{
    const pcs_scheme standard = pcs_scheme_default();
    expect_same_bits(&standard, 0);
    expect_same_bits(&standard, 0.123456789); // not a multiple of h
    for (int p = PCS_PROJECTION_NONE; p <= PCS_PROJECTION_COMBINED_EQUALITY; ++p) {
        pcs_scheme scheme = pcs_scheme_moreau_jean();
        scheme.projection = (pcs_projection)p;
        scheme.accept_unconverged = true;
        scheme.theta = p == PCS_PROJECTION_OVERLAPS ? 1 : scheme.theta;
        expect_same_bits(&scheme, 0);
    }
    for (int c = PCS_CONFIGURATION_ITERATE; c <= PCS_CONFIGURATION_PREDICTED; ++c) {
        pcs_scheme scheme = pcs_scheme_moreau_jean();
        scheme.configuration = (pcs_configuration)c;
        scheme.accept_unconverged = true;
        expect_same_bits(&scheme, 0);
    }
}

TEST(a_run_whose_steps_are_divided_has_the_same_bits_when_split)
{
    pcs_scheme scheme = pcs_scheme_default();
    scheme.halvings = 3;
    scheme.accept_unconverged = true;
    scheme.accept = 0;
    scheme.newton_max = 2; // too few: steps are cut in two, and are still committed
    ck_assert_int_gt(expect_same_bits(&scheme, 0), 0);
}

// ---- refused

static void damage(long at)
{
    FILE *f = fopen(POINT, "r+b");
    ck_assert(f && fseek(f, at, SEEK_SET) == 0);
    const int c = fgetc(f);
    ck_assert(c != EOF && fseek(f, at, SEEK_SET) == 0);
    fputc(c ^ 4, f);
    fclose(f);
}

static void expect_refused(scene *s, pcs_status status, const char *words)
{
    const unsigned long long hash = pcs_state_hash(s->st);
    pcs_checkpoint_info info;
    CK_FAILS(pcs_checkpoint_read(POINT, s->m, s->st, &info), status);
    ck_assert_msg(strstr(pcs_error_text(), words), "no '%s': %s", words, pcs_error_text());
    ck_assert(strstr(pcs_error_text(), "point"));
    ck_assert(pcs_state_hash(s->st) == hash);
}

// changes the number of steps, and makes the checksum agree
static void forge_steps(int64_t steps)
{
    static char bytes[1 << 16];
    const uint64_t none = 0;
    FILE *f = fopen(POINT, "r+b");
    ck_assert(f != NULL);
    const size_t size = fread(bytes, 1, sizeof bytes, f);
    memcpy(bytes + 16, &none, 8);
    memcpy(bytes + 40, &steps, 8);
    const uint64_t sum = hash_bytes(HASH_START, bytes, size);
    memcpy(bytes + 16, &sum, 8);
    rewind(f);
    ck_assert_uint_eq(fwrite(bytes, 1, size, f), size);
    fclose(f);
}

TEST(steps_that_cannot_be_are_refused)
{
    scene s;
    pcs_checkpoint_info info;
    const pcs_scheme standard = pcs_scheme_default();
    open_scheme(&s, &standard);
    CK_OK(pcs_checkpoint_write(POINT, s.m, s.st, LONG_MAX / 2));
    CK_OK(pcs_checkpoint_read(POINT, s.m, s.st, &info));
    ck_assert(info.steps == LONG_MAX / 2);
    CK_SAYS(pcs_checkpoint_write(POINT, s.m, s.st, -1), PCS_ERR_ARG, "steps is -1");
    CK_SAYS(pcs_checkpoint_write(POINT, s.m, s.st, LONG_MAX), PCS_ERR_ARG, "steps is");
    forge_steps(7);
    CK_OK(pcs_checkpoint_read_info(POINT, &info));
    ck_assert_int_eq(info.steps, 7);
    forge_steps(-1);
    expect_refused(&s, PCS_ERR_FORMAT, "-1 steps");
    forge_steps(INT64_MAX);
    expect_refused(&s, PCS_ERR_FORMAT, "steps, which is impossible");
    scene_close(&s);
}

// one that the model could never read, since a system was added after the state was made
TEST(a_state_that_was_not_extended_is_not_written)
{
    scene s;
    const pcs_scheme standard = pcs_scheme_default();
    open_scheme(&s, &standard);
    const pcs_body_def more = pcs_body_def_default();
    scene_add(&s, &more);
    CK_SAYS(pcs_checkpoint_write(POINT, s.m, s.st, 0), PCS_ERR_SIZE, "pcs_state_extend");
    ck_assert_int_eq(access(POINT, F_OK), -1);
    CK_OK(pcs_state_extend(s.m, s.st));
    CK_OK(pcs_checkpoint_write(POINT, s.m, s.st, 0));
    CK_OK(pcs_checkpoint_read(POINT, s.m, s.st, NULL));
    scene_close(&s);
}

// opening a pipe would wait for its writer
TEST(a_pipe_is_no_checkpoint)
{
    pcs_checkpoint_info info;
    unlink(POINT);
    ck_assert_int_eq(mkfifo(POINT, 0666), 0);
    CK_SAYS(pcs_checkpoint_read_info(POINT, &info), PCS_ERR_FILE, "not a file");
    unlink(POINT);
}

TEST(a_checkpoint_that_does_not_fit_is_refused_and_says_why)
{
    scene s;
    const pcs_scheme standard = pcs_scheme_default();
    open_scheme(&s, &standard);
    CK_OK(pcs_checkpoint_write(POINT, s.m, s.st, 0));
    CK_OK(pcs_checkpoint_read(POINT, s.m, s.st, NULL));

    // another model: names do not count, everything else does
    CK_OK(pcs_model_set_system_name(s.m, (pcs_system){1}, "one"));
    CK_OK(pcs_checkpoint_read(POINT, s.m, s.st, NULL));
    scene_gravity(&s, 0, 0, -1.62);
    expect_refused(&s, PCS_ERR_ARG, "another model");
    scene_gravity(&s, 0, 0, -9.81);
    CK_OK(pcs_model_set_shape_enabled(s.m, 0, false));
    expect_refused(&s, PCS_ERR_ARG, "another model");
    CK_OK(pcs_model_set_shape_enabled(s.m, 0, true));
    pcs_scheme other = standard;
    other.solver.tol = 1e-9;
    CK_OK(pcs_model_set_scheme(s.m, &other));
    expect_refused(&s, PCS_ERR_ARG, "another model");
    CK_OK(pcs_model_set_scheme(s.m, &standard));
    CK_OK(pcs_checkpoint_read(POINT, s.m, s.st, NULL));

    // every byte counts
    struct stat file;
    ck_assert(stat(POINT, &file) == 0);
    for (long at = 0; at < file.st_size; at += at < 200 ? 1 : 37) {
        damage(at);
        CK_FAILS(pcs_checkpoint_read(POINT, s.m, s.st, NULL), PCS_ERR_FORMAT);
        damage(at);
    }
    CK_OK(pcs_checkpoint_read(POINT, s.m, s.st, NULL));
    for (long size = 0; size < file.st_size; size += 61) {
        CK_OK(pcs_checkpoint_write(POINT, s.m, s.st, 0));
        ck_assert(truncate(POINT, size) == 0);
        CK_FAILS(pcs_checkpoint_read(POINT, s.m, s.st, NULL), PCS_ERR_FORMAT);
    }
    unlink(POINT);
    expect_refused(&s, PCS_ERR_FILE, "No such file");
    CK_FAILS(pcs_checkpoint_write(FOLDER "/none/point", s.m, s.st, 0), PCS_ERR_FILE);
    scene_close(&s);
}
