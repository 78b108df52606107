// `headlight gradients`, `patches`, `train` and `init` with model folders.
#include <cmath>
#include <sstream>

#include "engine/arrays/npy.h"
#include "engine/core/file.h"
#include "engine/network/network.h"
#include "engine/network/network_pass.h"
#include "engine/training/checkpointed_training.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;
using Catch::Matchers::StartsWith;

namespace {

std::string golden_folder(const std::string& family) {
  return source_root() + "/tests/golden/models/" + family;
}

const std::string kSentence = "Your journey starts with one step. The keys to the cabinet are on the table.";

// A folder with a text and a model of it.
class LearningPlace {
 public:
  LearningPlace() {
    std::string words;
    for (int i = 0; i < 40; ++i)
      words += "the cat sat on the mat and the dog sat on the log. ";
    text = folder.write("text.txt", words).string();
    made = run(
        {"init", path("new"), "--width", "32", "--positions", "16", "--vocabulary", "280", "--data", text});
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  TemporaryFolder folder;
  std::string text;
  Outcome made;
};

std::vector<double> losses_in(const std::string& out) {
  std::istringstream lines(out);
  std::vector<double> losses;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line))
    if (const std::size_t comma = line.find(", "); comma != std::string::npos)
      losses.push_back(std::stod(line.substr(comma + 2)));
  return losses;
}

}  // namespace

TEST_CASE("gradients: of a model's folder there is one for every tensor, the stream and the weights") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string();
  const Outcome done = run({"gradients", golden_folder("llama"), "--ids", "1,2,3,4,5", "-o", out});
  INFO(done.err);
  REQUIRE(done.status() == 0);
  CHECK_THAT(done.out, ContainsSubstring("loss "));
  const Network network(golden_folder("llama"));
  for (const std::string& name : network.checkpoint().names())
    CHECK(read_npz(out, "grad." + name).shape == network.checkpoint().require(name).shape);
  const NetworkConfig& c = network.config();
  CHECK(read_npz(out, "loss").shape.empty());
  CHECK(read_npz(out, "loss_by_token").shape == std::vector<Index>{4});
  CHECK(read_npz(out, "grad.residual").shape == std::vector<Index>{c.layers + 1, 5, c.width});
  CHECK(read_npz(out, "grad.layers.1.weights").shape == std::vector<Index>{c.heads, 5, 5});
  NetworkPass pass(std::make_shared<const Network>(golden_folder("llama")));
  pass.set_ids({1, 2, 3, 4, 5});
  const NamedArray stream = read_npz(out, "grad.residual"), parts = read_npz(out, "loss_by_embedding");
  REQUIRE(parts.shape == std::vector<Index>{5});
  const Eigen::Map<const Matrix> gradient(stream.values.data(), 5, c.width);
  for (Index token = 0; token < 5; ++token)
    CHECK(std::abs(parts.values[static_cast<std::size_t>(token)] -
                   gradient.row(token).dot(pass.residual(0).row(token))) < 1e-5f);
  CHECK(run({"gradients", golden_folder("gpt2"), "--text", kSentence, "-o", out, "--force"}).status() == 0);
}

TEST_CASE("gradients: a model that is no decoder, and a text that predicts nothing, are refused") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string();
  const Outcome bert = run({"gradients", golden_folder("bert"), "--ids", "1,2,3", "-o", out});
  CHECK(bert.status() == 1);
  CHECK_THAT(bert.err, ContainsSubstring("bert") && ContainsSubstring("both directions"));
  CHECK(run({"gradients", golden_folder("gpt2"), "--ids", "1", "-o", out}).status() == 1);
  CHECK(run({"gradients", golden_folder("gpt2"), "-o", out}).status() == 1);
  const Workplace place;
  CHECK(run({"gradients", place.session(), "--ids", "1,2", "-o", out}).status() == 2);
  CHECK(folder.names().empty());
}

