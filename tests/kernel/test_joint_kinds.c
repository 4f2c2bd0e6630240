// Joints between two frames: their rows against complex steps of formulas written here, their
// coordinates and reactions against closed forms, their motion against the smooth solution, and
// mechanisms with more rows than rank.
#include "smooth_scene.h"

#include <percuss/certificate.h>
#include <percuss/joint.h>

#include "complex_step.h"
#include "relations/joint.h"
#include "rotations.h"

static const pcs_system world = {0};
static const double e_x[3] = {1, 0, 0}, e_y[3] = {0, 1, 0}, e_z[3] = {0, 0, 1};

// ---- rows --------------------------------------------------------------------------------------

static const pcs_joint_kind kinds[] = {
    PCS_JOINT_BALL,        PCS_JOINT_HINGE,     PCS_JOINT_SLIDER,  PCS_JOINT_FIXED,
    PCS_JOINT_CYLINDRICAL, PCS_JOINT_UNIVERSAL, PCS_JOINT_PLANAR,  PCS_JOINT_POINT_ON_LINE,
    PCS_JOINT_SCREW,       PCS_JOINT_GEAR,      PCS_JOINT_DISTANCE};
enum { KINDS = sizeof kinds / sizeof *kinds };

static pcs_joint_def random_joint(test_random *r, pcs_joint_kind kind)
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    random_vector(r, def.point1, 3);
    random_vector(r, def.point2, 3);
    random_long(r, def.axes1);
    random_long(r, def.axes2);
    def.arm = random_between(r, 0.2, 3);
    def.pitch = random_between(r, 0.5, 2);
    def.teeth[0] = 1 + (int)(3 * random_unit(r));
    def.teeth[1] = random_unit(r) < 0.5 ? -2 : 3;
    def.length = 0.7;
    return def;
}

static cplx z_atan2(cplx y, cplx x)
{
    const double square = creal(x) * creal(x) + creal(y) * creal(y);
    return atan2(creal(y), creal(x)) + I * ((creal(x) * cimag(y) - creal(y) * cimag(x)) / square);
}

// the angle about the z axis of a frame from its x axis to d
static cplx z_line(cplx axis[3][3], const cplx d[3], double sign)
{
    return z_atan2(sign * z_dot(axis[1], d), sign * z_dot(axis[0], d));
}

// the rows of a joint by the words of its kind in the header; returns how many
static int rows_of(const pcs_joint_def *def, const cplx *q1, const cplx *q2, cplx g[6])
{
    double R1[9], R2[9];
    cplx P1[3], P2[3], d[3], a[3][3], b[3][3];
    pcs_quat_to_matrix(def->axes1, R1);
    pcs_quat_to_matrix(def->axes2, R2);
    z_point(q1, def->point1, P1);
    z_point(q2, def->point2, P2);
    for (int k = 0; k < 3; ++k) {
        d[k] = P1[k] - P2[k];
        z_direction(q1, R1 + 3 * k, a[k]);
        z_direction(q2, R2 + 3 * k, b[k]);
    }
    const bool meets = def->kind == PCS_JOINT_BALL || def->kind == PCS_JOINT_HINGE ||
                       def->kind == PCS_JOINT_FIXED || def->kind == PCS_JOINT_UNIVERSAL;
    const bool line = def->kind == PCS_JOINT_SLIDER || def->kind == PCS_JOINT_CYLINDRICAL ||
                      def->kind == PCS_JOINT_POINT_ON_LINE || def->kind == PCS_JOINT_SCREW;
    const bool parallel = def->kind == PCS_JOINT_HINGE || def->kind == PCS_JOINT_FIXED ||
                          def->kind == PCS_JOINT_PLANAR ||
                          (line && def->kind != PCS_JOINT_POINT_ON_LINE);
    const double TURN = 2 * PI;
    int n = 0;
    for (int k = 0; k < 3 && meets; ++k) {
        g[n++] = d[k];
    }
    for (int k = 0; k < 2 && line; ++k) {
        g[n++] = z_dot(b[k], d);
    }
    if (def->kind == PCS_JOINT_PLANAR) g[n++] = z_dot(b[2], d);
    for (int k = 0; k < 2 && parallel; ++k) {
        g[n++] = def->arm * z_dot(a[2], b[k]);
    }
    if (def->kind == PCS_JOINT_SLIDER || def->kind == PCS_JOINT_FIXED) {
        g[n++] = def->arm * z_dot(a[1], b[0]);
    }
    if (def->kind == PCS_JOINT_UNIVERSAL) g[n++] = def->arm * z_dot(a[0], b[2]);
    if (def->kind == PCS_JOINT_SCREW) {
        const cplx angle = z_atan2(z_dot(a[0], b[1]), z_dot(a[0], b[0]));
        g[n++] = def->pitch / TURN * csin(TURN / def->pitch * z_dot(b[2], d) - angle);
    }
    if (def->kind == PCS_JOINT_GEAR) {
        const cplx psi = def->teeth[0] * z_line(a, d, -1) + def->teeth[1] * z_line(b, d, 1);
        g[n++] = def->arm / fmax(abs(def->teeth[0]), abs(def->teeth[1])) * csin(psi);
    }
    if (def->kind == PCS_JOINT_DISTANCE) g[n++] = csqrt(z_dot(d, d)) - def->length;
    return n;
}

TEST(rows_against_the_complex_step)
{
    test_random r = random_seed(31);
    for (int n = 0; n < TEST_DRAWS(2000) * KINDS; ++n) {
        const pcs_joint_def def = random_joint(&r, kinds[n % KINDS]);
        const pcs_relation relation = pcs_relation_joint(&def);
        double q1[7], q2[7], g[6], C1[42], C2[42];
        random_pose(&r, q1);
        random_pose(&r, q2);
        const bool fixed = n % 3 == 0;
        const double *pose2 = fixed ? NULL : q2;
        CK_OK(pcs_relation_gap(&relation, q1, pose2, g));
        CK_OK(pcs_relation_gradient(&relation, 7, q1, fixed ? 0 : 7, pose2, C1, fixed ? NULL : C2));

        cplx z[14], zg[6];
        for (int i = 0; i < (fixed ? 7 : 14); ++i) {
            step_poses(q1, pose2, i, z);
            ck_assert_int_eq(rows_of(&def, z, fixed ? NULL : z + 7, zg), relation.dim);
            const double *C = i < 7 ? C1 + relation.dim * i : C2 + relation.dim * (i - 7);
            for (int row = 0; row < relation.dim; ++row) {
                CK_NEAR(g[row], creal(zg[row]), 1e-13 * (1 + largest(g, relation.dim)));
                CK_NEAR(C[row], cimag(zg[row]) / STEP, 1e-12 * (1 + largest(C1, 7 * relation.dim)));
            }
        }
        const double tol = 1e-13 * (1 + largest(C1, 7 * relation.dim));
        expect_not_radial(relation.dim, C1 + 3 * relation.dim, q1 + 3, tol);
    }
}

