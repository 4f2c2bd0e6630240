// See curves.h.
#include "command/curves.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/joint.h>
#include <percuss/parts.h>

#include "problem_file/nearest.h"
#include "trajectory/frames.h"

// largest number of curves: more cannot be distinguished
#define MOST_CURVES 40

// number of reports read at once
#define BLOCK 4096

// ---- quantities --------------------------------------------------------------------------------

typedef enum source {
    FROM_STEPS,
    FROM_BODIES,
    FROM_CONTACTS,
    FROM_INTERACTIONS,
    FROM_FORCES
} source;

typedef struct part {
    const char *name; // name of the curve; for a body selected by --axis
    double (*of_step)(const pcs_step_report *);
    double (*before)(const pcs_step_report *); // value before the first step, or null
} part;

// what a curve of a force element shows
enum { FORCE_TENSION, FORCE_LENGTH, FORCE_ENERGY };

#define MOST_PARTS 7

typedef struct quantity {
    source from;
    const char *label, *unit;
    bool log, apart;
    bool sum;      // values add up over the steps; curves that stay zero are left out
    bool velocity; // bodies: the quantity is in v, else in q
    int first;     // bodies: entry of the first part; force elements: which value
    part part[MOST_PARTS];
} quantity;

#define STEP_VALUE(name, expression)             \
    static double name(const pcs_step_report *r) \
    {                                            \
        return expression;                       \
    }
STEP_VALUE(kinetic, r->energy.kinetic_after)
STEP_VALUE(kinetic_before, r->energy.kinetic_before)
STEP_VALUE(potential, r->energy.potential_after)
STEP_VALUE(potential_before, r->energy.potential_before)
STEP_VALUE(total, r->energy.kinetic_after + r->energy.potential_after)
STEP_VALUE(total_before, r->energy.kinetic_before + r->energy.potential_before)
STEP_VALUE(forces, r->energy.forces)
STEP_VALUE(conservative, r->energy.conservative)
STEP_VALUE(normal, r->energy.normal)
STEP_VALUE(tangential, r->energy.tangential)
STEP_VALUE(joints, r->energy.joints)
STEP_VALUE(prescribed, r->energy.prescribed)
STEP_VALUE(projection, r->energy.projection)
STEP_VALUE(residual, r->solves > 0 ? r->solve.measure.residual : NAN)
STEP_VALUE(active, r->active)
STEP_VALUE(overlap, r->penetration)
STEP_VALUE(iterations, r->sweeps + r->finish_iters)

const char curves_words[] =
    "energy|work|residual|active|penetration|iterations|position|"
    "orientation|velocity|angular-velocity|gap|impulse|reaction|force|length|stored";

