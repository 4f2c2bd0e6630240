// Smooth problems with known solutions: a Kepler orbit, a nonlinear saturation, a chain of coupled
// oscillators.
#include "ode_case.h"

#include <math.h>
#include <stddef.h>

// ---- Kepler, eccentricity 0.5, three periods and a half

#define ECCENTRICITY 0.5

static void kepler_start(double *x)
{
    x[0] = 1 - ECCENTRICITY;
    x[1] = x[2] = 0;
    x[3] = sqrt((1 + ECCENTRICITY) / (1 - ECCENTRICITY));
}

static void kepler_rates(double t, const double *x, double *f)
{
    (void)t;
    const double r2 = x[0] * x[0] + x[1] * x[1], r3 = r2 * sqrt(r2);
    f[0] = x[2];
    f[1] = x[3];
    f[2] = -x[0] / r3;
    f[3] = -x[1] / r3;
}

static void kepler_exact(double t, double *x)
{
    // Kepler's equation by Newton
    double E = t;
    for (int i = 0; i < 50; ++i) {
        E -= (E - ECCENTRICITY * sin(E) - t) / (1 - ECCENTRICITY * cos(E));
    }
    const double b = sqrt(1 - ECCENTRICITY * ECCENTRICITY), rate = 1 / (1 - ECCENTRICITY * cos(E));
    x[0] = cos(E) - ECCENTRICITY;
    x[1] = b * sin(E);
    x[2] = -sin(E) * rate;
    x[3] = b * cos(E) * rate;
}

// ---- x' = -x y, y' = x^2 from (1, 0): x = sech t, y = tanh t

static void arc_start(double *x)
{
    x[0] = 1;
    x[1] = 0;
}

static void arc_rates(double t, const double *x, double *f)
{
    (void)t;
    f[0] = -x[0] * x[1];
    f[1] = x[0] * x[0];
}

static void arc_exact(double t, double *x)
{
    x[0] = 1 / cosh(t);
    x[1] = tanh(t);
}

// ---- a chain of equal masses and springs between walls: its modes are sines

enum { MASSES = 20 };

static void chain_start(double *x)
{
    for (int i = 0; i < MASSES; ++i) {
        x[i] = 0;
        for (int k = 1; k <= 3; ++k) {
            x[i] += sin(k * (i + 1) * acos(-1) / (MASSES + 1)) / k;
        }
        x[MASSES + i] = 0;
    }
}

static void chain_rates(double t, const double *x, double *f)
{
    (void)t;
    for (int i = 0; i < MASSES; ++i) {
        const double left = i > 0 ? x[i - 1] : 0, right = i + 1 < MASSES ? x[i + 1] : 0;
        f[i] = x[MASSES + i];
        f[MASSES + i] = 100 * (left - 2 * x[i] + right);
    }
}

static void chain_exact(double t, double *x)
{
    for (int i = 0; i < MASSES; ++i) {
        x[i] = x[MASSES + i] = 0;
        for (int k = 1; k <= 3; ++k) {
            const double angle = k * acos(-1) / (MASSES + 1), w = 20 * sin(angle / 2);
            x[i] += sin((i + 1) * angle) / k * cos(w * t);
            x[MASSES + i] -= sin((i + 1) * angle) / k * w * sin(w * t);
        }
    }
}

// ---- the list

static const ode_case cases[] = {
    {"kepler", 4, 22, kepler_start, kepler_rates, kepler_exact},
    {"arc", 2, 6, arc_start, arc_rates, arc_exact},
    {"chain", 2 * MASSES, 10, chain_start, chain_rates, chain_exact},
};

const ode_case *ode_case_at(int i)
{
    return i >= 0 && i < (int)(sizeof cases / sizeof *cases) ? &cases[i] : NULL;
}

double ode_case_error(const ode_case *c, const double *x)
{
    double exact[ODE_CASE_MOST], sum = 0;
    c->exact(c->t_end, exact);
    for (int i = 0; i < c->n; ++i) {
        sum += (x[i] - exact[i]) * (x[i] - exact[i]);
    }
    return sqrt(sum / c->n);
}
