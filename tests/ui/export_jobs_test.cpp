// Exports in the background: previews, files that come all or not at all, and what goes to the clipboard.
#include "app/shell/export_jobs.h"

#include <chrono>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <thread>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

struct Desk {
  TemporaryFolder folder;
  ExportSource source{std::make_shared<const Session>(lesson_session("20-two-heads")), {}};
  ExportJobs jobs{[] {}};

  template <class Reached>
  void until(Reached reached) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!reached()) {
      if (std::chrono::steady_clock::now() > deadline)
        throw std::runtime_error("the jobs do not come to rest");
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  ExportOutcome carry_out(ExportRequest request) {
    jobs.start(std::move(request), source);
    std::optional<ExportOutcome> outcome;
    until([&] { return (outcome = jobs.take_outcome()).has_value(); });
    return *outcome;
  }
  ExportItem item(Stage stage, const std::string& name) const {
    return {{FigureKind::Heads, {stage, {}, 0}, {}}, {}, name.empty() ? fs::path() : folder / name};
  }
  std::set<std::string> files() const {
    std::set<std::string> names;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
      names.insert(entry.path().filename().string());
    return names;
  }
};

}  // namespace

TEST_CASE("export jobs: several files come all or not at all") {
  Desk desk;
  ExportRequest request{FileFormat::Csv,
                        {desk.item(Stage::Scores, "a.csv"), desk.item(Stage::Weights, "b.csv")}};
  SECTION("all") {
    const ExportOutcome outcome = desk.carry_out(request);
    CHECK(outcome.kind == ExportOutcome::Kind::Saved);
    CHECK_THAT(outcome.text, ContainsSubstring("2 files saved"));
    CHECK(desk.files() == std::set<std::string>{"a.csv", "b.csv"});
  }
  SECTION("none, when one cannot be made") {
    write_file_atomically(desk.folder / "a.csv", "old");
    request.items[1].choice.part.heads = {9};
    const ExportOutcome outcome = desk.carry_out(request);
    CHECK(outcome.kind == ExportOutcome::Kind::Failed);
    CHECK_THAT(outcome.text, ContainsSubstring("no head 9"));
    CHECK(desk.files() == std::set<std::string>{"a.csv"});
    CHECK(read_file(desk.folder / "a.csv") == "old");
  }
}

TEST_CASE("export jobs: every stage of the pipeline goes into one npz") {
  Desk desk;
  ExportItem item = desk.item(Stage::Weights, "all.npz");
  item.choice.kind = FigureKind::Pipeline;
  CHECK(desk.carry_out({FileFormat::Npz, {item}}).kind == ExportOutcome::Kind::Saved);
  CHECK(list_npz(desk.folder / "all.npz").size() == kStageCount);
}

TEST_CASE("export jobs: what is copied comes back as bytes, a folder that is gone as a message") {
  Desk desk;
  const ExportOutcome text = desk.carry_out({FileFormat::Markdown, {desk.item(Stage::Weights, "")}});
  CHECK(text.kind == ExportOutcome::Kind::Copied);
  CHECK_THAT(text.clipboard_text, ContainsSubstring("| query |"));
  const ExportOutcome picture = desk.carry_out({FileFormat::Png, {desk.item(Stage::Weights, "")}});
  CHECK(picture.picture.starts_with("\x89PNG"));
  const ExportOutcome lost = desk.carry_out({FileFormat::Csv, {desk.item(Stage::Weights, "gone/x.csv")}});
  CHECK(lost.kind == ExportOutcome::Kind::Failed);
  CHECK_THAT(lost.text, ContainsSubstring("Nothing was saved"));
}

TEST_CASE("export jobs: the newest preview wins and tells its file's size, and goes with the dialog") {
  Desk desk;
  PreviewOrder order;
  order.width_px = order.height_px = 200;
  for (int i = 0; i < 5; ++i) {
    order.options.decimals = i;
    order.options.title = "title " + std::to_string(i);
    desk.jobs.preview(order, desk.source);
  }
  desk.until([&] { return !desk.jobs.running(); });
  const auto newest = desk.jobs.newest_preview();
  REQUIRE(newest);
  CHECK(newest->failure == "");
  const Evaluator evaluator = evaluate(desk.source.session->model);
  FigureGrid figure;
  const FigurePreview expected =
      preview_figure(order, {evaluator, desk.source.session->title}, nullptr, figure);
  CHECK(newest->pixels.pixels == expected.pixels.pixels);
  const ExportOutcome outcome = desk.carry_out({FileFormat::Png, {{order.choice, order.options, {}}}});
  CHECK(newest->file_size == outcome.picture.size());
  desk.jobs.end_previews();
  CHECK(desk.jobs.newest_preview() == nullptr);
}
