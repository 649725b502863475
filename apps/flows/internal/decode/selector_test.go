package decode

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/sampling"
	"github.com/hotpb/hotpb/apps/flows/internal/decode/session"
	"github.com/hotpb/hotpb/apps/flows/internal/flow"
	"github.com/hotpb/hotpb/go/schema/template"
)

// parameters are the fields of a record about sampling: numbers by their element, a probability, ranges of hash values.
type parameters struct {
	numbers     map[uint16]uint64
	probability string // in decimals; "" for none
	bits        int    // of the probability
	ranges      [][2]uint64
}

func (p *parameters) String() string {
	return fmt.Sprint(p.numbers, " ", p.probability, " ", p.ranges)
}

// A verdict of the rules: a rate, or why there is none.
type verdict struct {
	rate    *big.Rat
	nothing bool // no field, or only zeros
	partial bool // too little
	wrong   bool // impossible or contradictory
}

// The rules below are those of RFC 5477 (8.2, 8.3), of the registry of PSAMP algorithms (RFC 5476), and, where these are
// silent, of docs/guide.md, in exact numbers. They share nothing with the code that they judge.
type rule struct {
	algorithms []uint64
	elements   []uint16 // all are needed
	positive   []uint16 // zero means not configured
	share      func(p *parameters) (chosen, all *big.Rat)
}

func exact(n uint64) *big.Rat { return new(big.Rat).SetInt(new(big.Int).SetUint64(n)) }

func sum(a, b uint64) *big.Rat { return new(big.Rat).Add(exact(a), exact(b)) }

var rules = []rule{
	{[]uint64{1}, []uint16{305, 306}, []uint16{305}, func(p *parameters) (_, _ *big.Rat) {
		return exact(p.numbers[305]), sum(p.numbers[305], p.numbers[306])
	}},
	{[]uint64{2}, []uint16{307, 308}, []uint16{307}, func(p *parameters) (_, _ *big.Rat) {
		return exact(p.numbers[307]), sum(p.numbers[307], p.numbers[308])
	}},
	{[]uint64{3}, []uint16{309, 310}, []uint16{309, 310}, func(p *parameters) (_, _ *big.Rat) {
		return exact(p.numbers[309]), exact(p.numbers[310])
	}},
	{[]uint64{6, 7, 8}, []uint16{329, 330}, []uint16{330}, func(p *parameters) (_, _ *big.Rat) {
		chosen := new(big.Rat)
		for _, r := range p.ranges {
			chosen.Add(chosen, new(big.Rat).Sub(sum(r[1], 1), exact(r[0])))
		}
		return chosen, new(big.Rat).Sub(sum(p.numbers[330], 1), exact(p.numbers[329]))
	}},
}

// judge applies one algorithm's rule.
func (p *parameters) judge(algorithm uint64) verdict {
	if algorithm == 5 { // a filter
		return verdict{rate: big.NewRat(1, 1)}
	}
	if algorithm == 4 {
		chance, ok := new(big.Rat).SetString(p.probability)
		if !ok || chance.Sign() == 0 {
			return verdict{nothing: true}
		}
		if chance.Sign() < 0 || chance.Cmp(big.NewRat(1, 1)) > 0 {
			return verdict{wrong: true}
		}
		return verdict{rate: new(big.Rat).Inv(chance)}
	}
	for _, r := range rules {
		if !slices.Contains(r.algorithms, algorithm) {
			continue
		}
		zero, missing := true, false
		for _, e := range r.elements {
			v, has := p.numbers[e]
			zero = zero && v == 0
			missing = missing || !has
		}
		for _, e := range r.positive {
			missing = missing || p.numbers[e] == 0
		}
		hash := algorithm >= 6
		if hash {
			missing = missing || len(p.ranges) == 0
			zero = p.numbers[330] == 0 && len(p.ranges) == 0
		}
		if n, has := p.numbers[306]; algorithm == 1 && !has && n == 0 && p.numbers[305] > 1 {
			return verdict{rate: exact(p.numbers[305])} // alone, it is N
		}
		if zero {
			return verdict{nothing: true}
		}
		if missing {
			return verdict{partial: true}
		}
		chosen, all := r.share(p)
		if chosen.Sign() <= 0 || chosen.Cmp(all) > 0 || hash && !p.sound() {
			return verdict{wrong: true}
		}
		return verdict{rate: new(big.Rat).Quo(all, chosen)}
	}
	return verdict{nothing: true} // reserved or unassigned
}

