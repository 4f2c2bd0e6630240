// Lift and drag coefficients of a profile at any angle of attack: a callback, a table, or a smooth
// fit between attached flow (thin profile) and a flat plate beyond the stall (theory 11). The blend
//
//     sigma = (1 + a + b) / ((1 + a) (1 + b)),  a = e^{-k (alpha - alpha0)},
//                                               b = e^{ k (alpha + alpha0)}
//
// is evaluated by its complement 1 - sigma = 1 / ((1 + 1/a) (1 + 1/b)), which has no cancellation
// and is even in alpha to the last bit.
#include "systems/vehicle.h"

#include <math.h>

// exponents beyond this would overflow
#define EXPONENT_MOST 700

pcs_foil pcs_foil_naca0012(void)
{
    return (pcs_foil){.slope = 5.73,
                      .stall = 15 * 3.14159265358979323846 / 180,
                      .sharpness = 50,
                      .drag = 0.0065,
                      .rise = 0.01,
                      .plate = 2};
}

// 1 / (1 + e^-x)
static double logistic(double x)
{
    return 1 / (1 + exp(fmin(EXPONENT_MOST, fmax(-EXPONENT_MOST, -x))));
}

static void fit(const pcs_foil *f, double alpha, double *CL, double *CD)
{
    const double attached =
        logistic(f->sharpness * (f->stall - alpha)) * logistic(f->sharpness * (f->stall + alpha));
    const double stalled = 1 - attached, pre = f->slope * alpha;
    const double s = sin(alpha), plate = f->plate * s * fabs(s);
    *CL = attached * pre + stalled * plate * cos(alpha);
    *CD = f->drag + attached * f->rise * pre * pre + stalled * fabs(plate * s);
}

// linear between the rows around alpha, constant beyond the ends
static void interpolate(const double *table, int rows, double alpha, double *CL, double *CD)
{
    int low = 0, high = rows - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (table[3 * middle] <= alpha) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const double *a = table + 3 * low, *b = table + 3 * high;
    const double s = fmin(1, fmax(0, (alpha - a[0]) / (b[0] - a[0])));
    *CL = (1 - s) * a[1] + s * b[1];
    *CD = (1 - s) * a[2] + s * b[2];
}

static pcs_status check_table(const double *table, int rows)
{
    if (rows < 2) {
        return pcs_fail(PCS_ERR_ARG, "foil: the table has %d rows; it needs two or more", rows);
    }
    for (int i = 0; i < rows; ++i) {
        const double *row = table + 3 * (size_t)i;
        if (!pcs_all_finite(row, 3)) {
            return pcs_fail(PCS_ERR_ARG, "foil: row %d of the table is not finite", i);
        }
        if (i > 0 && !(row[0] > row[-3])) {
            return pcs_fail(PCS_ERR_ARG,
                            "foil: the angles of the table must ascend; row %d has %g rad after"
                            " %g rad",
                            i, row[0], row[-3]);
        }
        if (!(row[2] >= 0)) {
            return pcs_fail(PCS_ERR_ARG,
                            "foil: row %d of the table has the drag coefficient %g; it must not be"
                            " negative",
                            i, row[2]);
        }
    }
    return PCS_OK;
}

pcs_status foil_check(const pcs_foil *f)
{
    if (f->fn && f->table) {
        return pcs_fail(PCS_ERR_ARG, "foil: both a callback and a table are given; choose one");
    }
    if (f->fn) return PCS_OK;
    if (f->table) return check_table(f->table, f->rows);
    if (!isfinite(f->slope) || !(f->stall > 0) || !isfinite(f->stall) || !(f->sharpness > 0) ||
        !isfinite(f->sharpness)) {
        return pcs_fail(PCS_ERR_ARG,
                        "foil: slope %g, stall %g rad, sharpness %g; stall and sharpness must be"
                        " positive, all finite",
                        f->slope, f->stall, f->sharpness);
    }
    if (!(f->drag >= 0) || !(f->rise >= 0) || !(f->plate >= 0) ||
        !isfinite(f->drag + f->rise + f->plate)) {
        return pcs_fail(PCS_ERR_ARG,
                        "foil: drag %g, rise %g, plate %g; none may be negative or infinite",
                        f->drag, f->rise, f->plate);
    }
    return PCS_OK;
}

pcs_status foil_coefficients(const pcs_foil *f, double alpha, double *CL, double *CD)
{
    if (f->fn) {
        double lift = NAN, drag = NAN; // shows a coefficient that the callback does not write
        const int answer = f->fn(f->user, alpha, &lift, &drag);
        if (answer != 0 || !isfinite(lift) || !isfinite(drag)) {
            return pcs_fail(
                PCS_ERR_CALLBACK,
                "the foil callback returned %d and gave CL = %g, CD = %g at alpha = %g rad", answer,
                lift, drag, alpha);
        }
        *CL = lift;
        *CD = drag;
    } else if (f->table) {
        interpolate(f->table, f->rows, alpha, CL, CD);
    } else {
        fit(f, alpha, CL, CD);
    }
    return PCS_OK;
}

pcs_status pcs_foil_coefficients(const pcs_foil *f, double alpha, double *CL, double *CD)
{
    if (!f || !CL || !CD)
        return pcs_fail(PCS_ERR_ARG, "pcs_foil_coefficients: an argument is null");
    if (!isfinite(alpha))
        return pcs_fail(PCS_ERR_ARG, "pcs_foil_coefficients: alpha is not finite");
    PCS_TRY(foil_check(f));
    return foil_coefficients(f, alpha, CL, CD);
}
