// Where Runge-Kutta methods are stable: |R(z)| <= 1, with R(z) = det(I - z (A - 1 b^T)) /
// det(I - z A), the factor of a step of size h on x' = lambda x, z = h lambda (theory 10).
//
// Explicit methods with s = p have R = 1 + z + ... + z^s / s!, so that their intervals on the axes
// are known; Gauss methods have |R(iy)| = 1 exactly; Radau IIA and implicit Euler have R = 0 at
// infinity. The table has |R| on a grid; the checks compare R with closed forms and with steps of
// the integrator on the equation itself.
#include "args.h"
#include "example.h"

#include <percuss/ode.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *method, *csv;
    int cells;
    double left, right, height;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.cells = 100, .left = -6, .right = 6, .height = 6};
    args a = {.about = "Regions of absolute stability of Runge-Kutta methods, A- and L-stability, "
                       "intervals on the axes."};
    args_string(&a, "--method", &set->method, "NAME", "this method only (rk4, gauss4, radau2 ...)");
    args_int(&a, "--cells", &set->cells, 2, 2000, "cells of the grid, in each direction");
    args_real(&a, "--left", &set->left, -1e3, 0, "", "least Re z of the grid");
    args_real(&a, "--right", &set->right, 0, 1e3, "", "largest Re z of the grid");
    args_positive(&a, "--height", &set->height, 10, "", "largest |Im z| of the grid");
    args_output(&a, "--csv", &set->csv, "FILE", "write the grid: method, Re z, Im z, |R(z)|");
    args_parse(&a, argc, argv);
    if (set->method) args_check_method("--method", set->method);
    if (!(set->left < set->right)) args_refuse("--left must be below --right");
}

// ---- closed forms

typedef struct known {
    const char *method;
    bool a_stable, l_stable;
    double real, imaginary; // extents; NaN: not checked
} known;

// The end of the real interval solves |R(-y)| = 1: 2 for orders 1 and 2, 2.5127 and 2.7853 for
// orders 3 and 4. On the imaginary axis orders 3 and 4 reach sqrt(3) and 2 sqrt(2), orders 1 and 2
// nothing.
static const known list[] = {
    {"explicit_euler", false, false, 2, 0},
    {"midpoint", false, false, 2, 0},
    {"ralston", false, false, 2, 0},
    {"heun", false, false, 2, 0},
    {"kutta3", false, false, NAN, NAN},
    {"heun3", false, false, NAN, NAN},
    {"rk4", false, false, NAN, NAN},
    {"bogacki_shampine", false, false, NAN, NAN},
    {"dormand_prince", false, false, NAN, NAN},
    {"implicit_euler", true, true, INFINITY, INFINITY},
    {"trapezoid", true, false, INFINITY, INFINITY},
    {"gauss1", true, false, INFINITY, INFINITY},
    {"gauss2", true, false, INFINITY, INFINITY},
    {"gauss3", true, false, INFINITY, INFINITY},
    {"radau2", true, true, INFINITY, INFINITY},
    {"radau3", true, true, INFINITY, INFINITY},
};

enum { METHODS = sizeof list / sizeof *list };

static const known *known_of(const char *method)
{
    for (int i = 0; i < METHODS; ++i) {
        if (strcmp(list[i].method, method) == 0) return &list[i];
    }
    return NULL;
}

// the point at which the truncated exponential of order p leaves [-1, 1] on the negative axis, by
// bisection
static double truncated_real(int p)
{
    double low = 0.5, high = 10;
    for (int i = 0; i < 100; ++i) {
        const double y = 0.5 * (low + high);
        double term = 1, sum = 1;
        for (int k = 1; k <= p; ++k) {
            term *= -y / k;
            sum += term;
        }
        if (fabs(sum) <= 1) {
            low = y;
        } else {
            high = y;
        }
    }
    return low;
}

// ---- R from the integrator: one step of x' = lambda x, lambda complex as a plane rotation

static int spiral(void *user, double t, const double *x, double *f)
{
    (void)t;
    const double *lambda = user;
    f[0] = lambda[0] * x[0] - lambda[1] * x[1];
    f[1] = lambda[1] * x[0] + lambda[0] * x[1];
    return 0;
}

static int spiral_jacobian(void *user, double t, const double *x, double *J)
{
    (void)t;
    (void)x;
    const double *lambda = user;
    J[0] = J[3] = lambda[0];
    J[1] = lambda[1];
    J[2] = -lambda[1];
    return 0;
}

