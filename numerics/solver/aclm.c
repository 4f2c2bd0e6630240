// The fixed point of Acary, Cadoux, Lemarechal and Malick: shifts s_i = mu |u_T,i|, the
// second-order cone program with them (solver/frozen.h), new shifts.
//
// V. Acary, F. Cadoux, C. Lemarechal, J. Malick, A formulation of the linear discrete Coulomb
// friction problem via convex optimization, ZAMM 91, 2011.
#include "solver/frozen.h"

static frozen_opts opts_of(const pcs_solver_opts *o)
{
    return (frozen_opts){.freeze = FREEZE_SHIFT,
                         .inner = o->as.aclm.inner,
                         .part = o->as.aclm.part,
                         .inner_iters = o->as.aclm.inner_iters,
                         .depth = o->as.aclm.depth};
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
    OPT_WORD("inner", aclm.inner, PCS_INNER_ADMM, PCS_INNER_APGD, "solver of the convex problems",
             frozen_inner_words),
    OPT_REAL("part", aclm.part, 1e-6, 0.999, "of the outer residual, to which they are solved"),
    OPT_INT("inner_iters", aclm.inner_iters, 1, 10000000, "iterations for one of them, at most"),
    OPT_INT("depth", aclm.depth, 0, 20,
            "differences kept by the Anderson acceleration of the fixed point; 0 for none"),
};

const solver_class solver_aclm = {
    .info = {.name = "aclm",
             .summary = "fixed point on the shifts mu |u_T|, convex problems between",
             .kind = PCS_SOLVER_ACLM,
             .cones = 1u << PCS_CONE_EQUALITY | 1u << PCS_CONE_UNILATERAL | 1u << PCS_CONE_COULOMB,
             .opt = options,
             .n_opts = sizeof options / sizeof *options},
    .defaults = {.kind = PCS_SOLVER_ACLM,
                 .tol = 1e-8,
                 .max_iters = 20000,
                 .as.aclm = {.inner = PCS_INNER_ADMM, .part = 0.1, .inner_iters = 500, .depth = 5}},
    .work_bytes = work_bytes,
    .solve = solve,
};
