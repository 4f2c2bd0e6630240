// Tables of the results of runs of scenes.
#include "scene_report.h"

#include <math.h>

void scene_report_head(void)
{
    printf("%-10s %9s %9s %9s %7s %9s %8s %7s %9s %5s %9s %7s %9s %4s\n", "engine", "cpu ms",
           "most ms", "wall ms", "ratio", "ns/cont.", "contacts", "iters", "residual", "bad",
           "overlap %", "E/E0", "rise", "out");
}

void scene_report(const engine *e, const course *c, const result *r, const result *ours)
{
    if (!r->ran) {
        printf("%-10s failed\n", e->name);
        return;
    }
    printf("%-10s %9.3f %9.3f %9.3f %7.3f %9.0f %8.0f %7.1f %9.1e %5d %9.4f %7.4f %9.1e %4d\n",
           e->name, 1e3 * r->cpu, 1e3 * r->cpu_most, 1e3 * r->wall,
           ours->ran ? ours->cpu / r->cpu : NAN, 1e9 * r->cpu * r->steps / r->contact_steps,
           r->contacts, r->iterations, r->residual, r->bad, 100 * r->deepest / c->size, r->energy,
           r->rise, r->outside);
}

void scene_report_details(const course *c, const result *r)
{
    if (!r->ran) return;
    printf("  sweeps: %d cold, %.2f warm, %d at most; finish: %d cold, %.2f warm, %d at most\n",
           r->cold_iterations, r->warm_iterations, r->most_iterations, r->cold_finish,
           r->warm_finish, r->most_finish);
    printf("  active %.0f; islands %.1f, the largest of %d; projection %.2f, residual %.1e\n",
           r->active, r->islands, r->largest, r->projections, r->projected);
    if (r->bad > 0) printf("  %d steps did not converge, the last: %s\n", r->bad, r->bad_words);
    if (r->steps * c->h > c->still_from) printf("  at rest since %g s\n", c->still_from);
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

bool scene_report_verdicts(const verdict *v, int n)
{
    bool all = true;
    for (int i = 0; i < n; ++i) {
        const bool holds = verdict_holds(&v[i]);
        printf("  %s: %.3e, at most %g%s\n", v[i].what, v[i].value, v[i].most,
               holds ? "" : " FAILED");
        all = all && holds;
    }
    return all;
}

const char *const scene_csv_head =
    "scene,bodies,engine,tolerance,threads,steps,cpu_seconds,cpu_most,wall_seconds,"
    "contacts,iterations,cold_iterations,warm_iterations,most_iterations,finish,"
    "cold_finish,warm_finish,most_finish,residual,bad,"
    "overlap,energy,rise,outside,moved,off,bytes_body,bytes_contact,bytes_held,"
    "bytes_resident,hash";

void scene_csv_row(FILE *f, const char *scene, const course *c, const engine *e,
                   const engine_options *o, const result *r)
{
    fprintf(f, "%s,%d,%s,%g,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%.9g,%d", scene, r->n, e->name,
            e->iterations > 0 ? NAN : o->tol, o->threads, r->steps, r->cpu, r->cpu_most, r->wall,
            r->contacts, r->iterations, r->cold_iterations, r->warm_iterations, r->most_iterations);
    fprintf(f, ",%.9g,%d,%.9g,%d,%.9g,%d", r->finish, r->cold_finish, r->warm_finish,
            r->most_finish, r->residual, r->bad);
    fprintf(f, ",%.9g,%.9g,%.9g,%d,%.9g,%.9g,%.0f,%.0f,%.0f,%.0f,%016llx\n", r->deepest / c->size,
            r->energy, r->rise, r->outside, r->moved, r->off, r->per_body, r->per_contact, r->held,
            r->resident, r->hash);
}
