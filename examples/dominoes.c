// A row of dominoes falls: the wave has a constant speed of its own.
//
// For any push, after a few dominoes the front has the speed at which each domino passes on the
// energy of its fall. The only lengths are those of the dominoes, and the only time scale is that
// of gravity: dominoes s times as large make a wave sqrt(s) times as fast, and the scheme with a
// step sqrt(s) times as long gives the same numbers, up to the tolerances.
#include "args.h"
#include "checks/run_checks.h"
#include "example.h"
#include "flags/run_flags.h"
#include "scenes/dominoes_scene.h"
#include "scenes/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DOMINOES = 100 };

typedef struct settings {
    run_settings run;
    dominoes_def def;
    double scale, spread;
} settings;

// the least push with which the first one gets over its edge, or to the next one if that is nearer:
// I w^2 / 2 = m g (rise of the centre), I = 4 m r^2 / 3 about the edge
static double least_push(const settings *set)
{
    const double *s = set->def.size, r = hypot(s[0], s[2]) / 2;
    const double over = atan2(s[0], s[2]), next = asin(set->def.gap / s[2]);
    const double rise = r * cos(over - fmin(over, next)) - s[2] / 2;
    return sqrt(1.5 * set->run.gravity * rise) / r;
}

static void read_flags(settings *set, int argc, char **argv)
{
    *set = (settings){.run = {.h = 0.0005, .t_end = 0.8, .gravity = 9.81, .tol = 1e-6},
                      .def = dominoes_default(),
                      .scale = 4,
                      .spread = 0.03};
    args a = {.about = "A row of dominoes falls: the wave has a constant speed.",
              .table = "write every step of the first run: time, then the tilt of every "
                       "domino (rad)"};
    args_int(&a, "--n", &set->def.n, 9, MOST_DOMINOES, "number of dominoes");
    args_sizes(&a, "--size", set->def.size, 2, "m", "thickness, width, height");
    args_positive(&a, "--gap", &set->def.gap, 2, "m", "distance between two dominoes");
    args_positive(&a, "--density", &set->def.density, 1000, "kg/m^3", "density of a domino");
    args_positive(&a, "--push", &set->def.push, 4, "rad/s",
                  "angular velocity of the first domino, about its lower edge");
    args_real(&a, "--mu", &set->def.mu, 0.05, 2, "", "friction between dominoes");
    args_real(&a, "--mu-floor", &set->def.mu_floor, 0.05, 10, "", "on the floor, at least --mu");
    args_positive(&a, "--scale", &set->scale, 3, "", "factor of the lengths in the second run");
    args_positive(&a, "--spread", &set->spread, 20, "",
                  "relative difference of speed allowed along the row and with the push");
    run_parse(&a, &set->run, RUN_DENSE, argc, argv);
    // measured: the speeds of the last quarters differ by so much
    const double still = 10.0 / (set->def.n * set->def.n);
    if (set->spread < still) {
        args_refuse(
            "--spread must be at least %g: the speed of --n %d dominoes still changes along "
            "the row",
            still, set->def.n);
    }
    const double *s = set->def.size;
    if (!(s[2] > 2 * s[0])) {
        args_refuse("--size takes thickness, width, height; higher than twice the "
                    "thickness");
    }
    if (set->def.gap >= 0.9 * s[2]) {
        args_refuse("they do not reach each other; take a smaller --gap");
    }
    if (set->def.push <= least_push(set)) {
        args_refuse("the first one falls back; take a --push above %g rad/s", least_push(set));
    }
    // a domino falls within some sqrt(height / g)
    const double longest = sqrt(s[2] / set->run.gravity) / 25;
    if (set->run.h > longest) {
        args_refuse("--h is %g s; the front is followed with at most %.3g s", set->run.h, longest);
    }
    run_scheme(&set->run, fmin(s[0], s[1]));
}

// ---- one row ------------------------------------------------------------------------------------

// a run of a row, followed by an observer
typedef struct wave {
    run_tally tally;
    int n;
    double front; // tilt from which a domino counts as passed, half of that at which it tips, rad
    double passed[MOST_DOMINOES]; // when it was
    double tilt[MOST_DOMINOES];   // of every domino at the end of the last step, rad
    csv *out;
} wave;

static int watch(void *user, const pcs_model *model, const pcs_state *state, pcs_work *work,
                 const pcs_step_report *report)
{
    wave *wv = user;
    PCS_TRY(run_tally_step(&wv->tally, model, state, work, report));
    if (!report) return 0;
    const double h = pcs_work_step_size(work);
    for (int i = 0; i < wv->n; ++i) {
        const double now = dominoes_tilt(model, state, i), step = now - wv->tilt[i];
        if (isnan(wv->passed[i]) && now > wv->front) {
            wv->passed[i] = state->t - h * (now - wv->front) / step;
        }
        wv->tilt[i] = now;
    }
    csv_real(wv->out, state->t);
    csv_reals(wv->out, wv->tilt, wv->n);
    csv_end(wv->out);
    return 0;
}