// g at the poses of two bodies that move with constant a for the time t, and its rate
static void at_time(const pcs_relation *relation, double q[2][7], double v[2][6], double t,
                    double rate[6])
{
    double now[2][7], C[2][42], qdot[7];
    for (int side = 0; side < 2; ++side) {
        // a screw motion: constant omega, so that omega x (omega x b) is all of b''
        double turn[3], Q[4];
        for (int i = 0; i < 3; ++i) {
            now[side][i] = q[side][i] + t * v[side][i];
            turn[i] = t * v[side][3 + i];
        }
        pcs_quat_exp(turn, Q);
        pcs_quat_mul(q[side] + 3, Q, now[side] + 3);
    }
    CK_OK(pcs_relation_gradient(relation, 7, now[0], 7, now[1], C[0], C[1]));
    memset(rate, 0, 6 * sizeof *rate);
    for (int side = 0; side < 2; ++side) {
        pcs_body_rate(now[side], v[side], qdot);
        for (int i = 0; i < 7; ++i) {
            for (int row = 0; row < relation->dim; ++row) {
                rate[row] += C[side][row + relation->dim * i] * qdot[i];
            }
        }
    }
}

// the second derivative in closed form against differences of C T v along the motion
TEST(second_derivatives_against_differences)
{
    test_random r = random_seed(32);
    for (int n = 0; n < TEST_DRAWS(300) * KINDS; ++n) {
        const pcs_joint_def def = random_joint(&r, kinds[n % KINDS]);
        const pcs_relation relation = pcs_relation_joint(&def);
        double q[2][7], v[2][6], gamma[6], rate[4][6];
        for (int side = 0; side < 2; ++side) {
            random_pose(&r, q[side]);
            random_vector(&r, v[side], 6);
        }
        const relation_side one = {.q = q[0], .v = v[0]}, two = {.q = q[1], .v = v[1]};
        ck_assert(relation_convective(&relation, &one, &two, gamma));
        const double step = 1e-3;
        for (int k = 0; k < 4; ++k) {
            const int at[] = {-2, -1, 1, 2};
            at_time(&relation, q, v, at[k] * step, rate[k]);
        }
        // near the pole of an angle, and where points meet, differences do not resolve the motion
        if (largest(gamma, relation.dim) > 100) continue;
        for (int row = 0; row < relation.dim; ++row) {
            const double difference =
                (rate[0][row] - 8 * rate[1][row] + 8 * rate[2][row] - rate[3][row]) / (12 * step);
            CK_NEAR(gamma[row], difference, 1e-4 * (1 + largest(gamma, relation.dim)));
        }
    }
}

// ---- what is read ------------------------------------------------------------------------------

static pcs_interaction place(scene *s, pcs_joint_kind kind, pcs_system one, pcs_system two,
                             const double point[3], const double z[3], const double *x)
{
    pcs_joint_def def = pcs_joint_def_default(kind);
    pcs_interaction out;
    def.system1 = one;
    def.system2 = two;
    CK_OK(pcs_model_place_joint(s->m, point, z, x, &def));
    CK_OK(pcs_model_add_joint(s->m, &def, &out));
    return out;
}

static pcs_joint_state read_joint(const scene *s, pcs_interaction joint)
{
    pcs_joint_state out;
    CK_OK(pcs_state_joint(s->m, s->st, s->wk, joint, &out));
    return out;
}

// moves body 1 to the given pose and velocity of its frame relative to that of body 2
static void set_relative(scene *s, const pcs_joint_def *def, const double d[3], const double Q[4],
                         const double speed[3], const double spin[3])
{
    double *q1 = scene_q(s, def->system1), *v1 = scene_v(s, def->system1);
    const double *q2 = scene_q(s, def->system2), *v2 = scene_v(s, def->system2);
    double P2[3], A[4], back[4], B[4], lever[3], x[3], omega[3], arm[3], turn[3];
    pcs_quat_rotate(q2 + 3, def->point2, lever);
    pcs_quat_mul(q2 + 3, def->axes2, A);
    pcs_quat_rotate(A, d, x);
    pcs_quat_mul(A, Q, B);
    pcs_quat_conj(def->axes1, back);
    pcs_quat_mul(B, back, q1 + 3);
    CK_OK(pcs_quat_normalise(q1 + 3));
    double own[3], own_velocity[3], rotated[3], inertial2[3];
    pcs_quat_rotate(q1 + 3, def->point1, own);
    for (int i = 0; i < 3; ++i) {
        P2[i] = q2[i] + lever[i];
        q1[i] = P2[i] + x[i] - own[i];
        arm[i] = lever[i] + x[i];
    }
    pcs_quat_rotate(q2 + 3, v2 + 3, inertial2);
    pcs_quat_rotate(A, spin, omega);
    pcs_quat_rotate(A, speed, rotated);
    v3_cross(inertial2, arm, turn);
    for (int i = 0; i < 3; ++i) {
        omega[i] += inertial2[i];
        v1[i] = v2[i] + turn[i] + rotated[i];
    }
    v3_cross(omega, own, own_velocity);
    v3_sub(v1, own_velocity, v1);
    pcs_quat_conj(q1 + 3, back);
    pcs_quat_rotate(back, omega, v1 + 3);
}

