// Figures and numbers of a range of rows and columns, and the syntax of ranges.
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/export/figure_part.h"
#include "app/export/panel_title.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/figure/pixels.h"

using namespace headlight_test;

namespace {

const std::vector<std::string> kTokens = {"Your", " journey", "starts", "with", "one", "step", "one", "29"};

IndexRange part_of(const std::string& text) {
  return read_part(text, static_cast<Index>(kTokens.size()), kTokens, "rows");
}

std::string fault_of(const std::string& text, const std::vector<std::string>& tokens = kTokens) {
  try {
    read_part(text, 8, tokens, "rows");
  } catch (const Error& error) {
    return std::string(error.where()) + ": " + error.summary() + "; " + error.hint();
  }
  return "";
}

Outcome exported(const Workplace& place, const std::string& name, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"export", place.session(), "-o", place.path(name), "--force"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments);
}

// What an SVG file draws, without its texts.
std::string shapes_of(const std::string& svg) {
  std::istringstream lines(svg);
  std::string shapes;
  for (std::string line; std::getline(lines, line);)
    for (const char* shape : {"<line", "<path", "<rect"})
      if (line.find(shape) != std::string::npos) shapes += line + "\n";
  return shapes;
}

std::string numbers(const Workplace& place, const std::vector<std::string>& more) {
  CHECK(exported(place, "x.csv", more).err == "");
  return read_file(place.path("x.csv"));
}

}  // namespace

TEST_CASE("a part is a range as Python has it") {
  CHECK(part_of("") == IndexRange{0, 8});
  CHECK(part_of("2:5") == IndexRange{2, 5});
  CHECK(part_of("2:") == IndexRange{2, 8});
  CHECK(part_of(":5") == IndexRange{0, 5});
  CHECK(part_of("-3:") == IndexRange{5, 8});
  CHECK(part_of(":-3") == IndexRange{0, 5});
  CHECK(part_of("6:90") == IndexRange{6, 8});
  CHECK(part_of("3") == IndexRange{3, 4});
  CHECK(part_of("-1") == IndexRange{7, 8});
}

TEST_CASE("a part is a token, or from one to another, both included") {
  CHECK(part_of("starts") == IndexRange{2, 3});
  CHECK(part_of("journey") == IndexRange{1, 2});  // the token's leading blank may be omitted
  CHECK(part_of("Your:with") == IndexRange{0, 4});
  CHECK(part_of("with:") == IndexRange{3, 8});
  CHECK(part_of(":starts") == IndexRange{0, 3});
  CHECK(part_of("1:with") == IndexRange{1, 4});
  CHECK(part_of("\"29\"") == IndexRange{7, 8});
  CHECK(read_part("\"a:b\":c", 3, {"a:b", "b", "c"}, "rows") == IndexRange{0, 3});
}

TEST_CASE("what is no part is refused by what is wrong, where, and how to mend it") {
  CHECK(fault_of("there") ==
        "rows: there is no token 'there'; give the text of a token, or numbers from 0, as 0:8");
  CHECK(fault_of("one") == "rows: the token 'one' stands at 4 and 6; say which by its number, as 4");
  CHECK(fault_of("a", std::vector<std::string>(8, "a")) ==
        "rows: the token 'a' stands at 0, 1, 2, 3, 4, 5 and 2 more; say which by its number, as 0");
  CHECK(fault_of("5:2") == "rows: nothing is left in 5:2; they are 0 to 7");
  CHECK(fault_of("29") == "rows: nothing is left in 29; they are 0 to 7");
  CHECK(fault_of("-9") == "rows: nothing is left in -9; they are 0 to 7");
  CHECK(fault_of("a:3", {}) ==
        "rows: 'a' is no number, and dimensions have no other names; give numbers from 0, as 0:8");
}

