// Growing tables on HDF5. Beside problem_file/hdf5.c the only file that calls it.
#include "trajectory/h5_tables.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/assemble.h"

static pcs_status fail_write(const h5_file *f, const char *path)
{
    // HDF5 does not say which call failed; the last error of the system is nearly always the reason
    return fail_named(f->name, PCS_ERR_FILE, "%s cannot be written: %s", path,
                      errno ? strerror(errno) : "HDF5 refuses it");
}

static pcs_status fail_read(const h5_file *f, const char *path, const char *what)
{
    return fail_named(f->name, PCS_ERR_FORMAT, "%s: %s", path, what);
}

// ---- types -------------------------------------------------------------------------------------

static const size_t type_bytes[] = {4, 4, 8, 8, 4, 8};

static hid_t number_type(column_type type, bool in_file)
{
    switch (type) {
    case COLUMN_I32:
        return in_file ? H5T_STD_I32LE : H5T_NATIVE_INT32;
    case COLUMN_U32:
        return in_file ? H5T_STD_U32LE : H5T_NATIVE_UINT32;
    case COLUMN_I64:
        return in_file ? H5T_STD_I64LE : H5T_NATIVE_INT64;
    case COLUMN_U64:
        return in_file ? H5T_STD_U64LE : H5T_NATIVE_UINT64;
    case COLUMN_F32:
        return in_file ? H5T_IEEE_F32LE : H5T_NATIVE_FLOAT;
    default:
        return in_file ? H5T_IEEE_F64LE : H5T_NATIVE_DOUBLE;
    }
}

static size_t bytes_of(const table_def *def, int width)
{
    if (def->n_columns == 0) return type_bytes[def->type] * (size_t)width;
    const column *last = &def->column[def->n_columns - 1];
    return last->at + type_bytes[last->type] * (size_t)last->n;
}

// the type of a row of a record, or of a number of an array; the caller closes it
static hid_t element_type(const table_def *def, bool in_file)
{
    if (def->n_columns == 0) return H5Tcopy(number_type(def->type, in_file));
    const hid_t record = H5Tcreate(H5T_COMPOUND, bytes_of(def, 0));
    for (int i = 0; i < def->n_columns && record >= 0; ++i) {
        const column *c = &def->column[i];
        const hsize_t n = (hsize_t)c->n;
        const hid_t one = number_type(c->type, in_file);
        const hid_t many = c->n > 1 ? H5Tarray_create2(one, 1, &n) : H5Tcopy(one);
        H5Tinsert(record, c->name, c->at, many);
        H5Tclose(many);
    }
    return record;
}

// ---- attributes --------------------------------------------------------------------------------

// n texts of any length, which h5py reads as strings
static bool put_texts(hid_t set, const char *name, int n, const char *const *texts, bool single)
{
    const hsize_t count = (hsize_t)n;
    const hid_t type = H5Tcopy(H5T_C_S1);
    const hid_t space = single ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, NULL);
    bool good = type >= 0 && space >= 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 &&
                H5Tset_cset(type, H5T_CSET_UTF8) >= 0;
    const hid_t made =
        good ? H5Acreate2(set, name, type, space, H5P_DEFAULT, H5P_DEFAULT) : H5I_INVALID_HID;
    good = made >= 0 && H5Awrite(made, type, texts) >= 0;
    if (made >= 0) H5Aclose(made);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
    return good;
}

static bool put_units(hid_t set, const table_def *def)
{
    enum { MOST = 64 };
    const char *units[MOST];
    if (def->about && !put_texts(set, "about", 1, &def->about, true)) return false;
    if (def->n_columns == 0) return put_texts(set, "units", 1, &def->units, true);
    PCS_ASSERT(def->n_columns <= MOST);
    for (int i = 0; i < def->n_columns; ++i) {
        units[i] = def->column[i].units;
    }
    return put_texts(set, "units", def->n_columns, units, false);
}

// ---- writing -----------------------------------------------------------------------------------

