import type { Schemas } from '@plinth/contract';

/** A set of actions on a set of resources, as roles carry them. */
export type Policy = Schemas['Policy'];

/** Name of something that a policy can allow; `All` stands for every action on a deployment. */
export type Action = Schemas['PolicyAction'];

/**
 * What an action is about: the account (`global`), a deployment, or one thing inside a deployment (`resource`), whose
 * owning service has the last word.
 */
export type ActionLevel = 'global' | 'deployment' | 'resource';

export interface ActionDescription {
  level: ActionLevel;
  /** What comes with the action. From a global action to one on deployments: on all of them. */
  implies?: readonly Action[];
  /** For `resource` actions: the licence tier without which nobody gets as far as the owning service. */
  tier?: 'AIBIView' | 'AIBIExplore';
}

/** Every action that a policy can name, apart from `All`. */
export const actions: Readonly<Record<Exclude<Action, 'All'>, ActionDescription>> = {
  AIBIView: { level: 'global' },
  AIBIExplore: { level: 'global', implies: ['AIBIView'] },
  AIBIDevelop: { level: 'global', implies: ['AIBIExplore'] },
  AIBIViewer: { level: 'global', implies: ['AIBIView'] },
  AIBIUser: { level: 'global', implies: ['AIBIExplore'] },
  AIBIDeveloper: { level: 'global', implies: ['AIBIDevelop'] },
  DeploymentsManage: {
    level: 'global',
    implies: ['DeploymentCreate', 'DeploymentRead', 'DeploymentUpdate', 'DeploymentDelete'],
  },
  DeploymentCreate: { level: 'global' },
  AuditLogManage: { level: 'global' },
  BillingRead: { level: 'global' },
  ChartPalettesManage: { level: 'global' },
  DashboardThemesManage: { level: 'global' },
  OAuthIntegrationsManage: { level: 'global' },
  OAuthIntegrationsIssueTokens: { level: 'global' },
  McpToolsManage: { level: 'global' },
  AgentAdmin: { level: 'global' },
  CubeNetworkConnect: { level: 'global' },

  DeploymentRead: { level: 'deployment' },
  DeploymentUpdate: { level: 'deployment' },
  DeploymentDelete: { level: 'deployment' },
  SecretsManage: { level: 'deployment' },
  DownloadData: { level: 'deployment' },
  PlaygroundRead: { level: 'deployment' },
  SchemaRead: { level: 'deployment' },
  SchemaUpdate: { level: 'deployment', implies: ['SchemaUpdateDevBranches'] },
  SchemaUpdateDevBranches: { level: 'deployment', implies: ['SchemaRead'] },
  SqlRunnerRead: { level: 'deployment' },
  PreAggregationBuild: { level: 'deployment' },
  APMRead: { level: 'deployment' },
  ChatHistoryRead: { level: 'deployment' },
  DeploymentAgentRead: { level: 'deployment' },
  ScheduledTasksCreate: { level: 'deployment' },
  AlertsCreate: { level: 'deployment' },
  AlertsRead: { level: 'deployment' },
  AlertsUpdate: { level: 'deployment' },
  AlertsDelete: { level: 'deployment' },
  DataAssetsRead: { level: 'deployment' },
  DataAssetsManage: { level: 'deployment', implies: ['DataAssetsRead'] },
  EmbedDeploymentRead: { level: 'deployment' },

  FolderRead: { level: 'resource', tier: 'AIBIView' },
  FolderEdit: { level: 'resource', tier: 'AIBIExplore', implies: ['FolderRead'] },
  FolderManage: { level: 'resource', tier: 'AIBIExplore', implies: ['FolderEdit'] },
  WorkbookRead: { level: 'resource', tier: 'AIBIView' },
  WorkbookEdit: { level: 'resource', tier: 'AIBIExplore', implies: ['WorkbookRead'] },
  WorkbookManage: { level: 'resource', tier: 'AIBIExplore', implies: ['WorkbookEdit'] },
  ReportRead: { level: 'resource', tier: 'AIBIView' },
  ReportEdit: { level: 'resource', tier: 'AIBIExplore', implies: ['ReportRead'] },
  ReportManage: { level: 'resource', tier: 'AIBIExplore', implies: ['ReportEdit'] },
  EmbedDashboardRead: { level: 'resource', tier: 'AIBIView' },
  ChatThreadRead: { level: 'resource', tier: 'AIBIView' },
  AgentRead: { level: 'resource', tier: 'AIBIView' },
  AgentManage: { level: 'resource', tier: 'AIBIExplore', implies: ['AgentRead'] },
  AgentSpaceManage: { level: 'resource', tier: 'AIBIExplore' },
};

export const actionNames = Object.keys(actions) as Exclude<Action, 'All'>[];

/** What the action is about; `All` is about deployments. */
export const describeAction = (action: Action): ActionDescription =>
  action === 'All' ? { level: 'deployment', implies: ['DeploymentRead'] } : actions[action];
