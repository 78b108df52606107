// The commands that work on a model's folder.
#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "engine/network/known_families.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

std::string folder_of(const std::string& family) {
  return source_root() + "/tests/golden/models/" + family;
}

const std::string kText = "Your journey starts with one step. The keys to the cabinet are on the table.";

float largest_difference(const NamedArray& a, const NamedArray& b) {
  REQUIRE(a.shape == b.shape);
  float largest = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (a.values[i] != b.values[i]) largest = std::max(largest, std::abs(a.values[i] - b.values[i]));
  return largest;
}

}  // namespace

TEST_CASE("models: compute saves every array that the goldens have") {
  const TemporaryFolder folder;
  for (const std::string family :
       {"gpt2", "gpt_neox", "llama", "llama3", "mistral", "qwen2", "qwen3", "gemma2", "bert"}) {
    const std::string golden = folder_of(family) + "/golden.npz", saved = folder / (family + ".npz");
    std::string ids;
    for (const float id : read_npz(golden, "ids").values)
      ids += (ids.empty() ? "" : ",") + std::to_string(static_cast<int>(id));
    const Outcome outcome = run({"compute", folder_of(family), "--ids", ids, "-o", saved});
    INFO(family << outcome.err);
    REQUIRE(outcome.status() == 0);
    for (const ArrayEntry& entry : list_npz(golden)) {
      INFO(entry.name);
      CHECK(largest_difference(read_npz(saved, entry.name), read_npz(golden, entry.name)) < 3e-4f);
    }
  }
}

namespace {

// "1,2,3" from an array of a golden file.
std::string ids_text(const std::string& golden, const std::string& name) {
  std::string text;
  for (const float id : read_npz(golden, name).values)
    text += (text.empty() ? "" : ",") + std::to_string(static_cast<int>(id));
  return text;
}

// weights.3 is saved as layers.3.weights, cross.weights.3 as cross.layers.3.weights.
std::string saved_name(const std::string& golden) {
  const std::size_t place = golden.find("weights.");
  if (place == std::string::npos) return golden;
  return golden.substr(0, place) + "layers." + golden.substr(place + 8) + ".weights";
}

bool is_input(const std::string& name) {
  return name == "ids" || name.ends_with(".ids") || name == "image";
}

}  // namespace

TEST_CASE("models: compute agrees with the library for every family, with both sides and images") {
  const TemporaryFolder folder;
  for (const auto& entry : std::filesystem::directory_iterator(source_root() + "/tests/golden/library")) {
    const std::string model = entry.path().string(), golden = model + "/golden.npz",
                      saved = folder / "out.npz";
    std::vector<std::string> line = {"compute", model, "-o", saved, "--force"};
    const std::vector<ArrayEntry> arrays = list_npz(golden);
    for (const ArrayEntry& array : arrays) {
      if (array.name == "image") {
        write_file_atomically(folder / "image.npy", npy_bytes(read_npz(golden, "image")));
        line.insert(line.end(), {"--image", folder / "image.npy"});
      } else if (is_input(array.name)) {
        line.insert(line.end(),
                    {array.name == "decoder.ids" ? "--decoder-ids" : "--ids", ids_text(golden, array.name)});
      }
    }
    const Outcome outcome = run(line);
    INFO(model << "\n" << outcome.err);
    REQUIRE(outcome.status() == 0);
    for (const ArrayEntry& array : arrays) {
      if (is_input(array.name)) continue;
      INFO(array.name);
      const NamedArray expected = read_npz(golden, array.name);
      float most = 0;
      for (const float number : expected.values)
        most = std::max(most, std::abs(number));
      CHECK(largest_difference(read_npz(saved, saved_name(array.name)), expected) < 3e-4f * most);
    }
  }
}

