// Problems of bodies, built one block after another.
#include "pile.h"
#include "friction.h"

#include "linalg/m3.h"

#define H 0.005
#define G 9.81

typedef struct build {
    test_random rng;
    int ns, nb, most_nb, rows;
    int *start;
    size_t *off;
    unsigned char *kind;
    double *lu, *val, *R, *v, *x, *mass, *shift;
    int *piv;
    bodies_block *block;
    size_t at_lu;
} build;

// room per system and block
enum { MOST_WIDTH = 7, MOST_DIM = 6 };

static void *zeros(size_t n, size_t size)
{
    return calloc(n > 0 ? n : 1, size);
}

static build build_begin(int ns, int nb, uint64_t seed)
{
    build b = {.rng = random_seed(seed), .most_nb = nb};
    const size_t s = (size_t)ns, w = MOST_WIDTH, k = (size_t)nb;
    b.start = zeros(s + 1, sizeof(int));
    b.off = zeros(s, sizeof(size_t));
    b.kind = zeros(s, 1);
    b.lu = zeros(s * w * w, sizeof(double));
    b.val = zeros(s * w * w, sizeof(double));
    b.piv = zeros(s * w, sizeof(int));
    b.R = zeros(9 * s, sizeof(double));
    b.v = zeros(s * w, sizeof(double));
    b.mass = zeros(s * w, sizeof(double));
    b.x = zeros(3 * s, sizeof(double));
    b.block = zeros(k, sizeof(bodies_block));
    b.shift = zeros(MOST_DIM * k, sizeof(double));
    return b;
}

static block_lu factors_of(const build *b)
{
    return (block_lu){.nb = b->ns,
                      .start = b->start,
                      .off = b->off,
                      .lu = b->lu,
                      .piv = b->piv,
                      .kind = b->kind,
                      .val = b->val};
}

static pile build_end(build *b)
{
    block_lu *F = zeros(1, sizeof *F);
    *F = factors_of(b);
    return (pile){
        .b = {.n = b->rows, .nb = b->nb, .block = b->block, .shift = b->shift, .A = F, .R = b->R},
        .v_free = b->v,
        .mass = b->mass,
        .x = b->x};
}

void pile_free(pile *p)
{
    block_lu *F = (block_lu *)(uintptr_t)p->b.A;
    for (int k = 0; k < p->b.nb; ++k) {
        for (int e = 0; e < 2; ++e) {
            free((void *)(uintptr_t)p->b.block[k].rows[e]);
        }
    }
    free((void *)(uintptr_t)F->start);
    free((void *)(uintptr_t)F->off);
    free((void *)(uintptr_t)F->kind);
    free(F->lu);
    free(F->val);
    free(F->piv);
    free(F);
    free((void *)(uintptr_t)p->b.block);
    free((void *)(uintptr_t)p->b.shift);
    free((void *)(uintptr_t)p->b.R);
    free(p->v_free);
    free(p->mass);
    free(p->x);
}

static int add_system(build *b, int width, int kind, int values)
{
    const int s = b->ns++;
    b->start[s + 1] = b->start[s] + width;
    b->off[s] = b->at_lu;
    b->at_lu += (size_t)values;
    b->kind[s] = (unsigned char)kind;
    return s;
}

static void rotation_of(const double q[4], double R[9])
{
    const double s = q[0], p[3] = {q[1], q[2], q[3]};
    for (int j = 0; j < 3; ++j) {
        double e[3] = {0}, pe[3], ppe[3];
        e[j] = 1;
        v3_cross(p, e, pe);
        v3_cross(p, pe, ppe);
        for (int i = 0; i < 3; ++i) {
            R[i + 3 * j] = e[i] + 2 * s * pe[i] + 2 * ppe[i];
        }
    }
}

static void start_body(build *b, int s, const double x[3], double m, const double J[3])
{
    double *v = b->v + b->start[s], *mass = b->mass + b->start[s];
    v3_copy(x, b->x + 3 * (size_t)s);
    for (int i = 0; i < 3; ++i) {
        v[i] = 0.02 * random_normal(&b->rng);
        v[3 + i] = 0.1 * random_normal(&b->rng);
        mass[i] = m;
        mass[3 + i] = J[i];
    }
    v[2] -= H * G;
}

static int add_sphere(build *b, const double x[3], double m, double radius)
{
    const int s = add_system(b, 6, BLOCK_DIAGONAL, 6);
    const double J = 0.4 * m * radius * radius, J3[3] = {J, J, J};
    double *lu = b->lu + b->off[s], q[4];
    for (int i = 0; i < 3; ++i) {
        lu[i] = m;
        lu[3 + i] = J;
    }
    random_quaternion(&b->rng, q);
    rotation_of(q, b->R + 9 * (size_t)s);
    start_body(b, s, x, m, J3);
    return s;
}

