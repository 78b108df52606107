#include "engine/arrays/json_builder.h"

#include <utility>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

// Nothing here goes ten deep, and every open bracket takes the memory of a hundred letters.
constexpr std::size_t kDeepest = 100;

}  // namespace

JsonBuilder::Json JsonBuilder::take() {
  return std::move(root_);
}

// Returns the value's place. It stays until the list or object around it goes on.
JsonBuilder::Json* JsonBuilder::add(Json value) {
  Json* place = &root_;
  if (!open_.empty() && open_.back()->is_array()) {
    open_.back()->push_back(nullptr);
    place = &open_.back()->back();
  } else if (!open_.empty()) {
    place = named_;
  }
  *place = std::move(value);
  return place;
}

bool JsonBuilder::open(Json value) {
  if (open_.size() == kDeepest)
    throw Error("brackets are nested more than " + std::to_string(kDeepest) + " deep", "",
                "the file is damaged: restore a copy");
  open_.push_back(add(std::move(value)));
  return true;
}

bool JsonBuilder::close() {
  open_.pop_back();
  return true;
}

bool JsonBuilder::key(string_t& name) {
  stop_if_asked();
  auto& values = open_.back()->get_ref<Json::object_t&>();
  const auto [at, is_new] = values.emplace(name, nullptr);
  if (!is_new)
    throw Error("the key " + in_quotes(name) + " stands twice in one object", "", "remove one of the two");
  named_ = &at->second;
  return true;
}

bool JsonBuilder::null() {
  return add(nullptr) != nullptr;
}
bool JsonBuilder::boolean(bool value) {
  return add(value) != nullptr;
}
bool JsonBuilder::number_integer(number_integer_t value) {
  return add(value) != nullptr;
}
bool JsonBuilder::number_unsigned(number_unsigned_t value) {
  return add(value) != nullptr;
}
bool JsonBuilder::number_float(number_float_t value, const string_t& /*text*/) {
  return add(value) != nullptr;
}
bool JsonBuilder::string(string_t& value) {
  return add(std::move(value)) != nullptr;
}
// Text holds none.
bool JsonBuilder::binary(binary_t& /*value*/) {
  return false;
}

bool JsonBuilder::start_object(std::size_t /*elements*/) {
  return open(Json::object());
}
bool JsonBuilder::end_object() {
  return close();
}
bool JsonBuilder::start_array(std::size_t /*elements*/) {
  stop_if_asked();
  return open(Json::array());
}
bool JsonBuilder::end_array() {
  return close();
}

bool JsonBuilder::parse_error(std::size_t /*position*/, const std::string& /*last_token*/,
                              const nlohmann::detail::exception& error) {
  if (const auto* syntax = dynamic_cast<const Json::parse_error*>(&error)) throw *syntax;
  if (const auto* range = dynamic_cast<const Json::out_of_range*>(&error)) throw *range;
  throw Error(error.what(), "", "the file is damaged: restore a copy");
}

}  // namespace headlight
