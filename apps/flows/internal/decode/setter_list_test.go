package decode

import (
	"math"

	"github.com/hotpb/hotpb/go/schema"
)

// adder adds a number of so many bytes to a list; nil if the column is no list of plain numbers.
func adder(s *schema.Schema, c *schema.Column) func(r *schema.Record, v uint64, n int) {
	if c.Logical != schema.Plain {
		return nil
	}
	if h, err := schema.Lookup[schema.UintList](s.Message, c.Name); err == nil {
		return func(r *schema.Record, v uint64, _ int) { r.AddUint(h, v) }
	}
	if h, err := schema.Lookup[schema.IntList](s.Message, c.Name); err == nil {
		return func(r *schema.Record, v uint64, n int) { r.AddInt(h, int64(v<<(64-8*n))>>(64-8*n)) }
	}
	if h, err := schema.Lookup[schema.BoolList](s.Message, c.Name); err == nil {
		return func(r *schema.Record, v uint64, _ int) { r.AddBool(h, v == 1) }
	}
	if h, err := schema.Lookup[schema.EnumList](s.Message, c.Name); err == nil {
		mask := c.Misfit == schema.Mask
		return func(r *schema.Record, v uint64, _ int) {
			if v <= math.MaxInt32 || mask {
				r.AddEnum(h, int32(v&math.MaxInt32))
			}
		}
	}
	if h, err := schema.Lookup[schema.FloatList](s.Message, c.Name); err == nil {
		return func(r *schema.Record, v uint64, n int) {
			switch n {
			case 4:
				r.AddFloat(h, float64(math.Float32frombits(uint32(v))))
			case 8:
				r.AddFloat(h, math.Float64frombits(v))
			}
		}
	}
	return nil
}
