// The report of a session: entries, the text as a page and a PDF, the table of a model's changes, and
// `headlight report`.
#include "app/report/report.h"

#include "app/export/about.h"
#include "app/report/report_entries.h"
#include "app/report/report_page.h"
#include "engine/analysis/changes_table.h"
#include "engine/core/file.h"
#include "engine/network/layer_at.h"
#include "engine/session/model_folder_field.h"
#include "tests/app/cli/cli_support.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/format_support.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string picture_bytes() {
  return read_file(source_root() + "/assets/screenshot.png");
}

OpenModel changed_model() {
  OpenModel work;
  work.network = open_model("gpt2");
  work.ids = golden_ids("gpt2");
  set_head(work, 0, 1, HeadState::Off);
  set_head(work, 1, 2, HeadState::Mean);
  add_patch(work, {PatchStage::Residual, 2, 0, 3, 1, Matrix::Constant(1, 4, 0.25f)});
  return work;
}

double logit_with(const OpenModel& work, const ModelChanges& changes, std::int32_t id) {
  OpenModel one = work;
  one.on = changes;
  NetworkPass pass(work.network);
  take_state(pass, state_of(one));
  return static_cast<double>(pass.logits(static_cast<Index>(work.ids.size()) - 1, 1)(0, id));
}

}  // namespace

TEST_CASE("report: entries get names of their own, and the text shows what they are of") {
  Report report;
  ReportEntry entry{
      "weights, *head* 0", "gpt2 · a < b", "weights, head 0", picture_bytes(), "{}", "headlight x", ""};
  add_entry(report, entry, "What_was found");
  add_entry(report, entry, "");
  REQUIRE(report.files.size() == 4);
  CHECK(report.files[0].name == "1-weights-head-0.png");
  CHECK(report.files[1].name == "1-weights-head-0.json");
  CHECK(report.files[2].name == "2-weights-head-0.png");
  CHECK(report.text.starts_with("# What\\_was found\n"));
  CHECK_THAT(report.text, ContainsSubstring("](1-weights-head-0.png)"));
  CHECK_THAT(report.text, ContainsSubstring("    headlight x\n"));
  const TemporaryFolder folder;
  save_report(report, folder / "x.report");
  const Report again = read_report(folder / "x.headlight");
  CHECK(again.text == report.text);
  CHECK(again.files.size() == 4);
  CHECK(read_report_text(folder / "x.report/report.md").files.size() == 4);
}

TEST_CASE("report: a page holds its pictures, escapes its text and makes no request") {
  Report report;
  add_entry(report, {"<script>alert(1)</script>", "", "p", picture_bytes(), "", "", ""}, "A & B");
  report.text +=
      "\n<img src=x onerror=alert(2)> [click](javascript:alert(3)) [site](https://example.org/)\n\n"
      "![gone](gone.png)\n\n| a | b |\n|---|---|\n| <i>1</i> | 2 |\n\n- one\n\n    code < text\n";
  const std::string html = report_html(report);
  CHECK_THAT(html, ContainsSubstring("Content-Security-Policy"));
  CHECK_THAT(html, ContainsSubstring("src=\"data:image/png;base64,"));
  CHECK_THAT(html, ContainsSubstring("&lt;script&gt;"));
  CHECK_THAT(html, ContainsSubstring("href=\"https://example.org/\""));
  CHECK_THAT(html, ContainsSubstring("gone.png is not in the report"));
  CHECK_THAT(html, ContainsSubstring("<td>&lt;i&gt;1&lt;/i&gt;</td>"));
  CHECK(html.find("<script>alert") == std::string::npos);
  CHECK(html.find("<img src=x") == std::string::npos);
  CHECK(html.find("javascript:") == std::string::npos);
}

