// The solver table: its rows are complete, options are set by name, and values out of range are
// refused.
#include <ctype.h>
#include <limits.h>

#include "options.h"
#include "problems.h"
#include "scratch.h"

#define ROWS 200

TEST(table_is_complete)
{
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        ck_assert(pcs_solver_find(info->name) == info);
        ck_assert(strlen(info->summary) > 10);
        ck_assert(info->cones != 0);
        const pcs_solver_opts o = pcs_solver_opts_default(info->kind);
        ck_assert_int_eq(o.kind, info->kind);
        ck_assert(o.tol > 0 && o.tol <= 1e-6);
        for (int k = 0; k < info->n_opts; ++k) {
            ck_assert(info->opt[k].low <= info->opt[k].high);
            ck_assert(strlen(info->opt[k].help) > 10);

            // every value of a choice has its own word, which a command line can contain
            const pcs_opt *opt = &info->opt[k];
            ck_assert_int_eq(opt->type == PCS_OPT_CHOICE || opt->type == PCS_OPT_BOOL,
                             opt->words != NULL);
            for (int i = 0; opt->words && i <= (int)(opt->high - opt->low); ++i) {
                ck_assert(strlen(opt->words[i]) > 1 && !strpbrk(opt->words[i], " ,=_0123456789"));
                for (int j = 0; j < i; ++j) {
                    ck_assert_str_ne(opt->words[i], opt->words[j]);
                }
            }
        }
    }
    ck_assert(pcs_solver_at(-1) == NULL && pcs_solver_at(pcs_solver_count()) == NULL);
    ck_assert(pcs_solver_find("no such solver") == NULL && pcs_solver_find(NULL) == NULL);
    ck_assert_int_eq(pcs_solver_opts_default((pcs_solver)99).kind, PCS_SOLVER_AUTO);
    for (int k = PCS_OUTCOME_CONVERGED; k <= PCS_OUTCOME_INFEASIBLE; ++k) {
        ck_assert(strlen(pcs_outcome_text((pcs_outcome)k)) > 3);
    }
    ck_assert(pcs_outcome_text((pcs_outcome)99) != NULL);
}

// writes a value that pcs_solver_opts_set refuses; false where its type cannot hold it
static bool force(pcs_solver_opts *o, const pcs_opt *opt, double x)
{
    char *at = (char *)o + opt->offset;
    if (opt->type == PCS_OPT_BOOL || (opt->type != PCS_OPT_REAL && isnan(x))) return false;
    if (opt->type != PCS_OPT_REAL && !(x >= INT_MIN && x <= INT_MAX)) return false;
    const int i = opt->type == PCS_OPT_REAL ? 0 : (int)x;
    memcpy(at, opt->type == PCS_OPT_REAL ? (void *)&x : (void *)&i,
           opt->type == PCS_OPT_REAL ? sizeof x : sizeof i);
    return true;
}

static void expect_refused(pcs_solver_opts *o, const pcs_opt *opt, const char *text)
{
    const double before = option_get(o, opt);
    CK_FAILS(pcs_solver_opts_set(o, opt->name, text), PCS_ERR_ARG);
    ck_assert(strstr(pcs_error_text(), opt->name) && strstr(pcs_error_text(), opt->help));
    ck_assert(!opt->words || strstr(pcs_error_text(), opt->words[1]));
    ck_assert_double_eq(option_get(o, opt), before);
}

static void expect_refused_text(pcs_solver_opts *o, const pcs_opt *opt, double x)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", x);
    expect_refused(o, opt, text);
}

