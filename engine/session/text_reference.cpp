#include "engine/session/text_reference.h"

#include <algorithm>
#include <array>

#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/session/reference_words.h"

namespace headlight {
namespace {

constexpr Index kMostIndex = 1 << 24;

template <class E, std::size_t N>
const Word<E>* find_word(const std::array<Word<E>, N>& words, std::string_view word) {
  for (const Word<E>& known : words)
    if (known.word == word) return &known;
  return nullptr;
}

template <class E, std::size_t N>
void add_names(const std::array<Word<E>, N>& words, std::vector<std::string>& names) {
  for (const Word<E>& known : words)
    names.emplace_back(known.word);
}

std::string example() {
  return "write it like {weights[1,0]} or {context[1] head 1}";
}

class ReferenceReader {
 public:
  ReferenceReader(TextScanner& in, Index sequence, Index head) : in_(in) {
    reference_.sequence = sequence;
    reference_.head = head;
  }

  TextReference read() {
    if (in_.take_word("first")) reference_.moment = ReferencedState::First;
    if (in_.take_word("opened")) reference_.moment = ReferencedState::Opened;
    reference_.gradient = in_.take_word("gradient");
    read_name();
    const bool of_number = reference_.kind == ReferenceKind::Value && !reference_.guess;
    if (reference_.gradient && !of_number)
      in_.fail("asks for the gradient of what is no number of a stage or a weight",
               "write it like {gradient weights[1,0]} or {gradient W_query[0,1]}");
    const bool plain = reference_.kind == ReferenceKind::Setting;
    if (in_.take("[")) {
      if (plain) in_.fail("takes no index", example());
      read_index();
    } else if (reference_.kind == ReferenceKind::Token) {
      in_.fail("has no index", example());
    } else {
      reference_.every_row = !plain;
    }
    while (in_.at_letter() && !stops(in_.next_word()))
      read_word(in_.take_word());
    return reference_;
  }

 private:
  // Words of the condition or text around the reference.
  static bool stops(std::string_view word) {
    return word == "and" || word == "or" || word == "is" || word == "words";
  }

  // Whether the word fits every list, also one without tokens.
  static bool of_any_list(ReferenceKind kind) {
    return kind != ReferenceKind::LargestToken && kind != ReferenceKind::SmallestToken &&
           kind != ReferenceKind::Entropy;
  }

  void read_name() {
    const std::string_view name = in_.take_word();
    if (const auto stage = stage_from_name(name)) {
      reference_.stage = *stage;
    } else if (const auto* weight = find_word(kWeightWords, name)) {
      reference_.parameter = weight->value;
    } else if (const auto* setting = find_word(kReferencedSettingWords, name)) {
      reference_.kind = ReferenceKind::Setting;
      reference_.setting = setting->value;
    } else if (name == "token") {
      reference_.kind = ReferenceKind::Token;
    } else if (name == "guess") {
      reference_.guess = true;
    } else {
      std::vector<std::string> names = {"token", "guess"};
      for (const StageInfo& info : stage_table())
        names.emplace_back(info.name);
      add_names(kWeightWords, names);
      add_names(kReferencedSettingWords, names);
      const std::string nearest = nearest_name(name, names);
      in_.fail("begins with an unknown name",
               2 * edit_distance(name, nearest) <= name.size() && !name.empty()
                   ? "the nearest known name is " + in_quotes(nearest)
                   : "a quote begins with a stage, a weight, a setting, token, if, else or end, as in "
                     "{weights[1,0]}; write {{ for a brace itself");
    }
  }

  void read_index() {
    reference_.every_row = in_.rest().substr(0, 1) == ",";
    if (!reference_.every_row) reference_.row = in_.read_whole("a row", kMostIndex);
    if (in_.take(",")) reference_.column = in_.read_whole("a column", kMostIndex);
    if (!in_.take("]")) in_.fail("has an index that is not closed", example());
  }

