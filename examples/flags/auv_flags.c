// The command line of auv: defaults, flags, and combinations that are refused.
#include "flags/auv_flags.h"

#include "args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// left and down, left and up, right: time, thrust, four deflections
static const double manoeuvre[][AUV_CELLS] = {
    {0, 12, 0.02, 0.06, -0.02, -0.06},
    {5, 14, -0.02, 0.06, 0.02, -0.06},
    {10, 14, -0.01, -0.08, 0.01, 0.08},
};

// values read before they are stored in their places
typedef struct raw {
    double inertia[2][3], added[2][3], damping[2][3], quadratic[2][3]; // of V, of omega
    double angles[3];
    double fin_x, fin_radius, fin_area, fin_turn;
    const char *commands, *foil, *waypoints;
} raw;

static void defaults(settings *set, raw *r)
{
    *set = (settings){.def = pcs_vehicle_def_default(),
                      .x0 = {0, 0, -5, 1, 0, 0, 0, 1},
                      .method = "rk4",
                      .h = 0.0125,
                      .period = 0.1,
                      .cut = true,
                      .study = 4,
                      .order_within = 0.15,
                      .reach = 1e-10,
                      .control = AUV_ALL,
                      .t_end = 16,
                      .surge = 20,
                      .t_heading = 30,
                      .t_waypoints = 50,
                      .heading_within = 0.01,
                      .floor = true};
    set->pilot = (auv_pilot){.thrust = 15,
                             .heading = 0.6,
                             .depth = -8,
                             .heading_gain = 2,
                             .yaw_gain = 0.2,
                             .depth_gain = 0.2,
                             .sink_gain = 0.3,
                             .most_pitch = 0.4,
                             .pitch_gain = 1,
                             .pitch_rate_gain = 0.2,
                             .roll_gain = 0.05,
                             .roll_rate_gain = 0.02,
                             .most_fin = 0.2,
                             .radius = 1};
    set->down = (auv_floor){.excess = 10,
                            .mu = 0.4,
                            .altitude = 3,
                            .radius = 0.05,
                            .length = 1.3,
                            .h = 0.01,
                            .theta = 1,
                            .tol = 1e-12,
                            .thrust = 10,
                            .dive = 0.01,
                            .t_stop = 6,
                            .t_stick = 20,
                            .t_slide = 30,
                            .t_end = 90,
                            .stick = 0.9,
                            .slide = 1.5};
    const pcs_vehicle_def *d = &set->def;
    *r = (raw){.waypoints = "30,0,-6;45,20,-8;30,45,-8;5,45,-6",
               .fin_x = d->fin[0].x,
               .fin_radius = d->fin[0].radius,
               .fin_area = d->fin[0].area,
               .fin_turn = d->fin[0].angle};
    for (int i = 0; i < 6; ++i) {
        r->inertia[i / 3][i % 3] = d->mass_matrix[7 * i];
        r->added[i / 3][i % 3] = d->added_mass[7 * i];
        r->damping[i / 3][i % 3] = d->damping[i];
        r->quadratic[i / 3][i % 3] = d->quadratic[i];
    }
}

// ---- the flags ----------------------------------------------------------------------------------

