// One control variable of the device libraries, chosen by -DNAME, -DTYPE and -DVALUE. clang links the file that fits the
// compile flags, and the libraries' tests of the variable fold away.
const __constant TYPE NAME = VALUE;
