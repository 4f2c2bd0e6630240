// Polyhedra face to face, parallel up to rounding: their contacts span the common part of both
// faces, which is cut here in the plane, by a method of its own.
#include "support.h"

#include <percuss/kernel.h>
#include <percuss/meshes.h>

#include "cloud.h"

enum { SIDES_MAX = 40 };

// A convex outline in the plane z = 0 and a body on one side of it, which ends in another outline,
// in an edge or in a point
typedef struct outline {
    int n;
    double x[2 * SIDES_MAX][2];
} outline;

typedef struct block {
    pcs_shape s;
    outline face;
    double A[4];      // body frame to the frame of the outline
    double middle[3]; // of the body, in the frame of the outline
} block;

static outline regular(int n, double radius, double turn)
{
    outline o = {.n = n};
    for (int i = 0; i < n; ++i) {
        o.x[i][0] = radius * cos(turn + 6.2831853071795865 * i / n);
        o.x[i][1] = radius * sin(turn + 6.2831853071795865 * i / n);
    }
    return o;
}

static outline rectangle(double a, double b)
{
    return (outline){4, {{-a, -b}, {a, -b}, {a, b}, {-a, b}}};
}

static outline random_outline(test_random *r)
{
    if (random_unit(r) < 0.4) {
        const double a = random_between(r, 0.3, 0.6), b = random_between(r, 0.3, 0.6);
        return rectangle(a, b);
    }
    const int n = random_unit(r) < 0.3 ? 40 : 3 + (int)(5 * random_unit(r));
    const double radius = random_between(r, 0.4, 0.7), turn = random_between(r, 0, 6);
    return regular(n, radius, turn);
}

// from the frame of the outline to that of the body
static void into_body(const block *b, const double x[3], double y[3])
{
    v3_sub(x, b->middle, y);
    quat_turn(b->A, -1, y, y);
}

// above the outline (up 1) or below (-1); as a box if it is a rectangle, sometimes
static block random_block(test_random *r, const outline *face, double up, bool rotated)
{
    block b = {.face = *face, .A = {1, 0, 0, 0}};
    const double height = random_between(r, 0.2, 0.6);
    const double narrow = random_unit(r) < 0.5 ? 1 : random_between(r, 0.2, 1.5);
    const double end = random_unit(r);
    b.middle[2] = up * height / 2;
    const bool is_rectangle = face->n == 4 && face->x[0][0] == -face->x[1][0];
    if (is_rectangle && random_unit(r) < 0.3) {
        b.s = pcs_shape_box(2 * face->x[1][0], 2 * face->x[2][1], height);
        return b;
    }
    if (rotated) random_quaternion(r, b.A);
    double x[6 * SIDES_MAX];
    int n = 0;
    for (int i = 0; i < face->n; ++i) {
        const double low[3] = {face->x[i][0], face->x[i][1], 0};
        into_body(&b, low, x + 3 * n++);
    }
    // a prism or a frustum; a wedge; a pyramid
    for (int i = 0; i < (end < 0.7 ? face->n : end < 0.85 ? 2 : 1); ++i) {
        const double high[3] = {narrow * face->x[i][0], narrow * face->x[i][1], up * height};
        into_body(&b, high, x + 3 * n++);
    }
    b.s = pcs_shape_hull(hull_of(n, x));
    return b;
}

