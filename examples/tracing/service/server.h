// The service: a socket, the producers that came through it, and one output. One thread does all of it.
#ifndef TRACING_SERVICE_SERVER_H_
#define TRACING_SERVICE_SERVER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hotpb/shm/reader.h"
#include "output.h"
#include "registry_reader.h"
#include "translate.h"

namespace tracing::service {

struct ServerOptions {
  std::string socket;
  std::vector<std::string> categories = {"*"};
  std::size_t producers = 256;                        // at a time; others are sent away
  std::uint64_t area_bytes = std::uint64_t{256} << 20;  // of each, at most
};

struct ServerCounts {
  std::uint64_t producers = 0;
  std::uint64_t sent_away = 0;  // producers above the limit, or with descriptors that are not an area
  std::uint64_t bytes = 0;      // of their packets
  hotpb::shm::ReaderCounts read;
  TranslateCounts written;
};

// A producer: an area, a registry, and what became of them.
class Client {
 public:
  Client(Output& output, FileNumbers& numbers, TranslateCounts& counts, std::int32_t pid, std::int32_t uid,
         CategoryFilter categories = CategoryFilter())
      : output_(output), numbers_(numbers), counts_(counts), pid_(pid), uid_(uid), categories_(std::move(categories)) {}
  // False: not an area with a registry.
  bool open(int area, int registry, std::uint64_t area_bytes);
  // What is new. False: the registry is corrupt.
  bool poll();
  // What was committed before the call, too, if another thread wrote it. False: the same.
  bool poll_all();
  // The producer has ended, or the service does.
  void end();
  const hotpb::shm::ReaderCounts& counts() const { return reader_.counts(); }

 private:
  Output& output_;
  FileNumbers& numbers_;
  TranslateCounts& counts_;
  const std::int32_t pid_;
  const std::int32_t uid_;
  const CategoryFilter categories_;
  hotpb::shm::Reader reader_;
  RegistryReader registry_;
  std::unique_ptr<Translator> translator_;
};

class Server {
 public:
  Server(Output& output, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Takes the socket. False: errno says why; EADDRINUSE if a service listens there.
  bool listen();
  // Waits for `wait_ms` at most for the sockets, of which `other` is one more to be watched, then reads all areas once.
  // Returns whether `other` has something to read.
  bool step(int wait_ms, int other = -1);
  // Reads what is left of all producers, says what was lost, and sends them away.
  void drain();
  std::size_t producers() const { return clients_.size(); }
  ServerCounts counts() const;

 private:
  struct Seat {
    int socket = -1;
    std::unique_ptr<Client> client;  // nullptr: it has said nothing yet
    std::uint64_t lost_bytes = 0;    // of the output at its last flush
  };
  void accept();
  bool greet(Seat& seat);
  bool carry_out(Seat& seat);
  bool answer(Seat& seat, std::uint64_t flushed, bool unwritten);
  void leave(Seat& seat);

  Output& output_;
  const ServerOptions options_;
  FileNumbers numbers_;
  ServerCounts counts_;
  std::uint64_t clocks_block_ = 0;
  int listener_ = -1;
  std::vector<Seat> clients_;
};

}  // namespace tracing::service

#endif  // TRACING_SERVICE_SERVER_H_
