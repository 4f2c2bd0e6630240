// Packs of contacts: the same bits for every width of the registers, the solution of each lane,
// open contacts; packs of round contacts have the bits of single ones.
#include "support.h"

#include "bodies/packs.h"
#include "bodies/packs_wide.h"
#include "linalg/m3.h"
#include "local/coulomb.h"

// Two layers of bodies with packs of four contacts between them; every third lane touches a fixed
// system
enum { BODIES = 16, PACKS_HERE = 6, ROWS = 3 * LANES * PACKS_HERE };

typedef struct scene {
    prepared p;
    body_inverse body[BODIES + 1];
    rigid_pack pack[PACKS_HERE];
    double y[LINE * BODIES], r[ROWS], u[ROWS], spare[LINE];
} scene;

static void random_inverse(test_random *rng, body_inverse *A)
{
    double G[9];
    A->m = random_between(rng, 0.5, 2);
    for (int i = 0; i < 9; ++i) {
        G[i] = random_normal(rng);
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            A->K[i + 3 * j] = v3_dot(G + 3 * i, G + 3 * j) + (i == j);
        }
    }
}

static void random_lane(test_random *rng, double mu, int l, int first, rigid_pack *c)
{
    double a[4], N[3], t1[3];
    random_quaternion(rng, a);
    v3_unit(a, N);
    v3_cross(a + 1, N, t1);
    v3_unit(t1, t1);
    const int sys[2] = {(first + l) % 8, l % 3 == 2 ? -1 : 8 + (first + 3 * l) % 8};
    for (int i = 0; i < 3; ++i) {
        c->N[i][l] = N[i];
        c->t1[i][l] = t1[i];
        c->q[i][l] = random_normal(rng) - (i == 0);
    }
    for (int e = 0; e < 2; ++e) {
        c->along[e][l] = random_normal(rng);
        c->at[e][l] = sys[e] < 0 ? -1 : LINE * sys[e];
        for (int i = 0; i < 3; ++i) {
            c->core[e][i][l] = random_normal(rng);
        }
    }
    c->mu[l] = mu;
}

static void random_scene(test_random *rng, double mu, scene *s)
{
    memset(s, 0, sizeof *s);
    s->p.body = s->body;
    s->p.pack = s->pack;
    for (int i = 0; i < BODIES; ++i) {
        random_inverse(rng, &s->body[1 + i]);
    }
    for (int k = 0; k < PACKS_HERE; ++k) {
        rigid_pack *c = &s->pack[k];
        c->n = LANES;
        c->row = 3 * LANES * k;
        for (int l = 0; l < LANES; ++l) {
            random_lane(rng, mu, l, k, c);
        }
    }
}

// u + q of lane l of the first pack, its impulse and its law
static contact lane_of(const scene *s, int l, double *q, double *r)
{
    const rigid_pack *c = &s->pack[0];
    contact law;
    double W[9], Wr[3];
    for (int i = 0; i < 9; ++i) {
        W[i] = c->W[i][l];
    }
    for (int i = 0; i < 3; ++i) {
        r[i] = s->r[LANES * i + l];
    }
    m3_mul(W, r, Wr);
    for (int i = 0; i < 3; ++i) {
        q[i] = s->u[LANES * i + l] - Wr[i];
    }
    contact_prepare(&law, 3, c->mu[l], W, 3, 1);
    return law;
}

static void copy_scene(const scene *from, scene *to)
{
    memcpy(to, from, sizeof *to);
    to->p.body = to->body;
    to->p.pack = to->pack;
}

TEST(every_width_has_the_same_bits)
{
    test_random rng = random_seed(5);
    for (int i = 0; i < TEST_DRAWS(200); ++i) {
        scene a, b;
        measure_sums sums[2] = {0};
        random_scene(&rng, pow(10, random_between(&rng, -2, 1)), &a);
        copy_scene(&a, &b);
        for (int k = 0; k < PACKS_HERE; ++k) {
            packs_make(&a.p, &a.pack[k]);
            packs_make_plain(&b.p, &b.pack[k]);
        }
        ck_assert_int_eq(memcmp(a.pack, b.pack, sizeof a.pack), 0);
        for (int sweep = 0; sweep < 10; ++sweep) {
            const double x = packs_visit(&a.p, a.pack, PACKS_HERE, a.spare, a.y, a.r);
            const double y = packs_visit_plain(&b.p, b.pack, PACKS_HERE, b.spare, b.y, b.r);
            ck_assert_double_eq(x, y);
        }
        for (int k = 0; k < PACKS_HERE; ++k) {
            const int row = a.pack[k].row;
            packs_push(&a.p, &a.pack[k], a.spare, a.r, a.y);
            packs_push_plain(&b.p, &b.pack[k], b.spare, b.r, b.y);
            packs_measure(&a.pack[k], a.spare, a.y, a.r + row, a.u + row, &sums[0]);
            packs_measure_plain(&b.pack[k], b.spare, b.y, b.r + row, b.u + row, &sums[1]);
        }
        ck_assert_int_eq(memcmp(a.y, b.y, sizeof a.y), 0);
        ck_assert_int_eq(memcmp(a.r, b.r, sizeof a.r), 0);
        ck_assert_int_eq(memcmp(a.u, b.u, sizeof a.u), 0);
        ck_assert_int_eq(memcmp(&sums[0], &sums[1], sizeof sums[0]), 0);
        for (int k = 0; k < LINE; ++k) {
            ck_assert_double_eq(a.spare[k], 0);
        }
    }
}