TEST_CASE("numbers are those of the part, with its own labels") {
  const Workplace place;
  const std::string all = numbers(place, {"--stage", "scaled", "--head", "0"});
  const std::string part =
      numbers(place, {"--stage", "scaled", "--head", "0", "--rows", "1:", "--columns", "größe"});
  CHECK(part.starts_with("query,größe\ngröße,"));
  CHECK(line_count(part) == 3);
  std::istringstream whole_lines(all), part_lines(part);
  std::string whole, own;
  for (int i = 0; i < 3; ++i)
    std::getline(whole_lines, whole);
  for (int i = 0; i < 2; ++i)
    std::getline(part_lines, own);
  CHECK_THAT(whole, ContainsSubstring(own.substr(own.find(','))));  // the row of größe
  CHECK(numbers(place, {"--stage", "values", "--columns", "1:2", "--head", "0"}).starts_with("token,1\n"));
}

TEST_CASE("heads together are one matrix, in numbers, figures and on the terminal") {
  const Workplace place;
  const auto rows_of = [&](const std::string& heads) {
    CHECK(exported(place, "x.json", {"--stage", "weights", "--head", heads}).err == "");
    return nlohmann::json::parse(read_file(place.path("x.json")));
  };
  const auto all = rows_of("all"), mean = rows_of("mean"), most = rows_of("max");
  CHECK(mean["heads"] == "mean");
  CHECK(most["heads"] == "maximum");
  const std::size_t heads = all["values"].size(), rows = all["rows"].size();
  REQUIRE(heads == 2);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < rows; ++c) {
      const double a = all["values"][0][r][c], b = all["values"][1][r][c];
      CHECK(std::abs(mean["values"][0][r][c].get<double>() - (a + b) / 2) < 1e-6);
      CHECK(most["values"][0][r][c].get<double>() == std::max(a, b));
    }
  CHECK(exported(place, "x.svg", {"--stage", "weights", "--head", "mean"}).err == "");
  CHECK_THAT(run({"print", place.session(), "--stage", "weights", "--head", "max"}).out,
             ContainsSubstring("maximum of all heads"));
  CHECK_THAT(exported(place, "x.csv", {"--stage", "output", "--head", "mean"}).err,
             ContainsSubstring("no heads"));
  CHECK_THAT(exported(place, "x.png", {"--kind", "flow", "--head", "max"}).err,
             ContainsSubstring("--kind heads only"));
  CHECK_THAT(run({"print", place.session(), "--stage", "weights", "--head", "maximum"}).err,
             ContainsSubstring("nor all, mean or max"));
}

TEST_CASE("weights times the length of values, in numbers, figures and file names") {
  const Workplace place;
  const auto json_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--stage", "weights"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(exported(place, "x.json", arguments).err == "");
    return nlohmann::json::parse(read_file(place.path("x.json")));
  };
  const auto plain = json_of({}), by_value = json_of({"--by-value"});
  CHECK(by_value["stage"] == "weights_by_value");
  // Of one key the quotient is the same for every query.
  for (const int head : {0, 1}) {
    const auto &a = by_value["values"][head], &b = plain["values"][head];
    const std::size_t last = a.size() - 1;
    const double length = a[last][0].get<double>() / b[last][0].get<double>();
    CHECK(length > 0);
    CHECK(std::abs(a[last - 1][0].get<double>() - b[last - 1][0].get<double>() * length) < 1e-5);
  }
  CHECK(exported(place, "x.svg", {"--stage", "weights", "--by-value"}).err == "");
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring("weights × |value|"));
  for (const std::string kind : {"flow", "row"}) {
    CHECK(exported(place, "x.svg", {"--kind", kind, "--by-value"}).err == "");
    const std::string products = read_file(place.path("x.svg"));
    CHECK_THAT(products, ContainsSubstring("weights × |value|"));
    CHECK(exported(place, "x.svg", {"--kind", kind}).err == "");
    const std::string weights = read_file(place.path("x.svg"));
    CHECK_FALSE(shapes_of(weights).empty());
    CHECK(shapes_of(products) != shapes_of(weights));
  }
  CHECK(exported(place, "x.svg", {"--kind", "row", "--row-stages", "scores", "--by-value"}).err == "");
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring("weights × |value|"));
  const std::string shown = number_text(by_value["values"][0][0][0].get<float>(), 4);
  CHECK(exported(place, "x.svg", {"--compare", place.session(), "--stage", "weights", "--by-value"}).err ==
        "");
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring("weights × |value|"));
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring(shown));
  CHECK_THAT(exported(place, "x.png", {"--stage", "scores", "--by-value"}).err,
             ContainsSubstring("only weights"));
  CHECK_THAT(exported(place, "x.png", {"--kind", "pipeline", "--by-value"}).err,
             ContainsSubstring("--by-value"));
  CHECK_THAT(exported(place, "x.png", {"--stage", "weights", "--head", "mean", "--by-value"}).err,
             ContainsSubstring("--by-value"));
}

