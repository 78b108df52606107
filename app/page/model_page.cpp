#include "app/page/model_page.h"

#include <array>
#include <bit>
#include <filesystem>
#include <utility>
#include <vector>

#include "app/export/figure_preview.h"
#include "app/figure/paint/base64.h"
#include "app/figure/plan/names.h"
#include "app/figure/plan/share_text.h"
#include "app/page/page_parts.h"
#include "app/page/page_tokenizer.h"
#include "app/page/still_page.h"
#include "engine/architecture/network_config.h"
#include "engine/checkpoint/model_place.h"
#include "engine/checkpoint/tensor.h"
#include "engine/interpretation/open_model.h"
#include "engine/interpretation/predictions.h"
#include "engine/json/json_document.h"
#include "engine/tokenizers/folder_tokenizer.h"

namespace headlight {
namespace {

// Each after those that it imports from.
constexpr std::array kModelModules = {"softmax.js",    "tokenizer.js", "model.js",      "colors.js",
                                      "picture.js",    "sentence.js",  "frame.js",      "copying.js",
                                      "model_data.js", "views.js",     "model_maps.js", "model_page.js"};
constexpr std::array kModelStyles = {"page.css", "layer.css", "model.css"};
constexpr Index kNextShown = 8;  // tokens that follow the text

// ---- the model as data ----

static_assert(std::endian::native == std::endian::little, "numbers of a page are little-endian");

// Null: of a model without a tokenizer.
Json page_tokenizer(const Network& network) {
  return network.tokenizer() ? folder_tokenizer_document(model_place(network.checkpoint().folder()).folder)
                             : Json();
}

const char* activation_word(Activation activation) {
  switch (activation) {
    case Activation::Gelu:
      return "gelu";
    case Activation::GeluTanh:
      return "gelu_new";
    case Activation::QuickGelu:
      return "quick_gelu";
    case Activation::Silu:
      return "silu";
    case Activation::Relu:
      return "relu";
    case Activation::ReluSquared:
      return "relu2";
  }
  return "";
}

// A config.json with every member that the page reads, whichever names and omissions the model's own has.
Json page_config(const NetworkConfig& c) {
  return {{"model_type", "gpt2"},
          {"n_embd", c.width},
          {"n_layer", c.layers},
          {"n_head", c.heads},
          {"n_positions", c.positions},
          {"n_inner", c.mlp_width},
          {"vocab_size", c.vocabulary},
          {"layer_norm_epsilon", c.epsilon},
          {"activation_function", activation_word(c.activation)},
          {"scale_attn_weights", c.scale.kind != ScaleKind::None},
          {"scale_attn_by_inverse_layer_idx", c.scale_by_layer},
          {"tie_word_embeddings", c.tied}};
}

// {"shape": [..], "type": "F32", "data": "base64"}: half precision as it is stored, other types as float32.
// turned: a matrix whose file has a row for each output.
std::string tensor_json(const Tensor& tensor, bool turned) {
  Matrix numbers(tensor.rows(), tensor.columns());
  const bool halves = tensor.type == TensorType::F16 && !turned && !tensor.turned && tensor.order.is_plain();
  std::string bytes;
  if (halves) {
    bytes = tensor.bytes.substr(0, 2 * static_cast<std::size_t>(numbers.size()));
    require_unchanged(tensor);
  } else {
    read_numbers(tensor, 0, numbers.size(), numbers.data());
    if (turned) numbers = Matrix(numbers.transpose());
    bytes.assign(reinterpret_cast<const char*>(numbers.data()),
                 sizeof(float) * static_cast<std::size_t>(numbers.size()));
  }
  const std::string rows = tensor.shape.size() < 2 ? "" : std::to_string(numbers.rows()) + ",";
  return "{\"shape\":[" + rows + std::to_string(numbers.cols()) + "],\"type\":\"" + (halves ? "F16" : "F32") +
         "\",\"data\":\"" + base64(bytes) + "\"}";
}

// The names of the tensors without the prefix of the file, and whether each is a matrix of a linear layer.
std::vector<std::pair<std::string, bool>> page_tensors(const NetworkConfig& c) {
  const TensorNames& names = c.tensors;
  std::vector<std::pair<std::string, bool>> all = {{names.tokens + ".weight", false},
                                                   {names.positions + ".weight", false}};
  for (Index layer = 0; layer < c.layers; ++layer) {
    const std::string begin = c.layer_name(layer);
    for (const std::string& norm : {names.attention_norm, names.mlp_norm})
      for (const char* part : {".weight", ".bias"})
        all.emplace_back(begin + norm + part, false);
    for (const std::string& linear : {names.fused, names.output, names.up, names.down}) {
      all.emplace_back(begin + linear + ".weight", true);
      all.emplace_back(begin + linear + ".bias", false);
    }
  }
  all.emplace_back(names.final_norm + ".weight", false);
  all.emplace_back(names.final_norm + ".bias", false);
  return all;
}

std::string tensors_json(const Network& network) {
  const NetworkConfig& config = network.config();
  const Checkpoint& checkpoint = network.checkpoint();
  std::string prefix;
  for (const std::string& one : config.tensors.prefixes)
    if (checkpoint.has(one + config.tensors.tokens + ".weight")) {
      prefix = one;
      break;
    }
  std::string json = "{";
  for (const auto& [name, linear] : page_tensors(config))
    json += (json.size() > 1 ? ",\"" : "\"") + name +
            "\":" + tensor_json(checkpoint.require(prefix + name), linear && !config.tensors.columns);
  if (!config.tied) {
    const std::string head = config.tensors.head + ".weight";
    json += ",\"" + head + "\":" + tensor_json(checkpoint.require(head), false);
  }
  return json + "}";
}

// What stands in the field: of a model without a tokenizer the ids.
std::string typed_text(const OpenModel& work) {
  return work.network->tokenizer() ? work.text : ids_text(work.ids);
}

std::string model_data(const Session& session, const Json& tokenizer) {
  const OpenModel& work = *session.work;
  const Json beside = {{"title", session.title},
                       {"notes", session.notes},
                       {"text", typed_text(work)},
                       {"ids", work.ids},
                       {"layer", work.layer.layer},
                       {"count_from", session.lesson ? session.lesson->count_from.value_or(0) : 0}};
  std::string text = page_json(beside);
  text.pop_back();
  return text + ",\"model\":{\"config\":" + page_config(work.network->config()).dump() +
         ",\"tokenizer\":" + tokenizer.dump() + ",\"tensors\":" + tensors_json(*work.network) + "}}";
}

// ---- what is seen without scripts ----

// The likeliest tokens behind the text, as a table; "" of a model that predicts none.
std::string next_table(const OpenModel& work) {
  const Network& network = *work.network;
  if (!network.predicts() || network.encoder() || network.reads_images()) return "";
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  const Index position = predicted_position(network, work.ids);
  std::string table = "<table class=\"numbers\"><caption>" +
                      std::string(network.mask_token() ? "What stands in the gap" : "What follows the text") +
                      "</caption>\n<tbody>\n";
  for (const Prediction& next : likeliest(pass.logits(position, 1).row(0), kNextShown))
    table += "<tr><th scope=\"row\"><bdi>" + html_text(visible_label(network.label(next.id))) +
             "</bdi></th><td>" + share_text(next.probability, 1) + "</td></tr>\n";
  return table + "</tbody></table>\n";
}

std::string below_picture(const Session& session) {
  const Counting counting{session.lesson ? session.lesson->count_from.value_or(0) : 0};
  const LayerNames names(session.work->network->config(), counting);
  return "<p class=\"caption\">The picture has the heads of " + html_text(names.text(session.work->layer)) +
         " of the model.</p>\n" + next_table(*session.work);
}

// As why_still(work); fills in the tokenizer that the page then has.
std::string why_still(const OpenModel& work, Json& tokenizer) {
  const Network& network = *work.network;
  const std::string family = family_name(network.config());
  if (family != "gpt2") return "its family is " + family + ", and a page computes models of the family gpt2";
  std::error_code unreadable;
  if (!std::filesystem::is_directory(network.checkpoint().folder(), unreadable))
    return "it is one file, and a page computes a model of a folder with config.json";
  if (const std::uint64_t bytes = network.checkpoint().bytes(); bytes > kMostPageModel)
    return "it has " + file_size_text(bytes) + ", and a page computes models of up to 4 MB";
  if (!network.predicts()) return "it predicts no tokens: " + network.missing_head();
  if (!work.on.layers.empty() || !work.on.patches.empty() || !work.on.interventions.empty())
    return "it has changes (" + changes_in_words(work).front() +
           "), and a page computes a model as its files have it";
  if (!network.tokenizer()) return "";
  tokenizer = page_tokenizer(network);
  return tokenizer.is_null() ? "its tokenizer is neither a tokenizer.json nor a vocab.json with merges.txt"
                             : why_no_page_tokenizer(tokenizer);
}

}  // namespace

std::string why_still(const OpenModel& work) {
  Json tokenizer;
  return why_still(work, tokenizer);
}

Page model_page(const Session& session, const ComputedSession& computed, bool still) {
  Page page;
  Json tokenizer;
  page.still = why_still(*session.work, tokenizer);
  if (page.still.empty() && still) page.still = "it was asked to";
  const std::string below = below_picture(session);
  if (!page.still.empty()) {
    page.html = still_page(session, computed, page.still, below);
    return page;
  }
  page.html = page_document({page_title(session), model_data(session, tokenizer), page_script(kModelModules),
                             page_style(kModelStyles),
                             "<div id=\"still\" class=\"until-live\">\n" +
                                 still_content(session, computed, kWithoutScripts, below) + "</div>\n"});
  return page;
}

}  // namespace headlight
