// A body on a plane with friction: the model, and the quantities observed.
#include "scenes/slider.h"

#include <math.h>
#include <string.h>

const char *const slider_status[] = {"open", "sticks", "slides", "undecided"};

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

static pcs_status add_body(const slider_def *def, pcs_material material, slider *s)
{
    pcs_body_def body = pcs_body_def_default();
    const double height = def->ball ? def->radius : def->size[2] / 2;
    plane_axes(def->slope, s->axes, body.orientation);
    to_space(s->axes, (const double[3]){0, 0, height}, s->start);
    to_space(s->axes, def->v, body.velocity);
    memcpy(body.position, s->start, sizeof s->start);
    memcpy(body.omega, def->omega, sizeof body.omega);
    body.mass = def->mass;
    pcs_shape shape;
    if (def->ball) {
        pcs_inertia_sphere(def->mass, def->radius, body.inertia);
        shape = pcs_shape_sphere(def->radius);
    } else {
        pcs_inertia_box(def->mass, def->size[0], def->size[1], def->size[2], body.inertia);
        shape = pcs_shape_box(def->size[0], def->size[1], def->size[2]);
    }
    PCS_TRY(pcs_model_add_body(s->s.model, &body, &s->body));
    return pcs_model_add_shape(s->s.model, s->body, &shape, material);
}

pcs_status slider_open(const slider_def *def, const pcs_scheme *scheme, slider *s)
{
    *s = (slider){0};
    PCS_TRY(pcs_model_create(NULL, &s->s.model));
    PCS_TRY(pcs_model_set_gravity(s->s.model, (const double[3]){0, 0, -def->gravity}));
    PCS_TRY(pcs_model_set_scheme(s->s.model, scheme));
    pcs_material material;
    PCS_TRY(pcs_model_add_material(s->s.model, &(pcs_material_def){.mu = def->mu}, &material));
    PCS_TRY(add_body(def, material, s));
    const pcs_shape plane = pcs_shape_half_space(s->axes + 6, 0);
    PCS_TRY(pcs_model_add_shape(s->s.model, (pcs_system){0}, &plane, material));
    return simulation_start(&s->s, 1);
}

void slider_close(slider *s)
{
    simulation_close(&s->s);
}

pcs_status slider_step(slider *s, double h)
{
    pcs_step_report report;
    PCS_TRY(pcs_step(s->s.model, s->s.state, s->s.work, h, &report));
    s->outcome = report.outcome;
    s->tangential += report.energy.tangential;
    s->closure = fmax(s->closure, fabs(report.energy.closure));
    return PCS_OK;
}

pcs_status slider_look(const slider *s, slider_view *out)
{
    const double *q = pcs_state_q(s->s.model, s->s.state, s->body);
    const double *v = pcs_state_v(s->s.model, s->s.state, s->body);
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
