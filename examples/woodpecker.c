// The woodpecker toy: a bird on a spring, whose sleeve slides and sticks on a pole (Pfeiffer 1984,
// Glocker 1995).
//
// Coordinates are the height y of the sleeve and the small angles a of the sleeve and b of the
// bird. With the masses m, M and moments of inertia I, J of sleeve and bird, the spring c between
// them, and the distances p, s of the spring from the centres of sleeve and bird:
//
//     | m + M   M p          M s       |       | -(m + M) g             |
//     | M p     I + M p^2    M p s     | v' =  | -c (a - b) - M g p     | + contacts
//     | M s     M p s        J + M s^2 |       | -c (b - a) - M g s     |
//
// Three contacts with the pole of the radius R have friction: the beak, with e = 1/2, and the upper
// and the lower edge of the sleeve, of the inner radius r and the height 2 w, with e = 0. The tip
// of the beak is k above the centre of the bird and d in front of it:
//
//     contact   gap                       speed along the pole
//     beak      p + s - d - R - k b       y' + p a' + (s - d) b'
//     edges     r - R + w a, r - R - w a  y' + r a'
//
// The sleeve sticks on the pole while the bird swings out and back, and slides down while the edges
// change; the beak strikes once a cycle. The cycle takes 0.146 s and 19.5 mm and attracts the
// starts near it; starts far from it end in a cycle with two unequal strikes.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/mechanism.h"
#include "scenes/rotating.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEADER  "t,y,sleeve,bird,y_dot,sleeve_dot,bird_dot,sticks"
#define COLUMNS "write every step: time, height, angles of sleeve and bird, rates, edges that stick"

// a state of the published cycle: the upper edge slides, the bird swings out
#define PUBLISHED_ANGLE -0.2788 // of the bird, rad
#define PUBLISHED_SPEED -7.4583 // rad/s
#define PUBLISHED_SLIDE -0.3411 // of the sleeve along the pole, m/s

enum { BEAK, UPPER, LOWER, CONTACTS };

// kg, kg m^2, N m/rad, m: the letters of above
typedef struct toy {
    double m, M, I, J, c, p, s, R, r, w, k, d, mu, e;
} toy;

static const toy published = {.m = 3e-4,
                              .M = 4.5e-3,
                              .I = 5e-9,
                              .J = 7e-7,
                              .c = 5.6e-3,
                              .p = 0.010,
                              .s = 0.015,
                              .R = 2.5e-3,
                              .r = 3.1e-3,
                              .w = 5.8e-3,
                              .k = 0.020,
                              .d = 0.0201,
                              .mu = 0.3,
                              .e = 0.5};

typedef struct settings {
    run_settings run;
    double speed; // of the bird at the start, rad/s
    int cycles;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.gravity = 9.81, .scheme = rotating_scheme(1e-12), .h = 5e-5},
                      .speed = PUBLISHED_SPEED,
                      .cycles = 8};
    args a = {.about = "The woodpecker toy: period and height of its cycle.", .table = COLUMNS};
    args_real(&a, "--speed", &set->speed, -7.6, -7.3, "rad/s", "of the bird at the start");
    args_int(&a, "--cycles", &set->cycles, 4, 100, "number of cycles");
    run_parse(&a, &set->run, RUN_H, argc, argv);
    if (set->run.h > 1e-4) {
        args_refuse("--h is %g s; it must be at most 1e-4 s for the spring of the bird",
                    set->run.h);
    }
    set->run.t_end = 0.146 * set->cycles;
}

// ---- the model ----------------------------------------------------------------------------------

// gap and place along the pole of a contact are linear in q
static pcs_status add_contact(pcs_model *model, pcs_system bird, int which)
{
    const toy *t = &published;
    const bool beak = which == BEAK;
    const double gap = beak ? t->p + t->s - t->d - t->R : t->r - t->R;
    const double edge = which == UPPER ? t->w : -t->w;
    const double normal[3] = {0, beak ? 0 : edge, beak ? -t->k : 0};
    const double tangent[3] = {1, beak ? t->p : t->r, beak ? t->s - t->d : 0};
    pcs_interaction_def def = pcs_interaction_def_default();
    def.relation = pcs_relation_linear_contact(3, normal, gap, tangent);
    def.law = pcs_law_newton_coulomb(beak ? t->e : 0, 0, t->mu);
    def.system1 = bird;
    return pcs_model_add_interaction(model, &def, NULL);
}

