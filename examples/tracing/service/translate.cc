#include "translate.h"

#include <time.h>

#include <algorithm>
#include <cstring>

#include "hotpb/wire/utf8.h"
#include "hotpb/wire/varint.h"

namespace tracing::service {

namespace {

constexpr std::uint32_t kServiceSequence = 1;
constexpr std::uint32_t kStateCleared = 1;  // sequence_flags
constexpr std::uint32_t kNeedsState = 2;
constexpr std::uint32_t kRealtime = 1;      // clock ids
constexpr std::uint32_t kMonotonic = 3;
constexpr std::uint32_t kBoottime = 6;
constexpr std::uint32_t kOwnClock = 64;     // of a sequence: nanoseconds since its packet before

std::uint32_t file_losses(std::uint32_t losses) {
  using namespace hotpb::shm;
  std::uint32_t bits = 0;
  if ((losses & kLossFull) != 0) bits |= kFileLoss | kFileFull;
  if ((losses & kLossGap) != 0) bits |= kFileLoss | kFileGap;
  if ((losses & kLossCorrupt) != 0) bits |= kFileLoss | kFileCorrupt;
  if ((losses & kLossOrphan) != 0) bits |= kFileLoss | kFileOrphan;
  if ((losses & kLossTooLarge) != 0) bits |= kFileLoss | kFileTooLarge;
  if ((losses & kLossCut) != 0) bits |= kFileLoss | kFileCut;
  return bits;
}

std::uint64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}

template <class Write>
void write_packet(Output& output, Write write) {
  {
    auto trace = output.buffer().message<hot::TraceWriter>();
    auto packet = trace.add_packet();
    write(packet);
  }
  if (!output.buffer().status().ok()) output.buffer().reset();  // no memory for it
}

// Whether it is the first time that the sequence uses a number.
bool is_new(std::vector<bool>& said, std::uint64_t number) {
  if (number >= said.size()) said.resize(static_cast<std::size_t>(number) + 1);
  if (said[static_cast<std::size_t>(number)]) return false;
  said[static_cast<std::size_t>(number)] = true;
  return true;
}
bool is_said(const std::vector<bool>& said, std::uint64_t number) {
  return number < said.size() && said[static_cast<std::size_t>(number)];
}
// After a number that the sequence has written already; nullptr: it has not, or there is none.
const std::uint8_t* skip_said(const std::uint8_t* p, const std::uint8_t* end, const std::vector<bool>& said) {
  std::uint64_t number = 0;
  p = hotpb::wire::read_varint(p, end, number);
  return p != nullptr && is_said(said, number) ? p : nullptr;
}

}  // namespace

void write_clocks(Output& output) {
  write_packet(output, [](hot::TracePacketWriter& packet) {
    packet.set_clock_snapshot([](hot::ClockSnapshotWriter& snapshot) {
      const std::pair<std::uint32_t, clockid_t> clocks[] = {
          {kBoottime, CLOCK_BOOTTIME}, {kRealtime, CLOCK_REALTIME}, {kMonotonic, CLOCK_MONOTONIC}};
      for (const auto& [id, clock] : clocks) {
        auto entry = snapshot.add_clocks();
        entry.set_clock_id(id);
        entry.set_timestamp(clock_ns(clock));
      }
      snapshot.set_primary_trace_clock(kBoottime);
    });
    packet.set_trusted_packet_sequence_id(kServiceSequence);
  });
}

void Translator::mark(const Mark& mark) {
  Sequence& sequence = sequences_[mark.writer];
  if (sequence.stream != mark.sequence) {
    sequence = {};
    sequence.stream = mark.sequence;
  }
  sequence.losses |= file_losses(mark.losses);
  counts_.lost += mark.lost;
  writer_ = mark.writer;
  latest_ns_ = mark.latest_ns;
}

