// The impulses that do not change the velocities: on the face (certificate/face.h) all
//
//     x = x0 + Z y,   Z an orthonormal basis of A z = 0,   x in the cones of the face
//
// The shortest of them minimises |R x|, the interval of a normal impulse is the range of one row.
// Another program, which always has one solution, decides whether that range is bounded: a row c
// has no upper bound on the set exactly when it grows along a direction Z y in the cones, that is
// when the projection of Z' c on { y : Z y in the cones } is not zero.
#include <percuss/certificate.h>

#include <string.h>

#include "certificate/cone_program.h"
#include "certificate/face.h"
#include "cone/cone.h"
#include "linalg/dense.h"

// largest error of the conditions of a program that counts as solved
#define FOUND 1e-7
// a projection longer than this part of the row is not zero; rows shorter than ROW are zero
#define GROWS 1e-5
#define ROW   1e-9

typedef struct range {
    face f;
    double *x0, *x;   // columns
    double *Z;        // columns x k
    int k;            // directions
    double size;      // largest |x0|
    int *dim, *place; // cones of the program, rows scratch
    double *G, *h;    // G and h of the program
    double *zero;     // zeros, as long as h
    double *Q, *c, *y;
    cone_program program;
    pcs_arena scratch;
} range;

static size_t range_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, rank = dense_null_bytes(p->n) + 2 * n * n * sizeof(double) + 192;
    const size_t program = cone_program_bytes(p->n, p->n, p->nb);
    return certificate_face_bytes(p) + (rank > program ? rank : program) +
           (3 * n * n + 6 * n) * sizeof(double) + (n + (size_t)p->nb) * sizeof(int) + 16 * 64;
}

static bool range_take(range *x, const pcs_problem *p, pcs_arena *a)
{
    const size_t n = (size_t)p->n;
    x->Z = PCS_TAKE(a, n * n, double);
    x->G = PCS_TAKE(a, n * n, double);
    x->Q = PCS_TAKE(a, n * n, double);
    double **const vector[] = {&x->x0, &x->x, &x->h, &x->zero, &x->c, &x->y};
    bool good = x->Z && x->G && x->Q;
    for (size_t i = 0; i < sizeof vector / sizeof *vector; ++i) {
        good = (*vector[i] = PCS_TAKE(a, n, double)) && good;
    }
    x->place = PCS_TAKE(a, n, int);
    x->dim = PCS_TAKE(a, (size_t)p->nb, int);
    return good && x->place && x->dim;
}

// Z; false when it was not found
static bool find_directions(range *x)
{
    const size_t n = (size_t)x->f.p->n;
    pcs_arena scratch = x->scratch;
    double *W = PCS_TAKE(&scratch, n * n, double), *A = PCS_TAKE(&scratch, n * n, double);
    if (!W || !A) return false;
    face_matrix(&x->f, x->place, W);
    face_apply(&x->f, W, A);
    const int rank = dense_null((int)n, x->f.n, A, x->Z, x->f.rcond, scratch);
    x->k = x->f.n - rank;
    return rank >= 0;
}

// row i of the program is `factor` times column j of the face
static void put_row(range *x, int m, int i, double factor, int j)
{
    x->h[i] = x->size > 0 ? factor * (x->x0[j] / x->size) : 0;
    for (int c = 0; c < x->k; ++c) {
        x->G[(size_t)i + (size_t)m * (size_t)c] =
            factor * x->Z[(size_t)j + (size_t)x->f.n * (size_t)c];
    }
}

static void fill_program(range *x)
{
    const pcs_problem *p = x->f.p;
    int m = 0, nb = 0;
    for (int b = 0; b < p->nb; ++b) {
        if (x->f.verdict[b].allowed == ALLOW_ALL || face_columns(&x->f, b) == 0) continue;
        x->dim[nb++] = face_columns(&x->f, b);
        m += face_columns(&x->f, b);
    }
    for (int b = 0, i = 0; b < p->nb; ++b) {
        if (x->f.verdict[b].allowed == ALLOW_ALL) continue;
        // (mu x_N, x_T), the larger factor 1, lies in the self-dual cone
        const double mu = p->block[b].mu, most = mu > 1 ? mu : 1;
        for (int c = 0; c < face_columns(&x->f, b); ++c, ++i) {
            const bool cone = x->f.verdict[b].allowed == ALLOW_CONE;
            put_row(x, m, i, !cone ? 1 : c == 0 ? mu / most : 1 / most, x->f.first[b] + c);
        }
    }
    memset(x->zero, 0, (size_t)m * sizeof *x->zero);
    x->program =
        (cone_program){.k = x->k, .nb = nb, .dim = x->dim, .m = m, .G = x->G, .h = x->h, .c = x->c};
}

