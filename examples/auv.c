// An underwater vehicle in the simulator: control, physics and display share only a state record
// and a command record.
//
// The commands come from a table, or from a pilot that keeps a course or passes waypoints. The
// physics is any Runge-Kutta method, or the Moreau-Jean scheme where the vehicle touches the sea
// floor. The display writes the log.
#include "checks/auv_checks.h"
#include "example.h"

#include <string.h>

typedef struct part {
    bool wanted;
    pcs_status (*run)(const settings *, csv *, checks *);
} part;

static pcs_status keep_heading(const settings *set, csv *out, checks *list)
{
    return auv_under_control(set, false, out, list);
}

static pcs_status pass_waypoints(const settings *set, csv *out, checks *list)
{
    return auv_under_control(set, true, out, list);
}

static pcs_status run_all(const settings *set, csv *out, checks *sum)
{
    const int control = set->control;
    const part parts[] = {
        {true, auv_open_loop},
        {control == AUV_HEADING || control == AUV_ALL, keep_heading},
        {control == AUV_WAYPOINTS || control == AUV_ALL, pass_waypoints},
        {set->floor, auv_touch_down},
    };
    for (int i = 0; i < 4; ++i) {
        if (!parts[i].wanted) continue;
        checks list = {0};
        PCS_TRY(parts[i].run(set, out, &list));
        if (sum->failed == 0) memcpy(sum->first, list.first, sizeof sum->first);
        sum->done += list.done;
        sum->failed += list.failed;
    }
    return PCS_OK;
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    c->quiet = false;
    return run_all(set, set->run.csv ? out : NULL, c);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);
    const int code = example_run_scene(auv_dive, run, &set, &set.run, AUV_COLUMNS);
    release_flags(&set);
    return code;
}
