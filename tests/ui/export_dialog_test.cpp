// The export dialog: defaults, questions, remembered choices and refused input.
#include "app/ui/dialogs/export_dialog.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <utility>

#include "app/ui/picture/map_view.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;

namespace {

// The dialog over a session of two heads, with the program's previews.
struct Exporter {
  TemporaryFolder folder;
  ExportDialogState state;
  std::optional<ExportRequest> request;
  std::optional<Stage> asked;
  std::function<void(UiContext&)> in_frame;  // called once, in the next frame
  PanelFixture fixture;

  explicit Exporter(ImVec2 size = {1280, 800}, const std::string& lesson = "20-two-heads")
      : Exporter(size, lesson_session(lesson)) {}
  Exporter(ImVec2 size, Session session)
      : fixture(
            std::move(session), [this](UiContext& ui) { draw(ui); }, size) {
    std::filesystem::create_directory(folder / "more");
  }
  void open(Stage stage = Stage::Weights) {
    asked = stage;
    fixture.robot().frames(4);
  }
  void draw(UiContext& ui) {
    if (in_frame) std::exchange(in_frame, nullptr)(ui);
    if (asked) open_export_dialog(state, ui, *std::exchange(asked, std::nullopt), folder.path());
    if (auto wanted = export_dialog(ui, state)) request = wanted;
    if (!state.open || state.wanted.width_px == 0) return;
    const Evaluator evaluator = evaluate(ui.layer());
    const ComputedSession session{evaluator, ui.document.session().title};
    FigureGrid figure;
    const bool is_figure = file_format_info(state.wanted.format).figure.has_value();
    state.preview =
        std::make_shared<FigurePreview>(is_figure ? preview_figure(state.wanted, session, nullptr, figure)
                                                  : preview_numbers(state.wanted, session));
  }
  void write(const std::string& field, const std::string& text) {
    robot().click(field);
    robot().key(Key::A, {.ctrl = true});
    robot().type(text);
  }
  void choose(const std::string& list, const std::string& entry) {
    robot().click(list);
    robot().click(list + "." + entry);
    robot().frames(2);
  }
  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const ExportItem& item() const { return request.value().items.at(0); }
};

}  // namespace

TEST_CASE("export dialog: a session's title becomes the beginning of a file name") {
  CHECK(file_stem("Causal attention") == "causal-attention");
  CHECK(file_stem("a/b: \"c\"") == "a-b-c");
  CHECK(file_stem("größe") == "größe");
  CHECK(file_stem("") == "headlight");
}

TEST_CASE("export dialog: it opens for every stage in every view, also for one that is there no more") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(headlight_test::source_root() + "/tests/golden/layers"))
    if (entry.path().extension() == ".headlight") files.push_back(entry.path());
  constexpr std::array kViews = {FocusView::Heatmap, FocusView::Flow, FocusView::Row, FocusView::Vectors};
  REQUIRE(files.size() > 5);
  std::ranges::sort(files);
  // Each file has another view of a stage than the file before it.
  for (std::size_t i = 0; i < files.size(); ++i) {
    INFO(files[i].stem().string());
    Exporter exporter({1280, 800}, load_session(files[i]));
    for (const StageInfo& info : stage_table()) {
      const FocusView view = kViews[(i + static_cast<std::size_t>(info.stage)) % kViews.size()];
      INFO(info.name << " in view " << static_cast<int>(view));
      exporter.fixture.view().focus_view = view;
      exporter.asked = info.stage;
      exporter.robot().frames(2);
      const Stage shown = exporter.state.choice.part.stage;
      CHECK(stage_exists(exporter.fixture.layer(), shown));
      CHECK(exporter.robot().shows("dialog.stage") == (view != FocusView::Row));
      if (view != FocusView::Row) CHECK(exporter.robot().value("dialog.stage") == stage_info(shown).name);
      exporter.state.open = false;
      exporter.robot().frames(2);
    }
  }
}

TEST_CASE("export dialog: a stage that goes while it is open gives way to one that is there") {
  Exporter exporter({1280, 800}, "22-two-heads-with-dropout");
  exporter.open(Stage::Dropped);
  CHECK(exporter.robot().value("dialog.stage") == "dropped");
  exporter.state.choice.part.stage = Stage::Biased;
  REQUIRE_FALSE(stage_exists(exporter.fixture.layer(), Stage::Biased));
  exporter.robot().frames(2);
  CHECK(exporter.robot().value("dialog.stage") == "weights");
}

