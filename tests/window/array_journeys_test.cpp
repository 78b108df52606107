// Arrays from files in the real window: by the dialog and by the command line, and undo.
#include <filesystem>
#include <fstream>

#include "engine/arrays/npy.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/window/journey_support.h"

using namespace headlight_test;
using headlight::NamedArray;
namespace fs = std::filesystem;

namespace {

fs::path fixture(const std::string& name) {
  return fs::path(source_root()) / "tests/fixtures/arrays" / name;
}

void open_arrays(WindowSession& window, const fs::path& path) {
  window.key("ctrl+shift+o");
  window.fill("dialog.path", path.string());
  window.key("Return");
  window.until_gone("dialog.ok");
}

}  // namespace

TEST_CASE("a fused layer comes out of a file by the dialog, with heads, and undo brings the old state back") {
  WindowSession window;
  open_lesson(window, "15-linear-layers");
  const Json before = window.state().at("document");
  const std::string number = window.value("inputs.embeddings[0,0]");
  open_arrays(window, fixture("safetensors/gpt2.safetensors"));
  window.until_value("arrays.list.1", "h.0.attn.c_attn.weight → fused");
  window.click("arrays.list.3");  // an array of layer 2
  window.click("arrays.layer");
  window.until_value("arrays.list.3", "h.2.attn.c_attn.weight → fused");
  CHECK_THAT(window.value("arrays.outcome"), ContainsSubstring("d_in 3 → 2"));
  window.click("arrays.heads");
  window.click("arrays.heads.2");
  window.key("Return");
  window.until_gone("arrays.apply");
  // a[r, c] = r - c / 4: columns 2 and 3 of 6 are W_key.
  window.choose("inputs.tab", "key");
  window.click("inputs.fold.tokens");  // the weights have the room below the text
  window.until_value("inputs.key[1,1]", "0.25");
  CHECK(number_from(window.value("inputs.key[0,0]")) == -0.5);
  window.key("ctrl+z");
  window.until_value("inputs.embeddings[0,0]", number);
  CHECK(window.state().at("document") == before);
}

TEST_CASE("a file of arrays on the command line opens the chooser over the session; Escape leaves it") {
  WindowSession window({lesson_file("16-causal-mask").string(), fixture("tables/pandas.csv").string()});
  window.until_value("arrays.list.0", "pandas → embeddings");
  CHECK(window.value("settings.mask") == "causal");
  window.key("Escape");
  window.until_gone("arrays.apply");
  CHECK(window.state().at("document").at("saved") == true);
}

TEST_CASE("a table becomes tokens and embeddings; a broken file leaves all as it is") {
  WindowSession window;
  open_arrays(window, fixture("tables/pandas.csv"));
  window.until_value("arrays.thumbnail", "shown");
  window.click("arrays.apply");
  window.until_gone("arrays.apply");
  window.until_value("inputs.embeddings[1,0]", "1");
  CHECK(window.value("inputs.token[1]") == "journey");
  const Json before = window.state().at("document");
  open_arrays(window, fixture("safetensors/bad_header.safetensors"));
  CHECK_THAT(window.value("arrays.message"), ContainsSubstring("bad_header.safetensors"));
  window.click("arrays.cancel");
  window.until_gone("arrays.cancel");
  CHECK(window.state().at("document") == before);
}

TEST_CASE("arrays that are applied at once come to rest, for a picture and for whoever drives the window") {
  const TemporaryFolder folder;
  std::vector<NamedArray> arrays;
  for (const char* name : {"Q", "K", "V"})
    arrays.push_back({name, {2, 5, 4}, std::vector<float>(40, 0.25f)});
  write_npz(folder / "heads.npz", arrays);
  const std::string file = (folder / "heads.npz").string(), picture = (folder / "x.png").string();
  const RunResult drawn =
      run({"env", "-u", "DISPLAY", "-u", "WAYLAND_DISPLAY", "timeout", "40", headlight_program().string(),
           "--apply", "--layout", "htd", file, "--screenshot", picture});
  INFO(drawn.output);
  CHECK(drawn.exit_status == 0);
  CHECK(fs::exists(picture));
  WindowSession window({"--apply", "--layout", "htd", file});
  CHECK_FALSE(window.shows("arrays.apply"));
  CHECK(window.state().at("document").at("saved") == false);
}
