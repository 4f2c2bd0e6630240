// A lattice of spheres or cubes falls into an open box and becomes a pile.
//
// The scenes A and B on which engines are compared (scenes/lattice), with a small side. What must
// hold is measured by brute force, from poses alone: no two bodies and no body and wall overlap by
// more than a thousandth of their size, energy rises by no more than what the projection lifts,
// nobody leaves.
#include "args.h"
#include "checks.h"
#include "csv.h"
#include "overlap.h"
#include "scenes/bodies_model.h"
#include "scenes/lattice.h"

#include <percuss/kernel.h>

#include <math.h>
#include <stdio.h>

typedef struct settings {
    int scene, side, steps, solver, budget;
    double tol, allowed;
    const char *csv;
} settings;

static bool read_flags(settings *set, int argc, char **argv, int *code)
{
    *set = (settings){.side = 5, .budget = 100000, .tol = 1e-4, .allowed = 1e-3};
    args a = {.about = "Spheres or cubes fall into a box: overlap, energy, and who leaves."};
    args_choice(&a, "--scene", &set->scene, "spheres|cubes", "what falls");
    args_int(&a, "--side", &set->side, 1, 46, "of the lattice: side^3 bodies");
    args_int(&a, "--steps", &set->steps, 0, 1000000, "0: as many as the scene has");
    args_choice(&a, "--solver", &set->solver, "nsgs|auto", "of the velocity problems");
    args_positive(&a, "--tol", &set->tol, "", "of the velocity problems");
    args_int(&a, "--budget", &set->budget, 1, 1000000000,
             "of one such problem: sweeps of nsgs, work units of auto");
    args_positive(&a, "--overlap", &set->allowed, "", "allowed, over the size of a body");
    args_string(&a, "--csv", &set->csv, "FILE",
                "write every step: time, energy over that at the start, deepest overlap, "
                "contacts, iterations, residual");
    const bool go = args_parse(&a, argc, argv);
    *code = a.exit_code;
    return go;
}

// worst over the run
typedef struct watch {
    double overlap, rise, residual, closure; // m, J
    double start, energy;                    // J
    int outside;                             // most at once
    long steps, loose;
    bool stuck;
} watch;

static pcs_status step(const bodies *s, const pcs_model *m, pcs_state *st, pcs_work *wk, csv *out,
                       watch *w)
{
    pcs_step_report report;
    PCS_TRY(pcs_step(m, st, wk, s->h, &report));
    w->stuck = !report.committed;
    if (w->stuck) return PCS_OK;

    overlaps now;
    if (!overlap_measure(s, st->q, st->v, &now)) return PCS_ERR_MEMORY;
    w->steps += 1;
    w->loose += report.outcome != PCS_CONVERGED;
    w->overlap = fmax(w->overlap, now.deepest);
    // the projection lifts what it parts, and books it
    w->rise = fmax(w->rise, now.energy - w->energy - fmax(0, report.energy.projection));
    w->energy = now.energy;
    w->residual = fmax(w->residual, report.solve.measure.residual);
    w->closure = fmax(w->closure, fabs(report.energy.closure));
    w->outside = now.outside > w->outside ? now.outside : w->outside;
    CSV_ROW(out, st->t, now.energy / w->start, now.deepest, report.active, report.solve.iters,
            report.solve.measure.residual);
    if (w->steps % 40 == 0) {
        printf("%8.3f %10.6f %12.3e %10d %10d %12.3e\n", st->t, now.energy / w->start,
               now.deepest / s->size, report.active, report.solve.iters,
               report.solve.measure.residual);
    }
    return PCS_OK;
}

static pcs_status fall(const settings *set, const bodies *s, csv *out, watch *w)
{
    pcs_scheme scheme = bodies_scheme(set->tol);
    if (set->solver == 1) {
        scheme.solver = pcs_solver_defaults(PCS_AUTO);
        scheme.solver.tol = set->tol;
    }
    scheme.solver.max_iters = set->budget;
    scheme.accept_unconverged = true;
    *w = (watch){0};

    pcs_model *m = NULL;
    pcs_state *st = NULL;
    pcs_work *wk = NULL;
    pcs_status status = bodies_model(NULL, s, &scheme, &m);
    if (status == PCS_OK) status = pcs_state_create(m, &st);
    if (status == PCS_OK) status = pcs_work_create(m, &wk);
    overlaps start;
    if (status == PCS_OK && !overlap_measure(s, st->q, st->v, &start)) status = PCS_ERR_MEMORY;
    if (status == PCS_OK) w->start = w->energy = start.energy;

    const int steps = set->steps > 0 ? set->steps : s->steps;
    printf("\n%8s %10s %12s %10s %10s %12s\n", "time", "E/E0", "overlap", "contacts", "iterations",
           "residual");
    for (int i = 0; i < steps && status == PCS_OK && !w->stuck; ++i) {
        status = step(s, m, st, wk, out, w);
    }
    pcs_work_destroy(wk);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
    return status;
}

int main(int argc, char **argv)
{
    settings set;
    int code;
    if (!read_flags(&set, argc, argv, &code)) return code;

    csv out;
    if (!csv_open(&out, set.csv, "t,energy,overlap,contacts,iterations,residual")) return 2;
    bodies s = {0};
    watch w = {0};
    const bool built = set.scene == 0 ? lattice_spheres(&s, set.side) : lattice_cubes(&s, set.side);
    pcs_status status = built ? fall(&set, &s, &out, &w) : PCS_ERR_MEMORY;
    if (status != PCS_OK) {
        bodies_destroy(&s);
        csv_drop(&out);
        return say_error("pile", status);
    }
    checks c = checks_begin();
    check_that(&c, "every step taken", !w.stuck, w.stuck ? "not the last" : "yes");
    check_value(&c, "steps not converged", (double)w.loose, 0, 0.05 * (double)w.steps);
    check_value(&c, "worst residual", w.residual, 0, fmax(1e-4, 10 * set.tol));
    check_value(&c, "deepest overlap over size", w.overlap / s.size, 0, set.allowed);
    check_value(&c, "largest rise of energy, over E0", w.rise / w.start, 0, 1e-6);
    check_value(&c, "energy ledger of every step, over E0", w.closure / w.start, 0, 1e-12);
    check_value(&c, "bodies outside", w.outside, 0, 0);
    bodies_destroy(&s);
    if (!csv_close(&out)) return 2;
    return checks_end(&c);
}
