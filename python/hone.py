"""Models optimised and run by the hone library, with NumPy arrays in and out.

    import hone
    model = hone.load("model.onnx", threads=2)
    outputs = model(x=array)              # a dict by output name
    hone.optimize("model.onnx", "out.onnx")

The library is found by the name libhone.so, or where HONE_LIBRARY says.
"""
import ctypes as C
import os

import numpy as np

_lib = C.CDLL(os.environ.get("HONE_LIBRARY", "libhone.so"))


class _Tensor(C.Structure):
    _fields_ = [("data", C.c_void_p), ("bytes", C.c_size_t), ("dtype", C.c_int), ("rank", C.c_int),
                ("dims", C.POINTER(C.c_int64))]


def _declare(name, result, *args):
    f = getattr(_lib, name)
    f.restype, f.argtypes = result, args
    return f


_P, _S, _I, _PP = C.c_void_p, C.c_char_p, C.c_int, C.POINTER(C.c_void_p)
_options_new = _declare("hone_options_new", _P)
_options_set = _declare("hone_options_set", _I, _P, _S, _S, _PP)
_options_free = _declare("hone_options_free", None, _P)
_load = _declare("hone_program_load", _I, _S, _P, _PP, _PP)
_program_model = _declare("hone_program_model", _P, _P)
_program_free = _declare("hone_program_free", None, _P)
_exec_new = _declare("hone_exec_new", _I, _P, _P, _PP, _PP)
_bind_input = _declare("hone_exec_bind_input", _I, _P, C.c_size_t, C.POINTER(_Tensor), _PP)
_run = _declare("hone_exec_run", _I, _P, _PP)
_output = _declare("hone_exec_output", _I, _P, C.c_size_t, C.POINTER(_Tensor), _PP)
_exec_free = _declare("hone_exec_free", None, _P)
_num_inputs = _declare("hone_model_num_inputs", C.c_size_t, _P)
_num_outputs = _declare("hone_model_num_outputs", C.c_size_t, _P)
_input_name = _declare("hone_model_input_name", _S, _P, C.c_size_t)
_output_name = _declare("hone_model_output_name", _S, _P, C.c_size_t)
_model_load = _declare("hone_model_load_file", _I, _S, _P, _PP, _PP)
_model_save = _declare("hone_model_save_file", _I, _P, _S, _P, _PP)
_model_free = _declare("hone_model_free", None, _P)
_optimize = _declare("hone_optimize", _I, _P, _P, _PP, _PP, _PP)
_report_json = _declare("hone_report_json", _S, _P)
_report_free = _declare("hone_report_free", None, _P)
_dtype_name = _declare("hone_dtype_name", _S, _I)
_message = _declare("hone_error_message", _S, _P)
_where = _declare("hone_error_where", _S, _P)
_hint = _declare("hone_error_hint", _S, _P)
_error_free = _declare("hone_error_free", None, _P)
version = _declare("hone_version", _S)().decode()

_CODES = {_dtype_name(i).decode(): i for i in range(1, 31)}


class Error(Exception):
    """What the library found, where, and what to do."""


def _check(status, error):
    if status == 0:
        return
    parts = [s.decode() for s in (_where(error), _message(error)) if s]
    hint = _hint(error)
    _error_free(error)
    raise Error(": ".join(parts) + (f" ({hint.decode()})" if hint else ""))


class _Options:
    def __init__(self, options):
        self.handle = _options_new()
        for name, value in options.items():
            for v in value if isinstance(value, (list, tuple)) else [value]:
                text = "yes" if v is True else "no" if v is False else str(v)
                error = C.c_void_p()
                _check(_options_set(self.handle, name.replace("_", "-").encode(), text.encode(), C.byref(error)), error)

    def __del__(self):
        _options_free(self.handle)


class Model:
    """A compiled model; call it with arrays by name or in the order of the inputs."""

    def __init__(self, path, **options):
        self._exec = self._program = None
        o, error = _Options(options), C.c_void_p()
        program, handle = C.c_void_p(), C.c_void_p()
        _check(_load(os.fsencode(path), o.handle, C.byref(program), C.byref(error)), error)
        self._program = program
        _check(_exec_new(program, o.handle, C.byref(handle), C.byref(error)), error)
        self._exec = handle
        model = _program_model(program)
        self.inputs = [_input_name(model, i).decode() for i in range(_num_inputs(model))]
        self.outputs = [_output_name(model, i).decode() for i in range(_num_outputs(model))]

    def __call__(self, *args, **named):
        arrays = dict(zip(self.inputs, args)) | named
        kept, error = [], C.c_void_p()
        for name, array in arrays.items():
            if name not in self.inputs:
                raise Error(f"there is no input {name!r}; the model has {self.inputs}")
            a = np.asarray(array, order="C")
            if not a.flags.c_contiguous:
                a = np.ascontiguousarray(a)
            code = _CODES.get(a.dtype.name)
            if code is None:
                raise Error(f"input {name!r}: elements of type {a.dtype} cannot be bound")
            dims = (C.c_int64 * max(1, a.ndim))(*a.shape)
            t = _Tensor(a.ctypes.data, a.nbytes, code, a.ndim, dims)
            _check(_bind_input(self._exec, self.inputs.index(name), C.byref(t), C.byref(error)), error)
            kept.append(a)
        _check(_run(self._exec, C.byref(error)), error)
        return {name: self._result(i) for i, name in enumerate(self.outputs)}

    def _result(self, i):
        t, error = _Tensor(), C.c_void_p()
        _check(_output(self._exec, i, C.byref(t), C.byref(error)), error)
        dtype = np.dtype(_dtype_name(t.dtype).decode())
        shape = tuple(t.dims[d] for d in range(t.rank))
        count = int(np.prod(shape, dtype=np.int64))
        if not count:
            return np.empty(shape, dtype)
        return np.frombuffer(C.string_at(t.data, count * dtype.itemsize), dtype).reshape(shape)

    def __del__(self):
        _exec_free(self._exec)
        _program_free(self._program)


def load(path, **options):
    """A model file in any format that hone reads, optimised and compiled."""
    return Model(path, **options)


def optimize(path, output, **options):
    """Optimises, proves and writes a model; returns the report as JSON text."""
    o, error = _Options(options), C.c_void_p()
    model, better, report = C.c_void_p(), C.c_void_p(), C.c_void_p()
    _check(_model_load(os.fsencode(path), o.handle, C.byref(model), C.byref(error)), error)
    try:
        _check(_optimize(model, o.handle, C.byref(better), C.byref(report), C.byref(error)), error)
        text = _report_json(report).decode()
        _check(_model_save(better, os.fsencode(output), o.handle, C.byref(error)), error)
        return text
    finally:
        _report_free(report)
        _model_free(better)
        _model_free(model)
