// The vehicle among contacts: it goes down, lies on the sea floor, is held there by friction and
// slides, all told by one table of commands.
//
// Lying, it carries W - B, so that friction holds a thrust up to mu (W - B); beyond, along x,
//
//     m u' = F - d u - D u^2,    F = T - mu (W - B),  D = dq_u + 1/2 rho sum(S) CD(0),
//     u = u+ (1 - E) / (1 - (u+ / u-) E),    E = exp(-D (u+ - u-) t / m),
//
// with u+ > 0 > u- the roots of the right-hand side.
#include "checks/auv_checks.h"
#include "scenes/simulation.h"
#include "study.h"

#include <math.h>
#include <string.h>

enum { STEPS = 3, ROWS = 4 };

// a scene with a floor, and the impulses of the floor in a span of time
typedef struct sea_floor {
    simulation s;
    pcs_physics physics;
    double from, to;     // s, when it lies still
    double normal, span; // N s of the floor then, and for how long
} sea_floor;

// ---- the model ----------------------------------------------------------------------------------

// the vehicle at x above the floor, which its hull touches; *ride has its command
static pcs_status build(const settings *set, const pcs_vehicle *vehicle, const double *x,
                        pcs_scene **out, pcs_vehicle_ride **ride)
{
    const auv_floor *f = &set->down;
    run_settings run = set->run;
    run.h = f->h;
    run.t_end = f->t_stick;
    run.gravity = 9.81;
    run.scheme = pcs_scheme_default();
    run.scheme.solver.tol = f->tol;
    run.scheme.theta = f->theta;
    PCS_TRY(run_scene(&run, "An underwater vehicle dives to the sea floor and slides on it.", out));
    pcs_model *model = (*out)->model;
    pcs_material material;
    const pcs_material_def rough = {.mu = f->mu};
    PCS_TRY(pcs_model_add_material(model, &rough, &material));
    const pcs_shape floor = pcs_shape_half_space((const double[3]){0, 0, 1}, 0);
    PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &floor, material));

    pcs_system body;
    *ride = pcs_scene_alloc(*out, sizeof **ride);
    if (!*ride) return PCS_ERR_MEMORY;
    (*ride)->vehicle = vehicle;
    PCS_TRY(pcs_model_add_vehicle(model, *ride, x, &body));
    pcs_shape hull = pcs_shape_capsule(f->radius, f->length); // along z
    PCS_TRY(pcs_quat_from_axis_angle((const double[3]){0, 1, 0}, 2 * atan(1), hull.orientation));
    return pcs_model_add_shape(model, body, &hull, material);
}

static pcs_status start(sea_floor *w, const auv_case *c)
{
    pcs_vehicle_ride *ride;
    PCS_TRY(build(c->set, c->vehicle, c->x0, &w->s.scene, &ride));
    PCS_TRY(simulation_start(&w->s, 1));
    // a command of the vehicle is the thrust, then the deflections
    return pcs_physics_of_model(NULL, w->s.scene->model, w->s.state, w->s.work, AUV_COMMANDS,
                                (double *)&ride->command, &w->physics);
}

static void demolish(sea_floor *w)
{
    pcs_physics_release(&w->physics);
    simulation_close(&w->s);
}

static pcs_status add_normal_impulse(pcs_work *work, double *sum)
{
    const pcs_contact *c;
    int n;
    PCS_TRY(pcs_work_contacts(work, &n, &c));
    for (int k = n - 1; k >= 0; --k) {
        if (c[k].active) *sum += c[k].F[2] * c[k].r[0];
    }
    return PCS_OK;
}

// the physics of the model, listened to
static pcs_status advance(void *user, double t, double t_next, const double *u, double *x)
{
    sea_floor *w = user;
    PCS_TRY(w->physics.advance(w->physics.user, t, t_next, u, x));
    const double middle = 0.5 * (t + t_next);
    if (middle > w->from && middle < w->to) {
        PCS_TRY(add_normal_impulse(w->s.work, &w->normal));
        w->span += t_next - t;
    }
    return PCS_OK;
}

// ---- runs ---------------------------------------------------------------------------------------

// down, thrust off, a thrust that friction holds, one that it does not
static void commands(const auv_floor *f, const auv_pilot *pilot, double rows[ROWS * AUV_CELLS])
{
    const double held = f->mu * f->excess;
    const double times[ROWS] = {0, f->t_stop, f->t_stick, f->t_slide};
    const double thrusts[ROWS] = {f->thrust, 0, f->stick * held, f->slide * held};
    memset(rows, 0, ROWS * AUV_CELLS * sizeof *rows);
    for (int i = 0; i < ROWS; ++i) {
        rows[i * AUV_CELLS] = times[i];
        rows[i * AUV_CELLS + 1] = thrusts[i];
    }
    for (int k = 0; k < AUV_FINS; ++k) {
        rows[2 + k] = f->dive * cos(pilot->fin_angle[k]);
    }
}

