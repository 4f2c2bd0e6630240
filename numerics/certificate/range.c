// The impulses that do not change the velocities, in coordinates; see range.h.
#include "certificate/range.h"

#include <string.h>

#include "linalg/dense.h"

// rows of the program: one for each row of the problem, and a second one for each box
static size_t most_rows(const pcs_problem *p)
{
    return (size_t)p->n + (size_t)p->nb;
}

static size_t range_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, m = most_rows(p);
    const size_t rank = dense_null_bytes(p->n) + 2 * n * n * sizeof(double) + 192;
    const size_t program = cone_program_bytes((int)m, p->n, 2 * p->nb);
    const size_t projection = range_project_bytes(p->n), more = rank > program ? rank : program;
    return certificate_face_bytes(p) + (more > projection ? more : projection) +
           (3 * n * n + m * n + 4 * n + 2 * m) * sizeof(double) + (n + 3 * m) * sizeof(int) +
           20 * 64;
}

static bool range_take(range *x, const pcs_problem *p, pcs_arena *a)
{
    const size_t n = (size_t)p->n, m = most_rows(p);
    TAKE_DOUBLES(a, n * n, &x->A, &x->Z, &x->Q);
    TAKE_DOUBLES(a, n, &x->x0, &x->x, &x->c, &x->y);
    TAKE_DOUBLES(a, m, &x->h, &x->factor);
    x->G = PCS_TAKE(a, m * n, double);
    x->place = PCS_TAKE(a, n, int);
    x->dim = PCS_TAKE(a, 2 * (size_t)p->nb, int);
    x->column = PCS_TAKE(a, m, int);
    return x->A && x->Z && x->Q && x->x0 && x->x && x->c && x->y && x->h && x->factor && x->G &&
           x->place && x->dim && x->column;
}

// A and Z; false when they were not found
static bool find_directions(range *x)
{
    const size_t n = (size_t)x->f.p->n;
    pcs_arena scratch = x->scratch;
    double *W = PCS_TAKE(&scratch, n * n, double), *copy = PCS_TAKE(&scratch, n * n, double);
    if (!W || !copy) return false;
    face_matrix(&x->f, x->place, W);
    face_apply(&x->f, W, x->A);
    memcpy(copy, x->A, n * (size_t)x->f.n * sizeof *copy);
    const int rank = dense_null((int)n, x->f.n, copy, x->Z, x->f.rcond, scratch);
    x->k = x->f.n - rank;
    return rank >= 0;
}

static void put_cone(range *x, int dim)
{
    x->dim[x->program.nb++] = dim;
}

// adds a row: factor times column j of the face, and more
static void put_row(range *x, double size, double factor, int j, double more)
{
    const int i = x->program.m++;
    x->column[i] = j;
    x->factor[i] = factor;
    x->h[i] = size > 0 ? factor * (x->x0[j] / size) + more / size : 0;
}

// the rows of a block: of length 1 in y, or with constants of size 1 where these are larger
static void put_block(range *x, double size, int b)
{
    const face *f = &x->f;
    const pcs_block *k = &f->p->block[b];
    const int j = f->first[b], d = face_columns(f, b);
    const bool box = k->cone == PCS_CONE_BOX, cone = f->verdict[b].allowed == ALLOW_CONE;
    if (d == 0 || (box ? !isfinite(k->mu) : f->verdict[b].allowed == ALLOW_ALL)) return;

    const double most = box ? k->mu * sqrt(f->s[k->row]) : 0;
    double unit = 0, here = most;
    for (int i = j; i < j + d; ++i) {
        unit = fmax(unit, range_length(x, i));
        here = fmax(here, fabs(x->x0[i]));
    }
    if (!(unit > RANGE_ROW)) return;
    if (size > 0) unit = fmax(unit, here / size);
    if (box) {
        // |r| <= mu
        for (int side = -1; side <= 1; side += 2) {
            put_row(x, size, side / unit, j, most / unit);
            put_cone(x, 1);
        }
        return;
    }
    // (mu x_N, x_T), the larger factor 1, lies in the self-dual cone
    const double large = k->mu > 1 ? k->mu : 1;
    for (int c = 0; c < d; ++c) {
        put_row(x, size, (!cone ? 1 : c == 0 ? k->mu / large : 1 / large) / unit, j + c, 0);
    }
    put_cone(x, d);
}

