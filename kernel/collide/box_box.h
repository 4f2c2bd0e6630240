// Private declarations of the box-box files; box_box.c describes the method.
#ifndef COLLIDE_BOX_BOX_H
#define COLLIDE_BOX_BOX_H

#include <stdbool.h>
#include <stdlib.h>

#include <percuss/features.h>

#include "linalg/m3.h"

// lengths whose difference is less than this times the sum of all half edges are equal
static const double box_tie = 1e-14;
// nearly parallel edges that are closer than this, in the same unit, are apart in a direction that
// is rounding: it may differ at the two ends
static const double box_noise = 1e-10;

// face, edge or vertex by the signs of its coordinates
typedef struct box_part {
    signed char c[3];
} box_part;

// both boxes in the frame of box 1
typedef struct box_pair {
    double half1[3], half2[3];
    double R[9]; // axes of box 2
    double t[3]; // centre of box 2
} box_pair;

typedef struct box_axes {
    double face1, face2, edge; // the largest s of each family
    int i1, j2;                // the face of box 1, of box 2
    int i, j;                  // the edges
} box_axes;

// one contact; x1 and d1 in the frame of box 1, x2 and d2 in that of box 2, as in pcs_feature
typedef struct box_contact {
    pcs_feature_kind kind;
    box_part part1, part2; // the parts that face each other; they make the id
    double x1[3], d1[3], x2[3], d2[3];
    double u[3]; // unit, from box 1 to box 2, frame of box 1
    double g;
    double at[3]; // the contact point of box 1, in its frame
} box_contact;

typedef struct box_contacts {
    box_contact at[PCS_FEATURES_MAX];
    unsigned id[PCS_FEATURES_MAX];
    int n;
} box_contacts;

// the largest s of each family of axes; false as soon as one is beyond reach (or not a number)
bool box_separate(const box_pair *b, double reach, box_axes *a);

// the signed gap and its features; size is the sum of all half edges
void box_closest(const box_pair *b, const box_axes *a, double size, box_contact *c);

// all contacts within reach, the closest first
void box_manifold(const box_pair *b, const box_contact *c, double reach, double size,
                  box_contacts *list);

static inline int axis_next(int i)
{
    return i == 2 ? 0 : i + 1;
}

static inline signed char box_sign(double x)
{
    return x < 0 ? -1 : 1;
}

static inline unsigned box_part_number(box_part p)
{
    return (unsigned)(p.c[0] + 1 + 3 * (p.c[1] + 1) + 9 * (p.c[2] + 1));
}

static inline unsigned box_contact_id(const box_contact *c)
{
    return 27 * box_part_number(c->part1) + box_part_number(c->part2);
}

// the middle point of a part
static inline void box_part_middle(box_part p, const double half[3], double x[3])
{
    for (int i = 0; i < 3; ++i) {
        x[i] = p.c[i] * half[i];
    }
}

// the normal of a face, the direction of an edge, nothing for a vertex
static inline void box_part_direction(box_part p, double d[3])
{
    const int face = abs(p.c[0]) + abs(p.c[1]) + abs(p.c[2]) == 1;
    for (int i = 0; i < 3; ++i) {
        d[i] = face ? p.c[i] : p.c[i] == 0;
    }
}

// frame of box 2 to frame of box 1 and back; y may be x
static inline void box_from_2(const box_pair *b, const double x[3], double y[3])
{
    double Rx[3];
    m3_mul(b->R, x, Rx);
    v3_along(b->t, 1, Rx, y);
}

static inline void box_into_2(const box_pair *b, const double x[3], double y[3])
{
    double r[3];
    v3_sub(x, b->t, r);
    m3_mul_t(b->R, r, y);
}

// the same two boxes with their names exchanged
static inline box_pair box_exchange(const box_pair *b)
{
    box_pair e;
    m3_mul_t(b->R, b->t, e.t);
    for (int i = 0; i < 3; ++i) {
        e.t[i] = -e.t[i];
        e.half1[i] = b->half2[i];
        e.half2[i] = b->half1[i];
        for (int j = 0; j < 3; ++j) {
            e.R[i + 3 * j] = b->R[j + 3 * i];
        }
    }
    return e;
}

#endif
