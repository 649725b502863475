// Package progress shows how far a command is, when it needs longer than a second and standard error is a terminal. A command of
// minutes also says so elsewhere, such as in the log of CI, by a line every ten seconds.
package progress

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

// Bar shows a part of a whole, or the seconds that have passed until there is one. The nil Bar shows nothing.
type Bar struct {
	name    string
	unit    string // of the parts
	begun   time.Time
	phase   atomic.Pointer[string]
	total   atomic.Int64
	done    atomic.Int64
	stop    chan struct{}
	stopped sync.WaitGroup
}

// Start returns a bar that writes to w after a second, or nil when w is no terminal.
func Start(w io.Writer, name string) *Bar {
	if !isTerminal(w) {
		return nil
	}
	return onTerminal(w, name, "bytes", time.Second)
}

// StartPhases returns a bar for the phases of a command that may take minutes, in which it counts things of this unit.
func StartPhases(std *console.Streams, name, unit string) *Bar {
	switch {
	case std.Err == nil:
		return nil
	case isTerminal(std.Err):
		return onTerminal(std.Err, name, unit, time.Second)
	}
	return inLines(std, name, unit, 10*time.Second)
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// onTerminal shows one line, which it replaces and removes.
func onTerminal(w io.Writer, name, unit string, pause time.Duration) *Bar {
	shown := false
	return start(name, unit, pause, func(line string) {
		shown = true
		fmt.Fprint(w, "\r"+line+"\x1b[K")
	}, func() {
		if shown {
			fmt.Fprint(w, "\r\x1b[K")
		}
	})
}

// inLines writes a line after each pause.
func inLines(std *console.Streams, name, unit string, pause time.Duration) *Bar {
	return start(name, unit, pause, func(line string) {
		_ = std.Notes("progress", line+"\n") // a command does not fail because of it
	}, func() {})
}

func start(name, unit string, pause time.Duration, show func(line string), end func()) *Bar {
	b := &Bar{name: name, unit: unit, begun: time.Now(), stop: make(chan struct{})}
	b.stopped.Add(1)
	go func() {
		defer b.stopped.Done()
		ticks := time.NewTicker(pause)
		defer ticks.Stop()
		for {
			select {
			case <-b.stop:
				end()
				return
			case <-ticks.C:
				show(b.line())
			}
		}
	}()
	return b
}

func (b *Bar) line() string {
	line := "hotpb " + b.name + ": "
	if phase := b.phase.Load(); phase != nil {
		line += *phase + ": "
	}
	done, total := b.done.Load(), b.total.Load()
	switch {
	case total > 0:
		return line + fmt.Sprintf("%d of %d %s (%d %%)", done, total, b.unit, 100*done/total)
	case done > 0:
		return line + fmt.Sprintf("%d %s", done, b.unit)
	}
	return line + fmt.Sprintf("%.0f s", time.Since(b.begun).Seconds())
}

// Phase names the command's work from now on. Nothing of it is done yet.
func (b *Bar) Phase(name string) {
	if b != nil {
		b.total.Store(0)
		b.done.Store(0)
		b.phase.Store(&name)
	}
}

// Of says how many parts there are.
func (b *Bar) Of(total int64) {
	if b != nil {
		b.total.Store(total)
	}
}

// At says how many parts are done.
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
