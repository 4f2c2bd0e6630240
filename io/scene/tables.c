// The keys of every object of a scene file: types, ranges, units, and a line for the schema.
#include "scene/tables.h"

#include <limits.h>
#include <math.h>

#define OF(type, member) offsetof(scene_##type, member)
#define COUNT(array)     (int)(sizeof(array) / sizeof *(array))
#define TABLE(name, what, help, fields, usual)                                            \
    const table name##_table = {what,  help, fields, COUNT(fields), sizeof(scene_##name), \
                                usual, NULL}
#define BIT(kind) (1u << (kind))

static const char *const plane_words[] = {"none", "xy", "xz", "yz", NULL};

// ranges
#define FROM_ZERO  .low = 0, .high = HUGE_VAL
#define ABOVE_ZERO .low = 0, .high = HUGE_VAL, .open = true
#define ZERO_TO(x) .low = 0, .high = (x)

#define NAME_FIELD(type, parts)                                                            \
    {                                                                                      \
        "name", FIELD_NAME, OF(type, name), .help = "name; no two " parts " have the same" \
    }
#define GROUP_FIELDS(type, whose)                                                               \
    {"group", FIELD_BITS, OF(type, group), .help = "bits of the groups of " whose},             \
    {                                                                                           \
        "mask", FIELD_BITS, OF(type, mask),                                                     \
            .help = "bits of the groups that " whose                                            \
                    " may touch: two shapes touch when the group of each has a bit of the mask" \
                    " of the other"                                                             \
    }

// ---- rotations ---------------------------------------------------------------------------------

static const field rotation_fields[] = {
    {"axis", FIELD_VECTOR, OF(rotation, axis), .n = 3, .required = ALWAYS,
     .help = "axis of the rotation, inertial; any length above 0"},
    {"angle", FIELD_REAL, OF(rotation, angle), .unit = "rad", .required = ALWAYS,
     .help = "angle of the rotation about the axis, right-handed"},
};
TABLE(rotation, "rotation", "A rotation by an angle about an axis.", rotation_fields, NULL);

// ---- materials and laws ------------------------------------------------------------------------

static const field material_fields[] = {
    NAME_FIELD(material, "materials"),
    {"e", FIELD_REAL, OF(material, def.e), ZERO_TO(1), .help = "restitution"},
    {"e_t", FIELD_REAL, OF(material, def.e_t), ZERO_TO(1), .help = "tangential restitution"},
    {"mu", FIELD_REAL, OF(material, def.mu), FROM_ZERO, .help = "friction"},
};
TABLE(material, "material",
      "A surface. Two materials that touch have the larger of each of e, e_t and mu, unless"
      " pair_laws says otherwise.",
      material_fields, NULL);

static const char *const law_words[] = {"equality", "newton_impact", "newton_coulomb", NULL};
#define IMPACTS (BIT(PCS_LAW_NEWTON_IMPACT) | BIT(PCS_LAW_NEWTON_COULOMB))

static const field law_fields[] = {
    {"kind", FIELD_WORD, OF(law, kind), .words = law_words, .required = ALWAYS,
     .help = "equality holds the relation at zero; newton_impact keeps it from becoming negative;"
             " newton_coulomb also has friction"},
    {"e", FIELD_REAL, OF(law, e), ZERO_TO(1), .kinds = IMPACTS, .help = "restitution"},
    {"e_t", FIELD_REAL, OF(law, e_t), ZERO_TO(1), .kinds = BIT(PCS_LAW_NEWTON_COULOMB),
     .help = "tangential restitution"},
    {"mu", FIELD_REAL, OF(law, mu), FROM_ZERO, .kinds = BIT(PCS_LAW_NEWTON_COULOMB),
     .help = "friction"},
};
TABLE(law, "law", "A nonsmooth law.", law_fields, NULL);

static const field pair_law_fields[] = {
    {"materials", FIELD_PARTS, OF(pair_law, materials), .n = 2, .required = ALWAYS,
     .help = "names of the two materials; with one name, the law of this material with itself"},
    {"law", FIELD_OBJECT, OF(pair_law, law), .table = &law_table, .required = ALWAYS,
     .help = "newton_impact or newton_coulomb"},
};
TABLE(pair_law, "pair law", "The law between two materials, in place of the larger values.",
      pair_law_fields, NULL);

// ---- shapes ------------------------------------------------------------------------------------

static const char *const shape_words[] = {"sphere",   "half_space", "box",     "capsule",
                                          "cylinder", "hull",       "mesh",    "height_field",
                                          "disk",     "rectangle",  "polygon", NULL};
#define ROUND \
    (BIT(PCS_SHAPE_SPHERE) | BIT(PCS_SHAPE_CAPSULE) | BIT(PCS_SHAPE_CYLINDER) | BIT(SHAPE_DISK))
#define LONG     (BIT(PCS_SHAPE_CAPSULE) | BIT(PCS_SHAPE_CYLINDER))
#define GEOMETRY (BIT(PCS_SHAPE_HULL) | BIT(PCS_SHAPE_MESH) | BIT(PCS_SHAPE_HEIGHT_FIELD))

static const field shape_fields[] = {
    {"kind", FIELD_WORD, OF(shape, kind), .words = shape_words, .required = ALWAYS,
     .help = "kind of the shape; disk, rectangle and polygon are for planar bodies"},
    NAME_FIELD(shape, "shapes"),
    {"material", FIELD_PART, OF(shape, material),
     .help = "name of its material; without it that of the body, or the default one: e = 0, no"
             " friction"},
    {"radius", FIELD_REAL, OF(shape, radius), ABOVE_ZERO, .unit = "m", .kinds = ROUND,
     .required = ROUND, .help = "radius"},
    {"size", FIELD_VECTOR, OF(shape, size), ABOVE_ZERO, .n = 3, .unit = "m",
     .kinds = BIT(PCS_SHAPE_BOX), .required = BIT(PCS_SHAPE_BOX), .help = "full edges of the box"},
    {"edges", FIELD_VECTOR, OF(shape, edges), ABOVE_ZERO, .n = 2, .unit = "m",
     .kinds = BIT(SHAPE_RECTANGLE), .required = BIT(SHAPE_RECTANGLE),
     .help = "full edges of the rectangle along the two axes of the plane"},
    {"corners", FIELD_ROWS, OF(shape, corners), .n = 2, .unit = "m", .kinds = BIT(SHAPE_POLYGON),
     .required = BIT(SHAPE_POLYGON),
     .help = "corners of the convex polygon in order, along the two axes of the plane"},
    {"length", FIELD_REAL, OF(shape, length), ABOVE_ZERO, .unit = "m", .kinds = LONG,
     .required = LONG, .help = "length along the z axis; that of a capsule is without the caps"},
    {"normal", FIELD_VECTOR, OF(shape, normal), .n = 3, .kinds = BIT(PCS_SHAPE_HALF_SPACE),
     .help = "outward normal of the half-space, in place of position and orientation: the points"
             " x with normal . x <= offset; any length above 0. Without it z <= 0"},
    {"offset", FIELD_REAL, OF(shape, offset), .unit = "m", .kinds = BIT(PCS_SHAPE_HALF_SPACE),
     .help = "offset of the half-space, in units of the length of normal"},
    {"geometry", FIELD_TEXT, OF(shape, geometry), .kinds = GEOMETRY, .required = GEOMETRY,
     .help = "name of a geometry of the same kind"},
    {"position", FIELD_VECTOR, OF(shape, position), .n = 3, .unit = "m",
     .help = "position of its origin, in the frame of the body"},
    {"orientation", FIELD_ROTATION, OF(shape, orientation), .n = 4,
     .help = "rotation from the frame of the shape to that of the body"},
    {"density", FIELD_REAL, OF(shape, density), ABOVE_ZERO, .unit = "kg/m^3, kg/m^2",
     .help = "density in place of that of the body, which must have one"},
    GROUP_FIELDS(shape, "the shape"),
    {"enabled", FIELD_BOOL, OF(shape, enabled), .help = "false: the shape touches nothing"},
    {"number", FIELD_INT, OF(shape, number), .low = 0, .high = INT_MAX,
     .help = "its number in the model, from 0. Shapes without it take the numbers that are left:"
             " first those of the world, then those of the bodies in their order"},
};
static const scene_shape usual_shape = {
    .orientation = {1, 0, 0, 0}, .group = 1, .mask = ~0u, .enabled = true};