TEST_CASE("report: a PDF has its text and its pictures, and names what it cannot draw") {
  Report report;
  add_entry(report, {"A picture", "", "p", picture_bytes(), "", "", ""}, "Title");
  report.files.push_back({"drawn.svg", "<svg/>"});
  report.text += "\n![drawn](drawn.svg)\n\n![gone](gone.png)\n";
  const std::string with = report_pdf(report, "Headlight");
  CHECK(with.starts_with("%PDF"));
  report.files.clear();
  CHECK(report_pdf(report, "Headlight").size() + 10'000 < with.size());
  report.files = {{"1-p.png", "no picture"}};
  CHECK_THROWS_AS(report_pdf(report, "Headlight"), Error);
}

TEST_CASE("report: an answer over a set names the set, in its caption and in its command") {
  OpenModel work;
  work.network = open_model("gpt2");
  work.ids = golden_ids("gpt2");
  DataSet set;
  set.file = "a b/pairs.tsv";
  set.rows.resize(3);
  Analysis analysis;
  analysis.kind = AnalysisKind::Parts;
  analysis.set = std::make_shared<const DataSet>(set);
  CHECK(answer_caption(work, analysis, {"a note"}) ==
        work.network->name() + " · mean over the 3 rows of pairs.tsv · a note");
  const std::string command = shell_line(asking_command(*work.network, analysis, asked_how(analysis, "")));
  CHECK_THAT(command, ContainsSubstring("--set 'a b/pairs.tsv'"));
  analysis.set.reset();
  analysis.texts = {work.ids};
  CHECK(answer_caption(work, analysis, {}) == model_in_words(work));
}

TEST_CASE("report: the table of changes has each change alone and all together") {
  const OpenModel work = changed_model();
  const std::int32_t id = 5;
  const ResultTable table = changes_table(work, id);
  REQUIRE(table.rows.size() == 5);
  CHECK(table.rows.front() == "without changes");
  CHECK(table.rows.back() == "all together");
  REQUIRE(table.columns.size() == 4);
  ModelChanges head, mean, patch;
  head.layers[0].heads = work.on.layers.at(0).heads;
  mean.layers[1].heads = work.on.layers.at(1).heads;
  patch.patches = work.on.patches;
  const std::vector<double> expected = {logit_with(work, {}, id), logit_with(work, head, id),
                                        logit_with(work, mean, id), logit_with(work, patch, id),
                                        logit_with(work, work.on, id)};
  for (std::size_t row = 0; row < expected.size(); ++row) {
    INFO(table.rows[row]);
    const auto at = static_cast<Index>(row);
    CHECK(std::abs(static_cast<double>(table.values(at, 0)) - expected[row]) < 1e-4);
    CHECK(std::abs(static_cast<double>(table.values(at, 1)) - (expected[row] - expected[0])) < 1e-4);
    CHECK(table.values(at, 2) > 0);
    CHECK(table.values(at, 3) > 0);
  }
  CHECK(table.values(4, 1) != 0);
  OpenModel plain = work;
  plain.on = {};
  check_error([&] { changes_table(plain, {}); }, "no changes", "changes", "head off");
  const std::string markdown = markdown_table(table, 2);
  CHECK(line_count(markdown) >= 5);
  CHECK_THAT(markdown, ContainsSubstring("3 rows more"));
}

TEST_CASE("report: the command adds the changes, and saves a page, a PDF and a folder") {
  const TemporaryFolder folder;
  Session session;
  session.title = "Two heads";
  OpenModel work = changed_model();
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  const std::string file = (folder / "x.headlight").string();
  save_session(session, file);
  const auto path = [&](const char* name) { return (folder / name).string(); };
  CHECK_THAT(run({"report", file, "-o", path("a.html")}).err, ContainsSubstring("there is no report"));
  const Outcome added = run({"report", file, "--add-changes", "--target", "#5"});
  INFO(added.err);
  REQUIRE(added.status() == 0);
  CHECK_THAT(read_file(folder / "x.report/report.md"), ContainsSubstring("all together"));
  CHECK(run({"report", file, "-o", path("a.html")}).status() == 0);
  CHECK_THAT(read_file(folder / "a.html"), ContainsSubstring("<td>all together</td>"));
  CHECK(run({"report", path("x.report/report.md"), "-o", path("a.pdf")}).status() == 0);
  CHECK(read_file(folder / "a.pdf").starts_with("%PDF"));
  CHECK(run({"report", file, "-o", path("copy")}).status() == 0);
  CHECK(read_file(folder / "copy/report.md") == read_file(folder / "x.report/report.md"));
  CHECK_THAT(run({"report", file, "-o", path("a.html")}).err, ContainsSubstring("--force"));
  CHECK(run({"report", file, "-o", path("a.docx")}).status() == 1);
  CHECK(run({"report", file, "--target", "#5", "-o", path("b.html")}).status() == 2);
  CHECK_THAT(run({"report", file}).err, ContainsSubstring("--add-changes"));
}
