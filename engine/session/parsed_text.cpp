#include "engine/session/parsed_text.h"

#include "engine/session/reference_words.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

Json word_json(std::string_view word) {
  return Json(std::string(word));
}

// The word behind a reference's index; "" if it is a plain value.
std::string_view kind_word(const TextReference& reference) {
  if (reference.kind == ReferenceKind::Token) return "token";
  const std::string_view of_cell = word_of(kCellWords, reference.kind);
  return of_cell.empty() ? word_of(kListWords, reference.kind) : of_cell;
}

void add_name(const TextReference& reference, Json& json) {
  if (reference.guess)
    json["guess"] = true;
  else if (reference.kind == ReferenceKind::Setting)
    json["setting"] = word_json(word_of(kReferencedSettingWords, reference.setting));
  else if (reference.parameter)
    json["weight"] = word_json(word_of(kParameterWords, *reference.parameter));
  else if (reference.kind != ReferenceKind::Token)
    json["stage"] = word_json(stage_info(reference.stage).name);
}

Json reference_json(const TextReference& reference) {
  const TextReference plain;
  Json json = Json::object();
  add_name(reference, json);
  if (const std::string_view kind = kind_word(reference); !kind.empty()) json["kind"] = word_json(kind);
  if (reference.sequence != plain.sequence) json["sequence"] = reference.sequence;
  if (reference.head != plain.head) json["head"] = reference.head;
  if (reference.row != plain.row) json["row"] = reference.row;
  if (reference.column) json["column"] = *reference.column;
  if (reference.gradient) json["gradient"] = true;
  if (reference.every_row) json["every_row"] = true;
  if (reference.transposed) json["transposed"] = true;
  if (reference.kind == ReferenceKind::Term) json["term"] = reference.term;
  if (reference.kind == ReferenceKind::Count) {
    json["counted"] = word_json(word_of(kCountedWords, reference.counted));
    json["threshold"] = reference.threshold;
  }
  if (reference.moment != ReferencedState::Now)
    json["moment"] = reference.moment == ReferencedState::First ? "first" : "opened";
  if (reference.decimals != plain.decimals) json["decimals"] = reference.decimals;
  return json;
}

const char* operation(Arithmetic kind) {
  switch (kind) {
    case Arithmetic::Add:
      return "+";
    case Arithmetic::Subtract:
      return "-";
    case Arithmetic::Multiply:
      return "*";
    case Arithmetic::Divide:
      return "/";
    case Arithmetic::Negate:
      return "negate";
    case Arithmetic::Abs:
      return "abs";
    case Arithmetic::Bits:
      return "bits";
    case Arithmetic::Number:
    case Arithmetic::TextReference:
      break;
  }
  return "";
}

Json amount_json(const Amount& amount) {
  if (amount.kind == Arithmetic::Number) return Json(amount.number);
  if (amount.kind == Arithmetic::TextReference) return Json{{"ref", reference_json(amount.reference)}};
  Json parts = Json::array();
  for (const Amount& part : amount.parts)
    parts.push_back(amount_json(part));
  return Json{{"op", operation(amount.kind)}, {"parts", std::move(parts)}};
}

std::string_view condition_word(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::Less:
    case ConditionKind::LessOrEqual:
    case ConditionKind::Greater:
    case ConditionKind::GreaterOrEqual:
    case ConditionKind::Equal:
    case ConditionKind::NotEqual:
    case ConditionKind::Alike:
    case ConditionKind::NotAlike:
      return word_of(kComparisonSigns, kind);
    case ConditionKind::SoleLargest:
      return "largest of";
    case ConditionKind::SoleSmallest:
      return "smallest of";
    case ConditionKind::Changed:
      return "changed";
    case ConditionKind::ChangedLesson:
      return "changed lesson";
    case ConditionKind::ChangedOnly:
      return "changed only";
    case ConditionKind::Moved:
      return "moved";
    case ConditionKind::Nan:
      return "nan";
    case ConditionKind::Known:
      return "known";
    case ConditionKind::Setting:
      return "setting";
    case ConditionKind::And:
      return "and";
    case ConditionKind::Or:
      return "or";
    case ConditionKind::Not:
      return "not";
  }
  return "";
}

