// The service: a socket, the producers that came through it, and one output. One thread takes connections and copies
// packets out of the producers' memory into a backlog; another translates the backlog and writes. So a slow disk keeps
// no chunk from going back to its writers until the backlog is full.
#ifndef TRACING_SERVICE_SERVER_H_
#define TRACING_SERVICE_SERVER_H_

#include <poll.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backlog.h"
#include "hotpb/shm/reader.h"
#include "output.h"
#include "registry_reader.h"
#include "translate.h"

namespace tracing::service {

struct ServerOptions {
  std::string socket;
  std::vector<std::string> categories = {"*"};
  std::size_t producers = 256;                            // at a time; others are sent away
  std::uint64_t area_bytes = std::uint64_t{256} << 20;    // of each, at most
  std::uint64_t backlog_bytes = Backlog::kDefaultBytes;   // read and not written, over all producers
};

struct ServerCounts {
  std::uint64_t producers = 0;
  std::uint64_t sent_away = 0;  // producers above the limit, or with descriptors that are not an area
  std::uint64_t held_back = 0;  // looks at a producer that ended early, because the backlog had no room for it
  std::uint64_t bytes = 0;      // of their packets
  hotpb::shm::ReaderCounts read;
  TranslateCounts written;
};

// A producer: an area, a registry, and what became of them. One thread reads, one translates; poll() and end() are for
// one thread that does both.
class Client {
 public:
  Client(Output& output, FileNumbers& numbers, TranslateCounts& counts, std::int32_t pid, std::int32_t uid,
         CategoryFilter categories = CategoryFilter(), std::shared_ptr<Backlog> backlog = std::make_shared<Backlog>())
      : output_(output), numbers_(numbers), counts_(counts), pid_(pid), uid_(uid), categories_(std::move(categories)),
        backlog_(std::move(backlog)), queue_(*backlog_) {}
  // False: not an area with a registry.
  bool open(int area, int registry, std::uint64_t area_bytes);

  // Copies what is new, as far as the backlog has room. False: the registry is corrupt.
  bool read();
  // How often read() has copied all that was new. What a thread has committed before is copied after kLooks of them: a
  // chunk may be seen only in the pass after one that missed it.
  std::uint64_t looks() const { return looks_; }
  static constexpr std::uint64_t kLooks = 3;
  // The producer has ended, or the service does: reads the rest. False: the backlog has no room for all of it yet.
  bool finish();
  // Whether a quarter of the chunks or more became free in the last read().
  bool is_busy() const { return is_busy_; }
  std::uint64_t held_back() const { return held_back_; }
  hotpb::shm::Reader& reader() { return reader_; }
  const hotpb::shm::ReaderCounts& counts() const { return reader_.counts(); }

  // Before the first translate().
  void join() { lost_bytes_ = output_.lost_bytes(); }
  // Translates one block of the backlog. False: there was none.
  bool translate();
  // Writes what was translated. False: some of it, or of what was before since the call before, could not be written.
  bool flush();
  // After finish(): whether everything is translated.
  bool is_over() const { return is_over_; }
  std::size_t blocks() { return queue_.blocks(); }
  // What was read can be translated, whatever is read from now on.
  void seal() { queue_.seal(); }

  // Both threads' work in one, for programs that have one thread.
  bool poll();
  bool poll_all();
  void end();

 private:
  bool read_once();

  // Of the packets that the area's writers dropped, how many were reported by its packets.
  struct Reported {
    std::uint32_t sequence = 0;
    std::uint64_t lost = 0;
  };

  Output& output_;
  FileNumbers& numbers_;
  TranslateCounts& counts_;
  const std::int32_t pid_;
  const std::int32_t uid_;
  const CategoryFilter categories_;
  const std::shared_ptr<Backlog> backlog_;
  Queue queue_;

  // The thread that reads.
  hotpb::shm::Reader reader_;
  std::vector<Reported> reported_;  // by the writer's id
  std::uint64_t held_back_ = 0;
  std::uint64_t looks_ = 0;
  bool is_busy_ = false;
  std::uint64_t last_looks_ = 0;

  // The thread that translates.
  RegistryReader registry_;
  std::unique_ptr<Translator> translator_;
  std::atomic<bool> is_corrupt_{false};
  std::uint64_t lost_bytes_ = 0;  // of the output, at the last flush
  bool is_over_ = false;
};

// Asks the kernel (6.12 and later) to run this thread soon after it wakes, for shorter: half of a small area is full in
// a quarter of a millisecond. For the thread that calls Server::step().
void shorten_slice();

class Server {
 public:
  Server(Output& output, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Takes the socket. False: errno says why; EADDRINUSE if a service listens there.
  bool listen();
  // Waits for the sockets, of which `watched` is one more to be watched, then reads all areas once. It waits for
  // `wait_ms` at most, and shorter while producers write much, or when one wakes it. Returns whether `watched` has
  // something to read.
  bool step(int wait_ms, int watched = -1);
  // Calls `work` in the thread that uses the output, when all that was read so far is translated. For the thread of step().
  void post(std::function<void()> work);
  // Reads what is left of all producers, says what was lost, sends them away, and waits until all of it is written.
  // False: `watched` had something to read before, and what was read is not written.
  bool drain(int watched = -1);
  std::size_t producers() const { return clients_.size(); }
  ServerCounts counts() const;  // before listen(), or after drain()

 private:
  struct Seat {
    int socket = -1;
    std::shared_ptr<Client> client;  // nullptr: it has said nothing yet
    bool is_leaving = false;
    std::uint64_t flush = 0;         // the number of a flush that is not answered yet
    std::uint64_t flush_looks = 0;   // of the client, after which it is
  };
  std::vector<pollfd> wait(std::uint64_t ns, int watched);
  void accept();
  bool greet(Seat& seat);
  bool carry_out(Seat& seat);
  void answer_flush(Seat& seat);
  bool answer(int socket, std::uint64_t flushed, bool unwritten) const;
  bool leave(Seat& seat);
  void wake_translator();
  void translate();
  void stop();

  const ServerOptions options_;
  ServerCounts counts_;
  std::shared_ptr<Backlog> backlog_;
  int listener_ = -1;
  std::vector<Seat> clients_;
  std::uint64_t pause_ns_ = ~std::uint64_t{0};  // until the next look at the areas, at most
  bool is_woken_ = false;                       // a producer ended the last pause
  std::uint64_t woken_ns_ = 0;                  // when the other thread was woken
  std::atomic<std::size_t> finishing_{0};       // producers that have left, and are not translated yet

  // The thread that translates.
  Output& output_;
  FileNumbers numbers_;
  TranslateCounts written_;
  std::thread thread_;
  std::mutex lock_;  // of the rest
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Client>> joining_;
  std::vector<std::function<void()>> posted_;
  bool has_work_ = false;
  bool is_stopping_ = false;
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_SERVER_H_
