//go:build !linux

package collect

import (
	"errors"
	"syscall"
)

// Elsewhere one socket an address is read, a datagram at a time, and what the kernel drops is not known.
const (
	batched  = false
	dontWait = 0
	cut      = 0
)

func share(_, _ string, _ syscall.RawConn) error { return nil }

func setReceiveBuffer(syscall.RawConn, int) (int, error) { return 0, errors.ErrUnsupported }

func kernelDrops(syscall.RawConn) (uint32, error) { return 0, errors.ErrUnsupported }
