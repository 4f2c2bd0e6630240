// The replay page of a trajectory: the bundled page (io/view/page.html) with the scene as JSON and
// the frames as blocks of packed numbers put into it. doc/replay.md has the layout; io/view/web/
// data.js reads it.
//
// Two passes over the frames: the first finds the bodies that move and their boxes, the second
// writes their poses as steps of 1/65535 of the box. The result is small enough for a page: a body
// takes 14 bytes per frame before compression, and almost nothing at rest. Points are in m and
// impulses in N s, both inertial; an impulse is that on the first body of its contact.
#define _POSIX_C_SOURCE 200809L // open_memstream
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "problem_file/new_file.h"
#include "view/book.h"

extern const char replay_page[];

pcs_replay_def pcs_replay_def_default(void)
{
    return (pcs_replay_def){.every = 1, .most_bytes = 40e6, .contacts = true};
}

static pcs_status write_data(book *b, FILE *page)
{
    PCS_TRY(book_write_scene(b, page));
    PCS_TRY(book_write_geometries(b, page));
    return book_write_frames(b, page);
}

static pcs_status write_page(book *b, const char *path, size_t *size, bool *stored)
{
    static const char mark[] = "<!--DATA-->";
    const char *at = strstr(replay_page, mark);
    char *bytes = NULL;
    *size = 0;
    FILE *page = at ? open_memstream(&bytes, size) : NULL;
    if (!page) return pcs_fail_memory("pcs_replay_write");
    fwrite(replay_page, 1, (size_t)(at - replay_page), page);
    b->geometries = 0;
    pcs_status status = book_survey(b);
    if (status == PCS_OK) status = write_data(b, page);
    fputs(at + strlen(mark), page);
    const bool whole = !ferror(page);
    if ((fclose(page) != 0 || !whole) && status == PCS_OK)
        status = pcs_fail_memory("pcs_replay_write");
    // a page that cannot become smaller is accepted
    *stored = (double)*size <= b->def.most_bytes || b->frames <= 2;
    if (status == PCS_OK && *stored) status = store(path, bytes, *size);
    free(bytes);
    return status;
}

pcs_status pcs_replay_write(pcs_trajectory *trajectory, const pcs_replay_def *def, const char *path,
                            long *frames)
{
    if (!trajectory || !path) {
        return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: the trajectory or the path is null");
    }
    book b = {.trajectory = trajectory,
              .model = pcs_trajectory_model(trajectory),
              .def = def ? *def : pcs_replay_def_default()};
    const long all = pcs_trajectory_info_of(trajectory).frames;
    if (all == 0) return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: the trajectory has no frame");
    if (all > INT_MAX) return pcs_fail(PCS_ERR_SIZE, "pcs_replay_write: too many frames");
    if (b.def.every < 1) {
        return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: every is %d; it must be at least 1",
                        b.def.every);
    }
    if (!(b.def.most_bytes > 0)) {
        return pcs_fail(PCS_ERR_ARG, "pcs_replay_write: most_bytes is %g; it must be positive",
                        b.def.most_bytes);
    }
    b.bodies = pcs_model_system_count(b.model) + 1;
    pcs_status status = book_open(&b);
    for (bool stored = false; !stored && status == PCS_OK;) {
        size_t size;
        b.choice = (frame_choice){.last = all - 1, .every = b.def.every};
        b.frames = frames_chosen(&b.choice);
        status = write_page(&b, path, &size, &stored);
        const double factor = fmax(1.3, (double)size / b.def.most_bytes);
        if (!stored) b.def.every = (int)fmin((double)all, ceil(factor * b.def.every));
    }
    if (status == PCS_OK && frames) *frames = b.frames;
    book_close(&b);
    return status;
}