TEST_CASE("patches: the estimate is saved at once, and beside it each patch that is asked for") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string();
  for (const std::string family : {"gpt2", "gemma2"}) {
    INFO(family);
    const Outcome done =
        run({"patches", golden_folder(family), "--ids", "1,2,3,4,5", "--from-ids", "1,7,3,4,5", "--target",
             "9", "--against", "4", "--each", "--force", "-o", out});
    INFO(done.err);
    REQUIRE(done.status() == 0);
    for (const std::string stage : {"residual", "attention_added", "mlp_added", "context", "weights"}) {
      CHECK_THAT(done.out, ContainsSubstring("\n" + stage + ": correlation "));
      CHECK(read_npz(out, "estimate." + stage).shape == read_npz(out, "patch." + stage).shape);
    }
    const Network network(golden_folder(family));
    const Index heads = network.config().heads;
    CHECK(read_npz(out, "logit_by_embedding").shape == std::vector<Index>{5});
    CHECK(read_npz(out, "estimate.layers.1.context").shape == std::vector<Index>{heads, 5});
    const NamedArray weights = read_npz(out, "estimate.layers.1.weights");
    REQUIRE(weights.shape == std::vector<Index>{heads, 5, 5});
    const NamedArray sums = read_npz(out, "estimate.weights");
    for (Index head = 0; head < heads; ++head)
      CHECK(std::abs(Eigen::Map<const Matrix>(weights.values.data() + head * 25, 5, 5).sum() -
                     sums.values[static_cast<std::size_t>(heads + head)]) < 1e-4f);
    // The whole stream that leaves the last layer, put in at the last token, is the other text's prediction.
    NetworkPass from(std::make_shared<const Network>(golden_folder(family)));
    from.set_ids({1, 7, 3, 4, 5});
    const Matrix logits = from.logits(4, 1);
    const NamedArray moved = read_npz(out, "patch.residual");
    CHECK(std::abs(read_npz(out, "logit").values.front() + moved.values.back() -
                   (logits(0, 9) - logits(0, 4))) < 1e-3f);
  }
  CHECK(
      run({"patches", golden_folder("gpt2"), "--text", kSentence, "--from", kSentence, "-o", out, "--force"})
          .status() == 0);
}

TEST_CASE("patches: what does not fit is refused, and nothing is saved") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string(), gpt2 = golden_folder("gpt2");
  const auto refused = [&](const std::vector<std::string>& more, const std::string& why) {
    std::vector<std::string> line = {"patches", gpt2, "-o", out, "--ids", "1,2,3"};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome outcome = run(line);
    INFO(outcome.err);
    CHECK(outcome.status() == 1);
    CHECK_THAT(outcome.err, ContainsSubstring(why));
  };
  refused({"--from-ids", "1,2"}, "as many tokens");
  refused({"--from-ids", "1,2,99999999"}, "99999999");
  refused({"--from-ids", "3,2,1", "--target", "99999999"}, "--target");
  refused({"--from-ids", "3,2,1", "--against", "99999999"}, "--against");
  refused({"--from-ids", "3,2,1", "--target", "4", "--against", "4"}, "less itself");
  CHECK(run({"patches", gpt2, "-o", out, "--ids", "1,2,3"}).status() == 2);
  CHECK(run({"patches", gpt2, "-o", (folder / "out.csv").string(), "--ids", "1,2", "--from-ids", "1,2"})
            .status() == 1);
  CHECK_THAT(run({"patches", golden_folder("bert"), "--ids", "1,2", "--from-ids", "2,1", "-o", out}).err,
             ContainsSubstring("[MASK]"));
  CHECK(folder.names().empty());
}

