// libFuzzer target: any bytes give a valid problem or an error with a sentence, with a limited use
// of memory.
//
//     cmake --preset clang-dev && cmake --build --preset clang-dev --target fuzz_problem_file
//     mkdir -p build/clang-dev/corpus
//     build/clang-dev/tests/fuzz_problem_file -max_total_time=300 -max_len=2000
//         -dict=tests/fuzz/problem_file.dict build/clang-dev/corpus tests/data
//
// (the last two lines are one). New inputs go to the corpus; the files of tests/data are
// only read. Bytes that begin like HDF5 are left to fuzz_fclib.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 4 && memcmp(data, "\x89HDF", 4) == 0) return 0;
    int read = 0;
    const char *wrong = read_as_every_kind((const char *)data, size, &read);
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
