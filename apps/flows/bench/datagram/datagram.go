// Package datagram has the task flow-datagram: from the bytes of a datagram, whose templates are known, to a
// length-prefixed message for each flow. It includes everything that a collector does for a datagram: find the
// exporter and its template, read its clock, and add its sender and its time of receipt. Some contenders stop at values, and
// write no messages.
package datagram

import (
	"github.com/hotpb/hotpb/go/bench/harness"
)

// A converter knows the templates of an input's exporter.
type converter struct {
	// convert returns the messages of the input's datagram. They are valid until the next call.
	convert func() ([]byte, error)
	// messages reads the result of convert.
	messages func([]byte) ([]message, error)
	check    func() error // for a contender that writes no messages
	note     string
	fills    bool // fills in AS numbers that the exporter does not send
}

// contenders are the contenders by name.
func contenders() map[string]func(*input) (converter, error) {
	return map[string]func(*input) (converter, error){
		"hotpb-flows":          newFused,
		"hotpb-flows:enriched": newEnriched,
		"hotpb-flows:sources":  newSources,
		"hotpb-flows:values":   newValues,
		"goflow2+hotpb-schema": newUnfused,
		"goflow2":              newGoflow2,
		"goflow2:values":       newGoflow2Values,
		"goflow2:decode":       newDecoded,
	}
}

// Tasks are the contenders of each case.
func Tasks() harness.Tasks {
	tasks := harness.Tasks{}
	for name, find := range inputs() {
		rivals := map[string]harness.Factory{}
		for rival, make := range contenders() {
			rivals[rival] = func([]byte) (harness.Contender, error) {
				in, err := find()
				if err != nil {
					return harness.Contender{}, err
				}
				c, err := make(in)
				if err != nil {
					return harness.Contender{}, err
				}
				return harness.Contender{
					Op: func() (uint64, error) {
						_, err := c.convert()
						return 0, err
					},
					Verify: func() error {
						if c.check != nil {
							return c.check()
						}
						return in.verify(c)
					},
					Note: c.note + "; " + in.about, Size: len(in.data.Payload),
				}, nil
			}
		}
		tasks["flow-datagram/"+name] = rivals
	}
	return tasks
}
