// The chooser of arrays: the contents of a file, the roles of its arrays, and applying them as one step.
#include "app/ui/dialogs/array_chooser.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "app/ui/dialogs/array_words.h"
#include "engine/arrays/npy.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const fs::path kFixtures = fs::path(headlight_test::source_root()) / "tests/fixtures/arrays";

NamedArray ramp(const std::string& name, std::vector<Index> shape) {
  NamedArray array{name, std::move(shape), {}};
  Index count = 1;
  for (const Index size : array.shape)
    count *= size;
  for (Index i = 0; i < count; ++i)
    array.values.push_back(static_cast<float>(i % 7) - 3);
  return array;
}

struct Chooser {
  TemporaryFolder folder;
  ArrayChooserState state;
  PanelFixture fixture;

  // 6 tokens, d_in 3, d_out 2.
  explicit Chooser(ImVec2 size = {1280, 800})
      : fixture(
            lesson_session("15-linear-layers"), [this](UiContext& ui) { array_chooser(ui, state); }, size) {}

  headlight_test::PanelRobot& robot() { return fixture.robot(); }
  const Layer& layer() const { return fixture.layer(); }
  void settle() {
    for (int i = 0; i < 2000; ++i) {
      robot().frames(2);
      if (!state.reading()) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    robot().frames(2);
  }
  void open(const fs::path& path) {
    open_array_chooser(state, path);
    settle();
  }
  void open(const std::string& name, const std::vector<NamedArray>& arrays) {
    write_npz(folder / name, arrays);
    open(folder / name);
  }
  void apply() {
    robot().click("arrays.apply");
    settle();
  }
  std::string value(const std::string& name) { return robot().value(name); }
};

}  // namespace

TEST_CASE("arrays: a file whose names tell where they go is applied at once, as one undo step") {
  Chooser chooser;
  const Layer before = chooser.layer();
  chooser.open("layer.npz", {ramp("x", {4, 8}), ramp("c_attn.weight", {8, 24}), ramp("c_attn.bias", {24}),
                             ramp("c_proj.weight", {8, 8}), ramp("c_proj.bias", {8})});
  CHECK(chooser.value("arrays.list.0") == "x → embeddings");
  CHECK(chooser.value("arrays.list.1") == "c_attn.weight → fused");
  CHECK(chooser.value("arrays.list.4") == "c_proj.bias → output_bias");
  CHECK_THAT(chooser.value("arrays.outcome"), ContainsSubstring("5 arrays: T 6 → 4, d_in 3 → 8"));
  chooser.robot().click("arrays.heads");
  chooser.robot().frames(2);
  chooser.robot().click("arrays.heads.4");
  chooser.robot().key(Key::Enter);
  chooser.settle();
  CHECK_FALSE(chooser.state.open);
  REQUIRE(chooser.fixture.commands().size() == 1);
  CHECK(chooser.fixture.errors().empty());
  CHECK(chooser.layer().d_out() == 8);
  CHECK(chooser.layer().head_count() == 4);
  CHECK(chooser.layer().attention.qkv_bias);
  CHECK(chooser.layer().weights.matrix(Parameter::Value)(0, 1) == ramp("", {17 + 1}).values[17]);
  CHECK(chooser.fixture.document().undo_name() == "Arrays from layer.npz");
  chooser.fixture.document().undo();
  CHECK(chooser.layer().tokens == before.tokens);
  CHECK(chooser.layer().weights.matrix(Parameter::Query) == before.weights.matrix(Parameter::Query));
  CHECK_FALSE(chooser.fixture.document().can_undo());
}

TEST_CASE("arrays: a single array goes to its likeliest place, and another can be chosen") {
  Chooser chooser;
  chooser.open("one.npz", {ramp("arr_0", {3, 3})});
  CHECK(chooser.value("arrays.thumbnail") == "shown");
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("3 × 3 · <f4\n−3 to 3"));
  chooser.robot().click("arrays.role.key");
  CHECK(chooser.value("arrays.role.key") == "chosen");
  CHECK(chooser.value("arrays.list.0") == "arr_0 → key");
  CHECK_THAT(chooser.value("arrays.outcome"), ContainsSubstring("W_query and W_value are drawn anew"));
  chooser.robot().click("arrays.layout.out_in");
  chooser.apply();
  CHECK(chooser.layer().d_out() == 3);
  const Matrix& key = chooser.layer().weights.matrix(Parameter::Key);
  const bool out_in = chooser.layer().weights.layout == WeightLayout::OutIn;
  CHECK((out_in ? key(0, 1) : key(1, 0)) == -2.0f);
}

