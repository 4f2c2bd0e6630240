// Elements with a displacement y of m numbers: torsional springs (m = 1) and bushings (m = 6).
//
// With dy/dt = B v, stress s = K y + D B v and V = 1/2 y^T K y the forces are -B^T s, and V is
// exactly their potential. Derivatives along a motion d (of the poses, and of v):
//
//     -dF = B^T (K B + D dB[v]) d + dB^T[s] d,   and B^T D B of velocities;
//
// dB is taken by central differences, as only it needs them: where B is constant, -dF is exact.
//
// Bushing, A the axes of a frame in inertial components, r = P - G: y = (A1^T (P2 - P1), w) with
// the rotation vector w of A1^T A2, and dw/dt = V(w)^-1 A1^T (R2 omega2 - R1 omega1)
// (rotation/vector.h). Torsion about the axis a of body 1: with the relative rotation S = (s, p) of
// body 2 in the axes of body 1 and n = p . a
//
//     phi = 2 atan2(n, s),   dphi/dt = b . (R1^T R2 omega2 - omega1),
//     b = a + (s c x a + n c) / (s^2 + n^2),   c = p - n a.
#include "forces/forces.h"

#include <float.h>
#include <string.h>

#include "rotation/pose.h"
#include "rotation/vector.h"
#include <percuss/rotation.h>

enum { MOST = 6, WIDTH = 12 }; // rows of B, and its columns: body 1, then body 2

// step of the differences of B, rad or relative to the lever
#define STEP 6e-6

typedef struct strain {
    int m;
    double y[MOST], B[MOST * WIDTH]; // B: m x 12, column-major
} strain;

static void column(const double *A, int from, int to, double sign, const double x[3], strain *out)
{
    // rows from .. from + 2 of column `to` are sign A x
    double y[3];
    m3_mul(A, x, y);
    for (int i = 0; i < 3; ++i) {
        out->B[from + i + out->m * to] = sign * y[i];
    }
}

// R1^T R2 with null poses for the world
static void relative_axes(const double *q1, const double *q2, double R1[9], double R2[9])
{
    static const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    memcpy(R1, unit, sizeof unit);
    memcpy(R2, unit, sizeof unit);
    if (q1) quat_matrix(q1 + 3, R1);
    if (q2) quat_matrix(q2 + 3, R2);
}

static void transpose(const double A[9], double T[9])
{
    for (int i = 0; i < 9; ++i) {
        T[i] = A[3 * (i % 3) + i / 3];
    }
}

// the quaternion of A1^T A2 with frames on poses
static void relative_turn(const double *q1, const double *frame1, const double *q2,
                          const double *frame2, double S[4])
{
    static const double unit[4] = {1, 0, 0, 0};
    double a[4], b[4], back[4];
    pcs_quat_mul(q1 ? q1 + 3 : unit, frame1, a);
    pcs_quat_mul(q2 ? q2 + 3 : unit, frame2, b);
    pcs_quat_conj(a, back);
    pcs_quat_mul(back, b, S);
}

static void bushing(const model_force *f, const double *q1, const double *q2, strain *out)
{
    double R1[9], R2[9], A1[9], A1T[9], P1[3], P2[3], r2[3], d[3], S[4], x[3], e[3];
    *out = (strain){.m = 6};
    relative_axes(q1, q2, R1, R2);
    m3_mul_m3(R1, f->frame, A1);
    transpose(A1, A1T);
    pose_point(q1, f->def.p1, P1);
    pose_point(q2, f->def.p2, P2);
    m3_mul(R2, f->def.p2, r2);
    v3_sub(P2, P1, d);
    m3_mul(A1T, d, out->y);
    relative_turn(q1, f->def.frame1, q2, f->def.frame2, S);
    double *w = out->y + 3, lever[3], back[3];
    pcs_quat_log(S, w);
    v3_sub(P2, q1, lever); // from G1 to P2: a rotation of body 1 moves its axes and P1

    for (int j = 0; j < 3; ++j) {
        const double unit[3] = {j == 0, j == 1, j == 2};
        column(A1T, 0, j, -1, unit, out);
        column(A1T, 0, 6 + j, 1, unit, out);
        v3_cross(R1 + 3 * j, lever, x);
        column(A1T, 0, 3 + j, -1, x, out);
        v3_cross(R2 + 3 * j, r2, x);
        column(A1T, 0, 9 + j, 1, x, out);
        for (int side = 0; side < 2; ++side) {
            m3_mul(A1T, (side == 0 ? R1 : R2) + 3 * j, back);
            vector_V_inverse(w, back, e);
            for (int i = 0; i < 3; ++i) {
                out->B[3 + i + 6 * (3 + j + 6 * side)] = side == 0 ? -e[i] : e[i];
            }
        }
    }
}

