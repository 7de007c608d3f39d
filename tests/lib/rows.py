"""Reads a trace through libcoltrace.so.0 without a compiler: what is declared
here is what lib/coltrace.h promises."""
import ctypes as c
import sys

lib = c.CDLL('libcoltrace.so.0')


class Error(c.Structure):
    _fields_ = [('code', c.c_int), ('text', c.c_char * 1000)]


def function(name, result, *arguments):
    f = getattr(lib, name)
    f.restype, f.argtypes = result, arguments
    return f


pointer = c.c_void_p
out = c.POINTER(pointer)
error = c.POINTER(Error)
ct_open = function('ct_open', c.c_int, out, c.c_char_p, error)
ct_close = function('ct_close', None, pointer)
ct_table_by_name = function('ct_table_by_name', pointer, pointer, c.c_char_p)
ct_cursor_new = function('ct_cursor_new', c.c_int, out, pointer, pointer,
                         c.POINTER(c.c_char_p), c.c_uint64, c.c_uint64, error)
ct_cursor_next = function('ct_cursor_next', c.c_int, pointer, out, error)
ct_cursor_free = function('ct_cursor_free', None, pointer)
ct_batch_rows = function('ct_batch_rows', c.c_uint32, pointer)
ct_batch_epoch = function('ct_batch_epoch', c.c_uint32, pointer)
ct_batch_u64 = function('ct_batch_u64', c.POINTER(c.c_uint64), pointer,
                        c.c_size_t)
ct_lookup_new = function('ct_lookup_new', c.c_int, out, pointer, error)
ct_lookup_name = function('ct_lookup_name', c.c_char_p, pointer, c.c_uint32,
                          c.c_uint64)
ct_lookup_free = function('ct_lookup_free', None, pointer)


def check(rc):
    if rc < 0:
        sys.exit(e.text.decode())
    return rc


e = Error()
trace, rows, names, batch = pointer(), pointer(), pointer(), pointer()
check(ct_open(trace, sys.argv[1].encode(), e))
check(ct_lookup_new(names, trace, e))
columns = (c.c_char_p * 4)(b'time', b'prev_comm', b'next_comm', None)
check(ct_cursor_new(rows, trace, ct_table_by_name(trace, b'sched:sched_switch'),
                    columns, 0, 2**64 - 1, e))
while check(ct_cursor_next(rows, batch, e)) == 0:
    time, previous, following = (ct_batch_u64(batch, i) for i in range(3))
    for i in range(ct_batch_rows(batch)):
        print(time[i], *(ct_lookup_name(names, ct_batch_epoch(batch),
                                        v[i]).decode()
                         for v in (previous, following)))
ct_cursor_free(rows)
ct_lookup_free(names)
ct_close(trace)
