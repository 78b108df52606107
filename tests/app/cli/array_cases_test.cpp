// `compute` on files of arrays in many shapes, drawn from a seed. The expected result is the weights that
// plain loops in float64 compute, or the names that an error message has to contain.
#include "tests/app/cli/array_cases.h"
#include "tests/support/family_cases.h"

using namespace headlight;
using namespace headlight_test;

TEST_CASE("array cases: a mask of 0 and very negative numbers is added, whatever its axes") {
  with_seeds([](Draw& draw, Cases& cases) {
    for (const double low : {-1e9, -1e4, -65504.0, double{std::numeric_limits<float>::lowest()}, kClosed}) {
      const Sizes s = draw.sizes();
      const Given a = given(draw, s);
      const auto value = [&](Index row, Index column) {
        return column > row % s.queries ? static_cast<float>(low) : 0.0f;
      };
      for (const std::vector<Index>& leading :
           {std::vector<Index>{}, {1, 1}, {s.sequences, 1}, {s.sequences, s.heads}}) {
        std::vector<Index> shape = leading;
        shape.insert(shape.end(), {s.queries, s.keys});
        for (const char* name : {"mask", "attention_mask", "attn_mask"})
          cases.check(a.with({mask_array(name, shape, value)}), weights_of(a, s, causal(s, low)));
      }
    }
  });
}

TEST_CASE(
    "array cases: padding, as the hub and as torch.nn have it, added to the scores, and beside a mask") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const Index first = draw.whole(1, 3);
    const Added padded = [&](Index b, Index, Index, Index k) { return k < first - (b > 0) ? kClosed : 0.0; };
    const auto value = [&](float closed, float open) {
      return [=](Index row, Index column) { return column < first - (row > 0) ? closed : open; };
    };
    const std::vector<Index> shape = {s.sequences, s.keys}, four = {s.sequences, 1, 1, s.keys};
    const std::vector<double> expected = weights_of(a, s, padded);
    cases.check(a.with({mask_array("attention_mask", shape, value(0, 1))}), expected);
    cases.check(a.with({mask_array("attention_mask", four, value(0, 1))}), expected);
    cases.check(a.with({mask_array("attention_mask", four, value(-10000, 0))}), expected);
    for (const char* name : {"key_padding_mask", "src_key_padding_mask", "memory_key_padding_mask"})
      cases.check(a.with({mask_array(name, shape, value(1, 0))}), expected);
    cases.refused(a.with({mask_array("padding_mask", shape, value(1, 0))}), {"padding_mask", "--mask-as"});
    const auto upper = [&](Index row, Index column) { return column > row ? 1.0f : 0.0f; };
    const Added both = [&](Index b, Index h, Index q, Index k) {
      return padded(b, h, q, k) + causal(s)(b, h, q, k);
    };
    cases.check(a.with({mask_array("key_padding_mask", shape, value(1, 0)),
                        mask_array("attn_mask", {s.queries, s.keys}, upper)}),
                weights_of(a, s, both), {"--mask-true", "forbidden"});
    cases.check(a.with({mask_array("attention_mask", shape, value(0, 1))}), weights_of(a, s, both),
                {"--causal"});
  });
}

