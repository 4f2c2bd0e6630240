// The measure of overlap against depths known from the geometry, and the lattice against its
// definition.
#include "support.h"

#include <math.h>
#include <stdlib.h>

#include "checks/overlap.h"
#include "scenes/lattice.h"

#define PI 3.14159265358979323846

// a box at x, y, z, rotated by an angle about an axis through two of the coordinate axes
static void pose(double q[7], double x, double y, double z, double angle, int axis)
{
    const double all[7] = {x, y, z, cos(angle / 2), 0, 0, 0};
    memcpy(q, all, sizeof all);
    q[4 + axis] = sin(angle / 2);
}

// Q = Q1 Q2, the product of two rotations
static void turn(double Q[4], const double P[4])
{
    const double w = P[0] * Q[0] - P[1] * Q[1] - P[2] * Q[2] - P[3] * Q[3];
    const double x = P[0] * Q[1] + P[1] * Q[0] + P[2] * Q[3] - P[3] * Q[2];
    const double y = P[0] * Q[2] - P[1] * Q[3] + P[2] * Q[0] + P[3] * Q[1];
    const double z = P[0] * Q[3] + P[1] * Q[2] - P[2] * Q[1] + P[3] * Q[0];
    Q[0] = w;
    Q[1] = x;
    Q[2] = y;
    Q[3] = z;
}

TEST(spheres_overlap_by_their_distance)
{
    rigid a = {0}, b = {0};
    rigid_sphere(&a, 0.3, 1);
    rigid_sphere(&b, 0.5, 1);
    for (int i = 0; i < 20; ++i) {
        double qa[7], qb[7];
        const double d = 0.05 * i, x = sin(i), y = cos(i);
        pose(qa, 1, 2, 3, 1, 0);
        pose(qb, 1 + d * x, 2 + d * y, 3, 2, 1);
        ck_assert_double_eq_tol(overlap_of_pair(&a, qa, &b, qb), fmax(0, 0.8 - d), 1e-14);
        ck_assert_double_eq_tol(overlap_of_pair(&b, qb, &a, qa), fmax(0, 0.8 - d), 1e-14);
    }
}

// the overlap of a at the origin and b at x, y, z, in either order
static void expect_overlap(const rigid *a, const rigid *b, double x, double y, double z,
                           double depth)
{
    double qa[7], qb[7];
    pose(qa, 0, 0, 0, 0, 0);
    pose(qb, x, y, z, 0, 0);
    ck_assert_double_eq_tol(overlap_of_pair(a, qa, b, qb), depth, 1e-14);
    ck_assert_double_eq_tol(overlap_of_pair(b, qb, a, qa), depth, 1e-14);
}

TEST(boxes_overlap_face_to_face)
{
    rigid a = {0}, b = {0};
    rigid_box(&a, 0.5, 0.4, 0.3, 1);
    rigid_box(&b, 0.2, 0.1, 0.6, 1);
    expect_overlap(&a, &b, 0.1, 0.05, 0.89, 0.01);
    // the shortest direction of separation is sideways
    expect_overlap(&a, &b, 0.69, 0, 0.5, 0.01);
    expect_overlap(&a, &b, 0.71, 0, 0.5, 0);
    // a rotation about the normal of the faces changes nothing
    double qa[7], qb[7];
    pose(qa, 0, 0, 0, 0, 0);
    pose(qb, 0, 0, 0.89, 1, 2);
    ck_assert_double_eq_tol(overlap_of_pair(&a, qa, &b, qb), 0.01, 1e-14);
}

TEST(boxes_overlap_edge_across_edge)
{
    // each stands on an edge, and these edges cross at right angles: along z each extends r = h
    // sqrt 2
    rigid a = {0};
    rigid_box(&a, 0.5, 0.5, 0.5, 1);
    const double r = 0.5 * sqrt(2);
    double qa[7], qb[7];
    pose(qa, 0, 0, 0, PI / 4, 0);
    for (int i = -3; i < 4; ++i) {
        const double depth = 0.02 * i;
        pose(qb, 0.1, -0.1, 2 * r - depth, PI / 4, 1);
        ck_assert_double_eq_tol(overlap_of_pair(&a, qa, &a, qb), fmax(0, depth), 1e-14);
    }
}

TEST(a_corner_meets_a_plane_and_a_face)
{
    // a cube on its corner extends h sqrt 3 downwards
    rigid a = {0}, plate = {0};
    rigid_box(&a, 0.1, 0.1, 0.1, 1);
    rigid_box(&plate, 1, 1, 0.1, 1);
    double q[7], at[7], about[7];
    pose(q, 0, 0, 0, PI / 4, 0);
    pose(about, 0, 0, 0, atan(sqrt(0.5)), 1);
    turn(q + 3, about + 3);
    const double reach = 0.1 * sqrt(3), plane[4] = {0, 0, 1, 0.2};
    q[2] = 0.2 + reach - 0.004;
    ck_assert_double_eq_tol(overlap_with_plane(&a, q, plane), 0.004, 1e-14);
    pose(at, 0, 0, 0.1, 0, 0);
    ck_assert_double_eq_tol(overlap_of_pair(&a, q, &plate, at), 0.004, 1e-14);
    q[2] += 0.005;
    ck_assert_double_eq(overlap_with_plane(&a, q, plane), 0);
    ck_assert_double_eq(overlap_of_pair(&a, q, &plate, at), 0);
}

