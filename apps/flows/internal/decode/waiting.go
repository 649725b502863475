package decode

import (
	"bytes"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
)

// waitingSet is a data set whose template has not come yet, with the parts of its datagram that it needs.
type waitingSet struct {
	message message.Header
	body    []byte
}

// waitingSize is the memory for a set besides its bytes.
const waitingSize = 320

// wait keeps a data set until its template comes.
func (d *domain) wait(m *message.Header, id uint16, body []byte) {
	e := d.exporter
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

// waited returns the sets that have waited for a template.
func (d *domain) waited(id uint16) []waitingSet {
	list := d.waiting[id]
	if len(list) > 0 {
		delete(d.waiting, id)
		d.given(list)
		d.exporter.store.counts.Released.Add(uint64(len(list)))
	}
	return list
}

// given records that sets are no longer kept.
func (d *domain) given(list []waitingSet) {
	n := 0
	for i := range list {
		n += len(list[i].body) + waitingSize
	}
	d.exporter.unkeep(n)
}

// keep notes that bytes wait, unless there is no room for them. An exporter may use as much as all exporters leave
// free, so that those that send fast get much room while there is enough, and Waiting in any case.
func (e *exporter) keep(n int) bool {
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

func (e *exporter) unkeep(n int) {
	e.Release(n)
	e.waiting -= n
	e.store.waiting.Add(-int64(n))
}

// keepHeld does the same for records without sampling rate. They have half of the room at most, because they can go out
// at any time and data without a template cannot.
func (e *exporter) keepHeld(n int) bool {
	s := e.store
	if s.heldBytes.Add(int64(n)) > int64(s.limits.AllWaiting/2) || !e.keep(n) {
		s.heldBytes.Add(-int64(n))
		return false
	}
	e.held += n
	return true
}

func (e *exporter) unkeepHeld(n int) {
	e.unkeep(n)
	e.held -= n
	e.store.heldBytes.Add(-int64(n))
}

// expireWaiting drops the sets that came before a time.
func (d *domain) expireWaiting(before time.Time) {
	for id, list := range d.waiting {
		n := 0
		for n < len(list) && list[n].message.Received.Before(before) {
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
