// The position problem of doc/projection.md: a ball of radius 0.1 m, 0.02 m deep in the floor.
#include "frame.h"

static pcs_status lift(void)
{
    enum { m = 1, nq = 7, n_quat = 1 };
    const pcs_cone kind[m] = {PCS_CONE_UNILATERAL};
    const double g[m] = {-0.02};
    double q[nq] = {0, 0, 0.08, 1, 0, 0, 0}, Lambda[m], dq[nq];
    const int quat[n_quat] = {3};
    double row[6] = {0, 0, 1, 0, 0, 0}, map[42] = {0}, inertia[36] = {0};
    for (int i = 0; i < 3; ++i) {
        map[i + 7 * i] = 1;
        map[4 + i + 7 * (3 + i)] = 0.5;
        inertia[i + 6 * i] = 2;
        inertia[3 + i + 6 * (3 + i)] = 0.008;
    }
    pcs_arena memory, work;
    PCS_TRY(pcs_arena_create(NULL, (size_t)1 << 16, &memory));
    PCS_TRY(pcs_arena_create(NULL, (size_t)1 << 16, &work));
    pcs_bsr CT, T;
    PCS_TRY(pcs_bsr_from_dense(1, 6, row, &memory, &CT));
    PCS_TRY(pcs_bsr_from_dense(7, 6, map, &memory, &T));
    pcs_mass_matrix *M;
    PCS_TRY(pcs_mass_matrix_create_blocks(NULL, 1, (int[]){6}, inertia, &M));
    pcs_report report;
#include "block_1.c"
    EXPECT(report.outcome == PCS_OUTCOME_CONVERGED);
    EXPECT(fabs(q[2] - 0.1) < 1e-12 && q[0] == 0 && q[3] == 1);
    pcs_mass_matrix_destroy(M);
    pcs_arena_destroy(NULL, &work);
    pcs_arena_destroy(NULL, &memory);
    return PCS_OK;
}

int main(void)
{
    return lift() != PCS_OK;
}
