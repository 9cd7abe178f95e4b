package natives

import "testing"

func TestFunctionsAreToldByTheirNames(t *testing.T) {
	for name, want := range map[string]struct {
		role  Role
		class string
	}{
		"__GI___lll_lock_wait":                                {Lock, ""},
		"___pthread_mutex_lock":                               {Lock, "pthread_mutex_t"},
		"pthread_cond_wait@@GLIBC_2.3.2":                      {Pause, "pthread_cond_t"},
		"std::__1::mutex::lock":                               {Lock, "std::mutex"},
		"std::lock_guard<std::mutex>::lock_guard":             {Lock, ""},
		"std::sys::sync::mutex::futex::Mutex::lock_contended": {Lock, "std::sync::Mutex"},
		"absl::lts_20240722::Mutex::Lock":                     {Lock, "absl::Mutex"},
		"take_gil":                                            {Lock, GIL},
		"runtime.futex.abi0":                                  {Lock, "runtime.mutex"},
		"take_gilded":                                         {Program, ""},
		"sleep":                                               {Pause, ""},
		"sleepy_hollow":                                       {Program, ""},
		"PyThread_acquire_lock_timed":                         {Lock, "PyThread_lock"},
		"std::locker::run":                                    {Library, ""},
		"Held<std::mutex, false>::~Held":                      {Lock, ""},
		"AutoLock::AutoLock":                                  {Lock, ""},
		"leveldb::MutexLock::MutexLock":                       {Lock, ""},
		"util::SpinLock::lock":                                {Lock, ""},
		"BlockReader::BlockReader":                            {Program, ""},
		"Clock::Clock":                                        {Program, ""},
		"Table<Lock>::insert":                                 {Program, ""},
		"bank::Account::lock":                                 {Program, ""},
		"start_thread":                                        {Library, ""},
		"":                                                    {Program, ""},
		"_":                                                   {Program, ""},
	} {
		if role, class := RoleOf(name); role != want.role || class != want.class {
			t.Errorf("%s: role %d of %q, want %+v", name, role, class, want)
		}
	}
	if role, _ := OfKernel("__pv_queued_spin_lock_slowpath"); role != Lock {
		t.Error("the kernel's own is not a lock's")
	}
	if role, _ := OfKernel("handle_mm_fault"); role != Program {
		t.Error("a page fault is no lock")
	}
}
