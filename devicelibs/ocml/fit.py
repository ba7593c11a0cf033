#!/usr/bin/env python3
# Makes the polynomial tables of special_tables.inc: ./fit.py > special_tables.inc (needs mpmath; takes a minute).
# Each table approximates a smooth function on an interval by Chebyshev interpolation, with as few terms as keep the
# relative error below 2**-57, and is printed in powers of the local variable, highest first, for Horner's rule.
import mpmath as mp

mp.mp.dps = 60


def chebyshev(f, a, b, n):
    """Coefficients of the degree n-1 interpolant in T_k of the variable mapped to [-1, 1]."""
    nodes = [mp.cos(mp.pi * (2 * j + 1) / (2 * n)) for j in range(n)]
    values = [f((b - a) / 2 * t + (a + b) / 2) for t in nodes]
    c = []
    for k in range(n):
        s = sum(values[j] * mp.cos(mp.pi * k * (2 * j + 1) / (2 * n)) for j in range(n))
        c.append(s * (1 if k == 0 else 2) / n)
    return c


def powers(c):
    """The same polynomial in powers of the mapped variable."""
    t0, t1 = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    out = [mp.mpf(0)] * len(c)
    for k, ck in enumerate(c):
        t = t0 if k == 0 else t1
        if k > 1:
            t = [mp.mpf(0)] + [2 * x for x in t1]
            for i, x in enumerate(t0):
                t[i] -= x
            t0, t1 = t1, t
        for i, x in enumerate(t):
            out[i] += ck * x
    return out


def fit(f, a, b):
    a, b = mp.mpf(a), mp.mpf(b)
    c = chebyshev(f, a, b, 44)
    size = max(abs(f(a + (b - a) * i / 16)) for i in range(17))
    least = min(abs(f(a + (b - a) * i / 64)) for i in range(65))
    goal = min(size, max(least, size / 64)) * mp.mpf(2) ** -57
    n = len(c)
    while n > 2 and sum(abs(x) for x in c[n - 1:]) < goal:
        n -= 1
    return powers(c[:n])


def show(name, coefficients):
    text = ", ".join(float(x).hex() for x in reversed(coefficients))
    print(f"#define {name}(t) HORNER({len(coefficients)}, t, {text})")


def hi_lo(z):
    hi = float(z)
    return hi, float(mp.mpf(z) - mp.mpf(hi))


def piece(name, f, a, b, zero=None):
    """f on [a, b]; with a zero inside, f / (x - zero)."""
    g = f
    if zero is not None:
        z = mp.mpf(zero)
        g = lambda x: f(x) / (x - z) if abs(x - z) > mp.mpf(10) ** -25 else mp.diff(f, z)
        hi, lo = hi_lo(z)
        print(f"#define {name}_ZERO_HI {hi.hex()}\n#define {name}_ZERO_LO {lo.hex()}")
    show(name, fit(g, a, b))


print("// Made by fit.py. HORNER(n, t, c...) is the polynomial with the coefficients c, highest power first.")
J0, J1 = (lambda x: mp.besselj(0, x)), (lambda x: mp.besselj(1, x))
Y0, Y1 = (lambda x: mp.bessely(0, x)), (lambda x: mp.bessely(1, x))

# Below 2 (1 for Y): in t = 2 * x*x / limit**2 - 1, so that the argument of the polynomial is in [-1, 1].
def even(f, limit):
    return lambda u: f(mp.sqrt(u)) if u > 0 else f(mp.mpf(10) ** -20)

show("J0_NEAR", fit(even(J0, 2), 0, 4))
show("J1_NEAR", fit(even(lambda x: J1(x) / x, 2), 0, 4))
two_pi = 2 / mp.pi
show("Y0_NEAR", fit(even(lambda x: Y0(x) - two_pi * mp.log(x) * J0(x), 1), 0, mp.mpf(1) / 4))
show("Y1_NEAR", fit(even(lambda x: (Y1(x) - two_pi * (mp.log(x) * J1(x) - 1 / x)) / x, 1), 0, 1))

