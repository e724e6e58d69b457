import { restoreConsole } from './quiet-console';
import { errors, ExternalSigningKey, interactionPolicy, Provider } from 'oidc-provider';

restoreConsole();

export { errors, ExternalSigningKey, interactionPolicy, Provider };
