export { IntegrationsDomain } from './integrations.module';
export { integrationsSchema } from './integrations.schema';
export { oauthIntegrationSettings } from './oauth-integrations/oauth-integrations.config';
