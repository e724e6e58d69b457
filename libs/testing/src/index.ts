export { describeDurableTasks } from './durable-tasks/durable-tasks';
export type { TaskSubject } from './durable-tasks/task-subject';
export { obeyCrashOrder, type CrashAct, type CrashOrder } from './crashes/crash-order';
export { CrashStage } from './crashes/crash-stage';
export { runDoomed } from './crashes/run-doomed';
export * from './git-servers';
export * from './language-model';
export { Notes1700000000001, notesSchemaOf } from './notes';
export { isRunning, processesBelow, programsBelow, type RunningProcess } from './processes';
export { pdfPages, pdfTexts } from './pdf-pages';
export { runChild, startChild, type EndedChild } from './run-child';
export { createCertificate, type CertificateFiles } from './certificate';
export { DBT_PROJECTS, dbtProject, type DbtProject, type DbtProjectName } from './dbt-projects';
export { SAMPLE_PROJECT_CUBES, sampleProject } from './sample-project';
export { startGithubServer, type GithubDelivery, type GithubServer } from './github-server';
export { startGithubHost, type GithubHost } from './github-server/github-host';
export { startOAuthServer, type OAuthServer, type PreparedAnswer } from './oauth-server';
export { exampleRequest, type ExampleRequest } from './example-request';
export {
  casesOf,
  customPolicies,
  embedRoles,
  isAccessRefusal,
  matrixRequest,
  matrixRoles,
  readEmbedMatrix,
  readPermissionMatrix,
  type MatrixRole,
} from './permission-matrix';
export { startSmtpServer, type Refusal, type SmtpServer, type StartSmtpServer, type TakenMail } from './smtp-server';
export { freePort } from '@plinth/local-services';
export { startNatsServer, type NatsServer } from './nats-server';
export { createDatabaseFrom, createEmptyDatabase, type TestDatabase } from './test-database';
export { dbtCommand } from './dbt-command';
export { boundMs, deadlineMs, until } from './until';
export { BusCaller, type BusRequest } from './bus-caller';
export { createTestDatabase, provisionTemplate, testEncryptionKey, type ServiceDatabase } from './service-database';
export { describeDataQueries, type ServedShop } from './data-queries';
export { pythonCommand } from './python-command';
