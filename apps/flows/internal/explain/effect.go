package explain

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/count"
	"github.com/hotpb/hotpb/apps/flows/internal/decode"
	"github.com/hotpb/hotpb/go/schema"
)

// piece is a part of a record that has a name.
type piece struct {
	name       string
	depth      int // in another piece
	at, length int
	text       string // the value
	element    schema.Source
	isElement  bool
	list       bool   // bytes with a structure, which any column may take
	fault      string // why it cannot fill its column
}

// effect is what a piece has to do with the flows.
type effect struct {
	fills   []uint32 // columns
	decides []uint32 // columns that change with it without having its value
	reverse []uint32 // columns of the reverse flow
	zero    bool
	misfit  bool // the fills are those of a smaller value
	misfits bool // the record has values that do not fit
	present bool // the columns that name the element have values
}

// mostProbes is how many bytes of a list are changed, one after the other.
const mostProbes = 64

// probes returns the record with changed bytes of a piece: small changes, for which the piece stays zero or not.
func probes(record []byte, p piece) (list [][]byte, zero bool) {
	probe := func(change func(b []byte)) {
		b := slices.Clone(record)
		change(b[p.at : p.at+p.length])
		list = append(list, b)
	}
	value := record[p.at : p.at+p.length]
	zero = !slices.ContainsFunc(value, func(b byte) bool { return b != 0 })
	if p.length == 0 {
		return nil, zero
	}
	last := p.length - 1
	if zero {
		probe(func(b []byte) { b[last] = 1 })
		if p.length > 8 {
			probe(func(b []byte) { b[0] = 1 })
		}
		return list, zero
	}
	if p.list {
		for i := range min(p.length, mostProbes) {
			probe(func(b []byte) { b[i] ^= 1 })
		}
		return list, zero
	}
	flip := func(i int) {
		bit := byte(1)
		if isOnly(value, i, bit) { // a change to zero would make another field count
			bit = 2
		}
		probe(func(b []byte) { b[i] ^= bit })
	}
	flip(last)
	if last > 0 {
		flip(0)
	} else {
		probe(func(b []byte) { b[0] ^= 2 })
	}
	return list, zero
}

// isOnly reports whether a bit is the only one.
func isOnly(b []byte, i int, bit byte) bool {
	for nth, c := range b {
		if nth == i && c != bit || nth != i && c != 0 {
			return false
		}
	}
	return true
}

// study finds out what each piece of a record has to do with its flows.
func (x *Explainer) study(record []byte, pieces []piece, try func([]byte) ([]byte, []decode.Drop)) []effect {
	decoded := func(stream []byte, dropped []decode.Drop) (all []map[uint32]value, misfits uint64) {
		for _, message := range split(stream) {
			all = append(all, valuesOf(message))
		}
		for _, d := range dropped {
			if d.Reason == count.Misfit {
				misfits = d.Number
			}
		}
		return all, misfits
	}
	unchanged, dropped := try(record)
	before, misfits := decoded(unchanged, dropped)
	effects := make([]effect, len(pieces))
	for i, p := range pieces {
		e := &effects[i]
		var list [][]byte
		list, e.zero = probes(record, p)
		e.misfits = misfits > 0
		for _, n := range x.columns.listed(p.element) {
			e.present = e.present || p.isElement && len(before) > 0 && before[0][n] != nil
		}
		listed := map[uint32]bool{}
		if p.isElement {
			for _, n := range x.columns.listed(p.element) {
				listed[n] = true
			}
		}
		for _, changed := range list {
			stream, _ := try(changed)
			if bytes.Equal(stream, unchanged) {
				continue
			}
			after, _ := decoded(stream, nil)
			for nth := range max(len(before), len(after)) {
				var a, b map[uint32]value
				if nth < len(before) {
					a = before[nth]
				}
				if nth < len(after) {
					b = after[nth]
				}
				for _, n := range changes(a, b) {
					switch {
					case nth > 0:
						e.reverse = append(e.reverse, n)
					case listed[n] || p.list || moves(a[n], b[n]) || e.zero && a[n] == nil && b[n] != nil:
						e.fills = append(e.fills, n)
					default:
						e.decides = append(e.decides, n)
					}
				}
			}
		}
		if !e.zero && len(e.fills) == 0 && misfits > 0 && p.length > 0 && p.length <= 8 { // a small value may fit
			small := slices.Clone(record)
			clear(small[p.at : p.at+p.length])
			small[p.at+p.length-1] = 1
			after, less := decoded(try(small))
			if e.misfit = less < misfits; e.misfit && len(before) > 0 && len(after) > 0 {
				e.fills = changes(before[0], after[0])
			}
		}
		for _, numbers := range []*[]uint32{&e.fills, &e.decides, &e.reverse} {
			slices.Sort(*numbers)
			*numbers = slices.Compact(*numbers)
		}
		e.decides = slices.DeleteFunc(e.decides, func(n uint32) bool { return slices.Contains(e.fills, n) })
	}
	x.attribute(pieces, effects)
	return effects
}

