import type { Schemas } from '@plinth/contract';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The part of the app's configuration that differs from the standard one. */
export type AppConfig = Partial<Schemas['AppConfigResponse']>;

/** Switches of a tenant; its row exists once something was changed. */
@Entity()
export class TenantSettings {
  @PrimaryColumn('bigint')
  tenantId!: number;

  /** Whether the log can be exported. Events are recorded all the same, so that nobody can switch the record off. */
  @Column('boolean')
  auditLogEnabled!: boolean;

  @Column('timestamptz', { nullable: true })
  auditLogSwitchedAt!: Date | null;

  @Column('boolean')
  hasSupportAccess!: boolean;

  @Column('boolean', { name: 'use_ai_bi_user_interface' })
  useAIBIUserInterface!: boolean;

  @Column('boolean')
  maintenanceWindowEnabled!: boolean;

  @Column('text')
  maintenanceWindowDay!: string;

  @Column('text')
  maintenanceWindowTime!: string;

  @Column('boolean')
  oidcEnabled!: boolean;

  @Column('boolean')
  usageAnalyticsEnabled!: boolean;

  @Column('boolean')
  scimEnabled!: boolean;

  /** Whether users who are no administrators can have API keys. */
  @Column('boolean')
  allowPersonalApiKeys!: boolean;

  /** Whether host applications can show dashboards to users of theirs. */
  @Column('boolean')
  embeddingEnabled!: boolean;

  /** Origins of pages that may frame those for embed users; empty for all. */
  @Column('jsonb')
  embedOrigins!: string[];

  /** Whether Python programs of reports are run. */
  @Column('boolean')
  pythonEnabled!: boolean;

  /** Whether embed users can make content of their own. */
  @Column('boolean')
  creatorModeEnabled!: boolean;

  @Column('jsonb')
  appConfig!: AppConfig;
}

/** What a tenant has that never changed anything. */
export const standardSettings = (tenantId: number): TenantSettings => ({
  tenantId,
  auditLogEnabled: false,
  auditLogSwitchedAt: null,
  hasSupportAccess: false,
  useAIBIUserInterface: true,
  maintenanceWindowEnabled: false,
  maintenanceWindowDay: 'Sunday',
  maintenanceWindowTime: '02:00',
  oidcEnabled: false,
  usageAnalyticsEnabled: true,
  scimEnabled: true,
  allowPersonalApiKeys: false,
  embeddingEnabled: true,
  embedOrigins: [],
  pythonEnabled: true,
  creatorModeEnabled: true,
  appConfig: {},
});
