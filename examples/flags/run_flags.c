// The flags of a run of bodies that touch, and its scheme.
#include "flags/run_flags.h"

#include <stdio.h>

// Choices of the scheme as args_choice stores them, in the order of their enumerations.
typedef struct choices {
    int activation, projection, metric;
} choices;

static void add_flags(args *a, run_settings *run, unsigned which, choices *of)
{
    if (which & RUN_H) args_positive(a, "--h", &run->h, 10, "s", "time step");
    if (which & RUN_END) args_positive(a, "--tend", &run->t_end, 100, "s", "end of a run");
    if (which & RUN_GRAVITY) {
        args_positive(a, "--gravity", &run->gravity, 10, "m/s^2", "gravity, downwards");
    }
    if (which & RUN_SOLVER) {
        args_choice(a, "--solver", &run->solver, "auto|nsgs", "of the velocity problems");
    }
    if (which & RUN_TOL) {
        args_real(a, "--tol", &run->tol, 1e-5 * run->tol, 1e3 * run->tol, "",
                  "tolerance of the velocity problems");
        args_int(a, "--budget", &run->budget, 10000, 1000000000,
                 "limit for one velocity problem: work units of auto, sweeps of nsgs");
        args_real(a, "--projection-tol", &run->proj_tol, 0, 1, "m",
                  "overlap that the projection leaves; 0: 3e-4 of the smallest edge or diameter");
    }
    if (which & RUN_THETA) args_real(a, "--theta", &run->scheme.theta, 0.5, 1, "", "of the scheme");
    if (which & RUN_ACTIVATION) {
        args_choice(a, "--activation", &of->activation,
                    "automatic|predictive|speculative|end-of-step",
                    "which contacts take part in a step");
        args_real(a, "--gamma", &run->scheme.gamma, 0, 1.5, "",
                  "how far predictive looks ahead, in steps");
    }
    if (which & RUN_PROJECTION) {
        args_choice(a, "--projection", &of->projection,
                    "none|direct|overlaps|direct-hysteresis|combined|combined-equality",
                    "how overlaps are removed; the combined ones activate at the end of the step");
    }
    if (which & RUN_METRIC) {
        args_choice(a, "--metric", &of->metric, "mass|v|q|q1", "of the projection");
    }
    if (which & RUN_THREADS) {
        args_int(a, "--threads", &run->threads, 1, 256,
                 "threads that share a step; the numbers do not depend on it");
    }
}

void run_parse(args *a, run_settings *run, unsigned which, int argc, char **argv)
{
    pcs_scheme *scheme = &run->scheme;
    choices of = {(int)scheme->activation, (int)scheme->projection, (int)scheme->metric};
    if (run->threads == 0) run->threads = 1;
    if (run->budget == 0) run->budget = pcs_scheme_default().solver.max_iters;
    add_flags(a, run, which, &of);
    args_output(a, "--csv", &run->csv, "FILE", a->table);
    args_output(a, "--write-scene", &run->scene, "FILE",
                "write the scene of the first run, for percuss run, and end");
    args_bool(a, "--hash", &run->hash, "run that scene, print a hash of its last state, and end");
    args_parse(a, argc, argv);
    scheme->activation = (pcs_activation)of.activation;
    scheme->projection = (pcs_projection)of.projection;
    scheme->metric = (pcs_metric)of.metric;
    if ((which & (RUN_THETA | RUN_PROJECTION)) && pcs_scheme_check(scheme) != PCS_OK) {
        args_refuse("--theta, --projection and the other flags of the scheme: %s",
                    pcs_error_text());
    }
    const double most = (which & RUN_TOL) ? 2e4 : 2e6; // steps of many bodies are long
    if (which & RUN_END) args_check_steps(run->h, run->t_end, most);
}

void run_scheme(run_settings *run, double size)
{
    if (run->proj_tol > 0.1 * size) {
        args_refuse("--projection-tol %g m is more than a tenth of the smallest edge or diameter, "
                    "%g m",
                    run->proj_tol, size);
    }
    run->scheme = pcs_scheme_default();
    if (run->solver == 1) run->scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    if (run->proj_tol > 0) run->scheme.proj_tol = run->proj_tol;
    run->scheme.solver.tol = run->tol;
    if (run->budget > 0) run->scheme.solver.max_iters = run->budget;
    run->scheme.accept_unconverged = true;
}

static void warn(pcs_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == PCS_LOG_WARNING) fprintf(stderr, "warning: %s\n", message);
}

pcs_status run_scene(const run_settings *run, const char *description, pcs_scene **out)
{
    PCS_TRY(pcs_scene_create(&(pcs_env){.log = warn}, out));
    PCS_TRY(pcs_scene_describe(*out, args_program(), description));
    (*out)->settings.h = run->h;
    (*out)->settings.t_end = run->t_end;
    PCS_TRY(pcs_model_set_gravity((*out)->model, (const double[]){0, 0, -run->gravity}));
    return pcs_model_set_scheme((*out)->model, &run->scheme);
}
