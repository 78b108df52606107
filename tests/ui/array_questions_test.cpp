// The questions of the chooser of arrays, and the results of the answers.
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "app/ui/dialogs/array_chooser.h"
#include "engine/arrays/npy.h"
#include "engine/attention/evaluator.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/panel_fixture.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::lesson_session;
using headlight_test::PanelFixture;
using headlight_test::TemporaryFolder;

namespace {

NamedArray numbers(const std::string& name, std::vector<Index> shape) {
  NamedArray array{name, std::move(shape), {}};
  Index count = 1;
  for (const Index size : array.shape)
    count *= size;
  for (Index i = 0; i < count; ++i)
    array.values.push_back(static_cast<float>((i * 7) % 11) / 4 - 1);
  return array;
}

NamedArray triangle(const std::string& name, bool upper, float inside = 1) {
  NamedArray mask{name, {6, 6}, {}};
  for (Index row = 0; row < 6; ++row)
    for (Index column = 0; column < 6; ++column)
      mask.values.push_back((upper ? column > row : column <= row) ? inside : 0);
  return mask;
}

std::vector<NamedArray> three(std::vector<Index> shape, std::vector<NamedArray> more = {}) {
  for (const char* name : {"queries", "keys", "values"})
    more.push_back(numbers(name, shape));
  return more;
}

// Weights that are equal within each row.
NamedArray even_weights(const std::string& name, std::vector<Index> shape) {
  NamedArray array{name, std::move(shape), {}};
  Index count = 1;
  for (const Index size : array.shape)
    count *= size;
  array.values.assign(static_cast<std::size_t>(count), 1.0f / static_cast<float>(array.shape.back()));
  return array;
}

struct Asking {
  TemporaryFolder folder;
  ArrayChooserState state;
  PanelFixture fixture;

  // 6 tokens with names, d_in 3, d_out 2.
  Asking() : fixture(lesson_session("15-linear-layers"), [this](UiContext& ui) { draw(ui); }) {}
  // Checks that every change of the choices requests another frame at once.
  void draw(UiContext& ui) {
    const std::uint64_t before = state.choices.revision();
    const bool reading = state.reading();
    array_chooser(ui, state);
    if (!reading && state.choices.revision() != before) CHECK(ui.redraw_timer.seconds() == 0.0);
  }
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
  void open(const std::vector<NamedArray>& arrays, bool apply_at_once = false,
            const ArrayOptions& answers = {}) {
    write_npz(folder / "a.npz", arrays);
    open_array_chooser(state, folder / "a.npz", apply_at_once, answers);
    settle();
  }
  void click(const std::string& name) {
    robot().click(name);
    settle();
  }
  bool can_apply() { return robot().widget("arrays.apply").enabled; }
  std::string message() {
    return robot().shows("arrays.message") ? robot().value("arrays.message") : std::string();
  }
};

}  // namespace

TEST_CASE("array questions: what True means in attn_mask is asked with both pictures, and answered by one") {
  for (const bool forbidden : {true, false}) {
    Asking ask;
    ask.open(three({1, 2, 6, 4}, {triangle("attn_mask", forbidden)}));
    CHECK_FALSE(ask.can_apply());
    CHECK_THAT(ask.message(), ContainsSubstring("attn_mask: it cannot be known"));
    REQUIRE(ask.robot().shows("arrays.mask_true.allowed"));
    REQUIRE(ask.robot().shows("arrays.mask_true.forbidden"));
    const Rect left = ask.robot().widget("arrays.mask_true.allowed").rect;
    const Rect right = ask.robot().widget("arrays.mask_true.forbidden").rect;
    CHECK(left.y == right.y);
    CHECK(left.right() <= right.x);
    ask.robot().key(Key::Enter);
    ask.settle();
    CHECK(ask.state.open);
    ask.click(forbidden ? "arrays.mask_true.forbidden" : "arrays.mask_true.allowed");
    CHECK(ask.robot().value(forbidden ? "arrays.mask_true.forbidden" : "arrays.mask_true.allowed") ==
          "chosen");
    CHECK(ask.message().empty());
    ask.click("arrays.apply");
    CHECK_FALSE(ask.state.open);
    CHECK(ask.layer().attention.mask == MaskKind::Causal);
  }
}

TEST_CASE("array questions: a mask that is added is a bias, and a padding mask is no other mask") {
  Asking ask;
  NamedArray padding{"key_padding_mask", {1, 6}, {1, 0, 0, 0, 0, 0}};
  ask.open(three({1, 2, 6, 4}, {triangle("mask", true, -10000), padding}));
  CHECK(ask.robot().value("arrays.list.0") == "mask → score_bias");
  CHECK(ask.robot().value("arrays.list.1") == "key_padding_mask → key_mask");
  CHECK_THAT(ask.robot().value("arrays.outcome"), ContainsSubstring("True (1) is padding"));
  ask.click("arrays.apply");
  REQUIRE_FALSE(ask.state.open);
  CHECK(ask.layer().score_bias.at(0, 0, 0, 1) == -10000);
  CHECK_FALSE(ask.layer().may_attend(3, 0));
  CHECK(ask.layer().may_attend(3, 5));
}