TABLE(shape, "shape", "A shape in the frame of the body that carries it.", shape_fields,
      &usual_shape);

#define SHAPES_FIELD(type, whose)                                                                 \
    {                                                                                             \
        "shapes", FIELD_LIST, OF(type, shapes), .table = &shape_table, .help = "shapes of " whose \
    }
#define MATERIAL_FIELD(type)                                                                     \
    {                                                                                            \
        "material", FIELD_PART, OF(type, material), .help = "name of the material of its shapes" \
    }

static const field world_fields[] = {
    SHAPES_FIELD(world, "the world: floor, walls and other shapes that never move"),
    MATERIAL_FIELD(world),
    GROUP_FIELDS(world, "its shapes"),
};
static const scene_world usual_world = {.group = 1, .mask = ~0u};
TABLE(world, "world", "The shapes that never move.", world_fields, &usual_world);

// ---- geometries --------------------------------------------------------------------------------

static const char *const geometry_words[] = {"hull", "mesh", "height_field", NULL};
#define FACES (BIT(GEOMETRY_HULL) | BIT(GEOMETRY_MESH))
#define FIELD BIT(GEOMETRY_HEIGHT_FIELD)

static const field geometry_fields[] = {
    {"kind", FIELD_WORD, OF(geometry, kind), .words = geometry_words, .required = ALWAYS,
     .help = "convex hull of points, surface of triangles, or ground over a rectangle"},
    {"name", FIELD_NAME, OF(geometry, name), .required = ALWAYS,
     .help = "name by which shapes refer to it"},
    {"file", FIELD_TEXT, OF(geometry, file), .kinds = FACES,
     .help = "an OBJ or STL file, from the folder of the scene; in place of points and triangles"},
    {"scale", FIELD_REAL, OF(geometry, scale), ABOVE_ZERO, .unit = "m", .kinds = FACES,
     .help = "length of the unit of the file; without it 1"},
    {"points", FIELD_ROWS, OF(geometry, points), .n = 3, .unit = "m", .kinds = FACES,
     .help = "points of a hull, vertices of a mesh"},
    {"triangles", FIELD_ROWS, OF(geometry, triangles), .n = 3, .kinds = BIT(GEOMETRY_MESH),
     .help = "numbers of the three vertices from 0, counter-clockwise from outside"},
    {"open", FIELD_BOOL, OF(geometry, open), .kinds = BIT(GEOMETRY_MESH),
     .help = "true: the surface need not enclose a volume, as for a ground; the order of the"
             " vertices of its triangles is then not checked"},
    {"dx", FIELD_REAL, OF(geometry, dx), ABOVE_ZERO, .unit = "m", .kinds = FIELD, .required = FIELD,
     .help = "distance from one height of a row to the next"},
    {"dy", FIELD_REAL, OF(geometry, dy), ABOVE_ZERO, .unit = "m", .kinds = FIELD, .required = FIELD,
     .help = "distance from one row to the next"},
    {"heights", FIELD_ROWS, OF(geometry, heights), .unit = "m", .kinds = FIELD, .required = FIELD,
     .help = "heights: rows along x, one for each y"},
};
static const scene_geometry usual_geometry = {.scale = 1};
TABLE(geometry, "geometry", "The data of hulls, meshes and height fields, shared by shapes.",
      geometry_fields, &usual_geometry);

// ---- bodies ------------------------------------------------------------------------------------

static const field motion_fields[] = {
    {"velocity", FIELD_VECTOR, OF(motion, velocity), .n = 3, .unit = "m/s",
     .help = "constant velocity, inertial"},
    {"polynomial", FIELD_ROWS, OF(motion, polynomial), .n = 3, .unit = "m/s^k",
     .help = "displacement: coefficients of t^0, t^1, ..., at most 8 rows; in place of velocity"},
    {"amplitude", FIELD_VECTOR, OF(motion, amplitude), .n = 3, .unit = "m",
     .help = "displacement amplitude sin(2 pi frequency t + phase)"},
    {"frequency", FIELD_REAL, OF(motion, frequency), .unit = "Hz",
     .help = "frequency of amplitude"},
    {"phase", FIELD_REAL, OF(motion, phase), .unit = "rad", .help = "phase of amplitude"},
    {"axis", FIELD_VECTOR, OF(motion, axis), .n = 3,
     .help = "axis of the rotation, inertial; without it z"},
    {"centre", FIELD_VECTOR, OF(motion, centre), .n = 3, .unit = "m",
     .help = "a point of the axis, inertial; without it the position of the body"},
    {"speed", FIELD_REAL, OF(motion, speed), .unit = "rad/s",
     .help = "constant speed of the rotation"},
    {"angle", FIELD_NUMBERS, OF(motion, angle), .unit = "rad/s^k",
     .help = "angle of the rotation: coefficients of t^0, t^1, ..., at most 8; in place of speed"},
    {"swing", FIELD_REAL, OF(motion, swing), .unit = "rad",
     .help = "rotation by swing sin(2 pi swing_frequency t + swing_phase)"},
    {"swing_frequency", FIELD_REAL, OF(motion, swing_frequency), .unit = "Hz",
     .help = "frequency of swing"},
    {"swing_phase", FIELD_REAL, OF(motion, swing_phase), .unit = "rad", .help = "phase of swing"},
    {"belt", FIELD_VECTOR, OF(motion, belt), .n = 3, .unit = "m/s",
     .help = "velocity of a conveyor, inertial: it moves what lies on the body, not the body"},
    {"table", FIELD_ROWS, OF(motion, table), .unit = "s, m",
     .help = "poses in place of all other keys but belt: rows t, x, y, z, or t, x, y, z, q0, q1,"
             " q2, q3; linear between the rows"},
};
static const scene_motion usual_motion = {.axis = {0, 0, 1}};
TABLE(motion, "motion", "A prescribed motion from the pose of the body.", motion_fields,
      &usual_motion);

