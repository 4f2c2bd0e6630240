// The inside of a step: the trial, the candidates for contact, and one function per stage. step.c
// calls them in order.
#ifndef STEP_STEP_H
#define STEP_STEP_H

#include "base/base.h"
#include "bodies/bodies.h"
#include "collide/kept.h"
#include "laws/law.h"
#include "linalg/mass.h"
#include "model/model.h"
#include "relations/contact.h"
#include "state/state.h"
#include "step/events.h"
#include "systems/systems.h"
#include <percuss/features.h>
#include <percuss/joint.h>
#include <percuss/step.h>

// what interactions have and contacts do not
typedef struct candidate_joint {
    int row;             // its first row in the relation
    int load;            // 1 + index of the joint that loads friction; 0: none
    double time_f[2];    // f at t_k and at t_k + h, in units of the row
    double time_rate[2]; // df/dt at these times
    double *carried[2];  // of a carried body its own rows, dim x 6, and its pose where they were
                         // taken; else null
} candidate_joint;

// A contact of two shapes within reach (one row, or with friction three: N, T1, T2), or an
// interaction: all rows of a bilateral one and of one with friction, one row of a unilateral one,
// so that each opens and closes by itself. Its rows in velocity coordinates, u = J1 v1 + J2 v2, are
// those of the bodies_block beside it.
typedef struct candidate {
    // Most walks over the list read no more than its first two lines of the cache; it is six of
    // them, and the arena begins the list with one
    contact_key key;
    int pose1, pose2; // indices of systems, -1 for the world; the normal points from 2 to 1
    int sys1, sys2;  // those whose velocities move them: of carried bodies their carriers. With one
                     // carrier for both sys2 is -1, and side 1 has the rows of both
    int interaction; // index, or -1 for shapes
    int dim;         // rows: 1, or all of a bilateral interaction or of a Coulomb block
    int covered_by;  // 1 + index of the contact of a shape that covers it (inner.c), or 0
    int at;          // first row in H, when active; -1: not in the problem last solved
    bool active, was_active; // active in this step, and in the last one
    bool touched;            // true when any contact of its pair was active in the last step
    bool bounces, lands; // speculative with e > 0: bounces when fast enough for a rebound, lands
                         // when too slow
    bool held;       // of an island that sleeps (rest.c): its impulse r holds, and does not change
    bool closed;     // this feature overlaps at q'
    bool overlaps;   // its pair overlaps at q', with this normal there
    bool holds;      // closed at q_k, or had an impulse in a pass
    bool breaks;     // an interaction that bears more than its strength in this step
    bool proven;     // apart at q_k, and its shapes meet within the step
    bool refuted;    // takes no part in the step: its shapes do not meet (confirm.c)
    bool waits;      // a body that slides grazes it: it enters once the overlap counts (activate.c)
    bool other_face; // of the second face of a ridge (collide/ridge.c): it acts only where the
                     // first one pushes and does not hold (activate.c)
    bool kept_on;    // it is also among the contacts of bodies that the next step skips (skip.c)
    bool timed;      // interactions: the relation has a function of time f
    bool loop;       // a joint of a loop whose rows are those of other joints
    bool closes;     // a joint of a loop whose rows are taken where joints are closed
    double *g;       // gaps at q_k (candidate_measures of them)
    pcs_law law;
    double own[11]; // memory of g, g_end, u_k, r and u, if it is large enough
    double *g_end;  // gaps at q'
    double *u_k;    // dim velocities at q_k, v_k
    double *r, *u;  // dim impulses (zero when not active) and velocities u'. Until step_publish, r
                    // is that of the last step, in the frame of this
    const pcs_feature *feature; // shapes: the feature
    double P1[3], P2[3];        // shapes: contact points at q_k, P1 - P2 = g N; for a meeting on
                                // the paths also how far the bodies slide until then
    const struct remembered *recalled; // contacts with friction: in the state at t_k, or null
    struct remembered *kept;           // held: the n_kept contacts that the state remembers
    int n_kept;
    int rests; // steps in a row that its island has been at rest, or RESTS_PROVEN
    pcs_contact_status status;
    double pull;  // m/s: speed at which a gap within the tolerance is closed
    double left;  // m: overlap that the projection leaves
    double slack; // m/s: uncertainty of u_kN in predictions, where a driven body accelerates
    double *drive_k, *drive; // dim each: velocities that driven bodies and functions of time add
                             // to u_k and u', or null. Behind them is a candidate_kink
    double *J[2]; // interactions, carried bodies, and meetings of bodies of revolution: memory of
                  // the rows of the block; else null
    candidate_joint *joint; // interactions; else null
    double *joint_shift;    // dim: term that rows in the middle add to u'; else null
    double *joint_before;   // dim, with it: H v_k at the start of a system that is ahead; else null
} candidate;

// near features at some coordinates, in the order of their pairs
typedef struct touches {
    int n;
    pcs_feature *f; // n
    int *pair_of;   // n
    int n_pairs;    // also of those without features
    int (*pair)[2]; // shapes; the first moves
    double *reach;  // of the search, per pair
    int *from;      // n, places in the features that are kept (still.c), or -1; null: none is
} touches;

// all candidates of a step
typedef struct candidates {
    candidate *c;
    bodies_block *k;     // per candidate: cone, systems, rows; its place in the problem once active
    bodies_block *first; // blocks at q_k, if the rows of k follow q'; else null
    int n_first;
    int n_start; // number of candidates found at the start of the step
    int n, cap;
    bool *plain; // per system: none of its contacts is on an inner edge (inner.c)
    int n_plain; // number of candidates for which that is known
    int n_pairs; // pairs of the search at the start of the step
    int (*pair)[2];
    touches over;    // overlaps at q' that the last step_detect_end found
    bool over_known; // `over` belongs to the last velocities
    bool clear;      // proven: at their q' no shapes overlap beyond the projection's
                     // tolerance, without a search
    bool gaps_known; // g_end of contacts of shapes is that at q', but for those that fall
                     // asleep after it
    bool projected;  // the projection has measured the overlap at q'
    bool settles, settles_much; // joints in the middle remove a rest of H v, or a large one
    bool pure;                  // joints in the middle remove nothing
    bool disagree;              // rows of redundant joints contradict each other in this step
    bool loops;          // some loop has its rows where the step takes other joints (loops.c)
    double joint_change; // sum of squares of the change of H v until the middle, (m/s)^2
    double noise;        // relative speed below which an impulse is error of the solver
} candidates;

