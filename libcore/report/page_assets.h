// Style and script that all pages share.
#pragma once

namespace quern {

inline constexpr const char* page_style = R"(
:root{color-scheme:light dark;--ink:#1d2733;--soft:#5b6b7c;--line:#d9e0e7;--page:#fff;--bad:#b42318;--bar:#4a7fb5;--cut:#c8553d;--band:#dfeaf5}
@media screen and (prefers-color-scheme:dark){:root{--ink:#dce4ec;--soft:#95a6b8;--line:#33414f;--page:#151b22;--bad:#ff8f80;--bar:#6aa3dd;--cut:#ec8068;--band:#263a4e}}
*{box-sizing:border-box}body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:80rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;overflow-wrap:anywhere}h2{font-size:1.1rem;margin-top:2rem}p{overflow-wrap:anywhere}.soft{color:var(--soft)}.bad{color:var(--bad)}
.cards{display:flex;gap:1rem 2rem;flex-wrap:wrap;margin:1rem 0}.cards b{display:block;font-size:1.4rem;line-height:1.3}
.key{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.2rem 0}.key i{display:inline-block;width:.7em;height:.7em;margin-right:.4em;border-radius:50%}td .key{margin:0}.chip{border-radius:3px;padding:0 .4em;white-space:nowrap}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--soft);font-weight:500}th.n{text-align:right}
td,th{padding:.25rem .6rem;border-bottom:1px solid var(--line);vertical-align:top}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
th[data-by]{cursor:pointer}th[aria-sort]{color:var(--ink)}th[aria-sort=ascending]::after{content:" \25b4"}th[aria-sort=descending]::after{content:" \25be"}
.share{display:block;min-width:9rem;white-space:nowrap}.share i{display:inline-block;height:.8em;vertical-align:-.05em;background:var(--bar)}.share i:last-of-type{margin-right:.5em}
pre{font:12px/1.5 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--band);padding:.5rem;border-radius:4px;margin:.3rem 0;user-select:all}
code{font:12px ui-monospace,monospace;overflow-wrap:anywhere}summary{cursor:pointer}
.find{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.6rem 0}.find[hidden],tr[hidden]{display:none!important}
.find input,.find select,.find button{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:4px;padding:.3rem .5rem;max-width:100%}
.find input{flex:1 1 14rem}.paper{display:none}
.figure{height:20rem;padding:0 .5rem 1.6rem 3rem}.plot{position:relative;height:100%}.plot svg{display:block;width:100%;height:100%;overflow:visible}
.plot span{position:absolute;white-space:nowrap;font-size:12px;color:var(--soft)}.plot .y{right:100%;margin-right:.5rem;transform:translateY(-50%)}
.plot .x{top:100%;margin-top:.3rem;transform:translateX(-50%)}.plot .line{stroke:var(--line);stroke-width:1!important;vector-effect:non-scaling-stroke}
.plot path{fill:none;stroke-width:8;stroke-linecap:round;vector-effect:non-scaling-stroke}
.plot .w{stroke-linecap:square;stroke-width:6}.many path{stroke-width:3.5!important}.plot a:hover path,.plot a.on path{stroke:var(--ink);stroke-width:13!important}
.plot .f{stroke:var(--soft);stroke-width:5}
#picked{border:1px solid var(--line);border-radius:6px;padding:.3rem 1rem 1rem;margin:1rem 0}#picked h3{font-size:1rem;margin:.6rem 0;overflow-wrap:anywhere}
svg.mini{display:block;width:8rem;height:2rem}svg.big{display:block;width:100%;height:7rem;margin:.3rem 0}.more{padding:.3rem 0 .6rem}.more p{margin:.3rem 0}
.ends{display:flex;justify-content:space-between;color:var(--soft);font-size:12px}.share i.w,.key .w{background:var(--cut)}.key .a{background:var(--bar)}
.b4{stroke:#d55e00;background:#d55e00}.b8,.v{stroke:#0072b2;background:#0072b2}.b16{stroke:#009e73;background:#009e73}.b32{stroke:#cc79a7;background:#cc79a7}.o{stroke:var(--cut);background:var(--cut)}
.key .round,.key .square{border:1.5px solid var(--soft)}.key .square{border-radius:0}
.over{display:block;width:100%;height:4.5rem;background:var(--band);border-radius:4px;margin:.5rem 0 0}.low{height:3rem}.over path,.over rect{shape-rendering:crispEdges}.over rect:hover{opacity:.6}
.arena{display:block;width:220px;height:44px;background:#8883}.arena rect{stroke:#fff;stroke-width:.4}.stack{display:flex;height:1.2rem;border-radius:4px;overflow:hidden;margin:1rem 0 .3rem}
@media screen and (prefers-color-scheme:dark){.b4{stroke:#f08a3c;background:#f08a3c}.b8,.v{stroke:#56b4e9;background:#56b4e9}.b16{stroke:#2fc898;background:#2fc898}.b32{stroke:#e2a3c6;background:#e2a3c6}}
@media(max-width:640px){body{margin:1rem auto}.figure{height:16rem;padding-left:2.4rem}.cards{display:grid;grid-template-columns:1fr 1fr;gap:.8rem 1rem}.cards b{font-size:1.15rem}
table,tbody{display:block}thead{display:none}tr:not([hidden]){display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
td{border:0;padding:0;max-width:100%}td:empty{display:none}td:first-child,td.why{flex:1 1 100%;overflow-wrap:anywhere}td.why{order:-1}.share{display:inline-block;width:11rem;vertical-align:top}td.n{text-align:left}td::before{color:var(--soft);margin-right:.4em}}
@media print{@page{margin:14mm}html{font-size:11px}body{max-width:none;margin:0;padding:0;font-size:10px}code{font-size:9px}
*{-webkit-print-color-adjust:exact;print-color-adjust:exact}:root{color-scheme:light}.find{display:none!important}.paper{display:block}
summary{list-style:none}tbody tr:nth-child(n+61){display:none!important}tr,.cards{break-inside:avoid}.figure{break-inside:avoid;height:14rem}.plot span{font-size:9px}h2{break-after:avoid}#picked,.more{display:none!important}}
)";

// Sorts, filters and searches the rows of tables that have a form; shows what belongs to a dot of a plot below it.
inline constexpr const char* page_script = R"(
for (const form of document.querySelectorAll('form.find[data-table]')) {
  const table = document.getElementById(form.dataset.table), body = table.tBodies[0], rows = [...body.rows];
  const heads = [...table.querySelectorAll('th[data-by]')], select = form.elements.order;
  rows.forEach((row, i) => { row.place = i; row.words = (row.querySelector('summary') || row.cells[0]).textContent.toLowerCase(); });
  const value = (row, by) => by === 'n' ? row.words : row.dataset[by] ? Number(row.dataset[by]) : null;
  let order = '', down = false;
  const sort = (by, downward) => {
    order = by;
    down = downward;
    rows.sort((a, b) => {
      const x = value(a, by), y = value(b, by);
      if ((x === null) !== (y === null)) return x === null ? 1 : -1;
      return x < y ? (down ? 1 : -1) : x > y ? (down ? -1 : 1) : a.place - b.place;
    });
    body.append(...rows);
    heads.forEach(head => head.dataset.by === by ? head.setAttribute('aria-sort', down ? 'descending' : 'ascending') : head.removeAttribute('aria-sort'));
  };
  const filter = () => {
    const words = form.elements.text.value.toLowerCase().split(/\s+/), kinds = [...form.querySelectorAll('select')].filter(one => one !== select && one.value);
    let shown = 0;
    for (const row of rows) {
      row.hidden = !(kinds.every(one => row.dataset[one.name] === one.value) && words.every(word => row.words.includes(word)));
      if (!row.hidden) ++shown;
    }
    form.elements.shown.value = shown + ' of ' + rows.length;
  };
  form.hidden = false;
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('input', filter);
  if (select) select.addEventListener('change', () => sort(select.value, 'down' in select.selectedOptions[0].dataset));
  heads.forEach(head => {
    const by = () => {
      sort(head.dataset.by, order === head.dataset.by ? !down : 'down' in head.dataset);
      if (select) select.value = order;
    };
    head.tabIndex = 0;
    head.addEventListener('click', by);
    head.addEventListener('keydown', event => { if (event.key === 'Enter') by(); });
  });
  filter();
}
const picked = document.getElementById('picked');
document.querySelectorAll('.plot a').forEach(dot => dot.addEventListener('click', event => {
  event.preventDefault();
  document.querySelectorAll('.plot a.on').forEach(other => other.classList.remove('on'));
  dot.classList.add('on');
  const more = document.getElementById(dot.getAttribute('href').slice(1)), copy = more.cloneNode(true), title = document.createElement('h3');
  copy.removeAttribute('id');
  title.textContent = dot.querySelector('title').textContent;
  picked.replaceChildren(title, copy);
  picked.hidden = false;
  picked.scrollIntoView({block: 'nearest'});
}));
)";

}  // namespace quern
