// The geometries of the generated family: boxes, bricks, spheres, logs, stones in arches, dominoes,
// chains. Lengths in metres; the ground is z = 0. Each also sets `away`, velocities (no rotation)
// in which every contact opens by more than mu times its slip: for bodies side by side a dilation,
// with the layers moving apart faster than the bodies within one, and for what stands on the ground
// a common velocity upward, as large as one likes.
#include "family_kinds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/features.h>
#include <percuss/rotation.h>
#include <percuss/shape.h>

static int at_least(int low, int x)
{
    return x > low ? x : low;
}

static int cube_root(int n)
{
    int k = 1;
    while ((k + 1) * (k + 1) * (k + 1) <= n) {
        ++k;
    }
    return k;
}

// ---- boxes --------------------------------------------------------------------------------------

// one on another, each shifted a little
static void pile_up(scene *s, int levels, rng *r)
{
    double z = 0;
    for (int i = 0; i < levels; ++i) {
        const double hx = rng_between(r, 0.4, 0.6), hy = rng_between(r, 0.4, 0.6),
                     hz = rng_between(r, 0.2, 0.5);
        const double x = rng_between(r, -0.1, 0.1), y = rng_between(r, -0.1, 0.1);
        scene_box(s, x, y, z + hz, hx, hy, hz);
        z += 2 * hz;
    }
    scene_spread(s, 0, 1, 1);
}

static void stack(scene *s, int contacts, rng *r)
{
    pile_up(s, at_least(1, contacts / 4), r);
    scene_touch_boxes(s, 2, false);
}

static void plates(scene *s, int contacts, rng *r)
{
    pile_up(s, at_least(1, contacts / 16), r);
    scene_touch_boxes(s, 4, false);
}

// storeys: a slab on g x g pillars of three boxes each
static void columns(scene *s, int contacts, rng *r)
{
    const int g = contacts > 400 ? 4 : 2, per = g * g * 16;
    const int storeys = at_least(1, contacts / per);
    double z = 0;
    for (int k = 0; k < storeys; ++k) {
        double high[3];
        rng_three(r, 0.1, 0.3, high);
        for (int j = 0; j < 3; ++j) {
            for (int i = 0; i < g * g; ++i) {
                const double w = rng_between(r, 0.1, 0.2);
                scene_box(s, i % g, i / g, z + high[j], w, w, high[j]);
            }
            z += 2 * high[j];
        }
        scene_box(s, 0.5 * (g - 1), 0.5 * (g - 1), z + 0.05, 0.5 * g, 0.5 * g, 0.05);
        z += 0.1;
    }
    scene_touch_boxes(s, 2, false);
    scene_spread(s, 1, 50, 20);
}

static const double brick[3] = {0.1, 0.05, 0.035};

static void course(scene *s, int bricks, double shift, double z)
{
    for (int i = 0; i < bricks; ++i) {
        scene_box(s, 2 * brick[0] * (i + shift), 0, z, brick[0], brick[1], brick[2]);
    }
}

static void wall(scene *s, int contacts, rng *r)
{
    // running bond: about 11 contacts a brick
    int high = 1;
    while (22 * (high + 1) * (high + 1) <= contacts) {
        ++high;
    }
    const int across = at_least(2, contacts / (11 * high) + rng_int(r, 2));
    for (int i = 0; i < high; ++i) {
        course(s, across - i % 2, 0.5 * (i % 2), brick[2] * (2 * i + 1));
    }
    scene_touch_boxes(s, 2, contacts > 30);
    scene_spread(s, 1, 20, 20 * across);
}

static void triangle(scene *s, int contacts, rng *r)
{
    (void)r;
    int high = 1;
    while (4 * (high + 1) * (high + 2) <= contacts) {
        ++high;
    }
    for (int i = 0; i < high; ++i) {
        course(s, high - i, 0.5 * i, brick[2] * (2 * i + 1));
    }
    scene_touch_boxes(s, 2, false);
    scene_spread(s, 1, 20, 20 * high);
}

