// ODE as an engine of bench_scenes: quickstep with a number of iterations, all other settings at
// their defaults, friction by boxes that follow the normal force, no restitution. Bodies never
// sleep.
#include <ode/ode.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../engine.h"

enum { MOST_CONTACTS = 8 }; // per pair

typedef struct world {
    dWorldID world;
    dSpaceID space;
    dJointGroupID joints;
    dBodyID *body; // null where fixed
    const rigid *at;
    int n, contacts, iterations;
    double mu;
} world;

static int worlds;

static void destroy(void *self)
{
    world *w = self;
    if (!w) return;
    dJointGroupDestroy(w->joints);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    free(w->body);
    free(w);
    if (--worlds == 0) dCloseODE();
}

static void add_body(world *w, int i, const rigid *b)
{
    const dGeomID geom = b->radius > 0
                             ? dCreateSphere(w->space, b->radius)
                             : dCreateBox(w->space, 2 * b->half[0], 2 * b->half[1], 2 * b->half[2]);
    if (b->fixed) {
        dGeomSetPosition(geom, b->position[0], b->position[1], b->position[2]);
        dGeomSetQuaternion(geom, b->orientation);
        return;
    }
    dMass mass;
    dMassSetZero(&mass);
    dMassSetParameters(&mass, b->mass, 0, 0, 0, b->inertia[0], b->inertia[1], b->inertia[2], 0, 0,
                       0);
    w->body[i] = dBodyCreate(w->world);
    dBodySetMass(w->body[i], &mass);
    dGeomSetBody(geom, w->body[i]);
}

// inertial from body axes, or back
static void turn(const double *Q, bool back, const double a[3], double out[3])
{
    const double s = back ? -1 : 1, x = s * Q[1], y = s * Q[2], z = s * Q[3];
    const double t[3] = {2 * (y * a[2] - z * a[1]), 2 * (z * a[0] - x * a[2]),
                         2 * (x * a[1] - y * a[0])};
    out[0] = a[0] + Q[0] * t[0] + y * t[2] - z * t[1];
    out[1] = a[1] + Q[0] * t[1] + z * t[0] - x * t[2];
    out[2] = a[2] + Q[0] * t[2] + x * t[1] - y * t[0];
}

static void place(dBodyID b, const double *q, const double *v)
{
    double omega[3];
    turn(q + 3, false, v + 3, omega);
    dBodySetPosition(b, q[0], q[1], q[2]);
    dBodySetQuaternion(b, q + 3);
    dBodySetLinearVel(b, v[0], v[1], v[2]);
    dBodySetAngularVel(b, omega[0], omega[1], omega[2]);
}

static void *create(const bodies *s, int iterations)
{
    if (!dCheckConfiguration("ODE_double_precision")) {
        fprintf(stderr, "ode: built in single precision\n");
        return NULL;
    }
    world *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    if (worlds++ == 0) dInitODE2(0);
    w->n = s->n;
    w->at = s->body;
    w->mu = s->mu;
    w->iterations = iterations;
    w->world = dWorldCreate();
    w->space = dHashSpaceCreate(NULL);
    w->joints = dJointGroupCreate(0);
    w->body = calloc((size_t)s->n, sizeof *w->body);
    if (!w->body) {
        destroy(w);
        return NULL;
    }
    dWorldSetGravity(w->world, s->gravity[0], s->gravity[1], s->gravity[2]);
    dWorldSetQuickStepNumIterations(w->world, iterations);
    dWorldSetAutoDisableFlag(w->world, 0);
    for (int k = 0; k < s->planes; ++k) {
        dCreatePlane(w->space, s->plane[k][0], s->plane[k][1], s->plane[k][2], s->plane[k][3]);
    }
    for (int i = 0; i < s->n; ++i) {
        const rigid *b = &s->body[i];
        add_body(w, i, b);
        if (b->fixed) continue;
        double q[7], v[6];
        memcpy(q, b->position, sizeof b->position);
        memcpy(q + 3, b->orientation, sizeof b->orientation);
        memcpy(v, b->velocity, sizeof b->velocity);
        memcpy(v + 3, b->omega, sizeof b->omega);
        place(w->body[i], q, v);
    }
    return w;
}

static void touch(void *self, dGeomID a, dGeomID b)
{
    world *w = self;
    const dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
    if (!first && !second) return;
    dContact c[MOST_CONTACTS];
    const int n = dCollide(a, b, MOST_CONTACTS, &c[0].geom, sizeof *c);
    for (int i = 0; i < n; ++i) {
        memset(&c[i].surface, 0, sizeof c[i].surface);
        c[i].surface.mode = dContactApprox1;
        c[i].surface.mu = w->mu;
        dJointAttach(dJointCreateContact(w->world, w->joints, &c[i]), first, second);
    }
    w->contacts += n;
}

static bool step(void *self, double h, engine_step *out)
{
    world *w = self;
    *out = (engine_step){.iterations = w->iterations, .residual = NAN, .good = true, .words = ""};
    w->contacts = 0;
    dSpaceCollide(w->space, w, touch);
    const int done = dWorldQuickStep(w->world, h);
    dJointGroupEmpty(w->joints);
    out->contacts = out->active = w->contacts;
    if (!done) fprintf(stderr, "ode: a step failed\n");
    return done != 0;
}

static void read(void *self, double *q, double *v)
{
    const world *w = self;
    for (int i = 0; i < w->n; ++i) {
        double *qi = q + 7 * (size_t)i, *vi = v + 6 * (size_t)i;
        memset(vi, 0, 6 * sizeof *vi);
        if (!w->body[i]) {
            memcpy(qi, w->at[i].position, 3 * sizeof *qi);
            memcpy(qi + 3, w->at[i].orientation, 4 * sizeof *qi);
            continue;
        }
        memcpy(qi, dBodyGetPosition(w->body[i]), 3 * sizeof *qi);
        memcpy(qi + 3, dBodyGetQuaternion(w->body[i]), 4 * sizeof *qi);
        memcpy(vi, dBodyGetLinearVel(w->body[i]), 3 * sizeof *vi);
        turn(qi + 3, true, dBodyGetAngularVel(w->body[i]), vi + 3);
    }
}

static void write(void *self, const double *q, const double *v)
{
    const world *w = self;
    for (int i = 0; i < w->n; ++i) {
        if (w->body[i]) place(w->body[i], q + 7 * (size_t)i, v + 6 * (size_t)i);
    }
}

// the engine with this number of iterations
#define ENGINE(count)                                                     \
    static void *create_##count(const bodies *s, const engine_options *o) \
    {                                                                     \
        (void)o;                                                          \
        return create(s, count);                                          \
    }                                                                     \
    const engine engine_ode_##count = {.name = "ode-" #count,             \
                                       .iterations = count,               \
                                       .create = create_##count,          \
                                       .destroy = destroy,                \
                                       .step = step,                      \
                                       .read = read,                      \
                                       .write = write};

ENGINE(20)
ENGINE(100)
