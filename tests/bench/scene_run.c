// One run of a scene in an engine: times of steps, and poses in between.
#define _POSIX_C_SOURCE 200809L

#include "scene_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench.h"
#include "checks/overlap.h"
#include "checks/run_tally.h"

course course_of_bodies(const bodies *s)
{
    return (course){.s = s,
                    .h = s->h,
                    .size = s->size,
                    .still_from = s->still_from,
                    .steps = s->steps,
                    .perturb_at = s->perturb_at};
}

course course_of_model(const model_scene *m)
{
    return (course){.m = m,
                    .h = m->h,
                    .size = m->size,
                    .still_from = INFINITY,
                    .steps = m->steps,
                    .perturb_at = -1};
}

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

// coordinates of a run, and their measures
typedef struct record {
    double *q, *v;
    double *still; // q at the first observation after the time from which the scene should rest
    bool resting;
    double first_energy, last_energy;
} record;

// measures of bodies by brute force from poses; of a model by its own energy, and overlaps by brute
// force
static bool look(const course *c, const engine *e, const void *self, const record *rec, overlaps *o)
{
    if (c->s) return overlap_measure(c->s, rec->q, rec->v, o);
    const simulation *s = e->simulation(self);
    *o = (overlaps){.energy = e->tally(self)->energy};
    return tally_overlap(s->scene->model, s->state, &o->deepest) == PCS_OK;
}

static void measure(const course *c, const engine *e, const void *self, record *rec, result *out)
{
    overlaps o;
    if (!look(c, e, self, rec, &o)) {
        fprintf(stderr, "bench_scenes: out of memory\n");
        exit(2);
    }
    if (!(o.deepest <= out->deepest)) out->deepest = o.deepest;
    if (o.outside > out->outside) out->outside = o.outside;
    const double rise = (o.energy - rec->last_energy) / rec->first_energy;
    if (rise > out->rise) out->rise = rise;
    rec->last_energy = o.energy;
    out->energy = o.energy / rec->first_energy;
    if (!(out->energy <= out->highest)) out->highest = out->energy;
}

static void start(const course *c, const engine *e, const void *self, record *rec)
{
    for (int i = 0; c->s && i < c->s->n; ++i) {
        const rigid *b = &c->s->body[i];
        double *q = rec->q + 7 * (size_t)i, *v = rec->v + 6 * (size_t)i;
        memcpy(q, b->position, 3 * sizeof *q);
        memcpy(q + 3, b->orientation, 4 * sizeof *q);
        memcpy(v, b->velocity, 3 * sizeof *v);
        memcpy(v + 3, b->omega, 3 * sizeof *v);
    }
    overlaps o;
    if (!look(c, e, self, rec, &o)) exit(2);
    rec->first_energy = rec->last_energy = o.energy;
}

// the largest displacement of a centre since the first observation after which nothing should move
static void follow(const course *c, int n, int k, record *rec, result *out)
{
    const double t = (k + 1) * c->h;
    if (t < c->still_from - 0.5 * c->h) return;
    if (!rec->resting) memcpy(rec->still, rec->q, 7 * (size_t)n * sizeof(double));
    rec->resting = true;
    for (int i = 0; i < n; ++i) {
        const double *a = rec->q + 7 * (size_t)i, *b = rec->still + 7 * (size_t)i;
        const double d = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                              (a[2] - b[2]) * (a[2] - b[2]));
        if (!(d <= out->moved)) out->moved = d;
    }
}

static void count(const course *c, int k, const engine_step *now, result *out)
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
    if (k > 0 && k >= c->perturb_at) out->warm_finish += now->finish;
    if (now->finish > out->most_finish) out->most_finish = now->finish;
    if (k == 0) out->cold_iterations = now->iterations;
    if (k > 0 && k >= c->perturb_at) out->warm_iterations += now->iterations;
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

// bytes per contact at the largest number of contacts, without the bytes for the bodies
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

const char *const scene_trace_head =
    "engine,step,cpu_seconds,contacts,active,islands,iterations,finish,projections,"
    "residual,violation,outcome,deepest_so_far,energy,stages";

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

static void *open_engine(const engine *e, const course *c, const engine_options *o)
{
    return c->s ? e->create(c->s, o) : e->create_model(c->m, o);
}

static void average(const course *c, int steps, result *out)
{
    const int warm = steps - (c->perturb_at > 0 ? c->perturb_at : 1);
    out->warm_iterations /= warm;
    out->warm_finish /= warm;
    double *const means[] = {&out->cpu,        &out->wall,        &out->contacts, &out->active,
                             &out->iterations, &out->projections, &out->finish,   &out->islands};
    for (int i = 0; i < (int)(sizeof means / sizeof *means); ++i) {
        *means[i] /= steps;
    }
    for (int i = 0; i < out->stages; ++i) {
        out->seconds[i] /= steps;
    }
}

// one step, timed; false: the engine cannot continue
static bool take(const engine *e, void *self, double h, engine_step *now, double *cpu, result *out)
{
    const double wall = bench_clock(), begin = processor_seconds();
    const bool goes_on = e->step(self, h, now);
    *cpu = processor_seconds() - begin;
    out->wall += bench_clock() - wall;
    out->cpu += *cpu;
    if (*cpu > out->cpu_most) out->cpu_most = *cpu;
    out->contact_steps += now->contacts;
    return goes_on;
}

result scene_run(const engine *e, const course *c, const engine_options *o, int steps, int every,
                 FILE *trace)
{
    result out = {.off = NAN};
    record rec = {0};
    void *self = open_engine(e, c, o);
    if (!self) return out;
    out.n = c->s ? c->s->n : pcs_model_system_count(e->simulation(self)->scene->model);
    const size_t n = (size_t)out.n;
    rec = (record){.q = need(7 * n, sizeof(double)),
                   .v = need(6 * n, sizeof(double)),
                   .still = need(7 * n, sizeof(double))};
    size_t spare = 0;
    const double bare = e->bytes ? (double)e->bytes(self, &spare) - (double)spare : 0;
    if (every > 0) start(c, e, self, &rec);

    for (int k = 0; k < steps; ++k) {
        if (k == c->perturb_at) {
            e->read(self, rec.q, rec.v);
            bodies_perturb(c->s, rec.q, rec.v);
            e->write(self, rec.q, rec.v);
            if (every > 0) measure(c, e, self, &rec, &(result){0});
        }
        engine_step now;
        double cpu;
        if (!take(e, self, c->h, &now, &cpu, &out)) goto done;
        count(c, k, &now, &out);
        weigh(e, self, out.n, now.contacts, bare, &out);
        if (every > 0 && ((k + 1) % every == 0 || k + 1 == steps)) {
            e->read(self, rec.q, rec.v);
            measure(c, e, self, &rec, &out);
            follow(c, out.n, k, &rec, &out);
        }
        trace_step(trace, e, k, cpu, &now, &out);
    }
    out.ran = true;
    out.steps = steps;
    average(c, steps, &out);
    if (c->m && steps == c->steps) out.off = c->m->off(e->simulation(self));
    if (e->hash) out.hash = e->hash(self);
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) == 0) out.resident = 1024.0 * (double)usage.ru_maxrss;

done:
    e->destroy(self);
    free(rec.q);
    free(rec.v);
    free(rec.still);
    return out;
}

void scene_keep_faster(result *best, const result *now)
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
