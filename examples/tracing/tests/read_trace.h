// A trace as the tests look at it: events in the order of the file, with the names that the file says they have. It
// follows spec/tracing.md, section 4, and fails on whatever is not in it.
#ifndef TRACING_TESTS_READ_TRACE_H_
#define TRACING_TESTS_READ_TRACE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tracing/packet.hot.h"

namespace tracing_test {

using Type = tracing::hot::TrackEvent_Type;

struct Event {
  std::uint32_t sequence = 0;
  std::uint64_t time_ns = 0;
  Type type = Type::TYPE_UNSPECIFIED;
  std::string category;
  std::string name;                                 // of a counter: the track's
  std::int64_t value = 0;                           // of a counter
  std::vector<std::pair<std::string, std::int64_t>> numbers;  // annotations that are integers
  std::vector<std::string> texts;                             // the values of those that are text
  std::vector<std::string> keys;                              // of all annotations
};

struct Trace {
  std::vector<Event> events;
  std::map<std::uint32_t, std::uint32_t> losses;    // of a sequence: all bits that it was marked with
  std::map<std::uint64_t, std::string> tracks;      // threads and counters by name
  std::size_t established = 0;
};

inline Trace read_trace(hotpb::Bytes file) {
  using namespace tracing::hot;
  struct State {
    bool valid = false;
    std::uint64_t time_ns = 0;
    std::map<std::uint64_t, std::string> names, categories, keys;
  };
  Trace out;
  std::map<std::uint32_t, State> states;
  const auto open = [](auto& view, const auto& message) { EXPECT_TRUE(view.open(message).ok()); };
  const auto add_entries = [&](const auto& entries, auto view, std::map<std::uint64_t, std::string>& names) {
    for (const auto& entry : entries) {
      open(view, entry);
      EXPECT_TRUE(names.emplace(view.iid(), view.name()).second) << "written twice";
    }
  };
  const auto text = [](const std::map<std::uint64_t, std::string>& names, std::uint64_t iid) {
    const auto found = names.find(iid);
    EXPECT_NE(found, names.end()) << "iid " << iid << " has no text";
    return found == names.end() ? std::string() : found->second;
  };

  TraceView trace;
  EXPECT_TRUE(trace.decode(file).ok());
  EXPECT_TRUE(trace.validate().ok());
  for (const auto& element : trace.packet()) {
    TracePacketView packet;
    open(packet, element);
    const std::uint32_t sequence = packet.trusted_packet_sequence_id();
    EXPECT_NE(sequence, 0u);
    State& state = states[sequence];
    if (packet.has_previous_packet_dropped()) out.losses[sequence] |= packet.previous_packet_dropped();
    if (packet.sequence_flags() == 1) {
      state = State();
      state.valid = true;
      ++out.established;
      ClockSnapshotView snapshot;
      open(snapshot, packet.clock_snapshot());
      for (const auto& clock : snapshot.clocks()) {
        ClockSnapshot_ClockView value;
        open(value, clock);
        state.time_ns = value.timestamp();
      }
    } else {
      EXPECT_FALSE(packet.has_previous_packet_dropped());
    }
    if (packet.has_track_descriptor()) {
      TrackDescriptorView track;
      open(track, packet.track_descriptor());
      ThreadDescriptorView thread;
      open(thread, track.thread());
      out.tracks[track.uuid()] = track.has_thread() ? std::string(thread.thread_name()) : std::string(track.name());
    }
    if (packet.has_interned_data()) {
      InternedDataView data;
      open(data, packet.interned_data());
      add_entries(data.event_names(), EventNameView(), state.names);
      add_entries(data.event_categories(), EventCategoryView(), state.categories);
      add_entries(data.debug_annotation_names(), DebugAnnotationNameView(), state.keys);
    }
    if (!packet.has_track_event()) continue;
    EXPECT_EQ(packet.sequence_flags(), 2u);
    EXPECT_TRUE(state.valid);
    TrackEventView in;
    open(in, packet.track_event());
    Event event;
    event.sequence = sequence;
    event.type = in.type();
    if (packet.timestamp_clock_id() == 6) event.time_ns = packet.timestamp();
    else event.time_ns = state.time_ns += packet.timestamp();
    for (const std::uint64_t iid : in.category_iids()) event.category = text(state.categories, iid);
    for (const auto& name : in.categories()) event.category = std::string(name);
    if (in.has_name_iid()) event.name = text(state.names, in.name_iid());
    if (in.has_name()) event.name = std::string(in.name());
    if (in.has_track_uuid()) {
      EXPECT_EQ(out.tracks.count(in.track_uuid()), 1u);
      event.name = out.tracks[in.track_uuid()];
      event.value = in.counter_value();
    }
    for (const auto& element_of_it : in.debug_annotations()) {
      DebugAnnotationView annotation;
      open(annotation, element_of_it);
      const std::string key =
          annotation.has_name() ? std::string(annotation.name()) : text(state.keys, annotation.name_iid());
      event.keys.push_back(key);
      if (annotation.has_string_value()) event.texts.emplace_back(annotation.string_value());
      if (annotation.has_int_value()) event.numbers.emplace_back(key, annotation.int_value());
      if (annotation.has_uint_value()) {
        event.numbers.emplace_back(key, static_cast<std::int64_t>(annotation.uint_value()));
      }
    }
    out.events.push_back(std::move(event));
  }
  return out;
}

// Every end has its begin and every begin its end, in each sequence.
inline bool is_balanced(const Trace& trace) {
  std::map<std::uint32_t, std::int64_t> depth;
  for (const Event& event : trace.events) {
    if (event.type == Type::TYPE_SLICE_BEGIN) ++depth[event.sequence];
    if (event.type == Type::TYPE_SLICE_END && --depth[event.sequence] < 0) return false;
  }
  for (const auto& [sequence, left] : depth) {
    if (left != 0) return false;
  }
  return true;
}

}  // namespace tracing_test

#endif  // TRACING_TESTS_READ_TRACE_H_
