// auto on problems of one to six contacts, W of deficient rank: faces of boxes whose corners nearly
// fit a plane, bodies on joints, also redundant ones. Their q leaves the range of W by up to 1e-9:
// then impulses have to move among the contacts until one opens or slides. If any of five other
// solvers solves a problem, auto solves it too. Boxes jammed between faces by large friction are
// solved where their solution exists for certain.
#include "support.h"

#include <percuss/solver.h>
#include <percuss/solver_table.h>

typedef enum shape { FACE, JOINED, REDUNDANT, STACKED, SHAPES, JAMMED = SHAPES } shape;
static const char *const shape_name[] = {"face", "joined", "redundant", "stacked", "jammed"};

enum { CONTACTS = 6, JOINTS = 2, ROWS = 3 * (CONTACTS + JOINTS), NV = 12 };

typedef struct small {
    pcs_problem p;
    pcs_block block[CONTACTS + JOINTS];
    double H[ROWS][NV], W[ROWS * ROWS], q[ROWS];
    pcs_arena arena;
} small;

// the rows of a point at `lever` from the centre of a body: N the axis, T1 and T2 the next two
static void add_rows(small *s, int row, int body, double sign, int axis, const double lever[3])
{
    for (int k = 0; k < 3; ++k) {
        double *h = s->H[row + k] + 6 * body, t[3] = {0};
        t[(axis + k) % 3] = 1;
        for (int i = 0; i < 3; ++i) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            h[i] = sign * t[i];
            h[3 + i] = sign * (lever[j] * t[l] - lever[l] * t[j]);
        }
    }
}

static int add_block(small *s, pcs_cone cone, double mu)
{
    const int row = s->p.n;
    s->block[s->p.nb++] = (pcs_block){.cone = cone, .row = row, .dim = 3, .mu = mu};
    s->p.n += 3;
    return row;
}

static void add_contacts(small *s, shape k, const double edge[3], test_random *rng)
{
    const int count = 1 + (int)(CONTACTS * random_unit(rng));
    const double misfit = pow(10, random_between(rng, -14, -3));
    for (int c = 0; c < count; ++c) {
        double lever[3] = {c % 2 ? edge[0] : -edge[0], c / 2 % 2 ? edge[1] : -edge[1], -edge[2]};
        for (int i = 0; i < 3; ++i) {
            if (c >= 4 && i < 2) lever[i] *= random_unit(rng);
            lever[i] *= 1 + misfit * random_normal(rng);
        }
        const double mu = random_unit(rng) < 0.5 ? 0.4 : random_between(rng, 0.02, 1.2);
        const int row = add_block(s, PCS_CONE_COULOMB, mu);
        add_rows(s, row, k == JOINED && c % 2, 1, 2, lever);
        lever[2] += 2 * edge[2];
        if (k == STACKED && c >= 3) add_rows(s, row, 1, -1, 2, lever);
    }
}

// corners of two boxes against walls of any direction, and against each other
static void add_jammed(small *s, const double edge[3], test_random *rng)
{
    const int count = 3 + (int)((CONTACTS - 2) * random_unit(rng));
    const double misfit = pow(10, random_between(rng, -10, -2));
    for (int c = 0; c < count; ++c) {
        const int axis = (int)(3 * random_unit(rng)), body = random_unit(rng) < 0.5;
        const double side = random_unit(rng) < 0.5 ? -1 : 1;
        double lever[3];
        for (int i = 0; i < 3; ++i) {
            lever[i] = i == axis || random_unit(rng) < 0.5 ? -side * edge[i] : side * edge[i];
            lever[i] *= 1 + misfit * random_normal(rng);
        }
        const int row = add_block(s, PCS_CONE_COULOMB, pow(10, random_between(rng, 0.5, 1.5)));
        add_rows(s, row, body, side, axis, lever);
        lever[axis] += 2 * side * edge[axis];
        if (random_unit(rng) < 0.3) add_rows(s, row, 1 - body, -side, axis, lever);
    }
}

static void add_joints(small *s, int count, test_random *rng)
{
    double lever[2][3];
    for (int i = 0; i < 6; ++i) {
        lever[i / 3][i % 3] = 0.2 * random_normal(rng);
    }
    for (int j = 0; j < count; ++j) {
        const int row = add_block(s, PCS_CONE_EQUALITY, 0);
        add_rows(s, row, 0, 1, 2, lever[0]);
        add_rows(s, row, 1, -1, 2, lever[1]);
    }
}

