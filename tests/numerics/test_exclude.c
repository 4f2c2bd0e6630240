// The proof that a problem of few blocks has no solution, with friction: closed forms of grooves
// and of prescribed motions, and no proof where a solution exists.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/numerics.h>

#include "friction.h"
#include "solver/exclude.h"
#include "support.h"

// multiplications that suffice for the problems below, and memory
#define ENOUGH 1e7
#define ROOM   (1 << 24)

static exclusion look_for_proof(const pcs_problem *p, double most)
{
    exclusion x = {.most = most};
    pcs_arena room;
    CK_OK(pcs_arena_create(NULL, ROOM, &room));
    CK_OK(problem_exclude(p, room, &x));
    pcs_arena_destroy(NULL, &room);
    return x;
}

// a free particle of unit mass, W = H H'
typedef struct particle {
    pcs_problem p;
    pcs_block block[2];
    double H[6][3], W[36], q[6];
    unsigned char memory[4096];
} particle;

static void close_problem(particle *t)
{
    const int n = t->p.n;
    for (int k = 0; k < n * n; ++k) {
        const double *a = t->H[k % n], *b = t->H[k / n];
        t->W[k] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    }
    t->p.q = t->q;
    t->p.block = t->block;
    pcs_arena arena = {.base = t->memory, .size = sizeof t->memory};
    CK_OK(pcs_bsr_from_dense(n, n, t->W, &arena, &t->p.W));
    CK_OK(pcs_problem_check(&t->p));
}

// it falls along the middle of a groove of half angle a, at unit speed, turned about the groove
static void fall_into_groove(particle *t, int dim, double a, double turn, double e, double mu)
{
    *t = (particle){.p = {.n = 2 * dim, .nb = 2}};
    for (int b = 0; b < 2; ++b) {
        const double side = b == 0 ? 1 : -1, c = cos(turn), s = sin(turn);
        // normal, and the tangents out of the groove and along it
        const double N[2] = {side * cos(a), sin(a)}, T[2] = {-side * sin(a), cos(a)};
        const double rows[3][3] = {
            {c * N[0] - s * N[1], s * N[0] + c * N[1], 0},
            {c * T[0] - s * T[1], s * T[0] + c * T[1], 0},
            {0, 0, 1},
        };
        memcpy(t->H[dim * b], rows, (size_t)dim * sizeof *rows);
        t->block[b] = (pcs_block){PCS_CONE_COULOMB, dim * b, dim, mu};
        t->q[dim * b] = -(1 + e) * sin(a);
        t->q[dim * b + 1] = -cos(a);
    }
    close_problem(t);
}

// To leave both walls it must slide out of the groove, and the impulses r_N (N - mu T) lead out of
// it only for mu < tan a
TEST(a_groove_locks_beyond_the_angle_of_friction)
{
    for (int k = 0; k < 60; ++k) {
        const int dim = 2 + k % 2;
        const double a = 0.1 + 0.02 * k, e = 0.1 + 0.1 * (k % 9), limit = tan(a);
        particle t;
        fall_into_groove(&t, dim, a, 0.3 * k, e, 1.1 * limit);
        ck_assert_msg(look_for_proof(&t.p, ENOUGH).none, "half angle %g, e %g", a, e);

        fall_into_groove(&t, dim, a, 0.3 * k, e, 0.9 * limit);
        ck_assert(!look_for_proof(&t.p, ENOUGH).none);
        double r[6] = {0}, u[6];
        pcs_report report;
        CK_OK(pcs_solve_alloc(NULL, &t.p, NULL, r, u, &report));
        ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);

        // it lands in any groove
        fall_into_groove(&t, dim, a, 0.3 * k, 0, 1.1 * limit);
        ck_assert(!look_for_proof(&t.p, ENOUGH).none);
    }
}