static pcs_status run_model(const auv_case *c, double h, csv *out, auv_track *track,
                            double *carried)
{
    *track = (auv_track){0};
    const auv_floor *f = &c->set->down;
    sea_floor w = {0};
    w.from = f->t_stick - 0.25 * (f->t_stick - f->t_stop);
    w.to = f->t_stick;
    auv_table table = *c->table;
    const auv_sim sim = {.h = h,
                         .period = c->set->period,
                         .t_end = c->t_end,
                         .control = auv_by_table,
                         .pilot = &table};
    pcs_status status = start(&w, c);
    if (status == PCS_OK) {
        status = auv_track_open(track, c->vehicle, AUV_BODY, "floor", &sim, out);
    }
    if (status == PCS_OK) {
        const pcs_physics listened = {
            .n = w.physics.n, .m = w.physics.m, .advance = advance, .user = &w};
        status = auv_run(&sim, &listened, c->x0, track);
    }
    *carried = w.normal / w.span;
    demolish(&w);
    return status;
}

// ---- checks -------------------------------------------------------------------------------------

// lowest point of the hull above the floor, m
static double clearance(const auv_floor *f, const double *row)
{
    double R[9];
    pcs_quat_to_matrix(row + 3, R);
    return row[2] - f->radius - 0.5 * f->length * fabs(R[2]);
}

static int row_at(const settings *set, double t)
{
    return (int)nearbyint(t / set->period);
}

static double speed(const double *row)
{
    double sum = 0;
    for (int i = 7; i < 13; ++i) {
        sum += row[i] * row[i];
    }
    return sqrt(sum);
}

static void check_rest(const settings *set, const auv_track *track, double carried, checks *list)
{
    const auv_floor *f = &set->down;
    double overlap = 0;
    for (int i = 0; i < track->n; ++i) {
        overlap = fmax(overlap, -clearance(f, auv_row(track, i)));
    }
    check_value(list, "deepest overlap (m)", overlap, 0, 3e-4 * 2 * f->radius);
    const double *rest = auv_row(track, row_at(set, f->t_stick));
    check_value(list, "speed at rest (m/s, rad/s)", speed(rest), 0, 1e-8);
    check_value(list, "height of O at rest (m)", rest[2], f->radius, 3e-4 * 2 * f->radius);
    check_value(list, "force of the floor at rest (N)", carried, f->excess, 1e-6 * f->excess);

    const double *held = auv_row(track, row_at(set, f->t_slide));
    check_value(list, "moved under a thrust held (m)", hypot(held[0] - rest[0], held[1] - rest[1]),
                0, 1e-6);
    check_value(list, "speed under a thrust held (m/s)", speed(held), 0, 1e-8);
}

// u(t) in closed form, t from the start of sliding on
static double sliding(const settings *set, double t)
{
    const auv_floor *f = &set->down;
    const pcs_vehicle_def *def = &set->def;
    double CL, CD, area = 0;
    if (pcs_foil_coefficients(&def->foil, 0, &CL, &CD) != PCS_OK) return NAN;
    for (int k = 0; k < AUV_FINS; ++k) {
        area += def->fin[k].area;
    }
    const double d = def->damping[0], D = def->quadratic[0] + 0.5 * def->density * area * CD;
    const double F = (f->slide - 1) * f->mu * f->excess, root = sqrt(d * d + 4 * D * F);
    // u+ = 2 F / (d + root), u- = -(d + root) / (2 D)
    const double above = 2 * F / (d + root), E = exp(-root * t / def->mass_matrix[0]);
    return above * (1 - E) / (1 + 2 * D * above / (d + root) * E);
}

// the largest distance from it, m/s
static double off_sliding(const settings *set, const auv_track *track)
{
    double worst = 0;
    for (int i = row_at(set, set->down.t_slide); i < track->n; ++i) {
        const double u = sliding(set, track->t[i] - set->down.t_slide);
        worst = fmax(worst, fabs(auv_row(track, i)[7] - u));
    }
    return worst;
}

static pcs_status check_sliding(const settings *set, const pcs_vehicle *vehicle,
                                const auv_track *track, const double *h, checks *list)
{
    double u, off[STEPS];
    const auv_floor *f = &set->down;
    const char *why = auv_not_straight(pcs_vehicle_definition(vehicle));
    if (why) {
        check_skip(list, "speed of sliding", why);
        return PCS_OK;
    }
    PCS_TRY(pcs_vehicle_terminal_surge(vehicle, (f->slide - 1) * f->mu * f->excess, &u));
    // for theta < 1 the floor is kept to the tolerance of the projection only, so that the hull may
    // lie a little tilted, and its fins lift a little
    const bool flat = f->theta == 1;
    const double missing = u - sliding(set, f->t_end - f->t_slide);
    check_value(list, "speed of sliding at the end (m/s)", auv_row(&track[STEPS - 1], -1)[7], u,
                (flat ? 1e-6 : 1e-4) * u + 2 * missing);
    for (int k = 0; k < STEPS; ++k) {
        off[k] = off_sliding(set, &track[k]);
    }
    check_value(list, "u(t) of sliding (m/s)", off[STEPS - 1], 0, h[STEPS - 1]);
    if (flat) check_order(list, "order of u(t)", study_slope(STEPS, h, off), 0.9);
    return PCS_OK;
}

