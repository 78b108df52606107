#include "engine/tokenizers/pre_tokenizer.h"

#include <algorithm>
#include <string_view>

#include "engine/core/stopping.h"
#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/pattern.h"
#include "engine/tokenizers/typed_fields.h"
#include "engine/unicode/characters.h"
#include "engine/unicode/unicode_data.h"

namespace headlight {
namespace {

using Fragments = std::vector<Fragment>;
using PreTokenizerSteps = std::vector<PreTokenizerStep>;
using PreTokenizerReader = void (*)(const Json& value, const std::string& place, PreTokenizerSteps& steps);
using Cut = std::function<std::vector<Stretch>(std::string_view text)>;

void read_steps(const Json& value, const std::string& place, PreTokenizerSteps& steps);

// A step that replaces each fragment by the stretches that `cut` returns for it, without empty ones.
PreTokenizerStep cutting(Cut cut) {
  return [cut = std::move(cut)](const Fragments& fragments) {
    Fragments parts;
    for (const Fragment& fragment : fragments)
      for (const Stretch& stretch : cut(fragment.text))
        if (stretch.begin < stretch.end)
          parts.push_back({fragment.text.substr(stretch.begin, stretch.end - stretch.begin),
                           fragment.begins_text && stretch.begin == 0});
    return parts;
  };
}

template <class Change>
PreTokenizerStep changing(Change change) {
  return [change](Fragments fragments) {
    for (Fragment& fragment : fragments)
      change(fragment);
    return fragments;
  };
}

void read_sequence(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type", "pretokenizers"});
  const std::string within = fields.place("pretokenizers");
  const Json::array_t& list = list_value(fields.require("pretokenizers", "write a list"), within);
  for (std::size_t i = 0; i < list.size(); ++i)
    read_steps(list[i], place_in_list(within, i), steps);
}

void read_byte_level(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  static const char* const kWords =
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  const PartFields fields(value, place, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (fields.flag("add_prefix_space", true))
    steps.push_back(changing([](Fragment& fragment) {
      if (!fragment.text.starts_with(' ')) fragment.text.insert(0, " ");
    }));
  if (fields.flag("use_regex", true)) {
    const Pattern words = Pattern::expression(kWords, place);
    steps.push_back(cutting([words](std::string_view text) { return words.stretches(text); }));
  }
  steps.push_back(changing([](Fragment& fragment) { fragment.text = in_byte_letters(fragment.text); }));
}

void read_split(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type", "pattern", "behavior", "invert"});
  const Pattern pattern =
      Pattern::read(fields.require("pattern", "say what to look for"), fields.place("pattern"));
  const SplitBehavior behavior =
      split_behavior(required_text(fields, "behavior", "say what becomes of a match, such as \"Isolated\""),
                     fields.place("behavior"));
  const bool inverted = fields.flag("invert", false);
  steps.push_back(cutting([pattern, behavior, inverted](std::string_view text) {
    return split(pattern.stretches(text), behavior, inverted);
  }));
}

void read_whitespace(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.push_back(cutting([](std::string_view text) {
    return runs_of_kinds(text, [](char32_t character) {
      return is_word_character(character) ? 1 : is_white_space(character) ? 0 : 2;
    });
  }));
}

std::vector<Stretch> split_by_space(std::string_view text) {
  return runs_of_kinds(text, [](char32_t character) { return is_white_space(character) ? 0 : 1; });
}

void read_whitespace_split(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.push_back(cutting(split_by_space));
}

void read_bert(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.push_back(cutting(split_by_space));
  steps.push_back(cutting([](std::string_view text) { return stretches_where(text, is_punctuation); }));
}

void read_punctuation(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type", "behavior"});
  const SplitBehavior behavior =
      split_behavior(fields.text("behavior", "Isolated"), fields.place("behavior"));
  steps.push_back(cutting(
      [behavior](std::string_view text) { return split(stretches_where(text, is_punctuation), behavior); }));
}

void read_digits(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type", "individual_digits"});
  const SplitBehavior behavior =
      fields.flag("individual_digits", false) ? SplitBehavior::Isolated : SplitBehavior::Contiguous;
  steps.push_back(cutting(
      [behavior](std::string_view text) { return split(stretches_where(text, is_numeric), behavior); }));
}

enum class PrependScheme : std::uint8_t { Always, Never, First };

// Files older than the scheme have add_prefix_space.
PrependScheme prepend_scheme(const JsonFields& fields) {
  static constexpr std::array<Word<PrependScheme>, 3> kWords = {{
      {"always", PrependScheme::Always},
      {"never", PrependScheme::Never},
      {"first", PrependScheme::First},
  }};
  const bool adds = fields.flag("add_prefix_space", true);
  const PrependScheme scheme =
      fields.choice("prepend_scheme", kWords, adds ? PrependScheme::Always : PrependScheme::Never);
  if (!adds && scheme != PrependScheme::Never)
    throw Error("says something else than prepend_scheme", fields.place("add_prefix_space"),
                "remove add_prefix_space, or write \"never\" as the scheme");
  return scheme;
}

void read_metaspace(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place,
                          {"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
  const std::string mark =
      required_text(fields, "replacement", "write the letter for a space, such as \"▁\"");
  if (character_count(mark) != 1)
    throw Error(in_quotes(mark) + " is not one character", fields.place("replacement"),
                "write one, as \"▁\"");
  const Pattern space = Pattern::literal(" ", place), marks = Pattern::literal(mark, place);
  const PrependScheme scheme = prepend_scheme(fields);
  steps.push_back(changing([mark, space, scheme](Fragment& fragment) {
    fragment.text = space.replaced(fragment.text, mark, Allowance(fragment.text.size()));
    const bool wanted =
        scheme == PrependScheme::Always || (scheme == PrependScheme::First && fragment.begins_text);
    if (wanted && !fragment.text.starts_with(mark)) fragment.text.insert(0, mark);
  }));
  if (fields.flag("split", true))
    steps.push_back(cutting([marks](std::string_view text) {
      return split(marks.stretches(text), SplitBehavior::MergedWithNext);
    }));
}

// Japanese is one script, and a space belongs to the script before it, as in the Rust library.
int script_kind(char32_t character) {
  static const auto index = [](std::string_view name) {
    const auto names = unicode_data::script_names();
    return static_cast<int>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  static const int han = index("Han"), hiragana = index("Hiragana"), katakana = index("Katakana");
  if (character == ' ') return 0;
  const int script = script_of(character);
  return character == 0x30FC || script == hiragana || script == katakana ? han : script;
}

// Characters before the first script belong to no part.
std::vector<Stretch> split_by_script(std::string_view text) {
  std::vector<Stretch> found;
  int last = -1;
  std::size_t at = 0;
  for_each_character(text, [&](char32_t character, std::string_view bytes) {
    const int kind = script_kind(character);
    const std::size_t end = at + bytes.size();
    if (kind != 0 && kind != last)
      found.push_back({at, end, true});
    else if (!found.empty())
      found.back().end = end;
    if (kind != 0) last = kind;
    at = end;
  });
  return found;
}

void read_unicode_scripts(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type"});
  steps.push_back(cutting(split_by_script));
}

void read_delimiter(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type", "delimiter"});
  const std::string delimiter = required_text(fields, "delimiter", "write the character to cut at");
  if (character_count(delimiter) != 1)
    throw Error(in_quotes(delimiter) + " is not one character", fields.place("delimiter"),
                "write one character");
  const Pattern pattern = Pattern::literal(delimiter, fields.place("delimiter"));
  steps.push_back(cutting(
      [pattern](std::string_view text) { return split(pattern.stretches(text), SplitBehavior::Removed); }));
}

void read_fixed_length(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  const PartFields fields(value, place, {"type", "length"});
  constexpr std::int64_t kMost = 1'000'000;
  const std::int64_t length = fields.whole("length", 5, 1, kMost);
  steps.push_back(cutting([length](std::string_view text) {
    std::vector<Stretch> found;
    std::int64_t count = 0;
    std::size_t at = 0;
    for_each_character(text, [&](char32_t, std::string_view bytes) {
      if (count++ % length == 0) found.push_back({at, at, true});
      found.back().end = at += bytes.size();
    });
    return found;
  }));
}

void read_steps(const Json& value, const std::string& place, PreTokenizerSteps& steps) {
  static constexpr std::array<TypeReader<PreTokenizerReader>, 12> kReaders = {
      {{"Sequence", read_sequence},
       {"ByteLevel", read_byte_level},
       {"Split", read_split},
       {"Whitespace", read_whitespace},
       {"WhitespaceSplit", read_whitespace_split},
       {"BertPreTokenizer", read_bert},
       {"Metaspace", read_metaspace},
       {"Digits", read_digits},
       {"Punctuation", read_punctuation},
       {"UnicodeScripts", read_unicode_scripts},
       {"CharDelimiterSplit", read_delimiter},
       {"FixedLength", read_fixed_length}}};
  reader_of_type(value, place, kReaders)(value, place, steps);
  require_few_steps(steps.size(), place);
}

}  // namespace

PreTokenizer PreTokenizer::read(const Json* value) {
  PreTokenizer pre_tokenizer;
  if (value) read_steps(*value, "pre_tokenizer", pre_tokenizer.steps_);
  return pre_tokenizer;
}

std::vector<Fragment> PreTokenizer::cut(Fragment whole, Allowance& allowance) const {
  Fragments fragments;
  if (!whole.text.empty()) fragments.push_back(std::move(whole));
  for (const PreTokenizerStep& step : steps_) {
    throw_if_stopped();
    fragments = step(std::move(fragments));
    std::size_t bytes = 0;
    for (const Fragment& fragment : fragments)
      bytes += fragment.text.size();
    allowance.spend(bytes, fragments.size(), "pre_tokenizer");
  }
  return fragments;
}

std::vector<Fragment> PreTokenizer::cut(const Fragment& whole) const {
  Allowance allowance(whole.text.size());
  return cut(whole, allowance);
}

}  // namespace headlight
