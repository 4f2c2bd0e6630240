// Many bodies: the scenes of examples/scenes with one setting of the scheme, and, where built with
// them, the same scenes in the engines of others, in turn in the same run.
//
//     bench_scenes [--list] [--scene NAME] [--side N] [--steps N] [--tol T] [--iterations N]
//                  [--threads N] [--repeats N] [--every N] [--engines NAME,...] [--csv FILE]
//                  [--trace FILE]
//
// Timed is everything an engine does in a step: processor time of the process, and the clock on
// the wall. Not timed, and not the engine's: setup, and the measure of overlap and energy, made
// from poses and velocities alone, by brute force over all pairs, in the first repetition (of
// percuss after every step, of the others after every tenth; --every N: after every Nth). Of
// repetitions, the fastest counts.
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "engine.h"
#include "overlap.h"
#include "scenes/lattice.h"
#include "scenes/resting.h"

#define COUNT(x) ((int)(sizeof(x) / sizeof *(x)))

// ---- scenes and engines -----------------------------------------------------------------------

typedef struct bench_scene {
    const char *name, *text;
    bool (*of_side)(bodies *s, int side); // side^3 bodies
    bool (*alone)(bodies *s);
    double tol;
} bench_scene;

static bool tower(bodies *s)
{
    return resting_tower(s, 10);
}

static const bench_scene scenes[] = {
    {"a", "a lattice of spheres falls into an open box", lattice_spheres, NULL, 1e-4},
    {"b", "a lattice of cubes falls into an open box", lattice_cubes, NULL, 1e-4},
    {"cube", "a cube at rest on the floor, then perturbed", NULL, resting_cube, 1e-10},
    {"plank", "a plank at rest on two blocks, then perturbed", NULL, resting_plank, 1e-10},
    {"heavy", "a cube of 1e4 kg on one of 1 kg", NULL, resting_heavy, 1e-10},
    {"tower", "ten layers of three planks, perturbed at the start, 60 s", NULL, tower, 1e-10},
};

static const engine *const engines[] = {
    &engine_percuss,
#ifdef BENCH_PEERS
    &engine_ode_20,
    &engine_ode_100,
    &engine_bullet,
#endif
};
enum { ENGINES = COUNT(engines) };

// ---- one run ----------------------------------------------------------------------------------

typedef struct flags {
    const char *scene, *engines, *csv, *trace;
    int side, steps, iterations, threads, repeats, every;
    double tol;
} flags;

// of a run; of several, the measures of the first and the times of the fastest
typedef struct result {
    bool ran;
    int steps;
    double cpu, cpu_most, wall; // s: mean and most of a step, mean
    double contacts, active, iterations, finish, islands, projections;
    double contact_steps; // sum of contacts over all steps
    int most_contacts, most_iterations, cold_iterations;
    int most_finish, cold_finish, largest;
    double warm_finish;
    double warm_iterations; // mean since the perturbation, or of all but the first step
    double residual;        // worst
    double projected;       // worst residual of the projections
    int bad;                // steps that did not converge
    const char *bad_words;
    double deepest, energy, rise; // m; over its first value, at the end; largest rise, of that too
    int outside;
    double moved; // m, since still_from
    double per_body, per_contact, held, resident;
    unsigned long long hash;
    int stages;
    const char *stage[MOST_STAGES];
    double seconds[MOST_STAGES];
} result;

static double processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(size_t count, size_t size)
{
    void *x = calloc(count > 0 ? count : 1, size);
    if (!x) {
        fprintf(stderr, "bench_scenes: out of memory\n");
        exit(2);
    }
    return x;
}

// coordinates of a run, and what they were measured to be
typedef struct record {
    double *q, *v, *still;
    double first_energy, last_energy;
} record;

static void measure(const bodies *s, record *rec, result *out)
{
    overlaps o;
    if (!overlap_measure(s, rec->q, rec->v, &o)) {
        fprintf(stderr, "bench_scenes: out of memory\n");
        exit(2);
    }
    if (!(o.deepest <= out->deepest)) out->deepest = o.deepest;
    if (o.outside > out->outside) out->outside = o.outside;
    const double rise = (o.energy - rec->last_energy) / rec->first_energy;
    if (rise > out->rise) out->rise = rise;
    rec->last_energy = o.energy;
    out->energy = o.energy / rec->first_energy;
}

