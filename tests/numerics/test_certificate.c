// Certificates: both sides of every limit, closed forms for bodies on several contacts, random
// solutions of the same problem within the intervals, units.
#include <math.h>
#include <string.h>

#include <percuss/numerics.h>

#include "base/base.h"
#include "friction.h"
#include "support.h"

enum { MOST = 60 };

// a dense problem over contacts of one kind
typedef struct toy {
    pcs_problem p;
    pcs_block block[MOST / 2];
    double W[MOST * MOST], q[MOST], r[MOST], u[MOST];
    unsigned char memory[4096];
    pcs_arena arena;
} toy;

static void toy_close(toy *t)
{
    t->arena = (pcs_arena){.base = t->memory, .size = sizeof t->memory};
    t->p.block = t->block;
    t->p.q = t->q;
    CK_OK(pcs_bsr_from_dense(t->p.n, t->p.n, t->W, &t->arena, &t->p.W));
}

static void toy_add(toy *t, pcs_cone cone, int dim, double mu)
{
    t->block[t->p.nb++] = (pcs_block){.cone = cone, .row = t->p.n, .dim = dim, .mu = mu};
    t->p.n += dim;
}

// W = H diag(w) H' with H n x nv
static void toy_operator(toy *t, int nv, const double *H, const double *w)
{
    const int n = t->p.n;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < nv; ++k) {
                sum += H[i + n * k] * w[k] * H[j + n * k];
            }
            t->W[i + n * j] = sum;
        }
    }
}

// one contact with W = w 1 and this q, solved exactly
static pcs_contact_status single(pcs_cone cone, int dim, double mu, double w, const double *q,
                                 double *margin, pcs_certificate *c)
{
    toy *t = calloc(1, sizeof *t);
    toy_add(t, cone, dim, mu);
    for (int i = 0; i < dim; ++i) {
        t->W[i + dim * i] = w;
        t->q[i] = q[i];
    }
    toy_close(t);
    const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, &t->p, &o, t->r, t->u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    pcs_contact_status status;
    CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-9, t->r, &status, margin, c));
    free(t);
    return status;
}

TEST(both_sides_of_every_border)
{
    const double sizes[] = {1e-6, 1, 1e6}, mus[] = {0.05, 0.5, 3};
    for (int k = 0; k < 9; ++k) {
        const double w = sizes[k % 3], mu = mus[k / 3], d = 1e-6, length = hypot(1, mu);
        pcs_certificate c;
        double m;
        for (int dim = 2; dim <= 3; ++dim) {
            const double out[3] = {d, 1, 0}, in[3] = {-d, 1, 0};
            ck_assert_int_eq(single(PCS_CONE_COULOMB, dim, mu, w, out, &m, &c), PCS_CONTACT_OPEN);
            CK_NEAR(m, d, 1e-11);
            ck_assert_int_eq(single(PCS_CONE_COULOMB, dim, mu, w, in, &m, &c), PCS_CONTACT_SLIDE);
            CK_NEAR(m, d * length, 1e-11);
            ck_assert_int_eq(c.columns, 1);

            const double stick[3] = {-1, mu - d, 0}, slide[3] = {-1, -(mu + d), 0};
            ck_assert_int_eq(single(PCS_CONE_COULOMB, dim, mu, w, stick, &m, &c),
                             PCS_CONTACT_STICK);
            CK_NEAR(m, d / length / hypot(1, mu - d), 1e-11);
            ck_assert_int_eq(c.columns, dim);
            ck_assert_int_eq(c.rank, dim);
            ck_assert_int_eq(single(PCS_CONE_COULOMB, dim, mu, w, slide, &m, &c),
                             PCS_CONTACT_SLIDE);
            CK_NEAR(m, d / hypot(1, mu + d), 1e-11);
            ck_assert_int_eq(c.r, PCS_UNIQUENESS_YES);
            ck_assert_int_eq(c.u, PCS_UNIQUENESS_LOCAL);
            ck_assert_int_eq(c.slide, 1);

            const double border[3] = {-1, mu, 0}, touch[3] = {0, 1, 0};
            ck_assert_int_eq(single(PCS_CONE_COULOMB, dim, mu, w, border, &m, &c),
                             PCS_CONTACT_UNDECIDED);
            ck_assert_int_eq(single(PCS_CONE_COULOMB, dim, mu, w, touch, &m, &c),
                             PCS_CONTACT_UNDECIDED);
            ck_assert(m <= 1e-9);
            ck_assert_int_eq(c.undecided, 1);
        }
    }
}

