// The operations of a step on a system of any kind: forces, mass, iteration matrix, motion,
// energy. All vectors are the system's own slices, in its coordinates q and velocities v.
#ifndef SYSTEMS_SYSTEMS_H
#define SYSTEMS_SYSTEMS_H

#include "linalg/m3.h"
#include "model/model.h"

// the forces of one system, split for the energy ledger; nv entries each
typedef struct system_force {
    double *conservative; // gravity, stiffness, load, callbacks with a potential
    double *other;        // callbacks without a potential, damping
    double *gyroscopic;   // -omega x J omega, and the term of added mass
} system_force;

pcs_status system_forces(const pcs_model *m, const model_system *s, double t, const double *q,
                         const double *v, system_force F);

// A = M, nv x nv column-major, at q
pcs_status system_mass(const model_system *s, const double *q, double *A);

// A -= a dF/dv + b (dF/dq) T: the rest of the iteration matrix M - h theta dF/dv - h^2 theta^2
// (dF/dq) T, with a = h theta and b = a^2. `work` has system_jacobian_work entries.
pcs_status system_subtract_jacobian(const model_system *s, double t, const double *q,
                                    const double *v, double a, double b, double *work, double *A);
size_t system_jacobian_work(const model_system *s);

// J = C T(q), dim x nv, from a gradient C, dim x nq, both column-major
void system_times_T(const model_system *s, int dim, const double *q, const double *C, double *J);

// y = M x; `M` is the nv x nv mass of a system whose mass varies, else it is not read
void system_whole_mass_mul(const model_system *s, const double *M, const double *x, double *y);
static inline void system_mass_mul(const model_system *s, const double *M, const double *x,
                                   double *restrict y)
{
    if (s->kind != SYSTEM_BODY || s->added) {
        system_whole_mass_mul(s, M, x, y);
        return;
    }
    for (int i = 0; i < 6; ++i) {
        y[i] = (i < 3 ? s->mass : s->J[0]) * x[i];
    }
    if (!s->isotropic) m3_mul(s->J, x + 3, y + 3);
}

// entry (i, i) of the mass; `M` as above
static inline double system_mass_diagonal(const model_system *s, const double *M, int i)
{
    if (s->sparse) return envelope_diagonal(&s->sparse->M, i);
    if (s->M) M = s->M;
    if (M) return M[(size_t)i * ((size_t)s->nv + 1)];
    return i < 3 ? s->mass : s->J[4 * (i - 3)];
}

// the same of the stiffness K and the damping D of a Lagrangian system; 0 where it has none
static inline double system_stiffness_diagonal(const model_system *s, int i)
{
    if (s->sparse) return s->sparse->K.val ? envelope_diagonal(&s->sparse->K, i) : 0;
    return s->K ? s->K[(size_t)i * ((size_t)s->nv + 1)] : 0;
}
static inline double system_damping_diagonal(const model_system *s, int i)
{
    if (s->sparse) return s->sparse->D.val ? envelope_diagonal(&s->sparse->D, i) : 0;
    return s->D ? s->D[(size_t)i * ((size_t)s->nv + 1)] : 0;
}

// The iteration matrix of a body without force callbacks at angular velocity v[3..5], which is
// diag(m I, J + S + a ([omega]x J - [J omega]x)), where S is null or `stiff`, 3x3: diagonal when
// the inertia is isotropic and there is no S. The kind for block_lu (linalg/mass.h) is returned,
// with the values that this kind has, and BLOCK_DENSE, with nothing done, for all other systems. A
// has room for system_factor_size numbers.
int system_body_matrix(const model_system *s, const double *v, double a, const double *stiff,
                       double *A);

// A += diag(0, S) of a body with the 6x6 matrix A, where S is not null
static inline void system_add_stiffness(const double *stiff, double *A)
{
    for (int i = 0; stiff && i < 9; ++i) {
        A[3 + i % 3 + 6 * (3 + i / 3)] += stiff[i];
    }
}

// q1 = q moved by h v
void system_advance(const model_system *s, const double *q, double h, const double *v,
                    pcs_quat_update update, double *q1);

// adds the potential of a callback
pcs_status system_add_potential(const model_system *s, const double *q, double *V);
// adds the potential of the stiffness and load of a Lagrangian system
double lagrangian_potential(const model_system *s, const double *q);
// potential energy at q: gravity, stiffness, load, potential callback
static inline pcs_status system_potential(const pcs_model *m, const model_system *s,
                                          const double *q, double *V)
{
    *V = 0;
    if (s->disabled) return PCS_OK;
    *V = s->kind == SYSTEM_BODY ? -s->mass * v3_dot(m->gravity, q) : lagrangian_potential(s, q);
    return s->potential ? system_add_potential(s, q, V) : PCS_OK;
}

// refuses a state that is not of the model, or was not extended; `out`: another argument that must
// not be null
pcs_status system_check_state(const char *who, const pcs_model *m, const pcs_state *st,
                              const void *out);

// normalises the quaternions of moving bodies; false if one is zero or not finite
bool system_normalise(const model_system *s, double *q);

#endif