TEST(what_has_a_solution_is_not_excluded)
{
    static const friction families[] = {FRICTION_DENSE, FRICTION_SKEWED, FRICTION_DEFICIENT,
                                        FRICTION_PLANAR, FRICTION_MIXED};
    for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
        for (int nc = 1; nc <= 6; ++nc) {
            for (uint64_t seed = 1; seed <= (uint64_t)TEST_DRAWS(nc < 4 ? 20 : 4); ++seed) {
                pcs_arena arena;
                CK_OK(pcs_arena_create(NULL, friction_bytes(families[f], nc), &arena));
                double *solution;
                pcs_arena work = arena;
                const pcs_problem p = friction_problem(families[f], nc, seed, &work, &solution);
                ck_assert(solution != NULL);
                ck_assert(!look_for_proof(&p, ENOUGH).none);
                pcs_arena_destroy(NULL, &arena);
            }
        }
    }
}

// A body of mass M on one of unit mass, which falls onto the ground: r = (1 + M, M)
TEST(a_heavy_body_may_lie_on_a_light_one)
{
    for (double M = 1; M < 1e13; M *= 10) {
        particle t = {.p = {.n = 2, .nb = 2}};
        const double H[2][3] = {{1}, {-1, sqrt(1 / M)}};
        memcpy(t.H, H, sizeof H);
        for (int b = 0; b < 2; ++b) {
            t.block[b] = (pcs_block){PCS_CONE_UNILATERAL, b, 1, 0};
        }
        t.q[0] = -1;
        close_problem(&t);
        const double both[2] = {1, 1 + 1 / M}, least[2] = {1, 1 / M};
        exclusion x = {.most = ENOUGH, .masses = {both, least}};
        pcs_arena room;
        CK_OK(pcs_arena_create(NULL, ROOM, &room));
        CK_OK(problem_exclude(&t.p, room, &x));
        pcs_arena_destroy(NULL, &room);
        ck_assert_msg(!x.none, "M %g", M);
    }
}

// A motor of prescribed speed presses the particle against a wall that is `tilt` from parallel:
// without friction it escapes along the wall, at a speed of 1 / tilt. A motor with a limit stops.
static bool press(double tilt, pcs_cone motor)
{
    particle t = {.p = {.n = 2, .nb = 2}};
    t.block[0] = (pcs_block){motor, 0, 1, motor == PCS_CONE_BOX ? 3 : 0};
    t.block[1] = (pcs_block){PCS_CONE_UNILATERAL, 1, 1, 0};
    t.H[0][0] = 1;
    t.H[1][0] = -cos(tilt);
    t.H[1][1] = sin(tilt);
    t.q[0] = -1;
    close_problem(&t);
    return look_for_proof(&t.p, ENOUGH).none;
}

TEST(prescribed_motions_contradict_walls)
{
    ck_assert(press(0, PCS_CONE_EQUALITY));
    ck_assert(press(1e-10, PCS_CONE_EQUALITY));
    ck_assert(!press(1e-2, PCS_CONE_EQUALITY));
    ck_assert(!press(0, PCS_CONE_BOX));
}

TEST(the_search_ends_where_it_is_told)
{
    particle t;
    fall_into_groove(&t, 3, 0.5, 0, 0.5, 2);
    const exclusion all = look_for_proof(&t.p, ENOUGH), first = look_for_proof(&t.p, 10);
    ck_assert(all.none && !all.cut && all.spent < ENOUGH);
    ck_assert(!first.none && first.cut && first.spent == 0);
    const exclusion half = look_for_proof(&t.p, 0.5 * all.spent);
    ck_assert(!half.none && half.cut);

    // memory that is too small is said to be
    for (size_t size = 0; size < 20000; size += 500) {
        exclusion x = {.most = ENOUGH};
        pcs_arena room;
        CK_OK(pcs_arena_create(NULL, size, &room));
        const pcs_status status = problem_exclude(&t.p, room, &x);
        ck_assert(status == PCS_ERR_MEMORY ? !x.none : status == PCS_OK && x.none);
        pcs_arena_destroy(NULL, &room);
    }
}

