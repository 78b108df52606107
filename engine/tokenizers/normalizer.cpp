#include "engine/tokenizers/normalizer.h"

#include <algorithm>
#include <memory>

#include "engine/core/stopping.h"
#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/char_map.h"
#include "engine/tokenizers/pattern.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

using NormalizerSteps = std::vector<NormalizerStep>;
using NormalizerReader = void (*)(const Json& value, const std::string& place, NormalizerSteps& steps);

void read_steps(const Json& value, const std::string& place, NormalizerSteps& steps);

void read_sequence(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type", "normalizers"});
  const std::string within = fields.place("normalizers");
  const Json::array_t& list = list_value(fields.require("normalizers", "write a list"), within);
  for (std::size_t i = 0; i < list.size(); ++i)
    read_steps(list[i], place_in_list(within, i), steps);
}

void read_prepend(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type", "prepend"});
  const std::string prefix = required_text(fields, "prepend", "write the text that is put in front");
  steps.emplace_back(
      [prefix](const std::string& text, const Allowance&) { return text.empty() ? text : prefix + text; });
}

void read_replace(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type", "pattern", "content"});
  const Pattern pattern =
      Pattern::read(fields.require("pattern", "say what is replaced"), fields.place("pattern"));
  const std::string content = required_text(fields, "content", "say what it is replaced by");
  steps.emplace_back([pattern, content](const std::string& text, const Allowance& allowance) {
    return pattern.replaced(text, content, allowance);
  });
}

template <UnicodeForm form>
void read_form(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.emplace_back([](const std::string& text, const Allowance&) { return in_form(text, form); });
}

void read_lowercase(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.emplace_back([](const std::string& text, const Allowance&) { return lower_case(text); });
}

void read_pipeline_accents(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.emplace_back([](const std::string& text, const Allowance&) {
    return filtered(text, [](char32_t character) { return !is_mark(character); });
  });
}

std::string stripped(std::string_view text, bool left, bool right) {
  std::size_t begin = text.size(), end = 0, at = 0;  // of the text without outer white space
  for_each_character(text, [&](char32_t character, std::string_view bytes) {
    if (!is_white_space(character)) {
      begin = std::min(begin, at);
      end = at + bytes.size();
    }
    at += bytes.size();
  });
  if (!left) begin = 0;
  if (!right) end = text.size();
  return std::string(text.substr(begin, std::max(begin, end) - begin));
}

void read_strip(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type", "strip_left", "strip_right"});
  const bool left = fields.flag("strip_left", true), right = fields.flag("strip_right", true);
  steps.emplace_back(
      [left, right](const std::string& text, const Allowance&) { return stripped(text, left, right); });
}

std::string clean(std::string_view text) {
  std::string cleaned;
  cleaned.reserve(text.size());
  for_each_character(text, [&](char32_t character, std::string_view bytes) {
    const bool blank = character == '\t' || character == '\n' || character == '\r';
    if (!blank && (character == 0 || character == 0xFFFD || is_control(character))) return;
    cleaned += blank || is_white_space(character) ? " " : bytes;
  });
  return cleaned;
}

// Chinese ideographs as in the Rust library: without U+2B820 to U+2B91F.
bool is_ideograph(char32_t character) {
  static constexpr std::array<std::array<char32_t, 2>, 7> kRanges = {{{0x3400, 0x4DBF},
                                                                      {0x4E00, 0x9FFF},
                                                                      {0xF900, 0xFAFF},
                                                                      {0x20000, 0x2A6DF},
                                                                      {0x2A700, 0x2B81F},
                                                                      {0x2B920, 0x2CEAF},
                                                                      {0x2F800, 0x2FA1F}}};
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [&](const auto& range) { return character >= range[0] && character <= range[1]; });
}

std::string with_apart_ideographs(std::string_view text) {
  std::string apart;
  apart.reserve(text.size());
  for_each_character(text, [&](char32_t character, std::string_view bytes) {
    const bool alone = is_ideograph(character);
    if (alone) apart += ' ';
    apart += bytes;
    if (alone) apart += ' ';
  });
  return apart;
}

