// The impulses of springs in series with every row, of stiffness k, in the limit of stiff springs.
// With C = diag(1/k) and the impulses b that the springs carry before, the springs yield by
//
//     w = v + C (r - b),   v = W y for some y: a small motion of the bodies,
//
// and r, with the velocities of the given solution (W r' = W r), obeys on the face
//
//     at rest   w + mu |w_T| e_N in K*, normal to r in K
//     closed    w_N >= 0, r_N >= 0, w_N r_N = 0
//     slide     the same for r_N, r_T = mu r_N e
//     equality  w = 0;   box at rest   |r| <= mu, w = 0 or against r
//
// With the shifts sigma = mu |w_T| (at rest) and -mu e.v_T (slide) known, these are the conditions
// of the minimum of
//
//     1/2 (r - b)' C (r - b) + sigma' r_N     over the face (without C_T of slides),
//
// a cone program with one solution. The shifts are iterated from 0. Without friction they are 0,
// and r has the least elastic energy of all impulses with these velocities. v follows from the
// multipliers: E' v is known on the face, and v = A a, E' A a = E' v (A = W E of face.h). Newton
// steps on the conditions themselves, a problem in x and a with an equality block for a,
//
//     (w at x, E' A (x - x0)),   w = C x - C b + A a  (its normal part for slides)
//
// make the last digits exact. Where the shifts do not converge, the solutions r_t of
//
//     (W + t C) r + q - t C b,   v = W (r_t - r) / t
//
// for a few small t, from r = 0, are other starts of the Newton steps. What these reach is judged
// by W r' = W r, too.
//
// T. Olsen, K. Kamrin, Resolving force indeterminacy in contact dynamics using compatibility
// conditions, 2018 (without friction).
#include <percuss/certificate.h>

#include <float.h>
#include <string.h>

#include "certificate/range.h"
#include "cone/cone.h"
#include "linalg/bsr.h"
#include "linalg/dense.h"
#include "problem/measure.h"
#include "problem/problem.h"
#include "solver/polish.h"

// programs at most; the violation from which Newton steps go on, that without them, and the number
// of programs without progress
#define PROGRAMS 200
#define NEARBY   1e-5
#define GOAL     1e-12
#define IDLE     12
#define STEPS    30
// springs of a finite stiffness: size of t C, of that of W
#define SOFTEST  1e-2
#define STIFFER  1e-2
#define STIFFEST 1e-7
// error of a semidefinite matrix, in roundings of its mean diagonal
#define ROUNDINGS 100
// an impulse that is zero, of the largest
#define SMALL 1e-6

typedef struct springs {
    range r;
    double *C;            // n: compliances, the largest of C / s is 1
    const double *before; // n, or null
    double *V, *d;        // columns: the energy is 1/2 x' V x - d' x
    double *shift;        // nb
    double *lambda;       // columns: multipliers
    double *L;            // columns x columns: LU of E' A + t Z Z'
    double *z;            // rows of the program
    double *a, *v, *w;    // n
    double *given;        // n: W r
    double *best;         // nb: the best shifts
    double *z2, *u2;      // 2 columns: x and a, and what must vanish
    pcs_elastic_report *out;
} springs;

static size_t elastic_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    return (n * n + 13 * n + 3 * nb) * sizeof(double) + 17 * 64;
}

static bool take(springs *x)
{
    const pcs_problem *p = x->r.f.p;
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    pcs_arena *a = &x->r.scratch;
    TAKE_DOUBLES(a, n, &x->C, &x->V, &x->d, &x->lambda, &x->a, &x->v, &x->w, &x->given);
    TAKE_DOUBLES(a, n * n, &x->L);
    TAKE_DOUBLES(a, 2 * n, &x->z2, &x->u2);
    TAKE_DOUBLES(a, nb, &x->shift, &x->best);
    TAKE_DOUBLES(a, n + nb, &x->z);
    return x->C && x->V && x->d && x->lambda && x->a && x->v && x->w && x->given && x->best &&
           x->L && x->z2 && x->u2 && x->shift && x->z;
}

