// The impulses that do not change the velocities (certificate/range.h): the shortest minimises |r|,
// the interval of a normal impulse is the range of one row.
// Another program, which always has one solution, decides whether that range is bounded: a row c
// has no upper bound on the set exactly when it grows along a direction Z y in the cones, that is
// when the projection of Z' c on { y : Z y in the cones } is not zero.
#include <percuss/certificate.h>

#include <string.h>

#include "certificate/range.h"
#include "cone/cone.h"
#include "linalg/dense.h"

// a projection longer than this part of the row is not zero; rows shorter than ROW are zero
#define GROWS 1e-5
#define ROW   1e-9

// ---- the shortest ------------------------------------------------------------------------------

// the squares of the factors from x to impulses, the largest 1
static void weigh(const face *f, double *V)
{
    double least = INFINITY;
    for (int b = 0; b < f->p->nb; ++b) {
        for (int c = 0; c < face_columns(f, b); ++c) {
            const double s = f->s[f->p->block[b].row + c];
            V[f->first[b] + c] = s;
            if (s < least) least = s;
        }
    }
    for (int j = 0; j < f->n; ++j) {
        V[j] = least / V[j];
    }
}

static double shorten(range *x)
{
    const int n = x->f.n;
    memcpy(x->x, x->x0, (size_t)n * sizeof *x->x);
    if (x->k == 0 || !(x->size > 0)) return 0;
    pcs_arena scratch = x->scratch;
    double *V = PCS_TAKE(&scratch, (size_t)n, double);
    if (!V) return INFINITY;
    weigh(&x->f, V);
    range_weigh(x, V);
    for (int j = 0; j < n; ++j) {
        V[j] *= x->x0[j];
    }
    range_aim(x, V);
    const double missed = cone_program_solve(&x->program, scratch, x->y, NULL);
    range_point(x);
    return missed;
}

pcs_status pcs_certificate_least_impulse(const pcs_env *env, const pcs_problem *p, double tol,
                                         const double *r, double *least)
{
    pcs_arena arena = {0};
    range x = {0};
    const range_request q = {.tol = tol,
                             .r = r,
                             .out = least,
                             .too = least,
                             .more = p ? (size_t)p->n * sizeof(double) + 64 : 0};
    pcs_status done = range_open(env, p, &q, &arena, &x);
    if (done == PCS_OK) {
        const bool found = shorten(&x) <= RANGE_FOUND;
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
    cone_program_solve(&cone, x->scratch, x->y, NULL);
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
    if (!(cone_program_solve(&x->program, x->scratch, x->y, NULL) <= RANGE_FOUND)) return NAN;
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
    const range_request q = {.tol = tol, .r = r, .out = low, .too = high};
    pcs_status done = range_open(env, p, &q, &arena, &x);
    if (done == PCS_OK) {
        const bool wedged = x.k > 0 && wedges(&x);
        for (int b = 0; b < p->nb; ++b) {
            find_interval(&x, b, wedged, &low[b], &high[b]);
        }
    }
    pcs_arena_destroy(env, &arena);
    return done;
}
