// See output.h.
#include "command/output.h"

#include "command/command.h"

bool output_open(output *o, const char *path)
{
    *o = (output){0};
    if (new_file_begin(path, &o->file) != PCS_OK) {
        complain("%s; choose another place", pcs_error_text());
        o->file.f = NULL;
        return false;
    }
    o->f = o->file.f;
    return true;
}

bool output_possible(const char *path)
{
    output o;
    if (!path) return true;
    if (!output_open(&o, path)) return false;
    output_abandon(&o);
    return true;
}

void output_abandon(output *o)
{
    (void)!new_file_end(&o->file, false);
    o->f = NULL;
}

bool output_commit(output *o)
{
    const pcs_status status = new_file_end(&o->file, true);
    if (status != PCS_OK) complain("%s; choose another place", pcs_error_text());
    o->f = NULL;
    return status == PCS_OK;
}
