// percuss run: steps a scene to its end.
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/checkpoint.h>
#include <percuss/parts.h>
#include <percuss/save.h>
#include <percuss/scene.h>
#include <percuss/trajectory.h>

#include "command/capture.h"
#include "command/command_line.h"
#include "command/describe.h"
#include "command/output.h"
#include "command/progress.h"
#include "problem_file/json.h"
#include "problem_file/links.h"
#include "problem_file/worst.h"
#include "scene/scene_memory.h"

typedef struct request {
    const char *path;
    double until, step;  // 0: the value of the scene
    double step_seconds; // caps of a step; 0: none
    int step_sweeps;
    int threads;
    bool hash, as_json, quiet, sleep;
    const char *trajectory; // or null, as the next two
    int every;              // number of steps per frame; 0: as in the scene
    const char *checkpoint;
    int checkpoint_every;
    const char *resume;
    capture capture;
} request;

// statistics of all steps
typedef struct summary {
    long unconverged;
    pcs_outcome outcome; // the worst
    int active, most_active, asleep;
    double residual, penetration, seconds;
    double kinetic[2], potential[2]; // at the start and at the end, J
    double closure;                  // J, sum over all steps
} summary;

// the outputs of a run
typedef struct companions {
    const request *q;
    const pcs_scene *scene;
    summary sum;
    progress progress;
    pcs_recorder *recorder; // or null
    capture capture;
    long steps;    // steps since the beginning, also before a checkpoint
    bool at_limit; // the checkpoint was made after all steps that the scene allows
    bool failed;   // an output cannot be written: the run ends
    bool refused;  // the trajectory cannot be begun
} companions;

static void energies(const pcs_model *m, const pcs_state *state, int end, summary *s)
{
    if (pcs_state_kinetic_energy(m, state, &s->kinetic[end]) != PCS_OK) s->kinetic[end] = NAN;
    if (pcs_state_potential_energy(m, state, &s->potential[end]) != PCS_OK) s->potential[end] = NAN;
}

// what is said of every step, also of one that is not committed
static void add_attempt(summary *s, const pcs_step_report *report)
{
    s->unconverged += report->outcome != PCS_OUTCOME_CONVERGED;
    if (report->outcome > s->outcome) s->outcome = report->outcome;
    s->residual = worst_of(s->residual, report->solve.measure.residual);
    s->seconds += report->seconds;
}

static void add_up(summary *s, const pcs_step_report *report)
{
    add_attempt(s, report);
    s->active = report->active;
    s->asleep = report->asleep;
    if (report->active > s->most_active) s->most_active = report->active;
    s->penetration = worst_of(s->penetration, report->penetration);
    s->closure += fabs(report->energy.closure);
}

static bool write_checkpoint(const char *path, const pcs_model *m, const pcs_state *state,
                             long steps)
{
    if (pcs_checkpoint_write(path, m, state, steps) == PCS_OK) return true;
    complain("%s", pcs_error_text());
    return false;
}

// the whole text of a file, newly allocated; null when it cannot be read
static char *text_of(const char *path)
{
    FILE *f = fopen(path, "rb");
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    char *text = size >= 0 ? take((size_t)size + 1, 1) : NULL;
    if (text) {
        rewind(f);
        text[fread(text, 1, (size_t)size, f)] = '\0';
    }
    if (f) fclose(f);
    return text;
}

static bool open_recorder(const request *q, const pcs_scene *scene, pcs_recorder **out)
{
    pcs_recorder_def def = pcs_recorder_def_default();
    *out = NULL;
    if (!q->trajectory) return true;
    FILE *old = q->resume ? fopen(q->trajectory, "rb") : NULL;
    if (old) {
        fclose(old);
        complain("%s exists already; a resumed run writes a trajectory of its own: choose "
                 "another name",
                 q->trajectory);
        return false;
    }
    char *text = text_of(q->path);
    def.title = scene->name;
    def.scene = text;
    def.dt = q->every > 0 ? 0 : scene->settings.frame_seconds;
    if (scene->settings.frame_steps > 0) def.every = scene->settings.frame_steps;
    if (q->every > 0) def.every = q->every;
    const pcs_status status = pcs_recorder_open(q->trajectory, scene->model, &def, out);
    free(text);
    if (status != PCS_OK) complain("%s", pcs_error_text());
    return status == PCS_OK;
}

