// Without friction no contact changes the spin of a body of revolution about its axis: every normal
// meets the axis, wherever in the step the shapes meet, and whatever the body has turned until
// then.
#include "scene.h"

// ---- bodies -------------------------------------------------------------------------------------

enum { BODIES = 3, OTHERS = 7, DRAWS = 210 };

// a capsule, a dumbbell of two balls or a cylinder, about the z axis; *size: the least width and
// the length
static pcs_system add_body(scene *s, int kind, test_random *r, double size[2])
{
    const double a = random_between(r, 0.05, 0.2), b = random_between(r, 0.05, 0.4);
    pcs_shape shape[2] = {pcs_shape_capsule(a, b), pcs_shape_sphere(a)};
    if (kind == 1) {
        shape[0] = shape[1];
        shape[0].position[2] = 0.7 * b;
        shape[1].position[2] = -0.3 * b;
    }
    if (kind == 2) shape[0] = pcs_shape_cylinder(a, b);
    pcs_body_def def = pcs_body_def_default();
    random_quaternion(r, def.orientation);
    for (int i = 0; i < 3; ++i) {
        def.position[i] = i < 2 ? random_between(r, -0.2, 0.2) : random_between(r, 0.5, 0.7);
        def.velocity[i] = i < 2 ? random_between(r, -1, 1) : random_between(r, -4, -1);
        def.omega[i] = random_between(r, -20, 20);
    }
    pcs_system out;
    CK_OK(pcs_model_add_solid(s->m, &def, kind == 1 ? 2 : 1, shape, 1000, (pcs_material){0}, &out));
    size[0] = kind == 2 ? fmin(2 * a, b) : 2 * a;
    size[1] = a + b;
    return out;
}

// what it falls on, fixed or (odd numbers) free
static pcs_shape other_shape(int kind)
{
    switch (kind) {
    case 0:
        return pcs_shape_half_space((double[]){0, 0, 1}, 0);
    case 1:
    case 2:
        return pcs_shape_box(0.5, 0.5, 0.4);
    case 3:
    case 4:
        return pcs_shape_cylinder(0.2, 0.4);
    case 5:
        return pcs_shape_capsule(0.2, 0.3);
    default:
        return pcs_shape_box(0.3, 0.4, 0.2);
    }
}

static void add_other(scene *s, int kind, test_random *r)
{
    const pcs_shape shape = other_shape(kind);
    if (kind % 2 == 0) {
        pcs_material none = {0};
        pcs_shape turned = shape;
        if (kind > 2) random_quaternion(r, turned.orientation);
        CK_OK(pcs_model_add_shape(s->m, (pcs_system){0}, &turned, none));
        return;
    }
    pcs_body_def def = pcs_body_def_default();
    pcs_system out;
    def.position[2] = -0.1;
    random_quaternion(r, def.orientation);
    CK_OK(pcs_model_add_solid(s->m, &def, 1, &shape, 1000, (pcs_material){0}, &out));
}

static void forget_gravity(scene *s)
{
    CK_OK(pcs_model_set_gravity(s->m, (double[]){0, 0, 0}));
}

// ---- the axis -----------------------------------------------------------------------------------

// Closed contacts of a cap that is still tilted by what the projection leaves keep their levers
static const double tilt[BODIES] = {1e-12, 1e-12, 3e-4};

// The moment of the contacts about the axis, over the largest that an impulse could have; and no
// contact adds energy. *late: contacts that act along the normal of a later place
static void check_step(scene *s, pcs_system b, int kind, double size, double before, int *late)
{
    const pcs_contact *c;
    double wrench[6];
    const int n = scene_contacts(s, &c);
    pcs_work_contact_wrench(s->wk, b, wrench);
    const double impulse =
        sqrt(wrench[0] * wrench[0] + wrench[1] * wrench[1] + wrench[2] * wrench[2]);
    ck_assert_msg(fabs(wrench[5]) <= tilt[kind] * (1 + impulse) * size, "%g of %g", wrench[5],
                  impulse);
    ck_assert(scene_kinetic(s) <= before * (1 + 1e-12));
    for (int i = 0; i < n; ++i) {
        double slide = 0;
        for (int k = 0; k < 3; ++k) {
            slide = fmax(slide, fabs(c[i].P1[k] - c[i].P2[k] - c[i].gap * c[i].F[k]));
        }
        *late += c[i].r[0] > 0 && slide > 1e-9;
    }
}

TEST(contacts_have_no_moment_about_the_axis)
{
    test_random r = random_seed(71);
    int late = 0;
    for (int k = 0; k < TEST_DRAWS(DRAWS); ++k) {
        scene s = scene_open();
        s.scheme = pcs_scheme_default();
        double size[2];
        const int kind = k % BODIES;
        const pcs_system b = add_body(&s, kind, &r, size);
        add_other(&s, k / BODIES % OTHERS, &r);
        forget_gravity(&s);
        scene_start(&s);
        const double *v = scene_v(&s, b), spin = v[5];
        const double fastest =
            sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) + hypot(v[3], v[4]) * size[1];
        const double h = (k % 2 == 0 ? 0.2 : 0.1) * size[0] / fastest;
        for (int i = 0; i < 0.4 / h; ++i) {
            const double before = scene_kinetic(&s);
            scene_step(&s, h);
            check_step(&s, b, kind, size[1], before, &late);
        }
        CK_NEAR(v[5], spin, kind == 2 ? 2e-3 : 1e-10);
        scene_close(&s);
    }
    ck_assert_int_ge(late, TEST_DRAWS(DRAWS) / 10);
}