// a kink of the motion of a driven body of a contact
typedef struct candidate_kink {
    double jump; // m/s: of drive_k[0], or 0: there is none
    double cut;  // s from the start of the step, or 0: at one of its ends
} candidate_kink;
enum { CANDIDATE_KINK = sizeof(candidate_kink) / sizeof(double) };
static inline candidate_kink *candidate_kink_of(const candidate *c)
{
    return c->drive_k ? (candidate_kink *)(c->drive_k + 2 * c->dim) : NULL;
}

// Asks for what a walk over the list reads of the candidates behind place i. The hardware does not
// look beyond a page of memory, which is ten candidates
enum { CANDIDATES_AHEAD = 8 };
static inline void candidates_fetch(const candidates *list, int i)
{
    if (i + CANDIDATES_AHEAD >= list->n) return;
    PCS_FETCH(&list->c[i + CANDIDATES_AHEAD]);
    PCS_FETCH(&list->c[i + CANDIDATES_AHEAD].law);
}

// the block of a candidate at q_k
static inline const bodies_block *candidate_first(const candidates *list, int i)
{
    return i < list->n_first ? &list->first[i] : &list->k[i];
}

// the motion to the end of the step
typedef struct motion {
    double *q, *v;   // q', v': at t_k + h
    double *q_free;  // q' before the projection, or null when there was none
    double *q_force; // where the forces at the end act: q' itself unless some system is ahead
    double *q_room;  // nq, for q_free
    double *theta;   // per system (order.c)
    bool *middle;    // per system: joints at the middle of the step (order.c)
    bool moved;      // v is that of an iterate, and no longer v_k
    system_force
        F1;    // forces at (t_k + h, q', v') on systems on which not only gravity acts, nv each
    double *M; // masses at q_theta when some vary, packed as the blocks; or null
    double *R; // M (v - v_k) - h F_theta, nv
    double *p; // H^T r, nv
    double *v_before; // velocities of the iterate before, nv
    double *v_mean;   // mean of v' and v_k, nv; made by the ledger
} motion;

// the velocity problem of the active candidates, and its solution
typedef struct solution {
    int rows;                     // active rows
    bodies_problem problem;       // the active set
    bodies_block *block;          // its blocks
    block_lu lu;                  // iteration matrix at the current iterate
    unsigned char *lu_kind;       // per block, kind in lu
    double *v_free;               // velocities of the last solve without its impulses; or null
    const bodies_problem *solved; // the problem that was solved: on joined blocks where there are
    double *solved_free;          // elements, else the one above; with v_free in its order
    double *shift;                // rows, terms that the laws add to u
    double part_of_tol;           // a solve is made to this part of the tolerance
    double kappa;                 // of the report of the last solve
    double *r, *u;                // rows
    int row_room, block_room;     // memory for this many rows, and blocks, which passes use again
    double *row_memory;
    bodies_block *block_memory;
} solution;

// coordinates and velocities of systems that follow each other and are not skipped
typedef struct trial_run {
    int q, nq, v, nv;
} trial_run;

// Everything a step computes before it is committed. The first part is set at its beginning and
// only read afterwards; stages name the other parts that they write.
typedef struct trial {
    const pcs_model *m;
    const pcs_state *st; // at t_k
    pcs_work *work;
    double h;
    pcs_activation rule; // activation rule of the scheme
    bool accept;         // commit a step that did not converge
    bool lands;          // contacts of islands that are not solved land
    double near;         // commit with residuals of at most this
    double size;         // size of the smallest body, m
    double proj_tol;     // tolerance of the projection, m
    double hold;         // m: gaps that errors of the last velocities may have opened
    bool *ahead;      // per system: its coordinates are half a step ahead of its forces (order.c);
                      // null: none are
    double *q_force;  // where the forces at t_k act: q_k itself unless some system is ahead
    system_force Fk;  // forces at t_k, nv each
    double *F_k;      // sum of Fk, nv
    double *reach;    // per system: bound on the distance that a surface point moves in the step, m
    double *turn;     // per system: bound on its angle of rotation, rad
    double *gain;     // per system: bound on the speed the forces give a surface point, m/s
    double *rounding; // per system: rounding error of a gap, a difference of coordinates, m
    double *driven;   // velocities of driven bodies (driven.c), null when there are none
    struct coupling *joined; // systems that force elements connect (couple.h); null: no elements
    law_cache *laws;    // laws between the materials met so far; null when the model has no rule
    double *rotation;   // R of the bodies at the coordinates of the rows, 9 each (rotation_at)
    double *rotation_k; // R at q_k: the same array unless the rows follow q'
    double coarse;      // tolerance of the velocity problem if larger than that of the scheme
    bool finds;         // with it: the pass adds features of known pairs, too
    double *stiff;      // per block 3x3: h^2/4 K+ of joints under tension (tension.c), or null
    double share;       // part of the units for velocities that may be spent after this pass

    bool *held;          // per system: it sleeps; null: the scheme lets none
    int n_held, n_slept; // numbers of these, now and at the start of the step
    bool *slept;         // per system: it has slept from the start; null: the scheme lets none
    bool *pulled;        // per system: a force element acts on it; null as `slept`
    const bool *skipped; // per system: it sleeps and is not looked at (skip.c); null: none is
    trial_run *run;      // all systems that are not skipped
    int n_runs;
    bool *rests;  // per system: the next step may skip it, though this one has not; or null
    int *islands; // with it: roots of their islands

    candidates list;
    motion end;
    solution solution;
    // per candidate of an interaction 12, its impulses on both sides (force inertial, moment about
    // G in body axes) for the velocities that step_pay_lifts takes (brake.c); null: it takes none
    const double *braked;
} trial;

