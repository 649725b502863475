package migrate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The states of a migration.
const (
	Running = "running" // its first steps are done
	Done    = "done"
	Undoing = "undoing" // its last steps are undone
	Undone  = "undone"
)

// Migration is a plan that was begun.
type Migration struct {
	Plan
	State    string
	Finished int // how many steps are done, and not undone
	event    int
}

// History is the table in which the migrations of a target are: TARGET_migrations. It has a row for each event.
type History struct {
	Server  *Server
	Target  Ref
	Say     func(text string) // reports each step
	Convert map[string]string // expressions that replace those of a plan
}

func (h *History) table() Ref { return Ref{h.Target.Database, h.Target.Table + "_migrations"} }

const historyColumns = ` (
  id UInt32,
  event UInt32,
  time DateTime64(3, 'UTC') DEFAULT now64(3),
  state LowCardinality(String) COMMENT 'running, done, undoing, undone',
  steps UInt32 COMMENT 'steps that are done, and not undone',
  wire_hash String COMMENT 'of the schema',
  before String COMMENT 'hash of the columns before',
  after String COMMENT 'hash of the columns after the end',
  statements Array(String),
  undo Array(String) COMMENT 'statements that take them back, in the order of the statements',
  plan String,
  message String
)
ENGINE = MergeTree
ORDER BY (id, event)`

// row is a row of the table. Plan and statements are in the first of a migration only.
type row struct {
	ID         int      `json:"id"`
	Event      int      `json:"event"`
	State      string   `json:"state"`
	Steps      int      `json:"steps"`
	Wire       string   `json:"wire_hash"`
	Before     string   `json:"before"`
	After      string   `json:"after"`
	Statements []string `json:"statements"`
	Undo       []string `json:"undo"`
	Plan       string   `json:"plan"`
	Message    string   `json:"message"`
}

// Last returns the last migration that is not undone, nil if there is none, and the next number.
func (h *History) Last(ctx context.Context) (last *Migration, next int, err error) {
	exists, _, err := h.Server.marked(ctx, h.table(), "")
	if err != nil || !exists {
		return nil, 1, err
	}
	rows, err := Query[row](ctx, h.Server, "SELECT id, max(event) AS event, argMax(state, h.event) AS state, argMax(steps, h.event) AS steps, "+
		"anyIf(plan, h.event = 0) AS plan FROM "+h.table().String()+" AS h GROUP BY id ORDER BY id DESC")
	if err != nil {
		return nil, 0, err
	}
	next = 1
	for i, r := range rows {
		if i == 0 {
			next = r.ID + 1
		}
		if r.State == Undone {
			continue
		}
		m := &Migration{State: r.State, Finished: r.Steps, event: r.Event}
		if err := json.Unmarshal([]byte(r.Plan), &m.Plan); err != nil {
			return nil, 0, fmt.Errorf("the plan of migration %d in %s cannot be read: %w", r.ID, h.table(), err)
		}
		return m, next, nil
	}
	return nil, next, nil
}

// note records an event, also when the context has ended.
func (h *History) note(ctx context.Context, m *Migration, more func(*row)) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	r := row{ID: m.ID, Event: m.event, State: m.State, Steps: m.Finished, Wire: m.Wire, Before: m.Before, Statements: []string{}, Undo: []string{}}
	if more != nil {
		more(&r)
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	m.event++
	return h.Server.Exec(ctx, "INSERT INTO "+h.table().String()+" FORMAT JSONEachRow\n"+string(text))
}

