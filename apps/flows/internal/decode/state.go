package decode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/message"
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
	Domains []domainState  `json:"domains"`
}

type domainState struct {
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
	all := make([]*exporter, 0, len(s.exporters))
	for _, e := range s.exporters {
		all = append(all, e)
	}
	s.mu.RUnlock()
	for _, e := range all {
		e.mu.Lock()
		x := exporterState{From: e.from}
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

func (d *domain) state() domainState {
	state := domainState{Protocol: d.key.protocol, ID: d.key.id}
	if !d.boot.IsZero() {
		state.Boot = d.boot.UnixMilli()
	}
	for _, t := range d.templates {
		if t.borrowed {
			continue
		}
		x := templateState{ID: t.ID, Options: t.Options, Scopes: t.Scopes, Learnt: t.learnt.Unix(), Seen: t.seen.Unix()}
		for _, f := range t.Fields {
			x.Fields = append(x.Fields, [3]uint32{f.Enterprise, uint32(f.Element), uint32(f.Length)})
		}
		state.Templates = append(state.Templates, x)
	}
	state.Rates = d.rates.State()
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

// Changes counts templates and sampling rates that were new or have changed.
func (s *Store) Changes() uint64 { return s.changes.Load() }

// Restore takes in a state. The exporter's own later reports take precedence: a template replaces ours only if it was
// learnt later. It returns the flows that have waited for these templates and rates. Everything is checked and bounded
// as if exporters had sent it; what is too old, or does not fit, is left out, and so are the exporters of other decoders.
func (d *Decoder) Restore(dst []byte, state *State, now time.Time) (out []byte, flows int) {
	out = dst
	for i := range state.Exporters {
		x := &state.Exporters[i]
		if !x.From.Addr().IsValid() {
			continue
		}
		e := d.lock(nil, x.From, now)
		if e == nil {
			continue
		}
		if e.owner != nil && e.owner != d {
			e.mu.Unlock()
			continue
		}
		if e.datagrams == 0 && len(e.domains) == 0 {
			e.seen = x.seen()
		}
		before, seen := len(out), flows
		for j := range x.Domains {
			var n int
			out, n = d.restoreDomain(out, e, &x.Domains[j], now)
			flows += n
		}
		if e.datagrams == 0 && x.Flows > 0 {
			e.proves(time.Unix(x.Flows, 0))
			for _, dom := range e.domains {
				dom.flows = true
			}
		}
		e.place(e.seen, 1)
		e.flows += uint64(flows - seen)
		d.counts.Encoded.Add(uint64(len(out) - before))
		d.countMisfits()
		d.counts.Take(e.losses.Add)
		e.mu.Unlock()
	}
	return out, flows
}

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

func (d *Decoder) restoreDomain(dst []byte, e *exporter, x *domainState, now time.Time) (out []byte, flows int) {
	out = dst
	oldest := now.Add(-d.store.limits.Lifetime)
	if x.Protocol != flow.NetFlow9 && x.Protocol != flow.IPFIX {
		return out, 0
	}
	dom := e.domain(domainKey{protocol: x.Protocol, id: x.ID}, now)
	if dom == nil {
		return out, 0
	}
	e.protocols[x.Protocol] = true
	if x.Boot != 0 && dom.boot.IsZero() {
		dom.boot = time.UnixMilli(x.Boot)
	}
	dom.rates.Restore(x.Rates, oldest)
	m := message.Header{Protocol: x.Protocol, Domain: x.ID, Received: now}
	d.learnt, d.restoring = d.learnt[:0], true
	for i := range x.Templates {
		t := &x.Templates[i]
		if time.Unix(t.Seen, 0).Before(oldest) {
			continue
		}
		if own := dom.templates[t.ID]; own == nil || own.learnt.Unix() < t.Learnt {
			d.restoreTemplate(dom, &m, t)
		}
	}
	d.restoring = false
	for _, id := range slices.Clone(d.learnt) {
		var n int
		out, n = d.released(out, &m, dom, id)
		flows += n
	}
	released, n := d.releaseRated(out, &m, e)
	flows += n
	d.counts.Flows[x.Protocol].Add(uint64(flows))
	return released, flows
}

func (d *Decoder) restoreTemplate(dom *domain, m *message.Header, x *templateState) {
	if x.ID < 256 || len(x.Fields) == 0 || x.Scopes < 0 || x.Scopes > len(x.Fields) || len(x.Fields) > d.store.limits.Fields {
		return
	}
	d.fields = d.fields[:0]
	for _, f := range x.Fields {
		if f[1] > 65535 || f[2] > 65535 {
			return
		}
		d.fields = append(d.fields, template.Field{Enterprise: f[0], Element: uint16(f[1]), Length: uint16(f[2])})
	}
	def := templates.New(m.Protocol, x.ID, x.Options, x.Scopes, d.fields)
	d.learn(dom, m, &def)
	if t := dom.templates[x.ID]; t != nil {
		t.learnt, t.seen = time.Unix(x.Learnt, 0), time.Unix(x.Seen, 0)
	}
}