static void torsion(const model_force *f, const double *q1, const double *q2, strain *out)
{
    static const double unit[4] = {1, 0, 0, 0};
    double S[4], c[3], b[3], x[3], R1[9], R2[9];
    const double *a = f->axis;
    *out = (strain){.m = 1};
    relative_turn(q1, unit, q2, unit, S);
    if (S[0] < 0) {
        for (int i = 0; i < 4; ++i) {
            S[i] = -S[i];
        }
    }
    const double n = v3_dot(S + 1, a), square = S[0] * S[0] + n * n;
    out->y[0] = 2 * atan2(n, S[0]) - f->def.angle;
    v3_along(S + 1, -n, a, c);
    v3_cross(c, a, x);
    for (int i = 0; i < 3; ++i) {
        // half a turn about an axis across a has no twist
        b[i] = square > 0 ? a[i] + (S[0] * x[i] + n * c[i]) / square : a[i];
    }
    relative_axes(q1, q2, R1, R2);
    m3_mul(R1, b, x);
    for (int j = 0; j < 3; ++j) {
        out->B[3 + j] = -b[j];
        out->B[9 + j] = v3_dot(R2 + 3 * j, x);
    }
}

static void set_strain(const model_force *f, const double *q1, const double *q2, strain *out)
{
    if (f->def.kind == PCS_FORCE_BUSHING) {
        bushing(f, q1, q2, out);
    } else {
        torsion(f, q1, q2, out);
    }
}

// y += (K or D of the element) x
static void add_stress(const model_force *f, bool damping, const double *x, double *y)
{
    if (f->def.kind == PCS_FORCE_TORSION) {
        y[0] += (damping ? f->def.damping : f->def.stiffness) * x[0];
        return;
    }
    const double *A = damping ? f->def.D : f->def.K;
    for (int j = 0; j < 6; ++j) {
        for (int i = 0; i < 6; ++i) {
            y[i] += A[i + 6 * j] * x[j];
        }
    }
}

// the velocities of both sides in the 12 columns of B
static void gather(const force_side side[2], double v[WIDTH])
{
    memset(v, 0, WIDTH * sizeof *v);
    for (int e = 0; e < 2; ++e) {
        if (side[e].n > 0) memcpy(v + 6 * e, side[e].v, 6 * sizeof *v);
    }
}

static void rate_of(const strain *s, const double v[WIDTH], double rate[MOST])
{
    memset(rate, 0, MOST * sizeof *rate);
    for (int j = 0; j < WIDTH; ++j) {
        for (int i = 0; i < s->m; ++i) {
            rate[i] += s->B[i + s->m * j] * v[j];
        }
    }
}

// B^T s of column j
static double product(const strain *s, int j, const double *stress)
{
    double sum = 0;
    for (int i = 0; i < s->m; ++i) {
        sum += s->B[i + s->m * j] * stress[i];
    }
    return sum;
}

// the columns of B that belong to entry k of the forces
static int column_of(const force_side side[2], int k)
{
    return k < side[0].n ? k : 6 + k - side[0].n;
}

