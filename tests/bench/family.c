// A generated family of friction problems: see family.h.
#include "family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family_kinds.h"

#define POINTERS 24

typedef struct family_memory {
    void *pointer[POINTERS];
    int n;
    pcs_mass_matrix *mass;
    pcs_arena W;
} family_memory;

const char *const family_load_name[FAMILY_LOADS] = {"rest", "slide", "push", "impact", "shake"};

static const double gravity = 9.81, step = 0.005; // m/s^2, s

static void ok(pcs_status status)
{
    if (status == PCS_OK) return;
    fprintf(stderr, "family: %s\n", pcs_error_text());
    abort();
}

static void *take(family_memory *mem, size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p || mem->n == POINTERS) {
        fprintf(stderr, "family: out of memory\n");
        abort();
    }
    mem->pointer[mem->n++] = p;
    return p;
}

// ---- which members there are --------------------------------------------------------------------

// First every size of every recipe once, then the other sizes up to `again` once more with other
// draws, then `large` of the recipes that have a size above `again`
static const int again = 700, large[] = {850, 1000, 1300, 1700, 2400, 3600};
enum { PASSES = 3, LARGE = sizeof large / sizeof *large };

// the size number j of a recipe in a pass; 0: it has none, below 0: there are no more
static int size_of(const scene_recipe *c, int pass, int j)
{
    int most = 0;
    for (int k = 0; k < 12; ++k) {
        if (c->size[k] > most) most = c->size[k];
    }
    if (pass == 2) return j < LARGE && most > again ? large[j] : -1;
    if (j == 12 || c->size[j] == 0) return -1;
    return pass == 1 && (j % 2 == 1 || c->size[j] > again) ? 0 : c->size[j];
}

// the number of members of the first passes where there is no member i
static bool find(int i, int passes, const scene_recipe **recipe, int *size, int *number)
{
    int n = 0;
    for (int pass = 0; pass < passes; ++pass) {
        for (int k = 0; k < scene_recipe_count; ++k) {
            const scene_recipe *c = &scene_recipes[k];
            for (int j = 0; size_of(c, pass, j) >= 0; ++j) {
                if (size_of(c, pass, j) == 0 || n++ != i) continue;
                *recipe = c;
                *size = size_of(c, pass, j);
                *number = 1 + pass;
                return true;
            }
        }
    }
    *number = n;
    return false;
}

static int count(int passes)
{
    const scene_recipe *recipe;
    int size, n = 0;
    find(-1, passes, &recipe, &size, &n);
    return n;
}

int family_count(void)
{
    return count(2);
}

int family_count_all(void)
{
    return count(PASSES);
}

const char *family_kind(int i)
{
    const scene_recipe *recipe = NULL;
    int size, number;
    return find(i, PASSES, &recipe, &size, &number) ? recipe->name : "";
}

int family_size(int i)
{
    const scene_recipe *recipe = NULL;
    int size, number;
    return find(i, PASSES, &recipe, &size, &number) ? size : 0;
}

// ---- mass and friction --------------------------------------------------------------------------

static void weigh(scene *s, rng *r)
{
    static const double ratios[] = {1, 10, 100, 1000, 10000};
    const double ratio = ratios[rng_int(r, 5)];
    const int how = rng_int(r, 4), odd = rng_int(r, s->bodies);
    double low = s->body[0].x[2], high = low, volume = 0;
    for (int i = 0; i < s->bodies; ++i) {
        low = fmin(low, s->body[i].x[2]);
        high = fmax(high, s->body[i].x[2]);
        volume += s->body[i].volume / s->bodies;
    }
    for (int i = 0; i < s->bodies; ++i) {
        // equal densities; or random ones, heavy above, heavy below, one heavy body. The masses are
        // about a kilogram: then impulses and velocities are of similar size, and the natural map
        // measures both
        const double at = high > low ? (s->body[i].x[2] - low) / (high - low) : 0;
        const double share[] = {rng_unit(r), at, 1 - at, i == odd};
        s->body[i].mass =
            ratio > 1 ? root_power(ratio, share[how]) / sqrt(ratio) : s->body[i].volume / volume;
    }
}

