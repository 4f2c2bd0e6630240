// The six scenes: their runs, the four with one body, and cubes that fall.
#include "scenes/friction_scenes.h"

#include <math.h>
#include <string.h>

#include <percuss/inertia.h>
#include <percuss/motion.h>
#include <percuss/touching.h>

friction_def friction_default(friction_kind kind)
{
    friction_def def = {.kind = kind, .mu = 0.5, .levels = 4, .stones = 25, .cubes = true};
    if (kind == FRICTION_SLOPE) def.mu = 0.3;
    if (kind == FRICTION_TURNTABLE) def.mu = 0.2, def.rate = 2;
    if (kind == FRICTION_CARDS || kind == FRICTION_ARCH) def.mu = 0.8;
    return def;
}

friction_times friction_times_of(const friction_def *def)
{
    switch (def->kind) {
    case FRICTION_BACKSPIN:
        return (friction_times){1. / 60, 240, 240, 0.5};
    case FRICTION_SLOPE:
        return (friction_times){1. / 60, 120, 120, 1};
    case FRICTION_TURNTABLE:
        return (friction_times){1. / 60, 360, 360, 0.3};
    case FRICTION_PAINLEVE:
        return (friction_times){1. / 60, 120, 120, 0.3};
    case FRICTION_CARDS:
        return (friction_times){1. / 240, def->levels < 5 ? 2400 : 3200, 1600, 0.04};
    default:
        break;
    }
    // the shortest edge of a stone, inside at the crown: 3.4 units of 25 stones, 0.83 of 101
    const double edge = 80. / def->stones;
    if (def->literal) {
        return (friction_times){1. / 60, def->cubes ? 720 : 600, 600, 0.01 * edge};
    }
    return (friction_times){1. / 240, def->cubes ? 2000 : 1600, 1600, edge};
}

int friction_parts(const friction_def *def)
{
    const int l = def->levels;
    if (def->kind == FRICTION_CARDS) return l * (l + 1) + l * (l - 1) / 2;
    return def->kind == FRICTION_ARCH ? def->stones : 1;
}

pcs_system friction_watched(const friction_def *def)
{
    const int parts = friction_parts(def);
    return (pcs_system){def->kind == FRICTION_ARCH ? 1 + parts / 2 : parts};
}

// ---- cubes that fall --------------------------------------------------------------------------

pcs_status friction_drop(const falling_cubes *def, pcs_material material, pcs_scene *scene)
{
    enum { CUBE = 2, SHELF = 4 };
    const double a = def->edge, thick = 0.1 * a, start = def->height - def->speed * def->release;
    const pcs_shape cube = pcs_shape_box(a, a, a);
    pcs_body_def body = pcs_body_def_default();
    body.velocity[2] = def->speed;
    body.position[2] = start;
    for (int i = 0; i < def->count; ++i) {
        pcs_system system;
        body.position[0] = (i - 0.5 * (def->count - 1)) * def->apart;
        PCS_TRY(
            pcs_model_add_solid(scene->model, &body, 1, &cube, def->density, material, &system));
        PCS_TRY(pcs_model_set_groups(scene->model, system, CUBE, ~0u));
    }

    // the shelf lies below the cubes, then leaves: down, faster than they fall, and aside
    const double under = 0.5 * (a + thick), leave = 0.05;
    const double low = def->height - under - 0.25 * a - 1.6 * leave * fabs(def->speed);
    const double rows[4][4] = {
        {0, 0, 0, start - under},
        {def->release, 0, 0, def->height - under},
        {def->release + leave, 0, 0, low},
        {def->release + 2 * leave, 0, 100 * a, low},
    };
    pcs_motion *motion = pcs_scene_alloc(scene, sizeof *motion);
    double *table = pcs_scene_alloc(scene, sizeof rows);
    if (!motion || !table) return PCS_ERR_MEMORY;
    memcpy(table, rows, sizeof rows);
    *motion = pcs_motion_default();
    motion->table = table;
    motion->rows = 4;
    motion->columns = 4;
    pcs_body_def moves = pcs_body_def_default();
    moves.motion = pcs_motion_follow;
    moves.user = motion;
    const pcs_shape plate = pcs_shape_box((def->count - 1) * def->apart + a, a, thick);
    pcs_system shelf;
    PCS_TRY(pcs_model_add_body(scene->model, &moves, &shelf));
    PCS_TRY(pcs_model_add_shape(scene->model, shelf, &plate, material));
    return pcs_model_set_groups(scene->model, shelf, SHELF, CUBE);
}

// ---- scenes with one body ---------------------------------------------------------------------

// a fixed slab whose top passes through the origin, its normal turned by `slope` about y
static pcs_status add_slab(pcs_model *model, double length, double width, double slope,
                           pcs_material material)
{
    const double thick = 0.1;
    pcs_shape slab = pcs_shape_box(length, width, thick);
    slab.position[0] = -0.5 * thick * sin(slope);
    slab.position[2] = -0.5 * thick * cos(slope);
    slab.orientation[0] = cos(0.5 * slope);
    slab.orientation[2] = sin(0.5 * slope);
    return pcs_model_add_shape(model, (pcs_system){0}, &slab, material);
}