// rotated by the unit quaternion q, gyroscopic part of the size `gyro`; a dense block: as a whole
static int add_box(build *b, const double x[3], const double edge[3], double m, const double q[4],
                   double gyro, bool dense)
{
    const int s = add_system(b, 6, dense ? BLOCK_DENSE : BLOCK_RIGID, dense ? 36 : 10);
    double J[3], *lu = b->lu + b->off[s];
    for (int i = 0; i < 3; ++i) {
        const double y = edge[(i + 1) % 3], z = edge[(i + 2) % 3];
        J[i] = m / 12 * (y * y + z * z);
    }
    block_lu F = factors_of(b);
    if (dense) {
        for (int i = 0; i < 6; ++i) {
            lu[i + 6 * i] = i < 3 ? m : J[i - 3];
            lu[i + 6 * ((i + 1) % 6)] += gyro * J[0];
        }
    } else {
        // the joint as the three rows of a dense block added after these
        const double A[9] = {J[0], gyro * J[0],       0,   -gyro * J[1], J[1], 0,
                             0,    0.3 * gyro * J[2], J[2]};
        lu[0] = m;
        memcpy(lu + 1, A, sizeof A);
    }
    block_lu_factor_one(&F, s);
    rotation_of(q, b->R + 9 * (size_t)s);
    start_body(b, s, x, m, J);
    return s;
}

static int add_lagrangian(build *b, int width)
{
    const int s = add_system(b, width, BLOCK_DENSE, width * width);
    double *lu = b->lu + b->off[s];
    for (int j = 0; j < width; ++j) {
        for (int i = 0; i < width; ++i) {
            lu[i + width * j] = (i == j ? 3 : 0) + 0.3 * random_normal(&b->rng);
        }
        b->v[b->start[s] + j] = 0.1 * random_normal(&b->rng);
        b->mass[b->start[s] + j] = 1;
    }
    block_lu F = factors_of(b);
    block_lu_factor_one(&F, s);
    return s;
}

static bodies_block *add_block(build *b, pcs_cone cone, int dim, double mu, int s1, int s2)
{
    bodies_block *k = &b->block[b->nb++];
    *k = (bodies_block){.cone = cone, .dim = dim, .row = b->rows, .mu = mu, .sys = {s1, s2}};
    b->rows += dim;
    return k;
}

// a contact at P with the normal N; `along`: the part of each lever along N, which the cores do not
// contain
static void add_contact(build *b, pcs_cone cone, int dim, double mu, int s1, int s2,
                        const double N[3], const double P[3], double gap, const double along[2])
{
    bodies_block *k = add_block(b, cone, dim, mu, s1, s2);
    frame_of(N, k->F);
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        k->along[e] = along ? along[e] : 0;
        for (int i = 0; along == NULL && i < 3; ++i) {
            k->core[e][i] = P[i] - b->x[3 * k->sys[e] + i];
        }
    }
    b->shift[k->row] = gap > 0 ? gap / H : 0;
}

// dense random rows; all systems at rest obey them
static void add_rows(build *b, pcs_cone cone, int dim, double mu, int s1, int s2)
{
    bodies_block *k = add_block(b, cone, dim, mu, s1, s2);
    for (int e = 0; e < 2; ++e) {
        if (k->sys[e] < 0) continue;
        const int n = dim * (b->start[k->sys[e] + 1] - b->start[k->sys[e]]);
        double *J = zeros((size_t)n, sizeof *J);
        for (int i = 0; i < n; ++i) {
            J[i] = random_normal(&b->rng);
        }
        k->rows[e] = J;
    }
    if (cone != PCS_CONE_EQUALITY) b->shift[k->row] = 0.01 * random_unit(&b->rng);
}

// ---- the kinds ---------------------------------------------------------------------------------

static const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};

static pile spheres(int n, uint64_t seed)
{
    // about three contacts a sphere
    int side = 1;
    while (3 * side * side * side < n) {
        ++side;
    }
    const int count = side * side * side;
    build b = build_begin(count, 8 * count, seed);
    const double R = 0.1, reach = 0.01;
    for (int i = 0; i < count; ++i) {
        const int z = i / (side * side), y = i / side % side, x = i % side;
        // every other layer lies in the hollows of the one below
        const double half = z % 2 ? R : 0;
        const double c[3] = {2 * R * x + half + 0.002 * random_normal(&b.rng),
                             2 * R * y + half + 0.002 * random_normal(&b.rng),
                             R + 1.414 * R * z + 0.002 * random_normal(&b.rng)};
        add_sphere(&b, c, random_between(&b.rng, 3, 5), R);
    }
    for (int i = 0; i < count; ++i) {
        const double *x = b.x + 3 * (size_t)i;
        const double gap = x[2] - R, along[2] = {-R, 0}, both[2] = {-R, R};
        if (gap < reach) add_contact(&b, PCS_CONE_COULOMB, 3, 0.5, i, -1, up, NULL, gap, along);
        for (int j = 0; j < i; ++j) {
            double d[3];
            v3_sub(x, b.x + 3 * (size_t)j, d);
            const double D = v3_norm(d);
            if (D > 2 * R + reach || b.nb == b.most_nb) continue;
            v3_scale(1 / D, d, d);
            add_contact(&b, PCS_CONE_COULOMB, 3, 0.5, i, j, d, NULL, D - 2 * R, both);
        }
    }
    return build_end(&b);
}

