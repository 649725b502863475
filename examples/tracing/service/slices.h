// The slices of a sequence that are open. An end carries no name: it ends the slice that began last. So the end of a
// slice whose begin is not in the file must not be there either, or it would end the slice around it (TRC-51).
#ifndef TRACING_SERVICE_SLICES_H_
#define TRACING_SERVICE_SLICES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "event_check.h"

namespace tracing::service {

class Slices {
 public:
  bool are_open() const { return depth_ > 0; }
  // Whether the begin of an open slice was left out.
  bool lack_begins() const { return !left_out_.empty(); }
  // An event that may be written. False: it is the end of a slice that was left out.
  bool take(Type type) {
    if (type == Type::TYPE_SLICE_BEGIN) {
      ++depth_;
    } else if (type == Type::TYPE_SLICE_END && depth_ > 0) {
      const bool is_left_out = !left_out_.empty() && left_out_.back() == depth_;
      if (is_left_out) left_out_.pop_back();
      --depth_;
      return !is_left_out;
    }
    return true;
  }
  // An event that is not written.
  void leave_out(Type type) {
    if (type != Type::TYPE_SLICE_BEGIN) return;
    ++depth_;
    if (left_out_.size() < kMost) left_out_.push_back(depth_);
  }

 private:
  static constexpr std::size_t kMost = 4096;  // only a producer that writes packets by hand has more
  std::uint64_t depth_ = 0;
  std::vector<std::uint64_t> left_out_;       // the depths of slices whose begin is not in the file
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_SLICES_H_
