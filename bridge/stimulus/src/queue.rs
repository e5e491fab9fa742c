//! Register accesses that wait for their cycle.

use std::num::NonZeroU64;

use pmu_model::contract::AccessKind;

/// Accesses that can wait.
const QUEUED: usize = 16;

/// A register access that waits for its cycle: two words, which are passed in registers and are read as they were
/// stored. A struct of smaller fields is put together in memory again and again, and each time read before it is there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Op {
    /// From bit 0: address, 16 bits; kind, 8 bits; wait, 8 bits; [`Op::THERE`].
    head: NonZeroU64,
    pub(super) data: u64,
}

impl Op {
    const KIND: u32 = 16;
    const WAIT: u32 = 24;
    /// Always set.
    const THERE: NonZeroU64 = NonZeroU64::new(1 << 32).unwrap();

    pub(super) const NONE: Self = Self::new(AccessKind::None, 0, 0);

    #[inline(always)]
    pub(super) const fn new(kind: AccessKind, address: u16, data: u64) -> Self {
        let head = address as u64 | (kind as u64) << Self::KIND;
        // Less than THERE.
        let head = Self::THERE.saturating_add(head);
        Self { head, data }
    }

    #[inline(always)]
    pub(super) const fn read_at(address: u16) -> Self {
        Self::new(AccessKind::Read, address, 0)
    }

    #[inline(always)]
    pub(super) const fn write_at(address: u16, data: u64) -> Self {
        Self::new(AccessKind::Write, address, data)
    }

    /// The access after `wait` cycles without one, at most 255, of one that need not wait.
    #[inline(always)]
    pub(super) fn after(self, wait: u32) -> Self {
        Self {
            head: self.head | u64::from(wait as u8) << Self::WAIT,
            ..self
        }
    }

    #[inline(always)]
    pub(super) const fn address(self) -> u16 {
        self.head.get() as u16
    }

    /// See [`AccessKind`].
    #[inline(always)]
    pub(super) const fn kind(self) -> u8 {
        (self.head.get() >> Self::KIND) as u8
    }

    /// Cycles between the access before and this one.
    #[inline(always)]
    const fn wait(self) -> u8 {
        (self.head.get() >> Self::WAIT) as u8
    }
}

/// The accesses that wait, in order.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    ops: [Op; QUEUED],
    head: u8,
    length: u8,
    /// Cycles since the access before, while the first one waits.
    waited: u8,
}

impl Queue {
    pub(super) const fn new() -> Self {
        Self {
            ops: [Op::NONE; QUEUED],
            head: 0,
            length: 0,
            waited: 0,
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
        let op = self.ops[usize::from(self.head) % QUEUED];
        if self.length == 0 {
            return None;
        }
        if self.waited < op.wait() {
            self.waited += 1;
            return None;
        }
        self.waited = 0;
        self.head = (self.head + 1) % QUEUED as u8;
        self.length -= 1;
        Some(op)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(op: Option<Op>) -> Option<(u16, u8, u64)> {
        op.map(|op| (op.address(), op.kind(), op.data))
    }

    #[test]
    fn accesses_come_in_order_and_wait_first() {
        let mut queue = Queue::new();
        assert!(queue.is_empty() && queue.pop().is_none());
        queue.push(Op::write_at(0xFFFF, u64::MAX).after(2));
        queue.push(Op::read_at(7).after(1));
        queue.push(Op::new(AccessKind::ExternalWrite, 8, 9));
        let popped: [_; 7] = std::array::from_fn(|_| parts(queue.pop()));
        let (write, read) = (AccessKind::Write as u8, AccessKind::Read as u8);
        let external = AccessKind::ExternalWrite as u8;
        assert_eq!(
            popped,
            [
                None,
                None,
                Some((0xFFFF, write, u64::MAX)),
                None,
                Some((7, read, 0)),
                Some((8, external, 9)),
                None
            ]
        );
        assert!(queue.is_empty());
    }

    #[test]
    fn an_access_that_does_not_fit_is_dropped() {
        let mut queue = Queue::new();
        for _ in 0..3 {
            for address in 0..QUEUED as u16 + 2 {
                queue.push(Op::read_at(address));
            }
            for address in 0..QUEUED as u16 {
                assert_eq!(queue.pop().map(Op::address), Some(address));
            }
            assert!(queue.pop().is_none());
        }
    }
}
