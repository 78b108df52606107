#include "engine/session/quote.h"

#include <array>
#include <charconv>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_fields.h"

namespace headlight {
namespace {

constexpr std::array<Word<Parameter>, 4> kWeightWords = {{{"W_query", Parameter::Query},
                                                          {"W_key", Parameter::Key},
                                                          {"W_value", Parameter::Value},
                                                          {"W_output", Parameter::Output}}};
constexpr std::array<Word<QuotedSetting>, 8> kSettingWords = {
    {{"scale", QuotedSetting::Scale},
     {"dropout", QuotedSetting::Dropout},
     {"dropout_factor", QuotedSetting::DropoutFactor},
     {"d_in", QuotedSetting::DIn},
     {"d_out", QuotedSetting::DOut},
     {"d_k", QuotedSetting::DHead},
     {"heads", QuotedSetting::Heads},
     {"tokens", QuotedSetting::Tokens}}};
constexpr std::array<Word<QuoteKind>, 6> kCellWords = {{{"terms", QuoteKind::Terms},
                                                        {"term", QuoteKind::Term},
                                                        {"exponential", QuoteKind::Exponential},
                                                        {"row_max", QuoteKind::RowMax},
                                                        {"row_sum", QuoteKind::RowSum},
                                                        {"noise", QuoteKind::Noise}}};
constexpr std::array<Word<QuoteKind>, 4> kRowWords = {{{"sum", QuoteKind::Sum},
                                                       {"largest", QuoteKind::Largest},
                                                       {"largest_token", QuoteKind::LargestToken},
                                                       {"entropy", QuoteKind::Entropy}}};

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

constexpr bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Reads what stands between two braces, from left to right.
class QuoteReader {
 public:
  QuoteReader(std::string_view inside, Index sequence, Index head) : rest_(inside), inside_(inside) {
    quote_.sequence = sequence;
    quote_.head = head;
  }

  Quote read() {
    read_name();
    if (take('[')) read_index();
    if (indexed_ != wants_index()) fail(wants_index() ? "has no index" : "takes no index", example());
    for (skip_spaces(); !rest_.empty() && is_letter(rest_.front()); skip_spaces())
      read_word();
    if (take(':')) quote_.decimals = static_cast<int>(read_number("the number of decimals", 8));
    skip_spaces();
    if (!rest_.empty()) fail("ends with " + in_quotes(rest_) + ", which means nothing", example());
    return quote_;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) const {
    throw Error("the quote " + in_quotes("{" + std::string(inside_) + "}") + " " + what, "", hint);
  }
  static std::string example() { return "write it like {weights[1,0]} or {context[1] head 1}"; }
  bool wants_index() const { return quote_.kind != QuoteKind::Setting; }

  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ')
      rest_.remove_prefix(1);
  }
  bool take(char sign) {
    skip_spaces();
    if (rest_.empty() || rest_.front() != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view take_word() {
    skip_spaces();
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length]))
      ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return word;
  }
  Index read_number(const std::string& what, Index most) {
    skip_spaces();
    Index number = 0;
    const auto [end, failure] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (failure != std::errc() || number < 0 || number > most)
      fail("lacks " + what, "write a whole number from 0 to " + std::to_string(most));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return number;
  }

  void read_name() {
    const std::string_view name = take_word();
    if (const auto stage = stage_from_name(name)) {
      quote_.stage = *stage;
    } else if (const auto* weight = find_word(kWeightWords, name)) {
      quote_.kind = QuoteKind::Weight;
      quote_.parameter = weight->value;
    } else if (const auto* setting = find_word(kSettingWords, name)) {
      quote_.kind = QuoteKind::Setting;
      quote_.setting = setting->value;
    } else if (name == "token") {
      quote_.kind = QuoteKind::Token;
    } else {
      std::vector<std::string> names = {"token"};
      for (const StageInfo& info : stage_table())
        names.emplace_back(info.name);
      add_names(kWeightWords, names);
      add_names(kSettingWords, names);
      fail("begins with an unknown name",
           "the nearest known name is " + in_quotes(nearest_name(name, names)));
    }
  }

  void read_index() {
    constexpr Index kMost = 1 << 24;
    indexed_ = true;
    quote_.row = read_number("a row", kMost);
    if (take(',')) quote_.column = read_number("a column", kMost);
    if (!take(']')) fail("has an index that is not closed", example());
  }

