// libFuzzer target: any bytes are a sound problem or an error with words, within fair memory.
//
//     cmake -B build/fuzz -DCMAKE_C_COMPILER=clang -DPERCUSS_FUZZ=ON -DPERCUSS_SANITIZE=ON
//     cmake --build build/fuzz --target fuzz_problem_file
//     mkdir -p build/fuzz/corpus
//     build/fuzz/tests/fuzz_problem_file -max_total_time=120 -max_len=2000
//         -dict=tests/fuzz/problem_file.dict build/fuzz/corpus tests/data
//
// (the last two lines are one). New inputs go to build/fuzz/corpus; the files of tests/data are
// only read.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "sound.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int read = 0;
    const char *wrong = read_as_every_kind((const char *)data, size, &read);
    if (wrong) {
        fprintf(stderr, "%s\n", wrong);
        abort();
    }
    return 0;
}
