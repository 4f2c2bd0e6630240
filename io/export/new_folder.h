// A folder of files that appears complete or not at all: written under another name beside its
// place, and renamed. One that is there already is replaced if all that is in it are files of the
// kind that is written, by their ending.
#ifndef EXPORT_NEW_FOLDER_H
#define EXPORT_NEW_FOLDER_H

#include <stdbool.h>

#include <percuss/base.h>

typedef struct new_folder {
    const char *path;   // borrowed
    const char *ending; // borrowed: ".vtp"
    char name[4200];    // of the new folder; "" when there is none
} new_folder;

// PCS_ERR_FILE when there is no place for it, or something else is there
pcs_status new_folder_begin(const char *path, const char *ending, new_folder *out);

// The folder is in its place, or a status and no new folder, if `good`; otherwise it is removed and
// the status is PCS_OK.
pcs_status new_folder_end(new_folder *f, bool good);

// Locks the folder that holds this path against other exports that put files and folders in their
// places; waits for them. Some file systems have no locks: without one it goes on.
int place_lock(const char *path);
void place_unlock(int lock);

#endif
