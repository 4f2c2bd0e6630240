// Packs for the registers that every machine has.
#define PACKS(name) packs_##name##_plain
#include "bodies/packs_wide.h"

#include "bodies/packs_lanes.h"

#include "bodies/packs_round.h"
