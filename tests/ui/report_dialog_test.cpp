// The dialog of a report: its text is edited, and its buttons are answered once.
#include "app/ui/dialogs/report_dialog.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using namespace headlight_test;

namespace {

struct OpenReport {
  ReportDialogState state{true, "# Title\n", "/home/ann/x.report", false, {}};
  std::vector<ReportAnswer> answers;
  PanelFixture fixture{lesson_session("01-one-query-dot-products"), [this](UiContext& ui) {
                         if (const auto answer = report_dialog(ui, state)) answers.push_back(*answer);
                       }};

  OpenReport() { robot().frames(3); }
  PanelRobot& robot() { return fixture.robot(); }
};

}  // namespace

TEST_CASE("report dialog: what is typed stays when Escape closes it") {
  OpenReport report;
  report.robot().click("report.text");
  report.robot().type("More. ");
  report.robot().frames(2);
  const std::string typed = report.state.text;
  CHECK_THAT(typed, ContainsSubstring("More. "));
  report.robot().key(Key::Escape);
  report.robot().frames(2);
  CHECK(report.answers == std::vector{ReportAnswer::Close});
  CHECK_FALSE(report.state.open);
  CHECK(report.state.text == typed);
}

TEST_CASE("report dialog: the changes are offered only if there are some") {
  OpenReport report;
  CHECK_FALSE(report.robot().widget("report.changes").enabled);
  report.state.changes = true;
  report.robot().frames(2);
  report.robot().click("report.changes");
  report.robot().click("report.save_as");
  CHECK(report.answers == std::vector{ReportAnswer::AddChanges, ReportAnswer::SaveAs});
  CHECK(report.state.open);
  CHECK(report.robot().value("report.place") == "/home/ann/x.report");
}
