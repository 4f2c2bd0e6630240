// The law between two materials of a model.
#ifndef LAWS_LAW_H
#define LAWS_LAW_H

#include "model/model.h"

// The laws that the rule has returned, so that the contacts of a step call it about once for a pair
// of materials: the place of a pair follows from its numbers, and a later pair replaces it.
enum { LAW_PLACES = 32 };
typedef struct law_cache {
    struct law_place {
        int material1, material2; // each plus one; 0: empty
        pcs_law law;
    } place[LAW_PLACES];
} law_cache;

// the law given for the pair, else that of the model's rule; PCS_ERR_CALLBACK when that is no
// contact law. The cache starts as zeros; it may be null where law_is_asked is false
pcs_status law_between(const pcs_model *m, law_cache *cache, int material1, int material2,
                       pcs_law *out);

// true when the model has a rule or laws of pairs, whose results the cache keeps
static inline bool law_is_asked(const pcs_model *m)
{
    return m->combine || m->n_pair_laws > 0;
}

// true when a contact may have the law: not an equality, numbers in range
bool law_is_of_contact(const pcs_law *law);

// the law given for a pair of materials, in either order, or null
const pcs_law *pair_law_of(const pcs_model *m, int material1, int material2);

// true for the laws of contact, whose rows open and close
static inline bool law_is_unilateral(const pcs_law *law)
{
    return law->kind == PCS_LAW_NEWTON_IMPACT || law->kind == PCS_LAW_NEWTON_COULOMB;
}

// true when the law makes a Coulomb block: with mu = 0 it is Newton impact, one row
bool law_has_friction(const pcs_law *law);

#endif
