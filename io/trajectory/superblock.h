// The first 48 bytes of an HDF5 file that is being written, changed so that any program can open it
// at any moment, also when the program that writes it is killed.
//
// HDF5 marks a file as open for writing in its superblock, and stores its length there; both are
// correct only after the file is closed. This sets the mark to zero, and the length to more than
// the file needs for a while; from then on the file has that length on the disk: HDF5 may crash
// when a write fails, so that a full disk must be detected before it writes.
#ifndef TRAJECTORY_SUPERBLOCK_H
#define TRAJECTORY_SUPERBLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Makes the file of this descriptor, of `from` bytes, `size` bytes long, and stores this length
// without the mark in its superblock. False with errno when it cannot be written; true, without a
// change, when the superblock has another layout than version 3 with addresses of 8 bytes.
bool superblock_reserve(int descriptor, int64_t from, int64_t size);

// Cuts a file that HDF5 has closed to the length that its superblock says; if that fails, the file
// remains longer than needed.
void superblock_trim(int descriptor);

// The image of a file that is open (h5_image): HDF5 1.10 removes the mark from it but does not
// change the checksum. This computes the checksum again.
void superblock_seal(char *image, size_t size);

#endif
