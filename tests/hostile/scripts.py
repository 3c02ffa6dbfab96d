"""Scripts in every disguise: words of the page survive, nothing that runs, loads or frames does."""

from tests.hostile.cases import BytesCase, Case, Gives, Outcome, documentation
from webrag_desktop.ingestion.reading_process.process import Reading

RUNS = ("alert(1)", "javascript:", "evil.test")
KEPT = Gives(("before", "after"), without=RUNS)
WORDS = Gives(("before", "after"), not_in_html=("<script",))


def _markup(name: str, what: str, html: str, outcome: Outcome = KEPT) -> BytesCase:
    return documentation(name, what, f"<p>before</p>{html}<p>after</p>", outcome)


def _no_links(read: Reading) -> bool:
    return not read.document.links and "<a" not in (read.document.html or "")


CASES: tuple[Case, ...] = (
    _markup("script-element", "a script", "<script>alert(1)</script>"),
    _markup(
        "script-in-svg", "a script in a picture", "<svg><script>alert(1)</script><g onload=alert(1)></svg>"
    ),
    _markup("svg-use", "a picture that loads another", "<svg><use href='https://evil.test/x.svg#a'/></svg>"),
    _markup(
        "svg-foreign-object",
        "a page in a picture",
        "<svg><foreignObject><iframe src=//evil.test></iframe></foreignObject></svg>",
    ),
    _markup(
        "svg-animate",
        "an animation that turns a link into a script",
        "<svg><a><animate attributeName=href values=javascript:alert(1) /><text>x</text></a></svg>",
    ),
    _markup(
        "event-handlers",
        "event handlers on elements that stay",
        "<p onclick=alert(1) ONMOUSEOVER=alert(1) onfocus='alert(1)' tabindex=1 autofocus>x</p>",
    ),
    _markup("image-onerror", "an image that fails on purpose", "<img src=x onerror=alert(1) alt=pic>"),
    _markup("handler-after-slash", "a handler behind a slash", "<img/src='x'/onerror=alert(1)/alt=pic>"),
    _markup(
        "javascript-link",
        "links that are scripts, in many spellings",
        "<a href='javascript:alert(1)'>a</a><a href=' JaVaScRiPt:alert(1)'>b</a>"
        "<a href='java&#10;script:alert(1)'>c</a>"
        "<a href='&#1;javascript:alert(1)'>d</a><a href='javascript&colon;alert(1)'>e</a>"
        "<a href='vbscript:alert(1)'>f</a>",
        Gives(("before", "after"), without=("alert(1)", "vbscript")),
    ),
    _markup(
        "data-link",
        "links that are pages of their own",
        "<a href='data:text/html,<script>alert(1)</script>'>a</a>"
        "<a href='data:text/html;base64,PHNjcmlwdD4='>b</a>",
        Gives(("before", "after"), without=("data:",)),
    ),
    _markup(
        "other-schemes",
        "links to programs",
        "<a href='ms-msdt:/id x'>a</a><a href='steam://run'>b</a>"
        "<a href='blob:https://evil.test/1'>c</a><a href='view-source:https://evil.test'>d</a>",
        Gives(("before", "after"), without=("ms-msdt", "steam:", "blob:", "view-source:")),
    ),
    _markup(
        "file-links",
        "links and images in the reader's own files and on shares",
        "<a href='file:///etc/passwd'>a</a><img src='file://evil.test/share/x.png' alt=pic>"
        "<img src='\\\\evil.test\\x' alt=q>",
        Gives(("before", "after"), without=("file:", "passwd")),
    ),
    _markup(
        "iframe",
        "frames",
        "<iframe src=//evil.test></iframe><iframe srcdoc='<script>alert(1)</script>'></iframe>"
        "<frameset><frame src=//evil.test></frameset><object data=//evil.test></object><embed src=//evil.test>",
    ),
    _markup(
        "meta-refresh",
        "a page that leads away by itself",
        "<meta http-equiv=refresh content='0;url=https://evil.test/'>",
    ),
    _markup(
        "base-of-another-site",
        "a base that turns every link to another site is only a base",
        "<base href='javascript:alert(1)//'><a href=x>link</a>",
    ),
    _markup(
        "form",
        "forms and their controls",
        "<form action=https://evil.test/><input name=password>"
        "<button formaction=javascript:alert(1)>go</button></form>",
    ),
    _markup(
        "style-element",
        "styles that load and hide",
        "<style>@import '//evil.test';p{background:url(//evil.test)}</style>",
    ),
    _markup(
        "style-attribute", "styles on elements", "<p style='background:url(//evil.test);position:fixed'>x</p>"
    ),
    _markup(
        "link-elements",
        "links that load",
        "<link rel=stylesheet href=//evil.test><link rel=prefetch href=//evil.test>"
        "<link rel=import href=//evil.test>",
    ),
    _markup(
        "loading-attributes",
        "attributes that load",
        "<p background=//evil.test>x</p><video poster=//evil.test src=//evil.test></video>"
        "<img alt=p srcset='javascript:alert(1) 1x' longdesc=javascript:alert(1)><a ping=//evil.test href=/x>y</a>",
    ),
    _markup(
        "mathml-link",
        "formulas that are links",
        "<math href='javascript:alert(1)'><mi xlink:href='javascript:alert(1)'>y</mi>"
        "<maction actiontype='statusline#https://evil.test' xlink:href='javascript:alert(1)'>z</maction></math>",
        Gives(("before", "after"), without=("alert(1)", "xlink", "actiontype")),
    ),
    _markup(
        "mathml-annotation",
        "a page in a formula's annotation",
        "<math><semantics><mi>x</mi><annotation-xml encoding='text/html'><script>alert(1)</script>"
        "<img src=x onerror=alert(1)></annotation-xml></semantics></math>",
        WORDS,
    ),
    _markup(
        "mutation-mglyph",
        "markup that changes its meaning when it is parsed again (mglyph)",
        "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'></math>",
        WORDS,
    ),
    _markup(
        "mutation-noscript",
        "markup that changes its meaning without scripts",
        "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></p></noscript>",
        WORDS,
    ),
    _markup(
        "mutation-form",
        "markup that changes its meaning by nested forms",
        "<form><math><mtext></form><form><mglyph><svg><mtext><style><path id='</style><img src onerror=alert(1)>'>",
        WORDS,
    ),
    _markup(
        "mutation-namespace",
        "markup that changes its meaning in another name space",
        "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'></style></svg>",
        WORDS,
    ),
    _markup(
        "mutation-comment",
        "a comment that ends early",
        "<!--> <img src=x onerror=alert(1) alt=p> --><!--x--!><img src=x onerror=alert(1) alt=p>",
        WORDS,
    ),
    _markup(
        "mutation-cdata",
        "CDATA that only some parsers know",
        "<svg><![CDATA[><img src=x onerror=alert(1)>]]></svg>"
        "<math><![CDATA[</math><img src=x onerror=alert(1)>]]></math>",
        WORDS,
    ),
    _markup(
        "mutation-backticks",
        "quotes that old browsers knew",
        "<p title='``onmouseover=alert(1)'>x</p>",
        Gives(("before", "after")),
    ),
    _markup(
        "plaintext-element",
        "elements after which nothing is markup",
        "<xmp><script>alert(1)</script></xmp><listing><img src=x onerror=alert(1)></listing>",
        Gives(("before", "alert(1)", "after"), not_in_html=("<script",)),
    ),
    _markup(
        "escaped-script",
        "a script as text stays text",
        "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
        Gives(("before", "alert(1)", "after"), not_in_html=("<script",)),
    ),
    _markup(
        "script-in-code",
        "a script as an example stays an example",
        "<pre><code>&lt;img src=x onerror=alert(1)&gt;</code></pre>",
        Gives(("before", "onerror=alert(1)", "after")),
    ),
    _markup(
        "custom-elements",
        "elements of our own machinery in the page",
        "<webrag-math display=block onclick=alert(1)><script>alert(1)</script>y</webrag-math>",
    ),
    _markup(
        "shadow-root",
        "a hidden tree with a script",
        "<div><template shadowrootmode=open><script>alert(1)</script>"
        "<img src=x onerror=alert(1)></template></div>",
        WORDS,
    ),
    _markup(
        "link-text-markdown",
        "words that would become a link in markdown",
        "<p>[click](javascript:alert(1)) ![x](https://evil.test/pixel.png)</p>",
        Gives(("before", "after"), also="no link and no image in it", check=_no_links),
    ),
    _markup(
        "address-with-markdown",
        "an address that would end its markdown link early",
        "<a href='https://example.org/)![x](javascript:alert(1)'>words</a>",
        Gives(("before", "words", "after")),
    ),
    _markup(
        "image-text-markdown",
        "an image whose description is markdown",
        "<img src=https://example.org/i.png alt='](javascript:alert(1))'>",
        Gives(("before", "after")),
    ),
    _markup(
        "code-language",
        "a language name that would leave its fence",
        "<pre><code class='language-x```\n&lt;script&gt;alert(1)'>code</code></pre>",
        Gives(("before", "code", "after"), not_in_html=("<script",)),
    ),
)
