// Implements the functions of packs.h for the registers of the including file; the names get a
// suffix. Each vector below holds one component for all lanes:
//
//     x = v1 + w1 x core1 - v2 - w2 x core2,   z = along1 w1 - along2 w2
//     u = (N x, t1 x + t2 z, t2 x - t1 z)
//
// Lanes that stay open or stick are solved as by rigid_solve. For lanes that slide, the direction d
// of r_T takes Newton steps as in coulomb.c, with F and nu defined there, until it is close; most
// visits need one, and the next sweeps refine it. Lanes in which this may be inaccurate are solved
// one by one.
#ifdef __AVX__
#include <immintrin.h>
#endif
#include <math.h>
#include <string.h>

#include "bodies/packs.h"
#include "bodies/sweep_blocks.h"

VECTOR_OF(LANES, int64_t, mask);
VECTOR_OF(2, double, pair);

// squares outside these bounds may have lost digits
#define SQUARE_LOW  1e-280
#define SQUARE_HIGH 1e280
// |q| outside these bounds: its products may have lost digits
#define SMALL 1e-70
#define BIG   1e70
// a smaller rotation of the direction is left to the next sweep
#define NEAR 0.1
// the solution has less than half of its digits when the determinant of W, scaled to a diagonal of
// ones, is below RANK_TOL; products of entries of W beyond PRODUCT may have lost digits
#define RANK_TOL    1e-10
#define PRODUCT     1e250
#define SLIDE_STEPS 6

static inline lanes all(double x)
{
    return (lanes){x, x, x, x};
}

static inline lanes choose(mask m, lanes a, lanes b)
{
    return (lanes)((m & (mask)a) | (~m & (mask)b));
}

static inline lanes magnitude(lanes x)
{
    const int64_t most = INT64_MAX;
    return (lanes)((mask)x & (mask){most, most, most, most});
}

static inline bool any(mask m)
{
#ifdef __AVX__
    return _mm256_movemask_pd((__m256d)m) != 0;
#else
    return (m[0] | m[1] | m[2] | m[3]) != 0;
#endif
}

