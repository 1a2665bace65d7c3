#include "native.h"

PyMethodDef hakari_measures_methods[] = {
    {NULL, NULL, 0, NULL},
};