// Bodies for pictures: the pole, and the sleeve and the bird, which the coordinates carry. Angles
// are about -y, from x to z
static pcs_status add_bodies(pcs_scene *scene, pcs_system bird)
{
    static const double height[3] = {1, 0, 0}, a[3] = {0, 1, 0}, b_from_a[3] = {0, -1, 1};
    const toy *t = &published;
    const pcs_move moves[3] = {{.slides = true, .axis = {0, 0, 1}, .by = height},
                               {.axis = {0, -1, 0}, .by = a},
                               {.axis = {0, -1, 0}, .centre = {t->p}, .by = b_from_a}};
    const pcs_linkage of_sleeve = {.n = 3, .orientation = {1}, .moves = 2, .move = moves},
                      of_bird = {.n = 3,
                                 .position = {t->p + t->s},
                                 .orientation = {1},
                                 .moves = 3,
                                 .move = moves};
    pcs_system body[2];
    PCS_TRY(mechanism_carried(scene, bird, &of_sleeve, &body[0]));
    PCS_TRY(mechanism_carried(scene, bird, &of_bird, &body[1]));
    const double beak = t->d - 6e-3, thin = 1.5e-3;
    pcs_shape shape[] = {pcs_shape_cylinder(t->R, 0.24),  pcs_shape_cylinder(1.6 * t->r, 2 * t->w),
                         pcs_shape_box(t->p, thin, thin), pcs_shape_box(t->s, thin, thin),
                         pcs_shape_capsule(6e-3, 0.022),  pcs_shape_sphere(5e-3),
                         pcs_shape_box(beak, thin, thin)};
    shape[0].position[2] = -0.09;       // the pole
    shape[2].position[0] = 0.5 * t->p;  // the spring on the sleeve
    shape[3].position[0] = -0.5 * t->s; // and on the bird
    shape[5].position[0] = -4e-3;       // head
    shape[5].position[2] = t->k - 1e-3;
    shape[6].position[0] = 0.5 * beak - t->d; // beak
    shape[6].position[2] = t->k;
    for (int i = 0; i < 7; ++i) {
        const pcs_system of = i == 0 ? (pcs_system){0} : body[i >= 3];
        PCS_TRY(mechanism_shape(scene->model, of, shape[i]));
    }
    return PCS_OK;
}

static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const toy *t = &published;
    const double g = set->run.gravity, Mp = t->M * t->p, Ms = t->M * t->s, Mps = Mp * t->s;
    const double mass[9] = {t->m + t->M,     Mp, Ms, Mp, t->I + Mp * t->p, Mps, Ms, Mps,
                            t->J + Ms * t->s};
    const double spring[9] = {0, 0, 0, 0, t->c, -t->c, 0, -t->c, t->c};
    const double weight[3] = {-(t->m + t->M) * g, -Mp * g, -Ms * g};
    // the sleeve leans on its upper edge and slides
    const double q0[3] = {0, -(t->r - t->R) / t->w, PUBLISHED_ANGLE},
                 v0[3] = {PUBLISHED_SLIDE, 0, set->speed};
    pcs_lagrangian_def def = pcs_lagrangian_def_default();
    def.n = 3;
    def.mass = mass;
    def.stiffness = spring;
    def.load = weight;
    def.q0 = q0;
    def.v0 = v0;
    pcs_system bird;
    PCS_TRY(run_scene(&set->run, "A woodpecker toy.", out));
    PCS_TRY(pcs_model_add_lagrangian((*out)->model, &def, &bird));
    for (int which = 0; which < CONTACTS; ++which) {
        PCS_TRY(add_contact((*out)->model, bird, which));
    }
    return add_bodies(*out, bird);
}

// ---- a run --------------------------------------------------------------------------------------

