// Whether bytes are a file as spec/tracing.md, section 4, says, whatever the producers were: what the tests with
// hostile producers ask of all that the service writes.
#ifndef TRACING_TESTS_CHECK_OUTPUT_H_
#define TRACING_TESTS_CHECK_OUTPUT_H_

#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "hotpb/wire/reader.h"
#include "hotpb/wire/utf8.h"
#include "tracing/packet.hot.h"

namespace tracing_test {

inline bool is_utf8(std::string_view text) {
  return hotpb::utf8::is_valid(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}
// TRC-49: annotations, with what is nested in them.
inline bool is_utf8(const tracing::hot::DebugAnnotationView& annotation) {
  bool good = is_utf8(annotation.name()) && is_utf8(annotation.string_value());
  tracing::hot::DebugAnnotationView nested;
  for (const auto& entry : annotation.dict_entries()) good = good && nested.open(entry).ok() && is_utf8(nested);
  for (const auto& entry : annotation.array_values()) good = good && nested.open(entry).ok() && is_utf8(nested);
  return good;
}

// nullptr, or what is wrong.
inline const char* problem_of(hotpb::Bytes file, std::size_t* events = nullptr) {
  using namespace tracing::hot;
  struct State {
    bool valid = false;
    std::set<std::uint64_t> names, categories, keys;
  };
  std::map<std::uint32_t, State> states;
  std::set<std::uint64_t> tracks;
  hotpb::wire::Reader trace(file);
  while (trace.next()) {
    if (trace.tag() != hotpb::wire::make_tag(1, hotpb::wire::WireType::Len)) return "something else than packets";
    TracePacketView packet;
    if (!packet.decode(trace.as_bytes()).ok() || !packet.validate().ok()) return "a packet does not parse";
    hotpb::wire::Reader fields(trace.as_bytes());
    while (fields.next()) {
      if (fields.type() == hotpb::wire::WireType::StartGroup) return "a group";
      switch (fields.number()) {
        case 3: case 6: case 8: case 10: case 11: case 12: case 13: case 42: break;
        case 58: case 59: case 60: case 79: case 87: case 900: break;
        default: return "a field that is neither the service's nor a producer's";
      }
    }
    if (packet.trusted_packet_sequence_id() == 0) return "no sequence";
    State& state = states[packet.trusted_packet_sequence_id()];
    if (packet.sequence_flags() == 1) {
      state = State();
      state.valid = true;
    } else if (packet.has_previous_packet_dropped()) {
      return "a loss after which nothing is established";
    }
    if (packet.sequence_flags() == 2 && !state.valid) return "a sequence that is not established";
    if (packet.has_track_descriptor()) {
      TrackDescriptorView track;
      if (!track.open(packet.track_descriptor()).ok()) return "a track that does not parse";
      tracks.insert(track.uuid());
      ProcessDescriptorView process;
      ThreadDescriptorView thread;
      CounterDescriptorView counter;
      const bool opens = process.open(track.process()).ok() && thread.open(track.thread()).ok() &&
                         counter.open(track.counter()).ok();
      if (!opens || !is_utf8(track.name()) || !is_utf8(process.process_name()) || !is_utf8(thread.thread_name()) ||
          !is_utf8(counter.unit_name())) {
        return "a track with text that is not UTF-8";
      }
    }
    if (packet.has_interned_data()) {
      InternedDataView data;
      if (!data.open(packet.interned_data()).ok()) return "interned data that does not parse";
      EventNameView name;
      EventCategoryView category;
      DebugAnnotationNameView key;
      for (const auto& entry : data.event_names()) {
        state.names.insert(name.open(entry).ok() && is_utf8(name.name()) ? name.iid() : 0);
      }
      for (const auto& entry : data.event_categories()) {
        state.categories.insert(category.open(entry).ok() && is_utf8(category.name()) ? category.iid() : 0);
      }
      for (const auto& entry : data.debug_annotation_names()) {
        state.keys.insert(key.open(entry).ok() && is_utf8(key.name()) ? key.iid() : 0);
      }
    }
    if (!packet.has_track_event()) continue;
    if (packet.sequence_flags() != 2 || !packet.has_timestamp()) return "an event without state or time";
    if (events != nullptr) ++*events;
    TrackEventView event;
    if (!event.open(packet.track_event()).ok()) return "an event that does not parse";
    if (event.has_name_iid() && state.names.count(event.name_iid()) == 0) return "a name without text";
    if (!is_utf8(event.name())) return "a name that is not UTF-8";
    for (const std::string_view category : event.categories()) {
      if (!is_utf8(category)) return "a category that is not UTF-8";
    }
    for (const std::uint64_t iid : event.category_iids()) {
      if (state.categories.count(iid) == 0) return "a category without text";
    }
    if (event.has_track_uuid() && tracks.count(event.track_uuid()) == 0) return "a track without descriptor";
    for (const auto& message : event.debug_annotations()) {
      DebugAnnotationView annotation;
      if (!annotation.open(message).ok()) return "an annotation that does not parse";
      if (!is_utf8(annotation)) return "an annotation with text that is not UTF-8";
      if (annotation.has_name_iid() && state.keys.count(annotation.name_iid()) == 0) return "a key without text";
    }
  }
  return trace.ok() ? nullptr : "the file does not parse";
}

}  // namespace tracing_test

#endif  // TRACING_TESTS_CHECK_OUTPUT_H_
