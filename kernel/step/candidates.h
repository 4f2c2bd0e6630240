// How contacts get into the list of candidates: for candidates.c, detect_end.c and revolution.c.
#ifndef STEP_CANDIDATES_H
#define STEP_CANDIDATES_H

#include "step/step.h"

// the law of a pair of shapes, which may be a callback
pcs_status contact_law(const trial *t, const int shape[2], pcs_law *out);
bool contact_same_pair(const contact_key *a, const contact_key *b);
// The place in the list of a contact of a pair, or -1. Interactions come first, then the contacts
// found at the start, sorted by pair. Callers search in the same order: the search starts at
// *cursor, the end of the last one. Contacts added later are in any order.
int candidates_find(const trial *t, int shape1, int shape2, int *cursor);
// m: the least gap of a pair at q_k; 0: those not found there are apart
double candidates_pair_gap(const trial *t, const int shape[2]);
// The gap at q_k of a feature found later. The features of bodies that turn or pass each other may
// overlap at q_k while the shapes are `least` apart
double candidate_later_gap(double g, double least);

// adds the contact of a feature found at q'
pcs_status candidates_add_contact(const trial *t, const int shape[2], const pcs_feature *f,
                                  pcs_arena *mem, candidates *list);
// gap and rows of contact i; at: zeroed, or the poses of the contact before it
pcs_status candidate_place(const trial *t, int i, feature_pose at[2], pcs_arena mem);
// velocities at the start, and the impulses of the last step
void candidate_complete(const trial *t, candidate *c, const bodies_block *k, int *hint);

// Turns the moments of contact i, placed at its meeting at the poses q1 and q2, with the axes of
// bodies of revolution to q_k
pcs_status revolution_meeting(const trial *t, int i, const double q1[7], const double q2[7],
                              pcs_arena *mem);
// The same at q_k for contact i: the normal of a feature of another pose, or of a point of a cap
// that is tilted on what it meets, misses the axis
pcs_status revolution_level(const trial *t, int i, pcs_arena *mem);
// those of caps found at the start, from place `first` on, that are apart. Closed ones rest, where
// these moments balance: they keep their levers
pcs_status revolution_level_caps(const trial *t, int first, pcs_arena *mem);

#endif
