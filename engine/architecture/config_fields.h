// The members of a model's config.json as Hugging Face's library reads them. Only the table of the family
// (family.h) defines which members it reads and the default for a missing one: code cannot read any other
// member, and a file that has another one gets a note that it is not read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/architecture/network_config.h"
#include "engine/json/json_document.h"

namespace headlight {

inline constexpr Index kMostWidth = 1 << 20, kMostLayers = 1024, kMostVocabulary = 1 << 24,
                       kMostExperts = 4096;

// What a member states. None: the family's read() says what it means.
using ConfigTarget = std::variant<std::monostate, Index NetworkConfig::*, double NetworkConfig::*,
                                  bool NetworkConfig::*, Activation NetworkConfig::*>;

struct ConfigField {
  std::string_view name;
  std::string_view missing;  // the library's default as JSON; "": the member is required
  ConfigTarget target = {};
  std::string_view also = {};  // another name that the library accepts for it
};
using ConfigFieldList = std::vector<ConfigField>;
ConfigFieldList joined(std::initializer_list<ConfigFieldList> parts);
// The sizes by the names that most families have.
ConfigFieldList usual_sizes(std::string_view positions);
// The members that scale rotary positions.
ConfigFieldList rotary_fields();

// Members that demand another computation than the family's at any value except these (JSON): such a file is
// rejected.
struct ConfigLimit {
  std::string_view name;
  std::vector<std::string_view> only;
  std::string_view what;  // what other values demand: "attention to another model's tokens"
};
// The limits of a family, with those of all families.
std::vector<ConfigLimit> fields_limited(const Family& family);

// Whether a member concerns training, text generation or the file itself: it changes no number and causes no
// note.
bool is_idle_field(const Family& family, std::string_view name);

inline constexpr const char* kMendConfig =
    "copy or download config.json again; the other files of the folder tell which model it is";

class ConfigFields {
 public:
  // Throws Error if a member demands a computation that is not supported. Both must outlive this.
  ConfigFields(const Json& document, const Family& family);

  const Family& family() const { return family_; }
  // The value in the file; null if it is missing or JSON null. Accepts any name.
  const Json* find(std::string_view name) const;
  // Whether the family reads the member.
  bool reads(std::string_view name) const;
  // Whether a member that has no effect beside the others is reported: the library writes those with a
  // default into every file.
  bool tells_unused(std::string_view name) const;
  // The value in the file or the library's default; either may be JSON null. Here and below, the name must be
  // one of the family's fields.
  Json value(std::string_view name) const;
  // A whole number from 1 to `most`; size_if() gives nullopt for JSON null. Throws Error for other values,
  // like the functions below for their kind of value.
  Index size(std::string_view name, Index most) const;
  std::optional<Index> size_if(std::string_view name, Index most) const;
  // A whole number from 0 to `most`.
  Index count(std::string_view name, Index most) const;
  // Above 0.
  double number(std::string_view name) const;
  std::optional<double> number_if(std::string_view name) const;
  bool flag(std::string_view name) const;  // null is false
  std::string word(std::string_view name) const;
  Activation activation(std::string_view name) const;
  // Throws Error if the file has the member with another number.
  void require_same(std::string_view name, double number, std::string_view as) const;

  // Members that the family neither reads nor limits and that are not idle.
  std::vector<std::string> unread() const;

 private:
  const ConfigField& field(std::string_view name) const;

  const Json& json_;
  const Family& family_;
};

// A number above 0. Throws Error with the place.
double number_above_0(const Json& value, std::string_view place);
// An activation by the library's name.
Activation activation_of(const std::string& name, std::string_view place);

// The text with the number in the place of '#'.
std::string numbered(const std::string& text, Index number);

}  // namespace headlight
