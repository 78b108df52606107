// A golden case becomes a session by renaming its fields; its drawn weights equal those of PyTorch.
#include "engine/session/session.h"
#include "tests/support/format_support.h"
#include "tests/support/golden_cases.h"

using namespace headlight_test;

namespace {

json tokens_of(const json& item) {
  if (item.at("input").contains("tokens")) return item.at("input").at("tokens");
  json tokens = json::array();
  for (int t = 0; t < item.at("config").at("T").get<int>(); ++t)
    tokens.push_back("t" + std::to_string(t));
  return tokens;
}

// Large cases contain the seed of their embeddings instead of the numbers.
json embeddings_of(const json& item) {
  if (item.at("x").is_array()) return item.at("x");
  json batch = json::array();
  for (const headlight::Matrix& x : golden_embeddings(item)) {
    json rows = json::array();
    for (headlight::Index r = 0; r < x.rows(); ++r)
      rows.push_back(std::vector<float>(x.row(r).data(), x.row(r).data() + x.cols()));
    batch.push_back(rows);
  }
  return batch;
}

json session_of(const json& item) {
  const json& config = item.at("config");
  const std::string how = config.at("normalisation");
  json session = {{"format", "headlight-session"},
                  {"version", 1},
                  {"title", item.at("title")},
                  {"tokens", tokens_of(item)},
                  {"embeddings", embeddings_of(item)}};
  session["attention"] = {
      {"projection", config.at("init") == "none" ? "none" : "linear"},
      {"d_out", config.at("d_out")},
      {"num_heads", config.at("num_heads")},
      {"qkv_bias", config.at("qkv_bias")},
      {"output_projection", config.at("out_proj")},
      {"scale", config.at("scale") ? "inverse_sqrt_dk" : "none"},
      {"mask", config.at("causal") ? "causal" : "none"},
      {"normalization", how == "softmax_naive" ? "naive_softmax" : how},
      {"dropout", {{"probability", config.at("dropout")}, {"seed", config.at("dropout_seed")}}}};
  if (config.at("init") == "none") return session;
  json order = json::array();
  for (const std::string name : config.at("creation_order"))
    order.push_back(name == "out_proj" ? "output" : name.substr(2));
  session["weights"] = {{"init", config.at("init")}, {"seed", config.at("seed")}, {"order", order}};
  return session;
}

void check_matrix(const headlight::Matrix& matrix, const json& expected) {
  if (expected.is_object()) {
    CHECK(crc32_of(matrix.data(), static_cast<std::size_t>(matrix.size())) ==
          expected.at("crc32").get<std::uint32_t>());
    return;
  }
  const std::vector<float> values = flat(expected);
  REQUIRE(static_cast<std::size_t>(matrix.size()) == values.size());
  CHECK(std::memcmp(matrix.data(), values.data(), values.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("golden sessions: every case opens, with the embeddings and weights of PyTorch bit for bit") {
  REQUIRE(goldens().at("cases").size() == 35);
  for (const json& item : goldens().at("cases")) {
    INFO(item.at("name").get<std::string>());
    const headlight::Session session =
        headlight::parse_session(session_of(item).dump(), ".", item.at("name").get<std::string>());
    const headlight::Layer& layer = session.layer;
    REQUIRE(layer.sequence_count() == item.at("config").at("B").get<headlight::Index>());
    if (layer.sequence_count() == 1 || item.at("x").is_array()) {
      headlight::Matrix all(layer.sequence_count() * layer.token_count(), layer.d_in());
      for (headlight::Index b = 0; b < layer.sequence_count(); ++b)
        all.middleRows(b * layer.token_count(), layer.token_count()) =
            layer.embeddings[static_cast<std::size_t>(b)];
      check_matrix(all, item.at("x"));
    }
    for (const auto& [name, expected] : item.at("params").items()) {
      INFO(name);
      const headlight::Parameter parameter = golden_parameter(name.substr(0, name.find('.')));
      const bool bias = name.ends_with(".bias");
      check_matrix(bias ? layer.weights.bias(parameter) : layer.weights.matrix(parameter), expected);
    }
    const headlight::Session again = headlight::parse_session(headlight::session_text(session), ".", "again");
    CHECK(headlight::session_text(again) == headlight::session_text(session));
    for (headlight::Parameter p : headlight::kParameters)
      CHECK(same_bits(again.layer.weights.matrix(p), layer.weights.matrix(p)));
  }
}
