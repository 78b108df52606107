#include "engine/session/lesson_question_field.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "engine/core/error.h"
#include "engine/json/json_members.h"
#include "engine/session/lesson_settings_field.h"
#include "engine/session/lesson_text.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

constexpr std::array<Word<RightIf>, 8> kRuleWords = {{{"largest", RightIf::Largest},
                                                      {"smallest", RightIf::Smallest},
                                                      {"changed", RightIf::Changed},
                                                      {"unchanged", RightIf::Unchanged},
                                                      {"<", RightIf::Less},
                                                      {">", RightIf::Greater},
                                                      {"=", RightIf::Equal},
                                                      {"!=", RightIf::NotEqual}}};

// A text that refers to the first or opened state makes the window compute the opened lesson within a frame.
constexpr double kMostFirstPairs = 1 << 20;

double pair_count(const Layer& layer) {
  return static_cast<double>(layer.sequence_count()) * static_cast<double>(layer.head_count()) *
         static_cast<double>(layer.token_count()) * static_cast<double>(layer.key_count());
}

// Throws Error if the reference does not exist.
void check_reference(const TextReference& reference, const StepModels& layers) {
  const bool opens = reference.moment == ReferencedState::Opened;
  if (const std::string missing = missing_part(reference, opens ? layers.opened : layers.now);
      !missing.empty())
    throw Error("a quote names what is not there: " + missing, "", "indices count from 0");
  if (reference.moment != ReferencedState::Now && pair_count(layers.opened) > kMostFirstPairs)
    throw Error("a text cannot look back at so many scores", "",
                "\"changed\", \"now\", \"first\" and \"opened\" need at most " +
                    std::to_string(static_cast<Index>(kMostFirstPairs)) +
                    " scores in all heads and sequences");
}

// As read_text().
LessonText checked_text(const std::string& written, const std::string& place, const LessonStep& step,
                        const StepModels& layers, Mistakes& mistakes) {
  Mistakes own;
  LessonText text;
  const Index sequence = step.sequence, head = step.first_head();
  if (!Mistakes().read([&] { text = LessonText(written, sequence, head); }))
    add_text_mistakes(written, sequence, head, own);
  for (const TextReference& reference : references_of(text.pieces()))
    own.read([&] { check_reference(reference, layers); });
  for (const Error& error : own.found())
    mistakes.add(error.inside(place));
  return own.none() ? text : LessonText();
}

std::vector<std::string> text_list(const Json& value, const std::string& place) {
  std::vector<std::string> texts;
  form::List{form::Plain(), "write it like [\"…\", \"…\"]"}.read(value, place, texts);
  return texts;
}

// The guessed number: a reference to one number, not to a list.
LessonText read_guessed(const JsonFields& fields, const LessonStep& step, const Layer& layer) {
  const std::string written =
      text_value(fields.require("of", "name what is guessed, like weights[1,2]"), fields.place("of"));
  try {
    LessonText number("{" + written + "}", step.sequence, step.first_head());
    const std::vector<TextReference> references = references_of(number.pieces());
    if (references.size() != 1 || references[0].is_list() || !reference_exists(references[0], layer))
      throw Error("is no number that is there: " + in_quotes(written), "",
                  "name a cell like weights[1,2], counted from 0");
    return number;
  } catch (const Error& error) {
    throw error.inside(fields.place("of"));
  }
}

AskedNumber read_asked_number(const Json& value, const std::string& place, const LessonStep& step,
                              const Layer& layer) {
  const JsonFields fields(value, place, {"of", "low", "high"});
  AskedNumber asked;
  asked.number = read_guessed(fields, step, layer);
  asked.low = fields.number("low", 0);
  asked.high = fields.number("high", 1);
  if (!(asked.low < asked.high))
    throw Error("\"low\" is not below \"high\"", place, "they are the ends of the slider");
  return asked;
}

