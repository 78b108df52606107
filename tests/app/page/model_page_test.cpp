// Pages of whole models.
#include "app/page/model_page.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "app/figure/paint/base64.h"
#include "app/page/page_tokenizer.h"
#include "engine/core/file.h"
#include "engine/interpretation/open_model.h"
#include "engine/json/json_document.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/page/page_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::string kWords = source_root() + "/assets/examples/words";
const std::string kGolden = source_root() + "/tests/golden/";
const std::string kGave = "When Ann and Tom went out , Tom gave the key to";

struct SavedPage {
  std::string html, out;
  Json data;
};

SavedPage saved_page(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const std::string file = (folder / "model.html").string();
  arguments.insert(arguments.begin(), "page");
  arguments.insert(arguments.end(), {"-o", file});
  const Outcome saved = run(arguments);
  INFO(saved.err);
  REQUIRE(saved.status() == 0);
  const std::string html = read_file(file);
  return {html, saved.out.substr(file.size()), Json::parse(data_of(html))};
}

OpenModel opened(const std::string& folder, const std::string& text) {
  OpenModel work;
  work.network = std::make_shared<const Network>(folder);
  set_text(work, text);
  return work;
}

// The numbers of a tensor of the checkpoint, as a page has them.
std::string packed(const Network& network, const std::string& name) {
  const Tensor& tensor = network.checkpoint().require(name);
  Matrix numbers(tensor.rows(), tensor.columns());
  read_numbers(tensor, 0, numbers.size(), numbers.data());
  return base64({reinterpret_cast<const char*>(numbers.data()),
                 sizeof(float) * static_cast<std::size_t>(numbers.size())});
}

}  // namespace

TEST_CASE("model page: it holds the model, the text and its ids") {
  const SavedPage page = saved_page({kWords, "--text", kGave});
  CHECK(page.out == " saved\n");
  CHECK_THAT(script_of(page.html), ContainsSubstring("dataset.ready = \"live\""));
  const OpenModel work = opened(kWords, kGave);
  CHECK(page.data.at("title") == "words");
  CHECK(page.data.at("text") == kGave);
  CHECK(page.data.at("ids") == Json(work.ids));
  CHECK(page.data.at("layer") == 2);
  const Json& model = page.data.at("model");
  const Json config = Json::parse(read_file(kWords + "/config.json"));
  for (const char* name : {"model_type", "n_embd", "n_head", "n_layer", "n_positions", "vocab_size",
                           "layer_norm_epsilon", "activation_function", "tie_word_embeddings"})
    CHECK(model.at("config").at(name) == config.at(name));
  CHECK(model.at("config").at("n_inner") == 384);
  CHECK(model.at("tokenizer") == Json::parse(read_file(kWords + "/tokenizer.json")));
  const Json& tensors = model.at("tensors");
  CHECK(tensors.size() == 2 + 3 * 12 + 2);
  CHECK(tensors.at("wte.weight").at("shape") == Json({901, 96}));
  CHECK(tensors.at("h.1.attn.c_attn.weight").at("shape") == Json({96, 288}));
  CHECK(tensors.at("h.1.attn.c_attn.bias").at("shape") == Json::array({288}));
  const Checkpoint& checkpoint = work.network->checkpoint();
  const std::string name = checkpoint.has("h.0.ln_1.bias") ? "h.0.ln_1.bias" : "transformer.h.0.ln_1.bias";
  CHECK(tensors.at("h.0.ln_1.bias").at("type") == "F16");
  CHECK(tensors.at("h.0.ln_1.bias").at("data") == base64(checkpoint.require(name).bytes));
}

TEST_CASE("model page: script and style have at most 120 KB, and only that script runs") {
  const std::string html = saved_page({kWords, "--text", kGave}).html, script = script_of(html);
  CHECK(script.size() + style_of(html).size() <= std::size_t{120} * 1024);
  CHECK_THAT(script, !ContainsSubstring("\nimport ") && !ContainsSubstring("\nexport "));
  CHECK_THAT(html, ContainsSubstring("script-src '" + script_hash(script) + "'"));
  CHECK_THAT(html, !ContainsSubstring("<link") && !ContainsSubstring(" src="));
}

TEST_CASE("model page: without scripts it has a picture, its numbers and the next words") {
  const std::string html = saved_page({kWords, "--text", kGave}).html;
  const std::string still = between(html, "<div id=\"still\" class=\"until-live\">", "<script ");
  CHECK_THAT(still, ContainsSubstring("<svg ") && ContainsSubstring("The picture has the heads of layer 2"));
  CHECK_THAT(still, ContainsSubstring("<caption>What follows the text</caption>"));
  CHECK_THAT(between(still, "What follows the text", "</tr>"), ContainsSubstring("Ann"));
}

TEST_CASE("model page: a session of a whole model opens with its title, its text and its layer") {
  const SavedPage page = saved_page({kWords + "/who-gave-what.headlight"});
  CHECK(page.out == " saved\n");
  CHECK(page.data.at("title") == "Who gave what");
  CHECK(page.data.at("text") == kGave);
  CHECK(page.data.at("layer") == 2);
  CHECK(page.data.at("model").at("tensors").contains("wpe.weight"));
}

TEST_CASE("model page: without a text it opens with a short one") {
  const SavedPage page = saved_page({kWords});
  CHECK_FALSE(page.data.at("text").get<std::string>().empty());
  CHECK(page.data.at("ids").size() > 1);
}

