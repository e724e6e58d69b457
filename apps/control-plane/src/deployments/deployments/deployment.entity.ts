import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryGeneratedColumn, UpdateDateColumn } from 'typeorm';
import type { ReleaseChannel } from '../versions/version-catalogue';

type Settings = Schemas['DeploymentSettings'];

/** A data model with its environments and settings. */
@Entity()
export class Deployment {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  name!: string;

  @Column('text')
  cloudProvider!: Settings['cloudProvider'];

  @Column('text')
  region!: string;

  @Column('text')
  targetPlatform!: string;

  @Column('boolean')
  isManaged!: boolean;

  @Column('text')
  creationStep!: Settings['creationStep'];

  @Column('text', { nullable: true })
  creationMethod!: NonNullable<Settings['creationMethod']> | null;

  @Column('text')
  deployMode!: Schemas['DeployMode'];

  @Column('text')
  deployBranchName!: string;

  @Column('boolean')
  deployBranchReadOnly!: boolean;

  @Column('boolean')
  deployBranchMergeAllowed!: boolean;

  /** Folder inside the repository without a slash at either end; empty for the root. */
  @Column('text')
  deployProjectRoot!: string;

  @Column('text')
  template!: Settings['template'];

  @Column('jsonb')
  templateVariables!: Record<string, unknown>;

  @Column('text')
  releaseChannel!: ReleaseChannel;

  @Column('text')
  version!: string;

  /** Whether the version stays when its channel moves on. */
  @Column('boolean')
  isVersionHeld!: boolean;

  @Column('text', { nullable: true })
  customDomain!: string | null;

  /** Whether agents may be asked with the deployment's own tokens. */
  @Column('boolean', { default: () => 'false' })
  isChatTokenAllowed!: boolean;

  @Column('text', { nullable: true })
  defaultLaunchpadViewGroup!: string | null;

  @Column('text', { array: true, nullable: true })
  launchpadTabs!: string[] | null;

  @Column('jsonb', { nullable: true })
  cspsConfig!: Schemas['PrivateStorage'] | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}

/** What the short form of a deployment is made of. */
export type DeploymentOutline = Pick<Deployment, 'id' | 'name' | 'region' | 'customDomain' | 'creationStep'>;

/** Values that follow from settings and the operator's configuration. */
export interface DerivedSettings {
  deploymentUrl: string;
  autoDomain: string;
  /** Where the automatic agent is asked. */
  chatUrl: string;
  /** Image reference of the version, and the image's name. */
  releaseChannelVersion: string;
  image: string;
  /** Whether production sleeps; null when that is not known. */
  isCold: boolean | null;
}

export const toContractDeployment = (
  { id, name, creationStep }: DeploymentOutline,
  deploymentUrl: string,
): Schemas['Deployment'] => ({ id, name, deploymentUrl, creationStep });

export const toContractSummary = ({ id, name, createdAt }: Deployment): Schemas['DeploymentSummary'] => ({
  id: String(id),
  name,
  created_at: createdAt.toISOString(),
});

/** All settings as the contract shows them. */
export const toContractSettings = (deployment: Deployment, derived: DerivedSettings): Settings => ({
  id: deployment.id,
  name: deployment.name,
  deploymentUrl: derived.deploymentUrl,
  creationStep: deployment.creationStep,
  creationMethod: deployment.creationMethod,
  cloudProvider: deployment.cloudProvider,
  region: deployment.region,
  targetPlatform: deployment.targetPlatform,
  template: deployment.template,
  templateVariables: deployment.templateVariables,
  deployMode: deployment.deployMode,
  deployBranchName: deployment.deployBranchName,
  deployBranchReadOnly: deployment.deployBranchReadOnly,
  deployBranchMergeAllowed: deployment.deployBranchMergeAllowed,
  deployProjectRoot: deployment.deployProjectRoot,
  repoType: hasOutsideRepository(deployment) ? 'git' : 'deployRepo',
  releaseChannel: deployment.releaseChannel,
  releaseChannelVersion: derived.releaseChannelVersion,
  releaseChannelVersionHold: deployment.isVersionHeld,
  cubeImageCloud: derived.image,
  cubeImageVersion: deployment.version,
  autoDomain: derived.autoDomain,
  customDomain: deployment.customDomain,
  isChatTokenAllowed: deployment.isChatTokenAllowed,
  chatUrl: derived.chatUrl,
  defaultLaunchpadViewGroup: deployment.defaultLaunchpadViewGroup,
  launchpadTabs: deployment.launchpadTabs,
  isCold: derived.isCold,
  isManaged: deployment.isManaged,
  isCubeSqlEnabled: true,
  isSupportPreAggregations: true,
  cspsConfig: deployment.cspsConfig,
});

const hasOutsideRepository = ({ creationMethod }: Deployment): boolean =>
  creationMethod === 'github' || creationMethod === 'ssh';

/** What the description for build workers is made of. */
export type DescribedDeployment = Pick<
  Deployment,
  | 'id'
  | 'tenantId'
  | 'name'
  | 'creationMethod'
  | 'deployMode'
  | 'deployBranchName'
  | 'deployBranchReadOnly'
  | 'deployBranchMergeAllowed'
  | 'deployProjectRoot'
>;

export const toDescription = (deployment: DescribedDeployment): Schemas['DeploymentDescription'] => ({
  id: deployment.id,
  name: deployment.name,
  tenantId: deployment.tenantId,
  deployMode: deployment.deployMode,
  deployBranchName: deployment.deployBranchName,
  deployBranchReadOnly: deployment.deployBranchReadOnly,
  deployBranchMergeAllowed: deployment.deployBranchMergeAllowed,
  deployProjectRoot: deployment.deployProjectRoot,
  creationMethod: deployment.creationMethod,
});
