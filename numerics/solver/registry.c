// The solver table: one line per solver, in the order of pcs_solver.
#include <string.h>

#include "solver/solver.h"

static const solver_class *const table[] = {
    &solver_auto,   &solver_direct,        &solver_enum,   &solver_lemke,    &solver_nsgs,
    &solver_newton, &solver_prox,          &solver_ipm,    &solver_homotopy, &solver_admm,
    &solver_apgd,   &solver_extragradient, &solver_tresca, &solver_aclm,
};

#define COUNT ((int)(sizeof table / sizeof *table))

const char *pcs_outcome_text(pcs_outcome outcome)
{
    switch (outcome) {
        PCS_OUTCOME_LIST(TEXT_CASE)
    }
    return "unknown outcome";
}

const solver_class *solver_class_of(pcs_solver kind)
{
    for (int i = 0; i < COUNT; ++i) {
        if (table[i]->info.kind == kind) return table[i];
    }
    return NULL;
}

pcs_solver_opts pcs_solver_opts_default(pcs_solver kind)
{
    const solver_class *c = solver_class_of(kind);
    return c ? c->defaults : solver_auto.defaults;
}

int pcs_solver_count(void)
{
    return COUNT;
}

const pcs_solver_info *pcs_solver_at(int i)
{
    return i >= 0 && i < COUNT ? &table[i]->info : NULL;
}

const pcs_solver_info *pcs_solver_find(const char *name)
{
    for (int i = 0; name && i < COUNT; ++i) {
        if (strcmp(table[i]->info.name, name) == 0) return &table[i]->info;
    }
    return NULL;
}
