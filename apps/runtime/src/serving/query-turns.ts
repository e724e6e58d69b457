import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@plinth/errors';
import { CONFIG } from '@plinth/host';
import { FairGate } from '@plinth/tasks';
import type { RuntimeConfig } from '../runtime.config';

/** Requests of one caller to one deployment that may wait. */
const MOST_WAITING = 256;
/** Deployments' worth of requests that a tenant has at a time. */
const DEPLOYMENTS_AT_ONCE = 2;

interface QueryTurn {
  tenantId: number;
  deploymentId: number;
  /** Callers of one deployment take turns, however many requests each of them has; so do deployments of one tenant. */
  caller: string;
}

/** Who may ask an engine now. */
@Injectable()
export class QueryTurns {
  private readonly gates = new Map<string, FairGate>();
  private readonly width: number;

  constructor(@Inject(CONFIG) { engineRequests }: Pick<RuntimeConfig, 'engineRequests'>) {
    this.width = engineRequests;
  }

  /**
   * Resolves when it is the caller's turn, with the function that ends it.
   *
   * @throws AppError `request.rate_limited` (429), and the reason of the signal
   */
  async enter({ tenantId, deploymentId, caller }: QueryTurn, signal: AbortSignal): Promise<() => void> {
    const leaveDeployment = await this.pass(`d${deploymentId}`, this.width, caller, signal);
    try {
      const width = this.width * DEPLOYMENTS_AT_ONCE;
      const leaveTenant = await this.pass(`t${tenantId}`, width, String(deploymentId), signal);
      return () => {
        leaveTenant();
        leaveDeployment();
      };
    } catch (error) {
      leaveDeployment();
      throw error;
    }
  }

  private async pass(key: string, width: number, caller: string, signal: AbortSignal): Promise<() => void> {
    const gate = this.gates.get(key) ?? new FairGate({ width, mostWaiting: MOST_WAITING, refusal: tooManyWaiting });
    this.gates.set(key, gate);
    const forget = (): void => {
      if (gate.idle && this.gates.get(key) === gate) this.gates.delete(key);
    };
    try {
      const leave = await gate.enter(caller, signal);
      return () => {
        leave();
        forget();
      };
    } catch (error) {
      forget();
      throw error;
    }
  }
}

const tooManyWaiting = (): AppError =>
  new AppError('request.rate_limited', 'Too many of your queries are waiting: send fewer at once', {
    retryAfterSeconds: 1,
  });
