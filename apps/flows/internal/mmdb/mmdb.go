// Package mmdb finds values in databases of MaxMind's format (MMDB), such as GeoLite2: countries, places, AS numbers.
package mmdb

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/oschwald/maxminddb-golang/v2"
)

// The limits: databases with all cities have some 120 MB.
const (
	maxBytes  = 1 << 30
	maxSearch = 1 << 20 // networks that are searched for a value when a path is checked
)

// Database is immutable, and safe for any number of goroutines. It is in memory: whatever happens to the file, the
// database stays as it was read.
type Database struct {
	file   string
	reader *maxminddb.Reader
}

// Open reads a file.
func Open(file string) (*Database, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: has more than %d bytes", file, maxBytes)
	}
	r, err := maxminddb.OpenBytes(text)
	if err != nil {
		return nil, fmt.Errorf("%s: is not a MaxMind database: %w", file, err)
	}
	return &Database{file, r}, nil
}

// Built is when the database was built.
func (d *Database) Built() time.Time { return d.reader.Metadata.BuildTime() }

// Path is the way to a value in a record: keys of maps, and numbers in lists.
type Path []any

// ParsePath reads a path such as country.iso_code or subdivisions.0.iso_code.
func ParsePath(text string) (p Path, err error) {
	for part := range strings.SplitSeq(text, ".") {
		if part == "" {
			return nil, fmt.Errorf("%q is not a path such as country.iso_code", text)
		}
		if n, err := strconv.Atoi(part); err == nil {
			p = append(p, n)
		} else {
			p = append(p, part)
		}
	}
	return p, nil
}

// Record is the place of a record in the database. Different networks may share one.
type Record uintptr

// Find finds the record of an address, and the length of the prefix that has the same record. Without a record, found
// is false, and bits is the length of the prefix that has none.
func (d *Database) Find(a netip.Addr) (at Record, bits int, found bool, err error) {
	if a.Is6() && d.reader.Metadata.IPVersion == 4 {
		return 0, 0, false, nil
	}
	r := d.reader.Lookup(a)
	if err := r.Err(); err != nil {
		return 0, a.BitLen(), false, err
	}
	if !r.Found() {
		return 0, length(r.Prefix(), a), false, nil
	}
	return Record(r.Offset()), length(r.Prefix(), a), true, nil
}

// length is the length of a prefix in the family of an address.
func length(p netip.Prefix, a netip.Addr) int {
	if a.Is4() && !p.Addr().Is4() {
		return max(0, p.Bits()-96)
	}
	return p.Bits()
}

// Text is the value at a path of a record, as text; ok is false if there is none.
func (d *Database) Text(at Record, p Path) (text string, ok bool, err error) {
	return textOf(d.reader.LookupOffset(uintptr(at)), p)
}

func textOf(r maxminddb.Result, p Path) (text string, ok bool, err error) {
	var v any
	if err := r.DecodePath(&v, p...); err != nil {
		return "", false, err
	}
	switch v := v.(type) {
	case nil:
		return "", false, nil
	case string:
		return v, v != "", nil
	case bool, uint16, uint32, uint64, int32, int, float32, float64, *big.Int:
		return fmt.Sprint(v), true, nil
	case map[string]any, []any:
		return "", false, errors.New("it is not a single value, but has several; name one of them")
	}
	return "", false, fmt.Errorf("it is of type %T", v)
}

// Sample returns the first value at a path. It is an error if there is none in the first million networks: the path
// is probably misspelt.
func (d *Database) Sample(p Path) (string, error) {
	n, seen := 0, map[string]bool{}
	for r := range d.reader.Networks() {
		if n++; n > maxSearch {
			break
		}
		if err := r.Err(); err != nil {
			return "", fmt.Errorf("%s: %w", d.file, err)
		}
		text, ok, err := textOf(r, p)
		if err != nil {
			return "", fmt.Errorf("%s: %w", d.file, err)
		}
		if ok {
			return text, nil
		}
		if len(seen) < maxPaths {
			var v any
			if r.Decode(&v) == nil {
				paths("", v, seen)
			}
		}
	}
	all := make([]string, 0, len(seen))
	for path := range seen {
		all = append(all, path)
	}
	slices.Sort(all)
	return "", fmt.Errorf("none of the first %d networks of %s has it; they have %s", min(n, maxSearch), d.file, strings.Join(all, ", "))
}

// maxPaths is the number of paths that an error lists.
const maxPaths = 20

// paths adds the paths to the values of v.
func paths(to string, v any, seen map[string]bool) {
	sub := func(part string, v any) {
		if to != "" {
			part = to + "." + part
		}
		paths(part, v, seen)
	}
	switch v := v.(type) {
	case map[string]any:
		for k, v := range v {
			sub(k, v)
		}
	case []any:
		for i, v := range v {
			sub(strconv.Itoa(i), v)
		}
	default:
		if len(seen) < maxPaths {
			seen[to] = true
		}
	}
}
