// The schemes that are refused, and the tables of doc/stepping.md that list them.
#include "support.h"

#include <percuss/kernel.h>
#include <stdio.h>
#include <string.h>

static const char *const projection_words[] = {
    "PCS_PROJECTION_NONE",     "PCS_PROJECTION_DIRECT",
    "PCS_PROJECTION_OVERLAPS", "PCS_PROJECTION_DIRECT_HYSTERESIS",
    "PCS_PROJECTION_COMBINED", "PCS_PROJECTION_COMBINED_EQUALITY"};
static const char *const activation_words[] = {"", "predictive", "speculative", "end of step"};

enum { PROJECTIONS = 6, ACTIVATIONS = 4 };

static void passes(const pcs_scheme *s)
{
    ck_assert_msg(pcs_scheme_check(s) == PCS_OK, "%s", pcs_error_text());
}

// refused, with all these words in the sentence
static void refused(const pcs_scheme *s, const char *field, const char *value, const char *remedy)
{
    ck_assert_int_eq(pcs_scheme_check(s), PCS_ERR_ARG);
    const char *text = pcs_error_text();
    ck_assert_msg(strstr(text, field) && strstr(text, value) && strstr(text, remedy), "%s", text);
}

static void in_page(const char *page, const char *row)
{
    ck_assert_msg(strstr(page, row), "doc/stepping.md lacks the row\n%s", row);
}

TEST(the_schemes_to_start_from_pass)
{
    const pcs_scheme base[] = {pcs_scheme_default(), pcs_scheme_moreau_jean(),
                               pcs_scheme_dense(1e-4, 0.1)};
    for (int k = 0; k < 3; ++k) {
        passes(&base[k]);
    }
    ck_assert_int_eq(pcs_scheme_activation(&base[0]), PCS_ACTIVATION_SPECULATIVE);
    ck_assert_int_eq(pcs_scheme_activation(&base[1]), PCS_ACTIVATION_PREDICTIVE);
    ck_assert_int_eq(pcs_scheme_check(NULL), PCS_ERR_ARG);
}

// any one choice changed: a field that was not changed is never a reason to refuse
TEST(one_choice_changed_passes)
{
    for (int k = 0; k < 2; ++k) {
        const pcs_scheme base = k == 0 ? pcs_scheme_default() : pcs_scheme_moreau_jean();
        const double theta[] = {0, 0.5, 0.7, 1};
        for (int i = 0; i < PROJECTIONS; ++i) {
            pcs_scheme s = base;
            s.projection = (pcs_projection)i;
            passes(&s);
        }
        for (int i = 0; i < 4; ++i) {
            pcs_scheme s = base;
            s.theta = theta[i];
            passes(&s);
        }
        for (int i = PCS_CONFIGURATION_START; i <= PCS_CONFIGURATION_PREDICTED; ++i) {
            pcs_scheme s = base;
            s.configuration = (pcs_configuration)i;
            passes(&s);
        }
        pcs_scheme s = base;
        s.activation = PCS_ACTIVATION_END_OF_STEP;
        passes(&s);
        s.activation = PCS_ACTIVATION_PREDICTIVE;
        passes(&s);
        s = base;
        s.accept_unconverged = true;
        passes(&s);
        s.halvings = 0;
        passes(&s);
    }
}

