// HDF5 files, as images in memory and on the disk. A file is not trusted: no link may refer to
// another file, data sets must have the type and the shape expected and cannot claim more than the
// image contains.
#define _POSIX_C_SOURCE 200809L // fileno
#include "problem_file/hdf5.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "problem_file/assemble.h"
#include "problem_file/bytes.h"

enum { LONGEST_PATH = 200, READ_ATTEMPTS = 10 };

// HDF5 needs a name for an image, and refuses that of an existing file; no file has this one
#define NO_FILE "/dev/null/percuss"

static pcs_status fail_path(const h5_file *f, const char *path, const char *what)
{
    return fail_named(f->name, PCS_ERR_FORMAT, "%s: %s", path, what);
}

static pcs_status fail_memory(void)
{
    return pcs_fail_memory("HDF5 file");
}

bool h5_fits(const char *bytes, size_t size)
{
    return size >= 8 && memcmp(bytes, "\x89HDF\r\n\x1a\n", 8) == 0;
}

// ---- the file ----------------------------------------------------------------------------------

typedef union printer {
    H5E_auto2_t call;
    void *pointer;
} printer;

static void silence(h5_file *f)
{
    printer p = {NULL};
    f->printer_data = NULL;
    H5Eget_auto2(H5E_DEFAULT, &p.call, &f->printer_data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    f->printer = p.pointer;
}

static void restore(const h5_file *f)
{
    const printer p = {.pointer = f->printer};
    H5Eset_auto2(H5E_DEFAULT, p.call, f->printer_data);
}

static void silence_for_good(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

// With a damaged file HDF5 may miscount its open objects, and would report it when the program
// ends: this function is registered after that of HDF5, so it runs before
static void silence_the_end(void)
{
    static atomic_flag registered = ATOMIC_FLAG_INIT; // the process has one list of such functions
    if (!atomic_flag_test_and_set(&registered)) atexit(silence_for_good);
}

// access to an image; closing the file closes all open objects in it
static hid_t image_access(const char *bytes, size_t size)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access < 0) return access;
    const bool good = H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
                      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
                      (size == 0 || H5Pset_file_image(access, (void *)(uintptr_t)bytes, size) >= 0);
    if (good) return access;
    H5Pclose(access);
    return H5I_INVALID_HID;
}

pcs_status h5_open(const char *name, const char *bytes, size_t size, h5_file *out)
{
    *out = (h5_file){.name = name, .size = size, .id = H5I_INVALID_HID};
    if (H5open() < 0) return pcs_fail_memory("HDF5");
    silence_the_end();
    silence(out);
    const hid_t access = image_access(bytes, size);
    if (access >= 0) {
        out->id = H5Fopen(NO_FILE, H5F_ACC_RDONLY, access);
        H5Pclose(access);
    }
    if (out->id >= 0) return PCS_OK;
    restore(out);
    if (access < 0) return fail_memory();
    return fail_named(name, PCS_ERR_FORMAT,
                      "it begins like an HDF5 file but cannot be opened as one; it may be cut");
}

