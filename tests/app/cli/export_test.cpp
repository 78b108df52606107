#include <nlohmann/json.hpp>

#include "engine/arrays/npy.h"
#include "engine/attention/evaluator.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/figure/pixels.h"
#include "tests/app/figure/xml_check.h"
#include "tests/support/random_sessions.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::vector<std::string> joined_to(std::vector<std::string> first, const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

// The file that an export of the weights with the options `more` writes.
std::string exported_text(const Workplace& place, const std::string& name,
                          const std::vector<std::string>& more) {
  const Outcome outcome = run(
      joined_to({"export", place.session(), "--stage", "weights", "--force", "-o", place.path(name)}, more));
  CHECK(outcome.status() == 0);
  CHECK(outcome.err == "");
  return outcome.status() == 0 ? read_file(place.path(name)) : "";
}

std::string fault(int status, const std::vector<std::string>& arguments) {
  const Outcome outcome = run(arguments);
  CHECK(outcome.status() == status);
  CHECK(line_count(outcome.err) == 1);
  CHECK(outcome.out.empty());
  return outcome.err;
}

}  // namespace

TEST_CASE("export writes a PNG of the heads asked for") {
  const Workplace place;
  const auto width = [&](const std::vector<std::string>& more) {
    return Pixels(exported_text(place, "x.png", more)).width();
  };
  const int all = width({}), one = width({"--head", "1"}), both = width({"--head", "0,1"});
  CHECK(all == both);
  CHECK(one < all);
  CHECK(std::abs(width({"--scale", "1"}) * 2 - all) <= 1);
  CHECK(width({"--dpi", "96"}) == width({"--scale", "1"}));
  CHECK(width({"--sequence", "1", "--theme", "dark"}) == all);
}

TEST_CASE("a figure has the size asked for") {
  const Workplace place;
  const Pixels pixels(exported_text(place, "x.png", {"--width", "800px", "--height", "500"}));
  CHECK(pixels.width() == 800);
  CHECK(pixels.height() == 500);
  CHECK(Pixels(exported_text(place, "x.png", {"--width", "127mm", "--dpi", "300"})).width() == 1500);
  CHECK_THAT(exported_text(place, "x.svg", {"--width", "5in"}), ContainsSubstring("width=\"480\""));
  CHECK_THAT(exported_text(place, "x.pdf", {"--width", "5in", "--height", "4in"}),
             ContainsSubstring("/MediaBox [ 0 0 360 288 ]"));
}

TEST_CASE("cells have the size asked for, in pictures of one head and of several") {
  const Workplace place;
  const auto cell = [&](const std::vector<std::string>& more) {
    const std::string svg = exported_text(place, "x.svg", joined_to({"--cell", "12mm"}, more));
    const std::size_t cells = svg.find("crispEdges"), width = svg.find("width=\"", cells);
    REQUIRE(width != std::string::npos);
    return std::stod(svg.substr(width + 7));
  };
  const double side = 12 / 25.4 * 96;
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{}, {"--head", "0"}, {"--preset", "one_column"}})
    CHECK(std::abs(cell(more) - side) <= 0.51);  // joined_cell() reaches under its neighbour
  const std::vector<std::string> line = {"export", place.session(),    "--stage", "weights",
                                         "-o",     place.path("y.svg")};
  CHECK_THAT(fault(1, joined_to(line, {"--cell", "6mm", "--width", "80mm"})),
             ContainsSubstring("cell") && ContainsSubstring("leave one of them out"));
  CHECK_THAT(fault(1, joined_to(line, {"--cell", "2000cm"})), ContainsSubstring("mm fit"));
  CHECK_THAT(fault(1, joined_to(line, {"--cell", "0mm"})), ContainsSubstring("at least"));
  CHECK_THAT(fault(2, joined_to(line, {"--cell", "6 mm"})), ContainsSubstring("--cell"));
  CHECK_THAT(fault(1, joined_to(line, {"--cell", "6mm", "--kind", "flow"})), ContainsSubstring("no cells"));
}