static int observe(void *user, const pcs_model *m, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    companions *c = user;
    if (!report) {
        // a run that is refused before this call leaves an old file as it is
        c->refused = !open_recorder(c->q, c->scene, &c->recorder);
        if (c->refused) return 1;
        energies(m, state, 0, &c->sum);
    }
    // closing the file reports why it cannot be written
    if (c->recorder && pcs_recorder_observe(c->recorder, m, state, work, report) != 0) {
        c->failed = true;
    }
    if (!report) return c->failed || c->at_limit || interrupted();
    c->steps += 1;
    add_up(&c->sum, report);
    progress_step(&c->progress, state->t, report);
    if (c->q->checkpoint_every > 0 && c->steps % c->q->checkpoint_every == 0 &&
        !write_checkpoint(c->q->checkpoint, m, state, c->steps)) {
        c->failed = true;
    }
    if (!capture_step(&c->capture, report)) c->failed = true;
    return c->failed || interrupted();
}

static const char *end_text(const companions *c, pcs_status status, pcs_scene_end end)
{
    if (status != PCS_OK) return "a step did not succeed";
    if (c->failed) return "a file could not be written";
    return interrupted() ? "interrupted" : pcs_scene_end_text(end);
}

// why: the sentence of a step that failed, or empty
static void print_json(const request *q, const pcs_scene *scene, const pcs_state *state,
                       const char *end, const char *why, const pcs_run_report *report,
                       const companions *c)
{
    const summary *s = &c->sum;
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", pcs_state_hash(state));
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "file", q->path);
    json_text(&j, "name", scene->name);
    json_text(&j, "end", end);
    json_text(&j, "outcome", pcs_outcome_text(s->outcome));
    json_text(&j, "reason", why[0] ? why : NULL);
    json_open(&j, "conflicts", '[');
    for (int i = 0; i < report->last.conflicts && i < PCS_CONFLICTS; ++i) {
        char text[PCS_CONFLICT_TEXT_SIZE];
        pcs_conflict_text(scene->model, &report->last.conflict[i], text);
        json_text(&j, NULL, text);
    }
    json_close(&j, ']');
    json_real(&j, "t", state->t);
    json_int(&j, "steps", report->steps);
    json_int(&j, "breaks", report->breaks);
    json_int(&j, "unconverged", s->unconverged);
    json_int(&j, "active", s->active);
    json_int(&j, "most_active", s->most_active);
    json_int(&j, "asleep", s->asleep);
    json_real(&j, "residual", s->residual);
    json_real(&j, "penetration", s->penetration);
    json_reals(&j, "kinetic", 2, s->kinetic);
    json_reals(&j, "potential", 2, s->potential);
    json_real(&j, "closure", s->closure);
    json_real(&j, "seconds", s->seconds);
    json_int(&j, "captured", c->capture.files);
    json_text(&j, "doubts", report->doubts);
    json_text(&j, "hash", hash);
    json_close(&j, '}');
}

static void print_words(const request *q, const pcs_scene *scene, const pcs_state *state,
                        const char *end, const pcs_run_report *report, const companions *c)
{
    const summary *s = &c->sum;
    char *name = readable(*scene->name ? scene->name : q->path);
    printf("%s: %ld steps to t = %g s; %s\n", name, report->steps, state->t, end);
    printf("active       %d contacts and joints in the last step, %d at most\n", s->active,
           s->most_active);
    if (s->asleep > 0) printf("asleep       %d bodies in the last step\n", s->asleep);
    printf("residual     %.2g at worst, %ld steps not converged%s%s\n", s->residual, s->unconverged,
           s->unconverged > 0 ? ": " : "", s->unconverged > 0 ? pcs_outcome_text(s->outcome) : "");
    printf("penetration  %.2g m at the end of a step, at worst\n", s->penetration);
    printf("energy       kinetic %.6g -> %.6g J, potential %.6g -> %.6g J, ledger open by %.1g J\n",
           s->kinetic[0], s->kinetic[1], s->potential[0], s->potential[1], s->closure);
    if (report->breaks > 0) printf("broken       %ld joints and ropes\n", report->breaks);
    printf("time         %.3g s\n", s->seconds);
    if (q->capture.folder) {
        char *folder = readable(q->capture.folder);
        printf("captured     %ld problems in %s\n", c->capture.files, folder);
        free(folder);
    }
    if (report->doubts[0]) printf("doubts       %s\n", report->doubts);
    if (q->hash) printf("hash         %016llx\n", pcs_state_hash(state));
    free(name);
}

