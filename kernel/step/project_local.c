// One linearised projection in the mass metric of overlaps and the bodies around them, without the
// rest of the scene:
//
//     w = H v + g,   0 <= w _|_ Lambda >= 0,   v = M^-1 H^T Lambda
//
// by Gauss-Seidel sweeps on the velocities v of the bodies that it reaches. It starts with the
// pairs that overlap; a body that moves adds its other pairs, and so on. Sweeps skip rows whose
// bodies have not changed since the last visit.
#include "step/project.h"

#include <string.h>

#include "cone/cone.h"
#include "linalg/m3.h"
#include "problem/measure.h"
#include "rotation/pose.h"

// relative to the tolerance: motion of a body before its other pairs are added (in the first round,
// and at least), and change of a row before its neighbours are visited
#define OPENS       0.5
#define OPENS_LEAST 0.05
#define CHANGES     0.02

typedef struct local_body {
    int system;
    bool open;       // its pairs are added
    int changes;     // number of changes of v
    double per_mass; // 1 / kg
    double per_J[9]; // inverse inertia, inertial
    double v[6];     // displacement of G and rotation, both inertial; m and rad
} local_body;

typedef struct local_row {
    int body[2];         // -1: fixed
    int seen[2];         // changes of the bodies at the last visit
    double g;            // gap, m
    double N[3];         // from 2 to 1
    double moment[2][3]; // moment of N about G, sign included
    double turn[2][3];   // per_J moment
    double W;            // diagonal entry of H M^-1 H^T
    double Lambda;
} local_row;

typedef struct project_local {
    const trial *t;
    near_pairs *near;
    const bool *translated; // or null
    double margin, tol;
    double opens; // m
    int *number;  // per system: its body, -1
    local_body *body;
    int n_bodies, room_bodies;
    local_row *row;
    int n, room;
} project_local;

// ---- bodies and rows ---------------------------------------------------------------------------

static void *grown(const void *old, int n, int room, size_t size, pcs_arena *mem)
{
    void *bigger = pcs_arena_take(mem, (size_t)room * size);
    if (bigger && n > 0) memcpy(bigger, old, (size_t)n * size);
    return bigger;
}

// R J^-1 R^T by the cofactors of J, which is symmetric
static void inverse_inertia(const model_system *s, const double *q, double out[9])
{
    double J[9], inverse[9], R[9], half[9];
    const double size = s->J[0] + s->J[4] + s->J[8];
    v3_scale(1 / size, s->J, J);
    v3_scale(1 / size, s->J + 3, J + 3);
    v3_scale(1 / size, s->J + 6, J + 6);
    const double scale = 1 / (size * m3_det(J));
    quat_matrix(q + 3, R);
    for (int j = 0; j < 3; ++j) {
        double cofactors[3];
        v3_cross(J + 3 * ((j + 1) % 3), J + 3 * ((j + 2) % 3), cofactors);
        v3_scale(scale, cofactors, inverse + 3 * j);
        m3_mul(R, inverse + 3 * j, half + 3 * j);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            out[i + 3 * j] = half[i] * R[j] + half[i + 3] * R[j + 3] + half[i + 6] * R[j + 6];
        }
    }
}

// the number of a body, -1 for a fixed one, less than -1 without memory
static int enter(project_local *p, int system, pcs_arena *mem)
{
    const trial *t = p->t;
    if (!system_moves(t->m, system)) return -1;
    if (p->number[system] >= 0) return p->number[system];
    if (p->n_bodies == p->room_bodies) {
        p->room_bodies += p->room_bodies / 2 + 32;
        p->body = grown(p->body, p->n_bodies, p->room_bodies, sizeof *p->body, mem);
    }
    if (!p->body) return -2;
    const model_system *s = &t->m->system[system];
    local_body *b = &p->body[p->n_bodies];
    *b = (local_body){.system = system, .per_mass = 1 / s->mass};
    if (!p->translated || !p->translated[s->block]) {
        inverse_inertia(s, t->end.q + s->q_at, b->per_J);
    }
    return p->number[system] = p->n_bodies++;
}

