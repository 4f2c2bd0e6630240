// The opaque part of a state: the impulse of every contact of the last step, by key, for warm
// starts and for the hysteresis of the activation; and the accuracy of the velocities.
#ifndef STATE_STATE_H
#define STATE_STATE_H

#include <stdint.h>

#include "base/base.h"
#include <percuss/save.h>

// the identity of a contact from step to step: the two shapes and the feature, or the interaction
// (shape1 = -1) and the row
typedef struct contact_key {
    int shape1, shape2;
    unsigned feature;
} contact_key;

typedef struct remembered {
    contact_key key;
    int active;  // 1 + the number of steps that its island has been at rest, or one of these
    double r[3]; // impulse; with these the force
} remembered;

// Numbers of steps at rest up to RESTS_MOST are counted. The others are contacts of islands that
// sleep, and of those that the user has woken (rest.c)
enum { RESTS_MOST = 1 << 20, RESTS_WOKEN = 1 << 21, RESTS_PROVEN = 1 << 22 };

// the accuracy of velocities of a state decreases by no more in a step
#define REST_DECAY 0.75

typedef struct pcs_memory {
    pcs_env env;
    remembered *contact; // n, sorted by key
    int n, cap;
    int broken;          // records of broken interactions among them
    double velocity_tol; // m/s: the accuracy of the velocities of the last steps (commit.c)
    double kappa; // with which the finish of the last steps ended without a failure (doc/finish.md);
                  // 0: none
    uint64_t stamp;      // another one after each change of the contacts; not saved
} pcs_memory;

// compares by the smaller and the larger of the shapes, which is the order in which pairs are
// found: < 0, 0, > 0
int contact_key_compare(const contact_key *a, const contact_key *b);

// the remembered contact of a key, or null; the search starts after *hint, the place of the
// previous one
const remembered *state_recall(const pcs_state *st, contact_key key, int *hint);

// The record of a broken interaction has this row
#define STATE_BROKEN (~0u)
static inline contact_key broken_key(int interaction)
{
    return (contact_key){-1, interaction, STATE_BROKEN};
}
static inline bool is_broken_key(const contact_key *key)
{
    return key->shape1 == -1 && key->feature == STATE_BROKEN;
}
// true when an interaction (an index) is broken
bool state_is_broken(const pcs_state *st, int interaction);
// true when it acts: it is enabled, and neither it nor the joint that it belongs to is broken
bool state_acts(const struct pcs_model *m, const pcs_state *st, int interaction);

// true when any contact of the two shapes of a key, or the row itself of an interaction, is
// remembered
bool state_recalls_pair(const pcs_state *st, contact_key key);
// true when a contact of this pair of shapes had an impulse
bool state_pressed_pair(const pcs_state *st, contact_key key);

// gives the memory a new stamp
void state_touch(pcs_state *st);

// memory for n remembered contacts: the only part of a commit that can fail
pcs_status state_reserve(pcs_state *st, int n);

#endif
