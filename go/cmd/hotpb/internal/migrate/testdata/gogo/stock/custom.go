package stock

import "errors"

// Serial is a serial number.
type Serial uint64

// Digest is a checksum of four bytes.
type Digest [4]byte

// Size is the number of bytes.
func (d *Digest) Size() int { return len(d) }

// MarshalTo writes the bytes.
func (d *Digest) MarshalTo(b []byte) (int, error) { return copy(b, d[:]), nil }

// Unmarshal reads the bytes.
func (d *Digest) Unmarshal(b []byte) error {
	if len(b) != len(d) {
		return errors.New("a digest has four bytes")
	}
	copy(d[:], b)
	return nil
}
