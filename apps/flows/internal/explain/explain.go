// Package explain shows for people what the collector makes of datagrams: which field became which column, and why
// something was dropped.
//
// It has no rules of its own. The flows are those that the decoder and the stages have made. To find the field that
// fills a column, it changes the field's bytes, has the decoder decode the record once more (decode.Set.Try), and looks
// which columns have changed. The names of fields come from IANA's registry and from sFlow's structures.
package explain

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/apps/flows/internal/layout"
	"github.com/hotpb/hotpb/apps/flows/internal/output"
	"github.com/hotpb/hotpb/go/schema"
	"github.com/hotpb/hotpb/go/wire"
)

// Explainer explains datagrams in their order. One goroutine may use it.
type Explainer struct {
	to      io.Writer
	store   *session.Store
	decoder *decode.Decoder
	printer *output.Printer
	row     *schema.Row
	columns columns
	staged  bool // stages look at the flows

	number  int  // of the datagram
	shown   bool // the datagram is explained, not only decoded
	text    bytes.Buffer
	now     time.Time
	losses  []session.Loss
	counted map[count.Reason]bool // of the datagram, where it occurred
	totals  Totals
}

// Totals are what was read.
type Totals struct{ Datagrams, Flows int }

// New creates an explainer that decodes with a store of its own. The enricher may be nil.
func New(to io.Writer, store *session.Store, l *layout.Layout, e flow.Enricher) (*Explainer, error) {
	d, err := decode.New(store, l, e)
	if err != nil {
		return nil, err
	}
	x := &Explainer{
		to: to, store: store, decoder: d, printer: output.NewPrinter(l), row: l.Plan.NewRow(), columns: columnsOf(l), staged: e != nil,
		counted: map[count.Reason]bool{},
	}
	store.Report(func(loss session.Loss) { x.losses = append(x.losses, loss) })
	return x, d.Watch(x)
}

// Datagram decodes a datagram, and explains it if it is to be shown.
func (x *Explainer) Datagram(dg *flow.Datagram, show bool) error {
	x.number++
	x.shown, x.now = show, dg.Received
	x.line(0, "datagram %d: %d bytes from %s, %s", x.number, len(dg.Payload), dg.From, stamp(dg.Received))
	protocol := flow.Detect(dg.Payload)
	x.store.ForgetExamples()
	_, flows := x.decoder.Append(nil, dg)
	if protocol == flow.Unknown {
		x.line(1, "no NetFlow, IPFIX or sFlow: it begins with %s", hexOf(dg.Payload[:min(len(dg.Payload), 8)]))
	}
	x.tellLosses()
	x.line(1, "%s", plural(flows, "flow"))
	x.totals.Datagrams++
	x.totals.Flows += flows
	return x.flush()
}

// End explains what has become of records that still wait.
func (x *Explainer) End() error {
	x.shown = true
	_, flows := x.decoder.End(nil)
	x.totals.Flows += flows
	x.store.ForgetExamples()
	x.store.Close()
	if x.text.Len()+len(x.losses) > 0 {
		seen := bytes.Clone(x.text.Bytes())
		x.text.Reset()
		x.line(0, "end of the datagrams")
		x.text.Write(seen)
	}
	x.tellLosses()
	x.line(0, "%s, %s", plural(x.totals.Datagrams, "datagram"), plural(x.totals.Flows, "flow"))
	return x.flush()
}

// Totals returns what was read so far.
func (x *Explainer) Totals() Totals { return x.totals }

func (x *Explainer) flush() error {
	_, err := x.to.Write(x.text.Bytes())
	x.text.Reset()
	return err
}

// line adds a line. Names and values from datagrams must be escaped already.
func (x *Explainer) line(depth int, format string, values ...any) {
	if x.shown {
		fmt.Fprintf(&x.text, strings.Repeat("  ", depth)+format+"\n", values...)
	}
}