static const field load_fields[] = {
    {"force", FIELD_VECTOR, OF(load, load.force), .n = 3, .unit = "N",
     .help = "force at the centre of mass, inertial"},
    {"torque", FIELD_VECTOR, OF(load, load.torque), .n = 3, .unit = "N m",
     .help = "torque, inertial"},
    {"body_force", FIELD_VECTOR, OF(load, load.body_force), .n = 3, .unit = "N",
     .help = "force at the centre of mass, body axes: it rotates with the body"},
    {"body_torque", FIELD_VECTOR, OF(load, load.body_torque), .n = 3, .unit = "N m",
     .help = "torque, body axes: it rotates with the body"},
    {"damping", FIELD_REAL, OF(load, load.damping), FROM_ZERO, .unit = "N s/m",
     .help = "damping of the velocity"},
    {"angular_damping", FIELD_REAL, OF(load, load.angular_damping), FROM_ZERO, .unit = "N m s",
     .help = "damping of the angular velocity"},
};
TABLE(load, "load", "A constant load and linear damping.", load_fields, NULL);

static const field move_fields[] = {
    {"slide", FIELD_VECTOR, OF(move, slide), .n = 3,
     .help = "direction in which the body slides, inertial, where all amounts are 0"},
    {"turn", FIELD_VECTOR, OF(move, turn), .n = 3,
     .help = "axis about which the body turns, in place of slide"},
    {"centre", FIELD_VECTOR, OF(move, centre), .n = 3, .unit = "m",
     .help = "point of the axis of a turn; without it the position of the body"},
    {"by", FIELD_NUMBERS, OF(move, by), .required = ALWAYS,
     .help = "coefficients of the coordinates of the carrier: the amount is offset + by . q"},
    {"offset", FIELD_REAL, OF(move, offset), .unit = "m or rad",
     .help = "amount where the coordinates are 0"},
};
TABLE(move, "move",
      "One of the moves that make the pose of a carried body. It moves the axes of those after it.",
      move_fields, NULL);

static const field fin_fields[] = {
    {"angle", FIELD_REAL, OF(fin, fin.angle), .unit = "rad",
     .help = "angle of its span from y towards z"},
    {"x", FIELD_REAL, OF(fin, fin.x), .unit = "m", .help = "x of the point where its force acts"},
    {"radius", FIELD_REAL, OF(fin, fin.radius), .unit = "m",
     .help = "distance of that point from the x axis"},
    {"area", FIELD_REAL, OF(fin, fin.area), FROM_ZERO, .unit = "m^2", .required = ALWAYS,
     .help = "area of the fin"},
};
TABLE(fin, "fin", "A fin of a vehicle.", fin_fields, NULL);

static const field foil_fields[] = {
    {"table", FIELD_ROWS, OF(foil, table), .n = 3, .unit = "rad, 1, 1",
     .help = "rows of angle of attack, lift and drag coefficient, in place of the fit"},
    {"slope", FIELD_REAL, OF(foil, foil.slope), .unit = "1/rad",
     .help = "slope of the lift coefficient in attached flow"},
    {"stall", FIELD_REAL, OF(foil, foil.stall), ABOVE_ZERO, .unit = "rad",
     .help = "angle of stall"},
    {"sharpness", FIELD_REAL, OF(foil, foil.sharpness), ABOVE_ZERO, .unit = "1/rad",
     .help = "sharpness of the stall"},
    {"drag", FIELD_REAL, OF(foil, foil.drag), FROM_ZERO, .help = "drag coefficient at the angle 0"},
    {"rise", FIELD_REAL, OF(foil, foil.rise), FROM_ZERO,
     .help = "increase of the drag coefficient with the square of that of lift"},
    {"plate", FIELD_REAL, OF(foil, foil.plate), FROM_ZERO,
     .help = "factor of the flat plate beyond the stall"},
};
static void init_foil(void *out)
{
    ((scene_foil *)out)->foil = pcs_foil_naca0012();
}
const table foil_table = {
    "foil",
    "The coefficients of a profile; those without a key are those of NACA 0012.",
    foil_fields,
    COUNT(foil_fields),
    sizeof(scene_foil),
    NULL,
    init_foil};

static const field vehicle_fields[] = {
    {"mass_matrix", FIELD_NUMBERS, OF(vehicle, mass_matrix), .unit = "kg, kg m, kg m^2",
     .help = "rigid and added mass together, about O, body axes: the 6 numbers of the diagonal, or"
             " 36"},
    {"added_mass", FIELD_NUMBERS, OF(vehicle, added_mass), .unit = "kg, kg m, kg m^2",
     .help = "part of mass_matrix that belongs to the fluid: 6 or 36 numbers"},
    {"mass", FIELD_REAL, OF(vehicle, def.mass), ABOVE_ZERO, .unit = "kg",
     .help = "mass of the solid alone"},
    {"weight", FIELD_REAL, OF(vehicle, def.weight), FROM_ZERO, .unit = "N",
     .help = "weight, at r_G"},
    {"buoyancy", FIELD_REAL, OF(vehicle, def.buoyancy), FROM_ZERO, .unit = "N",
     .help = "buoyancy, at r_B"},
    {"r_G", FIELD_VECTOR, OF(vehicle, def.r_G), .n = 3, .unit = "m", .help = "centre of gravity"},
    {"r_B", FIELD_VECTOR, OF(vehicle, def.r_B), .n = 3, .unit = "m", .help = "centre of buoyancy"},
    {"damping", FIELD_VECTOR, OF(vehicle, def.damping), FROM_ZERO, .n = 6, .help = "wrench -d nu"},
    {"quadratic", FIELD_VECTOR, OF(vehicle, def.quadratic), FROM_ZERO, .n = 6,
     .help = "wrench -dq |nu| nu, entry by entry"},
    {"Yur", FIELD_REAL, OF(vehicle, def.Yur), .unit = "kg", .help = "sway force Yur u r"},
    {"density", FIELD_REAL, OF(vehicle, def.density), FROM_ZERO, .unit = "kg/m^3",
     .help = "density of the water"},
    {"current", FIELD_VECTOR, OF(vehicle, def.current), .n = 3, .unit = "m/s",
     .help = "velocity of the water, inertial"},
    {"thruster", FIELD_VECTOR, OF(vehicle, def.thruster), .n = 3, .unit = "m",
     .help = "point at which the thrust acts"},
    {"thrust_axis", FIELD_VECTOR, OF(vehicle, def.thrust_axis), .n = 3,
     .help = "direction of the thrust"},
    {"fins", FIELD_LIST, OF(vehicle, fins), .table = &fin_table,
     .help = "fins, at most 16; without the key the four of the default vehicle"},
    {"foil", FIELD_OBJECT, OF(vehicle, foil), .table = &foil_table, .help = "profile of all fins"},
    {"thrust", FIELD_REAL, OF(vehicle, thrust), .unit = "N", .help = "constant thrust"},
    {"deflections", FIELD_NUMBERS, OF(vehicle, deflections), .unit = "rad",
     .help = "constant deflections, one for each fin"},
};
static void init_vehicle(void *out)
{
    ((scene_vehicle *)out)->def = pcs_vehicle_def_default();
}
const table vehicle_table = {
    "vehicle",
    "A hydrodynamic vehicle (doc/vehicle.md); values without a key are those of the default one.",
    vehicle_fields,
    COUNT(vehicle_fields),
    sizeof(scene_vehicle),
    NULL,
    init_vehicle};

