// Scenes of any size for bench_cost.
#include "cost_scene.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MU     0.5
#define STEP   0.01
#define PLATES 10

const char *const cost_name[COST_KINDS] = {"wall", "plates"};

static void die(const char *what)
{
    fprintf(stderr, "cost_scene: %s\n", what);
    exit(2);
}

static void *take(cost_scene *s, int slot, size_t count, size_t size)
{
    void *x = calloc(count > 0 ? count : 1, size);
    if (!x) die("out of memory");
    s->memory[slot] = x;
    return x;
}

// uniform on (-1, 1)
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)(*state >> 11) / 4503599627370496.0 - 1;
}

typedef struct builder {
    int *row, *ptr, *idx;
    size_t *off;
    double *val;
    pcs_block *block;
    int nc, entries;
} builder;

// rows n = z, t = x, s = y of a contact at lever l of a body; sign +1 or -1 for the first or second
// body
static void add_side(builder *w, int body, const double l[3], double sign)
{
    const double H[3][6] = {
        {0, 0, 1, l[1], -l[0], 0}, {1, 0, 0, 0, l[2], -l[1]}, {0, 1, 0, -l[2], 0, l[0]}};
    const int e = w->entries++;
    w->idx[e] = body;
    w->off[e] = 18 * (size_t)e;
    for (int i = 0; i < 18; ++i) {
        w->val[w->off[e] + (size_t)i] = sign * H[i % 3][i / 3];
    }
}

// at x: the upper body above the lower one (-1: the ground); centres given; bodies in this order
static void add_contact(builder *w, const double x[3], int lower, const double *a, int upper,
                        const double *b)
{
    const int i = w->nc++;
    w->block[i] = (pcs_block){.cone = PCS_CONE_COULOMB, .row = 3 * i, .dim = 3, .mu = MU};
    if (lower >= 0) {
        add_side(w, lower, (double[3]){x[0] - a[0], x[1] - a[1], x[2] - a[2]}, -1);
    }
    add_side(w, upper, (double[3]){x[0] - b[0], x[1] - b[1], x[2] - b[2]}, 1);
    w->row[i + 1] = 3 * (i + 1);
    w->ptr[i + 1] = w->entries;
}

// bricks 2 x 1 x 1, every second row shifted by half a brick and ending on half of one
static void add_wall(builder *w, int side)
{
    for (int k = 0; k < side; ++k) {
        for (int j = 0; j < side; ++j) {
            const int shift = k % 2;
            const double b[3] = {2 * j + shift, 0, k + 0.5};
            for (int h = 0; h < 2; ++h) {
                // the half of the brick at -0.5 or 0.5 along x rests on this one
                int under = j + (shift ? h : h - 1);
                if (under < 0) under = 0;
                if (under >= side) under = side - 1;
                const double a[3] = {2 * under + 1 - shift, 0, k - 0.5};
                for (int y = -1; y <= 1; y += 2) {
                    const double x[3] = {b[0] + h - 0.5, 0.5 * y, k};
                    add_contact(w, x, k == 0 ? -1 : (k - 1) * side + under, a, k * side + j, b);
                }
            }
        }
    }
}

static void add_plates(builder *w, int nc, uint64_t *state)
{
    for (int k = 0; k < PLATES; ++k) {
        const double a[3] = {0, 0, k - 0.5}, b[3] = {0, 0, k + 0.5};
        for (int i = 0; i < nc / PLATES; ++i) {
            const double x[3] = {10 * draw(state), 10 * draw(state), k};
            add_contact(w, x, k - 1, a, k, b);
        }
    }
}

void cost_create(cost_kind kind, int nc, cost_scene *s)
{
    memset(s, 0, sizeof *s);
    const int side = (int)lround(sqrt(nc / 4.0));
    const bool wall = kind == COST_WALL;
    const int bodies = wall ? side * side : PLATES, most = wall ? 4 * side * side : nc;
    const size_t n = (size_t)most, nb = (size_t)bodies;
    uint64_t state = 1;

    int *row = take(s, 0, 2 * (n + 1), sizeof *row), *col = take(s, 1, nb + 1, sizeof *col);
    int *idx = take(s, 2, 2 * n, sizeof *idx);
    size_t *off = take(s, 3, 2 * n, sizeof *off);
    double *val = take(s, 4, 36 * n, sizeof *val), *f = take(s, 5, 6 * nb, sizeof *f);
    pcs_block *block = take(s, 6, n, sizeof *block);
    builder w = {row, row + n + 1, idx, off, val, block, 0, 0};
    if (wall) {
        add_wall(&w, side);
    } else {
        add_plates(&w, nc, &state);
    }

    // mass 1, inertia of the box; the impulse of gravity and a push
    int *size = malloc(nb * sizeof *size);
    double *M = calloc(36 * nb, sizeof *M);
    if (!size || !M) die("out of memory");
    const double x = wall ? 2 : 20, y = wall ? 1 : 20, z = 1;
    const double inertia[6] = {
        1, 1, 1, (y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12};
    for (int b = 0; b < bodies; ++b) {
        size[b] = 6;
        col[b + 1] = 6 * (b + 1);
        for (int i = 0; i < 6; ++i) {
            M[36 * b + 7 * i] = inertia[i];
            f[6 * b + i] = STEP * 2 * inertia[i] * draw(&state);
        }
        f[6 * b + 2] -= STEP * 9.81;
    }
    pcs_mass_matrix *mass;
    if (pcs_mass_matrix_create_blocks(NULL, bodies, size, M, &mass) != PCS_OK)
        die(pcs_error_text());
    free(size);
    free(M);
    s->nc = w.nc;
    s->bodies = bodies;
    s->g = (pcs_global_problem){.nb = w.nc,
                                .block = block,
                                .M = mass,
                                .H = {w.nc, bodies, w.row, col, w.ptr, idx, off, val},
                                .f = f};
}

double cost_blocks(const cost_scene *s)
{
    // contacts by body; the two that share two bodies are counted twice
    double sum = 0;
    int *count = calloc((size_t)s->bodies, sizeof *count);
    if (!count) die("out of memory");
    for (int k = 0; k < s->g.H.ptr[s->nc]; ++k) {
        count[s->g.H.idx[k]] += 1;
    }
    for (int b = 0; b < s->bodies; ++b) {
        sum += (double)count[b] * count[b];
    }
    free(count);
    return sum;
}

void cost_condense(cost_scene *s)
{
    size_t peak = 0;
    for (int k = 0; k < 20; ++k) {
        const size_t had = peak;
        pcs_arena_destroy(NULL, &s->condensed);
        if (pcs_arena_create(NULL, peak, &s->condensed) != PCS_OK) die(pcs_error_text());
        s->condensed.peak = &peak;
        const pcs_status status = pcs_global_condense(&s->g, &s->condensed, &s->p);
        s->condensed.peak = NULL;
        if (status == PCS_OK) return;
        if (status != PCS_ERR_MEMORY || peak <= had) die(pcs_error_text());
    }
    die("the demand of the condensed problem keeps growing");
}

void cost_destroy(cost_scene *s)
{
    pcs_mass_matrix_destroy((pcs_mass_matrix *)(uintptr_t)s->g.M);
    pcs_arena_destroy(NULL, &s->condensed);
    for (int k = 0; k < 8; ++k) {
        free(s->memory[k]);
    }
}
