// The members of a model's config.json as the hub's library reads them. Which it reads of a family, and what
// it takes where one is missing, stands here alone: whoever asks for another member has no answer, and
// whoever writes one is told that it is not read.
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
  std::string_view missing;    // what stands for it where the file has none, as JSON; "": it must be there
  std::string_view also = {};  // another name that the library takes for the same
};
// What the family's numbers depend on.
std::vector<ConfigField> fields_read(Family family);

// Members that ask for another computation than the family's at any value but these (JSON): such a file is
// refused.
struct ConfigLimit {
  std::string_view name;
  std::vector<std::string_view> only;
  std::string_view what;  // what it would be: "attention to another model's tokens"
};
std::vector<ConfigLimit> fields_limited(Family family);

// Whether a member says something of training, of how texts are continued, or of the file: it changes no
// number, and nobody is told so.
bool is_idle_field(std::string_view name);

inline constexpr const char* kMendConfig =
    "copy or download config.json again; the other files of the folder tell which model it is";

class ConfigFields {
 public:
  // Throws Error when a member asks for what is not computed. The document must live as long.
  ConfigFields(const Json& document, Family family);

  Family family() const { return family_; }
  // What the file has; none where it is missing or null. Any name.
  const Json* find(std::string_view name) const;
  // What the file has or the library takes for it: null where that is none. As for all below: the name must
  // be one of fields_read().
  Json value(std::string_view name) const;
  // A whole number from 1 to `most`; of the second kind none where it is null. Throws Error otherwise, as all
  // below for their own kind.
  Index size(std::string_view name, Index most) const;
  std::optional<Index> size_if(std::string_view name, Index most) const;
  // Above 0.
  double number(std::string_view name) const;
  std::optional<double> number_if(std::string_view name) const;
  bool flag(std::string_view name) const;  // null is false
  std::string word(std::string_view name) const;
  // Throws Error when the file has the member and it is another number.
  void require_same(std::string_view name, double number, std::string_view as) const;

  // Members that the family does not read, and that are no idle ones.
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
