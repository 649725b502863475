// Writes a message, reads it, and prints the version of hotpb and the name that was read.
#include <iostream>

#include "event.hot.h"

int main() {
  hotpb::HeapBuffer out;
  {
    auto event = out.message<demo::hot::EventWriter>();
    event.set_name("parse");
    if (!event.finish().ok()) return 1;
  }
  demo::hot::EventView view;
  if (!view.decode(out.bytes()).ok()) return 1;
  std::cout << HOTPB_VERSION_STRING << " " << std::string_view(view.name()) << "\n";
}