TEST(without_friction_open_or_closed)
{
    pcs_certificate c;
    double m, q[3] = {2, 0, 0};
    ck_assert_int_eq(single(PCS_CONE_UNILATERAL, 1, 0, 3, q, &m, &c), PCS_CONTACT_OPEN);
    CK_NEAR(m, 1, 1e-12);
    ck_assert_int_eq(c.u, PCS_UNIQUENESS_YES);
    q[0] = -2;
    ck_assert_int_eq(single(PCS_CONE_UNILATERAL, 1, 0, 3, q, &m, &c), PCS_CONTACT_SLIDE);
    ck_assert_int_eq(c.closed, 1);
    ck_assert_int_eq(c.slide, 0);
    CK_NEAR(m, 1, 1e-12);
    ck_assert_int_eq(single(PCS_CONE_EQUALITY, 1, 0, 3, q, &m, &c), PCS_CONTACT_STICK);
    ck_assert(isinf(m));
    ck_assert_int_eq(c.columns, 1);
    ck_assert_int_eq(c.open + c.closed + c.stick + c.slide + c.undecided, 0);
    q[1] = 1;
    ck_assert_int_eq(single(PCS_CONE_COULOMB, 3, 0, 3, q, &m, &c), PCS_CONTACT_SLIDE);
    ck_assert_int_eq(c.slide, 1);
    ck_assert_int_eq(c.columns, 1);
    ck_assert_int_eq(c.u, PCS_UNIQUENESS_YES);
}

TEST(nothing_at_all_is_undecided)
{
    pcs_certificate c;
    double m;
    const double q[3] = {0, 0, 0};
    ck_assert_int_eq(single(PCS_CONE_COULOMB, 3, 0.5, 1, q, &m, &c), PCS_CONTACT_UNDECIDED);
    CK_NEAR(m, 0, 0);
    // independent columns give a unique r in any status
    ck_assert_int_eq(c.r, PCS_UNIQUENESS_YES);
    ck_assert_int_eq(c.u, PCS_UNIQUENESS_UNKNOWN);
}

// ---- a box on its corners ----------------------------------------------------------------------

// four corners on the ground, N T1 T2 each, or N alone; unit mass, weight 1 over the step
static void box(toy *t, bool rough, double mu)
{
    const double a = 0.7, b = 0.4, h = 0.3;
    const double corner[4][3] = {{a, b, -h}, {-a, b, -h}, {-a, -b, -h}, {a, -b, -h}};
    // rows z x y of v + omega x p
    static const int axis[3] = {2, 0, 1};
    const double w[6] = {1, 1, 1, 5, 7, 3};
    const int d = rough ? 3 : 1, n = 4 * d;
    double H[12 * 6];
    memset(H, 0, sizeof H);
    for (int i = 0; i < 4; ++i) {
        toy_add(t, rough ? PCS_CONE_COULOMB : PCS_CONE_UNILATERAL, d, mu);
        const double *p = corner[i];
        const double cross[3][3] = {{0, p[2], -p[1]}, {-p[2], 0, p[0]}, {p[1], -p[0], 0}};
        for (int c = 0; c < d; ++c) {
            const int row = d * i + c;
            H[row + n * axis[c]] = 1;
            for (int k = 0; k < 3; ++k) {
                H[row + n * (3 + k)] = cross[axis[c]][k];
            }
        }
        t->q[d * i] = -1;
    }
    toy_operator(t, 6, H, w);
    toy_close(t);
}

// of a box on four corners, whose impulses are not unique: the least ones are a quarter of the
// weight on each corner, and none needs more than half
static pcs_certificate box_certificate(const toy *t, int dim, const double *loads)
{
    pcs_contact_status status[4];
    pcs_certificate c;
    double margin[4];
    CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-10, loads, status, margin, &c));
    ck_assert_int_eq(c.columns, 4 * dim);
    ck_assert_int_eq(c.r, PCS_UNIQUENESS_NO);
    const double tol = dim == 1 ? 1e-9 : 1e-8;
    double least[12], low[4], high[4];
    CK_OK(pcs_certificate_least_impulse(NULL, &t->p, 1e-10, loads, least));
    CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-10, loads, low, high));
    for (int i = 0; i < 4; ++i) {
        CK_NEAR(least[dim * i], 0.25, 1e-9);
        for (int k = 1; k < dim; ++k) {
            CK_NEAR(least[dim * i + k], 0, 1e-9);
        }
        CK_NEAR(low[i], 0, tol);
        CK_NEAR(high[i], 0.5, tol);
    }
    return c;
}

