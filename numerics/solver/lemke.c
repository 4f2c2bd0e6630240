// Lemke's complementary pivoting for LCP and MLCP.
//
// On the reduced and scaled problem of pivot.h, every left-over equality written as a pair of
// opposite rows, w+ = a'x + c and w- = -(a'x + c), with y = y+ - y-, which is an equivalent LCP
// (w+ + w- = 0 forces both to vanish) and positive semidefinite if the reduced problem is:
//
//     w = A z + b + d z0,   z, w, z0 >= 0,   z_i w_i = 0,   d > 0 the covering vector
//
// Start: z = 0, z0 just large enough. Then the complement of the variable that left enters, until
// z0 leaves (a solution) or nothing blocks the entering variable (a ray). Ties of the ratio test
// are broken lexicographically, as if b_k were b_k + eps^k, so no basis comes twice. After
// Lemke (1965); Cottle, Pang, Stone (1992), chapter 4.
//
// If A is copositive-plus (positive semidefinite ones are) a ray proves that w >= 0, z >= 0 is
// empty. We ask for more than the theorem: the multipliers of the ray are checked as a Farkas
// certificate against the data. A ray that proves nothing leads to a linear programme that
// decides whether w >= 0, z >= 0 is empty, and, if it is not, to another covering vector.
//
// The dictionary is rebuilt from the data by LU when its solution has drifted, and the final basic
// solution is computed afresh from the data and refined.
#include <float.h>
#include <limits.h>
#include <string.h>

#include "linalg/dense.h"
#include "solver/pivot.h"
#include "solver/random.h"
#include "solver/solver.h"

// a coefficient below this part of the largest of its column, or below the rounding of the first
// dictionary, whose entries go up to about 1, does not block
#define PIVOT_TOL   1e-10
#define PIVOT_NOISE 1e-13
// rows that would be this close to zero after the step, relative to the largest value, tie
#define TIE_TOL 1e-13
// lexicographic entries that differ by less than this, relative to their size, are equal
#define LEX_TOL 1e-12
// error of the basic solution, relative to its largest value, above which the dictionary is rebuilt
#define DRIFT_TOL 1e-11
// pivots between two checks of the drift, the watch and the clock
#define LOOK_EVERY 32
// number of paths; the first few start from the basis of all w
#define TRIES      40
#define SAME_BASIS 6

typedef struct lemke {
    const pivot_problem *d;
    int n;         // size of the LCP: ni + 2 nl
    dict t;        // n rows; n + 1 nonbasic; codes z_i = i, w_i = n + i, z0 = 2 n
    int *place;    // by code: row if basic, -1 - column if not
    int *first;    // codes of the basis the path starts from
    double *cover; // d
    double *basis; // n x n, for LU
    int *piv, *tie;
    double *work;               // n
    double *yx;                 // nr: a solution or multipliers of the reduced problem
    double *r;                  // impulses of the problem
    unsigned char *rows, *cols; // flags by row and column of the problem
    uint64_t random;
    double scale; // largest basic value so far
    int pivots;
} lemke;

typedef enum lemke_end { LEMKE_SOLVED, LEMKE_RAY, LEMKE_LOST, LEMKE_LIMIT, LEMKE_ASKED } lemke_end;

static size_t work_bytes(const pcs_problem *p, const pcs_solver_opts *o)
{
    (void)o;
    int ne = 0;
    for (int b = 0; b < p->nb; ++b) {
        if (p->block[b].cone == PCS_CONE_EQUALITY) ne += p->block[b].dim;
    }
    const size_t n = (size_t)p->n + (size_t)ne, pn = (size_t)p->n;
    size_t end = pivot_sharpen_bytes(p);
    const size_t proof = pivot_refutes_bytes(p), poly = poly_bytes(p) + solver_bytes(3 * pn, 1);
    if (proof > end) end = proof;
    return track_bytes(p) + pivot_problem_bytes(p) + dict_bytes((int)n, (int)n + 1) +
           solver_bytes(2 * n + 1, sizeof(int)) + 2 * solver_bytes(n, sizeof(double)) +
           solver_bytes(n * n, sizeof(double)) + 3 * solver_bytes(n, sizeof(int)) +
           2 * solver_bytes(pn, sizeof(double)) + 2 * solver_bytes(pn, 1) + poly + end;
}