// square layers; every box rests on the corners of four
static void ziggurat(scene *s, int contacts, rng *r)
{
    // 4 contacts for every box of the lowest layer, 16 for every other
    const double hz = rng_between(r, 0.2, 0.6);
    int high = 1, above = 0;
    while (4 * (high + 1) * (high + 1) + above + 16 * high * high <= contacts) {
        above += 16 * high * high;
        ++high;
    }
    for (int k = 0; k < high; ++k) {
        const int side = high - k;
        for (int i = 0; i < side * side; ++i) {
            scene_box(s, 1.02 * (i % side) + 0.51 * k, 1.02 * (i / side) + 0.51 * k,
                      hz * (2 * k + 1), 0.5, 0.5, hz);
        }
    }
    scene_touch_boxes(s, 2, false);
    scene_spread(s, 1, 10, 20 * high);
}

// rows of piers, beams from pier to pier, more piers on the beams
static void bridge(scene *s, int contacts, rng *r)
{
    int storeys = 1;
    while (16 * (storeys + 1) * 3 * (storeys + 1) <= contacts) {
        ++storeys;
    }
    const int piers = at_least(2, contacts / (16 * storeys));
    double z = 0;
    for (int k = 0; k < storeys; ++k) {
        const double high = rng_between(r, 0.3, 0.8), thick = rng_between(r, 0.05, 0.15);
        for (int i = 0; i < piers; ++i) {
            scene_box(s, 2 * i, 0, z + high, 0.2, 0.3, high);
        }
        for (int i = 0; i + 1 < piers; ++i) {
            scene_box(s, 2 * i + 1, 0, z + 2 * high + thick, 0.99, 0.25, thick);
        }
        z += 2 * high + 2 * thick;
    }
    scene_touch_boxes(s, 2, false);
    scene_spread(s, 1, 30, 40 * piers);
}

// rotated boxes close to one another; the contact detection of the kernel finds their contacts
static void heap(scene *s, int contacts, rng *r)
{
    const int bodies = at_least(2, contacts / (contacts > 100 ? 6 : 4));
    const int side = at_least(2, cube_root(2 * bodies)), layer = side * side;
    const double reach = 0.05;
    for (int i = 0; i < bodies; ++i) {
        const int k = i / layer;
        double x[3], half[3];
        rng_three(r, -0.1, 0.1, x);
        rng_three(r, 0.35, 0.5, half);
        x[0] += i % side + 0.5 * (k % 2);
        x[1] += i / side % side + 0.5 * (k % 2);
        scene_box(s, x[0], x[1], x[2] + 0.5 + 0.85 * k, half[0], half[1], half[2]);
        rng_rotation(r, s->body[i].R);
    }

    const double up[3] = {0, 0, 1};
    const pcs_shape ground = pcs_shape_half_space(up, 0);
    for (int i = 0; i < s->bodies; ++i) {
        for (int j = -1; j < i; ++j) {
            double q[2][7] = {{0}};
            pcs_shape shape[2] = {ground, ground};
            double far = 0;
            for (int k = 0; k < 2; ++k) {
                const scene_body *b = &s->body[k == 0 ? i : at_least(0, j)];
                if (k == 1 && j < 0) break;
                shape[k] = pcs_shape_box(2 * b->half[0], 2 * b->half[1], 2 * b->half[2]);
                if (pcs_quat_from_matrix(b->R, q[k] + 3) != PCS_OK) abort();
                memcpy(q[k], b->x, sizeof b->x);
            }
            for (int k = 0; j >= 0 && k < 3; ++k) {
                far = fmax(far, fabs(q[0][k] - q[1][k]));
            }
            if (far > 1.8) continue;
            pcs_feature feature[PCS_FEATURES_MAX];
            const int n = pcs_collide(&shape[0], q[0], &shape[1], j < 0 ? NULL : q[1], reach,
                                      PCS_FEATURES_MAX, feature);
            for (int k = 0; k < n; ++k) {
                pcs_gap gap;
                pcs_feature_gap(&feature[k], q[0], j < 0 ? NULL : q[1], &gap);
                double P[3];
                for (int c = 0; c < 3; ++c) {
                    P[c] = 0.5 * (gap.P1[c] + gap.P2[c]);
                }
                scene_touch(s, SCENE_CONTACT, i, j, P, gap.N);
            }
        }
    }
    scene_spread(s, 1, 1, 10 * side);
}