static pcs_status add_row(project_local *p, const near_pair *pair, const pcs_feature *f,
                          pcs_arena *mem)
{
    const trial *t = p->t;
    const pcs_model *m = t->m;
    candidate c = {.interaction = -1, .dim = 1, .feature = f};
    candidate_join(m, &c, m->shape[pair->shape[0]].system, m->shape[pair->shape[1]].system);
    bodies_block k = {.sys = {system_moves(m, c.sys1) ? 0 : -1, system_moves(m, c.sys2) ? 0 : -1}};
    pcs_gap gap;
    feature_pose at[2] = {{.q = system_q(m, c.sys1, t->end.q)},
                          {.q = system_q(m, c.sys2, t->end.q)}};
    PCS_TRY(candidate_contact(m, &c, at, t->end.q, *mem, &k, &gap));
    local_row r = {
        .body = {enter(p, c.sys1, mem), enter(p, c.sys2, mem)}, .seen = {-1, -1}, .g = gap.g};
    if (r.body[0] < -1 || r.body[1] < -1) return pcs_fail_memory("projection");
    v3_copy(gap.N, r.N);
    for (int side = 0; side < 2; ++side) {
        if (r.body[side] < 0) continue;
        const local_body *b = &p->body[r.body[side]];
        v3_cross(k.core[side], gap.N, r.moment[side]);
        if (side == 1) v3_scale(-1, r.moment[side], r.moment[side]);
        for (int i = 0; i < 3; ++i) {
            if (system_locks(&m->system[b->system], 3 + i)) r.moment[side][i] = 0;
        }
        m3_mul(b->per_J, r.moment[side], r.turn[side]);
        r.W += b->per_mass + v3_dot(r.moment[side], r.turn[side]);
    }
    if (p->n == p->room) {
        p->room += p->room / 2 + 128;
        p->row = grown(p->row, p->n, p->room, sizeof *p->row, mem);
        if (!p->row) return pcs_fail_memory("projection");
    }
    p->row[p->n++] = r;
    return PCS_OK;
}

static pcs_status add_pair(project_local *p, near_pair *pair, pcs_arena *mem)
{
    if (pair->taken) return PCS_OK;
    pair->taken = true;
    pcs_arena scope = *mem;
    pcs_feature *f;
    int n;
    PCS_TRY(near_features(p->t, pair, p->t->end.q, p->margin, &scope, &f, &n));
    // the memory of the rows follows that of the features, which remain
    if (n > 0) *mem = scope;
    for (int i = 0; i < n; ++i) {
        PCS_TRY(add_row(p, pair, &f[i], mem));
    }
    return PCS_OK;
}

// bound on the motion of a body
static double travel(const project_local *p, const local_body *b)
{
    return v3_norm(b->v) + v3_norm(b->v + 3) * p->t->m->system[b->system].reach;
}

// adds the pairs of bodies that have moved
static pcs_status open_bodies(project_local *p, pcs_arena *mem, bool *opened)
{
    const near_pairs *near = p->near;
    for (int i = 0; i < p->n_bodies; ++i) {
        if (p->body[i].open || !(travel(p, &p->body[i]) > p->opens)) continue;
        const int system = p->body[i].system;
        p->body[i].open = *opened = true;
        for (int k = near->start[system]; k < near->start[system + 1]; ++k) {
            PCS_TRY(add_pair(p, &near->pair[near->at[k]], mem));
        }
    }
    return PCS_OK;
}

// ---- sweeps ------------------------------------------------------------------------------------

static double velocity(const project_local *p, const local_row *r)
{
    double u = 0;
    for (int side = 0; side < 2; ++side) {
        if (r->body[side] < 0) continue;
        const double *v = p->body[r->body[side]].v;
        u += (side == 0 ? 1 : -1) * v3_dot(r->N, v) + v3_dot(r->moment[side], v + 3);
    }
    return u;
}