void read_bert(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place,
                          {"type", "clean_text", "handle_chinese_chars", "strip_accents", "lowercase"});
  const bool lower = fields.flag("lowercase", true);
  const bool strip = given(value, "strip_accents") ? fields.flag("strip_accents", lower) : lower;
  if (fields.flag("clean_text", true))
    steps.emplace_back([](const std::string& text, const Allowance&) { return clean(text); });
  if (fields.flag("handle_chinese_chars", true))
    steps.emplace_back([](const std::string& text, const Allowance&) { return with_apart_ideographs(text); });
  if (strip)
    steps.emplace_back([](const std::string& text, const Allowance&) {
      return filtered(in_form(text, UnicodeForm::Nfd),
                      [](char32_t character) { return !is_nonspacing_mark(character); });
    });
  if (lower) steps.emplace_back([](const std::string& text, const Allowance&) { return lower_case(text); });
}

void read_precompiled(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type", "precompiled_charsmap"});
  const std::string text = required_text(fields, "precompiled_charsmap", "write the map in base64");
  const auto map = std::make_shared<const CharMap>(text, fields.place("precompiled_charsmap"));
  steps.emplace_back([map](const std::string& text, const Allowance&) { return map->apply(text); });
}

// Removes the characters that Google's translation models drop, and replaces those that they read as a space.
std::string as_nmt(std::string_view text) {
  std::string made;
  made.reserve(text.size());
  for_each_character(text, [&](char32_t c, std::string_view bytes) {
    const bool space = c == 0x9 || c == 0xA || c == 0xC || c == 0xD || c == 0x1680 ||
                       (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 ||
                       c == 0xFEFF || c == 0xFFFD;
    const bool gone =
        (c >= 0x1 && c <= 0x8) || c == 0xB || (c >= 0xE && c <= 0x1F) || c == 0x7F || c == 0x8F || c == 0x9F;
    if (!gone) made += space ? " " : bytes;
  });
  return made;
}

void read_nmt(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.emplace_back([](const std::string& text, const Allowance&) { return as_nmt(text); });
}

void read_byte_level(const Json& value, const std::string& place, NormalizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.emplace_back([](const std::string& text, const Allowance&) { return in_byte_letters(text); });
}

void read_steps(const Json& value, const std::string& place, NormalizerSteps& steps) {
  static constexpr std::array<TypeReader<NormalizerReader>, 14> kReaders = {
      {{"Sequence", read_sequence},
       {"Prepend", read_prepend},
       {"Replace", read_replace},
       {"NFC", read_form<UnicodeForm::Nfc>},
       {"NFD", read_form<UnicodeForm::Nfd>},
       {"NFKC", read_form<UnicodeForm::Nfkc>},
       {"NFKD", read_form<UnicodeForm::Nfkd>},
       {"Lowercase", read_lowercase},
       {"StripAccents", read_pipeline_accents},
       {"Strip", read_strip},
       {"BertNormalizer", read_bert},
       {"Precompiled", read_precompiled},
       {"Nmt", read_nmt},
       {"ByteLevel", read_byte_level}}};
  reader_of_type(value, place, kReaders)(value, place, steps);
  require_few_steps(steps.size(), place);
}

}  // namespace

Normalizer Normalizer::read(const Json* value) {
  Normalizer normalizer;
  if (value) read_steps(*value, "normalizer", normalizer.steps_);
  return normalizer;
}

std::string Normalizer::apply(std::string text, Allowance& allowance) const {
  for (const NormalizerStep& step : steps_) {
    throw_if_stopped();
    text = step(std::move(text), allowance);
    allowance.spend(text.size(), 1, "normalizer");
  }
  return text;
}

std::string Normalizer::apply(const std::string& text) const {
  Allowance allowance(text.size());
  return apply(text, allowance);
}

}  // namespace headlight
