#include "engine/tokenizers/pre_tokenizer.h"

#include <string_view>

#include "engine/core/stopping.h"
#include "engine/tokenizers/byte_letters.h"
#include "engine/tokenizers/pattern.h"
#include "engine/tokenizers/typed_fields.h"

namespace headlight {
namespace {

using Fragments = std::vector<Fragment>;
struct Steps {
  std::vector<PreTokenizerStep> steps;
  bool byte_letters = false;
};
using Reader = void (*)(const Json& value, const std::string& place, Steps& steps);
using Cut = std::function<std::vector<Stretch>(std::string_view text)>;

void read_steps(const Json& value, const std::string& place, Steps& steps);

// Each fragment becomes those of the stretches that `cut` leaves of it.
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

void read_sequence(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "pretokenizers"});
  const std::string within = fields.place("pretokenizers");
  const Json::array_t& list = list_value(fields.require("pretokenizers", "write a list"), within);
  for (std::size_t i = 0; i < list.size(); ++i)
    read_steps(list[i], place_in_list(within, i), steps);
}

std::string in_byte_letters(std::string_view text) {
  static const std::array<std::string, 256> kWritten = [] {
    std::array<std::string, 256> written;
    for (std::size_t byte = 0; byte < written.size(); ++byte)
      append_character(written[byte], kByteLetters[byte]);
    return written;
  }();
  std::string letters;
  letters.reserve(text.size());
  for (const char byte : text)
    letters += kWritten[static_cast<unsigned char>(byte)];
  return letters;
}

void read_byte_level(const Json& value, const std::string& place, Steps& steps) {
  static const char* const kWords =
      R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  const JsonFields fields(value, place, {"type", "add_prefix_space", "trim_offsets", "use_regex"});
  if (fields.flag("add_prefix_space", true))
    steps.steps.push_back(changing([](Fragment& fragment) {
      if (!fragment.text.starts_with(' ')) fragment.text.insert(0, " ");
    }));
  if (fields.flag("use_regex", true)) {
    const Pattern words = Pattern::expression(kWords, place);
    steps.steps.push_back(cutting([words](std::string_view text) { return words.stretches(text); }));
  }
  steps.steps.push_back(changing([](Fragment& fragment) { fragment.text = in_byte_letters(fragment.text); }));
  steps.byte_letters = true;
}

void read_split(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "pattern", "behavior", "invert"});
  const Pattern pattern =
      Pattern::read(fields.require("pattern", "say what to look for"), fields.place("pattern"));
  const SplitBehavior behavior =
      split_behavior(required_text(fields, "behavior", "say what becomes of a match, such as \"Isolated\""),
                     fields.place("behavior"));
  const bool inverted = fields.flag("invert", false);
  steps.steps.push_back(cutting([pattern, behavior, inverted](std::string_view text) {
    return split(pattern.stretches(text), behavior, inverted);
  }));
}

void read_whitespace(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type"});
  steps.steps.push_back(cutting([](std::string_view text) {
    return runs_of_kinds(text, [](char32_t character) {
      return is_word_character(character) ? 1 : is_white_space(character) ? 0 : 2;
    });
  }));
}

std::vector<Stretch> parted_by_space(std::string_view text) {
  return runs_of_kinds(text, [](char32_t character) { return is_white_space(character) ? 0 : 1; });
}

void read_whitespace_split(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type"});
  steps.steps.push_back(cutting(parted_by_space));
}

void read_bert(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type"});
  steps.steps.push_back(cutting(parted_by_space));
  steps.steps.push_back(cutting([](std::string_view text) { return stretches_where(text, is_punctuation); }));
}

void read_punctuation(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "behavior"});
  const SplitBehavior behavior =
      split_behavior(fields.text("behavior", "Isolated"), fields.place("behavior"));
  steps.steps.push_back(cutting(
      [behavior](std::string_view text) { return split(stretches_where(text, is_punctuation), behavior); }));
}

void read_digits(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place, {"type", "individual_digits"});
  const SplitBehavior behavior =
      fields.flag("individual_digits", false) ? SplitBehavior::Isolated : SplitBehavior::Contiguous;
  steps.steps.push_back(cutting(
      [behavior](std::string_view text) { return split(stretches_where(text, is_numeric), behavior); }));
}

enum class PrependScheme : std::uint8_t { Always, Never, First };

// Files from before there was a scheme say add_prefix_space.
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

void read_metaspace(const Json& value, const std::string& place, Steps& steps) {
  const JsonFields fields(value, place,
                          {"type", "replacement", "str_rep", "add_prefix_space", "prepend_scheme", "split"});
  const std::string mark =
      required_text(fields, "replacement", "write the letter for a space, such as \"▁\"");
  if (character_count(mark) != 1)
    throw Error(in_quotes(mark) + " is not one character", fields.place("replacement"),
                "write one, as \"▁\"");
  const Pattern space = Pattern::literal(" ", place), marks = Pattern::literal(mark, place);
  const PrependScheme scheme = prepend_scheme(fields);
  steps.steps.push_back(changing([mark, space, scheme](Fragment& fragment) {
    fragment.text = space.replaced(fragment.text, mark);
    const bool wanted =
        scheme == PrependScheme::Always || (scheme == PrependScheme::First && fragment.begins_text);
    if (wanted && !fragment.text.starts_with(mark)) fragment.text.insert(0, mark);
  }));
  if (fields.flag("split", true))
    steps.steps.push_back(cutting([marks](std::string_view text) {
      return split(marks.stretches(text), SplitBehavior::MergedWithNext);
    }));
}

void read_steps(const Json& value, const std::string& place, Steps& steps) {
  static constexpr std::array<TypeReader<Reader>, 9> kReaders = {{{"Sequence", read_sequence},
                                                                  {"ByteLevel", read_byte_level},
                                                                  {"Split", read_split},
                                                                  {"Whitespace", read_whitespace},
                                                                  {"WhitespaceSplit", read_whitespace_split},
                                                                  {"BertPreTokenizer", read_bert},
                                                                  {"Metaspace", read_metaspace},
                                                                  {"Digits", read_digits},
                                                                  {"Punctuation", read_punctuation}}};
  reader_of_type(value, place, kReaders)(value, place, steps);
}

}  // namespace

PreTokenizer PreTokenizer::read(const Json* value) {
  Steps read;
  if (value) read_steps(*value, "pre_tokenizer", read);
  PreTokenizer pre_tokenizer;
  pre_tokenizer.steps_ = std::move(read.steps);
  pre_tokenizer.writes_byte_letters_ = read.byte_letters;
  return pre_tokenizer;
}

std::vector<Fragment> PreTokenizer::cut(Fragment whole) const {
  Fragments fragments;
  if (!whole.text.empty()) fragments.push_back(std::move(whole));
  for (const PreTokenizerStep& step : steps_) {
    stop_if_asked();
    fragments = step(std::move(fragments));
    std::size_t bytes = 0;
    for (const Fragment& fragment : fragments)
      bytes += fragment.text.size();
    require_room(bytes, "pre_tokenizer");
  }
  return fragments;
}

}  // namespace headlight
