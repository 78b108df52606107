// The lessons in assets/lessons.
#include <cmath>
#include <map>
#include <set>

#include "engine/attention/evaluator.h"
#include "engine/core/file.h"
#include "engine/session/session.h"
#include "tests/support/format_support.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<fs::path> lessons_in(const std::string& folder) {
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(source_root() + "/assets/" + folder))
    if (entry.path().extension() == ".headlight") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<fs::path> lesson_paths() {
  return lessons_in("lessons");
}

// With the lessons on trained models.
std::vector<fs::path> lessons_of_the_course() {
  std::vector<fs::path> paths = lesson_paths();
  for (fs::path& path : lessons_in("examples"))
    paths.push_back(std::move(path));
  return paths;
}

}  // namespace

TEST_CASE("lessons: each opens and says what it is") {
  const std::vector<fs::path> paths = lesson_paths();
  REQUIRE(paths.size() >= 14);
  const std::set<std::string> chapters = {"One word asks",  "All at once", "Weights that learn",
                                          "Not the future", "Many heads",  "Real models",
                                          "How heads form"};
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

TEST_CASE("lessons: numbered through, chapter by chapter, and so are the variations of each") {
  std::map<int, Lesson> lessons;                     // by number
  std::map<std::pair<int, int>, Lesson> variations;  // by lesson and place
  for (const fs::path& path : lessons_of_the_course()) {
    INFO(path.filename().string());
    const Lesson lesson = *load_session(path).lesson;
    if (lesson.variation_of)
      CHECK(variations.insert({{*lesson.variation_of, lesson.order}, lesson}).second);
    else
      CHECK(lessons.insert({lesson.order, lesson}).second);
  }
  CHECK(lessons.size() == 36);
  CHECK(lessons.rbegin()->first == 35);
  std::vector<std::string> chapters;
  for (const auto& [order, lesson] : lessons)
    if (chapters.empty() || chapters.back() != lesson.chapter) chapters.push_back(lesson.chapter);
  CHECK(chapters == std::vector<std::string>{"One word asks", "All at once", "Weights that learn",
                                             "Not the future", "Many heads", "Real models",
                                             "How heads form"});
  for (const auto& [place, variation] : variations) {
    INFO("variation " << place.second << " of " << place.first);
    REQUIRE(lessons.count(place.first) == 1);
    CHECK(variation.chapter == lessons.at(place.first).chapter);
    CHECK((place.second == 1 || variations.count({place.first, place.second - 1}) == 1));
  }
}

TEST_CASE("lessons: where a text names another lesson, it names it by its number") {
  const std::map<std::string, std::set<std::string>> named = {
      {"12-draw-order-key-first", {"10-queries-keys-values"}},
      {"13-five-tokens-one-inferred", {"11-scaled-scores"}},
      {"19-dropout-with-its-own-seed", {"18-dropout-after-the-weights"}},
      {"33-key-value-cache", {"29-grouped-queries", "31-sliding-window"}}};
  for (const fs::path& path : lessons_of_the_course()) {
    INFO(path.filename().string());
    const std::string text = read_file(path);
    std::set<int> told, expected;
    const std::string before = "lesson {fixed ";
    for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at + 1))
      told.insert(std::stoi(text.substr(at + before.size())));
    if (const auto found = named.find(path.stem().string()); found != named.end())
      for (const std::string& stem : found->second)
        expected.insert(load_session(path.parent_path() / (stem + ".headlight")).lesson->order);
    CHECK(told == expected);
  }
}

TEST_CASE("lessons: the address where the gaze rests exists and is not a masked cell") {
  for (const fs::path& path : lesson_paths()) {
    INFO(path.filename().string());
    const Session session = load_session(path);
    const Lesson& lesson = *session.lesson;
    const Evaluator evaluator = evaluate(session.layer);
    const Matrix& matrix = evaluator.matrix(lesson.stage, 0, lesson.head);
    REQUIRE(lesson.row < matrix.rows());
    REQUIRE(lesson.column < matrix.cols());
    CHECK(std::isfinite(matrix(lesson.row, lesson.column)));
    if (is_pair(lesson.stage)) CHECK(session.layer.may_attend(lesson.row, lesson.column));
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
    const Dropout dropout = load_session(path).layer.attention.dropout;
    if (dropout.active() && dropout.probability == 0.5) own_seed.insert(dropout.seed.has_value());
  }
  CHECK(own_seed.size() == 2);
}
