// An underwater vehicle in the simulator.
#include "scenes/auv_scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static pcs_vehicle_command told(const double *u)
{
    pcs_vehicle_command command = {.thrust = u[0]};
    memcpy(command.deflection, u + 1, AUV_FINS * sizeof *u);
    return command;
}

// ---- the smooth system --------------------------------------------------------------------------

// the power that changes the energy: of all wrenches except weight and buoyancy, which have a
// potential
static int power(const pcs_vehicle *vehicle, const double Q[4], const double nu[6],
                 const pcs_vehicle_command *command, double *out)
{
    pcs_vehicle_wrenches w;
    const pcs_status status = pcs_vehicle_terms(vehicle, Q, nu, command, &w);
    *out = 0;
    for (int i = 0; i < 6; ++i) {
        *out += nu[i] * (w.inertia[i] + w.damping[i] + w.lateral[i] + w.thruster[i] + w.fins[i]);
    }
    return (int)status;
}

static int rates(void *vehicle, double t, const double *x, const double *u, double *xdot)
{
    const pcs_vehicle_command command = told(u);
    const pcs_status status = pcs_vehicle_rates(vehicle, t, x, &command, xdot);
    if (status != PCS_OK) return (int)status;
    return power(vehicle, x + 3, x + 7, &command, xdot + PCS_VEHICLE_STATE_SIZE);
}

static int rates_euler(void *vehicle, double t, const double *x, const double *u, double *xdot)
{
    const pcs_vehicle_command command = told(u);
    const pcs_status status = pcs_vehicle_rates_euler(vehicle, t, x, &command, xdot);
    if (status != PCS_OK) return (int)status;
    double Q[4];
    pcs_quat_from_zyx(x[3], x[4], x[5], Q);
    return power(vehicle, Q, x + 6, &command, xdot + PCS_VEHICLE_STATE_EULER_SIZE);
}

static pcs_controlled controlled(const pcs_vehicle *vehicle, auv_form form)
{
    const bool euler = form == AUV_EULER;
    return (pcs_controlled){.n =
                                (euler ? PCS_VEHICLE_STATE_EULER_SIZE : PCS_VEHICLE_STATE_SIZE) + 1,
                            .m = AUV_COMMANDS,
                            .f = euler ? rates_euler : rates,
                            .project = euler ? NULL : pcs_vehicle_normalise,
                            .user = (void *)vehicle};
}

static pcs_ode_opts options(const auv_method *method)
{
    pcs_ode_opts opts = pcs_ode_opts_fixed(method->tableau, method->h);
    if (method->tol > 0) {
        opts.adaptive = true;
        opts.rtol = method->tol;
        opts.atol = 1e-2 * method->tol;
        opts.max_steps = 1000000;
    }
    return opts;
}

// ---- steps that end where the right-hand side has a kink ----------------------------------------

double auv_kink(const pcs_vehicle *vehicle, const double Q[4], const double nu[6], const double *u,
                int i)
{
    double back[4], current[3], relative[6];
    pcs_quat_conj(Q, back);
    pcs_quat_rotate(back, pcs_vehicle_definition(vehicle)->current, current);
    for (int k = 0; k < 6; ++k) {
        relative[k] = nu[k] - (k < 3 ? current[k] : 0);
    }
    if (i < 6) return relative[i];
    pcs_fin_load load = {0};
    const pcs_status status = pcs_vehicle_fin_load(vehicle, i - 6, relative, u[i - 5], &load);
    return status == PCS_OK ? load.alpha : 0;
}

struct cutter;
typedef struct kink {
    struct cutter *of;
    int i;
} kink;

typedef struct cutter {
    pcs_controlled system;
    pcs_integrator *run;
    double u[AUV_COMMANDS];
    bool started;
    kink kink[AUV_KINKS];
} cutter;

static int cut_rates(void *user, double t, const double *x, double *xdot)
{
    const cutter *c = user;
    return c->system.f(c->system.user, t, x, c->u, xdot);
}

