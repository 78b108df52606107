// Arrays that act on attention beside queries, keys and values: read as plain loops compute, asked about, or
// refused.
#include "engine/array_import/acting_names.h"
#include "engine/array_import/array_names.h"
#include "tests/app/cli/array_cases.h"
#include "tests/support/places.h"

using namespace headlight;
using namespace headlight_test;

namespace {

const std::vector<std::string> kBhtd = {"--layout", "bhtd"}, kCausal = {"--layout", "bhtd", "--causal"};

NamedArray numbers(const std::string& name, std::vector<Index> shape, std::vector<float> values) {
  return {name, std::move(shape), std::move(values)};
}

Added both(const Added& a, const Added& b) {
  return [=](Index s, Index h, Index q, Index k) { return a(s, h, q, k) + b(s, h, q, k); };
}

Added open_if(std::function<bool(Index, Index, Index)> open) {
  return [=](Index b, Index, Index q, Index k) { return open(b, q, k) ? 0.0 : kClosed; };
}

// The words of a row of the table.
std::vector<std::string> words_of(std::string_view names) {
  std::vector<std::string> words;
  std::istringstream text{std::string(names)};
  for (std::string word; text >> word;)
    words.push_back(word);
  return words;
}

}  // namespace

TEST_CASE("acting arrays: each name has one row, and those that are read have their role") {
  std::map<std::string, int> rows;
  for (const ActingName& acting : acting_names()) {
    CHECK_FALSE(acting.does.empty());
    CHECK_FALSE(acting.how.empty());
    for (const std::string& word : words_of(acting.names)) {
      INFO(word);
      CHECK(++rows[word] == 1);
      if (word.front() == '*') continue;
      CHECK(acting_name(word) == &acting);
      CHECK(acting_name("model.layers.0.self_attn." + word) != nullptr);
      CHECK(read_array_name(word, 1).role == acting.role);
    }
  }
}

TEST_CASE("acting arrays: the manual has the table of names") {
  const std::string page = read_file(source_root() + "/app/manual/arrays.md");
  INFO("the table that the page should have:\n" << acting_names_markdown());
  CHECK(page.find(acting_names_markdown()) != std::string::npos);
}

TEST_CASE("acting arrays: lengths close the keys behind them, for sequences and for queries") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    NamedArray lengths = numbers("valid_lens", {s.sequences}, {});
    for (Index b = 0; b < s.sequences; ++b)
      lengths.values.push_back(static_cast<float>(draw.whole(0, s.keys)));
    const auto length = [&](Index at) {
      return static_cast<Index>(lengths.values[static_cast<std::size_t>(at)]);
    };
    cases.check(a.with({lengths}),
                weights_of(a, s, open_if([&](Index b, Index, Index k) { return k < length(b); })), kBhtd);
    lengths.name = "lengths";
    cases.check(
        a.with({lengths}),
        weights_of(a, s, both(causal(s), open_if([&](Index b, Index, Index k) { return k < length(b); }))),
        kCausal);
    lengths = numbers("seq_lens", {s.sequences, s.queries}, {});
    for (Index i = 0; i < s.sequences * s.queries; ++i)
      lengths.values.push_back(static_cast<float>(draw.whole(0, s.keys)));
    cases.check(
        a.with({lengths}),
        weights_of(a, s, open_if([&](Index b, Index q, Index k) { return k < length(b * s.queries + q); })),
        kBhtd);
    lengths.values[1] = static_cast<float>(s.keys + 1);
    cases.refused(a.with({lengths}), {"seq_lens", "number 2", std::to_string(s.keys)}, kBhtd);
    cases.refused(a.with({numbers("valid_lens", {s.sequences + 3},
                                  std::vector<float>(static_cast<std::size_t>(s.sequences) + 3, 1))}),
                  {"valid_lens"}, kBhtd);
  });
}

