// Changes one declared member of settings (engine/session/attention_members.h), to test that each is stored.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/session/attention_members.h"
#include "tests/support/catch.h"

namespace headlight_test {

class ChangedMember {
 public:
  // number: which of them, from 0 on, with those of the objects in the settings.
  explicit ChangedMember(int number) : left_(number) {}

  template <class T, class Form>
  void operator()(const char* name, T&& value, const Form&, bool = true) {
    visit(name, value);
  }
  // "" if there are not so many.
  const std::string& name() const { return name_; }

 private:
  template <class T>
  void visit(const char* name, T& value) {
    if constexpr (requires(ChangedMember & changed) { members(changed, value); }) {
      members(*this, value);
    } else if (left_-- == 0) {
      name_ = name;
      change(value);
    }
  }
  template <class... Parts>
  void visit(const char* name, std::tuple<Parts&...>& parts) {
    std::apply([&](Parts&... part) { (visit(name, part), ...); }, parts);
  }

  template <class T>
  static void change(T& value) {
    if constexpr (std::is_enum_v<T>)
      value = static_cast<T>(static_cast<int>(value) == 0 ? 1 : 0);
    else if constexpr (std::is_same_v<T, bool>)
      value = !value;
    else
      value += 2;
  }
  template <class T>
  static void change(std::vector<T>& values) {
    values.push_back(0);
  }
  template <class T>
  static void change(std::optional<T>& value) {
    value = 3;
  }
  static void change(headlight::Scale& scale) { scale = {headlight::ScaleKind::Number, 0.3}; }

  int left_;
  std::string name_;
};

// Calls each(settings) with the settings, in which each member in turn is another one.
template <class Each>
void for_each_change(const headlight::AttentionSettings& settings, const Each& each) {
  for (int number = 0;; ++number) {
    headlight::AttentionSettings changed = settings;
    ChangedMember change(number);
    members(change, changed);
    if (change.name().empty()) return;
    INFO(change.name());
    REQUIRE_FALSE(changed == settings);
    each(changed);
  }
}

}  // namespace headlight_test