static void start(const bodies *s, record *rec)
{
    for (int i = 0; i < s->n; ++i) {
        double *q = rec->q + 7 * (size_t)i, *v = rec->v + 6 * (size_t)i;
        memcpy(q, s->body[i].position, 3 * sizeof *q);
        memcpy(q + 3, s->body[i].orientation, 4 * sizeof *q);
        memcpy(v, s->body[i].velocity, 3 * sizeof *v);
        memcpy(v + 3, s->body[i].omega, 3 * sizeof *v);
    }
    overlaps o;
    if (!overlap_measure(s, rec->q, rec->v, &o)) exit(2);
    rec->first_energy = rec->last_energy = o.energy;
}

// the largest way of a centre since the time after which nothing should move
static void follow(const bodies *s, int k, record *rec, result *out)
{
    const double t = (k + 1) * s->h;
    if (t < s->still_from - 0.5 * s->h) return;
    if (t < s->still_from + 0.5 * s->h)
        memcpy(rec->still, rec->q, 7 * (size_t)s->n * sizeof(double));
    for (int i = 0; i < s->n; ++i) {
        const double *a = rec->q + 7 * (size_t)i, *b = rec->still + 7 * (size_t)i;
        const double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                              (a[2] - b[2]) * (a[2] - b[2]));
        if (!(d <= out->moved)) out->moved = d;
    }
}

static void count(const bodies *s, int k, const engine_step *now, result *out)
{
    out->contacts += now->contacts;
    out->active += now->active;
    out->iterations += now->iterations;
    out->projected = fmax(out->projected, now->projected);
    out->projections += now->projections;
    out->finish += now->finish;
    out->islands += now->islands;
    if (now->largest > out->largest) out->largest = now->largest;
    if (k == 0) out->cold_finish = now->finish;
    if (k > 0 && k >= s->perturb_at) out->warm_finish += now->finish;
    if (now->finish > out->most_finish) out->most_finish = now->finish;
    if (k == 0) out->cold_iterations = now->iterations;
    if (k > 0 && k >= s->perturb_at) out->warm_iterations += now->iterations;
    if (now->iterations > out->most_iterations) out->most_iterations = now->iterations;
    if (!(now->residual <= out->residual)) out->residual = now->residual;
    if (!now->good) {
        out->bad += 1;
        out->bad_words = now->words;
    }
    out->stages = now->stages;
    for (int i = 0; i < now->stages; ++i) {
        out->stage[i] = now->stage[i];
        out->seconds[i] += now->seconds[i];
    }
}

// bytes for each contact when there were most of them, beyond those for the bodies
static void weigh(const engine *e, void *self, int n, int contacts, double bare, result *out)
{
    if (!e->bytes || contacts <= out->most_contacts) return;
    size_t spare;
    const double held = (double)e->bytes(self, &spare);
    out->most_contacts = contacts;
    out->per_body = bare / n;
    out->per_contact = (held - (double)spare - bare) / contacts;
    out->held = held;
}

static void trace_step(FILE *f, const engine *e, int k, double cpu, const engine_step *now,
                       const result *r)
{
    if (!f) return;
    fprintf(f, "%s,%d,%.6g,%d,%d,%d,%d,%d,%d,%.6g,%.6g,%s,%.6g,%.17g", e->name, k, cpu,
            now->contacts, now->active, now->islands, now->iterations, now->finish,
            now->projections, now->residual, now->violation, now->words, r->deepest, r->energy);
    for (int i = 0; i < now->stages; ++i) {
        fprintf(f, ",%.4g", now->seconds[i]);
    }
    fprintf(f, "\n");
}

