package sampling

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/decode/ipfix"
)

// Selector are the fields of a record about sampling: the rate itself (34, 50), and the parameters of a PSAMP selector
// (RFC 5477, 8.2), which its algorithm (304) names. Their order does not matter.
type Selector struct {
	values      [len(selectorElements)]uint64
	present     [len(selectorElements)]bool
	faulty      [len(selectorElements)]bool // two values that differ, or no number
	probability float64
	ranges      [mostRanges][2]uint64 // selected hash values: the first and the last
	ends        [2]int                // how many of each there are
	told        bool                  // has any of them
}

// selectorElements have their values at the same index in a selector.
var selectorElements = [...]uint16{
	ipfix.SamplingInterval, ipfix.SamplerRandomInterval, ipfix.SelectorAlgorithm, ipfix.SamplingPacketInterval, ipfix.SamplingPacketSpace,
	ipfix.SamplingTimeInterval, ipfix.SamplingTimeSpace, ipfix.SamplingSize, ipfix.SamplingPopulation, ipfix.SamplingProbability,
	ipfix.HashOutputMin, ipfix.HashOutputMax,
}

// mostRanges is how many ranges of hash values a selector may have.
const mostRanges = 8

// The algorithms of selectors that give a rate (IANA's registry of PSAMP parameters).
const (
	everyCount    = 1 // systematic, count-based
	everyTime     = 2 // systematic, time-based
	randomOf      = 3 // n out of N
	randomEach    = 4 // uniform probabilistic
	propertyMatch = 5 // a filter, which is not sampling
	hashFirst     = 6 // BOB
	hashLast      = 8 // CRC
)

// Finding is what the fields of a selector amount to.
type Finding uint8

const (
	Silent     Finding = iota // nothing: no fields, or only zeros
	Incomplete                // too little for a rate, or an algorithm that has none
	Senseless                 // values that cannot be, or that contradict each other
	Resolved                  // a rate
)

// Unclear stands for a rate that was reported, and that cannot be interpreted.
const Unclear = -1

// IsParameter reports whether an element is one of a selector's parameters.
func IsParameter(element uint16) bool {
	return element >= ipfix.SelectorAlgorithm && element <= ipfix.SamplingProbability || element >= ipfix.HashOutputMin && element <= ipfix.HashSelectedMax
}

// Take reads a field. Numbers have up to 8 bytes.
func (s *Selector) Take(element uint16, value []byte) {
	if len(value) == 0 {
		return
	}
	v, ok := ipfix.Number(value)
	if element == ipfix.HashSelectedMin || element == ipfix.HashSelectedMax {
		s.told = true
		end := int(element - ipfix.HashSelectedMin)
		if n := s.ends[end]; ok && n < mostRanges {
			s.ranges[n][end] = v
		}
		s.ends[end]++
		if !ok {
			s.ends[end] = math.MaxInt32
		}
		return
	}
	i := slices.Index(selectorElements[:], element)
	if i < 0 {
		return
	}
	s.told = true
	if element == ipfix.SamplingProbability {
		switch {
		case len(value) == 4:
			s.probability = float64(math.Float32frombits(uint32(v)))
		case len(value) == 8:
			s.probability = math.Float64frombits(v)
		default:
			ok = false
		}
	}
	s.faulty[i] = s.faulty[i] || !ok || s.present[i] && s.values[i] != v
	s.values[i], s.present[i] = v, true
}

// String lists the fields that the record has, for the log.
func (s *Selector) String() string {
	var list []string
	for i, element := range selectorElements {
		switch {
		case s.faulty[i]:
			list = append(list, fmt.Sprintf("%d is no number, or two", element))
		case s.present[i] && element == ipfix.SamplingProbability:
			list = append(list, fmt.Sprintf("%d=%g", element, s.probability))
		case s.present[i]:
			list = append(list, fmt.Sprintf("%d=%d", element, s.values[i]))
		}
	}
	if s.ends != [2]int{} {
		list = append(list, "ranges of hash values")
	}
	return strings.Join(list, ", ")
}

// get returns the value of an element, and whether the record has it, with a number.
func (s *Selector) get(element uint16) (v uint64, present, faulty bool) {
	i := slices.Index(selectorElements[:], element)
	return s.values[i], s.present[i], s.faulty[i]
}

// Rate returns N if one packet of N was chosen. Parameters that give another rate than the record's own contradict it;
// those that give the same one, but for its rounding, are more exact.
func (s *Selector) Rate() (rate float64, f Finding) {
	n, _, faulty := s.get(ipfix.SamplingInterval)
	random, _, faultyRandom := s.get(ipfix.SamplerRandomInterval)
	rate, f = s.parameters()
	switch {
	case faulty || faultyRandom || f == Senseless || n != 0 && random != 0 && n != random:
		return 0, Senseless
	case n == 0 && random == 0:
		return rate, f
	}
	own := float64(max(n, random))
	switch {
	case f != Resolved:
		return own, Resolved
	case sameRate(rate, own):
		return rate, Resolved
	}
	return 0, Senseless
}

