// Paths on which joints and other contacts guide the bodies of a pair of shapes.
#ifndef STEP_GUIDED_H
#define STEP_GUIDED_H

#include "step/step.h"

// the bodies of a pair with what guides them, solved again
typedef struct guided guided;

// The candidates with rows on each moving system, and the paths of a step
typedef struct guides {
    const trial *t;
    double *v, *p; // nv: velocities of the paths, and the impulses that give them
    double *zero;  // nv zeros
    bool *asked;   // per candidate: it is in question, and guides nothing
    int *guide;    // per moving system the first candidate with rows on it, or -1
    int *next;     // 2 per candidate: that after it, on each side
    guided *room;  // memory for one pair
} guides;

// links the candidates; none is in question yet
pcs_status guides_link(const trial *t, double *v, double *p, pcs_arena *mem, guides *out);

// The paths of candidates [begin, end), of one pair of shapes, with joints and other contacts alone
// replace those in f->v, until guides_leave; null where nothing guides, or there is no room.
// *margin: contact_slop with the error of the velocities
guided *guides_enter(guides *f, int begin, int end, double *margin);
void guides_leave(guides *f, const guided *g);

// true where contacts guide the bodies, not joints alone
bool guided_by_contacts(const guided *g);

// true when the shapes of candidate `begin` come within the margin of each other on guided paths
pcs_status guides_meet(const guides *f, const guided *g, int begin, double margin, pcs_arena mem,
                       bool *meets);

#endif
