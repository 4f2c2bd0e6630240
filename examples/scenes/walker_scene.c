// The walker on tiles.
#include "scenes/walker_scene.h"

#include <math.h>

#include <percuss/meshes.h>
#include <percuss/touching.h>

#include "scenes/mechanism.h"

#define SIDE 0.1  // of the legs from the plane of the hip
#define TILE 0.16 // width of a tile along the slope
#define LEG  0.04 // width of a leg at its upper end

static pcs_status add_tiles(pcs_model *model, const walker_scene *def, pcs_material rough)
{
    const double step = 2 * sin(def->theta);
    for (int k = -1; k < def->tiles - 1; ++k) {
        pcs_shape tile = pcs_shape_box(TILE, 1.6 * SIDE, 0.1);
        tile.position[0] = k * step;
        tile.position[1] = k % 2 == 0 ? SIDE : -SIDE;
        tile.position[2] = -0.05;
        PCS_TRY(pcs_model_add_shape(model, (pcs_system){0}, &tile, rough));
    }
    return PCS_OK;
}

// a leg whose foot is at (x, 0), at the angle a from the normal, with the rate a'
static pcs_status add_leg(pcs_scene *scene, const walker_scene *def, const double hip[3], double x,
                          double y, double vx, double vz, double a, double rate,
                          const pcs_geometry *wedge, pcs_material rough)
{
    pcs_body_def body = pcs_body_def_default();
    body.plane = PCS_PLANE_XZ;
    body.mass = def->feet;
    for (int i = 0; i < 3; ++i) {
        body.inertia[4 * i] = def->turn;
    }
    body.position[0] = x;
    body.position[1] = y;
    body.velocity[0] = vx;
    body.velocity[2] = vz;
    body.orientation[0] = cos(0.5 * a); // about -y
    body.orientation[2] = -sin(0.5 * a);
    body.omega[1] = -rate;
    pcs_system leg;
    PCS_TRY(pcs_model_add_body(scene->model, &body, &leg));
    const pcs_shape shape = pcs_shape_hull(wedge);
    PCS_TRY(pcs_model_add_shape(scene->model, leg, &shape, rough));
    return mechanism_joint(scene->model, PCS_JOINT_BALL, leg, (pcs_system){1}, hip,
                           (const double[]){0, 1, 0}, NULL);
}

pcs_status walker_scene_build(const run_settings *run, const walker_scene *def, pcs_scene **out)
{
    // a wedge with its edge at the foot: it touches a tile in a point of the plane
    double corner[18] = {0};
    for (int k = 0; k < 6; ++k) {
        const int at = k % 3;
        corner[3 * k] = at == 0 ? 0 : at == 1 ? 0.5 * LEG : -0.5 * LEG;
        corner[3 * k + 1] = k < 3 ? -0.2 * SIDE : 0.2 * SIDE;
        corner[3 * k + 2] = at == 0 ? 0 : 0.9;
    }
    const double s = sin(def->theta), c = cos(def->theta);
    pcs_geometry *wedge;
    pcs_material rough;
    pcs_body_def hip = pcs_body_def_default();
    PCS_TRY(run_scene(run, "The simplest walker walks down tiles on a slope.", out));
    pcs_model *model = (*out)->model;
    PCS_TRY(pcs_model_set_gravity(model, (const double[]){sin(def->slope), 0, -cos(def->slope)}));
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = 1}, &rough));
    PCS_TRY(pcs_geometry_create_hull(NULL, 6, corner, &wedge));
    PCS_TRY(pcs_scene_keep(*out, wedge));
    PCS_TRY(add_tiles(model, def, rough));

    // the foot in front rests at the origin
    hip.plane = PCS_PLANE_XZ;
    hip.position[0] = -s;
    hip.position[2] = c;
    hip.velocity[0] = -c * def->rate;
    hip.velocity[2] = -s * def->rate;
    const pcs_shape ball = pcs_shape_sphere(0.06);
    pcs_system id;
    PCS_TRY(pcs_model_add_body(model, &hip, &id));
    PCS_TRY(pcs_model_add_shape(model, id, &ball, rough));
    PCS_TRY(pcs_model_set_groups(model, id, 0, 0));
    PCS_TRY(add_leg(*out, def, hip.position, 0, SIDE, 0, 0, def->theta, def->rate, wedge, rough));
    return add_leg(*out, def, hip.position, -2 * s, -SIDE, hip.velocity[0] + c * def->other,
                   hip.velocity[2] - s * def->other, -def->theta, def->other, wedge, rough);
}