// r_N of one unit of the first column of a block, times s^1/2
static double normal_part(const face *f, int b)
{
    return f->verdict[b].allowed == ALLOW_RAY ? 1 / hypot(1, f->p->block[b].mu) : 1;
}

static double carried(const springs *x, int row)
{
    return x->before ? x->before[row] : 0;
}

// C, V and d of the energy; only r_N of a slide counts
static void weigh(springs *x, const double *stiffness)
{
    const face *f = &x->r.f;
    double most = 0;
    for (int i = 0; i < f->p->n; ++i) {
        x->C[i] = stiffness ? 1 / stiffness[i] : 1;
    }
    for (int b = 0; b < f->p->nb; ++b) {
        const double e = normal_part(f, b);
        for (int c = 0; c < face_columns(f, b); ++c) {
            const int row = f->p->block[b].row + c;
            most = fmax(most, x->C[row] * e * e / f->s[row]);
        }
    }
    for (int i = 0; i < f->p->n && most > 0; ++i) {
        x->C[i] /= most;
    }
    for (int b = 0; b < f->p->nb; ++b) {
        const double e = normal_part(f, b);
        for (int c = 0; c < face_columns(f, b); ++c) {
            const int row = f->p->block[b].row + c, j = f->first[b] + c;
            x->V[j] = x->C[row] * e * e / f->s[row];
            x->d[j] = x->C[row] * carried(x, row) * e / sqrt(f->s[row]);
        }
    }
}

// g (columns) += sign times the shifts
static void add_shifts(const springs *x, double sign, double *g)
{
    const face *f = &x->r.f;
    for (int b = 0; b < f->p->nb; ++b) {
        if (face_columns(f, b) == 0) continue;
        const double root = sqrt(f->s[f->p->block[b].row]);
        g[f->first[b]] += sign * x->shift[b] * normal_part(f, b) / root;
    }
}

// LU of E' A + t Z Z', t > 0. False where its symmetric part is not positive definite: W is not
// that of bodies, whose mass with gyroscopic terms may be asymmetric
static bool factorise(springs *x)
{
    const face *f = &x->r.f;
    const size_t n = (size_t)f->n, rows = (size_t)f->p->n;
    pcs_arena scratch = x->r.scratch;
    double *copy = PCS_TAKE(&scratch, n * n, double);
    if (!copy) return false;
    for (size_t i = 0; i < n; ++i) {
        face_restrict(f, x->r.A + rows * i, x->L + n * i);
    }
    double weight = 0;
    for (size_t i = 0; i < n; ++i) {
        weight += x->L[i * (n + 1)] / (double)n;
    }
    dense_mul_dense(false, true, f->n, f->n, x->r.k, weight, x->r.Z, x->r.Z, 1, x->L);
    // a direction that is just not in Z has the square of its length in A here: rounding
    const double slack = ROUNDINGS * DBL_EPSILON * (double)n * weight;
    for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
            copy[j + n * i] = (x->L[j + n * i] + x->L[i + n * j]) / 2;
        }
        copy[i * (n + 1)] += slack;
    }
    return dense_cholesky(f->n, copy) && dense_lu(f->n, x->L, x->r.place);
}

// v and w of x and a
static void yield_of(springs *x, const double *r)
{
    const face *f = &x->r.f;
    dense_mul(f->p->n, f->n, 1, x->r.A, x->a, 0, x->v);
    for (int i = 0; i < f->p->n; ++i) {
        x->v[i] *= sqrt(f->s[i]);
        x->w[i] = x->v[i] + x->C[i] * (r[i] - carried(x, i));
    }
}

// a of the x and lambda of a program
static void find_motion(springs *x)
{
    const face *f = &x->r.f;
    for (int j = 0; j < f->n; ++j) {
        x->a[j] = x->lambda[j] - (x->V[j] * x->r.x[j] - x->d[j]);
    }
    add_shifts(x, -1, x->a);
    dense_lu_solve(f->n, x->L, x->r.place, false, 1, x->a);
}

