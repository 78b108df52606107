// Exports in the background: previews, files that are all written or none, and the clipboard.
#include "app/shell/export_jobs.h"

#include <chrono>
#include <filesystem>
#include <future>
#include <limits>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "app/export/stage_numbers.h"
#include "app/settings/version.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/support/catch.h"
#include "tests/support/no_threads.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/sessions.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

struct ExportBench {
  explicit ExportBench(Session session = lesson_session("20-two-heads"))
      : source{std::make_shared<const Session>(std::move(session)), 1, {}} {}
  // The worker's numbers differ from the source's, to show which of them a file contains.
  explicit ExportBench(const Layer& of_worker)
      : source{std::make_shared<const Session>(lesson_session("20-two-heads")), 1, {}},
        worker(std::make_shared<const Layer>(of_worker), [] {}) {}

  TemporaryFolder folder;
  ExportSource source;
  Worker worker{std::make_shared<const Layer>(source.session->layer), [] {}};
  ExportJobs jobs{[] {}, [this](StageRead read) { return worker.read_stages(std::move(read)); }};

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
    return outcome();
  }
  ExportOutcome outcome() {
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

CellsEdit first_number(float value) {
  return {{}, 0, 0, Matrix::Constant(1, 1, value)};
}

Layer edited(Layer layer, float value) {
  apply_edit(first_number(value), layer);
  return layer;
}

Layer lesson_model() {
  return lesson_session("20-two-heads").layer;
}

// The expected exports: the numbers of `layer` with the lesson's title and token names.
struct Expected {
  explicit Expected(const Layer& layer) : evaluator(evaluate(layer)) {}
  Session lesson = lesson_session("20-two-heads");
  Evaluator evaluator;
  StageAccess read = [this](const ReadStages& read) { read(evaluator, nullptr); };
  ComputedSession session{lesson.layer, read, false, lesson.title};

  std::string csv(Stage stage) const {
    return table_bytes(stage_table_of(session, {stage, {}, 0}), FileFormat::Csv);
  }
};

// Blocks the worker until `go` is set.
struct BusyReader {
  explicit BusyReader(Worker& worker) {
    worker.read_stages({1, 0, nullptr, [this](const Evaluator&, const Evaluator*) {
                          inside.set_value();
                          go.get_future().wait();
                        }});
    inside.get_future().wait();
  }
  std::promise<void> inside, go;
};

}  // namespace

TEST_CASE("export jobs: files hold the worker's numbers, and nothing is computed again") {
  Layer other = edited(lesson_model(), 2.5f);
  for (std::string& token : other.tokens)
    token = "older name";  // a renamed token changes no stage and is not posted to the worker
  const Expected expected(other);
  ExportBench bench(other);
  ExportRequest request{FileFormat::Csv,
                        {bench.item(Stage::Scores, "a.csv"), bench.item(Stage::Weights, "b.csv")}};
  CHECK(bench.carry_out(request).kind == ExportOutcome::Kind::Saved);
  CHECK(read_file(bench.folder / "a.csv") == expected.csv(Stage::Scores));
  CHECK(read_file(bench.folder / "b.csv") == expected.csv(Stage::Weights));
  CHECK(expected.csv(Stage::Weights) != Expected(lesson_model()).csv(Stage::Weights));

  PreviewRequest order;
  order.width_px = order.height_px = 200;
  bench.jobs.preview(order, bench.source);
  bench.until([&] { return !bench.jobs.running(); });
  FigureGrid figure;
  const FigurePreview preview = preview_figure(order, expected.session, nullptr, figure);
  REQUIRE(bench.jobs.newest_preview());
  CHECK(bench.jobs.newest_preview()->pixels.pixels == preview.pixels.pixels);
}