static int cut_project(void *user, double t, double *x)
{
    const cutter *c = user;
    return c->system.project ? c->system.project(c->system.user, t, x) : 0;
}

static int cut_event(void *user, double t, const double *x, double *g)
{
    (void)t;
    const kink *k = user;
    const cutter *c = k->of;
    const bool euler = c->system.n < AUV_RECORD;
    double Q[4];
    if (euler) pcs_quat_from_zyx(x[3], x[4], x[5], Q);
    *g = auv_kink(c->system.user, euler ? Q : x + 3, x + c->system.n - 7, c->u, k->i);
    return 0;
}

static pcs_status cut_advance(void *user, double t, double t_next, const double *u, double *x)
{
    cutter *c = user;
    const bool same = memcmp(c->u, u, sizeof c->u) == 0;
    memcpy(c->u, u, sizeof c->u);
    if (!c->started || !same || pcs_integrator_t(c->run) != t) {
        PCS_TRY(pcs_integrator_start(c->run, t, x));
    }
    c->started = false;
    pcs_ode_report report = {.end = PCS_ODE_EVENT};
    while (report.end == PCS_ODE_EVENT && pcs_integrator_t(c->run) < t_next) {
        PCS_TRY(pcs_integrator_advance(c->run, t_next, &report));
    }
    c->started = true;
    memcpy(x, pcs_integrator_x(c->run), (size_t)c->system.n * sizeof *x);
    return PCS_OK;
}

static void cut_release(void *user)
{
    cutter *c = user;
    pcs_integrator_destroy(c->run);
    free(c);
}

static pcs_status cut_smooth(const pcs_controlled *system, const pcs_ode_opts *opts,
                             pcs_physics *out)
{
    cutter *c = calloc(1, sizeof *c);
    if (!c) return PCS_ERR_MEMORY;
    *out = (pcs_physics){
        .n = system->n, .m = system->m, .advance = cut_advance, .release = cut_release, .user = c};
    c->system = *system;
    const pcs_ode ode = {.n = system->n, .f = cut_rates, .project = cut_project, .user = c};
    PCS_TRY(pcs_integrator_create(NULL, &ode, opts, &c->run));
    pcs_event event[AUV_KINKS];
    for (int i = 0; i < AUV_KINKS; ++i) {
        c->kink[i] = (kink){c, i};
        event[i] = (pcs_event){.g = cut_event, .terminal = true, .user = &c->kink[i]};
    }
    return pcs_integrator_set_events(c->run, AUV_KINKS, event);
}

pcs_status auv_smooth(const pcs_vehicle *vehicle, const auv_method *method, auv_form form,
                      pcs_physics *out)
{
    const pcs_controlled system = controlled(vehicle, form);
    const pcs_ode_opts opts = options(method);
    if (!method->cut) return pcs_physics_of_system(NULL, &system, &opts, out);
    const pcs_status status = cut_smooth(&system, &opts, out);
    if (status != PCS_OK) pcs_physics_release(out);
    return status;
}

// ---- the track ----------------------------------------------------------------------------------

pcs_status auv_track_open(auv_track *track, const pcs_vehicle *vehicle, auv_form form,
                          const char *name, const auv_sim *sim, csv *out)
{
    *track = (auv_track){.vehicle = vehicle, .form = form, .out = out, .name = name};
    track->room = (int)(sim->t_end / sim->period) + 3;
    track->t = calloc((size_t)track->room, sizeof *track->t);
    track->row = calloc((size_t)track->room * AUV_ROW, sizeof *track->row);
    return track->t && track->row ? PCS_OK : PCS_ERR_MEMORY;
}

void auv_track_close(auv_track *track)
{
    free(track->t);
    free(track->row);
    *track = (auv_track){0};
}

const double *auv_row(const auv_track *track, int i)
{
    return track->row + (size_t)(i < 0 ? track->n + i : i) * AUV_ROW;
}

