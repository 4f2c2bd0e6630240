// Rigid spheres and boxes above planes, as plain numbers.
#include "scenes/bodies.h"

#include <math.h>
#include <stdlib.h>

bool bodies_create(bodies *s, int n)
{
    *s = (bodies){.n = n,
                  .body = calloc(n > 0 ? (size_t)n : 1, sizeof *s->body),
                  .gravity = {0, 0, -9.81},
                  .mu = 0.5,
                  .h = 1.0 / 200,
                  .perturb_at = -1,
                  .still_from = INFINITY};
    for (int i = 0; i < n && s->body; ++i) {
        s->body[i].orientation[0] = 1;
    }
    return s->body != NULL;
}

void bodies_destroy(bodies *s)
{
    free(s->body);
    *s = (bodies){0};
}

void rigid_sphere(rigid *b, double radius, double density)
{
    b->radius = radius;
    b->mass = density * 4 / 3 * 3.14159265358979323846 * radius * radius * radius;
    for (int i = 0; i < 3; ++i) {
        b->inertia[i] = 0.4 * b->mass * radius * radius;
    }
}

void rigid_box(rigid *b, double hx, double hy, double hz, double density)
{
    const double h[3] = {hx, hy, hz};
    b->mass = 8 * density * hx * hy * hz;
    for (int i = 0; i < 3; ++i) {
        const double y = h[(i + 1) % 3], z = h[(i + 2) % 3];
        b->half[i] = h[i];
        b->inertia[i] = b->mass / 3 * (y * y + z * z);
    }
}

void bodies_add_plane(bodies *s, double nx, double ny, double nz, double d)
{
    if (s->planes == MOST_PLANES) return;
    double *to = s->plane[s->planes++];
    to[0] = nx;
    to[1] = ny;
    to[2] = nz;
    to[3] = d;
}

draws draws_begin(void)
{
    return (draws){88172645463325252ULL};
}

double draw(draws *from)
{
    unsigned long long s = from->s;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    from->s = s;
    return (double)(s >> 11) / 9007199254740992.0;
}

void bodies_perturb(const bodies *s, double *q, double *v)
{
    draws from = draws_begin();
    for (int i = 0; i < s->n; ++i) {
        if (s->body[i].fixed) continue;
        for (int k = 0; k < 3; ++k) {
            const double x = draw(&from);
            q[7 * i + k] += 1e-3 * (k < 2 ? 2 * x - 1 : x);
        }
        for (int k = 0; k < 6; ++k) {
            v[6 * i + k] += 1e-2 * (2 * draw(&from) - 1);
        }
    }
}
