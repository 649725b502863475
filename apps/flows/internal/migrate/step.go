package migrate

// Plan lists the steps of a migration. It is recorded in the server as JSON, so that a later run goes on with the same plan.
type Plan struct {
	ID     int
	Table  Ref      // the target
	Before string   // hash of the target's columns; "" if there is no target yet
	Wire   string   // wire hash of the schema
	Notes  []string // what the plan leaves as it is
	Checks []Step   // change nothing; executed before anything else
	Steps  []Step
	unread error // the server cannot read the topic's schema
}

// Step is one statement, or one of the procedures below. Each can be executed again.
type Step struct {
	Why  string // for people
	SQL  string `json:",omitempty"`
	Undo string `json:",omitempty"` // the statement that takes it back; "" if nothing has to be

	Like     *Like     `json:",omitempty"`
	Copy     *Copy     `json:",omitempty"`
	Exchange *Exchange `json:",omitempty"`
}

// Like creates a table like another one, with columns of other types.
type Like struct {
	From, To Ref
	Columns  map[string]string // name: declaration
	Mark     string            // comment
}

// Copy copies rows, partition by partition. Partitions with as many rows on both sides are done.
type Copy struct {
	From, To Ref
	Convert  map[string]string // column: expression; other columns as they are
}

// Exchange exchanges the names of two tables. The mark in a table's comment says which of them is the new one, so
// that a second execution does not exchange them again.
type Exchange struct {
	Table, Other Ref
	Mark         string
	Back         Copy // before they are exchanged again: rows that came since
}

// text is a step as people read it.
func (s *Step) text() string {
	switch {
	case s.Like != nil:
		return "CREATE TABLE " + s.Like.To.String() + " AS " + s.Like.From.String() + ", with the new types"
	case s.Copy != nil:
		return "INSERT INTO " + s.Copy.To.String() + " SELECT * REPLACE (" + conversions(s.Copy.Convert) + ") FROM " +
			s.Copy.From.String() + ", by partition"
	case s.Exchange != nil:
		return "EXCHANGE TABLES " + s.Exchange.Table.String() + " AND " + s.Exchange.Other.String()
	}
	return s.SQL
}

// undoText is what takes a step back; "" if nothing has to be.
func (s *Step) undoText() string {
	switch {
	case s.Like != nil:
		return "DROP TABLE " + s.Like.To.String()
	case s.Exchange != nil:
		return "INSERT INTO " + s.Exchange.Other.String() + " SELECT … FROM " + s.Exchange.Table.String() + ", of changed partitions; EXCHANGE TABLES " +
			s.Exchange.Table.String() + " AND " + s.Exchange.Other.String()
	}
	return s.Undo
}

// Ref is a table of a database.
type Ref struct{ Database, Table string }

// String names the table in statements.
func (r Ref) String() string { return identifier(r.Database) + "." + identifier(r.Table) }

// in is the condition for the table in tables of system, where the column has its name.
func (r Ref) in(column string) string {
	return "database = " + literal(r.Database) + " AND " + column + " = " + literal(r.Table)
}
