package classify

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// patterns are the constant arguments of the functions, compiled once. After Compile they do not change.
type patterns struct {
	expressions map[string]*regexp.Regexp
	prefixes    map[string]netip.Prefix
}

func newPatterns() *patterns {
	return &patterns{map[string]*regexp.Regexp{}, map[string]netip.Prefix{}}
}

// functions are ours, in addition to those of the language:
//
//	capture(text, pattern)   what the first group of a regular expression matches; without groups, what all of it matches
//	within(address, prefix)  whether an address is in a prefix
func (p *patterns) functions() []expr.Option {
	return []expr.Option{
		expr.Function("capture", func(arguments ...any) (any, error) {
			return p.capture(arguments[0].(string), arguments[1].(string))
		}, new(func(text, pattern string) string)),
		expr.Function("within", func(arguments ...any) (any, error) {
			return p.within(arguments[0].(string), arguments[1].(string))
		}, new(func(address, prefix string) bool)),
	}
}

func (p *patterns) capture(text, pattern string) (string, error) {
	e := p.expressions[pattern]
	if e == nil { // it is not a constant
		var err error
		if e, err = regexp.Compile(pattern); err != nil {
			return "", err
		}
	}
	switch m := e.FindStringSubmatch(text); {
	case m == nil:
		return "", nil
	case len(m) > 1:
		return m[1], nil
	default:
		return m[0], nil
	}
}

func (p *patterns) within(address, prefix string) (bool, error) {
	in, known := p.prefixes[prefix]
	if !known {
		var err error
		if in, err = parsePrefix(prefix); err != nil {
			return false, err
		}
	}
	a, err := netip.ParseAddr(address)
	if err != nil {
		return false, fmt.Errorf("%q is not an address", address)
	}
	return in.Contains(a.Unmap()), nil
}

func parsePrefix(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err != nil {
		return p, fmt.Errorf("%q is not a prefix such as 192.0.2.0/24", text)
	}
	return p, nil
}

// checker finds the constant arguments of the functions, so that a fault in them is an error at once. It refuses
// loops, whose time is not bounded by the number of nodes.
type checker struct {
	patterns *patterns
	err      error
}

// Visit implements ast.Visitor.
func (c *checker) Visit(node *ast.Node) {
	if _, loop := (*node).(*ast.PredicateNode); loop {
		c.err = errors.Join(c.err, errors.New("loops over lists, such as all() and map(), are not allowed"))
	}
	call, ok := (*node).(*ast.CallNode)
	if !ok || len(call.Arguments) != 2 {
		return
	}
	name, ok := call.Callee.(*ast.IdentifierNode)
	text, constant := call.Arguments[1].(*ast.StringNode)
	if !ok || !constant {
		return
	}
	var err error
	switch name.Value {
	case "capture":
		if c.patterns.expressions[text.Value] == nil {
			var e *regexp.Regexp
			if e, err = regexp.Compile(text.Value); err == nil {
				c.patterns.expressions[text.Value] = e
			}
		}
	case "within":
		var p netip.Prefix
		if p, err = parsePrefix(text.Value); err == nil {
			c.patterns.prefixes[text.Value] = p
		}
	}
	c.err = errors.Join(c.err, err)
}
