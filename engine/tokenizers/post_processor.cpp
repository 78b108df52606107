#include "engine/tokenizers/post_processor.h"

#include <map>

#include "engine/tokenizers/allowance.h"
#include "engine/tokenizers/typed_fields.h"

namespace headlight {
namespace {

using Ids = std::vector<std::int32_t>;
using PostProcessorReader = void (*)(const Json& value, const std::string& place, const TokenNames& names,
                                     PostProcessor& processor);

void read_any(const Json& value, const std::string& place, const TokenNames& names, PostProcessor& processor);

// Each processor adds ids around the result of those before it.
void read_sequence(const Json& value, const std::string& place, const TokenNames& names,
                   PostProcessor& processor) {
  const PartFields fields(value, place, {"type", "processors"});
  const std::string within = fields.place("processors");
  const Json::array_t& list = list_value(fields.require("processors", "write a list"), within);
  require_few_steps(list.size(), within);
  for (std::size_t i = 0; i < list.size(); ++i)
    read_any(list[i], place_in_list(within, i), names, processor);
}

// These ids are added to every text.
void require_few_ids(std::size_t count, const std::string& place) {
  constexpr std::size_t kMost = 10'000;
  if (count > kMost)
    throw Error("it adds more than " + std::to_string(kMost) + " ids to each text", place,
                "save the tokenizer with a shorter template");
}

void add_special_ids(PostProcessor& processor, const Ids& before, const Ids& after,
                     const std::string& place) {
  require_few_ids(processor.before.size() + before.size() + processor.after.size() + after.size(), place);
  processor.before.insert(processor.before.begin(), before.begin(), before.end());
  processor.after.insert(processor.after.end(), after.begin(), after.end());
}

std::int32_t id_of_token(const Json& id, const std::string& word, const std::string& place,
                         const TokenNames& names) {
  const std::int64_t number = whole_value(id, place, 0, kMostTokenId);
  const std::optional<std::int32_t> known = names.find(word);
  if (!known)
    throw Error(in_quotes(word) + " is neither in the vocabulary nor an added token", place,
                "add it to added_tokens, or remove it here");
  if (*known != number)
    throw Error(in_quotes(word) + " has id " + std::to_string(number) + ", but " + std::to_string(*known) +
                    " in the vocabulary",
                place, "give it the same id in both");
  return *known;
}

// The ids of one member of "special_tokens".
Ids template_ids(const Json* specials, const std::string& name, const std::string& place,
                 const TokenNames& names) {
  const Json* special = specials && specials->is_object() ? given(*specials, name) : nullptr;
  const std::string within = place + "[" + in_quotes(name) + "]";
  if (!special)
    throw Error(in_quotes(name) + " is not among the special tokens", within,
                "say its ids there, or remove it from the template");
  const JsonFields fields(*special, within, {"id", "ids", "tokens"});
  const std::string ids_place = fields.place("ids"), tokens_place = fields.place("tokens");
  const Json::array_t& ids = list_value(fields.require("ids", "write a list of ids"), ids_place);
  const Json::array_t& tokens = list_value(fields.require("tokens", "write a list of words"), tokens_place);
  if (ids.size() != tokens.size())
    throw Error(
        "there are " + std::to_string(ids.size()) + " ids for " + std::to_string(tokens.size()) + " tokens",
        fields.place("ids"), "give each token its id");
  require_few_ids(ids.size(), ids_place);
  Ids found;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string word_place = place_in_list(tokens_place, i);
    const std::string& word = text_value(tokens[i], word_place);
    found.push_back(id_of_token(ids[i], word, place_in_list(ids_place, i), names));
  }
  return found;
}

// The name in {"SpecialToken": {"id": name}}; null for {"Sequence": {"id": "A"}}, the place of the text.
const std::string* special_name(const Json& piece, const std::string& place) {
  const JsonFields fields(piece, place, {"SpecialToken", "Sequence"});
  if (fields.has("SpecialToken") == fields.has("Sequence"))
    throw Error("a piece is either a SpecialToken or a Sequence", place, "keep one of the two");
  const char* kind = fields.has("Sequence") ? "Sequence" : "SpecialToken";
  const JsonFields inner(*fields.find(kind), fields.place(kind), {"id", "type_id"});
  const std::string name_place = inner.place("id");
  const std::string& name = text_value(inner.require("id", "name it"), name_place);
  if (fields.has("SpecialToken")) return &name;
  if (name != "A")
    throw Error(in_quotes(name) + " in the template of a single text", inner.place("id"), "write \"A\"");
  return nullptr;
}

void read_template(const Json& value, const std::string& place, const TokenNames& names,
                   PostProcessor& processor) {
  const PartFields fields(value, place, {"type", "single", "pair", "special_tokens"});
  const std::string within = fields.place("single");
  const Json::array_t& pieces = list_value(fields.require("single", "write a list"), within);
  require_few_ids(pieces.size(), within);
  Ids before, after;
  std::map<std::string, Ids> known;  // of the special tokens so far
  bool has_text = false;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string* name = special_name(pieces[i], place_in_list(within, i));
    if (name) {
      const auto [special, is_new] = known.try_emplace(*name);
      if (is_new)
        special->second =
            template_ids(fields.find("special_tokens"), *name, fields.place("special_tokens"), names);
      Ids& side = has_text ? after : before;
      side.insert(side.end(), special->second.begin(), special->second.end());
      require_few_ids(before.size() + after.size(), within);
    } else if (has_text) {
      throw Error("the text is there twice", place_in_list(within, i), "keep one piece with \"A\"");
    } else {
      has_text = true;
    }
  }
  if (!has_text) throw Error("the template has no place for the text", within, "add a piece with \"A\"");
  add_special_ids(processor, before, after, within);
}

void read_byte_level(const Json& value, const std::string& place, const TokenNames&, PostProcessor&) {
  const PartFields fields(value, place, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
}

// ["[CLS]", 101]
std::int32_t named_id(const JsonFields& fields, const std::string& key, const TokenNames& names) {
  const std::string place = fields.place(key);
  const Json::array_t& pair = list_value(fields.require(key, "write [word, id]"), place);
  if (pair.size() != 2)
    throw Error("has " + std::to_string(pair.size()) + " members", place, "write [word, id]");
  return id_of_token(pair[1], text_value(pair[0], place_in_list(place, 0)), place_in_list(place, 1), names);
}

// BertProcessing, RobertaProcessing
void read_ends(const Json& value, const std::string& place, const TokenNames& names,
               PostProcessor& processor) {
  const PartFields fields(value, place, {"type", "sep", "cls", "trim_offsets", "add_prefix_space"});
  add_special_ids(processor, {named_id(fields, "cls", names)}, {named_id(fields, "sep", names)}, place);
}

void read_any(const Json& value, const std::string& place, const TokenNames& names,
              PostProcessor& processor) {
  static constexpr std::array<TypeReader<PostProcessorReader>, 5> kReaders = {
      {{"Sequence", read_sequence},
       {"TemplateProcessing", read_template},
       {"ByteLevel", read_byte_level},
       {"BertProcessing", read_ends},
       {"RobertaProcessing", read_ends}}};
  reader_of_type(value, place, kReaders)(value, place, names, processor);
}

}  // namespace

PostProcessor read_post_processor(const Json* value, const TokenNames& names) {
  PostProcessor processor;
  if (value) read_any(*value, "post_processor", names, processor);
  return processor;
}

}  // namespace headlight
