// The producer's side of the socket to the service (spec/tracing.md, section 3). It carries two descriptors and names
// of categories; no event takes this way.
#ifndef TRACING_SDK_CONNECTION_H_
#define TRACING_SDK_CONNECTION_H_

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "tracing/session.hot.h"

namespace tracing::detail {

constexpr std::uint32_t kProtocolVersion = 1;

inline std::string thread_name(pid_t tid) {
  std::string name;
  std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/comm");
  std::getline(file, name);
  return name;
}

// The one that is open, for the child of fork(): the service takes the end of a connection for the end of its process.
inline std::atomic<int> open_socket{-1};

class Connection {
 public:
  explicit Connection(std::string path) : path_(std::move(path)), stop_(::eventfd(0, EFD_CLOEXEC)) {}
  ~Connection() {
    disconnect();
    if (stop_ >= 0) ::close(stop_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_ready() const { return ready_.load(std::memory_order_acquire); }
  void set_ready() { ready_.store(true, std::memory_order_release); }
  // From another thread.
  void stop() {
    const std::uint64_t one = 1;
    static_cast<void>(!::write(stop_, &one, sizeof one));
  }

  // Tries until a service has both descriptors. False: stop() was called.
  bool connect(int area, int registry) {
    disconnect();
    if (stops_within(0)) return false;
    for (int wait_ms = 1;; wait_ms = wait_ms < 250 ? 2 * wait_ms : 250) {
      if (offer(area, registry)) return true;
      disconnect();
      if (stops_within(wait_ms)) return false;
    }
  }
  // What the service wants. False: it is gone, or stop() was called.
  bool receive(std::vector<std::string>& categories) {
    pollfd wait[] = {{socket_, POLLIN, 0}, {stop_, POLLIN, 0}};
    while (::poll(wait, 2, -1) < 0) {
      if (errno != EINTR) return false;
    }
    if (wait[1].revents != 0) return false;
    std::uint8_t bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof bytes, MSG_TRUNC);
    hot::ConfigView config;
    if (size <= 0 || size > static_cast<ssize_t>(sizeof bytes) ||
        !config.decode(hotpb::Bytes(bytes, static_cast<std::size_t>(size))).ok()) {
      return false;
    }
    categories.clear();
    for (const std::string_view name : config.categories()) categories.emplace_back(name);
    return true;
  }

 private:
  bool stops_within(int ms) {
    pollfd wait = {stop_, POLLIN, 0};
    return ::poll(&wait, 1, ms) != 0;
  }
  void disconnect() {
    ready_.store(false, std::memory_order_release);
    open_socket.store(-1, std::memory_order_relaxed);
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }
  bool offer(int area, int registry) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof address.sun_path) return false;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    socket_ = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
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
  const int stop_;
  int socket_ = -1;
  std::atomic<bool> ready_{false};
};

}  // namespace tracing::detail

#endif  // TRACING_SDK_CONNECTION_H_
