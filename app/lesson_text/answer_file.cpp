#include "app/lesson_text/answer_file.h"

#include <array>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_fields.h"
#include "engine/json/json_writer.h"
#include "engine/session/lesson_field.h"

namespace headlight {
namespace {

constexpr const char* kFormat = "headlight-answers";
constexpr std::size_t kMostAnswers = 1000, kMostLabels = 200, kMostBytes = 1'000'000;
constexpr std::array<Word<AnswerKind>, 2> kKindWords = {
    {{"numbers", AnswerKind::Numbers}, {"marks", AnswerKind::Marks}}};

const Json& list_of(const JsonFields& fields, const char* key, std::size_t most) {
  const Json& list = fields.require(key, "a file of answers is written by Save my answers");
  if (!list.is_array())
    throw Error("is " + json_kind(list) + ", expected a list", fields.place(key), "save the answers again");
  if (list.size() > most)
    throw Error("has " + std::to_string(list.size()) + " entries", fields.place(key),
                "at most " + std::to_string(most) + " are read");
  return list;
}

std::string entry_place(const JsonFields& fields, const char* key, std::size_t at) {
  return fields.place(key) + "[" + std::to_string(at) + "]";
}

// As many numbers as there are labels.
std::vector<double> read_numbers(const JsonFields& fields, const char* key, std::size_t count) {
  const Json& list = list_of(fields, key, kMostLabels);
  if (list.size() != count)
    throw Error("has " + std::to_string(list.size()) + " numbers for " + std::to_string(count) + " labels",
                fields.place(key), "save the answers again");
  std::vector<double> numbers;
  for (const Json& number : list)
    numbers.push_back(number_value(number, entry_place(fields, key, numbers.size())));
  return numbers;
}

SavedAnswer read_answer(const Json& value, const std::string& place) {
  const JsonFields fields(value, place,
                          {"step", "question", "kind", "labels", "guess", "right", "is_right", "id"});
  SavedAnswer answer;
  fields.require("step", "it says which step asked");
  answer.step = static_cast<int>(fields.whole("step", 1, 1, 1'000'000));
  answer.question = fields.text("question", "");
  answer.kind = fields.choice("kind", kKindWords, AnswerKind::Numbers);
  for (const Json& label : list_of(fields, "labels", kMostLabels))
    answer.labels.push_back(text_value(label, entry_place(fields, "labels", answer.labels.size())));
  answer.guess = read_numbers(fields, "guess", answer.labels.size());
  if (fields.has("right")) answer.right = read_numbers(fields, "right", answer.labels.size());
  if (fields.has("is_right")) answer.is_right = fields.flag("is_right", false);
  answer.id = fields.text("id", "");
  return answer;
}

void write_answer(JsonWriter& out, const SavedAnswer& answer) {
  out.begin_object();
  out.key("step").whole(answer.step);
  if (!answer.id.empty()) {
    out.key("id").text(answer.id);
  }
  out.key("question").text(answer.question);
  out.key("kind").text(answer.kind == AnswerKind::Numbers ? "numbers" : "marks");
  out.key("labels").texts(answer.labels);
  out.key("guess").numbers(answer.guess);
  if (!answer.right.empty()) {
    out.key("right").numbers(answer.right);
  }
  if (answer.is_right) {
    out.key("is_right").flag(*answer.is_right);
  }
  out.end_object();
}

void check_format(const Json& document) {
  const char* hint = "files of answers are written by Save my answers in the window";
  const auto format = document.is_object() ? document.find("format") : document.end();
  if (!document.is_object() || format == document.end() || *format != kFormat)
    throw Error("this is no file of answers", "format", hint);
  const auto version = document.find("version");
  if (version != document.end() && version->is_number_integer() && *version > 1)
    throw Error("the file has version " + version->dump() + ", this program reads version 1", "version",
                "read it with a newer Headlight");
  if (version == document.end() || *version != 1)
    throw Error("the version is not 1", "version", "write \"version\": 1");
}

}  // namespace

std::string answer_file_text(const AnswerFile& file) {
  JsonWriter out;
  out.begin_object();
  out.key("format").text(kFormat);
  out.key("version").whole(1);
  if (!file.name.empty()) {
    out.key("name").text(file.name);
  }
  out.key("lesson").text(file.lesson);
  write_language(out, file.language);
  out.key("answers").begin_list();
  for (const SavedAnswer& answer : file.answers) {
    out.next_item();
    write_answer(out, answer);
  }
  out.end_list();
  out.end_object();
  return out.take();
}

AnswerFile parse_answer_file(const std::string& text, const std::string& name) {
  const JsonTree tree(parse_json(text));
  check_format(tree.value);
  const JsonFields fields(
      tree.value, "", {"format", "version", "name", "lesson", "labels", "glossary", "decimal", "answers"});
  AnswerFile file;
  file.name = fields.text("name", name);
  file.lesson = fields.text("lesson", "");
  file.language = read_language(fields);
  for (const Json& answer : list_of(fields, "answers", kMostAnswers))
    file.answers.push_back(read_answer(answer, entry_place(fields, "answers", file.answers.size())));
  return file;
}

AnswerFile load_answer_file(const std::filesystem::path& path) {
  try {
    const std::string text = read_file(path);
    if (text.size() > kMostBytes)
      throw Error("the file is larger than 1 MB", "", "files of answers have a few kilobytes");
    return parse_answer_file(text, path.stem().string());
  } catch (const Error& error) {
    throw error.inside(path.string());
  }
}

}  // namespace headlight
