package output

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The client tries a broker that cannot be reached twice a second, and says so each time. The same message about the same
// broker is logged once in sayAgain; the next one says how often it was left out.
const (
	sayAgain  = time.Minute
	mostKnown = 1000 // messages, so that what differs each time cannot fill the memory
)

// logger passes on the warnings of the Kafka client.
type logger struct {
	*slog.Logger
	mu   sync.Mutex
	said map[string]*repeated
}

type repeated struct {
	last    time.Time
	omitted int
}

// Level returns the level to log.
func (l *logger) Level() kgo.LogLevel {
	if l.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelDebug
	}
	return kgo.LogLevelWarn
}

// Log is called by the client.
func (l *logger) Log(level kgo.LogLevel, message string, pairs ...any) {
	to := slog.LevelDebug
	switch level {
	case kgo.LogLevelError:
		to = slog.LevelError
	case kgo.LogLevelWarn:
		to = slog.LevelWarn
	}
	if to > slog.LevelDebug {
		omitted, due := l.due(fmt.Sprint(message, pairs), time.Now())
		if !due {
			return
		}
		if omitted > 0 {
			pairs = append(pairs, "repeated", omitted)
		}
	}
	l.Logger.Log(context.Background(), to, "Kafka: "+message, pairs...)
}

// due reports whether a message is to be logged now, and how often it was not since it last was.
func (l *logger) due(message string, now time.Time) (omitted int, due bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.said[message]
	switch {
	case r == nil:
		if len(l.said) >= mostKnown || l.said == nil {
			l.said = map[string]*repeated{}
		}
		l.said[message] = &repeated{last: now}
		return 0, true
	case now.Sub(r.last) < sayAgain:
		r.omitted++
		return 0, false
	}
	omitted, r.omitted, r.last = r.omitted, 0, now
	return omitted, true
}
