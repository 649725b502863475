package stage

import (
	"strings"

	"github.com/hotpb/hotpb/apps/flows/internal/mmdb"
)

// database is an MMDB, and the values of it that fill columns.
type database struct {
	*mmdb.Database
	file    string
	read    stamp
	columns []databaseColumn
	counts  *sourceCounts
}

// databaseColumn is a value of the records.
type databaseColumn struct {
	supply
	text string
	path mmdb.Path
	line int
}

// openDatabases opens the databases of the configuration.
func (c *config) openDatabases(s *Stats) (all []*database, err error) {
	for i := range c.MMDB {
		section := &c.MMDB[i]
		pairs, err := c.fills(section.File, &section.Columns, "a database below mmdb", "country: country.iso_code")
		if err != nil {
			return nil, err
		}
		d := &database{file: c.file(section.File)}
		d.read = stampOf(d.file)
		for _, before := range s.tables().databases {
			if before.read == d.read && d.read.path != "" {
				d.Database = before.Database
			}
		}
		if d.Database == nil {
			if d.Database, err = mmdb.Open(d.file); err != nil {
				return nil, c.wrong(section.File.line, "%w", err)
			}
		}
		for _, p := range pairs {
			column := databaseColumn{supply: supplied(p.key, d.file), text: p.value, line: p.line}
			if column.path, err = mmdb.ParsePath(p.value); err != nil {
				return nil, c.wrong(p.line, "column %s: %w", p.key, err)
			}
			d.columns = append(d.columns, column)
		}
		d.counts = s.source(d.file)
		d.counts.data.Store(d.Built().Unix())
		all = append(all, d)
	}
	return all, nil
}

// bind binds the database to the columns of a group. It returns nil if it fills none of them.
func (d *database) bind(g *group, c *config) finder {
	f := &records{database: d, known: newCache[[]slotted](cachedRecords)}
	for _, column := range d.columns {
		targets := g.targets(column.supply)
		if len(targets) == 0 {
			continue
		}
		sample, err := d.Sample(column.path)
		for _, t := range targets {
			if err == nil {
				if _, wrong := t.parse(sample); wrong != nil {
					err = t.misfit(sample, wrong)
				}
			}
		}
		if err != nil {
			g.problems = append(g.problems, c.wrong(column.line, "column %s, path %s: %w", column.name, column.text, err))
			continue
		}
		f.columns = append(f.columns, boundColumn{column.path, targets})
	}
	if len(f.columns) == 0 {
		return nil
	}
	return f
}

// records finds values in a database.
type records struct {
	*database
	columns []boundColumn
	known   *cache[[]slotted]
}

type boundColumn struct {
	path    mmdb.Path
	targets []*target
}

// slotted is a value for a slot.
type slotted struct {
	slot  int
	value value
}

// cachedRecords is the number of records whose values are kept for each end: far fewer than networks.
const cachedRecords = 1 << 14

func (f *records) find(d draft, q question) (same bool) {
	f.counts.lookups.Add(1)
	at, bits, found, err := f.Find(q.address)
	if err != nil {
		f.counts.fail(err)
		return false
	}
	if found {
		f.counts.found.Add(1)
		k := key{low: uint64(at)}
		values := f.known.get(k)
		if values == nil {
			values = f.known.put(k, f.read(at))
		}
		for _, v := range *values {
			d.put(v.slot, v.value)
		}
	}
	return bits <= q.block.Bits()
}

// read reads the values of a record. What does not fit is counted and left out.
func (f *records) read(at mmdb.Record) (list []slotted) {
	for _, c := range f.columns {
		text, ok, err := f.Text(at, c.path)
		if err != nil {
			f.counts.fail(err)
		}
		if err != nil || !ok {
			continue
		}
		text = strings.Clone(text)
		for _, t := range c.targets {
			v, err := t.parse(text)
			if err != nil {
				f.counts.fail(t.misfit(text, err))
				continue
			}
			list = append(list, slotted{t.slot, v})
		}
	}
	return list
}
