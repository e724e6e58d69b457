import { replace } from './refusal';

/** What the language names; the other globals are Node's. */
const NAMED = [
  ...['Object', 'Function', 'Array', 'Boolean', 'Number', 'BigInt', 'String', 'Symbol', 'RegExp', 'Date', 'Promise'],
  ...['Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef', 'FinalizationRegistry', 'Proxy', 'Reflect', 'JSON', 'Math'],
  ...['Atomics', 'Intl', 'Iterator', 'Error', 'AggregateError', 'EvalError', 'RangeError', 'ReferenceError'],
  ...['SyntaxError', 'TypeError', 'URIError', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Uint8Array'],
  ...['Int8Array', 'Uint16Array', 'Int16Array', 'Uint32Array', 'Int32Array', 'Uint8ClampedArray', 'Float32Array'],
  ...['Float64Array', 'BigInt64Array', 'BigUint64Array', 'eval', 'parseInt', 'parseFloat', 'isNaN', 'isFinite'],
  ...['escape', 'unescape', 'encodeURI', 'encodeURIComponent', 'decodeURI', 'decodeURIComponent'],
];
/** Each leads to intrinsics that nothing names. */
const UNNAMED: readonly object[] = [
  async () => undefined,
  function* () {},
  async function* () {},
  ...[[], '', new Map(), new Set()].map((each) => each[Symbol.iterator]()),
  ''.matchAll(/a/g),
];

const { defineProperty, getOwnPropertyDescriptor } = Object;

/**
 * Freezes what the objects of this realm inherit and use, which a model reaches from any function of the compiler that it
 * is given: what it would plant there, or put in the place of the original, would be the compiler's.
 */
export function freezeIntrinsics(): void {
  Reflect.deleteProperty(globalThis, 'WebAssembly');
  const intrinsics = new Set<object>();
  for (const each of UNNAMED) collect(each, intrinsics);
  for (const name of NAMED) {
    const value: unknown = getOwnPropertyDescriptor(globalThis, name)?.value;
    if (value === undefined) continue;
    collect(value, intrinsics);
    replace(globalThis, name, value);
  }
  for (const each of intrinsics) freeze(each);
}

/** Everything that can be reached by prototypes, properties and accessors. */
function collect(value: unknown, into: Set<object>): void {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || into.has(value)) return;
  into.add(value);
  collect(Object.getPrototypeOf(value), into);
  for (const key of Reflect.ownKeys(value)) {
    const { value: held, get, set } = getOwnPropertyDescriptor(value, key) ?? {};
    for (const next of [held, get, set]) collect(next, into);
  }
}

function freeze(intrinsic: object): void {
  // Arrays and the like are left as they are: nobody assigns these names to them, and they would be slower.
  if ([Object.prototype, Function.prototype].includes(intrinsic) || isErrorPrototype(intrinsic))
    allowAssigning(intrinsic);
  if (intrinsic !== Error) return void Object.freeze(intrinsic);
  // Libraries set how many frames an error has.
  for (const [key, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Error))) {
    if (key !== 'stackTraceLimit') replace(Error, key, value);
  }
  Object.preventExtensions(Error);
}

const isErrorPrototype = (value: object): boolean =>
  value === Error.prototype || Object.getPrototypeOf(value) === Error.prototype;

/** An object may have a property of its own by the name of one that it inherits, though that one is frozen. */
function allowAssigning(prototype: object): void {
  for (const key of Reflect.ownKeys(prototype)) {
    const { value, configurable, enumerable = false } = getOwnPropertyDescriptor(prototype, key) ?? {};
    if (!configurable || value === undefined) continue;
    const { get, set } = accessors(prototype, key, value);
    defineProperty(prototype, key, { get, set, enumerable, configurable: false });
  }
}

function accessors(
  prototype: object,
  key: PropertyKey,
  inherited: unknown,
): Required<Pick<PropertyDescriptor, 'get' | 'set'>> {
  return {
    get: () => inherited,
    set(this: object, own) {
      if (this === prototype) return;
      defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
    },
  };
}
