// Bodies of a scene file that Lagrangian systems carry: their poses by turns and slides.
#include <string.h>

#include <percuss/parts.h>

#include "base/base.h"
#include "scene/build.h"

// the carrier in the copy, or in the file
static pcs_status find_carrier(builder *b, const scene_body *in, const place *at, const frame *f,
                               pcs_body_def *out, int *n)
{
    const char *name;
    pcs_lagrangian_def def;
    PCS_TRY(copy_name(b, in->carrier.name, f, &name));
    if (!name || pcs_model_find_system(b->model, name, &out->carrier) != PCS_OK) {
        PCS_TRY(find_body(b, &in->carrier, at, &out->carrier));
    }
    if (pcs_model_lagrangian(b->model, out->carrier, &def) != PCS_OK) {
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it is no Lagrangian system; only these carry bodies");
    }
    *n = def.n;
    return PCS_OK;
}

static pcs_status build_move(builder *b, const json_t *json, const place *at, const frame *f,
                             const double position[3], int n, pcs_move *out)
{
    scene_move in;
    PCS_TRY(read_object(&b->src, &move_table, json, at, &in));
    const bool slides = table_given(&move_table, &in, "slide");
    if (slides == table_given(&move_table, &in, "turn")) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it needs either slide or turn");
    }
    if (in.by.rows != n) {
        const place key = place_of(at, json, "by");
        return refuse(&b->src, &key, PCS_ERR_SIZE,
                      "it has %d coefficients; the carrier has %d coordinates", in.by.rows, n);
    }
    double *by = pcs_scene_alloc(b->scene, (size_t)n * sizeof *by);
    if (!by) return pcs_fail_memory(b->src.name);
    memcpy(by, in.by.x, (size_t)n * sizeof *by);
    *out = (pcs_move){.slides = slides, .offset = in.offset, .by = by};
    memcpy(out->axis, slides ? in.slide : in.turn, sizeof out->axis);
    frame_vector(f, out->axis);
    if (table_given(&move_table, &in, "centre")) {
        memcpy(out->centre, in.centre, sizeof out->centre);
        frame_point(f, out->centre);
    } else if (!slides) {
        memcpy(out->centre, position, sizeof out->centre);
    }
    return PCS_OK;
}

pcs_status build_carried(builder *b, const scene_body *in, const json_t *json, const place *at,
                         const frame *f, pcs_body_def *out)
{
    static const char *const others[] = {"mass",   "density",  "inertia",   "load",
                                         "motion", "fixed",    "vehicle",   "plane",
                                         "omega",  "velocity", "added_mass"};
    const place key = place_of(at, json, "carrier");
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        if (!table_given(&body_table, in, others[i])) continue;
        return refuse(&b->src, at, PCS_ERR_FORMAT,
                      "it has a carrier and %s, which the carrier gives; leave one out", others[i]);
    }
    if (!table_given(&body_table, in, "carrier")) {
        return refuse(&b->src, at, PCS_ERR_FORMAT, "it has moves, but no carrier");
    }
    const size_t moves = json_array_size(in->moves);
    pcs_linkage *l = pcs_scene_alloc(b->scene, sizeof *l);
    pcs_move *move = pcs_scene_alloc(b->scene, (moves + 1) * sizeof *move);
    if (!l || !move) return pcs_fail_memory(b->src.name);
    *l = (pcs_linkage){.moves = (int)moves, .move = move};
    memcpy(l->position, out->position, sizeof l->position);
    memcpy(l->orientation, out->orientation, sizeof l->orientation);
    PCS_TRY(find_carrier(b, in, &key, f, out, &l->n));
    const place list = place_of(at, json, "moves");
    for (size_t k = 0; k < moves; ++k) {
        const place item = {&list, NULL, k};
        PCS_TRY(build_move(b, json_array_get(in->moves, k), &item, f, l->position, l->n, &move[k]));
    }
    const pcs_status status = pcs_linkage_check(l);
    if (status != PCS_OK) return refuse_because(&b->src, at, status);
    out->plane = PCS_PLANE_NONE;
    out->pose = pcs_linkage_place;
    out->pose_jacobian = pcs_linkage_rows;
    out->touches_carried = in->touches_carried;
    out->user = l;
    return PCS_OK;
}