// the state from which the run continues, and the remaining steps
static bool resume(const request *q, pcs_scene *scene, pcs_state *state, companions *c)
{
    pcs_checkpoint_info info;
    int *most = &scene->settings.max_steps;
    if (!q->resume) return true;
    if (pcs_checkpoint_read(q->resume, scene->model, state, &info) != PCS_OK) {
        complain_file(q->resume, CONTENT_CHECKPOINT);
        return false;
    }
    const double h = scene->settings.h, reached = (double)info.steps * h;
    if (!(fabs(info.t - reached) <= 1e-9 * fmax(reached, h))) {
        complain("%s: %ld steps reached t = %g s, with another step than %g s; the run continues,"
                 " but differs from one without interruption",
                 q->resume, info.steps, info.t, h);
    }
    c->steps = info.steps;
    c->at_limit = *most > 0 && info.steps >= *most;
    if (*most > 0 && !c->at_limit) *most -= (int)info.steps;
    return true;
}

// the path of the checkpoint of an interrupted run when none was given
static char *checkpoint_name(const request *q)
{
    if (q->checkpoint) return join(q->checkpoint, "", "");
    const char *slash = strrchr(q->path, '/');
    return join(slash ? slash + 1 : q->path, "", ".checkpoint");
}

static int interrupted_end(const request *q, const pcs_model *m, const pcs_state *state, long steps)
{
    char *path = checkpoint_name(q);
    const bool good = write_checkpoint(path, m, state, steps);
    if (good) {
        const bool changed =
            q->step > 0 || q->until > 0 || q->step_seconds > 0 || q->step_sweeps > 0;
        complain("interrupted at t = %g s; continue with: percuss run %s --resume %s%s%s", state->t,
                 q->path, path, q->sleep ? " --sleep" : "",
                 changed ? ", and the same flags for steps and the end" : "");
    }
    free(path);
    return good ? INTERRUPTED : WRONG;
}

static int steps_and_report(const request *q, pcs_scene *scene, pcs_state *state, pcs_work *work,
                            companions *c)
{
    pcs_scene_end end;
    pcs_run_report report;
    c->progress = progress_begin(q->quiet, state->t, scene->settings.t_end);
    const pcs_status status = pcs_scene_run(scene, state, work, observe, c, &end, &report);
    progress_end(&c->progress);
    if (c->refused) return WRONG;
    if (c->at_limit) end = PCS_SCENE_END_STEPS;
    char why[512];
    snprintf(why, sizeof why, "%s", status == PCS_OK ? "" : pcs_error_text());
    // the observer does not get a step that was not committed
    if (status == PCS_ERR_STEP) {
        add_attempt(&c->sum, &report.last);
        if (!capture_step(&c->capture, &report.last)) c->failed = true;
    }
    if (pcs_recorder_close(c->recorder) != PCS_OK) {
        complain("%s", pcs_error_text());
        c->failed = true;
    }
    c->recorder = NULL;
    if (status != PCS_OK && status != PCS_ERR_STEP) return complain("%s: %s", q->path, why);
    energies(scene->model, state, 1, &c->sum);
    if (q->as_json) {
        print_json(q, scene, state, end_text(c, status, end), why, &report, c);
    } else {
        print_words(q, scene, state, end_text(c, status, end), &report, c);
    }
    if (status != PCS_OK) complain("%s: %s", q->path, why);
    if (c->failed) return WRONG;
    if (interrupted()) return interrupted_end(q, scene->model, state, c->steps);
    return status == PCS_OK && c->sum.unconverged == 0 ? DONE : UNCONVERGED;
}

