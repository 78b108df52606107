#include "app/figure/paint/pdf_images.h"

#include <qpdf/QPDF.hh>
#include <qpdf/QPDFWriter.hh>

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

QPDFObjectHandle color_space(const std::vector<std::uint32_t>& palette) {
  if (palette.empty()) return QPDFObjectHandle::newName("/DeviceRGB");
  std::string colors;
  for (const std::uint32_t color : palette)
    for (const int shift : {16, 8, 0})
      colors += static_cast<char>(color >> shift);
  return QPDFObjectHandle::newArray({QPDFObjectHandle::newName("/Indexed"),
                                     QPDFObjectHandle::newName("/DeviceRGB"),
                                     QPDFObjectHandle::newInteger(static_cast<int>(palette.size()) - 1),
                                     QPDFObjectHandle::newString(colors)});
}

void fill(QPDFObjectHandle stream, const PackedImage& image) {
  constexpr int kPngPredictors = 15;
  QPDFObjectHandle dictionary = stream.getDict();
  dictionary.replaceKey("/Width", QPDFObjectHandle::newInteger(image.width));
  dictionary.replaceKey("/Height", QPDFObjectHandle::newInteger(image.height));
  dictionary.replaceKey("/BitsPerComponent", QPDFObjectHandle::newInteger(8));
  dictionary.replaceKey("/ColorSpace", color_space(image.pixels.palette));
  QPDFObjectHandle decoding = QPDFObjectHandle::newDictionary();
  decoding.replaceKey("/Predictor", QPDFObjectHandle::newInteger(kPngPredictors));
  decoding.replaceKey("/Colors", QPDFObjectHandle::newInteger(image.pixels.palette.empty() ? 3 : 1));
  decoding.replaceKey("/BitsPerComponent", QPDFObjectHandle::newInteger(8));
  decoding.replaceKey("/Columns", QPDFObjectHandle::newInteger(image.width));
  stream.replaceStreamData(image.pixels.data, QPDFObjectHandle::newName("/FlateDecode"), decoding);
}

std::string written(QPDF& pdf) {
  QPDFWriter writer(pdf);
  writer.setOutputMemory();
  writer.setStreamDataMode(qpdf_s_preserve);
  writer.setObjectStreamMode(qpdf_o_disable);
  writer.forcePDFVersion("1.4");
  writer.setDeterministicID(true);
  writer.write();
  const std::shared_ptr<Buffer> buffer = writer.getBufferSharedPointer();
  return {reinterpret_cast<const char*>(buffer->getBuffer()), buffer->getSize()};
}

}  // namespace

// One pixel wide and as high as the images before it are many, so that it is known again. Two colours: Cairo
// makes no image of a single one.
CairoOwned<cairo_surface_t> PdfImages::stand_in(const PlannedCells& cells) {
  cells_.push_back(&cells);
  const int height = static_cast<int>(cells_.size()) + 1;
  CairoOwned<cairo_surface_t> image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, height));
  unsigned char* data = cairo_image_surface_get_data(image.get());
  if (data == nullptr) throw Error("there is not enough memory for a figure of this size", "", "");
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
  try {
    QPDF pdf;
    pdf.processMemoryFile("figure", bytes.data(), bytes.size());
    for (QPDFObjectHandle object : pdf.getAllObjects()) {
      if (!object.isStream() || !object.getDict().getKey("/Subtype").isNameAndEquals("/Image")) continue;
      const auto at = static_cast<std::size_t>(object.getDict().getKey("/Height").getIntValue() - 2);
      if (at < images.size()) fill(object, images[at]);
    }
    return written(pdf);
  } catch (const std::exception& error) {
    throw Error(std::string("the images could not be put in: ") + error.what(), "the PDF", "");
  }
}

}  // namespace headlight