TEST(coordinates_and_rates)
{
    test_random r = random_seed(33);
    const double angle = 1.1, tilt = -0.4, along = 0.3, spin = 2.5, fast = -1.5, other = 0.8;
    for (int n = 0; n < TEST_DRAWS(60); ++n) {
        for (int k = 0; k < KINDS; ++k) {
            scene s = scene_open();
            pcs_joint_def def = random_joint(&r, kinds[k]);
            const double edges[3] = {0.1, 0.2, 0.3}, still[3] = {0};
            if (kinds[k] == PCS_JOINT_BALL || kinds[k] == PCS_JOINT_DISTANCE) {
                memcpy(def.axes1, (double[4]){1, 0, 0, 0}, sizeof def.axes1);
                memcpy(def.axes2, (double[4]){1, 0, 0, 0}, sizeof def.axes2);
            }
            double x[3], v[3], omega[3], Q[4];
            for (int b = 0; b < 2; ++b) {
                random_vector(&r, x, 3);
                random_vector(&r, v, 3);
                random_vector(&r, omega, 3);
                random_quaternion(&r, Q);
                (b == 0 ? &def.system1 : &def.system2)->id =
                    scene_box(&s, 1, edges, x, Q, v, omega).id;
            }
            pcs_interaction id;
            const pcs_interaction_def raw = {pcs_relation_joint(&def), pcs_law_equality(),
                                             def.system1, def.system2};
            CK_OK(pcs_model_add_interaction(s.m, &raw, &id));
            scene_start(&s);

            double about_z[4], about_x[4], turned[4], out[4] = {0}, rate[4] = {0};
            CK_OK(pcs_quat_from_axis_angle(e_z, angle, about_z));
            CK_OK(pcs_quat_from_axis_angle(e_x, tilt, about_x));
            const double identity[4] = {1, 0, 0, 0};
            double d[3] = {0, 0, along}, d_rate[3] = {0, 0, fast}, w[3] = {0, 0, spin};
            const double *turn = about_z;
            int count = 1;
            switch (kinds[k]) {
            case PCS_JOINT_SLIDER:
                turn = identity;
                out[0] = along, rate[0] = fast;
                memcpy(w, still, sizeof w);
                break;
            case PCS_JOINT_FIXED:
                turn = identity;
                count = 0;
                memcpy(w, still, sizeof w);
                memcpy(d, still, sizeof d);
                memcpy(d_rate, still, sizeof d_rate);
                break;
            case PCS_JOINT_HINGE:
                out[0] = angle, rate[0] = spin;
                memcpy(d, still, sizeof d);
                memcpy(d_rate, still, sizeof d_rate);
                break;
            case PCS_JOINT_CYLINDRICAL:
                count = 2;
                out[0] = along, out[1] = angle, rate[0] = fast, rate[1] = spin;
                break;
            case PCS_JOINT_UNIVERSAL:
                // omega = spin z2 + other x1
                count = 2;
                out[0] = angle, out[1] = tilt, rate[0] = spin, rate[1] = other;
                pcs_quat_mul(about_z, about_x, turned);
                turn = turned;
                w[0] = other * cos(angle), w[1] = other * sin(angle);
                memcpy(d, still, sizeof d);
                memcpy(d_rate, still, sizeof d_rate);
                break;
            case PCS_JOINT_PLANAR:
                count = 3;
                d[0] = out[0] = 0.2, d[1] = out[1] = -0.6, d[2] = 0;
                d_rate[0] = rate[0] = fast, d_rate[1] = rate[1] = other, d_rate[2] = 0;
                out[2] = angle, rate[2] = spin;
                break;
            case PCS_JOINT_POINT_ON_LINE:
                count = 4;
                out[0] = along, rate[0] = fast, out[3] = angle, rate[3] = spin;
                break;
            case PCS_JOINT_SCREW:
                count = 2;
                d[2] = out[0] = def.pitch * angle / (2 * PI) + 2 * def.pitch;
                d_rate[2] = rate[0] = def.pitch * spin / (2 * PI);
                out[1] = angle, rate[1] = spin;
                break;
            case PCS_JOINT_GEAR:
                // psi2 = 0.5, psi1 such that the teeth meet; gear 1 fixed to the line of centres
                count = 2;
                out[1] = 0.5, out[0] = -0.5 * def.teeth[1] / def.teeth[0];
                d[0] = 0.9 * cos(0.5), d[1] = 0.9 * sin(0.5), d[2] = 0;
                CK_OK(pcs_quat_from_axis_angle(e_z, 0.5 - PI - out[0], turned));
                turn = turned;
                memcpy(w, still, sizeof w);
                memcpy(d_rate, still, sizeof d_rate);
                out[0] = remainder(out[0], 2 * PI);
                break;
            case PCS_JOINT_BALL:
                count = 3;
                out[2] = angle, rate[2] = spin;
                memcpy(d, still, sizeof d);
                memcpy(d_rate, still, sizeof d_rate);
                break;
            default:
                d[2] = out[0] = def.length, rate[0] = fast;
                break;
            }
            set_relative(&s, &def, d, turn, d_rate, w);
            const pcs_joint_state now = read_joint(&s, id);
            ck_assert_int_eq(now.kind, kinds[k]);
            ck_assert_int_eq(now.count, count);
            CK_NEAR(now.violation, 0, 1e-13);
            for (int i = 0; i < count; ++i) {
                CK_NEAR(now.position[i], out[i], 1e-12);
                CK_NEAR(now.speed[i], rate[i], 1e-11);
            }
            scene_close(&s);
        }
    }
}

// A beam that is fixed at one end carries its weight and the moment of it; the other end gives the
// opposite reaction
TEST(reactions_of_a_beam)
{
    const double length = 0.8, mass = 3, edges[3] = {length, 0.1, 0.1}, G1[3] = {0.4, 0, 0},
                 origin[3] = {0};
    for (int first = 0; first < 2; ++first) {
        scene s = scene_open();
        const pcs_system beam = scene_box(&s, mass, edges, G1, NULL, NULL, NULL);
        pcs_body_def wall = pcs_body_def_default();
        wall.fixed = true;
        const pcs_system held = scene_add(&s, &wall);
        const pcs_interaction joint =
            place(&s, PCS_JOINT_FIXED, first ? held : beam, first ? beam : held, origin, e_z, e_x);
        scene_start(&s);
        scene_step(&s, 0.01);
        pcs_joint_state now = read_joint(&s, joint);
        const double *F = first ? now.force2 : now.force1, *M = first ? now.moment2 : now.moment1;
        const double *F2 = first ? now.force1 : now.force2, *M2 = first ? now.moment1 : now.moment2;
        CK_NEAR(F[2], mass * G, 1e-9);
        CK_NEAR(M[1], -0.4 * mass * G, 1e-9);
        for (int i = 0; i < 3; ++i) {
            CK_NEAR(F2[i], -F[i], 1e-9);
            CK_NEAR(M2[i], -M[i], 1e-9);
        }
        // switched off, it holds nothing
        CK_OK(pcs_model_set_interaction_enabled(s.m, joint, false));
        scene_step(&s, 0.01);
        now = read_joint(&s, joint);
        CK_NEAR(now.force1[2], 0, 0);
        CK_NEAR(scene_v(&s, beam)[2], -0.01 * G, 1e-12);
        scene_close(&s);
    }
}

// ---- motion --------------------------------------------------------------------------------------

