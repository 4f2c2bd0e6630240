// Scenes of rigid bodies that touch: see family_scene.h.
#include "family_scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- random numbers -----------------------------------------------------------------------------

static uint64_t rng_next(rng *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double rng_unit(rng *r)
{
    return (double)(rng_next(r) >> 11) / 9007199254740992.0;
}

double rng_between(rng *r, double low, double high)
{
    return low + (high - low) * rng_unit(r);
}

void rng_three(rng *r, double low, double high, double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = rng_between(r, low, high);
    }
}

int rng_int(rng *r, int n)
{
    return (int)(rng_unit(r) * n);
}

// a random point of the unit ball of `n` dimensions, not too near the centre, scaled to length 1
static void rng_sphere(rng *r, int n, double *d)
{
    double s = 0;
    while (!(s > 1e-4 && s <= 1)) {
        s = 0;
        for (int i = 0; i < n; ++i) {
            d[i] = rng_between(r, -1, 1);
            s += d[i] * d[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        d[i] /= sqrt(s);
    }
}

void rng_direction(rng *r, double d[3])
{
    rng_sphere(r, 3, d);
}

void rng_rotation(rng *r, double R[9])
{
    double q[4];
    rng_sphere(r, 4, q);
    const double s = q[0], x = q[1], y = q[2], z = q[3];
    const double full[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y + s * z),     2 * (x * z - s * y),
        2 * (x * y - s * z),     1 - 2 * (x * x + z * z), 2 * (y * z + s * x),
        2 * (x * z + s * y),     2 * (y * z - s * x),     1 - 2 * (x * x + y * y)};
    memcpy(R, full, sizeof full);
}

double root_power(double base, double s)
{
    double out = 1;
    if (s >= 1) return base;
    for (int k = 0; k < 24; ++k) {
        // one square root for each binary digit of s
        base = sqrt(base);
        s *= 2;
        if (s >= 1) {
            out *= base;
            s -= 1;
        }
    }
    return out;
}

// ---- bodies and links ---------------------------------------------------------------------------

void scene_init(scene *s)
{
    *s = (scene){.up = {0, 0, 1}};
}

void scene_free(scene *s)
{
    free(s->body);
    free(s->link);
    *s = (scene){0};
}

int scene_rows(scene_kind kind)
{
    static const int rows[] = {3, 2, 1, 3, 5};
    return rows[kind];
}

static void *grow(void *old, int *room, int wanted, size_t size)
{
    if (wanted <= *room) return old;
    *room = 2 * wanted + 64;
    void *p = realloc(old, (size_t)*room * size);
    if (!p) {
        fprintf(stderr, "family: out of memory\n");
        abort();
    }
    return p;
}

static scene_body *add_body(scene *s, double x, double y, double z)
{
    s->body = grow(s->body, &s->body_room, s->bodies + 1, sizeof *s->body);
    scene_body *b = &s->body[s->bodies++];
    *b = (scene_body){.x = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .mass = 1};
    return b;
}

int scene_box(scene *s, double x, double y, double z, double hx, double hy, double hz)
{
    scene_body *b = add_body(s, x, y, z);
    const double h[3] = {hx, hy, hz};
    memcpy(b->half, h, sizeof h);
    b->volume = 8 * hx * hy * hz;
    for (int i = 0; i < 3; ++i) {
        const double p = h[(i + 1) % 3], q = h[(i + 2) % 3];
        b->inertia[i] = (p * p + q * q) / 3;
    }
    return s->bodies - 1;
}

int scene_sphere(scene *s, double x, double y, double z, double radius)
{
    scene_body *b = add_body(s, x, y, z);
    b->half[0] = b->half[1] = b->half[2] = radius;
    b->volume = 4.18879020478639 * radius * radius * radius;
    for (int i = 0; i < 3; ++i) {
        b->inertia[i] = 0.4 * radius * radius;
    }
    return s->bodies - 1;
}

int scene_rod(scene *s, double x, double y, double z, double radius, double half, int axis)
{
    scene_body *b = add_body(s, x, y, z);
    b->volume = 6.28318530717959 * radius * radius * half;
    for (int i = 0; i < 3; ++i) {
        b->half[i] = i == axis ? half : radius;
        b->inertia[i] = i == axis ? radius * radius / 2 : radius * radius / 4 + half * half / 3;
    }
    return s->bodies - 1;
}

// columns N, T1, T2 from a unit normal
static void frame_of(const double N[3], double F[9])
{
    int k = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(N[i]) < fabs(N[k])) k = i;
    }
    double e[3] = {0};
    e[k] = 1;
    const double t[3] = {e[1] * N[2] - e[2] * N[1], e[2] * N[0] - e[0] * N[2],
                         e[0] * N[1] - e[1] * N[0]};
    const double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; ++i) {
        F[i] = N[i];
        F[3 + i] = t[i] / size;
    }
    F[6] = F[1] * F[5] - F[2] * F[4];
    F[7] = F[2] * F[3] - F[0] * F[5];
    F[8] = F[0] * F[4] - F[1] * F[3];
}

