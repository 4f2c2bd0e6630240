// Runs of the vehicle with one method after another, and how their errors fall.
//
// Quadratic damping has a kink in its second derivative where a component of nu changes sign, and
// so has the drag of a fin beyond its stall. Steps that end there (--cut) leave the method its
// order; a step across costs it an error of third order. Orders are observed of (v, w, omega): the
// errors of X and u reach rounding sooner, for these are large numbers.
#include "checks/auv_checks.h"
#include "study.h"

#include <float.h>
#include <math.h>
#include <string.h>

auv_case auv_case_make(const settings *set, const pcs_vehicle *vehicle, const char *name,
                       double t_end)
{
    auv_case c = {.set = set,
                  .vehicle = vehicle,
                  .name = name,
                  .t_end = t_end,
                  .table = &set->table,
                  .pilot = set->pilot};
    memcpy(c.x0, set->x0, sizeof c.x0);
    return c;
}

pcs_status auv_case_run(const auv_case *c, const auv_method *method, auv_form form, csv *out,
                        auv_track *track, auv_pilot *end)
{
    *track = (auv_track){0};
    auv_table table = {0};
    if (c->table) table = *c->table;
    auv_pilot pilot = c->pilot;
    const double period = c->set->period;
    const auv_sim sim = {.h = period,
                         .period = period,
                         .t_end = c->t_end,
                         .control = c->table ? auv_by_table : auv_by_pilot,
                         .pilot = c->table ? (void *)&table : (void *)&pilot};
    PCS_TRY(auv_track_open(track, c->vehicle, form, c->name, &sim, out));
    pcs_physics physics;
    PCS_TRY(auv_smooth(c->vehicle, method, form, &physics));
    const pcs_status status = auv_run(&sim, &physics, c->x0, track);
    pcs_physics_release(&physics);
    if (end) *end = pilot;
    return status;
}

auv_method auv_chosen(const settings *set)
{
    return (auv_method){.tableau = set->tableau, .h = set->h, .tol = set->tol, .cut = set->cut};
}

pcs_status auv_reference(const auv_case *c, auv_form form, auv_track *track)
{
    *track = (auv_track){0};
    pcs_tableau *gauss;
    PCS_TRY(pcs_tableau_create_gauss(NULL, 4, &gauss));
    const auv_method method = {.tableau = gauss, .h = 0.25 * c->set->h, .cut = true};
    const pcs_status status = auv_case_run(c, &method, form, NULL, track, NULL);
    pcs_tableau_destroy(gauss);
    return status;
}

// the part of a case of which orders are observed
static auv_case beginning(const auv_case *c)
{
    auv_case part = *c;
    part.t_end = fmin(c->t_end, c->set->t_end);
    return part;
}

pcs_status auv_compare(const auv_case *c, auv_check_fn *check, csv *out, checks *list)
{
    const auv_method method = auv_chosen(c->set);
    const auv_case part = beginning(c);
    auv_track track, reference = {0};
    pcs_status status = auv_case_run(c, &method, AUV_QUATERNION, out, &track, NULL);
    if (status == PCS_OK) status = auv_reference(&part, AUV_QUATERNION, &reference);
    if (status == PCS_OK) status = check(c, &track, &reference, list);
    auv_track_close(&track);
    auv_track_close(&reference);
    return status;
}

double auv_balance(const auv_track *track)
{
    double start[2], now[2], worst = 0;
    pcs_vehicle_energy(track->vehicle, auv_row(track, 0), start, start + 1);
    for (int i = 1; i < track->n; ++i) {
        const double *row = auv_row(track, i);
        pcs_vehicle_energy(track->vehicle, row, now, now + 1);
        const double off = now[0] - start[0] + now[1] - start[1] - row[AUV_WORK];
        worst = fmax(worst, fabs(off));
    }
    return worst;
}

int auv_sign_changes(const auv_track *track)
{
    double last[AUV_KINKS] = {0};
    int changes = 0;
    for (int i = 0; i < track->n; ++i) {
        const double *row = auv_row(track, i);
        for (int k = 0; k < AUV_KINKS; ++k) {
            const double now = auv_kink(track->vehicle, row + 3, row + 7, row + AUV_TOLD, k);
            changes += last[k] * now < 0;
            if (now != 0) last[k] = now;
        }
    }
    return changes;
}

const char *auv_not_straight(const pcs_vehicle_def *d)
{
    double CL = NAN, CD, moment[3];
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        moment[i] = d->thruster[j] * d->thrust_axis[k] - d->thruster[k] * d->thrust_axis[j];
        if (d->current[i] != 0) return "there is a current";
    }
    if (d->thrust_axis[1] != 0 || d->thrust_axis[2] != 0 || moment[1] != 0 || moment[2] != 0) {
        return "the thrust is not along the x axis";
    }
    for (int i = 0; i < 2; ++i) {
        if (d->buoyancy * d->r_B[i] != d->weight * d->r_G[i]) return "it has a trim";
    }
    if (pcs_foil_coefficients(&d->foil, 0, &CL, &CD) != PCS_OK || CL != 0) {
        return "the fins lift when centred";
    }
    return NULL;
}