TEST_CASE("array cases: what True means is believed where the name says it, and else asked") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const std::vector<Index> shape = {s.queries, s.keys};
    const auto lower = [](Index row, Index column) { return column > row ? 0.0f : 1.0f; };
    const auto upper = [](Index row, Index column) { return column > row ? 1.0f : 0.0f; };
    const std::vector<double> expected = weights_of(a, s, causal(s));
    const Added ahead = [](Index, Index, Index q, Index k) { return k > q ? 0.0 : kClosed; };
    for (const char* name : {"attn_mask", "src_mask", "tgt_mask", "memory_mask"}) {
      cases.refused(a.with({mask_array(name, shape, upper)}), {name, "--mask-as"});
      cases.refused(a.with({mask_array(name, shape, lower)}), {name, "--mask-as"});
      cases.check(a.with({mask_array(name, shape, upper)}), expected, {"--mask-true", "forbidden"});
      cases.check(a.with({mask_array(name, shape, lower)}), expected, {"--mask-true", "allowed"});
    }
    for (const char* name : {"mask", "causal_mask", "attention_mask"})
      cases.check(a.with({mask_array(name, shape, lower)}), expected);
    cases.check(a.with({mask_array("causal_mask", shape, upper)}), expected);
    for (const char* name : {"mask", "attention_mask"}) {
      cases.refused(a.with({mask_array(name, shape, upper)}), {name, "--mask-as"});
      cases.check(a.with({mask_array(name, shape, upper)}), weights_of(a, s, ahead),
                  {"--mask-true", "allowed"});
      cases.check(a.with({mask_array(name, shape, upper)}), expected, {"--mask-true", "forbidden"});
    }
    const auto checkered = [](Index row, Index column) { return (row + column) % 2 == 0 ? 1.0f : 0.0f; };
    cases.refused(a.with({mask_array("mask", shape, checkered)}), {"mask", "--mask-as"});
  });
}

TEST_CASE("array cases: a mask of nothing but 0 shuts nothing, whatever its name and axes") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const auto zero = [](Index, Index) { return 0.0f; };
    const std::vector<std::vector<Index>> shapes = {
        {s.queries, s.keys}, {s.sequences, 1, s.queries, s.keys}, {s.sequences, 1, 1, s.keys}};
    for (const char* name : {"attention_mask", "mask", "attn_mask"})
      for (const std::vector<Index>& shape : shapes)
        cases.check(a.with({mask_array(name, shape, zero)}), weights_of(a, s, nothing), {"--layout", "bhtd"});
    const auto one = [](Index, Index) { return 1.0f; };
    cases.refused(a.with({mask_array("key_padding_mask", {s.sequences, s.keys}, one)}),
                  {"key_padding_mask", "--mask-as"}, {"--layout", "bhtd"});
  });
}

TEST_CASE("array cases: a mask that finds no place, or that no name tells, is not left out") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const auto lower = [](Index row, Index column) { return column > row ? 0.0f : 1.0f; };
    const auto padding = [&](Index, Index column) { return column + 1 < s.keys ? 1.0f : 0.0f; };
    const NamedArray keys = mask_array("attention_mask", {s.sequences, s.keys}, padding);
    const std::vector<Index> pairs = {s.queries, s.keys};
    for (const char* name : {"attn_mask", "causal_mask"})
      cases.refused(a.with({keys, mask_array(name, pairs, lower)}), {name},
                    {"--layout", "bhtd", "--mask-true", "allowed"});
    for (const char* name : {"subsequent_mask", "look_ahead_mask", "tril"})
      cases.refused(a.with({mask_array(name, pairs, lower)}), {name}, {"--layout", "bhtd"});
  });
}

// GPT-2 and TransformerLens save a causal mask beside the weights, as large as the longest context.
TEST_CASE("array cases: the causal mask of a longer text is no mask that was left out") {
  for (const std::string family : kFamilies) {
    INFO(family);
    Workplace place;
    const Outcome outcome =
        run({"compute", family_layer(family).string(), "-o", place.path("out.npz"), "--force"});
    INFO(outcome.err);
    REQUIRE(outcome.status() == 0);
    const NamedArray expected = read_npz(family_folder(family) / "expected.npz", "weights");
    check_weights(place.path("out.npz"), {expected.values.begin(), expected.values.end()});
  }
}

TEST_CASE("array cases: a longer text's causal mask is asked about where nothing says causal") {
  Draw draw(5);
  Cases cases;
  const Sizes s = draw.sizes();
  const Given a = given(draw, s);
  const auto lower = [](Index row, Index column) { return column > row ? 0.0f : 1.0f; };
  const NamedArray buffer = mask_array("attn.mask", {1, 1, 16, 16}, lower);
  cases.refused(a.with({buffer}), {"attn.mask", "--causal"}, {"--layout", "bhtd"});
  cases.check(a.with({buffer}), weights_of(a, s, causal(s)), {"--layout", "bhtd", "--causal"});
}