TEST_CASE("export jobs: a second state that is compared with comes from the worker too") {
  ExportBench bench(edited(lesson_model(), 2.5f));
  bench.source.baseline = {std::make_shared<const Layer>(lesson_model()), "before"};
  ExportItem item = bench.item(Stage::Weights, "");
  item.choice.kind = FigureKind::Compare;
  const ExportOutcome outcome = bench.carry_out({FileFormat::Png, {item}});
  const Evaluator a = evaluate(lesson_model()), b = evaluate(edited(lesson_model(), 2.5f));
  const ComputedSession before{a, "before"}, present{b, bench.source.session->title};
  const FigureGrid figure = make_figure(item.choice, before, &present, item.options, FigureFormat::Png);
  const FigureNotes notes{figure.title, bench.source.session->title, std::string("Headlight ") + kVersion};
  CHECK(outcome.picture == figure_file(figure, FigureFormat::Png, item.options.dpi, notes).bytes);
}

TEST_CASE("export jobs: where the worker has gone on, the session is computed as it was") {
  ExportBench bench;
  bench.worker.post(first_number(7), 2);
  CHECK(bench.carry_out({FileFormat::Csv, {bench.item(Stage::Weights, "a.csv")}}).kind ==
        ExportOutcome::Kind::Saved);
  CHECK(read_file(bench.folder / "a.csv") == Expected(lesson_model()).csv(Stage::Weights));
}

TEST_CASE("export jobs: an edit between two parts changes nothing in the file") {
  ExportBench bench;
  int reads = 0;
  ExportJobs jobs([] {},
                  [&](StageRead read) {
                    auto done = bench.worker.read_stages(std::move(read));
                    if (++reads == 2) bench.worker.post(first_number(7), 2);
                    return done;
                  });
  jobs.start({FileFormat::Csv, {bench.item(Stage::Weights, "a.csv"), bench.item(Stage::Scores, "b.csv")}},
             bench.source);
  bench.until([&] { return jobs.take_outcome().has_value(); });
  CHECK(reads == 3);  // after computing the stages itself, it reads no more from the worker
  CHECK(read_file(bench.folder / "a.csv") == Expected(lesson_model()).csv(Stage::Weights));
  CHECK(read_file(bench.folder / "b.csv") == Expected(lesson_model()).csv(Stage::Scores));
}

TEST_CASE("export jobs: waiting for the worker can be stopped, and so can the program") {
  ExportBench bench;
  BusyReader busy(bench.worker);
  bench.jobs.start({FileFormat::Csv, {bench.item(Stage::Weights, "a.csv")}}, bench.source);
  CHECK(bench.jobs.progress().running);
  bench.jobs.stop();
  CHECK(bench.outcome().kind == ExportOutcome::Kind::Stopped);
  CHECK(bench.files().empty());
  {
    ExportJobs ending([] {}, [&](StageRead read) { return bench.worker.read_stages(std::move(read)); });
    ending.start({FileFormat::Csv, {bench.item(Stage::Weights, "a.csv")}}, bench.source);
  }
  CHECK(bench.files().empty());
  busy.go.set_value();
}

TEST_CASE("export jobs: a figure without room, and a session that cannot be computed, have no preview") {
  ExportBench bench;
  PreviewRequest order;
  order.width_px = order.height_px = 200;
  order.options.font = "No such family";
  bench.jobs.preview(order, bench.source);
  bench.until([&] { return !bench.jobs.running(); });
  REQUIRE(bench.jobs.newest_preview());
  CHECK_THAT(bench.jobs.newest_preview()->failure, ContainsSubstring("No such family"));
  Session broken = lesson_session("20-two-heads");
  broken.layer.embeddings[0](0, 0) = std::numeric_limits<float>::quiet_NaN();
  ExportBench other(std::move(broken));
  other.jobs.preview({}, other.source);
  other.until([&] { return !other.jobs.running(); });
  REQUIRE(other.jobs.newest_preview());
  CHECK_THAT(other.jobs.newest_preview()->failure, ContainsSubstring("not a finite number"));
}

