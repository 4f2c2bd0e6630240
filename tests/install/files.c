// Writes one contact in the layout of FCLIB and reads it back, with the installed headers.
#include <stdio.h>

#include <percuss/percuss.h>

int main(void)
{
    int part[2] = {0, 3}, ptr[2] = {0, 1}, idx = 0;
    size_t off = 0;
    double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double q[3] = {-1, 0.5, 0};
    const pcs_block contact = {.cone = PCS_CONE_COULOMB, .row = 0, .dim = 3, .mu = 0.3};
    const pcs_problem p = {
        .n = 3, .nb = 1, .block = &contact, .W = {1, 1, part, part, ptr, &idx, &off, W}, .q = q};

    const pcs_file_content content = {.problem = &p};
    const char *path = "one_contact.hdf5";
    pcs_problem_file *file = NULL;
    if (pcs_problem_file_write(NULL, path, PCS_FILE_FORMAT_BY_NAME, &content) != PCS_OK ||
        pcs_problem_file_read(NULL, path, PCS_FILE_ANY, &file) != PCS_OK) {
        fprintf(stderr, "%s\n", pcs_error_text());
        return 1;
    }
    const int good = file->contacts == 1 && file->problem.q[1] == 0.5;
    pcs_problem_file_destroy(file);
    return good ? 0 : 1;
}