TEST_CASE("export dialog: of one layer among others the file's name says which") {
  Exporter exporter;
  exporter.fixture.view().layers = {{"0", "1", "encoder/2"}, 3, 1, std::nullopt};
  exporter.open();
  CHECK(exporter.state.name_text == "two-heads-and-an-output-projection-layer1-weights.png");
  exporter.fixture.view().layers.at = 2;
  exporter.open();
  CHECK(exporter.state.name_text == "two-heads-and-an-output-projection-encoder-2-weights.png");
  exporter.fixture.view().layers = {};
  exporter.open();
  CHECK(exporter.state.name_text == "two-heads-and-an-output-projection-weights.png");
}

TEST_CASE("export dialog: the view on screen is proposed") {
  Exporter exporter;
  ViewState& view = exporter.fixture.view();
  SECTION("heatmaps of all heads") {
    exporter.open(Stage::Scores);
    CHECK(exporter.state.choice == FigureChoice{FigureKind::Heads, {Stage::Scores, {}, 0}, {}});
    CHECK(exporter.state.name_text == "two-heads-and-an-output-projection-scores.png");
  }
  SECTION("one head, in the name as well") {
    view.head = 1;
    exporter.open();
    CHECK(exporter.state.choice.part.heads == std::vector<Index>{1});
    CHECK(exporter.state.name_text.ends_with("-weights-head1.png"));
    exporter.choose("dialog.heads", "all");
    CHECK(exporter.state.name_text.ends_with("-weights.png"));
  }
  SECTION("a row of the query that is selected") {
    view.focus_view = FocusView::Row;
    view.selection.cell = CellAddress{Stage::Weights, 0, 1, 3, 2};
    exporter.open();
    CHECK(exporter.state.choice.kind == FigureKind::Row);
    CHECK(exporter.state.choice.query == Index{3});
    CHECK(exporter.state.choice.part.heads == std::vector<Index>{1});
  }
  SECTION("flow") {
    view.focus_view = FocusView::Flow;
    exporter.open(Stage::Output);
    CHECK(exporter.state.choice.kind == FigureKind::Flow);
    CHECK(exporter.state.choice.part.stage == Stage::Weights);
  }
  SECTION("flow: what stands out on screen stands out in the file") {
    view.focus_view = FocusView::Flow;
    const auto chosen = [&](const CellAddress& cell) {
      view.selection.cell = cell;
      exporter.open();
      return exporter.state.choice;
    };
    const FigureChoice line = chosen({Stage::Weights, 0, 1, 3, 2});
    CHECK(line.query == Index{3});
    CHECK(line.lines.key == Index{2});
    CHECK(line.lines.head == 1);
    CHECK_FALSE(chosen({Stage::Output, 0, 0, 3, 0}).query);  // the screen marks no line for it
    const FigureChoice token = chosen({Stage::Queries, 0, 0, 3, 0});
    CHECK(token.query == Index{3});
    CHECK_FALSE(token.lines.key);
    CHECK_FALSE(token.lines.least);  // few lines: all are drawn
  }
  SECTION("compare needs a state that was kept") {
    view.focus_view = FocusView::Compare;
    exporter.open();
    CHECK(exporter.state.choice.kind == FigureKind::Heads);
    view.baseline = {std::make_shared<const Layer>(exporter.fixture.layer()), "before"};
    exporter.open();
    CHECK(exporter.state.choice.kind == FigureKind::Compare);
    CHECK(exporter.state.name_text.ends_with("-weights-compared.png"));
  }
}

TEST_CASE("export dialog: what was chosen is asked for, as on screen where nothing was") {
  Exporter exporter;
  exporter.fixture.view().picture.colors_of(Stage::Weights).map = ColormapKind::Magma;
  exporter.fixture.view().picture.decimals = 2;
  exporter.open();
  exporter.robot().click("dialog.scale.4");
  exporter.robot().click("dialog.theme.light");
  exporter.robot().click("dialog.axes");
  exporter.write("dialog.title", "Mine");
  exporter.robot().click("dialog.subtitle.shown");
  exporter.write("dialog.name", "picture");
  exporter.robot().click("dialog.ok");
  CHECK(exporter.item().path == exporter.folder / "picture.png");
  const FigureOptions& options = exporter.item().options;
  CHECK(options.dpi == 384);
  CHECK(options.theme == StyleKind::Light);
  CHECK_FALSE(options.axis_names);
  CHECK(options.title == "Mine");
  CHECK(options.subtitle == "");
  CHECK(options.colors.map == ColormapKind::Magma);
  CHECK(options.decimals == 2);
}