// sound reports whether the ranges of hash values are in the range of all, and disjoint.
func (p *parameters) sound() bool {
	list := slices.Clone(p.ranges)
	slices.SortFunc(list, func(a, b [2]uint64) int { return new(big.Int).SetUint64(a[0]).Cmp(new(big.Int).SetUint64(b[0])) })
	next := p.numbers[329]
	for _, r := range list {
		if r[0] < next || r[1] < r[0] {
			return false
		}
		next = r[1] + 1
	}
	return list[len(list)-1][1] <= p.numbers[330]
}

func equal(a, b *big.Rat) bool {
	x, _ := a.Float64()
	y, _ := b.Float64()
	return math.Abs(x-y) <= 1e-6*y
}

// verdict applies all rules.
func (p *parameters) verdict() (v verdict) {
	if algorithm, named := p.numbers[304]; named {
		if v = p.judge(algorithm); v.nothing {
			any := algorithm != 0 || p.probability != "" && p.probability != "0" || len(p.ranges) > 0
			for e, n := range p.numbers {
				any = any || e >= 305 && n != 0
			}
			v = verdict{nothing: !any, partial: any}
		}
	} else {
		v.nothing = true
		for algorithm := uint64(1); algorithm <= 6; algorithm++ {
			if algorithm == 5 {
				continue
			}
			switch x := p.judge(algorithm); {
			case v.wrong || x.wrong:
				v = verdict{wrong: true}
			case x.rate != nil && v.rate != nil && !equal(x.rate, v.rate):
				v = verdict{wrong: true}
			case x.rate != nil && v.rate == nil:
				v = x
			case x.partial && v.nothing:
				v = x
			}
		}
	}
	n := max(p.numbers[34], p.numbers[50])
	switch {
	case p.numbers[34] > 0 && p.numbers[50] > 0 && p.numbers[34] != p.numbers[50]:
		return verdict{wrong: true}
	case n == 0 || v.wrong:
		return v
	case v.rate == nil:
		return verdict{rate: exact(n)}
	}
	if r, _ := v.rate.Float64(); math.Abs(r-float64(n)) < max(1, 1e-6*float64(n)) {
		return v
	}
	return verdict{wrong: true}
}

// values are what a parameter may be: absent, zero, one, sensible, absurd. The sensible ones of all algorithms agree, on
// 100.
func values(sensible uint64) []int64 { return []int64{-1, 0, 1, int64(sensible), 1 << 31} }

var sweep = []struct {
	element uint16
	values  []int64
}{
	{34, values(100)}, {50, values(100)}, {304, []int64{-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 65535}},
	{305, values(10)}, {306, values(990)}, {307, values(10)}, {308, values(990)}, {309, values(10)}, {310, values(1000)},
	{329, []int64{-1, 0, 1, 1 << 31}}, {330, []int64{-1, 0, 999, 1 << 31}},
}

var (
	probabilities = []string{"", "0", "1", "0.01", "2.5", "-0.5", "0.0000000001"}
	hashed        = [][][2]uint64{nil, {{0, 9}}, {{0, 4}, {5, 9}}, {{5, 9}, {1, 4}}, {{0, 5}, {5, 9}}, {{9, 3}}, {{1, 1 << 33}}}
)

// random returns one of all combinations; most fields are absent, so that some make sense.
func random(r *rand.Rand) (p parameters) {
	p.numbers, p.bits = map[uint16]uint64{}, 32*(1+r.IntN(2))
	for _, s := range sweep {
		if v := s.values[r.IntN(len(s.values))]; v >= 0 && r.IntN(3) > 0 {
			p.numbers[s.element] = uint64(v)
		}
	}
	if r.IntN(3) == 0 {
		p.probability = probabilities[r.IntN(len(probabilities))]
	}
	if r.IntN(3) == 0 {
		p.ranges = hashed[r.IntN(len(hashed))]
	}
	return p
}

