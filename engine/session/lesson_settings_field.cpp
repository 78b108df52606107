#include "engine/session/lesson_settings_field.h"

#include <string>

#include "engine/core/error.h"
#include "engine/session/attention_field.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

template <class T>
void take_flag(const JsonFields& fields, const char* key, std::optional<T>& flag) {
  if (fields.has(key)) flag = fields.flag(key, false);
}

void read_dropout(const Json& value, const std::string& place, LessonSettings& settings) {
  const JsonFields fields(value, place, {"probability", "training", "seed"});
  if (fields.has("probability")) settings.dropout_probability = fields.number("probability", 0);
  take_flag(fields, "training", settings.dropout_training);
  if (const Json* seed = fields.find("seed"))
    settings.dropout_seed = dropout_seed_value(*seed, fields.place("seed"));
}

void write_dropout(JsonWriter& out, const LessonSettings& settings) {
  if (!settings.dropout_probability && !settings.dropout_training && !settings.dropout_seed) return;
  out.key("dropout").begin_object();
  if (settings.dropout_probability) {
    out.key("probability").number(*settings.dropout_probability);
  }
  write_flag(out, "training", settings.dropout_training);
  if (settings.dropout_seed) {
    out.key("seed");
    if (*settings.dropout_seed)
      out.whole(**settings.dropout_seed);
    else
      out.null();
  }
  out.end_object();
}

LessonSettings read_settings(const Json& value, const std::string& place) {
  const JsonFields fields(value, place,
                          {"projection", "d_out", "num_heads", "qkv_bias", "output_projection", "scale",
                           "mask", "normalization", "dropout", "disabled_heads"});
  constexpr std::int64_t kMost = 1 << 24;
  LessonSettings settings;
  if (fields.has("projection"))
    settings.projection = fields.choice("projection", kProjectionWords, Projection::None);
  if (fields.has("d_out")) settings.d_out = fields.whole("d_out", 1, 1, kMost);
  if (fields.has("num_heads")) settings.num_heads = fields.whole("num_heads", 1, 1, kMost);
  take_flag(fields, "qkv_bias", settings.qkv_bias);
  take_flag(fields, "output_projection", settings.output_projection);
  if (const Json* scale = fields.find("scale")) settings.scale = scale_value(*scale, fields.place("scale"));
  if (fields.has("mask")) settings.mask = fields.choice("mask", kMaskWords, MaskKind::None);
  if (fields.has("normalization"))
    settings.normalization = fields.choice("normalization", kNormalizationWords, Normalization::Softmax);
  if (const Json* dropout = fields.find("dropout")) read_dropout(*dropout, fields.place("dropout"), settings);
  if (const Json* heads = fields.find("disabled_heads"))
    settings.disabled_heads = head_list(*heads, fields.place("disabled_heads"), kMost);
  return settings;
}

constexpr std::array<Word<std::optional<Parameter>>, 5> kNumbersOf = {{{"embeddings", std::nullopt},
                                                                       {"W_query", Parameter::Query},
                                                                       {"W_key", Parameter::Key},
                                                                       {"W_value", Parameter::Value},
                                                                       {"W_output", Parameter::Output}}};

ChangedNumber read_number(const Json& value, const std::string& place) {
  const JsonFields fields(value, place, {"of", "row", "column", "value"});
  constexpr std::int64_t kMost = 1 << 24;
  ChangedNumber number;
  number.parameter = fields.choice("of", kNumbersOf, std::optional<Parameter>());
  number.row = fields.whole("row", 0, 0, kMost);
  number.column = fields.whole("column", 0, 0, kMost);
  number.value = static_cast<float>(
      number_value(fields.require("value", "say what the number becomes"), fields.place("value")));
  return number;
}

LessonLearning read_learning(const Json& value, const std::string& place, const LessonTraining& session) {
  const JsonFields fields(value, place, {"steps", "rate"});
  LessonLearning learning;
  learning.steps = fields.whole("steps", 1, 1, kMostLessonSteps);
  if (fields.has("rate")) learning.rate = fields.number("rate", 0);
  if (!session.goal) throw Error("there is nothing to learn", place, "give the session a \"goal\"");
  if (!session.settings)
    throw Error("it does not say how it is trained", place, "give the session \"training\"");
  learning.goal = session.goal;
  learning.training = *session.settings;
  return learning;
}