static result run(const engine *e, const bodies *s, const engine_options *o, int steps, int every,
                  FILE *trace)
{
    result out = {0};
    const size_t n = (size_t)s->n;
    record rec = {need(7 * n, sizeof(double)), need(6 * n, sizeof(double)),
                  need(7 * n, sizeof(double)), 0, 0};
    void *self = e->create(s, o);
    if (!self) goto done;
    size_t spare = 0;
    const double bare = e->bytes ? (double)e->bytes(self, &spare) - (double)spare : 0;
    if (every > 0) start(s, &rec);

    for (int k = 0; k < steps; ++k) {
        if (k == s->perturb_at) {
            e->read(self, rec.q, rec.v);
            bodies_perturb(s, rec.q, rec.v);
            e->write(self, rec.q, rec.v);
            if (every > 0) measure(s, &rec, &(result){0});
        }
        engine_step now;
        const double wall = bench_clock(), begin = processor_seconds();
        const bool goes_on = e->step(self, s->h, &now);
        const double cpu = processor_seconds() - begin;
        if (!goes_on) goto done;
        out.wall += bench_clock() - wall;
        out.cpu += cpu;
        if (cpu > out.cpu_most) out.cpu_most = cpu;
        out.contact_steps += now.contacts;
        count(s, k, &now, &out);
        weigh(e, self, s->n, now.contacts, bare, &out);
        if (every > 0 && ((k + 1) % every == 0 || k + 1 == steps)) {
            e->read(self, rec.q, rec.v);
            measure(s, &rec, &out);
            follow(s, k, &rec, &out);
        }
        trace_step(trace, e, k, cpu, &now, &out);
    }
    out.ran = true;
    out.steps = steps;
    const int warm = steps - (s->perturb_at > 0 ? s->perturb_at : 1);
    out.warm_iterations /= warm;
    out.warm_finish /= warm;
    double *const means[] = {&out.cpu,        &out.wall,        &out.contacts, &out.active,
                             &out.iterations, &out.projections, &out.finish,   &out.islands};
    for (int i = 0; i < COUNT(means); ++i) {
        *means[i] /= steps;
    }
    for (int i = 0; i < out.stages; ++i) {
        out.seconds[i] /= steps;
    }
    if (e->hash) out.hash = e->hash(self);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) out.resident = 1024.0 * (double)usage.ru_maxrss;

done:
    if (self) e->destroy(self);
    free(rec.q);
    free(rec.v);
    free(rec.still);
    return out;
}

// ---- report -----------------------------------------------------------------------------------

// the times of the faster run; what was measured stays
static void keep_faster(result *best, const result *now)
{
    best->ran = best->ran && now->ran;
    if (now->hash != best->hash) {
        fprintf(stderr, "bench_scenes: two runs of the same scene ended in different states\n");
        best->ran = false;
    }
    if (!(now->cpu < best->cpu)) return;
    best->cpu = now->cpu;
    best->cpu_most = now->cpu_most;
    best->wall = now->wall;
    memcpy(best->seconds, now->seconds, sizeof best->seconds);
}

static void report_head(void)
{
    printf("%-10s %9s %9s %9s %7s %9s %8s %7s %9s %5s %9s %7s %9s %4s\n", "engine", "cpu ms",
           "most ms", "wall ms", "ratio", "ns/cont.", "contacts", "iters", "residual", "bad",
           "overlap %", "E/E0", "rise", "out");
}

static void report(const engine *e, const bodies *s, const result *r, const result *ours)
{
    if (!r->ran) {
        printf("%-10s failed\n", e->name);
        return;
    }
    printf("%-10s %9.3f %9.3f %9.3f %7.3f %9.0f %8.0f %7.1f %9.1e %5d %9.4f %7.4f %9.1e %4d\n",
           e->name, 1e3 * r->cpu, 1e3 * r->cpu_most, 1e3 * r->wall,
           ours->ran ? ours->cpu / r->cpu : NAN, 1e9 * r->cpu * r->steps / r->contact_steps,
           r->contacts, r->iterations, r->residual, r->bad, 100 * r->deepest / s->size, r->energy,
           r->rise, r->outside);
}

