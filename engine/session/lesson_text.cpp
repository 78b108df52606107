#include "engine/session/lesson_text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/core/error.h"
#include "engine/core/number_text.h"

namespace headlight {
namespace {

constexpr std::array<std::pair<std::string_view, ReferencedSetting>, 4> kSliderWords = {
    {{"scale", ReferencedSetting::Scale},
     {"dropout", ReferencedSetting::Dropout},
     {"d_out", ReferencedSetting::DOut},
     {"heads", ReferencedSetting::Heads}}};
constexpr const char* kBranchHint = "write it like {if scores[1,0] > 0}It is positive.{else}It is not.{end}";

class TextReader {
 public:
  // `mistakes`: takes those within a quote, and the text is read on behind it; null: the first is thrown.
  TextReader(std::string_view text, Index sequence, Index head, Mistakes* mistakes = nullptr)
      : text_(text), sequence_(sequence), head_(head), mistakes_(mistakes) {}

  std::vector<TextPiece> read() {
    std::vector<TextPiece> pieces = read_until_mark();
    if (!mark_.empty())
      throw Error("{" + std::string(mark_) + "} stands without its {if ...}", "", kBranchHint);
    return pieces;
  }

 private:
  // Reads up to the next {elif}, {else} or {end}, which mark_ then holds, or to the end of the text.
  std::vector<TextPiece> read_until_mark() {
    std::vector<TextPiece> pieces;
    mark_ = {};
    while (at_ < text_.size()) {
      const std::size_t brace = text_.find_first_of("{}", at_);
      add_words(pieces, text_.substr(at_, brace == std::string_view::npos ? brace : brace - at_));
      at_ = brace;
      if (brace == std::string_view::npos) break;
      if (brace + 1 < text_.size() && text_[brace + 1] == text_[brace]) {
        add_words(pieces, text_.substr(brace, 1));
        at_ += 2;
        continue;
      }
      const std::string_view inside = take_inside();
      TextScanner in(inside);
      const std::string_view word = in.next_word();
      if (word == "elif" || word == "else" || word == "end") {
        mark_ = inside;
        return pieces;
      }
      if (word == "if")
        pieces.push_back(read_branches(inside));
      else
        attempt([&] { pieces.push_back(read_piece(inside)); });
      mark_ = {};
    }
    return pieces;
  }

  static void add_words(std::vector<TextPiece>& pieces, std::string_view words) {
    if (words.empty()) return;
    const bool goes_on = !pieces.empty() && !pieces.back().words.empty() && pieces.back().reason.empty() &&
                         pieces.back().control.empty();
    if (!goes_on) pieces.emplace_back();
    pieces.back().words += words;
  }

  std::string_view take_inside() {
    const std::size_t end = text_.find('}', at_);
    const bool nested = text_.substr(at_ + 1, end - at_ - 1).find('{') != std::string_view::npos;
    if (text_[at_] == '}' || end == std::string_view::npos || nested)
      throw Error(text_[at_] == '}' ? "a brace is closed that was not opened" : "a brace is not closed", "",
                  "a quote stands between { and }; write {{ or }} for a brace itself");
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return inside;
  }

  template <typename Part>
  void attempt(Part part) {
    if (mistakes_)
      mistakes_->read(part);
    else
      part();
  }

  std::optional<Condition> condition_in(std::string_view inside) {
    std::optional<Condition> condition;
    attempt([&] {
      TextScanner in(inside);
      in.take_word();
      condition = read_condition(in, sequence_, head_);
      finish(in);
    });
    return condition;
  }

  TextPiece read_branches(std::string_view inside) {
    const std::string opening = "{" + std::string(inside) + "}";
    if (++depth_ > kMostDepth)
      throw Error("the quote " + in_quotes(opening) + " stands within too many others", "",
                  "at most " + std::to_string(kMostDepth) + " may stand within each other");
    TextPiece piece;
    std::optional<Condition> condition = condition_in(inside);
    bool last = false;
    for (;;) {
      piece.branches.push_back({std::move(condition), read_until_mark()});
      TextScanner in(mark_);
      const std::string_view word = in.take_word();
      if (word == "end" && last) {
        --depth_;
        return piece;
      }
      if (word != "elif" && word != "else")
        throw Error("the quote " + in_quotes(opening) + " has no " + (last ? "{end}" : "{else}"), "",
                    kBranchHint);
      if (last)
        throw Error("the quote " + in_quotes(opening) + " goes on behind its {else}", "", kBranchHint);
      last = word == "else";
      condition = last ? std::nullopt : condition_in(mark_);
    }
  }

