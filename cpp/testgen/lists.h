// What testgen generates for each message, by the messages' full names: find<hotpb::view::Reencoder>("pkg.Message"). A
// program finds the messages of the schemas that it links.
#ifndef HOTPB_TESTGEN_LISTS_H_
#define HOTPB_TESTGEN_LISTS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "hotpb/detail/abi.h"

// In the namespace of the configuration (detail/abi.h), so that a program finds no code of another configuration.
namespace hotpb_test {
inline namespace HOTPB_ABI {

template <class Item>
struct List {
  const Item* items;
  std::size_t count;
};

// One for each schema.
template <class Item>
std::vector<List<Item>>& lists() {
  static std::vector<List<Item>> all;
  return all;
}

// Adds the lists of a schema: list.cc.
template <class... Item, std::size_t... count>
bool add_lists(const Item (&... items)[count]) {
  (lists<Item>().push_back({items, count}), ...);
  return true;
}

// nullptr if there is no such message.
template <class Item>
const Item* find(std::string_view message) {
  for (const List<Item>& list : lists<Item>()) {
    for (std::size_t i = 0; i < list.count; ++i) {
      if (list.items[i].message == message) return &list.items[i];
    }
  }
  return nullptr;
}

}  // inline namespace HOTPB_ABI
}  // namespace hotpb_test

#endif  // HOTPB_TESTGEN_LISTS_H_
