package natives

import "strings"

// guards reports whether a function belongs to a guard or to a lock that wraps another one:
// the constructor or destructor of a class with a lock-like name, such as
// Held<std::mutex>::~Held, or one of its methods, such as lock.
func guards(name string) bool {
	class, fn := cutMethod(name)
	if class == "" {
		return false
	}
	_, simple := cutMethod(class)
	simple = withoutTemplate(simple)
	if strings.TrimPrefix(fn, "~") == simple {
		return aboutLocks(class)
	}
	return lockMethods[fn] && aboutLocks(simple)
}

// lockMethods are the names of methods of locks.
var lockMethods = map[string]bool{
	"lock":          true,
	"unlock":        true,
	"Lock":          true,
	"Unlock":        true,
	"lock_shared":   true,
	"unlock_shared": true,
	"acquire":       true,
	"release":       true,
	"Acquire":       true,
	"Release":       true,
	"enter":         true,
	"leave":         true,
	"Enter":         true,
	"Leave":         true,
}

// aboutLocks reports whether a word of a name is lock, guard or mutex; block and
// clock are not.
func aboutLocks(name string) bool {
	for _, word := range [...]string{"lock", "guard", "mutex"} {
		for at := 0; ; {
			i := strings.Index(strings.ToLower(name[at:]), word)
			if i < 0 {
				break
			}
			at += i
			if at == 0 || name[at] < 'a' || !letter(name[at-1]) {
				return true
			}
			at += len(word)
		}
	}
	return false
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// cutMethod splits a name at the last :: outside of template arguments; class is "" if there
// is none.
func cutMethod(name string) (class, fn string) {
	depth := 0
	for i := len(name) - 1; i > 0; i-- {
		switch {
		case name[i] == '>':
			depth++
		case name[i] == '<':
			depth--
		case depth == 0 && name[i] == ':' && name[i-1] == ':':
			return name[:i-1], name[i+1:]
		}
	}
	return "", name
}

func withoutTemplate(name string) string {
	name, _, _ = strings.Cut(name, "<")
	return name
}
