//! Register accesses that wait for their cycle.

use pmu_model::SysReg;
use pmu_model::contract::AccessKind;

/// Accesses that can wait.
const QUEUED: usize = 16;

/// A register access that waits for its cycle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    pub(super) address: u16,
    /// See [`AccessKind`].
    pub(super) kind: u8,
    /// Cycles between the access before and this one.
    pub(super) wait: u8,
    pub(super) data: u64,
}

impl Op {
    pub(super) const NONE: Self = Self::new(AccessKind::None, 0, 0);

    pub(super) const fn new(kind: AccessKind, address: u16, data: u64) -> Self {
        Self {
            address,
            kind: kind as u8,
            wait: 0,
            data,
        }
    }

    pub(super) const fn read(register: SysReg) -> Self {
        Self::read_at(register.address())
    }

    pub(super) const fn read_at(address: u16) -> Self {
        Self::new(AccessKind::Read, address, 0)
    }

    pub(super) const fn write(register: SysReg, data: u64) -> Self {
        Self::write_at(register.address(), data)
    }

    pub(super) const fn write_at(address: u16, data: u64) -> Self {
        Self::new(AccessKind::Write, address, data)
    }

    /// The access after `wait` cycles without one.
    pub(super) fn after(self, wait: u32) -> Self {
        Self {
            wait: wait as u8,
            ..self
        }
    }
}

/// The accesses that wait, in order.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    ops: [Op; QUEUED],
    head: u8,
    length: u8,
}

impl Queue {
    pub(super) const fn new() -> Self {
        Self {
            ops: [Op::NONE; QUEUED],
            head: 0,
            length: 0,
        }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends an access; one that does not fit is dropped.
    pub(super) fn push(&mut self, op: Op) {
        if usize::from(self.length) < QUEUED {
            self.ops[usize::from(self.head + self.length) % QUEUED] = op;
            self.length += 1;
        }
    }

    /// Takes the first access if it need not wait any longer.
    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<Op> {
        let op = &mut self.ops[usize::from(self.head) % QUEUED];
        if self.length == 0 {
            return None;
        }
        if op.wait > 0 {
            op.wait -= 1;
            return None;
        }
        self.head = (self.head + 1) % QUEUED as u8;
        self.length -= 1;
        Some(*op)
    }
}