static pcs_status create(const char *name, bool growing, h5_file *out)
{
    *out = (h5_file){.name = name, .id = H5I_INVALID_HID};
    if (H5open() < 0) return pcs_fail_memory("HDF5");
    silence(out);
    const hid_t access = image_access(NULL, 0);
    if (access >= 0 &&
        (!growing || H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0)) {
        out->id = H5Fcreate(NO_FILE, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    if (access >= 0) H5Pclose(access);
    if (out->id >= 0) return PCS_OK;
    restore(out);
    return fail_memory();
}

pcs_status h5_create(const char *name, h5_file *out)
{
    return create(name, false, out);
}

pcs_status h5_create_growing(const char *name, h5_file *out)
{
    return create(name, true, out);
}

pcs_status h5_open_growing(const char *path, const char *name, h5_file *out)
{
    *out = (h5_file){.name = name, .id = H5I_INVALID_HID};
    struct stat s;
    silence(out);
    errno = 0;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (access >= 0 && stat(path, &s) == 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_metadata_read_attempts(access, 1) >= 0 &&
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0) {
        out->id = H5Fopen(path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access);
        out->size = (size_t)s.st_size;
    }
    const int error = errno;
    if (access >= 0) H5Pclose(access);
    if (out->id >= 0) return PCS_OK;
    h5_close(out);
    return fail_named(name, PCS_ERR_FILE, "it cannot be written: %s; choose another place",
                      error ? strerror(error) : "HDF5 refuses it");
}

pcs_status h5_open_file(const char *path, h5_file *out)
{
    char head[8];
    FILE *f;
    size_t size;
    *out = (h5_file){.name = path, .id = H5I_INVALID_HID};
    PCS_TRY(bytes_open_regular(path, &f, &size));
    const bool fits = h5_fits(head, fread(head, 1, sizeof head, f));
    fclose(f);
    if (!fits) return fail_named(path, PCS_ERR_FORMAT, "it is not an HDF5 file");
    if (H5open() < 0) return pcs_fail_memory("HDF5");
    silence_the_end();
    silence(out);
    out->size = size;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    // a part that a writer has written only partly is read again, a few times
    if (access >= 0 && H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_metadata_read_attempts(access, READ_ATTEMPTS) >= 0) {
        // the first is for files that are being written, and refused for older formats
        out->id = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
        if (out->id < 0) out->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    }
    if (access >= 0) H5Pclose(access);
    if (out->id >= 0) return PCS_OK;
    h5_close(out);
    return fail_named(path, PCS_ERR_FORMAT,
                      "it begins like an HDF5 file but cannot be opened as one; it may be cut, or "
                      "being written by another process");
}

void h5_close(h5_file *f)
{
    if (f->id >= 0) H5Fclose(f->id);
    f->id = H5I_INVALID_HID;
    restore(f);
}

pcs_status h5_image(h5_file *f, sink *s)
{
    if (H5Fflush(f->id, H5F_SCOPE_GLOBAL) < 0) return fail_memory();
    const ssize_t size = H5Fget_file_image(f->id, NULL, 0);
    if (size <= 0) return fail_memory();
    char *bytes = pcs_env_alloc(s->env, (size_t)size, 1);
    if (!bytes) return fail_memory();
    if (H5Fget_file_image(f->id, bytes, (size_t)size) == size) {
        sink_bytes(s, bytes, (size_t)size);
    } else {
        s->failed = true;
    }
    pcs_env_free(s->env, bytes);
    return PCS_OK;
}

// ---- reading -----------------------------------------------------------------------------------

// every part of the path must be a hard link: other links lead to other files
bool h5_has(const h5_file *f, const char *path)
{
    char part[LONGEST_PATH];
    const size_t length = strlen(path);
    if (length >= sizeof part) return false;
    for (size_t n = 1; n <= length; ++n) {
        if (path[n] != '/' && path[n] != '\0') continue;
        memcpy(part, path, n);
        part[n] = '\0';
        H5L_info_t link;
        if (H5Lexists(f->id, part, H5P_DEFAULT) <= 0) return false;
        if (H5Lget_info(f->id, part, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
            return false;
        }
    }
    return true;
}

static pcs_status open_set(const h5_file *f, const char *path, hid_t *out)
{
    if (!h5_has(f, path)) return fail_path(f, path, "it is missing");
    *out = H5Dopen2(f->id, path, H5P_DEFAULT);
    return *out >= 0 ? PCS_OK : fail_path(f, path, "it is not a data set that can be read");
}

// 0 also for a set with chunks that are too large: HDF5 holds a whole chunk in memory
size_t h5_most_bytes(const h5_file *f, int64_t set, size_t type_size, h5_compressed compressed)
{
    const hid_t made = H5Dget_create_plist(set);
    if (made < 0) return 0;
    size_t most = 0;
    const H5D_layout_t layout = H5Pget_layout(made);
    if (layout == H5D_COMPACT) {
        // HDF5 1.10 copies as much as the shape claims, without a check of the source
        most = (size_t)H5Dget_storage_size(set);
        if (most > f->size) most = 0;
    } else if (layout == H5D_CONTIGUOUS) {
        most = H5Pget_external_count(made) == 0 ? f->size : 0;
    } else if (layout == H5D_CHUNKED) {
        hsize_t chunk[H5S_MAX_RANK];
        most = H5_WHOLE * f->size;
        size_t piece = type_size;
        const int rank = H5Pget_chunk(made, H5S_MAX_RANK, chunk);
        for (int i = 0; i < rank && most > 0; ++i) {
            if (piece > 0 && chunk[i] > most / piece) {
                most = 0;
            } else {
                piece *= (size_t)chunk[i];
            }
        }
        most = rank < 1 || most == 0 ? 0 : (size_t)compressed * f->size;
    }
    H5Pclose(made);
    return most;
}

// the length of a set of numbers of one class; a single number may have no dimension
static pcs_status measure(const h5_file *f, const char *path, hid_t set, H5T_class_t class,
                          int expected, int *n)
{
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const H5T_class_t found = type >= 0 ? H5Tget_class(type) : H5T_NO_CLASS;
    const size_t width = type >= 0 ? H5Tget_size(type) : 0;
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    const bool simple = space >= 0 && H5Sget_simple_extent_type(space) != H5S_NULL;
    const hssize_t count = simple ? H5Sget_simple_extent_npoints(space) : -1;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);

    if (found != class || width == 0 || width > 16) {
        return fail_path(f, path,
                         class == H5T_INTEGER ? "its numbers are not integers"
                                              : "its numbers are not reals");
    }
    if (!simple || rank > 1 || rank < 0 || count < 0) {
        return fail_path(f, path, "it must have one dimension");
    }
    if (count > INT_MAX) {
        return fail_named(f->name, PCS_ERR_SIZE, "%s: it has more numbers than an int can count",
                          path);
    }
    if (expected >= 0 && count != expected) {
        return fail_named(f->name, PCS_ERR_SIZE, "%s: it has %lld numbers; it must have %d", path,
                          (long long)count, expected);
    }
    if ((size_t)count > h5_most_bytes(f, set, width, H5_WHOLE) / width) {
        return fail_named(
            f->name, PCS_ERR_SIZE,
            "%s: it declares %lld numbers, more than the %zu bytes of the file can hold", path,
            (long long)count, f->size);
    }
    *n = (int)count;
    return PCS_OK;
}

static pcs_status read_array(const h5_file *f, const char *path, H5T_class_t class, int *n,
                             pcs_pool *pool, void **out)
{
    hid_t set = H5I_INVALID_HID;
    PCS_TRY(open_set(f, path, &set));
    const bool integer = class == H5T_INTEGER;
    pcs_status status = measure(f, path, set, class, *n, n);
    if (status == PCS_OK) {
        *out = pool_take_array(pool, (size_t)*n, integer ? sizeof(int) : sizeof(double));
        if (!*out) status = fail_memory();
    }
    const hid_t native = integer ? H5T_NATIVE_INT : H5T_NATIVE_DOUBLE;
    if (status == PCS_OK && *n > 0 &&
        H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, *out) < 0) {
        status = fail_path(f, path, "it cannot be read; the file may be cut or damaged");
    }
    H5Dclose(set);
    return status;
}

pcs_status h5_ints(const h5_file *f, const char *path, int *n, pcs_pool *pool, int **out)
{
    void *x = NULL;
    PCS_TRY(read_array(f, path, H5T_INTEGER, n, pool, &x));
    *out = x;
    return PCS_OK;
}

pcs_status h5_reals(const h5_file *f, const char *path, int *n, pcs_pool *pool, double **out)
{
    void *x = NULL;
    PCS_TRY(read_array(f, path, H5T_FLOAT, n, pool, &x));
    *out = x;
    for (int i = 0; i < *n; ++i) {
        if (isfinite((*out)[i])) continue;
        return fail_named(f->name, PCS_ERR_FORMAT, "%s: number %d is not finite", path, i);
    }
    return PCS_OK;
}

pcs_status h5_int(const h5_file *f, const char *path, int *out)
{
    pcs_pool pool = pool_begin(NULL);
    int n = 1, *x = NULL;
    const pcs_status status = h5_ints(f, path, &n, &pool, &x);
    if (status == PCS_OK) *out = x[0];
    pool_release(&pool);
    return status;
}

pcs_status h5_words(const h5_file *f, const char *path, pcs_pool *pool, const char **out)
{
    *out = NULL;
    if (!h5_has(f, path)) return PCS_OK;
    const hid_t set = H5Dopen2(f->id, path, H5P_DEFAULT);
    if (set < 0) return PCS_OK;
    const hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    const bool fixed = type >= 0 && space >= 0 && H5Tget_class(type) == H5T_STRING &&
                       H5Tis_variable_str(type) == 0 && H5Sget_simple_extent_npoints(space) == 1;
    const size_t size = fixed ? H5Tget_size(type) : 0;
    pcs_status status = PCS_OK;
    if (size > 0 && size <= h5_most_bytes(f, set, size, H5_WHOLE)) {
        char *words = POOL_TAKE(pool, size + 1, char);
        if (!words) status = fail_memory();
        if (words && H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, words) >= 0) *out = words;
    }
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Dclose(set);
    return status;
}