// what only percuss tells
static void report_details(const bodies *s, const result *r)
{
    if (!r->ran) return;
    printf("  sweeps: %d cold, %.2f warm, %d at most; finish: %d cold, %.2f warm, %d at most\n",
           r->cold_iterations, r->warm_iterations, r->most_iterations, r->cold_finish,
           r->warm_finish, r->most_finish);
    printf("  active %.0f; islands %.1f, the largest of %d; projection %.2f, residual %.1e\n",
           r->active, r->islands, r->largest, r->projections, r->projected);
    if (r->bad > 0) printf("  %d steps did not converge, the last: %s\n", r->bad, r->bad_words);
    if (isfinite(s->still_from)) {
        printf("  moved since %g s: %.3e m\n", s->still_from, r->moved);
    }
    if (r->per_body > 0) {
        printf("  memory: %.0f bytes a body, %.0f a contact; %.1f MB held, %.1f MB resident\n",
               r->per_body, r->per_contact, 1e-6 * r->held, 1e-6 * r->resident);
    }
    for (int i = 0; i < r->stages; ++i) {
        printf("%s%s %.3f", i == 0 ? "  ms by stage: " : ", ", r->stage[i], 1e3 * r->seconds[i]);
    }
    if (r->stages > 0) printf("\n");
    printf("  state %016llx\n", r->hash);
}

static void csv_head(FILE *f)
{
    fprintf(f, "scene,bodies,engine,tolerance,threads,steps,cpu_seconds,cpu_most,wall_seconds,"
               "contacts,iterations,cold_iterations,warm_iterations,most_iterations,finish,"
               "cold_finish,warm_finish,most_finish,residual,bad,"
               "overlap,energy,rise,outside,moved,bytes_body,bytes_contact,bytes_held,"
               "bytes_resident,hash\n");
}

static void csv_row(FILE *f, const char *scene, const bodies *s, const engine *e,
                    const engine_options *o, const result *r)
{
    fprintf(f, "%s,%d,%s,%g,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%.9g,%d", scene, s->n, e->name,
            e->iterations > 0 ? NAN : o->tol, o->threads, r->steps, r->cpu, r->cpu_most, r->wall,
            r->contacts, r->iterations, r->cold_iterations, r->warm_iterations, r->most_iterations);
    fprintf(f, ",%.9g,%d,%.9g,%d,%.9g,%d", r->finish, r->cold_finish, r->warm_finish,
            r->most_finish, r->residual, r->bad);
    fprintf(f, ",%.9g,%.9g,%.9g,%d,%.9g,%.0f,%.0f,%.0f,%.0f,%016llx\n", r->deepest / s->size,
            r->energy, r->rise, r->outside, r->moved, r->per_body, r->per_contact, r->held,
            r->resident, r->hash);
}

// ---- all of a scene ---------------------------------------------------------------------------

static bool listed(const char *names, const char *name)
{
    if (!names) return true;
    const size_t n = strlen(name);
    for (const char *p = names; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        if (strncmp(p, name, n) == 0 && (p[n] == ',' || p[n] == '\0')) return true;
    }
    return false;
}

static bool run_scene(const bench_scene *c, const flags *f, FILE *csv, FILE *trace)
{
    bodies s;
    if (!(c->of_side ? c->of_side(&s, f->side) : c->alone(&s))) {
        fprintf(stderr, "bench_scenes: out of memory\n");
        exit(2);
    }
    const int steps = f->steps > 0 ? f->steps : s.steps;
    const engine_options o = {f->tol > 0 ? f->tol : c->tol, f->iterations, f->threads};
    result best[ENGINES] = {0};
    bool all = true;
    for (int r = 0; r < f->repeats; ++r) {
        for (int i = 0; i < ENGINES; ++i) {
            if (!listed(f->engines, engines[i]->name)) continue;
            const int own = engines[i]->iterations > 0 ? 10 : 1;
            const int every = r > 0 ? 0 : f->every > 0 ? f->every : own;
            const result now = run(engines[i], &s, &o, steps, every, r == 0 ? trace : NULL);
            if (r == 0) {
                best[i] = now;
            } else {
                keep_faster(&best[i], &now);
            }
            if (!best[i].ran) all = false;
        }
    }

    printf("\n%s: %s; %d bodies, %d steps, tolerance %g, %d thread%s\n", c->name, c->text, s.n,
           steps, o.tol, o.threads, o.threads == 1 ? "" : "s");
    report_head();
    for (int i = 0; i < ENGINES; ++i) {
        if (!listed(f->engines, engines[i]->name)) continue;
        report(engines[i], &s, &best[i], &best[0]);
        if (i == 0) report_details(&s, &best[i]);
        if (csv) csv_row(csv, c->name, &s, engines[i], &o, &best[i]);
    }
    fflush(stdout);
    bodies_destroy(&s);
    return all;
}

