// Where the boxes of a pyramid, a wall and a tower stand.
#include "scenes/stacks.h"

#include <math.h>

double stack_draw(unsigned long long *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return (double)(*s >> 11) * 0x1p-53;
}

stack_def stack_default(int kind)
{
    stack_def def = {.kind = kind, .density = 600, .jolt = 1e-3, .speed = 1e-2};
    switch (kind) {
    case STACK_PYRAMID:
        def.layers = 6;
        def.size[0] = def.size[1] = def.size[2] = 0.1;
        def.spacing = 0.01;
        break;
    case STACK_WALL:
        def.layers = 6;
        def.length = 5;
        def.size[0] = 0.24;
        def.size[1] = 0.12;
        def.size[2] = 0.07;
        def.spacing = 0.01;
        break;
    default:
        def.layers = 10;
        def.length = 3;
        def.size[0] = 0.6;
        def.size[1] = 0.2;
        def.size[2] = 0.04;
        def.spacing = 0.005;
    }
    return def;
}

// One brick of layer k, `length` long, its middle `along` the row and `across` it. `turned`: the
// row goes along y.
static pcs_status lay(world *w, const stack_def *def, int k, double along, double across,
                      double length, bool turned, unsigned long long *s)
{
    const double half = 2 * atan(1) / 2;
    const double Q[4] = {turned ? cos(half) : 1, 0, 0, turned ? sin(half) : 0};
    const double size[3] = {length, def->size[1], def->size[2]};
    double x[3] = {turned ? -across : along, turned ? along : across,
                   (k + 0.5) * def->size[2] + k * def->jolt};
    for (int i = 0; i < 3; ++i) {
        x[i] += def->jolt * (stack_draw(s) - (i < 2 ? 0.5 : 0)); // never below the layer
    }
    return world_box(w, def->density * size[0] * size[1] * size[2], size, x, Q, NULL);
}

static pcs_status lay_row(world *w, const stack_def *def, int k, int n, bool ends,
                          unsigned long long *s)
{
    const double step = def->size[0] + def->spacing;
    for (int i = 0; i < n; ++i) {
        PCS_TRY(lay(w, def, k, (i - 0.5 * (n - 1)) * step, 0, def->size[0], false, s));
    }
    // half bricks close the layers in between
    const double length = 0.5 * (def->size[0] - def->spacing);
    const double at = 0.5 * n * step + 0.5 * length + 0.5 * def->spacing;
    for (int side = -1; ends && side < 2; side += 2) {
        PCS_TRY(lay(w, def, k, side * at, 0, length, false, s));
    }
    return PCS_OK;
}

static pcs_status lay_planks(world *w, const stack_def *def, int k, unsigned long long *s)
{
    for (int i = 0; i < def->length; ++i) {
        const double across = (i - 0.5 * (def->length - 1)) * (def->size[1] + def->spacing);
        PCS_TRY(lay(w, def, k, 0, across, def->size[0], k % 2 == 1, s));
    }
    return PCS_OK;
}

pcs_status stack_build(world *w, const stack_def *def)
{
    unsigned long long s = STACK_SEED;
    PCS_TRY(world_floor(w));
    for (int k = 0; k < def->layers; ++k) {
        switch (def->kind) {
        case STACK_PYRAMID:
            PCS_TRY(lay_row(w, def, k, def->layers - k, false, &s));
            break;
        case STACK_WALL:
            PCS_TRY(lay_row(w, def, k, def->length - k % 2, k % 2 == 1, &s));
            break;
        default:
            PCS_TRY(lay_planks(w, def, k, &s));
        }
    }
    return PCS_OK;
}

void stack_jolt(world *w, const stack_def *def)
{
    unsigned long long s = STACK_SEED;
    for (int b = 0; b < w->n; ++b) {
        double *v = world_v(w, b);
        for (int i = 0; v && i < 3; ++i) {
            v[i] = def->speed * (2 * stack_draw(&s) - 1);
        }
    }
}
