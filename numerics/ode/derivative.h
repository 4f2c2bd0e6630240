// Private side of the Jacobians in <percuss/root.h>: they count evaluations, and may know f(x).
#ifndef ODE_DERIVATIVE_H
#define ODE_DERIVATIVE_H

#include <percuss/root.h>

#include "base/base.h"

// the method that `how` selects for this map; PCS_ERR_ARG when its callback is null
pcs_status derivative_resolve(const pcs_map *map, pcs_derivative how, pcs_derivative *out);

// J at x by `how` (resolved). fx: f(x); null: evaluated when needed. Adds calls of f and f_complex
// to *evaluations. PCS_ERR_CALLBACK as pcs_jacobian
pcs_status derivative_form(const pcs_map *map, pcs_derivative how, const double *x,
                           const double *fx, pcs_arena work, double *J, long *evaluations);

// the same by central differences: twice the cost, half as many digits again
pcs_status derivative_central(const pcs_map *map, const double *x, pcs_arena work, double *J,
                              long *evaluations);

// f at x; false when it is not defined there
bool derivative_value(const pcs_map *map, const double *x, double *f, long *evaluations);

// max(|x_j|, scale_j)
static inline double derivative_size(const pcs_map *map, int j, double xj)
{
    return fmax(fabs(xj), map->x_scale ? map->x_scale[j] : 1);
}

// checks n, m >= 1, f and the scales
pcs_status derivative_check_map(const pcs_map *map, const char *who);

// checks the ranges of options of Newton's method
pcs_status root_check_opts(const pcs_root_opts *opts, const char *who);

#endif