// the scheme of the scene with what the command asks for; false after a line on stderr
static bool set_scheme(const request *q, pcs_scene *scene)
{
    const bool keeps_time = q->step_seconds > 0 || q->step_sweeps > 0;
    if (!keeps_time && !q->sleep) return true;
    pcs_scheme s = pcs_model_scheme(scene->model);
    s.sleep = s.sleep || q->sleep;
    pcs_status status = PCS_OK;
    if (keeps_time) status = pcs_scheme_keep_time(&s, q->step_sweeps, q->step_seconds);
    if (status == PCS_OK) status = pcs_model_set_scheme(scene->model, &s);
    if (status == PCS_OK) return true;
    complain("%s", pcs_error_text());
    return false;
}

// false after a line where an output would replace a mesh file of the scene, or a captured problem
// any file of the run
static bool outputs_are_free(const request *q, const pcs_scene *scene)
{
    char *checkpoint = checkpoint_name(q);
    const char *const own[] = {q->path, q->resume, q->trajectory, checkpoint};
    bool good = true;
    for (size_t i = 0; i < sizeof own / sizeof *own && good; ++i) {
        good = !capture_replaces(&q->capture, own[i]);
    }
    for (const struct named_file *f = scene->memory->files; f && good; f = f->next) {
        good = !replaces_input(q->trajectory, f->path) && !replaces_input(checkpoint, f->path) &&
               !capture_replaces(&q->capture, f->path);
    }
    free(checkpoint);
    return good;
}

static int run_scene(const request *q, pcs_scene *scene, pcs_state *state, pcs_work *work)
{
    if (q->until > 0) scene->settings.t_end = q->until;
    if (q->step > 0) scene->settings.h = q->step;
    if (!(scene->settings.h > 0)) {
        return complain("%s: it does not say how long a step is: write \"run\": {\"h\": 0.001}, or"
                        " use --step",
                        q->path);
    }
    if (!(scene->settings.t_end > 0)) {
        return complain("%s: it does not say when it ends: write \"run\": {\"t_end\": 1}, or use"
                        " --until",
                        q->path);
    }
    if (pcs_work_set_threads(work, q->threads) != PCS_OK) return complain("%s", pcs_error_text());
    companions c = {.q = q, .scene = scene, .capture = q->capture};
    c.capture.scene = q->path;
    c.capture.steps = scene->settings.t_end / scene->settings.h;
    interrupts_begin();
    // outputs that cannot be written are refused before the first step
    if (!outputs_are_free(q, scene) || !resume(q, scene, state, &c) ||
        !output_possible(q->checkpoint) || !capture_begin(&c.capture, work, c.steps + 1)) {
        return WRONG;
    }
    const int code = steps_and_report(q, scene, state, work, &c);
    capture_end(&c.capture);
    return code;
}

static int run_file(const request *q)
{
    // what an interrupt may write, too
    char *checkpoint = checkpoint_name(q);
    bool replaces = replaces_input(checkpoint, q->path);
    if (!replaces && q->trajectory && same_place(checkpoint, q->trajectory)) {
        complain("%s is where an interrupt writes a checkpoint; choose another name for -o",
                 q->trajectory);
        replaces = true;
    }
    free(checkpoint);
    if (replaces) return WRONG;
    pcs_scene *scene = NULL;
    pcs_state *state = NULL;
    pcs_work *work = NULL;
    int code;
    if (pcs_scene_read(NULL, q->path, &scene) != PCS_OK) {
        code = complain_file(q->path, CONTENT_SCENE);
    } else if (!set_scheme(q, scene)) {
        code = WRONG;
    } else if (pcs_state_create(scene->model, &state) != PCS_OK ||
               pcs_work_create(scene->model, &work) != PCS_OK) {
        code = complain("%s", pcs_error_text());
    } else {
        code = run_scene(q, scene, state, work);
    }
    pcs_work_destroy(work);
    pcs_state_destroy(state);
    pcs_scene_destroy(scene);
    return code;
}

