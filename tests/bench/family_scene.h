// Scenes of rigid bodies that touch, from which the members of the generated family are made:
// bodies with a mass and an inertia, contact points with a frame, joints. Nothing is simulated.
//
// Only + - * / and sqrt are used, so that a member has the same bits wherever it is made.
#ifndef BENCH_FAMILY_SCENE_H
#define BENCH_FAMILY_SCENE_H

#include <stdbool.h>
#include <stdint.h>

// ---- random numbers: splitmix64 (Steele, Lea, Flood 2014). One call an expression: C does not say
// in which order arguments and initialisers are evaluated

typedef struct rng {
    uint64_t s;
} rng;

double rng_unit(rng *r); // [0, 1)
double rng_between(rng *r, double low, double high);
void rng_three(rng *r, double low, double high, double x[3]);
int rng_int(rng *r, int n);               // 0 .. n - 1
void rng_direction(rng *r, double d[3]);  // unit
void rng_rotation(rng *r, double R[9]);   // column-major
double root_power(double base, double s); // base^s, 0 <= s <= 1, by square roots

// ---- bodies and their contacts

typedef struct scene_body {
    double x[3];       // centre
    double R[9];       // principal axes, columns
    double half[3];    // half edges of a box; radius and half length of others
    double inertia[3]; // about the principal axes, per kg
    double volume, mass;
    double away[3]; // velocity in a motion that opens every contact (see family.h)
} scene_body;

typedef enum scene_kind {
    SCENE_CONTACT, // Coulomb, rows N T1 T2
    SCENE_PLANAR,  // Coulomb, rows N T
    SCENE_NORMAL,  // unilateral, row N
    SCENE_BALL,    // a point in common: three equality rows
    SCENE_HINGE    // and the direction N: five
} scene_kind;

typedef struct scene_link {
    scene_kind kind;
    int a, b;    // bodies; b = -1: the ground. N points from b to a
    double P[3]; // where
    double F[9]; // columns N T1 T2
    double mu;
} scene_link;

typedef struct scene {
    scene_body *body;
    scene_link *link;
    int bodies, links;
    int body_room, link_room;
    double up[3];
} scene;

void scene_init(scene *s);
void scene_free(scene *s);

int scene_rows(scene_kind kind);

// Each function returns the index of what it adds. Bodies are upright until R is changed.
int scene_box(scene *s, double x, double y, double z, double hx, double hy, double hz);
int scene_sphere(scene *s, double x, double y, double z, double radius);
int scene_rod(scene *s, double x, double y, double z, double radius, double half, int axis);
int scene_touch(scene *s, scene_kind kind, int a, int b, const double P[3], const double N[3]);

// Contacts wherever faces of upright boxes lie on one another or on the ground z = 0: the grid x
// grid points of the rectangle they share, its corners included; side faces too if `sides`.
void scene_touch_boxes(scene *s, int grid, bool sides);

// Contacts of spheres closer than `reach`, and with the ground.
void scene_touch_spheres(scene *s, scene_kind kind, double reach);

// away = (a x, a y, b z + c)
void scene_spread(scene *s, double a, double b, double c);

// Rotates everything by R, also the vertical; the tangents of each contact by a random angle.
void scene_turn(scene *s, const double R[9], rng *r);

// The velocity of link k (rows N T1 T2) in the motion `away`.
void scene_away(const scene *s, const scene_link *k, double u[3]);

// Drops contacts that `away` hardly opens, and lowers mu where `away` would not open a contact wide
// enough for it.
void scene_open(scene *s);

#endif
