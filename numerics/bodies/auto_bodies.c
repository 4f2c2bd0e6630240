// The row `auto` for bodies: the portfolio of an island. Joints alone, and islands of few blocks
// without friction, are solved exactly; in all others sweeps, the finish and, for islands of joints
// or of few blocks, solvers of the assembled W take turns.
#include <string.h>

#include "bodies/body_system.h"
#include "bodies/task.h"
#include "problem/measure.h"
#include "solver/auto_part.h"

// without friction, islands of at most this many blocks are assembled: pivoting solves them exactly
#define ASSEMBLE_FIRST 40
// islands that neither sweeps nor finish solved are assembled up to this many blocks
#define ASSEMBLE_LAST 400
// W is factorised up to LINEAR_MOST rows and up to LINEAR_FILL entries per row for joints alone,
// for which there is another method, or MIXED_FILL for joints with contacts; up to LINEAR_FEW or
// MIXED_FEW rows with any fill. The residual that factors leave is at most LINEAR_DONE
#define LINEAR_MOST    1000000
#define LINEAR_FEW     60
#define LINEAR_FILL    100
#define MIXED_FEW      1000
#define MIXED_FILL     400
#define LINEAR_DONE    1e-6
#define LINEAR_ROUNDED 0.1
// Patience of the first round of the portfolio, in sweeps. The finish may cost FINISH_PART of what
// these sweeps cost, plus FINISH_LEAST units, which islands of few blocks need. The patience
// doubles in every round. Where velocities are few, a Newton step costs as little as some sweeps:
// in islands of at most ASSEMBLE_LAST blocks with more than FINISH_RATIO rows per velocity the part
// grows with their number, up to FINISH_MOST times.
#define PATIENCE     100
#define FINISH_PART  1.0
#define FINISH_LEAST 5000
#define FINISH_RATIO 2.0
#define FINISH_MOST  8.0
// In islands of more than ASSEMBLE_LAST blocks a factorisation may cost as much as thousands of
// sweeps: where it costs more than a turn of the finish may, the sweeps continue until it does not.
// Above a measure of FINISH_NEAR, where the finish seldom arrives, its part is then FINISH_DEAR;
// below FINISH_SURE, where it arrives in a few steps and sweeps stand still, it does not wait. In
// smaller islands its turn is FINISH_LONG times as long there: no other method arrives as often.
#define FINISH_NEAR 3e-4
#define FINISH_DEAR 0.25
#define FINISH_SURE 1e-5
#define FINISH_LONG 8.0
// There kappa begins with KAPPA_PART over the measure, within these bounds
#define KAPPA_PART  1.0
#define KAPPA_LEAST 10.0
#define KAPPA_MOST  1e6
// A turn of the finish leaves the centre of the last one where others have brought the measure
// below this part
#define CENTRE_LEFT 0.5
// largest number of Newton steps of a turn of the finish, and of one of its proximal problems
#define FINISH_STEPS 1000
#define FINISH_INNER 12
// A finish of at most this many steps is short without the kappa of the last one; the next one
// begins with at most KAPPA_KEPT, since Newton's method fails more often with more
#define FINISH_SHORT 4
#define KAPPA_KEPT   1e5
// The rounds end when the measure has not fallen to half while the cost since then is STAGNANT
// times the cost before, and at least STAGNANT_LEAST units plus STAGNANT_PER_BLOCK per block
#define STAGNANT           3.0
#define STAGNANT_LEAST     5e6
#define STAGNANT_PER_BLOCK 5e3
// part of the budget that the rounds leave to an assembled island; islands of at most
// ASSEMBLE_EARLY blocks are assembled after a cost of ASSEMBLE_AFTER sweeps, where homotopy has
// systems in the velocities after ASSEMBLE_PATHS of its tries or ASSEMBLE_HALF of the budget. The
// least number of units per block with which assembling makes sense
#define ASSEMBLE_PART  0.25
#define ASSEMBLE_EARLY 60
#define ASSEMBLE_AFTER 5000
#define ASSEMBLE_PATHS 2
#define ASSEMBLE_HALF  0.5
#define ASSEMBLE_LEAST 100
// Islands of at most PROOF_BLOCKS blocks: the search for a proof that there is no solution may cost
// PROOF_FIRST units in the first round, which three contacts need, and twice as many in each round
#define PROOF_BLOCKS 40
#define PROOF_FIRST  5e4
// factorisations of W that its part must pay for
#define ASSEMBLE_FACTORS 3

