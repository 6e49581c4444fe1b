#include "libcore/os/confine.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fcntl.h>
#include <linux/netlink.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "libcore/os/sanitized.h"

namespace quern {
namespace {

#if defined(__x86_64__)
constexpr uint32_t machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t machine = AUDIT_ARCH_AARCH64;
#else
constexpr uint32_t machine = 0;  // no filter
#endif

constexpr uint32_t allow = SECCOMP_RET_ALLOW, deny = SECCOMP_RET_ERRNO | EPERM, absent = SECCOMP_RET_ERRNO | ENOSYS;

// A list of rules, the first that holds decides.
class Filter {
   public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        unless(machine, deny);
#if defined(__x86_64__)
        constexpr uint32_t x32 = 0x40000000;  // calls of another kind of program
        load(offsetof(seccomp_data, nr));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32, 0, 1));
        end(deny);
#endif
    }
    void all(std::initializer_list<long> calls, uint32_t then) {
        load(offsetof(seccomp_data, nr));
        for (const long call : calls) when(static_cast<uint32_t>(call), then);
    }
    // Of one call, by the low half of an argument; the kernel itself looks at no more of those that are asked about here.
    void argument(long call, int index, std::initializer_list<uint32_t> values, uint32_t then) {
        const size_t skip = begin(call, index);
        for (const uint32_t value : values) when(value, then);
        finish(skip);
    }
    // `otherwise` where it is not one of the values.
    void only(long call, int index, std::initializer_list<uint32_t> values, uint32_t otherwise) {
        const size_t skip = begin(call, index);
        std::vector<size_t> outs;
        for (const uint32_t value : values) outs.push_back(jump(value));
        end(otherwise);
        for (const size_t out : outs) code_[out].jt = static_cast<uint8_t>(code_.size() - out - 1);
        finish(skip);
    }
    // `otherwise` unless those of `bits` that the argument has are `wanted`.
    void needs_bits(long call, int index, uint32_t bits, uint32_t wanted, uint32_t otherwise) {
        const size_t skip = begin(call, index);
        code_.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits));
        unless(wanted, otherwise);
        finish(skip);
    }
    // Sockets of this machine, and the kernel's messages of devices that come and go.
    void local_sockets() {
        const size_t skip = begin(SYS_socket, 0), local = jump(AF_UNIX);
        unless(AF_NETLINK, deny);
        load(offsetof(seccomp_data, args) + 2 * sizeof(uint64_t));
        unless(NETLINK_KOBJECT_UEVENT, deny);
        code_[local].jt = static_cast<uint8_t>(code_.size() - local - 1);
        finish(skip);
    }
    void end(uint32_t then) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, then)); }

    // For all threads. A kernel without it leaves everything as it is.
    void install() {
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    }

   private:
    void load(size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset))); }
    void when(uint32_t value, uint32_t then) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
        end(then);
    }
    void unless(uint32_t value, uint32_t then) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0));
        end(then);
    }
    size_t jump(uint32_t value) {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 0));
        return code_.size() - 1;
    }
    // Rules between the two are of this call alone.
    size_t begin(long call, int index) {
        load(offsetof(seccomp_data, nr));
        const size_t at = jump(static_cast<uint32_t>(call));
        load(offsetof(seccomp_data, args) + static_cast<size_t>(index) * sizeof(uint64_t));  // little-endian: the low half
        return at;
    }
    void finish(size_t at) { code_[at].jf = static_cast<uint8_t>(code_.size() - at - 1); }

    std::vector<sock_filter> code_;
};

uint32_t id(pid_t number) { return static_cast<uint32_t>(number); }