// lambda from the multipliers of the rows of the program
static void spread(springs *x)
{
    const cone_program *c = &x->r.program;
    memset(x->lambda, 0, (size_t)x->r.f.n * sizeof *x->lambda);
    for (int i = 0; i < c->m; ++i) {
        x->lambda[x->r.column[i]] += x->r.factor[i] * x->z[i] * x->r.size;
    }
}

// the shift of a block at r and w
static double shift_of(const springs *x, int b)
{
    const face *f = &x->r.f;
    const pcs_block *k = &f->p->block[b];
    const verdict *v = &f->verdict[b];
    if (k->cone != PCS_CONE_COULOMB) return 0;
    if (v->allowed == ALLOW_CONE) return k->mu * cone_tangent(k->dim, x->w + k->row);
    if (v->allowed != ALLOW_RAY) return 0;
    double along = 0;
    for (int c = 1; c < k->dim; ++c) {
        along -= k->mu * v->e[c - 1] * x->v[k->row + c];
    }
    return along;
}

// |natural map| of a block, an impulse times s^1/2
static double block_violation(const springs *x, int b, const double *r)
{
    const face *f = &x->r.f;
    const pcs_block *k = &f->p->block[b];
    if (face_columns(f, b) == 0) return 0;
    const double s = f->s[k->row], V = x->C[k->row], *w = x->w + k->row;
    double g[3] = {0}, sum = 0;
    if (k->cone == PCS_CONE_EQUALITY) {
        for (int c = 0; c < k->dim; ++c) {
            const double d = w[c] / x->C[k->row + c] * sqrt(f->s[k->row + c]);
            sum += d * d;
        }
        return sqrt(sum);
    }
    if (k->cone == PCS_CONE_BOX) {
        g[0] = cone_natural_box(k->mu, V, r[k->row], w[0]);
    } else if (f->verdict[b].allowed == ALLOW_CONE) {
        cone_natural_coulomb(k->dim, k->mu, V, r + k->row, w, g);
    } else {
        g[0] = cone_min(V * r[k->row], w[0]);
    }
    for (int c = 0; c < k->dim; ++c) {
        sum += g[c] * g[c];
    }
    return sqrt(sum) / V * sqrt(s);
}

// v = W (r' - r); its length, of the size of the velocities. r is on the face: of the given r this
// is what its error leaves
static double drift(const springs *x, const double *r, double *v)
{
    const face *f = &x->r.f;
    pcs_bsr_mul(&f->p->W, r, v);
    for (int i = 0; i < f->p->n; ++i) {
        v[i] -= x->given[i];
    }
    return f->size > 0 ? problem_norm(f->p->n, v) / f->size : 0;
}

// r, v and w of x and a; the violation of the law of the springs or of W r' = W r
static double look(springs *x, double *r)
{
    double law = 0;
    face_leave(&x->r.f, x->r.x, r);
    const double off = drift(x, r, x->v);
    yield_of(x, r);
    for (int b = 0; b < x->r.f.p->nb; ++b) {
        const double now = block_violation(x, b, r);
        if (!(now <= law)) law = now;
    }
    law /= x->r.size;
    // a NaN stays
    return law <= off ? off : law;
}

// x, v and w for the shifts; the violation
static double solve(springs *x, double *r)
{
    range *g = &x->r;
    for (int j = 0; j < g->f.n; ++j) {
        x->a[j] = x->V[j] * g->x0[j] - x->d[j];
    }
    add_shifts(x, 1, x->a);
    range_aim(g, x->a);
    cone_program_solve(&g->program, g->scratch, g->y, x->z);
    ++x->out->programs;
    spread(x);
    range_point(g);
    find_motion(x);
    return look(x, r);
}

