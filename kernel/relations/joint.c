// Relations: the calls of their callbacks, and the built-in ones.
//
//     distance     g = |P1 - P2| - l      data: p1, p2, l
//     rope         g = l - |P1 - P2|      data: p1, p2, l
//     ball joint   g = P1 - P2            data: p1, p2
//     linear       g = c . q + b          data: n, c, and b behind it
#include "relations/joint.h"

#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "relations/contact.h"
#include "relations/joint_kinds.h"
#include "rotation/rotation.h"

#define MAX_LINEAR 7

static int distance_gradient(void *user, const double *q1, const double *q2, double *C1,
                             double *C2);

// ---- callbacks ------------------------------------------------------------------------------------

static void *user_of(const pcs_relation *relation)
{
    return relation->has_data ? (void *)relation->data : relation->user;
}

static bool usable(const pcs_relation *relation)
{
    return relation && relation->dim >= 1 && relation->gap && relation->gradient;
}

// shows entries that the callback does not write
static void unset(double *x, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        x[i] = NAN;
    }
}

pcs_status pcs_relation_gap(const pcs_relation *relation, const double *q1, const double *q2,
                            double *g)
{
    if (!usable(relation) || !q1 || !g) {
        return pcs_fail(PCS_ERR_ARG, "pcs_relation_gap: a relation needs dim >= 1 and both "
                                     "callbacks; q1 and g must not be null");
    }
    const size_t dim = (size_t)relation->dim;
    unset(g, dim);
    const int answer = relation->gap(user_of(relation), q1, q2, g);
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK, "pcs_relation_gap: the gap callback returned %d", answer);
    }
    if (!pcs_all_finite(g, dim)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "pcs_relation_gap: the gap callback left one of its %d entries unset"
                              " or not finite",
                              relation->dim);
    }
    return PCS_OK;
}

pcs_status pcs_relation_gradient(const pcs_relation *relation, int nq1, const double *q1, int nq2,
                                 const double *q2, double *C1, double *C2)
{
    if (!usable(relation) || nq1 < 1 || !q1 || !C1 || !q2 != !C2 || (q2 && nq2 < 1)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_relation_gradient: a relation needs dim >= 1 and both "
                                     "callbacks; q1 and C1 must not be null, q2 and C2 both or "
                                     "neither");
    }
    const size_t n1 = (size_t)relation->dim * (size_t)nq1;
    const size_t n2 = q2 ? (size_t)relation->dim * (size_t)nq2 : 0;
    memset(C1, 0, n1 * sizeof *C1);
    if (C2) memset(C2, 0, n2 * sizeof *C2);
    const int answer = relation->gradient(user_of(relation), q1, q2, C1, C2);
    if (answer != 0 && relation->gradient == distance_gradient) {
        return pcs_fail_range(
            PCS_ERR_CALLBACK,
            "pcs_relation_gradient: the two points of a distance joint are at the same place, "
            "where the distance has no gradient; keep them apart");
    }
    if (answer != 0) {
        return pcs_fail(PCS_ERR_CALLBACK,
                        "pcs_relation_gradient: the gradient callback returned %d", answer);
    }
    if (!pcs_all_finite(C1, n1) || !pcs_all_finite(C2, n2)) {
        return pcs_fail_range(PCS_ERR_CALLBACK,
                              "pcs_relation_gradient: one of the %d x (%d + %d) entries of the"
                              " gradient callback is not finite",
                              relation->dim, nq1, q2 ? nq2 : 0);
    }
    return PCS_OK;
}

// ---- time ---------------------------------------------------------------------------------------

pcs_status pcs_time_function_at(const pcs_time_function *f, double t, double *value, double *slope)
{
    double own, *df = slope ? slope : &own;
    if (!f || !value) return pcs_fail(PCS_ERR_ARG, "pcs_time_function_at: an argument is null");
    if (!f->fn) {
        const double angle = f->frequency * t + f->phase;
        *value = f->offset + f->rate * t + f->amplitude * sin(angle);
        *df = f->rate + f->amplitude * f->frequency * cos(angle);
        return PCS_OK;
    }
    *value = *df = NAN;
    const int answer = f->fn(f->user, t, value, df);
    if (answer == 0 && isfinite(*value) && isfinite(*df)) return PCS_OK;
    return pcs_fail(PCS_ERR_CALLBACK,
                    "the callback of a function of time returned %d, with f = %g and df/dt = %g at"
                    " t = %g s",
                    answer, *value, *df, t);
}