// n dominoes that lean on one another, the last one upright: each stands on an edge and touches the
// next with another edge
static void dominoes(scene *s, int contacts, rng *r)
{
    const int n = at_least(2, contacts / 4);
    const double H = 0.4, T = rng_between(r, 0.03, 0.06), W = 0.2;
    double x = 0, away[2] = {0, 0}, lean = 0;
    for (int i = 0; i < n; ++i) {
        // edge (x, 0); up the face e = (sn, cs), outward from it (cs, -sn)
        const double t = 0.3 * (n - 1 - i) / (n - 1);
        const double cs = (1 - t * t) / (1 + t * t), sn = 2 * t / (1 + t * t);
        if (i > 0) {
            // the edge of the previous one lies in the far face of this one
            const double X = x + 2 * H * lean, Z = 2 * H * sqrt(1 - lean * lean);
            x = X + 2 * T * cs - (Z - 2 * T * sn) * sn / cs;
            const double N[3] = {-cs, 0, sn};
            for (int k = -1; k <= 1; k += 2) {
                const double P[3] = {X, k * W, Z};
                scene_touch(s, SCENE_CONTACT, i - 1, i, P, N);
            }
            away[0] += cs;
            away[1] -= sn;
        }
        scene_box(s, x + H * sn - T * cs, 0, H * cs + T * sn, T, W, H);
        scene_body *b = &s->body[i];
        const double R[9] = {cs, 0, -sn, 0, 1, 0, sn, 0, cs};
        memcpy(b->R, R, sizeof R);
        b->away[0] = away[0];
        b->away[2] = away[1] + 4 * n;
        for (int k = 0; k < (i + 1 < n ? 2 : 4); ++k) {
            const double P[3] = {x - 2 * T * (k / 2), k % 2 ? W : -W, 0}, N[3] = {0, 0, 1};
            scene_touch(s, SCENE_CONTACT, i, -1, P, N);
        }
        lean = sn;
    }
}

// ---- spheres and logs ---------------------------------------------------------------------------

// layers on a square lattice, each over the gaps of the one below
static void layers(scene *s, int side, int high, bool narrower, double jitter, double vacant,
                   rng *r)
{
    for (int k = 0; k < high; ++k) {
        const int n = narrower ? side - k : side;
        const double shift = narrower ? 0.5 * k : 0.5 * (k % 2);
        for (int i = 0; i < n * n; ++i) {
            double x[3] = {i % n + shift, i / n + shift, 0.5 + 0.70710678118654752 * k};
            for (int c = 0; c < 3; ++c) {
                x[c] += rng_between(r, -jitter, jitter);
            }
            if (rng_unit(r) < vacant) continue;
            scene_sphere(s, x[0], x[1], x[2], 0.5 * rng_between(r, 1 - jitter, 1));
        }
    }
}

static void pyramid(scene *s, int contacts, rng *r)
{
    // four below each, or the ground, and the neighbours in its layer
    int high = 1, above = 0;
    while ((high + 1) * (high + 1) + 2 * high * (high + 1) + above + 2 * high * (3 * high - 1) <=
           contacts) {
        above += 2 * high * (3 * high - 1);
        ++high;
    }
    layers(s, high, high, true, 0, 0, r);
    scene_touch_spheres(s, SCENE_CONTACT, 1e-6);
    scene_spread(s, 1, 1, 40 * high);
}

static void packing(scene *s, int contacts, rng *r)
{
    const int side = at_least(2, cube_root(contacts / 3));
    layers(s, side, at_least(1, contacts / (3 * side * side)), false, 0.03, 0.1, r);
    scene_touch_spheres(s, SCENE_CONTACT, 0.05);
    scene_spread(s, 1, 1, 40 * side);
}

// a rack of balls on a table, and a ball that strikes it
static void rack(scene *s, int contacts, rng *r)
{
    int rows = 1;
    while (1 + 2 * (rows + 1) * (rows + 1) <= contacts) {
        ++rows;
    }
    for (int i = 0; i < rows; ++i) {
        for (int j = 0; j <= i; ++j) {
            scene_sphere(s, 0.86602540378443865 * i, j - 0.5 * i, 0.5, 0.5);
        }
    }
    const double y = rng_between(r, -0.6, 0.6);
    scene_sphere(s, -sqrt(1 - y * y), y, 0.5, 0.5);
    scene_touch_spheres(s, SCENE_CONTACT, 1e-6);
    scene_spread(s, 1, 1, 40 * rows);
}

