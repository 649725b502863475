// MessageTables that are built from a plan at run time, instead of those of generated code.
#ifndef HOTPB_TESTS_SUPPORT_TABLES_H_
#define HOTPB_TESTS_SUPPORT_TABLES_H_

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "hotpb/check.h"
#include "plan.h"

namespace hotpb_test {

class Tables {
 public:
  // Borrows the names of the plan.
  explicit Tables(const hotpb::plugin::Plan& plan) {
    for (const auto& message : plan.messages) tables_[message->name];
    for (const auto& message : plan.messages) {
      entries_.emplace_back();
      std::vector<hotpb::FieldEntry>& entries = entries_.back();
      for (const hotpb::plugin::Field& field : message->fields) {
        entries.push_back(hotpb::FieldEntry{
            static_cast<std::uint32_t>(field.number),
            field.delimited ? hotpb::FieldType::Group : field.type,
            field.repeated(),
            field.verify_utf8,
            field.name.c_str(),
            field.message != nullptr ? &tables_[field.message->name] : nullptr,
        });
      }
      tables_[message->name] = hotpb::MessageTable{entries.data(), entries.size()};
    }
  }

  // nullptr if the plan does not have the message.
  const hotpb::MessageTable* find(const std::string& message) const {
    const auto found = tables_.find(message);
    return found == tables_.end() ? nullptr : &found->second;
  }
  const std::map<std::string, hotpb::MessageTable>& all() const { return tables_; }

 private:
  std::map<std::string, hotpb::MessageTable> tables_;
  std::deque<std::vector<hotpb::FieldEntry>> entries_;
};

}  // namespace hotpb_test

#endif  // HOTPB_TESTS_SUPPORT_TABLES_H_