static const char *const body_words[] = {"body", "lagrangian", "lattice", "ring", "stack", NULL};
#define RIGID      BIT(BODY_RIGID)
#define LAGRANGIAN BIT(BODY_LAGRANGIAN)
#define LATTICE    BIT(BODY_LATTICE)
#define RING       BIT(BODY_RING)
#define STACK      BIT(BODY_STACK)
#define GENERATORS (LATTICE | RING | STACK)

static const field body_fields[] = {
    {"kind", FIELD_WORD, OF(body, kind), .words = body_words,
     .help = "kind of the entry; without it a body. lattice, ring and stack repeat their bodies"},
    {"name", FIELD_NAME, OF(body, name), .kinds = RIGID | LAGRANGIAN,
     .help = "name; no two bodies have the same. The number of the copy is added to the name of a"
             " repeated body"},
    {"fixed", FIELD_BOOL, OF(body, fixed), .kinds = RIGID, .help = "true: the body never moves"},
    {"plane", FIELD_WORD, OF(body, plane), .words = plane_words, .kinds = RIGID | GENERATORS,
     .help = "plane in which the body moves, with three degrees of freedom; without it that of the"
             " generator, or of the file. Of a generator: also that of jitter, tumble and turn"},
    {"mass", FIELD_REAL, OF(body, mass), ABOVE_ZERO, .unit = "kg", .kinds = RIGID, .help = "mass"},
    {"density", FIELD_REAL, OF(body, density), ABOVE_ZERO, .unit = "kg/m^3, kg/m^2", .kinds = RIGID,
     .help = "density in place of mass and inertia: these and the centre of mass are those of the"
             " shapes; per area of disks, rectangles and polygons"},
    {"inertia", FIELD_NUMBERS, OF(body, inertia), .unit = "kg m^2", .kinds = RIGID,
     .help = "inertia about the centre of mass, body axes: 3 principal moments, or 9 numbers of the"
             " symmetric matrix. Without it that of the shapes"},
    {"added_mass", FIELD_NUMBERS, OF(body, added_mass), .unit = "kg, kg m, kg m^2", .kinds = RIGID,
     .help = "added mass of a fluid: 6 numbers of the diagonal, or 36 of the symmetric matrix, for"
             " the velocity of the centre of mass and omega, body axes"},
    {"position", FIELD_VECTOR, OF(body, position), .n = 3, .unit = "m", .kinds = RIGID | GENERATORS,
     .help = "position of the centre of mass; of a body with density that of the frame of its"
             " shapes; of a generator that of the first copy, or of the centre of the ring"},
    {"orientation", FIELD_ROTATION, OF(body, orientation), .n = 4, .kinds = RIGID | GENERATORS,
     .help = "rotation from body to inertial: a quaternion, scalar first, or axis and angle; of a"
             " generator that of all copies together"},
    {"velocity", FIELD_VECTOR, OF(body, velocity), .n = 3, .unit = "m/s", .kinds = RIGID,
     .help = "velocity of the centre of mass at the start, inertial"},
    {"omega", FIELD_VECTOR, OF(body, omega), .n = 3, .unit = "rad/s", .kinds = RIGID,
     .help = "angular velocity at the start, body frame"},
    {"motion", FIELD_OBJECT, OF(body, motion), .table = &motion_table, .kinds = RIGID,
     .help = "prescribed motion; forces have no effect then"},
    {"load", FIELD_OBJECT, OF(body, load), .table = &load_table, .kinds = RIGID,
     .help = "a constant load and linear damping"},
    {"vehicle", FIELD_LATER, OF(body, vehicle), .table = &vehicle_table, .kinds = RIGID,
     .help = "makes the body a vehicle under water: mass, inertia and forces are those of the"
             " vehicle; position is that of O"},
    {"carrier", FIELD_PART, OF(body, carrier), .kinds = RIGID,
     .help = "name or number of a Lagrangian system, which comes before: the pose of the body"
             " follows its coordinates, contacts and joints act on it; the body has no mass"},
    {"moves", FIELD_LIST, OF(body, moves), .table = &move_table, .kinds = RIGID,
     .help = "moves that make the pose of a carried body from its position and orientation"},
    {"touches_carried", FIELD_BOOL, OF(body, touches_carried), .kinds = RIGID,
     .help = "true: the body touches others of its carrier with this key"},
    {"shapes", FIELD_LIST, OF(body, shapes), .table = &shape_table, .kinds = RIGID,
     .help = "shapes of the body, in its frame"},
    {"material", FIELD_PART, OF(body, material), .kinds = RIGID,
     .help = "name of the material of its shapes"},
    {"group", FIELD_BITS, OF(body, group), .kinds = RIGID,
     .help = "bits of the groups of its shapes"},
    {"mask", FIELD_BITS, OF(body, mask), .kinds = RIGID,
     .help = "bits of the groups that its shapes may touch"},
    {"enabled", FIELD_BOOL, OF(body, enabled), .kinds = RIGID | LAGRANGIAN,
     .help = "false: the body does not move and touches nothing"},
    {"mass_matrix", FIELD_ROWS, OF(body, mass_matrix), .kinds = LAGRANGIAN, .required = LAGRANGIAN,
     .help = "M of M dv/dt = forces - damping v - stiffness q, rows; symmetric positive definite"},
    {"stiffness", FIELD_ROWS, OF(body, stiffness), .kinds = LAGRANGIAN,
     .help = "stiffness matrix, rows; symmetric"},
    {"damping", FIELD_ROWS, OF(body, damping), .kinds = LAGRANGIAN, .help = "damping matrix, rows"},
    {"forces", FIELD_NUMBERS, OF(body, forces), .kinds = LAGRANGIAN, .help = "constant forces"},
    {"q", FIELD_NUMBERS, OF(body, q), .kinds = LAGRANGIAN, .help = "coordinates at the start"},
    {"v", FIELD_NUMBERS, OF(body, v), .kinds = LAGRANGIAN, .help = "velocities at the start"},
    {"bodies", FIELD_LIST, OF(body, bodies), .table = &body_table, .kinds = GENERATORS,
     .required = GENERATORS, .help = "bodies that are repeated, in the frame of a copy"},
    {"interactions", FIELD_LIST, OF(body, interactions), .table = &interaction_table,
     .kinds = GENERATORS,
     .help = "interactions that are repeated with the bodies: names refer to the copy, positions"
             " are in its frame"},
    {"counts", FIELD_COUNTS, OF(body, counts), .n = 3, .low = 1, .high = 1000000, .kinds = LATTICE,
     .required = LATTICE, .help = "number of copies along x, y and z; x is counted first"},
    {"count", FIELD_INT, OF(body, count), .low = 1, .high = 1000000, .kinds = RING | STACK,
     .required = RING | STACK, .help = "number of copies"},
    {"spacing", FIELD_VECTOR, OF(body, spacing), .n = 3, .unit = "m", .kinds = LATTICE | STACK,
     .required = LATTICE | STACK,
     .help = "distances from one copy of a lattice to the next along x, y and z; of a stack the"
             " vector from one copy to the next"},
    {"shift", FIELD_VECTOR, OF(body, shift), .n = 3, .unit = "m", .kinds = LATTICE | STACK,
     .help = "vector that moves every second layer, as in a wall of bricks"},
    {"radius", FIELD_REAL, OF(body, radius), ABOVE_ZERO, .unit = "m", .kinds = RING,
     .required = RING, .help = "radius of the ring about z"},
    {"start", FIELD_REAL, OF(body, start), .unit = "rad", .kinds = RING,
     .help = "angle of the first copy from x"},
    {"turn", FIELD_REAL, OF(body, turn), .unit = "rad", .kinds = RING | STACK,
     .help = "of a stack: rotation about z from one copy to the next. Of a ring: angle that the"
             " copies divide, turn / count from one to the next (2 pi without it); their x axes"
             " point outwards"},
    {"jitter", FIELD_REAL, OF(body, jitter), FROM_ZERO, .unit = "m", .kinds = GENERATORS,
     .help = "every copy is moved by a random vector with entries in [-jitter, jitter)"},
    {"tumble", FIELD_BOOL, OF(body, tumble), .kinds = GENERATORS,
     .help = "true: every copy is rotated at random"},
    {"seed", FIELD_INT, OF(body, seed), .low = 0, .high = INT_MAX, .kinds = GENERATORS,
     .help = "seed of the random numbers of jitter and tumble"},
};
static const scene_body usual_body = {
    .mass = 1, .orientation = {1, 0, 0, 0}, .group = 1, .mask = ~0u, .enabled = true};
