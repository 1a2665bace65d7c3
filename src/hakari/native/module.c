#include "native.h"

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "Compiled loops; every one has a fallback in Python that gives the same bytes.", -1, NULL,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module == NULL) return NULL;
    PyMethodDef *tables[] = {hakari_scan_methods, hakari_bm25_methods, hakari_measures_methods, hakari_dense_methods,
                             hakari_audit_methods};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (PyModule_AddFunctions(module, tables[i]) < 0) {
            Py_DECREF(module);
            return NULL;
        }
    }
    return module;
}
