// TRC-27: an event takes no system call and no allocation. A seccomp filter kills the process at the first call that is
// not exit. (Strict mode would also take away the time stamp counter, from which the clock is read without a system
// call.)
#include <gtest/gtest.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdlib>
#include <new>

#include "sdk/tracing.h"

namespace {
std::size_t allocations = 0;
tracing::Category kOn{"on"};
tracing::Category kOff{"off"};
}  // namespace

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // new is malloc() here, which gcc sees only half of
#endif

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tracing_test {
namespace {

constexpr int kGood = 42;

void write_events(int events) {
  for (int i = 0; i < events; ++i) {
    TRACE_SCOPE(kOn, "scope", "i", i, "text", "a text");
    TRACE_SCOPE(kOff, "nothing", "i", i);
    TRACE_INSTANT(kOn, "instant", tracing::Flow{7});
    TRACE_COUNTER(kOn, "counter", i);
    TRACE_COUNTER(kOn, "a double", i * 0.5);
    TRACE_BEGIN(kOn, "by hand");
    TRACE_END(kOn);
  }
}

bool lock_up() {
  sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),  // the number of the call
                          BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
  const sock_fprog program = {4, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

template <class Work>
int status_when_locked_up(const hotpb::shm::AreaOptions& area, Work work, std::uint64_t wait_ns = 0) {
  const pid_t child = fork();
  if (child == 0) {
    tracing::Options options;
    options.area = area;
    options.wait_ns = wait_ns;
    if (!tracing::start(options)) _exit(1);
    write_events(10);  // every call site
    tracing::Categories::set([](std::string_view name) { return name == "on"; });
    if (wait_ns != 0) {
      while (tracing::dropped() == 0) write_events(1);  // one wait, in vain
    }
    const std::size_t before = allocations;
    if (!lock_up()) _exit(1);
    const bool good = work() && allocations == before;
    syscall(SYS_exit, good ? kGood : 2);  // _exit() would be exit_group, which is not allowed
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

bool clock_needs_a_system_call() {
  const pid_t child = fork();
  if (child == 0) {
    tracing::now_ns();
    if (!lock_up()) _exit(1);
    tracing::now_ns();
    syscall(SYS_exit, kGood);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != kGood;
}

TEST(TracingSyscalls, half_a_million_events_that_stay) {
  if (clock_needs_a_system_call()) GTEST_SKIP() << "this kernel has no user-space clock";
  EXPECT_EQ(status_when_locked_up({1024, 65536, 4}, [] {
    write_events(80000);
    return tracing::dropped() == 0;
  }), kGood);
}
TEST(TracingSyscalls, half_a_million_events_that_are_dropped) {
  if (clock_needs_a_system_call()) GTEST_SKIP() << "this kernel has no user-space clock";
  EXPECT_EQ(status_when_locked_up({1024, 16, 4}, [] {
    write_events(80000);
    return tracing::dropped() > 300000;
  }), kGood);
}
// SHM-36: no service reads. After one wait in vain, in whichever thread, no event waits.
TEST(TracingSyscalls, a_service_that_hangs_is_waited_for_once) {
  if (clock_needs_a_system_call()) GTEST_SKIP() << "this kernel has no user-space clock";
  EXPECT_EQ(status_when_locked_up({1024, 16, 4}, [] {
    write_events(10000);
    return tracing::dropped() > 30000;
  }, 1000000), kGood);
}
// That the cage holds.
TEST(TracingSyscalls, a_system_call_is_noticed) {
  EXPECT_EQ(status_when_locked_up({1024, 16, 4}, [] { return getppid() > 0; }), 0);
}

}  // namespace
}  // namespace tracing_test
