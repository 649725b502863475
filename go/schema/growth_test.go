package schema_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hotpb/hotpb/go/internal/growth"
	"github.com/hotpb/hotpb/go/schema"
)

// SCH-100, FCE-2: time is in proportion to the descriptor set, and to the rows that are read, whatever is in them.
func TestWorkIsInProportionToDescriptorsAndRows(t *testing.T) {
	growth.Test(t, slices.Concat(imports(), rowReads(t)))
}

func imports() (works []growth.Work) {
	name := func(i int) string { return part(1, fmt.Sprintf("a%x", i)) }
	column := func(i int, more ...string) string {
		return part(2, name(i), numbered(3, i+20_000), numbered(4, 1), strings.Join(more, ""))
	}
	columns := func(n int, more ...string) string {
		return each(n, func(i int) string { return column(i, more...) })
	}
	message := func(parts ...string) string { return part(4, part(1, "M"), strings.Join(parts, "")) }
	for shape, file := range map[string]func(n int) string{
		"messages": func(n int) string { return message() + each(n, func(i int) string { return part(4, name(i)) }) },
		"messages in use": func(n int) string {
			return message(each(n, func(i int) string {
				return part(2, name(i), numbered(3, i+1), numbered(4, 1), numbered(5, 11), part(6, fmt.Sprintf(".a%x", i)))
			})) + each(n, func(i int) string { return part(4, name(i)) })
		},
		"nested messages": func(n int) string { return message(each(n, func(i int) string { return part(3, name(i)) })) },
		"columns":         func(n int) string { return message(columns(n, numbered(5, 3))) },
		"columns of none": func(n int) string { return message(columns(n, part(6, "x"))) },
		"columns again":   func(n int) string { return message(columns(n, numbered(3, 1), numbered(5, 3))) },
		"names again": func(n int) string {
			return message(each(n, func(i int) string { return part(2, part(1, "x"), numbered(3, i+1), numbered(4, 1), numbered(5, 3)) }))
		},
		"reserved columns": func(n int) string {
			return message(columns(n, numbered(5, 3)), strings.Repeat(part(9, numbered(1, 1), numbered(2, 1<<29)), n))
		},
		"reserved beside": func(n int) string {
			return message(columns(n, numbered(5, 3)), strings.Repeat(part(9, numbered(1, 1), numbered(2, 2)), n))
		},
		"reserved names": func(n int) string {
			return message(columns(n, numbered(5, 3)), each(n, func(i int) string { return part(10, fmt.Sprint("r", i)) }))
		},
		"values": func(n int) string {
			return message(part(2, part(1, "e"), numbered(3, 1), numbered(4, 1), numbered(5, 14), part(6, ".E"))) +
				part(5, part(1, "E"), each(n, func(i int) string { return part(2, name(i), numbered(2, i)) }))
		},
		"oneofs": func(n int) string {
			return message(each(n, func(i int) string { return column(i, numbered(5, 3), numbered(9, i)) }), each(n, func(i int) string { return part(8, part(1, fmt.Sprint("o", i))) }))
		},
		"a oneof of all": func(n int) string { return message(columns(n, numbered(5, 3), numbered(9, 0)), part(8, part(1, "o"))) },
	} {
		works = append(works, growth.Work{Name: "descriptors: " + shape, Prepare: func(n int) func() {
			fds := []byte(part(1, file(n)+part(12, "proto3")))
			return func() {
				s, err := schema.FromDescriptorSet(fds, "M")
				if err != nil {
					_ = err.Error()
					return
				}
				if plan, err := s.Compile(); err == nil {
					_ = plan.WireHash()
					_, _ = plan.Proto()
					_, _ = plan.FileDescriptorSet()
				}
			}
		}})
	}
	return works
}

// rowReads reads rows of the descriptor of proto2's messages of the tests.
func rowReads(t *testing.T) (works []growth.Work) {
	plan := importPlan(t, "vectors", "hotpb.vectors.p2.All")
	for shape, input := range growth.Shapes {
		works = append(works, growth.Work{Name: "rows: " + shape, Prepare: func(n int) func() {
			b := input(n)
			damaged := growth.Damaged(slices.Clone(b))
			row := plan.NewRow()
			return func() {
				if row.Unmarshal(b) == nil {
					_ = row.Append(nil)
					for range row.Unknown() {
					}
				}
				_ = row.UnmarshalAlias(damaged)
				_ = plan.Visit(b, nothing{})
			}
		}})
	}
	return works
}

// nothing visits everything.
type nothing struct{}

func (nothing) Value(schema.Handle, schema.Value) {}
func (nothing) Begin(schema.Handle) bool          { return true }
func (nothing) End(schema.Handle)                 {}
func (nothing) Unknown([]byte)                    {}