TEST_CASE("export dialog: colours and decimals can differ from those on screen") {
  Exporter exporter;
  exporter.open();
  exporter.choose("dialog.map", "cividis");
  exporter.choose("dialog.decimals", "1");
  exporter.choose("dialog.range", "hand");
  exporter.write("dialog.low", "0.1");
  exporter.write("dialog.high", "0.5");
  exporter.robot().click("dialog.ok");
  const FigureOptions& options = exporter.item().options;
  CHECK(options.colors.map == ColormapKind::Cividis);
  CHECK(options.colors.range == RangeKind::ByHand);
  CHECK(options.colors.low == 0.1);
  CHECK(options.colors.high == 0.5);
  CHECK(options.decimals == 1);
}

TEST_CASE("export dialog: rows and columns of one's own, by numbers or tokens") {
  Exporter exporter;
  exporter.open();
  exporter.choose("dialog.part", "own");
  exporter.write("dialog.rows", "1:3");
  exporter.write("dialog.columns", "nobody");
  exporter.robot().frames(2);
  CHECK(exporter.state.fault.field == "columns");
  CHECK_THAT(exporter.state.fault.text, ContainsSubstring("there is no token 'nobody'"));
  exporter.robot().click("dialog.ok");
  CHECK_FALSE(exporter.request);
  exporter.write("dialog.columns", "Your:starts");
  exporter.robot().click("dialog.format.csv");
  exporter.robot().frames(2);
  CHECK_THAT(exporter.state.preview->text, ContainsSubstring("head,query,Your,journey,starts\n0,journey,"));
  CHECK(exporter.state.name_text.ends_with("-weights-rows1-3-columnsYour-starts.csv"));
  exporter.robot().click("dialog.ok");
  CHECK(exporter.item().choice.part.rows == "1:3");
  CHECK(exporter.item().choice.part.columns == "Your:starts");
  exporter.choose("dialog.part", "whole");
  CHECK(exporter.state.choice.part.rows.empty());
}

TEST_CASE("export dialog: what is in sight of the large picture") {
  Exporter exporter({1280, 800}, "induction-head");
  exporter.open();
  CHECK(exporter.robot().value("dialog.part") == "whole");
  const auto at = [&](UiContext& ui) { show_region(ui, Stage::Weights, {1, 6, 12, 18}); };
  exporter.in_frame = at;
  exporter.robot().frames(2);
  exporter.choose("dialog.part", "sight");
  CHECK(exporter.state.choice.part.rows == "1:6");
  CHECK(exporter.state.choice.part.columns == "12:18");
  CHECK(exporter.state.preview->failure.empty());
}

TEST_CASE("export dialog: panels, and the stages of a row") {
  Exporter exporter;
  exporter.open();
  exporter.fixture.view().selection.cell = CellAddress{Stage::Weights, 0, 0, 3, 2};
  exporter.choose("dialog.panel_columns", "1");
  exporter.write("dialog.panel_title", "H{nobody}");
  exporter.robot().frames(2);
  CHECK(exporter.state.fault.field == "panel title");
  exporter.write("dialog.panel_title", "H{head}");
  exporter.robot().click("dialog.columns_below");
  exporter.robot().frames(2);
  CHECK(exporter.state.fault.text.empty());
  exporter.choose("dialog.show", "row");
  CHECK_FALSE(exporter.robot().shows("dialog.panel_title"));
  exporter.robot().click("dialog.row.scaled");
  exporter.robot().click("dialog.row.masked");
  exporter.robot().click("dialog.ok");
  const FigureOptions& options = exporter.item().options;
  CHECK(options.chosen_row == 3);  // the labels of the selected cell remain chosen
  CHECK(options.chosen_column == 2);
  CHECK(options.panel_columns == 1);
  CHECK(options.panel_title == "H{head}");
  CHECK(options.columns_below);
  CHECK(options.row_stages == std::vector{Stage::Scores, Stage::Weights, Stage::Dropped});
  const ExportSettings read = export_settings(export_settings_text(exporter.state.settings), StyleKind::Dark);
  CHECK(read.options.panel_columns == 1);
  CHECK(read.options.panel_title == "H{head}");
  CHECK(read.options.columns_below);
  CHECK(read.options.row_stages == options.row_stages);
}

