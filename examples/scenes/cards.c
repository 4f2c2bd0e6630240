// A house of cards: every storey has a tent less than the one below, on cards that lie over two
// tents.
#include "scenes/cards.h"

#include <math.h>

cards_def cards_default(void)
{
    return (cards_def){.length = 0.088,
                       .width = 0.063,
                       .thickness = 0.0005,
                       .mass = 0.0018,
                       .lean = 0.3,
                       .storeys = 3,
                       .mu_floor = 0.5,
                       .mu = 0.5};
}

// from moments about the foot of a card
double cards_least_friction(const cards_def *def)
{
    return tan(def->lean) / 2 - def->thickness / (2 * def->length);
}

// two bodies that touch have the friction of the smoother one
static pcs_law smoother(void *user, const pcs_material_def *a, const pcs_material_def *b)
{
    (void)user;
    return pcs_law_newton_coulomb(0, 0, fmin(a->mu, b->mu));
}

// two cards whose upper inner edges meet above x, their feet at height z
static pcs_status tent(const cards_def *def, world *w, double x, double z)
{
    const double L = def->length, t = def->thickness, a = def->lean;
    const double size[3] = {t, def->width, L};
    for (int side = -1; side < 2; side += 2) {
        // the upper one of the edges inside, from the centre; then the lower
        const double Q[4] = {cos(a / 2), 0, -side * sin(a / 2), 0};
        double upper[3], lower[3];
        pcs_quat_rotate(Q, (const double[]){-side * t / 2, 0, L / 2}, upper);
        pcs_quat_rotate(Q, (const double[]){-side * t / 2, 0, -L / 2}, lower);
        const double apart = side * 1e-7;
        const double at[3] = {x + apart - upper[0], 0, z - lower[2]};
        PCS_TRY(world_box(w, def->mass, size, at, Q, NULL));
    }
    return PCS_OK;
}

pcs_status cards_build(world *w, const cards_def *def)
{
    const double L = def->length, t = def->thickness, a = def->lean;
    // the outer edge above stands out over the inner by t sin a
    const double storey = L * cos(a) + t * sin(a), pitch = L, step = 1e-7;
    PCS_TRY(pcs_model_set_combine(w->model, smoother, NULL));
    PCS_TRY(world_material(w, def->mu_floor, 0));
    PCS_TRY(world_floor(w));
    PCS_TRY(world_material(w, def->mu, 0));
    for (int k = 0; k < def->storeys; ++k) {
        const int n = def->storeys - k;
        const double z = k * (storey + t + 2 * step);
        for (int i = 0; i < n; ++i) {
            PCS_TRY(tent(def, w, (i - 0.5 * (n - 1)) * pitch, z));
        }
        for (int i = 0; i + 1 < n; ++i) {
            const double size[3] = {L - t, def->width, t};
            const double x[3] = {(i - 0.5 * (n - 2)) * pitch, 0, z + storey + t / 2 + step};
            PCS_TRY(world_box(w, def->mass, size, x, NULL, NULL));
        }
    }
    return world_start(w);
}

double cards_top(const world *w)
{
    double z = 0;
    for (int b = 0; b < w->n; ++b) {
        const double *q = world_q(w, b);
        if (q) z = fmax(z, q[2]);
    }
    return z;
}