AskedCell read_asked_cell(const Json& value, const std::string& place, const LessonStep& step,
                          const Layer& layer) {
  const JsonFields fields(value, place, {"stage", "head", "row", "column"});
  AskedCell asked;
  asked.stage = read_stage(fields, step.stage);
  asked.head = fields.whole("head", step.first_head(), 0, stage_heads(layer, asked.stage) - 1);
  asked.at = {static_cast<Index>(fields.whole("row", 0, 0, stage_rows(layer, asked.stage) - 1)),
              static_cast<Index>(fields.whole("column", 0, 0, stage_columns(layer, asked.stage) - 1))};
  return asked;
}

bool compares(RightIf kind) {
  return kind >= RightIf::Less;
}

// "largest", "changed", "= 0".
RightRule read_rule(const JsonFields& fields) {
  const std::string written =
      text_value(fields.require("right", "say which are right, like \"largest\", \"changed\" or \"= 0\""),
                 fields.place("right"));
  const std::size_t space = std::min(written.find(' '), written.size());
  const Json word = written.substr(0, space);
  RightRule rule;
  rule.kind = JsonFields::word_value(word, fields.place("right"), kRuleWords);
  TextScanner in(std::string_view(written).substr(space));
  const bool negative = compares(rule.kind) && in.take("-");
  if ((compares(rule.kind) && !in.take_number(rule.threshold)) || !in.at_end())
    throw Error("is no rule: " + in_quotes(written), fields.place("right"),
                "write it like \"largest\", \"changed\" or \"= 0\"");
  if (negative) rule.threshold = -rule.threshold;
  return rule;
}

std::string rule_text(const RightRule& rule) {
  std::string text(word_of(kRuleWords, rule.kind));
  if (!compares(rule.kind)) return text;
  JsonWriter digits;
  digits.number(rule.threshold);
  std::string number = digits.take();
  number.erase(std::remove(number.begin(), number.end(), '\n'), number.end());
  return text + " " + number;
}

// The guessed list: a row or a column of a stage.
LessonText read_guessed_list(const JsonFields& fields, const LessonStep& step, const Layer& layer) {
  const std::string written =
      text_value(fields.require("of", "name the row that is guessed, like weights[1]"), fields.place("of"));
  try {
    LessonText list("{" + written + "}", step.sequence, step.first_head());
    const std::vector<TextReference> references = references_of(list.pieces());
    const TextReference reference = references.empty() ? TextReference{} : references[0];
    const bool whole = reference.every_row && !reference.column;
    if (references.size() != 1 || reference.kind != ReferenceKind::Value || reference.parameter ||
        reference.moment != ReferencedState::Now || reference.transposed || reference.is_cell() || whole ||
        !reference_exists(reference, layer))
      throw Error("is no row that is there: " + in_quotes(written), "",
                  "name a row or a column of a stage, like weights[1] or weights[,1], counted from 0");
    return list;
  } catch (const Error& error) {
    throw error.inside(fields.place("of"));
  }
}

TextReference list_of(const LessonText& text) {
  return references_of(text.pieces()).front();
}

// A condition on the guess, as a text; see guess_condition().
LessonText read_guess_condition(const Json& value, const std::string& place, const LessonStep& step) {
  const std::string& written = text_value(value, place);
  try {
    LessonText text("{if " + written + "}1{else}0{end}", step.sequence, step.first_head());
    if (text.pieces().size() != 1 || text.pieces().front().branches.size() != 2)
      throw Error("is no condition: " + in_quotes(written), "", "write it like guess[1] > 0.5");
    return text;
  } catch (const Error& error) {
    throw error.inside(place);
  }
}

std::string condition_words(const LessonText& text) {
  constexpr std::string_view kBegin = "{if ", kEnd = "}1{else}0{end}";
  return text.written().substr(kBegin.size(), text.written().size() - kBegin.size() - kEnd.size());
}