void Translator::packet(hotpb::Bytes bytes) {
  Sequence& sequence = sequences_[writer_];
  if (write_usual(sequence, bytes)) {
    ++counts_.packets;
    return;
  }
  const Refusal refusal = check_packet(bytes, registry_, latest_ns_, checked_);
  if (refusal != Refusal::None) {
    ++counts_.refused[static_cast<std::size_t>(refusal)];
    sequence.losses |= kFileLoss | kFileCorrupt;
    const bool is_end = checked_.type == Type::TYPE_SLICE_END && sequence.slices.are_open();
    if (!is_end) return sequence.slices.leave_out(checked_.type);
    checked_.keep_end(latest_ns_, sequence.last_ns);
  }
  if (!filter_.passes(checked_, registry_)) return sequence.slices.leave_out(checked_.type);
  if (!sequence.slices.take(checked_.type)) return;
  ++counts_.packets;
  if (sequence.block != output_.block() || sequence.losses != 0) {
    establish(sequence, checked_.has_time ? checked_.time_ns : latest_ns_);
  }
  if (checked_.counter != 0) describe_counter(checked_.counter, sequence);
  write_event(sequence);
  output_.packets_done();
}

// ---- most events ----

// An event of which the sequence has established everything, as the SDK writes it: its bytes pass as they are, but for
// a counter's track.
struct Translator::UsualEvent {
  std::uint64_t time_ns;
  Type type;
  const std::uint8_t* event;  // to the end of the packet
  const std::uint8_t* rest;   // of a counter: what follows the number of its track
  std::uint64_t track;
};

// False: the packet is something else, which may be as good: check_packet() knows.
bool Translator::read_usual(const Sequence& sequence, hotpb::Bytes packet, UsualEvent& out) {
  constexpr std::uint8_t kTime = 0x40, kEvent = 0x5a, kType = 0x48;
  constexpr std::uint8_t kCategory = 0x18, kName = 0x50, kAnnotation = 0x22, kTrack = 0x58;
  const std::uint8_t* p = packet.begin();
  const std::uint8_t* const end = packet.end();
  if (p == end || *p != kTime) return false;
  p = hotpb::wire::read_varint(p + 1, end, out.time_ns);
  if (p == nullptr || end - p < 4 || end - p > 2 + 0x7f || p[0] != kEvent || p[1] != end - p - 2) return false;
  p += 2;
  out.event = p;
  if (p[0] != kType || p[1] == 0 || p[1] > static_cast<std::uint8_t>(Type::TYPE_COUNTER)) return false;
  out.type = static_cast<Type>(p[1]);
  const bool is_counter = out.type == Type::TYPE_COUNTER;
  p += 2;
  if (is_counter) {
    std::uint64_t counter = 0;
    if (p == end || *p != kTrack || (p = hotpb::wire::read_varint(p + 1, end, counter)) == nullptr) return false;
    if (counter >= counters_.size() || counters_[static_cast<std::size_t>(counter)].block != output_.block()) {
      return false;
    }
    out.track = counters_[static_cast<std::size_t>(counter)].track;
    out.rest = p;
    // counter_value or double_counter_value
    if (end - p > 2 && p[0] == 0xf0 && p[1] == 0x01) {
      std::uint64_t value = 0;
      return hotpb::wire::read_varint(p + 2, end, value) == end;
    }
    return end - p == 10 && p[0] == 0xe1 && p[1] == 0x02;
  }
  out.rest = nullptr;
  while (p != end) {
    switch (*p) {
      case kCategory: {
        std::uint64_t category = 0;
        p = hotpb::wire::read_varint(p + 1, end, category);
        if (p == nullptr || !is_said(sequence.categories, category) || !filter_.passes(category, registry_)) return false;
        break;
      }
      case kName: p = skip_said(p + 1, end, sequence.names); break;
      case kAnnotation: {
        if (end - p < 4 || p[1] > end - p - 2 || p[1] < 3 || p[2] != 0x08) return false;
        const std::uint8_t* const last = p + 2 + p[1];
        p = skip_said(p + 3, last, sequence.keys);
        if (p == nullptr || p == last) return false;
        switch (*p) {
          case 0x10:
          case 0x18:
          case 0x20: {
            std::uint64_t value = 0;
            p = hotpb::wire::read_varint(p + 1, last, value);
            break;
          }
          case 0x29: p = last - p == 9 ? last : nullptr; break;
          case 0x32: {
            if (last - p < 2 || p[1] != last - p - 2 || !hotpb::utf8::is_valid(p + 2, p[1])) return false;
            p = last;
            break;
          }
          default: return false;
        }
        if (p != last) return false;
        break;
      }
      default: return false;
    }
    if (p == nullptr) return false;
  }
  return true;
}