static void roughen(scene *s, rng *r)
{
    static const double constant[] = {0.1, 0.3, 0.5, 0.7, 0.8, 1};
    const int how = rng_int(r, 8);
    const bool slick = rng_int(r, 8) == 0; // some contacts have a normal row only
    const double mu = constant[rng_int(r, 6)];
    for (int i = 0; i < s->links; ++i) {
        scene_link *k = &s->link[i];
        const double x = rng_unit(r), y = rng_unit(r);
        if (k->kind > SCENE_NORMAL) continue;
        if (slick && k->kind == SCENE_CONTACT && y < 0.3) {
            k->kind = SCENE_NORMAL;
            continue;
        }
        k->mu = mu;
        if (how == 0) k->mu = 0;
        if (how == 1) k->mu = 0.1 * x;
        if (how == 2) k->mu = y < 0.3 ? 0 : x;
        if (how == 3 || how == 4) k->mu = 0.1 + 0.9 * x;
        if (how == 5) k->mu = 0.6 + 0.4 * x;
    }
}

// ---- H, M ---------------------------------------------------------------------------------------

// the row of one body for direction d at P: u = d . (v + omega x GP), omega in inertial axes
static void fill_row(const scene_body *b, const double P[3], const double d[3], double sign,
                     int rows, double *at)
{
    const double l[3] = {P[0] - b->x[0], P[1] - b->x[1], P[2] - b->x[2]};
    for (int c = 0; c < 3; ++c) {
        const int i = (c + 1) % 3, j = (c + 2) % 3;
        at[rows * c] = sign * d[c];
        at[rows * (3 + c)] = sign * (l[i] * d[j] - l[j] * d[i]);
    }
}

static void fill_block(const scene *s, const scene_link *k, int body, double sign, double *val)
{
    const int rows = scene_rows(k->kind);
    for (int a = 0; a < rows && a < 3; ++a) {
        fill_row(&s->body[body], k->P, k->F + 3 * a, sign, rows, val + a);
    }
    for (int a = 3; a < rows; ++a) {
        for (int c = 0; c < 3; ++c) {
            val[a + rows * (3 + c)] = sign * k->F[3 * (a - 2) + c];
        }
    }
}

static void assemble(const scene *s, family_member *m)
{
    family_memory *mem = m->memory;
    const size_t nb = (size_t)s->links, bodies = (size_t)s->bodies;
    pcs_block *block = take(mem, nb, sizeof *block);
    pcs_bsr *H = &m->g.H;
    *H = (pcs_bsr){.m = s->links, .n = s->bodies};
    H->row = take(mem, nb + 1, sizeof *H->row);
    H->col = take(mem, bodies + 1, sizeof *H->col);
    H->ptr = take(mem, nb + 1, sizeof *H->ptr);
    H->idx = take(mem, 2 * nb, sizeof *H->idx);
    H->off = take(mem, 2 * nb, sizeof *H->off);
    H->val = take(mem, 60 * nb, sizeof *H->val);

    int nz = 0, row = 0;
    size_t at = 0;
    for (int i = 0; i < s->links; ++i) {
        static const pcs_cone cone[] = {PCS_CONE_COULOMB, PCS_CONE_COULOMB, PCS_CONE_UNILATERAL,
                                        PCS_CONE_EQUALITY, PCS_CONE_EQUALITY};
        const scene_link *k = &s->link[i];
        const int rows = scene_rows(k->kind);
        block[i] = (pcs_block){.cone = cone[k->kind], .row = row, .dim = rows};
        if (block[i].cone == PCS_CONE_COULOMB) block[i].mu = k->mu;
        H->row[i] = row;
        H->ptr[i] = nz;
        for (int side = 0; side < 2; ++side) {
            // the body with the lower number first
            const bool first = (side == 0) == (k->a < k->b);
            const int body = first ? k->a : k->b;
            if (body < 0) continue;
            H->idx[nz] = body;
            H->off[nz++] = at;
            fill_block(s, k, body, first ? 1 : -1, H->val + at);
            at += 6 * (size_t)rows;
        }
        row += rows;
    }
    H->row[s->links] = row;
    H->ptr[s->links] = nz;
    m->g.nb = s->links;
    m->g.block = block;

    double *M = take(mem, 36 * bodies, sizeof *M);
    int *size = take(mem, bodies, sizeof *size);
    for (int b = 0; b < s->bodies; ++b) {
        const scene_body *p = &s->body[b];
        H->col[b + 1] = 6 * (b + 1);
        size[b] = 6;
        for (int i = 0; i < 3; ++i) {
            M[36 * b + 7 * i] = p->mass;
            for (int j = 0; j < 3; ++j) {
                double J = 0;
                for (int k = 0; k < 3; ++k) {
                    J += p->R[3 * k + i] * p->inertia[k] * p->R[3 * k + j];
                }
                M[36 * b + 3 + i + 6 * (3 + j)] = p->mass * J;
            }
        }
    }
    m->M = M;
    ok(pcs_mass_matrix_create_blocks(NULL, s->bodies, size, M, &mem->mass));
    m->g.M = mem->mass;
}