// a state record as (X, Q, nu) and the work
static void row_of(auv_form form, const double *x, double *row)
{
    if (form == AUV_QUATERNION) {
        memcpy(row, x, AUV_RECORD * sizeof *row);
    } else if (form == AUV_EULER) {
        memcpy(row, x, 3 * sizeof *row);
        pcs_quat_from_zyx(x[3], x[4], x[5], row + 3);
        memcpy(row + 7, x + 6, 7 * sizeof *row);
    } else {
        pcs_vehicle_from_body(x, x + 7, row);
        row[AUV_WORK] = NAN; // the ledger of the model has it
    }
}

static void write_row(const auv_track *track, double t, const double *row)
{
    double angle[3], energy[2];
    pcs_quat_to_zyx(row + 3, angle, angle + 1, angle + 2);
    pcs_vehicle_energy(track->vehicle, row, energy, energy + 1);
    csv_text(track->out, track->name);
    csv_real(track->out, t);
    csv_reals(track->out, row, 3);
    csv_reals(track->out, angle, 3);
    csv_reals(track->out, row + 7, 6);
    csv_reals(track->out, row + AUV_TOLD, AUV_COMMANDS);
    csv_reals(track->out, energy, 2);
    csv_real(track->out, row[AUV_WORK]);
    csv_end(track->out);
}

// the display of the simulator: all that is logged is logged here
static int display(void *user, double t, const double *x, const double *u)
{
    auv_track *track = user;
    if (track->n == track->room) return 1;
    double *row = track->row + (size_t)track->n * AUV_ROW;
    row_of(track->form, x, row);
    memcpy(row + AUV_TOLD, u, AUV_COMMANDS * sizeof *u);
    track->t[track->n++] = t;
    if (track->out) write_row(track, t, row);
    return 0;
}

pcs_status auv_run(const auv_sim *sim, const pcs_physics *physics, const double *x,
                   auv_track *track)
{
    double record[AUV_RECORD] = {0};
    memcpy(record, x, PCS_VEHICLE_STATE_SIZE * sizeof *record);
    if (track->form == AUV_EULER) {
        pcs_quat_to_zyx(x + 3, record + 3, record + 4, record + 5);
        memcpy(record + 6, x + 7, 6 * sizeof *record);
        record[PCS_VEHICLE_STATE_EULER_SIZE] = 0;
    } else if (track->form == AUV_BODY) {
        pcs_quat_rotate(x + 3, x + 7, record + 7);
    }
    const pcs_simulator_def def = {.physics = *physics,
                                   .x0 = record,
                                   .h = sim->h,
                                   .control = sim->control,
                                   .control_period = sim->period,
                                   .control_user = sim->pilot,
                                   .display = display,
                                   .display_period = sim->period,
                                   .display_user = track};
    pcs_simulator *simulator;
    PCS_TRY(pcs_simulator_create(NULL, &def, &simulator));
    const pcs_status status = pcs_simulator_run(simulator, sim->t_end, NULL);
    pcs_simulator_destroy(simulator);
    return status;
}

auv_apart auv_distance(const auv_track *a, const auv_track *b, int n)
{
    if (n < 1 || n > a->n || n > b->n) return (auv_apart){NAN, NAN, NAN};
    double X = 0, Q = 0, u = 0, rotation = 0;
    for (int i = 0; i < n; ++i) {
        const double *p = auv_row(a, i), *q = auv_row(b, i);
        double same = 0, opposite = 0; // -Q is the same orientation
        for (int k = 3; k < 7; ++k) {
            same += (p[k] - q[k]) * (p[k] - q[k]);
            opposite += (p[k] + q[k]) * (p[k] + q[k]);
        }
        Q += fmin(same, opposite);
        u += (p[7] - q[7]) * (p[7] - q[7]);
        for (int k = 0; k < 3; ++k) {
            X += (p[k] - q[k]) * (p[k] - q[k]);
        }
        for (int k = 8; k < PCS_VEHICLE_STATE_SIZE; ++k) {
            rotation += (p[k] - q[k]) * (p[k] - q[k]);
        }
    }
    return (auv_apart){sqrt(X / n), sqrt((Q + u + rotation) / n), sqrt(rotation / n)};
}