static void vehicle_flags(args *a, settings *set, raw *r)
{
    pcs_vehicle_def *d = &set->def;
    args_sizes(a, "--mass-v", r->inertia[0], 2, "kg", "ASM-5: total inertia along x, y, z");
    args_sizes(a, "--mass-w", r->inertia[1], 2, "kg m^2", "ASM-5: total inertia about x, y, z");
    args_vector(a, "--added-v", r->added[0], 10, "kg",
                "share of the water in --mass-v; matters in a current only");
    args_vector(a, "--added-w", r->added[1], 5, "kg m^2", "share of the water in --mass-w");
    args_sizes(a, "--damping-v", r->damping[0], 2, "N s/m", "ASM-6: linear damping along x, y, z");
    args_sizes(a, "--damping-w", r->damping[1], 2, "N m s", "ASM-6: linear damping about x, y, z");
    args_sizes(a, "--quadratic-v", r->quadratic[0], 2, "N s^2/m^2", "ASM-7: quadratic damping");
    args_sizes(a, "--quadratic-w", r->quadratic[1], 2, "N m s^2",
               "ASM-7: quadratic damping about x, y, z");
    args_real(a, "--yur", &d->Yur, -2, 2, "kg", "ASM-8: factor of the sway force Yur u r");
    args_positive(a, "--mass", &d->mass, 2, "kg", "ASM-9: mass of the solid alone");
    args_real(a, "--weight", &d->weight, 80, 120, "N", "ASM-9: weight");
    args_real(a, "--buoyancy", &d->buoyancy, 80, 120, "N",
              "ASM-9: buoyancy; equal to the weight: neutral");
    args_vector(a, "--r-g", d->r_G, 0.01, "m", "ASM-10: centre of gravity");
    args_vector(a, "--r-b", d->r_B, 0.02, "m", "ASM-10: centre of buoyancy");
    args_real(a, "--fin-x", &r->fin_x, -1.2, -0.3, "m", "ASM-11: position of the fins along x");
    args_real(a, "--fin-radius", &r->fin_radius, 0.05, 0.2, "m",
              "ASM-11: distance of the fins from the axis");
    args_real(a, "--fin-area", &r->fin_area, 0.004, 0.016, "m^2",
              "ASM-11: area of each fin; 0.01, 0.008 and 0.009 in the texts");
    args_real(a, "--fin-turn", &r->fin_turn, -3.2, 3.2, "rad",
              "ASM-11: angle of the first fin, from y to z; the others follow by 90 degrees");
    args_real(a, "--density", &d->density, 500, 2000, "kg/m^3", "ASM-12: density of the water");
    args_vector(a, "--thruster", d->thruster, 1, "m", "point at which the thrust acts");
    args_vector(a, "--thrust-axis", d->thrust_axis, 1, "", "ASM-13: direction of the thrust");
    args_vector(a, "--current", d->current, 0.3, "m/s",
                "ASM-14: velocity of the water, inertial axes");
    args_input(a, "--foil", &r->foil, "FILE",
               "ASM-15: file with a table of alpha (rad), CL, CD, in place of the fit below");
    args_real(a, "--foil-slope", &d->foil.slope, 3, 12, "1/rad", "ASM-15: slope of CL");
    args_positive(a, "--foil-stall", &d->foil.stall, 2, "rad", "ASM-15: angle of stall");
    args_positive(a, "--foil-sharpness", &d->foil.sharpness, 2, "1/rad",
                  "ASM-15: sharpness of the stall");
    args_real(a, "--foil-drag", &d->foil.drag, 0, 0.013, "", "ASM-15: CD at alpha = 0");
    args_real(a, "--foil-rise", &d->foil.rise, 0, 0.02, "", "ASM-15: factor of CL^2 in CD");
    args_real(a, "--foil-plate", &d->foil.plate, 0, 4, "",
              "ASM-15: factor of the flat plate beyond the stall");
}

static void smooth_flags(args *a, settings *set, raw *r)
{
    args_vector(a, "--position", set->x0, 20, "m", "at the start");
    args_vector(a, "--angles", r->angles, 0.5, "rad",
                "roll, pitch, yaw at the start (z up, ASM-1)");
    args_vector(a, "--velocity", set->x0 + 7, 2, "m/s", "at the start, body axes");
    args_vector(a, "--omega", set->x0 + 10, 0.3, "rad/s", "at the start, body axes");

    args_string(a, "--method", &set->method, "NAME",
                "rk4, dormand_prince, gauss2, radau3 ...: any method of <percuss/tableau.h>");
    args_positive(a, "--h", &set->h, 2, "s", "step of the method; the longest step of the study");
    args_real(a, "--tol", &set->tol, 0, 0.1, "",
              "relative tolerance of a method that chooses its steps; 0: fixed steps");
    args_bool(a, "--cut", &set->cut,
              "end steps where damping and fins have a kink: a component of nu or an angle of "
              "attack is zero");
    args_positive(a, "--period", &set->period, 2, "s", "period of the control and of the table");
    args_int(a, "--study", &set->study, 2, 8, "halvings of h to observe orders");
    args_real(a, "--order-within", &set->order_within, 0.05, 1, "",
              "allowed error of an observed order; the default manoeuvre keeps 0.05");

    args_real(a, "--reach", &set->reach, 1e-12, 1e-4, "",
              "allowed error of (Q, nu), and of X in m, with the shortest steps, for order 4 "
              "and more; ten times that for X under control");
    args_input(a, "--commands", &r->commands, "FILE",
               "open loop: rows t (s), thrust (N), four deflections (rad)");
    args_positive(a, "--tend", &set->t_end, 16, "s",
                  "end of the open loop; under control, of the part of which orders are observed");
    args_positive(a, "--surge", &set->surge, 2, "N", "thrust of the straight run");
}

