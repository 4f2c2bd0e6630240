// A model, a state and a work with counted memory.
#include "scene.h"

#include "linalg/m3.h"
#include "model/model.h"
#include "systems/systems.h"

scene scene_open(void)
{
    scene s = {.memory = malloc(sizeof *s.memory), .scheme = pcs_scheme_moreau_jean()};
    ck_assert_ptr_nonnull(s.memory);
    *s.memory = (test_memory){.fail_at = -1};
    s.scheme.solver.tol = 1e-12;
    s.env = test_env(s.memory);
    CK_OK(pcs_model_create(&s.env, &s.m));
    return s;
}

void scene_start(scene *s)
{
    CK_OK(pcs_model_set_scheme(s->m, &s->scheme));
    CK_OK(pcs_state_create(s->m, &s->st));
    CK_OK(pcs_work_create(s->m, &s->wk));
    s->q_before = calloc((size_t)s->m->nq + 1, sizeof(double));
    s->v_before = calloc((size_t)s->m->nv + 1, sizeof(double));
}

void scene_close(scene *s)
{
    pcs_work_destroy(s->wk);
    pcs_state_destroy(s->st);
    pcs_model_destroy(s->m);
    free(s->q_before);
    free(s->v_before);
    ck_assert_int_eq(s->memory->live, 0);
    free(s->memory);
}

pcs_system scene_add(scene *s, const pcs_body_def *def)
{
    pcs_system out;
    CK_OK(pcs_model_add_body(s->m, def, &out));
    return out;
}

pcs_system scene_add_lagrangian(scene *s, const pcs_lagrangian_def *def)
{
    pcs_system out;
    CK_OK(pcs_model_add_lagrangian(s->m, def, &out));
    return out;
}

pcs_interaction scene_join(scene *s, pcs_relation relation, pcs_law law, pcs_system one,
                           pcs_system two)
{
    const pcs_interaction_def def = {relation, law, one, two};
    pcs_interaction out;
    CK_OK(pcs_model_add_interaction(s->m, &def, &out));
    return out;
}

pcs_system scene_ball(scene *s, double mass, double radius, const double x[3], const double v[3])
{
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_sphere(mass, radius));
    memcpy(def.position, x, sizeof def.position);
    if (v) memcpy(def.velocity, v, sizeof def.velocity);
    return scene_add(s, &def);
}

pcs_system scene_box(scene *s, double mass, const double edges[3], const double x[3],
                     const double *Q, const double v[3], const double omega[3])
{
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_box(mass, edges[0], edges[1], edges[2]));
    memcpy(def.position, x, sizeof def.position);
    if (Q) memcpy(def.orientation, Q, sizeof def.orientation);
    if (v) memcpy(def.velocity, v, sizeof def.velocity);
    if (omega) memcpy(def.omega, omega, sizeof def.omega);
    return scene_add(s, &def);
}

void scene_rough(scene *s, pcs_system on, pcs_shape shape, double e, double e_t, double mu)
{
    const pcs_material_def def = {.e = e, .e_t = e_t, .mu = mu};
    pcs_material material;
    CK_OK(pcs_model_add_material(s->m, &def, &material));
    CK_OK(pcs_model_add_shape(s->m, on, &shape, material));
}

void scene_shape(scene *s, pcs_system on, pcs_shape shape, double e)
{
    scene_rough(s, on, shape, e, 0, 0);
}

pcs_system scene_rough_ball(scene *s, double mass, double radius, const double x[3],
                            const double v[3], double e, double e_t, double mu)
{
    const pcs_system ball = scene_ball(s, mass, radius, x, v);
    scene_rough(s, ball, pcs_shape_sphere(radius), e, e_t, mu);
    return ball;
}

pcs_system scene_solid_ball(scene *s, double mass, double radius, const double x[3],
                            const double v[3], double e)
{
    return scene_rough_ball(s, mass, radius, x, v, e, 0, 0);
}

void scene_ground(scene *s, double e)
{
    scene_shape(s, (pcs_system){0}, pcs_shape_half_space((double[3]){0, 0, 1}, 0), e);
}

void scene_unsolvable(scene *s, int sweeps)
{
    s->scheme.solver = pcs_solver_opts_default(PCS_SOLVER_NSGS);
    s->scheme.solver.tol = 1e-15;
    s->scheme.solver.max_iters = sweeps;
    for (int i = 0; i < 8; ++i) {
        const double x[3] = {0.2 * i, 0, 0}, v[3] = {5 - i * i, 0, 0};
        scene_solid_ball(s, 1 + i, 0.1, x, v, 0);
    }
}

