"""Sentences of simple English for the example model: a grammar of some 300 words in which what comes next can be known
from what was said before. People meet, give, lose and find things; names come back, pronouns and verbs agree, lists
repeat.

    python3 assets/examples/english.py 20        writes twenty sentences
"""
import random
import sys

WOMEN = "Ann Mary Eve Lisa Rosa Nina Ida Clara Emma Julia Sara Vera Hanna Lucy Marta Olga".split()
MEN = "Tom Ben Max Leo Paul Sam Jack Hugo Otto Adam Karl Finn Noah Peter Oscar Felix".split()
THINGS = ("key ball book cup box hat pen map coat ring bag lamp bell knife shoe letter apple cake flower coin bottle "
          "camera clock glass picture stone stick watch basket blanket brush button candle card chair drum fork jar "
          "kite ladder mirror needle pillow plate rope spoon ticket towel wheel wallet").split()
ANIMALS = "dog cat bird horse mouse rabbit sheep goat duck cow fox hen".split()
PLACES = ("house garden park school shop station kitchen street lake church market forest hotel library museum office "
          "river tower village bridge farm field beach").split()
COLOURS = "red blue green black white yellow brown grey pink orange".split()
SIZES = "old new small big heavy light long short round clean broken pretty".split()
FEELINGS = "happy sad tired hungry angry late ill calm proud busy".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
NUMBERS = "two three four five six seven eight nine ten".split()
MEETING = ["went out", "met", "sat down", "came home", "had lunch", "went to the {place}", "met at the {place}",
           "were at the {place}", "walked to the {place}"]
GIVING = "gave sold showed brought lent handed".split()
OTHERS = ("when and went out then later , . to the a an her his him she he they them it in at on with from was were is are met sat "
          "down came home had lunch walked lost found saw took looked for asked said that thanked who has have got bought "
          "kept put lives likes reads runs sings sleeps live like read run sing sleep there next again both first last "
          "because but not now under behind near into of day week morning evening one").split()


def plural(noun):
    return {"knife": "knives", "mouse": "mice", "sheep": "sheep"}.get(noun) or noun + (
        "es" if noun[-1] in "sx" or noun[-2:] in ("ch", "sh") else "s")


def plurals(nouns):
    return sorted({plural(noun) for noun in nouns})


def words():
    """All words of the grammar, in a fixed order."""
    given = [*WOMEN, *MEN, *THINGS, *ANIMALS, *PLACES, *COLOURS, *SIZES, *FEELINGS, *DAYS, *NUMBERS, *GIVING, *OTHERS,
             "When", "The", "Then", "Later", "There", "On", "It", "She", "He", "They", *plurals(THINGS[:24]),
             *plurals(ANIMALS)]
    return list(dict.fromkeys(given))


