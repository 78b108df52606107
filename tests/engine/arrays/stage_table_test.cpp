#include "engine/arrays/stage_table.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/arrays/table_file.h"
#include "engine/core/digits.h"
#include "tests/support/catch.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// A stage of two heads whose tokens need quoting and whose numbers include NaN and infinities.
StageTable table_of(std::size_t heads = 2) {
  StageTable table;
  table.stage = "masked";
  table.session = "A test";
  table.row_name = "query";
  table.per_head = true;
  table.rows = table.columns = {"a,b", "c\t\"d\"\n"};
  Matrix first(2, 2), second(2, 2);
  first << 0.1f, -INFINITY, 1.0f / 3, -0.0f;
  second << NAN, INFINITY, 1e-30f, -1234567.0f;
  table.heads = {0, 1};
  table.values = {first, second};
  table.heads.resize(heads);
  table.values.resize(heads);
  return table;
}

}  // namespace

TEST_CASE("floats are the shortest text that reads back to the same bits") {
  for (const float value : {0.1f, 1.0f / 3, -0.0f, 1e-45f, 3.4028235e38f, 16777216.0f, 7.038531e-26f}) {
    std::string text;
    append_float(text, value);
    CHECK(std::strtof(text.c_str(), nullptr) == value);
    // Also when read as float64, as NumPy and spreadsheets do.
    CHECK(static_cast<float>(std::strtod(text.c_str(), nullptr)) == value);
    CHECK(std::signbit(std::strtof(text.c_str(), nullptr)) == std::signbit(value));
  }
  std::string text;
  append_float(text, 0.1f);
  CHECK(text == "0.1");
}

TEST_CASE("CSV: labels that a spreadsheet would run, or that look like separators, come back as they were") {
  StageTable table;
  table.row_name = "query";
  table.rows = table.columns = {"=1+1", "+", "-x", "@a", "'=b", "-5", ";", "\t=c", "\r", "a,\"b\""};
  table.heads = {0};
  table.values = {Matrix::Identity(10, 10)};
  const std::string csv = stage_csv(table), tsv = stage_tsv(table);
  CHECK_THAT(csv, ContainsSubstring("query,'=1+1,'+,'-x,'@a,''=b,-5,\";\","));
  for (const std::string& text : {csv, tsv}) {
    CHECK(text.find(",=") == std::string::npos);
    CHECK(text.find("\n=") == std::string::npos);
    CHECK(text.find("\"=") == std::string::npos);
  }
  CHECK(tsv.find("\t=") == std::string::npos);
  const TableFile back = parse_table_file(csv, "back.csv");
  CHECK(back.row_labels == table.rows);
  CHECK(back.column_labels == table.columns);
  CHECK(back.values == table.values.front());
}

TEST_CASE("CSV quotes what needs it; TSV escapes it") {
  CHECK(stage_csv(table_of()) ==
        "head,query,\"a,b\",\"c\t\"\"d\"\"\n\"\n"
        "0,\"a,b\",0.1,-inf\n"
        "0,\"c\t\"\"d\"\"\n\",0.33333334,-0\n"
        "1,\"a,b\",nan,inf\n"
        "1,\"c\t\"\"d\"\"\n\",1e-30,-1234567\n");
  CHECK(stage_tsv(table_of(1)) ==
        "query\ta,b\tc\\t\"d\"\\n\n"
        "a,b\t0.1\t-inf\n"
        "c\\t\"d\"\\n\t0.33333334\t-0\n");
}

TEST_CASE("JSON keeps every number, and texts for what JSON has no number for") {
  const auto json = nlohmann::json::parse(stage_json(table_of()));
  CHECK(json["stage"] == "masked");
  CHECK(json["rows"][1] == "c\t\"d\"\n");
  CHECK(json["heads"] == std::vector<int>{0, 1});
  CHECK(json["values"][0][0][0].get<float>() == 0.1f);
  CHECK(json["values"][0][0][1] == "-inf");
  CHECK(std::signbit(json["values"][0][1][1].get<float>()));
  CHECK(json["values"][1][0][0] == "nan");
  StageTable plain = table_of(1);
  plain.per_head = false;
  const auto without_heads = nlohmann::json::parse(stage_json(plain));
  CHECK_FALSE(without_heads.contains("heads"));
  CHECK(without_heads["values"][1][0].get<float>() == 1.0f / 3);
}

TEST_CASE("LaTeX and Markdown tables have four decimals and escaped tokens") {
  StageTable table = table_of();
  table.rows = table.columns = {"50%_\\", "a|b*"};
  const std::string latex = stage_latex(table);
  for (const char* part : {"% A test: masked, sequence 0, head 1\n", " & 0.0000 \\\\\n",
                           "\\begin{tabular}{lrr}", " & 50\\%\\_\\textbackslash{} & a|b* \\\\",
                           "0.1000 & $-\\infty$ \\\\", "0.0000 & $-1.2346e+06$ \\\\", "\\end{tabular}"})
    CHECK_THAT(latex, ContainsSubstring(part));
  const std::string markdown = stage_markdown(table);
  for (const char* part :
       {"**masked, sequence 0, head 0**\n\n| query | 50%\\_\\\\ | a\\|b\\* |\n|:---|---:|---:|",
        "| 0.1000 | −∞ |", "| NaN | ∞ |", "| 0.0000 | −1.2346e+06 |"})
    CHECK_THAT(markdown, ContainsSubstring(part));
}

TEST_CASE("arrays have one more dimension with several heads") {
  CHECK(stage_array(table_of()).shape == std::vector<Index>{2, 2, 2});
  const NamedArray one = stage_array(table_of(1));
  CHECK(one.shape == std::vector<Index>{2, 2});
  CHECK(one.name == "masked");
  CHECK(one.values[2] == 1.0f / 3);
}

TEST_CASE("a stage is read with its tokens or dimensions") {
  Layer layer;
  layer.tokens = {"x", "y"};
  layer.embeddings = {Matrix::Zero(2, 3)};
  const StageTable input = labelled_stage(layer, "T", Stage::Embeddings, 0, {0}, {layer.embeddings.front()});
  CHECK(input.columns == std::vector<std::string>{"0", "1", "2"});
  CHECK(input.row_name == "token");
  CHECK_FALSE(input.per_head);
  const StageTable weights = labelled_stage(layer, "T", Stage::Weights, 1, {0}, {Matrix::Identity(2, 2)});
  CHECK(weights.columns == layer.tokens);
  CHECK(weights.per_head);
  CHECK(weights.values[0](1, 1) == 1);
}
