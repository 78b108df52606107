// `headlight animate`: the files of each format, and what is refused.
#include <filesystem>
#include <set>

#include "engine/core/file.h"
#include "tests/app/cli/cli_support.h"
#include "tests/app/figure/animation_support.h"
#include "tests/support/places.h"

using namespace headlight_test;

namespace {

// A small animation of the session, in little time.
std::vector<std::string> animate(const Workplace& place, const std::string& output,
                                 const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {
      "animate", place.session(), "-o", place.path(output), "--size", "320x200", "--seconds",
      "1",       "--fps",         "8"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("animate: saves a GIF and a WebP with the number of frames and the size, the same bytes twice") {
  const Workplace place;
  for (const std::string ending : {".gif", ".webp"}) {
    const Outcome first = run(animate(place, "a" + ending, {"--play", "softmax", "--cell", "1,0"}));
    INFO(first.err);
    REQUIRE(first.status() == 0);
    CHECK_THAT(first.out, ContainsSubstring("a" + ending + " saved: 8 frames, "));
    CHECK(line_count(first.out) == 1);
    REQUIRE(run(animate(place, "b" + ending, {"--play", "weights", "--cell", "1,0"})).status() == 0);
    CHECK(read_file(place.path("a" + ending)) == read_file(place.path("b" + ending)));
  }
  CHECK(decoded_gif(read_file(place.path("a.gif"))).duration_ms() == 2000);
  CHECK(decoded_webp(read_file(place.path("a.webp"))).duration_ms() == 2000);
}

TEST_CASE("animate: another cell, head, sequence, play and theme are other pictures") {
  const Workplace place;
  std::set<std::string> seen;
  const std::vector<std::vector<std::string>> all = {{},
                                                     {"--cell", "1,0"},
                                                     {"--head", "1"},
                                                     {"--sequence", "1"},
                                                     {"--play", "product"},
                                                     {"--play", "mix"},
                                                     {"--play", "join"},
                                                     {"--play", "mask"},
                                                     {"--play", "queries"},
                                                     {"--theme", "dark"}};
  for (const std::vector<std::string>& more : all) {
    const Outcome outcome = run(animate(place, std::to_string(seen.size()) + ".gif", more));
    INFO(outcome.err);
    REQUIRE(outcome.status() == 0);
    CHECK(seen.insert(read_file(place.path(std::to_string(seen.size()) + ".gif"))).second);
  }
}

TEST_CASE("animate: PNG is a file for each frame, all or none") {
  const Workplace place;
  const Outcome outcome = run(animate(place, "out.png"));
  INFO(outcome.err);
  REQUIRE(outcome.status() == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("out-000.png to out-007.png saved: 8 frames, "));
  for (int i = 0; i < 8; ++i)
    CHECK(std::filesystem::exists(place.path("out-00" + std::to_string(i) + ".png")));
  CHECK_FALSE(std::filesystem::exists(place.path("out.png")));
  std::filesystem::remove(place.path("out-000.png"));
  const Outcome again = run(animate(place, "out.png"));
  CHECK(again.status() == kBadInput);
  CHECK_THAT(again.err, ContainsSubstring("out-001.png") && ContainsSubstring("--force"));
  CHECK_FALSE(std::filesystem::exists(place.path("out-000.png")));
  CHECK(run(animate(place, "out.png", {"--force"})).status() == 0);
  CHECK(std::filesystem::exists(place.path("out-000.png")));
}

TEST_CASE("animate: the heatmaps of a training, of a way to another session, and of checkpoints") {
  const Workplace place;
  const std::string lessons = source_root() + "/assets/lessons/";
  const auto saved = [&](const std::string& output, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "animate");
    arguments.insert(arguments.end(),
                     {"-o", place.path(output), "--size", "320x240", "--seconds", "1", "--fps", "6"});
    const Outcome outcome = run(arguments);
    INFO(outcome.err);
    CHECK(outcome.status() == 0);
    return outcome.out;
  };
  const std::string trained = lessons + "36-a-head-learns-to-look-back.headlight";
  CHECK_THAT(saved("train.gif", {trained, "--train", "4"}), ContainsSubstring("saved: 5 frames"));
  CHECK_THAT(saved("scores.gif", {trained, "--train", "4", "--stage", "scores", "--head", "0"}),
             ContainsSubstring("saved: 5 frames"));
  CHECK(read_file(place.path("train.gif")) != read_file(place.path("scores.gif")));
  REQUIRE(run({"train", trained, "--steps", "4", "-o", place.path("after.headlight")}).status() == 0);
  CHECK_THAT(saved("way.webp", {place.path("after.headlight"), "--from", trained}),
             ContainsSubstring("saved: 6 frames"));
  saved("again.webp", {place.path("after.headlight"), "--from", trained});
  CHECK(read_file(place.path("way.webp")) == read_file(place.path("again.webp")));
  const std::string model = source_root() + "/assets/examples/words";
  CHECK_THAT(saved("steps.gif", {model, "--checkpoints", "--text", "Mary has a red ball", "--layer", "1",
                                 "--head", "mean"}),
             ContainsSubstring("saved: 8 frames"));
}

TEST_CASE("animate: a way, a training or checkpoints that there are not are refused") {
  const Workplace place;
  const auto refused = [&](const std::vector<std::string>& more) {
    const Outcome outcome = run(animate(place, "a.gif", more));
    CHECK(outcome.status() == kBadInput);
    CHECK(line_count(outcome.err) == 1);
    CHECK_FALSE(std::filesystem::exists(place.path("a.gif")));
    return outcome.err;
  };
  const std::string other = source_root() + "/assets/lessons/16-causal-mask.headlight";
  CHECK_THAT(refused({"--from", other}), ContainsSubstring("tokens 6 → 3"));
  CHECK_THAT(refused({"--from", place.session()}), ContainsSubstring("the same numbers"));
  CHECK_THAT(refused({"--from", place.path("none.headlight")}), ContainsSubstring("none.headlight"));
  CHECK_THAT(refused({"--train", "3"}), ContainsSubstring("no goal"));
  CHECK_THAT(refused({"--checkpoints"}), ContainsSubstring("no checkpoints"));
}

TEST_CASE("animate: what is not there is refused with what there is") {
  const Workplace place;
  const auto refused = [&](const std::string& output, const std::vector<std::string>& more) {
    const Outcome outcome = run(animate(place, output, more));
    CHECK(outcome.status() == kBadInput);
    CHECK(line_count(outcome.err) == 1);
    CHECK_FALSE(std::filesystem::exists(place.path(output)));
    return outcome.err;
  };
  CHECK_THAT(refused("a.mp4", {}), ContainsSubstring(".gif, .webp or .png"));
  CHECK_THAT(refused("a", {}), ContainsSubstring(".gif, .webp or .png"));
  CHECK_THAT(refused("a.gif", {"--play", "embeddings"}),
             ContainsSubstring("--play embeddings") && ContainsSubstring("scores, scaled, masked, weights"));
  CHECK_THAT(refused("a.gif", {"--play", "dropout"}), ContainsSubstring("--play dropped"));
  CHECK_THAT(refused("a.gif", {"--cell", "3,0"}),
             ContainsSubstring("--cell 3,0") && ContainsSubstring("rows are 0 to 2, columns 0 to 2"));
  CHECK_THAT(refused("a.gif", {"--head", "2"}), ContainsSubstring("--head") && ContainsSubstring("0 to 1"));
  CHECK_THAT(refused("a.gif", {"--play", "join", "--head", "1"}), ContainsSubstring("--head"));
  CHECK_THAT(refused("a.gif", {"--sequence", "2"}), ContainsSubstring("--sequence"));
  CHECK_THAT(refused("none/a.gif", {}), ContainsSubstring("none/a.gif"));
  CHECK_THAT(refused("none/a.png", {}), ContainsSubstring("none/a-000.png"));
}

TEST_CASE("animate: a file that exists is replaced only with --force") {
  const Workplace place;
  REQUIRE(run(animate(place, "a.gif")).status() == 0);
  const std::string before = read_file(place.path("a.gif"));
  const Outcome refused = run(animate(place, "a.gif", {"--theme", "dark"}));
  CHECK(refused.status() == kBadInput);
  CHECK_THAT(refused.err, ContainsSubstring("exists already") && ContainsSubstring("--force"));
  CHECK(read_file(place.path("a.gif")) == before);
  CHECK(run(animate(place, "a.gif", {"--theme", "dark", "--force"})).status() == 0);
  CHECK(read_file(place.path("a.gif")) != before);
}

TEST_CASE("animate: a disk without room leaves nothing behind") {
  const Workplace place;
  std::filesystem::create_symlink("/dev/full", place.path("full.gif"));
  const Outcome outcome = run(animate(place, "full.gif"));
  CHECK(outcome.status() == kBadInput);
  CHECK_THAT(outcome.err, ContainsSubstring("full.gif"));
  CHECK(outcome.out == "");
}

TEST_CASE("animate: a faulty command line is told by its option") {
  const Workplace place;
  const auto wrong = [&](const std::vector<std::string>& more) {
    const Outcome outcome = run(animate(place, "a.gif", more));
    CHECK(outcome.status() == kBadUsage);
    return outcome.err;
  };
  CHECK_THAT(wrong({"--cell", "1"}), ContainsSubstring("--cell") && ContainsSubstring("1,2"));
  CHECK_THAT(wrong({"--cell", "a,b"}), ContainsSubstring("--cell"));
  CHECK_THAT(wrong({"--play", "nothing"}), ContainsSubstring("--play") && ContainsSubstring("softmax"));
  CHECK_THAT(wrong({"--stage", "scores"}), ContainsSubstring("--stage") && ContainsSubstring("--play"));
  CHECK_THAT(wrong({"--head", "0,1"}), ContainsSubstring("--head"));
  CHECK_THAT(wrong({"--head", "all"}), ContainsSubstring("--head"));
  CHECK_THAT(wrong({"--train", "0"}), ContainsSubstring("--train"));
  CHECK_THAT(wrong({"--train", "3", "--play", "mix"}), ContainsSubstring("--play"));
  CHECK_THAT(wrong({"--train", "3", "--checkpoints"}), ContainsSubstring("--checkpoints"));
  CHECK_THAT(run({"animate", place.session(), "-o", place.path("a.gif"), "--size", "100x100"}).err,
             ContainsSubstring("160 to 4096 pixels"));
  CHECK_THAT(run({"animate", place.session(), "-o", place.path("a.gif"), "--fps", "51"}).err,
             ContainsSubstring("--fps"));
  CHECK_THAT(run({"animate", place.session(), "-o", place.path("a.gif"), "--seconds", "0.1"}).err,
             ContainsSubstring("--seconds"));
  CHECK_THAT(run({"animate", place.session()}).err, ContainsSubstring("--output"));
}
