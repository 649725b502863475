package pool_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/hotpb/hotpb/go/internal/growth"
	coldSorted3 "github.com/hotpb/hotpb/go/internal/testgen/cold/sorted_p3/sorted_p3hot"
	"github.com/hotpb/hotpb/go/pool"
)

// FCE-2: time is in proportion to the input, whatever it is, damaged or not.
func TestWorkIsInProportionToInput(t *testing.T) {
	var works []growth.Work
	for shape, input := range growth.Shapes {
		for tier, create := range map[string]func() message{
			"hot": allHot["hotpb.vectors.p2.All"], "cold": allCold["hotpb.vectors.p2.All"],
			"proto3, sorted maps": coldSorted["hotpb.vectors.p3.All"],
		} {
			works = append(works, growth.Work{Name: shape + ", " + tier, Prepare: func(n int) func() {
				b := input(n)
				damaged := growth.Damaged(slices.Clone(b))
				m, alias := create(), create()
				return func() {
					if m.Unmarshal(b) == nil && alias.UnmarshalAlias(b) == nil {
						_, _ = m.MarshalWith(nil, pool.MarshalOptions{AllowPartial: true})
						_, _ = m.AppendCanonicalHot(nil)
						_ = m.EqualAnyHot(alias)
						_ = m.CloneAnyHot()
						for unknowns := m.UnknownFields(); unknowns.Next(); {
						}
					}
					_ = m.Unmarshal(damaged)
				}
			}})
		}
	}
	for _, by := range []string{"rising", "falling"} {
		works = append(works, growth.Work{Name: "sorted maps by " + by + " keys", Prepare: func(n int) func() {
			var m coldSorted3.All
			keys := make([]string, n)
			for i := range keys {
				if keys[i] = fmt.Sprintf("%08d", i); by == "falling" {
					keys[i] = fmt.Sprintf("%08d", n-i)
				}
			}
			b := growth.Shapes["a map by falling keys"](n)
			return func() {
				if m.Unmarshal(b) != nil {
					return
				}
				for i, key := range keys {
					if value, has := m.KeyString.Get(key); has {
						sum += len(value)
					}
					number, _ := m.KeyInt32.Get(int32(i))
					sum += int(number)
				}
			}
		}})
	}
	growth.Test(t, works)
}

var sum int
