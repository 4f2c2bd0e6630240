// The house of cards and the arch of the six scenes.
#include "scenes/friction_scenes.h"

#include <math.h>
#include <stdlib.h>

#include <percuss/meshes.h>

// ---- the house of cards -----------------------------------------------------------------------

#define DEGREE 0.017453292519943295

static pcs_status add_card(pcs_model *model, double x, double z, double angle, bool flat,
                           pcs_material material)
{
    const double length = 2.5, depth = 1.25, thick = 0.04, density = 200;
    const pcs_shape card = pcs_shape_box(flat ? length : thick, depth, flat ? thick : length);
    pcs_body_def def = pcs_body_def_default();
    def.position[0] = x;
    def.position[2] = z;
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[2] = sin(0.5 * angle);
    return pcs_model_add_solid(model, &def, 1, &card, density, material, NULL);
}

pcs_status friction_cards(const friction_def *def, pcs_material material, pcs_scene *scene)
{
    pcs_model *model = scene->model;
    const pcs_shape ground = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    const double wide = 2.2, high = (tan(65 * DEGREE) + tan(3 * DEGREE)) * wide / 2;
    const int levels = def->levels;
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &ground, material));
    for (int l = 0; l < levels; ++l) {
        const int tents = levels - l;
        for (int j = 0; j < tents; ++j) {
            const double x = (j - 0.5 * tents + 0.5) * wide;
            for (int side = -1; side <= 1; side += 2) {
                PCS_TRY(add_card(model, x + 0.25 * side * wide, (l + 0.5) * high,
                                 -side * 25 * DEGREE, false, material));
            }
            if (l > 0) PCS_TRY(add_card(model, x, l * high, -DEGREE, true, material));
        }
    }
    if (!def->cubes) return PCS_OK;
    const friction_times times = friction_times_of(def);
    const falling_cubes cubes = {.count = 4,
                                 .edge = 0.8,
                                 .density = 500,
                                 .apart = 1.2,
                                 .height = levels * high + 1,
                                 .release = times.release * times.h};
    return friction_drop(&cubes, material, scene);
}

// ---- the arch ---------------------------------------------------------------------------------

// The centre line of the arch, a weighted catenary: y = top - A (cosh(C x / half) - 1) for |x| <=
// half, in the units of its source. Width of the section: 10 at the foot, 7 at the crown.
static const double top = 60, ratio = 100. / 49, half = 30;

static double line_A(void)
{
    return top / (ratio - 1);
}

static double line_C(void)
{
    return acosh(ratio);
}

static double line_y(double x)
{
    return top - line_A() * (cosh(line_C() * x / half) - 1);
}

static double line_slope(double x)
{
    return -line_A() * line_C() / half * sinh(line_C() * x / half);
}

static double line_width(double x)
{
    return 10 - 3 * fmin(fmax(line_y(x) / top, 0), 1);
}

// length of the line from the crown to x >= 0, by Gauss's rule with 5 points on 64 parts
static double line_length(double x)
{
    static const double at[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                                 0.9061798459386640};
    static const double weight[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                                     0.4786286704993665, 0.2369268850561891};
    const int parts = 64;
    double sum = 0;
    for (int k = 0; k < parts; ++k) {
        for (int i = 0; i < 5; ++i) {
            const double s = line_slope(x * (k + 0.5 * (1 + at[i])) / parts);
            sum += weight[i] * hypot(1, s) * 0.5 * x / parts;
        }
    }
    return sum;
}

// x of the point at a signed length from the crown, by Newton's method
static double line_at(double length)
{
    const double want = fabs(length);
    double x = want / line_length(half) * half;
    for (int i = 0; i < 20; ++i) {
        x = fmin(x - (line_length(x) - want) / hypot(1, line_slope(x)), half);
    }
    return copysign(x, length);
}

// A stone in the plane: inner and outer corners at both ends, in units of the source, and half its
// depth. Its section is square, as wide as the line is at its lower end.
typedef struct stone {
    double corner[4][2]; // inner0, inner1, outer0, outer1
    double depth;        // half
} stone;