// layers of logs, each across the one below
static void cabin(scene *s, int contacts, rng *r)
{
    const int across = contacts > 600 ? 6 : contacts > 100 ? 4 : 2;
    const int high = at_least(1, (contacts - 2 * across) / (across * across) + 1);
    const double radius = 0.1, half = 0.25 * across;
    for (int k = 0; k < high; ++k) {
        for (int i = 0; i < across; ++i) {
            const double at = 0.5 * i - 0.25 * (across - 1) + rng_between(r, -0.1, 0.1);
            const double z = radius * (2 * k + 1);
            const int b = scene_rod(s, k % 2 ? at : 0, k % 2 ? 0 : at, z, radius, half, k % 2);
            const double N[3] = {0, 0, 1};
            for (int j = 0; j < (k == 0 ? 2 : across); ++j) {
                const int below = b - i - across + j;
                double P[3] = {at, at, z - radius};
                P[k % 2] = k == 0 ? (2 * j - 1) * half : s->body[below].x[k % 2];
                scene_touch(s, SCENE_CONTACT, b, k == 0 ? -1 : below, P, N);
            }
        }
    }
    scene_spread(s, 0, 1, 1);
}

// parallel logs in a triangle; two contacts, near the ends, on each line where two logs touch
static void logs(scene *s, int contacts, rng *r)
{
    int rows = 1;
    while (3 * (rows + 1) * (rows + 1) <= contacts) {
        ++rows;
    }
    const double half = rng_between(r, 0.5, 3);
    for (int k = 0; k < rows; ++k) {
        for (int i = 0; i < rows - k; ++i) {
            scene_rod(s, i + 0.5 * k, 0, 0.5 + 0.86602540378443865 * k, 0.5, half, 1);
        }
    }
    scene_touch_spheres(s, SCENE_CONTACT, 1e-6);

    // each contact is now in the middle of its line
    const int lines = s->links;
    for (int i = 0; i < lines; ++i) {
        scene_link k = s->link[i];
        k.P[1] = half;
        s->link[i].P[1] = -half;
        scene_touch(s, SCENE_CONTACT, k.a, k.b, k.P, k.F);
    }
    scene_spread(s, 1, 1, 40 * rows);
}

// ---- arches -------------------------------------------------------------------------------------

// cosine and sine of 0 <= x <= 4 by their series at x / 16
static void circle(double x, double *c, double *s)
{
    const double y = x / 16;
    double term = 1;
    *c = *s = 0;
    for (int k = 0; k < 20; ++k) {
        *(k % 2 ? s : c) += k / 2 % 2 ? -term : term;
        term *= y / (k + 1);
    }
    for (int k = 0; k < 4; ++k) {
        const double s1 = 2 * *s * *c;
        *c = *c * *c - *s * *s;
        *s = s1;
    }
}

// half rings of wedges, one behind the other
static void rings(scene *s, int stones, int deep, rng *r)
{
    const double pi = 3.14159265358979324, radius = 2, width = 0.3;
    const double thick = rng_between(r, 0.15, 0.4);
    for (int k = 0; k < deep; ++k) {
        const double y = 2 * width * k;
        for (int j = 0; j <= stones; ++j) {
            // the joint below stone j: four points, its normal along the ring
            double c, n;
            circle(pi * j / stones, &c, &n);
            const double N[3] = {-n, 0, c}, down[3] = {n, 0, -c};
            const int last = k * stones + j - 1;
            if (j < stones) {
                double cm, sm;
                circle(pi * (j + 0.5) / stones, &cm, &sm);
                const int b = scene_box(s, radius * cm, y, radius * sm, thick,
                                        0.5 * pi * radius / stones, width);
                const double R[9] = {cm, 0, sm, -sm, 0, cm, 0, -1, 0};
                memcpy(s->body[b].R, R, sizeof R);
                const double away[3] = {cm, y, sm + 40 + 4 * deep};
                memcpy(s->body[b].away, away, sizeof away);
            }
            for (int i = 0; i < 4; ++i) {
                const double at = radius + (i % 2 ? thick : -thick);
                const double P[3] = {at * c, y + (i / 2 ? width : -width), at * n};
                if (j < stones) {
                    scene_touch(s, SCENE_CONTACT, last + 1, j == 0 ? -1 : last, P, N);
                } else {
                    scene_touch(s, SCENE_CONTACT, last, -1, P, down);
                }
                if (j < stones && k > 0) {
                    // the face shared with the ring in front
                    double cf, sf;
                    circle(pi * (j + 0.1 + 0.8 * (i / 2)) / stones, &cf, &sf);
                    const double F[3] = {at * cf, y - width, at * sf}, behind[3] = {0, 1, 0};
                    scene_touch(s, SCENE_CONTACT, last + 1, last + 1 - stones, F, behind);
                }
            }
        }
    }
}