// Mechanisms of every kind without redundant rows: steps of second order towards the smooth
// solution, whose multipliers need the second derivatives of all rows
TEST(motions_of_second_order)
{
    static const struct {
        pcs_joint_kind first, second;
    } of[] = {{PCS_JOINT_HINGE, PCS_JOINT_HINGE},           {PCS_JOINT_UNIVERSAL, PCS_JOINT_SLIDER},
              {PCS_JOINT_CYLINDRICAL, PCS_JOINT_UNIVERSAL}, {PCS_JOINT_PLANAR, PCS_JOINT_SLIDER},
              {PCS_JOINT_POINT_ON_LINE, PCS_JOINT_FIXED},   {PCS_JOINT_SCREW, PCS_JOINT_BALL}};
    for (int k = 0; k < TEST_FEW(2, 6); ++k) {
        scene s = scene_open();
        const double edges[3] = {0.2, 0.3, 0.6}, x1[3] = {0.1, 0.2, 0}, x2[3] = {0.1, 0.5, 0.3},
                     p1[3] = {0, 0, 0.1}, p2[3] = {0.2, 0.3, 0.2}, z1[3] = {0.6, 0, 0.8};
        const pcs_system one = scene_box(&s, 1, edges, x1, NULL, NULL, NULL);
        const pcs_system two = scene_box(&s, 2, edges, x2, NULL, NULL, NULL);
        if (of[k].first == PCS_JOINT_SCREW) {
            pcs_joint_def screw = pcs_joint_def_default(PCS_JOINT_SCREW);
            screw.system1 = one;
            screw.pitch = 0.4;
            CK_OK(pcs_model_place_joint(s.m, p1, z1, NULL, &screw));
            CK_OK(pcs_model_add_joint(s.m, &screw, NULL));
        } else {
            place(&s, of[k].first, one, world, p1, z1, e_y);
        }
        place(&s, of[k].second, two, one, p2, e_x, e_y);
        s.scheme.projection = PCS_PROJECTION_NONE;
        scene_start(&s);
        expect_same_motion_from_middle(&s, 0.3, 40, 1e-6);
        scene_close(&s);
    }
}

// a bar from a to b
static pcs_system bar(scene *s, const double a[3], const double b[3], double mass)
{
    double z[3], x[3], Q[4];
    v3_sub(b, a, z);
    const double edges[3] = {0.05, 0.08, v3_norm(z)};
    for (int i = 0; i < 3; ++i) {
        x[i] = 0.5 * (a[i] + b[i]);
    }
    CK_OK(pcs_joint_axes(z, NULL, Q));
    return scene_box(s, mass, edges, x, Q, NULL, NULL);
}

// the certificate of the last velocity problem counts its rows and those that are independent
static void expect_rank(scene *s, int rows, int rank)
{
    enum { MOST = 32 };
    pcs_problem p;
    const pcs_contact *c;
    pcs_contact_status status[MOST];
    pcs_certificate found;
    double r[MOST];
    CK_OK(pcs_work_problem(s->wk, &p));
    ck_assert_int_eq(scene_contacts(s, &c), rows);
    for (int i = 0; i < rows; ++i) {
        r[i] = c[i].r[0];
    }
    CK_OK(pcs_certificate_compute(&s->env, &p, 1e-9, r, status, NULL, &found));
    ck_assert_int_eq(found.columns, rows);
    ck_assert_int_eq(found.rank, rank);
    ck_assert_int_eq(found.r, PCS_UNIQUENESS_NO);
}

// A four-bar of four hinges has 20 rows for 17 that are independent, in any direction of its plane.
// Its motion is that with the 17 rows of three hinges and a point on a line
TEST(a_four_bar_of_four_hinges)
{
    const double corner[4][3] = {{0, 0, 0}, {0, 0.1, 0.4}, {0.9, 0.2, 0.8}, {0.7, 0, 0}};
    for (int k = 0; k < 2; ++k) {
        double reached[2];
        for (int redundant = 0; redundant < 2; ++redundant) {
            scene s = scene_open();
            s.scheme = pcs_scheme_default();
            // the plane of the bars: through the corners projected on it, upright or on its side
            double p[4][3], axis[3] = {0, 1, 0};
            for (int i = 0; i < 4; ++i) {
                p[i][0] = corner[i][0];
                p[i][1] = k == 0 ? 0 : corner[i][2];
                p[i][2] = k == 0 ? corner[i][2] : 0;
            }
            if (k == 1) axis[1] = 0, axis[2] = 1;
            if (k == 1) scene_gravity(&s, 3, 0, -9);
            const pcs_system one = bar(&s, p[0], p[1], 1), two = bar(&s, p[1], p[2], 2),
                             three = bar(&s, p[3], p[2], 1.5);
            const pcs_interaction first = place(&s, PCS_JOINT_HINGE, one, world, p[0], axis, NULL);
            const pcs_interaction last = place(&s, PCS_JOINT_HINGE, three, world, p[3], axis, NULL);
            place(&s, PCS_JOINT_HINGE, two, one, p[1], axis, NULL);
            place(&s, redundant ? PCS_JOINT_HINGE : PCS_JOINT_POINT_ON_LINE, three, two, p[2], axis,
                  NULL);
            scene_start(&s);
            const double start = scene_kinetic(&s) + scene_potential(&s);
            for (int i = 0; i < TEST_DRAWS(1000); ++i) {
                scene_step(&s, 1e-3);
                ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
                scene_check_ledger(&s);
                ck_assert_double_le(read_joint(&s, last).violation, 1e-9);
            }
            if (redundant) expect_rank(&s, 20, 17);
            const pcs_joint_state now = read_joint(&s, first);
            reached[redundant] = now.position[0];
            CK_NEAR(scene_kinetic(&s) + scene_potential(&s), start, 2e-3);
            scene_close(&s);
        }
        CK_NEAR(reached[0], reached[1], 1e-5); // both of second order, h = 1 ms
    }
}

// ---- order -------------------------------------------------------------------------------------

// what a run of two bodies ends with: place and velocity of the second, and the force of the first
// joint on the world, extrapolated from the means of the last two steps
typedef struct ended {
    double x[3], v[3], force[3];
} ended;

static ended swing(pcs_joint_kind first, pcs_joint_kind second, double h, int steps)
{
    const double long_box[3] = {1, 0.1, 0.2}, wide_box[3] = {0.2, 0.8, 0.1};
    const double at[2][3] = {{0.5, 0, 0}, {1, 0.4, 0}}, pivot[2][3] = {{0, 0, 0}, {1, 0, 0}};
    const double axis[2][3] = {{0.1, 0.97, 0.2}, {0.9, 0.1, 0.3}};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    s.scheme.solver.tol = s.scheme.proj_tol = 1e-12;
    const pcs_system one = scene_box(&s, 1, long_box, at[0], NULL, NULL, NULL),
                     two = scene_box(&s, 1, wide_box, at[1], NULL, NULL, NULL);
    const pcs_interaction joint = place(&s, first, one, world, pivot[0], axis[0], NULL);
    place(&s, second, two, one, pivot[1], axis[1], NULL);
    scene_start(&s);
    ended out = {0};
    for (int i = 0; i < steps; ++i) {
        if (i > 0) v3_copy(read_joint(&s, joint).force2, out.force);
        scene_step(&s, h);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
    }
    const pcs_joint_state end = read_joint(&s, joint);
    for (int k = 0; k < 3; ++k) {
        out.force[k] = 1.5 * end.force2[k] - 0.5 * out.force[k];
    }
    v3_copy(scene_q(&s, two), out.x);
    v3_copy(scene_v(&s, two), out.v);
    scene_close(&s);
    return out;
}

