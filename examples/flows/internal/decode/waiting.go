package decode

import (
	"bytes"
	"time"

	"github.com/hotpb/hotpb/examples/flows/internal/count"
)

// waitingSet is a data set whose template has not come yet, with the parts of its datagram that it needs.
type waitingSet struct {
	message message
	body    []byte
}

// waitingSize is the memory for a set besides its bytes.
const waitingSize = 320

// wait keeps a data set until its template comes.
func (d *domain) wait(m *message, id uint16, body []byte) {
	e, s := d.exporter, d.exporter.store
	n := len(body) + waitingSize
	if s.waiting.Add(int64(n)) > int64(s.limits.AllWaiting) || e.waiting+n > s.limits.Waiting || !e.reserve(n) {
		s.waiting.Add(-int64(n))
		s.counts.Drop(count.WaitingOverflow, 1)
		return
	}
	e.waiting += n
	if d.waiting == nil {
		d.waiting = map[uint16][]waitingSet{}
	}
	kept := *m
	kept.sets = nil
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
	d.exporter.release(n)
	d.exporter.waiting -= n
	d.exporter.store.waiting.Add(-int64(n))
}

// expireWaiting drops the sets that came before a time.
func (d *domain) expireWaiting(before time.Time) {
	for id, list := range d.waiting {
		n := 0
		for n < len(list) && list[n].message.received.Before(before) {
			n++
		}
		if n == 0 {
			continue
		}
		d.given(list[:n])
		d.exporter.store.counts.Drop(count.WaitingExpired, n)
		if n == len(list) {
			delete(d.waiting, id)
			continue
		}
		d.waiting[id] = append([]waitingSet(nil), list[n:]...)
	}
}