AskedBars read_bars(const Json& value, const std::string& place, const LessonStep& step, const Layer& layer) {
  const JsonFields fields(value, place, {"of", "drawn", "low", "high", "near", "right"});
  AskedBars asked;
  asked.list = read_guessed_list(fields, step, layer);
  LessonQuestion shaped;
  shaped.bars = asked;
  const Index count = guess_shape(shaped, layer).columns;
  if (count > kMostBars)
    throw Error("is a row of " + std::to_string(count) + " numbers, too many to draw", fields.place("of"),
                "choose one of at most " + std::to_string(kMostBars));
  asked.drawn = read_indices(fields, "drawn", count);
  if (asked.drawn.empty()) {
    asked.drawn.resize(static_cast<std::size_t>(count));
    std::iota(asked.drawn.begin(), asked.drawn.end(), Index{0});
  }
  asked.low = fields.number("low", 0);
  asked.high = fields.number("high", 1);
  if (!(asked.low < asked.high))
    throw Error("\"low\" is not below \"high\"", place, "they are the two ends of a bar");
  asked.near = fields.number("near", kNearGuess * (asked.high - asked.low));
  if (!(asked.near > 0))
    throw Error("is not above 0", fields.place("near"), "it is how far off a right bar may be");
  if (const Json* right = fields.find("right"))
    asked.right = read_guess_condition(*right, fields.place("right"), step);
  return asked;
}

std::vector<Index> offered(const JsonFields& fields, const char* key, Index count) {
  std::vector<Index> lines = read_indices(fields, key, count);
  if (lines.empty()) {
    lines.resize(static_cast<std::size_t>(count));
    std::iota(lines.begin(), lines.end(), Index{0});
  }
  if (std::ssize(lines) > kMostMarkedLines)
    throw Error("offers " + std::to_string(lines.size()) + " " + key + ", too many to mark",
                fields.place(key), "name at most " + std::to_string(kMostMarkedLines) + " of them");
  return lines;
}

AskedMarks read_marks(const Json& value, const std::string& place, const LessonStep& step,
                      const Layer& layer) {
  const JsonFields fields(value, place, {"stage", "head", "rows", "columns", "right"});
  AskedMarks asked;
  asked.stage = read_stage(fields, step.stage);
  asked.sequence = step.sequence;
  asked.head = fields.whole("head", step.first_head(), 0, stage_heads(layer, asked.stage) - 1);
  asked.rows = offered(fields, "rows", stage_rows(layer, asked.stage));
  asked.columns = offered(fields, "columns", stage_columns(layer, asked.stage));
  asked.right = read_rule(fields);
  return asked;
}

AskedWord read_word(const Json& value, const std::string& place, const LessonStep& step, const Layer& layer) {
  const JsonFields fields(value, place, {"of", "right"});
  AskedWord asked;
  asked.list = read_guessed_list(fields, step, layer);
  asked.right = read_rule(fields);
  const TextReference list = list_of(asked.list);
  if (list.is_row() && !is_pair(list.stage))
    throw Error("has no token for each number", fields.place("of"),
                "name a row of scores or weights, or a column like output[,0]");
  return asked;
}

// Reads the one kind of answer that is there.
void read_answers(const JsonFields& fields, LessonQuestion& question, const LessonStep& step,
                  const Layer& layer) {
  const int kinds = fields.has("answers") + fields.has("cell") + fields.has("number") + fields.has("bars") +
                    fields.has("cells") + fields.has("word");
  if (kinds != 1)
    throw Error(kinds == 0 ? "a question without an answer" : "a question with more than one kind of answer",
                fields.place("question"),
                "give it \"answers\" to choose from, or a \"cell\" to click, or a \"number\" to guess, "
                "or \"bars\" to draw, or \"cells\" to mark, or a \"word\" to choose");
  if (const Json* cell = fields.find("cell"))
    question.cell = read_asked_cell(*cell, fields.place("cell"), step, layer);
  if (const Json* number = fields.find("number"))
    question.number = read_asked_number(*number, fields.place("number"), step, layer);
  if (const Json* bars = fields.find("bars"))
    question.bars = read_bars(*bars, fields.place("bars"), step, layer);
  if (const Json* cells = fields.find("cells"))
    question.marks = read_marks(*cells, fields.place("cells"), step, layer);
  if (const Json* word = fields.find("word"))
    question.word = read_word(*word, fields.place("word"), step, layer);
  if (const Json* answers = fields.find("answers")) {
    question.answers = text_list(*answers, fields.place("answers"));
    if (question.answers.size() < 2 || question.answers.size() > 3)
      throw Error("there are " + std::to_string(question.answers.size()) + " answers, expected two or three",
                  fields.place("answers"), "write them like [\"It grows\", \"It shrinks\"]");
    question.right = fields.whole("right", 0, 0, static_cast<Index>(question.answers.size()) - 1);
    fields.require("right", "say which answer is right, counted from 0");
  }
}

