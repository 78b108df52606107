// The program at its limits: file sizes, memory, missing fonts, and pipes instead of files.
#include <sys/stat.h>

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/window/support/child_process.h"

using namespace headlight_test;
namespace fs = std::filesystem;

namespace {

const std::string kProgram = built_program();

// Writes a session of 2,000 x 2,000 numbers.
fs::path write_large_session(const TemporaryFolder& folder) {
  constexpr int kTokens = 2000;
  std::ofstream out(folder / "large.headlight");
  out << R"({"format": "headlight-session", "version": 1, "tokens": [)";
  for (int t = 0; t < kTokens; ++t)
    out << (t ? ",\"t\"" : "\"t\"");
  out << R"(], "embeddings": [)";
  for (int t = 0; t < kTokens; ++t) {
    out << (t ? ",[0.123456789" : "[0.123456789");
    for (int i = 1; i < kTokens; ++i)
      out << ",0.123456789";
    out << "]";
  }
  out << R"(], "attention": {}})";
  return folder / "large.headlight";
}

RunResult run_with_memory(int megabytes, std::vector<std::string> arguments) {
  std::vector<std::string> command = {"prlimit", "--as=" + std::to_string(megabytes) + "000000", kProgram};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command);
}

// Every command that writes a file, with an output in `folder`.
std::vector<std::vector<std::string>> writing_commands(const fs::path& folder) {
  const std::string lesson = source_root() + "/assets/lessons/20-two-heads.headlight";
  const auto file = [&](const char* name) { return (folder / name).string(); };
  return {{"compute", lesson, "-o", file("x.npz")},
          {"export", lesson, "--stage", "weights", "-o", file("x.png")},
          {"export", lesson, "--stage", "weights", "-o", file("x.svg")},
          {"export", lesson, "--stage", "weights", "-o", file("x.pdf")},
          {"export", lesson, "--stage", "weights", "-o", file("x.json")},
          {"export", lesson, "--stage", "weights", "-o", file("x.npy")},
          {"heads", lesson, "-o", file("x.csv")},
          {"print", lesson, "--stage", "weights", "--as", "pytorch", "-o", file("x.py")},
          {"handout", lesson, "-o", file("y.pdf")}};
}

}  // namespace

TEST_CASE("beyond the limit on the size of files a write is an error, and nothing of it is left") {
  require_program("prlimit", "util-linux");
  const TemporaryFolder folder;
  for (const std::vector<std::string>& arguments : writing_commands(folder.path())) {
    std::vector<std::string> command = {"prlimit", "--fsize=100", kProgram};
    command.insert(command.end(), arguments.begin(), arguments.end());
    // The limit also cuts the captured message; its beginning is enough.
    const RunResult result = run(command);
    INFO(arguments.front() << ": " << result.output);
    CHECK(result.exit_status == 1);
    CHECK(result.output.find("headlight: ") == 0);
    CHECK(folder.names().empty());
  }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // sanitizers reserve terabytes

TEST_CASE("with too little memory a session is refused in one line, and with enough it is opened") {
  require_program("prlimit", "util-linux");
  const TemporaryFolder folder;
  const std::string file = write_large_session(folder).string();
  int megabytes = 50;
  while (run_with_memory(megabytes, {"--version"}).exit_status != 0)
    megabytes += 10;
  bool refused = false, opened = false;
  for (; !opened && megabytes < 4000; megabytes += 15) {
    INFO(megabytes << " MB");
    const RunResult result =
        run_with_memory(megabytes, {"print", file, "--stage", "embeddings", "--as", "numpy"});
    INFO(result.output.substr(0, 300));
    if (result.output.find("numbers would have to be written out") != std::string::npos) {
      opened = true;  // it was read; printing so many numbers is refused
      continue;
    }
    refused = true;
    REQUIRE(result.exit_status == 1);
    REQUIRE(result.output.find("not enough memory") != std::string::npos);
  }
  CHECK(refused);
  CHECK(opened);
}

TEST_CASE("with too little memory to draw in a picture is refused, and no signal ends the program") {
  require_program("prlimit", "util-linux");
  const TemporaryFolder folder;
  std::vector<std::vector<std::string>> commands = writing_commands(folder.path());
  for (std::vector<std::string>& arguments : commands)
    arguments.emplace_back("--force");
  commands.push_back({"--screenshot", (folder / "w.png").string(), "--force"});
  for (const std::vector<std::string>& arguments : commands) {
    bool written = false;
    int megabytes = 50;
    while (run_with_memory(megabytes, {"--version"}).exit_status != 0)
      megabytes += 10;
    for (; megabytes < 2400 && !written; megabytes += 30) {
      const RunResult result = run_with_memory(megabytes, arguments);
      INFO(arguments.front() << " in " << megabytes << " MB: " << result.output.substr(0, 300));
      written = result.exit_status == 0;
      REQUIRE((written ||
               (result.exit_status == 1 && result.output.find("not enough memory") != std::string::npos)));
    }
    INFO(arguments.front() << " " << arguments.back());
    CHECK(written);
  }
}

#endif

TEST_CASE("without any font a figure and the window say so on standard error") {
  const TemporaryFolder folder;
  const std::string lesson = source_root() + "/assets/lessons/20-two-heads.headlight";
  const std::string config = folder
                                 .write("fonts.conf",
                                        "<?xml version=\"1.0\"?><!DOCTYPE fontconfig SYSTEM \"fonts.dtd\">"
                                        "<fontconfig><dir>/none</dir></fontconfig>")
                                 .string();
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"export", lesson, "--stage", "weights", "-o", (folder / "x.png").string()},
        std::vector<std::string>{"handout", lesson, "-o", (folder / "x.pdf").string()},
        std::vector<std::string>{lesson, "--screenshot", (folder / "w.png").string()}}) {
    std::vector<std::string> command = {"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", kProgram};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const RunResult without = run(command, {{"FONTCONFIG_FILE", config}});
    fs::remove(arguments.back());  // the output file
    const RunResult usual = run(command);
    INFO(without.output);
    CHECK(without.exit_status == 0);
    CHECK(without.output.find("fonts-inter") != std::string::npos);
    CHECK(usual.output.find("fonts-inter") == std::string::npos);
  }
}

TEST_CASE("a pipe in place of a session or a picture is refused and not waited for") {
  const TemporaryFolder folder;
  const std::string pipe = (folder / "pipe.headlight").string(), picture = (folder / "pipe.png").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  REQUIRE(::mkfifo(picture.c_str(), 0600) == 0);
  const std::string lesson = source_root() + "/assets/lessons/16-causal-mask.headlight";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{kProgram, "export", pipe, "--stage", "weights", "-o", picture + ".svg"},
        std::vector<std::string>{kProgram, "print", pipe, "--stage", "weights"},
        std::vector<std::string>{kProgram, "compute", pipe, "-o", (folder / "x.npz").string()},
        std::vector<std::string>{kProgram, "export", lesson, "--stage", "weights", "-o", picture}}) {
    const RunResult result = run(command);
    INFO(result.output);
    CHECK(result.exit_status == 1);
    CHECK(result.output.find("pipe") != std::string::npos);
  }
}