static pcs_status range_begin(range *x, const pcs_problem *p, double tol, const double *r,
                              pcs_arena *arena)
{
    PCS_TRY(certificate_face(p, tol, r, arena, &x->f));
    if (!range_take(x, p, arena)) return pcs_fail_memory("certificate");
    x->scratch = *arena;
    if (!find_directions(x)) {
        return pcs_fail(PCS_ERR_SINGULAR, "certificate: the null space could not be computed");
    }
    face_enter(&x->f, r, x->x0);
    for (int i = 0; i < x->f.n; ++i) {
        if (fabs(x->x0[i]) > x->size) x->size = fabs(x->x0[i]);
    }
    fill_program(x);
    return PCS_OK;
}

// checks, takes memory and finds the range of r; the caller destroys *arena, also after a failure
static pcs_status range_open(const pcs_env *env, const pcs_problem *p, double tol, const double *r,
                             const void *a, const void *b, pcs_arena *arena, range *x)
{
    PCS_TRY(certificate_check(p, tol, r, a, b));
    if (p->n > CERTIFICATE_ROWS) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "certificate: %d rows; impulses and intervals take at most %d", p->n,
                        CERTIFICATE_ROWS);
    }
    PCS_TRY(pcs_arena_create(env, range_bytes(p), arena));
    pcs_arena scope = *arena;
    return range_begin(x, p, tol, r, &scope);
}

// ---- the shortest ------------------------------------------------------------------------------

// Q = Z' V Z, c = Z' V x0 / size, V the squares of the factors from x to impulses
static void weigh(range *x)
{
    const face *f = &x->f;
    const size_t n = (size_t)f->n, k = (size_t)x->k;
    double least = INFINITY;
    for (int b = 0; b < f->p->nb; ++b) {
        for (int c = 0; c < face_columns(f, b); ++c) {
            const double s = f->s[f->p->block[b].row + c];
            x->x[f->first[b] + c] = s;
            if (s < least) least = s;
        }
    }
    // Z and x0 are scaled in place, and scaled back at the end
    for (size_t i = 0; i < n; ++i) {
        x->x[i] = sqrt(least / x->x[i]);
        for (size_t c = 0; c < k; ++c) {
            x->Z[i + n * c] *= x->x[i];
        }
        x->x0[i] *= x->x[i];
    }
    dense_mul_dense(true, false, x->k, x->k, f->n, 1, x->Z, x->Z, 0, x->Q);
    dense_mul_dense(true, false, x->k, 1, f->n, 1 / x->size, x->Z, x->x0, 0, x->c);
    for (size_t i = 0; i < n; ++i) {
        for (size_t c = 0; c < k; ++c) {
            x->Z[i + n * c] /= x->x[i];
        }
        x->x0[i] /= x->x[i];
    }
}

static double shorten(range *x)
{
    memcpy(x->x, x->x0, (size_t)x->f.n * sizeof *x->x);
    if (x->k == 0 || !(x->size > 0)) return 0;
    weigh(x);
    x->program.Q = x->Q;
    const double missed = cone_program_solve(&x->program, x->scratch, x->y);
    memcpy(x->x, x->x0, (size_t)x->f.n * sizeof *x->x);
    dense_mul(x->f.n, x->k, x->size, x->Z, x->y, 1, x->x);
    return missed;
}

pcs_status pcs_certificate_least_impulse(const pcs_env *env, const pcs_problem *p, double tol,
                                         const double *r, double *least)
{
    pcs_arena arena = {0};
    range x = {0};
    pcs_status done = range_open(env, p, tol, r, least, least, &arena, &x);
    if (done == PCS_OK) {
        const bool found = shorten(&x) <= FOUND;
        face_leave(&x.f, x.x, least);
        cone_project(p->nb, p->block, least);
        for (int i = 0; i < p->n && !found; ++i) {
            least[i] = NAN;
        }
    }
    pcs_arena_destroy(env, &arena);
    return done;
}

