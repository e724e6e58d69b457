# Runs one program over rows. The order and the rows come as lines of JSON over the standard input; what the program prints
# and its result go as lines of JSON over the standard output. Nothing here keeps the program from anything: the wall does.
import ast
import datetime
import decimal
import io
import json
import linecache
import math
import os
import sys
import traceback

NAME = '<report>'
TEXTS_LIMIT = 65536
NUMBERS, BOOLEANS, TIMES = 'number', 'boolean', 'time'

sys.path.extend(json.loads(sys.argv[1]))
# Libraries for numbers start a thread for each processor otherwise.
for name in ('OPENBLAS_NUM_THREADS', 'OMP_NUM_THREADS', 'MKL_NUM_THREADS', 'NUMEXPR_NUM_THREADS'):
    os.environ[name] = '1'
# What is printed past Python, by native code, goes with the errors.
replies = os.fdopen(os.dup(1), 'w', encoding='utf-8', errors='backslashreplace')
os.dup2(2, 1)


def say(reply):
    replies.write(json.dumps(reply, allow_nan=False, separators=(',', ':')) + '\n')
    replies.flush()


class Printed(io.TextIOBase):
    left = TEXTS_LIMIT

    def writable(self):
        return True

    def write(self, text):
        kept = text[: self.left]
        self.left -= len(kept)
        if kept:
            say({'printed': kept})
        return len(text)


def number_in(value):
    if not isinstance(value, str):
        return value
    try:
        return int(value)
    except ValueError:
        pass
    try:
        return float(value)
    except ValueError:
        return value


def boolean_in(value):
    return {'true': True, 'false': False}.get(value, value) if isinstance(value, str) else value


def read_rows(columns):
    """The rows, with numbers and booleans for the texts by which engines answer them."""
    readers = [
        (column['name'], number_in if column['type'] == NUMBERS else boolean_in)
        for column in columns
        if column['type'] in (NUMBERS, BOOLEANS)
    ]
    rows = []
    for line in sys.stdin.buffer:
        part = json.loads(line)
        for row in part:
            for name, read in readers:
                if name in row:
                    row[name] = read(row[name])
        rows.extend(part)
    return rows


def frame_of(columns, rows):
    import pandas

    frame = pandas.DataFrame(rows, columns=[column['name'] for column in columns])
    for column in columns:
        if column['type'] == TIMES:
            frame[column['name']] = pandas.to_datetime(frame[column['name']], errors='coerce')
    return pandas, frame


def plain(value):
    """The value as JSON can hold it."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    pandas = sys.modules.get('pandas')
    if pandas is not None:
        if isinstance(value, pandas.DataFrame):
            return records(value)
        if isinstance(value, (pandas.Series, pandas.Index)):
            return records(value.to_frame()) if isinstance(value, pandas.Series) else plain(list(value))
        if value is pandas.NaT or value is pandas.NA:
            return None
    if isinstance(value, datetime.datetime):
        return value.isoformat(timespec='milliseconds')
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return plain(float(value))
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(each) for each in value]
    kind = type(value)
    if kind.__module__ == 'numpy':
        return plain(value.tolist())
    if kind.__module__.startswith('pandas.') or isinstance(value, datetime.timedelta):
        return str(value)
    raise TypeError(f'the result has a value of the type {kind.__name__}, which JSON cannot hold')


def records(frame):
    """Rows as objects. An index of numbers alone is nothing that anybody has chosen."""
    index = frame.index
    if any(name is not None for name in index.names) or index.dtype.kind not in 'iu':
        frame = frame.reset_index()
    names = [' '.join(map(str, name)) if isinstance(name, tuple) else str(name) for name in frame.columns]
    return [dict(zip(names, map(plain, row))) for row in frame.itertuples(index=False, name=None)]


def names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def scope_for(tree, columns, rows, has_pandas):
    scope = {'__name__': '__main__', 'rows': rows}
    if names_in(tree) & {'df', 'pd'}:
        if not has_pandas:
            raise NameError('df and pd need pandas, which this platform does not provide: use rows')
        scope['pd'], scope['df'] = frame_of(columns, rows)
    return scope


def result_of(code, columns, rows, has_pandas):
    """What the last line is, as in a notebook; otherwise what the program has called `result`."""
    tree = ast.parse(code, NAME)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    whole = ast.Module([*tree.body, *([last] if last else [])], [])
    scope = scope_for(whole, columns, rows, has_pandas)
    exec(compile(tree, NAME, 'exec'), scope)
    value = eval(compile(ast.Expression(last.value), NAME, 'eval'), scope) if last else None
    return plain(scope.get('result') if value is None else value)


def failure(error):
    """In one sentence with its line, and as a trace that begins in the program."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != NAME:
        trace = trace.tb_next
    lines = [each.lineno for each in traceback.extract_tb(trace) if each.filename == NAME] if trace else []
    line = lines[-1] if lines else getattr(error, 'lineno', None) if isinstance(error, SyntaxError) else None
    traceback.print_exception(type(error), error, trace)
    said = error.msg if isinstance(error, SyntaxError) else str(error)
    text = type(error).__name__ + (f': {said}' if said else '') + (f' (line {line})' if line else '')
    return text[:4096]


def main():
    sys.stdout = Printed()
    say({'ready': True})
    order = json.loads(sys.stdin.buffer.readline())
    code = order['code']
    linecache.cache[NAME] = (len(code), None, code.splitlines(True), NAME)
    try:
        rows = read_rows(order['columns'])
        reply = json.dumps(
            {'result': result_of(code, order['columns'], rows, order['hasPandas'])}, allow_nan=False, separators=(',', ':')
        )
    except BaseException as error:
        if isinstance(error, MemoryError):
            rows = None
        reply = json.dumps({'failure': failure(error)})
    sys.stderr.flush()
    replies.write(reply + '\n')
    replies.flush()
    # Threads that the program has left behind are not waited for.
    os._exit(0)


main()
