import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Makes a folder that nobody else can look into, or takes one back: what others may do with the folder and with what lies
 * in it ends. When an entry belongs to another account, as the data of a PostgreSQL that root has lent one, that account
 * may pass through, and list nothing.
 */
export function privateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const { uid } = lstatSync(path);
  const entries = readdirSync(path).map((name) => join(path, name));
  const foreign = entries.filter((entry) => lstatSync(entry).uid !== uid);
  for (const entry of entries) if (!foreign.includes(entry)) closeToOthers(entry);
  chmodSync(path, foreign.length > 0 ? 0o711 : 0o700);
}

function closeToOthers(path: string): void {
  const entry = lstatSync(path);
  // A link has no mode of its own, and a socket's is its server's affair.
  if (entry.isFile() || entry.isDirectory()) chmodSync(path, entry.mode & 0o700);
}