void scene_gravity(scene *s, double x, double y, double z)
{
    CK_OK(pcs_model_set_gravity(s->m, (double[3]){x, y, z}));
}

void scene_step(scene *s, double h)
{
    s->h = h;
    memcpy(s->q_before, s->st->q, (size_t)s->st->nq * sizeof(double));
    memcpy(s->v_before, s->st->v, (size_t)s->st->nv * sizeof(double));
    CK_OK(pcs_step(s->m, s->st, s->wk, h, &s->report));
    ck_assert_msg(s->report.committed,
                  "not committed at t = %g: %s (solve %s %g, newton %g in %d, projection %s)",
                  s->st->t, pcs_outcome_text(s->report.outcome),
                  pcs_outcome_text(s->report.solve.outcome), s->report.solve.measure.residual,
                  s->report.newton_residual, s->report.newton_iters,
                  pcs_outcome_text(s->report.projection_outcome));
}

int scene_contacts(const scene *s, const pcs_contact **out)
{
    int n;
    CK_OK(pcs_work_contacts(s->wk, &n, out));
    return n;
}

double *scene_q(scene *s, pcs_system b)
{
    double *q = pcs_state_q(s->m, s->st, b);
    ck_assert_ptr_nonnull(q);
    return q;
}

double *scene_v(scene *s, pcs_system b)
{
    double *v = pcs_state_v(s->m, s->st, b);
    ck_assert_ptr_nonnull(v);
    return v;
}

double scene_kinetic(scene *s)
{
    double K;
    CK_OK(pcs_state_kinetic_energy(s->m, s->st, &K));
    return K;
}

double scene_potential(scene *s)
{
    double V;
    CK_OK(pcs_state_potential_energy(s->m, s->st, &V));
    return V;
}

// ---- checks of a step ----------------------------------------------------------------------------

// u += sign F^T (v + omega x GP) of one side before the step
static void add_velocity(const scene *s, pcs_system side, const double P[3], const double F[9],
                         double sign, double u[3])
{
    const model_system *body = model_find(s->m, side);
    if (!body || (body->nv == 0 && !body->motion)) return;
    double CT[18], q[7], v[6];
    if (body->motion) {
        CK_OK(system_motion(body, s->st->t - s->h, q, v));
    } else {
        memcpy(v, s->v_before + body->v_at, sizeof v);
    }
    pcs_contact_body_CT(s->q_before + body->q_at, P, F, CT);
    for (int k = 0; k < 18; ++k) {
        u[k % 3] += sign * CT[k] * v[k / 3];
    }
}

static bool moves(const scene *s, pcs_system side)
{
    const model_system *body = model_find(s->m, side);
    return body && body->nv > 0;
}

// u_k of a contact of shapes, with the levers of the default rule (D-2)
static void velocity_before(const scene *s, const pcs_contact *c, double u[3])
{
    double at1[3], at2[3], slip = 0;
    const bool both = moves(s, c->system1) && moves(s, c->system2);
    for (int i = 0; i < 3; ++i) {
        slip = fmax(slip, fabs(c->P1[i] - c->P2[i] - c->gap * c->F[i]));
    }
    // a contact found along the motion has its own levers on both sides
    const bool own = slip > 1e-9;
    for (int i = 0; i < 3; ++i) {
        at1[i] = both && !own ? 0.5 * (c->P1[i] + c->P2[i]) : c->P1[i];
        at2[i] = own ? c->P2[i] : at1[i];
        u[i] = 0;
    }
    add_velocity(s, c->system1, at1, c->F, 1, u);
    add_velocity(s, c->system2, at2, c->F, -1, u);
}

// (r, w) is on the graph of Coulomb's law: r in K, w_N >= 0, w_N r_N = 0, and friction opposes the
// sliding with its full size
static void check_friction(const pcs_contact *c, const double w[3], double speed, double impulse)
{
    const double tol = 1e-9, mu = c->law.mu;
    const double w_T = hypot(w[1], w[2]), r_T = hypot(c->r[1], c->r[2]);
    ck_assert_msg(r_T <= mu * c->r[0] + tol * (1 + mu) * impulse, "|r_T| = %g, mu r_N = %g", r_T,
                  mu * c->r[0]);
    const double work = w[1] * c->r[1] + w[2] * c->r[2];
    ck_assert_msg(fabs(work + mu * c->r[0] * w_T) <= tol * (1 + mu) * speed * impulse,
                  "w_T r_T = %g, -mu r_N |w_T| = %g", work, -mu * c->r[0] * w_T);
    if (c->law.e_t == 0) {
        const double power = c->u[1] * c->r[1] + c->u[2] * c->r[2];
        ck_assert_msg(power <= tol * speed * impulse, "u'_T r_T = %g", power);
    }
}