static bool take(lemke *s, const pivot_problem *d, pcs_arena *work)
{
    const size_t n = (size_t)d->ni + 2 * (size_t)d->nl, pn = (size_t)d->n;
    *s = (lemke){.d = d, .n = (int)n, .random = 88172645463325252u};
    if (!dict_take((int)n, (int)n + 1, work, &s->t)) return false;
    s->place = PCS_TAKE(work, 2 * n + 1, int);
    s->first = PCS_TAKE(work, n, int);
    TAKE_DOUBLES(work, n, &s->cover, &s->work);
    s->basis = PCS_TAKE(work, n * n, double);
    s->piv = PCS_TAKE(work, n, int);
    s->tie = PCS_TAKE(work, n, int);
    TAKE_DOUBLES(work, pn, &s->yx, &s->r);
    s->rows = PCS_TAKE(work, pn, unsigned char);
    s->cols = PCS_TAKE(work, pn, unsigned char);
    return s->place && s->first && s->cover && s->basis && s->piv && s->tie && s->work && s->yx &&
           s->r && s->rows && s->cols;
}

// ---- the linear complementarity problem -------------------------------------------------------

// index and sign in the reduced problem of row or column i of the LCP
static int reduced(const lemke *s, int i, double *sign)
{
    const pivot_problem *d = s->d;
    *sign = i >= d->ni + d->nl ? -1 : 1;
    if (i < d->ni) return d->nl + i;
    return *sign > 0 ? i - d->ni : i - d->ni - d->nl;
}

// column j of A, or b for j = -1
static void lcp_column(const lemke *s, int j, double *a)
{
    double sj = 1, si;
    const int rj = j < 0 ? s->d->nr : reduced(s, j, &sj);
    for (int i = 0; i < s->n; ++i) {
        const int ri = reduced(s, i, &si);
        a[i] = si * sj * pivot_reduced(s->d, ri, rj);
    }
}

// column of variable `code` in w - A z - d z0 = b
static void system_column(const lemke *s, int code, double *a)
{
    if (code == 2 * s->n) {
        for (int i = 0; i < s->n; ++i) {
            a[i] = -s->cover[i];
        }
    } else if (code >= s->n) {
        memset(a, 0, (size_t)s->n * sizeof *a);
        a[code - s->n] = 1;
    } else {
        lcp_column(s, code, a);
        for (int i = 0; i < s->n; ++i) {
            a[i] = -a[i];
        }
    }
}

// sum over the variables of their column times their value, minus b: the error of the dictionary
static double drift(lemke *s)
{
    const double *value = dict_column(&s->t, s->n + 1);
    double *e = s->work, *a = s->basis, worst = 0;
    lcp_column(s, -1, e);
    for (int i = 0; i < s->n; ++i) {
        const int code = s->t.basic[i];
        if (value[i] == 0) continue;
        if (code >= s->n && code < 2 * s->n) {
            e[code - s->n] -= value[i];
            continue;
        }
        system_column(s, code, a);
        for (int k = 0; k < s->n; ++k) {
            e[k] -= a[k] * value[i];
        }
    }
    for (int i = 0; i < s->n; ++i) {
        if (fabs(e[i]) > worst || isnan(e[i])) worst = fabs(e[i]);
    }
    return worst;
}

// rebuilds the dictionary from the data; false when the basis is singular to working precision
static bool refresh(lemke *s)
{
    const size_t n = (size_t)s->n;
    for (size_t i = 0; i < n; ++i) {
        system_column(s, s->t.basic[i], s->basis + n * i);
    }
    if (!dense_lu(s->n, s->basis, s->piv)) return false;
    for (int j = 0; j <= s->n; ++j) {
        double *t = dict_column(&s->t, j);
        system_column(s, s->t.nonbasic[j], t);
        for (size_t i = 0; i < n; ++i) {
            t[i] = -t[i];
        }
    }
    lcp_column(s, -1, dict_column(&s->t, s->n + 1));
    dense_lu_solve(s->n, s->basis, s->piv, false, s->n + 2, s->t.t);
    return pcs_all_finite(s->t.t, n * (n + 2));
}