static void arch(scene *s, int contacts, rng *r)
{
    rings(s, at_least(2, contacts / 4 - 1), 1, r);
}

static void vault(scene *s, int contacts, rng *r)
{
    const int stones = contacts > 1000 ? 31 : contacts > 300 ? 15 : 7;
    rings(s, stones, at_least(1, (contacts + 4 * stones) / (8 * stones + 4)), r);
}

// ---- chains and joints --------------------------------------------------------------------------

// a link that hangs in grooves of the link above: two contacts, inclined to opposite sides
static void hang(scene *s, int a, int b, int axis, double x, double y, double z)
{
    for (int k = -1; k <= 1; k += 2) {
        double P[3] = {x, y, z}, N[3] = {0, 0, 0.86602540378443865};
        N[axis] = -0.5 * k;
        P[axis] += 0.02 * k;
        scene_touch(s, SCENE_CONTACT, a, b, P, N);
    }
}

static void chain(scene *s, int contacts, rng *r)
{
    for (int i = 0; i < at_least(1, contacts / 2); ++i) {
        const double size = rng_between(r, 0.08, 0.1);
        const int b = scene_box(s, 0, 0, -0.2 * i, i % 2 ? size : 0.02, i % 2 ? 0.02 : size, 0.1);
        hang(s, b, b - 1, i % 2, 0, 0, 0.1 - 0.2 * i);
        s->body[b].away[2] = i + 1;
    }
}

static void mail(scene *s, int contacts, rng *r)
{
    int rows = 1;
    while (4 * (rows + 1) * (rows + 1) <= contacts) {
        ++rows;
    }
    for (int k = 0; k < rows; ++k) {
        for (int i = 0; i < rows; ++i) {
            const double x = 0.2 * (i + 0.5 * k), z = -0.2 * k;
            const int b = scene_box(s, x, 0, z, 0.1, 0.02, rng_between(r, 0.1, 0.12));
            s->body[b].away[2] = k + 1;
            for (int j = 0; j < 2; ++j) {
                const int above = k == 0 || i + j == rows ? -1 : b - rows + j;
                hang(s, b, above, j, x + 0.1 * (2 * j - 1), 0, z + 0.1);
            }
        }
    }
}

static const double up[3] = {0, 0, 1};

// a normal that is nearly vertical
static void uneven(rng *r, double slope, double N[3])
{
    rng_three(r, -slope, slope, N);
    N[2] = sqrt(1 - N[0] * N[0] - N[1] * N[1]);
}

// boxes in a row on the ground, joined by balls or hinges
static void train(scene *s, int contacts, rng *r)
{
    for (int i = 0; i < at_least(1, contacts / 4); ++i) {
        const int b = scene_box(s, 0.7 * i, 0, 0.2, 0.3, 0.2, 0.2);
        for (int k = 0; k < 4; ++k) {
            const double P[3] = {0.7 * i + (k % 2 ? 0.3 : -0.3), k / 2 ? 0.2 : -0.2, 0};
            scene_touch(s, SCENE_CONTACT, b, -1, P, up);
        }
        const double P[3] = {0.7 * i - 0.35, 0, 0.2}, axis[3] = {0, 1, 0};
        if (i > 0) scene_touch(s, rng_unit(r) < 0.5 ? SCENE_BALL : SCENE_HINGE, b, b - 1, P, axis);
    }
    scene_spread(s, 0, 0, 1);
}