TABLE(body, "body", "A body, a Lagrangian system, or bodies that are repeated.", body_fields,
      &usual_body);

// ---- interactions ------------------------------------------------------------------------------

static const field target_fields[] = {
    {"offset", FIELD_REAL, OF(target, f.offset), .help = "value at t = 0 without the oscillation"},
    {"rate", FIELD_REAL, OF(target, f.rate), .unit = "1/s", .help = "slope"},
    {"amplitude", FIELD_REAL, OF(target, f.amplitude), .help = "of the oscillation"},
    {"frequency", FIELD_REAL, OF(target, f.frequency), .unit = "rad/s",
     .help = "angular frequency of the oscillation"},
    {"phase", FIELD_REAL, OF(target, f.phase), .unit = "rad", .help = "phase of the oscillation"},
};
TABLE(target, "target",
      "A number that depends on time: offset + rate t + amplitude sin(frequency t + phase).",
      target_fields, NULL);

static const char *const interaction_words[] = {
    "ball",        "distance", "linear",    "rope",    "limits",        "motor",  "friction",
    "spring",      "torsion",  "bushing",   "gravity", "hinge",         "slider", "fixed",
    "cylindrical", "planar",   "universal", "screw",   "point_on_line", "gear",   NULL};
const pcs_joint_kind scene_joint_kinds[] = {
    PCS_JOINT_HINGE,       PCS_JOINT_SLIDER,        PCS_JOINT_FIXED,
    PCS_JOINT_CYLINDRICAL, PCS_JOINT_PLANAR,        PCS_JOINT_UNIVERSAL,
    PCS_JOINT_SCREW,       PCS_JOINT_POINT_ON_LINE, PCS_JOINT_GEAR};
enum { JOINT_WORDS = sizeof scene_joint_kinds / sizeof *scene_joint_kinds };

int scene_interaction_of(pcs_joint_kind kind)
{
    int i = 0;
    while (i < JOINT_WORDS && scene_joint_kinds[i] != kind) {
        i += 1;
    }
    return INTERACTION_JOINTS + i;
}

#define BALL     BIT(INTERACTION_BALL)
#define DISTANCE (BIT(INTERACTION_DISTANCE) | BIT(INTERACTION_ROPE))
#define LINEAR   BIT(INTERACTION_LINEAR)
#define LIMITS   BIT(INTERACTION_LIMITS)
#define MOTOR    BIT(INTERACTION_MOTOR)
#define FRICTION BIT(INTERACTION_FRICTION)
#define ON_JOINT (LIMITS | MOTOR | FRICTION)
#define GEAR     BIT(INTERACTION_JOINTS + JOINT_WORDS - 1)
#define SCREW    BIT(INTERACTION_JOINTS + 6)
#define SPRING   BIT(INTERACTION_FORCES + PCS_FORCE_SPRING)
#define TORSION  BIT(INTERACTION_FORCES + PCS_FORCE_TORSION)
#define BUSHING  BIT(INTERACTION_FORCES + PCS_FORCE_BUSHING)
#define ATTRACTS BIT(INTERACTION_FORCES + PCS_FORCE_GRAVITY)
#define JOINTS   (((1u << JOINT_WORDS) - 1) << INTERACTION_JOINTS)

