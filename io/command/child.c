// See child.h.
#define _DEFAULT_SOURCE // setenv, kill

#include "command/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "command/command.h"
#include "command/trace.h"

// default limit of the bytes kept of each text: only a row and a line are expected
#define MOST_TEXT (1u << 20)

static void become(char *const *argv, int in, int out, int err, pid_t parent)
{
    // a process group of its own: an interrupt of the terminal goes to the parent only
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
#else
    (void)parent;
#endif
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    if (in < 0) in = open("/dev/null", O_RDONLY);
    if (in >= 0) dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    execvp(argv[0], argv);
    _exit(127);
}

static bool make_pipe(int *end)
{
    if (pipe(end) != 0) return false;
    for (int i = 0; i < 2; ++i) {
        fcntl(end[i], F_SETFD, FD_CLOEXEC);
    }
    fcntl(end[0], F_SETFL, O_NONBLOCK);
    return true;
}

bool child_start(child *c, char *const *argv, int in, double limit)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    const size_t most = c->most ? c->most : MOST_TEXT;
    *c = (child){.out.fd = -1, .err.fd = -1, .limit = limit, .most = most, .user = c->user};
    const pid_t parent = getpid();
    if (make_pipe(out) && make_pipe(err)) c->pid = fork();
    if (c->pid == 0 && err[1] >= 0) become(argv, in, out[1], err[1], parent);
    if (out[1] >= 0) close(out[1]);
    if (err[1] >= 0) close(err[1]);
    if (c->pid <= 0) {
        complain("a process cannot be started: %s", strerror(errno));
        if (out[0] >= 0) close(out[0]);
        if (err[0] >= 0) close(err[0]);
        c->pid = 0;
        return false;
    }
    c->out.fd = out[0];
    c->err.fd = err[0];
    c->started = clock_now();
    return true;
}

static void drain(pipe_text *p, size_t most)
{
    char piece[4096];
    while (p->fd >= 0) {
        const ssize_t got = read(p->fd, piece, sizeof piece);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got <= 0) {
            close(p->fd);
            p->fd = -1;
            return;
        }
        if (p->size + (size_t)got > most) continue;
        char *text = realloc(p->text, p->size + (size_t)got + 1);
        if (!text) exit(complain("out of memory while reading what a process printed"));
        memcpy(text + p->size, piece, (size_t)got);
        p->size += (size_t)got;
        text[p->size] = '\0';
        p->text = text;
    }
}

void children_wait(child *c, int n, int milliseconds)
{
    struct pollfd *fd = take(2 * (size_t)n, sizeof *fd);
    nfds_t count = 0;
    for (int i = 0; i < n; ++i) {
        if (c[i].pid == 0) continue;
        // a process that has closed its pipes ends soon
        if (c[i].out.fd < 0 && c[i].err.fd < 0) milliseconds = 1;
        if (c[i].out.fd >= 0) fd[count++] = (struct pollfd){.fd = c[i].out.fd, .events = POLLIN};
        if (c[i].err.fd >= 0) fd[count++] = (struct pollfd){.fd = c[i].err.fd, .events = POLLIN};
    }
    (void)poll(fd, count, milliseconds);
    free(fd);
}

bool child_ended(child *c)
{
    drain(&c->out, c->most);
    drain(&c->err, c->most);
    const pid_t got = waitpid(c->pid, &c->status, WNOHANG);
    if (got == c->pid) {
        drain(&c->out, c->most);
        drain(&c->err, c->most);
        c->pid = 0;
        return true;
    }
    if (!c->killed && clock_now() - c->started > c->limit) {
        c->killed = true;
        kill(c->pid, SIGKILL);
    }
    return false;
}

void child_kill(child *c)
{
    if (c->pid > 0) {
        kill(c->pid, SIGKILL);
        while (waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) {
        }
    }
    child_free(c);
}

void child_free(child *c)
{
    if (c->out.fd >= 0) close(c->out.fd);
    if (c->err.fd >= 0) close(c->err.fd);
    free(c->out.text);
    free(c->err.text);
    *c = (child){.out.fd = -1, .err.fd = -1};
}
