#include "translate.h"

#include <time.h>

#include <algorithm>

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
  output.packet_done();
}

// Whether it is the first time that the sequence uses a number.
bool is_new(std::vector<bool>& said, std::uint64_t number) {
  if (number >= said.size()) said.resize(static_cast<std::size_t>(number) + 1);
  if (said[static_cast<std::size_t>(number)]) return false;
  said[static_cast<std::size_t>(number)] = true;
  return true;
}

}  // namespace

void write_clocks(Output& output) {
  write_packet(output, [](hot::TracePacketWriter& packet) {
    packet.set_clock_snapshot([](hot::ClockSnapshotWriter& snapshot) {
      const std::pair<std::uint32_t, clockid_t> clocks[] = {
          {kBoottime, CLOCK_BOOTTIME}, {kRealtime, CLOCK_REALTIME}, {kMonotonic, CLOCK_MONOTONIC}};
      for (const auto& [id, clock] : clocks) {
        auto one = snapshot.add_clocks();
        one.set_clock_id(id);
        one.set_timestamp(clock_ns(clock));
      }
      snapshot.set_primary_trace_clock(kBoottime);
    });
    packet.set_trusted_packet_sequence_id(kServiceSequence);
  });
}

void Translator::packet(const hotpb::shm::Packet& packet, std::uint64_t latest_ns) {
  Sequence& sequence = sequences_[packet.writer];
  if (sequence.stream != packet.sequence) {
    const std::uint64_t lost = sequence.lost;
    sequence = {};
    sequence.lost = lost;
    sequence.stream = packet.sequence;
  }
  sequence.losses |= file_losses(packet.losses);
  sequence.lost += packet.lost;
  counts_.lost += packet.lost;
  const Refusal refusal = check_packet(packet.bytes, registry_, latest_ns, checked_);
  if (refusal != Refusal::None) {
    ++counts_.refused[static_cast<std::size_t>(refusal)];
    sequence.losses |= kFileLoss | kFileCorrupt;
    const bool is_end = checked_.type == Type::TYPE_SLICE_END && sequence.slices.are_open();
    if (!is_end) return sequence.slices.leave_out(checked_.type);
    checked_.keep_end(latest_ns, sequence.last_ns);
  }
  if (!filter_.passes(checked_, registry_)) return sequence.slices.leave_out(checked_.type);
  if (!sequence.slices.take(checked_.type)) return;
  ++counts_.packets;
  if (sequence.block != output_.block() || sequence.losses != 0) {
    establish(sequence, checked_.has_time ? checked_.time_ns : latest_ns);
  }
  if (checked_.counter != 0) describe_counter(checked_.counter, sequence);
  write_event(sequence);
}

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
    numbers.erase(std::remove_if(numbers.begin(), numbers.end(), [&](std::uint64_t one) { return !is_new(said, one); }),
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
    if (!in.other.empty()) packet.append_raw(in.other);
  });
}

void Translator::end(const hotpb::shm::Reader& reader) {
  for (std::uint32_t writer = 0; writer < sequences_.size(); ++writer) {
    Sequence& sequence = sequences_[writer];
    const std::uint64_t dropped = reader.dropped(writer);
    if (dropped > sequence.lost) {
      counts_.lost += dropped - sequence.lost;
      sequence.losses |= kFileLoss | kFileFull;
    }
    if (sequence.losses != 0) establish(sequence, clock_ns(CLOCK_BOOTTIME));
  }
  output_.flush();
}

}  // namespace tracing::service
