#include "server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "../sdk/connection.h"
#include "tracing/session.hot.h"

namespace tracing::service {

namespace {

std::uint64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec);
}
std::uint64_t latest_ns() {
  constexpr std::uint64_t kAhead = 1000000000;  // machines whose clocks a container has shifted
  return clock_ns(CLOCK_BOOTTIME) + kAhead;
}

void add(hotpb::shm::ReaderCounts& sum, const hotpb::shm::ReaderCounts& counts) {
  sum.packets += counts.packets;
  sum.bytes += counts.bytes;
  sum.lost += counts.lost;
  sum.gaps += counts.gaps;
  sum.corrupt += counts.corrupt;
  sum.orphans += counts.orphans;
  sum.too_large += counts.too_large;
  sum.cut += counts.cut;
  sum.freed += counts.freed;
  sum.taken_back += counts.taken_back;
}

}  // namespace

// ---- a producer ----

bool Client::open(int area, int registry, std::uint64_t area_bytes) {
  hotpb::shm::ReaderOptions options;
  options.area_bytes = area_bytes;
  if (!registry_.open(registry) || reader_.open(area, options) != hotpb::shm::AreaError::Ok) return false;
  translator_ = std::make_unique<Translator>(output_, numbers_, registry_, pid_, uid_, reader_.writers(), counts_,
                                             categories_);
  reported_.resize(reader_.writers() + std::size_t{1});
  return true;
}

bool Client::read_once() {
  const std::uint64_t before = reader_.counts().freed;
  queue_.begin(latest_ns());
  reader_.poll([this](const hotpb::shm::Packet& packet) {
    if (!queue_.continues(packet)) {
      queue_.add_mark(packet.writer, packet.sequence, packet.losses, packet.lost);
      reported_[packet.writer].sequence = packet.sequence;
      reported_[packet.writer].lost += packet.lost;
    }
    return queue_.add(packet.bytes);
  });
  queue_.end();
  is_busy_ = 4 * (reader_.counts().freed - before) >= reader_.chunks();
  ++(reader_.is_stopped() ? held_back_ : looks_);
  return !reader_.is_stopped();
}

bool Client::read() {
  is_busy_ = false;
  if (queue_.has_room()) read_once();
  else ++held_back_;
  return !is_corrupt_.load(std::memory_order_relaxed);
}

bool Client::finish() {
  while (last_looks_ < kLooks) {
    if (!queue_.has_room()) return false;
    if (read_once()) ++last_looks_;
  }
  reader_.end();
  queue_.begin(latest_ns());
  for (std::uint32_t writer = 0; writer < reported_.size(); ++writer) {
    const Reported& reported = reported_[writer];
    const std::uint64_t dropped = reader_.dropped(writer);
    if (dropped <= reported.lost) continue;
    queue_.add_mark(writer, reported.sequence, hotpb::shm::kLossFull, dropped - reported.lost);
  }
  queue_.end();
  queue_.close();
  reader_.close();
  return true;
}

bool Client::translate() {
  const bool is_closed = queue_.is_closed();
  Block block;
  const bool has_block = queue_.take(block);
  if (!registry_.update()) is_corrupt_.store(true, std::memory_order_relaxed);
  if (has_block) {
    Queue::each(block, *translator_);
    queue_.release(std::move(block));
  } else if (is_closed && !is_over_) {
    translator_->end();
    is_over_ = true;
  }
  return has_block;
}

bool Client::poll() {
  read();
  while (translate()) {
  }
  return !is_corrupt_.load(std::memory_order_relaxed);
}

bool Client::poll_all() {
  bool good = true;
  for (std::uint64_t i = 0; i < kLooks; ++i) good = poll() && good;
  return good;
}

bool Client::flush() {
  output_.flush();
  const bool is_written = output_.lost_bytes() == lost_bytes_;
  lost_bytes_ = output_.lost_bytes();
  return is_written;
}

void Client::end() {
  while (!finish()) translate();
  while (!is_over_) translate();
}

// ---- the socket ----

void shorten_slice() {
  // The kernel's struct sched_attr, which no header of the C library has.
  struct {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime_ns;
    std::uint64_t deadline_ns;
    std::uint64_t period_ns;
  } attributes = {};
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0) return;
  attributes.runtime_ns = 100000;
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);
}

