// libFuzzer target: a good FCLIB file with any parts changed gives a valid problem or an error with
// a sentence, with a limited use of memory. The input is a list of changes of ten bytes: which set,
// which change, and eight bytes of a number; so the fuzzer spends its time behind the checks of
// HDF5 and not on them (HDF5 itself does not survive random bytes). fuzz_problem_file.c says how to
// build and run it; no seeds are needed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hdf5.h>
#include <percuss/problem_file.h>

#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 40, N_SETS = 27 };

typedef struct set {
    const char *path;
    bool reals;
    int n;
    double x[MOST];
    int changed; // 0, or the change of its shape
} set;

// one contact, three velocities, one equality; the local form is first
static const set good[N_SETS] = {
    {"/fclib_X/spacedim", false, 1, {3}, 0},
    {"/fclib_X/vectors/q", true, 3, {-1, 0.5, 0}, 0},
    {"/fclib_X/vectors/mu", true, 1, {0.5}, 0},
    {"/fclib_X/W/m", false, 1, {3}, 0},
    {"/fclib_X/W/n", false, 1, {3}, 0},
    {"/fclib_X/W/nzmax", false, 1, {9}, 0},
    {"/fclib_X/W/nz", false, 1, {-2}, 0},
    {"/fclib_X/W/p", false, 4, {0, 2, 3, 4}, 0},
    {"/fclib_X/W/i", false, 4, {0, 1, 1, 2}, 0},
    {"/fclib_X/W/x", true, 4, {2, 0.5, 3, 4}, 0},
    {"/fclib_X/vectors/f", true, 3, {1, 2, 3}, 0},
    {"/fclib_X/vectors/w", true, 3, {0, 0.25, 0}, 0},
    {"/fclib_X/M/m", false, 1, {3}, 0},
    {"/fclib_X/M/n", false, 1, {3}, 0},
    {"/fclib_X/M/nzmax", false, 1, {9}, 0},
    {"/fclib_X/M/nz", false, 1, {4}, 0},
    {"/fclib_X/M/p", false, 4, {0, 1, 1, 2}, 0},
    {"/fclib_X/M/i", false, 4, {0, 0, 1, 2}, 0},
    {"/fclib_X/M/x", true, 4, {2, 0.5, 3, 4}, 0},
    {"/fclib_X/H/m", false, 1, {3}, 0},
    {"/fclib_X/H/n", false, 1, {3}, 0},
    {"/fclib_X/H/nzmax", false, 1, {9}, 0},
    {"/fclib_X/H/nz", false, 1, {-1}, 0},
    {"/fclib_X/H/p", false, 4, {0, 1, 2, 3}, 0},
    {"/fclib_X/H/i", false, 3, {0, 1, 2}, 0},
    {"/fclib_X/H/x", true, 3, {1, 1, 1}, 0},
    {"/solution/r", true, 3, {0, 0, 0}, 0},
};

static void change(set *s, uint8_t what, const uint8_t bytes[8])
{
    double real;
    int32_t whole;
    memcpy(&real, bytes, sizeof real);
    memcpy(&whole, bytes, sizeof whole);
    const int at = s->n > 0 ? bytes[7] % s->n : 0;
    switch (what % 8) {
    case 0:
        s->x[at] = s->reals ? real : whole;
        break;
    case 1:
        s->x[at] = (int8_t)bytes[0];
        break;
    case 2:
        s->n = bytes[0] % (MOST + 1);
        break;
    default:
        s->changed = what % 8;
        break;
    }
}

static void put(hid_t file, const char *root, const set *s)
{
    char path[100];
    if (strncmp(s->path, "/fclib_X", 8) == 0) {
        snprintf(path, sizeof path, "/%s%s", root, s->path + 8);
    } else {
        snprintf(path, sizeof path, "%s", s->path);
    }
    if (s->changed == 3) return;

    int whole[MOST];
    for (int i = 0; i < MOST; ++i) {
        const double x = s->x[i];
        whole[i] = x >= -2147483648.0 && x <= 2147483647.0 ? (int)x : 0;
    }
    const bool reals = s->reals != (s->changed == 4);
    hsize_t dims[2] = {(hsize_t)s->n, 1};
    if (s->changed == 5) dims[0] = 2147483647;
    const hid_t type = reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
    const hid_t space = s->changed == 7 ? H5Screate(H5S_SCALAR)
                                        : H5Screate_simple(s->changed == 6 ? 2 : 1, dims, NULL);
    const hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    const hid_t id = H5Dcreate2(file, path, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    if (id >= 0 && s->changed != 5 && s->n > 0) {
        H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, reals ? (void *)s->x : (void *)whole);
    }
    if (id >= 0) H5Dclose(id);
    H5Pclose(links);
    H5Sclose(space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static set sets[N_SETS];
    memcpy(sets, good, sizeof sets);
    const char *root = size > 0 && data[0] % 2 == 1 ? "fclib_global" : "fclib_local";
    for (size_t at = 1; at + 10 <= size; at += 10) {
        change(&sets[data[at] % N_SETS], data[at + 1], data + at + 2);
    }

    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_core(access, 4096, 0);
    const hid_t file = H5Fcreate("/dev/null/fuzz", H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    for (int k = 0; k < N_SETS; ++k) {
        put(file, root, &sets[k]);
    }
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    const ssize_t length = H5Fget_file_image(file, NULL, 0);
    char *image = malloc((size_t)length);
    if (!image) abort();
    H5Fget_file_image(file, image, (size_t)length);
    H5Fclose(file);

    int read = 0;
    const char *wrong = read_as(PCS_FILE_ANY, image, (size_t)length, &read);
    free(image);
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
