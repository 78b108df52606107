// The window's exports: copies, the clipboard's errors, one export at a time, and flows without a preview.
#include "app/shell/export_controller.h"

#include <chrono>
#include <cstdlib>
#include <functional>
#include <future>
#include <thread>

#include "engine/core/error.h"
#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;

namespace {

struct ControllerBench {
  Worker worker;
  ExportController exports{[] {}, [this](StageRead read) { return worker.read_stages(std::move(read)); }};
  ExportDialogState dialog;
  std::function<void(const UiContext&)> act;
  PanelFixture fixture;

  explicit ControllerBench(const Session& session)
      : worker(std::make_shared<const Layer>(session.layer), [] {}), fixture(session, [this](UiContext& ui) {
          if (act) std::exchange(act, nullptr)(ui);
        }) {}
  void in_frame(std::function<void(const UiContext&)> does) {
    act = std::move(does);
    fixture.robot().frames(1);
  }
  void copy(Action action, FileFormat format = FileFormat::Csv) {
    in_frame([this, action, format](const UiContext& ui) {
      exports.copy_stage({action, {}, Stage::Weights, format}, ui);
    });
  }
  ExportController::Message outcome() {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (std::chrono::steady_clock::now() < until) {
      if (auto message = exports.take_outcome(dialog)) return *message;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    throw std::runtime_error("the export does not end");
  }
};

// Without an X11 display while it exists.
class NoDisplay {
 public:
  NoDisplay() {
    if (const char* display = std::getenv("DISPLAY")) before_ = display;
    ::unsetenv("DISPLAY");
  }
  ~NoDisplay() {
    if (!before_.empty()) ::setenv("DISPLAY", before_.c_str(), 1);
  }
  NoDisplay(const NoDisplay&) = delete;
  NoDisplay& operator=(const NoDisplay&) = delete;

 private:
  std::string before_;
};

std::string failure_in(const std::function<void()>& does) {
  try {
    does();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("export controller: one export at a time; the second is refused, the first goes on") {
  ControllerBench bench(lesson_session("20-two-heads"));
  std::promise<void> inside, go;
  bench.worker.read_stages({1, 0, nullptr, [&](const Evaluator&, const Evaluator*) {
                              inside.set_value();
                              go.get_future().wait();
                            }});
  inside.get_future().wait();
  bench.copy(Action::CopyNumbers);
  std::string refused;
  bench.in_frame([&](const UiContext& ui) {
    refused = failure_in([&] { bench.exports.copy_stage({Action::CopyNumbers, {}, Stage::Scores}, ui); });
  });
  CHECK_THAT(refused, ContainsSubstring("another export is running"));
  CHECK_FALSE(bench.exports.settled(bench.dialog));
  go.set_value();
  const ExportController::Message message = bench.outcome();
  CHECK_FALSE(message.failed);
  CHECK_THAT(message.text, ContainsSubstring("weights"));
  CHECK_THAT(message.copied, ContainsSubstring("Your"));
  bench.copy(Action::CopyNumbers);  // and after it there may be another one
  CHECK(bench.outcome().copied == message.copied);
}

TEST_CASE("export controller: a desktop that takes no pictures is said, also in the open dialog") {
  const NoDisplay none;
  ControllerBench bench(lesson_session("20-two-heads"));
  bench.dialog.open = true;
  bench.copy(Action::CopyPicture);
  const ExportController::Message message = bench.outcome();
  CHECK(message.failed);
  CHECK_THAT(message.text, ContainsSubstring("only X11 does") && ContainsSubstring("Ctrl+Shift+E"));
  CHECK(bench.dialog.message == message.text);
  CHECK(bench.dialog.open);
}

TEST_CASE("export controller: a flow of too many lines has a note in place of its preview") {
  ControllerBench bench(headlight_test::large_session(5200, 4));
  bench.dialog.open = true;
  bench.dialog.wanted.width_px = 200;
  FigureChoice& choice = bench.dialog.wanted.choice;
  choice.kind = FigureKind::Flow;
  choice.part.stage = Stage::Weights;
  const auto note = [&] {
    bench.dialog.preview.reset();
    bench.in_frame([&](const UiContext& ui) { bench.exports.show(bench.dialog, ui); });
    return bench.dialog.preview ? bench.dialog.preview->note : "";
  };
  CHECK_THAT(note(), ContainsSubstring("This flow is large"));
  bench.in_frame([&](const UiContext& ui) { bench.exports.follow(bench.dialog, ui); });
  CHECK(bench.exports.settled(bench.dialog));  // nothing is painted in the background
  choice.part.heads = std::vector<Index>{0};
  CHECK(note().empty());
  choice.part.heads.reset();
  choice.kind = FigureKind::Heads;
  CHECK(note().empty());
}

TEST_CASE("export controller: the table of heads is refused while heads are still measured") {
  ControllerBench bench(lesson_session("20-two-heads"));
  std::string refused;
  bench.in_frame(
      [&](const UiContext& ui) { refused = failure_in([&] { shown_head_bytes(ui, FileFormat::Csv); }); });
  CHECK_THAT(refused, ContainsSubstring("not every head is measured yet"));
}
