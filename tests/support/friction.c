// Families of friction problems for the tests of solvers and for the bench.
#include "friction.h"

#include <stdio.h>

#include <percuss/linalg.h>

const char *const friction_name[FRICTION_COUNT] = {
    "dense", "skewed", "deficient", "planar", "mixed", "spheres", "boxes", "gyro",
};

static void *need(pcs_arena *arena, size_t count, size_t size)
{
    void *p = pcs_arena_take_array(arena, count, size);
    if (!p && count > 0) {
        fprintf(stderr, "friction: the arena is too small\n");
        abort();
    }
    return p;
}

// ---- dense problems with a known solution -----------------------------------------------------

static pcs_block random_block(friction f, test_random *rng, int row)
{
    pcs_block b = {.cone = PCS_CONE_COULOMB, .row = row, .dim = f == FRICTION_PLANAR ? 2 : 3};
    const double kind = random_unit(rng), slippery = random_unit(rng);
    b.mu = slippery < 0.1 ? 0 : 1.2 * slippery;
    if (f != FRICTION_MIXED) return b;
    if (kind < 0.2)
        b = (pcs_block){.cone = PCS_CONE_EQUALITY, .row = row, .dim = 1 + (int)(kind * 15)};
    if (kind > 0.8) b = (pcs_block){.cone = PCS_CONE_UNILATERAL, .row = row, .dim = 1};
    if (kind > 0.2 && kind < 0.4) b.dim = 2;
    return b;
}

// r and u of a block that obey its law: open, stick or slide
static void random_pair(const pcs_block *b, test_random *rng, double *r, double *u)
{
    const double size = 0.1 + random_unit(rng), mode = random_unit(rng);
    for (int c = 0; c < b->dim; ++c) {
        r[c] = u[c] = 0;
    }
    if (b->cone == PCS_CONE_EQUALITY) {
        for (int c = 0; c < b->dim; ++c) {
            r[c] = random_normal(rng);
        }
        return;
    }
    if (b->cone == PCS_CONE_UNILATERAL || b->mu == 0) {
        (mode < 0.6 ? r : u)[0] = size;
        for (int c = 1; c < b->dim; ++c) {
            u[c] = random_normal(rng);
        }
        return;
    }

    const double angle = 6.283185307179586 * random_unit(rng), inside = 0.9 * random_unit(rng);
    const double d[2] = {b->dim == 3 ? cos(angle) : angle > 3 ? 1 : -1, sin(angle)};
    if (mode < 0.25) {
        u[0] = size;
    } else {
        r[0] = size;
    }
    for (int c = 1; c < b->dim; ++c) {
        if (mode < 0.25) u[c] = random_normal(rng);
        if (mode >= 0.25) r[c] = b->mu * r[0] * d[c - 1] * (mode < 0.6 ? inside : 1);
        if (mode >= 0.6) u[c] = -(1.6 - size) * d[c - 1];
    }
}

static pcs_problem dense(friction f, int nc, test_random *rng, pcs_arena *arena, double **solution)
{
    pcs_block *block = need(arena, (size_t)nc, sizeof *block);
    int n = 0;
    for (int b = 0; b < nc; ++b) {
        block[b] = random_block(f, rng, n);
        n += block[b].dim;
    }
    const size_t N = (size_t)n;
    double *W = need(arena, N * N, sizeof *W), *q = need(arena, N, sizeof *q);
    double *r = need(arena, N, sizeof *r), *u = need(arena, N, sizeof *u);
    pcs_problem p = {.n = n, .nb = nc, .block = block, .q = q};
    if (pcs_bsr_from_dense(n, n, W, arena, &p.W) != PCS_OK) abort();

    const int m = f == FRICTION_DEFICIENT ? (n + 1) / 2 : n + 1;
    pcs_arena scratch = *arena;
    double *G = need(&scratch, N * (size_t)m, sizeof *G);
    for (size_t k = 0; k < N * (size_t)m; ++k) {
        G[k] = random_normal(rng);
    }
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i <= j; ++i) {
            double s = i == j && f != FRICTION_DEFICIENT ? 0.1 : 0;
            for (int k = 0; k < m; ++k) {
                s += G[i + N * (size_t)k] * G[j + N * (size_t)k] / m;
            }
            W[i + N * (size_t)j] = W[j + N * (size_t)i] = s;
        }
    }
    for (int j = 0; f == FRICTION_SKEWED && j < n; ++j) {
        for (int i = 0; i < j; ++i) {
            const double s = random_normal(rng) / n;
            W[i + N * (size_t)j] += s;
            W[j + N * (size_t)i] -= s;
        }
    }

    for (int b = 0; b < nc; ++b) {
        random_pair(&block[b], rng, r + block[b].row, u + block[b].row);
    }
    pcs_bsr_mul(&p.W, r, q);
    for (int i = 0; i < n; ++i) {
        q[i] = u[i] - q[i];
    }
    if (solution) *solution = r;
    return p;
}