bool time_is_zero(const pcs_time_function *f)
{
    return !f->fn && f->offset == 0 && f->rate == 0 && f->amplitude == 0;
}

bool relation_has_time(const pcs_relation *relation)
{
    return relation->timed || !time_is_zero(&relation->time);
}

static pcs_status check_time(const pcs_relation *relation)
{
    const pcs_time_function *f = &relation->time;
    const double numbers[] = {f->offset, f->rate, f->amplitude, f->frequency, f->phase};
    if (!pcs_all_finite(numbers, 5)) {
        return pcs_fail(PCS_ERR_ARG, "a function of time has a number that is not finite");
    }
    if (relation->dim == 1 || !relation_has_time(relation)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG,
                    "a relation with %d rows has a function of time; only one row can have it",
                    relation->dim);
}

// ---- two points --------------------------------------------------------------------------------

// the body-fixed point p: its lever GP and its place. In the world both are p
static void point_at(const double *q, const double p[3], double GP[3], double P[3])
{
    for (int i = 0; i < 3; ++i) {
        GP[i] = P[i] = p[i];
    }
    if (!q) return;
    pcs_quat_rotate(q + 3, p, GP);
    v3_along(q, 1, GP, P);
}

static int distance_gap(void *user, const double *q1, const double *q2, double *g)
{
    const double *data = user;
    double GP[3], P1[3], P2[3], N[3];
    point_at(q1, data, GP, P1);
    point_at(q2, data + 3, GP, P2);
    g[0] = apart(P1, P2, N) - data[6];
    return 0;
}

static void distance_row(const double q[7], const double GP[3], const double N[3], double C[7])
{
    double moment[3];
    v3_cross(GP, N, moment);
    for (int i = 0; i < 3; ++i) {
        C[i] = N[i];
    }
    moment_gradient(q + 3, moment, C + 3);
}

static int distance_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    const double *data = user;
    double GP1[3], GP2[3], P1[3], P2[3], N[3];
    point_at(q1, data, GP1, P1);
    point_at(q2, data + 3, GP2, P2);
    if (apart(P1, P2, N) == 0) return 1;

    distance_row(q1, GP1, N, C1);
    if (!C2) return 0;
    const double back[3] = {-N[0], -N[1], -N[2]};
    distance_row(q2, GP2, back, C2);
    return 0;
}

pcs_relation pcs_relation_distance(const double p1[3], const double p2[3], double length)
{
    if (!p1 || !p2) return (pcs_relation){.dim = 1};

    return (pcs_relation){.dim = 1,
                          .gap = distance_gap,
                          .gradient = distance_gradient,
                          .has_data = true,
                          .data = {p1[0], p1[1], p1[2], p2[0], p2[1], p2[2], length}};
}

static int rope_gap(void *user, const double *q1, const double *q2, double *g)
{
    const int answer = distance_gap(user, q1, q2, g);
    g[0] = -g[0];
    return answer;
}

static int rope_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    // when the points coincide a rope is slack, and its row stays zero
    if (distance_gradient(user, q1, q2, C1, C2) != 0) return 0;
    for (int i = 0; i < 7; ++i) {
        C1[i] = -C1[i];
        if (C2) C2[i] = -C2[i];
    }
    return 0;
}

pcs_relation pcs_relation_rope(const double p1[3], const double p2[3], double length)
{
    pcs_relation out = pcs_relation_distance(p1, p2, length);
    if (!out.gap) return out;
    out.gap = rope_gap;
    out.gradient = rope_gradient;
    return out;
}

static int ball_gap(void *user, const double *q1, const double *q2, double *g)
{
    const double *data = user;
    double GP[3], P1[3], P2[3];
    point_at(q1, data, GP, P1);
    point_at(q2, data + 3, GP, P2);
    v3_sub(P1, P2, g);
    return 0;
}

// sign dP/dq, 3 x 7
static void ball_rows(const double q[7], const double p[3], double sign, double C[21])
{
    double GP[3], P[3];
    point_at(q, p, GP, P);
    for (int i = 0; i < 9; ++i) {
        C[i] = i % 4 == 0 ? sign : 0;
    }
    lever_gradient(q + 3, GP, C + 9);
    for (int i = 9; i < 21; ++i) {
        C[i] *= sign;
    }
}

