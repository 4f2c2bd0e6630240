// Inner loops for the registers that every machine has.
#define WIDE(name) name##_plain
#include "linalg/kernels_lanes.h"
