#include "server.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "../sdk/connection.h"
#include "tracing/session.hot.h"

namespace tracing::service {

namespace {

std::uint64_t latest_ns() {
  constexpr std::uint64_t kAhead = 1000000000;  // machines whose clocks a container has shifted
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u + static_cast<std::uint64_t>(now.tv_nsec) + kAhead;
}

void add(hotpb::shm::ReaderCounts& sum, const hotpb::shm::ReaderCounts& one) {
  sum.packets += one.packets;
  sum.bytes += one.bytes;
  sum.lost += one.lost;
  sum.gaps += one.gaps;
  sum.corrupt += one.corrupt;
  sum.orphans += one.orphans;
  sum.too_large += one.too_large;
  sum.cut += one.cut;
  sum.freed += one.freed;
  sum.taken_back += one.taken_back;
}

}  // namespace

// ---- a producer ----

bool Client::open(int area, int registry, std::uint64_t area_bytes) {
  hotpb::shm::ReaderOptions options;
  options.area_bytes = area_bytes;
  if (!registry_.open(registry) || reader_.open(area, options) != hotpb::shm::AreaError::Ok) return false;
  translator_ = std::make_unique<Translator>(output_, numbers_, registry_, pid_, uid_, reader_.writers(), counts_,
                                             categories_);
  return true;
}

bool Client::poll() {
  const bool good = registry_.update();
  const std::uint64_t latest = latest_ns();
  reader_.poll([&](const hotpb::shm::Packet& packet) { translator_->packet(packet, latest); });
  return good && registry_.update();
}

// All that was committed before: a chunk may be seen only in the pass after one that missed it.
bool Client::poll_all() {
  bool good = true;
  for (int i = 0; i < 3; ++i) good = poll() && good;
  return good;
}

void Client::end() {
  poll_all();
  reader_.end();
  translator_->end(reader_);
}

// ---- the socket ----

Server::Server(Output& output, ServerOptions options) : output_(output), options_(std::move(options)) {}

Server::~Server() {
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
  return true;
}

bool Server::step(int wait_ms, int other) {
  if (clocks_block_ != output_.block()) {
    clocks_block_ = output_.block();
    write_clocks(output_);
  }
  std::vector<pollfd> wait = {{listener_, POLLIN, 0}, {other, POLLIN, 0}};
  for (const Seat& seat : clients_) wait.push_back({seat.socket, POLLIN, 0});
  if (::poll(wait.data(), static_cast<nfds_t>(wait.size()), wait_ms) < 0) {
    for (pollfd& one : wait) one.revents = 0;
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    Seat& seat = clients_[i];
    const bool spoke = wait[i + 2].revents != 0;
    bool stays = !spoke || (seat.client == nullptr ? greet(seat) : carry_out(seat));
    if (stays && seat.client != nullptr) stays = seat.client->poll();
    if (!stays) {
      leave(seat);
      continue;
    }
    if (kept != i) clients_[kept] = std::move(seat);
    ++kept;
  }
  clients_.resize(kept);
  if (wait[0].revents != 0) accept();
  output_.flush();
  return wait[1].revents != 0;
}

void Server::accept() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    if (clients_.size() >= options_.producers) {
      ++counts_.sent_away;
      ::close(socket);
      continue;
    }
    Seat seat;
    seat.socket = socket;
    seat.lost_bytes = output_.lost_bytes();
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
    seat.client = std::make_unique<Client>(output_, numbers_, counts_.written, static_cast<std::int32_t>(peer.pid),
                                           static_cast<std::int32_t>(peer.uid), CategoryFilter(options_.categories));
    good = seat.client->open(descriptors[0], descriptors[1], options_.area_bytes);
  }
  for (const int fd : descriptors) ::close(fd);
  good = good && answer(seat, 0, false);
  if (good) {
    ++counts_.producers;
  } else {
    ++counts_.sent_away;
    seat.client.reset();
  }
  return good;
}

bool Server::answer(Seat& seat, std::uint64_t flushed, bool unwritten) {
  hotpb::HeapBuffer message;
  {
    auto config = message.message<hot::ConfigWriter>();
    for (const std::string& category : options_.categories) config.add_categories(category);
    if (flushed != 0) config.set_flushed(flushed);
    if (unwritten) config.set_unwritten(true);
  }
  const hotpb::Bytes out = message.bytes();
  return ::send(seat.socket, out.data(), out.size(), MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(out.size());
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
  if (!seat.client->poll_all()) return false;
  output_.flush();
  const bool unwritten = output_.lost_bytes() != seat.lost_bytes;
  seat.lost_bytes = output_.lost_bytes();
  return answer(seat, flush.number(), unwritten);
}

void Server::leave(Seat& seat) {
  if (seat.client != nullptr) {
    seat.client->end();
    add(counts_.read, seat.client->counts());
    seat.client.reset();
  }
  ::close(seat.socket);
  seat.socket = -1;
}

void Server::drain() {
  for (Seat& seat : clients_) leave(seat);
  clients_.clear();
  output_.flush();
}

ServerCounts Server::counts() const {
  ServerCounts sum = counts_;
  for (const Seat& seat : clients_) {
    if (seat.client != nullptr) add(sum.read, seat.client->counts());
  }
  sum.bytes = sum.read.bytes;
  return sum;
}

}  // namespace tracing::service
