#include "engine/json/json_builder.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

// No supported format nests even ten deep, and each open bracket takes the memory of a hundred characters.
void require_depth(std::size_t depth) {
  constexpr std::size_t kDeepest = 100;
  if (depth > kDeepest)
    throw Error("brackets are nested more than " + std::to_string(kDeepest) + " deep", "",
                "the file is damaged: restore a copy");
}

}  // namespace

Json JsonBuilder::take() {
  return std::move(root_.value);
}

bool JsonBuilder::key(std::string& name) {
  throw_if_stopped();
  auto& members = open_.back()->get_ref<Json::object_t&>();
  const auto [member, is_new] = members.emplace(name, nullptr);
  if (!is_new)
    throw Error("the key " + in_quotes(name) + " stands twice in one object", "", "remove one of the two");
  member_ = &member->second;
  // The outermost packed member counts: everything within it is packed as well.
  const bool named = std::find(packed_.begin(), packed_.end(), name) != packed_.end();
  if (packed_from_ == kNowhere && named) packed_from_ = open_.size();
  return true;
}

bool JsonBuilder::start_object(std::size_t) {
  open(Json::object());
  return true;
}

bool JsonBuilder::start_array(std::size_t) {
  throw_if_stopped();
  unpack();
  if (open_.size() >= packed_from_) {
    require_depth(open_.size() + 1);
    packing_ = true;
  } else {
    open(Json::array());
  }
  return true;
}

bool JsonBuilder::end_array() {
  if (!packing_) return close();
  packing_ = false;
  if (row_.empty()) return add(Json::array());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(row_.data());
  Json row = Json::binary(std::vector<std::uint8_t>(bytes, bytes + row_.size() * sizeof(float)));
  row_.clear();
  return add(std::move(row));
}

bool JsonBuilder::parse_error(std::size_t, const std::string&, const Json::exception& error) {
  if (const auto* syntax = dynamic_cast<const Json::parse_error*>(&error)) throw *syntax;
  throw Error("a number is too large", "", "numbers stay below 3.4e38 in size: look for a very long one");
}

bool JsonBuilder::add(Json value) {
  unpack();
  place(std::move(value));
  return true;
}

// Returns the stored value; the pointer is valid until the enclosing list or object grows.
Json* JsonBuilder::place(Json value) {
  if (open_.empty()) {
    root_.value = std::move(value);
    return &root_.value;
  }
  Json* target = member_;
  if (open_.back()->is_array())
    target = &open_.back()->emplace_back(std::move(value));
  else
    *target = std::move(value);
  if (open_.size() == packed_from_ && open_.back()->is_object()) packed_from_ = kNowhere;
  return target;
}

void JsonBuilder::open(Json value) {
  require_depth(open_.size() + 1);
  unpack();
  const std::size_t packed_from = packed_from_;
  open_.push_back(place(std::move(value)));
  packed_from_ = packed_from;
}

bool JsonBuilder::close() {
  open_.pop_back();
  if (open_.size() == packed_from_ && open_.back()->is_object()) packed_from_ = kNowhere;
  return true;
}

// A list that began with numbers and continues with something else is stored like any other list.
void JsonBuilder::unpack() {
  if (!packing_) return;
  packing_ = false;
  const std::vector<float> numbers = std::move(row_);
  row_.clear();
  open(Json::array());
  for (const float value : numbers)
    place(static_cast<double>(value));
}

}  // namespace headlight
