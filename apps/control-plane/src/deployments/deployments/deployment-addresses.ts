import { Inject, Injectable } from '@nestjs/common';
import { CONFIG } from '@plinth/host';
import { requestContext } from '@plinth/observability';
import { LOCAL_URL_TEMPLATE, type DeploymentAddressConfig } from './deployment-addresses.config';
import type { Deployment } from './deployment.entity';

type Located = Pick<Deployment, 'id' | 'region' | 'customDomain'>;
type Addresses = Pick<DeploymentAddressConfig, 'deploymentUrlTemplate' | 'sqlHostTemplate' | 'sqlPort' | 'aiUrl'>;

/** What a generated host says of its deployment. */
export interface HostFacts {
  id: number;
  /** Undefined when the operator's template has none. */
  region: string | undefined;
}

/** Where the data APIs of deployments are: by the operator's templates, or below the address that the client uses. */
@Injectable()
export class DeploymentAddresses {
  private readonly template: string;
  private readonly hosts: RegExp;

  constructor(@Inject(CONFIG) private readonly config: Addresses) {
    this.template = config.deploymentUrlTemplate ?? LOCAL_URL_TEMPLATE;
    this.hosts = hostPattern(this.template);
  }

  /** Base URL of the data API as the client of the request being served reaches it, without a slash at the end. */
  baseUrl(deployment: Located): string {
    const origin = this.config.deploymentUrlTemplate === undefined ? requestContext()?.origin : undefined;
    if (deployment.customDomain) return `https://${deployment.customDomain}`;
    return origin === undefined ? this.generatedUrl(deployment) : `${origin}/deployments/${deployment.id}`;
  }

  /** Host of the deployment's own, whether or not another address is shown. */
  generatedHost(deployment: Located): string {
    return new URL(this.generatedUrl(deployment)).host;
  }

  /** What a host without its port says, when it is like {@link generatedHost}. */
  factsOf(host: string): HostFacts | undefined {
    const { id, region } = this.hosts.exec(host)?.groups ?? {};
    return id === undefined ? undefined : { id: Number(id), region };
  }

  /** URL of the REST API of a branch; of production without one. */
  restUrl(deployment: Located, branch?: string): string {
    const environment = branch === undefined ? '' : `/dev-mode/${encodeURIComponent(branch)}`;
    return `${this.baseUrl(deployment)}${environment}/cubejs-api/v1`;
  }

  /** Where the automatic agent is asked with a token of the deployment. */
  chatUrl({ id }: Located, accountName: string): string {
    const base = this.config.aiUrl ?? requestContext()?.origin ?? '';
    return `${base}/api/v1/public/${encodeURIComponent(accountName)}/deployments/${id}/chat/stream-chat-state`;
  }

  sql(deployment: Located): { host: string; port: number } {
    return { host: fill(this.config.sqlHostTemplate, deployment), port: this.config.sqlPort };
  }

  private generatedUrl(deployment: Located): string {
    return fill(this.template, deployment).replace(/\/+$/, '');
  }
}

const fill = (template: string, { id, region }: Located): string =>
  template.replaceAll('{id}', String(id)).replaceAll('{region}', region);

/** Fits the hosts that a template makes; names that stand in it twice have to be equal. */
function hostPattern(template: string): RegExp {
  const host = template.replace(/^https?:\/\//, '').replace(/(:\d+)?\/*$/, '');
  const pattern = host
    .toLowerCase()
    .replace(/[.*+?^$|()[\]\\]/g, '\\$&')
    .replace('{id}', '(?<id>[1-9]\\d{0,14})')
    .replaceAll('{id}', '\\k<id>')
    .replace('{region}', '(?<region>[a-z0-9-]+)')
    .replaceAll('{region}', '\\k<region>');
  return new RegExp(`^${pattern}$`);
}
