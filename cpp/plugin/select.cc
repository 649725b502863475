#include "select.h"

#include <algorithm>
#include <utility>

#include "emit.h"

namespace hotpb {
namespace plugin {
namespace {

std::string joined(const std::vector<std::string>& names, const char* separator) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : separator) + name;
  return text;
}

// Lists up to 40 names, and the number of the others.
std::string short_list(std::vector<std::string> names) {
  constexpr std::size_t kMost = 40;
  if (names.empty()) return "none";
  const std::size_t more = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - more);
  return joined(names, ", ") + (more == 0 ? "" : " and " + std::to_string(more) + " more");
}

std::string example_message(const Plan& plan) {
  for (const auto& message : plan.messages) {
    if (message->file->requested && !message->map_entry) return message->name;
  }
  return "pkg.Message";
}

std::string example_field(const Plan& plan) {
  for (const auto& message : plan.messages) {
    if (message->file->requested && !message->map_entry && !message->fields.empty()) {
      return message->name + "." + message->fields[0].name;
    }
  }
  return "pkg.Message.field";
}

// Returns the problem if some members of a oneof are left out and others are not, else "": a record of a member that is
// left out would not clear the others.
std::string split_oneof(const Message& message, const std::set<const Field*>& skipped) {
  for (std::size_t i = 0; i < message.oneofs.size(); ++i) {
    std::vector<std::string> in;
    std::vector<std::string> out;
    for (const Field& field : message.fields) {
      if (field.oneof == static_cast<int>(i)) (skipped.count(&field) != 0 ? out : in).push_back(field.name);
    }
    if (in.empty() || out.empty()) continue;
    return "the oneof " + message.name + "." + message.oneofs[i].name + " would lose " + short_list(out) +
           " but keep " + short_list(in) +
           ", so readers would not know which member is set; leave out all members or none";
  }
  return {};
}

}  // namespace

bool Selection::choose(const Plan& plan, const Options& options, std::string& error) {
  keep_skipped_ = options.keep_skipped;
  if (!choose_fields(plan, options, error) || !choose_messages(plan, options, error) ||
      !choose_tiers(plan, options, error)) {
    return false;
  }
  find_required(plan);
  return true;
}

std::vector<const Field*> Selection::fields(const Message& message) const {
  const auto skipped = skipped_.find(&message);
  std::vector<const Field*> kept;
  for (const Field& field : message.fields) {
    if (skipped == skipped_.end() || skipped->second.count(&field) == 0) kept.push_back(&field);
  }
  return kept;
}

std::vector<const Field*> Selection::skipped(const Message& message) const {
  const auto skipped = skipped_.find(&message);
  if (skipped == skipped_.end()) return {};
  std::vector<const Field*> left_out(skipped->second.begin(), skipped->second.end());
  std::sort(left_out.begin(), left_out.end(), [](const Field* a, const Field* b) { return a->number < b->number; });
  return left_out;
}

std::vector<const Field*> Selection::dropped(const Message& message) const {
  return keep_skipped_ ? std::vector<const Field*>() : skipped(message);
}

// Finds the fields with names such as pkg.Msg.field, by their messages.
bool Selection::find_fields(const Plan& plan, const char* option, const std::vector<std::string>& names, Named& found,
                            std::string& error) {
  const auto refuse = [&](const std::string& problem) {
    error = std::string("option ") + option + "=" + joined(names, "+") + ": " + problem;
    return false;
  };
  for (const std::string& name : names) {
    const std::size_t dot = name.rfind('.');
    const std::string full = name.substr(0, dot == std::string::npos ? 0 : dot);
    const std::string own = name.substr(dot == std::string::npos ? 0 : dot + 1);
    const auto message = std::find_if(plan.messages.begin(), plan.messages.end(),
                                      [&](const auto& each) { return each->name == full && each->file->requested; });
    if (message == plan.messages.end()) {
      return refuse("\"" + full +
                    "\" is not a message of the files to generate; write a full name of a field, such as " +
                    example_field(plan));
    }
    if ((*message)->map_entry) {
      return refuse((*message)->name + " is an entry of a map; name the map field instead");
    }
    const std::vector<Field>& fields = (*message)->fields;
    const auto field = std::find_if(fields.begin(), fields.end(), [&](const Field& each) { return each.name == own; });
    if (field == fields.end()) {
      std::vector<std::string> has;
      for (const Field& member : fields) has.push_back(member.name);
      return refuse("the message " + full + " has no field \"" + own + "\"; it has " + short_list(std::move(has)));
    }
    if (!found[message->get()].insert(&*field).second) return refuse(name + " is named twice");
  }
  return true;
}

