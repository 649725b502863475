package decode

import (
	"fmt"
	"time"

	"github.com/hotpb/hotpb/flows/internal/count"
)

// former is a template that an exporter no longer has, for the sentence about data that come nevertheless.
type former struct {
	seen      time.Time // last sent or used
	withdrawn bool
}

type formerKey struct {
	domain domainKey
	id     uint16
}

// The memory for a former template, and how many an exporter may have.
const (
	formerSize = 128
	mostFormer = 64
)

// leave notes that a template is dropped. The one that was dropped first makes room.
func (d *domain) leave(t *inputTemplate, withdrawn bool) {
	e, key := d.exporter, formerKey{d.key, t.id}
	f := former{t.seen, withdrawn}
	if withdrawn {
		f.seen = e.seen
	}
	if _, known := e.former[key]; !known {
		if len(e.former) >= mostFormer {
			e.forgetFormer()
		}
		if !e.reserve(formerSize) {
			return
		}
	}
	if e.former == nil {
		e.former = map[formerKey]former{}
	}
	e.former[key] = f
}

func (e *exporter) forgetFormer() {
	var oldest formerKey
	var since time.Time
	for key, f := range e.former {
		if since.IsZero() || f.seen.Before(since) {
			oldest, since = key, f.seen
		}
	}
	delete(e.former, oldest)
	e.release(formerSize)
}

// arrive notes that a template is there.
func (d *domain) arrive(id uint16) {
	key := formerKey{d.key, id}
	if _, known := d.exporter.former[key]; known {
		delete(d.exporter.former, key)
		d.exporter.release(formerSize)
	}
}

// absence says why there is no template for data.
func (d *domain) absence(id uint16) string {
	f, known := d.exporter.former[formerKey{d.key, id}]
	at := f.seen.UTC().Format("2006-01-02 15:04:05")
	switch {
	case !known:
		return fmt.Sprintf("template %d has not come from this exporter", id)
	case f.withdrawn:
		return fmt.Sprintf("the exporter withdrew template %d at %s UTC", id, at)
	}
	return fmt.Sprintf("template %d was last sent or used at %s UTC, and expired %v later (--template-time)", id, at, d.exporter.store.limits.Lifetime)
}

// loss says why data without a template are dropped.
func (d *domain) loss(r count.Reason, id uint16) string {
	switch {
	case id == 0: // records that were held for their sampling rate
		return "the exporter was dropped while its records were held for a sampling rate"
	case r == count.WaitingOverflow:
		return d.absence(id) + ", and there is no room to wait for it (--waiting-bytes)"
	}
	return d.absence(id)
}