TEST_CASE("array cases: a mask of other numbers than 0 and 1 is refused by its name") {
  Draw draw(2);
  Cases cases;
  const Sizes s = draw.sizes();
  const auto many = [](Index row, Index column) { return static_cast<float>((row + column) % 3); };
  for (const char* name : {"attention_mask", "mask"})
    cases.refused(given(draw, s).with({mask_array(name, {s.queries, s.keys}, many)}), {name, "0 and 1"},
                  {"--layout", "bhtd"});
}

TEST_CASE("array cases: an axis of heads is cut by no other number of heads of keys") {
  Draw draw(3);
  Cases cases;
  Sizes s = draw.sizes();
  s.heads = s.kv_heads = 4;
  const Given a = given(draw, s);
  cases.check(a.with(), weights_of(a, s, nothing), {"--layout", "bhtd"});
  cases.refused(a.with(), {"--kv-heads"}, {"--layout", "bhtd", "--kv-heads", "2"});
}

TEST_CASE("array cases: arrays are not called embeddings against their names") {
  Draw draw(4);
  Cases cases;
  for (const char* name : {"qkv", "input_ids", "attn.unknown.weight", "logits"})
    cases.refused({draw.array(name, {5, 12})}, {name});
  CHECK_THAT(cases.compute({draw.array("thing", {5, 12})}, {}).err, ContainsSubstring("thing"));
}

TEST_CASE("array cases: weights between two texts are weights without an axis of heads, too") {
  Draw draw(5);
  Cases cases;
  const Sizes s = {1, 1, 1, 3, 8, 2};
  NamedArray weights{"weights", {3, 8}, {}};
  std::vector<double> expected = weights_of(given(draw, s), s, nothing);
  for (const double weight : expected)
    weights.values.push_back(static_cast<float>(weight));
  cases.check({weights}, expected);
}

TEST_CASE("array cases: as many sequences as the first axis of the weights has are no layers") {
  Draw draw(6);
  Cases cases;
  const Sizes s = {2, 2, 2, 5, 5, 3};
  const Given a = given(draw, s);
  const std::vector<double> expected = weights_of(a, s, nothing);
  NamedArray weights{"attentions", {2, 2, 5, 5}, {}};
  for (const double weight : expected)
    weights.values.push_back(static_cast<float>(weight));
  cases.check({weights, a.values}, expected);
  CHECK_THAT(cases.compute({weights}, {}).err, ContainsSubstring("attn_weights"));
}

TEST_CASE("array cases: fewer queries than keys are the last ones of a causal text") {
  with_seeds([](Draw& draw, Cases& cases) {
    for (const Index queries : {Index{1}, Index{3}}) {
      Sizes s = draw.sizes();
      s.queries = queries;
      s.keys = draw.whole(6, 9);
      const Given a = given(draw, s);
      cases.check(a.with(), weights_of(a, s, causal(s)), {"--causal", "--layout", "bhtd"});
      cases.check(a.with(), weights_of(a, s, nothing), {"--layout", "bhtd"});
    }
  });
}

