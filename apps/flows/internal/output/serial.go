package output

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
)

// sink writes chunks; one goroutine at a time calls it.
type sink interface {
	// write writes a chunk, and repeats the attempt until the context ends. For the bytes that it has not written it
	// returns the reason.
	write(ctx context.Context, c flow.Chunk) (flows int, reason count.Reason, err error)
	// tick is called every second.
	tick(now time.Time)
	// end is called last.
	end() error
}

// serial is an output that writes one chunk after the other.
type serial struct {
	queue  *Queue
	counts *count.Counters
	said   sayings
	sink   sink

	chunks  chan flow.Chunk
	living  context.Context // until the time for draining is over
	kill    context.CancelFunc
	done    chan struct{}
	err     error // the result of the sink's end
	mu      sync.Mutex
	given   bool       // given up: the sink hangs in a write, and all that was left has been counted
	current flow.Chunk // the chunk that is being written
}

// waitingChunks is more than a queue holds, unless chunks have only a few flows.
const waitingChunks = 4096

// afterEnd is how long a write may continue after the time for draining.
const afterEnd = time.Second

func newSerial(s sink, q *Queue, c *count.Counters, log *slog.Logger) *serial {
	o := &serial{
		queue: q, counts: c, said: sayings{log: log}, sink: s,
		chunks: make(chan flow.Chunk, waitingChunks), done: make(chan struct{}),
	}
	o.living, o.kill = context.WithCancel(context.Background())
	go o.run()
	return o
}

// Put passes the chunk to the goroutine that writes.
func (o *serial) Put(ctx context.Context, c flow.Chunk) error {
	if c.Flows == 0 {
		return nil
	}
	begun, err := o.queue.take(ctx, len(c.Bytes))
	if err != nil {
		return err
	}
	defer begun()
	select {
	case o.chunks <- c:
		return nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-o.queue.open.Done():
		err = ErrClosed
	}
	o.queue.give(len(c.Bytes))
	return err
}

// Close writes the waiting chunks.
func (o *serial) Close(ctx context.Context) error {
	if !o.queue.close() {
		return ErrClosed
	}
	close(o.chunks)
	defer o.said.rest()
	select {
	case <-o.done:
		o.kill()
		return o.err
	case <-ctx.Done():
	}
	o.kill()
	select {
	case <-o.done:
	case <-time.After(afterEnd):
		o.giveUp()
	}
	return ctx.Err()
}

func (o *serial) run() {
	defer close(o.done)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case c, more := <-o.chunks:
			if !more {
				o.err = o.sink.end()
				return
			}
			o.write(c)
		case now := <-ticker.C:
			o.sink.tick(now)
		}
	}
}

func (o *serial) write(c flow.Chunk) {
	o.mu.Lock()
	late := o.given
	if !late {
		o.current = c
	}
	o.mu.Unlock()
	if late {
		o.counts.Drop(count.Shutdown, c.Flows)
		o.queue.give(len(c.Bytes))
		return
	}
	if o.living.Err() != nil {
		o.outcome(c, 0, count.Shutdown, o.living.Err())
		return
	}
	flows, reason, err := o.sink.write(o.living, c)
	o.outcome(c, flows, reason, err)
}

// outcome counts the outcome of a chunk.
func (o *serial) outcome(c flow.Chunk, flows int, reason count.Reason, err error) {
	o.mu.Lock()
	given := o.given
	o.current = flow.Chunk{}
	o.mu.Unlock()
	if given {
		return
	}
	o.counts.Delivered.Add(uint64(flows))
	if lost := c.Flows - flows; lost > 0 {
		o.counts.Drop(reason, lost)
		o.said.say(reason, lost, err)
	} else {
		o.counts.Written.Add(uint64(len(c.Bytes)))
	}
	o.queue.give(len(c.Bytes))
}

// giveUp counts what is left while the sink hangs.
func (o *serial) giveUp() {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case <-o.done: // meanwhile
		return
	default:
	}
	o.given = true
	lost := o.current.Flows
	if o.current.Flows > 0 {
		o.queue.give(len(o.current.Bytes))
	}
	for c := range o.chunks {
		lost += c.Flows
		o.queue.give(len(c.Bytes))
	}
	if lost > 0 {
		o.counts.Drop(count.Shutdown, lost)
		o.said.say(count.Shutdown, lost, context.DeadlineExceeded)
	}
}
