// Style of the quantizer's page.
#pragma once

namespace quern {

inline constexpr const char* report_style = R"(
.b4{stroke:#d55e00;background:#d55e00}.b8{stroke:#0072b2;background:#0072b2}.b16{stroke:#009e73;background:#009e73}.b32{stroke:#cc79a7;background:#cc79a7}
.key i{border-radius:50%}.key .round,.key .square{border:1.5px solid var(--soft)}.key .square{border-radius:0}
#values summary code{font-size:13px}#values td:first-child{width:52%}
@media screen and (prefers-color-scheme:dark){.b4{stroke:#f08a3c;background:#f08a3c}.b8{stroke:#56b4e9;background:#56b4e9}.b16{stroke:#2fc898;background:#2fc898}.b32{stroke:#e2a3c6;background:#e2a3c6}}
@media(max-width:640px){
#values thead{display:none}#values tr:not([hidden]){display:grid;grid-template-columns:1fr auto;gap:.1rem .8rem;padding:.5rem 0;border-bottom:1px solid var(--line)}
#values td{border:0;padding:0;min-width:0}#values td:nth-child(1){grid-column:1/-1;width:auto;min-width:0}#values td:nth-child(3){grid-column:1}#values td:nth-child(4){grid-row:2;grid-column:2}#values td:nth-child(5){grid-column:2}#values .range{display:none}#values [data-l]::after{content:" " attr(data-l);color:var(--soft)}
#values td:empty{display:none}svg.mini{width:100%}}
@media print{#values td:first-child{width:44%}#values td:nth-child(3){width:18%}
.more,.names{display:none!important}tbody tr:nth-child(n+31){display:none!important}
svg.mini{width:6rem;height:1.2rem}#values summary code{font-size:9px}summary{list-style:none}}
)";

}  // namespace quern
