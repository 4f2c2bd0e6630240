// The problem file of doc/files.md: a file of tests/data, converted, is read, solved and written.
#include "frame.h"

#include <percuss/problem_file.h>

enum { ROWS_MAX = 64 };

static pcs_status convert(const char *from, const char *to)
{
    pcs_problem_file *file;
    PCS_TRY(pcs_problem_file_read(NULL, from, PCS_FILE_ANY, &file));
    const pcs_file_content content = {.problem = &file->problem};
    const pcs_status status = pcs_problem_file_write(NULL, to, PCS_FILE_FORMAT_BY_NAME, &content);
    pcs_problem_file_destroy(file);
    return status;
}

static pcs_status solve(void)
{
    double r[ROWS_MAX] = {0}, u[ROWS_MAX];
    pcs_report report;
#include "block_1.c"
    EXPECT(report.outcome == PCS_OUTCOME_CONVERGED);
    return PCS_OK;
}

int main(void)
{
    EXPECT(convert("tests/data/fc3d_dense.dat", "stack.hdf5") == PCS_OK);
    EXPECT(solve() == PCS_OK);
    pcs_problem_file *solved;
    EXPECT(pcs_problem_file_read(NULL, "solved.hdf5", PCS_FILE_ANY, &solved) == PCS_OK);
    EXPECT(solved->problem.n <= ROWS_MAX && solved->r != NULL);
    double u[ROWS_MAX];
    pcs_measure measure;
    pcs_problem_measure(&solved->problem, solved->r, u, &measure);
    EXPECT(measure.residual <= 1e-8);
    pcs_problem_file_destroy(solved);
    return 0;
}