void read_replies(const JsonFields& fields, LessonQuestion& question, const LessonStep& step,
                  const StepModels& layers, Mistakes& mistakes) {
  const Json& replies = fields.require("replies", "say what is told once it was tried");
  const std::vector<std::string> written = text_list(replies, fields.place("replies"));
  const std::size_t wanted = question.answers.empty() ? 2 : question.answers.size();
  if (written.size() != wanted)
    throw Error(
        "there are " + std::to_string(written.size()) + " replies, expected " + std::to_string(wanted),
        fields.place("replies"),
        question.answers.empty() ? "one for the right answer and one for others" : "one for each answer");
  for (std::size_t i = 0; i < wanted; ++i)
    question.replies.push_back(checked_text(
        written[i], fields.place("replies") + "[" + std::to_string(i) + "]", step, layers, mistakes));
  const Json* wrong = fields.find("wrong");
  if (!wrong) return;
  if (!question.has_shape() && !question.number)
    throw Error("only a number, bars, cells and a word have conditions on the guess", fields.place("wrong"),
                "write a reply for each answer in \"replies\"");
  for (const Json& one : list_value(*wrong, fields.place("wrong"), "[{\"if\": ..., \"reply\": ...}]")) {
    const JsonFields reply(one, fields.place("wrong") + "[" + std::to_string(question.wrong.size()) + "]",
                           {"if", "reply"});
    question.wrong.push_back(read_guess_condition(
        reply.require("if", "say which guess it replies to, like guess[1] > 0.5"), reply.place("if"), step));
    reply.require("reply", "say what is told then");
    question.replies.push_back(read_text(reply, "reply", step, layers, mistakes));
  }
}

bool guess_fits(const TextReference& guess, const GuessShape& shape) {
  if (shape.rows == 1 && guess.is_row()) return guess.row < shape.columns;  // guess[1]: the second bar
  return (guess.every_row || guess.row < shape.rows) && guess.column.value_or(0) < shape.columns;
}

// Checks what a condition on the guess refers to, once the change is known.
void check_condition(const LessonText& text, const std::string& place, const GuessShape& shape,
                     const Layer& before, const Layer& after) {
  std::vector<TextReference> references;
  add_references(guess_condition(text), references);
  for (const TextReference& reference : references) {
    const Layer& layer = reference.moment == ReferencedState::Now ? after : before;
    const std::string missing = !reference.guess               ? missing_part(reference, layer)
                                : guess_fits(reference, shape) ? ""
                                                               : "the guess";
    if (!missing.empty())
      throw Error("a condition names what is not there: " + missing, place,
                  "indices count from 0; a guess has " + std::to_string(shape.rows) + " x " +
                      std::to_string(shape.columns) + " numbers");
  }
  if (std::none_of(references.begin(), references.end(), [](const TextReference& one) { return one.guess; }))
    throw Error("a condition does not name the guess", place, "write it like guess[1] > 0.5");
}

// Checks that the guess can be compared with the numbers after the change.
void check_guess(const JsonFields& fields, const LessonQuestion& question, const LessonStep& step,
                 const Layer& before, const Layer& after) {
  if (!question.has_shape() && question.wrong.empty()) return;
  if (pair_count(after) > kMostFirstPairs)
    throw Error("a guess cannot be compared in so many scores", fields.place("question"),
                "ask it in a model of at most " + std::to_string(static_cast<Index>(kMostFirstPairs)) +
                    " scores in all heads and sequences");
  if (question.has_shape() && !question.change && !step.try_it.empty())
    throw Error("the right guess depends on what is tried", fields.place("change"),
                "say in \"change\" what the try changes, or remove the \"try\"");
  if (!question_fits(question, after) || guess_shape(question, before) != guess_shape(question, after))
    throw Error("the change takes away what is guessed", fields.place("change"),
                "what is guessed must have as many rows and columns after the change");
  const GuessShape shape = guess_shape(question, before);
  if (question.bars && !question.bars->right.empty())
    check_condition(question.bars->right, fields.place("bars") + ".right", shape, before, after);
  for (std::size_t i = 0; i < question.wrong.size(); ++i)
    check_condition(question.wrong[i], fields.place("wrong") + "[" + std::to_string(i) + "].if", shape,
                    before, after);
}