TEST(box_without_friction)
{
    toy *t = calloc(1, sizeof *t);
    box(t, false, 0);
    const double loads[4] = {0.1, 0.4, 0.1, 0.4};
    const pcs_certificate c = box_certificate(t, 1, loads);
    ck_assert(c.closed == 4 && c.rank == 3 && c.u == PCS_UNIQUENESS_YES);
    free(t);
}

TEST(box_with_friction)
{
    toy *t = calloc(1, sizeof *t);
    box(t, true, 0.4);
    const double r[12] = {0.2, 0.01, 0, 0.3, -0.01, 0, 0.2, 0, 0, 0.3, 0, 0};
    // the tangential forces rotate the box: others balance them
    double balanced[12];
    memcpy(balanced, r, sizeof r);
    balanced[7] = -0.01;
    balanced[10] = 0.01;
    const pcs_certificate c = box_certificate(t, 3, balanced);
    ck_assert(c.measure.residual < 1e-14);
    ck_assert(c.stick == 4 && c.rank == 6 && c.u == PCS_UNIQUENESS_LOCAL);
    free(t);
}

TEST(box_that_slides)
{
    // each corner has one direction left: normal, with x and y moments; four of them are dependent
    toy *t = calloc(1, sizeof *t);
    box(t, true, 0.4);
    for (int i = 0; i < 4; ++i) {
        t->q[3 * i + 1] = 2;
    }
    const pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, &t->p, &o, t->r, t->u, &report));
    pcs_contact_status status[4];
    pcs_certificate c;
    CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-8, t->r, status, NULL, &c));
    ck_assert_int_eq(c.slide, 4);
    ck_assert_int_eq(c.columns, 4);
    ck_assert_int_eq(c.rank, 3);
    ck_assert_int_eq(c.r, PCS_UNIQUENESS_NO);
    ck_assert_int_eq(c.u, PCS_UNIQUENESS_LOCAL);
    ck_assert(c.moved < 1e-6);
    double low[4], high[4];
    CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-8, t->r, low, high));
    for (int i = 0; i < 4; ++i) {
        // the shift along the null space (1, -1, 1, -1) ends where two corners lift off
        const int other = i < 2 ? i + 2 : i - 2, next = (i + 1) % 4, last = (i + 3) % 4;
        CK_NEAR(low[i], t->r[3 * i] - fmin(t->r[3 * i], t->r[3 * other]), 1e-7);
        CK_NEAR(high[i], t->r[3 * i] + fmin(t->r[3 * next], t->r[3 * last]), 1e-7);
    }
    free(t);
}

TEST(wrong_statuses_are_taken_back)
{
    // W nearly singular: a residual of 1e-7 hides a contact that is open in the solution
    toy *t = calloc(1, sizeof *t);
    toy_add(t, PCS_CONE_UNILATERAL, 1, 0);
    toy_add(t, PCS_CONE_UNILATERAL, 1, 0);
    const double e = 1e-8, W[4] = {1, 1 - e, 1 - e, 1}, r[2] = {0.5, 0.5};
    memcpy(t->W, W, sizeof W);
    // solution r = (1, 0), u = (0, 1e-8)
    t->q[0] = -1;
    t->q[1] = -1 + 2 * e;
    toy_close(t);
    pcs_contact_status status[2];
    pcs_certificate c;
    CK_OK(pcs_certificate_statuses(NULL, &t->p, 0, r, status, NULL, &c));
    ck_assert(c.measure.residual < 1e-7);
    ck_assert_int_eq(c.closed, 2);
    CK_OK(pcs_certificate_compute(NULL, &t->p, 0, r, status, NULL, &c));
    ck_assert_int_eq(status[0], PCS_CONTACT_SLIDE);
    ck_assert_int_eq(status[1], PCS_CONTACT_UNDECIDED);
    ck_assert(c.moved < 1e-7);
    free(t);
}

