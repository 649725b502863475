package session

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/templates"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// State is what exporters have sent about themselves and what a collector needs to read their next datagram:
// templates, sampling rates, the start of IPFIX exporters. It is written to a file, for the next start and for other
// collectors.
type State struct {
	Version   int             `json:"version"`
	Exporters []exporterState `json:"exporters"`
}

type exporterState struct {
	From    netip.AddrPort `json:"from"`
	Flows   int64          `json:"flows,omitempty"` // when the first one came, in seconds since 1970; 0 if none did
	Domains []DomainState  `json:"domains"`
}

type DomainState struct {
	Protocol  flow.Protocol    `json:"protocol"`
	ID        uint32           `json:"id"`
	Boot      int64            `json:"boot,omitempty"` // milliseconds since 1970
	Templates []templateState  `json:"templates,omitempty"`
	Rates     []sampling.State `json:"rates,omitempty"`
}

type templateState struct {
	ID      uint16      `json:"id"`
	Options bool        `json:"options,omitempty"`
	Scopes  int         `json:"scopes,omitempty"`
	Fields  [][3]uint32 `json:"fields"` // enterprise, element, length
	Learnt  int64       `json:"learnt"` // seconds since 1970
	Seen    int64       `json:"seen"`
}

const (
	stateVersion = 1
	mostState    = 1 << 30 // bytes of a file
)

// State returns a copy of the state. Exporters without templates and rates are not in it.
func (s *Store) State() *State {
	state := &State{Version: stateVersion}
	s.mu.RLock()
	all := make([]*Exporter, 0, len(s.exporters))
	for _, e := range s.exporters {
		all = append(all, e)
	}
	s.mu.RUnlock()
	for _, e := range all {
		e.mu.Lock()
		x := exporterState{From: e.From}
		if !e.proof.IsZero() {
			x.Flows = e.proof.Unix()
		}
		for _, d := range e.domains {
			if state := d.state(); len(state.Templates)+len(state.Rates) > 0 {
				x.Domains = append(x.Domains, state)
			}
		}
		e.mu.Unlock()
		if len(x.Domains) > 0 {
			state.Exporters = append(state.Exporters, x)
		}
	}
	return state
}

func (d *Domain) state() DomainState {
	state := DomainState{Protocol: d.key.Protocol, ID: d.key.ID}
	if !d.Boot.IsZero() {
		state.Boot = d.Boot.UnixMilli()
	}
	for _, t := range d.templates {
		if t.Borrowed {
			continue
		}
		x := templateState{ID: t.ID, Options: t.Options, Scopes: t.Scopes, Learnt: t.learnt.Unix(), Seen: t.Seen.Unix()}
		for _, f := range t.Fields {
			x.Fields = append(x.Fields, [3]uint32{f.Enterprise, uint32(f.Element), uint32(f.Length)})
		}
		state.Templates = append(state.Templates, x)
	}
	state.Rates = d.Rates.State()
	return state
}

// WriteFile replaces a file with the state, as a whole or not at all.
func (s *State) WriteFile(path string) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".state-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	err = json.NewEncoder(f).Encode(s)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// ReadState reads the file of a state.
func ReadState(path string) (*State, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	s := &State{}
	if err := json.NewDecoder(io.LimitReader(f, mostState)).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if s.Version != stateVersion {
		return nil, fmt.Errorf("%s: version %d of the state is unknown", path, s.Version)
	}
	return s, nil
}

// Offer passes a state to all decoders: each takes in what concerns its exporters when its Due is called next. A state
// that is offered before that replaces it.
func (s *Store) Offer(state *State) { s.offered.Store(state) }

// Offered returns the state that was offered last.
func (s *Store) Offered() *State { return s.offered.Load() }

// Changes counts templates and sampling rates that were new or have changed.
func (s *Store) Changes() uint64 { return s.changes.Load() }

// seen is when the exporter last used or sent what the state has of it. So an exporter that is silent is not taken for one
// that sends because a state is read.
func (x *exporterState) seen() time.Time {
	last := int64(0)
	for _, d := range x.Domains {
		for _, t := range d.Templates {
			last = max(last, t.Seen)
		}
		for _, r := range d.Rates {
			last = max(last, r.Seen)
		}
	}
	return time.Unix(last, 0)
}

// Restore finds or adds the exporter of a state, and locks it; nil if it is none of this owner's, or if there is no room.
func (s *Store) Restore(o *Owner, x *exporterState, now time.Time) *Exporter {
	if !x.From.Addr().IsValid() {
		return nil
	}
	e := s.Lock(o, nil, x.From, now)
	if e == nil {
		return nil
	}
	if e.Owner != nil && e.Owner != o {
		e.mu.Unlock()
		return nil
	}
	if e.datagrams == 0 && len(e.domains) == 0 {
		e.Seen = x.seen()
	}
	return e
}

// Restored ranks an exporter whose domains are restored.
func (e *Exporter) Restored(x *exporterState) {
	if e.datagrams == 0 && x.Flows > 0 {
		e.Proves(time.Unix(x.Flows, 0))
		for _, d := range e.domains {
			d.flows = true
		}
	}
	e.Place(e.Seen, 1)
}

// Restore takes in a domain of a state, without its templates; nil if that has none, or if there is no room.
func (e *Exporter) Restore(x *DomainState, now time.Time) *Domain {
	if x.Protocol != flow.NetFlow9 && x.Protocol != flow.IPFIX {
		return nil
	}
	d := e.domain(DomainKey{Protocol: x.Protocol, ID: x.ID}, now)
	if d == nil {
		return nil
	}
	e.protocols[x.Protocol] = true
	if x.Boot != 0 && d.Boot.IsZero() {
		d.Boot = time.UnixMilli(x.Boot)
	}
	d.Rates.Restore(x.Rates, now.Add(-e.store.limits.Lifetime))
	return d
}

// Definition returns a template of a state, unless it is too old, or the domain's own is later.
func (d *Domain) Definition(x *templateState, now time.Time) (def templates.Definition, ok bool) {
	limits := &d.Exporter.store.limits
	if time.Unix(x.Seen, 0).Before(now.Add(-limits.Lifetime)) {
		return def, false
	}
	if own := d.templates[x.ID]; own != nil && own.learnt.Unix() >= x.Learnt {
		return def, false
	}
	if x.ID < 256 || len(x.Fields) == 0 || x.Scopes < 0 || x.Scopes > len(x.Fields) || len(x.Fields) > limits.Fields {
		return def, false
	}
	fields := make([]template.Field, len(x.Fields))
	for i, f := range x.Fields {
		if f[1] > 65535 || f[2] > 65535 {
			return def, false
		}
		fields[i] = template.Field{Enterprise: f[0], Element: uint16(f[1]), Length: uint16(f[2])}
	}
	return templates.New(d.key.Protocol, x.ID, x.Options, x.Scopes, fields), true
}

// Restored sets the times of a template that was learnt from a state.
func (d *Domain) Restored(x *templateState) {
	if t := d.templates[x.ID]; t != nil {
		t.learnt, t.Seen = time.Unix(x.Learnt, 0), time.Unix(x.Seen, 0)
	}
}
