// Boxes that should come to rest.
#include "scenes/resting.h"

#include <math.h>

#include "scenes/bodies_model.h"

bool resting_cube(bodies *s)
{
    if (!bodies_create(s, 1)) return false;
    rigid_box(&s->body[0], 0.5, 0.5, 0.5, 1000);
    s->body[0].position[2] = 0.5;
    bodies_add_plane(s, 0, 0, 1, 0);
    s->steps = 220;
    s->perturb_at = 20;
    s->size = 1;
    return true;
}

bool resting_plank(bodies *s)
{
    if (!bodies_create(s, 3)) return false;
    rigid_box(&s->body[0], 0.3, 0.1, 0.02, 1000);
    s->body[0].position[2] = 0.12;
    for (int i = 1; i < 3; ++i) {
        rigid_box(&s->body[i], 0.05, 0.15, 0.05, 1000);
        s->body[i].fixed = true;
        s->body[i].position[0] = i == 1 ? -0.2 : 0.2;
        s->body[i].position[2] = 0.05;
    }
    s->steps = 220;
    s->perturb_at = 20;
    s->size = 0.04;
    return true;
}

heavy_def heavy_default(void)
{
    return (heavy_def){.mass = 1, .ratio = 1e4, .lower = 1, .upper = 1, .mu = 0.5};
}

bool resting_heavy(bodies *s, const heavy_def *def)
{
    const double a = def->lower, b = def->upper;
    if (!bodies_create(s, 2)) return false;
    rigid_box(&s->body[0], a / 2, a / 2, a / 2, def->mass / (a * a * a));
    rigid_box(&s->body[1], b / 2, b / 2, b / 2, def->mass * def->ratio / (b * b * b));
    s->body[0].position[2] = a / 2 + def->drop;
    s->body[1].position[0] = def->aside * b;
    s->body[1].position[1] = 0.5 * def->aside * b;
    s->body[1].position[2] = a + b / 2 + 2 * def->drop;
    bodies_add_plane(s, 0, 0, 1, 0);
    s->mu = def->mu;
    s->steps = 400;
    s->still_from = 1;
    s->size = fmin(a, b);
    return true;
}

pcs_status heavy_build(const heavy_def *def, pcs_model *model)
{
    bodies s;
    return resting_heavy(&s, def) ? bodies_move(&s, model) : PCS_ERR_MEMORY;
}