TEST_CASE("weights without the first key, in numbers, figures, file names and print") {
  const Workplace place;
  CHECK(exported(place, "x.json", {"--stage", "weights", "--without-first-key"}).err == "");
  const auto json = nlohmann::json::parse(read_file(place.path("x.json")));
  CHECK(json["stage"] == "weights_without_first_key");
  for (const auto& head : json["values"])
    for (const auto& row : head) {
      double sum = 0;
      for (const auto& number : row)
        sum += number.get<double>();
      CHECK(row[0].get<double>() == 0);
      CHECK(std::min(std::abs(sum - 1), std::abs(sum)) < 1e-5);
    }
  CHECK(exported(place, "x.svg", {"--stage", "weights", "--without-first-key"}).err == "");
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring("weights without the first key") &&
                                                 ContainsSubstring("each row sums to 1 again"));
  CHECK_THAT(run({"print", place.session(), "--stage", "weights", "--without-first-key"}).out,
             ContainsSubstring("weights without the first key, rows to 1 again: sequence 0, head 0"));
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--kind", "flow"}, {"--head", "mean"}, {"--by-value"}}) {
    std::vector<std::string> line = {"--stage", "weights", "--without-first-key"};
    line.insert(line.end(), other.begin(), other.end());
    CHECK_THAT(exported(place, "x.png", line).err, ContainsSubstring("--without-first-key"));
  }
  CHECK_THAT(exported(place, "x.png", {"--stage", "scores", "--without-first-key"}).err,
             ContainsSubstring("only weights"));
}

TEST_CASE("an array of a part has its shape, and JSON says where it begins") {
  const Workplace place;
  CHECK(exported(place, "x.json", {"--stage", "weights", "--rows", "c", "--columns", "a:größe"}).err == "");
  const auto json = nlohmann::json::parse(read_file(place.path("x.json")));
  CHECK(json["rows"] == nlohmann::json({"c"}));
  CHECK(json["columns"] == nlohmann::json({"a", "größe"}));
  CHECK(json["first_row"] == 2);
  CHECK(json["first_column"] == 0);
  CHECK(json["values"][1].size() == 1);
  CHECK(json["values"][1][0].size() == 2);
  CHECK(exported(place, "y.npy", {"--stage", "weights", "--head", "0", "--rows", ":2"}).err == "");
  CHECK_THAT(read_file(place.path("y.npy")), ContainsSubstring("(2, 3)"));
}

TEST_CASE("every kind of figure shows the part") {
  const Workplace place;
  const auto texts = [&](const std::vector<std::string>& more) {
    const Outcome outcome = exported(place, "x.svg", more);
    CHECK(outcome.err == "");
    return read_file(place.path("x.svg"));
  };
  const std::string heads = texts({"--stage", "weights", "--rows", "c", "--columns", "0:2"});
  CHECK_THAT(heads, ContainsSubstring(">größe<") && !ContainsSubstring(">b<"));
  const std::string flow = texts({"--kind", "flow", "--rows", "größe:", "--columns", "c", "--query", "2"});
  CHECK_THAT(flow, ContainsSubstring(">größe<") && !ContainsSubstring(">a<"));
  const std::string row = texts({"--kind", "row", "--query", "2", "--columns", "größe"});
  CHECK_THAT(row, ContainsSubstring(">größe<") && !ContainsSubstring(">a<"));
  CHECK_THAT(texts({"--kind", "pipeline", "--rows", "c", "--columns", "a"}), !ContainsSubstring(">größe<"));
}

