// Packets into shared memory without a system call and without an allocation (SHM-1). In strict seccomp mode, the
// kernel kills a process at the first call that is not read, write, exit or sigreturn.
#include <gtest/gtest.h>

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdlib>
#include <new>

#include "hotpb/shm/reader.h"
#include "shm/packets.h"

namespace {
std::size_t allocations = 0;
}

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // new is malloc() here, and gcc sees only half of it
#endif

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace hotpb_test {
namespace {

using hotpb::shm::AreaError;
using hotpb::shm::Producer;
using hotpb::shm::Stream;

constexpr int kGood = 42;

// The same as in the writer's own test.
bool write_event(Stream& out, int number) {
  auto root = out.message<ChildWriter>();
  root.set_id(number);
  root.set_name("an event of some length, as events are");
  root.add_counts("key", number);
  root.add_children([&](ChildWriter& child) { child.set_name("the last child, which straddles chunks of 128 bytes"); });
  return root.finish().ok();
}

template <class Work>
int status_in_strict_mode(const hotpb::shm::AreaOptions& area, Work work, std::uint64_t wait_ns = 0) {
  const pid_t child = fork();
  if (child == 0) {
    Producer producer;
    if (producer.create(area) != AreaError::Ok) _exit(1);
    Stream out(producer, wait_ns);
    work(out, 1000);  // warm-up
    const std::size_t before = allocations;
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0) _exit(1);
    const bool good = work(out, 1000000) && allocations == before;
    syscall(SYS_exit, good ? kGood : 2);  // _exit() would be exit_group, which is not allowed
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

TEST(ShmSyscalls, a_quarter_of_a_million_packets_with_patches_that_stay) {
  // 250 MB of packets: 200 bytes each in chunks of 128.
  EXPECT_EQ(status_in_strict_mode({128, 1u << 20, 2},
                                  [](Stream& out, int events) {
                                    bool good = true;
                                    for (int i = 0; i < events / 4; ++i) good = write_event(out, i) && good;
                                    return good;
                                  }),
            kGood);
}
TEST(ShmSyscalls, a_million_packets_that_are_dropped) {
  EXPECT_EQ(status_in_strict_mode({1024, 16, 2},
                                  [](Stream& out, int events) {
                                    for (int i = 0; i < events; ++i) write_event(out, i);
                                    return out.dropped() > static_cast<std::uint64_t>(events) / 2;
                                  }),
            kGood);
}
// Also of an area whose producer may wake the service, while the service does not sleep (SHM-45).
TEST(ShmSyscalls, packets_that_could_wake_a_service) {
  const auto write = [](Stream& out, int events) {
    for (int i = 0; i < events / 4; ++i) write_event(out, i);
    return true;
  };
  EXPECT_EQ(status_in_strict_mode({1024, 16, 2, true}, write), kGood);
}
// SHM-36: nobody reads the area. The warm-up waits once; after it no packet waits.
TEST(ShmSyscalls, packets_that_do_not_wait_again_after_a_wait_in_vain) {
  const auto drop = [](Stream& out, int events) {
    for (int i = 0; i < events; ++i) write_event(out, i);
    return out.dropped() > static_cast<std::uint64_t>(events) / 2;
  };
  EXPECT_EQ(status_in_strict_mode({1024, 16, 2}, drop, 1000000), kGood);
}
// Checks that the kernel does kill the process.
TEST(ShmSyscalls, a_system_call_is_noticed) {
  EXPECT_EQ(status_in_strict_mode({1024, 16, 2}, [](Stream&, int) { return getppid() > 0; }), 0);
}

}  // namespace
}  // namespace hotpb_test