// In islands of joints with at most LINKED_LOOPS loops a step with factors of W costs LINKED_STEP
// products with W. There the interior point method is the first with factors unless the measure is
// at most LINKED_NEAR; where it arrives, it does so within 22 steps, and it has LINKED_IPM. Turns
// of the others have LINKED_PART steps for each sweep of the patience
#define LINKED_STEP  25
#define LINKED_LOOPS 100
#define LINKED_NEAR  1e-4
#define LINKED_PART  0.12
#define LINKED_IPM   30

// Where A joins systems: factorisations per unit of patience without progress, and the part of the
// budget that the first turn of the finish has
#define JOINED_TURN  0.3
#define JOINED_FIRST 0.25

// Methods with their systems in the velocities. Costs are in those of VELOCITY_UNIT factorisations
// of the finish; an iteration costs some four of them. A try begins after `after` of these have
// been spent on the island, where as much is left, or earlier in large islands where sweeps would
// need SLOW of a try. Where fronts make an iteration of ipm cheap, it is CHEAP of that, and the
// next turn of the others costs up to NEXT_TURN times the patience. The result is kept where the
// measure is at most VELOCITY_NEARER of the one before. Near a solution these methods seldom
// improve it, while the finish arrives: ipm below FINISH_SURE, and homotopy below VELOCITY_NEAR,
// wait NEAR_WAIT times as long
#define VELOCITY_UNIT   40
#define CHEAP           0.7
#define NEXT_TURN       4
#define SLOW            0.5
#define VELOCITY_NEARER 0.1
#define VELOCITY_NEAR   1e-6
#define NEAR_WAIT       10

// ---- the portfolio -----------------------------------------------------------------------------

// Its methods take turns, each from the best r so far and with twice the patience of the round
// before: whichever method suits the island, the whole costs a few times as much as that method
// alone, and a method that has failed is called again only after as much has been spent on the
// others.
typedef struct turns {
    island_task *t;
    int nb;
    double most;           // units
    double patience;       // in sweeps
    finish_budget spend;   // budget of the finish
    double finished_at;    // the measure after its last turn
    bool finish, assemble; // the finish, and assembling, may still help
    bool dear;             // a factorisation costs more than a turn of the finish may
    bool finished;         // has made such a factorisation
    bool linked;           // factors of W cost little
    bool boxes;            // there are boxes
    bool joined;           // there is no other method than those with factors
    double finishes;       // length of a turn of the finish, in those of FINISH_PART
    bool proof;            // there may be a proof that no solution exists
    bool path;             // homotopy is cheap, and before ipm
    int factors;           // number of turns with these factors
    int velocities;        // number of tries with systems in the velocities
    int paths;             // of these, with homotopy
    bool stuck;            // the measure has not fallen for long: these tries do not wait
    double mark, marked;   // the measure when it last fell to half, and the units spent until then
    double slow;           // units that sweeps would still need, at the rate of their last turn
} turns;

static double left_of(const turns *t)
{
    return t->most - t->t->result->units;
}

static double time_left(const turns *t)
{
    const island_task *all = t->t;
    return all->o.max_seconds > 0 ? all->o.max_seconds - (solver_clock() - all->clock) : INFINITY;
}

// true when these units, at the pace of those so far, would take more than the time that is left
static bool would_be_late(const turns *t, double units)
{
    const island_result *r = t->t->result;
    const double pace = (r->seconds_sweeps + r->seconds_finish) / r->units;
    return units * pace > time_left(t);
}

// the defaults of a solver, with the tolerance and the stop of the whole
static pcs_solver_opts part_options(const island_task *t, pcs_solver kind)
{
    pcs_solver_opts o = pcs_solver_opts_default(kind);
    o.tol = t->o.tol;
    o.stop = t->o.stop;
    return o;
}

// begins a part; false where it is left out
static bool begins(island_task *t, auto_part number)
{
    t->part = number;
    return part_runs(&t->o, number);
}

