// The curve of the smoothed problem, on blocks scaled to self-dual cones:
//
//     z = A x + b + t p + eta sqrt(|z_T|^2 + (c t)^2) e_N,   x = phi_t(y),   z = phi_t(-y)
//
// phi_t applies (l + sqrt(l^2 + 4 t)) / 2 to both eigenvalues l of y, so that x o z = t e and y = x
// - z. In a box |x| <= b, z = t / (b + x) - t / (b - x). eta is 1 - t, or 1 on a warm path. With C
// = (1 - G) diag(e) in the frame of y_T, e the ratio of the rates of z and x, and G the gradient of
// the shift,
//
//     (A + C) dx = (1 - G) c - f,   dz = c - e dx,   dy = dx - dz
//
// is Newton's correction for c = 0 and the residual f, and the derivative by log t for the
// derivatives c of x o z = t e and f of the equation.
//
// B. Chen, P. T. Harker, A non-interior-point continuation method for linear complementarity
// problems, SIAM J. Matrix Anal. Appl. 14, 1993.
#include "solver/homotopy.h"

#include <string.h>

#include "cone/cone.h"
#include "cone/jordan.h"
#include "solver/random.h"

#define ROOT_2 (2 * SOC_HALF)
// Newton's corrections that bring a start with equalities on the curve
#define JOIN_STEPS 6
// part of the right side that solves may leave: corrections compute it anew each time
#define CORRECT 1e-6
// Newton steps for the impulse of a box; most need two or three
#define BOX_STEPS 60

size_t homotopy_bytes(int n, int nb)
{
    const size_t rows = (size_t)n, blocks = (size_t)nb;
    return self_dual_bytes(n, nb) + 10 * solver_bytes(rows, sizeof(double)) +
           6 * solver_bytes(blocks, sizeof(double)) + 5 * solver_bytes(2 * blocks, sizeof(double));
}

static bool take_point(homotopy_point *y, size_t n, size_t nb, pcs_arena *arena)
{
    y->low = PCS_TAKE(arena, nb, double);
    y->tangent = PCS_TAKE(arena, nb, double);
    y->direction = PCS_TAKE(arena, 2 * nb, double);
    y->x = PCS_TAKE(arena, n, double);
    return y->low && y->tangent && y->direction && y->x;
}

bool homotopy_take(homotopy *w, const pcs_homotopy_opts *o, int n, int nb, const pcs_block *block,
                   pcs_arena *arena)
{
    *w = (homotopy){.o = *o, .steps = o->steps, .smoothing = o->smoothing};
    if (!self_dual_take(&w->k, n, nb, block, arena)) return false;
    const size_t rows = (size_t)n, blocks = (size_t)nb;
    double **vector[] = {&w->p, &w->x, &w->u, &w->newton, &w->rate, &w->ahead, &w->step};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        *vector[i] = PCS_TAKE(arena, rows, double);
        if (!*vector[i]) return false;
    }
    w->size = PCS_TAKE(arena, 2 * blocks, double);
    w->now_size = PCS_TAKE(arena, 2 * blocks, double);
    return w->size && w->now_size && take_point(&w->now, rows, blocks, arena) &&
           take_point(&w->next, rows, blocks, arena) && take_point(&w->probe, rows, blocks, arena);
}

// ---- one block ---------------------------------------------------------------------------------

// Both eigenvalues of a block; the lower one is that of a block of one dimension, where x = a, z =
// b, and `ratio` is that of the rates of z and x
typedef struct spectrum {
    soc_pair low, high;
    double length; // |y_T|
    double ratio;
} spectrum;

// x and z of a box |x| <= bound with
//
//     x - z = y,   z = t / (bound + x) - t / (bound - x)
//
// The smaller gap g = bound + x (y <= 0; else its mirror image) is the root of the convex function
// g^2 - (bound + y) g - t + t g / (2 bound - g). Newton's method falls to it from the gap without
// the other side.
static spectrum box_spectrum(double bound, double y, double t)
{
    const double sign = y > 0 ? -1 : 1, l = bound + sign * y;
    const soc_pair near = soc_smooth(l, t), far = soc_smooth(bound - sign * y, t);
    double g = fmin(near.a, bound);
    for (int k = 0; k < BOX_STEPS; ++k) {
        const double other = 2 * bound - g, part = t / other;
        const double step = ((g - l) * g - t + part * g) / (2 * g - l + 2 * bound * (part / other));
        const double next = g - step;
        if (!(next > 0) || !(next < g)) break;
        g = next;
    }
    const double other = 2 * bound - g, low = t / g, high = t / other;
    return (spectrum){.low = {fmin(near.s, far.s), sign * (g - bound), sign * (low - high)},
                      .ratio = low / g + high / other};
}