func (x *Explainer) tellLosses() {
	for _, l := range x.losses {
		if x.counted[l.Reason] {
			continue
		}
		where := ""
		if l.Set > 0 {
			where = fmt.Sprintf(", template %d", l.Set)
		}
		x.line(1, "%s: %s%s: %s", l.Reason, amount(l.Number, l.Reason), where, l.Sentence())
	}
	x.losses = x.losses[:0]
	clear(x.counted)
}

func amount(n uint64, r count.Reason) string {
	unit := r.Unit()
	if n == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return fmt.Sprintf("%d %s", n, unit)
}

func (x *Explainer) dropped(depth int, list []decode.Drop) {
	for _, d := range list {
		x.line(depth, "%s: %s: %s", d.Reason, amount(d.Number, d.Reason), d.Reason.Sentence())
		x.counted[d.Reason] = true
	}
}

var domainNames = [...]string{flow.NetFlow5: "engine", flow.NetFlow9: "source", flow.IPFIX: "observation domain", flow.SFlow5: "sub-agent"}

var protocolNames = [...]string{flow.Unknown: "unknown", flow.NetFlow5: "NetFlow v5", flow.NetFlow9: "NetFlow v9", flow.IPFIX: "IPFIX", flow.SFlow5: "sFlow v5"}

// Header is of decode.Watcher.
func (x *Explainer) Header(h *decode.Header) {
	var words []string
	word := func(format string, values ...any) { words = append(words, fmt.Sprintf(format, values...)) }
	word("%s", protocolNames[h.Protocol])
	if h.Protocol == flow.SFlow5 {
		word("agent %s", h.Exporter)
	}
	word("%s %d", domainNames[h.Protocol], h.Domain)
	word("sequence %d", h.Sequence)
	if !h.Export.IsZero() {
		word("exported %s", stamp(h.Export))
	}
	if h.Protocol != flow.IPFIX {
		word("up %s", h.Uptime)
	}
	if h.Protocol == flow.NetFlow9 {
		word("%s in all", plural(int(h.Records), "record"))
	}
	if h.Rate > 0 {
		word("sampling rate 1 of %d", h.Rate)
	}
	x.line(1, "%s", strings.Join(words, ", "))
	if h.Shift != 0 {
		x.line(1, "its clock is %s off: times count from the receipt (--clock-skew)", (-h.Shift).Round(time.Second))
	}
}

var numbered = [...]string{flow.NetFlow5: "flow", flow.IPFIX: "record"}

// Sequence is of decode.Watcher.
func (x *Explainer) Sequence(protocol flow.Protocol, s decode.Sequence) {
	unit := "datagram"
	if int(protocol) < len(numbered) && numbered[protocol] != "" {
		unit = numbered[protocol]
	}
	switch {
	case s.Restarted:
		x.line(1, "sequence: the exporter has begun again")
	case s.Repeated:
		x.line(1, "sequence: has come before")
	case s.Found > 0:
		x.line(1, "sequence: comes late, and was counted as lost (%s)", plural(int(s.Found), unit))
	case s.Lost > 0:
		x.line(1, "sequence: %s lost before this datagram", plural(int(s.Lost), unit))
	}
}

// Definition is of decode.Watcher.
func (x *Explainer) Definition(d *decode.Definition) {
	if !x.shown {
		return
	}
	name := "template"
	if d.Options {
		name = "options template"
	}
	if d.Change == decode.Withdrawal {
		if d.ID < 256 {
			x.line(1, "all %ss withdrawn", name)
		} else {
			x.line(1, "%s %d withdrawn", name, d.ID)
		}
		return
	}
	size := plural(d.Bytes, "byte")
	if d.Varies {
		size += " or more"
	}
	state := [...]string{"new", "changed", "as before", "refused", ""}[d.Change]
	if len(d.Fields) == 0 {
		x.line(1, "%s %d: %s", name, d.ID, state)
	} else {
		x.line(1, "%s %d: %s, %s, %s a record", name, d.ID, state, plural(len(d.Fields), "field"), size)
	}
	x.dropped(2, d.Dropped)
	if d.Detail != "" {
		x.line(2, "%s", d.Detail)
	}
	if d.Biflow {
		x.line(2, "biflows: each record may be two flows")
	}
	if d.Change == decode.SameTemplate {
		return
	}
	faults := faultsOf(d.Faults)
	var t table
	for i, f := range d.Fields {
		scope := ""
		if i < d.Scopes {
			scope = "scope"
		}
		length := plural(int(f.Length), "byte")
		if f.Length == 65535 && d.Protocol == flow.IPFIX {
			length = "variable"
		}
		use := ""
		switch {
		case faults[i] != "":
			use = "field_refused: " + faults[i]
		case !d.Options:
			use = x.columns.use(sourceOf(f))
		}
		t.add(nameOf(f, d.Protocol, i < d.Scopes), numberOf(f), length, scope, use)
	}
	x.table(2, &t)
}