static const quantity quantities[] = {
    {.label = "energy",
     .unit = "J",
     .part = {{"kinetic energy K", kinetic, kinetic_before},
              {"potential V", potential, potential_before},
              {"K + V", total, total_before}}},
    {.label = "work since the start",
     .unit = "J",
     .sum = true,
     .part = {{"normal impulses", normal, NULL},
              {"friction", tangential, NULL},
              {"joints", joints, NULL},
              {"bodies with prescribed motion", prescribed, NULL},
              {"forces without potential", forces, NULL},
              {"forces with potential", conservative, NULL},
              {"projection", projection, NULL}}},
    {.label = "residual of the solve",
     .unit = "",
     .log = true,
     .part = {{"residual of the solve", residual, NULL}}},
    {.label = "active contacts and joints",
     .unit = "",
     .part = {{"active contacts and joints", active, NULL}}},
    {.label = "largest overlap", .unit = "m", .part = {{"largest overlap", overlap, NULL}}},
    {.label = "iterations of the solve",
     .unit = "",
     .part = {{"iterations of the solve", iterations, NULL}}},
    {.from = FROM_BODIES,
     .label = "position of G",
     .unit = "m",
     .part = {{.name = "x"}, {.name = "y"}, {.name = "z"}}},
    {.from = FROM_BODIES,
     .label = "orientation Q",
     .unit = "",
     .first = 3,
     .part = {{.name = "q0"}, {.name = "q1"}, {.name = "q2"}, {.name = "q3"}}},
    {.from = FROM_BODIES,
     .label = "velocity v of G",
     .unit = "m/s",
     .velocity = true,
     .part = {{.name = "x"}, {.name = "y"}, {.name = "z"}}},
    {.from = FROM_BODIES,
     .label = "angular velocity ω in body axes",
     .unit = "rad/s",
     .velocity = true,
     .first = 3,
     .part = {{.name = "x"}, {.name = "y"}, {.name = "z"}}},
    {.from = FROM_CONTACTS,
     .label = "smallest gap g",
     .unit = "m",
     .apart = true,
     .part = {{.name = "g"}}},
    {.from = FROM_CONTACTS,
     .label = "impulse r of a step",
     .unit = "N s",
     .part = {{.name = "normal"}, {.name = "tangential"}}},
    {.from = FROM_INTERACTIONS, .label = "reaction r of a step", .unit = "N s"},
    {.from = FROM_FORCES,
     .label = "tension",
     .unit = "N",
     .part = {{.name = "x"}, {.name = "y"}, {.name = "z"}}},
    {.from = FROM_FORCES,
     .label = "length",
     .unit = "m",
     .first = FORCE_LENGTH,
     .part = {{.name = ""}}},
    {.from = FROM_FORCES,
     .label = "energy V of the element",
     .unit = "J",
     .first = FORCE_ENERGY,
     .part = {{.name = ""}}},
};

static int parts_of(const quantity *q)
{
    int n = 0;
    while (n < MOST_PARTS && q->part[n].name) {
        ++n;
    }
    return n;
}

// ---- bodies and pairs --------------------------------------------------------------------------

typedef struct subject {
    char *name;
    int a, b; // systems; ANY in `b`: any other system, in both: all contacts
} subject;
#define ANY (-1)

// "ball", or "system 3" without a name
static char *name_of(const pcs_model *m, int id)
{
    char number[32];
    snprintf(number, sizeof number, "system %d", id);
    const char *name = pcs_model_system_name(m, (pcs_system){id});
    return readable(*name ? name : number);
}

// a system by its name or its number
static bool find_system(const curves_def *def, const pcs_model *m, const char *text, int *out)
{
    const int n = pcs_model_system_count(m);
    pcs_system s;
    if (pcs_model_find_system(m, text, &s) == PCS_OK) {
        *out = s.id;
        return true;
    }
    if (read_int(text, out) && *out >= 0 && *out <= n) return true;
    const char **names = take((size_t)n + 1, sizeof *names);
    for (int i = 0; i <= n; ++i) {
        names[i] = pcs_model_system_name(m, (pcs_system){i});
    }
    const char *like = nearest(text, names, n + 1);
    free(names);
    if (like && *like) {
        complain("%s has no system '%s'; did you mean '%s'?", def->path, text, like);
    } else {
        complain("%s has no system '%s'; its systems have the numbers 1 to %d, and those with a "
                 "name their name",
                 def->path, text, n);
    }
    return false;
}

static int most_subjects(const curves_def *def, const pcs_model *m)
{
    const int given = def->body.n + def->pair.n / 2;
    return given > 0 ? given : pcs_model_system_count(m) + 1;
}

static bool is_listed(const subject *list, int n, int a, int b)
{
    for (int i = 0; i < n; ++i) {
        const subject *s = &list[i];
        if ((s->a == a && s->b == b) || (s->a == b && s->b == a)) return true;
    }
    return false;
}

