import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The secret that signs a deployment's tokens; apart from the settings, so that reading those never touches it. */
@Entity()
export class DeploymentSecret {
  @PrimaryColumn('bigint')
  deploymentId!: number;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  sealedSecret!: string;

  /** Counts the secrets that the deployment has had; tokens name the one that signed them. */
  @Column('integer')
  version!: number;
}