// ---- a particle in a groove --------------------------------------------------------------------

// walls at the angle alpha from the vertical, weight 1; contact 0 pushes to the right
static void groove(toy *t, double alpha, double mu, double unit)
{
    const double c = cos(alpha), s = sin(alpha);
    // N T of both contacts against x y
    const double H[8] = {c, -s, -c, s, s, c, s, c}, w[2] = {unit, unit};
    toy_add(t, PCS_CONE_COULOMB, 2, mu);
    toy_add(t, PCS_CONE_COULOMB, 2, mu);
    toy_operator(t, 2, H, w);
    for (int i = 0; i < 4; ++i) {
        t->q[i] = -H[i + 4];
    }
    toy_close(t);
    t->r[0] = t->r[2] = 1 / (2 * s) / unit;
}

TEST(groove_that_holds)
{
    // the forces lie within the angles alpha -+ phi from the horizontal, and balance the weight
    const double alpha = 0.5, mu = 0.2, phi = atan(mu);
    for (int k = -1; k <= 1; ++k) {
        const double unit = pow(10, 6 * k);
        toy *t = calloc(1, sizeof *t);
        groove(t, alpha, mu, unit);
        pcs_contact_status status[2];
        pcs_certificate c;
        double low[2], high[2], least[4];
        CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-10, t->r, status, NULL, &c));
        ck_assert_int_eq(c.stick, 2);
        ck_assert_int_eq(c.rank, 2);
        ck_assert_int_eq(c.r, PCS_UNIQUENESS_NO);
        CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-10, t->r, low, high));
        CK_OK(pcs_certificate_least_impulse(NULL, &t->p, 1e-10, t->r, least));
        const double a = tan(alpha - phi), b = tan(alpha + phi);
        for (int i = 0; i < 2; ++i) {
            CK_NEAR(high[i] * unit, (cos(alpha) + a * sin(alpha)) / (2 * a), 1e-8);
            CK_NEAR(low[i] * unit, (cos(alpha) + b * sin(alpha)) / (2 * b), 1e-8);
            // the shortest has the least thrust: both at the steepest angle
            CK_NEAR(hypot(least[2 * i], least[2 * i + 1]) * unit, hypot(1 / (2 * b), 0.5), 1e-8);
        }
        free(t);
    }
}

TEST(groove_that_wedges)
{
    toy *t = calloc(1, sizeof *t);
    groove(t, 0.3, 0.4, 1);
    double low[2], high[2];
    CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-10, t->r, low, high));
    const double b = tan(0.3 + atan(0.4));
    for (int i = 0; i < 2; ++i) {
        ck_assert(isinf(high[i]));
        CK_NEAR(low[i], (cos(0.3) + b * sin(0.3)) / (2 * b), 1e-8);
    }
    free(t);
}

TEST(groove_near_the_border)
{
    // the thrust grows without bound as the friction angle approaches that of the walls
    for (int k = 2; k <= 4; ++k) {
        const double d = pow(10, -k), alpha = 0.3, a = tan(d);
        toy *t = calloc(1, sizeof *t);
        groove(t, alpha, tan(alpha - d), 1);
        double low[2], high[2];
        CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-10, t->r, low, high));
        const double hand = (cos(alpha) + a * sin(alpha)) / (2 * a);
        CK_NEAR(high[0] / hand, 1, 1e-6);
        free(t);
    }
}

TEST(boxes_keep_their_limits)
{
    // three motors on one shaft, W = 1 each: two hold it, the third slips against u = 1
    toy *t = calloc(1, sizeof *t);
    toy_add(t, PCS_CONE_BOX, 1, 0.5);
    toy_add(t, PCS_CONE_BOX, 1, 0.2);
    toy_add(t, PCS_CONE_BOX, 1, 0.1);
    const double H[6] = {1, 1, 0, 0, 0, 1}, w[2] = {1, 1}, r[3] = {0.45, 0.15, -0.1};
    toy_operator(t, 2, H, w);
    t->q[0] = t->q[1] = -0.6;
    t->q[2] = 1.1;
    toy_close(t);
    double least[3];
    CK_OK(pcs_certificate_least_impulse(NULL, &t->p, 1e-10, r, least));
    CK_NEAR(least[0], 0.4, 1e-8);
    CK_NEAR(least[1], 0.2, 1e-8);
    CK_NEAR(least[2], -0.1, 0);
    free(t);
}

