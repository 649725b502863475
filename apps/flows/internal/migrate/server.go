// Package migrate changes the tables of a ClickHouse server that is in use until they are those of the schema: it
// compares, plans, applies, and takes back. Each plan is recorded in a table of the server, with its progress.
//
// It speaks ClickHouse's HTTP interface, with net/http: statements and a few small answers need no more, and the
// drivers would bring fifteen modules into the collector.
package migrate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Server is a ClickHouse server.
type Server struct {
	URL            string // of the HTTP interface
	User, Password string // "" for the server's default
	Database       string // "" for the user's default
	Client         *http.Client
}

// Error is what ClickHouse says of a statement.
type Error struct{ Statement, Reason string }

func (e *Error) Error() string {
	statement := e.Statement
	if len(statement) > maxReason {
		statement = statement[:maxReason] + " …"
	}
	return fmt.Sprintf("ClickHouse: %s\nThe statement was: %s", e.Reason, statement)
}

// The limits of what is read of an answer, and shown of a reason.
const (
	maxAnswer = 64 << 20
	maxReason = 2000
)

// settings make the server answer when all is done, and print as we read.
var settings = map[string]string{
	"wait_end_of_query": "1", "alter_sync": "2", "mutations_sync": "2", "max_execution_time": "0",
	"output_format_json_quote_64bit_integers": "0", "print_pretty_type_names": "0",
}

// Exec executes a statement to its end.
func (s *Server) Exec(ctx context.Context, statement string) error {
	_, err := s.post(ctx, statement)
	return err
}

// Query returns the rows of an answer.
func Query[Row any](ctx context.Context, s *Server, statement string) (rows []Row, err error) {
	text, err := s.post(ctx, statement)
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(text)); d.More(); {
		var row Row
		if err := d.Decode(&row); err != nil {
			return nil, fmt.Errorf("the answer of %s is not ClickHouse's: %w", s.URL, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *Server) post(ctx context.Context, statement string) ([]byte, error) {
	target, err := url.Parse(s.URL)
	if err != nil || target.Host == "" {
		return nil, fmt.Errorf("%q is no URL of ClickHouse's HTTP interface, such as http://localhost:8123", s.URL)
	}
	query := target.Query()
	for name, value := range settings {
		query.Set(name, value)
	}
	query.Set("default_format", "JSONEachRow")
	if s.Database != "" {
		query.Set("database", s.Database)
	}
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(statement))
	if err != nil {
		return nil, err
	}
	if s.User != "" {
		request.Header.Set("X-ClickHouse-User", s.User)
	}
	if s.Password != "" {
		request.Header.Set("X-ClickHouse-Key", s.Password)
	}
	client := s.Client
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		var sent *url.Error
		if errors.As(err, &sent) { // without the URL's parameters
			err = sent.Err
		}
		return nil, fmt.Errorf("ClickHouse does not answer at %s: %w (is this the address of its HTTP interface?)", s.URL, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("ClickHouse's answer broke off: %w", err)
	case answer.StatusCode != http.StatusOK || answer.Header.Get("X-ClickHouse-Exception-Code") != "":
		reason := strings.TrimSpace(string(text[:min(len(text), maxReason)]))
		if reason == "" {
			reason = answer.Status
		}
		return nil, &Error{statement, reason}
	case len(text) > maxAnswer:
		return nil, fmt.Errorf("ClickHouse's answer is longer than %d bytes: %.100s", maxAnswer, statement)
	}
	return text, nil
}

// identifier and literal quote for ClickHouse.
func identifier(name string) string { return "`" + escape(name, "`") + "`" }
func literal(text string) string    { return "'" + escape(text, "'") + "'" }

func escape(text, quote string) string {
	return strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(text)
}
