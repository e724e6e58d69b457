export * from './git-servers';
export { SAMPLE_PROJECT_CUBES, sampleProject } from './sample-project';
export { startGithubServer, type GithubDelivery, type GithubServer } from './github-server';
export { startGithubHost, type GithubHost } from './github-server/github-host';
export { startOAuthServer, type OAuthServer, type PreparedAnswer } from './oauth-server';
export { startNatsServer, type NatsServer } from './nats-server';
export { createDatabaseFrom, createEmptyDatabase, type TestDatabase } from './test-database';
export { createTestDatabase, type ServiceDatabase } from './service-database';
