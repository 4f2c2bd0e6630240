// Methods, observed orders and pendulums for tests of smooth systems; see smooth.h.
#include "smooth.h"

#include "support.h"

#include <complex.h>

pcs_tableau *smooth_method(const char *name)
{
    pcs_tableau *tableau;
    CK_OK(pcs_tableau_create_named(NULL, name, &tableau));
    return tableau;
}

pcs_integrator *smooth_run(const pcs_ode *ode, const pcs_ode_opts *opts, double t, const double *x0)
{
    pcs_integrator *run;
    CK_OK(pcs_integrator_create(NULL, ode, opts, &run));
    CK_OK(pcs_integrator_start(run, t, x0));
    return run;
}

void smooth_respond(const pcs_plant *plant, pcs_input_fn input, void *user, const double *x0,
                    double t_end, double *x, double *y)
{
    pcs_driven *driven;
    pcs_ode ode;
    pcs_integrator *run;
    pcs_ode_opts opts = pcs_ode_opts_default();
    opts.rtol = opts.atol = 1e-12;
    CK_OK(pcs_driven_create(NULL, plant, input, user, &driven));
    CK_OK(pcs_driven_ode(driven, &ode));
    CK_OK(pcs_integrator_create(NULL, &ode, &opts, &run));
    CK_OK(pcs_integrator_start(run, 0, x0));
    CK_OK(pcs_integrator_advance(run, t_end, NULL));
    memcpy(x, pcs_integrator_x(run), (size_t)plant->nx * sizeof *x);
    CK_OK(pcs_driven_output(driven, t_end, x, NULL, y));
    pcs_integrator_destroy(run);
    pcs_driven_destroy(driven);
}

#define GAMMA 0.29289321881345254
static const double A[] = {GAMMA, 0, 1 - GAMMA, GAMMA}, b[] = {1 - GAMMA, GAMMA};
static const double c[] = {GAMMA, 1}, b_hat[] = {0.5, 0.5};
const pcs_tableau smooth_sdirk2 = {
    .name = "sdirk2", .s = 2, .A = A, .b = b, .c = c, .order = 2, .b_hat = b_hat, .order_hat = 1};

double smooth_order(int count, const double *h, const double *e)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < count; ++i) {
        const double x = log(h[i]), y = log(e[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (count * sxy - sx * sy) / (count * sxx - sx * sx);
}

double smooth_quarter_period(double angle)
{
    double mean = 1, root = cos(angle / 2);
    for (int i = 0; i < 8; ++i) {
        const double next = (mean + root) / 2;
        root = sqrt(mean * root);
        mean = next;
    }
    return acos(-1) / (2 * mean);
}

int smooth_doubled_L(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                     pcs_complex *L)
{
    const double g = 9.81;
    const smooth_doubled *d = user;
    const double *m = d->m, *l = d->l;
    *L = 0.5 * (m[0] + m[1]) * l[0] * l[0] * v[0] * v[0] + 0.5 * m[1] * l[1] * l[1] * v[1] * v[1] +
         m[1] * l[0] * l[1] * v[0] * v[1] * ccos(q[0] - q[1]) +
         (m[0] + m[1]) * g * l[0] * ccos(q[0]) + m[1] * g * l[1] * ccos(q[1]);
    return 0;
}

int smooth_first(void *user, double t, const double *x, double *g)
{
    *g = x[0];
    return 0;
}