TEST_CASE("export dialog: a preset sets the page, and says when it was left") {
  Exporter exporter;
  exporter.open();
  exporter.choose("dialog.preset", "one_column");
  CHECK(exporter.robot().value("dialog.width") == "89");
  CHECK(exporter.robot().value("dialog.unit") == "mm");
  CHECK(exporter.robot().value("dialog.font_size") == "7");
  CHECK_THAT(exporter.robot().value("dialog.size"), ContainsSubstring("89.0 ×"));
  exporter.write("dialog.font_size", "8");
  exporter.robot().frames(2);
  CHECK(exporter.robot().value("dialog.preset") == "changed");
  exporter.choose("dialog.preset", "one_column");
  CHECK(exporter.robot().value("dialog.preset") == "one_column");
  CHECK(exporter.robot().value("dialog.font_size") == "7");
  exporter.choose("dialog.unit", "in");
  CHECK(exporter.robot().value("dialog.width") == "3.5");
}

TEST_CASE("export dialog: the size of the cells takes the place of the figure's") {
  Exporter exporter;
  exporter.open();
  exporter.choose("dialog.preset", "comfortable");
  exporter.choose("dialog.unit", "mm");
  exporter.write("dialog.cell", "12");
  exporter.robot().frames(2);
  CHECK(exporter.state.settings.options.cell == Length{12, LengthUnit::Millimetres});
  CHECK(exporter.state.fault.text.empty());
  CHECK(exporter.robot().value("dialog.preset") == "changed");
  const ExportSettings read =
      export_settings(export_settings_text(exporter.state.settings), StyleKind::Light);
  CHECK(read.options.cell == exporter.state.settings.options.cell);
  exporter.choose("dialog.unit", "cm");
  CHECK(exporter.robot().value("dialog.cell") == "1.2");
  exporter.write("dialog.width", "8");
  exporter.robot().frames(2);
  CHECK(exporter.state.fault.field == "cell");
}

TEST_CASE("export dialog: the preview is the figure, and its file is described") {
  Exporter exporter;
  exporter.open();
  CHECK(exporter.robot().value("dialog.preview") == "picture");
  const FigurePreview before = *exporter.state.preview;
  CHECK(before.pixels.width > 200);
  exporter.robot().click("dialog.format.pdf");
  exporter.robot().frames(2);
  CHECK_THAT(exporter.robot().value("dialog.file"), ContainsSubstring("PDF"));
  CHECK_THAT(exporter.robot().value("dialog.file"), ContainsSubstring("vector cells"));
  exporter.robot().click("dialog.numbers");
  exporter.robot().frames(2);
  CHECK(exporter.state.preview->pixels.pixels != before.pixels.pixels);
  exporter.robot().click("dialog.format.csv");
  exporter.robot().frames(2);
  CHECK(exporter.robot().value("dialog.preview") == "numbers");
  CHECK_THAT(exporter.state.preview->text, ContainsSubstring("head,query,Your"));
  CHECK_FALSE(exporter.robot().shows("dialog.preset"));
}

TEST_CASE("export dialog: the format is the ending of the name") {
  Exporter exporter;
  exporter.open();
  exporter.robot().click("dialog.format.svg");
  CHECK(exporter.state.name_text.ends_with(".svg"));
  CHECK_FALSE(exporter.robot().widget("dialog.scale.4").enabled);
  exporter.write("dialog.name", "numbers.tex");
  exporter.robot().click("dialog.ok");
  CHECK(exporter.request.value().format == FileFormat::Latex);
  CHECK(exporter.item().path.filename() == "numbers.tex");
}

TEST_CASE("export dialog: a figure without numbers offers none, and all stages go into an npz") {
  Exporter exporter;
  exporter.open();
  exporter.robot().click("dialog.format.csv");
  exporter.choose("dialog.show", "flow");
  CHECK(export_settings_text(exporter.state.settings).at("format") == "png");
  CHECK_FALSE(exporter.robot().widget("dialog.format.npz").enabled);
  exporter.choose("dialog.show", "pipeline");
  CHECK_FALSE(exporter.robot().widget("dialog.format.csv").enabled);
  exporter.robot().click("dialog.format.npz");
  exporter.robot().click("dialog.ok");
  CHECK(exporter.item().choice.kind == FigureKind::Pipeline);
  CHECK(exporter.item().path.extension() == ".npz");
}