// options by name: every value of every option as a number, every choice as a word in any spelling
TEST(options_are_set_by_name)
{
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        pcs_solver_opts o = pcs_solver_opts_default(info->kind);
        for (int k = 0; k < info->n_opts; ++k) {
            const pcs_opt *opt = &info->opt[k];
            const double usual = option_get(&o, opt);
            for (int i = 0; i < OPTION_VALUES; ++i) {
                const double x = option_value(opt, usual, i);
                option_set(&o, opt, x);
                ck_assert_double_eq(option_get(&o, opt), x);
            }
            for (int i = 0; opt->words && i <= (int)(opt->high - opt->low); ++i) {
                char word[64];
                CK_OK(pcs_solver_opts_set(&o, opt->name, opt->words[i]));
                ck_assert_double_eq(option_get(&o, opt), opt->low + i);
                option_set(&o, opt, opt->low);
                snprintf(word, sizeof word, "%s", opt->words[i]);
                for (char *c = word; *c; ++c) {
                    *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
                }
                CK_OK(pcs_solver_opts_set(&o, opt->name, word));
                ck_assert_double_eq(option_get(&o, opt), opt->low + i);
            }
            static const char *const nonsense[] = {"", " 1", "1 ", "1x", "nonsense", "inf", "nan"};
            for (int i = 0; i < 7; ++i) {
                expect_refused(&o, opt, nonsense[i]);
            }
            if (opt->type != PCS_OPT_REAL) expect_refused(&o, opt, "0.5");
            // only this option has changed
            option_set(&o, opt, usual);
            const pcs_solver_opts same = pcs_solver_opts_default(info->kind);
            for (int i = 0; i < info->n_opts; ++i) {
                ck_assert_double_eq(option_get(&o, &info->opt[i]),
                                    option_get(&same, &info->opt[i]));
            }
            ck_assert(o.kind == same.kind && o.tol == same.tol && o.max_iters == same.max_iters);
        }
        double x;
        CK_FAILS(pcs_solver_opts_set(&o, "no-such-option", "1"), PCS_ERR_ARG);
        ck_assert(info->n_opts == 0 || strstr(pcs_error_text(), info->opt[0].name));
        CK_FAILS(pcs_solver_opts_get(&o, "no-such-option", &x), PCS_ERR_ARG);
        CK_FAILS(pcs_solver_opts_set(NULL, "depth", "1"), PCS_ERR_ARG);
        CK_FAILS(pcs_solver_opts_set(&o, NULL, "1"), PCS_ERR_ARG);
    }
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    CK_FAILS(pcs_solver_opts_set(&o, "depth", NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_solver_opts_get(&o, "depth", NULL), PCS_ERR_ARG);
    o.kind = (pcs_solver)42;
    CK_FAILS(pcs_solver_opts_set(&o, "depth", "1"), PCS_ERR_ARG);
}

TEST(bad_options_are_refused)
{
    reset();
    const pcs_problem p = family_problem(FAMILY_EQUALITY, 5, 1, &arena, NULL);
    double r[ROWS] = {0}, u[ROWS];
    pcs_report report;
    for (int s = 0; s < pcs_solver_count(); ++s) {
        const pcs_solver_info *info = pcs_solver_at(s);
        const pcs_solver_opts good = pcs_solver_opts_default(info->kind);
        const double tols[5] = {0, -1, NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 5; ++k) {
            pcs_solver_opts o = good;
            o.tol = tols[k];
            CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG);
        }
        pcs_solver_opts o = good;
        o.max_iters = -1;
        CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG);
        o = good;
        o.max_seconds = -1;
        CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG);
        o.max_seconds = NAN;
        CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG);
        o = good;
        o.stop = (pcs_stop)7;
        CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG);

        // the ends of every range, and values outside
        for (int k = 0; k < info->n_opts; ++k) {
            const pcs_opt *opt = &info->opt[k];
            o = option_base(info, opt, true);
            option_set(&o, opt, opt->low);
            CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
            option_set(&o, opt, opt->high);
            const pcs_status status = pcs_solve_alloc(NULL, &p, &o, r, u, &report);
            const bool body = strcmp(opt->name, "space") == 0;
            ck_assert_int_eq(status, body ? PCS_ERR_UNSUPPORTED : PCS_OK);
            const double bad[3] = {opt->low - 1, opt->high + 1, NAN};
            const double good_value = option_get(&o, opt);
            for (int i = 0; i < 3; ++i) {
                expect_refused_text(&o, opt, bad[i]);
                if (!force(&o, opt, bad[i])) continue;
                CK_SAYS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG, opt->name);
                ck_assert(!opt->words || strstr(pcs_error_text(), opt->words[1]));
                option_set(&o, opt, good_value);
            }
        }
    }
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    o.kind = (pcs_solver)42;
    CK_FAILS(pcs_solve_alloc(NULL, &p, &o, r, u, &report), PCS_ERR_ARG);
    ck_assert_int_eq((int)pcs_solve_bytes(&p, &o), 0);
}
