// Impulses of equilibrium. With d_i the distance of r_i from the boundary of its cone, the
// correction of least sum of |dr_i / d_i|^2 that balances the loads is
//
//     dr = D^2 H y,   (H^T D^2 H) y = -(H^T r + load),
//
// so that contacts far inside their cones take what is missing, and those without load nothing.
// Where it leaves a cone, r is projected, and what this takes away is balanced again. A small part
// of the mass matrix keeps the factorisation regular where bodies can move freely; the repetition
// removes its effect. But impulses whose d is too small beside that part do not take what only they
// can take, as of a box on two corners those of the other corners. Where the correction makes no
// progress, every contact has a least d.
//
// The same matrix finds the part z of v that contacts which carry do not resist: of all z near v
// the one that moves these contacts least. With the small part e of the mass matrix,
//
//     |D H z|^2 + e (z - v)^T M (z - v)   is least where   (e M + H^T D^2 H) z = e M v.
#include <string.h>

#include "bodies/finish_system.h"
#include "bodies/islands.h"
#include "cone/cone.h"

// corrections at most, and those without progress
enum { ROUNDS = 60, PATIENCE = 6 };

// a block is corrected by at least this part of its normal impulse, however near its boundary
#define LEAST_DISTANCE 1e-3

// the least d where the correction makes no progress, one after another, relative to the mean
enum { PARTS = 2 };
static const double least_part[PARTS] = {1e-4, 1e-2};

// mass matrix over H^T D^2 H, on the mean
#define REGULAR 1e-10

// accuracy of a correction: the next one continues
#define ROUGH 1e-8

// largest sizes of a block that can be taken, and of the systems it moves
enum { MOST_ROWS = 6, MOST_WIDTH = 6 };

// H^T r + load of one system, and the sum of the sizes of its terms, of forces and of moments
static double ratio_of(const double *sum, const double *size)
{
    double worst = 0;
    for (int part = 0; part < MOST_WIDTH; part += 3) {
        double left = 0, all = 0;
        for (int i = part; i < part + 3; ++i) {
            left = fmax(left, fabs(sum[i]));
            all = fmax(all, size[i]);
        }
        if (left > 0) worst = fmax(worst, all > 0 ? left / all : INFINITY);
    }
    return worst;
}

pcs_status bodies_imbalance(const bodies_problem *b, const unsigned char *take, const double *load,
                            const double *r, pcs_arena work, double *out)
{
    const int ns = b->A->nb, nv = b->A->start[ns];
    double *sum = PCS_TAKE(&work, 2 * (size_t)nv, double), *size = sum + nv;
    if (!sum) return pcs_fail_memory("contacts");
    for (int i = 0; i < nv; ++i) {
        sum[i] = load[i];
        size[i] = fabs(load[i]);
    }
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        for (int side = 0; (!take || take[i]) && side < 2; ++side) {
            if (k->sys[side] < 0) continue;
            double J[MOST_ROWS * MOST_WIDTH];
            const int at = b->A->start[k->sys[side]];
            bodies_rows(b, i, side, J);
            for (int c = 0; c < MOST_WIDTH; ++c) {
                for (int a = 0; a < k->dim; ++a) {
                    const double term = J[a + k->dim * c] * r[k->row + a];
                    sum[at + c] += term;
                    size[at + c] += fabs(term);
                }
            }
        }
    }
    for (int s = 0; s < ns; ++s) {
        const int at = b->A->start[s];
        const bool body = b->A->start[s + 1] - at == MOST_WIDTH;
        out[s] = body ? ratio_of(sum + at, size + at) : INFINITY;
    }
    return PCS_OK;
}

// distance from the boundary of the cone
static double distance(const bodies_block *k, const double *r)
{
    if (k->cone == PCS_CONE_UNILATERAL) return r[0];
    const double inside = (k->mu * r[0] - cone_tangent(k->dim, r)) / sqrt(1 + k->mu * k->mu);
    return fmax(inside, LEAST_DISTANCE * r[0]);
}

