// Tables that scroll can be reached by keyboard; the theme wraps them after the page is there.
const reach = () => document.querySelectorAll(".md-typeset__scrollwrap").forEach((table) => { table.tabIndex = 0; });
new MutationObserver(reach).observe(document.body, { childList: true, subtree: true });
reach();
