// Sparse matrices of a Lagrangian system: the envelope that holds all of them, their entries in it,
// and the factors of the mass.
#include "model/model.h"

#include <string.h>

// symmetric to this part of the largest entry
#define ASYMMETRY 1e-10

static pcs_status check(const char *what, int n, const pcs_csc *A)
{
    bool good = A->m == n && A->n == n && A->p && A->i && A->x && A->p[0] == 0;
    for (int j = 0; j < n && good; ++j) {
        good = A->p[j + 1] >= A->p[j];
        for (int k = A->p[j]; k < A->p[j + 1] && good; ++k) {
            good = A->i[k] >= 0 && A->i[k] < n;
        }
    }
    if (!good) {
        return pcs_fail(PCS_ERR_ARG,
                        "Lagrangian system: the sparse %s is no %d x %d matrix in columns: p"
                        " ascends from 0, rows lie in [0, %d)",
                        what, n, n, n);
    }
    if (pcs_all_finite(A->x, (size_t)A->p[n])) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "Lagrangian system: the sparse %s has an entry that is not finite",
                    what);
}

static void widen(const pcs_csc *A, int *first)
{
    for (int j = 0; A && j < A->n; ++j) {
        for (int k = A->p[j]; k < A->p[j + 1]; ++k) {
            const int low = A->i[k] < j ? A->i[k] : j, high = A->i[k] < j ? j : A->i[k];
            if (low < first[high]) first[high] = low;
        }
    }
}

// the entries of one triangle
static bool add_triangle(const pcs_csc *A, bool lower, const int *first, const size_t *row,
                         double *val)
{
    bool any = false;
    for (int j = 0; j < A->n; ++j) {
        for (int k = A->p[j]; k < A->p[j + 1]; ++k) {
            const int i = A->i[k], r = lower ? i : j, c = lower ? j : i;
            if (r < c) continue;
            any = any || r > c;
            val[row[r] + (size_t)(c - first[r])] += A->x[k];
        }
    }
    return any;
}

// A into `out`, from both triangles, which must agree, or from the one that it has
static pcs_status read(const pcs_env *env, const char *what, const pcs_csc *A, const int *first,
                       const size_t *row, double *other, envelope *out)
{
    const size_t entries = row[A->n];
    out->val = pcs_env_alloc(env, entries, sizeof(double));
    if (!out->val) return pcs_fail_memory("pcs_model_add_lagrangian");
    memset(other, 0, entries * sizeof *other);
    const bool lower = add_triangle(A, true, first, row, out->val);
    const bool upper = add_triangle(A, false, first, row, other);
    if (!lower && upper) memcpy(out->val, other, entries * sizeof *other);
    double scale = 0;
    for (size_t k = 0; k < entries; ++k) {
        scale = fmax(scale, fabs(out->val[k]));
    }
    for (int i = 0; i < A->n && lower && upper; ++i) {
        for (size_t k = row[i]; k < row[i + 1]; ++k) {
            if (fabs(out->val[k] - other[k]) <= ASYMMETRY * scale) continue;
            const int j = first[i] + (int)(k - row[i]);
            return pcs_fail(PCS_ERR_ARG,
                            "Lagrangian system: the sparse %s is not symmetric: entries (%d, %d)"
                            " = %g and (%d, %d) = %g differ",
                            what, i, j, out->val[k], j, i, other[k]);
        }
    }
    return PCS_OK;
}

static pcs_status read_all(const pcs_env *env, const pcs_lagrangian_def *def, model_sparse *s)
{
    const char *const what[3] = {"mass", "stiffness", "damping"};
    const pcs_csc *const A[3] = {def->sparse_mass, def->sparse_stiffness, def->sparse_damping};
    envelope *const to[3] = {&s->M, &s->K, &s->D};
    const int n = def->n;
    for (int k = 0; k < 3; ++k) {
        if (A[k]) PCS_TRY(check(what[k], n, A[k]));
    }
    s->first = pcs_env_alloc(env, (size_t)n, sizeof *s->first);
    s->row = pcs_env_alloc(env, (size_t)n + 1, sizeof *s->row);
    if (!s->first || !s->row) return pcs_fail_memory("pcs_model_add_lagrangian");
    for (int i = 0; i < n; ++i) {
        s->first[i] = i;
    }
    for (int k = 0; k < 3; ++k) {
        widen(A[k], s->first);
    }
    for (int i = 0; i < n; ++i) {
        s->row[i + 1] = s->row[i] + (size_t)(i - s->first[i] + 1);
    }
    double *other = pcs_env_alloc(env, s->row[n], sizeof *other);
    pcs_status status = other ? PCS_OK : pcs_fail_memory("pcs_model_add_lagrangian");
    for (int k = 0; k < 3 && status == PCS_OK; ++k) {
        *to[k] = (envelope){.n = n, .first = s->first, .row = s->row};
        if (A[k]) status = read(env, what[k], A[k], s->first, s->row, other, to[k]);
    }
    s->factor = s->M;
    s->factor.val = other; // owned from here on
    PCS_TRY(status);
    memcpy(other, s->M.val, s->row[n] * sizeof *other);
    if (envelope_factor(&s->factor)) return PCS_OK;
    return pcs_fail(PCS_ERR_ARG, "Lagrangian system: the sparse mass is not positive definite");
}

pcs_status model_read_sparse(const pcs_env *env, const pcs_lagrangian_def *def, model_sparse **out)
{
    *out = pcs_env_alloc(env, 1, sizeof **out);
    if (!*out) return pcs_fail_memory("pcs_model_add_lagrangian");
    return read_all(env, def, *out);
}

void model_release_sparse(const pcs_env *env, model_sparse *s)
{
    if (!s) return;
    pcs_env_free(env, s->M.val);
    pcs_env_free(env, s->K.val);
    pcs_env_free(env, s->D.val);
    pcs_env_free(env, s->factor.val);
    pcs_env_free(env, s->first);
    pcs_env_free(env, s->row);
    pcs_env_free(env, s);
}