void strain_evaluate(const model_force *f, const force_side side[2], force_sum F, double *V,
                     force_measure *out)
{
    strain s;
    double v[WIDTH], rate[MOST], elastic[MOST] = {0}, viscous[MOST] = {0}, energy = 0;
    set_strain(f, side[0].q, side[1].q, &s);
    gather(side, v);
    rate_of(&s, v, rate);
    add_stress(f, false, s.y, elastic);
    add_stress(f, true, rate, viscous);
    for (int k = 0; k < side[0].n + side[1].n; ++k) {
        const int j = column_of(side, k);
        F.conservative[k] = -product(&s, j, elastic);
        F.other[k] = -product(&s, j, viscous);
    }
    for (int i = 0; i < s.m; ++i) {
        energy += 0.5 * s.y[i] * elastic[i];
    }
    if (V) *V = energy;
    if (!out) return;
    *out = (force_measure){0};
    if (s.m == 1) {
        out->length = s.y[0] + f->def.angle;
        out->speed = rate[0];
        out->force = elastic[0] + viscous[0];
        return;
    }
    for (int i = 0; i < 6; ++i) {
        out->strain[i] = s.y[i];
        out->stress[i] = elastic[i] + viscous[i];
    }
}

// K x of column c: what a motion d adds to the stress with B as it is
static void add_direct(const model_force *f, const strain *s, bool damping, int j, double *stress)
{
    add_stress(f, damping, s->B + (size_t)s->m * (size_t)j, stress);
}

// the derivative of B along column j of the motion, by central differences
static void vary(const model_force *f, const force_side side[2], int j, strain *out)
{
    double unit[6] = {0}, moved[7];
    const int e = j / 6;
    const double *q = side[e].q;
    strain plus, minus;
    unit[j % 6] = 1;
    const double d = STEP * (j % 6 < 3 ? fmax(1, fabs(q[j % 6])) : 1);
    pcs_body_advance(q, d, unit, PCS_QUAT_UPDATE_EXP, moved);
    set_strain(f, e == 0 ? moved : side[0].q, e == 0 ? side[1].q : moved, &plus);
    pcs_body_advance(q, -d, unit, PCS_QUAT_UPDATE_EXP, moved);
    set_strain(f, e == 0 ? moved : side[0].q, e == 0 ? side[1].q : moved, &minus);
    out->m = plus.m;
    for (int i = 0; i < plus.m * WIDTH; ++i) {
        out->B[i] = (plus.B[i] - minus.B[i]) / (2 * d);
    }
}

static bool is_zero(const double *x, int n)
{
    bool zero = true;
    for (int i = 0; i < n; ++i) {
        zero = zero && x[i] == 0;
    }
    return zero;
}

void strain_jacobian(const model_force *f, const force_side side[2], double *K, double *D)
{
    strain s, dB = {0};
    const int N = side[0].n + side[1].n;
    double v[WIDTH], rate[MOST], stress[MOST] = {0};
    set_strain(f, side[0].q, side[1].q, &s);
    gather(side, v);
    rate_of(&s, v, rate);
    add_stress(f, false, s.y, stress);
    add_stress(f, true, rate, stress);
    const bool still = is_zero(v, WIDTH) && is_zero(stress, s.m);
    for (int k = 0; k < N; ++k) {
        const int j = column_of(side, k);
        double moved[MOST] = {0}, fast[MOST] = {0}, turned[MOST];
        add_direct(f, &s, false, j, moved);
        add_direct(f, &s, true, j, fast);
        // a translation changes B of a bushing only by the lever of body 1
        if (!still) {
            vary(f, side, j, &dB);
            rate_of(&dB, v, turned);
            add_stress(f, true, turned, moved);
        }
        for (int i = 0; i < N; ++i) {
            const int row = column_of(side, i);
            const size_t at = (size_t)i + (size_t)N * (size_t)k;
            K[at] = product(&s, row, moved) + (still ? 0 : product(&dB, row, stress));
            D[at] = product(&s, row, fast);
        }
    }
}
