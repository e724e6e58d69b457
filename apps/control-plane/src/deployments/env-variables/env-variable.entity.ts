import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An environment variable of a deployment, sealed whether its name tells of a secret or not. */
@Entity('env_variable')
export class EnvVariable {
  @PrimaryColumn('bigint')
  deploymentId!: number;

  @PrimaryColumn('text')
  name!: string;

  @Column('bigint')
  tenantId!: number;

  @Column('text')
  sealedValue!: string;
}
