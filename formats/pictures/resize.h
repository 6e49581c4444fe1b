// Pictures in another size, as Pillow has them.
#pragma once

#include "formats/pictures/picture.h"

namespace quern {

enum class ResizeMethod { nearest, bilinear, bicubic };

// Pillow's Image.resize, to the bit: filters widen with what they shrink, in integers of 22 fraction bits.
Picture resized(const Picture& picture, const PictureSize& size, ResizeMethod method);

// The part of the picture, or more than it, whose upper left corner is (left, top); what lies outside is `fill`.
Picture window_of(const Picture& picture, int64_t left, int64_t top, const PictureSize& size, uint8_t fill);

}  // namespace quern
