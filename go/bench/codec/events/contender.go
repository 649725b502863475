package events

import (
	"bytes"
	"fmt"

	"github.com/hotpb/hotpb/go/bench/harness"
)

// A Runtime verifies contenders of one runtime: its own way to read and to write messages of type M.
type Runtime[M any] struct {
	Unmarshal func(b []byte, m M) error
	Marshal   func(m M) ([]byte, error)
	// Canonical is the encoding that equal messages have in common, of one that b is.
	Canonical func(b []byte) ([]byte, error)
}

// Decode makes a contender that decodes input into a new message each time; get, which may be nil, reads what the
// decoder may have left undecoded.
func Decode[T any, M interface{ *T }](stock Runtime[M], input []byte, unmarshal func(b []byte, m M) error, get func(M) error, note string) harness.Factory {
	return func([]byte) (harness.Contender, error) {
		decode := func() (M, error) {
			m := M(new(T))
			err := unmarshal(input, m)
			if err == nil && get != nil {
				err = get(m)
			}
			return m, err
		}
		return harness.Contender{
			Op: func() (uint64, error) {
				_, err := decode()
				return 0, err
			},
			Verify: func() error {
				got, err := decode()
				if err != nil {
					return err
				}
				encoded, err := stock.Marshal(got)
				if err != nil {
					return err
				}
				return Same(stock.Canonical, encoded, input)
			},
			Note: note, Size: len(input),
		}, nil
	}
}

// Encode makes a contender that encodes the message of input, all of it decoded by the stock runtime beforehand.
func Encode[T any, M interface{ *T }](stock Runtime[M], input []byte, get func(M) error, marshal func(m M) ([]byte, error), note string) harness.Factory {
	return func([]byte) (harness.Contender, error) {
		m := M(new(T))
		if err := stock.Unmarshal(input, m); err != nil {
			return harness.Contender{}, err
		}
		if get != nil {
			if err := get(m); err != nil {
				return harness.Contender{}, err
			}
		}
		return harness.Contender{
			Op: func() (uint64, error) {
				b, err := marshal(m)
				return uint64(len(b)), err
			},
			Verify: func() error {
				b, err := marshal(m)
				if err != nil {
					return err
				}
				return Same(stock.Canonical, b, input)
			},
			Note: note, Size: len(input),
		}, nil
	}
}

// Same compares two encodings in their canonical form.
func Same(canonical func([]byte) ([]byte, error), got, want []byte) error {
	first, err := canonical(got)
	if err != nil {
		return err
	}
	second, err := canonical(want)
	if err != nil {
		return err
	}
	if !bytes.Equal(first, second) {
		return fmt.Errorf("it is not the same message: %d bytes for %d", len(first), len(second))
	}
	return nil
}
