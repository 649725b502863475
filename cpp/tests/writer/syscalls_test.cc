// A million events without a system call (WTR-1). In strict seccomp mode, the kernel kills a process at the first call
// that is not read, write, exit or sigreturn.
#include <gtest/gtest.h>

#include <string>

#include "hotpb/chunk/callback.h"
#include "hotpb/vectors.hot.h"
#include "hotpb/writer.h"

#ifdef __linux__
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace hotpb_test {
namespace {

using hotpb::vectors::p3::hot::ChildWriter;

constexpr int kEvents = 1000000;
constexpr int kGood = 42;

// An event with children, a map, and packed elements; longer than 64 bytes.
bool write_event(hotpb::WriteStream& out, int number) {
  auto root = out.message<ChildWriter>();
  root.set_id(number);
  root.set_name("an event of some length, as events are");
  root.add_counts("key", number);
  {
    auto child = root.set_child();
    child.set_id(-1);
    auto numbers = child.packed_numbers();
    for (int i = 0; i < 5; ++i) numbers.add(i * number);
  }
  root.add_children([&](ChildWriter& child) { child.set_name("the last child, which straddles chunks of 64 bytes"); });
  return root.finish().ok();
}

// Runs `work` in a process of its own, in strict mode after its first call. Returns 0 if the process was killed.
template <class Work>
int status_in_strict_mode(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work(1000);  // warm-up
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(1);
    syscall(SYS_exit, work(kEvents) ? kGood : 2);  // _exit() would be exit_group, which is not allowed
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

TEST(Syscalls, a_million_events_into_a_fixed_buffer) {
  static std::uint8_t memory[1024];
  EXPECT_EQ(status_in_strict_mode([](int events) {
              static hotpb::FixedBuffer out(memory, sizeof memory);
              bool good = true;
              for (int i = 0; i < events; ++i) {
                out.clear();
                good = write_event(out, i) && good;
              }
              return good;
            }),
            kGood);
}

TEST(Syscalls, a_million_events_into_a_heap_chain) {
  EXPECT_EQ(status_in_strict_mode([](int events) {
              static hotpb::HeapBuffer out([] {
                hotpb::HeapOptions options;
                options.first_chunk = options.largest_chunk = 64;
                return options;
              }());
              bool good = true;
              for (int i = 0; i < events; ++i) {
                out.clear();
                good = write_event(out, i) && good;
              }
              return good;
            }),
            kGood);
}

TEST(Syscalls, a_million_events_through_chunks_that_leave) {
  EXPECT_EQ(status_in_strict_mode([](int events) {
              std::uint8_t ring[8][64];
              std::uint64_t id = 0;
              std::uint64_t patches = 0;
              hotpb::CallbackSource source(
                  [&](std::uint64_t, std::size_t, std::uint32_t) {
                    ++id;
                    return hotpb::Chunk{id, ring[id % 8], 64};
                  },
                  [&](std::uint64_t, std::size_t, const std::uint8_t(&)[4], std::uint32_t) { ++patches; },
                  [](std::uint64_t, std::size_t) {});
              hotpb::WriteStream out(source);
              bool good = true;
              for (int i = 0; i < events; ++i) good = write_event(out, i) && good;
              return good && patches > static_cast<std::uint64_t>(events);
            }),
            kGood);
}

// Checks that the kernel does kill the process.
TEST(Syscalls, a_system_call_is_noticed) {
  EXPECT_EQ(status_in_strict_mode([](int) { return getppid() > 0; }), 0);
}

}  // namespace
}  // namespace hotpb_test
#endif
