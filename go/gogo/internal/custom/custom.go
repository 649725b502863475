// Package custom has types for options of gogo, such as casttype and customtype, in the messages that tests use.
package custom

import (
	"errors"
	"fmt"
)

// Types for casttype, castkey and castvalue.
type (
	Int    int // another width than in the schema
	Int32  int32
	Count  int64
	Total  uint64
	Small  uint32
	Flag   bool
	Single float32
	Ratio  float64
	Word   string
	Raw    []byte
)

// ID is a custom type of four bytes, with methods of values and of pointers.
type ID [4]byte

// Size returns 4.
func (ID) Size() int { return 4 }

// ProtoSize is Size for messages with protosizer.
func (id ID) ProtoSize() int { return id.Size() }

// Marshal returns the four bytes.
func (id ID) Marshal() ([]byte, error) { return id[:], nil }

// MarshalTo writes the four bytes.
func (id ID) MarshalTo(b []byte) (int, error) {
	if id[0] == 0xee {
		return 0, errors.New("custom: this ID is not written")
	}
	return copy(b, id[:]), nil
}

// Unmarshal accepts four bytes, and none as the zero ID.
func (id *ID) Unmarshal(b []byte) error {
	if len(b) != len(id) && len(b) != 0 {
		return fmt.Errorf("custom: an ID of %d bytes", len(b))
	}
	*id = ID{}
	copy(id[:], b)
	return nil
}

// Text is a custom type of any length.
type Text struct{ S string }

// Size returns the length.
func (t *Text) Size() int { return len(t.S) }

// Marshal returns the bytes.
func (t *Text) Marshal() ([]byte, error) { return []byte(t.S), nil }

// MarshalTo writes the bytes.
func (t *Text) MarshalTo(b []byte) (int, error) { return copy(b, t.S), nil }

// Unmarshal accepts all bytes.
func (t *Text) Unmarshal(b []byte) error { t.S = string(b); return nil }

// Equal is for the option equal.
func (id ID) Equal(right ID) bool { return id == right }

// Equal is for the option equal.
func (t Text) Equal(right Text) bool { return t == right }

// Blob is a custom type for any bytes that may be nil.
type Blob []byte

// Size returns the length.
func (b Blob) Size() int { return len(b) }

// Marshal returns the bytes.
func (b Blob) Marshal() ([]byte, error) { return b, nil }

// MarshalTo writes the bytes.
func (b Blob) MarshalTo(to []byte) (int, error) { return copy(to, b), nil }

// Unmarshal accepts all bytes.
func (b *Blob) Unmarshal(from []byte) error { *b = append(Blob{}, from...); return nil }

// Equal is for the option equal.
func (b Blob) Equal(right Blob) bool { return string(b) == string(right) }
