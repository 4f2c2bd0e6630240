// Overlap of spheres and boxes by brute force.
#include "checks/overlap.h"

#include <math.h>
#include <stdlib.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// columns: the body axes
static void axes_of(const double Q[4], double A[9])
{
    const double w = Q[0], x = Q[1], y = Q[2], z = Q[3];
    A[0] = 1 - 2 * (y * y + z * z);
    A[1] = 2 * (x * y + w * z);
    A[2] = 2 * (x * z - w * y);
    A[3] = 2 * (x * y - w * z);
    A[4] = 1 - 2 * (x * x + z * z);
    A[5] = 2 * (y * z + w * x);
    A[6] = 2 * (x * z + w * y);
    A[7] = 2 * (y * z - w * x);
    A[8] = 1 - 2 * (x * x + y * y);
}

// half the shadow of a box with axes A on the direction n
static double shadow(const double A[9], const double half[3], const double n[3])
{
    return half[0] * fabs(dot(A, n)) + half[1] * fabs(dot(A + 3, n)) +
           half[2] * fabs(dot(A + 6, n));
}

static double boxes(const double A[9], const double a[3], const double B[9], const double b[3],
                    const double d[3])
{
    double least = INFINITY;
    for (int k = 0; k < 15; ++k) {
        double n[3];
        if (k < 6) {
            const double *from = k < 3 ? A + 3 * k : B + 3 * (k - 3);
            for (int i = 0; i < 3; ++i) {
                n[i] = from[i];
            }
        } else {
            const double *e = A + 3 * ((k - 6) / 3), *f = B + 3 * ((k - 6) % 3);
            for (int i = 0; i < 3; ++i) {
                const int j = (i + 1) % 3, l = (i + 2) % 3;
                n[i] = e[j] * f[l] - e[l] * f[j];
            }
            // the faces decide for edges that are more parallel than this
            const double length = sqrt(dot(n, n));
            if (length < 1e-6) continue;
            for (int i = 0; i < 3; ++i) {
                n[i] /= length;
            }
        }
        const double depth = shadow(A, a, n) + shadow(B, b, n) - fabs(dot(d, n));
        if (!(depth > 0)) return isnan(depth) ? depth : 0;
        if (depth < least) least = depth;
    }
    return least;
}

static double sphere_in_box(double radius, const double A[9], const double half[3],
                            const double d[3])
{
    double inside = INFINITY, square = 0;
    for (int i = 0; i < 3; ++i) {
        const double beyond = fabs(dot(A + 3 * i, d)) - half[i];
        if (isnan(beyond)) return beyond;
        if (beyond > 0) square += beyond * beyond;
        if (-beyond < inside) inside = -beyond;
    }
    const double depth = radius + (inside > 0 ? inside : -sqrt(square));
    return depth > 0 ? depth : 0;
}

static double bound(const rigid *b)
{
    return b->radius > 0 ? b->radius : sqrt(dot(b->half, b->half));
}

static double pair_depth(const rigid *a, const double *qa, const double A[9], const rigid *b,
                         const double *qb, const double B[9])
{
    double d[3];
    for (int i = 0; i < 3; ++i) {
        d[i] = qb[i] - qa[i];
    }
    if (a->radius > 0 && b->radius > 0) {
        const double depth = a->radius + b->radius - sqrt(dot(d, d));
        return depth <= 0 ? 0 : depth;
    }
    if (a->radius > 0) return sphere_in_box(a->radius, B, b->half, d);
    if (b->radius > 0) return sphere_in_box(b->radius, A, a->half, d);
    return boxes(A, a->half, B, b->half, d);
}

double overlap_of_pair(const rigid *a, const double qa[7], const rigid *b, const double qb[7])
{
    double A[9], B[9];
    axes_of(qa + 3, A);
    axes_of(qb + 3, B);
    return pair_depth(a, qa, A, b, qb, B);
}

double overlap_with_plane(const rigid *a, const double q[7], const double plane[4])
{
    double A[9];
    axes_of(q + 3, A);
    const double reach = a->radius > 0 ? a->radius : shadow(A, a->half, plane);
    const double depth = reach + plane[3] - dot(plane, q);
    return depth <= 0 ? 0 : depth;
}

// keeps the deepest; a NaN is the deepest of all
static void deepen(overlaps *out, double depth, int first, int second)
{
    if (!(depth > out->deepest) && !isnan(depth)) return;
    if (isnan(out->deepest)) return;
    out->deepest = depth;
    out->first = first;
    out->second = second;
}

static double energy_of(const bodies *s, const rigid *b, const double *q, const double *v)
{
    double kinetic = b->mass * dot(v, v);
    for (int i = 0; i < 3; ++i) {
        kinetic += b->inertia[i] * v[3 + i] * v[3 + i];
    }
    return 0.5 * kinetic - b->mass * dot(s->gravity, q);
}

bool overlap_measure(const bodies *s, const double *q, const double *v, overlaps *out)
{
    *out = (overlaps){.first = -1, .second = -1};
    const size_t n = s->n > 0 ? (size_t)s->n : 1;
    double *A = malloc(9 * n * sizeof *A), *at = malloc(4 * n * sizeof *at);
    if (!A || !at) {
        free(A);
        free(at);
        return false;
    }
    for (int i = 0; i < s->n; ++i) {
        const double *qi = q + 7 * (size_t)i;
        axes_of(qi + 3, A + 9 * (size_t)i);
        for (int k = 0; k < 3; ++k) {
            at[4 * (size_t)i + (size_t)k] = qi[k];
        }
        at[4 * (size_t)i + 3] = bound(&s->body[i]);
        if (s->body[i].fixed) continue;
        out->energy += energy_of(s, &s->body[i], qi, v + 6 * (size_t)i);
        bool within = false;
        for (int k = 0; k < s->planes; ++k) {
            deepen(out, overlap_with_plane(&s->body[i], qi, s->plane[k]), i, -1 - k);
            within = within || !(dot(s->plane[k], qi) > s->plane[k][3]);
        }
        out->outside += within;
    }
    for (size_t i = 0; i < (size_t)s->n; ++i) {
        const double *p = at + 4 * i;
        for (size_t j = i + 1; j < (size_t)s->n; ++j) {
            const double *r = at + 4 * j;
            const double x = r[0] - p[0], y = r[1] - p[1], z = r[2] - p[2], reach = r[3] + p[3];
            if (x * x + y * y + z * z > reach * reach) continue;
            if (s->body[i].fixed && s->body[j].fixed) continue;
            deepen(out,
                   pair_depth(&s->body[i], q + 7 * i, A + 9 * i, &s->body[j], q + 7 * j, A + 9 * j),
                   (int)i, (int)j);
        }
    }
    free(A);
    free(at);
    return true;
}
