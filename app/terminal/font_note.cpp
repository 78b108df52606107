#include "app/terminal/font_note.h"

#include "app/figure/paint/text_picture.h"

namespace headlight {

void note_fonts(std::ostream& err) {
  if (has_letters()) return;
  err << "headlight: no font was found, so that text is drawn as empty boxes (install the packages "
         "fonts-inter "
         "and fonts-dejavu-core)\n";
}

}  // namespace headlight