// sets B = C = D^2, so large that the mass matrix is small beside it; joints have the mean
// distance, contacts at least the part `least` of it
static void weigh(finish_system *s, const double *r, double least)
{
    const bodies_problem *b = s->b;
    double squares = 0, mass = 0;
    int n = 0;
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        if (k->cone == PCS_CONE_EQUALITY) continue;
        const double d = distance(k, r + k->row);
        squares += d * d;
        n += d > 0;
    }
    for (int i = 0; i < s->ns; ++i) {
        mass += s->A[s->a[i]] / s->ns;
    }
    const double mean = n > 0 && squares > 0 ? squares / n : 1;
    for (int i = 0; i < b->nb; ++i) {
        const bodies_block *k = &b->block[i];
        double *C = s->C + SLOPES * (size_t)i, d2 = mean;
        memset(C, 0, SLOPES * sizeof *C);
        if (k->cone != PCS_CONE_EQUALITY) {
            const double d = distance(k, r + k->row);
            d2 = fmax(d * d, least * least * mean);
        }
        const int diagonal = k->cone == PCS_CONE_EQUALITY ? 1 : k->dim;
        for (int a = 0; a < diagonal; ++a) {
            C[(k->dim + 1) * a] = mass / (REGULAR * mean) * d2;
        }
    }
    memcpy(s->B, s->C, SLOPES * (size_t)b->nb * sizeof *s->B);
}

static void project(const bodies_problem *b, double *r)
{
    for (int i = 0; i < b->nb; ++i) {
        const pcs_block k = bodies_cone(&b->block[i]);
        cone_project(1, &k, r);
    }
}

// r + D^2 H y with y from g = H^T r + load; false: no factors
static bool correct(finish_system *s, const double *g, double *y, double *r)
{
    if (finish_system_solve(s, g, ROUGH, y) < 0) return false;
    finish_rows(s, y, s->t);
    for (int i = 0; i < s->b->nb; ++i) {
        const bodies_block *k = &s->b->block[i];
        const double *C = s->C + SLOPES * (size_t)i;
        for (int a = 0; a < k->dim; ++a) {
            r[k->row + a] -= C[0] * s->t[k->row + a];
        }
    }
    return true;
}

static pcs_status balance(finish_system *s, const double *load, const double *v, pcs_arena work,
                          double *r, bool *holds, double *free)
{
    const bodies_problem *b = s->b;
    double *left = PCS_TAKE(&work, (size_t)s->ns, double);
    double *g = PCS_TAKE(&work, (size_t)s->nv, double);
    double *y = PCS_TAKE(&work, (size_t)s->nv, double);
    if (!left || !g || !y) return pcs_fail_memory("contacts");
    double best = INFINITY;
    project(b, r);
    weigh(s, r, 0);
    bool good = finish_system_factor(s) == CHOL_GOOD;
    finish_mass(s, v, g);
    good = good && finish_system_solve(s, g, ROUGH, free) >= 0;
    for (int round = 0, since = 0, part = 0; good; ++round) {
        double worst = 0;
        PCS_TRY(bodies_imbalance(b, NULL, load, r, work, left));
        for (int i = 0; i < s->ns; ++i) {
            worst = fmax(worst, left[i]);
            holds[i] = left[i] <= 0.5 * BODIES_BALANCED;
        }
        since = worst < 0.7 * best ? 0 : since + 1;
        best = fmin(best, worst);
        if (worst <= 0.5 * BODIES_BALANCED || round == ROUNDS) return PCS_OK;
        if (since == PATIENCE) {
            if (part == PARTS) return PCS_OK;
            weigh(s, r, least_part[part++]);
            if (finish_system_factor(s) != CHOL_GOOD) return PCS_OK;
            since = 0;
        }
        memcpy(g, load, (size_t)s->nv * sizeof *g);
        finish_impulses(s, r, g);
        good = correct(s, g, y, r);
        project(b, r);
    }
    memset(holds, 0, (size_t)s->ns * sizeof *holds);
    return PCS_OK;
}

