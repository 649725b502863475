// The producer's side of the socket to the service (spec/tracing.md, section 3). It carries two descriptors, names of
// categories and the numbers of flushes; no event takes this way.
#ifndef TRACING_SDK_CONNECTION_H_
#define TRACING_SDK_CONNECTION_H_

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "hotpb/shm/source.h"
#include "tracing/session.hot.h"

namespace tracing::detail {

constexpr std::uint32_t kProtocolVersion = 1;

// The kernel cuts names after 15 bytes, wherever a character ends.
inline std::string thread_name() {
  char name[17] = {};
  ::prctl(PR_GET_NAME, name);
  return name;
}
// That of the main thread.
inline std::string process_name() {
  char name[64];
  const int file = ::open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  const ssize_t size = file < 0 ? -1 : ::read(file, name, sizeof name);
  if (file >= 0) ::close(file);
  if (size <= 1) return ::program_invocation_short_name;
  return {name, static_cast<std::size_t>(size) - 1};  // without the line's end
}

// The one that is open, for the child of fork(): the service takes the end of a connection for the end of its process.
inline std::atomic<int> open_socket{-1};

class Connection {
 public:
  explicit Connection(std::string path)
      : path_(std::move(path)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), wake_problem_(errno) {}
  ~Connection() {
    disconnect();
    if (wake_ >= 0) ::close(wake_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // 0, or why no service will ever be found.
  int problem() const {
    if (path_.size() >= sizeof sockaddr_un().sun_path) return ENAMETOOLONG;
    return wake_ < 0 ? wake_problem_ : 0;
  }
  bool is_ready() const { return ready_.load(std::memory_order_acquire); }
  void set_ready() { ready_.store(true, std::memory_order_release); }
  // From another thread: receive() returns Woken.
  void wake() {
    const std::uint64_t count = 1;
    static_cast<void>(!::write(wake_, &count, sizeof count));
  }
  // From another thread: connect() returns false, and receive() Gone.
  void stop() {
    stops_.store(true, std::memory_order_release);
    wake();
  }

  // Tries until a service has both descriptors. False: stop() was called. The pauses grow, also between connections
  // that the service ends soon, because it refuses this producer.
  bool connect(int area, int registry) {
    disconnect();
    if (connected_ns_ != 0 && hotpb::shm::detail::monotonic_ns() - connected_ns_ >= kSettledNs) pause_ms_ = 0;
    for (;;) {
      if (stops_within(pause_ms_)) return false;
      pause_ms_ = pause_ms_ == 0 ? 1 : std::min(2 * pause_ms_, kLongestPauseMs);
      if (offer(area, registry)) break;
      disconnect();
    }
    connected_ns_ = hotpb::shm::detail::monotonic_ns();
    return true;
  }
  void disconnect() {
    ready_.store(false, std::memory_order_release);
    open_socket.store(-1, std::memory_order_relaxed);
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  enum class Event { Gone, Woken, Message };
  struct Message {
    std::vector<std::string> categories;
    std::uint64_t flushed = 0;
    bool unwritten = false;
  };
  // What the service says. Gone: it ended the connection, or stop() was called.
  Event receive(Message& message) {
    pollfd wait[] = {{socket_, POLLIN, 0}, {wake_, POLLIN, 0}};
    while (::poll(wait, 2, -1) < 0) {
      if (errno != EINTR) return Event::Gone;
    }
    if (wait[1].revents != 0) return was_stopped() ? Event::Gone : Event::Woken;
    std::uint8_t bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, MSG_TRUNC);
    hot::ConfigView config;
    if (size <= 0 || size > static_cast<ssize_t>(sizeof bytes) ||
        !config.decode(hotpb::Bytes(bytes, static_cast<std::size_t>(size))).ok()) {
      return Event::Gone;
    }
    message.categories.clear();
    for (const std::string_view name : config.categories()) message.categories.emplace_back(name);
    message.flushed = config.flushed();
    message.unwritten = config.unwritten();
    return Event::Message;
  }
  bool ask_for_flush(std::uint64_t number) {
    std::uint8_t room[64];
    hotpb::FixedBuffer out(room, sizeof room);
    out.message<hot::FlushWriter>().set_number(number);
    const std::size_t size = out.bytes().size();
    return ::send(socket_, room, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  }

 private:
  static constexpr int kLongestPauseMs = 250;
  static constexpr std::uint64_t kSettledNs = 100000000;  // a connection that lasted so long was no refusal

  bool stops_within(int ms) {
    pollfd wait = {wake_, POLLIN, 0};
    ::poll(&wait, 1, ms);
    return was_stopped();
  }
  bool was_stopped() {
    std::uint64_t times = 0;
    static_cast<void>(!::read(wake_, &times, sizeof times));
    return stops_.load(std::memory_order_acquire);
  }
  bool offer(int area, int registry) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket_ < 0) return false;
    open_socket.store(socket_, std::memory_order_relaxed);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size() + 1);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), size) != 0) return false;

    std::uint8_t room[64];
    hotpb::FixedBuffer hello(room, sizeof room);
    hello.message<hot::HelloWriter>().set_version(kProtocolVersion);
    iovec bytes = {room, hello.bytes().size()};
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))] = {};
    msghdr message = {};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(2 * sizeof(int));
    const int descriptors[] = {area, registry};
    std::memcpy(CMSG_DATA(header), descriptors, sizeof descriptors);
    return ::sendmsg(socket_, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.iov_len);
  }

  const std::string path_;
  const int wake_;
  const int wake_problem_;           // errno, if there is none
  int socket_ = -1;
  int pause_ms_ = 0;                 // before the next attempt
  std::uint64_t connected_ns_ = 0;
  std::atomic<bool> stops_{false};
  std::atomic<bool> ready_{false};
};

}  // namespace tracing::detail

#endif  // TRACING_SDK_CONNECTION_H_