// bytes of the sentence why a step was not committed, of the limit that ended it, and of the
// constraints that contradict each other
enum { STEP_WHY = 990, STEP_LIMIT = 60, STEP_CONFLICT = 340 };

// What a step does where the velocity of a driven body jumps (driven.c)
typedef struct step_kinks {
    bool on;      // contacts have such a jump as an impact
    bool cuts;    // the part of the step may be cut there
    bool hit;     // one has hit a contact
    double least; // s, of the shortest part
} step_kinks;

// a doubt that the log already has
typedef struct step_said {
    int kind, one, two;
} step_said;
enum { STEP_SAID = 64 };

// The budget that a step may still spend (budget.c)
typedef struct step_budget {
    double most, spent; // units; most = 0: not known yet
    double from, part;  // units spent before this attempt, and the part of `most` that may be spent
                        // at its end
    double end;         // units spent when this attempt is over
    double sweeps;      // sweeps of max_sweeps that the solves have made: their work over that of a
                        // sweep of their contacts
    double start;       // s, reading of the clock when the step began
    double clock;       // part of the seconds of the scheme that have passed at its end
    bool first;         // this attempt is that of the whole step, with a short budget
    bool few;           // the budget is the default one, and every contact counts in full
    bool ends_solve;    // the units of the last solve are fewer than its max_iters
    bool stopped;       // by the watch
} step_budget;

// who receives the solves of a step, and the number of the last one
typedef struct step_capture {
    pcs_velocity_solve_fn fn; // or null
    void *user;
    int part, solve;
} step_capture;

// the last step, if everything that moves slept in it, and what must not have changed since
typedef struct step_rest {
    bool known;
    int changes;       // of the model
    uint64_t stamp, q; // of the state
    double h;
    pcs_step_report report;
} step_rest;

// the features of the last search and their gaps, points and blocks at q_k, with what they depend
// on (still.c)
typedef struct still_place {
    bodies_block k;
    double g, P1[3], P2[3];
} still_place;
typedef struct step_still {
    bool known;
    int changes; // of the model
    double *q;   // coordinates of the state
    int n_pairs;
    int (*pair)[2], *start; // the features of pair i are start[i] to start[i + 1] - 1
    double *reach;          // of the search, per pair
    pcs_feature *f;
    still_place *place;
    int pair_room, room, q_room; // memory for so many pairs, features, coordinates
    long hits;                   // for tests: number of features that were not searched again
} step_still;

// The bodies that the next step may skip, with their contacts and what they depend on (skip.c)
typedef struct step_skip {
    bool known, again; // again: the attempt is repeated, because a skipped body has been touched
    int changes;       // of the model
    uint64_t stamp;    // of the state
    double h, extra;   // step size; tolerance of the search for pairs at rest
    int bodies;        // number of those skipped
    bool *skipped;     // per system
    bool *quiet;       // per system: skipped once, and not moved since
    bool *drop;        // per system: root of an island that is no longer skipped
    int *island;       // per system: root of its island
    double *q, *rounding, *potential; // of the state; per system
    collide_item *item;               // per shape: bounds as large as any search has them
    candidates list;                  // their contacts, sorted by pair
    pcs_feature *f;
    struct remembered *kept; // n_kept, sorted
    int n_kept;
    double before, end;                           // m: deepest overlap at both ends of a step
    int systems, shapes, q_room, room, kept_room; // memory for so many
    long hits; // for tests: number of bodies skipped in all steps
} step_skip;

// the pattern of the sparse block of force elements in the last step (couple_sparse.c), and its
// order of elimination: one allocation
typedef struct step_pattern {
    int nodes;
    int *first, *order, *neighbour;
} step_pattern;
void step_pattern_release(const pcs_env *env, step_pattern *p);

struct pcs_work {
    pcs_env env;
    pcs_arena arena;
    step_budget budget;
    bool busy; // within an attempt
    size_t peak;
    const pcs_model *owner; // the model of the work, with
    int n_systems, nv;      // this many systems and velocities

    threads *team; // or null
    step_capture capture;
    pcs_watch watch;   // of the velocity problems
    pcs_state *backup; // copy of the state before a divided step; or null
    pcs_state *start;  // the same before a step of a model with driven bodies
    step_kinks kinks;
    int touches;          // largest number of features that a search has found
    bool always_searches; // for tests: searches also where a proof shows that nothing is there
    long proofs;          // for tests: number of searches that proofs replaced
    long part_proofs;     // for tests: number of searches that they limited to some bodies
    double kinetic;       // J: the largest kinetic energy at work in the parts of the last step
    int looked_at;        // number of systems and shapes at the last search for unlikely bodies
    int n_said;           // number of doubts that the log has
    step_said said[STEP_SAID];
    event_list events;
    step_rest rest;
    kept_pairs kept; // of the last search for near shapes
    step_still still;
    step_skip skip;
    char cause[STEP_WHY]; // why the last attempt diverged, if it is known
    double closing;       // of a step that is not committed: the rate of its proof, or 0 (refute)

    // results that can be read after a step; in the arena, except those made on request
    pcs_contact *contact; // made on request, in `listed`
    int n_contacts;
    pcs_arena listed;
    candidates list;
    const double *braked; // as in trial
    bool skips;           // the contacts of skipped bodies belong to the list
    const pcs_model *model;
    double h;               // s, of these impulses
    bodies_problem problem; // problem as in the trial
    const double *v_free, *rotation, *u;
    pcs_measure measure; // measure of the last solve
    double kappa;        // that of its report
    block_lu lu;         // A of that problem

    // the problem with W, made on request
    pcs_arena assembled;
    pcs_problem local;
    bool is_assembled;