bool has_left(const Condition& condition) {
  switch (condition.kind) {
    case ConditionKind::ChangedLesson:
    case ConditionKind::Setting:
    case ConditionKind::And:
    case ConditionKind::Or:
    case ConditionKind::Not:
      return false;
    case ConditionKind::ChangedOnly:
      return !condition.part;
    case ConditionKind::Less:
    case ConditionKind::LessOrEqual:
    case ConditionKind::Greater:
    case ConditionKind::GreaterOrEqual:
    case ConditionKind::Equal:
    case ConditionKind::NotEqual:
    case ConditionKind::Alike:
    case ConditionKind::NotAlike:
    case ConditionKind::SoleLargest:
    case ConditionKind::SoleSmallest:
    case ConditionKind::Changed:
    case ConditionKind::Moved:
    case ConditionKind::Nan:
    case ConditionKind::Known:
      break;
  }
  return true;
}

bool has_right(ConditionKind kind) {
  return kind == ConditionKind::SoleLargest || kind == ConditionKind::SoleSmallest ||
         !word_of(kComparisonSigns, kind).empty();
}

Json condition_json(const Condition& condition) {
  Json json = {{"is", word_json(condition_word(condition.kind))}};
  if (has_left(condition)) json["left"] = amount_json(condition.left);
  if (has_right(condition.kind)) json["right"] = amount_json(condition.right);
  if (condition.part) json["part"] = word_json(word_of(kChangedWords, *condition.part));
  if (condition.kind == ConditionKind::Setting) {
    json["setting"] = word_json(word_of(kConditionSettingWords, condition.setting));
    json["word"] = condition.word;
  }
  if (condition.conditions.empty()) return json;
  json["parts"] = Json::array();
  for (const Condition& part : condition.conditions)
    json["parts"].push_back(condition_json(part));
  return json;
}

Json pieces_json(const std::vector<TextPiece>& pieces);

Json branches_json(const std::vector<TextBranch>& branches) {
  Json json = Json::array();
  for (const TextBranch& branch : branches) {
    Json condition = branch.condition ? condition_json(*branch.condition) : Json(nullptr);
    json.push_back(Json::array({std::move(condition), pieces_json(branch.pieces)}));
  }
  return json;
}

Json reference_piece(const TextPiece& piece) {
  Json json = {{"ref", reference_json(*piece.reference)}};
  if (piece.form != ReferenceForm::Plain)
    json["form"] = piece.form == ReferenceForm::Words ? "words" : "first";
  if (piece.slider) json["slider"] = {{"low", piece.slider->low}, {"high", piece.slider->high}};
  return json;
}

Json piece_json(const TextPiece& piece) {
  if (!piece.branches.empty()) return Json{{"if", branches_json(piece.branches)}};
  if (piece.amount) return Json{{"calc", amount_json(*piece.amount)}, {"decimals", piece.decimals}};
  if (piece.reference) return reference_piece(piece);
  if (!piece.control.empty()) return Json{{"control", piece.control}, {"words", piece.words}};
  if (piece.index) return Json{{"index", *piece.index}};
  if (piece.reason == kTyped) return Json{{"typed", piece.words}};
  return Json(piece.words);
}

Json pieces_json(const std::vector<TextPiece>& pieces) {
  Json json = Json::array();
  for (const TextPiece& piece : pieces)
    json.push_back(piece_json(piece));
  return json;
}

}  // namespace

std::string parsed_text_json(const std::vector<TextPiece>& pieces) {
  // Bytes that are not UTF-8 become U+FFFD, as in a saved session.
  return pieces_json(pieces).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace headlight
