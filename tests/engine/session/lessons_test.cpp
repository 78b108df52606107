// The lessons in assets/lessons.
#include <cmath>
#include <set>

#include "engine/attention/evaluator.h"
#include "engine/core/file.h"
#include "engine/session/session.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<fs::path> lesson_paths() {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(HEADLIGHT_SOURCE_DIR "/assets/lessons"))
    if (entry.path().extension() == ".headlight") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

TEST_CASE("lessons: each opens and says what it is") {
  const std::vector<fs::path> paths = lesson_paths();
  REQUIRE(paths.size() >= 14);
  const std::set<std::string> chapters = {"Simple attention",          "Trainable weights",
                                          "Causal mask and dropout",   "Multi-head attention",
                                          "Why it is built like this", "Attention in real models"};
  std::set<std::string> seen;
  for (const fs::path& path : paths) {
    INFO(path.filename().string());
    const Session session = load_session(path);
    CHECK(session.title != "");
    CHECK(session.notes.size() > 60);
    CHECK(session.notes.size() < 250);  // an introduction; the steps contain the lesson
    REQUIRE(session.lesson.has_value());
    CHECK(chapters.count(session.lesson->chapter) == 1);
    CHECK(session.lesson->source != "");
    seen.insert(session.lesson->chapter);
  }
  CHECK(seen == chapters);
}

TEST_CASE("lessons: the numbers in front of the names are the order, chapter by chapter") {
  int order = -1;
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
    if (is_pair(lesson.stage)) CHECK(session.model.may_attend(lesson.row, lesson.column));
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
