// A picture model and pictures so small that a training step takes milliseconds.
#pragma once

#include "tasks/image/image_task.h"

inline heed::ImageSettings tiny_image() {
  heed::ImageSettings s;
  s.data = "shapes:pictures=60";
  s.colours = 8;
  s.layers = 1, s.width = 16, s.heads = 2;
  s.batch = 4, s.steps = 30, s.rate = 1e-2, s.samples = 4;
  return s;
}

inline const heed::ImageData& tiny_pictures() {
  static const heed::ImageData data = heed::ImageData::open(tiny_image().data, {});
  return data;
}