static hid_t create_set(const h5_file *f, const table_def *def, int width, int chunk_rows,
                        bool compress)
{
    const hsize_t now[2] = {0, (hsize_t)width}, most[2] = {H5S_UNLIMITED, (hsize_t)width},
                  chunk[2] = {(hsize_t)chunk_rows, (hsize_t)width};
    const int rank = width > 1 ? 2 : 1;
    const hid_t type = element_type(def, true), plan = H5Pcreate(H5P_DATASET_CREATE),
                space = H5Screate_simple(rank, now, most);
    hid_t set = H5I_INVALID_HID;
    bool good = type >= 0 && plan >= 0 && space >= 0 && H5Pset_chunk(plan, rank, chunk) >= 0 &&
                H5Pset_obj_track_times(plan, 0) >= 0;
    if (compress) good = good && H5Pset_shuffle(plan) >= 0 && H5Pset_deflate(plan, 1) >= 0;
    if (good) set = H5Dcreate2(f->id, def->path, type, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    if (set >= 0 && !put_units(set, def)) {
        H5Dclose(set);
        set = H5I_INVALID_HID;
    }
    if (type >= 0) H5Tclose(type);
    if (plan >= 0) H5Pclose(plan);
    if (space >= 0) H5Sclose(space);
    return set;
}

pcs_status table_create(h5_file *f, const table_def *def, int width, int chunk_rows, bool compress)
{
    errno = 0;
    const hid_t set = create_set(f, def, width, chunk_rows, compress);
    if (set < 0) return fail_write(f, def->path);
    H5Dclose(set);
    return PCS_OK;
}

// selects n rows from the first one on in the file; the space of them in memory to *memory
static hid_t select_rows(const table *t, long first, long n, hid_t *memory)
{
    const hsize_t start[2] = {(hsize_t)first, 0}, count[2] = {(hsize_t)n, (hsize_t)t->width};
    const hid_t space = H5Dget_space(t->set);
    *memory = H5Screate_simple(t->width > 1 ? 2 : 1, count, NULL);
    if (space >= 0 && *memory >= 0 &&
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0) {
        return space;
    }
    if (space >= 0) H5Sclose(space);
    if (*memory >= 0) H5Sclose(*memory);
    return H5I_INVALID_HID;
}

pcs_status table_append(const h5_file *f, table *t, long n, const void *rows)
{
    if (n == 0) return PCS_OK;
    errno = 0;
    const hsize_t now[2] = {(hsize_t)(t->rows + n), (hsize_t)t->width};
    if (H5Dset_extent(t->set, now) < 0) return fail_write(f, t->def->path);
    hid_t memory;
    const hid_t space = select_rows(t, t->rows, n, &memory);
    if (space < 0) return fail_write(f, t->def->path);
    const bool good = H5Dwrite(t->set, t->type, memory, space, H5P_DEFAULT, rows) >= 0;
    H5Sclose(space);
    H5Sclose(memory);
    if (!good) return fail_write(f, t->def->path);
    t->rows += n;
    return PCS_OK;
}

pcs_status table_flush(const h5_file *f, table *t)
{
    errno = 0;
    return H5Dflush(t->set) >= 0 ? PCS_OK : fail_write(f, t->def->path);
}

pcs_status table_put(h5_file *f, const char *path, const char *units, column_type type, size_t rows,
                     size_t columns, const void *x)
{
    const hsize_t size[2] = {rows, columns};
    const table_def def = {.path = path, .units = units, .type = type};
    errno = 0;
    const hid_t space = H5Screate_simple(columns > 1 ? 2 : 1, size, NULL),
                plan = H5Pcreate(H5P_DATASET_CREATE);
    hid_t set = H5I_INVALID_HID;
    if (space >= 0 && plan >= 0 && H5Pset_obj_track_times(plan, 0) >= 0) {
        set =
            H5Dcreate2(f->id, path, number_type(type, true), space, H5P_DEFAULT, plan, H5P_DEFAULT);
    }
    const bool good = set >= 0 && put_units(set, &def) &&
                      (rows == 0 || H5Dwrite(set, number_type(type, false), H5S_ALL, H5S_ALL,
                                             H5P_DEFAULT, x) >= 0);
    if (set >= 0) H5Dclose(set);
    if (plan >= 0) H5Pclose(plan);
    if (space >= 0) H5Sclose(space);
    return good ? PCS_OK : fail_write(f, path);
}

pcs_status table_replace(const h5_file *f, const char *path, column_type type, const void *x)
{
    errno = 0;
    const hid_t set = H5Dopen2(f->id, path, H5P_DEFAULT);
    const bool good =
        set >= 0 && H5Dwrite(set, number_type(type, false), H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0;
    if (set >= 0) H5Dclose(set);
    return good ? PCS_OK : fail_write(f, path);
}

int64_t table_file_size(const h5_file *f)
{
    hsize_t size = 0;
    return H5Fget_filesize(f->id, &size) >= 0 ? (int64_t)size : 0;
}

// ---- reading -----------------------------------------------------------------------------------

// true when a type of the file is n numbers that convert to ours without a loss
static bool same_numbers(hid_t found, column_type type, int n)
{
    const H5T_class_t kind = type < COLUMN_F32 ? H5T_INTEGER : H5T_FLOAT;
    bool good = false;
    if (n > 1) {
        hsize_t count = 0;
        good = H5Tget_class(found) == H5T_ARRAY && H5Tget_array_ndims(found) == 1 &&
               H5Tget_array_dims2(found, &count) == 1 && count == (hsize_t)n;
        const hid_t one = good ? H5Tget_super(found) : H5I_INVALID_HID;
        good = one >= 0 && H5Tget_class(one) == kind && H5Tget_size(one) == type_bytes[type];
        if (one >= 0) H5Tclose(one);
        return good;
    }
    return H5Tget_class(found) == kind && H5Tget_size(found) == type_bytes[type];
}

static pcs_status check_type(const h5_file *f, const table_def *def, hid_t found)
{
    if (def->n_columns == 0) {
        return same_numbers(found, def->type, 1)
                   ? PCS_OK
                   : fail_read(f, def->path, "its numbers are of another type than expected");
    }
    if (H5Tget_class(found) != H5T_COMPOUND || H5Tget_size(found) > 4096) {
        return fail_read(f, def->path, "it is not a table of the columns expected");
    }
    for (int i = 0; i < def->n_columns; ++i) {
        const column *c = &def->column[i];
        const int at = H5Tget_member_index(found, c->name);
        const hid_t member = at >= 0 ? H5Tget_member_type(found, (unsigned)at) : H5I_INVALID_HID;
        const bool good = member >= 0 && same_numbers(member, c->type, c->n);
        if (member >= 0) H5Tclose(member);
        if (good) continue;
        return fail_named(f->name, PCS_ERR_FORMAT,
                          "%s: the column '%s' is missing or of another type", def->path, c->name);
    }
    return PCS_OK;
}

int table_width(const h5_file *f, const char *path)
{
    hsize_t size[2] = {0, 0};
    const hid_t set = h5_has(f, path) ? H5Dopen2(f->id, path, H5P_DEFAULT) : H5I_INVALID_HID;
    const hid_t space = set >= 0 ? H5Dget_space(set) : H5I_INVALID_HID;
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 2) {
        H5Sget_simple_extent_dims(space, size, NULL);
    }
    if (space >= 0) H5Sclose(space);
    if (set >= 0) H5Dclose(set);
    return size[1] <= INT_MAX ? (int)size[1] : 0;
}

static pcs_status check_shape(const h5_file *f, const table_def *def, hid_t set, int width,
                              long *rows)
{
    if (width < 1) return fail_read(f, def->path, "it must have rows of numbers");
    hsize_t size[2] = {0, 1};
    const hid_t space = H5Dget_space(set);
    const int rank = space >= 0 ? H5Sget_simple_extent_ndims(space) : -1;
    const bool simple =
        rank >= 1 && rank <= 2 && H5Sget_simple_extent_dims(space, size, NULL) == rank;
    if (space >= 0) H5Sclose(space);
    if (!simple || size[1] != (hsize_t)width) {
        return fail_named(f->name, PCS_ERR_SIZE, "%s: each row must have %d numbers", def->path,
                          width);
    }
    const size_t row = bytes_of(def, width);
    const h5_compressed compressed = def->by_rows ? H5_BY_ROWS : H5_WHOLE;
    if (size[0] > LONG_MAX ||
        size[0] > h5_most_bytes(f, set, row / (size_t)width, compressed) / row) {
        return fail_named(f->name, PCS_ERR_SIZE,
                          "%s: it declares %llu rows, more than the %zu bytes of the file can hold",
                          def->path, (unsigned long long)size[0], f->size);
    }
    *rows = (long)size[0];
    return PCS_OK;
}

pcs_status table_open(const h5_file *f, const table_def *def, int width, table *out)
{
    *out = (table){.def = def,
                   .set = H5I_INVALID_HID,
                   .type = element_type(def, false),
                   .width = def->n_columns > 0 ? 0 : width,
                   .row_bytes = bytes_of(def, width)};
    if (out->type < 0) return pcs_fail_memory("HDF5 file");
    if (!h5_has(f, def->path)) return fail_read(f, def->path, "it is missing");
    out->set = H5Dopen2(f->id, def->path, H5P_DEFAULT);
    if (out->set < 0) return fail_read(f, def->path, "it is not a data set that can be read");
    const hid_t found = H5Dget_type(out->set);
    const pcs_status status =
        found >= 0 ? check_type(f, def, found) : fail_read(f, def->path, "it has no type");
    if (found >= 0) H5Tclose(found);
    return status == PCS_OK ? check_shape(f, def, out->set, width, &out->rows) : status;
}

pcs_status table_read(const h5_file *f, const table *t, long first, long n, void *rows)
{
    PCS_ASSERT(first >= 0 && n >= 0 && first + n <= t->rows);
    if (n == 0) return PCS_OK;
    hid_t memory;
    const hid_t space = select_rows(t, first, n, &memory);
    bool good = space >= 0;
    if (good) {
        good = H5Dread(t->set, t->type, memory, space, H5P_DEFAULT, rows) >= 0;
        H5Sclose(space);
        H5Sclose(memory);
    }
    return good ? PCS_OK
                : fail_read(f, t->def->path, "it cannot be read; the file may be cut or damaged");
}

void table_close(table *t)
{
    if (t->def && t->set >= 0) H5Dclose(t->set);
    if (t->def && t->type >= 0) H5Tclose(t->type);
    *t = (table){0};
}
