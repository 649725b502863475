// Package stage fills columns from tables of the operator: which network an address belongs to, what an interface
// is called.
//
// The tables are CSV files whose first line names their columns. Lines that start with # are comments. The table
// of prefixes has a column "prefix", that of interfaces "exporter" and "ifindex". Any other column X fills these
// columns of the schema, if the schema has them and they are on:
//
//	src_X, dst_X     from the row of the longest prefix that has the flow's source or destination
//	in_if_X, out_if_X  from the row of the exporter and the interface through which the flow came in or went out
//
// So one more enrichment is a column in the table and one in the schema. The column "as" of the prefixes fills the
// columns of AS numbers, elements 16 and 17, whatever their names are. Addresses and interfaces are found by their
// elements, too.
//
// An empty field fills nothing. A value from the exporter takes precedence over a table unless it is zero. For a
// column whose name ends in "!", as in "as!", the table takes precedence.
package stage

import (
	"net/netip"

	"github.com/gaissmai/bart"
)

// Files are the paths of the tables; "" for a table that does not exist.
type Files struct {
	Prefixes   string
	Interfaces string
}

// Tables have been read and checked. They do not change, and any number of goroutines may use them.
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

// Load reads the tables. An error lists all faults, each with file and line.
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
				r.wrong("%v is also in line %d", prefix, r.lines[first])
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
				r.wrong("interface %d of %v is also in line %d", p.index, p.exporter, r.lines[first])
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
