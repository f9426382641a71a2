/*
 * Watches the calls that make bytes and names durable, for one process and its children. Preloaded; steered by the
 * environment:
 *   HOLDFAST_SHIM_ROOT        only paths below this folder count
 *   HOLDFAST_SHIM_ARM         nothing counts, dies or fails before this file is there
 *   HOLDFAST_SHIM_LOG         every call that succeeded is appended here: pid, number, name, path, second path or bytes
 *   HOLDFAST_SHIM_KILL_AT     the process ends with SIGKILL instead of its N-th call ...
 *   HOLDFAST_SHIM_SIGNAL      ... or gets this signal there and goes on
 *   HOLDFAST_SHIM_FAIL_FROM   from the N-th call on every call but unlink fails (a full disk still lets go) ...
 *   HOLDFAST_SHIM_ERRNO       ... with this error number (28, no space, by default)
 * One counter serves all calls and threads, so that N sweeps every point in order. An answer on a socket is logged
 * with number 0 before it is sent; it does not count.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_long counter;
static long kill_at;
static int kill_with = SIGKILL;
static long fail_from;
static int fail_with = ENOSPC;
static int log_fd = -1;
static const char *arm;
static atomic_int armed;
static char root[PATH_MAX];
static size_t root_length;

static long number_from(const char *name) {
  const char *text = getenv(name);
  return text ? atol(text) : 0;
}

__attribute__((constructor)) static void start(void) {
  const char *folder = getenv("HOLDFAST_SHIM_ROOT");
  const char *log = getenv("HOLDFAST_SHIM_LOG");
  if (!folder) return;
  snprintf(root, sizeof root, "%s/", folder);
  root_length = strlen(root);
  arm = getenv("HOLDFAST_SHIM_ARM");
  kill_at = number_from("HOLDFAST_SHIM_KILL_AT");
  if (number_from("HOLDFAST_SHIM_SIGNAL")) kill_with = (int)number_from("HOLDFAST_SHIM_SIGNAL");
  fail_from = number_from("HOLDFAST_SHIM_FAIL_FROM");
  if (number_from("HOLDFAST_SHIM_ERRNO")) fail_with = (int)number_from("HOLDFAST_SHIM_ERRNO");
  if (log) log_fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(long number, const char *call, const char *path, const char *rest) {
  char line[2 * PATH_MAX + 128];
  int length;
  if (log_fd < 0) return;
  length = snprintf(line, sizeof line, "%d\t%ld\t%s\t%s\t%s\n", (int)getpid(), number, call, path, rest);
  if (length > 0) syscall(SYS_write, log_fd, line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
}

static int counts(const char *path) {
  return root_length > 0 && strncmp(path, root, root_length) == 0;
}

/* The path behind a descriptor, or 0 when it is none that counts. */
static int path_of(int fd, char *path) {
  char link[64];
  ssize_t length;
  if (root_length == 0) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return counts(path);
}

static void absolute(int folder, const char *name, char *path) {
  char base[PATH_MAX];
  if (name[0] == '/') {
    snprintf(path, PATH_MAX, "%s", name);
    return;
  }
  if (folder == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) base[0] = '\0';
  } else {
    char link[64];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    length = readlink(link, base, sizeof base - 1);
    base[length > 0 ? length : 0] = '\0';
  }
  snprintf(path, PATH_MAX, "%.2000s/%.2000s", base, name);
}

