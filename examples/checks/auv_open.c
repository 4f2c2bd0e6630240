// The vehicle with a table of commands: checks that hold for all commands.
#include "checks/auv_checks.h"
#include "study.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- straight ahead -----------------------------------------------------------------------------

static pcs_status check_surge(const settings *set, const pcs_vehicle *vehicle, checks *list)
{
    const char *why = auv_not_straight(&set->def);
    if (!why && set->def.weight != set->def.buoyancy) why = "the vehicle is not neutral";
    if (why) {
        check_skip(list, "terminal surge (m/s)", why);
        return PCS_OK;
    }
    double u;
    PCS_TRY(pcs_vehicle_terminal_surge(vehicle, set->surge, &u));
    const double row[AUV_CELLS] = {0, set->surge};
    const auv_table table = {1, row};
    // the distance from it falls at least as exp(-t F / (m u)): some thirty such times
    const double time = set->def.mass_matrix[0] * fabs(u) / set->surge;
    auv_case c = auv_case_make(set, vehicle, "surge", 1);
    c.t_end = ceil(30 * time / set->period) * set->period;
    if (c.t_end / set->period > 1e6) {
        check_skip(list, "terminal surge (m/s)", "it takes more than 1e6 periods");
        return PCS_OK;
    }
    c.table = &table;
    memset(c.x0 + 7, 0, 6 * sizeof c.x0[0]);
    memcpy(c.x0 + 3, (const double[]){1, 0, 0, 0}, 4 * sizeof c.x0[0]);
    const auv_method method = auv_chosen(set);
    auv_track track;
    const pcs_status status = auv_case_run(&c, &method, AUV_QUATERNION, NULL, &track, NULL);
    if (status == PCS_OK)
        check_value(list, "terminal surge (m/s)", auv_row(&track, -1)[7], u, 1e-8);
    auv_track_close(&track);
    return status;
}

// ---- the same in another form -------------------------------------------------------------------

static void check_norm(const auv_track *track, checks *list)
{
    double worst = 0;
    for (int i = 0; i < track->n; ++i) {
        worst = fmax(worst, fabs(pcs_quat_norm(auv_row(track, i) + 3) - 1));
    }
    check_value(list, "largest ||Q| - 1|", worst, 0, 4 * DBL_EPSILON);
}

static void check_power(const auv_track *track, checks *list)
{
    double kinetic, largest = 1;
    for (int i = 0; i < track->n; ++i) {
        pcs_vehicle_energy(track->vehicle, auv_row(track, i), &kinetic, NULL);
        largest = fmax(largest, kinetic);
    }
    check_value(list, "energy - work of all powers (J)", auv_balance(track), 0, 1e-10 * largest);
}

static pcs_status check_euler(const auv_case *c, const auv_track *reference, checks *list)
{
    double least = 1;
    for (int i = 0; i < reference->n; ++i) {
        double angle[3];
        pcs_quat_to_zyx(auv_row(reference, i) + 3, angle, angle + 1, angle + 2);
        least = fmin(least, cos(angle[1]));
    }
    if (least < 0.1) {
        check_skip(list, "Euler angles against quaternion", "the pitch comes near 90 degrees");
        return PCS_OK;
    }
    auv_track track;
    const pcs_status status = auv_reference(c, AUV_EULER, &track);
    const auv_apart apart = auv_distance(&track, reference, reference->n);
    auv_track_close(&track);
    PCS_TRY(status);
    check_value(list, "Euler angles: X (m)", apart.position, 0, 1e-10);
    check_value(list, "Euler angles: (Q, nu)", apart.rest, 0, 1e-10);
    return PCS_OK;
}

// ---- in a mirror --------------------------------------------------------------------------------

// left and right changed: of a state, and of a vehicle whose fins stand where the mirror has them
static void mirror_row(double *x)
{
    static const int turned[] = {1, 4, 6, 8, 10, 12};
    for (int i = 0; i < 6; ++i) {
        x[turned[i]] = -x[turned[i]];
    }
}

static pcs_vehicle_def mirror_vehicle(const pcs_vehicle_def *def)
{
    pcs_vehicle_def d = *def;
    double *across[] = {d.r_G, d.r_B, d.thruster, d.thrust_axis, d.current};
    for (int i = 0; i < 5; ++i) {
        across[i][1] = -across[i][1];
    }
    for (int k = 0; k < AUV_FINS; ++k) {
        d.fin[k].angle = 4 * atan(1) - d.fin[k].angle;
    }
    return d;
}

