// JSON values put together from what the parser reports, in time that grows with the length of the text.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace headlight {

// For nlohmann's sax_parse. The library's own way to look at a value while it is parsed (a callback) goes
// through all values of an object whenever one of them ends, and keeps the last of two equal keys in silence.
// Throws Error, without a place, for an object with the same key twice and for brackets nested more than 100
// deep; Stopped (see stopping.h); and what the library throws for text that is no JSON.
class JsonBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  using Json = nlohmann::json;

  // The value of the whole text, once it was parsed.
  Json take();

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(number_integer_t value) override;
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override;
  bool binary(binary_t& value) override;
  bool start_object(std::size_t elements) override;
  bool key(string_t& name) override;
  bool end_object() override;
  bool start_array(std::size_t elements) override;
  bool end_array() override;
  bool parse_error(std::size_t position, const std::string& last_token,
                   const nlohmann::detail::exception& error) override;

 private:
  Json* add(Json value);
  bool open(Json value);
  bool close();

  Json root_;
  std::vector<Json*> open_;  // lists and objects that are not closed, the innermost last
  Json* named_ = nullptr;    // the place of the key that was read last
};

}  // namespace headlight