// true when the row changed so much that its neighbours must be visited
static bool visit(project_local *p, local_row *r)
{
    bool same = true;
    for (int side = 0; side < 2; ++side) {
        if (r->body[side] < 0) continue;
        same = same && r->seen[side] == p->body[r->body[side]].changes;
    }
    if (same || !(r->W > 0)) return false;
    const double old = r->Lambda;
    r->Lambda = fmax(0, old - (r->g + velocity(p, r)) / r->W);
    const double d = r->Lambda - old;
    const bool large = fabs(d) * r->W > CHANGES * p->tol;
    for (int side = 0; side < 2; ++side) {
        if (r->body[side] < 0) continue;
        local_body *b = &p->body[r->body[side]];
        v3_along(b->v, (side == 0 ? d : -d) * b->per_mass, r->N, b->v);
        v3_along(b->v + 3, d, r->turn[side], b->v + 3);
        b->changes += large;
        r->seen[side] = b->changes;
    }
    return large;
}

// residual (theory 7.7) of the rows, with gaps in place of velocities
static double residual(const project_local *p)
{
    const pcs_block unilateral = {PCS_CONE_UNILATERAL, 0, 1, 0};
    measure_sums sums = {0};
    for (int i = 0; i < p->n; ++i) {
        const local_row *r = &p->row[i];
        double u = velocity(p, r);
        if (!(r->W > 0)) continue;
        measure_velocity(&sums, 1, &r->g, &u);
        measure_add_violation(&sums, &unilateral, r->W, &r->Lambda, &u);
    }
    pcs_measure m;
    measure_close(&sums, &m);
    return m.residual;
}

// ---- the move ----------------------------------------------------------------------------------

// q' = q + T v of the bodies that were reached; false when it is not finite
static bool move(const project_local *p, double *q)
{
    const pcs_model *m = p->t->m;
    for (int i = 0; i < p->n_bodies; ++i) {
        const local_body *b = &p->body[i];
        const model_system *s = &m->system[b->system];
        double *qs = q + s->q_at, L[12], omega[3], x[3];
        for (int k = 0; k < 3; ++k) {
            x[k] = system_locks(s, k) ? 0 : b->v[k];
        }
        pose_direction_back(qs, b->v + 3, omega);
        pcs_quat_left(qs + 3, L);
        v3_along(qs, 1, x, qs);
        for (int j = 0; j < 4; ++j) {
            qs[3 + j] += 0.5 * (L[j] * omega[0] + L[j + 4] * omega[1] + L[j + 8] * omega[2]);
        }
        if (!pcs_all_finite(qs, 7) || !system_normalise(s, qs)) return false;
    }
    return true;
}

pcs_status project_around(const trial *t, near_pairs *near, const bool *translated, int round,
                          double margin, pcs_arena mem, double *q, pcs_step_report *out, bool *good)
{
    const pcs_model *m = t->m;
    project_local p = {.t = t,
                       .near = near,
                       .translated = translated,
                       .margin = margin,
                       .tol = t->proj_tol,
                       .opens = t->proj_tol * fmax(OPENS_LEAST, OPENS / (1 + round)),
                       .number = PCS_TAKE(&mem, (size_t)m->n_systems, int)};
    if (!p.number) return pcs_fail_memory("projection");
    for (int i = 0; i < m->n_systems; ++i) {
        p.number[i] = -1;
    }
    for (int i = 0; i < near->n; ++i) {
        near->pair[i].taken = false;
    }
    for (int i = 0; i < near->n; ++i) {
        if (near_overlaps(t, &near->pair[i])) PCS_TRY(add_pair(&p, &near->pair[i], &mem));
    }
    bool changed = true;
    for (int sweep = 0; changed && sweep < PROJECT_SWEEPS; ++sweep) {
        changed = false;
        step_spend(t->work, p.n);
        for (int i = 0; i < p.n; ++i) {
            changed = visit(&p, &p.row[i]) || changed;
        }
        PCS_TRY(open_bodies(&p, &mem, &changed));
    }
    project_remember(out, residual(&p), changed ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_CONVERGED);
    *good = move(&p, q);
    return PCS_OK;
}
