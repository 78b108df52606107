// The program without a display, and with an output that cannot be written.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/app/figure/pixels.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/window/support/child_process.h"

using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

const fs::path kSomeLesson = fs::path(source_root()) / "assets/lessons/16-causal-mask.headlight";

// Runs a line of the shell in `folder` without a display; $H is the program, $L a lesson.
RunResult in_shell(const fs::path& folder, const std::string& line) {
  return run({"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "-C", folder.string(), "sh", "-c",
              "H='" + built_program() + "'; L='" + kSomeLesson.string() + "'; " + line});
}

}  // namespace

TEST_CASE("no display: an overview is saved, and replaced only when told to") {
  const TemporaryFolder folder;
  const fs::path picture = folder / "headlight-overview.png";
  const RunResult first = in_shell(folder.path(), "\"$H\" \"$L\"");
  CHECK(first.exit_status == 0);
  CHECK_THAT(first.output, ContainsSubstring("headlight-overview.png"));
  CHECK(Pixels(text_of(picture)).width() > 400);
  std::ofstream(picture) << "mine";
  const RunResult again = in_shell(folder.path(), "\"$H\" \"$L\"");
  CHECK(again.exit_status == 1);
  CHECK_THAT(again.output, ContainsSubstring("--force"));
  CHECK(text_of(picture) == "mine");
  CHECK(in_shell(folder.path(), "\"$H\" --force \"$L\"").exit_status == 0);
  CHECK(Pixels(text_of(picture)).width() > 400);
}

TEST_CASE("no display: a file that cannot be opened is an error, and no other picture takes its place") {
  const TemporaryFolder folder;
  folder.write("broken.headlight", "{");
  folder.write("x.csv", "1,2\n");
  for (const char* line : {"\"$H\" none.headlight", "\"$H\" broken.headlight", "\"$H\" x.csv",
                           "\"$H\" --screenshot shot.png none.headlight"}) {
    INFO(line);
    const RunResult result = in_shell(folder.path(), line);
    CHECK(result.exit_status == 1);
    CHECK_THAT(result.output, ContainsSubstring("headlight: "));
  }
  CHECK_FALSE(fs::exists(folder / "headlight-overview.png"));
  CHECK_FALSE(fs::exists(folder / "shot.png"));
}

TEST_CASE("no display: the window's picture is drawn all the same, into the file that was named") {
  const TemporaryFolder folder;
  const RunResult result = in_shell(folder.path(), "\"$H\" --screenshot shot.png --size 900x700 \"$L\"");
  INFO(result.output);
  REQUIRE(result.exit_status == 0);
  const Pixels picture(text_of(folder / "shot.png"));
  CHECK(picture.width() == 900);
  CHECK(picture.height() == 700);
  std::set<int> reds;
  for (int x = 0; x < picture.width(); ++x)
    for (int y = 0; y < picture.height(); ++y)
      reds.insert(picture.at(x, y).r);
  CHECK(reds.size() > 50);
  CHECK_FALSE(fs::exists(folder / "headlight-overview.png"));
}

TEST_CASE("no display: settings that are damaged are told where the program prints") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "headlight");
  folder.write("headlight/preferences.json", "");
  const RunResult result =
      in_shell(folder.path(), "XDG_CONFIG_HOME=\"$PWD\" XDG_STATE_HOME=\"$PWD\" \"$H\" \"$L\"");
  CHECK(result.exit_status == 0);
  CHECK_THAT(result.output, ContainsSubstring("the file is now preferences.json.damaged"));
  CHECK(fs::exists(folder / "headlight/preferences.json.damaged"));
}

TEST_CASE("no display: a picture that no texture holds is refused in one line") {
  const TemporaryFolder folder;
  for (const char* size : {"10000x10000 --scale 8", "16384x400 --scale 2"}) {
    const RunResult result =
        in_shell(folder.path(), "\"$H\" --screenshot shot.png --size " + std::string(size) + " \"$L\"");
    INFO(result.output);
    CHECK(result.exit_status == 1);
    CHECK_THAT(result.output, ContainsSubstring("at most 16384 each way"));
  }
  CHECK_FALSE(fs::exists(folder / "shot.png"));
}

TEST_CASE("what cannot be written to the output is said, with status 1") {
  const TemporaryFolder folder;
  for (const char* line :
       {"\"$H\" print \"$L\" --stage weights >/dev/full", "\"$H\" --help >/dev/full",
        "\"$H\" export --help >/dev/full", "\"$H\" --version >&-", "\"$H\" print \"$L\" --stage weights >&-",
        "\"$H\" print \"$L\" --stage weights --as numpy >&-", "\"$H\" compute \"$L\" -o all.npz --force >&-",
        "\"$H\" --force \"$L\" >/dev/full"}) {
    INFO(line);
    const RunResult result = in_shell(folder.path(), line);
    CHECK(result.exit_status == 1);
    CHECK_THAT(result.output, ContainsSubstring("standard output"));
  }
  // The message did not go into the file that got the descriptor of the closed output.
  CHECK(text_of(folder / "all.npz").substr(0, 2) == "PK");
  CHECK(text_of(folder / "all.npz").find("saved") == std::string::npos);
}
