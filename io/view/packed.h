// Bytes for a page: numbers in little-endian order, deflated (RFC 1950) and written as base64.
#ifndef VIEW_PACKED_H
#define VIEW_PACKED_H

#include <stdint.h>
#include <stdio.h>

#include "problem_file/sink.h"

void packed_32(sink *s, uint32_t x);
void packed_float(sink *s, double x); // x as a float of IEEE 754, the largest one if x is larger

// zeros up to a multiple of four bytes
void packed_align(sink *s);
void packed_planes(sink *s, size_t n, const uint16_t *x); // all low bytes, then all high ones

// writes the bytes of s, deflated, as base64 in an element of this class
pcs_status packed_write(const sink *s, const char *name, FILE *page);

#endif
