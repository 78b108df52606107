// The map of all heads of an open model: what is told of each head, the order, and switching heads there.
#include <algorithm>

#include "app/ui/model/head_menu.h"
#include "engine/training/untrained_model.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"
#include "tests/ui/support/model_bench.h"

using namespace headlight;
using headlight_test::ContainsSubstring;
using headlight_test::ModelBench;
using headlight_test::TemporaryFolder;

namespace {

std::string map_name(Index layer, Index head) {
  return "model.head." + std::to_string(layer) + "." + std::to_string(head);
}

void choose_measure(ModelBench& bench, const std::string& measure) {
  bench.robot().click("model.measure");
  bench.click("model.measure." + measure);
}

// Heads in the order of their pictures: line by line.
std::vector<std::pair<Index, Index>> shown_order(ModelBench& bench) {
  std::vector<std::pair<Index, Index>> order;
  const NetworkConfig& config = bench.open().network->config();
  for (Index layer = 0; layer < config.layers; ++layer)
    for (Index head = 0; head < config.heads; ++head)
      order.emplace_back(layer, head);
  std::sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    const Rect one = bench.robot().widget(map_name(a.first, a.second)).rect;
    const Rect other = bench.robot().widget(map_name(b.first, b.second)).rect;
    return std::pair(one.y, one.x) < std::pair(other.y, other.x);
  });
  return order;
}

void choose_in_menu(ModelBench& bench, Index layer, Index head, const std::string& entry) {
  bench.robot().right_click(map_name(layer, head));
  bench.robot().frames(2);
  bench.click("model.head.menu." + entry);
}

// The mean over the rows of the summed differences of a head's weights in two states.
double moved(const OpenModel& before, const OpenModel& after, Index layer, Index head) {
  NetworkPass one(before.network), other(after.network);
  take_state(one, state_of(before));
  take_state(other, state_of(after));
  const Matrix a = one.attention_weights(layer, head), b = other.attention_weights(layer, head);
  return static_cast<double>((a - b).cwiseAbs().sum()) / static_cast<double>(a.rows());
}

}  // namespace

TEST_CASE("map of heads: a measure that is a mean over few queries says over how many") {
  ModelBench bench("gpt2");
  choose_measure(bench, "induction");
  bench.edit(headlight::SetModelIds{{1, 5, 1, 2}});
  CHECK_THAT(bench.robot().value(map_name(0, 0)), headlight_test::ContainsSubstring(", n = 1"));
  CHECK_THAT(bench.robot().value("model.sentence"), headlight_test::ContainsSubstring("few queries (n = 1)"));
  bench.edit(headlight::SetModelIds{{1, 5, 9, 2, 7, 8, 1, 5, 9, 2, 7, 8}});
  CHECK_THAT(bench.robot().value(map_name(0, 0)), !headlight_test::ContainsSubstring("n ="));
}

TEST_CASE("map of heads: a measure is told of each head, and the heads with the most of it stand first") {
  ModelBench bench("gpt2");
  CHECK(bench.robot().value(map_name(0, 0)).empty());
  choose_measure(bench, "entropy");
  const auto entropy = [&](Index layer, Index head) {
    return double{bench.model().answer->glance->of(layer, head).measures.of(HeadMeasure::Entropy).value()};
  };
  const auto order = shown_order(bench);
  CHECK(std::is_sorted(order.begin(), order.end()));  // layer by layer
  for (const auto& [layer, head] : order)
    CHECK(bench.robot().value(map_name(layer, head)) == two_decimals(entropy(layer, head)));
  CHECK_THAT(bench.robot().value("model.sentence"), ContainsSubstring("entropy"));
  bench.click("model.heads.more");
  bench.click("model.sorted");
  const auto sorted = shown_order(bench);
  CHECK_FALSE(std::is_sorted(sorted.begin(), sorted.end()));
  for (std::size_t i = 1; i < sorted.size(); ++i)
    CHECK(entropy(sorted[i - 1].first, sorted[i - 1].second) >= entropy(sorted[i].first, sorted[i].second));
  bench.click("model.heads.more");
  bench.click("model.sorted");
  choose_measure(bench, "none");
  CHECK(bench.robot().value(map_name(0, 0)).empty());
}

