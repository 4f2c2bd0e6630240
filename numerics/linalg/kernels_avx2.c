// Inner loops for registers of four numbers; built with -mavx2.
#define WIDE(name) name##_avx2
#include "linalg/kernels_lanes.h"
