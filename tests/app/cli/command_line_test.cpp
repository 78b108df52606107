#include "app/cli/command_line.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/cli/overview.h"
#include "app/figure/paint/png_picture.h"
#include "app/settings/assets.h"
#include "app/settings/version.h"
#include "app/terminal/terminal_text.h"
#include "engine/arrays/npy.h"
#include "engine/attention/evaluator.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/session/session.h"
#include "tests/app/cli/cli_support.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("without a command the window is asked for") {
  const Outcome plain = run({});
  CHECK_FALSE(plain.line.exit_status);
  CHECK(plain.line.files.empty());
  CHECK_FALSE(plain.line.size.has_value());
  CHECK_FALSE(plain.line.apply);
  const Outcome full = run({"a.headlight", "b.headlight", "--automation", "dir", "--theme", "light",
                            "--scale", "2", "--size", "800x600", "--apply", "--screenshot", "shot.png"});
  CHECK_FALSE(full.line.exit_status);
  CHECK(full.line.files == std::vector<std::filesystem::path>{"a.headlight", "b.headlight"});
  CHECK(full.line.automation_dir == std::filesystem::path("dir"));
  CHECK(full.line.screenshot == std::filesystem::path("shot.png"));
  CHECK(full.line.apply);
  CHECK(full.line.theme == StyleKind::Light);
  CHECK(full.line.scale == 2.0f);
  REQUIRE(full.line.size.has_value());
  CHECK(full.line.size->width == 800);
  CHECK(full.line.size->height == 600);
}

TEST_CASE("help and version go to the output with status 0") {
  const Outcome help = run({"--help"});
  CHECK(help.status() == 0);
  for (const char* word : {"export", "compute", "heads", "print", "--automation"})
    CHECK_THAT(help.out, ContainsSubstring(word));
  CHECK(run({"export", "--help"}).status() == 0);
  CHECK(run({"--version"}).out == std::string("headlight ") + kVersion + "\n");
  CHECK_THAT(read_file(source_root() + "/CMakeLists.txt"),
             ContainsSubstring(std::string("VERSION ") + kVersion));
}

TEST_CASE("a wrong command line is status 2 and one line that names it") {
  const Workplace place;
  const auto fault = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    CHECK(outcome.status() == 2);
    CHECK(outcome.out.empty());
    CHECK(line_count(outcome.err) == 1);
    CHECK(outcome.err.rfind("headlight: ", 0) == 0);
    return outcome.err;
  };
  CHECK_THAT(fault({"--bogus"}), ContainsSubstring("--bogus"));
  CHECK_THAT(fault({"export", place.session(), "-o", "x.png"}), ContainsSubstring("--stage"));
  CHECK_THAT(fault({"export", place.session(), "--stage", "weights"}), ContainsSubstring("--output"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "weight"}), ContainsSubstring("weights"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "weights", "--head", "x"}),
             ContainsSubstring("'x'"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "weights", "--head", "0,"}),
             ContainsSubstring("0,2"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "weights", "--sequence", "-1"}),
             ContainsSubstring("--sequence"));
  CHECK_THAT(fault({"--theme", "blue"}), ContainsSubstring("dark"));
  CHECK_THAT(fault({"--size", "big"}), ContainsSubstring("1280x800"));
  CHECK_THAT(fault({"compute"}), ContainsSubstring("headlight compute --help"));
  for (const char* const scale : {"nan", "0", "-2", "inf", "1e400", "2x"})
    CHECK_THAT(fault({"--scale", scale}), ContainsSubstring("0.5 to 8"));
  for (const std::vector<std::string>& line : {std::vector<std::string>{""},
                                               {"--screenshot", ""},
                                               {"--automation", ""},
                                               {"compute", "", "-o", "x.npz"},
                                               {"compute", place.session(), "-o", ""},
                                               {"print", "", "--stage", "weights"}})
    CHECK_THAT(fault(line), ContainsSubstring("the name is empty"));
}

