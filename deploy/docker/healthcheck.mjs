// Exit status 0 when the process in this container is ready to serve.
const port = process.env.PLINTH_OPERATIONS_PORT;
const ready = await fetch(`http://127.0.0.1:${port}/healthz/ready`, { signal: AbortSignal.timeout(4_000) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(ready ? 0 : 1);