TEST_CASE("export dialog: what no figure can have is said beside its field and not exported") {
  Exporter exporter;
  exporter.open();
  const char* field = "dialog.font";
  std::string text = "No such family", part = "no font family";
  SECTION("a font") {}
  SECTION("a size") {
    field = "dialog.width";
    text = "1";
    part = "11 mm";
  }
  SECTION("no number") {
    field = "dialog.dpi";
    text = "many";
    part = "is no number";
  }
  exporter.write(field, text);
  exporter.robot().frames(2);
  CHECK_THAT(exporter.state.fault.text, ContainsSubstring(part));
  CHECK(exporter.state.preview->failure == "");  // the preview stays the last valid figure
  exporter.robot().click("dialog.ok");
  CHECK_THAT(exporter.robot().value("dialog.message"), ContainsSubstring(part));
  CHECK_FALSE(exporter.request.has_value());
  CHECK(exporter.state.open);
}

TEST_CASE("export dialog: it refuses a folder that is not there and asks before it replaces") {
  Exporter exporter;
  exporter.open();
  SECTION("no such folder") {
    exporter.write("dialog.path", "/no/such/folder");
    exporter.robot().click("dialog.ok");
    CHECK_THAT(exporter.robot().value("dialog.question"), ContainsSubstring("There is no folder"));
    CHECK_FALSE(exporter.request.has_value());
    exporter.robot().click("dialog.no_folder");
    exporter.robot().frames(2);
    CHECK(exporter.robot().shows("dialog.ok"));
    CHECK_FALSE(exporter.request.has_value());
  }
  SECTION("a folder that is made on offer") {
    const std::filesystem::path made = exporter.folder / "for" / "paper";
    exporter.write("dialog.path", made.string());
    exporter.robot().click("dialog.ok");
    exporter.robot().click("dialog.make_folder");
    exporter.robot().frames(2);
    CHECK(std::filesystem::is_directory(made));
    CHECK_FALSE(exporter.request.has_value());
    exporter.robot().click("dialog.ok");
    CHECK(exporter.item().path.parent_path() == made);
  }
  SECTION("an existing file") {
    std::ofstream(exporter.folder / exporter.state.name_text) << "old";
    exporter.robot().click("dialog.ok");
    CHECK_FALSE(exporter.request.has_value());
    exporter.robot().click("dialog.replace");
    CHECK(exporter.request.has_value());
  }
  SECTION("several existing files, once") {
    std::ofstream(exporter.folder / (exporter.state.stem + "-scores.png")) << "old";
    std::ofstream(exporter.folder / (exporter.state.stem + "-output.png")) << "old";
    exporter.robot().click("dialog.every_stage");
    CHECK_THAT(exporter.robot().value("dialog.question"), ContainsSubstring("and 1 more exist"));
    exporter.robot().key(Key::Escape);
    exporter.robot().frames(2);
    CHECK(exporter.state.open);
    CHECK_FALSE(exporter.request.has_value());
    exporter.robot().click("dialog.every_stage");
    exporter.robot().key(Key::Enter);
    CHECK(exporter.request.value().items.size() == stages_in_use(exporter.fixture.layer()).size());
  }
}

TEST_CASE("export dialog: every stage has the name that the command line gives it") {
  Exporter exporter;
  exporter.fixture.view().head = 1;
  exporter.fixture.view().picture.colors_of(Stage::Weights).range = RangeKind::Logarithmic;
  exporter.open();
  exporter.robot().click("dialog.every_stage");
  const auto& items = exporter.request.value().items;
  REQUIRE(items.size() == stages_in_use(exporter.fixture.layer()).size());
  const std::string stem = "two-heads-and-an-output-projection-";
  CHECK(items.front().path.filename() == stem + "embeddings.png");
  CHECK(items.back().path.filename() == stem + "output.png");
  const auto weights = std::find_if(items.begin(), items.end(), [](const ExportItem& item) {
    return item.choice.part.stage == Stage::Weights;
  });
  REQUIRE(weights != items.end());
  CHECK(weights->path.filename() == stem + "weights-head1.png");
  CHECK(weights->options.colors.range == RangeKind::Logarithmic);
}