// collects the requested systems or pairs, each once; by default all systems, or all contacts
// together
static bool find_subjects(const curves_def *def, const quantity *q, const pcs_model *m,
                          subject *out, int *count)
{
    *count = 0;
    for (int i = 0; i < def->body.n; ++i) {
        int id;
        if (!find_system(def, m, def->body.at[i], &id)) return false;
        if (!is_listed(out, *count, id, ANY)) {
            out[(*count)++] = (subject){name_of(m, id), id, ANY};
        }
    }
    for (int i = 0; i + 1 < def->pair.n; i += 2) {
        int a, b;
        if (!find_system(def, m, def->pair.at[i], &a)) return false;
        if (!find_system(def, m, def->pair.at[i + 1], &b)) return false;
        if (is_listed(out, *count, a, b)) continue;
        char *first = name_of(m, a), *second = name_of(m, b);
        out[(*count)++] = (subject){join(first, " - ", second), a, b};
        free(first);
        free(second);
    }
    if (*count > 0) return true;
    if (q->from != FROM_BODIES) {
        out[(*count)++] = (subject){join("all contacts", "", ""), ANY, ANY};
    }
    for (int id = 1; q->from == FROM_BODIES && id <= pcs_model_system_count(m); ++id) {
        out[(*count)++] = (subject){name_of(m, id), id, ANY};
    }
    return true;
}

static bool is_asked(const curves_def *def, const char *name)
{
    for (int i = 0; i < def->axis.n; ++i) {
        if (strcmp(def->axis.at[i], name) == 0) return true;
    }
    return def->axis.n == 0;
}

// ---- memory ------------------------------------------------------------------------------------

static curve *add_curve(curves *c, const char *subject_name, const char *part_name)
{
    c->curve = realloc(c->curve, (size_t)(c->count + 1) * sizeof *c->curve);
    if (!c->curve) exit(complain("out of memory: %d curves", c->count));
    curve *out = &c->curve[c->count++];
    *out = (curve){.name = join(subject_name, *subject_name && *part_name ? " " : "", part_name),
                   .y = take((size_t)c->n, sizeof *out->y)};
    return out;
}

void curves_free(curves *c)
{
    for (int i = 0; i < c->count; ++i) {
        free(c->curve[i].name);
        free(c->curve[i].y);
    }
    free(c->curve);
    free(c->t);
    *c = (curves){0};
}

// finds those of n times that are in the range: their number is returned, the first is `first`; a
// line on stderr when there are none
static int in_range(const curves_def *def, const double *t, int n, int *first)
{
    int begin = 0, end = n;
    while (begin < n && t[begin] < def->from) {
        ++begin;
    }
    while (end > begin && t[end - 1] > def->until) {
        --end;
    }
    *first = begin;
    if (begin == end) {
        complain("%s goes from %g to %g s: nothing of it is in the range of --from and --until",
                 def->path, t[0], t[n - 1]);
    }
    return end - begin;
}

// keeps the rows of the n times that are in the range
static void keep_times(const curves_def *def, const double *t, int n, curves *out)
{
    int first;
    out->n = in_range(def, t, n, &first);
    out->t = take((size_t)out->n, sizeof *out->t);
    memcpy(out->t, t + first, (size_t)out->n * sizeof *t);
    for (int i = 0; i < out->count; ++i) {
        double *y = out->curve[i].y;
        memmove(y, y + first, (size_t)out->n * sizeof *y);
    }
}

// ---- steps -------------------------------------------------------------------------------------

static void drop_zeros(curves *c)
{
    int kept = 0;
    for (int i = 0; i < c->count; ++i) {
        bool zero = true;
        for (int k = 0; k < c->n; ++k) {
            zero = zero && c->curve[i].y[k] == 0;
        }
        if (zero && (kept > 0 || i + 1 < c->count)) {
            free(c->curve[i].name);
            free(c->curve[i].y);
        } else {
            c->curve[kept++] = c->curve[i];
        }
    }
    c->count = kept;
}