// with much friction a contact that pushes along the border of the cone and separates is no slide:
// W = [1 .5; .5 1] has one solution, which slides with u_N = 0
TEST(no_slide_separates)
{
    toy *t = calloc(1, sizeof *t);
    toy_add(t, PCS_CONE_COULOMB, 2, 1e9);
    const double W[4] = {1, 0.5, 0.5, 1}, r[2][2] = {{866e-9, 866}, {2e-9, 2}};
    memcpy(t->W, W, sizeof W);
    t->q[0] = -1;
    t->q[1] = -1000;
    toy_close(t);
    for (int k = 0; k < 2; ++k) {
        pcs_contact_status status;
        pcs_certificate c;
        CK_OK(pcs_certificate_compute(NULL, &t->p, 2e-8, r[k], &status, NULL, &c));
        ck_assert_int_eq(status, k == 0 ? PCS_CONTACT_UNDECIDED : PCS_CONTACT_SLIDE);
    }
    free(t);
}

// an error of u within that of r and u decides nothing about a contact that sticks
TEST(sticks_with_much_friction)
{
    for (int k = 0; k < 2; ++k) {
        toy *t = calloc(1, sizeof *t);
        toy_add(t, PCS_CONE_COULOMB, 2, 1e9);
        // r = (1e-3, 0) leaves u = (0, 1e-10), r = (0, 0) leaves u = (0, 0)
        t->W[0] = t->W[3] = 1;
        t->q[0] = k == 0 ? -1e-3 : 0;
        t->q[1] = k == 0 ? 1e-10 : 0;
        const double r[2] = {-t->q[0], 0};
        toy_close(t);
        pcs_contact_status status;
        pcs_certificate c;
        CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-6, r, &status, NULL, &c));
        ck_assert_int_eq(status, k == 0 ? PCS_CONTACT_STICK : PCS_CONTACT_UNDECIDED);
        free(t);
    }
}

// ---- uniqueness --------------------------------------------------------------------------------

TEST(a_slide_that_may_be_anything)
{
    // W e has no normal component: any r_N slides
    toy *t = calloc(1, sizeof *t);
    toy_add(t, PCS_CONE_COULOMB, 2, 2);
    const double W[4] = {1, 0.5, 0.5, 1};
    memcpy(t->W, W, sizeof W);
    t->q[1] = 10;
    toy_close(t);
    for (int k = 1; k < 5; ++k) {
        const double r[2] = {k, -2 * k};
        pcs_contact_status status;
        pcs_certificate c;
        CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-10, r, &status, NULL, &c));
        ck_assert(c.measure.residual < 1e-14);
        ck_assert_int_eq(status, PCS_CONTACT_SLIDE);
        ck_assert_int_eq(c.r, PCS_UNIQUENESS_YES);
        ck_assert_int_eq(c.u, PCS_UNIQUENESS_NO);
    }
    free(t);
}

TEST(planted_borders_are_undecided)
{
    toy *t = calloc(1, sizeof *t);
    for (int b = 0; b < 5; ++b) {
        toy_add(t, PCS_CONE_COULOMB, 3, 0.5);
    }
    const int n = t->p.n;
    // strictly open, stick, slide; r_N = u_N = 0 at rest; the same while slipping
    const double r[15] = {0, 0, 0, 1, 0.1, 0, 1, -0.5, 0, 0, 0, 0, 0, 0, 0};
    const double u[15] = {1, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0};
    test_random random = random_seed(7);
    double H[15 * 20], w[20];
    for (int i = 0; i < n * 20; ++i) {
        H[i] = random_normal(&random) / sqrt(20);
    }
    for (int i = 0; i < 20; ++i) {
        w[i] = 1;
    }
    toy_operator(t, 20, H, w);
    for (int i = 0; i < n; ++i) {
        t->q[i] = u[i];
        for (int j = 0; j < n; ++j) {
            t->q[i] -= t->W[i + n * j] * r[j];
        }
    }
    toy_close(t);
    pcs_contact_status status[5];
    pcs_certificate c;
    double margin[5], low[5], high[5];
    CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-10, r, status, margin, &c));
    ck_assert_int_eq(status[0], PCS_CONTACT_OPEN);
    ck_assert_int_eq(status[1], PCS_CONTACT_STICK);
    ck_assert_int_eq(status[2], PCS_CONTACT_SLIDE);
    ck_assert_int_eq(status[3], PCS_CONTACT_UNDECIDED);
    ck_assert_int_eq(status[4], PCS_CONTACT_UNDECIDED);
    // stick 3, slide 1, at rest 3, slipping 1
    ck_assert_int_eq(c.columns, 8);
    ck_assert_int_eq(c.rank, 8);
    ck_assert_int_eq(c.r, PCS_UNIQUENESS_YES);
    ck_assert_int_eq(c.u, PCS_UNIQUENESS_UNKNOWN);
    CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 1e-10, r, low, high));
    for (int b = 0; b < 5; ++b) {
        CK_NEAR(low[b], r[3 * b], 1e-9);
        CK_NEAR(high[b], r[3 * b], 1e-9);
    }
    free(t);
}