// ---- intervals ---------------------------------------------------------------------------------

// c = sign times row j of Z; its length
static double aim(range *x, double sign, int j)
{
    double sum = 0;
    for (int c = 0; c < x->k; ++c) {
        const double z = x->Z[(size_t)j + (size_t)x->f.n * (size_t)c];
        x->c[c] = sign * z;
        sum += z * z;
    }
    return sqrt(sum);
}

// true when c = -row, of length `length`, has no lower bound
static bool falls(range *x, double length)
{
    for (int i = 0; i < x->k; ++i) {
        x->c[i] /= length;
        for (int j = 0; j < x->k; ++j) {
            x->Q[i + (size_t)x->k * (size_t)j] = i == j;
        }
    }
    cone_program cone = x->program;
    cone.Q = x->Q;
    cone.h = x->zero;
    cone_program_solve(&cone, x->scratch, x->y);
    double along = 0;
    for (int i = 0; i < x->k; ++i) {
        along -= x->c[i] * x->y[i];
    }
    return along > GROWS;
}

// true when some normal impulse has no upper bound
static bool wedges(range *x)
{
    double sum = 0;
    memset(x->c, 0, (size_t)x->k * sizeof *x->c);
    for (int b = 0; b < x->f.p->nb; ++b) {
        if (x->f.verdict[b].allowed == ALLOW_ALL || face_columns(&x->f, b) == 0) continue;
        for (int c = 0; c < x->k; ++c) {
            x->c[c] -= x->Z[(size_t)x->f.first[b] + (size_t)x->f.n * (size_t)c];
        }
    }
    for (int c = 0; c < x->k; ++c) {
        sum += x->c[c] * x->c[c];
    }
    return sum > ROW * ROW && falls(x, sqrt(sum));
}

// the smallest (sign 1) or minus the largest value of column j, in the units of x0 / size
static double extreme(range *x, double sign, int j)
{
    const double length = aim(x, sign, j), here = sign * x->x0[j] / x->size;
    for (int c = 0; c < x->k; ++c) {
        x->c[c] /= length;
    }
    if (!(cone_program_solve(&x->program, x->scratch, x->y) <= FOUND)) return NAN;
    double value = here;
    for (int c = 0; c < x->k; ++c) {
        value += length * x->c[c] * x->y[c];
    }
    return value < here ? value : here;
}

static void find_interval(range *x, int b, bool wedged, double *low, double *high)
{
    const face *f = &x->f;
    const int j = f->first[b];
    if (f->verdict[b].allowed == ALLOW_ALL) {
        *low = *high = NAN;
        return;
    }
    *low = *high = 0;
    if (face_columns(f, b) == 0) return;

    // r_N of one unit of the column
    const double mu = f->verdict[b].allowed == ALLOW_RAY ? f->p->block[b].mu : 0;
    const double unit = 1 / (hypot(1, mu) * sqrt(f->s[f->p->block[b].row]));
    *low = *high = unit * x->x0[j];
    if (x->k == 0 || !(aim(x, 1, j) > ROW)) return;

    if (x->size > 0) {
        const double least = extreme(x, 1, j) * x->size;
        *low = isnan(least) ? NAN : unit * (least > 0 ? least : 0);
    }
    if (wedged && falls(x, aim(x, -1, j))) {
        *high = INFINITY;
    } else if (x->size > 0) {
        *high = -unit * extreme(x, -1, j) * x->size;
    }
}

pcs_status pcs_certificate_impulse_intervals(const pcs_env *env, const pcs_problem *p, double tol,
                                             const double *r, double *low, double *high)
{
    pcs_arena arena = {0};
    range x = {0};
    pcs_status done = range_open(env, p, tol, r, low, high, &arena, &x);
    if (done == PCS_OK) {
        const bool wedged = x.k > 0 && wedges(&x);
        for (int b = 0; b < p->nb; ++b) {
            find_interval(&x, b, wedged, &low[b], &high[b]);
        }
    }
    pcs_arena_destroy(env, &arena);
    return done;
}