// Writes the reference of a text "{weights[1]}" without the braces.
void write_reference(JsonWriter& out, const LessonText& text) {
  out.key("of").text(text.written().substr(1, text.written().size() - 2));
}

void write_bars(JsonWriter& out, const AskedBars& bars) {
  out.begin_object();
  write_reference(out, bars.list);
  out.key("drawn").wholes(bars.drawn);
  out.key("low").number(bars.low);
  out.key("high").number(bars.high);
  out.key("near").number(bars.near);
  if (!bars.right.empty()) {
    out.key("right").text(condition_words(bars.right));
  }
  out.end_object();
}

void write_marks(JsonWriter& out, const AskedMarks& marks) {
  out.begin_object();
  out.key("stage").text(stage_info(marks.stage).name);
  write_whole(out, "head", marks.head);
  out.key("rows").wholes(marks.rows);
  out.key("columns").wholes(marks.columns);
  out.key("right").text(rule_text(marks.right));
  out.end_object();
}

void write_word_choice(JsonWriter& out, const AskedWord& word) {
  out.begin_object();
  write_reference(out, word.list);
  out.key("right").text(rule_text(word.right));
  out.end_object();
}

void write_cell(JsonWriter& out, const AskedCell& cell) {
  out.begin_object();
  out.key("stage").text(stage_info(cell.stage).name);
  write_whole(out, "head", cell.head);
  write_whole(out, "row", cell.at[0]);
  write_whole(out, "column", cell.at[1]);
  out.end_object();
}

void write_number(JsonWriter& out, const AskedNumber& number) {
  out.begin_object();
  write_reference(out, number.number);
  out.key("low").number(number.low);
  out.key("high").number(number.high);
  out.end_object();
}

void write_kind(JsonWriter& out, const LessonQuestion& question) {
  if (!question.answers.empty()) {
    out.key("answers").texts(question.answers);
    write_whole(out, "right", question.right);
  }
  if (question.cell) {
    out.key("cell");
    write_cell(out, *question.cell);
  }
  if (question.number) {
    out.key("number");
    write_number(out, *question.number);
  }
  if (question.bars) {
    out.key("bars");
    write_bars(out, *question.bars);
  }
  if (question.marks) {
    out.key("cells");
    write_marks(out, *question.marks);
  }
  if (question.word) {
    out.key("word");
    write_word_choice(out, *question.word);
  }
}

void write_replies(JsonWriter& out, const LessonQuestion& question) {
  const auto usual = question.replies.end() - std::ssize(question.wrong);
  out.key("replies");
  std::vector<std::string> replies;
  for (auto reply = question.replies.begin(); reply != usual; ++reply)
    replies.push_back(reply->written());
  out.texts(replies);
  if (question.wrong.empty()) return;
  out.key("wrong").begin_list();
  for (std::size_t i = 0; i < question.wrong.size(); ++i) {
    out.next_item();
    out.begin_object();
    out.key("if").text(condition_words(question.wrong[i]));
    out.key("reply").text((usual + static_cast<std::ptrdiff_t>(i))->written());
    out.end_object();
  }
  out.end_list();
}

bool list_fits(const LessonText& text, const Layer& layer) {
  return reference_exists(list_of(text), layer);
}

bool marks_fit(const AskedMarks& marks, const Layer& layer) {
  const auto below = [](const std::vector<Index>& lines, Index count) {
    return std::all_of(lines.begin(), lines.end(), [count](Index line) { return line < count; });
  };
  return stage_exists(layer, marks.stage) && marks.head < stage_heads(layer, marks.stage) &&
         marks.sequence < layer.sequence_count() && below(marks.rows, stage_rows(layer, marks.stage)) &&
         below(marks.columns, stage_columns(layer, marks.stage));
}

}  // namespace

