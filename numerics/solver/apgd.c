// Accelerated projected gradient (solver/frozen.h) with the shift of friction frozen and brought up
// to date, or left out: the cone complementarity problem.
#include "solver/frozen.h"

static frozen_opts opts_of(const pcs_solver_opts *o)
{
    return (frozen_opts){.freeze = o->as.apgd.relaxed ? FREEZE_ZERO : FREEZE_SHIFT,
                         .inner = PCS_INNER_APGD,
                         .part = o->as.apgd.part,
                         .inner_iters = o->as.apgd.inner_iters};
}

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    const frozen_opts f = opts_of(o);
    return frozen_bytes(p, &f);
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    const frozen_opts f = opts_of(o);
    return frozen_solve(p, o, &f, watch, work, r, u, out);
}

static const char *const relaxed_words[] = {"no", "yes"};

static const pcs_opt options[] = {
    OPT_WORD("relaxed", apgd.relaxed, 0, 1,
             "leave the shift out, which relaxes the law of friction", relaxed_words),
    OPT_REAL("part", apgd.part, 1e-6, 0.999,
             "of the outer residual, where the shift is brought up to date"),
    OPT_INT("inner_iters", apgd.inner_iters, 1, 10000000, "steps with one shift, at most"),
};

const solver_class solver_apgd = {
    .info = {.name = "apgd",
             .summary = "accelerated projected gradient with restart, shift of friction frozen",
             .kind = PCS_SOLVER_APGD,
             .cones = 1u << PCS_CONE_EQUALITY | 1u << PCS_CONE_UNILATERAL | 1u << PCS_CONE_COULOMB,
             .opt = options,
             .n_opts = sizeof options / sizeof *options},
    .defaults = {.kind = PCS_SOLVER_APGD,
                 .tol = 1e-6,
                 .max_iters = 50000,
                 .as.apgd = {.relaxed = 0, .part = 0.3, .inner_iters = 500}},
    .work_bytes = work_bytes,
    .solve = solve,
};
