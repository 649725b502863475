// Package ipfix has the elements and encodings of RFC 7011 that the packages of decode share. NetFlow v9 has the same elements.
package ipfix

import "encoding/binary"

// The elements that matter to the collector itself.
const (
	EndUptime              = 21
	StartUptime            = 22
	SamplingInterval       = 34
	SamplerID              = 48
	SamplerRandomInterval  = 50
	SystemInitTime         = 160
	SelectorID             = 302
	SamplingPacketInterval = 305
	SamplingPacketSpace    = 306
	SamplingTimeInterval   = 307
	SamplingTimeSpace      = 308
	SamplingSize           = 309
	SamplingPopulation     = 310
	SamplingProbability    = 311
	SelectorAlgorithm      = 304
	HashOutputMin          = 329
	HashOutputMax          = 330
	HashSelectedMin        = 331
	HashSelectedMax        = 332
)

// The elements that say what options are about.
const (
	IngressInterface    = 10
	EgressInterface     = 14
	FlowDirection       = 61
	ObservationPointID  = 138
	LineCardID          = 141
	PortID              = 142
	TemplateID          = 145
	SelectionSequenceID = 301
)

// The elements that hold the first bytes of a sampled packet.
const (
	Layer2Section   = 104 // Cisco's, of NetFlow v9; IPFIX calls it deprecated
	FrameSize       = 312
	IPHeaderSection = 313
	FrameSection    = 315
)

const PaddingOctets = 210

// ReversePEN is the enterprise of the elements of a biflow's other direction (RFC 5103).
const ReversePEN = 29305

// Number is a field of up to 8 bytes.
func Number(b []byte) (uint64, bool) {
	if len(b) == 0 || len(b) > 8 {
		return 0, false
	}
	var padded [8]byte
	copy(padded[8-len(b):], b)
	return binary.BigEndian.Uint64(padded[:]), true
}

// Zeros reports whether the bytes are all padding.
func Zeros(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.BigEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// VariableLength reads the length of a value, and returns the size of that; both are 0 if it is cut off.
func VariableLength(b []byte) (length, prefix int) {
	switch {
	case len(b) < 1:
		return 0, 0
	case b[0] < 255:
		return int(b[0]), 1
	case len(b) < 3:
		return 0, 0
	}
	return int(binary.BigEndian.Uint16(b[1:])), 3
}