static pcs_status turn_of_sweeps(turns *t)
{
    if (!begins(t->t, PART_SWEEPS)) return task_sweep(t->t, 0, 0);
    const double before = task_value(t->t), units = t->t->result->units;
    PCS_TRY(task_sweep(t->t, (int)fmin(1e9, left_of(t) / t->nb), (int)fmin(1e9, t->patience)));
    const double spent = t->t->result->units - units, after = task_value(t->t);
    const double fallen = log(fmin(1, before) / after);
    t->slow = fallen > 0 ? spent * log(after / t->t->o.tol) / fallen : INFINITY;
    return PCS_OK;
}

static pcs_status turn_of_finish(turns *t)
{
    const bool large = t->nb > ASSEMBLE_LAST, far = large && task_value(t->t) > FINISH_NEAR;
    const bool sure = task_value(t->t) <= FINISH_SURE;
    const double dear = far ? FINISH_DEAR : FINISH_PART, share = t->dear ? dear : FINISH_PART;
    const double length = sure && !large ? fmax(t->finishes, FINISH_LONG) : t->finishes;
    const double most = FINISH_LEAST + length * share * t->patience * t->nb;
    t->t->part = PART_FINISH;
    t->spend.most = left_of(t);
    t->spend.patience = most;
    if (t->joined) {
        t->spend.patience =
            t->spend.factor > 0 ? JOINED_TURN * t->patience * t->spend.factor : INFINITY;
        if (!(t->spend.factor > 0)) t->spend.most *= JOINED_FIRST;
    }
    const bool direct = large && (sure || (t->dear && !far));
    t->spend.factor = large && !t->joined ? fmax(most, sure ? left_of(t) : 0) : INFINITY;
    // where a factorisation costs as much as a turn, kappa has no time to grow
    if (direct && !t->finished) {
        t->spend.kappa = fmin(KAPPA_MOST, fmax(KAPPA_LEAST, KAPPA_PART / task_value(t->t)));
    }
    t->finished = direct;
    pcs_solver_opts o = part_options(t->t, PCS_SOLVER_PROX);
    o.as.prox.inner = FINISH_INNER;
    o.max_iters = t->t->o.max_iters < FINISH_STEPS ? t->t->o.max_iters : FINISH_STEPS;
    if (task_value(t->t) < CENTRE_LEFT * t->finished_at) t->spend.goes_on = false;
    const bool first = t->t->result->kappa == 0;
    t->spend.given = first ? t->t->o.as.portfolio.kappa : 0;
    const pcs_status status = task_finish(t->t, &o, &t->spend);
    const bool arrived = first && t->spend.straight && !task_fails(t->t);
    const bool helps = t->spend.given > 0 || t->t->result->finish > FINISH_SHORT;
    const double kept = fmin(t->spend.kappa, KAPPA_KEPT);
    t->t->result->kappa = status == PCS_OK && arrived && helps ? kept : -1;
    // where only a Newton step is too long for what is left, sweeps go on
    pcs_outcome *end = &t->t->result->solve.outcome;
    const bool sweeps = part_runs(&t->t->o, PART_SWEEPS) && !t->joined;
    if (*end == PCS_OUTCOME_TIME_LIMIT && sweeps && time_left(t) > 0) *end = PCS_OUTCOME_MAX_ITERS;
    t->finish = status == PCS_OK;
    t->finished_at = task_value(t->t);
    if (large && !t->joined && t->spend.factor > most) {
        // the next turn of sweeps is as long as the finish needs
        t->dear = true;
        t->patience = fmax(t->patience, 0.5 * t->spend.factor / (dear * t->nb));
    }
    return status == PCS_ERR_UNSUPPORTED ? PCS_OK : status;
}

// true when the cost since the measure last fell to half is too large
static bool stagnates(turns *t)
{
    const double units = t->t->result->units, value = task_value(t->t);
    if (isnan(value)) return true;
    if (!(value > 0.5 * t->mark)) {
        t->mark = value;
        t->marked = units;
    }
    const double least = STAGNANT_LEAST + STAGNANT_PER_BLOCK * t->nb;
    return units - t->marked > fmax(STAGNANT * t->marked, least);
}

