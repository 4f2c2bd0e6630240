// Problem files: the bytes, the kind, and the reader of that kind.
#include <percuss/problem_file.h>

#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/bytes.h"
#include "problem_file/complementarity.h"
#include "problem_file/fclib.h"
#include "problem_file/friction.h"
#include "problem_file/hdf5.h"
#include "problem_file/native.h"
#include "problem_file/object.h"

// the possible kinds of a text by its first numbers; `recognise` decides between those with
// friction
static bool fits(const text *t, pcs_file_kind kind)
{
    switch (kind) {
    case PCS_FILE_LCP:
        return lcp_fits(t);
    case PCS_FILE_MLCP:
        return mlcp_fits(t);
    case PCS_FILE_FC3D:
        return friction_fits(t, 3);
    case PCS_FILE_FC2D:
        return friction_fits(t, 2);
    case PCS_FILE_GFC3D:
        return global_fits(t, 3) && !friction_fits(t, 3);
    case PCS_FILE_GFC2D:
        return global_fits(t, 2) && !friction_fits(t, 2);
    default:
        return false;
    }
}

static pcs_status fail_unknown(const text *t)
{
    long long x[5];
    if (text_at_end(t)) return text_fail(t, PCS_ERR_FORMAT, "the file is empty");
    if (text_peek_ints(t, 5, x) == 5 && x[0] == 5 && x[2] >= 0 && x[2] <= 2 && x[3] == x[4]) {
        return text_fail(t, PCS_ERR_UNSUPPORTED,
                         "this looks like rolling friction (dimension 5), which percuss does not"
                         " solve");
    }
    return text_fail(t, PCS_ERR_FORMAT,
                     "its first numbers fit neither an LCP (n, type, n, n)"
                     " nor an MLCP (st1, st2, n, m, 0)"
                     " nor a friction problem (2 or 3, nc, type, rows, rows)");
}

// The kind by the first numbers. A friction problem with as many velocities as rows begins in the
// same way in both forms; then the numbers after the first matrix decide, in *global.
static pcs_status recognise(const pcs_env *env, const text *t, pcs_file_kind *out, bool *global)
{
    pcs_file_kind found = PCS_FILE_ANY;
    *global = false;
    for (pcs_file_kind kind = PCS_FILE_LCP; kind <= PCS_FILE_GFC2D; ++kind) {
        if (!fits(t, kind)) continue;
        if (found != PCS_FILE_ANY) {
            return text_fail(t, PCS_ERR_FORMAT,
                             "its first numbers fit the kinds %s and %s; say which of them it is",
                             pcs_file_kind_text(found), pcs_file_kind_text(kind));
        }
        found = kind;
    }
    if (found == PCS_FILE_ANY) return fail_unknown(t);
    if (found == PCS_FILE_FC3D || found == PCS_FILE_FC2D) {
        pcs_pool scratch = pool_begin(env);
        const pcs_status status =
            global_follows(t, found == PCS_FILE_FC3D ? 3 : 2, &scratch, global);
        pool_release(&scratch);
        PCS_TRY(status);
    }
    *out = found;
    return PCS_OK;
}

static pcs_status read_kind(text *t, pcs_pool *keep, pcs_pool *scratch, pcs_problem_file *file)
{
    switch (file->kind) {
    case PCS_FILE_LCP:
        return lcp_read(t, keep, scratch, file);
    case PCS_FILE_MLCP:
        return mlcp_read(t, keep, scratch, file);
    case PCS_FILE_FC3D:
    case PCS_FILE_FC2D:
        return friction_read(t, keep, scratch, file);
    case PCS_FILE_GFC3D:
    case PCS_FILE_GFC2D:
        return global_read(t, keep, scratch, file);
    default:
        return pcs_fail(PCS_ERR_ARG, "problem file: a .dat file cannot be of kind %d (%s)",
                        (int)file->kind, pcs_file_kind_text(file->kind));
    }
}

static pcs_status read_format(text *t, pcs_pool *scratch, pcs_problem_file *file)
{
    switch (file->format) {
    case PCS_FILE_FORMAT_FCLIB:
        return fclib_read(t->name, t->begin, (size_t)(t->end - t->begin), scratch, file);
    case PCS_FILE_FORMAT_TEXT:
        return native_read(t, scratch, file);
    default:
        return read_kind(t, &file->memory->pool, scratch, file);
    }
}

// Compresses a dense W of contacts, most of which are not coupled, to blocks of contacts. `storage`
// still has the form of the file.
static pcs_status compress(pcs_problem_file *file)
{
    if (file->global || file->contacts == 0 || file->storage != PCS_FILE_STORAGE_DENSE)
        return PCS_OK;
    return object_grow(file, object_compress, &file->memory->arena);
}

