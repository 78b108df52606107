// Every golden case: parameters bit for bit, stages within their stated errors, every number printed.
#include <cstdio>
#include <map>
#include <set>

#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/golden_cases.h"

using namespace headlight;
using namespace headlight_test;

namespace {

// One quantity of a case in the golden file's layout: B, (H,) T, columns, flattened.
std::vector<float> quantity(const Evaluator& evaluator, const std::string& name) {
  const Layer& layer = evaluator.layer();
  std::vector<float> result;
  const auto append = [&](const Matrix& m) { result.insert(result.end(), m.data(), m.data() + m.size()); };
  const auto joined = [&](Stage stage) {
    for (Index b = 0; b < layer.sequence_count(); ++b) {
      Matrix whole(layer.token_count(), layer.d_out());
      for (Index h = 0; h < layer.head_count(); ++h)
        whole.middleCols(h * layer.d_k(), layer.d_k()) = evaluator.matrix(stage, b, h);
      append(whole);
    }
  };
  const auto stacked = [&](Stage stage) {
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < stage_heads(layer, stage); ++h)
        append(evaluator.matrix(stage, b, h));
  };
  if (name == "Q")
    joined(Stage::Queries);
  else if (name == "K")
    joined(Stage::Keys);
  else if (name == "V")
    joined(Stage::Values);
  else if (name == "context_heads")
    stacked(Stage::Context);
  else if (name == "weights_sum") {
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < layer.head_count(); ++h)
        append(evaluator.matrix(Stage::Weights, b, h).rowwise().sum());
  } else if (name == "noise") {
    for (Index b = 0; b < layer.sequence_count(); ++b)
      for (Index h = 0; h < layer.head_count(); ++h)
        append(evaluator.noise(b, h));
  } else {
    stacked(*stage_from_name(name));
  }
  return result;
}

const std::vector<std::string> kQuantities = {
    "Q",           "K",     "V",       "scores",        "scaled", "masked", "weights",
    "weights_sum", "noise", "dropped", "context_heads", "concat", "output"};

// The float32 error stated for the reference, plus one unit in the last place of the largest value.
double tolerance(const json& item, const std::string& name, double magnitude) {
  const double stated = item.at("f32_error").at(name).get<double>();
  return stated + 1.2e-7 * magnitude;
}

std::string fixed4(float value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4f", static_cast<double>(value));
  return text;
}

void check_values(const std::vector<float>& got, const std::vector<float>& expected, double allowed) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("value " << i << ": " << got[i] << ", expected " << expected[i] << ", allowed error " << allowed);
    if (std::isnan(expected[i]))
      REQUIRE(std::isnan(got[i]));
    else if (std::isinf(expected[i]))
      REQUIRE(got[i] == expected[i]);
    else
      REQUIRE(std::abs(static_cast<double>(got[i]) - expected[i]) <= allowed);
  }
}

double largest(const std::vector<float>& values) {
  double result = 0;
  for (float v : values)
    if (std::isfinite(v)) result = std::max(result, std::abs(static_cast<double>(v)));
  return result;
}

// Large cases store sums over the whole array and a few rows.
void check_large(const std::vector<float>& got, const json& expected, double allowed) {
  double sum = 0, abs = 0, sq = 0, ramp = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!std::isfinite(got[i])) continue;
    const double v = got[i];
    ++count;
    sum += v;
    abs += std::abs(v);
    sq += v * v;
    ramp += v * static_cast<double>((31 * i + 7) % 101 + 1) / 101.0;
  }
  const json& checks = expected.at("checks");
  const double n = static_cast<double>(count);
  REQUIRE(count == checks.at("count").get<std::size_t>());
  CHECK_THAT(sum, WithinAbs(checks.at("sum").get<double>(), n * allowed));
  CHECK_THAT(abs, WithinAbs(checks.at("abs").get<double>(), n * allowed));
  CHECK_THAT(sq, WithinAbs(checks.at("sq").get<double>(), 2 * n * allowed * (largest(got) + allowed)));
  CHECK_THAT(ramp, WithinAbs(checks.at("ramp").get<double>(), n * allowed));
  const std::vector<std::size_t> shape = expected.at("shape");
  for (const json& row : expected.at("rows")) {
    const std::vector<float> values = flat(row.at("values"));
    std::size_t at = 0;
    const std::vector<std::size_t> index = row.at("index");
    for (std::size_t i = 0; i < index.size(); ++i)
      at = at * shape[i] + index[i];
    const auto begin = got.begin() + static_cast<std::ptrdiff_t>(at * values.size());
    check_values({begin, begin + static_cast<std::ptrdiff_t>(values.size())}, values, allowed);
  }
}

