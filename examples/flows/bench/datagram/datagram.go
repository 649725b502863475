// Package datagram has the task flow-datagram: from the bytes of a datagram, whose templates are known, to a message
// for each flow, behind its length, with everything that a collector does for it: find the exporter and its template,
// read its clock, put in who sent it and when it came.
package datagram

import (
	"github.com/hotpb/hotpb/go/bench/harness"
)

// A converter has learnt the templates of an input's exporter.
type converter struct {
	// convert gives the messages of the input's datagram, valid until it is called again.
	convert func() ([]byte, error)
	// messages reads what convert gives.
	messages func([]byte) ([]message, error)
	note     string
	fills    bool // AS numbers where the exporter sent none
}

// contenders by name.
func contenders() map[string]func(*input) (converter, error) {
	return map[string]func(*input) (converter, error){
		"hotpb-flows":          newFused,
		"hotpb-flows:enriched": newEnriched,
		"goflow2+hotpb-schema": newUnfused,
		"goflow2":              newGoflow2,
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
					Verify: func() error { return in.verify(c) },
					Note:   c.note + "; " + in.about, Size: len(in.data.Payload),
				}, nil
			}
		}
		tasks["flow-datagram/"+name] = rivals
	}
	return tasks
}
