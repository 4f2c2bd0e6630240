// Shared by the frames of pages: a check that prints its place when it fails.
#ifndef FRAME_H
#define FRAME_H

#include <percuss/kernel.h>
#include <percuss/numerics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(what)                                                           \
    do {                                                                       \
        if (!(what)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#endif
