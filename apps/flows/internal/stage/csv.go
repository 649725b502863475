package stage

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// The limits: a full table of the Internet's routes with some columns is well within them.
const (
	maxBytes    = 256 << 20
	maxRows     = 4 << 20
	maxColumns  = 100
	maxProblems = 10 // errors that are reported
)

// table has the columns of a file apart from those by which its rows are found.
type table struct {
	path    string
	columns []column
}

// column has each different value once. There are far fewer values than rows, and each is parsed only once per
// schema.
type column struct {
	name     string
	override bool     // of the value that the exporter has sent
	ids      []uint32 // by row: index in values
	values   []string // the first is "", which means no value
	lines    []int    // by value: the line where it was first
}

// reader reads one file.
type reader struct {
	path     string
	csv      *csv.Reader
	file     *os.File
	keys     []int // of the fields
	columns  []column
	fields   []int // by column
	lines    []int // by row
	line     int
	problems []error
}

// open reads the first line of a file, which must name the columns keys.
func open(path string, keys ...string) (*reader, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	r := &reader{path: path, file: file, line: 1}
	if info, err := file.Stat(); err == nil && info.Size() > maxBytes {
		file.Close()
		return nil, fmt.Errorf("%s: has %d bytes; at most %d are allowed", path, info.Size(), maxBytes)
	}
	buffered := bufio.NewReaderSize(io.LimitReader(file, maxBytes), 1<<16)
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) { // spreadsheets write it
		_, _ = buffered.Discard(3)
	}
	r.csv = csv.NewReader(buffered)
	r.csv.Comment = '#'
	r.csv.ReuseRecord = true
	r.head(keys)
	if err := errors.Join(r.problems...); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func (r *reader) head(keys []string) {
	names, err := r.csv.Read()
	if err != nil {
		if err == io.EOF {
			err = fmt.Errorf("is empty; its first line must name the columns %s", strings.Join(keys, ", "))
		}
		r.failed(err)
		return
	}
	r.line, _ = r.csv.FieldPos(0)
	if len(names) > maxColumns {
		r.wrong("has %d columns; at most %d are allowed", len(names), maxColumns)
		return
	}
	r.keys = make([]int, len(keys))
	seen := map[string]bool{}
	for i, field := range names {
		field = strings.TrimSpace(field)
		name, override := strings.CutSuffix(field, "!")
		if seen[name] {
			r.wrong("there are two columns %s", name)
		}
		seen[name] = true
		if at := slices.Index(keys, field); at >= 0 {
			r.keys[at] = i
			continue
		}
		if !isName(name) {
			r.wrong("column %d is called %q: names have letters, digits and _", i+1, field)
		}
		r.columns = append(r.columns, column{name: name, override: override, values: []string{""}, lines: []int{0}})
		r.fields = append(r.fields, i)
	}
	for _, key := range keys {
		if !seen[key] {
			r.wrong("there is no column %s; the first line must name %s", key, strings.Join(keys, " and "))
		}
	}
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// rows reads the rows, and passes the keys of each to a function.
func (r *reader) rows(add func(keys []string, row uint32)) *table {
	defer r.file.Close()
	keys := make([]string, len(r.keys))
	known := make([]map[string]uint32, len(r.columns))
	for i := range known {
		known[i] = map[string]uint32{"": 0}
	}
	for row := uint32(0); len(r.problems) < maxProblems; row++ {
		fields, err := r.csv.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			r.failed(err)
			break
		}
		r.line, _ = r.csv.FieldPos(0)
		if row == maxRows {
			r.wrong("there are more than %d rows", maxRows)
			break
		}
		for i, field := range r.keys {
			keys[i] = strings.TrimSpace(fields[field])
		}
		for i := range r.columns {
			c, value := &r.columns[i], strings.TrimSpace(fields[r.fields[i]])
			id, ok := known[i][value]
			if !ok {
				value = strings.Clone(value) // so that the line that it is a part of can be freed
				id = uint32(len(c.values))
				known[i][value] = id
				c.values, c.lines = append(c.values, value), append(c.lines, r.line)
			}
			c.ids = append(c.ids, id)
		}
		r.lines = append(r.lines, r.line)
		add(keys, row)
	}
	return &table{r.path, r.columns}
}

// wrong records an error in the current line.
func (r *reader) wrong(format string, a ...any) {
	r.problems = append(r.problems, fmt.Errorf("%s:%d: %s", r.path, r.line, fmt.Sprintf(format, a...)))
}

// failed records an error of the CSV reader, which knows its line itself.
func (r *reader) failed(err error) {
	var place *csv.ParseError
	if errors.As(err, &place) {
		r.line, err = place.Line, place.Err
	}
	r.wrong("%v", err)
}

func (r *reader) err() error { return errors.Join(r.problems[:min(len(r.problems), maxProblems)]...) }