static const field interaction_fields[] = {
    {"kind", FIELD_WORD, OF(interaction, kind), .words = interaction_words, .required = ALWAYS,
     .help = "ball: two points coincide; distance: two points are a length apart; rope: they are "
             "no more"
             " than a length apart, with the law newton_impact; linear: coefficients"
             " . q + offset, of a Lagrangian system; limits: of a coordinate of a joint;"
             " motor: moves one; friction: on one; spring,"
             " torsion, bushing and gravity: force elements, doc/forces.md; the others: joints"
             " between two frames, doc/joints.md"},
    NAME_FIELD(interaction, "interactions"),
    {"bodies", FIELD_PARTS, OF(interaction, bodies), .n = 2, .kinds = ~ON_JOINT,
     .required = ~ON_JOINT,
     .help = "names of one or two bodies; a missing second one is the world"},
    {"next", FIELD_OFFSETS, OF(interaction, next), .n = 3, .kinds = ~ON_JOINT, .low = -1000000,
     .high = 1000000,
     .help = "in a generator: how many copies further the second body is, along x, y and z of a"
             " lattice; of a stack or a ring one number. Without such a copy there is no"
             " interaction"},
    {"point1", FIELD_VECTOR, OF(interaction, point1), .n = 3, .unit = "m",
     .kinds = BALL | DISTANCE | JOINTS | SPRING | BUSHING | ATTRACTS,
     .help = "point of the first body, from its centre of mass, body axes"},
    {"point2", FIELD_VECTOR, OF(interaction, point2), .n = 3, .unit = "m",
     .kinds = BALL | DISTANCE | JOINTS | SPRING | BUSHING | ATTRACTS,
     .help = "point of the second body; of the world, inertial"},
    {"at", FIELD_VECTOR, OF(interaction, at), .n = 3, .unit = "m",
     .kinds = BALL | (JOINTS & ~GEAR) | BUSHING,
     .help = "position of both points at the start, inertial; in place of point1 and point2"},
    {"at1", FIELD_VECTOR, OF(interaction, at1), .n = 3, .unit = "m",
     .kinds = DISTANCE | GEAR | SPRING | ATTRACTS,
     .help = "position of the first point at the start, inertial; in place of point1"},
    {"at2", FIELD_VECTOR, OF(interaction, at2), .n = 3, .unit = "m",
     .kinds = DISTANCE | GEAR | SPRING | ATTRACTS,
     .help = "position of the second point at the start, inertial; in place of point2"},
    {"axis", FIELD_VECTOR, OF(interaction, axis), .n = 3, .kinds = JOINTS | TORSION | BUSHING,
     .help =
         "z axis of both frames at the start, inertial; in place of axes1 and axes2. Without any"
         " of them the axes of the frames are those of the bodies. Of torsion: its axis at the"
         " start, inertial; in place of axis1"},
    {"axis1", FIELD_VECTOR, OF(interaction, axis1), .n = 3, .kinds = TORSION,
     .help = "the axis in the first body, body axes; in place of axis"},
    {"across", FIELD_VECTOR, OF(interaction, across), .n = 3, .kinds = (JOINTS & ~GEAR) | BUSHING,
     .help =
         "x axis of both frames at the start, inertial, with axis: of a universal joint its axis"
         " in the first body"},
    {"axes1", FIELD_ROTATION, OF(interaction, axes1), .n = 4, .kinds = JOINTS | BUSHING,
     .help = "axes of the frame of the joint in the first body"},
    {"axes2", FIELD_ROTATION, OF(interaction, axes2), .n = 4, .kinds = JOINTS | BUSHING,
     .help = "axes of its frame in the second body; in the world, inertial"},
    {"pitch", FIELD_REAL, OF(interaction, pitch), .low = -1e6, .high = 1e6, .unit = "m",
     .kinds = SCREW, .required = SCREW,
     .help = "displacement along the axis per turn, not 0; positive: right-handed"},
    {"teeth", FIELD_OFFSETS, OF(interaction, teeth), .n = 2, .low = -10000, .high = 10000,
     .kinds = GEAR, .required = GEAR,
     .help = "numbers of teeth of both gears; opposite signs where one has them inside"},
    {"arm", FIELD_REAL, OF(interaction, arm), .low = 0, .high = HUGE_VAL, .unit = "m",
     .kinds = JOINTS,
     .help = "length that directions count by in the rows of the joint; 0: a length of the bodies"},
    {"joint", FIELD_PART, OF(interaction, joint), .kinds = ON_JOINT, .required = ON_JOINT,
     .help = "name or number of the joint, which comes before its limits and motors"},
    {"coordinate", FIELD_INT, OF(interaction, coordinate), .low = 0, .high = 3, .kinds = ON_JOINT,
     .help = "number of the coordinate of the joint, from 0"},
    {"low", FIELD_REAL, OF(interaction, low), .kinds = LIMITS, .unit = "m or rad",
     .help = "least value; without it there is none"},
    {"high", FIELD_REAL, OF(interaction, high), .kinds = LIMITS, .unit = "m or rad",
     .help = "largest value; without it there is none"},
    {"e", FIELD_REAL, OF(interaction, e), ZERO_TO(1), .kinds = LIMITS, .help = "restitution"},
    {"target", FIELD_OBJECT, OF(interaction, target), .table = &target_table,
     .kinds = MOTOR | LINEAR | DISTANCE, .unit = "m or rad",
     .help = "what a motor holds the coordinate at, or a linear relation itself; of a distance"
             " joint the length that is added, of a rope the length that is taken away"},
    {"of_speed", FIELD_BOOL, OF(interaction, of_speed), .kinds = MOTOR,
     .help = "true: the target of the motor is the speed, in m/s or rad/s"},
    {"limit", FIELD_REAL, OF(interaction, limit), FROM_ZERO, .unit = "N or N m",
     .kinds = MOTOR | FRICTION,
     .help = "largest force or moment of the motor, without it as much as necessary; of friction"
             " its constant part, 0 without it"},
    {"mu", FIELD_REAL, OF(interaction, mu), FROM_ZERO, .kinds = FRICTION,
     .help = "friction of the bearing, times the force of the joint"},
    {"radius", FIELD_REAL, OF(interaction, radius), FROM_ZERO, .unit = "m", .kinds = FRICTION,
     .help = "radius of the bearing of an angle"},
    {"length", FIELD_REAL, OF(interaction, length), FROM_ZERO, .unit = "m",
     .kinds = DISTANCE | SPRING,
     .help = "length, of a spring that without force, of others above 0; without it the distance of"
             " the points at the start"},
    {"stiffness", FIELD_REAL, OF(interaction, stiffness), FROM_ZERO, .unit = "N/m, N m/rad",
     .kinds = SPRING | TORSION, .help = "force per length, or moment per angle"},
    {"damping", FIELD_REAL, OF(interaction, damping), FROM_ZERO, .unit = "N s/m, N m s/rad",
     .kinds = SPRING | TORSION, .help = "force per speed, or moment per angular speed"},
    {"angle", FIELD_REAL, OF(interaction, angle), .low = -4, .high = 4, .unit = "rad",
     .kinds = TORSION, .help = "angle of the second body about the axis without moment"},
    {"strength", FIELD_REAL, OF(interaction, strength), .unit = "N m^2", .kinds = ATTRACTS,
     .required = ATTRACTS, .help = "force times square of the distance, G m1 m2; negative: repels"},
    {"K", FIELD_NUMBERS, OF(interaction, K), .unit = "N/m, N, N m", .kinds = BUSHING,
     .help = "stiffness: 6 numbers, the diagonal, or 36"},
    {"D", FIELD_NUMBERS, OF(interaction, D), .unit = "N s/m, N s, N m s", .kinds = BUSHING,
     .help = "damping: 6 numbers, the diagonal, or 36"},
    {"coefficients", FIELD_NUMBERS, OF(interaction, coefficients), .kinds = LINEAR,
     .required = LINEAR, .help = "coefficients, one for each coordinate of the system, at most 7"},
    {"tangent", FIELD_NUMBERS, OF(interaction, tangent), .kinds = LINEAR,
     .help = "with a law newton_coulomb: coefficients of the place along the surface"},
    {"offset", FIELD_REAL, OF(interaction, offset), .kinds = LINEAR,
     .help = "constant term of the relation"},
    {"law", FIELD_OBJECT, OF(interaction, law), .table = &law_table,
     .kinds = BALL | DISTANCE | LINEAR,
     .help = "law; without it equality, a joint; of a rope newton_impact"},
    {"break_force", FIELD_REAL, OF(interaction, break_force), ABOVE_ZERO, .unit = "N",
     .kinds = BALL | DISTANCE | LINEAR | JOINTS,
     .help = "it breaks where its mean force in a step is larger; without it it bears any"},
    {"break_moment", FIELD_REAL, OF(interaction, break_moment), ABOVE_ZERO, .unit = "N m",
     .kinds = BALL | JOINTS,
     .help = "it breaks where its mean moment about the first point is larger"},
    {"touching", FIELD_BOOL, OF(interaction, touching), .kinds = BALL | DISTANCE | LINEAR | JOINTS,
     .help = "true: the two bodies of a joint may touch"},
    {"enabled", FIELD_BOOL, OF(interaction, enabled),
     .help = "false: the interaction has no effect"},
};
static const scene_interaction usual_interaction = {.axes1 = {1, 0, 0, 0},
                                                    .axes2 = {1, 0, 0, 0},
                                                    .low = -HUGE_VAL,
                                                    .high = HUGE_VAL,
                                                    .limit = HUGE_VAL,
                                                    .length = HUGE_VAL,
                                                    .break_force = HUGE_VAL,
                                                    .break_moment = HUGE_VAL,
                                                    .enabled = true};
