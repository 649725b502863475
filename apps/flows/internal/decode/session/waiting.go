package session

import (
	"bytes"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
)

// waitingSet is a data set whose template has not come yet, with the parts of its datagram that it needs.
type waitingSet struct {
	Message message.Header
	Body    []byte
}

// waitingSize is the memory for a set besides its bytes.
const waitingSize = 320

// Wait keeps a data set until its template comes.
func (d *Domain) Wait(m *message.Header, id uint16, body []byte) {
	e := d.Exporter
	if !e.keep(len(body) + waitingSize) {
		d.drop(count.WaitingOverflow, 1, id)
		return
	}
	if d.waiting == nil {
		d.waiting = map[uint16][]waitingSet{}
	}
	kept := *m
	kept.Sets = nil
	d.waiting[id] = append(d.waiting[id], waitingSet{kept, bytes.Clone(body)})
}

// TakeWaiting returns the sets that have waited for a template.
func (d *Domain) TakeWaiting(id uint16) []waitingSet {
	list := d.waiting[id]
	if len(list) > 0 {
		delete(d.waiting, id)
		d.given(list)
		d.Exporter.store.counts.Released.Add(uint64(len(list)))
	}
	return list
}

// given records that sets are no longer kept.
func (d *Domain) given(list []waitingSet) {
	n := 0
	for i := range list {
		n += len(list[i].Body) + waitingSize
	}
	d.Exporter.unkeep(n)
}

// keep notes that bytes wait, unless there is no room for them. An exporter may use as much as all exporters leave
// free, so that those that send fast get much room while there is enough, and Waiting in any case.
func (e *Exporter) keep(n int) bool {
	s := e.store
	all := s.waiting.Add(int64(n))
	free := int64(s.limits.AllWaiting) - all
	if free < 0 || e.waiting+n > s.limits.Waiting && int64(e.waiting+n) > free || !s.reserve(n) {
		s.waiting.Add(-int64(n))
		return false
	}
	e.bytes += n
	e.waiting += n
	return true
}

func (e *Exporter) unkeep(n int) {
	e.Release(n)
	e.waiting -= n
	e.store.waiting.Add(-int64(n))
}

// keepHeld does the same for records without sampling rate. They have half of the room at most, because they can go out
// at any time and data without a template cannot.
func (e *Exporter) keepHeld(n int) bool {
	s := e.store
	if s.held.Add(int64(n)) > int64(s.limits.AllWaiting/2) || !e.keep(n) {
		s.held.Add(-int64(n))
		return false
	}
	e.held += n
	return true
}

func (e *Exporter) unkeepHeld(n int) {
	e.unkeep(n)
	e.held -= n
	e.store.held.Add(-int64(n))
}

// expireWaiting drops the sets that came before a time.
func (d *Domain) expireWaiting(before time.Time) {
	for id, list := range d.waiting {
		n := 0
		for n < len(list) && list[n].Message.Received.Before(before) {
			n++
		}
		if n == 0 {
			continue
		}
		d.given(list[:n])
		d.drop(count.WaitingExpired, n, id)
		if n == len(list) {
			delete(d.waiting, id)
			continue
		}
		d.waiting[id] = append([]waitingSet(nil), list[n:]...)
	}
}

// Held are records whose sampling rate has not come yet, as they were sent.
type Held struct {
	Message  message.Header
	Template *Template
	Records  []byte
	Reverse  bool // of biflows, only the other direction is held
}

// MayHold reports whether records without a sampling rate may be held. Each domain has one period for that, which begins with
// its first such record: an exporter that reports its rates does so within it, and all others are not delayed for ever.
func (d *Domain) MayHold(now time.Time) bool {
	limit := d.Exporter.store.limits.RateWait
	if limit <= 0 {
		return false
	}
	if d.holdUntil.IsZero() {
		d.holdUntil = now.Add(limit)
	}
	return now.Before(d.holdUntil)
}

// HoldIsOver reports whether records are held, and need not be any more.
func (d *Domain) HoldIsOver(now time.Time) bool { return len(d.held) > 0 && !now.Before(d.holdUntil) }

// Hold keeps records without a sampling rate, unless there is no room.
func (d *Domain) Hold(m *message.Header, t *Template, records []byte, reverse bool) bool {
	if !d.Exporter.keepHeld(len(records) + waitingSize) {
		return false
	}
	d.Exporter.Proves(m.Received)
	kept := *m
	kept.Sets = nil
	d.held = append(d.held, Held{kept, t, bytes.Clone(records), reverse})
	return true
}

// TakeHeld returns the held records, which are no longer kept.
func (d *Domain) TakeHeld() []Held {
	list := d.held
	d.held = nil
	for i := range list {
		d.Exporter.unkeepHeld(len(list[i].Records) + waitingSize)
	}
	return list
}

// Holds reports whether records are held, and Held returns them.
func (d *Domain) Holds() bool  { return len(d.held) > 0 }
func (d *Domain) Held() []Held { return d.held }

// Waits reports whether data waits for a template.
func (d *Domain) Waits(id uint16) bool { return len(d.waiting[id]) > 0 }