bool Selection::choose_fields(const Plan& plan, const Options& options, std::string& error) {
  Named only;
  Named skip;
  if (!find_fields(plan, "only", options.only, only, error)) return false;
  if (!find_fields(plan, "skip", options.skip, skip, error)) return false;
  for (const auto& named : only) {
    if (skip.count(named.first) != 0) {
      error = "option skip=" + joined(options.skip, "+") + ": only= also names fields of " + named.first->name +
              "; use only one of the two options for each message";
      return false;
    }
    std::set<const Field*>& left_out = skipped_[named.first];
    for (const Field& field : named.first->fields) {
      if (named.second.count(&field) == 0) left_out.insert(&field);
    }
  }
  for (const auto& named : skip) skipped_[named.first] = named.second;
  for (const auto& message : plan.messages) {
    const auto skipped = skipped_.find(message.get());
    if (skipped == skipped_.end()) continue;
    const std::string problem = split_oneof(*message, skipped->second);
    if (problem.empty()) continue;
    const bool by_only = only.count(message.get()) != 0;
    error = std::string("option ") + (by_only ? "only=" : "skip=") +
            joined(by_only ? options.only : options.skip, "+") + ": " + problem;
    return false;
  }
  return true;
}

// Chooses the named messages and all that they need, also through extensions in the requested files.
bool Selection::choose_messages(const Plan& plan, const Options& options, std::string& error) {
  all_ = options.messages.empty();
  std::vector<const Message*> open;
  const auto reach = [&](const Field& field) {
    if (field.enumeration != nullptr) enums_.insert(field.enumeration);
    if (field.message != nullptr && messages_.insert(field.message).second) open.push_back(field.message);
  };
  for (const std::string& name : options.messages) {
    const auto found = std::find_if(plan.messages.begin(), plan.messages.end(),
                                    [&](const auto& message) { return message->name == name && !message->map_entry; });
    if (found == plan.messages.end() || !(*found)->file->requested) {
      error = "option messages=" + name + ": not a message of the files to generate; write a full name, such as " +
              example_message(plan);
      return false;
    }
    if (messages_.insert(found->get()).second) open.push_back(found->get());
  }
  while (!open.empty()) {
    const Message* const message = open.back();
    open.pop_back();
    for (const Field* const field : fields(*message)) reach(*field);
    for (const Extendee& extendee : plan.extensions) {
      if (extendee.message != message) continue;
      for (const Field& field : extendee.fields) reach(field);
    }
  }
  return true;
}

bool Selection::choose_tiers(const Plan& plan, const Options& options, std::string& error) {
  for (const bool hot : {true, false}) {
    for (const std::string& name : hot ? options.hot : options.cold) {
      const std::string option = std::string("option ") + (hot ? "hot=" : "cold=") + name + ": ";
      if (name == "*") {
        if (all_tiers_.has_value()) {
          error = option + "hot=* and cold=* exclude each other";
          return false;
        }
        all_tiers_ = hot;
        continue;
      }
      const auto found = std::find_if(plan.messages.begin(), plan.messages.end(), [&](const auto& message) {
        return message->name == name && !message->map_entry && message->file->requested;
      });
      if (found == plan.messages.end()) {
        error = option + "not a message of the files to generate; write a full name or *";
        return false;
      }
      if (!named_tiers_.emplace(found->get(), hot).second) {
        error = option + "it is named twice";
        return false;
      }
    }
  }
  return true;
}

// Walks from the messages that have required fields up to those that can hold them: once for all messages, and without
// recursion.
void Selection::find_required(const Plan& plan) {
  std::map<const Message*, std::vector<const Message*>> holders;
  std::vector<const Message*> open;
  for (const auto& message : plan.messages) {
    for (const Field* const field : fields(*message)) {
      const bool required = field->presence == Presence::Required;
      if (required && required_.insert(message.get()).second) open.push_back(message.get());
      if (field->message != nullptr) holders[field->message].push_back(message.get());
    }
  }
  while (!open.empty()) {
    const Message* const message = open.back();
    open.pop_back();
    for (const Message* const holder : holders[message]) {
      if (required_.insert(holder).second) open.push_back(holder);
    }
  }
}

}  // namespace plugin
}  // namespace hotpb