    // iteration matrices of linear systems, factorised for one step size
    size_t linear_bytes;
    double linear_h, *linear_theta; // linear_theta per block
    double *linear_lu, *linear_val; // packed factors, and the matrices
    int *linear_piv;                // nv
    size_t *linear_off;             // per block, SIZE_MAX if the system is not linear
    envelope **sparse;              // per block, factors of a system with sparse matrices, or null
    const envelope **sparse_mass;   // per block, factors of their mass
    int sparse_blocks;              // 1 + the last such block

    step_pattern pattern; // of the sparse block of force elements
};

// Begins an attempt with an empty arena, and ends it; true when the arena was too small and has
// grown: the attempt must be repeated
void work_begin(pcs_work *wk);
bool work_end(pcs_work *wk, pcs_status *status);

// A step that is divided (divide.c), in units of its smallest part
typedef struct step_division {
    pcs_work *work;
    long whole, part, done; // units of the step, of the next part, and of all parts before it
    double h_whole, h;      // s, sizes of the step and of that part
    bool accept;            // that part is committed with any residuals
    double near;            // commit with residuals of at most this
    double end; // part of the budget for parts; less than 1 if the undivided step follows when they
                // fail
    bool strict;            // parts must converge
    long longest;           // most units of a strict part; shorter after one that failed
    int solved;             // number of parts in a row since then
    bool rebounds;          // contacts rebounded in a part that was not solved
    bool lands;             // the last attempt: contacts of islands that are not solved land
    double cut;             // s: this part must end there, at a kink; 0: it need not
    pcs_step_report before; // report of all parts before it; undefined for done = 0
} step_division;
// adds the report of a part before it to that of a part
void step_add_report(const pcs_step_report *first, pcs_step_report *then);
// begins with the step as one part
void step_divide(const pcs_model *m, pcs_work *wk, double h, step_division *d);
// A part ended because the budget is used up: a first attempt is then not yet committed
void step_divide_cut(step_division *d, pcs_step_report *out);
// the same for a part whose last pass still changed contacts; it is not committed if it can be
// divided
void step_divide_unsettled(step_division *d, pcs_step_report *out);
// Ends a part with its status and report; true when another part follows. Else the step is complete
// and *out is the report of all of it, or it has failed and the state is as it was
bool step_divide_next(step_division *d, pcs_state *st, pcs_status *status, pcs_step_report *out);
// A part is not solved, and contacts rebound in it. Where it is proved that it has no solution, it
// is not committed before they have landed
void step_divide_rebounds(step_division *d, pcs_step_report *out);
// True where the whole step is tried once more, undivided: it has failed, and contacts that rebound
// may be why
bool step_divide_land(step_division *d, pcs_status status, const pcs_step_report *out);

// ---- the budget: units and seconds that the scheme allows for the whole step
void step_budget_begin(pcs_work *wk);
// sets the default, for n contacts and joints that may take part
void step_budget_know(pcs_work *wk, int n);
// sets the end of an attempt, from its part of the budget
void step_budget_limit(step_budget *b);
// true when an attempt has less than half of the budget since its parts may need less
bool step_budget_is_short(const pcs_work *wk);
// a first attempt that is short continues with all of the budget if that leaves these units for
// velocities; false: it does not
bool step_budget_widen(pcs_work *wk, double units);
void step_spend(pcs_work *wk, double units);
// units left of `part` of the units that the attempt may spend
double step_units(const pcs_work *wk, double part);
// seconds since the step began
double step_seconds(const pcs_work *wk);
// sweeps of max_sweeps that are left; infinite without such a cap
double step_sweeps(const pcs_work *wk);
// true when the seconds are used up; when they or the units are, with the outcome of the step
bool step_late(const pcs_work *wk);
bool step_over(const pcs_work *wk, double part, pcs_outcome *outcome);
// the same for this share of the units for velocities, and for the sweeps
bool step_velocity_over(const pcs_work *wk, double share, pcs_outcome *outcome);
// true when a step that is not solved ends the run
bool step_is_strict(const pcs_scheme *s);
// limits the seconds of a solver to those left
void step_limit_seconds(const pcs_work *wk, pcs_solver_opts *opts);
// part of the units of an attempt for velocities, where positions are projected too
#define VELOCITY_PART 0.75
// part of the units for velocities in this scheme
static inline double step_velocity_part(const pcs_scheme *s)
{
    return s->projection == PCS_PROJECTION_NONE ? 1 : VELOCITY_PART;
}

// true for a system that sleeps and is not looked at
static inline bool skips(const trial *t, int system)
{
    return t->skipped && system >= 0 && t->skipped[system];
}
// number of candidates, also of skipped bodies
static inline int step_candidates(const trial *t)
{
    return t->list.n + (t->skipped ? t->work->skip.list.n : 0);
}

// a run has steps of at least this many roundings of its times
#define STEP_TICKS 4
// the error of a step that is too small for the time t
pcs_status step_refuse_time(const char *name, double t, double h);
// checks the arguments that all entries share: not null, of one model, finite
pcs_status step_check(const char *name, const pcs_model *m, const pcs_state *st,
                      const pcs_work *wk);

// q' = q_k, v' = v_k, forces at t_k, reach
pcs_status trial_begin(const pcs_model *m, const pcs_state *st, pcs_work *wk, double h,
                       pcs_arena *mem, trial *t);

// copies the velocities of systems that are not skipped, or sets them to zero (null)
void trial_copy(const trial *t, const double *v, double *out);
// x = M^-1 x of one system with its mass at q_k; 0 where that is singular
pcs_status trial_accelerate(const trial *t, int system, pcs_arena mem, double *x);
// model_in_range of their velocities
bool trial_in_range(const trial *t, const double *v);

// a force of one system
static inline system_force force_at(system_force F, int at)
{
    return (system_force){F.conservative + at, F.other + at, F.gyroscopic + at};
}

// the forces on a system at the end: those at t_k where only gravity acts
static inline system_force trial_end_force(const trial *t, const model_system *s)
{
    return force_at(s->plain ? t->Fk : t->end.F1, s->v_at);
}

