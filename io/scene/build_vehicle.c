// The hydrodynamic vehicle of a scene file, with a constant command.
#include <string.h>

#include "base/base.h"
#include "scene/build.h"

static pcs_status take_matrix(builder *b, const numbers *in, const place *at, double out[36])
{
    if (!in->x) return PCS_OK;
    memset(out, 0, 36 * sizeof *out);
    if (in->rows == 36) {
        memcpy(out, in->x, 36 * sizeof *out);
        return PCS_OK;
    }
    for (int i = 0; i < 6 && in->rows == 6; ++i) {
        out[7 * i] = in->x[i];
    }
    if (in->rows == 6) return PCS_OK;
    return refuse(&b->src, at, PCS_ERR_SIZE, "the array has %d entries; it must have 6 or 36",
                  in->rows);
}

static pcs_status take_fins(builder *b, const scene_vehicle *in, const place *at,
                            pcs_vehicle_def *def)
{
    const size_t n = json_array_size(in->fins);
    if (!in->fins) return PCS_OK;
    if (n > PCS_VEHICLE_FINS_MAX) {
        return refuse(&b->src, at, PCS_ERR_SIZE, "it has %zu fins; a vehicle has at most %d", n,
                      (int)PCS_VEHICLE_FINS_MAX);
    }
    def->n_fins = (int)n;
    for (size_t i = 0; i < n; ++i) {
        const place item = {at, NULL, i};
        scene_fin fin;
        PCS_TRY(read_object(&b->src, &fin_table, json_array_get(in->fins, i), &item, &fin));
        def->fin[i] = fin.fin;
    }
    return PCS_OK;
}

static pcs_status take_command(builder *b, const scene_vehicle *in, const place *at, int n_fins,
                               pcs_vehicle_command *out)
{
    *out = (pcs_vehicle_command){.thrust = in->thrust};
    if (!in->deflections.x) return PCS_OK;
    if (in->deflections.rows != n_fins) {
        return refuse(&b->src, at, PCS_ERR_SIZE, "it has %d entries; the vehicle has %d fins",
                      in->deflections.rows, n_fins);
    }
    memcpy(out->deflection, in->deflections.x, (size_t)n_fins * sizeof(double));
    return PCS_OK;
}

pcs_status build_vehicle(builder *b, const json_t *json, const place *at, pcs_body_def *out)
{
    scene_vehicle in;
    double gravity[3];
    PCS_TRY(read_object(&b->src, &vehicle_table, json, at, &in));
    const place mass = place_of(at, json, "mass_matrix"), added = place_of(at, json, "added_mass"),
                fins = place_of(at, json, "fins"), deflections = place_of(at, json, "deflections");
    pcs_vehicle_def def = in.def;
    def.foil = in.foil.foil;
    def.foil.table = in.foil.table.x;
    def.foil.rows = in.foil.table.rows;
    PCS_TRY(take_matrix(b, &in.mass_matrix, &mass, def.mass_matrix));
    PCS_TRY(take_matrix(b, &in.added_mass, &added, def.added_mass));
    PCS_TRY(take_fins(b, &in, &fins, &def));

    pcs_vehicle_ride *ride = pcs_scene_alloc(b->scene, sizeof *ride);
    pcs_vehicle *vehicle;
    if (!ride) return pcs_fail_memory(b->src.name);
    PCS_TRY(take_command(b, &in, &deflections, def.n_fins, &ride->command));
    pcs_status status = pcs_vehicle_create(&b->env, &def, &vehicle);
    if (status == PCS_OK) status = pcs_scene_keep_vehicle(b->scene, vehicle);
    if (status != PCS_OK) return refuse_because(&b->src, at, status);
    ride->vehicle = vehicle;
    pcs_model_gravity(b->model, gravity);
    return pcs_vehicle_body(ride, gravity, out);
}
