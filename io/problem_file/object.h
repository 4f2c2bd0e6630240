// The private part of a file object.
#ifndef PROBLEM_FILE_OBJECT_H
#define PROBLEM_FILE_OBJECT_H

#include <percuss/bodies.h>
#include <percuss/problem_file.h>

#include "problem_file/pool.h"

struct pcs_file_memory {
    pcs_pool pool; // the memory of everything borrowed, of this struct and of the object itself
    pcs_global_problem global;
    pcs_bodies_problem bodies;
    pcs_mass_matrix *mass; // mass of the global problem, or null
    pcs_arena arena;       // memory of the condensed or the compressed problem
    pcs_arena converted;   // memory of the global form of a problem of bodies
    bool has_local, has_global;
};

// an object with the kind only; release with pcs_problem_file_destroy
pcs_status object_begin(const pcs_env *env, pcs_problem_file **out);

// makes a form of the problem of a file in an arena of its object, which grows until it is large
// enough
typedef pcs_status object_make(pcs_problem_file *file, pcs_arena *arena);
pcs_status object_grow(pcs_problem_file *file, object_make *make, pcs_arena *arena);

// an object_make: pcs_problem_compress
pcs_status object_compress(pcs_problem_file *file, pcs_arena *arena);

#endif