TEST_CASE("arrays: while nothing is chosen the array that is looked at is the one that goes in") {
  Chooser chooser;
  chooser.open("two.npz", {ramp("a", {6, 3}), ramp("b", {6, 6})});
  CHECK(chooser.value("arrays.list.0") == "a → embeddings");
  chooser.robot().click("arrays.list.1");
  chooser.settle();
  CHECK(chooser.value("arrays.list.0") == "a");
  CHECK(chooser.value("arrays.list.1") == "b → mask");
  chooser.robot().click("arrays.role.mask");
  chooser.robot().key(Key::Up);
  chooser.settle();
  CHECK(chooser.value("arrays.list.1") == "b → mask");  // a role chosen by hand stays
  CHECK(chooser.value("arrays.list.0") == "a");
  chooser.robot().click("arrays.role.none");
  chooser.robot().key(Key::Down);
  chooser.robot().click("arrays.role.none");
  CHECK_FALSE(chooser.robot().widget("arrays.apply").enabled);
}

TEST_CASE("arrays: a place has one array; the older one gives it up") {
  Chooser chooser;
  chooser.open("two.npz", {ramp("W_query", {3, 2}), ramp("b", {3, 2})});
  CHECK(chooser.value("arrays.list.0") == "W_query → query");
  chooser.robot().click("arrays.list.1");
  chooser.settle();
  CHECK(chooser.value("arrays.list.1") == "b");
  chooser.robot().click("arrays.role.query");
  CHECK(chooser.value("arrays.list.0") == "W_query");
  CHECK(chooser.value("arrays.list.1") == "b → query");
}

TEST_CASE("arrays: what does not go together is said before it is applied") {
  Chooser chooser;
  chooser.open("two.npz", {ramp("W_query", {3, 4}), ramp("W_key", {3, 5})});
  CHECK_THAT(chooser.value("arrays.message"),
             ContainsSubstring("W_key has d_out 5, but W_query (W_query) has 4"));
  CHECK_FALSE(chooser.robot().widget("arrays.apply").enabled);
  chooser.robot().key(Key::Enter);
  chooser.settle();
  CHECK(chooser.fixture.commands().empty());
}

TEST_CASE("arrays: of many layers one is taken, by its button") {
  Chooser chooser;
  chooser.open(kFixtures / "safetensors/gpt2.safetensors");
  CHECK(chooser.value("arrays.list.1") == "h.0.attn.c_attn.weight → fused");
  CHECK_FALSE(chooser.robot().shows("arrays.layer"));
  chooser.robot().click("arrays.list.5");
  chooser.settle();
  CHECK_THAT(chooser.value("arrays.layer"), ContainsSubstring("h.10.attn"));
  chooser.robot().click("arrays.layer");
  chooser.robot().frames(2);
  CHECK(chooser.value("arrays.list.1") == "h.0.attn.c_attn.weight");
  CHECK(chooser.value("arrays.list.5") == "h.10.attn.c_attn.weight → fused");
}

TEST_CASE("arrays: a long list is filtered") {
  Chooser chooser;
  std::vector<NamedArray> arrays;
  for (int i = 0; i < 300; ++i)
    arrays.push_back(ramp("layer" + std::to_string(i) + "/Part", {2, 2}));
  chooser.open("many.npz", arrays);
  CHECK(chooser.robot().shows("arrays.list.5"));
  CHECK_FALSE(chooser.robot().shows("arrays.list.250"));  // rows out of sight are not drawn
  chooser.robot().click("arrays.filter");
  chooser.robot().type("r250/part");
  chooser.robot().frames(2);
  CHECK_FALSE(chooser.robot().shows("arrays.list.5"));
  chooser.robot().click("arrays.list.250");
  chooser.settle();
  CHECK(chooser.state.choices.selected() == 250);
  CHECK(chooser.value("arrays.thumbnail") == "shown");
}