void range_fill(range *x, double size)
{
    x->program = (cone_program){.k = x->k, .dim = x->dim, .G = x->G, .h = x->h, .c = x->c};
    for (int b = 0; b < x->f.p->nb; ++b) {
        put_block(x, size, b);
    }
    const size_t m = (size_t)x->program.m;
    for (size_t i = 0; i < m; ++i) {
        for (int c = 0; c < x->k; ++c) {
            x->G[i + m * (size_t)c] =
                x->factor[i] * x->Z[(size_t)x->column[i] + (size_t)x->f.n * (size_t)c];
        }
    }
}

double range_length(const range *x, int j)
{
    double sum = 0;
    for (int c = 0; c < x->k; ++c) {
        const double z = x->Z[(size_t)j + (size_t)x->f.n * (size_t)c];
        sum += z * z;
    }
    return sqrt(sum);
}

static double largest(const face *f, const double *x0, const double *also)
{
    double size = 0;
    for (int i = 0; i < f->n; ++i) {
        size = fmax(size, fabs(x0[i]));
    }
    for (int i = 0; also && i < f->p->n; ++i) {
        size = fmax(size, sqrt(f->s[i]) * fabs(also[i]));
    }
    return size;
}

// every normal impulse and every one of an equality, whatever the velocities
static void allow_normals(face *f)
{
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_cone cone = f->p->block[b].cone;
        f->verdict[b].allowed = cone == PCS_CONE_EQUALITY ? ALLOW_ALL
                                : cone == PCS_CONE_BOX    ? ALLOW_NOTHING
                                                          : ALLOW_NORMAL;
    }
    face_number(f);
}

static pcs_status range_begin(const pcs_env *env, range *x, const pcs_problem *p,
                              const range_request *q, pcs_arena *arena)
{
    PCS_TRY(certificate_face(env, p, q->tol, q->r, arena, &x->f));
    if (!range_take(x, p, arena)) return pcs_fail_memory("certificate");
    x->scratch = *arena;
    if (q->scale) memcpy(x->f.s, q->scale, (size_t)p->n * sizeof *q->scale);
    if (q->normals) allow_normals(&x->f);
    if (q->rank > 0) x->f.rcond = q->rank;
    if (!find_directions(x)) {
        return pcs_fail(PCS_ERR_SINGULAR, "certificate: the null space could not be computed");
    }
    face_enter(&x->f, q->r, x->x0);
    x->size = largest(&x->f, x->x0, q->also);
    range_fill(x, x->size);
    return PCS_OK;
}

pcs_status range_open(const pcs_env *env, const pcs_problem *p, const range_request *q,
                      pcs_arena *arena, range *x)
{
    PCS_TRY(certificate_check(p, q->tol, q->r, q->out, q->too));
    if (p->n > CERTIFICATE_ROWS) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "certificate: %d rows; a cone program takes at most %d", p->n,
                        CERTIFICATE_ROWS);
    }
    PCS_TRY(pcs_arena_create(env, range_bytes(p) + q->more, arena));
    pcs_arena scope = *arena;
    return range_begin(env, x, p, q, &scope);
}

void range_weigh(range *x, const double *V)
{
    const size_t n = (size_t)x->f.n, k = (size_t)x->k;
    // Z is scaled in place, and scaled back at the end
    for (size_t i = 0; i < n * k; ++i) {
        x->Z[i] *= sqrt(V[i % n]);
    }
    dense_mul_dense(true, false, x->k, x->k, x->f.n, 1, x->Z, x->Z, 0, x->Q);
    for (size_t i = 0; i < n * k; ++i) {
        x->Z[i] /= sqrt(V[i % n]);
    }
    x->program.Q = x->Q;
}

void range_aim(range *x, const double *g)
{
    dense_mul_dense(true, false, x->k, 1, x->f.n, 1 / x->size, x->Z, g, 0, x->c);
}

void range_point(range *x)
{
    memcpy(x->x, x->x0, (size_t)x->f.n * sizeof *x->x);
    dense_mul(x->f.n, x->k, x->size, x->Z, x->y, 1, x->x);
}
