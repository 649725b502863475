package sampling

import (
	"slices"
	"time"
)

// State is a rate in a file.
type State struct {
	Kind     kind     `json:"kind,omitempty"`
	ID       uint64   `json:"id,omitempty"`
	Port     uint32   `json:"port,omitempty"`
	Way      way      `json:"way,omitempty"`
	Template uint32   `json:"template,omitempty"`
	Other    uint32   `json:"other,omitempty"`
	Rate     float64  `json:"rate,omitempty"`
	Samplers []uint64 `json:"samplers,omitempty"`
	Seen     int64    `json:"seen"`
}

// State returns a copy of the rates that were reported for the domain itself.
func (d *Domain) State() (list []State) {
	for p, r := range d.rates {
		if !r.lent {
			list = append(list, State{p.kind, p.id, p.port, p.way, p.template, p.scopes, r.rate, slices.Clone(r.samplers), r.seen.Unix()})
		}
	}
	return list
}

// Restore takes in the rates of a state that are not too old, unless later ones were reported.
func (d *Domain) Restore(list []State, oldest time.Time) {
	for i := range list {
		r := &list[i]
		seen := time.Unix(r.Seen, 0)
		p := part{id: r.ID, port: r.Port, scopes: r.Other, template: r.Template, way: r.Way, kind: r.Kind}
		own := d.rates[p]
		valid := r.Rate >= 1 && r.Rate <= d.exporter.limits.Rate || r.Rate == Unclear || r.Rate == 0 && len(r.Samplers) > 0
		if seen.Before(oldest) || own != nil && !own.seen.Before(seen) || !valid || len(r.Samplers) > mostSelectors {
			continue
		}
		d.set(p, r.Rate, r.Samplers, 0, seen)
	}
}

// Loans are the rates of the same domain of several exporters; nil where they differ.
type Loans map[part]*rate

// Add adds the rates that were reported for a domain itself.
func (l Loans) Add(d *Domain) {
	for p, r := range d.rates {
		if r.lent {
			continue
		}
		if earlier, known := l[p]; known && (earlier == nil || earlier.rate != r.rate || !slices.Equal(earlier.samplers, r.samplers)) {
			l[p] = nil
		} else {
			l[p] = &rate{rate: r.rate, samplers: r.samplers}
		}
	}
}

// Empty reports whether the exporters agree in nothing.
func (l Loans) Empty() bool {
	for _, r := range l {
		if r != nil {
			return false
		}
	}
	return true
}

// Return drops the rates of earlier loans that are not among these.
func (d *Domain) Return(l Loans) {
	for p, r := range d.rates {
		if r.lent && l[p] == nil {
			d.remove(p, r)
		}
	}
}

// Borrow takes over the loans where the domain has no rate of its own, and reports whether there are any.
func (d *Domain) Borrow(l Loans, now time.Time) (any bool) {
	for p, r := range l {
		if r == nil {
			continue
		}
		if own := d.rates[p]; (own == nil || own.lent) && d.set(p, r.rate, r.samplers, 0, now) {
			d.rates[p].lent, any = true, true
		}
	}
	return any
}