// the order from three runs with h, h/2, h/4
static void expect_second(const double *a, const double *b, const double *c)
{
    double coarse[3], fine[3];
    v3_sub(a, b, coarse);
    v3_sub(b, c, fine);
    CK_NEAR(log2(v3_norm(coarse) / v3_norm(fine)), 2, 0.25);
}

// Place, velocity and force of a double pendulum are of second order, whatever joins its bodies
TEST(joints_are_of_second_order)
{
    static const pcs_joint_kind pair[][2] = {
        {PCS_JOINT_BALL, PCS_JOINT_BALL},           {PCS_JOINT_HINGE, PCS_JOINT_HINGE},
        {PCS_JOINT_HINGE, PCS_JOINT_SLIDER},        {PCS_JOINT_CYLINDRICAL, PCS_JOINT_UNIVERSAL},
        {PCS_JOINT_POINT_ON_LINE, PCS_JOINT_FIXED}, {PCS_JOINT_UNIVERSAL, PCS_JOINT_PLANAR},
        {PCS_JOINT_SLIDER, PCS_JOINT_HINGE},        {PCS_JOINT_PLANAR, PCS_JOINT_CYLINDRICAL}};
    for (int i = 0; i < TEST_FEW(2, 8); ++i) {
        ended run[3];
        for (int k = 0; k < 3; ++k) {
            run[k] = swing(pair[i][0], pair[i][1], 2e-3 / (1 << k), 200 << k);
        }
        expect_second(run[0].x, run[1].x, run[2].x);
        expect_second(run[0].v, run[1].v, run[2].v);
        expect_second(run[0].force, run[1].force, run[2].force);
    }
}

// A slider-crank in the plane: two hinges and a ball joint hold crank, rod and piston, which the
// slider guides. The place of the piston is r cos a + sqrt(l^2 - r^2 sin^2 a), its speed the rate
// of that
TEST(a_slider_crank)
{
    const double radius = 0.3, length = 0.8, angle = 0.6, edges[3] = {0.1, 0.1, 0.1};
    const double pin[3] = {radius * cos(angle), 0, -radius * sin(angle)}, origin[3] = {0};
    const double lever = sqrt(length * length - pin[2] * pin[2]);
    const double end[3] = {pin[0] + lever, 0, 0};
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const pcs_system crank = bar(&s, origin, pin, 1), rod = bar(&s, pin, end, 2),
                     piston = scene_box(&s, 0.5, edges, end, NULL, NULL, NULL);
    pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_HINGE);
    pcs_interaction hinge, rail;
    def.system1 = crank;
    CK_OK(pcs_model_place_joint(s.m, origin, e_y, pin, &def));
    CK_OK(pcs_joint_axes(e_y, e_x, def.axes2)); // the angle is 0 where the crank is along x
    CK_OK(pcs_model_add_joint(s.m, &def, &hinge));
    place(&s, PCS_JOINT_HINGE, rod, crank, pin, e_y, NULL);
    place(&s, PCS_JOINT_BALL, piston, rod, end, e_y, NULL);
    def = pcs_joint_def_default(PCS_JOINT_SLIDER);
    def.system1 = piston;
    CK_OK(pcs_joint_axes(e_x, e_y, def.axes1));
    CK_OK(pcs_joint_axes(e_x, e_y, def.axes2));
    CK_OK(pcs_model_add_joint(s.m, &def, &rail));
    scene_start(&s);
    const double start = scene_kinetic(&s) + scene_potential(&s);
    double fastest = 0;
    for (int i = 0; i < TEST_DRAWS(3000); ++i) {
        scene_step(&s, 1e-3);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        const pcs_joint_state a = read_joint(&s, hinge), x = read_joint(&s, rail);
        const double sine = sin(a.position[0]), cosine = cos(a.position[0]);
        const double along = sqrt(length * length - radius * radius * sine * sine);
        CK_NEAR(x.position[0], radius * cosine + along, 1e-9);
        const double rate = -radius * sine * (1 + radius * cosine / along) * a.speed[0];
        CK_NEAR(x.speed[0], rate, 1e-4 * (1 + a.speed[0] * a.speed[0])); // order h^2
        fastest = fmax(fastest, fabs(a.speed[0]));
    }
    ck_assert_double_ge(fastest, 1);
    CK_NEAR(scene_kinetic(&s) + scene_potential(&s), start, 1e-2);
    scene_close(&s);
}

// Bricard's mechanism: six hinges along the edges of a cube, whose 30 rows hold five rods of 30
// velocities and still let them move. Rods and hinges of either half move alike
static void bricard(scene *s, pcs_interaction hinge[6])
{
    static const double corner[6][3] = {{0, 0, 0},  {1, 0, 0},  {1, -1, 0},
                                        {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
    const double *const axis[6] = {e_y, e_z, e_x, e_y, e_z, e_x};
    pcs_system rod[5];
    for (int i = 0; i < 5; ++i) {
        rod[i] = bar(s, corner[i], corner[i + 1], 1);
    }
    for (int i = 0; i < 6; ++i) {
        hinge[i] = i < 5 ? place(s, PCS_JOINT_HINGE, rod[i], i > 0 ? rod[i - 1] : world, corner[i],
                                 axis[i], NULL)
                         : place(s, PCS_JOINT_HINGE, rod[4], world, corner[5], axis[5], NULL);
    }
}

TEST(bricards_mechanism)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_interaction hinge[6];
    bricard(&s, hinge);
    scene_start(&s);
    const double start = scene_kinetic(&s) + scene_potential(&s);
    long before = 0;
    for (int i = 0; i < TEST_FEW(50, 400); ++i) {
        if (i == TEST_FEW(30, 200)) before = s.memory->allocated;
        scene_step(&s, 1e-3);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        scene_check_ledger(&s);
        pcs_joint_state now[6];
        for (int j = 0; j < 6; ++j) {
            now[j] = read_joint(&s, hinge[j]);
            ck_assert_double_le(now[j].violation, 1e-9);
        }
        for (int j = 2; j < 5; ++j) {
            CK_NEAR(fabs(now[j].position[0]), fabs(now[j - 2].position[0]), 1e-7);
        }
    }
    ck_assert_int_eq(s.memory->allocated, before);
    ck_assert_double_ge(fabs(read_joint(&s, hinge[0]).speed[0]), TEST_FEW(0.3, 2));
    const double lost = start - scene_kinetic(&s) - scene_potential(&s);
    ck_assert_double_le(fabs(lost), 1e-5 * scene_kinetic(&s)); // of second order
    expect_rank(&s, 30, 29);
    scene_close(&s);
}

// The same with dry friction in one hinge, whose moment is constant while it turns: the energy that
// is lost is the moment times the angle. The row of the friction must find its place beside rows
// that depend on each other where the hinges are closed, and contradict each other elsewhere
TEST(friction_in_bricards_mechanism)
{
    const double moment = 0.3, h = 1e-3;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    pcs_interaction hinge[6];
    bricard(&s, hinge);
    const pcs_joint_friction dry = {.joint = hinge[2], .limit = moment};
    CK_OK(pcs_model_add_joint_friction(s.m, &dry, NULL));
    scene_start(&s);
    const double start = scene_kinetic(&s) + scene_potential(&s);
    double turned = 0;
    for (int i = 0; i < TEST_FEW(60, 400); ++i) {
        const double before = read_joint(&s, hinge[2]).position[0];
        scene_step(&s, h);
        ck_assert_int_eq(s.report.outcome, PCS_OUTCOME_CONVERGED);
        scene_check_ledger(&s);
        const pcs_joint_state now = read_joint(&s, hinge[2]);
        ck_assert_double_le(now.violation, 1e-9);
        turned += fabs(remainder(now.position[0] - before, 2 * PI));
    }
    const double lost = start - scene_kinetic(&s) - scene_potential(&s);
    ck_assert_double_ge(turned, TEST_FEW(0.01, 0.5));
    CK_NEAR(lost, moment * turned, 1e-5 * scene_kinetic(&s));
    scene_close(&s);
}

// an observer switches a joint off where it bears more than it can
TEST(a_joint_that_breaks)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const double edges[3] = {0.05, 0.05, 0.4}, at[3] = {0.2, 0, 0}, origin[3] = {0};
    double Q[4];
    CK_OK(pcs_quat_from_axis_angle(e_y, -PI / 2, Q));
    const pcs_system rod = scene_box(&s, 1, edges, at, Q, NULL, NULL);
    const pcs_interaction hinge = place(&s, PCS_JOINT_HINGE, rod, world, origin, e_y, NULL);
    scene_start(&s);
    // a rod released from the horizontal loads its hinge with 5/2 m g where it hangs down, and with
    // m g sqrt(1 + 99 sin^2) / 4 before; it breaks at 2 m g
    bool holds = true;
    double angle = 0;
    for (int i = 0; i < 1000 && holds; ++i) {
        scene_step(&s, 1e-3);
        const pcs_joint_state now = read_joint(&s, hinge);
        angle = fabs(now.position[0]);
        holds = v3_norm(now.force1) < 2 * G;
    }
    ck_assert(!holds);
    CK_NEAR(sin(angle), sqrt(63.0 / 99), 0.01); // two steps
    CK_OK(pcs_model_set_interaction_enabled(s.m, hinge, false));
    const double down = scene_v(&s, rod)[2];
    scene_step(&s, 1e-3);
    CK_NEAR(scene_v(&s, rod)[2], down - 1e-3 * G, 1e-12);
    scene_close(&s);
}

