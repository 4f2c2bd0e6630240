// Every option of every row of the solver table changes what a solve does, or is refused.
#include <percuss/solver_table.h>

#include "friction.h"
#include "options.h"
#include "support.h"

// small enough to enumerate, and hard enough for Newton's method to stall; at most three rows a
// contact except for equalities
enum { FEW = 4, MANY = 32, SEEDS = 10, ROWS = 4 * MANY, ITERS = 200 };

// the result of a solve: status, outcome, iterations, and every bit of r
typedef struct trace {
    pcs_status status;
    pcs_outcome outcome;
    int iters;
    uint64_t bits;
} trace;

static trace traced(const pcs_problem *p, const pcs_solver_opts *o)
{
    double r[ROWS] = {0}, u[ROWS];
    pcs_report report = {0};
    ck_assert_int_le(p->n, ROWS);
    trace t = {.status = pcs_solve_alloc(NULL, p, o, r, u, &report)};
    t.outcome = report.outcome;
    t.iters = report.iters;
    for (int i = 0; i < p->n; ++i) {
        uint64_t x;
        memcpy(&x, &r[i], sizeof x);
        t.bits = 31 * t.bits + x;
    }
    return t;
}

static bool differ(const trace *a, const trace *b)
{
    return a->status != b->status || a->outcome != b->outcome || a->iters != b->iters ||
           a->bits != b->bits;
}

// true when a value of the option makes a difference on this problem
static bool changes(const pcs_problem *p, const pcs_solver_info *info, const pcs_opt *opt)
{
    // out of reach: the solver uses all its iterations; and easy
    const double tols[2] = {1e-30, 1e-4};
    for (int i = 0; i < 2; ++i) {
        pcs_solver_opts o = option_base(info, opt, true);
        o.tol = tols[i];
        o.max_iters = ITERS;
        const trace usual = traced(p, &o);
        const double x = option_get(&o, opt);
        for (int k = 0; k < OPTION_VALUES; ++k) {
            option_set(&o, opt, option_value(opt, x, k));
            const trace t = traced(p, &o);
            ck_assert(t.status == PCS_OK || t.status == PCS_ERR_UNSUPPORTED);
            if (differ(&t, &usual)) return true;
        }
    }
    return false;
}

static bool changes_one_of(int contacts, const pcs_solver_info *info, const pcs_opt *opt)
{
    bool seen = false;
    for (int k = 0; k < SEEDS * FRICTION_COUNT && !seen; ++k) {
        const friction kind = (friction)(k % FRICTION_COUNT);
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, friction_bytes(kind, contacts), &arena));
        const pcs_problem p = friction_problem(kind, contacts, 1 + (uint64_t)k, &arena, NULL);
        seen = changes(&p, info, opt);
        pcs_arena_destroy(NULL, &arena);
    }
    return seen;
}

TEST(every_option_changes_something)
{
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        for (int k = 0; k < info->n_opts; ++k) {
            const pcs_opt *opt = &info->opt[k];
            ck_assert_msg(changes_one_of(FEW, info, opt) || changes_one_of(MANY, info, opt),
                          "%s: %s changes nothing", info->name, opt->name);
        }
    }
}

// an option that another one switches off, where it is off
TEST(options_that_are_not_read_are_refused)
{
    int conditional = 0;
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        for (int k = 0; k < info->n_opts; ++k) {
            const pcs_opt *opt = &info->opt[k], *needs = option_needs(info, opt);
            ck_assert(!opt->needs || needs);
            if (!needs) continue;
            ck_assert(needs->words && opt->needs_values != 0);
            pcs_solver_opts o = option_base(info, opt, false);
            CK_OK(pcs_solver_opts_check(&o));
            option_set(&o, opt, opt->high);
            CK_FAILS(pcs_solver_opts_check(&o), PCS_ERR_ARG);
            ck_assert(strstr(pcs_error_text(), opt->name) && strstr(pcs_error_text(), needs->name));
            conditional += 1;
        }
    }
    ck_assert_int_gt(conditional, 0);
}

TEST(the_space_of_bodies_needs_the_global_form)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, friction_bytes(FRICTION_DENSE, FEW), &arena));
    const pcs_problem p = friction_problem(FRICTION_DENSE, FEW, 1, &arena, NULL);
    static const char *const name[] = {"ipm", "homotopy"};
    for (int k = 0; k < 2; ++k) {
        pcs_solver_opts o = pcs_solver_opts_default(pcs_solver_find(name[k])->kind);
        CK_OK(pcs_solver_opts_set(&o, "space", "body"));
        double r[3 * FEW] = {0}, u[3 * FEW];
        pcs_report report;
        CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_UNSUPPORTED);
        ck_assert(strstr(pcs_error_text(), name[k]) && strstr(pcs_error_text(), "set"));
    }
    pcs_arena_destroy(NULL, &arena);
}