TEST_CASE("array cases: the order of the axes is told by other arrays, or asked") {
  with_seeds([](Draw& draw, Cases& cases) {
    Sizes s = draw.sizes();
    s.kv_heads = s.heads = draw.whole(2, 4);
    const Given a = given(draw, s);
    const Given third = {swapped_axes(a.queries), swapped_axes(a.keys), swapped_axes(a.values)};
    const std::vector<double> expected = weights_of(a, s, causal(s));
    cases.refused(a.with(), {"queries", "--layout"});
    cases.check(a.with(), expected, {"--causal", "--layout", "bhtd"});
    cases.check(third.with(), expected, {"--causal", "--layout", "bthd"});
    cases.check(third.with(), expected, {"--causal", "--heads", std::to_string(s.heads)});
    const auto lower = [](Index row, Index column) { return column > row ? 0.0f : 1.0f; };
    cases.check(third.with({mask_array("mask", {s.queries, s.keys}, lower)}), expected);
    s.sequences = 1;
    const Given one = given(draw, s);
    const auto without_first = [](NamedArray array) {
      array.shape.erase(array.shape.begin());
      return array;
    };
    const Given heads_first = {without_first(one.queries), without_first(one.keys),
                               without_first(one.values)};
    const Given tokens_first = {without_first(swapped_axes(one.queries)),
                                without_first(swapped_axes(one.keys)),
                                without_first(swapped_axes(one.values))};
    cases.refused(heads_first.with(), {"--layout"});
    cases.check(heads_first.with(), weights_of(one, s, causal(s)), {"--causal", "--layout", "htd"});
    cases.check(tokens_first.with(), weights_of(one, s, causal(s)), {"--causal", "--layout", "thd"});
  });
}

TEST_CASE("array cases: saved weights stay what they are, with NaN and between two texts") {
  with_seeds([](Draw& draw, Cases& cases) {
    Sizes s = draw.sizes();
    for (const bool cross : {false, true}) {
      if (cross) s.keys = s.queries + draw.whole(1, 4);
      const std::vector<double> rows = softmax_of(
          s, [&](Index, Index, Index, Index) { return draw.array("", {1}).values[0]; }, nothing);
      NamedArray saved{
          cross ? "cross_attn_weights" : "attention_probs", {s.sequences, s.heads, s.queries, s.keys}, {}};
      saved.values.assign(rows.begin(), rows.end());
      std::vector<double> expected(saved.values.begin(), saved.values.end());
      cases.check({saved}, expected);
      for (Index k = 0; k < s.keys; ++k)
        expected[static_cast<std::size_t>(2 * s.keys + k)] =
            saved.values[static_cast<std::size_t>(2 * s.keys + k)] = std::numeric_limits<float>::quiet_NaN();
      CHECK_THAT(cases.check({saved}, expected), ContainsSubstring("NaN"));
      for (const char* name : {"attentions", "cross_attentions", "arr_0"}) {
        saved.name = name;
        if (s.sequences == 1) cases.check({saved}, expected);
      }
    }
  });
}

TEST_CASE("array cases: weights that may be averaged over the heads are asked about") {
  with_seeds([](Draw& draw, Cases& cases) {
    Sizes s = draw.sizes();
    s.heads = 1;
    s.sequences = draw.whole(2, 3);
    const std::vector<double> rows = softmax_of(
        s, [&](Index, Index, Index, Index) { return draw.array("", {1}).values[0]; }, nothing);
    NamedArray saved{"attn_output_weights", {s.sequences, s.queries, s.keys}, {}};
    saved.values.assign(rows.begin(), rows.end());
    const std::vector<double> expected(saved.values.begin(), saved.values.end());
    cases.refused({saved}, {"attn_output_weights", "--layout", "--heads"});
    cases.check({saved}, expected, {"--heads", "1"});
    cases.check({saved}, expected, {"--heads", std::to_string(s.sequences)});
    saved.name = "attentions";
    CHECK_THAT(cases.check({saved}, expected), ContainsSubstring("heads"));
    NamedArray input = draw.array("hidden_states", {s.sequences, s.queries, 4});
    cases.refused({saved, input}, {"attentions", "--heads"});
  });
}