// ---- f, w ---------------------------------------------------------------------------------------

// v: the velocities before, 6 per body
static void set_load(const scene *s, family_member *m, rng *r)
{
    const int bodies = s->bodies, rows = m->g.H.row[s->links];
    double *f = take(m->memory, 6 * (size_t)bodies, sizeof *f);
    double *w = take(m->memory, (size_t)rows, sizeof *w);
    double *v = take(m->memory, 6 * (size_t)bodies, sizeof *v);
    m->g.f = f;
    m->g.w = w;

    double side[3],
        slope = m->load == FAMILY_SLIDE ? rng_between(r, 0.2, 1.2) * (0.1 + m->mu[1]) : 0;
    rng_direction(r, side);
    const double hg = step * gravity, fall = m->load == FAMILY_IMPACT ? 1 : 0;
    const double push = m->load == FAMILY_PUSH ? 2 : 0;
    for (int b = 0; b < bodies; ++b) {
        const double *M = m->M + 36 * b;
        double d[2][3], *fb = f + 6 * b, *vb = v + 6 * b;
        for (int k = 0; k < 2; ++k) {
            rng_direction(r, d[k]);
        }
        const double much = push * rng_unit(r), size = s->body[b].half[0];
        for (int c = 0; c < 3; ++c) {
            vb[c] = fall * (0.3 * side[c] + 0.3 * d[0][c] - s->up[c]);
            vb[3 + c] = fall * d[1][c];
            fb[c] = M[0] * (vb[c] + hg * (slope * side[c] - s->up[c] + much * d[0][c]));
            fb[3 + c] = 0.3 * M[0] * hg * size * much * d[1][c];
        }
        for (int i = 0; i < 9; ++i) {
            fb[3 + i % 3] += M[3 + i % 3 + 6 * (3 + i / 3)] * vb[3 + i / 3];
        }
    }

    if (m->load == FAMILY_IMPACT) {
        static const double restitution[] = {0, 0.3, 0.5, 0.9};
        m->e = restitution[rng_int(r, 4)];
        pcs_bsr_mul(&m->g.H, v, w);
    }
    for (int i = 0; i < s->links; ++i) {
        const scene_link *k = &s->link[i];
        for (int c = 0; c < scene_rows(k->kind); ++c) {
            double *wi = &w[m->g.block[i].row + c];
            *wi = c == 0 && k->kind <= SCENE_NORMAL && *wi < 0 ? m->e * *wi : 0;
            if (m->load != FAMILY_SHAKE || k->b >= 0 || c > 2) continue;
            for (int j = 0; j < 3; ++j) {
                *wi -= 0.2 * side[j] * k->F[3 * c + j];
            }
        }
    }
}

// r and u of one contact: open, stick or slide; some on the boundary between two
static void draw_pair(const pcs_block *b, double size, double speed, rng *r, double *ri, double *ui)
{
    const double mode = rng_unit(r), digits = 1 + rng_unit(r);
    const double amount = ldexp(digits, rng_int(r, 6) - 4);
    double d[3];
    rng_direction(r, d);
    if (b->cone == PCS_CONE_EQUALITY) {
        for (int c = 0; c < b->dim; ++c) {
            ri[c] = size * rng_between(r, -1, 1);
        }
        return;
    }
    if (mode < 0.3) {
        ui[0] = mode < 0.28 ? speed * amount : 0;
    } else {
        ri[0] = size * amount;
    }
    if (b->cone == PCS_CONE_UNILATERAL) return;
    const double plane = b->dim == 2 ? fabs(d[1]) : sqrt(d[1] * d[1] + d[2] * d[2]);
    const double inside = mode < 0.34 ? 1 : 0.9 * rng_unit(r), slip = speed * (0.1 + rng_unit(r));
    for (int c = 1; c < b->dim; ++c) {
        const double t = d[c] / plane;
        if (mode >= 0.3) ri[c] = b->mu * ri[0] * t * (mode < 0.65 ? inside : 1);
        if (mode < 0.28) ui[c] = slip * t;
        if (mode >= 0.65 || (b->mu == 0 && mode >= 0.3)) ui[c] = -slip * t;
    }
}

