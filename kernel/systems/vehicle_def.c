// The parameters of a vehicle: default numbers (theory 11), their check, creation and destruction.
#include "systems/vehicle.h"

#include <math.h>
#include <string.h>

#include "mass/m6.h"

#define RIGHT_ANGLE 1.5707963267948966

static void diagonal(const double d[6], double A[36])
{
    for (int i = 0; i < 6; ++i) {
        A[7 * i] = d[i];
    }
}

pcs_vehicle_def pcs_vehicle_def_default(void)
{
    pcs_vehicle_def def = {.mass = 10,
                           .weight = 98.1,
                           .buoyancy = 98.1,
                           .r_B = {0, 0, 0.01},
                           .damping = {1, 5, 5, 0.1, 1, 1},
                           .quadratic = {2, 20, 20, 0.05, 2, 2},
                           .Yur = 1,
                           .density = 1000,
                           .thruster = {-0.76, 0, 0},
                           .thrust_axis = {1, 0, 0},
                           .n_fins = 4,
                           .foil = pcs_foil_naca0012()};
    diagonal((double[6]){10, 10, 10, 1, 5, 5}, def.mass_matrix);

    // the centroid of the trapezoid, chords 0.1 and 0.05, span 0.12, is 0.14/3 from its root
    for (int i = 0; i < def.n_fins; ++i) {
        def.fin[i] = (pcs_vehicle_fin){
            .angle = i * RIGHT_ANGLE, .x = -0.6, .radius = 0.05 + 0.14 / 3, .area = 0.008};
    }
    return def;
}

// ---- checks

static pcs_status check_finite(const char *what, const double *x, size_t n)
{
    if (pcs_all_finite(x, n)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "vehicle: %s has an entry that is not finite", what);
}

static pcs_status check_positive(const char *what, const double *x, int n)
{
    for (int i = 0; i < n; ++i) {
        if (!(x[i] >= 0) || !isfinite(x[i])) {
            return pcs_fail(PCS_ERR_ARG, "vehicle: %s is %g (entry %d); it must not be negative",
                            what, x[i], i);
        }
    }
    return PCS_OK;
}

static pcs_status check_masses(const pcs_vehicle_def *def)
{
    PCS_TRY(check_finite("the mass matrix", def->mass_matrix, 36));
    PCS_TRY(check_finite("the added mass", def->added_mass, 36));
    if (!m6_is_symmetric(def->mass_matrix) || !m6_is_symmetric(def->added_mass)) {
        return pcs_fail(PCS_ERR_ARG, "vehicle: the mass matrix or the added mass is not symmetric");
    }
    if (!(def->mass > 0) || !isfinite(def->mass)) {
        return pcs_fail(PCS_ERR_ARG, "vehicle: the mass is %g kg; it must be positive", def->mass);
    }
    double L[36];
    if (!m6_cholesky(def->mass_matrix, L)) {
        return pcs_fail(PCS_ERR_SINGULAR, "vehicle: the mass matrix is not positive definite; it is"
                                          " that of solid and added mass together");
    }
    return PCS_OK;
}

static pcs_status check_fins(const pcs_vehicle_def *def)
{
    if (def->n_fins < 0 || def->n_fins > PCS_VEHICLE_FINS_MAX) {
        return pcs_fail(PCS_ERR_ARG, "vehicle: %d fins; there may be 0 to %d", def->n_fins,
                        PCS_VEHICLE_FINS_MAX);
    }
    for (int i = 0; i < def->n_fins; ++i) {
        const pcs_vehicle_fin *f = &def->fin[i];
        if (!isfinite(f->angle) || !isfinite(f->x) || !isfinite(f->radius)) {
            return pcs_fail(PCS_ERR_ARG, "vehicle: the position of fin %d is not finite", i);
        }
        if (!(f->area >= 0) || !isfinite(f->area)) {
            return pcs_fail(PCS_ERR_ARG,
                            "vehicle: the area of fin %d is %g m^2; it must not be negative", i,
                            f->area);
        }
    }
    return foil_check(&def->foil);
}

static pcs_status check(const pcs_vehicle_def *def)
{
    PCS_TRY(check_masses(def));
    PCS_TRY(check_positive("the weight", &def->weight, 1));
    PCS_TRY(check_positive("the buoyancy", &def->buoyancy, 1));
    PCS_TRY(check_positive("the density", &def->density, 1));
    PCS_TRY(check_positive("the damping", def->damping, 6));
    PCS_TRY(check_positive("the quadratic damping", def->quadratic, 6));
    PCS_TRY(check_finite("the centre of gravity", def->r_G, 3));
    PCS_TRY(check_finite("the centre of buoyancy", def->r_B, 3));
    PCS_TRY(check_finite("the sway coefficient Yur", &def->Yur, 1));
    PCS_TRY(check_finite("the current", def->current, 3));
    PCS_TRY(check_finite("the position of the thruster", def->thruster, 3));
    PCS_TRY(check_finite("the thrust axis", def->thrust_axis, 3));
    return check_fins(def);
}

// ---- creation

static void derive(pcs_vehicle *v)
{
    pcs_vehicle_def *def = &v->def;
    (void)m6_cholesky(def->mass_matrix, v->L);
    for (int i = 0; i < 36; ++i) {
        v->solid[i] = def->mass_matrix[i] - def->added_mass[i];
    }
    v->flows = def->current[0] != 0 || def->current[1] != 0 || def->current[2] != 0;
    for (int i = 0; i < def->n_fins; ++i) {
        const pcs_vehicle_fin *f = &def->fin[i];
        const double c = cos(f->angle), s = sin(f->angle);
        v3_copy((double[3]){0, -s, c}, v->fin_normal[i]);
        v3_copy((double[3]){f->x, f->radius * c, f->radius * s}, v->fin_point[i]);
    }
}

pcs_status pcs_vehicle_create(const pcs_env *env, const pcs_vehicle_def *def, pcs_vehicle **out)
{
    if (!def || !out) return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_create: an argument is null");
    *out = NULL;
    if (env && (!env->alloc != !env->release)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_create: the environment has one of alloc and"
                                     " release; set both or none");
    }
    PCS_TRY(check(def));
    double axis[3];
    if (v3_unit(def->thrust_axis, axis) == 0) {
        return pcs_fail(PCS_ERR_ARG, "vehicle: the thrust axis is zero; it must have a direction");
    }

    pcs_vehicle *v = pcs_env_alloc(env, 1, sizeof *v);
    if (!v) return pcs_fail_memory("pcs_vehicle_create");
    if (env) v->env = *env;
    v->def = *def;
    v3_copy(axis, v->def.thrust_axis);
    if (def->foil.table) {
        const size_t n = 3 * (size_t)def->foil.rows;
        v->table = pcs_env_alloc(env, n, sizeof *v->table);
        if (!v->table) {
            pcs_vehicle_destroy(v);
            return pcs_fail_memory("pcs_vehicle_create");
        }
        memcpy(v->table, def->foil.table, n * sizeof *v->table);
        v->def.foil.table = v->table;
    }
    derive(v);
    *out = v;
    return PCS_OK;
}

void pcs_vehicle_destroy(pcs_vehicle *v)
{
    if (!v) return;
    const pcs_env env = v->env;
    pcs_env_free(&env, v->table);
    pcs_env_free(&env, v);
}

const pcs_vehicle_def *pcs_vehicle_definition(const pcs_vehicle *v)
{
    return v ? &v->def : NULL;
}
