package stage

import (
	"errors"
	"fmt"

	"gopkg.in/yaml.v3"

	"github.com/hotpb/hotpb/apps/flows/internal/classify"
)

// ruleConfig is a rule as it is in the file.
type ruleConfig struct {
	When    located   `yaml:"when"`
	Set     yaml.Node `yaml:"set"`
	Compute yaml.Node `yaml:"compute"`
}

// rules are compiled, with their columns.
type rules struct {
	*classify.Rules
	list []*ruleColumns
}

// ruleColumns are the columns of a rule, in the order of its values.
type ruleColumns struct {
	name    string
	columns []pair
	sets    int // so many of the columns have constants
	counts  *sourceCounts
}

// compile compiles rules for exporters or for interfaces, as env says.
func (c *config) compile(section string, list []ruleConfig, env any, s *Stats) (*rules, error) {
	made := &rules{}
	var sources []classify.Source
	var problems []error
	at := func(line int) string { return fmt.Sprintf("%s:%d", c.path, line) }
	for i := range list {
		rule := &list[i]
		set, err := c.pairs(&rule.Set, "set")
		compute, computeErr := c.pairs(&rule.Compute, "compute")
		if err = errors.Join(err, computeErr); err != nil {
			problems = append(problems, err)
			continue
		}
		source := classify.Source{When: classify.Expression{Text: rule.When.value, At: at(rule.When.line)}}
		all := append(set, compute...)
		if len(all) == 0 {
			problems = append(problems, fmt.Errorf("%s: rule %d of %s sets no column: add set: {COLUMN: TEXT} or compute: {COLUMN: EXPRESSION}",
				c.path, i+1, section))
			continue
		}
		line := all[0].line
		if rule.When.line > 0 {
			line = min(line, rule.When.line)
		}
		source.Name = at(line)
		for n, p := range all {
			v := classify.Value{Column: p.key, Expression: classify.Expression{Text: p.value, At: at(p.line)}}
			if n < len(set) {
				source.Set = append(source.Set, v)
			} else {
				source.Compute = append(source.Compute, v)
			}
		}
		sources = append(sources, source)
		made.list = append(made.list, &ruleColumns{source.Name, all, len(set), s.source(source.Name)})
	}
	var err error
	if made.Rules, err = classify.Compile(sources, env); err != nil {
		problems = append(problems, err)
	}
	return made, errors.Join(problems...)
}

// outlets are the columns that rules fill in a group: by rule, and by value.
type outlets [][]outlet

// outlet is where a value goes.
type outlet struct {
	targets   []*target
	constants []value // by target; nil if the value is computed
}

// bind binds rules to the columns of a group. It returns nil if they fill none.
func (r *rules) bind(g *group, c *config) outlets {
	made, used := make(outlets, len(r.list)), false
	for i, rule := range r.list {
		made[i] = make([]outlet, len(rule.columns))
		for n, p := range rule.columns {
			o := &made[i][n]
			o.targets = g.targets(supplied(p.key, "rule "+rule.name))
			used = used || len(o.targets) > 0
			if n >= rule.sets {
				continue
			}
			for _, t := range o.targets {
				v, err := t.parse(p.value)
				if err != nil {
					g.problems = append(g.problems, c.wrong(p.line, "rule %s: %w", rule.name, t.misfit(p.value, err)))
				}
				o.constants = append(o.constants, v)
			}
		}
	}
	if !used {
		return nil
	}
	return made
}

// check reports columns that the schema does not have.
func (r *rules) check(b *binding, c *config, prefixes ...string) {
	for _, rule := range r.list {
		for _, p := range rule.columns {
			c.check(b, p.line, p.key, prefixes...)
		}
	}
}

// exporterRules finds values by rules.
type exporterRules struct {
	*rules
	to outlets
}

func (f *exporterRules) find(d draft, e *exporter) {
	f.begin()
	f.Run(e.facts, &verdict{f.rules, []receiver{{f.to, d}}})
}

// portRules finds values by rules, for both ways at once.
type portRules struct {
	*rules
	facts facts
	to    [2]outlets
}

func (f *portRules) find(d *[2]draft, e *exporter, index uint64) {
	f.begin()
	f.Run(f.facts.port(e, index), &verdict{f.rules, []receiver{{f.to[0], d[0]}, {f.to[1], d[1]}}})
}

func (r *rules) begin() {
	for _, rule := range r.list {
		rule.counts.lookups.Add(1)
	}
}

// verdict puts what rules say into drafts.
type verdict struct {
	*rules
	to []receiver
}

type receiver struct {
	outlets outlets // nil for none
	draft   draft
}

func (v *verdict) Matched(rule int) { v.list[rule].counts.found.Add(1) }

func (v *verdict) Set(rule, n int, text string) {
	for _, to := range v.to {
		if to.outlets == nil {
			continue
		}
		o := &to.outlets[rule][n]
		for i, t := range o.targets {
			if to.draft[t.slot] != nil {
				continue
			}
			if o.constants != nil {
				to.draft.put(t.slot, o.constants[i])
				continue
			}
			made, err := t.parse(text)
			if err != nil {
				v.list[rule].counts.fail(t.misfit(text, err))
				continue
			}
			to.draft.put(t.slot, made)
		}
	}
}

func (v *verdict) Failed(rule, n int, err error) {
	part := "when"
	if n >= 0 {
		part = "column " + v.list[rule].columns[n].key
	}
	v.list[rule].counts.fail(fmt.Errorf("%s: %w", part, err))
}