static bool foil_is_symmetric(const pcs_foil *foil)
{
    for (int i = 0; i <= 60; ++i) {
        double a[2], b[2];
        if (pcs_foil_coefficients(foil, 0.05 * i, a, a + 1) != PCS_OK ||
            pcs_foil_coefficients(foil, -0.05 * i, b, b + 1) != PCS_OK) {
            return false;
        }
        if (fabs(a[0] + b[0]) > 1e-14 || fabs(a[1] - b[1]) > 1e-14) return false;
    }
    return true;
}

static pcs_status run_mirrored(const auv_case *c, auv_track *track)
{
    const pcs_vehicle_def def = mirror_vehicle(&c->set->def);
    pcs_vehicle *vehicle;
    double rows[100 * AUV_CELLS];
    auv_table table = {c->table->n, rows};
    for (int i = 0; i < table.n * AUV_CELLS; ++i) {
        rows[i] = i % AUV_CELLS >= 2 ? -c->table->row[i] : c->table->row[i];
    }
    PCS_TRY(pcs_vehicle_create(NULL, &def, &vehicle));
    auv_case other = *c;
    other.vehicle = vehicle;
    other.table = &table;
    mirror_row(other.x0);
    const auv_method method = auv_chosen(c->set);
    const pcs_status status = auv_case_run(&other, &method, AUV_QUATERNION, NULL, track, NULL);
    track->vehicle = NULL;
    pcs_vehicle_destroy(vehicle);
    return status;
}

static pcs_status check_mirror(const auv_case *c, const auv_track *track, checks *list)
{
    const char *name = "mirrored commands, mirrored track (m)";
    if (c->table->n > 100 || !foil_is_symmetric(&c->set->def.foil)) {
        check_skip(list, name, "more than 100 commands, or a foil that is not symmetric");
        return PCS_OK;
    }
    auv_track other = {0};
    const pcs_status status = run_mirrored(c, &other);
    for (int i = 0; i < other.n; ++i) {
        mirror_row(other.row + (size_t)i * AUV_ROW);
    }
    const double apart = auv_distance(track, &other, track->n).position;
    auv_track_close(&other);
    PCS_TRY(status);
    check_value(list, name, apart, 0, 1e-10);
    return PCS_OK;
}

// ---- the part -----------------------------------------------------------------------------------

// with chosen steps the error must follow the tolerance
static pcs_status check_tolerance(const auv_case *c, const auv_track *reference, checks *list)
{
    double tol[3], rest[3];
    for (int k = 0; k < 3; ++k) {
        auv_method method = auv_chosen(c->set);
        method.tol = tol[k] = c->set->tol * pow(10, -k);
        auv_track track;
        const pcs_status status = auv_case_run(c, &method, AUV_QUATERNION, NULL, &track, NULL);
        rest[k] = auv_distance(&track, reference, reference->n).rest;
        auv_track_close(&track);
        PCS_TRY(status);
        printf("tolerance %.1e: error %.3e\n", tol[k], rest[k]);
    }
    check_order(list, "power of --tol in the error", study_slope(3, tol, rest), 0.6);
    return PCS_OK;
}

static pcs_status check_orders(const auv_case *c, const auv_track *reference, checks *list)
{
    const pcs_tableau *chosen = c->set->tableau, *other = pcs_tableau_dormand_prince();
    auv_levels levels, beside;
    const bool both = strcmp(chosen->name, other->name) != 0;
    PCS_TRY(auv_study(c, chosen, reference, &levels));
    if (both) PCS_TRY(auv_study(c, other, reference, &beside));
    *list = checks_begin();
    list->context = "open";
    auv_check_levels(c, &levels, reference, chosen->name, list);
    if (both) auv_check_levels(c, &beside, reference, other->name, list);
    return PCS_OK;
}

static pcs_status check_all(const auv_case *c, const auv_track *track, const auv_track *reference,
                            checks *list)
{
    printf("%d sign changes of nu and angles of attack along the way\n",
           auv_sign_changes(reference));
    PCS_TRY(check_orders(c, reference, list));
    if (c->set->tol > 0) PCS_TRY(check_tolerance(c, reference, list));
    PCS_TRY(check_surge(c->set, c->vehicle, list));
    check_power(reference, list);
    check_norm(track, list);
    PCS_TRY(check_euler(c, reference, list));
    return check_mirror(c, track, list);
}

pcs_status auv_open_loop(const settings *set, csv *out, checks *list)
{
    pcs_vehicle *vehicle;
    PCS_TRY(pcs_vehicle_create(NULL, &set->def, &vehicle));
    const auv_case c = auv_case_make(set, vehicle, "open", set->t_end);
    const pcs_status status = auv_compare(&c, check_all, out, list);
    pcs_vehicle_destroy(vehicle);
    return status;
}