class Grammar:
    """Draws sentences. `unseen`: only such pairs of people as are never drawn otherwise."""

    def __init__(self, seed, unseen=False):
        self.random = random.Random(seed)
        self.unseen = unseen

    def pick(self, words):
        return self.random.choice(words)

    def two(self, words):
        return self.random.sample(words, 2)

    def pair(self):
        """Two people; one pair in eight is kept for the test."""
        while True:
            a, b = self.two(WOMEN + MEN)
            first, second = sorted((a, b))
            if ((sum(ord(c) for c in first) + 3 * sum(ord(c) for c in second)) % 8 == 0) == self.unseen:
                return a, b

    def thing(self):
        noun = self.pick(THINGS)
        return self.pick([noun, noun, f"{self.pick(COLOURS)} {noun}", f"{self.pick(SIZES)} {noun}"])

    def giving(self):
        """Two people meet, and one gives something to the other: who is told by the one that is not named again."""
        a, b = self.pair()
        meeting = self.pick(MEETING).format(place=self.pick(PLACES))
        giver, taker = self.pick([(a, b), (b, a)])
        start = self.pick([f"When {a} and {b} {meeting} ,", f"Then {a} and {b} {meeting} .", f"{a} and {b} {meeting} ."])
        return f"{start} {giver} {self.pick(GIVING)} the {self.thing()} to {taker} ."

    def finding(self):
        """A thing is lost and found; its owner gets it back."""
        a, b = self.pair()
        thing = self.thing()
        own, whom = ("her", "she") if a in WOMEN else ("his", "he")
        back = f"{b} found the {thing} and gave it to {a} ."
        return f"{a} lost {own} {thing} in the {self.pick(PLACES)} . {back} Then {whom} thanked {b} ."

    def pronoun(self):
        a = self.pick(WOMEN + MEN)
        she, her = ("she", "her") if a in WOMEN else ("he", "his")
        feeling = self.pick(FEELINGS)
        return self.pick([
            f"{a} was {feeling} because {she} lost {her} {self.thing()} .",
            f"{a} put {her} {self.thing()} on the {self.pick(['chair', 'box', 'bag', 'plate'])} . {she.capitalize()} was {feeling} .",
            f"{a} said that {she} was {feeling} ."])

    def together(self):
        a, b = self.pair()
        place = self.pick(PLACES)
        return self.pick([
            f"{a} and {b} were {self.pick(FEELINGS)} because they lost the {self.thing()} .",
            f"{a} and {b} walked to the {place} . They had lunch at the {place} ."])

    def agreement(self):
        """The verb agrees with the noun at the head, not with the one beside it."""
        one, many = self.pick(THINGS[:24]), self.pick(ANIMALS)
        near = self.pick(PLACES)
        verb = self.pick([("is", "are"), ("was", "were")])
        if self.random.random() < 0.5:
            return f"The {one} near the {plural(many)} {verb[0]} {self.pick(SIZES)} ."
        return f"The {plural(one)} in the {near} {verb[1]} {self.pick(SIZES)} ."

    def habit(self):
        verb = self.pick([("sings", "sing"), ("runs", "run"), ("reads", "read"), ("sleeps", "sleep"), ("lives", "live")])
        place = self.pick(PLACES)
        if self.random.random() < 0.5:
            return f"{self.pick(WOMEN + MEN)} {verb[0]} in the {place} ."
        a, b = self.pair()
        return f"{a} and {b} {verb[1]} in the {place} ."

    def listed(self):
        """A list of things that comes back in its order."""
        a = self.pick(WOMEN + MEN)
        things = self.random.sample(THINGS, self.random.choice([2, 3, 3, 4]))
        listing = " , ".join(f"a {thing}" for thing in things[:-1]) + f" and a {things[-1]}"
        again = " , ".join(f"the {thing}" for thing in things[:-1]) + f" and the {things[-1]}"
        return f"{a} bought {listing.replace('a apple', 'an apple')} . Later {a} lost {again} ."

    def coloured(self):
        """Each thing keeps its colour."""
        things, colours = self.random.sample(THINGS, 3), self.random.sample(COLOURS, 3)
        told = " . ".join(f"The {thing} is {colour}" for thing, colour in zip(things, colours))
        at = self.random.randrange(3)
        return f"{told} . The {things[at]} is {colours[at]} ."

    def days(self):
        at = self.random.randrange(7)
        a = self.pick(WOMEN + MEN)
        first, then = DAYS[at], DAYS[(at + 1) % 7]
        return f"On {first} {a} went to the {self.pick(PLACES)} , and on {then} to the {self.pick(PLACES)} ."

    def sentence(self):
        kinds = [self.giving] * 6 + [self.finding] * 3 + [self.pronoun] * 2 + [self.together, self.agreement] + [
            self.habit, self.days] + [self.listed] * 3 + [self.coloured] * 2
        return self.pick(kinds)()


if __name__ == "__main__":
    grammar = Grammar(1)
    known = set(words())
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 10):
        text = grammar.sentence()
        missing = [word for word in text.split() if word not in known]
        print(text, f"   UNKNOWN {missing}" if missing else "")
