// A capsule against a half-space, a sphere and a capsule. A capsule is all that is within r of the
// segment c +- h z. With D the distance of the cores (segment and plane, point, segment)
//     g = D - r1 - r2.
// Over a half-space both ends are contacts. Two capsules that nearly run along each other have
// two contacts, at the ends of what their cores share; otherwise one. A pair with a sphere has
// one contact, so its id is 0 whether the end or the side is nearest.
#include "collide/collide.h"

#include "base/base.h"
#include "rotation/pose.h"

// sine below which two capsules touch on a length
static const double manifold_tol = 0.05;

// sine below which the cross product of two axes is no direction
static const double parallel_tol = 1e-8;

// contacts nearer than this, relative to the length, are one
static const double duplicate_tol = 1e-6;

// the core in inertial components, and its part numbers in a feature: the ends are parts 0 and 1,
// the side is part 2
typedef struct core {
    const pcs_shape *s;
    double c[3], z[3], half;
} core;

static core place(const pcs_shape *s, const double *q)
{
    core k = {.s = s, .half = s->half[2]};
    double z[3];
    quat_z_axis(s->orientation, z);
    pose_direction(q, z, k.z);
    pose_point(q, s->position, k.c);
    return k;
}

// point of the core at height t, and the axis, in the body's frame
static void write_core(const core *k, double t, double p[3], double d[3])
{
    quat_z_axis(k->s->orientation, d);
    v3_along(k->s->position, t, d, p);
}

static int part(const core *k, double t)
{
    return t >= k->half ? 1 : t <= -k->half ? 0 : 2;
}

int collide_capsule_half_space(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                               const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    const core k = place(s1, q1);
    double n2[3], n[3], a[3], ac[3], axis[3];
    quat_z_axis(s2->orientation, n2);
    pose_direction(q2, n2, n);
    pose_point(q2, s2->position, a);
    v3_sub(k.c, a, ac);
    const double g = v3_dot(n, ac) - s1->radius, slope = v3_dot(n, k.z) * k.half;

    // the lower end first; at equal heights the end at -h
    int count = 0;
    for (int which = 0; which < 2; ++which) {
        const double side = (slope < 0) == (which == 0) ? 1 : -1;
        if (!(g + side * slope <= reach)) continue;
        pcs_feature *f = &out[count++];
        *f = shape_on_plane(s2, n2, side > 0, s1->radius);
        write_core(&k, side * k.half, f->p1, axis);
    }
    return count;
}

int collide_sphere_capsule(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                           const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    const core k = place(s2, q2);
    double c[3], w[3], N[3];
    pose_point(q1, s1->position, c);
    v3_sub(c, k.c, w);
    const double t = fmin(k.half, fmax(-k.half, v3_dot(w, k.z)));
    v3_along(w, -t, k.z, w);
    const double far = s1->radius + s2->radius + reach, D2 = v3_dot(w, w);
    if (!(far >= 0) || !(D2 <= far * far)) return 0;

    pcs_feature *f = &out[0];
    *f = (pcs_feature){.kind = part(&k, t) == 2 ? PCS_FEATURE_POINT_EDGE : PCS_FEATURE_POINT_POINT,
                       .radius1 = s1->radius,
                       .radius2 = s2->radius};
    v3_copy(s1->position, f->p1);
    write_core(&k, t, f->p2, f->d2);
    if (f->kind == PCS_FEATURE_POINT_POINT) f->d2[0] = f->d2[1] = f->d2[2] = 0;

    // for a centre on the core the normal is not determined: the x axis of the capsule
    if (v3_unit(w, N) > 0) {
        pose_direction_back(q2, N, f->n2);
    } else {
        quat_turn(s2->orientation, 1, (const double[3]){1, 0, 0}, f->n2);
    }
    return 1;
}

