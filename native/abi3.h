// The part of Python's stable ABI (3.11 and later) that the kernels use: no Python headers are needed to build them.
#pragma once
#include <cstddef>
#include <cstdint>

#if defined(_WIN32)
#define IMPORTED __declspec(dllimport)
#define EXPORTED __declspec(dllexport)
#else
#define IMPORTED
#define EXPORTED __attribute__((visibility("default")))
#endif

extern "C" {
typedef intptr_t Py_ssize_t;
struct PyObject;
struct PyTypeObject;
typedef PyObject *(*PyCFunction)(PyObject *, PyObject *);
struct PyMethodDef {
  const char *name;
  PyCFunction function;
  int flags;
  const char *doc;
};
struct PyModuleDef_Slot {
  int slot;
  void *value;
};
struct PyModuleDef {
  struct {
    Py_ssize_t references;
    PyTypeObject *type;
    PyObject *(*init)(void);
    Py_ssize_t index;
    PyObject *copy;
  } base;
  const char *name, *doc;
  Py_ssize_t size;
  PyMethodDef *methods;
  PyModuleDef_Slot *slots;
  void *traverse, *clear, *free;
};
struct Py_buffer {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
};
enum { METH_NOARGS = 0x0004, METH_FASTCALL = 0x0080, METH_KEYWORDS = 0x0002 };
enum { PyBUF_FORMAT = 0x0004, PyBUF_C_CONTIGUOUS = 0x0038 };

PyObject *PyModuleDef_Init(PyModuleDef *);
int PyObject_GetBuffer(PyObject *, Py_buffer *, int);
void PyBuffer_Release(Py_buffer *);
Py_ssize_t PyTuple_Size(PyObject *);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
PyObject *PyTuple_New(Py_ssize_t);
int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
PyObject *PyNumber_Index(PyObject *);
long long PyLong_AsLongLong(PyObject *);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
PyObject *PyLong_FromLongLong(long long);
PyObject *PyLong_FromUnsignedLongLong(unsigned long long);
PyObject *PyBool_FromLong(long);
PyObject *PyFloat_FromDouble(double);
double PyFloat_AsDouble(PyObject *);
int PyObject_IsTrue(PyObject *);
const char *PyUnicode_AsUTF8AndSize(PyObject *, Py_ssize_t *);
PyObject *PyUnicode_FromString(const char *);
PyObject *PyErr_Occurred(void);
PyObject *PyErr_Format(PyObject *, const char *, ...);
void PyErr_Clear(void);
IMPORTED extern PyObject *PyExc_TypeError;
void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
void *PyEval_SaveThread(void);
void PyEval_RestoreThread(void *);
IMPORTED extern char _Py_NoneStruct[];
}