TEST_CASE("an SVG shows what is asked for and nothing else") {
  const Workplace place;
  const std::string all = exported_text(place, "x.svg", {});
  CHECK(xml_fault(all) == "");
  for (const char* part : {">Attention weights</text>", ">Two heads</text>", ">größe</text>", ">query</text>",
                           ">1.0000</text>", "linearGradient", "<title>Attention weights</title>"})
    CHECK_THAT(all, ContainsSubstring(part));
  CHECK_THAT(all, ContainsSubstring(">hidden by the mask</text>"));
  CHECK(occurrences(all, "<path") == 3);  // the hatching of two heads and of the legend, one path each
  const std::string bare =
      exported_text(place, "x.svg", {"--hide", "title,subtitle,labels,axes,bar,numbers", "--head", "0"});
  CHECK(occurrences(bare, "<text") == 0);
  CHECK(occurrences(bare, "linearGradient") == 0);
  const std::string named = exported_text(
      place, "x.svg",
      {"--title", "Figure 1", "--decimals", "2", "--font", "DejaVu Sans", "--background", "transparent"});
  for (const char* part : {">Figure 1</text>", ">1.00</text>", "font-family=\"DejaVu Sans, sans-serif\""})
    CHECK_THAT(named, ContainsSubstring(part));
  CHECK_THAT(exported_text(place, "x.svg", {"--range", "0:0.5"}), ContainsSubstring(">0.5</text>"));
  CHECK(exported_text(place, "x.svg", {"--colormap", "grey"}) != all);
  CHECK(exported_text(place, "x.svg", {"--background", "dark"}) ==
        exported_text(place, "x.svg", {"--theme", "dark"}));
}

TEST_CASE("a figure has the range of colours that the window opens with") {
  const Workplace place;
  headlight_test::Dice dice(3);
  for (int round = 0; round < 12; ++round) {
    Session session = random_session(dice);
    if (round % 2 == 0) session.layer.embeddings[0] *= std::pow(10.0f, static_cast<float>(dice.real(-20, 4)));
    save_session(session, place.session());
    const Stage stage = dice.pick(stages_in_use(session.layer));
    const std::string name(stage_info(stage).name);
    INFO(name);
    const auto drawn = [&](const std::vector<std::string>& more) {
      const Outcome outcome = run(joined_to(
          {"export", place.session(), "--stage", name, "--force", "-o", place.path("x.svg")}, more));
      CHECK(outcome.status() == 0);
      return read_file(place.path("x.svg"));
    };
    CHECK(drawn({}) == drawn({"--range", stage_info(stage).is_signed ? "whole" : "auto"}));
  }
}

TEST_CASE("other kinds of figures") {
  const Workplace place;
  const std::string pipeline = exported_text(place, "x.svg", {"--kind", "pipeline", "--head", "1"});
  for (const char* part : {">Every stage, head 1</text>", ">context · ", ">output · "})
    CHECK_THAT(pipeline, ContainsSubstring(part));
  const std::string flow = exported_text(place, "x.svg", {"--kind", "flow"});
  CHECK_THAT(flow, ContainsSubstring(">Attention weights, heads 0, 1</text>"));
  CHECK(occurrences(flow, "<path") >= 6);
  const std::string row =
      exported_text(place, "x.svg", {"--kind", "row", "--query", "2", "--width", "120mm"});
  CHECK_THAT(row, ContainsSubstring(">What “c” attends to, head 0</text>"));
  for (const std::string& svg : {pipeline, flow, row})
    CHECK(xml_fault(svg) == "");
  CHECK(exported_text(place, "x.pdf", {"--kind", "flow"}).substr(0, 5) == "%PDF-");
  CHECK(Pixels(exported_text(place, "x.png", {"--kind", "row", "--width", "700"})).width() == 700);
}

TEST_CASE("a flow of one token is drawn") {
  const Workplace place;
  write_file_atomically(place.path("one.headlight"), R"({
      "format": "headlight-session", "version": 1, "title": "One", "tokens": ["a"], "embeddings": [[1, 2]],
      "attention": {"projection": "none", "mask": "none", "normalization": "softmax"}})");
  const std::string output = place.path("one.svg");
  REQUIRE(run({"export", place.path("one.headlight"), "--kind", "flow", "-o", output}).status() == 0);
  CHECK(occurrences(read_file(output), "<line") == 3);  // they show what a width means
  CHECK(occurrences(read_file(output), "<path") == 1);
}

