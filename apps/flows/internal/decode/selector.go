package decode

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// selector are the fields of a record about sampling: the rate itself (34, 50), and the parameters of a PSAMP selector
// (RFC 5477, 8.2), which its algorithm (304) names. Their order does not matter.
type selector struct {
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
	samplingInterval, samplerRandomInterval, selectorAlgorithm, samplingPacketInterval, samplingPacketSpace,
	samplingTimeInterval, samplingTimeSpace, samplingSize, samplingPopulation, samplingProbability,
	hashOutputMin, hashOutputMax,
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

// finding is what the fields of a selector amount to.
type finding uint8

const (
	silent     finding = iota // nothing: no fields, or only zeros
	incomplete                // too little for a rate, or an algorithm that has none
	senseless                 // values that cannot be, or that contradict each other
	resolved                  // a rate
)

// unclear stands for a rate that was reported, and that cannot be interpreted.
const unclear = -1

// isSelector reports whether an element is one of a selector's parameters.
func isSelector(element uint16) bool {
	return element >= selectorAlgorithm && element <= samplingProbability || element >= hashOutputMin && element <= hashSelectedMax
}

// take reads a field. Numbers have up to 8 bytes.
func (s *selector) take(element uint16, value []byte) {
	if len(value) == 0 {
		return
	}
	v, ok := number(value)
	if element == hashSelectedMin || element == hashSelectedMax {
		s.told = true
		end := int(element - hashSelectedMin)
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
	if element == samplingProbability {
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
func (s *selector) String() string {
	var list []string
	for i, element := range selectorElements {
		switch {
		case s.faulty[i]:
			list = append(list, fmt.Sprintf("%d is no number, or two", element))
		case s.present[i] && element == samplingProbability:
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
func (s *selector) get(element uint16) (v uint64, present, faulty bool) {
	i := slices.Index(selectorElements[:], element)
	return s.values[i], s.present[i], s.faulty[i]
}

// rate returns N if one packet of N was chosen. Parameters that give another rate than the record's own contradict it;
// those that give the same one, but for its rounding, are more exact.
func (s *selector) rate() (rate float64, f finding) {
	n, _, faulty := s.get(samplingInterval)
	random, _, faultyRandom := s.get(samplerRandomInterval)
	rate, f = s.parameters()
	switch {
	case faulty || faultyRandom || f == senseless || n != 0 && random != 0 && n != random:
		return 0, senseless
	case n == 0 && random == 0:
		return rate, f
	}
	own := float64(max(n, random))
	switch {
	case f != resolved:
		return own, resolved
	case sameRate(rate, own):
		return rate, resolved
	}
	return 0, senseless
}

// sameRate reports whether a rate is N, but for rounding.
func sameRate(rate, n float64) bool {
	return math.Abs(rate-n) < max(1, n*rateError)
}

// rateError is the relative error of a probability in 32 bits, and more.
const rateError = 1e-6

// parameters returns the rate that the selector's parameters give: those of the algorithm, or, if the record names
// none, those that are complete.
func (s *selector) parameters() (rate float64, f finding) {
	algorithm, named, faulty := s.get(selectorAlgorithm)
	if faulty {
		return 0, senseless
	}
	if named {
		rate, f = s.rateFor(algorithm)
		if f == silent && (algorithm != 0 || s.anyValue()) {
			f = incomplete
		}
		return rate, f
	}
	for _, algorithm := range [...]uint64{everyCount, randomOf, randomEach, everyTime, hashFirst} {
		switch n, found := s.rateFor(algorithm); {
		case found == senseless, found == resolved && f == resolved && math.Abs(n-rate) > n*rateError:
			return 0, senseless
		case found > f:
			rate, f = n, found
		}
	}
	return rate, f
}

// anyValue reports whether there is a parameter that is not zero.
func (s *selector) anyValue() bool {
	for i, element := range selectorElements {
		if isSelector(element) && (s.values[i] != 0 || s.faulty[i]) {
			return true
		}
	}
	return s.ends != [2]int{}
}

// rateFor returns the rate that the parameters of an algorithm give.
func (s *selector) rateFor(algorithm uint64) (rate float64, f finding) {
	switch {
	case algorithm == everyCount:
		if _, spaced, _ := s.get(samplingPacketSpace); !spaced {
			n, _, faulty := s.get(samplingPacketInterval)
			switch {
			case faulty:
				return 0, senseless
			case n > 1: // exporters that send it alone mean N
				return float64(n), resolved
			case n == 1:
				return 0, incomplete
			}
			return 0, silent
		}
		return s.spaced(samplingPacketInterval, samplingPacketSpace)
	case algorithm == everyTime:
		return s.spaced(samplingTimeInterval, samplingTimeSpace)
	case algorithm == randomOf:
		size, _, wrongSize := s.get(samplingSize)
		population, _, wrongPopulation := s.get(samplingPopulation)
		switch {
		case wrongSize || wrongPopulation:
			return 0, senseless
		case size == 0 && population == 0:
			return 0, silent
		case size == 0 || population == 0:
			return 0, incomplete
		case size > population:
			return 0, senseless
		}
		return float64(population) / float64(size), resolved
	case algorithm == randomEach:
		_, has, faulty := s.get(samplingProbability)
		switch {
		case !has || !faulty && s.probability == 0:
			return 0, silent
		case faulty || !(s.probability > 0 && s.probability <= 1):
			return 0, senseless
		}
		return 1 / s.probability, resolved
	case algorithm == propertyMatch:
		return 1, resolved
	case algorithm >= hashFirst && algorithm <= hashLast:
		return s.hash()
	}
	return 0, silent
}

// spaced returns the rate of an interval in which all packets are chosen, and of the space that follows it.
func (s *selector) spaced(interval, space uint16) (rate float64, f finding) {
	n, _, faultyInterval := s.get(interval)
	rest, spaced, faultySpace := s.get(space)
	switch {
	case faultyInterval || faultySpace:
		return 0, senseless
	case n == 0 && rest == 0:
		return 0, silent
	case n == 0 || !spaced:
		return 0, incomplete
	}
	return (float64(n) + float64(rest)) / float64(n), resolved
}

// hash returns the rate of the ranges of hash values that are selected.
func (s *selector) hash() (rate float64, f finding) {
	first, from, faultyFirst := s.get(hashOutputMin)
	last, to, faultyLast := s.get(hashOutputMax)
	n := s.ends[0]
	switch {
	case faultyFirst || faultyLast || n > mostRanges || s.ends[1] > mostRanges:
		return 0, senseless
	case last == 0 && s.ends == [2]int{}:
		return 0, silent
	case !from || !to || last == 0 || n == 0 || n != s.ends[1]:
		return 0, incomplete
	}
	chosen := 0.0
	for i, r := range s.ranges[:n] {
		if r[1] == 0 {
			return 0, incomplete
		}
		if r[0] > r[1] || r[0] < first || r[1] > last {
			return 0, senseless
		}
		for _, before := range s.ranges[:i] {
			if r[0] <= before[1] && before[0] <= r[1] { // overlap: which packets count twice?
				return 0, senseless
			}
		}
		chosen += float64(r[1]-r[0]) + 1
	}
	return max(1, (float64(last-first)+1)/chosen), resolved
}