TEST_CASE("bad input is status 1 and one line that says what, where and how to mend it") {
  const Workplace place;
  write_file_atomically(place.path("broken.headlight"), "{ \"format\": ");
  const auto fault = [](const std::vector<std::string>& arguments) {
    const Outcome outcome = run(arguments);
    CHECK(outcome.status() == 1);
    CHECK(line_count(outcome.err) == 1);
    CHECK(outcome.err.rfind("headlight: ", 0) == 0);
    return outcome.err;
  };
  CHECK_THAT(fault({"print", place.path("none.headlight"), "--stage", "weights"}),
             ContainsSubstring("none.headlight"));
  CHECK_THAT(fault({"compute", place.path("broken.headlight"), "-o", place.path("x.npz")}),
             ContainsSubstring("broken.headlight"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "weights", "--head", "2"}),
             ContainsSubstring("0 to 1"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "output", "--head", "1"}),
             ContainsSubstring("--head"));
  CHECK_THAT(fault({"print", place.session(), "--stage", "weights", "--sequence", "2"}),
             ContainsSubstring("0 to 1"));
  CHECK_THAT(fault({"compute", place.session(), "-o", place.path("x.npy")}), ContainsSubstring(".npz"));
  CHECK_THAT(fault({"export", place.session(), "--stage", "weights", "-o", place.path("no/x.png")}),
             ContainsSubstring("no/x.png"));
  for (const char* extension : {".bmp", ""}) {
    const std::string output = place.path(std::string("x") + extension);
    CHECK_THAT(fault({"export", place.session(), "--stage", "weights", "-o", output}),
               ContainsSubstring(".png"));
    CHECK_FALSE(std::filesystem::exists(output));
  }
}

TEST_CASE("compute writes every stage under its name and in its shape") {
  const Workplace place;
  REQUIRE(run({"compute", place.session(), "-o", place.path("stages.npz")}).status() == 0);
  const Evaluator expected = evaluate(load_session(place.session()).layer);
  for (const Stage stage : stages_in_use(expected.layer())) {
    const StageInfo& info = stage_info(stage);
    const NamedArray array = read_npz(place.path("stages.npz"), std::string(info.name));
    const Index columns = stage_columns(expected.layer(), info.stage);
    CHECK(array.shape ==
          (info.per_head ? std::vector<Index>{2, 2, 3, columns} : std::vector<Index>{2, 3, columns}));
    std::size_t at = 0;
    for (Index sequence = 0; sequence < 2; ++sequence)
      for (Index head = 0; head < (info.per_head ? 2 : 1); ++head) {
        const Matrix& matrix = expected.matrix(info.stage, sequence, head);
        CHECK(std::equal(matrix.data(), matrix.data() + matrix.size(),
                         array.values.begin() + static_cast<std::ptrdiff_t>(at)));
        at += static_cast<std::size_t>(matrix.size());
      }
    CHECK(at == array.values.size());
  }
}

TEST_CASE("compute replaces a file only when it is told to") {
  const Workplace place;
  const std::vector<std::string> line = {"compute", place.session(), "-o", place.path("stages.npz")};
  REQUIRE(run(line).status() == 0);
  const Outcome again = run(line);
  CHECK(again.status() == 1);
  CHECK_THAT(again.err, ContainsSubstring("--force"));
  CHECK(run({"compute", place.session(), "-o", place.path("stages.npz"), "--force"}).status() == 0);
}

TEST_CASE("print writes a stage as a program too") {
  const Workplace place;
  const auto program = [&](const char* library, const char* heads) {
    return run({"print", place.session(), "--stage", "weights", "--as", library, "--head", heads});
  };
  const Outcome torch = program("pytorch", "1");
  CHECK(torch.status() == 0);
  CHECK_THAT(torch.out, ContainsSubstring("import torch") && ContainsSubstring("print(weights[0, 1])"));
  CHECK_THAT(program("numpy", "all").out, ContainsSubstring("import numpy as np"));
  const Outcome several = program("numpy", "0,1");
  CHECK(several.status() == 1);
  CHECK_THAT(several.err, ContainsSubstring("one head"));
  CHECK(program("cuda", "0").status() == 2);
}

