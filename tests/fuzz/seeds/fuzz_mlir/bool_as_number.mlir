module attributes {a = true, b = 1 : i1, c = 0 : i1, d = -1 : i1, e = [1 : i1, true]} {
}
