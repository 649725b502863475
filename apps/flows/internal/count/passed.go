package count

import "sync/atomic"

// PassedSamples counts sFlow samples that are not flows, by kind. Any goroutine may use it.
type PassedSamples struct {
	kinds [len(passedKinds)]atomic.Uint64
}

// passedKinds are the kinds of samples, by sFlow.org's names: their format is the index. The last two are all others.
var passedKinds = [...]string{
	"format_0", "flow_sample", "counters_sample", "flow_sample_expanded", "counters_sample_expanded", "discarded_packet",
	"unknown_sample", "vendor_sample",
}

// Add counts a sample of a format.
func (s *PassedSamples) Add(format uint32) {
	kind := min(format, uint32(len(passedKinds)-2))
	if format>>12 != 0 {
		kind = uint32(len(passedKinds) - 1)
	}
	s.kinds[kind].Add(1)
}

// Load returns how many there were.
func (s *PassedSamples) Load() (n uint64) {
	for i := range s.kinds {
		n += s.kinds[i].Load()
	}
	return n
}

// Each calls a function for each kind that occurred; for the counters' always.
func (s *PassedSamples) Each(do func(kind string, n uint64)) {
	for i := range s.kinds {
		if n := s.kinds[i].Load(); n > 0 || i == 2 {
			do(passedKinds[i], n)
		}
	}
}
