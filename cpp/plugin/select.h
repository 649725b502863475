// What messages=, only=, skip= and keep_skipped leave of a schema (FCE-8, FCE-9), and what hot= and cold= make of the
// plan's tiers (FCE-10).
//
// The plan itself stays whole: names and numbers are those of the whole schema, so that what is left out renames
// nothing. Emitters ask the selection which fields of a message they are to see.
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
  // False with the error, which names the option and what is allowed.
  bool choose(const Plan& plan, const Options& options, std::string& error);

  bool has(const Message& message) const { return all_ || messages_.count(&message) != 0; }
  bool has(const Enum& enumeration) const { return all_ || enums_.count(&enumeration) != 0; }

  // By ascending number: the fields to generate, those that are left out, and those of them whose records are dropped.
  std::vector<const Field*> fields(const Message& message) const;
  std::vector<const Field*> skipped(const Message& message) const;
  std::vector<const Field*> dropped(const Message& message) const;

  // Does the message get straight code?
  bool straight(const Message& message) const {
    const auto named = named_tiers_.find(&message);
    return named != named_tiers_.end() ? named->second : all_tiers_.value_or(message.straight);
  }

  // Is a required field to be looked for in the message, or in one that it can hold?
  bool needs_required(const Message& message) const { return required_.count(&message) != 0; }

 private:
  using Named = std::map<const Message*, std::set<const Field*>>;

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
  std::optional<bool> all_tiers_;               // of hot=* or cold=*
};

}  // namespace plugin
}  // namespace hotpb

#endif  // HOTPB_PLUGIN_SELECT_H_
