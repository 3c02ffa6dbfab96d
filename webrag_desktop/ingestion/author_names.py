"""Names of authors as pages and files write them, one by one, given names first; what is no name is refused."""

import re
from collections.abc import Iterable, Iterator

MOST_AUTHORS = 500
LONGEST_NAME = 120  # characters
_MOST_READ = 200_000  # characters of all that is stated, which 500 names do not need
_FEWEST_OF_SENTENCE = 4  # words; most of a sentence begin with a small letter
_MOST_WORDS = 9  # of a name; organisations have long ones
# Before a name, in the languages whose pages are read most. Some begin a family name, too: before a small letter.
_BY = re.compile(
    r"^(?:(?:(?:written|posted|published|reported|story|text|article|words|post|created|submitted|authored|"
    r"reviewed|edited|words and photos|an article|by-?line)\s+by|by|author\(?s?\)?|writer|autor(?:in|en|es|a)?|"
    r"auteurs?|text(?:o|e)?|texte|publié par|geschrieben von|escrito por|publicado por|автор(?:ы)?|作者|文|記者|记者)"
    r"(?:\s*[:：|–—-]\s*|\s+)|[:：|–—-]\s*)+",
    re.IGNORECASE,
)
_BY_OR_NAME = re.compile(r"^(?i:von|par|por|door|av|af|di|da|przez|od)(?:\s*:\s*|\s+(?=[^\W\d_a-zà-ÿ]))")
# “Di Wu” and “Von Miller” are whole names; what a byline names begins with a small letter or has more than one word.
_WHOLE_NAME = re.compile(r"(?:Von|Av|Af|Di|Da|Od)\s+\S+")
_BETWEEN = r"[;|·•/\n\t]|\s&\s|(?<=\w)\s*&\s*(?=[A-Z])|,?\s(?:and|und|et|en|och|og|with|avec|mit|con)\s|、|，"
_AND = re.compile(rf"\s*(?:{_BETWEEN}|,?\s(?:y|e|i)\s(?=\S+\s+\S))\s*")
_AND_OF_INVERTED = re.compile(rf"\s*(?:{_BETWEEN})\s*")  # “Ortega y Gasset, José” is one
_ET_AL = re.compile(r",?\s+(?:et\s+al\b\.?|(?:and|&)\s+others)", re.IGNORECASE)
_ROLE_WORDS = (
    r"writer|reporter|correspondent|editor|contributor|columnist|analyst|journalist|author|staff|producer|critic|"
    r"professor|researcher|engineer|scientist|fellow|director|manager|founder|ceo|cto|president|lecturer|"
    r"developer|designer|architect|advocate|blogger|photographer|redakteur(?:in)?|redaktion|journaliste|"
    r"specialist|consultant|student|bureau|desk|associate|assistant|intern|lead|head of|chief|guest|"
    r"service|agency|press|news|network|magazine|times|newspapers?|university|institute|college|inc\.?|llc|ltd|team"
)
_ROLE = re.compile(rf"\b(?:{_ROLE_WORDS})\b|^(?:special to|for|in|at|from|of)\s", re.IGNORECASE)
_CREDENTIAL = re.compile(
    r"^(?:ph\.?\s?d|m\.?d|m\.?a|b\.?a|m\.?s(?:c)?|b\.?s(?:c)?|d\.?phil|mph|rn|jd|j\.d|esq|mba|phd candidate|dds|dvm|"
    r"psyd|edd|rd|ldn|cpa|llm|faap|facp|frcp|frs|pe|p\.e|pharmd|np|pa-c|do|ma ed)\.?$",
    re.IGNORECASE,
)
_SUFFIX = re.compile(r"^(?:jr|sr|i{2,3}|iv)\.?$", re.IGNORECASE)
_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|mar(?:ch|s)?|märz|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?)"
)
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_BEGINS = r"(?:\b|(?<=\D)(?=\d)|(?-i:(?<=[a-zà-ÿ])(?=[A-Z])))"  # a date, also right behind a name
_COUNTED = (
    r"(?:min(?:ute)?s?|h(?:our|r)s?|days?|weeks?|months?|years?|seconds?|comments?|views?|repl(?:y|ies)|shares?|posts?|"
    r"words|articles?)"
)
_REST = re.compile(
    r"\s*(?:[-–—|•·]\s.*|\((?:[^()]*(?:@|//|www\.)[^()]*|https?[^()]*)\)|<[^<>]*>|\bupdated\b.*|\bpublished\b.*|"
    r"\b(?:on|le|am)\s+(?=\w*\s?\d).*|\d{1,2}:\d\d.*|"
    rf"{_BEGINS}(?:{_DAY}[,.]?\s+)?(?:\d{{1,2}}\.?\s+)?{_MONTH}\.?\s+\d{{1,4}}(?!\w).*|"
    rf"{_BEGINS}(?:{_DAY}[,.]?\s+)?\d{{1,2}}\.?\s+{_MONTH}\b.*|\d{{4}}-\d\d.*|\d{{1,2}}[./]\d{{1,2}}[./].*|"
    rf"(?<!\S)(?:\d+|an?)\s*{_COUNTED}\b.*|\s(?:follow|following)$)$",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"[(<\[]?(?:https?:/|\bwww\.)\S+|[(<\[]?(?<![^\s@()<>])[^\s@()<>]++@[^\s@()<>]+\.\w+[)>\]]?",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"//|\bwww\.|\S@\S|^@|\.(?:com|org|net|html?|php|io)\b", re.IGNORECASE)
