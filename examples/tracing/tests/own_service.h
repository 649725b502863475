// A session and the service that reads it in one process. A process has one session for its life: so each test is a
// child.
#ifndef TRACING_TESTS_OWN_SERVICE_H_
#define TRACING_TESTS_OWN_SERVICE_H_

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "read_trace.h"
#include "sdk/tracing.h"
#include "service/output.h"
#include "service/server.h"

namespace tracing_test {

// The test's body in a child, which has no session yet. What it expects in vain is printed there.
template <class Body>
void in_child(Body body) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    body();
    std::fflush(stdout);
    _exit(testing::Test::HasFailure() ? 1 : 42);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 42) << "status " << std::hex << status;
}

// Reads this process's own area and registry as a service does.
class OwnService {
 public:
  OwnService() : client_(output, numbers_, counts, getpid(), 1000) {
    tracing::detail::Session* const s = tracing::detail::session.load();
    EXPECT_TRUE(client_.open(s->producer.fd(), s->registry.fd(), 1 << 30));
  }
  void poll() { EXPECT_TRUE(client_.poll()); }
  Trace end() {
    client_.end();
    if (!refuses) {
      for (const std::uint64_t refused : counts.refused) EXPECT_EQ(refused, 0u);
    }
    EXPECT_TRUE(output.dump("/dev/shm/tracing-sdk-test." + std::to_string(getpid())));
    std::string file;
    const std::string path = "/dev/shm/tracing-sdk-test." + std::to_string(getpid());
    if (std::FILE* const in = std::fopen(path.c_str(), "rb")) {
      char part[65536];
      for (std::size_t size; (size = std::fread(part, 1, sizeof part, in)) > 0;) file.append(part, size);
      std::fclose(in);
    }
    unlink(path.c_str());
    return read_trace(hotpb::Bytes(file));
  }
  tracing::service::FlightRecorder output{1u << 30, 1u << 30};
  tracing::service::TranslateCounts counts;
  bool refuses = false;

 private:
  tracing::service::FileNumbers numbers_;
  tracing::service::Client client_;
};

inline bool start_local(const hotpb::shm::AreaOptions& area = {1024, 4096, 64},
                        std::uint32_t registry_bytes = 1 << 16) {
  tracing::Options options;
  options.area = area;
  options.registry_bytes = registry_bytes;
  options.process = "a test";
  return tracing::start(options);
}

}  // namespace tracing_test

#endif  // TRACING_TESTS_OWN_SERVICE_H_
