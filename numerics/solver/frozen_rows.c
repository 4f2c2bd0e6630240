// The rows of the solver table whose method is solver/frozen.h:
//
// - apgd: accelerated projected gradient; the shift of friction is frozen and updated, or left out
//   (the cone complementarity problem)
// - tresca: fixed point on the bounds s_i = mu r_N,i of |r_T,i|, a convex problem for each s
// - aclm: fixed point on the shifts s_i = mu |u_T,i|, a second-order cone program for each s
//
// V. Acary, F. Cadoux, C. Lemarechal, J. Malick, A formulation of the linear discrete Coulomb
// friction problem via convex optimization, ZAMM 91, 2011.
#include "solver/frozen.h"

static frozen_opts opts_of(const pcs_solver_opts *o)
{
    if (o->kind == PCS_SOLVER_APGD) {
        return (frozen_opts){.freeze = o->as.apgd.relaxed ? FREEZE_ZERO : FREEZE_SHIFT,
                             .inner = PCS_INNER_APGD,
                             .part = o->as.apgd.part,
                             .inner_iters = o->as.apgd.inner_iters};
    }
    const bool tresca = o->kind == PCS_SOLVER_TRESCA;
    const pcs_fixed_point_opts *f = tresca ? &o->as.tresca : &o->as.aclm;
    return (frozen_opts){.freeze = tresca ? FREEZE_BOUND : FREEZE_SHIFT,
                         .inner = f->inner,
                         .part = f->part,
                         .inner_iters = f->inner_iters,
                         .depth = f->depth};
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
static const char *const inner_words[] = {"admm", "apgd"};

static const pcs_opt apgd_options[] = {
    OPT_BOOL("relaxed", apgd.relaxed, "no shift, which relaxes the law of friction", relaxed_words),
    OPT_REAL_IF("part", apgd.part, 1e-6, 0.999,
                "the shift is updated at this fraction of the exact residual", "relaxed", 1u),
    OPT_INT_IF("inner_iters", apgd.inner_iters, 1, 10000000, "steps with one shift, at most",
               "relaxed", 1u),
};

const solver_class solver_apgd = {
    SOLVER_ROW("apgd", PCS_SOLVER_APGD, ALL_CONES, 1e-6, 50000,
               "accelerated projected gradient with restart, shift of friction frozen"),
    SOLVER_OPTIONS(apgd_options),
    .defaults.as.apgd = {.relaxed = false, .part = 0.3, .inner_iters = 500},
};

// tresca and aclm share one options type at one offset of the union
static const pcs_opt fixed_point_options[] = {
    OPT_WORD("inner", tresca.inner, PCS_INNER_ADMM, PCS_INNER_APGD, "solver of the convex problems",
             inner_words),
    OPT_REAL("part", tresca.part, 1e-6, 0.999,
             "they are solved to this fraction of the exact residual"),
    OPT_INT("inner_iters", tresca.inner_iters, 1, 10000000,
            "iterations of one convex problem, at most"),
    OPT_INT("depth", tresca.depth, 0, 20,
            "differences kept by the Anderson acceleration of the fixed point; 0 for none"),
};

const solver_class solver_tresca = {
    SOLVER_ROW("tresca", PCS_SOLVER_TRESCA, ALL_CONES, 1e-8, 20000,
               "fixed point on the bounds mu r_N of the tangential impulses"),
    SOLVER_OPTIONS(fixed_point_options),
    .defaults.as.tresca = {.inner = PCS_INNER_ADMM, .part = 0.1, .inner_iters = 500, .depth = 5},
};

const solver_class solver_aclm = {
    SOLVER_ROW("aclm", PCS_SOLVER_ACLM, ALL_CONES, 1e-8, 20000,
               "fixed point on the shifts mu |u_T|, convex problems between"),
    SOLVER_OPTIONS(fixed_point_options),
    .defaults.as.aclm = {.inner = PCS_INNER_ADMM, .part = 0.1, .inner_iters = 500, .depth = 5},
};
