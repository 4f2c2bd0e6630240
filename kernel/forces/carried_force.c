// Elements on bodies that Lagrangian systems carry. Between the poses they act as between any two
// bodies; with (dx/dt, omega) = B v of a carried body its carrier gets
//
//     F = B^T F_body.
//
// Two bodies of one carrier are one side of the element: that of the carrier.
#include "forces/forces.h"

#include <string.h>

#include "linalg/bsr.h"
#include "model/carried.h"

static int carrier_width(const pcs_model *m, int system)
{
    const int carrier = system < 0 ? 0 : m->system[system].carrier.id;
    return carrier > 0 ? m->system[carrier - 1].nv : 0;
}

// velocities of a side between poses
static int pose_width(const pcs_model *m, int system)
{
    if (system < 0) return 0;
    return m->system[system].kind == SYSTEM_LAGRANGIAN ? m->system[system].nv : BODY_NV;
}

// numbers of a pose and a velocity
enum { POSED = BODY_NQ + BODY_NV };

size_t force_room(const pcs_model *m, const model_force *f)
{
    if (!f->carried) return 0;
    size_t room = 2 * POSED;
    for (int e = 0; e < 2; ++e) {
        room += 7 * (size_t)carrier_width(m, f->pose[e]) + 2 * (size_t)pose_width(m, f->pose[e]);
    }
    return room;
}

int force_side_of_end(const model_force *f, int e)
{
    return f->system[e] < 0 && f->pose[e] >= 0 ? 0 : e;
}

pcs_status force_posed(const pcs_model *m, const model_force *f, const force_side side[2],
                       double *room, force_side posed[2], double **B)
{
    double *next = room + 2 * POSED;
    for (int e = 0; e < 2; ++e) {
        const force_side *by = &side[force_side_of_end(f, e)];
        const int n = carrier_width(m, f->pose[e]);
        double *q = room + POSED * e, *v = q + BODY_NQ;
        posed[e] = f->pose[e] < 0 ? (force_side){NULL, NULL, 0} : *by;
        B[e] = NULL;
        if (n == 0) continue;
        const model_system *s = &m->system[f->pose[e]];
        B[e] = next;
        next += 7 * (size_t)n;
        PCS_TRY(carried_pose(s, by->q, q));
        PCS_TRY(carried_rows(s, n, by->q, B[e] + 6 * (size_t)n, B[e]));
        memset(v, 0, BODY_NV * sizeof *v);
        block_addmul(6, n, B[e], by->v, v);
        posed[e] = (force_side){q, v, BODY_NV};
    }
    return PCS_OK;
}

// adds B^T F, or F where B is null
static void add_back(int n, const double *B, const double *F, double *to)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; B && k < 6; ++k) {
            to[i] += B[k + 6 * (size_t)i] * F[k];
        }
        if (!B) to[i] += F[i];
    }
}

pcs_status carried_evaluate(const pcs_model *m, const model_force *f, double t,
                            const force_side side[2], force_sum F, double *V)
{
    const size_t N = (size_t)side[0].n + (size_t)side[1].n;
    force_side posed[2];
    double *B[2];
    PCS_TRY(force_posed(m, f, side, F.room, posed, B));
    const int Np = posed[0].n + posed[1].n;
    double *G = F.room + force_room(m, f) - 2 * (size_t)Np;
    const force_sum of = {G, G + Np, NULL};
    PCS_TRY(force_between(m, f, t, posed, of, V));
    memset(F.conservative, 0, N * sizeof *G);
    memset(F.other, 0, N * sizeof *G);
    for (int e = 0, at = 0; e < 2; at += posed[e].n, ++e) {
        const int to = force_side_of_end(f, e),
                  n = B[e] ? carrier_width(m, f->pose[e]) : posed[e].n;
        const int from = to == 0 ? 0 : side[0].n;
        add_back(n, B[e], of.conservative + at, F.conservative + from);
        add_back(n, B[e], of.other + at, F.other + from);
    }
    return PCS_OK;
}
