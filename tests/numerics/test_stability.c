// The stability function of tableaus against rational functions in closed form, and the regions.
#include "support.h"

#include <complex.h>

#include <percuss/tableau.h>

#define PI 3.14159265358979323846

static double complex R_of(const pcs_tableau *t, double complex z)
{
    double R[2];
    CK_OK(pcs_tableau_stability(t, (const double[]){creal(z), cimag(z)}, R));
    return R[0] + R[1] * I;
}

// the Pade approximation of exp with numerator of degree j and denominator of degree k
static double complex pade(int j, int k, double complex z)
{
    double complex N = 0, D = 0;
    double n = 1, d = 1;
    double complex power = 1;
    for (int m = 0; m <= j || m <= k; ++m) {
        if (m <= j) N += n * power;
        if (m <= k) D += (m % 2 == 0 ? d : -d) * power;
        power *= z / (m + 1);
        n *= (double)(j - m) / (j + k - m);
        d *= (double)(k - m) / (j + k - m);
    }
    return N / D;
}

static double complex random_point(test_random *rng, double radius)
{
    return random_between(rng, -radius, radius) + random_between(rng, -radius, radius) * I;
}

TEST(explicit_methods_truncate_the_exponential)
{
    test_random rng = random_seed(5);
    for (int i = 0; i < 7; ++i) {
        const pcs_tableau *t = pcs_tableau_at(i);
        for (int trial = 0; trial < 100; ++trial) {
            const double complex z = random_point(&rng, 5);
            double complex sum = 1, term = 1;
            for (int k = 1; k <= t->order; ++k) {
                term *= z / k;
                sum += term;
            }
            CK_NEAR(cabs(R_of(t, z) - sum), 0, 1e-14 * cabs(sum) + 1e-13);
        }
    }
    // one term more for the pair of order 5 in six stages
    const double complex z = -1.5 + 0.5 * I;
    double complex sum = 1, term = 1;
    for (int k = 1; k <= 5; ++k) {
        term *= z / k;
        sum += term;
    }
    sum += z * z * z * z * z * z / 600;
    CK_NEAR(cabs(R_of(pcs_tableau_dormand_prince(), z) - sum), 0, 1e-14);
}

TEST(gauss_and_radau_are_pade)
{
    test_random rng = random_seed(6);
    for (int s = 1; s <= 40; s += s < 8 ? 1 : 4) {
        pcs_tableau *gauss, *radau;
        CK_OK(pcs_tableau_create_gauss(NULL, s, &gauss));
        CK_OK(pcs_tableau_create_radau(NULL, s, &radau));
        for (int trial = 0; trial < 20; ++trial) {
            double complex z = random_point(&rng, 12);
            if (creal(z) > 0) z = -z; // away from the poles
            CK_NEAR(cabs(R_of(gauss, z) - pade(s, s, z)), 0, 1e-13);
            CK_NEAR(cabs(R_of(radau, z) - pade(s - 1, s, z)), 0, 1e-13);
        }
        pcs_tableau_destroy(gauss);
        pcs_tableau_destroy(radau);
    }
}

// R conserves oscillations, at any step size
TEST(gauss_conserves_on_the_imaginary_axis)
{
    for (int s = 1; s <= 64; s += s < 8 ? 1 : 14) {
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_gauss(NULL, s, &t));
        for (double y = 1e-3; y < 1e7; y *= 2) {
            CK_NEAR(cabs(R_of(t, y * I)), 1, 1e-12);
        }
        pcs_tableau_destroy(t);
    }
}

static pcs_stability examine(const pcs_tableau *t)
{
    pcs_stability out;
    CK_OK(pcs_tableau_examine(t, &out));
    return out;
}

TEST(gauss_is_a_stable_and_radau_l_stable)
{
    for (int s = 1; s <= TEST_DRAWS(64); s += s < 6 ? 1 : 29) {
        for (int radau = 0; radau < 2; ++radau) {
            pcs_tableau *t;
            CK_OK(radau ? pcs_tableau_create_radau(NULL, s, &t)
                        : pcs_tableau_create_gauss(NULL, s, &t));
            const pcs_stability out = examine(t);
            ck_assert(out.a_stable && out.l_stable == radau);
            CK_NEAR(out.at_infinity, radau ? 0 : 1, 1e-12);
            CK_NEAR(out.angle, PI / 2, 0);
            ck_assert(isinf(out.real_extent) && isinf(out.imaginary_extent));
            pcs_tableau_destroy(t);
        }
    }
}