TEST_CASE("comparing shows both sessions and what differs") {
  const Workplace place;
  std::string other = read_file(place.session());
  other.replace(other.find("123"), 3, "124");
  other.replace(other.find("Two heads"), 9, "Seed 124");
  write_file_atomically(place.path("other.headlight"), other);
  const std::string svg = exported_text(place, "x.svg", {"--compare", place.path("other.headlight")});
  for (const char* part : {">A: Two heads · B: Seed 124</text>", ">A · head 0</text>", ">B · head 1</text>",
                           ">B − A · head 1</text>"})
    CHECK_THAT(svg, ContainsSubstring(part));
  other.replace(other.find("\"größe\", "), 11, "");
  write_file_atomically(place.path("other.headlight"), other);
  CHECK_THAT(fault(1, {"export", place.session(), "--stage", "weights", "-o", place.path("y.svg"),
                       "--compare", place.path("other.headlight")}),
             ContainsSubstring("other.headlight"));
}

TEST_CASE("numbers are written in every format") {
  const Workplace place;
  const Evaluator expected = evaluate(load_session(place.session()).layer);
  const Matrix& second = expected.matrix(Stage::Weights, 0, 1);
  CHECK_THAT(exported_text(place, "x.csv", {}), ContainsSubstring("head,query,a,größe,c\n0,a,1,0,0\n"));
  CHECK_THAT(exported_text(place, "x.tsv", {"--head", "1"}),
             ContainsSubstring("query\ta\tgröße\tc\na\t1\t0\t0\n"));
  const NamedArray both = parse_npy(exported_text(place, "x.npy", {}), "x.npy");
  CHECK(both.shape == std::vector<Index>{2, 3, 3});
  CHECK(std::equal(second.data(), second.data() + 9, both.values.begin() + 9));
  exported_text(place, "x.npz", {"--head", "1"});
  CHECK(read_npz(place.path("x.npz"), "weights").shape == std::vector<Index>{3, 3});
  const auto json = nlohmann::json::parse(exported_text(place, "x.json", {"--head", "1"}));
  CHECK(json["heads"] == std::vector<int>{1});
  CHECK(json["values"][0][2][1].get<float>() == second(2, 1));
  CHECK_THAT(exported_text(place, "x.tex", {}), ContainsSubstring("\\begin{tabular}{lrrr}"));
  CHECK_THAT(exported_text(place, "x.md", {}), ContainsSubstring("| query | a | größe | c |\n|:---|---:|"));
}

TEST_CASE("a file that exists is replaced only with --force") {
  const Workplace place;
  write_file_atomically(place.path("x.png"), "mine");
  const std::vector<std::string> line = {"export", place.session(),    "--stage", "weights",
                                         "-o",     place.path("x.png")};
  const std::string message = fault(1, line);
  CHECK_THAT(message, ContainsSubstring("x.png"));
  CHECK_THAT(message, ContainsSubstring("--force"));
  CHECK(read_file(place.path("x.png")) == "mine");
  CHECK(run(joined_to(line, {"--force"})).status() == 0);
  CHECK(read_file(place.path("x.png")) != "mine");
}

TEST_CASE("several sessions and stages go into a folder, all or none") {
  const Workplace place;
  write_file_atomically(place.path("three.headlight"), read_file(place.session()));
  const std::vector<std::string> both = {"export", place.session(), place.path("three.headlight"), "-o",
                                         place.path("out")};
  const Outcome outcome =
      run(joined_to(both, {"--stage", "scores,output", "--head", "1", "--format", "svg"}));
  CHECK(outcome.err == "");
  CHECK(outcome.status() == 0);
  CHECK(line_count(outcome.out) == 4);
  CHECK_THAT(outcome.out, ContainsSubstring("cells as rectangles"));
  for (const char* name : {"two-scores-head1.svg", "two-output.svg", "three-scores-head1.svg"})
    CHECK(std::filesystem::exists(place.path(std::string("out/") + name)));
  std::filesystem::remove(place.path("out/two-output.svg"));
  fault(1, joined_to(both, {"--stage", "scores,output", "--head", "1", "--format", "svg"}));
  CHECK_FALSE(std::filesystem::exists(place.path("out/two-output.svg")));
  CHECK(run({"export", place.session(), "--stage", "all", "-o", place.path("all/"), "--format", "csv"})
            .status() == 0);
  CHECK_THAT(read_file(place.path("all/two-embeddings.csv")), ContainsSubstring("token,0,1\na,1,0\n"));
  CHECK_THAT(
      fault(1, {"export", place.session(), place.session(), "--stage", "weights", "-o", place.path("same")}),
      ContainsSubstring("two-weights.png"));
  CHECK_THAT(fault(1, joined_to({"export", place.session(), place.path("three.headlight")},
                                {"--stage", "weights", "-o", place.path("x.png")})),
             ContainsSubstring("--format"));
}