TEST_CASE("export jobs: several files come all or not at all") {
  ExportBench bench;
  ExportRequest request{FileFormat::Csv,
                        {bench.item(Stage::Scores, "a.csv"), bench.item(Stage::Weights, "b.csv")}};
  SECTION("all") {
    const ExportOutcome outcome = bench.carry_out(request);
    CHECK(outcome.kind == ExportOutcome::Kind::Saved);
    CHECK_THAT(outcome.text, ContainsSubstring("2 files saved"));
    CHECK(bench.files() == std::set<std::string>{"a.csv", "b.csv"});
  }
  SECTION("none, when one cannot be made") {
    write_file_atomically(bench.folder / "a.csv", "old");
    request.items[1].choice.part.heads = {9};
    const ExportOutcome outcome = bench.carry_out(request);
    CHECK(outcome.kind == ExportOutcome::Kind::Failed);
    CHECK_THAT(outcome.text, ContainsSubstring("no head 9"));
    CHECK(bench.files() == std::set<std::string>{"a.csv"});
    CHECK(read_file(bench.folder / "a.csv") == "old");
  }
}

TEST_CASE("export jobs: every stage of the pipeline goes into one npz") {
  ExportBench bench;
  ExportItem item = bench.item(Stage::Weights, "all.npz");
  item.choice.kind = FigureKind::Pipeline;
  CHECK(bench.carry_out({FileFormat::Npz, {item}}).kind == ExportOutcome::Kind::Saved);
  CHECK(list_npz(bench.folder / "all.npz").size() == stages_in_use(bench.source.session->layer).size());
}

TEST_CASE("export jobs: what is copied comes back as bytes, a folder that is gone as a message") {
  ExportBench bench;
  const ExportOutcome text = bench.carry_out({FileFormat::Markdown, {bench.item(Stage::Weights, "")}});
  CHECK(text.kind == ExportOutcome::Kind::Copied);
  CHECK_THAT(text.clipboard_text, ContainsSubstring("| query |"));
  const ExportOutcome picture = bench.carry_out({FileFormat::Png, {bench.item(Stage::Weights, "")}});
  CHECK(picture.picture.starts_with("\x89PNG"));
  const ExportOutcome lost = bench.carry_out({FileFormat::Csv, {bench.item(Stage::Weights, "gone/x.csv")}});
  CHECK(lost.kind == ExportOutcome::Kind::Failed);
  CHECK_THAT(lost.text, ContainsSubstring("Nothing was saved"));
}

TEST_CASE("export jobs: the newest preview wins and tells its file's size, and goes with the dialog") {
  ExportBench bench;
  PreviewRequest order;
  order.width_px = order.height_px = 200;
  for (int i = 0; i < 5; ++i) {
    order.options.decimals = i;
    order.options.title = "title " + std::to_string(i);
    bench.jobs.preview(order, bench.source);
  }
  bench.until([&] { return !bench.jobs.running(); });
  const auto newest = bench.jobs.newest_preview();
  REQUIRE(newest);
  CHECK(newest->failure == "");
  const Evaluator evaluator = evaluate(bench.source.session->layer);
  FigureGrid figure;
  const FigurePreview expected =
      preview_figure(order, {evaluator, bench.source.session->title}, nullptr, figure);
  CHECK(newest->pixels.pixels == expected.pixels.pixels);
  const ExportOutcome outcome = bench.carry_out({FileFormat::Png, {{order.choice, order.options, {}}}});
  CHECK(newest->file_size == outcome.picture.size());
  bench.jobs.end_previews();
  CHECK(bench.jobs.newest_preview() == nullptr);
}

TEST_CASE("export jobs: where the folder refuses one of several files, none is saved") {
  ExportBench bench;
  bench.folder.write("b.csv/in the way", "x");
  const ExportRequest request{FileFormat::Csv,
                              {bench.item(Stage::Scores, "a.csv"), bench.item(Stage::Weights, "b.csv"),
                               bench.item(Stage::Output, "c.csv")}};
  const ExportOutcome outcome = bench.carry_out(request);
  CHECK(outcome.kind == ExportOutcome::Kind::Failed);
  CHECK(bench.files() == std::set<std::string>{"b.csv"});
  CHECK_THAT(outcome.text, ContainsSubstring("Nothing was saved"));
  CHECK_THAT(outcome.text, ContainsSubstring("b.csv: this is a folder"));
}

