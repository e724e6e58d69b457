import { Module } from '@nestjs/common';
import { AuditDomain } from './audit';
import { CredentialsDomain } from './credentials';
import { DeploymentsDomain } from './deployments';
import { DirectoryDomain } from './directory';
import { IntegrationsDomain } from './integrations';
import { PeopleDomain } from './people';
import { ProvisioningDomain } from './provisioning';
import { RightsDomain } from './rights';
import { SignInDomain } from './sign-in';
import { TenancyDomain } from './tenancy';

@Module({
  imports: [
    TenancyDomain,
    PeopleDomain,
    RightsDomain,
    CredentialsDomain,
    SignInDomain,
    DeploymentsDomain,
    IntegrationsDomain,
    AuditDomain,
    ProvisioningDomain,
    DirectoryDomain,
  ],
})
export class ControlPlaneModule {}
