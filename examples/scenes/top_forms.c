// A heavy top about its tip, by a joint, and in Euler angles.
#include "scenes/top_forms.h"

#include <complex.h>
#undef I // a name of moments of inertia elsewhere
#include <math.h>
#include <string.h>

#include "scenes/rotating.h"

const char *top_form_name(top_form form)
{
    static const char *const name[TOP_FORMS] = {"quaternion", "joint", "angles"};
    return name[form];
}

static double about_tip(const heavy_top *top)
{
    return top->J1 + top->mass * top->arm * top->arm;
}

static int lagrangian(void *user, double t, const pcs_complex *q, const pcs_complex *v,
                      pcs_complex *L)
{
    (void)t;
    const heavy_top *top = user;
    const pcs_complex s = csin(q[0]), c = ccos(q[0]), w3 = v[2] + v[1] * c;
    *L = 0.5 * about_tip(top) * (v[0] * v[0] + s * s * v[1] * v[1]) + 0.5 * top->J3 * w3 * w3 -
         top->mass * top->gravity * top->arm * c;
    return 0;
}

static pcs_status open_quaternion(top_system *s, double turn)
{
    const heavy_top *top = &s->top;
    s->body = (quaternion_body){.J = {about_tip(top), about_tip(top), top->J3},
                                .tilting = top->mass * top->gravity * top->arm};
    s->ode = quaternion_body_ode(&s->body);
    s->x0[0] = cos(top->tilt / 2);
    s->x0[2] = sin(top->tilt / 2);
    s->x0[4] = -turn * sin(top->tilt);
    s->x0[6] = top->spin;
    return PCS_OK;
}

static pcs_status open_joint(top_system *s, double turn, const pcs_smooth_def *hold)
{
    PCS_TRY(pcs_scene_create(NULL, &s->joint.scene));
    const pcs_model *model = s->joint.scene->model;
    PCS_TRY(rotating_top(&s->top, 0.1 * s->top.arm, turn, s->joint.scene->model));
    PCS_TRY(pcs_state_create(model, &s->joint.state));
    PCS_TRY(pcs_smooth_create(NULL, model, hold, &s->smooth));
    PCS_TRY(pcs_smooth_ode(s->smooth, &s->ode));
    return pcs_smooth_from_state(s->smooth, s->joint.state, s->x0);
}

static pcs_status open_angles(top_system *s, double turn)
{
    const pcs_lagrange_def def = {.n = 3, .L_complex = lagrangian, .user = &s->top};
    PCS_TRY(pcs_lagrange_create(NULL, &def, &s->lagrange));
    s->x0[0] = s->top.tilt;
    s->x0[4] = turn;
    s->x0[5] = s->top.spin - turn * cos(s->top.tilt);
    return pcs_lagrange_ode(s->lagrange, &s->ode);
}

pcs_status top_open(top_system *s, top_form form, const heavy_top *top, double turn,
                    const pcs_smooth_def *hold)
{
    *s = (top_system){.form = form, .top = *top};
    s->top.floor = false;
    if (form == TOP_QUATERNION) return open_quaternion(s, turn);
    return form == TOP_JOINT ? open_joint(s, turn, hold) : open_angles(s, turn);
}

void top_close(top_system *s)
{
    pcs_smooth_destroy(s->smooth);
    pcs_lagrange_destroy(s->lagrange);
    simulation_close(&s->joint);
    s->smooth = NULL;
    s->lagrange = NULL;
}

// ---- looking

static void attitude(const top_system *s, const double *x, top_look *look)
{
    look->norm = 1;
    if (s->form == TOP_ANGLES) {
        const double a = -x[4] * sin(x[0]), b = x[3], c = cos(x[2]), d = sin(x[2]);
        pcs_quat_from_zyz(x[1], x[0], x[2], look->Q);
        look->omega[0] = a * c + b * d;
        look->omega[1] = b * c - a * d;
        look->omega[2] = x[5] + x[4] * cos(x[0]);
        return;
    }
    const int at = s->form == TOP_JOINT ? 3 : 0, w = s->form == TOP_JOINT ? 10 : 4;
    memcpy(look->Q, x + at, sizeof look->Q);
    memcpy(look->omega, x + w, sizeof look->omega);
    look->norm = pcs_quat_norm(look->Q);
}

top_look top_see(const top_system *s, const double *x)
{
    const heavy_top *top = &s->top;
    const double I1 = about_tip(top);
    top_look look = {0};
    attitude(s, x, &look);
    const double *w = look.omega;
    double L[3], edot[3];
    pcs_quat_rotate(look.Q, (const double[]){0, 0, 1}, look.e);
    pcs_quat_rotate(look.Q, (const double[]){w[1], -w[0], 0}, edot);
    pcs_quat_rotate(look.Q, (const double[]){I1 * w[0], I1 * w[1], top->J3 * w[2]}, L);
    look.udot = edot[2];
    look.p_phi = L[2];
    look.p_psi = top->J3 * w[2];
    look.energy = 0.5 * I1 * (w[0] * w[0] + w[1] * w[1]) + 0.5 * top->J3 * w[2] * w[2] +
                  top->mass * top->gravity * top->arm * look.e[2];
    if (s->form == TOP_JOINT) {
        double off[3], speed[3];
        for (int i = 0; i < 3; ++i) {
            off[i] = x[i] - top->arm * look.e[i];
            speed[i] = x[7 + i] - top->arm * edot[i];
        }
        look.tip = hypot(hypot(off[0], off[1]), off[2]);
        look.tip_speed = hypot(hypot(speed[0], speed[1]), speed[2]);
    }
    return look;
}

pcs_status top_reaction(const top_system *s, double t, const double *x, double F[3])
{
    return pcs_constrained_reactions(pcs_smooth_constrained(s->smooth), t, x, x + 7, F, NULL);
}
