// `headlight heads`: every head with its measures, in the terminal and as files.
#include <nlohmann/json.hpp>

#include <sstream>

#include "engine/attention/measured_heads.h"
#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kInduction = source_root() + "/assets/examples/induction-head.headlight";

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  return lines;
}

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::istringstream stream(line + separator);
  std::vector<std::string> fields;
  for (std::string field; std::getline(stream, field, separator);)
    fields.push_back(field);
  return fields;
}

}  // namespace

TEST_CASE("heads: a table in the terminal, by number or by a measure in both directions") {
  const auto first_heads = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"heads", kInduction};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run(arguments);
    CHECK(outcome.status() == 0);
    std::string order;
    for (const std::string& line : lines_of(outcome.out))
      order += line.substr(0, 4).find_last_not_of(' ') == std::string::npos ? "" : line.substr(3, 1);
    return order;
  };
  CHECK(first_heads({}) == "d0123");
  const std::string down = first_heads({"--sort", "induction"});
  const std::string up = first_heads({"--sort", "induction", "--ascending"});
  REQUIRE(down.size() == 5);
  CHECK(down.substr(1) == std::string(up.rbegin(), up.rend() - 1));
  const Evaluator evaluator = evaluate(load_session(kInduction).layer);
  float most = -1;
  for (Index head = 0; head < 4; ++head)
    most = std::max(most, *measures_of(evaluator, nullptr, {0, head, {}}).of(HeadMeasure::Induction));
  CHECK(*measures_of(evaluator, nullptr, {0, down[1] - '0', {}}).of(HeadMeasure::Induction) == most);
}

TEST_CASE("heads: without repeated tokens that is said, and a likeness is shown only when it is asked for") {
  const Workplace place;
  const Outcome plain = run({"heads", place.session()});
  CHECK(plain.status() == 0);
  CHECK_THAT(plain.out, ContainsSubstring("none repeated"));
  CHECK_THAT(plain.out, !ContainsSubstring("like"));
  const Outcome like = run({"heads", place.session(), "--like", "1", "--sort", "like_picture"});
  REQUIRE(like.status() == 0);
  const std::vector<std::string> lines = lines_of(like.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].substr(3, 1) == "1");
  CHECK_THAT(lines[1], ContainsSubstring("1.0000"));
}

TEST_CASE("heads: files hold the engine's numbers, and nothing where there is none") {
  const Workplace place;
  const Evaluator evaluator = evaluate(load_session(place.session()).layer);
  CHECK(run({"heads", place.session(), "-o", place.path("heads.csv"), "--sequence", "1"}).status() == 0);
  const std::vector<std::string> csv = lines_of(read_file(place.path("heads.csv")));
  REQUIRE(csv.size() == 3);
  CHECK(csv[0] ==
        "head,previous_token,first_token,duplicate_token,induction,diagonal,entropy,distance,like_picture");
  const HeadMeasures second = measures_of(evaluator, nullptr, {1, 1, {}});
  const std::vector<std::string> fields = fields_of(csv[2], ',');
  REQUIRE(fields.size() == 1 + kHeadMeasureCount);
  CHECK(fields[0] == "1");
  for (std::size_t i = 0; i < kHeadMeasureCount; ++i)
    if (second.values[i])
      CHECK(std::stof(fields[i + 1]) == *second.values[i]);
    else
      CHECK(fields[i + 1].empty());

  CHECK(run({"heads", place.session(), "-o", place.path("heads.json"), "--like", "0"}).status() == 0);
  const auto json = nlohmann::json::parse(read_file(place.path("heads.json")));
  CHECK(json.at("session") == "Two heads");
  CHECK(json.at("sequence") == 0);
  CHECK(json.at("picture") == "head 0");
  REQUIRE(json.at("heads").size() == 2);
  CHECK(json.at("heads")[0].at("induction").is_null());
  CHECK(json.at("heads")[1].at("head") == 1);
  CHECK(json.at("heads")[1].at("diagonal").get<float>() ==
        *measures_of(evaluator, nullptr, {0, 1, {}}).of(HeadMeasure::Diagonal));
  CHECK(run({"heads", place.session(), "-o", place.path("heads.tsv")}).status() == 0);
  CHECK(fields_of(lines_of(read_file(place.path("heads.tsv")))[0], '\t').size() == 1 + kHeadMeasureCount);
}

TEST_CASE("heads: what cannot be done is said in one line") {
  const Workplace place;
  const auto fault = [](const std::vector<std::string>& arguments, int status) {
    const Outcome outcome = run(arguments);
    CHECK(outcome.status() == status);
    CHECK(outcome.out.empty());
    CHECK(line_count(outcome.err) == 1);
    return outcome.err;
  };
  CHECK_THAT(fault({"heads", place.session(), "--sort", "size"}, 2), ContainsSubstring("induction"));
  CHECK_THAT(fault({"heads", place.session(), "--like", "x"}, 2), ContainsSubstring("mask"));
  CHECK_THAT(fault({"heads", place.session(), "--sort", "like_picture"}, 2), ContainsSubstring("--like"));
  CHECK_THAT(fault({"heads", place.session(), "--like", "5"}, 1), ContainsSubstring("head 5"));
  CHECK_THAT(fault({"heads", place.session(), "--like", "mask"}, 1), ContainsSubstring("no painted mask"));
  CHECK_THAT(fault({"heads", place.session(), "--sequence", "7"}, 1), ContainsSubstring("sequence"));
  CHECK_THAT(fault({"heads", place.session(), "-o", place.path("heads.png")}, 1), ContainsSubstring(".csv"));
  CHECK(run({"heads", place.session(), "-o", place.path("heads.csv")}).status() == 0);
  CHECK_THAT(fault({"heads", place.session(), "-o", place.path("heads.csv")}, 1),
             ContainsSubstring("--force"));
  CHECK(run({"heads", place.session(), "-o", place.path("heads.csv"), "--force"}).status() == 0);
}