// Where the first round has not solved few blocks, there may be no solution: contacts that rebound
// in a wedge, prescribed motions that contradict one another. All other methods would spend the
// budget
static pcs_status turn_of_proof(turns *t)
{
    t->proof = false;
    if (!begins(t->t, PART_PROOF)) return PCS_OK;
    const double units = PROOF_FIRST * t->patience / PATIENCE;
    return task_exclude(t->t, fmin(left_of(t), units), &t->proof);
}

// number of methods with factors of W
enum { FACTOR_METHODS = 3 };

// True when only the rounding of W ended a method with factors, and there is one that has not been
// tried: rounding is a bound, and the next one may well come below the tolerance
static bool may_improve(const turns *t)
{
    const pcs_solver_opts *o = &t->t->o;
    const pcs_report *last = &t->t->result->solve;
    return t->linked && t->factors > 0 && t->factors < FACTOR_METHODS &&
           last->outcome == PCS_OUTCOME_CONVERGED && last->measure.residual > o->tol &&
           (o->stop == PCS_STOP_RESIDUAL || o->stop == PCS_STOP_BOTH);
}

// true when the island is solved, or the budget or the time is spent
static bool over(const turns *t)
{
    if (task_fails(t->t) && time_left(t) < 0) t->t->result->solve.outcome = PCS_OUTCOME_TIME_LIMIT;
    return (!task_fails(t->t) && !may_improve(t)) || left_of(t) < t->nb;
}

// the part has given up on this island
static void leave_out(island_task *t, auto_part number)
{
    t->o.as.portfolio.without |= (int)part_bit(number);
}

// the portfolio on W, without the parts that have given up
static pcs_status solve_assembled(island_task *t, double units)
{
    t->part = PART_W;
    return task_assemble(t, &t->o, units, SPARSE_STEP);
}

// the same after sweeps and the finish, which are nsgs and prox
static pcs_status solve_rest(island_task *t, double units)
{
    static const auto_part tried[] = {PART_NSGS, PART_PROX, PART_ROW_SWEEPS};
    for (size_t k = 0; k < sizeof tried / sizeof *tried; ++k) {
        leave_out(t, tried[k]);
    }
    return solve_assembled(t, units);
}

// solves an island of few blocks with W, once, after the cost of ASSEMBLE_AFTER sweeps
static pcs_status turn_of_assembled(turns *t)
{
    const double units = t->t->result->units;
    const bool waits = t->path && t->paths < ASSEMBLE_PATHS && units < ASSEMBLE_HALF * t->most;
    if (waits || units < (double)ASSEMBLE_AFTER * t->nb) return PCS_OK;
    t->assemble = false;
    return solve_rest(t->t, 0.5 * left_of(t));
}

// a method that makes no step from r has not found it
static void keep_finder(pcs_report *out, const pcs_report *before)
{
    if (out->iters > 0) return;
    out->solver = before->solver;
    out->part = before->part;
    out->iters = before->iters;
}

// The methods with factors of W in turn: proximal points and Newton's method take few steps from an
// r that is near, the interior point method twenty from anywhere
static pcs_status turn_of_factors(turns *t)
{
    static const pcs_solver method[FACTOR_METHODS] = {PCS_SOLVER_PROX, PCS_SOLVER_IPM,
                                                      PCS_SOLVER_NEWTON};
    if (!begins(t->t, PART_FACTORS)) return PCS_OK;
    // with boxes, which stick or are at their limit, Newton steps end at the last digit
    if (t->factors == 0 && task_value(t->t) > LINKED_NEAR && !t->boxes) t->factors = 1;
    pcs_solver_opts o = part_options(t->t, method[t->factors % FACTOR_METHODS]);
    o.max_iters = o.kind == PCS_SOLVER_IPM ? LINKED_IPM : (int)fmin(1e6, LINKED_PART * t->patience);
    t->factors += 1;
    pcs_report *out = &t->t->result->solve;
    const pcs_report before = *out;
    PCS_TRY(task_assemble(t->t, &o, left_of(t), LINKED_STEP));
    keep_finder(out, &before);
    return PCS_OK;
}