TEST(a_refusal_says_what_to_set)
{
    const pcs_scheme base = pcs_scheme_default();
    pcs_scheme s = base;
    s.activation = PCS_ACTIVATION_SPECULATIVE;
    s.theta = 0.5;
    refused(&s, "theta is 0.5", "PCS_ACTIVATION_SPECULATIVE", "set theta = 1");
    s = base;
    s.projection = PCS_PROJECTION_COMBINED;
    s.activation = PCS_ACTIVATION_SPECULATIVE;
    refused(&s, "activation is PCS_ACTIVATION_SPECULATIVE", "PCS_PROJECTION_COMBINED",
            "set activation = PCS_ACTIVATION_AUTOMATIC");
    s.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    refused(&s, "activation is PCS_ACTIVATION_SPECULATIVE", "PCS_PROJECTION_DIRECT_HYSTERESIS",
            "set activation = PCS_ACTIVATION_AUTOMATIC");
    s = base;
    s.projection = PCS_PROJECTION_COMBINED;
    s.theta = 0;
    refused(&s, "theta is 0", "projection = PCS_PROJECTION_COMBINED", "set theta > 0");
    s = base;
    s.activation = PCS_ACTIVATION_END_OF_STEP;
    s.theta = 0;
    refused(&s, "theta is 0", "activation = PCS_ACTIVATION_END_OF_STEP", "set theta > 0");
    s = base;
    s.configuration = PCS_CONFIGURATION_MIDDLE;
    s.theta = 0;
    refused(&s, "configuration is PCS_CONFIGURATION_MIDDLE", "theta = 0",
            "set configuration = PCS_CONFIGURATION_START");
    s = base;
    s.configuration = PCS_CONFIGURATION_ITERATE;
    ck_assert_int_eq(pcs_scheme_activation(&s), PCS_ACTIVATION_END_OF_STEP);
    s.activation = PCS_ACTIVATION_SPECULATIVE;
    refused(&s, "configuration is PCS_CONFIGURATION_ITERATE", "speculative",
            "set configuration = PCS_CONFIGURATION_START");
    s = base;
    s.gamma = 0.75;
    refused(&s, "gamma is 0.75", "PCS_CONFIGURATION_PREDICTED", "leave gamma at 0.5");
    s = base;
    s.hysteresis = 1e-3;
    refused(&s, "hysteresis is 0.001", "set projection = PCS_PROJECTION_DIRECT_HYSTERESIS",
            "leave hysteresis at 1e-07");
    s = base;
    s.projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    s.active_tol = 1e-3;
    refused(&s, "active_tol is 0.001", "set hysteresis", "leave active_tol at 1e-12");
    s = base;
    s.accept_unconverged = true;
    s.halvings = 0;
    s.accept = 0.5;
    refused(&s, "accept is 0.5", "accept_unconverged = false", "leave accept at 0.01");
}

static void read_page(size_t size, char *page)
{
    FILE *f = fopen(PERCUSS_DOC "/stepping.md", "r");
    ck_assert_ptr_nonnull(f);
    const size_t n = fread(page, 1, size - 1, f);
    ck_assert_uint_lt(n, size - 1);
    page[n] = '\0';
    fclose(f);
}

// the word of the activation in use, or "refused"
static const char *outcome(int projection, double theta, int activation)
{
    pcs_scheme s = pcs_scheme_moreau_jean();
    s.projection = (pcs_projection)projection;
    s.theta = theta;
    s.activation = (pcs_activation)activation;
    return pcs_scheme_check(&s) == PCS_OK ? activation_words[pcs_scheme_activation(&s)] : "refused";
}

TEST(the_page_lists_the_valid_combinations)
{
    static char page[200000];
    read_page(sizeof page, page);
    const struct {
        double theta;
        const char *text;
    } of[] = {{1, "1"}, {0.3, "between"}, {0, "0"}};
    for (int p = 0; p < PROJECTIONS; ++p) {
        for (int k = 0; k < 3; ++k) {
            char row[400];
            int at = snprintf(row, sizeof row, "| `%s` | %s |", projection_words[p], of[k].text);
            for (int a = 0; a < ACTIVATIONS; ++a) {
                at += snprintf(row + at, sizeof row - (size_t)at, " %s |",
                               outcome(p, of[k].theta, a));
            }
            in_page(page, row);
        }
    }
}

TEST(the_page_lists_the_fields_that_are_read)
{
    static char page[200000];
    read_page(sizeof page, page);
    enum { MODES = 5 };
    pcs_scheme mode[MODES];
    mode[0] = pcs_scheme_moreau_jean();
    mode[1] = pcs_scheme_moreau_jean();
    mode[1].projection = PCS_PROJECTION_DIRECT_HYSTERESIS;
    mode[2] = pcs_scheme_default();
    mode[3] = pcs_scheme_default();
    mode[3].activation = PCS_ACTIVATION_END_OF_STEP;
    mode[4] = pcs_scheme_default();
    mode[4].configuration = PCS_CONFIGURATION_PREDICTED;
    const char *name[] = {"gamma", "active_tol", "hysteresis", "accept"};
    for (int f = 0; f < 4; ++f) {
        char row[200];
        int at = snprintf(row, sizeof row, "| `%s` |", name[f]);
        for (int k = 0; k < MODES; ++k) {
            pcs_scheme s = mode[k];
            double *field[] = {&s.gamma, &s.active_tol, &s.hysteresis, &s.accept};
            *field[f] = 0.125;
            at += snprintf(row + at, sizeof row - (size_t)at, " %s |",
                           pcs_scheme_check(&s) == PCS_OK ? "yes" : "no");
        }
        in_page(page, row);
    }
}
