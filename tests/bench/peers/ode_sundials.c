// Dormand and Prince's pair of SUNDIALS (ERKStep) on a case of the bench.
#define _POSIX_C_SOURCE 199309L

#include "ode_case.h"

#include "bench.h"

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include <string.h>

typedef struct timed {
    const ode_case *c;
    void *memory;
    N_Vector x;
    double x0[ODE_CASE_MOST];
    bool ok;
} timed;

static int rates(realtype t, N_Vector x, N_Vector f, void *user)
{
    const ode_case *c = user;
    c->rates(t, NV_DATA_S(x), NV_DATA_S(f));
    return 0;
}

static void whole(void *user)
{
    timed *t = user;
    memcpy(NV_DATA_S(t->x), t->x0, (size_t)t->c->n * sizeof(double));
    t->ok = ERKStepReInit(t->memory, rates, 0, t->x) == 0 &&
            ERKStepSetStopTime(t->memory, t->c->t_end) == 0; // cleared when reached
    realtype at = 0;
    t->ok = t->ok && ERKStepEvolve(t->memory, t->c->t_end, t->x, &at, ARK_NORMAL) >= 0;
}

bool ode_peer_run(const ode_case *c, ode_run *r)
{
    SUNContext context;
    if (SUNContext_Create(NULL, &context) != 0) return false;
    timed t = {.c = c};
    c->start(t.x0);
    t.x = N_VNew_Serial(c->n, context);
    memcpy(NV_DATA_S(t.x), t.x0, (size_t)c->n * sizeof(double));
    t.memory = ERKStepCreate(rates, 0, t.x, context);
    ERKStepSetTableNum(t.memory, ARKODE_DORMAND_PRINCE_7_4_5);
    ERKStepSStolerances(t.memory, r->tol, r->tol);
    ERKStepSetUserData(t.memory, (void *)c);
    ERKStepSetMaxNumSteps(t.memory, 1000000);
    whole(&t);
    ERKStepGetNumRhsEvals(t.memory, &r->evaluations);
    ERKStepGetNumSteps(t.memory, &r->steps);
    r->error = ode_case_error(c, NV_DATA_S(t.x));
    r->seconds = bench_run(whole, &t, 9).minimum;
    ERKStepFree(&t.memory);
    N_VDestroy(t.x);
    SUNContext_Free(&context);
    return t.ok;
}
