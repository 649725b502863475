// The selection: the messages and fields that messages=, only=, skip= and keep_skipped choose (FCE-8, FCE-9), and the
// tiers that hot= and cold= choose (FCE-10).
//
// The plan itself does not change. Names and numbers are those of the whole schema, so a selection renames nothing.
// Emitters ask the selection for the fields of a message.
#ifndef HOTPB_PLUGIN_SELECT_H_
#define HOTPB_PLUGIN_SELECT_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "plan.h"

namespace hotpb {
namespace plugin {

struct Options;

class Selection {
 public:
  // Returns false with the error, which names the option and the fix.
  bool choose(const Plan& plan, const Options& options, std::string& error);

  bool has(const Message& message) const { return all_ || messages_.count(&message) != 0; }
  bool has(const Enum& enumeration) const { return all_ || enums_.count(&enumeration) != 0; }

  // By ascending number: the fields to generate, the fields that are left out, and the left-out fields whose records
  // are discarded.
  std::vector<const Field*> fields(const Message& message) const;
  std::vector<const Field*> skipped(const Message& message) const;
  std::vector<const Field*> dropped(const Message& message) const;

  // Whether the message gets straight code.
  bool straight(const Message& message) const { return tier(message, message.straight); }
  // The same for the pool's encoder.
  bool encodes_straight(const Message& message) const { return tier(message, message.encodes_straight); }

  // Whether hot= names the message.
  bool hot(const Message& message) const { return tier(message, false); }

  // Whether the message, or one that it can hold, has a required field.
  bool needs_required(const Message& message) const { return required_.count(&message) != 0; }

 private:
  using Named = std::map<const Message*, std::set<const Field*>>;

  // Whether hot= names the message; `otherwise` where neither it nor cold= does.
  bool tier(const Message& message, bool otherwise) const {
    const auto named = named_tiers_.find(&message);
    return named != named_tiers_.end() ? named->second : all_tiers_.value_or(otherwise);
  }
  bool find_fields(const Plan& plan, const char* option, const std::vector<std::string>& names, Named& found,
                   std::string& error);
  bool choose_fields(const Plan& plan, const Options& options, std::string& error);
  bool choose_messages(const Plan& plan, const Options& options, std::string& error);
  bool choose_tiers(const Plan& plan, const Options& options, std::string& error);
  void find_required(const Plan& plan);

  bool all_ = true;
  bool keep_skipped_ = false;
  std::set<const Message*> messages_;
  std::set<const Enum*> enums_;
  std::map<const Message*, std::set<const Field*>> skipped_;
  std::set<const Message*> required_;
  std::map<const Message*, bool> named_tiers_;  // true: straight
  std::optional<bool> all_tiers_;               // from hot=* or cold=*
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_SELECT_H_
