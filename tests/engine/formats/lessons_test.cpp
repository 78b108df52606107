// The lessons that come with the program.
#include <cmath>
#include <cstdio>
#include <map>
#include <regex>
#include <set>

#include "engine/attention/evaluator.h"
#include "engine/formats/session.h"
#include "tests/engine/formats/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<fs::path> lesson_paths() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(HEADLIGHT_SOURCE_DIR "/assets/lessons"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Every number of every stage, as the notes would quote it.
std::set<std::string> figures_of(const Model& model) {
  std::set<std::string> figures;
  const Evaluator evaluator = evaluate(model);
  char text[64];
  for (const StageInfo& info : stage_table())
    for (Index b = 0; b < model.sequence_count(); ++b)
      for (Index h = 0; h < stage_heads(model, info.stage); ++h)
        for (const float value : evaluator.matrix(info.stage, b, h).reshaped()) {
          std::snprintf(text, sizeof text, "%.4f", static_cast<double>(value));
          figures.insert(text);
        }
  return figures;
}

// What the notes quote besides figures of stages, and why it is right.
const std::set<std::string> kOtherFigures = {
    "6.5617",  // the sum of the scores of "journey"
    "0.4712",  // 0.2379 + 0.2333
    // "Hello shiny sun": terms of the context vector, as its source prints them and as they are
    "0.2153", "0.1381", "0.3981", "0.1969", "0.3391", "0.2156", "0.1382", "0.3983", "0.1972", "0.3390",
    "0.3992", "0.3858"};

std::vector<std::string> quoted_figures(const std::string& notes) {
  static const std::regex pattern("-?[0-9]+\\.[0-9]{4}");
  return {std::sregex_token_iterator(notes.begin(), notes.end(), pattern), {}};
}

}  // namespace

TEST_CASE("lessons: each opens and says what it is") {
  const std::vector<fs::path> paths = lesson_paths();
  REQUIRE(paths.size() >= 14);
  const std::set<std::string> chapters = {"Simple attention", "Trainable weights", "Causal mask and dropout",
                                          "Multi-head attention"};
  std::set<std::string> seen;
  for (const fs::path& path : paths) {
    INFO(path.filename().string());
    const Session session = load_session(path);
    CHECK(session.title != "");
    CHECK(session.notes.size() > 200);
    REQUIRE(session.lesson.has_value());
    CHECK(chapters.count(session.lesson->chapter) == 1);
    CHECK(session.lesson->source != "");
    seen.insert(session.lesson->chapter);
  }
  CHECK(seen == chapters);
}

TEST_CASE("lessons: the numbers in front of the names are the order, chapter by chapter") {
  int order = 0;
  std::vector<std::string> chapters;
  for (const fs::path& path : lesson_paths()) {
    INFO(path.filename().string());
    const Lesson lesson = *load_session(path).lesson;
    CHECK(lesson.order == ++order);
    CHECK(std::stoi(path.filename().string()) == order);
    if (chapters.empty() || chapters.back() != lesson.chapter) chapters.push_back(lesson.chapter);
  }
  CHECK(std::set<std::string>(chapters.begin(), chapters.end()).size() == chapters.size());
}

TEST_CASE("lessons: the address where the gaze rests exists and is not a masked cell") {
  for (const fs::path& path : lesson_paths()) {
    INFO(path.filename().string());
    const Session session = load_session(path);
    const Lesson& lesson = *session.lesson;
    const Evaluator evaluator = evaluate(session.model);
    const Matrix& matrix = evaluator.matrix(lesson.stage, 0, lesson.head);
    REQUIRE(lesson.row < matrix.rows());
    REQUIRE(lesson.column < matrix.cols());
    CHECK(std::isfinite(matrix(lesson.row, lesson.column)));
    if (is_square(lesson.stage)) CHECK(session.model.may_attend(lesson.row, lesson.column));
  }
}

TEST_CASE("lessons: every figure that the notes quote is computed") {
  std::map<std::string, std::set<std::string>> figures;
  std::set<std::string> all = kOtherFigures;  // notes compare lessons: a figure may stand in another one
  for (const fs::path& path : lesson_paths()) {
    figures[path.filename().string()] = figures_of(load_session(path).model);
    all.merge(std::set<std::string>(figures[path.filename().string()]));
  }
  for (const fs::path& path : lesson_paths()) {
    INFO(path.filename().string());
    const std::vector<std::string> quoted = quoted_figures(load_session(path).notes);
    std::size_t own = 0, of_stages = 0;
    for (const std::string& figure : quoted) {
      INFO(figure);
      CHECK(all.count(figure) == 1);
      of_stages += 1 - kOtherFigures.count(figure);
      own += figures[path.filename().string()].count(figure);
    }
    CHECK(own * 2 >= of_stages);
  }
}

TEST_CASE("lessons: opening and saving one changes nothing") {
  for (const fs::path& path : lesson_paths()) {
    INFO(path.filename().string());
    CHECK(session_text(load_session(path)) == read_file(path));
  }
}

TEST_CASE("lessons: both ways of seeding dropout are there") {
  std::set<bool> own_seed;
  for (const fs::path& path : lesson_paths()) {
    const Dropout dropout = load_session(path).model.attention.dropout;
    if (dropout.active() && dropout.probability == 0.5) own_seed.insert(dropout.seed.has_value());
  }
  CHECK(own_seed.size() == 2);
}