// the blocks that are taken, and the systems that they move, as one island
static pcs_status gather(const bodies_problem *b, const unsigned char *take, pcs_arena *mem,
                         islands *out)
{
    const int ns = b->A->nb;
    int *ends = PCS_TAKE(mem, 4, int);
    *out = (islands){.n = 1,
                     .block_start = ends,
                     .sys_start = ends + 2,
                     .block = PCS_TAKE(mem, (size_t)b->nb, int),
                     .sys = PCS_TAKE(mem, (size_t)ns, int),
                     .place = PCS_TAKE(mem, (size_t)ns, int)};
    if (!ends || !out->block || !out->sys || !out->place) return pcs_fail_memory("contacts");
    memset(ends, 0, 4 * sizeof *ends);
    memset(out->place, 0, (size_t)ns * sizeof *out->place);
    for (int i = 0; i < b->nb; ++i) {
        if (!take[i]) continue;
        out->block[ends[1]++] = i;
        for (int side = 0; side < 2; ++side) {
            if (b->block[i].sys[side] >= 0) out->place[b->block[i].sys[side]] = 1;
        }
    }
    for (int s = 0; s < ns; ++s) {
        if (out->place[s]) out->sys[ends[3]] = s;
        out->place[s] = out->place[s] ? ends[3]++ : -1;
    }
    return PCS_OK;
}

pcs_status bodies_balance(const bodies_problem *b, const unsigned char *take, const double *load,
                          const double *v, pcs_arena work, double *r, bool *holds, double *free)
{
    finish_system s = {0};
    islands of;
    bodies_problem part;
    memset(holds, 0, (size_t)b->A->nb * sizeof *holds);
    PCS_TRY(gather(b, take, &work, &of));
    const int ns = of.sys_start[1];
    if (ns == 0) return PCS_OK;
    PCS_TRY(islands_extract(b, &of, 0, &work, &part));
    const int *start = part.A->start;
    const size_t nv = (size_t)start[ns];
    double *zero = PCS_TAKE(&work, nv, double), *its_v = PCS_TAKE(&work, nv, double);
    double *its_load = PCS_TAKE(&work, nv, double), *its_free = PCS_TAKE(&work, nv, double);
    double *its_r = PCS_TAKE(&work, (size_t)part.n, double);
    bool *its_holds = PCS_TAKE(&work, (size_t)ns, bool);
    if (!zero || !its_v || !its_load || !its_free || !its_r || !its_holds) {
        return pcs_fail_memory("contacts");
    }
    memset(zero, 0, nv * sizeof *zero);
    for (int k = 0; k < ns; ++k) {
        const size_t bytes = (size_t)(start[k + 1] - start[k]) * sizeof *v;
        memcpy(its_v + start[k], v + b->A->start[of.sys[k]], bytes);
        memcpy(its_load + start[k], load + b->A->start[of.sys[k]], bytes);
    }
    for (int k = 0; k < part.nb; ++k) {
        const bodies_block *to = &part.block[k];
        const size_t bytes = (size_t)to->dim * sizeof *r;
        memcpy(its_r + to->row, r + b->block[of.block[k]].row, bytes);
    }
    pcs_status status = finish_system_take(&s, &part, zero, &work);
    if (status == PCS_OK) status = balance(&s, its_load, its_v, work, its_r, its_holds, its_free);
    if (s.chol) finish_system_end(&s);
    if (status == PCS_ERR_UNSUPPORTED) return PCS_OK; // too large to be proven
    PCS_TRY(status);
    for (int k = 0; k < ns; ++k) {
        const size_t bytes = (size_t)(start[k + 1] - start[k]) * sizeof *v;
        memcpy(free + b->A->start[of.sys[k]], its_free + start[k], bytes);
        holds[of.sys[k]] = its_holds[k];
    }
    for (int k = 0; k < part.nb; ++k) {
        const bodies_block *from = &part.block[k];
        const size_t bytes = (size_t)from->dim * sizeof *r;
        memcpy(r + b->block[of.block[k]].row, its_r + from->row, bytes);
    }
    return PCS_OK;
}