TEST_CASE("models: what a model does not take is refused with what it takes") {
  const TemporaryFolder folder;
  const std::string library = source_root() + "/tests/golden/library/", saved = folder / "out.npz";
  write_file_atomically(folder / "image.npy", npy_bytes(NamedArray{"", {2}, {1, 2}}));
  const auto refusal = [&](const std::string& model, std::vector<std::string> more) {
    more.insert(more.begin(), {"compute", library + model, "-o", saved});
    const Outcome outcome = run(more);
    CHECK(outcome.status() == 1);
    CHECK_FALSE(std::filesystem::exists(saved));
    return outcome.err;
  };
  CHECK_THAT(refusal("t5", {"--ids", "1,2"}), ContainsSubstring("--decoder-ids"));
  CHECK_THAT(refusal("t5", {"--decoder-ids", "1,2"}), ContainsSubstring("--ids"));
  CHECK_THAT(refusal("llama_linear", {"--ids", "1", "--decoder-ids", "2"}), ContainsSubstring("one side"));
  CHECK_THAT(refusal("bart", {"--ids", "1", "--decoder-ids", "900"}), ContainsSubstring("vocabulary"));
  CHECK_THAT(refusal("vit", {"--ids", "1"}), ContainsSubstring("--image"));
  CHECK_THAT(refusal("bert", {"--image", folder / "image.npy"}), ContainsSubstring("reads texts"));
  CHECK_THAT(refusal("vit", {"--image", folder / "image.npy"}), ContainsSubstring("3 x 24 x 24"));
  CHECK_THAT(refusal("vit", {"--image", folder / "none.png"}), ContainsSubstring("no such file"));
  CHECK_THAT(refusal("vit", {"--image", library + "vit/config.json"}),
             ContainsSubstring("neither PNG nor JPEG"));
  for (const std::string model : {"t5", "bart", "vit"}) {
    const Outcome outcome = run({"print", library + model, "--ids", "1,2"});
    INFO(outcome.err);
    CHECK(outcome.status() == 1);
    CHECK_THAT(outcome.err, ContainsSubstring("headlight compute FOLDER"));
  }
  const Outcome picture = run({"compute", library + "vit", "--image",
                               source_root() + "/tests/golden/images/colours.jpg", "-o", saved});
  INFO(picture.err);
  CHECK(picture.status() == 0);
}

