// The frame of an example.
#include "example.h"

#include "args.h"
#include "scenes/simulation.h"

#include <stdio.h>

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

static pcs_status hash_scene(simulation *s, int threads)
{
    PCS_TRY(simulation_run(s, threads, NULL, NULL));
    printf("%016llx\n", pcs_state_hash(s->state));
    return PCS_OK;
}

int example_run_scene(example_scene *build, example_body *body, const void *settings,
                      const run_settings *run, const char *header)
{
    if (!run->scene && !run->hash) return example_run(body, settings, run->csv, header);
    simulation s = {0};
    pcs_status status = build(settings, &s.scene);
    if (status == PCS_OK && run->scene) status = pcs_scene_write(s.scene, run->scene);
    if (status == PCS_OK && run->hash) status = hash_scene(&s, run->threads);
    simulation_close(&s);
    return status == PCS_OK ? 0 : say_error(args_program(), status);
}
