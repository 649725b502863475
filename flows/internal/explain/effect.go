package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/flows/internal/count"
	"github.com/hotpb/hotpb/flows/internal/decode"
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
	back    []uint32 // columns of the reverse flow
	zero    bool
	misfit  bool
}

// mostProbes is how many bytes of a list are changed, one after the other.
const mostProbes = 64

// probes returns the record with changed bytes of a piece: small changes, for which the piece stays zero or not.
func probes(record []byte, p piece) (list [][]byte, zero bool) {
	with := func(change func(b []byte)) {
		b := slices.Clone(record)
		change(b[p.at : p.at+p.length])
		list = append(list, b)
	}
	bytes := record[p.at : p.at+p.length]
	zero = !slices.ContainsFunc(bytes, func(b byte) bool { return b != 0 })
	if p.length == 0 {
		return nil, zero
	}
	last := p.length - 1
	if zero {
		with(func(b []byte) { b[last] = 1 })
		if p.length > 8 {
			with(func(b []byte) { b[0] = 1 })
		}
		return list, zero
	}
	if p.list {
		for i := range min(p.length, mostProbes) {
			with(func(b []byte) { b[i] ^= 1 })
		}
		return list, zero
	}
	flip := func(i int) {
		bit := byte(1)
		if isOnly(bytes, i, bit) { // a change to zero would make another field count
			bit = 2
		}
		with(func(b []byte) { b[i] ^= bit })
	}
	flip(last)
	if last > 0 {
		flip(0)
	} else {
		with(func(b []byte) { b[0] ^= 2 })
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
	decoded := func(b []byte) (all []map[uint32]value, misfits uint64) {
		stream, dropped := try(b)
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
	before, misfits := decoded(record)
	effects := make([]effect, len(pieces))
	for i, p := range pieces {
		e := &effects[i]
		var list [][]byte
		list, e.zero = probes(record, p)
		listed := map[uint32]bool{}
		if p.isElement {
			for _, n := range x.columns.listed(p.element) {
				listed[n] = true
			}
		}
		for _, changed := range list {
			after, _ := decoded(changed)
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
						e.back = append(e.back, n)
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
			after, less := decoded(small)
			if e.misfit = less < misfits; e.misfit && len(before) > 0 && len(after) > 0 {
				e.fills = changes(before[0], after[0])
			}
		}
		for _, numbers := range []*[]uint32{&e.fills, &e.decides, &e.back} {
			slices.Sort(*numbers)
			*numbers = slices.Compact(*numbers)
		}
		e.decides = slices.DeleteFunc(e.decides, func(n uint32) bool { return slices.Contains(e.fills, n) })
	}
	return effects
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
	var words []string
	fills := x.columns.names(e.fills)
	var elsewhere []string
	for _, n := range x.columns.listed(p.element) {
		if !p.isElement || !e.zero && slices.Contains(e.fills, n) {
			continue
		}
		for other := range pieces {
			if other != i && !effects[other].zero && slices.Contains(effects[other].fills, n) && x.fillsMore(n, pieces[other], p) {
				name := x.columns.list[n].Name
				elsewhere = append(elsewhere, name+" has "+pieces[other].name)
				fills = slices.DeleteFunc(fills, func(f string) bool { return f == name })
			}
		}
	}
	switch {
	case p.fault != "":
		words = append(words, "field_refused: "+p.fault)
	case e.misfit:
		words = append(words, "misfit: "+list(fills)+" cannot hold it")
	case e.zero && len(elsewhere) > 0:
		words = append(words, "zero: "+list(elsewhere))
	case e.zero && len(fills) > 0:
		words = append(words, list(fills)+" (zero)")
	case len(fills) > 0:
		words = append(words, list(fills))
	}
	if !e.zero && len(elsewhere) > 0 {
		words = append(words, list(elsewhere))
	}
	if back := x.columns.names(e.back); len(back) > 0 && !e.zero {
		words = append(words, "reverse "+list(back))
	}
	if decides := x.columns.names(e.decides); len(decides) > 0 {
		words = append(words, "decides "+list(decides))
	}
	if len(words) == 0 && p.isElement {
		words = append(words, x.columns.unused(p.element))
	} else if len(words) == 0 {
		words = append(words, "no column")
	}
	return strings.Join(words, "; ")
}

// fillsMore reports whether a piece that changes with a column is the column's source rather than p.
func (x *Explainer) fillsMore(n uint32, candidate, p piece) bool {
	return !candidate.isElement || lists(x.columns.list[n], candidate.element)
}
