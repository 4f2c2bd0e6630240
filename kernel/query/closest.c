// The closest points of shapes: pcs_collide, whose first feature has the smallest gap, for the
// pairs whose bounds are nearer than the best so far.
#include "query/query.h"

#include <string.h>

#include "collide/broad.h"
#include "collide/collide.h"
#include "rotation/pose.h"

// one shape at a pose, with its bounds
typedef struct placed {
    const pcs_shape *s;
    const double *q;
    double low[3], high[3];
    bool unbounded;
} placed;

static placed place(const pcs_shape *s, const double *q)
{
    placed p = {.s = s, .q = q};
    collide_bounds(s, q, 0, p.low, p.high, &p.unbounded);
    return p;
}

// lower bound of the distance of the shapes
static double bounds_apart(const placed *a, const placed *b)
{
    if (a->unbounded || b->unbounded) return -INFINITY;
    double square = 0, size = 0;
    for (int i = 0; i < 3; ++i) {
        const double d = fmax(0, fmax(a->low[i] - b->high[i], b->low[i] - a->high[i]));
        square += d * d;
        size = fmax(size, fmax(fabs(a->low[i]), fabs(b->high[i])));
    }
    return square > 0 ? sqrt(square) - 1e-12 * size : -INFINITY;
}

static bool is_surface(const pcs_shape *s)
{
    return s->kind == PCS_SHAPE_MESH || s->kind == PCS_SHAPE_HEIGHT_FIELD;
}

// upper bound of all distances
static double most_apart(const placed *a, const placed *b)
{
    double p[3], q[3], d[3];
    pose_point(a->q, a->s->position, p);
    pose_point(b->q, b->s->position, q);
    v3_sub(p, q, d);
    return (v3_norm(d) + shape_radius(a->s) + shape_radius(b->s)) * (1 + 1e-9);
}

// The closest feature of a pair within reach: returns 1 or 0. Against a surface any number may be
// within reach: the reach grows until there is one.
static pcs_status closest_feature(const pcs_env *env, const placed *a, const placed *b,
                                  double reach, pcs_feature *f, bool *found)
{
    *found = false;
    double within = fmin(reach, most_apart(a, b));
    if (!is_surface(a->s) && !is_surface(b->s)) {
        pcs_feature few[PCS_FEATURES_MAX];
        *found = pcs_collide(a->s, a->q, b->s, b->q, within, PCS_FEATURES_MAX, few) > 0;
        if (*found) *f = few[0];
        return PCS_OK;
    }
    const double size = shape_radius(is_surface(a->s) ? b->s : a->s);
    const double last = within;
    within = fmin(last, fmax(0, bounds_apart(a, b)) + 0.1 * size + 1e-3 * last);
    for (;;) {
        const int n = pcs_collide(a->s, a->q, b->s, b->q, within, 0, NULL);
        if (n == 0 && within >= last) return PCS_OK;
        if (n == 0) {
            within = fmin(last, 2 * within);
            continue;
        }
        pcs_feature *all = pcs_env_alloc(env, (size_t)n, sizeof *all);
        if (!all) return pcs_fail_memory("pcs_state_closest");
        *found = pcs_collide(a->s, a->q, b->s, b->q, within, n, all) > 0;
        if (*found) *f = all[0];
        pcs_env_free(env, all);
        return PCS_OK;
    }
}

// replaces *out when the pair is closer; returns true then
static pcs_status meet(const pcs_env *env, const placed *a, const placed *b, pcs_closest *out,
                       bool *closer)
{
    *closer = false;
    if (bounds_apart(a, b) > out->distance) return PCS_OK;
    pcs_feature f;
    bool found;
    PCS_TRY(closest_feature(env, a, b, out->distance, &f, &found));
    if (!found) return PCS_OK;
    pcs_gap gap;
    pcs_feature_gap(&f, a->q, b->q, &gap);
    if (out->shape2 >= 0 && !(gap.g < out->distance)) return PCS_OK;
    *closer = true;
    out->distance = gap.g;
    v3_copy(gap.N, out->normal);
    v3_copy(gap.P1, out->P1);
    v3_copy(gap.P2, out->P2);
    return PCS_OK;
}

