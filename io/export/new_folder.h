// A folder of files that appears complete or not at all: written under another name beside its
// place, and renamed. An existing one is replaced if it contains only files with the ending that is
// written.
#ifndef EXPORT_NEW_FOLDER_H
#define EXPORT_NEW_FOLDER_H

#include <stdbool.h>

#include <percuss/base.h>

typedef struct new_folder {
    const char *path;   // borrowed
    const char *ending; // borrowed: ".vtp"
    char name[4200];    // name of the new folder; "" when there is none
} new_folder;

// PCS_ERR_FILE when the folder cannot be made, or its place has something else
pcs_status new_folder_begin(const char *path, const char *ending, new_folder *out);

// If `good`, moves the folder to its place, or returns a status and leaves no new folder; otherwise
// removes it and returns PCS_OK.
pcs_status new_folder_end(new_folder *f, bool good);

// Locks the folder that holds this path against other exports that put files and folders in their
// places; waits for them. Some file systems have no locks: then it continues without.
int place_lock(const char *path);
void place_unlock(int lock);

#endif
