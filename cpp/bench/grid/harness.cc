#include "grid/harness.h"

#include <time.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>

#include "grid/allocations.h"

namespace bench {
namespace {

// How long a turn takes; tests, to which times mean nothing, ask for short ones.
double round_seconds() {
  const char* const ms = std::getenv("HOTPB_BENCH_ROUND_MS");
  return ms != nullptr ? std::atof(ms) / 1000 : 0.02;
}

// The processor time of this process, so that other processes of a busy machine do not count. No contender sleeps or
// has threads.
double now() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

double seconds(Contender& contender, std::uint64_t operations) {
  const double start = now();
  contender.run(operations);
  return now() - start;
}

// Warms the contender up, and finds how many operations fill a round.
std::uint64_t calibrate(Contender& contender) {
  const double full = round_seconds();
  for (std::uint64_t operations = 1;; operations *= 2) {
    const double took = seconds(contender, operations);
    if (took < full / 4) continue;
    const double fill = static_cast<double>(operations) * full / took;
    const std::uint64_t filling = static_cast<std::uint64_t>(fill);
    return filling < contender.fewest() ? contender.fewest() : filling;
  }
}

void round(Contender& contender, std::uint64_t operations) {
  const double took = seconds(contender, operations);
  const Allocations before = allocations();
  contender.bare(1);
  const Allocations after = allocations();
  std::printf("{\"ns_per_op\":%.4f,\"iterations\":%" PRIu64 ",\"allocs\":%" PRIu64 ",\"bytes_per_op\":%" PRIu64 "}\n",
              took * 1e9 / static_cast<double>(operations), operations, after.count - before.count,
              after.bytes - before.bytes);
  std::fflush(stdout);
}

int serve(Contender& contender, const std::string& note) {
  std::string wrong = contender.verify();
  for (char& c : wrong) c = c == '"' || c == '\\' || c == '\n' ? '\'' : c;
  std::printf("{\"ready\":true,\"verified\":%s,\"note\":\"%s\",\"checksum\":\"%016" PRIx64
              "\",\"size\":%zu}\n",
              wrong.empty() ? "true" : "false", (wrong.empty() ? note : "not verified: " + wrong).c_str(),
              contender.checksum(), contender.size());
  std::fflush(stdout);
  if (!wrong.empty()) {
    std::fprintf(stderr, "not verified: %s\n", wrong.c_str());
    return 0;  // a wrong result is not timed
  }
  std::uint64_t operations = 0;
  for (std::string line; std::getline(std::cin, line);) {
    if (line != "round") {
      std::fprintf(stderr, "bench (cpp): unknown request %s\n", line.c_str());
      return 1;
    }
    if (operations == 0) {  // now, because nobody else works in this contender's turn
      contender.run(calibrate(contender));
      operations = calibrate(contender);
    }
    round(contender, operations);
  }
  return 0;
}

}  // namespace

void Grid::list() const {
  std::map<std::string, std::string> tasks;
  for (const Row& row : rows_) {
    std::string& rivals = tasks[row.task];
    rivals += (rivals.empty() ? "\"" : ", \"") + row.rival + "\"";
  }
  std::string out;
  for (const auto& [task, rivals] : tasks) out += (out.empty() ? "{\"" : ", \"") + task + "\": [" + rivals + "]";
  std::printf("%s}\n", out.c_str());
}

int Grid::main(int argc, char** argv) const {
  Request request;
  std::string task, rival, input;
  std::uint64_t callgrind = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "-list") {
      list();
      return 0;
    }
    if (i + 1 == argc) {
      std::fprintf(stderr, "bench (cpp): %s is unknown or needs a value\n", flag.c_str());
      return 1;
    }
    const std::string value = argv[++i];
    if (flag == "-task") task = value;
    else if (flag == "-rival") rival = value;
    else if (flag == "-case") request.case_name = value;
    else if (flag == "-input") input = value;
    else if (flag == "-callgrind") callgrind = std::strtoull(value.c_str(), nullptr, 10);
    else {
      std::fprintf(stderr, "bench (cpp): unknown argument %s\n", flag.c_str());
      return 1;
    }
  }
  if (!input.empty()) {
    std::ifstream file(input, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "bench (cpp): %s cannot be read\n", input.c_str());
      return 1;
    }
    request.input.assign(std::istreambuf_iterator<char>(file), {});
  }
  for (const Row& row : rows_) {
    if (row.task != task || row.rival != rival) continue;
    const std::unique_ptr<Contender> contender = row.make(request);
    if (contender == nullptr) break;
    if (callgrind == 0) return serve(*contender, row.note);
    contender->bare(callgrind);
    return 0;
  }
  std::fprintf(stderr, "bench (cpp): no %s in case '%s' of task '%s'\n", rival.c_str(), request.case_name.c_str(),
               task.c_str());
  return 1;
}

}  // namespace bench