static const pcs_closest nothing = {
    .shape1 = -1, .shape2 = -1, .system1 = {-1}, .system2 = {-1}, .distance = INFINITY};

static pcs_status check_reach(const char *who, double reach)
{
    if (reach > 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the reach is %g m; it must be positive", who, reach);
}

pcs_probe pcs_probe_of(const pcs_shape *shape)
{
    pcs_probe p = {.q = {0, 0, 0, 1, 0, 0, 0}, .reach = INFINITY, .mask = ~0u, .ignore = {-1}};
    if (shape) p.shape = *shape;
    return p;
}

static pcs_status check_probe(const char *who, const pcs_probe *probe)
{
    pcs_shape shape = probe->shape;
    // the probe is a point
    if (shape.kind == PCS_SHAPE_SPHERE && shape.radius == 0) shape.radius = 1;
    PCS_TRY(pcs_shape_check(&shape));
    PCS_TRY(check_reach(who, probe->reach));
    if (pcs_all_finite(probe->q, 7) && pcs_quat_norm(probe->q + 3) > 0) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "%s: the pose of the probe is not finite, or its quaternion zero",
                    who);
}

pcs_status pcs_state_closest(const pcs_model *m, const pcs_state *st, const pcs_probe *probe,
                             pcs_closest *out)
{
    static const char who[] = "pcs_state_closest";
    PCS_TRY(query_check(who, m, st));
    if (!probe || !out) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", who);
    PCS_TRY(check_probe(who, probe));
    pcs_closest best = nothing;
    best.distance = probe->reach;
    const placed a = place(&probe->shape, probe->q);
    for (int i = 0; i < m->n_shapes; ++i) {
        if (!query_sees(m, i, probe->mask, probe->ignore)) continue;
        const placed b = place(&m->shape[i].shape, query_pose(m, st, i));
        bool closer;
        PCS_TRY(meet(&m->env, &a, &b, &best, &closer));
        if (!closer) continue;
        best.shape2 = i;
        best.system2 = (pcs_system){m->shape[i].system + 1};
    }
    *out = best;
    return PCS_OK;
}

static bool there_is(const pcs_model *m, pcs_system system)
{
    return system.id == 0 || model_find(m, system);
}

pcs_status pcs_state_distance(const pcs_model *m, const pcs_state *st, pcs_system system1,
                              pcs_system system2, double reach, pcs_closest *out)
{
    static const char who[] = "pcs_state_distance";
    PCS_TRY(query_check(who, m, st));
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: the result is null", who);
    PCS_TRY(check_reach(who, reach));
    if (!there_is(m, system1) || !there_is(m, system2) || system1.id == system2.id) {
        return pcs_fail(PCS_ERR_ARG, "%s: systems %d and %d; both must exist and differ", who,
                        system1.id, system2.id);
    }
    pcs_closest best = nothing;
    best.distance = reach;
    for (int i = 0; i < m->n_shapes; ++i) {
        if (m->shape[i].system != system1.id - 1 || !query_sees(m, i, ~0u, (pcs_system){-1})) {
            continue;
        }
        const placed a = place(&m->shape[i].shape, query_pose(m, st, i));
        for (int j = 0; j < m->n_shapes; ++j) {
            if (m->shape[j].system != system2.id - 1 || !query_sees(m, j, ~0u, (pcs_system){-1})) {
                continue;
            }
            const placed b = place(&m->shape[j].shape, query_pose(m, st, j));
            bool closer;
            PCS_TRY(meet(&m->env, &a, &b, &best, &closer));
            if (!closer) continue;
            best.shape1 = i;
            best.shape2 = j;
        }
    }
    if (best.shape2 >= 0) {
        best.system1 = system1;
        best.system2 = system2;
    }
    *out = best;
    return PCS_OK;
}