  void read_word() {
    const std::string_view word = take_word();
    constexpr Index kMost = 1 << 24;
    const bool of_stage = quote_.kind == QuoteKind::Value;
    const auto* cell = find_word(kCellWords, word);
    const auto* row = find_word(kRowWords, word);
    if (word == "head") {
      quote_.head = read_number("the number of the head", kMost);
    } else if (word == "sequence") {
      quote_.sequence = read_number("the number of the sequence", kMost);
    } else if (cell && of_stage) {
      if (!quote_.column) fail("asks a whole row for " + in_quotes(word), "give a column too: [1,0]");
      quote_.kind = cell->value;
      if (cell->value == QuoteKind::Term) quote_.term = read_number("the number of the term", kMost);
    } else if (row && of_stage) {
      if (quote_.column) fail("asks a single cell for " + in_quotes(word), "leave the column out: [1]");
      quote_.kind = row->value;
    } else {
      std::vector<std::string> names = {"head", "sequence"};
      add_names(kCellWords, names);
      add_names(kRowWords, names);
      fail("has the word " + in_quotes(word) + ", which does not belong there",
           "the nearest known word is " + in_quotes(nearest_name(word, names)));
    }
  }

  std::string_view rest_, inside_;
  Quote quote_;
  bool indexed_ = false;
};

void add_words(std::vector<TextPiece>& pieces, std::string_view words) {
  if (words.empty()) return;
  if (pieces.empty() || pieces.back().quote) pieces.emplace_back();
  pieces.back().words += words;
}

// How many products a cell of the stage is the sum of; 0 when it is not made by one.
Index term_count(const Model& model, Stage stage) {
  switch (stage) {
    case Stage::Queries:
      return model.uses(Parameter::Query) ? model.d_in() : 0;
    case Stage::Keys:
      return model.uses(Parameter::Key) ? model.key_d_in() : 0;
    case Stage::Values:
      return model.uses(Parameter::Value) ? model.key_d_in() : 0;
    case Stage::Context:
      return model.key_count();
    case Stage::Output:
      return model.uses(Parameter::Output) ? model.concat_width() : 0;
    default:
      return is_pair(stage) ? model.d_k() : 0;
  }
}

bool needs_chain(QuoteKind kind) {
  return kind == QuoteKind::Exponential || kind == QuoteKind::RowMax || kind == QuoteKind::RowSum ||
         kind == QuoteKind::Noise;
}

}  // namespace

std::vector<TextPiece> parse_quotes(std::string_view text, Index sequence, Index head) {
  std::vector<TextPiece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t brace = text.find_first_of("{}", at);
    add_words(pieces, text.substr(at, brace == std::string_view::npos ? brace : brace - at));
    if (brace == std::string_view::npos) break;
    if (brace + 1 < text.size() && text[brace + 1] == text[brace]) {
      add_words(pieces, text.substr(brace, 1));
      at = brace + 2;
      continue;
    }
    const std::size_t end = text.find('}', brace);
    const bool nested = text.substr(brace + 1, end - brace - 1).find('{') != std::string_view::npos;
    if (text[brace] == '}' || end == std::string_view::npos || nested)
      throw Error(text[brace] == '}' ? "a brace is closed that was not opened" : "a brace is not closed", "",
                  "a quote stands between { and }; write {{ or }} for a brace itself");
    pieces.push_back({"", QuoteReader(text.substr(brace + 1, end - brace - 1), sequence, head).read()});
    at = end + 1;
  }
  return pieces;
}

bool quote_exists(const Quote& quote, const Model& model) {
  if (quote.kind == QuoteKind::Setting) return true;
  if (quote.kind == QuoteKind::Token) return quote.row < model.token_count() && !quote.column;
  if (quote.kind == QuoteKind::Weight) {
    const Matrix& weight = model.weights.matrix(quote.parameter);
    return quote.row < weight.rows() && quote.column.value_or(0) < weight.cols();
  }
  if (!stage_exists(model, quote.stage) || quote.sequence >= model.sequence_count() ||
      quote.head >= stage_heads(model, quote.stage) || quote.row >= stage_rows(model, quote.stage) ||
      quote.column.value_or(0) >= stage_columns(model, quote.stage))
    return false;
  if (needs_chain(quote.kind)) return is_pair(quote.stage);
  if (quote.kind == QuoteKind::LargestToken) return is_pair(quote.stage);
  if (quote.kind == QuoteKind::Entropy) return quote.stage == Stage::Weights;
  if (quote.kind == QuoteKind::Terms) return term_count(model, quote.stage) > 0;
  if (quote.kind == QuoteKind::Term) return quote.term < term_count(model, quote.stage);
  return true;
}

}  // namespace headlight
