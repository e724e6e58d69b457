import { createConnection, type Socket } from 'node:net';
import { PassThrough, pipeline } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Exit, Program, SandboxedProcess } from '../program';
import { asLine, type ControlLine, type FirstLine, onLines, STREAMS, type StreamName } from '../remote/protocol';
import type { Wall, WallOptions } from '../wall';

/** Bridges the start and the replacement of the other process. */
const CONNECT_WITHIN_MS = 10_000;
const RETRY_MS = 100;

/**
 * The wall of another container: programs are run by a process that has no secrets, no volumes and no route to anything
 * (`SandboxServer`). Paths are those of the image, which both have.
 */
export function containerWall({ socket }: WallOptions): Wall {
  if (socket === undefined) throw new Error('no socket of a sandbox is named');
  return { kind: 'container', start: (program) => new RemoteProcess(socket, program) };
}

class RemoteProcess implements SandboxedProcess {
  readonly stdin = new PassThrough();
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly exited: Promise<Exit>;
  private control: Socket | undefined;
  private killed = false;

  constructor(
    private readonly path: string,
    program: Program,
  ) {
    for (const name of STREAMS) this[name].on('error', () => undefined);
    this.exited = this.run(program).then(
      (exit) => exit,
      (error: Error) => this.lost(error),
    );
  }

  kill(): void {
    this.killed = true;
    if (this.control?.writable) this.control.write(asLine({ kill: true }));
  }

  private async run(program: Program): Promise<Exit> {
    const control = await this.connect({ start: program });
    this.control = control;
    if (this.killed) this.kill();
    const exit = await new Promise<Exit>((resolve, reject) => {
      control.once('close', () => reject(new Error('The sandbox has gone')));
      onLines(control, (message) => {
        const line = message as ControlLine;
        if ('exit' in line) resolve(line.exit);
        else for (const name of STREAMS) void this.attach(line.id, name);
      });
    });
    // The other side keeps the output until this connection ends.
    void this.outputRead().then(() => control.destroy());
    return exit;
  }

  private async attach(id: string, stream: StreamName): Promise<void> {
    const ours = this[stream];
    try {
      const theirs = await this.connect({ attach: { id, stream } });
      if (stream === 'stdin') pipeline(ours, theirs, () => undefined);
      else pipeline(theirs.end(), ours, () => undefined);
    } catch {
      ours.destroy();
    }
  }

  private async outputRead(): Promise<void> {
    const outputs = [this.stdout, this.stderr];
    await Promise.all(
      outputs.map((stream) => stream.closed || new Promise((resolve) => stream.once('close', resolve))),
    );
  }

  private lost(error: Error): Exit {
    this.control?.destroy();
    for (const name of STREAMS) this[name].destroy();
    return { code: null, signal: this.killed ? 'SIGKILL' : null, error: error.message };
  }

  private async connect(line: FirstLine): Promise<Socket> {
    const deadline = Date.now() + CONNECT_WITHIN_MS;
    for (;;) {
      try {
        const socket = await connected(this.path);
        socket.write(asLine(line));
        return socket;
      } catch (error) {
        if (this.killed || Date.now() > deadline) throw error;
        await wait(RETRY_MS);
      }
    }
  }
}

function connected(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    // A connection that breaks says so by its end.
    socket.on('error', reject);
    socket.once('connect', () => resolve(socket));
  });
}