// sets the systems of a candidate by those whose poses it has
static inline void candidate_join(const pcs_model *m, candidate *c, int one, int two)
{
    c->pose1 = one;
    c->pose2 = two;
    c->sys1 = system_mover(m, one);
    c->sys2 = system_mover(m, two);
    if (c->sys1 == c->sys2 && one != two) c->sys2 = -1;
}

static inline bool is_carried(const pcs_model *m, int system)
{
    return system >= 0 && m->system[system].carrier.id > 0;
}

// the place of a body among the rotations of a trial: those that forces move, then carried ones
static inline int rotation_at(const pcs_model *m, int system)
{
    const model_system *s = &m->system[system];
    return s->carrier.id > 0 ? m->n_blocks + s->carried : s->block;
}

// true when its rows are those of a body in space times a matrix B: of a carried body, and of a
// planar one, where B drops what leaves the plane
static inline bool is_mapped(const pcs_model *m, int system)
{
    return is_carried(m, system) || (system >= 0 && m->system[system].plane != PCS_PLANE_NONE);
}

static inline bool candidate_is_mapped(const pcs_model *m, const candidate *c)
{
    if (m->n_carried == 0 && m->n_planar == 0) return false;
    return is_mapped(m, c->pose1) || is_mapped(m, c->pose2);
}

// The plane that both systems of a pair keep, when one of them is planar and the other is, too, or
// does not move by forces: contacts then have one tangent, in the plane
static inline pcs_plane pair_plane(const pcs_model *m, int one, int two)
{
    const pcs_plane a = one < 0 ? PCS_PLANE_NONE : m->system[one].plane;
    const pcs_plane b = two < 0 ? PCS_PLANE_NONE : m->system[two].plane;
    if (a == b) return a;
    if (a == PCS_PLANE_NONE) return system_can_move(m, one) ? PCS_PLANE_NONE : b;
    return b == PCS_PLANE_NONE && !system_can_move(m, two) ? a : PCS_PLANE_NONE;
}

// the coordinates of a system within q, null for the world
static inline const double *system_q(const pcs_model *m, int system, const double *q)
{
    return system < 0 ? NULL : q + m->system[system].q_at;
}

// candidates at q_k: interactions, then contacts within `extra` plus the reach of both bodies
pcs_status step_detect(const trial *t, double extra, pcs_arena *mem, candidates *list);
// adds contacts that overlap at q' but were not within reach at q_k; of pairs with a contact in the
// list only those that are deeper than `deeper` (m; 0: all) and were open at q_k. Those that may
// rebound are inactive, and land when they become active. Under the speculative rule lists,
// refuted, also what a body may have passed. refuted: contacts were refuted since the velocities of
// q' were solved, and q' shows no meeting of bodies that have passed each other
pcs_status step_detect_end(const trial *t, double deeper, bool refuted, pcs_arena *mem,
                           candidates *list);
// false for models with shapes whose gaps may change faster than they move: surfaces have one side
// only, and a half-space is farther from its body than any radius. Driven bodies have no bound
bool step_bounds_gaps(const pcs_model *m);
// all pairs of shapes whose bounds at q, enlarged by `extra` and optionally by their reach,
// overlap; in the order of the smaller, then of the larger index; the first shape of a pair moves
pcs_status step_pairs(const trial *t, const double *q, double extra, bool with_reach,
                      pcs_arena *mem, int (**pair)[2], int *n_pairs);
// bound on the distance that the surface of a shape moves near the other one, m
double step_reach(const trial *t, int shape, int other);
// the features of a pair of shapes that are nearer than reach, at the poses q1 and q2 of their
// systems (null: the world), from the arena
pcs_status pair_features(const pcs_model *m, int shape1, int shape2, const double *q1,
                         const double *q2, double reach, pcs_arena *mem, pcs_feature **f, int *n);
// The features at q that are nearer than `extra`, optionally plus the reach of both shapes; with
// `open` only those of pairs with one of these systems. With their reach q is q_k, and features of
// pairs that have not moved are those of the last search
pcs_status step_find(const trial *t, const double *q, double extra, bool with_reach,
                     const bool *open, pcs_arena *mem, touches *out);
// number of rows with a gap: all of a bilateral candidate, the normal one of a contact, none of a
// limited force
static inline int candidate_gaps(const candidate *c)
{
    if (c->law.kind == PCS_LAW_LIMITED) return 0;
    return c->law.kind == PCS_LAW_EQUALITY ? c->dim : 1;
}

// number of gaps that are known: those, and of a limited force how far it is from what it shall
// reach
static inline int candidate_measures(const candidate *c)
{
    return c->law.kind == PCS_LAW_LIMITED ? 1 : candidate_gaps(c);
}

// copies one with the memory of its own for its rows
void candidate_copy(const candidate *from, candidate *to);

// true when its impulse is stored as a vector in space: contacts of shapes with friction
static inline bool remembers_force(const candidate *c)
{
    return c->interaction < 0 && c->dim > 1;
}

static inline pcs_cone candidate_cone(const candidate *c)
{
    if (c->law.kind == PCS_LAW_EQUALITY) return PCS_CONE_EQUALITY;
    if (c->law.kind == PCS_LAW_LIMITED) {
        return isfinite(c->law.limit) ? PCS_CONE_BOX : PCS_CONE_EQUALITY;
    }
    return c->dim > 1 ? PCS_CONE_COULOMB : PCS_CONE_UNILATERAL;
}

// the gap of a contact of shapes at q
void contact_gap(const pcs_model *m, const candidate *c, const double *q, double *g);
// g_end of a contact of shapes; without work where nothing has moved. at: zeroed, or the poses of
// the contact before it, which most contacts share
void contact_end_gap(const trial *t, candidate *c, feature_pose at[2]);
// the gaps of any candidate, with f(t + h)
pcs_status candidate_gap(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                         double *g);
// the rows of a candidate at q into its block, in a new frame or (`carry`) in the old one, rotated
// with the normal; for shapes also their gap, if `gap` is not null
pcs_status candidate_block(const pcs_model *m, const candidate *c, const double *q, bool carry,
                           pcs_arena mem, bodies_block *k, pcs_gap *gap);