// ---- against solutions of the same problem -----------------------------------------------------

static double length(int n, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static void expect_within(friction kind, int nc, uint64_t seed, int *far, int *seen)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, friction_bytes(kind, nc), &arena));
    double *unused;
    pcs_arena work = arena;
    const pcs_problem p = friction_problem(kind, nc, seed, &work, &unused);
    const size_t n = (size_t)p.n, nb = (size_t)p.nb;
    double *r = calloc(7 * n, sizeof *r), *u = r + n, *x = u + n, *v = x + n, *least = v + n;
    double *low = least + n, *high = low + n;
    pcs_contact_status *status = calloc(nb, sizeof *status);
    pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
    o.tol = 1e-11;
    pcs_report report;
    pcs_certificate c;
    CK_OK(pcs_solve_alloc(NULL, &p, &o, r, u, &report));
    ck_assert_int_eq(report.outcome, PCS_OUTCOME_CONVERGED);
    CK_OK(pcs_certificate_compute(NULL, &p, 1e-9, r, status, NULL, &c));
    CK_OK(pcs_certificate_least_impulse(NULL, &p, 1e-9, r, least));
    CK_OK(pcs_certificate_impulse_intervals(NULL, &p, 1e-9, r, low, high));

    // the shortest r solves the problem too
    pcs_measure m;
    pcs_problem_measure(&p, least, v, &m);
    ck_assert_msg(m.residual < 1e-7, "%s %d: the shortest misses by %g", friction_name[kind],
                  (int)seed, m.residual);
    const double size = length(p.n, r), norm = length(p.n, least);

    o = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    o.tol = 1e-10;
    o.max_iters = 20000;
    test_random random = random_seed(seed + 99);
    for (int k = 0; k < 20; ++k) {
        for (size_t i = 0; i < n; ++i) {
            x[i] = k == 0 ? r[i] : size * random_normal(&random);
        }
        CK_OK(pcs_solve_alloc(NULL, &p, &o, x, v, &report));
        if (report.outcome != PCS_OUTCOME_CONVERGED) continue;
        double apart = 0;
        for (size_t i = 0; i < n; ++i) {
            apart = fmax(apart, fabs(v[i] - u[i]));
        }
        if (apart > 1e-8 * report.measure.norm_q) continue; // another u
        *seen += 1;
        ck_assert(length(p.n, x) >= norm * (1 - 1e-6));
        for (size_t b = 0; b < nb; ++b) {
            if (p.block[b].cone == PCS_CONE_EQUALITY) continue;
            const double push = x[p.block[b].row];
            ck_assert_msg(push >= low[b] - 1e-6 * size && push <= high[b] + 1e-6 * size,
                          "%s %d: block %d: %.10g not in [%.10g, %.10g]", friction_name[kind],
                          (int)seed, (int)b, push, low[b], high[b]);
            *far += high[b] - low[b] > 1e-3 * size && push > low[b] + 0.3 * (high[b] - low[b]);
        }
        if (c.r != PCS_UNIQUENESS_YES) continue;
        for (size_t i = 0; i < n; ++i) {
            CK_NEAR(x[i], r[i], 1e-5 * size);
        }
    }
    free(status);
    free(r);
    pcs_arena_destroy(NULL, &arena);
}

