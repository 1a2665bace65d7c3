#include "native.h"

PyMethodDef hakari_bm25_methods[] = {
    {NULL, NULL, 0, NULL},
};