Server::Server(Output& output, ServerOptions options)
    : options_(std::move(options)), backlog_(std::make_shared<Backlog>(options_.backlog_bytes)), output_(output) {}

Server::~Server() {
  stop();
  for (Seat& seat : clients_) ::close(seat.socket);
  if (listener_ < 0) return;
  ::close(listener_);
  ::unlink(options_.socket.c_str());
}

bool Server::listen() {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (options_.socket.empty() || options_.socket.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(address.sun_path, options_.socket.data(), options_.socket.size());
  const auto* const name = reinterpret_cast<const sockaddr*>(&address);
  const int fd = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const mode_t before = ::umask(077);  // producers of the same user
  bool bound = ::bind(fd, name, sizeof address) == 0;
  if (!bound && errno == EADDRINUSE) {
    // A socket of a service that was killed.
    const int probe = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    const bool is_dead = ::connect(probe, name, sizeof address) != 0 && errno == ECONNREFUSED;
    ::close(probe);
    if (is_dead && ::unlink(options_.socket.c_str()) == 0) bound = ::bind(fd, name, sizeof address) == 0;
    else errno = EADDRINUSE;
  }
  const int reason = errno;
  ::umask(before);
  if (!bound || ::listen(fd, 64) != 0) {
    const int why = bound ? errno : reason;
    ::close(fd);
    errno = why;
    return false;
  }
  listener_ = fd;
  thread_ = std::thread([this] { translate(); });
  return true;
}

bool Server::step(int wait_ms, int watched) {
  const std::uint64_t interval_ns = static_cast<std::uint64_t>(wait_ms) * 1000000u;
  pause_ns_ = std::min(pause_ns_, interval_ns);
  const std::vector<pollfd> sockets = wait(pause_ns_, watched);
  bool is_busy = false;
  bool fills = false;  // the memory of a producer that will not wake the service
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Seat& seat = clients_[i];
    const bool spoke = sockets[i + 2].revents != 0;
    bool stays = !seat.is_leaving && (!spoke || (seat.client == nullptr ? greet(seat) : carry_out(seat)));
    if (stays && seat.client != nullptr) {
      stays = seat.client->read();
      answer_flush(seat);
      is_busy = is_busy || seat.client->is_busy();
      fills = fills || (seat.client->is_busy() && !seat.client->reader().wakes());
    }
    if (!stays && leave(seat)) continue;
    if (kept != i) clients_[kept] = std::move(seat);
    ++kept;
  }
  clients_.resize(kept);
  // In a burst, the other thread leaves the processor to this one and the writers, for a time and as long as there is
  // room enough.
  constexpr std::uint64_t kBurst = 100000000;
  const std::uint64_t now = clock_ns(CLOCK_MONOTONIC);
  const bool is_burst = is_busy && backlog_->bytes() <= options_.backlog_bytes / 4 && now - woken_ns_ < kBurst;
  if (kept != 0 && !is_burst) {
    woken_ns_ = now;
    wake_translator();
  }
  if (sockets[0].revents != 0) accept();
  pause_ns_ = fills ? interval_ns / 64 : 2 * pause_ns_ + 1;
  return sockets[1].revents != 0;
}

