#include "engine/session/quote.h"

#include <array>

#include "engine/core/error.h"
#include "engine/core/nearest.h"
#include "engine/json/json_fields.h"

namespace headlight {
namespace {

constexpr Index kMostIndex = 1 << 24;

constexpr std::array<Word<Parameter>, 4> kWeightWords = {{{"W_query", Parameter::Query},
                                                          {"W_key", Parameter::Key},
                                                          {"W_value", Parameter::Value},
                                                          {"W_output", Parameter::Output}}};
constexpr std::array<Word<QuotedSetting>, 13> kSettingWords = {
    {{"scale", QuotedSetting::Scale},
     {"dropout", QuotedSetting::Dropout},
     {"dropout_factor", QuotedSetting::DropoutFactor},
     {"d_in", QuotedSetting::DIn},
     {"d_out", QuotedSetting::DOut},
     {"d_k", QuotedSetting::DHead},
     {"heads", QuotedSetting::Heads},
     {"kv_heads", QuotedSetting::KvHeads},
     {"tokens", QuotedSetting::Tokens},
     {"key_tokens", QuotedSetting::KeyTokens},
     {"sequences", QuotedSetting::Sequences},
     {"weight_seed", QuotedSetting::WeightSeed},
     {"dropout_seed", QuotedSetting::DropoutSeed}}};
constexpr std::array<Word<QuoteKind>, 7> kCellWords = {{{"terms", QuoteKind::Terms},
                                                        {"term", QuoteKind::Term},
                                                        {"exponential", QuoteKind::Exponential},
                                                        {"row_max", QuoteKind::RowMax},
                                                        {"row_sum", QuoteKind::RowSum},
                                                        {"noise", QuoteKind::Noise},
                                                        {"drawn_mean", QuoteKind::DrawnMean}}};
constexpr std::array<Word<QuoteKind>, 9> kListWords = {{{"sum", QuoteKind::Sum},
                                                        {"mean", QuoteKind::Mean},
                                                        {"largest", QuoteKind::Largest},
                                                        {"smallest", QuoteKind::Smallest},
                                                        {"spread", QuoteKind::Spread},
                                                        {"count", QuoteKind::Count},
                                                        {"largest_token", QuoteKind::LargestToken},
                                                        {"smallest_token", QuoteKind::SmallestToken},
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

std::string example() {
  return "write it like {weights[1,0]} or {context[1] head 1}";
}

class QuoteReader {
 public:
  QuoteReader(TextScanner& in, Index sequence, Index head) : in_(in) {
    quote_.sequence = sequence;
    quote_.head = head;
  }

  Quote read() {
    if (in_.take_word("first")) quote_.moment = QuotedState::First;
    if (in_.take_word("opened")) quote_.moment = QuotedState::Opened;
    read_name();
    const bool plain = quote_.kind == QuoteKind::Setting;
    if (in_.take("[")) {
      if (plain) in_.fail("takes no index", example());
      read_index();
    } else if (quote_.kind == QuoteKind::Token) {
      in_.fail("has no index", example());
    } else {
      quote_.every_row = !plain;
    }
    while (in_.at_letter() && !stops(in_.next_word()))
      read_word(in_.take_word());
    return quote_;
  }

 private:
  // What belongs to the claim or the format around it.
  static bool stops(std::string_view word) {
    return word == "and" || word == "or" || word == "is" || word == "words";
  }

  void read_name() {
    const std::string_view name = in_.take_word();
    if (const auto stage = stage_from_name(name)) {
      quote_.stage = *stage;
    } else if (const auto* weight = find_word(kWeightWords, name)) {
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
      in_.fail("begins with an unknown name",
               "the nearest known name is " + in_quotes(nearest_name(name, names)));
    }
  }

  void read_index() {
    quote_.every_row = in_.rest().substr(0, 1) == ",";
    if (!quote_.every_row) quote_.row = in_.read_whole("a row", kMostIndex);
    if (in_.take(",")) quote_.column = in_.read_whole("a column", kMostIndex);
    if (!in_.take("]")) in_.fail("has an index that is not closed", example());
  }

  void read_count() {
    if (in_.take("<"))
      quote_.counted = CountedIf::Less;
    else if (in_.take(">"))
      quote_.counted = CountedIf::Greater;
    else if (in_.take("!="))
      quote_.counted = CountedIf::NotEqual;
    else if (in_.take("="))
      quote_.counted = CountedIf::Equal;
    else
      in_.fail("does not say what is counted", "write it like {scores[1] count < 0}, with <, >, = or !=");
    const bool negative = in_.take("-");
    if (!in_.take_number(quote_.threshold))
      in_.fail("counts without a number to compare with", "write it like {scores[1] count < 0}");
    if (negative) quote_.threshold = -quote_.threshold;
  }

  void read_list_word(QuoteKind kind, std::string_view word) {
    const bool token = kind == QuoteKind::LargestToken || kind == QuoteKind::SmallestToken;
    if (quote_.is_cell()) in_.fail("asks a single cell for " + in_quotes(word), "leave the column out: [1]");
    if (token && quote_.every_row && !quote_.column)
      in_.fail("asks a whole stage for " + in_quotes(word), "name a row or a column: [1] or [,1]");
    if (kind == QuoteKind::Entropy && !quote_.is_row())
      in_.fail("asks for the entropy of what is no row", "name a row: [1]");
    quote_.kind = kind;
    if (kind == QuoteKind::Count) read_count();
  }

  void read_word(std::string_view word) {
    const bool of_numbers = quote_.kind == QuoteKind::Value;
    const auto* cell = find_word(kCellWords, word);
    const auto* list = find_word(kListWords, word);
    if (word == "head") {
      quote_.head = in_.read_whole("the number of the head", kMostIndex);
    } else if (word == "sequence") {
      quote_.sequence = in_.read_whole("the number of the sequence", kMostIndex);
    } else if (word == "transposed" && of_numbers && quote_.every_row && !quote_.column) {
      quote_.transposed = true;
    } else if (cell && of_numbers && !quote_.parameter) {
      if (!quote_.is_cell())
        in_.fail("asks a whole row for " + in_quotes(word), "give a row and a column: [1,0]");
      quote_.kind = cell->value;
      if (cell->value == QuoteKind::Term) quote_.term = in_.read_whole("the number of the term", kMostIndex);
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
  Quote quote_;
};

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

// Whether the numbers lie within a matrix of so many rows and columns.
bool lies_within(const Quote& quote, Index rows, Index columns) {
  if (quote.every_row && rows > kMostQuotedRows) return false;
  const bool row = quote.every_row ? rows > 0 : quote.row < rows;
  return row && quote.column.value_or(0) < columns;
}

}  // namespace

Quote read_quote(TextScanner& in, Index sequence, Index head) {
  return QuoteReader(in, sequence, head).read();
}

bool quote_exists(const Quote& quote, const Model& model) {
  if (quote.kind == QuoteKind::Setting) return true;
  if (quote.kind == QuoteKind::Token) return quote.row < model.token_count() && !quote.column;
  const bool token = quote.kind == QuoteKind::LargestToken || quote.kind == QuoteKind::SmallestToken;
  if (quote.parameter) {
    const Matrix& weight = model.weights.matrix(*quote.parameter);
    return lies_within(quote, weight.rows(), weight.cols()) && !token && quote.kind != QuoteKind::Entropy;
  }
  if (!stage_exists(model, quote.stage) || quote.sequence >= model.sequence_count() ||
      (stage_info(quote.stage).per_head && quote.head >= stage_heads(model, quote.stage)) ||
      !lies_within(quote, stage_rows(model, quote.stage), stage_columns(model, quote.stage)))
    return false;
  if (needs_chain(quote.kind)) return is_pair(quote.stage);
  if (quote.kind == QuoteKind::DrawnMean) return quote.stage == Stage::Dropped;
  if (token) return quote.every_row || is_pair(quote.stage);
  if (quote.kind == QuoteKind::Entropy) return quote.stage == Stage::Weights;
  if (quote.kind == QuoteKind::Terms) return term_count(model, quote.stage) > 0;
  if (quote.kind == QuoteKind::Term) return quote.term < term_count(model, quote.stage);
  return true;
}

std::string quote_place(const Quote& quote) {
  const std::string row = "row " + std::to_string(quote.row) + " of ";
  if (quote.kind == QuoteKind::Token) return row + "the tokens";
  const std::string whole =
      in_quotes(quote.parameter ? kWeightWords[static_cast<std::size_t>(*quote.parameter)].word
                                : stage_info(quote.stage).name);
  if (!quote.every_row) return row + whole;
  return quote.column ? "column " + std::to_string(*quote.column) + " of " + whole : "all of " + whole;
}

}  // namespace headlight
