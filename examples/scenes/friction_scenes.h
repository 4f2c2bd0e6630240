// Six public benchmark scenes for exact Coulomb friction: those of Song, Fan, Ascher and Pai, "A
// Splitting Architecture for Exact Reduced Coulomb Friction" (SCA 2026), with the sizes, masses,
// speeds and steps of the authors' own code (the "author" scenes; one arch also in the "literal"
// form, which touches at the start). SI units, z up.
//
// Restitution is 0, and one friction value holds for all bodies of a scene.
#ifndef EXAMPLES_SCENES_FRICTION_SCENES_H
#define EXAMPLES_SCENES_FRICTION_SCENES_H

#include <percuss/scene.h>

typedef enum friction_kind {
    FRICTION_BACKSPIN,  // a ball with backspin slides, turns back and rolls
    FRICTION_SLOPE,     // a cube 1 mm above a slope of tan = 1/2
    FRICTION_TURNTABLE, // a cube falls on a disc that begins to turn
    FRICTION_PAINLEVE,  // an upright box slides at the limit of tipping
    FRICTION_CARDS,     // a house of cards settles, then four cubes fall on it
    FRICTION_ARCH,      // a masonry arch closes its joints, then three cubes fall on it
    FRICTION_KINDS
} friction_kind;

typedef struct friction_def {
    friction_kind kind;
    double mu;
    double rate;  // rad/s, of the turntable
    int levels;   // of the house: 2 .. 20
    int stones;   // of the arch, odd: 5 .. 201
    bool literal; // arch: its stones overlap by 1 um at the start, in place of gaps
    bool cubes;   // something falls on the house or the arch
} friction_def;

// the published run of a scene
typedef struct friction_times {
    double h;    // s
    int steps;   // in all
    int release; // steps after which the cubes fall: the time of standing
    double size; // m, least edge or diameter
} friction_times;

// the scene as published: friction of the first run, 4 levels, 25 stones, with cubes
friction_def friction_default(friction_kind kind);

friction_times friction_times_of(const friction_def *def);

// Adds the bodies to a scene with an empty model. What is observed has the first numbers: system 1
// is the ball, the cube or the box; the cards or the stones are 1 to friction_parts, after them
// come the cubes that fall.
pcs_status friction_build(const friction_def *def, pcs_scene *scene);

// cards, stones, or 1
int friction_parts(const friction_def *def);

// the part that is watched: the body, the highest card, the key stone
pcs_system friction_watched(const friction_def *def);

// How far the cube on the slope has moved after some steps, by the scheme for a point (m): v' =
// max(0, v + g h sin a - mu p). The step in which it lands brakes the fall to gap / h, the next one
// to zero.
double friction_slope_way(const friction_def *def, long steps, double gravity);

// Cubes that are held by a shelf, and fall when it leaves.
typedef struct falling_cubes {
    int count;
    double edge, density;  // m, kg/m^3
    double apart, height;  // m, between centres along x; of the centres at the release
    double speed, release; // m/s, upwards, of cubes and shelf until the time release, s
} falling_cubes;

// Adds the cubes and the shelf. The shelf touches nothing but the cubes, and leaves so fast that
// they fall freely. The scene owns its motion.
pcs_status friction_drop(const falling_cubes *def, pcs_material material, pcs_scene *scene);

// the house and the arch (friction_structures.c)
pcs_status friction_cards(const friction_def *def, pcs_material material, pcs_scene *scene);
pcs_status friction_arch(const friction_def *def, pcs_material material, pcs_scene *scene);

#endif
