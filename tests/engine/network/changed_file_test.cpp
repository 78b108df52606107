// A model file that is truncated or written to while it is open: no result is computed from it.
#include <fstream>
#include <functional>
#include <sstream>

#include "engine/core/error.h"
#include "engine/interpretation/attribution.h"
#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/logit_lens.h"
#include "engine/interpretation/model_worker.h"
#include "engine/interpretation/patch_map.h"
#include "engine/network/layer_at.h"
#include "engine/session/model_folder_field.h"
#include "tests/engine/network/network_support.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

namespace fs = std::filesystem;

const LogitChoice kLogit = {7, 3, 5};

// Every function that reads a model's weights, each on a pass that has only its text.
const std::vector<std::pair<std::string, std::function<void(NetworkPass&)>>>& readings() {
  static const std::vector<std::pair<std::string, std::function<void(NetworkPass&)>>> all = {
      {"residual", [](NetworkPass& pass) { pass.residual(2); }},
      {"residual_row", [](NetworkPass& pass) { pass.residual_row(1, 3); }},
      {"attention_input", [](NetworkPass& pass) { pass.attention_input(1); }},
      {"queries", [](NetworkPass& pass) { pass.queries(0); }},
      {"keys", [](NetworkPass& pass) { pass.keys(0); }},
      {"values", [](NetworkPass& pass) { pass.values(0); }},
      {"concat", [](NetworkPass& pass) { pass.concat(0); }},
      {"concat_row", [](NetworkPass& pass) { pass.concat_row(0, 2); }},
      {"projected_heads", [](NetworkPass& pass) { pass.projected_heads(0, 2); }},
      {"attention_weights", [](NetworkPass& pass) { pass.attention_weights(0, 1); }},
      {"attention_added", [](NetworkPass& pass) { pass.attention_added(0, 0, 2); }},
      {"mlp_added", [](NetworkPass& pass) { pass.mlp_added(0, 0, 2); }},
      {"logits", [](NetworkPass& pass) { pass.logits(0, 1); }},
      {"logits_of", [](NetworkPass& pass) { pass.logits_of(pass.residual(0)); }},
      {"another text",
       [](NetworkPass& pass) {
         pass.set_ids({1, 2, 3});
       }},
      {"layer model", [](NetworkPass& pass) { layer_at(pass, 0); }},
      {"stored weights", [](NetworkPass& pass) { stored_weights(pass.network(), 1, Parameter::Value); }},
      {"lens", [](NetworkPass& pass) { logit_lens(pass, 1, 3); }},
      {"parts", [](NetworkPass& pass) { attribute(pass, kLogit); }},
      {"sources", [](NetworkPass& pass) { attribute_sources(pass, kLogit, 0, 1); }},
      {"glance", [](NetworkPass& pass) { overview_of_heads(pass, 8, [](Index, Index) {}); }},
      {"stage values",
       [](NetworkPass& pass) {
         stage_values(pass, {PatchStage::Values, 0, 1});
       }},
      {"patches",
       [](NetworkPass& pass) {
         NetworkPass source = pass;
         patch_map(pass, source, PatchStage::Residual, kLogit, [](Index, Index) {});
       }},
      {"shown layer",
       [](NetworkPass& pass) {
         OpenModel work;
         work.network = pass.network_owner();
         work.ids = pass.ids();
         shown_layer(work);
       }},
      {"answer",
       [](NetworkPass& pass) {
         answer_of(pass, {{pass.ids(), {}, nullptr}, pass.network_owner(), {}, {}}, {}, [](double) {});
       }},
  };
  return all;
}

NetworkPass pass_over(const ModelCopy& copy) {
  NetworkPass pass(std::make_shared<const Network>(copy.path()));
  pass.set_ids({1, 2, 3, 4, 5, 6, 7, 8});
  return pass;
}

std::vector<fs::path> weights_of(const ModelCopy& copy) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(copy.path()))
    if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
  return files;
}

std::string failure_of(const std::function<void(NetworkPass&)>& reading, NetworkPass& pass) {
  try {
    reading(pass);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void cut(const fs::path& file) {
  fs::resize_file(file, 100);
}

}  // namespace

TEST_CASE("changed file: nothing is made of weights that were cut off or written anew") {
  // float32, shards, and two-byte numbers
  for (const std::string family : {"gpt2", "llama3", "qwen2"})
    for (const auto& spoil : {&cut, &rewrite_in_place})
      for (const auto& [name, reading] : readings()) {
        INFO(family << ": " << name);
        const ModelCopy copy(family);
        NetworkPass pass = pass_over(copy);
        for (const fs::path& file : weights_of(copy))
          spoil(file);
        CHECK_THAT(failure_of(reading, pass), ContainsSubstring("changed while it was open"));
        CHECK_THAT(failure_of(reading, pass), ContainsSubstring(".safetensors"));
      }
}

TEST_CASE("changed file: a pass whose file is cut or written to on its way ends with that, and no answer") {
  for (const auto& spoil : {&cut, &rewrite_in_place}) {
    const ModelCopy copy("gpt2");
    NetworkPass pass = pass_over(copy);
    const ModelState state = {{pass.ids(), {}, nullptr}, pass.network_owner(), {}, {}};
    bool spoilt = false;
    try {
      answer_of(pass, state, {}, [&](double) {
        if (!std::exchange(spoilt, true)) spoil(copy.path() / "model.safetensors");
      });
      FAIL("there is an answer");
    } catch (const Error& error) {
      CHECK_THAT(error.what(), ContainsSubstring("changed while it was open"));
    }
    // Nor does a second call combine results from before and after the change.
    CHECK_THROWS_AS(answer_of(pass, state, {}, [](double) {}), Error);
    // A newly opened folder uses the current content.
    if (spoil == &rewrite_in_place) CHECK(pass_over(copy).logits(0, 1).cols() > 0);
  }
}

// Code that reads a tensor in pieces must check the file afterwards; tensor.cpp reads whole ones and checks.
TEST_CASE("changed file: sources that read tensors in pieces ask whether their file is what it was") {
  int readers = 0;
  for (const char* folder : {"engine", "app"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(source_root()) / folder)) {
      if (entry.path().extension() != ".cpp" || entry.path().filename() == "tensor.cpp") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      const auto has = [&](const char* part) { return text.str().find(part) != std::string::npos; };
      if (!has("ensor") || (!has(" widen(") && !has("as_floats("))) continue;
      INFO(entry.path().string());
      ++readers;
      CHECK(has("require_unchanged("));
    }
  CHECK(readers >= 2);
}
