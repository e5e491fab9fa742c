//! The filters of system calls.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter, sock_filter,
};

/// Rules by number of the system call: none means every call.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// System calls that reach into other processes, or around the filters, and that no design needs.
const FORBIDDEN: &[c_long] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_fsopen,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    // One thread, whoever's.
    libc::SYS_tkill,
    libc::SYS_move_pages,
    libc::SYS_migrate_pages,
    // A half of it can send to any socket with a name.
    libc::SYS_socketpair,
    // Memory that outlives its process.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    // They hold up whoever opens a file, or takes its lock: this program does.
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_flock,
    // Landlock knows no rights for what is not the contents of a file.
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];

/// The same, by older names.
#[cfg(target_arch = "x86_64")]
const FORBIDDEN_BY_OLD_NAMES: &[c_long] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const FORBIDDEN_BY_OLD_NAMES: &[c_long] = &[];

/// Requests to a terminal that type into it, or take it away from who works at it.
const OF_A_TERMINAL: [u64; 4] = [
    libc::TIOCSTI,
    libc::TIOCLINUX,
    libc::TIOCSCTTY,
    libc::TIOCSPGRP,
];

/// Requests that change attributes of a file, such as that it cannot be removed, or hold up its file system.
const ATTRIBUTES: [u64; 5] = [
    // FS_IOC_SETFLAGS, FS_IOC32_SETFLAGS, FS_IOC_FSSETXATTR
    0x4008_6602,
    0x4004_6602,
    0x401C_5820,
    // FIFREEZE, FITHAW
    0xC004_5877,
    0xC004_5878,
];

/// Commands of `fcntl` that have signals sent to somebody, or that hold up whoever opens the file or locks it.
const COMMANDS_OF_A_FILE: [i32; 8] = [
    libc::F_SETOWN,
    F_SETSIG,
    F_SETOWN_EX,
    libc::F_SETLEASE,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
];
const F_SETSIG: i32 = 10;
const F_SETOWN_EX: i32 = 15;

/// Those whose first argument is a process, which must be this one, and which of their arguments is the signal.
const OF_A_PROCESS: [(c_long, u8); 4] = [
    (libc::SYS_kill, 1),
    (libc::SYS_tgkill, 2),
    (libc::SYS_rt_sigqueueinfo, 1),
    (libc::SYS_rt_tgsigqueueinfo, 2),
];

/// Signals that users, systems and limits send: the [`Listener`](crate::Listener) is told of those that a process sends
/// to itself.
const FROM_OUTSIDE: [i32; 6] = [
    libc::SIGKILL,
    libc::SIGTERM,
    libc::SIGINT,
    libc::SIGHUP,
    libc::SIGQUIT,
    libc::SIGXCPU,
];

/// Those that change files: the [`Listener`](crate::Listener) is told of what Landlock will refuse.
#[cfg(target_arch = "x86_64")]
pub(crate) const CHANGES_BY_PATH: &[c_long] = &[
    libc::SYS_creat,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_truncate,
    libc::SYS_mknod,
    libc::SYS_rename,
    libc::SYS_link,
    libc::SYS_symlink,
];
/// Those that change files: the [`Listener`](crate::Listener) is told of what Landlock will refuse.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const CHANGES_BY_PATH: &[c_long] = &[libc::SYS_truncate];

/// The same with a folder before the path.
pub(crate) const CHANGES_IN_FOLDER: &[c_long] = &[
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_mknodat,
    libc::SYS_renameat2,
];

/// Installs the filters on this thread.
///
/// # Errors
/// The kernel does not have them.
pub(crate) fn install() -> io::Result<OwnedFd> {
    // Each filter has one answer; of those that match a call the strictest counts.
    let forbidden = program(forbidden(), SeccompAction::Errno(libc::EPERM as u32))?;
    let unknown = program(
        [(libc::SYS_clone3, Vec::new())].into_iter().collect(),
        // Its flags are behind a pointer. The C library takes `clone` instead.
        SeccompAction::Errno(libc::ENOSYS as u32),
    )?;
    let asked = asking(program(asked()?, SeccompAction::Trap)?);
    let applied = |program: &BpfProgram| apply_filter(program).map_err(io::Error::other);
    applied(&unknown)?;
    applied(&forbidden)?;
    listen(&asked)
}

fn program(rules: Rules, answer: SeccompAction) -> io::Result<BpfProgram> {
    let architecture = std::env::consts::ARCH
        .try_into()
        .map_err(io::Error::other)?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, answer, architecture);
    let program: BpfProgram = filter
        .and_then(BpfProgram::try_from)
        .map_err(io::Error::other)?;
    Ok(without_x32(program))
}

/// The same program, after a refusal of the numbers of x32: another name for every call of x86-64.
fn without_x32(program: BpfProgram) -> BpfProgram {
    if !cfg!(target_arch = "x86_64") {
        return program;
    }
    const X32: u32 = 0x4000_0000;
    let load_number = instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0);
    let is_x32 = instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, X32);
    let refuse = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let refuse = instruction(libc::BPF_RET | libc::BPF_K, 0, 0, refuse);
    [vec![load_number, is_x32, refuse], program].concat()
}

fn instruction(code: u32, jt: u8, jf: u8, k: u32) -> sock_filter {
    let code = u16::try_from(code).expect("a code of 16 bits");
    sock_filter { code, jt, jf, k }
}