TEST_CASE("acting arrays: texts that are packed into one row look at themselves") {
  with_seeds([](Draw& draw, Cases& cases) {
    Sizes s = draw.sizes();
    s.sequences = 1;
    s.queries = s.keys = draw.whole(7, 9);
    const Given a = given(draw, s);
    const Index first = draw.whole(1, 3), second = draw.whole(4, 6);
    const auto text = [&](Index t) { return 1 + (t >= first) + (t >= second); };
    const Added apart = open_if([&](Index, Index q, Index k) { return text(q) == text(k); });
    const std::vector<double> packed = weights_of(a, s, both(causal(s), apart));
    std::vector<float> positions, texts, straight;
    for (Index t = 0; t < s.keys; ++t) {
      texts.push_back(static_cast<float>(text(t)));
      positions.push_back(static_cast<float>(t - (t >= second ? second : t >= first ? first : 0)));
      straight.push_back(static_cast<float>(t + 40));
    }
    const float end = static_cast<float>(s.keys);
    cases.check(a.with({numbers("position_ids", {1, s.keys}, positions)}), packed, kCausal);
    cases.check(a.with({numbers("segment_ids", {1, s.keys}, texts)}), packed, kCausal);
    cases.check(a.with({numbers("document_ids", {s.keys}, texts)}), packed, kCausal);
    cases.check(a.with({numbers("attention_mask", {1, s.keys}, texts)}), packed, kCausal);
    cases.check(
        a.with({numbers("cu_seqlens", {4}, {0, static_cast<float>(first), static_cast<float>(second), end})}),
        packed, kCausal);
    cases.check(a.with({numbers("segment_ids", {1, s.keys}, texts)}), weights_of(a, s, apart), kBhtd);
    const std::vector<double> one = weights_of(a, s, causal(s));
    cases.check(a.with({numbers("position_ids", {1, s.keys}, straight)}), one, kCausal);
    cases.check(a.with({numbers("segment_ids", {1, s.keys}, std::vector<float>(positions.size(), 1))}), one,
                kCausal);
    positions[static_cast<std::size_t>(second)] = positions[static_cast<std::size_t>(second) - 1] + 3;
    cases.refused(a.with({numbers("position_ids", {1, s.keys}, positions)}),
                  {"position_ids", "number " + std::to_string(second + 1)}, kCausal);
    for (const std::vector<float>& wrong :
         {std::vector<float>{0, 3}, {1, end}, {0, end, 2, end}, {0, 2, end + 1}})
      cases.refused(a.with({numbers("cu_seqlens", {static_cast<Index>(wrong.size())}, wrong)}),
                    {"cu_seqlens"}, kCausal);
    const NamedArray q = numbers("cu_seqlens_q", {2}, {0, end});
    cases.check(a.with({q, numbers("cu_seqlens_k", {2}, {0, end})}), one, kCausal);
    cases.refused(a.with({q, numbers("cu_seqlens_k", {3}, {0, 2, end})}), {"cu_seqlens_k"}, kCausal);
  });
}

TEST_CASE("acting arrays: a sink takes part in the softmax of its head") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const NamedArray sinks = draw.array("sinks", {s.heads});
    // The weights with one more key, whose column is dropped.
    Sizes wider = s;
    ++wider.keys;
    std::vector<double> expected;
    const Added plain = causal(s);
    std::vector<double> all = softmax_of(
        wider,
        [&](Index b, Index h, Index q, Index k) {
          if (k == s.keys) return double{sinks.values[static_cast<std::size_t>(h)]};
          const Index group = h / (s.heads / s.kv_heads);
          double sum = 0;
          for (Index i = 0; i < s.width; ++i)
            sum += double{a.queries.values[static_cast<std::size_t>(
                       ((b * s.heads + h) * s.queries + q) * s.width + i)]} *
                   double{a.keys.values[static_cast<std::size_t>(
                       ((b * s.kv_heads + group) * s.keys + k) * s.width + i)]};
          return sum / std::sqrt(static_cast<double>(s.width));
        },
        [&](Index b, Index h, Index q, Index k) { return k == s.keys ? 0.0 : plain(b, h, q, k); });
    for (std::size_t i = 0; i < all.size(); ++i)
      if (static_cast<Index>(i) % wider.keys != s.keys) expected.push_back(all[i]);
    cases.check(a.with({sinks}), expected, kCausal);
    cases.refused(a.with({draw.array("sinks", {s.heads + 1})}), {"sinks"}, kCausal);
  });
}

TEST_CASE("acting arrays: settings that are single numbers are read") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const auto one = [](const char* name, float value) { return numbers(name, {}, {value}); };
    Given scaled = a;
    for (float& value : scaled.queries.values)
      value *= 0.25f * std::sqrt(static_cast<float>(s.width));
    CHECK_THAT(cases.check(a.with({one("softmax_scale", 0.25f)}), weights_of(scaled, s, nothing), kBhtd),
               ContainsSubstring("softmax_scale: the scale is 0.25"));
    cases.check(a.with({one("is_causal", 1)}), weights_of(a, s, causal(s)), kBhtd);
    cases.check(a.with({one("is_causal", 0), one("dropout_p", 0.1f)}), weights_of(a, s, nothing), kBhtd);
    const Added window = open_if([](Index, Index q, Index k) { return q - k < 2; });
    cases.check(a.with({one("sliding_window", 2)}), weights_of(a, s, both(causal(s), window)), kCausal);
    cases.refused(a.with({one("sliding_window", 2)}), {"sliding_window"}, kBhtd);
    cases.refused(a.with({draw.array("scale", {s.heads + 1})}), {"scale"}, kBhtd);
  });
}

TEST_CASE("acting arrays: what acts and is not read is refused by name, and not beside saved weights") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const std::vector<double> rows = softmax_of(
        s, [&](Index, Index, Index, Index) { return draw.array("", {1}).values[0]; }, nothing);
    NamedArray saved{"attention_probs", {s.sequences, s.heads, s.queries, s.keys}, {}};
    saved.values.assign(rows.begin(), rows.end());
    const std::vector<double> expected(saved.values.begin(), saved.values.end());
    for (const ActingName& acting : acting_names()) {
      if (acting.read() || acting.names.starts_with('*')) continue;
      const std::string name = words_of(acting.names).front();
      INFO(name);
      const NamedArray array = draw.array(name, {s.heads, s.width + 11});
      cases.refused(a.with({array}), {name}, kCausal);
      cases.check({saved, array}, expected, {"--layer", "0"});
    }
    cases.refused(a.with({draw.array("q_proj.lora_A.weight", {2, 9})}), {"lora_A"}, kCausal);
  });
}