// ---- flags ------------------------------------------------------------------------------------

static void usage(void)
{
    fprintf(stderr, "usage: bench_scenes [--list] [--scene NAME] [--side N] [--steps N] [--tol T]"
                    " [--iterations N]\n                    [--threads N] [--repeats N] [--every N]"
                    " [--engines NAME,...]\n                    [--csv FILE] [--trace FILE]\n");
    exit(2);
}

static void list(void)
{
    for (int i = 0; i < COUNT(scenes); ++i) {
        printf("%-10s %s\n", scenes[i].name, scenes[i].text);
    }
    for (int i = 0; i < ENGINES; ++i) {
        printf("%s%s", i == 0 ? "engines: " : ", ", engines[i]->name);
    }
    printf("\n");
}

static int whole(const char *text)
{
    char *end;
    const long n = strtol(text, &end, 10);
    if (end == text || *end != '\0' || n < 1 || n > 1000000000) usage();
    return (int)n;
}

static flags read_flags(int argc, char **argv)
{
    flags f = {.side = 10, .threads = 1, .repeats = 1};
    struct {
        const char *name;
        int *value;
    } const numbers[] = {{"--side", &f.side},       {"--steps", &f.steps},
                         {"--threads", &f.threads}, {"--iterations", &f.iterations},
                         {"--repeats", &f.repeats}, {"--every", &f.every}};
    struct {
        const char *name;
        const char **value;
    } const words[] = {
        {"--scene", &f.scene}, {"--engines", &f.engines}, {"--csv", &f.csv}, {"--trace", &f.trace}};
    for (int i = 1; i < argc; ++i) {
        if (i + 1 == argc) usage();
        bool known = strcmp(argv[i], "--tol") == 0;
        if (known) f.tol = atof(argv[i + 1]);
        if (known && !(f.tol > 0)) usage();
        for (int k = 0; k < COUNT(numbers) && !known; ++k) {
            known = strcmp(argv[i], numbers[k].name) == 0;
            if (known) *numbers[k].value = whole(argv[i + 1]);
        }
        for (int k = 0; k < COUNT(words) && !known; ++k) {
            known = strcmp(argv[i], words[k].name) == 0;
            if (known) *words[k].value = argv[i + 1];
        }
        if (!known) usage();
        i += 1;
    }
    return f;
}

static FILE *open_table(const char *path)
{
    FILE *f = path ? fopen(path, "w") : NULL;
    if (path && !f) {
        fprintf(stderr, "bench_scenes: %s cannot be written\n", path);
        exit(2);
    }
    return f;
}

static void close_table(FILE *f, const char *path)
{
    if (f && fclose(f) != 0) {
        fprintf(stderr, "bench_scenes: %s cannot be written\n", path);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        list();
        return 0;
    }
    const flags f = read_flags(argc, argv);
    FILE *csv = open_table(f.csv), *trace = open_table(f.trace);
    if (csv) csv_head(csv);
    if (trace) {
        fprintf(trace,
                "engine,step,cpu_seconds,contacts,active,islands,iterations,finish,projections,"
                "residual,violation,outcome,deepest_so_far,energy,stages\n");
    }
    bool found = false, good = true;
    for (int i = 0; i < COUNT(scenes); ++i) {
        if (!listed(f.scene, scenes[i].name)) continue;
        found = true;
        good = run_scene(&scenes[i], &f, csv, trace) && good;
    }
    if (!found) fprintf(stderr, "bench_scenes: there is no scene %s; --list names them\n", f.scene);
    close_table(csv, f.csv);
    close_table(trace, f.trace);
    return !found ? 2 : good ? 0 : 1;
}
