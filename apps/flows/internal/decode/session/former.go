package session

import (
	"fmt"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
)

// former is a template that an exporter no longer has, for the sentence about data that come nevertheless.
type former struct {
	seen      time.Time // last sent or used
	withdrawn bool
}

type formerKey struct {
	domain DomainKey
	id     uint16
}

// The memory for a former template, and how many an exporter may have.
const (
	formerSize = 128
	mostFormer = 64
)

// leave notes that a template is dropped. The one that was dropped first makes room.
func (d *Domain) leave(t *Template, withdrawn bool) {
	e, key := d.Exporter, formerKey{d.key, t.ID}
	f := former{t.Seen, withdrawn}
	if withdrawn {
		f.seen = e.Seen
	}
	if _, known := e.former[key]; !known {
		if len(e.former) >= mostFormer {
			e.forgetFormer()
		}
		if !e.Reserve(formerSize) {
			return
		}
	}
	if e.former == nil {
		e.former = map[formerKey]former{}
	}
	e.former[key] = f
}

func (e *Exporter) forgetFormer() {
	var oldest formerKey
	var since time.Time
	for key, f := range e.former {
		if since.IsZero() || f.seen.Before(since) {
			oldest, since = key, f.seen
		}
	}
	delete(e.former, oldest)
	e.Release(formerSize)
}

// arrive notes that a template is there.
func (d *Domain) arrive(id uint16) {
	key := formerKey{d.key, id}
	if _, known := d.Exporter.former[key]; known {
		delete(d.Exporter.former, key)
		d.Exporter.Release(formerSize)
	}
}

// departure says when a template has gone that there was; "" if there was none.
func (d *Domain) departure(id uint16) string {
	f, known := d.Exporter.former[formerKey{d.key, id}]
	at := f.seen.UTC().Format("2006-01-02 15:04:05")
	switch {
	case !known:
		return ""
	case f.withdrawn:
		return fmt.Sprintf("the exporter withdrew template %d at %s UTC", id, at)
	}
	return fmt.Sprintf("template %d was last sent or used at %s UTC, and expired %v later (--template-time)", id, at, d.Exporter.store.limits.Lifetime)
}

// Missing says why data is dropped that has no template, or no sampling rate.
func (d *Domain) Missing(r count.Reason, id uint16) string {
	if id == 0 {
		return "the exporter was dropped while its records were held for a sampling rate"
	}
	text := d.departure(id)
	if text == "" {
		text = fmt.Sprintf("template %d has not come from this exporter", id)
		if more := d.absence(id); more != "" {
			text += "; " + more
		}
	}
	if r == count.WaitingOverflow {
		text += ", and there is no room to wait for it (--waiting-bytes)"
	}
	return text
}

// since returns when the first of the data was received that is dropped now.
func (d *Domain) since(r count.Reason, id uint16) time.Time {
	switch list := d.waiting[id]; {
	case r == count.WaitingOverflow:
	case len(list) > 0:
		return list[0].Message.Received
	case id == 0 && len(d.held) > 0:
		return d.held[0].Message.Received
	}
	return d.Exporter.Seen
}
