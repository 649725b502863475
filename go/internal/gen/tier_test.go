package gen

import (
	"errors"
	"strings"
	"testing"
)

// FCE-10
func TestTiersThatCannotBeFollowedAreRefused(t *testing.T) {
	p := choicePlan(t)
	for parameter, want := range map[string]string{
		"hot=p.X":          "option hot=p.X: not a message of the files to generate; full names and * are allowed",
		"cold=p.M.MEntry":  "option cold=p.M.MEntry: not a message of the files to generate; full names and * are allowed",
		"cold=p.M+":        "option cold=: not a message of the files to generate; full names and * are allowed",
		"cold=p.M+p.M":     "option cold=p.M: it is named twice",
		"hot=p.M,cold=p.M": "option cold=p.M: it is named twice",
		"hot=*,cold=*":     "option cold=*: hot=* and cold=* exclude each other",
	} {
		_, err := generateOne(t, p, parameter)
		var option *OptionError
		if !errors.As(err, &option) || err.Error() != want {
			t.Errorf("%s: error %v, want %s", parameter, err, want)
		}
	}
}

// FCE-10. A name weighs more than *.
func TestMessagesAreByTableAsTheOptionsSay(t *testing.T) {
	p := choicePlan(t)
	for parameter, want := range map[string]string{
		"faces=pool":                  "",
		"faces=pool,cold=*":           "M N O None",
		"faces=pool,cold=*,hot=p.M":   "N O None",
		"faces=pool,hot=*,cold=p.N":   "N",
		"faces=pool,cold=p.M+p.None":  "M None",
		"faces=pool,hot=p.M,cold=p.N": "N",
	} {
		result, err := generateOne(t, p, parameter)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"M", "N", "O", "None"} {
			code := string(result.Outputs[0].Content)
			straight := strings.Contains(code, "Code: (*hotCode"+name+")(nil)")
			if straight != strings.Contains(code, "func (*hotCode"+name+") DecodeAtHot(") {
				t.Errorf("%s: %s has code of one tier, and the layout of the other", parameter, name)
			}
			if !straight {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v are by table, want %s", parameter, got, want)
		}
	}
}
