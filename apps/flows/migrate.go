package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"github.com/hotpb/hotpb/apps/flows/internal/clickhouse"
	"github.com/hotpb/hotpb/apps/flows/internal/migrate"
)

type databaseCommand struct {
	Migrate migrateCommands `cmd:"" help:"Make the tables of a ClickHouse server those of the schema."`
}

type migrateCommands struct {
	Plan     planCommand     `cmd:"" help:"Show what would be changed."`
	Apply    applyCommand    `cmd:"" help:"Change the tables, or go on with a migration that stopped."`
	Rollback rollbackCommand `cmd:"" help:"Take the last migration back."`
}

// serverOptions say where the server is, and what its tables are called.
type serverOptions struct {
	URL      string             `name:"clickhouse-url" help:"The server's HTTP interface." default:"http://localhost:8123" group:"ClickHouse"`
	User     string             `name:"clickhouse-user" help:"User; by default the server's default user." group:"ClickHouse"`
	Password string             `name:"clickhouse-password" help:"Password; better as FLOWS_CLICKHOUSE_PASSWORD." group:"ClickHouse"`
	CA       string             `name:"clickhouse-ca" help:"CA certificates that verify the server, instead of the system's." type:"path" placeholder:"FILE" group:"ClickHouse"`
	Options  clickhouse.Options `embed:"" prefix:"clickhouse-" group:"ClickHouse"`

	Convert map[string]string `help:"What becomes of a column's values in its new type, as an expression; by default a cast that fails for values that do not fit." placeholder:"COLUMN=EXPRESSION" mapsep:"none" group:"Migration"`
}

func (o *serverOptions) server() (*migrate.Server, error) {
	s := &migrate.Server{URL: o.URL, User: o.User, Password: o.Password, Database: o.Options.Database}
	if o.CA == "" {
		return s, nil
	}
	text, err := os.ReadFile(o.CA)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificates (they are in PEM)", o.CA)
	}
	s.Client = &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: pool}}}
	return s, nil
}

// open finds the migrations of the target so far.
func (o *serverOptions) open(ctx context.Context, w io.Writer) (h *migrate.History, last *migrate.Migration, next int, err error) {
	s, err := o.server()
	if err != nil {
		return nil, nil, 0, err
	}
	if o.Options.Database == "" {
		rows, err := migrate.Query[struct{ Name string }](ctx, s, "SELECT currentDatabase() AS Name")
		if err != nil {
			return nil, nil, 0, err
		}
		if len(rows) != 1 {
			return nil, nil, 0, fmt.Errorf("%s does not say which database is the current one: is it ClickHouse?", o.URL)
		}
		o.Options.Database = rows[0].Name
	}
	h = &migrate.History{
		Server: s, Target: migrate.Ref{Database: o.Options.Database, Table: o.Options.Table}, Convert: o.Convert,
		Say: func(text string) { fmt.Fprintln(w, text) },
	}
	last, next, err = h.Last(ctx)
	return h, last, next, err
}

type planCommand struct {
	schemaOptions
	lockOptions
	serverOptions
	KafkaTopic   string   `help:"Prefix of the topics' names, as for collect." default:"flows"`
	KafkaBrokers []string `help:"Brokers, as seen from ClickHouse." default:"localhost:9092"`
	Full         bool     `help:"Show whole statements." group:"Migration"`
	DropColumns  bool     `help:"Drop the columns that the schema does not have." group:"Migration"`
}

// plan returns what is to be done: the rest of a migration that stopped, if there is one, or a new plan.
func (c *planCommand) plan(ctx context.Context, w io.Writer) (*migrate.History, *migrate.Migration, *migrate.Plan, error) {
	l, err := c.layout()
	if err != nil {
		return nil, nil, nil, err
	}
	promised, err := c.promised(c.Schema)
	if err != nil {
		return nil, nil, nil, err
	}
	if promised != nil {
		if err := c.permit(promised.Check(l.Plan), l.Path, c.lockOf(c.Schema)); err != nil {
			return nil, nil, nil, err
		}
	}
	h, last, next, err := c.open(ctx, w)
	switch {
	case err != nil:
		return nil, nil, nil, err
	case last != nil && last.State == migrate.Undoing:
		return nil, nil, nil, fmt.Errorf("the rollback of migration %d has stopped: `flows clickhouse migrate rollback` goes on with it", last.ID)
	case last != nil && last.State == migrate.Running:
		fmt.Fprintf(w, "Migration %d has stopped after step %d of %d.\n", last.ID, last.Finished, len(last.Plan.Steps))
		return h, last, &last.Plan, nil
	}
	c.Options.Topic, c.Options.Brokers = c.KafkaTopic, c.KafkaBrokers
	x, err := clickhouse.New(l, c.Options)
	if err != nil {
		return nil, nil, nil, &fileError{l.Path, err}
	}
	p, err := migrate.New(ctx, h.Server, x, h.Target, next, migrate.Options{
		DropColumns: c.DropColumns, Convert: c.Convert, Folder: c.Options.Folder, Schema: c.Schema,
	})
	return h, nil, p, err
}

// Run shows the plan.
func (c *planCommand) Run(w io.Writer) error {
	_, _, p, err := c.plan(context.Background(), w)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, p.Text(c.Full))
	return err
}

type applyCommand struct {
	planCommand
	Yes bool `help:"Do not ask." group:"Migration"`
}

// Run applies the plan.
func (c *applyCommand) Run(w io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	h, stopped, p, err := c.plan(ctx, w)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, p.Text(c.Full)); err != nil || len(p.Steps) == 0 {
		return err
	}
	if err := confirm(w, "Apply it?", c.Yes); err != nil {
		return err
	}
	if stopped != nil {
		err = h.Continue(ctx, stopped)
	} else {
		err = h.Apply(ctx, p)
	}
	if err == nil {
		fmt.Fprintf(w, "Migration %d is done.\n", p.ID)
	}
	return err
}

type rollbackCommand struct {
	serverOptions
	Number int  `arg:"" optional:"" help:"The migration, which must be the last one; so the same command, again, takes back no other one."`
	Yes    bool `help:"Do not ask." group:"Migration"`
}

// Run takes the last migration back.
func (c *rollbackCommand) Run(w io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	h, last, next, err := c.open(ctx, w)
	switch {
	case err != nil:
		return err
	case c.Number > 0 && c.Number < next && (last == nil || c.Number > last.ID):
		_, err := fmt.Fprintf(w, "Migration %d was taken back before.\n", c.Number)
		return err
	case last == nil:
		return fmt.Errorf("there is no migration of %s to take back", h.Target)
	case c.Number > 0 && c.Number != last.ID:
		return fmt.Errorf("migration %d is not the last one, which is %d", c.Number, last.ID)
	case c.Number == 0 && c.Yes:
		return fmt.Errorf("--yes needs the number of the migration to take back; the last one is %d", last.ID)
	}
	if _, err := io.WriteString(w, last.UndoText()); err != nil {
		return err
	}
	if err := confirm(w, "Take it back?", c.Yes); err != nil {
		return err
	}
	if err := h.Rollback(ctx, last); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "Migration %d is taken back.\n", last.ID)
	return err
}

// confirm asks, unless the answer is known.
func confirm(w io.Writer, question string, yes bool) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return errors.New("nothing is changed without consent: --yes gives it where there is no terminal")
	}
	fmt.Fprintf(w, "%s [y/N] ", question)
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if strings.EqualFold(strings.TrimSpace(answer), "y") {
		return nil
	}
	return errors.Join(errors.New("nothing is changed"), err)
}
