// A fin whose chord c is rotated by delta from e_x towards its normal n (theory 11):
//
//     c = cos(delta) e_x + sin(delta) n,  n' = -sin(delta) e_x + cos(delta) n
//     v = V + omega x r,  v_c = v.c,  v_n = v.n',  U^2 = v_c^2 + v_n^2,  alpha = atan2(-v_n, v_c)
//
// Lift is orthogonal to the velocity and drag along it; with U cos(alpha) = v_c and U sin(alpha) =
// -v_n
//
//     f = 1/2 rho S U [ CL (v_c n' - v_n c) - CD (v_c c + v_n n') ]
//
// so that f.v = -1/2 rho S U^3 CD: only drag takes energy.
#include "systems/vehicle.h"

#include <math.h>

#include "linalg/m3.h"

// (m/s)^2, below which a fin is at rest
#define REST 1e-24

pcs_status fin_load(const pcs_vehicle *v, int i, const double nu[6], double delta,
                    pcs_fin_load *out)
{
    *out = (pcs_fin_load){0};
    const double *n = v->fin_normal[i], *r = v->fin_point[i];
    const double sd = sin(delta), cd = cos(delta);
    double chord[3], across[3], velocity[3];
    for (int k = 0; k < 3; ++k) {
        chord[k] = cd * (k == 0) + sd * n[k];
        across[k] = -sd * (k == 0) + cd * n[k];
    }
    v3_cross(nu + 3, r, velocity);
    v3_along(velocity, 1, nu, velocity);

    const double vc = v3_dot(velocity, chord), vn = v3_dot(velocity, across);
    const double square = vc * vc + vn * vn;
    if (square < REST) return PCS_OK;
    out->speed = sqrt(square);
    out->alpha = atan2(0 - vn, vc); // 0 - vn: motion straight astern has alpha = +pi
    PCS_TRY(foil_coefficients(&v->def.foil, out->alpha, &out->CL, &out->CD));

    const double c = 0.5 * v->def.density * v->def.fin[i].area * out->speed;
    const double along = c * (-out->CL * vn - out->CD * vc);
    const double normal = c * (out->CL * vc - out->CD * vn);
    for (int k = 0; k < 3; ++k) {
        out->wrench[k] = along * chord[k] + normal * across[k];
    }
    v3_cross(r, out->wrench, out->wrench + 3);
    return PCS_OK;
}

pcs_status pcs_vehicle_fin_load(const pcs_vehicle *v, int i, const double nu[6], double delta,
                                pcs_fin_load *out)
{
    if (!v || !nu || !out)
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_fin_load: an argument is null");
    if (i < 0 || i >= v->def.n_fins) {
        return pcs_fail(PCS_ERR_ARG,
                        "pcs_vehicle_fin_load: there is no fin %d; the vehicle has %d, from 0", i,
                        v->def.n_fins);
    }
    if (!pcs_all_finite(nu, 6) || !isfinite(delta)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_vehicle_fin_load: the velocity or the deflection is not"
                                     " finite");
    }
    return fin_load(v, i, nu, delta, out);
}
