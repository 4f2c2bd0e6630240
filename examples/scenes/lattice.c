// A lattice of bodies falls into an open box.
#include "scenes/lattice.h"

#include <math.h>

// seven random numbers per body of any shape: three for the place, four for the quaternion
static void place(rigid *b, int i, int side, draws *from)
{
    const double middle = 0.5 * (side - 1);
    const double cell[3] = {i % side - middle, (double)(i / side % side) - middle,
                            (double)(i / (side * side))};
    for (int k = 0; k < 3; ++k) {
        b->position[k] = 0.22 * cell[k] + (k == 2 ? 0.3 : 0) + 0.01 * (draw(from) - 0.5);
    }
    double Q[4], square = 0;
    for (int k = 0; k < 4; ++k) {
        Q[k] = draw(from) - 0.5;
        square += Q[k] * Q[k];
    }
    // a ball shows no orientation
    for (int k = 0; k < 4 && b->radius == 0; ++k) {
        b->orientation[k] = Q[k] / sqrt(square);
    }
}

static bool lattice(bodies *s, int side, double radius, double half)
{
    if (!bodies_create(s, side * side * side)) return false;
    draws from = draws_begin();
    for (int i = 0; i < s->n; ++i) {
        if (radius > 0) {
            rigid_sphere(&s->body[i], radius, 1000);
        } else {
            rigid_box(&s->body[i], half, half, half, 1000);
        }
        place(&s->body[i], i, side, &from);
    }
    const double wall = 0.11 * side + 0.02;
    bodies_add_plane(s, 0, 0, 1, 0);
    bodies_add_plane(s, 1, 0, 0, -wall);
    bodies_add_plane(s, -1, 0, 0, -wall);
    bodies_add_plane(s, 0, 1, 0, -wall);
    bodies_add_plane(s, 0, -1, 0, -wall);
    s->h = LATTICE_H;
    s->steps = LATTICE_STEPS;
    s->size = 2 * (radius > 0 ? radius : half);
    return true;
}

bool lattice_spheres(bodies *s, int side)
{
    return lattice(s, side, LATTICE_RADIUS, 0);
}

bool lattice_cubes(bodies *s, int side)
{
    return lattice(s, side, 0, LATTICE_HALF);
}
