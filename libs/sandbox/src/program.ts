import type { Readable, Writable } from 'node:stream';

/** What an untrusted program may use; more is refused by the operating system. */
export interface ProgramLimits {
  /**
   * Private memory of each process, in bytes. Memory that processes share may take up to 2 GiB more of address space. The
   * Node that runs the platform gets on top of it what it maps for machine code.
   */
  memoryBytes: number;
  /** Processes and threads at the same time. */
  processes: number;
  /** Processor time of each process, in seconds; unlimited when absent. */
  cpuSeconds?: number;
  /** Time until the program is ended, in milliseconds; unlimited when absent. */
  wallMs?: number;
}

/** An untrusted program. Everything here can be sent elsewhere as JSON: nothing of it is a handle. */
export interface Program {
  /** Absolute path of the executable. It and the shared libraries it names can be read without being listed. */
  command: string;
  /** Visible to every user of the machine: no secrets. */
  args: readonly string[];
  /** Absolute paths of files and folders that the program may read; an executable or a library brings its libraries. */
  readable: readonly string[];
  /** Variables of its environment, which is empty otherwise. Visible to every user of the machine: no secrets. */
  environment?: Readonly<Record<string, string>>;
  /**
   * Size of its scratch folder, in bytes. The folder is empty at the start, is the working directory, and is gone at the
   * end: what is to outlive the program goes over its output. Without it, the program writes no files.
   */
  scratchBytes?: number;
  limits: ProgramLimits;
}

/** How a program ended. */
export interface Exit {
  code: number | null;
  /** From a wall with a supervisor, codes from 129 to 192 count as signals. */
  signal: NodeJS.Signals | null;
  /** The limit that ended it, as far as that shows from outside: a program out of memory ends in its own way. */
  limit?: 'wallTime' | 'cpuTime' | 'fileSize';
  /** Why it could not be started. */
  error?: string;
}

/** A program that runs behind a wall. Errors of its streams are owned: nobody has to listen for them. */
export interface SandboxedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Never rejects. Output may still be unread. */
  readonly exited: Promise<Exit>;
  /** Ends the program and every process that it has started, however they have detached themselves. */
  kill(): void;
}