// fills in the values of all steps, and in row 0 the value before them, if it is known
static bool fill_steps(pcs_trajectory *trajectory, const quantity *q, int steps, bool begins,
                       double *t, curves *out)
{
    pcs_step_report *report = take(BLOCK, sizeof *report);
    double sum[MOST_PARTS] = {0};
    bool good = true;
    for (int first = 0; good && first < steps; first += BLOCK) {
        const int n = steps - first < BLOCK ? steps - first : BLOCK;
        good =
            pcs_trajectory_read_steps(trajectory, first, n, t + begins + first, report) == PCS_OK;
        if (!good) complain("%s", pcs_error_text());
        for (int i = 0; good && i < out->count; ++i) {
            const part *p = &q->part[i];
            double *y = out->curve[i].y;
            if (begins && first == 0) y[0] = p->before ? p->before(report) : 0;
            for (int k = 0; k < n; ++k) {
                const double value = p->of_step(&report[k]);
                sum[i] += value;
                y[begins + first + k] = q->sum ? sum[i] : value;
            }
        }
    }
    free(report);
    return good;
}

// row 0 is the start of the first step if it is known; then a row for every step
static bool read_steps(pcs_trajectory *trajectory, const curves_def *def, const quantity *q,
                       curves *out)
{
    if (def->body.n > 0 || def->pair.n > 0 || def->axis.n > 0) {
        complain("--body, --pair and --axis choose among bodies and contacts; %s is one number "
                 "per step of the whole model",
                 q->label);
        return false;
    }
    const long steps = pcs_trajectory_info_of(trajectory).steps;
    if (steps == 0) {
        complain("%s has no steps, and so no %s", def->path, q->label);
        return false;
    }
    if (steps >= INT_MAX) {
        complain("%s has %ld steps, too many for a plot", def->path, steps);
        return false;
    }
    pcs_trajectory_frame start;
    const bool begins = (q->part[0].before || q->sum) &&
                        pcs_trajectory_read_frame(trajectory, 0, &start) == PCS_OK &&
                        start.step == 0;
    const int rows = (int)steps + begins;
    double *t = take((size_t)rows, sizeof *t);
    if (begins) t[0] = start.t;
    out->n = rows;
    for (int i = 0; i < parts_of(q); ++i) {
        add_curve(out, "", q->part[i].name)->subject = i;
    }
    const bool good = fill_steps(trajectory, q, (int)steps, begins, t, out);
    if (good) keep_times(def, t, rows, out);
    free(t);
    if (good && q->sum) drop_zeros(out);
    return good && out->n > 0;
}

// ---- frames ------------------------------------------------------------------------------------

// source of a curve in every frame
typedef struct rule {
    const subject *subject;
    int part;
    int at;       // bodies: entry of the pose or the velocity; of an interaction its id
    bool general; // Lagrangian systems: `at` is an entry of q or v of the frame
} rule;

