//! The HTML pages in Chromium, if there is one.

use std::fs;
use std::path::Path;
use std::process::Command;

use pmu_lockstep::regress::page::page as page_of_suite;
use pmu_lockstep::regress::summary::Summary;
use pmu_lockstep::report::html;

use crate::page::small_report;
use crate::run_page::small_run;
use crate::scratch::scratch;

/// Widths of a phone, a tablet and a desk, in pixels of the page.
const WIDTHS: [u32; 3] = [360, 768, 1280];

/// Tells in its title how wide the report is in a frame of each width.
const MEASURE: &str = "<!DOCTYPE html><title></title><body><script>
for (const width of WIDTHS) {
  const frame = document.createElement('iframe');
  frame.src = 'report.html';
  frame.style.width = width + 'px';
  frame.onload = () => {
    const page = frame.contentDocument;
    const rows = page.querySelectorAll('.labels text').length;
    document.title += `${width}:${page.documentElement.scrollWidth}:${rows} `;
  };
  document.body.append(frame);
}
</script>";

fn chromium() -> Option<&'static str> {
    ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|name| {
            let version = Command::new(name).arg("--version").output();
            version.is_ok_and(|output| output.status.success())
        })
}

fn browse(chromium: &str, folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(chromium)
        .current_dir(folder)
        .args(["--headless", "--no-sandbox", "--disable-gpu"])
        .args([
            "--allow-file-access-from-files",
            "--virtual-time-budget=5000",
        ])
        .arg(format!(
            "--user-data-dir={}",
            folder.join("profile").display()
        ))
        .args(arguments)
        .output()
        .expect("it starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn page_fits_every_screen_and_prints() {
    let Some(chromium) = chromium() else {
        eprintln!("skipped: no chromium, chromium-browser or google-chrome on PATH");
        return;
    };
    let page = html::page(&small_report("browser_stimulus")).expect("a page");
    fits(chromium, "report/browser", &page, 20);
    let page = html::run_page(&small_run()).expect("a page");
    fits(chromium, "report/browser_run", &page, 0);
    // A suite with three kinds of failures, one of them reduced, and nights before it.
    let summary: Summary = serde_json::from_str(include_str!("summary.json")).expect("a summary");
    let page = page_of_suite(&summary, Some("..")).expect("a page");
    let opened = page.replace("<details>", "<details open>");
    assert!(opened.contains("<svg") && opened.contains("reduced to 6 cycles"));
    fits(chromium, "report/browser_suite", &opened, 0);
}

/// Checks a page that has `labels` labels or more beside its waveform.
fn fits(chromium: &str, folder: &str, page: &str, labels: u32) {
    let folder = scratch(folder);
    fs::write(folder.join("report.html"), page).expect("written");
    let measure = MEASURE.replace("WIDTHS", &format!("{WIDTHS:?}"));
    fs::write(folder.join("measure.html"), measure).expect("written");
    let address = |file: &str| format!("file://{}", folder.join(file).display());

    let measured = browse(chromium, &folder, &["--dump-dom", &address("measure.html")]);
    for width in WIDTHS {
        let start = format!("{width}:");
        let (_, found) = measured
            .split_once(&start)
            .unwrap_or_else(|| panic!("{measured}"));
        let mut numbers = found.split([':', ' ']).map(|number| number.parse::<u32>());
        // A frame may have a scroll bar in it.
        let wide = numbers.next().and_then(Result::ok);
        assert!(
            wide.is_some_and(|wide| wide <= width),
            "{wide:?} in {width}"
        );
        let rows = numbers.next().and_then(Result::ok);
        assert!(
            rows.is_some_and(|rows| rows >= labels),
            "{rows:?} labels beside the waveform"
        );
    }

    let pdf = folder.join("report.pdf");
    let print = format!("--print-to-pdf={}", pdf.display());
    browse(chromium, &folder, &[&print, &address("report.html")]);
    let pdf = fs::read(pdf).expect("a printed page");
    assert!(pdf.starts_with(b"%PDF"));
}