TEST(a_sphere_meets_a_box)
{
    rigid s = {0}, b = {0};
    rigid_sphere(&s, 0.2, 1);
    rigid_box(&b, 1, 1, 1, 1);
    expect_overlap(&b, &s, 0.3, 0.2, 1.15, 0.05);
    expect_overlap(&b, &s, 0, 0.2, 0.9, 0.3);
    // boxes near a corner
    expect_overlap(&b, &s, 1.1, 1.1, 1.1, 0.2 - 0.1 * sqrt(3));
    expect_overlap(&b, &s, 1.2, 1.2, 1.2, 0);
}

// the coordinates and velocities of a scene
static void start(const bodies *s, double **q, double **v)
{
    *q = calloc(7 * (size_t)s->n, sizeof **q);
    *v = calloc(6 * (size_t)s->n, sizeof **v);
    ck_assert_ptr_nonnull(*q);
    ck_assert_ptr_nonnull(*v);
    for (int i = 0; i < s->n; ++i) {
        memcpy(*q + 7 * i, s->body[i].position, 3 * sizeof(double));
        memcpy(*q + 7 * i + 3, s->body[i].orientation, 4 * sizeof(double));
        memcpy(*v + 6 * i, s->body[i].velocity, 3 * sizeof(double));
        memcpy(*v + 6 * i + 3, s->body[i].omega, 3 * sizeof(double));
    }
}

TEST(everything_is_found_and_summed)
{
    bodies s;
    ck_assert(lattice_spheres(&s, 4));
    double *q, *v;
    start(&s, &q, &v);
    overlaps o;
    ck_assert(overlap_measure(&s, q, v, &o));
    ck_assert_double_eq(o.deepest, 0);
    ck_assert_int_eq(o.outside, 0);
    double energy = 0;
    for (int i = 0; i < s.n; ++i) {
        energy += s.body[i].mass * 9.81 * q[7 * i + 2];
    }
    ck_assert_double_eq_tol(o.energy, energy, 1e-12 * energy);

    // one body moved into another, deeper than a third into a wall; a spin
    for (int k = 0; k < 3; ++k) {
        q[7 * 40 + k] = q[7 * 17 + k] + (k == 1 ? 0.05 : 0);
    }
    q[7 * 3] = 0.46 - 0.02;
    v[6 * 9 + 4] = 3;
    v[6 * 9 + 1] = 2;
    ck_assert(overlap_measure(&s, q, v, &o));
    ck_assert_double_eq_tol(o.deepest, 0.15, 1e-14);
    ck_assert_int_eq(o.first, 17);
    ck_assert_int_eq(o.second, 40);
    ck_assert_int_eq(o.outside, 0);
    q[7 * 3] = 0.66;
    ck_assert(overlap_measure(&s, q, v, &o));
    ck_assert_int_eq(o.outside, 1);
    ck_assert_int_eq(o.second, -3);
    ck_assert_double_eq_tol(o.deepest, 0.3, 1e-14);
    energy = 0.5 * s.body[9].mass * 4 + 0.5 * s.body[9].inertia[1] * 9;
    for (int i = 0; i < s.n; ++i) {
        energy += s.body[i].mass * 9.81 * q[7 * i + 2];
    }
    ck_assert_double_eq_tol(o.energy, energy, 1e-12 * energy);

    // a pose that is not a number never counts as free of overlap
    q[7 * 5 + 1] = NAN;
    ck_assert(overlap_measure(&s, q, v, &o));
    ck_assert(isnan(o.deepest));
    ck_assert_int_ge(o.outside, 1);
    free(q);
    free(v);
    bodies_destroy(&s);
}

// the definition, repeated: the generator written out here, and the second body
TEST(lattice_is_as_defined)
{
    unsigned long long state = 88172645463325252ULL;
    double d[14];
    for (int i = 0; i < 14; ++i) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        d[i] = (double)(state >> 11) * 0x1p-53;
    }
    bodies s;
    ck_assert(lattice_cubes(&s, 10));
    ck_assert_int_eq(s.n, 1000);
    ck_assert_int_eq(s.planes, 5);
    const rigid *b = &s.body[1];
    ck_assert_double_eq_tol(b->position[0], 0.22 * (1 - 4.5) + 0.01 * (d[7] - 0.5), 1e-15);
    ck_assert_double_eq_tol(b->position[1], -0.22 * 4.5 + 0.01 * (d[8] - 0.5), 1e-15);
    ck_assert_double_eq_tol(b->position[2], 0.3 + 0.01 * (d[9] - 0.5), 1e-15);
    double square = 0, cosine = 0;
    for (int k = 0; k < 4; ++k) {
        square += (d[10 + k] - 0.5) * (d[10 + k] - 0.5);
        cosine += (d[10 + k] - 0.5) * b->orientation[k];
    }
    ck_assert_double_eq_tol(cosine, sqrt(square), 1e-15);
    ck_assert_double_eq_tol(b->mass, 1.728, 1e-15);
    ck_assert_double_eq_tol(b->inertia[0], 1.728 * 0.12 * 0.12 / 6, 1e-15);
    bodies_destroy(&s);
}
