// A table on four or more legs, its weight off the centre, no two legs equally stiff.
//
// The rigid table does not say what each leg carries: n forces, three balances. Legs that yield do:
// in the limit of stiff legs the forces are k_i (a + b x_i + c y_i) where that is positive, with a,
// b, c from the three balances of the legs that carry. Three ways must agree: this closed form, the
// certificate of the rigid step (pcs_certificate_elastic_impulse), and tables on springs, force
// elements that push only, whose forces approach the limit as 1/k.
#include "args.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/simulation.h"

#include <percuss/certificate.h>
#include <percuss/force.h>
#include <percuss/rotation.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ABOUT                                                                                    \
    "What each leg of a table carries: the rigid table with the certificate, tables on springs " \
    "of rising stiffness, and the closed form."
#define HEADER "stiffer,leg,x,y,stiffness,force,limit"
#define COLUMNS                                                                                   \
    "write for every table on springs and leg: factor of the stiffness, leg, its place (m), its " \
    "stiffness (N/m), its force and the limit (N)"

enum { MOST_LEGS = 12, TABLES = 3 };
#define PI 3.14159265358979323846

typedef struct settings {
    run_settings run;
    int legs;
    double radius, height, mass; // of the circle of legs, of G above the floor, m; kg
    double load[3];              // place of G over the floor, m
    double stiffness, spread; // N/m of a leg; the last leg has 1 + spread times that of the first
    double mu;
} settings;

static void read_flags(settings *set, int argc, char **argv)
{
    *set =
        (settings){.run = {.h = 0.002, .t_end = 2, .gravity = 9.81, .scheme = pcs_scheme_default()},
                   .legs = 4,
                   .radius = 0.6,
                   .height = 0.7,
                   .mass = 30,
                   .load = {0.1, 0.06},
                   .stiffness = 1e5,
                   .spread = 1.5,
                   .mu = 0.5};
    args a = {.about = ABOUT, .table = COLUMNS};
    args_int(&a, "--legs", &set->legs, 3, MOST_LEGS, "number of legs, on a circle");
    args_positive(&a, "--radius", &set->radius, 3, "m", "of the circle");
    args_positive(&a, "--height", &set->height, 2, "m", "of the centre of mass above the floor");
    args_positive(&a, "--mass", &set->mass, 10, "kg", "of the table");
    args_vector(&a, "--load", set->load, 0.15, "m", "centre of mass from the middle; z is ignored");
    args_positive(&a, "--stiffness", &set->stiffness, 5, "N/m", "of the first leg");
    args_real(&a, "--spread", &set->spread, 0, 4, "",
              "the last leg is stiffer by this part of the first, the others in between");
    args_real(&a, "--mu", &set->mu, 0, 2, "", "friction of the rigid table");
    run_parse(&a, &set->run, RUN_GRAVITY, argc, argv);
    set->run.scheme.solver.tol = 1e-11;
    // the table on springs comes to rest in a few steps
    set->run.scheme.theta = 1;
    // the weight must lie within the legs
    const double inner = set->radius * cos(PI / set->legs);
    if (hypot(set->load[0], set->load[1]) > 0.9 * inner) {
        args_refuse("the table topples; take a smaller --load");
    }
}

static double angle_of(const settings *set, int i)
{
    return 2 * PI * (i + 0.5) / set->legs;
}

// the end of leg i from G
static void leg_end(const settings *set, int i, double p[3])
{
    p[0] = set->radius * cos(angle_of(set, i)) - set->load[0];
    p[1] = set->radius * sin(angle_of(set, i)) - set->load[1];
    p[2] = -set->height;
}

static double leg_stiffness(const settings *set, int i)
{
    return set->stiffness * (1 + set->spread * i / (set->legs - 1));
}

// ---- the closed form ---------------------------------------------------------------------------

// solves the symmetric 3x3 system A x = b by elimination
static void solve3(double A[3][3], double b[3], double x[3])
{
    for (int k = 0; k < 3; ++k) {
        for (int i = k + 1; i < 3; ++i) {
            const double f = A[i][k] / A[k][k];
            for (int j = k; j < 3; ++j) {
                A[i][j] -= f * A[k][j];
            }
            b[i] -= f * b[k];
        }
    }
    for (int i = 2; i >= 0; --i) {
        x[i] = b[i];
        for (int j = i + 1; j < 3; ++j) {
            x[i] -= A[i][j] * x[j];
        }
        x[i] /= A[i][i];
    }
}

