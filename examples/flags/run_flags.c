// The flags of a run of bodies that touch, and its scheme.
#include "flags/run_flags.h"

#include <stdio.h>

void run_threads_flag(args *a, run_settings *run)
{
    if (run->threads == 0) run->threads = 1;
    args_int(a, "--threads", &run->threads, 1, 256,
             "threads that share a step; the numbers do not depend on it");
}

void run_setting_flags(args *a, run_settings *run, const char *columns)
{
    if (run->budget == 0) run->budget = pcs_scheme_default().solver.max_iters;
    args_choice(a, "--solver", &run->solver, "auto|nsgs", "of the velocity problems");
    args_positive(a, "--tol", &run->tol, "", "tolerance of the velocity problems");
    args_int(a, "--budget", &run->budget, 1, 1000000000,
             "limit for one velocity problem: work units of auto, sweeps of nsgs");
    args_real(a, "--projection-tol", &run->proj_tol, 0, 1, "m",
              "overlap that the projection leaves; 0: 3e-4 of the smallest edge or diameter");
    run_threads_flag(a, run);
    args_string(a, "--csv", &run->csv, "FILE", columns);
}

void run_flags(args *a, run_settings *run, const char *columns)
{
    args_positive(a, "--h", &run->h, "s", "time step");
    args_positive(a, "--tend", &run->t_end, "s", "end of the run");
    args_positive(a, "--gravity", &run->gravity, "m/s^2", "gravity, downwards");
    run_setting_flags(a, run, columns);
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
    args_check_steps(run->h, run->t_end);
}

static void warn(pcs_log_level level, const char *message, void *user)
{
    (void)user;
    if (level == PCS_LOG_WARNING) fprintf(stderr, "warning: %s\n", message);
}

pcs_status run_model(const run_settings *run, pcs_model **out)
{
    PCS_TRY(pcs_model_create(&(pcs_env){.log = warn}, out));
    PCS_TRY(pcs_model_set_gravity(*out, (const double[]){0, 0, -run->gravity}));
    return pcs_model_set_scheme(*out, &run->scheme);
}