static void plant(const scene *s, family_member *m, rng *r)
{
    const int rows = m->g.H.row[s->links];
    double *ri = take(m->memory, (size_t)rows, sizeof *ri),
           *w = take(m->memory, (size_t)rows, sizeof *w);
    double *u = take(m->memory, (size_t)rows, sizeof *u),
           *v = take(m->memory, 6 * (size_t)s->bodies, sizeof *v);
    for (int i = 0; i < s->links; ++i) {
        const scene_link *k = &s->link[i];
        double mass = s->body[k->a].mass;
        if (k->b >= 0) mass = fmin(mass, s->body[k->b].mass);
        const int row = m->g.block[i].row;
        draw_pair(&m->g.block[i], step * gravity * mass, step * gravity, r, ri + row, u + row);
    }
    ok(pcs_global_velocity(&m->g, ri, v));
    pcs_bsr_mul(&m->g.H, v, w);
    for (int i = 0; i < rows; ++i) {
        w[i] = u[i] - w[i];
    }
    m->g.w = w;
    m->r = ri;
}

// ---- a member -----------------------------------------------------------------------------------

static void describe(const scene *s, family_member *m, const scene_recipe *recipe)
{
    m->kind = recipe->name;
    m->bodies = s->bodies;
    m->mu[0] = 1e300;
    for (int i = 0; i < s->links; ++i) {
        const scene_link *k = &s->link[i];
        if (k->kind > SCENE_NORMAL) continue;
        m->contacts += 1;
        if (k->kind == SCENE_NORMAL) continue;
        m->mu[0] = fmin(m->mu[0], k->mu);
        m->mu[1] = fmax(m->mu[1], k->mu);
    }
    if (m->mu[0] > m->mu[1]) m->mu[0] = m->mu[1];
    m->mass[0] = m->mass[1] = s->body[0].mass;
    for (int b = 0; b < s->bodies; ++b) {
        m->mass[0] = fmin(m->mass[0], s->body[b].mass);
        m->mass[1] = fmax(m->mass[1], s->body[b].mass);
    }
    bool *touched = calloc((size_t)s->bodies, sizeof *touched);
    if (!touched) abort();
    for (int i = 0; i < 2 * s->links; ++i) {
        const int b = i % 2 ? s->link[i / 2].b : s->link[i / 2].a;
        if (b < 0 || touched[b]) continue;
        touched[b] = true;
        m->freedom += recipe->planar ? 3 : 6;
    }
    free(touched);
}

void family_create(int i, family_member *out)
{
    const scene_recipe *recipe = NULL;
    int size, number;
    *out = (family_member){0};
    if (!find(i, PASSES, &recipe, &size, &number)) abort();
    out->memory = calloc(1, sizeof *out->memory);
    if (!out->memory) abort();

    // the seed is the number of the member; the first draws decide the variant
    rng r = {(uint64_t)(7919 * (i + 1))};
    out->load = (family_load)rng_int(&r, FAMILY_LOADS);
    out->planted = rng_int(&r, 6) == 0 || recipe->wedged;

    scene s;
    scene_init(&s);
    recipe->build(&s, size, &r);
    weigh(&s, &r);
    roughen(&s, &r);
    if (!out->planted) scene_open(&s);
    double R[9];
    rng_rotation(&r, R);
    scene_turn(&s, R, &r);

    describe(&s, out, recipe);
    static const char *const draws[] = {"", "b", "c"};
    snprintf(out->name, sizeof out->name, "%s-%d%s", recipe->name, size, draws[number - 1]);
    assemble(&s, out);
    set_load(&s, out, &r);
    if (out->planted) {
        plant(&s, out, &r);
    } else {
        double *away = take(out->memory, 6 * (size_t)s.bodies, sizeof *away);
        for (int b = 0; b < s.bodies; ++b) {
            memcpy(away + 6 * b, s.body[b].away, sizeof s.body[b].away);
        }
        out->away = away;
    }
    scene_free(&s);
}

