// Package output writes chunks of flows to Kafka, to files, or to standard output.
//
// It loses nothing silently: each flow that an output accepts is finally counted once, as Delivered or under the
// reason why it was lost.
package output

import (
	"context"
	"errors"

	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// Output accepts chunks. Any goroutine may call its methods.
type Output interface {
	// Put takes over the chunk with its bytes. It waits until there is room. If the context ends or the output is
	// closed before that, Put returns an error, and the caller must count the flows of the chunk.
	Put(ctx context.Context, c flow.Chunk) error
	// Close delivers the chunks that it has accepted. It counts those that are left when the context ends as
	// Shutdown.
	Close(ctx context.Context) error
}

// ErrClosed is the error of Put after Close.
var ErrClosed = errors.New("the output is closed")