static void pilot_flags(args *a, settings *set, raw *r)
{
    auv_pilot *p = &set->pilot;
    args_choice(a, "--control", &set->control, "none|heading|waypoints|all",
                "which runs: the table alone, one of the controls, or both");
    args_real(a, "--thrust", &p->thrust, 7.5, 30, "N", "thrust under control");
    args_real(a, "--heading", &p->heading, -pi, pi, "rad", "heading to keep");
    args_real(a, "--depth", &p->depth, -16, -4, "m", "z to keep");
    args_real(a, "--heading-gain", &p->heading_gain, 1, 4, "", "rudder per rad");
    args_real(a, "--yaw-gain", &p->yaw_gain, 0.1, 0.4, "s", "rudder per rad/s");
    args_real(a, "--depth-gain", &p->depth_gain, 0.1, 0.4, "rad/m", "pitch per depth");
    args_real(a, "--sink-gain", &p->sink_gain, 0.15, 0.6, "rad s/m", "pitch per vertical speed");
    args_real(a, "--most-pitch", &p->most_pitch, 0.2, 1.2, "rad", "limit of the commanded pitch");
    args_real(a, "--pitch-gain", &p->pitch_gain, 0.5, 2, "", "stern planes per rad");
    args_real(a, "--pitch-rate-gain", &p->pitch_rate_gain, 0.1, 0.4, "s", "stern planes per rad/s");
    args_real(a, "--roll-gain", &p->roll_gain, 0.025, 0.1, "", "ailerons per rad");
    args_real(a, "--roll-rate-gain", &p->roll_rate_gain, 0.01, 0.04, "s", "ailerons per rad/s");
    args_positive(a, "--most-fin", &p->most_fin, 2, "rad", "limit of rudder and stern planes");
    args_real(a, "--tend-heading", &set->t_heading, 20, 90, "s", "end of the run with a heading");
    args_positive(a, "--heading-within", &set->heading_within, 10, "rad",
                  "allowed error of the heading and, in m, of the depth, over the last quarter");
    args_string(a, "--waypoints", &r->waypoints, "x,y,z;...", "places to pass, m");
    args_positive(a, "--radius", &p->radius, 2, "m",
                  "distance at which a waypoint counts as passed");
    args_positive(a, "--tend-waypoints", &set->t_waypoints, 3, "s",
                  "end of the run with waypoints");
}

static void floor_flags(args *a, settings *set)
{
    auv_floor *f = &set->down;
    args_bool(a, "--floor", &set->floor, "also land on the sea floor, which only the hull touches");
    args_positive(a, "--excess", &f->excess, 2, "N",
                  "weight over buoyancy in the run on the floor");
    args_positive(a, "--mu", &f->mu, 2, "", "friction of the floor");
    args_positive(a, "--altitude", &f->altitude, 2, "m", "altitude of the hull at the start");
    args_positive(a, "--hull-radius", &f->radius, 2, "m", "radius of the hull, a capsule");
    args_positive(a, "--hull-length", &f->length, 2, "m", "length of the hull without its caps");
    args_positive(a, "--floor-h", &f->h, 2, "s", "time step of the model");
    args_real(a, "--theta", &f->theta, 0.5, 1, "", "theta of the scheme of the model");
    args_positive(a, "--floor-tol", &f->tol, 2, "",
                  "tolerance of the velocity problems of the model");
    args_positive(a, "--floor-thrust", &f->thrust, 2, "N", "thrust of the dive");
    args_real(a, "--floor-dive", &f->dive, -0.2, 0.2, "rad",
              "angle of the stern planes in the dive");
    args_positive(a, "--stop", &f->t_stop, 2, "s", "time at which the thrust ends");
    args_real(a, "--stick", &f->stick, 0, 0.95, "", "thrust over mu (W - B) that friction holds");
    args_positive(a, "--stick-at", &f->t_stick, 2, "s", "time at which this thrust begins");
    args_real(a, "--slide", &f->slide, 1.1, 3, "",
              "thrust over mu (W - B) that friction does not hold");
    args_positive(a, "--slide-at", &f->t_slide, 2, "s", "time at which this thrust begins");
    args_positive(a, "--floor-tend", &f->t_end, 2, "s", "end of the run on the floor");
}

// ---- what was read ------------------------------------------------------------------------------

static void put_vehicle(settings *set, const raw *r)
{
    pcs_vehicle_def *d = &set->def;
    for (int i = 0; i < 6; ++i) {
        d->mass_matrix[7 * i] = r->inertia[i / 3][i % 3];
        d->added_mass[7 * i] = r->added[i / 3][i % 3];
        d->damping[i] = r->damping[i / 3][i % 3];
        d->quadratic[i] = r->quadratic[i / 3][i % 3];
    }
    for (int k = 0; k < AUV_FINS; ++k) {
        d->fin[k].x = r->fin_x;
        d->fin[k].radius = r->fin_radius;
        d->fin[k].area = r->fin_area;
        d->fin[k].angle = r->fin_turn + 0.5 * pi * k;
        set->pilot.fin_angle[k] = d->fin[k].angle;
    }
    d->n_fins = AUV_FINS;
    pcs_quat_from_zyx(r->angles[0], r->angles[1], r->angles[2], set->x0 + 3);
}