static pcs_status backspin(pcs_material material, pcs_model *model)
{
    const double r = 0.25;
    const pcs_shape ball = pcs_shape_sphere(r);
    pcs_system system;
    pcs_body_def def = pcs_body_def_of_inertia(pcs_inertia_sphere(1, r));
    def.position[2] = r + 0.001;
    def.velocity[0] = 4;
    def.omega[1] = -200;
    PCS_TRY(add_slab(model, 30, 1, 0, material));
    PCS_TRY(pcs_model_add_body(model, &def, &system));
    return pcs_model_add_shape(model, system, &ball, material);
}

static pcs_status slope(pcs_material material, pcs_model *model)
{
    const double angle = atan(0.5), above = 0.501;
    const pcs_shape cube = pcs_shape_box(1, 1, 1);
    pcs_body_def def = pcs_body_def_default();
    def.position[0] = above * sin(angle);
    def.position[2] = above * cos(angle);
    def.orientation[0] = cos(0.5 * angle);
    def.orientation[2] = sin(0.5 * angle);
    PCS_TRY(add_slab(model, 10, 3, angle, material));
    return pcs_model_add_solid(model, &def, 1, &cube, 1000, material, NULL);
}

double friction_slope_way(const friction_def *def, long steps, double gravity)
{
    const double h = friction_times_of(def).h, gap = 0.001, angle = atan(0.5);
    double v = 0, x = 0;
    for (long k = 0; k < steps; ++k) {
        double p = gravity * cos(angle) * h;
        if (k == 0) p -= gap / h;
        if (k == 1) p += gap / h;
        v = fmax(0, v + gravity * sin(angle) * h - def->mu * p);
        x += h * v;
    }
    return x;
}

// the angle of the table: its rate rises from 0 to `rate` between 0.5 s and 1 s as s^2 (3 - 2 s)
static double table_angle(double rate, double t)
{
    const double s = (t - 0.5) / 0.5;
    if (s <= 0) return 0;
    if (s >= 1) return rate * (0.25 + t - 1);
    return rate * 0.5 * s * s * s * (1 - 0.5 * s);
}

enum { TABLE_ROWS = 60 };

static pcs_status add_table(double rate, pcs_material material, pcs_scene *scene)
{
    const double height = 0.1, end = 6;
    const pcs_shape disc = pcs_shape_cylinder(2, height);
    pcs_motion *motion = pcs_scene_alloc(scene, sizeof *motion);
    double *row = pcs_scene_alloc(scene, sizeof(double[TABLE_ROWS][8]));
    if (!motion || !row) return PCS_ERR_MEMORY;
    *motion = pcs_motion_default();
    motion->table = row;
    motion->rows = TABLE_ROWS;
    motion->columns = 8;
    // half of the rows while the rate rises
    for (int i = 0; i < TABLE_ROWS; ++i, row += 8) {
        const int half = TABLE_ROWS / 2;
        const double t =
            i < half ? 0.5 + 0.5 * i / half : 1 + (end - 1) * (i - half) / (TABLE_ROWS - 1 - half);
        const double angle = table_angle(rate, t);
        row[0] = t;
        row[3] = 0.5 * height;
        row[4] = cos(0.5 * angle);
        row[7] = sin(0.5 * angle);
    }
    pcs_system table;
    pcs_body_def def = pcs_body_def_default();
    def.motion = pcs_motion_follow;
    def.user = motion;
    PCS_TRY(pcs_model_add_body(scene->model, &def, &table));
    return pcs_model_add_shape(scene->model, table, &disc, material);
}

static pcs_status turntable(const friction_def *def, pcs_material material, pcs_scene *scene)
{
    const pcs_shape cube = pcs_shape_box(0.3, 0.3, 0.3);
    pcs_body_def body = pcs_body_def_default();
    body.position[0] = 1;
    body.position[2] = 0.455;
    PCS_TRY(pcs_model_add_solid(scene->model, &body, 1, &cube, 500, material, NULL));
    return add_table(def->rate, material, scene);
}

static pcs_status painleve(pcs_material material, pcs_model *model)
{
    const pcs_shape box = pcs_shape_box(0.3, 1.2, 0.6);
    pcs_body_def def = pcs_body_def_default();
    def.position[2] = 0.3;
    def.velocity[0] = 4;
    PCS_TRY(add_slab(model, 10, 3, 0, material));
    return pcs_model_add_solid(model, &def, 1, &box, 200, material, NULL);
}

pcs_status friction_build(const friction_def *def, pcs_scene *scene)
{
    pcs_material material;
    pcs_model *model = scene->model;
    PCS_TRY(pcs_model_add_material(model, &(pcs_material_def){.mu = def->mu}, &material));
    switch (def->kind) {
    case FRICTION_BACKSPIN:
        return backspin(material, model);
    case FRICTION_SLOPE:
        return slope(material, model);
    case FRICTION_TURNTABLE:
        return turntable(def, material, scene);
    case FRICTION_PAINLEVE:
        return painleve(material, model);
    case FRICTION_CARDS:
        return friction_cards(def, material, scene);
    default:
        return friction_arch(def, material, scene);
    }
}