// Waits for `ns` at most: for the listener, `watched` and the clients' sockets, which it returns in this order, and for
// producers that wake the service. One that does so without need is not heard again before a pause has its full length.
std::vector<pollfd> Server::wait(std::uint64_t ns, int watched) {
  constexpr std::uint64_t kSlice = 10000000;  // the sockets are checked so often while a producer may wake the service
  std::vector<pollfd> sockets = {{listener_, POLLIN, 0}, {watched, POLLIN, 0}};
  std::vector<hotpb::shm::Reader*> readers;
  for (const Seat& seat : clients_) {
    sockets.push_back({seat.is_leaving ? -1 : seat.socket, POLLIN, 0});
    if (seat.client == nullptr || seat.is_leaving || !seat.client->reader().wakes()) continue;
    if (!is_woken_ || seat.client->is_busy()) readers.push_back(&seat.client->reader());
  }
  is_woken_ = false;
  const auto look = [&sockets](std::uint64_t wait_ns) {
    const timespec time = {static_cast<time_t>(wait_ns / 1000000000u), static_cast<long>(wait_ns % 1000000000u)};
    const int found = ::ppoll(sockets.data(), static_cast<nfds_t>(sockets.size()), &time, nullptr);
    if (found < 0) {
      for (pollfd& socket : sockets) socket.revents = 0;
    }
    return found > 0;
  };
  if (readers.empty()) {
    look(ns);
    return sockets;
  }
  const std::uint64_t end = clock_ns(CLOCK_MONOTONIC) + ns;
  for (std::uint64_t now = end - ns; !look(0) && now < end && !is_woken_;) {
    const std::uint64_t slice_end = std::min(now + kSlice, end);
    is_woken_ = hotpb::shm::wait(readers.data(), readers.size(), slice_end - now);
    now = clock_ns(CLOCK_MONOTONIC);
  }
  return sockets;
}

void Server::accept() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    if (clients_.size() + finishing_.load() >= options_.producers) {
      ++counts_.sent_away;
      ::close(socket);
      continue;
    }
    Seat seat;
    seat.socket = socket;
        clients_.push_back(std::move(seat));
  }
}

// Hello and two descriptors; the answer is which categories are wanted.
bool Server::greet(Seat& seat) {
  std::uint8_t room[256];
  iovec bytes = {room, sizeof room};
  alignas(cmsghdr) char control[CMSG_SPACE(8 * sizeof(int))];
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t size = ::recvmsg(seat.socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  std::vector<int> descriptors;
  for (cmsghdr* header = size < 0 ? nullptr : CMSG_FIRSTHDR(&message); header != nullptr;
       header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    for (std::size_t at = 0; at + sizeof(int) <= header->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + at, sizeof fd);
      descriptors.push_back(fd);
    }
  }
  ucred peer = {};
  socklen_t peer_size = sizeof peer;
  hot::HelloView hello;
  bool good = size > 0 && (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 && descriptors.size() == 2 &&
              hello.decode(hotpb::Bytes(room, static_cast<std::size_t>(size))).ok() &&
              hello.version() == detail::kProtocolVersion &&
              ::getsockopt(seat.socket, SOL_SOCKET, SO_PEERCRED, &peer, &peer_size) == 0;
  if (good) {
    seat.client = std::make_shared<Client>(output_, numbers_, written_, static_cast<std::int32_t>(peer.pid),
                                           static_cast<std::int32_t>(peer.uid), CategoryFilter(options_.categories), backlog_);
    good = seat.client->open(descriptors[0], descriptors[1], options_.area_bytes);
  }
  for (const int fd : descriptors) ::close(fd);
  good = good && answer(seat.socket, 0, false);
  if (good) {
    ++counts_.producers;
    const std::lock_guard<std::mutex> guard(lock_);
    joining_.push_back(seat.client);
  } else {
    ++counts_.sent_away;
    seat.client.reset();
  }
  return good;
}

bool Server::answer(int socket, std::uint64_t flushed, bool unwritten) const {
  hotpb::HeapBuffer message;
  {
    auto config = message.message<hot::ConfigWriter>();
    for (const std::string& category : options_.categories) config.add_categories(category);
    if (flushed != 0) config.set_flushed(flushed);
    if (unwritten) config.set_unwritten(true);
  }
  const hotpb::Bytes out = message.bytes();
  return ::send(socket, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(out.size());
}

// After the hello a producer says Flush and nothing else: whatever else there is to read is the end.
bool Server::carry_out(Seat& seat) {
  std::uint8_t room[64];
  const ssize_t size = ::recv(seat.socket, room, sizeof room, MSG_TRUNC | MSG_DONTWAIT);
  hot::FlushView flush;
  if (size <= 0 || size > static_cast<ssize_t>(sizeof room) ||
      !flush.decode(hotpb::Bytes(room, static_cast<std::size_t>(size))).ok() || flush.number() == 0) {
    return false;
  }
  seat.flush = flush.number();
  seat.flush_looks = seat.client->looks() + Client::kLooks;
  for (std::uint64_t i = 1; i < Client::kLooks; ++i) {
    if (!seat.client->read()) return false;
  }
  return true;
}

// The thread that translates answers, when it has written all that was read, through a descriptor of its own: the seat's
// may be closed then.
void Server::answer_flush(Seat& seat) {
  if (seat.flush == 0 || seat.client->looks() < seat.flush_looks) return;
  const int socket = ::fcntl(seat.socket, F_DUPFD_CLOEXEC, 0);
  if (socket < 0) return;  // no descriptor is free: tried again
  post([this, socket, number = seat.flush, client = seat.client] {
    answer(socket, number, !client->flush());
    ::close(socket);
  });
  seat.flush = 0;
}

// False: the backlog has no room yet for what is left. The socket is open until then, so that the producer does not
// offer its memory again while it is read.
bool Server::leave(Seat& seat) {
  seat.is_leaving = true;
  if (seat.client != nullptr) {
    if (!seat.client->finish()) return false;
    add(counts_.read, seat.client->counts());
    counts_.held_back += seat.client->held_back();
    ++finishing_;
    seat.client.reset();
  }
  ::close(seat.socket);
  seat.socket = -1;
  return true;
}

bool Server::drain(int watched) {
  for (;;) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < clients_.size(); ++i) {
      if (leave(clients_[i])) continue;
      if (kept != i) clients_[kept] = std::move(clients_[i]);
      ++kept;
    }
    clients_.resize(kept);
    wake_translator();
    if (kept == 0 && finishing_.load() == 0) break;
    pollfd wait = {watched, POLLIN, 0};
    if (::poll(&wait, 1, 1) > 0) return false;
  }
  stop();
  return true;
}

