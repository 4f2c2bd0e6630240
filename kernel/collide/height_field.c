// Height fields: checks of the input. Their triangles are computed on demand; see surface.c.
#include "collide/geometry.h"

#include <limits.h>
#include <string.h>

#include "base/base.h"

// largest height and side of the rectangle: the fourth power of larger ones overflows
static const double size_max = 1e70;

static pcs_status check(int nx, int ny, double dx, double dy, const double *heights)
{
    if (!heights)
        return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_height_field: the heights are null");
    if (nx < 2 || ny < 2 || nx > INT_MAX / 48 / ny) {
        return pcs_fail(
            PCS_ERR_SIZE,
            "pcs_geometry_create_height_field: %d by %d heights; at least 2 by 2 are needed, and"
            " at most %d in all",
            nx, ny, INT_MAX / 48);
    }
    if (!(dx > 0 && dy > 0 && dx * (nx - 1) <= size_max && dy * (ny - 1) <= size_max)) {
        return pcs_fail(
            PCS_ERR_ARG,
            "pcs_geometry_create_height_field: the spacing is %g by %g m; it must be positive"
            " and finite",
            dx, dy);
    }
    for (int k = 0; k < nx * ny; ++k) {
        if (!(fabs(heights[k]) <= size_max)) {
            return pcs_fail(
                PCS_ERR_ARG,
                "pcs_geometry_create_height_field: height (%d, %d) is %g m; heights must be"
                " finite and at most %g",
                k % nx, k / nx, heights[k], size_max);
        }
    }
    return PCS_OK;
}

pcs_status pcs_geometry_create_height_field(const pcs_env *env, int nx, int ny, double dx,
                                            double dy, const double *heights, pcs_geometry **out)
{
    if (!out) {
        return pcs_fail(PCS_ERR_ARG, "pcs_geometry_create_height_field: out is null");
    }
    *out = NULL;
    PCS_TRY(check(nx, ny, dx, dy, heights));
    pcs_geometry *g = geometry_new(env, PCS_SHAPE_HEIGHT_FIELD);
    const size_t n = (size_t)nx * (size_t)ny;
    double *copy = pcs_env_alloc(env, n, sizeof *copy);
    if (!g || !copy) {
        pcs_env_free(env, copy);
        pcs_geometry_destroy(g);
        return pcs_fail_memory("pcs_geometry_create_height_field");
    }
    memcpy(copy, heights, n * sizeof *copy);
    g->of.field = (height_field_geometry){nx, ny, dx, dy, copy};
    g->high[0] = dx * (nx - 1);
    g->high[1] = dy * (ny - 1);
    g->low[2] = g->high[2] = heights[0];
    for (size_t k = 1; k < n; ++k) {
        g->low[2] = fmin(g->low[2], heights[k]);
        g->high[2] = fmax(g->high[2], heights[k]);
    }
    *out = g;
    return PCS_OK;
}
