// Paths of the bodies of a pair of shapes with their joints and other contacts, solved again
// without the contacts in question: the impulses of floors and joints of a step answer those, too.
// Joints are eliminated, and closed at the ends of the paths to the second order of a rotation
// about them; contacts follow by Gauss-Seidel sweeps with friction. Other bodies keep the v' of the
// step; but where a contact in question rebounds v' says nothing about these, and the bodies that
// hold the pair are solved with it.
#include "step/guided.h"

#include <math.h>
#include <string.h>

#include "collide/collide.h"
#include "step/confirm.h"
#include "step/path.h"

// bodies of guided paths, velocities that they may have together, contacts that guide them
#define GUIDED_BODIES   6
#define GUIDED_MOST     36
#define GUIDED_CONTACTS 24
// part of the square of a row that is left of one that depends on others
#define DEPENDENT 1e-9
// sweeps over the contacts, until the paths change by this part of the margin
#define GUIDED_SWEEPS 64
#define GUIDED_ERROR  1e-2

// Moving bodies with the change of their velocities v - v'; rows J of joints with Z = A^-1 J^T,
// J[k] Z[k] = 1, and J[k] Z[i] = 0 for i < k, also if A is not symmetric. Row j of a joint is
// size (J[k] + sum of part[i] J[i]), i < k. Rows H of contacts, with Y = A^-1 H^T less what moves
// joints, u with v', and impulses r
struct guided {
    int bodies, sys[GUIDED_BODIES], at[GUIDED_BODIES + 1]; // blocks, places of their velocities
    bool grows; // takes the bodies on which those that it has are guided
    int rows, joint[GUIDED_MOST], j[GUIDED_MOST];
    double J[GUIDED_MOST][GUIDED_MOST], Z[GUIDED_MOST][GUIDED_MOST];
    double part[GUIDED_MOST][GUIDED_MOST], size[GUIDED_MOST];
    int contacts, contact[GUIDED_CONTACTS];
    double H[GUIDED_CONTACTS][3][GUIDED_MOST], Y[GUIDED_CONTACTS][3][GUIDED_MOST];
    double W[GUIDED_CONTACTS][3], u[GUIDED_CONTACTS][3], r[GUIDED_CONTACTS][3];
    double change[GUIDED_MOST], kept[GUIDED_MOST];
};

static double dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

static int find_body(const guided *g, int s)
{
    for (int k = 0; k < g->bodies; ++k) {
        if (g->sys[k] == s) return k;
    }
    return -1;
}

// Adds the body of block s; false if there is no room. Its change of velocity is linear, as v' is:
// impulses that answer those in question may give it a spin of any size
static bool take_body(const guides *f, int s, guided *g)
{
    const int *start = f->t->m->block_start, n = g->at[g->bodies], size = start[s + 1] - start[s];
    if (g->bodies == GUIDED_BODIES || n + size > GUIDED_MOST) return false;
    const solution *sol = &f->t->solution;
    double *change = g->change + n;
    memcpy(g->kept + n, f->v + start[s], (size_t)size * sizeof *f->v);
    memcpy(change, f->p + start[s], (size_t)size * sizeof *f->p);
    block_lu_solve(&sol->lu, s, change);
    for (int i = 0; i < size; ++i) {
        change[i] += sol->v_free[start[s] + i] - f->t->end.v[start[s] + i];
    }
    g->sys[g->bodies++] = s;
    g->at[g->bodies] = n + size;
    return true;
}

// row j of candidate i on the bodies
static void row_of(guides *f, int i, int j, const guided *g, double *J)
{
    const bodies_block *k = &f->t->list.k[i];
    const int *start = f->t->m->block_start;
    double one[6] = {0};
    one[j] = 1;
    bodies_block_impulse(k, start, f->t->rotation, one, f->zero);
    memset(J, 0, GUIDED_MOST * sizeof *J);
    for (int side = 0; side < 2; ++side) {
        const int s = k->sys[side], b = s < 0 ? -1 : find_body(g, s);
        if (s < 0) continue;
        const size_t bytes = (size_t)(start[s + 1] - start[s]) * sizeof *f->zero;
        if (b >= 0) memcpy(J + g->at[b], f->zero + start[s], bytes);
        memset(f->zero + start[s], 0, bytes);
    }
}

