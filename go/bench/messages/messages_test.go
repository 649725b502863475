package messages

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

func TestEveryRivalGivesWhatTheStockRuntimeGives(t *testing.T) {
	for task, contenders := range Tasks() {
		for name, make := range contenders {
			c, err := make(nil)
			if err == nil {
				err = c.Verify()
			}
			if err != nil {
				t.Errorf("%s, %s: %v", task, name, err)
			}
		}
	}
}

// The sums were taken of inputs of the sizes that the Rust half reports, which makes the same.
func TestInputsAreThoseOfTheRustHalf(t *testing.T) {
	for name, c := range map[string]struct {
		inputs func() [][]byte
		sum    string
	}{
		"packed": {packed, "20fcd132bb1fa2135bc7bddc438925cb6640a29854f5f5842e6f772ff2287dd9"},
		"maps":   {maps, "282fbfa55b68eab1cab4b50a8c31809122f8ea67b8a66f98b9897d8424d1ec02"},
		"deep":   {deep, "ce766e11784a3854d1e3984c9661d7ae2f6308c192605b80d1a8231c97cfd39d"},
		"spans":  {spans, "7154e1ad256fb445a4b7f995fa4f32a9c22a374e5462a401da9e2da5f64a6b84"},
	} {
		hash := sha256.New()
		for _, b := range c.inputs() {
			hash.Write(b)
		}
		if got := hex.EncodeToString(hash.Sum(nil)); got != c.sum {
			t.Errorf("%s: %s", name, got)
		}
	}
}