// The interior point method arrives in some 35 iterations, from near r in fewer, or not at all;
// from the centre, and with shorter steps, it arrives elsewhere. The path of the smoothed problem
// takes 150 to 500 iterations, or does not arrive: its first try leaves a quarter of the units to
// the finish, which houses of cards do not need and walls do.
typedef struct velocity_try {
    pcs_solver kind;
    auto_part part;
    double after, left;   // in units of VELOCITY_UNIT factorisations: spent before, and left
    int most;             // iterations; of the first path with more than PATH_BLOCKS blocks more
    double share;         // part of the units that are left which it may spend
    double step_fraction; // of ipm; 0: the default
    pcs_ipm_start start;  // of ipm
} velocity_try;
static const velocity_try velocity_tries[] = {
    {PCS_SOLVER_IPM, PART_VELOCITIES, 0.4, 1, 40, 1, 0, PCS_IPM_START_GIVEN},
    {PCS_SOLVER_IPM, PART_VELOCITIES, 0.8, 2, 40, 1, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 4, 6, 1000, 0.75, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_IPM, PART_VELOCITIES, 10, 3, 40, 1, 0.9, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 25, 40, 1000, 1, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 100, 100, 4000, 1, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 300, 100, 4000, 1, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 600, 100, 4000, 1, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 900, 100, 4000, 1, 0, PCS_IPM_START_CENTRE},
    {PCS_SOLVER_HOMOTOPY, PART_PATH, 1200, 100, 4000, 1, 0, PCS_IPM_START_CENTRE},
};
// numbers of starts of the path between those of two tries; a later one begins with the best r
#define PATH_STARTS 64
// the first path has a step per two blocks, and takes some three iterations for it
#define PATH_BLOCKS 600
// In islands of at most ASSEMBLE_EARLY blocks, and of at most ASSEMBLE_LAST blocks with few
// velocities, a path takes some milliseconds and arrives more often than ipm: it is the first
#define PATH_VELOCITIES 60
enum { FIRST_PATH = 2, VELOCITY_TRIES = sizeof velocity_tries / sizeof *velocity_tries };

// true where fronts make an iteration cheap
static bool is_cheap(const turns *t, const velocity_try *next)
{
    return next->kind == PCS_SOLVER_IPM && t->nb >= BODY_SYSTEM_MANY;
}

static double unit_of(const turns *t, const velocity_try *next)
{
    return VELOCITY_UNIT * (t->spend.factor + t->nb) * (is_cheap(t, next) ? CHEAP : 1);
}

// units of a try that are spent before it
static double wait_of(const turns *t, const velocity_try *next)
{
    const double near = next->kind == PCS_SOLVER_IPM ? FINISH_SURE : VELOCITY_NEAR;
    return next->after * (task_value(t->t) > near || t->path ? 1 : NEAR_WAIT);
}

// Units with which the first of these tries begins; 0: it has begun, or its cost is not known. The
// turn before it may cost as much again as all before that
static double first_try_wants(const turns *t)
{
    const velocity_try *first = &velocity_tries[0];
    const bool none = t->linked || t->nb <= ASSEMBLE_EARLY;
    if (none || t->velocities > 0 || !(t->spend.factor > 0)) return 0;
    const double waits = is_cheap(t, first) ? 0 : 4 * NEAR_WAIT * first->after;
    return t->t->result->units + (waits + first->left) * unit_of(t, first);
}

// units with which the first path may be tried; 0: it was, or its cost is not known
static double first_path_wants(const turns *t)
{
    const velocity_try *first = &velocity_tries[FIRST_PATH];
    const bool none = t->linked || t->paths > 0 || !part_runs(&t->t->o, first->part);
    if (none || t->velocities == VELOCITY_TRIES || !(t->spend.factor > 0)) return 0;
    return t->t->result->units + (wait_of(t, first) + first->left) * unit_of(t, first);
}

