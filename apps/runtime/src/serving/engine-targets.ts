import { randomUUID } from 'node:crypto';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import { atMost } from '@plinth/caches';
import type { ReplyOf } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { COMPILER_VERSION } from '@plinth/engine';
import { BUS } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import { runInContext } from '@plinth/observability';
import { LRUCache } from 'lru-cache';
import { TranspiledModels, type EngineStart, type TokenFile, type Wanted } from '../engines';
import { readModel } from './model-lines';

/** What is remembered without having been asked for again, in milliseconds. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 2_000;
/** An engine does not start later for want of tokens, in milliseconds. */
const MINTING_MS = 5_000;
const NOTICES = ['control-plane.deployment.changed', 'build-worker.deployment.changed'];

/** A branch whose engine is asked. */
export interface BranchPlace {
  tenantId: number;
  deploymentId: number;
  branchName: string;
  isProduction: boolean;
}

/** The engine that a branch is to have; or that it will have one when its first build is done; or why it has none. */
export type Target = { kind: 'served'; wanted: Wanted } | { kind: 'building' } | { kind: 'none'; error: AppError };

type Settings = ReplyOf<'describeEngineSettings'>;
type Served = ReplyOf<'describeServedModel'>;

/** Which engine serves a branch: its model by the build workers, its settings by the control plane. */
@Injectable()
export class EngineTargets implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly memory = new LRUCache<string, Promise<Target>>({ ...atMost(MOST_REMEMBERED), ttl: REMEMBERED_MS });
  private readonly listeners: ((deploymentId: number) => void)[] = [];
  private unsubscribe: (() => void)[] = [];
  private sequence = 0;

  constructor(
    @Inject(BUS) private readonly bus: Bus,
    private readonly transpiled: TranspiledModels,
  ) {}

  onApplicationBootstrap(): void {
    this.unsubscribe = NOTICES.map((topic) =>
      this.bus.subscribe(topic, ({ deploymentId }) => this.forget(Number(deploymentId))),
    );
  }

  onApplicationShutdown(): void {
    for (const end of this.unsubscribe) end();
  }

  /** Calls the listener when something of a deployment is different. */
  onChange(listener: (deploymentId: number) => void): void {
    this.listeners.push(listener);
  }

  /** @throws AppError when those who know cannot be asked, `deployment.not_found` (404) */
  of(place: BranchPlace): Promise<Target> {
    const key = `${place.deploymentId}/${place.tenantId}/${place.isProduction}/${place.branchName}`;
    const known = this.memory.get(key);
    if (known) return known;
    // On behalf of whoever else asks meanwhile: nobody's leaving ends it.
    const asked = runInContext({ requestId: randomUUID() }, () => this.ask(place));
    this.memory.set(key, asked);
    const drop = (): void => {
      if (this.memory.peek(key) === asked) this.memory.delete(key);
    };
    asked.then(({ kind }) => {
      if (kind === 'building') drop();
    }, drop);
    return asked;
  }

  private forget(deploymentId: number): void {
    const prefix = `${deploymentId}/`;
    for (const key of [...this.memory.keys()]) if (key.startsWith(prefix)) this.memory.delete(key);
    for (const listener of this.listeners) listener(deploymentId);
  }

  private async ask(place: BranchPlace): Promise<Target> {
    const sequence = ++this.sequence;
    const { tenantId, deploymentId, branchName } = place;
    const principal = systemPrincipal(tenantId);
    const [settings, served] = await Promise.all([
      this.bus.ask('describeEngineSettings', principal, { deploymentId }),
      this.bus.ask('describeServedModel', principal, { deploymentId, branchName }),
    ]);
    const { environmentId, commitHash, treeHash, projectRoot, reason } = served;
    if (reason === 'building') return { kind: 'building' };
    if (environmentId === null || commitHash === null || treeHash === null) {
      return { kind: 'none', error: whyNone(branchName, served) };
    }
    const model = { commitHash, projectRoot };
    const wantedPlace = { ...place, environmentId };
    return {
      kind: 'served',
      wanted: {
        place: wantedPlace,
        revision: JSON.stringify([treeHash, projectRoot, settings.revision]),
        sequence,
        order: (pod) =>
          runInContext({ requestId: randomUUID() }, () => this.order(wantedPlace, { pod, settings, model })),
        mintTokens: () => runInContext({ requestId: randomUUID() }, () => this.mintTokens(wantedPlace)),
      },
    };
  }

  private async order(
    place: EngineStart['place'],
    { pod, settings, model }: { pod: string; settings: Settings; model: { commitHash: string; projectRoot: string } },
  ): Promise<Omit<EngineStart, 'tokens'>> {
    const { tenantId, deploymentId } = place;
    const { version, region, variables, tokenVariables } = settings;
    const { stream } = await this.bus.callForStream('readServedModel', {
      principal: systemPrincipal(tenantId),
      path: { deploymentId },
      query: {},
      body: { ...model, branchName: place.branchName, compilerVersion: COMPILER_VERSION },
    });
    const { transpiled: built, ...files } = await readModel(stream);
    // What an engine has made since counts before what the build has.
    const transpiled = [...new Map([...built, ...this.transpiled.of(place, files.model)])];
    return {
      place,
      pod,
      version,
      region,
      variables,
      tokenVariables,
      commitHash: model.commitHash,
      ...files,
      transpiled,
      // Of a model that is not sound, nothing is handed over.
      checked: built.length > 0,
    };
  }

  private async mintTokens({ tenantId, deploymentId }: EngineStart['place']): Promise<readonly TokenFile[]> {
    const { items } = await this.bus.ask(
      'mintEngineTokens',
      systemPrincipal(tenantId),
      { deploymentId },
      { timeoutMs: MINTING_MS },
    );
    return items;
  }
}

function whyNone(branchName: string, { reason, message }: Served): AppError {
  if (reason === 'broken') {
    return new AppError('engine.model_broken', message ?? `The data model of ${branchName} does not compile`);
  }
  const why = reason === 'not_active' ? `Nothing serves the branch ${branchName}` : `There is no branch ${branchName}`;
  return new AppError('branch.not_found', why);
}