// fields returns the fields of a record in random order. The ends of ranges keep theirs.
func (p *parameters) fields(r *rand.Rand) (fields []template.Field, data []byte) {
	type field struct {
		template.Field
		value []byte
	}
	var list []field
	number := func(element uint16, v uint64) field {
		n := uint16(8)
		if v < 1<<32 && r.IntN(2) == 0 {
			n = 4
		}
		if v < 1<<16 && r.IntN(2) == 0 {
			n = 2
		}
		return field{vendorless(element, n), wide(v, int(n))}
	}
	for _, e := range slices.Sorted(maps.Keys(p.numbers)) {
		list = append(list, number(e, p.numbers[e]))
	}
	if p.probability != "" {
		chance, _ := new(big.Rat).SetString(p.probability)
		v, _ := chance.Float64()
		if p.bits == 32 {
			list = append(list, field{vendorless(311, 4), be32(math.Float32bits(float32(v)))})
		} else {
			list = append(list, field{vendorless(311, 8), wide(math.Float64bits(v), 8)})
		}
	}
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	for _, x := range p.ranges {
		list = slices.Insert(list, r.IntN(len(list)+1), number(331, x[0]))
		list = slices.Insert(list, r.IntN(len(list)+1), number(332, x[1]))
	}
	if len(p.ranges) > 1 { // the ends that belong together come in the same order
		low, high := 0, 0
		for i := range list {
			switch list[i].Element {
			case 331:
				list[i] = number(331, p.ranges[low][0])
				low++
			case 332:
				list[i] = number(332, p.ranges[high][1])
				high++
			}
		}
	}
	for _, x := range list {
		fields, data = append(fields, x.Field), append(data, x.value...)
	}
	return fields, data
}

