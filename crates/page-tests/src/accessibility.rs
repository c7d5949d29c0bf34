//! Accessibility checks: names in the browser's accessibility tree, structure, contrast, and the order of the Tab key.

use std::collections::HashSet;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::page::BrowserTab;

/// Roles of controls and images: each needs a name.
const NAMED_ROLES: &str = "button checkbox combobox dialog grid gridcell image link listbox menu menuitem option \
                           progressbar radio radiogroup searchbox slider spinbutton switch tab textbox";

/// The page has fewer Tab stops than this.
const MOST_STOPS: usize = 200;

/// Fails with all findings if there are any.
pub(crate) fn check(page: &BrowserTab, place: &str) -> Result<()> {
    let mut findings = nameless(page)?;
    let audit = page.evaluate(include_str!("audit.js"))?;
    findings.extend(audit.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
    ensure!(findings.is_empty(), "{place}: {} findings\n  {}", findings.len(), findings.join("\n  "));
    Ok(())
}

/// Nodes of the accessibility tree with a role but without a name.
fn nameless(page: &BrowserTab) -> Result<Vec<String>> {
    let tree = page.call("Accessibility.getFullAXTree", &json!({}))?;
    let nodes = tree["nodes"].as_array().cloned().unwrap_or_default();
    ensure!(nodes.len() > 80, "the accessibility tree has only {} nodes", nodes.len());
    let is_nameless = |node: &&Value| {
        let role = node["role"]["value"].as_str().unwrap_or_default();
        let name = node["name"]["value"].as_str().unwrap_or_default();
        node["ignored"] != true && NAMED_ROLES.split(' ').any(|named| named == role) && name.trim().is_empty()
    };
    let describe =
        |node: &Value| format!("no name: {} (DOM node {})", node["role"]["value"], node["backendDOMNodeId"]);
    Ok(nodes.iter().filter(is_nameless).map(describe).collect())
}

/// Presses Tab through the page once. Every stop is visible, shows the focus and comes in document order.
pub(crate) fn tab_through(page: &BrowserTab) -> Result<usize> {
    page.evaluate("document.activeElement?.blur(); document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); window.lastStop = null")?;
    let mut seen = HashSet::new();
    loop {
        page.press("Tab")?;
        let stop = page.evaluate(
            "(() => { const at = document.activeElement; if (!at || at === document.body) return null; \
             const style = getComputedStyle(at); const label = at.closest('label') ?? at; \
             const shown = [at, label].some(one => getComputedStyle(one).outlineStyle !== 'none' && parseFloat(getComputedStyle(one).outlineWidth) >= 2); \
             const box = at.getBoundingClientRect(); \
             const before = window.lastStop; window.lastStop = at; \
             const inOrder = !before || Boolean(before.compareDocumentPosition(at) & Node.DOCUMENT_POSITION_FOLLOWING); \
             window.stops ??= new WeakMap(); const isNew = !window.stops.has(at); window.stops.set(at, true); \
             return { name: at.outerHTML.slice(0, 120), shown, visible: box.width > 0 && style.visibility === 'visible', inOrder, isNew }; })()",
        )?;
        // After the last stop the focus leaves the page or starts again.
        if stop.is_null() || stop["isNew"] == false {
            break;
        }
        let name = stop["name"].as_str().unwrap_or_default().to_owned();
        ensure!(stop["visible"] == true, "the focus is on something invisible: {name}");
        ensure!(stop["shown"] == true, "the focus is not shown on {name}");
        ensure!(stop["inOrder"] == true, "the focus jumps back to {name}");
        seen.insert(name);
        ensure!(seen.len() < MOST_STOPS, "more than {MOST_STOPS} Tab stops");
    }
    page.evaluate("window.stops = undefined")?;
    Ok(seen.len())
}
