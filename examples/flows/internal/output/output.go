// Package output hands chunks of flows on: to Kafka, into files, to standard output.
//
// Nothing is lost in silence: each flow that an output has taken is at last counted once, as Delivered or under the reason
// why it is not.
package output

import (
	"context"
	"errors"

	"github.com/hotpb/hotpb/examples/flows/internal/flow"
)

// Output takes chunks. Its methods may be called from any goroutine.
type Output interface {
	// Put takes the chunk over, its bytes too. While there is no room it waits. When the context ends, or the output is
	// closed, before there is, it gives an error, and the chunk is still the caller's to count.
	Put(ctx context.Context, c flow.Chunk) error
	// Close delivers what has been put. What is left when the context ends is counted as Shutdown.
	Close(ctx context.Context) error
}

// ErrClosed is what Put says once the output is closed.
var ErrClosed = errors.New("the output is closed")