// A wall of planar bricks of 2 m by 1 m and unit mass that a blow has set in motion: two contacts
// with each brick below, where many statuses tie
#define WALL_ROWS  3
#define WALL_LONG  4
#define WALL_MOST  80
#define WALL_SIDES (3 * WALL_ROWS * WALL_LONG)

static void add_wall_contact(double *H, const int brick[2], const double x[2], double at, int k)
{
    for (int side = 0; side < 2; ++side) {
        if (brick[side] < 0) continue;
        const double sign = side == 0 ? -1 : 1, height = side == 0 ? 0.5 : -0.5;
        double *N = H + (2 * k) * WALL_SIDES + 3 * brick[side], *T = N + WALL_SIDES;
        N[1] = sign;
        N[2] = sign * (at - x[side]);
        T[0] = sign;
        T[2] = -sign * height;
    }
}

static int wall_contacts(double *H)
{
    int n = 0;
    for (int row = 0; row < WALL_ROWS; ++row) {
        for (int i = 0; i < WALL_LONG; ++i) {
            const double x = 2 * i + row % 2;
            for (int j = row == 0 ? WALL_LONG - 1 : 0; j < WALL_LONG; ++j) {
                const double below = row == 0 ? x : 2 * j + (row - 1) % 2;
                const double left = fmax(x, below) - 1, right = fmin(x, below) + 1;
                if (!(left < right)) continue;
                const int brick[2] = {row == 0 ? -1 : WALL_LONG * (row - 1) + j,
                                      WALL_LONG * row + i};
                const double centre[2] = {below, x};
                add_wall_contact(H, brick, centre, left, n++);
                add_wall_contact(H, brick, centre, right, n++);
            }
        }
    }
    return n;
}

// The search may exceed what it is given by one exchange, a small part of what it needs to begin,
// also where one programme has exchanges without end
TEST(a_programme_ends_where_it_is_told)
{
    static double H[2 * WALL_MOST * WALL_SIDES], W[4 * WALL_MOST * WALL_MOST], q[2 * WALL_MOST];
    static pcs_block block[WALL_MOST];
    const int nb = wall_contacts(H), n = 2 * nb;
    ck_assert_int_le(nb, WALL_MOST);
    for (int k = 0; k < n * n; ++k) {
        W[k] = 0;
        for (int c = 0; c < WALL_SIDES; ++c) {
            const double inertia = c % 3 == 2 ? 5.0 / 12 : 1;
            W[k] += H[k % n * WALL_SIDES + c] * H[k / n * WALL_SIDES + c] / inertia;
        }
    }
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        test_random draw = random_seed(seed);
        double v[WALL_SIDES];
        for (int c = 0; c < WALL_SIDES; ++c) {
            v[c] = random_normal(&draw);
        }
        for (int i = 0; i < n; ++i) {
            q[i] = 0;
            for (int c = 0; c < WALL_SIDES; ++c) {
                q[i] += H[i * WALL_SIDES + c] * v[c];
            }
        }
        for (int b = 0; b < nb; ++b) {
            block[b] = (pcs_block){PCS_CONE_COULOMB, 2 * b, 2, 0.6};
        }
        pcs_problem p = {.n = n, .nb = nb, .q = q, .block = block};
        pcs_arena arena;
        CK_OK(pcs_arena_create(NULL, 1 << 20, &arena));
        CK_OK(pcs_bsr_from_dense(n, n, W, &arena, &p.W));
        double spent = 0;
        for (double most = 1e5; most < 3e7; most *= 2) {
            const exclusion x = look_for_proof(&p, most);
            spent = x.spent;
            ck_assert_msg(spent <= 1.1 * most, "%g of %g", spent, most);
        }
        ck_assert(spent > 0);
        pcs_arena_destroy(NULL, &arena);
    }
}
