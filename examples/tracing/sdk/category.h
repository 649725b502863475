// A category: a name that switches its events on and off while the program runs.
//
//   inline tracing::Category kRender{"render"};      in one of your headers or source files, at namespace level
//
// An event of a category that is off costs a relaxed load of one byte and a branch. Nothing runs at start-up: a
// category becomes known to the session when its first event is reached.
#ifndef TRACING_SDK_CATEGORY_H_
#define TRACING_SDK_CATEGORY_H_

#include <atomic>
#include <cstdint>

namespace tracing {

class Category {
 public:
  constexpr explicit Category(const char* name) : name_(name) {}
  Category(const Category&) = delete;
  Category& operator=(const Category&) = delete;

  const char* name() const { return name_; }
  // On, or not known yet: what a call site asks.
  bool may_be_on() const { return state_.load(std::memory_order_relaxed) != kOff; }
  // On; this makes the category known.
  bool is_on() {
    const std::uint8_t state = state_.load(std::memory_order_relaxed);
    return state == kOn || (state == kUnknown && meet());
  }

 private:
  friend struct Categories;
  static constexpr std::uint8_t kOff = 0;
  static constexpr std::uint8_t kOn = 1;
  static constexpr std::uint8_t kUnknown = 2;

  bool meet();  // session.h

  std::atomic<std::uint8_t> state_{kUnknown};
  std::atomic<bool> listed_{false};
  const char* const name_;
  Category* next_ = nullptr;
};

// All categories that are known.
struct Categories {
  static inline std::atomic<Category*> first{nullptr};

  static void add(Category& category) {
    if (category.listed_.exchange(true, std::memory_order_relaxed)) return;
    Category* head = first.load(std::memory_order_relaxed);
    do {
      category.next_ = head;
    } while (!first.compare_exchange_weak(head, &category, std::memory_order_release, std::memory_order_relaxed));
  }
  template <class IsOn>
  static void set(IsOn is_on) {
    for (Category* c = first.load(std::memory_order_acquire); c != nullptr; c = c->next_) set(*c, is_on(c->name_));
  }
  static void set(Category& category, bool on) {
    category.state_.store(on ? Category::kOn : Category::kOff, std::memory_order_relaxed);
  }
  static void set_if_unknown_off(Category& category) {
    std::uint8_t expected = Category::kUnknown;
    category.state_.compare_exchange_strong(expected, Category::kOff, std::memory_order_relaxed);
  }
};

}  // namespace tracing

#endif  // TRACING_SDK_CATEGORY_H_
