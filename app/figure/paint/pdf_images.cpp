#include "app/figure/paint/pdf_images.h"

#include <qpdf/qpdf-c.h>

#include <new>
#include <string_view>

#include "app/figure/paint/painter.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

struct PackedImage {
  Index width = 0, height = 0;
  PackedPixels pixels;
};

PackedImage pack(const PlannedCells& cells, Index by) {
  const CellPixels pixels(cells, by);
  return {pixels.width, pixels.height, pack_pixels(pixels.png())};
}

// A PDF in memory, through qpdf's C functions: clang 14 cannot compile its classes as C++20.
class Pdf {
 public:
  // `bytes` must outlive this object unchanged.
  explicit Pdf(const std::string& bytes) {
    if (!data_) throw std::bad_alloc();
    qpdf_silence_errors(data_);
    qpdf_read_memory(data_, "figure", bytes.data(), bytes.size(), nullptr);
    check();
  }
  ~Pdf() { qpdf_cleanup(&data_); }
  Pdf(const Pdf&) = delete;
  Pdf& operator=(const Pdf&) = delete;

  // Calls image(height) for each image of the PDF and replaces the image by the result unless that is null.
  template <class ImageOf>
  void replace_images(const ImageOf& image) {
    const qpdf_oh size = qpdf_oh_get_key(data_, qpdf_get_trailer(data_), "/Size");
    const int objects = qpdf_oh_get_int_value_as_int(data_, size);
    for (int id = 1; id < objects; ++id) {
      const qpdf_oh stream = qpdf_get_object_by_id(data_, id, 0);
      if (!qpdf_oh_is_stream(data_, stream)) continue;
      const qpdf_oh dictionary = qpdf_oh_get_dict(data_, stream);
      const qpdf_oh kind = qpdf_oh_get_key(data_, dictionary, "/Subtype");
      if (!qpdf_oh_is_name(data_, kind) || std::string_view(qpdf_oh_get_name(data_, kind)) != "/Image")
        continue;
      const int height = qpdf_oh_get_int_value_as_int(data_, qpdf_oh_get_key(data_, dictionary, "/Height"));
      if (const PackedImage* packed = image(height)) fill(stream, *packed);
    }
    check();
  }

  std::string written() {
    qpdf_init_write_memory(data_);
    qpdf_set_stream_data_mode(data_, qpdf_s_preserve);
    qpdf_set_object_stream_mode(data_, qpdf_o_disable);
    qpdf_force_pdf_version(data_, "1.4");
    qpdf_set_deterministic_ID(data_, QPDF_TRUE);
    qpdf_write(data_);
    check();
    return {reinterpret_cast<const char*>(qpdf_get_buffer(data_)), qpdf_get_buffer_length(data_)};
  }

 private:
  void check() {
    if (!qpdf_has_error(data_)) return;
    throw Error(std::string("the images could not be put in: ") +
                    qpdf_get_error_full_text(data_, qpdf_get_error(data_)),
                "the PDF", "save it as PNG or SVG, or with fewer heads");
  }

  qpdf_oh name(const char* text) { return qpdf_oh_new_name(data_, text); }
  void set(qpdf_oh dictionary, const char* key, qpdf_oh value) {
    qpdf_oh_replace_key(data_, dictionary, key, value);
  }
  void set(qpdf_oh dictionary, const char* key, Index value) {
    set(dictionary, key, qpdf_oh_new_integer(data_, value));
  }

  qpdf_oh color_space(const std::vector<std::uint32_t>& palette) {
    if (palette.empty()) return name("/DeviceRGB");
    std::string colors;
    for (const std::uint32_t color : palette)
      for (const int shift : {16, 8, 0})
        colors += static_cast<char>(color >> shift);
    const qpdf_oh space = qpdf_oh_new_array(data_);
    qpdf_oh_append_item(data_, space, name("/Indexed"));
    qpdf_oh_append_item(data_, space, name("/DeviceRGB"));
    qpdf_oh_append_item(data_, space, qpdf_oh_new_integer(data_, static_cast<Index>(palette.size()) - 1));
    qpdf_oh_append_item(data_, space, qpdf_oh_new_binary_string(data_, colors.data(), colors.size()));
    return space;
  }

  void fill(qpdf_oh stream, const PackedImage& image) {
    constexpr Index kPngPredictors = 15;
    const qpdf_oh dictionary = qpdf_oh_get_dict(data_, stream);
    set(dictionary, "/Width", image.width);
    set(dictionary, "/Height", image.height);
    set(dictionary, "/BitsPerComponent", Index{8});
    set(dictionary, "/ColorSpace", color_space(image.pixels.palette));
    const qpdf_oh decoding = qpdf_oh_new_dictionary(data_);
    set(decoding, "/Predictor", kPngPredictors);
    set(decoding, "/Colors", Index{image.pixels.palette.empty() ? 3 : 1});
    set(decoding, "/BitsPerComponent", Index{8});
    set(decoding, "/Columns", image.width);
    qpdf_oh_replace_stream_data(data_, stream,
                                reinterpret_cast<const unsigned char*>(image.pixels.data.data()),
                                image.pixels.data.size(), name("/FlateDecode"), decoding);
  }

  qpdf_data data_ = qpdf_init();
};

}  // namespace

// Placeholder i, from 0, is one pixel wide and i + 2 high: its height identifies it in the PDF. It has two
// colours because Cairo makes no image of a single one.
CairoOwned<cairo_surface_t> PdfImages::stand_in(const PlannedCells& cells) {
  cells_.push_back(&cells);
  const int height = static_cast<int>(cells_.size()) + 1;
  CairoOwned<cairo_surface_t> image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, height));
  unsigned char* data = cairo_image_surface_get_data(image.get());
  if (data == nullptr)
    throw Error("there is not enough memory for a figure of this size", "the PDF",
                "choose a smaller size or fewer heads");
  data[0] = 0xFF;
  cairo_surface_mark_dirty(image.get());
  return image;
}

std::string PdfImages::insert(const std::string& bytes, Index by) const {
  std::vector<PackedImage> images(cells_.size());
  double pixels = 0;
  for (const PlannedCells* cells : cells_)
    pixels += static_cast<double>(cells->rows * by) * static_cast<double>(cells->columns * by);
  for_each_index(static_cast<Index>(cells_.size()), pixels, [&](Index i) {
    const auto at = static_cast<std::size_t>(i);
    images[at] = pack(*cells_[at], by);
  });
  Pdf pdf(bytes);
  pdf.replace_images([&](int height) -> const PackedImage* {
    const int at = height - 2;
    return at >= 0 && at < static_cast<int>(images.size()) ? &images[static_cast<std::size_t>(at)] : nullptr;
  });
  return pdf.written();
}

}  // namespace headlight
