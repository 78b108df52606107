#include "app/page/course.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "app/page/page_parts.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/lesson_text/lesson_support.h"
#include "tests/app/page/page_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

nlohmann::json data_in(const std::string& html) {
  return nlohmann::json::parse(data_of(html));
}

const CoursePage& page_named(const std::vector<CoursePage>& pages, const std::string& file) {
  const auto found =
      std::find_if(pages.begin(), pages.end(), [&](const CoursePage& page) { return page.file == file; });
  REQUIRE(found != pages.end());
  return *found;
}

std::vector<CourseLesson> some_lessons(const std::vector<std::string>& names) {
  std::vector<CourseLesson> lessons;
  for (const std::string& name : names)
    lessons.push_back({name, lesson_session(name)});
  return lessons;
}

}  // namespace

TEST_CASE("a course lists its lessons in their order, and each leads to the next") {
  const std::vector<CoursePage> pages =
      course_of(some_lessons({"20-two-heads", "01-one-query-dot-products", "21-two-heads-of-two"}));
  REQUIRE(pages.size() == 4);
  CHECK(pages[0].file == "index.html");
  CHECK(pages[1].file == "01-one-query-dot-products.html");
  CHECK(pages[2].file == "20-two-heads.html");
  CHECK(pages[3].file == "21-two-heads-of-two.html");
  CHECK_THAT(pages[0].html, ContainsSubstring("href=\"20-two-heads.html\" data-lesson=\"20-two-heads\""));
  CHECK(data_in(pages[1].html).at("course").at("next").at("file") == "20-two-heads.html");
  CHECK(data_in(pages[2].html).at("course").at("next").is_null());  // a variation is passed over
}

TEST_CASE("a lesson's page is computed in the browser, and holds the texts as they were parsed") {
  const std::vector<CoursePage> pages = course_of(some_lessons({"20-two-heads", "34-what-a-loss-is"}));
  const CoursePage& page = page_named(pages, "20-two-heads.html");
  CHECK(page.still.empty());
  const nlohmann::json lesson = data_in(page.html).at("lesson");
  CHECK(lesson.at("number") == "17");
  CHECK(lesson.at("steps").size() == lesson_session("20-two-heads").lesson->steps.size());
  const nlohmann::json last = lesson.at("steps").back();
  CHECK(last.at("ask").at("change").at("set").at("disabled_heads") == nlohmann::json::array({0}));
  CHECK(last.at("text")[0].is_string());
  CHECK_THAT(lesson.dump(), !ContainsSubstring("{weights["));
  CHECK_THAT(lesson.at("terms").at("softmax").get<std::string>(), ContainsSubstring("shares of scores"));
  CHECK(page_named(pages, "34-what-a-loss-is.html").still.empty());
}

TEST_CASE("script and style of every page of the course have at most 120 KB") {
  std::vector<CourseLesson> lessons;
  for (const std::string& stem : lesson_stems())
    if (!lesson_session(stem).work) lessons.push_back({stem, lesson_session(stem)});
  for (const CoursePage& page : course_of(std::move(lessons))) {
    INFO(page.file);
    const std::string script = script_of(page.html);
    CHECK(script.size() + style_of(page.html).size() <= std::size_t{120} * 1024);
    CHECK_THAT(page.html, ContainsSubstring("script-src '" + script_hash(script) + "'"));
    CHECK_THAT(page.html, !ContainsSubstring("<link") && !ContainsSubstring(" src="));
    CHECK(page.still.empty());
  }
}

TEST_CASE("a lesson that a page does not compute has its steps as the program evaluates them") {
  std::vector<CourseLesson> lessons = some_lessons({"20-two-heads"});
  lessons.front().session.layer.tokens.assign(65, "word");
  lessons.front().session.layer.embeddings = {Matrix::Ones(65, 3), Matrix::Ones(65, 3)};
  const CoursePage page = course_of(std::move(lessons)).back();
  CHECK(page.still == "it has 65 tokens, and a page computes up to 64");
  CHECK_THAT(page.html, ContainsSubstring("This page stands still: it has 65 tokens") &&
                            ContainsSubstring("<svg ") && ContainsSubstring("<summary>The answer</summary>"));
}

TEST_CASE("hostile texts are text in a course") {
  const std::string hostile = "</script><img src=x onerror=alert(1)>";
  std::vector<CourseLesson> lessons = some_lessons({"20-two-heads"});
  Session& session = lessons.front().session;
  session.title = session.notes = session.lesson->chapter = hostile;
  session.layer.tokens.front() = hostile;
  session.lesson->steps.front().title = hostile;
  session.lesson->steps.front().text = LessonText(hostile + "{token[0]}");
  for (const CoursePage& page : course_of(std::move(lessons))) {
    INFO(page.file);
    CHECK_THAT(page.html, !ContainsSubstring("<img"));
    CHECK_THAT(page.html, ContainsSubstring("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
  }
}

TEST_CASE("two lessons of a course may not have one page") {
  CHECK_THROWS_AS(course_of(some_lessons({"20-two-heads", "20-two-heads"})), Error);
}

TEST_CASE("headlight page saves a folder of lessons as a course") {
  const Workplace place;
  const std::string folder = place.path("lessons"), out = place.path("course");
  std::filesystem::create_directory(folder);
  for (const auto& file : lesson_files())
    if (file.stem() == "20-two-heads" || file.stem() == "34-what-a-loss-is")
      std::filesystem::copy_file(file, folder + "/" + file.filename().string());
  const Outcome saved = run({"page", folder, "-o", out});
  CHECK(saved.status() == 0);
  CHECK(saved.err.empty());
  CHECK(saved.out == out + "/index.html saved, with 2 lessons\n");
  CHECK_THAT(read_file(out + "/index.html"), ContainsSubstring("What a loss is"));
  const Outcome again = run({"page", folder, "-o", out});
  CHECK(again.status() == 1);
  CHECK_THAT(again.err, ContainsSubstring("--force"));
  CHECK(run({"page", folder, "-o", out, "--force"}).status() == 0);
  CHECK(run({"page", folder, "-o", folder + "/20-two-heads.headlight"}).status() == 1);
  std::filesystem::copy_file(place.session(), folder + "/none.headlight");
  CHECK_THAT(run({"page", folder, "-o", out, "--force"}).err, ContainsSubstring("no lesson"));
}
