"""drawn_formulas.py PAIRMARK SEED COUNT: draws energies over all functions of docs/interactions.md, evaluates each by a kernel of its own
and has them compared with the reference, which has a parser and derivatives of its own. What has no finite value is refused; all else is right.
"""
import random
import re
import subprocess
import sys

UNARY = ("sqrt exp log sin cos tan asin acos atan sinh cosh tanh erf erfc abs floor ceil sec csc cot square cube recip sign step delta").split()
BINARY = "min max pow atan2".split()
NUMBERS = "0 1 2 3 0.5 1.5 2.5 .25 1.1 1e-3 12 6. 7 (-1) (-0.5) 1e2".split()
EXPONENTS = "2 3 4 6 12 0.5 1.5 2.5 (-1) (-2) (-3) (-0.5) 1 0 5 0.25 (-6) a r".split()
# No number of float or double, or none where a pair is.
REFUSED = "the interaction has no finite value", "a constant that is no finite number", "the interaction overflows", "has no value"


class Draw(random.Random):
    def leaf(self):
        return self.choice(["r"] * 6 + ["a", "(q1*q2)", "(q1+q2)", "b"] + [self.choice(NUMBERS)] * 3)

    def formula(self, depth):
        if depth == 0 or self.random() < 0.12:
            return self.leaf()
        inner = [self.formula(depth - 1) for _ in range(3)]
        kind = self.choices("+-*/^nsbu", (8, 8, 12, 6, 10, 3, 6, 7, 28))[0]
        border = f"{self.choice(['step', 'delta', 'floor'])}({self.choice(NUMBERS)}-r)"
        return {"^": f"({inner[0]})^{self.choice(EXPONENTS)}", "n": f"(-{inner[0]})", "b": f"{self.choice(BINARY)}({inner[0]}, {inner[1]})",
                "s": f"select({self.choice([border, inner[2]])}, {inner[0]}, {inner[1]})",
                "u": f"{self.choice(UNARY)}({self.choice([inner[0], inner[0], border + '*' + inner[0]])})"}.get(kind, f"({inner[0]} {kind} {inner[1]})")


def main(pairmark, seed, count):
    draw = Draw(seed)
    wrong = judged = 0
    with open("drawn.xyz", "w", encoding="utf-8") as file:
        file.write("9\nProperties=species:S:1:pos:R:3:charge:R:1\n")  # some distances of 0.5, 1, 1.5, 2, 2.5: borders
        for at, charge in ((0, 1), (0.5, -1), (1.5, 0.5), (3, 1), (3.25, 0), (4.0625, 2), (5.1, -0.5), (6.37, 1), (7.501, 1)):
            file.write(f"A {at} 0 0 {charge}\n")
    for _ in range(count):
        text = draw.formula(draw.choice((2, 3, 3, 4)))
        values = {"a": "2 0.5 3 1.3 1", "b": "1 0.7 -1.5 6"}
        text = f"energy = {text}" + "".join(f"; {name} = {draw.choice(values[name].split())}" for name in values if re.search(rf"\b{name}\b", text))
        command = [pairmark, "eval", "--box", "drawn.xyz", "--cutoff", "2.6", "--variant", "all_pairs_loop", "--precision", draw.choice(("float", "double")), "--interaction", text]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        judged += done.returncode == 0
        if done.returncode not in (0, 1, 2) or (done.returncode and not any(words in done.stderr for words in REFUSED)):
            wrong += 1
            print(command[-3], text, done.returncode, done.stderr, sep=" | ")
    print(f"{count} formulas, {judged} judged, {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