_TEMPLATE = re.compile(r"[{}<>\[\]$%=]|&\w+;")
_REFUSED = frozenset(
    "admin administrator administrador webmaster root user editor editors editorial staff author authors unknown "
    "anonymous anonym guest none null undefined nan n/a na default test moderator superuser system site blog "
    "wordpress home about contact contributor contributors reader readers follow share redaktion redaction "
    "wp-admin adminuser siteadmin others various al yesterday today monday tuesday wednesday thursday friday saturday "
    "sunday facebook twitter linkedin".split()
)
_REFUSED_WORDS = re.compile(
    r"^(?:contributors? to |follow |view all |see all |more from |read more|all posts|posts by|about the|the author|"
    r"by our |web ?master|\w+ contributors$|last updated|updated|published|share |sign in|log in|subscribe|"
    r"(?:photo(?:graph)?s?|portraits?|images?|illustrations?|cover|design(?:ed)?|translat(?:ed|ion)) by |"
    r"author name|your name|first last|no author|not available|not specified|various authors|last modified|written by|"
    r"copyright\b|©|(?:tel|phone|fax|e-?mail)\b\W|\d{3,}\s|facebook\s)",
    re.IGNORECASE,
)
_AGENCIES = frozenset(("reuters", "afp", "ap", "dpa", "upi", "getty", "getty images", "bloomberg"))
_COMPANY = re.compile(r"(?:inc|ltd|llc|gmbh|corp|co|s\.?a|ag|plc|limited|incorporated)\.?$", re.IGNORECASE)
_ORGANISATION = re.compile(
    r"\b(?:organi[sz]ation|university|universit\w+|institute?|department|ministry|council|agency|association|society|"
    r"foundation|committee|college|laborator(?:y|ies)|cent(?:er|re)|office|bank|group|team|authority|commission)\b",
    re.IGNORECASE,
)
# A town and its country; without those that people are named after, too, such as Georgia.
_TOWN = re.compile(
    r"[^\s,]+, (?:England|Scotland|Wales|Northern Ireland|Ireland|(?:Great )?Britain|United Kingdom|U\.?K\.?|"
    r"United States.*|U\.?S\.?A?\.?|Canada|Australia|New Zealand|Germany|Deutschland|Austria|Österreich|"
    r"Switzerland|Schweiz|Spain|España|Portugal|Italy|Italia|Netherlands|Belgium|Luxembourg|Sweden|Norway|Denmark|"
    r"Finland|Iceland|Poland|Czech Republic|Hungary|Romania|Bulgaria|Greece|Turkey|Ukraine|Russia|Japan|"
    r"South Korea|Taiwan|Hong Kong|Thailand|Vietnam|Pakistan|Bangladesh|Egypt|Morocco|Nigeria|Ghana|South Africa|"
    r"Mexico|Brazil|Brasil|Argentina|Colombia|Venezuela|California|Texas|Massachusetts|Illinois|Ohio|Michigan|"
    r"Pennsylvania|Oregon|Colorado|Minnesota|Wisconsin|Maryland|New (?:York|Jersey|Hampshire|Mexico|South Wales)|"
    r"Ontario|Qu[eé]bec|British Columbia|D\.?C\.?)"
)
_REPORTED_FROM = re.compile(r"(\S+\s+\S.*?)\s+in\s+[^\W\d_a-zà-ÿ]")  # “Jane Doe in London”
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[ -]?){1,4}")
_PARTICLES = frozenset(
    "van von der den de la le du di da dos das del della ter ten zu zur al el bin ibn st".split()
)
_WORD = re.compile(r"[^\W\d_]")


def author_names(stated: Iterable[str], *, inverted: bool = False) -> tuple[str, ...]:
    """The names in what was stated, in order and each once, at most 500 of at most 120 characters.

    ``inverted``: a name may be written as libraries do, ``Doe, Jane``. Everywhere else a comma parts names, or a name
    from what its bearer is; ``Doe, Jane`` alone is understood as well.
    """
    found: dict[str, str] = {}
    left = _MOST_READ
    for text in stated:
        read = text[: min(20_000, left)]
        left -= len(read)
        for name in _names_in(read, inverted=inverted):
            found.setdefault(name.casefold(), name)
            if len(found) >= MOST_AUTHORS:
                return tuple(found.values())
    return tuple(found.values())