static bool has_friction(const pcs_contact *c)
{
    return c->law.kind == PCS_LAW_NEWTON_COULOMB && c->law.mu > 0;
}

static bool speculates(const scene *s)
{
    return pcs_scheme_activation(&s->scheme) == PCS_ACTIVATION_SPECULATIVE;
}

// true when the contacts of the last step stay active although they open a little, and whether
// contacts may land
static bool keeps(const scene *s)
{
    return pcs_scheme_activation(&s->scheme) == PCS_ACTIVATION_PREDICTIVE &&
           s->scheme.projection != PCS_PROJECTION_NONE;
}

// True when a contact with e > 0 obeys u' + e u_k >= 0, or lands: u' + land >= 0. Which of the two
// depends on the forces; fast contacts rebound, those that open in a speculative step do not. In
// such a step fast contacts land, too, where friction would make the rebound gain energy.
static bool rebounds(const scene *s, const pcs_contact *c, const double u_k[3], double land)
{
    const double w = c->u[0] + c->law.e * u_k[0], v = c->u[0] + land;
    const bool yes = c->r[0] > 0 ? fabs(w) < fabs(v) : w > v;
    const model_system *one = model_find(s->m, c->system1), *two = model_find(s->m, c->system2);
    const bool driven = (one && one->motion) || (two && two->motion);
    const bool may_gain = speculates(s) && has_friction(c);
    if (c->r[0] > 1e-6 && u_k[0] < -1 && !driven && !may_gain)
        ck_assert_msg(yes, "u_k %g, u' %g", u_k[0], c->u[0]);
    if (speculates(s) && c->r[0] > 1e-6 && u_k[0] > 1e-6)
        ck_assert_msg(!yes, "u_k %g, u' %g", u_k[0], c->u[0]);
    return yes;
}

// the term that the law of a contact of shapes adds to u'
static void shift_of(const scene *s, const pcs_contact *c, const double u_k[3], double shift[3])
{
    const bool ahead = speculates(s) && c->gap > 0;
    const double land = ahead ? c->gap / s->h : keeps(s) ? 0.5 * fmax(0, c->gap) / s->h : 0;
    const bool chosen = keeps(s) || (c->law.e > 0 && speculates(s));
    bool lands = chosen ? !rebounds(s, c, u_k, land) : ahead;
    // a speculative contact of e = 0 whose normal at the impact differs from its normal at the
    // start obeys its law at once
    if (c->law.e == 0 && ahead && c->r[0] > 0) lands = fabs(c->u[0] + land) < fabs(c->u[0]);
    for (int k = 0; k < 3; ++k) {
        shift[k] = (k == 0 ? c->law.e : c->law.e_t) * u_k[k];
        if (lands) shift[k] = k == 0 ? land : 0;
    }
}

// 0 <= u' + shift, r >= 0, one of them zero; the impulse adds no energy
static void check_contact(const scene *s, const pcs_contact *c, double speed, double impulse)
{
    const double tol = 1e-9;
    ck_assert(c->active || c->r[0] == 0);
    if (!c->active) return;
    if (c->law.kind == PCS_LAW_EQUALITY) {
        CK_NEAR(c->u[0], 0, tol * speed);
        return;
    }
    ck_assert_msg(c->r[0] >= -tol * impulse, "impulse %g", c->r[0]);
    if (c->interaction > 0) return;

    double u_k[3], w[3];
    velocity_before(s, c, u_k);
    shift_of(s, c, u_k, w);
    for (int k = 0; k < 3; ++k) {
        w[k] += c->u[k];
    }
    ck_assert_msg(w[0] >= -tol * speed, "u' + shift = %g at gap %g", w[0], c->gap);
    ck_assert_msg(fabs(w[0] * c->r[0]) <= tol * speed * impulse, "w r = %g %g", w[0], c->r[0]);
    if (u_k[0] <= 0) ck_assert((c->u[0] + u_k[0]) * c->r[0] <= tol * speed * impulse);
    if (has_friction(c)) check_friction(c, w, speed, impulse);
}