TEST_CASE("arrays: files that cannot be used say so in place, and the document stays") {
  Chooser chooser;
  const Layer before = chooser.layer();
  const auto opened = [&](const char* name) {
    chooser.open(kFixtures / name);
    return chooser.robot().shows("arrays.message") ? chooser.value("arrays.message") : std::string();
  };
  CHECK_THAT(opened("safetensors/bad_header.safetensors"), ContainsSubstring("bad_header"));
  CHECK_FALSE(chooser.robot().shows("arrays.heads"));
  CHECK_THAT(opened("safetensors/bad_truncated.safetensors"), ContainsSubstring("bad_truncated"));
  CHECK_THAT(opened("gone.npz"), ContainsSubstring("gone.npz"));
  opened("npy/bad_objects.npy");
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("bad_objects"));
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("numpy.stack(a).astype('float32')"));
  CHECK(chooser.value("arrays.thumbnail") == "empty");
  opened("npy/bad_truncated.npy");
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("bad_truncated"));
  opened("tables/bad_ragged.csv");
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("line 2"));
  opened("npy/empty.npy");
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("0 × 0 · <f4\nno value"));
  CHECK_FALSE(chooser.robot().shows("arrays.role.embeddings"));
  opened("npz/paths.npz");
  CHECK(chooser.state.choices.entries().size() == 3);
  CHECK(chooser.state.choices.entries()[0].problem.has_value());
  CHECK(chooser.state.choices.selected() == 2);  // the readable entry
  chooser.robot().key(Key::Escape);
  chooser.robot().frames(2);
  CHECK_FALSE(chooser.state.open);
  CHECK(chooser.fixture.commands().empty());
  CHECK(chooser.layer().tokens == before.tokens);
}

TEST_CASE("arrays: NaN is shown and counted, and refused with its place before it is applied") {
  Chooser chooser;
  chooser.open(kFixtures / "npy/all_nan.npy");
  CHECK_FALSE(chooser.robot().widget("arrays.apply").enabled);
  CHECK_THAT(chooser.value("arrays.message"), ContainsSubstring("6 NaN, the first in row 1, column 1"));
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("no finite value · 6 NaN"));
  CHECK(chooser.value("arrays.thumbnail") == "shown");
  chooser.robot().key(Key::Enter);
  chooser.settle();
  CHECK(chooser.state.open);
  CHECK(chooser.fixture.commands().empty());
}

TEST_CASE("arrays: an infinite number in an array that nobody looked at is found before it is applied") {
  Chooser chooser;
  NamedArray key = ramp("W_key", {3, 2});
  key.values[3] = std::numeric_limits<float>::infinity();
  chooser.open("two.npz", {ramp("W_query", {3, 2}), key});
  CHECK(chooser.state.choices.selected() == 0);
  CHECK_THAT(chooser.value("arrays.message"), ContainsSubstring("W_key: holds 1 infinite"));
  CHECK_FALSE(chooser.robot().widget("arrays.apply").enabled);
  chooser.robot().click("arrays.list.1");
  chooser.settle();
  chooser.robot().click("arrays.role.none");
  CHECK_FALSE(chooser.robot().shows("arrays.message"));
  CHECK(chooser.robot().widget("arrays.apply").enabled);
}

TEST_CASE("arrays: Q, K and V of other tokens than the session's are queries, keys and values") {
  Chooser chooser;
  chooser.open("qkv.npz", {ramp("K", {4, 5}), ramp("Q", {4, 5}), ramp("V", {4, 5})});
  CHECK(chooser.value("arrays.list.0") == "K → keys");
  CHECK(chooser.value("arrays.list.1") == "Q → queries");
  CHECK(chooser.value("arrays.list.2") == "V → values");
  CHECK_THAT(chooser.value("arrays.outcome"), ContainsSubstring("the tokens become 0 to 3"));
  CHECK_THAT(chooser.value("arrays.outcome"), ContainsSubstring("the embeddings"));
  chooser.apply();
  CHECK(chooser.fixture.errors().empty());
  CHECK(chooser.layer().attention.projection == Projection::Given);
  CHECK(chooser.layer().tokens == std::vector<std::string>{"0", "1", "2", "3"});
  CHECK(chooser.layer().given[1].at(0)(0, 0) == -3.0f);
}

TEST_CASE("arrays: queries, keys and values are chosen one by one, whatever they are called") {
  Chooser chooser;
  chooser.open("three.npz", {ramp("a", {4, 5}), ramp("b", {4, 5}), ramp("c", {4, 5})});
  const char* const places[] = {"queries", "keys", "values"};
  for (std::size_t i = 0; i < 3; ++i) {
    chooser.state.choices.select(i, chooser.layer());
    for (const RoleOption& option : chooser.state.choices.options())
      if (std::string(role_id(option.proposal.role)) == places[i]) {
        chooser.state.choices.give_role(option.proposal.role, chooser.layer());
        break;
      }
  }
  chooser.settle();
  CHECK(chooser.value("arrays.list.0") == "a → queries");
  CHECK(chooser.value("arrays.list.1") == "b → keys");
  CHECK(chooser.value("arrays.list.2") == "c → values");
  CHECK(chooser.robot().widget("arrays.apply").enabled);
}