// adds the violations of the lanes of the first pack one by one; s->u is complete where `summed`,
// and is completed where it is H y. Returns |q| + |u|
static double measure_lanes(scene *s, bool summed, measure_sums *out)
{
    const rigid_pack *c = &s->pack[0];
    squares q2 = {0}, u2 = {0};
    for (int l = 0; l < LANES; ++l) {
        const pcs_block block = {PCS_CONE_COULOMB, 0, 3, c->mu[l]};
        double r[3], q[3], u[3];
        for (int i = 0; i < 3; ++i) {
            r[i] = s->r[LANES * i + l];
            q[i] = c->q[i][l];
            if (!summed) s->u[LANES * i + l] += q[i];
            u[i] = s->u[LANES * i + l];
        }
        squares_add(&q2, 3, q);
        squares_add(&u2, 3, u);
        measure_add_violation(out, &block, c->s[l], r, u);
    }
    return squares_root(&q2) + squares_root(&u2);
}

// after repeated visits without any other change, each lane solves its contact
TEST(lanes_solve_their_contacts)
{
    test_random rng = random_seed(6);
    int slides = 0;
    for (int i = 0; i < TEST_DRAWS(500); ++i) {
        scene s;
        measure_sums sums = {0};
        const double mu = pow(10, random_between(&rng, -2, 1));
        random_scene(&rng, mu, &s);
        packs_make(&s.p, s.pack);
        for (int k = 0; k < 10; ++k) {
            packs_visit(&s.p, s.pack, 1, s.spare, s.y, s.r);
        }
        // the same sum as lane by lane; blocks with mu > 1 are left to measure_add_violation
        measure_sums by_lanes = {0};
        const bool summed = packs_measure(s.pack, s.spare, s.y, s.r, s.u, &sums);
        const double size = measure_lanes(&s, summed, &by_lanes);
        const double violation = squares_root(&by_lanes.violation);
        ck_assert_int_eq(summed, mu <= 1);
        ck_assert_double_le(violation, 1e-12 * size);
        if (summed) CK_NEAR(squares_root(&sums.violation), violation, 1e-14 * size);
        if (!summed) ck_assert_double_eq(squares_root(&sums.q), 0);
        for (int l = 0; l < LANES; ++l) {
            double q[3], r[3], x[3];
            const contact law = lane_of(&s, l, q, r);
            ck_assert_double_le(contact_residual(&law, q, r), 1e-11);
            memcpy(x, r, sizeof x);
            slides += contact_solve(&law, q, x) == CONTACT_SLIDE;
        }
    }
    ck_assert_int_gt(slides, 10);
}

// W from unit impulses, one component at a time
TEST(operators_are_those_of_the_impulses)
{
    test_random rng = random_seed(7);
    scene s;
    random_scene(&rng, 0.5, &s);
    packs_make(&s.p, s.pack);
    for (int j = 0; j < 3; ++j) {
        measure_sums sums = {0};
        memset(s.y, 0, sizeof s.y);
        for (int k = 0; k < 3 * LANES; ++k) {
            s.r[k] = k / LANES == j;
        }
        packs_push(&s.p, s.pack, s.spare, s.r, s.y);
        ck_assert(packs_measure(s.pack, s.spare, s.y, s.r, s.u, &sums));
        for (int l = 0; l < LANES; ++l) {
            for (int i = 0; i < 3; ++i) {
                const double Wij = s.u[LANES * i + l] - s.pack->q[i][l];
                ck_assert_double_eq_tol(Wij, s.pack->W[i + 3 * j][l], 1e-12 * s.pack->s[l]);
            }
        }
    }
}