// the same for a contact of shapes at the poses of its systems; q: the coordinates of carriers. It
// cannot fail where no system is carried
pcs_status candidate_contact(const pcs_model *m, const candidate *c, feature_pose at[2],
                             const double *q, pcs_arena mem, bodies_block *k, pcs_gap *gap);
// memory for the rows of one side, dim x nv
pcs_status candidate_take_rows(const pcs_model *m, int system, int dim, pcs_arena *mem, double **J);
// the rows of one side alone at q in the frame F, moving or not, as a block of system 0; J has room
// for those of a relation
pcs_status candidate_side(const pcs_model *m, const candidate *c, int side, const double *q,
                          const double F[9], pcs_arena mem, double *J, bodies_block *out);
// explicit rows with a gap at q, J in velocities and C in coordinates, each may be null;
// candidate_gaps x nv or nq of each system, column-major
pcs_status candidate_rows(const pcs_model *m, const candidate *c, const double *q, pcs_arena mem,
                          double *const J[2], double *const C[2]);

// the term that an impact law adds to u of row i
double impact_shift(const candidate *c, int i);

// u = J v of its rows, plus the velocities of driven bodies: drive_k or drive, or null
static inline void candidate_velocity(const trial *t, int i, const double *v, const double *drive,
                                      double *u)
{
    bodies_block_velocity(&t->list.k[i], t->m->block_start, t->rotation, v, u);
    for (int j = 0; drive && j < t->list.c[i].dim; ++j) {
        u[j] += drive[j];
    }
}

// motion of the driven bodies: t->driven, their part of t->end.q and their reach
pcs_status driven_begin(trial *t, pcs_arena *mem);
// velocity of a driven body at the start of the step or at its end; null for other systems
const double *driven_velocity(const trial *t, int system, bool end);
// its pose for forces on systems that are ahead
const double *driven_behind(const trial *t, int system, bool end);
// f and df/dt of the relation of a candidate
pcs_status candidate_time(const trial *t, candidate *c);
// true when one of its systems is a driven body
bool candidate_is_driven(const trial *t, const candidate *c);
// drive_k and drive of a candidate with block k, with its rows at q
pcs_status candidate_drive(const trial *t, candidate *c, const bodies_block *k, const double *q,
                           pcs_arena *mem);

// true when a side of a candidate has velocities
static inline bool system_moves(const pcs_model *m, int system)
{
    return system >= 0 && m->system[system].nv > 0;
}

static inline bool is_disabled(const pcs_model *m, int system)
{
    return system >= 0 &&
           (m->system[system].disabled || m->system[system_mover(m, system)].disabled);
}

// the root of the island of system i; shortens the links to it
static inline int island_root(int *up, int i)
{
    while (up[i] != i) {
        up[i] = up[up[i]];
        i = up[i];
    }
    return i;
}

// a system of the candidate that moves
static inline int candidate_mover(const trial *t, const candidate *c)
{
    return system_moves(t->m, c->sys1) ? c->sys1 : c->sys2;
}

// joins the islands of the systems of a candidate
static inline void step_join(const trial *t, const candidate *c, int *up)
{
    if (!system_moves(t->m, c->sys1) || !system_moves(t->m, c->sys2)) return;
    const int one = island_root(up, c->sys1), two = island_root(up, c->sys2);
    up[one > two ? one : two] = one > two ? two : one;
}

// R of every body that forces or a carrier move and that is not skipped, at q
void trial_rotations(const trial *t, const double *q, double *R);

// theta of the midpoint rule
#define STEP_MIDDLE 0.5

// the systems whose coordinates are half a step ahead of their forces: t->ahead
pcs_status step_find_ahead(trial *t, pcs_arena *mem);
// part of the forces at the end in their mean
static inline double step_force_part(const trial *t, int system)
{
    return t->ahead && t->ahead[system] ? STEP_MIDDLE : t->end.theta[system];
}

// true for systems whose joints are at the middle of the step
static inline bool step_in_middle(const trial *t, int system)
{
    return t->end.middle[system] || t->end.theta[system] == STEP_MIDDLE;
}

// the theta of every system in a scheme of second order, now that the active set is known
pcs_status step_order(const trial *t, pcs_arena mem, candidates *list, double *theta,
                      bool *changed);
// true for a limited motor with a position: it reaches it at the end of a step for theta = 1 only
bool candidate_reaches(const trial *t, const candidate *c);
// true when the rows of a candidate are taken in the middle of the step
bool step_at_middle(const trial *t, const candidate *c);
// the gap up to which the scheme counts a contact as closed, m
static inline double step_closed_gap(const pcs_scheme *s)
{
    return s->projection == PCS_PROJECTION_DIRECT_HYSTERESIS ? s->hysteresis : s->active_tol;
}
// m: rounding error of the gap of a candidate: a smaller one is none
double step_gap_rounding(const trial *t, const candidate *c);
// m: gap, beyond the reach of the motion, up to which a contact may count as touching
double step_tolerance(const trial *t);
// the active set at the start of a step
pcs_status step_activate(const trial *t, pcs_arena *mem, candidates *list);
// true when a contact of this law may rebound under the speculative rule
static inline bool step_restores(const trial *t, const pcs_law *law)
{
    return t->rule == PCS_ACTIVATION_SPECULATIVE && law_is_unilateral(law) && law->e > 0;
}
// true when passes add features of known pairs that overlap by more than the projection leaves
static inline bool step_adds_features(const trial *t)
{
    return t->rule == PCS_ACTIVATION_SPECULATIVE &&
           t->m->scheme.projection == PCS_PROJECTION_OVERLAPS;
}
// True where a kink of a driven body hits a contact; *cut: s from the start of the step to the
// first of them, 0 if the kinks are at its ends
pcs_status step_meets_kinks(const trial *t, pcs_arena mem, bool *hit, double *cut);
// activates a contact that closes
pcs_status step_take(const trial *t, candidate *c, pcs_arena mem);
// between two passes: refutes contacts that push although their shapes do not meet, and adds
// contacts that the step meets; *changed counts both (confirm.c). `solved`: the velocities are
// solved, with this residual; `again`: a coarse pass was confirmed before
pcs_status step_confirm(const trial *t, bool solved, double residual, bool again, pcs_arena *mem,
                        candidates *list, int *changed);