static pcs_status step_factor(const pcs_tableau *tab, const double z[2], double R[2])
{
    double lambda[2] = {z[0], z[1]};
    const pcs_ode ode = {.n = 2, .f = spiral, .jacobian = spiral_jacobian, .user = lambda};
    const pcs_ode_opts opts = pcs_ode_opts_fixed(tab, 1);
    pcs_integrator *run;
    PCS_TRY(pcs_integrator_create(NULL, &ode, &opts, &run));
    pcs_status status = pcs_integrator_start(run, 0, (double[]){1, 0});
    if (status == PCS_OK) status = pcs_integrator_step(run, NULL);
    if (status == PCS_OK) memcpy(R, pcs_integrator_x(run), 2 * sizeof *R);
    pcs_integrator_destroy(run);
    return status;
}

// ---- one method

static pcs_status write_grid(const settings *set, const pcs_tableau *tab, csv *out)
{
    if (!set->csv) return PCS_OK;
    const int n = set->cells;
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            const double z[2] = {set->left + (set->right - set->left) * i / n,
                                 set->height * (2.0 * j / n - 1)};
            double R[2] = {INFINITY, 0};
            const pcs_status status = pcs_tableau_stability(tab, z, R);
            // R is as large as may be at a pole
            if (status != PCS_OK && status != PCS_ERR_SINGULAR) return status;
            const double size = hypot(R[0], R[1]);
            csv_text(out, tab->name);
            csv_real(out, z[0]);
            csv_real(out, z[1]);
            csv_real(out, size < 1e6 ? size : 1e6);
            csv_end(out);
        }
    }
    return PCS_OK;
}

static void check_known(const pcs_tableau *tab, const pcs_stability *s, checks *c)
{
    const known *k = known_of(tab->name);
    if (!k) return;
    check_that(c, "A-stable", s->a_stable == k->a_stable, s->a_stable ? "yes" : "no");
    check_that(c, "L-stable", s->l_stable == k->l_stable, s->l_stable ? "yes" : "no");
    if (isfinite(k->real)) {
        check_value(c, "real interval", s->real_extent, k->real, 1e-9);
        check_value(c, "imaginary interval", s->imaginary_extent, k->imaginary, 1e-4);
    } else if (isinf(k->real)) {
        check_that(c, "real interval", isinf(s->real_extent), "without end");
        check_that(c, "imaginary interval", isinf(s->imaginary_extent), "without end");
    } else if (tab->s == tab->order) {
        check_value(c, "real interval", s->real_extent, truncated_real(tab->s), 1e-9);
        check_value(c, "imaginary interval", s->imaginary_extent, tab->s == 3 ? sqrt(3) : sqrt(8),
                    1e-6);
    }
}

static pcs_status check_steps(const pcs_tableau *tab, checks *c)
{
    double worst = 0;
    for (int k = 0; k < 12; ++k) {
        const double z[2] = {1.7 * cos(0.3 + k), 1.7 * sin(0.3 + k)};
        double R[2], seen[2];
        PCS_TRY(pcs_tableau_stability(tab, z, R));
        PCS_TRY(step_factor(tab, z, seen));
        worst = fmax(worst, hypot(R[0] - seen[0], R[1] - seen[1]) / fmax(1, hypot(R[0], R[1])));
    }
    check_value(c, "R(z) against a step", worst, 0, 1e-11);
    return PCS_OK;
}

static pcs_status examine(const settings *set, const char *name, csv *out, checks *c)
{
    pcs_tableau *tab;
    PCS_TRY(pcs_tableau_create_named(NULL, name, &tab));
    pcs_stability s;
    pcs_status status = pcs_tableau_examine(tab, &s);
    if (status == PCS_OK) {
        printf("%-18s %3d %3s %3s %12s %12s %12s %9.2f\n", tab->name, tab->order,
               s.a_stable ? "A" : "-", s.l_stable ? "L" : "-", cell_of("%.6g", s.real_extent).text,
               cell_of("%.6g", s.imaginary_extent).text, cell_of("%.4g", s.at_infinity).text,
               s.angle * 180 / acos(-1));
        c->context = name;
        c->quiet = true;
        check_known(tab, &s, c);
        status = check_steps(tab, c);
    }
    if (status == PCS_OK) status = write_grid(set, tab, out);
    pcs_tableau_destroy(tab);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    printf("%-18s %3s %7s %12s %12s %12s %9s\n", "method", "p", "stable", "real", "imaginary",
           "|R(inf)|", "angle");
    if (set->method) return examine(set, set->method, out, c);
    for (int i = 0; i < METHODS; ++i) {
        PCS_TRY(examine(set, list[i].method, out, c));
    }
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run(run, &set, set.csv, "method,re,im,modulus");
}