// Every combination of algorithm, rate, count and n of N, and many of all.
func TestSelectorParametersGiveTheRateOfTheRules(t *testing.T) {
	check := func(p *parameters, fields []template.Field, data []byte) {
		var s sampling.Selector
		for _, f := range fields {
			s.Take(f.Element, data[:f.Length])
			data = data[f.Length:]
		}
		rate, f := s.Rate()
		want := p.verdict()
		if (f == sampling.Resolved) != (want.rate != nil) || (f == sampling.Silent) != want.nothing || (f == sampling.Senseless) != want.wrong {
			t.Errorf("%v: finding %d, rate %v instead of %+v", p, f, rate, want)
		} else if want.rate != nil {
			if w, _ := want.rate.Float64(); math.Abs(rate-w) > 1e-6*w {
				t.Errorf("%v: rate %v instead of %v", p, rate, w)
			}
		} else if rate != 0 {
			t.Errorf("%v: rate %v and none", p, rate)
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	cross := []int{2, 0, 3, 4, 7, 8}
	index := make([]int, len(cross))
	combinations, known := 0, 0
	for {
		p := parameters{numbers: map[uint16]uint64{}}
		for i, at := range cross {
			if v := sweep[at].values[index[i]]; v >= 0 {
				p.numbers[sweep[at].element] = uint64(v)
			}
		}
		fields, data := p.fields(r)
		check(&p, fields, data)
		if combinations++; p.verdict().rate != nil {
			known++
		}
		i := 0
		for ; i < len(index); i++ {
			if index[i]++; index[i] < len(sweep[cross[i]].values) {
				break
			}
			index[i] = 0
		}
		if i == len(index) || t.Failed() {
			break
		}
	}
	for range 100_000 {
		p := random(r)
		fields, data := p.fields(r)
		check(&p, fields, data)
	}
	if known < combinations/10 || known > combinations*9/10 {
		t.Errorf("%d of %d combinations have a rate", known, combinations)
	}
}

// Options and records have the same rules, whatever the order of their fields and the place of the selector.
func TestFlowsHaveTheRateOfTheRulesOrNone(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	l := parse(t, rated)
	limit := float64(session.DefaultLimits().SamplingRate)
	reasons := map[string]int{}
	for i := range 4000 {
		p := random(r)
		fields, data := p.fields(r)
		if len(fields) == 0 {
			continue
		}
		protocol := []flow.Protocol{flow.NetFlow9, flow.IPFIX}[r.IntN(2)]
		b := build{protocol: protocol}
		rig := newRig(t, session.DefaultLimits(), l, nil, Options{Goflow2: r.IntN(4) == 0})
		name := fmt.Sprintf("%d: %v, %v", i, protocol, &p)
		var flows []string
		inOptions := r.IntN(2) == 0
		switch id := vendorless(302, 2); {
		case !inOptions:
			flows = rig.send(b.datagram(b.template(256, append(fields, octets)...), set(256, data, be32(1000))))
		case protocol == flow.IPFIX && r.IntN(2) == 0: // the selector is the scope, or one of the fields
			scopes, place := 1+r.IntN(len(fields)), 0
			for _, f := range fields[:scopes-1] {
				place += int(f.Length)
			}
			fields = slices.Insert(fields, scopes-1, id)
			data = slices.Insert(data, place, be16(7)...)
			rig.send(b.datagram(b.options(300, scopes, fields...), set(300, data), b.template(256, id, octets)))
		default:
			rig.send(b.datagram(b.options(300, 1, append([]template.Field{vendorless(1, 4), id}, fields...)...), set(300, be32(9), be16(7), data),
				b.template(256, id, octets)))
		}
		if inOptions {
			flows = rig.send(b.datagram(set(256, be16(7), be32(1000))))
		}
		want, lost := "none", map[string]uint64(nil)
		v := p.verdict()
		switch {
		case v.rate != nil:
			n, _ := v.rate.Float64()
			if n > limit {
				lost = map[string]uint64{"sampling_absurd": 1}
			} else {
				want = fmt.Sprint(uint64(math.Round(n)))
			}
		case inOptions || !v.nothing:
			lost = map[string]uint64{"sampling_unclear": 1}
		}
		if len(flows) != 1 {
			t.Fatalf("%s: %q", name, flows)
		}
		got := rateOf(t, flows[0])
		if got != want {
			t.Errorf("%s: %s instead of %s", name, flows[0], want)
		}
		rig.expect(name, lost)
		if known := want != "none"; known {
			n, _ := v.rate.Float64()
			scaled := fmt.Sprintf("bytes_scaled=%d", uint64(math.Round(1000*n)))
			if !strings.Contains(flows[0]+" ", scaled+" ") && v.rate.IsInt() && p.probability == "" {
				t.Errorf("%s: %s without %s", name, flows[0], scaled)
			}
			reasons["known"]++
		} else {
			reasons[fmt.Sprint(lost)]++
		}
	}
	for _, reason := range []string{"known", "map[sampling_absurd:1]", "map[sampling_unclear:1]", "map[]"} {
		if reasons[reason] < 3 {
			t.Errorf("%v", reasons)
		}
	}
}

// An extract to read, of real exporters and of each rule.
func TestWhatExportersSendOfSampling(t *testing.T) {
	for _, c := range []struct {
		numbers     map[uint16]uint64
		probability string
		want        string
		rule        string
	}{
		{map[uint16]uint64{34: 1000, 35: 1}, "", "1000", "RFC 3954, 8: the interval, and its mode"},
		{map[uint16]uint64{48: 3, 49: 2, 50: 512}, "", "512", "RFC 3954, 8: a sampler"},
		{map[uint16]uint64{35: 2}, "", "none", "a mode is no rate"},
		{map[uint16]uint64{49: 2}, "", "none", "a mode is no rate"},
		{map[uint16]uint64{34: 0}, "", "none", "zero is not given"},
		{map[uint16]uint64{34: 0, 50: 64}, "", "64", "zero is not given"},
		{map[uint16]uint64{34: 64, 50: 128}, "", "none", "they contradict each other"},
		{map[uint16]uint64{305: 1, 304: 3, 309: 1, 310: 256}, "", "256", "RFC 5477, 8.2: the algorithm is n of N"},
		{map[uint16]uint64{310: 256, 309: 1, 305: 1}, "", "256", "only n of N is complete"},
		{map[uint16]uint64{304: 1, 305: 1, 309: 1, 310: 256}, "", "none", "RFC 5477, 8.2: the algorithm is a count, which has no space"},
		{map[uint16]uint64{304: 1, 305: 1, 306: 99}, "", "100", "RFC 5477, 8.2"},
		{map[uint16]uint64{304: 1, 305: 1, 306: 0}, "", "1", "RFC 5477, 8.2: no packet is skipped"},
		{map[uint16]uint64{304: 1, 305: 5, 306: 95, 310: 7}, "", "20", "parameters of others do not count"},
		{map[uint16]uint64{304: 1, 305: 256}, "", "256", "alone, it is N"},
		{map[uint16]uint64{305: 256}, "", "256", "alone, it is N"},
		{map[uint16]uint64{305: 1}, "", "none", "alone, one may be N or the interval"},
		{map[uint16]uint64{305: 256, 309: 1, 310: 512}, "", "none", "two that differ"},
		{map[uint16]uint64{305: 1, 306: 511, 309: 1, 310: 512}, "", "512", "two that agree"},
		{map[uint16]uint64{304: 2, 307: 1000, 308: 63000}, "", "64", "RFC 5477, 8.2: time"},
		{map[uint16]uint64{304: 2, 307: 1000}, "", "none", "the space is missing"},
		{map[uint16]uint64{304: 3, 309: 2, 310: 3}, "", "2", "RFC 5477, 8.2: 1.5, rounded"},
		{map[uint16]uint64{304: 3, 309: 3, 310: 2}, "", "none", "three of two"},
		{map[uint16]uint64{304: 3, 309: 0, 310: 256}, "", "none", "none of them"},
		{map[uint16]uint64{304: 3, 305: 100}, "", "none", "parameters of another algorithm"},
		{map[uint16]uint64{304: 3, 34: 100}, "", "100", "N beside nothing complete"},
		{map[uint16]uint64{304: 3, 309: 1, 310: 256, 34: 256}, "", "256", "they agree"},
		{map[uint16]uint64{304: 3, 309: 3, 310: 100, 34: 33}, "", "33", "they agree, but for rounding"},
		{map[uint16]uint64{304: 3, 309: 1, 310: 256, 34: 1}, "", "none", "they contradict each other"},
		{map[uint16]uint64{304: 4}, "0.005", "200", "RFC 5477, 8.2: a probability"},
		{map[uint16]uint64{304: 4}, "1.5", "none", "no probability"},
		{map[uint16]uint64{}, "0.25", "4", "RFC 5477, 8.2: a probability"},
		{map[uint16]uint64{304: 5}, "", "1", "RFC 5476: a filter"},
		{map[uint16]uint64{304: 5, 309: 1, 310: 256}, "", "1", "RFC 5476: a filter"},
		{map[uint16]uint64{304: 9, 305: 1, 306: 99}, "", "none", "no algorithm of packets"},
		{map[uint16]uint64{304: 0, 305: 1, 306: 99}, "", "none", "reserved"},
		{map[uint16]uint64{304: 77, 309: 1, 310: 2}, "", "none", "unassigned"},
		{map[uint16]uint64{304: 77, 50: 2}, "", "2", "N, whatever the algorithm"},
		{map[uint16]uint64{309: 1, 310: 1 << 25}, "", "none", "absurd"},
	} {
		r := rand.New(rand.NewPCG(5, 6))
		for _, protocol := range []flow.Protocol{flow.NetFlow9, flow.IPFIX} {
			p := parameters{numbers: c.numbers, probability: c.probability}
			for range 3 {
				fields, data := p.fields(r)
				b := build{protocol: protocol}
				rig := newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
				rig.send(b.datagram(b.options(300, 1, append([]template.Field{vendorless(1, 4)}, fields...)...), set(300, be32(9), data), b.template(256, octets)))
				if got := rig.rates(b.datagram(set(256, be32(5)))); got[0] != c.want {
					t.Errorf("%v, options %v (%s): %v", protocol, &p, c.rule, got)
				}
				rig = newRig(t, session.DefaultLimits(), parse(t, rated), nil, Options{})
				if got := rig.rates(b.datagram(b.template(256, append(fields, octets)...), set(256, data, be32(5)))); got[0] != c.want {
					t.Errorf("%v, record %v (%s): %v", protocol, &p, c.rule, got)
				}
			}
		}
	}
}