TEST_CASE(
    "patches and gradients: of a data set the mean over its rows, with its error and each row's numbers") {
  const TemporaryFolder folder;
  const std::string out = (folder / "out.npz").string(), one = (folder / "one.npz").string(),
                    words = source_root() + "/assets/examples/words",
                    pairs = source_root() + "/tests/golden/sets/pairs.tsv";
  const auto close = [&](const std::string& name, std::size_t first, const std::string& single) {
    const NamedArray rows = read_npz(out, "set_rows." + name), own = read_npz(one, single);
    REQUIRE(own.values.size() * 3 == rows.values.size());
    for (std::size_t i = 0; i < own.values.size(); ++i)
      CHECK(std::abs(rows.values[first * own.values.size() + i] - own.values[i]) < 1e-4f);
  };
  const Outcome patched = run({"patches", words, "--set", pairs, "--each", "-o", out});
  INFO(patched.err);
  REQUIRE(patched.status() == 0);
  CHECK_THAT(patched.out, ContainsSubstring("logit difference ") && ContainsSubstring(" ± ") &&
                              ContainsSubstring("the mean over the 3 rows of ") &&
                              ContainsSubstring("\nresidual: correlation ") && ContainsSubstring(", @"));
  CHECK(read_npz(out, "estimate.residual").shape == std::vector<Index>{4, 3});
  CHECK(read_npz(out, "error.patch.context").shape == std::vector<Index>{3, 6});
  CHECK(read_npz(out, "columns.estimate.residual").texts == std::vector<std::string>{"@IO", "@S2", "@END"});
  REQUIRE(run({"patches", words, "--text", "Oscar and Peter sat down . Oscar gave the key to", "--from",
               "Oscar and Peter sat down . Peter gave the key to", "--target", "Peter", "--against", "Oscar",
               "--each", "-o", one})
              .status() == 0);
  close("patch.context", 1, "patch.context");
  close("estimate.weights", 1, "estimate.weights");
  close("logit", 1, "logit");
  const Outcome slopes = run({"gradients", words, "--set", pairs, "-o", out, "--force"});
  INFO(slopes.err);
  REQUIRE(slopes.status() == 0);
  CHECK_THAT(slopes.out, ContainsSubstring("loss ") && ContainsSubstring(" ± "));
  REQUIRE(run({"gradients", words, "--text", "Oscar and Peter sat down . Oscar gave the key to", "-o", one,
               "--force"})
              .status() == 0);
  close("loss", 1, "loss");
  const std::string tensor = "grad." + Network(words).checkpoint().names().front();
  CHECK(read_npz(out, "error." + tensor).shape == read_npz(one, tensor).shape);
  CHECK_THROWS(read_npz(out, "set_rows." + tensor));
}

TEST_CASE("patches and gradients: a set that lacks what they need is refused, and nothing is saved") {
  const TemporaryFolder folder, texts;
  const std::string out = (folder / "out.npz").string(), gpt2 = golden_folder("gpt2"),
                    lengths = texts.write("lengths.tsv",
                                          "text\tfrom\nThe cat\tThe cat\nThe cat sat\tThe cat sat\n"),
                    alone = texts.write("alone.tsv", "text\nThe cat sat\n");
  const auto refused = [&](std::vector<std::string> line, int status, const std::string& why) {
    line.insert(line.end(), {"-o", out});
    const Outcome outcome = run(line);
    INFO(outcome.err);
    CHECK(outcome.status() == status);
    CHECK_THAT(outcome.err, ContainsSubstring(why));
  };
  refused({"patches", gpt2, "--set", alone}, 1, "column from");
  refused({"patches", gpt2, "--set", lengths}, 1, "lengths.tsv: row 2");
  refused({"gradients", gpt2, "--set", lengths}, 1, "lengths.tsv: row 2");
  refused({"patches", gpt2, "--set", alone, "--ids", "1,2"}, 2, "stands in the place");
  refused({"gradients", gpt2, "--set", alone, "--ids", "1,2"}, 2, "stands in the place");
  refused({"gradients", gpt2, "--ids", "1,2", "--each"}, 2, "goes with --set");
  CHECK(folder.names().empty());
}

TEST_CASE("init: an untrained model knows the words of its texts and opens") {
  const LearningPlace place;
  INFO(place.made.err);
  REQUIRE(place.made.status() == 0);
  const Network network(place.path("new"));
  CHECK(network.config().vocabulary <= 280);
  CHECK(network.encode("the cat").size() <= 3);
  CHECK(run({"init", place.path("new"), "--data", place.text}).status() == 1);
  CHECK(run({"init", place.path("other"), "--data", place.text, "--heads", "5"}).status() == 1);
  CHECK(run({"init", place.path("words"), "--data", place.text, "--whole-words", "--vocabulary", "20"})
            .status() == 0);
  CHECK(Network(place.path("words")).encode("the dog").size() == 2);
  CHECK(run({"init", place.path("other")}).status() == 2);
}

TEST_CASE("train: the loss falls, checkpoints and the model are saved") {
  const LearningPlace place;
  REQUIRE(place.made.status() == 0);
  const std::string trained = place.path("trained");
  const Outcome done = run({"train",        place.path("new"),
                            "--data",       place.text,
                            "--steps",      "24",
                            "--batch",      "4",
                            "--length",     "12",
                            "--rate",       "0.01",
                            "--clip",       "1",
                            "--warmup",     "2",
                            "--schedule",   "cosine",
                            "--save-every", "12",
                            "-o",           trained});
  INFO(done.err);
  REQUIRE(done.status() == 0);
  CHECK_THAT(done.err, ContainsSubstring("MB of memory"));
  CHECK_THAT(done.out, ContainsSubstring("step, loss\n1, "));
  const std::vector<double> losses = losses_in(done.out);
  CHECK(losses.size() == 24);
  CHECK(losses.back() < losses.front() / 2);
  for (const std::string part : {"", "/step-12", "/step-24"})
    CHECK(Network(trained + part).predicts());
  CHECK(run({"train", place.path("new"), "--data", place.text, "--steps", "1", "--length", "4", "--rate",
             "0.1", "-o", trained})
            .status() == 1);
  CHECK(run({"print", trained, "--text", "the cat", "--top", "1"}).status() == 0);
}

