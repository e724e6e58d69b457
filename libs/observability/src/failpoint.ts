let configured: string | undefined;

/** Makes the process die when it reaches the named point; for tests of what a crash leaves behind. */
export function configureFailpoint(name: string | undefined): void {
  configured = name;
}

/** A point where a crash must do no harm. Does nothing unless configured; then the process ends as by `kill -9`. */
export function failpoint(name: string): void {
  if (name === configured) process.kill(process.pid, 'SIGKILL');
}