// programs until the violation is `goal`; the shifts move by `step` of their change, less where the
// violation grows
static double iterate(springs *x, double goal, double *r)
{
    const int nb = x->r.f.p->nb;
    double best = INFINITY, step = 1;
    for (int idle = 0; x->out->programs < PROGRAMS && idle < IDLE;) {
        const double now = solve(x, r);
        ++idle;
        if (now < best) {
            if (now < 0.9 * best) idle = 0;
            best = now;
            memcpy(x->best, x->shift, (size_t)nb * sizeof *x->best);
        } else if (step > 0.1) {
            step /= 2;
        }
        if (!(now > goal)) return now;
        bool moved = false;
        for (int b = 0; b < nb; ++b) {
            const double change = shift_of(x, b) - x->shift[b];
            x->shift[b] += step * change;
            moved = moved || change != 0;
        }
        if (!moved) return now;
    }
    memcpy(x->shift, x->best, (size_t)nb * sizeof *x->best);
    return solve(x, r);
}

// ---- the last digits ---------------------------------------------------------------------------

typedef struct conditions {
    pcs_problem p; // x, then a
    pcs_block *block;
    double *W, *q;
} conditions;

static void fill_blocks(const springs *x, conditions *c)
{
    const face *f = &x->r.f;
    c->p.nb = 0;
    for (int b = 0; b < f->p->nb; ++b) {
        pcs_block k = f->p->block[b];
        const allowed set = f->verdict[b].allowed;
        if (face_columns(f, b) == 0) continue;
        if (set == ALLOW_NORMAL || set == ALLOW_RAY) k.cone = PCS_CONE_UNILATERAL;
        if (k.cone == PCS_CONE_UNILATERAL) k.mu = 0;
        if (k.cone == PCS_CONE_BOX) k.mu *= sqrt(f->s[k.row]) / x->r.size;
        k.row = f->first[b];
        k.dim = face_columns(f, b);
        c->block[c->p.nb++] = k;
    }
    c->block[c->p.nb++] = (pcs_block){.cone = PCS_CONE_EQUALITY, .row = f->n, .dim = f->n};
}

// W = (V, normal rows of A; E' A, 0) and q = (-d, -E' A x0), divided by the size of the impulses
static void fill_conditions(const springs *x, conditions *c)
{
    const face *f = &x->r.f;
    const size_t n = (size_t)f->n, m = 2 * n, rows = (size_t)f->p->n;
    memset(c->W, 0, m * m * sizeof *c->W);
    memset(c->q, 0, m * sizeof *c->q);
    for (size_t j = 0; j < n; ++j) {
        double *motion = c->W + m * (n + j), *fixed = c->W + m * j + n;
        c->W[j * (m + 1)] = x->V[j];
        c->q[j] = -x->d[j] / x->r.size;
        for (int b = 0; b < f->p->nb; ++b) {
            for (int i = 0; i < face_columns(f, b); ++i) {
                motion[f->first[b] + i] =
                    normal_part(f, b) * x->r.A[(size_t)(f->p->block[b].row + i) + rows * j];
            }
        }
        face_restrict(f, x->r.A + rows * j, fixed);
        for (size_t i = 0; i < n; ++i) {
            c->q[n + i] -= fixed[i] * (x->r.x0[j] / x->r.size);
        }
    }
    c->p = (pcs_problem){.n = (int)m, .block = c->block, .q = c->q};
}

// memory for W, q and blocks, and for the index arrays of a dense matrix
static size_t conditions_bytes(int n)
{
    const size_t m = 2 * (size_t)n;
    return (m * m + m) * sizeof(double) + ((size_t)n + 1) * sizeof(pcs_block) + 12 * 64;
}

static pcs_status polish_with(const pcs_env *env, springs *x, pcs_arena work)
{
    const int n = x->r.f.n;
    const size_t m = 2 * (size_t)n;
    conditions c;
    c.block = PCS_TAKE(&work, (size_t)n + 1, pcs_block);
    TAKE_DOUBLES(&work, m * m, &c.W);
    TAKE_DOUBLES(&work, m, &c.q);
    if (!c.block || !c.W || !c.q) return pcs_fail_memory("certificate");
    fill_conditions(x, &c);
    fill_blocks(x, &c);
    PCS_TRY(pcs_bsr_from_dense((int)m, (int)m, c.W, &work, &c.p.W));
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NEWTON);
    o.tol = GOAL / 100;
    o.stop = PCS_STOP_RESIDUAL;
    double value;
    pcs_arena scratch;
    PCS_TRY(pcs_arena_create(env, polish_bytes(&c.p), &scratch));
    const int steps = polish(&c.p, &o, STEPS, scratch, x->z2, x->u2, &value);
    pcs_arena_destroy(env, &scratch);
    return steps < 0 ? pcs_fail_memory("certificate") : PCS_OK;
}