// the terms that are skipped where all bodies are isotropic are zero
TEST(isotropic_bodies_rotate_as_others_do)
{
    test_random rng = random_seed(8);
    for (int i = 0; i < TEST_DRAWS(100); ++i) {
        scene a, b;
        random_scene(&rng, 0.5, &a);
        for (int k = 0; k < BODIES; ++k) {
            const double j = random_between(&rng, 0.5, 5);
            a.body[1 + k] = (body_inverse){a.body[1 + k].m, {j, 0, 0, 0, j, 0, 0, 0, j}};
        }
        copy_scene(&a, &b);
        for (int k = 0; k < PACKS_HERE; ++k) {
            packs_make(&a.p, &a.pack[k]);
            packs_make(&b.p, &b.pack[k]);
            b.pack[k].isotropic = true;
        }
        for (int sweep = 0; sweep < 10; ++sweep) {
            packs_visit(&a.p, a.pack, PACKS_HERE, a.spare, a.y, a.r);
            packs_visit(&b.p, b.pack, PACKS_HERE, b.spare, b.y, b.r);
        }
        for (int k = 0; k < ROWS; ++k) {
            ck_assert_double_eq(a.r[k], b.r[k]);
        }
        for (int k = 0; k < LINE * BODIES; ++k) {
            ck_assert_double_eq(a.y[k], b.y[k]);
        }
    }
}

// bodies that separate faster than any of their rotations brings them together
TEST(open_contacts_change_nothing)
{
    test_random rng = random_seed(9);
    scene s;
    random_scene(&rng, 0.5, &s);
    for (int k = 0; k < PACKS_HERE; ++k) {
        packs_make(&s.p, &s.pack[k]);
        s.pack[k].q[0] = (lanes){50, 50, 50, 50};
    }
    for (int k = 0; k < LINE * BODIES; ++k) {
        s.y[k] = k % LINE < 6 ? random_between(&rng, -1, 1) : 0;
    }
    scene before = s;
    ck_assert_double_eq(packs_visit(&s.p, s.pack, PACKS_HERE, s.spare, s.y, s.r), 0);
    ck_assert_int_eq(memcmp(s.y, before.y, sizeof s.y), 0);
    ck_assert_int_eq(memcmp(s.r, before.r, sizeof s.r), 0);
}

// ---- round contacts ----------------------------------------------------------------------------

enum { ROUNDS = LANES * PACKS_HERE };

// the same contacts one by one and in packs
typedef struct rounds {
    prepared p;
    round_contact one[ROUNDS];
    visit unit[ROUNDS];
    double s[ROUNDS];
    round_pack pack[PACKS_HERE];
} rounds;

static void random_round(test_random *rng, double scale, int k, round_contact *c)
{
    double a[4], w[2] = {0};
    const int first = k / LANES, l = k % LANES;
    const int sys[2] = {(first + l) % 8, l % 3 == 2 ? -1 : 8 + (first + 3 * l) % 8};
    random_quaternion(rng, a);
    v3_unit(a, c->N);
    v3_cross(a + 1, c->N, c->t1);
    v3_unit(c->t1, c->t1);
    for (int i = 0; i < 3; ++i) {
        c->q[i] = scale * (random_normal(rng) - (i == 0));
    }
    for (int e = 0; e < 2; ++e) {
        c->at[e] = sys[e] < 0 ? -1 : LINE * sys[e];
        if (sys[e] < 0) continue;
        c->c[e] = random_normal(rng);
        c->m[e] = random_between(rng, 0.5, 2);
        c->jc[e] = random_between(rng, 0.5, 5) * c->c[e];
        w[0] += c->m[e];
        w[1] += c->m[e] + c->jc[e] * c->c[e];
    }
    c->iN = 1 / w[0];
    c->iT = 1 / w[1];
    c->mu = k % 5 == 0 ? 0 : random_between(rng, 0.1, 1);
    c->row = 3 * k;
}

static void to_lane(const round_contact *c, double s, int l, round_pack *out)
{
    for (int i = 0; i < 3; ++i) {
        out->N[i][l] = c->N[i];
        out->t1[i][l] = c->t1[i];
        out->q[i][l] = c->q[i];
    }
    for (int e = 0; e < 2; ++e) {
        out->c[e][l] = c->c[e];
        out->m[e][l] = c->m[e];
        out->jc[e][l] = c->jc[e];
        out->at[e][l] = c->at[e];
    }
    out->iN[l] = c->iN;
    out->iT[l] = c->iT;
    out->mu[l] = c->mu;
    out->s[l] = s;
}