// forces of the legs; those that would pull are left out until none does
static void by_hand(const settings *set, double *force)
{
    bool carries[MOST_LEGS];
    for (int i = 0; i < set->legs; ++i) {
        carries[i] = true;
    }
    for (bool again = true; again;) {
        double A[3][3] = {{0}}, b[3] = {set->mass * set->run.gravity}, plane[3], p[3];
        for (int i = 0; i < set->legs; ++i) {
            leg_end(set, i, p);
            const double f[3] = {1, p[0], p[1]};
            for (int c = 0; c < 9 && carries[i]; ++c) {
                A[c / 3][c % 3] += leg_stiffness(set, i) * f[c / 3] * f[c % 3];
            }
        }
        solve3(A, b, plane);
        again = false;
        for (int i = 0; i < set->legs; ++i) {
            leg_end(set, i, p);
            const double yield = plane[0] + plane[1] * p[0] + plane[2] * p[1];
            if (carries[i] && yield < 0) {
                carries[i] = false;
                again = true;
            }
            force[i] = carries[i] ? leg_stiffness(set, i) * yield : 0;
        }
    }
}

// ---- the rigid table ---------------------------------------------------------------------------

static pcs_status add_table(pcs_model *model, const settings *set, pcs_system *out)
{
    const double edge = 1.6 * set->radius;
    pcs_body_def def =
        pcs_body_def_of_inertia(pcs_inertia_box(set->mass, edge, edge, 0.3 * set->height));
    def.position[2] = set->height;
    return pcs_model_add_body(model, &def, out);
}

// legs are capsules that stand on the floor
static pcs_status build(const void *user, pcs_scene **out)
{
    const settings *set = user;
    const double thin = 0.03 * set->radius, length = set->height - 2 * thin;
    pcs_system table;
    pcs_material wood;
    pcs_shape floor = pcs_shape_half_space((double[]){0, 0, 1}, 0);
    PCS_TRY(run_scene(&set->run, "A table stands on legs, its weight off the centre.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = set->mu}, &wood));
    PCS_TRY(add_table(model, set, &table));
    for (int i = 0; i < set->legs; ++i) {
        pcs_shape leg = pcs_shape_capsule(thin, length);
        leg_end(set, i, leg.position);
        leg.position[2] += thin + 0.5 * length;
        PCS_TRY(pcs_model_add_shape(model, table, &leg, wood));
    }
    return pcs_model_add_shape(model, (pcs_system){0}, &floor, wood);
}

// what the certificate says of the last step
typedef struct shares {
    double solver[MOST_LEGS], low[MOST_LEGS], high[MOST_LEGS], limit[MOST_LEGS]; // N
    pcs_elastic_report report;
} shares;

static pcs_status share(const settings *set, pcs_work *work, shares *out)
{
    const int n = set->legs;
    const double h = set->run.h;
    double r[3 * MOST_LEGS], stiffness[3 * MOST_LEGS], limit[3 * MOST_LEGS];
    int count, rows = 0;
    const pcs_contact *contact;
    pcs_problem p;
    PCS_TRY(pcs_work_contacts(work, &count, &contact));
    PCS_TRY(pcs_work_problem(work, &p));
    for (int k = 0; k < count && rows + 3 <= 3 * n; ++k) {
        if (!contact[k].active) continue;
        // legs are the shapes 0 to n - 1 of the model
        for (int c = 0; c < p.block[0].dim; ++c) {
            r[rows] = contact[k].r[c];
            stiffness[rows++] =
                leg_stiffness(set, contact[k].shape1 < n ? contact[k].shape1 : contact[k].shape2);
        }
    }
    if (rows != p.n || p.nb != n) args_refuse("%d of %d legs touch the floor", p.nb, n);
    PCS_TRY(pcs_certificate_impulse_intervals(NULL, &p, 1e-9, r, out->low, out->high));
    PCS_TRY(
        pcs_certificate_elastic_impulse(NULL, &p, 1e-9, r, stiffness, NULL, limit, &out->report));
    for (int b = 0; b < n; ++b) {
        out->solver[b] = r[p.block[b].row] / h;
        out->limit[b] = limit[p.block[b].row] / h;
        out->low[b] /= h;
        out->high[b] /= h;
    }
    return PCS_OK;
}

static pcs_status rigid(const settings *set, shares *out)
{
    simulation s = {0};
    pcs_status status = build(set, &s.scene);
    if (status == PCS_OK) status = simulation_start(&s, 1);
    for (int i = 0; status == PCS_OK && i < 3; ++i) {
        status = pcs_step(s.scene->model, s.state, s.work, set->run.h, NULL);
    }
    if (status == PCS_OK) status = share(set, s.work, out);
    simulation_close(&s);
    return status;
}

// ---- tables on springs -------------------------------------------------------------------------

typedef struct leg {
    double p[3], place[2]; // its end in the body; where it stands
    double stiffness, damping;
} leg;

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
    }
}

