// The members of a JSON object, declared once for its reader, its writer and its list of known names:
//
//   void members(auto& member, Of<Dropout> auto& dropout) {
//     member("probability", dropout.probability, form::Plain());
//     member("seed", dropout.seed, Seed(), dropout.seed.has_value());  // left out without a seed
//   }
//
// in the order of the file. `member` is a MemberReader, a MemberWriter or MemberNames, or a class of another
// module that goes through the members. A form says how a value stands in JSON:
//
//   void read(const Json& json, const std::string& place, T& value) const;  // throws Error with the place
//   void write(JsonWriter& out, const T& value) const;
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/core/matrix.h"
#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"

namespace headlight {

// T is a Struct, to be read into, or a const one.
template <class T, class Struct>
concept Of = std::same_as<std::remove_const_t<T>, Struct>;

// Reads the members that the object has; others keep their value.
class MemberReader {
 public:
  explicit MemberReader(const JsonFields& object) : object_(object) {}

  template <class T, class Form>
  void operator()(const char* name, T&& value, const Form& form, bool = true) {
    if constexpr (requires { form.hint_if_missing; })
      if (form.hint_if_missing) object_.require(name, form.hint_if_missing);
    if (const Json* json = object_.find(name)) form.read(*json, object_.place(name), value);
  }

 private:
  const JsonFields& object_;
};

// `only`: writes this member alone, as null if the file would leave it out; empty: all.
class MemberWriter {
 public:
  explicit MemberWriter(JsonWriter& out, std::string_view only = {}) : out_(out), only_(only) {}

  template <class T, class Form>
  void operator()(const char* name, const T& value, const Form& form, bool written = true) {
    if (only_.empty() ? !written : name != only_) return;
    out_.key(name);
    if (written)
      form.write(out_, value);
    else
      out_.null();
  }

 private:
  JsonWriter& out_;
  std::string_view only_;
};

struct MemberNames {
  std::vector<std::string> names;
  template <class T, class Form>
  void operator()(const char* name, const T&, const Form&, bool = true) {
    names.emplace_back(name);
  }
};

template <class T>
std::vector<std::string> member_names() {
  MemberNames all;
  const T value{};
  members(all, value);
  return std::move(all.names);
}

// Throws Error as JsonFields does, and as the members' forms do.
template <class T>
void read_members(const Json& json, const std::string& place, T& value) {
  const JsonFields object(json, place, member_names<T>());
  MemberReader reader(object);
  members(reader, value);
}

template <class T>
void write_members(JsonWriter& out, const T& value) {
  out.begin_object();
  MemberWriter writer(out);
  members(writer, value);
  out.end_object();
}

namespace form {

// As its type is: a number, true or false, a text, or an object whose members are declared.
struct Plain {
  void read(const Json& json, const std::string& place, double& to) const { to = number_value(json, place); }
  void read(const Json& json, const std::string& place, bool& to) const { to = flag_value(json, place); }
  void read(const Json& json, const std::string& place, std::string& to) const {
    to = text_value(json, place);
  }
  void read(const Json& json, const std::string& place, float& to) const {
    to = static_cast<float>(number_value(json, place));
  }
  template <class T>
  void read(const Json& json, const std::string& place, T& to) const {
    read_members(json, place, to);
  }
  void write(JsonWriter& out, double value) const { out.number(value); }
  void write(JsonWriter& out, bool value) const { out.flag(value); }
  void write(JsonWriter& out, const std::string& value) const { out.text(value); }
  void write(JsonWriter& out, float value) const { out.float32(value); }
  template <class T>
  void write(JsonWriter& out, const T& value) const {
    write_members(out, value);
  }
};

struct Whole {
  std::int64_t low, high;
  template <class T>
  void read(const Json& json, const std::string& place, T& value) const {
    value = static_cast<T>(whole_value(json, place, low, high));
  }
  void write(JsonWriter& out, std::int64_t value) const { out.whole(value); }
};

template <class E, std::size_t N>
struct OneWord {
  const std::array<Word<E>, N>& words;
  void read(const Json& json, const std::string& place, E& value) const {
    value = JsonFields::word_value(json, place, words);
  }
  void write(JsonWriter& out, E value) const { out.text(word_of(words, value)); }
};
template <class E, std::size_t N>
OneWord(const std::array<Word<E>, N>&) -> OneWord<E, N>;

// A list of values of one form. Hint: for another thing than `expected`.
template <class Form>
struct List {
  Form of_item;
  const char* hint;
  const char* expected = "a list";
  template <class T>
  void read(const Json& json, const std::string& place, std::vector<T>& items) const {
    if (!json.is_array() && !is_packed(json))
      throw Error("is " + json_kind(json) + ", expected " + expected, place, hint);
    items.clear();
    const Json unpacked = is_packed(json) ? Json(packed_numbers(json)) : Json();
    for (const Json& item : is_packed(json) ? unpacked : json) {
      const std::string at = place + "[" + std::to_string(items.size()) + "]";
      of_item.read(item, at, items.emplace_back());
    }
  }
  void write(JsonWriter& out, const std::vector<double>& items) const { out.numbers(items); }
  void write(JsonWriter& out, const std::vector<Index>& items) const { out.wholes(items); }
  void write(JsonWriter& out, const std::vector<std::string>& items) const { out.texts(items); }
  template <class T>
  void write(JsonWriter& out, const std::vector<T>& items) const {
    std::vector<std::string> words;
    words.reserve(items.size());
    for (const T item : items)
      words.emplace_back(word_of(of_item.words, item));
    out.texts(words);
  }
};
template <class Form, class... Texts>
List(Form, Texts...) -> List<Form>;

// null is as good as no member.
template <class Form>
struct OrNull : Form {
  explicit OrNull(Form of_value) : Form(of_value) {}
  template <class T>
  void read(const Json& json, const std::string& place, T& value) const {
    if (!json.is_null()) Form::read(json, place, value);
  }
};

// The member must be there; without a hint it may be missing.
template <class Form>
struct Required : Form {
  Required(Form of_value, const char* hint) : Form(of_value), hint_if_missing(hint) {}
  const char* hint_if_missing;
};

// Of a std::optional: has no value without the member.
template <class Form>
struct Optional : Form {
  explicit Optional(Form of_value) : Form(of_value) {}
  template <class T>
  void read(const Json& json, const std::string& place, std::optional<T>& value) const {
    Form::read(json, place, value.emplace());
  }
  template <class T>
  void write(JsonWriter& out, const std::optional<T>& value) const {
    Form::write(out, *value);
  }
};

}  // namespace form
}  // namespace headlight