TEST_CASE("weights that are given and do not sum to 1 are told beside what is computed") {
  const TemporaryFolder folder;
  const auto session = [](const std::string& row) {
    return R"({"format": "headlight-session", "version": 1, "title": "Saved", "tokens": ["a", "b"],
      "attention": {"projection": "weights", "num_heads": 2},
      "given": {"weights": [[[1, 0], [0.5, 0.5]], [[1, 0], )" +
           row + "]]}}";
  };
  const std::string bad = (folder / "bad.headlight").string(), good = (folder / "good.headlight").string();
  folder.write("bad.headlight", session("[0.5, 0.374]"));
  folder.write("good.headlight", session("[0.5, 0.5]"));
  const std::string note =
      "headlight: " + bad +
      ": 1 of 4 rows of the attention weights does not sum to 1: head 1, query 1 sums to "
      "0.874\n";
  CHECK(run({"print", bad, "--stage", "weights"}).err == note);
  const Outcome computed = run({"compute", bad, "-o", (folder / "bad.npz").string()});
  CHECK(computed.err == note);
  CHECK(computed.status() == 0);
  CHECK(run({"print", good, "--stage", "weights"}).err.empty());
}

TEST_CASE("print saves a program, and its numbers beside it where there are many") {
  const Workplace place;
  const std::string layer = source_root() + "/tests/golden/layers/everything.headlight";
  const auto save = [&](const std::string& session, std::vector<std::string> more) {
    std::vector<std::string> line = {"print", session, "--stage", "weights"};
    line.insert(line.end(), more.begin(), more.end());
    return run(line);
  };
  const std::string file = place.path("few.py");
  CHECK(save(layer, {"--as", "numpy", "-o", file}).out == file + " saved\n");
  CHECK_THAT(read_file(file), ContainsSubstring("print(weights[0])"));
  CHECK_FALSE(std::filesystem::exists(place.path("few.npz")));
  const Outcome again = save(layer, {"--as", "numpy", "-o", file});
  CHECK(again.status() == 1);
  CHECK_THAT(again.err, ContainsSubstring("--force"));
  CHECK(save(layer, {"--as", "pytorch", "-o", file, "--force"}).status() == 0);
  CHECK(save(layer, {"-o", file}).status() == 2);
  CHECK(save(layer, {"--as", "numpy", "-o", place.path("few.txt")}).status() == 1);

  Session session;
  session.layer.tokens.assign(200, "t");
  session.layer.embeddings = {Matrix::Constant(200, 200, 0.01f)};
  session.layer.attention.d_out = 200;
  save_session(session, place.path("many.headlight"));
  CHECK_THAT(save(place.path("many.headlight"), {"--as", "numpy"}).err, ContainsSubstring("-o FILE.py"));
  const Outcome many = save(place.path("many.headlight"), {"--as", "numpy", "-o", place.path("many.py")});
  CHECK_THAT(many.out, ContainsSubstring("many.npz saved"));
  CHECK_THAT(read_file(place.path("many.py")),
             ContainsSubstring("\"many.npz\"") && ContainsSubstring("arrays[\"x\"]"));
  CHECK(read_npz(place.path("many.npz"), "x").shape == std::vector<Index>{200, 200});
}

TEST_CASE("print lines up tokens and four decimals, one table for each head") {
  const Workplace place;
  const Outcome weights = run({"print", place.session(), "--stage", "weights"});
  CHECK(weights.status() == 0);
  CHECK_THAT(weights.out, ContainsSubstring("weights: sequence 0, head 0, 3 x 3\n"
                                            "            a   größe       c\n"
                                            "a      1.0000  0.0000  0.0000\n"));
  CHECK_THAT(weights.out, ContainsSubstring("\n\nweights: sequence 0, head 1, 3 x 3\n"));
  const Outcome masked =
      run({"print", place.session(), "--stage", "masked", "--head", "1", "--sequence", "1"});
  CHECK_THAT(masked.out, ContainsSubstring("masked: sequence 1, head 1, 3 x 3\n"));
  CHECK_THAT(masked.out, ContainsSubstring("    -inf"));
  const Outcome input = run({"print", place.session(), "--stage", "embeddings", "--sequence", "1"});
  CHECK(input.out ==
        "embeddings: sequence 1, 3 x 2\n"
        "            0       1\n"
        "a      0.5000  0.0000\n"
        "größe  0.0000  0.5000\n"
        "c      0.2500  0.2500\n");
}

TEST_CASE("terminal columns") {
  CHECK(terminal_width("abc") == 3);
  CHECK(terminal_width("größe") == 5);
  CHECK(terminal_width("注意") == 4);
  CHECK(terminal_width("e\u0301") == 1);
  CHECK(terminal_width("\U0001F600") == 2);
  CHECK(terminal_width("a\u200Db\uFE0F") == 2);  // joiners and variation selectors have width 0
  CHECK(terminal_width("\xFF!") == 2);           // a byte that is not UTF-8 has width 1
  CHECK(terminal_width("\u221E") == 1);
}

TEST_CASE("the overview shows every stage in one picture") {
  const Workplace place;
  export_overview(load_session(place.session()), place.path("overview.png"));
  CHECK(read_file(place.path("overview.png")).substr(0, 8) == "\x89PNG\r\n\x1a\n");
}

TEST_CASE("lessons are found, in their order") {
  const std::vector<std::filesystem::path> lessons = lesson_files();
  REQUIRE(lessons.size() >= 9);
  const auto examples = std::find_if(lessons.begin(), lessons.end(), [](const std::filesystem::path& file) {
    return file.parent_path().filename() == "examples";
  });
  CHECK(lessons.end() - examples == 6);
  CHECK(std::is_sorted(lessons.begin(), examples));
  for (const std::filesystem::path& lesson : lessons)
    CHECK(lesson.extension() == ".headlight");
}

TEST_CASE("the icon is there in the sizes that a window hands to the desktop") {
  const std::vector<std::filesystem::path> files = icon_files();
  REQUIRE(files.size() == 6);
  int last = 0;
  for (const std::filesystem::path& file : files) {
    const PngPicture icon = read_png(file);
    CHECK(file.filename() == "headlight-" + std::to_string(icon.width) + ".png");
    CHECK(icon.width == icon.height);
    CHECK(icon.width > last);
    last = icon.width;
    REQUIRE(icon.pixels.size() == static_cast<std::size_t>(icon.width) * icon.height);
    // Rounded corners, and the lamp's colour, which is not premultiplied by its opacity.
    CHECK(icon.pixels.front().a < 64);
    const int lamp = icon.width * 50 / 256 * icon.width + icon.width * 206 / 256;
    CHECK(icon.pixels[static_cast<std::size_t>(lamp)] == hex("#FFF3D1"));
  }
  const Workplace place;
  CHECK_THROWS_AS(read_png(place.session()), Error);
}

TEST_CASE("HEADLIGHT_ASSETS chooses the folder of lessons") {
  const Workplace place;
  std::filesystem::create_directories(place.path("lessons"));
  write_file_atomically(place.path("lessons/b.headlight"), "{}");
  write_file_atomically(place.path("lessons/a.headlight"), "{}");
  write_file_atomically(place.path("lessons/notes.txt"), "");
  const std::string folder = std::filesystem::path(place.session()).parent_path().string();
  REQUIRE(setenv("HEADLIGHT_ASSETS", folder.c_str(), 1) == 0);
  const std::vector<std::filesystem::path> lessons = lesson_files();
  unsetenv("HEADLIGHT_ASSETS");
  REQUIRE(lessons.size() == 2);
  CHECK(lessons.front().filename() == "a.headlight");
}
