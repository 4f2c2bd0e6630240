// The frame of an example.
#include "example.h"

#include "args.h"

int example_run(example_body *body, const void *settings, const char *path, const char *header)
{
    csv out;
    if (!csv_open(&out, path, header)) return 2;
    checks c = {.quiet = true};
    const pcs_status status = body(settings, &out, &c);
    if (status != PCS_OK) {
        csv_drop(&out);
        return say_error(args_program(), status);
    }
    if (!csv_close(&out)) return 2;
    return checks_end(&c);
}