TEST_CASE("array questions: an order of axes that is not told is asked about") {
  Asking ask;
  ask.open(three({1, 5, 2, 4}));
  CHECK_FALSE(ask.can_apply());
  REQUIRE(ask.robot().shows("arrays.order.bthd"));
  ask.click("arrays.order.bthd");
  CHECK_THAT(ask.robot().value("arrays.outcome"), ContainsSubstring("T 6 → 5"));
  ask.click("arrays.causal");
  ask.click("arrays.apply");
  CHECK(ask.layer().token_count() == 5);
  CHECK(ask.layer().head_count() == 2);
  CHECK(ask.layer().attention.mask == MaskKind::Causal);
  // In B x T x H x d head 1 of a token follows its head 0.
  CHECK(ask.layer().given[0].at(0)(1, 4) == numbers("", {1, 5, 2, 4}).values[12]);
}

TEST_CASE("array questions: averaged weights are asked about") {
  Asking ask;
  ask.open({even_weights("attn_output_weights", {3, 6, 6})});
  CHECK_FALSE(ask.can_apply());
  ask.click("arrays.averaged.yes");
  ask.click("arrays.apply");
  CHECK(ask.layer().sequence_count() == 3);
  CHECK(ask.layer().head_count() == 1);
}

TEST_CASE(
    "array questions: nothing is drawn in the place of a weight that is not understood, unless one says so") {
  Asking ask;
  ask.open({numbers("hidden_states", {6, 8}), numbers("some.other_proj.weight", {16, 8})});
  CHECK_FALSE(ask.can_apply());
  CHECK_THAT(ask.message(), ContainsSubstring("some.other_proj.weight"));
  REQUIRE(ask.robot().shows("arrays.draw"));
  ask.click("arrays.draw");
  CHECK(ask.can_apply());
  ask.click("arrays.apply");
  CHECK(ask.layer().d_in() == 8);
}

TEST_CASE("array questions: what a name speaks against is asked about, and stays as it is if one says so") {
  Asking ask;
  std::string of;
  std::vector<NamedArray> arrays;
  SECTION("embeddings by their shape alone, one of many") {
    for (int layer = 0; layer < 12; ++layer)
      arrays.push_back(numbers("layer." + std::to_string(layer) + ".some.weight", {6, 3}));
    ask.open(arrays);
    of = "some.weight";
  }
  SECTION("a mask that no place is left for") {
    ask.open(three({1, 2, 6, 4}, {triangle("mask", false), triangle("causal_mask", false)}));
    of = "mask";
  }
  SECTION("weights that are quantised") {
    ask.open({numbers("hidden_states", {6, 4}), numbers("q_proj.weight", {4, 4}), numbers("q_proj.SCB", {4}),
              numbers("k_proj.weight", {4, 4}), numbers("k_proj.SCB", {4}), numbers("v_proj.weight", {4, 4}),
              numbers("v_proj.SCB", {4})});
    of = "quantised";
  }
  CHECK_FALSE(ask.can_apply());
  CHECK_THAT(ask.message(), ContainsSubstring(of) && ContainsSubstring("choose above"));
  ask.robot().key(Key::Enter);
  CHECK(ask.fixture.commands().empty());
  REQUIRE(ask.robot().shows("arrays.doubt"));
  ask.click("arrays.doubt");
  CHECK_FALSE(ask.robot().shows("arrays.doubt"));
  CHECK(ask.can_apply());
  ask.click("arrays.apply");
  CHECK(ask.fixture.commands().size() == 1);
}

TEST_CASE("array questions: at once means that nothing has to be asked") {
  const auto applied = [](const std::vector<NamedArray>& arrays, const ArrayOptions& answers = {}) {
    Asking ask;
    ask.open(arrays, true, answers);
    CHECK(ask.state.open == ask.fixture.commands().empty());
    if (ask.state.open)
      CHECK_THAT(ask.message(), ContainsSubstring("say it with") || ContainsSubstring("open the file"));
    return !ask.state.open;
  };
  ArrayOptions forbidden, bthd;
  forbidden.mask_true = MaskTruth::Forbidden;
  bthd.order = AxisOrder::HeadsThird;
  CHECK(applied({even_weights("attentions", {2, 6, 6})}));
  CHECK_FALSE(applied(three({1, 2, 6, 4}, {triangle("attn_mask", true)})));
  CHECK(applied(three({1, 2, 6, 4}, {triangle("attn_mask", true)}), forbidden));
  CHECK_FALSE(applied(three({1, 5, 2, 4})));
  CHECK(applied(three({1, 5, 2, 4}), bthd));
  CHECK_FALSE(applied({numbers("hidden_states", {6, 8}), numbers("some.other_proj.weight", {16, 8})}));
  CHECK_FALSE(applied({numbers("hidden_states", {6, 8}), numbers("qkv_proj.weight", {16, 8})}));
}

