"""Pages whose text is hard to trace: markup inside sentences, entities, emoji, CJK, right-to-left, tables."""

TRICKY = """<!doctype html><html lang="en"><head><title>Cable &amp; copper</title></head><body><main>
<h1 id="top">Cable &amp; copper</h1>
<p>An introduction that speaks of nothing in particular, so that there is something before the rest.</p>
<h2 id="creep">Creep in <em>cold</em> joints</h2>
<p>Before it &#128512; stands an emoji. <b>Galvanic</b> <a href="https://x.example/galvanic">creep</a> at 5&nbsp;&deg;C
is &lt; 3&nbsp;% &mdash; measured by R&amp;D with the <code>creep_rate</code> gauge. Nothing follows from that.</p>
<h2 id="asia">亜鉛めっき</h2>
<p>銅線の耐食性は高い。亜鉛めっき鋼線は安価である。</p>
<h2 id="hebrew">כבלים</h2>
<p>כבל נחושת עמיד בפני קורוזיה. הוא יקר יותר.</p>
<h2 id="table">Figures</h2>
<table><thead><tr><th>Wire</th><th>Breaking load</th></tr></thead>
<tbody><tr><td>Copper | tinned</td><td>Tungsten-like 410&nbsp;N</td></tr>
<tr><td>Zinc</td><td>120 N</td></tr></tbody></table>
</main></body></html>"""

CRLF = (
    "# A note on splices\r\n\r\nA splice of two wires\r\n"
    "is soldered \U0001f469\u200d\U0001f527 by hand.\r\nIt holds.\r\n"
)