TEST_CASE("export dialog: it stays open until the file is there, and says in place what went wrong") {
  Exporter exporter;
  exporter.open();
  exporter.robot().key(Key::Enter);
  REQUIRE(exporter.request.has_value());
  CHECK(exporter.state.open);
  exporter.state.progress = {true, 3, 12, "scores"};
  exporter.robot().frames(2);
  CHECK_THAT(exporter.robot().value("dialog.progress"), ContainsSubstring("scores, 4 of 12"));
  CHECK_FALSE(exporter.robot().shows("dialog.ok"));
  exporter.robot().key(Key::Escape);
  CHECK(exporter.state.stop_asked);
  export_ended(exporter.state, true, true, "the disk is full");
  exporter.robot().frames(2);
  CHECK(exporter.robot().value("dialog.message") == "the disk is full");
  export_ended(exporter.state, false, false, "Picture copied");
  exporter.robot().frames(2);
  CHECK(exporter.robot().value("dialog.note") == "Picture copied");
  CHECK(exporter.state.open);
  export_ended(exporter.state, false, true, "Saved");
  exporter.robot().frames(2);
  CHECK_FALSE(exporter.robot().shows("dialog.ok"));
}

TEST_CASE("export dialog: a picture is copied as PNG, numbers as text, arrays not at all") {
  Exporter exporter;
  exporter.open();
  exporter.robot().click("dialog.format.pdf");
  exporter.robot().click("dialog.copy");
  CHECK(exporter.request.value().format == FileFormat::Png);
  CHECK(exporter.item().path.empty());
  exporter.robot().click("dialog.format.md");
  exporter.robot().click("dialog.copy");
  CHECK(exporter.request.value().format == FileFormat::Markdown);
  exporter.robot().click("dialog.format.npy");
  exporter.robot().frames(1);
  CHECK_FALSE(exporter.robot().widget("dialog.copy").enabled);
}

TEST_CASE("export dialog: how one exported last time comes back, and broken words do not matter") {
  Exporter exporter;
  exporter.open();
  exporter.choose("dialog.preset", "slide");
  exporter.robot().click("dialog.transparent");
  exporter.robot().click("dialog.labels");
  exporter.robot().click("dialog.format.svg");
  exporter.robot().click("dialog.ok");
  const ExportSettings before = exporter.state.settings;
  exporter.open(Stage::Scores);
  CHECK(exporter.state.settings == before);
  CHECK(exporter.state.name_text.ends_with("-scores.svg"));
  CHECK(exporter.robot().value("dialog.preset") == "changed");

  const ExportSettings fresh = export_settings({}, StyleKind::Dark);
  CHECK(export_settings({{"preset", "gone"},
                         {"format", "exe"},
                         {"dpi", "-4"},
                         {"width", "wide"},
                         {"font", "No such family"},
                         {"range", "5:1"},
                         {"decimals", "99"},
                         {"background", "?"}},
                        StyleKind::Dark) == fresh);
}

TEST_CASE("export dialog: the folder can be browsed for") {
  Exporter exporter;
  exporter.open();
  exporter.robot().click("dialog.browse");
  exporter.robot().frames(2);
  exporter.robot().double_click("dialog.entry.more");
  exporter.robot().click("dialog.ok");
  exporter.robot().frames(3);
  CHECK(exporter.state.open);
  CHECK(exporter.state.folder_text == (exporter.folder / "more").string());
  CHECK_FALSE(exporter.request.has_value());
  exporter.robot().click("dialog.ok");
  CHECK(exporter.item().path.parent_path() == exporter.folder / "more");
}

TEST_CASE("export dialog: nothing is clipped, and no bar scrolls where there is room") {
  Exporter exporter;
  exporter.open();
  const auto inside = [&](const char* name, double width, double height) {
    INFO(name);
    const Rect rect = exporter.robot().widget(name).rect;
    CHECK(rect.x >= 0);
    CHECK(rect.right() <= width);
    CHECK(rect.bottom() <= height);
  };
  for (const char* name : {"dialog.format.md", "dialog.preset", "dialog.path", "dialog.browse", "dialog.ok"})
    inside(name, 1280, 800);
  CHECK(exporter.robot().widget("dialog.path").rect.bottom() < exporter.robot().widget("dialog.ok").rect.y);
}

