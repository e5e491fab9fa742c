//! What the page has of each kind of failures, so that nobody needs to open another file first.

use lockstep_regress::page::page;
use lockstep_regress::shard::Shard;
use lockstep_regress::shrunk::Shrunk;
use lockstep_regress::summary::Summary;

use super::{shard, summary};

/// A summary whose failures are explained.
fn explained() -> Summary {
    let folder = tempfile::tempdir().expect("a folder");
    let path = shard(folder.path(), Shard::WHOLE, |record| {
        if let Some(failure) = &mut record.failure {
            let cause = "V_B >= TH is V_B > TH";
            failure.signature.what = cause.into();
            failure.signature.class = None;
            failure.causes = vec![cause.into(), "TH is that of the <next> counter".into()];
            failure.derivation = vec!["C_T[1] = (0 < 0) = FALSE".into()];
        }
    });
    summary(&[path])
}

#[test]
fn causes_and_steps_are_there_once() {
    let page = page(&explained(), None).expect("a page");
    for (text, times) in [
        ("mine: V_B &#62;= TH is V_B &#62; TH", 1),
        (
            "would explain the RTL: TH is that of the &#60;next&#62; counter</p>",
            1,
        ),
        ("<p>V[3]: <span class=\"expected\">expected 1</span>", 1),
        ("<li>C_T[1] = (0 &#60; 0) = FALSE</li>", 1),
        ("Commands are for the folder of the suite.", 1),
        ("reduced to", 0),
        ("the run itself", 0),
    ] {
        assert_eq!(page.matches(text).count(), times, "{text}");
    }
}

#[test]
fn the_command_is_that_of_the_capsule_and_the_recipe_is_short() {
    let mut summary = explained();
    let first = &mut summary.groups[0].first;
    first.capsule = Some("capsules/one.tar.zst".into());
    first.again = Some("lockstep replay capsules/one.tar.zst --filelist dut.f".into());
    first.shrunk = Some(Shrunk {
        cycles: 3,
        recipe: vec!["reset".into(), "MSR PMCR_EL0 = 0x1".into()],
    });
    let page = page(&summary, Some("..")).expect("a page");
    let command = page.find("<pre><code>lockstep replay capsules/one.tar.zst --filelist dut.f");
    let whole = page.find("<pre><code>lockstep run --seed");
    assert!(
        command.is_some() && command < whole,
        "{command:?} {whole:?}"
    );
    for text in [
        "reduced to 3 cycles:",
        "<li>MSR PMCR_EL0 = 0x1</li>",
        "and 1 more, in shrunk.json",
        "href=\"capsules/one.tar.zst\"",
        "for the folder of this page",
    ] {
        assert!(page.contains(text), "{text}");
    }
}
