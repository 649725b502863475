// Answers the commands of bench/peers for the contenders that are linked in: load, verify, list, run.
#include <time.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <sstream>

#include "contender.h"

// All memory of both sides comes from malloc; these count, and glibc's own do the work.
namespace {
std::uint64_t calls = 0, total = 0;
}
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void* malloc(std::size_t size) noexcept {
  ++calls, total += size;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) noexcept {
  ++calls, total += count * size;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) noexcept {
  ++calls, total += size;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  ++calls, total += size;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept {
  ++calls, total += size;
  *memory = __libc_memalign(alignment, size);
  return *memory != nullptr ? 0 : 12;
}
}

namespace {

using peers::Contender;
using peers::Task;

constexpr Task kTasks[] = {Task::Decode, Task::DecodeRead, Task::Encode, Task::EncodeFresh};
constexpr const char* kNames[] = {"decode", "decode+read", "encode", "encode-fresh"};
const char* name_of(Task task) { return kNames[static_cast<int>(task)]; }

[[noreturn]] void die(const std::string& text) {
  std::cerr << text << std::endl;
  std::exit(1);
}

double processor_time() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

// One contender of the message that is loaded.
struct Runner {
  std::string name;
  std::unique_ptr<Contender> contender;
  bool held = false, good = false;
  struct Measured {
    std::uint64_t operations = 0;
    double allocs = 0, bytes = 0;
  } measured[4];
};

class Program {
 public:
  void serve() {
    for (std::string line; std::getline(std::cin, line);) {
      std::vector<std::string> words;
      std::istringstream in(line);
      for (std::string word; std::getline(in, word, '\t');) words.push_back(word);
      if (words.empty()) continue;
      const std::string& command = words[0];
      if (command == "load" && words.size() == 3) load(words[1], words[2]);
      else if (command == "verify" && words.size() == 2) verify(words[1]);
      else if (command == "list" && words.size() == 2) list(words[1]);
      else if (command == "run" && words.size() > 6) run(words);
      else die("unknown command: " + line);
      std::printf("end\n");
      std::fflush(stdout);
    }
  }

 private:
  void load(const std::string& name, const std::string& path) {
    if (peers::rows().count(name) == 0) die("no message " + name);
    runners_.clear();
    records_.clear();
    loaded_ = name;
    std::ifstream in(path, std::ios::binary);
    if (!in) die("cannot read " + path);
    data_.assign(std::istreambuf_iterator<char>(in), {});
    for (std::size_t at = 0; at < data_.size();) {
      std::uint64_t size = 0;
      for (int shift = 0;; shift += 7) {
        if (at == data_.size() || shift > 28) die(path + ": not delimited");
        const auto byte = static_cast<unsigned char>(data_[at++]);
        size |= std::uint64_t{byte & 0x7Fu} << shift;
        if (byte < 0x80) break;
      }
      if (size > data_.size() - at) die(path + ": truncated");
      records_.emplace_back(data_.data() + at, size);
      at += size;
    }
    if (records_.empty()) die(path + ": no records");
    for (const peers::Entry& entry : peers::rows()[name].contenders) {
      runners_.push_back({entry.name, entry.make(), false, false, {}});
    }
  }
  void check(const std::string& name) const {
    if (name != loaded_) die(name + " is not loaded");
  }

  void verify(const std::string& name) {
    check(name);
    const peers::Stock& stock = peers::rows()[name].stock;
    std::vector<std::uint64_t> sums(records_.size());
    std::vector<std::string> encodings(records_.size());
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (!stock.checksum(records_[i], sums[i]) || !stock.reencode(records_[i], encodings[i])) {
        die(name + ": the stock runtime does not read record " + std::to_string(i));
      }
      all += sums[i];
    }
    for (Runner& runner : runners_) {
      const std::string fault = fault_of(runner, stock, sums, encodings);
      runner.good = fault.empty();
      if (runner.good) std::printf("%s\tok\t%016" PRIx64 "\n", runner.name.c_str(), all);
      else std::printf("%s\twrong\t%s\n", runner.name.c_str(), fault.c_str());
    }
  }
  std::string fault_of(Runner& runner, const peers::Stock& stock, const std::vector<std::uint64_t>& sums,
                       const std::vector<std::string>& encodings) {
    Contender& contender = *runner.contender;
    const bool decodes = contender.takes(Task::Decode) || contender.takes(Task::DecodeRead);
    for (int pass = 0; decodes && pass < 2; ++pass) {  // again into memory that is used
      for (std::size_t i = 0; i < records_.size(); ++i) {
        std::uint64_t sum = 0;
        if (!contender.decode(records_[i], sum)) return "record " + std::to_string(i) + " is refused";
        if (sum != sums[i]) return "the checksum of record " + std::to_string(i) + " differs";
      }
    }
    for (Task task : {Task::Encode, Task::EncodeFresh}) {
      if (!contender.takes(task)) continue;
      if (!hold(runner)) return "a record cannot be held";
      for (std::size_t i = 0; i < records_.size(); ++i) {
        std::string reencoded;
        if (!stock.reencode(contender.encoded(task, i), reencoded)) return "the stock runtime refuses the encoding of record " + std::to_string(i);
        if (reencoded != encodings[i]) return "the encoding of record " + std::to_string(i) + " is another message";
      }
    }
    return {};
  }
  bool hold(Runner& runner) {
    if (!runner.held) runner.held = runner.contender->hold(records_);
    return runner.held;
  }