TEST_CASE("array cases: scores before the softmax enter as scores") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    NamedArray scores = draw.array("", {s.sequences, s.heads, s.queries, s.keys});
    const Added product = [&](Index b, Index h, Index q, Index k) {
      return double{
          scores.values[static_cast<std::size_t>(((b * s.heads + h) * s.queries + q) * s.keys + k)]};
    };
    for (const char* name : {"scores", "attn_scores", "attention_scores", "attentions", "logits", "arr_0"}) {
      scores.name = name;
      const bool layers = scores.name == "attentions" || scores.name == "arr_0";  // axis 0 above 1: layers
      if (layers && s.sequences > 1) continue;
      cases.check({scores}, softmax_of(s, product, nothing));
      cases.check({scores}, softmax_of(s, product, causal(s)), {"--causal"});
    }
    NamedArray closed = scores;
    for (std::size_t i = 0; i < closed.values.size(); ++i)
      if (static_cast<Index>(i) % s.keys > static_cast<Index>(i) / s.keys % s.queries)
        closed.values[i] = -std::numeric_limits<float>::infinity();
    closed.name = "scores";
    cases.check({closed}, softmax_of(s, product, causal(s)));
  });
}

namespace {

// A layer of H query heads and G key heads of d_k dimensions: its weights in the layout of nn.Linear
// (out x in), and the queries, keys and values that they compute from the input `x`.
struct LayerCase {
  Sizes s;
  Index d_in;
  NamedArray x, query, key, value;  // query: H d_k x d_in
  Given made() const {
    const auto product = [this](const NamedArray& w, Index heads) {
      NamedArray result{w.name, {1, heads, s.queries, s.width}, {}};
      for (Index h = 0; h < heads; ++h)
        for (Index t = 0; t < s.queries; ++t)
          for (Index i = 0; i < s.width; ++i) {
            double sum = 0;
            for (Index k = 0; k < d_in; ++k)
              sum += double{x.values[static_cast<std::size_t>(t * d_in + k)]} *
                     double{w.values[static_cast<std::size_t>((h * s.width + i) * d_in + k)]};
            result.values.push_back(static_cast<float>(sum));
          }
      return result;
    };
    Given all = {product(query, s.heads), product(key, s.kv_heads), product(value, s.kv_heads)};
    all.queries.name = "queries";
    all.keys.name = "keys";
    all.values.name = "values";
    return all;
  }
};

LayerCase layer(Draw& draw, Index kv_heads, Index share) {
  LayerCase l;
  l.s = {1, kv_heads * share, kv_heads, 0, 0, draw.whole(2, 4)};
  l.s.queries = l.s.keys = draw.whole(5, 7);
  l.d_in = l.s.heads * l.s.width;
  l.x = draw.array("hidden_states", {1, l.s.queries, l.d_in});
  l.query = draw.array("q_proj.weight", {l.s.heads * l.s.width, l.d_in});
  l.key = draw.array("k_proj.weight", {kv_heads * l.s.width, l.d_in});
  l.value = draw.array("v_proj.weight", {kv_heads * l.s.width, l.d_in});
  return l;
}

// Appends rows `begin` to `begin` + `count` of `from`.
void add_rows(NamedArray& to, const NamedArray& from, Index begin, Index count) {
  const Index columns = from.shape[1];
  to.values.insert(to.values.end(), from.values.begin() + begin * columns,
                   from.values.begin() + (begin + count) * columns);
  to.shape[0] += count;
}

NamedArray side_by_side(const LayerCase& l, const std::string& name) {
  NamedArray fused{name, {0, l.d_in}, {}};
  for (const NamedArray* part : {&l.query, &l.key, &l.value})
    add_rows(fused, *part, 0, part->shape[0]);
  return fused;
}

NamedArray by_groups(const LayerCase& l, const std::string& name) {
  NamedArray fused{name, {0, l.d_in}, {}};
  const Index queries = l.s.heads / l.s.kv_heads * l.s.width;
  for (Index g = 0; g < l.s.kv_heads; ++g) {
    add_rows(fused, l.query, g * queries, queries);
    add_rows(fused, l.key, g * l.s.width, l.s.width);
    add_rows(fused, l.value, g * l.s.width, l.s.width);
  }
  return fused;
}

// The weights `w` as H x d_in x d_k, or as d_in x H x d_k.
NamedArray with_head_axis(const LayerCase& l, const NamedArray& w, const std::string& name,
                          bool heads_first) {
  const Index heads = w.shape[0] / l.s.width;
  NamedArray result{name, {heads_first ? heads : l.d_in, heads_first ? l.d_in : heads, l.s.width}, {}};
  for (Index a = 0; a < result.shape[0]; ++a)
    for (Index b = 0; b < result.shape[1]; ++b)
      for (Index i = 0; i < l.s.width; ++i)
        result.values.push_back(w.values[static_cast<std::size_t>(
            ((heads_first ? a : b) * l.s.width + i) * l.d_in + (heads_first ? b : a))]);
  return result;
}

std::vector<std::string> heads_of(const Sizes& s, bool both = true) {
  std::vector<std::string> options = {"--causal", "--heads", std::to_string(s.heads)};
  if (both) options.insert(options.end(), {"--kv-heads", std::to_string(s.kv_heads)});
  return options;
}

}  // namespace

