// The vehicle under control: a course that is kept, places that are passed.
#include "checks/auv_checks.h"

#include <math.h>
#include <string.h>

// largest distance from heading and from depth over the last quarter
static void check_course(const settings *set, const auv_track *track, checks *list)
{
    double heading = 0, depth = 0;
    for (int i = 3 * track->n / 4; i < track->n; ++i) {
        const double *x = auv_row(track, i);
        double roll, pitch, yaw;
        pcs_quat_to_zyx(x + 3, &roll, &pitch, &yaw);
        const double off = remainder(yaw - set->pilot.heading, 8 * atan(1));
        heading = fmax(heading, fabs(off));
        depth = fmax(depth, fabs(x[2] - set->pilot.depth));
    }
    check_value(list, "heading off, last quarter (rad)", heading, 0, set->heading_within);
    check_value(list, "depth off, last quarter (m)", depth, 0, set->heading_within);
}

// every place after the one before; the track has a row every period
static void check_places(const settings *set, const auv_track *track, checks *list)
{
    int i = 0;
    for (int p = 0; p < set->pilot.n; ++p) {
        const double *to = set->pilot.point[p];
        double nearest = INFINITY, distance = INFINITY;
        for (; i < track->n && !(distance <= set->pilot.radius); ++i) {
            const double *x = auv_row(track, i);
            distance = sqrt(pow(x[0] - to[0], 2) + pow(x[1] - to[1], 2) + pow(x[2] - to[2], 2));
            nearest = fmin(nearest, distance);
        }
        char name[80];
        if (isinf(nearest)) {
            snprintf(name, sizeof name, "waypoint %d", p + 1);
            check_that(list, name, false, "the run ends before the last one");
            continue;
        }
        snprintf(name, sizeof name, "waypoint %d at %.1f s (m)", p + 1,
                 track->t[i > 0 ? i - 1 : 0]);
        check_value(list, name, nearest, 0, set->pilot.radius);
    }
}

static pcs_status check_all(const auv_case *c, const auv_track *track, const auv_track *reference,
                            checks *list)
{
    auv_levels levels;
    PCS_TRY(auv_study(c, c->set->tableau, reference, &levels));
    *list = checks_begin();
    list->context = c->name;
    if (c->pilot.n > 0) {
        check_places(c->set, track, list);
    } else {
        check_course(c->set, track, list);
    }
    auv_check_levels(c, &levels, reference, c->set->tableau->name, list);
    return PCS_OK;
}

pcs_status auv_under_control(const settings *set, bool waypoints, csv *out, checks *list)
{
    pcs_vehicle *vehicle;
    PCS_TRY(pcs_vehicle_create(NULL, &set->def, &vehicle));
    auv_case c = auv_case_make(set, vehicle, waypoints ? "waypoints" : "heading",
                               waypoints ? set->t_waypoints : set->t_heading);
    c.table = NULL;
    if (!waypoints) c.pilot.n = 0;
    bool found;
    pcs_status status = auv_trim(vehicle, &c.pilot, &found);
    if (status == PCS_OK) status = auv_compare(&c, check_all, out, list);
    pcs_vehicle_destroy(vehicle);
    return status;
}
