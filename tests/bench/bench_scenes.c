// Many bodies: the scenes of examples/scenes with one scheme, and, if built with the peers, the
// same scenes in other engines, one after another in the same run.
//
//     bench_scenes [--list] [--scene all|NAME,...] [--side N] [--steps N] [--tol T]
//                  [--iterations N] [--threads N] [--repeats N] [--every N]
//                  [--engines NAME,...] [--csv FILE] [--trace FILE]
//     bench_scenes --hash [--scene ...] [--side N] [--steps N] [--tol T] [--threads N]
//
// --hash prints a line per scene: its name and a hash of the state of percuss at the end. A run
// that is saved and loaded half way, and one that continues from a copy, must have the same hash
// (else exit code 1). tests/hashes compares these lines.
//
// Without --scene the bench runs all scenes that do not take long. Exit code 1: an engine failed,
// or a run of percuss did not keep the limits of scene_check.c: overlap, energy, residual, rest,
// known ends.
//
// The times are those of everything an engine does in a step: processor time of the process, and
// wall-clock time. They do not include setup, nor the measure of overlap and energy, which the
// bench makes from poses and velocities alone, by brute force over all pairs, in the first
// repetition (of percuss after every step, of the others after every tenth; --every N: after every
// Nth). The fastest repetition counts.
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "scene_hash.h"
#include "scene_report.h"

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

static const engine *const engines[] = {
    &engine_percuss,
#ifdef BENCH_PEERS
    &engine_ode_20,
    &engine_ode_100,
    &engine_bullet,
#endif
};
enum { ENGINES = COUNT(engines) };

typedef struct flags {
    const char *scene, *engines, *csv, *trace;
    int side, steps, iterations, threads, repeats, every;
    double tol;
    bool list, hash;
} flags;

static bool takes_part(const engine *e, const course *c, const flags *f)
{
    return scene_listed(f->engines, e->name) && (c->s || e->create_model);
}

// ---- all of a scene ---------------------------------------------------------------------------

// every repetition of every engine in turn; false if one of them failed
static bool run_engines(const course *c, const flags *f, const engine_options *o, int steps,
                        FILE *trace, result best[ENGINES])
{
    bool all = true;
    for (int r = 0; r < f->repeats; ++r) {
        for (int i = 0; i < ENGINES; ++i) {
            if (!takes_part(engines[i], c, f)) continue;
            const int own = engines[i]->iterations > 0 ? 10 : 1;
            const int every = r > 0 ? 0 : f->every > 0 ? f->every : own;
            const result now = scene_run(engines[i], c, o, steps, every, r == 0 ? trace : NULL);
            if (r == 0) {
                best[i] = now;
            } else {
                scene_keep_faster(&best[i], &now);
            }
            if (!best[i].ran) all = false;
        }
    }
    return all;
}

// s for bodies_destroy
static course open_course(const bench_scene *b, const flags *f, bodies *s)
{
    *s = (bodies){0};
    if (!b->model && !(b->of_side ? b->of_side(s, f->side) : b->alone(s))) {
        fprintf(stderr, "bench_scenes: out of memory\n");
        exit(2);
    }
    return b->model ? course_of_model(b->model) : course_of_bodies(s);
}

static bool hash_scene(const bench_scene *b, const flags *f)
{
    bodies s;
    const course c = open_course(b, f, &s);
    const engine_options o = {f->tol > 0 ? f->tol : b->tol, f->iterations, f->threads};
    unsigned long long hash;
    const bool good = scene_hash(b->name, &c, &o, f->steps > 0 ? f->steps : c.steps, &hash);
    if (good) printf("%-16s %016llx\n", b->name, hash);
    fflush(stdout);
    bodies_destroy(&s);
    return good;
}

static bool run_scene(const bench_scene *b, const flags *f, FILE *csv, FILE *trace)
{
    bodies s;
    const course c = open_course(b, f, &s);
    const int steps = f->steps > 0 ? f->steps : c.steps;
    const engine_options o = {f->tol > 0 ? f->tol : b->tol, f->iterations, f->threads};
    result best[ENGINES] = {0};
    bool good = run_engines(&c, f, &o, steps, trace, best);

    printf("\n%s: %s; %d bodies, %d steps, tolerance %g, %d thread%s\n", b->name, b->text,
           b->model ? best[0].n : s.n, steps, o.tol, o.threads, o.threads == 1 ? "" : "s");
    scene_report_head();
    for (int i = 0; i < ENGINES; ++i) {
        if (!takes_part(engines[i], &c, f)) continue;
        scene_report(engines[i], &c, &best[i], &best[0]);
        if (i == 0) {
            verdict v[MOST_VERDICTS];
            scene_report_details(&c, &best[i]);
            good = scene_report_verdicts(v, scene_verdicts(b, &c, &o, &best[i], v)) && good;
        }
        if (csv) scene_csv_row(csv, b->name, &c, engines[i], &o, &best[i]);
    }
    fflush(stdout);
    bodies_destroy(&s);
    return good;
}

// ---- flags ------------------------------------------------------------------------------------

static void list(void)
{
    const bench_scene *scene;
    const int n = scene_list(&scene);
    for (int i = 0; i < n; ++i) {
        printf("%-16s %s%s%s\n", scene[i].name, scene[i].text,
               scene[i].model ? " (percuss only)" : "", scene[i].slow ? " (when named)" : "");
    }
    for (int i = 0; i < ENGINES; ++i) {
        printf("%s%s", i == 0 ? "engines: " : ", ", engines[i]->name);
    }
    printf("\n");
}

static flags read_flags(int argc, char **argv)
{
    flags f = {.side = 10, .threads = 1, .repeats = 1};
    const bench_option options[] = {
        BENCH_WORD("--scene", &f.scene),      BENCH_COUNT("--side", &f.side),
        BENCH_COUNT("--steps", &f.steps),     BENCH_REAL("--tol", &f.tol),
        BENCH_COUNT("--threads", &f.threads), BENCH_COUNT("--iterations", &f.iterations),
        BENCH_COUNT("--repeats", &f.repeats), BENCH_COUNT("--every", &f.every),
        BENCH_WORD("--engines", &f.engines),  BENCH_WORD("--csv", &f.csv),
        BENCH_WORD("--trace", &f.trace),      BENCH_FLAG("--hash", &f.hash),
    };
    f.list = bench_options(argc, argv, "bench_scenes", options, COUNT(options));
    return f;
}

// the scenes without --scene: all that do not take long
static bool chosen(const flags *f, const bench_scene *s)
{
    if (!f->scene) return s->slow == 0;
    return (strcmp(f->scene, "all") == 0 && s->slow < 2) || scene_listed(f->scene, s->name);
}

int main(int argc, char **argv)
{
    const flags f = read_flags(argc, argv);
    if (f.list) {
        list();
        return 0;
    }
    FILE *csv = bench_table(f.csv, scene_csv_head);
    FILE *trace = bench_table(f.trace, scene_trace_head);
    bool found = false, good = true;
    const bench_scene *scene;
    const int n = scene_list(&scene);
    for (int i = 0; i < n; ++i) {
        if (!chosen(&f, &scene[i])) continue;
        found = true;
        good = (f.hash ? hash_scene(&scene[i], &f) : run_scene(&scene[i], &f, csv, trace)) && good;
    }
    if (!found) fprintf(stderr, "bench_scenes: there is no scene %s; --list names them\n", f.scene);
    bench_table_close(csv, f.csv);
    bench_table_close(trace, f.trace);
    return !found ? 2 : good ? 0 : 1;
}