static spectrum spectrum_of(const homotopy *w, const homotopy_point *y, int b, double t)
{
    const double l = y->low[b], length = y->tangent[b];
    if (w->k.bound[b] > 0) return box_spectrum(w->k.bound[b], l, t);
    const soc_pair low = soc_smooth(l, t);
    return (spectrum){low, soc_smooth(l + 2 * length, t), length, low.b / low.a};
}

// x of a block of dimension d > 0
static void impulse_of(const spectrum *e, int d, const double *direction, double *x)
{
    if (d == 1) {
        x[0] = e->low.a;
        return;
    }
    x[0] = (e->low.a + e->high.a) / 2;
    const double length = e->length * (e->low.a + e->high.a) / (e->low.s + e->high.s);
    for (int c = 1; c < d; ++c) {
        x[c] = direction[c - 1] * length;
    }
}

// x of all blocks
static void spread(const homotopy *w, const homotopy_point *y, double t, double *x)
{
    for (int b = 0; b < w->k.nb; ++b) {
        const pcs_block *k = &w->k.block[b];
        const int d = w->k.dim[b], i = k->row;
        if (d == 0) {
            memcpy(x + i, y->x + i, (size_t)k->dim * sizeof *x);
            continue;
        }
        const spectrum e = spectrum_of(w, y, b, t);
        impulse_of(&e, d, y->direction + 2 * (size_t)b, x + i);
        for (int c = d; c < k->dim; ++c) {
            x[i + c] = 0;
        }
    }
}

// the shift of friction at |z_T| and t
typedef struct shift {
    double excess; // eta sqrt(|z_T|^2 + (c t)^2) - |z_T|
    double slope;  // derivative by |z_T|
    double rate;   // derivative by log t
} shift;

static shift shift_of(const homotopy *w, double length, double t)
{
    const double width = w->smoothing * t, root = sqrt(length * length + width * width);
    if (!(root > 0)) return (shift){0};
    const double eta = w->warm ? 1 : 1 - t, extra = width * (width / (root + length));
    const double bend = eta * width * (width / root);
    return (shift){w->warm ? extra : extra - t * root, eta * length / root,
                   w->warm ? bend : bend - t * root};
}

// |z_T|
static double tangent_of(const spectrum *e)
{
    return e->length * (e->low.b + e->high.b) / (e->low.s + e->high.s);
}

// f = A x + b + t p + shift - z, and its derivative by log t at fixed x and z
static void residual_of(const homotopy *w, int b, const spectrum *e, const shift *s,
                        const double *direction, double t, double *f, double *rate)
{
    const int d = w->k.dim[b], i = w->k.block[b].row;
    for (int c = 0; c < d; ++c) {
        rate[c] = t * w->p[i + c];
        f[c] = w->u[i + c] + rate[c];
    }
    // z_N - |z_T| is the lower eigenvalue of z, of the upper one of y
    f[0] -= d == 1 ? e->low.b : e->high.b;
    if (d == 1) return;
    const double length = tangent_of(e);
    f[0] += s->excess;
    rate[0] += s->rate;
    for (int c = 1; c < d; ++c) {
        f[c] += direction[c - 1] * length;
    }
}

// ---- the linear system -------------------------------------------------------------------------

// the diagonal e of the rates of z over those of x in the frame p, m, n
static void ratios(const spectrum *s, int d, double floor, double e[3])
{
    if (d == 1) {
        e[0] = fmax(s->ratio, floor);
        return;
    }
    e[0] = fmax(s->high.b / s->high.a, floor);
    e[1] = fmax(s->low.b / s->low.a, floor);
    e[2] = fmax((s->low.b + s->high.b) / (s->low.a + s->high.a), floor);
}

// C and Q of a block of one dimension, whose other rows are held at zero
static void weigh_line(int n, double e, double *Q, double *C)
{
    memset(Q, 0, BLOCK_SYSTEM_STRIDE * sizeof *Q);
    memset(C, 0, BLOCK_SYSTEM_STRIDE * sizeof *C);
    for (int c = 0; c < n; ++c) {
        Q[c + n * c] = 1;
        C[c + n * c] = c == 0 ? e : FLAT_WEIGHT;
    }
}

