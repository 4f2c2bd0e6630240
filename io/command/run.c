// percuss run: steps a scene to its end.
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/save.h>
#include <percuss/scene.h>

#include "command/command_line.h"
#include "command/json.h"

typedef struct request {
    const char *path;
    double until, step; // 0: those of the scene
    int threads;
    bool hash, as_json;
} request;

// what the steps have in common
typedef struct summary {
    long unconverged;
    int contacts, most_contacts;
    double residual, penetration, seconds;
    double kinetic[2], potential[2]; // at the start and at the end, J
    double closure;                  // J, all steps
} summary;

static void energies(const pcs_model *m, const pcs_state *state, int end, summary *s)
{
    if (pcs_state_kinetic_energy(m, state, &s->kinetic[end]) != PCS_OK) s->kinetic[end] = NAN;
    if (pcs_state_potential_energy(m, state, &s->potential[end]) != PCS_OK) s->potential[end] = NAN;
}

static int observe(void *user, const pcs_model *m, const pcs_state *state, pcs_work *work,
                   const pcs_step_report *report)
{
    summary *s = user;
    (void)work;
    if (!report) {
        energies(m, state, 0, s);
        return interrupted();
    }
    s->contacts = report->active;
    if (report->active > s->most_contacts) s->most_contacts = report->active;
    s->unconverged += report->outcome != PCS_OUTCOME_CONVERGED;
    s->residual = fmax(s->residual, report->solve.measure.residual);
    s->penetration = fmax(s->penetration, report->penetration);
    s->seconds += report->seconds;
    s->closure += fabs(report->energy.closure);
    return interrupted();
}

static const char *end_text(pcs_status status, pcs_scene_end end)
{
    if (status != PCS_OK) return "a step did not succeed";
    return interrupted() ? "interrupted" : pcs_scene_end_text(end);
}

static void print_json(const request *q, const pcs_scene *scene, const pcs_state *state,
                       const char *end, const pcs_run_report *report, const summary *s)
{
    char hash[20];
    snprintf(hash, sizeof hash, "%016llx", pcs_state_hash(state));
    json j = {.out = stdout};
    json_open(&j, NULL, '{');
    json_text(&j, "file", q->path);
    json_text(&j, "name", scene->name);
    json_text(&j, "end", end);
    json_real(&j, "t", state->t);
    json_int(&j, "steps", report->steps);
    json_int(&j, "unconverged", s->unconverged);
    json_int(&j, "contacts", s->contacts);
    json_int(&j, "most_contacts", s->most_contacts);
    json_real(&j, "residual", s->residual);
    json_real(&j, "penetration", s->penetration);
    json_reals(&j, "kinetic", 2, s->kinetic);
    json_reals(&j, "potential", 2, s->potential);
    json_real(&j, "closure", s->closure);
    json_real(&j, "seconds", s->seconds);
    json_text(&j, "doubts", report->doubts);
    json_text(&j, "hash", hash);
    json_close(&j, '}');
}

static void print_words(const request *q, const pcs_scene *scene, const pcs_state *state,
                        const char *end, const pcs_run_report *report, const summary *s)
{
    char *name = readable(*scene->name ? scene->name : q->path);
    printf("%s: %ld steps to t = %g s; %s\n", name, report->steps, state->t, end);
    printf("contacts     %d in the last step, %d at most\n", s->contacts, s->most_contacts);
    printf("residual     %.2g at worst, %ld steps not converged\n", s->residual, s->unconverged);
    printf("penetration  %.2g m at worst\n", s->penetration);
    printf("energy       kinetic %.6g -> %.6g J, potential %.6g -> %.6g J, ledger open by %.1g J\n",
           s->kinetic[0], s->kinetic[1], s->potential[0], s->potential[1], s->closure);
    printf("time         %.3g s\n", s->seconds);
    if (report->doubts[0]) printf("doubts       %s\n", report->doubts);
    if (q->hash) printf("hash         %016llx\n", pcs_state_hash(state));
    free(name);
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
    summary s = {0};
    pcs_scene_end end;
    pcs_run_report report;
    interrupts_begin();
    const pcs_status status = pcs_scene_run(scene, state, work, observe, &s, &end, &report);
    if (status != PCS_OK && status != PCS_ERR_STEP) {
        return complain("%s: %s", q->path, pcs_error_text());
    }
    energies(scene->model, state, 1, &s);
    if (q->as_json) {
        print_json(q, scene, state, end_text(status, end), &report, &s);
    } else {
        print_words(q, scene, state, end_text(status, end), &report, &s);
    }
    if (status != PCS_OK) complain("%s: %s", q->path, pcs_error_text());
    return status == PCS_OK && s.unconverged == 0 ? DONE : UNCONVERGED;
}

static int run_file(const request *q)
{
    pcs_scene *scene = NULL;
    pcs_state *state = NULL;
    pcs_work *work = NULL;
    int code;
    if (pcs_scene_read(NULL, q->path, &scene) != PCS_OK ||
        pcs_state_create(scene->model, &state) != PCS_OK ||
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
        {"--threads", 0, ARGS_INT, &q.threads, .low = 1, .high = 256, .what = "N",
         .help = "threads that work on a step; the result does not depend on their number"},
        {"--hash", 0, ARGS_BOOL, &q.hash, .help = "print a hash of the last state"},
        {"--json", 0, ARGS_BOOL, &q.as_json, .help = "one object in place of words"},
    };
    args a = {.command = "run",
              .words = "SCENE.json",
              .about = "Steps a scene to its end and says how it went.",
              .least = 1,
              .most = 1,
              .flags = flags,
              .n = sizeof flags / sizeof *flags};
    if (!args_parse(&a, argc, argv)) return a.exit_code;
    q.path = a.word[0];
    return finish_output(run_file(&q));
}

const command command_run = {"run", "run a scene", run_run};
