// Writes GGUF files byte by byte.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace headlight_test {

template <class T>
std::string little(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}
inline std::string gguf_text(const std::string& text) {
  return little(std::uint64_t{text.size()}) + text;
}

// Values with their kinds.
inline std::string gguf_u32(std::uint32_t value) {
  return little(std::uint32_t{4}) + little(value);
}
inline std::string gguf_f32(float value) {
  return little(std::uint32_t{6}) + little(value);
}
inline std::string gguf_flag(bool value) {
  return little(std::uint32_t{7}) + std::string(1, value ? '\1' : '\0');
}
inline std::string gguf_string(const std::string& text) {
  return little(std::uint32_t{8}) + gguf_text(text);
}
inline std::string gguf_list(std::uint32_t kind, std::uint64_t count, const std::string& entries) {
  return little(std::uint32_t{9}) + little(kind) + little(count) + entries;
}
inline std::string gguf_strings(const std::vector<std::string>& texts) {
  std::string entries;
  for (const std::string& text : texts)
    entries += gguf_text(text);
  return gguf_list(8, texts.size(), entries);
}
inline std::string gguf_floats(const std::vector<float>& numbers) {
  std::string entries;
  for (const float number : numbers)
    entries += little(number);
  return gguf_list(6, numbers.size(), entries);
}
inline std::string gguf_ints(const std::vector<std::int32_t>& numbers) {
  std::string entries;
  for (const std::int32_t number : numbers)
    entries += little(number);
  return gguf_list(5, numbers.size(), entries);
}

struct WrittenGguf {
  struct Key {
    std::string name, value;
  };
  struct Tensor {
    std::string name;
    std::vector<std::uint64_t> sizes;  // the fastest first
    std::uint32_t type = 0;            // 0: F32
    std::uint64_t offset = 0;
  };
  std::vector<Key> keys;
  std::vector<Tensor> tensors;
  std::size_t data = 0;  // bytes behind the header
  std::uint32_t version = 3;
  std::size_t alignment = 32;

  // Sets a key, or replaces its value; "" takes it out.
  void set(const std::string& name, const std::string& value) {
    std::erase_if(keys, [&](const Key& key) { return key.name == name; });
    if (!value.empty()) keys.push_back({name, value});
  }
  // Adds a float32 tensor behind the others.
  void add(const std::string& name, const std::vector<std::uint64_t>& sizes) {
    data = (data + alignment - 1) / alignment * alignment;
    tensors.push_back({name, sizes, 0, data});
    std::size_t bytes = 4;
    for (const std::uint64_t size : sizes)
      bytes *= size;
    data += bytes;
  }
  Tensor& tensor(const std::string& name) {
    for (Tensor& one : tensors)
      if (one.name == name) return one;
    throw std::runtime_error("no tensor " + name);
  }
  std::string bytes() const {
    std::string text =
        "GGUF" + little(version) + little(std::uint64_t{tensors.size()}) + little(std::uint64_t{keys.size()});
    for (const Key& key : keys)
      text += gguf_text(key.name) + key.value;
    for (const Tensor& one : tensors) {
      text += gguf_text(one.name) + little(static_cast<std::uint32_t>(one.sizes.size()));
      for (const std::uint64_t size : one.sizes)
        text += little(size);
      text += little(one.type) + little(one.offset);
    }
    text.resize((text.size() + alignment - 1) / alignment * alignment);
    return text + std::string(data, '\0');
  }
};

// A llama of one layer, 4 wide, with 2 heads and 3 tokens; all weights are 0.
inline WrittenGguf tiny_llama() {
  WrittenGguf file;
  file.set("general.architecture", gguf_string("llama"));
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::uint32_t>>{{"embedding_length", 4},
                                                          {"block_count", 1},
                                                          {"attention.head_count", 2},
                                                          {"attention.head_count_kv", 1},
                                                          {"feed_forward_length", 3},
                                                          {"context_length", 8}})
    file.set("llama." + name, gguf_u32(value));
  file.set("llama.attention.layer_norm_rms_epsilon", gguf_f32(1e-6f));
  file.add("token_embd.weight", {4, 3});
  file.add("output_norm.weight", {4});
  const std::vector<std::pair<std::string, std::vector<std::uint64_t>>> in_layer = {
      {"attn_norm", {4}},   {"attn_q", {4, 4}},      {"attn_k", {4, 2}},
      {"attn_v", {4, 2}},   {"attn_output", {4, 4}}, {"ffn_norm", {4}},
      {"ffn_gate", {4, 3}}, {"ffn_up", {4, 3}},      {"ffn_down", {3, 4}}};
  for (const auto& [name, sizes] : in_layer)
    file.add("blk.0." + name + ".weight", sizes);
  return file;
}

}  // namespace headlight_test
