// Runs one contender of one task in a process of its own. bench/run starts a process for each contender and lets them
// take turns. The protocol: a line `round` on stdin, and a JSON object on each line of stdout.
//
//   -list                                     the rivals of each task, as JSON
//   -task T -rival R -case C [-input FILE]    serves rounds
//   ... -callgrind N                          N bare operations and nothing else, for a profiler
#ifndef HOTPB_BENCH_GRID_HARNESS_H_
#define HOTPB_BENCH_GRID_HARNESS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bench {

// One rival in one case of one task.
class Contender {
 public:
  virtual ~Contender() = default;

  // The timed function. It is not timed if the contender's result differs from the stock runtime's.
  virtual void run(std::uint64_t operations) = 0;
  // The minimal number of operations in a round.
  virtual std::uint64_t fewest() const { return 2; }
  // The same without the code of the task around an operation, for callgrind and for counting allocations.
  virtual void bare(std::uint64_t operations) { run(operations); }
  // Compares the result with the stock runtime's. Returns the difference, or "".
  virtual std::string verify() = 0;
  // The size of the encoded message that an operation writes or reads.
  virtual std::size_t size() const { return 0; }
  // A checksum of the values that an operation read; 0 if it reads nothing.
  virtual std::uint64_t checksum() { return 0; }
};

struct Request {
  std::string case_name;  // without the compiler
  std::string input;      // the bytes of the input file, if the case has one
};

// The list of a task's rivals. Each registers by a function of its own file.
class Grid {
 public:
  // Returns a contender, or nullptr for a case that the rival does not have.
  using Make = std::function<std::unique_ptr<Contender>(const Request&)>;

  void add(std::string task, std::string rival, std::string note, Make make) {
    rows_.push_back({std::move(task), std::move(rival), std::move(note), std::move(make)});
  }
  int main(int argc, char** argv) const;

 private:
  struct Row {
    std::string task, rival, note;
    Make make;
  };

  void list() const;
  std::vector<Row> rows_;
};

// Makes the optimiser assume that `value`, or all memory, is read.
template <class T>
inline __attribute__((always_inline)) void use(T&& value) {
  asm volatile("" : : "g"(value) : "memory");
}
inline __attribute__((always_inline)) void clobber_memory() { asm volatile("" : : : "memory"); }

}  // namespace bench

#endif  // HOTPB_BENCH_GRID_HARNESS_H_