void check_printed(const Evaluator& evaluator, const json& item, const json& printed) {
  const std::string name = printed.at("quantity");
  const std::vector<float> all = quantity(evaluator, name);
  const std::vector<std::string> values = printed.at("values");
  // The leading indices select a block with as many numbers as were printed.
  const json* part = &item.at(name);
  for (const json& i : printed.at("index"))
    part = &part->at(i.get<std::size_t>());
  const std::vector<float> block = flat(*part);
  REQUIRE(block.size() == values.size());
  std::size_t at = 0, stride = all.size();
  const json* level = &item.at(name);
  for (const json& i : printed.at("index")) {
    stride /= level->size();
    at += i.get<std::size_t>() * stride;
    level = &level->at(i.get<std::size_t>());
  }
  std::vector<std::string> got;
  for (std::size_t i = 0; i < values.size(); ++i)
    got.push_back(fixed4(all[at + i]));
  std::vector<std::string> expected;
  const bool reproduced = printed.at("reproduced");
  // Where the source printed a wrong number, the reference has the correct one.
  for (const std::string& v : reproduced ? values : printed.at("ours").get<std::vector<std::string>>())
    expected.push_back(fixed4(std::stof(v)));
  CHECK(got == expected);
}

}  // namespace

TEST_CASE("golden: every stage of the engine is compared, and every array of the cases") {
  const std::set<std::string> compared(kQuantities.begin(), kQuantities.end());
  const std::set<std::string> described = {"name",   "source", "title",   "config",    "input",         "x",
                                           "params", "note",   "printed", "f32_error", "document_terms"};
  std::set<std::string> given;
  for (const json& item : goldens().at("cases"))
    for (const auto& [key, value] : item.items()) {
      INFO(item.at("name") << ": " << key);
      CHECK(compared.contains(key) != described.contains(key));
      given.insert(key);
    }
  const std::map<Stage, std::string> other_names = {{Stage::Embeddings, "x"},
                                                    {Stage::Queries, "Q"},
                                                    {Stage::Keys, "K"},
                                                    {Stage::Values, "V"},
                                                    {Stage::Context, "context_heads"}};
  for (const Stage stage : stages_in_use(golden_model(goldens().at("cases").front()))) {
    const std::string name(stage_info(stage).name);
    INFO(name);
    const auto other = other_names.find(stage);
    CHECK(given.contains(other == other_names.end() ? name : other->second));
  }
}

TEST_CASE("golden: parameters are drawn bit for bit") {
  for (const json& item : goldens().at("cases")) {
    const std::string name = item.at("name");
    INFO(name);
    const Layer layer = golden_model(item);
    for (const auto& [key, value] : item.at("params").items()) {
      const Parameter p = golden_parameter(key.substr(0, key.find('.')));
      const bool is_bias = key.ends_with(".bias");
      const Matrix& ours = is_bias ? layer.weights.bias(p) : layer.weights.matrix(p);
      INFO(key);
      const std::vector<float> expected = flat(value.is_object() ? value.at("first8") : value);
      if (!value.is_object()) REQUIRE(static_cast<std::size_t>(ours.size()) == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        REQUIRE(ours.data()[i] == expected[i]);
      if (value.is_object()) {
        REQUIRE(crc32_of(ours.data(), static_cast<std::size_t>(ours.size())) ==
                value.at("crc32").get<std::uint32_t>());
      }
    }
  }
}

TEST_CASE("golden: every stage of every case is within its stated error") {
  for (const json& item : goldens().at("cases")) {
    const std::string name = item.at("name");
    INFO(name);
    const Evaluator evaluator = evaluate(golden_model(item));
    for (const std::string& q : kQuantities) {
      if (!item.contains(q)) continue;
      INFO(q);
      const std::vector<float> got = quantity(evaluator, q);
      const double allowed = tolerance(item, q, largest(got));
      if (item.at(q).is_object())
        check_large(got, item.at(q), allowed);
      else
        check_values(got, flat(item.at(q)), allowed);
    }
  }
}

TEST_CASE("golden: every printed number is reproduced to its four decimals") {
  std::size_t numbers = 0;
  for (const json& item : goldens().at("cases")) {
    if (!item.contains("printed")) continue;
    const std::string name = item.at("name");
    const Evaluator evaluator = evaluate(golden_model(item));
    for (const json& printed : item.at("printed")) {
      const std::string where = printed.at("where"), what = printed.at("what");
      INFO(name << ", " << where << ", " << what);
      check_printed(evaluator, item, printed);
      numbers += printed.at("values").size();
    }
  }
  CHECK(numbers > 276);
}