// C, Q and the right sides of both systems for a cone block
static void begin_block(homotopy *w, const homotopy_point *y, int b, double floor)
{
    const pcs_block *k = &w->k.block[b];
    const int d = w->k.dim[b], i = k->row, n = k->dim;
    double *C = w->k.C + BLOCK_SYSTEM_STRIDE * (size_t)b;
    double *Q = w->k.Q + BLOCK_SYSTEM_STRIDE * (size_t)b;
    const double *direction = y->direction + 2 * (size_t)b;
    double f[3] = {0}, rate[3] = {0}, e[3] = {0};
    const spectrum a = spectrum_of(w, y, b, y->t);
    w->size[2 * b] = a.high.s;
    w->size[2 * b + 1] = a.low.s;
    ratios(&a, d, floor, e);
    if (d == 1) {
        residual_of(w, b, &a, NULL, direction, y->t, f, rate);
        weigh_line(n, e[0], Q, C);
        for (int c = 0; c < n; ++c) {
            w->newton[i + c] = c == 0 ? -f[0] : 0;
            w->rate[i + c] = c == 0 ? a.low.b - rate[0] : 0;
        }
        return;
    }
    // z_T = -direction |z_T|: the shift grows along (-1, 1, 0) of the frame
    const shift s = shift_of(w, tangent_of(&a), y->t);
    residual_of(w, b, &a, &s, direction, y->t, f, rate);
    const double p[3] = {SOC_HALF, SOC_HALF, 0};
    const double g[3] = {-SOC_HALF * s.slope, SOC_HALF * s.slope, 0};
    const double c[3] = {SOC_HALF * y->t / a.high.a, SOC_HALF * y->t / a.low.a, 0};
    const double gc = g[0] * c[0] + g[1] * c[1];
    soc_frame(d, direction, Q);
    memset(C, 0, BLOCK_SYSTEM_STRIDE * sizeof *C);
    for (int j = 0; j < d; ++j) {
        double turned = 0, turned_rate = 0;
        for (int l = 0; l < d; ++l) {
            C[l + d * j] = ((l == j) - p[l] * g[j]) * e[j];
            turned += Q[l + d * j] * f[l];
            turned_rate += Q[l + d * j] * rate[l];
        }
        w->newton[i + j] = -turned;
        w->rate[i + j] = c[j] - p[j] * gc - turned_rate;
    }
}

static void begin_system(homotopy *w, const homotopy_point *y, double floor)
{
    for (int b = 0; b < w->k.nb; ++b) {
        const pcs_block *k = &w->k.block[b];
        if (w->k.dim[b] > 0) {
            begin_block(w, y, b, floor);
            continue;
        }
        w->k.C[BLOCK_SYSTEM_STRIDE * (size_t)b] = EQUALITY_WEIGHT;
        w->size[2 * b] = w->size[2 * b + 1] = 1;
        for (int i = k->row; i < k->row + k->dim; ++i) {
            w->newton[i] = -w->u[i];
            w->rate[i] = 0;
        }
    }
}

// dy = dx - dz in place of dx
static void end_block(homotopy *w, const homotopy_point *y, int b, double floor)
{
    const pcs_block *k = &w->k.block[b];
    const int d = w->k.dim[b], i = k->row;
    double e[3] = {0};
    const spectrum a = spectrum_of(w, y, b, y->t);
    ratios(&a, d, floor, e);
    const double c[3] = {d == 1 ? a.low.b : SOC_HALF * y->t / a.high.a, SOC_HALF * y->t / a.low.a,
                         0};
    for (int j = 0; j < k->dim; ++j) {
        w->newton[i + j] = j < d ? w->newton[i + j] + e[j] * w->newton[i + j] : 0;
        w->rate[i + j] = j < d ? w->rate[i + j] + (e[j] * w->rate[i + j] - c[j]) : 0;
    }
}

static void constant(homotopy *w, const self_dual_space *space, const homotopy_point *y)
{
    spread(w, y, y->t, w->x);
    space->mul(space->user, w->x, w->u);
    for (int i = 0; i < w->k.n; ++i) {
        w->u[i] += w->k.b[i];
    }
}

