// The contents of a hydrodynamic vehicle: the checked definition and derived data.
#ifndef SYSTEMS_VEHICLE_H
#define SYSTEMS_VEHICLE_H

#include <percuss/vehicle.h>

#include "base/base.h"

struct pcs_vehicle {
    pcs_env env;
    pcs_vehicle_def def; // its table is `table`, its thrust axis a unit vector
    double *table;       // owned, or null
    bool flows;          // the current is not zero
    double L[36];        // Cholesky factor of M
    double solid[36];    // M without the added mass

    // per fin: normal and the point at which the force acts
    double fin_normal[PCS_VEHICLE_FINS_MAX][3];
    double fin_point[PCS_VEHICLE_FINS_MAX][3];
};

// PCS_ERR_ARG with a sentence unless the foil is valid
pcs_status foil_check(const pcs_foil *foil);
// the coefficients of a foil that passed the check
pcs_status foil_coefficients(const pcs_foil *foil, double alpha, double *CL, double *CD);

// fin i at nu relative to the water; arguments have been checked
pcs_status fin_load(const pcs_vehicle *v, int i, const double nu[6], double delta,
                    pcs_fin_load *out);

// the terms with a given rotation matrix; arguments have been checked
pcs_status vehicle_terms(const pcs_vehicle *v, const double R[9], const double nu[6],
                         const pcs_vehicle_command *command, pcs_vehicle_wrenches *out);
// dnu/dt
pcs_status vehicle_acceleration(const pcs_vehicle *v, const double R[9], const double nu[6],
                                const pcs_vehicle_command *command, double nudot[6]);
// true when the thrust and the deflections of the vehicle's fins are finite
bool vehicle_command_finite(const pcs_vehicle *v, const pcs_vehicle_command *command);

#endif
