package decoder

import "testing"

func TestEveryRivalGivesTheString(t *testing.T) {
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