// ---- bodies on bodies ---------------------------------------------------------------------------

typedef struct contact {
    int body[2];        // second one -1: the ground
    double lever[2][3]; // from the centres
    double frame[9];    // columns N, T1, T2; N from body 2 to body 1
} contact;

typedef struct pile {
    int bodies, nc;
    double *inverse; // 2 per body: 1 / m, 1 / J
    contact *c;
} pile;

void frame_of(const double N[3], double F[9])
{
    int k = 0;
    for (int i = 1; i < 3; ++i) {
        if (fabs(N[i]) < fabs(N[k])) k = i;
    }
    double e[3] = {0};
    e[k] = 1;
    double t[3] = {e[1] * N[2] - e[2] * N[1], e[2] * N[0] - e[0] * N[2], e[0] * N[1] - e[1] * N[0]};
    const double size = sqrt(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    for (int i = 0; i < 3; ++i) {
        F[i] = N[i];
        F[3 + i] = t[i] / size;
    }
    F[6] = N[1] * F[5] - N[2] * F[4];
    F[7] = N[2] * F[3] - N[0] * F[5];
    F[8] = N[0] * F[4] - N[1] * F[3];
}

static void add_contact(pile *p, int a, int b, const double la[3], const double lb[3],
                        const double N[3])
{
    contact *c = &p->c[p->nc++];
    *c = (contact){.body = {a, b}};
    memcpy(c->lever[0], la, sizeof c->lever[0]);
    memcpy(c->lever[1], lb, sizeof c->lever[1]);
    frame_of(N, c->frame);
}

// spheres of radius 1/2 in square layers, each above the middle of four
static void pyramid(pile *p, int side, test_random *rng)
{
    int first = 0, below = 0;
    for (int s = side; s >= 1; --s) {
        for (int i = 0; i < s * s; ++i) {
            const int body = first + i;
            const double m = random_between(rng, 0.5, 2);
            p->inverse[2 * body] = 1 / m;
            p->inverse[2 * body + 1] = 1 / (0.4 * m * 0.25);
            if (s == side) {
                const double N[3] = {0, 0, 1}, la[3] = {0, 0, -0.5}, zero[3] = {0};
                add_contact(p, body, -1, la, zero, N);
                continue;
            }
            for (int k = 0; k < 4; ++k) {
                const int x = i % s + k % 2, y = i / s + k / 2;
                const double N[3] = {k % 2 ? -0.5 : 0.5, k / 2 ? -0.5 : 0.5, sqrt(0.5)};
                const double la[3] = {-0.5 * N[0], -0.5 * N[1], -0.5 * N[2]};
                const double lb[3] = {0.5 * N[0], 0.5 * N[1], 0.5 * N[2]};
                add_contact(p, body, below + x + (s + 1) * y, la, lb, N);
            }
        }
        below = first;
        first += s * s;
    }
    p->bodies = first;
}

// unit cubes one on another, four corners each
static void tower(pile *p, int levels, test_random *rng)
{
    for (int i = 0; i < levels; ++i) {
        const double m = random_between(rng, 0.5, 2), N[3] = {0, 0, 1};
        p->inverse[2 * i] = 1 / m;
        p->inverse[2 * i + 1] = 6 / m;
        for (int k = 0; k < 4; ++k) {
            const double x = k % 2 ? -0.5 : 0.5, y = k / 2 ? -0.5 : 0.5;
            const double la[3] = {x, y, -0.5}, lb[3] = {x, y, 0.5};
            add_contact(p, i, i - 1, la, lb, N);
        }
    }
    p->bodies = levels;
}

// the three rows of CT of a contact for its body `side`, each six numbers
static void rows_of(const contact *c, int side, double *H)
{
    const double sign = side == 0 ? 1 : -1, *l = c->lever[side];
    for (int k = 0; k < 3; ++k) {
        const double *t = c->frame + 3 * k;
        double *h = H + 6 * k;
        for (int i = 0; i < 3; ++i) {
            h[i] = sign * t[i];
        }
        h[3] = sign * (l[1] * t[2] - l[2] * t[1]);
        h[4] = sign * (l[2] * t[0] - l[0] * t[2]);
        h[5] = sign * (l[0] * t[1] - l[1] * t[0]);
    }
}

// += H_i M^-1 H_j' through one body
static void add_block(const double *Hi, const double *Hj, const double *inverse, double gyro,
                      double *w)
{
    for (int b = 0; b < 3; ++b) {
        for (int a = 0; a < 3; ++a) {
            double s = 0;
            for (int k = 0; k < 6; ++k) {
                s += Hi[6 * a + k] * inverse[k / 3] * Hj[6 * b + k];
            }
            // a skew matrix in the velocities of the body
            s +=
                gyro * inverse[1] * (Hi[6 * a + 3] * Hj[6 * b + 4] - Hi[6 * a + 4] * Hj[6 * b + 3]);
            w[a + 3 * b] += s;
        }
    }
}

static pcs_problem assemble(const pile *heap, double gyro, test_random *rng, pcs_arena *arena)
{
    const int nc = heap->nc, n = 3 * nc;
    pcs_block *block = need(arena, (size_t)nc, sizeof *block);
    double *q = need(arena, (size_t)n, sizeof *q);
    int *row = need(arena, (size_t)nc + 1, sizeof *row),
        *ptr = need(arena, (size_t)nc + 1, sizeof *ptr);

    // the contacts of each body
    int *start = need(arena, (size_t)heap->bodies + 2, sizeof *start);
    int *list = need(arena, 2 * (size_t)nc, sizeof *list);
    memset(start, 0, ((size_t)heap->bodies + 2) * sizeof *start);
    for (int i = 0; i < nc; ++i) {
        for (int s = 0; s < 2; ++s) {
            if (heap->c[i].body[s] >= 0) start[heap->c[i].body[s] + 2] += 1;
        }
    }
    for (int b = 0; b < heap->bodies; ++b) {
        start[b + 2] += start[b + 1];
    }
    for (int i = 0; i < nc; ++i) {
        for (int s = 0; s < 2; ++s) {
            if (heap->c[i].body[s] >= 0) list[start[heap->c[i].body[s] + 1]++] = i;
        }
    }

    // the columns of each row in order
    int most = 0;
    for (int i = 0; i < nc; ++i) {
        for (int s = 0; s < 2; ++s) {
            const int b = heap->c[i].body[s];
            if (b >= 0) most += start[b + 1] - start[b];
        }
    }
    int *idx = need(arena, (size_t)most, sizeof *idx);
    size_t *off = need(arena, (size_t)most, sizeof *off);
    double *val = need(arena, 9 * (size_t)most, sizeof *val);
    memset(val, 0, 9 * (size_t)most * sizeof *val);
    int nz = 0;
    for (int i = 0; i < nc; ++i) {
        ptr[i] = nz;
        for (int s = 0; s < 2; ++s) {
            const int b = heap->c[i].body[s];
            for (int k = b >= 0 ? start[b] : 0; b >= 0 && k < start[b + 1]; ++k) {
                int at = nz;
                while (at > ptr[i] && idx[at - 1] > list[k]) {
                    --at;
                }
                if (at > ptr[i] && idx[at - 1] == list[k]) continue;
                memmove(idx + at + 1, idx + at, (size_t)(nz - at) * sizeof *idx);
                idx[at] = list[k];
                ++nz;
            }
        }
    }
    ptr[nc] = nz;

    for (int i = 0; i < nc; ++i) {
        row[i] = 3 * i;
        block[i] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = 3 * i, .dim = 3};
        block[i].mu = random_between(rng, 0.1, 0.9);
        for (int k = ptr[i]; k < ptr[i + 1]; ++k) {
            off[k] = 9 * (size_t)k;
            for (int s = 0; s < 4; ++s) {
                const contact *a = &heap->c[i], *b = &heap->c[idx[k]];
                const int body = a->body[s / 2];
                if (body < 0 || body != b->body[s % 2]) continue;
                double Hi[18], Hj[18];
                rows_of(a, s / 2, Hi);
                rows_of(b, s % 2, Hj);
                add_block(Hi, Hj, heap->inverse + 2 * body, gyro, val + off[k]);
            }
        }
    }
    row[nc] = n;

    // falling, everybody pushed a little, the lowest bodies more
    const double h = 0.01;
    double *v = need(arena, 6 * (size_t)heap->bodies, sizeof *v);
    const double push[2] = {h * random_between(rng, -3, 3), h * random_between(rng, -3, 3)};
    for (int b = 0; b < heap->bodies; ++b) {
        for (int k = 0; k < 6; ++k) {
            v[6 * b + k] = h * 0.3 * random_normal(rng);
        }
        v[6 * b] += push[0];
        v[6 * b + 1] += push[1];
        v[6 * b + 2] -= h * 9.81;
    }
    for (int i = 0; i < nc; ++i) {
        for (int k = 0; k < 3; ++k) {
            q[3 * i + k] = 0;
        }
        for (int s = 0; s < 2; ++s) {
            double H[18];
            const int b = heap->c[i].body[s];
            if (b < 0) continue;
            rows_of(&heap->c[i], s, H);
            for (int k = 0; k < 18; ++k) {
                q[3 * i + k / 6] += H[k] * v[6 * b + k % 6];
            }
        }
    }
    return (pcs_problem){
        .n = n, .nb = nc, .block = block, .W = {nc, nc, row, row, ptr, idx, off, val}, .q = q};
}

