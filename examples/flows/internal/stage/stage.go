// Package stage fills columns from tables of the operator: what network an address belongs to, what an interface is called.
//
// The tables are CSV files whose first line names their columns; lines that start with # are comments. The table of
// prefixes has a column "prefix", that of interfaces "exporter" and "ifindex". Any other column X fills
//
//	src_X, dst_X     from the row of the longest prefix that has the flow's source or destination
//	in_if_X, out_if_X  from the row of the exporter and the interface the flow came in or went out by
//
// of the schema, those that it has and that are on. So one more enrichment is a column in the table and one in the schema.
// "as" of the prefixes goes where AS numbers are, whatever those columns are called: to elements 16 and 17. Addresses and
// interfaces are found by their elements, too.
//
// A field that is empty fills nothing. What the exporter has sent takes precedence over a table unless it is zero. For a
// column whose name ends in "!", as in "as!", the table takes precedence.
package stage

import (
	"net/netip"

	"github.com/gaissmai/bart"
)

// Files are where the tables are; "" where there is none.
type Files struct {
	Prefixes   string
	Interfaces string
}

// Tables have been read and checked. They do not change, and are safe for any number of goroutines.
type Tables struct {
	prefixes   *table
	byPrefix   *bart.Fast[uint32] // the row
	interfaces *table
	byPort     map[port]uint32
}

// port is an interface of an exporter.
type port struct {
	exporter netip.Addr
	index    uint64
}

// Load reads the tables. An error tells of all that is wrong, each part with file and line.
func Load(f Files) (*Tables, error) {
	t := &Tables{byPrefix: &bart.Fast[uint32]{}, byPort: map[port]uint32{}}
	if f.Prefixes != "" {
		r, err := open(f.Prefixes, "prefix")
		if err != nil {
			return nil, err
		}
		t.prefixes = r.rows(func(keys []string, row uint32) {
			prefix, err := parsePrefix(keys[0])
			if err != nil {
				r.wrong("%v", err)
			} else if first, twice := t.byPrefix.Get(prefix); twice {
				r.wrong("%v is in line %d, too", prefix, r.lines[first])
			} else {
				t.byPrefix.Insert(prefix, row)
			}
		})
		if err := r.err(); err != nil {
			return nil, err
		}
	}
	if f.Interfaces != "" {
		r, err := open(f.Interfaces, "exporter", "ifindex")
		if err != nil {
			return nil, err
		}
		t.interfaces = r.rows(func(keys []string, row uint32) {
			p, err := parsePort(keys[0], keys[1])
			if err != nil {
				r.wrong("%v", err)
			} else if first, twice := t.byPort[p]; twice {
				r.wrong("interface %d of %v is in line %d, too", p.index, p.exporter, r.lines[first])
			} else {
				t.byPort[p] = row
			}
		})
		if err := r.err(); err != nil {
			return nil, err
		}
	}
	return t, nil
}
