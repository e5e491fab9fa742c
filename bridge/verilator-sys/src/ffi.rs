//! The bridge to `cpp/dut.h`. One call per batch; nothing here is public.
//!
//! No function returns a `Result` because none can throw: those of `dut.h` are `noexcept`, and a
//! design's stop is data.

#[cxx::bridge(namespace = "verilator_sys")]
pub(crate) mod bridge {
    /// What a `DutLibrary` states about itself. With a foreign `abi` nothing else is filled in.
    struct LibraryFacts {
        abi: u32,
        input_bytes: u32,
        output_bytes: u32,
        parameter_bytes: u32,
        top: String,
        verilator_version: String,
        untraced: bool,
        traced: bool,
        starts: bool,
        covers: bool,
    }

    /// The first stop of a design, as the C++ side recorded it; `kind` is 0 if there is none.
    struct StopRecord {
        kind: u32,
        line: u32,
        file: String,
        text: String,
        cycle: u64,
        time_ns: u64,
    }

    unsafe extern "C++" {
        include!("verilator-sys/cpp/bridge.h");

        type Dut;
        type DutLibrary;

        /// # Safety
        /// `library` points to a `DutLibrary` that lives during the call.
        unsafe fn library_facts(library: *const DutLibrary) -> LibraryFacts;

        /// Null if the library lacks the variant, or memory.
        ///
        /// # Safety
        /// `library` points to a `DutLibrary` of the ABI that this crate was compiled with, whose
        /// code stays loaded as long as the object returned lives. `ring` is null, or points to `size` bytes, and
        /// `printed` to an atomic 64-bit integer; both outlive that object. `start` is 0 unless the library has starts.
        unsafe fn create(
            library: *const DutLibrary,
            traced: bool,
            start: u32,
            ring: *mut u8,
            size: usize,
            printed: *mut u64,
        ) -> UniquePtr<Dut>;

        /// # Safety
        /// `inputs` and `outputs` hold `cycles` times the library's input and output size.
        unsafe fn run(
            dut: Pin<&mut Dut>,
            inputs: &[u8],
            outputs: &mut [u8],
            cycles: usize,
        ) -> usize;

        /// # Safety
        /// `inputs` holds `cycles` times the library's input size.
        unsafe fn run_bare(dut: Pin<&mut Dut>, inputs: &[u8], cycles: usize) -> usize;

        fn stopped(dut: &Dut) -> bool;
        fn stop(dut: &Dut) -> StopRecord;
        fn finish(dut: Pin<&mut Dut>);

        /// # Safety
        /// `bytes` holds the library's parameter size.
        unsafe fn parameters(dut: &Dut, bytes: &mut [u8]);

        fn cycles(dut: &Dut) -> u64;
        fn set_cycle(dut: Pin<&mut Dut>, cycle: u64);

        /// # Safety
        /// `counter` points to an atomic 64-bit integer that outlives `dut`.
        unsafe fn set_heartbeat(dut: Pin<&mut Dut>, counter: *mut u64);

        fn trace_open(dut: Pin<&mut Dut>, path: &CxxString) -> i32;
        fn trace_close(dut: Pin<&mut Dut>) -> i32;

        /// # Safety
        /// `library` points to a `DutLibrary` that covers, whose code stays loaded, and that made `dut`.
        unsafe fn write_coverage(
            library: *const DutLibrary,
            dut: Pin<&mut Dut>,
            path: &CxxString,
        ) -> i32;

        fn log(dut: &Dut) -> String;
        fn log_dropped(dut: &Dut) -> u64;
        fn clear_log(dut: Pin<&mut Dut>);
    }
}

// SAFETY: a `Dut` holds no reference to the thread that made it: every entry point of the C++
// implementation sets the thread-local pointers that Verilator's run time uses before it calls it.
unsafe impl Send for bridge::Dut {}
