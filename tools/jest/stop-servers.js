const { rmSync } = require('node:fs');

module.exports = async () => {
  const { folder, postgres } = globalThis.plinthTestServers ?? {};
  await postgres?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
};