TEST_CASE("parts that cannot be shown are refused") {
  const Workplace place;
  const auto fault = [&](int status, const std::vector<std::string>& more) {
    const Outcome outcome = exported(place, "x.png", more);
    CHECK(outcome.status() == status);
    CHECK(line_count(outcome.err) == 1);
    return outcome.err;
  };
  CHECK_THAT(fault(1, {"--stage", "weights", "--rows", "nobody"}), ContainsSubstring("no token 'nobody'"));
  CHECK_THAT(fault(1, {"--stage", "values", "--columns", "a"}), ContainsSubstring("dimensions"));
  CHECK_THAT(fault(1, {"--kind", "flow", "--rows", "1:", "--query", "0"}),
             ContainsSubstring("query 0 is not among the rows") && ContainsSubstring("1 to 2"));
  CHECK_THAT(fault(2, {"--kind", "row", "--rows", "1:"}), ContainsSubstring("--query"));
}

TEST_CASE("the files of several stages are named by the part, and keys alone are left out") {
  const Workplace place;
  CHECK(run({"export", place.session(), "--stage", "weights,values", "--rows", "0:2", "--columns", "a:größe",
             "--format", "csv", "-o", place.path("out/")})
            .err == "");
  CHECK(read_file(place.path("out/two-weights-rows0-2-columnsa-größe.csv"))
            .starts_with("head,query,a,größe\n"));
  CHECK(read_file(place.path("out/two-values-rows0-2.csv")).starts_with("head,token,0,1\n"));
}

TEST_CASE("the title of a panel is a template") {
  const PanelNames names = {"weights", 2, 3, 1, "Two heads"};
  CHECK(panel_title("L{layer}H{head}", names) == "L2H3");
  CHECK(panel_title("{stage} of {title}, {sequence} {{x}}", names) == "weights of Two heads, 1 {x}");
  for (const char* bad : {"{heads}", "{", "}", "{head", "{}"})
    CHECK_THROWS_AS(check_panel_title(bad), Error);
  const Workplace place;
  const Outcome outcome = exported(place, "x.svg", {"--stage", "weights", "--panel-title", "{nobody}"});
  CHECK(outcome.status() == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("nothing called {nobody}") && ContainsSubstring("{layer}"));
  CHECK(exported(place, "x.svg", {"--stage", "weights", "--panel-title", "L{layer}H{head}"}).err == "");
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring(">L0H0<") && ContainsSubstring(">L0H1<"));
  CHECK(exported(place, "x.svg", {"--stage", "weights", "--head", "1", "--panel-title", "H{head}"}).err ==
        "");
  CHECK_THAT(read_file(place.path("x.svg")), ContainsSubstring(">H1<"));
}

TEST_CASE("panels stand in as many columns as are wished for") {
  const Workplace place;
  const auto size = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--stage", "weights"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    CHECK(exported(place, "x.png", arguments).err == "");
    return Pixels(read_file(place.path("x.png")));
  };
  const Pixels beside = size({}), below = size({"--panel-columns", "1"});
  CHECK(below.width() < beside.width());
  CHECK(below.height() > beside.height());
  CHECK(exported(place, "x.png", {"--stage", "weights", "--panel-columns", "0"}).status() == 2);
}

TEST_CASE("the stages of a row are chosen, and a colour map by its usual name") {
  const Workplace place;
  CHECK(exported(place, "x.svg", {"--kind", "row", "--row-stages", "scores,weights"}).err == "");
  const std::string row = read_file(place.path("x.svg"));
  CHECK_THAT(row, ContainsSubstring(">scores<") && ContainsSubstring(">weights<"));
  CHECK_THAT(row, !ContainsSubstring(">masked<"));
  const Outcome outcome = exported(place, "x.svg", {"--kind", "row", "--row-stages", "values"});
  CHECK(outcome.status() == 2);
  CHECK_THAT(outcome.err, ContainsSubstring("values is no part of a row"));
  CHECK(exported(place, "x.png", {"--stage", "weights", "--colormap", "RdBu"}).err == "");
  CHECK(exported(place, "x.png", {"--stage", "weights", "--colormap", "Blues"}).err == "");
}