/// The same program with the question to a listener in place of a trap, which `seccompiler` does not know.
fn asking(mut program: BpfProgram) -> BpfProgram {
    let ret = u16::try_from(libc::BPF_RET | libc::BPF_K).expect("a code of 16 bits");
    for instruction in &mut program {
        if instruction.code == ret && instruction.k == libc::SECCOMP_RET_TRAP {
            instruction.k = libc::SECCOMP_RET_USER_NOTIF;
        }
    }
    program
}

fn forbidden() -> Rules {
    let own = u64::from(std::process::id());
    let others = vec![rule(0, SeccompCmpOp::Ne, own)];
    let killed = vec![rule(
        0,
        SeccompCmpOp::Eq,
        u64::try_from(libc::PR_SET_PDEATHSIG).expect("a number of prctl"),
    )];
    let of_a_process = OF_A_PROCESS.map(|(call, _)| (call, others.clone()));
    let always = FORBIDDEN.iter().chain(FORBIDDEN_BY_OLD_NAMES);
    let always = always.map(|call| (*call, Vec::new()));
    let equal = |value: u64| rule(1, SeccompCmpOp::Eq, value);
    let commands = COMMANDS_OF_A_FILE.map(|command| equal(u64::from(command.cast_unsigned())));
    // The limits of another process; 0 is this one.
    let of_another = [0, own].map(|value| condition(0, SeccompCmpOp::Ne, value));
    let limits = SeccompRule::new(of_another.to_vec()).expect("a rule with conditions");
    let special = [
        (
            libc::SYS_ioctl,
            OF_A_TERMINAL
                .into_iter()
                .chain(ATTRIBUTES)
                .map(equal)
                .collect(),
        ),
        (libc::SYS_fcntl, commands.to_vec()),
        (libc::SYS_prlimit64, vec![limits]),
    ];
    // A process that outlives its keeper would do so by this.
    let outliving = [(libc::SYS_prctl, killed)];
    always
        .chain(of_a_process)
        .chain(special)
        .chain(outliving)
        .collect()
}

/// The calls that a listener decides about.
fn asked() -> io::Result<Rules> {
    let mut rules: Rules = [
        (libc::SYS_execve, Vec::new()),
        (libc::SYS_execveat, Vec::new()),
        (libc::SYS_socket, Vec::new()),
        // A thread is not a process.
        (libc::SYS_clone, vec![masked(0, libc::CLONE_THREAD, 0)]),
        (libc::SYS_openat, writing(2)),
        (libc::SYS_timer_create, Vec::new()),
        (libc::SYS_setrlimit, limit_of_time(0, 1)),
        (libc::SYS_prlimit64, limit_of_time(1, 2)),
    ]
    .into_iter()
    .collect();
    rules.extend(OF_A_PROCESS.map(|(call, signal)| {
        let of = |number: i32| rule(signal, SeccompCmpOp::Eq, u64::from(number.cast_unsigned()));
        (call, FROM_OUTSIDE.map(of).to_vec())
    }));
    #[cfg(target_arch = "x86_64")]
    {
        rules.insert(libc::SYS_open, writing(1));
        rules.insert(libc::SYS_fork, Vec::new());
        rules.insert(libc::SYS_vfork, Vec::new());
    }
    let changes = CHANGES_BY_PATH.iter().chain(CHANGES_IN_FOLDER);
    rules.extend(changes.map(|call| (*call, Vec::new())));
    Ok(rules)
}

/// A limit of processor time: the resource is in argument `resource`, and a pointer to what it is to be in `limit`.
fn limit_of_time(resource: u8, limit: u8) -> Vec<SeccompRule> {
    let of_time = condition(resource, SeccompCmpOp::Eq, u64::from(libc::RLIMIT_CPU));
    let is_set = SeccompCondition::new(limit, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0);
    let is_set = is_set.expect("an argument that there is");
    vec![SeccompRule::new(vec![of_time, is_set]).expect("a rule with conditions")]
}

/// Flags in argument `index` with which a file is opened to be written or made.
fn writing(index: u8) -> Vec<SeccompRule> {
    [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC]
        .into_iter()
        .map(|flag| masked(index, flag, flag))
        .collect()
}

fn masked(index: u8, mask: i32, value: i32) -> SeccompRule {
    let bits = |flags: i32| u64::from(flags.cast_unsigned());
    rule(index, SeccompCmpOp::MaskedEq(bits(mask)), bits(value))
}

fn rule(index: u8, operator: SeccompCmpOp, value: u64) -> SeccompRule {
    SeccompRule::new(vec![condition(index, operator, value)]).expect("a rule with a condition")
}

fn condition(index: u8, operator: SeccompCmpOp, value: u64) -> SeccompCondition {
    let condition = SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value);
    condition.expect("an argument that there is")
}

/// Installs a filter whose questions go to the descriptor that is returned.
fn listen(program: &[sock_filter]) -> io::Result<OwnedFd> {
    let length = program.len().try_into().map_err(io::Error::other)?;
    let program = libc::sock_fprog {
        len: length,
        // The layout is the kernel's in both crates, which reads it only.
        filter: program.as_ptr().cast_mut().cast(),
    };
    // SAFETY: the kernel copies the program during the call; every argument is of the type that this operation takes.
    let found = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            libc::SECCOMP_SET_MODE_FILTER,
            libc::SECCOMP_FILTER_FLAG_NEW_LISTENER,
            &raw const program,
        )
    };
    let found = i32::try_from(found).unwrap_or(-1);
    if found < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made it for this process.
    Ok(unsafe { OwnedFd::from_raw_fd(found) })
}
