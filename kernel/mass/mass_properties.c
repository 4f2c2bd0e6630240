// Mass properties from elements, translated, rotated and combined (theory 3.4), energy and momenta
// (3.3).
#include "mass/inertia.h"

#include <string.h>

#include <percuss/body.h>
#include <percuss/rotation.h>

#include "base/base.h"

static pcs_status finish(const char *where, const pcs_inertia *b, pcs_inertia *out)
{
    if (!b || !out) return pcs_fail(PCS_ERR_ARG, "%s: an argument is null", where);
    if (!(b->m > 0) || !isfinite(b->m) || !pcs_all_finite(b->G, 3) || !pcs_all_finite(b->J, 9)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "%s: the mass is %g kg; mass, centre and inertia must be finite, and the mass positive",
            where, b->m);
    }
    *out = *b;
    return PCS_OK;
}

// the centre first, then the inertia about it: no difference of large numbers
pcs_status pcs_inertia_of_points(int n, const double *masses, const double *points,
                                 pcs_inertia *out)
{
    static const char where[] = "pcs_inertia_of_points";
    if (n < 1 || !masses || !points || !out) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d elements, or an array is null; give at least one",
                        where, n);
    }
    pcs_inertia b = {0};
    for (int k = 0; k < n; ++k) {
        const double *x = points + 3 * (size_t)k;
        if (!(masses[k] >= 0) || !isfinite(masses[k]) || !pcs_all_finite(x, 3)) {
            return pcs_fail(PCS_ERR_ARG,
                            "%s: element %d has %g kg at (%g, %g, %g); masses must not be negative "
                            "and all must be finite",
                            where, k, masses[k], x[0], x[1], x[2]);
        }
        b.m += masses[k];
    }
    if (!(b.m > 0)) return pcs_fail(PCS_ERR_ARG, "%s: all masses are zero", where);
    for (int k = 0; k < n; ++k) {
        v3_along(b.G, masses[k] / b.m, points + 3 * (size_t)k, b.G);
    }
    for (int k = 0; k < n; ++k) {
        double d[3];
        v3_sub(points + 3 * (size_t)k, b.G, d);
        inertia_parallel(masses[k], d, b.J);
    }
    return finish(where, &b, out);
}

pcs_status pcs_inertia_set_mass(pcs_inertia *b, double mass)
{
    if (!b) return pcs_fail(PCS_ERR_ARG, "pcs_inertia_set_mass: the inertia is null");
    if (!(b->m > 0 && mass > 0) || !isfinite(b->m) || !isfinite(mass)) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_inertia_set_mass: from %g to %g kg; both must be positive and finite",
                        b->m, mass);
    }
    pcs_inertia scaled = *b;
    const double factor = mass / b->m;
    scaled.m = mass;
    for (int i = 0; i < 9; ++i) {
        scaled.J[i] *= factor;
    }
    return finish("pcs_inertia_set_mass", &scaled, b);
}

// ---- axes and frames

void pcs_parallel_axes(double m, const double d[3], const double J_G[9], double J_O[9])
{
    double J[9];
    memcpy(J, J_G, sizeof J);
    inertia_parallel(m, d, J);
    memcpy(J_O, J, sizeof J);
}

void pcs_parallel_axes_back(double m, const double d[3], const double J_O[9], double J_G[9])
{
    pcs_parallel_axes(-m, d, J_O, J_G);
}

void pcs_inertia_about(const pcs_inertia *b, const double point[3], double J[9])
{
    double d[3];
    v3_sub(point, b->G, d);
    pcs_parallel_axes(b->m, d, b->J, J);
}

// mass on a line (PCS_ERR_SINGULAR) is a body, too
static pcs_status accept_lines(pcs_status checked)
{
    return checked == PCS_ERR_SINGULAR ? PCS_OK : checked;
}

pcs_status pcs_inertia_from_about(double m, const double G[3], const double point[3],
                                  const double J[9], pcs_inertia *out)
{
    pcs_inertia b = {.m = m};
    double d[3];
    if (!out) return pcs_fail(PCS_ERR_ARG, "pcs_inertia_from_about: out is null");
    v3_copy(G, b.G);
    v3_sub(point, G, d);
    pcs_parallel_axes_back(m, d, J, b.J);
    PCS_TRY(accept_lines(pcs_inertia_check(&b)));
    *out = b;
    return PCS_OK;
}

