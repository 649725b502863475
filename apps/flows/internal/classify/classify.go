// Package classify derives values from what is known of an exporter or of an interface, by the operator's rules.
// Conditions and values are expressions of github.com/expr-lang/expr.
//
// Evaluation is bounded: expressions have a limited number of nodes and no loops, and regular expressions take
// linear time.
package classify

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// Exporter is what the rules for exporters see. What is not known is empty.
type Exporter struct {
	Address     string            `expr:"address"`
	Name        string            `expr:"name"`
	Description string            `expr:"description"`
	Location    string            `expr:"location"`
	Table       map[string]string `expr:"table"` // the row of the table, by column
}

// Interface is what the rules for interfaces see.
type Interface struct {
	Exporter    Exporter          `expr:"exporter"`
	Index       int               `expr:"index"`
	Name        string            `expr:"name"`
	Description string            `expr:"description"`
	Speed       int               `expr:"speed"` // bits per second
	Table       map[string]string `expr:"table"`
}

// Source is a rule as the operator wrote it.
type Source struct {
	Name    string     // of the rule in errors and metrics: where it is
	When    Expression // empty for always
	Set     []Value    // constants
	Compute []Value    // expressions
}

// Expression is an expression, and where it is.
type Expression struct {
	Text string
	At   string // FILE:LINE, for errors
}

// Value is what a column is set to.
type Value struct {
	Column string
	Expression
}

// The bounds.
const (
	maxNodes  = 1000 // of an expression
	maxMemory = 10_000
	MaxRules  = 1000
	maxText   = 1024 // bytes of a value
)

// Rules are compiled. Any number of goroutines may use them.
type Rules struct {
	rules    []rule
	patterns *patterns
}

type rule struct {
	when   *vm.Program // nil for always
	values []value
}

// value is a constant, or a program.
type value struct {
	text    string
	program *vm.Program
}

// Compile compiles rules that see env, an Exporter or an Interface. Its errors have the places.
func Compile(sources []Source, env any) (*Rules, error) {
	if len(sources) > MaxRules {
		return nil, fmt.Errorf("there are %d rules; at most %d are allowed", len(sources), MaxRules)
	}
	r := &Rules{patterns: newPatterns()}
	options := append(builtins(), expr.Env(env), expr.MaxNodes(maxNodes))
	options = append(options, r.patterns.functions()...)
	compile := func(e Expression, subject string, more ...expr.Option) (*vm.Program, error) {
		checks := &checker{patterns: r.patterns}
		p, err := expr.Compile(e.Text, append(append(more, options...), expr.Patch(checks))...)
		if err = errors.Join(err, checks.err); err != nil {
			return nil, explain(e, subject, err)
		}
		return p, nil
	}
	var problems []error
	for _, s := range sources {
		var made rule
		var err error
		if s.When.Text != "" {
			if made.when, err = compile(s.When, "when", expr.AsBool()); err != nil {
				problems = append(problems, err)
			}
		}
		for _, v := range s.Set {
			made.values = append(made.values, value{text: v.Text})
		}
		for _, v := range s.Compute {
			p, err := compile(v.Expression, "column "+v.Column, expr.AsAny())
			if err != nil {
				problems = append(problems, err)
			}
			made.values = append(made.values, value{program: p})
		}
		r.rules = append(r.rules, made)
	}
	return r, errors.Join(problems...)
}

// explain words an error of the compiler as FILE:LINE: WHAT, column N: REASON.
func explain(e Expression, subject string, err error) error {
	var place *file.Error
	if errors.As(err, &place) {
		return fmt.Errorf("%s: %s: %s, at character %d of %s", e.At, subject, place.Message, place.Column+1, e.Text)
	}
	return fmt.Errorf("%s: %s: %w", e.At, subject, err)
}

// builtins allows those functions that have no loops and whose results cannot grow beyond their arguments.
func builtins() []expr.Option {
	list := []expr.Option{expr.DisableAllBuiltins()}
	for _, name := range []string{
		"len", "trim", "trimPrefix", "trimSuffix", "upper", "lower", "split", "indexOf", "lastIndexOf", "hasPrefix", "hasSuffix",
		"int", "float", "string", "abs", "min", "max", "first", "last",
	} {
		list = append(list, expr.EnableBuiltin(name))
	}
	return list
}

// Result receives what the rules say.
type Result interface {
	Matched(rule int)                       // the rule's condition holds
	Set(rule, value int, text string)       // by the number of the value: first those of Set, then those of Compute
	Failed(rule int, column int, err error) // column is -1 for the condition
}

// Run evaluates all rules for env, an Exporter or an Interface.
func (r *Rules) Run(env any, to Result) {
	for i := range r.rules {
		rule := &r.rules[i]
		if rule.when != nil {
			held, err := run(rule.when, env)
			if err != nil {
				to.Failed(i, -1, err)
				continue
			}
			if held != true {
				continue
			}
		}
		to.Matched(i)
		for n, v := range rule.values {
			text := v.text
			if v.program != nil {
				result, err := run(v.program, env)
				if err == nil {
					text, err = textOf(result)
				}
				if err != nil {
					to.Failed(i, n, err)
					continue
				}
			}
			if text != "" {
				to.Set(i, n, text)
			}
		}
	}
}

func run(p *vm.Program, env any) (any, error) {
	machine := vm.VM{MemoryBudget: maxMemory}
	v, err := machine.Run(p, env)
	var place *file.Error
	if errors.As(err, &place) {
		err = errors.New(place.Message) // without the expression, which the name of the rule stands for
	}
	return v, err
}

func textOf(v any) (string, error) {
	text := ""
	switch v := v.(type) {
	case nil:
	case string:
		text = v
	case bool:
		text = strconv.FormatBool(v)
	case int:
		text = strconv.Itoa(v)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return "", fmt.Errorf("the result is of type %T, but must be a text, a number or a truth value", v)
	}
	if len(text) > maxText {
		return "", fmt.Errorf("the result has %d bytes; at most %d are allowed", len(text), maxText)
	}
	return text, nil
}
