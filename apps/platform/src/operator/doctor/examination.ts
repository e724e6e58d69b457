import { ConfigError, databaseSettings, loadConfig, processSettings, sandboxSettings } from '@plinth/config';
import { findRunningPostgres } from '@plinth/embedded-postgres';
import { mailSettings } from '@plinth/mail';
import { agentsSchema } from '../../../../agents/src';
import { buildWorkerSchema, buildWorkerSettings } from '../../../../build-worker/src';
import { controlPlaneSchema } from '../../../../control-plane/src';
import { embedSchema } from '../../../../embed/src';
import { runtimeSchema } from '../../../../runtime/src';
import { workspaceSchema, workspaceSettings } from '../../../../workspace/src';
import { findInstallation } from '../../installation';
import { checkSettings } from '../../platform';
import { clockFinding, databaseFinding, keysFinding, migrationsFinding } from './database-findings';
import { fail, lineOf, ok, type Finding } from './finding';
import { dbtFinding, diskFinding, mailFinding, natsFinding, pythonFinding, sandboxFinding } from './machine-findings';

const schemas = [controlPlaneSchema, buildWorkerSchema, runtimeSchema, workspaceSchema, embedSchema, agentsSchema];

/** Everything that is looked at, in its order; what is found comes as it is found. */
export async function* examine(): AsyncGenerator<Finding & { name: string }> {
  const settings = settingsFinding();
  yield { name: 'settings', ...settings };
  if (settings.state === 'fail') return;
  // All at once: a server that does not answer takes its seconds.
  const findings = Object.entries(findingsOf()).map(([name, finding]) => ({ name, finding: safely(finding) }));
  for (const { name, finding } of findings) yield { name, ...(await finding) };
}

function settingsFinding(): Finding {
  try {
    checkSettings(findInstallation().environment);
    return ok('all of them can be used');
  } catch (error) {
    if (error instanceof ConfigError) return fail(error.problems.join('; '), 'correct them');
    throw error;
  }
}

function findingsOf(): Record<string, Promise<Finding>> {
  const { config, dataFolder, environment } = findInstallation();
  const url = config.databaseUrl ?? findRunningPostgres(dataFolder)?.url;
  const { pythonCommand } = loadConfig({ pythonCommand: workspaceSettings.pythonCommand }, environment);
  const { dbtCommand } = loadConfig({ dbtCommand: buildWorkerSettings.dbtCommand }, environment);
  return {
    ...databaseFindings(url, dataFolder, environment),
    nats: natsFinding(loadConfig(processSettings, environment)),
    sandbox: sandboxFinding(loadConfig(sandboxSettings, environment)),
    mail: mailFinding(loadConfig(mailSettings, environment)),
    disk: diskFinding(environment['PLINTH_STORAGE_ROOT'] ?? dataFolder),
    python: pythonFinding(pythonCommand),
    dbt: dbtFinding(dbtCommand),
  };
}

function databaseFindings(
  url: string | undefined,
  dataFolder: string,
  environment: Parameters<typeof loadConfig>[1],
): Record<string, Promise<Finding>> {
  if (url === undefined) {
    const todo = 'start the platform, or set PLINTH_DATABASE_URL';
    return { database: Promise.resolve(fail(`no platform runs on ${dataFolder}`, todo)) };
  }
  const { encryptionKeys } = loadConfig({ encryptionKeys: databaseSettings.encryptionKeys }, environment);
  const services = schemas.map(({ service }) => service);
  const database = databaseFinding(url);
  /** What a database that does not answer says about the rest is nothing new. */
  const onceThere = (look: () => Promise<Finding>): Promise<Finding> =>
    database.then(({ state }) => (state === 'fail' ? fail('not known without the database', 'see database') : look()));
  return {
    database,
    migrations: onceThere(() => migrationsFinding(url, schemas)),
    keys: onceThere(() => keysFinding(url, services, encryptionKeys)),
    clock: onceThere(() => clockFinding(url)),
  };
}

const safely = (finding: Promise<Finding>): Promise<Finding> =>
  finding.catch((error: unknown) => fail(lineOf(error), 'docs/operations.md'));
