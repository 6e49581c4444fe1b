// Style and script of the quantizer's page.
#pragma once

namespace quern {

inline constexpr const char* report_style = R"(
.figure{height:20rem;padding:0 .5rem 1.6rem 3rem}.plot{position:relative;height:100%}.plot svg{display:block;width:100%;height:100%;overflow:visible}
.plot span{position:absolute;white-space:nowrap;font-size:12px;color:var(--soft)}.plot .y{right:100%;margin-right:.5rem;transform:translateY(-50%)}
.plot .x{top:100%;margin-top:.3rem;transform:translateX(-50%)}.plot .line{stroke:var(--line);stroke-width:1!important;vector-effect:non-scaling-stroke}
.plot .b4,.plot .b8,.plot .b16,.plot .b32,.plot .f{fill:none;stroke-width:8;stroke-linecap:round;vector-effect:non-scaling-stroke}
.plot .w{stroke-linecap:square;stroke-width:6}.many path{stroke-width:3.5!important}.plot a:hover path,.plot a.on path{stroke:var(--ink);stroke-width:13!important}
.b4{stroke:#d55e00;background:#d55e00}.b8{stroke:#0072b2;background:#0072b2}.b16{stroke:#009e73;background:#009e73}.b32{stroke:#cc79a7;background:#cc79a7}
.plot .f{stroke:var(--soft);stroke-width:5}.key{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:.2rem 0}
.key i{display:inline-block;width:.7em;height:.7em;border-radius:50%;margin-right:.4em}.key .round,.key .square{border:1.5px solid var(--soft)}.key .square{border-radius:0}
#picked{border:1px solid var(--line);border-radius:6px;padding:.3rem 1rem 1rem;margin:1rem 0}#picked h3{font-size:1rem;margin:.6rem 0;overflow-wrap:anywhere}
svg.mini{display:block;width:8rem;height:2rem}svg.big{display:block;width:100%;height:7rem;margin:.3rem 0}.more{padding:.3rem 0 .6rem}.more p{margin:.3rem 0}
.ends{display:flex;justify-content:space-between;color:var(--soft);font-size:12px}
#values summary code{font-size:13px}#values td:first-child{width:52%}.cards{margin:1rem 0}
#find{display:flex;flex-wrap:wrap;gap:.5rem;align-items:center;margin:.6rem 0}#find[hidden],tr[hidden]{display:none}
#find input,#find select{font:inherit;color:inherit;background:var(--page);border:1px solid var(--line);border-radius:4px;padding:.3rem .5rem;max-width:100%}
#find input{flex:1 1 14rem}th[data-by]{cursor:pointer}th[aria-sort]{color:var(--ink)}.paper{display:none}
@media(prefers-color-scheme:dark){.b4{stroke:#f08a3c;background:#f08a3c}.b8{stroke:#56b4e9;background:#56b4e9}.b16{stroke:#2fc898;background:#2fc898}.b32{stroke:#e2a3c6;background:#e2a3c6}}
@media(max-width:640px){.figure{height:16rem;padding-left:2.4rem}.cards{display:grid;grid-template-columns:1fr 1fr;gap:.8rem 1rem}.cards b{font-size:1.15rem}
#values thead{display:none}#values tr:not([hidden]){display:grid;grid-template-columns:1fr auto;gap:.1rem .8rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
#values td{border:0;padding:0;min-width:0}#values td:nth-child(1){grid-column:1/-1;width:auto;min-width:0}#values td:nth-child(3){grid-column:1}#values td:nth-child(4){grid-row:2;grid-column:2}#values td:nth-child(5){grid-column:2}#values .range{display:none}#values [data-l]::after{content:" " attr(data-l);color:var(--soft)}
#values td:empty{display:none}svg.mini{width:100%}}
@media print{@page{margin:14mm}html{font-size:11px}.plot span{font-size:9px}#values td:first-child{width:44%}#values td:nth-child(3){width:18%}:root{--ink:#1d2733;--soft:#5b6b7c;--line:#d9e0e7;--page:#fff;--bar:#4a7fb5;--cut:#c8553d;--band:#dfeaf5;color-scheme:light}
body{max-width:none;margin:0;padding:0;font-size:10px}*{-webkit-print-color-adjust:exact;print-color-adjust:exact}
#find,#picked,.more,.names{display:none!important}.paper{display:block}tbody tr:nth-child(n+31){display:none!important}tr,.figure,.cards{break-inside:avoid}h2{break-after:avoid}
.figure{height:14rem}svg.mini{width:6rem;height:1.2rem}code,#values summary code{font-size:9px}summary{list-style:none}}
)";

// Sorts, filters and searches the rows that are there, and shows what belongs to a dot below the figure.
inline constexpr const char* report_script = R"(//<![CDATA[
(() => {
  const form = document.getElementById('find'), table = document.getElementById('values'), picked = document.getElementById('picked');
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.querySelectorAll('th[data-by]')];
  const number = (row, by) => Number(row.dataset[by]), unknown = (row, by) => row.dataset[by] === '' ? 1 : 0;
  rows.forEach((row, i) => { row.place = i; row.words = row.querySelector('.name').textContent.toLowerCase(); });
  const orders = {
    s: (a, b) => number(a, 's') - number(b, 's'), c: (a, b) => number(b, 'c') - number(a, 'c'),
    d: (a, b) => number(a, 'd') - number(b, 'd'), b: (a, b) => number(a, 'b') - number(b, 'b'),
    n: (a, b) => a.words < b.words ? -1 : a.words > b.words ? 1 : 0
  };
  let back = false;
  const sort = () => {
    const by = form.order.value, sign = back ? -1 : 1;
    rows.sort((a, b) => unknown(a, by) - unknown(b, by) || sign * orders[by](a, b) || a.place - b.place);
    body.append(...rows);
    heads.forEach(head => head.dataset.by === by ? head.setAttribute('aria-sort', back === (by === 'c') ? 'ascending' : 'descending') : head.removeAttribute('aria-sort'));
  };
  const filter = () => {
    const words = form.text.value.toLowerCase().split(/\s+/), kind = form.kind.value, bits = form.bits.value;
    let shown = 0;
    for (const row of rows) {
      row.hidden = !((!kind || row.dataset.k === kind) && (!bits || row.dataset.b === bits) && words.every(word => row.words.includes(word)));
      if (!row.hidden) ++shown;
    }
    form.shown.value = shown + ' of ' + rows.length;
  };
  form.hidden = false;
  form.addEventListener('submit', event => event.preventDefault());
  form.addEventListener('input', filter);
  form.order.addEventListener('change', () => { back = false; sort(); });
  heads.forEach(head => {
    const by = () => { back = form.order.value === head.dataset.by && !back; form.order.value = head.dataset.by; sort(); };
    head.tabIndex = 0;
    head.addEventListener('click', by);
    head.addEventListener('keydown', event => { if (event.key === 'Enter') by(); });
  });
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
  filter();
})();
//]]>)";

}  // namespace quern