// a net of rods on uneven ground, with more joint rows than velocities
static void net(scene *s, int contacts, rng *r)
{
    int side = 1;
    while (2 * (side + 1) * (side + 1) <= contacts) {
        ++side;
    }
    for (int i = 0; i < side * side; ++i) {
        const double x = i % side, y = i / side;
        const int b = scene_box(s, x, y, 0.05, 0.45, 0.45, 0.05);
        for (int k = -1; k <= 1; k += 2) {
            double N[3];
            uneven(r, 0.2, N);
            const double P[3] = {x + 0.4 * k, y + rng_between(r, -0.4, 0.4), 0};
            scene_touch(s, SCENE_CONTACT, b, -1, P, N);
        }
        const double P[2][3] = {{x - 0.5, y, 0.05}, {x, y - 0.5, 0.05}};
        if (i % side > 0) scene_touch(s, SCENE_BALL, b, b - 1, P[0], up);
        if (i >= side) scene_touch(s, SCENE_BALL, b, b - side, P[1], up);
    }
    scene_spread(s, 0, 0, 1);
}

// ---- few bodies, the plane, and what is wedged --------------------------------------------------

// one stone on points of uneven ground
static void stone(scene *s, int contacts, rng *r)
{
    double half[3];
    rng_three(r, 0.3, 0.6, half);
    scene_box(s, 0, 0, 0.3, half[0], half[1], half[2]);
    for (int i = 0; i < contacts; ++i) {
        double N[3], P[3];
        uneven(r, 0.3, N);
        rng_three(r, -0.6, 0.6, P);
        P[2] = 0;
        scene_touch(s, SCENE_CONTACT, 0, -1, P, N);
    }
    scene_spread(s, 0, 0, 1);
}

static void planar_bricks(scene *s, int contacts, rng *r)
{
    triangle(s, 2 * contacts, r);
    const int all = s->links;
    s->links = 0;
    for (int i = 0; i < all; ++i) {
        // keeps one contact of each two with the same x and z
        const scene_link k = s->link[i];
        const double P[3] = {k.P[0], 0, k.P[2]};
        if (k.P[1] > 0) scene_touch(s, SCENE_PLANAR, k.a, k.b, P, k.F);
    }
}

static void planar_disks(scene *s, int contacts, rng *r)
{
    int rows = 1;
    while (3 * (rows + 1) * (rows + 1) <= contacts) {
        ++rows;
    }
    for (int i = 0; i < rows * (rows + 1); ++i) {
        const int k = i / (rows + 1);
        const double x = i % (rows + 1) + 0.5 * (k % 2), z = 0.5 + 0.87 * k;
        if (rng_unit(r) < 0.1) continue;
        double d[3];
        rng_three(r, -0.02, 0.02, d);
        scene_sphere(s, x + d[0], 0, z + d[2], 0.5);
    }
    scene_touch_spheres(s, SCENE_PLANAR, 0.05);
    scene_spread(s, 1, 1, 40 * rows);
}

// spheres between four walls
static void silo(scene *s, int contacts, rng *r)
{
    const int side = at_least(2, cube_root(contacts / 4));
    layers(s, side, at_least(1, contacts / (4 * side * side)), false, 0.03, 0.05, r);
    scene_touch_spheres(s, SCENE_CONTACT, 0.05);
    for (int i = 0; i < s->bodies; ++i) {
        for (int k = 0; k < 4; ++k) {
            const int axis = k % 2;
            const double sign = k < 2 ? 1 : -1, wall_at = k < 2 ? -0.5 : side;
            double N[3] = {0}, P[3];
            memcpy(P, s->body[i].x, sizeof P);
            if (sign * (P[axis] - wall_at) > s->body[i].half[0] + 0.05) continue;
            N[axis] = sign;
            P[axis] = wall_at;
            scene_touch(s, SCENE_CONTACT, i, -1, P, N);
        }
    }
}