// Z = A^-1 J^T
static void solve_bodies(const trial *t, const guided *g, const double *J, double *Z)
{
    memcpy(Z, J, GUIDED_MOST * sizeof *Z);
    for (int k = 0; k < g->bodies; ++k) {
        block_lu_solve(&t->solution.lu, g->sys[k], Z + g->at[k]);
    }
}

// adds row j of joint i
static void add_row(guides *f, int i, int j, guided *g)
{
    const int n = g->at[g->bodies];
    if (g->rows == n) return; // nothing can move any more
    double *J = g->J[g->rows], *Z = g->Z[g->rows], *part = g->part[g->rows];
    row_of(f, i, j, g, J);
    memset(part, 0, GUIDED_MOST * sizeof *part);
    for (int pass = 0; pass < 2; ++pass) {
        const double whole = dot(n, J, J);
        for (int k = 0; k < g->rows; ++k) {
            const double along = dot(n, J, g->Z[k]);
            part[k] += along;
            for (int c = 0; c < n; ++c) {
                J[c] -= along * g->J[k][c];
            }
        }
        if (!(dot(n, J, J) > DEPENDENT * whole)) return;
    }
    solve_bodies(f->t, g, J, Z);
    // negative where a body turns far in the step: A has its gyroscopic terms
    const double square = dot(n, J, Z);
    if (!(fabs(square) > 0)) return;
    const double size = sqrt(fabs(square));
    g->size[g->rows] = size;
    for (int c = 0; c < n; ++c) {
        Z[c] *= size / square;
        J[c] /= size;
    }
    g->joint[g->rows] = i;
    g->j[g->rows] = j;
    g->rows += 1;
}

// candidate i guides the bodies: a joint, or a contact that is not in question
static void add_guide(guides *f, int i, guided *g)
{
    const trial *t = f->t;
    const candidate *c = &t->list.c[i];
    const bodies_block *k = &t->list.k[i];
    const bool joint = k->cone == PCS_CONE_EQUALITY;
    if (c->at < 0) return; // refuted since
    if (f->asked[i] || k->cone == PCS_CONE_BOX || k->dim > (joint ? 6 : 3)) return;
    if (!joint && !(t->solution.r[c->at] > 0 || c->g[0] <= contact_slop(t, c))) return;
    for (int side = 0; side < 2 && g->grows; ++side) {
        const int s = k->sys[side];
        if (s < 0 || find_body(g, s) >= 0) continue;
        if ((!joint && !(t->solution.r[c->at] > 0)) || !take_body(f, s, g)) return;
    }
    for (int j = 0; joint && j < k->dim; ++j) {
        add_row(f, i, j, g);
    }
    if (!joint && g->contacts < GUIDED_CONTACTS) g->contact[g->contacts++] = i;
}

// removes from x what moves along the rows; gap: of row k, or null
static void remove_rows(const guided *g, const double *gap, double *x)
{
    for (int k = g->rows - 1; k >= 0; --k) {
        const double part = dot(g->at[g->bodies], g->J[k], x) + (gap ? gap[k] : 0);
        for (int i = 0; i < g->at[g->bodies]; ++i) {
            x[i] -= part * g->Z[k][i];
        }
    }
}

// the coordinates of a body at the end of its guided path
static pcs_status end_of_path(const guides *f, const guided *g, int system, pcs_arena mem,
                              double *q)
{
    if (system < 0) return PCS_OK;
    const model_system *s = &f->t->m->system[system];
    const bool moves = s->nv > 0 && find_body(g, s->block) >= 0;
    body_path path;
    PCS_TRY(path_of(f->t, system, moves ? f->v : f->t->end.v, mem, &path));
    path_pose(&path, 1, q + s->q_at);
    return PCS_OK;
}

// true when a path is that of a free body, or of one that is not moved by forces
static bool has_free_path(const pcs_model *m, int system)
{
    return system < 0 || (m->system[system].kind == SYSTEM_BODY && !is_mapped(m, system));
}