// there can be such a vehicle
static void vehicle_exists(const settings *set)
{
    pcs_vehicle *vehicle;
    if (pcs_vehicle_create(NULL, &set->def, &vehicle) != PCS_OK)
        args_refuse("%s", pcs_error_text());
    pcs_vehicle_destroy(vehicle);
}

static void read_foil(settings *set, const char *path)
{
    if (!path) return;
    int n;
    read_table(path, 3, "alpha (rad), CL, CD", &set->foil, &n);
    set->def.foil.table = set->foil;
    set->def.foil.rows = n;
}

static bool on_grid(double t, double period)
{
    return fabs(t / period - nearbyint(t / period)) <= 1e-9 * fmax(1, t / period);
}

static void read_commands(settings *set, const char *path)
{
    set->table = (auv_table){(int)(sizeof manoeuvre / sizeof manoeuvre[0]), manoeuvre[0]};
    if (!path) return;
    int n;
    read_table(path, AUV_CELLS, "time (s), thrust (N), four deflections (rad)", &set->commands, &n);
    set->table = (auv_table){n, set->commands};
    for (int i = 0; i < n; ++i) {
        const double t = set->commands[(size_t)i * AUV_CELLS];
        if (t < 0 || (i > 0 && t <= set->commands[(size_t)(i - 1) * AUV_CELLS])) {
            args_refuse("%s: row %d: times must be >= 0 and ascend, and %g s does not", path, i + 1,
                        t);
        }
    }
}

static void read_waypoints(settings *set, const char *text)
{
    auv_pilot *p = &set->pilot;
    p->n = 0;
    for (const char *at = text; p->n < MOST_WAYPOINTS; ++at) {
        double *to = p->point[p->n];
        int length = 0;
        if (sscanf(at, "%lf,%lf,%lf%n", &to[0], &to[1], &to[2], &length) != 3 || !isfinite(to[0]) ||
            !isfinite(to[1]) || !isfinite(to[2])) {
            break;
        }
        p->n += 1;
        at += length;
        if (*at == '\0') return;
        if (*at != ';') break;
    }
    args_refuse("--waypoints: '%s' is not 1 to %d places such as 20,0,-6;30,15,-8", text,
                MOST_WAYPOINTS);
}

static void times_fit(const settings *set)
{
    if (set->t_heading < 30 && set->heading_within < 0.1) {
        args_refuse(
            "--tend-heading is %g s: before 30 s heading and depth have come to 0.1 rad and m "
            "only; give --heading-within 0.1",
            set->t_heading);
    }
    // the error of fourth order, whose constant is about 1 for these motions
    const double finest = pow(set->h / pow(2, set->study), 4);
    if (set->reach < finest) {
        args_refuse("--reach is %g; with these --h and --study fourth order reaches %.2g",
                    set->reach, finest);
    }
    const double longest = fmax(set->t_end, fmax(set->t_heading, set->t_waypoints));
    if (longest / set->period > 1e6 || set->h > set->period ||
        longest / set->h * pow(2, set->study) > 1e8) {
        args_refuse("--h must not exceed --period, the ends of the runs not 1e6 periods, nor "
                    "1e8 of the shortest steps of the study");
    }
    for (int i = 0; i < set->table.n; ++i) {
        const double t = set->table.row[(size_t)i * AUV_CELLS];
        if (on_grid(t, set->period)) continue;
        args_refuse("row %d of the commands is of %g s, which is not a multiple of --period %g",
                    i + 1, t, set->period);
    }
    const double ends[] = {set->t_end, set->t_heading, set->t_waypoints};
    for (int i = 0; i < 3; ++i) {
        if (!on_grid(ends[i], set->period)) {
            args_refuse("--tend, --tend-heading and --tend-waypoints must be multiples of "
                        "--period");
        }
    }
}

// The pilot can keep a course: with constant fins the vehicle goes straight ahead.
static void course_exists(const settings *set)
{
    if (set->control == AUV_NONE) return;
    auv_pilot pilot = set->pilot;
    pcs_vehicle *vehicle;
    bool found = false;
    pcs_status status = pcs_vehicle_create(NULL, &set->def, &vehicle);
    if (status == PCS_OK) status = auv_trim(vehicle, &pilot, &found);
    pcs_vehicle_destroy(vehicle);
    if (status != PCS_OK) args_refuse("--control: %s", pcs_error_text());
    if (found) return;
    args_refuse(
        "no fins within --most-fin and no pitch within --most-pitch hold the vehicle at a "
        "depth, with this --thrust, --thruster, --thrust-axis, --weight, --buoyancy, --r-g, "
        "--r-b and --current; give --control none");
}

