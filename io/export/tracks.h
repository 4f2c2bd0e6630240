// The motion of the bodies that move, as key frames for formats with an animation.
#ifndef EXPORT_TRACKS_H
#define EXPORT_TRACKS_H

#include "export/export_job.h"

typedef struct tracks {
    int frames;       // frames whose times differ as floats
    double *time;     // s since the first frame
    long *number;     // of each among the frames that are written (job_read)
    int rows;         // bodies that move
    int *body;        // body of each row
    float *pose;      // [row][frame][7]: x y z and unit quaternion, which never changes its sign
    double tolerance; // m: error of a position that is left out
} tracks;

// the parts of a pose
typedef enum track_part { TRACK_POSITION, TRACK_ORIENTATION } track_part;

// release with tracks_release, also after a failure
pcs_status tracks_read(const export_job *job, tracks *out);
void tracks_release(tracks *t);

const float *tracks_pose(const tracks *t, int row, int frame);

// The key frames of a row: linear interpolation between them gives the others to a millionth of the
// size of the scene, or of the quaternion. Writes their numbers to key, which has room for all
// frames, and returns how many there are, at least 1.
int tracks_keys(const tracks *t, int row, track_part part, int *key);

// ---- directions and colours

// the unit vector against gravity; z without gravity
void up_of(const pcs_model *m, double up[3]);

// Colours of the replay page, linear red, green, blue; bodies that cannot move are grey.
#define BODY_COLOURS 9
int body_colour(const export_job *job, int body);
void colour_value(int number, double rgb[3]);

#endif