// A door on two hinges: twice the rows of one, the angle grows in proportion to time, and by
// minimum norm both hinges carry half of the weight
TEST(a_door_on_two_hinges)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    const double edges[3] = {1, 0.05, 2}, at[3] = {0.5, 0, 1}, v[3] = {0, 0.5, 0},
                 omega[3] = {0, 0, 1}, low[3] = {0, 0, 0.2}, high[3] = {0, 0, 1.8};
    const pcs_system door = scene_box(&s, 20, edges, at, NULL, v, omega);
    const pcs_interaction one = place(&s, PCS_JOINT_HINGE, door, world, low, e_z, e_x);
    const pcs_interaction two = place(&s, PCS_JOINT_HINGE, door, world, high, e_z, e_x);
    scene_start(&s);
    for (int i = 0; i < 500; ++i) {
        scene_step(&s, 2e-3);
        const pcs_joint_state a = read_joint(&s, one), b = read_joint(&s, two);
        CK_NEAR(a.position[0], 2e-3 * (i + 1), 1e-6);
        CK_NEAR(a.force1[2] + b.force1[2], 20 * G, 1e-6);
        CK_NEAR(a.force1[2], b.force1[2], 1e-6);
        ck_assert_double_le(fmax(a.violation, b.violation), 1e-9);
    }
    scene_close(&s);
}

// gears on a carrier that turns: n1 and n2 teeth, rates relative to the carrier as -n2 / n1, for
// any number of turns; and a screw that a torque drives
TEST(gears_on_a_carrier)
{
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_gravity(&s, 0, 0, 0);
    const double edges[3] = {0.2, 0.2, 0.05}, arm[3] = {0.6, 0.05, 0.05}, origin[3] = {0},
                 far[3] = {0.5, 0, 0}, middle[3] = {0.25, 0, -0.1}, spin[3] = {0, 0, 30};
    const pcs_system sun = scene_box(&s, 2, edges, origin, NULL, NULL, spin);
    const pcs_system planet = scene_box(&s, 1, edges, far, NULL, NULL, NULL);
    const pcs_system carrier = scene_box(&s, 1, arm, middle, NULL, NULL, NULL);
    const pcs_interaction on_sun = place(&s, PCS_JOINT_HINGE, sun, carrier, origin, e_z, e_x);
    const pcs_interaction on_planet = place(&s, PCS_JOINT_HINGE, planet, carrier, far, e_z, e_x);
    place(&s, PCS_JOINT_HINGE, carrier, world, origin, e_z, e_x);
    pcs_joint_def gear = pcs_joint_def_default(PCS_JOINT_GEAR);
    gear.system1 = sun;
    gear.system2 = planet;
    gear.teeth[0] = 17;
    gear.teeth[1] = 40;
    const double back[3] = {-1, 0, 0};
    CK_OK(pcs_joint_axes(e_z, e_x, gear.axes1));
    CK_OK(pcs_joint_axes(e_z, back, gear.axes2));
    CK_OK(pcs_model_add_joint(s.m, &gear, NULL));
    scene_start(&s);
    double L[3], L_end[3];
    scene_step(&s, 1e-3); // an inelastic impact, as the planet does not turn yet
    CK_OK(pcs_state_momentum(s.m, s.st, NULL, L));
    const double start = scene_kinetic(&s);
    for (int i = 0; i < 2000; ++i) {
        scene_step(&s, 1e-3);
        const pcs_joint_state a = read_joint(&s, on_sun), b = read_joint(&s, on_planet);
        CK_NEAR(17 * a.speed[0] + 40 * b.speed[0], 0, 1e-2 * fabs(a.speed[0]));
    }
    CK_OK(pcs_state_momentum(s.m, s.st, NULL, L_end));
    CK_NEAR(L_end[2], L[2], 1e-6 * fabs(L[2]));
    CK_NEAR(scene_kinetic(&s), start, 1e-3 * start);
    scene_close(&s);
}