static void begin(checks *list)
{
    *list = checks_begin();
    list->context = "floor";
}

// until the hull comes near, the model follows the smooth vehicle
static pcs_status check_descent(const auv_case *c, const auv_track *track, const double *h,
                                checks *list)
{
    const auv_floor *f = &c->set->down;
    auv_track smooth;
    double position[STEPS], rest[STEPS];
    int n = 0;
    while (n < track->n && clearance(f, auv_row(&track[0], n)) > 0.05 * f->altitude) {
        ++n;
    }
    printf("\nfloor: compared before it touches, until %.2f s\n", track->t[n > 0 ? n - 1 : 0]);
    if (n < 2) {
        begin(list);
        check_skip(list, "order before it touches", "it touches at once");
        return PCS_OK;
    }
    auv_case until = *c;
    until.t_end = (n - 1) * c->set->period;
    const pcs_status status = auv_reference(&until, AUV_QUATERNION, &smooth);
    for (int k = 0; k < STEPS; ++k) {
        const auv_apart apart = auv_distance(&track[k], &smooth, n);
        position[k] = apart.position;
        rest[k] = apart.rest;
        printf("h = %-8g X %.3e m, (Q, nu) %.3e from the smooth run\n", h[k], position[k], rest[k]);
    }
    auv_track_close(&smooth);
    PCS_TRY(status);
    begin(list);
    const double least = f->theta == 0.5 ? 1.8 : 0.9;
    check_order(list, "order before it touches, X", study_slope(STEPS, h, position), least);
    check_order(list, "order before it touches, (Q, nu)", study_slope(STEPS, h, rest), least);
    return PCS_OK;
}

static pcs_status run_and_check(const auv_case *c, csv *out, auv_track track[STEPS], checks *list)
{
    double h[STEPS], carried[STEPS];
    for (int k = 0; k < STEPS; ++k) {
        h[k] = c->set->down.h / (1 << k);
        PCS_TRY(run_model(c, h[k], k == 0 ? out : NULL, &track[k], &carried[k]));
    }
    PCS_TRY(check_descent(c, track, h, list));
    check_rest(c->set, &track[0], carried[0], list);
    return check_sliding(c->set, c->vehicle, track, h, list);
}

// the vehicle, heavier than the water, above the floor; to be destroyed
static pcs_status begin_case(const settings *set, auv_case *c, pcs_vehicle **vehicle)
{
    pcs_vehicle_def def = set->def;
    def.weight = def.buoyancy + set->down.excess;
    PCS_TRY(pcs_vehicle_create(NULL, &def, vehicle));
    *c = auv_case_make(set, *vehicle, "floor", set->down.t_end);
    c->x0[2] = set->down.radius + set->down.altitude;
    return PCS_OK;
}

pcs_status auv_dive(const void *user, pcs_scene **out)
{
    const settings *set = user;
    pcs_vehicle *vehicle;
    pcs_vehicle_ride *ride;
    auv_case c;
    PCS_TRY(begin_case(set, &c, &vehicle));
    pcs_status status = build(set, vehicle, c.x0, out, &ride);
    if (status != PCS_OK) {
        pcs_vehicle_destroy(vehicle);
        return status;
    }
    double rows[ROWS * AUV_CELLS];
    commands(&set->down, &set->pilot, rows);
    ride->command.thrust = rows[1];
    memcpy(ride->command.deflection, rows + 2, AUV_FINS * sizeof *rows);
    return pcs_scene_keep_vehicle(*out, vehicle);
}

pcs_status auv_touch_down(const settings *set, csv *out, checks *list)
{
    pcs_vehicle *vehicle;
    auv_case c;
    PCS_TRY(begin_case(set, &c, &vehicle));
    double rows[ROWS * AUV_CELLS];
    commands(&set->down, &set->pilot, rows);
    const auv_table table = {ROWS, rows};
    c.table = &table;
    auv_track track[STEPS] = {0};
    const pcs_status status = run_and_check(&c, out, track, list);
    for (int k = 0; k < STEPS; ++k) {
        auv_track_close(&track[k]);
    }
    pcs_vehicle_destroy(vehicle);
    return status;
}