// a column of boxes driven between two steep walls
static void wedges(scene *s, int contacts, rng *r)
{
    const double lean = rng_between(r, 0.05, 0.3), flat = sqrt(1 - lean * lean);
    for (int i = 0; i < at_least(1, contacts / 12); ++i) {
        const double half = 0.5 + 0.2 * i;
        const int b = scene_box(s, 0, 0, 0.4 * i, half, 0.3, 0.2);
        for (int k = 0; k < 8; ++k) {
            const double side = k < 4 ? 1 : -1, N[3] = {-side * flat, 0, lean};
            const double P[3] = {side * (half + 0.1 * (k % 2)), k / 2 % 2 ? 0.3 : -0.3,
                                 0.4 * i + (k % 2 ? 0.2 : -0.2)};
            scene_touch(s, SCENE_CONTACT, b, -1, P, N);
        }
        for (int k = 0; i > 0 && k < 4; ++k) {
            const double P[3] = {k % 2 ? half - 0.2 : 0.2 - half, k / 2 ? 0.3 : -0.3,
                                 0.4 * i - 0.2};
            scene_touch(s, SCENE_CONTACT, b, b - 1, P, up);
        }
    }
}

const scene_recipe scene_recipes[] = {
    {"stone", "one stone on uneven ground", stone, {1, 2, 3, 4, 6, 8, 10, 20, 50, 100}, 0, 0},
    {"stack", "boxes one on another", stack, {4, 8, 12, 20, 40, 80, 120, 200, 400}, 0, 0},
    {"plates", "the same, 16 contacts a face", plates, {16, 48, 80, 160, 320, 640, 1280}, 0, 0},
    {"columns", "slabs on pillars", columns, {64, 128, 192, 320, 500, 1000, 2000, 5000}, 0, 0},
    {"wall", "running bond", wall, {24, 40, 80, 150, 300, 600, 1200, 2500, 4800, 900, 400}, 0, 0},
    {"triangle",
     "bricks in a triangle",
     triangle,
     {8, 24, 60, 120, 250, 500, 800, 1600, 4000},
     0,
     0},
    {"ziggurat", "boxes on four", ziggurat, {4, 32, 120, 300, 600, 1200, 2400, 4500}, 0, 0},
    {"bridge", "piers and beams", bridge, {24, 50, 100, 200, 400, 700, 1500, 3000}, 0, 0},
    {"heap", "rotated boxes", heap, {10, 30, 60, 120, 250, 500, 900, 1800, 3600, 150, 80}, 0, 0},
    {"dominoes", "leaning on one another", dominoes, {10, 20, 40, 80, 160, 320, 600}, 0, 0},
    {"pyramid", "spheres on four", pyramid, {9, 30, 80, 160, 320, 640, 1300, 2600, 4800}, 0, 0},
    {"packing",
     "spheres, close contacts",
     packing,
     {20, 50, 100, 200, 400, 800, 1600, 3000, 3600, 150, 300},
     0,
     0},
    {"rack", "balls on a table", rack, {10, 20, 50, 100, 200, 450, 1000, 2000}, 0, 0},
    {"cabin", "crossed logs", cabin, {12, 24, 48, 100, 200, 400, 800, 1600, 3200}, 0, 0},
    {"logs", "parallel logs", logs, {12, 30, 75, 150, 300, 600, 1200, 2400}, 0, 0},
    {"arch", "wedges in a half ring", arch, {12, 20, 32, 48, 80, 120, 200, 320}, 0, 0},
    {"vault", "half rings behind one another", vault, {90, 160, 300, 550, 1000, 2000, 4800}, 0, 0},
    {"chain", "links in grooves", chain, {2, 4, 8, 16, 32, 64, 128}, 0, 0},
    {"mail", "links on two links", mail, {16, 36, 100, 256, 576, 1024, 2500}, 0, 0},
    {"train", "boxes joined in a row", train, {4, 12, 24, 60, 120, 300, 600, 1200}, 0, 0},
    {"net", "more joints than freedoms", net, {8, 18, 50, 128, 288, 578}, 0, 0},
    {"bricks2", "a triangle in the plane", planar_bricks, {4, 24, 60, 150, 400, 800, 2000}, 0, 1},
    {"disks2", "disks in the plane", planar_disks, {8, 30, 80, 200, 500, 1000, 2500}, 0, 1},
    {"silo", "spheres between walls", silo, {30, 70, 150, 300, 600, 1200, 2400, 4500}, 1, 0},
    {"wedges", "boxes driven between walls", wedges, {8, 20, 44, 92, 200, 400, 800}, 1, 0},
};
const int scene_recipe_count = (int)(sizeof scene_recipes / sizeof *scene_recipes);
