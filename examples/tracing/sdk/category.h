// A category: a name that switches its events on and off while the program runs.
//
//   inline tracing::Category kRender{"render"};      in one of your headers or source files, at namespace level
//
// An event of a category that is off costs a relaxed load of one byte and a branch. A category becomes known to the
// session when its first event is reached, and is forgotten when it is destroyed: when its library is unloaded or the
// program ends. After that its events are off.
#ifndef TRACING_SDK_CATEGORY_H_
#define TRACING_SDK_CATEGORY_H_

#include <atomic>
#include <cstdint>
#include <mutex>

namespace tracing {

class Category {
 public:
  constexpr explicit Category(const char* name) : name_(name == nullptr ? "" : name) {}
  ~Category();  // session.h
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
  bool listed_ = false;
  const char* const name_;
  std::atomic<Category*> next_{nullptr};
};

// All categories that are known. A change is one store, so that the child of fork() finds a list whatever another
// thread was doing.
struct Categories {
  static inline std::mutex lock;
  static inline std::atomic<Category*> first{nullptr};

  static void add(Category& category) {
    const std::lock_guard<std::mutex> guard(lock);
    if (category.listed_) return;
    category.listed_ = true;
    category.next_.store(first.load(std::memory_order_relaxed), std::memory_order_relaxed);
    first.store(&category, std::memory_order_release);
  }
  static void remove(Category& category) {
    const std::lock_guard<std::mutex> guard(lock);
    set(category, false);
    if (!category.listed_) return;
    std::atomic<Category*>* at = &first;
    while (at->load(std::memory_order_relaxed) != &category) at = &at->load(std::memory_order_relaxed)->next_;
    at->store(category.next_.load(std::memory_order_relaxed), std::memory_order_release);
    category.listed_ = false;
  }
  // All become unknown.
  static void release() {
    const std::lock_guard<std::mutex> guard(lock);
    while (Category* const category = first.load(std::memory_order_relaxed)) {
      first.store(category->next_.load(std::memory_order_relaxed), std::memory_order_release);
      category->listed_ = false;
      category->state_.store(Category::kUnknown, std::memory_order_relaxed);
    }
  }
  template <class IsOn>
  static void set(IsOn is_on) {
    const std::lock_guard<std::mutex> guard(lock);
    for (Category* c = first.load(std::memory_order_relaxed); c != nullptr;
         c = c->next_.load(std::memory_order_relaxed)) {
      set(*c, is_on(c->name_));
    }
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