/* The number of this call; dies or fails here when it is this call's turn. Negative: the call must fail. */
static long turn(int may_fail) {
  long number;
  if (arm && !armed) {
    if (syscall(SYS_faccessat, AT_FDCWD, arm, F_OK) != 0) return 0;
    armed = 1;
  }
  number = atomic_fetch_add(&counter, 1) + 1;
  if (kill_at > 0 && number == kill_at) {
    kill(getpid(), kill_with);
    while (kill_with == SIGKILL) pause();
  }
  if (may_fail && fail_from > 0 && number >= fail_from) {
    errno = fail_with;
    return -1;
  }
  return number;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define ON_DESCRIPTOR(name, call, rest_format, rest_value)                                                        \
  char path[PATH_MAX];                                                                                           \
  char rest[32];                                                                                                 \
  long number;                                                                                                   \
  if (!path_of(fd, path)) return REAL(name) call;                                                                \
  number = turn(1);                                                                                               \
  if (number < 0) return -1;                                                                                     \
  __typeof__(REAL(name) call) result = REAL(name) call;                                                          \
  snprintf(rest, sizeof rest, rest_format, rest_value);                                                          \
  if (result >= 0) note(number, #name, path, rest);                                                              \
  return result;

/* Notes the status line of an answer before it leaves. */
static void note_answer(int fd, const void *bytes, size_t length) {
  struct stat facts;
  char status[16];
  if (log_fd < 0 || length < 12 || memcmp(bytes, "HTTP/1.1 ", 9) != 0) return;
  if (fstat(fd, &facts) != 0 || !S_ISSOCK(facts.st_mode)) return;
  snprintf(status, sizeof status, "%.3s", (const char *)bytes + 9);
  note(0, "answer", "-", status);
}

int fsync(int fd) { ON_DESCRIPTOR(fsync, (fd), "%s", "") }
int fdatasync(int fd) { ON_DESCRIPTOR(fdatasync, (fd), "%s", "") }
int ftruncate(int fd, off_t length) { ON_DESCRIPTOR(ftruncate, (fd, length), "%ld", (long)length) }
int ftruncate64(int fd, off64_t length) { ON_DESCRIPTOR(ftruncate64, (fd, length), "%ld", (long)length) }

ssize_t write(int fd, const void *bytes, size_t length) {
  note_answer(fd, bytes, length);
  ON_DESCRIPTOR(write, (fd, bytes, length), "%zu", length)
}

ssize_t send(int fd, const void *bytes, size_t length, int flags) {
  note_answer(fd, bytes, length);
  return REAL(send)(fd, bytes, length, flags);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
  if (message->msg_iovlen > 0) note_answer(fd, message->msg_iov[0].iov_base, message->msg_iov[0].iov_len);
  return REAL(sendmsg)(fd, message, flags);
}

ssize_t writev(int fd, const struct iovec *buffers, int count) {
  if (count > 0) note_answer(fd, buffers[0].iov_base, buffers[0].iov_len);
  ON_DESCRIPTOR(writev, (fd, buffers, count), "%d", count)
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { ON_DESCRIPTOR(pwrite, (fd, bytes, length, at), "%zu", length) }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { ON_DESCRIPTOR(pwrite64, (fd, bytes, length, at), "%zu", length) }
ssize_t pwritev(int fd, const struct iovec *buffers, int count, off_t at) { ON_DESCRIPTOR(pwritev, (fd, buffers, count, at), "%d", count) }
ssize_t pwritev64(int fd, const struct iovec *buffers, int count, off64_t at) { ON_DESCRIPTOR(pwritev64, (fd, buffers, count, at), "%d", count) }

static int on_two_names(const char *call, int from_folder, const char *from, int to_folder, const char *to, int (*real)(void *), void *work) {
  char old_path[PATH_MAX];
  char new_path[PATH_MAX];
  long number;
  int result;
  absolute(from_folder, from, old_path);
  absolute(to_folder, to, new_path);
  if (!counts(old_path) && !counts(new_path)) return real(work);
  number = turn(1);
  if (number < 0) return -1;
  result = real(work);
  if (result == 0) note(number, call, old_path, new_path);
  return result;
}

struct names {
  int from_folder;
  const char *from;
  int to_folder;
  const char *to;
  int flags;
};

static int real_rename(void *work) {
  struct names *names = work;
  return REAL(rename)(names->from, names->to);
}

static int real_renameat(void *work) {
  struct names *names = work;
  return REAL(renameat)(names->from_folder, names->from, names->to_folder, names->to);
}

static int real_link(void *work) {
  struct names *names = work;
  return REAL(link)(names->from, names->to);
}

static int real_linkat(void *work) {
  struct names *names = work;
  return REAL(linkat)(names->from_folder, names->from, names->to_folder, names->to, names->flags);
}

int rename(const char *from, const char *to) {
  struct names names = {AT_FDCWD, from, AT_FDCWD, to, 0};
  return on_two_names("rename", AT_FDCWD, from, AT_FDCWD, to, real_rename, &names);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  struct names names = {from_folder, from, to_folder, to, 0};
  return on_two_names("rename", from_folder, from, to_folder, to, real_renameat, &names);
}

int link(const char *from, const char *to) {
  struct names names = {AT_FDCWD, from, AT_FDCWD, to, 0};
  return on_two_names("link", AT_FDCWD, from, AT_FDCWD, to, real_link, &names);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags) {
  struct names names = {from_folder, from, to_folder, to, flags};
  return on_two_names("link", from_folder, from, to_folder, to, real_linkat, &names);
}

int unlink(const char *name) {
  char path[PATH_MAX];
  long number;
  int result;
  absolute(AT_FDCWD, name, path);
  if (!counts(path)) return REAL(unlink)(name);
  number = turn(0);
  result = REAL(unlink)(name);
  if (result == 0) note(number, "unlink", path, "");
  return result;
}