static bool add_body(pcs_trajectory *trajectory, const curves_def *def, const quantity *q,
                     const subject *s, int number, curves *out, rule *r)
{
    const pcs_model *m = pcs_trajectory_model(trajectory);
    const bool general = pcs_model_is_lagrangian(m, (pcs_system){s->a});
    int place[2] = {-1, -1}, entries = parts_of(q);
    double v[6];
    pcs_trajectory_place(trajectory, (pcs_system){s->a}, &place[0], &place[1]);
    const bool moves = general || pcs_trajectory_velocity(trajectory, NULL, (pcs_system){s->a}, v);
    if (q->velocity && moves && place[1] < 0) {
        pcs_trajectory_frame frame;
        if (pcs_trajectory_read_frame(trajectory, 0, &frame) != PCS_OK) {
            complain("%s", pcs_error_text());
            return false;
        }
        if (!frame.driven_v) {
            if (def->body.n == 0) return true;
            complain("'%s' has a prescribed motion, and %s is of an older percuss, which did not "
                     "store its velocity; run the scene again",
                     s->name, def->path);
            return false;
        }
    }
    if (q->velocity ? !moves : place[0] < 0) {
        if (def->body.n == 0) return true;
        complain("'%s' does not move, and has no %s", s->name, q->label);
        return false;
    }
    if (general && q->first > 0) {
        if (def->body.n == 0) return true;
        complain("'%s' is a Lagrangian system and has no %s; position and velocity show its "
                 "coordinates",
                 s->name, q->label);
        return false;
    }
    pcs_lagrangian_def lagrangian;
    if (general) {
        entries =
            pcs_model_lagrangian(m, (pcs_system){s->a}, &lagrangian) == PCS_OK ? lagrangian.n : 0;
        out->label = q->velocity ? "velocities of the coordinates" : "coordinates";
        out->unit = "";
    }
    for (int k = 0; k < entries; ++k) {
        char number_text[16];
        snprintf(number_text, sizeof number_text, "%d", k);
        const char *name = general ? number_text : q->part[k].name;
        if (!is_asked(def, name)) continue;
        if (out->count == MOST_CURVES) {
            complain("these are more than %d curves; choose with --body and --axis", MOST_CURVES);
            return false;
        }
        r[out->count] = (rule){s, k, general ? place[q->velocity] + k : q->first + k, general};
        curve *c = add_curve(out, s->name, name);
        c->subject = number;
        c->part = k;
    }
    return true;
}

static bool is_of(const subject *s, int a, int b)
{
    if (s->a == ANY) return true;
    if (s->b == ANY) return a == s->a || b == s->a;
    return (a == s->a && b == s->b) || (a == s->b && b == s->a);
}

// only shapes that touch and relations that push count; joints act in both directions
static bool pushes(const pcs_model *m, const pcs_contact *c)
{
    pcs_interaction_def def;
    return c->interaction == 0 ||
           (pcs_model_interaction(m, (pcs_interaction){c->interaction}, &def) == PCS_OK &&
            def.law.kind != PCS_LAW_EQUALITY && def.law.kind != PCS_LAW_LIMITED);
}

static double of_contacts(const pcs_model *m, const quantity *q, const rule *r,
                          const pcs_trajectory_frame *f)
{
    double gap = NAN, impulse = 0;
    for (int i = 0; i < f->contact_count; ++i) {
        const pcs_contact *c = &f->contact[i];
        if (!is_of(r->subject, c->system1.id, c->system2.id) || !pushes(m, c)) continue;
        gap = fmin(gap, c->gap_end);
        impulse += r->part == 0 ? c->r[0] : hypot(c->r[1], c->r[2]);
    }
    return q->apart ? gap : impulse;
}

// rows with friction stand in one contact, N, T1 and T2; others each in their own
static double of_interaction(const rule *r, const pcs_trajectory_frame *f)
{
    double impulse = 0;
    for (int i = 0; i < f->contact_count; ++i) {
        const pcs_contact *c = &f->contact[i];
        if (c->interaction != r->at) continue;
        if (c->law.kind == PCS_LAW_NEWTON_COULOMB) {
            impulse += c->r[r->part];
        } else if (c->row == r->part) {
            impulse += c->r[0];
        }
    }
    return impulse;
}

static double of_body(const pcs_trajectory *trajectory, const quantity *q, const rule *r,
                      const pcs_trajectory_frame *f)
{
    double v[6];
    int at;
    if (r->general) return (q->velocity ? f->v : f->q)[r->at];
    if (!q->velocity) {
        pcs_trajectory_place(trajectory, (pcs_system){r->subject->a}, &at, NULL);
        return f->q[at + r->at];
    }
    pcs_trajectory_velocity(trajectory, f, (pcs_system){r->subject->a}, v);
    return v[r->at];
}