// reads into a new object; null after a failure
static pcs_status read_into(const pcs_env *env, text *t, pcs_file_format format, pcs_file_kind kind,
                            bool recognised, pcs_problem_file **out)
{
    pcs_problem_file *file = NULL;
    *out = NULL;
    PCS_TRY(object_begin(env, &file));
    file->kind = kind;
    file->recognised = recognised;
    file->format = format;

    pcs_pool scratch = pool_begin(env);
    pcs_status status = read_format(t, &scratch, file);
    pool_release(&scratch);
    if (status == PCS_OK) status = compress(file);
    if (status == PCS_OK && kind != PCS_FILE_ANY && file->kind != kind) {
        status = fail_named(t->name, PCS_ERR_FORMAT, "the file is of kind %s, not %s",
                            pcs_file_kind_text(file->kind), pcs_file_kind_text(kind));
    }
    if (status != PCS_OK) {
        pcs_problem_file_destroy(file);
        return status;
    }
    if (!file->global && !file->bodies) file->rows = file->problem.n;
    *out = file;
    return PCS_OK;
}

// A local problem whose matrix has the wrong size is taken for a global one: the sentence of the
// failure should say so.
static pcs_status explain(const text *t, pcs_file_kind kind, pcs_status status)
{
    long long x[4];
    const bool global = kind == PCS_FILE_GFC3D || kind == PCS_FILE_GFC2D;
    const bool malformed = status == PCS_ERR_FORMAT || status == PCS_ERR_SIZE;
    if (!global || !malformed || text_peek_ints(t, 4, x) < 4) return status;
    char words[400];
    snprintf(words, sizeof words, "%s", pcs_error_text());
    return pcs_fail(status,
                    "%s (read as a global problem, since W of a local one with %lld contacts has "
                    "%lld rows, not %lld)",
                    words, x[1], x[0] * x[1], x[3]);
}

static pcs_status parse_dat(const pcs_env *env, text t, pcs_file_kind kind, pcs_problem_file **out)
{
    if (kind != PCS_FILE_ANY) return read_into(env, &t, PCS_FILE_FORMAT_DAT, kind, false, out);

    bool global;
    PCS_TRY(recognise(env, &t, &kind, &global));
    if (global) {
        // q of a local problem may look like the header of a matrix: then the global form fails
        text probe = t;
        const pcs_file_kind other = kind == PCS_FILE_FC3D ? PCS_FILE_GFC3D : PCS_FILE_GFC2D;
        const pcs_status status = read_into(env, &probe, PCS_FILE_FORMAT_DAT, other, true, out);
        if (status != PCS_ERR_FORMAT && status != PCS_ERR_SIZE) return status;
    }
    text rest = t;
    const pcs_status status = read_into(env, &rest, PCS_FILE_FORMAT_DAT, kind, true, out);
    return status == PCS_OK ? status : explain(&t, kind, status);
}

pcs_status pcs_problem_file_parse(const pcs_env *env, const char *bytes, size_t size,
                                  const char *name, pcs_file_kind kind, pcs_problem_file **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "problem file: out is null");
    *out = NULL;
    if (!bytes && size > 0) return pcs_fail(PCS_ERR_ARG, "problem file: the text is null");
    text t = text_begin(name ? name : "text", bytes ? bytes : "", size);
    if (h5_fits(t.begin, size)) return read_into(env, &t, PCS_FILE_FORMAT_FCLIB, kind, false, out);
    if (native_fits(&t)) return read_into(env, &t, PCS_FILE_FORMAT_TEXT, kind, false, out);
    return parse_dat(env, t, kind, out);
}

// ---- files -------------------------------------------------------------------------------------

// true when the bytes can be the beginning of a problem file: HDF5, or a text, which has no byte
// that is zero
static pcs_status check_bytes(const char *path, const char *bytes, size_t from, size_t size)
{
    if (!h5_fits(bytes, size) && memchr(bytes + from, 0, size - from)) {
        return fail_named(path, PCS_ERR_FORMAT,
                          "this is neither an HDF5 file nor a text: it has"
                          " bytes that are zero");
    }
    return PCS_OK;
}

pcs_status pcs_problem_file_read(const pcs_env *env, const char *path, pcs_file_kind kind,
                                 pcs_problem_file **out)
{
    if (!out) return pcs_fail(PCS_ERR_ARG, "problem file: out is null");
    *out = NULL;
    if (!path) return pcs_fail(PCS_ERR_ARG, "problem file: the path is null");

    char *bytes;
    size_t size;
    pcs_status status = bytes_load(env, path, check_bytes, &bytes, &size);
    if (status == PCS_OK) status = pcs_problem_file_parse(env, bytes, size, path, kind, out);
    pcs_env_free(env, bytes);
    return status;
}