TEST_CASE("array cases: queries, keys and values in one array, also where heads share keys") {
  with_seeds([](Draw& draw, Cases& cases) {
    const LayerCase l = layer(draw, draw.whole(1, 2), 2);
    const std::vector<double> expected = weights_of(l.made(), l.s, causal(l.s));
    for (const char* name : {"qkv_proj.weight", "model.layers.0.self_attn.qkv_proj.weight", "Wqkv.weight"}) {
      if (std::string(name).find("layers") == std::string::npos)
        cases.check({l.x, side_by_side(l, name)}, expected, heads_of(l.s));
      else
        cases.refused({l.x, side_by_side(l, name)}, {name, "--heads"});
    }
    for (const char* name :
         {"query_key_value.weight", "transformer.h.0.self_attention.query_key_value.weight"})
      cases.check({l.x, by_groups(l, name)}, expected, heads_of(l.s));
    cases.refused({l.x, by_groups(l, "query_key_value.weight")}, {"query_key_value.weight", "--heads"});
    cases.check({l.x, l.query, l.key, l.value}, expected, heads_of(l.s, false));
    cases.refused({l.x, l.query, l.key, l.value}, {"proj.weight", "--heads"});
    const LayerCase equal = layer(draw, 3, 1);
    const std::vector<double> three = weights_of(equal.made(), equal.s, causal(equal.s));
    for (const char* name : {"W_pack.weight", "qkv_proj.weight", "in_proj_weight"})
      cases.check({equal.x, side_by_side(equal, name)}, three, heads_of(equal.s, false));
    cases.check({equal.x, by_groups(equal, "h.0.self_attention.query_key_value.weight")}, three,
                heads_of(equal.s, false));
  });
}

TEST_CASE("array cases: weights with an axis of heads, as TransformerLens and Flax have them") {
  with_seeds([](Draw& draw, Cases& cases) {
    const LayerCase l = layer(draw, draw.whole(1, 2), 2);
    const std::vector<double> expected = weights_of(l.made(), l.s, causal(l.s));
    cases.check({l.x, with_head_axis(l, l.query, "blocks.0.attn.W_Q", true),
                 with_head_axis(l, l.key, "blocks.0.attn.W_K", true),
                 with_head_axis(l, l.value, "blocks.0.attn.W_V", true)},
                expected, {"--causal"});
    cases.check({l.x, with_head_axis(l, l.query, "attention.query.kernel", false),
                 with_head_axis(l, l.key, "attention.key.kernel", false),
                 with_head_axis(l, l.value, "attention.value.kernel", false)},
                expected, {"--causal"});
  });
}

