#include "native.h"

PyMethodDef hakari_scan_methods[] = {
    {NULL, NULL, 0, NULL},
};