// at a strike of the beak
typedef struct strike {
    double t, y, lost; // s, m; energy lost in the contacts so far, J
} strike;

enum { MOST_STRIKES = 256 };

// data that the observer collects
typedef struct result {
    const settings *set;
    csv *out;                // or null
    strike at[MOST_STRIKES]; // of the beak
    int strikes;
    double lost, closure; // J: so far; largest of all steps
    double sticks;        // time for which an edge sticks, s
    double bird, slide;   // rates where the bird passes the published angle on its way down, the
                          // last time: rad/s, m/s
    double before;        // angle of the bird at the end of the last step, rad
    long loose;           // steps that did not converge
} result;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    (void)model;
    result *r = user;
    const double *q = state->q, *v = state->v;
    const pcs_contact *contact;
    int n = 0, sticks = 0;
    if (report) {
        PCS_TRY(pcs_work_contacts(work, &n, &contact));
        r->lost -= report->energy.normal + report->energy.tangential;
        r->closure = fmax(r->closure, fabs(report->energy.closure));
        r->loose += report->outcome != PCS_OUTCOME_CONVERGED;
    }
    for (int i = 0; i < n; ++i) {
        if (!contact[i].active || contact[i].row != 0) continue;
        const bool beak = contact[i].interaction == 1 + BEAK;
        if (beak && contact[i].r[0] > 0 && r->strikes < MOST_STRIKES) {
            r->at[r->strikes++] = (strike){state->t, q[0], r->lost};
        }
        sticks += !beak && contact[i].status == PCS_CONTACT_STICK;
    }
    if (sticks) r->sticks += pcs_work_step_size(work);
    if (report && r->before > PUBLISHED_ANGLE && q[2] <= PUBLISHED_ANGLE) {
        r->bird = v[2];
        r->slide = v[0];
    }
    r->before = q[2];
    if (r->out) CSV_ROW(r->out, state->t, q[0], q[1], q[2], v[0], v[1], v[2], sticks);
    return 0;
}

static pcs_status peck(const settings *set, csv *out, result *r)
{
    simulation sim = {0};
    *r = (result){.set = set, .out = out};
    pcs_status status = build(set, &sim.scene);
    if (status == PCS_OK) status = simulation_run(&sim, 1, watch, r);
    simulation_close(&sim);
    return status;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    result r;
    PCS_TRY(peck(set, out, &r));
    if (r.strikes < 4) {
        check_value(c, "strikes of the beak", r.strikes, set->cycles, 1);
        return PCS_OK;
    }

    // the mean of the second half; starts come to the cycle in turns from both sides
    const strike *end = &r.at[r.strikes - 1], *half = end - 2 * (r.strikes / 4);
    const double cycles = (double)(end - half),
                 weight = (published.m + published.M) * set->run.gravity;
    const double period = (end->t - half->t) / cycles, drop = (half->y - end->y) / cycles;
    printf(
        "a cycle takes %.5f s and %.3f mm; an edge of the sleeve sticks for %.0f %% of the time\n",
        period, 1e3 * drop, 1e2 * r.sticks / set->run.t_end);
    *c = checks_begin();
    check_value(c, "steps not converged", (double)r.loose, 0, 0);
    check_value(c, "strikes of the beak", r.strikes, set->cycles, 1);
    check_value(c, "period (s)", period, 0.146, 0.02 * 0.146);
    check_value(c, "height of a cycle (m)", drop, 0.0195, 0.02 * 0.0195);
    check_value(c, "rate of the bird (rad/s)", r.bird, PUBLISHED_SPEED,
                0.02 * fabs(PUBLISHED_SPEED));
    check_value(c, "rate of the sleeve (m/s)", r.slide, PUBLISHED_SLIDE,
                0.05 * fabs(PUBLISHED_SLIDE));
    // what the weight gives in a cycle is lost in its contacts
    check_value(c, "energy of a cycle (J)", (end->lost - half->lost) / cycles, weight * drop,
                0.02 * weight * drop);
    check_value(c, "energy of every step (J)", r.closure, 0, 1e-12 * weight * fabs(r.at[0].y));
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
