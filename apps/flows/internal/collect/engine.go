// Package collect reads datagrams from sockets or captures, has them decoded, and passes the flows on in chunks.
package collect

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
)

// Decoder decodes datagrams into flows; one goroutine may use it. Package decode implements it.
type Decoder interface {
	Append(dst []byte, dg *flow.Datagram) (out []byte, flows int)
	Use(l *layout.Layout, e flow.Enricher) error           // takes effect with the next datagram
	Due(dst []byte, now time.Time) (out []byte, flows int) // flows that were held back long enough
	End(dst []byte) (out []byte, flows int)                // all that are held back
}

// Setup is the state that a reload replaces as a whole.
type Setup struct {
	Layout   *layout.Layout
	Enricher flow.Enricher // may be nil
}

// Options are the outputs of an Engine, and the sizes of its chunks.
type Options struct {
	NewDecoder func(l *layout.Layout, e flow.Enricher) (Decoder, error)
	Put        func(ctx context.Context, c flow.Chunk) error // takes over a chunk
	Tap        func(c flow.Chunk)                            // sees a chunk before Put, keeps none; may be nil
	Counters   *count.Counters
	Log        *slog.Logger

	ChunkBytes int           // a chunk of this size is passed on
	ChunkTime  time.Duration // so is a chunk of this age
	PutWait    time.Duration // how long Put may wait for room; flows without room then count as QueueFull. 0: for ever
}

// Engine is what all workers share.
type Engine struct {
	Options
	setup atomic.Pointer[Setup]
}

// New creates an engine. It returns an error if the decoder cannot fill the layout.
func New(o Options, s *Setup) (*Engine, error) {
	e := &Engine{Options: o}
	return e, e.Reload(s)
}

// Reload makes the workers use another setup, each from its next datagram on. After an error nothing changes.
func (e *Engine) Reload(s *Setup) error {
	// Errors are found here, where the caller can report them, and not in the workers.
	if _, err := e.NewDecoder(s.Layout, s.Enricher); err != nil {
		return err
	}
	e.setup.Store(s)
	return nil
}

// Setup returns the setup in use.
func (e *Engine) Setup() *Setup { return e.setup.Load() }
