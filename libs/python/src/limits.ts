/** What programs may cost. */
export interface PythonLimits {
  /** Programs that run at the same time; further ones wait. */
  simultaneous: number;
  /** Programs of one owner that run or wait. */
  mostOfOwner: number;
  /** Programs that run or wait. */
  most: number;
  /** From the start of a program to its result, in milliseconds. */
  wallMs: number;
  /** Private memory of a process, in MiB. */
  memoryMb: number;
  /** Processes and threads at the same time. */
  processes: number;
  /** Size of a result as JSON, in bytes. */
  resultBytes: number;
}

export const defaultPythonLimits: PythonLimits = {
  simultaneous: 2,
  mostOfOwner: 16,
  most: 64,
  wallMs: 20_000,
  memoryMb: 512,
  processes: 16,
  resultBytes: 4 << 20,
};

/** Characters of what a program prints, and of what it says of its errors, that are kept. */
export const TEXT_LIMIT = 65_536;