static int ball_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    const double *data = user;
    ball_rows(q1, data, 1, C1);
    if (C2) ball_rows(q2, data + 3, -1, C2);
    return 0;
}

pcs_relation pcs_relation_ball_joint(const double p1[3], const double p2[3])
{
    if (!p1 || !p2) return (pcs_relation){.dim = 3};

    return (pcs_relation){.dim = 3,
                          .gap = ball_gap,
                          .gradient = ball_gradient,
                          .has_data = true,
                          .data = {p1[0], p1[1], p1[2], p2[0], p2[1], p2[2]}};
}

const double *relation_joint_points(const pcs_relation *relation)
{
    return relation->gradient == ball_gradient || joint_holds_points(relation) ? relation->data
                                                                               : NULL;
}

// ---- linear ------------------------------------------------------------------------------------

static int linear_gap(void *user, const double *q1, const double *q2, double *g)
{
    (void)q2;
    const double *data = user, *c = data + 1;
    const int n = (int)data[0];
    g[0] = c[n];
    for (int i = 0; i < n; ++i) {
        g[0] += c[i] * q1[i];
    }
    return 0;
}

static int linear_gradient(void *user, const double *q1, const double *q2, double *C1, double *C2)
{
    (void)q1, (void)q2, (void)C2;
    const double *data = user;
    for (int i = 0; i < (int)data[0]; ++i) {
        C1[i] = data[1 + i];
    }
    return 0;
}

pcs_relation pcs_relation_linear(int n, const double *c, double b)
{
    if (n < 1 || n > MAX_LINEAR || !c) return (pcs_relation){.dim = 1};

    pcs_relation out = {
        .dim = 1, .gap = linear_gap, .gradient = linear_gradient, .has_data = true, .data = {n}};
    for (int i = 0; i < n; ++i) {
        out.data[1 + i] = c[i];
    }
    out.data[1 + n] = b;
    return out;
}

// the second row of a linear contact follows the first: data n, c, b, t
static int linear_contact_gap(void *user, const double *q1, const double *q2, double *g)
{
    const double *data = user;
    const int n = (int)data[0];
    g[1] = 0;
    for (int i = 0; i < n; ++i) {
        g[1] += data[2 + n + i] * q1[i];
    }
    return linear_gap(user, q1, q2, g);
}

static int linear_contact_gradient(void *user, const double *q1, const double *q2, double *C1,
                                   double *C2)
{
    (void)q1, (void)q2, (void)C2;
    const double *data = user;
    const int n = (int)data[0];
    for (int i = 0; i < n; ++i) {
        C1[2 * i] = data[1 + i];
        C1[2 * i + 1] = data[2 + n + i];
    }
    return 0;
}

pcs_relation pcs_relation_linear_contact(int n, const double *c, double b, const double *t)
{
    pcs_relation out = pcs_relation_linear(n, c, b);
    if (!out.gap || !t) return (pcs_relation){.dim = 2};
    out.dim = 2;
    out.gap = linear_contact_gap;
    out.gradient = linear_contact_gradient;
    for (int i = 0; i < n; ++i) {
        out.data[2 + n + i] = t[i];
    }
    return out;
}

static bool is_linear(const pcs_relation *relation)
{
    return relation->gap == linear_gap || relation->gap == linear_contact_gap;
}

pcs_relation_kind pcs_relation_kind_of(const pcs_relation *relation)
{
    if (!relation || !relation->has_data) return PCS_RELATION_USER;
    if (relation->gap == distance_gap) return PCS_RELATION_DISTANCE;
    if (relation->gap == rope_gap) return PCS_RELATION_ROPE;
    if (relation->gap == ball_gap) return PCS_RELATION_BALL_JOINT;
    if (joint_is_coordinate(relation)) return PCS_RELATION_COORDINATE;
    if (joint_is_limits(relation)) return PCS_RELATION_LIMITS;
    if (joint_is(relation)) return PCS_RELATION_JOINT;
    return is_linear(relation) ? PCS_RELATION_LINEAR : PCS_RELATION_USER;
}

// a distance joint or a rope
static bool has_length(const pcs_relation *relation)
{
    return relation->gap == distance_gap || relation->gap == rope_gap;
}

static const char *length_words(const pcs_relation *relation)
{
    return relation->gap == rope_gap ? "rope" : "distance joint";
}