// the same before the first pass, for contacts that a prediction from q_k and v_k activates; for
// inner edges of surfaces that bodies lay on in the last step; and for contacts that overlap at q'
pcs_status step_confirm_prediction(const trial *t, pcs_arena *mem, candidates *list);
pcs_status step_confirm_held(const trial *t, pcs_arena mem, candidates *list);
pcs_status step_confirm_closed(const trial *t, pcs_arena mem, candidates *list);
// warm start of the next pass: the impulses of the last velocities
void step_keep_impulses(const trial *t, candidates *list);
pcs_status step_extend(const trial *t, bool features, bool refuted, pcs_arena *mem,
                       candidates *list, int *added);

// h^2/4 K+ of the ball joints of every body, in body axes, from the arena; null: there are none.
// With the impulses that the candidates have. `again`: *stiff is replaced only if the velocities
// should be solved again; *changed is true then
pcs_status step_tension(const trial *t, bool again, pcs_arena *mem, double **stiff, bool *changed);
// stiffness of block b; null: none
static inline const double *trial_stiffness(const trial *t, int b)
{
    const bool body = t->m->system[t->m->block_system[b]].kind == SYSTEM_BODY;
    return t->stiff && body ? t->stiff + 9 * (size_t)b : NULL;
}
// term of that stiffness in the kinetic energy of block b, J
double step_tension_work(const trial *t, int b);
// takes the rows of joints as the scheme says; `pure`: by the midpoint rule, which gains no energy
pcs_status step_joint_rows(const trial *t, bool pure, pcs_arena *mem, candidates *list);
// finds the joints whose rows must be taken where all joints are closed (loops.c); *changed: others
// than before
pcs_status step_find_loops(const trial *t, pcs_arena mem, candidates *list, bool *changed);
// q moved to where these joints are closed, from the arena; q itself where they are closed, or
// cannot be
pcs_status step_close_loops(const trial *t, const double *q, candidates *list, pcs_arena *mem,
                            const double **closed);
// removes from the terms of these joints what their rows at q contradict each other by
pcs_status step_agree_loops(const trial *t, const double *q, candidates *list, pcs_arena mem);
// true when joints that are not pure have gained energy by the last velocities
bool step_joints_gain(const trial *t, pcs_arena mem);
// the islands that active candidates hold together: up[i] leads to the root of system i
void step_join_islands(const trial *t, int *up);
// The motion that the bodies of an island have in common (common.c)
typedef struct island_motion {
    double mass, momentum[3]; // kg, kg m/s
    double approach; // largest speed of the centre of mass towards what it touches that has no mass
    bool grounded;   // it touches such a thing
} island_motion;
// adds a body with its velocity in v; then, with all bodies, candidate i of the island. `end`: v
// and driven bodies at the end of the step
void motion_add_body(const model_system *s, const double *v, island_motion *of);
void motion_add_ground(const trial *t, int i, bool end, island_motion *of);
// the energy of this motion that is not at work, J; the energy that is, of all that there is
double motion_energy(const island_motion *of);
double motion_energy_left(double all, double common);
// the sum of motion_energy over the islands of active candidates and force elements, at the start
// or at the end of the step
pcs_status step_common_energy(const trial *t, bool end, pcs_arena mem, double *out);
// work of the contacts of an island, J (gain.c)
typedef struct island_work {
    double sum; // work of all, relative to the velocities without impulses of contacts, or to those
                // at the start of the step: the smaller one
    double exchanged; // sum of the sizes of its terms
    double pushed;    // sum of |r|, N s
    double most;      // work of the contact that adds most
    int worst;        // this contact
} island_work;
// the works of islands, each at its root, with u' of contacts in their u; from the arena. least: a
// work below this velocity times `pushed` is no gain, and need not be found with joints
pcs_status step_island_works(const trial *t, double least, pcs_arena *mem, int **up,
                             island_work **of);
// lets a contact close without rebound
void candidate_land(candidate *c);
// lets the contacts of islands that gain energy land, and velocities must be solved again;
// `residual` is that of the present ones
pcs_status step_land_gains(const trial *t, pcs_arena mem, double residual, candidates *list,
                           bool *any);
// true where some pair of shapes may have e > 0 (run.c)
bool step_model_rebounds(const pcs_model *m);
// in the last attempt of a step: the same for islands that are not solved, by their measure
pcs_status step_land_unsolved(const trial *t, pcs_arena mem, const pcs_measure *measure,
                              candidates *list, bool *any);
// after a projection: if it has added energy to an island, contacts that sink land, and velocities
// must be solved again (lift.c)
pcs_status step_land_lifted(const trial *t, pcs_arena mem, candidates *list, bool *any);
// takes the energy that the projection has added to islands of joints from their velocities
pcs_status step_pay_lifts(trial *t, pcs_arena *mem, pcs_energy *e);
// notes the impulses for this, `lost` on bodies (nv, from the arena), and those of joints (brake.c)
pcs_status step_brake(trial *t, pcs_arena *mem, const double *lost);
// true when the rows of all candidates are taken elsewhere than at q_k
static inline bool step_rows_follow(const pcs_scheme *s)
{
    return s->configuration == PCS_CONFIGURATION_ITERATE ||
           s->configuration == PCS_CONFIGURATION_PREDICTED;
}
// the problem of the active candidates with rows at q_k; moves its rows to q', at each Newton
// iterate; moves them to the predicted configuration, once
pcs_status step_assemble(const trial *t, pcs_arena *mem, candidates *list, solution *out);
pcs_status step_update_rows(const trial *t, pcs_arena mem, candidates *list, solution *out);
pcs_status step_predict_rows(const trial *t, pcs_arena mem, candidates *list, solution *out);
// solves it from t->end.v = v_free: r, u and v
pcs_status step_solve(const trial *t, pcs_arena *mem, double *v, solution *s, bodies_report *out);
// The same until joint friction has the bounds that the solution loads; v is v_free on entry.
// Before the first solve of a problem: these bounds by the impulses of the candidates
void step_start_bounds(const trial *t, candidates *list, solution *s);
pcs_status step_solve_contacts(const trial *t, pcs_arena *mem, double *v, candidates *list,
                               solution *s, pcs_step_report *out);