// Set is of decode.Watcher.
func (x *Explainer) Set(s *decode.Set) {
	if !x.shown {
		return
	}
	late := ""
	switch {
	case s.Rated:
		late = fmt.Sprintf(", held since %s", stamp(s.Received))
	case s.Waited:
		late = fmt.Sprintf(", waited since %s", stamp(s.Received))
	}
	if (s.Rated || s.Waited) && x.now.Sub(s.Received) > 0 {
		late += fmt.Sprintf(" (sequence %d)", s.Sequence)
	}
	switch s.Kind {
	case decode.UnknownSet:
		x.line(1, "set %d, %s: this number has no meaning", s.ID, plural(len(s.Bytes), "byte"))
		x.dropped(2, s.Dropped)
	case decode.Waiting:
		if len(s.Dropped) > 0 {
			x.line(1, "data of template %d, %s: %s", s.ID, plural(len(s.Bytes), "byte"), s.Absence)
			x.dropped(2, s.Dropped)
			return
		}
		x.line(1, "data of template %d, %s: waits for template %d; %s", s.ID, plural(len(s.Bytes), "byte"), s.ID, s.Absence)
	case decode.OptionsData:
		x.line(1, "options of template %d, %s%s", s.ID, plural(len(s.Records), "record"), late)
		reported := x.options(s)
		x.rest(s)
		x.dropped(2, slices.DeleteFunc(s.Dropped, func(d decode.Drop) bool { return reported[d.Reason] }))
	case decode.Samples:
		x.samples(s)
		x.dropped(1, s.Dropped)
	default:
		template := fmt.Sprintf("data of template %d, ", s.ID)
		if s.Protocol == flow.NetFlow5 {
			template = ""
		}
		x.line(1, "%s%s%s", template, plural(len(s.Records), "record"), late)
		x.data(s)
		x.rest(s)
		x.dropped(2, s.Dropped)
	}
}

func (x *Explainer) rest(s *decode.Set) {
	if len(s.Rest) > 0 {
		x.line(2, "%s after the last record: %s", plural(len(s.Rest), "byte"), hexOf(s.Rest))
	}
}

// options shows records of options, and what they give. It returns the reasons why something of them was dropped.
func (x *Explainer) options(s *decode.Set) (reported map[count.Reason]bool) {
	reported = map[count.Reason]bool{}
	for i := range s.Records {
		r := &s.Records[i]
		x.line(2, "record %d", i+1)
		var t table
		for nth, f := range s.Fields {
			value := r.Bytes[r.Spans[nth].At:][:r.Spans[nth].Length]
			scope := ""
			if nth < s.Scopes {
				scope = "scope"
			}
			t.add(nameOf(f, s.Protocol, nth < s.Scopes), hexOf(value), valueOf(f, value), scope)
		}
		x.table(3, &t)
		report := s.Report(r.Bytes)
		for _, rate := range report.Rates {
			x.line(3, "sampling rate %s", rate)
		}
		if !report.Boot.IsZero() {
			x.line(3, "the exporter was started at %s", stamp(report.Boot))
		}
		x.dropped(3, report.Dropped)
		for _, d := range report.Dropped {
			reported[d.Reason] = true
		}
		if len(report.Rates) == 0 && len(report.Dropped) == 0 {
			x.line(3, "no sampling rate")
		}
	}
	return reported
}

