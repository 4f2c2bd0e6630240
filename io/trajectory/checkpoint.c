// Checkpoints: a head with model and version, then the bytes of pcs_state_save.
#include <percuss/checkpoint.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include <percuss/parts.h>
#include <percuss/save.h>

#include "base/base.h"
#include "base/hash.h"
#include "problem_file/assemble.h"
#include "problem_file/bytes.h"
#include "problem_file/new_file.h"
#include "problem_file/sink.h"

// Without padding. The last digit of the magic is the version of this layout. The checksum is that
// of all bytes, itself counted as zero.
typedef struct head {
    char magic[8];
    uint64_t size, checksum, model_hash, hash;
    int64_t steps;
    double t;
    int32_t nq, nv;
    char version[24];
} head;

// a continued run adds its steps to those of the checkpoint
#define MOST_STEPS (LONG_MAX / 2)

static const char magic[8] = {'p', 'c', 's', 'c', 'k', 'p', 't', '1'};

static uint64_t sum_of(head h, const char *bytes)
{
    h.checksum = 0;
    return hash_bytes(hash_bytes(HASH_START, &h, sizeof h), bytes + sizeof h, h.size - sizeof h);
}

pcs_status pcs_checkpoint_write(const char *path, const pcs_model *m, const pcs_state *state,
                                long steps)
{
    if (!path || !m || !state) {
        return pcs_fail(PCS_ERR_ARG, "pcs_checkpoint_write: an argument is null");
    }
    if (steps < 0 || steps > MOST_STEPS) {
        return pcs_fail(PCS_ERR_ARG, "pcs_checkpoint_write: steps is %ld; it must be from 0 to %ld",
                        steps, MOST_STEPS);
    }
    if (state->nq != pcs_model_nq(m) || state->nv != pcs_model_nv(m)) {
        return pcs_fail(PCS_ERR_SIZE,
                        "pcs_checkpoint_write: the state has %d coordinates and the model %d; extend"
                        " the state (pcs_state_extend) after the last system is added",
                        state->nq, pcs_model_nq(m));
    }
    const size_t size = sizeof(head) + pcs_state_save_bytes(state);
    char *bytes = pcs_env_alloc(NULL, size, 1);
    if (!bytes) return pcs_fail_memory("pcs_checkpoint_write");
    head h = {.size = size,
              .model_hash = pcs_model_hash(m),
              .hash = pcs_state_hash(state),
              .steps = steps,
              .t = state->t,
              .nq = state->nq,
              .nv = state->nv};
    memcpy(h.magic, magic, sizeof magic);
    snprintf(h.version, sizeof h.version, "%s", pcs_version());
    pcs_state_save(state, bytes + sizeof h);
    h.checksum = sum_of(h, bytes);
    memcpy(bytes, &h, sizeof h);
    const pcs_status status = store(path, bytes, size);
    pcs_env_free(NULL, bytes);
    return status;
}

static pcs_status check(const char *path, const head *h, const char *bytes, size_t size)
{
    if (size < sizeof *h || memcmp(h->magic, magic, sizeof magic - 1) != 0) {
        return fail_named(path, PCS_ERR_FORMAT, "it is not a checkpoint of percuss");
    }
    if (h->magic[7] != magic[7]) {
        return fail_named(path, PCS_ERR_FORMAT,
                          "it is a checkpoint in another version of the layout than %c", magic[7]);
    }
    if (h->size != size) {
        return fail_named(path, PCS_ERR_FORMAT, "it has %zu bytes; %llu were written", size,
                          (unsigned long long)h->size);
    }
    if (h->checksum != sum_of(*h, bytes)) {
        return fail_named(path, PCS_ERR_FORMAT,
                          "the checksum does not match: it has changed since it was written");
    }
    if (h->steps < 0 || h->steps > MOST_STEPS) {
        return fail_named(path, PCS_ERR_FORMAT, "it counts %lld steps, which is impossible",
                          (long long)h->steps);
    }
    return PCS_OK;
}

// the bytes of a file that is a sound checkpoint, and its head
static pcs_status read_file(const char *path, char **out, head *h)
{
    FILE *f;
    size_t size;
    *out = NULL;
    PCS_TRY(bytes_open_regular(path, &f, &size));
    char *bytes = pcs_env_alloc(NULL, size + sizeof *h, 1);
    pcs_status status = bytes ? PCS_OK : pcs_fail_memory("pcs_checkpoint_read");
    errno = 0;
    if (status == PCS_OK && fread(bytes, 1, size, f) != size) {
        status = fail_named(path, PCS_ERR_FILE, "it cannot be read: %s", strerror(errno));
    }
    fclose(f);
    if (status == PCS_OK) {
        memcpy(h, bytes, sizeof *h);
        status = check(path, h, bytes, size);
    }
    if (status == PCS_OK) {
        *out = bytes;
    } else {
        pcs_env_free(NULL, bytes);
    }
    return status;
}

static void describe(const head *h, pcs_checkpoint_info *info)
{
    *info = (pcs_checkpoint_info){.t = h->t,
                                  .steps = (long)h->steps,
                                  .nq = h->nq,
                                  .nv = h->nv,
                                  .model_hash = h->model_hash,
                                  .hash = h->hash};
    memcpy(info->version, h->version, sizeof info->version);
    info->version[sizeof info->version - 1] = '\0';
}

static pcs_status check_owner(const char *path, const head *h, const pcs_model *m)
{
    if (strncmp(h->version, pcs_version(), sizeof h->version) != 0) {
        return fail_named(path, PCS_ERR_FORMAT,
                          "percuss %.23s wrote it; this is percuss %s, which may step with other "
                          "bits",
                          h->version, pcs_version());
    }
    const unsigned long long now = pcs_model_hash(m);
    if (h->model_hash == now) return PCS_OK;
    return fail_named(
        path, PCS_ERR_ARG,
        "it belongs to another model: its hash is %016llx, that of this model %016llx "
        "(scheme, gravity, disabled parts count, too)",
        (unsigned long long)h->model_hash, now);
}

pcs_status pcs_checkpoint_read(const char *path, const pcs_model *m, pcs_state *state,
                               pcs_checkpoint_info *info)
{
    if (!path || !m || !state) {
        return pcs_fail(PCS_ERR_ARG, "pcs_checkpoint_read: an argument is null");
    }
    head h;
    char *bytes;
    PCS_TRY(read_file(path, &bytes, &h));
    pcs_status status = check_owner(path, &h, m);
    if (status == PCS_OK) {
        status = pcs_state_load(state, bytes + sizeof h, h.size - sizeof h);
        status = pass_named(path, status);
    }
    pcs_env_free(NULL, bytes);
    if (status == PCS_OK && info) describe(&h, info);
    return status;
}

pcs_status pcs_checkpoint_read_info(const char *path, pcs_checkpoint_info *info)
{
    if (!path || !info)
        return pcs_fail(PCS_ERR_ARG, "pcs_checkpoint_read_info: an argument is null");
    head h;
    char *bytes;
    PCS_TRY(read_file(path, &bytes, &h));
    pcs_env_free(NULL, bytes);
    describe(&h, info);
    return PCS_OK;
}
