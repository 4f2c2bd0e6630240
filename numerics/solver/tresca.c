// Tresca's friction in a fixed point: bounds s_i = mu r_N,i on |r_T,i|, a convex problem with them
// (solver/frozen.h), new bounds.
#include "solver/frozen.h"

static frozen_opts opts_of(const pcs_solver_opts *o)
{
    return (frozen_opts){.freeze = FREEZE_BOUND,
                         .inner = o->as.tresca.inner,
                         .part = o->as.tresca.part,
                         .inner_iters = o->as.tresca.inner_iters,
                         .depth = o->as.tresca.depth};
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

static const pcs_opt options[] = {
    OPT_WORD("inner", tresca.inner, PCS_INNER_ADMM, PCS_INNER_APGD, "solver of the convex problems",
             frozen_inner_words),
    OPT_REAL("part", tresca.part, 1e-6, 0.999, "of the outer residual, to which they are solved"),
    OPT_INT("inner_iters", tresca.inner_iters, 1, 10000000, "iterations for one of them, at most"),
    OPT_INT("depth", tresca.depth, 0, 20,
            "differences kept by the Anderson acceleration of the fixed point; 0 for none"),
};

const solver_class solver_tresca = {
    .info = {.name = "tresca",
             .summary = "fixed point on the bounds mu r_N of the tangential impulses",
             .kind = PCS_SOLVER_TRESCA,
             .cones = 1u << PCS_CONE_EQUALITY | 1u << PCS_CONE_UNILATERAL | 1u << PCS_CONE_COULOMB,
             .opt = options,
             .n_opts = sizeof options / sizeof *options},
    .defaults =
        {.kind = PCS_SOLVER_TRESCA,
         .tol = 1e-8,
         .max_iters = 20000,
         .as.tresca = {.inner = PCS_INNER_ADMM, .part = 0.1, .inner_iters = 500, .depth = 5}},
    .work_bytes = work_bytes,
    .solve = solve,
};