void family_condense(family_member *m)
{
    pcs_arena *arena = &m->memory->W;
    pcs_status status = PCS_ERR_MEMORY;
    size_t demand = 1 << 16;
    for (int tries = 0; tries < 10 && status == PCS_ERR_MEMORY; ++tries) {
        size_t peak = 0;
        pcs_arena_destroy(NULL, arena);
        ok(pcs_arena_create(NULL, demand, arena));
        pcs_arena scope = *arena;
        scope.peak = &peak;
        status = pcs_global_condense(&m->g, &scope, &m->p);
        demand = peak > demand ? peak : 2 * demand;
    }
    ok(status);
}

int family_rank(const family_member *m)
{
    // Cholesky with pivots on the diagonal, W scaled to a diagonal of ones
    const size_t n = (size_t)m->p.n;
    const double least = 1e-10;
    double *A = calloc(n * n + 2 * n + 1, sizeof *A);
    if (!A) return -1;
    double *scale = A + n * n, *left = scale + n;
    pcs_bsr_to_dense(&m->p.W, A);
    for (size_t i = 0; i < n; ++i) {
        scale[i] = A[i * (n + 1)] > 0 ? 1 / sqrt(A[i * (n + 1)]) : 0;
        left[i] = A[i * (n + 1)] > 0 ? 1 : 0;
    }
    for (size_t k = 0; k < n * n; ++k) {
        A[k] *= scale[k % n] * scale[k / n];
    }
    int rank = 0;
    for (;; ++rank) {
        size_t best = 0;
        for (size_t i = 1; i < n; ++i) {
            if (left[i] > left[best]) best = i;
        }
        if (n == 0 || !(left[best] > least)) break;

        // the column of the pivot, reduced; the matrix is updated in the remaining rows
        const double pivot = A[best * (n + 1)];
        left[best] = 0;
        for (size_t j = 0; j < n; ++j) {
            if (!(left[j] > least)) continue;
            const double t = A[best + n * j] / pivot;
            if (t == 0) continue;
            for (size_t i = 0; i < n; ++i) {
                if (left[i] > least) A[i + n * j] -= t * A[i + n * best];
            }
        }
        for (size_t i = 0; i < n; ++i) {
            if (left[i] > least) left[i] = A[i * (n + 1)];
        }
    }
    free(A);
    return rank;
}

static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    // FNV-1a
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; ++i) {
        h = (h ^ p[i]) * 1099511628211u;
    }
    return h;
}

uint64_t family_hash(const family_member *m)
{
    const pcs_bsr *H = &m->g.H;
    const int rows = H->row[H->m], nz = H->ptr[H->m];
    uint64_t h = hash(14695981039346656037u, m->name, sizeof m->name);
    h = hash(h, H->row, sizeof(int) * (size_t)(H->m + 1));
    h = hash(h, H->idx, sizeof(int) * (size_t)nz);
    for (int i = 0; i < H->m; ++i) {
        const pcs_block *b = &m->g.block[i];
        h = hash(h, &b->mu, sizeof b->mu);
        h = hash(h, &b->cone, sizeof b->cone);
    }
    h = hash(h, H->val, sizeof(double) * (H->off[nz - 1]));
    h = hash(h, m->M, 36 * sizeof(double) * (size_t)m->bodies);
    h = hash(h, m->g.f, 6 * sizeof(double) * (size_t)m->bodies);
    return hash(h, m->g.w, sizeof(double) * (size_t)rows);
}

void family_destroy(family_member *m)
{
    if (!m->memory) return;
    for (int i = 0; i < m->memory->n; ++i) {
        free(m->memory->pointer[i]);
    }
    pcs_mass_matrix_destroy(m->memory->mass);
    pcs_arena_destroy(NULL, &m->memory->W);
    free(m->memory);
    *m = (family_member){0};
}