def _names_in(text: str, *, inverted: bool) -> Iterator[str]:
    lines = "\n".join(" ".join(line.split()) for line in _LINK.sub(" ", text).splitlines())
    whole = _ET_AL.sub("", _without_by(lines.strip().lstrip("/|•·-–— "), inverted=inverted))
    for at, piece in enumerate((_AND_OF_INVERTED if inverted else _AND).split(whole)):
        bare = _without_by(piece.strip(" ,:\u200b").lstrip("."), inverted=inverted)
        if _REFUSED_WORDS.search(bare) or (at and bare.lower() in _AGENCIES):
            continue
        part = _REST.sub("", bare).strip(" ,:")
        if not inverted and _TOWN.fullmatch(part):
            continue
        reported_from = None if _ORGANISATION.search(part) else _REPORTED_FROM.match(part)
        part = reported_from[1] if reported_from else part
        for name in _by_commas(part, inverted=inverted):
            clean = _clean(name)
            if clean is not None:
                yield clean


def _without_by(text: str, *, inverted: bool) -> str:
    text = _BY.sub("", text)
    return text if inverted or _WHOLE_NAME.fullmatch(text) else _BY_OR_NAME.sub("", text)


def _by_commas(part: str, *, inverted: bool) -> list[str]:
    """The names between commas: a list, an inverted name, or a name with titles and roles behind it."""
    pieces = [piece.strip() for piece in part.split(",") if piece.strip()]
    pieces = [piece for piece in pieces if not _CREDENTIAL.match(piece)]
    suffixes = [piece for piece in pieces if _SUFFIX.match(piece)]
    pieces = [piece for piece in pieces if piece not in suffixes]
    if len(pieces) == 2 and _COMPANY.fullmatch(pieces[1]):
        return [" ".join(pieces)]
    if len(pieces) == 2 and _ORGANISATION.search(pieces[0]):
        return pieces[:1]  # and where it is
    if len(pieces) > 2 and len(pieces) % 2 == 0 and _are_pairs(pieces, certain=inverted):
        return [" ".join((given, family)) for family, given in zip(pieces[::2], pieces[1::2], strict=True)]
    if len(pieces) == 2 and _is_inverted(pieces, certain=inverted):
        return [" ".join((pieces[1], pieces[0], *suffixes))]
    if suffixes and pieces:
        pieces[0] = " ".join((pieces[0], *suffixes))
    if len(pieces) > 1 and all(len(piece.split()) == 1 for piece in pieces):
        return pieces if len(pieces) > 2 else pieces[:1]
    several = len(pieces) > 1 and len(pieces[0].split()) > 1
    kept: list[str] = []
    for at, piece in enumerate(pieces):
        is_role = at > 0 and (_ROLE.search(piece) or (several and len(piece.split()) == 1))
        if is_role:
            continue
        kept.append(piece)
    return kept


def _are_pairs(pieces: list[str], *, certain: bool) -> bool:
    """Whether family names and given ones take turns, the given ones as initials where that is not certain."""
    if all(map(_INITIALS.fullmatch, pieces[1::2])):
        return True
    return certain and all(len(piece.split()) == 1 for piece in pieces)


def _is_inverted(pieces: list[str], *, certain: bool) -> bool:
    """Whether two pieces are a family name and given names."""
    family, given = pieces[0].split(), pieces[1].split()
    if _ROLE.search(pieces[1]) and not certain:
        return False
    bare = [word for word in family if word.lower() not in _PARTICLES]
    if certain:
        return len(family) <= 4 and len(given) <= 4
    return len(bare) == 1 and len(given) <= 3 and not any(character.isdigit() for character in pieces[1])


def _clean(name: str) -> str | None:
    name = name.strip(" ,;:·•|*/-–—\"“”'’\u200b\ufeff")
    if name.endswith(".") and not re.search(r"(?:\b[\w]|jr|sr|inc|etc|ltd)\.$", name, re.IGNORECASE):
        name = name[:-1]
    name = " ".join(name.split())
    lowered = name.lower()
    if not 2 <= len(name) <= LONGEST_NAME or len(name.split()) > _MOST_WORDS or not _WORD.search(name):
        return None
    if lowered in _REFUSED or _REFUSED_WORDS.search(name) or _ADDRESS.search(name) or _TEMPLATE.search(name):
        return None
    words = name.split()
    if len(words) >= _FEWEST_OF_SENTENCE and 2 * sum(word[0].islower() for word in words) > len(words):
        return None
    digits = sum(character.isdigit() for character in name)
    return None if digits > len(name) / 2 or not name.isprintable() else name
