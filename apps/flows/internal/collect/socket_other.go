//go:build !linux

package collect

import (
	"errors"
	"syscall"
)

// On other systems each address has one socket, which reads a datagram at a time, and the kernel's drops are
// unknown.
const (
	batched  = false
	dontWait = 0
	cut      = 0
)

func share(_, _ string, _ syscall.RawConn) error { return nil }

func steer(syscall.RawConn, int) error { return errors.ErrUnsupported }

func setReceiveBuffer(syscall.RawConn, int) (int, error) { return 0, errors.ErrUnsupported }

func kernelDrops(syscall.RawConn) (uint32, error) { return 0, errors.ErrUnsupported }
