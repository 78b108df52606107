#include "app/page/page.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/page/page_parts.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/page/page_support.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::vector<std::string> kHostile = {"<script>alert(1)</script>",
                                           "\"><img src=x onerror=alert(1)>",
                                           "</script><style>*{display:none}</style>",
                                           "</title><svg/onload=alert(1)>",
                                           "\u202Eevil",
                                           std::string(3000, 'x'),
                                           "<!--",
                                           "' onclick='alert(1)"};

// A session whose every text is a person's: tokens, title and notes.
Session session_with(const std::vector<std::string>& texts) {
  Session session;
  session.title = texts.front();
  session.notes = texts.back() + "\n" + texts[texts.size() / 2];
  session.layer.tokens = texts;
  const auto count = static_cast<Index>(texts.size());
  Matrix embeddings(count, 2);
  for (Index row = 0; row < count; ++row)
    embeddings.row(row) << static_cast<float>(row), 1.0F;
  session.layer.embeddings = {embeddings};
  session.layer.attention.d_out = 2;
  return session;
}

Session session_of_tokens(Index count) {
  return session_with(std::vector<std::string>(static_cast<std::size_t>(count), "word"));
}

Page page_with(const Session& session, bool still = false) {
  const Evaluator evaluator = evaluate(session.layer);
  return page_of(session, {evaluator, session.title}, still);
}

}  // namespace

TEST_CASE("hostile texts are text in a page") {
  const Session session = session_with(kHostile);
  for (const bool still : {false, true}) {
    const Page page = page_with(session, still);
    std::set<std::string> names;
    for (const std::string& tag : tags_of(page.html)) {
      names.insert(tag.substr(0, tag.find_first_of(" \n")));
      CHECK_THAT(tag, !ContainsSubstring(" on"));
    }
    for (const char* wrong : {"img", "svg/onload=alert(1)", "!--"})
      CHECK(names.count(wrong) == 0);
    const std::vector<std::string> tags = tags_of(page.html);
    const auto count_of = [&](const std::string& begin) {
      return std::count_if(tags.begin(), tags.end(),
                           [&](const std::string& tag) { return tag.rfind(begin, 0) == 0; });
    };
    CHECK(count_of("script") == 2);
    CHECK(count_of("/script") == 2);
    CHECK(count_of("style") == 1);
    const std::string without_data = page.html.substr(0, page.html.find(data_of(page.html)));
    CHECK_THAT(without_data, !ContainsSubstring("\u202E"));
    CHECK_THAT(without_data, ContainsSubstring("&lt;script&gt;alert(1)&lt;/script&gt;"));
  }
}

TEST_CASE("a page holds the session as it is saved, without its lesson") {
  Session session = session_with(kHostile);
  session.lesson.emplace();
  session.lesson->row = 3;
  session.lesson->count_from = 1;
  const std::string data = data_of(page_with(session).html);
  CHECK_THAT(data, !ContainsSubstring("<"));
  const nlohmann::json read = nlohmann::json::parse(data);
  session.lesson.reset();
  CHECK(read.at("session") == nlohmann::json::parse(session_text(session)));
  CHECK(read.at("view").at("row") == 3);
  CHECK(read.at("view").at("count_from") == 1);
}

TEST_CASE("only the page's own script runs, and no request leaves it") {
  for (const bool still : {false, true}) {
    const std::string html = page_with(session_of_tokens(3), still).html;
    const std::string policy = between(html, "Content-Security-Policy\" content=\"", "\"");
    CHECK_THAT(policy, ContainsSubstring("default-src 'none'"));
    CHECK_THAT(policy, ContainsSubstring("script-src '" + script_hash(script_of(html)) + "'"));
    CHECK_THAT(html, !ContainsSubstring("<link") && !ContainsSubstring(" src="));
  }
  // openssl dgst -sha256 -binary | base64
  CHECK(script_hash("") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
}

TEST_CASE("script and style of a page have at most 120 KB, and no import is left") {
  const std::string html = page_with(session_of_tokens(3)).html, script = script_of(html);
  CHECK(script.size() + style_of(html).size() <= std::size_t{120} * 1024);
  CHECK_THAT(script, !ContainsSubstring("\nimport ") && !ContainsSubstring("\nexport "));
  CHECK_THAT(script, ContainsSubstring("dataset.ready=\"live\""));
  CHECK_THAT(script_of(page_with(session_of_tokens(3), true).html), ContainsSubstring("\"still\""));
}

TEST_CASE("a layer that is too large for a page stands still, and says why") {
  CHECK(why_still(session_of_tokens(64).layer).empty());
  CHECK(why_still(session_of_tokens(65).layer) == "it has 65 tokens, and a page computes up to 64");
  Session wide = session_of_tokens(3);
  wide.layer.embeddings = {Matrix::Ones(3, 65)};
  wide.layer.attention.d_out = 65;
  CHECK(why_still(wide.layer) == "it has 65 numbers a head, and a page computes up to 64");
  Session heads = session_of_tokens(3);
  heads.layer.embeddings = {Matrix::Ones(3, 34)};
  heads.layer.attention.d_out = 34;
  heads.layer.attention.num_heads = 17;
  CHECK(why_still(heads.layer) == "it has 17 heads, and a page computes up to 16");
  const Page page = page_with(session_of_tokens(65));
  CHECK_THAT(page.html,
             ContainsSubstring("This page stands still: it has 65 tokens") && ContainsSubstring("<svg "));
}

TEST_CASE("a page that stands still hands out the numbers of its picture") {
  const Session session = session_of_tokens(3);
  const nlohmann::json read = nlohmann::json::parse(data_of(page_with(session, true).html));
  const Evaluator evaluator = evaluate(session.layer);
  const Matrix weights = evaluator.tile({}).values;
  CHECK(read.at("session") == nlohmann::json::parse(session_text(session)));
  for (Index row = 0; row < 3; ++row)
    for (Index column = 0; column < 3; ++column)
      CHECK(read.at("stages")
                .at("weights")[0][0][static_cast<std::size_t>(row)][static_cast<std::size_t>(column)]
                .get<float>() == weights(row, column));
}

TEST_CASE("without its script a page has the picture and a table of its numbers") {
  const std::string html = page_with(session_of_tokens(3)).html;
  const std::string without = between(html, "<noscript>", "</noscript>");
  CHECK_THAT(without, ContainsSubstring("<svg ") && ContainsSubstring("<table class=\"numbers\">") &&
                          ContainsSubstring("<caption>Attention weights, head 0</caption>"));
}

TEST_CASE("headlight page saves one file") {
  const Workplace place;
  const std::string file = place.path("two.html");
  const Outcome saved = run({"page", place.session(), "-o", file});
  CHECK(saved.status() == 0);
  CHECK(saved.out == file + " saved\n");
  CHECK(saved.err.empty());
  CHECK_THAT(read_file(file), ContainsSubstring("<title>Two heads</title>"));
  CHECK(run({"page", place.session(), "-o", file, "--still", "--force"}).out == file + " saved\n");
  CHECK_THAT(read_file(file), ContainsSubstring("This page stands still"));
}

TEST_CASE("headlight page refuses what it cannot save") {
  const Workplace place;
  const auto fault = [&](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    CHECK(outcome.status() == 1);
    CHECK(line_count(outcome.err) == 1);
    return outcome.err;
  };
  const std::string file = place.path("two.html");
  CHECK_THAT(fault({"page", place.session(), "-o", place.path("two.pdf")}),
             ContainsSubstring("a page is saved as .html"));
  CHECK_THAT(fault({"page", place.path("none.headlight"), "-o", file}), ContainsSubstring("none.headlight"));
  CHECK_THAT(fault({"page", place.session(), "-o", place.path("none/two.html")}), ContainsSubstring("none"));
  REQUIRE(run({"page", place.session(), "-o", file}).status() == 0);
  CHECK_THAT(fault({"page", place.session(), "-o", file}), ContainsSubstring("--force"));
  CHECK_THAT(fault({"page", file, "-o", place.path("again.html")}), ContainsSubstring("two.html"));
}