  TextPiece read_piece(std::string_view inside) const {
    TextScanner in(inside);
    if (in.take_word("compare")) return read_compare(in);
    if (in.take_word("fixed")) return read_fixed(in);
    if (in.take_word("type")) return read_typed(in);
    if (in.take_word("slide")) return read_slider(in);
    if (in.take_word("control")) return read_control(in);
    TextPiece piece;
    if (in.take_word("index")) {
      constexpr Index kMostIndex = 1 << 24;
      piece.index = in.read_whole("the index", kMostIndex);
      finish(in);
      return piece;
    }
    if (in.take_word("calc")) {
      piece.amount = read_amount(in, sequence_, head_);
      piece.decimals = read_decimals(in);
      finish(in);
      return piece;
    }
    if (in.take_word("now")) piece.form = ReferenceForm::WithFirst;
    piece.reference = read_reference(in, sequence_, head_);
    const TextReference& reference = *piece.reference;
    if (reference.every_row && !reference.column && reference.kind == ReferenceKind::Value)
      in.fail("has no index", "write it like {weights[1,0]} or {context[1] head 1}");
    if (piece.form == ReferenceForm::Plain && in.take_word("words")) piece.form = ReferenceForm::Words;
    piece.reference->decimals = read_decimals(in);
    finish(in);
    return piece;
  }

  TextPiece read_compare(TextScanner& in) const {
    constexpr const char* kHint =
        "write it like {compare weights[1,0], weights[1,1]: less than | as much as | more than}";
    const Amount left = read_amount(in, sequence_, head_);
    if (!in.take(",")) in.fail("compares with nothing", kHint);
    const Amount right = read_amount(in, sequence_, head_);
    if (!in.take(":")) in.fail("has no words to choose from", kHint);
    TextPiece piece;
    std::string_view words = in.rest();
    std::vector<std::string_view> ways;
    for (std::size_t bar; (bar = words.find('|')) != std::string_view::npos; words.remove_prefix(bar + 1))
      ways.push_back(trimmed(words.substr(0, bar)));
    ways.push_back(trimmed(words));
    if (ways.size() != 3) in.fail("needs words for less, equal and more", kHint);
    // First, because numbers that look alike count as equal even if one is slightly larger.
    add_branch(piece, ConditionKind::Alike, left, right, ways[1]);
    add_branch(piece, ConditionKind::Less, left, right, ways[0]);
    add_branch(piece, ConditionKind::Greater, left, right, ways[2]);
    return piece;
  }

  static void add_branch(TextPiece& piece, ConditionKind kind, const Amount& left, const Amount& right,
                         std::string_view words) {
    TextBranch branch;
    branch.condition.emplace();
    branch.condition->kind = kind;
    branch.condition->left = left;
    branch.condition->right = right;
    branch.pieces.emplace_back();
    branch.pieces.back().words = std::string(words);
    piece.branches.push_back(std::move(branch));
  }

  static TextPiece read_fixed(TextScanner& in) {
    const std::string_view all = in.rest();
    const std::size_t colon = all.find(':');
    TextPiece piece;
    piece.words = std::string(trimmed(all.substr(0, colon)));
    if (colon != std::string_view::npos) piece.reason = std::string(trimmed(all.substr(colon + 1)));
    if (piece.words.empty() || piece.reason.empty())
      in.fail("does not say why its words always hold",
              "write it like {fixed 1: a row of softmax adds up to it}");
    return piece;
  }

  static TextPiece read_typed(TextScanner& in) {
    TextPiece piece;
    piece.words = std::string(trimmed(in.rest()));
    piece.reason = kTyped;
    try {
      number_in(piece.words);
    } catch (const Error&) {
      in.fail("asks to type what is no number", "write it like {type −3}");
    }
    return piece;
  }