// true when such a solution counts as converged; friction: its friction_residual
bool step_solved_contacts(const trial *t, const pcs_report *report, double friction, pcs_arena mem);

// the theta scheme with contacts: v', q', r of the active set (7.1)
pcs_status step_velocity(const trial *t, pcs_arena *mem, candidates *list, motion *end, solution *s,
                         pcs_step_report *out);
// x = A^-1 x for all systems, with the factors of the last iterate
pcs_status step_solve_blocks(const trial *t, pcs_arena mem, double *x);
// v' of block b alone, whose impulses are p (nv of the block): R(v) = p, by Newton's method from
// v_k. v does not change if that does not converge, or if R is linear
pcs_status step_part_velocity(const trial *t, int b, const double *p, pcs_arena mem, double *v);

// The values of block b of the iteration matrix at the current iterate, without force elements, as
// a whole n x n matrix; its factors as block `at` of F; the error of a block that is singular
pcs_status step_block_values(const trial *t, int b, pcs_arena mem, double *A);
pcs_status step_block_factors(const trial *t, int b, pcs_arena mem, block_lu *F,
                              unsigned char *kinds, int at);
pcs_status step_singular(const trial *t, int b);

// which rows a projection acts on
typedef enum project_rows {
    PROJECT_ACTIVE,              // active candidates and joints
    PROJECT_ACTIVE_AND_VIOLATED, // those and every overlap
    PROJECT_ACTIVE_AS_EQUALITIES
} project_rows;
// keeps q' before the projection, for the ledger
void step_keep_free(const trial *t, motion *end);
pcs_status step_project(const trial *t, project_rows which, pcs_arena mem, candidates *list,
                        double *q, pcs_step_report *out);
// projects every overlap at q', on the features that are found there
pcs_status step_project_overlaps(const trial *t, pcs_arena mem, candidates *list, double *q,
                                 pcs_step_report *out);

pcs_status step_ledger(const trial *t, pcs_arena mem, pcs_energy *out);

// the sentence why a step was not committed, after step_refute
void step_why(const pcs_work *wk, const pcs_step_report *report, char text[STEP_WHY]);
// the last error is the cause of the divergence
void step_keep_cause(pcs_work *wk);

// the impulse of an interaction on a body in the last step: force (inertial), moment about G (body
// axes); zero where it did not act
void work_reaction(const pcs_work *wk, pcs_interaction interaction, pcs_system body,
                   double wrench[6]);
// the pose of a carried body at which an interaction of the last step has its rows; *q is left
// alone when it did not act
void work_carried_pose(const pcs_work *wk, pcs_interaction interaction, pcs_system body,
                       const double **q);

// force and moment of a joint in the last step of the work, which ended at the state; the rest of
// *out is left alone
pcs_status joint_reactions(const pcs_model *m, const pcs_state *st, const pcs_work *wk,
                           pcs_interaction interaction, pcs_joint_state *out);
// marks the interactions that bear more than their strength, and counts them in the report
pcs_status step_breaks(const trial *t, candidates *list, pcs_step_report *out);
// true when a contact overlaps so deeply that it is a doubt
bool step_doubts_overlap(const trial *t, const candidate *c);
// the doubts of a step (D-7), and that it is committed unsolved; `moves`: its velocities are
// solved, its projection is not
pcs_status step_doubts(const trial *t, pcs_arena mem, pcs_step_report *out);
void step_doubt_unsolved(const trial *t, bool moves, pcs_step_report *out);
// tells the log, once per work and set of shapes, which bodies have inconsistent mass, inertia and
// shapes
void step_check_bodies(const pcs_model *m, pcs_work *wk);
// adds a case to *d, which keeps the worst
void doubt_add(pcs_doubt *d, double value, double limit, int one, int two);
// adds `more` to *d, which keeps the worse case
void doubt_join(const pcs_doubt *more, pcs_doubt *d);

// names the constraints that contradict each other, where velocities have no solution
pcs_status step_conflicts(const trial *t, pcs_arena mem, pcs_step_report *out);
// Looks for a proof that the velocity problem of a step that is not committed has no solution. Such
// a step is infeasible, and its report names the constraints of the proof where it names none yet
void step_refute(pcs_work *wk, pcs_step_report *out);
// True when such a proof explains the residual of a step that would be accepted
bool step_refutes(pcs_work *wk, const pcs_step_report *out);
// "motor 2 and motor 3"; empty when the report names none
void conflict_text(const pcs_model *m, const pcs_step_report *r, char *text, size_t room);

// tells the log of the environment about a step from time t0: not committed, or its doubts
void step_warn(const pcs_model *m, pcs_work *wk, double t0, const pcs_step_report *out);
// pcs_doubt_text with the names of the parts of a model, or null
void doubt_text(const pcs_model *m, pcs_doubt_kind kind, const pcs_doubt *d,
                char text[PCS_DOUBT_TEXT_SIZE]);

// computes gaps at q' and results, takes memory for remembered impulses: the part of the end that
// can fail
pcs_status step_publish(const trial *t, pcs_arena *mem, candidates *list, pcs_state *st,
                        pcs_step_report *out);
// m/s: error of velocities with this measure
double step_velocity_tol(const pcs_scheme *s, const pcs_measure *m);
// replaces the state; cannot fail
void step_commit(const trial *t, pcs_state *st);

#endif