static inline lanes root(lanes x)
{
    return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

static inline lanes load(const double *x)
{
    lanes a;
    memcpy(&a, x, sizeof a);
    return a;
}

static inline void store(lanes a, double *x)
{
    memcpy(x, &a, sizeof a);
}

static inline lanes dot(const lanes *a, const lanes *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross(const lanes *a, const lanes *b, lanes *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

// y = A x
static inline void multiply(const lanes *A, const lanes *x, lanes *y)
{
    for (int i = 0; i < 3; ++i) {
        y[i] = A[i] * x[0] + A[i + 3] * x[1] + A[i + 6] * x[2];
    }
}

// transposes a 4 x 4 matrix
static inline void transpose(lanes *x)
{
    const lanes a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6);
    const lanes b = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    const lanes c = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6);
    const lanes d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    x[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
    x[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    x[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    x[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// loads four numbers from each place; place l becomes lane l
static inline void load_four(const double *const *at, lanes *x)
{
    for (int l = 0; l < LANES; ++l) {
        x[l] = load(at[l]);
    }
    transpose(x);
}

static inline void load_two(const double *const *at, int offset, lanes *x)
{
    pair a[LANES];
    for (int l = 0; l < LANES; ++l) {
        memcpy(&a[l], at[l] + offset, sizeof a[l]);
    }
    const lanes even = __builtin_shufflevector(a[0], a[2], 0, 1, 2, 3);
    const lanes odd = __builtin_shufflevector(a[1], a[3], 0, 1, 2, 3);
    x[0] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    x[1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}

// velocities of the four bodies of a side: linear, then angular
static inline void load_side(const double *const *at, lanes *v)
{
    load_four(at, v);
    load_two(at, LANES, v + LANES);
}

static inline void store_side(lanes *v, double *const *at)
{
    transpose(v);
    const lanes even = __builtin_shufflevector(v[4], v[5], 0, 4, 2, 6);
    const lanes odd = __builtin_shufflevector(v[4], v[5], 1, 5, 3, 7);
    const pair a[LANES] = {
        __builtin_shufflevector(even, even, 0, 1), __builtin_shufflevector(odd, odd, 0, 1),
        __builtin_shufflevector(even, even, 2, 3), __builtin_shufflevector(odd, odd, 2, 3)};
    for (int l = 0; l < LANES; ++l) {
        store(v[l], at[l]);
        memcpy(at[l] + LANES, &a[l], sizeof a[l]);
    }
}

static inline void lane_velocity(const rigid_pack *c, const lanes *t2, const lanes *v1,
                                 const lanes *v2, lanes *u)
{
    lanes a[3], b[3], x[3], z[3];
    cross(v1 + 3, c->core[0], a);
    cross(v2 + 3, c->core[1], b);
    for (int i = 0; i < 3; ++i) {
        x[i] = v1[i] + a[i] - (v2[i] + b[i]);
        z[i] = c->along[0] * v1[3 + i] - c->along[1] * v2[3 + i];
    }
    u[0] = dot(c->N, x);
    u[1] = dot(c->t1, x) + dot(t2, z);
    u[2] = dot(t2, x) - dot(c->t1, z);
}

// addresses of A^-1 of the bodies of a side
static inline void inverses(const prepared *p, const rigid_pack *c, int e, const double **at)
{
    for (int l = 0; l < LANES; ++l) {
        at[l] = &prepared_body(p, c->at[e][l])->m;
    }
}

// A^-1 of the bodies of a side: mass first, then rotation
static inline void load_inverse(const prepared *p, const rigid_pack *c, int e, lanes *K)
{
    const double *A[LANES];
    inverses(p, c, e, A);
    load_four(A, K);
    for (int l = 0; l < LANES; ++l) {
        K[4 + l] = load(A[l] + LANES);
    }
    transpose(K + 4);
    load_two(A, 2 * LANES, K + 8);
}

// v += A^-1 of the impulse P and the moment T (see sweep_blocks.c)
static inline void push_side(const prepared *p, const rigid_pack *c, int e, const lanes *P,
                             const lanes *T, lanes *v)
{
    lanes moment[3], w[3], K[10];
    cross(c->core[e], P, moment);
    for (int i = 0; i < 3; ++i) {
        moment[i] += c->along[e] * T[i];
    }
    if (c->isotropic) {
        const double *A[LANES];
        inverses(p, c, e, A);
        load_two(A, 0, K);
        for (int i = 0; i < 3; ++i) {
            w[i] = K[1] * moment[i];
        }
    } else {
        load_inverse(p, c, e, K);
        multiply(K + 1, moment, w);
    }
    for (int i = 0; i < 3; ++i) {
        v[i] += K[0] * P[i];
        v[3 + i] += w[i];
    }
}

static inline void push_both(const prepared *p, const rigid_pack *c, const lanes *t2,
                             const lanes *d, lanes *v1, lanes *v2)
{
    lanes P[3], T[3];
    for (int i = 0; i < 3; ++i) {
        P[i] = c->N[i] * d[0] + c->t1[i] * d[1] + t2[i] * d[2];
        T[i] = t2[i] * d[1] - c->t1[i] * d[2];
    }
    push_side(p, c, 0, P, T, v1);
    for (int i = 0; i < 3; ++i) {
        P[i] = -P[i];
        T[i] = -T[i];
    }
    push_side(p, c, 1, P, T, v2);
}

// the square of the tangential part; *sure: whether it has all its digits
static inline lanes tangential(const lanes *x, mask *sure)
{
    const lanes square = x[1] * x[1] + x[2] * x[2];
    *sure = (square == 0) | ((square > SQUARE_LOW) & (square < SQUARE_HIGH));
    return square;
}

// x of the lanes that slide. Starts from the direction of r, or of the sticking impulse, which x
// holds on entry; returns the lanes in which x is accurate
static inline mask slide(const rigid_pack *c, const lanes *u, const lanes *r, lanes *x)
{
    const lanes *W = c->W, mu = c->mu;
    lanes q[3], b[2], A[4], d[2];
    multiply(W, r, q);
    for (int i = 0; i < 3; ++i) {
        q[i] = u[i] - q[i];
    }
    for (int i = 0; i < 2; ++i) {
        b[i] = W[0] * q[i + 1] - q[0] * W[i + 1];
        for (int j = 0; j < 2; ++j) {
            A[i + 2 * j] = mu * (q[i + 1] * W[3 * j + 3] - q[0] * W[i + 1 + 3 * (j + 1)]);
        }
    }
    const mask none = (r[1] == 0) & (r[2] == 0);
    d[0] = choose(none, x[1], r[1]);
    d[1] = choose(none, x[2], r[2]);
    const lanes square = d[0] * d[0] + d[1] * d[1], most = magnitude(q[0]), size = root(square);
    mask good = (square > SQUARE_LOW) & (square < SQUARE_HIGH) & (most > SMALL) & (most < BIG);
    good &= (magnitude(q[1]) < BIG) & (magnitude(q[2]) < BIG);
    d[0] /= size;
    d[1] /= size;

    // the new direction is n / m: a rotation by twice the angle whose tangent is half the step
    lanes n[2] = {d[0], d[1]}, m = all(1);
    mask left = good;
    for (int k = 0; k < SLIDE_STEPS; ++k) {
        const lanes g0 = b[0] + A[0] * d[0] + A[2] * d[1];
        const lanes g1 = b[1] + A[1] * d[0] + A[3] * d[1];
        const lanes F = d[0] * g1 - d[1] * g0, nu = -(d[0] * g0 + d[1] * g1);
        const lanes slope =
            nu + A[0] * d[1] * d[1] + A[3] * d[0] * d[0] - (A[1] + A[2]) * d[0] * d[1];
        lanes by = -0.5 * F / slope;
        by = choose(by > 0.5, all(0.5), choose(by < -0.5, all(-0.5), by));
        n[0] = choose(left, d[0] - by * (2 * d[1] + by * d[0]), n[0]);
        n[1] = choose(left, d[1] + by * (2 * d[0] - by * d[1]), n[1]);
        m = choose(left, 1 + by * by, m);
        const mask near = magnitude(by) < 0.5 * NEAR;
        good &= ~left | ((slope > 0) & (~near | (nu >= 0)));
        left &= good & ~near;
        if (!any(left)) break;
        d[0] = n[0] / m;
        d[1] = n[1] / m;
    }
    good &= ~left;
    const lanes a = m * W[0], a0 = mu * W[3] * n[0], a1 = mu * W[6] * n[1], D = a + a0 + a1;
    good &= D > 1e-15 * (a + magnitude(a0) + magnitude(a1));
    const lanes l = -q[0] / D;
    x[0] = l * m;
    x[1] = mu * l * n[0];
    x[2] = mu * l * n[1];
    return good;
}

static void solve_lane(const rigid_pack *c, int l, const lanes *u, const lanes *r, lanes *x)
{
    contact law;
    double W[9], ul[3], rl[3], xl[3];
    for (int k = 0; k < 9; ++k) {
        W[k] = c->W[k][l];
    }
    for (int i = 0; i < 3; ++i) {
        ul[i] = u[i][l];
        rl[i] = r[i][l];
    }
    contact_prepare(&law, 3, c->mu[l], W, 3, c->s[l]);
    rigid_solve(&law, ul, rl, xl);
    for (int i = 0; i < 3; ++i) {
        x[i][l] = xl[i];
    }
}

// W^-1 u by cofactors, which scaling of rows and columns does not affect; NaN where W is singular
static inline void solve_linear(const lanes *W, const lanes *u, lanes *x)
{
    const lanes X[9] = {
        W[4] * W[8] - W[7] * W[5], W[7] * W[2] - W[1] * W[8], W[1] * W[5] - W[4] * W[2],
        W[6] * W[5] - W[3] * W[8], W[0] * W[8] - W[6] * W[2], W[3] * W[2] - W[0] * W[5],
        W[3] * W[7] - W[6] * W[4], W[6] * W[1] - W[0] * W[7], W[0] * W[4] - W[3] * W[1]};
    const lanes det = W[0] * X[0] + W[3] * X[1] + W[6] * X[2], most = W[0] * W[4] * W[8];
    const mask regular = (det > RANK_TOL * most) & (most > 1 / PRODUCT) & (most < PRODUCT);
    const lanes part = choose(regular, 1 / det, all(NAN));
    multiply(X, u, x);
    for (int i = 0; i < 3; ++i) {
        x[i] *= part;
    }
}

static inline void solve(const rigid_pack *c, const lanes *u, const lanes *r, lanes *x)
{
    const mask open = u[0] - (c->W[0] * r[0] + c->W[3] * r[1] + c->W[6] * r[2]) >= 0;
    lanes dr[3], s[3];
    mask sure;
    if (!any(~open)) {
        x[0] = x[1] = x[2] = all(0);
        return;
    }
    solve_linear(c->W, u, dr);
    for (int i = 0; i < 3; ++i) {
        x[i] = s[i] = choose(open, all(0), r[i] - dr[i]);
    }
    const lanes most = c->mu * x[0], square = tangential(x, &sure);
    const mask rest = ~((x[0] >= 0) & (square <= most * most) & sure);
    if (!any(rest)) return;

    const mask good = slide(c, u, r, s);
    for (int i = 0; i < 3; ++i) {
        x[i] = choose(rest & good, s[i], x[i]);
    }
    const mask odd = rest & ~good;
    for (int l = 0; l < LANES && any(odd); ++l) {
        if (odd[l]) solve_lane(c, l, u, r, x);
    }
}

// addresses of the velocities; a side that cannot move uses those of spare
static inline void places(const int *place, double *spare, double *y, double **at)
{
    double *const base[2] = {y, spare};
    for (int l = 0; l < LANES; ++l) {
        const int i = place[l];
        at[l] = base[i < 0] + (i < 0 ? 0 : i);
    }
}

static inline double visit_pack(const prepared *p, const rigid_pack *c, double *spare, double *y,
                                double *r)
{
    double *a[LANES], *b[LANES];
    lanes t2[3], v1[6], v2[6], u[3], x[3], ri[3], d[3];
    places(c->at[0], spare, y, a);
    places(c->at[1], spare, y, b);
    load_side((const double *const *)a, v1);
    load_side((const double *const *)b, v2);
    cross(c->N, c->t1, t2);
    lane_velocity(c, t2, v1, v2, u);
    for (int i = 0; i < 3; ++i) {
        u[i] += c->q[i];
        ri[i] = load(r + LANES * i);
    }
    solve(c, u, ri, x);
    mask moved = {0};
    for (int i = 0; i < 3; ++i) {
        d[i] = x[i] - ri[i];
        moved |= d[i] != 0;
    }
    if (!any(moved)) return 0;
    for (int i = 0; i < 3; ++i) {
        store(x[i], r + LANES * i);
    }
    push_both(p, c, t2, d, v1, v2);
    store_side(v1, a);
    store_side(v2, b);
    const lanes sum = c->s * c->s * dot(d, d);
    return sum[0] + sum[1] + sum[2] + sum[3];
}

double PACKS(visit)(const prepared *p, const rigid_pack *c, int n, double *spare, double *y,
                    double *r)
{
    double sum = 0;
    for (int k = 0; k < n; ++k) {
        sum += visit_pack(p, &c[k], spare, y, r + c[k].row);
    }
    return sum;
}

void PACKS(push)(const prepared *p, const rigid_pack *c, double *spare, const double *r, double *y)
{
    double *a[LANES], *b[LANES];
    lanes t2[3], v1[6], v2[6], d[3];
    places(c->at[0], spare, y, a);
    places(c->at[1], spare, y, b);
    load_side((const double *const *)a, v1);
    load_side((const double *const *)b, v2);
    cross(c->N, c->t1, t2);
    for (int i = 0; i < 3; ++i) {
        d[i] = load(r + c->row + LANES * i);
    }
    push_both(p, c, t2, d, v1, v2);
    store_side(v1, a);
    store_side(v2, b);
}

// f as computed by cone_natural_coulomb; returns whether it is as accurate
static inline mask natural(lanes mu, lanes s, const lanes *r, const lanes *u, lanes *f)
{
    mask sure[2];
    const lanes shifted = u[0] + mu * root(tangential(u, &sure[0]));
    const lanes x[3] = {s * r[0] - shifted, s * r[1] - u[1], s * r[2] - u[2]};
    const lanes t = root(tangential(x, &sure[1]));
    const mask inside = (x[0] >= 0) & (t <= mu * x[0]), polar = mu * t <= -x[0];
    const lanes w = t - mu * (s * r[0]), side = 1 + mu * mu, along = (w + mu * shifted) / side / t;
    f[0] = choose(inside, shifted, choose(polar, s * r[0], (shifted - mu * w) / side));
    for (int i = 1; i < 3; ++i) {
        f[i] = choose(inside, u[i], choose(polar, s * r[i], u[i] + x[i] * along));
    }
    return sure[0] & sure[1];
}

// the squares of x in each lane; returns whether squares_add adds them in this way
static inline mask square(const lanes *x, lanes *sum)
{
    *sum = dot(x, x);
    return ((*sum > SQUARE_LOW) & (*sum < SQUARE_HIGH)) | ((x[0] == 0) & (x[1] == 0) & (x[2] == 0));
}

static inline void add_lanes(lanes sum, mask used, squares *out)
{
    sum = choose(used, sum, all(0));
    for (int l = 0; l < LANES; ++l) {
        out->middle += sum[l];
    }
}

// the rest of PACKS(measure), where x is H y
static inline bool measure_lanes(const lanes *q, lanes mu, lanes s, const double *r, lanes *x,
                                 double *u, measure_sums *out)
{
    lanes ri[3], f[3], sum[3];
    for (int i = 0; i < 3; ++i) {
        store(x[i], u + LANES * i);
        ri[i] = load(r + LANES * i);
    }
    mask sure = square(x, &sum[0]) & square(q, &sum[1]);
    for (int i = 0; i < 3; ++i) {
        x[i] += q[i];
    }
    sure &= natural(mu, s, ri, x, f) & (mu <= 1);
    sure &= square(f, &sum[2]);
    const mask used = s > 0;
    if (any(~sure & used)) return false;
    for (int i = 0; i < 3; ++i) {
        store(x[i], u + LANES * i);
    }
    add_lanes(sum[0], used, &out->wr);
    add_lanes(sum[1], used, &out->q);
    add_lanes(sum[2], used, &out->violation);
    return true;
}

static inline void read_sides(const int (*at)[LANES], const double *spare, const double *y,
                              lanes *v1, lanes *v2)
{
    const double *a[LANES], *b[LANES];
    for (int l = 0; l < LANES; ++l) {
        a[l] = at[0][l] < 0 ? spare : y + at[0][l];
        b[l] = at[1][l] < 0 ? spare : y + at[1][l];
    }
    load_side(a, v1);
    load_side(b, v2);
}

bool PACKS(measure)(const rigid_pack *c, const double *spare, const double *y, const double *r,
                    double *u, measure_sums *out)
{
    lanes t2[3], v1[6], v2[6], x[3];
    read_sides(c->at, spare, y, v1, v2);
    cross(c->N, c->t1, t2);
    lane_velocity(c, t2, v1, v2, x);
    return measure_lanes(c->q, c->mu, c->s, r, x, u, out);
}

// W of the pack, as rigid_operator computes it
static inline void make_operator(const prepared *p, const rigid_pack *c, lanes *W)
{
    lanes F[9];
    for (int i = 0; i < 3; ++i) {
        F[i] = c->N[i];
        F[3 + i] = c->t1[i];
    }
    cross(c->N, c->t1, F + 6);
    for (int e = 0; e < 2; ++e) {
        lanes K[10];
        load_inverse(p, c, e, K);
        for (int j = 0; j < 3; ++j) {
            const lanes *f = F + 3 * j;
            lanes moment[3], w[3], x[3];
            cross(c->core[e], f, moment);
            for (int i = 0; j > 0 && i < 3; ++i) {
                const lanes turn = c->along[e] * F[j == 1 ? 6 + i : 3 + i];
                moment[i] = j == 1 ? moment[i] + turn : moment[i] - turn;
            }
            multiply(K + 1, moment, w);
            cross(w, c->core[e], x);
            for (int i = 0; i < 3; ++i) {
                x[i] += K[0] * f[i];
            }
            W[3 * j] += dot(F, x);
            W[3 * j + 1] += dot(F + 3, x) + c->along[e] * dot(w, F + 6);
            W[3 * j + 2] += dot(F + 6, x) - c->along[e] * dot(w, F + 3);
        }
    }
}

void PACKS(make)(const prepared *p, rigid_pack *c)
{
    for (int i = 0; i < 9; ++i) {
        c->W[i] = all(0);
    }
    make_operator(p, c, c->W);
    c->s = (c->W[0] + c->W[4] + c->W[8]) / 3;
}

void PACKS(extrapolate)(double b, size_t n, double *restrict x, double *restrict before)
{
    size_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const lanes now = load(x + i);
        store(now + b * (now - load(before + i)), x + i);
        store(now, before + i);
    }
    for (; i < n; ++i) {
        const double now = x[i];
        x[i] = now + b * (now - before[i]);
        before[i] = now;
    }
}
