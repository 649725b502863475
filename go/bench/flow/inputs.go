package flow

import "google.golang.org/protobuf/proto"

// Inputs are the flows of a case, encoded by the stock runtime.
func Inputs(fields int) (all [][]byte, err error) {
	for _, m := range stockFlows(fields) {
		b, err := proto.Marshal(m)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}