static void check_contacts(const scene *s)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    // the tolerance of the solver is also relative to the velocity that the weight alone adds
    double speed = fmax(1e-3, 9.81 * s->h), impulse = 1e-3;
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < 3; ++k) {
            speed = fmax(speed, fabs(c[i].u[k]));
            impulse = fmax(impulse, fabs(c[i].r[k]));
        }
    }
    for (int i = 0; i < s->m->nv; ++i) {
        speed = fmax(speed, fabs(s->v_before[i]));
    }
    for (int i = 0; i < n; ++i) {
        check_contact(s, &c[i], speed, impulse);
    }

    // the problem that was solved, with the impulses that were published
    pcs_problem p;
    CK_OK(pcs_work_problem(s->wk, &p));
    double *r = calloc((size_t)p.n + 1, sizeof *r), *u = calloc((size_t)p.n + 1, sizeof *u);
    int rows = 0;
    double mu = 0;
    for (int i = 0; i < n; ++i) {
        if (!c[i].active) continue;
        if (has_friction(&c[i])) mu = fmax(mu, c[i].law.mu);
        for (int k = 0; k < (has_friction(&c[i]) ? 3 : 1); ++k) {
            ck_assert_int_lt(rows, p.n);
            r[rows++] = c[i].r[k];
        }
    }
    ck_assert_int_eq(rows, p.n);
    if (p.n > 0) {
        pcs_measure measure;
        CK_OK(pcs_problem_check(&p));
        pcs_problem_measure(&p, r, u, &measure);
        // where rows follow q', v_free still belongs to the previous rows. u is computed here by
        // other sums, so its rounding counts, and that of u_T counts mu times
        const double tol = s->scheme.configuration == PCS_CONFIGURATION_ITERATE
                               ? INFINITY
                               : s->scheme.solver.tol + 1e-15 * (1 + mu);
        ck_assert_msg(measure.residual <= tol, "residual %g", measure.residual);
    }
    free(r);
    free(u);
}

// M (v' - v_k) - h F_theta is the sum of the contact impulses, for bodies without a force callback
// or force element whose mass does not turn
static void check_wrench(const scene *s, int index)
{
    const model_system *b = &s->m->system[index];
    if (b->kind != SYSTEM_BODY || b->body_force || b->forces > 0 || b->added) return;
    const double *v0 = s->v_before + b->v_at, *v1 = s->st->v + b->v_at;
    double p[6], scale = 1e-2, J0[3], J1[3], g0[3], g1[3], wrench[6];
    m3_mul(b->J, v0 + 3, J0);
    m3_mul(b->J, v1 + 3, J1);
    v3_cross(J0, v0 + 3, g0);
    v3_cross(J1, v1 + 3, g1);
    const double theta = s->scheme.theta;
    for (int i = 0; i < 3; ++i) {
        p[i] = b->mass * (v1[i] - v0[i] - s->h * s->m->gravity[i]);
        p[3 + i] = J1[i] - J0[i] - s->h * (theta * g1[i] + (1 - theta) * g0[i]);
        scale = fmax(scale, b->mass * (fabs(v0[i]) + fabs(v1[i])));
        scale = fmax(scale, fabs(J0[i]) + fabs(J1[i]));
    }
    pcs_work_contact_wrench(s->wk, (pcs_system){index + 1}, wrench);
    expect_same(wrench, p, 6, 1e-11 * scale);
}

// The sum of the work that each impulse could do at the largest velocity. Squeezed bodies bear
// impulses of 1e8 N s that balance one another: their work is a difference of sums of this size.
static double work_of_each(const scene *s)
{
    const pcs_contact *c;
    const int n = scene_contacts(s, &c);
    double fastest = 0, sum = 0;
    for (int i = 0; i < s->st->nv; ++i) {
        fastest = fmax(fastest, fabs(s->st->v[i]));
    }
    for (int i = 0; i < n; ++i) {
        sum += v3_norm(c[i].r) * fastest;
    }
    return sum;
}

void scene_check_ledger(const scene *s)
{
    const pcs_energy *e = &s->report.energy;
    const double scale = fabs(e->kinetic_before) + fabs(e->kinetic_after) + fabs(e->normal) +
                         fabs(e->tangential) + fabs(e->joints) + fabs(e->prescribed) +
                         fabs(e->forces) + fabs(e->conservative) + fabs(e->gyroscopic) +
                         fabs(e->mass);
    const double rounding = 1e-12 * scale + 1e-14 * work_of_each(s) + 1e-24;
    ck_assert_msg(fabs(e->closure) <= rounding, "closure %g of %g", e->closure, scale);
}

