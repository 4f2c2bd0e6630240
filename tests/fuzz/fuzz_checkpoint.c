// libFuzzer target: a good checkpoint with any bytes changed, cut or added is read or refused with
// a sentence, and a state that was read can be stepped. The input is a length and a list of changes
// of ten bytes: the place, and eight bytes. Both checksums are made right again, since they would
// refuse nearly everything. fuzz_problem_file.c says how to build and run it; no seeds are needed.
// Its files are in the current folder.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <percuss/checkpoint.h>
#include <percuss/save.h>
#include <percuss/step.h>

#include "base/hash.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define GOOD "fuzz_checkpoint_good"
#define BAD  "fuzz_checkpoint_bad"

enum { ROOM = 1 << 16, CHECKSUM = 16 }; // place of the checksum, in the file and in the state

static pcs_model *model;
static pcs_state *state;
static pcs_work *work;
static unsigned char good[ROOM];
static size_t good_size, head_size; // the state follows the head of the file

static void must(bool holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", what, pcs_error_text());
    abort();
}

// two boxes rest on each other
static void make_good(void)
{
    const pcs_shape ground = pcs_shape_half_space((double[]){0, 0, 1}, 0),
                    box = pcs_shape_box(0.2, 0.2, 0.2);
    pcs_body_def def = pcs_body_def_default();
    bool holds = pcs_model_create(NULL, &model) == PCS_OK &&
                 pcs_model_add_shape(model, (pcs_system){0}, &ground, (pcs_material){0}) == PCS_OK;
    for (int i = 0; i < 2; ++i) {
        def.position[2] = 0.1 + 0.2 * i;
        holds = holds &&
                pcs_model_add_solid(model, &def, 1, &box, 1000, (pcs_material){0}, NULL) == PCS_OK;
    }
    holds = holds && pcs_state_create(model, &state) == PCS_OK &&
            pcs_work_create(model, &work) == PCS_OK &&
            pcs_run(model, state, work, 0.01, 0.1, NULL, NULL, NULL) == PCS_OK &&
            pcs_checkpoint_write(GOOD, model, state, 10) == PCS_OK;
    must(holds, "the good checkpoint");
    FILE *f = fopen(GOOD, "rb");
    if (f) good_size = fread(good, 1, ROOM, f);
    if (f) fclose(f);
    head_size = good_size - pcs_state_save_bytes(state);
    must(good_size > head_size && good_size < ROOM, "the size of the good checkpoint");
}

static void repair(unsigned char *bytes, size_t size)
{
    if (size < CHECKSUM + sizeof(uint64_t)) return;
    memset(bytes + CHECKSUM, 0, sizeof(uint64_t));
    const uint64_t sum = hash_bytes(HASH_START, bytes, size);
    memcpy(bytes + CHECKSUM, &sum, sizeof sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned char bad[ROOM];
    if (good_size == 0) make_good();
    memset(bad, 0, sizeof bad);
    memcpy(bad, good, good_size);
    const bool other = size >= 2 && data[1] % 2 == 1;
    const size_t length = other ? good_size + 128 - data[0] : good_size;
    for (size_t at = 2; at + 10 <= size; at += 10) {
        memcpy(bad + (data[at] + 256u * data[at + 1]) % good_size, data + at + 2, 8);
    }
    if (length > head_size) repair(bad + head_size, length - head_size);
    repair(bad, length);
    FILE *f = fopen(BAD, "wb");
    if (!f || fwrite(bad, 1, length, f) != length) abort();
    fclose(f);

    pcs_checkpoint_info info;
    const unsigned long long before = pcs_state_hash(state);
    if (pcs_checkpoint_read(BAD, model, state, &info) != PCS_OK) {
        must(pcs_error_text()[0] != '\0', "an error without a sentence");
        must(pcs_state_hash(state) == before, "an error that changed the state");
        return 0;
    }
    if (pcs_step(model, state, work, 0.01, NULL) != PCS_OK) {
        must(pcs_error_text()[0] != '\0', "a step without a sentence");
    }
    return 0;
}
