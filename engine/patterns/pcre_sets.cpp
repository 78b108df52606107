#include "engine/patterns/pcre_sets.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <array>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

#include "engine/unicode/unicode.h"

namespace headlight {
namespace {

std::string code_point(char32_t character) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "\\x{%X}", static_cast<unsigned>(character));
  return text.data();
}

// Surrogates occur in no text, and PCRE2 does not accept them.
CharacterSet without_surrogates(const CharacterSet& set) {
  return set.without(CharacterSet({{0xD800, 0xDFFF}}));
}

// All characters, one after the other.
std::string all_characters() {
  std::string all;
  all.reserve(4'400'000);
  for (char32_t c = 0; c < 0x110000; ++c)
    if (c < 0xD800 || c > 0xDFFF) append_character(all, c);
  return all;
}

// The characters that [name] matches by PCRE2's own tables; empty for an unknown name.
CharacterSet matched_by_pcre(const std::string& name) {
  const std::string expression = "[" + name + "]+";
  int error = 0;
  PCRE2_SIZE at = 0;
  const std::unique_ptr<pcre2_code, decltype(&pcre2_code_free)> code(
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()), expression.size(), PCRE2_UTF | PCRE2_UCP,
                    &error, &at, nullptr),
      pcre2_code_free);
  if (!code) return {};
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
      pcre2_match_data_create(1, nullptr), pcre2_match_data_free);
  const std::string all = all_characters();
  std::vector<CharacterSet::Range> ranges;
  for (std::size_t begin = 0; pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(all.data()), all.size(),
                                          begin, PCRE2_NO_UTF_CHECK, data.get(), nullptr) > 0;) {
    const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(data.get());
    begin = ends[1];
    std::size_t first = ends[0];
    std::size_t last = ends[1];
    do
      --last;
    while ((all[last] & 0xC0) == 0x80);
    const char32_t from = next_character(all, first), to = next_character(all, last);
    ranges.push_back({from, to});
  }
  return without_surrogates(CharacterSet(std::move(ranges)));
}

std::string made(const CharacterProperty& property) {
  const CharacterSet wanted = without_surrogates(property.members);
  if (property.pcre_name.empty()) return pcre_ranges(wanted);
  const CharacterSet known = matched_by_pcre(property.pcre_name);
  if (known.empty() || !known.without(wanted).empty()) return pcre_ranges(wanted);
  return property.pcre_name + pcre_ranges(wanted.without(known));
}

}  // namespace

std::string pcre_ranges(const CharacterSet& set) {
  std::string text;
  const CharacterSet written = without_surrogates(set);
  for (const CharacterSet::Range& range : written.ranges()) {
    text += code_point(range.first);
    if (range.first != range.last) text += "-" + code_point(range.last);
  }
  return text;
}

std::string pcre_members(const CharacterProperty& property) {
  static std::mutex mutex;
  static std::map<const CharacterProperty*, std::string> known;  // properties live as long as the program
  const std::scoped_lock lock(mutex);
  const auto [entry, is_new] = known.try_emplace(&property);
  if (is_new) entry->second = made(property);
  return entry->second;
}

}  // namespace headlight
