// Boxes that should come to rest.
#include "scenes/resting.h"

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

bool resting_tower(bodies *s, int layers)
{
    if (!bodies_create(s, 3 * layers)) return false;
    const double thick = 0.04, room = 1e-3;
    draws from = draws_begin();
    for (int i = 0; i < s->n; ++i) {
        const int layer = i / 3, along = layer % 2;
        rigid *b = &s->body[i];
        rigid_box(b, along ? 0.1 : 0.3, along ? 0.3 : 0.1, 0.5 * thick, 1000);
        b->position[along ? 0 : 1] = 0.203 * (i % 3 - 1);
        b->position[2] = (layer + 0.5) * thick + layer * room;
        for (int k = 0; k < 3; ++k) {
            const double x = draw(&from);
            b->position[k] += room * (k < 2 ? 2 * x - 1 : x);
        }
        for (int k = 0; k < 3; ++k) {
            b->velocity[k] = 1e-2 * (2 * draw(&from) - 1);
            b->omega[k] = 1e-2 * (2 * draw(&from) - 1);
        }
    }
    bodies_add_plane(s, 0, 0, 1, 0);
    s->steps = 12000;
    s->still_from = 5;
    s->size = thick;
    return true;
}

bool resting_heavy(bodies *s)
{
    if (!bodies_create(s, 2)) return false;
    for (int i = 0; i < 2; ++i) {
        rigid_box(&s->body[i], 0.5, 0.5, 0.5, i == 0 ? 1 : 1e4);
        s->body[i].position[2] = 0.5 + i;
    }
    bodies_add_plane(s, 0, 0, 1, 0);
    s->steps = 400;
    s->still_from = 1;
    s->size = 1;
    return true;
}
