// The first 48 bytes of an HDF5 file that is being written, kept such that anybody can open it at
// any moment, also when the program that writes it is killed.
//
// HDF5 marks a file as open for writing in its superblock, and stores how long the file is there;
// both are put right only when the file is closed. This sets the mark to zero, and the length to
// more than the file needs for a while; the file has that length from then on, and its place on the
// disk: HDF5 may crash when a write fails, so that a disk must be full before it writes.
#ifndef TRAJECTORY_SUPERBLOCK_H
#define TRAJECTORY_SUPERBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes the file of this descriptor, of `from` bytes, `size` bytes long, and lets its superblock
// say so without a mark. False with errno when it cannot be written; true, and nothing is changed,
// where the superblock has another layout than version 3 with addresses of 8 bytes.
bool superblock_reserve(int descriptor, int64_t from, int64_t size);

// Cuts a file that HDF5 has closed to the length that its superblock says; where that cannot be
// done the file stays longer than it need be.
void superblock_trim(int descriptor);

// The image of a file that is open (h5_image): HDF5 1.10 takes the mark from it and leaves the
// checksum as it was. This makes the checksum anew.
void superblock_seal(char *image, size_t size);

#endif