TEST_CASE("map of heads: of large models all rows are in sight, of square pictures, and the page is full") {
  for (const auto& [layers, heads] : {std::pair<Index, Index>{12, 12}, {24, 16}}) {
    const TemporaryFolder folder;
    UntrainedModel made;
    made.shape.layers = layers;
    made.shape.heads = heads;
    made.shape.width = 4 * heads;
    made.texts = {headlight_test::source_root() + "/LICENSE"};
    made.output = folder / "model";
    save_untrained_model(made);
    ModelBench bench(made.output.string(), {930, 480});
    INFO(layers << " x " << heads);
    const Rect first = bench.robot().widget(map_name(0, 0)).rect;
    const Rect last = bench.robot().widget(map_name(layers - 1, heads - 1)).rect;
    CHECK(last.bottom() <= 480);
    CHECK(last.bottom() >= 480 * 0.9);
    CHECK(first.width == first.height);
    CHECK(first.height >= 6);
  }
}

TEST_CASE("map of heads: it is saved as a figure") {
  ModelBench bench("gpt2");
  bench.robot().click("model.heads.more");
  bench.robot().frames(2);
  CHECK(bench.robot().shows("model.heads.save.svg"));
  bench.click("model.heads.save.pdf");
  const std::string figure = AnalysisController::map_bytes(bench.model(), FigureOptions{}, FileFormat::Svg);
  CHECK_THAT(figure, ContainsSubstring("gpt2"));
  CHECK_THAT(figure, ContainsSubstring(">layer 1<"));
  CHECK_THAT(figure, ContainsSubstring(">head 0<"));
}

TEST_CASE("map of heads: how far a head's weights have moved since the state was kept") {
  ModelBench bench("gpt2");
  choose_measure(bench, "change");
  CHECK_FALSE(bench.robot().shows(map_name(0, 0)));  // a note says what to do first
  const OpenModel before = bench.open();
  bench.fixture.view().baseline = {std::make_shared<const Layer>(bench.fixture.layer()), "A",
                                   bench.fixture.document().session().work};
  bench.settle();
  CHECK(bench.robot().value(map_name(1, 0)) == "0.00");
  bench.edit(SetHead{0, 1, HeadState::Off});
  for (const auto& [layer, head] : shown_order(bench)) {
    const std::string told = bench.robot().value(map_name(layer, head));
    CHECK(std::abs(std::stod(told) - moved(before, bench.open(), layer, head)) < 0.006);
    CHECK(told.ends_with(", off") == (layer == 0 && head == 1));
  }
  CHECK(moved(before, bench.open(), 1, 0) > 0.01);  // else there was nothing to tell
  // A text of another length has no difference to tell.
  bench.edit_ids([](std::vector<std::int32_t>& ids) { ids.pop_back(); });
  CHECK(bench.robot().value(map_name(1, 0)).empty());
}

TEST_CASE(
    "map of heads: a head is switched off, replaced by its mean, left alone in its layer and on again") {
  ModelBench bench("gpt2");
  const auto states = [&](Index layer) {
    const auto found = bench.open().on.layers.find(layer);
    return found == bench.open().on.layers.end() ? HeadStates{} : found->second.heads;
  };
  choose_in_menu(bench, 1, 2, "off");
  REQUIRE(states(1).size() > 2);
  CHECK(states(1)[2] == HeadState::Off);
  CHECK(bench.robot().value(map_name(1, 2)) == ", off");
  CHECK(bench.tells_expected());
  choose_in_menu(bench, 1, 2, "mean");
  CHECK(states(1)[2] == HeadState::Mean);
  CHECK(bench.robot().value(map_name(1, 2)) == ", its mean over this text");
  choose_in_menu(bench, 1, 2, "on");
  CHECK(list_changes(bench.open()).empty());
  choose_in_menu(bench, 2, 0, "solo");
  CHECK(static_cast<Index>(list_changes(bench.open()).size()) == bench.open().network->config().heads - 1);
  CHECK((states(2)[0] == HeadState::On && states(2)[1] == HeadState::Off));
  CHECK(bench.tells_expected());
}

TEST_CASE("map of heads: a head that is off and one at its mean have marks of two forms") {
  const ImVec2 at = {10, 20}, end = {70, 80};
  const std::vector<HeadStroke> off = strokes_of(HeadMark::Off, at, end),
                                mean = strokes_of(HeadMark::Mean, at, end);
  CHECK(strokes_of(HeadMark::None, at, end).empty());
  REQUIRE(off.size() == 1);
  CHECK(off[0][0].y != off[0][1].y);
  REQUIRE(mean.size() == 2);
  for (const HeadStroke& line : mean)
    CHECK(line[0].y == line[1].y);
}
