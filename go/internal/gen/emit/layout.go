package emit

import (
	"slices"
	"strings"

	"github.com/hotpb/hotpb/go/internal/gen/plan"
)

func IsClosed(field *plan.Field) bool { return field.Enum != nil && field.Enum.Closed }

// The kinds of a field and of its presence: the numbers of layout.go in go/pool.
const (
	LayoutMap            = 19
	LayoutVerifies       = 1 << 5
	LayoutList           = 1 << 6
	layoutClosed         = 1 << 7
	LayoutShowsInOneof   = 32
	LayoutShowsInPointer = 33
	LayoutShowsInLength  = 34
	LayoutShowsIn1       = 35
	LayoutShowsIn4       = 36
	LayoutShowsIn8       = 37
	LayoutRequired       = 1 << 6
	LayoutCompound       = 1 << 7
)

// kindNames are those of package wire, in the order of their numbers from 1 on.
var kindNames = strings.Fields("Int32 Int64 Uint32 Uint64 Sint32 Sint64 Fixed32 Fixed64 Sfixed32 Sfixed64 Float Double Bool String Bytes Enum Message Group")

// LayoutKind is the kind of an element or value.
func (f *File) LayoutKind(field *plan.Field) int {
	kind := slices.Index(kindNames, KindName(field)) + 1
	if field.Type == plan.TypeString && f.Verify(field) {
		kind |= LayoutVerifies
	}
	if IsClosed(field) {
		kind |= layoutClosed
	}
	return kind
}