// Bevel gears: a wheel about z turns one about x. With teeth 20 and 10 the second is twice as fast,
// and a moment M on the first accelerates I1 + 4 I2; gears whose centres lie on the axis of the
// other are refused
TEST(gears_on_crossing_axes)
{
    const double M = 0.5, edges[3] = {0.3, 0.3, 0.1}, thin[3] = {0.05, 0.2, 0.2},
                 first[3] = {0, 0, -0.1}, second[3] = {-0.2, 0, 0}, minus_x[3] = {-1, 0, 0},
                 minus_z[3] = {0, 0, -1}, apex[3] = {0};
    const double I1 = 2 * (0.09 + 0.09) / 12, I2 = (0.04 + 0.04) / 12;
    scene s = scene_open();
    s.scheme = pcs_scheme_default();
    scene_gravity(&s, 0, 0, 0);
    const pcs_system wheel = scene_box(&s, 2, edges, first, NULL, NULL, NULL);
    const pcs_system pinion = scene_box(&s, 1, thin, second, NULL, NULL, NULL);
    const pcs_interaction one = place(&s, PCS_JOINT_HINGE, wheel, world, first, e_z, e_x);
    const pcs_interaction two = place(&s, PCS_JOINT_HINGE, pinion, world, second, e_x, e_y);
    pcs_joint_def gear = pcs_joint_def_default(PCS_JOINT_GEAR);
    gear.system1 = wheel;
    gear.system2 = pinion;
    gear.teeth[0] = 20;
    gear.teeth[1] = 10;
    CK_OK(pcs_joint_axes(e_z, minus_x, gear.axes1));
    CK_OK(pcs_joint_axes(e_x, minus_z, gear.axes2));
    pcs_joint_def bad = gear;
    for (int i = 0; i < 3; ++i) {
        bad.point1[i] = apex[i] - first[i];
        bad.point2[i] = apex[i] - second[i];
    }
    CK_SAYS(pcs_model_add_joint(s.m, &bad, NULL), PCS_ERR_ARG, "on the axis of gear 1");
    CK_OK(pcs_model_add_joint(s.m, &gear, NULL));
    pcs_joint_motor motor = pcs_joint_motor_default(one);
    motor.of_speed = true;
    motor.target.offset = 10;
    motor.limit = M;
    CK_OK(pcs_model_add_joint_motor(s.m, &motor, NULL));
    scene_start(&s);
    for (int i = 1; i <= 500; ++i) {
        scene_step(&s, 1e-3);
        const double speed = M / (I1 + 4 * I2) * 1e-3 * i;
        CK_NEAR(read_joint(&s, one).speed[0], speed, 1e-6);
        CK_NEAR(read_joint(&s, two).speed[0], -2 * speed, 1e-6);
        scene_check_ledger(&s);
    }
    scene_close(&s);
}

// ---- limits --------------------------------------------------------------------------------------

static pcs_interaction add_limits(scene *s, pcs_interaction joint, int coordinate, double low,
                                  double high, double e)
{
    const pcs_joint_limits limits = {joint, coordinate, low, high, e};
    pcs_interaction out;
    CK_OK(pcs_model_add_joint_limits(s->m, &limits, &out));
    return out;
}

// a slide between two stops keeps the part e of its speed at each, and stays between them
TEST(a_slide_between_stops)
{
    for (int one_sided = 0; one_sided < 2; ++one_sided) {
        const double e = 0.5, edges[3] = {0.2, 0.1, 0.1}, at[3] = {0.3, 0, 0}, v[3] = {1, 0, 0};
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        const pcs_system slide = scene_box(&s, 2, edges, at, NULL, v, NULL);
        const pcs_interaction rail = place(&s, PCS_JOINT_SLIDER, slide, world, at, e_x, NULL);
        const double low = one_sided ? -INFINITY : -0.2;
        const pcs_interaction stops = add_limits(&s, rail, 0, low, 0.2, e);
        scene_start(&s);
        double speed = 1;
        int hits = 0;
        for (int i = 0; i < 1200; ++i) {
            scene_step(&s, 1e-3);
            scene_check_ledger(&s);
            const pcs_joint_state now = read_joint(&s, rail);
            ck_assert_double_le(now.position[0], 0.2 + 1e-3);
            if (!one_sided) ck_assert_double_ge(now.position[0], -0.2 - 1e-3);
            if (fabs(fabs(now.speed[0]) - speed) > 1e-6) {
                hits += 1;
                CK_NEAR(fabs(now.speed[0]), e * speed, 1e-9);
                double wrench[6];
                const pcs_body_frame frame = pcs_body_frame_of(slide);
                CK_OK(pcs_work_reaction(s.wk, stops, &frame, wrench));
                CK_NEAR(fabs(wrench[0]), 2 * (1 + e) * speed, 1e-8);
                speed *= e;
            }
        }
        ck_assert_int_eq(hits, one_sided ? 1 : 2); // at 0.2 s, and 0.8 s later
        scene_close(&s);
    }
}

// a rod that turns about a hinge between two angles, also across pi and for either sense
TEST(a_hinge_between_angles)
{
    static const double ranges[][2] = {{-0.5, 0.7}, {2.5, 4}, {-4, -2}, {0, 6}};
    for (int k = 0; k < 4; ++k) {
        const double low = ranges[k][0], high = ranges[k][1], e = 0.8, middle = 0.5 * (low + high);
        const double edges[3] = {0.4, 0.1, 0.1}, origin[3] = {0}, omega[3] = {0, 0, 4};
        scene s = scene_open();
        s.scheme.projection = PCS_PROJECTION_DIRECT;
        s.scheme.configuration = PCS_CONFIGURATION_MIDDLE;
        scene_gravity(&s, 0, 0, 0);
        double Q[4];
        CK_OK(pcs_quat_from_axis_angle(e_z, middle, Q));
        const pcs_system rod = scene_box(&s, 1, edges, origin, Q, NULL, omega);
        pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_HINGE);
        pcs_interaction hinge;
        def.system1 = rod;
        CK_OK(pcs_model_add_joint(s.m, &def, &hinge));
        add_limits(&s, hinge, 0, low, high, e);
        scene_start(&s);
        double speed = 4;
        int hits = 0;
        for (int i = 0; i < 2000; ++i) {
            scene_step(&s, 1e-3);
            const pcs_joint_state now = read_joint(&s, hinge);
            const double angle = middle + remainder(now.position[0] - middle, 2 * PI);
            ck_assert_double_ge(angle, low - 1e-2);
            ck_assert_double_le(angle, high + 1e-2);
            if (now.speed[0] * speed < 0) {
                CK_NEAR(now.speed[0], -e * speed, 1e-9);
                speed = now.speed[0];
                hits += 1;
            }
        }
        ck_assert_int_ge(hits, k < 3 ? 3 : 1);
        scene_close(&s);
    }
}

