package count

// Losses are what was lost of one exporter, by reason.
type Losses [Reasons]uint64

// Add adds others.
func (l *Losses) Add(others *Losses) {
	for r, n := range others {
		l[r] += n
	}
}

// ByName returns the losses that there are, by the name of their reason.
func (l *Losses) ByName() map[string]uint64 {
	all := map[string]uint64{}
	for r, n := range l {
		if n > 0 {
			all[Reason(r).String()] = n
		}
	}
	return all
}

// Local counts the losses of a datagram, in addition to those of all. One goroutine may use it.
type Local struct {
	*Counters
	lost Losses
	any  bool
}

// Drop counts n losses, for all and for this datagram.
func (l *Local) Drop(r Reason, n int) {
	if n != 0 {
		l.Counters.Drop(r, n)
		l.lost[r] += uint64(n)
		l.any = true
	}
}

// Any reports whether there were losses since the last call of Take.
func (l *Local) Any() bool { return l.any }

// Take passes the losses since the last call to each, if there were any.
func (l *Local) Take(each func(*Losses)) {
	if !l.any {
		return
	}
	each(&l.lost)
	l.lost, l.any = Losses{}, false
}