// Newton steps from x and a; kept where they reduce the violation
static pcs_status refine(const pcs_env *env, springs *x, double *r)
{
    const size_t n = (size_t)x->r.f.n;
    for (size_t j = 0; j < n; ++j) {
        x->z2[j] = x->r.x[j] / x->r.size;
        x->z2[n + j] = x->a[j] / x->r.size;
    }
    pcs_arena arena;
    PCS_TRY(pcs_arena_create(env, conditions_bytes((int)n), &arena));
    const pcs_status done = polish_with(env, x, arena);
    pcs_arena_destroy(env, &arena);
    PCS_TRY(done);
    // exchanged with the present ones, and back where these were better
    for (int pass = 0; pass < 2; ++pass) {
        for (size_t j = 0; j < n; ++j) {
            const double now[2] = {x->r.x[j] / x->r.size, x->a[j] / x->r.size};
            x->r.x[j] = x->z2[j] * x->r.size;
            x->a[j] = x->z2[n + j] * x->r.size;
            x->z2[j] = now[0];
            x->z2[n + j] = now[1];
        }
        const double value = look(x, r);
        if (value <= x->out->violation || pass == 1) {
            x->out->violation = value;
            break;
        }
    }
    return PCS_OK;
}

// The springs of a block at rest slip, or are at their limit. Of impulses that a contact bears
// which may be open nothing is claimed
static void judge(const springs *x, const double *r)
{
    const face *f = &x->r.f;
    const double small = SMALL * x->r.size;
    bool friction = false, border = false;
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const double *rb = r + k->row, *w = x->w + k->row, root = sqrt(f->s[k->row]);
        if (face_columns(f, b) == 0 || k->cone == PCS_CONE_EQUALITY) continue;
        border =
            border || (f->verdict[b].status == PCS_CONTACT_UNDECIDED && fabs(rb[0]) * root > small);
        if (k->cone == PCS_CONE_BOX) {
            x->out->slips += fabs(w[0]) * root / x->C[k->row] > small;
        } else if (f->verdict[b].allowed == ALLOW_CONE) {
            const double left = k->mu * rb[0] - cone_tangent(k->dim, rb);
            friction = true;
            border = border || !(root * left > small * hypot(1, k->mu));
            x->out->slips +=
                rb[0] * root > small && cone_tangent(k->dim, w) * root / x->C[k->row + 1] > small;
        } else if (f->verdict[b].allowed == ALLOW_RAY && k->mu > 0) {
            friction = border = true;
        }
    }
    x->out->unique = border     ? PCS_UNIQUENESS_UNKNOWN
                     : friction ? PCS_UNIQUENESS_LOCAL
                                : PCS_UNIQUENESS_YES;
}

// ---- springs of a finite stiffness -------------------------------------------------------------

typedef struct soft {
    pcs_problem p;
    double *W, *q, *r;
    double *u; // W (r_t - r)
    double t;
} soft;

static size_t soft_bytes(size_t n)
{
    return (n * n + 3 * n) * sizeof(double) + 16 * 64;
}

// W + t C, q - t C b, with t C of the size of W times `size`
static pcs_status fill_soft(const springs *x, double size, pcs_arena *arena, soft *s)
{
    const pcs_problem *p = x->r.f.p;
    const size_t n = (size_t)p->n;
    double trace = 0, sum = 0;
    pcs_bsr_to_dense(&p->W, s->W);
    for (size_t i = 0; i < n; ++i) {
        trace += s->W[i * (n + 1)];
        sum += x->C[i];
    }
    s->t = size * trace / sum;
    for (size_t i = 0; i < n; ++i) {
        s->W[i * (n + 1)] += s->t * x->C[i];
        s->q[i] = p->q[i] - s->t * x->C[i] * carried(x, (int)i);
    }
    s->p = (pcs_problem){.n = p->n, .nb = p->nb, .block = p->block, .q = s->q};
    return pcs_bsr_from_dense(p->n, p->n, s->W, arena, &s->p.W);
}