// attribute finds the fields that move a column with another field's value: they only decide about it.
func (x *Explainer) attribute(pieces []piece, effects []effect) {
	names := func(p piece, column uint32) bool { return p.isElement && lists(x.columns.list[column], p.element) }
	for i := range effects {
		e := &effects[i]
		e.fills = slices.DeleteFunc(e.fills, func(n uint32) bool {
			if !pieces[i].isElement || pieces[i].list || names(pieces[i], n) {
				return false
			}
			for nth := range effects {
				if nth != i && !effects[nth].zero && names(pieces[nth], n) && slices.Contains(effects[nth].fills, n) {
					e.decides = append(e.decides, n)
					return true
				}
			}
			return false
		})
		slices.Sort(e.decides)
	}
}

// pieces shows the pieces of a record, and what became of each.
func (x *Explainer) pieces(depth int, record []byte, pieces []piece, effects []effect) {
	var t table
	for i, p := range pieces {
		t.add(strings.Repeat("  ", p.depth)+p.name, hexOf(record[p.at:p.at+p.length]), p.text, x.became(i, pieces, effects))
	}
	x.table(depth, &t)
}

// most columns that are named.
const mostNames = 6

func list(names []string) string {
	if n := len(names); n > mostNames {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), n-mostNames)
	}
	return strings.Join(names, ", ")
}

// became says what became of a piece.
func (x *Explainer) became(i int, pieces []piece, effects []effect) string {
	p, e := pieces[i], effects[i]
	fills := slices.Clone(e.fills)
	var sources []string
	var empty []uint32
	if p.isElement {
		for _, n := range x.columns.listed(p.element) {
			if !e.zero && slices.Contains(e.fills, n) {
				continue
			}
			source, zero := x.source(n, i, pieces, effects)
			switch {
			case source != "" && !(e.zero && zero):
				sources = append(sources, x.columns.list[n].Name+" has "+source)
				fills = slices.DeleteFunc(fills, func(f uint32) bool { return f == n })
			case source == "" && !slices.Contains(fills, n):
				empty = append(empty, n)
			}
		}
	}
	var words []string
	word := func(before string, names []string, after string) {
		if len(names) > 0 {
			words = append(words, before+list(names)+after)
		}
	}
	names := x.columns.names(fills)
	switch {
	case p.fault != "":
		words = append(words, "field_refused: "+p.fault)
	case e.misfit:
		word("misfit: ", names, " cannot hold it")
	case e.zero && len(sources) == 0:
		word("", names, " (zero)")
	default:
		word("", names, "")
	}
	if e.zero {
		word("zero: ", sources, "")
	} else {
		word("", sources, "")
		word("reverse ", x.columns.names(e.reverse), "")
	}
	if !e.zero || len(sources) == 0 {
		word("decides ", x.columns.names(e.decides), "")
	}
	switch {
	case len(empty) > 0 && e.present && len(fills) == 0:
		word("", x.columns.names(empty), " does not depend on it")
	case len(words) > 0:
	case len(empty) > 0 && e.misfits && !e.zero:
		word("misfit: ", x.columns.names(empty), " cannot hold it")
	case len(empty) > 0:
		word("", x.columns.names(empty), " is empty"+decider(empty, pieces, effects))
	case p.isElement:
		words = append(words, x.columns.unused(p.element))
	default:
		words = append(words, "no column")
	}
	return strings.Join(words, "; ")
}

// decider says which pieces decide that columns are empty.
func decider(columns []uint32, pieces []piece, effects []effect) string {
	var names []string
	for i, e := range effects {
		if slices.ContainsFunc(columns, func(n uint32) bool { return slices.Contains(e.decides, n) }) {
			names = append(names, pieces[i].name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + list(names) + " decides that"
}

// source returns the name of the piece, apart from the one at i, that a column has its value from; "" for none. A zero
// counts only if no other piece has a value.
func (x *Explainer) source(column uint32, i int, pieces []piece, effects []effect) (name string, zero bool) {
	for nth, p := range pieces {
		if nth == i || !slices.Contains(effects[nth].fills, column) || p.isElement && !lists(x.columns.list[column], p.element) {
			continue
		}
		if !effects[nth].zero {
			return p.name, false
		}
		name = p.name + " (zero)"
	}
	return name, true
}
