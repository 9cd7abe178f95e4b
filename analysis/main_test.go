package analysis

import (
	"testing"

	"contend/golden"
)

func TestMain(m *testing.M) { golden.Main(m) }
