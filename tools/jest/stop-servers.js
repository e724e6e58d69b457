const { rmSync } = require('node:fs');

module.exports = async () => {
  const { folder, postgres, nats } = globalThis.plinthTestServers ?? {};
  await Promise.all([postgres?.stop(), nats?.stop()]);
  if (folder) rmSync(folder, { recursive: true, force: true });
};