TEST_CASE("train: what is at fault is said before anything is written") {
  const LearningPlace place;
  REQUIRE(place.made.status() == 0);
  const auto failed = [&](std::vector<std::string> more, const std::string& folder) {
    std::vector<std::string> line = {"train", folder, "-o", place.path("never")};
    line.insert(line.end(), more.begin(), more.end());
    const Outcome outcome = run(line);
    CHECK(!std::filesystem::exists(place.path("never")));
    return std::to_string(outcome.status()) + ": " + outcome.err;
  };
  const std::vector<std::string> usual = {"--data", place.text, "--steps", "2", "--rate", "0.1", "--length"};
  const auto with = [&](const std::string& length) {
    std::vector<std::string> line = usual;
    line.push_back(length);
    return line;
  };
  CHECK_THAT(failed(with("17"), place.path("new")), StartsWith("1: ") && ContainsSubstring("16 positions"));
  CHECK_THAT(failed(with("4"), golden_folder("bert")), StartsWith("1: ") && ContainsSubstring("bert"));
  CHECK_THAT(failed({"--steps", "2", "--rate", "0.1"}, place.path("new")), StartsWith("2: "));
  CHECK_THAT(
      failed({"--data", place.text, "--steps", "2", "--rate", "0.1", "--betas", "0.9"}, place.path("new")),
      StartsWith("2: ") && ContainsSubstring("0.9,0.999"));
  CHECK_THAT(failed({"--data", place.path("none"), "--steps", "2", "--rate", "0.1", "--length", "4"},
                    place.path("new")),
             StartsWith("1: "));
  CHECK_THAT(failed(with("4"), source_root() + "/tests/golden/gguf/gpt2.gguf"),
             StartsWith("1: ") && ContainsSubstring("a model in a GGUF file is not trained"));
  const Workplace session;
  CHECK_THAT(failed(with("4"), session.session()),
             StartsWith("2: ") && ContainsSubstring("--data: is of a model's folder"));
  setenv("HEADLIGHT_TEST_MEMORY", "100000", 1);
  CHECK_THAT(failed(with("4"), place.path("new")), StartsWith("1: ") && ContainsSubstring("the memory is"));
  unsetenv("HEADLIGHT_TEST_MEMORY");
}

TEST_CASE("train: checkpoints at chosen steps in F16 are the rounded weights of each step") {
  const LearningPlace place;
  REQUIRE(place.made.status() == 0);
  const auto train = [&](const std::string& type, const std::string& out) {
    return run({"train", place.path("new"), "--data", place.text, "--steps", "5", "--length", "8", "--rate",
                "0.01", "--save-at", "0,2,5", "--save-every", "4", "--dtype", type, "-o", place.path(out)});
  };
  REQUIRE(train("f32", "whole").status() == 0);
  REQUIRE(train("f16", "half").status() == 0);
  for (const std::string part : {"/step-0", "/step-2", "/step-4", "/step-5", ""}) {
    INFO(part);
    const Network whole(place.path("whole") + part), half(place.path("half") + part);
    for (const std::string& name : whole.checkpoint().names()) {
      const Tensor &a = whole.checkpoint().require(name), &b = half.checkpoint().require(name);
      CHECK(b.type == TensorType::F16);
      Matrix numbers(a.rows(), a.columns()), rounded(b.rows(), b.columns());
      read_numbers(a, 0, numbers.size(), numbers.data());
      read_numbers(b, 0, rounded.size(), rounded.data());
      CHECK(rounded == numbers.cast<Eigen::half>().cast<float>());
    }
  }
  CHECK_FALSE(std::filesystem::exists(place.path("half/step-1")));
  CHECK_THAT(read_file(place.path("half/step-4/config.json")), ContainsSubstring("\"float16\""));
  CHECK_THAT(read_file(place.path("half/step-4/trainer_state.json")),
             ContainsSubstring("\"global_step\": 4"));
  CHECK(Network(place.path("half/step-0")).config().vocabulary ==
        Network(place.path("new")).config().vocabulary);
}

