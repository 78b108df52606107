#include "app/ui/context/shown_layer.h"

#include <algorithm>
#include <cctype>

namespace headlight {
namespace {

bool is_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

// The layer's name in an array file with several layers; else "".
std::string name_in_file(const UiContext& ui) {
  const LayersView& layers = ui.view.layers;
  return layers.count > 1 && layers.at < layers.names.size() ? layers.names[layers.at] : "";
}

std::string file_words(const std::string& name) {
  std::string words;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0)
      words += c;
    else if (!words.ends_with('-'))
      words += '-';
  }
  return words;
}

}  // namespace

LayerNames names_of_layers(const UiContext& ui) {
  return {ui.view.model.work->network->config(), ui.counting()};
}

std::string shown_layer(const UiContext& ui) {
  if (const auto& work = ui.view.model.work) return names_of_layers(ui).text(work->layer);
  const std::string name = name_in_file(ui);
  return is_number(name) ? "layer " + name : name;
}

std::string layer_in_file_name(const UiContext& ui) {
  if (const auto& work = ui.view.model.work)
    return (work->network->config().cross ? std::string("-") + side_name(work->layer.side) : "") + "-layer" +
           std::to_string(work->layer.layer);
  const std::string name = name_in_file(ui);
  if (name.empty()) return "";
  return is_number(name) ? "-layer" + name : "-" + file_words(name);
}

std::string with_layer(const std::string& title, const std::string& layer) {
  return title + (title.empty() || layer.empty() ? "" : ", ") + layer;
}

}  // namespace headlight
