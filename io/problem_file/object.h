// What a file object keeps beside the problem.
#ifndef PROBLEM_FILE_OBJECT_H
#define PROBLEM_FILE_OBJECT_H

#include <percuss/problem_file.h>

#include "problem_file/pool.h"

struct pcs_file_memory {
    pcs_pool pool; // all that is borrowed, this struct and the object itself
    pcs_global_problem global;
    pcs_mass *mass;  // of the global problem, or null
    pcs_arena arena; // the condensed problem
    int condensed;
};

// an object with the kind and nothing else; release with pcs_problem_file_destroy
pcs_status object_begin(const pcs_env *env, pcs_problem_file **out);

#endif