  void read_count() {
    const auto* sign = std::find_if(kCountedWords.begin(), kCountedWords.end(),
                                    [&](const Word<CountedIf>& known) { return in_.take(known.word); });
    if (sign == kCountedWords.end())
      in_.fail("does not say what is counted", "write it like {scores[1] count < 0}, with <, >, = or !=");
    reference_.counted = sign->value;
    const bool negative = in_.take("-");
    if (!in_.take_number(reference_.threshold))
      in_.fail("counts without a number to compare with", "write it like {scores[1] count < 0}");
    if (negative) reference_.threshold = -reference_.threshold;
  }

  void read_list_word(ReferenceKind kind, std::string_view word) {
    const bool token = kind == ReferenceKind::LargestToken || kind == ReferenceKind::SmallestToken;
    if (reference_.is_cell())
      in_.fail("asks a single cell for " + in_quotes(word), "leave the column out: [1]");
    if (token && reference_.every_row && !reference_.column)
      in_.fail("asks a whole stage for " + in_quotes(word), "name a row or a column: [1] or [,1]");
    if (kind == ReferenceKind::Entropy && !reference_.is_row())
      in_.fail("asks for the entropy of what is no row", "name a row: [1]");
    reference_.kind = kind;
    if (kind == ReferenceKind::Count) read_count();
  }

  void read_word(std::string_view word) {
    const bool of_numbers = reference_.kind == ReferenceKind::Value;
    const auto* cell = find_word(kCellWords, word);
    const auto* list = find_word(kListWords, word);
    if (reference_.guess && (!list || !of_numbers || !of_any_list(list->value)))
      in_.fail("asks a guess for " + in_quotes(word),
               "a guess has sum, mean, largest, smallest, spread and count");
    if (reference_.gradient && (cell || (list && !of_any_list(list->value))))
      in_.fail("asks a gradient for " + in_quotes(word),
               "a gradient has sum, mean, largest, smallest, spread and count");
    if (word == "head") {
      reference_.head = in_.read_whole("the number of the head", kMostIndex);
    } else if (word == "sequence") {
      reference_.sequence = in_.read_whole("the number of the sequence", kMostIndex);
    } else if (word == "transposed" && of_numbers && reference_.every_row && !reference_.column) {
      reference_.transposed = true;
    } else if (cell && of_numbers && !reference_.parameter) {
      if (!reference_.is_cell())
        in_.fail("asks a whole row for " + in_quotes(word), "give a row and a column: [1,0]");
      reference_.kind = cell->value;
      if (cell->value == ReferenceKind::Term)
        reference_.term = in_.read_whole("the number of the term", kMostIndex);
    } else if (list && of_numbers) {
      read_list_word(list->value, word);
    } else {
      std::vector<std::string> names = {"head", "sequence", "transposed"};
      add_names(kCellWords, names);
      add_names(kListWords, names);
      in_.fail("has the word " + in_quotes(word) + ", which does not belong there",
               "the nearest known word is " + in_quotes(nearest_name(word, names)));
    }
  }