// a motor or friction of an angle, whose r is in N m s
static bool is_moment(const pcs_model *m, pcs_interaction id)
{
    pcs_joint_motor motor;
    pcs_joint_friction friction;
    pcs_joint_def joint;
    if (pcs_model_joint_motor(m, id, &motor) != PCS_OK) {
        if (pcs_model_joint_friction(m, id, &friction) != PCS_OK) return false;
        motor.joint = friction.joint;
        motor.coordinate = friction.coordinate;
    }
    return pcs_model_joint(m, motor.joint, &joint) == PCS_OK &&
           pcs_joint_is_angle(joint.kind, motor.coordinate);
}

// the curves of the interactions between the systems of the subjects, one for each row
static bool add_interactions(const pcs_model *m, const curves_def *def, const subject *s, int count,
                             curves *out, rule *r)
{
    static const char *const axes[] = {"x", "y", "z"}, *const friction[] = {"N", "T1", "T2"};
    int drawn = 0; // interactions with a curve, which each have a colour
    bool turns = false, pulls = false;
    for (int id = 1; id <= pcs_model_interaction_count(m); ++id) {
        pcs_interaction_def is;
        bool chosen = false;
        if (pcs_model_interaction(m, (pcs_interaction){id}, &is) != PCS_OK) continue;
        for (int i = 0; i < count; ++i) {
            chosen = chosen || is_of(&s[i], is.system1.id, is.system2.id);
        }
        const int rows = is.relation.dim;
        const bool ball = pcs_relation_kind_of(&is.relation) == PCS_RELATION_BALL_JOINT;
        const bool rough = is.law.kind == PCS_LAW_NEWTON_COULOMB;
        const int before = out->count;
        for (int row = 0; chosen && row < rows; ++row) {
            char name[80], component[16] = "";
            if (rows > 1) snprintf(component, sizeof component, "%d", row);
            if (ball || rough)
                snprintf(component, sizeof component, "%s", (ball ? axes : friction)[row]);
            if (!is_asked(def, component)) continue;
            if (out->count == MOST_CURVES) {
                complain("these are more than %d curves; choose with --body, --pair and --axis",
                         MOST_CURVES);
                return false;
            }
            snprintf(name, sizeof name, "interaction %d", id);
            const char *given = pcs_model_interaction_name(m, (pcs_interaction){id});
            char *words = readable(*given ? given : name);
            r[out->count] = (rule){NULL, row, id, false};
            curve *c = add_curve(out, words, component);
            c->subject = drawn;
            c->part = row;
            free(words);
        }
        if (out->count == before) continue;
        drawn += 1;
        const bool moment = is_moment(m, (pcs_interaction){id});
        turns = turns || moment;
        pulls = pulls || !moment;
    }
    if (turns) {
        out->label = pulls ? "reaction r of a step (N s; of drives of angles N m s)" : out->label;
        out->unit = pulls ? "" : "N m s";
    }
    if (out->count > 0) return true;
    complain(def->axis.n > 0
                 ? "--axis: no joint or rope of %s has this component; a ball joint has "
                   "x, y and z, a distance or a rope has one without a name"
                 : "%s has no joint or rope of these systems",
             def->path);
    return false;
}