static int side_of(int nc)
{
    // side^2 + 4 (1 + 4 + ... + (side - 1)^2) contacts
    int side = 1;
    while ((side + 1) * (side + 1) + 2 * side * (side + 1) * (2 * side + 1) / 3 <= nc) {
        ++side;
    }
    return side;
}

size_t friction_bytes(friction f, int nc)
{
    const size_t n = (size_t)nc;
    if (f >= FRICTION_SPHERES) return 20000 + 12000 * n;
    return 20000 + 200 * n + 24 * (9 * n * n + 6 * n) * 2;
}

pcs_problem friction_problem(friction f, int nc, uint64_t seed, pcs_arena *arena, double **solution)
{
    test_random rng = random_seed(seed * 100 + f + 50);
    if (solution) *solution = NULL;
    if (f < FRICTION_SPHERES) return dense(f, nc, &rng, arena, solution);

    const int levels = nc < 4 ? 1 : nc / 4, most = nc < 4 ? 4 : nc;
    pile p = {.c = need(arena, (size_t)most, sizeof *p.c),
              .inverse = need(arena, 2 * (size_t)most, sizeof *p.inverse)};
    if (f == FRICTION_SPHERES) {
        pyramid(&p, side_of(nc), &rng);
    } else {
        tower(&p, levels, &rng);
    }
    return assemble(&p, f == FRICTION_GYRO ? 1e-3 : 0, &rng, arena);
}