static double cross_2d(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

static double area_of(const outline *o)
{
    double sum = 0;
    for (int i = 2; i < o->n; ++i) {
        sum += cross_2d(o->x[0], o->x[i - 1], o->x[i]) / 2;
    }
    return sum;
}

// the part of a in b, both counterclockwise
static outline common_part(outline a, const outline *b)
{
    for (int k = 0; k < b->n; ++k) {
        const double *p = b->x[k], *q = b->x[(k + 1) % b->n];
        outline cut = {.n = 0};
        for (int i = 0; i < a.n; ++i) {
            const double *x = a.x[i], *y = a.x[(i + 1) % a.n];
            const double dx = cross_2d(p, q, x), dy = cross_2d(p, q, y);
            if (dx >= 0) memcpy(cut.x[cut.n++], x, sizeof cut.x[0]);
            if ((dx >= 0) == (dy >= 0)) continue;
            for (int c = 0; c < 2; ++c) {
                cut.x[cut.n][c] = x[c] + dx / (dx - dy) * (y[c] - x[c]);
            }
            cut.n += 1;
        }
        a = cut;
    }
    return a;
}

static int by_place(const void *one, const void *two)
{
    const double *a = one, *b = two;
    const int k = a[0] == b[0];
    return (a[k] > b[k]) - (a[k] < b[k]);
}

// convex hull in the plane, by a sweep forward and one back
static outline hull_2d(int n, double (*x)[2])
{
    outline o = {.n = 0};
    qsort(x, (size_t)n, sizeof *x, by_place);
    for (int back = 0; back < 2; ++back) {
        const int from = o.n;
        for (int k = 0; k < n; ++k) {
            const double *next = x[back ? n - 1 - k : k];
            while (o.n >= from + 2 && cross_2d(o.x[o.n - 2], o.x[o.n - 1], next) <= 0) {
                o.n -= 1;
            }
            memcpy(o.x[o.n++], next, sizeof o.x[0]);
        }
        o.n -= 1;
    }
    return o;
}

// Two bodies that face each other; the frame of the outlines is that of the lower body
typedef struct facing {
    block low, high;
    bool rotated;        // not along the axes
    double q1[7], q2[7]; // of the lower, of the upper
    double Q[4];         // of the frame
    double tilt, gap, noise;
} facing;

static void place_block(const block *b, const double frame[7], double q[7])
{
    double at[7];
    memcpy(at, b->middle, sizeof b->middle);
    memcpy(at + 3, b->A, sizeof b->A);
    carry(frame, at, q);
}

// a small length of any order of magnitude, zero in a quarter of all cases
static double small_length(test_random *r, double least, double most)
{
    const double sign = random_unit(r) < 0.5 ? -1 : 1, size = random_between(r, least, most);
    return random_unit(r) < 0.25 ? 0 : sign * pow(10, size);
}

static void random_blocks(test_random *r, facing *s)
{
    s->rotated = random_unit(r) < 0.5;
    outline one = random_outline(r), other = one;
    if (random_unit(r) < 0.3) other = random_outline(r);
    s->low = random_block(r, &one, -1, s->rotated);
    s->high = random_block(r, &other, 1, s->rotated);
}

// places the frame of the outlines about as far from the origin as `away`, and moves the upper body
// in it: tilts are powers of ten up to `most`
static void random_poses(test_random *r, double away, double most, facing *s)
{
    double frame[7] = {0, 0, 0, 1, 0, 0, 0}, moved[7] = {0, 0, 0, 1, 0, 0, 0}, upper[7];
    random_vector(r, -away, away, frame);
    if (s->rotated) random_quaternion(r, frame + 3);
    memcpy(s->Q, frame + 3, sizeof s->Q);
    s->noise = 2e-15 * (1 + away);
    s->tilt = 0;
    const bool shifted = random_unit(r) < 0.2, turned = random_unit(r) < 0.2;
    for (int i = 0; i < 2; ++i) {
        moved[i] = shifted ? random_between(r, -0.3, 0.3) : small_length(r, -16, -9);
        moved[4 + i] = small_length(r, -16, most) / 2;
        s->tilt += fabs(moved[4 + i]) * 2;
    }
    moved[2] = s->gap = small_length(r, -15, -6);
    moved[6] = turned ? random_between(r, -1, 1) : small_length(r, -16, -7);
    carry(frame, moved, upper);
    place_block(&s->low, frame, s->q1);
    place_block(&s->high, upper, s->q2);
}

// a point, relative to the origin of the lower body, in the frame of the outlines
static void into_frame(const facing *s, const double x[3], double y[3])
{
    quat_turn(s->Q, -1, x, y);
    v3_along(y, 1, s->low.middle, y);
}

// the outline of the upper body, placed
static outline upper_outline(const facing *s)
{
    outline o = {.n = s->high.face.n};
    for (int i = 0; i < o.n; ++i) {
        const double at[3] = {s->high.face.x[i][0], s->high.face.x[i][1], 0};
        double x[3], to[3];
        into_body(&s->high, at, x);
        pose_direction(s->q2, x, x);
        v3_sub(s->q2, s->q1, to);
        v3_along(to, 1, x, x);
        into_frame(s, x, x);
        memcpy(o.x[i], x, sizeof o.x[i]);
    }
    return o;
}

static double around(const outline *o)
{
    double sum = 0;
    for (int i = 0; i < o->n; ++i) {
        const double *x = o->x[i], *y = o->x[(i + 1) % o->n];
        sum += hypot(x[0] - y[0], x[1] - y[1]);
    }
    return sum;
}

// The contacts of the lower body with the upper, or of the upper with the lower, have the gap and
// the normal of the faces; returns the area that they span
static double spanned_area(const facing *s, bool upper_first, int n, const pcs_feature *f)
{
    const double *q1 = upper_first ? s->q2 : s->q1, *q2 = upper_first ? s->q1 : s->q2;
    double x[PCS_FEATURES_MAX][2];
    check_features(f, n, q1, q2, 1e-3, s->noise + 1e-14, 0.999);
    for (int i = 0; i < n; ++i) {
        const pcs_gap c = feature_gap(&f[i], q1, q2);
        double y[3], to[3];
        v3_sub(upper_first ? c.P2 : c.P1, s->q1, to);
        into_frame(s, to, y);
        memcpy(x[i], y, sizeof x[i]);
        CK_NEAR(c.g, s->gap, 2 * s->tilt + s->noise);
        quat_turn(s->Q, -1, c.N, y);
        CK_NEAR(hypot(y[0], y[1]), 0, 2e-6 + 2 * s->tilt);
    }
    const outline spanned = hull_2d(n, x);
    return area_of(&spanned);
}

// both orders of the bodies; those of pairs other than boxes differ in names only
static void check_facing(int k, const facing *s)
{
    const outline both = common_part(upper_outline(s), &s->low.face);
    const double area = area_of(&both);
    if (!(area > 0.02)) return;

    // of more corners some are left out; a vertex a little beside the outline counts as on it, and
    // corners at one place are one
    const double tol =
        (both.n <= PCS_FEATURES_MAX ? 0 : 0.1 * area) + around(&both) * (3e-6 + s->noise);
    pcs_feature f[PCS_FEATURES_MAX], b[PCS_FEATURES_MAX];
    const int n = pcs_collide(&s->low.s, s->q1, &s->high.s, s->q2, 1e-3, PCS_FEATURES_MAX, f);
    const int m = pcs_collide(&s->high.s, s->q2, &s->low.s, s->q1, 1e-3, PCS_FEATURES_MAX, b);
    const double one = spanned_area(s, false, n, f), other = spanned_area(s, true, m, b);
    ck_assert_msg(fabs(one - area) <= tol && fabs(other - area) <= tol,
                  "case %d: %d and %d contacts span %g and %g of %g (kinds %d %d, gap %g, tilt %g)",
                  k, n, m, one, other, area, (int)s->low.s.kind, (int)s->high.s.kind, s->gap,
                  s->tilt);
    if (s->low.s.kind == PCS_SHAPE_BOX && s->high.s.kind == PCS_SHAPE_BOX) return;
    ck_assert_int_eq(n, m);
    for (int i = 0; i < n; ++i) {
        const pcs_gap there = feature_gap(&f[i], s->q1, s->q2);
        const pcs_gap back = feature_gap(&b[i], s->q2, s->q1);
        CK_NEAR(there.g, back.g, s->noise);
        for (int c = 0; c < 3; ++c) {
            CK_NEAR(there.N[c], -back.N[c], 1e-14);
            CK_NEAR(there.P1[c], back.P2[c], s->noise);
        }
    }
}

static void check_many(uint64_t seed, double most)
{
    test_random r = random_seed(seed);
    static const double away[] = {0, 10, 1e3, 1e4, 1e6};
    for (int k = 0; k < TEST_DRAWS(500); ++k) {
        facing s;
        random_blocks(&r, &s);
        for (int i = 0; i < 20; ++i) {
            random_poses(&r, away[i % 5], most, &s);
            check_facing(20 * k + i, &s);
        }
        release(&s.low.s);
        release(&s.high.s);
    }
}

TEST(contacts_of_parallel_faces_span_their_common_part)
{
    check_many(1, -9);
}

TEST(so_do_those_of_faces_with_a_small_tilt)
{
    check_many(2, -4);
}

enum { STONES = 21 };
static const double pi = 3.1415926535897932;

// the corners of stone j of an arch of radius 1 and thickness 0.15, about their middle x
static void arch_stone(int j, double turn, double corner[24], double x[3])
{
    x[0] = x[1] = x[2] = 0;
    for (int v = 0; v < 8; ++v) {
        const double a = pi * (j + (v >> 1 & 1)) / STONES, y = v & 4 ? 0.15 : -0.15;
        const double radius = v & 1 ? 0.925 : 1.075, out = -radius * cos(a);
        const bool on_floor = (j == 0 && !(v & 2)) || (j == STONES - 1 && v & 2);
        double *p = corner + 3 * v;
        p[0] = out * cos(turn) - y * sin(turn);
        p[1] = out * sin(turn) + y * cos(turn);
        p[2] = on_floor ? 0 : radius * sin(a);
        v3_along(x, 0.125, p, x);
    }
    for (int v = 0; v < 8; ++v) {
        v3_sub(corner + 3 * v, x, corner + 3 * v);
    }
}

// how far the key stone of an arch at (away, -away) sinks
static double arch_sinks(double away, double turn, int steps)
{
    pcs_model *m;
    pcs_state *st;
    pcs_work *wk;
    pcs_material rough;
    pcs_material_def stone = pcs_material_def_default();
    stone.mu = 2;
    CK_OK(pcs_model_create(NULL, &m));
    CK_OK(pcs_model_add_material(m, &stone, &rough));
    const pcs_shape floor = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    CK_OK(pcs_model_add_shape(m, (pcs_system){0}, &floor, rough));
    pcs_geometry *g[STONES];
    pcs_system body[STONES];
    for (int j = 0; j < STONES; ++j) {
        double corner[24];
        pcs_body_def def = pcs_body_def_default();
        arch_stone(j, turn, corner, def.position);
        g[j] = hull_of(8, corner);
        def.position[0] += away;
        def.position[1] -= away;
        const pcs_shape s = pcs_shape_hull(g[j]);
        CK_OK(pcs_model_add_solid(m, &def, 1, &s, 2000, rough, &body[j]));
    }
    CK_OK(pcs_state_create(m, &st));
    CK_OK(pcs_work_create(m, &wk));
    const double top = pcs_state_q(m, st, body[STONES / 2])[2];
    for (int k = 0; k < steps; ++k) {
        pcs_step_report report;
        CK_OK(pcs_step(m, st, wk, 2e-3, &report));
    }
    const double sunk = top - pcs_state_q(m, st, body[STONES / 2])[2];
    pcs_work_destroy(wk);
    pcs_state_destroy(st);
    pcs_model_destroy(m);
    for (int j = 0; j < STONES; ++j) {
        pcs_geometry_destroy(g[j]);
    }
    return sunk;
}

// An arch is a chain of such pairs. Far from the origin its stones fit each other up to the
// rounding of their positions only
TEST(an_arch_stands_far_from_the_origin)
{
    const int steps = TEST_FEW(50, 250);
    for (int k = 0; k < 4; ++k) {
        const double turn = 0.35 * k, sunk = arch_sinks(0, turn, steps);
        CK_NEAR(sunk, 0, 1e-9);
        CK_NEAR(arch_sinks(3000, turn, steps), sunk, 1e-9);
    }
}