// the leg as a spring with a damper that only pushes up
static int push(void *user, double t, const double *q1, const double *v1, const double *q2,
                const double *v2, double *F1, double *F2)
{
    const leg *l = user;
    double arm[3], rate[3], spin[3], body[3], conj[4];
    (void)t, (void)q2, (void)v2, (void)F2;
    cross(v1 + 3, l->p, spin);
    pcs_quat_rotate(q1 + 3, l->p, arm);
    pcs_quat_rotate(q1 + 3, spin, rate);
    for (int c = 0; c < 3; ++c) {
        const double d = q1[c] + arm[c] - (c < 2 ? l->place[c] : 0);
        F1[c] = -l->stiffness * d - l->damping * (v1[c] + rate[c]);
        if (c == 2 && F1[c] < 0) F1[c] = 0;
    }
    // the moment in body axes
    pcs_quat_conj(q1 + 3, conj);
    pcs_quat_rotate(conj, F1, body);
    cross(l->p, body, F1 + 3);
    return 0;
}

static pcs_status add_springs(pcs_model *model, const settings *set, double stiffer, leg *l)
{
    pcs_force_def def = pcs_force_def_default(PCS_FORCE_USER);
    def.force = push;
    PCS_TRY(add_table(model, set, &def.system1));
    for (int i = 0; i < set->legs; ++i) {
        leg_end(set, i, l[i].p);
        l[i].place[0] = l[i].p[0];
        l[i].place[1] = l[i].p[1];
        l[i].stiffness = stiffer * leg_stiffness(set, i);
        l[i].damping = sqrt(l[i].stiffness * set->mass);
        def.user = &l[i];
        PCS_TRY(pcs_model_add_force(model, &def, NULL));
    }
    return PCS_OK;
}

// forces of the legs at rest, N
static pcs_status stand(const settings *set, double stiffer, double *force)
{
    simulation s = {0};
    leg l[MOST_LEGS] = {0};
    pcs_status status = run_scene(&set->run, "A table on springs", &s.scene);
    if (status == PCS_OK) status = add_springs(s.scene->model, set, stiffer, l);
    if (status == PCS_OK) status = simulation_run(&s, 1, NULL, NULL);
    for (int i = 0; status == PCS_OK && i < set->legs; ++i) {
        pcs_force_result now;
        status = pcs_state_force(s.scene->model, s.state, (pcs_force){i + 1}, &now);
        force[i] = now.F1[2];
    }
    simulation_close(&s);
    return status;
}

// ---- checks ------------------------------------------------------------------------------------

static double apart(int n, const double *a, const double *b)
{
    double most = 0;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

static void print_legs(const settings *set, const shares *s, double soft[TABLES][MOST_LEGS])
{
    double p[3];
    printf("%3s %7s %7s %9s %10s %10s %10s %12s   on springs, 1, 10, 100 times as stiff\n",
           "leg", "x", "y", "k (N/m)", "solver", "least", "greatest", "limit (N)");
    for (int i = 0; i < set->legs; ++i) {
        leg_end(set, i, p);
        printf("%3d %7.3f %7.3f %9.3g %10.4f %10.4f %10.4f %12.6f  ", i, p[0], p[1],
               leg_stiffness(set, i), s->solver[i], s->low[i], s->high[i], s->limit[i]);
        for (int k = 0; k < TABLES; ++k) {
            printf(" %11.6f", soft[k][i]);
        }
        printf("\n");
    }
    printf("\n");
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    const int n = set->legs;
    const double weight = set->mass * set->run.gravity;
    double hand[MOST_LEGS], soft[TABLES][MOST_LEGS], gap[TABLES], p[3];
    shares s;
    by_hand(set, hand);
    PCS_TRY(rigid(set, &s));
    for (int k = 0; k < TABLES; ++k) {
        PCS_TRY(stand(set, pow(10, k), soft[k]));
        gap[k] = apart(n, soft[k], hand);
        for (int i = 0; i < n; ++i) {
            leg_end(set, i, p);
            CSV_ROW(out, pow(10, k), i, p[0], p[1], leg_stiffness(set, i), soft[k][i], hand[i]);
        }
    }
    print_legs(set, &s, soft);

    *c = checks_begin();
    check_value(c, "certificate: limit by hand (N)", apart(n, s.limit, hand), 0, 1e-8 * weight);
    check_value(c, "certificate: residual", s.report.measure.residual, 0, 1e-9);
    check_value(c, "certificate: violation", s.report.violation, 0, 1e-9);
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += s.limit[i];
    }
    check_value(c, "weight (N)", sum, weight, 1e-8 * weight);
    // three legs leave no choice, and soft ones carry the same but for their tilt
    check_value(c, "stiffest springs (N)", gap[TABLES - 1], 0, 1e-3 * weight);
    if (gap[0] > 1e-6 * weight) {
        check_order(c, "order of springs in 1/k", log10(gap[TABLES - 2] / gap[TABLES - 1]), 0.95);
    } else {
        check_skip(c, "order of springs in 1/k", "the springs carry the same at any stiffness");
    }
    return PCS_OK;
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    return example_run_scene(build, run, &set, &set.run, HEADER);
}
