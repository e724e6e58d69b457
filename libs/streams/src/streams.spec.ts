import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { ownedBytes } from './owned-bytes';
import { spawnOwned } from './spawn-owned';

const settled = () => new Promise((resolve) => setImmediate(resolve));

async function collected(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe(ownedBytes.name, () => {
  it('keep the error of a stream that failed before anybody read it', async () => {
    const source = new PassThrough();
    const bytes = ownedBytes(source);
    source.write('half');
    source.destroy(new Error('the client went away'));
    await settled();
    await expect(collected(bytes)).rejects.toThrow('the client went away');
  });

  it('keep quiet about an error that comes after the last byte, or after the reader has left', async () => {
    const [read, left] = [new PassThrough({ autoDestroy: false }), new PassThrough()];
    const bytes = ownedBytes(read);
    read.end('whole');
    expect(await collected(bytes)).toBe('whole');
    read.emit('error', new Error('late'));
    await ownedBytes(left)[Symbol.asyncIterator]().return?.();
    left.emit('error', new Error('late'));
  });

  it('let go of a stream that nobody reads', async () => {
    const source = new PassThrough();
    await ownedBytes(source)[Symbol.asyncIterator]().return?.();
    expect(source.destroyed).toBe(true);
  });
});

describe(spawnOwned.name, () => {
  it('tells by the close of a child that it could not be started', async () => {
    const child = spawnOwned('/no/such/program', [], { stdio: 'pipe' });
    child.stdin?.write('for nobody');
    await new Promise((resolve) => child.once('close', resolve));
    expect(child.pid).toBeUndefined();
  });

  it('bears that a child ends while it is written to', async () => {
    const child = spawnOwned(process.execPath, ['-e', 'process.exit(3)'], { stdio: 'pipe' });
    const write = (): void => void child.stdin?.write(Buffer.alloc(65_536), (error) => !error && write());
    write();
    child.stdout?.resume();
    child.stderr?.resume();
    expect(await once(child, 'close')).toEqual([3, null]);
  });
});
