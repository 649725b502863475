package enc

import (
	"bytes"
	"testing"
)

func TestAByteThatIsNotASCIIIsFoundAtEveryPlace(t *testing.T) {
	for n := range 80 {
		b := bytes.Repeat([]byte{0x7f}, n)
		if !ASCII(b) {
			t.Errorf("%d bytes are not ASCII", n)
		}
		for i := range b {
			b[i] = 0x80
			if ASCII(b) {
				t.Errorf("byte %d of %d is not seen", i, n)
			}
			b[i] = 0x7f
		}
	}
}
