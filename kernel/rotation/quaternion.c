// Quaternions and the map T(q): products, rotation, exponential (theory 1 and 2).
#include <percuss/rotation.h>

#include "base/base.h"
#include "linalg/m3.h"

void pcs_quat_mul(const double A[4], const double B[4], double C[4])
{
    C[0] = A[0] * B[0] - A[1] * B[1] - A[2] * B[2] - A[3] * B[3];
    C[1] = A[0] * B[1] + A[1] * B[0] + A[2] * B[3] - A[3] * B[2];
    C[2] = A[0] * B[2] + A[2] * B[0] + A[3] * B[1] - A[1] * B[3];
    C[3] = A[0] * B[3] + A[3] * B[0] + A[1] * B[2] - A[2] * B[1];
}