void scene_check_step(scene *s)
{
    check_contacts(s);
    for (int i = 0; i < s->m->n_systems; ++i) {
        check_wrench(s, i);
        const model_system *b = &s->m->system[i];
        if (b->kind == SYSTEM_BODY) CK_NEAR(pcs_quat_norm(s->st->q + b->q_at + 3), 1, 1e-14);
    }

    scene_check_ledger(s);
    const pcs_energy *e = &s->report.energy;
    const pcs_contact *c;
    bool rough = false;
    for (int i = scene_contacts(s, &c); i-- > 0;) {
        rough = rough || has_friction(&c[i]);
    }
    ck_assert(rough || e->tangential == 0);
}

void random_inertia(test_random *r, const double principal[3], double J[9])
{
    double Q[4], R[9];
    random_quaternion(r, Q);
    pcs_quat_to_matrix(Q, R);
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            J[i + 3 * j] = 0;
            for (int k = 0; k < 3; ++k) {
                J[i + 3 * j] += R[i + 3 * k] * principal[k] * R[j + 3 * k];
            }
        }
    }
}

// ---- a scene with everything in it

static int wind(void *user, double t, const double q[7], const double v[6], double F[6])
{
    F[0] = sin(5 * t) - 0.1 * v[0];
    F[4] = 0.01 * cos(3 * t) - 0.001 * v[4];
    return 0;
}

static int sag(void *user, const double *q, double *V)
{
    *V = q[1] * q[1];
    return 0;
}

static int pull(void *user, double t, const double q[7], const double v[6], double F[6])
{
    F[1] = -2 * q[1];
    return 0;
}

void scene_random(scene *s, uint64_t seed)
{
    scene_random_rough(s, seed, 0);
}

void scene_random_rough(scene *s, uint64_t seed, double mu)
{
    test_random r = random_seed(seed);
    *s = scene_open();
    scene_ground(s, random_unit(&r));
    scene_shape(s, (pcs_system){0}, pcs_shape_half_space((double[3]){1, 0, 1}, -0.4), 0.2);
    pcs_system body[8];
    for (int i = 0; i < 8; ++i) {
        pcs_body_def def = pcs_body_def_default();
        def.mass = random_between(&r, 0.5, 2);
        const double j = 0.4 * def.mass * 0.01;
        const double principal[3] = {j, j * random_between(&r, 0.6, 1.4), j * 0.9};
        random_inertia(&r, principal, def.inertia);
        def.position[0] = 0.25 * (i % 3);
        def.position[1] = 0.02 * random_normal(&r);
        def.position[2] = 0.12 + 0.22 * (double)(i / 3);
        for (int k = 0; k < 3; ++k) {
            def.velocity[k] = random_normal(&r);
            def.omega[k] = 5 * random_normal(&r);
        }
        random_quaternion(&r, def.orientation);
        if (i == 3) def.force = wind;
        if (i == 4) {
            def.force = pull;
            def.potential = sag;
        }
        CK_OK(pcs_model_add_body(s->m, &def, &body[i]));
        const pcs_shape shape = i % 2 ? pcs_shape_box(0.14, 0.12, 0.1) : pcs_shape_sphere(0.1);
        const double e = random_unit(&r);
        scene_rough(s, body[i], shape, e, 0, mu > 0 ? mu * random_unit(&r) : 0);

        // a second shape, off the centre
        if (i % 3 == 0) {
            pcs_shape bump = pcs_shape_sphere(0.04);
            bump.position[0] = 0.09;
            scene_shape(s, body[i], bump, 0.1);
        }
    }
    const double p[3] = {0.1, 0, 0}, o[3] = {0};
    scene_join(s, pcs_relation_distance(p, o, 0.2), pcs_law_equality(), body[6], body[7]);
    const double anchor[3] = {-0.3, 0, 1};
    scene_join(s, pcs_relation_distance(o, anchor, 0.3), pcs_law_newton_impact(0.3), body[2],
               (pcs_system){0});
}

double pair_depth(const pcs_shape *s1, const double *q1, const pcs_shape *s2, const double *q2)
{
    pcs_feature f[PCS_FEATURES_MAX];
    double depth = 0;
    for (int i = pcs_collide(s1, q1, s2, q2, 0, PCS_FEATURES_MAX, f); i-- > 0;) {
        pcs_gap gap;
        pcs_feature_gap(&f[i], q1, q2, &gap);
        depth = fmax(depth, -gap.g);
    }
    return depth;
}

double observed_order(int n, const double *error)
{
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (int i = 0; i < n; ++i) {
        const double x = -i, y = log2(error[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void scene_steps(scene *s, double h, int n)
{
    for (int i = 0; i < n; ++i) {
        scene_step(s, h);
        scene_check_step(s);
    }
}
