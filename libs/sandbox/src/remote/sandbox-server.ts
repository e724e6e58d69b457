import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import type { Program, SandboxedProcess } from '../program';
import type { Sandbox } from '../sandbox';
import { asLine, onLines, readFirstLine, type StreamName } from './protocol';

/** A program has four connections; whoever opens more than these is not our worker. */
const MAX_CONNECTIONS = 1024;

type Streams = Pick<SandboxedProcess, StreamName>;

/**
 * Runs programs for another process, which reaches this one by a unix socket alone: see `protocol.ts`. Programs run behind
 * the strongest wall that this process has itself, and end with the connection that started them.
 */
export class SandboxServer {
  private readonly programs = new Map<string, Streams>();
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly sandbox: Sandbox,
    private readonly server: Server,
  ) {
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket) => this.onConnection(socket));
  }

  /**
   * @param path of the socket; it is open to the user and the group of this process, and to nobody else
   * @throws Error when it cannot listen there, or when others may write to the folder and that cannot be taken from them
   */
  static async listen(sandbox: Sandbox, path: string): Promise<SandboxServer> {
    closeFolder(dirname(path));
    const server = createServer({ allowHalfOpen: true });
    // What an earlier process left behind. Of two that run at once the later one is reached.
    rmSync(path, { force: true });
    const mask = process.umask(0o117);
    try {
      await once(server.listen(path), 'listening');
    } finally {
      process.umask(mask);
    }
    return new SandboxServer(sandbox, server);
  }

  /** Ends every program and every connection. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    await this.sandbox.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private onConnection(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    readFirstLine(socket).then(
      (line) => ('start' in line ? this.start(socket, line.start) : this.attach(socket, line.attach)),
      () => socket.destroy(),
    );
  }

  private start(control: Socket, wanted: Program): void {
    const id = randomUUID();
    const program = this.sandbox.start(wanted);
    this.programs.set(id, { stdin: program.stdin, stdout: kept(program.stdout), stderr: kept(program.stderr) });
    const end = (): void => {
      program.kill();
      this.programs.delete(id);
      control.destroy();
    };
    control.once('end', end);
    control.once('close', end);
    onLines(control, () => program.kill());
    control.write(asLine({ id }));
    void program.exited.then((exit) => control.writable && control.write(asLine({ exit })));
  }

  private attach(socket: Socket, { id, stream }: { id: string; stream: StreamName }): void {
    const program = this.programs.get(id);
    if (!program) socket.destroy();
    else if (stream === 'stdin') socket.pipe(program.stdin).once('close', () => socket.destroy());
    else program[stream].pipe(socket);
  }
}

/** What comes before its reader does: once a program has ended, Node throws away what nobody reads. */
const kept = (output: Readable): Readable => output.pipe(new PassThrough());

const STICKY = 0o1000;
const OTHERS_WRITE = 0o002;

/** Whoever may write there, programs included, could put a socket of his own in the place of this one. */
function closeFolder(folder: string): void {
  const { mode } = statSync(folder);
  if ((mode & OTHERS_WRITE) !== 0 && (mode & STICKY) === 0) chmodSync(folder, mode & ~OTHERS_WRITE);
}
