// Does what the environment variable LOCKSTEP_CHEAT says, `when:what`: at the start, in cycle Last, at the end, or with a
// wrong output in cycle Last and in the re-run of that, `again` in all and `once` in the first, or seven cycles `later`.
// Whatever it is, the verdict is not the design's to give.
module lockstep_dut (
  input  logic          clk_i,
  input  logic [1535:0] cycle_input_i,
  output logic [831:0]  cycle_output_o,
  output logic [511:0]  parameters_o
);

`systemc_header
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

// Calls `use` with the bounds of every mapping of a name.
template <class Use>
static void cheat_mappings(const char* name, Use use) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[512];
  unsigned long from = 0, to = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    if (strstr(line, name) && sscanf(line, "%lx-%lx", &from, &to) == 2) {
      use(reinterpret_cast<char*>(from), to - from);
    }
  }
}

static void cheat_write(const char* path, const char* text) {
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && write(file, text, strlen(text)) >= 0) close(file);
}

static bool cheat_is(const char* what) {
  const char* const chosen = getenv("LOCKSTEP_CHEAT");
  return chosen && strcmp(chosen, what) == 0;
}

// How many processes of the run have been in cycle Last before.
static long cheat_before() {
  static const long before = [] {
    FILE* const file = fopen("out/design/been", "a");
    if (!file) return 0L;
    fputc('x', file);
    const long length = ftell(file);
    fclose(file);
    return length - 1;
  }();
  return before;
}

static bool cheat_is_wrong() {
  const char* const chosen = getenv("LOCKSTEP_CHEAT");
  const auto begins = [=](const char* when) { return strncmp(chosen, when, strlen(when)) == 0; };
  return chosen && (begins("again:") || begins("once:") || begins("later:"));
}

static void cheat(const char* when) {
  const char* const chosen = getenv("LOCKSTEP_CHEAT");
  const size_t size = strlen(when);
  if (!chosen || strncmp(chosen, when, size) != 0 || chosen[size] != ':') return;
  const char* const what = chosen + size + 1;
  const pid_t parent = getppid();
  const auto is = [&](const char* name) { return strcmp(what, name) == 0; };
  if (is("exit")) exit(0);
  if (is("_exit")) _exit(0);
  if (is("exit-130")) _exit(130);
  if (is("exit-126")) _exit(126);
  if (is("quick-exit")) quick_exit(0);
  if (is("exit-of-thread")) {
    pthread_t thread;
    pthread_create(&thread, nullptr, [](void*) -> void* { _exit(0); }, nullptr);
    pthread_join(thread, nullptr);
  }
  if (is("become-true")) execl("/bin/true", "true", nullptr);
  if (is("say-pass")) {
    const char text[] = "PASS  1,000,000 cycles, 31 counters\n";
    if (write(1, text, sizeof text - 1) >= 0) _exit(0);
  }
  if (is("forge")) {
    cheat_write("out/report.json", "{\"verdict\": \"agree\", \"exit_code\": 0}\n");
    cheat_write("out/forged.stim", "");
    _exit(0);
  }
  if (is("daemonize")) {
    if (fork() != 0) _exit(0);
    setsid();
    if (fork() != 0) _exit(0);
    for (;;) pause();
  }
  if (is("child")) {
    if (fork() == 0) {
      for (;;) pause();
    }
  }
  if (is("many-children")) {
    for (int k = 0; k < 1000; ++k) {
      if (fork() == 0) {
        for (;;) pause();
      }
    }
  }
  if (is("deaf")) {
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGINT, SIG_IGN);
  }
  if (is("sleep")) {
    for (;;) pause();
  }
  if (is("stop")) raise(SIGSTOP);
  if (is("kill-itself")) kill(getpid(), SIGKILL);
  if (is("limit-itself")) {
    rlimit time = {1, RLIM_INFINITY};
    setrlimit(RLIMIT_CPU, &time);
    for (volatile int forever = 1; forever;) {
    }
  }
  if (is("time-itself")) {
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    timer_t timer;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    itimerspec soon = {{0, 0}, {0, 1000000}};
    timer_settime(timer, 0, &soon, nullptr);
    for (;;) pause();
  }
  if (is("terminate-itself")) raise(SIGTERM);
  if (is("raise-fault")) raise(SIGSEGV);
  if (is("raise-bus-fault")) raise(SIGBUS);
  if (is("raise-alarm")) raise(SIGALRM);
  if (is("raise-real-time")) raise(SIGRTMIN + 3);
  if (is("abort")) abort();
  if (is("trap")) __builtin_trap();
  if (is("kill-parent")) kill(parent, SIGKILL);
  if (is("kill-all")) kill(-1, SIGKILL);
  if (is("trace-parent")) {
    if (ptrace(PTRACE_ATTACH, parent, nullptr, nullptr) == 0) _exit(0);
  }
  if (is("write-parent")) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", parent);
    if (open(path, O_RDWR) >= 0) _exit(0);
    iovec here = {path, 1}, there = {path, 1};
    if (process_vm_writev(parent, &here, 1, &there, 1, 0) >= 0) _exit(0);
  }
  if (is("write-inputs")) {
    cheat_mappings("lockstep-to-design", [](char* at, size_t bytes) { memset(at, 0xFF, bytes); });
  }
  if (is("map-inputs")) {
    cheat_mappings("lockstep-to-design", [](char* at, size_t bytes) {
      if (mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0) _exit(0);
    });
  }
  if (is("scribble")) {
    cheat_mappings("lockstep-from-design", [](char* at, size_t bytes) { memset(at, 0x5A, bytes); });
  }
  if (is("close-all")) {
    for (int file = 0; file < 256; ++file) close(file);
  }
  if (is("flood")) {
    static char text[4096];
    memset(text, 'x', sizeof text);
    for (int k = 0; k < 4096; ++k) {
      if (write(k % 2 + 1, text, sizeof text) < 0) break;
    }
  }
  if (is("flood-without-end")) {
    for (;;) {
      if (write(2, "x\n", 2) < 0) break;
    }
  }
  if (is("system")) {
    if (system("touch touched") == 0) _exit(0);
  }
  if (is("socket")) {
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) _exit(0);
  }
  if (is("write-outside")) cheat_write("written", "text\n");
  if (is("write-inside")) cheat_write("out/design/written", "text\n");
  if (is("remove-outside")) unlink("idle.stim");
  if (is("newline")) unlink("x\nPASS  1,000,000 cycles, 31 counters\n");
  if (is("count-on")) {
    cheat_mappings("lockstep-from-design", [](char* at, size_t) {
      for (;; usleep(1000)) ++*reinterpret_cast<volatile uint64_t*>(at + 128);
    });
  }
  // One reply more, or as many as there may ever be, and nobody who makes them
  if (is("forge-reply") || is("forge-replies")) {
    const uint32_t count = is("forge-reply") ? 1 : 0x7FFFFFF0;
    cheat_mappings("lockstep-from-design", [=](char* at, size_t) {
      *reinterpret_cast<volatile uint32_t*>(at) += count;
      _exit(0);
    });
  }
  if (is("print-by-c")) {
    for (int k = 0; k < 5000; ++k) printf("line %d of C code, in words that fill it\n", k);
    fputs("no end of line", stdout);
  }
  if (is("print-escapes")) fputs("\033[2J\033[1;1Hall is well\n", stdout);
  if (is("print-long-line")) {
    for (int k = 0; k < 8000000; ++k) putchar('x');
    putchar('\n');
  }
  if (is("lock-passwd")) {
    struct flock lock = {};
    lock.l_type = F_RDLCK;
    if (fcntl(open("/etc/passwd", O_RDONLY), F_SETLK, &lock) == 0) _exit(0);
  }
  if (is("use-inherited")) {
    if (write(7, "text\n", 5) >= 0) abort();
  }
  if (is("reach-out")) {
    rlimit limit = {1, 1};
    int ends[2];
    char letter = 'x';
    bool reached = false;
    reached |= syscall(SYS_prlimit64, parent, RLIMIT_NOFILE, &limit, nullptr) == 0;
    reached |= syscall(SYS_tkill, parent, 0) == 0;
    reached |= chmod("idle.stim", 0) == 0;
    reached |= utimes("idle.stim", nullptr) == 0;
    reached |= socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0;
    reached |= shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0;
    reached |= pipe(ends) != 0 || fcntl(ends[0], F_SETOWN, parent) == 0;
    const int file = open("idle.stim", O_RDONLY);
    long flags = 0x10;  // FS_IMMUTABLE_FL
    reached |= flock(file, LOCK_SH | LOCK_NB) == 0;
    reached |= fcntl(file, F_SETLEASE, F_RDLCK) == 0;
    reached |= ioctl(file, _IOW('f', 2, long), &flags) == 0;  // FS_IOC_SETFLAGS
    reached |= syscall(SYS_fanotify_init, 0, O_RDONLY) >= 0;
    reached |= open("/dev/tty", O_RDWR) >= 0;
    reached |= ioctl(0, TIOCSTI, &letter) == 0;
    reached |= symlink("../written", "out/report.json") == 0;
    reached |= symlink("../written", "out/design.log") == 0;
    reached |= mkfifo("out/window.vcd", 0666) == 0;
    reached |= mknod("out/design/disk", S_IFCHR | 0600, 0x103) == 0;
    if (reached) abort();
  }
}
`verilog

  int unsigned cycle_q = 0;
  logic wrong_q = 0;

  initial $c("cheat(\"start\");");

  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_q + 1;
    if (cycle_q == idle_pkg::Last) begin
      $c("cheat(\"cycle\");");
      $c("if (cheat_is_wrong() && cheat_before() > 0) cheat(\"again\");");
      $c("if (cheat_is_wrong() && cheat_before() == 1) cheat(\"once\");");
      wrong_q <= $c1("cheat_is_wrong()");
    end
    if (cycle_q == idle_pkg::Last + 7) begin
      $c("cheat(\"later\");");
    end
  end

  final begin
    $c("cheat(\"end\");");
    if ($c32("cheat_is(\"end:say\")") == 1) $display("said at the end");
    if ($c32("cheat_is(\"end:fatal\")") == 1) $fatal(1, "wrong at the end");
    if ($c32("cheat_is(\"end:error\")") == 1) $error("wrong at the end");
  end

  assign cycle_output_o = {831'd0, wrong_q};
  assign parameters_o = idle_pkg::Parameters;

  logic unused_input;
  assign unused_input = ^cycle_input_i;

endmodule
