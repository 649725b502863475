#include "hotpb/vectors.hot.h"

int read(hotpb::Bytes bytes) {
  hotpb::vectors::p3::hot::AllView view;
  return view.decode(bytes).ok() ? view.single_int32() : -1;
}