// x, and a of v = W (r_t - r) / t
static void harden(springs *x, const soft *s)
{
    const face *f = &x->r.f;
    face_enter(f, s->r, x->r.x);
    for (int i = 0; i < f->p->n; ++i) {
        x->v[i] = s->u[i] / (s->t * sqrt(f->s[i]));
    }
    face_restrict(f, x->v, x->a);
    dense_lu_solve(f->n, x->L, x->r.place, false, 1, x->a);
}

// The limit from problems with springs of a finite stiffness, the first from r = 0
static pcs_status approach(const pcs_env *env, springs *x, soft *s, pcs_arena work, double *r)
{
    const face *f = &x->r.f;
    const size_t n = (size_t)f->p->n;
    TAKE_DOUBLES(&work, n * n, &s->W);
    TAKE_DOUBLES(&work, n, &s->q, &s->r, &s->u);
    if (!s->W || !s->q || !s->r || !s->u) return pcs_fail_memory("certificate");
    memset(s->r, 0, n * sizeof *s->r);
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    o.tol = GOAL;
    o.stop = PCS_STOP_RESIDUAL;
    double least = x->out->violation;
    for (double size = SOFTEST; size >= STIFFEST && !(least <= RANGE_FOUND); size *= STIFFER) {
        pcs_arena rest = work;
        pcs_report report;
        PCS_TRY(fill_soft(x, size, &rest, s));
        PCS_TRY(pcs_solve_alloc(env, &s->p, &o, s->r, s->u, &report));
        const double moved = drift(x, s->r, s->u);
        x->out->moved = report.outcome == PCS_OUTCOME_CONVERGED ? moved : NAN;
        harden(x, s);
        x->out->violation = look(x, r);
        PCS_TRY(refine(env, x, r));
        least = fmin(least, x->out->violation);
    }
    x->out->violation = least;
    if (least <= RANGE_FOUND) x->out->moved = 0;
    return PCS_OK;
}

static pcs_status soften(const pcs_env *env, springs *x, double *r)
{
    soft s = {0};
    pcs_arena arena;
    PCS_TRY(pcs_arena_create(env, soft_bytes((size_t)x->r.f.p->n), &arena));
    const pcs_status done = approach(env, x, &s, arena, r);
    pcs_arena_destroy(env, &arena);
    return done;
}

static pcs_status find(const pcs_env *env, springs *x, const double *stiffness, double *r)
{
    x->out->violation = INFINITY;
    if (isinf(x->r.f.error)) return PCS_OK;
    face_leave(&x->r.f, x->r.x0, r);
    x->out->violation = 0;
    x->out->unique = PCS_UNIQUENESS_YES;
    if (x->r.k == 0 || !(x->r.size > 0)) return PCS_OK;

    if (!take(x)) return pcs_fail_memory("certificate");
    pcs_bsr_mul(&x->r.f.p->W, r, x->given);
    weigh(x, stiffness);
    if (!factorise(x)) {
        return pcs_fail(PCS_ERR_UNSUPPORTED,
                        "certificate: W is not positive semidefinite; springs need "
                        "the W of bodies");
    }
    range_weigh(&x->r, x->V);
    memset(x->shift, 0, (size_t)x->r.f.p->nb * sizeof *x->shift);
    x->out->violation = iterate(x, NEARBY, r);
    PCS_TRY(refine(env, x, r));
    if (!(x->out->violation <= RANGE_FOUND)) {
        x->out->violation = iterate(x, GOAL, r);
        PCS_TRY(refine(env, x, r));
    }
    if (!(x->out->violation <= RANGE_FOUND)) PCS_TRY(soften(env, x, r));
    judge(x, r);
    return PCS_OK;
}