TEST_CASE("models: the manual's table of families is that of the program") {
  std::ifstream file(source_root() + "/app/manual/models.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  std::string rows = "| family | what it has of its own |\n|---|---|\n";
  for (const Family* family : known_families())
    rows += "| " + std::string(family->name) + " | " + std::string(family->needs) + " |\n";
  CHECK(manual.find(rows + "\n") != std::string::npos);
}

TEST_CASE("models: compute saves the layers that are asked for") {
  const TemporaryFolder folder;
  const auto names = [&](const std::string& layers) {
    const std::string saved = folder / "out.npz";
    const Outcome outcome =
        run({"compute", folder_of("gpt2"), "--text", kText, "--layers", layers, "-o", saved, "--force"});
    INFO(outcome.err);
    REQUIRE(outcome.status() == 0);
    std::string found;
    for (const ArrayEntry& entry : list_npz(saved))
      if (entry.name.find('.') == std::string::npos || entry.name.ends_with(".weights"))
        found += entry.name + " ";
    return found;
  };
  CHECK(names("none") == "ids residual logits ");
  CHECK(names("2,0") == "ids residual logits layers.0.weights layers.2.weights ");
  CHECK(names("all") == "ids residual logits layers.0.weights layers.1.weights layers.2.weights ");
}

TEST_CASE("models: print tells the likeliest tokens, or a layer's numbers") {
  const Outcome top = run({"print", folder_of("gpt2"), "--text", kText, "--top", "3"});
  CHECK(top.status() == 0);
  CHECK(std::count(top.out.begin(), top.out.end(), '\n') == 5);
  CHECK(top.out.find("probability") != std::string::npos);
  const Outcome stage = run(
      {"print", folder_of("llama"), "--text", "one", "--layer", "1", "--stage", "weights", "--head", "0"});
  CHECK(stage.status() == 0);
  CHECK(stage.out.find("weights: sequence 0, head 0") == 0);
  const Outcome heads = run({"heads", folder_of("qwen3"), "--text", kText, "--layer", "2"});
  CHECK(heads.status() == 0);
  CHECK(std::count(heads.out.begin(), heads.out.end(), '\n') == 7);
}

TEST_CASE("models: export saves a layer's figure and numbers") {
  const TemporaryFolder folder;
  const std::vector<std::string> line = {"export", folder_of("gemma2"), "--text", kText, "--layer",
                                         "1",      "--stage",           "weights"};
  for (const std::string name : {"one.png", "one.npy"}) {
    std::vector<std::string> arguments = line;
    arguments.insert(arguments.end(), {"-o", folder / name});
    const Outcome outcome = run(arguments);
    INFO(outcome.err);
    CHECK(outcome.status() == 0);
    CHECK(std::filesystem::file_size(folder / name) > 100);
  }
  std::vector<std::string> several = line;
  several.back() = "scores,weights";
  several.insert(several.end(), {"-o", (folder / "both").string() + "/", "--format", "csv"});
  CHECK(run(several).status() == 0);
  CHECK(std::filesystem::exists(folder / "both" / "gemma2-layer1-scores.csv"));
}

TEST_CASE("models: a map shows all heads of all layers") {
  const TemporaryFolder folder;
  for (const std::string name : {"map.png", "map.svg", "map.pdf"}) {
    const Outcome outcome =
        run({"export", folder_of("llama"), "--text", kText, "--kind", "map", "-o", folder / name});
    INFO(outcome.err);
    CHECK(outcome.status() == 0);
    CHECK(std::filesystem::file_size(folder / name) > 1000);
  }
  const auto status = [&](std::vector<std::string> more) {
    std::vector<std::string> line = {"export", folder_of("llama"), "--text", "a", "--kind", "map",
                                     "-o",     folder / "x.png"};
    line.insert(line.end(), more.begin(), more.end());
    return run(line).status();
  };
  CHECK(status({"--stage", "scores"}) == 2);
  CHECK(status({"--layer", "1"}) == 2);
  CHECK(
      run({"export", folder_of("llama"), "--text", "a", "--kind", "map", "-o", folder / "x.csv"}).status() ==
      1);
  const Workplace workplace;
  CHECK(run({"export", workplace.session(), "--kind", "map", "-o", folder / "x.png"}).status() == 1);
}

TEST_CASE("models: a GGUF file stands for a folder in every command") {
  const TemporaryFolder folder;
  const std::string file = source_root() + "/tests/golden/gguf/gpt_neox.gguf";
  const auto ran = [](const std::vector<std::string>& line) {
    const Outcome outcome = run(line);
    INFO(outcome.err);
    CHECK(outcome.status() == 0);
    return outcome.out;
  };
  const std::string same = folder_of("gpt_neox");
  ran({"compute", file, "--text", kText, "-o", folder / "file.npz"});
  ran({"compute", same, "--text", kText, "-o", folder / "folder.npz"});
  for (const ArrayEntry& entry : list_npz(folder / "folder.npz"))
    CHECK(largest_difference(read_npz(folder / "file.npz", entry.name),
                             read_npz(folder / "folder.npz", entry.name)) < 1e-4f);
  CHECK(ran({"print", file, "--text", kText}) == ran({"print", same, "--text", kText}));
  CHECK(ran({"heads", file, "--text", kText, "--layer", "1"}) ==
        ran({"heads", same, "--text", kText, "--layer", "1"}));
  std::filesystem::create_directory(folder / "figures");
  ran({"export", file, "--text", kText, "--layer", "1", "--stage", "weights", "-o", folder / "figures"});
  CHECK(std::filesystem::exists(folder / "figures" / "gpt_neox-layer1-weights.png"));
  ran({"gradients", file, "--ids", "1,2,3", "-o", folder / "gradients.npz"});
  const std::string fused = "gpt_neox.layers.0.attention.query_key_value.weight";  // its name in the library
  CHECK(read_npz(folder / "gradients.npz", "grad." + fused).shape == std::vector<Index>{96, 32});
}

TEST_CASE("models: what is wrong is told in one line, and nothing is saved") {
  const TemporaryFolder folder;
  const std::string out = folder / "out.npz";
  const auto refused = [&](std::vector<std::string> arguments, int status, const std::string& told) {
    const Outcome outcome = run(arguments);
    INFO(outcome.err);
    CHECK(outcome.status() == status);
    CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 1);
    CHECK(outcome.err.find(told) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(out));
  };
  const std::string gpt2 = folder_of("gpt2");
  refused({"compute", gpt2, "-o", out}, 1, "--text");
  refused({"compute", gpt2, "--text", "", "-o", out}, 1, "no tokens");
  refused({"compute", gpt2, "--text=", "--layers", "none", "-o", out}, 1, "no tokens");
  refused({"compute", gpt2, "--text", "a", "--ids", "1", "-o", out}, 2, "--ids");
  refused({"compute", gpt2, "--ids", "1,x", "-o", out}, 2, "list of numbers");
  refused({"compute", gpt2, "--ids", "1,99999", "-o", out}, 1, "ids[1]");
  refused({"compute", gpt2, "--ids", "1", "--layers", "0,3", "-o", out}, 1, "no layer 3");
  refused({"compute", folder.path().string(), "--ids", "1", "-o", out}, 1, "model.safetensors");
  refused({"print", gpt2, "--text", "a", "--stage", "weights"}, 1, "--layer");
  refused({"print", gpt2, "--text", "a", "--stage", "weights", "--layer", "3"}, 1, "no layer 3");
  refused({"print", folder_of("bert"), "--text", "a"}, 1, "[MASK]");
  const std::string pointer =
      folder.write("model.gguf", "version https://git-lfs.github.com/spec/v1\n").string();
  refused({"compute", pointer, "--ids", "1", "-o", out}, 1, "run git lfs pull");
  const Workplace workplace;
  refused({"compute", workplace.session(), "--text", "a", "-o", out}, 2, "folder");
  refused({"print", workplace.session(), "--stage", "weights", "--layer", "1"}, 1, "folder");
}

