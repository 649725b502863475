package progress

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
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
	b := start(&out, "inspect", time.Millisecond)
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

func TestWhatIsNoTerminalGetsNoBar(t *testing.T) {
	b := Start(new(bytes.Buffer), "inspect")
	b.Of(1)
	b.At(1)
	b.Stop()
	if b != nil {
		t.Error("there is a bar")
	}
}
