package migrate

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// run executes a step.
func (s *Server) run(ctx context.Context, step *Step) error {
	switch {
	case step.Like != nil:
		return s.like(ctx, step.Like)
	case step.Copy != nil:
		return s.copy(ctx, step.Copy)
	case step.Exchange != nil:
		return s.exchange(ctx, step.Exchange)
	}
	return s.Exec(ctx, step.SQL)
}

// undo takes a step back, whether or not it was executed to its end.
func (s *Server) undo(ctx context.Context, step *Step) error {
	switch {
	case step.Like != nil:
		return s.Exec(ctx, "DROP TABLE IF EXISTS "+step.Like.To.String()+" SYNC")
	case step.Copy != nil || step.Exchange == nil && step.Undo == "":
		return nil
	case step.Exchange != nil:
		return s.exchangeBack(ctx, step.Exchange)
	}
	return s.Exec(ctx, step.Undo)
}

// like creates a table from the statement that would create the other one. ClickHouse prints it with one column in a line.
func (s *Server) like(ctx context.Context, l *Like) error {
	type row struct{ Create string }
	rows, err := Query[row](ctx, s, "SELECT formatQuery(create_table_query) AS Create FROM system.tables WHERE "+l.From.in("name"))
	if err != nil {
		return err
	}
	if len(rows) != 1 {
		return fmt.Errorf("%s does not exist", l.From)
	}
	lines := strings.Split(rows[0].Create, "\n")
	found := 0
	for i, line := range lines {
		line = strings.TrimSpace(line)
		for name, declared := range l.Columns {
			if strings.HasPrefix(line, identifier(name)+" ") {
				if strings.Contains(line, " TTL ") {
					return fmt.Errorf("column %s of %s has a TTL of its own, which would be lost: remove it before, and add it again later", name, l.From)
				}
				lines[i] = declared
				if strings.HasSuffix(line, ",") {
					lines[i] += ","
				}
				found++
			}
		}
	}
	if found != len(l.Columns) || !strings.HasPrefix(lines[0], "CREATE TABLE ") {
		return fmt.Errorf("the statement that creates %s is not as expected, so its columns cannot be changed in it:\n%s", l.From, rows[0].Create)
	}
	lines[0] = "CREATE TABLE IF NOT EXISTS " + l.To.String()
	if i := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, "COMMENT ") }); i >= 0 {
		lines = slices.Delete(lines, i, i+1) // after the columns, of the table
	}
	return s.Exec(ctx, strings.Join(lines, "\n")+"\nCOMMENT "+literal(l.Mark))
}

// rounds is how often partitions are copied that have changed meanwhile: rows expire, and others may arrive.
const rounds = 3

// copy makes the rows of a table those of another one. It is the only writer of that table.
func (s *Server) copy(ctx context.Context, c *Copy) error {
	for round := 0; ; round++ {
		from, err := s.partitions(ctx, c.From)
		if err != nil {
			return err
		}
		to, err := s.partitions(ctx, c.To)
		if err != nil {
			return err
		}
		differ := difference(from, to)
		if len(differ) == 0 {
			return nil
		}
		if round == rounds {
			return fmt.Errorf("rows of %s still change in %d partitions, such as %s: stop what else fills it", c.From, len(differ), differ[0])
		}
		for _, id := range differ {
			if err := s.copyPartition(ctx, c, id, from[id] > 0, to[id] > 0); err != nil {
				return err
			}
		}
	}
}

// partitions counts the rows of each partition.
func (s *Server) partitions(ctx context.Context, table Ref) (map[string]uint64, error) {
	type row struct {
		ID   string
		Rows uint64
	}
	rows, err := Query[row](ctx, s, "SELECT _partition_id AS ID, count() AS Rows FROM "+table.String()+" GROUP BY ID")
	all := map[string]uint64{}
	for _, r := range rows {
		all[r.ID] = r.Rows
	}
	return all, err
}

// difference returns the partitions that have not as many rows on both sides, in order.
func difference(from, to map[string]uint64) (ids []string) {
	for id, n := range from {
		if to[id] != n {
			ids = append(ids, id)
		}
	}
	for id := range to {
		if _, has := from[id]; !has {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (s *Server) copyPartition(ctx context.Context, c *Copy, id string, source, rest bool) error {
	if rest { // of an earlier attempt, or from before rows came
		if err := s.Exec(ctx, "ALTER TABLE "+c.To.String()+" DROP PARTITION ID "+literal(id)); err != nil {
			return err
		}
	}
	if !source {
		return nil
	}
	columns, err := s.stored(ctx, c.To)
	if err != nil {
		return err
	}
	var names, values []string
	for _, name := range columns {
		names = append(names, identifier(name))
		if convert := c.Convert[name]; convert != "" {
			values = append(values, convert)
		} else {
			values = append(values, identifier(name))
		}
	}
	return s.Exec(ctx, "INSERT INTO "+c.To.String()+" ("+strings.Join(names, ", ")+") SELECT "+strings.Join(values, ", ")+" FROM "+c.From.String()+
		" WHERE _partition_id = "+literal(id)+" SETTINGS insert_deduplicate = 0")
}

// stored returns the columns of a table that are stored and can be inserted.
func (s *Server) stored(ctx context.Context, table Ref) (names []string, err error) {
	type row struct{ Name string }
	rows, err := Query[row](ctx, s, "SELECT name AS Name FROM system.columns WHERE "+table.in("table")+
		" AND default_kind IN ('', 'DEFAULT') ORDER BY position")
	for _, r := range rows {
		names = append(names, r.Name)
	}
	return names, err
}

// marked reports whether a table exists, and whether it has a comment.
func (s *Server) marked(ctx context.Context, table Ref, mark string) (exists, marked bool, err error) {
	type row struct{ Comment string }
	rows, err := Query[row](ctx, s, "SELECT comment AS Comment FROM system.tables WHERE "+table.in("name"))
	return len(rows) > 0, len(rows) > 0 && rows[0].Comment == mark, err
}

func (s *Server) exchange(ctx context.Context, e *Exchange) error {
	if _, done, err := s.marked(ctx, e.Table, e.Mark); err != nil || done {
		return err
	}
	return s.Exec(ctx, "EXCHANGE TABLES "+e.Table.String()+" AND "+e.Other.String())
}

// exchangeBack first copies the rows that have come since the exchange, and converts them.
func (s *Server) exchangeBack(ctx context.Context, e *Exchange) error {
	_, exchanged, err := s.marked(ctx, e.Table, e.Mark)
	if err != nil || !exchanged {
		return err
	}
	exists, _, err := s.marked(ctx, e.Other, "")
	if err != nil {
		return err
	}
	if !exists {
		return fmt.Errorf("%s does not exist any more, and a rollback needs its rows", e.Other)
	}
	if err := s.copy(ctx, &e.Back); err != nil {
		return err
	}
	return s.Exec(ctx, "EXCHANGE TABLES "+e.Table.String()+" AND "+e.Other.String())
}
