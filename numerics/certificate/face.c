// The columns of the face: the directions that the verdict of each block allows; see face.h.
#include "certificate/face.h"

#include <string.h>

#include "cone/cone.h"
#include "problem/measure.h"
#include "problem/problem.h"

// tolerance of a rank: the larger of this and SLACK times the error of the directions of slip
#define RCOND      1e-10
#define RCOND_MOST 1e-4
#define SLACK      10

size_t face_bytes(const pcs_problem *p)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    return 2 * n * sizeof(double) + nb * sizeof(verdict) + (nb + 1) * sizeof(int) + 4 * 64;
}

static int columns_of(const verdict *v, int d)
{
    switch (v->allowed) {
    case ALLOW_NOTHING:
        return 0;
    case ALLOW_NORMAL:
    case ALLOW_RAY:
        return 1;
    case ALLOW_CONE:
    case ALLOW_ALL:
        return d;
    }
    return d;
}

int face_columns(const face *f, int b)
{
    return f->first[b + 1] - f->first[b];
}

// a rank is not more accurate than its columns, and a column of a slide only as accurate as its
// direction
static double sharpness(const face *f)
{
    double worst = RCOND;
    for (int b = 0; b < f->p->nb; ++b) {
        const verdict *v = &f->verdict[b];
        if (v->allowed != ALLOW_RAY || !(v->slip > 0)) continue;
        const double angle = SLACK * f->measure.residual * f->size / v->slip;
        if (angle > worst) worst = angle;
    }
    return worst < RCOND_MOST ? worst : RCOND_MOST;
}

bool face_take(const pcs_problem *p, double tol, const double *r, const double *u,
               const pcs_measure *m, pcs_arena *arena, face *out)
{
    const size_t n = (size_t)p->n, nb = (size_t)p->nb;
    *out = (face){.p = p, .measure = *m};
    out->s = PCS_TAKE(arena, n, double);
    out->u = PCS_TAKE(arena, n, double);
    out->verdict = PCS_TAKE(arena, nb, verdict);
    out->first = PCS_TAKE(arena, nb + 1, int);
    if (!out->s || !out->u || !out->verdict || !out->first) return false;

    for (size_t i = 0; i < n; ++i) {
        out->s[i] = u[i] - p->q[i];
    }
    out->size = fmax(m->norm_q, problem_norm(p->n, out->s));
    out->error = measure_error(m, tol);
    memcpy(out->u, u, n * sizeof *u);
    problem_scales(p, out->s);

    for (int b = 0; b < p->nb; ++b) {
        const pcs_block *k = &p->block[b];
        out->verdict[b] =
            verdict_of(k, out->s[k->row], out->error * out->size, r + k->row, u + k->row);
    }
    face_number(out);
    return true;
}

void face_number(face *f)
{
    f->n = 0;
    for (int b = 0; b < f->p->nb; ++b) {
        f->first[b] = f->n;
        f->n += columns_of(&f->verdict[b], f->p->block[b].dim);
    }
    f->first[f->p->nb] = f->n;
    f->rcond = sharpness(f);
}

void face_doubt(face *f, int b)
{
    verdict *v = &f->verdict[b];
    v->status = PCS_CONTACT_UNDECIDED;
    v->allowed = verdict_doubt(&f->p->block[b], v, f->error * f->size);
}

// the single column of a ray: N and tangents, of length 1
static void ray(const pcs_block *k, const verdict *v, double *e)
{
    const double length = hypot(1, k->mu);
    e[0] = 1 / length;
    for (int c = 1; c < k->dim; ++c) {
        e[c] = k->mu / length * v->e[c - 1];
    }
}

void face_restrict(const face *f, const double *v, double *x)
{
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        double *to = x + f->first[b], e[3];
        if (f->verdict[b].allowed != ALLOW_RAY) {
            memcpy(to, v + k->row, (size_t)face_columns(f, b) * sizeof *to);
            continue;
        }
        ray(k, &f->verdict[b], e);
        to[0] = 0;
        for (int c = 0; c < k->dim; ++c) {
            to[0] += e[c] * v[k->row + c];
        }
    }
}

void face_enter(const face *f, const double *r, double *x)
{
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const verdict *v = &f->verdict[b];
        const double *rb = r + k->row, *s = f->s + k->row;
        double *to = x + f->first[b], e[3], sum = 0;
        switch (v->allowed) {
        case ALLOW_NOTHING:
            break;
        case ALLOW_NORMAL:
            to[0] = sqrt(s[0]) * cone_project_unilateral(rb[0]);
            break;
        case ALLOW_RAY:
            ray(k, v, e);
            for (int c = 0; c < k->dim; ++c) {
                sum += e[c] * rb[c];
            }
            to[0] = sqrt(s[0]) * cone_project_unilateral(sum);
            break;
        case ALLOW_CONE:
        case ALLOW_ALL:
            memcpy(to, rb, (size_t)k->dim * sizeof *to);
            if (v->allowed == ALLOW_CONE) cone_project_coulomb(k->dim, k->mu, to);
            for (int c = 0; c < k->dim; ++c) {
                to[c] *= sqrt(s[c]);
            }
            break;
        }
    }
}

void face_leave(const face *f, const double *x, double *r)
{
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const verdict *v = &f->verdict[b];
        const double *from = x + f->first[b], *s = f->s + k->row;
        double *rb = r + k->row, e[3] = {1, 0, 0};
        if (v->allowed == ALLOW_RAY) ray(k, v, e);
        for (int c = 0; c < k->dim; ++c) {
            if (v->allowed == ALLOW_NOTHING) {
                // a box that slides carries its limit
                const bool box = k->cone == PCS_CONE_BOX;
                rb[c] = box ? copysign(k->mu, -f->u[k->row]) : 0;
            } else if (v->allowed == ALLOW_NORMAL || v->allowed == ALLOW_RAY) {
                rb[c] = e[c] * from[0] / sqrt(s[0]);
            } else {
                rb[c] = from[c] / sqrt(s[c]);
            }
        }
    }
}

void face_matrix(const face *f, int *place, double *W)
{
    for (int i = 0; i < f->p->n; ++i) {
        place[i] = i;
    }
    problem_restrict(f->p, place, f->p->n, f->s, W);
}

void face_apply(const face *f, const double *W, double *B)
{
    const size_t n = (size_t)f->p->n;
    for (int b = 0; b < f->p->nb; ++b) {
        const pcs_block *k = &f->p->block[b];
        const double *w = W + n * (size_t)k->row;
        double *to = B + n * (size_t)f->first[b], e[3];
        if (f->verdict[b].allowed != ALLOW_RAY) {
            memcpy(to, w, n * (size_t)face_columns(f, b) * sizeof *to);
            continue;
        }
        ray(k, &f->verdict[b], e);
        for (size_t i = 0; i < n; ++i) {
            to[i] = 0;
            for (int c = 0; c < k->dim; ++c) {
                to[i] += w[i + n * (size_t)c] * e[c];
            }
        }
    }
}
