// Shared by the parts of a replay page: its frames and bodies, and the boxes in whose steps its
// numbers are counted.
#ifndef VIEW_BOOK_H
#define VIEW_BOOK_H

#include <percuss/parts.h>
#include <percuss/replay.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "trajectory/frames.h"

#define BLOCK    64 // frames frames of one block
#define CHANNELS 7  // x y z and the quaternion

// a box whose sides are divided into 65535 steps
typedef struct range {
    double lo[3], hi[3];
} range;

typedef struct book {
    pcs_trajectory *trajectory;
    const pcs_model *model;
    pcs_replay_def def;
    frame_choice choice;
    long frames;        // frames on the page
    int bodies;         // systems and the world, number 0
    int rows;           // bodies that move
    int *row;           // row of each body, or -1
    range *place;       // box of each body
    double (*first)[7]; // pose of each body in the first frame
    range contact;      // box of all contact points
    int geometries;     // number of different geometries
    const pcs_geometry **geometry;
    double depth;                 // of planar bodies, as they are drawn
    pcs_geometry **flat;          // prisms of this depth, owned
    const pcs_geometry **flat_of; // the geometries that they are made of
    int flats;
    int n_limits; // interactions that are limits of joints
    pcs_interaction *limits;
} book;

// takes the arrays; close it after a failure, too
pcs_status book_open(book *b);
void book_close(book *b);

long book_frame(const book *b, long k); // number in the trajectory of the k-th frame of the page
bool contact_is_shown(const pcs_contact *c);

// The shape as it is drawn: on planar bodies disks are cylinders, and rectangles and prisms have
// the depth of the least width of all such shapes
pcs_status book_flatten(book *b, pcs_system body, pcs_shape *shape);

// finds the bodies that move, and the boxes of their places and of the contact points
pcs_status book_survey(book *b);

double range_step(const range *r, int i);
unsigned range_steps(const range *r, int i, double x); // steps from the low side to x, rounded

// write the elements of the page: facts, bodies, shapes and curves as JSON; geometries; frames
pcs_status book_write_scene(book *b, FILE *page);
pcs_status book_write_geometries(const book *b, FILE *page);
pcs_status book_write_frames(const book *b, FILE *page);

#endif
