# Runs dbt behind a wall, in an empty folder. The input is a line of JSON, then the files of the project, each as a line of
# JSON and its bytes, then an empty line. The output is a line of JSON and the bytes of the manifest; what dbt says goes to the
# error output.
import json
import os
import sys

output = os.fdopen(os.dup(1), 'wb')
os.dup2(2, 1)
source = sys.stdin.buffer
order = json.loads(source.readline())
scratch = os.getcwd()
project = os.path.join(scratch, 'project')
work = os.path.join(scratch, 'work')
for folder in (project, work):
    os.makedirs(folder)


def answer(reply, path=None):
    size = os.path.getsize(path) if path else 0
    output.write(json.dumps({**reply, 'size': size}).encode() + b'\n')
    if path:
        with open(path, 'rb') as manifest:
            while chunk := manifest.read(1 << 16):
                output.write(chunk)
    output.flush()
    os._exit(0)


def refuse(exception, otherwise):
    answer({'ok': False, 'error': str(exception or otherwise)[:4000], 'outOfMemory': is_out_of_memory(exception)})


# dbt takes the end of the memory for a fault of the template, and has no word for it.
def is_out_of_memory(exception):
    while exception is not None:
        if isinstance(exception, MemoryError):
            return True
        exception = exception.__cause__ or exception.__context__
    return False


def receive():
    while line := source.readline().strip():
        entry = json.loads(line)
        target = os.path.join(project, *entry['path'].split('/'))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        left = entry['size']
        with open(target, 'wb') as file:
            while left > 0:
                chunk = source.read(min(left, 1 << 16))
                if not chunk:
                    raise EOFError('the project ends too early')
                file.write(chunk)
                left -= len(chunk)
        os.chmod(target, 0o444)


receive()
# Newer versions of dbt read the nearest `.env`, from this folder upwards.
open(os.path.join(work, '.env'), 'w').close()
with open(os.path.join(work, 'profiles.yml'), 'w') as profiles:
    # JSON is YAML.
    json.dump(order['profiles'], profiles)
os.chdir(work)
os.environ.clear()
os.environ.update(order['environment'])
sys.path[:] = order['paths']
sys.argv = ['dbt']

import threading
from multiprocessing.context import BaseContext


# Locks between processes need a folder that is not there, and there is one process.
BaseContext.Lock = lambda self: threading.Lock()
BaseContext.RLock = lambda self: threading.RLock()
BaseContext.Event = lambda self: threading.Event()
# The check of semantic models makes a pool of processes, and does without.
BaseContext.Semaphore = lambda self, value=1: threading.Semaphore(value)
BaseContext.BoundedSemaphore = lambda self, value=1: threading.BoundedSemaphore(value)

from dbt.cli.main import dbtRunner

options = ['--project-dir', project, '--profiles-dir', work, '--target', order['target']]
options += ['--target-path', os.path.join(scratch, 'target'), '--log-path', os.path.join(scratch, 'logs')]
options += ['--log-format', 'json', '--log-level', 'info', '--log-level-file', 'none', '--no-use-colors']
options += ['--no-partial-parse', '--no-send-anonymous-usage-stats', '--no-populate-cache']

parsed = dbtRunner().invoke(['parse', *options])
if not parsed.success:
    refuse(parsed.exception, 'dbt could not read the project')
selected = None
if order['selector'] is not None:
    listing = ['--select', order['selector'], '--resource-type', 'model', '--output', 'json', '--output-keys', 'unique_id', '--quiet']
    listed = dbtRunner(manifest=parsed.result).invoke(['ls', *options, *listing])
    if not listed.success:
        refuse(listed.exception, 'dbt does not take the selector')
    selected = [json.loads(line)['unique_id'] for line in listed.result]
answer({'ok': True, 'selected': selected}, os.path.join(scratch, 'target', 'manifest.json'))