static void random_rounds(test_random *rng, double scale, rounds *out)
{
    memset(out, 0, sizeof *out);
    out->p = (prepared){.unit = out->unit, .round = out->one, .s = out->s};
    for (int k = 0; k < ROUNDS; ++k) {
        round_pack *c = &out->pack[k / LANES];
        random_round(rng, scale, k, &out->one[k]);
        out->unit[k] = (visit){VISIT_ROUND, k};
        out->s[k] = (1 / out->one[k].iN + 2 / out->one[k].iT) / 3;
        to_lane(&out->one[k], out->s[k], k % LANES, c);
        c->n = LANES;
        c->row = 3 * LANES * (k / LANES);
    }
}

static void same_rows(const double *single, const double *packed)
{
    for (int k = 0; k < ROUNDS; ++k) {
        for (int i = 0; i < 3; ++i) {
            const double lane = packed[3 * LANES * (k / LANES) + LANES * i + k % LANES];
            ck_assert_int_eq(memcmp(&single[3 * k + i], &lane, sizeof lane), 0);
        }
    }
}

// the squares of tangential impulses of 1e-160 and 1e160 are not accurate
TEST(round_packs_have_the_bits_of_single_contacts)
{
    static const double scales[] = {1, 1e-160, 1e160};
    enum { WIDTHS = 2 };
    test_random rng = random_seed(10);
    int open = 0, moved = 0;
    for (int i = 0; i < TEST_DRAWS(300); ++i) {
        rounds s;
        double y[1 + WIDTHS][LINE * BODIES] = {{0}}, r[1 + WIDTHS][ROWS] = {{0}};
        double u[1 + WIDTHS][ROWS], spare[LINE] = {0};
        measure_sums sums[1 + WIDTHS];
        memset(sums, 0, sizeof sums);
        random_rounds(&rng, scales[i % 3], &s);
        for (int sweep = 0; sweep < 10; ++sweep) {
            blocks_visit(&s.p, 0, ROUNDS, spare, y[0], r[0]);
            const double a = packs_visit_round(s.pack, PACKS_HERE, spare, y[1], r[1]);
            const double b = packs_visit_round_plain(s.pack, PACKS_HERE, spare, y[2], r[2]);
            ck_assert_int_eq(memcmp(&a, &b, sizeof a), 0);
            moved += a > 0;
        }
        blocks_push(&s.p, 0, ROUNDS, spare, r[0], y[0]);
        blocks_measure(&s.p, 0, ROUNDS, spare, y[0], r[0], false, u[0], &sums[0]);
        bool summed = true;
        for (int k = 0; k < PACKS_HERE; ++k) {
            const round_pack *c = &s.pack[k];
            packs_push_round(c, spare, r[1], y[1]);
            packs_push_round_plain(c, spare, r[2], y[2]);
        }
        for (int k = 0; k < PACKS_HERE; ++k) {
            const round_pack *c = &s.pack[k];
            const int row = c->row;
            summed =
                packs_measure_round(c, spare, y[1], r[1] + row, u[1] + row, &sums[1]) && summed;
            packs_measure_round_plain(c, spare, y[2], r[2] + row, u[2] + row, &sums[2]);
        }
        for (int w = 1; w <= WIDTHS; ++w) {
            ck_assert_int_eq(memcmp(y[0], y[w], sizeof y[0]), 0);
            same_rows(r[0], r[w]);
            if (summed) same_rows(u[0], u[w]);
        }
        ck_assert_int_eq(memcmp(&sums[1], &sums[2], sizeof sums[1]), 0);
        ck_assert_int_eq(memcmp(u[1], u[2], sizeof u[1]), 0);
        if (summed) {
            const double violation = squares_root(&sums[0].violation);
            CK_NEAR(squares_root(&sums[1].violation), violation, 1e-12 * violation);
        }
        for (int k = 0; k < ROUNDS; ++k) {
            open += r[0][3 * k] == 0;
        }
    }
    ck_assert_int_gt(open, 0);
    ck_assert_int_gt(moved, 0);
}

// every number by itself, for lengths that do not fill registers
TEST(extrapolation_has_the_same_bits_in_every_width)
{
    enum { MOST = 13 };
    test_random rng = random_seed(11);
    for (size_t n = 0; n <= MOST; ++n) {
        const double b = random_between(&rng, 0, 1);
        double x[2][MOST], before[2][MOST];
        for (size_t i = 0; i < n; ++i) {
            x[0][i] = x[1][i] = random_normal(&rng);
            before[0][i] = before[1][i] = random_normal(&rng);
        }
        packs_extrapolate(b, n, x[0], before[0]);
        for (size_t i = 0; i < n; ++i) {
            const double now = x[1][i];
            x[1][i] = now + b * (now - before[1][i]);
            ck_assert_int_eq(memcmp(&before[0][i], &now, sizeof now), 0);
            ck_assert_int_eq(memcmp(&x[0][i], &x[1][i], sizeof now), 0);
        }
    }
}
