// The positions of the boxes of a pyramid, a wall and a tower.
#include "scenes/stacks_scene.h"

#include <math.h>

#include "scenes/bodies_model.h"

stack_def stack_default(int kind)
{
    static const stack_def def[] = {
        {.layers = 6, .size = {0.1, 0.1, 0.1}, .spacing = 0.01, .density = 600},
        {.layers = 6, .length = 5, .size = {0.24, 0.12, 0.07}, .spacing = 0.01, .density = 600},
        {.layers = 10, .length = 3, .size = {0.6, 0.2, 0.04}, .spacing = 0.003, .density = 1000}};
    stack_def out = def[kind];
    out.kind = kind;
    out.mu = 0.5;
    out.jolt = 1e-3;
    out.speed = 1e-2;
    return out;
}

// length of the bricks that close a layer of the wall
static double half_brick(const stack_def *def)
{
    return 0.5 * (def->size[0] - def->spacing);
}

double stack_size(const stack_def *def)
{
    const double along = def->kind == STACK_WALL ? half_brick(def) : def->size[0];
    return fmin(along, fmin(def->size[1], def->size[2]));
}

// the bodies so far
typedef struct pile {
    bodies *s;
    const stack_def *def;
    int n;
    draws from;
} pile;

// One brick of layer k, `length` long, its middle `along` the row and `across` it. `turned`: the
// row goes along y.
static void lay(pile *p, int k, double along, double across, double length, bool turned)
{
    const stack_def *def = p->def;
    rigid *b = &p->s->body[p->n++];
    const double wide = def->size[1], high = def->size[2];
    rigid_box(b, 0.5 * (turned ? wide : length), 0.5 * (turned ? length : wide), 0.5 * high,
              def->density);
    b->position[turned ? 1 : 0] = along;
    b->position[turned ? 0 : 1] = across;
    b->position[2] = (k + 0.5) * high + k * def->jolt;
    for (int i = 0; i < 3; ++i) {
        const double x = draw(&p->from);
        b->position[i] += def->jolt * (i < 2 ? 2 * x - 1 : x); // never below the layer
    }
    for (int i = 0; i < 3; ++i) {
        b->velocity[i] = def->speed * (2 * draw(&p->from) - 1);
        b->omega[i] = def->speed * (2 * draw(&p->from) - 1);
    }
}

static void lay_row(pile *p, int k, int n, bool ends)
{
    const stack_def *def = p->def;
    const double step = def->size[0] + def->spacing;
    for (int i = 0; i < n; ++i) {
        lay(p, k, (i - 0.5 * (n - 1)) * step, 0, def->size[0], false);
    }
    // half bricks close the layers in between
    const double length = half_brick(def);
    const double at = 0.5 * n * step + 0.5 * length + 0.5 * def->spacing;
    for (int side = -1; ends && side < 2; side += 2) {
        lay(p, k, side * at, 0, length, false);
    }
}

static void lay_planks(pile *p, int k)
{
    const stack_def *def = p->def;
    for (int i = 0; i < def->length; ++i) {
        const double across = (i - 0.5 * (def->length - 1)) * (def->size[1] + def->spacing);
        lay(p, k, 0, across, def->size[0], k % 2 == 1);
    }
}

static int in_layer(const stack_def *def, int k)
{
    if (def->kind == STACK_PYRAMID) return def->layers - k;
    return def->length + (def->kind == STACK_WALL ? k % 2 : 0);
}

bool stack_bodies(bodies *s, const stack_def *def)
{
    int n = 0;
    for (int k = 0; k < def->layers; ++k) {
        n += in_layer(def, k);
    }
    if (!bodies_create(s, n)) return false;
    bodies_add_plane(s, 0, 0, 1, 0);
    pile p = {.s = s, .def = def, .from = draws_begin()};
    for (int k = 0; k < def->layers; ++k) {
        switch (def->kind) {
        case STACK_PYRAMID:
            lay_row(&p, k, def->layers - k, false);
            break;
        case STACK_WALL:
            lay_row(&p, k, def->length - k % 2, k % 2 == 1);
            break;
        default:
            lay_planks(&p, k);
        }
    }
    s->mu = def->mu;
    s->steps = def->kind == STACK_KAPLA ? 12000 : 400;
    s->still_from = def->kind == STACK_KAPLA ? 5 : 1;
    s->size = stack_size(def);
    return true;
}

pcs_status stack_build(const stack_def *def, pcs_model *model)
{
    bodies s;
    return stack_bodies(&s, def) ? bodies_move(&s, model) : PCS_ERR_MEMORY;
}
