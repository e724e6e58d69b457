export {
  accountSettings,
  appConfigService,
  auditVerifier,
  operatorUsers,
  passwordLinkIssuer,
  signingKeys,
  tenantsService,
} from './on-database';
export { operatorSettings } from './operator.config';