ServerCounts Server::counts() const {
  ServerCounts sum = counts_;
  sum.written = written_;
  sum.bytes = sum.read.bytes;
  return sum;
}

// ---- the thread that translates ----

void Server::wake_translator() {
  const std::lock_guard<std::mutex> guard(lock_);
  has_work_ = true;
  changed_.notify_one();
}

void Server::post(std::function<void()> work) {
  for (const Seat& seat : clients_) {
    if (seat.client != nullptr) seat.client->seal();
  }
  {
    const std::lock_guard<std::mutex> guard(lock_);
    posted_.push_back(std::move(work));
  }
  wake_translator();
}

void Server::stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard<std::mutex> guard(lock_);
    is_stopping_ = true;
    changed_.notify_one();
  }
  thread_.join();
}

// In each round one block of each producer, so that none waits for all that another has written.
void Server::translate() {
  std::vector<std::shared_ptr<Client>> clients;
  std::vector<std::function<void()>> posted;
  std::size_t rounds = 0;  // until what had been read when `posted` came is translated
  std::uint64_t clocks_block = 0;
  for (;;) {
    {
      const std::lock_guard<std::mutex> guard(lock_);
      has_work_ = false;
      for (const auto& client : joining_) client->join();
      clients.insert(clients.end(), joining_.begin(), joining_.end());
      joining_.clear();
      if (!posted_.empty()) {
        for (const auto& client : clients) rounds = std::max(rounds, client->blocks());
        std::move(posted_.begin(), posted_.end(), std::back_inserter(posted));
        posted_.clear();
      }
    }
    if (clocks_block != output_.block()) {
      clocks_block = output_.block();
      write_clocks(output_);
    }
    bool is_idle = true;
    for (const auto& client : clients) {
      if (client->translate()) is_idle = false;
    }
    const auto over = std::remove_if(clients.begin(), clients.end(), [](const auto& client) { return client->is_over(); });
    finishing_ -= static_cast<std::size_t>(clients.end() - over);
    clients.erase(over, clients.end());
    if (rounds > 0) --rounds;
    if (!posted.empty() && (is_idle || rounds == 0)) {
      for (const auto& work : posted) work();
      posted.clear();
    }
    if (!is_idle) continue;
    output_.flush();
    std::unique_lock<std::mutex> guard(lock_);
    if (is_stopping_ && !has_work_) return;
    changed_.wait(guard, [this] { return has_work_ || is_stopping_; });
  }
}

}  // namespace tracing::service