TEST_CASE("export dialog: a window of 640 x 400 has the preview and all buttons in sight") {
  Exporter small({640, 400});
  small.open();
  for (const char* name : {"dialog.preview", "dialog.format.md", "dialog.every_stage", "dialog.ok"}) {
    INFO(name);
    const Rect rect = small.robot().widget(name).rect;
    CHECK(rect.right() <= 640);
    CHECK(rect.bottom() <= 400);
  }
}

TEST_CASE("export dialog: several heads are taken in one by one") {
  Exporter exporter;
  exporter.open();
  auto& heads = exporter.state.choice.part.heads;
  exporter.robot().click("dialog.heads");
  exporter.robot().frames(2);
  exporter.robot().click("dialog.heads.1");
  CHECK(heads == std::vector<Index>{1});
  exporter.robot().click("dialog.heads.0");
  CHECK(heads == std::vector<Index>{0, 1});
  exporter.robot().click("dialog.heads.1");
  CHECK(heads == std::vector<Index>{0});
  exporter.robot().click("dialog.heads.0");
  CHECK_FALSE(heads.has_value());
}

TEST_CASE("export dialog: a sequence of a batch can be chosen") {
  Exporter exporter;
  exporter.open();
  CHECK(exporter.robot().value("dialog.sequence") == "0");  // the first of two
  exporter.choose("dialog.sequence", "1");
  CHECK(exporter.state.choice.part.sequence == 1);
}

TEST_CASE("export dialog: a title of one's own is kept for the next figure of the same stage") {
  Exporter exporter;
  exporter.open(Stage::Weights);
  exporter.write("dialog.title", "Who looks at whom");
  exporter.robot().click("dialog.cancel");
  exporter.robot().frames(2);
  exporter.open(Stage::Weights);
  CHECK(exporter.state.settings.options.title == "Who looks at whom");
  CHECK(exporter.robot().value("dialog.title") == "Who looks at whom");
  exporter.robot().click("dialog.cancel");
  exporter.robot().frames(2);
  exporter.open(Stage::Scores);
  CHECK_FALSE(exporter.state.settings.options.title.has_value());
}

TEST_CASE("export dialog: an open list follows the keys, and its Enter does not export") {
  Exporter exporter;
  exporter.open(Stage::Weights);
  exporter.robot().click("dialog.stage");
  exporter.robot().frames(2);
  CHECK(exporter.robot().value("dialog.stage.weights") == "marked");
  exporter.robot().key(Key::Down);
  CHECK(exporter.robot().value("dialog.stage.dropped") == "marked");
  exporter.robot().key(Key::Enter);
  exporter.robot().frames(3);
  CHECK(exporter.state.choice.part.stage == Stage::Dropped);
  CHECK_FALSE(exporter.robot().shows("dialog.stage.dropped"));
  CHECK_FALSE(exporter.request.has_value());
  CHECK(exporter.state.open);
}

TEST_CASE("export dialog: flow, row and compare are of products where the screen has products") {
  for (const FocusView view : {FocusView::Flow, FocusView::Row, FocusView::Compare}) {
    Exporter exporter;
    auto kept = std::make_shared<Layer>(exporter.fixture.layer());
    exporter.fixture.view().baseline.layer = kept;
    exporter.fixture.view().focus_view = view;
    exporter.fixture.view().picture.by_value = true;
    exporter.open();
    CHECK(exporter.state.choice.part.by_value);
    exporter.choose("dialog.show", "flow");
    CHECK(exporter.state.choice.part.by_value);
    exporter.choose("dialog.show", "pipeline");
    CHECK_FALSE(exporter.state.choice.part.by_value);
  }
}

TEST_CASE(
    "export dialog: weights times the length of values are offered as shown, and left by another choice") {
  for (const bool other_kind : {true, false}) {
    Exporter exporter;
    exporter.fixture.view().focus_view = FocusView::Heatmap;
    exporter.fixture.view().picture.by_value = true;
    exporter.open();
    CHECK(exporter.state.choice.part.by_value);
    if (other_kind)
      exporter.choose("dialog.show", "pipeline");
    else
      exporter.choose("dialog.heads", "mean");
    CHECK_FALSE(exporter.state.choice.part.by_value);
  }
}
