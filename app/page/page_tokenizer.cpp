#include "app/page/page_tokenizer.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace headlight {
namespace {

const Json& member(const Json& object, const char* name) {
  static const Json kNone;
  if (!object.is_object()) return kNone;
  const auto found = object.find(name);
  return found == object.end() ? kNone : *found;
}

std::string type_of(const Json& part) {
  const Json& type = member(part, "type");
  return type.is_string() ? type.get<std::string>() : "";
}

// The first type that is none of `known`, of a part or, in a sequence, of those in its list `parts`; "" if
// there is none, or no part.
std::string unknown_type(const Json& part, const char* parts, std::initializer_list<std::string_view> known) {
  if (part.is_null()) return "";
  const std::string type = type_of(part);
  if (type == "Sequence") {
    for (const Json& one : member(part, parts))
      if (std::string unknown = unknown_type(one, parts, known); !unknown.empty()) return unknown;
    return "";
  }
  return std::find(known.begin(), known.end(), type) == known.end() ? type : "";
}

// As JavaScript reads a condition.
bool is_set(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get<std::string>().empty();
  return !value.is_null();
}

// "a normalizer, NFC"; "" if there is nothing that a page does not compute.
std::string unknown_part(const Json& document) {
  if (const Json& normalizer = member(document, "normalizer"); !normalizer.is_null())
    return "a normalizer, " + type_of(normalizer);
  const Json& decoder = member(document, "decoder");
  if (!decoder.is_null() && type_of(decoder) != "ByteLevel") return "a decoder, " + type_of(decoder);
  const std::string cuts = unknown_type(member(document, "pre_tokenizer"), "pretokenizers",
                                        {"ByteLevel", "Split", "Digits", "Whitespace", "WhitespaceSplit"});
  if (!cuts.empty()) return "a pre_tokenizer, " + cuts;
  const std::string frames =
      unknown_type(member(document, "post_processor"), "processors",
                   {"ByteLevel", "TemplateProcessing", "RobertaProcessing", "BertProcessing"});
  if (!frames.empty()) return "a post_processor, " + frames;
  const Json& model = member(document, "model");
  const std::string type = type_of(model).empty() && model.contains("merges") ? "BPE" : type_of(model);
  if (type == "WordLevel") return "";
  if (type != "BPE") return "a model, " + type;
  for (const char* option :
       {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "unk_token"})
    if (is_set(member(model, option))) return std::string("an option, ") + option;
  return "";
}

}  // namespace

std::string why_no_page_tokenizer(const Json& document) {
  const std::string part = unknown_part(document);
  return part.empty() ? "" : "its tokenizer has " + part + ", which a page does not compute";
}

}  // namespace headlight
