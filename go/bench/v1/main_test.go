package main

import "testing"

func TestEveryRivalGivesWhatItsRuntimeGives(t *testing.T) {
	for task, contenders := range tasks() {
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
