"""Source code known by the look of its lines, whatever its language."""

import re

# Code is told from prose by its lines: how they end, what they begin with, and signs that prose does not have.
_MOST_READ = 100_000  # characters of a text
_LONGEST = 200  # characters of a line of code; what is longer is not even read
_SIGN = re.compile(
    r"""[;{}\\]$|[\w"'\])]\)[:,]?$|[)\]}],$|^[\W_]+$                             # ends of statements and arguments
      | \w\(\)|\w::\w|\w->\w|[=!<>]==?[ ]|=>|&&|\|\||[ ][-+*/%|&]=[ ]|\b(?:self|this)\.\w
      | ^\#[ ]?(?:include|define|undef|if|ifdef|ifndef|else|elif|endif|pragma)\b|^\#!?\[|^@\w+(?:\(|$)
      | ^(?:import|from|using|use|package|namespace|mod|require)[ ][\w.:*{}/<>"']+(?:$|[ ](?:import|as)[ ])
      | ^(?:(?:pub(?:\(\w+\))?|public|private|protected|static|final|abstract|async|export|default|unsafe|inline)[ ])*
         (?:class|def|fn|func|function|struct|enum|impl|trait|interface|template|typedef|const|let|var)[ ][\w$<*&]+[ ]?
         (?:$|[<({=:])
      | ^(?:if|elif|for|while|with|except|switch|case|match)\b.*[:{(]$|^(?:else|try|finally|do|begin):?$
      | ;[ ](?:do|then)$|\$[\w{(]+.*["')}/]|^(?:do|then|esac)$
      | ^(?:return|yield|raise|throw|await)\b[^.?]*$|^(?:break|continue|pass|fi|done|end|esac)$
      | ^[\w.$*&>-]+(?:\[[^\]]*\])?(?:[ ]?:[ ]?[\w\[\], |.]+)?[ ]?[-+*/%|&:?]?=[ ]?\S""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"(?://|/\*|\*(?:/|\s|$)|\#(?!\w)|--\s|;;|\"\"\"|'''|%|<!--)")
_WORDY = re.compile(
    r"(?:[-*+>] |\d+[.)] )?[^\W\d_]+(?:['’-]\w+)*,?(?: [\"'(“]?\w+(?:['’-]\w+)*[,;:)”\"']*){5,}[.?!]?"
)
_LISTED = re.compile(
    r"""(?:[-+*•]|\d+[.)])(?:\s|$)|(?:\(?[a-z\d]|\([a-z\d]{2,4}|[ivx]+)[.)]\s+["“(]?[^\W_]"""
)
# Words and an aside, as “Flour (200 g)”: what is called in code stands right before the bracket, but for keywords, and
# in GNU's style, whose statements end with a semicolon.
_ASIDE = re.compile(
    r"""(?!(?:if|elif|elsif|else|unless|for|foreach|while|until|switch|case|catch|except|def|fn|func|function|return|raise|throw
            |yield|await|assert|from|using|lock|synchronized|new|not|and|or|with)\b)
        [^()\[\]{}=;<>_$"#@\\]*[ ]\([^()\[\]{}=;<>_$"#@\\]*\)[:,.]?""",
    re.VERBOSE,
)
_DRAWN = re.compile(
    r"[-=|:+*_~#<>`\s]+"
)  # underlines, rules, borders, fences in containers: they stand in code and in prose alike
_ROW = re.compile(r"\|.* \|| \|.*\|")
_FENCE = re.compile(r"^[ >]{0,3}(?:`{3,}|~{3,})", re.MULTILINE)
# Of the lines that are no comments: the share that must look like code, and how many there must be at least.
_LEAST_SHARE = 0.6
_LEAST_LINES = 3


def is_source_code(text: str) -> bool:
    """Whether a text is source code, without a fence around it.

    Most of its lines look like code, comments and rules left out; of comments alone it is none, and neither is what
    holds a fence. Of a long text the beginning tells.
    """
    if "\n" not in text or _FENCE.search(text):
        return False
    code = others = 0
    for line in text[:_MOST_READ].split("\n"):
        read = line.strip()
        if not read or _COMMENT.match(read) or _DRAWN.fullmatch(read):
            continue
        if len(read) <= _LONGEST and _SIGN.search(read) and not _is_prose(read):
            code += 1
        else:
            others += 1
    return code >= _LEAST_LINES and code >= _LEAST_SHARE * (code + others)


def _is_prose(line: str) -> bool:
    """Whether a line is one all the same: of words alone or with an aside, an item of a list, a row of a table."""
    return (
        _WORDY.fullmatch(line) is not None
        or _ASIDE.fullmatch(line) is not None
        or _LISTED.match(line) is not None
        or _ROW.search(line) is not None
    )
