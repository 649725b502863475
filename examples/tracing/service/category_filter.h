// The categories that the service has asked for. A producer that traces before it knows them (TRC-53), or that still
// has events for an earlier service, writes others, too.
#ifndef TRACING_SERVICE_CATEGORY_FILTER_H_
#define TRACING_SERVICE_CATEGORY_FILTER_H_

#include <algorithm>
#include <string>
#include <vector>

#include "event_check.h"
#include "registry_reader.h"
#include "text.h"

namespace tracing::service {

class CategoryFilter {
 public:
  explicit CategoryFilter(std::vector<std::string> names = {"*"}) : names_(std::move(names)) {
    for (std::string& name : names_) name = repaired(name);
    all_ = std::find(names_.begin(), names_.end(), "*") != names_.end();
  }

  // Whether one of the event's categories was asked for. An event without a category always was.
  bool passes(const CheckedPacket& packet, const RegistryReader& registry) {
    if (all_ || (packet.categories.empty() && packet.category_texts.empty())) return true;
    for (const std::uint64_t number : packet.categories) {
      if (is_wanted(number, registry)) return true;
    }
    return std::any_of(packet.category_texts.begin(), packet.category_texts.end(),
                       [this](hotpb::Bytes text) { return is_wanted(text.text()); });
  }
  bool passes(std::uint64_t category, const RegistryReader& registry) { return all_ || is_wanted(category, registry); }

 private:
  bool is_wanted(std::string_view name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }
  bool is_wanted(std::uint64_t number, const RegistryReader& registry) {
    while (wanted_.size() < number) wanted_.push_back(is_wanted(registry.text(wanted_.size() + 1)));
    return wanted_[static_cast<std::size_t>(number - 1)];
  }

  std::vector<std::string> names_;
  bool all_ = false;
  std::vector<bool> wanted_;  // by the number of the text
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_CATEGORY_FILTER_H_