// The first dictionary of path number k: the covering vector all ones, then random; all w basic,
// then a random complementary basis, for which d z0 raises every row equally. false when that basis
// is singular.
static bool begin(lemke *s, int k)
{
    const int n = s->n;
    const double share = k < SAME_BASIS ? 0 : 0.5 * xorshift_unit(&s->random);
    for (int i = 0; i < n; ++i) {
        const bool swap = share > 0 && xorshift_unit(&s->random) < share;
        s->t.basic[i] = s->first[i] = swap ? i : n + i;
        s->t.nonbasic[i] = swap ? n + i : i;
        s->place[s->t.basic[i]] = i;
        s->place[s->t.nonbasic[i]] = -1 - i;
    }
    s->t.nonbasic[n] = 2 * n;
    s->place[2 * n] = -1 - n;
    s->scale = 1;

    // d = (basis) times the required rise
    memset(s->cover, 0, (size_t)n * sizeof *s->cover);
    for (int i = 0; i < n; ++i) {
        const double rise = k == 0 ? 1 : exp2(6 * xorshift_unit(&s->random) - 3);
        system_column(s, s->first[i], s->work);
        for (int l = 0; l < n; ++l) {
            s->cover[l] += rise * s->work[l];
        }
    }
    if (share > 0) return refresh(s);
    for (int j = 0; j < n; ++j) {
        lcp_column(s, j, dict_column(&s->t, j));
    }
    memcpy(dict_column(&s->t, n), s->cover, (size_t)n * sizeof(double));
    lcp_column(s, -1, dict_column(&s->t, n + 1));
    return true;
}

// ---- the path ---------------------------------------------------------------------------------

// sets values that are rounding to zero, and updates the scale
static void clean(lemke *s)
{
    double *value = dict_column(&s->t, s->n + 1);
    for (int i = 0; i < s->n; ++i) {
        if (value[i] > s->scale) s->scale = value[i];
        if (fabs(value[i]) <= TIE_TOL * s->scale) value[i] = 0;
    }
}

// the coefficient of eps^k in row i, divided by the entering coefficient
static double lex_entry(const lemke *s, int i, int k, const double *c)
{
    const int at = s->place[s->first[k]];
    const double a = at >= 0 ? (at == i ? 1 : 0) : -dict_column(&s->t, -1 - at)[i];
    return a / -c[i];
}

// the row that blocks column j, -1 if none does
static int blocking(lemke *s, int j)
{
    const double *c = dict_column(&s->t, j), *value = dict_column(&s->t, s->n + 1);
    double top = 0, best = INFINITY;
    for (int i = 0; i < s->n; ++i) {
        if (fabs(c[i]) > top) top = fabs(c[i]);
    }
    const double floor = PIVOT_TOL * top > PIVOT_NOISE ? PIVOT_TOL * top : PIVOT_NOISE;
    for (int i = 0; i < s->n; ++i) {
        if (!(c[i] < -floor)) continue;
        const double ratio = value[i] > 0 ? value[i] / -c[i] : 0;
        if (ratio < best) best = ratio;
    }
    if (!(best < INFINITY)) return -1;

    int nt = 0;
    for (int i = 0; i < s->n; ++i) {
        if (!(c[i] < -floor) || !(value[i] + best * c[i] <= TIE_TOL * s->scale)) continue;
        if (s->t.basic[i] == 2 * s->n) return i;
        s->tie[nt++] = i;
    }

    // the lexicographically least of the tied rows
    for (int k = 0; k < s->n && nt > 1; ++k) {
        double least = INFINITY;
        for (int m = 0; m < nt; ++m) {
            const double e = lex_entry(s, s->tie[m], k, c);
            if (e < least) least = e;
        }
        int kept = 0;
        for (int m = 0; m < nt; ++m) {
            const double e = lex_entry(s, s->tie[m], k, c);
            if (e <= least + LEX_TOL * (1 + fabs(least))) s->tie[kept++] = s->tie[m];
        }
        nt = kept;
    }
    return s->tie[0];
}