// sameRate reports whether a rate is N, but for rounding.
func sameRate(rate, n float64) bool {
	return math.Abs(rate-n) < max(1, n*rateError)
}

// rateError is the relative error of a probability in 32 bits, and more.
const rateError = 1e-6

// parameters returns the rate that the selector's parameters give: those of the algorithm, or, if the record names
// none, those that are complete.
func (s *Selector) parameters() (rate float64, f Finding) {
	algorithm, named, faulty := s.get(ipfix.SelectorAlgorithm)
	if faulty {
		return 0, Senseless
	}
	if named {
		rate, f = s.rateFor(algorithm)
		if f == Silent && (algorithm != 0 || s.anyValue()) {
			f = Incomplete
		}
		return rate, f
	}
	for _, algorithm := range [...]uint64{everyCount, randomOf, randomEach, everyTime, hashFirst} {
		switch n, found := s.rateFor(algorithm); {
		case found == Senseless, found == Resolved && f == Resolved && math.Abs(n-rate) > n*rateError:
			return 0, Senseless
		case found > f:
			rate, f = n, found
		}
	}
	return rate, f
}

// anyValue reports whether there is a parameter that is not zero.
func (s *Selector) anyValue() bool {
	for i, element := range selectorElements {
		if IsParameter(element) && (s.values[i] != 0 || s.faulty[i]) {
			return true
		}
	}
	return s.ends != [2]int{}
}

// rateFor returns the rate that the parameters of an algorithm give.
func (s *Selector) rateFor(algorithm uint64) (rate float64, f Finding) {
	switch {
	case algorithm == everyCount:
		if _, spaced, _ := s.get(ipfix.SamplingPacketSpace); !spaced {
			n, _, faulty := s.get(ipfix.SamplingPacketInterval)
			switch {
			case faulty:
				return 0, Senseless
			case n > 1: // exporters that send it alone mean N
				return float64(n), Resolved
			case n == 1:
				return 0, Incomplete
			}
			return 0, Silent
		}
		return s.spaced(ipfix.SamplingPacketInterval, ipfix.SamplingPacketSpace)
	case algorithm == everyTime:
		return s.spaced(ipfix.SamplingTimeInterval, ipfix.SamplingTimeSpace)
	case algorithm == randomOf:
		size, _, wrongSize := s.get(ipfix.SamplingSize)
		population, _, wrongPopulation := s.get(ipfix.SamplingPopulation)
		switch {
		case wrongSize || wrongPopulation:
			return 0, Senseless
		case size == 0 && population == 0:
			return 0, Silent
		case size == 0 || population == 0:
			return 0, Incomplete
		case size > population:
			return 0, Senseless
		}
		return float64(population) / float64(size), Resolved
	case algorithm == randomEach:
		_, has, faulty := s.get(ipfix.SamplingProbability)
		switch {
		case !has || !faulty && s.probability == 0:
			return 0, Silent
		case faulty || !(s.probability > 0 && s.probability <= 1):
			return 0, Senseless
		}
		return 1 / s.probability, Resolved
	case algorithm == propertyMatch:
		return 1, Resolved
	case algorithm >= hashFirst && algorithm <= hashLast:
		return s.hash()
	}
	return 0, Silent
}

// spaced returns the rate of an interval in which all packets are chosen, and of the space that follows it.
func (s *Selector) spaced(interval, space uint16) (rate float64, f Finding) {
	n, _, faultyInterval := s.get(interval)
	rest, spaced, faultySpace := s.get(space)
	switch {
	case faultyInterval || faultySpace:
		return 0, Senseless
	case n == 0 && rest == 0:
		return 0, Silent
	case n == 0 || !spaced:
		return 0, Incomplete
	}
	return (float64(n) + float64(rest)) / float64(n), Resolved
}

// hash returns the rate of the ranges of hash values that are selected.
func (s *Selector) hash() (rate float64, f Finding) {
	first, from, faultyFirst := s.get(ipfix.HashOutputMin)
	last, to, faultyLast := s.get(ipfix.HashOutputMax)
	n := s.ends[0]
	switch {
	case faultyFirst || faultyLast || n > mostRanges || s.ends[1] > mostRanges:
		return 0, Senseless
	case last == 0 && s.ends == [2]int{}:
		return 0, Silent
	case !from || !to || last == 0 || n == 0 || n != s.ends[1]:
		return 0, Incomplete
	}
	chosen := 0.0
	for i, r := range s.ranges[:n] {
		if r[1] == 0 {
			return 0, Incomplete
		}
		if r[0] > r[1] || r[0] < first || r[1] > last {
			return 0, Senseless
		}
		for _, before := range s.ranges[:i] {
			if r[0] <= before[1] && before[0] <= r[1] { // overlap: which packets count twice?
				return 0, Senseless
			}
		}
		chosen += float64(r[1]-r[0]) + 1
	}
	return max(1, (float64(last-first)+1)/chosen), Resolved
}