// ---- writing -----------------------------------------------------------------------------------

pcs_status h5_put_group(h5_file *f, const char *path)
{
    const hid_t group = H5Gcreate2(f->id, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group < 0) return fail_memory();
    H5Gclose(group);
    return PCS_OK;
}

static pcs_status put(h5_file *f, const char *path, hid_t type, hid_t memory, hid_t space,
                      const void *x)
{
    // stores no time of writing: the same problem gives the same bytes
    const hid_t plain = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    bool good = false;
    if (plain >= 0 && space >= 0 && H5Pset_obj_track_times(plain, 0) >= 0) {
        set = H5Dcreate2(f->id, path, type, space, H5P_DEFAULT, plain, H5P_DEFAULT);
    }
    if (set >= 0) {
        good = H5Sget_simple_extent_npoints(space) == 0 ||
               H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
        H5Dclose(set);
    }
    if (plain >= 0) H5Pclose(plain);
    if (space >= 0) H5Sclose(space);
    return good ? PCS_OK : fail_memory();
}

pcs_status h5_put_ints(h5_file *f, const char *path, size_t n, const int *x)
{
    const hsize_t dims = n;
    return put(f, path, H5T_STD_I32LE, H5T_NATIVE_INT, H5Screate_simple(1, &dims, NULL), x);
}

