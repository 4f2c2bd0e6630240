// Not there yet.
#include "export/export_job.h"

#include "base/base.h"

pcs_status export_gltf(const export_job *job)
{
    return pcs_fail(PCS_ERR_ARG, "%s: percuss does not write this format yet", job->path);
}