static pcs_status build(const run_settings *run, const dominoes_def *def, pcs_scene **out)
{
    PCS_TRY(run_scene(run, "A row of dominoes falls; the first is pushed.", out));
    return dominoes_build(def, (*out)->model);
}

static pcs_status fall(const settings *set, double scale, double harder, csv *out, wave *wv)
{
    *wv = (wave){
        .n = set->def.n, .front = 0.5 * atan(set->def.size[0] / set->def.size[2]), .out = out};
    for (int i = 0; i < set->def.n; ++i) {
        wv->passed[i] = NAN;
    }
    // lengths s, times sqrt(s), and a tolerance for overlaps that is a length
    run_settings run = set->run;
    run.h *= sqrt(scale);
    run.t_end *= sqrt(scale);
    run.scheme.proj_tol *= scale;
    run.scheme.active_tol *= scale;
    dominoes_def def = dominoes_scaled(&set->def, scale);
    def.push *= harder;

    simulation s = {0};
    pcs_status status = build(&run, &def, &s.scene);
    if (status == PCS_OK) status = simulation_run(&s, run.threads, watch, wv);
    simulation_close(&s);
    return status;
}

// mean speed of the front between two dominoes, m/s
static double speed(const settings *set, double scale, const wave *wv, int from, int to)
{
    return (to - from) * scale * (set->def.size[0] + set->def.gap) /
           (wv->passed[to] - wv->passed[from]);
}

// ---- the table ----------------------------------------------------------------------------------

static void show(const settings *set, const wave *wv, const wave *pushed, const wave *large)
{
    const double pitch = set->def.size[0] + set->def.gap;
    printf("\n%7s %12s %12s %14s %18s\n", "domino", "time", "speed", "pushed harder",
           "larger/sqrt(s)");
    for (int i = 1; i < set->def.n; i += 1 + set->def.n / 20) {
        printf("%7d %12s %12s %14s %18s\n", i + 1, cell_of("%.6f", wv->passed[i]).text,
               cell_of("%.6f", pitch / (wv->passed[i] - wv->passed[i - 1])).text,
               cell_of("%.6f", pitch / (pushed->passed[i] - pushed->passed[i - 1])).text,
               cell_of("%.6f", sqrt(set->scale) * pitch / (large->passed[i] - large->passed[i - 1]))
                   .text);
    }
}

static void check_all(checks *c, const settings *set, const wave *wv, const wave *pushed,
                      const wave *large)
{
    const int n = set->def.n, half = n / 2, last = n - 2;
    const double *s = set->def.size;
    const double weight = set->def.density * s[0] * s[1] * s[2] * set->run.gravity;
    const double v = speed(set, 1, wv, half, last);
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
        least = fmin(least, wv->tilt[i]);
    }
    check_run(c, &wv->tally, &set->run.scheme, 1e-2 * s[0], 1e-4 * n * weight * s[2]);
    check_order(c, "least tilt at the end (rad)", least, atan(s[0] / s[2]));
    check_value(c, "speed in both quarters (m/s)", speed(set, 1, wv, (half + last) / 2, last),
                speed(set, 1, wv, half, (half + last) / 2), set->spread * v);
    check_value(c, "speed, pushed harder (m/s)", speed(set, 1, pushed, half, last), v,
                set->spread * v);
    check_value(c, "speed, larger, over sqrt(s) (m/s)",
                speed(set, set->scale, large, half, last) / sqrt(set->scale), v, 1e-2 * v);
}

static pcs_status run(const void *user, csv *out, checks *c)
{
    const settings *set = user;
    csv none = {0};
    static wave wv, pushed, large;
    PCS_TRY(fall(set, 1, 1, out, &wv));
    PCS_TRY(fall(set, 1, 1.5, &none, &pushed));
    PCS_TRY(fall(set, set->scale, 1, &none, &large));
    const int last = set->def.n - 1;
    if (isnan(wv.passed[last]) || isnan(pushed.passed[last]) || isnan(large.passed[last])) {
        csv_close(out);
        args_refuse("the last one has not begun to fall by --tend %g s; give it longer",
                    set->run.t_end);
    }
    show(set, &wv, &pushed, &large);
    *c = checks_begin();
    check_all(c, set, &wv, &pushed, &large);
    return PCS_OK;
}

static pcs_status first_scene(const void *user, pcs_scene **out)
{
    const settings *set = user;
    return build(&set->run, &set->def, out);
}

int main(int argc, char **argv)
{
    settings set;
    read_flags(&set, argc, argv);

    // one column per domino
    static char header[16 * MOST_DOMINOES] = "t";
    for (int i = 0; i < set.def.n; ++i) {
        const size_t at = strlen(header);
        snprintf(header + at, sizeof header - at, ",tilt%d", i + 1);
    }
    return example_run_scene(first_scene, run, &set, &set.run, header);
}