// Closes the joints at the end of the guided paths, to the second order of a rotation about them:
// *x, the displacement of the bodies that does so
static pcs_status close_joints(const guides *f, const guided *g, pcs_arena mem, double *x)
{
    const pcs_model *m = f->t->m;
    double gap[GUIDED_MOST] = {0}, all[6];
    double *q = PCS_TAKE(&mem, (size_t)m->nq, double);
    if (!q) return pcs_fail_memory("step: contacts");
    memset(x, 0, GUIDED_MOST * sizeof *x);
    for (int k = 0; k < g->rows; ++k) {
        const candidate *c = &f->t->list.c[g->joint[k]];
        if (m->interaction[c->interaction].relation.of_speed) continue;
        if (!has_free_path(m, c->pose1) || !has_free_path(m, c->pose2)) continue;
        PCS_TRY(end_of_path(f, g, c->pose1, mem, q));
        PCS_TRY(end_of_path(f, g, c->pose2, mem, q));
        PCS_TRY(candidate_gap(m, c, q, mem, all));
        gap[k] = (all[g->j[k]] - dot(k, g->part[k], gap)) / g->size[k];
    }
    remove_rows(g, gap, x);
    return PCS_OK;
}

// the bodies of a run, and what guides them; null where nothing does, or there is no room
static guided *find_guides(guides *f, int begin, int end)
{
    const trial *t = f->t;
    const int *sys = t->list.k[begin].sys;
    guided *g = f->room;
    g->bodies = g->at[0] = g->rows = g->contacts = 0;
    g->grows = false;
    for (int i = begin; i < end; ++i) {
        g->grows = g->grows || step_restores(t, &t->list.c[i].law);
    }
    for (int side = 0; side < 2; ++side) {
        if (sys[side] < 0 || find_body(g, sys[side]) >= 0) continue;
        if (!take_body(f, sys[side], g)) return NULL;
    }
    for (int b = 0; b < g->bodies; ++b) {
        for (int i = f->guide[g->sys[b]]; i >= 0;) {
            const int side = t->list.k[i].sys[0] == g->sys[b] ? 0 : 1;
            const int other = t->list.k[i].sys[1 - side], at = other < 0 ? -1 : find_body(g, other);
            if (at < 0 || at >= b) add_guide(f, i, g); // else it is there
            i = f->next[2 * i + side];
        }
    }
    return g->rows + g->contacts > 0 ? g : NULL;
}

// the rows of the contacts, once those of all joints are known
static void complete_contacts(guides *f, guided *g)
{
    const trial *t = f->t;
    for (int k = 0; k < g->contacts; ++k) {
        const int i = g->contact[k];
        const candidate *c = &t->list.c[i];
        candidate_velocity(t, i, t->end.v, NULL, g->u[k]);
        for (int j = 0; j < c->dim; ++j) {
            g->u[k][j] += t->solution.shift[c->at + j];
            g->r[k][j] = t->solution.r[c->at + j];
            row_of(f, i, j, g, g->H[k][j]);
            solve_bodies(t, g, g->H[k][j], g->Y[k][j]);
            const double alone = dot(g->at[g->bodies], g->H[k][j], g->Y[k][j]);
            remove_rows(g, NULL, g->Y[k][j]);
            g->W[k][j] = dot(g->at[g->bodies], g->H[k][j], g->Y[k][j]);
            if (!(g->W[k][j] > DEPENDENT * alone)) g->W[k][j] = 0; // joints hold it
        }
    }
}

// gives row j of contact k the impulse r
static void push_row(guided *g, int k, int j, double r)
{
    for (int i = 0; i < g->at[g->bodies]; ++i) {
        g->change[i] += (r - g->r[k][j]) * g->Y[k][j][i];
    }
    g->r[k][j] = r;
}

// one sweep of Gauss-Seidel over the contacts; returns the largest change of a velocity
static double sweep_contacts(const trial *t, guided *g)
{
    double most = 0;
    for (int k = 0; k < g->contacts; ++k) {
        const bodies_block *b = &t->list.k[g->contact[k]];
        const double bound = b->dim > 1 ? b->mu : 0;
        double old[3], size = 0;
        const double *W = g->W[k];
        memcpy(old, g->r[k], sizeof old);
        for (int j = 0; j < b->dim; ++j) {
            const int n = g->at[g->bodies];
            if (W[j] == 0) continue;
            const double u = g->u[k][j] + dot(n, g->H[k][j], g->change), r = old[j] - u / W[j];
            push_row(g, k, j, j == 0 ? fmax(0, r) : r);
            if (j > 0) size = hypot(size, g->r[k][j]);
        }
        for (int j = 0; j < b->dim; ++j) {
            if (j > 0 && size > bound * g->r[k][0]) {
                push_row(g, k, j, g->r[k][j] * bound * g->r[k][0] / size);
            }
            most = fmax(most, W[j] * fabs(g->r[k][j] - old[j]));
        }
    }
    return most;
}