bool homotopy_system(homotopy *w, const self_dual_space *space, const homotopy_point *y,
                     double floor)
{
    constant(w, space, y);
    begin_system(w, y, floor);
    w->factors += 1;
    if (!space->factor(space->user, w->k.Q, w->k.C) ||
        !space->solve(space->user, w->k.C, CORRECT, w->newton) ||
        !space->solve(space->user, w->k.C, CORRECT, w->rate)) {
        return false;
    }
    w->sign = space->sign(space->user);
    for (int b = 0; b < w->k.nb; ++b) {
        if (w->k.dim[b] > 0) end_block(w, y, b, floor);
    }
    const size_t n = (size_t)w->k.n;
    return pcs_all_finite(w->newton, n) && pcs_all_finite(w->rate, n);
}

// ---- points ------------------------------------------------------------------------------------

void homotopy_copy(const homotopy *w, const homotopy_point *from, homotopy_point *to)
{
    const size_t n = (size_t)w->k.n, nb = (size_t)w->k.nb;
    memcpy(to->low, from->low, nb * sizeof *to->low);
    memcpy(to->tangent, from->tangent, nb * sizeof *to->tangent);
    memcpy(to->direction, from->direction, 2 * nb * sizeof *to->direction);
    memcpy(to->x, from->x, n * sizeof *to->x);
    to->t = from->t;
}

// Eigenvalues and direction of y = (normal, tangent); the direction stays where there is no tangent
static void set_block(const homotopy *w, int b, double normal, const double *tangent,
                      homotopy_point *y)
{
    const double point[3] = {normal, tangent[0], tangent[1]};
    const int d = w->k.dim[b];
    const double length = d == 1 ? 0 : cone_tangent(d, point);
    y->low[b] = normal - length;
    y->tangent[b] = length;
    for (int c = 1; c < d && length > 0; ++c) {
        y->direction[2 * (size_t)b + (size_t)c - 1] = tangent[c - 1] / length;
    }
}

// The angle is a = across / length. It turns by the rotation whose half angle has the tangent a /
// 2, which is a to second order and needs no function of the C library
static void turn(const double *d, double angle, double *out)
{
    const double h = angle / 2, c = (1 - h * h) / (1 + h * h), s = 2 * h / (1 + h * h);
    const double x = c * d[0] - s * d[1], y = s * d[0] + c * d[1], length = sqrt(x * x + y * y);
    out[0] = x / length;
    out[1] = y / length;
}

// eigenvalues and direction change by dy where the tangent stays away from zero, else y itself
static void move_block(const homotopy *w, const homotopy_point *from, int b, const double *dy,
                       homotopy_point *to)
{
    const int d = w->k.dim[b];
    const double *direction = from->direction + 2 * (size_t)b;
    const double l = from->low[b], r = from->tangent[b];
    if (d == 1) {
        to->low[b] = l + dy[0];
        to->tangent[b] = 0;
        return;
    }
    const double along = SOC_HALF * (dy[0] - dy[1]), across = d == 3 ? dy[2] : 0;
    const double up = SOC_HALF * (dy[0] + dy[1]);
    double *out = to->direction + 2 * (size_t)b;
    if (along * along + across * across < 0.25 * r * r) {
        to->low[b] = l + ROOT_2 * dy[1];
        to->tangent[b] = r + along;
        if (d == 3) {
            turn(direction, across / r, out);
        } else {
            out[0] = direction[0];
        }
        return;
    }
    double tangent[2] = {direction[0] * (r + along), 0};
    if (d == 3) {
        tangent[0] -= direction[1] * across;
        tangent[1] = direction[1] * (r + along) + direction[0] * across;
    }
    out[0] = direction[0];
    out[1] = direction[1];
    set_block(w, b, l + r + up, tangent, to);
}

void homotopy_move(const homotopy *w, const homotopy_point *from, const double *dy,
                   homotopy_point *to)
{
    for (int b = 0; b < w->k.nb; ++b) {
        const pcs_block *k = &w->k.block[b];
        if (w->k.dim[b] > 0) {
            move_block(w, from, b, dy + k->row, to);
            continue;
        }
        for (int i = k->row; i < k->row + k->dim; ++i) {
            to->x[i] = from->x[i] + dy[i];
        }
    }
    to->t = from->t;
}

void homotopy_relative(const homotopy *w, int b, const double *size, const double *dy,
                       double out[3])
{
    const int d = w->k.dim[b];
    const double high = size[2 * b], low = size[2 * b + 1];
    out[0] = out[1] = out[2] = 0;
    if (d == 0) return;
    out[0] = d == 1 ? dy[0] / low : ROOT_2 * dy[0] / high;
    if (d > 1) out[1] = ROOT_2 * dy[1] / low;
    if (d > 2) out[2] = 2 * dy[2] / (high + low);
}