static pcs_status turn_of_velocities(turns *t)
{
    island_task *all = t->t;
    while (t->velocities < VELOCITY_TRIES &&
           !part_runs(&all->o, velocity_tries[t->velocities].part)) {
        t->velocities += 1;
    }
    if (t->velocities == VELOCITY_TRIES) return PCS_OK;
    const velocity_try *next = &velocity_tries[t->velocities];
    const bool alone = !part_runs(&all->o, PART_SWEEPS);
    const bool ipm = next->kind == PCS_SOLVER_IPM, cheap = is_cheap(t, next);
    const double unit = unit_of(t, next);
    if (left_of(t) < next->left * unit || would_be_late(t, next->left * unit)) return PCS_OK;
    // there ipm does not wait until the next turn of the others has left too little for it
    const bool last = cheap && left_of(t) < next->left * unit + NEXT_TURN * t->patience * t->nb;
    const bool slow = t->dear && t->slow > SLOW * unit;
    const bool waits = !alone && !t->stuck && !last && !slow;
    if (waits && all->result->units < wait_of(t, next) * unit) return PCS_OK;
    t->velocities += 1;
    all->part = next->part;
    island_task one = *all;
    one.o = part_options(all, next->kind);
    one.o.max_seconds = all->o.max_seconds;
    one.o.max_iters = next->most;
    if (!ipm && t->paths == 0) {
        one.o.max_iters = (int)(next->most * fmax(1, (double)t->nb / PATH_BLOCKS));
    }
    if (next->share < 1) one.budget = all->result->units + next->share * left_of(t);
    if (next->step_fraction > 0) one.o.as.ipm.step_fraction = next->step_fraction;
    // large islands have no other method, even where velocities are more than rows
    const pcs_ipm_space space =
        t->nb > ASSEMBLE_LAST ? PCS_IPM_SPACE_BODY : PCS_IPM_SPACE_AUTOMATIC;
    if (ipm) {
        one.o.as.ipm.space = space;
        one.o.as.ipm.start = next->start;
    } else {
        one.o.as.homotopy.space = space;
        one.o.as.homotopy.first = t->paths > 0 ? PATH_STARTS * t->paths + 1 : 0;
        t->paths += 1;
    }
    // a little better is no better start: iterates that diverge may have a smaller measure
    one.below = fmax(all->o.tol, VELOCITY_NEARER * task_value(all));
    const double spent = all->result->units;
    const pcs_report before = all->result->solve;
    const pcs_status status = solver_class_of(one.o.kind)->solve_bodies(&one);
    keep_finder(&all->result->solve, &before);
    // a try is long: that the measure did not fall in it says nothing about the others
    t->marked += all->result->units - spent;
    if (status != PCS_ERR_UNSUPPORTED) return status;
    t->velocities = VELOCITY_TRIES;
    return PCS_OK;
}

// Where the turns would end without a solution: the tries in the velocities that are left, at once
static pcs_status last_tries(turns *t)
{
    t->stuck = true;
    for (int before = -1; t->velocities != before && !over(t);) {
        before = t->velocities;
        PCS_TRY(turn_of_velocities(t));
    }
    t->stuck = false;
    return PCS_OK;
}

static pcs_status take_turns(turns *t)
{
    for (;; t->patience *= 2) {
        PCS_TRY(turn_of_sweeps(t));
        for (int k = 0; k < 2 && t->linked && !over(t); ++k) {
            PCS_TRY(turn_of_factors(t));
        }
        if (over(t)) return PCS_OK;
        if (t->finish) PCS_TRY(turn_of_finish(t));
        if (over(t)) return PCS_OK;
        if (t->proof) PCS_TRY(turn_of_proof(t));
        if (over(t)) return PCS_OK;
        if (!t->linked) PCS_TRY(turn_of_velocities(t));
        if (over(t)) return PCS_OK;
        // W of few blocks costs little and has exact methods
        if (t->assemble) PCS_TRY(turn_of_assembled(t));
        if (!t->finish && !part_runs(&t->t->o, PART_SWEEPS)) return PCS_OK;
        if (over(t)) return PCS_OK;
        if (!stagnates(t)) continue;
        if (!t->linked) PCS_TRY(last_tries(t));
        if (over(t) || stagnates(t)) return PCS_OK;
    }
}

// contents of an island
typedef struct row_count {
    int rows, joints; // number of scalar rows, and of those of equalities
    int velocities;
    bool friction; // or boxes
    bool boxes;
    double fill; // entries of W per row: a system with k rows adds k^2
    int loops;   // independent loops in the graph of systems and blocks
} row_count;