pcs_status h5_put_reals(h5_file *f, const char *path, size_t n, const double *x)
{
    const hsize_t dims = n;
    return put(f, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, H5Screate_simple(1, &dims, NULL), x);
}

pcs_status h5_put_words(h5_file *f, const char *path, const char *words)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    pcs_status status = fail_memory();
    if (type >= 0 && H5Tset_size(type, strlen(words) + 1) >= 0) {
        status = put(f, path, type, type, H5Screate(H5S_SCALAR), words);
    }
    if (type >= 0) H5Tclose(type);
    return status;
}

static pcs_status tag(h5_file *f, const char *path, const char *name, hid_t type, hid_t memory,
                      hid_t space, const void *x)
{
    const hid_t group = H5Oopen(f->id, path, H5P_DEFAULT);
    const hid_t made = group >= 0 && space >= 0
                           ? H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT)
                           : H5I_INVALID_HID;
    const bool good = made >= 0 && H5Awrite(made, memory, x) >= 0;
    if (made >= 0) H5Aclose(made);
    if (space >= 0) H5Sclose(space);
    if (group >= 0) H5Oclose(group);
    return good ? PCS_OK : fail_memory();
}

pcs_status h5_tag_ints(h5_file *f, const char *path, const char *name, size_t n, const int *x)
{
    const hsize_t dims = n;
    const hid_t space = n == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &dims, NULL);
    return tag(f, path, name, H5T_STD_I64LE, H5T_NATIVE_INT, space, x);
}

pcs_status h5_tag_words(h5_file *f, const char *path, const char *name, const char *words)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    pcs_status status = fail_memory();
    if (type >= 0 && H5Tset_size(type, strlen(words)) >= 0 &&
        H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0) {
        status = tag(f, path, name, type, type, H5Screate(H5S_SCALAR), words);
    }
    if (type >= 0) H5Tclose(type);
    return status;
}
