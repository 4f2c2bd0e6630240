// Ranks on a face, and the uniqueness that they prove.
#ifndef CERTIFICATE_UNIQUE_H
#define CERTIFICATE_UNIQUE_H

#include "certificate/face.h"

// arena bytes of unique_judge for n rows
size_t unique_bytes(int n);

// Fills rank, r and u of *out. false: the arena is too small, or W is not finite
bool unique_judge(const face *f, pcs_arena work, pcs_certificate *out);

#endif
