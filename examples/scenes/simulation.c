// What a run takes, created and released together.
#include "scenes/simulation.h"

pcs_status simulation_start(simulation *s, int threads)
{
    PCS_TRY(pcs_state_create(s->scene->model, &s->state));
    PCS_TRY(pcs_state_create(s->scene->model, &s->mark));
    PCS_TRY(pcs_work_create(s->scene->model, &s->work));
    return pcs_work_set_threads(s->work, threads);
}

pcs_status simulation_run(simulation *s, int threads, pcs_observer_fn observer, void *user)
{
    PCS_TRY(simulation_start(s, threads));
    return pcs_scene_run(s->scene, s->state, s->work, observer, user, NULL, NULL);
}

void simulation_close(simulation *s)
{
    pcs_work_destroy(s->work);
    pcs_state_destroy(s->mark);
    pcs_state_destroy(s->state);
    pcs_scene_destroy(s->scene);
    *s = (simulation){0};
}