// no explicit method is A-stable; where the regions end is known
TEST(explicit_regions_are_bounded)
{
    const double cube = 2.5127453266183286; // y - y^2 / 2 + y^3 / 6 = 2
    const double real[9] = {2, 2, 2, 2, cube, cube, 2.785293563405282, cube, 3.306567892634947};
    const double imaginary[9] = {0, 0, 0, 0, sqrt(3), sqrt(3), sqrt(8), sqrt(3), -1};
    for (int i = 0; i < 9; ++i) {
        const pcs_stability out = examine(pcs_tableau_at(i));
        ck_assert(!out.a_stable && !out.l_stable && isinf(out.at_infinity) && out.angle == 0);
        CK_NEAR(out.real_extent, real[i], 1e-13);
        if (i < 8) CK_NEAR(out.imaginary_extent, imaginary[i], 1e-13);
    }
    // |R(i y)|^2 = 1 of Dormand and Prince
    const double y = examine(pcs_tableau_dormand_prince()).imaginary_extent;
    CK_NEAR(cabs(R_of(pcs_tableau_dormand_prince(), y * I)), 1, 1e-14);
    ck_assert(y > 0.9 && cabs(R_of(pcs_tableau_dormand_prince(), 1.01 * y * I)) > 1);
    CK_NEAR(cube - cube * cube / 2 + cube * cube * cube / 6, 2, 1e-14);
}

TEST(named_implicit_methods)
{
    pcs_stability out = examine(pcs_tableau_implicit_euler());
    ck_assert(out.a_stable && out.l_stable && out.at_infinity == 0);
    // A-stable regions contain the half-plane and may be larger (erratum E-39)
    ck_assert(cabs(R_of(pcs_tableau_implicit_euler(), 3)) < 1);
    out = examine(pcs_tableau_sdirk4());
    ck_assert(out.a_stable && out.l_stable);
    out = examine(pcs_tableau_trapezoid());
    ck_assert(out.a_stable && !out.l_stable);
    CK_NEAR(out.at_infinity, 1, 1e-14);
    CK_NEAR(creal(R_of(pcs_tableau_trapezoid(), -1e9)), -1, 1e-8);

    double R[2];
    CK_FAILS(pcs_tableau_stability(pcs_tableau_implicit_euler(), (const double[]){1, 0}, R),
             PCS_ERR_SINGULAR);
    CK_FAILS(pcs_tableau_stability(pcs_tableau_trapezoid(), (const double[]){2, 0}, R),
             PCS_ERR_SINGULAR);
    CK_FAILS(pcs_tableau_stability(pcs_tableau_rk4(), (const double[]){1e200, 0}, R),
             PCS_ERR_SINGULAR);
}

// R = (1 + (1 - c) z) / (1 - c z) of collocation on one node
TEST(one_node_in_closed_form)
{
    for (double c = 0; c < 1.01; c += 0.0625) {
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_collocation(NULL, 1, &c, &t));
        const pcs_stability out = examine(t);
        ck_assert(out.a_stable == (c >= 0.5) && out.l_stable == (c == 1));
        CK_NEAR(out.angle, c >= 0.5 ? PI / 2 : 0, 0);
        if (c < 0.5) {
            CK_NEAR(out.real_extent, 2 / (1 - 2 * c), 1e-12);
            ck_assert(out.imaginary_extent == 0);
        }
        if (c > 0) CK_NEAR(out.at_infinity, (1 - c) / c, 1e-13);
        pcs_tableau_destroy(t);
    }
}

// A is singular in some: an explicit first stage, a stage that only b uses
TEST(singular_matrices_have_a_limit)
{
    // TR-BDF2 (Bank et al. 1985), L-stable
    const double g = 2 - sqrt(2), w = sqrt(2) / 4, A[9] = {0, 0, 0, g / 2, g / 2, 0, w, w, g / 2};
    const double b[3] = {w, w, g / 2}, c[3] = {0, g, 1};
    pcs_tableau t = {.name = "trbdf2", .s = 3, .A = A, .b = b, .c = c, .order = 2};
    CK_OK(pcs_tableau_check(&t));
    ck_assert(pcs_tableau_order(&t, NULL, 1e-14) == 2 && pcs_tableau_is_stiffly_accurate(&t));
    pcs_stability out = examine(&t);
    ck_assert(out.a_stable && out.l_stable);

    // Lobatto IIIA and IIIB, both the diagonal Pade approximation
    const double simpson[3] = {1.0 / 6, 2.0 / 3, 1.0 / 6}, nodes[3] = {0, 0.5, 1};
    const double IIIA[9] = {0, 0, 0, 5.0 / 24, 1.0 / 3, -1.0 / 24, 1.0 / 6, 2.0 / 3, 1.0 / 6};
    const double IIIB[9] = {1.0 / 6, -1.0 / 6, 0, 1.0 / 6, 1.0 / 3, 0, 1.0 / 6, 5.0 / 6, 0};
    const double *const both[2] = {IIIA, IIIB};
    for (int k = 0; k < 2; ++k) {
        t = (pcs_tableau){.s = 3, .A = both[k], .b = simpson, .c = nodes, .order = 4};
        ck_assert_int_eq(pcs_tableau_order(&t, NULL, 1e-14), 4);
        out = examine(&t);
        ck_assert(out.a_stable && !out.l_stable);
        CK_NEAR(out.at_infinity, 1, 1e-13);
        CK_NEAR(cabs(R_of(&t, -3 + 2 * I) - pade(2, 2, -3 + 2 * I)), 0, 1e-15);
    }
}