static stone cut_stone(const friction_def *def, int i)
{
    const int n = def->stones, c = i - n / 2;
    const double part = 2 * line_length(half) / n;
    const double x[2] = {line_at((i - 0.5 * n) * part), line_at((i + 1 - 0.5 * n) * part)};
    const double w = line_width(x[0] < 0 ? x[0] : x[1]);
    stone s = {.depth = 0.5 * w};
    for (int k = 0; k < 2; ++k) {
        const double slope = line_slope(x[k]), norm = hypot(1, slope);
        for (int side = 0; side < 2; ++side) {
            const double out = (side ? 0.5 : -0.5) * w / norm;
            s.corner[2 * side + k][0] = x[k] - out * slope;
            s.corner[2 * side + k][1] = line_y(x[k]) + out;
        }
    }
    // the source moves the stones apart
    for (int k = 0; k < 4 && !def->literal; ++k) {
        s.corner[k][0] += 0.1 * c;
        s.corner[k][1] += 0.1 * (n / 2 - abs(c));
    }
    // a level foot: the outer corner moves along its edge to the height of the inner one
    if (i == 0 || i == n - 1) {
        const int foot = i == 0 ? 0 : 1;
        double *low = s.corner[2 + foot];
        const double *high = s.corner[2 + (1 - foot)], down = s.corner[foot][1];
        low[0] += (high[0] - low[0]) * (down - low[1]) / (high[1] - low[1]);
        low[1] = down;
    }
    return s;
}

// the literal stones are lengthened along their chord by 1 um, half of it at each end
static void lengthen(stone *s, double by)
{
    double chord[2];
    for (int d = 0; d < 2; ++d) {
        chord[d] = s->corner[1][d] + s->corner[3][d] - s->corner[0][d] - s->corner[2][d];
    }
    const double norm = hypot(chord[0], chord[1]);
    for (int k = 0; k < 4; ++k) {
        for (int d = 0; d < 2; ++d) {
            s->corner[k][d] += (k & 1 ? 0.5 : -0.5) * by * chord[d] / norm;
        }
    }
}

// points of stone i in the scene, and the highest of them so far
static void place_stone(const friction_def *def, int i, double points[8][3])
{
    // the lowest corner, that of the feet, to a height of 0.1
    const double foot = cut_stone(def, 0).corner[0][1], unit = def->literal ? 0.01 : 1;
    stone s = cut_stone(def, i);
    for (int k = 0; k < 4; ++k) {
        s.corner[k][1] += 0.1 - foot;
    }
    if (def->literal) lengthen(&s, 1e-6 / unit);
    for (int k = 0; k < 8; ++k) {
        const double p[3] = {s.corner[k / 2][0], (k & 1 ? 1 : -1) * s.depth, s.corner[k / 2][1]};
        for (int d = 0; d < 3; ++d) {
            // the source has six decimals
            points[k][d] = unit * (def->literal ? p[d] : rint(1e6 * p[d]) / 1e6);
        }
        if (def->literal) points[k][2] -= 1.001e-3;
    }
}

static pcs_status add_stone(const friction_def *def, int i, pcs_material material, double *highest,
                            pcs_scene *scene)
{
    double points[8][3], middle[3] = {0};
    place_stone(def, i, points);
    for (int k = 0; k < 24; ++k) {
        middle[k % 3] += points[k / 3][k % 3] / 8;
    }
    for (int k = 0; k < 8; ++k) {
        *highest = fmax(*highest, points[k][2]);
        for (int d = 0; d < 3; ++d) {
            points[k][d] -= middle[d];
        }
    }
    pcs_geometry *hull;
    PCS_TRY(pcs_geometry_create_hull(NULL, 8, points[0], &hull));
    PCS_TRY(pcs_scene_keep(scene, hull));
    const pcs_shape shape = pcs_shape_hull(hull);
    pcs_body_def body = pcs_body_def_default();
    body.fixed = i == 0 || i == def->stones - 1;
    for (int d = 0; d < 3; ++d) {
        body.position[d] = middle[d];
    }
    return pcs_model_add_solid(scene->model, &body, 1, &shape, def->literal ? 1000 : 2000, material,
                               NULL);
}

pcs_status friction_arch(const friction_def *def, pcs_material material, pcs_scene *scene)
{
    const pcs_shape ground = pcs_shape_half_space((const double[]){0, 0, 1}, 0);
    double highest = 0;
    PCS_TRY(pcs_model_add_shape(scene->model, (pcs_system){0}, &ground, material));
    for (int i = 0; i < def->stones; ++i) {
        PCS_TRY(add_stone(def, i, material, &highest, scene));
    }
    if (!def->cubes) return PCS_OK;
    const friction_times times = friction_times_of(def);
    falling_cubes cubes = {.count = 3,
                           .edge = 3,
                           .density = 2000,
                           .apart = 4.5,
                           .height = highest + 10,
                           .release = times.release * times.h};
    if (def->literal) {
        cubes.edge = 0.035;
        cubes.density = 1000;
        cubes.apart = 0.045;
        cubes.height = 0.95;
        cubes.speed = -3;
    }
    return friction_drop(&cubes, material, scene);
}
