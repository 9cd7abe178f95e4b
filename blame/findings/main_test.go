package findings

import (
	"testing"

	"contend/golden"
)

func TestMain(m *testing.M) { golden.Main(m) }