TABLE(interaction, "interaction",
      "A relation with a law between one or two bodies, or a force element.", interaction_fields,
      &usual_interaction);

// ---- the solver and the scheme ------------------------------------------------------------------

static const char *const stop_words[] = {"residual", "natural", "both", "relaxed", NULL};

static const field solver_fields[] = {
    {"tol", FIELD_REAL, OF(solver, tol), ABOVE_ZERO, .help = "tolerance of the measure"},
    {"stop", FIELD_WORD, OF(solver, stop), .words = stop_words,
     .help = "the measure that must be at most tol"},
    {"max_iters", FIELD_INT, OF(solver, max_iters), .low = 0, .high = INT_MAX,
     .help = "limit of iterations; for auto of products with W"},
    {"max_seconds", FIELD_REAL, OF(solver, max_seconds), FROM_ZERO, .unit = "s",
     .help = "time after which a solve stops; 0: no limit"},
};
TABLE(solver, "solver", "The solver of the velocity problem.", solver_fields, NULL);

static const char *const base_words[] = {"default", "dense", "moreau_jean", NULL};
static const char *const activation_words[] = {"automatic", "predictive", "speculative",
                                               "end_of_step", NULL};
static const char *const projection_words[] = {
    "none", "direct", "overlaps", "direct_hysteresis", "combined", "combined_equality", NULL};
static const char *const metric_words[] = {"mass", "v", "q", "q1", NULL};
static const char *const update_words[] = {"exp", "add", NULL};
static const char *const lever_words[] = {"midpoint", "own", "first", NULL};
static const char *const configuration_words[] = {"start", "iterate", "middle", "predicted", NULL};

static const field scheme_fields[] = {
    {"base", FIELD_WORD, OF(scheme, base), .words = base_words,
     .help = "the scheme whose fields the others replace: default is for bodies that lie, fall,"
             " bounce or are joined; moreau_jean is the textbook one"},
    {"size", FIELD_REAL, OF(scheme, size), ABOVE_ZERO, .unit = "m",
     .help = "with the base dense: size of the smallest body"},
    {"tol", FIELD_REAL, OF(scheme, tol), ABOVE_ZERO,
     .help = "with the base dense: tolerance of the velocities"},
    {"theta", FIELD_REAL, OF(scheme, scheme.theta), ZERO_TO(1),
     .help = "theta of the scheme: 1/2 is exact for a parabola, 1 damps"},
    {"gamma", FIELD_REAL, OF(scheme, scheme.gamma), ZERO_TO(1.5),
     .help = "how far the predictive rule looks ahead, in steps"},
    {"activation", FIELD_WORD, OF(scheme, scheme.activation), .words = activation_words,
     .help = "rule that selects the contacts of the velocity problem"},
    {"active_tol", FIELD_REAL, OF(scheme, scheme.active_tol), FROM_ZERO, .unit = "m",
     .help = "gap up to which a contact counts as closed"},
    {"hysteresis", FIELD_REAL, OF(scheme, scheme.hysteresis), FROM_ZERO, .unit = "m",
     .help = "gap up to which a contact stays active, with direct_hysteresis"},
    {"projection", FIELD_WORD, OF(scheme, scheme.projection), .words = projection_words,
     .help = "gaps that a step closes by a projection of positions"},
    {"metric", FIELD_WORD, OF(scheme, scheme.metric), .words = metric_words,
     .help = "metric of the projection"},
    {"proj_tol", FIELD_REAL, OF(scheme, scheme.proj_tol), FROM_ZERO, .unit = "m",
     .help = "violation that the projection may leave; 0: 3e-4 of the smallest body"},
    {"proj_max", FIELD_INT, OF(scheme, scheme.proj_max), .low = 1, .high = INT_MAX,
     .help = "limit of projection iterations"},
    {"update", FIELD_WORD, OF(scheme, scheme.update), .words = update_words,
     .help = "update of quaternions: by the exponential, or by addition"},
    {"lever", FIELD_WORD, OF(scheme, scheme.lever), .words = lever_words,
     .help = "point at which friction acts when there is a gap"},
    {"configuration", FIELD_WORD, OF(scheme, scheme.configuration), .words = configuration_words,
     .help = "configuration at which the rows of the velocity problem are taken"},
    {"second_order", FIELD_BOOL, OF(scheme, scheme.second_order),
     .help = "true: bodies without contact move with theta = 1/2"},
    {"sleep", FIELD_BOOL, OF(scheme, scheme.sleep),
     .help = "true: islands sleep while it is proven that they rest"},
    {"newton_tol", FIELD_REAL, OF(scheme, scheme.newton_tol), ABOVE_ZERO,
     .help = "relative tolerance of Newton's loop"},
    {"newton_max", FIELD_INT, OF(scheme, scheme.newton_max), .low = 1, .high = INT_MAX,
     .help = "limit of iterations of Newton's loop"},
    {"accept", FIELD_REAL, OF(scheme, scheme.accept), ZERO_TO(1),
     .help = "residual up to which a step that did not converge is committed"},
    {"accept_unconverged", FIELD_BOOL, OF(scheme, scheme.accept_unconverged),
     .help = "true: a step is committed with any residuals"},
    {"halvings", FIELD_INT, OF(scheme, scheme.halvings), .low = 0, .high = 20,
     .help = "how many times a step that does not converge is halved"},
    {"budget", FIELD_REAL, OF(scheme, scheme.budget), FROM_ZERO,
     .help = "work units that a step may use; 0: in proportion to its contacts, 20 times as "
             "many with accept 0"},
    {"max_sweeps", FIELD_INT, OF(scheme, scheme.max_sweeps), .low = 0, .high = 1000000000,
     .help = "sweeps over its contacts that all solves of a step may make; 0: no limit"},
    {"max_seconds", FIELD_REAL, OF(scheme, scheme.max_seconds), FROM_ZERO, .unit = "s",
     .help = "time that a step may take; 0: no limit"},
    {"solver", FIELD_SOLVER, OF(scheme, solver), .help = "solver of the velocity problem"},
};
TABLE(scheme, "scheme", "The time stepping scheme.", scheme_fields, NULL);

