// Near pairs of shapes while a projection moves bodies: found once by their bounds, with a margin
// for motion, and updated only for bodies that have moved.
#include "step/project.h"

#include <float.h>
#include <string.h>

#include "rotation/pose.h"

// ---- the list ----------------------------------------------------------------------------------

static bool in_order(const int a[2], const int b[2])
{
    const int a0 = a[0] < a[1] ? a[0] : a[1], a1 = a[0] < a[1] ? a[1] : a[0];
    const int b0 = b[0] < b[1] ? b[0] : b[1], b1 = b[0] < b[1] ? b[1] : b[0];
    return a0 < b0 || (a0 == b0 && a1 < b1);
}

static int system_of(const trial *t, int shape)
{
    return t->m->shape[shape].system;
}

// takes the depths of the overlaps found; both lists are sorted by pair
static void take_depths(const trial *t, const touches *over, near_pairs *near)
{
    for (int k = 0, i = 0; k < over->n; ++k) {
        const int *pair = over->pair[over->pair_of[k]];
        while (i < near->n && in_order(near->pair[i].shape, pair)) {
            ++i;
        }
        // the filter of the user may return another result now
        if (i == near->n || in_order(pair, near->pair[i].shape)) continue;
        near_pair *p = &near->pair[i];
        p->depth = fmax(p->depth, -near_gap(t, p, &over->f[k], t->end.q));
    }
}

// the pairs of each system
static pcs_status sort_by_system(const trial *t, near_pairs *near, pcs_arena *mem)
{
    const int ns = t->m->n_systems;
    near->start = PCS_TAKE(mem, (size_t)ns + 2, int);
    near->at = PCS_TAKE(mem, 2 * (size_t)near->n, int);
    near->path = PCS_TAKE(mem, (size_t)ns, double);
    if (!near->start || !near->at || !near->path) return pcs_fail_memory("projection");
    memset(near->start, 0, ((size_t)ns + 2) * sizeof *near->start);
    memset(near->path, 0, (size_t)ns * sizeof *near->path);
    for (int i = 0; i < near->n; ++i) {
        for (int side = 0; side < 2; ++side) {
            const int system = system_of(t, near->pair[i].shape[side]);
            if (system_can_move(t->m, system)) near->start[system + 2] += 1;
        }
    }
    for (int s = 2; s <= ns + 1; ++s) {
        near->start[s] += near->start[s - 1];
    }
    for (int i = 0; i < near->n; ++i) {
        for (int side = 0; side < 2; ++side) {
            const int system = system_of(t, near->pair[i].shape[side]);
            if (system_can_move(t->m, system)) near->at[near->start[system + 1]++] = i;
        }
    }
    return PCS_OK;
}

pcs_status near_find(const trial *t, const touches *over, double margin, pcs_arena *mem,
                     near_pairs *out)
{
    *out = (near_pairs){.margin = margin};
    int(*pair)[2];
    PCS_TRY(step_pairs(t, t->end.q, margin, false, mem, &pair, &out->n));
    out->pair = PCS_TAKE(mem, (size_t)out->n, near_pair);
    if (!out->pair) return pcs_fail_memory("projection");
    for (int i = 0; i < out->n; ++i) {
        out->pair[i] = (near_pair){.shape = {pair[i][0], pair[i][1]}};
    }
    take_depths(t, over, out);
    return sort_by_system(t, out, mem);
}

// ---- tolerances ---------------------------------------------------------------------------------

double project_slack(const trial *t, double tol, int system1, int system2)
{
    // far from the origin the rounding error of a gap is larger
    const double most = fmax(project_coordinate(t, system1), project_coordinate(t, system2));
    return fmax(tol, 4 * DBL_EPSILON * most);
}

bool near_overlaps(const trial *t, const near_pair *p)
{
    if (!(p->depth > t->proj_tol)) return false;
    const int one = system_of(t, p->shape[0]), two = system_of(t, p->shape[1]);
    return p->depth > project_slack(t, t->proj_tol, one, two);
}

// ---- queries ------------------------------------------------------------------------------------

pcs_status near_features(const trial *t, const near_pair *p, const double *q, double reach,
                         pcs_arena *mem, pcs_feature **f, int *n)
{
    const pcs_model *m = t->m;
    const int one = system_of(t, p->shape[0]), two = system_of(t, p->shape[1]);
    return pair_features(m, p->shape[0], p->shape[1], system_q(m, one, q), system_q(m, two, q),
                         reach, mem, f, n);
}

double near_gap(const trial *t, const near_pair *p, const pcs_feature *f, const double *q)
{
    const pcs_model *m = t->m;
    pcs_gap gap;
    pcs_feature_gap(f, system_q(m, m->shape[p->shape[0]].system, q),
                    system_q(m, m->shape[p->shape[1]].system, q), &gap);
    return gap.g;
}

// bounds on the motion of a body from q0 to q1
static void bound_motion(const model_system *s, const double *q0, const double *q1,
                         double *distance, double *turn)
{
    double x[3], same = 0, other = 0;
    v3_sub(q1, q0, x);
    for (int i = 3; i < 7; ++i) {
        same += (q1[i] - q0[i]) * (q1[i] - q0[i]);
        other += (q1[i] + q0[i]) * (q1[i] + q0[i]);
    }
    // |Q1 - Q0| = 2 sin(angle / 4) for the nearer of the two signs
    *turn = 4 * asin(fmin(1, 0.5 * sqrt(fmin(same, other))));
    *distance = v3_norm(x) + *turn * s->reach;
}

void near_bound_motion(const trial *t)
{
    const pcs_model *m = t->m;
    for (int i = 0; i < m->n_systems; ++i) {
        const model_system *s = &m->system[i];
        if ((s->kind != SYSTEM_BODY && s->carrier.id == 0) || skips(t, i)) continue;
        bound_motion(s, t->st->q + s->q_at, t->end.q + s->q_at, &t->reach[i], &t->turn[i]);
    }
}

pcs_status near_update(const trial *t, near_pairs *near, pcs_arena mem)
{
    const pcs_model *m = t->m;
    near->search += 1;
    for (int system = 0; system < m->n_systems; ++system) {
        if (t->reach[system] == 0) continue;
        near->path[system] += t->reach[system];
        for (int k = near->start[system]; k < near->start[system + 1]; ++k) {
            near_pair *p = &near->pair[near->at[k]];
            if (p->seen == near->search) continue;
            p->seen = near->search;
            p->depth = 0;
            pcs_arena scope = mem;
            pcs_feature *f;
            int n;
            PCS_TRY(near_features(t, p, t->end.q, 0, &scope, &f, &n));
            for (int j = 0; j < n; ++j) {
                p->depth = fmax(p->depth, -near_gap(t, p, &f[j], t->end.q));
            }
        }
    }
    return PCS_OK;
}
