// How a camera was held: the orientation that a JPEG or PNG file's Exif block says.
#pragma once

#include "formats/pictures/picture.h"

namespace quern {

// 1 to 8, as Exif counts them; 1: as it lies, or nothing is said that can be understood.
int exif_orientation(std::string_view file);

PictureSize turned(const PictureSize& size, int orientation);
// Upright, as Pillow's exif_transpose makes it.
Picture turned(Picture picture, int orientation);

}  // namespace quern