  void list(const std::string& name) {
    check(name);
    for (Task task : kTasks) {
      for (const Runner& runner : runners_) {
        if (runner.good && runner.contender->takes(task)) std::printf("%s\t%s\n", name_of(task), runner.name.c_str());
      }
    }
  }

  // run NAME TASK ROUNDS MS SEED CONTENDER…
  void run(const std::vector<std::string>& words) {
    check(words[1]);
    const auto found = std::find(std::begin(kNames), std::end(kNames), words[2]);
    if (found == std::end(kNames)) die("no task " + words[2]);
    const Task task = kTasks[found - std::begin(kNames)];
    const int rounds = std::atoi(words[3].c_str());
    const double full = std::atof(words[4].c_str()) * 1e6;
    const unsigned long seed = std::strtoul(words[5].c_str(), nullptr, 10);
    std::vector<Runner*> order;
    for (std::size_t i = 6; i < words.size(); ++i) {
      const auto runner = std::find_if(runners_.begin(), runners_.end(), [&](const Runner& r) { return r.name == words[i]; });
      if (runner == runners_.end() || !runner->good || !runner->contender->takes(task)) die(words[i] + " cannot run " + words[2]);
      if (task == Task::Encode || task == Task::EncodeFresh) hold(*runner);
      calibrate(*runner, task, full);
      order.push_back(&*runner);
    }
    for (int round = 0; round < rounds; ++round) {
      std::vector<Runner*> turn = order;
      std::shuffle(turn.begin(), turn.end(), std::mt19937(static_cast<std::mt19937::result_type>(seed + static_cast<unsigned long>(round))));
      for (Runner* runner : turn) {
        const Runner::Measured& measured = runner->measured[static_cast<int>(task)];
        const double start = processor_time();
        timed(*runner, task, measured.operations);
        const double ns = (processor_time() - start) / static_cast<double>(measured.operations);
        std::printf("%s\t%s\t%s\t%d\t%.3f\t%.4g\t%.8g\n", loaded_.c_str(), name_of(task), runner->name.c_str(), round, ns,
                    measured.allocs, measured.bytes);
      }
    }
  }
  void timed(Runner& runner, Task task, std::uint64_t operations) {
    if (!runner.contender->run(task, records_, operations)) die(runner.name + " failed in " + name_of(task));
  }
  // The operations that fill `full` nanoseconds, at least one pass over the records; and what a pass allocates.
  void calibrate(Runner& runner, Task task, double full) {
    Runner::Measured& measured = runner.measured[static_cast<int>(task)];
    if (measured.operations != 0) return;
    const std::uint64_t pass = records_.size();
    for (std::uint64_t operations = pass;; operations *= 2) {
      const double start = processor_time();
      timed(runner, task, operations);
      const double took = processor_time() - start;
      if (took >= full / 4) {
        measured.operations = std::max(pass, static_cast<std::uint64_t>(static_cast<double>(operations) * full / took));
        break;
      }
    }
    const std::uint64_t calls_before = calls, total_before = total;
    timed(runner, task, pass);
    measured.allocs = static_cast<double>(calls - calls_before) / static_cast<double>(pass);
    measured.bytes = static_cast<double>(total - total_before) / static_cast<double>(pass);
  }

  std::string loaded_, data_;
  peers::Records records_;
  std::vector<Runner> runners_;
};

}  // namespace

int main() { Program().serve(); }
