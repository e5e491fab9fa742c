//! The built-in profiles. `mixed` is the default; each of the others dwells on an area.

use super::{
    AccessAccesses, AccessArea, AccessKinds, Areas, AuditAccesses, AuditArea, Completions,
    CyclesAccesses, CyclesArea, CyclesKinds, Profile, Rates, SpeAccesses, SpeArea, SpmuAccesses,
    SpmuArea,
};

impl Profile {
    /// Names of the built-in profiles.
    pub const NAMES: [&str; 6] = ["threshold", "spe", "access", "cycles", "spmu", "mixed"];

    /// The built-in profile of that name.
    pub fn named(name: &str) -> Option<Self> {
        let mut profile = Self::default();
        let none = Areas {
            threshold: 0,
            spe: 0,
            access: 0,
            cycles: 0,
            spmu: 0,
            audit: 0,
        };
        let types = &mut profile.types;
        (types.samples, types.cycles) = (0, 0);
        profile.areas = match name {
            "threshold" => {
                types.filtered = u16::MAX;
                Areas {
                    threshold: 1,
                    ..none
                }
            }
            "spe" => {
                types.samples = 32768;
                // Stretches in which nothing cuts an interval short, and in which bytes are drawn that no reset
                // repeats, so that a run can judge both (SPE-24).
                let spe = &mut profile.spe;
                spe.change = 8;
                spe.rates.full = 48;
                spe.accesses = SpeAccesses {
                    interval: 4,
                    count: 5,
                    read: 140,
                    buffer: 36,
                    coincide: 6,
                    sample_type: 56,
                    restart: 4,
                    unknown: 0,
                };
                profile.reset.shortest = 1000;
                profile.reset.longest = 600_000;
                Areas {
                    threshold: 24,
                    spe: 104,
                    ..none
                }
            }
            "access" => Areas {
                threshold: 16,
                access: 112,
                ..none
            },
            "cycles" => {
                types.cycles = 40960;
                Areas {
                    threshold: 32,
                    access: 8,
                    cycles: 88,
                    ..none
                }
            }
            "spmu" => Areas {
                threshold: 8,
                access: 8,
                spmu: 112,
                ..none
            },
            "mixed" => return Some(Self::default()),
            _ => return None,
        };
        Some(profile)
    }
}

impl Default for Areas {
    fn default() -> Self {
        Self {
            threshold: 56,
            spe: 20,
            access: 28,
            cycles: 12,
            spmu: 16,
            audit: 20,
        }
    }
}

impl Default for SpeArea {
    fn default() -> Self {
        Self {
            shortest: 32,
            longest: 512,
            change: 12,
            rates: Rates {
                none: 8,
                one: 16,
                few: 24,
                many: 40,
                full: 24,
                burst: 16,
            },
            completions: Completions {
                none: 32,
                rare: 40,
                even: 48,
                many: 16,
            },
            accesses: SpeAccesses {
                interval: 16,
                count: 60,
                read: 48,
                buffer: 28,
                coincide: 52,
                sample_type: 24,
                restart: 24,
                unknown: 1,
            },
        }
    }
}

impl Default for AccessArea {
    fn default() -> Self {
        Self {
            shortest: 32,
            longest: 384,
            change: 24,
            wild: 512,
            kinds: AccessKinds {
                open: 96,
                defect: 72,
                mixed: 24,
                wild: 16,
                debug: 12,
                undriven: 24,
            },
            accesses: AccessAccesses {
                read_type: 48,
                write_type: 64,
                select: 48,
                aarch32: 40,
                external: 40,
                cycle_filter: 16,
            },
        }
    }
}

impl Default for CyclesArea {
    fn default() -> Self {
        Self {
            shortest: 32,
            longest: 384,
            change: 16,
            stop: 4,
            kinds: CyclesKinds {
                calm: 48,
                frontend: 40,
                backend: 40,
                stalled: 56,
                wild: 48,
                undriven: 24,
            },
            accesses: CyclesAccesses {
                one_type: 96,
                same_event: 48,
                read: 112,
            },
        }
    }
}

impl Default for SpmuArea {
    fn default() -> Self {
        Self {
            accesses: SpmuAccesses {
                select: 48,
                identity: 72,
                write_identity: 8,
                counter: 80,
                masks: 32,
                read: 16,
            },
        }
    }
}

impl Default for AuditArea {
    fn default() -> Self {
        Self {
            accesses: AuditAccesses {
                event: 56,
                address: 76,
                value: 72,
                select: 16,
                system: 16,
                limit: 28,
                control: 4,
                reserved: 8,
                interval: 12,
                count: 12,
            },
        }
    }
}