TEST(solutions_lie_within)
{
    static const friction families[] = {FRICTION_DENSE, FRICTION_DEFICIENT, FRICTION_MIXED,
                                        FRICTION_SPHERES, FRICTION_BOXES};
    int far = 0, seen = 0;
    for (size_t f = 0; f < sizeof families / sizeof *families; ++f) {
        for (uint64_t seed = 1; seed <= (uint64_t)TEST_DRAWS(10); ++seed) {
            expect_within(families[f], families[f] == FRICTION_BOXES ? 8 : 6, seed, &far, &seen);
        }
    }
    // the intervals are not too wide: other solutions reach their ends
    ck_assert_int_gt(seen, TEST_DRAWS(100));
    ck_assert_int_gt(far, TEST_DRAWS(50));
}

// W has rank 2, and q is in its range to 1e-8: a solution near r has u = 0, the impulses of which
// are a line along which all three grow (the ends are those of a linear program). The margin of a
// row is above the error of r: only the Newton steps show that it may be closed
TEST(intervals_know_what_newton_steps_doubt)
{
    static const double W[4][4] = {
        {0.34397862338268775, -1.1054276400906922, -0.1522369084335765, -0.13489726885411646},
        {-1.1054276400906922, 3.8827311548104184, 0.47544887824990734, 0.8515673252643889},
        {-0.1522369084335765, 0.47544887824990734, 0.0679520818930292, 0.04225017408541428},
        {-0.13489726885411646, 0.8515673252643889, 0.04225017408541428, 0.5820719352615322}};
    toy t = {0};
    toy_add(&t, PCS_CONE_COULOMB, 2, 0.3);
    toy_add(&t, PCS_CONE_UNILATERAL, 1, 0);
    toy_add(&t, PCS_CONE_UNILATERAL, 1, 0);
    memcpy(t.W, W, sizeof W);
    memcpy(
        t.q,
        (double[]){-0.8334568062989227, 4.350698057227109, 0.2990580198687798, 2.4435838913319574},
        4 * sizeof(double));
    toy_close(&t);
    pcs_report report;
    double low[3], high[3];
    for (double tol = 1e-6; tol > 1e-10; tol /= 10) {
        pcs_solver_opts o = pcs_solver_opts_default(PCS_SOLVER_AUTO);
        o.tol = tol;
        memset(t.r, 0, sizeof t.r);
        CK_OK(pcs_solve_alloc(NULL, &t.p, &o, t.r, t.u, &report));
        CK_OK(pcs_certificate_impulse_intervals(NULL, &t.p, 2 * tol, t.r, low, high));
        CK_NEAR(low[0], 10.905, 1e-3);
        CK_NEAR(low[1], 42.920, 1e-3);
        CK_NEAR(low[2], 0, 1e-3);
        for (int b = 0; b < 3; ++b) {
            ck_assert_msg(isinf(high[b]), "tol %g, block %d: at most %g", tol, b, high[b]);
        }
    }
}

TEST(global_form_agrees)
{
    pcs_arena arena;
    CK_OK(pcs_arena_create(NULL, friction_bytes(FRICTION_BOXES, 8) + 4000000, &arena));
    double *unused;
    pcs_arena work = arena;
    const pcs_problem p = friction_problem(FRICTION_BOXES, 8, 3, &work, &unused);
    const size_t n = (size_t)p.n, nb = (size_t)p.nb;
    double *r = calloc(2 * n + 2 * nb, sizeof *r), *u = r + n, *a = u + n, *b = a + nb;
    pcs_contact_status *s = calloc(2 * nb, sizeof *s), *t = s + nb;
    pcs_report report;
    CK_OK(pcs_solve_alloc(NULL, &p, NULL, r, u, &report));
    pcs_mass_matrix *M;
    pcs_global_problem g;
    CK_OK(pcs_problem_to_global(NULL, &p, &work, &M, &g));
    pcs_certificate c, d;
    CK_OK(pcs_certificate_compute(NULL, &p, 1e-8, r, s, a, &c));
    CK_FAILS(pcs_fail(PCS_ERR_ARG, "of another call"), PCS_ERR_ARG);
    CK_OK(pcs_certificate_compute_global(NULL, &g, 1e-8, r, t, b, &d));
    ck_assert_str_eq(pcs_error_text(), "of another call");
    for (size_t k = 0; k < nb; ++k) {
        ck_assert_int_eq(s[k], t[k]);
        CK_NEAR(a[k], b[k], 1e-9);
    }
    ck_assert_int_eq(c.rank, d.rank);
    ck_assert_int_eq(c.columns, d.columns);
    ck_assert_int_eq(c.r, d.r);
    ck_assert_int_eq(c.u, d.u);
    pcs_mass_matrix_destroy(M);
    free(s);
    free(r);
    pcs_arena_destroy(NULL, &arena);
}