piece("J0_24", J0, 2, 4, mp.besseljzero(0, 1))
piece("J0_46", J0, 4, 6, mp.besseljzero(0, 2))
piece("J0_68", J0, 6, 8)
piece("J1_24", J1, 2, 4, mp.besseljzero(1, 1))
piece("J1_46", J1, 4, 6)
piece("J1_68", J1, 6, 8, mp.besseljzero(1, 2))
piece("Y0_H1", Y0, mp.mpf(1) / 2, 1, mp.besselyzero(0, 1))
piece("Y0_12", Y0, 1, 2, mp.besselyzero(0, 1))
piece("Y0_24", Y0, 2, 4, mp.besselyzero(0, 2))
piece("Y0_46", Y0, 4, 6, mp.besselyzero(0, 2))
piece("Y0_68", Y0, 6, 8, mp.besselyzero(0, 3))
piece("Y1_12", Y1, 1, 2, mp.besselyzero(1, 1))
piece("Y1_24", Y1, 2, 4, mp.besselyzero(1, 1))
piece("Y1_46", Y1, 4, 6, mp.besselyzero(1, 2))
piece("Y1_68", Y1, 6, 8)

# From 8 on: modulus parts P and Q in t = 128 / x**2 - 1.
def hankel(order, part):
    def f(u):
        if u < mp.mpf(10) ** -12:
            u = mp.mpf(10) ** -12
        x = 1 / mp.sqrt(u)
        phase = x - mp.pi * (2 * order + 1) / 4
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        c, s = mp.cos(phase), mp.sin(phase)
        scale = mp.sqrt(mp.pi * x / 2)
        return scale * (j * c + y * s) if part == "P" else scale * (y * c - j * s) * x
    return f

for order in (0, 1):
    for part in "PQ":
        show(f"HANKEL_{part}{order}", fit(hankel(order, part), 0, mp.mpf(1) / 64))

# I0, I1: power series below 8 (all terms positive), from 8 on sqrt(x) exp(-x) I(x) in t = 16 / x - 1.
show("I0_NEAR", [mp.mpf(16) ** k / mp.factorial(k) ** 2 for k in range(27)])
show("I1_NEAR", [mp.mpf(16) ** k / (mp.factorial(k) * mp.factorial(k + 1)) / 2 for k in range(27)])
def scaled_i(order):
    def f(u):
        if u < mp.mpf(10) ** -12:
            u = mp.mpf(10) ** -12
        x = 1 / u
        return mp.sqrt(x) * mp.exp(-x) * mp.besseli(order, x)
    return f
show("I0_FAR", fit(scaled_i(0), 0, mp.mpf(1) / 8))
show("I1_FAR", fit(scaled_i(1), 0, mp.mpf(1) / 8))

# erfcx for x >= 0: (1 + 2 x) erfcx(x) in t = (x - 4) / (x + 4).
def erfcx_t(t):
    if t > 1 - mp.mpf(10) ** -14:
        t = 1 - mp.mpf(10) ** -14
    x = 4 * (1 + t) / (1 - t)
    e = mp.exp(x * x) * mp.erfc(x) if x < 60 else sum((-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(12)) / (x * mp.sqrt(mp.pi))
    return (1 + 2 * x) * e
show("ERFCX", fit(erfcx_t, -1, 1))

# Gamma: gamma(1 + x) on [0, 1], and from 8 on what Stirling's formula lacks, in t = 16 / x - 1.
show("GAMMA_1", fit(lambda x: mp.gamma(1 + x), 0, 1))
def stirling_rest(u):
    x = 1 / max(u, mp.mpf(10) ** -12)
    return mp.exp(mp.loggamma(x) - (x - mp.mpf(1) / 2) * mp.log(x) + x) # sqrt(2 pi) included
show("GAMMA_FAR", fit(stirling_rest, 0, mp.mpf(1) / 8))
