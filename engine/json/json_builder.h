// Builds JSON values from parser events, in time linear in the length of the text.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "engine/json/json_document.h"

namespace headlight {

// Handler for nlohmann's sax_parse. The library's own parser callback visits all values of an object whenever
// one of them ends, silently keeps the last of two equal keys, takes 16 bytes per number, and terminates the
// program when memory runs out. Throws Error, without a place, for an object with the same key twice, for
// brackets nested more than 100 deep and for numbers beyond float64; Stopped (see stopping.h); and the
// library's exceptions for text that is not JSON.
class JsonBuilder : public Json::json_sax_t {
 public:
  // `packed`: see parse_json. Must outlive this.
  explicit JsonBuilder(const std::vector<std::string>& packed) : packed_(packed) {}

  // The value of the whole text; call after parsing.
  Json take();

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(std::int64_t value) override { return number(value); }
  bool number_unsigned(std::uint64_t value) override { return number(value); }
  bool number_float(double value, const std::string&) override { return number(value); }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }  // JSON text has none
  bool start_object(std::size_t) override;
  bool key(std::string& name) override;
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override;

 private:
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  template <class Number>
  bool number(Number value) {
    if (!packing_) return add(value);
    row_.push_back(static_cast<float>(static_cast<double>(value)));
    return true;
  }
  bool add(Json value);
  Json* place(Json value);
  void open(Json value);
  bool close();
  void unpack();

  const std::vector<std::string>& packed_;
  JsonTree root_;
  std::vector<Json*> open_;             // lists and objects that are not closed yet, outermost first
  Json* member_ = nullptr;              // the current member of the innermost one, if that is an object
  std::size_t packed_from_ = kNowhere;  // lists are packed while at least this many are open
  bool packing_ = false;                // the innermost list has only numbers so far, stored in row_
  std::vector<float> row_;
};

}  // namespace headlight
