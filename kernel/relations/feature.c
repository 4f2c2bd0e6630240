// Gap, normal and contact points of a pair of features at any pose (theory 4.1).
//
// Each side is a core (a point, a plane or a line) with a radius around it. N points from core 2 to
// core 1, and P1 and P2 are the points of the two surfaces that face each other along N. P1 - P2 is
// then g N, and since N . dN = 0 the rotation of N does not enter dg/dq: a frozen normal is exact.
//
// A core with a radius has an inside: the gap is the distance of the cores less the radii. Bare
// points and lines have none: there the normal at detection, n2, defines the side of body 2 on
// which core 1 is, and the gap changes sign when they pass each other.
#include "relations/contact.h"

#include <percuss/rotation.h>

#include "linalg/m3.h"

// sine of the angle below which two edges count as parallel: their cross product then has only half
// of its digits, and their crossing is 1e8 times as far away as their distance
#define PARALLEL 1e-8

// the cores in inertial components
typedef struct cores {
    double p1[3], d1[3], p2[3], d2[3]; // points; normals or directions
    double n2[3];                      // the normal at detection
    bool bare;                         // no radius on either side
} cores;

// the core points that face each other along N, and their signed distance: c1 - c2 = D N
typedef struct facing {
    double D, N[3], c1[3], c2[3];
} facing;

static inline void turn(feature_pose *at, const double d[3], double out[3])
{
    if (!at->q) {
        v3_copy(d, out);
        return;
    }
    if (!at->turned) {
        pcs_quat_to_matrix(at->q + 3, at->R);
        at->turned = true;
    }
    m3_mul(at->R, d, out);
}

// `point`: a core that needs no directions, which does not depend on the rotation if it is at G
static inline void place(feature_pose *at, const double p[3], bool point, double out[3])
{
    static const double none[3] = {0};
    if (at->q && point && p[0] == 0 && p[1] == 0 && p[2] == 0) {
        v3_along(at->q, 1, none, out);
        return;
    }
    turn(at, p, out);
    if (at->q) v3_along(at->q, 1, out, out);
}

static void copy(const double a[3], double sign, double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = sign * a[i];
    }
}

// the point of the line (p, d) nearest c
static void point_line(const double c[3], const double p[3], const double d[3], double foot[3])
{
    double w[3];
    v3_sub(c, p, w);
    v3_along(p, v3_dot(w, d), d, foot);
}

// n2 without its part along an edge (null: none); if nothing remains, any normal of the edge
static void fall_back(const double n2[3], const double *edge, double N[3])
{
    double part[3], F[9];
    v3_along(n2, edge ? -v3_dot(n2, edge) : 0, edge ? edge : n2, part);
    if (v3_unit(part, N) > PARALLEL || !edge) return;
    pcs_contact_frame(edge, F);
    copy(F + 3, 1, N);
}

// c1 and c2 face each other across an edge (null: they are two points): the normal joins them, and
// is n2 when they coincide
static void join(const cores *k, const double *edge, facing *f)
{
    double unit[3];
    f->D = apart(f->c1, f->c2, unit);
    if (f->D == 0) {
        fall_back(k->n2, edge, f->N);
        return;
    }
    const double side = k->bare && v3_dot(unit, k->n2) < 0 ? -1 : 1;
    f->D *= side;
    copy(unit, side, f->N);
}

// two lines: N = +-(d1 x d2), and with w = p2 - p1 line 1 is nearest at (w x d2).n / |n|^2
static void edge_edge(const cores *k, facing *f)
{
    double n[3], unit[3], w[3], wd[3];
    v3_cross(k->d1, k->d2, n);
    const double sine = v3_unit(n, unit);
    if (sine < PARALLEL) {
        copy(k->p1, 1, f->c1);
        point_line(k->p1, k->p2, k->d2, f->c2);
        join(k, k->d2, f);
        return;
    }

    v3_sub(k->p2, k->p1, w);
    v3_cross(w, k->d2, wd);
    v3_along(k->p1, v3_dot(wd, unit) / sine, k->d1, f->c1);

    f->D = -v3_dot(unit, w);
    v3_along(f->c1, -f->D, unit, f->c2);

    // the sign follows the rule at the head of the file
    double joining[3];
    const bool by_n2 = k->bare || apart(f->c1, f->c2, joining) == 0;
    const double side = (by_n2 ? v3_dot(unit, k->n2) : f->D) < 0 ? -1 : 1;
    f->D *= side;
    copy(unit, side, f->N);
}

static void face(pcs_feature_kind kind, const cores *k, facing *f)
{
    copy(k->p1, 1, f->c1);
    copy(k->p2, 1, f->c2);
    if (kind == PCS_FEATURE_POINT_POINT) {
        join(k, NULL, f);
    } else if (kind == PCS_FEATURE_POINT_EDGE) {
        point_line(k->p1, k->p2, k->d2, f->c2);
        join(k, k->d2, f);
    } else if (kind == PCS_FEATURE_EDGE_POINT) {
        point_line(k->p2, k->p1, k->d1, f->c1);
        join(k, k->d1, f);
    } else {
        edge_edge(k, f);
    }
}

// from the cores to the surfaces
static inline void surfaces(const pcs_feature *feature, double D, const double N[3],
                            const double c1[3], const double c2[3], pcs_gap *out)
{
    out->g = D - feature->radius1 - feature->radius2;
    copy(N, 1, out->N);
    v3_along(c1, -feature->radius1, N, out->P1);
    v3_along(c2, feature->radius2, N, out->P2);
}

// A point over a plane, by its height and its foot: most contacts are such
static void point_over_plane(const pcs_feature *f, feature_pose *one, feature_pose *two,
                             pcs_gap *out)
{
    const bool first = f->kind == PCS_FEATURE_PLANE_POINT; // body 1 has the plane
    feature_pose *at = first ? one : two;
    double c[3], p[3], n[3], w[3], foot[3], N[3];
    place(first ? two : one, first ? f->p2 : f->p1, true, c);
    place(at, first ? f->p1 : f->p2, false, p);
    turn(at, first ? f->d1 : f->d2, n);
    v3_sub(c, p, w);
    const double height = v3_dot(n, w);
    v3_along(c, -height, n, foot);
    copy(n, first ? -1 : 1, N);
    surfaces(f, height, N, first ? foot : c, first ? c : foot, out);
}

void feature_gap(const pcs_feature *feature, feature_pose *one, feature_pose *two, pcs_gap *out)
{
    const pcs_feature_kind kind = feature->kind;
    if (kind == PCS_FEATURE_POINT_PLANE || kind == PCS_FEATURE_PLANE_POINT) {
        point_over_plane(feature, one, two, out);
        return;
    }
    cores k;
    facing f;
    k.bare = feature->radius1 == 0 && feature->radius2 == 0;
    place(one, feature->p1, false, k.p1);
    place(two, feature->p2, false, k.p2);
    turn(one, feature->d1, k.d1);
    turn(two, feature->d2, k.d2);
    turn(two, feature->n2, k.n2);
    face(kind, &k, &f);
    surfaces(feature, f.D, f.N, f.c1, f.c2, out);
}

void pcs_feature_gap(const pcs_feature *feature, const double *q1, const double *q2, pcs_gap *out)
{
    if (!out) return;
    if (!feature) {
        *out = (pcs_gap){NAN, {NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
        return;
    }
    feature_pose one = {.q = q1}, two = {.q = q2};
    feature_gap(feature, &one, &two, out);
}