// ---- orders -------------------------------------------------------------------------------------

// rounding errors are about eps times the largest velocity; the limit is ten times that
static double rounding(const auv_track *reference)
{
    double largest = 0;
    for (int i = 0; i < reference->n; ++i) {
        for (int k = 7; k < PCS_VEHICLE_STATE_SIZE; ++k) {
            largest = fmax(largest, fabs(auv_row(reference, i)[k]));
        }
    }
    return 10 * DBL_EPSILON * largest;
}

// The orders of errors above rounding. The order of a single pair of steps varies by some
// hundredths, for where steps are cut is as good as random: three levels.
static void observe(auv_levels *levels, double floor)
{
    double error[MOST_LEVELS];
    int n = 0;
    for (; n < levels->n && levels->error[n].rotation > floor; ++n) {
        error[n] = levels->error[n].rotation;
    }
    const int first = n > 3 ? n - 3 : 0;
    levels->observed = n < 2 ? NAN : study_slope(n - first, levels->h + first, error + first);
    levels->slope = n < 2 ? NAN : study_slope(n, levels->h, error);
}

pcs_status auv_study(const auv_case *c, const pcs_tableau *tableau, const auv_track *reference,
                     auv_levels *out)
{
    *out = (auv_levels){.n = c->set->study + 1, .order = tableau->order};
    const auv_case part = beginning(c);
    printf("\n%s by %s: errors and orders\n%12s %12s %12s %12s %8s %14s\n", c->name, tableau->name,
           "h (s)", "X (m)", "(Q, nu)", "(v, w, om.)", "order", "balance (J)");
    for (int k = 0; k < out->n; ++k) {
        out->h[k] = c->set->h / (1 << k);
        const auv_method method = {.tableau = tableau, .h = out->h[k], .cut = c->set->cut};
        auv_track track;
        const pcs_status status = auv_case_run(&part, &method, AUV_QUATERNION, NULL, &track, NULL);
        if (status == PCS_OK) {
            out->error[k] = auv_distance(&track, reference, reference->n);
            out->balance[k] = auv_balance(&track);
        }
        auv_track_close(&track);
        PCS_TRY(status);
        const auv_apart *e = &out->error[k];
        const double order = k > 0 ? log2(e[-1].rotation / e->rotation) : NAN;
        printf("%12.6g %12.3e %12.3e %12.3e ", out->h[k], e->position, e->rest, e->rotation);
        if (k > 0) printf("%8.3f", order);
        printf("%*s %14.3e\n", k > 0 ? 0 : 8, "", out->balance[k]);
    }
    observe(out, c->table ? rounding(reference) : 1e-11);
    return PCS_OK;
}

void auv_check_levels(const auv_case *c, const auv_levels *levels, const auv_track *reference,
                      const char *method, checks *list)
{
    char name[80];
    const int last = levels->n - 1;
    snprintf(name, sizeof name, "order of %s", method);
    if (c->set->foil) {
        check_skip(list, name, "the table of the foil has corners");
        return;
    }
    const bool over_kinks = !c->set->cut && auv_sign_changes(reference) > 0;
    if (over_kinks) {
        check_order(list, name, levels->slope, fmin(levels->order, 3) - 0.5);
    } else if (c->table) {
        // coarse steps may fall faster: fins stall and recover at the start
        check_order(list, name, levels->observed, levels->order - c->set->order_within);
    } else {
        // a pilot looks at X, and hands its rounding on, and decides at times when it may just have
        // decided otherwise
        check_order(list, name, levels->slope, levels->order - 0.5);
    }
    if (over_kinks) return;
    if (c->table) {
        int n = levels->n;
        while (n > 2 && levels->balance[n - 1] < 1e-11) {
            --n;
        }
        if (levels->balance[1] < 1e-11) {
            // error at h / 2 that is rounding: at h it is larger by two to the order, of which the
            // balance may have two more than the method
            snprintf(name, sizeof name, "%s: energy balance (J)", method);
            check_value(list, name, levels->balance[0], 0, ldexp(1e-11, levels->order + 3));
            n = 0;
        }
        snprintf(name, sizeof name, "%s: order of the energy balance", method);
        if (n > 0)
            check_order(list, name, study_slope(n, levels->h, levels->balance),
                        levels->order - fmax(0.3, c->set->order_within));
    }
    if (levels->order < 4) return;
    snprintf(name, sizeof name, "%s: error of (Q, nu)", method);
    check_value(list, name, levels->error[last].rest, 0, c->set->reach);
    snprintf(name, sizeof name, "%s: error of X (m)", method);
    check_value(list, name, levels->error[last].position, 0, (c->table ? 1 : 10) * c->set->reach);
}
