package collect

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// batched says that several sockets may share an address, and that many datagrams are read at once.
const batched = true

// dontWait makes a read return at once if there is nothing to read.
const dontWait = unix.MSG_DONTWAIT

// cut is the flag of datagrams that were longer than their buffer.
const cut = unix.MSG_TRUNC

// share lets several sockets have one address. The kernel passes all datagrams from one address and port to the same
// socket, and steer those from one address.
func share(_, _ string, c syscall.RawConn) error {
	return control(c, func(fd int) error { return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
}

// setReceiveBuffer asks for a receive buffer and returns its actual size. A buffer above net.core.rmem_max needs
// CAP_NET_ADMIN.
func setReceiveBuffer(c syscall.RawConn, bytes int) (got int, err error) {
	err = control(c, func(fd int) error {
		if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bytes) != nil {
			if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, bytes); err != nil {
				return err
			}
		}
		got, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
		got /= 2 // the kernel doubles the size for its own needs
		return err
	})
	return got, err
}

// kernelDrops returns how many datagrams of a socket the kernel has dropped so far; the number wraps around. The
// control message SO_RXQ_OVFL would report the same number, but only with the next datagram that is not dropped.
func kernelDrops(c syscall.RawConn) (n uint32, err error) {
	var info [9]uint32 // SK_MEMINFO_VARS; the last is SK_MEMINFO_DROPS
	err = control(c, func(fd int) error {
		size := uint32(unsafe.Sizeof(info))
		// SAFETY: the kernel writes at most size bytes, which info has, and size; both live until the call returns.
		_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, uintptr(fd), unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		if errno == 0 && size < uint32(unsafe.Sizeof(info)) {
			errno = unix.ENOTSUP
		}
		if errno != 0 {
			return errno
		}
		return nil
	})
	return info[8], err
}

func control(c syscall.RawConn, f func(fd int) error) error {
	var err error
	if outer := c.Control(func(fd uintptr) { err = f(int(fd)) }); outer != nil {
		return outer
	}
	return err
}
