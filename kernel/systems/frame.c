// Points in moving frames (theory 1.5): with omega and its derivative in the components of the
// moving frame B,
//
//     d/dt (R p)    = R (dp/dt + omega x p)
//     d2/dt2 (R p)  = R (d2p/dt2 + 2 omega x dp/dt + domega/dt x p + omega x (omega x p))
#include <percuss/rigid.h>

#include "linalg/m3.h"

// the terms in B components, without that of the origin
static void terms_in_B(const pcs_frame *f, const pcs_point_motion *p, pcs_point_motion_terms *t)
{
    const double *omega = f->v + 3, *alpha = f->a + 3;
    double wp[3], wv[3];
    v3_cross(omega, p->x, wp);
    v3_cross(omega, p->v, wv);
    v3_copy(p->a, t->relative);
    v3_scale(2, wv, t->coriolis);
    v3_cross(omega, wp, t->centripetal);
    v3_cross(alpha, p->x, t->euler);
}

void pcs_frame_point(const pcs_frame *f, const pcs_point_motion *p, pcs_axes axes,
                     pcs_point_motion *out, pcs_point_motion_terms *terms)
{
    double identity[7], xv[3], turn[3];
    const double *to = f->q; // pose from B to the requested axes
    pcs_point_motion_terms t;
    pcs_point_motion y;
    terms_in_B(f, p, &t);
    v3_cross(f->v + 3, p->x, turn);
    v3_along(p->v, 1, turn, xv);

    // in the requested axes: quantities given in B are rotated to A, or those given in A to B
    v3_copy(f->q, y.x);
    v3_copy(f->v, y.v);
    v3_copy(f->a, t.origin);
    if (axes == PCS_AXES_BODY) {
        pcs_pose_identity(identity);
        to = identity;
        pcs_pose_vector_back(f->q, y.x, y.x);
        pcs_pose_vector_back(f->q, y.v, y.v);
        pcs_pose_vector_back(f->q, t.origin, t.origin);
    }
    double *const parts[4] = {t.relative, t.coriolis, t.centripetal, t.euler};
    v3_copy(t.origin, y.a);
    for (int k = 0; k < 4; ++k) {
        pcs_pose_vector(to, parts[k], parts[k]);
        v3_along(y.a, 1, parts[k], y.a);
    }
    pcs_pose_vector(to, xv, xv);
    v3_along(y.v, 1, xv, y.v);
    pcs_pose_vector(to, p->x, xv);
    v3_along(y.x, 1, xv, y.x);

    *out = y;
    if (terms) *terms = t;
}

// p = R^T (y - x); its derivatives from the formulas above solved for those of p
void pcs_frame_point_back(const pcs_frame *f, const pcs_point_motion *y, pcs_point_motion *out)
{
    pcs_point_motion p = {.a = {0}};
    pcs_point_motion_terms t;
    double d[3], turn[3];
    pcs_pose_point_back(f->q, y->x, p.x);

    v3_sub(y->v, f->v, d);
    pcs_pose_vector_back(f->q, d, d);
    v3_cross(f->v + 3, p.x, turn);
    v3_sub(d, turn, p.v);

    terms_in_B(f, &p, &t);
    v3_sub(y->a, f->a, d);
    pcs_pose_vector_back(f->q, d, d);
    for (int i = 0; i < 3; ++i) {
        p.a[i] = d[i] - (t.coriolis[i] + t.centripetal[i] + t.euler[i]);
    }
    *out = p;
}

static pcs_point_motion origin_of(const pcs_frame *f)
{
    pcs_point_motion m;
    v3_copy(f->q, m.x);
    v3_copy(f->v, m.v);
    v3_copy(f->a, m.a);
    return m;
}

static void set_origin(pcs_frame *f, const pcs_point_motion *m)
{
    v3_copy(m->x, f->q);
    v3_copy(m->v, f->v);
    v3_copy(m->a, f->a);
}

// omega = R2^T omega1 + omega2, and d(R2^T w)/dt = R2^T dw/dt - omega2 x R2^T w
void pcs_frame_compose(const pcs_frame *AB, const pcs_frame *BC, pcs_frame *AC)
{
    const pcs_point_motion origin = origin_of(BC);
    pcs_frame out;
    pcs_point_motion m;
    double w[3], dw[3], turn[3];
    pcs_frame_point(AB, &origin, PCS_AXES_INERTIAL, &m, NULL);
    set_origin(&out, &m);
    pcs_quat_mul(AB->q + 3, BC->q + 3, out.q + 3);
    pcs_pose_vector_back(BC->q, AB->v + 3, w);
    pcs_pose_vector_back(BC->q, AB->a + 3, dw);
    v3_cross(w, BC->v + 3, turn);
    for (int i = 3; i < 6; ++i) {
        out.v[i] = w[i - 3] + BC->v[i];
        out.a[i] = dw[i - 3] + turn[i - 3] + BC->a[i];
    }
    *AC = out;
}

// the motion of the origin of A, at rest in A, relative to B; omega of A in B is -omega, in A
// components -R omega, and d(R omega)/dt = R domega/dt
void pcs_frame_inverse(const pcs_frame *f, pcs_frame *out)
{
    const pcs_point_motion rest = {.x = {0}};
    pcs_frame back;
    pcs_point_motion m;
    double w[3], dw[3];
    pcs_frame_point_back(f, &rest, &m);
    pcs_pose_inverse(f->q, back.q);
    set_origin(&back, &m);
    pcs_pose_vector(f->q, f->v + 3, w);
    pcs_pose_vector(f->q, f->a + 3, dw);
    v3_scale(-1, w, back.v + 3);
    v3_scale(-1, dw, back.a + 3);
    *out = back;
}