TEST_CASE("arrays: queries leave the weights that were chosen in place, and say that both do not go") {
  ArrayChoices choices({{"W_key", {6, 2}, "<f4", 48, {}, {}, {}}, {"a", {6, 2}, "<f4", 48, {}, {}, {}}},
                       Chooser().layer());
  const Chooser chooser;
  choices.select(1, chooser.layer());
  choices.give_role(ArrayRole::Queries, chooser.layer());
  REQUIRE(choices.role_of(0).has_value());
  CHECK(choices.role_of(0)->role == ArrayRole::KeyWeight);
  CHECK_THAT(choices.problem(), ContainsSubstring("queries and W_key (W_key) do not go together"));
}

TEST_CASE("arrays: all that say where they go leave in place what was chosen by hand") {
  Chooser chooser;
  chooser.open("some.npz", {ramp("W_query", {3, 2}), ramp("W_key", {3, 2}), ramp("mine", {3, 2})});
  chooser.robot().click("arrays.list.2");
  chooser.settle();
  chooser.robot().click("arrays.role.key");
  chooser.robot().click("arrays.list.0");
  chooser.settle();
  CHECK_FALSE(chooser.robot().shows("arrays.layer"));  // W_key already has an array
  chooser.robot().click("arrays.role.none");
  chooser.robot().frames(2);
  chooser.robot().click("arrays.layer");
  chooser.robot().frames(2);
  CHECK(chooser.value("arrays.list.0") == "W_query → query");
  CHECK(chooser.value("arrays.list.1") == "W_key");
  CHECK(chooser.value("arrays.list.2") == "mine → key");
}

TEST_CASE("arrays: arrays of two layers are said to be so") {
  Chooser chooser;
  chooser.open("layers.npz", {ramp("h.0.attn.W_query", {3, 2}), ramp("h.0.attn.W_output", {2, 2}),
                              ramp("h.1.attn.W_query", {3, 2})});
  CHECK_THAT(chooser.value("arrays.outcome"), !ContainsSubstring("h.0"));
  chooser.robot().click("arrays.list.2");
  chooser.settle();
  chooser.robot().click("arrays.role.query");
  chooser.robot().frames(2);
  CHECK_THAT(chooser.value("arrays.outcome"), ContainsSubstring("W_query is of h.1, W_output of h.0; "));
}

TEST_CASE("arrays: Escape closes the open list of heads alone") {
  Chooser chooser;
  chooser.open("layer.npz", {ramp("x", {4, 8}), ramp("c_attn.weight", {8, 24})});
  chooser.robot().click("arrays.heads");
  chooser.robot().frames(2);
  REQUIRE(chooser.robot().shows("arrays.heads.4"));
  chooser.robot().key(Key::Escape);
  chooser.robot().frames(2);
  CHECK(chooser.state.open);
  CHECK_FALSE(chooser.robot().shows("arrays.heads.4"));
  chooser.robot().key(Key::Escape);
  chooser.robot().frames(2);
  CHECK_FALSE(chooser.state.open);
}

TEST_CASE("arrays: a file that was cut off says so once") {
  Chooser chooser;
  chooser.open(kFixtures / "npy/bad_truncated.npy");
  CHECK_THAT(chooser.value("arrays.facts"), ContainsSubstring("bad_truncated"));
  CHECK_FALSE(chooser.robot().shows("arrays.message"));
  CHECK_FALSE(chooser.robot().shows("arrays.outcome"));  // the file has no arrays to choose
}

TEST_CASE("arrays: a table brings the names of its rows as tokens") {
  Chooser chooser;
  std::ofstream(chooser.folder / "x.tsv") << "the\t1\t2\t3\ncat\t4\t5\t6\n";
  chooser.open(chooser.folder / "x.tsv");
  CHECK(chooser.value("arrays.list.0") == "x → embeddings");
  chooser.apply();
  CHECK(chooser.layer().tokens == std::vector<std::string>{"the", "cat"});
  CHECK(chooser.layer().embeddings.at(0)(1, 2) == 6.0f);
}