// The curves of the force elements between the systems of the subjects. A bushing and a callback
// have no tension but a force with three components, and no length.
static bool add_forces(const pcs_trajectory *trajectory, const curves_def *def, const quantity *q,
                       const subject *s, int count, curves *out, rule *r)
{
    const int value = q->first;
    bool turns = false, pulls = false;
    int drawn = 0; // elements with a curve, which each have a colour
    for (int id = 1; id <= pcs_trajectory_force_count(trajectory); ++id) {
        pcs_force_def is;
        bool chosen = false;
        if (pcs_trajectory_force(trajectory, (pcs_force){id}, &is, NULL) != PCS_OK) continue;
        for (int i = 0; i < count; ++i) {
            chosen = chosen || is_of(&s[i], is.system1.id, is.system2.id);
        }
        const bool vector = is.kind == PCS_FORCE_BUSHING || is.kind == PCS_FORCE_USER;
        if (!chosen || (vector && value == FORCE_LENGTH)) continue;
        const int parts = vector && value == FORCE_TENSION ? 3 : 1, before = out->count;
        for (int k = 0; k < parts; ++k) {
            const char *component = parts > 1 ? q->part[k].name : "";
            if (!is_asked(def, component)) continue;
            if (out->count == MOST_CURVES) {
                complain("these are more than %d curves; choose with --body, --pair and --axis",
                         MOST_CURVES);
                return false;
            }
            char name[80];
            snprintf(name, sizeof name, "%s %d", pcs_force_kind_word(is.kind), id);
            const char *given = pcs_trajectory_force_name(trajectory, (pcs_force){id});
            char *words = readable(*given ? given : name);
            r[out->count] = (rule){NULL, parts > 1 ? k + 1 : 0, id, false};
            curve *c = add_curve(out, words, component);
            c->subject = drawn;
            c->part = k;
            free(words);
            turns = turns || is.kind == PCS_FORCE_TORSION;
            pulls = pulls || is.kind != PCS_FORCE_TORSION;
        }
        drawn += out->count > before;
    }
    if (turns && value == FORCE_TENSION) {
        out->label = pulls ? "tension (N), moment (N m)" : "moment";
        out->unit = pulls ? "" : "N m";
    }
    if (turns && value == FORCE_LENGTH) {
        out->label = pulls ? "length (m), angle (rad)" : "angle";
        out->unit = pulls ? "" : "rad";
    }
    if (out->count > 0) return true;
    if (pcs_trajectory_force_count(trajectory) == 0) {
        complain("%s has no force elements", def->path);
    } else {
        complain("%s has no force element of these systems with this value", def->path);
    }
    return false;
}

static double of_force(const quantity *q, const rule *r, const pcs_trajectory_frame *f)
{
    if (r->at > f->force_count) return NAN;
    const pcs_force_result *is = &f->force[r->at - 1];
    if (r->part > 0) return is->F1[r->part - 1];
    const int value = q->first;
    return value == FORCE_TENSION ? is->force : value == FORCE_LENGTH ? is->length : is->energy;
}

static bool fill_frames(pcs_trajectory *trajectory, const quantity *q, int first, const rule *r,
                        curves *out)
{
    const pcs_model *m = pcs_trajectory_model(trajectory);
    bool any = q->from != FROM_CONTACTS;
    for (int k = 0; k < out->n; ++k) {
        pcs_trajectory_frame f;
        if (pcs_trajectory_read_frame(trajectory, first + k, &f) != PCS_OK) {
            complain("%s", pcs_error_text());
            return false;
        }
        for (int i = 0; i < out->count; ++i) {
            double *y = &out->curve[i].y[k];
            *y = q->from == FROM_CONTACTS       ? of_contacts(m, q, &r[i], &f)
                 : q->from == FROM_INTERACTIONS ? of_interaction(&r[i], &f)
                 : q->from == FROM_FORCES       ? of_force(q, &r[i], &f)
                                                : of_body(trajectory, q, &r[i], &f);
            any = any || (isfinite(*y) && *y != 0) || (q->apart && isfinite(*y));
        }
    }
    if (!any) {
        const bool all = r[0].subject->a == ANY;
        complain("no frame in this time has a contact%s%s%s", all ? "" : " of '",
                 all ? "" : r[0].subject->name, all ? "" : "'");
    }
    return any;
}

