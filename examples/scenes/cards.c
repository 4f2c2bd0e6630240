// A house of cards: every storey has a tent less than the one below, on cards that lie over two
// tents.
#include "scenes/cards.h"

#include <math.h>
#include <string.h>

cards_def cards_default(void)
{
    return (cards_def){.size = {0.088, 0.063, 0.0005},
                       .mass = 0.0018,
                       .lean = 0.3,
                       .storeys = 3,
                       .mu_floor = 0.5,
                       .mu = 0.5};
}

// least friction with which two cards stand, from moments about the foot of a card
double cards_least_friction(const cards_def *def)
{
    return tan(def->lean) / 2 - def->size[2] / (2 * def->size[0]);
}

// a card at rest
static pcs_status add_card(const cards_def *def, pcs_model *model, pcs_material paper,
                           const double size[3], const double x[3], const double Q[4])
{
    pcs_body_def body =
        pcs_body_def_of_inertia(pcs_inertia_box(def->mass, size[0], size[1], size[2]));
    pcs_system card;
    memcpy(body.position, x, sizeof body.position);
    memcpy(body.orientation, Q, sizeof body.orientation);
    const pcs_shape box = pcs_shape_box(size[0], size[1], size[2]);
    PCS_TRY(pcs_model_add_body(model, &body, &card));
    return pcs_model_add_shape(model, card, &box, paper);
}

// two cards whose upper inner edges meet above x, their feet at height z
static pcs_status tent(const cards_def *def, pcs_model *model, pcs_material paper, double x,
                       double z)
{
    const double L = def->size[0], t = def->size[2], a = def->lean;
    const double size[3] = {t, def->size[1], L};
    for (int side = -1; side < 2; side += 2) {
        // the upper one of the edges inside, from the centre; then the lower
        const double Q[4] = {cos(a / 2), 0, -side * sin(a / 2), 0};
        double upper[3], lower[3];
        pcs_quat_rotate(Q, (const double[]){-side * t / 2, 0, L / 2}, upper);
        pcs_quat_rotate(Q, (const double[]){-side * t / 2, 0, -L / 2}, lower);
        const double apart = side * 1e-7;
        const double at[3] = {x + apart - upper[0], 0, z - lower[2]};
        PCS_TRY(add_card(def, model, paper, size, at, Q));
    }
    return PCS_OK;
}

pcs_status cards_build(const cards_def *def, pcs_model *model)
{
    pcs_material ground, paper;
    const double L = def->size[0], t = def->size[2], a = def->lean;
    // the outer edge above stands out over the inner by t sin a
    const double storey = L * cos(a) + t * sin(a), pitch = L, step = 1e-7;
    const pcs_shape table = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    // a card on the table has the friction of the smoother of the two
    const pcs_law smoother = pcs_law_newton_coulomb(0, 0, fmin(def->mu, def->mu_floor));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = def->mu_floor}, &ground));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = def->mu}, &paper));
    PCS_TRY(pcs_model_set_pair_law(model, ground, paper, &smoother));
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &table, ground));
    for (int k = 0; k < def->storeys; ++k) {
        const int n = def->storeys - k;
        const double z = k * (storey + t + 2 * step);
        for (int i = 0; i < n; ++i) {
            PCS_TRY(tent(def, model, paper, (i - 0.5 * (n - 1)) * pitch, z));
        }
        for (int i = 0; i + 1 < n; ++i) {
            const double size[3] = {L - t, def->size[1], t};
            const double x[3] = {(i - 0.5 * (n - 2)) * pitch, 0, z + storey + t / 2 + step};
            PCS_TRY(add_card(def, model, paper, size, x, (const double[]){1, 0, 0, 0}));
        }
    }
    return PCS_OK;
}

double cards_top(const pcs_model *model, const pcs_state *state)
{
    double z = 0;
    for (int id = 1; id <= pcs_model_system_count(model); ++id) {
        z = fmax(z, pcs_state_read_q(model, state, (pcs_system){id})[2]);
    }
    return z;
}