TEST_CASE("options that cannot be met are named") {
  const Workplace place;
  const auto refused = [&](int status, const std::vector<std::string>& more) {
    return fault(
        status,
        joined_to({"export", place.session(), "--stage", "weights", "-o", place.path("x.svg")}, more));
  };
  CHECK_THAT(refused(2, {"--width", "89ft"}), ContainsSubstring("'89ft'"));
  CHECK_THAT(refused(2, {"--range", "1"}), ContainsSubstring("LOW:HIGH"));
  CHECK_THAT(refused(2, {"--hide", "cells"}), ContainsSubstring("--hide"));
  CHECK_THAT(refused(2, {"--dpi", "96", "--scale", "1"}), ContainsSubstring("--scale"));
  CHECK_THAT(refused(2, {"--kind", "flow", "--compare", place.session()}), ContainsSubstring("--compare"));
  CHECK_THAT(refused(2, {"--colormap", "jet"}), ContainsSubstring("viridis"));
  CHECK_THAT(refused(1, {"--width", "1mm"}), ContainsSubstring("width"));
  CHECK_THAT(refused(1, {"--width", "12mm"}), ContainsSubstring("no room"));
  CHECK_THAT(refused(1, {"--height", "12mm", "--kind", "flow"}), ContainsSubstring("room"));
  for (const char* const dpi : {"0", "1", "-96", "nan", "inf", "1e300", "96dpi", ""})
    CHECK_THAT(refused(2, {"--dpi", dpi}), ContainsSubstring("24 to 2400"));
  CHECK_THAT(refused(1, {"--font", "No Such Font"}), ContainsSubstring("fc-list"));
  for (const char* const size : {"0", "200", "-9", "nan", "inf"})
    CHECK_THAT(refused(2, {"--font-size", size}), ContainsSubstring("3 to 96"));
  for (const char* const scale : {"0", "-1", "nan", "inf", "9"})
    CHECK_THAT(refused(2, {"--scale", scale}), ContainsSubstring("0.5 to 8"));
  CHECK_THAT(fault(2, {"export", place.session(), "--stage", "weights,weights", "-o", place.path("folder")}),
             ContainsSubstring("'weights' is named twice"));
  CHECK_THAT(fault(2, {"export", place.session(), "--stage", "all,scores", "-o", place.path("folder")}),
             ContainsSubstring("'scores' is named twice"));
  CHECK_THAT(refused(2, {"--compare", ""}), ContainsSubstring("name is empty"));
  CHECK_THAT(fault(2, {"export", "", "--stage", "weights", "-o", place.path("x.svg")}),
             ContainsSubstring("name is empty"));
  CHECK_THAT(fault(2, {"export", place.session(), "--stage", "weights", "-o", ""}),
             ContainsSubstring("name is empty"));
  CHECK_THAT(refused(1, {"--range", "1:0"}), ContainsSubstring("below"));
  CHECK_THAT(refused(1, {"--query", "3", "--kind", "row"}), ContainsSubstring("0 to 2"));
  CHECK_THAT(
      fault(1, {"export", place.session(), "--stage", "scores", "-o", place.path("x.svg"), "--range", "log"}),
      ContainsSubstring("scores"));
  CHECK_THAT(fault(1, {"export", place.session(), "--kind", "flow", "-o", place.path("x.csv")}),
             ContainsSubstring(".svg"));
  CHECK_FALSE(std::filesystem::exists(place.path("x.svg")));
}
