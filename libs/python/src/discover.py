# Tells what a Python program needs to be seen behind a wall: where modules are found, and the shared libraries that binary
# ones load, with those of the modules that it is asked for. Run once, by the interpreter that the operator has named, outside
# the wall.
import ctypes
import importlib
import importlib.metadata
import json
import os
import pkgutil
import sys

wanted = json.loads(sys.argv[1])


def imports(name):
    try:
        importlib.import_module(name)
        return True
    except BaseException:
        return False


# Of no use without a terminal, a network or files, and with many libraries of their own.
PASSED_OVER = ('_test', '_ctypes_test', 'xx', '_xx', '_tkinter', '_curses', 'readline', 'nis', '_dbm', '_gdbm', 'ossaudiodev')
# Those of the standard library, each of which may need a library of the system.
for folder in filter(os.path.isdir, sys.path):
    if os.path.basename(folder) == 'lib-dynload':
        for name in os.listdir(folder):
            module = name.split('.')[0]
            if not module.startswith(PASSED_OVER):
                imports(module)
imported = [name for name in wanted['modules'] if imports(name)]


def members(name):
    if not imports(name):
        return []
    found = pkgutil.iter_modules(sys.modules[name].__path__)
    return [each.name for each in found if each.ispkg and imports(name + '.' + each.name)]


def version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


packages = {name: members(name) for name in wanted['packages']}


class Library(ctypes.Structure):
    _fields_ = [('address', ctypes.c_void_p), ('name', ctypes.c_char_p)]


loaded = []


# The names are those by which the loader has found them, and by which it will look again.
@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
def note(library, _size, _data):
    loaded.append(os.fsdecode(library.contents.name or b''))
    return 0


ctypes.CDLL(None).dl_iterate_phdr(note, None)
print(
    json.dumps(
        {
            'implementation': sys.implementation.name,
            'version': list(sys.version_info[:3]),
            'executable': os.path.realpath(sys.executable),
            'paths': [path for path in sys.path if os.path.exists(path)],
            'libraries': [name for name in loaded if name.startswith('/')],
            'imported': imported,
            'packages': packages,
            'distributions': {name: version(name) for name in wanted['distributions']},
        }
    )
)