void homotopy_impulse(const homotopy *w, const homotopy_point *y, double t, double *r)
{
    spread(w, y, t, r);
    for (int i = 0; i < w->k.n; ++i) {
        r[i] *= w->k.size * w->k.D[i];
    }
    cone_project(w->k.nb, w->k.block, r);
}

int homotopy_undecided(const homotopy *w, const homotopy_point *y)
{
    int count = 0;
    const double width = 2 * sqrt(y->t);
    for (int b = 0; b < w->k.nb; ++b) {
        if (w->k.dim[b] == 0) continue;
        const double bound = w->k.bound[b];
        const double low = bound > 0 ? bound - fabs(y->low[b]) : y->low[b];
        count += fabs(low) < width || fabs(low + 2 * y->tangent[b]) < width;
    }
    return count;
}

// ---- starts ------------------------------------------------------------------------------------

// numbers in [-1, 1)
static double random_unit(uint64_t *state)
{
    return 2 * xorshift_unit(state) - 1;
}

static uint64_t generator(uint64_t seed)
{
    return 88172645463325252u + 0x9e3779b97f4a7c15u * seed;
}

// p, with which `now` has no residual
static void fit(homotopy *w, const self_dual_space *space)
{
    const homotopy_point *y = &w->now;
    memset(w->p, 0, (size_t)w->k.n * sizeof *w->p);
    constant(w, space, y);
    for (int b = 0; b < w->k.nb; ++b) {
        const int d = w->k.dim[b], i = w->k.block[b].row;
        if (d == 0) continue;
        double f[3] = {0}, rate[3];
        const spectrum e = spectrum_of(w, y, b, y->t);
        const shift s = shift_of(w, tangent_of(&e), y->t);
        residual_of(w, b, &e, &s, y->direction + 2 * (size_t)b, y->t, f, rate);
        for (int c = 0; c < d; ++c) {
            w->p[i + c] = -f[c] / y->t;
        }
    }
}

bool homotopy_start_cold(homotopy *w, const self_dual_space *space, uint64_t seed)
{
    uint64_t state = generator(seed);
    homotopy_point *y = &w->now;
    w->warm = false;
    y->t = 1;
    memset(y->x, 0, (size_t)w->k.n * sizeof *y->x);
    bool joined = false;
    for (int b = 0; b < w->k.nb; ++b) {
        double z[3] = {0};
        const int d = w->k.dim[b];
        joined = joined || d == 0;
        for (int c = 0; c < d && seed > 0; ++c) {
            z[c] = random_unit(&state);
        }
        y->direction[2 * (size_t)b] = 1;
        y->direction[2 * (size_t)b + 1] = 0;
        set_block(w, b, z[0], z + 1, y);
    }
    fit(w, space);
    if (!joined) return true;
    // at t = 1 the problem is convex: Newton's corrections lead to its solution, with equalities
    for (int k = 0; k < JOIN_STEPS; ++k) {
        if (!homotopy_system(w, space, y, space->floor)) return false;
        homotopy_move(w, y, w->newton, y);
    }
    fit(w, space);
    return true;
}

bool homotopy_start_warm(homotopy *w, const self_dual_space *space, const double *r, double t,
                         uint64_t seed)
{
    uint64_t state = generator(seed);
    homotopy_point *y = &w->now;
    const double noise = seed > 0 ? sqrt(t) : 0;
    w->warm = true;
    y->t = t;
    for (int i = 0; i < w->k.n; ++i) {
        w->x[i] = y->x[i] = r[i] / w->k.size / w->k.D[i];
    }
    space->mul(space->user, w->x, w->u);
    for (int b = 0; b < w->k.nb; ++b) {
        const int d = w->k.dim[b], i = w->k.block[b].row;
        double z[3] = {0};
        for (int c = 0; c < d; ++c) {
            z[c] = w->u[i + c] + w->k.b[i + c];
        }
        if (d > 1) z[0] += cone_tangent(d, z);
        for (int c = 0; c < d; ++c) {
            z[c] = w->x[i + c] - z[c] + noise * random_unit(&state);
        }
        y->direction[2 * (size_t)b] = 1;
        y->direction[2 * (size_t)b + 1] = 0;
        if (d > 0) set_block(w, b, z[0], z + 1, y);
    }
    fit(w, space);
    return pcs_all_finite(w->p, (size_t)w->k.n);
}