static double energy_of(const pcs_problem *p, const double *stiffness, const double *before,
                        const double *r)
{
    double sum = 0;
    for (int i = 0; i < p->n; ++i) {
        const double d = r[i] - (before ? before[i] : 0);
        sum += d * d / (2 * (stiffness ? stiffness[i] : 1));
    }
    return sum;
}

// u = W r + q, which only the measure needs
static pcs_status measure(const pcs_env *env, const pcs_problem *p, const double *r,
                          pcs_measure *out)
{
    pcs_arena arena;
    PCS_TRY(pcs_arena_create(env, (size_t)p->n * sizeof(double) + 64, &arena));
    pcs_arena work = arena;
    double *u = PCS_TAKE(&work, (size_t)p->n, double);
    if (u) pcs_problem_measure(p, r, u, out);
    pcs_arena_destroy(env, &arena);
    return u ? PCS_OK : pcs_fail_memory("certificate");
}

static pcs_status check(int n, const double *stiffness, const double *before)
{
    for (int i = 0; i < n; ++i) {
        if (stiffness && (!(stiffness[i] > 0) || !isfinite(stiffness[i]))) {
            return pcs_fail(PCS_ERR_ARG,
                            "certificate: stiffness[%d] is %g; it must be finite and > 0", i,
                            stiffness[i]);
        }
        if (before && !isfinite(before[i])) {
            return pcs_fail(PCS_ERR_ARG, "certificate: before[%d] is %g; it must be finite", i,
                            before[i]);
        }
    }
    return PCS_OK;
}

// The scales of the rows: compliances, so that lengths of x are energies; one for a block with
// friction. The largest entry on the diagonal of S^-1/2 W S^-1/2 is 1, as that of C S^-1: Newton
// steps compare the errors of both
static void scales(const pcs_problem *p, const double *stiffness, double *s)
{
    double most = 0;
    problem_scales(p, s);
    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        for (int i = k->row; i < k->row + k->dim; ++i) {
            const int of = k->cone == PCS_CONE_EQUALITY ? i : k->row;
            const double c = stiffness ? 1 / stiffness[of] : 1;
            most = fmax(most, s[i] / c);
            s[i] = c;
        }
    }
    for (int i = 0; i < p->n; ++i) {
        s[i] *= most;
    }
}

static pcs_status share(const pcs_env *env, const pcs_problem *p, double tol, const double *r,
                        const double *stiffness, double *scale, double *out, springs *x)
{
    scales(p, stiffness, scale);
    pcs_arena arena = {0};
    const range_request q = {.tol = tol,
                             .r = r,
                             .scale = scale,
                             .also = x->before,
                             .out = out,
                             .too = out,
                             .more = elastic_bytes(p)};
    pcs_status done = range_open(env, p, &q, &arena, &x->r);
    if (done == PCS_OK) done = find(env, x, stiffness, out);
    pcs_arena_destroy(env, &arena);
    return done;
}

pcs_status pcs_certificate_elastic_impulse(const pcs_env *env, const pcs_problem *p, double tol,
                                           const double *r, const double *stiffness,
                                           const double *before, double *elastic,
                                           pcs_elastic_report *report)
{
    pcs_elastic_report out = {0};
    PCS_TRY(pcs_problem_check(p));
    PCS_TRY(check(p->n, stiffness, before));
    springs x = {.before = before, .out = &out};
    double *scale = pcs_env_alloc(env, (size_t)p->n, sizeof *scale);
    if (p->n > 0 && !scale) return pcs_fail_memory("certificate");
    pcs_status done = share(env, p, tol, r, stiffness, scale, elastic, &x);
    pcs_env_free(env, scale);
    if (done == PCS_OK) {
        const bool found = out.violation <= RANGE_FOUND;
        if (!found) out.unique = PCS_UNIQUENESS_UNKNOWN;
        for (int i = 0; i < p->n && !found; ++i) {
            elastic[i] = NAN;
        }
        if (found) cone_project(p->nb, p->block, elastic);
        done = measure(env, p, elastic, &out.measure);
        out.energy = energy_of(p, stiffness, before, elastic);
    }
    if (done == PCS_OK && report) *report = out;
    return done;
}