static int run_run(int argc, char **argv)
{
    request q = {.threads = 1};
    const args_flag flags[] = {
        {"--until", 0, ARGS_REAL, &q.until, .low = 0, .high = HUGE_VAL, .low_excluded = true,
         .what = "T", .help = "end of the run, s (default: that of the scene)"},
        {"--step", 0, ARGS_REAL, &q.step, .low = 0, .high = HUGE_VAL, .low_excluded = true,
         .what = "H", .help = "size of a step, s (default: that of the scene)"},
        {"--step-seconds", 0, ARGS_REAL, &q.step_seconds, .low = 0, .high = HUGE_VAL,
         .low_excluded = true, .what = "S",
         .help = "keep time: end a step after S seconds with the best iterate"},
        {"--step-sweeps", 0, ARGS_INT, &q.step_sweeps, .low = 1, .high = 1000000000, .what = "N",
         .help = "the same after N sweeps in all its solves together; the same bits everywhere"},
        {"--threads", 0, ARGS_INT, &q.threads, .low = 1, .high = 256, .what = "N",
         .help = "threads that work on a step; the result does not depend on their number"},
        {"--sleep", 0, ARGS_BOOL, &q.sleep,
         .help = "bodies sleep while it is proven that they rest (scheme key: sleep)"},
        {"--output", 'o', ARGS_OUT, &q.trajectory, .what = "TRAJ.h5",
         .help = "record the motion (doc/trajectories.md)"},
        {"--every", 0, ARGS_INT, &q.every, .low = 1, .high = INT_MAX, .what = "N",
         .help = "a frame after every N steps (default: as in the scene, else every step)"},
        {"--checkpoint", 0, ARGS_OUT, &q.checkpoint, .may_replace = true, .what = "FILE",
         .help = "where --checkpoint-every and an interrupt write a checkpoint"},
        {"--checkpoint-every", 0, ARGS_INT, &q.checkpoint_every, .low = 1, .high = INT_MAX,
         .what = "N", .help = "write one after every N steps"},
        {"--resume", 0, ARGS_IN, &q.resume, .what = "FILE",
         .help = "continue from a checkpoint of this scene, with the same bits"},
        {"--capture", 0, ARGS_OUT, &q.capture.folder, .what = "FOLDER",
         .help = "store the contact problem of each step, for percuss solve and bench"},
        {"--capture-failing", 0, ARGS_BOOL, &q.capture.failing,
         .help = "only problems that were not solved"},
        {"--capture-form", 0, ARGS_CHOICE, &q.capture.form, .what = CAPTURE_FORMS,
         .help = "as the step solves it, with its bits; M, H, f, w as FCLIB's HDF5; or W, q"},
        {"--capture-solves", 0, ARGS_BOOL, &q.capture.solves,
         .help = "every solve of a step, not only the last one"},
        {"--quiet", 'q', ARGS_BOOL, &q.quiet, .help = "no progress on stderr"},
        {"--hash", 0, ARGS_BOOL, &q.hash, .help = "print a hash of the last state"},
        {"--json", 0, ARGS_BOOL, &q.as_json, .help = "one object in place of words"},
    };
    args a = {.command = "run",
              .words = "SCENE.json",
              .about = "Steps a scene to its end and prints the result.",
              .least = 1,
              .most = 1,
              ARGS_FLAGS(flags)};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    q.path = a.word[0];
    if (q.every > 0 && !q.trajectory) {
        return complain("--every needs a trajectory: add -o TRAJ.h5");
    }
    if (q.checkpoint_every > 0 && !q.checkpoint) {
        return complain("--checkpoint-every needs a file: add --checkpoint FILE");
    }
    if ((q.capture.failing || q.capture.solves || q.capture.form) && !q.capture.folder) {
        return complain("--capture-failing, --capture-form and --capture-solves need a folder: add "
                        "--capture FOLDER");
    }
    return finish_output(run_file(&q));
}

const command command_run = {"run", "run a scene", run_run};