static pcs_status solve_in_turns(island_task *t, const row_count *count, bool linked)
{
    const int nb = t->of.nb;
    const double most = fmin(task_left(t), (double)t->o.max_iters * nb);
    const bool w = nb > 1 && part_runs(&t->o, PART_W), few = nb <= ASSEMBLE_EARLY;
    const double ratio = count->rows / (FINISH_RATIO * count->velocities);
    const bool cheap = few || (nb <= ASSEMBLE_LAST && count->velocities <= PATH_VELOCITIES);
    const bool path = cheap && count->friction && task_prefers_velocities(t);
    if (w && nb <= ASSEMBLE_FIRST && !count->friction) {
        return solve_assembled(t, most);
    }
    const double factor = task_cost(PCS_SOLVER_IPM, nb, count->rows, 0, INFINITY);
    const bool assemble =
        w && !few && nb <= ASSEMBLE_LAST && ASSEMBLE_PART * most >= ASSEMBLE_FACTORS * factor;
    turns all = {.t = t,
                 .nb = nb,
                 .most = assemble ? (1 - ASSEMBLE_PART) * most : most,
                 .patience = PATIENCE,
                 .finish = part_runs(&t->o, PART_FINISH),
                 .assemble = w && few,
                 .linked = linked,
                 .boxes = count->boxes,
                 .proof = nb <= PROOF_BLOCKS,
                 .finishes = nb > ASSEMBLE_LAST ? 1 : fmax(1, fmin(FINISH_MOST, ratio)),
                 .path = path,
                 .mark = INFINITY};
    if (path || all.assemble) all.velocities = path ? FIRST_PATH : VELOCITY_TRIES;
    all.spend.centre = PCS_TAKE(&t->work, (size_t)count->rows, double);
    if (!all.spend.centre) return pcs_fail_memory("contacts");
    PCS_TRY(take_turns(&all));
    if (task_fails(t)) {
        t->result->wants = first_try_wants(&all) * most / all.most;
        t->result->path = first_path_wants(&all) * most / all.most;
    }
    const double rest = most - t->result->units;
    pcs_report *out = &t->result->solve;
    if (!task_fails(t)) return PCS_OK;
    if (assemble && rest > ASSEMBLE_LEAST * nb) return solve_rest(t, rest);
    if (out->outcome != PCS_OUTCOME_DIVERGED)
        out->outcome = rest < nb ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_STALLED;
    return PCS_OK;
}

// ---- joints ------------------------------------------------------------------------------------

static row_count count_rows(const island_task *t)
{
    const island *of = &t->of;
    const int *start = of->b->A->start;
    row_count out = {.loops = 1 - of->ns};
    pcs_arena mem = t->work;
    int *rows = PCS_TAKE(&mem, (size_t)of->ns, int);
    if (!rows) return out;
    memset(rows, 0, (size_t)of->ns * sizeof *rows);
    for (int k = 0; k < of->nb; ++k) {
        const bodies_block *b = &of->b->block[of->block[k]];
        out.rows += b->dim;
        if (b->cone == PCS_CONE_EQUALITY) out.joints += b->dim;
        out.boxes = out.boxes || b->cone == PCS_CONE_BOX;
        out.friction = out.friction || out.boxes || b->cone == PCS_CONE_COULOMB;
        out.loops += b->sys[0] >= 0 && b->sys[1] >= 0 && b->sys[0] != b->sys[1];
        for (int e = 0; e < 2; ++e) {
            if (b->sys[e] >= 0) rows[of->place[b->sys[e]]] += b->dim;
        }
    }
    double entries = 0;
    for (int k = 0; k < of->ns; ++k) {
        entries += (double)rows[k] * rows[k];
        out.velocities += start[of->sys[k] + 1] - start[of->sys[k]];
    }
    out.fill = entries / out.rows;
    return out;
}

// true when W is sparse enough for factors
static bool is_sparse(const row_count *c, int few, double fill)
{
    return c->rows <= few || (c->rows <= LINEAR_MOST && c->fill <= fill);
}

// true when joints make chains and trees, with few loops: then W and its factors are sparse, unless
// contacts have more rows than bodies have velocities
static bool is_linked(const row_count *c)
{
    return c->joints > 0 && c->friction && c->rows - c->joints <= c->velocities &&
           c->rows <= LINEAR_MOST && c->fill <= LINEAR_FILL && c->loops <= LINKED_LOOPS;
}