// The vehicle begins ahead through the water: backwards and across its fins stall, and at the steps
// of the study no order shows.
static void starts_ahead(const settings *set)
{
    const double *V = set->x0 + 7;
    if (V[0] >= 0.3 && hypot(V[1], V[2]) <= 0.3 * V[0]) return;
    args_refuse(
        "--velocity %g,%g,%g: the vehicle begins ahead, with 0.3 m/s or more along x and at "
        "most 0.3 times that across",
        V[0], V[1], V[2]);
}

// More inertia along the hull than across turns it away from its course, by the moment of its slip
// (Munk); the fins hold it against a little of that only.
static void course_holds(const settings *set)
{
    const double *M = set->def.mass_matrix;
    if (set->control == AUV_NONE || (M[0] <= M[7] && M[0] <= M[14])) return;
    args_refuse(
        "--mass-v has more along x, %g kg, than along y or z: the vehicle leaves its course; "
        "give --control none",
        M[0]);
}

static void floor_fits(const settings *set, double pitch)
{
    const auv_floor *f = &set->down;
    if (!set->floor) return;
    if (!(f->t_stop < f->t_stick && f->t_stick < f->t_slide && f->t_slide < f->t_end)) {
        args_refuse("--stop, --stick-at, --slide-at and --floor-tend must ascend");
    }
    if (f->h > set->period || f->t_end / f->h > 1e7 || f->t_end / set->period > 1e6) {
        args_refuse("--floor-h must not exceed --period, nor --floor-tend 1e7 steps");
    }
    const double *wash = set->def.current, deep = 0.5 * f->length * fabs(sin(pitch));
    if (wash[0] != 0 || wash[1] != 0 || wash[2] != 0) {
        args_refuse("in a --current nothing lies still: give --floor=no");
    }
    const double *B = set->def.r_B, *G = set->def.r_G, above = B[2] - G[2];
    if (above < 0.005 || hypot(B[0] - G[0], B[1] - G[1]) > 0.2 * above) {
        args_refuse(
            "--r-b must lie above --r-g, by 0.005 m and five times what it lies beside: otherwise "
            "the hull rolls on the floor; or give --floor=no");
    }
    if (deep >= f->altitude) args_refuse("the hull begins in the floor: enlarge --altitude");
    if (!(f->stick < 1) || !(f->slide > 1)) args_refuse("--stick is below 1, --slide above 1");
    const double at[] = {f->t_stop, f->t_stick, f->t_slide, f->t_end};
    for (int i = 0; i < 4; ++i) {
        if (!on_grid(at[i], set->period) || !on_grid(set->period, f->h)) {
            args_refuse("--stop, --stick-at, --slide-at and --floor-tend must be multiples of "
                        "--period, and that of --floor-h");
        }
    }
}

void read_flags(settings *set, int argc, char **argv)
{
    raw r;
    defaults(set, &r);
    args a = {
        .about =
            "An underwater vehicle follows a table of commands, keeps a course, passes waypoints "
            "and lands on the sea floor. z is up (ASM-1), and a positive pitch is nose down.",
        .table = "write every run at every period: its name, time, position, roll, pitch, yaw, nu, "
                 "commands, energies (J), work (J; not of the floor)"};
    vehicle_flags(&a, set, &r);
    smooth_flags(&a, set, &r);
    pilot_flags(&a, set, &r);
    floor_flags(&a, set);
    run_parse(&a, &set->run, 0, argc, argv);
    put_vehicle(set, &r);
    read_foil(set, r.foil);
    vehicle_exists(set);
    read_commands(set, r.commands);
    read_waypoints(set, r.waypoints);
    times_fit(set);
    course_exists(set);
    course_holds(set);
    starts_ahead(set);
    floor_fits(set, r.angles[1]);
    if (pcs_tableau_create_named(NULL, set->method, &set->tableau) != PCS_OK) {
        args_refuse("--method: %s", pcs_error_text());
    }
    if (set->tol > 0 && !set->tableau->b_hat) {
        args_refuse("--tol needs a --method with a pair, such as dormand_prince");
    }
}

void release_flags(settings *set)
{
    free(set->commands);
    free(set->foil);
    pcs_tableau_destroy(set->tableau);
}