// the contact of the cores at heights t1 and t2; false if it is out of reach
static bool contact(const core *a, const core *b, const double *q2, double t1, double t2,
                    double reach, pcs_feature *f)
{
    double x1[3], x2[3], w[3], N[3];
    v3_along(a->c, t1, a->z, x1);
    v3_along(b->c, t2, b->z, x2);
    v3_sub(x1, x2, w);
    const double far = a->s->radius + b->s->radius + reach, D2 = v3_dot(w, w);
    if (!(far >= 0) || !(D2 <= far * far)) return false;

    static const pcs_feature_kind kinds[2][2] = {{PCS_FEATURE_POINT_POINT, PCS_FEATURE_POINT_EDGE},
                                                 {PCS_FEATURE_EDGE_POINT, PCS_FEATURE_EDGE_EDGE}};
    const int part1 = part(a, t1), part2 = part(b, t2);
    *f = (pcs_feature){.kind = kinds[part1 == 2][part2 == 2],
                       .id = (unsigned)(3 * part1 + part2),
                       .radius1 = a->s->radius,
                       .radius2 = b->s->radius};
    write_core(a, t1, f->p1, f->d1);
    write_core(b, t2, f->p2, f->d2);

    // cores that meet: the normal is orthogonal to both, or to the one that has a length
    if (!(v3_unit(w, N) > 0)) {
        v3_cross(a->z, b->z, N);
        if (!(v3_unit(N, N) > parallel_tol)) {
            quat_turn(b->s->orientation, 1, (const double[3]){1, 0, 0}, f->n2);
            return true;
        }
    }
    pose_direction_back(q2, N, f->n2);
    return true;
}

static double clamp(double t, double half)
{
    return fmin(half, fmax(-half, t));
}

// the closest points of two segments: of their lines where these are on both, else from an end
// (Lumelsky 1985)
static void closest(const core *a, const core *b, double *t1, double *t2)
{
    double w[3], n[3], x[3];
    v3_sub(b->c, a->c, w);
    v3_cross(a->z, b->z, n);
    const double nn = v3_dot(n, n);
    const double cosine = v3_dot(a->z, b->z);
    *t1 = 0;
    if (nn > parallel_tol * parallel_tol) {
        v3_cross(w, b->z, x);
        *t1 = clamp(v3_dot(x, n) / nn, a->half);
    }
    const double free2 = cosine * *t1 - v3_dot(w, b->z);
    *t2 = clamp(free2, b->half);
    if (*t2 != free2 || nn <= parallel_tol * parallel_tol) {
        *t1 = clamp(cosine * *t2 + v3_dot(w, a->z), a->half);
    }
    if (nn <= parallel_tol * parallel_tol) *t2 = clamp(cosine * *t1 - v3_dot(w, b->z), b->half);
}

// the other end of the part that nearly parallel cores share
static int add_ends(const core *a, const core *b, const double *q2, double reach, double t1,
                    pcs_feature out[2])
{
    double w[3], n[3];
    v3_cross(a->z, b->z, n);
    if (v3_dot(n, n) > manifold_tol * manifold_tol) return 0;
    v3_sub(b->c, a->c, w);
    const double cosine = v3_dot(a->z, b->z), middle = v3_dot(w, a->z);
    const double low = fmax(-a->half, middle - b->half * fabs(cosine));
    const double high = fmin(a->half, middle + b->half * fabs(cosine));
    if (!(high - low > duplicate_tol * (a->half + b->half))) return 0;

    int count = 0;
    const double ends[2] = {low, high};
    for (int k = 0; k < 2; ++k) {
        // the end of one core: heights are exact there, so that the part is known
        double at1 = ends[k], at2;
        if (fabs(at1) == a->half) {
            at2 = clamp(cosine * at1 - v3_dot(w, b->z), b->half);
        } else {
            at2 = (k == 0) == (cosine > 0) ? -b->half : b->half;
            at1 = clamp(cosine * at2 + middle, a->half);
        }
        if (fabs(at1 - t1) <= duplicate_tol * (a->half + b->half)) continue;
        count += contact(a, b, q2, at1, at2, reach, &out[count]);
    }
    return count;
}

int collide_capsule_capsule(const pcs_shape *s1, const double *q1, const pcs_shape *s2,
                            const double *q2, double reach, pcs_feature out[PCS_FEATURES_MAX])
{
    const core a = place(s1, q1), b = place(s2, q2);
    double w[3], t1, t2;
    v3_sub(b.c, a.c, w);
    const double far = reach + s1->radius + s2->radius + a.half + b.half;
    if (!(far >= 0) || !(v3_dot(w, w) <= far * far)) return 0;

    closest(&a, &b, &t1, &t2);
    if (!contact(&a, &b, q2, t1, t2, reach, &out[0])) return 0;

    // on parallel cores a whole length is closest: only its ends count
    pcs_feature ends[2];
    const int n = add_ends(&a, &b, q2, reach, t1, ends);
    double cross[3];
    v3_cross(a.z, b.z, cross);
    const bool level = n == 2 && v3_dot(cross, cross) <= parallel_tol * parallel_tol;
    for (int i = 0; i < n; ++i) {
        out[i + !level] = ends[i];
    }
    return n + !level;
}
