// With x = s r - s(u) the pair x' = P_K(x), v = x' - x obeys the law of friction exactly (Moreau),
// and is as near to (s r, s(u)) as the natural map is small. The margin is the distance of this
// pair to the nearest one with another status:
//
//     open   s r = 0, u in K*      u_N                       to sliding or closing
//     stick  u = 0, s r in K       (mu s r_N - s |r_T|) / (1 + mu^2)^1/2          to sliding
//     slide  s r_N (1, mu e), u_T  min(|u_T|, s r_N (1 + mu^2)^1/2)    to sticking, to opening
//
// The margin of a closed block without friction is s r_N. A box sticks where |x| <= s mu, x = s r -
// u, and slides elsewhere; the margin is the distance of |x| to s mu.
#include "certificate/verdict.h"

#include "cone/cone.h"

static verdict decide(verdict v, double error)
{
    // not a < b: a NaN decides nothing
    if (!(v.margin > error)) v.status = PCS_CONTACT_UNDECIDED;
    return v;
}

static verdict without_friction(double x, double error)
{
    verdict v = {.status = PCS_CONTACT_OPEN, .margin = fabs(x), .allowed = ALLOW_NOTHING};
    if (x > 0) {
        v.status = PCS_CONTACT_SLIDE;
        v.allowed = ALLOW_NORMAL;
    }
    return decide(v, error);
}

static verdict with_friction(int d, double mu, const double *x, double error)
{
    const double t = cone_tangent(d, x), length = hypot(1, mu);
    verdict v = {.allowed = ALLOW_CONE};
    if (x[0] >= 0 && t <= mu * x[0]) {
        v.status = PCS_CONTACT_STICK;
        v.margin = (mu * x[0] - t) / length;
    } else if (mu * t <= -x[0]) {
        v.status = PCS_CONTACT_OPEN;
        v.margin = -x[0] - mu * t;
        v.allowed = ALLOW_NOTHING;
        v.slip = t;
    } else {
        const double push =
            mu <= 1 ? (x[0] + mu * t) / (1 + mu * mu) : (x[0] / mu + t) / (1 / mu + mu);
        const double most = push * length;
        v.status = PCS_CONTACT_SLIDE;
        v.push = push;
        v.slip = t - mu * push;
        v.margin = v.slip < most ? v.slip : most;
        v.allowed = ALLOW_RAY;
    }
    for (int c = 1; c < d && t > 0; ++c) {
        v.e[c - 1] = x[c] / t;
    }
    return decide(v, error);
}

allowed verdict_doubt(const pcs_block *k, const verdict *v, double error)
{
    if (k->cone == PCS_CONE_BOX) return k->mu > 0 ? ALLOW_ALL : ALLOW_NOTHING;
    if (k->cone == PCS_CONE_EQUALITY) return ALLOW_ALL;
    if (k->cone == PCS_CONE_UNILATERAL || k->mu == 0) return ALLOW_NORMAL;
    return v->slip > error ? ALLOW_RAY : ALLOW_CONE;
}

static verdict judge(const pcs_block *k, double s, double error, const double *r, const double *u)
{
    if (k->cone == PCS_CONE_EQUALITY) {
        return (verdict){.status = PCS_CONTACT_STICK, .margin = INFINITY, .allowed = ALLOW_ALL};
    }
    if (k->cone == PCS_CONE_BOX) {
        const double over = fabs(s * r[0] - u[0]) - s * k->mu;
        const bool slides = over > 0;
        return decide((verdict){.status = slides ? PCS_CONTACT_SLIDE : PCS_CONTACT_STICK,
                                .margin = fabs(over),
                                .allowed = slides ? ALLOW_NOTHING : ALLOW_ALL},
                      error);
    }
    if (k->cone == PCS_CONE_UNILATERAL || k->mu == 0)
        return without_friction(s * r[0] - u[0], error);

    // with much friction the shift has the error of u_T many times: the nearest pair sticks
    const double ut = cone_tangent(k->dim, u);
    const bool sticks = k->mu > CONE_STEEP && fabs(u[0]) <= error && ut <= error;
    double x[3] = {s * r[0] - (sticks ? 0 : u[0] + k->mu * ut)};
    for (int c = 1; c < k->dim; ++c) {
        x[c] = s * r[c] - (sticks ? 0 : u[c]);
    }
    return with_friction(k->dim, k->mu, x, error);
}

verdict verdict_of(const pcs_block *k, double s, double error, const double *r, const double *u)
{
    verdict v = judge(k, s, error, r, u);
    if (v.status == PCS_CONTACT_UNDECIDED) v.allowed = verdict_doubt(k, &v, error);
    return v;
}
