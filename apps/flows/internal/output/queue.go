package output

import (
	"context"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Queue limits the bytes that an output has accepted and not delivered yet. When the limit is reached, Put waits,
// so that its caller reads no further. Queue does not hold the chunks themselves: each output keeps them in its
// own way.
type Queue struct {
	room *semaphore.Weighted
	size int64
	used atomic.Int64

	mu   sync.Mutex
	open context.Context // until it is closed
	shut context.CancelFunc
	puts sync.WaitGroup // chunks that are being accepted
}

// NewQueue creates an empty queue for size bytes.
func NewQueue(size int64) *Queue {
	q := &Queue{room: semaphore.NewWeighted(size), size: size}
	q.open, q.shut = context.WithCancel(context.Background())
	return q
}

// Size returns the limit in bytes.
func (q *Queue) Size() int64 { return q.size }

// Used returns how many bytes are in the queue. A chunk larger than the queue waits until it has the whole queue.
func (q *Queue) Used() int64 { return q.used.Load() }

// take waits until there is room for n bytes, and reserves it. Call begun when the chunk is where the output will
// find it: until then the output does not stop.
func (q *Queue) take(ctx context.Context, n int) (begun func(), err error) {
	q.mu.Lock()
	if q.open.Err() != nil {
		q.mu.Unlock()
		return nil, ErrClosed
	}
	q.puts.Add(1)
	q.mu.Unlock()
	if !q.room.TryAcquire(q.weight(n)) {
		waiting, cancel := context.WithCancel(ctx)
		stop := context.AfterFunc(q.open, cancel)
		err = q.room.Acquire(waiting, q.weight(n))
		stop()
		cancel()
		if err != nil {
			q.puts.Done()
			if ctx.Err() == nil {
				err = ErrClosed
			}
			return nil, err
		}
	}
	q.used.Add(int64(n))
	return q.puts.Done, nil
}

// give frees room.
func (q *Queue) give(n int) {
	q.used.Add(-int64(n))
	q.room.Release(q.weight(n))
}

func (q *Queue) weight(n int) int64 { return min(int64(n), q.size) }

// close refuses all further chunks. It returns when all chunks that were being accepted are accepted or refused,
// and reports whether this was the first call.
func (q *Queue) close() (first bool) {
	q.mu.Lock()
	first = q.open.Err() == nil
	q.shut()
	q.mu.Unlock()
	q.puts.Wait()
	return first
}
