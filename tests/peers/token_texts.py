"""Texts for tokenizers: mixed scripts, runs of blanks and digits, control characters, broken UTF-8. The same ones in every run."""
import random

ALPHABETS = {
    "latin": "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
    "accents": "éèüñßøłčžşğıİÅåÀàÇœ",
    "cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЁЖ",
    "greek": "αβγδεζηθικλμνξοπρστυφχψωΑΒΓΔΩ",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي٠١٢٣٤٥٦٧٨٩ًٌٍ",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשתְִֵ",
    "devanagari": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौ्ंः०१२३४५६७८९",
    "thai": "กขฃคฅฆงจฉชซฌญฎฏฐฑฒณดตถทธนบปผฝพฟภมยรลวศษสหฬอฮะัาำิีึืุูเแโใไ็่้๊๋์๐๑๒",
    "han": "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年",
    "kana": "あいうえおかきくけこさしすせそアイウエオカキクケコー。、「」",
    "hangul": "가나다라마바사아자차카타파하한국어ㄱㄴㄷ",
    "digits": "0123456789",
    "numbers": "½²³ⅣⅫ①②㊿𝟘𝟙",
    "marks": "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~",
    "wide_marks": "…—–“”‘’·•¿¡«»！，。：；？～％",
    "symbols": "€£¥₹∑∫√≈≠≤≥→←↔∞±×÷°©®™⿰⿼㇯",
    "combining": "\u0300\u0301\u0308\u030a\u0327\u0338\u20d7",
    "emoji": "😀😂🥰🚀🔥👍🎉🦙🇩🇪🇯🇵",
    "rare": "𐐀𐍈𒀀𓀀𠀀𪛖\U0002ebf0\U0002ee5d\U000e0001\U0010ffff\ue000\ufffd\ufeff\u00ad",
    "blanks": " \t\n\r\v\f\u0085\u00a0\u1680\u2003\u2028\u2029\u202f\u205f\u3000\u200b\u200d",
    "control": "".join(map(chr, [*range(1, 9), *range(14, 32), 127, 128, 159])),
}
ZWJ = ["👨‍👩‍👧‍👦", "🏳️‍🌈", "👩🏽‍🚀", "e\u0301", "क्षत्रिय", "ﬁ", "Ǆ", "ǅ", "ŉ", "ſt", "K"]
WORDS = ["I'm", "don't", "We'LL", "it'S", "you'Re", "hello", "World", "HTMLParser", "iPhone", "x86_64", "3.14159", "1234567", "2024-01-01", "://", "...",
         "snake_case", "ÀBc", "ÀBBB", "été", "Straße", "\r\n", "\n\n", "   ", "\t\t", " \n ", "  x", "'", "''s", "' s", "l'été", "1st", "IMGIMGABZ", "<sentinel:12>"]


def texts(count, seed=7):
    draw = random.Random(seed)
    names = list(ALPHABETS)

    def piece():
        kind = draw.random()
        if kind < 0.2:
            return draw.choice(WORDS)
        if kind < 0.25:
            return draw.choice(ZWJ)
        alphabet = ALPHABETS[draw.choice(names)]
        if kind < 0.35:
            return draw.choice(alphabet) * draw.randint(1, 12)
        return "".join(draw.choice(alphabet) for _ in range(draw.randint(1, 9)))

    found = []
    for number in range(count):
        blanks = draw.choice(["", " ", " ", " ", "  ", "\n"])
        data = blanks.join(piece() for _ in range(draw.randint(1, 14))).encode()
        if number % 10 == 9:
            data = broken(data, draw)
        found.append(data)
    return found


def broken(data, draw):
    """Bytes that are no UTF-8 in between: lone continuations, cut sequences, bytes that never begin one. No NUL: its readers end there."""
    junk = [b"\x80", b"\xbf\xbf", b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x98", b"\xff", b"\xfe", b"\xed\xa0\x80", b"\xf8\x88\x80"]
    at = draw.randint(0, len(data))
    return data[:at] + draw.choice(junk) + data[at:]