// solves joints with W
static pcs_status direct(island_task *t)
{
    const pcs_solver_opts o = part_options(t, PCS_SOLVER_DIRECT);
    // the start is zero, so that direct returns the solution of least norm
    for (int k = 0; k < t->of.nb; ++k) {
        const bodies_block *b = &t->of.b->block[t->of.block[k]];
        memset(t->r + b->row, 0, (size_t)b->dim * sizeof *t->r);
    }
    return task_assemble(t, &o, task_left(t), SPARSE_STEP);
}

// true when other methods cannot improve r: the impulses of joints between walls may be so large
// that W r cancels to less than the last digits
static bool is_done(const island_task *t)
{
    const pcs_measure *m = &t->result->solve.measure;
    if (!task_fails(t) || m->residual <= LINEAR_DONE) return true;
    const double noise = MEASURE_ROUNDINGS * m->rounding;
    return m->residual <= LINEAR_ROUNDED && m->residual * measure_size(m) <= noise;
}

// Joints alone are a linear problem, solved with W where it is sparse or small, else on the
// velocities of bodies. Rounding, or rows that contradict one another, determine the residual;
// other methods are tried only where factorisation failed.
static pcs_status linear(island_task *t, const row_count *count)
{
    const bool sparse = is_sparse(count, LINEAR_FEW, LINEAR_FILL);
    if (!sparse && begins(t, PART_JOINTS)) {
        const pcs_status status = task_joints(t);
        if (status != PCS_OK && status != PCS_ERR_UNSUPPORTED) return status;
        if (status == PCS_OK && is_done(t)) return PCS_OK;
    }
    const bool assembled = sparse || is_sparse(count, MIXED_FEW, MIXED_FILL);
    if (assembled && begins(t, PART_DIRECT)) {
        PCS_TRY(direct(t));
        if (is_done(t)) return PCS_OK;
        leave_out(t, PART_DIRECT);
    }
    return solve_in_turns(t, count, false);
}

// An island of which A joins systems: no sweeps, and W is dense. The factors of the finish and of
// the methods in the velocities are sparse.
static pcs_status solve_joined(island_task *t, const row_count *count)
{
    const int nb = t->of.nb + t->of.ns; // what a step of a method costs grows with the systems
    if (count->joints == count->rows && begins(t, PART_JOINTS)) {
        const pcs_status status = task_joints(t);
        if (status != PCS_OK && status != PCS_ERR_UNSUPPORTED) return status;
        if (status == PCS_OK && is_done(t)) return PCS_OK;
    }
    turns all = {.t = t,
                 .nb = nb,
                 .most = fmin(task_left(t), (double)t->o.max_iters * nb),
                 .patience = PATIENCE,
                 .finish = part_runs(&t->o, PART_FINISH),
                 .joined = true,
                 .finishes = 1,
                 .mark = INFINITY};
    for (; !over(&all) && !stagnates(&all); all.patience *= 2) {
        if (all.finish) PCS_TRY(turn_of_finish(&all));
        // without the finish nothing spends the units for which the tries wait
        const int tries = all.velocities;
        all.stuck = !all.finish;
        if (!over(&all)) PCS_TRY(turn_of_velocities(&all));
        if (!all.finish && all.velocities == tries) break;
    }
    pcs_report *out = &t->result->solve;
    if (!task_fails(t)) return PCS_OK;
    if (count->rows <= (isinf(task_value(t)) ? JOINED_ROWS : JOINED_FEW)) {
        return solve_assembled(t, task_left(t));
    }
    if (out->outcome != PCS_OUTCOME_DIVERGED) {
        out->outcome = left_of(&all) < nb ? PCS_OUTCOME_MAX_ITERS : PCS_OUTCOME_STALLED;
    }
    return PCS_OK;
}

// Joints are solved by factors, because a sweep propagates an impulse along them by one body only:
// alone, or with few contacts without friction, by active sets.
pcs_status bodies_auto(island_task *t)
{
    const row_count count = count_rows(t);
    if (task_is_joined(t)) return solve_joined(t, &count);
    if (count.joints == count.rows) return linear(t, &count);
    const bool mixed = !count.friction && 2 * count.joints >= count.rows;
    if (mixed && is_sparse(&count, MIXED_FEW, MIXED_FILL)) {
        PCS_TRY(solve_assembled(t, 0.5 * task_left(t)));
        if (!task_fails(t)) return PCS_OK;
        leave_out(t, PART_W);
    }
    return solve_in_turns(t, &count, is_linked(&count));
}
