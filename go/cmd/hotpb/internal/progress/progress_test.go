package progress

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hotpb/hotpb/go/cmd/hotpb/internal/console"
)

type locked struct {
	sync.Mutex
	bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.Lock()
	defer l.Unlock()
	return l.Buffer.Write(p)
}

func TestABarIsShownAfterItsPauseAndTakenAway(t *testing.T) {
	var out locked
	b := onTerminal(&out, "inspect", "bytes", time.Millisecond)
	b.Of(200)
	b.At(50)
	for range 1000 {
		out.Lock()
		shown := out.Len() > 60
		out.Unlock()
		if shown {
			break
		}
		time.Sleep(time.Millisecond)
	}
	b.Stop()
	if s := out.String(); !strings.Contains(s, "\rhotpb inspect: 50 of 200 bytes (25 %)") || !strings.HasSuffix(s, "\r\x1b[K") {
		t.Errorf("%q", s)
	}
}

func TestPhasesAreLinesWithoutATerminal(t *testing.T) {
	for _, json := range []bool{false, true} {
		var out locked
		b := inLines(&console.Streams{Err: &out, JSON: json}, "migrate", "packages", time.Millisecond)
		b.Phase("types")
		b.Of(200)
		b.At(50)
		want := "hotpb migrate: types: 50 of 200 packages (25 %)\n"
		if json {
			want = `{"progress":"hotpb migrate: types: 50 of 200 packages (25 %)"}` + "\n"
		}
		shown := func() bool {
			out.Lock()
			defer out.Unlock()
			return strings.Contains(out.Buffer.String(), want)
		}
		for range 1000 {
			if shown() {
				break
			}
			time.Sleep(time.Millisecond)
		}
		b.Stop()
		if s := out.String(); !shown() || strings.Contains(s, "\r") {
			t.Errorf("%q", s)
		}
	}
}

func TestWhatIsNoTerminalGetsNoBar(t *testing.T) {
	b := Start(new(bytes.Buffer), "inspect")
	b.Of(1)
	b.At(1)
	b.Stop()
	if b != nil {
		t.Error("there is a bar")
	}
}