TEST(limits_have_true_gradients)
{
    test_random r = random_seed(36);
    static const struct {
        pcs_joint_kind kind;
        int coordinate;
    } of[] = {{PCS_JOINT_HINGE, 0},  {PCS_JOINT_SLIDER, 0}, {PCS_JOINT_UNIVERSAL, 1},
              {PCS_JOINT_PLANAR, 1}, {PCS_JOINT_GEAR, 0},   {PCS_JOINT_DISTANCE, 0}};
    for (int n = 0; n < TEST_DRAWS(600); ++n) {
        const int k = n % 6;
        const pcs_joint_def def = random_joint(&r, of[k].kind);
        const pcs_joint_limits limits = {{1}, of[k].coordinate, -0.4, 0.9, 0};
        const pcs_relation relation = pcs_relation_joint_limits(&def, &limits);
        double q1[7], q2[7], g[2];
        random_pose(&r, q1);
        random_pose(&r, q2);
        CK_OK(pcs_relation_gap(&relation, q1, q2, g));
        // differences across the place where the count of turns changes say nothing
        if (largest(g, 2) > 3 * def.arm && k != 1 && k != 3) continue;
        CK_OK(pcs_relation_check(&relation, 7, q1, 7, q2));
        CK_OK(pcs_relation_check(&relation, 7, q1, 0, NULL));
    }
}

// ---- refusals ------------------------------------------------------------------------------------

TEST(joints_that_are_refused)
{
    scene s = scene_open();
    const double edges[3] = {1, 1, 1}, x[3] = {0, 0, 0}, zero[3] = {0}, bad[3] = {NAN, 0, 0};
    const pcs_system one = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
    const pcs_system two = scene_box(&s, 1, edges, x, NULL, NULL, NULL);
    const pcs_lagrangian_def mass = {.n = 1, .mass = (double[]){1}};
    const pcs_system other = scene_add_lagrangian(&s, &mass);
    double axes[4];
    CK_SAYS(pcs_joint_axes(zero, NULL, axes), PCS_ERR_ARG, "needs a direction");
    CK_SAYS(pcs_joint_axes(bad, NULL, axes), PCS_ERR_ARG, "needs a direction");
    CK_SAYS(pcs_joint_axes(e_z, zero, axes), PCS_ERR_ARG, "needs a direction");
    CK_SAYS(pcs_joint_axes(e_z, (double[3]){0, 0, 2}, axes), PCS_ERR_ARG, "parallel");

    pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_HINGE);
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "give the world as system2");
    def.system1 = def.system2 = one;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "to itself");
    def.system2 = other;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "Lagrangian");
    def.system2 = two;
    def.point1[0] = INFINITY;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "not finite");
    def.point1[0] = 0;
    def.axes2[0] = 0;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "axes2 is zero");
    CK_OK(pcs_quat_from_axis_angle(e_x, 3, def.axes2));
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "172 degrees");
    memcpy(def.axes2, (double[4]){1, 0, 0, 0}, sizeof def.axes2);
    def.arm = -1;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "arm is -1");
    def.arm = 0;
    def.kind = PCS_JOINT_SCREW;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "pitch is 0");
    def.kind = PCS_JOINT_GEAR;
    def.teeth[0] = 3;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "3 and 0 teeth");
    CK_SAYS(pcs_model_place_joint(s.m, zero, e_z, NULL, &def), PCS_ERR_ARG, "points of a gear");
    def.kind = PCS_JOINT_DISTANCE;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "length");
    def.kind = PCS_JOINT_KIND_COUNT;
    CK_SAYS(pcs_model_add_joint(s.m, &def, NULL), PCS_ERR_ARG, "no kind of joint");
    def.kind = PCS_JOINT_HINGE;
    CK_SAYS(pcs_model_place_joint(s.m, bad, e_z, NULL, &def), PCS_ERR_ARG, "not finite");

    // read back to the bit, with the arm that was chosen; other interactions are no joints
    pcs_interaction id, linear;
    pcs_joint_def again;
    CK_OK(pcs_model_place_joint(s.m, (double[3]){0.1, 0.2, 0.3}, e_y, NULL, &def));
    CK_OK(pcs_model_add_joint(s.m, &def, &id));
    CK_OK(pcs_model_joint(s.m, id, &again));
    ck_assert(memcmp(again.point1, def.point1, sizeof def.point1) == 0);
    ck_assert(memcmp(again.axes2, def.axes2, sizeof def.axes2) == 0);
    CK_NEAR(again.arm, sqrt(0.25), 1e-15); // trace of J is 1/2, over 2 m
    linear =
        scene_join(&s, pcs_relation_linear(1, (double[]){1}, 0), pcs_law_equality(), other, world);
    CK_SAYS(pcs_model_joint(s.m, linear, &again), PCS_ERR_ARG, "no joint");

    pcs_joint_limits limits = {id, 0, -1, 2, 0.5}, same;
    pcs_interaction stops;
    CK_OK(pcs_model_add_joint_limits(s.m, &limits, &stops));
    CK_OK(pcs_model_joint_limits(s.m, stops, &same));
    ck_assert(same.joint.id == id.id && same.low == -1 && same.high == 2 && same.e == 0.5);
    CK_SAYS(pcs_model_joint_limits(s.m, id, &same), PCS_ERR_ARG, "no limits");
    limits.low = 3;
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "between 3 and 2");
    limits.low = NAN;
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "between nan and 2");
    limits.low = -INFINITY;
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "turns are not counted");
    limits.low = 0;
    limits.e = 2;
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "restitution e is 2");
    limits.coordinate = 1;
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "hinge has no coordinate");
    limits.joint = linear;
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "no joint");
    def = pcs_joint_def_default(PCS_JOINT_BALL);
    def.system1 = one;
    CK_OK(pcs_model_add_joint(s.m, &def, &limits.joint));
    CK_SAYS(pcs_model_add_joint_limits(s.m, &limits, NULL), PCS_ERR_ARG, "rotation vector");
    scene_close(&s);
}

// a hinge that is open at the start by a length and an angle is assembled by the projection
TEST(open_joints_are_assembled)
{
    scene s = scene_open();
    const double edges[3] = {0.2, 0.2, 1}, x[3] = {0.3, 0.1, -0.6}, Q[4] = {0.9, 0.1, 0.3, -0.2};
    const pcs_system body = scene_box(&s, 1, edges, x, Q, NULL, NULL);
    pcs_joint_def def = pcs_joint_def_default(PCS_JOINT_HINGE);
    def.system1 = body;
    def.point1[2] = 0.5;
    CK_OK(pcs_joint_axes(e_y, e_x, def.axes1));
    CK_OK(pcs_joint_axes(e_y, e_x, def.axes2));
    pcs_interaction joint;
    CK_OK(pcs_model_add_joint(s.m, &def, &joint));
    s.scheme.proj_tol = 1e-12;
    scene_start(&s);
    ck_assert_double_ge(read_joint(&s, joint).violation, 0.1);
    pcs_step_report report;
    CK_OK(pcs_project(s.m, s.st, s.wk, &report));
    ck_assert(report.committed);
    ck_assert_int_le(report.projection_iters, 8);
    ck_assert_double_le(read_joint(&s, joint).violation, 1e-12);
    scene_close(&s);
}
