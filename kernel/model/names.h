// The names of the parts of a model, and the words that errors use for a part.
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <percuss/base.h>

struct pcs_model;

typedef enum part_kind {
    PART_SYSTEM,   // by id, 0 the world
    PART_SHAPE,    // by number
    PART_MATERIAL, // by id, 0 the default
    PART_INTERACTION,
    PART_FORCE,
    PART_KINDS
} part_kind;

// the names of one kind of part
typedef struct part_names {
    char **text; // by id, null when there is none; owned
    int cap;
    int *slot; // 1 + id, 0: free; a hash table with linear probing
    int n_slots, n;
} part_names;

void names_release(const pcs_env *env, part_names *names);

// the name of an existing part, "" when it has none
const char *part_name(const struct pcs_model *m, part_kind kind, int id);

// "body 3", or "body 3 'crate'" if it has a name; long names are cut. A shape without a name is
// "shape 7 of 'crate'" if its body has one. The sentence gives the kind: `what` is "body ", "shape
// ", or "" after "shapes "
enum { PART_WORDS = 72 };
const char *part_words(const struct pcs_model *m, part_kind kind, const char *what, int id,
                       char words[PART_WORDS]);

#endif
