package main

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// sleep waits, but not longer than ctx lasts.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// isRefused tells that a datagram sent before has come to a port where nobody listens.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }
