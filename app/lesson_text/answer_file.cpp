#include "app/lesson_text/answer_file.h"

#include <array>

#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/json/json_members.h"
#include "engine/session/lesson_field.h"

namespace headlight {
namespace {

constexpr const char* kFormat = "headlight-answers";
constexpr std::size_t kMostAnswers = 1000, kMostLabels = 200, kMostBytes = 1'000'000;
constexpr std::array<Word<AnswerKind>, 2> kKindWords = {
    {{"numbers", AnswerKind::Numbers}, {"marks", AnswerKind::Marks}}};

constexpr const char* kAgain = "save the answers again";
constexpr const char* kWritten = "a file of answers is written by Save my answers";

void require_most(std::size_t count, const std::string& place, std::size_t most) {
  if (count > most)
    throw Error("has " + std::to_string(count) + " entries", place,
                "at most " + std::to_string(most) + " are read");
}

struct AnswerLabels : form::List<form::Plain> {
  AnswerLabels() : List{{}, kAgain} {}
  void read(const Json& json, const std::string& place, std::vector<std::string>& labels) const {
    List::read(json, place, labels);
    require_most(labels.size(), place, kMostLabels);
  }
};

// As many numbers as there are labels.
struct AnswerNumbers : form::List<form::Plain> {
  explicit AnswerNumbers(std::size_t labels) : List{{}, kAgain}, count(labels) {}
  void read(const Json& json, const std::string& place, std::vector<double>& numbers) const {
    List::read(json, place, numbers);
    if (numbers.size() != count)
      throw Error(
          "has " + std::to_string(numbers.size()) + " numbers for " + std::to_string(count) + " labels",
          place, kAgain);
  }
  std::size_t count;
};

}  // namespace

void members(auto& member, Of<SavedAnswer> auto& answer) {
  member("step", answer.step, form::Required{form::Whole{1, 1'000'000}, "it says which step asked"});
  member("id", answer.id, form::Plain(), !answer.id.empty());
  member("question", answer.question, form::Plain());
  member("kind", answer.kind, form::OneWord{kKindWords});
  member("labels", answer.labels, form::Required{AnswerLabels(), kWritten});
  member("guess", answer.guess, form::Required{AnswerNumbers(answer.labels.size()), kWritten});
  member("right", answer.right, AnswerNumbers(answer.labels.size()), !answer.right.empty());
  member("is_right", answer.is_right, form::Optional{form::Plain()}, answer.is_right.has_value());
}

namespace {

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
    write_members(out, answer);
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
  MemberReader member(fields);
  member("answers", file.answers, form::Required{form::List{form::Plain(), kAgain}, kWritten});
  require_most(file.answers.size(), "answers", kMostAnswers);
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