int relation_coordinates(const pcs_relation *relation)
{
    if (is_linear(relation)) return (int)relation->data[0];
    return has_length(relation) || relation->gap == ball_gap || joint_is(relation) ? 7 : 0;
}

bool relation_uses_quaternion(const pcs_relation *relation)
{
    if (!is_linear(relation)) return false;
    const int n = (int)relation->data[0];
    bool any = false;
    for (int i = 3; i < n; ++i) {
        any = any || relation->data[1 + i] != 0 ||
              (relation->dim == 2 && relation->data[2 + n + i] != 0);
    }
    return any;
}

pcs_status relation_check(const pcs_relation *relation)
{
    PCS_TRY(check_time(relation));
    if (joint_is(relation)) return joint_check(relation);
    const double *data = relation->data;
    const bool distance = has_length(relation), linear = is_linear(relation);
    if ((distance || relation->gap == ball_gap) && !pcs_all_finite(data, 6)) {
        return pcs_fail(PCS_ERR_ARG, "%s: a point is not finite",
                        distance ? length_words(relation) : "ball joint");
    }
    if (distance && !(data[6] > 0 && isfinite(data[6]))) {
        return pcs_fail(PCS_ERR_ARG,
                        "%s: the length is %g m; it must be positive and finite (a "
                        "ball joint holds two points together)",
                        length_words(relation), data[6]);
    }
    if (!linear) return PCS_OK;

    const int n = (int)data[0];
    double largest[2] = {0};
    for (int i = 0; i < n; ++i) {
        largest[0] = fmax(largest[0], fabs(data[1 + i]));
        largest[1] = fmax(largest[1], fabs(data[2 + n + i]));
    }
    if (!pcs_all_finite(data + 1, (size_t)(n + 1 + (relation->dim == 2 ? n : 0)))) {
        return pcs_fail(PCS_ERR_ARG, "linear relation: a coefficient or b is not finite");
    }
    if (relation->dim == 2 && largest[1] == 0) {
        return pcs_fail(PCS_ERR_ARG, "linear contact: all coefficients along its surface are zero;"
                                     " without them give a linear relation of one row");
    }
    if (largest[0] == 0) {
        return pcs_fail(PCS_ERR_ARG, "linear relation: all of its coefficients are zero; it moves"
                                     " nothing");
    }
    return PCS_OK;
}

// ---- second derivatives ------------------------------------------------------------------------

// place, velocity and acceleration of the body-fixed point p
static void point_motion(const relation_side *side, const double p[3], double P[3], double V[3],
                         double A[3])
{
    double GP[3];
    point_at(side->q, p, GP, P);
    for (int i = 0; i < 3; ++i) {
        V[i] = A[i] = 0;
    }
    if (!side->q || !side->v) return;

    const double *omega = side->v + 3;
    double turn[3], curve[3], spin[3], inertial[3];
    v3_cross(omega, p, turn);
    pcs_quat_rotate(side->q + 3, turn, inertial);
    v3_along(side->v, 1, inertial, V);
    v3_cross(omega, turn, curve);
    if (side->a) {
        v3_cross(side->a + 3, p, spin);
        v3_along(curve, 1, spin, curve);
        v3_copy(side->a, A);
    }
    pcs_quat_rotate(side->q + 3, curve, inertial);
    v3_along(A, 1, inertial, A);
}

bool relation_convective(const pcs_relation *relation, const relation_side *side1,
                         const relation_side *side2, double *gamma)
{
    if (joint_is(relation)) {
        joint_convective(relation, side1, side2, gamma);
        return true;
    }
    const bool distance = has_length(relation);
    if (!distance && relation->gap != ball_gap) return false;

    double P1[3], V1[3], A1[3], P2[3], V2[3], A2[3], V[3], N[3];
    point_motion(side1, relation->data, P1, V1, A1);
    point_motion(side2, relation->data + 3, P2, V2, A2);
    if (!distance) {
        v3_sub(A1, A2, gamma);
        return true;
    }
    // |D|'' = N . D'' + (|D'|^2 - (N . D')^2) / |D|; a slack rope may have D = 0, and no N then
    const double D = apart(P1, P2, N);
    v3_sub(V1, V2, V);
    v3_sub(A1, A2, A1);
    const double along = v3_dot(N, V);
    gamma[0] = v3_dot(N, A1) + (D > 0 ? (v3_dot(V, V) - along * along) / D : 0);
    if (relation->gap == rope_gap) gamma[0] = -gamma[0];
    return true;
}