TEST_CASE("array questions: rows get numbers, never the words of the session") {
  const std::vector<std::string> six = {"0", "1", "2", "3", "4", "5"};
  for (const std::vector<NamedArray>& arrays :
       {std::vector{even_weights("attentions", {2, 6, 6})}, std::vector{numbers("embeddings", {6, 3})},
        three({1, 1, 6, 2})}) {
    Asking ask;
    CHECK(ask.layer().tokens != six);
    ask.open(arrays, true);
    CHECK_FALSE(ask.state.open);
    CHECK(ask.layer().tokens == six);
  }
}

TEST_CASE("array questions: weights with a row of NaN, and those between two texts, go in") {
  Asking ask;
  NamedArray weights = even_weights("cross_attentions", {1, 2, 4, 5});
  for (std::size_t i = 5; i < 10; ++i)
    weights.values[i] = std::numeric_limits<float>::quiet_NaN();
  ask.open({weights});
  CHECK_THAT(ask.robot().value("arrays.outcome"), ContainsSubstring("NaN"));
  ask.click("arrays.apply");
  REQUIRE_FALSE(ask.state.open);
  CHECK(std::isnan(ask.layer().given_weights.at(0, 0, 1, 3)));
  CHECK(ask.layer().token_count() == 4);
  CHECK(ask.layer().key_count() == 5);
}

TEST_CASE("array questions: scores enter as scores") {
  Asking ask;
  ask.open({numbers("attentions", {2, 6, 6})});
  CHECK(ask.robot().value("arrays.list.0") == "attentions → scores");
  ask.click("arrays.apply");
  REQUIRE_FALSE(ask.state.open);
  const Evaluator evaluator = evaluate(Layer(ask.layer()));
  CHECK(evaluator.matrix(Stage::Scores, 0, 1)(2, 3) == numbers("", {2, 6, 6}).values[36 + 15]);
}

TEST_CASE("array questions: a chooser that has placed several arrays reads nothing more") {
  for (const bool at_once : {true, false}) {
    Asking ask;
    ask.open({numbers("embeddings", {6, 3}), numbers("W_query", {3, 4}), numbers("W_key", {3, 4}),
              numbers("W_value", {3, 4})},
             at_once);
    if (!at_once) ask.robot().key(Key::Enter);
    for (int i = 0; i < 2000 && ask.state.open; ++i) {
      ask.robot().frames(1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    REQUIRE_FALSE(ask.state.open);
    CHECK_FALSE(ask.state.reading());
  }
}

TEST_CASE("array questions: which sequence of a padded batch has the tokens is asked, and it goes in alone") {
  Asking ask;
  NamedArray tokens{"tokens", {7}, {'a', 0, 'b', 0, 'c', 0, 'd'}};
  ask.open({even_weights("attentions", {3, 2, 6, 6}), tokens});
  CHECK_FALSE(ask.can_apply());
  CHECK_THAT(ask.message(), ContainsSubstring("4 tokens") && ContainsSubstring("6 positions") &&
                                ContainsSubstring("choose the sequence below"));
  ask.click("arrays.sequence");
  ask.click("arrays.sequence.2");
  CHECK(ask.message().empty());
  CHECK_THAT(ask.robot().value("arrays.outcome"), ContainsSubstring("sequence 2 (from 0)") &&
                                                      ContainsSubstring("positions 0 to 3 of its 6") &&
                                                      ContainsSubstring("T 6 → 4"));
  ask.click("arrays.apply");
  REQUIRE_FALSE(ask.state.open);
  CHECK(ask.layer().tokens == std::vector<std::string>{"a", "b", "c", "d"});
  CHECK(ask.layer().sequence_count() == 1);
  CHECK(ask.layer().head_count() == 2);
}

TEST_CASE("array questions: of a sparse matrix nothing can be chosen, and nothing goes in") {
  Asking ask;
  const std::vector<std::string> before = ask.layer().tokens;
  ask.open({NamedArray{"data", {6}, {1, 2, 3, 4, 5, 6}}, NamedArray{"indices", {6}, {0, 1, 2, 0, 1, 2}},
            NamedArray{"indptr", {4}, {0, 2, 4, 6}}, NamedArray{"shape", {2}, {3, 3}}});
  CHECK_THAT(ask.message(), ContainsSubstring("sparse"));
  CHECK_FALSE(ask.can_apply());
  CHECK_FALSE(ask.robot().shows("arrays.list.0"));
  ask.click("arrays.apply");
  CHECK(ask.state.open);
  CHECK(ask.layer().tokens == before);
}
