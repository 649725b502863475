package output

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

var errTooLarge = errors.New("a flow is larger than a batch of Kafka may be")

// reasonOf returns the reason under which an error of Kafka is counted.
func reasonOf(err error) count.Reason {
	for _, known := range []struct {
		reason count.Reason
		errors []error
	}{
		{count.TooLarge, []error{errTooLarge, kerr.MessageTooLarge, kerr.RecordListTooLarge}},
		{count.Unauthorized, []error{
			kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed, kerr.SaslAuthenticationFailed,
		}},
		{count.UnknownTopic, []error{kerr.UnknownTopicOrPartition, kerr.UnknownTopicID, kerr.InvalidTopicException}},
		{count.OutputTimeout, []error{kgo.ErrRecordTimeout, kgo.ErrRecordRetries, context.DeadlineExceeded}},
		{count.Shutdown, []error{kgo.ErrClientClosed, context.Canceled}},
	} {
		if slices.ContainsFunc(known.errors, func(e error) bool { return errors.Is(err, e) }) {
			return known.reason
		}
	}
	return count.OutputFailed
}

// sayings logs losses: the first of a reason at once, then their number every ten seconds at most.
type sayings struct {
	log *slog.Logger

	mu   sync.Mutex
	last [count.Reasons]time.Time
	lost [count.Reasons]int
	why  [count.Reasons]error
}

func (s *sayings) say(r count.Reason, flows int, why error) {
	s.mu.Lock()
	s.lost[r] += flows
	s.why[r] = why
	now := time.Now()
	due := now.Sub(s.last[r]) >= 10*time.Second
	if due {
		flows, s.lost[r], s.last[r] = s.lost[r], 0, now
	}
	s.mu.Unlock()
	if due {
		s.tell(r, flows, why)
	}
}

// rest logs the losses that have not been logged yet.
func (s *sayings) rest() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r, flows := range s.lost {
		if flows > 0 {
			s.tell(count.Reason(r), flows, s.why[r])
			s.lost[r] = 0
		}
	}
}

func (s *sayings) tell(r count.Reason, flows int, why error) {
	s.log.Error("flows lost", "reason", r.String(), "flows", flows, "error", why)
}
