// See packed.h.
#include "view/packed.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/base.h"
#include "trajectory/frames.h"

void packed_32(sink *s, uint32_t x)
{
    const char bytes[4] = {(char)(x & 255), (char)(x >> 8 & 255), (char)(x >> 16 & 255),
                           (char)(x >> 24)};
    sink_bytes(s, bytes, sizeof bytes);
}

void packed_float(sink *s, double x)
{
    const float number = as_float(x);
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    packed_32(s, bits);
}

void packed_align(sink *s)
{
    sink_bytes(s, "\0\0\0", (4 - s->size % 4) % 4);
}

void packed_planes(sink *s, size_t n, const uint16_t *x)
{
    for (int shift = 0; shift <= 8; shift += 8) {
        for (size_t i = 0; i < n; ++i) {
            const char byte = (char)(x[i] >> shift & 255);
            sink_bytes(s, &byte, 1);
        }
        packed_align(s);
    }
}

static void write_base64(size_t size, const unsigned char *bytes, FILE *page)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        const unsigned three = (unsigned)bytes[i] << 16 |
                               (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                               (n > 2 ? (unsigned)bytes[i + 2] : 0);
        const char four[4] = {digit[three >> 18], digit[three >> 12 & 63],
                              n > 1 ? digit[three >> 6 & 63] : '=',
                              n > 2 ? digit[three & 63] : '='};
        fwrite(four, 1, sizeof four, page);
    }
}

pcs_status packed_write(const sink *s, const char *name, FILE *page)
{
    uLongf size = compressBound(s->size);
    unsigned char *deflated = s->failed ? NULL : malloc(size);
    if (!deflated ||
        compress2(deflated, &size, (const unsigned char *)s->bytes, s->size, 6) != Z_OK) {
        free(deflated);
        return pcs_fail_memory("the page of a replay");
    }
    fprintf(page, "<script type=\"text/plain\" class=\"%s\">", name);
    write_base64(size, deflated, page);
    fputs("</script>\n", page);
    free(deflated);
    return PCS_OK;
}