  static TextPiece read_control(TextScanner& in) {
    constexpr const char* kHint = "write it like {control learn} or {control rate: the rate}";
    TextPiece piece;
    piece.control = std::string(in.take_word());
    if (piece.control.empty()) in.fail("names no control", kHint);
    if (!in.take(":")) {
      finish(in);
      return piece;
    }
    piece.words = std::string(trimmed(in.rest()));
    if (piece.words.empty()) in.fail("has no words behind its colon", kHint);
    return piece;
  }

  static TextPiece read_slider(TextScanner& in) {
    constexpr const char* kHint = "write it like {slide scale 0.1 4}, with its least and its largest value";
    TextPiece piece;
    TextSlider& slider = piece.slider.emplace();
    const std::string_view name = in.take_word();
    const auto known = std::find_if(kSliderWords.begin(), kSliderWords.end(),
                                    [name](const auto& word) { return word.first == name; });
    if (known == kSliderWords.end())
      in.fail("has no slider for " + in_quotes(name), "known are scale, dropout, d_out and heads");
    slider.setting = known->second;
    if (!in.take_number(slider.low) || !in.take_number(slider.high)) in.fail("lacks its ends", kHint);
    piece.reference.emplace();
    piece.reference->kind = ReferenceKind::Setting;
    piece.reference->setting = slider.setting;
    const bool whole =
        slider.setting == ReferencedSetting::DOut || slider.setting == ReferencedSetting::Heads;
    const double least = whole ? 1 : 0, most = slider.setting == ReferencedSetting::Dropout ? 1 : 4096;
    if (!(slider.low < slider.high) || slider.low < least || slider.high > most)
      in.fail("has ends that do not fit", kHint);
    finish(in);
    return piece;
  }

  static int read_decimals(TextScanner& in) {
    return in.take(":") ? static_cast<int>(in.read_whole("the number of decimals", 8))
                        : TextReference{}.decimals;
  }
  static void finish(TextScanner& in) {
    if (!in.at_end())
      in.fail("ends with " + in_quotes(in.rest()) + ", which means nothing",
              "write it like {weights[1,0]} or {context[1] head 1}");
  }

  static constexpr int kMostDepth = 16;

  std::string_view text_;
  Index sequence_, head_;
  Mistakes* mistakes_;
  int depth_ = 0;
  std::size_t at_ = 0;
  std::string_view mark_;
};

void collect(const std::vector<TextPiece>& pieces, std::vector<TextReference>& references) {
  for (const TextPiece& piece : pieces) {
    if (piece.reference) references.push_back(*piece.reference);
    if (piece.reference && piece.form == ReferenceForm::WithFirst) {
      references.push_back(*piece.reference);
      references.back().moment = ReferencedState::First;
    }
    if (piece.amount) add_references(*piece.amount, references);
    for (const TextBranch& branch : piece.branches) {
      if (branch.condition) add_references(*branch.condition, references);
      collect(branch.pieces, references);
    }
  }
}

}  // namespace

std::vector<TextPiece> parse_text(std::string_view text, Index sequence, Index head) {
  return TextReader(text, sequence, head).read();
}

void add_text_mistakes(std::string_view text, Index sequence, Index head, Mistakes& mistakes) {
  mistakes.read([&] { TextReader(text, sequence, head, &mistakes).read(); });
}

std::string literal_text(std::string_view words) {
  std::string text;
  for (const char c : words)
    text.append(c == '{' || c == '}' ? 2 : 1, c);
  return text;
}

LessonText::LessonText(std::string written, Index sequence, Index head)
    : written_(std::move(written)),
      pieces_(std::make_shared<const std::vector<TextPiece>>(parse_text(written_, sequence, head))) {}

const std::vector<TextPiece>& LessonText::pieces() const {
  static const std::vector<TextPiece> kNone;
  return pieces_ ? *pieces_ : kNone;
}

std::vector<const TextPiece*> control_pieces(const std::vector<TextPiece>& pieces) {
  std::vector<const TextPiece*> named;
  for (const TextPiece& piece : pieces) {
    if (!piece.control.empty()) named.push_back(&piece);
    for (const TextBranch& branch : piece.branches) {
      const std::vector<const TextPiece*> inner = control_pieces(branch.pieces);
      named.insert(named.end(), inner.begin(), inner.end());
    }
  }
  return named;
}

std::vector<TextReference> references_of(const std::vector<TextPiece>& pieces) {
  std::vector<TextReference> references;
  collect(pieces, references);
  return references;
}

}  // namespace headlight