// held is said of flows that come later.
const held = "held until the sampling rate comes (--sampling-wait)"

// data shows records and the flows of each. The decoder writes the flows in the other direction after all others.
func (x *Explainer) data(s *decode.Set) {
	flows := split(s.Flows)
	tried := make([][][]byte, len(s.Records))
	forward := 0
	for i := range s.Records {
		all, _ := s.Try(s.Records[i].Bytes)
		tried[i] = split(all)
		if len(tried[i]) > 0 && !s.Records[i].Held {
			forward++
		}
	}
	reverse := flows[min(forward, len(flows)):]
	flows = flows[:len(flows)-len(reverse)]
	next := func(list *[][]byte) (message []byte) {
		if len(*list) > 0 {
			message, *list = (*list)[0], (*list)[1:]
		}
		return message
	}
	for i := range s.Records {
		r, made := &s.Records[i], tried[i]
		x.line(2, "record %d, %s", i+1, plural(len(r.Bytes), "byte"))
		switch {
		case len(made) == 0:
		case s.Rated && s.Reverse:
			x.flow(3, "reverse flow", s, r, next(&flows), made[len(made)-1])
			continue
		case s.Rated: // its fields were shown when it came
			x.flow(3, "flow", s, r, next(&flows), made[0])
			continue
		}
		pieces := piecesOf(s, r)
		x.pieces(3, r.Bytes, pieces, x.study(r.Bytes, pieces, s.Try))
		switch {
		case len(made) == 0:
			x.line(3, "no flow")
		case r.Held:
			x.line(3, held)
		default:
			x.flow(3, "flow", s, r, next(&flows), made[0])
		}
		switch {
		case len(made) < 2:
		case r.ReverseHeld:
			x.line(3, "reverse flow "+held)
		default:
			x.flow(3, "reverse flow", s, r, next(&reverse), made[1])
		}
	}
	for _, message := range append(flows, reverse...) {
		x.flow(2, "flow", s, nil, message, nil)
	}
}

// rate shows where the sampling rate of a flow comes from.
func (x *Explainer) rate(depth int, s *decode.Set, record, message []byte) {
	if source := s.RateOf(record); source != "" {
		x.line(depth, "sampling rate: from %s", source)
	} else if x.columns.rated > 0 && valuesOf(message)[x.columns.rated] == nil {
		x.line(depth, "sampling rate: unknown")
	}
}

// flow shows the columns of a flow, where its sampling rate comes from, and which columns stages have set. plain is the same
// flow without stages.
func (x *Explainer) flow(depth int, name string, s *decode.Set, r *decode.Record, message, plain []byte) {
	if message == nil {
		return
	}
	if r != nil {
		x.rate(depth, s, r.Bytes, message)
	}
	x.line(depth, "%s %s", name, escape(x.printer.Line(message)))
	if plain == nil {
		return
	}
	if x.staged {
		if set := x.columns.names(changes(valuesOf(plain), valuesOf(message))); len(set) > 0 {
			x.line(depth, "stages set %s", strings.Join(set, ", "))
		}
	}
	for _, c := range x.columns.times {
		if err := x.row.UnmarshalAlias(message); err != nil || !x.row.Has(c.handle.Handle) {
			continue
		}
		if ahead := x.row.Time(c.handle).Sub(x.now); ahead > time.Hour {
			x.line(depth, "%s is %s after the receipt: the exporter sends it so", c.name, ahead.Round(time.Second))
		}
	}
}

// split returns the messages of a stream.
func split(stream []byte) (list [][]byte) {
	for at := 0; at < len(stream); {
		message, next, err := wire.CutDelimited(stream, at, wire.Options{})
		if err != nil {
			return list
		}
		list = append(list, message)
		at = next
	}
	return list
}
