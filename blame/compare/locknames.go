package compare

import (
	"slices"
	"strings"

	"contend/analysis"
)

// lockNames returns, by site as the profiles name it, the name of the lock acquired there: its
// class and all sites of its locks in any trace. So two traces agree on the name even if one
// of them lacks a rare site.
func lockNames(groups ...Group) map[string]string {
	parent := map[string]string{}
	var find func(string) string
	find = func(s string) string {
		if p, ok := parent[s]; ok && p != s {
			parent[s] = find(p)
			return parent[s]
		}
		parent[s] = s
		return s
	}
	for _, g := range groups {
		for _, p := range g {
			for _, name := range p.sites.names.List {
				find(name)
			}
			for l := range p.links {
				parent[find(p.sites.names.List[l[0]])] = find(p.sites.names.List[l[1]])
			}
		}
	}
	members := map[string][]string{}
	for s := range parent {
		members[find(s)] = append(members[find(s)], s)
	}
	names := make(map[string]string, len(parent))
	for _, list := range members {
		name := lockName(list)
		for _, s := range list {
			names[s] = name
		}
	}
	return names
}

// knownSites returns, by name of a lock, the site by which the lock with most waiting among
// those of the name is known.
func knownSites(names map[string]string, groups ...Group) map[string]string {
	out, mostNs := map[string]string{}, map[string]int64{}
	for _, g := range groups {
		for _, p := range g {
			for _, l := range p.Named {
				if int(l.Lock) >= len(p.firstSite) || p.firstSite[l.Lock] == 0 || l.Site == "" {
					continue
				}
				if name := names[p.sites.names.List[p.firstSite[l.Lock]-1]]; l.WaitNs > mostNs[name] {
					mostNs[name], out[name] = l.WaitNs, analysis.StableName(analysis.WithoutLine(l.Site))
				}
			}
		}
	}
	return out
}

// lockName writes a lock as Class at method, method.
func lockName(sites []string) string {
	slices.Sort(sites)
	class, _, _ := strings.Cut(sites[0], siteSeparator)
	methods := make([]string, len(sites))
	for i, s := range sites {
		_, methods[i], _ = strings.Cut(s, siteSeparator)
	}
	return class + siteSeparator + strings.Join(slices.Compact(methods), ", ")
}