LessonChange read_change(const Json& value, const std::string& place, const LessonTraining& session) {
  const JsonFields fields(value, place, {"set", "numbers", "learn", "draws"});
  LessonChange change;
  change.draws = fields.whole("draws", 0, 0, kMostLessonDraws);
  if (const Json* learn = fields.find("learn"))
    change.learning = read_learning(*learn, fields.place("learn"), session);
  if (const Json* settings = fields.find("set"))
    change.settings = read_settings(*settings, fields.place("set"));
  const Json* numbers = fields.find("numbers");
  if (numbers && !numbers->is_array())
    throw Error("is " + json_kind(*numbers) + ", expected a list", fields.place("numbers"),
                "write it like [{\"of\": \"embeddings\", \"row\": 1, \"column\": 0, \"value\": 2}]");
  for (std::size_t i = 0; numbers && i < numbers->size(); ++i)
    change.numbers.push_back(
        read_number((*numbers)[i], fields.place("numbers") + "[" + std::to_string(i) + "]"));
  if (change == LessonChange{})
    throw Error(
        "changes nothing", place,
        "name settings in \"set\", numbers in \"numbers\", steps in \"learn\", or \"draws\" of dropout");
  return change;
}

}  // namespace

void write_flag(JsonWriter& out, const char* key, const std::optional<bool>& flag) {
  if (!flag) return;
  out.key(key).flag(*flag);
}

void write_whole(JsonWriter& out, const char* key, const std::optional<Index>& number) {
  if (!number) return;
  out.key(key).whole(*number);
}

LessonSettings fitting_settings(const JsonFields& fields, const char* key, Layer& layer) {
  const std::string place = fields.place(key);
  LessonSettings settings = read_settings(*fields.find(key), place);
  if (settings.projection && layer.attention.projection == Projection::Given)
    throw Error("queries, keys and values are given: there is nothing to project", place,
                "remove \"projection\"");
  try {
    apply_settings(settings, layer);
  } catch (const Error& error) {
    throw error.inside(place);
  }
  return settings;
}

LessonChange fitting_change(const JsonFields& fields, const char* key, Layer& layer,
                            const LessonTraining& session) {
  const std::string place = fields.place(key);
  LessonChange change = read_change(*fields.find(key), place, session);
  try {
    apply_change(change, layer);
  } catch (const Error& error) {
    throw error.inside(place);
  }
  return change;
}

void write_settings(JsonWriter& out, const LessonSettings& settings) {
  out.begin_object();
  write_word(out, "projection", kProjectionWords, settings.projection);
  write_whole(out, "d_out", settings.d_out);
  write_whole(out, "num_heads", settings.num_heads);
  write_flag(out, "qkv_bias", settings.qkv_bias);
  write_flag(out, "output_projection", settings.output_projection);
  if (settings.scale) {
    out.key("scale");
    write_scale(out, *settings.scale);
  }
  write_word(out, "mask", kMaskWords, settings.mask);
  write_word(out, "normalization", kNormalizationWords, settings.normalization);
  write_dropout(out, settings);
  if (settings.disabled_heads) {
    out.key("disabled_heads").wholes(*settings.disabled_heads);
  }
  out.end_object();
}

void write_change(JsonWriter& out, const LessonChange& change) {
  out.begin_object();
  if (!change.settings.empty()) {
    out.key("set");
    write_settings(out, change.settings);
  }
  if (!change.numbers.empty()) {
    out.key("numbers").begin_list();
    for (const ChangedNumber& number : change.numbers) {
      out.next_item();
      out.begin_object();
      out.key("of").text(word_of(kNumbersOf, number.parameter));
      write_whole(out, "row", number.row);
      write_whole(out, "column", number.column);
      out.key("value").float32(number.value);
      out.end_object();
    }
    out.end_list();
  }
  if (change.learning) {
    out.key("learn").begin_object();
    write_whole(out, "steps", change.learning->steps);
    if (change.learning->rate) {
      out.key("rate").number(*change.learning->rate);
    }
    out.end_object();
  }
  if (change.draws > 0) write_whole(out, "draws", change.draws);
  out.end_object();
}

}  // namespace headlight