static void exchange(lemke *s, int i, int j)
{
    dict_exchange(&s->t, i, j);
    s->place[s->t.basic[i]] = i;
    s->place[s->t.nonbasic[j]] = -1 - j;
    s->pivots += 1;
    clean(s);
}

// follows path number k; *ray is the column that nothing blocks
static lemke_end follow(lemke *s, solver_track *track, int k, int limit, int *ray)
{
    const int z0 = 2 * s->n;
    if (!begin(s, k)) return LEMKE_LOST;
    clean(s);

    // z0 enters where the violation is largest; the last of several is lexicographically least
    const double *value = dict_column(&s->t, s->n + 1), *rise = dict_column(&s->t, s->n);
    int row = -1;
    double least = 0;
    for (int i = 0; i < s->n; ++i) {
        const double ratio = value[i] / rise[i];
        if (value[i] < 0 && (row < 0 || ratio <= least)) {
            least = ratio;
            row = i;
        }
    }
    if (row < 0) return LEMKE_SOLVED;
    int left = s->t.basic[row];
    exchange(s, row, s->n);

    bool fresh = true;
    for (int count = 1;; ++count) {
        if (count % LOOK_EVERY == 0) {
            if (track_done(track, s->pivots)) return LEMKE_ASKED;
            if (!(drift(s) <= DRIFT_TOL * s->scale)) {
                if (!refresh(s)) return LEMKE_LOST;
                clean(s);
                fresh = true;
            }
        }
        if (count >= limit || s->pivots >= track->o->max_iters) return LEMKE_LIMIT;

        const int j = -1 - s->place[left < s->n ? left + s->n : left - s->n];
        PCS_ASSERT(j >= 0);
        row = blocking(s, j);
        if (row < 0) {
            // accept a ray only from a dictionary that is exact to rounding
            if (fresh) {
                *ray = j;
                return LEMKE_RAY;
            }
            if (!refresh(s)) return LEMKE_LOST;
            clean(s);
            fresh = true;
            continue;
        }
        left = s->t.basic[row];
        exchange(s, row, j);
        fresh = false;
        if (left == z0) return LEMKE_SOLVED;
    }
}

// ---- solutions and proofs ---------------------------------------------------------------------

// the numbers of the reduced problem that belong to values by code of z
static void collect(const lemke *s, const double *value, double entering, int column, double *yx)
{
    memset(yx, 0, (size_t)s->d->nr * sizeof *yx);
    for (int i = -1; i < s->n; ++i) {
        const int code = i >= 0 ? s->t.basic[i] : column >= 0 ? s->t.nonbasic[column] : 2 * s->n;
        const double v = i >= 0 ? value[i] : entering;
        if (code >= s->n) continue;
        double sign;
        const int at = reduced(s, code, &sign);
        yx[at] += sign * v;
    }
}

// measures the basic solution unchanged, and sharpened
static double measure_basis(lemke *s, solver_track *track, pcs_arena work, double *u)
{
    const pivot_problem *d = s->d;
    const size_t n = (size_t)d->n;
    collect(s, dict_column(&s->t, s->n + 1), 0, -1, s->yx);
    pivot_expand(d, s->yx, s->r);
    for (int i = d->ne; i < d->n; ++i) {
        if (s->r[d->row[i]] < 0) s->r[d->row[i]] = 0;
    }
    track_measure(track, s->r, u);

    memset(s->rows, 0, n);
    memset(s->cols, 0, n);
    for (int i = 0; i < d->ne; ++i) {
        s->rows[d->row[i]] = 1;
        if (i < d->rank) s->cols[d->col[i]] = 1;
    }
    for (int i = 0; i < s->n; ++i) {
        const int code = s->t.basic[i];
        if (code >= s->n) continue;
        double sign;
        const int at = d->rank + reduced(s, code, &sign);
        s->cols[d->col[at]] = 1;
        s->rows[d->row[at]] = 1;
    }
    if (pivot_sharpen(d, s->rows, s->cols, work, s->r)) track_measure(track, s->r, u);
    track->value = track->best_value;
    return track->best_value;
}