TEST_CASE("train: a step to save behind the last one is refused, and so is another type") {
  const LearningPlace place;
  const std::vector<std::string> line = {"train", place.path("new"), "--data", place.text, "--steps",
                                         "5",     "--length",        "8",      "--rate",   "0.01",
                                         "-o",    place.path("out")};
  const auto with = [&](const std::string& option, const std::string& value) {
    std::vector<std::string> more = line;
    more.insert(more.end(), {option, value});
    return run(more);
  };
  CHECK(with("--save-at", "0,6").status() == 2);
  CHECK_THAT(with("--save-at", "0,6").err, ContainsSubstring("step 6"));
  CHECK(with("--save-at", "x").status() == 2);
  CHECK(with("--dtype", "f8").status() == 2);
  CHECK_FALSE(std::filesystem::exists(place.path("out")));
}

TEST_CASE("init: a model with the tokenizer of a file, and weights of a chosen deviation") {
  const LearningPlace place;
  REQUIRE(place.made.status() == 0);
  const std::string tokenizer = place.path("new/tokenizer.json");
  REQUIRE(run({"init", place.path("again"), "--tokenizer", tokenizer, "--width", "32", "--deviation", "0.1"})
              .status() == 0);
  const Network first(place.path("new")), again(place.path("again"));
  CHECK(read_file(place.path("again/tokenizer.json")) == read_file(tokenizer));
  CHECK(again.encode("the cat sat") == first.encode("the cat sat"));
  CHECK(again.config().vocabulary == first.tokenizer()->size());
  const Tensor& words = again.checkpoint().require("wte.weight");
  Matrix numbers(words.rows(), words.columns());
  read_numbers(words, 0, numbers.size(), numbers.data());
  CHECK(std::abs(numbers.norm() / std::sqrt(static_cast<float>(numbers.size())) - 0.1f) < 0.005f);
  CHECK(run({"init", place.path("no"), "--tokenizer", tokenizer, "--data", place.text}).status() == 2);
  CHECK(run({"init", place.path("no"), "--tokenizer", place.text}).status() == 1);
  CHECK(run({"init", place.path("no"), "--tokenizer", place.path("none")}).status() == 1);
  CHECK_FALSE(std::filesystem::exists(place.path("no")));
}

TEST_CASE(
    "train: a training that ended is continued from its folder, and only its last step can be another") {
  const LearningPlace place;
  REQUIRE(place.made.status() == 0);
  const std::string out = place.path("out");
  const auto line = [&](const std::string& steps) {
    return std::vector<std::string>{
        "train", place.path("new"), "--data", place.text,   "--steps", steps, "--length", "8", "--rate",
        "0.01",  "--save-every",    "2",      "--held-out", "0.1",     "-o",  out};
  };
  const Outcome whole = run(line("4"));
  REQUIRE(whole.status() == 0);
  CHECK_THAT(whole.out, ContainsSubstring("held-out part after step 4: "));
  CHECK_THAT(run({"train", out, "--continue"}).err, ContainsSubstring("no training in it"));
  std::filesystem::remove_all(out);
  TrainingPlan plan;
  plan.model = place.path("new");
  plan.texts = {place.text};
  plan.settings.optimizer = OptimizerKind::AdamW;
  plan.settings.length = 8;
  plan.settings.rate = {0.01, RateSchedule::Constant, 0, 4};
  plan.save_every = 2;
  plan.output = out;
  {
    CheckpointedTraining training(plan);
    for (int i = 0; i < 3; ++i)
      training.advance();
  }
  CHECK_THAT(run({"train", out, "--continue", "--rate", "1"}).err, ContainsSubstring("--rate"));
  CHECK(run({"train", out, "--continue", "-o", place.path("other")}).status() == 2);
  const Outcome done = run({"train", out, "--continue", "--steps", "6"});
  INFO(done.err);
  REQUIRE(done.status() == 0);
  CHECK_THAT(done.err, ContainsSubstring("continued from step 2"));
  CHECK(std::filesystem::exists(out + "/step-6"));
  CHECK(Network(out).predicts());
  CHECK(run({"train", place.path("new"), "--data", place.text, "--steps", "1", "--rate", "1"}).status() == 2);
}
