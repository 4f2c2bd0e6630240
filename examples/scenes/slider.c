// A body on a plane with friction: the model, and the quantities observed.
#include "scenes/slider.h"

#include <math.h>
#include <string.h>

const char *const slider_status[] = {"open", "sticks", "slides", "undecided"};

args slider_args(slider_def *def, double least, double most, const char *about, const char *table)
{
    args a = {.about = about, .table = table};
    args_positive(&a, "--mass", &def->mass, 1000, "kg", "mass of the body");
    args_positive(&a, "--radius", &def->radius, 10, "m", "radius of a ball");
    args_real(&a, "--mu", &def->mu, least, most, "", "friction");
    return a;
}

// the axes of the plane, columns, and the same as a quaternion: a turn about y
static void plane_axes(double slope, double axes[9], double Q[4])
{
    const double c = cos(slope), s = sin(slope);
    memcpy(axes, (const double[9]){c, 0, -s, 0, 1, 0, s, 0, c}, 9 * sizeof *axes);
    memcpy(Q, (const double[4]){cos(slope / 2), 0, sin(slope / 2), 0}, 4 * sizeof *Q);
}

static void to_space(const double axes[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = axes[i] * x[0] + axes[i + 3] * x[1] + axes[i + 6] * x[2];
    }
}

static void to_plane(const double axes[9], const double x[3], double out[3])
{
    for (int i = 0; i < 3; ++i) {
        out[i] = axes[3 * i] * x[0] + axes[3 * i + 1] * x[1] + axes[3 * i + 2] * x[2];
    }
}

// position of the body at the start, inertial
static void start_of(const slider_def *def, const double axes[9], double x[3])
{
    const double height = def->ball ? def->radius : def->size[2] / 2;
    to_space(axes, (const double[3]){0, 0, height}, x);
}

pcs_status slider_scene(const slider_def *def, const run_settings *run, pcs_scene **out)
{
    const double *size = def->size;
    pcs_body_def body =
        pcs_body_def_of_inertia(def->ball ? pcs_inertia_sphere(def->mass, def->radius)
                                          : pcs_inertia_box(def->mass, size[0], size[1], size[2]));
    double axes[9];
    plane_axes(def->slope, axes, body.orientation);
    start_of(def, axes, body.position);
    to_space(axes, def->v, body.velocity);
    memcpy(body.omega, def->omega, sizeof body.omega);
    const pcs_shape shape =
        def->ball ? pcs_shape_sphere(def->radius) : pcs_shape_box(size[0], size[1], size[2]);
    const pcs_shape plane = pcs_shape_half_space(axes + 6, 0);
    pcs_material rough;
    pcs_system system;
    PCS_TRY(run_scene(run,
                      def->ball        ? "A ball slides on a plane until it rolls."
                      : def->slope > 0 ? "A box slides down a slope."
                                       : "A box slides over a plane.",
                      out));
    pcs_model *model = (*out)->model;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = def->mu}, &rough));
    PCS_TRY(pcs_model_add_body(model, &body, &system));
    PCS_TRY(pcs_model_add_shape(model, system, &shape, rough));
    return pcs_model_add_shape(model, (pcs_system){0}, &plane, rough);
}

pcs_status slider_open(const slider_def *def, const run_settings *run, slider *s)
{
    double Q[4];
    *s = (slider){0};
    plane_axes(def->slope, s->axes, Q);
    start_of(def, s->axes, s->start);
    PCS_TRY(slider_scene(def, run, &s->s.scene));
    return simulation_start(&s->s, 1);
}

void slider_close(slider *s)
{
    simulation_close(&s->s);
}

pcs_status slider_step(slider *s, double h)
{
    pcs_step_report report;
    PCS_TRY(pcs_step(s->s.scene->model, s->s.state, s->s.work, h, &report));
    s->outcome = report.outcome;
    s->tangential += report.energy.tangential;
    s->closure = fmax(s->closure, fabs(report.energy.closure));
    return PCS_OK;
}

pcs_status slider_look(const slider *s, slider_view *out)
{
    const double *q = s->s.state->q;
    const double *v = s->s.state->v;
    double moved[3], omega[3];
    for (int i = 0; i < 3; ++i) {
        moved[i] = q[i] - s->start[i];
    }
    out->t = s->s.state->t;
    to_plane(s->axes, moved, out->x);
    to_plane(s->axes, v, out->v);
    pcs_quat_rotate(q + 3, v + 3, omega);
    to_plane(s->axes, omega, out->omega);

    const pcs_contact *c;
    PCS_TRY(pcs_work_contacts(s->s.work, &out->contacts, &c));
    out->status = out->contacts > 0 ? c[0].status : PCS_CONTACT_OPEN;
    for (int i = 1; i < out->contacts; ++i) {
        if (c[i].status != out->status) out->status = PCS_CONTACT_UNDECIDED;
    }
    return PCS_OK;
}
