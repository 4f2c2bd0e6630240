// The superblock of version 3 (HDF5 File Format Specification 3.0, II.A):
//
//      0  signature (8)         20  address of an extension (8)
//      8  version               28  length of the file (8)
//      9  bytes of an address   36  address of the root group (8)
//     10  bytes of a length     44  checksum (4) of what is before it
//     11  flags: 1 open for writing, 4 the same for one writer and many readers
//     12  base address (8)
//
// The checksum is lookup3 of Bob Jenkins with initial value 0.
#define _POSIX_C_SOURCE 200809L // pread, pwrite, ftruncate, posix_fallocate

#include "trajectory/superblock.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 48, VERSION_AT = 8, FLAGS_AT = 11, LENGTH_AT = 28, CHECKSUM_AT = 44 };

static uint32_t little_endian(const unsigned char *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put_little_endian(uint64_t x, int n, unsigned char *b)
{
    for (int i = 0; i < n; ++i) {
        b[i] = (unsigned char)(x >> 8 * i);
    }
}

static uint32_t turn(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

// lookup3 of the CHECKSUM_AT bytes before the checksum, which are three full rounds of 12 bytes and
// a last one of 8
static uint32_t checksum(const unsigned char *bytes)
{
    uint32_t a = 0xdeadbeefu + CHECKSUM_AT, b = a, c = a;
    int left = CHECKSUM_AT;
    for (; left > 12; left -= 12, bytes += 12) {
        static const int by[6] = {4, 6, 8, 16, 19, 4};
        a += little_endian(bytes);
        b += little_endian(bytes + 4);
        c += little_endian(bytes + 8);
        for (int i = 0; i < 6; i += 3) {
            a = (a - c) ^ turn(c, by[i]);
            c += b;
            b = (b - a) ^ turn(a, by[i + 1]);
            a += c;
            c = (c - b) ^ turn(b, by[i + 2]);
            b += a;
        }
    }
    a += little_endian(bytes);
    b += little_endian(bytes + 4);
    c = (c ^ b) - turn(b, 14);
    a = (a ^ c) - turn(c, 11);
    b = (b ^ a) - turn(a, 25);
    c = (c ^ b) - turn(b, 16);
    a = (a ^ c) - turn(c, 4);
    b = (b ^ a) - turn(a, 14);
    c = (c ^ b) - turn(b, 24);
    return c;
}

// false when it cannot be read; *known: it has the layout above
static bool read_block(int descriptor, unsigned char block[BYTES], bool *known)
{
    *known = false;
    if (pread(descriptor, block, BYTES, 0) != BYTES) {
        errno = EIO;
        return false;
    }
    *known = block[VERSION_AT] == 3 && block[VERSION_AT + 1] == 8 && block[VERSION_AT + 2] == 8 &&
             checksum(block) == little_endian(block + CHECKSUM_AT);
    return true;
}

bool superblock_reserve(int descriptor, int64_t from, int64_t size)
{
    unsigned char block[BYTES];
    bool known;
    if (!read_block(descriptor, block, &known)) return false;
    if (!known) return true;

    // the length of the file first: a file shorter than its superblock says cannot be opened
    errno = posix_fallocate(descriptor, (off_t)from, (off_t)(size - from));
    if (errno != 0) return false;
    block[FLAGS_AT] = 0;
    put_little_endian((uint64_t)size, 8, block + LENGTH_AT);
    put_little_endian(checksum(block), 4, block + CHECKSUM_AT);
    return pwrite(descriptor, block, BYTES, 0) == BYTES;
}

void superblock_trim(int descriptor)
{
    unsigned char block[BYTES];
    bool known;
    struct stat file;
    if (!read_block(descriptor, block, &known) || !known || fstat(descriptor, &file) != 0) return;
    const int64_t length = (int64_t)(little_endian(block + LENGTH_AT) |
                                     (uint64_t)little_endian(block + LENGTH_AT + 4) << 32);
    if (length >= BYTES && length < file.st_size) (void)!ftruncate(descriptor, (off_t)length);
}

void superblock_seal(char *image, size_t size)
{
    unsigned char *block = (unsigned char *)image;
    if (size < BYTES || block[VERSION_AT] != 3 || block[VERSION_AT + 1] != 8) return;
    put_little_endian(checksum(block), 4, block + CHECKSUM_AT);
}
