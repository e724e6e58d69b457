import { Module } from '@nestjs/common';
import { DataTokensModule } from './data-tokens/data-tokens.module';
import { DeploymentsModule } from './deployments/deployments.module';
import { EnvVariablesModule } from './env-variables/env-variables.module';
import { EnvironmentsModule } from './environments/environments.module';
import { RegionsModule } from './regions/regions.module';
import { UsageAnalyticsModule } from './usage-analytics/usage-analytics.module';

const features = [
  RegionsModule,
  DataTokensModule,
  DeploymentsModule,
  EnvVariablesModule,
  EnvironmentsModule,
  UsageAnalyticsModule,
];

@Module({ imports: features, exports: features })
export class DeploymentsDomain {}