static void tower(build *b, double x, int height, double mass, double grow, bool dense)
{
    const double edge[3] = {1, 0.8, 0.5}, turn = 0.3;
    const double q[4] = {cos(turn / 2), 0, 0, sin(turn / 2)};
    int below = -1;
    for (int z = 0; z < height; ++z, mass *= grow) {
        const double c[3] = {x + 0.03 * random_normal(&b->rng), 0.03 * random_normal(&b->rng),
                             edge[2] * (z + 0.5)};
        const int s = add_box(b, c, edge, mass, q, 0.01, dense && z % 3 == 1);
        b->v[b->start[s]] += 0.05;
        for (int k = 0; k < 4; ++k) {
            const double body[3] = {k & 1 ? 0.45 : -0.45, k & 2 ? 0.35 : -0.35, -0.25};
            double P[3];
            m3_mul(b->R + 9 * (size_t)s, body, P);
            v3_along(c, 1, P, P);
            add_contact(b, PCS_CONE_COULOMB, 3, 0.6, s, below, up, P, 0, NULL);
        }
        below = s;
    }
}

static pile boxes(int n, uint64_t seed)
{
    const int height = 8, towers = (n + 4 * height - 1) / (4 * height);
    build b = build_begin(towers * height, 5 * towers * height, seed);
    for (int t = 0; t < towers; ++t) {
        tower(&b, 2 * t, height, 50, 1, false);
    }
    return build_end(&b);
}

static pile heavy(int n, uint64_t seed)
{
    const int height = n / 4 > 5 ? 5 : n / 4;
    build b = build_begin(height, 4 * height, seed);
    tower(&b, 0, height, 1, 10, false);
    return build_end(&b);
}

// a chain of all kinds; whole: every part is joined to the previous one
static void mixture(build *b, int parts, bool whole)
{
    int last = -1;
    for (int k = 0; k < parts; ++k) {
        const double c[3] = {0.3 * k, random_normal(&b->rng), 0.2}, along[2] = {-0.2, 0};
        const double edge[3] = {0.3, 0.4, 0.5};
        double q[4], P[3];
        random_quaternion(&b->rng, q);
        const int ball = add_sphere(b, c, 2, 0.2);
        const int box = add_box(b, c, edge, 3, q, 0.02, k % 3 == 1);
        const int arm = add_lagrangian(b, 1 + k % MOST_WIDTH);
        v3_along(c, -0.2, up, P);
        add_contact(b, PCS_CONE_COULOMB, 3, 0.4, ball, -1, up, NULL, 0, along);
        add_contact(b, PCS_CONE_COULOMB, 3, 0.4, -1, box, down, P, 0, NULL);
        // a joint of two bodies, frictionless and planar contacts between them
        add_contact(b, PCS_CONE_EQUALITY, 1 + k % 3, 0, ball, box, up, P, 0, NULL);
        add_contact(b, PCS_CONE_UNILATERAL, 1, 0, box, ball, up, P, 0, NULL);
        add_contact(b, PCS_CONE_COULOMB, 2, 0.3, ball, box, up, P, 0, NULL);
        add_contact(b, PCS_CONE_COULOMB, 3, 0, box, -1, up, P, 0, NULL);
        // a mechanism on rows
        add_rows(b, PCS_CONE_UNILATERAL, 1, 0, arm, -1);
        add_rows(b, PCS_CONE_COULOMB, 2 + k % 2, 0.2, arm, box);
        add_rows(b, PCS_CONE_EQUALITY, 1, 0, -1, arm);
        if (whole && last >= 0) add_rows(b, PCS_CONE_UNILATERAL, 1, 0, last, ball);
        last = arm;
    }
}

static pile mixed(int n, uint64_t seed, bool whole)
{
    const int parts = (n + 9) / 10;
    build b = build_begin(3 * parts, 10 * parts, seed);
    mixture(&b, parts, whole);
    return build_end(&b);
}

pile pile_make(pile_kind kind, int n, uint64_t seed)
{
    switch (kind) {
    case PILE_SPHERES:
        return spheres(n, seed);
    case PILE_BOXES:
        return boxes(n, seed);
    case PILE_MIXED:
        return mixed(n, seed, true);
    case PILE_LOOSE:
        return mixed(n, seed, false);
    case PILE_HEAVY:
        return heavy(n, seed);
    case PILE_COUNT:
        break;
    }
    return (pile){0};
}