static bool read_frames(pcs_trajectory *trajectory, const curves_def *def, const quantity *q,
                        curves *out)
{
    const pcs_model *m = pcs_trajectory_model(trajectory);
    const long frames = pcs_trajectory_info_of(trajectory).frames;
    if (q->from == FROM_BODIES && def->pair.n > 0) {
        complain("--pair is for gap and impulse; %s is of one body, --body NAME", q->label);
        return false;
    }
    if (frames == 0 || frames >= INT_MAX) {
        complain("%s has %ld frames; nothing can be drawn", def->path, frames);
        return false;
    }
    int first, count = 0;
    out->n = in_range(def, pcs_trajectory_times(trajectory), (int)frames, &first);
    if (out->n == 0) return false;
    out->t = take((size_t)out->n, sizeof *out->t);
    memcpy(out->t, pcs_trajectory_times(trajectory) + first, (size_t)out->n * sizeof *out->t);

    subject *s = take((size_t)most_subjects(def, m), sizeof *s);
    rule r[MOST_CURVES];
    bool good = find_subjects(def, q, m, s, &count);
    if (good && q->from == FROM_INTERACTIONS) good = add_interactions(m, def, s, count, out, r);
    if (good && q->from == FROM_FORCES) good = add_forces(trajectory, def, q, s, count, out, r);
    const bool listed = q->from == FROM_INTERACTIONS || q->from == FROM_FORCES;
    for (int i = 0; good && !listed && i < count; ++i) {
        if (q->from == FROM_BODIES) {
            good = add_body(trajectory, def, q, &s[i], i, out, r);
            continue;
        }
        for (int k = 0; k < parts_of(q) && good; ++k) {
            if (!is_asked(def, q->part[k].name)) continue;
            if (out->count == MOST_CURVES) {
                complain("these are more than %d curves; choose fewer pairs", MOST_CURVES);
                good = false;
                break;
            }
            r[out->count] = (rule){&s[i], k, 0, false};
            curve *c = add_curve(out, s[i].name, q->apart ? "" : q->part[k].name);
            c->subject = i;
            c->part = k;
        }
    }
    if (good && out->count == 0) {
        char words[80] = "";
        for (int k = 0; k < parts_of(q); ++k) {
            const size_t end = strlen(words);
            snprintf(words + end, sizeof words - end, "%s%s", k > 0 ? ", " : "", q->part[k].name);
        }
        pcs_lagrangian_def general;
        if (def->axis.n > 0 && count > 0 &&
            pcs_model_lagrangian(m, (pcs_system){s[0].a}, &general) == PCS_OK) {
            complain("--axis: there is no '%s'; the coordinates of the Lagrangian system '%s' are "
                     "%s%d",
                     def->axis.at[0], s[0].name, general.n > 1 ? "0 to " : "", general.n - 1);
        } else if (def->axis.n > 0) {
            complain("--axis: there is no '%s'; the components of the %s are %s", def->axis.at[0],
                     q->label, words);
        } else {
            complain("%s has no bodies", def->path);
        }
        good = false;
    }
    good = good && fill_frames(trajectory, q, first, r, out);
    for (int i = 0; i < count; ++i) {
        free(s[i].name);
    }
    free(s);
    return good;
}

bool curve_has_point(const curves *c, int i, int k)
{
    return isfinite(c->curve[i].y[k]) && (!c->log || c->curve[i].y[k] > 0);
}

bool curve_is_empty(const curves *c, int i)
{
    for (int k = 0; k < c->n; ++k) {
        if (curve_has_point(c, i, k)) return false;
    }
    return true;
}

static bool has_number(const curves *c)
{
    for (int i = 0; i < c->count; ++i) {
        if (!curve_is_empty(c, i)) return true;
    }
    return false;
}

bool curves_read(pcs_trajectory *trajectory, const curves_def *def, curves *out)
{
    const quantity *q = &quantities[def->what];
    *out = (curves){.label = q->label, .unit = q->unit, .log = q->log, .apart = q->apart};
    bool good = q->from == FROM_STEPS ? read_steps(trajectory, def, q, out)
                                      : read_frames(trajectory, def, q, out);
    if (good && !has_number(out)) {
        complain("%s has no number to draw for %s in this time", def->path, q->label);
        good = false;
    }
    if (!good) curves_free(out);
    return good;
}