// Writes the same bytes as check_packet() and write_event(). False: it has written nothing.
bool Translator::write_usual(Sequence& sequence, hotpb::Bytes packet) {
  std::uint8_t* const begin = output_.room();
  UsualEvent in;
  if (sequence.block != output_.block() || sequence.losses != 0 || sequence.slices.lack_begins() ||
      !read_usual(sequence, packet, in) || in.time_ns > latest_ns_ || in.time_ns < sequence.last_ns) {
    return false;
  }
  std::uint8_t* p = begin + 2;
  *p = 0x40;  // timestamp
  p = hotpb::wire::write_varint(p + 1, in.time_ns - sequence.last_ns);
  *p = 0x50;  // trusted_packet_sequence_id
  p = hotpb::wire::write_varint(p + 1, sequence.number);
  *p++ = 0x5a;  // track_event
  std::uint8_t* const length = p++;
  const auto copy = [&p](const std::uint8_t* from, const std::uint8_t* end) {
    std::memcpy(p, from, static_cast<std::size_t>(end - from));
    p += end - from;
  };
  if (in.rest == nullptr) {
    copy(in.event, packet.end());
  } else {
    copy(in.event, in.event + 3);
    p = hotpb::wire::write_varint(p, in.track);
    copy(in.rest, packet.end());
  }
  *length = static_cast<std::uint8_t>(p - length - 1);
  *p++ = 0x68;  // sequence_flags
  *p++ = kNeedsState;
  const std::ptrdiff_t size = p - begin - 2;
  if (size > 0x7f) return false;
  begin[0] = 0x0a;  // packet
  begin[1] = static_cast<std::uint8_t>(size);
  output_.add_run(p);
  sequence.slices.take(in.type);
  sequence.last_ns = in.time_ns;
  return true;
}

// ---- all others ----

// Everything that later packets of the sequence rest on: its clock, its track, and that no name is known yet.
void Translator::establish(Sequence& sequence, std::uint64_t time_ns) {
  describe_process();
  const bool is_first = sequence.number == 0;
  if (is_first) {
    sequence.number = ++numbers_.last_sequence;
    sequence.track = ++numbers_.last_track;
  } else {
    ++counts_.restarts;
  }
  if (sequence.failures != output_.failures() && !is_first) sequence.losses |= kFileLoss | kFileGap;
  sequence.failures = output_.failures();
  const bool describes = sequence.block != output_.block();
  sequence.block = output_.block();
  sequence.last_ns = time_ns;
  sequence.names.clear();
  sequence.categories.clear();
  sequence.keys.clear();
  write_packet(output_, [&](hot::TracePacketWriter& packet) {
    packet.set_trusted_uid(uid_);
    packet.set_clock_snapshot([&](hot::ClockSnapshotWriter& snapshot) {
      snapshot.add_clocks([&](hot::ClockSnapshot_ClockWriter& clock) {
        clock.set_clock_id(kBoottime);
        clock.set_timestamp(time_ns);
      });
      snapshot.add_clocks([&](hot::ClockSnapshot_ClockWriter& clock) {
        clock.set_clock_id(kOwnClock);
        clock.set_timestamp(time_ns);
        clock.set_is_incremental(true);
      });
    });
    packet.set_trusted_packet_sequence_id(sequence.number);
    packet.set_sequence_flags(kStateCleared);
    if (sequence.losses != 0) packet.set_previous_packet_dropped(sequence.losses);
    packet.set_trace_packet_defaults([&](hot::TracePacketDefaultsWriter& defaults) {
      defaults.set_track_event_defaults().set_track_uuid(sequence.track);
      defaults.set_timestamp_clock_id(kOwnClock);
    });
    packet.set_trusted_pid(pid_);
    if (is_first) packet.set_first_packet_on_sequence(true);
  });
  sequence.losses = 0;
  if (!describes) return;
  registry_.update();
  const ThreadName* const thread = registry_.thread(sequence.stream);
  write_packet(output_, [&](hot::TracePacketWriter& packet) {
    packet.set_trusted_packet_sequence_id(sequence.number);
    packet.set_track_descriptor([&](hot::TrackDescriptorWriter& track) {
      track.set_uuid(sequence.track);
      track.set_thread([&](hot::ThreadDescriptorWriter& out) {
        out.set_pid(pid_);
        // Without a name in the registry the stream's number stands for the thread, so that each has a track.
        out.set_tid(thread != nullptr ? thread->tid : std::int64_t{sequence.stream});
        if (thread != nullptr) out.set_thread_name(thread->name);
      });
      track.set_parent_uuid(process_track_);
    });
  });
}

