"""One file for each library, with a class `Library`.

`Library(threads)` is made once in a process of its own, and sets what decides on threads before it imports anything.
`load(row, folder)` gives the row as a function without arguments, ready to be timed; `arrays` turns what that function
gives into arrays of float32 or float64; `unload` lets go of what the row holds.
"""