// ---- the measure, slowly ------------------------------------------------------------------------

// the point of the half-plane cone { (a, b): 0 <= b <= mu a } nearest to (x, t), t >= 0
static void nearest(double mu, double x, double t, double *a, double *b)
{
    const double size = sqrt(1 + mu * mu), along = (x + mu * t) / size;
    *a = x;
    *b = t;
    if (x >= 0 && t <= mu * x) return;
    *a = along > 0 ? along / size : 0;
    *b = along > 0 ? mu * along / size : 0;
}

double slow_residual(const pcs_problem *p, const double *r, pcs_arena arena)
{
    const size_t n = (size_t)p->n;
    double *W = need(&arena, n * n, sizeof *W), *u = need(&arena, n, sizeof *u);
    pcs_bsr_to_dense(&p->W, W);
    double f2 = 0, q2 = 0, w2 = 0, most = 0;
    for (size_t i = 0; i < n; ++i) {
        double wr = 0;
        for (size_t j = 0; j < n; ++j) {
            wr += W[i + n * j] * r[j];
        }
        u[i] = wr + p->q[i];
        q2 += p->q[i] * p->q[i];
        w2 += wr * wr;
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int b = 0; b < p->nb; ++b) {
            const pcs_block *k = &p->block[b];
            double tr = 0;
            for (int c = k->row; c < k->row + k->dim; ++c) {
                tr += W[(size_t)c * (n + 1)];
            }
            if (tr > most) most = tr;
            const double rho = tr > 0 ? k->dim / tr : most > 0 ? k->dim / most : 1;
            double x[3] = {0}, s = 0, t = 0, a, c2;
            for (int c = 0; k->cone != PCS_CONE_EQUALITY && c < k->dim; ++c) {
                x[c] = r[k->row + c] - rho * u[k->row + c];
                if (c > 0) s += u[k->row + c] * u[k->row + c];
            }
            x[0] -= rho * k->mu * sqrt(s);
            t = sqrt(x[1] * x[1] + x[2] * x[2]);
            nearest(k->mu, x[0], t, &a, &c2);
            double f[3], sum = 0;
            for (int c = 0; k->cone == PCS_CONE_EQUALITY && c < k->dim; ++c) {
                sum += u[k->row + c] * u[k->row + c];
            }
            for (int c = 0; k->cone != PCS_CONE_EQUALITY && c < k->dim; ++c) {
                f[c] = r[k->row + c] - (c == 0 ? a : t > 0 ? x[c] / t * c2 : 0);
            }
            const double *v = u + k->row, *y = r + k->row;
            const bool steep = k->cone == PCS_CONE_COULOMB && k->mu > 10;
            if (steep) {
                const double load = fmax(fabs(y[0]), hypot(y[1], k->dim > 2 ? y[2] : 0));
                f[0] =
                    fmax(fabs(f[0]), (1 - 10 / k->mu) * fmax(-rho * v[0], fmin(rho * v[0], load)));
            }
            for (int c = 0; k->cone != PCS_CONE_EQUALITY && c < k->dim; ++c) {
                sum += f[c] * f[c] / (rho * rho);
            }
            if (steep) {
                // u = 0 with r in K is a solution
                const double rt = hypot(y[1], k->dim > 2 ? y[2] : 0);
                nearest(k->mu, y[0], rt, &a, &c2);
                double sticks = 11 * (fabs(v[0]) + sqrt(s)) + fabs(y[0] - a) / rho;
                for (int c = 1; c < k->dim; ++c) {
                    sticks += rt > 0 ? fabs(y[c] - y[c] / rt * c2) / rho : 0;
                }
                sum = fmin(sum, sticks * sticks);
            }
            if (pass == 1) f2 += sum;
        }
    }
    return f2 == 0 ? 0 : sqrt(f2) / sqrt(q2 > w2 ? q2 : w2);
}

pcs_problem friction_extreme(int k, pcs_arena *arena)
{
    const double sizes[6] = {1e-300, 1e-160, 1e-20, 1e20, 1e150, 1e300};
    const double size = sizes[k / FRICTION_COUNT / 3];
    const int part = k / FRICTION_COUNT % 3;
    pcs_problem p = friction_problem((friction)(k % FRICTION_COUNT), 4, 1, arena, NULL);
    double *q = pcs_arena_take_array(arena, (size_t)p.n, sizeof *q);
    pcs_block *block = pcs_arena_take_array(arena, (size_t)p.nb, sizeof *block);
    memcpy(block, p.block, (size_t)p.nb * sizeof *block);
    for (int i = 0; i < p.n; ++i) {
        q[i] = part == 0 ? p.q[i] * size : p.q[i];
    }
    for (int b = 0; part == 1 && b < p.nb; ++b) {
        if (block[b].cone == PCS_CONE_COULOMB) block[b].mu = size;
    }
    const int count = p.W.m == 1 ? p.n * p.n : 9 * p.W.ptr[p.W.m];
    for (int i = 0; part == 2 && i < count; ++i) {
        p.W.val[i] *= size;
    }
    p.q = q;
    p.block = block;
    return p;
}
