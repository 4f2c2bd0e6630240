// Linearisation along a trajectory: at its points, one after another.
#include "ode/ltv.h"

#include <string.h>

#include "ode/driven_plant.h"
#include "ode/integrator.h"

// the source of the points
typedef struct source {
    pcs_trajectory_fn trajectory; // or null: the points come from the run
    void *user;
    pcs_driven *driven;
    pcs_integrator *run;
} source;

static pcs_status point_of_callback(const source *from, const pcs_ltv *ltv, double t, double *x,
                                    double *u)
{
    const unsigned long mark = pcs_fail_mark();
    const int code = from->trajectory(from->user, t, x, u);
    if (code == 0 && pcs_all_finite(x, (size_t)ltv->nx) && pcs_all_finite(u, (size_t)ltv->nu)) {
        return PCS_OK;
    }
    return pcs_fail_since(mark, PCS_ERR_CALLBACK,
                          "pcs_linearise_along: the trajectory returned %d at t = %.9g, or gave a "
                          "number that is not finite",
                          code, t);
}

static pcs_status point_of_run(const source *from, const pcs_ltv *ltv, double t, double *x,
                               double *u)
{
    pcs_ode_report report;
    PCS_TRY(pcs_integrator_advance(from->run, t, &report));
    if (report.end == PCS_ODE_EVENT && from->run->t < t) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_linearise_run: a terminal event ends the run at t = %.9g, before the time %.9g "
            "that was requested; linearise up to the event, then start again from it",
            from->run->t, t);
    }
    memcpy(x, from->run->x, (size_t)ltv->nx * sizeof *x);
    return driven_input(from->driven, t, u);
}

static double *part(double *all, int k, int rows, int columns)
{
    return all ? all + (size_t)k * (size_t)rows * (size_t)columns : NULL;
}

static pcs_status fill(const pcs_plant *plant, pcs_derivative how, const source *from,
                       pcs_arena work, pcs_ltv *ltv)
{
    const int nx = ltv->nx, nu = ltv->nu, ny = ltv->ny;
    double *x = PCS_TAKE(&work, (size_t)nx, double), *u = PCS_TAKE(&work, (size_t)nu, double);
    if (!x || !u) return pcs_fail_memory("pcs_linearise_along (work arena)");
    for (int k = 0; k < ltv->n; ++k) {
        const double t = ltv->t[k];
        PCS_TRY((from->trajectory ? point_of_callback : point_of_run)(from, ltv, t, x, u));
        PCS_TRY(pcs_linearise(plant, how, t, x, u, work, part(ltv->A, k, nx, nx),
                              part(ltv->B, k, nx, nu), part(ltv->C, k, ny, nx),
                              part(ltv->D, k, ny, nu)));
        if (ltv->x) memcpy(part(ltv->x, k, nx, 1), x, (size_t)nx * sizeof *x);
        if (ltv->u && nu > 0) memcpy(part(ltv->u, k, nu, 1), u, (size_t)nu * sizeof *u);
    }
    return PCS_OK;
}

static pcs_status check(const pcs_plant *plant, const pcs_ltv *ltv, const char *who)
{
    PCS_TRY(plant_check(plant, who));
    PCS_TRY(ltv_check(ltv, who));
    if (ltv->nx == plant->nx && ltv->nu == plant->nu && ltv->ny == plant->ny) return PCS_OK;
    return pcs_fail(PCS_ERR_SIZE,
                    "%s: ltv is for %d states, %d inputs, %d outputs, the plant has %d, %d, %d",
                    who, ltv->nx, ltv->nu, ltv->ny, plant->nx, plant->nu, plant->ny);
}

pcs_status pcs_linearise_along(const pcs_plant *plant, pcs_derivative how,
                               pcs_trajectory_fn trajectory, void *user, pcs_arena work,
                               pcs_ltv *ltv)
{
    PCS_TRY(check(plant, ltv, "pcs_linearise_along"));
    if (!trajectory) {
        return pcs_fail(PCS_ERR_ARG, "pcs_linearise_along: the trajectory must not be null");
    }
    return fill(plant, how, &(source){.trajectory = trajectory, .user = user}, work, ltv);
}

pcs_status pcs_linearise_run(pcs_driven *driven, pcs_derivative how, pcs_integrator *run,
                             pcs_arena work, pcs_ltv *ltv)
{
    const char *who = "pcs_linearise_run";
    if (!driven || !run) return pcs_fail(PCS_ERR_ARG, "%s: driven or run is null", who);
    PCS_TRY(check(driven_plant(driven), ltv, who));
    pcs_ode ode;
    PCS_TRY(pcs_driven_ode(driven, &ode));
    if (run->kind != ODE_EXPLICIT_FORM || run->ode.f != ode.f || run->ode.user != ode.user) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the run integrates something else; make it with pcs_driven_ode of "
                        "this driven plant, or give the trajectory to pcs_linearise_along",
                        who);
    }
    if (!run->started || run->t > ltv->t[0]) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the run must have been started, at or before the first time %.9g", who,
                        ltv->t[0]);
    }
    return fill(driven_plant(driven), how, &(source){.driven = driven, .run = run}, work, ltv);
}
