export { ProvisioningDomain } from './provisioning.module';
export { provisioningSchema } from './provisioning.schema';