  TextScanner& in_;
  TextReference reference_;
};

// The number of products that are summed to a cell of the stage; 0 if a cell is not a sum of products.
Index term_count(const Layer& layer, Stage stage) {
  switch (stage) {
    case Stage::Queries:
      return layer.uses(Parameter::Query) ? layer.d_in() : 0;
    case Stage::Keys:
      return layer.uses(Parameter::Key) ? layer.key_d_in() : 0;
    case Stage::Values:
      return layer.uses(Parameter::Value) ? layer.key_d_in() : 0;
    case Stage::Context:
      return layer.key_count();
    case Stage::Output:
      return layer.uses(Parameter::Output) ? layer.concat_width() : 0;
    case Stage::Scores:
    case Stage::Scaled:
    case Stage::Capped:
    case Stage::Biased:
    case Stage::Masked:
    case Stage::Weights:
    case Stage::Dropped:
      return layer.d_k();
    case Stage::Embeddings:
    case Stage::RotatedQueries:
    case Stage::RotatedKeys:
    case Stage::Concat:
      break;
  }
  return 0;
}

bool needs_chain(ReferenceKind kind) {
  return kind == ReferenceKind::Exponential || kind == ReferenceKind::RowMax ||
         kind == ReferenceKind::RowSum || kind == ReferenceKind::Noise;
}

std::string name_of(const TextReference& reference) {
  return in_quotes(reference.parameter ? kWeightWords[static_cast<std::size_t>(*reference.parameter)].word
                                       : stage_info(reference.stage).name);
}

// "row 7 of "weights", which has 5 rows"
std::string beyond(const std::string& line, Index index, Index count, const std::string& whole) {
  return line + " " + std::to_string(index) + " of " + whole + ", which has " +
         counted(count, line, line + "s");
}

// Of the numbers in a matrix of rows x columns.
std::string missing_in(const TextReference& reference, Index rows, Index columns) {
  const std::string whole = name_of(reference);
  if (reference.every_row && rows > kMostReferencedRows)
    return "all rows of " + whole + ", of which at most " + std::to_string(kMostReferencedRows) +
           " are quoted at once";
  if (reference.every_row ? rows == 0 : reference.row >= rows)
    return beyond("row", reference.every_row ? 0 : reference.row, rows, whole);
  const Index column = reference.column.value_or(0);
  return column < columns ? "" : beyond("column", column, columns, whole);
}

bool asks_token(const TextReference& reference) {
  return reference.kind == ReferenceKind::LargestToken || reference.kind == ReferenceKind::SmallestToken;
}

// Whether the stage has what is asked of its numbers, as a row of weights has an entropy.
bool stage_has(const TextReference& reference, const Layer& layer) {
  if (needs_chain(reference.kind)) return is_pair(reference.stage);
  if (reference.kind == ReferenceKind::DrawnMean) return reference.stage == Stage::Dropped;
  if (asks_token(reference)) return reference.every_row || is_pair(reference.stage);
  if (reference.kind == ReferenceKind::Entropy) return reference.stage == Stage::Weights;
  if (reference.kind == ReferenceKind::Terms) return term_count(layer, reference.stage) > 0;
  if (reference.kind == ReferenceKind::Term) return reference.term < term_count(layer, reference.stage);
  return true;
}

std::string missing_in_weight(const TextReference& reference, const Layer& layer) {
  const Matrix& weight = layer.weights.matrix(*reference.parameter);
  if (weight.size() == 0) return name_of(reference) + ", which this model does not use";
  if (asks_token(reference) || reference.kind == ReferenceKind::Entropy)
    return "what is asked of " + name_of(reference) + ", which are weights and not a stage";
  return missing_in(reference, weight.rows(), weight.cols());
}

std::string missing_in_stage(const TextReference& reference, const Layer& layer) {
  const Stage stage = reference.stage;
  if (!stage_exists(layer, stage)) return name_of(reference) + ", a stage that this model does not have";
  if (reference.sequence >= layer.sequence_count())
    return beyond("sequence", reference.sequence, layer.sequence_count(), "the session");
  if (stage_info(stage).per_head && reference.head >= stage_heads(layer, stage))
    return beyond("head", reference.head, stage_heads(layer, stage), name_of(reference));
  std::string numbers = missing_in(reference, stage_rows(layer, stage), stage_columns(layer, stage));
  if (!numbers.empty()) return numbers;
  return stage_has(reference, layer) ? "" : "what is asked of " + name_of(reference) + ", which has none";
}

}  // namespace

TextReference read_reference(TextScanner& in, Index sequence, Index head) {
  return ReferenceReader(in, sequence, head).read();
}

std::string missing_part(const TextReference& reference, const Layer& layer) {
  if (reference.guess) return "the guess";
  if (reference.kind == ReferenceKind::Setting) return "";
  if (reference.kind == ReferenceKind::Token) {
    if (reference.column) return "a column of a token, which has none";
    const Index count = layer.token_count();
    return reference.row < count ? "" : beyond("token", reference.row, count, "the sequence");
  }
  return reference.parameter ? missing_in_weight(reference, layer) : missing_in_stage(reference, layer);
}

}  // namespace headlight