// Apply begins a plan, and executes it to its end.
func (h *History) Apply(ctx context.Context, p *Plan) error {
	if p.unread != nil {
		return p.unread
	}
	for _, check := range p.Checks {
		h.Say(check.Why)
		if err := h.Server.Exec(ctx, check.SQL); err != nil {
			return fmt.Errorf("nothing has been changed, because there are values that do not fit "+
				"(--convert COLUMN=EXPRESSION says what becomes of them)\n%w", err)
		}
	}
	if err := h.Server.Exec(ctx, "CREATE TABLE IF NOT EXISTS "+h.table().String()+historyColumns); err != nil {
		return err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	m := &Migration{Plan: *p, State: Running}
	err = h.note(ctx, m, func(r *row) {
		r.Plan = string(text)
		for i := range p.Steps {
			r.Statements, r.Undo = append(r.Statements, p.Steps[i].text()), append(r.Undo, p.Steps[i].undoText())
		}
	})
	if err != nil {
		return err
	}
	return h.Continue(ctx, m)
}

// Continue executes the steps of a migration that are not done.
func (h *History) Continue(ctx context.Context, m *Migration) error {
	for i := range m.Plan.Steps {
		if c := m.Plan.Steps[i].Copy; c != nil {
			h.convert(c)
		}
	}
	all := len(m.Plan.Steps)
	for m.Finished < all {
		step := &m.Plan.Steps[m.Finished]
		h.Say(fmt.Sprintf("%d/%d %s", m.Finished+1, all, step.Why))
		if err := h.Server.run(ctx, step); err != nil {
			return h.stopped(ctx, m, fmt.Sprintf("migration %d stopped at step %d of %d, %s", m.ID, m.Finished+1, all, step.Why), err,
				"`flows clickhouse migrate apply` goes on with this step, `flows clickhouse migrate rollback` takes back what was done")
		}
		m.Finished++
		if err := h.note(ctx, m, nil); err != nil {
			return err
		}
	}
	return h.end(ctx, m, Done)
}

// Rollback takes back the steps of a migration, the last first. It may have been begun before.
func (h *History) Rollback(ctx context.Context, m *Migration) error {
	for i := range m.Plan.Steps {
		if e := m.Plan.Steps[i].Exchange; e != nil {
			h.convert(&e.Back)
		}
	}
	switch m.State {
	case Running:
		m.Finished = min(m.Finished+1, len(m.Plan.Steps)) // the next one may have been begun
	case Done:
		m.Finished = len(m.Plan.Steps)
	}
	m.State = Undoing
	if err := h.note(ctx, m, nil); err != nil {
		return err
	}
	for m.Finished > 0 {
		step := &m.Plan.Steps[m.Finished-1]
		if undo := step.undoText(); undo != "" {
			h.Say(fmt.Sprintf("%d/%d undo: %s", m.Finished, len(m.Plan.Steps), step.Why))
		}
		if err := h.Server.undo(ctx, step); err != nil {
			return h.stopped(ctx, m, fmt.Sprintf("the rollback of migration %d stopped at step %d, %s", m.ID, m.Finished, step.Why), err,
				"`flows clickhouse migrate rollback` goes on with this step")
		}
		m.Finished--
		if err := h.note(ctx, m, nil); err != nil {
			return err
		}
	}
	return h.end(ctx, m, Undone)
}

// stopped records an error, and returns it with the place and with how to go on.
func (h *History) stopped(ctx context.Context, m *Migration, where string, err error, advice string) error {
	err = fmt.Errorf("%s: %w\nThe topics that are not read meanwhile keep their messages. %s", where, err, advice)
	if unnoted := h.note(ctx, m, func(r *row) { r.Message = strings.TrimSpace(err.Error()) }); unnoted != nil {
		return fmt.Errorf("%w (and %s could not be written: %w)", err, h.table(), unnoted)
	}
	return err
}

func (h *History) end(ctx context.Context, m *Migration, state string) error {
	m.State = state
	columns, err := columnsOf(ctx, h.Server, h.Target)
	if err != nil {
		return err
	}
	return h.note(ctx, m, func(r *row) { r.After = hashOf(columns) })
}

// convert replaces expressions that turned out to be wrong for some values.
func (h *History) convert(c *Copy) {
	for column, expression := range h.Convert {
		if c.Convert[column] != "" {
			c.Convert[column] = expression
		}
	}
}