Stage read_stage(const JsonFields& fields, Stage fallback) {
  if (!fields.has("stage")) return fallback;
  const std::string name = fields.text("stage", "");
  if (const auto stage = stage_from_name(name)) return *stage;
  std::vector<std::string> names;
  for (const StageInfo& info : stage_table())
    names.emplace_back(info.name);
  throw Error("there is no stage " + in_quotes(name), fields.place("stage"),
              "the nearest known stage is " + in_quotes(nearest_name(name, names)) + " of " + listed(names));
}

const Json& list_value(const Json& value, std::string_view place, std::string_view example) {
  if (!value.is_array())
    throw Error("is " + json_kind(value) + ", expected a list", std::string(place),
                "write it like " + std::string(example));
  return value;
}

std::vector<Index> read_indices(const JsonFields& fields, const std::string& key, Index count) {
  std::vector<Index> indices;
  MemberReader member(fields);
  member(key.c_str(), indices, form::List{form::Whole{0, count - 1}, "write it like [1, 2], counted from 0"});
  return indices;
}

LessonText read_text(const JsonFields& fields, const std::string& key, const LessonStep& step,
                     const StepModels& layers, Mistakes& mistakes) {
  std::string written;
  mistakes.read([&] { written = fields.text(key, ""); });
  return checked_text(written, fields.place(key), step, layers, mistakes);
}

bool references_exist(const LessonText& text, const StepModels& layers) {
  const std::vector<TextReference> references = references_of(text.pieces());
  return std::all_of(references.begin(), references.end(), [&](const TextReference& reference) {
    const bool opens = reference.moment == ReferencedState::Opened;
    return reference_exists(reference, opens ? layers.opened : layers.now) &&
           (reference.moment == ReferencedState::Now || pair_count(layers.opened) <= kMostFirstPairs);
  });
}

LessonQuestion read_question(const Json& value, const std::string& place, const LessonStep& step,
                             const StepModels& layers, Mistakes& mistakes) {
  const JsonFields fields(value, place,
                          {"question", "answers", "right", "cell", "number", "bars", "cells", "word",
                           "replies", "wrong", "change"});
  LessonQuestion question;
  mistakes.read([&] { fields.require("question", "say what is asked"); });
  question.text = read_text(fields, "question", step, layers, mistakes);
  const bool answered = mistakes.read([&] { read_answers(fields, question, step, layers.now); });
  // How many replies there are depends on the answers.
  if (answered) mistakes.read([&] { read_replies(fields, question, step, layers, mistakes); });
  Layer changed = layers.now;
  mistakes.read([&] {
    if (fields.has("change")) question.change = fitting_change(fields, "change", changed, layers.training);
  });
  if (mistakes.none()) mistakes.read([&] { check_guess(fields, question, step, layers.now, changed); });
  return question;
}

void write_question(JsonWriter& out, const LessonQuestion& question) {
  out.begin_object();
  out.key("question").text(question.text.written());
  write_kind(out, question);
  write_replies(out, question);
  if (question.change) {
    out.key("change");
    write_change(out, *question.change);
  }
  out.end_object();
}

bool question_fits(const LessonQuestion& question, const Layer& layer) {
  if (question.cell) {
    const AskedCell& cell = *question.cell;
    if (cell.head >= stage_heads(layer, cell.stage) || cell.at[0] >= stage_rows(layer, cell.stage) ||
        cell.at[1] >= stage_columns(layer, cell.stage))
      return false;
  }
  if (question.bars && !list_fits(question.bars->list, layer)) return false;
  if (question.word && !list_fits(question.word->list, layer)) return false;
  if (question.marks && !marks_fit(*question.marks, layer)) return false;
  if (!question.change) return true;
  Layer changed = layer;
  apply_change(*question.change, changed);  // throws if it does not fit
  return true;
}

}  // namespace headlight
