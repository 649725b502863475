package schema

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/hotpb/hotpb/go/schema/internal/export"
)

// Proto returns the plan as the text of a .proto file, named after the root. The same schema always has the same
// text. The text is proto3 if that can express the plan. Groups, closed enums, required columns and defaults need
// edition 2023.
//
// Numbers and names of columns that are off are reserved. Columns are in the order of their numbers, those of a
// oneof together. The text has only messages and enums to which columns lead that are on; it imports well-known
// types. Readers of a proto3 string refuse bytes that are not UTF-8 whether or not the column has CheckUTF8;
// edition 2023 says which columns are unchecked.
//
// An error lists everything that a .proto cannot express; each part is an *Error.
func (p *Plan) Proto() (string, error) {
	files, err := p.files()
	if err != nil {
		return "", err
	}
	return files[len(files)-1].Text(), nil
}

// FileDescriptorSet returns the plan as an encoded google.protobuf.FileDescriptorSet with everything that it
// needs: the files of well-known types, cut down to the types that are used, and last the file whose text is
// Proto, as protoc compiles it, without comments.
func (p *Plan) FileDescriptorSet() ([]byte, error) {
	files, err := p.files()
	if err != nil {
		return nil, err
	}
	return export.Descriptors(files), nil
}

// files returns the plan's own file last, after those that it imports.
func (p *Plan) files() ([]*export.File, error) {
	if p.isEmpty() {
		return nil, errNoPlan()
	}
	var wrong problems
	files := export.Files(p.describe().Reached(), p.pkg, wrong.add)
	if len(wrong) > 0 {
		return nil, wrong.err()
	}
	return files, nil
}

// WireHash is the SHA-256, in 64 hex digits, of everything that determines the meaning of the plan's bytes. Of the columns that are on,
// these are their numbers, kinds, whether they are repeated, maps or required, and which share a oneof; and the
// numbers of closed enums. Names, comments, reserved numbers, presence, packing and the values of open enums are
// not part of it: they do not change the bytes. Nor are units, other logical types and defaults, which FullHash
// has, and package lock reports. Nor is the order in which things were added, or whether two equal messages are
// one type or two. It is the hash of WireText. The first 16 digits are enough to distinguish the schemas of a topic:
// "flows-" + plan.WireHash()[:16].
func (p *Plan) WireHash() string { return hash(p.WireText()) }

// FullHash is the hash of everything that a .proto says except comments and UTF-8 checks: also the names of
// messages, columns, oneofs and enum values, presence, packing, defaults and what is reserved. It includes what a
// .proto does not say: the units of times and durations, and which columns are IP and MAC addresses. A column that
// is off counts as a reserved number and name. It is the hash of FullText.
func (p *Plan) FullHash() string { return hash(p.FullText()) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// FullText is the text that FullHash hashes: the lock of everything to which columns lead that are on; those that
// are off are reserved.
func (p *Plan) FullText() string {
	if p.isEmpty() {
		return ""
	}
	l := p.describe().Reached()
	l.Sort()
	return l.String()
}

// WireText is the text that WireHash hashes. Messages are numbered in the order in which columns lead to them from
// the root, columns in ascending order.
func (p *Plan) WireText() string {
	if p.isEmpty() {
		return ""
	}
	return p.describe().Reached().WireText()
}
