// The analysis of a resolved schema: recursion groups, maximal sizes, memory estimates, storage (PLN-17 to PLN-20).
#include <algorithm>
#include <unordered_map>

#include "plan.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::int64_t kMaxBounded = (std::int64_t{1} << 28) - 1;
constexpr std::int64_t kMaxValueRow = 256;

// Strongly connected components by Tarjan's algorithm, with its own stack, because a schema may have a chain of any
// length. Components are found children first, which is the order that the sizes need.
class Components {
 public:
  explicit Components(const Plan& plan) {
    for (std::size_t i = 0; i < plan.messages.size(); ++i) index_of_[plan.messages[i].get()] = i;
    const std::size_t count = plan.messages.size();
    order_.assign(count, kUnseen);
    low_.assign(count, 0);
    component_.assign(count, kUnseen);
    recursive_.assign(count, false);
    for (const auto& message : plan.messages) children_.push_back(children(*message));
    for (std::size_t i = 0; i < count; ++i) {
      if (order_[i] == kUnseen) visit(i);
    }
  }

  const std::vector<std::size_t>& children_first() const { return finished_; }
  bool same(const Message* a, const Message* b) const { return component(a) == component(b); }
  std::size_t component(const Message* message) const { return component_[index_of_.at(message)]; }
  bool recursive(const Message* message) const { return recursive_[index_of_.at(message)]; }

 private:
  static constexpr std::size_t kUnseen = static_cast<std::size_t>(-1);

  struct Visit {
    std::size_t node;
    std::size_t next_child;
  };

  std::vector<std::size_t> children(const Message& message) const {
    std::vector<std::size_t> result;
    for (const Field& field : message.fields) {
      if (field.message != nullptr) result.push_back(index_of_.at(field.message));
    }
    return result;
  }

  void visit(std::size_t root) {
    std::vector<Visit> path;
    enter(root, path);
    while (!path.empty()) {
      Visit& top = path.back();
      const std::size_t node = top.node;
      if (top.next_child < children_[node].size()) {
        const std::size_t child = children_[node][top.next_child++];
        if (child == node) recursive_[node] = true;
        if (order_[child] == kUnseen) {
          enter(child, path);
        } else if (component_[child] == kUnseen) {
          low_[node] = std::min(low_[node], order_[child]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low_[path.back().node] = std::min(low_[path.back().node], low_[node]);
      if (low_[node] == order_[node]) close(node);
    }
  }

  void enter(std::size_t node, std::vector<Visit>& path) {
    order_[node] = low_[node] = seen_++;
    open_.push_back(node);
    path.push_back(Visit{node, 0});
  }

  void close(std::size_t node) {
    const std::size_t first = finished_.size();
    std::size_t member;
    do {
      member = open_.back();
      open_.pop_back();
      component_[member] = components_;
      finished_.push_back(member);
    } while (member != node);
    ++components_;
    if (finished_.size() - first > 1) {
      for (std::size_t i = first; i < finished_.size(); ++i) recursive_[finished_[i]] = true;
    }
  }

  std::unordered_map<const Message*, std::size_t> index_of_;
  std::vector<std::vector<std::size_t>> children_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> low_;
  std::vector<std::size_t> component_;
  std::vector<bool> recursive_;
  std::vector<std::size_t> open_;
  std::vector<std::size_t> finished_;
  std::size_t seen_ = 0;
  std::size_t components_ = 0;
};

// PLN-18: numbers the groups in the order of the plan, for the requested files only.
void number_groups(Plan& plan, const Components& components) {
  std::unordered_map<std::size_t, int> numbers;
  for (const auto& message : plan.messages) {
    if (!message->file->requested || !components.recursive(message.get())) continue;
    const auto found = numbers.emplace(components.component(message.get()), static_cast<int>(numbers.size()) + 1);
    message->recursion = found.first->second;
  }
}

// PLN-17: the tag and the largest value, or kUnbounded.
std::int64_t max_field_size(const Field& field) {
  const std::int64_t tag =
      static_cast<std::int64_t>(wire::varint_size(static_cast<std::uint64_t>(field.number) << 3));
  if (field.repeated()) return kUnbounded;
  if (field.message != nullptr) {
    const std::int64_t child = field.message->max_size;
    if (child == kUnbounded) return kUnbounded;
    if (field.delimited) return tag + child + tag;
    return tag + static_cast<std::int64_t>(wire::varint_size(static_cast<std::uint64_t>(child))) + child;
  }
  const std::string_view size = size_class(field);
  if (size == "len") return kUnbounded;
  if (size == "bool") return tag + 1;
  if (size == "varint32") return tag + 5;
  if (size == "varint64") return tag + 10;
  return tag + (size == "fix4" ? 4 : 8);
}

std::int64_t max_message_size(const Message& message, bool recursive) {
  if (recursive || message.message_set || !message.extension_ranges.empty()) return kUnbounded;
  std::int64_t total = 0;
  std::vector<std::int64_t> largest(message.oneofs.size(), 0);
  for (const Field& field : message.fields) {
    const std::int64_t size = max_field_size(field);
    if (size == kUnbounded) return kUnbounded;
    if (field.oneof < 0) {
      total += size;
    } else {
      std::int64_t& member = largest[static_cast<std::size_t>(field.oneof)];
      member = std::max(member, size);
    }
    if (total > kMaxBounded) return kUnbounded;
  }
  for (const std::int64_t size : largest) {
    total += size;
    if (total > kMaxBounded) return kUnbounded;
  }
  return total;
}

// PLN-19 for one field that counts.
std::int64_t row_bytes_of(const Field& field) {
  if (field.repeated()) return 24;
  if (field.message != nullptr) return field.child_pointer ? 8 : field.message->row_bytes;
  switch (field.type) {
    case FieldType::Bool: return 1;
    case FieldType::String:
    case FieldType::Bytes: return 16;
    case FieldType::Int32:
    case FieldType::Uint32:
    case FieldType::Sint32:
    case FieldType::Fixed32:
    case FieldType::Sfixed32:
    case FieldType::Float:
    case FieldType::Enum: return 4;
    default: return 8;
  }
}

void lay_out(Message& message, const Components& components) {
  message.row_bytes = 32 + 16 * static_cast<std::int64_t>(message.oneofs.size());
  for (Field& field : message.fields) {
    if (field.message != nullptr && !field.repeated()) {
      field.child_pointer = components.same(&message, field.message) || field.message->row_bytes > kMaxValueRow;
    }
    if (field.oneof < 0 || field.message != nullptr) message.row_bytes += row_bytes_of(field);
  }
}

}  // namespace

void analyse(Plan& plan) {
  const Components components(plan);
  number_groups(plan, components);
  for (const std::size_t index : components.children_first()) {
    Message& message = *plan.messages[index];
    message.max_size = max_message_size(message, components.recursive(&message));
    lay_out(message, components);
  }
}

}  // namespace plugin
}  // namespace hotpb
