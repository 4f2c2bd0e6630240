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

// a projection longer than this part of the row is not zero
#define GROWS 1e-6

// ---- the shortest ------------------------------------------------------------------------------

// x of the shortest; the error of W x' = W x
static double shorten(range *x)
{
    const int n = x->f.n;
    memcpy(x->x, x->x0, (size_t)n * sizeof *x->x);
    if (x->k == 0) return 0;
    pcs_arena scratch = x->scratch;
    double *omega = PCS_TAKE(&scratch, (size_t)n, double), most = 0;
    if (!omega) return INFINITY;
    // the square of an impulse is x^2 / s
    for (int b = 0; b < x->f.p->nb; ++b) {
        for (int c = 0; c < face_columns(&x->f, b); ++c) {
            omega[x->f.first[b] + c] = x->f.s[x->f.p->block[b].row + c];
            most = fmax(most, omega[x->f.first[b] + c]);
        }
    }
    for (int j = 0; j < n; ++j) {
        omega[j] /= most;
    }
    return range_project(x, NULL, omega, false, scratch, x->x);
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
    for (int c = 0; c < x->k; ++c) {
        x->c[c] = sign * x->Z[(size_t)j + (size_t)x->f.n * (size_t)c];
    }
    return range_length(x, j);
}

// the part of -c, of length `length`, that grows without bound; NAN where it was not found
static double growth(range *x, double length)
{
    const int n = x->f.n;
    dense_mul(n, x->k, -1 / length, x->Z, x->c, 0, x->x);
    if (!(range_project(x, x->x, NULL, true, x->scratch, x->y) <= RANGE_FOUND)) return NAN;
    return sqrt(dense_dot(n, x->y, x->y));
}

// true when some normal impulse has no upper bound
static bool wedges(range *x)
{
    memset(x->c, 0, (size_t)x->k * sizeof *x->c);
    for (int b = 0; b < x->f.p->nb; ++b) {
        if (x->f.verdict[b].allowed == ALLOW_ALL || face_columns(&x->f, b) == 0) continue;
        for (int c = 0; c < x->k; ++c) {
            x->c[c] -= x->Z[(size_t)x->f.first[b] + (size_t)x->f.n * (size_t)c];
        }
    }
    const double length = sqrt(dense_dot(x->k, x->c, x->c));
    return length > RANGE_ROW && !(growth(x, length) <= GROWS);
}

// the least limit of a box that may change, in the units of x; infinite: none
static double least_limit(const range *x)
{
    double least = INFINITY;
    for (int b = 0; b < x->f.p->nb; ++b) {
        const pcs_block *k = &x->f.p->block[b];
        if (k->cone != PCS_CONE_BOX || face_columns(&x->f, b) == 0) continue;
        least = fmin(least, k->mu * sqrt(x->f.s[k->row]));
    }
    return least;
}

// the smallest (sign 1) or minus the largest value of column j, where impulses have this size; NAN
// where it was not found
static double extreme_of(range *x, double sign, int j, double size)
{
    const double length = aim(x, sign, j), here = sign * x->x0[j];
    for (int c = 0; c < x->k; ++c) {
        x->c[c] /= length;
    }
    range_fill(x, size);
    if (!(cone_program_solve(&x->program, x->scratch, x->y, NULL) <= RANGE_FOUND)) return NAN;
    double change = 0;
    for (int c = 0; c < x->k; ++c) {
        change += size * length * x->c[c] * x->y[c];
    }
    return here + fmin(change, 0);
}

// The smallest (sign 1) or minus the largest value of column j. Impulses may be far larger than
// those of r where boxes limit them, which then give the size
static double extreme(range *x, double sign, int j)
{
    const double size[2] = {x->size, least_limit(x)};
    double value = sign * x->x0[j];
    for (int k = 0; k < 2; ++k) {
        if (!(size[k] > 0) || !isfinite(size[k])) continue;
        value = extreme_of(x, sign, j, size[k]);
        if (!isnan(value)) break;
    }
    return value;
}

static void find_interval(range *x, int b, bool wedged, double *low, double *high)
{
    const face *f = &x->f;
    const pcs_block *k = &f->p->block[b];
    const int j = f->first[b];
    *low = *high = k->cone == PCS_CONE_EQUALITY || k->cone == PCS_CONE_BOX ? NAN : 0;
    if (isnan(*low) || face_columns(f, b) == 0) return;

    // r_N of one unit of the column
    const double mu = f->verdict[b].allowed == ALLOW_RAY ? k->mu : 0;
    const double unit = 1 / (hypot(1, mu) * sqrt(f->s[k->row]));
    *low = *high = unit * x->x0[j];
    if (x->k == 0 || !(range_length(x, j) > RANGE_ROW)) return;

    const double least = extreme(x, 1, j);
    *low = isnan(least) ? NAN : unit * fmax(least, 0);
    const double grows = wedged ? growth(x, aim(x, -1, j)) : 0;
    *high = isnan(grows) ? NAN : grows > GROWS ? INFINITY : -unit * extreme(x, -1, j);
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