// R = (1 + z) / (1 - g^2 z^2), small on the whole imaginary axis, has a pole at -1 / g; for g = 1
// the numerator cancels it
TEST(poles_count_unless_they_cancel)
{
    const double half[2] = {0.5, 0.5};
    for (double g = 1; g < 2.5; ++g) {
        const double A[4] = {g, 0, 2 * g * g, -g}, c[2] = {g, 2 * g * g - g};
        const pcs_tableau t = {.s = 2, .A = A, .b = half, .c = c, .order = 1};
        const pcs_stability out = examine(&t);
        ck_assert(isinf(out.imaginary_extent));
        CK_NEAR(out.at_infinity, 0, 1e-15);
        ck_assert(out.a_stable == (g == 1) && out.l_stable == (g == 1));
        CK_NEAR(out.angle, g == 1 ? PI / 2 : 0, 0);
        if (g > 1) CK_NEAR(out.real_extent, 1 / (g * g), 1e-13);
    }

    // R = (1 + 2 z) / (1 + z)
    const double A = -1, b = 1;
    pcs_tableau t = {.s = 1, .A = &A, .b = &b, .c = &A, .order = 1};
    pcs_stability out = examine(&t);
    CK_NEAR(out.at_infinity, 2, 1e-15);
    CK_NEAR(out.real_extent, 2.0 / 3, 1e-14);
    ck_assert(!out.a_stable && out.imaginary_extent == 0 && out.angle == 0);

    // an unused stage, with its pole at -1, beside explicit Euler
    const double A2[4] = {0, 0, 0, -1}, b2[2] = {1, 0}, c2[2] = {0, -1};
    t = (pcs_tableau){.s = 2, .A = A2, .b = b2, .c = c2, .order = 1};
    out = examine(&t);
    ck_assert(!out.a_stable && isinf(out.at_infinity));
    CK_NEAR(out.real_extent, 2, 1e-14);
}

// A(alpha)-stable collocation: on the boundary of the sector |R| is at most 1 and touches it
TEST(sectors_are_as_wide_as_they_can_be)
{
    for (int s = 3; s <= 6; ++s) {
        double nodes[6];
        for (int i = 0; i < s; ++i) {
            nodes[i] = (i + 1.0) / s;
        }
        pcs_tableau *t;
        CK_OK(pcs_tableau_create_collocation(NULL, s, nodes, &t));
        const pcs_stability out = examine(t);
        ck_assert(!out.a_stable && out.angle > 1.4 && out.angle < PI / 2);
        ck_assert(isinf(out.real_extent) && isfinite(out.imaginary_extent));
        double inside = 0, outside = 0;
        for (double y = 0.01; y < 1e4; y *= 1.002) {
            const double in = out.angle - 1e-4, over = out.angle + 1e-4;
            inside = fmax(inside, cabs(R_of(t, -y * (cos(in) - sin(in) * I))));
            outside = fmax(outside, cabs(R_of(t, -y * (cos(over) - sin(over) * I))));
        }
        ck_assert(inside < 1 && outside > 1);
        pcs_tableau_destroy(t);
    }
}

TEST(bad_input_is_refused)
{
    double R[2];
    const double nan[2] = {NAN, 0}, inf[2] = {0, INFINITY}, z[2] = {0, 0};
    const pcs_tableau *t = pcs_tableau_rk4();
    CK_FAILS(pcs_tableau_stability(t, nan, R), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_stability(t, inf, R), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_stability(t, NULL, R), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_stability(t, z, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_stability(NULL, z, R), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_examine(t, NULL), PCS_ERR_ARG);
    pcs_stability out;
    CK_FAILS(pcs_tableau_examine(NULL, &out), PCS_ERR_ARG);
    double A = NAN, b = 1;
    const pcs_tableau bad = {.s = 1, .A = &A, .b = &b, .c = &b, .order = 1};
    CK_FAILS(pcs_tableau_examine(&bad, &out), PCS_ERR_ARG);
    CK_FAILS(pcs_tableau_stability(&bad, z, R), PCS_ERR_SINGULAR);
    CK_OK(pcs_tableau_stability(t, z, R));
    ck_assert(R[0] == 1 && R[1] == 0);
}