// bodies that fall, and may slide and rotate by little or much
static void velocities(test_random *rng, double v[NV])
{
    const int way = (int)(3 * random_unit(rng));
    memset(v, 0, NV * sizeof *v);
    for (int b = 0; b < NV; b += 6) {
        v[b + 2] = -0.0981;
        for (int i = 0; i < 3; ++i) {
            if (way >= 1 && i < 2) v[b + i] = 0.1 * random_normal(rng);
            if (way == 2) v[b + 3 + i] = pow(10, random_between(rng, -8, 0)) * random_normal(rng);
        }
    }
}

static void open_small(small *s, shape k, uint64_t seed)
{
    test_random rng = random_seed(seed);
    *s = (small){0};
    double edge[3], inverse[NV], v[NV];
    for (int i = 0; i < 3; ++i) {
        edge[i] = random_between(&rng, 0.05, 0.5);
    }
    if (k == JAMMED) {
        add_jammed(s, edge, &rng);
    } else {
        add_contacts(s, k, edge, &rng);
    }
    if (k == JOINED || k == REDUNDANT) add_joints(s, k == JOINED ? 1 : 2, &rng);
    for (int i = 0; i < NV; ++i) {
        const double side = edge[i % 3] * edge[(i + 1) % 3];
        inverse[i] = random_between(&rng, 0.3, 2) / (i % 6 < 3 ? 1 : 0.1 * side + 1e-4);
        if (k == JAMMED && i % 6 >= 3) inverse[i] *= pow(10, random_between(&rng, -2, 2));
    }
    velocities(&rng, v);
    // q of velocities: the jammed have a solution
    const double noise =
        k == JAMMED || random_unit(&rng) < 0.3 ? 0 : pow(10, random_between(&rng, -15, -10));
    for (int i = 0; i < s->p.n; ++i) {
        s->q[i] = noise * random_normal(&rng);
        for (int e = 0; e < NV; ++e) {
            s->q[i] += s->H[i][e] * v[e];
        }
        for (int j = 0; j < s->p.n; ++j) {
            double *w = &s->W[i + s->p.n * j];
            for (int e = 0; e < NV; ++e) {
                *w += s->H[i][e] * inverse[e] * s->H[j][e];
            }
        }
    }
    s->p.block = s->block;
    s->p.q = s->q;
    CK_OK(pcs_arena_create(NULL, (size_t)1 << 16, &s->arena));
    CK_OK(pcs_bsr_from_dense(s->p.n, s->p.n, s->W, &s->arena, &s->p.W));
}

// true when the solver accepts and solves the problem, from r = 0 or from the result of 2000 sweeps
static bool solves(const small *s, pcs_solver kind, double tol, bool warm)
{
    double r[ROWS] = {0}, u[ROWS];
    pcs_report report;
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    o.tol = 1e-7;
    o.max_iters = 2000;
    if (warm) CK_OK(pcs_solve_alloc(NULL, &s->p, &o, r, u, &report));
    o = pcs_solver_opts_default(kind);
    o.tol = tol;
    const pcs_status status = pcs_solve_alloc(NULL, &s->p, &o, r, u, &report);
    if (status == PCS_OK) return report.outcome == PCS_OUTCOME_CONVERGED;
    ck_assert_int_eq(status, PCS_ERR_UNSUPPORTED); // enum: too many contacts
    return false;
}

static void expect_best(shape k, int seed)
{
    static const char *const others[] = {"newton", "enum", "ipm", "prox", "nsgs"};
    small s;
    open_small(&s, k, (uint64_t)(SHAPES * seed) + (uint64_t)k);
    const double tol = seed % 2 ? 1e-12 : 1e-13;
    const bool warm = seed / 2 % 2, solved = solves(&s, PCS_SOLVER_AUTO, tol, warm);
    for (int i = 0; i < 5 && !solved; ++i) {
        const pcs_solver other = pcs_solver_find(others[i])->kind;
        ck_assert_msg(!solves(&s, other, tol, warm), "%s, seed %d: %s solves it", shape_name[k],
                      seed, others[i]);
    }
    pcs_arena_destroy(NULL, &s.arena);
}

TEST(solves_what_others_solve)
{
    for (int k = 0; k < SHAPES; ++k) {
        for (int seed = 0; seed < TEST_DRAWS(60); ++seed) {
            expect_best((shape)k, seed);
        }
    }
}

// no part before the random starts solves one of these
TEST(solves_jammed_boxes)
{
    static const int seeds[] = {1553, 749, 322, 346, 634, 937, 1227, 1385, 2244, 2353};
    for (int i = 0; i < TEST_DRAWS((int)(sizeof seeds / sizeof *seeds)); ++i) {
        small s;
        open_small(&s, JAMMED, (uint64_t)seeds[i]);
        ck_assert_msg(solves(&s, PCS_SOLVER_AUTO, 1e-8, false), "%s, seed %d", shape_name[JAMMED],
                      seeds[i]);
        pcs_arena_destroy(NULL, &s.arena);
    }
}