TEST_CASE("arrays: only the newest look is taken, whatever is asked for meanwhile") {
  NewestJob<int> job;
  const auto slow = [](int result) {
    return [result] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return result;
    };
  };
  job.start(slow(1));
  job.start(slow(2));
  job.start(slow(3));
  std::vector<int> results;
  while (job.running())
    if (const auto result = job.take()) results.push_back(*result);
  CHECK(results == std::vector<int>{3});
  job.start(slow(4));
  job.forget();
  CHECK_FALSE(job.running());
  job.start(slow(5));
  while (job.running())
    if (const auto result = job.take()) results.push_back(*result);
  CHECK(results == std::vector<int>{3, 5});
}

TEST_CASE("arrays: work that nobody wants any more is stopped") {
  const auto endless = [] {
    try {
      for (;;)
        throw_if_stopped();
    } catch (const Stopped&) {
      return 1;
    }
  };
  NewestJob<int> job;
  job.start(endless);
  job.start([] { return 2; });
  std::optional<int> result;
  while (job.running())
    result = job.take();
  CHECK(result == 2);
  job.start(endless);
  job.forget();
  CHECK_FALSE(job.running());
  {
    NewestJob<int> left;  // destroyed while it runs, as at the end of the program
    left.start(endless);
  }
}

TEST_CASE("arrays: a narrow window has room for everything that is needed") {
  Chooser chooser({640, 480});
  chooser.open(kFixtures / "safetensors/gpt2.safetensors");
  for (const char* name : {"arrays.list.0", "arrays.thumbnail", "arrays.facts", "arrays.role.fused_bias",
                           "arrays.outcome", "arrays.heads", "arrays.apply", "arrays.cancel"}) {
    INFO(name);
    REQUIRE(chooser.robot().shows(name));
    const Rect& rect = chooser.robot().widget(name).rect;
    CHECK(rect.right() <= 640);
    CHECK(rect.bottom() <= 480);
  }
}

TEST_CASE("arrays: words") {
  CHECK(shape_words({768, 2304}) == "768 × 2304");
  CHECK(shape_words({}) == "a single number");
  CHECK(range_words({{2}, 2, 0, 0, 0.5f, 0.5f}) == "all 0.5");
  CHECK(range_words({{3}, 3, 1, 1, -0.25f, -0.25f}) == "all −0.25 · 1 NaN · 1 infinite");
  CHECK(split_words({ArrayRole::FusedWeight, WeightLayout::InOut, true, true, true}, {8, 24}) ==
        "columns 1–8 → W_query, 9–16 → W_key, 17–24 → W_value");
  CHECK(split_words({ArrayRole::FusedWeight, WeightLayout::OutIn, true, true, true}, {6, 8}) ==
        "rows 1–2 → W_query, 3–4 → W_key, 5–6 → W_value");
  CHECK(split_words({ArrayRole::FusedBias, WeightLayout::OutIn, true, true, true}, {6}) ==
        "numbers 1–2 → bias of W_query, 3–4 → bias of W_key, 5–6 → bias of W_value");
}

TEST_CASE("arrays: a dialog that has closed reads nothing more") {
  Chooser chooser;
  write_npz(chooser.folder / "heads.npz", {ramp("Q", {5, 4}), ramp("K", {5, 4}), ramp("V", {5, 4})});
  const bool at_once = GENERATE(true, false);
  open_array_chooser(chooser.state, chooser.folder / "heads.npz", at_once);
  if (!at_once) {
    chooser.settle();
    chooser.robot().click("arrays.apply");
  }
  chooser.settle();
  CHECK_FALSE(chooser.state.open);
  CHECK_FALSE(chooser.state.reading());
  CHECK(chooser.layer().token_count() == 5);
  CHECK(chooser.fixture.commands().size() == 1);
}

TEST_CASE("arrays: a dialog that is left while it reads waits for nothing") {
  Chooser chooser;
  write_npz(chooser.folder / "heads.npz", {ramp("Q", {2, 5, 4}), ramp("K", {2, 5, 4})});
  const int frames = GENERATE(1, 2, 3, 5);
  open_array_chooser(chooser.state, chooser.folder / "heads.npz");
  chooser.robot().frames(frames);
  chooser.robot().key(Key::Escape);
  chooser.robot().frames(2);
  CHECK_FALSE(chooser.state.open);
  CHECK_FALSE(chooser.state.reading());
}