// moves the path of the body of a pose by its part of x
static void shift_path(const pcs_model *m, const guided *g, int system, const double *x,
                       body_path *path)
{
    if (system < 0 || m->system[system].nv == 0 || !has_free_path(m, system)) return;
    const int b = find_body(g, m->system[system].block);
    for (int i = 0; b >= 0 && i < BODY_NV; ++i) {
        path->d[i] += x[g->at[b] + i];
    }
}

// The paths of a run with joints and other contacts alone replace those in f->v, until
// leave_guides; null where nothing guides, or there is no room. margin: contact_slop with the error
// of the velocities
guided *guides_enter(guides *f, int begin, int end, double *margin)
{
    const trial *t = f->t;
    const int *start = t->m->block_start;
    guided *g = t->joined ? NULL : find_guides(f, begin, end);
    if (!g) return NULL;
    const candidate *c = &t->list.c[begin];
    *margin = contact_slop(t, c);
    // joints are closed on the paths, whatever the error of the velocities
    const double noise = g->contacts > 0 ? fmin(LATE, fmax(t->list.noise, t->coarse)) : 0;
    if (c->pose1 >= 0) *margin += noise * t->reach[c->pose1];
    if (c->pose2 >= 0) *margin += noise * t->reach[c->pose2];
    remove_rows(g, NULL, g->change);
    complete_contacts(f, g);
    for (int i = 0; i < GUIDED_SWEEPS; ++i) {
        if (sweep_contacts(t, g) * t->h <= GUIDED_ERROR * *margin) break;
    }
    for (int b = 0; b < g->bodies; ++b) {
        for (int i = g->at[b], place = start[g->sys[b]]; i < g->at[b + 1]; ++i, ++place) {
            f->v[place] = t->end.v[place] + g->change[i];
        }
    }
    return g;
}

void guides_leave(guides *f, const guided *g)
{
    for (int b = 0; b < g->bodies; ++b) {
        const size_t bytes = (size_t)(g->at[b + 1] - g->at[b]) * sizeof *f->v;
        memcpy(f->v + f->t->m->block_start[g->sys[b]], g->kept + g->at[b], bytes);
    }
}

// true when the shapes of a run come within the margin of each other also on guided paths
pcs_status guides_meet(const guides *f, const guided *g, int begin, double margin, pcs_arena mem,
                       bool *meets)
{
    const trial *t = f->t;
    const candidate *c = &t->list.c[begin];
    double x[GUIDED_MOST];
    pair_meeting m;
    PCS_TRY(path_of_pair(t, c, f->v, mem, &m));
    PCS_TRY(close_joints(f, g, mem, x));
    shift_path(t->m, g, c->pose1, x, &m.path1);
    shift_path(t->m, g, c->pose2, x, &m.path2);
    PCS_TRY(path_meet(t, -margin, &mem, &m));
    *meets = m.meets;
    return PCS_OK;
}

bool guided_by_contacts(const guided *g)
{
    return g->contacts > 0;
}

// links the candidates with rows on each moving system
pcs_status guides_link(const trial *t, double *v, double *p, pcs_arena *mem, guides *f)
{
    const candidates *list = &t->list;
    const size_t n = (size_t)list->n, nv = (size_t)t->m->nv;
    *f = (guides){.t = t, .v = v, .p = p};
    f->room = PCS_TAKE(mem, 1, guided);
    f->asked = PCS_TAKE(mem, n, bool);
    f->guide = PCS_TAKE(mem, (size_t)t->m->n_blocks, int);
    f->next = PCS_TAKE(mem, 2 * n, int);
    f->zero = PCS_TAKE(mem, nv, double);
    if (!f->room || !f->asked || !f->guide || !f->next || !f->zero) {
        return pcs_fail_memory("step: contacts");
    }
    memset(f->zero, 0, nv * sizeof *f->zero);
    memset(f->asked, 0, n * sizeof *f->asked);
    for (int b = 0; b < t->m->n_blocks; ++b) {
        f->guide[b] = -1;
    }
    for (int i = list->n - 1; i >= 0; --i) {
        for (int side = 0; side < 2; ++side) {
            const int b = list->c[i].at < 0 ? -1 : list->k[i].sys[side];
            f->next[2 * i + side] = b < 0 ? -1 : f->guide[b];
            if (b >= 0) f->guide[b] = i;
        }
    }
    return PCS_OK;
}
