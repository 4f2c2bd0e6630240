// Tables of the results of runs of scenes.
#ifndef BENCH_SCENE_REPORT_H
#define BENCH_SCENE_REPORT_H

#include "scene_check.h"

// a line for an engine, with the ratio of its time to `ours`
void scene_report_head(void);
void scene_report(const engine *e, const course *c, const result *r, const result *ours);

// quantities that only percuss reports
void scene_report_details(const course *c, const result *r);

// a line for each of n checks; returns whether all hold
bool scene_report_verdicts(const verdict *v, int n);

// a line of the table, and the header
extern const char *const scene_csv_head;
void scene_csv_row(FILE *f, const char *scene, const course *c, const engine *e,
                   const engine_options *o, const result *r);

#endif
