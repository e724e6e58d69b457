/**
 * Frames of a byte stream on NATS. The producer offers an address; the consumer accepts by granting credit to it, with
 * its own address as the reply subject. From then on each side talks to the other's address:
 *
 * - producer: `chunk` (number = its index), `end`, `error` (payload = a wire error) and, while it has nothing to send,
 *   `ping`; the number of the last three is how many chunks went before, so that a loss is noticed;
 * - consumer: `grant` (number = how many chunks may be sent in total; repeated as a sign of life) and `cancel`.
 *
 * A frame is one byte kind, four bytes number (big endian), then the payload.
 */
const frameKinds = { chunk: 1, end: 2, error: 3, ping: 4, grant: 5, cancel: 6 } as const;

export type FrameKind = keyof typeof frameKinds;

export interface Frame {
  kind: FrameKind;
  number: number;
  payload: Uint8Array;
}

const HEADER_BYTES = 5;
const kindOf = new Map(Object.entries(frameKinds).map(([kind, byte]) => [byte as number, kind as FrameKind]));

export function encodeFrame(kind: FrameKind, number: number, payload?: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + (payload?.length ?? 0));
  bytes.writeUInt8(frameKinds[kind], 0);
  bytes.writeUInt32BE(number, 1);
  if (payload) bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** Undefined for bytes that are not a frame. */
export function decodeFrame(bytes: Uint8Array): Frame | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = kindOf.get(view.getUint8(0));
  return kind && { kind, number: view.getUint32(1), payload: bytes.subarray(HEADER_BYTES) };
}