void Translator::describe_process() {
  if (process_block_ == output_.block()) return;
  process_block_ = output_.block();
  if (process_track_ == 0) process_track_ = ++numbers_.last_track;
  registry_.update();
  write_packet(output_, [&](hot::TracePacketWriter& packet) {
    packet.set_trusted_packet_sequence_id(kServiceSequence);
    packet.set_track_descriptor([&](hot::TrackDescriptorWriter& track) {
      track.set_uuid(process_track_);
      track.set_process([&](hot::ProcessDescriptorWriter& process) {
        process.set_pid(pid_);
        process.set_process_name(registry_.process());
      });
    });
  });
}

void Translator::describe_counter(std::uint64_t counter, Sequence& sequence) {
  const auto index = static_cast<std::size_t>(counter);
  if (index >= counters_.size()) counters_.resize(index + 1);
  CounterTrack& known = counters_[index];
  if (known.block == output_.block()) return;
  known.block = output_.block();
  if (known.track == 0) known.track = ++numbers_.last_track;
  const CounterName& name = registry_.counter(counter);
  write_packet(output_, [&](hot::TracePacketWriter& packet) {
    packet.set_trusted_packet_sequence_id(sequence.number);
    packet.set_track_descriptor([&](hot::TrackDescriptorWriter& track) {
      track.set_uuid(known.track);
      track.set_name(name.name);
      track.set_parent_uuid(process_track_);
      track.set_counter([&](hot::CounterDescriptorWriter& out) {
        if (!name.unit.empty()) out.set_unit_name(name.unit);
      });
    });
  });
}

// The texts that the packet is the first of its sequence to use (TRC-18).
void Translator::intern(hot::TracePacketWriter& packet, Sequence& sequence) {
  const auto only_new = [](std::vector<std::uint64_t>& numbers, Numbers& said) {
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), [&](std::uint64_t number) { return !is_new(said, number); }),
                  numbers.end());
    return !numbers.empty();
  };
  const bool categories = only_new(checked_.categories, sequence.categories);
  const bool names = only_new(checked_.names, sequence.names);
  const bool keys = only_new(checked_.keys, sequence.keys);
  if (!categories && !names && !keys) return;
  packet.set_interned_data([&](hot::InternedDataWriter& data) {
    const auto write = [this](auto entry, std::uint64_t number) {
      entry.set_iid(number);
      entry.set_name(registry_.text(number));
    };
    for (const std::uint64_t number : checked_.categories) write(data.add_event_categories(), number);
    for (const std::uint64_t number : checked_.names) write(data.add_event_names(), number);
    for (const std::uint64_t number : checked_.keys) write(data.add_debug_annotation_names(), number);
  });
}

void Translator::write_event(Sequence& sequence) {
  const CheckedPacket& in = checked_;
  write_packet(output_, [&](hot::TracePacketWriter& packet) {
    const bool is_later = in.time_ns >= sequence.last_ns;
    if (in.has_time) {
      packet.set_timestamp(is_later ? in.time_ns - sequence.last_ns : in.time_ns);
      if (is_later) sequence.last_ns = in.time_ns;
    }
    packet.set_trusted_packet_sequence_id(sequence.number);
    if (in.has_event && in.counter == 0) {
      packet.set_track_event(hotpb::RawMessage(in.event));
    } else if (in.has_event) {
      packet.set_track_event([&](hot::TrackEventWriter& event) {
        const std::uint8_t* const after = in.track_record.end();
        event.append_raw({in.event.begin(), static_cast<std::size_t>(in.track_record.begin() - in.event.begin())});
        event.set_track_uuid(counters_[static_cast<std::size_t>(in.counter)].track);
        event.append_raw({after, static_cast<std::size_t>(in.event.end() - after)});
      });
    }
    intern(packet, sequence);
    packet.set_sequence_flags(kNeedsState);
    if (in.has_time && !is_later) packet.set_timestamp_clock_id(kBoottime);
    if (!in.rest.empty()) packet.append_raw(in.rest);
  });
}

void Translator::end() {
  for (Sequence& sequence : sequences_) {
    if (sequence.losses != 0) establish(sequence, clock_ns(CLOCK_BOOTTIME));
  }
  output_.flush();
}

}  // namespace tracing::service
