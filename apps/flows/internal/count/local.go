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
	Set uint16 // the template of what is being read, or of its data; 0 for none

	lost Losses
	sets [Reasons]uint16 // of the first loss
	any  bool
}

// Drop counts n losses, for all and for this datagram.
func (l *Local) Drop(r Reason, n int) {
	if n != 0 {
		l.Counters.Drop(r, n)
		if l.lost[r] == 0 {
			l.sets[r] = l.Set
		}
		l.lost[r] += uint64(n)
		l.any = true
	}
}

// SetOf returns the template that the first loss for a reason is about, since the last call of Take; 0 for none.
func (l *Local) SetOf(r Reason) uint16 { return l.sets[r] }

// Any reports whether there were losses since the last call of Take.
func (l *Local) Any() bool { return l.any }

// Take passes the losses since the last call to each, if there were any.
func (l *Local) Take(each func(*Losses)) {
	if !l.any {
		return
	}
	each(&l.lost)
	l.lost, l.sets, l.any = Losses{}, [Reasons]uint16{}, false
}
