// Writing problem files.
#include <percuss/problem_file.h>

#include "base/base.h"

pcs_status pcs_problem_file_write(const pcs_env *env, const char *path, pcs_file_format format,
                                  const pcs_file_content *content)
{
    (void)env;
    if (!path || !content) {
        return pcs_fail(PCS_ERR_ARG, "pcs_problem_file_write: an argument is null");
    }
    return pcs_fail(PCS_ERR_UNSUPPORTED, "%.200s: writing the format %s is not there yet", path,
                    pcs_file_format_text(format));
}
