"""Tell characters that nobody has made up, as in keys and hashes, from words and names.

In: a text.  Out: where it looks random, and how much.  Pure.

What a person writes follows pairs of characters that stand in other words as well; in a random text every character is
as likely as any other of its alphabet.  The score of a piece is how many bits likelier it is to be random: the bits
that its pairs cost in words, by `_TABLE`, less those that they cost in the smallest alphabet that has all of them.
Pieces between separators are added up as long as the sum rises, so a key is found in an address or a path, too.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator
from functools import lru_cache
from math import log2
from operator import add

CLASSES = string.ascii_lowercase + string.ascii_uppercase + "0_"
"""What the table tells apart: letters, a digit, and anything else."""
_TABLE = """
ka88jfakand687q9o685cefedlssrssrsqssssspsqssorssssssla6ebd7ggj99i6df8bn99e7mil8hpnpomlsqssssqssmppplssposqh6
7jdg6ii7bq79fh5fj9c69glneplplonnpqkrqnmsnnsnnlrssqssk89gga4fgm7jlaih8hmbaeaklkeqjmgjhjokjsslkkmjskiionkssqj3
ag98dbekhni7b7gce678heeafmlnjlikqlmrqllkokpljjnnnrssm49ifc88hn5qrbhh6fn9cbankofsooospmqpssssqqsosqspssrsssj3
bhgi4jbb8rsbeacfr98e9ijslirnmlimnljsplkknisikknoorssm45ijg4kll7shffg6irad9bnnnemmslmlksknssmmmoosmkorrorssq4
cb9aacaqiph7847bla76mcqcsbsprssssssssssssssssssssssssc8ofh5klkakegkk5ajg7j7oioholooololoojoloooooloolkolooj4
ahge4fdj7okbjafeje7fdicshmiojjkknokskkkmlmrjhkrkmssso37fh956km6oh8ih7fsj9aahmpbonplkjnpmnssnnmrmsojmqrqsssq6
5aid4jlm9ohc9g76sj9ddmmrgssqnqmrsoksoommroskllsnlssso78j966b7jamdehc9eli86cckohonmkljmonlsommnokslkknoossso5
dc88ibcmdmb985a8s6998cafkiqppppssspssnprqqsnnpqsqssso95kge6gif9sh7hi78m798bkjkasmrmomjsrlssnmrolspmmqqrrssm6
hjfghjliiklblcieedai1iflmqqqqqmqmqqqqmqiqqkqqjmqqqqqi67ibc5fbl7pcebc7fsa78bcimbrnnkjjmsmosonmmqmsnllspnsssq5
blbi4igb9neeigbajh96ajelcqopmplmqpnssoqnpmsnlnrnpsssp38hce5fm86qidfh9eo89bbjhibikkhihkpkksrijjmksjiimmnssso4
aabd7acnaql786d8r686impkpnsssssqsssssssssssrsspssrssed5hem2ghj6snifgbingfjjiimlmrnsnrnsprssmsssnrokssssssri8
6ifd7gl95nkef77hj79hllcipnlmhmlknnjsslmoklsljipmnssmm5cg8f8cnh9qnfckg8shf4hileckhggggfpmjrsmjmkkrlhmnnlnsqb5
ffdfcggkdsncb9e6qf78ihekkjmlihggojjpojjjjhmhghnnmspnm29jgg2dld6ppcfe9ephfgfphmehgppmpppmpmppppmmpmppppmlppj7
oiggsmkppssfmgshreffhlmssrib88ie9jamd688k9n686cbfcdkla8pljdospepsdpscpodnsassscp7ebe7hhi8aj7dg8dkaae7njl9fh7
bqmniqscmsscmo8nshmkhsssls7kde7fh7bo89eh5dkac7ahlmfmj8eoppasssbpsnspbssilshsssms9feb5dgi7kjbgg8gmcaebjikelj3
nsqisopsrsshjespicmnrhsdssag98dbeihmi8b7gce679hdeadmm49nomfpns9ssesnbrsdrrdrssss8idd99hi5lo9gi7hmacbaliqgpi4
iqnnbomlhsqjnlhsscqmhnsssjbffh4jbb8mkbd9bfp98caijllim49qlqbqsqgssslsdsqqnjhqqskq4khf5hlh8pfeeh6hobe8bljofmo5
prmgslmssssmfamrsojfqrssrscb9aabalgli8947aka77mcmcocpb8memejmmhjfjmmamjhcmafmmhm9mgf5fkkajbihi79gh7h6ijlimj6
irmrblrmcrrkrghrlkkrlkkrmrahfd4fed8kibjbdfge7fegcrijo3fsppesssbsrmpqbrssnoklssrr7ge957jk6nh8gg7eohaabhiqcio6
arksbrlsdsrsppbrsrjsersrjs5bie4ilk9phbag77shacclllgon7csrrfssslsssss8sssnqhsssqs8h977b7janddhc8elh86ccjohnn5
mhloshprssqlmipeshpkiikqssdc88hbckdlb985b9s6999daglij89spmfsojessgssdssalogisses6ide6fid9sh8gh89k798cihlask7
kjknnjnknnnnnngnnnkn6ncnnndehggjlijilalcgedcch2gelmkf6fsps9sssissssrgpssrsgsssss8hbc5fbk8ocdbc7era88bdhnbsq5
hsgrbssgfrljmmfgmspbdnksgsbkbh5hga9nedfgaaig96aifkcno4grmrcssfgskrsseqsbnqhsoses8hcd6dl97oideh9cm89acjggbin4
mpnmprosmrprraofskeklspsspaacc8bcoanj786d8n786gjohplfbaoolaormcrromrhromlromrlrr5gek2ghk7nmhfechnfegikhinni8
9ooodoodaromljbrrajrorkorr6ied8gh96mmdf87fl89ghlegqlm6rojrkorokrrlkolomlmmrroorrcf8d8cgf9pmeahe8pge4hhibcic4
irmriorrirroroirrromlrrrrodgdfbfhjdpmcc9d6me78ggcmdgl2enikbknk9knnknennihkknknnj8kgh2fmd7mncafaciiehhihiehg6
cddccdonnmplmmjlsnkknrq8qsgggffhqonqqlnmmnspmnosqdop84ab8aaaccaifaabb9ha7abdcgkjcdbccceecjgcccebjcacdgejkkgs
"""
"""Each class has two rows of a line; in them stand, for each class that may follow, half bits as digits of base 36.
`scripts/letter_pairs.py` makes it."""
_OF_ROWS = 3.0
"""Bits of a letter that follows itself or the one before it in the alphabet."""
_PIECE = re.compile(
    r"%[0-9A-Fa-f]{2}|\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[nrt0-7])|&(?:#x?[0-9A-Fa-f]{1,6}|[a-z]{2,6});|(?P<is>[A-Za-z0-9]+)"
)
"""An escape, which says nothing, or letters and digits."""
_LINK = 2.0
"""Bits by which a separator is likelier between words."""
_OF_NAMES = 2.2
"""How many times as many bits a text of letters alone needs, which may be a name with many capitals."""


def class_of(character: str) -> str:
    return character if character in string.ascii_letters else "0" if character in string.digits else "_"


def _bits() -> dict[str, float]:
    rows, found = "".join(_TABLE.split()), dict[str, float]()
    places = [(it, CLASSES.index(class_of(it))) for it in string.ascii_letters + string.digits + "_"]
    for first, row in places:
        for second, column in places:
            found[first + second] = int(rows[row * len(CLASSES) + column], 36) / 2
            if first == second or (ord(second) - ord(first) == 1 and first.isalpha()):  # as in `0000` and `abcd`
                found[first + second] = _OF_ROWS
    return found


_BITS = _bits()
_OTHERS = tuple(
    (str.maketrans("", "", signs), log2(n))
    for signs, n in (
        (string.ascii_letters + string.digits, 62),
        (string.ascii_letters, 52),
        (string.ascii_lowercase + string.digits, 36),
        (string.ascii_uppercase + string.digits, 36),
        (string.ascii_lowercase, 26),
        (string.ascii_uppercase, 26),
        (string.digits + "abcdef", 16),
        (string.digits + "ABCDEF", 16),
        (string.digits, 10),
    )
)
"""Each alphabet has what leaves the other characters of a text, and the bits of one of its own."""
_BITS_OF_OTHERS = 6.0
"""A character of another alphabet, as in a prefix, counts this many bits more."""


@lru_cache(maxsize=1 << 14)
def score(piece: str) -> float:
    """Bits by which a piece of letters and digits is likelier random than written; below 0 for words."""
    n, total = len(piece), 0.0
    random = min((n + 1) * bits + _BITS_OF_OTHERS * len(piece.translate(others)) for others, bits in _OTHERS)
    for pair in map(add, f"_{piece}", f"{piece}_"):
        total += _BITS[pair]
    return total - random


def random_parts(text: str, start: int, end: int, fewest: int, bits: float) -> Iterator[tuple[int, int]]:
    """Where at least `fewest` characters in a row of the word `text[start:end]` look random, by at least `bits`."""
    total = best = 0.0
    first = last = start
    for piece in _PIECE.finditer(text, start, end):
        if piece["is"] is None:
            continue
        begin, stop = piece.span()
        value = score(piece[0])
        # what stands between others of a key is one of its characters, or an escape
        is_first = total <= 0
        total = value if is_first else total - _LINK + value
        if is_first or total <= 0:
            if best >= bits and _is_enough(text[first:last], fewest, bits, best):
                yield first, last
            first, best = begin, 0.0
        if total > best:
            best, last = total, stop
    if best >= bits and _is_enough(text[first:last], fewest, bits, best):
        yield first, last


def _is_enough(text: str, fewest: int, bits: float, found: float) -> bool:
    if len(text) < fewest:
        return False
    n_digits = sum(map(str.isdigit, text))
    return 0 < n_digits < sum(map(str.isalnum, text)) - 1 or found >= _OF_NAMES * bits