TEST_CASE("export jobs: the page of a session is that of its model where a page computes that") {
  ExportBench bench(
      load_session(headlight_test::source_root() + "/assets/examples/words/who-gave-what.headlight"));
  ExportRequest request;
  request.page = true;
  request.items = {bench.item(Stage::Weights, "model.html")};
  const ExportOutcome outcome = bench.carry_out(request);
  CHECK(outcome.kind == ExportOutcome::Kind::Saved);
  CHECK_THAT(outcome.text, !ContainsSubstring("standing still"));
  CHECK_THAT(read_file(bench.folder.path() / "model.html"), ContainsSubstring("\"tensors\":{\"wte.weight\""));
}

TEST_CASE("export jobs: an animation is that of the command line, and a cell that has gone is refused") {
  ExportBench bench;
  ExportRequest request;
  request.items = {bench.item(Stage::Weights, "cell.gif")};
  request.items[0].choice.kind = FigureKind::Pipeline;
  request.animation = CellAnimation{{Stage::Weights, 0, 1, 3, 2}, {}};
  request.animation->options.width = 320;
  request.animation->options.height = 200;
  request.animation->options.seconds = 0.5;
  const ExportOutcome outcome = bench.carry_out(request);
  INFO(outcome.text);
  CHECK(outcome.kind == ExportOutcome::Kind::Saved);
  CHECK_THAT(outcome.text, ContainsSubstring("10 frames"));
  const Expected expected(lesson_model());
  const Animation animation =
      animation_of(expected.session, request.animation->cell, request.animation->options);
  CHECK(read_file(bench.folder.path() / "cell.gif") == animation_bytes(animation, AnimationFormat::Gif, 0));
  request.animation->cell.row = 99;
  request.items[0].path = bench.folder.path() / "gone.gif";
  const ExportOutcome refused = bench.carry_out(request);
  CHECK(refused.kind == ExportOutcome::Kind::Failed);
  CHECK_THAT(refused.text, ContainsSubstring("select another cell"));
  CHECK(bench.files() == std::set<std::string>{"cell.gif"});
}

TEST_CASE(
    "export jobs: the way from the kept state is computed from inputs in between, or refused with a reason") {
  ExportBench bench;
  ExportRequest request;
  request.items = {bench.item(Stage::Weights, "way.webp")};
  request.way = WayAnimation{{}, {}};
  request.way->options.width = 480;
  request.way->options.height = 300;
  request.way->options.seconds = 0.5;
  CHECK_THAT(bench.carry_out(request).text, ContainsSubstring("no state is kept"));
  const auto kept = std::make_shared<const Layer>(edited(lesson_model(), 3));
  bench.source.baseline = {kept, "before"};
  const ExportOutcome outcome = bench.carry_out(request);
  INFO(outcome.text);
  CHECK(outcome.kind == ExportOutcome::Kind::Saved);
  CHECK_THAT(outcome.text, ContainsSubstring("10 frames"));
  const auto now = std::make_shared<const Layer>(lesson_model());
  const Animation animation =
      animation_of_states(states_between(kept, now, "kept", "now", 10), {}, request.way->options);
  CHECK(read_file(bench.folder.path() / "way.webp") == animation_bytes(animation, AnimationFormat::WebP, 0));
  Layer unmasked = lesson_model();
  unmasked.attention.mask = MaskKind::None;
  bench.source.baseline = {std::make_shared<const Layer>(unmasked), "before"};
  request.items[0].path = bench.folder.path() / "no.webp";
  const ExportOutcome refused = bench.carry_out(request);
  CHECK(refused.kind == ExportOutcome::Kind::Failed);
  CHECK_THAT(refused.text, ContainsSubstring("mask none → causal"));
  CHECK(bench.files() == std::set<std::string>{"way.webp"});
}

TEST_CASE("export jobs: where no thread can be started there is an error") {
  const headlight_test::NoThreads none;
  CHECK_THROWS_AS(ExportJobs([] {}, [](StageRead) { return std::future<bool>(); }), Error);
}