TEST_CASE(
    "models: compute tells what of the folder is left out, and takes ids where the tokenizer cannot be "
    "read") {
  const ModelCopy model("llama");
  model.replace("config.json", "{", "{\"sliding_window\": 3,");
  model.write("tokenizer.json", "{\"model\": 3}");
  const TemporaryFolder folder;
  const Outcome outcome = run({"compute", model.path(), "--ids", "1,2,3", "-o", folder / "a.npz"});
  INFO(outcome.err);
  CHECK(outcome.status() == 0);
  CHECK(std::count(outcome.err.begin(), outcome.err.end(), '\n') == 2);
  CHECK(outcome.err.find("\"sliding_window\"") != std::string::npos);
  CHECK(outcome.err.find("tokenizer.json") != std::string::npos);
  const Outcome text = run({"compute", model.path(), "--text", "a", "-o", folder / "b.npz"});
  CHECK(text.status() == 1);
  CHECK(text.err.find("give ids") != std::string::npos);
}

TEST_CASE("models: one without a head saves everything but logits") {
  const TemporaryFolder folder;
  const std::string headless = source_root() + "/tests/golden/library/llama_headless";
  const Outcome outcome = run({"compute", headless, "--ids", "1,2,3", "-o", folder / "a.npz"});
  INFO(outcome.err);
  REQUIRE(outcome.status() == 0);
  CHECK(outcome.err.find("lm_head.weight") != std::string::npos);
  std::string names;
  for (const ArrayEntry& entry : list_npz(folder / "a.npz"))
    names += entry.name + " ";
  CHECK(names.find("residual") != std::string::npos);
  CHECK(names.find("layers.1.weights") != std::string::npos);
  CHECK(names.find("logits") == std::string::npos);
  const Outcome top = run({"print", headless, "--ids", "1,2,3"});
  CHECK(top.status() == 1);
  CHECK(top.err.find("lm_head.weight") != std::string::npos);
}

namespace {

// A session on a model of tests/golden/library whose shown layer is given by the members.
std::string session_on(const TemporaryFolder& folder, const std::string& model, const std::string& members) {
  const std::string text =
      R"({"format": "headlight-session", "version": 1, "title": "sides", "model_folder": {"path": ")" +
      source_root() + "/tests/golden/library/" + model + "\", " + members + "}}";
  return folder.write(model + ".headlight", text).string();
}

std::string list_of(const std::string& golden, const std::string& name) {
  return "[" + ids_text(golden, name) + "]";
}

}  // namespace

TEST_CASE("models: a session on a model of two sides, or of images, computes its shown layer") {
  const TemporaryFolder folder;
  const std::string saved = folder / "out.npz";
  const auto check = [&](const std::string& session, const std::string& golden, const std::string& weights) {
    const Outcome outcome = run({"compute", session, "-o", saved, "--force"});
    INFO(session << " " << weights << "\n" << outcome.err);
    REQUIRE(outcome.status() == 0);
    const NamedArray expected = read_npz(golden, weights);
    NamedArray computed = read_npz(saved, "weights");
    CHECK(computed.shape.front() == 1);
    computed.shape.erase(computed.shape.begin());
    CHECK(largest_difference(computed, expected) < 3e-4f);
  };
  for (const std::string model : {"t5", "bart"}) {
    const std::string golden = source_root() + "/tests/golden/library/" + model + "/golden.npz";
    const std::string texts = "\"ids\": " + list_of(golden, "decoder.ids") +
                              ", \"source\": {\"ids\": " + list_of(golden, "encoder.ids") +
                              "}, \"layer\": 1, \"side\": \"";
    for (const std::string side : {"encoder", "decoder", "cross"})
      check(session_on(folder, model, texts + side + "\""), golden, side + ".weights.1");
  }
  const std::string golden = source_root() + "/tests/golden/library/vit/golden.npz";
  write_file_atomically(folder / "image.npy", npy_bytes(read_npz(golden, "image")));
  check(session_on(folder, "vit", R"("image": {"path": "image.npy"}, "layer": 1)"), golden, "weights.1");
}

TEST_CASE("models: a session on cross-attention is printed, exported and measured") {
  const TemporaryFolder folder;
  const std::string session = session_on(
      folder, "t5", R"("ids": [0, 5, 6], "source": {"ids": [7, 8, 9, 10, 11]}, "layer": 0, "side": "cross")");
  const Outcome printed = run({"print", session, "--stage", "weights", "--head", "0"});
  INFO(printed.err);
  CHECK(printed.status() == 0);
  CHECK_THAT(printed.out, ContainsSubstring("11"));
  const Outcome exported = run({"export", session, "--stage", "weights", "-o", folder / "w.svg"});
  INFO(exported.err);
  CHECK(exported.status() == 0);
  const Outcome heads = run({"heads", session});
  INFO(heads.err);
  CHECK(heads.status() == 0);
}
