// Scene files of any bytes: they are read or refused with a sentence, and a scene that was read can
// be written and read again.
#include <percuss/parts.h>
#include <percuss/scene.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/base.h>

// generators make large scenes of few bytes: the memory limit ends them
enum { MOST = 50000000 };

static size_t taken;

static void *limited(size_t bytes, void *user)
{
    (void)user;
    taken += bytes;
    return taken > MOST ? NULL : malloc(bytes);
}

static void give_back(void *pointer, void *user)
{
    (void)user;
    free(pointer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const pcs_env env = {.alloc = limited, .release = give_back};
    pcs_scene *scene;
    taken = 0;
    if (pcs_scene_parse(&env, (const char *)data, size, "fuzz", &scene) != PCS_OK) {
        if (pcs_error_text()[0] == '\0') abort();
        return 0;
    }
    taken = 0;
    if (pcs_scene_write(scene, "/dev/null") != PCS_OK && taken <= MOST) abort();
    pcs_scene_destroy(scene);
    return 0;
}