TEST_CASE(
    "array cases: matrices for the same place, quantised ones and inputs beside their matrices are refused") {
  with_seeds([](Draw& draw, Cases& cases) {
    const LayerCase l = layer(draw, 2, 1);
    const std::vector<std::string> heads = {"--heads", std::to_string(l.s.heads)};
    NamedArray extra = l.query;
    extra.name = "q_attn.weight";
    NamedArray fused = side_by_side(l, "c_attn.weight");
    cases.refused({l.x, fused, extra}, {"q_attn.weight"}, heads);
    NamedArray scales = draw.array("q_proj.SCB", {l.d_in});
    cases.refused({l.x, l.query, l.key, l.value, scales}, {"q_proj.SCB"}, heads);
    std::vector<NamedArray> inputs = {side_by_side(l, "in_proj_weight")};
    for (const char* name : {"query", "key", "value"}) {
      inputs.push_back(l.x);
      inputs.back().name = name;
    }
    cases.refused(inputs, {"in_proj_weight", "hidden_states"}, heads);
  });
}

TEST_CASE("array cases: a square output lies as the fused matrix beside it does") {
  Draw draw(7);
  Cases cases;
  const LayerCase l = layer(draw, 2, 1);
  NamedArray output = draw.array("c_proj.weight", {l.d_in, l.d_in});
  const std::string told =
      cases.check({l.x, side_by_side(l, "c_attn.weight"), output}, weights_of(l.made(), l.s, nothing),
                  {"--heads", std::to_string(l.s.heads)});
  CHECK_THAT(told, ContainsSubstring("c_proj.weight: taken as d_out x d_in"));
  const NamedArray concat = read_npz(cases.path("out.npz"), "concat");
  const NamedArray made = read_npz(cases.path("out.npz"), "output");
  const auto d = static_cast<std::size_t>(l.d_in);
  for (std::size_t t = 0; t < made.values.size() / d; ++t)
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < d; ++k)
        sum += double{concat.values[t * d + k]} * double{output.values[i * d + k]};
      CHECK(std::abs(sum - double{made.values[t * d + i]}) < 1e-4);
    }
}

TEST_CASE("array cases: nothing is drawn in the place of arrays that are not understood") {
  with_seeds([](Draw& draw, Cases& cases) {
    const LayerCase l = layer(draw, 2, 1);
    const NamedArray strange = side_by_side(l, "some.other_proj.weight");
    cases.refused({l.x, strange}, {"some.other_proj.weight"});
    cases.refused({l.x, l.query, strange}, {"some.other_proj.weight"});
    cases.refused({l.x, l.query, l.key}, {"W_value"});
    cases.refused({l.query, l.key, l.value}, {"q_proj.weight", "hidden_states"},
                  {"--heads", std::to_string(l.s.heads)});
    const Given a = given(draw, l.s);
    cases.refused({a.queries, a.keys}, {"values"});
    CHECK_THAT(
        cases.check(l.made().with({strange}), weights_of(l.made(), l.s, nothing), {"--layout", "bhtd"}),
        ContainsSubstring("not used: some.other_proj.weight"));
  });
}

TEST_CASE("array cases: keys and values made of inputs of two widths are named and refused") {
  Cases cases;
  Draw draw(1);
  cases.refused({draw.array("hidden_states", {5, 8}), draw.array("q_proj_weight", {8, 8}),
                 draw.array("k_proj_weight", {8, 6}), draw.array("v_proj_weight", {8, 4}),
                 draw.array("memory", {7, 6})},
                {"k_proj_weight", "v_proj_weight"});
}

TEST_CASE("array cases: tokens of arrays that have none are numbers, and a file names them") {
  Cases cases;
  Draw draw(3);
  Sizes s{1, 2, 2, 5, 5, 3};
  const Given a = given(draw, s);
  write_npz(cases.path("case.npz"), a.with());
  const std::string file = cases.path("case.npz"), words = cases.path("words.txt");
  std::vector<std::string> line = {"print", file, "--stage", "weights", "--head", "0", "--layout", "bhtd"};
  CHECK_THAT(run(line).out, ContainsSubstring("\n0  ") && ContainsSubstring("\n4  "));
  write_file_atomically(words, "the\ncat\nsat\non\nit\n");
  line.insert(line.end(), {"--tokens", words});
  CHECK_THAT(run(line).out, ContainsSubstring("the") && ContainsSubstring("\ncat  "));
  write_file_atomically(words, "the\ncat\n");
  CHECK(run(line).status() == 1);
  CHECK_THAT(run(line).err, ContainsSubstring("2 tokens"));
}

