import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@plinth/host';
import type { DeploymentAddressConfig } from './deployment-addresses.config';
import type { Deployment } from './deployment.entity';

type Located = Pick<Deployment, 'id' | 'region' | 'customDomain'>;

/** Where the data APIs of deployments are, by the operator's templates. */
@Injectable()
export class DeploymentAddresses {
  constructor(
    @Inject(CONFIG)
    private readonly config: Pick<DeploymentAddressConfig, 'deploymentUrlTemplate' | 'sqlHostTemplate' | 'sqlPort'>,
  ) {}

  /** Base URL of the data API, without a slash at the end. */
  baseUrl(deployment: Located): string {
    return deployment.customDomain ? `https://${deployment.customDomain}` : this.generatedUrl(deployment);
  }

  /** Host of the generated URL, whether or not a custom domain replaces it. */
  generatedHost(deployment: Located): string {
    return new URL(this.generatedUrl(deployment)).host;
  }

  /** URL of the REST API of a branch; of production without one. */
  restUrl(deployment: Located, branch?: string): string {
    const environment = branch === undefined ? '' : `/dev-mode/${encodeURIComponent(branch)}`;
    return `${this.baseUrl(deployment)}${environment}/cubejs-api/v1`;
  }

  sql(deployment: Located): { host: string; port: number } {
    return { host: fill(this.config.sqlHostTemplate, deployment), port: this.config.sqlPort };
  }

  private generatedUrl(deployment: Located): string {
    return fill(this.config.deploymentUrlTemplate, deployment).replace(/\/+$/, '');
  }
}

const fill = (template: string, { id, region }: Located): string =>
  template.replaceAll('{id}', String(id)).replaceAll('{region}', region);
