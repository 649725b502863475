package output

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// A broker that is away for hours does not fill the log.
func TestTheClientsMessagesAreNotRepeated(t *testing.T) {
	var text bytes.Buffer
	l := &logger{Logger: slog.New(slog.NewTextHandler(&text, nil))}
	for range 100 {
		l.Log(kgo.LogLevelWarn, "unable to open connection", "addr", "a:9092")
		l.Log(kgo.LogLevelWarn, "unable to open connection", "addr", "b:9092")
	}
	if got := strings.Count(text.String(), "\n"); got != 2 {
		t.Errorf("%d lines: %s", got, &text)
	}
	for _, r := range l.said {
		r.last = r.last.Add(-sayAgain)
	}
	l.Log(kgo.LogLevelWarn, "unable to open connection", "addr", "a:9092")
	if !strings.HasSuffix(text.String(), "addr=a:9092 repeated=99\n") {
		t.Error(text.String())
	}
	for i := range 3 * mostKnown {
		l.due(strings.Repeat("x", i), time.Now())
	}
	if len(l.said) > mostKnown {
		t.Errorf("%d messages are kept", len(l.said))
	}
}