// What no library for computing has to do with: other processes' memory, the machine's settings, calls that go around a filter.
void deny_the_system(Filter& filter) {
    filter.all({SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_pidfd_getfd, SYS_kcmp, SYS_bpf, SYS_perf_event_open,
                SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register},
               deny);
    filter.all({SYS_keyctl, SYS_add_key, SYS_request_key, SYS_open_by_handle_at, SYS_syslog, SYS_acct, SYS_quotactl, SYS_vhangup}, deny);
    filter.all({SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_setns, SYS_unshare, SYS_move_mount, SYS_open_tree, SYS_fsopen,
                SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_swapon, SYS_swapoff},
               deny);
    filter.all({SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_settimeofday, SYS_clock_settime,
                SYS_adjtimex, SYS_clock_adjtime, SYS_sethostname, SYS_setdomainname},
               deny);
#if defined(__x86_64__)
    filter.all({SYS_iopl, SYS_ioperm}, deny);
#endif
    filter.argument(SYS_ioctl, 1, {TIOCSTI, TIOCLINUX}, deny);  // typing on the user's terminal
}

// Signals to whoever started it, to its group, or to all.
void deny_signals(Filter& filter) {
    for (const long call : {SYS_kill, SYS_tgkill, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
        filter.argument(call, 0, {id(::getppid()), id(-1), 0, id(-::getpgrp())}, deny);
    filter.all({SYS_pidfd_send_signal}, deny);
}

bool network_wanted() {
    const char* set = std::getenv("QUERN_BACKEND_NETWORK");
    return set && std::string_view(set) == "on";
}

void filter_code() {
    Filter filter;
    deny_the_system(filter);
    filter.all({SYS_socket, SYS_execve, SYS_execveat, SYS_pidfd_send_signal}, deny);
    for (const long call : {SYS_kill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) filter.only(call, 0, {id(::getpid())}, deny);
    filter.all({SYS_clone3}, absent);  // what it is to do lies in memory, which no filter sees: libraries then ask for clone
    filter.needs_bits(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD, deny);
#if defined(__x86_64__)
    filter.all({SYS_fork, SYS_vfork}, deny);
#endif
    filter.end(allow);
    filter.install();
}

void filter_programs() {
    Filter filter;
    deny_the_system(filter);
    deny_signals(filter);
    if (!network_wanted()) filter.local_sockets();
    filter.end(allow);
    filter.install();
}

void filter_reader() {
    Filter filter;
    filter.needs_bits(SYS_openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 0, deny);
    filter.only(SYS_tgkill, 0, {id(::getpid())}, deny);  // abort()
    filter.all({SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_recvfrom, SYS_sendto, SYS_lseek, SYS_openat, SYS_close,
                SYS_fstat, SYS_newfstatat, SYS_statx, SYS_fcntl, SYS_flock, SYS_faccessat, SYS_readlinkat, SYS_getcwd},
               allow);
    filter.all({SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_futex, SYS_tgkill, SYS_rt_sigprocmask,
                SYS_rt_sigaction, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_exit, SYS_exit_group},
               allow);
    filter.all(
        {SYS_getpid, SYS_gettid, SYS_getuid, SYS_geteuid, SYS_clock_gettime, SYS_gettimeofday, SYS_nanosleep, SYS_clock_nanosleep,
         SYS_getrandom, SYS_getrlimit, SYS_sched_yield, SYS_sched_getaffinity, SYS_uname, SYS_sysinfo, SYS_set_robust_list, SYS_membarrier},
        allow);
#if defined(__x86_64__)
    filter.all({SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_time}, allow);
#endif
    filter.end(deny);
    filter.install();
}

// Address space, but for drivers, which reserve more of it than they use: data.
void limit_memory(Confined what, uint64_t memory) {
    constexpr rlim_t own = rlim_t{1} << 30;  // libraries, and what they have beside the numbers
    const auto resource = what == Confined::programs ? RLIMIT_DATA : RLIMIT_AS;
    rlimit limit{};
    ::getrlimit(resource, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, memory > RLIM_INFINITY - own ? RLIM_INFINITY : memory + own);
    ::setrlimit(resource, &limit);
}

}  // namespace

void confine(Confined what, uint64_t memory) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (is_sanitized()) return;
    ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    limit_memory(what, memory);
    if (machine == 0) return;
    switch (what) {
        case Confined::reader: return filter_reader();
        case Confined::code: return filter_code();
        case Confined::programs: return filter_programs();
    }
}

}  // namespace quern