void pcs_inertia_rotate(const double R[9], const double J[9], double out[9])
{
    double S[9];
    inertia_turn(R, J, S);
    memcpy(out, S, sizeof S);
}

void pcs_inertia_transform(const double q[7], const pcs_inertia *b, pcs_inertia *out)
{
    pcs_inertia placed = {.m = b->m};
    double R[9];
    pcs_quat_to_matrix(q + 3, R);
    m3_mul(R, b->G, placed.G);
    v3_along(q, 1, placed.G, placed.G);
    inertia_turn(R, b->J, placed.J);
    *out = placed;
}

void pcs_inertia_products(const double J[9], double moments[3], double products[3])
{
    for (int i = 0; i < 3; ++i) {
        moments[i] = J[4 * i];
        products[i] = -J[i + 3 * ((i + 1) % 3)]; // xy, yz, zx
    }
}

void pcs_inertia_from_products(const double moments[3], const double products[3], double J[9])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3;
        J[4 * i] = moments[i];
        J[i + 3 * j] = J[j + 3 * i] = -products[i];
    }
}

// ---- bodies together

pcs_status pcs_inertia_combine(int n, const pcs_inertia *bodies, pcs_inertia *out)
{
    static const char where[] = "pcs_inertia_combine";
    if (n < 1 || !bodies || !out) {
        return pcs_fail(PCS_ERR_ARG, "%s: %d bodies, or an argument is null; give at least one",
                        where, n);
    }
    pcs_inertia all = {0};
    for (int k = 0; k < n; ++k) {
        pcs_inertia part = {0};
        PCS_TRY(finish(where, &bodies[k], &part));
        inertia_join(&all, &part);
    }
    return finish(where, &all, out);
}

// the reverse of a join: with d = G_part - G_whole, m = m_whole - m_part,
// G = G_whole - (m_part/m) d, J = J_whole - J_part - m_whole m_part / m (|d|^2 I - d d^T)
pcs_status pcs_inertia_remove(const pcs_inertia *whole, const pcs_inertia *part, pcs_inertia *out)
{
    static const char where[] = "pcs_inertia_remove";
    pcs_inertia a, b, left;
    double d[3];
    if (!out) return pcs_fail(PCS_ERR_ARG, "%s: out is null", where);
    PCS_TRY(finish(where, whole, &a));
    PCS_TRY(finish(where, part, &b));
    left.m = a.m - b.m;
    if (!(left.m > 0)) {
        return pcs_fail(PCS_ERR_ARG, "%s: without %.15g kg of %.15g kg no mass is left", where, b.m,
                        a.m);
    }
    v3_sub(b.G, a.G, d);
    const double share = b.m / left.m;
    v3_along(a.G, -share, d, left.G);
    for (int i = 0; i < 9; ++i) {
        left.J[i] = a.J[i] - b.J[i];
    }
    inertia_parallel(-a.m * share, d, left.J);
    PCS_TRY(accept_lines(pcs_inertia_check(&left)));
    *out = left;
    return PCS_OK;
}

// ---- energy and momenta

double pcs_body_energy(double m, const double J[9], const double v[6])
{
    double L[3];
    m3_mul(J, v + 3, L);
    return 0.5 * m * v3_dot(v, v) + 0.5 * v3_dot(v + 3, L);
}

void pcs_body_momentum(double m, const double J[9], const double q[7], const double v[6],
                       const double about[3], double momentum[6])
{
    double p[3], L[3], rotated[3], arm[3], moment[3];
    v3_scale(m, v, p);
    m3_mul(J, v + 3, L);
    pcs_quat_rotate(q + 3, L, rotated);
    v3_sub(q, about, arm);
    v3_cross(arm, p, moment);
    v3_copy(p, momentum);
    v3_along(moment, 1, rotated, momentum + 3);
}

void pcs_inertia_mass_matrix(const pcs_inertia *b, double M[36])
{
    double J[9], S[9];
    const double origin[3] = {0};
    pcs_inertia_about(b, origin, J);
    m3_skew(b->G, S);
    for (int j = 0; j < 3; ++j) {
        for (int i = 0; i < 3; ++i) {
            M[i + 6 * j] = i == j ? b->m : 0;
            M[i + 6 * (3 + j)] = -b->m * S[i + 3 * j];
            M[3 + i + 6 * j] = b->m * S[i + 3 * j];
            M[3 + i + 6 * (3 + j)] = J[i + 3 * j];
        }
    }
}
