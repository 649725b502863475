// Package progress shows how far a command is, when it needs longer than a second and standard error is a terminal.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Bar shows a part of a whole, or the seconds that have passed until there is one. The nil Bar shows nothing.
type Bar struct {
	name    string
	begun   time.Time
	total   atomic.Int64
	done    atomic.Int64
	stop    chan struct{}
	stopped sync.WaitGroup
}

// Start returns a bar that writes to w after a second, or nil when w is no terminal.
func Start(w io.Writer, name string) *Bar {
	file, ok := w.(*os.File)
	if !ok {
		return nil
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return nil
	}
	return start(w, name, time.Second)
}

func start(w io.Writer, name string, pause time.Duration) *Bar {
	b := &Bar{name: name, begun: time.Now(), stop: make(chan struct{})}
	b.stopped.Add(1)
	go b.run(w, pause)
	return b
}

func (b *Bar) run(w io.Writer, pause time.Duration) {
	defer b.stopped.Done()
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	shown := false
	for {
		select {
		case <-b.stop:
			if shown {
				fmt.Fprint(w, "\r\x1b[K")
			}
			return
		case <-ticks.C:
			shown = true
			fmt.Fprint(w, "\r"+b.line()+"\x1b[K")
		}
	}
}

func (b *Bar) line() string {
	done, total := b.done.Load(), b.total.Load()
	switch {
	case total > 0:
		return fmt.Sprintf("hotpb %s: %d of %d bytes (%d %%)", b.name, done, total, 100*done/total)
	case done > 0:
		return fmt.Sprintf("hotpb %s: %d bytes", b.name, done)
	}
	return fmt.Sprintf("hotpb %s: %.0f s", b.name, time.Since(b.begun).Seconds())
}

// Of says how many bytes there are.
func (b *Bar) Of(total int64) {
	if b != nil {
		b.total.Store(total)
	}
}

// At says how many bytes are done.
func (b *Bar) At(done int64) {
	if b != nil {
		b.done.Store(done)
	}
}

// Stop removes the bar.
func (b *Bar) Stop() {
	if b != nil {
		close(b.stop)
		b.stopped.Wait()
	}
}
