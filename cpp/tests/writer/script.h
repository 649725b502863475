// Executes the calls of a writer vector (vectors/README.md) with the generated writers.
#ifndef HOTPB_TESTS_WRITER_SCRIPT_H_
#define HOTPB_TESTS_WRITER_SCRIPT_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "hotpb/writer.h"
#include "support/json.h"

namespace hotpb_test {

class Script;

// A writer of any type.
class Handle {
 public:
  virtual ~Handle() = default;
  virtual void apply(Script& script, const Json& call) = 0;
};

class Script {
 public:
  Script(hotpb::WriteStream& out, std::string message) : out_(out), message_(std::move(message)) {}
  ~Script() { end_from(0); }
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;

  void run(const Json& calls);
  // Ends the remaining handles, innermost first.
  void end_from(std::int64_t first);

  // A handle that a call returned, by the call's number.
  template <class Writer>
  void hold(const Json& call, Writer writer);
  // The argument of a callable: executes the calls inside.
  template <class Writer>
  void inside(const Json& call, Writer& writer);

 private:
  void open_root(const std::string& message, const Json& call);  // generated
  template <class Writer>
  void root(const Json& call);

  hotpb::WriteStream& out_;
  std::string message_;
  std::map<std::int64_t, std::unique_ptr<Handle>> handles_;
};

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_WRITER_SCRIPT_H_
