#include "engine/tokenizers/tokenizer_settings.h"

#include <algorithm>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/core/foreign_file.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSettings = std::uint64_t{1} << 26;
constexpr std::int32_t kMostId = 10'000'000;

// The members of a file; an empty object if it is missing.
Json members_of(const fs::path& file) {
  std::error_code unreadable;
  if (!fs::is_regular_file(file, unreadable)) return Json::object();
  require_file(file, kMostSettings);
  require_form(file, FileForm::Json);
  Json members;
  try {
    members = parse_json(read_file(file));
  } catch (const Error& failure) {
    throw failure.inside(file.string());
  }
  if (members.is_object()) return members;
  throw Error("it is " + json_kind(members) + ", expected an object", file.string(),
              "copy or download the file again");
}

const Json* text_in(const Json& object, const char* member) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? &*found : nullptr;
}

// A token is its text, or an object with "content".
std::optional<std::string> token_text(const Json& token) {
  if (token.is_string()) return token.get<std::string>();
  const Json* content = text_in(token, "content");
  return content ? std::optional(content->get<std::string>()) : std::nullopt;
}

void read_named(const Json& members, TokenizerSettings& settings) {
  for (const auto& [name, value] : members.items()) {
    if (name.ends_with("_token"))
      if (const auto text = token_text(value); text && !text->empty()) settings.named.emplace(name, *text);
    if (value.is_boolean()) settings.flags.emplace(name, value.get<bool>());
  }
}

void add_token(TokenizerSettings& settings, KnownToken token) {
  const auto same = [&](const KnownToken& other) { return other.id == token.id; };
  if (!token.text.empty() && std::none_of(settings.added.begin(), settings.added.end(), same))
    settings.added.push_back(std::move(token));
}

std::optional<std::int32_t> id_of(const std::string& text) {
  constexpr std::size_t kMostDigits = 7;
  if (text.empty() || text.size() > kMostDigits || !std::all_of(text.begin(), text.end(), is_digit))
    return {};
  return std::stoi(text);
}

bool is_set(const Json& token, const char* member) {
  const auto found = token.find(member);
  return found != token.end() && found->is_boolean() && found->get<bool>();
}

// {"50256": {"content": "<|endoftext|>", "special": true, ...}, ...}
void read_added_by_id(const Json& members, TokenizerSettings& settings) {
  const auto by_id = members.find("added_tokens_decoder");
  if (by_id == members.end() || !by_id->is_object()) return;
  for (const auto& [key, token] : by_id->items())
    if (const Json* content = text_in(token, "content"))
      if (const auto id = id_of(key))
        add_token(settings,
                  {content->get<std::string>(), *id, is_set(token, "special"), is_set(token, "lstrip")});
}

// {"<|endoftext|>": 50256, ...}
void read_added_by_text(const Json& members, TokenizerSettings& settings) {
  for (const auto& [text, id] : members.items())
    if (id.is_number_integer() && id >= 0 && id <= kMostId) {
      const bool named = std::any_of(settings.named.begin(), settings.named.end(),
                                     [of = text](const auto& one) { return one.second == of; });
      add_token(settings, {text, id.get<std::int32_t>(), named});
    }
}

}  // namespace

bool TokenizerSettings::flag(const std::string& name, bool fallback) const {
  const auto found = flags.find(name);
  return found == flags.end() ? fallback : found->second;
}

std::string TokenizerSettings::token(const std::string& name, const std::string& fallback) const {
  const auto found = named.find(name);
  return found == named.end() ? fallback : found->second;
}

TokenizerSettings read_tokenizer_settings(const fs::path& folder) {
  const Json config = members_of(folder / "tokenizer_config.json"),
             model = members_of(folder / "config.json");
  TokenizerSettings settings;
  for (const Json* members : {&config, &model})
    if (const Json* name = text_in(*members, "tokenizer_class"); name && settings.tokenizer_class.empty())
      settings.tokenizer_class = name->get<std::string>();
  constexpr std::string_view kFast = "Fast";
  if (settings.tokenizer_class.ends_with(kFast))
    settings.tokenizer_class.resize(settings.tokenizer_class.size() - kFast.size());
  if (const Json* type = text_in(model, "model_type")) settings.model_type = type->get<std::string>();
  read_named(config, settings);
  read_named(members_of(folder / "special_tokens_map.json"), settings);
  read_added_by_id(config, settings);
  read_added_by_text(members_of(folder / "added_tokens.json"), settings);
  std::sort(settings.added.begin(), settings.added.end(),
            [](const KnownToken& a, const KnownToken& b) { return a.id < b.id; });
  return settings;
}

}  // namespace headlight
