// At a frozen configuration the impulses p solve 0 <= W p + (1 + e) u _|_ p >= 0, worked out in
// impact_by_hand.c: velocities and loss are those. Momentum and angular momentum are kept, those
// that the ground gave counted, and one contact alone loses (1 - e^2) u^2 / 2W of energy.
//
// By time stepping the contact is seen up to a step away from where it is: velocities and loss are
// those of the first part up to C h. Linear momentum is kept to rounding, energy is accounted for;
// an oblique impact changes the angular momentum by
//     sum_b (x x p + GP x p) + (1 - theta) h sum_b (v x p + omega x (GP x p)) + O(h^2)
// at q_k: levers move within the step, and spheres that pass each other push along the normal of
// their touch, which at q_k is not that of their centres (the first sum of a free pair).
#include "checks/two_solids_checks.h"

#include "checks/impact_by_hand.h"
#include "study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// the largest |a - b|, b null: of |a|; a NaN is the largest
static double largest(int n, const double *a, const double *b)
{
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        const double d = fabs(a[i] - (b ? b[i] : 0));
        if (d > worst || isnan(d)) worst = d;
    }
    return worst;
}

// ---- impulses

double impulse_of(const snapshot *now)
{
    return sqrt(hand_dot(now->wrench[0], now->wrench[0]));
}

// GP x p of body b at pose q, inertial frame
static void moment_of(const snapshot *now, int b, const double q[7], double moment[3])
{
    pcs_quat_rotate(q + 3, now->wrench[b] + 3, moment);
}

// the sums over the bodies of their impulses p and of x x p + GP x p; zero for a touching free pair
void sum_wrenches(const snapshot *now, const double q[2][7], double P[3], double L[3])
{
    memset(P, 0, 3 * sizeof *P);
    memset(L, 0, 3 * sizeof *L);
    for (int b = 0; b < 2; ++b) {
        double moment[3], lever[3];
        moment_of(now, b, q[b], moment);
        hand_cross(q[b], now->wrench[b], lever);
        for (int i = 0; i < 3; ++i) {
            P[i] += now->wrench[b][i];
            L[i] += lever[i] + moment[i];
        }
    }
}

// ---- the record of a run

// the step of the impact: from `before` to `now`
static void record_impact(record *run, const snapshot *before, const snapshot *now)
{
    double P[3], L[3];
    sum_wrenches(now, before->q, P, L);
    run->struck = true;
    run->loss = before->kinetic - now->kinetic;
    memcpy(run->after, now->v, sizeof run->after);
    for (int i = 0; i < 3; ++i) {
        run->jump[i] = now->L[i] - before->L[i] - L[i];
        run->predicted[i] = 0;
    }
    for (int b = 0; b < 2; ++b) {
        double moment[3], omega[3], moved[3], turned[3];
        moment_of(now, b, before->q[b], moment);
        pcs_quat_rotate(before->q[b] + 3, before->v[b] + 3, omega);
        hand_cross(before->v[b], now->wrench[b], moved);
        hand_cross(omega, moment, turned);
        for (int i = 0; i < 3; ++i) {
            run->predicted[i] += (1 - run->theta) * run->h * (moved[i] + turned[i]);
        }
    }
}

void record_add(record *run, const snapshot *now, const pcs_step_report *report)
{
    const snapshot before = run->now;
    run->now = *now;
    if (!report) return;

    double P[3], L[3];
    sum_wrenches(now, now->q, P, L);
    for (int i = 0; i < 3; ++i) {
        const double gained = now->P[i] - before.P[i] - (run->s->ground ? P[i] : 0);
        run->leak = fmax(run->leak, fabs(gained));
    }
    run->closure = fmax(run->closure, fabs(report->energy.closure));
    if (impulse_of(now) > 0 && !run->struck) record_impact(run, &before, now);
}

// ---- impact at frozen configuration

void impact_head(void)
{
    printf("\nImpact at frozen configuration, beside an LCP worked out by hand\n"
           "%-11s %8s %12s %12s %12s %12s %9s %9s %9s\n",
           "scene", "contacts", "impulse", "by hand", "energy lost", "by hand", "d veloc.",
           "d moment.", "d ang.m.");
}

void check_impact(checks *c, const settings *set, const scene *s, const snapshot *before,
                  const snapshot *after, pcs_outcome outcome)
{
    c->context = solids_name[s->kind];
    hand_result hand;
    check_that(c, "an LCP by hand", hand_impact(s->body, s->n, s->contact, set->e, &hand),
               "solved");

    // the momentum gained by the bodies is the impulse of the ground
    double p[3], m[3], P1[3], L1[3], sum = 0;
    sum_wrenches(after, after->q, p, m);
    for (int i = 0; i < 3; ++i) {
        P1[i] = after->P[i] - (s->ground ? p[i] : 0);
        L1[i] = after->L[i] - (s->ground ? m[i] : 0);
    }
    for (int i = 0; i < s->n; ++i) {
        sum += hand.p[i];
    }
    const double impulse = impulse_of(after), loss = before->kinetic - after->kinetic;
    const double speed = largest(12, before->v[0], NULL), mass = s->body[0].mass + s->body[1].mass;
    const double dv = largest(12, after->v[0], hand.v[0]);
    const double dP = largest(3, P1, before->P), dL = largest(3, L1, before->L);
    printf("%-11s %8d %12.9f %12.9f %12.9f %12.9f %9.1e %9.1e %9.1e\n", solids_name[s->kind],
           after->contacts, impulse, sum, loss, hand.loss, dv, dP, dL);
    check_value(c, "outcome of pcs_impact", outcome, PCS_OUTCOME_CONVERGED, 0);
    check_value(c, "velocities after", dv, 0, 1e-12 * speed);
    check_value(c, "impulse", impulse, sum, 1e-12 * mass * speed);
    check_value(c, "momentum", dP, 0, 1e-12 * mass * speed);
    check_value(c, "angular momentum", dL, 0, 1e-12 * mass * speed);
    check_value(c, "energy lost", loss, hand.loss, 1e-12 * before->kinetic);
    if (s->n == 1 && hand.u[0] < 0) {
        const double u = hand.u[0], W = hand.W[0][0];
        check_value(c, "(1 - e^2) u^2 / 2W", loss, (1 - set->e * set->e) * u * u / (2 * W),
                    1e-12 * before->kinetic);
    }
}

