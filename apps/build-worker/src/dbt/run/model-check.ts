import { Inject, Injectable } from '@nestjs/common';
import { systemPrincipal } from '@plinth/auth';
import type { Schemas } from '@plinth/contract';
import { AppError } from '@plinth/errors';
import { BUS, LOGGER } from '@plinth/host';
import type { Bus } from '@plinth/messaging';
import type { Logger } from '@plinth/observability';
import { ModelMembersService } from '../../compilation';
import type { DataModel } from '../../data-models';
import { SyncFailure } from '../syncs/sync-outcome';
import type { Written } from './cube-writer';

type Difference = Schemas['DbtSyncDifference'];
type Cubes = Awaited<ReturnType<ModelMembersService['ofCommit']>>;

const MAX_NAMES = 200;
/** Errors of the compiler that a message names. */
const MAX_ERRORS = 5;

/** Holds a generated data model against the compiler and the deploy branch. */
@Injectable()
export class ModelCheck {
  constructor(
    private readonly members: ModelMembersService,
    @Inject(BUS) private readonly bus: Bus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Null when the deploy branch has no valid data model, or one is too large to be compared.
   *
   * @throws SyncFailure with the compiler's errors when the generated data model is not valid
   */
  async compare(model: DataModel, { commit, base }: Written): Promise<Difference | null> {
    const after = await this.membersOf(model, commit).catch((error: unknown) => Promise.reject(invalid(error)));
    if (!after) return null;
    const before = await this.membersOf(model, base).catch(unlessInvalid);
    if (!before) return null;
    return { ...differenceOf(before, after), brokenContent: await this.brokenContent(model, after) };
  }

  /** Undefined when there are more than can be compared. */
  private async membersOf(model: DataModel, commit: string): Promise<Cubes | undefined> {
    try {
      return await this.members.ofCommit(model, commit, 'shared');
    } catch (error) {
      if (error instanceof AppError && error.code === 'data_model.too_large') return undefined;
      throw error;
    }
  }

  /** A number alone: who reads it may not be allowed to read what it counts. */
  private async brokenContent({ settings }: DataModel, cubes: Cubes): Promise<number | null> {
    const { tenantId, deploymentId } = settings;
    const call = { principal: systemPrincipal(tenantId), path: { deploymentId }, query: {}, body: { cubes } };
    try {
      const { items, unnamed } = await this.bus.call('findBrokenContent', call);
      return items.length + unnamed;
    } catch (error) {
      this.logger.warn({ err: error, deploymentId }, 'nobody says what content a dbt sync would break');
      return null;
    }
  }
}

function invalid(error: unknown): unknown {
  if (!(error instanceof AppError) || error.code !== 'data_model.invalid') return error;
  const { details = [] } = error;
  const shown = details
    .slice(0, MAX_ERRORS)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  return new SyncFailure(`${error.message}. ${shown.join('; ')}`);
}

function unlessInvalid(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'data_model.invalid') return undefined;
  throw error;
}

/** Members of cubes that are new or gone are not told one by one. */
function differenceOf(before: Cubes, after: Cubes): Omit<Difference, 'brokenContent'> {
  const old = new Map(before.map((cube) => [cube.name, membersIn(cube)]));
  const now = new Map(after.map((cube) => [cube.name, membersIn(cube)]));
  return {
    addedCubes: missingIn(old, [...now.keys()]),
    removedCubes: missingIn(now, [...old.keys()]),
    addedMembers: missingMembers(now, old),
    removedMembers: missingMembers(old, now),
  };
}

const membersIn = ({ measures, dimensions, segments }: Cubes[number]): Set<string> =>
  new Set([...measures, ...dimensions, ...segments]);

const missingIn = (cubes: ReadonlyMap<string, unknown>, names: readonly string[]): string[] =>
  names.filter((name) => !cubes.has(name)).slice(0, MAX_NAMES);

function missingMembers(cubes: ReadonlyMap<string, Set<string>>, others: ReadonlyMap<string, Set<string>>): string[] {
  const names = [...cubes].flatMap(([cube, members]) => {
    const there = others.get(cube);
    return there ? [...members].filter((member) => !there.has(member)).map((member) => `${cube}.${member}`) : [];
  });
  return names.slice(0, MAX_NAMES);
}
