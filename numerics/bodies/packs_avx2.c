// Packs for registers of four numbers; built with -mavx2.
#define PACKS(name) packs_##name##_avx2
#include "bodies/packs_wide.h"

#include "bodies/packs_lanes.h"

#include "bodies/packs_round.h"