TEST_CASE("model page: a model without a tokenizer reads ids, and float32 stays float32") {
  const std::string folder = kGolden + "library/gpt2";
  const SavedPage page = saved_page({folder, "--ids", "3,1,2"});
  CHECK(page.data.at("text") == "3, 1, 2");
  CHECK(page.data.at("ids") == Json({3, 1, 2}));
  CHECK(page.data.at("model").at("tokenizer").is_null());
  const Network network(folder);
  const bool prefixed = network.checkpoint().has("transformer.wpe.weight");
  const Json& places = page.data.at("model").at("tensors").at("wpe.weight");
  CHECK(places.at("type") == "F32");
  CHECK(places.at("data") == packed(network, prefixed ? "transformer.wpe.weight" : "wpe.weight"));
}

TEST_CASE("model page: what a page does not compute stands still, and says why") {
  const SavedPage llama = saved_page({kGolden + "models/llama", "--ids", "1,2,3"});
  const std::string why = "its family is llama, and a page computes models of the family gpt2";
  CHECK(llama.out == " saved, standing still: " + why + "\n");
  CHECK_THAT(llama.html, ContainsSubstring("This page stands still: " + why + ".") &&
                             ContainsSubstring("<svg ") && ContainsSubstring("What follows the text"));
  const SavedPage asked = saved_page({kWords, "--text", kGave, "--still"});
  CHECK(asked.out == " saved\n");
  CHECK_THAT(asked.html, ContainsSubstring("This page stands still: it was asked to."));
  CHECK(asked.data.at("stages").at("weights").at(0).size() == 6);

  const Workplace place;
  const std::string large = place.path("large");
  REQUIRE(run({"init", large, "--family", "gpt2", "--layers", "2", "--heads", "2", "--width", "224",
               "--positions", "32", "--vocabulary", "300", "--seed", "7", "--data", kWords + "/unseen.txt"})
              .status() == 0);
  CHECK_THAT(saved_page({large, "--text", "Ann"}).out,
             ContainsSubstring(" MB, and a page computes models of up to 4 MB"));
}

TEST_CASE("model page: changes of a model are not computed in a page") {
  OpenModel work = opened(kWords, kGave);
  CHECK(why_still(work).empty());
  set_head(work, 1, 4, HeadState::Off);
  CHECK_THAT(why_still(work), ContainsSubstring("it has changes (layer 1, head 4 switched off)"));
}

TEST_CASE("model page: a tokenizer that a page does not compute is named") {
  const auto golden = [](const std::string& name) {
    return why_no_page_tokenizer(Json::parse(read_file(kGolden + "models/tokenizers/" + name + ".json")));
  };
  CHECK(golden("byte").empty());
  CHECK(golden("byte3").empty());
  CHECK(golden("word") == "its tokenizer has a normalizer, BertNormalizer, which a page does not compute");
  CHECK_THAT(golden("sentence"), ContainsSubstring("a normalizer, Sequence"));
  Json words = {{"model", {{"type", "WordLevel"}}}};
  CHECK(why_no_page_tokenizer(words).empty());
  words["pre_tokenizer"] = {{"type", "Sequence"},
                            {"pretokenizers", {{{"type", "Digits"}}, {{"type", "Metaspace"}}}}};
  CHECK_THAT(why_no_page_tokenizer(words), ContainsSubstring("a pre_tokenizer, Metaspace"));
  words["pre_tokenizer"] = nullptr;
  words["decoder"] = {{"type", "WordPiece"}};
  CHECK_THAT(why_no_page_tokenizer(words), ContainsSubstring("a decoder, WordPiece"));
  words["decoder"] = {{"type", "ByteLevel"}};
  words["post_processor"] = {{"type", "Other"}};
  CHECK_THAT(why_no_page_tokenizer(words), ContainsSubstring("a post_processor, Other"));
  words["post_processor"] = nullptr;
  words["model"] = {{"merges", Json::array()}, {"dropout", 0.0}, {"unk_token", ""}};
  CHECK(why_no_page_tokenizer(words).empty());
  words["model"]["byte_fallback"] = true;
  CHECK_THAT(why_no_page_tokenizer(words), ContainsSubstring("an option, byte_fallback"));
  words["model"] = {{"type", "Unigram"}};
  CHECK_THAT(why_no_page_tokenizer(words), ContainsSubstring("a model, Unigram"));
}

TEST_CASE("model page: hostile texts are text") {
  const std::string text = "</script><b> <!-- \u202E\"><img src=x>";
  for (const bool still : {false, true}) {
    std::vector<std::string> arguments = {kWords, "--text", text};
    if (still) arguments.emplace_back("--still");
    const std::string html = saved_page(arguments).html;
    CHECK_THAT(data_of(html), !ContainsSubstring("<"));
    for (const std::string& tag : tags_of(html))
      for (const char* wrong : {"img", "!--"})
        CHECK(tag.rfind(wrong, 0) != 0);
  }
}

TEST_CASE("model page: options of arrays are refused") {
  const Workplace place;
  const Outcome refused = run({"page", kWords, "--causal", "-o", place.path("x.html")});
  CHECK(refused.status() == 1);
  CHECK_THAT(refused.err, ContainsSubstring("--causal") && ContainsSubstring("go with arrays"));
}
