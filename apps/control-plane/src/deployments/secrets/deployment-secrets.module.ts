import { Module } from '@nestjs/common';
import { CredentialsDomain } from '../../credentials';
import { DeploymentSecretsRepository } from './deployment-secrets.repository';

@Module({
  imports: [CredentialsDomain],
  providers: [DeploymentSecretsRepository],
  exports: [DeploymentSecretsRepository],
})
export class DeploymentSecretsModule {}
