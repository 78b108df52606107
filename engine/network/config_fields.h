// The members of a model's config.json as Hugging Face's library reads them. Only this table defines which
// members a family reads and the default for a missing one: code cannot read any other member, and a file
// that has another one gets a note that it is not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/json/json_document.h"
#include "engine/network/network_config.h"

namespace headlight {

struct ConfigField {
  std::string_view name;
  std::string_view missing;    // the library's default as JSON; "": the member is required
  std::string_view also = {};  // another name that the library accepts for it
};
// The members that determine the family's numbers.
std::vector<ConfigField> fields_read(Family family);

// Members that demand another computation than the family's at any value except these (JSON): such a file is
// rejected.
struct ConfigLimit {
  std::string_view name;
  std::vector<std::string_view> only;
  std::string_view what;  // what other values demand: "attention to another model's tokens"
};
std::vector<ConfigLimit> fields_limited(Family family);

// Whether a member concerns training, text generation or the file itself: it changes no number and causes no
// note.
bool is_idle_field(std::string_view name);

inline constexpr const char* kMendConfig =
    "copy or download config.json again; the other files of the folder tell which model it is";

class ConfigFields {
 public:
  // Throws Error if a member demands a computation that is not supported. The document must outlive this.
  ConfigFields(const Json& document, Family family);

  Family family() const { return family_; }
  // The value in the file; null if it is missing or JSON null. Accepts any name.
  const Json* find(std::string_view name) const;
  // The value in the file or the library's default; either may be JSON null. Here and below, the name must be
  // one of fields_read().
  Json value(std::string_view name) const;
  // A whole number from 1 to `most`; size_if() gives nullopt for JSON null. Throws Error for other values,
  // like the functions below for their kind of value.
  Index size(std::string_view name, Index most) const;
  std::optional<Index> size_if(std::string_view name, Index most) const;
  // Above 0.
  double number(std::string_view name) const;
  std::optional<double> number_if(std::string_view name) const;
  bool flag(std::string_view name) const;  // null is false
  std::string word(std::string_view name) const;
  // Throws Error if the file has the member with another number.
  void require_same(std::string_view name, double number, std::string_view as) const;

  // Members that the family neither reads nor limits and that are not idle.
  std::vector<std::string> unread() const;

 private:
  const ConfigField& field(std::string_view name) const;

  const Json& json_;
  Family family_;
  std::vector<ConfigField> fields_;
};

// A number above 0. Throws Error with the place.
double number_above_0(const Json& value, std::string_view place);

}  // namespace headlight