TEST_CASE("array cases: heads, export and print take arrays; options of arrays go with nothing else") {
  Cases cases;
  Draw draw(4);
  Sizes s{1, 2, 2, 5, 5, 3};
  write_npz(cases.path("case.npz"), given(draw, s).with());
  const std::string file = cases.path("case.npz");
  CHECK(run({"heads", file, "--layout", "bhtd"}).status() == 0);
  CHECK(run({"export", file, "--stage", "weights", "--layout", "bhtd", "-o", cases.path("w.csv")}).status() ==
        0);
  CHECK(run({"print", file, "--stage", "scores", "--layout", "bhtd", "--causal"}).status() == 0);
  CHECK(run({"heads", file}).status() == 1);
  const Workplace place;
  for (const std::string option : {"--causal", "--layer=0"})
    CHECK(run({"compute", place.session(), option, "-o", place.path("o.npz")}).status() != 0);
  CHECK(run({"compute", file, "--layout", "hdbt", "-o", place.path("o.npz")}).status() == 2);
}

TEST_CASE("array cases: a table of relative positions of more heads than numbers is refused by name") {
  Cases cases;
  Draw draw(5);
  write_npz(cases.path("case.npz"),
            {draw.array("hidden_states", {3, 4}), draw.array("relative_attention_bias.weight", {8, 8})});
  const Outcome outcome = run({"print", cases.path("case.npz"), "--stage", "weights"});
  CHECK(outcome.status() == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("relative_attention_bias.weight"));
}

TEST_CASE("array cases: arrays of known names and any shapes are computed or refused") {
  const std::vector<std::string> names = {"hidden_states",
                                          "embeddings",
                                          "queries",
                                          "keys",
                                          "values",
                                          "attn_weights",
                                          "scores",
                                          "mask",
                                          "attn_mask",
                                          "key_padding_mask",
                                          "q_proj.weight",
                                          "k_proj.weight",
                                          "v_proj.weight",
                                          "o_proj.weight",
                                          "c_attn.weight",
                                          "c_attn.bias",
                                          "in_proj_weight",
                                          "query_key_value.weight",
                                          "relative_attention_bias.weight",
                                          "W_Q",
                                          "W_K",
                                          "W_V",
                                          "W_O",
                                          "alibi_slopes",
                                          "attentions",
                                          "encoder_hidden_states",
                                          "q_norm.weight",
                                          "tokens"};
  Cases cases;
  Draw draw(6);
  int computed = 0;
  for (int trial = 0; trial < 600; ++trial) {
    std::vector<NamedArray> arrays;
    std::string shapes;
    const Index count = draw.whole(1, 4), side = draw.whole(1, 8);
    for (Index i = 0; i < count; ++i) {
      const std::string& name =
          names[static_cast<std::size_t>(draw.whole(0, static_cast<Index>(names.size()) - 1))];
      if (std::any_of(arrays.begin(), arrays.end(), [&](const NamedArray& a) { return a.name == name; }))
        continue;
      std::vector<Index> shape;
      for (Index axes = draw.whole(1, 4); axes > 0; --axes)
        shape.push_back(draw.whole(0, 2) > 0 ? side : draw.whole(0, 9));
      shapes += " " + name;
      for (const Index size : shape)
        shapes += "," + std::to_string(size);
      arrays.push_back(draw.array(name, shape));
    }
    INFO("trial " << trial << ":" << shapes);
    write_npz(cases.path("case.npz"), arrays);
    const Outcome outcome = run({"print", cases.path("case.npz"), "--stage", "weights"});
    CHECK((outcome.status() == 0 || outcome.status() == 1));
    computed += outcome.status() == 0;
  }
  CHECK(computed > 10);
}
