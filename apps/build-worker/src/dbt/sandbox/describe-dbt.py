# Tells what dbt needs to be seen behind a wall. Run once, by the interpreter of the command that the operator has named,
# outside the wall.
import ctypes
import importlib
import importlib.metadata
import json
import os
import pkgutil
import sys


def imports(name):
    try:
        importlib.import_module(name)
        return True
    except BaseException:
        return False


imports('dbt.cli.main')
adapters = []
import dbt.adapters

for module in pkgutil.iter_modules(dbt.adapters.__path__):
    if module.ispkg and module.name not in ('base', 'sql', 'contracts', 'events', 'exceptions', 'cache', 'clients', 'record', 'relation_configs', 'catalogs'):
        if imports('dbt.adapters.' + module.name):
            adapters.append(module.name)
for folder in filter(os.path.isdir, sys.path):
    if os.path.basename(folder) == 'lib-dynload':
        for name in os.listdir(folder):
            if not name.startswith(('_test', '_ctypes_test', 'xx', '_xx', '_tkinter', '_curses', 'readline', 'nis', '_dbm', '_gdbm', 'ossaudiodev')):
                imports(name.split('.')[0])


class Library(ctypes.Structure):
    _fields_ = [('address', ctypes.c_void_p), ('name', ctypes.c_char_p)]


loaded = []


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Library), ctypes.c_size_t, ctypes.c_void_p)
def note(library, _size, _data):
    loaded.append(os.fsdecode(library.contents.name or b''))
    return 0


ctypes.CDLL(None).dl_iterate_phdr(note, None)
print(
    json.dumps(
        {
            'executable': os.path.realpath(sys.executable),
            'paths': [path for path in sys.path if os.path.exists(path)],
            'libraries': [name for name in loaded if name.startswith('/')],
            'version': importlib.metadata.version('dbt-core'),
            'adapters': adapters,
        }
    )
)