// ---- the run -----------------------------------------------------------------------------------

static const field rest_fields[] = {
    {"speed", FIELD_REAL, OF(rest, speed), ABOVE_ZERO, .unit = "m/s", .required = ALWAYS,
     .help = "speed below which a body is at rest: the root mean square over its mass"},
    {"time", FIELD_REAL, OF(rest, time), FROM_ZERO, .unit = "s",
     .help = "time for which all bodies must be at rest"},
};
TABLE(rest, "condition of rest", "All bodies are at rest.", rest_fields, NULL);

static const field box_fields[] = {
    {"body", FIELD_PART, OF(box, body), .help = "name of the body; without it any body"},
    {"low", FIELD_VECTOR, OF(box, low), .n = 3, .unit = "m", .required = ALWAYS,
     .help = "lower corner, inertial"},
    {"high", FIELD_VECTOR, OF(box, high), .n = 3, .unit = "m", .required = ALWAYS,
     .help = "upper corner"},
};
TABLE(box, "box", "A box that the centre of mass of a body leaves.", box_fields, NULL);

static const field stop_fields[] = {
    {"rest", FIELD_OBJECT, OF(stop, rest), .table = &rest_table,
     .help = "ends the run when all bodies are at rest"},
    {"leaves", FIELD_OBJECT, OF(stop, leaves), .table = &box_table,
     .help = "ends the run when a body leaves a box"},
    {"unconverged", FIELD_BOOL, OF(stop, unconverged),
     .help =
         "true: ends the run at the first step that did not converge, also if the scheme commits"
         " it"},
    {"steps", FIELD_INT, OF(stop, steps), .low = 1, .high = INT_MAX,
     .help = "ends the run after this many steps"},
};
TABLE(stop, "list of stop conditions", "Conditions that end a run before t_end.", stop_fields,
      NULL);

static const field settings_fields[] = {
    {"h", FIELD_REAL, OF(settings, h), ABOVE_ZERO, .unit = "s", .help = "size of a step"},
    {"t_end", FIELD_REAL, OF(settings, t_end), ABOVE_ZERO, .unit = "s", .help = "end of the run"},
    {"frame_steps", FIELD_INT, OF(settings, frame_steps), .low = 1, .high = INT_MAX,
     .help = "number of steps between two frames of the trajectory; without it 1"},
    {"frame_seconds", FIELD_REAL, OF(settings, frame_seconds), ABOVE_ZERO, .unit = "s",
     .help = "time between two frames, rounded up to a step; in place of frame_steps"},
    {"stop", FIELD_OBJECT, OF(settings, stop), .table = &stop_table,
     .help = "conditions that end the run before t_end"},
};
TABLE(settings, "run", "The settings of a run.", settings_fields, NULL);

// ---- the file ----------------------------------------------------------------------------------

static const field file_fields[] = {
    {"percuss_scene", FIELD_INT, OF(file, version), .low = 1, .high = SCENE_VERSION,
     .required = ALWAYS, .help = "version of the format"},
    {"name", FIELD_TEXT, OF(file, name), .help = "name of the scene"},
    {"description", FIELD_TEXT, OF(file, description), .help = "description of the scene"},
    {"gravity", FIELD_VECTOR, OF(file, gravity), .n = 3, .unit = "m/s^2",
     .help = "gravity, inertial; without it [0, 0, -9.81]"},
    {"plane", FIELD_WORD, OF(file, plane), .words = plane_words,
     .help = "plane of all bodies that have none of their own, and of planar shapes of the world"},
    {"materials", FIELD_LIST, OF(file, materials), .table = &material_table,
     .help = "materials, numbered from 1; 0 is the default one"},
    {"geometries", FIELD_LIST, OF(file, geometries), .table = &geometry_table,
     .help = "data of shapes of the kinds hull, mesh and height_field"},
    {"pair_laws", FIELD_LIST, OF(file, pair_laws), .table = &pair_law_table,
     .help = "laws of pairs of materials"},
    {"world", FIELD_OBJECT, OF(file, world), .table = &world_table,
     .help = "shapes that never move"},
    {"bodies", FIELD_LIST, OF(file, bodies), .table = &body_table,
     .help = "bodies, numbered from 1; 0 is the world"},
    {"interactions", FIELD_LIST, OF(file, interactions), .table = &interaction_table,
     .help = "joints, force elements and other relations"},
    {"scheme", FIELD_OBJECT, OF(file, scheme), .table = &scheme_table,
     .help = "time stepping scheme; without it the default one"},
    {"run", FIELD_OBJECT, OF(file, run), .table = &settings_table, .help = "settings of the run"},
};
static const scene_file usual_file = {.gravity = {0, 0, -9.81}};
TABLE(file, "scene", "A scene of percuss. SI units; angles in rad; z is up.", file_fields,
      &usual_file);
