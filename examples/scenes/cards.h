// Cards that lean against each other in pairs, storey on storey.
#ifndef EXAMPLES_SCENES_CARDS_H
#define EXAMPLES_SCENES_CARDS_H

#include <percuss/kernel.h>

typedef struct cards_def {
    double size[3];      // of a card: length, width, thickness, m
    double mass;         // kg
    double lean;         // from the vertical, rad
    int storeys;         // 1: two cards
    double mu_floor, mu; // friction on the floor and between cards, where the smaller
                         // of two counts
} cards_def;

// three storeys that stand
cards_def cards_default(void);

// the least friction of the floor with which two cards stand that do not slip on each other
double cards_least_friction(const cards_def *def);

// Adds the floor and the cards.
pcs_status cards_build(const cards_def *def, pcs_model *model);

// height of the highest centre, m
double cards_top(const pcs_model *model, const pcs_state *state);

#endif