int scene_touch(scene *s, scene_kind kind, int a, int b, const double P[3], const double N[3])
{
    s->link = grow(s->link, &s->link_room, s->links + 1, sizeof *s->link);
    scene_link *k = &s->link[s->links++];
    *k = (scene_link){.kind = kind, .a = a, .b = b};
    memcpy(k->P, P, sizeof k->P);
    frame_of(N, k->F);
    if (kind == SCENE_PLANAR) {
        // the plane is y = 0
        const double F[9] = {N[0], N[1], N[2], -N[2], 0, N[0], 0, 1, 0};
        memcpy(k->F, F, sizeof F);
    }
    return s->links - 1;
}

// ---- who touches whom ---------------------------------------------------------------------------

static void touch_patch(scene *s, int a, int b, int axis, double at, double sign,
                        const double lo[3], const double hi[3], int grid)
{
    const int c[2] = {(axis + 1) % 3, (axis + 2) % 3};
    double N[3] = {0}, P[3];
    N[axis] = sign;
    P[axis] = at;
    for (int i = 0; i < grid * grid; ++i) {
        const int k[2] = {i % grid, i / grid};
        for (int j = 0; j < 2; ++j) {
            P[c[j]] = lo[c[j]] + (hi[c[j]] - lo[c[j]]) * k[j] / (grid - 1);
        }
        scene_touch(s, SCENE_CONTACT, a, b, P, N);
    }
}

void scene_touch_boxes(scene *s, int grid, bool sides)
{
    const double close = 1e-9, least = 1e-6;
    for (int i = 0; i < s->bodies; ++i) {
        const scene_body *p = &s->body[i];
        double lo[3], hi[3];
        for (int k = 0; k < 3; ++k) {
            lo[k] = p->x[k] - p->half[k];
            hi[k] = p->x[k] + p->half[k];
        }
        if (fabs(lo[2]) < close) touch_patch(s, i, -1, 2, 0, 1, lo, hi, grid);
        for (int j = 0; j < i; ++j) {
            const scene_body *q = &s->body[j];
            double l[3], h[3];
            int axis = -1, apart = 0;
            for (int k = 0; k < 3; ++k) {
                l[k] = fmax(lo[k], q->x[k] - q->half[k]);
                h[k] = fmin(hi[k], q->x[k] + q->half[k]);
                if (fabs(h[k] - l[k]) < close) {
                    axis = k;
                } else if (h[k] - l[k] < least) {
                    apart = 1;
                }
            }
            if (apart || axis < 0 || (axis != 2 && !sides)) continue;
            int flat = 0;
            for (int k = 0; k < 3; ++k) {
                flat += fabs(h[k] - l[k]) < close;
            }
            if (flat > 1) continue;
            touch_patch(s, i, j, axis, l[axis], p->x[axis] > q->x[axis] ? 1 : -1, l, h, grid);
        }
    }
}

