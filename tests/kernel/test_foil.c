// The coefficients of a fin's profile: the fit against its formula, tables, callbacks.
#include "support.h"

#include <percuss/vehicle.h>

#define PI    3.14159265358979323846
#define DRAWS TEST_DRAWS(1000)

TEST(the_fit_agrees_with_the_formula)
{
    const pcs_foil f = pcs_foil_naca0012();
    const double a0 = PI / 12;
    double last_L = 0, last_D = 0;
    const int n = 20000;
    for (int i = -n; i <= n; ++i) {
        const double alpha = PI * i / n;
        double L, D, mirror_L, mirror_D;
        CK_OK(pcs_foil_coefficients(&f, alpha, &L, &D));
        CK_OK(pcs_foil_coefficients(&f, -alpha, &mirror_L, &mirror_D));
        ck_assert(isfinite(L) && D >= f.drag);
        CK_NEAR(L, -mirror_L, 0);
        CK_NEAR(D, mirror_D, 0);

        // the formula as the source prints it; exponents stay below 170 here
        const double p = exp(-50 * (alpha - a0)), m = exp(50 * (alpha + a0));
        const double sigma = (1 + p + m) / ((1 + p) * (1 + m)), pre = 5.73 * alpha;
        CK_NEAR(L, (1 - sigma) * pre + sigma * 2 * sin(alpha) * fabs(sin(alpha)) * cos(alpha),
                1e-13);
        CK_NEAR(D,
                (1 - sigma) * (0.0065 + 0.01 * pre * pre) +
                    sigma * (0.0065 + 2 * pow(fabs(sin(alpha)), 3)),
                1e-13);

        // the curve has no jumps: its steepest part is the stall
        if (i > -n) {
            CK_NEAR(L, last_L, 30 * PI / n);
            CK_NEAR(D, last_D, 30 * PI / n);
        }
        last_L = L;
        last_D = D;
    }
}

TEST(small_angles_and_sharp_stalls)
{
    pcs_foil f = pcs_foil_naca0012();
    double L, D;
    CK_OK(pcs_foil_coefficients(&f, 1e-6, &L, &D));
    CK_NEAR(L / 1e-6, 5.73, 1e-4);
    CK_NEAR(D, 0.0065, 1e-10);
    CK_OK(pcs_foil_coefficients(&f, PI, &L, &D));
    CK_NEAR(L, 0, 1e-15);
    CK_NEAR(D, 0.0065, 1e-15);

    // exponents far beyond the range of e^x
    f.sharpness = 1e9;
    for (int i = -100; i <= 100; ++i) {
        CK_OK(pcs_foil_coefficients(&f, PI * i / 100, &L, &D));
        ck_assert(isfinite(L) && isfinite(D));
    }
    CK_OK(pcs_foil_coefficients(&f, 0.26, &L, &D));
    CK_NEAR(L, 5.73 * 0.26, 1e-14);
    CK_OK(pcs_foil_coefficients(&f, 0.27, &L, &D));
    CK_NEAR(L, 2 * sin(0.27) * sin(0.27) * cos(0.27), 1e-14);
}

TEST(tables_are_linear_between_their_rows)
{
    const double table[] = {-1, -3, 0.5, 0, 1, 0.1, 0.5, 2, 0.3, 2, 0, 0.9};
    pcs_foil f = {.table = table, .rows = 4};
    const double at[][3] = {{-1, -3, 0.5}, {-0.5, -1, 0.3}, {0, 1, 0.1}, {0.25, 1.5, 0.2},
                            {0.5, 2, 0.3}, {1.25, 1, 0.6},  {2, 0, 0.9}, {3, 0, 0.9},
                            {-2, -3, 0.5}, {0.1, 1.2, 0.14}};
    double L, D;
    for (size_t i = 0; i < sizeof at / sizeof *at; ++i) {
        CK_OK(pcs_foil_coefficients(&f, at[i][0], &L, &D));
        CK_NEAR(L, at[i][1], 1e-15);
        CK_NEAR(D, at[i][2], 1e-15);
    }

    // a fine table of the fit replaces the fit
    enum { ROWS = 4001 };
    const pcs_foil fit = pcs_foil_naca0012();
    double *fine = calloc(3 * ROWS, sizeof *fine);
    for (int i = 0; i < ROWS; ++i) {
        fine[3 * i] = -PI + 2 * PI * i / (ROWS - 1);
        CK_OK(pcs_foil_coefficients(&fit, fine[3 * i], &fine[3 * i + 1], &fine[3 * i + 2]));
    }
    f = (pcs_foil){.table = fine, .rows = ROWS};
    test_random r = random_seed(3);
    for (int n = 0; n < DRAWS; ++n) {
        const double alpha = random_between(&r, -PI, PI);
        double expected_L, expected_D;
        CK_OK(pcs_foil_coefficients(&f, alpha, &L, &D));
        CK_OK(pcs_foil_coefficients(&fit, alpha, &expected_L, &expected_D));
        CK_NEAR(L, expected_L, 2e-4);
        CK_NEAR(D, expected_D, 2e-4);
    }
    free(fine);
}

static int user_foil(void *user, double alpha, double *CL, double *CD)
{
    const double *c = user;
    *CL = c[0] * alpha;
    *CD = c[1];
    return 0;
}

TEST(a_callback_is_called)
{
    double c[2] = {3, 0.2};
    const pcs_foil f = {.fn = user_foil, .user = c};
    double L, D;
    CK_OK(pcs_foil_coefficients(&f, 0.5, &L, &D));
    CK_NEAR(L, 1.5, 0);
    CK_NEAR(D, 0.2, 0);
}