TEST_CASE("acting arrays: arrays that do not act are no reason to refuse") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const std::vector<float> ids(static_cast<std::size_t>(s.keys), 3);
    cases.check(a.with({numbers("input_ids", {1, s.keys}, ids), numbers("loss", {}, {2.5f}),
                        numbers("token_type_ids", {1, s.keys}, ids)}),
                weights_of(a, s, causal(s)), kCausal);
    std::vector<float> kinds = ids;
    kinds.back() = 0;
    const NamedArray types = numbers("token_type_ids", {1, s.keys}, kinds);
    cases.check(a.with({types}), weights_of(a, s, nothing), kBhtd);
    cases.refused(a.with({types}), {"token_type_ids"}, kCausal);
  });
}

TEST_CASE(
    "acting arrays: a causal mask has its last query at the last key, and the other corner by an option") {
  with_seeds([](Draw& draw, Cases& cases) {
    Sizes s = draw.sizes();
    s.keys = s.queries + draw.whole(-3, 3);
    if (s.keys == s.queries) return;
    const Given a = given(draw, s);
    CHECK_THAT(cases.check(a.with(), weights_of(a, s, causal(s)), kCausal), ContainsSubstring("lower right"));
    std::vector<std::string> upper = kCausal;
    upper.insert(upper.end(), {"--causal-corner", "upper-left"});
    CHECK_THAT(cases.check(a.with(),
                           weights_of(a, s, open_if([](Index, Index q, Index k) { return k <= q; })), upper),
               ContainsSubstring("upper left"));
  });
}

TEST_CASE("acting arrays: the numbers 0 and 1 of a mask of floats are added, allowed or forbidden") {
  with_seeds([](Draw& draw, Cases& cases) {
    const Sizes s = draw.sizes();
    const Given a = given(draw, s);
    const NamedArray mask =
        mask_array("attn_mask", {s.queries, s.keys}, [](Index q, Index k) { return k <= q ? 1.0f : 0.0f; });
    cases.refused(a.with({mask}), {"attn_mask", "--mask-as", "added", "allowed", "forbidden"}, kBhtd);
    const auto as = [](const char* what) {
      return std::vector<std::string>{"--layout", "bhtd", "--mask-as", what};
    };
    cases.check(a.with({mask}),
                weights_of(a, s, [](Index, Index, Index q, Index k) { return k <= q ? 1.0 : 0.0; }),
                as("added"));
    cases.check(a.with({mask}), weights_of(a, s, causal(s)), as("allowed"));
    cases.check(a.with({mask}), weights_of(a, s, open_if([](Index, Index q, Index k) { return k > q; })),
                as("forbidden"));
  });
}

TEST_CASE("acting arrays: saved maps that are no plain softmax are shown as they are") {
  with_seeds([](Draw& draw, Cases& cases) {
    Sizes s = draw.sizes();
    s.sequences = 1;
    const auto maps = [&](double factor) {
      std::vector<double> rows = softmax_of(
          s, [&](Index, Index, Index, Index) { return draw.array("", {1}).values[0]; }, nothing);
      for (double& value : rows)
        value *= factor;
      return rows;
    };
    const auto as_is = [&](const char* name, const std::vector<double>& rows) {
      NamedArray saved{name, {1, s.heads, s.queries, s.keys}, {}};
      saved.values.assign(rows.begin(), rows.end());
      const std::vector<double> expected(saved.values.begin(), saved.values.end());
      return cases.check({saved}, expected);
    };
    as_is("arr_0", maps(0.7));
    as_is("attentions", maps(0.7));
    std::vector<double> difference = maps(1);
    const std::vector<double> second = maps(0.4);
    for (std::size_t i = 0; i < difference.size(); ++i)
      difference[i] -= second[i];
    as_is("attn_weights", difference);
    std::vector<double> dropped = maps(5);
    for (std::size_t i = 0; i < dropped.size(); ++i)
      if ((i + i / static_cast<std::size_t>(s.keys)) % 2 == 0) dropped[i] = 0;
    as_is("attention_probs", dropped);
    std::vector<double> columns = maps(1), transposed = columns;
    for (Index h = 0; h < s.heads; ++h)
      for (Index q = 0; q < s.queries; ++q)
        for (Index k = 0; k < s.keys; ++k)
          transposed[static_cast<std::size_t>((h * s.queries + q) * s.keys + k)] =
              columns[static_cast<std::size_t>((h * s.queries + k) * s.keys + q)];
    CHECK_THAT(as_is("attn_weights", transposed), ContainsSubstring("columns sum to 1"));
  });
}
