// The scheme and its solver: the fields that are given replace those of the base.
#include <stdio.h>
#include <string.h>

#include <percuss/solver_table.h>

#include "base/base.h"
#include "problem_file/nearest.h"
#include "scene/build.h"

// ---- the solver: its options have a table of their own (pcs_solver_info) ------------------------

pcs_solver_opts solver_usual(const pcs_solver_opts *base, pcs_solver kind)
{
    if (kind == base->kind) return *base;
    pcs_solver_opts opts = pcs_solver_opts_default(kind);
    opts.tol = base->tol;
    return opts;
}

static pcs_status read_solver_kind(builder *b, const json_t *json, const place *at,
                                   pcs_solver_opts *opts)
{
    const json_t *kind = json_object_get(json, "kind");
    if (!kind) return PCS_OK;
    const char *names[64], *name = json_string_value(kind);
    int n = 0;
    for (; n < 64 && pcs_solver_at(n); ++n) {
        names[n] = pcs_solver_at(n)->name;
    }
    const pcs_solver_info *info = name ? pcs_solver_find(name) : NULL;
    if (info) {
        *opts = solver_usual(opts, info->kind);
        return PCS_OK;
    }
    const char *like = name ? nearest(name, names, n) : NULL;
    const place key = place_of(at, json, "kind");
    return refuse(&b->src, &key, PCS_ERR_FORMAT,
                  "there is no such solver%s%s%s; 'percuss solvers' lists them",
                  like ? "; did you mean '" : "", like ? like : "", like ? "'?" : "");
}

static pcs_status read_option(builder *b, const json_t *json, const place *at,
                              pcs_solver_opts *opts)
{
    char text[64];
    const char *value = text;
    if (json_is_string(json)) {
        value = json_string_value(json);
    } else if (json_is_boolean(json)) {
        value = json_is_true(json) ? "yes" : "no";
    } else if (json_is_integer(json)) {
        snprintf(text, sizeof text, "%lld", (long long)json_integer_value(json));
    } else if (json_is_real(json)) {
        snprintf(text, sizeof text, "%.17g", json_real_value(json));
    } else {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it must be a number, a word, true or false");
    }
    const pcs_status status = pcs_solver_opts_set(opts, at->key, value);
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}

static pcs_status read_solver(builder *b, const json_t *json, const place *at,
                              pcs_solver_opts *opts)
{
    PCS_TRY(read_solver_kind(b, json, at, opts));
    scene_solver general = {.tol = opts->tol,
                            .stop = (int)opts->stop,
                            .max_iters = opts->max_iters,
                            .max_seconds = opts->max_seconds};
    place key = {at, NULL, 0};
    json_t *value;
    json_object_foreach((json_t *)json, key.key, value)
    {
        const int i = table_find(&solver_table, key.key);
        if (strcmp(key.key, "kind") == 0 || strcmp(key.key, "description") == 0) {
            // this field was read before, or is a comment
        } else if (i >= 0) {
            PCS_TRY(read_field(&b->src, &solver_table.field[i], value, &key,
                               (char *)&general + solver_table.field[i].at));
        } else {
            PCS_TRY(read_option(b, value, &key, opts));
        }
        key.index += 1;
    }
    opts->tol = general.tol;
    opts->stop = (pcs_stop)general.stop;
    opts->max_iters = general.max_iters;
    opts->max_seconds = general.max_seconds;
    return PCS_OK;
}

// ---- the scheme --------------------------------------------------------------------------------

static pcs_status check_dense(builder *b, const scene_scheme *in, const place *at)
{
    const bool size = table_given(&scheme_table, in, "size");
    const bool tol = table_given(&scheme_table, in, "tol");
    if (in->base != BASE_DENSE && (size || tol)) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "size and tol go with the base dense; set proj_tol and solver.tol instead");
    }
    if (in->base == BASE_DENSE && !(size && tol)) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "the base dense needs size and tol");
    }
    return PCS_OK;
}

pcs_scheme scheme_base(const scene_scheme *in)
{
    switch ((scene_base)in->base) {
    case BASE_DENSE:
        return pcs_scheme_dense(in->tol, in->size);
    case BASE_MOREAU_JEAN:
        return pcs_scheme_moreau_jean();
    case BASE_DEFAULT:
        break;
    }
    return pcs_scheme_default();
}

pcs_status build_scheme(builder *b, const json_t *json, const place *at)
{
    scene_scheme in;
    PCS_TRY(read_object(&b->src, &scheme_table, json, at, &in));
    PCS_TRY(check_dense(b, &in, at));
    const pcs_scheme base = scheme_base(&in);
    scene_scheme all = in;
    all.scheme = base;
    // replaces the fields of the base by those given
    for (int i = 0; i < scheme_table.n; ++i) {
        const field *f = &scheme_table.field[i];
        if (!(in.given >> i & 1) || f->type == FIELD_SOLVER) continue;
        const size_t bytes = field_bytes(f);
        memcpy((char *)&all + f->at, (const char *)&in + f->at, bytes);
    }
    if (in.solver) {
        const place solver = place_of(at, json, "solver");
        PCS_TRY(read_solver(b, in.solver, &solver, &all.scheme.solver));
    }
    const pcs_status status = pcs_model_set_scheme(b->model, &all.scheme);
    return status == PCS_OK ? PCS_OK : refuse_because(&b->src, at, status);
}