// ---- manners -----------------------------------------------------------------------------------

TEST(bad_input_is_refused)
{
    toy *t = calloc(1, sizeof *t);
    groove(t, 0.5, 0.2, 1);
    pcs_contact_status status[2];
    pcs_certificate c;
    double out[4], high[2];
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, NAN, t->r, status, NULL, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, -1, t->r, status, NULL, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, 0, NULL, status, NULL, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, 0, t->r, NULL, NULL, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, 0, t->r, status, NULL, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_least_impulse(NULL, &t->p, 0, t->r, NULL), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_impulse_intervals(NULL, &t->p, 0, t->r, out, NULL), PCS_ERR_ARG);
    t->r[3] = NAN;
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, 0, t->r, status, NULL, &c), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_least_impulse(NULL, &t->p, 0, t->r, out), PCS_ERR_ARG);
    CK_FAILS(pcs_certificate_impulse_intervals(NULL, &t->p, 0, t->r, out, high), PCS_ERR_ARG);
    t->r[3] = INFINITY;
    CK_FAILS(pcs_certificate_compute(NULL, &t->p, 0, t->r, status, NULL, &c), PCS_ERR_ARG);
    // finite and much too large: nothing is decided
    t->r[3] = 1e308;
    t->r[0] = 1e308;
    t->r[2] = -1e308;
    CK_OK(pcs_certificate_compute(NULL, &t->p, 1e-8, t->r, status, NULL, &c));
    free(t);
}

TEST(an_empty_problem_is_unique)
{
    toy *t = calloc(1, sizeof *t);
    toy_close(t);
    pcs_certificate c;
    CK_OK(pcs_certificate_compute(NULL, &t->p, 0, NULL, NULL, NULL, &c));
    ck_assert_int_eq(c.rank, 0);
    ck_assert_int_eq(c.r, PCS_UNIQUENESS_YES);
    CK_OK(pcs_certificate_least_impulse(NULL, &t->p, 0, NULL, NULL));
    CK_OK(pcs_certificate_impulse_intervals(NULL, &t->p, 0, NULL, NULL, NULL));
    free(t);
}

TEST(no_memory_is_said)
{
    toy *t = calloc(1, sizeof *t);
    groove(t, 0.5, 0.2, 1);
    pcs_contact_status status[2];
    pcs_certificate c;
    double least[4], low[2], high[2];
    for (int k = 0; k < 3; ++k) {
        test_memory memory = {.fail_at = k};
        pcs_env env = test_env(&memory);
        CK_FAILS(pcs_certificate_compute(&env, &t->p, 0, t->r, status, NULL, &c), PCS_ERR_MEMORY);
        ck_assert_int_eq(memory.live, 0);
    }
    test_memory memory = {.fail_at = 0};
    pcs_env env = test_env(&memory);
    CK_FAILS(pcs_certificate_least_impulse(&env, &t->p, 0, t->r, least), PCS_ERR_MEMORY);
    memory.fail_at = 0;
    CK_FAILS(pcs_certificate_impulse_intervals(&env, &t->p, 0, t->r, low, high), PCS_ERR_MEMORY);
    memory.fail_at = -1;
    CK_OK(pcs_certificate_impulse_intervals(&env, &t->p, 0, t->r, low, high));
    ck_assert_int_eq(memory.live, 0);
    free(t);
}

TEST(words)
{
    ck_assert_str_eq(pcs_contact_status_text(PCS_CONTACT_SLIDE), "slide");
    ck_assert_str_eq(pcs_uniqueness_text(PCS_UNIQUENESS_LOCAL), "local");
    ck_assert_ptr_nonnull(pcs_contact_status_text((pcs_contact_status)99));
    ck_assert_ptr_nonnull(pcs_uniqueness_text((pcs_uniqueness)99));
}