void scene_touch_spheres(scene *s, scene_kind kind, double reach)
{
    for (int i = 0; i < s->bodies; ++i) {
        const scene_body *p = &s->body[i];
        if (p->x[2] - p->half[0] <= reach) {
            const double P[3] = {p->x[0], p->x[1], 0}, N[3] = {0, 0, 1};
            scene_touch(s, kind, i, -1, P, N);
        }
        for (int j = 0; j < i; ++j) {
            const scene_body *q = &s->body[j];
            double d[3], P[3], size = 0;
            for (int k = 0; k < 3; ++k) {
                d[k] = p->x[k] - q->x[k];
                size += d[k] * d[k];
            }
            size = sqrt(size);
            const double gap = size - p->half[0] - q->half[0];
            if (gap > reach) continue;
            for (int k = 0; k < 3; ++k) {
                d[k] /= size;
                P[k] = q->x[k] + (q->half[0] + 0.5 * gap) * d[k];
            }
            scene_touch(s, kind, i, j, P, d);
        }
    }
}

// ---- the motion that opens all ------------------------------------------------------------------

void scene_spread(scene *s, double a, double b, double c)
{
    for (int i = 0; i < s->bodies; ++i) {
        scene_body *p = &s->body[i];
        p->away[0] = a * p->x[0];
        p->away[1] = a * p->x[1];
        p->away[2] = b * p->x[2] + c;
    }
}

static void turn(const double R[9], double x[3])
{
    const double y[3] = {x[0], x[1], x[2]};
    for (int i = 0; i < 3; ++i) {
        x[i] = R[i] * y[0] + R[3 + i] * y[1] + R[6 + i] * y[2];
    }
}

void scene_turn(scene *s, const double R[9], rng *r)
{
    turn(R, s->up);
    for (int i = 0; i < s->bodies; ++i) {
        scene_body *b = &s->body[i];
        turn(R, b->x);
        turn(R, b->away);
        for (int c = 0; c < 3; ++c) {
            turn(R, b->R + 3 * c);
        }
    }
    for (int i = 0; i < s->links; ++i) {
        scene_link *k = &s->link[i];
        turn(R, k->P);
        for (int c = 0; c < 3; ++c) {
            turn(R, k->F + 3 * c);
        }
        if (k->kind != SCENE_CONTACT) continue;
        // an angle from the tangent of its half
        const double t = rng_between(r, -1, 1);
        const double cosine = (1 - t * t) / (1 + t * t), sine = 2 * t / (1 + t * t);
        for (int c = 0; c < 3; ++c) {
            const double t1 = k->F[3 + c], t2 = k->F[6 + c];
            k->F[3 + c] = cosine * t1 + sine * t2;
            k->F[6 + c] = cosine * t2 - sine * t1;
        }
    }
}

void scene_away(const scene *s, const scene_link *k, double u[3])
{
    for (int c = 0; c < 3; ++c) {
        u[c] = 0;
        for (int i = 0; i < 3; ++i) {
            const double v = s->body[k->a].away[i] - (k->b >= 0 ? s->body[k->b].away[i] : 0);
            u[c] += k->F[3 * c + i] * v;
        }
    }
}

void scene_open(scene *s)
{
    const double least = 0.1; // the least part of the speed that must be normal
    const double spare = 0.95;
    int kept = 0;
    for (int i = 0; i < s->links; ++i) {
        scene_link k = s->link[i];
        double u[3];
        scene_away(s, &k, u);
        if (k.kind <= SCENE_NORMAL) {
            const double slip = sqrt(u[1] * u[1] + u[2] * u[2]);
            if (!(u[0] > least * sqrt(u[0] * u[0] + slip * slip))) continue;
            if (k.mu * slip > spare * u[0]) k.mu = spare * u[0] / slip;
        }
        s->link[kept++] = k;
    }
    s->links = kept;
}
