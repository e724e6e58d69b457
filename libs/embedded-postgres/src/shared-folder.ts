import { chmod, mkdir } from 'node:fs/promises';

/** Makes a folder that every account can enter, whatever the umask. */
export async function makeSharedFolder(path: string): Promise<void> {
  const firstMade = await mkdir(path, { recursive: true });
  if (firstMade !== undefined) await chmod(path, 0o755);
}