// true when the ray in column j is a certificate of infeasibility
static bool ray_refutes(lemke *s, int j, pcs_arena work)
{
    collect(s, dict_column(&s->t, j), 1, j, s->yx);
    return pivot_refutes(s->d, s->yx, work);
}

// true when the linear programme finds { u >= 0, r >= 0, equalities } empty, with a certificate
static bool programme_refutes(lemke *s, pcs_arena work)
{
    dict poly;
    const size_t codes = 2 * (size_t)s->d->ni + (size_t)s->d->nl;
    if (!poly_build(s->d, &work, &poly)) return false;
    unsigned char *held = PCS_TAKE(&work, codes, unsigned char);
    if (!held) return false;
    memset(held, 0, codes);
    memset(held + 2 * (size_t)s->d->ni, 1, (size_t)s->d->nl);

    int bad;
    bool doubt = false;
    if (poly_restore(&poly, held, POLY_PIVOT_TOL, INT_MAX, &s->pivots, &bad, &doubt) != POLY_EMPTY)
        return false;
    poly_multipliers(s->d, &poly, bad, s->yx);
    return pivot_refutes(s->d, s->yx, work);
}

static pcs_status solve(const pcs_problem *p, const pcs_solver_opts *o, pcs_watch watch,
                        pcs_arena work, double *r, double *u, pcs_report *out)
{
    out->solver = PCS_SOLVER_LEMKE;
    pivot_problem d;
    lemke s = {0};
    solver_track track;
    if (!track_begin(&track, p, o, watch, &work, r)) return pcs_fail_memory("lemke");

    // a start that solves the problem is kept; the path itself starts from zero
    if (!(track_measure(&track, r, u) < INFINITY)) {
        memset(r, 0, (size_t)p->n * sizeof *r);
        track_measure(&track, r, u);
    }
    bool over = track_done(&track, 0);
    pcs_outcome outcome = over ? track.outcome : PCS_OUTCOME_STALLED;
    if (!over) {
        PCS_TRY(pivot_problem_build(p, &track, &work, &d));
        over = track_late(&track);
        if (over) outcome = PCS_OUTCOME_TIME_LIMIT;
    }
    if (!over && !take(&s, &d, &work)) return pcs_fail_memory("lemke");

    bool programme = false;
    for (int k = 0; k < TRIES && !over; ++k) {
        int ray = -1;
        const lemke_end end = follow(&s, &track, k, 2000 + 50 * s.n, &ray);
        if (end == LEMKE_ASKED) {
            outcome = track.outcome;
            break;
        }
        if (measure_basis(&s, &track, work, u) <= o->tol) {
            outcome = PCS_OUTCOME_CONVERGED;
            break;
        }
        if (end == LEMKE_RAY) {
            if (ray_refutes(&s, ray, work) || (!programme && programme_refutes(&s, work))) {
                outcome = PCS_OUTCOME_INFEASIBLE;
                break;
            }
            programme = true;
        }
        outcome = end == LEMKE_LIMIT ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_STALLED;
        if (s.pivots >= o->max_iters) {
            outcome = PCS_OUTCOME_MAX_ITERS;
            break;
        }
    }
    track.outcome = outcome;
    track.iters = s.pivots;
    track_end(&track, r, out);
    return PCS_OK;
}

const solver_class solver_lemke = {
    SOLVER_ROW("lemke", PCS_SOLVER_LEMKE, 1u << PCS_CONE_EQUALITY | 1u << PCS_CONE_UNILATERAL,
               1e-10, 200000,
               "complementary pivoting with a lexicographic ratio test; dense, exact"),
};
