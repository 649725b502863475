package rw1

import (
	"os"
	"testing"
)

// BenchmarkDecode is for looking at one contender by itself; bench/run compares them.
func BenchmarkDecode(b *testing.B) {
	input, err := os.ReadFile("../../../build/bench/rw1_10k.bin")
	if err != nil {
		b.Skip(err)
	}
	for name, factory := range rivals {
		b.Run(name, func(b *testing.B) {
			r, err := factory(input)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := r.decode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	input, err := os.ReadFile("../../../build/bench/rw1_10k.bin")
	if err != nil {
		b.Skip(err)
	}
	for name, factory := range encoders {
		b.Run(name, func(b *testing.B) {
			encode, _, err := factory(input)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := encode(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
