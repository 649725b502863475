// Chooses which messages get straight code, and which are by table (PLN-32). The pool's encoder of a wide message may
// be straight even so: code that writes a field is much smaller than code that reads it.
#include <string_view>
#include <unordered_map>

#include "plan.h"

namespace hotpb {
namespace plugin {
namespace {

constexpr std::size_t kMostFields = 16;
constexpr std::size_t kMostEncoded = 64;
constexpr std::size_t kMostMembers = 8;

// Whether schemas extend the message to define options.
bool holds_options(const Message& message) {
  constexpr std::string_view kPackage = "google.protobuf.";
  constexpr std::string_view kOptions = "Options";
  const std::string_view name = message.name;
  return message.file->name == "google/protobuf/descriptor.proto" && name.substr(0, kPackage.size()) == kPackage &&
         name.size() > kOptions.size() && name.substr(name.size() - kOptions.size()) == kOptions;
}

// Finds the messages that only options hold. A message is one of them once all messages that hold it are.
class OptionsOnly {
 public:
  explicit OptionsOnly(const Plan& plan) {
    for (const auto& message : plan.messages) {
      if (holds_options(*message)) enter(message.get());
      if (!message->file->requested) continue;
      for (const Field& field : message->fields) add(message.get(), field);
    }
    for (const Extendee& extendee : plan.extensions) {
      for (const Field& field : extendee.fields) add(extendee.message, field);
    }
    while (!open_.empty()) {
      const Message* const message = open_.back();
      open_.pop_back();
      for (const Message* const child : held_by_[message]) {
        if (--holders_[child] == 0) enter(child);
      }
    }
  }

  bool has(const Message& message) const { return found_.count(&message) != 0; }

 private:
  void add(const Message* holder, const Field& field) {
    if (field.message == nullptr || field.message == holder) return;
    held_by_[holder].push_back(field.message);
    ++holders_[field.message];
  }
  void enter(const Message* message) {
    if (found_.emplace(message, true).second) open_.push_back(message);
  }

  std::unordered_map<const Message*, std::vector<const Message*>> held_by_;
  std::unordered_map<const Message*, std::size_t> holders_;
  std::unordered_map<const Message*, bool> found_;
  std::vector<const Message*> open_;
};

bool has_large_oneof(const Message& message) {
  for (const Oneof& oneof : message.oneofs) {
    if (oneof.fields.size() > kMostMembers) return true;
  }
  return false;
}

}  // namespace

void choose_tiers(Plan& plan) {
  const OptionsOnly options(plan);
  for (const auto& message : plan.messages) {
    const std::size_t count = message->fields.size();
    message->encodes_straight = count <= kMostEncoded && !has_large_oneof(*message) && !options.has(*message);
    message->straight = message->encodes_straight && count <= kMostFields;
  }
}

}  // namespace plugin
}  // namespace hotpb