// ---- time stepping

void stepping_head(const settings *set)
{
    printf("\nTime stepping, h = %g s, theta = %g; orders over %d halvings\n"
           "%-11s %9s %9s %9s %6s %11s %11s %9s %6s %9s %9s\n",
           set->run.h, set->run.scheme.theta, set->study, "scene", "lost", "by hand", "d veloc.",
           "order", "d ang.mom.", "predicted", "beyond", "order", "d moment.", "d energy");
}

bool worth_stepping(checks *c, const settings *set, const scene *s)
{
    hand_result hand;
    if (!hand_impact(s->body, s->n, s->contact, set->e, &hand)) return false;
    if (largest(s->n, hand.p, NULL) > 0) return true;
    c->context = solids_name[s->kind];
    check_skip(c, "time stepping", "the solids do not approach each other");
    return false;
}

enum { PHASES = 8 };

// the order at which an error goes to zero with h, over the levels where it is more than rounding;
// infinite where there are not even two of them
static double order_of(int n, const double *h, const double *error, double rounding)
{
    int above = 0;
    while (above < n && error[above] > rounding) {
        ++above;
    }
    return above < 2 ? INFINITY : study_slope(above, h, error);
}

static void print_order(double order)
{
    if (isinf(order)) {
        printf(" %6s", "exact");
    } else {
        printf(" %6.2f", order);
    }
}

pcs_status check_stepping(checks *c, const settings *set, const scene *s, const record *run,
                          pcs_outcome outcome, run_fn simulate)
{
    c->context = solids_name[s->kind];
    hand_result hand;
    hand_impact(s->body, s->n, s->contact, set->e, &hand);
    check_value(c, "outcome of the run", outcome, PCS_OUTCOME_CONVERGED, 0);
    if (!check_that(c, "an impact", run->struck, "seen")) return PCS_OK;

    // errors over halvings: of the velocities, and of the jump beyond its prediction. They depend
    // on when the touch comes within a step: take the root mean square over all such phases
    double h[MOST_HALVINGS + 1], dv[MOST_HALVINGS + 1], dL[MOST_HALVINGS + 1];
    const int levels = set->study + 1;
    for (int j = 0; j < levels; ++j) {
        h[j] = ldexp(set->run.h, -j);
        dv[j] = dL[j] = 0;
        for (int i = 0; i < PHASES; ++i) {
            record one;
            csv none = {0};
            pcs_run_report report;
            const double before = set->hit + (i + 0.5) / PHASES * h[j];
            PCS_TRY(simulate(set, s, h[j], before, true, &none, &one, &report));
            const double v = largest(12, one.after[0], hand.v[0]);
            const double L = largest(3, one.jump, one.predicted);
            dv[j] += v * v / PHASES;
            dL[j] += L * L / PHASES;
        }
        dv[j] = sqrt(dv[j]);
        dL[j] = sqrt(dL[j]);
    }
    const double speed = largest(12, hand.v[0], NULL), mass = s->body[0].mass + s->body[1].mass;
    const double order_v = order_of(levels, h, dv, 1e-11 * speed);
    const double order_L = order_of(levels, h, dL, 5e-12 * mass * speed);

    printf("%-11s %9.6f %9.6f %9.1e", solids_name[s->kind], run->loss, hand.loss, dv[0]);
    print_order(order_v);
    printf(" %11.4e %11.4e %9.1e", sqrt(hand_dot(run->jump, run->jump)),
           sqrt(hand_dot(run->predicted, run->predicted)), dL[0]);
    print_order(order_L);
    printf(" %9.1e %9.1e\n", run->leak, run->closure);

    check_value(c, "momentum of every step", run->leak, 0, 1e-13 * mass * speed);
    check_value(c, "energy of every step", run->closure, 0, 1e-13 * mass * speed * speed);

    // 1 and 2, less what coarse steps hide: a motion may be fast for them
    if (levels < 3) return PCS_OK;
    check_order(c, "order of the velocities", order_v, levels < 5 ? 0.6 : 0.8);
    if (set->run.scheme.projection != PCS_PROJECTION_NONE) return PCS_OK;
    check_order(c, "order of the angular momentum", order_L, 1.6);
    return PCS_OK;
}
