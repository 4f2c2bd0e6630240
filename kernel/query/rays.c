// The first hits of rays. The bounds of every shape are computed once; a shape is tested by the
// rays that cross its bounds nearer than their hit so far.
#include "query/query.h"

#include "collide/broad.h"
#include "collide/ray.h"
#include "linalg/m3.h"
#include "systems/systems.h"

pcs_ray pcs_ray_default(void)
{
    return (pcs_ray){.along = {0, 0, 1}, .reach = INFINITY, .mask = ~0u, .ignore = {-1}};
}

pcs_status query_check(const char *who, const pcs_model *m, const pcs_state *st)
{
    PCS_TRY(system_check_state(who, m, st, m));
    if (!pcs_all_finite(st->q, (size_t)st->nq)) {
        return pcs_fail(PCS_ERR_ARG, "%s: the state holds a coordinate that is not finite", who);
    }
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if (s->kind == SYSTEM_LAGRANGIAN || pcs_quat_norm(st->q + s->q_at + 3) > 0) continue;
        char words[PART_WORDS];
        return pcs_fail(PCS_ERR_ARG, "%s: the quaternion of %s is zero", who,
                        part_words(m, PART_SYSTEM, "system ", i + 1, words));
    }
    return PCS_OK;
}

static pcs_status check_ray(int i, const pcs_ray *ray)
{
    if (!pcs_all_finite(ray->from, 3) || !pcs_all_finite(ray->along, 3)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_state_cast_rays: ray %d has a number that is not finite",
                        i);
    }
    if (!(v3_norm(ray->along) > 0) || !isfinite(v3_norm(ray->along))) {
        return pcs_fail(PCS_ERR_ARG, "pcs_state_cast_rays: ray %d has no direction", i);
    }
    if (ray->reach > 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "pcs_state_cast_rays: the reach of ray %d is %g m; it must be positive", i,
                    ray->reach);
}

static void cast(const pcs_model *m, int shape, const double *q, const pcs_ray *ray,
                 const double low[3], const double high[3], bool unbounded, pcs_hit *hit)
{
    if (!query_sees(m, shape, ray->mask, ray->ignore)) return;
    double d[3], t, normal[3], t0 = 0, t1 = hit->distance;
    v3_unit(ray->along, d);
    if (!unbounded && !box_ray(low, high, ray->from, d, &t0, &t1)) return;
    if (!shape_ray(&m->shape[shape].shape, q, ray->from, d, hit->distance, &t, normal)) return;
    if (hit->shape >= 0 && !(t < hit->distance)) return;
    *hit = (pcs_hit){.shape = shape, .system = {m->shape[shape].system + 1}, .distance = t};
    v3_copy(normal, hit->normal);
}

pcs_status pcs_state_cast_rays(const pcs_model *m, const pcs_state *st, int n, const pcs_ray *rays,
                               pcs_hit *hits)
{
    static const char who[] = "pcs_state_cast_rays";
    PCS_TRY(query_check(who, m, st));
    if (n < 0 || (n > 0 && (!rays || !hits))) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d rays, or an argument is null", who, n);
    }
    for (int i = 0; i < n; ++i) {
        PCS_TRY(check_ray(i, &rays[i]));
    }
    for (int i = 0; i < n; ++i) {
        hits[i] = (pcs_hit){.shape = -1, .system = {-1}, .distance = rays[i].reach};
    }
    for (int shape = 0; shape < m->n_shapes; ++shape) {
        const double *q = query_pose(m, st, shape);
        double low[3], high[3];
        bool unbounded;
        collide_bounds(&m->shape[shape].shape, q, 0, low, high, &unbounded);
        double size = 0;
        for (int c = 0; c < 3 && !unbounded; ++c) {
            size = fmax(size, fmax(fabs(low[c]), fabs(high[c])));
        }
        // the margin covers the rounding of bounds
        for (int c = 0; c < 3; ++c) {
            low[c] -= 1e-12 * size;
            high[c] += 1e-12 * size;
        }
        for (int i = 0; i < n; ++i) {
            cast(m, shape, q, &rays[i], low, high, unbounded, &hits[i]);
        }
    }
    for (int i = 0; i < n; ++i) {
        double d[3];
        if (hits[i].shape < 0) continue;
        v3_unit(rays[i].along, d);
        v3_along(rays[i].from, hits[i].distance, d, hits[i].point);
    }
    return PCS_OK;
}
