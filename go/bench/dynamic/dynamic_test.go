package dynamic

import "testing"

func TestContendersReadEveryValue(t *testing.T) {
	for task, contenders := range Tasks() {
		for name, factory := range contenders {
			t.Run(task+"/"+name, func(t *testing.T) {
				c, err := factory(nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Verify(); err != nil && c.Wrong == "" {
					t.Error(err)
				}
			})
		}
	}
}
