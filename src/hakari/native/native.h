/* The optional compiled loops of hakari: one method table a file, joined in module.c. */
#ifndef HAKARI_NATIVE_H
#define HAKARI_NATIVE_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>

extern PyMethodDef hakari_scan_methods[];
extern PyMethodDef hakari_bm25_methods[];
extern PyMethodDef hakari_measures_methods[];
extern PyMethodDef hakari_dense_methods[];
extern PyMethodDef hakari_audit_methods[];

#endif
